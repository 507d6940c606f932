// SPDX-License-Identifier: Apache-2.0
// The SM's side: instructions leave the LSU's queue in order; the head occupies the unit until all
// its accesses are handed over, one per cycle, and blocks the queue while L1 cannot take one.
//
// L1: allocate on load miss, LRU, write-through, no allocation for stores. A global store evicts
// the line it hits (l1.store = evict) or writes it too (update); local stores always update.
// Atomics are done at L2 and evict.
#include "mem/internal.h"

static void part_done_after(MemSystem *m, int port, int32_t slot, int64_t delay) {
    if (delay > 0) mem_event(m, EV_SLOT_PART, port, slot, delay);
    else mem_slot_part_done(m, port, slot);
}

// ---- L1 ----

static L1Line *l1_set(const MemSystem *m, Port *p, uint32_t line) {
    return &p->l1[(line % (uint32_t)m->cfg->l1_sets) * (uint32_t)m->cfg->l1_ways];
}

static L1Line *l1_find(const MemSystem *m, Port *p, uint32_t line) {
    L1Line *set = l1_set(m, p, line);
    for (int w = 0; w < m->cfg->l1_ways; w++)
        if (set[w].state != LINE_INVALID && set[w].line == line) return &set[w];
    return NULL;
}

// An invalid line, else the least recently used that is not on its way; NULL if all are.
static L1Line *l1_victim(const MemSystem *m, Port *p, uint32_t line) {
    L1Line *set = l1_set(m, p, line), *victim = NULL;
    for (int w = 0; w < m->cfg->l1_ways; w++) {
        if (set[w].state == LINE_INVALID) return &set[w];
        if (set[w].state == LINE_VALID && (!victim || set[w].used < victim->used)) victim = &set[w];
    }
    return victim;
}

static void mshr_add(Port *p, L1Mshr *mshr, int32_t slot) {
    int32_t t = p->free_target;
    p->free_target = p->targets[t].next;
    p->targets[t] = (Target){.slot = slot, .next = NONE};
    if (mshr->targets == NONE) mshr->targets = t;
    else p->targets[mshr->last].next = t;
    mshr->last = t;
    mshr->count++;
}

static void missq_push(MemSystem *m, Port *p, int32_t packet) {
    p->missq[(p->missq_head + p->missq_count++) % m->cfg->l1_queue] = packet;
}

static bool missq_full(const MemSystem *m, const Port *p) {
    return p->missq_count == m->cfg->l1_queue;
}

// Requests a line from L2; false when a resource is missing. way NONE: L1 does not keep it.
static bool l1_request(MemSystem *m, int port, uint32_t line, L1Line *way, int32_t slot) {
    Port *p = &m->ports[port];
    int32_t id = p->free_mshr;
    if (id == NONE || missq_full(m, p)) return false;
    int32_t packet = mem_packet_new(m);
    if (packet == NONE) return false;
    L1Mshr *mshr = &p->mshrs[id];
    p->free_mshr = mshr->next;
    *mshr = (L1Mshr){
        .line = line, .way = way ? (int32_t)(way - p->l1) : NONE, .targets = NONE, .used = true};
    if (way) *way = (L1Line){.line = line, .state = LINE_PENDING, .mshr = id};
    if (slot != NONE) mshr_add(p, mshr, slot);
    Packet *k = &m->packets[packet];
    *k = (Packet){.kind = MEM_LOAD,
                  .port = (int16_t)port,
                  .line = line,
                  .slot = NONE,
                  .mshr = id,
                  .used = true,
                  .request_flits = 1,
                  .response_flits = (uint16_t)xbar_flits(m, 1u << m->line_shift)};
    missq_push(m, p, packet);
    p->counters->v[CTR_L1_MISSES]++;
    return true;
}

static bool load_access(MemSystem *m, int port, const LsuEntry *e, uint32_t line) {
    Port *p = &m->ports[port];
    bool prefetch = e->kind == MEM_PREFETCH;
    L1Line *way = l1_find(m, p, line);
    if (e->bypass) {
        if (!l1_request(m, port, line, NULL, e->slot)) return false;
        if (way && way->state == LINE_VALID) way->state = LINE_INVALID;
        return true;
    }
    if (way && way->state == LINE_VALID) {
        way->used = ++p->clock;
        p->counters->v[CTR_L1_HITS]++;
        part_done_after(m, port, e->slot, prefetch ? 0 : m->cfg->l1_latency - 1);
        return true;
    }
    if (way) {
        L1Mshr *mshr = &p->mshrs[way->mshr];
        if (!prefetch && mshr->count == m->cfg->l1_merges) return false;
        p->counters->v[CTR_L1_MERGES]++;
        if (prefetch) mem_slot_part_done(m, port, e->slot);
        else mshr_add(p, mshr, e->slot);
        return true;
    }
    L1Line *victim = l1_victim(m, p, line);
    if (!victim || !l1_request(m, port, line, victim, prefetch ? NONE : e->slot)) return false;
    if (prefetch) mem_slot_part_done(m, port, e->slot);
    return true;
}

// The line came; its way (if one was reserved) is valid now and all that waited are served.
void lsu_fill(MemSystem *m, int port, int32_t id) {
    Port *p = &m->ports[port];
    L1Mshr *mshr = &p->mshrs[id];
    if (mshr->way != NONE) {
        p->l1[mshr->way].state = LINE_VALID;
        p->l1[mshr->way].used = ++p->clock;
    }
    for (int32_t t = mshr->targets; t != NONE;) {
        int32_t next = p->targets[t].next;
        mem_slot_part_done(m, port, p->targets[t].slot);
        p->targets[t].next = p->free_target;
        p->free_target = t;
        t = next;
    }
    mshr->used = false;
    mshr->next = p->free_mshr;
    p->free_mshr = id;
}

// Stores and atomics go to L2.
static bool write_access(MemSystem *m, int port, const LsuEntry *e, const Access *a,
                         uint32_t bytes) {
    Port *p = &m->ports[port];
    if (missq_full(m, p)) return false;
    int32_t packet = mem_packet_new(m);
    if (packet == NONE) return false;
    bool is_store = e->kind == MEM_STORE;
    uint32_t data = is_store ? (uint32_t)__builtin_popcount(a->touched) * SECTOR_BYTES
                             : (uint32_t)__builtin_popcount(a->lanes) * bytes;
    Packet *k = &m->packets[packet];
    *k = (Packet){.kind = (uint8_t)e->kind,
                  .port = (int16_t)port,
                  .line = a->line,
                  .lanes = a->lanes,
                  .used = true,
                  .touched = a->touched,
                  .full = a->full,
                  .serial = a->serial,
                  .slot = e->slot,
                  .mshr = NONE,
                  .request_flits = (uint16_t)xbar_flits(m, data),
                  .response_flits = (uint16_t)xbar_flits(m, data)};
    missq_push(m, p, packet);
    L1Line *way = l1_find(m, p, a->line);
    bool is_local = (a->line << m->line_shift) >= MEM_LOCAL_PHYS;
    bool evict = !is_store || (m->cfg->l1_store == L1_STORE_EVICT && !is_local);
    if (way && way->state == LINE_VALID && evict) way->state = LINE_INVALID;
    return true;
}

// ---- constant cache ----

// One word per cycle; the cycle in which it is there.
static int64_t const_access(MemSystem *m, Port *p, uint32_t word) {
    const MachineConfig *c = m->cfg;
    uint32_t sets = (uint32_t)(c->const_bytes / c->const_line / c->const_ways);
    uint32_t line = word / (uint32_t)(c->const_line / 4);
    ConstLine *set = &p->constants[line % sets * (uint32_t)c->const_ways], *victim = set;
    int64_t soonest = m->now + c->const_latency - 1;
    p->counters->v[CTR_CONST_ACCESSES]++;
    for (int w = 0; w < c->const_ways; w++) {
        if (set[w].valid && set[w].line == line) {
            set[w].used = ++p->clock;
            return set[w].ready > soonest ? set[w].ready : soonest;
        }
        if (victim->valid && (!set[w].valid || set[w].used < victim->used)) victim = &set[w];
    }
    p->counters->v[CTR_CONST_MISSES]++;
    *victim = (ConstLine){.line = line, .valid = true, .ready = m->now + c->const_miss_latency - 1,
                          .used = ++p->clock};
    return victim->ready;
}

static bool const_step(MemSystem *m, int port, LsuEntry *e) {
    int64_t ready = e->n ? const_access(m, &m->ports[port], e->access[e->next].line) : m->now;
    if (ready > e->ready) e->ready = ready;
    if (++e->next < e->n) return false;
    part_done_after(m, port, e->slot, e->ready - m->now);
    return true;
}

// ---- the unit ----

static bool shared_step(MemSystem *m, int port, LsuEntry *e) {
    if (e->next == 0) part_done_after(m, port, e->slot, m->cfg->shared_latency + e->n - 2);
    return ++e->next >= e->n;
}

// True when the entry is finished with the unit.
static bool global_step(MemSystem *m, int port, LsuEntry *e) {
    if (e->next < e->n) {
        const Access *a = &e->access[e->next];
        bool is_load = e->kind == MEM_LOAD || e->kind == MEM_PREFETCH;
        bool taken = is_load ? load_access(m, port, e, a->line)
                             : write_access(m, port, e, a, e->bytes);
        if (!taken) {
            m->ports[port].counters->v[CTR_L1_RESERVATION_FAILS]++;
            return false;
        }
        e->next++;
    } else {
        mem_slot_part_done(m, port, e->slot);   // no active lane
        return true;
    }
    return e->next == e->n;
}

void lsu_cycle(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    if (!p->lsu_count) return;
    LsuEntry *e = &p->lsu[p->lsu_head];
    bool finished;
    switch (e->kind) {
    case MEM_SHARED_LOAD:
    case MEM_SHARED_STORE:
    case MEM_SHARED_ATOMIC: finished = shared_step(m, port, e); break;
    case MEM_CONST_LOAD: finished = const_step(m, port, e); break;
    default: finished = global_step(m, port, e);
    }
    if (!finished) return;
    p->lsu_head = (p->lsu_head + 1) % m->cfg->lsu_queue;
    p->lsu_count--;
}
