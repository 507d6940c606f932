// SPDX-License-Identifier: Apache-2.0
// Purpose:    selects the request that each bank serves. Writes win over reads on their bank. Of
//             several writers exactly one is served, and the one served in a conflict is last in
//             the next conflict on that bank. Of several readers the oldest is served.
// Parameters: Banks, 1..32; NumColl, 1..32: readers; NumWr, 1..4: writers.
// Timing:     all outputs in the cycle of the request, from the requests and the priority state.
//             Bit o of older_i[c] says that reader o is older than c; among readers with rd_valid_i
//             it is a strict total order. Output bank_coll_o is defined where bank_en_o and not
//             bank_we_o, bank_wr_o where bank_we_o.
// Reset:      writer 0 is first on every bank.
// Left out:   fairness among readers (in age order none waits forever).
// Shapes:     - ; Banks=1,NumColl=1,NumWr=1 ; Banks=3,NumColl=5,NumWr=4
// Proof:      2:5:Banks=2,NumColl=3,NumWr=2
// Proof:      2:5:Banks=3,NumColl=4,NumWr=3

`include "macros.svh"

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
    // observation: the first writer in the next conflict on bank obs_bank_i
    `OBS_PORT(input  logic [BankBits-1:0]         obs_bank_i)
    `OBS_PORT(output logic [WrBits-1:0]           obs_first_o)
    // action of each bank
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

    // A reader is served if its bank is free and no older reader asks for it.
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

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_rd
        logic [NumColl-1:0] win;
        assign win          = grant & req[b*NumColl +: NumColl];
        assign bank_en_o[b] = has_wr[b] || win != '0;
        onehot_index #(.Width(NumColl)) u_coll (
            .one_i(win), .index_o(bank_coll_o[b*CollBits +: CollBits])
        );
    end

    `CHECK_RANGE(rf_arbiter, Banks, 1, 32)
    `CHECK_RANGE(rf_arbiter, NumColl, 1, 32)
    `CHECK_RANGE(rf_arbiter, NumWr, 1, 4)
    `include "rf/rf_arbiter.obs.svh"
endmodule
