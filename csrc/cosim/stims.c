// SPDX-License-Identifier: Apache-2.0
// The environments of all blocks (models/<family>/<name>_stim.c), from the table of blocks.
#include "cosim/stims.h"

#include "cosim/blocks.h"

#include <stdlib.h>
#include <string.h>

#define STIM_DECLARE(name, upper, camel, what) extern const BlockStim name##_stim;
COSIM_BLOCKS(STIM_DECLARE)

#define STIM_ROW(name, upper, camel, what) {#name, &name##_stim},
static const struct {
    const char *block;
    const BlockStim *stim;
} stims[] = {COSIM_BLOCKS(STIM_ROW)};

const BlockStim *block_stim(const char *block) {
    for (size_t i = 0; i < sizeof stims / sizeof *stims; i++)
        if (!strcmp(stims[i].block, block)) return stims[i].stim;
    panic("block %s has no stimuli", block);
}

void stims_fill(const BlockDesc *desc, const int *params, const ShimApi *shim, void *rtl) {
    const BlockStim *stim = block_stim(desc->name);
    if (!stim->fill) return;
    void *environment = stim->open(params), *in = calloc(1, desc->in_size);
    panic_if(!environment || !in, "out of memory");
    shim->reset(rtl);
    for (uint32_t i = 0; stim->fill(environment, i, in); i++) {
        shim->eval(rtl, in);
        shim->tick(rtl, NULL);
        memset(in, 0, desc->in_size);
    }
    memset(in, 0, desc->in_size);
    shim->eval(rtl, in);
    shim->reset(rtl);
    stim->close(environment);
    free(in);
}
