// SPDX-License-Identifier: Apache-2.0
// The contract of owf_locks, proved by ci/formal, which includes it at the end of the module.
    // Forbidden: two partners that hold, a holder without an owner CTA, a warp of the owner that
    // must wait.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    logic [Warps-1:0] f_shared, f_slot_live, f_partner_held;
    assign f_shared       = side0 | side1;
    assign f_partner_held = (side0 & (held_q >> warps_q)) | (side1 & (held_q << warps_q));
    always @* begin
        f_slot_live = '0;
        for (int x = 0; x < Warps; x = x + 1)
            for (int y = 0; y < Warps; y = y + 1)
                if (live_q[y] && 32'(x) / 32'(warps_q) == 32'(y) / 32'(warps_q)) f_slot_live[x] = 1'b1;
    end
    always @* begin
        assume (cfg_warps_i != '0 && 32'(cfg_warps_i) <= Warps && 32'(cfg_pairs_i) <= CtaPairs);
        assume (2 * 32'(cfg_pairs_i) * 32'(cfg_warps_i) <= Warps);
        assume ((start_mask_i & f_slot_live) == '0);
        for (int r = 0; r < NumReq; r = r + 1)
            if (acq_valid_i[r]) begin
                assume (32'(acq_warp_i[r*WarpBits +: WarpBits]) < Warps);
                assume (live_q[acq_warp_i[r*WarpBits +: WarpBits]] && !exit_mask_i[acq_warp_i[r*WarpBits +: WarpBits]]);
            end
        if (!f_past) assume (!rst_ni);
    end
    always @*
        if (f_past) begin
            assert (warps_q != '0 && 32'(warps_q) <= Warps && 2 * 32'(pairs_q) * 32'(warps_q) <= Warps);
            assert (32'(pairs_q) <= CtaPairs);
            // a holder is live, shares registers, and its partner does not hold
            assert ((held_q & ~(live_q & f_shared)) == '0);
            assert ((held_q & f_partner_held) == '0);
            // a holder of the other CTA: its partner has drained
            assert ((held_q & theirs & partner_live) == '0);
            // locks are held only where there is an owner
            assert ((held_q & ~(ours | theirs)) == '0);
            // no owner: the side is 0; an owner CTA has a live warp
            for (int k = 0; k < CtaPairs; k = k + 1) begin
                assert (owned_q[k] || !side_q[k]);
                assert (!owned_q[k] || (live_q & in_slot[(2*k + 32'(side_q[k]))*Warps +: Warps]) != '0);
            end
            // progress: where there is an owner all its live warps may, elsewhere all live warps may
            assert ((live_q & ~theirs & ~may_o) == '0);
            assert ((live_q & ~held_q & theirs & ~partner_live & ~may_o) == '0);
            for (int r = 0; r < NumReq; r = r + 1) begin
                assert (!acq_grant_o[r] || (acq_valid_i[r] && !cfg_valid_i));
                // refused: another warp's lock, which is live
                if (acq_valid_i[r] && !cfg_valid_i && !acq_grant_o[r])
                    assert (partner_live[acq_warp_i[r*WarpBits +: WarpBits]] && !held_q[acq_warp_i[r*WarpBits +: WarpBits]]);
            end
            if (acq_valid_i[0] && !cfg_valid_i) assert (acq_grant_o[0] == may_o[acq_warp_i[0 +: WarpBits]]);
        end
    always_ff @(posedge clk_i)
        if (f_past && $past(f_past) && $past(rst_ni) && !$past(cfg_valid_i)) begin
            // only its drain ends the hold of a warp; a granted warp holds
            assert (($past(held_q) & ~$past(exit_mask_i) & ~held_q) == '0);
            for (int r = 0; r < NumReq; r = r + 1)
                if ($past(acq_grant_o[r]) && $past(f_shared[acq_warp_i[r*WarpBits +: WarpBits]]))
                    assert (held_q[$past(acq_warp_i[r*WarpBits +: WarpBits])]);
        end
    always_ff @(posedge clk_i)
        if (rst_ni && f_past) begin
            cover ((held_q & ours) != '0 && (held_q & theirs) != '0);
            cover (acq_valid_i == '1 && acq_grant_o == NumReq'(NumReq == 1 ? 0 : 1) && (NumReq == 1 || owned_q == '0) && !cfg_valid_i);
            cover (owned_q[0] && side_q[0] && (live_q & in_slot[0 +: Warps]) != '0 && (live_q & held_q) != '0 &&
                   (exit_mask_i & live_q & in_slot[Warps +: Warps]) != '0);
            cover ($past(rst_ni) && owned_q[0] && $past(owned_q[0]) && side_q[0] != $past(side_q[0]));
        end
