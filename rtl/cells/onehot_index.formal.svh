// SPDX-License-Identifier: Apache-2.0
// The contract of onehot_index, proved by ci/formal, which includes it at the end of the module.
// The bit at the number is the one that is set.
    always_comb begin
        assume ((one_i & (one_i - 1'b1)) == '0);
        assert (32'(index_o) < Width);
        if (one_i != '0) assert (one_i == Width'(1) << index_o);
        else             assert (index_o == '0);
        cover (one_i[Width-1] && 32'(index_o) == Width - 1);
        cover (one_i == '0);
    end
