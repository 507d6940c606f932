// SPDX-License-Identifier: Apache-2.0
#include "sm/systems/true_width.h"

enum { LANES = 32, LEVELS = 3 };

// What differs from the sign, for each lane that is written, and the union of all.
static uint32_t magnitudes(uint32_t magnitude[LANES], const uint32_t value[LANES], uint32_t lanes) {
    uint32_t all = 0;
    for (int l = 0; l < LANES; l++) magnitude[l] = value[l] ^ (uint32_t)((int32_t)value[l] >> 31);
    for (int l = 0; lanes != UINT32_MAX && l < LANES; l++) magnitude[l] &= 0u - (lanes >> l & 1);
    for (int l = 0; l < LANES; l++) all |= magnitude[l];
    return all;
}

// Lanes of which more than level + 1 bytes are needed: a bit above the sign of that many bytes differs from the sign.
static uint32_t needing(const uint32_t magnitude[LANES], int level) {
    const uint32_t most = (1u << (8 * level + 7)) - 1;
    uint32_t lanes = 0;
    uint8_t more[LANES];
    for (int l = 0; l < LANES; l++) more[l] = (uint8_t)((most - magnitude[l]) >> 31);  // a magnitude is below 1 << 31
    for (int l = 0; l < LANES; l += 8) {
        uint64_t eight = 0;
        for (int i = 0; i < 8; i++) eight |= (uint64_t)more[l + i] << (8 * i);
        lanes |= (uint32_t)(eight * 0x0102040810204080 >> 56) << l;                      // byte i to bit i
    }
    return lanes;
}

bool true_width_write(TrueWidth *t, const uint32_t value[LANES], uint32_t lanes) {
    const bool partial = t->kept && lanes != UINT32_MAX;
    const uint32_t stay = partial ? ~lanes : 0;
    int written = 1, needed = 1;
    uint32_t magnitude[LANES];
    const uint32_t all = magnitudes(magnitude, value, lanes);
    for (int level = 0; level < LEVELS; level++) {
        const uint32_t now = all >> (8 * level + 7) ? needing(magnitude, level) : 0;
        if (now) written = level + 2;
        t->needs[level] = (t->needs[level] & stay) | now;
        if (t->needs[level]) needed = level + 2;
    }
    t->kept = (uint8_t)(partial && t->kept > written ? t->kept : written);
    return needed < t->kept;
}
