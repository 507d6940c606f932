// SPDX-License-Identifier: Apache-2.0
// The width that the 32 lanes of each register really need. Register packing knows the lanes that
// an instruction writes and the width that the register had: what it keeps after a partial write is
// an upper bound.
#ifndef SMCOSIM_SYSTEMS_TRUE_WIDTH_H
#define SMCOSIM_SYSTEMS_TRUE_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TrueWidth {  // of one register; all zero while it has no place
    uint8_t extra[32];      // bytes beyond the first that each lane needs
    uint8_t kept;           // bytes, by written lanes and the width before
} TrueWidth;

// `value` is written into `lanes`. A register without a place gets zero in the others. True: the
// bound is above what the lanes need.
bool true_width_write(TrueWidth *t, const uint32_t value[32], uint32_t lanes);

#endif
