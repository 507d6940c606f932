// SPDX-License-Identifier: Apache-2.0
// Register allocation: builds the graph, coalesces, colors; spills and starts again while that
// fails.
//
// requires  no PHIs, cfg_analyze
//
// provides  a register for every virtual one; COPY, JOIN and SPLIT remain for emit.c, which drops
//           those whose source and destination are the same register
#include "compile/alloc/alloc.h"

#include <string.h>

static void fill_result(const Graph *g, const int *color, AllocResult *out) {
    const Ir *ir = g->ir;
    out->reg = ARENA_ARRAY(ir->arena, uint8_t, ir->nvregs + 1);
    out->nregs = out->npreds = 0;
    for (int v = 0; v < ir->nvregs; v++) {
        out->reg[v] = ISA_RZ;
        if (!g->used[v]) continue;
        int offset, root = graph_root(g, v, &offset), r = color[root] + offset,
                    width = ir->width[v];
        out->reg[v] = (uint8_t)r;
        int *top = width ? &out->nregs : &out->npreds;
        if (r + ir_units(width) > *top) *top = r + ir_units(width);
    }
    if (!out->nregs) out->nregs = 1;
}

static double spill_score(const Graph *g, int root) {
    int degree = 1;
    for (int w = 0; w < ir_units(g->ir->width[root]); w++)
        degree += g->nadj[graph_unit(g, g->live.unit[root] + w)];
    return g->cost[root] / degree;
}

// The class with the least cost per freed neighbor, among a failed class and its obstacles; -1:
// none.
static int cheapest_class(const Graph *g, const Spiller *s, int failed) {
    int best = is_fixed(s, failed) ? -1 : failed;
    double least = best < 0 ? 0 : spill_score(g, best);
    for (int w = 0; w < ir_units(g->ir->width[failed]); w++) {
        int u = graph_unit(g, g->live.unit[failed] + w);
        for (int k = 0; k < g->nadj[u]; k++) {
            int root = graph_root(g, g->owner[graph_unit(g, g->adj[u][k])], NULL);
            if (is_fixed(s, root) || !g->used[root]) continue;
            double score = spill_score(g, root);
            if (best >= 0 && score >= least) continue;
            best = root;
            least = score;
        }
    }
    return best;
}

// If many classes failed, these classes are spilled: simplification put the cheap ones last. If few
// failed, the cheapest class that conflicts with them is spilled.
static bool spill_some(Graph *g, Spiller *s, const int *failed, int nfailed, Diag *d) {
    enum { FEW = 4 };
    bool *chosen = ARENA_ARRAY(g->arena, bool, g->nvregs + 1);
    int done = 0;
    for (int i = 0; i < nfailed; i++) {
        int root = failed[i];
        if (nfailed <= FEW || is_fixed(s, root)) root = cheapest_class(g, s, root);
        if (root < 0 || chosen[root]) continue;
        chosen[root] = true;
        done++;
        if (nfailed <= FEW) break;
    }
    if (done) spill_classes(s, g, chosen);
    if (!done)
        return diag_fail(d, EXIT_USAGE, "%s: too few registers: one instruction requires more",
                         g->ir->name);
    return true;
}

bool alloc_registers(Ir *ir, const RegLimit *limit, const MachineConfig *cfg, AllocResult *out,
                     Diag *d) {
    const ColorOptions options = {limit->most, cfg, limit->cta, limit->widths};
    Spiller spiller = {.ir = ir};
    enum { MAX_ROUNDS = 400 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        Arena scratch = {0};
        Graph g;
        graph_build(&g, ir, &scratch);
        g.fixed = spiller.fixed;
        g.nfixed = spiller.cap_fixed < ir->nvregs ? spiller.cap_fixed : ir->nvregs;
        graph_coalesce(&g);
        for (int v = 0; v < g.nfixed; v++)
            if (g.fixed[v]) g.cost[v] = 1e30;
        int *color = ARENA_ARRAY(&scratch, int, ir->nvregs + 1);
        int *failed = ARENA_ARRAY(&scratch, int, ir->nvregs + 1), nfailed = 0;
        bool ok = color_graph(&g, &options, color, failed, &nfailed);
        if (ok) fill_result(&g, color, out);
        bool more = !ok && spill_some(&g, &spiller, failed, nfailed, d);
        arena_free(&scratch);
        if (ok) {
            out->value_of = ARENA_ARRAY(ir->arena, int, ir->nvregs + 1);
            for (int v = 0; v < ir->nvregs; v++)
                out->value_of[v] = v < spiller.cap_fixed ? spiller.value_of[v] : v;
            return true;
        }
        if (!more) return false;
    }
    return diag_fail(d, EXIT_USAGE, "%s: no register allocation found in %d rounds", ir->name,
                     MAX_ROUNDS);
}
