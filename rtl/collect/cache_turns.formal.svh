// SPDX-License-Identifier: Apache-2.0
// The contract of cache_turns, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any bank: the first port from first_i on that requests it gets it, alone. A
    // refused port is first in the next cycle, unless another refused port is. The first port is
    // not refused.
    (* anyconst *) logic [31:0] f_bank;
    (* anyconst *) logic [31:0] f_port;
    logic [NumWr-1:0]           f_asks, f_wins;
    always_comb begin
        assume (f_bank < Banks && f_port < NumWr && 32'(first_i) < NumWr);
        for (int p = 0; p < NumWr; p = p + 1) begin
            assume ((go_i[p*Banks +: Banks] & (go_i[p*Banks +: Banks] - 1'b1)) == '0);
            f_asks[p] = go_i[p*Banks + f_bank];
            f_wins[p] = wins_o[p*Banks + f_bank];
        end
        assert ((f_wins & ~f_asks) == '0 && (f_wins & (f_wins - 1'b1)) == '0 && (f_wins != '0) == (f_asks != '0));
        assert (accepted_o[f_port] == (Banks'(wins_o >> f_port * Banks) != '0));
        assert ((accepted_o[f_port] || refused_o[f_port]) == (Banks'(go_i >> f_port * Banks) != '0));
        assert (!(accepted_o[f_port] && refused_o[f_port]) && !refused_o[first_i]);
        if (f_asks[first_i]) assert (f_wins[first_i]);
        if (refused_o != '0) assert (refused_o[first_o]); else assert (first_o == first_i);
        cover (refused_o != '0 && first_o != first_i);
    end
