// SPDX-License-Identifier: Apache-2.0
// The system `scalar`: one thread per CTA runs beside its warps on a scalar unit. This file has the
// blocks, the cycle, admission and the life of threads (specification, rules 1 to 4 and 17). In a
// cycle, after the warps have issued:
//
//     scalar_alloc    starts the thread of the CTA that was dispatched in the previous cycle; frees
//                     the resources of ended threads
//     units           a clock in every scalar.clock-th cycle
//     cta_barrier     arrivals and ends of the cycle, releases
#include "systems/scalar/scalar.h"

#include "sm/stages/decode_stage.h"
#include "systems/systems.h"

#include <string.h>

static const char *const blocks[] = {"scalar_rf", "scalar_collect", "scalar_alloc", "cta_barrier",
                                     NULL};

// ---- units after the first: golden models, because the harness opens one instance of a block ----

typedef struct Golden {
    Block block;
    const BlockModel *model;
    void *state;
} Golden;

static void golden_eval(Block *b) {
    const Golden *g = b->impl;
    g->model->eval(g->state, b->in, b->out);
}

static void golden_tick(Block *b) {
    const Golden *g = b->impl;
    g->model->tick(g->state, b->in);
}

static void golden_reset(Block *b) {
    const Golden *g = b->impl;
    g->model->reset(g->state);
}

static const BlockOps golden_ops = {
    .eval = golden_eval, .tick = golden_tick, .reset = golden_reset};

static Block *golden_open(Arena *arena, const BlockModel *model, const int *params, size_t in,
                          size_t out) {
    Golden *g = ARENA_NEW(arena, Golden);
    g->model = model;
    g->state = model->open(params);
    g->block = (Block){.ops = &golden_ops,
                       .in = arena_alloc(arena, in),
                       .out = arena_alloc(arena, out),
                       .name = model->name,
                       .impl = g};
    golden_reset(&g->block);
    return &g->block;
}

// ---- open ----

void scalar_open_unit(Sm *sm, ScalarUnit *u, int i, Arena *arena) {
    const MachineConfig *cfg = sm->cfg;
    const int file[] = {cfg->scalar_words},
              collect[] = {cfg->scalar_words, cfg->scalar_threads, cfg->scalar_collectors};
    if (i == 0) {
        u->rf = cosim_block(sm->cosim, "scalar_rf");
        u->collect = cosim_block(sm->cosim, "scalar_collect");
    } else {
        u->rf = golden_open(arena, &scalar_rf_model, file, sizeof(ScalarRfIn), sizeof(ScalarRfOut));
        u->collect = golden_open(arena, &scalar_collect_model, collect, sizeof(ScalarCollectIn),
                                 sizeof(ScalarCollectOut));
    }
    u->rf_in = u->rf->in, u->rf_out = u->rf->out;
    u->collect_in = u->collect->in, u->collect_out = u->collect->out;
}

static void add_signals(Sm *sm, Scalar *s, Arena *arena) {
    Cosim *c = sm->cosim;
    for (int i = 0; i < s->nthreads; i++) {
        const char *scope = arena_printf(arena, "sm.scalar.thread%d", i);
        cosim_signal(c, scope, "pc", 32, &s->thread[i].pc);
        cosim_signal(c, scope, "state", 2, &s->thread[i].state);
        cosim_signal(c, scope, "cta", 32, &s->thread[i].linear);
    }
}

static void *open_scalar(Sm *sm, Arena *arena) {
    Scalar *s = ARENA_NEW(arena, Scalar);
    Cosim *c = sm->cosim;
    s->nunits = sm->cfg->scalar_units;
    s->nthreads = sm->cfg->scalar_threads;
    s->flights = ARENA_ARRAY(arena, ThreadFlight, SM_THREAD_FLIGHTS);
    for (int i = 0; i < s->nunits; i++) scalar_open_unit(sm, &s->unit[i], i, arena);
    s->alloc = cosim_block(c, "scalar_alloc"), s->alloc_in = s->alloc->in,
    s->alloc_out = s->alloc->out;
    s->barrier = cosim_block(c, "cta_barrier"), s->barrier_in = s->barrier->in,
    s->barrier_out = s->barrier->out;
    for (int i = 0; blocks[i]; i++) cosim_expect_work(c, blocks[i], false);
    add_signals(sm, s, arena);
    return s;
}

// ---- a kernel begins ----

static bool is_detached(const IsaProgram *p) {
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        const bool access = in->op == ISA_LD || in->op == ISA_ST;
        if (in->op == ISA_BAR || in->op == ISA_ATOM) return false;
        if (access && (in->space == ISA_SHARED || in->space == ISA_GENERIC)) return false;
    }
    return true;
}

static int words_of(const IsaProgram *p) { return p->nregs < 2 ? 2 : (p->nregs + 1) / 2 * 2; }
static int parts_of(const MachineConfig *cfg, const IsaProgram *p) {
    const int parts = cfg->scalar_words / words_of(p);
    return parts < cfg->scalar_threads ? parts : cfg->scalar_threads;
}

static void clear_unit(ScalarUnit *u) {
    u->threads = 0;
    u->collecting = u->executing = u->results = u->arrived = u->loaded = u->queue = (FlightList){0};
    u->nresults = u->nqueue = 0;
    memset(u->free, 0, sizeof u->free);
    u->last_issued = u->last_fetched = 0;
    u->fetching = SM_NONE;
}

static void launch(Sm *sm, void *self) {
    Scalar *s = self;
    const GpuLaunch *l = sm->launch;
    Cosim *c = sm->cosim;
    s->isa = l->program->scalar;
    s->on = s->isa != NULL;
    s->starting = s->begins = SM_NONE;
    s->ending = s->waits_with = s->ready = 0;
    s->alive = s->nnews = s->turn = 0;
    s->clock = 0;
    if (!s->on) return;
    if (!scalar_legal(s->isa, sm->diag) || !decode_program(sm, s->isa, &s->program, sm->diag)) {
        sm_stop(sm);
        return;
    }
    s->place = (InstStream){.insts = s->program.insts, .ninsts = s->program.ninsts};
    s->detached = is_detached(s->isa);
    s->words = words_of(s->isa);
    s->configure = true;
    s->unused = (FlightList){0};
    for (int i = 0; i < SM_THREAD_FLIGHTS; i++) {
        s->flights[i].flight.inst = NULL;
        flight_push(&s->unused, FLIGHT_AT, &s->flights[i].flight);
    }
    for (int i = 0; i < s->nunits; i++) clear_unit(&s->unit[i]);
    for (int i = 0; i < s->nthreads; i++) s->thread[i] = (ScalarThread){.slot = SM_NONE};
    for (int i = 0; i < SM_MAX_CTAS; i++) s->of_slot[i] = SM_NONE, s->with[i] = 0;
    cosim_expect_work(c, "scalar_rf", true);
    cosim_expect_work(c, "scalar_collect", true);
    cosim_expect_work(c, "scalar_alloc", true);
    if (l->program->max_barrier) cosim_expect_work(c, "cta_barrier", true);
}

// ---- threads ----

static void begin_thread(Sm *sm, Scalar *s, int slot, int thread, int base) {
    ScalarThread *t = &s->thread[thread];
    const Cta *cta = &sm->ctas[slot];
    panic_if(t->used, "context %d of a scalar thread is in use", thread);
    *t = (ScalarThread){.used = true,
                        .unit = (int8_t)(slot % s->nunits),
                        .slot = (int8_t)slot,
                        .base = base,
                        .born = s->born++,
                        .linear = (uint32_t)cta->linear,
                        .state = 1};
    memcpy(t->ctaid, cta->id, sizeof t->ctaid);
    t->pred[ISA_PT] = ~0u;
    s->unit[t->unit].threads |= word_bit(thread);
    s->alive++;
    if (!s->detached) s->of_slot[slot] = thread;
    sm->count->v[CTR_SCALAR_THREADS]++;
    notify_thread_begin(
        sm, (ThreadEvent){.thread = thread, .slot = slot, .ctaid = t->ctaid, .program = s->isa});
}

void scalar_thread_ends(Sm *sm, Scalar *s, int thread) {
    ScalarThread *t = &s->thread[thread];
    panic_if(t->all || t->pending, "a scalar thread ends with results outstanding");
    s->unit[t->unit].threads &= ~word_bit(thread);
    if (s->of_slot[t->slot] == thread) {
        s->of_slot[t->slot] = SM_NONE;
        s->barrier_in->scalar_end[t->slot] = 1;
    }
    s->ending |= word_bit(thread);
    s->alive--;
    sm_progress(sm);
    *t = (ScalarThread){.slot = SM_NONE};
}

// ---- the cycle ----

static void idle_inputs(Scalar *s) {
    ScalarAllocIn *a = s->alloc_in;
    a->cfg_valid[0] = a->start_valid[0] = 0;
    memset(a->end_mask, 0, sizeof a->end_mask);
    for (int i = 0; i < s->nunits; i++) {
        ScalarUnit *u = &s->unit[i];
        u->rf_in->en[0] = u->rf_in->rd_valid[0] = u->rf_in->wr_valid[0] = 0;
        u->collect_in->en[0] = u->collect_in->start_valid[0] = u->collect_in->alloc_valid[0] = 0;
        u->collect_in->rd_data_valid[0] = u->collect_in->disp_ready[0] = 0;
    }
}

static void start_thread(Sm *sm, Scalar *s) {
    const int slot = s->starting;
    ScalarUnit *u = &s->unit[slot % s->nunits];
    s->alloc_in->start_valid[0] = 1;
    s->alloc_in->start_unit[0] = (uint32_t)(slot % s->nunits);
    block_eval(s->alloc);
    panic_if(!s->alloc_out->start_grant[0], "the scalar thread of CTA slot %d has no place", slot);
    u->collect_in->start_valid[0] = 1;
    u->collect_in->start_ctx[0] = s->alloc_out->start_ctx[0];
    u->collect_in->start_base[0] = s->alloc_out->start_base[0];
    u->collect_in->start_count[0] = (uint32_t)s->words;
    begin_thread(sm, s, slot, (int)s->alloc_out->start_ctx[0], (int)s->alloc_out->start_base[0]);
    s->starting = SM_NONE;
}

static void place_threads(Sm *sm, Scalar *s) {
    ScalarAllocIn *a = s->alloc_in;
    const bool ended = s->ending != 0;
    for (uint64_t left = s->ending; left; left &= left - 1) a->end_mask[lowest(left)] = 1;
    s->ending = 0;
    if (s->configure) {
        a->cfg_valid[0] = 1;
        a->cfg_words[0] = (uint32_t)s->words;
        a->cfg_parts[0] = (uint32_t)parts_of(sm->cfg, s->isa);
        s->configure = false;
    }
    if (s->starting != SM_NONE) start_thread(sm, s);
    s->placing = s->all || a->cfg_valid[0] || a->start_valid[0] || ended;
    if (s->placing) block_eval(s->alloc);
}

// Without a clock or a thread, no state of a unit changes.
static void clock_units(Sm *sm, Scalar *s) {
    const bool clock = sm->cycle % (unsigned)sm->cfg->scalar_clock == 0;
    for (int i = 0; i < s->nunits; i++) {
        ScalarUnit *u = &s->unit[i];
        u->moves = s->all || (clock && u->threads) || u->collect_in->start_valid[0];
        if (!u->moves) continue;
        block_eval(u->rf);
        block_eval(u->collect);
        if (clock && s->on && !sm->failed) scalar_clock(sm, s, u);
        block_eval(u->rf);
        block_eval(u->collect);
        if (u->collect_out->error[0] && u->collect_in->alloc_valid[0] && !sm->failed)
            sm_fail(sm, EXIT_WRONG_RESULT,
                    "kernel %s: scalar thread %u names a register that it has not",
                    sm->launch->program->name, u->collect_in->alloc_ctx[0]);
    }
    s->clock += clock;
}

// Reads the allocator's offers after the edge: a CTA may start with these in this cycle.
static void read_offers(Scalar *s) {
    s->alloc_in->cfg_valid[0] = s->alloc_in->start_valid[0] = 0;
    memset(s->alloc_in->end_mask, 0, sizeof s->alloc_in->end_mask);
    block_eval(s->alloc);
    s->ready = s->alloc_out->ready[0];
}

static void show_states(Scalar *s) {
    for (int i = 0; i < s->nthreads; i++) {
        ScalarThread *t = &s->thread[i];
        t->state = !t->used ? 0 : t->leaving ? 3 : t->at_barrier ? 2 : 1;
    }
}

static void tick(Sm *sm, void *self) {
    Scalar *s = self;
    if (sm->failed) return;
    s->all = sm->every_cycle || cosim_every_cycle(sm->cosim);
    idle_inputs(s);
    scalar_barrier_begin(s);
    place_threads(sm, s);
    clock_units(sm, s);
    if (sm->failed) return;
    scalar_barrier_cycle(sm, s);
    sm->count->v[CTR_SCALAR_RESIDENT] += (unsigned)s->alive;
    for (int i = 0; i < s->nunits; i++) {
        if (!s->unit[i].moves) continue;
        block_tick(s->unit[i].rf);
        block_tick(s->unit[i].collect);
    }
    if (s->barrier_moves) {
        block_tick(s->barrier);
        scalar_barrier_releases(sm, s);
    }
    show_states(s);
    if (!s->placing) return;
    block_tick(s->alloc);
    read_offers(s);
}

static bool busy(const Sm *sm, const void *self) {
    const Scalar *s = self;
    (void)sm;
    return s->alive || s->configure || s->starting != SM_NONE || s->begins != SM_NONE ||
        s->ending || s->nnews;
}

static const Clocked clock_part = {.tick = tick, .busy = busy};

// ---- admission ----

static uint64_t ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    const Scalar *s = self;
    const IsaProgram *p = sm->launch->program->scalar;
    (void)need;
    if (!p) return UINT64_MAX;
    const int parts = parts_of(sm->cfg, p), most = parts * s->nunits;
    const bool contexts = sm->cfg->scalar_threads < most || parts == sm->cfg->scalar_threads;
    *limit = contexts
        ? (CtaLimit){"scalar threads", "context of a scalar thread", "contexts", 1,
                     (uint64_t)sm->cfg->scalar_threads}
        : (CtaLimit){"scalar registers", "scalar registers", "scalar registers in a unit",
                     (uint64_t)words_of(p), (uint64_t)sm->cfg->scalar_words};
    return (uint64_t)(most < sm->cfg->scalar_threads ? most : sm->cfg->scalar_threads);
}

static bool has_news(const Scalar *s, int slot) {
    for (int i = 0; i < s->nnews; i++)
        if (s->news[(s->first_news + i) % SCALAR_NEWS].arrival.slot == slot) return true;
    return false;
}

// Waits until the slot's own thread has ended, and a context and registers are free.
static bool may_start(const Sm *sm, const void *self, int slot) {
    const Scalar *s = self;
    if (!s->on) return true;
    const bool may =
        s->ready >> slot % s->nunits & 1 && s->of_slot[slot] == SM_NONE && !has_news(s, slot);
    sm->count->v[CTR_SCALAR_START_WAITS] += !may;
    return may;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    Scalar *s = self;
    if (!s->on || sm->warps[warp].number) return;
    const int slot = sm->warps[warp].cta;
    s->starting = s->begins = slot;
    s->live[slot] = (uint32_t)sm->warps_per_cta;
}

static bool rests(const Sm *sm, const void *self) {
    const Scalar *s = self;
    (void)sm;
    return !s->on || !(s->alive || s->starting != SM_NONE || s->ending || s->nnews);
}

static const Admission admission = {
    .ctas = ctas, .may_start = may_start, .warp_begins = warp_begins, .rests = rests};

// ---- the CTA ends ----

// scalar.kill: a detached thread has no further effect on its ended CTA.
static void on_cta_end(Sm *sm, void *self, const CtaEvent *e) {
    Scalar *s = self;
    for (int i = 0; s->on && s->detached && sm->cfg->scalar_kill && i < s->nthreads; i++) {
        ScalarThread *t = &s->thread[i];
        if (t->used && t->slot == e->slot && t->linear == (uint32_t)sm->ctas[e->slot].linear)
            t->leaving = true;
    }
}

// Counts clocks in which a unit has no thread.
static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    Scalar *s = self;
    (void)e;
    if (!s->on || sm->cycle % (unsigned)sm->cfg->scalar_clock) return;
    for (int i = 0; i < s->nunits; i++) {
        sm->count->v[CTR_SCALAR_IDLE] += !s->unit[i].has_counted;
        s->unit[i].has_counted = false;
    }
}

static const Listener listener = {.cta_end = on_cta_end, .cycle_end = on_cycle_end};

// ---- a paradigm by its name ----

static bool set_paradigm(MachineConfig *cfg, int paradigm, const char *name, Diag *d) {
    static const char *const names[] = {"none", "prefetch", "divergence", "extract", "auto"};
    if (cfg->scalar_paradigm != PARADIGM_AUTO && cfg->scalar_paradigm != paradigm)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: found scalar.paradigm=%s, expected auto or no value: the "
                         "architecture's name selects the paradigm",
                         name, names[cfg->scalar_paradigm]);
    cfg->scalar_paradigm = paradigm;
    return true;
}

static bool only_prefetch(MachineConfig *cfg, Diag *d) {
    return set_paradigm(cfg, PARADIGM_PREFETCH, "scalar-prefetch", d);
}
static bool only_divergence(MachineConfig *cfg, Diag *d) {
    return set_paradigm(cfg, PARADIGM_DIVERGENCE, "scalar-divergence", d);
}
static bool only_extract(MachineConfig *cfg, Diag *d) {
    return set_paradigm(cfg, PARADIGM_EXTRACT, "scalar-extract", d);
}

#define SCALAR_SYSTEM(system_name, says, of_machine) \
    { \
        .name = system_name, .what = says, .group = SYSTEM_SCALAR, \
        .with = SYSTEM_FILE | SYSTEM_RFV | SYSTEM_BOW | SYSTEM_REGMUTEX, \
        .reason = "other systems do not handle its barriers and its accesses without a warp", \
        .compiler = {.beside = true}, .blocks = blocks, .summary = summary_scalar, \
        .figures = figures_scalar, .open = open_scalar, .launch = launch, .machine = of_machine, \
        .admission = &admission, .source = &scalar_source, .barrier = &scalar_barriers, \
        .clock = &clock_part, .listener = &listener \
    }

const System system_scalar =
    SCALAR_SYSTEM("scalar", "one thread per CTA runs on a scalar unit beside the warps", NULL);
const System system_scalar_prefetch =
    SCALAR_SYSTEM("scalar-prefetch", "scalar whose threads only prefetch", only_prefetch);
const System system_scalar_divergence =
    SCALAR_SYSTEM("scalar-divergence", "scalar whose threads only regroup items of divergent loops",
                  only_divergence);
const System system_scalar_extract = SCALAR_SYSTEM(
    "scalar-extract", "scalar whose threads only execute single-thread bodies", only_extract);
