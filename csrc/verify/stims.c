// SPDX-License-Identifier: Apache-2.0
// The environments of all blocks (models/<family>/<name>_stim.c), from the table of blocks.
#include "verify/verify.h"

#include "cosim/blocks.h"

#include <string.h>

#define STIM_DECLARE(name, upper, camel, what) extern const BlockStim name##_stim;
COSIM_BLOCKS(STIM_DECLARE)

#define STIM_ROW(name, upper, camel, what) {#name, &name##_stim},
static const struct {
    const char *block;
    const BlockStim *stim;
} stims[] = {COSIM_BLOCKS(STIM_ROW)};

const BlockStim *verify_stim(const char *block) {
    for (size_t i = 0; i < sizeof stims / sizeof *stims; i++)
        if (!strcmp(stims[i].block, block)) return stims[i].stim;
    panic("block %s has no stimuli", block);
}
