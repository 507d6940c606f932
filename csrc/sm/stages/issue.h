// SPDX-License-Identifier: Apache-2.0
// Scoreboard and issue.
#ifndef SMCOSIM_SM_STAGES_ISSUE_H
#define SMCOSIM_SM_STAGES_ISSUE_H

#include "base/arena.h"
#include "sm/flight.h"

void issue_open(Sm *sm, Arena *arena);
void issue_launch(Sm *sm);
void issue_stage(Sm *sm);

#endif
