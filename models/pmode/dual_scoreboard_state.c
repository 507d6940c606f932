// SPDX-License-Identifier: Apache-2.0
#include "models/pmode/dual_scoreboard.h"
#include "models/params.h"
#include "models/state.h"

enum { DUAL_SCOREBOARD_PARAMS(BLOCK_INDEX) };

int dual_scoreboard_state(const int *params, StateField *f) {
    const int regs = params[P_NumRegs];
    const StateStep warp = STEP_ADDR("warp", params[P_NumWarps], 1);
    static const char *const boards[] = {"n", "p"};
    int n = 0;
    for (int b = 0; b < 2; b++) {
        f[n++] = STATE(0, 128 * b, STATE_FLAG, warp, STEP(boards[b]), STEP_BIT("pending", regs, 1));
        f[n++] =
            STATE(0, 128 * b + 64, STATE_FLAG, warp, STEP(boards[b]), STEP_BIT("long", regs, 1));
    }
    f[n++] = STATE(0, 256, STATE_FLAG, warp, STEP("mode"));
    f[n++] = STATE(0, 257, block_bits(regs), warp, STEP("trigger"));
    f[n++] = STATE(0, 288, STATE_FLAG, warp, STEP("n"), STEP_BIT("pred_pending", DS_PREDS, 1));
    f[n++] = STATE(0, 296, STATE_FLAG, warp, STEP("p"), STEP_BIT("pred_pending", DS_PREDS, 1));
    f[n++] = STATE(0, 304, STATE_FLAG, warp, STEP("p"), STEP_BIT("pred_long", DS_PREDS, 1));
    return n;
}
