// SPDX-License-Identifier: Apache-2.0
// Systems with a seeded fault each, on kernels whose results depend on memory order. The retire
// check reports a stale word from a register, the run's watch a load that is never answered.
// Without a fault all pass.
// Usage: larf_faults SOURCE BENCH_DATA
#include "sm/state.h"
#include "systems/systems.h"
#include "tests/sm/seeded_run.h"

#include <stdio.h>

// ---- faults: the system's own parts, but one ----

// The table is not told of stores.
static void without_stores(Sm *sm, void *self, const FlightEvent *e) {
    if (e->flight->inst->isa->op != ISA_ST) system_larf.listener->access(sm, self, e);
}

// .. nor of fences.
static void without_fences(Sm *sm, void *self, const IssueEvent *e) {
    if (e->inst->isa->op != ISA_MEMBAR) system_larf.listener->issued(sm, self, e);
}

// A register is given up with the first read of it.
static void dead_at_read(Sm *sm, void *self, const OperandsEvent *e) {
    const SmInst *in = e->flight->inst;
    for (int i = 0; i < e->n; i++)
        if (!(in->writes >> in->op_reg[e->first + i] & 1))
            system_larf.listener->dead(
                sm, self, &(RegistersEvent){e->flight->warp, word_bit(in->op_reg[e->first + i])});
}

typedef enum Fault {
    NO_FAULT,
    NO_STORES,
    NO_FENCES,
    NO_ATOMICS,
    NO_ARRIVALS,
    DEAD_AT_READ,
    FAULTS
} Fault;

static void seed(Fault fault, System *s, Listener *l) {
    *s = system_larf;
    *l = *system_larf.listener;
    s->listener = l;
    switch (fault) {
    case NO_STORES: l->access = without_stores; break;
    case NO_FENCES:
        l->access = without_stores;
        l->issued = without_fences;
        break;
    case NO_ATOMICS: l->performed = NULL; break;
    case NO_ARRIVALS: l->written = NULL; break;
    case DEAD_AT_READ: l->operands_read = dead_at_read; break;
    default: break;
    }
}

typedef struct Case {
    Fault fault;
    const char *kernel;
    ExitStatus status;
} Case;
// Stores hidden from the table are those of another SM: with fences around them, flushes suffice.
static const Case cases[] = {
    {NO_FAULT, "handoff", EXIT_PASS},        {NO_FAULT, "inplace", EXIT_PASS},
    {NO_FAULT, "flags", EXIT_PASS},          {NO_FAULT, "mm2", EXIT_PASS},
    {NO_FAULT, "conv3x3", EXIT_PASS},        {NO_STORES, "inplace", EXIT_MISMATCH},
    {NO_STORES, "handoff", EXIT_PASS},       {NO_FENCES, "handoff", EXIT_MISMATCH},
    {NO_ATOMICS, "flags", EXIT_MISMATCH},    {NO_ARRIVALS, "conv3x3", EXIT_HANG},
    {DEAD_AT_READ, "inplace", EXIT_MISMATCH}};
enum { CASES = sizeof cases / sizeof *cases };

static bool run(const Case *c, const char *source, const char *data) {
    Arena arena = {0};
    System system;
    Listener listener;
    Diag d = {0};
    seed(c->fault, &system, &listener);
    const SeededRun run = {.system = &system,
                           .machine = "pascal-larf",
                           .retire = true,
                           .oracle = true,
                           .launch =
                               arena_printf(&arena, "%s/%s/small/launch.yaml", data, c->kernel),
                           .sets = {"run.progress_cycles=20000"}};
    const ExitStatus found = seeded_run(&run, source, &arena, &d);
    if (found != c->status)
        printf("FAILED: fault %d on %s: expected exit status %d, found %d: %.200s\n", c->fault,
               c->kernel, c->status, found, d.text);
    arena_free(&arena);
    return found == c->status;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < CASES; i++) failed += !run(&cases[i], argv[1], argv[2]);
    printf("larf_faults: %d cases, %d failed\n", CASES, failed);
    return failed != 0;
}
