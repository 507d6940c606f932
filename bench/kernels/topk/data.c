// SPDX-License-Identifier: Apache-2.0
// topk: integers, exact. The reference looks for the k-th smallest by counting smaller and equal
// ones.
#include "bench.h"

enum { K = 6 };

void topk_data(Bench *b) {
    int rows = (int)bench_size(b, 200, 4000), length = (int)bench_size(b, 24, 64);
    int32_t *x = BENCH_ARRAY(int32_t, rows * length), *out = BENCH_ARRAY(int32_t, rows * K);
    for (int i = 0; i < rows * length; i++) x[i] = (int32_t)bench_below(b, 1000) - 500;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < K; k++)
            for (int j = 0; j < length; j++) {
                int smaller = 0, equal = 0, v = x[j * rows + i];
                for (int l = 0; l < length; l++) {
                    smaller += x[l * rows + i] < v;
                    equal += x[l * rows + i] == v;
                }
                if (smaller <= k && k < smaller + equal) out[k * rows + i] = v;
            }
    bench_save(b, "in.bin", x, (size_t)(rows * length) * sizeof *x);
    bench_save(b, "out.bin", out, (size_t)(rows * K) * sizeof *out);
}
