// SPDX-License-Identifier: Apache-2.0
// Golden model of addr_map_table. Written from the contract: an array of entries searched slot by
// slot, lanes one by one, when a lookup ends; that it took a scan is only a count of cycles. Strides
// are kept in bytes and addresses compared as numbers on a line.
#include "models/larf/addr_map_table.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) PARAMS };

enum { MAX_SLOTS = 1024, LANES = 32, WORD_BYTES = 4, NONE = -1 };
enum { STRIDE_LEAST = -508, STRIDE_MOST = 512, MOST_SHIFT = LANES - 1 };
enum { TAIL = 2 /* cycles of a lookup after its last row was read, before the decision ends */ };

typedef struct Entry {
    bool valid, data;
    uint32_t base, mask, phys;
    int32_t stride;
} Entry;

typedef struct Lookup {
    uint32_t base, mask, phys;
    int32_t stride;
    bool fits, insert;
} Lookup;

typedef enum Work { WORK_NONE, WORK_STORE, WORK_LOOKUP } Work;

typedef struct AddrMapTable {
    int slots, ways, rows;      // ways: of a row, no more than slots
    int params[PARAMS];
    int fill;                   // slot to fill next
    Work work;                  // under way
    int since;                  // cycles since it was accepted
    Lookup ask;
    int64_t low, high;          // of the store, low <= high
    int kill_row;               // row whose entries the store is compared with now, NONE
    int live;                   // valid entries
    AddrMapTableOut answer;     // ans_*, ev_* of this cycle
    Entry entry[MAX_SLOTS];
} AddrMapTable;

// An entry that could serve: its shift, and the lanes of the load that it has.
typedef struct Cover {
    int slot, shift, run;
    uint32_t lanes;
} Cover;

static void amt_reset(void *self) {
    AddrMapTable *m = self;
    for (int s = 0; s < m->slots; s++) m->entry[s].valid = false;
    m->fill = m->live = 0;
    m->work = WORK_NONE;
    m->since = 0;
    m->kill_row = NONE;
    memset(&m->answer, 0, sizeof m->answer);
}

static void *amt_open(const int *params) {
    AddrMapTable *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->slots = params[P_Slots];
    m->ways = params[P_Ways] < params[P_Slots] ? params[P_Ways] : params[P_Slots];
    m->rows = (m->slots + m->ways - 1) / m->ways;
    amt_reset(m);
    return m;
}

static void amt_close(void *self) { free(self); }

// ---- searching -----------------------------------------------------------------------------------

// How many lanes the entry's address of a lane lies below that of the load; false when the load's
// addresses are none of those that the entry's stride reaches within a warp.
static bool amt_reaches(const Entry *e, const Lookup *ask, int *shift) {
    if (e->stride != ask->stride) return false;
    const int32_t distance = (int32_t)(ask->base - e->base);
    *shift = 0;
    if (e->stride == 0 || distance == 0) return distance == 0;
    if (distance % e->stride != 0) return false;
    const int32_t lanes = distance / e->stride;
    *shift = (int)lanes;
    return lanes >= -MOST_SHIFT && lanes <= MOST_SHIFT;
}

static uint32_t amt_lanes(const Entry *e, const Lookup *ask, int shift) {
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++) {
        const int from = i + shift;
        if (ask->mask >> i & 1 && from >= 0 && from < LANES && e->mask >> from & 1) lanes |= 1u << i;
    }
    return lanes;
}

// Lanes of `asked` from one end (up: from the lowest) to the first that is not in `have`.
static int amt_run(uint32_t asked, uint32_t have, bool up) {
    int run = 0;
    for (int n = 0; n < LANES; n++) {
        const int i = up ? n : LANES - 1 - n;
        if (!(asked >> i & 1)) continue;
        if (!(have >> i & 1)) break;
        run++;
    }
    return run;
}

// Keeps the longer of two runs; of equals the first found, which is the lowest slot.
static void amt_prefer(Cover *best, int slot, int shift, uint32_t lanes, int run) {
    if (run > best->run) *best = (Cover){slot, shift, run, lanes};
}

static void amt_use(AddrMapTable *m, int r, int slot, int shift, uint32_t lanes) {
    AddrMapTableOut *a = &m->answer;
    a->ans_use[0] |= 1u << r;
    a->ans_phys[r] = m->entry[slot].phys;
    a->ans_shift[r] = (uint32_t)shift & 63;
    a->ans_mask[r] = lanes;
}

static void amt_search(AddrMapTable *m) {
    const Lookup *ask = &m->ask;
    AddrMapTableOut *a = &m->answer;
    int hit = NONE, hit_waiting = NONE;
    Cover low = {.slot = NONE}, high = {.slot = NONE};
    for (int s = 0, left = m->live; left; s++) {
        const Entry *e = &m->entry[s];
        int shift;
        if (!e->valid) continue;
        left--;
        if (!amt_reaches(e, ask, &shift)) continue;
        const uint32_t lanes = amt_lanes(e, ask, shift);
        if (shift == 0 && lanes == ask->mask) {
            if (e->data && hit == NONE) hit = s;
            if (!e->data && hit_waiting == NONE) hit_waiting = s;
        }
        if (!e->data) continue;
        amt_prefer(&low, s, shift, lanes, amt_run(ask->mask, lanes, true));
        amt_prefer(&high, s, shift, lanes, amt_run(ask->mask, lanes, false));
    }
    if (hit != NONE || hit_waiting != NONE) {
        a->ans_kind[0] = AMT_HIT;
        a->ans_wait[0] = hit == NONE;
        amt_use(m, 0, hit != NONE ? hit : hit_waiting, 0, ask->mask);
    } else if (low.slot != NONE && (low.lanes | high.lanes) == ask->mask) {
        a->ans_kind[0] = AMT_MERGE;
        amt_use(m, 0, low.slot, low.shift, low.lanes);
        if (low.lanes != ask->mask) amt_use(m, 1, high.slot, high.shift, ask->mask & ~low.lanes);
    }
}

// ---- state ---------------------------------------------------------------------------------------

static void amt_kill(AddrMapTable *m, Entry *e) {
    m->live -= e->valid;
    e->valid = false;
}

// The entry of a register, NULL when there is none.
static Entry *amt_of_register(AddrMapTable *m, uint32_t phys) {
    for (int s = 0, left = m->live; left; s++) {
        if (!m->entry[s].valid) continue;
        if (m->entry[s].phys == phys) return &m->entry[s];
        left--;
    }
    return NULL;
}

static void amt_enter(AddrMapTable *m) {
    Entry *old = amt_of_register(m, m->ask.phys), *e = &m->entry[m->fill];
    if (old) amt_kill(m, old);
    m->answer.ev_valid[0] = e->valid;
    m->answer.ev_phys[0] = e->phys;
    m->live += !e->valid;
    *e = (Entry){true, false, m->ask.base, m->ask.mask, m->ask.phys, m->ask.stride};
    m->fill = m->fill + 1 < m->slots ? m->fill + 1 : 0;
    m->answer.ans_kept[0] = 1;
}

static void amt_decide(AddrMapTable *m) {
    const bool proper = m->ask.fits && m->ask.mask;
    m->answer.ans_valid[0] = 1;
    if (proper) amt_search(m);
    if (proper && m->answer.ans_kind[0] == AMT_MISS && m->ask.insert) amt_enter(m);
}

// Does the store write between the first and the last byte of the entry's 32 lanes?
static bool amt_written(const AddrMapTable *m, const Entry *e) {
    const int64_t circle = (int64_t)1 << 32, end = (int64_t)(LANES - 1) * e->stride;
    const int64_t first = (int64_t)e->base + (end < 0 ? end : 0);
    const int64_t last = (int64_t)e->base + (end < 0 ? 0 : end) + WORD_BYTES - 1;
    for (int turn = -1; turn <= 1; turn++)
        if (first <= m->high + turn * circle && m->low + turn * circle <= last) return true;
    return false;
}

static void amt_kill_row(AddrMapTable *m) {
    const int from = m->kill_row * m->ways, to = from + m->ways;
    for (int s = from; s < to && s < m->slots; s++)
        if (m->entry[s].valid && amt_written(m, &m->entry[s])) amt_kill(m, &m->entry[s]);
}

static void amt_accept_lookup(AddrMapTable *m, const AddrMapTableIn *in) {
    const int32_t stride = (int32_t)in->lk_stride[0];
    m->work = WORK_LOOKUP;
    m->ask = (Lookup){
        .base = in->lk_base[0], .mask = in->lk_mask[0], .phys = in->lk_phys[0], .stride = stride,
        .fits = stride % WORD_BYTES == 0 && stride >= STRIDE_LEAST && stride <= STRIDE_MOST,
        .insert = in->lk_insert[0],
    };
}

static void amt_accept_store(AddrMapTable *m, const AddrMapTableIn *in) {
    m->low = in->st_low[0];
    m->high = in->st_high[0];
    if (m->high < m->low) m->high += (int64_t)1 << 32;
    m->work = WORK_STORE;
}

static void amt_eval(void *self, const void *inputs, void *outputs) {
    const AddrMapTable *m = self;
    const AddrMapTableIn *in = inputs;
    AddrMapTableOut *out = outputs;
    *out = m->answer;
    out->st_ready[0] = m->work == WORK_NONE;
    out->lk_ready[0] = m->work == WORK_NONE && !in->st_valid[0];
    out->rel_ready[0] = m->work != WORK_LOOKUP;
    out->arr_ready[0] = m->work != WORK_LOOKUP && !in->rel_valid[0];
}

static void amt_tick(void *self, const void *inputs) {
    AddrMapTable *m = self;
    const AddrMapTableIn *in = inputs;
    const Work work = m->work;
    memset(&m->answer, 0, sizeof m->answer);
    if (in->fl_valid[0])
        for (int s = 0; m->live; s++) amt_kill(m, &m->entry[s]);
    if (work != WORK_LOOKUP && (in->rel_valid[0] || in->arr_valid[0])) {
        Entry *e = amt_of_register(m, in->rel_valid[0] ? in->rel_phys[0] : in->arr_phys[0]);
        if (e && in->rel_valid[0]) amt_kill(m, e);
        else if (e) e->data = true;
    }
    if (m->kill_row != NONE) {
        amt_kill_row(m);
        m->kill_row = m->kill_row + 1 < m->rows ? m->kill_row + 1 : NONE;
    }
    if (work == WORK_LOOKUP && m->since == m->rows + TAIL) {
        amt_decide(m);
        m->work = WORK_NONE;
    } else if (work == WORK_STORE && m->since == m->rows - 1) {
        m->work = WORK_NONE;
    }
    if (work == WORK_NONE && in->st_valid[0]) {
        amt_accept_store(m, in);
        m->kill_row = 0;
        if (m->rows == 1) m->work = WORK_NONE;  // one row: done before the next could come
    } else if (work == WORK_NONE && in->lk_valid[0]) {
        amt_accept_lookup(m, in);
    }
    m->since = m->work != WORK_NONE ? work == m->work ? m->since + 1 : 1 : 0;
}

// ---- observation ---------------------------------------------------------------------------------

static uint32_t amt_obs_count(void *self) {
    const AddrMapTable *m = self;
    return (uint32_t)m->slots + 2;
}

static uint32_t amt_code(int32_t stride) { return (uint32_t)(stride / WORD_BYTES) & 0xff; }

static void amt_observe(void *self, uint32_t addr, uint32_t *words) {
    const AddrMapTable *m = self;
    const uint32_t slots = (uint32_t)m->slots;
    memset(words, 0, 16);
    if (addr < slots && m->entry[addr].valid) {
        const Entry *e = &m->entry[addr];
        words[0] = 1u << 31 | (uint32_t)e->data << 30 | amt_code(e->stride) << 16 | e->phys;
        words[1] = e->base;
        words[2] = e->mask;
    } else if (addr == slots) {
        words[0] = (uint32_t)(m->fill / m->ways) << 16 | (uint32_t)(m->fill % m->ways);
        words[1] = (uint32_t)(m->work == WORK_LOOKUP) << 16 | (uint32_t)m->since;
    } else if (addr == slots + 1 && m->work == WORK_STORE) {
        words[1] = (uint32_t)m->low;
        words[2] = (uint32_t)m->high;
    } else if (addr == slots + 1 && m->work == WORK_LOOKUP) {
        words[0] = (uint32_t)m->ask.insert << 31 | m->ask.phys;
        if (m->ask.fits) words[0] |= 1u << 30 | amt_code(m->ask.stride) << 16;
        words[1] = m->ask.base;
        words[2] = m->ask.mask;
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel addr_map_table_model = {
    "addr_map_table", amt_open, amt_close,     amt_reset,   amt_eval,
    amt_tick,         amt_obs_count, amt_observe, 4,
};
