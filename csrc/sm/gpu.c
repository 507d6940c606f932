// SPDX-License-Identifier: Apache-2.0
// Life of the SM: opened for an architecture, kernels one after the other, closed.
#include "sm/cycle.h"
#include "sm/listeners/explain.h"
#include "sm/listeners/listeners.h"
#include "sm/parts/hazards.h"
#include "sm/parts/order.h"
#include "sm/stages/barrier.h"
#include "sm/stages/cta.h"
#include "sm/stages/decode.h"
#include "sm/stages/execute.h"
#include "sm/stages/fetch.h"
#include "sm/stages/icache.h"
#include "sm/stages/issue.h"
#include "sm/stages/ldst.h"
#include "sm/stages/sched.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"
#include "sm/systems/banked_path.h"

#include <stdlib.h>
#include <string.h>

enum { STOP_CHECK_CYCLES = 1024 };  // between looks at options.stop
enum { REST_CYCLES = 100000 };      // more than all registers of all warps need to be freed one by one

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

const char *const *gpu_blocks(const Arch *arch) { return arch ? arch->blocks : path_banked.blocks; }
CosimShape *gpu_shape(const Arch *arch) { return arch ? arch->path->shape : path_banked.shape; }

static bool check_machine(const MachineConfig *cfg, Diag *d) {
    if (cfg->oc_dispatch_ports < 3)
        return diag_fail(d, EXIT_USAGE, "oc.dispatch_ports is %d, expected at least 3: SP, SFU, LD/ST",
                         cfg->oc_dispatch_ports);
    if (cfg->sm_schedulers > SM_MAX_SCHED)
        return diag_fail(d, EXIT_USAGE, "sm.schedulers is %d, expected at most %d", cfg->sm_schedulers, SM_MAX_SCHED);
    return true;
}

static void stages_open(Sm *sm, Arena *arena) {
    sched_open(sm);
    fetch_open(sm, arena);
    icache_open(sm, arena);
    hazards_bind(sm, &scoreboard, scoreboard_open(sm, arena));
    order_open(sm, arena);
    issue_open(sm, arena);
    execute_open(sm, arena);
    units_open(sm, arena);
    ldst_open(sm, arena);
    barrier_open(sm, arena);
    writeback_open(sm, arena);
    flights_open(sm, arena);
    explain_open(sm, arena);
}

static void sm_open(Sm *sm, Gpu *g, Arena *arena) {
    const MachineConfig *cfg = g->options.cfg;
    sm->gpu = g;
    sm->cfg = cfg;
    sm->count = &g->counters;
    path_open(sm, arena);
    sm->every_cycle = g->options.idle == GPU_IDLE_CLOCK ||
                      (g->options.idle == GPU_IDLE_CLOCK_RTL && cosim_runs_rtl(g->options.cosim));
    stages_open(sm, arena);
    sm->shared = calloc(1, (size_t)cfg->shared_bytes + 128);
    panic_if(!sm->shared, "out of memory");
}

static void listen(Sm *sm, Arena *arena) {
    const GpuOptions *o = &sm->gpu->options;
    if (o->check_retire) sm->retire = retire_listen(sm, arena);
    if (o->hooks) sm->trace = trace_listen(sm, arena, o->hooks);
    statistics_listen(sm, arena);
    if (sm->cfg->stats_reuse) reuse_listen(sm, arena);
    view_listen(sm, arena);
}

Gpu *gpu_open(Arena *arena, const GpuOptions *options, Diag *d) {
    if (!check_machine(options->cfg, d)) return NULL;
    Gpu *g = ARENA_NEW(arena, Gpu);
    g->options = *options;
    if (options->arch) g->arch = *options->arch;
    else if (!arch_of(&g->arch, NULL, 0, d)) return NULL;
    sm_open(&g->sm, g, arena);
    if (!path_check(&g->sm, d)) {
        free(g->sm.shared);
        return NULL;
    }
    Counters *counters[1] = {&g->counters};
    g->mem = mem_open(options->cfg, 1, counters);
    mem_on_perform(g->mem, ldst_perform, g);
    if (g->sm.path->early) mem_look_ahead(g->mem, g->sm.port);
    listen(&g->sm, arena);
    cosim_set_decode(options->cosim, explain_mismatch, &g->sm);
    if (!systems_open(&g->sm, arena, d)) return gpu_close(g), NULL;
    cosim_reset(options->cosim);
    return g;
}

void gpu_close(Gpu *g) {
    if (!g) return;
    Sm *sm = &g->sm;
    if (sm->retire) retire_unlisten(sm->retire);
    mem_close(g->mem);
    free(sm->shared);
    free(sm->local);
    arena_free(&sm->kernel_arena);
    view_unlisten(sm);
}

void gpu_quiet(Gpu *g) {
    g->options.print_to = NULL;
    if (g->sm.trace) events_unsubscribe(&g->sm, g->sm.trace);
}

// ---- a kernel ----

static void clear_kernel_state(Sm *sm) {
    sm->resident = sm->ended = sm->has_inst = sm->ready = sm->dirty = 0;
    sm->at_barrier = sm->control = sm->asleep = sm->long_wait = sm->parked = sm->away = sm->halted = sm->held = 0;
    memset(sm->head, 0, sizeof sm->head);
    sm->nwarps_resident = 0;
    sm->awake = 2;
    sm->progress = sm->cycle;
    sm->failed = false;
    memset(sm->ctas, 0, sizeof sm->ctas);
    sm->ctas_used = 0;
    flights_launch(sm);
    sched_launch(sm);
    fetch_launch(sm);
    issue_launch(sm);
    execute_launch(sm);
    ldst_launch(sm);
    barrier_launch(sm);
    writeback_launch(sm);
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

static bool finished(const Gpu *g) {
    return g->ctas_done == g->ncta && g->sm.nflights == 0 && mem_idle(g->mem) && admission_rests(&g->sm);
}

static bool run_loop(Gpu *g, Diag *d) {
    Sm *sm = &g->sm;
    const MachineConfig *cfg = sm->cfg;
    uint64_t most = g->options.max_cycles ? g->options.max_cycles : (uint64_t)cfg->run_max_cycles;
    if (!most) most = 2000000000ull;
    uint64_t start = sm->cycle;
    while (!finished(g)) {
        gpu_cycle_once(g);
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
    g->info = (GpuKernelInfo){.name = launch->program->name, .regs_per_thread = launch->program->home_regs};
    if (!cta_plan(sm, d) || !decode_program(sm, sm->launch->program, &sm->program, d)) return false;
    clear_kernel_state(sm);
    clear_memories(sm);
    path_launch(sm);
    units_launch(sm);
    systems_launch(sm);
    notify_kernel_begin(sm, (KernelEvent){true});
    if (sm->failed) return false;
    g->info.warps_per_cta = sm->warps_per_cta;
    g->info.threads_per_cta = sm->threads_per_cta;
    g->info.shared_per_cta = sm->shared_per_cta;
    g->info.ctas_per_sm = sm->cta_limit;
    Counters before = g->counters;
    bool ok = run_loop(g, d);
    notify_kernel_end(sm, (KernelEvent){ok && !cosim_mismatch(g->options.cosim)});
    ok = ok && !sm->failed;
    mem_flush_l1(g->mem, sm->port);
    g->info.ctas = g->ctas_done;
    g->info.cycles = g->counters.v[CTR_CYCLES] - before.v[CTR_CYCLES];
    g->info.warp_insts = g->counters.v[CTR_WARP_INSTS] - before.v[CTR_WARP_INSTS];
    g->info.thread_insts = g->counters.v[CTR_THREAD_INSTS] - before.v[CTR_THREAD_INSTS];
    if (!ok) sm->failed = true;
    return ok;
}

// No counter counts these cycles.
bool gpu_finish(Gpu *g, Diag *d) {
    Sm *sm = &g->sm;
    Cosim *c = g->options.cosim;
    if (!sm->path->at_rest || sm->failed || cosim_mismatch(c)) return true;
    const Counters counters = g->counters;
    sm->diag = d;
    for (uint64_t i = 0; !sm->path->at_rest(sm, sm->path_self) && !sm->failed && !cosim_mismatch(c); i++) {
        if (i == REST_CYCLES)
            sm_fail(sm, EXIT_HANG, "registers are still being freed %d cycles after the last kernel", REST_CYCLES);
        gpu_cycle_path(g, sm->cycle + i);
    }
    g->counters = counters;
    return !sm->failed;
}

// ---- results ----

const GpuKernelInfo *gpu_kernel_info(const Gpu *g) { return &g->info; }
const Counters *gpu_counters(const Gpu *g) { return &g->counters; }
uint64_t gpu_cycle(const Gpu *g) { return g->sm.cycle; }
uint64_t gpu_retire_compared(const Gpu *g) { return g->sm.retire ? retire_listener_compared(g->sm.retire) : 0; }
