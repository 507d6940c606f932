// SPDX-License-Identifier: Apache-2.0
// stencil3d: additions in a given order, one product and one fma: exact. The reference scatters
// nothing and keeps nothing: each point from the whole box.
#include "bench.h"

#include <math.h>

void stencil3d_data(Bench *b) {
    int n[3] = {(int)bench_size(b, 48, 96), (int)bench_size(b, 12, 64), (int)bench_size(b, 8, 24)};
    const int away[3] = {1, n[0], n[0] * n[1]};
    size_t all = (size_t)(n[0] * n[1] * n[2]);
    float *in = BENCH_ARRAY(float, all), *out = BENCH_ARRAY(float, all);
    bench_floats(b, in, all, -1, 1);
    for (size_t i = 0; i < all; i++) {
        bool inside = true;
        float pair[3];
        for (int d = 0; d < 3; d++) {
            int at = (int)i / away[d] % n[d];
            inside = inside && at > 0 && at < n[d] - 1;
        }
        for (int d = 0; d < 3 && inside; d++) pair[d] = in[(int)i - away[d]] + in[(int)i + away[d]];
        out[i] = inside ? fmaf(0.125f, (pair[0] + pair[1]) + pair[2], 0.25f * in[i]) : in[i];
    }
    bench_save(b, "in.bin", in, all * sizeof *in);
    bench_save(b, "out.bin", out, all * sizeof *out);
}
