// SPDX-License-Identifier: Apache-2.0
#include "models/collect/operand_collector.h"
#include "models/params.h"
#include "models/state.h"

enum { OPERAND_COLLECTOR_PARAMS(BLOCK_INDEX) };

int operand_collector_state(const int *params, StateField *f) {
    const int coll = params[P_NumColl], ops = params[P_NumOps], units = params[P_NumDisp],
              banks = params[P_Banks], entries = params[P_Entries];
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
    f[n++] =
        STATE((uint32_t)coll, 0, STATE_ROW, STEP_ADDR("coll", coll, ops), STEP_ADDR("row", ops, 1));
    return n;
}
