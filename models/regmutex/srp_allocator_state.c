// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

int srp_allocator_state(const int *params, StateField *f) {
    const int warps = params[0];
    f[0] = STATE(0, 0, STATE_FLAG, (StateStep){"warp", warps, 1, 1, 32}, STEP("holds"));
    f[1] = STATE(2, 0, STATE_FLAG, (StateStep){"section", warps, 1, 1, 32}, STEP("taken"));
    f[2] = STATE(4, 0, STATE_FLAG, STEP("paired"));
    f[3] = STATE(5, 0, block_bits(warps), STEP_ADDR("warp", warps, 1), STEP("section"));
    return 4;
}
