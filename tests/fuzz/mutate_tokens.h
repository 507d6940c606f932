// SPDX-License-Identifier: Apache-2.0
// PTX text with a few of its tokens changed; the same for the same seed.
#ifndef SMCOSIM_TESTS_FUZZ_MUTATE_TOKENS_H
#define SMCOSIM_TESTS_FUZZ_MUTATE_TOKENS_H

#include "base/arena.h"

#include <stdint.h>

typedef struct PtxSources {
    char **text;  // whole modules
    int ntext, cap_text;
    const char *before, *after;  // around statements
    char **statement;
    int nstatements, cap_statements;
} PtxSources;

// `around` holds INSTRUCTION in place of statements; of `forms` the lines that begin with "ok".
bool sources_forms(PtxSources *s, Arena *arena, const char *around, const char *forms, Diag *d);
bool sources_add(PtxSources *s, Arena *arena, const char *path, Diag *d);

// A module of a few of the statements, or one of the texts, with up to four changes.
char *mutate_tokens(const PtxSources *s, Arena *arena, uint64_t seed);

#endif
