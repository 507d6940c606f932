// SPDX-License-Identifier: Apache-2.0
#include "models/larf/row_reader.h"
#include "models/params.h"
#include "models/state.h"

enum { ROW_READER_PARAMS(BLOCK_INDEX) };

int row_reader_state(const int *params, StateField *f) {
    const int queue = params[P_Queue],
              phy_bits = block_bits(params[P_Banks]) + block_bits(params[P_Entries]);
    const StateStep merge = STEP_ADDR("merge", queue, 1);
    f[0] = STATE(0, 0, block_bits(queue + 1), STEP("merges"));
    f[1] = STATE(0, 4, STATE_FLAG, STEP_BIT("row", RR_ROWS, 1), STEP("asked"));
    f[2] = STATE(0, 6, STATE_FLAG, STEP_BIT("row", RR_ROWS, 1), STEP("come"));
    f[3] = STATE(0, 32, STATE_FLAG, STEP("question"));
    f[4] = STATE(0, 33, STATE_FLAG, STEP("question"), STEP("asked"));
    f[5] = STATE(0, 34, STATE_FLAG, STEP("question"), STEP("come"));
    f[6] = STATE(0, 35, STATE_FLAG, STEP("question"), STEP("void"));
    f[7] = STATE(0, 36, phy_bits, STEP("question"), STEP("phys"));
    f[8] = STATE(1, 0, 2, merge, STEP("use"));
    f[9] = STATE(1, 8, 24, merge, STEP("tag"));
    f[10] = STATE(1, 32, phy_bits, merge, STEP_BIT("row", RR_ROWS, 32), STEP("phys"));
    f[11] = STATE(1, 48, 6, merge, STEP_BIT("row", RR_ROWS, 32), STEP("shift"));
    f[12] = STATE(1, 96, STATE_FLAG, merge, STEP_BIT("row", RR_ROWS, 32), STEP_BIT("lane", 32, 1));
    f[13] = STATE((uint32_t)(1 + queue), 0, STATE_ROW, STEP_ADDR("row", RR_ROWS, 1), STEP("value"));
    f[14] = STATE((uint32_t)(1 + queue + RR_ROWS), 0, STATE_ROW, STEP("question"), STEP("value"));
    return 15;
}
