// SPDX-License-Identifier: Apache-2.0
// Purpose:    stages 1 and 2 of addr_map_table: finds the rows that can hold entries for a look-up
//             or a step of a store. It also gives the base that an entry there must have.
// Parameters: RowBits, 0..6: log2 of the rows of a bank; LaneBits, 1..5: of the lanes. AddrBits,
//             6..32; CodeBits, 2..8: bits of an address and of stride / 4.
// Timing:     accepted in cycle t; kind and rows of the request in t + 1, from state alone.
// Reset:      nothing is in flight.
// Left out:   stores that wait (addr_map_stores); reading the rows.
// Shapes:     - ; RowBits=0,LaneBits=1,AddrBits=6,CodeBits=2 ; RowBits=3
// Proof:      2:4:RowBits=1,LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      2:4:RowBits=2,LaneBits=2,AddrBits=8,CodeBits=3

module addr_map_find #(
    parameter int RowBits  = 4,
    parameter int LaneBits = 5,
    parameter int AddrBits = 32,
    parameter int CodeBits = 8,
    localparam int Lanes   = 1 << LaneBits,
    localparam int RowW    = RowBits > 0 ? RowBits : 1,
    localparam int Classes = CodeBits + 1,
    localparam int WinBits = AddrBits - LaneBits + 1  // of class 0, the one beyond the end included; the others are shorter
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   flush_i,
    // a look-up, or else a step of a store: middle window, first base and last byte that it is about
    input  logic                   lk_go_i,
    input  logic                   lk_question_i,
    input  logic [AddrBits-1:0]    lk_base_i,
    input  logic [CodeBits-1:0]    lk_code_i,
    input  logic [Lanes-1:0]       lk_mask_i,
    input  logic                   step_go_i,
    input  logic [Classes-1:0]     step_class_i,
    input  logic [WinBits-1:0]     step_window_i,
    input  logic [AddrBits-1:0]    step_low_i,
    input  logic [AddrBits-1:0]    step_high_i,
    // stage 2: kind of the request
    output logic                   lk_o,
    output logic                   kill_o,
    output logic                   question_o,
    output logic                   fits_o,
    // there was a flush
    output logic                   bar_o,
    output logic [AddrBits-1:0]    base_o,
    output logic [AddrBits-1:0]    last_o,
    output logic [CodeBits-1:0]    code_o,
    output logic [Lanes-1:0]       mask_o,
    output logic [Classes-1:0]     class_o,
    // where to look: rows of the banks; banks of the middle window and the one above, one-hot; banks that count
    output logic [3*RowW-1:0]      rows_o,
    output logic [RowW-1:0]        row_o,
    output logic [2:0]             mid_o,
    output logic [2:0]             above_o,
    output logic [2:0]             on_o,
    // strides that entries can be merged in; per bank the base wanted there, but for its place in
    // the window
    output logic                   pow2_o,
    output logic [3*AddrBits-1:0]  want_o,
    output logic [AddrBits-1:0]    place_mask_o,
    output logic [LaneBits-1:0]    place_o
);

    localparam int LineBits = LaneBits + 2;
    localparam int SpanBits = CodeBits + LaneBits + 2;
    localparam logic [CodeBits-1:0] Most = CodeBits'(1) << (CodeBits - 1);

    // ---- Stage 1: windows of a look-up, for every class: which one it is, is known later than the base; and of a step
    //      of a store, each with bank and rows, in parallel: which of them it is, is known last
    logic [Classes-1:0]      lk_class;
    logic [2*Classes-1:0]    banks;
    logic [RowW*Classes-1:0] rows, rows_below, rows_above;
    logic [Classes-1:0]      lows;
    addr_map_class #(.CodeBits(CodeBits)) u_class (
        .code_i(lk_code_i), .class_o(lk_class)
    );
    for (genvar c = 0; c < Classes; c = c + 1) begin : g_class
        logic [WinBits-1:0] window;
        assign window = WinBits'(lk_base_i >> (c == 0 ? LaneBits : LaneBits + 1 + c));
        addr_map_rows #(.RowBits(RowBits), .WinBits(WinBits)) u_rows (
            .window_i(window), .bank_o(banks[2*c +: 2]), .row_o(rows[RowW*c +: RowW]),
            .below_o(rows_below[RowW*c +: RowW]), .above_o(rows_above[RowW*c +: RowW]), .low_o(lows[c])
        );
    end
    logic [1:0]      lk_bank, step_bank;
    logic [RowW-1:0] lk_row, lk_below, lk_above, step_row, step_below, step_above;
    logic            lk_low, step_lower;            // there is a window below
    always @* begin
        lk_bank  = '0;
        lk_row   = '0;
        lk_below = '0;
        lk_above = '0;
        for (int c = 0; c < Classes; c = c + 1) begin
            lk_bank  = lk_bank | ({2{lk_class[c]}} & banks[2*c +: 2]);
            lk_row   = lk_row | ({RowW{lk_class[c]}} & rows[RowW*c +: RowW]);
            lk_below = lk_below | ({RowW{lk_class[c]}} & rows_below[RowW*c +: RowW]);
            lk_above = lk_above | ({RowW{lk_class[c]}} & rows_above[RowW*c +: RowW]);
        end
    end
    assign lk_low = (lk_class & lows) != '0;
    addr_map_rows #(.RowBits(RowBits), .WinBits(WinBits)) u_step_rows (
        .window_i(step_window_i), .bank_o(step_bank), .row_o(step_row), .below_o(step_below), .above_o(step_above),
        .low_o(step_lower)
    );

    // does the look-up fit in the address space, and its stride into the table?
    logic [SpanBits-1:0] lk_span;
    logic [AddrBits:0]   lk_last;
    logic                lk_fits;
    assign lk_span = (SpanBits'(lk_code_i) << LineBits) - (SpanBits'(lk_code_i) << 2) | SpanBits'(3);
    assign lk_last = {1'b0, lk_base_i} + (AddrBits+1)'(lk_span);
    assign lk_fits = lk_mask_i != '0 && lk_code_i <= Most && !lk_last[AddrBits];

    logic                lk_q, kill_q, question_q, fits_q, bar_q;
    logic [AddrBits-1:0] base_q, last_q;            // of a store: low and high
    logic [CodeBits-1:0] code_q;
    logic [Lanes-1:0]    mask_q;
    logic [Classes-1:0]  class_q;
    logic [1:0]          bank_q;                    // of the middle window
    logic [RowW-1:0]     row_q, row_below_q, row_above_q;
    logic                low_q;
    always_ff @(posedge clk_i) begin
        question_q  <= lk_question_i;
        fits_q      <= lk_fits;
        base_q      <= lk_go_i ? lk_base_i : step_low_i;
        last_q      <= lk_go_i ? lk_last[AddrBits-1:0] : step_high_i;
        code_q      <= lk_code_i;
        mask_q      <= lk_mask_i;
        class_q     <= lk_go_i ? lk_class : step_class_i;
        bank_q      <= lk_go_i ? lk_bank : step_bank;
        row_q       <= lk_go_i ? lk_row : step_row;
        row_below_q <= lk_go_i ? lk_below : step_below;
        row_above_q <= lk_go_i ? lk_above : step_above;
        low_q       <= lk_go_i ? lk_low : step_lower;
        bar_q       <= flush_i;
        if (!rst_ni) begin
            lk_q   <= 1'b0;
            kill_q <= 1'b0;
        end else begin
            lk_q   <= lk_go_i;
            kill_q <= step_go_i && !flush_i;
        end
    end
    assign lk_o       = lk_q;
    assign kill_o     = kill_q;
    assign question_o = question_q;
    assign fits_o     = fits_q;
    assign bar_o      = bar_q;
    assign base_o     = base_q;
    assign last_o     = last_q;
    assign code_o     = code_q;
    assign mask_o     = mask_q;
    assign class_o    = class_q;
    assign row_o      = row_q;

    // ---- Stage 2: rows by bank; which base an entry of each window must have, but for its place in the window
    logic [2:0]          below;
    logic [AddrBits-1:0] step;
    assign mid_o   = 3'd1 << bank_q;
    assign below   = {mid_o[0], mid_o[2:1]};
    assign above_o = {mid_o[1:0], mid_o[2]};
    assign on_o    = mid_o | (below & {3{pow2_o && low_q}}) | (above_o & {3{pow2_o}});
    assign pow2_o  = code_q != '0 && (code_q & (code_q - CodeBits'(1))) == '0;
    assign step    = AddrBits'(code_q) << (LaneBits + 2);
    for (genvar b = 0; b < 3; b = b + 1) begin : g_bank
        assign rows_o[b*RowW +: RowW] = ({RowW{mid_o[b]}} & row_q) | ({RowW{below[b]}} & row_below_q) |
                                        ({RowW{above_o[b]}} & row_above_q);
        assign want_o[b*AddrBits +: AddrBits] = mid_o[b] ? base_q : above_o[b] ? base_q + step : base_q - step;
    end
    always @* begin
        place_mask_o = '0;
        for (int c = 1; c < Classes; c = c + 1) if (class_q[c] && pow2_o) place_mask_o[c+1 +: LaneBits] = '1;
    end
    addr_map_place #(.LaneBits(LaneBits), .AddrBits(AddrBits), .CodeBits(CodeBits)) u_place (
        .base_i(base_q), .class_i(class_q), .place_o
    );
endmodule
