// SPDX-License-Identifier: Apache-2.0
// Memory instructions.
#ifndef SMCOSIM_SM_STAGES_LDST_H
#define SMCOSIM_SM_STAGES_LDST_H

#include "base/arena.h"
#include "mem/mem.h"
#include "sm/flight.h"

// limit of memory requests of one instruction: numbers them (MemRequest.token)
enum { SM_TOKEN_PARTS = 8 };

void ldst_open(Sm *sm, Arena *arena);
void ldst_launch(Sm *sm);
bool ldst_accepts(const Sm *sm);
// the memory system does not accept the request at the end of the address pipe
bool ldst_held(const Sm *sm);
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
