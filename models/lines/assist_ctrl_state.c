// SPDX-License-Identifier: Apache-2.0
#include "models/lines/assist_ctrl.h"
#include "models/params.h"
#include "models/state.h"

enum { ASSIST_CTRL_PARAMS(BLOCK_INDEX) };

int assist_ctrl_state(const int *params, StateField *f) {
    const int warps = params[P_NumWarps], bits = block_bits(warps);
    static const char *const priorities[] = {"low", "high"};
    int n = 0;
    for (int p = 0; p < 2; p++) {
        const uint32_t at = (uint32_t)(p * warps);
        const StateStep warp = STEP_ADDR("warp", warps, 1), of = STEP(priorities[p]);
        f[n++] = STATE(at, 0, STATE_FLAG, warp, of, STEP("busy"));
        f[n++] = STATE(at, 1, STATE_FLAG, warp, of, STEP("killed"));
        f[n++] = STATE(at, 2, STATE_FLAG, warp, of, STEP("pinned"));
        f[n++] = STATE(at, 4, ASSIST_SR_BITS, warp, of, STEP("routine"));
        f[n++] = STATE(at, 12, ASSIST_INST_BITS, warp, of, STEP("next"));
        f[n++] = STATE(at, 20, ASSIST_INST_BITS, warp, of, STEP("end"));
        f[n++] = STATE(at, 32, 32, warp, of, STEP("lanes"));
    }
    f[n++] = STATE(2 * (uint32_t)warps, 0, bits, STEP("first"), STEP("pointer"));
    f[n++] = STATE(2 * (uint32_t)warps, 8, bits, STEP("second"), STEP("pointer"));
    return n;
}
