// SPDX-License-Identifier: Apache-2.0
// Counts hits of a window over a warp's last instructions, for windows of 2 to 7 in one run
// (stats.reuse).
//
// Every issued instruction except metadata occupies a place. It names the registers that it reads
// or writes, even if no lane executes. A window of IW catches a source when one of the previous IW
// - 1 places named its register. A result needs no place in the register file when all its reads
// occur while the window contains it. The result is then dead or overwritten in time. This is
// decided when the result is overwritten or when the warp ends. A result that covers only some of
// the lanes with an older value joins that value, if the window still contains it. Otherwise the
// older value does not count.
#include "sm/listeners/listeners.h"

#include "sm/state.h"

enum { LEAST = 2, MOST = 7, FAR = MOST + 1 };

typedef struct Seen {
    uint32_t named;  // place at which it was named last; 0: never
    // lanes with the value; 0: no write of this warp, or the write is decided
    uint32_t lanes;
    // largest distance between two instructions that name it since its last write
    uint8_t farthest;
    uint8_t read;  // ... up to its last read
} Seen;

typedef struct WarpReuse {
    uint32_t place;
    Seen reg[ISA_MAX_REGS];
} WarpReuse;
typedef struct Reuse {
    uint64_t *v;
    WarpReuse warp[SM_MAX_WARPS];
} Reuse;

// Counts the windows that contain a distance.
static void count_windows(uint64_t *first, unsigned distance) {
    for (unsigned w = distance < LEAST ? LEAST : distance + 1; w <= MOST; w++) first[w - LEAST]++;
}

static unsigned name_register(Seen *s, uint32_t place) {
    const uint32_t gap = s->named ? place - s->named : FAR;
    const unsigned distance = gap < FAR ? gap : FAR;
    s->named = place;
    if (distance > s->farthest) s->farthest = (uint8_t)distance;
    return distance;
}

static void write_register(Reuse *r, Seen *s, uint32_t place, uint32_t lanes) {
    const bool covers = !(s->lanes & ~lanes);
    name_register(s, place);
    r->v[CTR_REUSE_RESULTS]++;
    if (s->lanes) count_windows(&r->v[CTR_REUSE_BYPASSED_2], covers ? s->read : s->farthest);
    *s = (Seen){.named = place, .lanes = covers ? lanes : s->lanes | lanes};
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    Reuse *r = self;
    WarpReuse *w = &r->warp[e->warp];
    const SmInst *in = e->inst;
    if (in->isa->op == ISA_HINT || !inst_stream_is_own(sm, e->warp, e->stream)) return;
    const int sources = __builtin_popcountll(in->reads);
    w->place++;
    r->v[CTR_REUSE_WITH_0 + (sources < 3 ? sources : 3)]++;
    for (uint64_t m = in->reads; m; m &= m - 1) {
        Seen *s = &w->reg[lowest(m)];
        const unsigned distance = name_register(s, w->place);
        if (!e->active) continue;
        r->v[CTR_REUSE_SOURCES]++;
        count_windows(&r->v[CTR_REUSE_HITS_2], distance);
        s->read = s->farthest;
    }
    for (uint64_t m = in->writes; m; m &= m - 1) {
        Seen *s = &w->reg[lowest(m)];
        if (e->active) write_register(r, s, w->place, e->active);
        else name_register(s, w->place);
        if (e->active && sm->launch->program->window) r->v[CTR_REUSE_CLASS_0 + in->isa->write]++;
    }
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    ((Reuse *)self)->warp[e->warp] = (WarpReuse){0};
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    Reuse *r = self;
    (void)sm;
    for (int k = 0; k < ISA_MAX_REGS; k++) {
        const Seen *s = &r->warp[e->warp].reg[k];
        if (s->lanes) count_windows(&r->v[CTR_REUSE_BYPASSED_2], s->read);
    }
}

static const Listener listener = {
    .issued = on_issued, .warp_begin = on_warp_begin, .warp_end = on_warp_end};

void reuse_listen(Sm *sm, Arena *arena) {
    Reuse *r = ARENA_NEW(arena, Reuse);
    r->v = sm->count->v;
    events_subscribe(sm, &listener, r);
}
