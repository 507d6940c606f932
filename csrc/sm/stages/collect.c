// SPDX-License-Identifier: Apache-2.0
// Issued instructions into collectors, and the table of what each entry register and collector holds.
//
// What issues in cycle t stands in the entry register of its allocation port in t+1, moves into a collector
// when one is free, and asks the first bank in the cycle after (t+2 at the soonest). Entry registers are
// served oldest first; one takes the next instruction in the cycle in which it moves. With oc.entry 0 there
// is none: the instruction is in its collector in t+1. A block that renames has the entry registers itself, as
// it looks registers up in that cycle; the table here says what is in them.
#include "sm/stages/collect.h"

#include "sm/parts/units.h"
#include "sm/state.h"

struct Collect {
    uint64_t age;                   // of the next entry
    uint32_t room;                  // ports that take an instruction in this cycle
    int nalloc;                     // ports that were used in this cycle, or passed over
};

void collect_open(Sm *sm, Arena *arena) {
    const MachineConfig *cfg = sm->cfg;
    sm->collect = ARENA_NEW(arena, Collect);
    sm->entry = ARENA_ARRAY(arena, Entry, cfg->oc_alloc_ports);
    sm->slot = ARENA_ARRAY(arena, Entry, cfg->oc_collectors);
}

void collect_launch(Sm *sm) {
    sm->entries = 0;
    sm->busy_slots = 0;
    for (int i = 0; i < sm->nunits; i++) sm->units[i].waiting = 0;
    for (int i = 0; i < sm->cfg->oc_collectors; i++) sm->slot[i].flight = SM_NONE;
}

void collect_begin(Sm *sm) {
    sm->collect->nalloc = 0;
    sm->ports.alloc_valid[0] = 0;
}

bool collect_busy(const Sm *sm) { return sm->busy_slots || sm->entries || sm->collect->nalloc; }

bool collect_room(const Sm *sm) { return sm->collect->room >> sm->collect->nalloc != 0; }

// To allocation port `port` of the path's block.
static void offer(Sm *sm, int port, const Entry *e) {
    const Flight *f = &sm->flights[e->flight];
    const SmInst *inst = f->inst;
    int per = sm->cfg->oc_operands;
    int first = e->uop * per;
    int n = inst->nops - first < per ? inst->nops - first : per;
    sm->ports.alloc_valid[0] |= 1u << port;
    sm->ports.alloc_unit[port] = (uint32_t)units_port(sm, inst->unit, f->warp);
    sm->path->operands(sm, port, f, inst->op_reg + (n > 0 ? first : 0), n > 0 ? n : 0, e->uop + 1 == inst->nuops);
}

static void take_collector(Sm *sm, int slot, const Entry *e) {
    panic_if(sm->slot[slot].flight != SM_NONE, "collector %d is not free", slot);
    sm->slot[slot] = *e;
    sm->busy_slots++;
    notify_entered(sm, (CollectorEvent){&sm->flights[e->flight], slot, SM_NONE, e->uop});
}

static int oldest_entry(const Sm *sm) {
    int oldest = __builtin_ctz(sm->entries);
    for (uint32_t left = sm->entries; left; left &= left - 1)
        if (sm->entry[__builtin_ctz(left)].age < sm->entry[oldest].age) oldest = __builtin_ctz(left);
    return oldest;
}

static bool has_entries(const Sm *sm) { return sm->path->entry && sm->cfg->oc_entry; }

// Out of the block's entry registers.
static void entered(Sm *sm) {
    for (uint32_t left = *sm->ports.enter_valid; left; left &= left - 1) {
        int e = __builtin_ctz(left);
        panic_if(!(sm->entries >> e & 1), "entry register %d is empty", e);
        take_collector(sm, (int)sm->ports.enter_slot[e], &sm->entry[e]);
        sm->entries &= ~(1u << e);
    }
}

void collect_stage(Sm *sm) {
    if (!has_entries(sm)) {
        if (sm->ports.enter_valid && sm->entries) entered(sm);
        sm->collect->room = sm->ports.alloc_ready[0];
        return;
    }
    for (int port = 0; sm->entries && sm->ports.alloc_ready[0] >> port & 1; port++) {
        int e = oldest_entry(sm);
        offer(sm, port, &sm->entry[e]);
        take_collector(sm, (int)sm->ports.alloc_slot[port], &sm->entry[e]);
        sm->entries &= ~(1u << e);
    }
    sm->count->v[CTR_ENTRY_WAIT] += (unsigned)__builtin_popcount(sm->entries);
    sm->collect->room = ~sm->entries & ((1u << sm->cfg->oc_alloc_ports) - 1);
}

void collect_alloc(Sm *sm, Flight *f, int uop) {
    int port = sm->collect->nalloc + __builtin_ctz(sm->collect->room >> sm->collect->nalloc);
    Entry e = {flight_index(sm, f), (uint8_t)uop, sm->collect->age++};
    sm->collect->nalloc = port + 1;
    sm->units[f->inst->unit].waiting++;
    f->uops_sent++;
    if (!has_entries(sm)) offer(sm, port, &e);
    if (has_entries(sm) || sm->ports.enter_valid) {
        sm->entry[port] = e;
        sm->entries |= 1u << port;
    } else {
        take_collector(sm, (int)sm->ports.alloc_slot[port], &e);
    }
}

int collect_entry(const Sm *sm, const Flight *f) {
    for (uint32_t left = sm->entries; left; left &= left - 1)
        if (sm->entry[__builtin_ctz(left)].flight == flight_index(sm, f)) return __builtin_ctz(left);
    return SM_NONE;
}

void collect_leave(Sm *sm, int slot) {
    const Flight *f = &sm->flights[sm->slot[slot].flight];
    sm->slot[slot].flight = SM_NONE;
    sm->busy_slots--;
    sm->units[f->inst->unit].waiting--;
}
