// SPDX-License-Identifier: Apache-2.0
// Contract of block md_cache: the metadata cache of a memory controller (CABA 5.2.2: 8 KB, 4-way).
// It holds lines of 32 bytes of metadata, 128 fields of two bits each. A field is the number of
// bursts that a line of data occupies in DRAM.
//
// Set of a line: its number modulo Sets = Bytes / (32 * Ways), a power of two.
// Look up: req_valid in cycle t: the answer is valid in t + 1, for one cycle (ans_valid).
//   Hit: ans_hit, and ans_value is the old value of the field. With req_write the field is
//     req_value from t + 1 on, and the line is dirty. The line becomes the most recently used one.
//   Miss: nothing is written. The set makes room: if all its ways are valid, the least recently
//     used line is invalid from t + 1 on. If it is dirty, vic_valid in t + 1, with its number and
//     its bytes.
// Fill: fill_valid: the line with these bytes is valid and not dirty from the next cycle on, in the
//   first invalid way of the set. It becomes the most recently used one.
// Outputs are 0 without an answer, and for fields that it does not have. They depend on state
// alone.
// Reset: no lines, no answer.
// Never driven: look-up and fill in one cycle. A fill of a line that is valid, or in a set whose
// ways are all valid. Left out: the requests to DRAM, and their waiters.
// Clock: 1.67 ns at 45 nm (8 KB; 1.52 with one SM's 4 KB). The path: the requested line, the tags
// of its set, the way, the bytes. At 700 MHz an answer takes two cycles, still one look-up per
// cycle. This model takes one. `blocks.registered=md_cache` is that timing in the memory
// controller: the steps after a look-up begin a cycle later.
//
// Diagram  Line 3 is missed, filled, written and read. (Bytes=64 Ways=2)
//   cycle           0   1   2   3   4   5   6
//   req_valid       1   .   .   1   1   .   .
//   req_line        3   .   .   3   3   .   .
//   req_field       .   .   .   1   1   .   .
//   req_write       .   .   .   1   .   .   .
//   req_value       .   .   .   3   .   .   .
//   fill_valid      .   .   1   .   .   .   .
//   fill_line       .   .   3   .   .   .   .
//   fill_data[0]    .   .   4   .   .   .   .
//   ans_valid       .   1   .   .   1   1   .
//   ans_hit         .   .   .   .   1   1   .
//   ans_value       .   .   .   .   1   3   .
#ifndef SMCOSIM_MODELS_MD_CACHE_H
#define SMCOSIM_MODELS_MD_CACHE_H

#include "models/block.h"

enum { MD_LINE_BITS = 18, MD_WORDS = 8, MD_FIELDS = 128, MD_MAX_WAYS = 8 };

#define MD_CACHE_PARAMS(P) \
    P(Bytes, 8192, 32, 65536, "md.bytes", "bytes of metadata") \
    P(Ways, 4, 1, 8, "md.ways", "ways")

// clang-format off
#define MD_CACHE_PORTS(W, V) \
    W(IN, req_valid, 1, 1, 1, ALWAYS, -, "a field is looked up") \
    W(IN, req_line, 1, 1, 18, ALWAYS, -, "line of metadata") \
    W(IN, req_field, 1, 1, 7, ALWAYS, -, "field of the line") \
    W(IN, req_write, 1, 1, 1, ALWAYS, -, "and written") \
    W(IN, req_value, 1, 1, 2, ALWAYS, -, "with this") \
    W(IN, fill_valid, 1, 1, 1, ALWAYS, -, "a line comes from DRAM") \
    W(IN, fill_line, 1, 1, 18, ALWAYS, -, "its number") \
    W(IN, fill_data, MD_WORDS, MD_WORDS, 32, ALWAYS, -, "its bytes") \
    W(OUT, ans_valid, 1, 1, 1, ALWAYS, -, "the answer to the look-up of the cycle before") \
    W(OUT, ans_hit, 1, 1, 1, WORK, -, "the line was there") \
    W(OUT, ans_value, 1, 1, 2, ALWAYS, -, "the field") \
    W(OUT, vic_valid, 1, 1, 1, ALWAYS, -, "a dirty line made room") \
    W(OUT, vic_line, 1, 1, 18, ALWAYS, -, "its number") \
    W(OUT, vic_data, MD_WORDS, MD_WORDS, 32, ALWAYS, -, "its bytes")
// clang-format on

#define MD_CACHE_WIDTHS

typedef struct MdCacheIn {
    MD_CACHE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} MdCacheIn;
typedef struct MdCacheOut {
    MD_CACHE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} MdCacheOut;

// Observation, obs_words 8. Address set * Ways + way: word 0: bit 0 valid, bit 1 dirty, bits 4..
// age (0: used last). Bits 8.. number of the line (0 without one). Address Sets * Ways + set * Ways
// + way: its bytes (0 without a line).
extern const BlockModel md_cache_model;

#endif
