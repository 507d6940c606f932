// SPDX-License-Identifier: Apache-2.0
// Golden model of operand_collector. The state is kept as sets of collectors, one set per operand
// or unit, so that a clock edge advances all collectors at once by operations on sets. The age
// order is a set of older collectors for each collector: all busy ones on allocation, less the
// dispatched ones. Outputs depend on state alone.
#include "models/collect/operand_collector.h"
#include "models/params.h"
#include "models/rows.h"

#include <stdlib.h>
#include <string.h>

enum { OPERAND_COLLECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1 };
// Bits of the observed status word.
enum {
    STATUS_NEED = 1,
    STATUS_GRANTED = 4,
    STATUS_ARRIVED = 7,
    STATUS_NEXT = 10,
    STATUS_UNIT = 12,
};

_Static_assert((int)OC_MAX_OPS == 3 && (int)OC_MAX_COLL == 32,
               "oc_next; a set of collectors is a word");

typedef struct OperandCollector {
    int num_coll, num_ops, num_alloc, num_disp, banks;
    int params[PARAMS];
    uint32_t free;                  // bit c: collector c is free
    int ports, slot[OC_MAX_ALLOC];  // allocation ports that have a free collector; which
    bool decided;                   // `offered` is of this cycle
    // by unit: the collector offered to it, the oldest that is complete; NONE
    int offered[OC_MAX_DISP];
    // By operand, sets of collectors. A free collector is in none but `need`.
    uint32_t need[OC_MAX_OPS];
    uint32_t open[OC_MAX_OPS];     // need it and were not granted it
    uint32_t asks[OC_MAX_OPS];     // present it: one of the open ones
    uint32_t coming[OC_MAX_OPS];   // were granted it in the last cycle
    uint32_t missing[OC_MAX_OPS];  // need it, and it has not arrived
    uint32_t waits[OC_MAX_DISP];   // by unit: busy collectors
    uint32_t unit[OC_MAX_COLL];
    uint32_t older[OC_MAX_COLL];
    uint32_t place[OC_MAX_OPS][OC_MAX_COLL];  // bank << 16 | entry
    uint32_t at[OC_MAX_COLL];                 // that of the operand presented, 0: none is
    uint32_t row[OC_MAX_COLL][OC_MAX_OPS][32] __attribute__((aligned(64)));
} OperandCollector;

// Some collectors at a time.
static RowPart *oc_part(uint32_t *of, int q) { return (RowPart *)of + q; }
static const RowPart *oc_const_part(const uint32_t *of, int q) { return (const RowPart *)of + q; }
#define FOUR(b) 1u << (b), 2u << (b), 4u << (b), 8u << (b)
static const uint32_t oc_collectors[OC_MAX_COLL] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                                    FOUR(16), FOUR(20), FOUR(24), FOUR(28)};

static uint32_t bit_if(bool yes, uint32_t bit) { return -(uint32_t)yes & bit; }

// The (a+1)-th lowest free collector for each allocation port a.
static void oc_slots(OperandCollector *m) {
    uint32_t free = m->free;
    for (m->ports = 0; free && m->ports < m->num_alloc; free &= free - 1)
        m->slot[m->ports++] = __builtin_ctz(free);
}

static void oc_reset(void *self) {
    OperandCollector *m = self;
    m->free = UINT32_MAX >> (OC_MAX_COLL - m->num_coll);
    m->decided = false;
    memset(m->open, 0, sizeof m->open);
    memset(m->asks, 0, sizeof m->asks);
    memset(m->coming, 0, sizeof m->coming);
    memset(m->missing, 0, sizeof m->missing);
    memset(m->waits, 0, sizeof m->waits);
    memset(m->at, 0, sizeof m->at);
    memset(m->older, 0, sizeof m->older);
    oc_slots(m);
}

static void *oc_open(const int *params) {
    OperandCollector *m = rows_alloc(sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->num_coll = params[P_NumColl], m->num_ops = params[P_NumOps],
    m->num_alloc = params[P_NumAlloc];
    m->num_disp = params[P_NumDisp], m->banks = params[P_Banks];
    oc_reset(m);
    return m;
}

static void oc_close(void *self) { free(self); }

// Collectors for which no operand is missing.
static uint32_t oc_complete(const OperandCollector *m) {
    return ~(m->missing[0] | m->missing[1] | m->missing[2]);
}

// The offer to each unit. The clock edge of a cycle needs the same offers as its evaluation.
static const int *oc_offered(OperandCollector *m) {
    const uint32_t complete = oc_complete(m);
    for (int d = 0; d < m->num_disp && !m->decided; d++) {
        const uint32_t ready = m->waits[d] & complete;
        const uint32_t oldest = ready ? ready & row_without(m->older, ready) : 0;
        m->offered[d] = oldest ? __builtin_ctz(oldest) : NONE;
    }
    m->decided = true;
    return m->offered;
}

static void oc_places(const OperandCollector *m, OperandCollectorOut *out) {
    for (int q = 0; ROW_PART * q < m->num_coll; q++) {
        const RowPart at = *oc_const_part(m->at, q);
        *oc_part(out->rd_bank, q) = at >> 16;
        *oc_part(out->rd_entry, q) = at & 0xffff;
    }
}

static void oc_eval(void *self, const void *inputs, void *outputs) {
    OperandCollector *m = self;
    OperandCollectorOut *out = outputs;
    (void)inputs;  // all outputs depend on state alone
    out->alloc_ready[0] = (1u << m->ports) - 1;
    for (int a = 0; a < m->ports; a++) out->alloc_slot[a] = (uint32_t)m->slot[a];

    out->rd_valid[0] = m->asks[0] | m->asks[1] | m->asks[2];
    if (out->rd_valid[0]) oc_places(m, out);
    row_copy(out->older, m->older);

    out->disp_valid[0] = out->disp_need[0] = 0;
    const int *offered = oc_offered(m);
    for (int d = 0; d < m->num_disp; d++) {
        const int c = offered[d];
        if (c == NONE) continue;
        out->disp_valid[0] |= 1u << d;
        out->disp_slot[d] = (uint32_t)c;
        for (int o = 0; o < m->num_ops; o++) {
            if (!(m->need[o] >> c & 1)) continue;
            out->disp_need[0] |= 1u << (d * m->num_ops + o);
            row_copy(out->disp_data[d * m->num_ops + o], m->row[c][o]);
        }
    }
}

// Values for the operands that were granted in the last cycle.
static void oc_collect(OperandCollector *m, const OperandCollectorIn *in) {
    const uint32_t coming = m->coming[0] | m->coming[1] | m->coming[2];
    uint32_t valid = in->rd_data_valid[0];
    if (m->banks < 32) valid &= (1u << m->banks) - 1;
    for (; valid; valid &= valid - 1) {
        const int b = __builtin_ctz(valid);
        const uint32_t c = in->rd_data_coll[b];
        if (c >= (uint32_t)m->num_coll || !(coming >> c & 1)) continue;
        const uint32_t o = (m->coming[1] >> c & 1) + (m->coming[2] >> c & 1) * 2;
        row_copy(m->row[c][o], in->rd_data[b]);
        m->missing[o] &= ~(1u << c);
    }
}

// The operand that each collector presents next: of those open the first one behind the one that it
// presents now, in a circle.
static void oc_next(OperandCollector *m) {
    const uint32_t *open = m->open;
    uint32_t next[OC_MAX_OPS] = {0};
#pragma GCC unroll 3
    for (int now = 0; now < OC_MAX_OPS; now++) {
        const int second = (now + 1) % OC_MAX_OPS, third = (now + 2) % OC_MAX_OPS;
        const uint32_t of = m->asks[now];
        next[second] |= of & open[second];
        next[third] |= of & ~open[second] & open[third];
        next[now] |= of & ~open[second] & ~open[third] & open[now];
    }
    for (int q = 0; ROW_PART * q < m->num_coll; q++) {
        const RowPart me = *oc_const_part(oc_collectors, q);
        *oc_part(m->at, q) = (((next[0] & me) == me) & *oc_const_part(m->place[0], q)) |
            (((next[1] & me) == me) & *oc_const_part(m->place[1], q)) |
            (((next[2] & me) == me) & *oc_const_part(m->place[2], q));
    }
    for (int o = 0; o < OC_MAX_OPS; o++) m->asks[o] = next[o];
}

// Grants are noted, and all present their next operand.
static void oc_advance(OperandCollector *m, uint32_t grant) {
    if (!(m->asks[0] | m->asks[1] | m->asks[2])) {
        memset(m->coming, 0, sizeof m->coming);
        return;
    }
    for (int o = 0; o < OC_MAX_OPS; o++) {
        m->coming[o] = m->asks[o] & grant;
        m->open[o] &= ~m->coming[o];
    }
    oc_next(m);
}

// Dispatched collectors become free and leave all sets of older ones.
static void oc_leave(OperandCollector *m, uint32_t leaving) {
    m->free |= leaving;
    for (int d = 0; d < OC_MAX_DISP; d++) m->waits[d] &= ~leaving;
    for (int q = 0; ROW_PART * q < m->num_coll; q++) *oc_part(m->older, q) &= ~leaving;
    for (; leaving; leaving &= leaving - 1) m->older[__builtin_ctz(leaving)] = 0;
}

static void oc_enter(OperandCollector *m, int c, int port, const OperandCollectorIn *in) {
    const uint32_t *bank = &in->alloc_bank[port * m->num_ops],
                   *entry = &in->alloc_entry[port * m->num_ops];
    const uint32_t me = 1u << c, need = in->alloc_need[port] & ((1u << m->num_ops) - 1);
#pragma GCC unroll 3
    for (int o = 0; o < OC_MAX_OPS; o++) {  // of those that there are not, none is needed
        const uint32_t mine = bit_if(need >> o & 1, me);
        m->need[o] = (m->need[o] & ~me) | mine;
        m->open[o] |= mine;
        m->missing[o] |= mine;
        m->place[o][c] = bank[o] << 16 | (entry[o] & 0xffff);
    }
    if (need) {
        m->asks[__builtin_ctz(need)] |= me;
        m->at[c] = m->place[__builtin_ctz(need)][c];
    }
    m->unit[c] = in->alloc_unit[port];
    if (m->unit[c] < (uint32_t)m->num_disp) m->waits[m->unit[c]] |= me;
    m->older[c] = UINT32_MAX >> (OC_MAX_COLL - m->num_coll) & ~m->free;
    m->free &= ~me;
}

static void oc_tick(void *self, const void *inputs) {
    OperandCollector *m = self;
    const OperandCollectorIn *in = inputs;
    const int *offered = oc_offered(m);
    uint32_t leaving = 0;
    for (uint32_t left = in->disp_ready[0]; left; left &= left - 1) {
        const int d = __builtin_ctz(left), c = d < m->num_disp ? offered[d] : NONE;
        if (c != NONE) leaving |= 1u << c;
    }
    m->decided = false;  // of the next state
    oc_collect(m, in);
    oc_advance(m, in->rd_grant[0]);
    if (leaving) oc_leave(m, leaving);
    // m->slot precedes the dispatches: a freed collector is available in the next cycle.
    for (int a = 0; a < m->ports; a++)
        if (in->alloc_valid[0] >> a & 1) oc_enter(m, m->slot[a], a, in);
    oc_slots(m);
}

static uint32_t oc_obs_count(void *self) {
    const OperandCollector *m = self;
    return (uint32_t)(m->num_coll * (1 + m->num_ops));
}

// Of collector c, bit o: it is in set o.
static uint32_t oc_operands(const uint32_t set[OC_MAX_OPS], int c) {
    return (set[0] >> c & 1) | (set[1] >> c & 1) << 1 | (set[2] >> c & 1) << 2;
}

static void oc_observe_status(const OperandCollector *m, int c, uint32_t *words) {
    if (m->free >> c & 1) return;
    const uint32_t mine = (1u << m->num_ops) - 1, need = oc_operands(m->need, c) & mine,
                   asks = oc_operands(m->asks, c);
    words[0] = 1u | need << STATUS_NEED | (need & ~oc_operands(m->open, c)) << STATUS_GRANTED |
        (need & ~oc_operands(m->missing, c)) << STATUS_ARRIVED |
        (asks ? (uint32_t)__builtin_ctz(asks) : 0u) << STATUS_NEXT | m->unit[c] << STATUS_UNIT;
    words[1] = m->older[c];
    for (int o = 0; o < m->num_ops; o++)
        if (need >> o & 1) words[2 + o] = m->place[o][c];
}

static void oc_observe(void *self, uint32_t addr, uint32_t *words) {
    const OperandCollector *m = self;
    memset(words, 0, 128);
    if (addr < (uint32_t)m->num_coll) {
        oc_observe_status(m, (int)addr, words);
    } else if (addr < oc_obs_count(self)) {
        const int row = (int)addr - m->num_coll, c = row / m->num_ops, o = row % m->num_ops;
        if (!(m->free >> c & 1) && m->need[o] & ~m->missing[o] & 1u << c)
            memcpy(words, m->row[c][o], 128);
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel operand_collector_model = {
    "operand_collector", oc_open,    oc_close, oc_reset, oc_eval, oc_tick,
    oc_obs_count,        oc_observe, 32};
