// SPDX-License-Identifier: Apache-2.0
// The contract of scalar_collect, proved by ci/formal, which includes it at the end of the module.
    // Contract: the value offered for a word is that of the register file. Ghost: one word of the
    // file and its value, chosen once; f_same: the words of instructions that are there.
    (* anyconst *) logic [WordBits-1:0] f_word;
    (* anyconst *) logic [31:0]         f_value;
    logic           f_past;
    logic [1:0]     f_asked, f_hits;  // asked in the last cycle with en_i; that word
    logic [All-1:0] f_same;
    initial f_past = 1'b0;
    logic [Need-1:0] f_new;
    always @*
        for (int k = 0; k < Need; k = k + 1)
            f_new[k] = alloc_need_i[k] && 32'(base) + 32'(alloc_reg_i[k*6 +: 6]) == 32'(f_word);
    logic [1:0] f_lies;
    always @*
        for (int b = 0; b < 2; b = b + 1)
            f_lies[b] = 32'(rd_addr_o[b*RowBits +: RowBits]) * 2 + b == 32'(f_word);
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) begin
            f_asked <= '0;
            f_hits  <= '0;
            f_same  <= '0;
        end else begin
            if (en_i) begin
                f_asked <= rd_valid_o;
                f_hits  <= f_lies;
            end
            for (int s = 0; s < Slots; s = s + 1)
                f_same[s*Need +: Need] <= enters && 32'(s) == f_after ? f_new
                    : leaves ? (s + 1 < Slots ? Need'(f_same >> (s + 1) * Need) : '0) : f_same[s*Need +: Need];
        end
    end
    logic [31:0] f_after;  // instructions that stay
    always @* begin
        f_after = '0;
        for (int s = 0; s < Slots; s = s + 1) f_after = f_after + 32'(valid_q[s]);
        if (leaves) f_after = f_after - 1;
    end
    always @* begin
        assume (32'(f_word) < Words);
        assume (32'(start_ctx_i) < Threads && 32'(alloc_ctx_i) < Threads);
        assume (32'(start_base_i) + 32'(start_count_i) <= Words && start_count_i <= 64);
        assume (!(start_valid_i && alloc_valid_i && start_ctx_i == alloc_ctx_i));
        for (int s = 0; s < Slots; s = s + 1)
            if (start_valid_i && valid_q[s]) assume (ctx_q[s*CtxBits +: CtxBits] != start_ctx_i);
        assume (rd_data_valid_i == f_asked);
        for (int b = 0; b < 2; b = b + 1)
            if (f_hits[b]) assume (rd_data_i[b*32 +: 32] == f_value);
        if (!f_past) assume (!rst_ni);
    end
    logic [3:0] f_way;  // words of each bank in flight, 2: more than one
    always @* begin
        for (int b = 0; b < 2; b = b + 1) begin
            f_way[b*2 +: 2] = '0;
            for (int i = 0; i < All; i = i + 1)
                if (asked_q[i] && !there_q[i] && bank[i] == (b == 1) && !f_way[b*2+1]) f_way[b*2 +: 2] = f_way[b*2 +: 2] + 2'd1;
        end
        if (f_past) begin
            for (int c = 0; c < Threads; c = c + 1)
                assert (32'(base_q[c*WordBits +: WordBits]) + 32'(count_q[c*7 +: 7]) <= Words);
            for (int b = 0; b < 2; b = b + 1) assert (f_way[b*2 +: 2] == {1'b0, f_asked[b]});
            for (int s = 0; s < Slots; s = s + 1) begin
                if (s > 0) assert (valid_q[s-1] || !valid_q[s]);
                if (!valid_q[s]) assert (asked_q[s*Need +: Need] == '0);
                if (valid_q[s]) assert (32'(ctx_q[s*CtxBits +: CtxBits]) < Threads);
            end
            assert ((asked_q & ~used) == '0 && (there_q & ~asked_q) == '0 && (f_same & ~used) == '0);
            for (int i = 0; i < All; i = i + 1) begin
                if (used[i] && !there_q[i]) begin
                    assert (word_q[i*32 +: 32] < Words);
                    assert (f_same[i] == (word_q[i*32 +: 32] == 32'(f_word)));
                end
                if (asked_q[i] && !there_q[i]) assert (f_hits[bank[i]] == f_same[i]);
                if (there_q[i] && f_same[i]) assert (word_q[i*32 +: 32] == f_value);
            end
            for (int k = 0; k < Need; k = k + 1)
                if (disp_need_o[k] && f_same[k]) assert (disp_data_o[k*32 +: 32] == f_value);
            // no instruction waits for a word while its bank is idle
            for (int i = 0; i < All; i = i + 1)
                if (used[i] && !asked_q[i]) assert (rd_valid_o[bank[i]]);
        end
    end
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (disp_valid_o && disp_need_o == 8'h0f && f_same[3]);
            cover (error_o);
            cover (disp_valid_o && !en_i && valid_q == '1);
        end
