// SPDX-License-Identifier: Apache-2.0
// Purpose:    stores the registers that share a value of a load in flight, and wakes them when the
//             value arrives. Contract: models/larf/wait_table.h.
// Parameters: Waiters, 1..64; Warps, 2..64; Regs, 2..64, of a warp; Banks, 1..32; Entries, 2..1024; NumWr, 1..4:
// arrivals,
//             and waiters woken, per cycle.
// Timing:     all outputs from state alone; entries and arrivals of cycle t count from t + 1 on.
// Reset:      no waiters.
// Left out:   the scoreboard.
// Shapes:     - ; Waiters=2,Warps=32,Regs=63,Banks=2,Entries=1024,NumWr=1
// Shapes:     Waiters=1,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=1
// Shapes:     Waiters=5,Warps=64,Regs=64,Banks=32,Entries=64,NumWr=4
// Proof:      2:8:Waiters=2,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=1
// Proof:      2:8:Waiters=3,Warps=2,Regs=2,Banks=1,Entries=2,NumWr=2

`include "macros.svh"

module wait_table #(
    parameter int Waiters = 64,
    parameter int Warps   = 48,
    parameter int Regs    = 63,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int WarpBits = $clog2(Warps),
    localparam int RegBits  = $clog2(Regs),
    localparam int PhyBits  = (Banks > 1 ? $clog2(Banks) : 1) + $clog2(Entries)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // all are forgotten
    input  logic                      cl_valid_i,
    // a sharer waits
    input  logic                      en_valid_i,
    input  logic [PhyBits-1:0]        en_phys_i,
    input  logic [WarpBits-1:0]       en_warp_i,
    input  logic [RegBits-1:0]        en_reg_i,
    output logic                      en_ready_o,
    // values arrive
    input  logic [NumWr-1:0]          arr_valid_i,
    input  logic [NumWr*PhyBits-1:0]  arr_phys_i,
    // observation: places, then parameters
    `OBS_PORT(input  logic [31:0]               obs_addr_i)
    `OBS_PORT(output logic [63:0]               obs_data_o)
    // waiters are woken
    output logic [NumWr-1:0]          wk_valid_o,
    output logic [NumWr*WarpBits-1:0] wk_warp_o,
    output logic [NumWr*RegBits-1:0]  wk_reg_o
);

    localparam int Entry = PhyBits + WarpBits + RegBits;

    logic [Waiters-1:0]       valid_q, valid_d, there_q, there_d, ready, free, place, woken;
    logic [Waiters*Entry-1:0] entry_q, entry_d;     // register, warp, physical register
    assign free       = ~valid_q;
    assign en_ready_o = free != '0;
    assign place      = en_valid_i ? free & (~free + Waiters'(1)) : '0;
    assign ready      = valid_q & there_q;

    // ---- The lowest ones are woken. upto[k]: at least k + 1 of the places up to this one are ready; spans of places double.
    logic [NumWr*Waiters-1:0] upto, was, lower;
    logic [NumWr*Waiters-1:0] one_of;
    always @* begin
        upto = (NumWr*Waiters)'(ready);
        for (int d = 1; d < Waiters; d = d * 2) begin
            for (int k = 0; k < NumWr; k = k + 1) lower[k*Waiters +: Waiters] = upto[k*Waiters +: Waiters] << d;
            was = upto;
            for (int k = 0; k < NumWr; k = k + 1) begin
                upto[k*Waiters +: Waiters] = was[k*Waiters +: Waiters] | lower[k*Waiters +: Waiters];
                for (int i = 0; i < k; i = i + 1)
                    upto[k*Waiters +: Waiters] = upto[k*Waiters +: Waiters] |
                                                 (was[i*Waiters +: Waiters] & lower[(k-1-i)*Waiters +: Waiters]);
            end
        end
    end
    for (genvar k = 0; k < NumWr; k = k + 1) begin : g_wake
        logic [Waiters-1:0] one, more;
        if (k == 0) begin : g_first
            assign more = ready;
        end else begin : g_next
            assign more = ready & upto[(k-1)*Waiters +: Waiters] << 1;
        end
        assign one = more & ~(upto[k*Waiters +: Waiters] << 1);
        assign one_of[k*Waiters +: Waiters] = one;
        assign wk_valid_o[k] = upto[k*Waiters + Waiters - 1];
        logic [WarpBits-1:0] warp;
        logic [RegBits-1:0]  arch;
        always @* begin
            warp = '0;
            arch = '0;
            for (int p = 0; p < Waiters; p = p + 1)
                if (one[p]) begin
                    warp = warp | entry_q[p*Entry + PhyBits +: WarpBits];
                    arch = arch | entry_q[p*Entry + PhyBits + WarpBits +: RegBits];
                end
        end
        assign wk_warp_o[k*WarpBits +: WarpBits] = warp;
        assign wk_reg_o[k*RegBits +: RegBits]    = arch;
    end
    always @* begin
        woken = '0;
        for (int k = 0; k < NumWr; k = k + 1) woken = woken | one_of[k*Waiters +: Waiters];
    end

    // ---- Next state
    logic [Waiters-1:0] hears;
    for (genvar p = 0; p < Waiters; p = p + 1) begin : g_place
        logic [PhyBits-1:0] phys;
        logic               heard;
        assign entry_d[p*Entry +: Entry] = place[p] ? {en_reg_i, en_warp_i, en_phys_i} : entry_q[p*Entry +: Entry];
        assign phys = entry_d[p*Entry +: PhyBits];
        always @* begin
            heard = 1'b0;
            for (int w = 0; w < NumWr; w = w + 1)
                if (arr_valid_i[w] && (arr_phys_i[w*PhyBits +: PhyBits] == phys)) heard = 1'b1;
        end
        assign hears[p] = heard && (valid_q[p] || place[p]);
    end
    always @* begin
        valid_d = (valid_q & ~woken) | place;
        there_d = (there_q & ~woken & ~place) | (hears & ~woken);
        if (cl_valid_i) valid_d = '0;
    end
    always_ff @(posedge clk_i) begin
        entry_q <= entry_d;
        there_q <= there_d;
        if (!rst_ni) valid_q <= '0;
        else valid_q <= valid_d;
    end

    `CHECK_RANGE(wait_table, Waiters, 1, 64)
    `CHECK_RANGE(wait_table, Warps, 2, 64)
    `CHECK_RANGE(wait_table, Regs, 2, 64)
    `CHECK_RANGE(wait_table, Banks, 1, 32)
    `CHECK_RANGE(wait_table, Entries, 2, 1024)
    `CHECK_RANGE(wait_table, NumWr, 1, 4)
    `include "larf/wait_table.obs.svh"
endmodule
