// SPDX-License-Identifier: Apache-2.0
// P-mode with a seeded fault each: a wrong result that is reused, memory written in P-mode, a
// pre-load that changes more than caches and MSHRs. The retire check reports each; without it, the
// oracle does where results differ. Without a fault all pass. Usage: pmode_faults SOURCE BENCH_DATA
#include "systems/pmode/pmode.h"
#include "systems/systems.h"
#include "tests/sm/seeded_run.h"

#include <stdio.h>
#include <string.h>

// ---- faults: the system's own parts, but one function ----

// N-mode maps the register to another one of the pool.
static void other_register(Sm *sm, void *self, int warp, const SmInst *in) {
    PMode *s = self;
    s->warp[warp].popped[0].phy[0] = (s->warp[warp].popped[0].phy[0] + 1) % s->ids;
    pmode_give(sm, self, warp, in);
}

// P-mode's results are stale: a skipped instruction does not mark its destination unknown.
static void forgets_nothing(Sm *sm, void *self, int warp) {
    PMode *s = self;
    const PModeWarp *w = &s->warp[warp];
    const uint64_t writes = w->ahead.insts[w->ahead.pc].writes;
    system_pmode.stream->issued(sm, self, warp);
    if (s->choice.act == PMODE_SKIPS) s->warp[warp].unknown &= ~writes;
}

// A predicate that is reused is the opposite.
static void other_predicate(Sm *sm, void *self, int warp, const SmInst *in) {
    PMode *s = self;
    s->warp[warp].popped[0].first ^= ~0u;
    pmode_give(sm, self, warp, in);
}

// Stores of P-mode are executed as if they were N-mode's.
static bool is_store(const SmInst *in) {
    return in->isa->op == ISA_ST && in->isa->space == ISA_GLOBAL;
}

static InstStreamVerdict examine_stores(const Sm *sm, const void *self, int warp,
                                        const SmInst *in) {
    const InstStreamVerdict v = system_pmode.stream->examine(sm, self, warp, in);
    return v == INST_STREAM_PASSES && is_store(in) ? INST_STREAM_ISSUES : v;
}

static void issue_stores(Sm *sm, void *self, const IssueEvent *e) {
    PMode *s = self;
    system_pmode.listener->issued(sm, self, e);
    if (!inst_stream_is_own(sm, e->warp, e->stream) && is_store(e->inst))
        s->choice.act = PMODE_RUNS;
}

// A pre-load writes a register, as a load does.
static bool loads(const Sm *sm, const void *self, const Flight *f) {
    (void)sm, (void)self, (void)f;
    return false;
}

typedef enum Fault {
    NO_FAULT,
    OTHER_REGISTER,
    FORGETS_NOTHING,
    OTHER_PREDICATE,
    STORES,
    LOADS
} Fault;

typedef struct Seeded {
    System system;
    InstStreamPart stream;
    LoadPort load;
    Listener listener;
} Seeded;

static void seed(Fault fault, Seeded *s) {
    *s = (Seeded){.system = system_pmode,
                  .stream = *system_pmode.stream,
                  .load = *system_pmode.load,
                  .listener = *system_pmode.listener};
    s->system.stream = &s->stream;
    s->system.load = &s->load;
    s->system.listener = &s->listener;
    switch (fault) {
    case OTHER_REGISTER: s->stream.give = other_register; break;
    case FORGETS_NOTHING: s->stream.issued = forgets_nothing; break;
    case OTHER_PREDICATE: s->stream.give = other_predicate; break;
    case STORES:
        s->stream.examine = examine_stores;
        s->listener.issued = issue_stores;
        break;
    case LOADS: s->load.pre_loads = loads; break;
    default: break;
    }
}

typedef struct Case {
    Fault fault;
    const char *kernel;
    bool retire;
    ExitStatus status;
    const char *says;
} Case;

static const Case cases[] = {
    {NO_FAULT, "reduction", true, EXIT_PASS, ""},
    {NO_FAULT, "walsh", true, EXIT_PASS, ""},
    {OTHER_REGISTER, "walsh", true, EXIT_MISMATCH, "retire check"},
    {FORGETS_NOTHING, "reduction", true, EXIT_MISMATCH, "dual_scoreboard says"},
    {OTHER_PREDICATE, "reduction", true, EXIT_MISMATCH, "retire check"},
    {STORES, "inplace", true, EXIT_MISMATCH, "memory is written ahead"},
    {LOADS, "walsh", true, EXIT_MISMATCH, "retire check"},
    {OTHER_REGISTER, "walsh", false, EXIT_WRONG_RESULT, ""},
    {LOADS, "walsh", false, EXIT_WRONG_RESULT, ""},
};
enum { CASES = sizeof cases / sizeof *cases };

static bool run(const Case *c, const char *source, const char *data) {
    Arena arena = {0};
    Seeded seeded;
    Diag d = {0};
    seed(c->fault, &seeded);
    const SeededRun run = {.system = &seeded.system,
                           .machine = "fermi",
                           .retire = c->retire,
                           .oracle = true,
                           .launch =
                               arena_printf(&arena, "%s/%s/small/launch.yaml", data, c->kernel),
                           .sets = {"run.progress_cycles=20000"}};
    const ExitStatus found = seeded_run(&run, source, &arena, &d);
    const bool right = found == c->status && (!*c->says || strstr(d.text, c->says));
    if (!right)
        printf("FAILED: fault %d on %s: expected exit status %d '%s', found %d: %.300s\n", c->fault,
               c->kernel, c->status, c->says, found, d.text);
    arena_free(&arena);
    return right;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < CASES; i++) failed += !run(&cases[i], argv[1], argv[2]);
    printf("pmode_faults: %d cases, %d failed\n", CASES, failed);
    return failed != 0;
}
