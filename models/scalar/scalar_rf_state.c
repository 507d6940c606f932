// SPDX-License-Identifier: Apache-2.0
#include "models/scalar/scalar_rf.h"
#include "models/params.h"
#include "models/state.h"

enum { SCALAR_RF_PARAMS(BLOCK_INDEX) };

int scalar_rf_state(const int *params, StateField *f) {
    f[0] = STATE(0, 0, 32, STEP_ADDR("word", params[P_Words], 1));
    f[1] = STATE((uint32_t)params[P_Words], 0, STATE_FLAG, STEP_BIT("bank", SRF_BANKS, 1),
                 STEP("delivers"));
    return 2;
}
