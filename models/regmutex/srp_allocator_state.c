// SPDX-License-Identifier: Apache-2.0
#include "models/regmutex/srp_allocator.h"
#include "models/params.h"
#include "models/state.h"

enum { SRP_ALLOCATOR_PARAMS(BLOCK_INDEX) };

int srp_allocator_state(const int *params, StateField *f) {
    const int warps = params[P_Warps];
    f[0] = STATE(0, 0, STATE_FLAG, (StateStep){"warp", warps, 1, 1, 32}, STEP("holds"));
    f[1] = STATE(2, 0, STATE_FLAG, (StateStep){"section", warps, 1, 1, 32}, STEP("taken"));
    f[2] = STATE(4, 0, STATE_FLAG, STEP("paired"));
    f[3] = STATE(5, 0, block_bits(warps), STEP_ADDR("warp", warps, 1), STEP("section"));
    return 4;
}
