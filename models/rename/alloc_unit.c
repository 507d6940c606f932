// SPDX-License-Identifier: Apache-2.0
// Golden model of alloc_unit. Requests are decided from the open rows and the looks that execute.
// Then each bank selects its next operation. The clock edge carries out the executing operations. A
// bank without an operation and without a request is skipped.
#include "models/rename/alloc_unit.h"
#include "models/rename/alloc_ideal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPEN = 5,
    WORD = 8,
    PARAMS = 7,
    HINTS = AU_MAX_KERNELS * AU_REGS,
    GIVES = 2 * (AU_MAX_FREE + AU_MAX_WR)
};
enum { NONE = -1, ALL = 15, RESERVED = 16 /* in a byte of the map */, TOP_LEVEL = 4 };

typedef struct Place {
    uint32_t bank, entry, mask;
} Place;

typedef struct OpenRow {
    bool valid, closing, reserved;
    uint32_t entry, used;
} OpenRow;

typedef enum OpKind { OP_NONE, OP_LOOK, OP_GIVE, OP_CLOSE, OP_FRESH, OP_WISH } OpKind;

typedef struct Op {
    OpKind kind;
    bool stale;
    int port;
    uint32_t entry, mask, hits;
} Op;

typedef struct Wish {
    bool valid, demand;
    int n;
    uint32_t side;
} Wish;

typedef uint64_t Flags[2];  // a bit per word

typedef struct Bank {
    uint8_t *map;  // a byte per row: used, RESERVED
    OpenRow row[OPEN];
    Op op;  // executes
    struct {
        bool valid, reserved;
        uint32_t entry, used;
    } write;
    Wish wish, heard;  // heard: the wish of the previous cycle
    int ptr, level, victim, clear;
    // since the scan was selected, its sweep restarted or must read another word
    bool moved;
    Flags full, some;
    // from the above
    uint32_t whole, offered;  // of the open rows
    uint32_t fits[5];         // offered, with at least this number of slices free
    bool dry, idle;
} Bank;

// State of a request that is repeated.
typedef struct Port {
    bool own_no, bd_no, last, bd_in;
    Place bd;
} Port;

typedef struct Hint {
    uint8_t align, paired, buddy;
} Hint;

// The decision on one request.
typedef enum Want { WANT_NOTHING, WANT_OWN, WANT_BUDDY } Want;
typedef struct Request {
    bool asks, done, none, paired, may_come, comes, known, is_short, full_wanted, contends, lost;
    int kind, how, n, bank, row;  // bank, row: of an open row, NONE
    int demand;                   // bank in which it waits for a row that fits, NONE
    uint32_t side;
    Want want;
    Place old, wanted, place;
} Request;

typedef struct AllocUnit {
    int banks, entries, warps, num_wr, num_free, num_kernels, num_alloc, words;
    int params[PARAMS];
    uint8_t *map;
    Bank bank[AU_MAX_BANKS];
    Port port[AU_MAX_WR];
    Place give[GIVES];
    uint32_t gives;  // give registers that are occupied
    uint32_t looks;  // ports of which a look executes
    // banks with a whole open row; .. that might have an offered one; not idle
    uint32_t wholes, fulls, awake;
    bool any_full, yield, yield_new, yield_changes;
    int turn;
    uint32_t slices[3], regs[2];  // now, and as they were one or two cycles ago
    Hint hint[HINTS], answer[AU_MAX_ALLOC];
    uint32_t answered;
    AllocIdeal ideal;  // instead of the above, if is_ideal
    bool is_ideal;
    bool decided;  // decisions are good for the requests in `seen`
    AllocUnitIn seen;
    Request decision[AU_MAX_WR];
} AllocUnit;

typedef struct Cycle {
    const Request *rq;
    Op next[AU_MAX_BANKS];
    int leaves[AU_MAX_BANKS];  // open row that is full and moves to the map, NONE
    uint32_t emptied;          // give registers
} Cycle;

// ---- slices -------------------------------------------------------------------------------------

static int size_of(uint32_t mask) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return ones[mask & ALL];
}

static uint32_t lowest_of(uint32_t mask, int n) {
    uint32_t taken = 0;
    for (int i = 0; i < 4 && n > 0; i++)
        if (mask >> i & 1) taken |= 1u << i, n--;
    return taken;
}

static uint32_t highest_of(uint32_t mask, int n) {
    uint32_t taken = 0;
    for (int i = 3; i >= 0 && n > 0; i--)
        if (mask >> i & 1) taken |= 1u << i, n--;
    return taken;
}

// The n slices of a side.
static uint32_t side_of(uint32_t side, int n) {
    return side == AU_LEFT ? highest_of(ALL, n) : lowest_of(ALL, n);
}

// n of the free slices: those of the side if they are all free.
static uint32_t slices_of(uint32_t free, uint32_t side, int n) {
    if (side && (free & side_of(side, n)) == side_of(side, n)) return side_of(side, n);
    return lowest_of(free, n);
}

static bool partly(uint32_t used) { return used != 0 && used != ALL; }

static bool same_row(const Place *a, const Place *b) {
    return a->bank == b->bank && a->entry == b->entry;
}

// ---- banks --------------------------------------------------------------------------------------

static void flag_set(Flags f, int word, bool value) {
    const uint64_t bit = 1ull << word % 64;
    f[word / 64] = value ? f[word / 64] | bit : f[word / 64] & ~bit;
}

static void flags_all(const AllocUnit *m, Flags f) {
    f[0] = f[1] = 0;
    for (int i = 0; i < m->words; i++) flag_set(f, i, true);
}

// The first word from `from` on with its flag set, NONE.
static int flag_first(const Flags f, int from) {
    for (int i = from / 64; i < 2; i++) {
        const uint64_t left = f[i] & (i == from / 64 ? ~0ull << from % 64 : ~0ull);
        if (left) return 64 * i + __builtin_ctzll(left);
    }
    return NONE;
}

static bool any_flag(const Flags f) { return f[0] || f[1]; }

static uint32_t rows_open(const Bank *k, uint32_t entry) {
    uint32_t hits = 0;
    for (int i = 0; i < OPEN; i++)
        if (k->row[i].valid && k->row[i].entry == entry) hits |= 1u << i;
    return hits;
}

static uint32_t rows_closing(const Bank *k) {
    uint32_t closing = 0;
    for (int i = 0; i < OPEN; i++) closing |= (uint32_t)k->row[i].closing << i;
    return closing;
}

static int row_not_valid(const Bank *k) {
    for (int i = 0; i < OPEN; i++)
        if (!k->row[i].valid) return i;
    return NONE;
}

static bool wants_fresh(const Bank *k) {
    return __builtin_popcount(k->whole) < 2 && any_flag(k->full);
}

// Updates the values derived from the state of a bank.
static void settle_bank(AllocUnit *m, int b) {
    Bank *k = &m->bank[b];
    const uint32_t hits = k->op.kind == OP_LOOK || k->op.kind == OP_GIVE ? k->op.hits : 0;
    k->whole = k->offered = 0;
    memset(k->fits, 0, sizeof k->fits);
    for (int i = 0; i < OPEN; i++) {
        const OpenRow *r = &k->row[i];
        const uint32_t bit = 1u << i;
        if (!r->valid) continue;
        if (!r->used) k->whole |= bit;
        if (r->closing || (r->reserved && !m->yield) || hits & bit) continue;
        k->offered |= bit;
        for (int n = size_of(~r->used); n > 0; n--) k->fits[n] |= bit;
    }
    const uint32_t closing = rows_closing(k);
    bool full = false;
    for (int i = 0; i < OPEN; i++) full |= k->row[i].valid && k->row[i].used == ALL;
    k->dry = !any_flag(k->full) && k->op.kind != OP_FRESH && !closing && !k->clear;
    k->idle = k->op.kind == OP_NONE && !k->write.valid && !k->heard.valid && !k->wish.valid &&
        !k->clear && !closing && !full && !wants_fresh(k);
    const uint32_t bit = 1u << b;
    m->wholes = k->whole ? m->wholes | bit : m->wholes & ~bit;
    m->fulls = k->whole & k->offered || !k->dry ? m->fulls | bit : m->fulls & ~bit;
    m->awake = k->idle ? m->awake & ~bit : m->awake | bit;
}

// Writes the map in this cycle, in a reset as well.
static void write_map(Bank *k) {
    if (k->write.valid)
        k->map[k->write.entry] = (uint8_t)(k->write.used | (k->write.reserved ? RESERVED : 0));
    if (k->clear) memset(k->map + (k->clear - 1) * WORD, 0, WORD);
}

static void au_reset(void *self) {
    AllocUnit *m = self;
    memset(m->port, 0, sizeof m->port);
    m->gives = m->looks = 0;
    m->decided = false;
    m->any_full = m->yield = m->yield_new = false;
    m->turn = 0;
    memset(m->slices, 0, sizeof m->slices);
    memset(m->regs, 0, sizeof m->regs);
    for (int b = 0; b < m->banks; b++) {
        uint8_t *map = m->bank[b].map;
        write_map(&m->bank[b]);
        m->bank[b] = (Bank){.map = map, .level = TOP_LEVEL, .clear = m->words};
        flags_all(m, m->bank[b].full);
        settle_bank(m, b);
    }
    for (int i = 0; i < HINTS; i++) m->hint[i].align = m->hint[i].paired = 0;
    m->answered = 0;
    memset(m->ideal.map, 0, (size_t)(m->banks * m->entries));
    m->ideal.slices = m->ideal.regs = 0;
}

static void au_close(void *self) {
    AllocUnit *m = self;
    free(m->ideal.map);
    free(m->map);
    free(m);
}

static void *au_open(const int *params) {
    AllocUnit *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[0], m->entries = params[1], m->warps = params[2];
    m->num_wr = params[3], m->num_free = params[4], m->num_kernels = params[5];
    m->num_alloc = params[6];
    m->words = (m->entries + WORD - 1) / WORD;
    m->map = calloc((size_t)(m->banks * m->words), WORD);
    m->ideal = (AllocIdeal){.banks = m->banks,
                            .entries = m->entries,
                            .num_wr = m->num_wr,
                            .num_free = m->num_free,
                            .map = calloc((size_t)(m->banks * m->entries), 1)};
    if (!m->map || !m->ideal.map) {
        au_close(m);
        return NULL;
    }
    for (int b = 0; b < m->banks; b++) m->bank[b].map = m->map + b * m->words * WORD;
    au_reset(m);
    return m;
}

// ---- decisions ----------------------------------------------------------------------------------

static uint32_t give_bit(const AllocUnit *m, int w, int second) {
    return 1u << (m->num_free + second * m->num_wr + w);
}

// Whether request port w can release slices.
static bool ready_to_give(const AllocUnit *m, int w) {
    const uint32_t both = give_bit(m, w, 0) | give_bit(m, w, 1);
    return (m->gives & both) != both;
}

// The look of port w that executes in a row, NULL: none does.
static const Op *look_of(const AllocUnit *m, int w, const Place *row) {
    const Op *op = &m->bank[row->bank].op;
    const bool looks =
        op->kind == OP_LOOK && !op->stale && op->port == w && op->entry == row->entry;
    return looks ? op : NULL;
}

// Slices in use of the row of a look or give.
static uint32_t used_of(const Bank *k, const Op *op) {
    return op->hits ? k->row[__builtin_ctz(op->hits)].used : k->map[op->entry] & ALL;
}

// The row that the request wants, its own or its buddy's, and whether it may use open rows.
static void decide_want(const AllocUnit *m, const AllocUnitIn *in, int w, Request *q) {
    const Port *p = &m->port[w];
    const bool grows = q->kind == AU_GROW;
    q->paired = in->policy[0] == AU_PAIR && (in->rq_pair[0] >> w & 1);
    const bool undecided = q->paired && (!p->bd_in || (p->bd.mask && !p->bd_no));
    if (grows && (p->last || (!in->cfg_grow[0] && !p->own_no)))
        q->want = WANT_OWN, q->wanted = q->old;
    else if (undecided && p->bd_in) q->want = WANT_BUDDY, q->wanted = p->bd;
    q->may_come = q->want == WANT_OWN ? !undecided : !undecided || p->bd_in;
    q->full_wanted = q->paired && !p->bd.mask && q->n < 4 && m->any_full;
}

// The result of a look at the wanted row.
static void decide_known(const AllocUnit *m, int w, Request *q) {
    const Op *op = q->want == WANT_NOTHING ? NULL : look_of(m, w, &q->wanted);
    if (!op) return;
    const bool own = q->kind == AU_GROW && same_row(&q->wanted, &q->old);
    const uint32_t free = (~used_of(&m->bank[q->wanted.bank], op) & ALL) | (own ? q->old.mask : 0);
    q->known = true;
    q->is_short = size_of(free) < q->n;
    if (q->is_short || (q->want == WANT_BUDDY && q->kind == AU_GROW && !ready_to_give(m, w)))
        return;
    q->done = true;
    q->how = q->want == WANT_OWN ? AU_OWN : AU_BUDDY;
    q->place = q->wanted;
    q->place.mask = slices_of(free, q->want == WANT_OWN ? q->side : 0, q->n);
}

static uint32_t rows_that_fit(const Bank *k, const Request *q) {
    return q->full_wanted ? k->whole & k->offered : k->fits[q->n];
}

static bool bank_may(const Bank *k, const Request *q) {
    return rows_that_fit(k, q) || !k->dry || (q->n < 4 && !q->full_wanted && q->n < k->level);
}

// The open row of the bank from which port w is served, and its slices.
static void decide_row(const AllocUnit *m, int w, Request *q) {
    const Bank *k = &m->bank[q->bank];
    uint32_t rows = rows_that_fit(k, q), sided = 0;
    if (!rows) return;
    for (uint32_t left = q->side ? rows : 0; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (!(k->row[i].used & side_of(q->side, q->n))) sided |= 1u << i;
    }
    if (sided) rows = sided;
    if (rows & ~k->whole) rows &= ~k->whole;
    q->row = w % 2 == 0 ? __builtin_ctz(rows) : 31 - __builtin_clz(rows);
    const OpenRow *r = &k->row[q->row];
    const bool other =
        (q->paired && (m->port[w].bd.mask || (q->n < 4 && !q->full_wanted))) || (q->side && !sided);
    if (q->done) return;
    q->place = (Place){(uint32_t)q->bank, r->entry, slices_of(~r->used & ALL, q->side, q->n)};
    q->how = other ? AU_FALLBACK : AU_POLICY;
}

// The bank and the open row for a request that may use one.
static void decide_bank(const AllocUnit *m, const AllocUnitIn *in, int w, Request *q) {
    const bool align = in->policy[0] == AU_ALIGN;
    const uint32_t sum = in->rq_warp[w] + (align ? 0 : in->rq_reg[w]);
    const int home = in->cfg_order[0] && !align ? 0 : (int)(sum % (uint32_t)m->banks);
    for (int i = 0, b = home; i < m->banks; i++, b = b + 1 < m->banks ? b + 1 : 0) {
        const Bank *k = &m->bank[b];
        const bool fits = rows_that_fit(k, q) != 0;
        if (fits || (q->bank == NONE && bank_may(k, q))) q->bank = b;
        if (fits || (align && q->bank != NONE)) break;
    }
    if (q->bank != NONE) decide_row(m, w, q);
    const bool waits_at_home = !rows_that_fit(&m->bank[home], q) && bank_may(&m->bank[home], q);
    q->demand = q->row == NONE ? q->bank : waits_at_home ? home : NONE;
    q->contends = q->row != NONE && (q->kind == AU_FIRST || ready_to_give(m, w));
}

// Keeps and shrinks: the row stays.
static void decide_in_place(const AllocUnit *m, const AllocUnitIn *in, int w, Request *q) {
    const bool left = in->policy[0] == AU_ALIGN && in->rq_align[w] == AU_LEFT,
               keep = q->kind == AU_KEEP;
    q->how = AU_IN_PLACE;
    q->place = q->old;
    if (!keep) q->place.mask = left ? highest_of(q->old.mask, q->n) : lowest_of(q->old.mask, q->n);
    q->done = keep || ready_to_give(m, w);
}

static void decide(const AllocUnit *m, const AllocUnitIn *in, int w, Request *q) {
    const uint32_t side = in->rq_align[w];
    *q = (Request){.asks = true,
                   .kind = (int)in->rq_kind[w],
                   .n = (int)in->rq_size[w],
                   .bank = NONE,
                   .row = NONE,
                   .demand = NONE,
                   .old = {in->rq_old_bank[w], in->rq_old_entry[w], in->rq_old_mask[w]}};
    if (q->kind == AU_KEEP || q->kind == AU_SHRINK) {
        decide_in_place(m, in, w, q);
        return;
    }
    if (in->policy[0] == AU_ALIGN && q->n < 4 && (side == AU_LEFT || side == AU_RIGHT))
        q->side = side;
    decide_want(m, in, w, q);
    decide_known(m, w, q);
    if (!q->may_come) return;
    decide_bank(m, in, w, q);
    q->comes = q->want == WANT_NOTHING || q->is_short;
    q->none = q->comes && !q->full_wanted && q->bank == NONE;
}

// Of the requests that contend for a row, the first in the order of this cycle gets it.
static void decide_turns(const AllocUnit *m, Request *rq) {
    for (int i = 0, w = m->turn; i < m->num_wr; i++, w = w + 1 < m->num_wr ? w + 1 : 0)
        for (int j = 0, v = m->turn; rq[w].contends && j < i;
             j++, v = v + 1 < m->num_wr ? v + 1 : 0)
            if (rq[v].contends && rq[v].bank == rq[w].bank && rq[v].row == rq[w].row)
                rq[w].lost = true;
    for (int w = 0; w < m->num_wr; w++)
        if (rq[w].comes && rq[w].contends && !rq[w].lost) rq[w].done = true;
}

// Decides the requests of a cycle, once.
static const Request *decide_all(AllocUnit *m, const AllocUnitIn *in) {
    const uint32_t valid = in->rq_valid[0] & ((1u << m->num_wr) - 1);
    Request *rq = m->decision;
    if (m->decided && !memcmp(&m->seen, in, offsetof(AllocUnitIn, fr_valid))) return rq;
    memcpy(&m->seen, in, offsetof(AllocUnitIn, fr_valid));
    m->decided = true;
    for (int w = 0; w < m->num_wr; w++) {
        rq[w].asks = rq[w].comes = rq[w].contends = false;
        if (valid >> w & 1) decide(m, in, w, &rq[w]);
    }
    if (valid) decide_turns(m, rq);
    return rq;
}

static void eval_requests(AllocUnit *m, const AllocUnitIn *in, AllocUnitOut *out) {
    const Request *rq = decide_all(m, in);
    out->al_done[0] = out->al_none[0] = out->rq_ready[0] = 0;
    for (int w = 0; w < m->num_wr; w++) {
        const Request *q = &rq[w];
        out->rq_ready[0] |= (uint32_t)ready_to_give(m, w) << w;
        if (!q->asks) continue;
        out->al_none[0] |= (uint32_t)q->none << w;
        if (!q->done) continue;
        out->al_done[0] |= 1u << w;
        out->al_kind[w] = (uint32_t)q->kind;
        out->al_how[w] = (uint32_t)q->how;
        out->al_bank[w] = q->place.bank;
        out->al_entry[w] = q->place.entry;
        out->al_mask[w] = q->place.mask;
    }
}

static void au_eval(void *self, const void *inputs, void *outputs) {
    AllocUnit *m = self;
    AllocUnitOut *out = outputs;
    eval_requests(m, inputs, out);
    const uint32_t frees = (1u << m->num_free) - 1,
                   second = m->gives >> (m->num_free + 2 * m->num_wr);
    out->fr_ready[0] = frees & ~(m->gives & second);
    out->ha_pair[0] = 0;
    for (uint32_t left = m->answered; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        out->ha_pair[0] |= (uint32_t)m->answer[a].paired << a;
        out->ha_buddy[a] = m->answer[a].buddy;
        out->ha_align[a] = m->answer[a].align;
    }
    out->ha_valid[0] = m->answered;
    out->used_slices[0] = m->slices[2];
    out->used_regs[0] = m->regs[1];
    if (m->is_ideal) alloc_ideal_eval(&m->ideal, inputs, out);
}

// ---- the next operation of a bank ---------------------------------------------------------------

static bool relook_of(const AllocUnit *m, const Cycle *c, int b, Op *op) {
    for (int w = 0; w < m->num_wr; w++) {
        const Request *q = &c->rq[w];
        if (!q->asks || q->want == WANT_NOTHING || q->wanted.bank != (uint32_t)b ||
            m->looks >> w & 1)
            continue;
        *op = (Op){.kind = OP_LOOK, .port = w, .entry = q->wanted.entry};
        return true;
    }
    return false;
}

static bool close_of(const Bank *k, Op *op) {
    const uint32_t closing = rows_closing(k);
    if (!closing || k->op.kind == OP_CLOSE) return false;
    *op = (Op){.kind = OP_CLOSE, .entry = k->row[__builtin_ctz(closing)].entry};
    return true;
}

static bool scans(const Bank *k) { return k->op.kind == OP_FRESH || k->op.kind == OP_WISH; }

static bool scan_of(const Bank *k, Op *op) {
    if (scans(k) || row_not_valid(k) == NONE) return false;
    const bool fresh = wants_fresh(k);
    const int word = fresh ? flag_first(k->full, 0)
        : k->wish.valid    ? flag_first(k->some, k->ptr)
                           : NONE;
    if (word == NONE) return false;
    *op = (Op){.kind = fresh ? OP_FRESH : OP_WISH, .entry = (uint32_t)(word * WORD)};
    return true;
}

static bool ahead_of(const AllocUnit *m, const AllocUnitIn *in, int b, Op *op) {
    for (int w = 0; w < m->num_wr; w++) {
        if (!(in->lk_valid[0] >> w & 1) || in->lk_bank[w] != (uint32_t)b) continue;
        *op = (Op){.kind = OP_LOOK, .port = w, .entry = in->lk_entry[w]};
        return true;
    }
    return false;
}

static bool give_of(const AllocUnit *m, Cycle *c, int b, Op *op) {
    for (uint32_t left = m->gives; left; left &= left - 1) {
        const Place *p = &m->give[__builtin_ctz(left)];
        if (p->bank != (uint32_t)b) continue;
        *op = (Op){.kind = OP_GIVE, .entry = p->entry, .mask = p->mask};
        c->emptied |= left & -left;
        return true;
    }
    return false;
}

static bool select_op(const AllocUnit *m, const AllocUnitIn *in, Cycle *c, int b, Op *op) {
    const Bank *k = &m->bank[b];
    if (k->clear) return false;
    if (k->op.stale) {
        *op = k->op;
        return true;
    }
    const bool urgent = !k->whole || (k->wish.valid && k->wish.demand);
    return relook_of(m, c, b, op) || (urgent && (close_of(k, op) || scan_of(k, op))) ||
        ahead_of(m, in, b, op) || give_of(m, c, b, op) ||
        (!urgent && (close_of(k, op) || scan_of(k, op)));
}

// Whether the executing operation loads the write register.
static bool loads_write(const AllocUnit *m, const Cycle *c, const Bank *k) {
    const Op *op = &k->op;
    if (op->stale) return false;
    if (op->kind == OP_CLOSE) return op->hits != 0;
    if (op->kind == OP_GIVE) return !op->hits;
    const Request *q = &c->rq[op->port];
    return op->kind == OP_LOOK && !op->hits && q->asks && q->known && &m->bank[q->wanted.bank] == k;
}

// The open row that is closed because no slice of it is free, NONE.
static int row_to_leave(const AllocUnit *m, const Cycle *c, const Bank *k) {
    const uint32_t hits = k->op.kind == OP_NONE ? 0 : k->op.hits;
    for (int i = 0; i < OPEN; i++)
        if (k->row[i].valid && k->row[i].used == ALL && !k->row[i].closing && !(hits >> i & 1))
            return loads_write(m, c, k) ? NONE : i;
    return NONE;
}

// An operation is stale if an earlier one may change the same word.
static void select_next(const AllocUnit *m, const AllocUnitIn *in, Cycle *c, int b) {
    const Bank *k = &m->bank[b];
    Op *op = &c->next[b];
    const int leaves = c->leaves[b] = row_to_leave(m, c, k);
    *op = (Op){.kind = OP_NONE};
    if (!select_op(m, in, c, b, op)) return;
    const uint32_t word = op->entry / WORD;
    op->hits = rows_open(k, op->entry);
    op->stale = (k->op.kind != OP_NONE && !k->op.stale && k->op.entry / WORD == word) ||
        (k->write.valid && k->write.entry / WORD == word) ||
        (leaves != NONE && k->row[leaves].entry / WORD == word);
}

// ---- the clock edge of a bank -------------------------------------------------------------------

static void write_row(Bank *k, uint32_t entry, uint32_t used, bool reserved) {
    k->write.valid = true;
    k->write.entry = entry, k->write.used = used, k->write.reserved = reserved && used;
}

// New contents of the row that an operation is for.
static void change_row(AllocUnit *m, Bank *k, const Op *op, uint32_t used, bool reserved) {
    m->regs[0] += (uint32_t)((used != 0) - (used_of(k, op) != 0));
    if (!op->hits) {
        write_row(k, op->entry, used, reserved);
        return;
    }
    OpenRow *r = &k->row[__builtin_ctz(op->hits)];
    r->used = used, r->reserved = reserved && used;
}

static bool reserved_of(const Bank *k, const Op *op) {
    return op->hits ? k->row[__builtin_ctz(op->hits)].reserved
                    : (k->map[op->entry] & RESERVED) != 0;
}

static void run_look(AllocUnit *m, const Cycle *c, Bank *k) {
    const Request *q = &c->rq[k->op.port];
    if (!q->asks || !q->known || &m->bank[q->wanted.bank] != k) return;
    uint32_t used = used_of(k, &k->op);
    const bool done = q->how == AU_OWN || q->how == AU_BUDDY;
    if (done && q->kind == AU_GROW && same_row(&q->wanted, &q->old)) used &= ~q->old.mask;
    if (done) used |= q->place.mask;
    const bool ends = q->want == WANT_BUDDY && (done || q->is_short);
    change_row(m, k, &k->op, used, reserved_of(k, &k->op) && !ends);
}

static void load_row(Bank *k, uint32_t entry, uint32_t used, bool reserved) {
    k->row[row_not_valid(k)] =
        (OpenRow){.valid = true, .entry = entry, .used = used, .reserved = reserved};
}

static uint32_t word_end(const AllocUnit *m, uint32_t first) {
    return first + WORD < (uint32_t)m->entries ? first + WORD : (uint32_t)m->entries;
}

static void run_fresh(const AllocUnit *m, Bank *k) {
    for (uint32_t e = k->op.entry; e < word_end(m, k->op.entry); e++) {
        if (k->map[e] & ALL || rows_open(k, e)) continue;
        load_row(k, e, 0, false);
        return;
    }
    flag_set(k->full, (int)k->op.entry / WORD, false);
}

static void run_wish(const AllocUnit *m, Bank *k) {
    bool any = false;
    for (uint32_t e = k->op.entry; e < word_end(m, k->op.entry); e++) {
        const uint32_t used = k->map[e] & ALL, free = ~used & ALL;
        const bool reserved = k->map[e] & RESERVED;
        if (rows_open(k, e) || !partly(used) || (reserved && !m->yield)) continue;
        any = true;
        const uint32_t side = k->wish.side ? side_of(k->wish.side, k->wish.n) : 0;
        if (size_of(free) < k->wish.n || (free & side) != side) continue;
        load_row(k, e, used, reserved);
        k->wish.valid = false;
        return;
    }
    const int word = (int)k->op.entry / WORD;
    if (!k->moved) k->ptr = word + 1;
    if (!any) flag_set(k->some, word, false);
}

static void close_row(Bank *k, int row) {
    OpenRow *r = &k->row[row];
    write_row(k, r->entry, r->used, r->reserved);
    *r = (OpenRow){.valid = false};
}

static void run_op(AllocUnit *m, const Cycle *c, Bank *k) {
    const Op *op = &k->op;
    if (op->stale) return;
    switch (op->kind) {
    case OP_LOOK: run_look(m, c, k); break;
    case OP_GIVE: change_row(m, k, op, used_of(k, op) & ~op->mask, reserved_of(k, op)); break;
    case OP_CLOSE:
        if (op->hits) close_row(k, __builtin_ctz(op->hits));
        break;
    case OP_FRESH: run_fresh(m, k); break;
    case OP_WISH: run_wish(m, k); break;
    case OP_NONE: break;
    }
}

// The row that is closed next, NONE. The victim advances past a partly used row.
static int row_to_close(const AllocUnit *m, Bank *k) {
    if (row_not_valid(k) != NONE || rows_closing(k) || !(wants_fresh(k) || k->wish.valid))
        return NONE;
    for (int i = 0; i < OPEN; i++)
        if (k->row[i].used != ALL && k->row[i].reserved && !m->yield) return i;
    for (int i = 0, next = k->victim; i < OPEN; i++, next = (next + 1) % OPEN) {
        if (!partly(k->row[next].used)) continue;
        k->victim = (next + 1) % OPEN;
        return next;
    }
    return NONE;
}

// Empties the write register; returns its word if a sweep must read it, else `words`.
static int written_word(const AllocUnit *m, Bank *k) {
    if (!k->write.valid) return m->words;
    const uint32_t used = k->write.used;
    const int word = (int)k->write.entry / WORD;
    k->write.valid = false;
    if (!used) flag_set(k->full, word, true);
    if (!partly(used) || (k->write.reserved && !m->yield)) return m->words;
    flag_set(k->some, word, true);
    return word;
}

// Requests served from open rows. A request that waits here or took slices is the next wish.
static void tick_taken(AllocUnit *m, const Cycle *c, int b) {
    Bank *k = &m->bank[b];
    k->heard.valid = false;
    for (int w = 0; w < m->num_wr; w++) {
        const Request *q = &c->rq[w];
        if (!q->asks || !q->comes) continue;
        const bool takes = q->done && q->bank == b, wishes = q->n < 4 && !q->full_wanted;
        const Wish wish = {.valid = true,
                           .demand = q->demand == b,
                           .n = q->n,
                           .side = q->demand == b ? 0 : q->side};
        if (wishes && (wish.demand || takes) &&
            (!k->heard.valid || (wish.demand && !k->heard.demand)))
            k->heard = wish;
        if (!takes) continue;
        OpenRow *r = &k->row[q->row];
        m->regs[0] += r->used == 0;
        r->used |= q->place.mask;
        if (q->full_wanted) r->reserved = r->used != ALL;
    }
}

static void tick_wish(AllocUnit *m, Bank *k, bool swept, int written, const Wish *heard) {
    if (swept) {
        if (!k->wish.side && k->wish.n < k->level) k->level = k->wish.n;
        k->wish.valid = false;
    }
    if (written < m->words) {
        k->level = TOP_LEVEL;
        if (written < k->ptr) k->ptr = written;
    }
    if (m->yield_new) {
        flags_all(m, k->some);
        k->level = TOP_LEVEL, k->ptr = 0;
    }
    const bool same = k->wish.demand && k->wish.n == heard->n;
    const bool new = heard->valid && !(k->wish.valid && (!heard->demand || same));
    if (new) k->wish = *heard, k->ptr = 0;
    k->moved = new || m->yield_new || written < m->words || (k->op.stale && k->moved);
}

static void tick_bank(AllocUnit *m, const Cycle *c, int b) {
    Bank *k = &m->bank[b];
    const Wish heard = k->heard;
    const bool swept = k->wish.valid && !scans(k) && flag_first(k->some, k->ptr) == NONE;
    write_map(k);
    const int closes = row_to_close(m, k), written = written_word(m, k);
    if (k->clear) k->clear--;
    run_op(m, c, k);
    if (c->leaves[b] != NONE) close_row(k, c->leaves[b]);
    tick_taken(m, c, b);
    tick_wish(m, k, swept, written, &heard);
    if (closes != NONE) k->row[closes].closing = true;
    k->op = c->next[b];
}

// ---- clock edge ---------------------------------------------------------------------------------

static void push_give(AllocUnit *m, int first, int second, Place p) {
    const int g = m->gives >> first & 1 ? second : first;
    m->give[g] = p;
    m->gives |= 1u << g;
}

// Pushes the slices that requests release and that ports free. Give registers that are emptied in
// this cycle are not refilled yet.
static void tick_gives(AllocUnit *m, const AllocUnitIn *in, const Cycle *c) {
    const int nf = m->num_free, nw = m->num_wr;
    for (int w = 0; w < nw; w++) {
        const Request *q = &c->rq[w];
        if (!q->asks || !q->done) continue;
        m->slices[0] += (uint32_t)(size_of(q->place.mask) - size_of(q->old.mask));
        const bool looked = q->how == AU_OWN || q->how == AU_BUDDY;
        if (q->kind == AU_KEEP || q->kind == AU_FIRST || (looked && same_row(&q->place, &q->old)))
            continue;
        Place left = q->old;
        if (q->kind == AU_SHRINK) left.mask &= ~q->place.mask;
        push_give(m, nf + w, nf + nw + w, left);
    }
    for (uint32_t left = in->fr_valid[0] & ((1u << nf) - 1); left; left &= left - 1) {
        const int f = __builtin_ctz(left), second = nf + 2 * nw + f;
        if (m->gives >> f & m->gives >> second & 1) continue;
        push_give(m, f, second, (Place){in->fr_bank[f], in->fr_entry[f], in->fr_mask[f]});
        m->slices[0] -= (uint32_t)size_of(in->fr_mask[f]);
    }
    m->gives &= ~c->emptied;
}

static void tick_ports(AllocUnit *m, const AllocUnitIn *in, const Cycle *c) {
    bool asked = false, none = false;
    for (int w = 0; w < m->num_wr; w++) {
        const Request *q = &c->rq[w];
        Port *p = &m->port[w];
        asked |= q->asks, none |= q->asks && q->none;
        if (!q->asks || q->done) {
            *p = (Port){.last = false};
            continue;
        }
        const bool own = q->want == WANT_OWN;
        p->own_no |= own && q->is_short;
        p->bd_no |= q->want == WANT_BUDDY && q->is_short;
        p->last = q->none || (p->last && !(own && q->known));
        p->bd_in = true;
        p->bd = (Place){in->rq_bd_bank[w], in->rq_bd_entry[w], in->rq_bd_mask[w]};
    }
    if (asked) m->turn = m->turn + 1 < m->num_wr ? m->turn + 1 : 0;
    const bool was_new = m->yield_new, yields = was_new || (m->yield && !m->wholes);
    m->yield_new = none && in->policy[0] == AU_PAIR && !m->yield && !was_new;
    m->yield_changes = yields != m->yield;
    m->yield = yields;
}

static void load_hint(AllocUnit *m, const AllocUnitIn *in) {
    Hint *slot = &m->hint[in->hl_kernel[0] * AU_REGS], *h = &slot[in->hl_reg[0]];
    switch (in->hl_op[0]) {
    case AU_HINT_CLEAR:
        for (int r = 0; r < AU_REGS; r++) slot[r].align = slot[r].paired = 0;
        break;
    case AU_HINT_PAIR: h->paired = 1, h->buddy = (uint8_t)in->hl_value[0]; break;
    case AU_HINT_ALIGN: h->align = in->hl_value[0] & 3; break;
    default: break;
    }
}

static void tick_hints(AllocUnit *m, const AllocUnitIn *in) {
    m->answered = in->hq_valid[0] & ((1u << m->num_alloc) - 1);
    for (uint32_t left = m->answered; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->answer[w] = m->hint[in->hq_kernel[w] * AU_REGS + in->hq_reg[w]];
    }
    if (in->hl_valid[0]) load_hint(m, in);
}

static uint32_t all_banks(const AllocUnit *m) { return (uint32_t)((1ull << m->banks) - 1); }

// Banks with an operation or a request.
static uint32_t banks_at_work(const AllocUnit *m, const AllocUnitIn *in, const Cycle *c) {
    uint32_t work = m->awake;
    if (m->yield_new) return all_banks(m);
    for (uint32_t left = m->gives; left; left &= left - 1)
        work |= 1u << m->give[__builtin_ctz(left)].bank;
    for (int w = 0; w < m->num_wr; w++) {
        const Request *q = &c->rq[w];
        if (in->lk_valid[0] >> w & 1) work |= 1u << in->lk_bank[w];
        if (!q->asks) continue;
        if (q->want != WANT_NOTHING) work |= 1u << q->wanted.bank;
        if (q->bank != NONE) work |= 1u << q->bank;
        if (q->demand != NONE) work |= 1u << q->demand;
    }
    return work;
}

static void tick_banks(AllocUnit *m, const AllocUnitIn *in, Cycle *c, uint32_t work) {
    for (uint32_t left = work; left; left &= left - 1) select_next(m, in, c, __builtin_ctz(left));
    for (uint32_t left = work; left; left &= left - 1) tick_bank(m, c, __builtin_ctz(left));
}

static void au_tick(void *self, const void *inputs) {
    AllocUnit *m = self;
    const AllocUnitIn *in = inputs;
    Cycle c;
    if (m->is_ideal) {
        alloc_ideal_tick(&m->ideal, in);
        tick_hints(m, in);
        return;
    }
    c.rq = decide_all(m, in);
    c.emptied = 0;
    m->decided = false;
    const uint32_t work = banks_at_work(m, in, &c);
    m->any_full = m->fulls != 0;
    m->slices[2] = m->slices[1], m->slices[1] = m->slices[0], m->regs[1] = m->regs[0];
    tick_banks(m, in, &c, work);
    tick_ports(m, in, &c);
    tick_gives(m, in, &c);
    for (uint32_t left = m->yield_changes ? all_banks(m) : work; left; left &= left - 1)
        settle_bank(m, __builtin_ctz(left));
    m->looks = 0;
    for (uint32_t left = m->awake; left; left &= left - 1) {
        const Op *op = &m->bank[__builtin_ctz(left)].op;
        if (op->kind == OP_LOOK) m->looks |= 1u << op->port;
    }
    tick_hints(m, in);
}

void alloc_unit_ideal(void *self) { ((AllocUnit *)self)->is_ideal = true; }

bool alloc_unit_resting(const void *self) {
    const AllocUnit *m = self;
    if (m->is_ideal) return !m->answered;
    const Port *p = m->port;
    for (int w = 0; w < m->num_wr; w++)
        if (p[w].own_no || p[w].bd_no || p[w].last || p[w].bd_in) return false;
    return !m->awake && !m->gives && !m->answered && !m->yield_new && !(m->yield && m->wholes) &&
        m->any_full == (m->fulls != 0) && m->slices[0] == m->slices[1] &&
        m->slices[0] == m->slices[2] && m->regs[0] == m->regs[1];
}

void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask) {
    AllocUnit *m = self;
    if (m->is_ideal) {
        alloc_ideal_give(&m->ideal, bank, entry, mask);
        return;
    }
    Bank *k = &m->bank[bank];
    const uint32_t hits = rows_open(k, entry);
    const Op op = {.kind = OP_GIVE, .entry = entry, .mask = mask, .hits = hits};
    m->slices[0] -= (uint32_t)size_of(mask);
    m->decided = false;
    if (!hits && k->write.valid && k->write.entry == entry) {
        k->write.used &= ~mask;
        m->regs[0] -= !k->write.used;
    } else {
        if (!hits) write_map(k), written_word(m, k);
        change_row(m, k, &op, used_of(k, &op) & ~mask, reserved_of(k, &op));
    }
    settle_bank(m, (int)bank);
}

// ---- observation --------------------------------------------------------------------------------

enum { OBS_MAP, OBS_OPEN, OBS_BANKS, OBS_HINTS, OBS_STATE, OBS_REGIONS };

static void obs_lengths(const AllocUnit *m, uint32_t length[OBS_REGIONS]) {
    length[OBS_MAP] = (uint32_t)(m->banks * ((m->entries + 15) / 16));
    length[OBS_OPEN] = (uint32_t)(m->banks * OPEN);
    length[OBS_BANKS] = (uint32_t)m->banks;
    length[OBS_HINTS] = (uint32_t)(m->num_kernels * AU_REGS);
    length[OBS_STATE] = 1;
}

static uint32_t au_obs_count(void *self) {
    uint32_t length[OBS_REGIONS], all = 0;
    obs_lengths(self, length);
    for (int i = 0; i < OBS_REGIONS; i++) all += length[i];
    return all;
}

static void observe_map(const AllocUnit *m, int group, uint32_t *words) {
    const int groups = (m->entries + 15) / 16, b = group / groups, first = group % groups * 16;
    for (int i = 0; i < 16 && first + i < m->entries; i++)
        if ((first + i) / WORD >= m->bank[b].clear)
            words[i / 4] |= (uint32_t)m->bank[b].map[first + i] << i % 4 * 8;
}

static void observe_open(const OpenRow *r, uint32_t *words) {
    if (!r->valid) return;
    words[0] = r->entry | r->used << 10 | (uint32_t)r->reserved << 14 | (uint32_t)r->closing << 15 |
        1u << 16;
}

static void observe_bank(const Bank *k, uint32_t *words) {
    const Wish none = {0}, *wish = k->wish.valid ? &k->wish : &none;
    words[0] = (uint32_t)k->level | (uint32_t)wish->valid << 4 | (uint32_t)wish->n << 5 |
        wish->side << 8 | (uint32_t)wish->demand << 10 | (uint32_t)k->victim << 12 |
        (uint32_t)k->ptr << 16;
    words[1] = (uint32_t)k->full[0], words[2] = (uint32_t)k->some[0];
    words[3] = (uint32_t)k->clear;
}

static void au_observe(void *self, uint32_t addr, uint32_t *words) {
    const AllocUnit *m = self;
    uint32_t length[OBS_REGIONS];
    memset(words, 0, 4 * sizeof *words);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
        return;
    }
    obs_lengths(m, length);
    int region = 0;
    while (region < OBS_REGIONS && addr >= length[region]) addr -= length[region++];
    const Hint *h = &m->hint[region == OBS_HINTS ? addr : 0];
    switch (region) {
    case OBS_MAP: observe_map(m, (int)addr, words); break;
    case OBS_OPEN: observe_open(&m->bank[addr / OPEN].row[addr % OPEN], words); break;
    case OBS_BANKS: observe_bank(&m->bank[addr], words); break;
    case OBS_HINTS:
        words[0] = (uint32_t)(h->align | h->paired << 2 | (h->paired ? h->buddy << 3 : 0));
        break;
    case OBS_STATE:
        words[0] = (uint32_t)m->turn | (uint32_t)m->yield << 8;
        words[1] = m->slices[2], words[2] = m->regs[1], words[3] = m->gives;
        break;
    default: break;
    }
}

const BlockModel alloc_unit_model = {"alloc_unit", au_open,      au_close,   au_reset, au_eval,
                                     au_tick,      au_obs_count, au_observe, 4};
