// SPDX-License-Identifier: Apache-2.0
// Purpose:    locks of OWF: warp i of one CTA and warp i of its partner CTA share registers.
//             The holder of their lock may name these registers. Locks of a CTA pair go to the owner CTA, and
//             to the other one only where the owner's warp has drained. Contract:
//             models/regmutex/owf_locks.h.
// Parameters: Warps, 2..64; Ctas, 1..32: CTA slots; NumReq, 1..4: acquires per cycle.
// Timing:     may_o, held_o and owner_o depend on state alone; acq_grant_o answers the acquires of the same cycle; all state
//             changes at the clock edge. 1.38 ns at 45 nm in the default shape (SM clock: 1.43 ns), from warps_q, which is
//             constant while a kernel runs.
// Reset:      one warp per CTA, no pairs, nothing live.
// Left out:   a release before the warp drains.
// Shapes:     - ; Warps=2,Ctas=1,NumReq=1 ; Warps=5,Ctas=5,NumReq=3
// Proof:      2:8:Warps=4,Ctas=4,NumReq=1
// Proof:      2:8:Warps=4,Ctas=2,NumReq=2

`include "macros.svh"

module owf_locks #(
    parameter int Warps  = 48,
    parameter int Ctas   = 8,
    parameter int NumReq = 2,
    localparam int WarpBits  = $clog2(Warps),
    localparam int CountBits = $clog2(Warps + 1),
    localparam int CtaPairs  = (Ctas + 1) / 2 < Warps / 2 ? (Ctas + 1) / 2 : Warps / 2,
    localparam int PairBits  = $clog2(CtaPairs + 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // a kernel is placed
    input  logic                       cfg_valid_i,
    input  logic [CountBits-1:0]       cfg_warps_i,
    input  logic [PairBits-1:0]        cfg_pairs_i,
    // warps start and end
    input  logic [Warps-1:0]           start_mask_i,
    input  logic [Warps-1:0]           exit_mask_i,
    // requests
    input  logic [NumReq-1:0]          acq_valid_i,
    input  logic [NumReq*WarpBits-1:0] acq_warp_i,
    // observation: warps, CTA pairs, configuration, parameters
    `OBS_PORT(input  logic [31:0]                obs_addr_i)
    `OBS_PORT(output logic [31:0]                obs_data_o)
    output logic [NumReq-1:0]          acq_grant_o,
    output logic [Warps-1:0]           may_o,
    output logic [Warps-1:0]           held_o,
    output logic [Warps-1:0]           owner_o
);

    localparam int Slots    = 2 * CtaPairs;
    localparam int SlotBits = $clog2(Slots + 1);

    logic [Warps-1:0]     live_q, live_d, held_q, held_d;
    logic [CtaPairs-1:0]  owned_q, owned_d, side_q, side_d;
    logic [CountBits-1:0] warps_q;
    logic [PairBits-1:0]  pairs_q;

    // ---- The warps of each slot that is paired: from c * warps_q on, which is a comparison of warps_q with w / c
    logic [Warps-1:0]       upto;  // warps_q is at most w
    logic [Slots*Warps-1:0] in_slot;
    for (genvar w = 0; w < Warps; w = w + 1) begin : g_upto
        assign upto[w] = warps_q <= CountBits'(w);
    end
    for (genvar c = 0; c < Slots; c = c + 1) begin : g_slot
        logic paired;
        assign paired = SlotBits'(c) < {pairs_q, 1'b0};
        for (genvar w = 0; w < Warps; w = w + 1) begin : g_warp
            assign in_slot[c*Warps + w] = paired && (c == 0 || upto[w / (c > 0 ? c : 1)]) && !upto[w / (c + 1)];
        end
    end
    logic [Warps-1:0] side0, side1, ours, theirs;  // of the owner CTAs, of their partners
    always @* begin
        side0 = '0; side1 = '0; ours = '0; theirs = '0;
        for (int k = 0; k < CtaPairs; k = k + 1) begin
            side0 = side0 | in_slot[2*k*Warps +: Warps];
            side1 = side1 | in_slot[(2*k + 1)*Warps +: Warps];
            if (owned_q[k]) begin
                ours   = ours | (side_q[k] ? in_slot[(2*k + 1)*Warps +: Warps] : in_slot[2*k*Warps +: Warps]);
                theirs = theirs | (side_q[k] ? in_slot[2*k*Warps +: Warps] : in_slot[(2*k + 1)*Warps +: Warps]);
            end
        end
    end

    // ---- Who may, from state alone
    logic [Warps-1:0] partner_live;
    assign partner_live = (side0 & (live_q >> warps_q)) | (side1 & (live_q << warps_q));
    assign may_o   = live_q & (held_q | ~theirs | (~partner_live));
    assign held_o  = held_q;
    assign owner_o = live_q & ours;

    // ---- Acquires: in a pair without owner the lowest port's CTA becomes it
    logic [NumReq*Warps-1:0] take;
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_acq
        logic [Warps-1:0]    warp;
        logic [CtaPairs-1:0] asks0, asks1, has, its, beaten;  // by side; owners before this port
        logic [CtaPairs-1:0] new_owned, new_side;                // and after it
        logic                able;
        assign warp = acq_valid_i[r] && !cfg_valid_i ? Warps'(1) << acq_warp_i[r*WarpBits +: WarpBits] : '0;
        if (r == 0) begin : g_first
            assign has = owned_q;
            assign its = side_q;
        end else begin : g_next
            assign has = g_acq[r-1].new_owned;
            assign its = g_acq[r-1].new_side;
        end
        for (genvar k = 0; k < CtaPairs; k = k + 1) begin : g_pair
            assign asks0[k] = (warp & in_slot[2*k*Warps +: Warps]) != '0;
            assign asks1[k] = (warp & in_slot[(2*k + 1)*Warps +: Warps]) != '0;
        end
        // refused because of an earlier port: the pair had no owner, and has one on the other side
        assign beaten = has & ~owned_q & ((asks0 & its) | (asks1 & ~its));
        assign able   = beaten == '0 || (warp & partner_live) == '0;
        assign acq_grant_o[r] = (warp & may_o) != '0 && able;
        assign take[r*Warps +: Warps] = acq_grant_o[r] ? warp & (side0 | side1) : '0;
        assign new_owned = has | asks0 | asks1;
        assign new_side  = (has & its) | (~has & asks1);
    end

    // ---- Next state
    always @* begin
        held_d = held_q;
        for (int r = 0; r < NumReq; r = r + 1) held_d = held_d | take[r*Warps +: Warps];
        held_d = held_d & ~exit_mask_i;
        live_d = (live_q & ~exit_mask_i) | start_mask_i;
    end
    for (genvar k = 0; k < CtaPairs; k = k + 1) begin : g_owner
        logic some, side, left0, left1, stays, passes;  // owner before warps drain and start; live CTAs
        assign some   = g_acq[NumReq-1].new_owned[k];
        assign side   = g_acq[NumReq-1].new_side[k];
        assign left0  = (live_d & in_slot[2*k*Warps +: Warps]) != '0;
        assign left1  = (live_d & in_slot[(2*k + 1)*Warps +: Warps]) != '0;
        assign stays  = (side ? left1 : left0);
        assign passes = side ? left0 : left1;
        assign owned_d[k] = some && (stays || passes);
        assign side_d[k]  = some && (stays ? side : passes && !side);
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni || cfg_valid_i) begin
            live_q  <= '0;
            held_q  <= '0;
            owned_q <= '0;
            side_q  <= '0;
            warps_q <= rst_ni ? cfg_warps_i : CountBits'(1);
            pairs_q <= rst_ni ? cfg_pairs_i : '0;
        end else begin
            live_q  <= live_d;
            held_q  <= held_d;
            owned_q <= owned_d;
            side_q  <= side_d;
        end
    end

    `CHECK_RANGE(owf_locks, Warps, 2, 64)
    `CHECK_RANGE(owf_locks, Ctas, 1, 32)
    `CHECK_RANGE(owf_locks, NumReq, 1, 4)
    `include "regmutex/owf_locks.obs.svh"
endmodule
