// SPDX-License-Identifier: Apache-2.0
#include "models/state.h"

// Blocks of logic alone.
#define STATELESS(block) \
    int block##_state(const int *params, StateField *f) { \
        (void)params, (void)f; \
        return 0; \
    }
STATELESS(arch_to_phys)
STATELESS(coalescer)
STATELESS(packer)
STATELESS(unpacker)
STATELESS(width_detect)
