// SPDX-License-Identifier: Apache-2.0
// fc: a chain of fma over the inputs: exact.
#include "bench.h"

#include <math.h>

void fc_data(Bench *b) {
    uint32_t nin = bench_size(b, 160, 1024), nout = bench_size(b, 48, 64),
             images = bench_size(b, 2, 4);
    float *in = BENCH_ARRAY(float, images *nin), *weight = BENCH_ARRAY(float, nout *nin);
    float *bias = BENCH_ARRAY(float, nout), *out = BENCH_ARRAY(float, images *nout);
    bench_floats(b, in, images * nin, -1, 1);
    bench_floats(b, weight, nout * nin, -1, 1);
    bench_floats(b, bias, nout, -1, 1);
    for (uint32_t i = 0; i < images * nout; i++) out[i] = bias[i % nout];
    for (uint32_t k = 0; k < nin; k++)
        for (uint32_t i = 0; i < images * nout; i++)
            out[i] = fmaf(in[i / nout * nin + k], weight[i % nout * nin + k], out[i]);
    for (uint32_t i = 0; i < images * nout; i++) out[i] = out[i] > 0 ? out[i] : 0;
    bench_save(b, "in.bin", in, images * nin * sizeof *in);
    bench_save(b, "weight.bin", weight, nout * nin * sizeof *weight);
    bench_save(b, "bias.bin", bias, nout * sizeof *bias);
    bench_save(b, "out.bin", out, images * nout * sizeof *out);
}
