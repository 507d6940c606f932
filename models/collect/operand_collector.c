// SPDX-License-Identifier: Apache-2.0
// Golden model of operand_collector. Written from the contract: an array of collectors, each with the set of
// those that are older, which is the order of age (all busy ones on allocation, less what is dispatched). Outputs
// depend on state alone: they are kept as they are presented, and a clock edge changes them only for the
// collectors that it concerns (a grant, a value, another operand to present, a dispatch).
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

// Small, so that all collectors share a few cache lines; their rows lie apart. No member is a byte: a compiler takes
// what is stored through a byte for anything, and loads all else again.
typedef struct Collector {
    uint16_t busy, unit;
    uint16_t need, open, arrived;       // bit o: operand o; open: not granted
    int16_t ask;                        // operand presented, NONE: all are granted
    int16_t coming;                     // operand granted in the last cycle
    uint16_t bank[OC_MAX_OPS], entry[OC_MAX_OPS];
} Collector;

typedef struct OperandCollector {
    int num_coll, num_ops, num_alloc, num_disp, banks;
    int params[PARAMS];
    uint32_t free;                      // bit c: collector c is free
    int ports, slot[OC_MAX_ALLOC];      // allocation ports that have a free collector; which
    // Sets of busy collectors.
    uint32_t asking;                    // present an operand
    uint32_t choosing;                  // .. and have more than that one outstanding
    uint32_t coming;                    // were granted one in the last cycle
    uint32_t ready[OC_MAX_DISP];        // by unit: have all their operands
    // What is presented, as the outputs have it.
    uint32_t rd_bank[OC_MAX_COLL], rd_entry[OC_MAX_COLL], older[OC_MAX_COLL];
    // Operand to present: [outstanding operands][the one presented last + 1].
    int8_t next[1 << OC_MAX_OPS][OC_MAX_OPS + 1];
    Collector coll[OC_MAX_COLL];
    uint32_t row[OC_MAX_COLL][OC_MAX_OPS][32];
} OperandCollector;

static bool oc_ready(const Collector *k) { return (k->need & ~k->arrived) == 0; }

// The operand to present after operand `last` was: the first outstanding one after it, cyclically.
static int8_t oc_next(const OperandCollector *m, uint32_t open, int last) {
    if (!open) return NONE;
    int o = last;
    do o = o + 1 < m->num_ops ? o + 1 : 0;
    while (!(open >> o & 1));
    return (int8_t)o;
}

// The (a+1)-th lowest free collector for each allocation port a.
static void oc_slots(OperandCollector *m) {
    uint32_t free = m->free;
    for (m->ports = 0; free && m->ports < m->num_alloc; free &= free - 1)
        m->slot[m->ports++] = __builtin_ctz(free);
}

static void oc_reset(void *self) {
    OperandCollector *m = self;
    m->free = UINT32_MAX >> (OC_MAX_COLL - m->num_coll);
    m->asking = m->choosing = m->coming = 0;
    for (int c = 0; c < m->num_coll; c++) m->coll[c].busy = false;
    memset(m->ready, 0, sizeof m->ready);
    memset(m->rd_bank, 0, sizeof m->rd_bank);
    memset(m->rd_entry, 0, sizeof m->rd_entry);
    memset(m->older, 0, sizeof m->older);
    oc_slots(m);
}

static void *oc_open(const int *params) {
    OperandCollector *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->num_coll = params[P_NumColl], m->num_ops = params[P_NumOps], m->num_alloc = params[P_NumAlloc];
    m->num_disp = params[P_NumDisp], m->banks = params[P_Banks];
    for (uint32_t open = 0; open < 1u << m->num_ops; open++)
        for (int last = NONE; last < m->num_ops; last++)
            m->next[open][last + 1] = oc_next(m, open, last);
    oc_reset(m);
    return m;
}

static void oc_close(void *self) { free(self); }

// The collector offered to unit d, the oldest that is ready; NONE: none is.
static int oc_offered(const OperandCollector *m, int d) {
    for (uint32_t left = m->ready[d]; left; left &= left - 1)
        if (!(m->older[__builtin_ctz(left)] & m->ready[d])) return __builtin_ctz(left);
    return NONE;
}

static void oc_eval(void *self, const void *inputs, void *outputs) {
    const OperandCollector *m = self;
    OperandCollectorOut *out = outputs;
    (void)inputs;  // all outputs depend on state alone
    out->alloc_ready[0] = (1u << m->ports) - 1;
    for (int a = 0; a < m->ports; a++) out->alloc_slot[a] = (uint32_t)m->slot[a];

    out->rd_valid[0] = m->asking;
    row_copy(out->rd_bank, m->rd_bank);
    row_copy(out->rd_entry, m->rd_entry);
    row_copy(out->older, m->older);

    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        const int c = oc_offered(m, d);
        if (c == NONE) continue;
        const Collector *k = &m->coll[c];
        out->disp_valid[0] |= 1u << d;
        out->disp_slot[d] = (uint32_t)c;
        out->disp_need[0] |= (uint32_t)k->need << d * m->num_ops;
        for (uint32_t left = k->need; left; left &= left - 1)
            row_copy(out->disp_data[d * m->num_ops + __builtin_ctz(left)], m->row[c][__builtin_ctz(left)]);
    }
}

static void oc_settle(OperandCollector *m, int c) {
    const Collector *k = &m->coll[c];
    if (oc_ready(k) && k->unit < (uint32_t)m->num_disp) m->ready[k->unit] |= 1u << c;
}

// Presents the next outstanding operand after the one presented last.
static void oc_present(OperandCollector *m, int c) {
    Collector *k = &m->coll[c];
    const uint32_t open = k->open, me = 1u << c;
    const int ask = k->ask = m->next[open][k->ask + 1];
    m->asking = open ? m->asking | me : m->asking & ~me;
    m->choosing = open & (open - 1) ? m->choosing | me : m->choosing & ~me;
    if (!open) return;
    m->rd_bank[c] = k->bank[ask];
    m->rd_entry[c] = k->entry[ask];
}

// Values for the operands that were granted in the last cycle.
static void oc_collect(OperandCollector *m, const OperandCollectorIn *in) {
    uint32_t valid = in->rd_data_valid[0];
    if (m->banks < 32) valid &= (1u << m->banks) - 1;
    for (; valid; valid &= valid - 1) {
        const int b = __builtin_ctz(valid);
        const uint32_t c = in->rd_data_coll[b];
        if (c >= (uint32_t)m->num_coll || !(m->coming >> c & 1)) continue;
        Collector *k = &m->coll[c];
        row_copy(m->row[c][k->coming], in->rd_data[b]);
        k->arrived |= (uint16_t)(1u << k->coming);
        oc_settle(m, (int)c);
    }
}

// Grants are noted, and those that present an operand and have others outstanding present the next one.
static void oc_advance(OperandCollector *m, uint32_t grant) {
    grant &= m->asking;
    m->coming = grant;
    for (uint32_t left = m->choosing & ~grant; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        Collector *k = &m->coll[c];
        const int ask = m->next[k->open][k->ask + 1];
        k->ask = (int16_t)ask;
        m->rd_bank[c] = k->bank[ask];
        m->rd_entry[c] = k->entry[ask];
    }
    for (; grant; grant &= grant - 1) {
        const int c = __builtin_ctz(grant);
        Collector *k = &m->coll[c];
        k->coming = k->ask;
        k->open &= (uint16_t)~(1u << k->ask);
        oc_present(m, c);
    }
}

// What was dispatched leaves, and is older than nothing.
static void oc_leave(OperandCollector *m, uint32_t leaving) {
    m->free |= leaving;
    m->asking &= ~leaving;
    m->choosing &= ~leaving;
    m->coming &= ~leaving;
    for (int c = 0; c < OC_MAX_COLL; c++) m->older[c] &= ~leaving;
    for (; leaving; leaving &= leaving - 1) {
        const int c = __builtin_ctz(leaving);
        m->coll[c].busy = false;
        m->ready[m->coll[c].unit] &= ~(1u << c);
        m->older[c] = 0;
    }
}

static void oc_enter(OperandCollector *m, int c, int port, const OperandCollectorIn *in) {
    Collector *k = &m->coll[c];
    const uint32_t *bank = &in->alloc_bank[port * m->num_ops], *entry = &in->alloc_entry[port * m->num_ops];
    k->busy = true;
    k->unit = (uint16_t)in->alloc_unit[port];
    k->need = (uint16_t)(in->alloc_need[port] & ((1u << m->num_ops) - 1));
    k->open = k->need;
    k->arrived = 0;
    k->ask = NONE;
    for (int o = 0; o < m->num_ops; o++) {
        k->bank[o] = (uint16_t)bank[o];
        k->entry[o] = (uint16_t)entry[o];
    }
    m->older[c] = UINT32_MAX >> (OC_MAX_COLL - m->num_coll) & ~m->free;
    m->free &= ~(1u << c);
    oc_present(m, c);
    oc_settle(m, c);
}

static void oc_tick(void *self, const void *inputs) {
    OperandCollector *m = self;
    const OperandCollectorIn *in = inputs;
    uint32_t leaving = 0;
    for (uint32_t left = in->disp_ready[0]; left; left &= left - 1) {
        const int d = __builtin_ctz(left), c = d < m->num_disp ? oc_offered(m, d) : NONE;
        if (c != NONE) leaving |= 1u << c;
    }
    oc_collect(m, in);
    oc_advance(m, in->rd_grant[0]);
    if (leaving) oc_leave(m, leaving);
    // m->slot is from before anything left: a freed collector is for the next cycle.
    for (int a = 0; a < m->ports; a++)
        if (in->alloc_valid[0] >> a & 1) oc_enter(m, m->slot[a], a, in);
    oc_slots(m);
}

static uint32_t oc_obs_count(void *self) {
    const OperandCollector *m = self;
    return (uint32_t)(m->num_coll * (1 + m->num_ops));
}

static void oc_observe_status(const OperandCollector *m, int c, uint32_t *words) {
    const Collector *k = &m->coll[c];
    if (!k->busy) return;
    words[0] = 1u | (uint32_t)k->need << STATUS_NEED | (uint32_t)(k->need & ~k->open) << STATUS_GRANTED |
               (uint32_t)k->arrived << STATUS_ARRIVED |
               (k->ask == NONE ? 0u : (uint32_t)k->ask) << STATUS_NEXT |
               (uint32_t)k->unit << STATUS_UNIT;
    words[1] = m->older[c];
    for (int i = 0; i < m->num_ops; i++)
        if (k->need >> i & 1) words[2 + i] = (uint32_t)k->bank[i] << 16 | k->entry[i];
}

static void oc_observe(void *self, uint32_t addr, uint32_t *words) {
    const OperandCollector *m = self;
    memset(words, 0, 128);
    if (addr < (uint32_t)m->num_coll) {
        oc_observe_status(m, (int)addr, words);
    } else if (addr < oc_obs_count(self)) {
        const int row = (int)addr - m->num_coll, o = row % m->num_ops;
        const Collector *k = &m->coll[row / m->num_ops];
        if (k->busy && k->arrived >> o & 1) memcpy(words, m->row[row / m->num_ops][o], 128);
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel operand_collector_model = {
    "operand_collector", oc_open, oc_close,     oc_reset,   oc_eval,
    oc_tick,             oc_obs_count, oc_observe, 32,
};
