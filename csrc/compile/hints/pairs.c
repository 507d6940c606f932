// SPDX-License-Identifier: Apache-2.0
// CORF's exclusive pairs (thesis section 2.4.2). While a register has several edges, the lightest
// edge of all such registers is removed. Then edges between registers that lost all of theirs are
// restored, the heaviest first. If weights tie, the edge with the lower register numbers is removed
// or restored first, so that the result is unique.
#include "compile/hints/hints.h"

#include <string.h>

typedef struct Edges {
    bool on[ISA_MAX_REGS][ISA_MAX_REGS];
    int degree[ISA_MAX_REGS];
} Edges;

static void set_edge(Edges *e, int x, int y, bool on) {
    e->on[x][y] = e->on[y][x] = on;
    e->degree[x] += on ? 1 : -1;
    e->degree[y] += on ? 1 : -1;
}

static bool lightest_of_crowded(const Affinity *a, const Edges *e, int *x, int *y) {
    int64_t best = -1;
    for (int i = 0; i < a->nregs; i++)
        for (int j = i + 1; j < a->nregs; j++) {
            if (!e->on[i][j] || (e->degree[i] < 2 && e->degree[j] < 2)) continue;
            if (best >= 0 && a->weight[i][j] >= best) continue;
            best = a->weight[i][j];
            *x = i, *y = j;
        }
    return best >= 0;
}

static bool heaviest_of_lonely(const Affinity *a, const Edges *e, int *x, int *y) {
    int64_t best = 0;
    for (int i = 0; i < a->nregs; i++)
        for (int j = i + 1; j < a->nregs; j++) {
            if (e->degree[i] || e->degree[j] || a->weight[i][j] <= best) continue;
            best = a->weight[i][j];
            *x = i, *y = j;
        }
    return best > 0;
}

int64_t pairs_choose(const Affinity *a, int partner[ISA_MAX_REGS], EdgeLog *log) {
    Edges e;
    int x = 0, y = 0;
    memset(&e, 0, sizeof e);
    for (int i = 0; i < a->nregs; i++)
        for (int j = i + 1; j < a->nregs; j++)
            if (a->weight[i][j]) set_edge(&e, i, j, true);
    while (lightest_of_crowded(a, &e, &x, &y)) {
        set_edge(&e, x, y, false);
        edge_log(log, x, y, false);
    }
    while (heaviest_of_lonely(a, &e, &x, &y)) {
        set_edge(&e, x, y, true);
        edge_log(log, x, y, true);
    }
    int64_t kept = 0;
    for (int i = 0; i < ISA_MAX_REGS; i++) {
        partner[i] = -1;
        for (int j = 0; i < a->nregs && j < a->nregs; j++)
            if (e.on[i][j]) {
                partner[i] = j;
                if (i < j) kept += a->weight[i][j];
            }
    }
    return kept;
}
