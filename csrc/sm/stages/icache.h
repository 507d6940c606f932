// SPDX-License-Identifier: Apache-2.0
// The instruction cache.
#ifndef SMCOSIM_SM_STAGES_ICACHE_H
#define SMCOSIM_SM_STAGES_ICACHE_H

#include "base/arena.h"
#include "sm/flight.h"

void icache_open(Sm *sm, Arena *arena);
void icache_launch(Sm *sm);
// Assigns lines to the code of a program before its launch; returns its first line.
int icache_place(Sm *sm, const IsaProgram *p);
// One cycle, in which `waiting` warps wait for lines. True: a line has arrived. `*came`: the warps
// that waited for it. `*again`: the warps that try again.
bool icache_cycle(Sm *sm, WarpSet waiting, WarpSet *came, WarpSet *again);
// of s->fetch_pc. False: the warp waits for the line
bool icache_hit(Sm *sm, int warp, const InstStream *s);
int icache_ahead(const Sm *sm, int pc);  // instructions from pc to the end of its line
void icache_drop(Sm *sm, int warp);      // the warp no longer waits

#endif
