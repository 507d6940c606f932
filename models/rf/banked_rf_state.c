// SPDX-License-Identifier: Apache-2.0
#include "models/rf/banked_rf.h"
#include "models/params.h"
#include "models/state.h"

enum { BANKED_RF_PARAMS(BLOCK_INDEX) };

int banked_rf_state(const int *params, StateField *f) {
    const int banks = params[P_Banks], entries = params[P_Entries], writers = params[P_NumWr];
    f[0] =
        STATE(0, 0, STATE_ROW, STEP_ADDR("bank", banks, entries), STEP_ADDR("entry", entries, 1));
    f[1] = STATE((uint32_t)(banks * entries), 0, block_bits(writers), STEP_ADDR("bank", banks, 1),
                 STEP("first"));
    f[1].derived = writers == 1;  // with one writer it is always 0
    return 2;
}
