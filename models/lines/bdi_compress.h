// SPDX-License-Identifier: Apache-2.0
// Contract of block bdi_compress: the BDI image of a line of 128 bytes, if the line has one (CABA
// 5.1.2). The layout of the image is in bdi_decompress.h and caba.md 3.5. The systems hw-bdi and
// hw-bdi-mem use it in place of assist warps.
//
// Bits of line and image are in memory order: byte i is bits [8i +: 8].
// Encodings 2 .. 7 have n-byte values and k-byte deltas. One fits if each value is a sign-extended
// k-byte delta (mask bit 0), or differs from the base by one, modulo 2^(8n) (mask bit 1). The base
// is the first value that is no such delta (0 when there is none), with Base = 1 always the first
// value. Encoding 0 fits when all bytes are 0, 1 when all sixteen u64 are the same. The image is
// that of the first encoding that fits in the order 0 1 2 5 3 6 7 4 (fewest bytes, then the
// number), with zeros in all other bytes.
//
// in_valid in cycle t: the answer is at the output in t + 5, for one cycle. One line per cycle.
//   `out_valid`: an answer. Without an answer all outputs are 0.
//   `out_enc`: the encoding, 15 if none fits.
//   `out_bursts`, of 32 bytes: 1, 1, 1, 2, 3, 2, 3, 3 for encodings 0 .. 7, and 4 for the raw line.
//   `out_image`: the image, 0 if none fits.
// Outputs depend on state alone.
// Reset: no line in flight (lines are not reset).
// Left out: FPC and C-Pack, which the paper has in software only. Flow control. The raw line beside
// the answer.
//
// Diagram  A line of zeros, then one whose first byte is 2a: five cycles each. (Base=0)
//   cycle         0   1   2   3   4   5   6   7
//   in_valid      1   1   .   .   .   .   .   .
//   in_line       .  2a   .   .   .   .   .   .
//   out_valid     .   .   .   .   .   1   1   .
//   out_enc       .   .   .   .   .   .   2   .
//   out_bursts    .   .   .   .   .   1   1   .
#ifndef SMCOSIM_MODELS_BDI_COMPRESS_H
#define SMCOSIM_MODELS_BDI_COMPRESS_H

#include "models/block.h"

enum { BDI_COMPRESS_STAGES = 5, BDI_COMPRESS_WORDS = 24, BDI_RAW = 15 };

#define BDI_COMPRESS_PARAMS(P) \
    P(Base, 0, 0, 1, "bdi.base", "base: 0 the first value that is no delta, 1 the first value")

// clang-format off
#define BDI_COMPRESS_PORTS(W, V) \
    W(IN, in_valid, 1, 1, 1, ALWAYS, -, "a line comes") \
    V(IN, in_line, 1, 1, 1024, ALWAYS, -, "in memory order") \
    W(OUT, out_valid, 1, 1, 1, WORK, -, "an answer stands at the output") \
    W(OUT, out_enc, 1, 1, 4, ALWAYS, -, "encoding, 15: none fits") \
    W(OUT, out_bursts, 1, 1, 3, ALWAYS, -, "bursts that the line travels in") \
    W(OUT, out_image, BDI_COMPRESS_WORDS, BDI_COMPRESS_WORDS, 32, ALWAYS, -, "words of the image")
// clang-format on

#define BDI_COMPRESS_WIDTHS

typedef struct BdiCompressIn {
    BDI_COMPRESS_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} BdiCompressIn;
typedef struct BdiCompressOut {
    BDI_COMPRESS_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} BdiCompressOut;

// Observation, obs_words 32. Stage s = 0 .. 4, the last one is the output. Address 0, bit s of word
// 0: the stage has a line. Address 1 + s for s = 0 .. 2: that line (0 without one).
extern const BlockModel bdi_compress_model;

#endif
