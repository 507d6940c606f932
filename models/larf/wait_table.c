// SPDX-License-Identifier: Apache-2.0
// Golden model of wait_table. Written from the contract: places in an array, searched from the
// lowest.
#include "models/larf/wait_table.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_TABLE_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Waiter {
    bool valid, there;
    uint32_t phys, warp, reg;
} Waiter;

typedef struct WaitTable {
    int params[PARAMS];
    Waiter waiter[WT_MAX_WAITERS];
    int held, there;  // waiters, and those whose value has arrived
} WaitTable;

static void wt_reset(void *self) {
    WaitTable *m = self;
    memset(m->waiter, 0, sizeof m->waiter);
    m->held = m->there = 0;
}

static void *wt_open(const int *params) {
    WaitTable *m = calloc(1, sizeof *m);
    if (m) memcpy(m->params, params, sizeof m->params);
    return m;
}

static void wt_close(void *self) { free(self); }

static Waiter *wt_free_place(WaitTable *m) {
    if (m->held == m->params[P_Waiters]) return NULL;
    for (int p = 0; p < m->params[P_Waiters]; p++)
        if (!m->waiter[p].valid) return &m->waiter[p];
    return NULL;
}

// Places that are woken in this cycle; returns their number.
static int wt_woken(const WaitTable *m, int place[WT_MAX_WR]) {
    int n = 0;
    const int most = m->there < m->params[P_NumWr] ? m->there : m->params[P_NumWr];
    for (int p = 0; n < most; p++)
        if (m->waiter[p].valid && m->waiter[p].there) place[n++] = p;
    return n;
}

static void wt_eval(void *self, const void *inputs, void *outputs) {
    WaitTable *m = self;
    WaitTableOut *out = outputs;
    int place[WT_MAX_WR];
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->en_ready[0] = wt_free_place(m) != NULL;
    const int woken = wt_woken(m, place);
    for (int k = 0; k < woken; k++) {
        out->wk_valid[0] |= 1u << k;
        out->wk_warp[k] = m->waiter[place[k]].warp;
        out->wk_reg[k] = m->waiter[place[k]].reg;
    }
}

static void wt_arrive(WaitTable *m, uint32_t phys) {
    for (int p = 0; p < m->params[P_Waiters]; p++) {
        Waiter *w = &m->waiter[p];
        if (!w->valid || w->there || w->phys != phys) continue;
        w->there = true;
        m->there++;
    }
}

static void wt_tick(void *self, const void *inputs) {
    WaitTable *m = self;
    const WaitTableIn *in = inputs;
    int place[WT_MAX_WR];
    if (in->cl_valid[0]) {
        wt_reset(m);
        return;
    }
    Waiter *fresh = wt_free_place(m);
    const int woken = wt_woken(m, place);
    m->held -= woken, m->there -= woken;
    for (int k = 0; k < woken; k++) memset(&m->waiter[place[k]], 0, sizeof m->waiter[0]);
    if (in->en_valid[0] && fresh) {
        *fresh = (Waiter){true, false, in->en_phys[0], in->en_warp[0], in->en_reg[0]};
        m->held++;
    }
    for (int w = 0; w < m->params[P_NumWr]; w++)
        if (in->arr_valid[0] >> w & 1) wt_arrive(m, in->arr_phys[w]);
}

static uint32_t wt_obs_count(void *self) {
    const WaitTable *m = self;
    return (uint32_t)m->params[P_Waiters];
}

static void wt_observe(void *self, uint32_t addr, uint32_t *words) {
    const WaitTable *m = self;
    words[0] = words[1] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < (uint32_t)m->params[P_Waiters] && m->waiter[addr].valid) {
        const Waiter *w = &m->waiter[addr];
        words[0] = 1u << 31 | (uint32_t)w->there << 30 | w->phys;
        words[1] = w->warp << 8 | w->reg;
    }
}

const BlockModel wait_table_model = {"wait_table", wt_open,      wt_close,   wt_reset, wt_eval,
                                     wt_tick,      wt_obs_count, wt_observe, 2};
