// SPDX-License-Identifier: Apache-2.0
// Purpose:    decides which request each bank serves. Writes win over reads on their bank. Of
//             several writers exactly one is served, and the one served in a conflict comes last in
//             the next conflict on that bank. Of several readers the oldest is served.
// Parameters: Banks, 1..32; NumColl, 1..32: readers; NumWr, 1..4: writers.
// Timing:     all outputs in the cycle of the request, from the requests and the priority state.
//             Bit o of older_i[c] says that reader o is older than c; among readers with rd_valid_i
//             it is a strict total order. bank_coll_o is defined where bank_en_o and not bank_we_o,
//             bank_wr_o where bank_we_o.
// Reset:      writer 0 comes first on every bank.
// Left out:   fairness among readers (age order makes none wait for ever).
// Shapes:     - ; Banks=1,NumColl=1,NumWr=1 ; Banks=3,NumColl=5,NumWr=4
// Proof:      2:5:Banks=2,NumColl=3,NumWr=2
// Proof:      2:5:Banks=3,NumColl=4,NumWr=3

module rf_arbiter #(
    parameter int Banks   = 4,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
    localparam int BankBits = Banks > 1 ? $clog2(Banks) : 1,
    localparam int CollBits = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int WrBits   = NumWr > 1 ? $clog2(NumWr) : 1
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // readers
    input  logic [NumColl-1:0]          rd_valid_i,
    input  logic [NumColl*BankBits-1:0] rd_bank_i,
    input  logic [NumColl*NumColl-1:0]  older_i,
    output logic [NumColl-1:0]          rd_grant_o,
    // writers
    input  logic [NumWr-1:0]            wr_valid_i,
    input  logic [NumWr*BankBits-1:0]   wr_bank_i,
    output logic [NumWr-1:0]            wr_ready_o,
`ifdef RF_OBS
    // observation: the writer that comes first in the next conflict on bank obs_bank_i
    input  logic [BankBits-1:0]         obs_bank_i,
    output logic [WrBits-1:0]           obs_first_o,
`endif
    // what each bank does
    output logic [Banks-1:0]            bank_en_o,
    output logic [Banks-1:0]            bank_we_o,
    output logic [Banks*CollBits-1:0]   bank_coll_o,
    output logic [Banks*WrBits-1:0]     bank_wr_o
);

    // A bank number may name more banks than there are; requests to those are never served.
    localparam int Named  = 1 << BankBits;
    localparam int ReqIdx = $clog2(Named * NumColl);

    // Writers: one-hot winner of each bank.
    logic [Named-1:0]        has_wr;
    logic [Banks*NumWr-1:0]  wr_win;
    logic [Banks*WrBits-1:0] first_q, first_d;

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_wr
        logic [NumWr-1:0]  req, turn, win;
        logic [WrBits-1:0] first, idx;
        assign first = first_q[b*WrBits +: WrBits];
        for (genvar w = 0; w < NumWr; w = w + 1) begin : g_req
            assign req[w] = wr_valid_i[w] && wr_bank_i[w*BankBits +: BankBits] == BankBits'(b);
        end
        // From `first` on the lowest, or else the lowest of all.
        assign turn = req & ({NumWr{1'b1}} << first);
        assign win  = turn != '0 ? turn & (~turn + NumWr'(1)) : req & (~req + NumWr'(1));
        if (NumWr == 1) begin : g_one
            assign idx = '0;
        end else begin : g_idx
            always @* begin
                idx = '0;
                for (int w = 0; w < NumWr; w = w + 1)
                    if (win[w]) idx = idx | WrBits'(w);
            end
        end
        always @* begin
            first_d[b*WrBits +: WrBits] = first;
            if (req != win)  // a conflict: behind the one served
                first_d[b*WrBits +: WrBits] = idx == WrBits'(NumWr - 1) ? '0 : idx + WrBits'(1);
        end
        assign has_wr[b]                     = req != '0;
        assign wr_win[b*NumWr +: NumWr]      = win;
        assign bank_wr_o[b*WrBits +: WrBits] = idx;
    end
    if (Named > Banks) begin : g_no_bank
        assign has_wr[Named-1:Banks] = '1;
    end
    assign bank_we_o = has_wr[Banks-1:0];

    always @* begin
        wr_ready_o = '0;
        for (int b = 0; b < Banks; b = b + 1) wr_ready_o = wr_ready_o | wr_win[b*NumWr +: NumWr];
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) first_q <= '0;
        else         first_q <= first_d;
    end

    // Readers. plane[k]: bit k of every reader's bank number; from the planes the readers of each
    // bank.
    logic [BankBits*NumColl-1:0] plane;
    logic [Named*NumColl-1:0]    req;
    for (genvar k = 0; k < BankBits; k = k + 1) begin : g_plane
        for (genvar c = 0; c < NumColl; c = c + 1) begin : g_coll
            assign plane[k*NumColl + c] = rd_bank_i[c*BankBits + k];
        end
    end
    always @* begin
        for (int b = 0; b < Named; b = b + 1) begin
            req[b*NumColl +: NumColl] = rd_valid_i;
            for (int k = 0; k < BankBits; k = k + 1)
                req[b*NumColl +: NumColl] = req[b*NumColl +: NumColl] &
                    (((b >> k) & 1) != 0 ?
                        plane[k*NumColl +: NumColl] : ~plane[k*NumColl +: NumColl]);
        end
    end

    // A reader is served when its bank is free and none of the others that ask for it is older.
    logic [NumColl-1:0] grant;
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_grant
        logic [BankBits-1:0] bank;
        logic [NumColl-1:0]  elder;
        assign bank     = rd_bank_i[c*BankBits +: BankBits];
        assign elder    = older_i[c*NumColl +: NumColl];
        assign grant[c] = rd_valid_i[c] && (!has_wr[bank]) &&
            (req[ReqIdx'(bank)*ReqIdx'(NumColl) +: NumColl] &
             elder) == '0;
    end
    assign rd_grant_o = grant;

    // An index is read off a one-hot vector by one OR per bit, over the readers whose index has
    // that bit.
    function automatic [NumColl-1:0] colls_with_bit(input integer k);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) colls_with_bit[c] = ((c >> k) & 1) != 0;
    endfunction
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_rd
        logic [NumColl-1:0] win;
        assign win          = grant & req[b*NumColl +: NumColl];
        assign bank_en_o[b] = has_wr[b] || win != '0;
        for (genvar k = 0; k < CollBits; k = k + 1) begin : g_bit
            localparam logic [NumColl-1:0] With = colls_with_bit(k);
            assign bank_coll_o[b*CollBits + k] = (win & With) != '0;
        end
    end

`ifdef RF_OBS
    always @* begin
        obs_first_o = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (obs_bank_i == BankBits'(b)) obs_first_o = first_q[b*WrBits +: WrBits];
    end
`endif

`ifdef SIM
    initial begin
        if (Banks < 1 || Banks > 32) $fatal(1, "rf_arbiter: Banks = %0d, legal is 1..32", Banks);
        if (NumColl < 1 || NumColl > 32)
            $fatal(1, "rf_arbiter: NumColl = %0d, legal is 1..32", NumColl);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "rf_arbiter: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
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
        // f_w was served in a conflict with f_v, which came away with nothing
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
            // who is served has asked, for a bank that there is
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
            // the bank is told whom it serves
            if (bank_we_o[f_b]) begin
                assert (wr_ready_o[WrBits'(bank_wr_o >> f_b * WrBits)]);
                if (f_w == WrBits'(bank_wr_o >> f_b * WrBits)) assert (f_w_asks);
            end else if (bank_en_o[f_b]) begin
                assert (rd_grant_o[CollBits'(bank_coll_o >> f_b * CollBits)]);
                if (f_c == CollBits'(bank_coll_o >> f_b * CollBits)) assert (f_c_asks);
            end
            // the loser of a conflict wins the next one against the same writer
            if (f_beaten && f_conflict) assert (!wr_ready_o[f_w]);
            // no writer waits for ever
            assert (obs_first_o < NumWr);
            assert (f_lost <= NumWr - 1);
            // invariant: what is left of the turns before f_w
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
`endif
endmodule
