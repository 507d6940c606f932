// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

int operand_collector_state(const int *params, StateField *f) {
    const int coll = params[0], ops = params[1], units = params[3], banks = params[4], entries = params[5];
    const StateStep c = STEP_ADDR("coll", coll, 1);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_FLAG, c, STEP("busy"));
    f[n++] = STATE(0, 1, STATE_FLAG, c, STEP_BIT("need", ops, 1));
    f[n++] = STATE(0, 4, STATE_FLAG, c, STEP_BIT("granted", ops, 1));
    f[n++] = STATE(0, 7, STATE_FLAG, c, STEP_BIT("arrived", ops, 1));
    f[n++] = STATE(0, 10, 2, c, STEP("next"));
    f[n++] = STATE(0, 12, block_bits(units), c, STEP("unit"));
    f[n++] = STATE(0, 32, STATE_FLAG, c, STEP_BIT("older", coll, 1));
    f[n++] = STATE(0, 64, block_bits(entries), c, STEP_BIT("entry", ops, 32));
    f[n++] = STATE(0, 80, block_bits(banks), c, STEP_BIT("bank", ops, 32));
    f[n++] = STATE((uint32_t)coll, 0, STATE_ROW, STEP_ADDR("coll", coll, ops), STEP_ADDR("row", ops, 1));
    return n;
}
