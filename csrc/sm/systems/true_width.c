// SPDX-License-Identifier: Apache-2.0
#include "sm/systems/true_width.h"

enum { LANES = 32, LEVELS = 3 };

// Lanes of which more than level + 1 bytes are needed: a bit above the sign of that many bytes differs from the sign.
static uint32_t needing(const uint32_t value[LANES], int level) {
    uint32_t lanes = 0;
    for (int l = 0; l < LANES; l++) {
        const uint32_t magnitude = value[l] ^ (uint32_t)((int32_t)value[l] >> 31);
        lanes |= (uint32_t)(magnitude >> (8 * level + 7) != 0) << l;
    }
    return lanes;
}

bool true_width_write(TrueWidth *t, const uint32_t value[LANES], uint32_t lanes) {
    const bool partial = t->kept && lanes != UINT32_MAX;
    const uint32_t stay = partial ? ~lanes : 0;
    int written = 1, needed = 1;
    for (int level = 0; level < LEVELS; level++) {
        const uint32_t now = level < written ? needing(value, level) & lanes : 0;
        if (now) written = level + 2;
        t->needs[level] = (t->needs[level] & stay) | now;
        if (t->needs[level]) needed = level + 2;
    }
    t->kept = (uint8_t)(partial && t->kept > written ? t->kept : written);
    return needed < t->kept;
}
