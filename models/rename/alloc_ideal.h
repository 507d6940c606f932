// SPDX-License-Identifier: Apache-2.0
// Free register map of alloc_unit's bound (alloc_unit_ideal). Every place is found at once in the
// whole map. Freed slices are free in the next cycle. The places are those that alloc_unit aims at
// (G1 to G5 of its contract).
#ifndef SMCOSIM_MODELS_ALLOC_IDEAL_H
#define SMCOSIM_MODELS_ALLOC_IDEAL_H

#include "models/rename/alloc_unit.h"

typedef struct AllocIdeal {
    int banks, entries, num_wr, num_free;
    uint32_t slices, regs;  // in use
    uint8_t *map;           // [bank * entries + entry]: slices in use, 16: reserved
} AllocIdeal;

void alloc_ideal_eval(const AllocIdeal *m, const AllocUnitIn *in, AllocUnitOut *out);
void alloc_ideal_tick(AllocIdeal *m, const AllocUnitIn *in);
void alloc_ideal_give(AllocIdeal *m, uint32_t bank, uint32_t entry, uint32_t mask);

#endif
