// SPDX-License-Identifier: Apache-2.0
#include "models/block.h"

#include <string.h>

// Byte s of lane l sits at byte 4*l + s of the lane words and at byte 32*s + l of the row. Bytes of four lanes are
// exchanged in two steps, first between neighbors, then between pairs.
void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    const uint32_t even = 0x00ff00ff, odd = 0xff00ff00, low = 0x0000ffff, high = 0xffff0000;
    uint32_t to[32];
    for (int i = 0; i < 8; i++) {
        const uint32_t a = lanes[4 * i], b = lanes[4 * i + 1], c = lanes[4 * i + 2], d = lanes[4 * i + 3];
        const uint32_t ab02 = (a & even) | (b & even) << 8, ab13 = (a >> 8 & even) | (b & odd);
        const uint32_t cd02 = (c & even) | (d & even) << 8, cd13 = (c >> 8 & even) | (d & odd);
        to[i] = (ab02 & low) | cd02 << 16;
        to[8 + i] = (ab13 & low) | cd13 << 16;
        to[16 + i] = ab02 >> 16 | (cd02 & high);
        to[24 + i] = ab13 >> 16 | (cd13 & high);
    }
    memcpy(slices, to, sizeof to);
}

void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]) {
    const uint8_t *from = (const uint8_t *)slices;
    uint32_t to[32];
    for (int l = 0; l < 32; l++)
        to[l] = (uint32_t)from[l] | (uint32_t)from[32 + l] << 8 | (uint32_t)from[64 + l] << 16 |
                (uint32_t)from[96 + l] << 24;
    memcpy(lanes, to, sizeof to);
}
