// SPDX-License-Identifier: Apache-2.0
// Names of registers where some values never reach the register file (window_hints.h).
//
// Renames registers per live range. Ranges that an instruction reads or writes as one pair or quad
// form a group and keep their order in it. A group that only the collectors hold gets a unique name
// above all others. For the other groups, the best of several orders minimizes the number of names.
// They keep their old names if that costs no warp, because the allocator chose these by banks and
// readers.
#include "compile/hints/hints.h"
#include "compile/hints/window_hints.h"

#include <stdlib.h>
#include <string.h>

enum { REGS = 64, NO_NAME = -1 };

// A live range: values of one register that the same reads may see. A value is a node: the content
// of register r before instruction x (x * REGS + r), or x's write to r (numbered after these).
typedef struct Range {
    int group, reg;
    int *near, nnear, cap_near;  // ranges that are live at the same time
} Range;

typedef struct Group {
    int first;         // instruction at which it appears, in order of the program
    int last;          // its last one
    int align, words;  // alignment; words: bits, positions in the group
    bool home;
    int base;  // its name
    int *ranges, nranges, cap_ranges;
} Group;

typedef struct Homes {
    IsaProgram *p;
    Arena *arena;
    Liveness live;
    int *parent;    // union-find over nodes
    int *range_of;  // per root
    Range *ranges;
    int nranges, cap_ranges;
    Group *groups;
    int ngroups;
} Homes;

#define FOR_SUCCESSORS(p, i, s) \
    for (int k_ = 0, s; (s = isa_successor(p, i, k_)) != -2; k_++) \
        if (s >= 0)

static int node_before(int inst, int reg) { return inst * REGS + reg; }
static int node_written(const Homes *h, int inst, int reg) {
    return (h->p->ninsts + inst) * REGS + reg;
}
static bool is_unguarded(const IsaInst *in) { return in->guard.reg == ISA_PT && !in->guard.neg; }

static uint64_t result_set(const IsaInst *in) {
    return in->dst == ISA_RZ ? 0 : ((1ull << in->dst_width) - 1) << in->dst;
}

static int node_root(const Homes *h, int node) {
    while (h->parent[node] != node) node = h->parent[node] = h->parent[h->parent[node]];
    return node;
}

static void join_nodes(Homes *h, int a, int b) { h->parent[node_root(h, a)] = node_root(h, b); }

// ---- ranges ----

static void join_values(Homes *h) {
    const IsaProgram *p = h->p;
    for (int i = 0; i < 2 * p->ninsts * REGS; i++) h->parent[i] = i;
    for (int i = 0; i < p->ninsts; i++) {
        const uint64_t out = result_set(&p->insts[i]);
        FOR_SUCCESSORS(p, i, s)
            for (uint64_t m = h->live.before[s]; m; m &= m - 1) {
                const int r = __builtin_ctzll(m);
                if (out >> r & 1) join_nodes(h, node_before(s, r), node_written(h, i, r));
                if (!(out >> r & 1) || !is_unguarded(&p->insts[i]))
                    join_nodes(h, node_before(s, r), node_before(i, r));
            }
    }
}

static int range_at(Homes *h, int node, int reg) {
    const int root = node_root(h, node);
    if (h->range_of[root] < 0) {
        h->range_of[root] = h->nranges;
        *ARENA_PUSH(h->arena, h->ranges, h->nranges, h->cap_ranges) =
            (Range){.group = h->nranges - 1, .reg = reg};
    }
    return h->range_of[root];
}

static void add_conflict(Homes *h, int a, int b) {
    if (a == b) return;
    *ARENA_PUSH(h->arena, h->ranges[a].near, h->ranges[a].nnear, h->ranges[a].cap_near) = b;
    *ARENA_PUSH(h->arena, h->ranges[b].near, h->ranges[b].nnear, h->ranges[b].cap_near) = a;
}

// A result conflicts with registers that are live after it. Registers that may be read before they
// are written live from the beginning.
static void find_conflicts(Homes *h) {
    const IsaProgram *p = h->p;
    for (uint64_t m = h->live.before[0]; m; m &= m - 1)
        for (uint64_t o = m & (m - 1); o; o &= o - 1)
            add_conflict(h, range_at(h, node_before(0, __builtin_ctzll(m)), __builtin_ctzll(m)),
                         range_at(h, node_before(0, __builtin_ctzll(o)), __builtin_ctzll(o)));
    for (int i = 0; i < p->ninsts; i++)
        for (uint64_t out = result_set(&p->insts[i]), m = out; m; m &= m - 1) {
            const int r = __builtin_ctzll(m), a = range_at(h, node_written(h, i, r), r);
            for (uint64_t o = m & (m - 1); o; o &= o - 1)
                add_conflict(
                    h, a, range_at(h, node_written(h, i, __builtin_ctzll(o)), __builtin_ctzll(o)));
            FOR_SUCCESSORS(p, i, s)
                for (uint64_t l = h->live.before[s] & ~out; l; l &= l - 1)
                    add_conflict(
                        h, a, range_at(h, node_before(s, __builtin_ctzll(l)), __builtin_ctzll(l)));
        }
}

// ---- groups: Range.group is a union-find over ranges until they are numbered ----

static int group_root(const Homes *h, int range) {
    while (h->ranges[range].group != range) range = h->ranges[range].group;
    return range;
}

// One operand's registers, from node `first` on.
static void join_operand(Homes *h, int first, int reg, int width) {
    const int root = group_root(h, range_at(h, first, reg));
    for (int w = 1; w < width; w++) {
        const int other = group_root(h, range_at(h, first + w, reg + w));
        if (other != root) h->ranges[other].group = root;
    }
}

typedef void EachOperand(Homes *h, int inst, int first, int reg, int width);

static void each_operand(Homes *h, EachOperand *f) {
    for (int i = 0; i < h->p->ninsts; i++) {
        const IsaInst *in = &h->p->insts[i];
        for (int k = 0; k < 3; k++)
            if (in->src[k].kind == ISA_SRC_REG && in->src[k].reg != ISA_RZ)
                f(h, i, node_before(i, in->src[k].reg), in->src[k].reg, in->src[k].width);
        if (in->dst != ISA_RZ) f(h, i, node_written(h, i, in->dst), in->dst, in->dst_width);
    }
}

static void join_one(Homes *h, int inst, int first, int reg, int width) {
    (void)inst;
    join_operand(h, first, reg, width);
}

static void measure_group(Homes *h, int inst, int first, int reg, int width) {
    for (int w = 0; w < width; w++) {
        Group *g = &h->groups[h->ranges[range_at(h, first + w, reg + w)].group];
        if (inst < g->first) g->first = inst;
        if (inst > g->last) g->last = inst;
        if (width > g->align) g->align = width;
    }
}

static void number_groups(Homes *h) {
    int *number = ARENA_ARRAY(h->arena, int, h->nranges + 1);
    for (int r = 0; r < h->nranges; r++) number[r] = group_root(h, r);
    int *of_root = ARENA_ARRAY(h->arena, int, h->nranges + 1);
    for (int r = 0; r < h->nranges; r++)
        if (number[r] == r) of_root[r] = h->ngroups++;
    h->groups = ARENA_ARRAY(h->arena, Group, h->ngroups + 1);
    for (int g = 0; g < h->ngroups; g++) h->groups[g] = (Group){.first = h->p->ninsts, .align = 1};
    for (int r = 0; r < h->nranges; r++) {
        Group *g = &h->groups[h->ranges[r].group = of_root[number[r]]];
        *ARENA_PUSH(h->arena, g->ranges, g->nranges, g->cap_ranges) = r;
    }
    each_operand(h, measure_group);
    for (int r = 0; r < h->nranges; r++) {
        Group *g = &h->groups[h->ranges[r].group];
        g->words |= 1 << h->ranges[r].reg % g->align;
    }
}

// Values that exist at the beginning, or that are written to the register file, have a home.
static void find_homes(Homes *h) {
    for (uint64_t m = h->live.before[0]; m; m &= m - 1) {
        const int r = __builtin_ctzll(m);
        h->groups[h->ranges[range_at(h, node_before(0, r), r)].group].home = true;
    }
    for (int i = 0; i < h->p->ninsts; i++)
        for (uint64_t m = h->p->insts[i].write == ISA_WRITE_BOC ? 0 : result_set(&h->p->insts[i]);
             m; m &= m - 1) {
            const int r = __builtin_ctzll(m);
            h->groups[h->ranges[range_at(h, node_written(h, i, r), r)].group].home = true;
        }
}

// ---- names ----

// Bases at which one of the group's registers would conflict with a simultaneously live one.
static uint64_t taken_by_others(const Homes *h, const Group *g) {
    uint64_t taken = 0;
    for (int k = 0; k < g->nranges; k++) {
        const Range *r = &h->ranges[g->ranges[k]];
        for (int n = 0; n < r->nnear; n++) {
            const Range *o = &h->ranges[r->near[n]];
            const Group *og = &h->groups[o->group];
            const int base = og->base + o->reg % og->align - r->reg % g->align;
            if (og != g && og->base >= 0 && base >= 0) taken |= 1ull << base;
        }
    }
    return taken;
}

static int top_of(const Group *g, int base) {
    return base + 32 - __builtin_clz((unsigned)g->words);
}

static int old_base(const Homes *h, const Group *g) {
    return h->ranges[g->ranges[0]].reg / g->align * g->align;
}

// The lowest name in [low, limit), or the old one; NO_NAME: none is free.
static int lowest_name(const Homes *h, const Group *g, uint64_t taken, int low, int limit,
                       bool keep) {
    const int old = old_base(h, g);
    if (keep && old >= low && top_of(g, old) <= limit && !(taken >> old & 1)) return old;
    for (int base = (low + g->align - 1) / g->align * g->align; top_of(g, base) <= limit;
         base += g->align)
        if (!(taken >> base & 1)) return base;
    return NO_NAME;
}

// Names all groups with a home, in this order; returns the number of registers, or NO_NAME.
static int name_homes(Homes *h, const int *order, int limit, bool keep) {
    int top = 0;
    for (int i = 0; i < h->ngroups; i++) h->groups[i].base = NO_NAME;
    for (int i = 0; i < h->ngroups; i++) {
        Group *g = &h->groups[order[i]];
        if (!g->home) continue;
        g->base = lowest_name(h, g, taken_by_others(h, g), 0, limit, keep);
        if (g->base < 0) return NO_NAME;
        if (top_of(g, g->base) > top) top = top_of(g, g->base);
    }
    return top;
}

static int old_names(Homes *h) {
    int top = 0;
    for (int i = 0; i < h->ngroups; i++) {
        Group *g = &h->groups[i];
        g->base = g->home ? old_base(h, g) : NO_NAME;
        if (g->home && top_of(g, g->base) > top) top = top_of(g, g->base);
    }
    return top;
}

typedef struct Key {
    int a, b, c, group;
} Key;

static int by_key(const void *x, const void *y) {
    const Key *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return a->c != b->c ? a->c < b->c ? -1 : 1 : a->group - b->group;
}

// Orders: 0 by appearance, 1 the longest-lived first, 2 wide ones first, then by appearance.
enum { ORDERS = 3 };
static void make_order(const Homes *h, int which, int *order) {
    Key *keys = calloc((size_t)h->ngroups + 1, sizeof *keys);
    panic_if(!keys, "out of memory");
    for (int i = 0; i < h->ngroups; i++) {
        const Group *g = &h->groups[i];
        keys[i] = (Key){which == 1       ? g->first - g->last
                            : which == 2 ? -g->align
                                         : g->first,
                        g->first, -g->align, i};
    }
    qsort(keys, (size_t)h->ngroups, sizeof *keys, by_key);
    for (int i = 0; i < h->ngroups; i++) order[i] = keys[i].group;
    free(keys);
}

// Number of registers that may be used if `least` are required.
static int spread_to(const WindowNeed *need, int least) {
    CtaNeed cta = need->cta;
    cta.regs = least;
    return need->cfg ? occupancy_free_regs(need->cfg, cta, ISA_MAX_REGS) : least;
}

static int choose_homes(Homes *h, const WindowNeed *need, int *order) {
    int least = old_names(h), best = -1;
    for (int which = 0; which < ORDERS; which++) {
        make_order(h, which, order);
        const int n = name_homes(h, order, least, false);
        if (n < 0 || n >= least) continue;
        least = n, best = which;
    }
    for (int which = 0; which < ORDERS; which++) {  // old names, as far as they are among those
        make_order(h, which, order);
        const int n = name_homes(h, order, spread_to(need, least), true);
        if (n >= 0) return n;
    }
    if (best < 0) return old_names(h);
    make_order(h, best, order);
    return name_homes(h, order, least, false);
}

// Names groups without a home above `low`. Spread: each group gets the name that has been free
// longest, so that it does not wait for the readers of another value. Groups without a name get a
// home; true: all have names.
static bool name_others(Homes *h, const int *order, int low, bool spread) {
    int used[REGS];  // the last instruction with that name
    bool all = true;
    for (int r = 0; r < REGS; r++) used[r] = -1;
    for (int i = 0; i < h->ngroups; i++) {
        Group *g = &h->groups[order[i]];
        if (g->home) continue;
        const uint64_t taken = taken_by_others(h, g);
        int best = lowest_name(h, g, taken, low, ISA_MAX_REGS, false);
        for (int base = best; spread && best >= 0 && top_of(g, base) <= ISA_MAX_REGS;
             base += g->align)
            if (used[base] < used[best] && !(taken >> base & 1)) best = base;
        g->base = best;
        if (best < 0) g->home = true, all = false;
        for (int r = best; best >= 0 && r < top_of(g, best); r++) used[r] = g->last;
    }
    return all;
}

// ---- the program ----

static const Group *group_of(Homes *h, int node, int reg) {
    return &h->groups[h->ranges[range_at(h, node, reg)].group];
}

static void rename_inst(Homes *h, int i) {
    IsaInst *in = &h->p->insts[i];
    if (in->dst != ISA_RZ) {
        const Group *g = group_of(h, node_written(h, i, in->dst), in->dst);
        in->dst = (uint8_t)(g->base + in->dst % g->align);
        in->homeless = !g->home;
    }
    for (int k = 0; k < 3; k++) {
        IsaSrc *s = &in->src[k];
        if (s->kind != ISA_SRC_REG || s->reg == ISA_RZ) continue;
        const Group *g = group_of(h, node_before(i, s->reg), s->reg);
        s->reg = (uint8_t)(g->base + s->reg % g->align);
    }
}

static int rename_all(Homes *h, int homes) {
    int ranges = 0;
    h->p->home_regs = h->p->nregs = homes;
    for (int i = 0; i < h->p->ninsts; i++) rename_inst(h, i);
    for (int i = 0; i < h->ngroups; i++) {
        const Group *g = &h->groups[i];
        if (g->home) continue;
        ranges += g->nranges;
        if (top_of(g, g->base) > h->p->nregs) h->p->nregs = top_of(g, g->base);
    }
    return ranges;
}

// Registers that would do if every range had a home.
static int count_all(Homes *h, int *order) {
    bool *home = ARENA_ARRAY(h->arena, bool, h->ngroups + 1);
    for (int i = 0; i < h->ngroups; i++) home[i] = h->groups[i].home, h->groups[i].home = true;
    const int n = choose_homes(h, &(WindowNeed){0}, order);
    for (int i = 0; i < h->ngroups; i++) h->groups[i].home = home[i];
    return n;
}

void homes_assign(IsaProgram *p, const WindowNeed *need, WindowNotes *notes, Arena *arena) {
    Homes h = {.p = p, .arena = arena};
    const size_t nodes = 2 * (size_t)p->ninsts * REGS;
    liveness_of(&h.live, p, arena);
    h.parent = ARENA_ARRAY(arena, int, nodes);
    h.range_of = ARENA_ARRAY(arena, int, nodes);
    memset(h.range_of, 0xff, nodes * sizeof *h.range_of);
    join_values(&h);
    find_conflicts(&h);
    each_operand(&h, join_one);
    number_groups(&h);
    find_homes(&h);
    int *order = ARENA_ARRAY(arena, int, h.ngroups + 1), homes;
    notes->all = count_all(&h, order);
    do {
        notes->least = choose_homes(&h, &(WindowNeed){0}, order);
        homes = choose_homes(&h, need, order);
        if (homes < 1) homes = 1;
        make_order(&h, 0, order);
    } while (!name_others(&h, order, homes, need->rows >= 4 * need->places));
    notes->ranges = rename_all(&h, homes);
}
