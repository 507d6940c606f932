// SPDX-License-Identifier: Apache-2.0
// Hints for the register path, computed on the finished program: which registers are read together
// (affinity.c), which pairs share a physical register (pairs.c, CORF), which side of one a register
// is put to (align.c, CORF++), where registers die (release.c, register virtualization). hints.c
// prints them and turns them into HINT instructions. Thesis sections 2.4.2, 2.5.1.
#ifndef SMCOSIM_COMPILE_HINTS_H
#define SMCOSIM_COMPILE_HINTS_H

#include "compile/compile.h"

// Register affinity graph: weight of an edge is how often both registers are read by one
// instruction (one pass through the operand collector), estimated statically.
typedef struct Affinity {
    int nregs;
    int64_t weight[ISA_MAX_REGS][ISA_MAX_REGS];  // symmetric, 0: no edge
} Affinity;

// How often an instruction is executed for once that the kernel is entered: loops count with their
// trip count where it is a constant, else with AFFINITY_LOOP each.
enum { AFFINITY_LOOP = 10, AFFINITY_MOST = 1 << 30 };
void affinity_frequency(const IsaProgram *p, int64_t *times);
void affinity_build(Affinity *a, const IsaProgram *p);

// Edges in the order in which a heuristic took them out of the graph and put them back; for tests.
// `n` counts all, the first EDGE_LOG are kept.
enum { EDGE_LOG = 64 };
typedef struct EdgeLog {
    int n;
    struct {
        int x, y;
        bool back;
    } edge[EDGE_LOG];
} EdgeLog;
static inline void edge_log(EdgeLog *log, int x, int y, bool back) {
    if (log && log->n++ < EDGE_LOG)
        log->edge[log->n - 1].x = x, log->edge[log->n - 1].y = y, log->edge[log->n - 1].back = back;
}

// Exclusive pairs: partner[r] is the register that r shares a physical register with, -1: none.
// Returns the sum of the weights kept. `log` may be NULL.
int64_t pairs_choose(const Affinity *a, int partner[ISA_MAX_REGS], EdgeLog *log);

// Sides: registers without an edge are ISA_ALIGN_ANY; of the others, the lowest of each component
// of what is left of the graph goes left. Returns the sum of the weights between different sides.
// `log` may be NULL.
int64_t align_choose(const Affinity *a, IsaAlign side[ISA_MAX_REGS], EdgeLog *log);

// Registers (bit set) and predicates live before each instruction.
typedef struct Liveness {
    uint64_t *before, *after;  // per instruction
    uint8_t *preds_before, *preds_after;
} Liveness;
void liveness_of(Liveness *l, const IsaProgram *p, Arena *arena);

// Instructions that can be reached from x before `stop` (-1: to the end). stack: ninsts entries.
void program_region(const IsaProgram *p, int x, int stop, bool *in_region, int *stack);
bool program_may_diverge(const IsaInst *in);  // a branch that can send lanes different ways
// Of those, the ones not known to send all lanes of a warp the same way (uniform.c).
void divergent_branches(const IsaProgram *p, bool *divergent, Arena *arena);
// Instructions that all lanes of the warp execute, with the same result in each; among them those
// of `loads`, of memory that nobody writes, at one address.
void uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena);

// Where registers die for all lanes of the warp, so that their physical register can be freed:
// operand[i] are registers that instruction i reads last; before[i] are registers that are dead
// when i is reached (at reconvergence points, where a side of a branch may have been the last
// reader, and after results that nobody reads).
typedef struct Releases {
    uint64_t *operand, *before;
} Releases;
void release_find(Releases *r, const IsaProgram *p, Arena *arena);

// Prints liveness, affinity, pairs and sides; as DOT when `dot`.
void hints_print(FILE *out, const IsaProgram *p);
void hints_print_dot(FILE *out, const IsaProgram *p);

// The program with the metadata of the kinds in `kinds` (COMPILE_HINT_*): HINT instructions at its
// beginning, last-use flags on operands, HINTs for releases before instructions.
IsaProgram *hints_attach(const IsaProgram *p, Arena *arena, unsigned kinds);

#endif
