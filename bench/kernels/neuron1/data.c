// SPDX-License-Identifier: Apache-2.0
// neuron1: the kernel asks for fma, and so does the reference: exact.
#include "bench.h"

#include <math.h>

void neuron1_data(Bench *b) {
    const uint32_t neurons = bench_size(b, 64, 1024), n = bench_size(b, 36, 169);
    float *w = BENCH_ARRAY(float, neurons *n), *in = BENCH_ARRAY(float, n),
          *out = BENCH_ARRAY(float, neurons);
    bench_floats(b, w, (size_t)neurons * n, -1, 1);
    bench_floats(b, in, n, -1, 1);
    bench_save(b, "weight.bin", w, (size_t)neurons * n * sizeof *w);
    bench_save(b, "in.bin", in, n * sizeof *in);
    for (uint32_t k = 0; k < neurons; k++) {
        float sum = 0.0f;
        for (uint32_t i = 0; i < n; i++) sum = fmaf(w[k * n + i], in[i], sum);
        out[k] = sum / (1.0f + fabsf(sum));
    }
    bench_save(b, "out.bin", out, neurons * sizeof *out);
}
