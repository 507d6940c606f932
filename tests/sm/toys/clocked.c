// SPDX-License-Identifier: Apache-2.0
// Clocked part: a block of its own sizes each result at the write ports.
#include "toys.h"

#include "models/pack/width_detect.h"

static Block *block;
static uint64_t sized, taken;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)arena;
    sized = taken = 0;
    return block = cosim_block(sm->gpu->options.cosim, "width_detect");
}

// Results at the ports that the block has: those of the register file.
static uint32_t at_ports(const Sm *sm) {
    return sm->ports.wr_valid[0] & ((1u << sm->cfg->rf_write_ports) - 1);
}

static void drive(Sm *sm, void *self) {
    WidthDetectIn *in = ((Block *)self)->in;
    in->wd_valid[0] = at_ports(sm);
    for (int p = 0; p < sm->cfg->rf_write_ports; p++) {
        memcpy(in->wd_data[p], sm->ports.wr_data[p], sizeof in->wd_data[p]);
        in->wd_lane[p] = sm->ports.wr_lane[p];
        in->wd_old[p] = 0;
    }
    block_eval(self);
}

static void settle(Sm *sm, void *self) {
    const WidthDetectOut *out = ((Block *)self)->out;
    for (uint32_t left = at_ports(sm) & sm->ports.wr_ready[0]; left; left &= left - 1) {
        taken++;
        sized += out->wd_size[__builtin_ctz(left)] > 0;
    }
}

static void tick(Sm *sm, void *self) {
    (void)sm;
    block_tick(self);
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!alone || run->renames)
        return sized && sized == taken ? NULL : "every result that is taken has a size";
    return sized == toy_count(run->with, CTR_RF_WRITES) ? NULL : "as many sizes as writes";
}

static const char *const blocks[] = {"width_detect", NULL};
static const Clocked clock_part = {.drive = drive, .settle = settle, .tick = tick};
static const System system_toy = {.name = "toy-clocked",
                                  .what = "sizes results",
                                  .with = ~0u,
                                  .blocks = blocks,
                                  .open = open_toy,
                                  .clock = &clock_part};
const Toy toy_clocked = {&system_toy, seen};
