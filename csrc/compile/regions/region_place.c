// SPDX-License-Identifier: Apache-2.0
// Which instructions run with a section held, and a place for every value.
//
// An instruction is high if more registers are in use than the base set holds. Registers in use
// (for the whole warp) at any low instruction must be in the base set. Values keep their registers
// if possible. A value without a base register is moved to a base register at the end of a high
// region. Only the active lanes execute that MOV, so it is not possible if other lanes also read
// the value. Otherwise the value keeps its register. Then the instructions over which it is in use
// become high, or the region begins earlier and ends later. The alternative that holds the section
// for a shorter time is chosen.
#include "compile/regions/regions.h"

#include <stdlib.h>
#include <string.h>

enum { COLOR_ROUNDS = 12, MAX_STEPS = 400, MAX_MOVES = 64, MAX_SLACK = 10 };

typedef struct Placer {
    Placement *pl;
    const WarpLive *w;
    const bool *spins;
    bool forced;
    Arena *arena;
    int64_t *times;  // how often an instruction is executed, estimated
    Move *banned;    // moves that were of no use
    int nbanned, cap_banned;
    int failed, nfailed;  // a group without a place, and how many
} Placer;

static bool fail_placement(Placer *p, const char *reason, int at) {
    p->pl->reason = reason;
    p->pl->at = at;
    return false;
}

// Where a section may not be held.
static bool stays_low(const Placer *p, int i) {
    return p->w->p->insts[i].op == ISA_BAR || (p->spins[i] && !p->forced);
}

static bool check_low(Placer *p) {
    for (int i = 0; i < p->w->p->ninsts; i++) {
        if (!p->pl->high[i]) continue;
        if (p->w->p->insts[i].op == ISA_BAR)
            return fail_placement(p, "too many registers are in use at a barrier", i);
        if (stays_low(p, i))
            return fail_placement(
                p, "a loop that waits for another warp requires extended registers", i);
    }
    return true;
}

// ---- what must lie in the base set ----

static void require_base(Webs *x, int group, int reg) {
    x->groups[group].base |= (uint8_t)(1 << reg % x->groups[group].size);
}

#define FOR_REGS(set, reg) \
    for (uint64_t m_##reg = (set); m_##reg; m_##reg &= m_##reg - 1) \
        for (int reg = __builtin_ctzll(m_##reg), once_##reg = 1; once_##reg; once_##reg = 0)

static int at_stop(const Webs *x, int stop, int reg) {
    const int g = web_into(x, stop, reg);
    return g >= 0 ? g : web_before(x, stop, reg);
}

static void mark_base(Placer *p) {
    const WarpLive *w = p->w;
    Webs *x = &p->pl->webs;
    const int n = w->p->ninsts;
    for (int i = 0; i < n; i++) {
        if (p->pl->high[i] || !w->reached[i]) continue;
        FOR_REGS(w->thread.before[i], r) require_base(x, web_before(x, i, r), r);
        FOR_REGS(w->thread.after[i] | w->writes[i], r) require_base(x, web_after(x, i, r), r);
    }
    for (int b = 0; b < w->nbranches; b++) {
        const int branch = w->branch[b], stop = w->p->insts[branch].reconv;
        bool low = false;
        for (int i = 0; i < n && !low; i++) low = mask_get(w->region[b], i) && !p->pl->high[i];
        if (!low) continue;
        FOR_REGS(w->thread.after[branch], r) require_base(x, web_after(x, branch, r), r);
        if (stop >= 0)
            FOR_REGS(w->thread.before[stop], r) require_base(x, at_stop(x, stop, r), r);
    }
}

// Is the group live throughout the region of divergent branch b?
static bool keeps_group(const Placer *p, int b, int group) {
    const Webs *x = &p->pl->webs;
    const int branch = p->w->branch[b], stop = p->w->p->insts[branch].reconv;
    FOR_REGS(p->w->thread.after[branch], r)
        if (web_after(x, branch, r) == group) return true;
    if (stop >= 0)
        FOR_REGS(p->w->thread.before[stop], r)
            if (at_stop(x, stop, r) == group) return true;
    return false;
}

// ---- coloring ----

static bool group_fits(const Placement *pl, const Group *g, const uint64_t *taken, int place) {
    const int limit = pl->base + pl->ext < ISA_MAX_REGS ? pl->base + pl->ext : ISA_MAX_REGS;
    for (int k = 0; k < g->size; k++) {
        if (!(g->words >> k & 1)) continue;
        const int reg = place + k;
        if (reg >= (g->base >> k & 1 ? pl->base : limit) || taken[k] >> reg & 1) return false;
    }
    return true;
}

static bool place_group(const Placement *pl, Group *g, uint64_t *points) {
    uint64_t taken[4] = {0};
    for (int i = 0; i < g->nat; i++) taken[g->at[i] & 3] |= points[g->at[i] >> 2];
    g->place = -1;
    if (group_fits(pl, g, taken, g->origin)) g->place = g->origin;
    for (int c = 0; c < ISA_MAX_REGS && g->place < 0; c += g->size)
        if (group_fits(pl, g, taken, c)) g->place = (int8_t)c;
    if (g->place < 0) return false;
    for (int i = 0; i < g->nat; i++) points[g->at[i] >> 2] |= 1ull << (g->place + (g->at[i] & 3));
    return true;
}

typedef struct Turn {
    int64_t key;
    int group;
} Turn;
static int by_key(const void *a, const void *b) {
    const Turn *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key ? -1 : 1) : x->group - y->group;
}

// Sort order: groups that failed before, then groups that can keep their registers, wide ones,
// long-lived ones.
static int64_t key_of(const Placement *pl, const Group *g, int bumped) {
    const uint64_t none[4] = {0};
    const int64_t stays = !bumped && group_fits(pl, g, none, g->origin),
                  nat = g->nat < 1 << 24 ? g->nat : 1 << 24;
    return ((int64_t)(g->base != 0) << 48) + ((int64_t)bumped << 32) + (stays << 31) +
        ((int64_t)g->size << 26) + nat;
}

// A place for every group; the fewest that have none of several tries.
static bool color_groups(Placer *p) {
    Webs *x = &p->pl->webs;
    int *bumped = ARENA_ARRAY(x->arena, int, x->ngroups + 1);
    Turn *turns = ARENA_ARRAY(x->arena, Turn, x->ngroups + 1);
    uint64_t *points = ARENA_ARRAY(x->arena, uint64_t, x->npoints + 1);
    p->nfailed = x->ngroups + 1;
    for (int round = 0; round < COLOR_ROUNDS; round++) {
        int failed = -1, nfailed = 0;
        memset(points, 0, sizeof *points * (size_t)x->npoints);
        for (int g = 0; g < x->ngroups; g++)
            turns[g] = (Turn){key_of(p->pl, &x->groups[g], bumped[g]), g};
        qsort(turns, (size_t)x->ngroups, sizeof *turns, by_key);
        for (int i = 0; i < x->ngroups; i++) {
            if (place_group(p->pl, &x->groups[turns[i].group], points)) continue;
            bumped[turns[i].group]++;
            if (!nfailed++) failed = turns[i].group;
        }
        if (nfailed < p->nfailed) p->nfailed = nfailed, p->failed = failed;
        if (!nfailed) return true;
    }
    return false;
}

static bool try_color(Placer *p) {
    arena_free(&p->pl->scratch);
    webs_build(&p->pl->webs, p->w, p->pl->moves, p->pl->nmoves, &p->pl->scratch);
    mark_base(p);
    return color_groups(p);
}

// ---- moves ----

static uint64_t banned_regs(const Placer *p, int from, int to) {
    uint64_t regs = 0;
    for (int m = 0; m < p->nbanned; m++)
        if (p->banned[m].from == from && p->banned[m].to == to) regs |= p->banned[m].regs;
    return regs;
}

static void add_move(Placer *p, int from, int to, uint64_t regs) {
    Placement *pl = p->pl;
    for (int m = 0; m < pl->nmoves; m++)
        if (pl->moves[m].from == from && pl->moves[m].to == to) {
            pl->moves[m].regs |= regs;
            return;
        }
    *ARENA_PUSH(p->arena, pl->moves, pl->nmoves, pl->cap_moves) = (Move){from, to, regs};
}

static bool lanes_elsewhere(const Placer *p, int to, int group) {
    for (int b = 0; b < p->w->nbranches; b++)
        if (mask_get(p->w->region[b], to) && keeps_group(p, b, group)) return true;
    return false;
}

// Moves of the group on all edges from high to low. False: not possible.
static bool add_moves(Placer *p, int group) {
    const WarpLive *w = p->w;
    Webs *x = &p->pl->webs;
    bool any = false;
    for (int i = 0; i < w->p->ninsts; i++) {
        if (!p->pl->high[i] || !w->reached[i]) continue;
        REGIONS_SUCCESSORS(w->p, i, k) {
            const int from = w->join[k] ? -1 : i;
            uint64_t regs = 0;
            if (p->pl->high[k] || lanes_elsewhere(p, k, group)) continue;
            FOR_REGS(w->thread.before[k], r)
                if (web_after(x, i, r) == group) regs |= 1ull << r;
            regs &= ~banned_regs(p, from, k);
            if (regs) add_move(p, from, k, regs), any = true;
        }
    }
    return any;
}

// Does every move connect two different registers?
static bool moves_separate(const Placer *p) {
    const Webs *x = &p->pl->webs;
    for (int m = 0; m < p->pl->nmoves; m++) {
        const Move *v = &p->pl->moves[m];
        FOR_REGS(v->regs, r) {
            const int from = v->from < 0 ? web_into(x, v->to, r) : web_after(x, v->from, r);
            if (from == web_before(x, v->to, r)) return false;
        }
    }
    return true;
}

// Moves help when fewer values are without a place with them.
static bool split_group(Placer *p, int group) {
    Placement *pl = p->pl;
    const int before = p->nfailed, nmoves = pl->nmoves, cap = pl->cap_moves;
    Move *old = pl->moves;
    pl->moves = NULL;
    pl->nmoves = pl->cap_moves = 0;
    for (int m = 0; m < nmoves; m++) add_move(p, old[m].from, old[m].to, old[m].regs);
    if (nmoves < MAX_MOVES && add_moves(p, group)) {
        const bool ok = try_color(p);
        if (moves_separate(p) && (ok || p->nfailed < before)) return true;
        for (int m = 0; m < pl->nmoves; m++)
            *ARENA_PUSH(p->arena, p->banned, p->nbanned, p->cap_banned) = pl->moves[m];
    }
    pl->moves = old;
    pl->nmoves = nmoves;
    pl->cap_moves = cap;
    return false;
}

// ---- values that stay ----

// Instructions over which the group is in use for the warp.
static void in_use(const Placer *p, int group, bool *use) {
    const Group *g = &p->pl->webs.groups[group];
    const int n = p->w->p->ninsts;
    memset(use, 0, (size_t)n);
    for (int i = 0; i < g->nat; i++)
        if (g->at[i] >> 2 < 2 * n) use[(g->at[i] >> 2) % n] = true;
    for (int b = 0; b < p->w->nbranches; b++) {
        if (!keeps_group(p, b, group)) continue;
        for (int i = 0; i < n; i++) use[i] |= mask_get(p->w->region[b], i);
    }
}

// Cost of holding a section over all instructions of `use`; -1: impossible.
static int64_t hold_cost(const Placer *p, const bool *use) {
    int64_t sum = 0;
    for (int i = 0; i < p->w->p->ninsts; i++) {
        if (!use[i] || p->pl->high[i] || !p->w->reached[i]) continue;
        if (stays_low(p, i)) return -1;
        sum += p->times[i];
    }
    return sum;
}

static bool group_overlaps(const Group *g, const bool *at) {
    for (int i = 0; i < g->nat; i++)
        if (at[g->at[i] >> 2]) return true;
    return false;
}

// The cheapest of the value without a place and those in its way.
static bool stay_held(Placer *p) {
    Webs *x = &p->pl->webs;
    const int n = p->w->p->ninsts;
    bool *at = ARENA_ARRAY(x->arena, bool, x->npoints + 1);
    bool *use = ARENA_ARRAY(x->arena, bool, n), *least = ARENA_ARRAY(x->arena, bool, n);
    int64_t best = -1;
    const Group *failed = &x->groups[p->failed];
    for (int i = 0; i < failed->nat; i++) at[failed->at[i] >> 2] = true;
    for (int g = 0; g < x->ngroups; g++) {
        if (!x->groups[g].base || !group_overlaps(&x->groups[g], at)) continue;
        in_use(p, g, use);
        const int64_t c = hold_cost(p, use);
        if (c <= 0 || (best >= 0 && c >= best)) continue;
        best = c;
        memcpy(least, use, (size_t)n);
    }
    if (best < 0)
        return fail_placement(
            p, "values in use at a barrier or in a loop that waits find no base register", -1);
    for (int i = 0; i < n; i++) p->pl->high[i] |= least[i] && p->w->reached[i];
    return true;
}

// Removes moves at positions where no region ends any more.
static void drop_stale_moves(Placer *p) {
    Placement *pl = p->pl;
    int n = 0;
    for (int m = 0; m < pl->nmoves; m++)
        if (!pl->high[pl->moves[m].to]) pl->moves[n++] = pl->moves[m];
    pl->nmoves = n;
}

// Holds a section while more than `least` registers are in use; stayed: values extended it beyond
// that.
static bool place_from(Placer *p, int least, bool *stayed) {
    Placement *pl = p->pl;
    pl->reason = NULL;
    pl->moves = NULL;
    pl->nmoves = pl->cap_moves = p->nbanned = 0;
    *stayed = false;
    for (int i = 0; i < p->w->p->ninsts; i++) {
        const bool more = warplive_pressure(p->w, i) > least && !stays_low(p, i);
        pl->high[i] = p->w->reached[i] && (more || warplive_pressure(p->w, i) > pl->base);
    }
    if (!check_low(p)) return false;
    bool done = try_color(p);
    for (int step = 0; step < MAX_STEPS && !done; step++) {
        if (p->nfailed == 0) return true;
        if (split_group(p, p->failed)) {
            done = !p->nfailed;
            continue;
        }
        done = try_color(p);  // the moves tried are undone
        if (done || !stay_held(p) || !check_low(p)) break;
        *stayed = true;
        drop_stale_moves(p);
        done = try_color(p);
    }
    if (!done && !pl->reason) fail_placement(p, "values find no aligned place", -1);
    return done;
}

// How long a section is held, estimated.
static int64_t held_time(const Placer *p) {
    int64_t sum = 0;
    for (int i = 0; i < p->w->p->ninsts; i++) sum += p->pl->high[i] ? p->times[i] : 0;
    return sum;
}

// A region that begins earlier and ends later may need to keep fewer values. Of several such
// regions, the region that is held for the shortest time is chosen.
bool place_values(Placement *pl, const WarpLive *w, const bool *spins, bool forced, Arena *arena) {
    Placer p = {.pl = pl,
                .w = w,
                .spins = spins,
                .forced = forced,
                .arena = arena,
                .times = ARENA_ARRAY(arena, int64_t, w->p->ninsts)};
    bool stayed;
    int best = -1;
    int64_t least = 0;
    pl->high = ARENA_ARRAY(arena, bool, w->p->ninsts);
    affinity_frequency(w->p, p.times);
    for (int slack = 0; slack <= MAX_SLACK && slack < pl->base; slack++) {
        const bool done = place_from(&p, pl->base - slack, &stayed);
        if (done && !stayed && slack == 0) return true;
        if (!done || (best >= 0 && held_time(&p) >= least)) continue;
        best = slack;
        least = held_time(&p);
    }
    return place_from(&p, pl->base - (best < 0 ? 0 : best), &stayed);
}
