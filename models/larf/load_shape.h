// SPDX-License-Identifier: Apache-2.0
// Contract of block load_shape: base, stride and mask of a global load from the addresses of its
// lanes. It is the subtractor of the mapping controller (thesis 5.5.2; larf.md 3.1). It checks
// every active lane. The paper's one subtraction does not.
//
// Answer: in_valid in cycle t: out_valid in cycle t + LS_CYCLES, one per cycle, in order. With f
//   the lowest active lane of in_mask and g the second lowest:
//   `stride`: (a_g - a_f) / (g - f). With one active lane: 0.
//   `base`: a_f - f * stride, modulo 2^32: the address of lane 0, extrapolated if it is not active.
//     With one active lane: a_f.
//   `out_ok`: all of these hold:
//     At least one lane is active.
//     g - f is 1, 2, 4, 8 or 16.
//     The stride is a multiple of 4 in 0..512.
//     Every active lane i has the address a_f + (i - f) * stride, as numbers (no wrap at 2^32).
//   `out_code` = stride / 4, `out_mask` = in_mask.
// Outputs: from state alone.
// Reset: no load in flight.
// Left out: spaces and cache operators. Elements of more than one word (the client sends one
//   request per word, base + 4 j).
//
// Diagram  Lanes 0 and 2 at 0x10 and 0x18: words 4 bytes apart from 0x10 on. Then lanes 6 bytes
//          apart: not a shape. (NumTags=4)
//   cycle           0    1   2   3   4   5
//   in_valid        1    1   .   .   .   .
//   in_mask         5    3   .   .   .   .
//   in_addr    180010 0600   .   .   .   .
//   in_tag          1    2   .   .   .   .
//   out_valid       .    .   .   1   1   .
//   out_tag         -    -   -   1   2   -
//   out_ok          .    .   .   1   .   .
//   out_base        -    -   -  10   -   -
//   out_code        -    -   -   1   -   -
#ifndef SMCOSIM_MODELS_LOAD_SHAPE_H
#define SMCOSIM_MODELS_LOAD_SHAPE_H

#include "models/block.h"

enum { LS_CYCLES = 3 };

#define LOAD_SHAPE_PARAMS(P) \
    P(NumTags, 64, 2, 64, "sm.warps", "tags that travel with a load: its warp")

// clang-format off
#define LOAD_SHAPE_PORTS(W, V) \
    W(IN, in_valid, 1, 1, 1, ALWAYS, -, "a load's addresses") \
    V(IN, in_addr, 1, 1, 1024, ALWAYS, -, "one per lane, slice-major") \
    W(IN, in_mask, 1, 1, 32, ALWAYS, -, "active lanes") \
    W(IN, in_tag, 1, 1, TagBits, ALWAYS, -, "any number") \
    W(OUT, out_valid, 1, 1, 1, WORK, -, "the shape of the load of three cycles ago") \
    W(OUT, out_tag, 1, 1, TagBits, WHEN, out_valid, "its tag") \
    W(OUT, out_mask, 1, 1, 32, WHEN, out_valid, "its active lanes") \
    W(OUT, out_ok, 1, 1, 1, ALWAYS, -, "it has a base and a stride that the table can hold") \
    W(OUT, out_base, 1, 1, 32, WHEN, out_ok, "address of lane 0") \
    W(OUT, out_code, 1, 1, 8, WHEN, out_ok, "stride / 4")
// clang-format on

#define LOAD_SHAPE_WIDTHS const int TagBits = block_bits(NumTags)

typedef struct LoadShapeIn {
    LOAD_SHAPE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} LoadShapeIn;
typedef struct LoadShapeOut {
    LOAD_SHAPE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} LoadShapeOut;

// Observation, obs_words 1. Address s: bit 31: a load is in stage s (0 the youngest), low bits its
// tag. 0 if none is. Address LS_CYCLES + s: its mask, 0 if none is.
extern const BlockModel load_shape_model;

#endif
