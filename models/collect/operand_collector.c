// SPDX-License-Identifier: Apache-2.0
// Golden model of operand_collector. Written from the contract: an array of collectors and a list
// of the busy ones in order of age (append on allocation, remove on dispatch); every output comes
// from one walk along that list. As outputs depend on state alone, the walk is done once, when the
// state is new.
#include "models/collect/operand_collector.h"
#include "models/params.h"

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

// Small, so that all collectors share a few cache lines; their rows lie apart.
typedef struct Collector {
    bool busy;
    uint8_t unit;
    uint8_t need, granted, arrived;     // bit o: operand o
    int8_t ask;                         // operand presented, NONE: all are granted
    int8_t coming;                      // operand granted in the last cycle, NONE: none
    uint8_t bank[OC_MAX_OPS];
    uint16_t entry[OC_MAX_OPS];
} Collector;

typedef struct OperandCollector {
    int num_coll, num_ops, num_alloc, num_disp, banks;
    int params[PARAMS];
    uint32_t free;                      // bit c: collector c is free
    int busy;                           // length of order
    int order[OC_MAX_COLL];             // busy collectors, oldest first
    int ports, slot[OC_MAX_ALLOC];      // allocation ports that have a free collector; which
    int offer[OC_MAX_DISP];             // collector offered to each unit, NONE: none
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

// Offers c to its unit when it is ready; called oldest first, so the first offer of a unit stays.
static void oc_offer(OperandCollector *m, int c) {
    const Collector *k = &m->coll[c];
    if (oc_ready(k) && k->unit < (uint32_t)m->num_disp && m->offer[k->unit] == NONE)
        m->offer[k->unit] = c;
}

// The (a+1)-th lowest free collector for each allocation port a.
static void oc_slots(OperandCollector *m) {
    uint32_t free = m->free;
    for (m->ports = 0; free && m->ports < m->num_alloc; free &= free - 1)
        m->slot[m->ports++] = __builtin_ctz(free);
}

static void oc_reset(void *self) {
    OperandCollector *m = self;
    m->busy = 0;
    m->free = UINT32_MAX >> (OC_MAX_COLL - m->num_coll);
    for (int c = 0; c < m->num_coll; c++) m->coll[c].busy = false;
    for (int d = 0; d < m->num_disp; d++) m->offer[d] = NONE;
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

static void oc_eval(void *self, const void *inputs, void *outputs) {
    const OperandCollector *m = self;
    OperandCollectorOut *out = outputs;
    (void)inputs;  // all outputs depend on state alone
    out->alloc_ready[0] = (1u << m->ports) - 1;
    for (int a = 0; a < m->ports; a++) out->alloc_slot[a] = (uint32_t)m->slot[a];

    uint32_t before = 0;
    out->rd_valid[0] = 0;
    for (int c = 0; c < m->num_coll; c++) out->older[c] = 0;
    for (int i = 0; i < m->busy; i++) {
        const int c = m->order[i], o = m->coll[c].ask;
        out->older[c] = before;
        before |= 1u << c;
        if (o == NONE) continue;
        out->rd_valid[0] |= 1u << c;
        out->rd_bank[c] = m->coll[c].bank[o];
        out->rd_entry[c] = m->coll[c].entry[o];
    }

    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        if (m->offer[d] == NONE) continue;
        const Collector *k = &m->coll[m->offer[d]];
        out->disp_valid[0] |= 1u << d;
        out->disp_slot[d] = (uint32_t)m->offer[d];
        out->disp_need[0] |= k->need << d * m->num_ops;
        for (int o = 0; o < m->num_ops; o++)
            if (k->need >> o & 1)
                memcpy(out->disp_data[d * m->num_ops + o], m->row[m->offer[d]][o], 128);
    }
}

static void oc_collect(OperandCollector *m, const OperandCollectorIn *in) {
    for (int b = 0; b < m->banks; b++) {
        if (!(in->rd_data_valid[0] >> b & 1) || in->rd_data_coll[b] >= (uint32_t)m->num_coll)
            continue;
        Collector *k = &m->coll[in->rd_data_coll[b]];
        if (!k->busy || k->coming == NONE) continue;
        memcpy(m->row[in->rd_data_coll[b]][k->coming], in->rd_data[b], 128);
        k->arrived |= 1u << k->coming;
    }
}

// One walk along the busy ones: grants are noted, the next operand is presented, what was dispatched
// leaves, what is ready is offered.
static void oc_advance(OperandCollector *m, uint32_t grant, uint32_t leaving) {
    int kept = 0;
    for (int d = 0; d < m->num_disp; d++) m->offer[d] = NONE;
    for (int i = 0; i < m->busy; i++) {
        const int c = m->order[i];
        Collector *k = &m->coll[c];
        if (leaving >> c & 1) {
            k->busy = false;
            continue;
        }
        const int ask = k->ask;
        const bool granted = ask != NONE && grant >> c & 1;
        k->coming = granted ? (int8_t)ask : NONE;
        if (granted) k->granted |= (uint8_t)(1u << ask);
        k->ask = m->next[k->need & ~k->granted][ask + 1];
        m->order[kept++] = c;
        oc_offer(m, c);
    }
    m->busy = kept;
    m->free |= leaving;
}

static void oc_enter(OperandCollector *m, int c, int port, const OperandCollectorIn *in) {
    Collector *k = &m->coll[c];
    k->busy = true;
    k->unit = (uint8_t)in->alloc_unit[port];
    k->need = (uint8_t)(in->alloc_need[port] & ((1u << m->num_ops) - 1));
    k->granted = k->arrived = 0;
    k->ask = m->next[k->need][0];
    k->coming = NONE;
    for (int o = 0; o < m->num_ops; o++) {
        k->bank[o] = (uint8_t)in->alloc_bank[port * m->num_ops + o];
        k->entry[o] = (uint16_t)in->alloc_entry[port * m->num_ops + o];
    }
    m->order[m->busy++] = c;
    m->free &= ~(1u << c);
    oc_offer(m, c);
}

static void oc_tick(void *self, const void *inputs) {
    OperandCollector *m = self;
    const OperandCollectorIn *in = inputs;
    uint32_t leaving = 0;
    for (int d = 0; d < m->num_disp; d++)
        if (m->offer[d] != NONE && in->disp_ready[0] >> d & 1) leaving |= 1u << m->offer[d];
    oc_collect(m, in);
    oc_advance(m, in->rd_grant[0], leaving);
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
    words[0] = 1u | (uint32_t)k->need << STATUS_NEED | (uint32_t)k->granted << STATUS_GRANTED |
               (uint32_t)k->arrived << STATUS_ARRIVED |
               (k->ask == NONE ? 0u : (uint32_t)k->ask) << STATUS_NEXT |
               (uint32_t)k->unit << STATUS_UNIT;
    for (int i = 0; m->order[i] != c; i++) words[1] |= 1u << m->order[i];
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
