// SPDX-License-Identifier: Apache-2.0
#include "models/lines/bdi_decompress.h"
#include "models/params.h"
#include "models/state.h"

enum { BDI_DECOMPRESS_PARAMS(BLOCK_INDEX) };

int bdi_decompress_state(const int *params, StateField *f) {
    const int stages = params[P_Cycles];
    f[0] = STATE(0, 0, STATE_FLAG, STEP_BIT("stage", stages, 32), STEP("line"));
    f[1] = STATE(0, 1, STATE_FLAG, STEP_BIT("stage", stages, 32), STEP("error"));
    f[2] = STATE(1, 0, STATE_ROW, STEP_ADDR("stage", stages, 1), STEP("row"));
    return 3;
}
