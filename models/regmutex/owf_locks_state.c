// SPDX-License-Identifier: Apache-2.0
#include "models/params.h"
#include "models/regmutex/owf_locks.h"
#include "models/state.h"

enum { OWF_LOCKS_PARAMS(BLOCK_INDEX) };

int owf_locks_state(const int *params, StateField *f) {
    const int warps = params[P_Warps], pairs = owf_locks_cta_pairs(warps, params[P_Ctas]);
    const StateStep warp = STEP_ADDR("warp", warps, 1), pair = STEP_ADDR("pair", pairs, 1);
    const uint32_t behind = (uint32_t)(warps + pairs);
    f[0] = STATE(0, 0, STATE_FLAG, warp, STEP("live"));
    f[1] = STATE(0, 1, STATE_FLAG, warp, STEP("held"));
    f[2] = STATE((uint32_t)warps, 0, STATE_FLAG, pair, STEP("owned"));
    f[3] = STATE((uint32_t)warps, 1, STATE_FLAG, pair, STEP("side"));
    f[4] = STATE(behind, 0, block_bits(warps + 1), STEP("warps"));
    f[5] = STATE(behind + 1, 0, block_bits(pairs + 1), STEP("pairs"));
    return 6;
}
