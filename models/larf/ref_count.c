// SPDX-License-Identifier: Apache-2.0
// Golden model of ref_count: an array of registers. A search finds a free one, banks in turn. The
// counts of a cycle are applied one by one. Sets of free and pending registers are kept beside the
// array, so that no cycle visits registers that it does not change.
#include "models/larf/ref_count.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { REF_COUNT_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1, WORD = 64 };

typedef struct Register {
    int count;
    bool entered, pending, sent;
} Register;

typedef struct RefCount {
    int params[PARAMS];
    int banks, entries, most, entry_bits;
    Register *reg;  // bank * entries + entry
    // Sets derived from the registers, a bit each; a bank's first bit begins a word.
    int words, nfree, nleaving;  // words of a bank; how many bits are set
    uint64_t *is_free, *leaves;  // leaves: pending and not sent
} RefCount;

static int registers(const RefCount *m) { return m->banks * m->entries; }

static void free_all(RefCount *m) {
    memset(m->reg, 0, (size_t)registers(m) * sizeof *m->reg);
    memset(m->leaves, 0, (size_t)(m->banks * m->words) * sizeof *m->leaves);
    for (int bank = 0; bank < m->banks; bank++)
        for (int left = m->entries, w = 0; left > 0; left -= WORD, w++)
            m->is_free[bank * m->words + w] = left < WORD ? (1ull << left) - 1 : ~0ull;
    m->nfree = registers(m), m->nleaving = 0;
}

static void rc_reset(void *self) { free_all(self); }

// Returns how many bits more are set.
static int put_bit(uint64_t *word, uint64_t bit, bool value) {
    const bool was = *word & bit;
    *word = value ? *word | bit : *word & ~bit;
    return value - was;
}

// To be called when a register has changed.
static void follow_register(RefCount *m, int place) {
    const Register *r = &m->reg[place];
    const int entry = place % m->entries, word = place / m->entries * m->words + entry / WORD;
    const uint64_t bit = 1ull << entry % WORD;
    m->nfree += put_bit(&m->is_free[word], bit, r->count == 0 && !r->pending && !r->sent);
    m->nleaving += put_bit(&m->leaves[word], bit, r->pending && !r->sent);
}

static void rc_close(void *self) {
    RefCount *m = self;
    free(m->reg), free(m->is_free), free(m->leaves);
    free(m);
}

static void *rc_open(const int *params) {
    RefCount *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[P_Banks], m->entries = params[P_Entries];
    m->most = (1 << params[P_CountBits]) - 1;
    m->entry_bits = block_bits(m->entries);
    m->words = (m->entries + WORD - 1) / WORD;
    m->reg = calloc((size_t)registers(m), sizeof *m->reg);
    m->is_free = calloc((size_t)(m->banks * m->words), sizeof *m->is_free);
    m->leaves = calloc((size_t)(m->banks * m->words), sizeof *m->leaves);
    if (m->reg && m->is_free && m->leaves) free_all(m);
    else rc_close(m), m = NULL;
    return m;
}

static uint32_t phys_of(const RefCount *m, int place) {
    return (uint32_t)(place / m->entries) << m->entry_bits | (uint32_t)(place % m->entries);
}
static int place_of(const RefCount *m, uint32_t phys) {
    const int place =
        (int)(phys >> m->entry_bits) * m->entries + (int)(phys & ((1u << m->entry_bits) - 1));
    return place < registers(m) ? place : 0;
}

// The lowest register whose bit is set, in `n` words from `from` on.
static int lowest(const RefCount *m, const uint64_t *set, int from, int n) {
    for (int w = from; w < from + n; w++)
        if (set[w])
            return w / m->words * m->entries + w % m->words * WORD + __builtin_ctzll(set[w]);
    return NONE;
}

// Places that the ports get, NONE: none.
static void rc_allocate(const RefCount *m, const RefCountIn *in, int place[RC_MAX_ALLOC]) {
    uint32_t taken = 0;
    for (int r = 0; r < m->params[P_NumAlloc]; r++) {
        place[r] = NONE;
        if (!(in->al_valid[0] >> r & 1)) continue;
        for (int i = 0; i < m->banks && place[r] == NONE; i++) {
            const int bank = ((int)in->al_bank[r] + i) % m->banks;
            if (!(taken >> bank & 1)) place[r] = lowest(m, m->is_free, bank * m->words, m->words);
        }
        if (place[r] != NONE) taken |= 1u << place[r] / m->entries;
    }
}

// Whether port i counts up. Increments of the same register by previous ports are visible.
static bool rc_counts_up(const RefCount *m, const RefCountIn *in, int i) {
    if (!(in->inc_valid[0] >> i & 1)) return false;
    int count = m->reg[place_of(m, in->inc_phys[i])].count;
    for (int before = 0; before < i; before++)
        if (in->inc_phys[before] == in->inc_phys[i] && rc_counts_up(m, in, before)) count++;
    return count < m->most;
}

static int first_pending(const RefCount *m) {
    return m->nleaving ? lowest(m, m->leaves, 0, m->banks * m->words) : NONE;
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
    out->free_count[0] = (uint32_t)m->nfree;
}

// done_valid, mk_valid and a release that is taken.
static void tell_table(RefCount *m, const RefCountIn *in, int leaving) {
    if (in->done_valid[0]) {
        const int place = place_of(m, in->done_phys[0]);
        m->reg[place].sent = m->reg[place].entered = false;
        follow_register(m, place);
    }
    if (in->mk_valid[0]) m->reg[place_of(m, in->mk_phys[0])].entered = true;
    if (leaving != NONE && in->rel_ready[0]) {
        m->reg[leaving].pending = false;
        m->reg[leaving].sent = true;
        follow_register(m, leaving);
    }
}

static void count_down(RefCount *m, int place) {
    Register *r = &m->reg[place];
    if (r->count > 0 && --r->count == 0) r->pending = r->entered;
    follow_register(m, place);
}

static void rc_tick(void *self, const void *inputs) {
    RefCount *m = self;
    const RefCountIn *in = inputs;
    int place[RC_MAX_ALLOC], up[RC_INC];
    if (in->cl_valid[0]) {
        free_all(m);
        return;
    }
    rc_allocate(m, in, place);
    for (int i = 0; i < RC_INC; i++)
        up[i] = rc_counts_up(m, in, i) ? place_of(m, in->inc_phys[i]) : NONE;
    tell_table(m, in, first_pending(m));
    for (int r = 0; r < m->params[P_NumAlloc]; r++) {
        if (place[r] == NONE) continue;
        m->reg[place[r]].count = 1;
        follow_register(m, place[r]);
    }
    for (int i = 0; i < RC_INC; i++) {
        if (up[i] == NONE) continue;
        m->reg[up[i]].count++;
        m->reg[up[i]].pending = false;
        follow_register(m, up[i]);
    }
    for (int d = 0; d < m->params[P_NumDec]; d++)
        if (in->dec_valid[0] >> d & 1) count_down(m, place_of(m, in->dec_phys[d]));
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
