// SPDX-License-Identifier: Apache-2.0
#include "models/larf/addr_map_table.h"
#include "models/params.h"
#include "models/state.h"

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) };

int addr_map_table_state(const int *params, StateField *f) {
    const int slots = params[P_Slots], ways = params[P_Ways] < slots ? params[P_Ways] : slots,
              rows = (slots + ways - 1) / ways;
    const int phys = block_bits(params[P_Banks]) + block_bits(params[P_Entries]);
    const uint32_t fill = (uint32_t)slots, request = fill + 1;
    const StateStep slot = STEP_ADDR("slot", slots, 1), asked = STEP("request");
    int n = 0;
    f[n++] = STATE(0, 0, phys, slot, STEP("register"));
    f[n++] = STATE(0, 16, 8, slot, STEP("stride"));
    f[n++] = STATE(0, 30, STATE_FLAG, slot, STEP("data"));
    f[n++] = STATE(0, 31, STATE_FLAG, slot, STEP("valid"));
    f[n++] = STATE(0, 32, 32, slot, STEP("base"));
    f[n++] = STATE(0, 64, 32, slot, STEP("mask"));
    f[n++] = STATE(fill, 0, block_bits(ways), STEP("fill"), STEP("way"));
    f[n++] = STATE(fill, 16, block_bits(rows), STEP("fill"), STEP("row"));
    f[n++] = STATE(fill, 32, block_bits(rows + 3), asked, STEP("cycles"));
    f[n++] = STATE(fill, 48, STATE_FLAG, asked, STEP("lookup"));
    f[n++] = STATE(request, 0, phys, asked, STEP("register"));
    f[n++] = STATE(request, 16, 8, asked, STEP("stride"));
    f[n++] = STATE(request, 30, STATE_FLAG, asked, STEP("fits"));
    f[n++] = STATE(request, 31, STATE_FLAG, asked, STEP("insert"));
    f[n++] = STATE(request, 32, 32, asked, STEP("base"));          // of a store: its lowest address
    f[n++] = STATE(request, 64, 32, asked, STEP("mask"));          // of a store: its highest address
    return n;
}
