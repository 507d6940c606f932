// SPDX-License-Identifier: Apache-2.0
// A Liberty file as a tree, and its normalized copy for the tools.
#ifndef SMCOSIM_SYNTH_LIBERTY_TREE_H
#define SMCOSIM_SYNTH_LIBERTY_TREE_H

#include "synth/synth.h"

// One statement: `name : word;`, `name (word, ..);` or `name (word, ..) { items }`.
typedef struct LibertyItem {
    bool group;
    const char *name;
    char **words;  // one line each, without quotation marks
    int nwords, cap;
    // statements of the group; the next one of the same group
    struct LibertyItem *first, *last, *next;
    const char *path;  // path of the user's file
    int line, col;
    bool left_out;  // a cell that the copy omits
} LibertyItem;

// liberty_parse.c: reads the file, compressed or not, with the files it includes. `hash` covers the
// texts. EXIT_USAGE with file:line:column.
bool liberty_parse(LibertyItem **library, uint64_t *hash, Arena *arena, const char *path, Diag *d);

// liberty_write.c: fills l->copy and l->left_out, and marks the omitted cells. EXIT_USAGE with
// file:line:column.
bool liberty_write(Liberty *l, Arena *arena, LibertyItem *library, Diag *d);

#endif
