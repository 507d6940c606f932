// SPDX-License-Identifier: Apache-2.0
// CORF++'s sides (thesis section 2.5.1). A graph without odd cycles has two colors. While odd
// cycles exist, one edge is removed: the edge with the smallest weight divided by the number of odd
// cycles through it. Counting all simple cycles is exponential. So cycles are counted shortest
// first, up to a length that a budget of steps allows. A longer odd cycle is broken at its lightest
// edge.
#include "compile/hints/hints.h"

#include <string.h>

enum { LONGEST = 9, BUDGET = 400000 };

typedef struct Odd {
    const Affinity *a;
    EdgeLog *log;
    bool on[ISA_MAX_REGS][ISA_MAX_REGS];
    int list[ISA_MAX_REGS][ISA_MAX_REGS], degree[ISA_MAX_REGS];
    int64_t cycles[ISA_MAX_REGS][ISA_MAX_REGS];  // odd cycles through an edge, x < y
    int path[LONGEST + 1];
    bool on_path[ISA_MAX_REGS];
    int longest;
    int64_t steps, found;
} Odd;

static void make_lists(Odd *o) {
    for (int i = 0; i < o->a->nregs; i++) {
        o->degree[i] = 0;
        for (int j = 0; j < o->a->nregs; j++)
            if (o->on[i][j]) o->list[i][o->degree[i]++] = j;
    }
}

static void count_path(Odd *o, int length) {
    o->found++;
    for (int i = 0; i < length; i++) {
        int x = o->path[i], y = o->path[(i + 1) % length];
        o->cycles[x < y ? x : y][x < y ? y : x]++;
    }
}

// Lists simple cycles whose lowest register is path[0], each in one direction.
static void extend_path(Odd *o, int length) {
    int last = o->path[length - 1];
    for (int k = 0; k < o->degree[last] && o->steps < BUDGET; k++) {
        int next = o->list[last][k];
        o->steps++;
        if (next == o->path[0] && length >= 3 && length % 2 && o->path[1] < last)
            count_path(o, length);
        if (next <= o->path[0] || o->on_path[next] || length == o->longest) continue;
        o->path[length] = next;
        o->on_path[next] = true;
        extend_path(o, length + 1);
        o->on_path[next] = false;
    }
}

static bool count_cycles(Odd *o) {
    for (o->longest = LONGEST; o->longest >= 3; o->longest -= 2) {
        memset(o->cycles, 0, sizeof o->cycles);
        memset(o->on_path, 0, sizeof o->on_path);
        o->steps = o->found = 0;
        for (int i = 0; i < o->a->nregs; i++) {
            o->path[0] = i;
            extend_path(o, 1);
        }
        if (o->steps < BUDGET || o->longest == 3) break;
    }
    return o->found > 0;
}

// Colors by breadth-first search; an edge between equal colors closes an odd cycle: (x, y).
static bool two_color(const Odd *o, int color[ISA_MAX_REGS], int parent[ISA_MAX_REGS], int *x,
                      int *y) {
    int queue[ISA_MAX_REGS];
    for (int i = 0; i < o->a->nregs; i++) color[i] = parent[i] = -1;
    for (int root = 0; root < o->a->nregs; root++) {
        if (color[root] >= 0 || !o->degree[root]) continue;
        int head = 0, tail = 0;
        queue[tail++] = root;
        color[root] = 0;
        while (head < tail) {
            int at = queue[head++];
            for (int k = 0; k < o->degree[at]; k++) {
                int next = o->list[at][k];
                if (color[next] < 0) {
                    color[next] = !color[at];
                    parent[next] = at;
                    queue[tail++] = next;
                } else if (color[next] == color[at]) {
                    *x = at, *y = next;
                    return false;
                }
            }
        }
    }
    return true;
}

static void remove_edge(Odd *o, int x, int y) {
    o->on[x][y] = o->on[y][x] = false;
    edge_log(o->log, x < y ? x : y, x < y ? y : x, false);
    make_lists(o);
}

// The edge with the smallest weight per odd cycle; compared as products.
static void remove_cheapest(Odd *o) {
    int bx = -1, by = -1;
    for (int x = 0; x < o->a->nregs; x++)
        for (int y = x + 1; y < o->a->nregs; y++) {
            if (!o->on[x][y] || !o->cycles[x][y]) continue;
            if (bx >= 0 &&
                (double)o->a->weight[x][y] * (double)o->cycles[bx][by] >=
                    (double)o->a->weight[bx][by] * (double)o->cycles[x][y])
                continue;
            bx = x, by = y;
        }
    remove_edge(o, bx, by);
}

// The lightest edge of the cycle that (x, y) closes in the search tree.
static void remove_lightest(Odd *o, const int *parent, int x, int y) {
    int bx = x, by = y;
    uint64_t above = 0;
    for (int i = x; i >= 0; i = parent[i]) above |= 1ull << i;
    int meet = y;
    while (!(above >> meet & 1)) meet = parent[meet];
    for (int side = 0; side < 2; side++)
        for (int i = side ? y : x; i != meet; i = parent[i])
            if (o->a->weight[i][parent[i]] < o->a->weight[bx][by]) bx = i, by = parent[i];
    remove_edge(o, bx, by);
}

int64_t align_choose(const Affinity *a, IsaAlign side[ISA_MAX_REGS], EdgeLog *log) {
    Arena scratch = {0};
    Odd *o = ARENA_NEW(&scratch, Odd);
    int color[ISA_MAX_REGS], parent[ISA_MAX_REGS], x = 0, y = 0;
    o->a = a;
    o->log = log;
    for (int i = 0; i < a->nregs; i++)
        for (int j = 0; j < a->nregs; j++) o->on[i][j] = a->weight[i][j] > 0;
    make_lists(o);
    while (!two_color(o, color, parent, &x, &y)) {
        if (count_cycles(o)) remove_cheapest(o);
        else remove_lightest(o, parent, x, y);
    }
    int64_t kept = 0;
    for (int i = 0; i < ISA_MAX_REGS; i++) {
        side[i] = i >= a->nregs || color[i] < 0 ? ISA_ALIGN_ANY
            : color[i]                          ? ISA_ALIGN_RIGHT
                                                : ISA_ALIGN_LEFT;
        for (int j = 0; j < i && i < a->nregs; j++)
            if (side[i] != side[j] && side[j] != ISA_ALIGN_ANY) kept += a->weight[i][j];
    }
    arena_free(&scratch);
    return kept;
}
