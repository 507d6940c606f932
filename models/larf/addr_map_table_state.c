// SPDX-License-Identifier: Apache-2.0
#include "models/larf/addr_map_table.h"
#include "models/params.h"
#include "models/state.h"

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) };

int addr_map_table_state(const int *params, StateField *f) {
    const int rows = 1 << params[P_RowBits], ways = params[P_Ways], lines = AMT_BANKS * rows,
              slots = lines * ways;
    const int phy_bits = block_bits(params[P_Banks]) + block_bits(params[P_Entries]);
    const int queue = slots + lines;
    const StateStep row = STEP_ADDR("row", lines, ways), way = STEP_ADDR("way", ways, 1);
    f[0] = STATE(0, 31, STATE_FLAG, row, way, STEP("valid"));
    f[1] = STATE(0, 30, STATE_FLAG, row, way, STEP("data"));
    f[2] = STATE(0, 16, 8, row, way, STEP("code"));
    f[3] = STATE(0, 0, phy_bits, row, way, STEP("phys"));
    f[4] = STATE(0, 32, 32, row, way, STEP("base"));
    f[5] = STATE(0, 64, 32, row, way, STEP("mask"));
    f[6] = STATE((uint32_t)slots, 0, block_bits(ways), STEP_ADDR("row", lines, 1), STEP("fill"));
    f[7] = STATE((uint32_t)queue, 0, 3, STEP("stores"));
    f[8] =
        STATE((uint32_t)queue, 4, STATE_FLAG, STEP_BIT("class", AMT_CLASSES, 1), STEP("entered"));
    f[9] = STATE((uint32_t)queue, 16, STATE_FLAG, STEP_BIT("step", AMT_CLASSES + 1, 1));
    f[10] = STATE((uint32_t)queue + 1, 0, 7, STEP_ADDR("store", AMT_PENDING, 1), STEP("last"));
    f[11] = STATE((uint32_t)queue + 1, 32, 32, STEP_ADDR("store", AMT_PENDING, 1), STEP("low"));
    f[12] = STATE((uint32_t)queue + 1, 28, 2, STEP_ADDR("store", AMT_PENDING, 1), STEP("age"));
    f[13] = STATE_DERIVED((uint32_t)queue + 1, 31, STATE_FLAG, STEP_ADDR("store", AMT_PENDING, 1),
                          STEP("waits"));
    return 14;
}
