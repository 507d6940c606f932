// SPDX-License-Identifier: Apache-2.0
// Webs: a definition, the uses that it reaches, and the other definitions of those uses share one
// register. An occurrence is a register live before an instruction, written by it, or live into
// moves at the head of an instruction. A guarded write joins the web of the values that other lanes
// keep.
#include "compile/regions/regions.h"

static int occurrence_of(const Webs *x, int kind, int i, int reg) {
    return (kind * x->w->p->ninsts + i) * 64 + reg;
}

static int root_of(int *parent, int a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
}

static void join_webs(Webs *x, int a, int b) {
    x->parent[root_of(x->parent, a)] = root_of(x->parent, b);
}

static int occurrence_before(const Webs *x, int i, int reg) { return occurrence_of(x, 0, i, reg); }
static int occurrence_into(const Webs *x, int to, int reg) { return occurrence_of(x, 2, to, reg); }
static int occurrence_after(const Webs *x, int i, int reg) {
    return occurrence_of(x, mask_get(&x->w->writes[i], reg), i, reg);
}

static uint64_t moved_regs(const Webs *x, int from, int to) {
    for (int m = 0; m < x->nmoves; m++)
        if (x->moves[m].from == from && x->moves[m].to == to) return x->moves[m].regs;
    return 0;
}

static void join_edge(Webs *x, int i, int k) {
    const uint64_t here = moved_regs(x, i, k), head = moved_regs(x, -1, k);
    for (uint64_t m = x->w->thread.before[k] & ~here; m; m &= m - 1) {
        const int reg = __builtin_ctzll(m);
        join_webs(x, occurrence_after(x, i, reg),
                  head >> reg & 1 ? occurrence_into(x, k, reg) : occurrence_before(x, k, reg));
    }
}

static void join_operands(Webs *x, int i, uint8_t *size) {
    const IsaInst *in = &x->w->p->insts[i];
    for (int s = 0; s < 3; s++) {
        if (in->src[s].kind != ISA_SRC_REG || in->src[s].reg == ISA_RZ || in->src[s].width < 2)
            continue;
        const int first = occurrence_before(x, i, in->src[s].reg);
        for (int k = 1; k < in->src[s].width; k++) join_webs(x, first + k, first);
        if (size[first] < in->src[s].width) size[first] = in->src[s].width;
    }
    if (in->dst == ISA_RZ || in->dst_width < 2) return;
    const int first = occurrence_after(x, i, in->dst);
    for (int k = 1; k < in->dst_width; k++) join_webs(x, first + k, first);
    if (size[first] < in->dst_width) size[first] = in->dst_width;
}

static void join_all(Webs *x, uint8_t *size) {
    const WarpLive *w = x->w;
    for (int i = 0; i < w->p->ninsts; i++) {
        REGIONS_SUCCESSORS(w->p, i, k) join_edge(x, i, k);
        join_operands(x, i, size);
        if (w->p->insts[i].guard.reg == ISA_PT) continue;
        for (uint64_t m = w->writes[i] & w->thread.before[i]; m; m &= m - 1)
            join_webs(x, occurrence_before(x, i, __builtin_ctzll(m)),
                      occurrence_after(x, i, __builtin_ctzll(m)));
    }
}

// ---- groups and where they are live ----

typedef void Visit(Webs *x, int point, int occurrence_of, int reg);

static void for_points(Webs *x, Visit *f) {
    const WarpLive *w = x->w;
    const int n = w->p->ninsts;
    for (int i = 0; i < n; i++) {
        for (uint64_t m = w->thread.before[i]; m; m &= m - 1)
            f(x, i, occurrence_before(x, i, __builtin_ctzll(m)), __builtin_ctzll(m));
        for (uint64_t m = w->thread.after[i] | w->writes[i]; m; m &= m - 1)
            f(x, n + i, occurrence_after(x, i, __builtin_ctzll(m)), __builtin_ctzll(m));
    }
    for (int k = 0; k < x->nmoves; k++) {
        const Move *v = &x->moves[k];
        for (uint64_t m = w->thread.before[v->to]; m; m &= m - 1) {
            const int reg = __builtin_ctzll(m);
            f(x, 2 * n + k, occurrence_before(x, v->to, reg), reg);
            if (!(v->regs >> reg & 1)) continue;
            f(x, 2 * n + k,
              v->from < 0 ? occurrence_into(x, v->to, reg) : occurrence_after(x, v->from, reg),
              reg);
        }
    }
}

static void count_point(Webs *x, int point, int o, int reg) {
    (void)point;
    Group *g = &x->groups[x->group[root_of(x->parent, o)]];
    g->words |= (uint8_t)(1 << reg % g->size);
    g->origin = (int8_t)(reg / g->size * g->size);
    g->nat++;
}

static void fill_point(Webs *x, int point, int o, int reg) {
    Group *g = &x->groups[x->group[root_of(x->parent, o)]];
    g->at[g->nat++] = point * 4 + reg % g->size;
}

static void number_group(Webs *x, int point, int o, int reg) {
    (void)point, (void)reg;
    int *g = &x->group[root_of(x->parent, o)];
    if (*g < 0) *g = x->ngroups++;
}

void webs_build(Webs *x, const WarpLive *w, const Move *moves, int nmoves, Arena *arena) {
    const int total = 3 * 64 * w->p->ninsts;
    *x = (Webs){.w = w,
                .arena = arena,
                .moves = moves,
                .nmoves = nmoves,
                .parent = ARENA_ARRAY(arena, int, total),
                .group = ARENA_ARRAY(arena, int, total),
                .npoints = 2 * w->p->ninsts + nmoves};
    uint8_t *size = ARENA_ARRAY(arena, uint8_t, total);
    for (int o = 0; o < total; o++) x->parent[o] = o, x->group[o] = -1;
    join_all(x, size);
    for_points(x, number_group);
    x->groups = ARENA_ARRAY(arena, Group, x->ngroups + 1);
    for (int g = 0; g < x->ngroups; g++) x->groups[g] = (Group){.size = 1, .place = -1};
    for (int o = 0; o < total; o++) {
        const int g = size[o] ? x->group[root_of(x->parent, o)] : -1;
        if (g >= 0 && x->groups[g].size < size[o]) x->groups[g].size = size[o];
    }
    for_points(x, count_point);
    for (int g = 0; g < x->ngroups; g++) {
        x->groups[g].at = ARENA_ARRAY(arena, int, x->groups[g].nat + 1);
        x->groups[g].nat = 0;
    }
    for_points(x, fill_point);
}

int web_before(const Webs *x, int i, int reg) {
    return x->group[root_of(x->parent, occurrence_before(x, i, reg))];
}
int web_after(const Webs *x, int i, int reg) {
    return x->group[root_of(x->parent, occurrence_after(x, i, reg))];
}
int web_into(const Webs *x, int to, int reg) {
    return x->group[root_of(x->parent, occurrence_into(x, to, reg))];
}
