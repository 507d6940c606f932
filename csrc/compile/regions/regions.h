// SPDX-License-Identifier: Apache-2.0
// Registers divided into two sets (RegMutex). A warp owns the first |Bs| for its whole life. The
// following |Es| are acquired with ACQ and released with REL around regions of the program. The
// passes work on the finished program, per dimensions of a launch:
//   `warplive.c`   registers live for the whole warp, divergent branches and their regions.
//   `choose.c`     checks whether registers limit the kernel, and chooses a size among candidates.
//   `spin.c`       loops that wait for another warp.
//   `webs.c`       values that must share one register.
//   `region_place.c`   instructions that require extended registers, and a register for every
//                      value.
//   `insert.c`     inserts ACQ, REL and MOVs into the program.
//   `regions_check.c`  proves the result by a different method.
//   `regions.c`        calls these passes in order; --dump hints.
//   `share.c`          an alternative: two warps share the registers after the base set (OWF),
//                      without ACQ, REL and MOVs.
#ifndef SMCOSIM_COMPILE_REGIONS_H
#define SMCOSIM_COMPILE_REGIONS_H

#include "compile/compile.h"
#include "compile/hints/hints.h"
#include "config/occupancy.h"

static inline bool mask_get(const uint64_t *set, int i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void mask_set(uint64_t *set, int i) { set[i >> 6] |= 1ull << (i & 63); }

// ---- warplive.c ----

// The warp's view of a program. While one side of a divergent branch runs, lanes on the other sides
// and at the reconvergence point still require their registers: `held`.
typedef struct WarpLive {
    const IsaProgram *p;
    Liveness thread;
    uint64_t *reads, *writes;  // registers of each instruction
    uint64_t *held;            // registers kept for lanes elsewhere while the instruction executes
    bool *join;                // a divergent branch reconverges before this instruction
    int nbranches, *branch;    // divergent branches
    // per divergent branch: instructions between the branch and its reconvergence point
    uint64_t **region;
    bool *reached;  // reachable from the beginning
} WarpLive;
// uniform: branches that are proven to send all lanes one way do not diverge.
void warplive_of(WarpLive *w, const IsaProgram *p, bool uniform, Arena *arena);
// Registers in use while instruction i executes, including an unread result.
int warplive_pressure(const WarpLive *w, int i);
static inline uint64_t warplive_before(const WarpLive *w, int i) {
    return w->thread.before[i] | w->held[i];
}

#define REGIONS_SUCCESSORS(p, i, s) \
    for (int k_##s = 0, s; (s = isa_successor(p, i, k_##s)) != -2; k_##s++) \
        if (s >= 0)

// ---- spin.c ----

// Instructions of loops that end only when another warp has written something: low throughout.
void spin_find(const IsaProgram *p, bool *spins, Arena *arena);

// ---- webs.c ----

// A MOV per word that moves a value to another register at the end of a region. It is on the edge
// from -> to. With from -1 it is at the head of `to`, where all edges into this block join.
typedef struct Move {
    int from, to;
    uint64_t regs;  // names of the values in the original program
} Move;

// A web is a set of values that must share one register. Webs that one instruction names as a pair
// or quad form a group.
typedef struct Group {
    uint8_t size;   // 1, 2, 4: size of the aligned block of its words
    uint8_t words;  // bit k: word k of the block is in use
    uint8_t base;   // bit k: word k must be a base register
    int8_t origin;  // first register of its block in the original program
    int8_t place;   // first register of its block, -1: not allocated yet
    int *at, nat;   // (point * 4 + word) at which a word is live
} Group;
// Points: before instruction i (i), after it (n + i), at the moves m (2 n + m); n instructions.
typedef struct Webs {
    const WarpLive *w;
    Arena *arena;
    const Move *moves;
    int nmoves;
    int *parent, *group;  // per occurrence
    Group *groups;
    int ngroups, npoints;
} Webs;
void webs_build(Webs *x, const WarpLive *w, const Move *moves, int nmoves, Arena *arena);
// group of a register that is live before (read by) instruction i
int web_before(const Webs *x, int i, int reg);
// a web that is live after instruction i or written by it
int web_after(const Webs *x, int i, int reg);
// a web on the edges into `to`, with moves at its head
int web_into(const Webs *x, int to, int reg);

// ---- region_place.c ----

typedef struct Placement {
    int base, ext;
    bool *high;  // per instruction: the warp holds a section
    Move *moves;
    int nmoves, cap_moves;
    Webs webs;           // webs with their registers
    Arena scratch;       // of webs
    const char *reason;  // reason for a failure, with the instruction
    int at;
} Placement;
// forced: also with loops that wait for another warp.
bool place_values(Placement *pl, const WarpLive *w, const bool *spins, bool forced, Arena *arena);

// ---- insert.c ----

IsaProgram *insert_regions(const WarpLive *w, const Placement *pl, Arena *arena);

// ---- regions_check.c ----

// Checks every path of a warp through a split program. Extended registers are used only while a
// section is held. No instruction reads a register that a release destroyed. Barriers are reached
// without a section.
bool regions_check(const IsaProgram *p, bool uniform, Diag *d);

// ---- choose.c ----

enum { MAX_CANDIDATES = 6 };
// Estimate for one warp that runs alone: issue slots, cycles, and cycles with a section held.
typedef struct WarpTime {
    int64_t slots, time, held;
} WarpTime;
typedef struct Candidate {
    int base, ext;
    SplitOccupancy fits;
    const char *verdict;  // "" unless the candidate is rejected
    Placement placed;     // base 0: not tried
    WarpTime estimate;    // estimate for the placed program
} Candidate;
typedef struct Choice {
    int given, peak;  // R, and the maximum number of registers in use at the same time
    uint64_t warps;   // resident warps without a split
    bool limited;     // fewer registers would admit more warps
    Candidate cand[MAX_CANDIDATES];
    int n, chosen;  // chosen -1: none
} Choice;
// Fills in the candidates with their numbers; none is chosen.
void choose_candidates(Choice *c, const MachineConfig *cfg, const CtaNeed *cta, int nregs);
// The candidate without a verdict that the rule selects; -1: none.
int choose_best(const Choice *c, const MachineConfig *cfg);
// high: the instructions with a section held; NULL: none.
WarpTime choose_time(const WarpLive *w, const MachineConfig *cfg, const bool *high, Arena *arena);
// The reason why a placed candidate does not justify a split (regmutex.rule), or "".
const char *choose_objection(const Candidate *k, const Choice *c, const MachineConfig *cfg,
                             const WarpTime *t);

// ---- regions.c ----

// The program split for `cta` (threads 0: unknown), with base_regs, ext_regs and given_regs set. If
// the split gains nothing, the program is unchanged, with ext_regs 0. Prints the choice when `out`
// is not NULL.
IsaProgram *regions_split(const IsaProgram *p, Arena *arena, const MachineConfig *cfg,
                          const CtaNeed *cta, FILE *out, Diag *d);

// ---- share.c ----

// The program with its registers, fewer than `most`, renumbered in the order of their first use. It
// is unchanged if pairs and quads would then require more registers.
IsaProgram *share_renumber(const IsaProgram *p, int most, Arena *arena);
// Is q the program p with renumbered registers, one to one?
bool share_check(const IsaProgram *p, const IsaProgram *q, Diag *d);
// The program for pairs of warps that share their registers from a threshold on. The threshold is
// owf.threshold, else |Bs| of `split`, the result of regions_split for p. base_regs, ext_regs (0:
// nothing is shared) and given_regs are set. Nothing is shared if a loop waits for another warp,
// because that warp could wait for registers of the waiting warp's partner. Prints the result when
// `out` is not NULL.
IsaProgram *regions_share(const IsaProgram *p, const IsaProgram *split, Arena *arena,
                          const MachineConfig *cfg, FILE *out, Diag *d);

#endif
