// SPDX-License-Identifier: Apache-2.0
// redshift64: exact. Samples repeat (redshift.h).
#include "../redshift/redshift.h"

REDSHIFT_DISTANCE(distance, double, fma, sqrt)

void redshift64_data(Bench *b) {
    const uint32_t n = bench_size(b, 2048, 16384);
    redshift_save(b, redshift_levels(b, n), n, distance);
}
