// SPDX-License-Identifier: Apache-2.0
// Purpose:    asks the address mapping table whether registers would serve the next load of a warp,
//             and stores the warps preferred for it (LAS). Contract:
//             models/larf/locality_checker.h.
// Parameters: Warps, 2..64; Questions, 1..8: questions that wait.
// Timing:     all outputs from state alone; the answer to a question that leaves in cycle t is taken in t + 3.
// Reset:      no warp is preferred, no questions.
// Left out:   reading addresses (row_reader), the choice among preferred warps (the scheduler).
// Shapes:     - ; Warps=32,Questions=1 ; Warps=2,Questions=3 ; Warps=64,Questions=8
// Proof:      2:10:Warps=2,Questions=1
// Proof:      2:10:Warps=3,Questions=2

`include "macros.svh"

module locality_checker #(
    parameter int Warps     = 48,
    parameter int Questions = 4,
    localparam int Lanes    = 32,
    localparam int AddrBits = 32,
    localparam int CodeBits = 8,
    localparam int WarpBits = $clog2(Warps)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // a load reaches the head of a warp
    input  logic                as_valid_i,
    input  logic [WarpBits-1:0] as_warp_i,
    input  logic [AddrBits-1:0] as_base_i,
    input  logic [CodeBits-1:0] as_code_i,
    input  logic [Lanes-1:0]    as_mask_i,
    output logic                as_ready_o,
    // the table is asked, and answers
    input  logic                qu_ready_i,
    input  logic                an_valid_i,
    input  logic                an_serves_i,
    output logic                qu_valid_o,
    output logic [AddrBits-1:0] qu_base_o,
    output logic [CodeBits-1:0] qu_code_o,
    output logic [Lanes-1:0]    qu_mask_o,
    // observation: questions, those that left, preferred, then parameters
    `OBS_PORT(input  logic [31:0]         obs_addr_i)
    `OBS_PORT(output logic [127:0]        obs_data_o)
    // warps
    input  logic [Warps-1:0]    forget_mask_i,
    output logic [Warps-1:0]    pf_mask_o
);

    localparam int CntBits = $clog2(Questions + 1);
    localparam int Entry   = WarpBits + CodeBits + AddrBits + Lanes;  // warp, code, base, mask
    localparam int Left    = 3;

    logic [CntBits-1:0]         count_q, count_d, at;
    logic [Questions*Entry-1:0] entry_q, entry_d;   // the oldest lowest
    logic [Questions-1:0]       void_q, void_d;
    logic [Left-1:0]            left_q, left_d, left_void_q, left_void_d;
    logic [Left*WarpBits-1:0]   left_warp_q, left_warp_d;
    logic [Warps-1:0]           pref_q, pref_d;

    logic waits, asks, leaves, enters, serves;
    assign waits      = count_q != '0;
    assign qu_valid_o = waits && (!void_q[0]);
    assign qu_base_o  = entry_q[WarpBits + CodeBits +: AddrBits];
    assign qu_code_o  = entry_q[WarpBits +: CodeBits];
    assign qu_mask_o  = entry_q[WarpBits + CodeBits + AddrBits +: Lanes];
    assign as_ready_o = count_q != CntBits'(Questions);
    assign pf_mask_o  = pref_q;
    assign asks       = qu_valid_o && qu_ready_i;
    assign leaves     = asks || (waits && void_q[0]);
    assign enters     = as_valid_i && as_ready_o;
    assign serves     = left_q[Left-1] && an_valid_i && an_serves_i && (!left_void_q[Left-1]);

    function automatic forgotten(input [WarpBits-1:0] warp, input [Warps-1:0] mask);
        integer w;
        begin
            forgotten = 1'b0;
            for (w = 0; w < Warps; w = w + 1) if (warp == WarpBits'(w) && mask[w]) forgotten = 1'b1;
        end
    endfunction

    always @* begin
        at      = count_q - CntBits'(leaves);
        count_d = at + CntBits'(enters);
        entry_d = leaves ? entry_q >> Entry : entry_q;
        void_d  = leaves ? void_q >> 1 : void_q;
        for (int i = 0; i < Questions; i = i + 1) begin
            void_d[i] = void_d[i] || forgotten(entry_d[i*Entry +: WarpBits], forget_mask_i);
            if (enters && at == CntBits'(i)) begin
                entry_d[i*Entry +: Entry] = {as_mask_i, as_base_i, as_code_i, as_warp_i};
                void_d[i] = 1'b0;
            end
        end
        left_d      = {left_q[Left-2:0], asks};
        left_warp_d = {left_warp_q[(Left-1)*WarpBits-1:0], entry_q[WarpBits-1:0]};
        left_void_d = {left_void_q[Left-2:0], 1'b0};
        for (int a = 0; a < Left; a = a + 1)
            left_void_d[a] = left_void_d[a] || forgotten(left_warp_d[a*WarpBits +: WarpBits], forget_mask_i);
        pref_d = pref_q;
        for (int w = 0; w < Warps; w = w + 1) begin
            if (serves && left_warp_q[(Left - 1)*WarpBits +: WarpBits] == WarpBits'(w))
                pref_d[w] = 1'b1;
            if (forget_mask_i[w]) pref_d[w] = 1'b0;
        end
    end
    always_ff @(posedge clk_i) begin
        entry_q     <= entry_d;
        void_q      <= void_d;
        left_void_q <= left_void_d;
        left_warp_q <= left_warp_d;
        if (!rst_ni) begin
            count_q <= '0;
            left_q  <= '0;
            pref_q  <= '0;
        end else begin
            count_q <= count_d;
            left_q  <= left_d;
            pref_q  <= pref_d;
        end
    end

    `CHECK_RANGE(locality_checker, Warps, 2, 64)
    `CHECK_RANGE(locality_checker, Questions, 1, 8)
    `include "larf/locality_checker.obs.svh"
endmodule
