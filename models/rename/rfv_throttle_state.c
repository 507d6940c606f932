// SPDX-License-Identifier: Apache-2.0
#include "models/params.h"
#include "models/rename/rfv_throttle.h"
#include "models/state.h"

enum { RFV_THROTTLE_PARAMS(BLOCK_INDEX) };

int rfv_throttle_state(const int *params, StateField *f) {
    const int ctas = params[P_Ctas], rows = block_bits(params[P_Banks] * params[P_Entries] + 1);
    const StateStep cta = STEP_ADDR("cta", ctas, 1);
    const uint32_t behind = 3 * (uint32_t)ctas;
    f[0] = STATE(0, 0, rows, cta, STEP("balance"));
    f[1] = STATE((uint32_t)ctas, 0, STATE_FLAG, cta, STEP("resident"));
    f[2] = STATE(behind, 0, rows, STEP("free"));
    f[3] = STATE(behind + 1, 0, rows, STEP("need"));
    if (ctas == 1) return 4;
    f[4] = STATE(2 * (uint32_t)ctas, 0, STATE_FLAG, cta, STEP("before"), STEP_BIT("cta", ctas, 1));
    return 5;
}
