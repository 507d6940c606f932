// SPDX-License-Identifier: Apache-2.0
// mersenne: integers, exact. The reference writes the whole sequence of states down, as the
// recurrence defines it, and tempers it afterwards.
#include "bench.h"

enum { WORDS = 19, MIDDLE = 9 };

void mersenne_data(Bench *b) {
    uint32_t twisters = bench_size(b, 192, 4096), count = bench_size(b, 40, 120);
    uint32_t *twister = BENCH_ARRAY(uint32_t, twisters * 4),
             *number = BENCH_ARRAY(uint32_t, twisters * count);
    uint32_t *x = BENCH_ARRAY(uint32_t, WORDS + count);
    for (uint32_t i = 0; i < twisters; i++) {
        uint32_t *own = twister + 4 * i;
        for (int k = 0; k < 4; k++) own[k] = bench_u32(b);
        own[0] |= 0x80000000u;
        x[0] = own[3];
        for (uint32_t k = 1; k < WORDS; k++) x[k] = 1812433253u * (x[k - 1] ^ x[k - 1] >> 30) + k;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t joined = (x[k] & 0xfffffffeu) | (x[k + 1] & 1u), y;
            y = x[k + WORDS] = x[k + MIDDLE] ^ joined >> 1 ^ (joined & 1u) * own[0];
            y ^= y >> 12;
            y ^= y << 7 & own[1];
            y ^= y << 15 & own[2];
            number[k * twisters + i] = y ^ y >> 18;
        }
    }
    bench_save(b, "twister.bin", twister, twisters * 4 * sizeof *twister);
    bench_save(b, "number.bin", number, twisters * count * sizeof *number);
}
