// SPDX-License-Identifier: Apache-2.0
#include "systems/larf/larf_flat.h"

#include <string.h>

enum { LANES = 32, MAX_CODE = 128 };

bool flat_shape(const uint32_t addr[32], uint32_t mask, uint32_t *base, uint32_t *code) {
    if (!mask) return false;
    const int f = __builtin_ctz(mask);
    const uint32_t rest = mask & (mask - 1);
    int64_t stride = 0;
    if (rest) {
        const int gap = __builtin_ctz(rest) - f;
        const int64_t far = (int64_t)addr[f + gap] - addr[f];
        if ((gap & (gap - 1)) || far < 0 || far % gap) return false;
        stride = far / gap;
        if (stride % 4 || stride > 4 * MAX_CODE) return false;
        for (uint32_t left = rest; left; left &= left - 1)
            if (addr[__builtin_ctz(left)] != addr[f] + (int64_t)(__builtin_ctz(left) - f) * stride)
                return false;
        *base = (uint32_t)(addr[f] - f * stride);
    } else {
        *base = addr[f];
    }
    *code = (uint32_t)(stride / 4);
    return true;
}

FlatTable *flat_open(Arena *arena, const MachineConfig *cfg, int nphys) {
    FlatTable *t = ARENA_NEW(arena, FlatTable);
    t->nphys = nphys;
    t->limit = cfg->larf_entries && !cfg->larf_ideal && cfg->larf_entries < nphys
        ? cfg->larf_entries
        : nphys;
    t->any = cfg->larf_partial == LARF_PARTIAL_ANY;
    t->merges = cfg->larf_partial != LARF_PARTIAL_OFF;
    t->enters_merged = cfg->larf_enter_merged;
    t->entry = ARENA_ARRAY(arena, FlatEntry, (size_t)nphys);
    t->order = ARENA_ARRAY(arena, int, (size_t)nphys);
    flat_clear(t);
    return t;
}

void flat_clear(FlatTable *t) {
    memset(&t->in, 0, sizeof t->in);
    memset(&t->out, 0, sizeof t->out);
    memset(t->entry, 0, sizeof *t->entry * (size_t)t->nphys);
    memset(t->look, 0, sizeof t->look);
    memset(t->released, 0, sizeof t->released);
    memset(t->arrived, 0, sizeof t->arrived);
    t->n = 0;
    t->out.lk_ready[0] = t->out.st_ready[0] = 1;
}

// ---- entries ----

static void drop_entry(FlatTable *t, int at) {
    t->entry[t->order[at]].valid = false;
    memmove(t->order + at, t->order + at + 1, sizeof *t->order * (size_t)(--t->n - at));
}

static void drop_register(FlatTable *t, uint32_t phys) {
    for (int i = 0; i < t->n; i++)
        if ((uint32_t)t->order[i] == phys) return drop_entry(t, i);
}

static uint64_t span_end(uint32_t base, uint8_t code) {
    return (uint64_t)base + 31ull * 4 * code + 3;
}
static bool overlaps_range(uint32_t base, uint8_t code, uint32_t low, uint32_t high) {
    return base <= high && span_end(base, code) >= low;
}

// Enters the load that is answered. A load that a store hits in the same cycle is already marked
// late.
static void enter_load(FlatTable *t) {
    const FlatLook *l = &t->look[AMT_CYCLES - 1];
    const uint32_t phys = t->in.ins_phys[0];
    if (!t->in.ins_valid[0] || !t->out.ans_enter[0] || l->late) return;
    drop_register(t, phys);
    if (t->n == t->limit) drop_entry(t, 0);
    t->entry[phys] = (FlatEntry){.valid = true, .code = l->code, .base = l->base, .mask = l->mask};
    t->order[t->n++] = (int)phys;
}

int flat_kill(FlatTable *t, uint32_t low, uint32_t high) {
    const int before = t->n;
    for (int i = 0; i < t->n;) {
        const FlatEntry *e = &t->entry[t->order[i]];
        if (overlaps_range(e->base, e->code, low, high)) drop_entry(t, i);
        else i++;
    }
    for (int s = 0; s < AMT_CYCLES; s++)
        t->look[s].late |= overlaps_range(t->look[s].base, t->look[s].code, low, high);
    return before - t->n;
}

void flat_flush(FlatTable *t) {
    for (int i = 0; i < t->n; i++) t->entry[t->order[i]].valid = false;
    t->n = 0;
    for (int s = 0; s < AMT_CYCLES; s++) t->look[s].late = t->look[s].lost = true;
}

// ---- look-up ----

// Lanes of the load that the entry contains, at *shift; 0: none.
static uint32_t reach_lanes(const FlatEntry *e, const FlatLook *l, int *shift) {
    const int64_t far = (int64_t)l->base - e->base, stride = 4 * (int64_t)l->code;
    if (!e->data || e->code != l->code || !stride || far % stride) return 0;
    const int64_t k = far / stride;
    if (k <= -LANES || k >= LANES) return 0;
    *shift = (int)k;
    return l->mask & (k < 0 ? e->mask << -k : e->mask >> k);
}

static void answer_part(FlatTable *t, int i, int phys, int shift, uint32_t mask) {
    t->out.ans_use[0] |= 1u << i;
    t->out.ans_phys[i] = (uint32_t)phys;
    t->out.ans_shift[i] = (uint32_t)shift & 63;
    t->out.ans_mask[i] = mask;
}

static bool find_hit(FlatTable *t, const FlatLook *l) {
    int found = -1;
    for (int i = 0; i < t->n; i++) {
        const FlatEntry *e = &t->entry[t->order[i]];
        if (e->base != l->base || e->code != l->code || l->mask & ~e->mask) continue;
        if (found < 0 || (e->data && !t->entry[found].data)) found = t->order[i];
    }
    if (found < 0) return false;
    t->out.ans_kind[0] = AMT_HIT;
    t->out.ans_wait[0] = !t->entry[found].data;
    answer_part(t, 0, found, 0, l->mask);
    return true;
}

// Tries every pair, so that holes of a mask hide no pair.
static bool find_merge(FlatTable *t, const FlatLook *l) {
    int nparts = 0, phys[64], shift[64];
    uint32_t lanes[64];
    if (!t->merges || (!t->any && l->code & (l->code - 1))) return false;
    for (int i = 0; i < t->n && nparts < 64; i++) {
        lanes[nparts] = reach_lanes(&t->entry[t->order[i]], l, &shift[nparts]);
        phys[nparts] = t->order[i];
        nparts += lanes[nparts] != 0;
    }
    for (int i = 0; i < nparts; i++)
        for (int k = i; k < nparts; k++) {
            if (l->mask & ~(lanes[i] | lanes[k])) continue;
            t->out.ans_kind[0] = AMT_MERGE;
            answer_part(t, 0, phys[i], shift[i], lanes[i]);
            if (l->mask & ~lanes[i]) answer_part(t, 1, phys[k], shift[k], l->mask & ~lanes[i]);
            return true;
        }
    return false;
}

static void answer_look(FlatTable *t) {
    const FlatLook *l = &t->look[AMT_CYCLES - 1];
    memset(&t->out, 0, sizeof t->out);
    t->out.lk_ready[0] = t->out.st_ready[0] = 1;
    if (!l->valid) return;
    t->out.ans_valid[0] = 1;
    const bool possible =
        l->mask && l->code <= MAX_CODE && span_end(l->base, l->code) <= UINT32_MAX && !l->lost;
    const bool served = possible && (find_hit(t, l) || find_merge(t, l));
    const bool may = possible && !l->question && !l->late;
    t->out.ans_enter[0] = may && (!served || (t->enters_merged && t->out.ans_kind[0] == AMT_MERGE));
    t->out.ans_evicts[0] = t->out.ans_enter[0] && t->n == t->limit;
}

// ---- clock edge ----

static void shift_stages(FlatTable *t) {
    for (int s = AMT_CYCLES - 1; s; s--) t->look[s] = t->look[s - 1];
    t->look[0] = (FlatLook){.valid = t->in.lk_valid[0],
                            .question = t->in.lk_question[0],
                            .code = (uint8_t)t->in.lk_code[0],
                            .base = t->in.lk_base[0],
                            .mask = t->in.lk_mask[0]};
    for (int s = AMT_DONE - 1; s; s--) {
        t->released[s] = t->released[s - 1];
        memcpy(t->arrived[s], t->arrived[s - 1], sizeof *t->arrived);
    }
    t->released[0].valid = t->in.rel_valid[0];
    t->released[0].phys = t->in.rel_phys[0];
    for (int w = 0; w < FLAT_PORTS; w++) {
        t->arrived[0][w].valid = t->in.arr_valid[0] >> w & 1;
        t->arrived[0][w].phys = t->in.arr_phys[w];
    }
}

static void report_done(FlatTable *t) {
    t->out.rel_done[0] = t->released[AMT_DONE - 1].valid;
    t->out.rel_done_phys[0] = t->released[AMT_DONE - 1].phys;
    for (int w = 0; w < FLAT_PORTS; w++) {
        t->out.arr_done[0] |= (uint32_t)t->arrived[AMT_DONE - 1][w].valid << w;
        t->out.arr_done_phys[w] = t->arrived[AMT_DONE - 1][w].phys;
    }
}

void flat_tick(FlatTable *t) {
    if (t->in.fl_valid[0]) flat_flush(t);
    if (t->in.rel_valid[0]) drop_register(t, t->in.rel_phys[0]);
    for (int w = 0; w < FLAT_PORTS; w++)
        if (t->in.arr_valid[0] >> w & 1) t->entry[t->in.arr_phys[w]].data = true;
    enter_load(t);
    shift_stages(t);
    answer_look(t);
    report_done(t);
}
