// SPDX-License-Identifier: Apache-2.0
// Links relocatable PTX (nvcc -rdc=true): the units of a program become one module.
#ifndef SMCOSIM_FATBIN_LINK_H
#define SMCOSIM_FATBIN_LINK_H

#include "base/arena.h"

typedef struct LinkUnit {
    const char *text;  // PTX, NUL-terminated
    size_t len;
} LinkUnit;

// One text with the definitions of all units: variables first, then functions. A definition
// satisfies the declarations of other units. A definition in several units (.weak) is taken once.
// If another unit has the same private name, the unit's number is appended. Undefined names remain
// declared. NULL: EXIT_USAGE, a unit ends in the middle of a statement.
char *link_ptx(Arena *arena, const char *name, const LinkUnit *units, int n, size_t *len, Diag *d);

#endif
