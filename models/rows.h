// SPDX-License-Identifier: Apache-2.0
// Rows of 1024 bits: 32 words.
#ifndef SMCOSIM_MODELS_ROWS_H
#define SMCOSIM_MODELS_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t RowQuarter __attribute__((vector_size(32), aligned(4), may_alias));

// Copies 32 words in the widest moves that the machine has.
static inline void row_copy(uint32_t to[32], const uint32_t from[32]) {
    const RowQuarter *f = (const RowQuarter *)from;
    RowQuarter *t = (RowQuarter *)to;
    const RowQuarter a = f[0], b = f[1], c = f[2], d = f[3];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    t[3] = d;
}

static inline bool row_equal(const uint32_t a[32], const uint32_t b[32]) {
    const RowQuarter *x = (const RowQuarter *)a, *y = (const RowQuarter *)b;
    const RowQuarter d = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
    uint64_t any[4];
    memcpy(any, &d, sizeof any);
    return !(any[0] | any[1] | any[2] | any[3]);
}

#endif
