// SPDX-License-Identifier: Apache-2.0
// The contract of first_ones, proved by ci/formal, which includes it at the end of the module.
    // Contract: the result is a subset, as many bits as requested or all of the set. No bit that is
    // left out precedes one that is taken.
    (* anyconst *) logic [31:0] f_a;
    (* anyconst *) logic [31:0] f_b;
    integer f_set, f_first;
    always_comb begin
        assume (f_a < Width && f_b < Width);
        f_set   = 0;
        f_first = 0;
        for (int i = 0; i < Width; i = i + 1) begin
            f_set   = f_set + 32'(set_i[i]);
            f_first = f_first + 32'(first_o[i]);
        end
        assert ((first_o & ~set_i) == '0);
        assert (f_first == (f_set < 32'(count_i) ? f_set : 32'(count_i)));
        if ((high_i ? f_b < f_a : f_a < f_b) && set_i[f_a] && first_o[f_b]) assert (first_o[f_a]);
        cover (first_o != '0);
        if (Width > 1) cover (high_i && first_o[Width-1] && first_o != set_i);
    end
