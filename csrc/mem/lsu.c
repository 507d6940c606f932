// SPDX-License-Identifier: Apache-2.0
// The SM's side. Instructions leave the LSU's queue in order. The head occupies the unit until all
// its accesses are handed over, one per cycle. It blocks the queue while L1 cannot accept an
// access.
//
// L1: allocate on load miss, LRU, write-through, no allocation for stores. A global store evicts
// the line it hits (l1.store = evict) or writes it too (update); local stores always update.
// Atomics are performed at L2 and evict. The unit looks up one line per cycle.
// With l1.sector a line has one tag for all its sectors and a valid bit per sector. A load requests
// from L2 the touched sectors that L1 lacks (one request, one MSHR). The load completes when those
// sectors and the sectors of older requests arrive. A store evicts the sectors it touches. The
// counters count lines (hit: all sectors valid; merge: all valid or pending; miss: some requested)
// and, separately, requested sectors.
//
// The constant cache is read by ldc and, with const.operands = cache, at the fetch of an
// instruction with constant operands. Its misses take const.miss_latency, about that of L2, and do
// not load L2 or DRAM. The reason: constants are few and equal for all SMs, so one SM causes only
// its share (1 / gpu.sms) of their first reads from DRAM.
#include "mem/mem_internal.h"

static void part_done_after(MemSystem *m, int port, int32_t slot, int64_t delay) {
    if (delay > 0) mem_event(m, EV_SLOT_PART, port, slot, delay);
    else mem_slot_part_done(m, port, slot);
}

// ---- L1 ----

// With l1.hash all higher bits of the line number are folded into the set index. So strides of
// powers of two spread over the sets as on Fermi.
static uint32_t l1_index(const MemSystem *m, uint32_t line) {
    uint32_t index = line;
    if (m->cfg->l1_hash == L1_HASH_HASH) {
        for (uint32_t rest = line >> m->hash_bits; rest; rest >>= m->hash_bits) index ^= rest;
        index &= (1u << m->hash_bits) - 1;
    }
    return index % (uint32_t)m->cfg->l1_sets;
}

static L1Line *l1_set(const MemSystem *m, Port *p, uint32_t line) {
    return &p->l1[l1_index(m, line) * (uint32_t)m->l1_ways];
}

static bool is_free(const L1Line *way) { return !(way->valid | way->pending); }

static L1Line *l1_find(const MemSystem *m, Port *p, uint32_t line) {
    L1Line *set = l1_set(m, p, line);
    for (int w = 0; w < m->l1_ways; w++)
        if (!is_free(&set[w]) && set[w].line == line) return &set[w];
    return NULL;
}

// If there are more tags than ways: returns a free tag once there is room for a raw line. The least
// recently used lines are evicted for it.
static L1Line *l1_room(const MemSystem *m, L1Line *set) {
    for (;;) {
        L1Line *room = NULL, *victim = NULL;
        int pieces = 0;
        for (int w = 0; w < m->l1_ways; w++) {
            if (is_free(&set[w])) {
                room = &set[w];
                continue;
            }
            pieces += set[w].image ? set[w].image : MAX_SECTORS;
            if (!set[w].pending && (!victim || set[w].used < victim->used)) victim = &set[w];
        }
        if (room && pieces + MAX_SECTORS <= m->cfg->l1_ways * MAX_SECTORS) return room;
        if (!victim) return NULL;
        victim->valid = 0;
    }
}

// A free way, or else the least recently used way that waits for no data. NULL: all ways wait. The
// way has no sectors.
static L1Line *l1_victim(const MemSystem *m, Port *p, uint32_t line) {
    L1Line *set = l1_set(m, p, line), *victim = NULL;
    if (m->caches.l1_tags > 1) return l1_room(m, set);
    for (int w = 0; w < m->l1_ways; w++) {
        if (is_free(&set[w])) return &set[w];
        if (!set[w].pending && (!victim || set[w].used < victim->used)) victim = &set[w];
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
    p->missq[ring_at(p->missq_head + p->missq_count++, m->cfg->l1_queue)] = packet;
}

static bool missq_full(const MemSystem *m, const Port *p) {
    return p->missq_count == m->cfg->l1_queue;
}

static void way_expects(L1Line *way, uint32_t line, uint8_t sectors, int32_t mshr) {
    if (way->line != line || is_free(way)) *way = (L1Line){.line = line};
    way->pending |= sectors;
    for (int s = 0; s < MAX_SECTORS; s++)
        if (sectors >> s & 1) way->mshr[s] = mshr;
}

// Requests sectors of a line from L2. False: a resource is missing. way NONE: L1 does not keep
// them.
static bool l1_request_for(MemSystem *m, int port, uint32_t line, uint8_t sectors, L1Line *way,
                           int32_t slot, uint8_t warp) {
    Port *p = &m->ports[port];
    int32_t id = p->free_mshr;
    if (id == NONE || missq_full(m, p)) return false;
    int32_t packet = mem_packet_new(m);
    if (packet == NONE) return false;
    L1Mshr *mshr = &p->mshrs[id];
    p->free_mshr = mshr->next;
    *mshr = (L1Mshr){.line = line,
                     .sectors = sectors,
                     .way = way ? (int32_t)(way - p->l1) : NONE,
                     .targets = NONE,
                     .warp = warp,
                     .since = m->now,
                     .used = true};
    if (way && way->fetched && (way->line != line || is_free(way)))
        p->counters->v[CTR_FETCHED_UNUSED]++;
    if (way) way_expects(way, line, sectors, id);
    if (slot != NONE) mshr_add(p, mshr, slot);
    Packet *k = &m->packets[packet];
    *k = (Packet){.kind = MEM_LOAD,
                  .port = (int16_t)port,
                  .line = line,
                  .touched = sectors,
                  .slot = NONE,
                  .mshr = id,
                  .used = true,
                  .request_flits = 1,
                  .response_flits = (uint16_t)xbar_flits(m, sector_bytes(sectors))};
    missq_push(m, p, packet);
    p->counters->v[CTR_L1_MISSES]++;
    p->counters->v[CTR_L1_MISS_SECTORS] += (unsigned)__builtin_popcount(sectors);
    return true;
}

static bool l1_request(MemSystem *m, int port, uint32_t line, uint8_t sectors, L1Line *way,
                       int32_t slot) {
    return l1_request_for(m, port, line, sectors, way, slot, m->ports[port].slots[slot].warp);
}

// Finds the MSHRs that fetch sectors of the line and returns their number. -1: one of them accepts
// no further request.
static int mshrs_of(const MemSystem *m, const Port *p, const L1Line *way, uint8_t sectors,
                    int32_t mshrs[MAX_SECTORS]) {
    int n = 0;
    for (int s = 0; s < MAX_SECTORS; s++) {
        if (!(sectors >> s & 1)) continue;
        int i = 0;
        while (i < n && mshrs[i] != way->mshr[s]) i++;
        if (i < n) continue;
        if (p->mshrs[way->mshr[s]].count == m->cfg->l1_merges) return -1;
        mshrs[n++] = way->mshr[s];
    }
    return n;
}

// A load of which some sectors are not there; the line has a tag. The load waits for all missing
// sectors.
static bool wait_for_sectors(MemSystem *m, int port, int32_t slot, L1Line *way, uint8_t wanted) {
    Port *p = &m->ports[port];
    uint8_t missing = wanted & (uint8_t) ~(way->valid | way->pending);
    int32_t mshrs[MAX_SECTORS];
    int n = mshrs_of(m, p, way, wanted & way->pending, mshrs);
    if (n < 0) return false;
    if (missing && !l1_request(m, port, way->line, missing, way, slot)) return false;
    if (!missing) p->counters->v[CTR_L1_MERGES]++;
    for (int i = 0; i < n; i++) mshr_add(p, &p->mshrs[mshrs[i]], slot);
    int more = n + (missing != 0) - 1;
    p->slots[slot].left = (int16_t)(p->slots[slot].left + more);
    p->slots[slot].total = (int16_t)(p->slots[slot].total + more);
    return true;
}

// No request waits for a prefetch: it ends when its missing sectors are requested.
static bool prefetch_access(MemSystem *m, int port, int32_t slot, L1Line *way, const Access *a,
                            uint8_t wanted) {
    uint8_t missing = way ? wanted & (uint8_t) ~(way->valid | way->pending) : wanted;
    if (!way) way = l1_victim(m, &m->ports[port], a->line);
    const uint8_t warp = m->ports[port].slots[slot].warp;
    if (!way || (missing && !l1_request_for(m, port, a->line, missing, way, NONE, warp)))
        return false;
    if (!missing) m->ports[port].counters->v[CTR_L1_MERGES]++;
    if (missing == m->all_sectors) way->fetched = true;
    m->ports[port].counters->v[missing ? CTR_L1_PREFETCH_MISSES : CTR_L1_PREFETCH_MERGES]++;
    mem_slot_part_done(m, port, slot);
    return true;
}

// The request needs data from L2: a watcher is notified.
static bool goes_to_l2(MemSystem *m, int port, int32_t slot, bool taken) {
    if (taken && m->watch && m->watch->missed)
        m->watch->missed(m->watch_ctx, port, m->ports[port].slots[slot].token);
    return taken;
}

// A hit on an image: the SM decompresses it like an image from L2.
static bool l1_unpack(MemSystem *m, int port, int32_t slot, L1Line *way) {
    Port *p = &m->ports[port];
    const int32_t id = p->free_mshr, packet = id == NONE ? NONE : mem_packet_new(m);
    if (packet == NONE) return false;
    const uint8_t image = way->image;
    L1Mshr *mshr = &p->mshrs[id];
    p->free_mshr = mshr->next;
    *mshr = (L1Mshr){.line = way->line,
                     .sectors = m->all_sectors,
                     .way = (int32_t)(way - p->l1),
                     .targets = NONE,
                     .warp = p->slots[slot].warp,
                     .since = m->now,
                     .used = true};
    way->valid = 0;
    way_expects(way, way->line, m->all_sectors, id);
    way->image = image;
    mshr_add(p, mshr, slot);
    m->packets[packet] = (Packet){.kind = MEM_LOAD,
                                  .port = (int16_t)port,
                                  .line = way->line,
                                  .touched = m->all_sectors,
                                  .slot = NONE,
                                  .mshr = id,
                                  .used = true,
                                  .image = image};
    codec_leaves(m, packet);
    mem_event(m, EV_ARRIVED, port, packet, m->cfg->l1_latency - 1);
    p->counters->v[CTR_L1_HITS]++;
    p->counters->v[CTR_L1_IMAGE_HITS]++;
    return true;
}

// A load requests a line that a prefetch has requested.
static void fetched_for(Port *p, L1Line *way, CounterId what) {
    if (!way->fetched) return;
    way->fetched = false;
    p->counters->v[what]++;
}

static bool load_access(MemSystem *m, int port, const LsuEntry *e, const Access *a) {
    Port *p = &m->ports[port];
    L1Line *way = l1_find(m, p, a->line);
    uint8_t wanted = sectors_moved(m, a->touched);
    if (e->bypass) {
        bool waiting = false;
        if (has_pending(m, p, a->line) && !pending_load(m, port, a, &waiting)) return false;
        if (waiting) {
            part_done_after(m, port, e->slot, m->cfg->l1_latency - 1);
            return true;
        }
        if (!goes_to_l2(m, port, e->slot, l1_request(m, port, a->line, wanted, NULL, e->slot)))
            return false;
        if (way) way->valid &= (uint8_t)~wanted;
        return true;
    }
    if (way && !(wanted & ~way->valid)) {
        way->used = ++p->clock;
        if (way->image && m->caches.l1_images && e->kind == MEM_LOAD)
            return l1_unpack(m, port, e->slot, way);
        p->counters->v[CTR_L1_HITS]++;
        p->counters->v[CTR_L1_IMAGE_HITS] += way->image != 0;
        if (e->kind == MEM_LOAD) fetched_for(p, way, CTR_FETCHED_USED);
        if (e->kind == MEM_PREFETCH) p->counters->v[CTR_L1_PREFETCH_HITS]++;
        if (way->wrong && e->kind == MEM_LOAD)
            m->codec->taken(m->codec_self, port, a->line, p->slots[e->slot].token);
        const int more = way->image ? m->caches.l1_cycles : 0;
        part_done_after(m, port, e->slot,
                        e->kind == MEM_PREFETCH ? 0 : m->cfg->l1_latency - 1 + more);
        return true;
    }
    bool waiting = false;
    if (has_pending(m, p, a->line) && !pending_load(m, port, a, &waiting)) return false;
    if (waiting) {
        p->counters->v[CTR_L1_HITS]++;
        if (e->kind == MEM_PREFETCH) p->counters->v[CTR_L1_PREFETCH_HITS]++;
        part_done_after(m, port, e->slot, e->kind == MEM_PREFETCH ? 0 : m->cfg->l1_latency - 1);
        return true;
    }
    if (e->kind == MEM_PREFETCH) return prefetch_access(m, port, e->slot, way, a, wanted);
    if (way) {
        const bool taken =
            goes_to_l2(m, port, e->slot, wait_for_sectors(m, port, e->slot, way, wanted));
        if (taken) fetched_for(p, way, CTR_FETCHED_LATE);
        return taken;
    }
    L1Line *victim = l1_victim(m, p, a->line);
    return goes_to_l2(m, port, e->slot,
                      victim && l1_request(m, port, a->line, wanted, victim, e->slot));
}

// Sectors arrived. They become valid in their way (if one was reserved), and all waiting requests
// are served.
void lsu_fill(MemSystem *m, int port, int32_t id) {
    Port *p = &m->ports[port];
    L1Mshr *mshr = &p->mshrs[id];
    mem_worked(m,
               &(MemWork){.part = MEM_PART_L1_MISS,
                          .port = port,
                          .warp = mshr->warp,
                          .kind = MEM_LOAD,
                          .line = mshr->line,
                          .from_m = (mshr->since - m->now) * 1000});
    if (mshr->way != NONE) {
        L1Line *way = &p->l1[mshr->way];
        way->valid |= mshr->sectors;
        way->pending &= (uint8_t)~mshr->sectors;
        way->used = ++p->clock;
        way->wrong = mshr->wrong;
        way->image = mshr->image;
    }
    for (int32_t t = mshr->targets; t != NONE;) {
        int32_t next = p->targets[t].next;
        if (mshr->wrong)
            m->codec->taken(m->codec_self, port, mshr->line, p->slots[p->targets[t].slot].token);
        mem_slot_part_done(m, port, p->targets[t].slot);
        p->targets[t].next = p->free_target;
        p->free_target = t;
        t = next;
    }
    mshr->used = false;
    mshr->next = p->free_mshr;
    p->free_mshr = id;
}

void lsu_drop(MemSystem *m, int port, int32_t id) {
    Port *p = &m->ports[port];
    L1Mshr *mshr = &p->mshrs[id];
    panic_if(mshr->targets != NONE, "the line of a load is dropped");
    if (mshr->way != NONE) p->l1[mshr->way].pending &= (uint8_t)~mshr->sectors;
    mshr->used = false;
    mshr->next = p->free_mshr;
    p->free_mshr = id;
}

void lsu_fill_ahead(MemSystem *m, int port, int32_t id, void (*part)(Port *p, int32_t slot)) {
    Port *p = &m->ports[port];
    for (int32_t t = p->mshrs[id].targets; t != NONE; t = p->targets[t].next)
        part(p, p->targets[t].slot);
}

// Stores and atomics go to L2.
static void evict_written(MemSystem *m, int port, const Access *a, bool is_store) {
    L1Line *way = l1_find(m, &m->ports[port], a->line);
    bool is_local = (a->line << m->line_shift) >= MEM_LOCAL_PHYS;
    bool evict = !is_store || (m->cfg->l1_store == L1_STORE_EVICT && !is_local);
    if (way && evict) way->valid &= (uint8_t)~sectors_moved(m, a->touched);
}

bool lsu_send_store(MemSystem *m, int port, const Packet *k) {
    Port *p = &m->ports[port];
    if (missq_full(m, p)) return false;
    int32_t packet = mem_packet_new(m);
    if (packet == NONE) return false;
    m->packets[packet] = *k;
    missq_push(m, p, packet);
    return true;
}

static bool write_access(MemSystem *m, int port, const LsuEntry *e, const Access *a,
                         uint32_t bytes) {
    Port *p = &m->ports[port];
    bool is_store = e->kind == MEM_STORE, direct = true;
    if (has_pending(m, p, a->line)) {
        if (!(is_store ? pending_store(m, port, e, a, &direct) : pending_atomic(m, port, e, a)))
            return false;
        if (!direct) {
            evict_written(m, port, a, true);
            return true;
        }
    }
    if (missq_full(m, p)) return false;
    int32_t packet = mem_packet_new(m);
    if (packet == NONE) return false;
    uint32_t data =
        is_store ? sector_bytes(a->touched) : (uint32_t)__builtin_popcount(a->lanes) * bytes;
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
    if (is_store && has_link_images(m, a->line) && !p->pending.n) images_store(m, k);
    evict_written(m, port, a, is_store);
    return e->kind != MEM_ATOMIC || goes_to_l2(m, port, e->slot, true);
}

// ---- constant cache ----

// The line of a word; when it was not there, it is from `arrives` on, and that is counted.
static ConstLine *const_line(const MemSystem *m, Port *p, uint32_t word, int64_t arrives,
                             CounterId missed) {
    const MachineConfig *c = m->cfg;
    uint32_t sets = (uint32_t)(c->const_bytes / c->const_line / c->const_ways);
    uint32_t line = word / (uint32_t)(c->const_line / 4);
    ConstLine *set = &p->constants[line % sets * (uint32_t)c->const_ways], *victim = set;
    for (int w = 0; w < c->const_ways; w++) {
        if (set[w].valid && set[w].line == line) {
            set[w].used = ++p->clock;
            return &set[w];
        }
        if (victim->valid && (!set[w].valid || set[w].used < victim->used)) victim = &set[w];
    }
    p->counters->v[missed]++;
    *victim = (ConstLine){.line = line, .valid = true, .ready = arrives, .used = ++p->clock};
    return victim;
}

// One word per cycle. Returns the cycle in which the word is available.
static int64_t const_access(MemSystem *m, Port *p, uint32_t word) {
    p->counters->v[CTR_CONST_ACCESSES]++;
    int64_t ready =
        const_line(m, p, word, m->now + m->cfg->const_miss_latency - 1, CTR_CONST_MISSES)->ready;
    int64_t soonest = m->now + m->cfg->const_latency - 1;
    return ready > soonest ? ready : soonest;
}

int64_t mem_const_operand(MemSystem *m, int port, uint32_t addr) {
    int64_t arrives = m->now + m->cfg->const_miss_latency;
    int64_t ready =
        const_line(m, &m->ports[port], addr / 4, arrives, CTR_CONST_OPERAND_MISSES)->ready;
    return ready > m->now ? ready - m->now : 0;
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
        const int warp = m->ports[port].slots[e->slot].warp;
        bool taken = is_load ? load_access(m, port, e, a) : write_access(m, port, e, a, e->bytes);
        if (!taken && e->may_drop) {
            m->ports[port].counters->v[CTR_L1_PREFETCHES_DROPPED]++;
            mem_slot_part_done(m, port, e->slot);
        } else if (!taken) {
            m->ports[port].counters->v[CTR_L1_RESERVATION_FAILS]++;
            return false;
        } else {
            mem_worked(m,
                       &(MemWork){.part = MEM_PART_L1,
                                  .port = port,
                                  .warp = warp,
                                  .kind = e->kind,
                                  .line = a->line,
                                  .to_m = 1000});
        }
        e->next++;
    } else {
        mem_slot_part_done(m, port, e->slot);  // no active lane
        return true;
    }
    return e->next == e->n;
}

void lsu_cycle(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    if (p->l1_taken) {
        p->l1_taken--;
        return;
    }
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
    p->lsu_head = ring_at(p->lsu_head + 1, m->cfg->lsu_queue);
    p->lsu_count--;
}
