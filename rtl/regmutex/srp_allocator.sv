// SPDX-License-Identifier: Apache-2.0
// Purpose:    RegMutex's allocation of the shared register pool: a status bit per warp, a bit per
//             section, and a table from warp to section. An acquire finds the first section that is
//             free; the paired variant has one section for each two warps. Contract:
//             models/regmutex/srp_allocator.h.
// Parameters: Warps, 2..64; NumReq, 1..4: acquires and releases per cycle; NumLook, 1..8: look-ups.
// Timing:     acq_grant_o and acq_section_o answer the acquires of the same cycle, lk_ outputs
//             depend on state alone; all state changes at the clock edge. A section released at an
//             edge can be acquired from the next cycle on. The lowest free sections are found and
//             numbered in parallel. A port chooses among them by the number of earlier ports that
//             ask. The path from the free sections to the table takes 1.43 ns at 45 nm in the
//             default shape.
// Reset:      no section exists.
// Left out:   fairness, more than one section per warp.
// Shapes:     - ; Warps=2,NumReq=1,NumLook=1 ; Warps=5,NumReq=3,NumLook=4 ; Warps=64,NumReq=4,NumLook=8
// Proof:      2:6:Warps=2,NumReq=3,NumLook=1
// Proof:      2:6:Warps=3,NumReq=1,NumLook=2
// Proof:      2:6:Warps=4,NumReq=2,NumLook=1

`include "macros.svh"

module srp_allocator #(
    parameter int Warps   = 48,
    parameter int NumReq  = 2,
    parameter int NumLook = 4,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int CountBits = $clog2(Warps + 1),
    localparam int Pairs     = (Warps + 1) / 2  // of warps that share a section; one may be a warp alone
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // a kernel is placed
    input  logic                        cfg_valid_i,
    input  logic [CountBits-1:0]        cfg_sections_i,
    input  logic                        cfg_paired_i,
    // requests
    input  logic [NumReq-1:0]           acq_valid_i,
    input  logic [NumReq*WarpBits-1:0]  acq_warp_i,
    input  logic [NumReq-1:0]           rel_valid_i,
    input  logic [NumReq*WarpBits-1:0]  rel_warp_i,
    input  logic [Warps-1:0]            exit_mask_i,
    input  logic [NumLook*WarpBits-1:0] lk_warp_i,
    // observation: status, sections, variant, table, then parameters
    `OBS_PORT(input  logic [31:0]                 obs_addr_i)
    `OBS_PORT(output logic [31:0]                 obs_data_o)
    output logic [NumReq-1:0]           acq_grant_o,
    output logic [NumReq*WarpBits-1:0]  acq_section_o,
    output logic [NumLook-1:0]          lk_held_o,
    output logic [NumLook*WarpBits-1:0] lk_section_o
);

    logic [Warps-1:0]          status_q, status_d;
    logic [Warps-1:0]          srp_q, srp_d;       // taken, or not there
    logic [Warps*WarpBits-1:0] lut_q, lut_d;
    logic                      paired_q, paired_d;

    function automatic [Warps-1:0] bit_of(input [WarpBits-1:0] n);
        bit_of = Warps'(1) << n;
    endfunction

    // ---- Look-up
    for (genvar l = 0; l < NumLook; l = l + 1) begin : g_lk
        logic [WarpBits-1:0] warp;
        assign warp = lk_warp_i[l*WarpBits +: WarpBits];
        assign lk_held_o[l] = (status_q & bit_of(warp)) != '0;
        assign lk_section_o[l*WarpBits +: WarpBits] = lut_q[32'(warp)*WarpBits +: WarpBits];
    end

    // ---- Acquire: the lowest free sections are found beside one another; a port takes the lowest that no port before it took
    logic [Warps-1:0]        free;
    logic [NumReq*Warps-1:0] lowest;
    logic [NumReq-1:0]       is_lowest;  // there is one of the rank
    assign free = ~srp_q;
    ranked_ones #(.Width(Warps), .Ranks(NumReq)) u_lowest (
        .set_i   (free),
        .rank_o  (lowest),
        .any_o   (is_lowest)
    );
    logic [NumReq*WarpBits-1:0] number;  // of each of them
    for (genvar k = 0; k < NumReq; k = k + 1) begin : g_number
        onehot_index #(.Width(Warps)) u_index (
            .one_i   (lowest[k*Warps +: Warps]),
            .index_o (number[k*WarpBits +: WarpBits])
        );
    end

    logic [NumReq*Warps-1:0]    new_warp;   // per port: the warp that gets a section, one-hot
    logic [NumReq*Warps-1:0]    new_sec;    // and that section
    logic [NumReq*WarpBits-1:0] new_index;  // .., its number
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_acq
        logic [WarpBits-1:0] warp, held_sec, pair, index, next_index;
        logic [Warps-1:0]    warp_bit, pair_bit, pair_free, next, got;
        logic                nested, asks, can, next_can, win;
        assign warp      = acq_warp_i[r*WarpBits +: WarpBits];
        assign pair      = warp >> 1;
        assign warp_bit  = bit_of(warp);
        assign pair_bit  = bit_of(pair);
        // ports before this one: do they ask for a section, for that of this one's pair, for one for its warp?
        logic [r:0] takes, same_pair, same_warp;
        for (genvar p = 0; p <= r; p = p + 1) begin : g_before
            logic [WarpBits-1:0] section;  // that this warp holds: of the table, or got by an earlier port just now
            logic                holds;
            if (p == r) begin : g_none
                assign takes[p] = 1'b0;
                assign same_pair[p] = 1'b0;
                assign same_warp[p] = 1'b0;
                assign holds = (status_q & warp_bit) != '0;
                assign section = lut_q[32'(warp)*WarpBits +: WarpBits];
            end else begin : g_port
                assign takes[p]     = (g_acq[p].asks);
                assign same_pair[p] = g_acq[p].asks && g_acq[p].pair == pair;
                assign same_warp[p] = g_acq[p].asks && g_acq[p].warp == warp;
                assign holds        = same_warp[p] ? g_acq[p].can : g_before[p+1].holds;
                assign section      = same_warp[p] ? g_acq[p].index : g_before[p+1].section;
            end
        end
        assign held_sec = g_before[0].section;
        assign nested   = g_before[0].holds;
        // An earlier port requested for the same warp: it holds a section now, or no section is
        // free for this port either.
        assign asks     = acq_valid_i[r] && !cfg_valid_i && !g_before[r].holds && same_warp == '0;
        always @* begin  // as many sections down the ranks as earlier ports take
            next       = lowest[0 +: Warps];
            next_index = number[0 +: WarpBits];
            next_can   = is_lowest[0];
            for (int k = 1; k <= r; k = k + 1)
                if (32'($countones(takes)) >= k) begin
                    next       = lowest[k*Warps +: Warps];
                    next_index = number[k*WarpBits +: WarpBits];
                    next_can   = is_lowest[k];
                end
        end
        assign pair_free = same_pair == '0 ? pair_bit & free : '0;
        assign got       = paired_q ? pair_free : next;
        assign index     = paired_q ? pair : next_index;
        assign can       = paired_q ? pair_free != '0 : next_can;
        assign win       = asks && can;
        assign new_warp[r*Warps +: Warps] = win ? warp_bit : '0;
        assign new_sec[r*Warps +: Warps]  = asks ? got : '0;
        assign new_index[r*WarpBits +: WarpBits] = index;
        assign acq_grant_o[r] = acq_valid_i[r] && !cfg_valid_i && (nested || (asks && can));
        assign acq_section_o[r*WarpBits +: WarpBits] = nested ? held_sec : index;
    end

    // ---- Release: warps that give back, and their sections
    logic [Warps-1:0] leave, back;
    always @* begin
        leave = exit_mask_i;
        for (int r = 0; r < NumReq; r = r + 1)
            if (rel_valid_i[r]) leave = leave | bit_of(rel_warp_i[r*WarpBits +: WarpBits]);
        leave = leave & status_q;
        back = '0;
        for (int w = 0; w < Warps; w = w + 1)
            if (leave[w]) back = back | bit_of(lut_q[w*WarpBits +: WarpBits]);
    end

    // ---- Next state
    always @* begin
        status_d = status_q & ~leave;
        srp_d    = srp_q & ~back;
        lut_d    = lut_q;
        paired_d = paired_q;
        for (int r = 0; r < NumReq; r = r + 1) begin
            status_d = status_d | new_warp[r*Warps +: Warps];
            srp_d    = srp_d | new_sec[r*Warps +: Warps];
        end
        for (int w = 0; w < Warps; w = w + 1) begin
            if (leave[w]) lut_d[w*WarpBits +: WarpBits] = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (new_warp[r*Warps + w])
                    lut_d[w*WarpBits +: WarpBits] = new_index[r*WarpBits +: WarpBits];
        end
        if (cfg_valid_i) begin
            status_d = '0;
            lut_d    = '0;
            paired_d = cfg_paired_i;
            for (int s = 0; s < Warps; s = s + 1)
                srp_d[s] = s >= 32'(cfg_sections_i) || (cfg_paired_i && s >= Pairs);
        end
    end

    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            status_q <= '0;
            srp_q    <= '1;
            lut_q    <= '0;
            paired_q <= 1'b0;
        end else begin
            status_q <= status_d;
            srp_q    <= srp_d;
            lut_q    <= lut_d;
            paired_q <= paired_d;
        end

    `CHECK_RANGE(srp_allocator, Warps, 2, 64)
    `CHECK_RANGE(srp_allocator, NumReq, 1, 4)
    `CHECK_RANGE(srp_allocator, NumLook, 1, 8)
    `include "regmutex/srp_allocator.obs.svh"
endmodule
