// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_class, proved by ci/formal, which includes it at the end of the module.
    // Contract: one class, of any code that a table takes: 0, or the smallest power of two that is not below the code.
    always_comb begin
        for (int c = 1; c < Classes; c = c + 1)
            assert (class_o[c] == (code_i != '0 && code_i <= CodeBits'(1) << (c - 1) &&
                                   (c == 1 || code_i > CodeBits'(1) << (c - 2))));
        assert (class_o[0] == (code_i == '0));
        cover (class_o[Classes-1]);
        cover (class_o[0]);
    end
