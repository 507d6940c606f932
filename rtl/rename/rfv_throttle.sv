// SPDX-License-Identifier: Apache-2.0
// Purpose:    grants warp registers to CTAs when more CTAs run than the register file has rows for.
//             Some CTA can always take all rows that it may need. Contract:
//             models/rename/rfv_throttle.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Ctas, 1..32; NumReq, 1..4: takes per cycle;
//             NumFree, 1..8: rows freed per cycle.
// Timing:     room_o, rows_free_o and rows_least_o depend on state alone; take_grant_o answers the
//             takes of the same cycle. All state changes at the clock edge. Balances are compared
//             with one another in parallel, once. A port decides for every set of earlier ports
//             that may have been granted, so that only choices follow a grant. The path takes 1.70
//             ns at 45 nm in the default shape: more than the SM clock's 1.43 ns. It is free rows
//             less a balance, the decision of port 0, that of port 1, a balance. The contract gives
//             it one cycle, because the instruction issues in the cycle of its take.
// Reset:      no CTA is resident, all rows are free, a CTA needs none.
// Left out:   which rows are taken.
// Shapes:     - ; Banks=1,Entries=2,Ctas=1,NumReq=1,NumFree=1 ; Banks=3,Entries=16,Ctas=3,NumReq=3,NumFree=1
// Proof:      1:10:Banks=1,Entries=3,Ctas=2,NumReq=2,NumFree=1
// Proof:      1:10:Banks=1,Entries=3,Ctas=3,NumReq=1,NumFree=1

`include "macros.svh"

module rfv_throttle #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int Ctas    = 8,
    parameter int NumReq  = 2,
    parameter int NumFree = 4,
    localparam int CtaBits = Ctas > 1 ? $clog2(Ctas) : 1,
    localparam int RowBits = $clog2(Banks * Entries + 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // a kernel is placed
    input  logic                       cfg_valid_i,
    input  logic [RowBits-1:0]         cfg_rows_i,
    // CTAs start and end
    input  logic                       start_valid_i,
    input  logic [CtaBits-1:0]         start_cta_i,
    input  logic [Ctas-1:0]            end_mask_i,
    // rows are taken and freed
    input  logic [NumReq-1:0]          take_valid_i,
    input  logic [NumReq*CtaBits-1:0]  take_cta_i,
    input  logic [NumReq*3-1:0]        take_rows_i,
    input  logic [NumFree-1:0]         free_valid_i,
    input  logic [NumFree*CtaBits-1:0] free_cta_i,
    // observation: balances, resident CTAs, order of age, free rows, configuration, parameters
    `OBS_PORT(input  logic [31:0]                obs_addr_i)
    `OBS_PORT(output logic [31:0]                obs_data_o)
    output logic [NumReq-1:0]          take_grant_o,
    output logic [Ctas*3-1:0]          room_o,
    output logic [RowBits-1:0]         rows_free_o,
    output logic [RowBits-1:0]         rows_least_o
);

    localparam logic [RowBits-1:0] AllRows = RowBits'(Banks * Entries);
    localparam int CountBits = $clog2(4 * NumReq + 1), FreeBits = $clog2(NumFree + 1);
    localparam int Diff = RowBits + 2;        // differences: signed, do not wrap
    localparam int Steps = 4 * NumReq + 1;    // margins up to the most that all ports take

    logic [Ctas*RowBits-1:0] balance_q, balance_d;
    logic [Ctas-1:0]         resident_q, resident_d;
    logic [Ctas*Ctas-1:0]    before_q, before_d;  // c started before d, both resident: bit c * Ctas + d
    logic [RowBits-1:0]      free_q, free_d, need_q;

    // ---- The least balance: every two CTAs compared once; of equal balances the older one's is less
    logic [Ctas-1:0] least;  // the CTA of the least balance
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_least
        logic [Ctas-1:0] below, beats;  // those with more
        for (genvar d = 0; d < Ctas; d = d + 1) begin : g_other
            if (c < d) begin : g_pair
                assign below[d] = {balance_q[c*RowBits +: RowBits], !before_q[c*Ctas + d]} <
                                  {balance_q[d*RowBits +: RowBits], 1'b1};
            end else if (c > d) begin : g_turned
                assign below[d] = !g_least[d].below[c];
            end else begin : g_self
                assign below[d] = 1'b1;
            end
        end
        assign beats    = below | ~resident_q;
        assign least[c] = resident_q[c] && beats == '1;
    end
    logic [RowBits-1:0] least_rows;
    always @* begin
        least_rows = '0;
        for (int c = 0; c < Ctas; c = c + 1)
            if (least[c]) least_rows = least_rows | balance_q[c*RowBits +: RowBits];
    end
    assign rows_free_o  = free_q;
    assign rows_least_o = least_rows;

    // ---- Margins: free rows beyond a balance. A take lessens those of all CTAs alike, but for its own, which stays as it is.
    logic [Ctas*Steps-1:0] margin;      // bit k: more than k
    logic [Steps-1:0]      any_margin;  // of any resident CTA: free rows beyond the least balance
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_margin
        logic signed [Diff-1:0] beyond;
        assign beyond = Diff'(free_q) - Diff'(balance_q[c*RowBits +: RowBits]);
        for (genvar k = 0; k < Steps; k = k + 1) begin : g_step
            assign margin[c*Steps + k] = beyond > Diff'(k);
        end
    end
    always @* begin
        any_margin = '0;
        for (int c = 0; c < Ctas; c = c + 1)
            if (resident_q[c]) any_margin = any_margin | margin[c*Steps +: Steps];
    end

    // ---- What each may take, from state alone
    logic [2:0] some;
    assign some = any_margin[4] ? 3'd4 : any_margin[3] ? 3'd3 : any_margin[2] ? 3'd2 : any_margin[1] ? 3'd1 : 3'd0;
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_room
        assign room_o[c*3 +: 3] = !resident_q[c] ? 3'd0 : least[c] || margin[c*Steps] ? 3'd4 : some;
    end

    // ---- Balances with the rows that are freed in this cycle
    logic [Ctas*RowBits-1:0] freed_d;
    always @* begin
        for (int c = 0; c < Ctas; c = c + 1) begin : g_freed
            logic [FreeBits-1:0] gave;
            gave = '0;
            for (int f = 0; f < NumFree; f = f + 1)
                if (free_valid_i[f] && free_cta_i[f*CtaBits +: CtaBits] == CtaBits'(c)) gave = gave + FreeBits'(1);
            freed_d[c*RowBits +: RowBits] = balance_q[c*RowBits +: RowBits] + RowBits'(gave);
        end
    end

    logic [NumReq*Ctas-1:0]    takes;        // one-hot: the CTA of a granted take
    logic [NumReq*RowBits-1:0] leaves_rows;  // its balance then

    // ---- Takes: each port decides for every set h of earlier ports that may have been granted, beside one another, and
    // the set that was chooses its answer: bit q of h is the grant of port q
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_take
        logic [2:0]         n;
        logic [Ctas-1:0]    cta, older;  // one-hot; CTAs that it is older than
        logic [RowBits-1:0] balance, after;  // of its CTA; with freed rows
        logic [Steps-1:0]   own;             // margin of its CTA
        logic               asks;
        logic [2**r-1:0]    granted;
        logic [2**r*RowBits-1:0] left;       // rows that its CTA may take behind it
        assign asks = take_valid_i[r] && !cfg_valid_i;
        assign n    = take_rows_i[r*3 +: 3];
        assign cta  = Ctas'(1) << take_cta_i[r*CtaBits +: CtaBits];
        always @* begin
            balance = '0;
            after   = '0;
            own     = '0;
            older   = '0;
            for (int c = 0; c < Ctas; c = c + 1)
                if (cta[c]) begin
                    balance = balance | balance_q[c*RowBits +: RowBits];
                    own     = own | margin[c*Steps +: Steps];
                    after   = after | freed_d[c*RowBits +: RowBits];
                    older   = older | before_q[c*Ctas +: Ctas];
                end
        end
        for (genvar h = 0; h < 2**r; h = h + 1) begin : g_if
            localparam int Before = r == 0 ? 0 : h % 2**(r - 1);  // the set without the port before
            localparam bit Last   = r != 0 && h >= 2**(r - 1);    // which is in the set
            logic [CountBits-1:0] spent, took, total;  // by earlier ports: of all, of this CTA; with this take
            logic [Ctas-1:0]      who;                 // the CTA of the least balance
            logic [r:0]           stays;               // a margin stays: of the CTA of port q
            always @* begin
                spent = '0;
                took  = '0;
                for (int q = 0; q < r; q = q + 1)
                    if (h[q]) begin
                        spent = spent + CountBits'(take_rows_i[q*3 +: 3]);
                        if (take_cta_i[q*CtaBits +: CtaBits] == take_cta_i[r*CtaBits +: CtaBits])
                            took = took + CountBits'(take_rows_i[q*3 +: 3]);
                    end
            end
            assign total = spent + CountBits'(n);
            assign left[h*RowBits +: RowBits] = after - RowBits'(took) - RowBits'(n);
            for (genvar q = 0; q <= r; q = q + 1) begin : g_taker
                logic [CountBits-1:0] its;  // that its CTA took, this take included
                always @* begin
                    its = '0;
                    for (int p = 0; p <= r; p = p + 1)
                        if ((p == r || h[p]) && take_cta_i[p*CtaBits +: CtaBits] == take_cta_i[q*CtaBits +: CtaBits])
                            its = its + CountBits'(take_rows_i[p*3 +: 3]);
                end
                assign stays[q] = (q == r || h[q]) && g_take[q].own[total - its];
            end
            if (r == 0) begin : g_first
                assign who = least;
            end else if (Last) begin : g_took
                assign who = g_take[r-1].g_if[Before].g_then.who_then;
            end else begin : g_same
                assign who = g_take[r-1].g_if[Before].who;
            end
            assign granted[h] = n == '0 || (cta & who) != '0 || any_margin[total] || stays != '0;
            // For the next port: this one leads behind its take when its balance is less, or as little and it is the
            // older one.
            if (r + 1 < NumReq) begin : g_then
                logic [RowBits-1:0] rest, rows_least;
                logic [Ctas-1:0]    who_then;
                logic               leads;
                if (r == 0) begin : g_least_first
                    assign rows_least = least_rows;
                end else if (Last) begin : g_least_took
                    assign rows_least = g_take[r-1].g_if[Before].g_then.leads ? g_take[r-1].g_if[Before].g_then.rest
                                                                              : g_take[r-1].g_if[Before].g_then.rows_least;
                end else begin : g_least_same
                    assign rows_least = g_take[r-1].g_if[Before].g_then.rows_least;
                end
                assign rest     = balance - RowBits'(took) - RowBits'(n);
                assign leads    = (cta & who) != '0 || rest < rows_least ||
                                  (rest == rows_least && (older & who) != '0);
                assign who_then = leads ? cta : who;
            end
        end
        logic               grant;
        logic [RowBits-1:0] leaves;
        if (r == 0) begin : g_alone
            assign grant  = asks && granted[0];
            assign leaves = left;
        end else begin : g_behind
            logic [r-1:0] earlier;
            for (genvar q = 0; q < r; q = q + 1) begin : g_port
                assign earlier[q] = (g_take[q].grant);
            end
            assign grant  = asks && granted[earlier];
            assign leaves = left[32'(earlier)*RowBits +: RowBits];
        end
        assign take_grant_o[r] = grant;
        assign takes[r*Ctas +: Ctas] = grant ? cta : '0;
        assign leaves_rows[r*RowBits +: RowBits] = leaves;
    end

    // ---- Next state: sums for every set of granted takes, chosen by the set
    localparam int Sets = 2**NumReq;
    logic [FreeBits-1:0]     freed;
    logic [Sets*RowBits-1:0] free_if;
    always @* begin
        freed = '0;
        for (int f = 0; f < NumFree; f = f + 1) freed = freed + FreeBits'(free_valid_i[f]);
    end
    for (genvar h = 0; h < Sets; h = h + 1) begin : g_sum
        logic [CountBits-1:0] spent;
        always @* begin
            spent = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (h[r]) spent = spent + CountBits'(take_rows_i[r*3 +: 3]);
        end
        assign free_if[h*RowBits +: RowBits] = free_q + RowBits'(freed) - RowBits'(spent);
    end
    assign free_d = free_if[32'(take_grant_o)*RowBits +: RowBits];
    always @* begin
        balance_d  = freed_d;
        resident_d = (resident_q & ~end_mask_i);
        before_d   = before_q;
        for (int c = 0; c < Ctas; c = c + 1) begin
            for (int r = 0; r < NumReq; r = r + 1)
                if (takes[r*Ctas + c]) balance_d[c*RowBits +: RowBits] = leaves_rows[r*RowBits +: RowBits];
            if (end_mask_i[c]) begin
                balance_d[c*RowBits +: RowBits] = '0;
                before_d[c*Ctas +: Ctas] = '0;
                for (int d = 0; d < Ctas; d = d + 1) before_d[d*Ctas + c] = 1'b0;
            end
        end
        for (int c = 0; c < Ctas; c = c + 1)
            if (start_valid_i && start_cta_i == CtaBits'(c)) begin
                balance_d[c*RowBits +: RowBits] = need_q;
                for (int d = 0; d < Ctas; d = d + 1) before_d[d*Ctas + c] = resident_d[d];
                resident_d[c] = 1'b1;
            end
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni || cfg_valid_i) begin
            balance_q  <= '0;
            resident_q <= '0;
            before_q   <= '0;
            free_q     <= AllRows;
            need_q     <= rst_ni ? cfg_rows_i : '0;
        end else begin
            balance_q  <= balance_d;
            resident_q <= resident_d;
            before_q   <= before_d;
            free_q     <= free_d;
        end
    end

    `CHECK_RANGE(rfv_throttle, Banks, 1, 32)
    `CHECK_RANGE(rfv_throttle, Entries, 2, 1024)
    `CHECK_RANGE(rfv_throttle, Ctas, 1, 32)
    `CHECK_RANGE(rfv_throttle, NumReq, 1, 4)
    `CHECK_RANGE(rfv_throttle, NumFree, 1, 8)
    `include "rename/rfv_throttle.obs.svh"
endmodule
