// SPDX-License-Identifier: Apache-2.0
// Lockstep on several cores: the RTL follows in threads of its own (csrc/README.md, "Lockstep on several cores").
#ifndef SMCOSIM_COSIM_FOLLOW_H
#define SMCOSIM_COSIM_FOLLOW_H

#include "cosim/internal.h"

// Starts `threads` followers and gives every block in lockstep to one of them. EXIT_ENVIRONMENT.
bool follow_open(Cosim *c, int threads, Diag *d);
// Until every follower has done all that was handed to it; then the caller may use the RTL until the next evaluation.
void follow_drain(Cosim *c);
// Once a cycle: has a follower met a difference? Then records the first one in the order of evaluations.
void follow_look(Cosim *c);
void follow_close(Cosim *c);
// One clock with reset low while the inputs stay as they are driven.
void follow_reset_driven(Instance *x);

#endif
