// SPDX-License-Identifier: Apache-2.0
// Inside of register allocation: graph.c (interference and coalescing), color.c, spill.c, alloc.c.
#ifndef SMCOSIM_COMPILE_ALLOC_H
#define SMCOSIM_COMPILE_ALLOC_H

#include "compile/ir.h"

// Registers that share a physical register form a class, named by its root; a register is `offset`
// words into its class. Registers that share a place form a class, named by its root; a register is
// `offset` words into its class. The units of a class are those of the root; merged units are
// represented by one of them.
typedef struct Graph {
    Arena *arena;  // scratch of one round
    Ir *ir;
    Live live;
    int *parent, *offset;  // per register: class structure (union-find)
    int *rep;              // per unit: union-find
    int *owner, *place;    // per representative unit: root register and word in it
    int **adj;             // neighbors of each representative (any member of their sets)
    int *nadj, *cap_adj;
    uint64_t *table;  // hash set of pairs of representatives
    size_t table_size, table_used;
    double *cost;  // per root: cost of spilling it
    bool *used;    // per register: occurs in the program
    int nvregs;    // number of registers when the graph was built
    const bool
        // per register below nfixed: a short piece made by spilling, which is not joined with
        // others
        *fixed;
    int nfixed;
} Graph;

void graph_build(Graph *g, Ir *ir, Arena *scratch);  // then set fixed, nfixed
void graph_coalesce(Graph *g);
int graph_root(const Graph *g, int vreg, int *offset);  // offset may be NULL
int graph_unit(const Graph *g, int unit);

// Colors all classes within the limit, or returns false with the uncolored classes
// in failed[] (*nfailed). color[root] is the first register.
typedef struct ColorOptions {
    int limit;  // registers
    const MachineConfig *cfg;
    CtaNeed cta;  // known properties of a CTA, which determine the registers that cost no warp
    bool widths;  // one register shall keep values of one width
} ColorOptions;
bool color_graph(const Graph *g, const ColorOptions *o, int *color, int *failed, int *nfailed);

// Bytes that each unit's values are expected to require, 1..4. threads: of a CTA, 0 if unknown.
// (width.c)
uint8_t *width_estimate(const Ir *ir, const Live *live, int threads, Arena *arena);

typedef struct Spiller {
    Ir *ir;
    bool *fixed;  // per register: made by spilling, must not be spilled again
    int cap_fixed;
    int *value_of;  // see AllocResult
} Spiller;
bool is_fixed(const Spiller *s, int vreg);
// Moves the chosen classes to local memory (or recomputes them at each use, or keeps a predicate in
// a register).
void spill_classes(Spiller *s, const Graph *g, const bool *chosen);

#endif
