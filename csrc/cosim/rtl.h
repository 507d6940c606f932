// SPDX-License-Identifier: Apache-2.0
// The RTL of a block as files.
#ifndef SMCOSIM_COSIM_RTL_H
#define SMCOSIM_COSIM_RTL_H

#include "base/arena.h"

// The files that make up a block: user's ("a.sv,b.sv", NULL: none), then ours for every module that
// is named in a file already taken and not defined by the user. False after a Diag.
typedef struct RtlFiles { const char **paths; int n, users; bool fault_port; } RtlFiles;
bool rtl_files(Arena *arena, const char *data_dir, const char *block, const char *user, RtlFiles *files, Diag *d);

// Is there a seeded fault of this number in one of those files? EXIT_USAGE, naming those there are. A user's
// file with faults that it does not list is taken at its word.
enum { RTL_MAX_TESTBUG = 9999 };
bool rtl_has_testbug(Arena *arena, const char *data_dir, const char *block, const char *user, int number, Diag *d);

#endif
