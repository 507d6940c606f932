// SPDX-License-Identifier: Apache-2.0
// direct-prefetch, a comparator of P-mode. A table per warp finds loads of global memory with a
// constant stride, by PC, and prefetches the addresses of the next iteration. Requests wait in a
// queue and enter L1 when the LD/ST unit is idle. An entry has the last address of the first active
// lane, a stride, and a confidence that saturates at 3. If the stride repeats, the confidence
// rises. Another stride decrements it, and replaces the stride at 0. From confidence 2 on, the
// addresses of the lanes plus the stride are prefetched.
#include "systems/systems.h"

#include "sm/state.h"

#include <string.h>

enum { PCS = 16, REQUESTS = 16, SURE = 2, MOST = 3, GLOBAL = 0 /* of FlightAccess.lanes_of */ };

typedef struct Entry {
    int32_t pc;
    uint32_t last, stride, used;
    uint8_t confidence;
    bool valid;
} Entry;
typedef struct Prefetcher {
    Entry of[SM_MAX_WARPS][PCS];
    MemRequest queue[REQUESTS];
    int first, n;
    uint32_t clock;
} Prefetcher;

static void *open_prefetch(Sm *sm, Arena *arena) {
    (void)sm;
    return ARENA_NEW(arena, Prefetcher);
}

static void launch(Sm *sm, void *self) {
    (void)sm;
    memset(self, 0, sizeof(Prefetcher));
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    memset(((Prefetcher *)self)->of[e->warp], 0, sizeof(Entry) * PCS);
}

// The entry of that PC, or the least recently used entry, emptied.
static Entry *entry_of(Prefetcher *p, int warp, int32_t pc) {
    Entry *oldest = &p->of[warp][0];
    for (Entry *e = p->of[warp]; e < p->of[warp] + PCS; e++) {
        if (e->valid && e->pc == pc) return e;
        if (e->used < oldest->used) oldest = e;
    }
    *oldest = (Entry){.pc = pc};
    return oldest;
}

static void train_entry(Entry *e, uint32_t addr) {
    const uint32_t stride = addr - e->last;
    if (e->valid && stride == e->stride && stride) {
        e->confidence = (uint8_t)(e->confidence < MOST ? e->confidence + 1 : MOST);
    } else if (e->valid) {
        if (e->confidence) e->confidence--;
        else e->stride = stride;
    }
    e->valid = true;
    e->last = addr;
}

static void queue_prefetch(Sm *sm, Prefetcher *p, const Flight *f, uint32_t stride) {
    if (p->n == REQUESTS) {
        sm->count->v[CTR_PREFETCH_DROPPED]++;
        return;
    }
    MemRequest r = {.kind = MEM_PREFETCH, .bytes = f->inst->isa->mem_bytes};
    for (uint32_t left = f->access.lanes_of[GLOBAL]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        r.addr[l] = f->access.addr[l] + stride;
        if (device_at(sm->memory, r.addr[l], r.bytes)) r.active |= 1u << l;
    }
    if (!r.active) return;
    p->queue[(p->first + p->n++) % REQUESTS] = r;
    sm->count->v[CTR_PREFETCHES]++;
}

static void on_access(Sm *sm, void *self, const FlightEvent *ev) {
    Prefetcher *p = self;
    const Flight *f = ev->flight;
    if (f->inst->isa->op != ISA_LD || f->inst->isa->ordered || !f->access.lanes_of[GLOBAL]) return;
    Entry *e = entry_of(p, f->warp, f->pc);
    train_entry(e, f->access.addr[__builtin_ctz(f->access.lanes_of[GLOBAL])]);
    e->used = ++p->clock;
    if (e->confidence >= SURE) queue_prefetch(sm, p, f, e->stride);
}

static bool next(Sm *sm, void *self, MemRequest *r) {
    Prefetcher *p = self;
    (void)sm;
    if (!p->n) return false;
    *r = p->queue[p->first];
    p->first = (p->first + 1) % REQUESTS;
    p->n--;
    return true;
}

static const AccessSource source = {.place = SOURCE_IDLE, .next = next};
static const Listener listener = {.warp_begin = on_warp_begin, .access = on_access};

const System system_direct_prefetch = {
    .name = "direct-prefetch",
    .what = "comparator of pmode: prefetches loads with a constant stride, by warp and PC",
    .group = SYSTEM_PREFETCH,
    .with = SYSTEM_BANDWIDTH,
    .reason = "it is compared with pmode by itself",
    .figures = figures_pmode,
    .open = open_prefetch,
    .launch = launch,
    .source = &source,
    .listener = &listener};
