// SPDX-License-Identifier: Apache-2.0
// Hints for the register path, computed on the finished program:
//   `affinity.c`  registers that are read together.
//   `pairs.c`  pairs that share a physical register (CORF).
//   `align.c`  the side of the physical register for each register (CORF++).
//   `release.c`  the last uses of registers (register virtualization).
//   `hints.c`  prints them and turns them into HINT instructions.
// Thesis sections 2.4.2, 2.5.1.
#ifndef SMCOSIM_COMPILE_HINTS_H
#define SMCOSIM_COMPILE_HINTS_H

#include "compile/compile.h"

// Register affinity graph: weight of an edge is how often both registers are read by one
// instruction (one pass through the operand collector), estimated statically.
typedef struct Affinity {
    int nregs;
    int64_t weight[ISA_MAX_REGS][ISA_MAX_REGS];  // symmetric, 0: no edge
} Affinity;

// Executions of an instruction per entry of the kernel. A loop counts with its trip count if that
// is a constant, else with AFFINITY_LOOP.
enum { AFFINITY_LOOP = 10, AFFINITY_MOST = 1 << 30 };
void affinity_frequency(const IsaProgram *p, int64_t *times);
void affinity_build(Affinity *a, const IsaProgram *p);

// Edges in the order in which a heuristic removed them from the graph and restored them; for tests.
// `n` counts all edges; the first EDGE_LOG are recorded.
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

// Exclusive pairs: partner[r] is the register that shares a physical register with r; -1: none.
// Returns the sum of the weights of the remaining edges. `log` may be NULL.
int64_t pairs_choose(const Affinity *a, int partner[ISA_MAX_REGS], EdgeLog *log);

// Sides. Registers without an edge are ISA_ALIGN_ANY. In each component of the remaining graph the
// lowest register is assigned to the left side. Returns the sum of the weights between different
// sides. `log` may be NULL.
int64_t align_choose(const Affinity *a, IsaAlign side[ISA_MAX_REGS], EdgeLog *log);

// Registers (bit set) and predicates live before each instruction.
typedef struct Liveness {
    uint64_t *before, *after;  // per instruction
    uint8_t *preds_before, *preds_after;
} Liveness;
void liveness_of(Liveness *l, const IsaProgram *p, Arena *arena);

// Instructions that are reachable from x before `stop` (-1: to the end). stack: ninsts entries.
void program_region(const IsaProgram *p, int x, int stop, bool *in_region, int *stack);
bool program_may_diverge(const IsaInst *in);  // a branch that can send lanes different ways
// The subset of these branches that may send lanes of a warp different ways (uniform.c).
void divergent_branches(const IsaProgram *p, bool *divergent, Arena *arena);
// Instructions that all lanes of the warp execute, with an equal result in each lane. They include
// instructions of `loads`: loads at one address from memory that no store writes.
void uniform_results(const IsaProgram *p, const bool *loads, bool *uniform, Arena *arena);

// Last uses of registers for all lanes of the warp, so that their physical register can be freed.
// Instruction i reads the registers operand[i] last. The registers before[i] are dead when a warp
// reaches instruction i. They are dead at reconvergence points if a side of a branch may have been
// the last reader, and after results that no instruction reads.
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
