// SPDX-License-Identifier: Apache-2.0
// Finds work for assist warps in the finished program (CABA paper, sections 8.1 and 8.2).
//   `assist_regions.c`   marks computations that can be memoized and groups their instructions.
//   `loads.c`     finds loads in loops whose addresses may have a stride.
#ifndef SMCOSIM_COMPILE_ASSIST_H
#define SMCOSIM_COMPILE_ASSIST_H

#include "config/config.h"
#include "isa/isa.h"

// The program with up to ISA_MOST_REGIONS regions that take at least `least` cycles of the units,
// by their intervals.
IsaProgram *assist_regions(const IsaProgram *p, const MachineConfig *cfg, int least, Arena *arena);
// Instructions at which a basic block begins.
void assist_leaders(const IsaProgram *p, bool *leader);
// The program with up to `most` of its loads marked.
IsaProgram *assist_loads(const IsaProgram *p, int most, Arena *arena);

#endif
