// SPDX-License-Identifier: Apache-2.0
#include "models/params.h"
#include "models/scalar/cta_barrier.h"
#include "models/state.h"

enum { CTA_BARRIER_PARAMS(BLOCK_INDEX) };

int cta_barrier_state(const int *params, StateField *f) {
    const int ctas = params[P_Ctas], numbers = params[P_Barriers],
              count = block_bits(params[P_Warps] + 1);
    const StateStep cta = STEP_ADDR("cta", ctas, 1), of = STEP_ADDR("cta", ctas, numbers),
                    barrier = STEP_ADDR("barrier", numbers, 1),
                    warp = STEP_ADDR("warp", params[P_Warps], 1);
    const uint32_t first = (uint32_t)ctas, waits = first + (uint32_t)(ctas * numbers);
    int n = 0;
    f[n++] = STATE(0, 0, count, cta, STEP("live"));
    f[n++] = STATE(0, 8, STATE_FLAG, cta, STEP("scalar"));
    f[n++] = STATE(first, 0, count, of, barrier, STEP("arrived"));
    f[n++] = STATE(first, 8, count, of, barrier, STEP("expected"));
    f[n++] = STATE(first, 16, STATE_FLAG, of, barrier, STEP("with"));
    f[n++] = STATE(first, 17, STATE_FLAG, of, barrier, STEP("scalar_arrived"));
    f[n++] = STATE(first, 18, STATE_FLAG, of, barrier, STEP("scalar_waits"));
    f[n++] = STATE(first, 19, STATE_FLAG, of, barrier, STEP("released"));
    f[n++] = STATE(waits, 0, STATE_FLAG, warp, STEP("waits"));
    f[n++] = STATE(waits, 1, block_bits(ctas), warp, STEP("cta"));
    f[n++] = STATE(waits, 6, block_bits(numbers), warp, STEP("barrier"));
    return n;
}
