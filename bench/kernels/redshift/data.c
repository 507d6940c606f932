// SPDX-License-Identifier: Apache-2.0
// redshift: exact. Samples repeat (redshift.h).
#include "redshift.h"

REDSHIFT_DISTANCE(distance, float, fmaf, sqrtf)

void redshift_data(Bench *b) {
    const uint32_t n = bench_size(b, 8192, 131072);
    redshift_save(b, redshift_levels(b, n), n, distance);
}
