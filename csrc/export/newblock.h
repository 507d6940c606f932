// SPDX-License-Identifier: Apache-2.0
// A new block in a tree of sources: contract, golden model, names of its state, stimuli, Verilog, a
// first test, its rows in the tables of blocks. What is written works: a register per port, to be
// replaced.
#ifndef SMCOSIM_EXPORT_NEWBLOCK_H
#define SMCOSIM_EXPORT_NEWBLOCK_H

#include "base/arena.h"
#include "base/diag.h"

enum { NEWBLOCK_FILES = 11 };

// templates: the folder of the texts; source: the top folder of the tree. files: the new and the
// changed ones, relative to it, ended by NULL. EXIT_USAGE: a name that cannot be one, or is taken;
// EXIT_ENVIRONMENT: a file could not be written. Nothing is overwritten, and after an error nothing
// of it is there.
bool newblock_write(Arena *arena, const char *templates, const char *source, const char *name,
                    const char *family, const char **files, Diag *d);

#endif
