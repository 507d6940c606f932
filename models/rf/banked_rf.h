// SPDX-License-Identifier: Apache-2.0
// Contract of block banked_rf: the banked register file with its arbiter.
//
// Banks x Entries warp registers of 1024 bits (Fermi: 4 x 256, 128 KB). A bank is 8 single-port
// sub-banks of 128 bits. Byte slice i of all lanes occupies sub-banks 2i (lanes 0..15) and 2i+1
// (lanes 16..31). Each bank serves one request, read or write, per cycle.
//
// Cycle t: a collector c raises rd_valid[c] with bank and entry. A writer w raises wr_valid[w].
//   Combinational answers in the same cycle: rd_grant[c], wr_ready[w].
//   Writes: a write wins over reads on its bank. Of several writers to one bank exactly one is
//     ready: the lowest-numbered, but the loser of a conflict wins the next conflict on that bank.
//     With two writers, one priority bit per bank names the writer that has priority in the next
//     conflict. With more writers it is a number. A conflict moves it behind the served writer, so
//     no writer starves.
//   Reads: of several collectors that request one bank without a write, the oldest is granted. Bit
//     o of older[c]: collector o holds an older instruction than c. Among the collectors with
//     rd_valid it is a strict total order, which block operand_collector provides.
// Cycle t+1: rd_data_valid[b], rd_data_coll[b] (the collector granted on bank b), rd_data[b]. Slice
//   i is read from entry2 if bit i of the request's sel was 1, else from entry (dual address,
//   CORF++). The baseline sets sel = 0.
// A write granted in cycle t is visible to reads granted in t+1 and later. A byte changes only if
// its slice bit and its lane bit are set.
// Reset: all valid outputs 0 in the next cycle, priority bits 0. Memory contents are neither reset
//   nor written in a cycle of reset. Reading an entry never written is undefined in hardware. Model
//   and RTL start from 0.
// Never granted: a bank of Banks or more. Never driven with a valid request: an entry of Entries or
// more.
// Left out: energy gating of unread slices.
//
// Diagram  A write wins over the read of collector 0 on its bank. The read is granted a cycle
//          later. (Banks=2 Entries=4 NumColl=2 NumWr=1)
//   cycle                 0   1   2   3
//   wr_valid              1   .   .   .
//   wr_entry[0]           3   .   .   .
//   wr_slice[0]           f   .   .   .
//   wr_lane[0]     ffffffff   .   .   .
//   wr_data[0]           a5   .   .   .
//   wr_ready              1   .   .   .
//   rd_valid              3   1   .   .
//   rd_bank               2   .   .   .
//   rd_entry[0]           3   3   .   .
//   older                 4   .   .   .
//   rd_grant              2   1   .   .
//   rd_data_valid         .   2   1   .
//   rd_data_coll          -   -   -   -
//   rd_data[0]            -   -  a5   -
#ifndef SMCOSIM_MODELS_BANKED_RF_H
#define SMCOSIM_MODELS_BANKED_RF_H

#include "models/block.h"

enum { RF_MAX_BANKS = 32, RF_MAX_COLL = 32, RF_MAX_WR = 4 };

// P(name, default, least, most, config key, meaning); the Verilog parameter has the same name.
// clang-format off
#define BANKED_RF_PARAMS(P) \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumColl, 16, 1, 32, "oc.collectors", "operand collectors that read") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")

#define BANKED_RF_PORTS(W, V) \
    W(IN, rd_valid, 1, 1, NumColl, ALWAYS, -, "collector c asks for one operand") \
    W(IN, rd_bank, RF_MAX_COLL, NumColl, BankBits, ALWAYS, -, "bank of the operand") \
    W(IN, rd_entry, RF_MAX_COLL, NumColl, EntryBits, ALWAYS, -, "entry, Address1") \
    W(IN, rd_entry2, RF_MAX_COLL, NumColl, EntryBits, ALWAYS, -, "entry, Address2") \
    W(IN, rd_sel, RF_MAX_COLL, NumColl, 4, ALWAYS, -, "slices that use Address2") \
    W(IN, older, RF_MAX_COLL, NumColl, NumColl, ALWAYS, -, "collectors older than c") \
    W(IN, wr_valid, 1, 1, NumWr, ALWAYS, -, "writer w has a result") \
    W(IN, wr_bank, RF_MAX_WR, NumWr, BankBits, ALWAYS, -, "bank") \
    W(IN, wr_entry, RF_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, wr_slice, RF_MAX_WR, NumWr, 4, ALWAYS, -, "byte slices written") \
    W(IN, wr_lane, RF_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written") \
    V(IN, wr_data, RF_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major") \
    W(OUT, rd_grant, 1, 1, NumColl, ALWAYS, -, "the bank serves collector c") \
    W(OUT, wr_ready, 1, 1, NumWr, ALWAYS, -, "the bank takes the result (0 where not valid)") \
    W(OUT, rd_data_valid, 1, 1, Banks, WORK, -, "bank b delivers") \
    W(OUT, rd_data_coll, RF_MAX_BANKS, Banks, CollBits, WHEN, rd_data_valid, "to this collector") \
    V(OUT, rd_data, RF_MAX_BANKS, Banks, 1024, WHEN, rd_data_valid, "value, slice-major")
// clang-format on

// Widths derived from the parameters, for the expressions above.
#define BANKED_RF_WIDTHS \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries), \
              CollBits = block_bits(NumColl)

typedef struct BankedRfIn {
    BANKED_RF_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} BankedRfIn;
typedef struct BankedRfOut {
    BANKED_RF_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} BankedRfOut;

// Observation, obs_words 32. Address bank * Entries + entry: the 1024-bit row. Then one address per
// bank with the write priority. Word 0: the writer that has priority in the next conflict.
extern const BlockModel banked_rf_model;

#endif
