// SPDX-License-Identifier: Apache-2.0
#include "models/larf/merge_unit.h"
#include "models/params.h"
#include "models/state.h"

enum { MERGE_UNIT_PARAMS(BLOCK_INDEX) };

int merge_unit_state(const int *params, StateField *f) {
    const int slots = params[P_Slots];
    f[0] = STATE(0, 0, block_bits(slots + 1), STEP("held"));
    f[1] = STATE(0, 32, block_bits(slots), STEP("oldest"));
    f[2] = STATE(0, 64, STATE_FLAG, STEP_BIT("place", slots, 32), STEP_BIT("lane", 32, 1));
    f[3] = STATE(1, 0, STATE_ROW, STEP_ADDR("place", slots, 1), STEP("row"));
    return 4;
}
