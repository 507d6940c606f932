// SPDX-License-Identifier: Apache-2.0
#include "models/pmode/pmode_rename.h"
#include "models/params.h"
#include "models/state.h"

enum { PMODE_RENAME_PARAMS(BLOCK_INDEX) };

int pmode_rename_state(const int *params, StateField *f) {
    const int warps = params[P_NumWarps], regs = params[P_NumRegs],
              phy = block_bits(params[P_NumPhy]);
    const StateStep warp = STEP_ADDR("warp", warps, regs), reg = STEP_ADDR("reg", regs, 1);
    const StateStep mode = STEP_ADDR("warp", warps, 1);
    const uint32_t modes = (uint32_t)(warps * regs);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_FLAG, warp, reg, STEP("n"), STEP("renamed"));
    f[n++] = STATE(0, 1, phy, warp, reg, STEP("n"), STEP("phy"));
    f[n++] = STATE(0, 9, STATE_FLAG, warp, reg, STEP("p"), STEP("renamed"));
    f[n++] = STATE(0, 10, phy, warp, reg, STEP("p"), STEP("phy"));
    f[n++] = STATE(0, 18, STATE_FLAG, warp, reg, STEP("own"));
    f[n++] = STATE(modes, 0, STATE_FLAG, mode, STEP("close_p"));
    f[n++] = STATE(modes, 1, STATE_FLAG, mode, STEP("close_n"));
    return n;
}
