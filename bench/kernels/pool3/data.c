// SPDX-License-Identifier: Apache-2.0
// pool3: maxima, and sums in the order of the kernel: exact.
#include "bench.h"

#include <math.h>

void pool3_data(Bench *b) {
    const uint32_t size = bench_size(b, 19, 27), planes = bench_size(b, 2, 16);
    const uint32_t wide = 2 * size + 1, n = planes * size * size;
    float *in = BENCH_ARRAY(float, planes *wide *wide), *most = BENCH_ARRAY(float, n),
          *mean = BENCH_ARRAY(float, n);
    bench_floats(b, in, planes * wide * wide, -1, 1);
    for (uint32_t i = 0; i < n; i++) most[i] = -INFINITY;
    for (uint32_t tap = 0; tap < 9; tap++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t z = i / (size * size), y = 2 * (i / size % size) + tap / 3,
                           x = 2 * (i % size) + tap % 3;
            const float word = in[(z * wide + y) * wide + x];
            if (word > most[i]) most[i] = word;
            mean[i] = tap ? mean[i] + word : word;
        }
    for (uint32_t i = 0; i < n; i++) mean[i] *= 1.0f / 9.0f;
    bench_save(b, "in.bin", in, planes * wide * wide * sizeof *in);
    bench_save(b, "max.bin", most, n * sizeof *most);
    bench_save(b, "mean.bin", mean, n * sizeof *mean);
}
