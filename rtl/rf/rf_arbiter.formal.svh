// SPDX-License-Identifier: Apache-2.0
// The contract of rf_arbiter, proved by ci/formal, which includes it at the end of the module.
    // Any two readers c and d, any two writers w and v, any bank b.
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_d;
    (* anyconst *) logic [WrBits-1:0]   f_w;
    (* anyconst *) logic [WrBits-1:0]   f_v;
    (* anyconst *) logic [BankBits-1:0] f_b;
    logic [BankBits-1:0] f_c_bank, f_d_bank, f_w_bank, f_v_bank;
    logic                f_c_asks, f_d_asks, f_w_asks, f_v_asks, f_conflict;
    logic [NumColl-1:0]  f_c_older, f_d_older;
    logic [WrBits:0]     f_lost;   // times in a row that f_w asked bank f_b and was not served
    logic                f_past, f_beaten;
    initial f_past = 1'b0;
    assign f_c_bank   = BankBits'(rd_bank_i >> f_c * BankBits);
    assign f_d_bank   = BankBits'(rd_bank_i >> f_d * BankBits);
    assign f_w_bank   = BankBits'(wr_bank_i >> f_w * BankBits);
    assign f_v_bank   = BankBits'(wr_bank_i >> f_v * BankBits);
    assign f_c_older  = NumColl'(older_i >> f_c * NumColl);
    assign f_d_older  = NumColl'(older_i >> f_d * NumColl);
    assign f_c_asks   = rd_valid_i[f_c] && f_c_bank == f_b;
    assign f_d_asks   = rd_valid_i[f_d] && f_d_bank == f_b;
    assign f_w_asks   = wr_valid_i[f_w] && f_w_bank == f_b;
    assign f_v_asks   = wr_valid_i[f_v] && f_v_bank == f_b;
    assign f_conflict = f_w_asks && f_v_asks && f_w != f_v;

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni || !f_w_asks || wr_ready_o[f_w]) f_lost <= '0;
        else                                         f_lost <= f_lost + 1'b1;
        // f_w was served in a conflict with f_v, which was refused
        if (!rst_ni) f_beaten <= 1'b0;
        else if (f_conflict && wr_ready_o[f_w]) f_beaten <= 1'b1;
        else if (f_w_asks || f_v_asks) f_beaten <= 1'b0;
    end

    // Environment: among readers that ask, older_i is a strict total order.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_assume
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb if (rd_valid_i[c] && rd_valid_i[d])
                assume ((older_i[c*NumColl + d] != older_i[d*NumColl + c]) || (c == d &&
                    !older_i[c*NumColl + c]));
            for (genvar e = 0; e < NumColl; e = e + 1) begin : g_third
                always_comb if (rd_valid_i[c] && rd_valid_i[d] && rd_valid_i[e] &&
                                older_i[c*NumColl + d] && older_i[d*NumColl + e])
                    assume (older_i[c*NumColl + e]);
            end
        end
    end

    always_comb begin
        assume (f_c < NumColl && f_d < NumColl && f_w < NumWr && f_v < NumWr && f_b < Banks);
        assume (obs_bank_i == f_b);
        if (f_past) begin
            // a served port has asked, for a bank that exists
            if (rd_grant_o[f_c]) assert (rd_valid_i[f_c] && f_c_bank < Banks);
            if (wr_ready_o[f_w]) assert (wr_valid_i[f_w] && f_w_bank < Banks);
            // one request per bank and cycle
            if (rd_grant_o[f_c] && rd_grant_o[f_d] && f_c != f_d) assert (f_c_bank != f_d_bank);
            if (wr_ready_o[f_w] && wr_ready_o[f_v] && f_w != f_v) assert (f_w_bank != f_v_bank);
            // writes win: a write asks, so a write is served and no read
            if (f_w_asks) assert (bank_we_o[f_b] && bank_en_o[f_b]);
            if (f_w_asks && f_c_asks) assert (!rd_grant_o[f_c]);
            // none is idle while asked: no request is lost
            if (f_c_asks) assert (bank_en_o[f_b]);
            if (f_w_asks && !f_conflict && NumWr <= 2 && f_w != f_v) assert (wr_ready_o[f_w]);
            // the oldest reader is served
            if (f_c_asks && f_d_asks && f_c != f_d && rd_grant_o[f_c]) assert (f_d_older[f_c]);
            // the bank gets the number of the request that it serves
            if (bank_we_o[f_b]) begin
                assert (wr_ready_o[WrBits'(bank_wr_o >> f_b * WrBits)]);
                if (f_w == WrBits'(bank_wr_o >> f_b * WrBits)) assert (f_w_asks);
            end else if (bank_en_o[f_b]) begin
                assert (rd_grant_o[CollBits'(bank_coll_o >> f_b * CollBits)]);
                if (f_c == CollBits'(bank_coll_o >> f_b * CollBits)) assert (f_c_asks);
            end
            // the loser of a conflict wins the next one against the same writer
            if (f_beaten && f_conflict) assert (!wr_ready_o[f_w]);
            // no writer waits forever
            assert (obs_first_o < NumWr);
            assert (f_lost <= NumWr - 1);
            // invariant: turns that remain before f_w
            assert (f_lost + (f_w >= obs_first_o ?
                f_w - obs_first_o : f_w + NumWr - obs_first_o) <= NumWr - 1);
            if (f_beaten)
                assert ((f_w >= obs_first_o ? f_w - obs_first_o : f_w + NumWr - obs_first_o) >
                                  (f_v >= obs_first_o ?
                                      f_v - obs_first_o : f_v + NumWr - obs_first_o));
        end
        cover (f_past && f_c_asks && f_d_asks && f_c != f_d && rd_grant_o[f_d] && f_d > f_c);
        cover (f_past && f_beaten && f_conflict && wr_ready_o[f_v]);
        cover (f_past && f_c_asks && f_w_asks && wr_ready_o[f_w]);
    end
