// SPDX-License-Identifier: Apache-2.0
// The contract of cache_match, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any way: it matches exactly if a lookup is requested, its row is valid and it
    // holds the place.
    (* anyconst *) logic [31:0] f_way;
    always_comb begin
        assume (f_way < Ways);
        assert (match_o[f_way] == (en_i && valid_i[f_way] && LocBits'(tags_i >> f_way * LocBits) == place_i));
        cover (match_o == Ways'(1) << (Ways - 1));
    end
