// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/collector_pool.h"

#include "sm/parts/units.h"
#include "sm/state.h"

void pool_open(const Sm *sm, Pool *p, Arena *arena) {
    slots_open(&p->slots, arena, sm->cfg->oc_collectors, sm->cfg->oc_alloc_ports);
    p->all = (1u << p->slots.nentries) - 1;
    p->entry = !p->enter_valid && sm->cfg->oc_entry;
}

void pool_begin(Sm *sm, void *self) {
    Pool *p = self;
    (void)sm;
    p->used = 0;
    p->alloc_valid[0] = 0;
}

// Drives the micro-operation on allocation port `port` of the block.
static void offer_waiting(Sm *sm, Pool *p, int port, const Waiting *w) {
    p->alloc_valid[0] |= 1u << port;
    p->alloc_unit[port] = (uint32_t)units_port(sm, w->flight->inst->unit, w->flight->warp);
    p->offer(sm, p, port, w);
}

static int oldest_entry(const Slots *s) {
    int oldest = __builtin_ctz(s->entries);
    for (uint32_t left = s->entries; left; left &= left - 1)
        if (s->entry[__builtin_ctz(left)].age < s->entry[oldest].age) oldest = __builtin_ctz(left);
    return oldest;
}

static void move_entry(Sm *sm, Slots *s, int entry, int slot) {
    panic_if(!(s->entries >> entry & 1), "entry register %d is empty", entry);
    slots_take(sm, s, slot, s->entry[entry]);
    s->entries &= ~(1u << entry);
}

// The micro-operations of the block's entry registers have moved.
static void from_block(Sm *sm, Pool *p) {
    for (uint32_t left = *p->enter_valid; left; left &= left - 1)
        move_entry(sm, &p->slots, __builtin_ctz(left), (int)p->enter_slot[__builtin_ctz(left)]);
}

// Separate from the caller, so that cycles with empty entry registers take little time.
__attribute__((noinline)) static void from_entries(Sm *sm, Pool *p) {
    Slots *s = &p->slots;
    for (int port = 0; s->entries && p->alloc_ready[0] >> port & 1; port++) {
        const int e = oldest_entry(s);
        offer_waiting(sm, p, port, &s->entry[e]);
        move_entry(sm, s, e, (int)p->alloc_slot[port]);
    }
    sm->count->v[CTR_ENTRY_WAIT] += (unsigned)__builtin_popcount(s->entries);
}

void pool_collect(Sm *sm, void *self) {
    Pool *p = self;
    if (p->entry) {
        if (p->slots.entries) from_entries(sm, p);
        p->room = p->all & ~p->slots.entries;
    } else {
        if (p->enter_valid && p->slots.entries) from_block(sm, p);
        p->room = p->alloc_ready[0];
    }
}

WarpSet pool_room(const Sm *sm, const void *self, WarpSet warps) {
    const Pool *p = self;
    (void)sm;
    return p->room >> p->used ? warps : 0;
}

bool pool_fits(const Sm *sm, const void *self, int warp, const InstStream *stream, const SmInst *in,
               int uop) {
    (void)stream, (void)in, (void)uop;
    return pool_room(sm, self, warp_bit(warp)) != 0;
}

void pool_accept(Sm *sm, void *self, Flight *f, int uop) {
    Pool *p = self;
    const int port = p->used + __builtin_ctz(p->room >> p->used);
    // without a copy, which would wait for the latest stores
    Waiting *w = &p->slots.entry[port];
    w->flight = f;
    w->age = p->age++;
    w->uop = (uint8_t)uop;
    p->used = port + 1;
    if (!p->entry) offer_waiting(sm, p, port, w);
    if (p->entry || p->enter_valid) p->slots.entries |= 1u << port;
    else slots_take(sm, &p->slots, (int)p->alloc_slot[port], *w);
}
