// SPDX-License-Identifier: Apache-2.0
// Purpose:    which CTA may take warp registers when more CTAs run than the register file has rows for: never so many that
//             none could take all it may need. Contract: models/rename/rfv_throttle.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; Ctas, 1..32; NumReq, 1..4: takes per cycle;
//             NumFree, 1..8: rows freed per cycle.
// Timing:     room_o, rows_free_o and rows_least_o depend on state alone; take_grant_o answers the takes of the same cycle;
//             all state changes at the clock edge. Balances are compared with one another in parallel, once; a port
//             works out from that what the takes of the ports before it change. 2.43 ns at 45 nm in the default shape: more
//             than the SM clock's 1.43 ns. The path is the comparison, the decision of port 0, that of port 1, a balance; the
//             contract gives it one cycle, because the instruction issues in the cycle of its take.
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
    // CTAs come and go
    input  logic                       start_valid_i,
    input  logic [CtaBits-1:0]         start_cta_i,
    input  logic [Ctas-1:0]            end_mask_i,
    // rows are taken and freed
    input  logic [NumReq-1:0]          take_valid_i,
    input  logic [NumReq*CtaBits-1:0]  take_cta_i,
    input  logic [NumReq*3-1:0]        take_rows_i,
    input  logic [NumFree-1:0]         free_valid_i,
    input  logic [NumFree*CtaBits-1:0] free_cta_i,
    // observation: balances, who is resident, who is older than whom, free rows, configuration, parameters
    `OBS_PORT(input  logic [31:0]                obs_addr_i)
    `OBS_PORT(output logic [31:0]                obs_data_o)
    output logic [NumReq-1:0]          take_grant_o,
    output logic [Ctas*3-1:0]          room_o,
    output logic [RowBits-1:0]         rows_free_o,
    output logic [RowBits-1:0]         rows_least_o
);

    localparam logic [RowBits-1:0] AllRows = RowBits'(Banks * Entries);
    localparam int CountBits = $clog2(4 * NumReq + 1), FreeBits = $clog2(NumFree + 1);
    localparam int Wide = RowBits + 1;  // sums do not wrap

    logic [Ctas*RowBits-1:0] balance_q, balance_d;
    logic [Ctas-1:0]         resident_q, resident_d;
    logic [Ctas*Ctas-1:0]    before_q, before_d;  // c started before d, both resident: bit c * Ctas + d
    logic [RowBits-1:0]      free_q, free_d, need_q;

    // ---- The least balance: every two CTAs compared
    logic [Ctas-1:0] least, more;  // the CTA of the least balance; balance below free
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_least
        logic [Ctas-1:0] beats;
        for (genvar d = 0; d < Ctas; d = d + 1) begin : g_other
            if (c == d) begin : g_self
                assign beats[d] = 1'b1;
            end else begin : g_pair
                assign beats[d] = !resident_q[d] || balance_q[c*RowBits +: RowBits] < balance_q[d*RowBits +: RowBits] ||
                                  (balance_q[c*RowBits +: RowBits] == balance_q[d*RowBits +: RowBits] &&
                                   before_q[c*Ctas + d]);
            end
        end
        assign least[c] = resident_q[c] && beats == '1;
        assign more[c]  = balance_q[c*RowBits +: RowBits] < free_q;
    end
    logic [RowBits-1:0] least_rows;
    always @* begin
        least_rows = '0;
        for (int c = 0; c < Ctas; c = c + 1)
            if (least[c]) least_rows = least_rows | balance_q[c*RowBits +: RowBits];
    end
    assign rows_free_o  = free_q;
    assign rows_least_o = least_rows;

    // ---- What each may take, from state alone
    localparam int SlackBits = RowBits + 1;  // at least 3
    logic [SlackBits-1:0] slack;  // below it: rows that any CTA may take
    logic [2:0]           some;
    assign slack = SlackBits'(free_q) - SlackBits'(least_rows);
    assign some  = slack > SlackBits'(4) ? 3'd4 : slack == '0 ? 3'd0 : slack[2:0] - 3'd1;
    for (genvar c = 0; c < Ctas; c = c + 1) begin : g_room
        assign room_o[c*3 +: 3] = !resident_q[c] ? 3'd0 : least[c] || more[c] ? 3'd4 : some;
    end

    // ---- Takes, port after port: free rows, the least balance and whose it is, as the ports before left them
    for (genvar r = 0; r < NumReq; r = r + 1) begin : g_take
        logic [Wide-1:0] rows_free, rows_least, mine;
        logic [Ctas-1:0]        cta, who;
        logic [2:0]             n;
        logic [RowBits-1:0]     balance;
        logic                   asks, grant;
        logic [CountBits-1:0]   took;  // by earlier ports, of the same CTA
        assign asks = take_valid_i[r] && !cfg_valid_i;
        assign n    = take_rows_i[r*3 +: 3];
        assign cta  = Ctas'(1) << take_cta_i[r*CtaBits +: CtaBits];
        if (r == 0) begin : g_first
            assign rows_free  = Wide'(free_q);
            assign rows_least = Wide'(least_rows);
            assign who        = least;
            assign took       = '0;
        end else begin : g_next
            // What the port before took: it leads now when its balance is less, or as little and it is the older one.
            logic [Wide-1:0] rest;
            logic [Ctas-1:0]        older;  // CTAs that it is older than
            logic                   leads, counts;
            always @* begin
                older = '0;
                for (int c = 0; c < Ctas; c = c + 1)
                    if (g_take[r-1].cta[c]) older = older | before_q[c*Ctas +: Ctas];
            end
            assign counts = (g_take[r-1].grant);
            assign rest   = g_take[r-1].mine - Wide'(g_take[r-1].n);
            assign leads  = g_take[r-1].grant &&
                            ((g_take[r-1].cta & g_take[r-1].who) != '0 || rest < g_take[r-1].rows_least ||
                             (rest == g_take[r-1].rows_least && (older & g_take[r-1].who) != '0));
            assign rows_free  = g_take[r-1].rows_free - (counts ? Wide'(g_take[r-1].n) : '0);
            assign rows_least = leads ? rest : g_take[r-1].rows_least;
            assign who        = leads ? g_take[r-1].cta : g_take[r-1].who;
            for (genvar q = 0; q < r; q = q + 1) begin : g_earlier
                logic [CountBits-1:0] sum, part;
                assign part = g_take[q].grant && g_take[q].cta == cta ? CountBits'(g_take[q].n) : '0;
                if (q == 0) begin : g_one
                    assign sum = part;
                end else begin : g_more
                    assign sum = g_earlier[q-1].sum + part;
                end
            end
            assign took = g_earlier[r-1].sum;
        end
        always @* begin
            balance = '0;
            for (int c = 0; c < Ctas; c = c + 1)
                if (cta[c]) balance = balance | balance_q[c*RowBits +: RowBits];
        end
        assign mine = Wide'(balance) - Wide'(took);
        assign grant = asks && (n == '0 || (cta & who) != '0 || mine < rows_free ||
                                (rows_least + Wide'(n) < rows_free));
        assign take_grant_o[r] = grant;
    end

    // ---- Next state
    logic [CountBits-1:0] spent;
    logic [FreeBits-1:0]  freed;
    always @* begin
        spent = '0;
        freed = '0;
        for (int r = 0; r < NumReq; r = r + 1)
            if (take_grant_o[r]) spent = spent + CountBits'(take_rows_i[r*3 +: 3]);
        for (int f = 0; f < NumFree; f = f + 1) freed = freed + FreeBits'(free_valid_i[f]);
    end
    assign free_d = free_q + RowBits'(freed) - RowBits'(spent);
    always @* begin
        balance_d  = balance_q;
        resident_d = (resident_q & ~end_mask_i);
        before_d   = before_q;
        for (int c = 0; c < Ctas; c = c + 1) begin : g_count
            logic [CountBits-1:0] took;
            logic [FreeBits-1:0]  gave;
            took = '0;
            gave = '0;
            for (int r = 0; r < NumReq; r = r + 1)
                if (take_grant_o[r] && take_cta_i[r*CtaBits +: CtaBits] == CtaBits'(c))
                    took = took + CountBits'(take_rows_i[r*3 +: 3]);
            for (int f = 0; f < NumFree; f = f + 1)
                if (free_valid_i[f] && free_cta_i[f*CtaBits +: CtaBits] == CtaBits'(c)) gave = gave + FreeBits'(1);
            balance_d[c*RowBits +: RowBits] = balance_q[c*RowBits +: RowBits] + RowBits'(gave) - RowBits'(took);
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
