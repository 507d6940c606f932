// SPDX-License-Identifier: Apache-2.0
// The micro-operations that wait in an operand path: a table of its slots (collectors, or entries
// of them) and of its entry registers. The operand path updates this table through the functions
// below; waves, traces and explanations read it.
#ifndef SMCOSIM_SM_PARTS_SLOTS_H
#define SMCOSIM_SM_PARTS_SLOTS_H

#include "base/arena.h"
#include "sm/flight.h"

// One micro-operation of an instruction. flight NULL: the entry is free. age: rank in the order of
// entry.
typedef struct Waiting {
    Flight *flight;
    uint64_t age;
    uint8_t uop;
} Waiting;

typedef struct Slots {
    int nslots, nentries;
    int busy;          // slots in use
    uint32_t entries;  // entry registers in use
    Waiting *slot, *entry;
} Slots;

void slots_open(Slots *s, Arena *arena, int nslots, int nentries);
void slots_launch(Slots *s);  // a kernel begins: all are empty
// A micro-operation is in the slot from now on; the slot was free.
void slots_take(Sm *sm, Slots *s, int slot, Waiting w);
// Number of an entry register that holds a micro-operation of the instruction; SM_NONE.
int slots_entry_of(const Slots *s, const Flight *f);

static inline void slots_leave(Slots *s, int slot) {  // the micro-operation leaves the slot
    s->slot[slot].flight = NULL;
    s->busy--;
}

// The micro-operation in a slot or in an entry register; NULL: none.
static inline const Waiting *slots_at(const Slots *s, int slot) {
    return slot >= 0 && slot < s->nslots && s->slot[slot].flight ? &s->slot[slot] : NULL;
}
static inline const Waiting *slots_entry(const Slots *s, int entry) {
    return s->entries >> entry & 1 ? &s->entry[entry] : NULL;
}

#endif
