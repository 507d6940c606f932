// SPDX-License-Identifier: Apache-2.0
// The text of --fault, also for harnesses other than Cosim.
#ifndef SMCOSIM_COSIM_FAULT_H
#define SMCOSIM_COSIM_FAULT_H

#include "base/arena.h"
#include "cosim/shim/shim.h"

// BLOCK:PLACE:KIND[@CYCLE]
typedef struct FaultSpec {
    const char *block, *place, *kind;
    ShimFault what;
    // kind glitch: a flip that a replay does not repeat; it tests the replay's verdict
    bool once;
    uint64_t cycle;
} FaultSpec;

// EXIT_USAGE if the text has another form. Does not look up block and place.
bool fault_spec(FaultSpec *f, Arena *arena, const char *text, Diag *d);

#endif
