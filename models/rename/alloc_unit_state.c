// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

enum { OPEN = 5, REGS = 64 };

int alloc_unit_state(const int *params, StateField *f) {
    const int banks = params[0], entries = params[1], writers = params[3], free = params[4],
              kernels = params[5];
    const int groups = (entries + 15) / 16, words = (entries + 7) / 8,
              shown = words < 32 ? words : 32;
    const uint32_t rows = (uint32_t)(banks * groups), scan = rows + (uint32_t)(banks * OPEN),
                   hints = scan + (uint32_t)banks, rest = hints + (uint32_t)(kernels * REGS);
    const StateStep bank = STEP_ADDR("bank", banks, groups), entry = {"entry", entries, 1, 8, 16};
    const StateStep home = STEP_ADDR("bank", banks, OPEN), open = STEP_ADDR("open", OPEN, 1);
    const StateStep scanner = STEP_ADDR("bank", banks, 1);
    const StateStep kernel = STEP_ADDR("kernel", kernels, REGS), reg = STEP_ADDR("reg", REGS, 1);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_FLAG, bank, entry, STEP_BIT("slice", 4, 1));
    f[n++] = STATE(0, 4, STATE_FLAG, bank, entry, STEP("reserved"));
    f[n++] = STATE(rows, 0, block_bits(entries), home, open, STEP("entry"));
    f[n++] = STATE(rows, 10, STATE_FLAG, home, open, STEP_BIT("slice", 4, 1));
    f[n++] = STATE(rows, 14, STATE_FLAG, home, open, STEP("reserved"));
    f[n++] = STATE(rows, 15, STATE_FLAG, home, open, STEP("closing"));
    f[n++] = STATE(rows, 16, STATE_FLAG, home, open, STEP("valid"));
    f[n++] = STATE_DERIVED(scan, 0, 3, scanner, STEP("level"));
    f[n++] = STATE_DERIVED(scan, 4, STATE_FLAG, scanner, STEP("wish"), STEP("valid"));
    f[n++] = STATE_DERIVED(scan, 5, 2, scanner, STEP("wish"), STEP("n"));
    f[n++] = STATE_DERIVED(scan, 8, 2, scanner, STEP("wish"), STEP("side"));
    f[n++] = STATE_DERIVED(scan, 10, STATE_FLAG, scanner, STEP("wish"), STEP("demand"));
    f[n++] = STATE_DERIVED(scan, 12, 3, scanner, STEP("victim"));
    f[n++] = STATE_DERIVED(scan, 16, 8, scanner, STEP("ptr"));
    f[n++] = STATE_DERIVED(scan, 32, STATE_FLAG, scanner, STEP_BIT("full", shown, 1));
    f[n++] = STATE_DERIVED(scan, 64, STATE_FLAG, scanner, STEP_BIT("some", shown, 1));
    f[n++] = STATE_DERIVED(scan, 96, block_bits(words + 1), scanner, STEP("clear"));
    f[n++] = STATE(hints, 0, 2, kernel, reg, STEP("align"));
    f[n++] = STATE(hints, 2, STATE_FLAG, kernel, reg, STEP("paired"));
    f[n++] = STATE(hints, 3, 6, kernel, reg, STEP("buddy"));
    f[n++] = STATE(rest, 0, block_bits(writers), STEP("turn"));
    f[n++] = STATE(rest, 8, STATE_FLAG, STEP("yield"));
    f[n++] = STATE(rest, 32, block_bits(4 * banks * entries + 1), STEP("slices"));
    f[n++] = STATE(rest, 64, block_bits(banks * entries + 1), STEP("registers"));
    f[n++] = STATE_DERIVED(rest, 96, STATE_FLAG, STEP_BIT("give", 2 * (free + writers), 1));
    return n;
}
