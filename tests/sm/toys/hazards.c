// SPDX-License-Identifier: Apache-2.0
// Hazards: a warp waits three cycles after each result that is written before its next instruction
// issues.
#include "toys.h"

enum { DELAY = 3 };

static uint64_t until[SM_MAX_WARPS], delayed, asked_beside;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    memset(until, 0, sizeof until);
    delayed = asked_beside = 0;
    return NULL;
}

static Hazard query(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in) {
    (void)self, (void)in;
    asked_beside += !inst_stream_is_own(sm, warp, stream);
    return sm->cycle < until[warp] ? HAZARD_SHORT : HAZARD_NONE;
}

static void written(Sm *sm, void *self, const Flight *f, int reg) {
    (void)self;
    (void)reg;
    until[f->warp] = sm->cycle + DELAY;
    delayed++;
}

// Its answer changes with time.
static void drive(Sm *sm, void *self) {
    (void)self;
    for (WarpSet left = sm->resident; left; left &= left - 1)
        if (until[lowest(left)] == sm->cycle) hazards_recheck(sm, lowest(left));
}

static bool busy(const Sm *sm, const void *self) {
    (void)self;
    for (WarpSet left = sm->resident; left; left &= left - 1)
        if (until[lowest(left)] > sm->cycle) return true;
    return false;
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!delayed) return "results that delay";
    if (!alone != (asked_beside > 0))
        return "to be asked about second streams where there are some";
    if (alone &&
        toy_count(run->with, CTR_STALL_RAW_SHORT) <= toy_count(run->without, CTR_STALL_RAW_SHORT))
        return "more cycles in which a register is waited for";
    return NULL;
}

static const Hazards hazards = {.query = query, .written = written};
static const Clocked clock_part = {.drive = drive, .busy = busy};
static const System system_toy = {.name = "toy-hazard",
                                  .what = "delays a warp after each result",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .hazards = &hazards,
                                  .clock = &clock_part};
const Toy toy_hazards = {&system_toy, seen};
