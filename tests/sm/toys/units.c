// SPDX-License-Identifier: Apache-2.0
// Execution units: multiplications with addition go to a unit of their own behind SFU's port, at
// half the clock and with a latency of 7.
#include "toys.h"

static uint64_t taken, odd;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    taken = odd = 0;
    return NULL;
}

static bool takes(const Sm *sm, const void *self, const SmInst *in) {
    (void)sm;
    (void)self;
    return in->isa->op == ISA_IMAD;
}

static void executed(Sm *sm, void *self, const FlightEvent *e) {
    (void)self;
    if (e->flight->inst->unit < UNIT_FIRST_ADDED) return;
    taken++;
    odd += sm->cycle % 2;
}

static const char *seen(const ToyRun *run, bool alone) {
    const uint64_t sfu = toy_count(run->without, CTR_EXEC_SFU);
    if (!taken || odd) return "multiplications, in even cycles only";
    if (alone && toy_count(run->with, CTR_EXEC_SFU) != sfu + taken)
        return "multiplications counted with SFU";
    return NULL;
}

static const UnitRow rows[] = {{.name = "multiplier",
                                .takes = takes,
                                .beside = UNIT_SFU,
                                .latency = 7,
                                .interval = 2,
                                .clock = 2,
                                .share = 50,
                                .stall = CTR_STALL_SFU,
                                .wait = CTR_WAIT_SFU,
                                .done = CTR_EXEC_SFU}};
static const Listener listener = {.executed = executed};
static const System system_toy = {.name = "toy-unit",
                                  .what = "a slow multiplier",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .units = rows,
                                  .nunits = 1,
                                  .listener = &listener};
const Toy toy_units = {&system_toy, seen};
