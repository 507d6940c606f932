// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

#include <string.h>

int state_part(StateField *f, int count, uint32_t base, const char *part) {
    for (int i = 0; i < count; i++) {
        f[i].addr += base;
        memmove(&f[i].steps[1], &f[i].steps[0], sizeof *f[i].steps * (STATE_STEPS - 1));
        f[i].steps[0] = STEP(part);
    }
    return count;
}
