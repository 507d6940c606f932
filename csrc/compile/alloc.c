// SPDX-License-Identifier: Apache-2.0
// Register allocation: build the graph, coalesce, colour; spill and start again while that fails.
// requires  no PHIs, cfg_analyze
// provides  a register for every virtual one; COPY, JOIN and SPLIT remain for emit.c, which drops those
//           whose source and destination are the same place
#include "compile/alloc.h"

#include <stdlib.h>
#include <string.h>

static void fill_result(const Graph *g, const int *color, AllocResult *out) {
    const Ir *ir = g->ir;
    out->reg = ARENA_ARRAY(ir->arena, uint8_t, ir->nvregs + 1);
    out->nregs = out->npreds = 0;
    for (int v = 0; v < ir->nvregs; v++) {
        out->reg[v] = ISA_RZ;
        if (!g->used[v]) continue;
        int offset, root = graph_root(g, v, &offset), r = color[root] + offset, width = ir->width[v];
        out->reg[v] = (uint8_t)r;
        int *top = width ? &out->nregs : &out->npreds;
        if (r + ir_units(width) > *top) *top = r + ir_units(width);
    }
    if (!out->nregs) out->nregs = 1;
}

// The class to spill: the cheapest per freed neighbour among those that failed and what stands in their way.
static int cheapest(const Graph *g, const Spiller *s, const int *failed, int nfailed) {
    int best = -1;
    double least = 0;
    for (int i = 0; i < nfailed; i++) {
        int width = g->ir->width[failed[i]];
        for (int w = 0; w < ir_units(width); w++) {
            int u = graph_unit(g, g->live.unit[failed[i]] + w);
            for (int k = -1; k < g->nadj[u]; k++) {
                int root = k < 0 ? failed[i]
                                 : graph_root(g, g->owner[graph_unit(g, g->adj[u][k])], NULL);
                if (is_fixed(s, root) || !g->used[root]) continue;
                int degree = 1;
                for (int x = 0; x < ir_units(g->ir->width[root]); x++)
                    degree += g->nadj[graph_unit(g, g->live.unit[root] + x)];
                double cost = g->cost[root] / degree;
                if (best >= 0 && cost >= least) continue;
                best = root;
                least = cost;
            }
        }
    }
    return best;
}

static int by_number(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

static bool spill_some(Graph *g, Spiller *s, int *failed, int nfailed, Diag *d) {
    // Failed classes that may be spilled, cheapest first; a few at a time keeps the rounds few.
    qsort(failed, (size_t)nfailed, sizeof *failed, by_number);
    int done = 0, want = nfailed > 8 ? nfailed / 4 : 1;
    int *spilled = ARENA_ARRAY(g->arena, int, want);
    for (int n = 0; n < want; n++) {
        int root = cheapest(g, s, failed, nfailed);
        if (root < 0) break;
        g->cost[root] = 1e30;
        bool again = false;
        for (int i = 0; i < done; i++) again |= spilled[i] == root;
        if (again) break;
        spilled[done++] = root;
    }
    for (int i = 0; i < done; i++) spill_class(s, g, spilled[i]);
    if (!done)
        return diag_fail(d, EXIT_USAGE, "%s: cannot be compiled with so few registers: one instruction needs more",
                         g->ir->name);
    return true;
}

bool alloc_registers(Ir *ir, int max_regs, const MachineConfig *cfg, AllocResult *out, Diag *d) {
    ColorOptions options = {max_regs, cfg->rf_banks, cfg->rf_entries / cfg->sm_warps};
    Spiller spiller = {.ir = ir};
    enum { MAX_ROUNDS = 400 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        Arena scratch = {0};
        Graph g;
        graph_build(&g, ir, &scratch);
        graph_coalesce(&g);
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
    return diag_fail(d, EXIT_USAGE, "%s: no register allocation found in %d rounds", ir->name, MAX_ROUNDS);
}
