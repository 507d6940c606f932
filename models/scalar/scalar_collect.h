// SPDX-License-Identifier: Apache-2.0
// Contract of block scalar_collect: instructions of one scalar unit wait here for their operands
// (flexible scalar unit). The paper draws only a register file. The collector is not from the
// paper.
//
// State:
//   Per context: base and count: the first word of its registers in the unit's file, and their
//     number.
//   A queue of up to Slots instructions in the order of their arrival. An instruction has its
//     context and the words that it needs (up to 8: a pair is two of them, a vector four). For each
//     word:
//     whether it was requested, whether it arrived, its value.
// Start: start_valid: context start_ctx has start_count registers from word start_base of the file
//   on. In any cycle, with or without en. In effect from the next cycle on.
// All else happens in cycles with en = 1 (the unit may have a slower clock than the SM). Without en
// the state stays, and alloc_valid, rd_data_valid and disp_ready have no meaning.
// Accept: alloc_ready, from state alone: a slot is free. `alloc_valid` with alloc_ready: the
//   instruction of alloc_ctx enters behind all others. It needs register alloc_reg[k] for each bit
//   k of alloc_need. An alloc_need of 0 is legal. If a needed register is start_count or more,
//   `error` is 1 in that cycle and the instruction does not enter. `alloc_valid` without
//   alloc_ready is ignored.
// Request: word k of an instruction is at base + alloc_reg[k]: bank bit 0, row the rest. The
//   request to bank b is for the oldest instruction with an unrequested word in this bank, the
//   lowest k first. Outputs: rd_valid[b], rd_addr[b], from state alone. `scalar_rf` always reads.
// Arrive: rd_data_valid[b] in the next cycle with en delivers the word requested from bank b. It is
//   stored at that clock edge.
// Dispatch: disp_valid: the oldest instruction has all its words, from state alone. A word that
//   arrives in a cycle counts from the next one on. `disp_ctx`, disp_need, and disp_data[k] for the
//   bits of disp_need. With disp_ready it leaves at the clock edge. Its slot is free from the next
//   cycle on. Younger instructions never overtake it.
// Example: an instruction with a pair enters in cycle t. It requests both banks in t + 1, has its
//   words at the end of t + 2 and is offered in t + 3. With three registers of one bank: t + 5.
// Reset: no instruction, base and count 0.
// Never driven: alloc_reg of 64 or more. A start_base + start_count above Words. A start of the
//   context of an instruction that waits here or is accepted in that cycle. An rd_data_valid[b]
//   that differs from the requests of the previous cycle with en.
// Left out: constants and immediates (they need no port), writing.
//
// Diagram  An instruction needs R0 and R1, in different banks. (Words=8 Threads=2 Slots=1)
//   cycle            0   1   2   3   4   5
//   en               1   1   1   1   1   1
//   start_valid      1   .   .   .   .   .
//   start_base       2   .   .   .   .   .
//   start_count      4   .   .   .   .   .
//   alloc_valid      .   1   .   .   .   .
//   alloc_need       .   3   .   .   .   .
//   alloc_reg[1]     .   1   .   .   .   .
//   alloc_ready      1   1   .   .   .   1
//   rd_valid         .   .   3   .   .   .
//   rd_addr[0]       -   -   1   -   -   -
//   rd_addr[1]       -   -   1   -   -   -
//   rd_data_valid    .   .   .   3   .   .
//   rd_data[0]       .   .   .   a   .   .
//   rd_data[1]       .   .   .   b   .   .
//   disp_valid       .   .   .   .   1   .
//   disp_data[0]     -   -   -   -   a   -
//   disp_data[1]     -   -   -   -   b   -
//   disp_ready       .   .   .   .   1   .
#ifndef SMCOSIM_MODELS_SCALAR_COLLECT_H
#define SMCOSIM_MODELS_SCALAR_COLLECT_H

#include "models/block.h"

enum { SC_MAX_THREADS = 64, SC_MAX_SLOTS = 4, SC_NEED = 8, SC_BANKS = 2 };

// clang-format off
#define SCALAR_COLLECT_PARAMS(P) \
    P(Words, 1024, 8, 4096, "scalar.words", "32-bit registers of one scalar unit, an even number") \
    P(Threads, 32, 2, 64, "scalar.threads", "contexts of scalar threads") \
    P(Slots, 2, 1, 4, "scalar.collectors", "instructions of one scalar unit that collect operands")

#define SCALAR_COLLECT_PORTS(W, V) \
    W(IN, en, 1, 1, 1, ALWAYS, -, "a cycle of the unit's clock") \
    W(IN, start_valid, 1, 1, 1, ALWAYS, -, "a context gets registers") \
    W(IN, start_ctx, 1, 1, CtxBits, ALWAYS, -, "this context") \
    W(IN, start_base, 1, 1, WordBits, ALWAYS, -, "its first word") \
    W(IN, start_count, 1, 1, 7, ALWAYS, -, "how many, up to 64") \
    W(IN, alloc_valid, 1, 1, 1, ALWAYS, -, "an instruction arrives") \
    W(IN, alloc_ctx, 1, 1, CtxBits, ALWAYS, -, "its context") \
    W(IN, alloc_need, 1, 1, 8, ALWAYS, -, "words that it needs") \
    W(IN, alloc_reg, SC_NEED, 8, 6, ALWAYS, -, "register of word k") \
    W(IN, rd_data_valid, 1, 1, 2, ALWAYS, -, "bank b delivers") \
    W(IN, rd_data, SC_BANKS, 2, 32, ALWAYS, -, "this word") \
    W(IN, disp_ready, 1, 1, 1, ALWAYS, -, "the oldest instruction is taken") \
    W(OUT, alloc_ready, 1, 1, 1, ALWAYS, -, "a slot is free") \
    W(OUT, error, 1, 1, 1, ALWAYS, -, "a register that the context does not have") \
    W(OUT, rd_valid, 1, 1, 2, ALWAYS, -, "a word is asked of bank b") \
    W(OUT, rd_addr, SC_BANKS, 2, RowBits, WHEN, rd_valid, "of this row") \
    W(OUT, disp_valid, 1, 1, 1, WORK, -, "the oldest instruction has its words") \
    W(OUT, disp_ctx, 1, 1, CtxBits, WHEN, disp_valid, "its context") \
    W(OUT, disp_need, 1, 1, 8, ALWAYS, -, "its words, 0 while it is not offered") \
    W(OUT, disp_data, SC_NEED, 8, 32, WHEN, disp_need, "word k")
// clang-format on

#define SCALAR_COLLECT_WIDTHS \
    const int WordBits = block_bits(Words + 1), RowBits = block_bits(Words / 2), \
              CtxBits = block_bits(Threads)

typedef struct ScalarCollectIn {
    SCALAR_COLLECT_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} ScalarCollectIn;
typedef struct ScalarCollectOut {
    SCALAR_COLLECT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} ScalarCollectOut;

// Observation, obs_words 10. Address c: word 0 base | count << 16 of context c. Address Threads +
// s: the s-th oldest instruction, all 0 if there is none. Word 0: bit 0 valid, 8:1 need, 16:9
// requested, 24:17 arrived. Word 1: context. Word 2 + k: the address of word k (0 if not needed),
// or its value after arrival.
extern const BlockModel scalar_collect_model;

#endif
