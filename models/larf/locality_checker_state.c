// SPDX-License-Identifier: Apache-2.0
#include "models/larf/locality_checker.h"
#include "models/params.h"
#include "models/state.h"

enum { LOCALITY_CHECKER_PARAMS(BLOCK_INDEX) };

int locality_checker_state(const int *params, StateField *f) {
    const int questions = params[P_Questions], warp_bits = block_bits(params[P_Warps]);
    const StateStep question = STEP_ADDR("question", questions, 1),
                    left = STEP_ADDR("left", LC_CYCLES, 1);
    f[0] = STATE_DERIVED(0, 31, STATE_FLAG, question, STEP("valid"));
    f[1] = STATE(0, 30, STATE_FLAG, question, STEP("void"));
    f[2] = STATE(0, 8, 8, question, STEP("code"));
    f[3] = STATE(0, 0, warp_bits, question, STEP("warp"));
    f[4] = STATE(0, 32, 32, question, STEP("base"));
    f[5] = STATE(0, 64, STATE_FLAG, question, STEP_BIT("lane", 32, 1));
    f[6] = STATE((uint32_t)questions, 31, STATE_FLAG, left, STEP("valid"));
    f[7] = STATE((uint32_t)questions, 30, STATE_FLAG, left, STEP("void"));
    f[8] = STATE((uint32_t)questions, 0, warp_bits, left, STEP("warp"));
    f[9] = STATE((uint32_t)questions + LC_CYCLES, 0, STATE_FLAG,
                 STEP_BIT("warp", params[P_Warps], 1), STEP("preferred"));
    return 10;
}
