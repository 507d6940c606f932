// SPDX-License-Identifier: Apache-2.0
#include "models/pmode/avail_vector.h"
#include "models/params.h"
#include "models/state.h"

enum { AVAIL_VECTOR_PARAMS(BLOCK_INDEX) };

int avail_vector_state(const int *params, StateField *f) {
    const int ids = params[P_NumPhy];
    const StateStep id = STEP_ADDR("id", ids, 1);
    f[0] = STATE(0, 0, STATE_FLAG, id, STEP("available"));
    f[1] = STATE(0, 1, STATE_FLAG, id, STEP("pending"));
    f[2] = STATE(0, 2, STATE_FLAG, id, STEP("dying"));
    f[3] = STATE((uint32_t)ids, 0, block_bits(ids + 1), STEP("limit"));
    return 4;
}
