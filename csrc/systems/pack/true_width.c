// SPDX-License-Identifier: Apache-2.0
#include "systems/pack/true_width.h"

#include <string.h>

enum { LANES = 32 };

// Bytes beyond the first that each lane needs.
static void extra_bytes(uint8_t extra[LANES], const uint32_t value[LANES]) {
    uint32_t magnitude[LANES];  // the bits that differ from the sign, below 1 << 31
    for (int l = 0; l < LANES; l++) magnitude[l] = value[l] ^ (uint32_t)((int32_t)value[l] >> 31);
    for (int l = 0; l < LANES; l++)
        extra[l] = (uint8_t)((0x7fu - magnitude[l]) >> 31) +
            (uint8_t)((0x7fffu - magnitude[l]) >> 31) + (uint8_t)((0x7fffffu - magnitude[l]) >> 31);
}

// The widest lane, from the union of the bits that differ from the sign.
static int widest_lane(const uint32_t value[LANES]) {
    uint32_t all = 0;
    for (int l = 0; l < LANES; l++) all |= value[l] ^ (uint32_t)((int32_t)value[l] >> 31);
    return 1 + (all >> 7 != 0) + (all >> 15 != 0) + (all >> 23 != 0);
}

bool true_width_write(TrueWidth *t, const uint32_t value[LANES], uint32_t lanes) {
    uint8_t now[LANES];
    extra_bytes(now, value);
    if (lanes == UINT32_MAX) {
        memcpy(t->extra, now, sizeof now);
        t->kept = (uint8_t)widest_lane(value);
        return false;
    }
    int written = 1, needed = 1;
    for (int l = 0; l < LANES; l++) {
        if (lanes >> l & 1) {
            t->extra[l] = now[l];
            if (now[l] >= written) written = now[l] + 1;
        } else if (!t->kept) {
            t->extra[l] = 0;
        }
        if (t->extra[l] >= needed) needed = t->extra[l] + 1;
    }
    if (written > t->kept) t->kept = (uint8_t)written;
    return needed < t->kept;
}
