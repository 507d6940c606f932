// SPDX-License-Identifier: Apache-2.0
#include "models/lines/md_cache.h"
#include "models/params.h"
#include "models/state.h"

enum { MD_CACHE_PARAMS(BLOCK_INDEX) };

int md_cache_state(const int *params, StateField *f) {
    const int ways = params[P_Ways], sets = params[P_Bytes] / (32 * ways);
    const StateStep set = STEP_ADDR("set", sets, ways), way = STEP_ADDR("way", ways, 1);
    f[0] = STATE(0, 0, STATE_FLAG, set, way, STEP("valid"));
    f[1] = STATE(0, 1, STATE_FLAG, set, way, STEP("dirty"));
    f[2] = STATE(0, 4, block_bits(ways), set, way, STEP("age"));
    f[3] = STATE(0, 8, MD_LINE_BITS, set, way, STEP("line"));
    f[4] = STATE((uint32_t)(sets * ways), 0, 2, set, way, STEP_BIT("field", MD_FIELDS, 2));
    return 5;
}
