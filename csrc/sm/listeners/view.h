// SPDX-License-Identifier: Apache-2.0
// SM signals for waves.
#ifndef SMCOSIM_SM_LISTENERS_VIEW_H
#define SMCOSIM_SM_LISTENERS_VIEW_H

#include "cosim/cosim.h"

typedef struct Sm Sm;

void view_open(Sm *sm, Arena *arena);
void view_close(Sm *sm);
void view_launch(Sm *sm);                     // another program
void view_cycle(Sm *sm);

#endif
