// SPDX-License-Identifier: Apache-2.0
#include "models/block.h"

#include <string.h>

// Byte s of lane l sits at byte 4*l + s of the lane words and at byte 32*s + l of the row.
void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    const uint8_t *from = (const uint8_t *)lanes;
    uint8_t to[128];
    for (int s = 0; s < 4; s++)
        for (int l = 0; l < 32; l++) to[32 * s + l] = from[4 * l + s];
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
