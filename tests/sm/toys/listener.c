// SPDX-License-Identifier: Apache-2.0
// Listener: keeps a log of its events.
#include "toys.h"

enum { KEPT = 64 };
typedef struct Log {
    struct {
        int warp;
        uint32_t pc;
    } last[KEPT];  // instructions that issued, a ring
    uint64_t issued, begun, ended, warps, ctas, cycles;
} Log;
static Log heard;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    memset(&heard, 0, sizeof heard);
    return &heard;
}

static void issued(Sm *sm, void *self, const IssueEvent *e) {
    Log *l = self;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) return;
    l->last[l->issued % KEPT].warp = e->warp;
    l->last[l->issued++ % KEPT].pc = e->pc;
}

static void begun(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm, (void)e, ((Log *)self)->begun++;
}
static void ended(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm, (void)e, ((Log *)self)->ended++;
}
static void warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm, (void)e, ((Log *)self)->warps++;
}
static void cta_end(Sm *sm, void *self, const CtaEvent *e) {
    (void)sm, (void)e, ((Log *)self)->ctas++;
}
static void cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    (void)sm, (void)e, ((Log *)self)->cycles++;
}

static const char *seen(const ToyRun *run, bool alone) {
    const LaunchReport *r = run->with;
    // It hears, and nothing else: with it alone no counter differs.
    const bool same = !memcmp(&r->counters, &run->without->counters, sizeof r->counters);
    if (alone && !same) return "the same counters as without it";
    if (heard.issued != toy_count(r, CTR_WARP_INSTS) + toy_count(r, CTR_HINT_INSTS))
        return "an event per instruction";
    if (heard.cycles != toy_count(r, CTR_CYCLES)) return "an event per cycle";
    if (heard.ctas != toy_count(r, CTR_CTAS) || heard.warps < heard.ctas)
        return "an event per CTA, and its warps'";
    return heard.begun && heard.begun == heard.ended ? NULL : "what began to be in flight to end";
}

static const Listener listener = {.issued = issued,
                                  .begun = begun,
                                  .ended = ended,
                                  .warp_end = warp_end,
                                  .cta_end = cta_end,
                                  .cycle_end = cycle_end};
static const System system_toy = {
    .name = "toy-listener", .what = "logs", .with = ~0u, .open = open_toy, .listener = &listener};
const Toy toy_listener = {&system_toy, seen};
