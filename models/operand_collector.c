// SPDX-License-Identifier: Apache-2.0
// Golden model of operand_collector. Written from the contract: an array of collectors and a list of the
// busy ones in order of age (append on allocation, remove on dispatch); every output is one walk along
// that list.
#include "models/operand_collector.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };
// Bits of the observed status word.
enum { STATUS_NEED = 1, STATUS_GRANTED = 4, STATUS_ARRIVED = 7, STATUS_NEXT = 10, STATUS_UNIT = 12 };

typedef struct Collector {
    bool busy;
    uint32_t unit;
    uint32_t need, granted, arrived;    // bit o: operand o
    uint32_t bank[OC_MAX_OPS], entry[OC_MAX_OPS];
    int last;                           // operand asked for most recently, NONE before the first request
    int coming;                         // operand granted in the last cycle, NONE: none
    uint32_t row[OC_MAX_OPS][32];
} Collector;

typedef struct OperandCollector {
    int num_coll, num_ops, num_alloc, num_disp, banks;
    int params[6];
    int busy;                           // length of order
    int order[OC_MAX_COLL];             // busy collectors, oldest first
    Collector coll[OC_MAX_COLL];
} OperandCollector;

static void oc_reset(void *self) {
    OperandCollector *m = self;
    m->busy = 0;
    for (int c = 0; c < m->num_coll; c++) m->coll[c].busy = false;
}

static void *oc_open(const int *params) {
    OperandCollector *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->num_coll = params[0], m->num_ops = params[1], m->num_alloc = params[2];
    m->num_disp = params[3], m->banks = params[4];
    return m;
}

static void oc_close(void *self) { free(self); }

static bool oc_ready(const Collector *k) { return (k->need & ~k->arrived) == 0; }

// The operand a busy collector presents: the first outstanding one after the last it asked for, cyclically.
static int oc_presented(const OperandCollector *m, const Collector *k) {
    const uint32_t open = k->need & ~k->granted;
    if (!open) return NONE;
    int o = k->last;
    do o = o + 1 < m->num_ops ? o + 1 : 0;
    while (!(open >> o & 1));
    return o;
}

// The (a+1)-th lowest free collector for each port a that has one; the count of ports with one.
static int oc_free_slots(const OperandCollector *m, int slot[OC_MAX_ALLOC]) {
    int found = 0;
    for (int c = 0; c < m->num_coll && found < m->num_alloc; c++)
        if (!m->coll[c].busy) slot[found++] = c;
    return found;
}

// The oldest ready collector of each unit.
static void oc_dispatch(const OperandCollector *m, int slot[OC_MAX_DISP]) {
    for (int d = 0; d < m->num_disp; d++) slot[d] = NONE;
    for (int i = 0; i < m->busy; i++) {
        const Collector *k = &m->coll[m->order[i]];
        if (k->unit < (uint32_t)m->num_disp && slot[k->unit] == NONE && oc_ready(k))
            slot[k->unit] = m->order[i];
    }
}

static void oc_eval(void *self, const void *inputs, void *outputs) {
    const OperandCollector *m = self;
    OperandCollectorOut *out = outputs;
    (void)inputs;  // all outputs depend on state alone
    int slot[OC_MAX_ALLOC], disp[OC_MAX_DISP];
    const int ports = oc_free_slots(m, slot);
    out->alloc_ready[0] = (1u << ports) - 1;
    for (int a = 0; a < ports; a++) out->alloc_slot[a] = (uint32_t)slot[a];

    uint32_t before = 0;
    out->rd_valid[0] = 0;
    for (int c = 0; c < m->num_coll; c++) out->older[c] = 0;
    for (int i = 0; i < m->busy; i++) {
        const int c = m->order[i], o = oc_presented(m, &m->coll[c]);
        out->older[c] = before;
        before |= 1u << c;
        if (o == NONE) continue;
        out->rd_valid[0] |= 1u << c;
        out->rd_bank[c] = m->coll[c].bank[o];
        out->rd_entry[c] = m->coll[c].entry[o];
    }

    oc_dispatch(m, disp);
    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        if (disp[d] == NONE) continue;
        const Collector *k = &m->coll[disp[d]];
        out->disp_valid[0] |= 1u << d;
        out->disp_slot[d] = (uint32_t)disp[d];
        out->disp_need[0] |= k->need << d * m->num_ops;
        for (int o = 0; o < m->num_ops; o++)
            if (k->need >> o & 1) memcpy(out->disp_data[d * m->num_ops + o], k->row[o], 128);
    }
}

static void oc_collect(OperandCollector *m, const OperandCollectorIn *in) {
    for (int b = 0; b < m->banks; b++) {
        if (!(in->rd_data_valid[0] >> b & 1) || in->rd_data_coll[b] >= (uint32_t)m->num_coll) continue;
        Collector *k = &m->coll[in->rd_data_coll[b]];
        if (!k->busy || k->coming == NONE) continue;
        memcpy(k->row[k->coming], in->rd_data[b], 128);
        k->arrived |= 1u << k->coming;
    }
}

static void oc_request(OperandCollector *m, uint32_t grant) {
    for (int i = 0; i < m->busy; i++) {
        const int c = m->order[i];
        Collector *k = &m->coll[c];
        const int o = oc_presented(m, k);
        k->coming = NONE;
        if (o == NONE) continue;
        k->last = o;
        if (!(grant >> c & 1)) continue;
        k->granted |= 1u << o;
        k->coming = o;
    }
}

static void oc_leave(OperandCollector *m, int c) {
    int kept = 0;
    m->coll[c].busy = false;
    for (int i = 0; i < m->busy; i++)
        if (m->order[i] != c) m->order[kept++] = m->order[i];
    m->busy = kept;
}

static void oc_enter(OperandCollector *m, int c, int port, const OperandCollectorIn *in) {
    Collector *k = &m->coll[c];
    k->busy = true;
    k->unit = in->alloc_unit[port];
    k->need = in->alloc_need[port];
    k->granted = k->arrived = 0;
    k->last = k->coming = NONE;
    for (int o = 0; o < m->num_ops; o++) {
        k->bank[o] = in->alloc_bank[port * m->num_ops + o];
        k->entry[o] = in->alloc_entry[port * m->num_ops + o];
    }
    m->order[m->busy++] = c;
}

static void oc_tick(void *self, const void *inputs) {
    OperandCollector *m = self;
    const OperandCollectorIn *in = inputs;
    int slot[OC_MAX_ALLOC], disp[OC_MAX_DISP];
    const int ports = oc_free_slots(m, slot);  // before anything leaves: a freed one is for the next cycle
    oc_dispatch(m, disp);
    oc_collect(m, in);
    oc_request(m, in->rd_grant[0]);
    for (int d = 0; d < m->num_disp; d++)
        if (disp[d] != NONE && in->disp_ready[0] >> d & 1) oc_leave(m, disp[d]);
    for (int a = 0; a < ports; a++)
        if (in->alloc_valid[0] >> a & 1) oc_enter(m, slot[a], a, in);
}

static uint32_t oc_obs_count(void *self) {
    const OperandCollector *m = self;
    return (uint32_t)(m->num_coll * (1 + m->num_ops));
}

static void oc_observe_status(const OperandCollector *m, int c, uint32_t *words) {
    const Collector *k = &m->coll[c];
    if (!k->busy) return;
    const int o = oc_presented(m, k);
    words[0] = 1u | k->need << STATUS_NEED | k->granted << STATUS_GRANTED | k->arrived << STATUS_ARRIVED |
               (o == NONE ? 0u : (uint32_t)o) << STATUS_NEXT | k->unit << STATUS_UNIT;
    for (int i = 0; m->order[i] != c; i++) words[1] |= 1u << m->order[i];
    for (int i = 0; i < m->num_ops; i++)
        if (k->need >> i & 1) words[2 + i] = k->bank[i] << 16 | k->entry[i];
}

static void oc_observe(void *self, uint32_t addr, uint32_t *words) {
    const OperandCollector *m = self;
    memset(words, 0, 128);
    if (addr < (uint32_t)m->num_coll) {
        oc_observe_status(m, (int)addr, words);
    } else if (addr < oc_obs_count(self)) {
        const int row = (int)addr - m->num_coll, o = row % m->num_ops;
        const Collector *k = &m->coll[row / m->num_ops];
        if (k->busy && k->arrived >> o & 1) memcpy(words, k->row[o], 128);
    } else if (addr - BLOCK_OBS_PARAM < 6) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel operand_collector_model = {
    "operand_collector", oc_open, oc_close, oc_reset, oc_eval, oc_tick, oc_obs_count, oc_observe, 32,
};
