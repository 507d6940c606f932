// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_compare, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any lane of the load: it is a gap, or the entry's lane that it is shifted to exists and has it.
    (* anyconst *) logic [LaneBits-1:0] f_lane;
    logic [LaneBits:0]                  f_from;
    assign f_from = {1'b0, f_lane} + shift_o;
    always_comb begin
        assert ((gaps_o & ~look_mask_i) == '0);
        if (look_mask_i[f_lane] && !gaps_o[f_lane]) begin
            assert (valid_i && data_i && look_i && look_pow2_i && code_i == look_code_i);
            assert (!f_from[LaneBits] && mask_i[f_from[LaneBits-1:0]]);
        end
        assert (!(exact_o && wait_o));
        if (exact_o || wait_o)
            assert (valid_i && look_i && mid_i && data_i == exact_o && (look_mask_i & ~mask_i) == '0);
        if (die_o) assert (valid_i && kill_i && base_i <= kill_high_i);
        cover (look_mask_i[f_lane] && !gaps_o[f_lane] && shift_o[LaneBits]);
        cover (exact_o);
        cover (die_o && base_i < kill_low_i);
    end
