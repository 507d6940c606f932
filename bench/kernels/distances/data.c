// SPDX-License-Identifier: Apache-2.0
// distances: exact. No value repeats.
#include "../redshift/redshift.h"

REDSHIFT_DISTANCE(distance, float, fmaf, sqrtf)

void distances_data(Bench *b) {
    const uint32_t n = bench_size(b, 8192, 131072);
    float *z = BENCH_ARRAY(float, n);
    for (uint32_t i = 0; i < n; i++)
        z[i] = (float)((i * 40503u) % n) / 4096 + (float)bench_below(b, 2) / 65536;
    redshift_save(b, z, n, distance);
}
