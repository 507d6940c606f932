// SPDX-License-Identifier: Apache-2.0
// Bindings of a block's golden model (golden.h) for other test benches, generated from its port
// table for one shape.
#ifndef SMCOSIM_EXPORT_EXPORT_H
#define SMCOSIM_EXPORT_EXPORT_H

#include "base/arena.h"
#include "cosim/ports.h"

typedef struct ExportBlock {
    const BlockDesc *desc;
    const int *params;
    const char *data_dir;  // holds export/
    const char *command;   // how the files were made, for their first lines
} ExportBlock;

// <dir>/<block>_pkg.sv (DPI-C imports, structs), <block>_checker.sv (compares a module's outputs in
// every cycle), <block>_tb.sv (module and checker under the block's stimuli). The folder is made;
// each file is complete or absent. EXIT_ENVIRONMENT. `files`: their names, ended by NULL.
bool export_systemverilog(Arena *arena, const ExportBlock *b, const char *dir, const char **files,
                          Diag *d);

// <dir>/<block>_golden.py: the model over ctypes, a checker of it, and a coroutine for cocotb.
bool export_python(Arena *arena, const ExportBlock *b, const char *dir, const char **files,
                   Diag *d);

enum { EXPORT_FILES = 4 };

#endif
