// SPDX-License-Identifier: Apache-2.0
// The pending-store buffer (CABA section 5.2.3). Stores to global memory wait here for the other
// bytes of their line. The SM compresses a complete line before it leaves. The paper says that a
// store without room leaves uncompressed. It does not specify the waiting time or the effect of
// fences, atomics and loads. The rules here:
//
//   * A line with missing bytes leaves raw after PARTIAL_CYCLES.
//   * A line whose compression has not begun leaves raw after LONGEST_CYCLES. A compression in
//     progress stops by itself.
//   * Without a free entry, the oldest entry that is not being compressed leaves raw. If all are
//     being compressed, the new store bypasses the buffer.
//   * An atomic or a fence (mem_stores_flush) sends off its warp's entries.
//   * A load that finds only some of its bytes here makes the line leave, and follows it on the
//     same link.
//   * Entries of one line leave in the order of their creation.
#include "mem/mem_internal.h"

enum { PARTIAL_CYCLES = 64, LONGEST_CYCLES = 512, MERGES = 4096 };

void pending_open(MemSystem *m, Port *p, int n) {
    if (p->pending.n) return;
    p->pending.n = n;
    p->pending.of = ARENA_ARRAY(&m->arena, PendingStore, n);
    p->pending.targets = ARENA_ARRAY(&m->arena, Target, MERGES);
    for (int i = 0; i < MERGES; i++) p->pending.targets[i].next = i + 1 < MERGES ? i + 1 : NONE;
    p->pending.free_target = 0;
}

static bool covers_line(const PendingStore *e) { return !(~e->bytes[0] | ~e->bytes[1]); }

static PendingStore *newest_of(Pending *b, uint32_t line) {
    PendingStore *found = NULL;
    for (int i = 0; i < b->n; i++) {
        PendingStore *e = &b->of[i];
        if (e->state != PENDING_FREE && e->line == line && (!found || e->order > found->order))
            found = e;
    }
    return found;
}

// ---- leaving ----

static bool older_of_line(const Pending *b, const PendingStore *e) {
    for (int i = 0; i < b->n; i++)
        if (b->of[i].state != PENDING_FREE && b->of[i].line == e->line && b->of[i].order < e->order)
            return true;
    return false;
}

static uint8_t sectors_of(const PendingStore *e, bool all) {
    uint8_t set = 0;
    for (int s = 0; s < MAX_SECTORS; s++) {
        const uint32_t bytes = (uint32_t)(e->bytes[s / 2] >> s % 2 * 32);
        if (all ? bytes == UINT32_MAX : bytes != 0) set |= (uint8_t)(1u << s);
    }
    return set;
}

// To the miss queue, if it has room; then the entry is free.
static bool drain_store(MemSystem *m, int port, PendingStore *e) {
    Port *p = &m->ports[port];
    if (older_of_line(&p->pending, e)) return false;
    const uint8_t touched = sectors_of(e, false);
    const uint32_t bytes = e->image ? (uint32_t)e->image * SECTOR_BYTES : sector_bytes(touched);
    const Packet k = {.kind = MEM_STORE,
                      .port = (int16_t)port,
                      .line = e->line,
                      .used = true,
                      .touched = touched,
                      .full = sectors_of(e, true),
                      .serial = 1,
                      .slot = p->pending.targets[e->targets].slot,
                      .mshr = NONE,
                      .merged = e->targets + 1,
                      .image = e->image,
                      .handle = (int16_t)e->handle,
                      .request_flits = (uint16_t)xbar_flits(m, bytes),
                      .response_flits = 1};
    if (!lsu_send_store(m, port, &k)) return false;
    if (covers_line(e)) {
        p->counters->v[CTR_LINES_STORED]++;
        p->counters->v[CTR_LINES_STORED_COMPRESSED] += e->image != 0;
    }
    e->state = PENDING_FREE;
    return true;
}

// The entry leaves uncompressed as soon as possible. True: it has left.
static bool send_off(MemSystem *m, int port, PendingStore *e) {
    Port *p = &m->ports[port];
    if (e->state == PENDING_TAKEN) {
        if (e->hurried) return false;
        if (!m->codec->give_up(m->codec_self, port, (int)(e - p->pending.of))) {
            e->hurried = true;
            return false;
        }
    }
    if (e->state != PENDING_LEAVES) {
        e->state = PENDING_LEAVES;
        e->image = 0;
    }
    return drain_store(m, port, e);
}

void mem_store_done(MemSystem *m, int port, int entry, int bursts, int handle) {
    PendingStore *e = &m->ports[port].pending.of[entry];
    panic_if(e->state != PENDING_TAKEN, "an entry that nobody compresses is compressed");
    e->state = PENDING_LEAVES;
    e->image = (uint8_t)bursts;
    e->handle = handle;
}

void mem_store_again(MemSystem *m, int port, int entry) {
    PendingStore *e = &m->ports[port].pending.of[entry];
    panic_if(e->state != PENDING_TAKEN || e->hurried,
             "an entry that nobody compresses is to be compressed again");
    e->state = PENDING_FULL;
    e->again = true;
}

void mem_stores_flush(MemSystem *m, int port, int warp) {
    Pending *b = &m->ports[port].pending;
    for (int i = 0; i < b->n; i++)
        if (b->of[i].state != PENDING_FREE && b->of[i].warps >> warp & 1)
            send_off(m, port, &b->of[i]);
}

// ---- accesses ----

static void add_target(Pending *b, PendingStore *e, int32_t slot) {
    const int32_t t = b->free_target;
    b->free_target = b->targets[t].next;
    b->targets[t] = (Target){.slot = slot, .next = NONE};
    if (e->targets == NONE) e->targets = t;
    else b->targets[e->last].next = t;
    e->last = t;
}

static void merge_access(Pending *b, PendingStore *e, const Access *a, int32_t slot, int warp) {
    add_target(b, e, slot);
    e->bytes[0] |= a->bytes[0];
    e->bytes[1] |= a->bytes[1];
    e->warps |= 1ull << warp;
    e->warp = warp;
    if (covers_line(e)) e->state = PENDING_FULL;
}

static PendingStore *free_entry(Pending *b) {
    for (int i = 0; i < b->n; i++)
        if (b->of[i].state == PENDING_FREE) return &b->of[i];
    return NULL;
}

static PendingStore *oldest_idle(Pending *b, bool leaving) {
    PendingStore *found = NULL;
    for (int i = 0; i < b->n; i++) {
        PendingStore *e = &b->of[i];
        if (e->state == PENDING_FREE || e->state == PENDING_TAKEN ||
            (e->state == PENDING_LEAVES) != leaving)
            continue;
        if (!found || e->order < found->order) found = e;
    }
    return found;
}

bool pending_store(MemSystem *m, int port, const LsuEntry *l, const Access *a, bool *direct) {
    Port *p = &m->ports[port];
    Pending *b = &p->pending;
    const int warp = p->slots[l->slot].warp;
    PendingStore *e = newest_of(b, a->line);
    *direct = false;
    if (b->free_target == NONE) return false;
    if (e && e->state == PENDING_OPEN) {
        merge_access(b, e, a, l->slot, warp);
        return true;
    }
    if (e) send_off(m, port, e);  // later stores follow it
    e = free_entry(b);
    if (!e && oldest_idle(b, true)) return false;  // one is about to leave
    if (!e) {
        e = oldest_idle(b, false);
        if (!e) {
            *direct = !newest_of(b, a->line);
            return *direct;
        }
        p->counters->v[CTR_STORES_OVERFLOWED]++;
        if (!send_off(m, port, e)) return false;
    }
    *e = (PendingStore){.state = PENDING_OPEN,
                        .line = a->line,
                        .targets = NONE,
                        .order = ++b->order,
                        .since = m->now};
    merge_access(b, e, a, l->slot, warp);
    return true;
}

bool pending_load(MemSystem *m, int port, const Access *a, bool *hit) {
    Pending *b = &m->ports[port].pending;
    PendingStore *e = newest_of(b, a->line);
    if (!e) return true;
    *hit = !(a->bytes[0] & ~e->bytes[0]) && !(a->bytes[1] & ~e->bytes[1]);
    return *hit || (send_off(m, port, e) && !newest_of(b, a->line));
}

bool pending_atomic(MemSystem *m, int port, const LsuEntry *l, const Access *a) {
    Port *p = &m->ports[port];
    const int warp = p->slots[l->slot].warp;
    bool none = true;
    for (int i = 0; i < p->pending.n; i++) {
        PendingStore *e = &p->pending.of[i];
        if (e->state == PENDING_FREE || (!(e->warps >> warp & 1) && e->line != a->line)) continue;
        none &= send_off(m, port, e);
    }
    return none;
}

// ---- the cycle ----

static PendingStore *next_to_leave(Pending *b) {
    PendingStore *found = NULL;
    for (int i = 0; i < b->n; i++) {
        PendingStore *e = &b->of[i];
        if (e->state != PENDING_LEAVES || older_of_line(b, e)) continue;
        if (!found || e->order < found->order) found = e;
    }
    return found;
}

static void compress_store(MemSystem *m, int port, PendingStore *e) {
    switch (m->codec->full(m->codec_self, port, (int)(e - m->ports[port].pending.of), e->line,
                           e->warp, e->again)) {
    case MEM_FULL_TAKEN: e->state = PENDING_TAKEN; break;
    case MEM_FULL_RAW: send_off(m, port, e); break;
    default: break;
    }
}

void pending_cycle(MemSystem *m, int port) {
    Pending *b = &m->ports[port].pending;
    PendingStore *next = next_to_leave(b);
    if (next) drain_store(m, port, next);
    for (int i = 0; i < b->n; i++) {
        PendingStore *e = &b->of[i];
        if (e->state == PENDING_FREE || e->state == PENDING_LEAVES) continue;
        const int64_t age = m->now - e->since;
        const bool late =
            age >= LONGEST_CYCLES || (age >= PARTIAL_CYCLES && e->state == PENDING_OPEN);
        if (late && e->state != PENDING_TAKEN) send_off(m, port, e);
        else if (e->state == PENDING_FULL) compress_store(m, port, e);
    }
}

void pending_acknowledge(MemSystem *m, const Packet *k, int64_t delay) {
    Pending *b = &m->ports[k->port].pending;
    for (int32_t t = k->merged - 1; t != NONE;) {
        const int32_t next = b->targets[t].next;
        mem_event(m, EV_SLOT_PART, k->port, b->targets[t].slot, delay);
        b->targets[t].next = b->free_target;
        b->free_target = t;
        t = next;
    }
}
