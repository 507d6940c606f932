// SPDX-License-Identifier: Apache-2.0
#include "models/collect/reg_cache.h"
#include "models/params.h"
#include "models/state.h"

enum { REG_CACHE_PARAMS(BLOCK_INDEX) };

int reg_cache_state(const int *params, StateField *f) {
    const int warps = params[P_Warps], ways = params[P_Ways], ports = params[P_NumWr];
    const int banks = block_bits(params[P_Banks]), entries = block_bits(params[P_Entries]);
    const uint32_t tags = (uint32_t)(warps * ways), buffers = tags + (uint32_t)warps;
    const uint32_t places = buffers + (uint32_t)ports;
    const StateStep warp = STEP_ADDR("warp", warps, 1), way = STEP_BIT("way", ways, 32);
    const StateStep port = STEP_BIT("buffer", ports, 32);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_ROW, STEP_ADDR("warp", warps, ways), STEP_ADDR("way", ways, 1));
    f[n++] = STATE(tags, 31, STATE_FLAG, warp, way, STEP("valid"));
    f[n++] = STATE(tags, 16, banks, warp, way, STEP("bank"));
    f[n++] = STATE(tags, 0, entries, warp, way, STEP("entry"));
    f[n] = STATE(tags, 16 * 32, block_bits(ways), warp, STEP("next"));
    f[n++].derived = ways == 1;  // there is no other
    f[n++] = STATE(buffers, 0, STATE_ROW, STEP_ADDR("buffer", ports, 1));
    f[n++] = STATE(places, 31, STATE_FLAG, port, STEP("full"));
    f[n++] = STATE(places, 16, banks, port, STEP("bank"));
    f[n++] = STATE(places, 0, entries, port, STEP("entry"));
    f[n] = STATE(places, 4 * 32, block_bits(ports), STEP("first"));
    f[n++].derived = ports == 1;  // with one port it is always 0
    return n;
}
