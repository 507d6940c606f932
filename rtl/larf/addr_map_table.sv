// SPDX-License-Identifier: Apache-2.0
// Purpose:    the address mapping table of LARF: which physical register holds what a global load has read. Answers a
//             load per cycle with that register, with two registers that cover it, or with a miss; stores, releases
//             and flushes kill entries. Contract: models/larf/addr_map_table.h.
//             The paper's table is one associative memory of 400 entries. Here whatever can serve a load lies in three
//             windows of addresses, which are rows of three banks: stage 1 finds the rows, stage 2 reads them, stage 3
//             compares their entries, stage 4 decides, answers and enters. Stores wait in a queue and use the same
//             stages when no load does; until then loads that touch their line miss. Only the register numbers, valid
//             and data bits of all entries stand in flip-flops.
// Parameters: RowBits, 0..6: log2 of the rows of a bank; Ways, 1..8: entries of a row; Banks, 1..32, and Entries,
// 2..1024,
//             of the register file; NumWr, 1..4: arrivals per cycle.
// Timing:     look-up accepted in cycle t, answer in t + 3, for one cycle, from state alone; one per cycle. ins_*
//             belong to the answer of the same cycle. rel_done_o and arr_done_o three cycles after the request.
//             lk_ready_o depends on st_valid_i and lk_question_i; all other outputs on state alone.
// Reset:      no entries, way 0 is filled next, no stores, no answer (memories and register numbers are not reset).
// Left out:   computing base and stride from 32 addresses (load_shape).
// Shapes:     - ; RowBits=1,Ways=2,Banks=2,Entries=1024,NumWr=1 ; RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Shapes:     RowBits=3,Ways=8,Banks=32,Entries=64,NumWr=4
// Proof:      5:10:RowBits=0,Ways=1,Banks=1,Entries=2,NumWr=1
// Proof:      5:10:RowBits=1,Ways=1,Banks=1,Entries=2,NumWr=1

module addr_map_table #(
    parameter int RowBits = 5,
    parameter int Ways    = 4,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
`ifdef RF_NARROW
    localparam int Lanes    = 2,  // a warp of 2 in a space of 16 words: the same arithmetic, in proofs
    localparam int AddrBits = 6,
    localparam int CodeBits = 2,  // strides 0, 4, 8
`else
    localparam int Lanes    = 32,
    localparam int AddrBits = 32,
    localparam int CodeBits = 8,  // stride / 4: 0..128
`endif
    localparam int LaneBits = $clog2(Lanes),
    localparam int LineBits = LaneBits + 2,
    localparam int PhyBits  = (Banks > 1 ? $clog2(Banks) : 1) + (Entries > 1 ? $clog2(Entries) : 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // loads ask
    input  logic                   lk_valid_i,
    input  logic                   lk_question_i,
    input  logic [AddrBits-1:0]    lk_base_i,
    input  logic [CodeBits-1:0]    lk_code_i,
    input  logic [Lanes-1:0]       lk_mask_i,
    output logic                   lk_ready_o,
    // the load that is answered is entered
    input  logic                   ins_valid_i,
    input  logic [PhyBits-1:0]     ins_phys_i,
    // stores invalidate
    input  logic                   st_valid_i,
    input  logic [AddrBits-1:0]    st_low_i,
    input  logic [AddrBits-1:0]    st_high_i,
    output logic                   st_ready_o,
    // registers are released, get their data
    input  logic                   rel_valid_i,
    input  logic [PhyBits-1:0]     rel_phys_i,
    input  logic [NumWr-1:0]       arr_valid_i,
    input  logic [NumWr*PhyBits-1:0] arr_phys_i,
    // everything is forgotten
    input  logic                   fl_valid_i,
`ifdef RF_OBS
    // observation: entries, ways to fill, stores, then parameters
    input  logic [31:0]            obs_addr_i,
    output logic [127:0]           obs_data_o,
`endif
    // the answer
    output logic                   ans_valid_o,
    output logic [1:0]             ans_kind_o,
    output logic                   ans_wait_o,
    output logic                   ans_enter_o,
    output logic                   ans_evicts_o,
    output logic [1:0]             ans_use_o,
    output logic [2*PhyBits-1:0]   ans_phys_o,
    output logic [2*LaneBits+1:0]  ans_shift_o,
    output logic [2*Lanes-1:0]     ans_mask_o,
    // what has happened to entries
    output logic [3*Ways-1:0]      st_died_o,
    output logic                   rel_done_o,
    output logic [PhyBits-1:0]     rel_done_phys_o,
    output logic [NumWr-1:0]       arr_done_o,
    output logic [NumWr*PhyBits-1:0] arr_done_phys_o
);

    localparam int Rows    = 1 << RowBits;
    localparam int RowW    = RowBits > 0 ? RowBits : 1;
    localparam int N       = 3 * Ways;              // entries compared
    localparam int Lines   = 3 * Rows;
    localparam int Slots   = Lines * Ways;          // slot = (bank * Rows + row) * Ways + way
    localparam int WayBits = Ways > 1 ? $clog2(Ways) : 1;
    localparam int Classes = CodeBits + 1;
    localparam int Steps   = Classes + 1;
    localparam int WinBits = AddrBits - LaneBits + 1;  // of class 0, the one beyond the end included; the others are shorter
    localparam int Digits  = 1 << $clog2((WinBits + 1) / 2);  // base 4, a power of two
    localparam int MemW    = AddrBits + CodeBits + Lanes;
    localparam int SpanBits = CodeBits + LaneBits + 2;
    localparam int ShBits  = LaneBits + 1;
    localparam int Depth   = 4;                     // of the queue of stores
    localparam int LineNo  = AddrBits - LineBits;
    localparam logic [CodeBits-1:0] Most = CodeBits'(1) << (CodeBits - 1);

    // ---- State
    logic [Slots-1:0]          valid_q, valid_d, data_q, data_d;
    logic [PhyBits*Slots-1:0]  id_q;                // plane b: bit b of the register of each slot
    // An entry is in latch new_* for one cycle before it is written, so that deciding whether a load is entered and
    // writing it are two cycles. In it the entry counts as written: valid, data are what both say together.
    logic [Slots-1:0]          new_slot_q, valid, data;  // its slot, one-hot; 0 when there is none, as the next two
    logic [N-1:0]              new_at_q;            // its bank and way
    logic [2:0]                new_bank_q;
    logic [RowW-1:0]           new_row_q;
    logic [MemW-1:0]           new_word_q;
    logic [PhyBits-1:0]        new_phys_q;
    logic [WayBits-1:0]        new_next_q;          // the way to fill next
    assign valid = valid_q | new_slot_q;
    assign data  = data_q & ~new_slot_q;
    logic [WayBits*Lines-1:0]  fill_q, fill_d;
    logic [Classes-1:0]        met_q, met_d;
    logic [2:0]                count_q, count_d;    // stores, the oldest lowest
    logic [Depth*AddrBits-1:0] low_q, low_d;
    logic [Depth*LineBits-1:0] last_q, last_d;
    logic [Depth*2-1:0]        age_q, age_d;
    logic [Steps-1:0]          todo_q, todo_d;      // of the oldest store; not 0: it is armed
    logic [WinBits-1:0]        first_q, second_q;   // middle windows of its two steps of class 0

    // ---- Small functions
    // Class of a code, one-hot: 0, then the smallest power of two that is not below it.
    function automatic [Classes-1:0] class_of(input [CodeBits-1:0] code);
        logic [CodeBits-1:0] less;
        integer b;
        begin
            less     = code - CodeBits'(1);
            class_of = '0;
            if (code == '0) class_of[0] = 1'b1;
            else begin
                class_of[1] = less == '0;
                for (b = 1; b < CodeBits; b = b + 1)
                    class_of[b+1] = less[b-1] && (less >> b) == '0;
            end
        end
    endfunction
    // The window of an address, of a class above 0.
    function automatic [WinBits-1:0] window_of(input [AddrBits-1:0] base, input [Classes-1:0] class_is);
        integer c;
        begin
            window_of = class_is[0] ? {1'b0, base[AddrBits-1:LaneBits]} : '0;
            for (c = 1; c < Classes; c = c + 1)
                window_of = window_of | ({WinBits{class_is[c]}} & WinBits'(base >> (LaneBits + 1 + c)));
        end
    endfunction
    // Sum of two digits modulo 3; as an input 3 counts as 0.
    function automatic [1:0] add3(input [1:0] x, input [1:0] y);
        logic x0, y0;
        begin
            x0   = x[1] == x[0];
            y0   = y[1] == y[0];
            add3 = {(x == 2'd2 && y0) || (x0 && y == 2'd2) || (x == 2'd1 && y == 2'd1),
                    (x == 2'd1 && y0) || (x0 && y == 2'd1) || (x == 2'd2 && y == 2'd2)};
        end
    endfunction
    // Digits in base 4 are added in pairs: a tree.
    function automatic [1:0] mod3(input [WinBits-1:0] n);
        logic [2*Digits-1:0] digits;
        integer s, b;
        begin
            digits = (2*Digits)'(n);
            for (s = Digits / 2; s > 0; s = s / 2)
                for (b = 0; b < s; b = b + 1) digits[2*b +: 2] = add3(digits[4*b +: 2], digits[4*b+2 +: 2]);
            mod3 = digits[1:0];
        end
    endfunction
    function automatic [RowW-1:0] fold(input [WinBits-1:0] n);
        integer b;
        begin
            fold = '0;
            if (RowBits > 0)
                for (b = 0; b < WinBits; b = b + RowW) fold = fold ^ RowW'(n >> b);
        end
    endfunction
    // n ^ (n - 1), n ^ (n + 1): the bits up to the lowest that is set, that is not. Both windows beside n come from it.
    function automatic [WinBits-1:0] borrow(input [WinBits-1:0] n);
        integer s;
        begin
            borrow = n;
            for (s = 1; s < WinBits; s = s * 2) borrow = borrow | borrow << s;
            borrow = ~(borrow << 1);
        end
    endfunction
    // The lane part of an address: its place in the window.
    function automatic [LaneBits-1:0] place_of(input [AddrBits-1:0] base, input [Classes-1:0] class_is);
        integer c;
        begin
            place_of = '0;
            for (c = 1; c < Classes; c = c + 1)
                place_of = place_of | ({LaneBits{class_is[c]}} & base[c + 1 +: LaneBits]);
        end
    endfunction
    // All lanes under the lowest set one of x, above the highest.
    function automatic [Lanes-1:0] under(input [Lanes-1:0] x);
        integer s;
        begin
            under = x;
            for (s = 1; s < Lanes; s = s * 2) under = under | under << s;
            under = ~under;
        end
    endfunction
    function automatic [Lanes-1:0] above(input [Lanes-1:0] x);
        integer s;
        begin
            above = x;
            for (s = 1; s < Lanes; s = s * 2) above = above | (above >> s);
            above = ~above;
        end
    endfunction

    // ---- Stage 1: look-up or step of a store; its class, its window, the rows of the three banks
    logic               lk_go, st_go, step_go, ripe, ripe_first, leave;
    logic [Steps-1:0]   step, rest, need;
    logic [Classes-1:0] st_class, lk_class;
    logic [WinBits-1:0] lk_n, st_n;
    logic [1:0]         lk_bank;
    logic [RowW-1:0]    lk_row, lk_below, lk_above;
    logic               lk_low;                     // there is a window below
    logic [SpanBits-1:0] lk_span;
    logic [AddrBits:0]  lk_last;
    logic               lk_fits;
    assign lk_ready_o = !lk_question_i || (count_q == '0 && !st_valid_i);
    assign st_ready_o = count_q != 3'(Depth);
    assign lk_go      = lk_valid_i && lk_ready_o;
    assign st_go      = st_valid_i && st_ready_o;
    assign ripe       = count_q != '0 && age_q[1:0] == 2'd3;
    assign ripe_first = ripe && todo_q == '0;
    assign step       = todo_q & (~todo_q + Steps'(1));
    assign step_go    = ripe && todo_q != '0 && !lk_go;
    assign rest       = todo_q & ~step;
    assign leave      = ripe_first ? need == '0 : step_go && rest == '0;
    assign lk_class   = class_of(lk_code_i);
    assign st_class   = {step[Steps-1:2], step[1] || step[0]};
    // windows of a look-up and of a step, each with bank and rows, in parallel: which of them it is, is known last
    assign st_n       = step[0] ? first_q : step[1] ? second_q : window_of(low_q[0 +: AddrBits], st_class);
    always @* begin                                 // for every class: which one it is, is known later than the base
        lk_bank  = '0;
        lk_row   = '0;
        lk_below = '0;
        lk_above = '0;
        lk_low   = 1'b0;
        for (int c = 0; c < Classes; c = c + 1) begin
            lk_n     = window_of(lk_base_i, Classes'(1) << c);
            lk_bank  = lk_bank | ({2{lk_class[c]}} & mod3(lk_n));
            lk_row   = lk_row | ({RowW{lk_class[c]}} & fold(lk_n));
            lk_below = lk_below | ({RowW{lk_class[c]}} & (fold(lk_n) ^ fold(borrow(lk_n))));
            lk_above = lk_above | ({RowW{lk_class[c]}} & (fold(lk_n) ^ fold(borrow(~lk_n))));
            lk_low   = lk_low | (lk_class[c] && lk_n != '0);
        end
    end
    assign lk_span    = (SpanBits'(lk_code_i) << LineBits) - (SpanBits'(lk_code_i) << 2) | SpanBits'(3);
    assign lk_last    = {1'b0, lk_base_i} + (AddrBits+1)'(lk_span);
    assign lk_fits    = lk_mask_i != '0 && lk_code_i <= Most && !lk_last[AddrBits];

    // what the oldest store has to do: classes that were entered; the second step only when it reaches beyond three
    // windows
    logic [AddrBits:0]  mid1, mid2, beyond;
    logic [LineBits-1:0] low_last;
    logic               far;
    assign low_last = last_q[0 +: LineBits];
    assign mid1   = {1'b0, low_q[0 +: AddrBits]} + (AddrBits+1)'(Lanes - 3);
    assign mid2   = {1'b0, low_q[0 +: AddrBits]} + (AddrBits+1)'(4 * Lanes - 3);
    assign beyond = {1'b0, low_q[0 +: AddrBits]} + (AddrBits+1)'(3 * Lanes - 3);
    assign far    = {1'b0, low_q[LineBits +: LineNo], low_last[LineBits-1:LaneBits]} >= beyond[AddrBits:LaneBits];
    assign need   = {met_q[Classes-1:1], met_q[0] && far, met_q[0]};

    logic                s2_lk_q, s2_kill_q, s2_question_q, s2_fits_q, s2_bar_q;
    logic [AddrBits-1:0] s2_base_q, s2_last_q;      // of a store: low and high
    logic [CodeBits-1:0] s2_code_q;
    logic [Lanes-1:0]    s2_mask_q;
    logic [Classes-1:0]  s2_class_q;
    logic [1:0]          s2_bank_q;                 // of the middle window
    logic [RowW-1:0]     s2_row_q, s2_row_below_q, s2_row_above_q;
    logic                s2_low_q;                  // there is a window below
    logic [AddrBits-1:0] kill_high, step_high;
    assign kill_high = {low_q[LineBits +: LineNo], low_last};
    assign step_high = {beyond[AddrBits-1:LaneBits], {LaneBits{1'b0}}} - AddrBits'(1);  // the last base of the first step
    always_ff @(posedge clk_i) begin
        s2_question_q  <= lk_question_i;
        s2_fits_q      <= lk_fits;
        s2_base_q      <= lk_go ? lk_base_i : low_q[0 +: AddrBits];
        s2_last_q      <= lk_go ? lk_last[AddrBits-1:0] : step[0] && far ? step_high : kill_high;
        s2_code_q      <= lk_code_i;
        s2_mask_q      <= lk_mask_i;
        s2_class_q     <= lk_go ? lk_class : st_class;
        s2_bank_q      <= lk_go ? lk_bank : mod3(st_n);
        s2_row_q       <= lk_go ? lk_row : fold(st_n);
        s2_row_below_q <= lk_go ? lk_below : fold(st_n) ^ fold(borrow(st_n));
        s2_row_above_q <= lk_go ? lk_above : fold(st_n) ^ fold(borrow(~st_n));
        s2_low_q       <= lk_go ? lk_low : st_n != '0;
        s2_bar_q       <= fl_valid_i;
        if (!rst_ni) begin
            s2_lk_q   <= 1'b0;
            s2_kill_q <= 1'b0;
        end else begin
            s2_lk_q   <= lk_go;
            s2_kill_q <= step_go && !fl_valid_i;
        end
    end

    // ---- Stage 2: the rows are read; which base an entry of each window must have, but for its place in the window;
    //      does the load touch the line of a store that waits?
    logic [2:0]          s2_mid, s2_below, s2_above;  // bank of each window, one-hot
    logic [3*RowW-1:0]   s2_rows;
    logic [AddrBits-1:0] s2_step, place_mask;
    logic                pow2, touched;
    assign s2_mid   = 3'd1 << s2_bank_q;
    assign s2_below = {s2_mid[0], s2_mid[2:1]};
    assign s2_above = {s2_mid[1:0], s2_mid[2]};
    always @* begin
        s2_rows = '0;
        for (int b = 0; b < 3; b = b + 1)
            s2_rows[b*RowW +: RowW] = ({RowW{s2_mid[b]}} & s2_row_q) | ({RowW{s2_below[b]}} & s2_row_below_q) |
                                      ({RowW{s2_above[b]}} & s2_row_above_q);
    end
    assign pow2    = s2_code_q != '0 && (s2_code_q & (s2_code_q - CodeBits'(1))) == '0;
    assign s2_step = AddrBits'(s2_code_q) << (LaneBits + 2);
    always @* begin
        place_mask = '0;
        for (int c = 1; c < Classes; c = c + 1)
            if (s2_class_q[c] && pow2) place_mask[c + 1 +: LaneBits] = '1;
        touched = 1'b0;
        for (int i = 0; i < Depth; i = i + 1)
            if (3'(i) < count_q && s2_base_q[AddrBits-1:LineBits] <= low_q[i*AddrBits + LineBits +: LineNo] &&
                low_q[i*AddrBits + LineBits +: LineNo] <= s2_last_q[AddrBits-1:LineBits]) touched = 1'b1;
    end
    logic                s3_lk_q, s3_kill_q, s3_question_q, s3_fits_q, s3_bar_q, s3_pow2_q;
    logic [AddrBits-1:0] s3_base_q, s3_last_q, s3_place_mask_q;
    logic [LaneBits-1:0] s3_place_q;
    logic [CodeBits-1:0] s3_code_q;
    logic [Lanes-1:0]    s3_mask_q;
    logic [Classes-1:0]  s3_class_q;
    logic [2:0]          s3_mid_q, s3_above_q, s3_on_q;
    logic [3*RowW-1:0]   s3_rows_q;
    logic [RowW-1:0]     s3_row_q;
    logic [3*AddrBits-1:0] s3_want_q;               // per bank: the base wanted there, but for its place
    always_ff @(posedge clk_i) begin
        s3_question_q   <= s2_question_q;
        s3_fits_q       <= s2_fits_q;
        s3_bar_q        <= s2_bar_q || touched || fl_valid_i;
        s3_pow2_q       <= pow2;
        s3_base_q       <= s2_base_q;
        s3_last_q       <= s2_last_q;
        s3_place_mask_q <= place_mask;
        s3_place_q      <= place_of(s2_base_q, s2_class_q);
        s3_code_q       <= s2_code_q;
        s3_mask_q       <= s2_mask_q;
        s3_class_q      <= s2_class_q;
        s3_mid_q        <= s2_mid;
        s3_above_q      <= s2_above;
        s3_on_q         <= s2_mid | (s2_below & {3{pow2 && s2_low_q}}) |
                           (s2_above & {3{pow2}});
        s3_rows_q       <= s2_rows;
        s3_row_q        <= s2_row_q;
        for (int b = 0; b < 3; b = b + 1)
            s3_want_q[b*AddrBits +: AddrBits] <= s2_mid[b] ? s2_base_q : s2_above[b] ? s2_base_q + s2_step
                                                                                    : s2_base_q - s2_step;
        if (!rst_ni) begin
            s3_lk_q   <= 1'b0;
            s3_kill_q <= 1'b0;
        end else begin
            s3_lk_q   <= s2_lk_q;
            s3_kill_q <= s2_kill_q && !fl_valid_i;
        end
    end

    // ---- Stage 4, declared here: the load that may be entered in this cycle
    logic                insert, s4_lk_q, s4_may_q, s4_question_q;
    logic [AddrBits-1:0] s4_base_q;
    logic [CodeBits-1:0] s4_code_q;
    logic [Lanes-1:0]    s4_mask_q;
    logic [2:0]          s4_mid_q;
    logic [RowW-1:0]     s4_row_q;
    logic [Classes-1:0]  s4_class_q;
    logic [WayBits-1:0]  s4_way;                    // that it fills
    logic [Ways-1:0]     s4_fill;                   // one-hot

    // ---- Stage 3: each entry read
    logic [N-1:0]         exact, exact_wait, s3_valid, s3_data, die;
    logic [N*Lanes-1:0]   gaps;                     // lanes asked for that it does not give
    logic [N-1:0]         evicted;                  // in this cycle; known last, so that stage 4 leaves it out
    logic [N*ShBits-1:0]  shift;
    logic [N*PhyBits-1:0] s3_phys;
    logic [N-1:0]         s3_new_q;                 // what was read is still in the latch
    logic [LaneBits-1:0]  new_place;
    assign new_place = place_of(new_word_q[AddrBits-1:0], s3_class_q);
`ifdef FORMAL
    logic [Slots*MemW-1:0] f_held;                  // words of all slots
`endif
`ifdef RF_OBS
    logic [N*MemW-1:0] obs_rows;                    // of each way the row looked at
    logic [RowW-1:0]   obs_row;
`endif
    for (genvar b = 0; b < 3; b = b + 1) begin : g_bank
        logic [RowW-1:0] read_row, row;             // in stage 2, in stage 3
        logic            clash;                     // stage 4 may enter in the row of stage 3
        assign read_row = s2_rows[b*RowW +: RowW];
        assign row      = s3_rows_q[b*RowW +: RowW];
        assign clash    = s4_mid_q[b] && s4_row_q == row;
        assign s3_valid[b*Ways +: Ways] = Ways'(valid_q >> (b*Rows + 32'(row)) * Ways) | s3_new_q[b*Ways +: Ways];
        assign s3_data[b*Ways +: Ways]  = Ways'(data_q >> (b*Rows + 32'(row)) * Ways) & ~s3_new_q[b*Ways +: Ways];
        for (genvar w = 0; w < Ways; w = w + 1) begin : g_way
            localparam int I = b * Ways + w;
            // the memory of this way: one write port, one clocked read port that sees what is written
`ifdef FORMAL
            (* mem2reg *)
`endif
            logic [MemW-1:0] mem_q [0:Rows-1];
            logic [MemW-1:0] rd_q, word;
            assign word = s3_new_q[I] ? new_word_q : rd_q;
            always_ff @(posedge clk_i) begin
                if (new_at_q[I]) mem_q[new_row_q] <= new_word_q;
                if (s2_lk_q || s2_kill_q)
                    rd_q <= new_at_q[I] && new_row_q == read_row ? new_word_q : mem_q[read_row];
                s3_new_q[I] <= insert && s4_mid_q[b] && s4_fill[w] && s4_row_q == read_row;
            end
`ifdef RF_OBS
            assign obs_rows[I*MemW +: MemW] = new_at_q[I] && new_row_q == obs_row ? new_word_q : mem_q[obs_row];
`endif
`ifdef FORMAL
            for (genvar r = 0; r < Rows; r = r + 1) begin : g_held
                assign f_held[((b*Rows + r)*Ways + w)*MemW +: MemW] =
                    new_slot_q[(b*Rows + r)*Ways + w] ? new_word_q : mem_q[r];
            end
`endif
            logic [AddrBits-1:0] base;
            logic [CodeBits-1:0] code;
            logic [Lanes-1:0]    mask;
            assign base = word[AddrBits-1:0];
            assign code = word[AddrBits+CodeBits-1:AddrBits];
            assign mask = word[MemW-1:AddrBits+CodeBits];

            // a look-up: the distance is that of the places in the window, and the windows
            logic                alive, alike, whole, reach, usable;
            logic [ShBits-1:0]   away;               // place asked for - place of the entry
            logic [LaneBits-1:0] turn, place;
            logic [Lanes-1:0]    turned, inner;
            assign alive = s3_valid[I] && s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i && s3_on_q[b];
            assign evicted[I] = clash && s4_fill[w] && insert;
            assign alike = code == s3_code_q &&
                           ((base ^ s3_want_q[b*AddrBits +: AddrBits]) & ~s3_place_mask_q) == '0;
            assign away  = s3_pow2_q ? {1'b0, s3_place_q} - {1'b0, place} : '0;
            assign place = s3_new_q[I] ? new_place : place_of(rd_q[AddrBits-1:0], s3_class_q);
            assign reach = s3_mid_q[b] || (s3_above_q[b] ? !away[LaneBits] && away != '0 : away[LaneBits]);
            assign whole = alike && s3_mid_q[b] && away == '0 && (s3_mask_q & ~mask) == '0;
            assign turn   = away[LaneBits-1:0];
            assign turned = Lanes'({mask, mask} >> turn);
            assign inner  = shift[I*ShBits + LaneBits] ? ~({Lanes{1'b1}} >> turn) : {Lanes{1'b1}} >> turn;
            assign shift[I*ShBits +: ShBits] = {away[LaneBits] ^ !s3_mid_q[b], turn};
            assign gaps[I*Lanes +: Lanes]    = s3_mask_q & ~(turned & inner & {Lanes{usable}});
            assign usable        = alive && alike && reach && s3_pow2_q &&
                                   s3_data[I];
            assign exact[I]      = alive && whole && s3_data[I];
            assign exact_wait[I] = alive && whole && !s3_data[I];

            // a step of a store: does the entry's span meet its bytes?
            logic [SpanBits-1:0] span;
            logic [AddrBits:0]   into;
            assign span   = ((SpanBits'(code) << LineBits) - (SpanBits'(code) << 2)) | SpanBits'(3);
            assign into   = {1'b0, s3_base_q} - {1'b0, base};
            assign die[I] = s3_kill_q && s3_valid[I] && class_of(code) == s3_class_q && base <= s3_last_q &&
                            (into[AddrBits] || into[AddrBits-1:0] <= AddrBits'(span));
        end
    end
    for (genvar p = 0; p < PhyBits; p = p + 1) begin : g_phys_bit
        for (genvar b = 0; b < 3; b = b + 1) begin : g_phys_bank
            logic [Ways-1:0] ids;
            assign ids = (Ways'(id_q[p*Slots +: Slots] >> (b*Rows + 32'(s3_rows_q[b*RowW +: RowW])) * Ways) &
                          ~s3_new_q[b*Ways +: Ways]) | (s3_new_q[b*Ways +: Ways] & {Ways{new_phys_q[p]}});
            for (genvar w = 0; w < Ways; w = w + 1) begin : g_phys_way
                assign s3_phys[(b*Ways + w)*PhyBits + p] = ids[w];
            end
        end
    end
    assign st_died_o = die;

    // and the load just ahead, if it is entered now
    logic ahead;
    assign ahead = insert && s3_lk_q && s3_fits_q && !s3_bar_q && s4_base_q == s3_base_q && s4_code_q == s3_code_q &&
                   (s3_mask_q & ~s4_mask_q) == '0;

    logic [N-1:0]         s4_exact_q, s4_wait_q, s4_evicted_q, s4_exact, s4_wait;
    logic [N*Lanes-1:0]   s4_gaps_q;
    logic                 s4_some_q;                // a lane is asked for
    logic [N*ShBits-1:0]  s4_shift_q;
    logic [N*PhyBits-1:0] s4_phys_q;
    logic                 s4_ahead_q;
    logic [PhyBits-1:0]   s4_ahead_phys_q;
    always_ff @(posedge clk_i) begin
        s4_lk_q <= rst_ni && s3_lk_q;
        if (s3_lk_q) begin
            s4_may_q        <= s3_fits_q && !s3_bar_q && !fl_valid_i;
            s4_question_q   <= s3_question_q;
            s4_base_q       <= s3_base_q;
            s4_code_q       <= s3_code_q;
            s4_mask_q       <= s3_mask_q;
            s4_mid_q        <= s3_mid_q;
            s4_row_q        <= s3_row_q;
            s4_class_q      <= s3_class_q;
            s4_evicted_q    <= evicted;
            s4_exact_q      <= exact;
            s4_wait_q       <= exact_wait;
            s4_gaps_q       <= gaps;
            s4_some_q       <= s3_mask_q != '0;
            s4_shift_q      <= shift;
            s4_phys_q       <= s3_phys;
            s4_ahead_q      <= ahead;
            s4_ahead_phys_q <= ins_phys_i;
        end
    end

    // ---- Stage 4: runs from either end. Runs from one end contain each other: their OR is the longest.
    // If each lane is in one of either kind, two entries suffice: where only runs from above reach the lowest lane, one
    // of these is all lanes, and so is that entry's run from below.
    logic [N*Lanes-1:0] run_low, run_high;
    logic [Lanes-1:0]   best_low, best_high, left, able;
    logic [N-1:0]       is_low, is_high, win_low, win_high, win_exact, win_wait;
    logic               hit, merge;
    assign s4_exact = s4_exact_q & ~s4_evicted_q;
    assign s4_wait  = s4_wait_q & ~s4_evicted_q;
    always @* begin
        best_low  = '0;
        best_high = '0;
        for (int i = 0; i < N; i = i + 1) begin
            able = s4_mask_q & {Lanes{!s4_evicted_q[i]}};
            run_low[i*Lanes +: Lanes]  = able & under(s4_gaps_q[i*Lanes +: Lanes]);
            run_high[i*Lanes +: Lanes] = able & above(s4_gaps_q[i*Lanes +: Lanes]);
            best_low  = best_low | run_low[i*Lanes +: Lanes];
            best_high = best_high | run_high[i*Lanes +: Lanes];
        end
        for (int i = 0; i < N; i = i + 1) begin
            is_low[i]  = (best_low & ~run_low[i*Lanes +: Lanes]) == '0;
            is_high[i] = (best_high & ~run_high[i*Lanes +: Lanes]) == '0;
        end
        win_high = is_high & (~is_high + N'(1));
    end
    assign win_low   = is_low & (~is_low + N'(1));
    assign win_exact = s4_exact & (~s4_exact + N'(1));
    assign win_wait  = s4_wait & (~s4_wait + N'(1));
    assign left      = s4_mask_q & ~best_low;
    assign hit       = s4_exact != '0 || s4_wait != '0 || s4_ahead_q;
    assign merge     = !hit && s4_some_q && (best_low | best_high | ~s4_mask_q) == '1;

    logic [PhyBits-1:0] phys_low, phys_high, phys_exact, phys_wait;
    logic [ShBits-1:0]  shift_low, shift_high;
    always @* begin
        phys_low = '0; phys_high = '0; phys_exact = '0; phys_wait = '0; shift_low = '0; shift_high = '0;
        for (int i = 0; i < N; i = i + 1) begin
            phys_low   = phys_low | ({PhyBits{win_low[i]}} & s4_phys_q[i*PhyBits +: PhyBits]);
            phys_high  = phys_high | ({PhyBits{win_high[i]}} & s4_phys_q[i*PhyBits +: PhyBits]);
            phys_exact = phys_exact | ({PhyBits{win_exact[i]}} & s4_phys_q[i*PhyBits +: PhyBits]);
            phys_wait  = phys_wait | ({PhyBits{win_wait[i]}} & s4_phys_q[i*PhyBits +: PhyBits]);
            shift_low  = shift_low | ({ShBits{win_low[i]}} & s4_shift_q[i*ShBits +: ShBits]);
            shift_high = shift_high | ({ShBits{win_high[i]}} & s4_shift_q[i*ShBits +: ShBits]);
        end
    end
    assign ans_valid_o  = s4_lk_q;
    assign ans_kind_o   = {merge, hit} & {2{s4_lk_q}};
    assign ans_wait_o   = s4_lk_q && hit && s4_exact == '0;
    assign ans_enter_o  = s4_lk_q && s4_may_q && !hit && !merge && !s4_question_q;
    assign ans_use_o    = {s4_lk_q && merge && left != '0, s4_lk_q && (hit || merge)};
    assign ans_phys_o   = {phys_high, !hit ? phys_low : s4_exact != '0 ? phys_exact
                                                      : s4_wait != '0 ? phys_wait : s4_ahead_phys_q};
    assign ans_shift_o  = {shift_high, hit ? ShBits'(0) : shift_low};
    assign ans_mask_o   = {left, hit ? s4_mask_q : best_low};

    // ---- Entering
    logic [Slots-1:0] s4_slot;                      // one-hot
    logic [WayBits-1:0] s4_next;
    always @* begin
        s4_way = '0;
        for (int b = 0; b < 3; b = b + 1)
            if (s4_mid_q[b]) s4_way = s4_way | WayBits'(fill_d >> (b*Rows + 32'(s4_row_q)) * WayBits);
        s4_slot = '0;
        for (int b = 0; b < 3; b = b + 1)
            if (s4_mid_q[b]) s4_slot[b*Rows*Ways +: Rows*Ways] = (Rows*Ways)'(s4_fill) << 32'(s4_row_q) * Ways;
    end
    assign s4_fill      = Ways'(1) << s4_way;
    assign s4_next      = s4_way == WayBits'(Ways - 1) ? '0 : s4_way + WayBits'(1);
    assign insert       = ins_valid_i && ans_enter_o && !fl_valid_i;
    assign ans_evicts_o = ans_enter_o && (valid & s4_slot) != '0;
    logic enters;
    assign enters = insert;
    always_ff @(posedge clk_i) begin
        new_slot_q  <= rst_ni && enters ? s4_slot : '0;
        new_bank_q  <= rst_ni && enters ? s4_mid_q : '0;
        for (int b = 0; b < 3; b = b + 1)
            new_at_q[b*Ways +: Ways] <= rst_ni && enters && s4_mid_q[b] ? s4_fill : '0;
        new_row_q   <= s4_row_q;
        new_phys_q  <= ins_phys_i;
        new_word_q  <= {s4_mask_q, s4_code_q, s4_base_q};
        new_next_q  <= s4_next;
    end

    // ---- Releases and arrivals: compared in the cycle after they came, done two cycles later
    logic               rel1_q, rel2_q;
    logic [NumWr-1:0]   arr1_q, arr2_q;
    logic [PhyBits-1:0] rel1_phys_q, rel2_phys_q;
    logic [NumWr*PhyBits-1:0] arr1_phys_q, arr2_phys_q;
    logic [Slots-1:0]   rel_match, arr_match, one_match;
    always @* begin
        rel_match = {Slots{rel1_q}};
        for (int p = 0; p < PhyBits; p = p + 1)
            rel_match = rel_match & ~(id_q[p*Slots +: Slots] ^ {Slots{rel1_phys_q[p]}});
        rel_match = (rel_match & ~new_slot_q) | (new_slot_q & {Slots{rel1_q && rel1_phys_q == new_phys_q}});
        arr_match = '0;
        for (int w = 0; w < NumWr; w = w + 1) begin
            one_match = {Slots{arr1_q[w]}};
            for (int p = 0; p < PhyBits; p = p + 1)
                one_match = one_match & ~(id_q[p*Slots +: Slots] ^ {Slots{arr1_phys_q[w*PhyBits + p]}});
            one_match = (one_match & ~new_slot_q) | (new_slot_q & {Slots{arr1_q[w] && arr1_phys_q[w*PhyBits +: PhyBits] == new_phys_q}});
            arr_match = arr_match | one_match;
        end
    end
    always_ff @(posedge clk_i) begin
        rel1_phys_q     <= rel_phys_i;
        rel2_phys_q     <= rel1_phys_q;
        rel_done_phys_o <= rel2_phys_q;
        arr1_phys_q     <= arr_phys_i;
        arr2_phys_q     <= arr1_phys_q;
        arr_done_phys_o <= arr2_phys_q;
        if (!rst_ni) begin
            rel1_q     <= 1'b0;
            rel2_q     <= 1'b0;
            rel_done_o <= 1'b0;
            arr1_q     <= '0;
            arr2_q     <= '0;
            arr_done_o <= '0;
        end else begin
            rel1_q     <= rel_valid_i;
            rel2_q     <= rel1_q;
            rel_done_o <= rel2_q;
            arr1_q     <= arr_valid_i;
            arr2_q     <= arr1_q;
            arr_done_o <= arr2_q;
        end
    end

    // ---- Next state
    logic [Slots-1:0] kill;
    always @* begin
        kill = '0;
        for (int b = 0; b < 3; b = b + 1)
            kill[b*Rows*Ways +: Rows*Ways] =
                (Rows*Ways)'(die[b*Ways +: Ways]) << 32'(s3_rows_q[b*RowW +: RowW]) * Ways;
        valid_d = valid & ~rel_match & ~kill;
        data_d  = data | arr_match;
        if (fl_valid_i) valid_d = '0;
        met_d = (met_q | (insert ? s4_class_q : '0)) & {Classes{!fl_valid_i}};
        fill_d = fill_q;
        for (int b = 0; b < 3; b = b + 1)
            for (int r = 0; r < Rows; r = r + 1)
                if (new_bank_q[b] && new_row_q == RowW'(r)) fill_d[(b*Rows + r)*WayBits +: WayBits] = new_next_q;
    end
    logic [2:0] place;                              // where a store enters
    always @* begin
        place   = count_q - 3'(leave);
        count_d = fl_valid_i ? '0 : place + 3'(st_go);
        low_d   = leave ? low_q >> AddrBits : low_q;
        last_d  = leave ? last_q >> LineBits : last_q;
        age_d   = leave ? age_q >> 2 : age_q;
        for (int i = 0; i < Depth; i = i + 1)
            if (age_d[2*i +: 2] != 2'd3) age_d[2*i +: 2] = age_d[2*i +: 2] + 2'd1;
        for (int i = 0; i < Depth; i = i + 1)
            if (st_go && place == 3'(i)) begin
                low_d[i*AddrBits +: AddrBits]  = st_low_i;
                last_d[i*LineBits +: LineBits] = st_high_i[LineBits-1:0];
                age_d[2*i +: 2]                = 2'd1;
            end
        todo_d = fl_valid_i ? '0 : ripe_first ? need : step_go ? rest : todo_q;
    end
    logic unused_high;
    assign unused_high = ^st_high_i[AddrBits-1:LineBits] ^ ^mid1[LaneBits-1:0] ^ ^mid2[LaneBits-1:0] ^ ^beyond[LaneBits-1:0];

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q <= '0;
            fill_q  <= '0;
            met_q   <= '0;
            count_q <= '0;
            todo_q  <= '0;
        end else begin
            valid_q <= valid_d;
            fill_q  <= fill_d;
            met_q   <= met_d;
            count_q <= count_d;
            todo_q  <= todo_d;
        end
    end
    always_ff @(posedge clk_i) begin
        data_q <= data_d;
        low_q  <= low_d;
        last_q <= last_d;
        age_q  <= age_d;
        if (ripe_first) begin
            first_q  <= mid1[AddrBits:LaneBits];
            second_q <= mid2[AddrBits:LaneBits];
        end
        for (int p = 0; p < PhyBits; p = p + 1)
            id_q[p*Slots +: Slots] <= (id_q[p*Slots +: Slots] & ~new_slot_q) | (new_slot_q & {Slots{new_phys_q[p]}});
    end

`ifdef RF_OBS
    logic [MemW-1:0] obs_word;
    localparam int SlotBits = $clog2(Slots);
    logic [SlotBits-1:0] obs_slot;
    assign obs_slot = SlotBits'(obs_addr_i);
    assign obs_row  = RowBits > 0 && obs_addr_i < Slots ? RowW'(obs_addr_i % (Rows * Ways) / Ways) : '0;
    assign obs_word = MemW'(obs_rows >> (obs_addr_i / (Rows * Ways) * Ways + obs_addr_i % Ways) * MemW);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (valid[obs_slot]) begin
                obs_data_o[31] = 1'b1;
                obs_data_o[30] = data[obs_slot];
                for (int p = 0; p < PhyBits; p = p + 1)
                    obs_data_o[p] = new_slot_q[obs_slot] ? new_phys_q[p] : id_q[p*Slots + 32'(obs_slot)];
                obs_data_o[16 +: CodeBits] = obs_word[AddrBits +: CodeBits];
                obs_data_o[32 +: AddrBits] = obs_word[0 +: AddrBits];
                obs_data_o[64 +: Lanes]    = obs_word[AddrBits+CodeBits +: Lanes];
            end
        end else if (obs_addr_i < Slots + Lines) begin
            obs_data_o[0 +: WayBits] = WayBits'(fill_d >> (obs_addr_i - Slots) * WayBits);
        end else if (obs_addr_i == Slots + Lines) begin
            obs_data_o[2:0]           = count_q;
            obs_data_o[4 +: Classes]  = met_q;
            obs_data_o[16 +: Steps]   = todo_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = RowBits;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Ways;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumWr;
        else
            for (int i = 0; i < Depth; i = i + 1)
                if (obs_addr_i == Slots + Lines + 1 + i && 3'(i) < count_q) begin
                    obs_data_o[31]             = 1'b1;
                    obs_data_o[29:28]          = age_q[2*i +: 2];
                    obs_data_o[0 +: LineBits]  = last_q[i*LineBits +: LineBits];
                    obs_data_o[32 +: AddrBits] = low_q[i*AddrBits +: AddrBits];
                end
    end
`endif

`ifdef SIM
    initial begin
        if (RowBits < 0 || RowBits > 6) $fatal(1, "addr_map_table: RowBits = %0d, legal is 0..6", RowBits);
        if (Ways < 1 || Ways > 8) $fatal(1, "addr_map_table: Ways = %0d, legal is 1..8", Ways);
        if (Banks < 1 || Banks > 32) $fatal(1, "addr_map_table: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "addr_map_table: Entries = %0d, legal is 2..1024", Entries);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "addr_map_table: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif
`ifdef FORMAL
    // Contract: when answers come and what they are made of; which entries answer, out of all slots and without windows;
    // a flush leaves nothing and reaches every look-up under way; releases are done after three cycles.
    logic             f_past;
    logic [2:0]       f_lk, f_flushed, f_question, f_rel;
    logic [3*Lanes-1:0] f_mask;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_lk       <= rst_ni ? {f_lk[1:0], lk_go} : '0;
        f_rel      <= rst_ni ? {f_rel[1:0], rel_valid_i} : '0;
        f_flushed  <= {f_flushed[1:0], 1'b0} | {3{fl_valid_i}};
        f_question <= {f_question[1:0], lk_question_i};
        f_mask     <= {f_mask[2*Lanes-1:0], lk_mask_i};
    end
    always_comb begin
        assume (st_low_i[AddrBits-1:LineBits] == st_high_i[AddrBits-1:LineBits] && st_low_i <= st_high_i);
        if (f_past) begin
            assert (s2_lk_q == f_lk[0] && s3_lk_q == f_lk[1] && ans_valid_o == f_lk[2]);
            if (f_lk[0]) assert (s2_mask_q == f_mask[0 +: Lanes] && s2_question_q == f_question[0] && (s2_bar_q || !f_flushed[0]));
            if (f_lk[1]) assert (s3_mask_q == f_mask[Lanes +: Lanes] && s3_question_q == f_question[1] && (s3_bar_q || !f_flushed[1]));
            if (f_lk[2]) assert (s4_mask_q == f_mask[2*Lanes +: Lanes] && s4_question_q == f_question[2]);
            assert (count_q <= 3'(Depth));
            assert (st_ready_o == (count_q != 3'(Depth)));
            if (lk_valid_i && !lk_question_i) assert (lk_ready_o);
            if (lk_question_i && lk_ready_o) assert (count_q == '0 && !st_valid_i);
            assert (rel_done_o == f_rel[2] && rel2_q == f_rel[1] && rel1_q == f_rel[0]);
            // the answer
            if (ans_valid_o) begin
                assert (ans_kind_o != 2'd3 && ans_use_o[0] == (ans_kind_o != 2'd0));
                if (ans_use_o[1]) assert (ans_kind_o == 2'd2);
                if (ans_wait_o) assert (ans_kind_o == 2'd1);
                if (ans_enter_o) assert (ans_kind_o == 2'd0 && !f_question[2]);
                if (ans_kind_o == 2'd1) assert (ans_mask_o[0 +: Lanes] == f_mask[2*Lanes +: Lanes]);
                if (ans_kind_o == 2'd2) begin
                    assert ((ans_mask_o[0 +: Lanes] | ans_mask_o[Lanes +: Lanes]) == f_mask[2*Lanes +: Lanes]);
                    assert ((ans_mask_o[0 +: Lanes] & ans_mask_o[Lanes +: Lanes]) == '0);
                end
            end else assert (ans_use_o == 2'b00 && !ans_enter_o && !ans_wait_o);
            cover (ans_valid_o && ans_kind_o == 2'd1);
            cover (st_died_o != '0);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && rst_ni) begin
            if ($past(fl_valid_i)) assert (valid == '0 && count_q == '0 && met_q == '0 && todo_q == '0);
            // what a flush met is a miss and is not entered
            if (ans_valid_o && ($past(fl_valid_i) || $past(fl_valid_i, 2))) assert (ans_kind_o == 2'd0 && !ans_enter_o);
        end

    // Which entries answer the look-up of stage 3: every slot is compared with it, lane by lane.
    logic                 f_ok, f_ahead, f_pow2;
    logic [Slots-1:0]     f_exact, f_here;          // an entry of all the words, with its data or not; that may be read
    logic [Slots*Lanes-1:0] f_low, f_high;          // lanes that it has from the lowest up, the highest down
    logic [Slots*ShBits-1:0] f_away;                // lane of the entry - lane of the load
    logic [Lanes-1:0]     f_has, f_best_low, f_best_high;
    logic                 f_on;
    logic [AddrBits-1:0]  f_stride, f_base;
    logic [CodeBits-1:0]  f_code;
    logic [Lanes-1:0]     f_held_mask;
    assign f_ok     = s3_lk_q && s3_fits_q && !s3_bar_q && !fl_valid_i;
    assign f_ahead  = f_ok && insert && s4_base_q == s3_base_q && s4_code_q == s3_code_q && (s3_mask_q & ~s4_mask_q) == '0;
    assign f_pow2   = $countones(s3_code_q) == 1;
    assign f_stride = AddrBits'(s3_code_q) << 2;
    always @* begin
        f_best_low = '0; f_best_high = '0;
        f_low = '0; f_high = '0; f_away = '0; f_exact = '0; f_here = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            {f_held_mask, f_code, f_base} = f_held[i*MemW +: MemW];
            f_here[i]  = f_ok && valid[i] && !(insert && s4_slot[i]) && f_code == s3_code_q;
            f_exact[i] = f_here[i] && f_base == s3_base_q && (s3_mask_q & ~f_held_mask) == '0;
            f_has = '0;
            for (int k = 1 - Lanes; k < Lanes; k = k + 1)
                if (s3_base_q == f_base + AddrBits'(k) * f_stride) begin
                    f_away[i*ShBits +: ShBits] = ShBits'(k);
                    for (int l = 0; l < Lanes; l = l + 1)
                        if (l + k >= 0 && l + k < Lanes) f_has[l] = f_held_mask[l + k] && s3_mask_q[l];
                end
            if (!f_here[i] || !f_pow2 || !data[i]) f_has = '0;
            f_on = 1'b1;
            for (int l = 0; l < Lanes; l = l + 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_low[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_on = 1'b1;
            for (int l = Lanes - 1; l >= 0; l = l - 1) begin
                if (s3_mask_q[l] && !f_has[l]) f_on = 1'b0;
                f_high[i*Lanes + l] = f_on && s3_mask_q[l];
            end
            f_best_low  = f_best_low | f_low[i*Lanes +: Lanes];
            f_best_high = f_best_high | f_high[i*Lanes +: Lanes];
        end
    end
    // .. of equals the lowest slot
    logic                 f_hit, f_wait, f_merge;
    logic [PhyBits-1:0]   f_phys, f_phys_high, f_id;
    logic [ShBits-1:0]    f_shift, f_shift_high;
    always @* begin
        f_hit  = f_exact != '0 || f_ahead;
        f_wait = (f_exact & data) == '0;
        f_merge = !f_hit && f_best_low != '0 && (s3_mask_q & ~f_best_low & ~f_best_high) == '0;
        f_phys = ins_phys_i; f_phys_high = '0; f_shift = '0; f_shift_high = '0;
        for (int i = Slots - 1; i >= 0; i = i - 1) begin
            for (int p = 0; p < PhyBits; p = p + 1) f_id[p] = new_slot_q[i] ? new_phys_q[p] : id_q[p*Slots + i];
            if (f_hit ? f_exact[i] && (f_wait || data[i]) : f_low[i*Lanes +: Lanes] == f_best_low) begin
                f_phys  = f_id;
                f_shift = f_hit ? '0 : f_away[i*ShBits +: ShBits];
            end
            if (f_high[i*Lanes +: Lanes] == f_best_high) begin
                f_phys_high  = f_id;
                f_shift_high = f_away[i*ShBits +: ShBits];
            end
        end
    end
    logic                 f4_hit, f4_wait, f4_merge;
    logic [PhyBits-1:0]   f4_phys, f4_phys_high;
    logic [ShBits-1:0]    f4_shift, f4_shift_high;
    logic [Lanes-1:0]     f4_low;
    always_ff @(posedge clk_i) begin
        f4_hit  <= f_hit;
        f4_wait <= f_hit && f_wait;
        f4_merge <= f_merge;
        f4_phys <= f_phys;
        f4_phys_high <= f_phys_high;
        f4_shift <= f_shift;
        f4_shift_high <= f_shift_high;
        f4_low <= f_best_low;
    end
    // An entry lies in the bank and the row of its window, and was one that may be entered.
    logic [Slots-1:0]     f_placed;
    logic [WinBits-1:0]   f_window;
    logic [AddrBits-1:0]  f_at;
    logic [CodeBits-1:0]  f_with;
    logic [AddrBits:0]    f_end;
    always @* begin
        f_placed = '0;
        for (int i = 0; i < Slots; i = i + 1) begin
            f_at   = f_held[i*MemW +: AddrBits];
            f_with = f_held[i*MemW + AddrBits +: CodeBits];
            f_window = window_of(f_at, class_of(f_with));
            f_end = {1'b0, f_at} + (AddrBits+1)'(f_with) * (AddrBits+1)'(4 * (Lanes - 1)) + (AddrBits+1)'(3);
            f_placed[i] = 32'(mod3(f_window)) == i / (Rows * Ways) && 32'(fold(f_window)) == i / Ways % Rows &&
                          f_with <= Most && !f_end[AddrBits];
        end
    end
    always_comb
        if (f_past) begin
            assert ((valid & ~f_placed) == '0);
            // the latch names one slot, by number and by bank, row and way
            for (int i = 0; i < Slots; i = i + 1)
                assert (new_slot_q[i] == (new_at_q[i / (Rows * Ways) * Ways + i % Ways] && 32'(new_row_q) == i / Ways % Rows));
            if (ans_valid_o) begin
                assert (ans_kind_o == {f4_merge, f4_hit} && ans_wait_o == f4_wait);
                if (ans_kind_o != 2'd0) assert (ans_phys_o[0 +: PhyBits] == f4_phys && ans_shift_o[0 +: ShBits] == f4_shift);
                if (ans_kind_o == 2'd2) assert (ans_mask_o[0 +: Lanes] == f4_low);
                if (ans_use_o[1])
                    assert (ans_phys_o[PhyBits +: PhyBits] == f4_phys_high && ans_shift_o[ShBits +: ShBits] == f4_shift_high);
            end
            cover (ans_valid_o && ans_use_o == 2'b11);
        end
`endif
endmodule
