// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_find, proved by ci/formal, which includes it at the end of the module.
    // Contract: an accepted request appears in the next cycle. The windows that count are in
    // different banks, the middle one among them. The wanted base there is the request's base but
    // for its place.
    logic             f_past, f_lk, f_kill;
    logic [Lanes-1:0] f_mask;
    logic [AddrBits-1:0] f_base;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_lk   <= rst_ni && lk_go_i;
        f_kill <= rst_ni && step_go_i && !flush_i;
        f_mask <= lk_mask_i;
        f_base <= lk_go_i ? lk_base_i : step_low_i;
    end
    always_comb begin
        assume (!(lk_go_i && step_go_i) && (step_class_i & (step_class_i - 1'b1)) == '0);
        if (f_past) begin
            assert (lk_o == f_lk && kill_o == f_kill);
            if (lk_o || kill_o) assert (mask_o == f_mask && base_o == f_base);
            if (lk_o && fits_o) assert (last_o >= base_o && code_o <= Most);
            assert ((mid_o & above_o) == '0 && (mid_o & on_o) == mid_o && (mid_o & (mid_o - 1'b1)) == '0);
            if (!pow2_o) assert (on_o == mid_o && place_mask_o == '0);
            for (int b = 0; b < 3; b = b + 1)
                if (mid_o[b]) assert (rows_o[b*RowW +: RowW] == row_o && want_o[b*AddrBits +: AddrBits] == base_o);
                else if (above_o[b] && mid_o != '0)
                    assert (want_o[b*AddrBits +: AddrBits] == base_o + (AddrBits'(code_o) << LaneBits + 2));
        end
        cover (f_past && lk_o && fits_o && on_o == '1);
        cover (f_past && kill_o);
    end
