// SPDX-License-Identifier: Apache-2.0
// An arena frees all memory of a module, kernel or run at once. This file also has growable arrays
// on an arena, file reading and name suggestions.
#ifndef SMCOSIM_BASE_ARENA_H
#define SMCOSIM_BASE_ARENA_H

#include "base/diag.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *chunks;
    char *next;
    size_t left;
} Arena;

void *arena_alloc(Arena *a, size_t bytes);  // zeroed, aligned to 64 bytes when >= 64
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A word in the form that a shell reads: in single quotes unless every character is harmless.
char *arena_shell_word(Arena *a, const char *word);
void arena_free(Arena *a);  // the Arena may be used again
#define ARENA_NEW(a, T) ((T *)arena_alloc(a, sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc(a, sizeof(T) * (size_t)(n)))

// Appends to a (pointer, count, capacity) triple on an arena:
//   Inst *insts; int ninsts, cap_insts;   *ARENA_PUSH(a, insts, ninsts, cap_insts) = inst;
#define ARENA_PUSH(a, items, count, cap) \
    ((items) = arena_grow(a, (items), (size_t)(count) + 1, &(cap), sizeof *(items)), \
     &(items)[(count)++])
void *arena_grow(Arena *a, void *items, size_t need, int *cap, size_t size);

// Reads a whole file. On failure records EXIT_USAGE (missing, not a regular file) or
// EXIT_ENVIRONMENT.
bool file_read(Arena *a, const char *path, char **text, size_t *len, Diag *d);

// The candidate nearest to `name` (edit distance at most 1/3 of its length, at least 1), or NULL.
const char *name_suggest(const char *name, const char *const *candidates, int count);

#endif
