// SPDX-License-Identifier: Apache-2.0
// Life of a kernel on the SM, and the cycle.
#include "sm/arch.h"
#include "sm/core.h"

#include <stdlib.h>
#include <string.h>

// What the operand collector's table of a run that ended early leaves behind must not reach the next one.
enum { STOP_CHECK_CYCLES = 1024 };

void sm_fail(Sm *sm, ExitStatus status, const char *format, ...) {
    char text[sizeof sm->diag->text];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    diag_fail(sm->diag, status, "%s", text);
    sm->failed = true;
}

// ---- open, close ----

const char *const *gpu_blocks(const struct Arch *arch) {
    return arch ? arch->path->blocks : path_baseline.blocks;
}

static bool check_machine(const MachineConfig *cfg, Diag *d) {
    if (cfg->oc_dispatch_ports < 3)
        return diag_fail(d, EXIT_USAGE, "oc.dispatch_ports is %d, expected at least 3: SP, SFU, LD/ST",
                         cfg->oc_dispatch_ports);
    if (cfg->rf_write_ports > RF_MAX_WR || cfg->oc_collectors > OC_MAX_COLL || cfg->sm_schedulers > SM_MAX_SCHED)
        return diag_fail(d, EXIT_USAGE, "the machine has more write ports, collectors or schedulers than the blocks "
                         "allow (%d, %d, %d)", RF_MAX_WR, OC_MAX_COLL, SM_MAX_SCHED);
    return true;
}

static void sm_open(Sm *sm, Gpu *g, Arena *arena) {
    const MachineConfig *cfg = g->options.cfg;
    sm->gpu = g;
    sm->cfg = cfg;
    sm->count = &g->counters;
    sm->path = g->options.arch ? g->options.arch->path : &path_baseline;
    sm->path_state = sm->path->open(sm, arena, &sm->ports);
    sm->watch = g->options.hooks != NULL;
    sm->waves = cosim_waves(g->options.cosim);
    sm->every_cycle = g->options.idle == GPU_IDLE_CLOCK ||
                      (g->options.idle == GPU_IDLE_CLOCK_RTL && cosim_runs_rtl(g->options.cosim));
    sm->nports = cfg->oc_dispatch_ports < SM_MAX_PORTS ? cfg->oc_dispatch_ports : SM_MAX_PORTS;
    sm->ldst_port = sm->nports - 1;
    sm->sfu_port = sm->nports - 2;
    sm->sfu_share = (cfg->oc_collectors * cfg->oc_sfu_share + 99) / 100;
    sm->mem_share = (cfg->oc_collectors * cfg->oc_mem_share + 99) / 100;
    sm->policy = &sched_policies[cfg->sm_scheduler];
    icache_open(sm, arena);
    sm->flights = aligned_alloc(64, SM_FLIGHTS * sizeof *sm->flights);
    sm->shared = calloc(1, (size_t)cfg->shared_bytes + 128);
    panic_if(!sm->flights || !sm->shared, "out of memory");
    memset(sm->flights, 0, SM_FLIGHTS * sizeof *sm->flights);
    for (int i = 0; i < cfg->sm_schedulers; i++)
        for (int w = i; w < cfg->sm_warps; w += cfg->sm_schedulers) sm->sched[i].mine |= bit64(w);
}

Gpu *gpu_open(Arena *arena, const GpuOptions *options, Diag *d) {
    if (!check_machine(options->cfg, d)) return NULL;
    Gpu *g = ARENA_NEW(arena, Gpu);
    g->options = *options;
    sm_open(&g->sm, g, arena);
    if (g->sm.path->check && !g->sm.path->check(&g->sm, d)) {
        free(g->sm.flights);
        free(g->sm.shared);
        return NULL;
    }
    Counters *counters[1] = {&g->counters};
    g->mem = mem_open(options->cfg, 1, counters);
    mem_on_perform(g->mem, ldst_perform, g);
    if (g->sm.path->early) mem_look_ahead(g->mem, g->sm.port);
    if (options->check_retire) {
        g->sm.retire = retire_open(arena, options->cfg->sm_warps, options->cfg->sm_ctas,
                                   (size_t)options->cfg->shared_bytes, SM_FLIGHTS,
                                   options->cfg->rf_banks * options->cfg->rf_entries);
    }
    cosim_set_decode(options->cosim, explain_mismatch, &g->sm);
    view_register(&g->sm, options->cosim);
    cosim_reset(options->cosim);
    return g;
}

void gpu_close(Gpu *g) {
    if (!g) return;
    Sm *sm = &g->sm;
    if (sm->retire) retire_close(sm->retire);
    mem_close(g->mem);
    free(sm->flights);
    free(sm->shared);
    free(sm->local);
    arena_free(&sm->kernel_arena);
    arena_free(&sm->names);
}

void gpu_quiet(Gpu *g) {
    g->options.hooks = NULL;
    g->options.print_to = NULL;
    g->sm.watch = false;
}

// ---- the cycle ----

// Words for a difference between RTL and golden model are found while the collectors' contents are known.
static void look_for_mismatch(Sm *sm) {
    const Mismatch *m = cosim_mismatch(sm->gpu->options.cosim);
    if (m && !sm->explained) explain_remember(sm, m);
}

// Golden models without work need not be evaluated: no collector or entry register busy, no result at a write port,
// none of both in the last two cycles. Their outputs are then what they were, and no clock edge would change their
// state. Of RTL that is not taken for granted.
static bool blocks_have_work(const Sm *sm) {
    return sm->every_cycle || sm->busy_slots || sm->entries || sm->nalloc || sm->ports.wr_valid[0] ||
           (sm->path->busy && sm->path->busy(sm)) || cosim_every_cycle(sm->gpu->options.cosim);
}

static void blocks_tick(Sm *sm, bool evaluated) {
    bool work = blocks_have_work(sm);
    if (!evaluated && !work) return;
    if (!evaluated) {  // the first instruction after an idle time has just been allocated
        sm->path->eval(sm);
        look_for_mismatch(sm);
    }
    sm->path->tick(sm);
    sm->awake = work ? 2 : sm->awake - 1;
}

// Stages run in reverse order, so that each sees what the stage behind it freed in this cycle and its own
// product is seen one cycle later: no latch needs a second copy. Between them stand the blocks of the
// register path, which take their inputs at the clock edge at the end.
static void sm_cycle(Sm *sm) {
    sm->waves = cosim_waves(sm->gpu->options.cosim);  // may begin in the middle of a run
    sm->nalloc = 0;
    sm->ports.alloc_valid[0] = 0;
    ldst_completions(sm);
    writeback_stage(sm);
    bool evaluate = sm->awake || blocks_have_work(sm);
    if (evaluate) {
        sm->path->eval(sm);
        look_for_mismatch(sm);
        writeback_taken(sm);
        sm->path->wires(sm);
        dispatch_stage(sm);
    }
    collect_stage(sm);
    if (!sm->failed) issue_stage(sm);
    if (sm->failed) return;  // the run ends with this cycle, whatever state the error left behind
    if (sm->watch || sm->waves) view_cycle(sm);
    blocks_tick(sm, evaluate);
    decode_stage(sm);
    fetch_stage(sm);
    ldst_stage(sm);
    cta_dispatch(sm);
}

static void check_invariants(const Sm *sm) {
    panic_if(sm->ready & ~sm->has_inst & ~sm->dirty, "a warp without instruction is ready");
    panic_if(sm->busy_slots < 0 || sm->busy_slots > sm->cfg->oc_collectors, "%d collectors are busy", sm->busy_slots);
    panic_if((sm->ended | sm->at_barrier | sm->has_inst | sm->control) & ~sm->resident, "an empty warp slot is in use");
    panic_if(sm->nflights < 0 || sm->nflights > SM_FLIGHTS, "%d instructions in flight", sm->nflights);
}

static void cycle(Gpu *g) {
    Sm *sm = &g->sm;
    Cosim *c = g->options.cosim;
    sm_cycle(sm);
    cosim_lap(c, TIME_SM);
    mem_cycle(g->mem);
    cosim_lap(c, TIME_MEM);
    if (!sm->failed) check_invariants(sm);
    g->counters.v[CTR_CYCLES]++;
    g->counters.v[CTR_WARPS_RESIDENT] += (unsigned)sm->nwarps_resident;
    const unsigned physical = sm->path->used ? sm->path->used(sm) : 0;
    const unsigned architected = (unsigned)(sm->nwarps_resident * sm->launch->program->nregs);
    g->counters.v[CTR_PHYS_USED] += physical;
    g->counters.v[CTR_ARCH_USED] += architected;
    if (sm->watch && sm_hooks(sm)->registers)
        sm_hooks(sm)->registers(sm_hooks(sm)->ctx, sm->cycle, architected, physical);
    cosim_lap(c, TIME_SM);
    cosim_cycle(c, sm->cycle);
    sm->cycle++;
}

// ---- a kernel ----

static void clear_kernel_state(Sm *sm) {
    sm->resident = sm->ended = sm->has_inst = sm->ready = sm->dirty = 0;
    sm->at_barrier = sm->control = sm->asleep = sm->long_wait = 0;
    sm->head_sp = sm->head_sfu = sm->head_ldst = sm->head_free = 0;
    sm->fetch_empty = sm->fetch_room = 0;
    sm->fetch_out = sm->fetch_line = sm->fetch_came = sm->fetch_const = sm->const_came = 0;
    sm->nfetches = sm->rotate_fetch = 0;
    icache_launch(sm);
    sm->nwarps_resident = 0;
    sm->busy_slots = sm->sfu_waiting = sm->mem_waiting = sm->pipe_first = sm->pipe_count = 0;
    sm->wheel_count = sm->queue_count = 0;
    sm->entries = 0;
    sm->late_preds = SM_NONE;
    sm->awake = 2;
    sm->w_texts = NULL;
    sm->progress = sm->cycle;
    sm->failed = false;
    memset(sm->ctas, 0, sizeof sm->ctas);
    for (int i = 0; i < SM_MAX_SCHED; i++) {
        Scheduler *s = &sm->sched[i];
        s->last = s->second = SM_NONE;
        s->active = 0;
        s->rotate = s->norder = 0;
        s->issued_word = 255;
        sm->sched_order[i] = (uint8_t)i;
    }
    for (int i = 0; i < OC_MAX_COLL; i++) sm->slot[i].flight = SM_NONE;
    for (int i = 0; i < SM_MAX_PORTS; i++) sm->unit_free[i] = 0;
    for (int i = 0; i < SM_WHEEL; i++) sm->wheel_first[i] = SM_NONE;
    for (int i = 0; i < RF_MAX_WR; i++) {
        sm->write_port[i].flight = SM_NONE;
        sm->nwriting[i] = 0;
    }
    sm->free_flight = SM_NONE;
    for (int i = SM_FLIGHTS - 1; i >= 0; i--) {
        sm->flights[i].inst = NULL;
        sm->flights[i].next = sm->free_flight;
        sm->free_flight = i;
    }
    sm->nflights = 0;
}

// Shared and local memory start from zero, so that a kernel which reads what it never wrote is at least
// deterministic.
static void clear_memories(Sm *sm) {
    memset(sm->shared, 0, (size_t)sm->cfg->shared_bytes);
    sm->local_bytes = (uint32_t)sm->launch->program->local_bytes;
    sm->frame_words = (sm->local_bytes + 3) / 4;
    size_t words = (size_t)sm->frame_words * ISA_LANES * (size_t)(sm->cta_limit * sm->warps_per_cta);
    if (words > sm->local_words) {
        free(sm->local);
        sm->local = malloc(words * sizeof *sm->local);
        panic_if(!sm->local, "out of memory for %zu words of local memory", words);
        sm->local_words = words;
    }
    if (words) memset(sm->local, 0, words * sizeof *sm->local);
}

static bool launch_retire(Sm *sm, Diag *d) {
    if (!sm->retire) return true;
    const GpuLaunch *l = sm->launch;
    RetireLaunch r = {.program = l->program, .params = l->params, .memory = sm->gpu->options.memory,
                      .warps_per_cta = sm->warps_per_cta, .places = sm->layout,
                      .shared_bytes = l->shared_bytes};
    if (l->layout) {
        r.const_image = l->layout->const_image;
        r.const_bytes = l->layout->const_bytes;
    }
    memcpy(r.grid, l->grid, sizeof r.grid);
    memcpy(r.block, l->block, sizeof r.block);
    return retire_launch(sm->retire, &r, d);
}

static bool finished(const Gpu *g) {
    return g->ctas_done == g->ncta && g->sm.nflights == 0 && mem_idle(g->mem);
}

static bool run_loop(Gpu *g, Diag *d) {
    Sm *sm = &g->sm;
    const MachineConfig *cfg = sm->cfg;
    uint64_t most = g->options.max_cycles ? g->options.max_cycles : (uint64_t)cfg->run_max_cycles;
    if (!most) most = 2000000000ull;
    uint64_t start = sm->cycle;
    while (!finished(g)) {
        cycle(g);
        if (sm->failed) return false;
        if (cosim_mismatch(g->options.cosim) && cosim_should_stop(g->options.cosim)) return true;
        if (sm->cycle % STOP_CHECK_CYCLES == 0 && g->options.stop && *g->options.stop)
            return diag_fail(d, EXIT_INTERRUPTED, "interrupted in cycle %llu of kernel %s",
                             (unsigned long long)(sm->cycle - start), sm->launch->program->name);
        if (sm->cycle - start >= most && !finished(g)) {
            char what[96];
            snprintf(what, sizeof what, "did not end within %llu cycles", (unsigned long long)most);
            explain_hang(sm, what);
            return false;
        }
        if (sm->cycle - sm->progress > (uint64_t)cfg->run_progress_cycles) {
            char what[96];
            snprintf(what, sizeof what, "made no progress for %d cycles", cfg->run_progress_cycles);
            explain_hang(sm, what);
            return false;
        }
    }
    return true;
}

bool gpu_run(Gpu *g, const GpuLaunch *launch, Diag *d) {
    Sm *sm = &g->sm;
    panic_if(sm->failed, "gpu_run after a run that failed");
    if (cosim_should_stop(g->options.cosim)) return true;  // the blocks are in the middle of another kernel
    g->launch = *launch;
    sm->launch = &g->launch;
    sm->diag = d;
    arena_free(&sm->kernel_arena);
    g->next_cta = g->ctas_done = 0;
    g->info = (GpuKernelInfo){.name = launch->program->name, .regs_per_thread = launch->program->nregs};
    if (!cta_plan(sm, d) || !sm_decode(sm, d)) return false;
    clear_kernel_state(sm);
    clear_memories(sm);
    if (sm->path->launch) sm->path->launch(sm);
    if (!launch_retire(sm, d)) return false;
    g->info.warps_per_cta = sm->warps_per_cta;
    g->info.threads_per_cta = sm->threads_per_cta;
    g->info.shared_per_cta = sm->shared_per_cta;
    g->info.ctas_per_sm = sm->cta_limit;
    Counters before = g->counters;
    bool ok = run_loop(g, d);
    if (ok && sm->retire && !cosim_mismatch(g->options.cosim)) ok = retire_end(sm->retire, d);
    mem_flush_l1(g->mem, sm->port);
    g->info.ctas = g->ctas_done;
    g->info.cycles = g->counters.v[CTR_CYCLES] - before.v[CTR_CYCLES];
    g->info.warp_insts = g->counters.v[CTR_WARP_INSTS] - before.v[CTR_WARP_INSTS];
    g->info.thread_insts = g->counters.v[CTR_THREAD_INSTS] - before.v[CTR_THREAD_INSTS];
    if (!ok) sm->failed = true;
    return ok;
}

// ---- results ----

const GpuKernelInfo *gpu_kernel_info(const Gpu *g) { return &g->info; }
const Counters *gpu_counters(const Gpu *g) { return &g->counters; }
uint64_t gpu_cycle(const Gpu *g) { return g->sm.cycle; }
uint64_t gpu_retire_compared(const Gpu *g) { return g->sm.retire ? retire_compared(g->sm.retire) : 0; }
