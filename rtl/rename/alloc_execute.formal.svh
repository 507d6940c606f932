// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_execute, proved by ci/formal, which includes it at the end of the module. A
// look offers free slices or the port's own, as many as requested. They are at the end of the
// port's own row where that row has room. A give releases its slices. Apart from these changes the
// row is written back unchanged.
    (* anyconst *) logic [1:0] f_port;   // any port that looks
    logic [3:0] f_was, f_own, f_free;
    logic [2:0] f_size;
    logic [4:0] f_row;
    logic       f_look;
    always_comb begin
        assume (32'(f_port) < NumWr && 32'(op_entry_i) < Entries);
        assume ((hit_i & (hit_i - Open'(1))) == '0);
        // one operation at most executes; a look is that of one port, a give has slices in use
        assume (32'(looks_i) + 32'(gives_i) + 32'(closes_i) <= 32'd1);
        assume ((op_port_i & (op_port_i - NumWr'(1))) == '0);
        if (looks_i || gives_i || closes_i) assume (op_i);
        if (looks_i) assume (op_port_i != '0);
        else assume (op_port_i == '0);
        f_row = word_i[op_entry_i[2:0]*RowBits +: RowBits];
        for (int k = 0; k < Open; k = k + 1) if (hit_i[k]) f_row = {rsv_i[k], used_i[k*4 +: 4]};
        f_was  = f_row[3:0];
        f_size = size_i[f_port*3 +: 3];
        f_own  = own_mask_i[f_port*4 +: 4];
        f_free = ~f_was | f_own;
        f_look = looks_i && op_port_i[f_port];
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume (size_i[w*3 +: 3] >= 3'd1 && size_i[w*3 +: 3] <= 3'd4 && !(left_i[w] && right_i[w]));
            if (size_i[w*3 + 2]) assume (!left_i[w] && !right_i[w]);
            assert (known_o[w] == (looks_i && op_port_i[w] && want_i[w] && entry_i[w*EntryBits +: EntryBits] == op_entry_i));
        end
        if (op_i) assert (used_o == f_was);
        if (f_look) begin
            assert (room_o == (ones(f_free) >= f_size && ready_i[f_port]) && short_o == (ones(f_free) < f_size));
            if (!short_o) assert ((mask_o & ~f_free) == '0 && ones(mask_o) == f_size);
            assert (look_used_o == (room_o ? (f_was & ~f_own) | mask_o : f_was));
            if (!short_o && own_i[f_port] && left_i[f_port] && (f_free | 4'b1111 >> f_size) == '1) assert (mask_o[3]);
            if (!short_o && own_i[f_port] && right_i[f_port] && (f_free | 4'b1111 << f_size) == '1) assert (mask_o[0]);
            assert (look_keep_o == (own_i[f_port] || (!short_o && !ready_i[f_port])));
        end else if (!looks_i) assert (!room_o && !short_o);
        if (op_i) assert (given_o == op_mask_i);
        assert (write_o == (closes_i || (hit_i == '0 && (gives_i || known_o != '0))));
        if (write_o) begin
            if (gives_i) assert (row_o == {f_row[4] && (f_was & ~op_mask_i) != '0, f_was & ~op_mask_i});
            if (closes_i) assert (row_o == {f_row[4] && f_was != '0, f_was});
            if (f_look) assert (row_o == {f_row[4] && look_keep_o, look_used_o});
        end
        cover (f_look && known_o != '0 && room_o && mask_o == 4'b1100 && f_was == 4'b0111);
        cover (f_look && short_o);
        cover (write_o && gives_i && row_o == 5'b10110);
    end
