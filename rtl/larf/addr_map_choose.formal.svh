// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_choose, proved by ci/formal, which includes it at the end of the module.
    // Contract, for entries that give lanes from either end. A hit names an entry that holds all of
    // the load, or the load ahead. A merge names an entry that has all lanes that it is to give,
    // and another one for the rest. Any other answer is a miss.
    (* anyconst *) logic [31:0]  f_e;           // any entry
    logic [NumEntries-1:0]       f_first, f_second, f_whole;
    always_comb begin
        assume (f_e < NumEntries);
        for (int i = 0; i < NumEntries; i = i + 1) begin
            f_whole[i]  = !evicted_i[i] && (exact_i[i] || wait_i[i]) && phys_i[i*PhyBits +: PhyBits] == phys_o[0 +: PhyBits];
            f_first[i]  = !evicted_i[i] && (gaps_i[i*Lanes +: Lanes] & mask_o[0 +: Lanes]) == '0 &&
                          phys_i[i*PhyBits +: PhyBits] == phys_o[0 +: PhyBits] &&
                          shift_i[i*ShBits +: ShBits] == shift_o[0 +: ShBits];
            f_second[i] = !evicted_i[i] && (gaps_i[i*Lanes +: Lanes] & mask_o[Lanes +: Lanes]) == '0 &&
                          phys_i[i*PhyBits +: PhyBits] == phys_o[PhyBits +: PhyBits] &&
                          shift_i[i*ShBits +: ShBits] == shift_o[ShBits +: ShBits];
        end
        assume (some_i == (mask_i != '0) && (gaps_i & ~{NumEntries{mask_i}}) == '0);
        assert (!(hit_o && merge_o) && (!second_o || merge_o) && (!wait_o || hit_o));
        if (hit_o) assert (mask_o[0 +: Lanes] == mask_i && (f_whole != '0 || (ahead_i && phys_o[0 +: PhyBits] == ahead_phys_i)));
        if (merge_o) begin
            assert ((mask_o[0 +: Lanes] | mask_o[Lanes +: Lanes]) == mask_i);
            assert ((mask_o[0 +: Lanes] & mask_o[Lanes +: Lanes]) == '0 && mask_o[0 +: Lanes] != '0);
            assert (f_first != '0);
            if (second_o) assert (f_second != '0);
        end
        // one entry that has all of it is enough
        if (some_i && !evicted_i[f_e] && (gaps_i[f_e*Lanes +: Lanes] & mask_i) == '0) assert (hit_o || merge_o);
        cover (second_o && phys_o[0 +: PhyBits] != phys_o[PhyBits +: PhyBits]);
        cover (hit_o && wait_o && f_whole != '0);
    end
