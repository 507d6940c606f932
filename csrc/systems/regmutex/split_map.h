// SPDX-License-Identifier: Apache-2.0
// Where registers lie when a warp has some of its own and others as a set that it does not always
// have (RegMutex's sections, the registers that a pair of warps shares): block arch_to_phys, asked
// for sources when a micro-operation comes to the collectors and for results at the write ports.
// Which set a warp has, the system drives: look-up l is of warp in->at_warp[l]; in->at_held and
// in->at_section say the rest.
#ifndef SMCOSIM_SYSTEMS_SPLIT_MAP_H
#define SMCOSIM_SYSTEMS_SPLIT_MAP_H

#include "models/regmutex/arch_to_phys.h"
#include "sm/state.h"

typedef struct SplitMap {
    const char *others;         // what the registers behind `base` are called: "extended"
    const char *has, *has_not;  // .. and whether the warp has them: "holds a section"
    // places of this kernel come from the block, else they are the baseline's
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
// The look-up that asks; -1: the place is known without the block.
int split_map_ask(SplitMap *m, const Sm *sm, PlaceUse use, int at, int warp, int reg);
// Once the block has been evaluated. A register without a place ends the run (EXIT_WRONG_RESULT).
const RegPlace *split_map_answer(SplitMap *m, Sm *sm, PlaceUse use);
// By the rule, for words, when the warp has set `set`; -1: none. The block is not asked.
RegPlace split_map_now(const SplitMap *m, const Sm *sm, int warp, int reg, int set);
void split_map_tick(SplitMap *m);  // the clock edge: nobody asks any more

// Is the RTL of a block clocked, or a fault injected, so that blocks take every clock edge? Golden
// models that nobody asks anything need not.
static inline bool blocks_clocked(const Sm *sm) {
    const Cosim *c = sm->cosim;
    return sm->every_cycle || cosim_runs_rtl(c) || cosim_every_cycle(c);
}

#endif
