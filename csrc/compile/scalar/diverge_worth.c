// SPDX-License-Identifier: Apache-2.0
// Estimates the gain of divergence elimination and the interval at which a loop's items are
// regrouped.
#include "compile/scalar/diverge.h"
#include "ptx/ptx.h"

#include <string.h>

enum {
    MOST_EVERY = 1024,
    ASSUMED_TRIPS = 64,
    LONG_WEIGHT = 8,
    COUNTING = 3,
    MOST_LOOKS = 8,
    MOST_WEIGHT = 100000
};
// cycles of a dependent instruction in addition to its unit's, as in opt/schedule.c
enum { PIPELINE = 6 };

// ---- loops whose threads leave together ----

// The PHI of the loop's header that `s` equals up to values that all threads of the CTA share and
// add; -1: none.
static int counter_behind(const Diverge *g, const IrSrc *s) {
    for (int depth = 0; depth < 8 && s->kind == ISA_SRC_REG && g->v.def[s->reg]; depth++) {
        const IrInst *in = g->v.def[s->reg];
        const int b = g->v.def_block[s->reg];
        if (in->op == IR_PHI) return b == g->header ? s->reg : -1;
        if (in->op != ISA_IADD || in->psrc[0].reg != IR_PT) return -1;
        const CtaValue x = cta_source(&g->v, &in->src[0], b), y = cta_source(&g->v, &in->src[1], b);
        if (cta_uniform(&y)) s = &in->src[0];
        else if (cta_uniform(&x)) s = &in->src[1];
        else return -1;
    }
    return -1;
}

// Is it a counter with equal steps, for any start value of each thread?
static bool is_counter(const Diverge *g, const IrSrc *s) {
    const int phi = counter_behind(g, s);
    if (phi < 0) return false;
    const IrInst *in = g->v.def[phi];
    for (int k = 0; k < in->nsrc; k++)
        if (in->src[k].kind == ISA_SRC_REG && g->in[g->v.def_block[in->src[k].reg]] &&
            counter_behind(g, &in->src[k]) != phi)
            return false;
    return true;
}

// Do all exits compare a counter that is affine in tid, or has equal steps, with a bound of the
// CTA? Then its threads leave together except in the last iterations.
static bool counts_alike(const Diverge *g) {
    const Ir *ir = g->ir;
    const Loop *l = g->body;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        bool leaves = false;
        for (int s = 0; l->in[b] && s < ir->blocks[b].nsucc; s++)
            leaves |= !l->in[ir->blocks[b].succ[s]];
        if (!leaves || g->v.branch[b] == CTA_AFFINE) continue;
        const IrPred p = ir->blocks[b].insts[ir->blocks[b].ninsts - 1]->guard;
        const IrInst *in = p.reg == IR_PT ? NULL : g->v.def[p.reg];
        if (!in || in->op != ISA_ISETP || in->psrc[0].reg != IR_PT) return false;
        const CtaValue x = cta_source(&g->v, &in->src[0], b), y = cta_source(&g->v, &in->src[1], b);
        if (cta_uniform(&y) && is_counter(g, &in->src[0])) continue;
        if (cta_uniform(&x) && is_counter(g, &in->src[1])) continue;
        if (x.kind != CTA_AFFINE || y.kind != CTA_AFFINE || !(cta_uniform(&x) || cta_uniform(&y)))
            return false;
    }
    return true;
}

// ---- what it costs ----

// Iterations of the loops around block b within the body, of the first two whose trips are not
// known LONG_WEIGHT each.
static int weight_of(const Diverge *g, int b) {
    const CtaLanes launch = cta_launch(&g->v, g->j->o);
    int64_t weight = 1;
    int unknown = 0;
    for (int k = g->v.loop_of[b]; k >= 0 && g->v.loop[k].depth > g->body->depth;
         k = g->v.loop[k].parent) {
        const int64_t trips = cta_trips(&launch, &g->v.loop[k]);
        weight *= trips ? trips : unknown++ < 2 ? LONG_WEIGHT : 1;
        if (weight > MOST_WEIGHT) weight = MOST_WEIGHT;
    }
    return (int)weight;
}

int diverge_cost(const Diverge *g) {
    const Ir *ir = g->ir;
    const Loop *l = g->body;
    int cost = 0;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        const int weight = weight_of(g, b);
        for (int n = 0; l->in[b] && n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            if (in->op == IR_PHI || in->op == ISA_EXIT) continue;
            cost += weight * (in->op == ISA_LD && in->mod.space != ISA_SHARED ? LONG_WEIGHT : 1);
        }
    }
    return cost ? cost : 1;
}

// Cycles of a remapping: the warps' added instructions, and the time in which they wait for the
// thread.
static int remap_slots(int state) { return 20 + 4 + 6 * state; }

static int remap_cost(const Diverge *g, int state) {
    const MachineConfig *c = g->cfg;
    const int added = remap_slots(state);
    int wait = 2 * c->shared_latency + 4 * c->exec_int_latency;
    if (g->simt) wait += g->warps;  // lanes of an atomic are serialized
    else if (g->scan) wait = c->scalar_clock * (wait + 3 * g->warps * c->exec_int_latency);
    else wait = c->scalar_clock * g->threads * (c->shared_latency + 4 * c->exec_int_latency);
    return (g->warps * added + c->sm_schedulers - 1) / c->sm_schedulers + wait;
}

// Issue slots of an iteration, and the time of its longest path: blocks in sequence, loads hit L1.
static void iteration_time(const Diverge *g, int64_t *slots, int64_t *chain) {
    const Ir *ir = g->ir;
    const Loop *l = g->body;
    int64_t *at = ARENA_ARRAY(ir->arena, int64_t, ir->nvregs + 1);
    *slots = *chain = 0;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        const int64_t weight = weight_of(g, b);
        int64_t longest = 0;
        for (int n = 0; l->in[b] && n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            int64_t ready = 0;
            if (in->op == IR_PHI || in->op == ISA_EXIT) continue;
            IR_FOR_USES(in, r)
                if (g->v.def_block[r] == b && at[r] > ready) ready = at[r];
            const bool shared = in->mod.space == ISA_SHARED;
            ready += PIPELINE +
                (in->op != ISA_LD ? g->cfg->exec_int_latency
                     : shared     ? g->cfg->shared_latency
                                  : g->cfg->l1_latency);
            int defs[3], k = ir_defs(in, defs);
            for (int d = 0; d < k; d++) at[defs[d]] = ready;
            if (ready > longest) longest = ready;
            *slots += weight;
        }
        *chain += weight * longest;
    }
}

static int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }

// CTAs that are resident at the same time, as far as known.
static int64_t resident_ctas(const Diverge *g) {
    const uint32_t *grid = g->j->o->grid;
    const int64_t all = (int64_t)grid[0] * grid[1] * grid[2],
                  most = g->j->o->resident ? g->j->o->resident : 1;
    return all && all < most ? all : most;
}

// The checks of `auto`. Items end one after another, so on average half of the resident warps have
// ended, and regrouping ends half of the others. That saves time only while more warps are ready
// than the schedulers issue. The time is never less than the longest path of an iteration.
static const char *no_gain(const Diverge *g, int state, int every) {
    int64_t slots, chain;
    iteration_time(g, &slots, &chain);
    const int per = g->cfg->sm_schedulers;
    const int64_t warps = g->warps * resident_ctas(g);
    const int64_t before = larger_of(warps * slots / (2 * per), chain);
    const int64_t after = larger_of(warps * (slots + 2 * COUNTING) / (4 * per), chain);
    const int64_t cost = remap_cost(g, state) + (warps - g->warps) * remap_slots(state) / per;
    if (before <= after)
        return arena_printf(g->ir->arena,
                            "an iteration takes its latency of about %d cycles, but only %d issue "
                            "slots of half the %d resident warps: regrouping shortens no iteration",
                            (int)chain, (int)(warps * slots / 2), (int)warps);
    const CtaLanes launch = cta_launch(&g->v, g->j->o);
    const int64_t known = cta_trips(&launch, g->body), trips = known ? known : ASSUMED_TRIPS;
    const int64_t pays = (2 * cost + before - after - 1) / (before - after);
    if (pays <= trips / 2 && every >= pays) return NULL;
    return arena_printf(g->ir->arena,
                        "a remapping takes about %d cycles, and an iteration saves %d: it pays off "
                        "every %d iterations, but is due every %d of %s %d",
                        (int)cost, (int)(before - after), (int)pays, every,
                        known ? "at most" : "about", (int)trips);
}

// Chooses the interval of regrouping. An iteration of all warps takes W x I issue slots. If items
// end one after another, at most half of the slots are saved. Each iteration loses COUNTING
// instructions, which count to the next regrouping. The next regrouping follows after as many
// iterations as save twice its cost.
const char *diverge_worth_loop(Diverge *g, int state) {
    const bool automatic = g->j->o->scalar == COMPILE_SCALAR_AUTO;
    if (automatic && counts_alike(g))
        return "all threads have equal iteration counts: nothing to regroup";
    const int iteration = diverge_cost(g), cost = remap_cost(g, state);
    const int saved = g->warps * (iteration - 2 * COUNTING), per = 2 * g->cfg->sm_schedulers;
    int64_t every = saved > 0 ? ((int64_t)2 * cost * per + saved - 1) / saved : MOST_EVERY;
    if (every < 1) every = 1;
    if (every > MOST_EVERY) every = MOST_EVERY;
    g->every = g->cfg->scalar_remap_every ? g->cfg->scalar_remap_every : (int)every;
    return automatic ? no_gain(g, state, g->every) : NULL;
}

// ---- an `if` ----

// Averages per examined CTA.
typedef struct Taken {
    // warps with a thread that takes the side; full warps that these threads form
    double warps, full;
} Taken;

// False: the launch does not determine which threads take it.
static bool threads_taking(const Diverge *g, Taken *t) {
    const uint32_t *grid = g->j->o->grid;
    const IrBlock *k = &g->ir->blocks[g->top];
    IrPred p = k->insts[k->ninsts - 1]->guard;
    const int64_t all = (int64_t)grid[0] * grid[1] * grid[2],
                  looks = all > MOST_LOOKS ? MOST_LOOKS
        : all                              ? all
                                           : 1;
    CtaLanes c = cta_launch(&g->v, g->j->o);
    memcpy(c.grid, grid, sizeof c.grid);
    if (k->succ[0] != g->header) p.neg = !p.neg;
    *t = (Taken){0};
    for (int64_t i = 0; i < looks; i++) {
        const int64_t at = i * all / looks;
        int64_t threads = 0;
        if (all) {
            c.cta[0] = (uint32_t)(at % grid[0]);
            c.cta[1] = (uint32_t)(at / grid[0] % grid[1]);
            c.cta[2] = (uint32_t)(at / grid[0] / grid[1]);
        }
        for (c.warp = 0; c.warp < g->warps; c.warp++) {
            uint32_t mask;
            if (!cta_lanes(&c, p, &mask)) return false;
            t->warps += (double)(mask != 0) / (double)looks;
            threads += __builtin_popcount(mask);
        }
        t->full += (double)((threads + ISA_LANES - 1) / ISA_LANES) / (double)looks;
    }
    return true;
}

// Warps with a thread that takes the side execute it; after regrouping, only as many as the threads
// fill. If this depends on data, each warp is assumed to have such threads, half of all.
const char *diverge_worth_if(Diverge *g, int state, int out) {
    if (g->j->o->scalar != COMPILE_SCALAR_AUTO) return NULL;
    Taken t = {g->warps, (g->warps + 1) / 2};
    int64_t slots, chain;
    if (!threads_taking(g, &t)) {
        if (g->v.branch[g->top] != CTA_OTHER)
            return "the launch does not determine which threads take it";
        t = (Taken){g->warps, (g->warps + 1) / 2};
    }
    iteration_time(g, &slots, &chain);
    const int per = g->cfg->sm_schedulers;
    const int64_t ctas = resident_ctas(g), words = state + out;
    const int64_t before = larger_of((int64_t)((double)(ctas * slots) * t.warps) / per, chain);
    const int64_t after = larger_of((int64_t)((double)(ctas * slots) * t.full) / per, chain);
    const int64_t cost =
        remap_cost(g, (int)words) + (ctas - 1) * g->warps * remap_slots((int)words) / per;
    if (before - after > cost) return NULL;
    return arena_printf(
        g->ir->arena,
        "%.1f of %d warps execute it where %.1f would do: %d cycles saved for the %d "
        "resident CTAs, and a regrouping of each takes about %d",
        t.warps, g->warps, t.full, (int)(before - after), (int)ctas, (int)cost);
}
