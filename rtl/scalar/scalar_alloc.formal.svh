// SPDX-License-Identifier: Apache-2.0
// The contract of scalar_alloc, proved by ci/formal, which includes it at the end of the module.
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    always @* begin
        assume (32'(cfg_parts_i) <= Threads && 32'(cfg_words_i) >= 2 && !cfg_words_i[0]);
        assume (32'(cfg_parts_i) * 32'(cfg_words_i) <= Words);
        assume (32'(start_unit_i) < Units);
        assume ((end_mask_i & ~used_q) == '0);
        if (!f_past) assume (!rst_ni);
    end
    // Two contexts in use never share a word; a part is busy exactly when a context in use has it or no file does.
    logic f_owned;
    always @*
        if (f_past) begin
            assert (32'(parts_q) * 32'(words_q) <= Words);
            for (int p = 0; p < Threads; p = p + 1)
                assert (place_q[p*WordBits +: WordBits] == WordBits'(p) * words_q);
            for (int c = 0; c < Threads; c = c + 1)
                if (used_q[c]) begin
                    assert (32'(part_q[c*CtxBits +: CtxBits]) < 32'(parts_q) && 32'(unit_q[c*UnitBits +: UnitBits]) < Units);
                    for (int d = 0; d < c; d = d + 1)
                        if (used_q[d] && unit_q[d*UnitBits +: UnitBits] == unit_q[c*UnitBits +: UnitBits])
                            assert (part_q[d*CtxBits +: CtxBits] != part_q[c*CtxBits +: CtxBits]);
                end else assert (part_q[c*CtxBits +: CtxBits] == '0 && unit_q[c*UnitBits +: UnitBits] == '0);
            for (int u = 0; u < Units; u = u + 1)
                for (int p = 0; p < Threads; p = p + 1) begin
                    f_owned = 1'b0;
                    for (int c = 0; c < Threads; c = c + 1)
                        if (used_q[c] && 32'(unit_q[c*UnitBits +: UnitBits]) == u && 32'(part_q[c*CtxBits +: CtxBits]) == p)
                            f_owned = 1'b1;
                    assert (busy_q[u*Threads + p] == (f_owned || p >= 32'(parts_q)));
                end
            if (start_grant_o) begin
                assert (!used_q[start_ctx_o]);
                assert (32'(start_base_o) + 32'(words_q) <= Words);
            end
        end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni) && !$past(cfg_valid_i))
            for (int c = 0; c < Threads; c = c + 1) begin
                if ($past(used_q[c]) && !$past(end_mask_i[c]))
                    assert (used_q[c] && part_q[c*CtxBits +: CtxBits] == $past(part_q[c*CtxBits +: CtxBits]));
                if ($past(end_mask_i[c])) assert (!used_q[c]);
            end
    always_ff @(posedge clk_i)
        if (rst_ni && f_past) begin
            cover (used_q[0] && used_q[1] && start_grant_o);
            cover (parts_q == CountBits'(2) && ready_o == '0 && start_valid_i);
            cover (start_grant_o && end_mask_i != '0);
        end
