// SPDX-License-Identifier: Apache-2.0
// Contract of block unpacker: it recovers full-width registers from the rows of the banks (thesis
// 2.6, "Packers and unpackers"). Each row has two unpackers side by side, so that a coalesced read
// delivers both registers in one cycle.
//
// Combinational, no state. One pair of unpackers per row: each bank delivers at most one row per
// cycle, each to another collector. So Banks pairs (4 banks: the paper's 8 unpackers) serve the
// collectors as well as a pair in each of them.
//   `first`: bytes of the row's slices selected by mask1, shifted down: the k-th set bit from the
//     right is byte k. Bytes above are the sign (bit 7) of the highest byte taken.
//   `second`: the same with mask2.
// For every value and every mask at least as large as the value, unpacker after packer is identity.
// `first_valid` = valid and mask1 not 0. `second_valid` = valid and mask2 not 0 (a single read has
// mask2 = 0). Masks may be equal or overlap (one register read twice).
// Row not valid: its inputs are ignored.
// Left out: a pipeline register (the collector's operand rows hold the result).
//
// Diagram  One row holds two registers: 0x1234 of lane 0 in the left slices, -2 of lane 0 in slice
//          0. (NumRows=1)
//   cycle                            0
//   up_valid                         1
//   up_row[0]             12@3+34@2+fe
//   up_mask1[0]                      c
//   up_mask2[0]                      1
//   up_first_valid                   1
//   up_second_valid                  1
//   up_first[0]                12@1+34
//   up_second[0]     ff@3+ff@2+ff@1+fe
#ifndef SMCOSIM_MODELS_UNPACKER_H
#define SMCOSIM_MODELS_UNPACKER_H

#include "models/block.h"

enum { UP_MAX_ROWS = 32 };

#define UNPACKER_PARAMS(P) \
    P(NumRows, 4, 1, 32, "rf.banks", "rows unpacked per cycle, two values each")

// clang-format off
#define UNPACKER_PORTS(W, V) \
    W(IN, up_valid, 1, 1, NumRows, ALWAYS, -, "row r is delivered") \
    V(IN, up_row, UP_MAX_ROWS, NumRows, 1024, ALWAYS, -, "slices as read, slice-major") \
    W(IN, up_mask1, UP_MAX_ROWS, NumRows, 4, ALWAYS, -, "allocation mask of the first register") \
    W(IN, up_mask2, UP_MAX_ROWS, NumRows, 4, ALWAYS, -, "of the second one, 0 none") \
    W(OUT, up_first_valid, 1, 1, NumRows, WORK, -, "a first register comes out") \
    W(OUT, up_second_valid, 1, 1, NumRows, WORK, -, "a second register comes out") \
    V(OUT, up_first, UP_MAX_ROWS, NumRows, 1024, WHEN, up_first_valid, "full width, slice-major") \
    V(OUT, up_second, UP_MAX_ROWS, NumRows, 1024, WHEN, up_second_valid, "full width, slice-major")
// clang-format on

#define UNPACKER_WIDTHS

typedef struct UnpackerIn {
    UNPACKER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} UnpackerIn;
typedef struct UnpackerOut {
    UNPACKER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} UnpackerOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel unpacker_model;

#endif
