// SPDX-License-Identifier: Apache-2.0
// Bins of the P-mode blocks' stimuli: a list that is walked once to name them and once to number them.
#ifndef SMCOSIM_MODELS_PMODE_BINS_H
#define SMCOSIM_MODELS_PMODE_BINS_H

#include "models/stim.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct BinList {
    CoverBin *bins;                     // NULL: count only
    int n;
} BinList;

// Declares the next bin and returns its number.
__attribute__((format(printf, 3, 4)))
static inline int bin_add(BinList *l, const char *group, const char *name, ...) {
    if (l->bins && l->n < COVER_MAX_BINS) {
        va_list args;
        va_start(args, name);
        snprintf(l->bins[l->n].group, sizeof l->bins->group, "%s", group);
        vsnprintf(l->bins[l->n].name, sizeof l->bins->name, name, args);
        va_end(args);
    }
    return l->n++;
}

// A bin that some shapes cannot reach has the number NO_BIN there.
enum { NO_BIN = -1 };
static inline int bin_add_if(bool reachable, BinList *l, const char *group, const char *name) {
    return reachable ? bin_add(l, group, "%s", name) : NO_BIN;
}
static inline void bin_hit(uint64_t *hits, int bin) {
    if (bin != NO_BIN) hits[bin]++;
}

#endif
