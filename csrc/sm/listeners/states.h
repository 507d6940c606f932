// SPDX-License-Identifier: Apache-2.0
// The state of every warp, as traces and waves show it.
#ifndef SMCOSIM_SM_LISTENERS_STATES_H
#define SMCOSIM_SM_LISTENERS_STATES_H

#include "sm/warp.h"

typedef struct Sm Sm;

enum { STATES_SETS = 7 };

typedef struct States {         // all zero: no warp is resident
    uint32_t of[SM_MAX_WARPS];  // SmWarpState (32-bit words: waves point at them)
    WarpSet seen[STATES_SETS];  // sets of warps as of the last update
} States;

// Updates the states and returns the warps whose state has changed.
WarpSet states_update(const Sm *sm, States *s);

#endif
