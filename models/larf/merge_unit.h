// SPDX-License-Identifier: Apache-2.0
// Contract of block merge_unit: the w-merge slot of LARF's partial sharing. It makes the value of a
// load out of two warp registers with parts of it, each shifted by lanes. (Thesis 5.5.2, Figure
// 5.4, spec section 5.)
//
// State: a ring of Slots rows {lanes, 1024 bits} that wait for a write port, oldest first.
// Take: op_valid[0], op_valid[1]: participating rows. Both arrive in one cycle, as a collector
//   dispatches them. One alone is legal, for one entry that covers all. With op_ready the result
//   enters at the clock edge.
//     Lane i = OR over the participating rows r with bit i of op_mask[r] of lane i + op_shift[r] of
//     row r, all four bytes. Shift is two's complement, -32..31. A lane i + shift outside 0..31
//     contributes nothing.
//     Res_lane has bit i if some row contributes lane i. The other lanes are 0.
//   The masks of addr_map_table do not overlap and its shifts stay inside. An overlap is ORed, lane
//   by lane.
//   `op_ready`: a slot is free, or the oldest one is taken in this cycle. `op_valid` without
//   op_ready has no effect.
// Result: res_valid while the ring has a row: the oldest one in res_row, with its lanes. With
//   res_ready it leaves at the clock edge. So a result is valid one cycle after its rows arrived,
//   and with res_ready one merge per cycle passes through a single slot. A result without lanes
//   (all shifted out) is like any other.
// Outputs: op_ready from state and res_ready. `res_*` from state alone.
// Reset: no rows.
// Left out: the destination register, which waits beside the unit. Collecting the two rows (a
//   collector).
//
// Diagram  Lanes 0 and 1 of one register, lane 2 out of lane 0 of another. (Slots=1)
//   cycle          0     1     2   3
//   op_valid       3     .     .   .
//   op_row[0]    b0a     .     .   .
//   op_row[1]     0c     .     .   .
//   op_mask[0]     3     .     .   .
//   op_mask[1]     4     .     .   .
//   op_shift[1]   3e     .     .   .
//   op_ready       1     .     1   1
//   res_valid      .     1     1   .
//   res_lane       -     7     7   -
//   res_row        - c0b0a c0b0a   -
//   res_ready      .     .     1   .
#ifndef SMCOSIM_MODELS_MERGE_UNIT_H
#define SMCOSIM_MODELS_MERGE_UNIT_H

#include "models/block.h"

enum { MU_ROWS = 2, MU_MAX_SLOTS = 4 };

#define MERGE_UNIT_PARAMS(P) \
    P(Slots, 1, 1, 4, "larf.merge_slots", "merged values that wait for a write port")

// clang-format off
#define MERGE_UNIT_PORTS(W, V) \
    W(IN, op_valid, 1, 1, 2, ALWAYS, -, "row r takes part") \
    V(IN, op_row, MU_ROWS, 2, 1024, ALWAYS, -, "warp register, slice-major") \
    W(IN, op_shift, MU_ROWS, 2, 6, ALWAYS, -, "lane i is its lane i + shift, two's complement") \
    W(IN, op_mask, MU_ROWS, 2, 32, ALWAYS, -, "lanes to take from it") \
    W(IN, res_ready, 1, 1, 1, ALWAYS, -, "a write port takes the result") \
    W(OUT, op_ready, 1, 1, 1, ALWAYS, -, "the rows are taken") \
    W(OUT, res_valid, 1, 1, 1, WORK, -, "there is a result") \
    W(OUT, res_lane, 1, 1, 32, WHEN, res_valid, "its lanes") \
    V(OUT, res_row, 1, 1, 1024, WHEN, res_valid, "its value, slice-major")
// clang-format on

#define MERGE_UNIT_WIDTHS

typedef struct MergeUnitIn {
    MERGE_UNIT_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} MergeUnitIn;
typedef struct MergeUnitOut {
    MERGE_UNIT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} MergeUnitOut;

// Observation, obs_words 32. Address 0: word 0 rows held, word 1 place of the oldest, 2 + p: lanes
// of place p (0 while it is empty). Address 1 + p: row of place p (0 while it is empty).
extern const BlockModel merge_unit_model;

#endif
