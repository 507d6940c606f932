// SPDX-License-Identifier: Apache-2.0
// The contract of bypass_collector, proved by ci/formal, which includes it at the end of the module.
    // Contract of the logic outside the BOCs (which may do anything here), for any BOCs f_c and
    // f_e.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_e;
    logic [NumColl-1:0] f_at_c, f_at_e;
    logic               f_past;
    initial f_past = 1'b0;
    always_comb begin
        assume (f_c < NumColl && f_e < NumColl && f_c != f_e);
        f_at_c = NumColl'(1) << f_c;
        f_at_e = NumColl'(1) << f_e;
        for (int a = 0; a < NumAlloc; a = a + 1)
            assume (alloc_coll_i[a*CollBits +: CollBits] < NumColl && kill_coll_i[a*CollBits +: CollBits] < NumColl);
        for (int p = 0; p < NumWr; p = p + 1) assume (res_coll_i[p*CollBits +: CollBits] < NumColl);
        for (int b = 0; b < Banks; b = b + 1) assume (rd_data_coll_i[b*CollBits +: CollBits] < NumColl);
        for (int c = 0; c < NumColl; c = c + 1) assume (unit[c*UnitBits +: UnitBits] < NumDisp);
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    // Round-robin: no unit serves f_e twice while f_c offers it an instruction.
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_f_disp
        logic              passed;
        logic [CollBits-1:0] at;
        logic [NumColl-1:0] mine, left;
        assign at   = disp_q[d*CollBits +: CollBits];
        assign mine = offers[d*NumColl +: NumColl];
        assign left = disp_one[d*NumColl +: NumColl];
        always_ff @(posedge clk_i)
            passed <= f_past && rst_ni && (mine & f_at_c) != '0 && (left & f_at_c) == '0 &&
                      (passed || (left & f_at_e) != '0);
        always_comb if (f_past) begin
            assert (disp_valid_o[d] == (mine != '0) && (left & ~mine) == '0 && (left & (left - 1'b1)) == '0);
            assert (disp_q[d*CollBits +: CollBits] < NumColl);
            if (passed && f_e < f_c) assert (f_e < at && at <= f_c);
            if (passed && f_e > f_c) assert (f_e < at || at <= f_c);
            if (passed && (mine & f_at_c) != '0) assert ((left & f_at_e) == '0);
        end
    end
    // Write ports: a write is a result or a save of one of the port's BOCs; a result and a save take turns.
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_f_wr
        logic lost;                                  // the result lost a conflict whose save was done
        logic [NumColl-1:0] saved;
        assign saved = save_ones[p*NumColl +: NumColl];
        always_ff @(posedge clk_i)
            lost <= f_past && rst_ni && res_valid_i[p] && wr_save_o[p] && wr_ready_i[p] && g_wr[p].conflict;
        always_comb if (f_past) begin
            assert ((saved & ~save) == '0 && (saved & (saved - 1'b1)) == '0);
            assert ((saved != '0) == (wr_save_o[p] && wr_ready_i[p]) && (wr_save_o[p] <= wr_valid_o[p]));
            if (lost) assert (!turn_q[p]);
            if (res_ready_o[p]) assert (served[p]);
            for (int x = 0; x < NumWr; x = x + 1)
                if (x != p && served[p] && served[x])
                    assert (res_coll_i[p*CollBits +: CollBits] != res_coll_i[x*CollBits +: CollBits]);
        end
    end
    // Reads: a BOC that is first and is refused remains first.
    logic f_refused;
    always_ff @(posedge clk_i)
        f_refused <= f_past && rst_ni && first_q == f_c && (rd_valid_o & f_at_c) != '0 && (rd_grant_i & f_at_c) == '0;
    always_comb if (f_past) begin
        assert (first_q < NumColl);
        if (f_refused) assert (first_q == f_c);
        if (in_valid == '0) assert (alloc_valid_i == '0);
    end
    always_comb begin
        cover (f_past && wr_save_o != '0 && res_valid_i != '0 && turn_q != '0);
        cover (f_past && disp_valid_o != '0 && disp_coll_o[CollBits-1:0] == CollBits'(1));
        cover (f_past && f_refused);
    end
