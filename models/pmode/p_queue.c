// SPDX-License-Identifier: Apache-2.0
// Golden model of p_queue. A queue is a list of entries, oldest first. Each has its absolute PC,
// its outstanding results and its place in the ring. Taking the head moves the others up.
#include "models/pmode/p_queue.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { P_QUEUE_PARAMS(BLOCK_INDEX) PARAMS };

enum { NO_WARP = -1 };

typedef struct Entry {
    uint32_t pc;
    int32_t offset;
    uint8_t place;  // in the ring
    uint8_t seq, dst, src0, src1;
    uint8_t phy[2];
    bool pair, pred;
    uint8_t waits;      // outstanding results, bits 1 << Result
    uint32_t value[2];  // predicate results, after their arrival
} Entry;

typedef enum Result { FIRST_WORD, SECOND_WORD, PREDICATES, RESULTS } Result;

typedef struct Queue {
    int count, next;  // entries; place of the next one
    uint32_t base;
    Entry entry[PQ_MAX_DEPTH];  // oldest first
} Queue;

typedef struct PQueue {
    int warps, depth, reach, regs, pushes, fetches, writes;
    uint32_t offset_mask;  // bits of an offset in the ring
    int params[PARAMS];
    uint64_t draining, filled;  // bit w: queue of warp w drains; is not empty
    int half;                   // warp whose head's first word is freed, NO_WARP: none
    Queue queue[PQ_MAX_WARPS];
} PQueue;

static uint64_t bit(uint32_t w) { return 1ull << (w & 63); }

static void pq_reset(void *self) {
    PQueue *m = self;
    m->draining = m->filled = 0;
    m->half = NO_WARP;
    for (int w = 0; w < m->warps; w++) {
        Queue *q = &m->queue[w];
        q->count = q->next = 0;
        q->base = 0;
    }
}

static void *pq_open(const int *params) {
    PQueue *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_NumWarps], m->depth = params[P_Depth];
    m->reach = 8 * params[P_Distance], m->regs = params[P_NumRegs];
    m->offset_mask = (1u << block_bits(2 * m->reach)) - 1;
    m->half = NO_WARP;
    m->pushes = params[P_NumPush], m->fetches = params[P_NumFetch], m->writes = params[P_NumWr];
    return m;
}

static void pq_close(void *self) { free(self); }

// Warps that are started or flushed in this cycle.
static uint64_t pq_flushed(const PQueueIn *in) {
    return (in->start_valid[0] ? bit(in->start_warp[0]) : 0) |
        (in->flush_valid[0] ? bit(in->flush_warp[0]) : 0);
}

static bool pq_accepts(const PQueue *m, const PQueueIn *in, int port, uint64_t closed) {
    const uint32_t w = in->push_warp[port];
    if (!(in->push_valid[0] >> port & 1) || closed & bit(w)) return false;
    for (int p = 0; p < port; p++)
        if (in->push_valid[0] >> p & 1 && in->push_warp[p] == w) return false;
    const Queue *q = &m->queue[w];
    const int64_t distance = (int32_t)(in->push_pc[port] - q->base);
    return q->count < m->depth && distance >= -m->reach && distance < m->reach;
}

// The head that a fetch is compared with, NULL: none.
static const Entry *pq_asked(const PQueue *m, const PQueueIn *in, int port, uint64_t closed) {
    const uint32_t w = in->fetch_warp[port];
    if (!(in->fetch_valid[0] >> port & 1) || closed & bit(w)) return NULL;
    for (int p = 0; p < port; p++)
        if (in->fetch_valid[0] >> p & 1 && in->fetch_warp[p] == w) return NULL;
    const Queue *q = &m->queue[w];
    return q->count > 0 ? &q->entry[0] : NULL;
}

// The entry that a fetch finds, NULL: none.
static const Entry *pq_found(const PQueue *m, const PQueueIn *in, int port, uint64_t closed) {
    const Entry *e = pq_asked(m, in, port, closed);
    return e && e->pc == in->fetch_pc[port] && e->seq == in->fetch_seq[port] ? e : NULL;
}

// The warp that drains in this cycle, NO_WARP: none.
static int pq_drained(const PQueue *m) {
    if (m->half != NO_WARP) return m->half;
    for (uint64_t left = m->draining; left; left &= left - 1) {
        const int w = __builtin_ctzll(left);
        if (!m->queue[w].entry[0].waits) return w;
    }
    return NO_WARP;
}

static void pq_answer(const PQueue *m, const PQueueIn *in, int f, uint64_t closed, PQueueOut *out) {
    const Entry *asked = pq_asked(m, in, f, closed), *e = pq_found(m, in, f, closed);
    if (asked && !e && asked->seq == in->fetch_seq[f]) out->fetch_clash[0] |= 1u << f;
    if (!e) return;
    out->fetch_hit[0] |= 1u << f;
    out->fetch_dst[f] = e->dst;
    out->fetch_src0[f] = e->src0;
    out->fetch_src1[f] = e->src1;
    out->fetch_phy[f] = e->phy[0];
    if (e->pair) {
        out->fetch_pair[0] |= 1u << f;
        out->fetch_phy2[f] = e->phy[1];
    }
    if (e->waits) return;
    out->fetch_rdy[0] |= 1u << f;
    if (!e->pred) return;
    out->fetch_pred[0] |= 1u << f;
    out->fetch_first[f] = e->value[0];
    out->fetch_second[f] = e->value[1];
}

static void pq_eval(void *self, const void *inputs, void *outputs) {
    const PQueue *m = self;
    const PQueueIn *in = inputs;
    PQueueOut *out = outputs;
    const uint64_t closed = m->draining | pq_flushed(in);

    out->push_ok[0] = out->fetch_hit[0] = out->fetch_rdy[0] = out->free_valid[0] = 0;
    out->fetch_clash[0] = out->fetch_pair[0] = out->fetch_pred[0] = 0;
    for (int p = 0; p < m->pushes; p++) {
        if (!pq_accepts(m, in, p, closed)) continue;
        out->push_ok[0] |= 1u << p;
        out->push_idx[p] = (uint32_t)m->queue[in->push_warp[p]].next;
    }
    for (int f = 0; f < m->fetches; f++) pq_answer(m, in, f, closed, out);
    const int w = pq_drained(m);
    if (w != NO_WARP && m->queue[w].entry[0].dst < m->regs) {
        out->free_valid[0] = 1;
        out->free_phy[0] = m->queue[w].entry[0].phy[w == m->half];
    }
    for (int i = 0; i < m->warps; i++) out->idle[i] = ~m->filled >> i & 1;
}

static void pq_drop_head(PQueue *m, uint32_t w) {
    Queue *q = &m->queue[w];
    q->count--;
    memmove(&q->entry[0], &q->entry[1], (size_t)q->count * sizeof *q->entry);
    if (q->count == 0) {
        m->filled &= ~bit(w);
        m->draining &= ~bit(w);
    }
}

// A pair frees one word and stays. Any other head leaves.
static void pq_drain(PQueue *m, int w) {
    if (m->queue[w].entry[0].pair && m->half == NO_WARP) {
        m->half = w;
        return;
    }
    m->half = NO_WARP;
    pq_drop_head(m, (uint32_t)w);
}

static void pq_append(PQueue *m, const PQueueIn *in, int port) {
    Queue *q = &m->queue[in->push_warp[port]];
    const bool pair = in->push_pair[0] >> port & 1, pred = in->push_pred[0] >> port & 1;
    q->entry[q->count++] = (Entry){
        .pc = in->push_pc[port],
        .offset = (int32_t)(in->push_pc[port] - q->base),
        .place = (uint8_t)q->next,
        .dst = (uint8_t)in->push_dst[port],
        .src0 = (uint8_t)in->push_src0[port],
        .src1 = (uint8_t)in->push_src1[port],
        .seq = (uint8_t)in->push_seq[port],
        .phy = {(uint8_t)in->push_phy[port], (uint8_t)in->push_phy2[port]},
        .pair = pair,
        .pred = pred,
        .waits = (uint8_t)((in->push_dst[port] < (uint32_t)m->regs) << FIRST_WORD |
                           pair << SECOND_WORD | pred << PREDICATES),
    };
    q->next = q->next + 1 == m->depth ? 0 : q->next + 1;
    m->filled |= bit(in->push_warp[port]);
}

// The valid entry at a place of the ring, NULL: none.
static Entry *pq_at(PQueue *m, uint32_t w, uint32_t place) {
    Queue *q = &m->queue[w];
    for (int i = 0; i < q->count; i++)
        if (q->entry[i].place == place) return &q->entry[i];
    return NULL;
}

static void pq_written(PQueue *m, const PQueueIn *in) {
    for (int j = 0; j < m->writes; j++) {
        Entry *word = in->wb_valid[0] >> j & 1 ? pq_at(m, in->wb_warp[j], in->wb_idx[j]) : NULL;
        if (word)
            word->waits &= (uint8_t) ~(1u << (in->wb_word[0] >> j & 1 ? SECOND_WORD : FIRST_WORD));
        Entry *pred = in->pw_valid[0] >> j & 1 ? pq_at(m, in->pw_warp[j], in->pw_idx[j]) : NULL;
        if (!pred) continue;
        pred->waits &= (uint8_t) ~(1u << PREDICATES);
        pred->value[0] = in->pw_first[j];
        pred->value[1] = in->pw_second[j];
    }
}

static void pq_tick(void *self, const void *inputs) {
    PQueue *m = self;
    const PQueueIn *in = inputs;
    const uint64_t flushed = pq_flushed(in), closed = m->draining | flushed;
    uint64_t popped = 0;
    uint32_t entering = 0;
    const int drained = pq_drained(m);
    for (int f = 0; f < m->fetches; f++) {
        const Entry *e = pq_found(m, in, f, closed);
        if (e && !e->waits) popped |= bit(in->fetch_warp[f]);
    }
    for (int p = 0; p < m->pushes; p++) entering |= (uint32_t)pq_accepts(m, in, p, closed) << p;

    pq_written(m, in);
    for (; popped; popped &= popped - 1) pq_drop_head(m, (uint32_t)__builtin_ctzll(popped));
    if (drained != NO_WARP) pq_drain(m, drained);
    for (int p = 0; p < m->pushes; p++)
        if (entering >> p & 1) pq_append(m, in, p);
    if (in->start_valid[0]) m->queue[in->start_warp[0]].base = in->start_pc[0];
    m->draining |= flushed & m->filled;
}

static uint32_t pq_obs_count(void *self) {
    const PQueue *m = self;
    return (uint32_t)(m->warps * (m->depth + 1) + 1);
}

static void pq_show(const PQueue *m, const Entry *e, uint32_t *words) {
    words[0] = 1u | (~(uint32_t)e->waits & 7) << 1 | (uint32_t)e->pred << 4 |
        ((uint32_t)e->offset & m->offset_mask) << 5 | (uint32_t)e->dst << 17 |
        (uint32_t)e->src0 << 23;
    words[1] = e->src1 | (uint32_t)e->phy[0] << 8 | (uint32_t)e->phy[e->pair] << 16 |
        (uint32_t)e->seq << 24;
    if (!e->pred || e->waits >> PREDICATES & 1) return;
    words[2] = e->value[0];
    words[3] = e->value[1];
}

static void pq_observe(void *self, uint32_t addr, uint32_t *words) {
    PQueue *m = self;
    const uint32_t entries = (uint32_t)(m->warps * m->depth), queues = entries + (uint32_t)m->warps;
    memset(words, 0, 4 * sizeof *words);
    if (addr < entries) {
        const Entry *e = pq_at(m, addr / (uint32_t)m->depth, addr % (uint32_t)m->depth);
        if (e) pq_show(m, e, words);
    } else if (addr < queues) {
        const uint32_t w = addr - entries;
        const Queue *q = &m->queue[w];
        const int head = q->count ? q->entry[0].place : q->next;
        words[0] = (uint32_t)head | (uint32_t)q->next << 8 | (uint32_t)(m->draining >> w & 1) << 16;
        words[1] = q->base;
    } else if (addr == queues) {
        if (m->half != NO_WARP) words[0] = 1u | (uint32_t)m->half << 1;
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel p_queue_model = {"p_queue", pq_open,      pq_close,   pq_reset, pq_eval,
                                  pq_tick,   pq_obs_count, pq_observe, 4};
