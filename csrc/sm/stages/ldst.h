// SPDX-License-Identifier: Apache-2.0
// Memory instructions.
#ifndef SMCOSIM_SM_STAGES_LDST_H
#define SMCOSIM_SM_STAGES_LDST_H

#include "base/arena.h"
#include "mem/mem.h"
#include "sm/flight.h"
#include "sm/parts/units.h"

void ldst_open(Sm *sm, Arena *arena);
void ldst_launch(Sm *sm);
// How the memory pipe answers dispatch: `ready`, and `held` when the memory system does not accept
// the request at the end of the address pipe.
extern const UnitRow ldst_unit;
void ldst_execute(Sm *sm, Flight *f);
// A load by another unit from memory that is never written, with one address for all lanes.
// `ldst_load_once` reads its value, in all lanes; false: an error. `ldst_request_once` then builds
// its request, of one lane, with the flight's number as token.
bool ldst_load_once(Sm *sm, Flight *f);
void ldst_request_once(const Sm *sm, const Flight *f, MemRequest *r);
void ldst_stage(Sm *sm);  // address pipe to the memory system
void ldst_completions(Sm *sm);
void ldst_perform(void *ctx, int port, uint32_t token, uint32_t lanes);

#endif
