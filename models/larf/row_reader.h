// SPDX-License-Identifier: Apache-2.0
// Contract of block row_reader: it reads whole warp registers without an instruction. It serves the
// w-merge slot of LARF and the locality checker of LAS (thesis 5.4, 5.5.2; larf.md 3.2 MERGE, 3.7).
//
// State: a queue of up to Queue merges {use, 2 x (register, shift, mask), tag}, the oldest first.
//   For the oldest: which rows were requested and have arrived, and the rows. A question {register,
//   requested, arrived, row}.
// Merge: mg_valid with mg_ready (the queue has room at the start of the cycle): the merge enters at
//   the end of the cycle. `mg_use`: 1 one row, 3 two. Other values are never driven.
// Read: rd_valid, rd_phys request a read, from state alone. With rd_grant the read is in flight.
//   Its row arrives with back_valid, back_row some cycles later, in the order of the grants. The
//   request is for the first row of the oldest merge without a request so far. Else it is for the
//   question's register, if that was not requested. At most two reads of a merge and one of a
//   question are in flight.
// Unpin: un_valid, un_phys: a row of a merge arrives in this cycle, so its register needs no pin
//   from then on. From state and back_valid.
// Result: op_valid = mg_use of the oldest merge when all its rows have arrived. It goes to
//   merge_unit with op_row, op_shift, op_mask, and with op_tag for the destination. With op_ready
//   it leaves the queue at the end of the cycle.
// Question: qu_valid with qu_ready (no question is pending): register qu_phys is read, after all
//   merges' rows that can be requested. `an_valid`, `an_row` present its row until an_ready takes
//   it.
//   `drop`: the question is discarded at the end of the cycle. A row still in flight is discarded
//   when it arrives, and qu_ready stays 0 until then. `qu_valid` in the same cycle has no effect.
// Outputs: from state alone, except un_valid.
// Reset: the queue is empty and no question is pending.
// Never driven: back_valid without a read in flight. Only a reset loses a read.
// Left out: banks and their arbiter (banked_rf), the merge itself (merge_unit).
//
// Diagram  A merge of registers 5 and 6. Rows arrive two cycles after the grant. (Queue=2 Banks=2
//          Entries=4)
//   cycle         0   1   2   3   4   5   6   7
//   mg_valid      1   .   .   .   .   .   .   .
//   mg_use        3   .   .   .   .   .   .   .
//   mg_phys[0]    5   .   .   .   .   .   .   .
//   mg_phys[1]    6   .   .   .   .   .   .   .
//   mg_mask[0]    3   .   .   .   .   .   .   .
//   mg_mask[1]    c   .   .   .   .   .   .   .
//   mg_tag        7   .   .   .   .   .   .   .
//   rd_valid      .   1   1   .   .   .   .   .
//   rd_phys       -   5   6   -   -   -   -   -
//   rd_grant      .   1   1   .   .   .   .   .
//   back_valid    .   .   .   1   1   .   .   .
//   back_row      .   .   .   a   b   .   .   .
//   un_valid      .   .   .   1   1   .   .   .
//   un_phys       -   -   -   5   6   -   -   -
//   op_valid      .   .   .   .   .   3   3   .
//   op_row[0]     -   -   -   -   -   a   a   -
//   op_row[1]     -   -   -   -   -   b   b   -
//   op_tag        -   -   -   -   -   7   7   -
//   op_ready      .   .   .   .   .   .   1   .
#ifndef SMCOSIM_MODELS_ROW_READER_H
#define SMCOSIM_MODELS_ROW_READER_H

#include "models/block.h"

enum { RR_ROWS = 2, RR_MAX_QUEUE = 8 };

// clang-format off
#define ROW_READER_PARAMS(P) \
    P(Queue, 4, 1, 8, "larf.merge_queue", "merges that wait, the one being read included") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")

#define ROW_READER_PORTS(W, V) \
    W(IN, mg_valid, 1, 1, 1, ALWAYS, -, "a merge") \
    W(IN, mg_use, 1, 1, 2, ALWAYS, -, "its rows: 1 the first, 3 both") \
    W(IN, mg_phys, RR_ROWS, 2, PhyBits, ALWAYS, -, "register of the row") \
    W(IN, mg_shift, RR_ROWS, 2, 6, ALWAYS, -, "as in merge_unit") \
    W(IN, mg_mask, RR_ROWS, 2, 32, ALWAYS, -, "as in merge_unit") \
    W(IN, mg_tag, 1, 1, 24, ALWAYS, -, "destination, any number") \
    W(IN, qu_valid, 1, 1, 1, ALWAYS, -, "a register is read for the locality checker") \
    W(IN, qu_phys, 1, 1, PhyBits, ALWAYS, -, "that register") \
    W(IN, drop, 1, 1, 1, ALWAYS, -, "the question is given up") \
    W(IN, rd_grant, 1, 1, 1, ALWAYS, -, "the bank takes the read") \
    W(IN, back_valid, 1, 1, 1, ALWAYS, -, "a row comes") \
    V(IN, back_row, 1, 1, 1024, ALWAYS, -, "slice-major") \
    W(IN, op_ready, 1, 1, 1, ALWAYS, -, "merge_unit takes the rows") \
    W(IN, an_ready, 1, 1, 1, ALWAYS, -, "the question's row is taken") \
    W(OUT, mg_ready, 1, 1, 1, ALWAYS, -, "a merge is accepted") \
    W(OUT, qu_ready, 1, 1, 1, ALWAYS, -, "a question is accepted") \
    W(OUT, rd_valid, 1, 1, 1, WORK, -, "a register is to be read") \
    W(OUT, rd_phys, 1, 1, PhyBits, WHEN, rd_valid, "that register") \
    W(OUT, un_valid, 1, 1, 1, ALWAYS, -, "a register of a merge has been read") \
    W(OUT, un_phys, 1, 1, PhyBits, WHEN, un_valid, "that register") \
    W(OUT, op_valid, 1, 1, 2, ALWAYS, -, "rows for merge_unit") \
    V(OUT, op_row, RR_ROWS, 2, 1024, WHEN, op_valid, "warp register, slice-major") \
    W(OUT, op_shift, RR_ROWS, 2, 6, WHEN, op_valid, "lane i is its lane i + shift") \
    W(OUT, op_mask, RR_ROWS, 2, 32, WHEN, op_valid, "lanes to take from it") \
    W(OUT, op_tag, 1, 1, 24, WHEN, op_valid, "destination") \
    W(OUT, an_valid, 1, 1, 1, ALWAYS, -, "the question's row") \
    V(OUT, an_row, 1, 1, 1024, WHEN, an_valid, "slice-major")
// clang-format on

#define ROW_READER_WIDTHS const int PhyBits = block_bits(Banks) + block_bits(Entries)

typedef struct RowReaderIn {
    ROW_READER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RowReaderIn;
typedef struct RowReaderOut {
    ROW_READER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RowReaderOut;

// Observation, obs_words 32. By address:
//   `0`: word 0: 3:0 merges in the queue, 5:4 requested rows of the oldest, 7:6 arrived rows.
//     Word 1: 0 question valid, 1 requested, 2 arrived, 3 dropped, 18:4 its register.
//   `1 + i`: merge i, the oldest first, 0 beyond the queue. Word 0: 1:0 use, 31:8 tag.
//     Words 1, 2: 14:0 register of row 0, 1, 21:16 its shift. Words 3, 4: its mask.
//   `1 + Queue + r`: row r of the oldest merge, 0 unless it has arrived.
//   `3 + Queue`: the question's row, 0 unless it has arrived.
extern const BlockModel row_reader_model;

#endif
