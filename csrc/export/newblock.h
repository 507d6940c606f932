// SPDX-License-Identifier: Apache-2.0
// A new block in a source tree: contract, golden model, state names, stimuli, Verilog, a first
// test, rows in the tables of blocks. The written block works. It has a register per port, to be
// replaced by its real function.
#ifndef SMCOSIM_EXPORT_NEWBLOCK_H
#define SMCOSIM_EXPORT_NEWBLOCK_H

#include "base/arena.h"
#include "base/diag.h"

enum { NEWBLOCK_FILES = 11 };

// `templates`: the folder of the texts. `source`: the top folder of the tree. `files`: the new and
// changed files, relative to `source`, NULL-terminated. EXIT_USAGE: the name is invalid or in use.
// EXIT_ENVIRONMENT: a file could not be written. No file is overwritten. After an error no new file
// remains.
bool newblock_write(Arena *arena, const char *templates, const char *source, const char *name,
                    const char *family, const char **files, Diag *d);

#endif
