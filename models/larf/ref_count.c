// SPDX-License-Identifier: Apache-2.0
// Golden model of ref_count. Written from the contract: an array of registers; a free one is
// searched for, banks in turn; what a cycle counts is applied one by one.
#include "models/larf/ref_count.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { REF_COUNT_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1, MAX_BANKS = 32 };

typedef struct Register {
    int count;
    bool entered, pending, sent;
} Register;

typedef struct RefCount {
    int params[PARAMS];
    int banks, entries, most, entry_bits;
    Register *reg;  // bank * entries + entry
} RefCount;

static int registers(const RefCount *m) { return m->banks * m->entries; }

static void rc_reset(void *self) {
    RefCount *m = self;
    memset(m->reg, 0, (size_t)registers(m) * sizeof *m->reg);
}

static void *rc_open(const int *params) {
    RefCount *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[P_Banks], m->entries = params[P_Entries];
    m->most = (1 << params[P_CountBits]) - 1;
    m->entry_bits = block_bits(m->entries);
    m->reg = calloc((size_t)registers(m), sizeof *m->reg);
    if (!m->reg) {
        free(m);
        return NULL;
    }
    return m;
}

static void rc_close(void *self) {
    RefCount *m = self;
    free(m->reg);
    free(m);
}

static uint32_t phys_of(const RefCount *m, int place) {
    return (uint32_t)(place / m->entries) << m->entry_bits | (uint32_t)(place % m->entries);
}
static int place_of(const RefCount *m, uint32_t phys) {
    const int place =
        (int)(phys >> m->entry_bits) * m->entries + (int)(phys & ((1u << m->entry_bits) - 1));
    return place < registers(m) ? place : 0;
}

static bool is_free(const Register *r) { return r->count == 0 && !r->pending && !r->sent; }

static int free_in_bank(const RefCount *m, int bank) {
    for (int e = 0; e < m->entries; e++)
        if (is_free(&m->reg[bank * m->entries + e])) return bank * m->entries + e;
    return NONE;
}

// Places that the ports get, NONE: none.
static void rc_allocate(const RefCount *m, const RefCountIn *in, int place[RC_MAX_ALLOC]) {
    bool taken[MAX_BANKS] = {false};
    for (int r = 0; r < m->params[P_NumAlloc]; r++) {
        place[r] = NONE;
        if (!(in->al_valid[0] >> r & 1)) continue;
        for (int i = 0; i < m->banks && place[r] == NONE; i++) {
            const int bank = ((int)in->al_bank[r] + i) % m->banks;
            if (!taken[bank]) place[r] = free_in_bank(m, bank);
        }
        if (place[r] != NONE) taken[place[r] / m->entries] = true;
    }
}

// Whether port i counts up: what the ports before it counted up of the same register is seen.
static bool rc_counts_up(const RefCount *m, const RefCountIn *in, int i) {
    if (!(in->inc_valid[0] >> i & 1)) return false;
    int count = m->reg[place_of(m, in->inc_phys[i])].count;
    for (int before = 0; before < i; before++)
        if (in->inc_phys[before] == in->inc_phys[i] && rc_counts_up(m, in, before)) count++;
    return count < m->most;
}

static int first_pending(const RefCount *m) {
    for (int p = 0; p < registers(m); p++)
        if (m->reg[p].pending && !m->reg[p].sent) return p;
    return NONE;
}

static void rc_eval(void *self, const void *inputs, void *outputs) {
    const RefCount *m = self;
    const RefCountIn *in = inputs;
    RefCountOut *out = outputs;
    int place[RC_MAX_ALLOC];
    memset(out, 0, sizeof *out);
    rc_allocate(m, in, place);
    for (int r = 0; r < m->params[P_NumAlloc]; r++) {
        if (place[r] == NONE) continue;
        out->al_grant[0] |= 1u << r;
        out->al_phys[r] = phys_of(m, place[r]);
    }
    for (int i = 0; i < RC_INC; i++) out->inc_grant[0] |= (uint32_t)rc_counts_up(m, in, i) << i;
    const int leaving = first_pending(m);
    out->rel_valid[0] = leaving != NONE;
    if (leaving != NONE) out->rel_phys[0] = phys_of(m, leaving);
    for (int p = 0; p < registers(m); p++) out->free_count[0] += is_free(&m->reg[p]);
}

static void rc_tick(void *self, const void *inputs) {
    RefCount *m = self;
    const RefCountIn *in = inputs;
    int place[RC_MAX_ALLOC], up[RC_INC];
    if (in->cl_valid[0]) {
        rc_reset(m);
        return;
    }
    rc_allocate(m, in, place);
    for (int i = 0; i < RC_INC; i++)
        up[i] = rc_counts_up(m, in, i) ? place_of(m, in->inc_phys[i]) : NONE;
    const int leaving = first_pending(m);
    if (in->done_valid[0]) {
        Register *r = &m->reg[place_of(m, in->done_phys[0])];
        r->sent = r->entered = false;
    }
    if (in->mk_valid[0]) m->reg[place_of(m, in->mk_phys[0])].entered = true;
    if (leaving != NONE && in->rel_ready[0]) {
        m->reg[leaving].pending = false;
        m->reg[leaving].sent = true;
    }
    for (int r = 0; r < m->params[P_NumAlloc]; r++)
        if (place[r] != NONE) m->reg[place[r]].count = 1;
    for (int i = 0; i < RC_INC; i++) {
        if (up[i] == NONE) continue;
        m->reg[up[i]].count++;
        m->reg[up[i]].pending = false;
    }
    for (int d = 0; d < m->params[P_NumDec]; d++) {
        if (!(in->dec_valid[0] >> d & 1)) continue;
        Register *r = &m->reg[place_of(m, in->dec_phys[d])];
        if (r->count > 0 && --r->count == 0) r->pending = r->entered;
    }
}

static uint32_t rc_obs_count(void *self) { return (uint32_t)registers(self); }

static void rc_observe(void *self, uint32_t addr, uint32_t *words) {
    const RefCount *m = self;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < (uint32_t)registers(m)) {
        const Register *r = &m->reg[addr];
        words[0] = (uint32_t)r->count | (uint32_t)r->entered << 29 | (uint32_t)r->pending << 30 |
            (uint32_t)r->sent << 31;
    }
}

const BlockModel ref_count_model = {"ref_count", rc_open,      rc_close,   rc_reset, rc_eval,
                                    rc_tick,     rc_obs_count, rc_observe, 1};
