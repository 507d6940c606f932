// SPDX-License-Identifier: Apache-2.0
// Contract of block width_detect: the size of each result of a cycle, at the end of the execution
// units (thesis 2.6, "Width detection units").
//
// Combinational, no state. Port p with wd_valid evaluates its 1024-bit result (slice-major).
//   `wide[i]` (i = 0..2): some written lane needs byte i + 1: bits [14+8i : 7+8i] of the lane's
//     value are not all equal to its bit 31. The paper's circuit: OR of those bits for a
//     non-negative value, NAND for a negative one, selected by bit 31, then ORed over the lanes. It
//     is no thermometer: 0x00010000 needs byte 2, and byte 3's bits are clear: wide = 010.
//   `size`: 1..4 bytes that hold every lane: 2 + the highest set bit of wide, or 1. A value of n
//     bytes is the sign extension of its n low bytes.
// Lanes not written: the paper sizes a register over all 32 lanes, active or not. The execution
// unit sees only the written ones. The others fit the present size of the register. So if wd_lane
// is not all ones, size = max(size of the written lanes, wd_old). If it is all ones, wd_old is
// ignored (a register may shrink). `wd_old` = 0: the register holds no value yet. `wd_lane` = 0 is
// legal:
// max(1, wd_old).
// Port not valid: its inputs are ignored, wide and size are 0.
// Never driven with a valid result: wd_old above 4.
// Left out: a pipeline register (the units' last stage holds it).
//
// Diagram  0x10000 needs three bytes. With lane 0 alone written, a register of four bytes keeps
//          four. (NumPorts=1)
//   cycle              0   1
//   wd_valid           1   1
//   wd_data[0]       1@2   5
//   wd_lane[0]  ffffffff   1
//   wd_old[0]          .   4
//   wd_wide[0]         2   .
//   wd_size[0]         3   4
#ifndef SMCOSIM_MODELS_WIDTH_DETECT_H
#define SMCOSIM_MODELS_WIDTH_DETECT_H

#include "models/block.h"

enum { WD_MAX_PORTS = 4 };

#define WIDTH_DETECT_PARAMS(P) P(NumPorts, 2, 1, 4, "rf.write_ports", "results sized per cycle")

// clang-format off
#define WIDTH_DETECT_PORTS(W, V) \
    W(IN, wd_valid, 1, 1, NumPorts, ALWAYS, -, "port p has a result") \
    V(IN, wd_data, WD_MAX_PORTS, NumPorts, 1024, ALWAYS, -, "result, slice-major") \
    W(IN, wd_lane, WD_MAX_PORTS, NumPorts, 32, ALWAYS, -, "lanes written") \
    W(IN, wd_old, WD_MAX_PORTS, NumPorts, 3, ALWAYS, -, "bytes the register has now, 0 none") \
    W(OUT, wd_wide, WD_MAX_PORTS, NumPorts, 3, ALWAYS, -, "bytes 3..1 needed by some written lane") \
    W(OUT, wd_size, WD_MAX_PORTS, NumPorts, 3, WORK, -, "bytes to store, 0 where not valid")
// clang-format on

#define WIDTH_DETECT_WIDTHS

typedef struct WidthDetectIn {
    WIDTH_DETECT_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} WidthDetectIn;
typedef struct WidthDetectOut {
    WIDTH_DETECT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} WidthDetectOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel width_detect_model;

#endif
