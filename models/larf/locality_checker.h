// SPDX-License-Identifier: Apache-2.0
// Contract of block locality_checker, for the locality-aware scheduler (LAS, thesis 5.4; larf.md
// 3.7). It asks addr_map_table: would registers serve the next load of a warp? It also holds the
// warps that are preferred for it.
//
// State: preferred: a bit per warp. A queue of up to Questions {base, code, mask, warp}, the oldest
//   first. The warps of the unanswered questions of the last three cycles.
// Ask: as_valid: the load at the head of warp as_warp has this base, code and mask. It enters the
//   queue at the end of the cycle. If the queue is full at the start of the cycle, it is dropped.
// Question: qu_valid and qu_base, qu_code, qu_mask: the oldest question, from state alone. With
//   qu_ready (lk_ready of the table without a load request) it leaves the queue at the end of the
//   cycle.
// Answer: an_valid with an_serves, AMT_CYCLES cycles after a question left: the table can serve the
//   load (hit, wait or merge). Then preferred[warp] is set at the end of the cycle. Each question
//   that left is answered.
// Forget: forget_mask: these warps have issued the load, lost their instruction buffer, or ended.
//   From the end of the cycle they are not preferred, and their questions in the queue and in
//   flight are void. A void question leaves the queue in its turn unasked (qu_valid 0 while it is
//   the oldest, for one cycle). The answer to a void question sets nothing. A question that enters
//   with as_valid in the same cycle is not void.
// Pick: pf_mask = preferred, from state alone. The scheduler issues ready warps of it first,
//   round-robin among them.
// Reset: no warp is preferred, no questions.
// Never driven: an_valid without a question that left three cycles ago, and the reverse. A warp of
//   Warps or more.
//
// Diagram  Warp 1 sends a question. The table takes it in cycle 2 and answers three cycles later.
//          (Warps=4 Questions=2)
//   cycle          0   1   2   3   4   5   6   7
//   as_valid       1   .   .   .   .   .   .   .
//   as_warp        1   .   .   .   .   .   .   .
//   as_base      100   .   .   .   .   .   .   .
//   as_code        1   .   .   .   .   .   .   .
//   as_mask        f   .   .   .   .   .   .   .
//   qu_valid       .   1   1   .   .   .   .   .
//   qu_base        - 100 100   -   -   -   -   -
//   qu_ready       .   .   1   .   .   .   .   .
//   an_valid       .   .   .   .   .   1   .   .
//   an_serves      .   .   .   .   .   1   .   .
//   pf_mask        .   .   .   .   .   .   2   .
//   forget_mask    .   .   .   .   .   .   2   .
#ifndef SMCOSIM_MODELS_LOCALITY_CHECKER_H
#define SMCOSIM_MODELS_LOCALITY_CHECKER_H

#include "models/block.h"

enum { LC_MAX_WARPS = 64, LC_MAX_QUESTIONS = 8, LC_CYCLES = 3 };

#define LOCALITY_CHECKER_PARAMS(P) \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(Questions, 4, 1, 8, "larf.questions", "questions that wait")

// clang-format off
#define LOCALITY_CHECKER_PORTS(W, V) \
    W(IN, as_valid, 1, 1, 1, ALWAYS, -, "the next instruction of a warp is a load") \
    W(IN, as_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(IN, as_base, 1, 1, 32, ALWAYS, -, "address of lane 0") \
    W(IN, as_code, 1, 1, 8, ALWAYS, -, "stride / 4") \
    W(IN, as_mask, 1, 1, 32, ALWAYS, -, "active lanes") \
    W(IN, qu_ready, 1, 1, 1, ALWAYS, -, "the table takes the question") \
    W(IN, an_valid, 1, 1, 1, ALWAYS, -, "the table answers the question of three cycles ago") \
    W(IN, an_serves, 1, 1, 1, ALWAYS, -, "the load would be served from registers") \
    W(IN, forget_mask, LC_MAX_WARPS, Warps, 1, ALWAYS, -, "what is known of the warp is void") \
    W(OUT, as_ready, 1, 1, 1, ALWAYS, -, "the queue has room") \
    W(OUT, qu_valid, 1, 1, 1, WORK, -, "a question") \
    W(OUT, qu_base, 1, 1, 32, WHEN, qu_valid, "address of lane 0") \
    W(OUT, qu_code, 1, 1, 8, WHEN, qu_valid, "stride / 4") \
    W(OUT, qu_mask, 1, 1, 32, WHEN, qu_valid, "active lanes") \
    W(OUT, pf_mask, LC_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp is preferred")
// clang-format on

#define LOCALITY_CHECKER_WIDTHS const int WarpBits = block_bits(Warps)

typedef struct LocalityCheckerIn {
    LOCALITY_CHECKER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} LocalityCheckerIn;
typedef struct LocalityCheckerOut {
    LOCALITY_CHECKER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} LocalityCheckerOut;

// Observation, obs_words 4. By address:
//   `q < Questions`: question q, the oldest first, 0 beyond the queue. Word 0: bit 31, 30 void,
//     15:8 code, 5:0 warp. Word 1: base. Word 2: mask.
//   `Questions + a`, a < 3: the question that left a + 1 cycles ago. Word 0: bit 31, 30 void, 5:0
//     warp.
//   `Questions + 3`: preferred, words 0 and 1.
extern const BlockModel locality_checker_model;

#endif
