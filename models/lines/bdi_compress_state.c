// SPDX-License-Identifier: Apache-2.0
#include "models/lines/bdi_compress.h"
#include "models/state.h"

int bdi_compress_state(const int *params, StateField *f) {
    (void)params;
    f[0] = STATE(0, 0, STATE_FLAG, STEP_BIT("stage", BDI_COMPRESS_STAGES, 1), STEP("there"));
    f[1] = STATE(1, 0, STATE_ROW, STEP_ADDR("stage", 3, 1), STEP("row"));
    return 2;
}
