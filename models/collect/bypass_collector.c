// SPDX-License-Identifier: Apache-2.0
// Golden model of bypass_collector, with a map from registers to rows and with sets of rows. A BOC
// has a set for each kind of row and one for each slot (the rows whose register its instruction
// named last). Values that depend on a BOC's state alone (offers, room) are computed once after
// each change of that BOC. An idle BOC costs nothing.
#include "models/collect/bypass_collector.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1, REGS = 64, BITS_RF = 1, BITS_ONLY = 2, BITS_BOTH = 3 };
static const uint32_t ALL_LANES = UINT32_MAX;

typedef struct Slot {
    bool waiting;
    uint8_t unit, need, follows;
    int8_t row[BOW_MAX_OPS];
    uint8_t src[BOW_MAX_OPS];
    uint8_t base, awaited;
} Slot;

typedef struct Boc {
    uint8_t head, read, next;
    int8_t coming;  // row, NONE
    uint8_t refused;
    bool held, pressed;
    Slot slot[BOW_MAX_WINDOW];
    int8_t row_of[REGS];  // NONE; not kept without forwarding
    uint8_t reg[BOW_MAX_VALUES];
    uint32_t named[BOW_MAX_WINDOW];  // rows in the window, by slot
    uint32_t ask, dirty, only, save, reserved, empty;
    // Derived from the above.
    int8_t asked, offer, candidate;  // row, slot, row; NONE
    // the offer exists because `refused` counts as empty
    bool restart;
    bool save_offered;
    // rows that can be taken: free; freed by the move; clean and idle
    uint32_t free, leaving, clean;
    uint8_t from;  // `next` at the start of the cycle
} Boc;

typedef enum Becomes { ENDS, MERGED, STORED, WRITTEN } Becomes;
// The effect of a result.
typedef struct Plan {
    // saved: its row was to be saved at the start of the cycle
    bool served, now, taken, full, done, saved;
    uint8_t bits;
    Becomes becomes;
    int row, slot;  // NONE
} Plan;
typedef struct Ports {
    Plan plan[BOW_MAX_WR];
    uint32_t res_ready, wr_valid, wr_save;
} Ports;

typedef struct BypassCollector {
    int params[PARAMS];
    int num_coll, num_ops, num_alloc, num_disp, num_wr, window, values, banks;
    uint32_t rows;  // set of all
    Boc boc[BOW_MAX_COLL];
    int disp_pointer[BOW_MAX_DISP], wr_pointer[BOW_MAX_WR], rd_first;
    bool turn[BOW_MAX_WR];
    uint32_t fwd[BOW_MAX_ALLOC];
    uint64_t asks, offers[BOW_MAX_DISP], saves[BOW_MAX_WR], pressed, held;  // sets of BOCs
    int disp_coll[BOW_MAX_DISP], save_coll[BOW_MAX_WR];  // BOCs that the ports take, NONE
    BypassCollectorOut now;                              // outputs per BOC
    uint32_t row[BOW_MAX_COLL][BOW_MAX_VALUES][32];
} BypassCollector;

// ---- sets ---------------------------------------------------------------------------------------

static uint32_t bit(int i) { return 1u << i; }
static uint64_t bit64_of(int i) { return (uint64_t)1 << i; }

// The first member from `from` on, cyclically; NONE when the set is empty.
static int first_from(uint64_t set, int from) {
    const uint64_t later = set & UINT64_MAX << from;
    return later ? __builtin_ctzll(later) : set ? __builtin_ctzll(set) : NONE;
}

static int behind(int i, int n) { return i + 1 < n ? i + 1 : 0; }

static uint64_t put(uint64_t set, int i, bool value) {
    return (set & ~bit64_of(i)) | (uint64_t)value << i;
}

// ---- values derived from the state of a BOC -----------------------------------------------------

static uint32_t in_window(const BypassCollector *m, const Boc *b) {
    uint32_t set = 0;
    for (int s = 0; s < m->window; s++) set |= b->named[s];
    return set;
}

static uint32_t operands_of(const Slot *s) {
    uint32_t set = 0;
    for (int o = 0; o < BOW_MAX_OPS; o++)
        if (s->need >> o & 1) set |= bit(s->row[o]);
    return set;
}

static void choose_offer(const BypassCollector *m, Boc *b, uint32_t pending) {
    int oldest = NONE, other = NONE;
    for (int i = 0, s = b->head; i < m->window; i++, s = behind(s, m->window)) {
        const Slot *w = &b->slot[s];
        if (!w->waiting || w->follows || operands_of(w) & pending) continue;
        if (oldest == NONE) oldest = s;
        if (other == NONE && !(b->refused >> w->unit & 1)) other = s;
    }
    b->restart = other == NONE;
    b->offer = (int8_t)(b->restart ? oldest : other);
}

static void choose_save(const BypassCollector *m, Boc *b) {
    uint32_t set = b->save;
    if (!set && (b->pressed || __builtin_popcount(b->dirty) > m->values - m->num_ops))
        set = b->dirty & ~b->only;
    b->candidate = (int8_t)first_from(set, b->next);
    b->save_offered = b->candidate != NONE;
    if (b->offer == NONE || b->candidate == NONE ||
        !(b->slot[b->offer].need >> (m->num_ops - 1) & 1))
        return;
    if (b->held) b->offer = NONE;
    else b->save_offered = false;
}

static uint32_t room(uint32_t rows) {
    const int n = __builtin_popcount(rows);
    return (uint32_t)(n < BOW_MAX_ROOM ? n : BOW_MAX_ROOM);
}

static void boc_refresh(BypassCollector *m, int c) {
    Boc *b = &m->boc[c];
    const uint32_t window = in_window(m, b),
                   pending = b->ask | (b->coming == NONE ? 0 : bit(b->coming));
    uint32_t needed = 0;
    bool waits = false;
    for (int s = 0; s < m->window; s++)
        if (b->slot[s].waiting) needed |= operands_of(&b->slot[s]), waits = true;
    b->free = m->rows & ~(window | b->save);
    b->clean = window & ~(b->dirty | pending | b->reserved | needed);
    b->leaving = b->named[b->head] & ~(b->dirty & ~b->only);
    b->from = b->next;
    b->asked = (int8_t)first_from(b->ask, b->read);
    choose_offer(m, b, pending);
    choose_save(m, b);
    m->asks = put(m->asks, c, b->asked != NONE);
    for (int d = 0; d < m->num_disp; d++)
        m->offers[d] = put(m->offers[d], c, b->offer != NONE && b->slot[b->offer].unit == d);
    m->saves[c % m->num_wr] = put(m->saves[c % m->num_wr], c, b->save_offered);
    m->pressed = put(m->pressed, c, b->pressed);
    m->held = put(m->held, c, b->held);
    BypassCollectorOut *out = &m->now;
    out->alloc_ready[c] = !b->slot[b->head].waiting;
    out->alloc_slot[c] = b->head;
    out->alloc_room[c] = room(b->free | b->clean | b->leaving);
    out->more_room[c] = room(b->free | b->clean);
    out->rd_valid[c] = b->asked != NONE;
    out->rd_reg[c] = b->asked != NONE ? b->reg[b->asked] : 0;
    out->saving[c] = b->candidate != NONE;
    out->empty[c] = b->free == m->rows && !waits;
}

static void pool_refresh(BypassCollector *m) {
    for (int d = 0; d < m->num_disp; d++)
        m->disp_coll[d] = first_from(m->offers[d], m->disp_pointer[d]);
    for (int p = 0; p < m->num_wr; p++) m->save_coll[p] = first_from(m->saves[p], m->wr_pointer[p]);
}

// ---- results ------------------------------------------------------------------------------------

static int slot_that_awaits(const BypassCollector *m, const Boc *b, uint32_t reg) {
    for (int s = 0; s < m->window; s++) {
        const uint32_t word = reg - b->slot[s].base;
        if (word < BOW_WORDS && b->slot[s].awaited >> word & 1) return s;
    }
    return NONE;
}

static void plan_write(Plan *plan, bool homeless) {
    plan->becomes = WRITTEN;
    plan->now = !homeless;
}

static void plan_with_rows(const Boc *b, Plan *plan, uint32_t reg, uint32_t lanes, bool homeless,
                           bool through) {
    plan->row = b->row_of[reg];
    const uint32_t at = plan->row == NONE ? 0 : bit(plan->row);
    plan->saved = b->save & at;
    plan->full = lanes == ALL_LANES || (homeless && !(b->dirty & at));
    if (plan->bits == 0) return;
    if (!plan->full && b->dirty & at) {
        plan->becomes = MERGED;
        return;
    }
    if (!(plan->bits & BITS_ONLY) || (!plan->full && (!at || b->empty & at))) {
        plan_write(plan, homeless);
        return;
    }
    if (!at) {
        plan->row = first_from(b->free ? b->free : b->clean, b->from);
        plan->taken = plan->row != NONE;
        if (!plan->taken) {
            plan_write(plan, homeless);
            return;
        }
    }
    plan->becomes = STORED;
    plan->now = through;
}

static Plan plan_result(const BypassCollector *m, const BypassCollectorIn *in, int p) {
    Plan plan = {.row = NONE, .slot = NONE};
    if (!(in->res_valid[0] >> p & 1) || in->res_coll[p] >= (uint32_t)m->num_coll) return plan;
    for (int lower = 0; lower < p; lower++)
        if (in->res_valid[0] >> lower & 1 && in->res_coll[lower] == in->res_coll[p]) return plan;
    plan.served = true;
    const Boc *b = &m->boc[in->res_coll[p]];
    const uint32_t mode = in->mode[0], reg = in->res_reg[p], lanes = in->res_lane[p];
    plan.slot = slot_that_awaits(m, b, reg);
    plan.bits = mode == BOW_COMPILER ? (uint8_t)in->res_write[p] : BITS_BOTH;
    if (plan.bits && plan.slot == NONE) plan.bits = BITS_RF;
    if (!lanes) plan.bits = 0;
    if (mode != BOW_NO_FORWARD)
        plan_with_rows(b, &plan, reg, lanes, in->res_homeless[0] >> p & 1,
                       mode == BOW_WRITE_THROUGH);
    else if (lanes) plan_write(&plan, false);
    return plan;
}

static void plan_ports(const BypassCollector *m, const BypassCollectorIn *in, Ports *w) {
    w->res_ready = w->wr_valid = w->wr_save = 0;
    for (int p = 0; p < m->num_wr; p++) {
        Plan *plan = &w->plan[p];
        const bool save = m->save_coll[p] != NONE;
        if (in->res_valid[0] >> p & 1) *plan = plan_result(m, in, p);
        else plan->served = plan->now = plan->done = false;
        const bool mine = plan->now && !(save && m->turn[p]);
        if (plan->served && (!plan->now || mine)) w->res_ready |= bit(p);
        if (mine || save) w->wr_valid |= bit(p);
        if (save && !mine) w->wr_save |= bit(p);
        plan->done = w->res_ready >> p & 1 && (!plan->now || in->wr_ready[0] >> p & 1);
    }
}

// ---- open, reset --------------------------------------------------------------------------------

static void boc_reset(Boc *b) {
    memset(b, 0, sizeof *b);
    memset(b->row_of, NONE, sizeof b->row_of);
    b->coming = NONE;
}

static void bow_reset(void *self) {
    BypassCollector *m = self;
    for (int c = 0; c < m->num_coll; c++) {
        boc_reset(&m->boc[c]);
        boc_refresh(m, c);
    }
    memset(m->disp_pointer, 0, sizeof m->disp_pointer);
    memset(m->wr_pointer, 0, sizeof m->wr_pointer);
    memset(m->turn, 0, sizeof m->turn);
    memset(m->fwd, 0, sizeof m->fwd);
    m->rd_first = 0;
    pool_refresh(m);
}

static void *bow_open(const int *params) {
    BypassCollector *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->num_coll = params[P_NumColl], m->num_ops = params[P_NumOps],
    m->num_alloc = params[P_NumAlloc];
    m->num_disp = params[P_NumDisp], m->num_wr = params[P_NumWr], m->banks = params[P_Banks];
    m->window = params[P_Window], m->values = params[P_Values];
    m->rows = bit(m->values) - 1;
    bow_reset(m);
    return m;
}

static void bow_close(void *self) { free(self); }

// ---- outputs ------------------------------------------------------------------------------------

static void eval_dispatch(const BypassCollector *m, BypassCollectorOut *out) {
    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        const int c = m->disp_coll[d];
        if (c == NONE) continue;
        const Boc *b = &m->boc[c];
        const Slot *s = &b->slot[b->offer];
        out->disp_valid[0] |= bit(d);
        out->disp_coll[d] = (uint32_t)c;
        out->disp_slot[d] = (uint32_t)b->offer;
        out->disp_need[0] |= (uint32_t)s->need << d * m->num_ops;
        for (int o = 0; o < m->num_ops; o++)
            if (s->need >> o & 1)
                memcpy(out->disp_data[d * m->num_ops + o], m->row[c][s->row[o]], 128);
    }
}

static void eval_writes(const BypassCollector *m, const Ports *w, const BypassCollectorIn *in,
                        BypassCollectorOut *out) {
    out->res_ready[0] = w->res_ready, out->wr_valid[0] = w->wr_valid, out->wr_save[0] = w->wr_save;
    for (uint32_t left = w->wr_valid; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        const bool save = w->wr_save >> p & 1;
        const int c = save ? m->save_coll[p] : (int)in->res_coll[p],
                  row = save ? m->boc[c].candidate : 0;
        out->wr_coll[p] = (uint32_t)c;
        out->wr_reg[p] = save ? m->boc[c].reg[row] : in->res_reg[p];
        out->wr_lane[p] = save ? ALL_LANES : in->res_lane[p];
        memcpy(out->wr_data[p], save ? m->row[c][row] : in->res_data[p], 128);
    }
}

static void bow_eval(void *self, const void *inputs, void *outputs) {
    const BypassCollector *m = self;
    const BypassCollectorIn *in = inputs;
    BypassCollectorOut *out = outputs;
    Ports w;
    plan_ports(m, in, &w);
    const size_t words = sizeof(uint32_t) * (unsigned)m->num_coll;
    memcpy(out->alloc_ready, m->now.alloc_ready, words);
    memcpy(out->alloc_slot, m->now.alloc_slot, words);
    memcpy(out->alloc_room, m->now.alloc_room, words);
    memcpy(out->more_room, m->now.more_room, words);
    memcpy(out->rd_valid, m->now.rd_valid, words);
    memcpy(out->rd_reg, m->now.rd_reg, words);
    memcpy(out->saving, m->now.saving, words);
    memcpy(out->empty, m->now.empty, words);
    memcpy(out->fwd, m->fwd, sizeof m->fwd);
    out->rd_first[0] = (uint32_t)m->rd_first;
    eval_dispatch(m, out);
    eval_writes(m, &w, in, out);
}

// ---- rows ---------------------------------------------------------------------------------------

static void rows_leave(Boc *b, int window, uint32_t rows) {
    for (int s = 0; s < window; s++) b->named[s] &= ~rows;
}

static void rows_free(const BypassCollector *m, Boc *b, uint32_t rows) {
    for (uint32_t left = rows; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        if (b->row_of[b->reg[i]] == i) b->row_of[b->reg[i]] = NONE;
    }
    rows_leave(b, m->window, rows);
    b->ask &= ~rows, b->dirty &= ~rows, b->only &= ~rows, b->save &= ~rows, b->reserved &= ~rows,
        b->empty &= ~rows;
}

// Assigns row i to this register and overwrites its old assignment.
static void row_take(const BypassCollector *m, Boc *b, int i, uint32_t reg, int slot, bool known) {
    rows_free(m, b, bit(i));
    b->reg[i] = (uint8_t)reg;
    if (known) b->row_of[reg] = (int8_t)i;
    b->named[slot] |= bit(i);
    b->next = (uint8_t)behind(i, m->values);
}

static void set_row(uint32_t *set, int i, bool value) { *set = (uint32_t)put(*set, i, value); }

// ---- a cycle ------------------------------------------------------------------------------------

static uint64_t arrive(BypassCollector *m, const BypassCollectorIn *in) {
    uint64_t touched = 0;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        const uint32_t c = in->rd_data_coll[k];
        if (k >= m->banks || c >= (uint32_t)m->num_coll || m->boc[c].coming == NONE) continue;
        memcpy(m->row[c][m->boc[c].coming], in->rd_data[k], 128);
        m->boc[c].coming = NONE;
        touched |= bit64_of((int)c);
    }
    return touched;
}

static uint64_t reads(BypassCollector *m, const BypassCollectorIn *in) {
    bool stays = false;
    for (uint64_t left = m->asks; left; left &= left - 1) {
        const int c = __builtin_ctzll(left);
        Boc *b = &m->boc[c];
        b->read = (uint8_t)behind(b->asked, m->values);
        if (in->rd_grant[c]) {
            b->coming = b->asked;
            b->ask &= ~bit(b->asked);
        } else if (c == m->rd_first) {
            stays = true;
        }
    }
    if (m->asks && !stays) m->rd_first = behind(m->rd_first, m->num_coll);
    return m->asks;
}

static void leaves(const BypassCollector *m, Boc *b, int slot) {
    b->slot[slot].waiting = false;
    b->slot[slot].need = 0;
    for (int s = 0; s < m->window; s++) b->slot[s].follows &= (uint8_t)~bit(slot);
}

static uint64_t dispatch(BypassCollector *m, const BypassCollectorIn *in) {
    uint64_t offers = 0;
    for (int d = 0; d < m->num_disp; d++) {
        offers |= m->offers[d];
        for (uint64_t left = m->offers[d]; left; left &= left - 1) {
            const int c = __builtin_ctzll(left);
            Boc *b = &m->boc[c];
            if (c == m->disp_coll[d] && in->disp_ready[0] >> d & 1) {
                leaves(m, b, b->offer);
                b->refused = 0;
                m->disp_pointer[d] = behind(c, m->num_coll);
            } else {
                b->refused = (uint8_t)((b->restart ? 0 : b->refused) | bit(d));
            }
        }
    }
    return offers;
}

static uint64_t save(BypassCollector *m, const BypassCollectorIn *in, const Ports *w) {
    uint64_t touched = 0;
    for (int p = 0; p < m->num_wr; p++) {
        const int c = m->save_coll[p];
        const bool taken = w->wr_valid & in->wr_ready[0] & bit(p), result = !(w->wr_save >> p & 1);
        if (c != NONE && w->plan[p].now && taken) m->turn[p] = result;
        if (c == NONE || result || !taken) continue;
        Boc *b = &m->boc[c];
        const uint32_t at = bit(b->candidate);
        b->dirty &= ~at, b->save &= ~at;
        if (!(in_window(m, b) & at)) rows_free(m, b, at);
        m->wr_pointer[p] = behind(c, m->num_coll);
        touched |= bit64_of(c);
    }
    return touched;
}

// A save that was held back in this cycle has the turn in the next.
static uint64_t hold(BypassCollector *m) {
    uint64_t touched = 0, set = m->held;
    for (int d = 0; d < m->num_disp; d++) set |= m->offers[d];
    for (int p = 0; p < m->num_wr; p++) set |= m->saves[p];
    for (; set; set &= set - 1) {
        const int c = __builtin_ctzll(set);
        Boc *b = &m->boc[c];
        const bool held = b->candidate != NONE && !b->save_offered;
        if (held != b->held) touched |= bit64_of(c);
        b->held = held;
    }
    return touched;
}

static uint64_t kill(BypassCollector *m, const BypassCollectorIn *in) {
    uint64_t touched = 0;
    for (int k = 0; k < m->num_alloc; k++) {
        const uint32_t c = in->kill_coll[k];
        if (!(in->kill_valid[0] >> k & 1) || c >= (uint32_t)m->num_coll) continue;
        Boc *b = &m->boc[c];
        const uint64_t regs = in->kill_regs[2 * k] | (uint64_t)in->kill_regs[2 * k + 1] << 32;
        uint32_t rows = 0;
        for (uint32_t left = in_window(m, b) | b->save; left; left &= left - 1)
            if (regs >> b->reg[__builtin_ctz(left)] & 1) rows |= left & -left;
        rows_free(m, b, rows);
        touched |= bit64_of((int)c);
    }
    return touched;
}

static void store(uint32_t row[32], const uint32_t data[32], uint32_t lanes) {
    for (int i = 0; i < 32; i++) {
        uint32_t mask = 0;
        for (int k = 0; k < 4; k++)
            if (lanes >> (i % 8 * 4 + k) & 1) mask |= 0xffu << 8 * k;
        row[i] = (row[i] & ~mask) | (data[i] & mask);
    }
}

static void result_kept(BypassCollector *m, const BypassCollectorIn *in, int p, const Plan *plan) {
    const int c = (int)in->res_coll[p], i = plan->row;
    Boc *b = &m->boc[c];
    if (plan->taken) row_take(m, b, i, in->res_reg[p], plan->slot, true);
    if (plan->full) memcpy(m->row[c][i], in->res_data[p], 128);
    else store(m->row[c][i], in->res_data[p], in->res_lane[p]);
    if (plan->becomes == MERGED) {
        b->row_of[in->res_reg[p]] = (int8_t)i;  // a save of this cycle may have freed it
        set_row(&b->only, i, b->only >> i & 1 && in->res_write[p] == BITS_ONLY);
        set_row(&b->save, i, plan->saved);
        set_row(&b->dirty, i, true);
    } else {
        set_row(&b->only, i, plan->bits == BITS_ONLY);
        set_row(&b->save, i, false);
        set_row(&b->dirty, i, !plan->now);
    }
    set_row(&b->reserved, i, false);
    set_row(&b->empty, i, false);
}

static uint64_t results(BypassCollector *m, const BypassCollectorIn *in, const Ports *w) {
    uint64_t touched = 0;
    for (int p = 0; p < m->num_wr; p++) {
        const Plan *plan = &w->plan[p];
        if (!plan->done) continue;
        Boc *b = &m->boc[in->res_coll[p]];
        touched |= bit64_of((int)in->res_coll[p]);
        Slot *s = plan->slot == NONE ? NULL : &b->slot[plan->slot];
        if (s) s->awaited &= (uint8_t)~bit((int)in->res_reg[p] - s->base);
        if (plan->becomes == MERGED || plan->becomes == STORED) {
            result_kept(m, in, p, plan);
        } else if (plan->row != NONE) {
            const uint32_t at = bit(plan->row);
            if (plan->becomes == WRITTEN || b->empty & at) rows_free(m, b, at);
            b->reserved &= ~at;
        }
    }
    return touched;
}

// ---- entering -----------------------------------------------------------------------------------

// An instruction, and the rows it may take.
typedef struct Entry {
    bool pass, forwards, only;
    int slot, words;
    uint32_t need, dst;
    const uint32_t *src;
    uint32_t free, clean, rows;  // rows: those that it names
    int from;                    // where its taking starts
} Entry;

static int take(const BypassCollector *m, Boc *b, Entry *e, uint32_t reg) {
    const int i = first_from(e->free ? e->free : e->clean, e->from);
    if (i == NONE) return NONE;  // never driven
    e->free &= ~bit(i), e->clean &= ~bit(i);
    row_take(m, b, i, reg, e->slot, e->forwards);
    return i;
}

static void move_window(const BypassCollector *m, Boc *b) {
    const uint32_t rows = b->named[b->head], saved = rows & b->dirty & ~b->only;
    b->slot[b->head].awaited = 0;
    rows_free(m, b, rows & ~saved);
    b->named[b->head] = 0;
    b->save |= saved;
    b->reserved &= ~saved;
    b->head = (uint8_t)behind(b->head, m->window);
}

static int row_known(const Boc *b, const Entry *e, uint32_t reg) {
    return e->forwards ? b->row_of[reg] : NONE;
}

// Rows of the instruction that it may not take: those of its operands and those that it reserves.
static uint32_t own_rows(const Boc *b, const Entry *e) {
    uint32_t rows = 0;
    for (int o = 0; o < BOW_MAX_OPS; o++)
        if (e->need >> o & 1 && row_known(b, e, e->src[o]) != NONE)
            rows |= bit(b->row_of[e->src[o]]);
    for (int w = 0; e->only && w < e->words; w++)
        if (row_known(b, e, e->dst + (uint32_t)w) != NONE)
            rows |= bit(b->row_of[e->dst + (uint32_t)w]);
    return rows;
}

// Returns the operands that had a row.
static uint32_t enter_operands(const BypassCollector *m, Boc *b, Entry *e) {
    uint32_t had = 0;
    Slot *s = &b->slot[e->slot];
    for (int o = 0; o < m->num_ops; o++)
        if (e->need >> o & 1 && row_known(b, e, e->src[o]) != NONE &&
            !(b->empty >> row_known(b, e, e->src[o]) & 1))
            had |= bit(o);
    for (int o = 0; o < m->num_ops; o++) {
        if (!(e->need >> o & 1)) continue;
        int i = row_known(b, e, e->src[o]);
        for (int x = 0; x < o && !e->forwards && !e->pass; x++)
            if (e->need >> x & 1 && e->src[x] == e->src[o]) i = s->row[x];
        if (i == NONE && !e->pass) {
            i = take(m, b, e, e->src[o]);
            if (i != NONE) b->ask |= bit(i);
            // reserved by the first part, and now read by a later one
        } else if (!e->pass && b->empty & bit(i)) {
            b->ask |= bit(i), b->empty &= ~bit(i);
        }
        if (i != NONE) e->rows |= bit(i);
        s->row[o] = (int8_t)(i == NONE ? 0 : i);
        s->src[o] = (uint8_t)e->src[o];
    }
    return had;
}

static void enter_words(const BypassCollector *m, Boc *b, Entry *e) {
    for (int w = 0; w < e->words; w++) {
        const uint32_t reg = (e->dst + (uint32_t)w) % REGS;
        int i = row_known(b, e, reg);
        if (e->only) {
            if (i == NONE) {
                i = take(m, b, e, reg);
                if (i != NONE) b->empty |= bit(i);
            }
            if (i != NONE) b->reserved |= bit(i);
        }
        if (i != NONE) e->rows |= bit(i);
    }
}

static uint8_t must_follow(const BypassCollector *m, const Boc *b, const Entry *e) {
    uint8_t set = 0;
    for (int s = 0; s < m->window; s++)
        for (int o = 0; b->slot[s].waiting && o < m->num_ops; o++)
            if (b->slot[s].need >> o & 1 && b->slot[s].src[o] - e->dst < (uint32_t)e->words)
                set |= (uint8_t)bit(s);
    return set;
}

// `except`: the row of the BOC's result of this cycle. Returns the operands that were forwarded.
static uint32_t enter(BypassCollector *m, const BypassCollectorIn *in, int a, uint32_t except) {
    const bool more = in->alloc_more[0] >> a & 1;
    Boc *b = &m->boc[in->alloc_coll[a]];
    Entry e = {
        .pass = in->alloc_pass[0] >> a & 1,
        .forwards = in->mode[0] != BOW_NO_FORWARD,
        .only = in->alloc_only[0] >> a & 1 && in->mode[0] == BOW_COMPILER,
        .words = more ? 0 : (int)in->alloc_words[a],
        .need = in->alloc_need[a] & (bit(m->num_ops) - 1),
        .dst = in->alloc_dst[a],
        .src = &in->alloc_src[a * m->num_ops],
        .free = b->free | (more ? 0 : b->leaving),
        .clean = b->clean & ~(more ? 0 : b->leaving),
        .from = b->from,
    };
    if (e.pass) e.only = false;
    e.slot = more ? (b->head + m->window - 1) % m->window : b->head;
    if (!more) move_window(m, b);
    const uint32_t own = own_rows(b, &e) | except;
    e.free &= ~own, e.clean &= ~own;
    const uint32_t had = enter_operands(m, b, &e);
    enter_words(m, b, &e);
    rows_leave(b, m->window, e.rows);
    b->named[e.slot] |= e.rows;
    Slot *s = &b->slot[e.slot];
    if (e.pass) {
        s->need = 0;
        return 0;
    }
    s->follows = must_follow(m, b, &e);
    s->waiting = true;
    s->need = (uint8_t)e.need;
    s->unit = (uint8_t)in->alloc_unit[a];
    if (!more) s->base = (uint8_t)e.dst, s->awaited = (uint8_t)(bit(e.words) - 1);
    return had;
}

// No entry may take the row of its BOC's result of this cycle.
static uint32_t promised(const BypassCollector *m, const BypassCollectorIn *in, const Ports *w,
                         uint32_t c) {
    for (int p = 0; p < m->num_wr; p++)
        if (w->plan[p].served && in->res_coll[p] == c && w->plan[p].row != NONE)
            return bit(w->plan[p].row);
    return 0;
}

static uint64_t entries(BypassCollector *m, const BypassCollectorIn *in, const Ports *w) {
    uint64_t touched = 0;
    for (int a = 0; a < m->num_alloc; a++) {
        const uint32_t c = in->alloc_coll[a];
        m->fwd[a] = 0;
        if (!(in->alloc_valid[0] >> a & 1) || c >= (uint32_t)m->num_coll) continue;
        m->fwd[a] = enter(m, in, a, promised(m, in, w, c));
        if (in->drop[c]) m->fwd[a] = 0;
        touched |= bit64_of((int)c);
    }
    return touched;
}

// State from the next cycle on: lack of rows; BOCs whose warp has ended.
static uint64_t press_and_drop(BypassCollector *m, const BypassCollectorIn *in) {
    uint64_t pressed = 0, dropped = 0;
    for (int c = 0; c < m->num_coll; c++)
        pressed |= (uint64_t)in->press[c] << c, dropped |= (uint64_t)in->drop[c] << c;
    const uint64_t changed = (pressed ^ m->pressed) & ~dropped;
    for (uint64_t left = changed; left; left &= left - 1)
        m->boc[__builtin_ctzll(left)].pressed ^= 1;
    for (uint64_t left = dropped; left; left &= left - 1) boc_reset(&m->boc[__builtin_ctzll(left)]);
    return changed | dropped;
}

static void bow_tick(void *self, const void *inputs) {
    BypassCollector *m = self;
    const BypassCollectorIn *in = inputs;
    Ports w;
    plan_ports(m, in, &w);
    uint64_t touched = in->rd_data_valid[0] ? arrive(m, in) : 0;
    touched |= reads(m, in);
    touched |= dispatch(m, in);
    touched |= hold(m);
    touched |= save(m, in, &w);
    if (in->kill_valid[0]) touched |= kill(m, in);
    if (in->res_valid[0]) touched |= results(m, in, &w);
    touched |= entries(m, in, &w);
    touched |= press_and_drop(m, in);
    if (!touched) return;
    for (uint64_t left = touched; left; left &= left - 1) boc_refresh(m, __builtin_ctzll(left));
    pool_refresh(m);
}

// ---- observation --------------------------------------------------------------------------------

static uint32_t bow_obs_count(void *self) {
    const BypassCollector *m = self;
    return (uint32_t)(m->num_coll * (2 + m->values) + 1);
}

static void observe_boc(const BypassCollector *m, const Boc *b, uint32_t *words) {
    words[0] = b->head | (uint32_t)b->read << 3 | (uint32_t)b->next << 8 | (uint32_t)b->held << 19 |
        (uint32_t)b->refused << 20 | (uint32_t)b->pressed << 28;
    if (b->coming != NONE) words[0] |= 1u << 13 | (uint32_t)b->coming << 14;
    for (int i = 0; i < m->window; i++) {
        const Slot *s = &b->slot[i];
        if (s->waiting) {
            words[1 + i] =
                1u | (uint32_t)s->unit << 1 | (uint32_t)s->need << 4 | (uint32_t)s->follows << 7;
            for (int o = 0; o < m->num_ops; o++)
                if (s->need >> o & 1) words[1 + i] |= (uint32_t)s->row[o] << (16 + 5 * o);
        }
        if (s->awaited) words[8 + i] = s->awaited | (uint32_t)s->base << 4;
    }
}

static void observe_rows(const BypassCollector *m, const Boc *b, uint32_t *words) {
    const uint32_t window = in_window(m, b);
    for (int i = 0; i < m->values; i++) {
        if (!((window | b->save) >> i & 1)) continue;
        words[i] = (window >> i & 1) | (b->ask >> i & 1) << 1 | (b->dirty >> i & 1) << 2 |
            (b->only >> i & 1) << 3 | (b->save >> i & 1) << 4 | (b->reserved >> i & 1) << 5 |
            (b->empty >> i & 1) << 6 | (uint32_t)b->reg[i] << 16;
        for (uint32_t s = 0; s < (uint32_t)m->window; s++)
            if (b->named[s] >> i & 1) words[i] |= s << 8;
    }
}

static void bow_observe(void *self, uint32_t addr, uint32_t *words) {
    BypassCollector *m = self;
    const uint32_t n = (uint32_t)m->num_coll, values = (uint32_t)m->values;
    memset(words, 0, 128);
    if (addr < n) {
        observe_boc(m, &m->boc[addr], words);
    } else if (addr < 2 * n) {
        observe_rows(m, &m->boc[addr - n], words);
    } else if (addr < n * (2 + values)) {
        const uint32_t c = (addr - 2 * n) / values, i = (addr - 2 * n) % values;
        const Boc *b = &m->boc[c];
        const uint32_t without =
            b->free | b->empty | b->ask | (b->coming == NONE ? 0 : bit(b->coming));
        if (!(without >> i & 1)) memcpy(words, m->row[c][i], 128);
    } else if (addr == n * (2 + values)) {
        for (int d = 0; d < m->num_disp; d++) words[d] = (uint32_t)m->disp_pointer[d];
        for (int p = 0; p < m->num_wr; p++)
            words[8 + p] = (uint32_t)m->wr_pointer[p], words[12 + p] = m->turn[p];
        words[16] = (uint32_t)m->rd_first;
        for (int a = 0; a < m->num_alloc; a++) words[17 + a] = m->fwd[a];
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel bypass_collector_model = {"bypass_collector", bow_open,    bow_close,
                                           bow_reset,          bow_eval,    bow_tick,
                                           bow_obs_count,      bow_observe, 32};
