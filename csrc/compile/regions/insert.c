// SPDX-License-Identifier: Apache-2.0
// ACQ on edges from low to high, MOVs and REL on edges from high to low, and registers as they were
// placed.
//
// A warp also switches from the end of one side of a divergent branch to the start of another,
// without an edge. Instructions for that switch are on the edge into that side. At a reconvergence
// point, they follow the label, because the last side has run there. The other positions are
// between two instructions, at the end of the only predecessor's block, and at the head of the only
// successor's. Otherwise the instructions are on a detour after the program.
#include "compile/regions/regions.h"

typedef struct Detour {
    int from, to, at;
} Detour;

typedef struct Inserter {
    const WarpLive *w;
    const Placement *pl;
    Arena *arena;
    IsaInst *insts;
    int n, cap;
    int *start;    // new position of each branch target
    int *entries;  // edges into an instruction
    // per branch: states in which its other sides can end, 1 low, 2 high
    uint8_t *beside;
    // per join: states in which lanes can end for which the other lanes do not wait
    uint8_t *ends;
    Detour *detours;
    int ndetours, cap_detours;
    int nregs;
} Inserter;

enum { ENDS_LOW = 1, ENDS_HIGH = 2 };

static uint8_t state_of(const Inserter *t, int i) { return t->pl->high[i] ? ENDS_HIGH : ENDS_LOW; }

// ---- where warps go without an edge ----

static void find_sides(Inserter *t) {
    const IsaProgram *p = t->w->p;
    for (int b = 0; b < t->w->nbranches; b++) {
        const int branch = t->w->branch[b], stop = p->insts[branch].reconv;
        uint8_t ends = 0, exits = 0;
        int sides = 0, last = -1;
        REGIONS_SUCCESSORS(p, branch, s)
            if (s != stop && s != last) sides++, last = s;
        for (int i = 0; i < p->ninsts; i++) {
            if (!mask_get(t->w->region[b], i)) continue;
            if (p->insts[i].op == ISA_EXIT) exits |= state_of(t, i);
            REGIONS_SUCCESSORS(p, i, s)
                if (s == stop) ends |= state_of(t, i);
        }
        if (sides > 1) t->beside[branch] = ends | exits;
        if (stop >= 0) t->ends[stop] |= exits;
    }
}

// ---- instructions ----

static IsaInst *put_inst(Inserter *t, IsaOp op, int line) {
    IsaInst *in = ARENA_PUSH(t->arena, t->insts, t->n, t->cap);
    *in = (IsaInst){.op = op, .guard = {ISA_PT, false}, .dst = ISA_RZ, .ptx_line = line};
    for (int i = 0; i < 3; i++) in->psrc[i].reg = ISA_PT;
    for (int i = 0; i < 2; i++) in->pdst[i] = ISA_PT;
    return in;
}

static uint8_t placed_reg(const Inserter *t, int group, uint8_t reg) {
    if (group < 0) return reg;  // never reached
    const Group *g = &t->pl->webs.groups[group];
    return (uint8_t)(g->place + reg % g->size);
}

static void note_used(Inserter *t, int end) {
    if (end > t->nregs) t->nregs = end;
}

static void put_moves(Inserter *t, int from, int to) {
    const Webs *x = &t->pl->webs;
    for (int m = 0; m < t->pl->nmoves; m++) {
        const Move *v = &t->pl->moves[m];
        if (v->from != from || v->to != to) continue;
        for (int size = 4; size; size /= 2)
            for (uint64_t regs = v->regs; regs; regs &= regs - 1) {
                const uint8_t reg = (uint8_t)__builtin_ctzll(regs);
                const int there = web_before(x, to, reg);
                const int here = from < 0 ? web_into(x, to, reg) : web_after(x, from, reg);
                if (x->groups[there].size != size ||
                    placed_reg(t, here, reg) == placed_reg(t, there, reg))
                    continue;
                IsaInst *in = put_inst(t, ISA_MOV, t->w->p->insts[to].ptx_line);
                in->dst = placed_reg(t, there, reg);
                in->dst_width = 1;
                in->mode = ISA_MOV_COMPACTS;
                in->src[0] =
                    (IsaSrc){.kind = ISA_SRC_REG, .reg = placed_reg(t, here, reg), .width = 1};
            }
    }
}

// From any of these states into instruction `to`. Without `write`: would there be something?
static bool change_state(Inserter *t, uint8_t states, int to, bool write) {
    const bool high = t->pl->high[to], acquire = high && states & ENDS_LOW,
               release = !high && states & ENDS_HIGH;
    if (write && (acquire || release))
        put_inst(t, acquire ? ISA_ACQ : ISA_REL, t->w->p->insts[to].ptx_line);
    return acquire || release;
}

// Emits the instructions of the edge from -> to, which does not lead to a reconvergence point.
static bool put_edge(Inserter *t, int from, int to, bool write) {
    if (t->w->join[to]) return false;
    if (write) put_moves(t, from, to);
    return change_state(t, state_of(t, from) | t->beside[from], to, write);
}

static void put_head(Inserter *t, int to) {
    uint8_t states = t->ends[to];
    for (int i = 0; i < t->w->p->ninsts; i++) {
        if (!t->w->reached[i]) continue;
        REGIONS_SUCCESSORS(t->w->p, i, s)
            if (s == to) states |= state_of(t, i);
    }
    if (!to) states |= ENDS_LOW;
    put_moves(t, -1, to);
    change_state(t, states, to, true);
}

static void put_original(Inserter *t, int i) {
    const IsaInst *in = &t->w->p->insts[i];
    IsaInst *out = ARENA_PUSH(t->arena, t->insts, t->n, t->cap);
    *out = *in;
    for (int s = 0; s < 3; s++) {
        IsaSrc *src = &out->src[s];
        if (src->kind != ISA_SRC_REG || src->reg == ISA_RZ) continue;
        src->reg = placed_reg(t, web_before(&t->pl->webs, i, src->reg), src->reg);
        note_used(t, src->reg + src->width);
    }
    if (out->dst == ISA_RZ) return;
    out->dst = placed_reg(t, web_after(&t->pl->webs, i, out->dst), out->dst);
    note_used(t, out->dst + out->dst_width);
}

static bool is_unguarded(const IsaInst *in) { return in->guard.reg == ISA_PT && !in->guard.neg; }

static bool falls_into(const IsaProgram *p, int i) {
    const IsaInst *in = &p->insts[i];
    const bool leaves =
        in->op == ISA_BRA || in->op == ISA_BRX || in->op == ISA_EXIT || in->op == ISA_TRAP;
    return !leaves || !is_unguarded(in);
}

// The only edge into i, when it is a branch that does not always go there.
static int only_branch(const Inserter *t, int i) {
    const IsaProgram *p = t->w->p;
    if (t->entries[i] != 1 || (i && falls_into(p, i - 1))) return -1;
    for (int k = 0; k < p->ninsts; k++) {
        const IsaInst *in = &p->insts[k];
        if ((in->op != ISA_BRA || is_unguarded(in)) && in->op != ISA_BRX) continue;
        REGIONS_SUCCESSORS(p, k, s)
            if (s == i) return k;
    }
    return -1;
}

static void put_with_edges(Inserter *t, int i) {
    const IsaProgram *p = t->w->p;
    const IsaInst *in = &p->insts[i];
    if (!i && !t->w->join[0]) change_state(t, ENDS_LOW, 0, true);
    if (i && falls_into(p, i - 1)) put_edge(t, i - 1, i, true);
    t->start[i] = t->n;
    const int only = only_branch(t, i);
    if (t->w->join[i]) put_head(t, i);
    else if (only >= 0) put_edge(t, only, i, true);
    if (in->op == ISA_BRA && is_unguarded(in)) put_edge(t, i, in->target, true);
    put_original(t, i);
}

// ---- branches ----

static int make_detour(Inserter *t, int from, int to) {
    for (int k = 0; k < t->ndetours; k++)
        if (t->detours[k].from == from && t->detours[k].to == to) return t->detours[k].at;
    if (only_branch(t, to) >= 0 || !put_edge(t, from, to, false)) return t->start[to];
    const int at = t->n;
    *ARENA_PUSH(t->arena, t->detours, t->ndetours, t->cap_detours) = (Detour){from, to, at};
    put_edge(t, from, to, true);
    IsaInst *in = put_inst(t, ISA_BRA, t->w->p->insts[from].ptx_line);
    in->target = in->reconv = t->start[to];
    return at;
}

static void aim_branches(Inserter *t, IsaProgram *q) {
    const IsaProgram *p = t->w->p;
    q->tables = ARENA_ARRAY(t->arena, int *, p->ntables + 1);
    for (int k = 0; k < p->ntables; k++) q->tables[k] = ARENA_ARRAY(t->arena, int, p->table_len[k]);
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        int at = t->start[i], target = in->target;
        while (t->insts[at].op != in->op) at++;  // skip the inserted instructions
        if (in->op == ISA_BRA)
            target = is_unguarded(in) ? t->start[in->target] : make_detour(t, i, in->target);
        for (int k = 0; in->op == ISA_BRX && k < p->table_len[in->target]; k++)
            q->tables[in->target][k] = make_detour(t, i, p->tables[in->target][k]);
        t->insts[at].target = target;
        if (in->reconv >= 0) t->insts[at].reconv = t->start[in->reconv];
    }
}

IsaProgram *insert_regions(const WarpLive *w, const Placement *pl, Arena *arena) {
    const IsaProgram *p = w->p;
    const int n = p->ninsts;
    Inserter t = {.w = w,
                  .pl = pl,
                  .arena = arena,
                  .start = ARENA_ARRAY(arena, int, n + 1),
                  .nregs = 1,
                  .entries = ARENA_ARRAY(arena, int, n + 1),
                  .beside = ARENA_ARRAY(arena, uint8_t, n + 1),
                  .ends = ARENA_ARRAY(arena, uint8_t, n + 1)};
    t.entries[0] = 1;
    for (int i = 0; i < n; i++)
        REGIONS_SUCCESSORS(p, i, s) t.entries[s]++;
    find_sides(&t);
    for (int i = 0; i < n; i++) put_with_edges(&t, i);
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    aim_branches(&t, q);
    q->insts = t.insts;
    q->ninsts = t.n;
    q->nregs = q->home_regs = t.nregs;
    q->base_regs = pl->base;
    q->ext_regs = pl->ext;
    q->given_regs = pl->base + pl->ext;
    return q;
}
