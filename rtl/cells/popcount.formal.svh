// SPDX-License-Identifier: Apache-2.0
// The contract of popcount, proved by ci/formal, which includes it at the end of the module: the bits one by one.
    logic [Bits-1:0] f_count;
    always_comb begin
        f_count = '0;
        for (int k = 0; k < Width; k = k + 1) f_count = f_count + Bits'(set_i[k]);
        assert (count_o == f_count);
        cover (32'(count_o) == Width);
        cover (count_o == '0);
    end
