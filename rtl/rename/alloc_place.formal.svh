// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_place, proved by ci/formal, which includes it at the end of the module. If
// a row fits, an offered row is named. Its named slices are free, as many as requested, and at the
// requested side if side_o is set. No other row that fits is better.
    (* anyconst *) logic [2:0] f_other;   // any open row
    logic [3:0] f_used, f_end;            // slices in use of the row that is named; those at the side
    logic       f_fits, f_ends, f_whole;  // the other row fits, at the side, is wholly free
    always_comb begin
        assume (32'(f_other) < Open);
        assume (size_i >= 3'd1 && size_i <= 3'd4 && !(left_i && right_i));
        if (size_i[2] || full_i) assume (!left_i && !right_i);
        if (size_i[2]) assume (!full_i);
        for (int k = 0; k < Open; k = k + 1) assume (whole_i[k] == (used_i[k*4 +: 4] == '0));
        f_used = '0;
        for (int k = 0; k < Open; k = k + 1) if (row_o[k]) f_used = f_used | used_i[k*4 +: 4];
        f_end   = left_i ? ~(4'b1111 >> size_i) : 4'b1111 >> (3'd4 - size_i);
        f_whole = used_i[f_other*4 +: 4] == '0;
        f_fits  = offered_i[f_other] && (full_i ? f_whole : ones(~used_i[f_other*4 +: 4]) >= size_i);
        f_ends  = f_fits && (left_i || right_i) && (used_i[f_other*4 +: 4] & f_end) == '0;
        // a port that does not ask gets no answer
        if (!ask_i) assert ({fit_o, may_o, side_o, row_o, whole_o, entry_o, mask_o} == '0);
        assert ((row_o & (row_o - Open'(1))) == '0 && (row_o & ~offered_i) == '0);
        if (ask_i) begin
            assert (fit_o == (row_o != '0));
            if (f_fits) assert (fit_o && may_o);
            if (full_i ? !dry_full_i : size_i < level_i || !dry_full_i) assert (full_i || size_i[2] && dry_full_i || may_o);
            if (f_ends) assert (side_o);
        end
        if (fit_o) begin
            assert ((mask_o & f_used) == '0 && ones(mask_o) == size_i);
            assert (whole_o == (f_used == '0));
            if (full_i) assert (whole_o);
            if (side_o) assert ((left_i || right_i) && mask_o == f_end);
            // If rows have the side free, only those compete. A partly used row precedes a whole
            // one; then the order decides.
            if (!full_i && (side_o ? f_ends : f_fits) && !f_whole) assert (!whole_o);
            for (int k = 0; k < Open; k = k + 1)
                if (row_o[k]) begin
                    assert (entry_o == entry_i[k*EntryBits +: EntryBits]);
                    if ((side_o ? f_ends : f_fits) && f_whole == whole_o)
                        assert (High == 1 ? 32'(f_other) <= k : 32'(f_other) >= k);
                end
        end
        cover (fit_o && side_o && mask_o == 4'b1110);
        cover (fit_o && !side_o && left_i && mask_o == 4'b0110);
        cover (ask_i && may_o && !fit_o);
    end
