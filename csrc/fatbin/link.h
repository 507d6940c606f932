// SPDX-License-Identifier: Apache-2.0
// Relocatable PTX (nvcc -rdc=true): the units of a program put together as one module.
#ifndef SMCOSIM_FATBIN_LINK_H
#define SMCOSIM_FATBIN_LINK_H

#include "base/arena.h"

typedef struct LinkUnit {
    const char *text;  // PTX, NUL-terminated
    size_t len;
} LinkUnit;

// One text with the definitions of all units: variables first, then functions. Declarations of what
// another unit defines are satisfied by it; a definition that several units hold (.weak) is taken
// once; names that a unit keeps to itself and another unit has too get the unit's number behind
// them. What nobody defines stays declared. NULL: EXIT_USAGE, a unit is cut off in the middle of a
// statement.
char *link_ptx(Arena *arena, const char *name, const LinkUnit *units, int n, size_t *len, Diag *d);

#endif
