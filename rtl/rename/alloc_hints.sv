// SPDX-License-Identifier: Apache-2.0
// Purpose:    the compiler's hints for the allocation unit: per kernel slot and register the alignment
//             (2 bits), whether it is paired, and with which register. Part of alloc_unit, see
//             models/alloc_unit.h.
// Parameters: NumKernels, 1..8: kernel slots; NumAlloc, 1..4: registers looked up per cycle.
// Timing:     hl_valid_i changes the tables at the clock edge. hq_valid_i[w] in cycle t is answered by
//             ha_valid_o[w] and the other ha_ outputs in t+1, from the tables as they were in t.
//             ha_buddy_o is defined where ha_pair_o is 1, ha_align_o where ha_valid_o is.
// Reset:      no hints, no answer. The memory of buddies is not reset.
// Left out:   unpacking of metadata instructions (the SM's decoder does it).
// Cost:       alignment (the paper's 128 bits per kernel) and the paired bits are flip-flops, so that a
//             slot is cleared in one cycle; the buddies are a memory with NumAlloc read ports.
// Shapes:     - ; NumKernels=1,NumAlloc=1 ; NumKernels=3,NumAlloc=4
// Proof:      2:5:NumKernels=1,NumAlloc=2
// Proof:      2:5:NumKernels=3,NumAlloc=1
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module alloc_hints #(
    parameter int NumKernels = 8,
    parameter int NumAlloc   = 2,
    localparam int KernelBits = NumKernels > 1 ? $clog2(NumKernels) : 1,
`ifdef RF_NARROW
    localparam int Regs       = 4,  // registers do not see each other: four stand for all in proofs
`else
    localparam int Regs       = 64,
`endif
    localparam int Slots      = NumKernels * Regs
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // a hint is loaded
    input  logic                        hl_valid_i,
    input  logic [1:0]                  hl_op_i,
    input  logic [KernelBits-1:0]       hl_kernel_i,
    input  logic [5:0]                  hl_reg_i,
    input  logic [5:0]                  hl_value_i,
    // hints are looked up
    input  logic [NumAlloc-1:0]         hq_valid_i,
    input  logic [NumAlloc*KernelBits-1:0] hq_kernel_i,
    input  logic [NumAlloc*6-1:0]       hq_reg_i,
`ifdef RF_OBS
    // observation: the hints of slot obs_slot_i
    input  logic [8:0]                  obs_slot_i,
    output logic [8:0]                  obs_hint_o,
`endif
`ifdef TESTBUG
    // a fault at this edge: 0 none, 1 flip, 2 to 0, 3 to 1
    input  logic [1:0]                  fault_i,
    input  logic [8:0]                  fault_slot_i,
    input  logic [3:0]                  fault_bit_i,
`endif
    // answers of the cycle after
    output logic [NumAlloc-1:0]         ha_valid_o,
    output logic [NumAlloc-1:0]         ha_pair_o,
    output logic [NumAlloc*6-1:0]       ha_buddy_o,
    output logic [NumAlloc*2-1:0]       ha_align_o
);
    // Seeded faults.
    // 146  pairs survive when a slot is cleared: ha_pair_o, a clear after a pair
    // 147  alignments go to the slot of kernel 0: ha_align_o, an alignment for another kernel
    // 148  the last port is answered with port 0's buddy: ha_buddy_o, two ports, different registers
    // 149  a paired register loses its alignment's left bit: ha_align_o, both hints loaded
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    localparam int RegBits  = $clog2(Regs);
    localparam int SlotBits = $clog2(Slots);

    logic [Slots-1:0]   left_q, right_q, pair_q;
    logic [5:0]         buddy_q [0:Slots-1];

    logic [SlotBits-1:0] load;
    assign load = SlotBits'({hl_kernel_i, hl_reg_i[RegBits-1:0]});
`ifdef RF_NARROW
    logic unused;
    assign unused = ^{hl_reg_i, hq_reg_i};
`endif

    function automatic [Slots-1:0] of_kernel(input [KernelBits-1:0] kernel);
        integer k;
        begin
            of_kernel = '0;
            for (k = 0; k < NumKernels; k = k + 1)
                if (kernel == KernelBits'(k)) of_kernel[k*Regs +: Regs] = '1;
        end
    endfunction

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            left_q  <= '0;
            right_q <= '0;
            pair_q  <= '0;
        end else begin
            if (hl_valid_i)
                case (hl_op_i)
                2'd0: begin
                    left_q  <= left_q & ~of_kernel(hl_kernel_i);
                    right_q <= right_q & ~of_kernel(hl_kernel_i);
                    if (testbug != 146) pair_q <= pair_q & ~of_kernel(hl_kernel_i);
                end
                2'd1: begin
                    pair_q[load] <= 1'b1;
                    if (testbug == 149) left_q[load] <= 1'b0;
                end
                2'd2: begin
                    left_q[testbug == 147 ? load & SlotBits'(Regs - 1) : load]  <= hl_value_i[0];
                    right_q[testbug == 147 ? load & SlotBits'(Regs - 1) : load] <= hl_value_i[1];
                end
                default: ;
                endcase
`ifdef TESTBUG
            if (fault_i != '0 && 32'(fault_slot_i) < Slots)
                case (fault_bit_i)
                4'd0: left_q[SlotBits'(fault_slot_i)]  <= fixed(next_hint[0], fault_i);
                4'd1: right_q[SlotBits'(fault_slot_i)] <= fixed(next_hint[1], fault_i);
                4'd2: pair_q[SlotBits'(fault_slot_i)]  <= fixed(next_hint[2], fault_i);
                default: ;
                endcase
`endif
        end
    end
`ifdef TESTBUG
    // The hints of the slot with the fault as they would be after this edge.
    function automatic fixed(input would_be, input [1:0] kind);
        fixed = kind == 2'd1 ? !would_be : kind == 2'd3;
    endfunction
    logic [8:0] next_hint;
    logic [5:0] fault_word;
    assign fault_word = buddy_q[SlotBits'(fault_slot_i)];
    always @* begin
        next_hint = '0;
        if (32'(fault_slot_i) < Slots) begin
            next_hint = {fault_word, pair_q[SlotBits'(fault_slot_i)],
                         right_q[SlotBits'(fault_slot_i)], left_q[SlotBits'(fault_slot_i)]};
            if (hl_valid_i && hl_op_i == 2'd0 &&
                32'(fault_slot_i) / Regs == 32'(hl_kernel_i)) next_hint[2:0] = '0;
            if (hl_valid_i && hl_op_i == 2'd1 && fault_slot_i == 9'(load))
                next_hint[8:2] = {hl_value_i, 1'b1};
            if (hl_valid_i && hl_op_i == 2'd2 && fault_slot_i == 9'(load))
                next_hint[1:0] = hl_value_i[1:0];
        end
    end
    logic       fault_buddy;
    logic [5:0] next_buddy;
    assign fault_buddy = fault_i != '0 && 32'(fault_slot_i) < Slots && fault_bit_i >= 4'd3 &&
                         fault_bit_i < 4'd9;
    always @* begin
        next_buddy = next_hint[8:3];
        for (int i = 0; i < 6; i = i + 1)
            if (32'(fault_bit_i) == i + 3) next_buddy[i] = fixed(next_hint[3 + i], fault_i);
    end
    always_ff @(posedge clk_i) begin
        if (hl_valid_i && hl_op_i == 2'd1 && rst_ni) buddy_q[load] <= hl_value_i;
        if (fault_buddy && rst_ni) buddy_q[SlotBits'(fault_slot_i)] <= next_buddy;
    end
`else
    always_ff @(posedge clk_i)
        if (hl_valid_i && hl_op_i == 2'd1 && rst_ni) buddy_q[load] <= hl_value_i;
`endif

    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
        logic [SlotBits-1:0] slot, buddy_slot;
        logic                valid_q, ans_pair_q;
        logic [5:0]          ans_buddy_q;
        logic [1:0]          ans_align_q;
        assign slot = SlotBits'({hq_kernel_i[a*KernelBits +: KernelBits], hq_reg_i[a*6 +: RegBits]});
        assign buddy_slot = testbug == 148 && a == NumAlloc - 1
            ? SlotBits'({hq_kernel_i[KernelBits-1:0], hq_reg_i[RegBits-1:0]}) : slot;
        always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
                valid_q    <= 1'b0;
                ans_pair_q <= 1'b0;
            end else begin
                valid_q    <= hq_valid_i[a];
                ans_pair_q <= hq_valid_i[a] && pair_q[slot];
            end
            if (hq_valid_i[a]) begin
                ans_buddy_q <= buddy_q[buddy_slot];
                ans_align_q <= {right_q[slot], left_q[slot]};
            end
        end
        assign ha_valid_o[a]        = valid_q;
        assign ha_pair_o[a]         = ans_pair_q;
        assign ha_buddy_o[a*6 +: 6] = ans_buddy_q;
        assign ha_align_o[a*2 +: 2] = ans_align_q;
    end

`ifdef RF_OBS
    logic [SlotBits-1:0] obs_slot;
    logic                obs_high;
    assign obs_slot   = SlotBits'(obs_slot_i);
    assign obs_high   = 32'(obs_slot_i) >= Slots;
    assign obs_hint_o = obs_high ? '0 : {pair_q[obs_slot] ? buddy_q[obs_slot] : 6'd0,
                                         pair_q[obs_slot], right_q[obs_slot], left_q[obs_slot]};
`endif

`ifdef SIM
    integer init;
    initial begin
        if (NumKernels < 1 || NumKernels > 8)
            $fatal(1, "alloc_hints: NumKernels = %0d, legal is 1..8", NumKernels);
        if (NumAlloc < 1 || NumAlloc > 4) $fatal(1, "alloc_hints: NumAlloc = %0d, legal is 1..4", NumAlloc);
        for (init = 0; init < Slots; init = init + 1) buddy_q[init] = '0;
    end
`endif

`ifdef FORMAL
    // Contract, for any kernel slot and register: the hints last loaded since it was cleared come
    // back one cycle after they are asked for, at any port.
    (* anyconst *) logic [KernelBits-1:0] f_k;
    (* anyconst *) logic [RegBits-1:0]    f_r;
    (* anyconst *) logic [1:0]            f_w;
    logic                  f_past, f_pair, f_asked, f_was_pair, f_any;
    logic [1:0]            f_align, f_was_align;
    logic [5:0]            f_buddy, f_was_buddy;
    logic [SlotBits-1:0]   f_slot;
    initial f_past = 1'b0;
    assign f_slot = SlotBits'({f_k, f_r});
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_pair  <= 1'b0;
            f_align <= '0;
        end else if (hl_valid_i && hl_kernel_i == f_k) begin
            if (hl_op_i == 2'd0) begin
                f_pair  <= 1'b0;
                f_align <= '0;
            end
            if (hl_reg_i[RegBits-1:0] == f_r && hl_op_i == 2'd1) begin
                f_pair  <= 1'b1;
                f_buddy <= hl_value_i;
            end
            if (hl_reg_i[RegBits-1:0] == f_r && hl_op_i == 2'd2) f_align <= hl_value_i[1:0];
        end
        f_any       <= rst_ni && hq_valid_i[f_w];
        f_asked     <= rst_ni && hq_valid_i[f_w] && KernelBits'(hq_kernel_i >> f_w * KernelBits) == f_k &&
                       RegBits'(hq_reg_i >> f_w * 6) == f_r;
        f_was_pair  <= f_pair;
        f_was_buddy <= f_buddy;
        f_was_align <= f_align;
    end
    always_comb begin
        assume (f_k < NumKernels && f_w < NumAlloc && obs_slot_i == 9'(f_slot));
        if (hl_valid_i) assume (hl_kernel_i < NumKernels);
        for (int w = 0; w < NumAlloc; w = w + 1)
            assume (hq_kernel_i[w*KernelBits +: KernelBits] < NumKernels);
        if (f_past) begin
            assert (ha_valid_o[f_w] == f_any);
            if (!f_any) assert (!ha_pair_o[f_w]);
            if (f_asked) begin
                assert (ha_pair_o[f_w] == f_was_pair && 2'(ha_align_o >> f_w * 2) == f_was_align);
                if (f_was_pair) assert (6'(ha_buddy_o >> f_w * 6) == f_was_buddy);
            end
            assert (obs_hint_o[2:0] == {f_pair, f_align});
            if (f_pair) assert (buddy_q[f_slot] == f_buddy);
            assert (obs_hint_o[8:3] == (f_pair ? f_buddy : '0));
        end
        cover (f_past && f_asked && f_was_pair && f_was_align == 2'd2 && f_was_buddy == 6'd5);
        cover (f_past && f_asked && !f_was_pair && f_pair);
    end
`endif
endmodule
