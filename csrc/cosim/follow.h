// SPDX-License-Identifier: Apache-2.0
// Lockstep on several cores: the RTL follows in threads of its own (csrc/cosim/README.md).
#ifndef SMCOSIM_COSIM_FOLLOW_H
#define SMCOSIM_COSIM_FOLLOW_H

#include "cosim/cosim_internal.h"

// Starts `threads` followers for the blocks in lockstep, no more than there are blocks.
// EXIT_ENVIRONMENT.
bool follow_open(Cosim *c, int threads, Diag *d);
// Until all that was handed over is done; then the caller may use the RTL until the next
// evaluation.
void follow_drain(Cosim *c);
// Once a cycle: was a difference met? Then records the first one in the order of evaluations.
void follow_look(Cosim *c);
// Calls of the block's RTL so far that the SM's thread made instead of waiting.
uint64_t follow_helped(const Cosim *c, const Instance *x);
void follow_close(Cosim *c);
// One clock with reset low while the inputs stay as they are driven.
void follow_reset_driven(Instance *x);

#endif
