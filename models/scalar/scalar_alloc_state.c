// SPDX-License-Identifier: Apache-2.0
#include "models/params.h"
#include "models/scalar/scalar_alloc.h"
#include "models/state.h"

enum { SCALAR_ALLOC_PARAMS(BLOCK_INDEX) };

int scalar_alloc_state(const int *params, StateField *f) {
    const StateStep context = STEP_ADDR("context", params[P_Threads], 1);
    f[0] = STATE(0, 0, block_bits(params[P_Words] + 1), STEP("words"));
    f[1] = STATE(1, 0, block_bits(params[P_Threads] + 1), STEP("parts"));
    f[2] = STATE(2, 0, STATE_FLAG, context, STEP("in_use"));
    f[3] = STATE(2, 1, block_bits(params[P_Threads]), context, STEP("part"));
    f[4] = STATE(2, 9, block_bits(params[P_Units]), context, STEP("unit"));
    return 5;
}
