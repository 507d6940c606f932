// SPDX-License-Identifier: Apache-2.0
#include "models/larf/load_shape.h"
#include "models/params.h"
#include "models/state.h"

enum { LOAD_SHAPE_PARAMS(BLOCK_INDEX) };

int load_shape_state(const int *params, StateField *f) {
    const StateStep stage = STEP_ADDR("stage", LS_CYCLES, 1);
    f[0] = STATE(0, 31, STATE_FLAG, stage, STEP("valid"));
    f[1] = STATE(0, 0, block_bits(params[P_NumTags]), stage, STEP("tag"));
    f[2] = STATE(LS_CYCLES, 0, STATE_FLAG, stage, STEP_BIT("lane", 32, 1));
    return 3;
}
