// SPDX-License-Identifier: Apache-2.0
#include "models/pmode/p_queue.h"
#include "models/params.h"
#include "models/state.h"

enum { P_QUEUE_PARAMS(BLOCK_INDEX) };

int p_queue_state(const int *params, StateField *f) {
    const int warps = params[P_NumWarps], depth = params[P_Depth], distance = params[P_Distance],
              reg_bits = block_bits(params[P_NumRegs] + 1), phys = params[P_NumPhy];
    const uint32_t queues = (uint32_t)(warps * depth);
    const StateStep warp = STEP_ADDR("warp", warps, depth), entry = STEP_ADDR("entry", depth, 1);
    const StateStep queue = STEP_ADDR("warp", warps, 1);
    int n = 0;
    f[n++] = STATE(0, 0, STATE_FLAG, warp, entry, STEP("valid"));
    f[n++] = STATE(0, 1, STATE_FLAG, warp, entry, STEP_BIT("ready", 2, 1));
    f[n++] = STATE(0, 3, STATE_FLAG, warp, entry, STEP("pred_ready"));
    f[n++] = STATE(0, 4, STATE_FLAG, warp, entry, STEP("pred"));
    f[n++] = STATE(0, 5, block_bits(16 * distance), warp, entry, STEP("offset"));
    f[n++] = STATE(0, 17, reg_bits, warp, entry, STEP("dst"));
    f[n++] = STATE(0, 23, reg_bits, warp, entry, STEP_BIT("src", 2, 9));
    f[n++] = STATE(0, 40, block_bits(phys), warp, entry, STEP_BIT("phy", 2, 8));
    f[n++] = STATE(0, 56, PQ_SEQ_BITS, warp, entry, STEP("seq"));
    f[n++] = STATE(0, 64, 32, warp, entry, STEP_BIT("predicate", 2, 32));
    f[n++] = STATE(queues, 0, block_bits(depth), queue, STEP("head"));
    f[n++] = STATE(queues, 8, block_bits(depth), queue, STEP("tail"));
    f[n++] = STATE(queues, 16, STATE_FLAG, queue, STEP("draining"));
    f[n++] = STATE(queues, 32, 32, queue, STEP("base"));
    f[n++] = STATE(queues + (uint32_t)warps, 0, STATE_FLAG, STEP("half"));
    // with one register there are no pairs, and half a pair never waits
    f[n++] = STATE(queues + (uint32_t)warps, 1, block_bits(warps), STEP("half_warp"));
    f[n - 1].derived = params[P_NumPhy] < 2;
    return n;
}
