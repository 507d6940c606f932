// SPDX-License-Identifier: Apache-2.0
// Shared by the files of this folder.
#ifndef SMCOSIM_SYNTH_INTERNAL_H
#define SMCOSIM_SYNTH_INTERNAL_H

#include "synth/synth.h"
#include "verify/fourstate.h"

#include <jansson.h>

enum { SYNTH_SECONDS = 1800 };  // of processor time: a tool's limit

// A file of the working folder. NULL after EXIT_ENVIRONMENT.
FILE *synth_create(const char *path, Diag *d);
bool synth_close(FILE *f, const char *path, Diag *d);
// Runs "yosys -s SCRIPT" or sta; EXIT_ENVIRONMENT (or EXIT_USAGE with refused_by_user) with the log's end.
bool synth_tool(Arena *arena, const char *tool, const char *script, const char *dir, const char *block, bool user, Diag *d);

// flow.c: netlist.v, macros.v, macros.json in `dir`; fills cells, areas, depth and macros.
bool synth_netlist(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d);
// memory.c: macros.lib in `dir` for the macros of x.
bool macro_liberty(const SynthResult *x, const SynthRequest *r, const char *dir, Diag *d);
// timing.c
bool synth_timing(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d);

// cache.c
bool make_folders(Arena *arena, const char *path, Diag *d);
json_t *synth_result_json(const SynthResult *x);

// report.c: "-" is standard output.

#endif
