// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/slots.h"

#include "sm/state.h"

void slots_open(Slots *s, Arena *arena, int nslots, int nentries) {
    *s = (Slots){.nslots = nslots,
                 .nentries = nentries,
                 .slot = ARENA_ARRAY(arena, Waiting, nslots),
                 .entry = ARENA_ARRAY(arena, Waiting, nentries)};
}

void slots_launch(Slots *s) {
    s->busy = 0;
    s->entries = 0;
    for (int i = 0; i < s->nslots; i++) s->slot[i].flight = NULL;
}

void slots_take(Sm *sm, Slots *s, int slot, Waiting w) {
    panic_if(s->slot[slot].flight, "slot %d of the operand path is not free", slot);
    s->slot[slot] = w;
    s->busy++;
    notify_entered(sm, (CollectorEvent){w.flight, slot, SM_NONE, w.uop});
}

int slots_entry_of(const Slots *s, const Flight *f) {
    for (uint32_t left = s->entries; left; left &= left - 1)
        if (s->entry[__builtin_ctz(left)].flight == f) return __builtin_ctz(left);
    return SM_NONE;
}
