// SPDX-License-Identifier: Apache-2.0
#include "models/params.h"
#include "models/scalar/scalar_collect.h"
#include "models/state.h"

enum { SCALAR_COLLECT_PARAMS(BLOCK_INDEX) };

int scalar_collect_state(const int *params, StateField *f) {
    const uint32_t threads = (uint32_t)params[P_Threads];
    const StateStep context = STEP_ADDR("context", params[P_Threads], 1);
    const StateStep slot = STEP_ADDR("oldest", params[P_Slots], 1);
    int n = 0;
    f[n++] = STATE(0, 0, block_bits(params[P_Words] + 1), context, STEP("base"));
    f[n++] = STATE(0, 16, 7, context, STEP("count"));
    f[n++] = STATE(threads, 0, STATE_FLAG, slot, STEP("waits"));
    f[n++] = STATE(threads, 1, STATE_FLAG, slot, STEP_BIT("word", SC_NEED, 1), STEP("needed"));
    f[n++] = STATE(threads, 9, STATE_FLAG, slot, STEP_BIT("word", SC_NEED, 1), STEP("asked"));
    f[n++] = STATE(threads, 17, STATE_FLAG, slot, STEP_BIT("word", SC_NEED, 1), STEP("arrived"));
    f[n++] = STATE(threads, 32, block_bits(params[P_Threads]), slot, STEP("context"));
    f[n++] = STATE(threads, 64, 32, slot, STEP_BIT("word", SC_NEED, 32));
    return n;
}
