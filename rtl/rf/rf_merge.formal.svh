// SPDX-License-Identifier: Apache-2.0
// The contract of rf_merge, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any writer f_w and bank f_b: the lowest writer that asks reads at its old
    // place, before all collectors. The collectors keep their order. Only that writer continues
    // when the read is granted. A row goes to the collector that asked for it and is unpacked as
    // that says. A row of the merge read is unpacked as the writer holds it, and goes to the
    // writer.
    (* anyconst *) logic [31:0] f_w;
    (* anyconst *) logic [31:0] f_b;
    logic [ReaderBits-1:0] f_reader;
    always_comb begin
        assume (f_w < NumWr && f_b < Banks);
        f_reader = row_reader_i[f_b*ReaderBits +: ReaderBits];
        assume (f_reader <= ReaderBits'(NumColl));
        // one merge read at a time is granted, and its row arrives in the next cycle, from its bank
        // alone
        assume ((merge_get_i & (merge_get_i - NumWr'(1))) == '0);
        assume (!(rd_grant_i && merge_ask_i == '0));
        for (int b = 0; b < Banks; b = b + 1)
            if (merge_get_i[f_w])
                assume ((row_valid_i[b] && row_reader_i[b*ReaderBits +: ReaderBits] == ReaderBits'(NumColl)) ==
                        (old_bank_i[f_w*BankBits +: BankBits] == BankBits'(b)));
        // the writer that continues
        assert (rd_valid_o == {merge_ask_i != '0, coll_valid_i});
        assert ((merge_go_o & (merge_go_o - NumWr'(1))) == '0 && (merge_go_o & ~merge_ask_i) == '0);
        assert (rd_grant_i == (merge_go_o != '0));
        if (merge_go_o[f_w])
            assert (merge_bank_o == old_bank_i[f_w*BankBits +: BankBits] &&
                    merge_entry_o == old_entry_i[f_w*EntryBits +: EntryBits] &&
                    (merge_ask_i & ((NumWr'(1) << f_w) - NumWr'(1))) == '0);
        for (int c = 0; c < NumColl; c = c + 1)
            assert (rd_older_o[c*Readers + NumColl] && !rd_older_o[NumColl*Readers + c] &&
                    rd_older_o[c*Readers +: NumColl] == coll_older_i[c*NumColl +: NumColl]);
        // rows
        assert (row_coll_valid_o[f_b] == (row_valid_i[f_b] && f_reader != ReaderBits'(NumColl)));
        assert (row_merge_o[f_b] == (row_valid_i[f_b] && f_reader == ReaderBits'(NumColl)));
        if (row_coll_valid_o[f_b])
            assert (ReaderBits'(row_coll_o[f_b*CollBits +: CollBits]) == f_reader &&
                    row_mask1_o[f_b*4 +: 4] == coll_mask1_i[f_b*4 +: 4] &&
                    row_mask2_o[f_b*4 +: 4] == coll_mask2_i[f_b*4 +: 4]);
        if (merge_get_i[f_w] && 32'(old_bank_i[f_w*BankBits +: BankBits]) == f_b)
            assert (row_merge_o[f_b] && row_mask1_o[f_b*4 +: 4] == old_mask_i[f_w*4 +: 4] &&
                    row_mask2_o[f_b*4 +: 4] == 4'd0 && merge_row_o == row_first_i[f_b*Row +: Row]);
        if (Banks > 1) cover (merge_get_i[f_w] && row_coll_valid_o != '0);
        if (NumWr > 1) cover (merge_go_o[f_w] && merge_ask_i != merge_go_o);
        cover (row_merge_o[f_b] && merge_ask_i != '0);
    end
