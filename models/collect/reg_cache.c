// SPDX-License-Identifier: Apache-2.0
// Golden model of reg_cache. A cycle is first planned: the effect of each result and each read on
// the present state. Eval shows the plan, and tick carries the same plan out.
#include "models/collect/reg_cache.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { REG_CACHE_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1 };

typedef struct Held {
    bool valid;
    uint32_t bank, entry;
} Held;  // a place in the cache or in a buffer

typedef struct Cache {
    int params[PARAMS];
    int warps, ways, banks, num_coll, num_wr;
    int bank[RFC_MAX_WARPS * RFC_MAX_WAYS];  // of each row
    Held tag[RFC_MAX_WARPS * RFC_MAX_WAYS];
    int next[RFC_MAX_WARPS], first;
    Held buffer[RFC_MAX_WR];
    uint32_t leaving[RFC_MAX_WR][32];  // rows of the buffers
    // granted in the previous cycle; coll NONE: none
    int coll[RFC_MAX_BANKS], row_read[RFC_MAX_BANKS];
    uint32_t (*row)[32];
} Cache;

typedef enum Fate { NOTHING, WAITS, UPDATE, ALLOCATE, THROUGH } Fate;

typedef struct Plan {
    Fate fate[RFC_MAX_WR];
    int row[RFC_MAX_WR];          // that an update or an allocation writes
    uint32_t hit, evicts, taken;  // by port; evicts: when it is taken
    int first;
    uint32_t asked;  // cache banks that a result requests
    int coll[RFC_MAX_BANKS], row_read[RFC_MAX_BANKS];
    uint32_t misses;
    int killed;  // row, NONE
} Plan;

static void rc_reset(void *self) {
    Cache *m = self;
    memset(m->tag, 0, sizeof m->tag);
    memset(m->next, 0, sizeof m->next);
    memset(m->buffer, 0, sizeof m->buffer);
    m->first = 0;
    for (int b = 0; b < RFC_MAX_BANKS; b++) m->coll[b] = NONE;
}

static void *rc_open(const int *params) {
    Cache *m = calloc(1, sizeof *m);
    if (!m) abort();
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_Warps], m->ways = params[P_Ways], m->banks = params[P_Banks];
    m->num_coll = params[P_NumColl], m->num_wr = params[P_NumWr];
    int period = m->ways;  // rows after which banks and warps begin together
    while (period % m->banks) period += m->ways;
    for (int r = 0; r < m->warps * m->ways; r++) m->bank[r] = (r + r / period) % m->banks;
    m->row = calloc((size_t)m->warps * (size_t)m->ways, sizeof *m->row);
    if (!m->row) abort();
    rc_reset(m);
    return m;
}

static void rc_close(void *self) {
    free(((Cache *)self)->row);
    free(self);
}

static bool holds(const Held *h, uint32_t bank, uint32_t entry) {
    return h->valid && h->entry == entry && h->bank == bank;
}

// The row of the warp that holds the place, NONE.
static int find(const Cache *m, uint32_t warp, uint32_t bank, uint32_t entry) {
    const int from = (int)warp * m->ways;
    for (int r = from; r < from + m->ways; r++)
        if (holds(&m->tag[r], bank, entry)) return r;
    return NONE;
}

static bool buffered(const Cache *m, uint32_t bank, uint32_t entry) {
    for (int p = 0; p < m->num_wr; p++)
        if (holds(&m->buffer[p], bank, entry)) return true;
    return false;
}

// ---- the plan of a cycle ----

static void plan_result(const Cache *m, const RegCacheIn *in, int p, Plan *plan) {
    const uint32_t warp = in->wr_warp[p], bank = in->wr_bank[p], entry = in->wr_entry[p];
    const int found = find(m, warp, bank, entry);
    plan->hit |= (uint32_t)(found != NONE) << p;
    plan->row[p] = found != NONE ? found : (int)warp * m->ways + m->next[warp];
    plan->fate[p] = buffered(m, bank, entry) ? WAITS
        : found != NONE                      ? UPDATE
        : in->wr_whole[0] >> p & 1           ? ALLOCATE
                                             : THROUGH;
    if (plan->fate[p] == ALLOCATE) plan->evicts |= (uint32_t)m->tag[plan->row[p]].valid << p;
    if (plan->fate[p] == ALLOCATE || plan->fate[p] == UPDATE)
        plan->asked |= 1u << m->bank[plan->row[p]];
}

// The results that are taken, and the port that is first in the next cycle.
static void choose(const Cache *m, const RegCacheIn *in, Plan *plan) {
    uint32_t banks = 0;
    bool refused = false;
    for (int i = 0; i < m->num_wr; i++) {
        const int p = (m->first + i) % m->num_wr;
        const Fate fate = plan->fate[p];
        const bool written = in->rf_wr_ready[0] >> p & 1, full = m->buffer[p].valid;
        if (fate == THROUGH && !full && written) plan->taken |= 1u << p;
        if (fate != UPDATE && fate != ALLOCATE) continue;
        if (plan->evicts >> p & 1 && full && !written) continue;
        const uint32_t bank = 1u << m->bank[plan->row[p]];
        if (banks & bank) {
            if (!refused) plan->first = p;
            refused = true;
            continue;
        }
        banks |= bank;
        plan->taken |= 1u << p;
    }
}

static void plan_reads(const Cache *m, const RegCacheIn *in, Plan *plan) {
    int rank[RFC_MAX_BANKS];
    for (uint32_t left = in->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        if (buffered(m, in->rd_bank[c], in->rd_entry[c])) continue;
        const int row = find(m, in->rd_warp[c], in->rd_bank[c], in->rd_entry[c]);
        if (row == NONE) {
            plan->misses |= 1u << c;
            continue;
        }
        const int bank = m->bank[row];
        if (plan->asked >> bank & 1) continue;
        // The oldest is the one that the fewest others precede.
        const int before = __builtin_popcount(in->older[c] & in->rd_valid[0]);
        if (plan->coll[bank] != NONE && rank[bank] <= before) continue;
        plan->coll[bank] = c, plan->row_read[bank] = row, rank[bank] = before;
    }
}

static void make_plan(const Cache *m, const RegCacheIn *in, Plan *plan) {
    memset(plan, 0, sizeof *plan);
    plan->first = m->first;
    plan->killed = NONE;
    for (int b = 0; b < m->banks; b++) plan->coll[b] = NONE;
    for (uint32_t left = in->wr_valid[0]; left; left &= left - 1)
        plan_result(m, in, __builtin_ctz(left), plan);
    if (in->wr_valid[0]) choose(m, in, plan);
    plan_reads(m, in, plan);
    plan->evicts &= plan->taken;
    if (!in->kill_valid[0]) return;
    plan->killed = find(m, in->kill_warp[0], in->kill_bank[0], in->kill_entry[0]);
    for (uint32_t left = plan->evicts; left; left &= left - 1)
        if (plan->row[__builtin_ctz(left)] == plan->killed) plan->killed = NONE;
}

// ---- outputs ----

static void show_writes(const Cache *m, const RegCacheIn *in, const Plan *plan, RegCacheOut *out) {
    out->rf_wr_valid[0] = 0;
    for (int p = 0; p < m->num_wr; p++) {
        const Held *b = &m->buffer[p];
        if (!b->valid && plan->fate[p] != THROUGH) continue;
        out->rf_wr_valid[0] |= 1u << p;
        out->rf_wr_bank[p] = b->valid ? b->bank : in->wr_bank[p];
        out->rf_wr_entry[p] = b->valid ? b->entry : in->wr_entry[p];
        out->rf_wr_lane[p] = b->valid ? UINT32_MAX : in->wr_lane[p];
        memcpy(out->rf_wr_data[p], b->valid ? m->leaving[p] : in->wr_data[p], 128);
    }
}

static uint32_t rows_of(const Cache *m, int warp) {
    uint32_t n = 0;
    for (int k = 0; k < m->ways; k++) n += m->tag[warp * m->ways + k].valid;
    return n;
}

static void rc_eval(void *self, const void *vin, void *vout) {
    const Cache *m = self;
    const RegCacheIn *in = vin;
    RegCacheOut *out = vout;
    Plan plan;
    make_plan(m, in, &plan);
    out->rd_grant[0] = out->rd_data_valid[0] = 0;
    for (int b = 0; b < m->banks; b++) {
        if (plan.coll[b] != NONE) out->rd_grant[0] |= 1u << plan.coll[b];
        if (m->coll[b] == NONE) continue;
        out->rd_data_valid[0] |= 1u << b;
        out->rd_data_coll[b] = (uint32_t)m->coll[b];
        memcpy(out->rd_data[b], m->row[m->row_read[b]], 128);
    }
    out->rf_rd_valid[0] = plan.misses;
    out->wr_ready[0] = plan.taken;
    out->wr_hit[0] = plan.hit;
    out->evict[0] = plan.evicts;
    show_writes(m, in, &plan, out);
    out->killed[0] = plan.killed != NONE;
    out->dropped[0] = in->drop_valid[0] ? rows_of(m, (int)in->drop_warp[0]) : 0;
}

// ---- the clock edge ----

static void take_result(Cache *m, const RegCacheIn *in, int p, const Plan *plan) {
    const int row = plan->row[p], warp = (int)in->wr_warp[p];
    if (plan->fate[p] == THROUGH) return;
    if (plan->fate[p] == ALLOCATE) {
        if (plan->evicts >> p & 1) {
            m->buffer[p] = m->tag[row];
            memcpy(m->leaving[p], m->row[row], 128);
        }
        m->tag[row] = (Held){true, in->wr_bank[p], in->wr_entry[p]};
        m->next[warp] = (m->next[warp] + 1) % m->ways;
        memset(m->row[row], 0, 128);
    }
    uint8_t *to = (uint8_t *)m->row[row];
    const uint8_t *from = (const uint8_t *)in->wr_data[p];
    for (uint32_t left = in->wr_lane[p]; left; left &= left - 1)
        for (int lane = __builtin_ctz(left), s = 0; s < 4; s++)
            to[32 * s + lane] = from[32 * s + lane];
}

static void rc_tick(void *self, const void *vin) {
    Cache *m = self;
    const RegCacheIn *in = vin;
    Plan plan;
    make_plan(m, in, &plan);
    for (int p = 0; p < m->num_wr; p++)
        if (in->rf_wr_ready[0] >> p & 1) m->buffer[p].valid = false;
    for (uint32_t left = plan.taken; left; left &= left - 1)
        take_result(m, in, __builtin_ctz(left), &plan);
    m->first = plan.first;
    memcpy(m->coll, plan.coll, sizeof m->coll);
    memcpy(m->row_read, plan.row_read, sizeof m->row_read);
    if (plan.killed != NONE) m->tag[plan.killed].valid = false;
    if (!in->drop_valid[0]) return;
    const int warp = (int)in->drop_warp[0];
    for (int k = 0; k < m->ways; k++) m->tag[warp * m->ways + k].valid = false;
    m->next[warp] = 0;
}

// ---- observation ----

static uint32_t rc_obs_count(void *self) {
    const Cache *m = self;
    return (uint32_t)(m->warps * m->ways + m->warps + m->num_wr + 1);
}

static uint32_t held_word(const Held *h) {
    return h->valid ? 1u << 31 | h->bank << 16 | h->entry : 0;
}

static void rc_observe(void *self, uint32_t addr, uint32_t *words) {
    const Cache *m = self;
    const uint32_t rows = (uint32_t)(m->warps * m->ways), warps = (uint32_t)m->warps,
                   ports = (uint32_t)m->num_wr;
    memset(words, 0, 128);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < rows) {
        if (m->tag[addr].valid) memcpy(words, m->row[addr], 128);
    } else if (addr < rows + warps) {
        const int warp = (int)(addr - rows);
        for (int k = 0; k < m->ways; k++) words[k] = held_word(&m->tag[warp * m->ways + k]);
        words[16] = (uint32_t)m->next[warp];
    } else if (addr < rows + warps + ports) {
        const uint32_t p = addr - rows - warps;
        if (m->buffer[p].valid) memcpy(words, m->leaving[p], 128);
    } else if (addr == rows + warps + ports) {
        for (int p = 0; p < m->num_wr; p++) words[p] = held_word(&m->buffer[p]);
        words[4] = (uint32_t)m->first;
    }
}

const BlockModel reg_cache_model = {.name = "reg_cache",
                                    .open = rc_open,
                                    .close = rc_close,
                                    .reset = rc_reset,
                                    .eval = rc_eval,
                                    .tick = rc_tick,
                                    .obs_count = rc_obs_count,
                                    .observe = rc_observe,
                                    .obs_words = 32};
