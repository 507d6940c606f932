// SPDX-License-Identifier: Apache-2.0
// The contract of coalescer, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any instruction (port f_a): each operand gets its value from exactly one read.
    // In that read every slice of its mask is from its own entry of its own bank. A read carries
    // one or two registers; operands that can be read together are. The renaming table assigns the
    // places of operands: one register has one place, two registers share no slice.
    function automatic [3:0] f_ones(input [3:0] mask);
        f_ones = 4'(mask[0]) + 4'(mask[1]) + 4'(mask[2]) + 4'(mask[3]);
    endfunction
    (* anyconst *) logic [1:0] f_a;
    (* anyconst *) logic [1:0] f_x;   // any two operands of it, f_x < f_y
    (* anyconst *) logic [1:0] f_y;
    logic [NumOps-1:0]           f_valid, f_rd, f_unread;
    logic [NumOps*6-1:0]         f_reg;
    logic [NumOps*BankBits-1:0]  f_bank, f_rd_bank;
    logic [NumOps*EntryBits-1:0] f_entry, f_rd_entry, f_rd_entry2;
    logic [NumOps*4-1:0]         f_mask, f_sel, f_mask1, f_mask2;
    logic [NumOps*NumOps-1:0]    f_ops1, f_ops2;
    logic [NumOps-1:0]           f_served, f_twice, f_at_x, f_at_y;
    logic [5:0]                  f_reg_x, f_reg_y;
    logic [BankBits-1:0]         f_bank_x, f_bank_y;
    logic [EntryBits-1:0]        f_entry_x, f_entry_y;
    logic [3:0]                  f_mask_x, f_mask_y;
    logic                        f_both, f_same_read, f_able;
    assign f_valid     = NumOps'(co_valid_i >> f_a * NumOps);
    assign f_reg       = (NumOps*6)'(co_reg_i >> f_a * NumOps * 6);
    assign f_bank      = (NumOps*BankBits)'(co_bank_i >> f_a * NumOps * BankBits);
    assign f_entry     = (NumOps*EntryBits)'(co_entry_i >> f_a * NumOps * EntryBits);
    assign f_mask      = (NumOps*4)'(co_mask_i >> f_a * NumOps * 4);
    assign f_rd        = NumOps'(rd_valid_o >> f_a * NumOps);
    assign f_rd_bank   = (NumOps*BankBits)'(rd_bank_o >> f_a * NumOps * BankBits);
    assign f_rd_entry  = (NumOps*EntryBits)'(rd_entry_o >> f_a * NumOps * EntryBits);
    assign f_rd_entry2 = (NumOps*EntryBits)'(rd_entry2_o >> f_a * NumOps * EntryBits);
    assign f_sel       = (NumOps*4)'(rd_sel_o >> f_a * NumOps * 4);
    assign f_mask1     = (NumOps*4)'(rd_mask1_o >> f_a * NumOps * 4);
    assign f_mask2     = (NumOps*4)'(rd_mask2_o >> f_a * NumOps * 4);
    assign f_ops1      = (NumOps*NumOps)'(rd_ops1_o >> f_a * NumOps * NumOps);
    assign f_ops2      = (NumOps*NumOps)'(rd_ops2_o >> f_a * NumOps * NumOps);
    assign f_unread    = NumOps'(co_unread_o >> f_a * NumOps);
    assign f_reg_x     = 6'(f_reg >> f_x * 6);
    assign f_reg_y     = 6'(f_reg >> f_y * 6);
    assign f_bank_x    = BankBits'(f_bank >> f_x * BankBits);
    assign f_bank_y    = BankBits'(f_bank >> f_y * BankBits);
    assign f_entry_x   = EntryBits'(f_entry >> f_x * EntryBits);
    assign f_entry_y   = EntryBits'(f_entry >> f_y * EntryBits);
    assign f_mask_x    = 4'(f_mask >> f_x * 4);
    assign f_mask_y    = 4'(f_mask >> f_y * 4);
    assign f_both      = f_valid[f_x] && f_valid[f_y] && f_mask_x != '0 && f_mask_y != '0;
    assign f_able      = f_both && f_reg_x != f_reg_y && f_bank_x == f_bank_y &&
        (co_mode_i == 1 ? f_entry_x == f_entry_y
                        : co_mode_i == 2 && (f_mask_x & f_mask_y) == '0);
    always_comb begin
        assume (f_a < NumAlloc && f_x < f_y && f_y < NumOps);
        // environment
        for (int x = 0; x < NumOps; x = x + 1)
            for (int y = x + 1; y < NumOps; y = y + 1)
                if (f_valid[x] && f_valid[y]) begin
                    if (f_reg[x*6 +: 6] == f_reg[y*6 +: 6])
                        assume (f_mask[x*4 +: 4] == f_mask[y*4 +: 4] &&
                            (f_mask[x*4 +: 4] == '0 ||
                            (f_bank[x*BankBits +: BankBits] == f_bank[y*BankBits +: BankBits] &&
                             f_entry[x*EntryBits +: EntryBits] == f_entry[y*EntryBits +: EntryBits])));
                    else if (f_bank[x*BankBits +: BankBits] == f_bank[y*BankBits +: BankBits] &&
                             f_entry[x*EntryBits +: EntryBits] == f_entry[y*EntryBits +: EntryBits])
                        assume ((f_mask[x*4 +: 4] & f_mask[y*4 +: 4]) == '0);
                end
        f_served = f_unread;
        f_twice  = '0;
        f_at_x   = '0;
        f_at_y   = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_rd[o]) begin
                f_twice  = f_twice | (f_served & f_ops1[o*NumOps +: NumOps]);
                f_served = f_served | f_ops1[o*NumOps +: NumOps];
                f_twice  = f_twice | (f_served & f_ops2[o*NumOps +: NumOps]);
                f_served = f_served | f_ops2[o*NumOps +: NumOps];
                f_at_x[o] = f_ops1[o*NumOps + 32'(f_x)] || f_ops2[o*NumOps + 32'(f_x)];
                f_at_y[o] = f_ops1[o*NumOps + 32'(f_y)] || f_ops2[o*NumOps + 32'(f_y)];
                // the leader takes the first value; a second value has a mask
                assert (f_ops1[o*NumOps + o]);
                assert ((f_ops1[o*NumOps +: NumOps] & ((NumOps'(1) << o) - 1'b1)) == '0);
                assert ((f_ops2[o*NumOps +: NumOps] & ((NumOps'(1) << o) - 1'b1)) == '0);
                assert ((f_mask2[o*4 +: 4] != '0) == (f_ops2[o*NumOps +: NumOps] != '0));
                // operand f_x, wherever it is served, gets its own slices
                if (f_ops1[o*NumOps + 32'(f_x)]) assert (f_mask1[o*4 +: 4] == f_mask_x);
                if (f_ops2[o*NumOps + 32'(f_x)]) assert (f_mask2[o*4 +: 4] == f_mask_x);
                if (f_at_x[o]) begin
                    assert (f_rd_bank[o*BankBits +: BankBits] == f_bank_x);
                    for (int s = 0; s < 4; s = s + 1)
                        if (f_mask_x[s])
                            assert ((f_sel[o*4 + s] ? f_rd_entry2[o*EntryBits +: EntryBits]
                                                    : f_rd_entry[o*EntryBits +: EntryBits]) == f_entry_x);
                end
                // and the same for f_y
                if (f_ops1[o*NumOps + 32'(f_y)]) assert (f_mask1[o*4 +: 4] == f_mask_y);
                if (f_ops2[o*NumOps + 32'(f_y)]) assert (f_mask2[o*4 +: 4] == f_mask_y);
                if (f_at_y[o]) begin
                    assert (f_rd_bank[o*BankBits +: BankBits] == f_bank_y);
                    for (int s = 0; s < 4; s = s + 1)
                        if (f_mask_y[s])
                            assert ((f_sel[o*4 + s] ? f_rd_entry2[o*EntryBits +: EntryBits]
                                                    : f_rd_entry[o*EntryBits +: EntryBits]) == f_entry_y);
                end
                // one value of a read is one register
                if (f_ops1[o*NumOps + 32'(f_x)] && f_ops1[o*NumOps + 32'(f_y)])
                    assert (f_reg_x == f_reg_y);
                if (f_ops2[o*NumOps + 32'(f_x)] && f_ops2[o*NumOps + 32'(f_y)])
                    assert (f_reg_x == f_reg_y);
                // single reads do not touch Address2
                if (f_ops2[o*NumOps +: NumOps] == '0 || co_mode_i != 2)
                    assert (f_sel[o*4 +: 4] == '0 && f_rd_entry2[o*EntryBits +: EntryBits] ==
                                                     f_rd_entry[o*EntryBits +: EntryBits]);
            end
        f_same_read = (f_at_x & f_at_y) != '0;
        // each operand once; only an operand that was never written is not read
        assert (f_served == f_valid && f_twice == '0);
        assert (f_unread[f_x] == (f_valid[f_x] && f_mask_x == '0));
        // operands that are read together, and those that must be
        if (f_same_read && f_reg_x != f_reg_y) assert (f_able && co_coalesced_o[f_a]);
        if (f_able) assert (co_coalesced_o[f_a]);
        if (f_able && f_x == 0 && f_y == 1) assert (f_same_read);
        if (f_able && f_x == 0 && NumOps == 3 && !f_same_read)
            assert (f_y == 2 && (f_rd & 3'b010) == '0);  // operand 1 went with operand 0
        if (f_both && f_reg_x == f_reg_y)
            assert (f_same_read == (co_mode_i == 1 || co_mode_i == 2) && co_merged_o[f_a] == f_same_read);
        if (co_mode_i == 0 || co_mode_i == 3)
            assert (!co_coalesced_o[f_a] && !co_merged_o[f_a] && !f_same_read);
        // counters
        if (f_valid[f_x] && f_valid[f_y] && f_reg_x != f_reg_y) assert (co_multi_o[f_a]);
        if (f_both && f_reg_x != f_reg_y && f_ones(f_mask_x) + f_ones(f_mask_y) <= 4)
            assert (co_possible_o[f_a]);
        if (NumOps == 2) begin
            assert (co_multi_o[f_a] == (f_valid == '1 && f_reg_x != f_reg_y));
            assert (co_possible_o[f_a] == (f_both && f_reg_x != f_reg_y &&
                                           f_ones(f_mask_x) + f_ones(f_mask_y) <= 4));
            assert (co_coalesced_o[f_a] == f_able);
        end
        cover (co_mode_i == 2 && f_same_read && f_reg_x != f_reg_y && f_entry_x != f_entry_y);
        cover (co_mode_i == 1 && f_same_read && f_reg_x != f_reg_y && f_ones(f_mask_x) == 3);
        cover (co_mode_i == 2 && f_same_read && f_reg_x == f_reg_y);
        cover (co_coalesced_o == '1 && co_possible_o == '1 && f_able);
    end
