// SPDX-License-Identifier: Apache-2.0
// Purpose:    stores the compiler's hints for the allocation unit: alignment (2 bits), pairing and
//             buddy per kernel slot and register. Part of alloc_unit, see
//             models/rename/alloc_unit.h.
// Parameters: NumKernels, 1..8: kernel slots; NumAlloc, 1..4: registers looked up per cycle.
// Timing:     hl_valid_i changes the tables at the clock edge. If hq_valid_i[w] is set in cycle t,
//             ha_valid_o[w] and the other ha_ outputs answer in t+1 from the tables of t. Output
//             ha_buddy_o is defined where ha_pair_o is 1, ha_align_o where ha_valid_o is.
// Reset:      no hints, no answer. The memory is not reset.
// Left out:   unpacking of metadata instructions (the SM's decoder unpacks them).
// Cost:       a memory of lines of eight registers, 9 bits each (the paper: 2), with a read port
//             per port and one write port. A flip-flop per line clears a slot in one cycle, because
//             the first hint of a line writes the whole line.
// Shapes:     - ; NumKernels=1,NumAlloc=1 ; NumKernels=3,NumAlloc=4
// Proof:      2:5:NumKernels=1,NumAlloc=2
// Proof:      2:5:NumKernels=3,NumAlloc=1

`include "macros.svh"

module alloc_hints #(
    parameter int NumKernels = 8,
    parameter int NumAlloc   = 2,
    localparam int KernelBits = NumKernels > 1 ? $clog2(NumKernels) : 1,
    localparam int Regs       = `NARROW(4, 64),  // registers are independent: four represent all in proofs
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
    // observation: the hints of slot obs_slot_i
    `OBS_PORT(input  logic [8:0]                  obs_slot_i)
    `OBS_PORT(output logic [8:0]                  obs_hint_o)
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
    logic unused;  // in proofs: the upper bits of registers
    assign unused = ^{hl_reg_i, hq_reg_i};

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

    `CHECK_RANGE(alloc_hints, NumKernels, 1, 8)
    `CHECK_RANGE(alloc_hints, NumAlloc, 1, 4)
    `CLEAR_MEMORY(mem_q, Lines)
    `include "rename/alloc_hints.obs.svh"
endmodule
