// SPDX-License-Identifier: Apache-2.0
// Contract of block packer: it aligns results with the slices they are written to (thesis 2.6,
// "Packers and unpackers"), one packer per write port.
//
// Combinational, no state. A register occupies the slices whose bit is set in its allocation mask.
// The k-th set bit from the right holds byte k (B0 first) of every lane. Any mask is legal, its
// ones need not be neighbors. The allocation unit makes masks that start at B3 (left), at B0
// (right), or of the free slices (first fit).
//   `pk_slice`: the mask (0 if the port is not valid): the slices to write.
//   `pk_out`: slice i of all lanes = byte k of the value, where i is the k-th one of the mask.
//     Slices outside the mask are 0.
// A value narrower than its mask fills the rest of the mask with its sign, because bytes above the
// size are already sign bytes. A value wider than the mask loses its upper bytes (the client sizes
// masks).
// The packer ignores lanes: the lane mask of a write goes to the register file beside the data.
// Port not valid: its inputs are ignored. Mask 0: no slice is written, pk_out_valid is 0.
// Left out: nothing.
//
// Diagram  Lane 0 holds 0x1234, two bytes: to the left slices, then to slices 0 and 2. (NumPorts=1)
//   cycle                 0       1
//   pk_valid              1       1
//   pk_data[0]      12@1+34 12@1+34
//   pk_mask[0]            c       5
//   pk_out_valid          1       1
//   pk_slice[0]           c       5
//   pk_out[0]     12@3+34@2 12@2+34
#ifndef SMCOSIM_MODELS_PACKER_H
#define SMCOSIM_MODELS_PACKER_H

#include "models/block.h"

enum { PK_MAX_PORTS = 4 };

#define PACKER_PARAMS(P) P(NumPorts, 2, 1, 4, "rf.write_ports", "results packed per cycle")

// clang-format off
#define PACKER_PORTS(W, V) \
    W(IN, pk_valid, 1, 1, NumPorts, ALWAYS, -, "port p has a result") \
    V(IN, pk_data, PK_MAX_PORTS, NumPorts, 1024, ALWAYS, -, "full-width value, slice-major") \
    W(IN, pk_mask, PK_MAX_PORTS, NumPorts, 4, ALWAYS, -, "allocation mask") \
    W(OUT, pk_out_valid, 1, 1, NumPorts, WORK, -, "there is something to write") \
    W(OUT, pk_slice, PK_MAX_PORTS, NumPorts, 4, ALWAYS, -, "slices to write") \
    V(OUT, pk_out, PK_MAX_PORTS, NumPorts, 1024, WHEN, pk_out_valid, "aligned value, slice-major")
// clang-format on

#define PACKER_WIDTHS

typedef struct PackerIn {
    PACKER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} PackerIn;
typedef struct PackerOut {
    PACKER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} PackerOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel packer_model;

#endif
