// SPDX-License-Identifier: Apache-2.0
// The instruction cache.
#ifndef SMCOSIM_SM_STAGES_ICACHE_H
#define SMCOSIM_SM_STAGES_ICACHE_H

#include "base/arena.h"
#include "sm/flight.h"

void icache_open(Sm *sm, Arena *arena);
void icache_launch(Sm *sm);
// Where the code of a program that is about to run lies: its first line.
int icache_place(Sm *sm, const IsaProgram *p);
// A cycle passes, in which `waiting` warps wait for lines. True: a line has come; *came are the
// warps that waited for it, *again those that try again.
bool icache_cycle(Sm *sm, WarpSet waiting, WarpSet *came, WarpSet *again);
// of s->fetch_pc. No: the warp waits for the line
bool icache_hit(Sm *sm, int warp, const InstStream *s);
int icache_ahead(const Sm *sm, int pc);  // instructions from pc to the end of its line
void icache_drop(Sm *sm, int warp);      // the warp does not wait any more

#endif
