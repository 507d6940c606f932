// SPDX-License-Identifier: Apache-2.0
// The stimulus environments of blocks, and the memories that they fill.
#ifndef SMCOSIM_COSIM_STIMS_H
#define SMCOSIM_COSIM_STIMS_H

#include "cosim/ports.h"
#include "cosim/shim/shim.h"
#include "models/stim.h"

// The stimulus environment of a block, by the block's name. Every registered block has one.
const BlockStim *block_stim(const char *block);

// For a user's module whose start values are random. If the contract calls memory entries undefined
// until they are written, golden models start from 0. This function writes 0 to every entry of the
// RTL through its ports, and resets it. Other blocks are left unchanged.
void stims_fill(const BlockDesc *desc, const int *params, const ShimApi *shim, void *rtl);

#endif
