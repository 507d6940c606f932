// SPDX-License-Identifier: Apache-2.0
// Lockstep on several cores: separate threads evaluate the RTL (csrc/cosim/README.md).
#ifndef SMCOSIM_COSIM_FOLLOW_H
#define SMCOSIM_COSIM_FOLLOW_H

#include "cosim/cosim_internal.h"

// Starts `threads` followers for the blocks in lockstep, at most one per block. EXIT_ENVIRONMENT.
bool follow_open(Cosim *c, int threads, Diag *d);
// Waits until all queued evaluations are done; then the caller may use the RTL until the next
// evaluation.
void follow_drain(Cosim *c);
// Call once per cycle: was a difference found? If so, records the first one in the order of
// evaluations.
void follow_look(Cosim *c);
// Calls of the block's RTL so far by the SM's thread, made instead of waiting.
uint64_t follow_helped(const Cosim *c, const Instance *x);
void follow_close(Cosim *c);
// One clock with reset low; the other inputs are unchanged.
void follow_reset_driven(Instance *x);

#endif
