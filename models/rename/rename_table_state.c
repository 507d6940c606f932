// SPDX-License-Identifier: Apache-2.0
#include "models/rename/rename_table.h"
#include "models/params.h"
#include "models/state.h"

enum { RENAME_TABLE_PARAMS(BLOCK_INDEX) };

static int mapping(StateField *f, bool derived, uint32_t addr, StateStep first, StateStep second,
                   int banks, int entries) {
    f[0] = STATE(addr, 0, block_bits(entries), first, second);
    f[1] = STATE(addr, 16, block_bits(banks), first, second);
    f[2] = STATE(addr, 24, STATE_FLAG, first, second);
    f[3] = STATE_DERIVED(addr, 31, STATE_FLAG, first, second);
    const int next = second.word ? 2 : 1;
    const StateStep names[] = {STEP("entry"), STEP("bank"), STEP_BIT("slice", 4, 1),
                               STEP("mapped")};
    for (int i = 0; i < 4; i++) f[i].steps[next] = names[i], f[i].derived |= derived;
    return 4;
}

int rename_table_state(const int *params, StateField *f) {
    const int warps = params[P_Warps], regs = params[P_Regs], banks = params[P_Banks],
              entries = params[P_Entries], allocs = params[P_NumAlloc], writers = params[P_NumWr],
              lanes = banks < 8 ? banks : 8;
    const uint32_t turns = (uint32_t)(warps * regs);
    int n = mapping(f, false, 0, STEP_ADDR("warp", warps, regs), STEP_ADDR("reg", regs, 1), banks,
                    entries);
    f[n++] = STATE_DERIVED(turns, 0, block_bits(allocs), STEP("first"), STEP("source"));
    f[n++] = STATE_DERIVED(turns, 8, block_bits(allocs), STEP("first"), STEP("dst"));
    f[n++] = STATE_DERIVED(turns, 16, block_bits(writers), STEP("first"), STEP("update"));
    f[n++] = STATE_DERIVED(turns, 24, block_bits(writers), STEP("first"), STEP("buddy"));
    f[n++] = STATE_DERIVED(turns, 32, block_bits(warps), STEP("walk"), STEP("warp"));
    f[n++] = STATE_DERIVED(turns, 63, STATE_FLAG, STEP("walk"), STEP("busy"));
    return n +
        mapping(f + n, true, turns + 1, STEP_ADDR("freed", lanes, 1), (StateStep){0}, banks,
                entries);
}
