// SPDX-License-Identifier: Apache-2.0
#include "models/block.h"

#include <string.h>

// Byte s of lane l sits at byte 4*l + s of the lane words and at byte 32*s + l of the row: 16 lanes at a time, their
// bytes are dealt out, or put together again, in two steps. Vectors of 16 bytes do a step in one to three instructions
// on every machine.
typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));

#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW1(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH1(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW2(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define HIGH2(a, b) __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)

void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    const Bytes *from = (const Bytes *)lanes;
    Bytes to[8];
    for (int half = 0; half < 2; half++, from += 4) {
        const Bytes a = EVEN(from[0], from[1]), b = EVEN(from[2], from[3]);  // slices 0 and 2
        const Bytes c = ODD(from[0], from[1]), d = ODD(from[2], from[3]);    // 1 and 3
        to[half] = EVEN(a, b);
        to[2 + half] = EVEN(c, d);
        to[4 + half] = ODD(a, b);
        to[6 + half] = ODD(c, d);
    }
    memcpy(slices, to, sizeof to);
}

void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]) {
    const Bytes *from = (const Bytes *)slices;
    Bytes to[8];
    for (int half = 0; half < 2; half++, from++) {
        const Bytes a = LOW1(from[0], from[2]), b = HIGH1(from[0], from[2]);  // bytes 0 and 1 of each lane
        const Bytes c = LOW1(from[4], from[6]), d = HIGH1(from[4], from[6]);  // 2 and 3
        to[4 * half] = LOW2(a, c);
        to[4 * half + 1] = HIGH2(a, c);
        to[4 * half + 2] = LOW2(b, d);
        to[4 * half + 3] = HIGH2(b, d);
    }
    memcpy(lanes, to, sizeof to);
}
