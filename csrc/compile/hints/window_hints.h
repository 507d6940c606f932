// SPDX-License-Identifier: Apache-2.0
// Write bits for machines whose collectors keep the registers of a warp's last instructions
// (BOW-WR). They give the destinations of each result, {BOC, RF}, and the values that require no
// register in the register file.
//
// Every issued instruction except metadata occupies a slot of the window. "Named" is a register
// that an instruction reads or writes. It stays in the collector for `places` - 1 slots after the
// last instruction that names it. Bits, per result:
//   `10`  all its readers are in its basic block and in the window: collector only.
//   `11`  some path leads to a read in the window: collector, and the register file when it leaves.
//   `01`  it is read, but only outside the window: register file.
//   `00`  no instruction reads it.
// `window_hints.c` chooses them, homes.c finds values that need no register (values without a
// home), window_check.c proves both, window_text.c prints them.
#ifndef SMCOSIM_COMPILE_WINDOW_H
#define SMCOSIM_COMPILE_WINDOW_H

#include "config/occupancy.h"
#include "isa/isa.h"

typedef struct WindowNeed {
    int places;  // instructions of the window; 0: no write bits
    int rows;    // values that a collector holds
    // values that never leave the collectors get registers that are not allocated in the register
    // file
    bool homeless;
    // other values keep their names if that costs no warp of this machine; NULL: fewest registers
    const MachineConfig *cfg;
    CtaNeed cta;  // known properties of a CTA
} WindowNeed;

// Explains the bits, per instruction of the program.
typedef struct WindowNotes {
    uint64_t *held;  // registers whose row may be neither saved nor reused: H(x)
    bool *bounded;   // the limit of rows changed it to 11
    int ranges;      // live ranges without a register in the register file
    // fewest registers for the values that have one, and for all ranges; 0: not computed
    int least, all;
} WindowNotes;

// The program with write bits, and without unused results of atomics. `notes` may be NULL.
IsaProgram *window_assign(const IsaProgram *p, const WindowNeed *need, WindowNotes *notes,
                          Arena *arena);

// Proves the bits of a finished program, independent of the method that found them. A value that
// skips the register file must not be read beyond its window or in another basic block. The held
// rows must not exceed the rows of a collector. The message names the first fault.
bool window_check(const IsaProgram *p, Diag *d);

void window_print(FILE *out, const IsaProgram *p, const WindowNotes *notes);

// ---- between window_hints.c and the others ----

// Instructions that a warp may issue next although no lane branches to them. They are the other
// side of a branch when one side ends or when lanes exit. Lists end with -1; NULL: none.
int **window_switches(const IsaProgram *p, Arena *arena);

// Assigns registers without a home to the live ranges that only the collector holds, and renames
// the others. The program already has its bits.
void homes_assign(IsaProgram *p, const WindowNeed *need, WindowNotes *notes, Arena *arena);

#endif
