// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_scan, proved by ci/formal, which includes it at the end of the module. It
// holds for any row f_row of any word f_word. The word keeps its flag from the write that frees the
// row until a read finds no row to open. A row that is opened exists, is not open yet and matches
// the wish. A word that is named has a flag.
    (* anyconst *) logic [WordBits-1:0] f_word;
    (* anyconst *) logic [2:0]          f_row;
    logic       f_past, f_open, f_exists, f_here, f_full, f_some, f_fits, f_useful, f_asked, f_waited, f_load_open;
    logic [3:0] f_used;
    logic [2:0] f_n;
    initial f_past = 1'b0;
    assign f_used   = word_i[f_row*RowBits +: 4];
    assign f_exists = 32'({f_word, f_row}) < Entries;
    assign f_n      = {1'b0, wish_n_q};
    always_comb begin
        f_open      = 1'b0;
        f_load_open = 1'b0;
        for (int k = 0; k < Open; k = k + 1)
            if (valid_i[k]) begin
                if (32'(entry_i[k*EntryBits +: EntryBits]) == 32'({f_word, f_row})) f_open = 1'b1;
                if (32'(entry_i[k*EntryBits +: EntryBits]) == 32'({op_word_i, load_row_o})) f_load_open = 1'b1;
            end
        f_here   = op_word_i == f_word && f_exists && !f_open;
        f_useful = f_used != '0 && f_used != '1 && !(word_i[f_row*RowBits + 4] && !yield_i);
        f_fits   = f_useful && ones(~f_used) >= f_n &&
                   (wish_side_q == '0 || (wish_side_q[0] ? (f_used | 4'b1111 >> f_n) == (4'b1111 >> f_n)
                                                         : (f_used | 4'b1111 << f_n) == (4'b1111 << f_n)));
        f_asked = 1'b0;
        for (int w = 0; w < NumWr; w = w + 1)
            if ((took_i[w] || wait_i[w]) && !full_i[w] && !size_i[w*3 + 2]) f_asked = 1'b1;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // required flags
        f_full <= rst_ni && ((f_full && !(freshens_i && op_word_i == f_word && !load_o)) ||
                  (wrote_i && wrote_word_i == f_word && wrote_row_i[3:0] == '0));
        f_some <= rst_ni && ((f_some && !(wishes_i && op_word_i == f_word && !(f_here && f_useful))) || yield_new_i ||
                  (wrote_i && wrote_word_i == f_word && wrote_row_i[3:0] != '0 && wrote_row_i[3:0] != '1 &&
                   !wrote_row_i[4]));
        f_waited <= rst_ni && f_asked;
    end
    always_comb begin
        assume (32'(f_word) < Words && 32'(op_word_i) < Words && 32'(wrote_word_i) < Words);
        assume (!(freshens_i && wishes_i));
        if (freshens_i || wishes_i || wrote_i || took_i != '0 || wait_i != '0 || wish_q || moved_q || yield_new_i || can_fresh_o)
            assume (stirs_i);
        if (wishes_i) assume (wish_q);
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (size_i[w*3 +: 2] == 2'd0) assume (size_i[w*3 + 2]);
            assume (!(left_i[w] && right_i[w]));
        end
    end
    always_comb if (f_past) begin
        if (f_full) assert (full_q[f_word]);
        if (f_some) assert (some_q[f_word]);
        assert (any_full_o == (full_q != '0));
        if (load_o) begin
            assert (freshens_i || wishes_i);
            assert (32'({op_word_i, load_row_o}) < Entries && !f_load_open);
            if (freshens_i) assert (load_data_o == '0);
            else if (32'({op_word_i, load_row_o}) == 32'({f_word, f_row}))
                assert (f_fits && load_data_o == word_i[f_row*RowBits +: RowBits]);
        end
        if (freshens_i && f_here && f_used == '0) assert (load_o);
        if (wishes_i && f_here && f_fits) assert (load_o);
        if (can_scan_o) begin
            assert (!scans_i && valid_i != '1);
            if (can_fresh_o) assert (few_whole_i && full_q[fresh_word_o]);
            else assert (wish_q && some_q[wish_word_o] && PtrBits'(wish_word_o) >= ptr_q);
        end
        // a request became the wish, or a wish was valid already
        if (f_waited) assert (wish_q);
        if (wish_q) assert (wish_n_q != '0 && !(wish_side_q[0] && wish_side_q[1]));
        assert (level_q >= 3'd1 && level_q <= 3'd4 && 32'(ptr_q) <= Words);
        cover (load_o && wishes_i && load_row_o == 3'd1);
        cover (load_o && freshens_i);
        cover (demand_o && level_o == 3'd3);
    end
