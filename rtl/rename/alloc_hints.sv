// SPDX-License-Identifier: Apache-2.0
// Purpose:    the compiler's hints for the allocation unit: per kernel slot and register the alignment
//             (2 bits), whether it is paired, and with which register. Part of alloc_unit, see
//             models/rename/alloc_unit.h.
// Parameters: NumKernels, 1..8: kernel slots; NumAlloc, 1..4: registers looked up per cycle.
// Timing:     hl_valid_i changes the tables at the clock edge. hq_valid_i[w] in cycle t is answered by
//             ha_valid_o[w] and the other ha_ outputs in t+1, from the tables as they were in t.
//             ha_buddy_o is defined where ha_pair_o is 1, ha_align_o where ha_valid_o is.
// Reset:      no hints, no answer. The memory is not reset.
// Left out:   unpacking of metadata instructions (the SM's decoder does it).
// Cost:       a memory of lines of eight registers, 9 bits each (the paper: 2), with a read port per port
//             and one write port, and a flip-flop per line, so that a slot is cleared in one cycle: the first
//             hint that comes to a line writes all of it.
// Shapes:     - ; NumKernels=1,NumAlloc=1 ; NumKernels=3,NumAlloc=4
// Proof:      2:5:NumKernels=1,NumAlloc=2
// Proof:      2:5:NumKernels=3,NumAlloc=1

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
    // answers of the cycle after
    output logic [NumAlloc-1:0]         ha_valid_o,
    output logic [NumAlloc-1:0]         ha_pair_o,
    output logic [NumAlloc*6-1:0]       ha_buddy_o,
    output logic [NumAlloc*2-1:0]       ha_align_o
);

    localparam int RegBits  = $clog2(Regs);
    localparam int LineRegs = Regs < 16 ? Regs / 2 : 8;
    localparam int LowBits  = $clog2(LineRegs);            // register in its line
    localparam int Lines    = Slots / LineRegs;
    localparam int LineBits = Lines > 1 ? $clog2(Lines) : 1;
    localparam int Hint     = 9;                           // {buddy, paired, alignment}
    localparam int Line     = LineRegs * Hint;
    localparam int SlotBits = $clog2(Slots);

    logic [Line-1:0]  mem_q [0:Lines-1];
    logic [Lines-1:0] live_q;                              // lines that are not all 0

    function automatic [LineBits-1:0] line_of(input [SlotBits-1:0] slot);
        line_of = LineBits'(slot >> LowBits);
    endfunction
`ifdef RF_NARROW
    logic unused;
    assign unused = ^{hl_reg_i, hq_reg_i};
`endif

    // ---- Load: the buddy or the alignment of one register, the whole line when that was all 0
    logic                load, load_pair, load_align;
    logic [SlotBits-1:0] load_slot;
    logic [LineBits-1:0] load_line;
    logic [Line-1:0]     load_data, load_en;
    assign load_pair  = hl_valid_i && hl_op_i == 2'd1;
    assign load_align = hl_valid_i && hl_op_i == 2'd2;
    assign load       = load_pair || load_align;
    assign load_slot  = SlotBits'({hl_kernel_i, hl_reg_i[RegBits-1:0]});
    assign load_line  = line_of(load_slot);
    always @* begin
        load_data = '0;
        load_en   = '0;
        if (load) begin
            load_en = {Line{!live_q[load_line]}};
            for (int r = 0; r < LineRegs; r = r + 1)
                if (LowBits'(load_slot) == LowBits'(r)) begin
                    load_data[r*Hint +: Hint] = load_pair ? {hl_value_i, 3'b100} : {7'd0, hl_value_i[1:0]};
                    if (load_align) load_en[r*Hint +: 2] = '1;
                    if (load_pair) load_en[r*Hint + 2 +: 7] = '1;
                end
        end
    end
    always_ff @(posedge clk_i) begin
        if (load)
            for (int i = 0; i < LineRegs; i = i + 1) begin
                if (load_en[i*Hint])     mem_q[load_line][i*Hint +: 2]     <= load_data[i*Hint +: 2];
                if (load_en[i*Hint + 2]) mem_q[load_line][i*Hint + 2 +: 7] <= load_data[i*Hint + 2 +: 7];
            end
    end
    localparam int SlotLines = Lines / NumKernels;         // of a kernel slot
    logic [Lines-1:0] cleared, filled;
    assign cleared = hl_op_i == 2'd0 ? Lines'({SlotLines{1'b1}}) << 32'(hl_kernel_i) * SlotLines : '0;
    assign filled  = load ? Lines'(1) << load_line : '0;
    always_ff @(posedge clk_i)
        if (!rst_ni) live_q <= '0;
        else if (hl_valid_i) live_q <= (live_q & ~cleared) | filled;

    // ---- Lookups
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
        logic [SlotBits-1:0] slot;
        logic [Line-1:0]     line_q;
        logic [LowBits-1:0]  low_q;
        logic                valid_q, live_line_q;
        logic [Hint-1:0]     hint;
        assign slot = SlotBits'({hq_kernel_i[a*KernelBits +: KernelBits], hq_reg_i[a*6 +: RegBits]});
        always_ff @(posedge clk_i) begin
            valid_q <= rst_ni && hq_valid_i[a];
            if (hq_valid_i[a]) begin
                line_q      <= mem_q[line_of(slot)];
                low_q       <= LowBits'(slot);
                live_line_q <= live_q[line_of(slot)];
            end
        end
        always @* begin
            hint = '0;
            for (int r = 0; r < LineRegs; r = r + 1)
                if (live_line_q && low_q == LowBits'(r)) hint = hint | line_q[r*Hint +: Hint];
        end
        assign ha_valid_o[a]        = valid_q;
        assign ha_pair_o[a]         = valid_q && hint[2];
        assign ha_buddy_o[a*6 +: 6] = hint[8:3];
        assign ha_align_o[a*2 +: 2] = hint[1:0];
    end

`ifdef RF_OBS
    logic [SlotBits-1:0] obs_slot;
    logic [Line-1:0]     obs_line;
    logic [Hint-1:0]     obs_hint;
    assign obs_slot   = SlotBits'(obs_slot_i);
    assign obs_line   = mem_q[line_of(obs_slot)];
    assign obs_hint   = obs_line[32'(LowBits'(obs_slot))*Hint +: Hint];
    assign obs_hint_o = 32'(obs_slot_i) >= Slots || !live_q[line_of(obs_slot)] ? '0
                      : obs_hint & {{6{obs_hint[2]}}, 3'b111};
`endif

`ifdef SIM
    integer init;
    initial begin
        if (NumKernels < 1 || NumKernels > 8)
            $fatal(1, "alloc_hints: NumKernels = %0d, legal is 1..8", NumKernels);
        if (NumAlloc < 1 || NumAlloc > 4) $fatal(1, "alloc_hints: NumAlloc = %0d, legal is 1..4", NumAlloc);
        for (init = 0; init < Lines; init = init + 1) mem_q[init] = '0;
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
            assert (obs_hint_o[8:3] == (f_pair ? f_buddy : '0));
        end
        cover (f_past && f_asked && f_was_pair && f_was_align == 2'd2 && f_was_buddy == 6'd5);
        cover (f_past && f_asked && !f_was_pair && f_pair);
    end
`endif
endmodule
