// SPDX-License-Identifier: Apache-2.0
// The contract of pmode_rename, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any warp f_w and register f_r: both tables hold the mapping set last, and
    // lookups show it by the mode. Contract, for any id f_id and any contents of the tables. While
    // an id has one owner at a time, each id that a table owns is freed exactly once, and no other
    // is.
    (* anyconst *) logic [WarpBits-1:0] f_w;
    (* anyconst *) logic [RegBits-1:0]  f_r;
    (* anyconst *) logic [PhyBits-1:0]  f_id;
    logic               f_past, f_n, f_p, f_own, f_close_p, f_close_n, f_owned;
    logic [PhyBits-1:0] f_n_phy, f_p_phy;
    initial f_past = 1'b0;

    // Sets of (f_w, f_r), at the ports; gifts of f_id to a table, and frees. One word of a port is f_r.
    logic [Words-1:0] f_set, f_gift;
    logic [Words:0]   f_free;
    for (genvar i = 0; i < NumIssue; i = i + 1) begin : g_f_port
        logic f_here, f_before, f_pmode, f_takes;
        assign f_here  = lk_warp_i[i*WarpBits +: WarpBits] == f_w;
        assign f_pmode = lk_pmode_i[i];
        if (i == 0) begin : g_none
            assign f_before = 1'b0;
        end else begin : g_some
            assign f_before = g_f_port[i-1].f_before || (set_valid_i[i-1] &&
                              lk_warp_i[(i-1)*WarpBits +: WarpBits] == f_w);
        end
        assign f_takes  = f_pmode ? !f_close_p : !f_close_n;
        always_comb assume (lk_warp_i[i*WarpBits +: WarpBits] < NumWarps);
        for (genvar k = 0; k < 2; k = k + 1) begin : g_word
            localparam int C = 2 * i + k;
            logic [RegBits:0] f_reg;        // of the word; NumRegs and above: none
            logic             f_there;
            assign f_reg   = {1'b0, lk_dst_i[i*RegBits +: RegBits]} + (RegBits+1)'(k);
            assign f_there = f_reg < NumRegs && (k == 0 || (lk_pair_i[i] && f_reg[0]));
            assign f_set[C] = set_valid_i[i] && f_here && !f_before && f_there && f_reg == f_r && f_takes;
            assign f_gift[C] = (set_p[C] || set_n[C]) && !set_kill_i[i] &&
                (set_n[C] || set_own_i[i]) && set_phy_i[C*PhyBits +: PhyBits] == f_id;
            always_comb begin
                // environment: an id has one owner at a time
                if (f_gift[C]) assume (!f_owned);
                if (f_past) begin
                    if (f_here && f_there && f_reg == f_r) begin
                        assert ((set_p[C] || set_n[C]) == f_set[C]);
                        assert (dst_renamed_o[C] == ((f_pmode && f_p && !f_close_p) ||
                                                     (f_n && !f_close_n)));
                        if (dst_renamed_o[C])
                            assert (dst_phy_o[C*PhyBits +: PhyBits] ==
                                (f_pmode && f_p && !f_close_p ? f_p_phy : f_n_phy));
                    end
                    if (!f_there) assert (!dst_renamed_o[C] && !set_p[C] && !set_n[C]);
                    if (f_set[C]) begin
                        assert (free_valid_o[C] == (f_pmode ? f_p && f_own : f_n));
                        if (free_valid_o[C])
                            assert (free_phy_o[C*PhyBits +: PhyBits] == (f_pmode ? f_p_phy : f_n_phy));
                    end
                    if (!set_valid_i[i]) assert (!free_valid_o[C]);
                end
            end
        end
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_src
            logic [RegBits-1:0] f_src;
            assign f_src = lk_src_i[(i*NumOps + o)*RegBits +: RegBits];
            always_comb if (f_past && f_here) begin
                if (f_src >= NumRegs) assert (!src_renamed_o[i*NumOps + o]);
                else if (f_src == f_r) begin
                    assert (src_renamed_o[i*NumOps + o] == ((f_pmode && f_p && !f_close_p) ||
                                                            (f_n && !f_close_n)));
                    if (src_renamed_o[i*NumOps + o])
                        assert (src_phy_o[(i*NumOps + o)*PhyBits +: PhyBits] ==
                            (f_pmode && f_p && !f_close_p ? f_p_phy : f_n_phy));
                end
            end
        end
    end
    for (genvar i = 0; i <= Words; i = i + 1) begin : g_f_free
        assign f_free[i] = free_valid_o[i] && free_phy_o[i*PhyBits +: PhyBits] == f_id;
    end

    // Taking down f_w: (f_w, f_r) is released when it is the lowest of its table.
    logic f_down, f_down_p, f_down_n;
    assign f_down   = down && down_warp == f_w;
    assign f_down_p = f_down && f_close_p && down_reg == f_r && down_ren != '0;
    assign f_down_n = f_down && !f_close_p && down_reg == f_r && down_ren != '0;
    logic f_end, f_set_n, f_set_p, f_in_kill, f_in_own;
    logic [PhyBits-1:0] f_in_phy;
    assign f_end = end_valid_i && end_warp_i == f_w;
    always_comb begin
        f_set_n   = 1'b0;
        f_set_p   = 1'b0;
        f_in_kill = 1'b0;
        f_in_own  = 1'b0;
        f_in_phy  = '0;
        for (int c = 0; c < Words; c = c + 1)
            if (f_set[c]) begin
                f_set_n   = !lk_pmode_i[c/2];
                f_set_p   = lk_pmode_i[c/2];
                f_in_kill = set_kill_i[c/2];
                f_in_own  = set_own_i[c/2];
                f_in_phy  = set_phy_i[c*PhyBits +: PhyBits];
            end
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_n       <= 1'b0;
            f_p       <= 1'b0;
            f_close_p <= 1'b0;
            f_close_n <= 1'b0;
            f_owned   <= 1'b0;
        end else begin
            f_owned <= (f_owned && f_free == '0) || f_gift != '0;
            if (f_set_n) begin
                f_n     <= !f_in_kill;
                f_n_phy <= f_in_phy;
            end else if (f_down_n) f_n <= 1'b0;
            if (f_set_p) begin
                f_p     <= !f_in_kill && (f_in_own || !f_end);
                f_own   <= f_in_own;
                f_p_phy <= f_in_phy;
            end else if (f_down_p || (f_end && !f_own)) f_p <= 1'b0;
            // a table is being taken down from the end on until it is empty
            f_close_p <= f_end || (f_close_p && !(f_down && down_last));
            f_close_n <= (f_end && end_all_i) ||
                         (f_close_n && !(f_down && !f_close_p && down_last));
        end
    end

    // How often the tables own f_id: one bit per warp, table and register.
    localparam int FEntries = NumWarps * NumRegs;
    logic [FEntries-1:0] f_in_n, f_in_p;
    for (genvar w = 0; w < NumWarps; w = w + 1) begin : g_f_warp
        for (genvar r = 0; r < NumRegs; r = r + 1) begin : g_reg
            assign f_in_n[w*NumRegs + r] =
                n_ren_q[w][r] && n_phy_q[w][r*PhyBits +: PhyBits] == f_id;
            assign f_in_p[w*NumRegs + r] =
                p_ren_q[w][r] && own_q[w][r] && p_phy_q[w][r*PhyBits +: PhyBits] == f_id;
        end
        always_comb if (f_past && close_p_q[w]) assert ((p_ren_q[w] & ~own_q[w]) == '0);
    end
    logic [2*FEntries-1:0] f_in;
    assign f_in = {f_in_n, f_in_p};
    logic [NumRegs-1:0] f_n_row, f_p_row, f_own_row;
    assign f_n_row   = n_ren_q[f_w];
    assign f_p_row   = p_ren_q[f_w];
    assign f_own_row = own_q[f_w];
    always_comb begin
        assume (f_w < NumWarps && f_r < NumRegs && f_id < NumPhy);
        if (end_valid_i) assume (end_warp_i < NumWarps);
        assume ((f_gift & (f_gift - 1'b1)) == '0);
        if (f_past) begin
            // conservation: owned by one mapping, or by none; freed only then, and once
            assert ((f_in & (f_in - 1'b1)) == '0);
            assert (f_owned == (f_in != '0));
            if (f_free != '0) assert (f_owned);
            assert ((f_free & (f_free - 1'b1)) == '0);
            // taking down continues in every cycle, lowest warp first, and leaves an empty table
            assert (busy_o[f_w] == (f_close_p || f_close_n));
            if (busy_o[f_w])
                assert (f_down || (busy_o & ((NumWarps'(1) << f_w) - NumWarps'(1))) != '0);
            if (f_down && f_close_p) assert (free_valid_o[Words] == (f_p_row != '0));
            if (f_down && !f_close_p) assert (free_valid_o[Words] == (f_n_row != '0));
            if (f_down_p) assert (f_p && f_own);
            if (f_down_n) assert (f_n);
            // invariants
            assert (f_close_p == close_p_q[f_w] && f_close_n == close_n_q[f_w]);
            assert (f_n == f_n_row[f_r] && f_p == f_p_row[f_r]);
            if (f_p) assert (f_own == f_own_row[f_r]);
            if (f_n) assert (f_n_phy == PhyBits'(n_phy_q[f_w] >> f_r * PhyBits));
            if (f_p) assert (f_p_phy == PhyBits'(p_phy_q[f_w] >> f_r * PhyBits));
        end
        cover (f_past && f_owned && f_free != '0 && f_down_n);
        cover (f_past && f_owned && f_free != '0 && f_down_p && f_gift == '0);
        cover (f_past && f_set_p && f_p && !f_own && f_n);
        cover (f_past && f_set_n && !f_in_kill && f_n && f_close_p);
        cover (f_past && free_valid_o[1:0] == 2'd3);
    end
