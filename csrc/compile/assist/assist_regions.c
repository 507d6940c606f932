// SPDX-License-Identifier: Apache-2.0
// Regions that assist warps memoize.
// requires  a finished program without hints
// provides  marks (IsaProgram.regions), with each region's instructions in sequence
//
// A region is a set of instructions of one basic block. These instructions read only registers,
// immediates and constant banks, and have no effect except their results. They depend on one or two
// registers that vary within the kernel, because the assist warps' table has two fields for live-in
// registers. The table has one field for a live-out register (paper, figure 5), so the region
// produces one word. All other results and predicates of the region are dead after it. The region
// is the backward slice of that result within these limits. A register is not an input if on every
// path one instruction computes it from immediates and parameters alone. Its value is then equal in
// the whole kernel.
//
// Two inputs repeat less often than one, so a region with two counts a third of its cycles. If a
// few cheap instructions compute an input from another value, the region includes them and uses
// that value as input. So a slice is grown for an instruction that occupies its unit for more than
// a cycle, or for 16 others.
//
// Instructions between those of a region move before or after the region, unless a register
// dependence forbids it or a load would pass a store. Regions have two instructions or more and do
// not overlap. Regions are chosen by the cycles for which they occupy the units, the greatest
// first.
#include "compile/assist/assist.h"

#include "compile/hints/hints.h"
#include "compile/ir.h"
#include "config/exec_time.h"

#include <string.h>

enum { WINDOW = 160, CHEAP = 16, UNSEEN = -1, VARIES = -2, REGS = 64, MOST_IN = 2 };

typedef struct Uses {
    uint64_t reads, writes;
    uint8_t pred_reads, pred_writes;
    bool loads, stores;
} Uses;

typedef struct Finder {
    IsaProgram *p;
    const MachineConfig *cfg;
    Arena *arena;
    Uses *uses;  // per instruction
    bool *pure, *leader;
    Liveness live;
    // before each instruction: the instruction that wrote the register, if it computes a constant
    int (*constant)[REGS];
    int *region;  // number + 1 of its region
} Finder;

typedef struct Found {
    int cost, dear, worth, from, last, n;
    bool in[WINDOW];
    IsaRegion mark;
} Found;

// ---- what instructions do ----

// Instructions that no memory access passes; reads of the clock also keep their order.
static bool is_store(const IsaInst *in) {
    switch (in->op) {
    case ISA_LD: return in->ordered;
    case ISA_ST:
    case ISA_ATOM:
    case ISA_SYSCALL: return true;
    case ISA_S2R: return ir_is_clock(in->sreg);
    default: return false;
    }
}

static Uses uses_of(const IsaInst *in) {
    uint8_t regs[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS];
    Uses u = {.pred_reads = isa_pred_reads(in),
              .pred_writes = isa_pred_writes(in),
              .loads = in->op == ISA_LD || in->op == ISA_TEX,
              .stores = is_store(in)};
    int n = isa_reads(in, regs);
    for (int i = 0; i < n; i++) u.reads |= 1ull << regs[i];
    n = isa_writes(in, regs);
    for (int i = 0; i < n; i++) u.writes |= 1ull << regs[i];
    if (in->guard.reg != ISA_PT) {  // the other lanes keep the old value
        u.reads |= u.writes;
        u.pred_reads |= u.pred_writes;
    }
    return u;
}

static bool is_pure(const IsaInst *in) {
    switch (in->op) {
    case ISA_NOP:
    case ISA_S2R:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_MMA:
    case ISA_BRX: return false;
    default:
        return isa_op_info[in->op].unit == ISA_UNIT_SP || isa_op_info[in->op].unit == ISA_UNIT_SFU;
    }
}

static bool uses_conflict(const Uses *a, const Uses *b) {
    return a->writes & (b->reads | b->writes) || a->reads & b->writes ||
        a->pred_writes & (b->pred_reads | b->pred_writes) || a->pred_reads & b->pred_writes ||
        (a->stores && (b->loads || b->stores)) || (a->loads && b->stores);
}

// ---- registers that are constant ----

// As far as is known of its registers.
static bool computes_constant(const Finder *f, int i) {
    if (!is_pure(&f->p->insts[i]) || f->uses[i].pred_reads || f->p->insts[i].guard.reg != ISA_PT)
        return false;
    for (uint64_t left = f->uses[i].reads; left; left &= left - 1)
        if (f->constant[i][__builtin_ctzll(left)] == VARIES) return false;
    return true;
}

static bool same_constant(const Finder *f, int a, int b) {
    if (a == b) return true;
    if (a < 0 || b < 0) return false;
    const IsaInst *p = &f->p->insts[a], *q = &f->p->insts[b];
    const IsaSrc *x = &p->src[0], *y = &q->src[0];
    return p->op == ISA_MOV && q->op == ISA_MOV && p->dst == q->dst &&
        p->dst_width == q->dst_width && x->kind != ISA_SRC_REG && x->kind == y->kind &&
        x->imm == y->imm && x->cbank == y->cbank && x->neg == y->neg && x->abs == y->abs;
}

static void constants_find(Finder *f) {
    const int n = f->p->ninsts;
    f->constant = (void *)ARENA_ARRAY(f->arena, int, (int64_t)(n + 1) * REGS);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < REGS; r++) f->constant[i][r] = i ? UNSEEN : VARIES;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++) {
            int after[REGS];
            memcpy(after, f->constant[i], sizeof after);
            const bool constant = computes_constant(f, i);
            for (int r = 0; r < REGS; r++)
                if (f->uses[i].writes >> r & 1) after[r] = constant ? i : VARIES;
            for (int k = 0, s; (s = isa_successor(f->p, i, k)) != -2; k++) {
                if (s < 0) continue;
                for (int r = 0; r < REGS; r++) {
                    int *at = &f->constant[s][r];
                    if (after[r] == UNSEEN || *at == VARIES) continue;
                    if (*at != UNSEEN && same_constant(f, *at, after[r])) continue;
                    *at = *at == UNSEEN ? after[r] : VARIES;
                    changed = true;
                }
            }
        }
    }
}

// ---- one region ----

void assist_leaders(const IsaProgram *p, bool *leader) {
    for (int i = 0; i < p->ninsts; i++) leader[i] = i == 0;
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        for (int k = 0, s; (s = isa_successor(p, i, k)) != -2; k++)
            if (s >= 0 && s != i + 1) leader[s] = true;
        if ((in->op == ISA_BRA || in->op == ISA_BRX) && in->reconv >= 0) leader[in->reconv] = true;
        if ((isa_op_info[in->op].unit == ISA_UNIT_CTRL || in->op == ISA_BRX) && i + 1 < p->ninsts)
            leader[i + 1] = true;
    }
}

static void analyze_program(Finder *f) {
    const int n = f->p->ninsts;
    for (int i = 0; i < n; i++) {
        f->uses[i] = uses_of(&f->p->insts[i]);
        f->pure[i] = is_pure(&f->p->insts[i]) && !f->region[i];
    }
    assist_leaders(f->p, f->leader);
    liveness_of(&f->live, f->p, f->arena);
    constants_find(f);
}

static int cost_of(const Finder *f, int i) {
    return config_exec_time(f->cfg, isa_op_info[f->p->insts[i].op].timing).interval;
}

// Moves the instructions in between before or after the region; order: the new order, from `from`
// to `last`.
static bool arrange_region(const Finder *f, const Found *r, int *order, int *first) {
    int behind[WINDOW], nbehind = 0, inside[WINDOW], ninside = 0, n = 0;
    for (int i = r->from; i <= r->last; i++) {
        bool stays = r->in[i - r->from], late = false;
        for (int k = 0; k < nbehind && !late; k++)
            late = uses_conflict(&f->uses[i], &f->uses[behind[k]]);
        if (stays && late) return false;
        for (int k = 0; k < ninside && !late && !stays; k++)
            late = uses_conflict(&f->uses[i], &f->uses[inside[k]]);
        if (!stays && late && f->region[i]) return false;
        if (stays) inside[ninside++] = i;
        else if (late) behind[nbehind++] = i;
        else order[n++] = i;
    }
    *first = r->from + n;
    for (int k = 0; k < ninside; k++) order[n++] = inside[k];
    for (int k = 0; k < nbehind; k++) order[n++] = behind[k];
    return true;
}

// Inputs and outputs of the set; false: they are too many.
static bool find_boundary(const Finder *f, Found *r) {
    uint64_t in = 0, made = 0, outside = f->live.after[r->last];
    uint8_t pred_made = 0, pred_outside = f->live.preds_after[r->last];
    for (int i = r->from; i <= r->last; i++) {
        const Uses *u = &f->uses[i];
        if (!r->in[i - r->from]) {
            outside |= u->reads & made;
            pred_outside |= u->pred_reads & pred_made;
            continue;
        }
        if (u->pred_reads & ~pred_made) return false;
        for (uint64_t left = u->reads & ~made; left; left &= left - 1)
            if (f->constant[i][__builtin_ctzll(left)] < 0) in |= left & -left;
        made |= u->writes;
        pred_made |= u->pred_writes;
    }
    const uint64_t out = made & outside;
    if (pred_made & pred_outside || !in || __builtin_popcountll(in) > MOST_IN) return false;
    if (__builtin_popcountll(out) != 1) return false;
    r->mark.out = (uint8_t)__builtin_ctzll(out);
    r->mark.nin = 0;
    for (; in; in &= in - 1) r->mark.in[r->mark.nin++] = (uint8_t)__builtin_ctzll(in);
    return true;
}

// The slice that ends at `last`, extended backwards; returns the most expensive slice that obeys
// the rules.
static void grow_slice(const Finder *f, int last, int least, Found *best) {
    Found r = {.from = last, .last = last}, own = {0};
    uint64_t wanted = f->uses[last].reads;
    uint8_t pred_wanted = f->uses[last].pred_reads;
    bool in[WINDOW] = {[WINDOW - 1] = true};  // indexed by the distance from `last`
    r.cost = cost_of(f, last);
    r.dear = r.cost > 1 ? r.cost : 0;
    for (int i = last; i >= 0 && last - i < WINDOW && !f->region[i]; i--) {
        const Uses *u = &f->uses[i];
        if (i < last && f->pure[i] && (u->writes & wanted || u->pred_writes & pred_wanted)) {
            in[WINDOW - 1 - (last - i)] = true;
            r.cost += cost_of(f, i);
            r.dear += cost_of(f, i) > 1 ? cost_of(f, i) : 0;
            if (f->p->insts[i].guard.reg == ISA_PT) {
                wanted &= ~u->writes;
                pred_wanted &= (uint8_t)~u->pred_writes;
            }
            wanted |= u->reads;
            pred_wanted |= u->pred_reads;
            int order[WINDOW], first;
            r.from = i;
            memcpy(r.in, in + WINDOW - 1 - (last - i), (size_t)(last - i + 1) * sizeof *in);
            if (r.cost >= least && find_boundary(f, &r)) {
                r.worth = r.dear + (r.cost - r.dear) / CHEAP + 1;
                if (r.mark.nin > 1) r.worth = (r.worth + 2) / 3;
                if (r.worth > own.worth && arrange_region(f, &r, order, &first)) own = r;
            }
        }
        if (f->leader[i]) break;
    }
    if (own.worth > best->worth) *best = own;
}

static void mark_region(Finder *f, const Found *r) {
    IsaInst moved[WINDOW];
    int order[WINDOW], number[WINDOW], first = 0, n = 0;
    panic_if(!arrange_region(f, r, order, &first), "a region that cannot be brought together");
    for (int i = r->from; i <= r->last; i++) {
        moved[i - r->from] = f->p->insts[order[i - r->from]];
        number[i - r->from] = f->region[order[i - r->from]];
        n += r->in[i - r->from];
    }
    memcpy(f->p->insts + r->from, moved, sizeof *moved * (size_t)(r->last - r->from + 1));
    memcpy(f->region + r->from, number, sizeof *number * (size_t)(r->last - r->from + 1));
    IsaRegion *to = &f->p->regions[f->p->nregions++];
    *to = r->mark;
    to->first = first;
    to->after = first + n;
    for (int i = to->first; i < to->after; i++) f->region[i] = f->p->nregions;
}

IsaProgram *assist_regions(const IsaProgram *p, const MachineConfig *cfg, int least, Arena *arena) {
    Finder f = {.p = ARENA_NEW(arena, IsaProgram), .cfg = cfg, .arena = arena};
    *f.p = *p;
    f.p->insts = ARENA_ARRAY(arena, IsaInst, p->ninsts);
    memcpy(f.p->insts, p->insts, sizeof *p->insts * (size_t)p->ninsts);
    f.p->regions = ARENA_ARRAY(arena, IsaRegion, ISA_MOST_REGIONS);
    f.p->nregions = 0;
    f.uses = ARENA_ARRAY(arena, Uses, p->ninsts);
    f.pure = ARENA_ARRAY(arena, bool, p->ninsts);
    f.leader = ARENA_ARRAY(arena, bool, p->ninsts);
    f.region = ARENA_ARRAY(arena, int, p->ninsts);
    while (f.p->nregions < ISA_MOST_REGIONS) {
        Found best = {0};
        analyze_program(&f);
        for (int i = 0; i < p->ninsts; i++)
            if (f.pure[i] && f.uses[i].writes) grow_slice(&f, i, least, &best);
        if (!best.worth) break;
        mark_region(&f, &best);
    }
    return f.p;
}
