// SPDX-License-Identifier: Apache-2.0
// The exact width of each register's 32 lanes. Register packing uses only the written lanes and the
// register's old width. Its width after a partial write is therefore an upper bound.
#ifndef SMCOSIM_SYSTEMS_TRUE_WIDTH_H
#define SMCOSIM_SYSTEMS_TRUE_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TrueWidth {  // one register; all zero if it has no place
    uint8_t extra[32];      // bytes beyond the first that each lane needs
    uint8_t kept;           // bytes, by written lanes and the width before
} TrueWidth;

// Writes `value` into `lanes`. A register without a place gets zero in the other lanes. True: the
// bound exceeds the exact width.
bool true_width_write(TrueWidth *t, const uint32_t value[32], uint32_t lanes);

#endif
