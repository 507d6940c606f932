// SPDX-License-Identifier: Apache-2.0
// caba-prefetch: assist warps that prefetch (CABA paper, section 8.2). The paper has the idea and
// no numbers: the rest is ours.
//
// The compiler marks loads in loops (csrc/compile/assist/loads.c). When a warp issues such a load,
// a low-priority routine begins in its lanes. The routine reads the present value of the address
// register and compares its distance from the last address with the last distance. If they are
// equal, it prefetches some strides ahead. For each load, two registers of the routine hold the
// last address and the stride of each lane. These registers outlive the routine and form a table
// per warp and PC. A prefetch changes only caches and MSHRs. A prefetch is dropped if no allocation
// contains its address, or if L1 has no room for it.
//
// A load whose previous routine is still due starts none. If the DRAM bus was busy for more than
// prefetch.busy of 256 cycles, no routine begins in the next 256. The routines of a warp are killed
// when the warp ends.
#include "systems/caba/caba.h"

#include "caba_texts.h"  // made of routines/*.isa
#include "systems/systems.h"

#include <string.h>

enum { LOW = 0, MOST_LOADS = 4, REGS = 2 + 2 * MOST_LOADS, CYCLES = 256, NO_LOAD = -1 };

const char *const caba_stride = TEXT_STRIDE;

typedef struct Strides {
    const char *text;
    int nloads;
    int8_t *at;                 // per instruction: number of the load; NO_LOAD
    uint8_t due[SM_MAX_WARPS];  // bit k: a routine of load k waits to begin
    uint32_t lanes[SM_MAX_WARPS][MOST_LOADS];
    WarpSet any_due;
    int turn;  // the warp with priority
    // end of the interval; busy cycles of the DRAM bus at its beginning
    uint64_t until, busy;
    bool held;  // no routine begins
} Strides;

// ---- routines of a kernel ----

static bool make_routine(Sm *sm, Caba *s, int k, int ahead) {
    const Strides *t = s->user;
    const IsaProgram *p = sm->launch->program;
    const IsaInst *load = &p->insts[p->strided[k]];
    const uint8_t live[CABA_LIVES] = {load->src[0].reg};
    const CabaNumber numbers[] = {{"OFFSET", (uint32_t)load->offset},
                                  {"LAST", (uint32_t)(2 + 2 * k)},
                                  {"STRIDE", (uint32_t)(3 + 2 * k)},
                                  {"AHEAD", (uint32_t)ahead}};
    const char *text =
        caba_fill(&sm->kernel_arena, t->text, numbers, sizeof numbers / sizeof *numbers);
    return caba_assemble_one(&sm->kernel_arena, &(CabaRoutine){"stride", ~0u, text}, &s->program[k],
                             sm->diag) &&
        caba_relocate(sm, &s->program[k], caba_aligned(p->home_regs), live, sm->diag);
}

// ---- life ----

static const CabaUse use;

void *caba_prefetch_open(Sm *sm, Arena *arena, const char *text) {
    Strides *t = ARENA_NEW(arena, Strides);
    t->text = text;
    return caba_core_open(sm, arena, &use, t);
}

static void *open_prefetch(Sm *sm, Arena *arena) {
    return caba_prefetch_open(sm, arena, caba_stride);
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    const int n = sm->cfg->prefetch_ahead;
    return !(n & (n - 1)) ||
        diag_fail(d, EXIT_USAGE, "prefetch.ahead must be a power of two, found %d", n);
}

static void launch(Sm *sm, void *self) {
    Caba *s = self;
    Strides *t = s->user;
    const IsaProgram *p = sm->launch->program;
    int ahead = 0;
    caba_core_launch(s);
    while (1 << ahead < sm->cfg->prefetch_ahead) ahead++;
    t->nloads = p->nstrided;
    t->at = ARENA_ARRAY(&sm->kernel_arena, int8_t, p->ninsts);
    memset(t->at, NO_LOAD, (size_t)p->ninsts);
    memset(t->due, 0, sizeof t->due);
    t->any_due = 0;
    t->turn = 0;
    t->until = sm->cycle + CYCLES;
    t->busy = sm->count->v[CTR_DRAM_BUSY];
    t->held = false;
    for (int k = 0; k < p->nstrided; k++) {
        t->at[p->strided[k]] = (int8_t)k;
        if (!make_routine(sm, s, k, ahead)) sm_stop(sm);
    }
}

// ---- begin ----

static void watch_bus(const Sm *sm, Strides *t) {
    if (sm->cycle < t->until) return;
    const uint64_t busy = sm->count->v[CTR_DRAM_BUSY] - t->busy;
    t->held = busy * 100 > (uint64_t)sm->cfg->prefetch_busy * CYCLES;
    t->busy += busy;
    t->until = sm->cycle + CYCLES;
}

static void drop_due(Strides *t, int warp) {
    t->due[warp] = 0;
    t->any_due &= ~warp_bit(warp);
}

// Warps that have ended need no prefetches.
static void before(Sm *sm, Caba *s) {
    Strides *t = s->user;
    watch_bus(sm, t);
    for (WarpSet left = sm->ended; left; left &= left - 1) {
        Assist *a = caba_of(s, LOW, lowest(left));
        drop_due(t, lowest(left));
        if (a->valid && !a->dying) caba_kill(s, a);
    }
}

static void begin(Sm *sm, Caba *s) {
    Strides *t = s->user;
    const WarpSet above = t->any_due & ~(warp_bit(t->turn) - 1);
    for (int half = 0; half < 2; half++)
        for (WarpSet left = half ? t->any_due & ~above : above; left; left &= left - 1) {
            const int warp = lowest(left);
            if (!caba_free(s, warp, LOW)) continue;
            const int k = lowest((uint64_t)t->due[warp]);
            caba_trigger(s, warp, LOW, k, ASSIST_STRIDE, t->lanes[warp][k])->stream.drops = true;
            t->due[warp] &= (uint8_t) ~(1u << k);
            if (!t->due[warp]) t->any_due &= ~warp_bit(warp);
            t->turn = (warp + 1) % SM_MAX_WARPS;
            sm->count->v[CTR_STRIDE_RUNS]++;
            return;
        }
}

static bool none_waits(const Caba *s) { return !((const Strides *)s->user)->any_due; }

static const CabaUse use = {.before = before, .begin = begin, .rests = none_waits};

// ---- events ----

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    Strides *t = ((Caba *)self)->user;
    if (!t->nloads) return;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) {
        sm->count->v[CTR_STRIDE_PREFETCHES] += e->inst->isa->op == ISA_PREFETCH && e->active;
        return;
    }
    const int k = t->at[e->pc];
    if (k == NO_LOAD || !e->active) return;
    if (t->held || t->due[e->warp] >> k & 1) {
        sm->count->v[t->held ? CTR_STRIDE_HELD : CTR_STRIDE_LOST]++;
        return;
    }
    t->due[e->warp] |= (uint8_t)(1u << k);
    t->any_due |= warp_bit(e->warp);
    t->lanes[e->warp][k] = e->active;
}

// If the warp ended in the cycle of its exit, `before` has not seen its end.
static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    drop_due(((Caba *)self)->user, e->warp);
}

static const Listener listener = {.scheduler_class = caba_on_class,
                                  .cycle_end = caba_on_cycle_end,
                                  .begun = caba_on_begun,
                                  .ended = caba_on_ended,
                                  .issued = on_issued,
                                  .warp_end = on_warp_end};

// ---- system ----

static int homes(const Sm *sm, const void *self, int regs) {
    (void)self;
    const int n = sm->launch->program->nstrided;
    return n ? caba_aligned(regs) + 2 + 2 * n : regs;
}

static const Admission admission = {.homes = homes, .rests = caba_rests};
static const char *const blocks[] = {"assist_ctrl", NULL};

const System system_caba_prefetch = {
    .name = "caba-prefetch",
    .what = "assist warps detect strides of loads in loops and prefetch, in idle issue slots",
    .group = SYSTEM_LINES,
    .with = 0,
    .reason = "its assist warps take registers, issue slots and the second stream of the "
              "baseline's warps",
    .compiler = {.reserve = REGS + MOST_LOADS + CABA_ALIGN - 1, .strides = true},
    .blocks = blocks,
    .open = open_prefetch,
    .check = check,
    .launch = launch,
    .hazards = &caba_hazards,
    .stream = &caba_stream,
    .admission = &admission,
    .listener = &listener};
