// SPDX-License-Identifier: Apache-2.0
// Purpose:    the scanner that renews the open rows of a bank. Two flags per word of the map mark
//             words that may have wholly and partly free rows. It names the word to read, for a
//             fresh row or for the wish: a row that a request waits for or took. Then it finds the
//             row in that word. Part of alloc_bank, see models/rename/alloc_unit.h (`Operations`).
// Parameters: Entries, 2..1024: physical registers of the bank; NumWr, 1..4: requests per cycle.
// Timing:     the words are valid in the same cycle, the row when the operation executes. A sweep
//             for a wish passes through the flags of partly free rows once, from ptr_q on. A write
//             to a lower word moves ptr_q to that word.
// Reset:      all words may have wholly free rows, none partly free ones; no wish.
// Left out:   the order of operations (alloc_select), the open rows (alloc_open).
// Shapes:     - ; Entries=2,NumWr=1 ; Entries=1000,NumWr=4
// Proof:      sat:8:Entries=9,NumWr=1
// Proof:      sat:8:Entries=20,NumWr=2

`include "macros.svh"

module alloc_scan #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int Words     = (Entries + 7) / 8,
    localparam int WordBits  = Words > 1 ? $clog2(Words) : 1,
    localparam int PtrBits   = $clog2(Words + 1),
    localparam int RowBits   = 5,                     // {reserved, used}
    localparam int Open      = 5
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      stirs_i,
    // reservations do not count; they will not from the next cycle on
    input  logic                      yield_i,
    input  logic                      yield_new_i,
    // the open rows; at most one of them is wholly free
    input  logic [Open-1:0]           valid_i,
    input  logic [Open*EntryBits-1:0] entry_i,
    input  logic                      few_whole_i,
    // a scan is in flight; one for a fresh row, for the wish executes; an operation is stale; its
    // word
    input  logic                      scans_i,
    input  logic                      freshens_i,
    input  logic                      wishes_i,
    input  logic                      stale_i,
    input  logic [WordBits-1:0]       op_word_i,
    input  logic [8*RowBits-1:0]      word_i,
    // a row that is written to the map
    input  logic                      wrote_i,
    input  logic [WordBits-1:0]       wrote_word_i,
    input  logic [RowBits-1:0]        wrote_row_i,
    // ports that took a place here in the previous cycle, ports that wait for one, and their
    // requests
    input  logic [NumWr-1:0]          took_i,
    input  logic [NumWr-1:0]          wait_i,
    input  logic [NumWr-1:0]          full_i,
    input  logic [NumWr*3-1:0]        size_i,
    input  logic [NumWr-1:0]          left_i,
    input  logic [NumWr-1:0]          right_i,
    `OBS_PORT(output logic [31:0]               obs_full_o)
    `OBS_PORT(output logic [31:0]               obs_some_o)
    `OBS_PORT(output logic [PtrBits-1:0]        obs_ptr_o)
    `OBS_PORT(output logic [3:0]                obs_wish_o)
    // Output any_full_o: a word may have a wholly free row; wish_o, demand_o: there is a wish, of a
    // port that waits. Output moved_o: ptr or flags changed since the operation that executes was
    // selected; level_o: each row that is not open has fewer free slices.
    output logic                      any_full_o,
    output logic                      wish_o,
    output logic                      demand_o,
    output logic                      moved_o,
    output logic [2:0]                level_o,
    // the word to be read, for a fresh row, for the wish
    output logic                      can_scan_o,
    output logic                      can_fresh_o,
    output logic [WordBits-1:0]       fresh_word_o,
    output logic [WordBits-1:0]       wish_word_o,
    // the row that is opened
    output logic                      load_o,
    output logic [2:0]                load_row_o,
    output logic [RowBits-1:0]        load_data_o
);

    `include "rename/slices.svh"
    // The rows of a word that exist.
    function automatic [7:0] exist(input [WordBits-1:0] word);
        integer r;
        for (r = 0; r < 8; r = r + 1) exist[r] = 32'(word) * 8 + r < Entries;
    endfunction

    logic [Words-1:0]   full_q, some_q;
    logic               wish_q, demand_q;
    logic [1:0]         wish_n_q, wish_side_q;
    logic [PtrBits-1:0] ptr_q;
    logic               moved_q;
    logic [2:0]         level_q;
    assign any_full_o = full_q != '0;
    assign wish_o     = wish_q;
    assign demand_o   = wish_q && demand_q;
    assign moved_o    = moved_q;
    assign level_o    = level_q;

    // ---- The word to be read
    logic [Words-1:0] ahead, first_full, first_some;
    logic             can_wish;
    assign can_fresh_o = few_whole_i && full_q != '0;
    always @* begin
        ahead      = '0;
        can_wish   = 1'b0;
        can_scan_o = 1'b0;
        if (stirs_i) begin
            ahead      = some_q & ({Words{1'b1}} << ptr_q);
            can_wish   = wish_q && ahead != '0;
            can_scan_o = !scans_i && valid_i != '1 && (can_fresh_o || can_wish);
        end
    end
    find_first #(.Width(Words)) u_full (
        .set_i(full_q), .from_i({Words{1'b1}}), .first_o(first_full)
    );
    find_first #(.Width(Words)) u_some (
        .set_i(ahead), .from_i({Words{1'b1}}), .first_o(first_some)
    );
    onehot_index #(.Width(Words)) u_fresh_word (
        .one_i(first_full), .index_o(fresh_word_o)
    );
    onehot_index #(.Width(Words)) u_wish_word (
        .one_i(first_some), .index_o(wish_word_o)
    );

    // ---- Rows of the word that was read
    logic [7:0] unopened, useful, found, found_one;
    always @* begin
        unopened    = '0;
        found       = '0;
        found_one   = '0;
        useful      = '0;
        load_o      = 1'b0;
        load_row_o  = '0;
        load_data_o = '0;
        if (freshens_i || wishes_i) begin
            unopened = exist(op_word_i);
            for (int k = 0; k < Open; k = k + 1)
                if (valid_i[k] && WordBits'(entry_i[k*EntryBits +: EntryBits] >> 3) == op_word_i)
                    unopened[3'(entry_i[k*EntryBits +: EntryBits])] = 1'b0;
            for (int r = 0; r < 8; r = r + 1) begin
                useful[r] = unopened[r] && word_i[r*RowBits +: 4] != '0 && word_i[r*RowBits +: 4] != '1 &&
                            !(word_i[r*RowBits + 4] && !yield_i);
                found[r]  = freshens_i ? unopened[r] && word_i[r*RowBits +: 4] == '0
                          : useful[r] && many(~word_i[r*RowBits +: 4], {1'b0, wish_n_q}) &&
                            (wish_side_q == '0 ||
                             (word_i[r*RowBits +: 4] & at_end(wish_side_q[0], {1'b0, wish_n_q})) == '0);
            end
            load_o    = found != '0;
            found_one = found & (~found + 8'd1);
            for (int r = 0; r < 8; r = r + 1)
                if (found_one[r]) begin
                    load_row_o  = load_row_o | 3'(r);
                    load_data_o = load_data_o | word_i[r*RowBits +: RowBits];
                end
            if (freshens_i) load_data_o[4] = 1'b0;
        end
    end

    // ---- Flags. All of a kind in one update, which is a few operations for a simulator.
    logic             wrote_full, wrote_some;
    logic [Words-1:0] here, wrote;
    always @* begin
        wrote_full = 1'b0;
        wrote_some = 1'b0;
        if (wrote_i) begin
            wrote_full = wrote_row_i[3:0] == '0;
            wrote_some = wrote_row_i[3:0] != '0 && wrote_row_i[3:0] != '1 && (!wrote_row_i[4] || yield_i);
        end
    end
    assign here  = freshens_i || wishes_i ? Words'(1) << op_word_i : '0;
    assign wrote = wrote_i ? Words'(1) << wrote_word_i : '0;
    always_ff @(posedge clk_i) begin
        full_q <= !rst_ni ? '1 : (full_q & ~(freshens_i && !load_o ? here : '0)) | (wrote_full ? wrote : '0);
        some_q <= !rst_ni ? '0 : (some_q & ~(wishes_i && !load_o && useful == '0 ? here : '0)) |
                                 (wrote_some ? wrote : '0) | (yield_new_i ? '1 : '0);
    end

    // ---- The wish: what was asked for in the cycle before; what waits comes first
    logic       wishing, demands;
    logic [1:0] want_n, want_side;
    always @* begin
        wishing   = 1'b0;
        demands   = 1'b0;
        want_n    = '0;
        want_side = '0;
        if ((took_i | wait_i) != '0) begin
            for (int w = NumWr - 1; w >= 0; w = w - 1)
                if (took_i[w] && !full_i[w] && !size_i[w*3 + 2]) begin
                    wishing   = 1'b1;
                    want_n    = size_i[w*3 +: 2];
                    want_side = {right_i[w], left_i[w]};
                end
            for (int w = NumWr - 1; w >= 0; w = w - 1)
                if (wait_i[w] && !full_i[w] && !size_i[w*3 + 2]) begin
                    wishing   = 1'b1;
                    demands   = 1'b1;
                    want_n    = size_i[w*3 +: 2];
                    want_side = '0;
                end
        end
    end
    logic               wish_v, ends_sweep, wish_new;
    logic [PtrBits-1:0] ptr_d;
    always @* begin
        ends_sweep = 1'b0;
        wish_v     = 1'b0;
        wish_new   = 1'b0;
        ptr_d      = ptr_q;
        if (stirs_i) begin
            ends_sweep = wish_q && !scans_i && ahead == '0;
            wish_v     = wish_q && !ends_sweep && !(wishes_i && load_o);
            if (wishes_i && !load_o && !moved_q) ptr_d = PtrBits'(op_word_i) + PtrBits'(1);
            if (wrote_some && PtrBits'(wrote_word_i) < ptr_d) ptr_d = PtrBits'(wrote_word_i);
            wish_new   = wishing && (demands ? !(wish_v && demand_q && wish_n_q == want_n) : !wish_v);
            if (yield_new_i || wish_new) ptr_d = '0;
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            wish_q      <= 1'b0;
            demand_q    <= 1'b0;
            wish_n_q    <= '0;
            wish_side_q <= '0;
            ptr_q       <= '0;
            moved_q     <= 1'b0;
            level_q     <= 3'd4;
        end else if (stirs_i) begin
            wish_q  <= wish_v || wish_new;
            ptr_q   <= ptr_d;
            moved_q <= wish_new || yield_new_i || wrote_some || (stale_i && moved_q);
            if (wish_new) begin
                demand_q    <= demands;
                wish_n_q    <= want_n;
                wish_side_q <= want_side;
            end
            if (wrote_some || yield_new_i) level_q <= 3'd4;
            else if (ends_sweep && wish_side_q == '0 && {1'b0, wish_n_q} < level_q)
                level_q <= {1'b0, wish_n_q};
        end
    end

    `CHECK_RANGE(alloc_scan, Entries, 2, 1024)
    `CHECK_RANGE(alloc_scan, NumWr, 1, 4)
    `include "rename/alloc_scan.obs.svh"
endmodule
