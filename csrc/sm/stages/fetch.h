// SPDX-License-Identifier: Apache-2.0
// Fetch, decode, instruction buffers.
#ifndef SMCOSIM_SM_STAGES_FETCH_H
#define SMCOSIM_SM_STAGES_FETCH_H

#include "base/arena.h"
#include "sm/flight.h"

typedef enum FetchWait { FETCH_NEXT, FETCH_LINE, FETCH_CONST } FetchWait;

void fetch_open(Sm *sm, Arena *arena);
void fetch_launch(Sm *sm);
void fetch_stage(Sm *sm);
void decode_stage(Sm *sm);
void fetch_redirect(Sm *sm, int warp);  // buffer and fetches of the warp are dropped
void fetch_wants(Sm *sm, int warp);     // the buffer changed
// Why the buffer of a warp is empty: waits for its turn, a line of instructions, or constant
// operands.
FetchWait fetch_waits_for(const Sm *sm, int warp);

#endif
