// SPDX-License-Identifier: Apache-2.0
// Registers split in two (RegMutex). The first |Bs| belong to a warp for its whole life. The |Es|
// behind them are acquired with ACQ and released with REL around regions of the program. The passes
// work on the finished program, per dimensions of a launch:
//   `warplive.c`   registers live for the whole warp, divergent branches and their regions.
//   `choose.c`     checks whether registers limit the kernel, and chooses a size among candidates.
//   `spin.c`       loops that wait for another warp.
//   `webs.c`       values that must stay in one place.
//   `region_place.c`  instructions that need extended registers, and a place for every value.
//   `insert.c`     inserts ACQ, REL and MOVs into the program.
//   `regions_check.c`  proves the result by a different method.
//   `regions.c`    the order of these, and --dump hints.
//   `share.c`      an alternative: two warps share the registers behind the base set (OWF), without
//                 ACQ, REL and MOVs.
#ifndef SMCOSIM_COMPILE_REGIONS_H
#define SMCOSIM_COMPILE_REGIONS_H

#include "compile/compile.h"
#include "compile/hints/hints.h"
#include "config/occupancy.h"

static inline bool mask_get(const uint64_t *set, int i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void mask_set(uint64_t *set, int i) { set[i >> 6] |= 1ull << (i & 63); }

// ---- warplive.c ----

// The warp's view of a program. While one side of a divergent branch runs, lanes of the other sides
// and lanes at the reconvergence point still need their registers: `held`.
typedef struct WarpLive {
    const IsaProgram *p;
    Liveness thread;
    uint64_t *reads, *writes;  // registers of each instruction
    uint64_t *held;            // kept for lanes elsewhere while the instruction runs
    bool *join;                // a divergent branch reconverges before this instruction
    int nbranches, *branch;    // divergent branches
    // per divergent branch: instructions between it and its reconvergence point
    uint64_t **region;
    bool *reached;  // can be reached from the beginning
} WarpLive;
// uniform: branches that are proven to send all lanes one way do not diverge.
void warplive_of(WarpLive *w, const IsaProgram *p, bool uniform, Arena *arena);
// Registers that are in use while instruction i executes, an unread result among them.
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

// A MOV per word that moves a value to another place at the end of a region. It is on the edge from
// -> to. With from -1 it is at the head of `to`, where all edges into it meet.
typedef struct Move {
    int from, to;
    uint64_t regs;  // names that the values have in the original program
} Move;

// A web is the values that must share one place. Webs that one instruction names as a pair or quad
// form a group.
typedef struct Group {
    uint8_t size;   // 1, 2, 4: the aligned block that its words lie in
    uint8_t words;  // bit k: word k of the block is in use
    uint8_t base;   // bit k: word k must be a base register
    int8_t origin;  // first register of its block in the original program
    int8_t place;   // first register of its block, -1: none yet
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
int web_after(const Webs *x, int i, int reg);  // .. that is live after or written by it
// .. on the edges into `to`, with moves at its head
int web_into(const Webs *x, int to, int reg);

// ---- region_place.c ----

typedef struct Placement {
    int base, ext;
    bool *high;  // per instruction: it runs with a section held
    Move *moves;
    int nmoves, cap_moves;
    Webs webs;           // with places
    Arena scratch;       // of webs
    const char *reason;  // why it cannot be, at which instruction
    int at;
} Placement;
// forced: loops that wait for another warp are no hindrance.
bool place_values(Placement *pl, const WarpLive *w, const bool *spins, bool forced, Arena *arena);

// ---- insert.c ----

IsaProgram *insert_regions(const WarpLive *w, const Placement *pl, Arena *arena);

// ---- regions_check.c ----

// Checks every path of a warp through a split program. Extended registers are named only while a
// section is held. No instruction reads a register that a release destroyed. Barriers are reached
// without a section.
bool regions_check(const IsaProgram *p, bool uniform, Diag *d);

// ---- choose.c ----

enum { MAX_CANDIDATES = 6 };
// Of one warp that runs alone, estimated: issue slots, cycles, and cycles with a section held.
typedef struct WarpTime {
    int64_t slots, time, held;
} WarpTime;
typedef struct Candidate {
    int base, ext;
    SplitOccupancy fits;
    const char *verdict;  // "" while nothing speaks against it
    Placement placed;     // base 0: was not tried
    WarpTime estimate;    // .. of the placed program
} Candidate;
typedef struct Choice {
    int given, peak;  // R, and the most registers in use at once
    uint64_t warps;   // resident without a split
    bool limited;     // fewer registers would let more warps in
    Candidate cand[MAX_CANDIDATES];
    int n, chosen;  // chosen -1: none
} Choice;
// The candidates with their numbers, none chosen.
void choose_candidates(Choice *c, const MachineConfig *cfg, const CtaNeed *cta, int nregs);
// The one that the rule takes of those without a verdict; -1: none.
int choose_best(const Choice *c, const MachineConfig *cfg);
// high: the instructions with a section held; NULL: none.
WarpTime choose_time(const WarpLive *w, const MachineConfig *cfg, const bool *high, Arena *arena);
// Why a placed candidate is not worth a split (regmutex.rule); "" if it is.
const char *choose_objection(const Candidate *k, const Choice *c, const MachineConfig *cfg,
                             const WarpTime *t);

// ---- regions.c ----

// The program split for `cta` (threads 0: unknown), with base_regs, ext_regs and given_regs set. If
// the split gains nothing, the program is unchanged, with ext_regs 0. Prints the choice when `out`
// is not NULL.
IsaProgram *regions_split(const IsaProgram *p, Arena *arena, const MachineConfig *cfg,
                          const CtaNeed *cta, FILE *out, Diag *d);

// ---- share.c ----

// The program with its registers, fewer than `most`, numbered in the order of their first use. It
// is unchanged if pairs and quads would then need more registers.
IsaProgram *share_renumber(const IsaProgram *p, int most, Arena *arena);
// Is q the program p with other numbers for its registers, one to one?
bool share_check(const IsaProgram *p, const IsaProgram *q, Diag *d);
// The program for pairs of warps that share their registers from a threshold on. The threshold is
// owf.threshold, else |Bs| of `split`, the result of regions_split for p. base_regs, ext_regs (0:
// nothing is shared) and given_regs are set. Nothing is shared if a loop waits for another warp,
// because that warp could wait for registers of the waiting warp's partner. Prints the result when
// `out` is not NULL.
IsaProgram *regions_share(const IsaProgram *p, const IsaProgram *split, Arena *arena,
                          const MachineConfig *cfg, FILE *out, Diag *d);

#endif
