// SPDX-License-Identifier: Apache-2.0
#include "models/larf/ref_count.h"
#include "models/params.h"
#include "models/state.h"

enum { REF_COUNT_PARAMS(BLOCK_INDEX) };

int ref_count_state(const int *params, StateField *f) {
    const StateStep bank = STEP_ADDR("bank", params[P_Banks], params[P_Entries]);
    const StateStep entry = STEP_ADDR("entry", params[P_Entries], 1);
    f[0] = STATE(0, 0, params[P_CountBits], bank, entry, STEP("count"));
    f[1] = STATE(0, 30, STATE_FLAG, bank, entry, STEP("pending"));
    f[2] = STATE(0, 31, STATE_FLAG, bank, entry, STEP("sent"));
    f[3] = STATE(0, 29, STATE_FLAG, bank, entry, STEP("entered"));
    return 4;
}
