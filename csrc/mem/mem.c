// SPDX-License-Identifier: Apache-2.0
#include "mem/mem_internal.h"

#include "config/perturb.h"

enum { WHEEL_BUCKETS = 1024 };  // longer delays go round more than once

// ---- pools ----

int32_t mem_packet_new(MemSystem *m) {
    int32_t id = m->free_packet;
    if (id == NONE) return NONE;
    m->free_packet = m->packets[id].next;
    m->packets_used++;
    return id;
}

void mem_packet_free(MemSystem *m, int32_t id) {
    m->packets[id].used = false;
    m->packets[id].next = m->free_packet;
    m->free_packet = id;
    m->packets_used--;
}

void mem_packet_push(MemSystem *m, List *l, int32_t packet) {
    list_push(l, packet, l->head == NONE ? NULL : &m->packets[l->tail].next,
              &m->packets[packet].next);
}

int32_t mem_packet_pop(MemSystem *m, List *l) {
    int32_t id = l->head;
    if (id != NONE) l->head = m->packets[id].next;
    return id;
}

void mem_event(MemSystem *m, EventKind kind, int port, int32_t index, int64_t delay) {
    int32_t id = m->free_event;
    panic_if(id == NONE, "out of events");
    panic_if(delay < 1, "event delay %lld", (long long)delay);
    int64_t left = delay > m->wheel_mask ? delay - m->wheel_mask : 0;
    Event *e = &m->events[id];
    m->free_event = e->next;
    m->events_used++;
    *e = (Event){
        .next = NONE, .index = index, .kind = (uint16_t)kind, .port = (uint16_t)port, .left = left};
    Bucket *b = &m->wheel[(m->now + delay - left) & m->wheel_mask];
    if (b->head == NONE) b->head = id;
    else m->events[b->tail].next = id;
    b->tail = id;
}

// ---- completions ----

static bool is_store_like(MemKind kind) {
    return kind == MEM_STORE || kind == MEM_RED || kind == MEM_PREFETCH;
}

static void push_done(Port *p, List *l, int32_t slot) {
    list_push(l, slot, l->head == NONE ? NULL : &p->slots[l->tail].next, &p->slots[slot].next);
}

static void free_slot(Port *p, int32_t id) {
    Slot *s = &p->slots[id];
    s->used = false;
    s->next = p->free_slot;
    p->free_slot = id;
    p->slots_used--;
}

// One more access will end after the next cycle. If it is the last one, the load counts as
// complete.
static void part_ahead(Port *p, int32_t slot) {
    Slot *s = &p->slots[slot];
    if (--s->ahead == 0 && !is_store_like(s->kind)) push_done(p, &p->done_loads, slot);
}

void mem_slot_part_done(MemSystem *m, int port, int32_t slot) {
    Port *p = &m->ports[port];
    Slot *s = &p->slots[slot];
    panic_if(!s->used || s->left < 1, "a part of a finished memory instruction");
    s->left--;
    if (p->looks_ahead && s->ahead > s->left) part_ahead(p, slot);  // decided in this very cycle
    if (s->left) return;
    if (is_store_like(s->kind)) push_done(p, &p->done_stores, slot);
    else if (!p->looks_ahead) push_done(p, &p->done_loads, slot);
    else if (s->given) free_slot(p, slot);
}

bool mem_done(MemSystem *m, int port, uint32_t *token) {
    Port *p = &m->ports[port];
    List *l = p->done_stores.head != NONE ? &p->done_stores : &p->done_loads;
    if (l->head == NONE || (l == &p->done_loads && p->load_given)) return false;
    if (l == &p->done_loads) p->load_given = true;
    int32_t id = l->head;
    Slot *s = &p->slots[id];
    l->head = s->next;
    *token = s->token;
    s->given = true;
    if (s->left == 0) free_slot(p, id);  // otherwise the next cycle frees it
    return true;
}

// ---- requests ----

bool mem_ready(const MemSystem *m, int port) {
    const Port *p = &m->ports[port];
    return p->lsu_count < m->cfg->lsu_queue && p->free_slot != NONE;
}

static void count_request(Counters *c, const MemRequest *r, const LsuEntry *e, int conflicts) {
    switch (r->kind) {
    case MEM_LOAD: c->v[CTR_GLOBAL_LOADS]++; break;
    case MEM_STORE: c->v[CTR_GLOBAL_STORES]++; break;
    case MEM_ATOMIC:
    case MEM_RED: c->v[CTR_ATOMICS]++; break;
    case MEM_SHARED_LOAD:
    case MEM_SHARED_STORE:
    case MEM_SHARED_ATOMIC:
        c->v[CTR_SHARED_ACCESSES]++;
        c->v[CTR_SHARED_CONFLICTS] += (uint64_t)conflicts;
        return;
    default: return;
    }
    c->v[CTR_TRANSACTIONS] += (uint64_t)e->n;
}

void mem_issue(MemSystem *m, int port, const MemRequest *r) {
    Port *p = &m->ports[port];
    panic_if(!mem_ready(m, port), "mem_issue without mem_ready");
    int32_t id = p->free_slot;
    Slot *s = &p->slots[id];
    p->free_slot = s->next;
    p->slots_used++;
    LsuEntry *e = &p->lsu[ring_at(p->lsu_head + p->lsu_count++, m->cfg->lsu_queue)];
    e->slot = id;
    e->kind = r->kind;
    e->bypass = r->bypass_l1 && r->kind == MEM_LOAD;
    e->may_drop = r->may_drop && r->kind == MEM_PREFETCH;
    e->bytes = r->bytes;
    e->next = 0;
    e->ready = 0;
    int conflicts = 0, parts = 1;
    switch (r->kind) {
    case MEM_SHARED_LOAD:
    case MEM_SHARED_STORE:
    case MEM_SHARED_ATOMIC:
        e->n = coalesce_shared(r, (uint32_t)m->cfg->shared_banks, &conflicts);
        break;
    case MEM_CONST_LOAD: e->n = coalesce_const(r, e->access); break;
    default:
        e->n = coalesce_lines(r, 1u << m->line_shift, e->access);
        parts = e->n ? e->n : 1;
        if (p->pending.n) coalesce_bytes(r, e->access, e->n);
    }
    *s = (Slot){.token = r->token,
                .kind = r->kind,
                .left = (int16_t)parts,
                .total = (int16_t)parts,
                .ahead = (int16_t)parts,
                .warp = r->warp,
                .used = true};
    const uint64_t lines = p->counters->v[CTR_TRANSACTIONS];
    count_request(p->counters, r, e, conflicts);
    if (m->watch && m->watch->issued)
        m->watch->issued(m->watch_ctx, port, r->token,
                         (int)(p->counters->v[CTR_TRANSACTIONS] - lines), conflicts);
}

// ---- the cycle ----

static void run_event(MemSystem *m, const Event *e) {
    switch ((EventKind)e->kind) {
    case EV_SLOT_PART: mem_slot_part_done(m, e->port, e->index); break;
    case EV_L2_ARRIVE: l2_arrive(m, e->index); break;
    case EV_L2_READY: mem_packet_push(m, &m->ports[e->port].responses, e->index); break;
    case EV_FILL: l2_fill(m, e->index); break;
    case EV_TRIP: images_at_sm(m, e->index); break;
    case EV_ARRIVED: codec_arrived(m, e->index); break;
    case EV_DRAM_NEXT: dram_next(m, e->index); break;
    case EV_RESPONSE: {
        Packet *k = &m->packets[e->index];
        if (k->kind == MEM_LOAD) lsu_fill(m, e->port, k->mshr);
        else mem_slot_part_done(m, e->port, k->slot);
        mem_packet_free(m, e->index);
        break;
    }
    }
}

static void run_events(MemSystem *m) {
    Bucket *b = &m->wheel[m->now & m->wheel_mask];
    while (b->head != NONE) {
        int32_t id = b->head;
        Event e = m->events[id];
        b->head = e.next;
        m->events[id].next = m->free_event;
        m->free_event = id;
        m->events_used--;
        if (e.left) mem_event(m, (EventKind)e.kind, e.port, e.index, e.left);
        else run_event(m, &e);
    }
}

static void look_ahead(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    for (int32_t id = m->wheel[(m->now + 1) & m->wheel_mask].head; id != NONE;
         id = m->events[id].next) {
        const Event *e = &m->events[id];
        if (e->left || e->port != port) continue;
        if (e->kind == EV_SLOT_PART) part_ahead(p, e->index);
        if (e->kind != EV_RESPONSE) continue;
        const Packet *k = &m->packets[e->index];
        if (k->kind != MEM_LOAD) part_ahead(p, k->slot);
        else lsu_fill_ahead(m, port, k->mshr, part_ahead);
    }
}

void mem_look_ahead(MemSystem *m, int port) { m->ports[port].looks_ahead = true; }

void mem_cycle(MemSystem *m) {
    m->now++;
    bool lsu = false;
    for (int i = m->first_port; i < m->end_port; i++) {
        m->ports[i].load_given = false;
        lsu = lsu || m->ports[i].lsu_count || m->ports[i].pending.n;
    }
    if (!lsu && !m->events_used && !m->packets_used && !m->dram_waiting && !m->evicts) return;
    // From the far end to the near end, so that a stage sees the next stage's output one cycle
    // later.
    run_events(m);
    if (m->dram_waiting)
        for (int i = 0; i < m->nchannels; i++) dram_cycle(m, &m->channels[i]);
    for (int i = 0; i < m->nbanks; i++)
        if (m->banks[i].count || m->banks[i].evicting) l2_cycle(m, i);
    for (int i = m->first_port; i < m->end_port; i++) {
        xbar_responses(m, i);
        xbar_requests(m, i);
        lsu_cycle(m, i);
        if (m->ports[i].pending.n) pending_cycle(m, i);
        if (m->ports[i].looks_ahead) look_ahead(m, i);
    }
}

bool mem_idle(const MemSystem *m) {
    for (int i = m->first_port; i < m->end_port; i++)
        if (m->ports[i].slots_used) return false;
    for (int i = 0; m->apart.near && i < m->nports; i++)
        if (!mem_idle(m->apart.near[i])) return false;
    return apart_idle(m) && !m->events_used && !m->packets_used && !m->dram_waiting && !m->evicts;
}

void mem_flush_l1(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    for (int i = 0; i < m->cfg->l1_sets * m->l1_ways; i++) {
        p->l1[i].valid = 0;
        p->counters->v[CTR_FETCHED_UNUSED] += p->l1[i].fetched;
        p->l1[i].fetched = false;
    }
    for (int i = 0; i < m->cfg->const_bytes / m->cfg->const_line; i++)
        p->constants[i].valid = false;
}

// ---- open ----

// free list 0, 1, 2 .. through `next` of n items
#define CHAIN(items, n, head) \
    do { \
        for (int i_ = 0; i_ < (n); i_++) (items)[i_].next = i_ + 1 < (n) ? i_ + 1 : NONE; \
        (head) = (n) > 0 ? 0 : NONE; \
    } while (0)

static int credits_of(const MachineConfig *c) { return c->l2_queue + c->xbar_latency; }

// Between separate sides, credits take time to return.
static int count_credits(const MachineConfig *c, MemPlace place) {
    return credits_of(c) + (place == PLACE_WHOLE ? 0 : c->xbar_latency);
}

// Instructions in flight: enough that the LSU's own limits are met first.
static int slots_of(const MachineConfig *c) {
    return c->lsu_queue + c->l1_mshrs * c->l1_merges + c->l1_queue + credits_of(c) + 256;
}

int mem_packets(const MachineConfig *c) {
    return c->l1_mshrs + c->l1_queue + 2 * credits_of(c) + c->l2_mshrs + 256;
}

void mem_open_port(MemSystem *m, Port *p, Counters *counters) {
    const MachineConfig *c = m->cfg;
    p->counters = counters;
    p->lsu = ARENA_ARRAY(&m->arena, LsuEntry, c->lsu_queue);
    p->nslots = slots_of(c);
    p->slots = ARENA_ARRAY(&m->arena, Slot, p->nslots);
    CHAIN(p->slots, p->nslots, p->free_slot);
    p->done_loads = p->done_stores = p->responses = p->trips = p->returns = (List){NONE, NONE};
    p->l1 = ARENA_ARRAY(&m->arena, L1Line, c->l1_sets * c->l1_ways);
    p->mshrs = ARENA_ARRAY(&m->arena, L1Mshr, c->l1_mshrs);
    CHAIN(p->mshrs, c->l1_mshrs, p->free_mshr);
    p->targets = ARENA_ARRAY(&m->arena, Target, c->l1_mshrs * c->l1_merges);
    CHAIN(p->targets, c->l1_mshrs * c->l1_merges, p->free_target);
    p->constants = ARENA_ARRAY(&m->arena, ConstLine, c->const_bytes / c->const_line);
    p->missq = ARENA_ARRAY(&m->arena, int32_t, c->l1_queue);
    p->credits = count_credits(c, m->apart.place);
}

static void open_l2(MemSystem *m) {
    const MachineConfig *c = m->cfg;
    int64_t used = m->nports < c->sm_count_gpu ? m->nports : c->sm_count_gpu;
    int64_t lines = (int64_t)c->l2_bytes * used / c->sm_count_gpu >> m->line_shift;
    int64_t sets_of_share = (lines + c->l2_ways * m->nbanks / 2) / (c->l2_ways * m->nbanks);
    m->l2_sets = sets_of_share < 1 ? 1 : (int)sets_of_share;
    m->bank_bytes_per_kcycle =
        (int64_t)c->l2_banks * c->l2_bank_width * 1000 * used / c->sm_count_gpu / m->nbanks;
    if (m->bank_bytes_per_kcycle < 1) m->bank_bytes_per_kcycle = 1;
    m->bank_queue = count_credits(c, m->apart.place) * m->nports;
    m->banks = ARENA_ARRAY(&m->arena, L2Bank, m->nbanks);
    for (int i = 0; i < m->nbanks; i++) {
        m->banks[i].lines = ARENA_ARRAY(&m->arena, L2Line, (int64_t)m->l2_sets * c->l2_ways);
        m->banks[i].queue = ARENA_ARRAY(&m->arena, int32_t, m->bank_queue);
    }
    int mshrs = c->l2_mshrs * m->nports;
    m->l2_mshrs = ARENA_ARRAY(&m->arena, L2Mshr, mshrs);
    CHAIN(m->l2_mshrs, mshrs, m->free_l2_mshr);
}

// The bus carries the data of a real channel, `stretch` times slower. So each idle time between
// reads and writes is longer by that factor.
static void open_turnaround(MemSystem *m) {
    const MachineConfig *c = m->cfg;
    DramTimes *t = &m->dram;
    t->wl = t->cl;
    if (!c->dram_twl) return;
    t->wl = config_dram_time(c, c->dram_twl);
    t->to_read = config_dram_time(c, c->dram_tcl + c->dram_tcdlr) * m->fixed.stretch / 1000;
    t->to_write = config_dram_time(c, 2) * m->fixed.stretch / 1000;
}

static void open_dram(MemSystem *m) {
    const MachineConfig *c = m->cfg;
    m->dram = (DramTimes){.cl = config_dram_time(c, c->dram_tcl),
                          .rp = config_dram_time(c, c->dram_trp),
                          .rc = config_dram_time(c, c->dram_trc),
                          .ras = config_dram_time(c, c->dram_tras),
                          .rcd = config_dram_time(c, c->dram_trcd),
                          .rrd = config_dram_time(c, c->dram_trrd),
                          .ccd = config_dram_time(c, c->dram_tccd),
                          .wr = config_dram_time(c, c->dram_twr),
                          .ccdl = config_dram_time(c, c->dram_tccdl),
                          .rtp = config_dram_time(c, c->dram_trtpl),
                          .burst = m->fixed.burst};
    open_turnaround(m);
    // When there is room for one request, a victim's data and two requests for metadata may arrive.
    m->nnexts = c->dram_queue + 3;
    m->nexts = ARENA_ARRAY(&m->arena, DramNext, m->nchannels * m->nnexts);
    m->channels = ARENA_ARRAY(&m->arena, DramChannel, m->nchannels);
    for (int i = 0; i < m->nchannels; i++) {
        m->channels[i].queue = ARENA_ARRAY(&m->arena, DramRequest, m->nnexts);
        m->channels[i].banks = ARENA_ARRAY(&m->arena, DramBank, c->dram_banks);
        for (int b = 0; b < c->dram_banks; b++) m->channels[i].banks[b].open_row = NONE;
    }
}

static void open_events(MemSystem *m, int packets, int nports) {
    const MachineConfig *c = m->cfg;
    m->wheel = ARENA_ARRAY(&m->arena, Bucket, WHEEL_BUCKETS);
    for (int i = 0; i < WHEEL_BUCKETS; i++) m->wheel[i] = (Bucket){NONE, NONE};
    m->wheel_mask = WHEEL_BUCKETS - 1;
    // Each packet, L2 MSHR and access of an instruction is in at most one event.
    int64_t lsu = c->l1_latency + c->shared_latency + c->const_miss_latency + 256;
    int64_t events = packets + c->l2_mshrs * nports + m->nchannels * m->nnexts;
    if (m->apart.place != PLACE_FAR) events += (lsu + slots_of(c) * MAX_ACCESSES) * nports;
    m->events = ARENA_ARRAY(&m->arena, Event, events);
    CHAIN(m->events, (int)events, m->free_event);
}

void mem_open_common(MemSystem *m, const MachineConfig *cfg, int nports) {
    m->cfg = cfg;
    m->nports = m->end_port = nports;
    m->line_shift = (uint32_t)__builtin_ctz((unsigned)cfg->l1_line);
    m->all_sectors = (uint8_t)((1u << cfg->l1_line / SECTOR_BYTES) - 1);
    m->l1_ways = cfg->l1_ways;
    m->l2_ways = cfg->l2_ways;
    m->caches = (MemCaches){.l1_tags = 1, .l2_tags = 1};
    m->hash_bits = 1;
    while (1 << m->hash_bits < cfg->l1_sets) m->hash_bits++;
    m->fixed = config_mem_fixed(cfg, nports);
    m->fixed.dram_pipe += perturb_dram(cfg);
    if (m->fixed.l2_pipe < 1) m->fixed.l2_pipe = 1;
    if (m->fixed.dram_pipe < 0) m->fixed.dram_pipe = 0;
}

void mem_open_far(MemSystem *m) {
    m->nbanks = m->fixed.banks;
    m->nchannels = m->fixed.channels;
    open_l2(m);
    open_dram(m);
}

void mem_open_pools(MemSystem *m, int nports) {
    int packets = mem_packets(m->cfg) * nports;
    m->packets = ARENA_ARRAY(&m->arena, Packet, packets);
    CHAIN(m->packets, packets, m->free_packet);
    open_events(m, packets, nports);
}

MemSystem *mem_open(const MachineConfig *cfg, int nports, Counters *const *counters) {
    Arena arena = {0};
    MemSystem *m = ARENA_NEW(&arena, MemSystem);
    m->arena = arena;
    mem_open_common(m, cfg, nports);
    m->ports = ARENA_ARRAY(&m->arena, Port, nports);
    for (int i = 0; i < nports; i++) mem_open_port(m, &m->ports[i], counters[i]);
    mem_open_far(m);
    mem_open_pools(m, nports);
    return m;
}

void mem_close(MemSystem *m) {
    if (!m) return;
    for (int i = 0; m->apart.near && i < m->nports; i++) mem_close(m->apart.near[i]);
    Arena arena = m->arena;  // holds *m itself
    arena_free(&arena);
}

void mem_on_perform(MemSystem *m, MemPerform *perform, void *ctx) {
    m->perform = perform;
    m->perform_ctx = ctx;
}
