// SPDX-License-Identifier: Apache-2.0
// distances: exact. No value comes twice.
#include "bench.h"

#include <math.h>

static float distance(float z) {
    const float h = (float)z * (float)0.125, matter = (float)0.3125f, dark = (float)0.6875f;
    float s = 0;
    for (int k = 0; k < 8; k++) {
        const float a = fmaf((float)(k + 0.5), h, (float)1);
        const float square = a * a;
        s += (float)1 / sqrtf(fmaf(matter, square * a, dark));
    }
    return (float)(s * h);
}

void distances_data(Bench *b) {
    const uint32_t n = bench_size(b, 8192, 131072);
    float *z = BENCH_ARRAY(float, n), *d = BENCH_ARRAY(float, n);
    for (uint32_t i = 0; i < n; i++) z[i] = (float)((i * 40503u) % n) / 4096 + (float)bench_below(b, 2) / 65536;
    for (uint32_t i = 0; i < n; i++) d[i] = distance(z[i]);
    bench_save(b, "z.bin", z, n * sizeof *z);
    bench_save(b, "d.bin", d, n * sizeof *d);
}
