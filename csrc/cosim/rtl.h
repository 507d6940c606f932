// SPDX-License-Identifier: Apache-2.0
// The RTL of a block as files.
#ifndef SMCOSIM_COSIM_RTL_H
#define SMCOSIM_COSIM_RTL_H

#include "base/arena.h"

#include <stdio.h>

// The files of a block: first the user's ("a.sv,b.sv", NULL: none). Then the project's files for
// every module that a listed file uses and the user does not define. `included` are the files that
// they include, beside the user's files or below data_dir/rtl, where the tools search. False after
// a Diag.
typedef struct RtlFiles {
    const char **paths;
    int n, users;
    bool fault_port;
    const char **included;
    int nincluded;
    const char *folder;  // data_dir/rtl
} RtlFiles;
bool rtl_files(Arena *arena, const char *data_dir, const char *block, const char *user,
               RtlFiles *files, Diag *d);

// The Yosys command that reads the files, without its end of line. options: "" or " -D NAME ..".
void rtl_read_verilog(FILE *f, const RtlFiles *files, const char *options);

// Does one of these files have a seeded fault with this number? EXIT_USAGE names the existing
// numbers. A user's file with faults but without a list of them is accepted for every number.
enum { RTL_MAX_TESTBUG = 9999 };
bool rtl_has_testbug(Arena *arena, const char *data_dir, const char *block, const char *user,
                     int number, Diag *d);

// Seeded faults of a block's own RTL, sorted by number. words: the fault, then the ports that
// expose it.
typedef struct RtlFault {
    int number;
    const char *module, *words;
} RtlFault;
bool rtl_fault_list(Arena *arena, const char *data_dir, const char *block, const RtlFault **faults,
                    int *n, Diag *d);

#endif
