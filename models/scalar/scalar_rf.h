// SPDX-License-Identifier: Apache-2.0
// Contract of block scalar_rf: the register file of one scalar unit (flexible scalar unit, section
// III of its paper).
//
// Words registers of 32 bits in two banks: word n is in bank n % 2, row n / 2. Each bank has one
// read port and one write port (1R1W). The unit may run slower than the SM: it acts in the cycles
// in which `en` is 1.
//
// Cycle t, en: a read rd_valid[b] of row rd_addr[b], a write wr_valid[b] of wr_data[b] to row
//   wr_addr[b].
// From t + 1 on: rd_data_valid[b] and rd_data[b], the result of the read in t. They stay until the
//   next cycle with en has passed. A write is visible to reads of later cycles. A read of the row
//   that is written in the same cycle returns the OLD word.
// En 0: no read, no write, outputs stay.
// Reset: rd_data_valid is 0 in the next cycle. Words are neither reset nor written in a cycle of
//   reset. Reading a word never written is undefined in hardware. Model and RTL start from 0.
// Never driven: a row of Words / 2 or more in a valid read or write.
// Left out: byte enables (the scalar unit has no partial writes), forwarding.
//
// Diagram  A read of the row that is written returns the old word, the next one the new. Half the
//          clock. (Words=8)
//   cycle            0   1   2   3   4   5
//   en               1   .   1   .   1   .
//   wr_valid         1   .   .   .   .   .
//   wr_addr[0]       2   .   .   .   .   .
//   wr_data[0]      a5   .   .   .   .   .
//   rd_valid         1   .   1   .   .   .
//   rd_addr[0]       2   .   2   .   .   .
//   rd_data_valid    .   1   1   1   1   .
//   rd_data[0]       -   .   .  a5  a5   -
#ifndef SMCOSIM_MODELS_SCALAR_RF_H
#define SMCOSIM_MODELS_SCALAR_RF_H

#include "models/block.h"

enum { SRF_BANKS = 2 };

#define SCALAR_RF_PARAMS(P) \
    P(Words, 1024, 8, 4096, "scalar.words", "32-bit registers of one scalar unit, an even number")

// clang-format off
#define SCALAR_RF_PORTS(W, V) \
    W(IN, en, 1, 1, 1, ALWAYS, -, "a cycle of the unit's clock") \
    W(IN, rd_valid, 1, 1, 2, ALWAYS, -, "bank b reads") \
    W(IN, rd_addr, SRF_BANKS, 2, RowBits, ALWAYS, -, "this row") \
    W(IN, wr_valid, 1, 1, 2, ALWAYS, -, "bank b writes") \
    W(IN, wr_addr, SRF_BANKS, 2, RowBits, ALWAYS, -, "this row") \
    W(IN, wr_data, SRF_BANKS, 2, 32, ALWAYS, -, "this word") \
    W(OUT, rd_data_valid, 1, 1, 2, WORK, -, "bank b has read") \
    W(OUT, rd_data, SRF_BANKS, 2, 32, WHEN, rd_data_valid, "this word")
// clang-format on

#define SCALAR_RF_WIDTHS const int RowBits = block_bits(Words / 2)

typedef struct ScalarRfIn {
    SCALAR_RF_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} ScalarRfIn;
typedef struct ScalarRfOut {
    SCALAR_RF_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} ScalarRfOut;

// Observation, obs_words 1. Address n: word n (bank n % 2, row n / 2). Address Words:
// rd_data_valid.
extern const BlockModel scalar_rf_model;

#endif
