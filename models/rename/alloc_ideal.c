// SPDX-License-Identifier: Apache-2.0
#include "models/rename/alloc_ideal.h"

#include <string.h>

enum { ALL = 15, RESERVED = 16 };

// The answer to a request. Done 0 with row 0: no place.
typedef struct Answer {
    bool done, reserves, unreserves;  // unreserves: the row of the buddy
    int how;
    uint32_t row, mask, old_row, left;  // left: slices of the old row that are free afterwards
    uint32_t buddy_row;
} Answer;

typedef struct Request {
    int kind, n, home;
    uint32_t side, old_row, old_mask;  // side: slices, 0: any
    bool align, paired, moves;
    uint32_t buddy_row, buddy_mask;
} Request;

static int ones(uint32_t mask) { return __builtin_popcount(mask & ALL); }

static uint32_t lowest_of(uint32_t mask, int n) {
    while (ones(mask) > n) mask &= ~(1u << (31 - __builtin_clz(mask)));
    return mask;
}

static uint32_t highest_of(uint32_t mask, int n) {
    while (ones(mask) > n) mask &= mask - 1;
    return mask;
}

static Request request_of(const AllocIdeal *m, const AllocUnitIn *in, int w) {
    const uint32_t align = in->rq_align[w], entries = (uint32_t)m->entries;
    Request q = {.kind = (int)in->rq_kind[w],
                 .n = (int)in->rq_size[w],
                 .align = in->policy[0] == AU_ALIGN,
                 .paired = in->policy[0] == AU_PAIR && (in->rq_pair[0] >> w & 1),
                 .moves = in->cfg_grow[0],
                 .old_row = in->rq_old_bank[w] * entries + in->rq_old_entry[w],
                 .old_mask = in->rq_old_mask[w],
                 .buddy_row = in->rq_bd_bank[w] * entries + in->rq_bd_entry[w],
                 .buddy_mask = in->rq_bd_mask[w]};
    if (!q.old_mask) q.old_row = 0;
    if (!q.buddy_mask) q.buddy_row = 0;
    if (q.align && q.n < 4 && align == AU_LEFT) q.side = highest_of(ALL, q.n);
    if (q.align && q.n < 4 && align == AU_RIGHT) q.side = lowest_of(ALL, q.n);
    const uint32_t sum = in->rq_warp[w] + (q.align ? 0 : in->rq_reg[w]);
    q.home = in->cfg_order[0] && !q.align ? 0 : (int)(sum % (uint32_t)m->banks);
    return q;
}

// The lowest row of the bank with room, partly used ones first; -1: none. whole: nothing in use.
static int row_in(const AllocIdeal *m, int bank, const Request *q, uint32_t side, bool whole,
                  bool reserved) {
    int unused = -1;
    for (int e = 0, row = bank * m->entries; e < m->entries; e++, row++) {
        const uint32_t used = m->map[row] & ALL;
        if (4 - ones(used) < q->n || used & side || (m->map[row] & RESERVED && !reserved)) continue;
        if (used && !whole) return row;
        if (!used && unused < 0) unused = row;
    }
    return unused;
}

static bool take(const AllocIdeal *m, const Request *q, Answer *a, int row, uint32_t side,
                 int how) {
    if (row < 0) return false;
    a->done = true, a->how = how;
    a->row = (uint32_t)row;
    a->mask = side ? side : lowest_of(~m->map[row] & ALL, q->n);
    return true;
}

// Any row, from the home bank on; policy 2 prefers its side, and the bank to the side.
static bool take_any(const AllocIdeal *m, const Request *q, Answer *a, bool reserved) {
    for (int i = 0; i < m->banks; i++) {
        const int b = (q->home + i) % m->banks;
        if (q->side && take(m, q, a, row_in(m, b, q, q->side, false, reserved), q->side, AU_POLICY))
            return true;
        const int how =
            q->side || (q->paired && (q->buddy_mask || q->n < 4)) ? AU_FALLBACK : AU_POLICY;
        if (take(m, q, a, row_in(m, b, q, 0, false, reserved), 0, how)) return true;
    }
    return false;
}

static bool take_own(const AllocIdeal *m, const Request *q, Answer *a) {
    const uint32_t free = (~m->map[q->old_row] | q->old_mask) & ALL;
    if (q->kind != AU_GROW || ones(free) < q->n) return false;
    a->done = true, a->how = AU_OWN;
    a->row = q->old_row;
    a->mask = q->side && (free & q->side) == q->side ? q->side : lowest_of(free, q->n);
    return true;
}

static bool take_with_buddy(const AllocIdeal *m, const Request *q, Answer *a) {
    if (!q->paired) return false;
    if (q->buddy_mask) {
        a->unreserves = true, a->buddy_row = q->buddy_row;
        const bool room = 4 - ones(m->map[q->buddy_row]) >= q->n;
        return room && take(m, q, a, (int)q->buddy_row, 0, AU_BUDDY);
    }
    for (int i = 0; q->n < 4 && i < m->banks; i++)
        if (take(m, q, a, row_in(m, (q->home + i) % m->banks, q, 0, true, false), 0, AU_POLICY))
            return a->reserves = true;
    return false;
}

static Answer answer(const AllocIdeal *m, const Request *q) {
    Answer a = {.old_row = q->old_row};
    if (q->kind == AU_KEEP || q->kind == AU_SHRINK) {
        const bool left = q->side & 8;
        a.done = true, a.how = AU_IN_PLACE, a.row = q->old_row, a.mask = q->old_mask;
        if (q->kind == AU_SHRINK)
            a.mask = left ? highest_of(a.mask, q->n) : lowest_of(a.mask, q->n);
    } else if (!(!q->moves && take_own(m, q, &a)) && !take_with_buddy(m, q, &a) &&
               !take_any(m, q, &a, false) && !take_any(m, q, &a, true)) {
        take_own(m, q, &a);
    }
    a.left = a.done ? q->old_mask & ~(a.row == a.old_row ? a.mask : 0) : 0;
    return a;
}

static void set_used(AllocIdeal *m, uint32_t row, uint32_t used) {
    const uint32_t was = m->map[row] & ALL;
    m->slices += (uint32_t)(ones(used) - ones(was));
    m->regs += (uint32_t)((used != 0) - (was != 0));
    m->map[row] = (uint8_t)(used ? used | (m->map[row] & RESERVED) : 0);
}

static void carry_out(AllocIdeal *m, const Answer *a) {
    if (!a->done) return;
    if (a->unreserves) m->map[a->buddy_row] &= ALL;
    if (a->left) set_used(m, a->old_row, m->map[a->old_row] & ALL & ~a->left);
    set_used(m, a->row, (m->map[a->row] | a->mask) & ALL);
    if (a->reserves && (m->map[a->row] & ALL) != ALL) m->map[a->row] |= RESERVED;
}

// Serves requests one after the other, in the order of their ports. If `keep` is false, the map is
// restored afterwards.
static void serve(AllocIdeal *m, const AllocUnitIn *in, AllocUnitOut *out, bool keep) {
    const uint32_t slices = m->slices, regs = m->regs;
    struct {
        uint32_t row;
        uint8_t was;
    } undo[3 * AU_MAX_WR];
    int n = 0;
    for (int w = 0; w < m->num_wr; w++) {
        if (!(in->rq_valid[0] >> w & 1)) continue;
        const Request q = request_of(m, in, w);
        const Answer a = answer(m, &q);
        const uint32_t rows[] = {a.row, a.old_row, a.buddy_row};
        for (int i = 0; i < 3; i++) undo[n].row = rows[i], undo[n++].was = m->map[rows[i]];
        carry_out(m, &a);
        if (!out) continue;
        out->al_none[0] |= (uint32_t)!a.done << w;
        if (!a.done) continue;
        out->al_done[0] |= 1u << w;
        out->al_kind[w] = (uint32_t)q.kind, out->al_how[w] = (uint32_t)a.how,
        out->al_mask[w] = a.mask;
        out->al_bank[w] = a.row / (uint32_t)m->entries,
        out->al_entry[w] = a.row % (uint32_t)m->entries;
    }
    while (!keep && n--) m->map[undo[n].row] = undo[n].was;
    if (!keep) m->slices = slices, m->regs = regs;
}

void alloc_ideal_eval(const AllocIdeal *m, const AllocUnitIn *in, AllocUnitOut *out) {
    AllocIdeal copy = *m;  // shares the map, which serve restores
    out->al_done[0] = out->al_none[0] = 0;
    out->rq_ready[0] = (1u << m->num_wr) - 1, out->fr_ready[0] = (1u << m->num_free) - 1;
    out->used_slices[0] = m->slices, out->used_regs[0] = m->regs;
    serve(&copy, in, out, false);
}

void alloc_ideal_tick(AllocIdeal *m, const AllocUnitIn *in) {
    serve(m, in, NULL, true);
    for (int f = 0; f < m->num_free; f++)
        if (in->fr_valid[0] >> f & 1)
            alloc_ideal_give(m, in->fr_bank[f], in->fr_entry[f], in->fr_mask[f]);
}

void alloc_ideal_give(AllocIdeal *m, uint32_t bank, uint32_t entry, uint32_t mask) {
    const uint32_t row = bank * (uint32_t)m->entries + entry;
    set_used(m, row, m->map[row] & ALL & ~mask);
}
