// SPDX-License-Identifier: Apache-2.0
#include "models/larf/wait_table.h"
#include "models/params.h"
#include "models/state.h"

enum { WAIT_TABLE_PARAMS(BLOCK_INDEX) };

int wait_table_state(const int *params, StateField *f) {
    const StateStep place = STEP_ADDR("place", params[P_Waiters], 1);
    f[0] = STATE(0, 31, STATE_FLAG, place, STEP("valid"));
    f[1] = STATE(0, 30, STATE_FLAG, place, STEP("there"));
    f[2] = STATE(0, 0, block_bits(params[P_Banks]) + block_bits(params[P_Entries]), place,
                 STEP("phys"));
    f[3] = STATE(0, 40, block_bits(params[P_Warps]), place, STEP("warp"));
    f[4] = STATE(0, 32, block_bits(params[P_Regs]), place, STEP("register"));
    return 5;
}
