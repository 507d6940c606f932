// SPDX-License-Identifier: Apache-2.0
// Write bits for machines whose collectors keep the registers of a warp's last instructions
// (BOW-WR). They give the destinations of each result, {BOC, RF}, and the values that need no place
// in the register file.
//
// Every issued instruction but metadata occupies a place of the window. A register that an
// instruction reads or writes is named. It stays in the collector for `places` - 1 places after its
// last naming. Bits, per result:
//   `10`  all its readers are in its basic block and in the window: collector only.
//   `11`  some path leads to a read in the window: collector, and the register file when it leaves.
//   `01`  it is read, but not in the window: register file.
//   `00`  nothing reads it.
// `window_hints.c` chooses them, homes.c finds values without a home, window_check.c proves both,
// window_text.c prints them.
#ifndef SMCOSIM_COMPILE_WINDOW_H
#define SMCOSIM_COMPILE_WINDOW_H

#include "config/occupancy.h"
#include "isa/isa.h"

typedef struct WindowNeed {
    int places;  // instructions of the window; 0: no write bits
    int rows;    // values that a collector holds
    // values that never leave the collectors get registers that have no place in the register file
    bool homeless;
    // other values keep their names if that costs no warp of this machine; NULL: fewest registers
    const MachineConfig *cfg;
    CtaNeed cta;  // known properties of a CTA
} WindowNeed;

// How the bits were found, per instruction of the program.
typedef struct WindowNotes {
    uint64_t *held;  // registers with a row that may be neither saved nor taken: H(x)
    bool *bounded;   // the row bound made it 11
    int ranges;      // live ranges without a home
    // registers that would do for those that have one, and if every range had one; 0: not looked
    // for
    int least, all;
} WindowNotes;

// The program with write bits, and without results of atomics that nobody reads. `notes` may be
// NULL.
IsaProgram *window_assign(const IsaProgram *p, const WindowNeed *need, WindowNotes *notes,
                          Arena *arena);

// Proves the bits of a finished program, independent of the method that found them. A value that
// skips the register file must not be read beyond its window or in another basic block. No more
// rows may be held than a collector has. A message for the first fault.
bool window_check(const IsaProgram *p, Diag *d);

void window_print(FILE *out, const IsaProgram *p, const WindowNotes *notes);

// ---- between window_hints.c and the others ----

// Instructions that a warp may issue next although no lane branches there. They are the other side
// of a branch when one side ends or when lanes exit. Lists end with -1; NULL: none.
int **window_switches(const IsaProgram *p, Arena *arena);

// Assigns registers without a home to the live ranges that only the collector holds, and renames
// the others. The program already has its bits.
void homes_assign(IsaProgram *p, const WindowNeed *need, WindowNotes *notes, Arena *arena);

#endif
