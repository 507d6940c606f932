// SPDX-License-Identifier: Apache-2.0
// Write bits for machines whose collectors keep the registers of a warp's last instructions
// (BOW-WR): of each result where it goes, {BOC, RF}, and which values need no place in the register
// file.
//
// Every issued instruction but metadata takes a place. A register that is read or written is named,
// and stays for `places` - 1 places after it was last named. Bits, per result:
//   10  all that read it do so in its basic block, in the window, and nothing reads it afterwards:
//       collector only
//   11  some way leads to a read in the window: collector, and the register file when it leaves
//   01  it is read, but not in the window: register file
//   00  nothing reads it
// window_hints.c chooses them, homes.c names what has no home, window_check.c proves both,
// window_text.c prints them.
#ifndef SMCOSIM_COMPILE_WINDOW_H
#define SMCOSIM_COMPILE_WINDOW_H

#include "config/occupancy.h"
#include "isa/isa.h"

typedef struct WindowNeed {
    int places;  // instructions of the window; 0: no write bits
    int rows;    // values that a collector holds
    // what never leaves the collectors gets registers that have no place in the register file
    bool homeless;
    // and the others keep their names as far as that costs no warp of this machine; NULL:
    const MachineConfig *cfg;
    CtaNeed cta;  // they get as few as there can be. What is known of a CTA.
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

// Proof of the bits of a finished program, independent of how they were found: on no way is a value
// that the register file does not get read beyond its window or in another basic block, or more
// rows held than there are. A message for the first fault.
bool window_check(const IsaProgram *p, Diag *d);

void window_print(FILE *out, const IsaProgram *p, const WindowNotes *notes);

// ---- between window_hints.c and the others ----

// What a warp may issue behind each instruction though no lane goes there from it: the other side
// of a branch where one side is at its end, or where lanes exit. Lists end with -1; NULL: none.
int **window_switches(const IsaProgram *p, Arena *arena);

// Gives registers without a home to the live ranges that are for the collector alone, and renames
// the others. The bits stand in the program.
void homes_assign(IsaProgram *p, const WindowNeed *need, WindowNotes *notes, Arena *arena);

#endif
