// SPDX-License-Identifier: Apache-2.0
// The contract of locality_checker, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any warp: it is preferred when a question of it was answered so since it was forgotten last, and
    // not otherwise.
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    logic       f_past, f_pref;
    logic [2:0] f_left;                             // a question of it left 1, 2, 3 cycles ago and counts
    initial f_past = 1'b0;
    always @* begin
        assume (32'(f_warp) < Warps);
        if (!f_past) assume (!rst_ni);
        assume (!as_valid_i || 32'(as_warp_i) < Warps);
        assume (an_valid_i == left_q[Left-1]);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) begin
            f_pref <= 1'b0;
            f_left <= '0;
        end else begin
            f_pref <= !forget_mask_i[f_warp] && (f_pref || (f_left[2] && an_valid_i && an_serves_i));
            f_left <= forget_mask_i[f_warp] ? '0
                    : {f_left[1:0], qu_valid_o && qu_ready_i && entry_q[WarpBits-1:0] == f_warp};
        end
    end
    always @* if (f_past) begin
        assert (pf_mask_o[f_warp] == f_pref);
        assert (32'(count_q) <= Questions);
        for (int a = 0; a < Left; a = a + 1)
            assert (f_left[a] == (left_q[a] && !left_void_q[a] && left_warp_q[a*WarpBits +: WarpBits] == f_warp));
        if (qu_valid_o) assert (waits && !void_q[0]);
        cover (f_pref && waits && void_q[0]);
        cover (f_left[2] && an_serves_i);
    end
