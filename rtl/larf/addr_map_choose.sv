// SPDX-License-Identifier: Apache-2.0
// Purpose:    stage 4 of addr_map_table: the answer, from the lanes of the compared entries. It is
//             one entry that holds all of the load, two that cover it from either end, or neither.
//             Of equals the lowest.
// Parameters: NumEntries, 3..24: entries compared; LaneBits, 1..5: log2 of the lanes; PhyBits, 2..15: of a register.
// Timing:     combinational.
// Reset:      -
// Left out:   use of the answer.
// Shapes:     - ; NumEntries=3,LaneBits=1,PhyBits=2 ; NumEntries=24,PhyBits=15
// Proof:      1:1:NumEntries=3,LaneBits=2,PhyBits=2
// Proof:      1:1:NumEntries=4,LaneBits=1,PhyBits=3

module addr_map_choose #(
    parameter int NumEntries = 12,
    parameter int LaneBits   = 5,
    parameter int PhyBits    = 10,
    localparam int Lanes     = 1 << LaneBits,
    localparam int ShBits    = LaneBits + 1
) (
    input  logic [Lanes-1:0]              mask_i,
    // a lane is requested
    input  logic                          some_i,
    // the entries: evicted, all of the load with its data, without it, lanes that they do not give, where they lie
    input  logic [NumEntries-1:0]         evicted_i,
    input  logic [NumEntries-1:0]         exact_i,
    input  logic [NumEntries-1:0]         wait_i,
    input  logic [NumEntries*Lanes-1:0]   gaps_i,
    input  logic [NumEntries*ShBits-1:0]  shift_i,
    input  logic [NumEntries*PhyBits-1:0] phys_i,
    // the load just ahead is all of this one
    input  logic                          ahead_i,
    input  logic [PhyBits-1:0]            ahead_phys_i,
    // one register; two registers, the second for lanes that the first does not have; the data is
    // in flight
    output logic                          hit_o,
    output logic                          merge_o,
    output logic                          second_o,
    output logic                          wait_o,
    output logic [2*PhyBits-1:0]          phys_o,
    output logic [2*ShBits-1:0]           shift_o,
    output logic [2*Lanes-1:0]            mask_o
);

    localparam int N = NumEntries;

    // All lanes under the lowest set one of x, above the highest.
    function automatic [Lanes-1:0] under(input [Lanes-1:0] x);
        integer s;
        begin
            under = x;
            for (s = 1; s < Lanes; s = s * 2) under = under | under << s;
            under = ~under;
        end
    endfunction
    function automatic [Lanes-1:0] above(input [Lanes-1:0] x);
        integer s;
        begin
            above = x;
            for (s = 1; s < Lanes; s = s * 2) above = above | (above >> s);
            above = ~above;
        end
    endfunction

    // ---- Runs from either end. Runs from one end contain each other: their OR is the longest.
    // If each lane is in one of either kind, two entries suffice. If only runs from above reach the
    // lowest lane, one of these is all lanes, and so is that entry's run from below.
    logic [N*Lanes-1:0] run_low, run_high;
    logic [Lanes-1:0]   best_low, best_high, left, able;
    logic [N-1:0]       exact, waits, is_low, is_high, win_low, win_high, win_exact, win_wait;
    assign exact = exact_i & ~evicted_i;
    assign waits = wait_i & ~evicted_i;
    always @* begin
        best_low  = '0;
        best_high = '0;
        for (int i = 0; i < N; i = i + 1) begin
            able = mask_i & {Lanes{!evicted_i[i]}};
            run_low[i*Lanes +: Lanes]  = able & under(gaps_i[i*Lanes +: Lanes]);
            run_high[i*Lanes +: Lanes] = able & above(gaps_i[i*Lanes +: Lanes]);
            best_low  = best_low | run_low[i*Lanes +: Lanes];
            best_high = best_high | run_high[i*Lanes +: Lanes];
        end
        for (int i = 0; i < N; i = i + 1) begin
            is_low[i]  = (best_low & ~run_low[i*Lanes +: Lanes]) == '0;
            is_high[i] = (best_high & ~run_high[i*Lanes +: Lanes]) == '0;
        end
        win_high = is_high & (~is_high + N'(1));
    end
    assign win_low   = is_low & (~is_low + N'(1));
    assign win_exact = exact & (~exact + N'(1));
    assign win_wait  = waits & (~waits + N'(1));
    assign left      = mask_i & ~best_low;
    assign hit_o     = exact != '0 || waits != '0 || ahead_i;
    assign merge_o   = !hit_o && some_i && (best_low | best_high | ~mask_i) == '1;
    assign second_o  = merge_o && left != '0;
    assign wait_o    = hit_o && exact == '0;

    logic [PhyBits-1:0] phys_low, phys_high, phys_exact, phys_wait;
    logic [ShBits-1:0]  shift_low, shift_high;
    always @* begin
        phys_low = '0; phys_high = '0; phys_exact = '0; phys_wait = '0; shift_low = '0; shift_high = '0;
        for (int i = 0; i < N; i = i + 1) begin
            phys_low   = phys_low | ({PhyBits{win_low[i]}} & phys_i[i*PhyBits +: PhyBits]);
            phys_high  = phys_high | ({PhyBits{win_high[i]}} & phys_i[i*PhyBits +: PhyBits]);
            phys_exact = phys_exact | ({PhyBits{win_exact[i]}} & phys_i[i*PhyBits +: PhyBits]);
            phys_wait  = phys_wait | ({PhyBits{win_wait[i]}} & phys_i[i*PhyBits +: PhyBits]);
            shift_low  = shift_low | ({ShBits{win_low[i]}} & shift_i[i*ShBits +: ShBits]);
            shift_high = shift_high | ({ShBits{win_high[i]}} & shift_i[i*ShBits +: ShBits]);
        end
    end
    assign phys_o  = {phys_high, !hit_o ? phys_low : exact != '0 ? phys_exact : waits != '0 ? phys_wait : ahead_phys_i};
    assign shift_o = {shift_high, hit_o ? ShBits'(0) : shift_low};
    assign mask_o  = {left, hit_o ? mask_i : best_low};
endmodule
