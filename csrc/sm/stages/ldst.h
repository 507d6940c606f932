// SPDX-License-Identifier: Apache-2.0
// Memory instructions.
#ifndef SMCOSIM_SM_STAGES_LDST_H
#define SMCOSIM_SM_STAGES_LDST_H

#include "base/arena.h"
#include "sm/flight.h"

enum { SM_TOKEN_PARTS = 8 };                  // memory requests of one instruction, at most: names them (MemRequest.token)

void ldst_open(Sm *sm, Arena *arena);
void ldst_launch(Sm *sm);
bool ldst_accepts(const Sm *sm);
bool ldst_held(const Sm *sm);                 // the memory system does not take what is at the address pipe's end
void ldst_execute(Sm *sm, Flight *f);
void ldst_stage(Sm *sm);                      // address pipe to the memory system
void ldst_completions(Sm *sm);
void ldst_perform(void *ctx, int port, uint32_t token, uint32_t lanes);

#endif
