// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

enum { CLASSES = 10, REGS = 64 };

int alloc_unit_state(const int *params, StateField *f) {
    const int banks = params[0], entries = params[1], writers = params[3], kernels = params[5];
    const int groups = (entries + 15) / 16;
    const uint32_t classes = (uint32_t)(banks * groups), hints = classes + (uint32_t)(banks * CLASSES),
                   rest = hints + (uint32_t)(kernels * REGS);
    const StateStep bank = STEP_ADDR("bank", banks, groups), entry = {"entry", entries, 1, 8, 16};
    const StateStep home = STEP_ADDR("bank", banks, CLASSES), class = STEP_ADDR("class", CLASSES, 1);
    const StateStep kernel = STEP_ADDR("kernel", kernels, REGS), reg = STEP_ADDR("reg", REGS, 1);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_FLAG, bank, entry, STEP_BIT("slice", 4, 1));
    f[n++] = STATE(0, 4, STATE_FLAG, bank, entry, STEP("reserved"));
    f[n++] = STATE(classes, 0, block_bits(entries), home, class, STEP("candidate"));
    f[n++] = STATE(classes, 10, STATE_FLAG, home, class, STEP_BIT("slice", 4, 1));
    f[n++] = STATE(classes, 14, STATE_FLAG, home, class, STEP("valid"));
    f[n++] = STATE(hints, 0, 2, kernel, reg, STEP("align"));
    f[n++] = STATE(hints, 2, STATE_FLAG, kernel, reg, STEP("paired"));
    f[n++] = STATE(hints, 3, 6, kernel, reg, STEP("buddy"));
    f[n++] = STATE(rest, 0, block_bits(writers), STEP("turn"));
    f[n++] = STATE(rest, 32, block_bits(4 * banks * entries + 1), STEP("slices"));
    f[n++] = STATE_DERIVED(rest, 64, block_bits(banks * entries + 1), STEP("registers"));
    f[n++] = STATE(rest, 96, STATE_FLAG, STEP_BIT("previous", writers, 1));
    return n;
}
