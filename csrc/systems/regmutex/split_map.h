// SPDX-License-Identifier: Apache-2.0
// Places of registers when a warp owns some registers and sometimes holds a set of others. Such
// sets are RegMutex's sections and the registers that a pair of warps shares. Block arch_to_phys is
// queried for sources when a micro-operation reaches the collectors, and for results at the write
// ports. The system drives the set of a warp: look-up l is of warp in->at_warp[l], and in->at_held
// and in->at_section give the set.
#ifndef SMCOSIM_SYSTEMS_SPLIT_MAP_H
#define SMCOSIM_SYSTEMS_SPLIT_MAP_H

#include "models/regmutex/arch_to_phys.h"
#include "sm/state.h"

typedef struct SplitMap {
    const char *others;         // name of the registers behind `base`: "extended"
    const char *has, *has_not;  // text for a warp with and without them: "holds a section"
    // The block provides the places of this kernel; otherwise they are the baseline's.
    bool on;
    // registers of a warp's own, of a set; first physical register of the sets
    int base, ext, first;
    Block *block;
    ArchToPhysIn *in;
    const ArchToPhysOut *out;
    RegPlace answer[2][AP_MAX];
} SplitMap;

void split_map_open(SplitMap *m, const Sm *sm);
void split_map_launch(SplitMap *m, bool on, int base, int ext, int first);
// Returns the number of the look-up; -1: the place is available without the block.
int split_map_ask(SplitMap *m, const Sm *sm, PlaceUse use, int at, int warp, int reg);
// Called after the block's evaluation. A register without a place ends the run (EXIT_WRONG_RESULT).
const RegPlace *split_map_answer(SplitMap *m, Sm *sm, PlaceUse use);
// The place by the rule, for messages, when the warp holds `set`; -1: none. Does not query the
// block.
RegPlace split_map_now(const SplitMap *m, const Sm *sm, int warp, int reg, int set);
void split_map_tick(SplitMap *m);  // the clock edge: ends all queries

// Do blocks take every clock edge, because the RTL of a block is clocked or a fault is injected?
// Golden models without requests need no clock.
static inline bool blocks_clocked(const Sm *sm) {
    const Cosim *c = sm->cosim;
    return sm->every_cycle || cosim_runs_rtl(c) || cosim_every_cycle(c);
}

#endif
