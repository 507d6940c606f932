// SPDX-License-Identifier: Apache-2.0
// Shared by the files of this folder.
#ifndef SMCOSIM_SYNTH_INTERNAL_H
#define SMCOSIM_SYNTH_INTERNAL_H

#include "synth/synth.h"
#include "verify/fourstate.h"

#include <jansson.h>

enum { SYNTH_SECONDS = 1800 };  // limit of a tool's processor time

// Creates a file of the working folder. NULL after EXIT_ENVIRONMENT.
FILE *synth_create(const char *path, Diag *d);
bool synth_close(FILE *f, const char *path, Diag *d);
// Runs "yosys -s SCRIPT" or sta; EXIT_ENVIRONMENT (or EXIT_USAGE with refused_by_user) with the
// log's end.
bool synth_tool(Arena *arena, const char *tool, const char *script, const char *dir,
                const char *block, bool user, Diag *d);

// synth_flow.c: netlist.v, macros.v, macros.json in `dir`; fills cells, areas, depth and macros.
bool synth_netlist(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d);
// Writes the command that maps gates to l->link; `dir` has the file `constraints` if the library
// has a buffer.
void synth_abc(FILE *f, const Liberty *l, const char *dir, int ps, bool fast);
bool synth_constraints(Arena *arena, const Liberty *l, const char *dir, Diag *d);
// synth_memory.c
// A bit of a port of a macro's module. index -1: the port has one bit; output: the memory drives
// it.
typedef struct MacroBit {
    const char *macro, *port;
    int index, width;
    bool output;
} MacroBit;

// Bits of all macros of a result whose files are in `dir`, port by port. EXIT_ENVIRONMENT: not
// yosys's files.
bool macro_bits(MacroBit **bits, int *n, Arena *arena, const SynthResult *x, const char *dir,
                Diag *d);
// macros.lib in `dir` for the macros of x.
bool macro_liberty(const SynthResult *x, const SynthRequest *r, const char *dir, Diag *d);
// timing.c
bool synth_timing(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d);

// cache.c
bool make_folders(Arena *arena, const char *path, Diag *d);
json_t *synth_result_json(const SynthResult *x);

// activity.c: bits of the block's module by their names, as in "u_arb.turn_q[3]".
typedef struct ActivityBit {
    const char *name;
    uint32_t changes;
} ActivityBit;
typedef struct Activity {
    ActivityBit *bits;
    int nbits;
    // clock edges; elements of the ports of class WORK that were not 0, over all cycles
    uint64_t cycles, work;
} Activity;
// Reads a VCD file with the scope rtl.BLOCK of a wave. EXIT_ENVIRONMENT with the first line that is
// not understood.
bool activity_read(Activity *a, Arena *arena, const char *path, const BlockDesc *desc,
                   const int *params, Diag *d);

#endif
