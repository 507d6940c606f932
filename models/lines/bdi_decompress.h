// SPDX-License-Identifier: Apache-2.0
// Contract of block bdi_decompress: a line of 128 bytes from its BDI image of up to 96 (CABA
// section 5.1.1). The layout of the image is in caba.md 3.5 and csrc/mem/compress_bdi.c. The
// systems hw-bdi and hw-bdi-mem use it in place of assist warps.
//
// Bits of image and line are in memory order: byte i is bits [8i +: 8]. Byte 0 of the image is the
// head: codec (0) in the upper four bits, encoding in the lower.
//
//   0  all bytes 0                         1  the u64 at byte 8, sixteen times
//   2, 3, 4   16 values of 8 bytes, deltas of 1, 2, 4 bytes from byte 16, base at 8, mask (u16) at
//             2
//   5, 6      32 values of 4 bytes, deltas of 1, 2 bytes from byte 12, base (u32) at 8, mask (u32)
//             at 4
//   7         64 values of 2 bytes, deltas of 1 byte from byte 12, base (u16) at 2, mask (u64) at 4
//
// Value i = sign-extended delta i + (bit i of the mask ? base : 0), modulo 2^(8 x its bytes). Bytes
// of the image that the encoding does not name are ignored.
//
// in_valid in cycle t: the line is at the output in t + Cycles, for one cycle. `line_valid`: the
// line. `line_error`: the head is none of these. One image per cycle. Outputs depend on state
// alone.
// Reset: no line in flight (lines are not reset).
// Left out: FPC and C-Pack, which the paper has in software only. Flow control (the client takes
// the line when it arrives).
// Clock: 1.68 ns at 45 nm in one cycle, 1.14 ns in two. At 700 MHz Cycles is 2 (bdi.read_cycles).
//
// Diagram  The image of a line of zeros, one of a repeated value, and one with a head that BDI does
//          not have. (Cycles=2)
//   cycle          0   1   2   3   4   5
//   in_valid       1   1   1   .   .   .
//   in_image[0]    .   1   f   .   .   .
//   in_image[2]    .  2a   .   .   .   .
//   line_valid     .   .   1   1   .   .
//   line_error     .   .   .   .   1   .
//   line           -   -   .   -   -   -
#ifndef SMCOSIM_MODELS_BDI_DECOMPRESS_H
#define SMCOSIM_MODELS_BDI_DECOMPRESS_H

#include "models/block.h"

enum { BDI_IMAGE_WORDS = 24, BDI_LINE_WORDS = 32, BDI_MAX_CYCLES = 4 };

#define BDI_DECOMPRESS_PARAMS(P) P(Cycles, 1, 1, 4, "bdi.read_cycles", "from image to line")

// clang-format off
#define BDI_DECOMPRESS_PORTS(W, V) \
    W(IN, in_valid, 1, 1, 1, ALWAYS, -, "an image comes") \
    W(IN, in_image, BDI_IMAGE_WORDS, BDI_IMAGE_WORDS, 32, ALWAYS, -, "its words, word 0 holds the head") \
    W(OUT, line_valid, 1, 1, 1, WORK, -, "a line stands at the output") \
    W(OUT, line_error, 1, 1, 1, ALWAYS, -, ".. or would, had its image a head of BDI") \
    V(OUT, line, 1, 1, 1024, WHEN, line_valid, "in memory order")
// clang-format on

#define BDI_DECOMPRESS_WIDTHS

typedef struct BdiDecompressIn {
    BDI_DECOMPRESS_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} BdiDecompressIn;
typedef struct BdiDecompressOut {
    BDI_DECOMPRESS_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} BdiDecompressOut;

// Observation, obs_words 32. Stage s = 0 .. Cycles - 1, the last one is the output. Address 0, word
// s: bit 0 a line, bit 1 an error. Address 1 + s: the line of the stage (0 without one).
extern const BlockModel bdi_decompress_model;

#endif
