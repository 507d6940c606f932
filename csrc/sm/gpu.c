// SPDX-License-Identifier: Apache-2.0
// The SMs' life: they are opened for an architecture, run one kernel after another, and are closed.
#include "launch/device_heap.h"
#include "sm/crew.h"
#include "sm/line_counts.h"
#include "sm/cycle.h"
#include "sm/listeners/explain_state.h"
#include "sm/listeners/listeners.h"
#include "sm/parts/hazards.h"
#include "sm/parts/order.h"
#include "sm/parts/barrier_state.h"
#include "sm/stages/cta.h"
#include "sm/stages/decode_stage.h"
#include "sm/stages/execute.h"
#include "sm/stages/fetch.h"
#include "sm/stages/icache.h"
#include "sm/stages/issue.h"
#include "sm/stages/ldst.h"
#include "sm/stages/sched_stage.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"
#include "sm/sm_quantum.h"

#include <stdlib.h>
#include <string.h>

enum { STOP_CHECK_CYCLES = 1024 };  // cycles between checks of options.stop
// more cycles than needed to free all registers of all warps one by one
enum { REST_CYCLES = 100000 };

// ---- open, close ----

static bool check_machine(const MachineConfig *cfg, Diag *d) {
    if (cfg->oc_dispatch_ports < 3)
        return diag_fail(d, EXIT_USAGE,
                         "oc.dispatch_ports is %d, expected at least 3: SP, SFU, LD/ST",
                         cfg->oc_dispatch_ports);
    if (cfg->sm_schedulers > SM_MAX_SCHED)
        return diag_fail(d, EXIT_USAGE, "sm.schedulers is %d, expected at most %d",
                         cfg->sm_schedulers, SM_MAX_SCHED);
    return true;
}

bool gpu_check(const Arch *arch, const MachineConfig *cfg, int sms, Diag *d) {
    if (sms < 2) return true;
    if (sms > cfg->sm_count_gpu)
        return diag_fail(d, EXIT_USAGE, "--sms %d: the machine has %d (gpu.sms)", sms,
                         cfg->sm_count_gpu);
    for (int i = 0; i < arch->n; i++)
        if (arch->systems[i]->codec)
            return diag_fail(d, EXIT_USAGE,
                             "--sms %d: with %s only one SM can compress and read the lines of L2 "
                             "and DRAM, expected --sms 1",
                             sms, arch->systems[i]->name);
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
    units_open(sm, arena, &ldst_unit);
    ldst_open(sm, arena);
    barrier_open(sm, arena);
    writeback_open(sm, arena);
    flights_open(sm, arena);
    explain_open(sm, arena);
}

static void sm_open(Sm *sm, Gpu *g, int number, Arena *arena) {
    const MachineConfig *cfg = g->options.cfg;
    sm->gpu = g;
    sm->cfg = cfg;
    sm->few = cfg->sm_warps <= 64;
    sm->port = number;
    sm->cosim = g->options.cosims ? g->options.cosims[number] : g->options.cosim;
    sm->count = g->near ? &g->near[number].of : &g->counters;
    sm->memory = g->options.memory;
    if (g->nsms > 1) quantum_open(sm, arena);
    path_open(sm, arena);
    sm->every_cycle = g->options.idle == GPU_IDLE_CLOCK ||
        (g->options.idle == GPU_IDLE_CLOCK_RTL && cosim_runs_rtl(sm->cosim));
    stages_open(sm, arena);
    sm->shared = calloc(1, (size_t)cfg->shared_bytes + 128);
    panic_if(!sm->shared, "out of memory");
}

static void add_listeners(Sm *sm, Arena *arena) {
    const GpuOptions *o = &sm->gpu->options;
    if (o->check_retire) sm->retire = retire_listen(sm, arena);
    if (sm->retire && sm->quantum) retire_listen_apart(sm->retire, arena, sm->gpu->sms[0].retire);
    if (o->hooks && sm->port == o->shown) sm->trace = trace_listen(sm, arena, o->hooks);
    if (sm->cfg->stats_reuse) reuse_listen(sm, arena);
    if (o->count_lines) sm->lines = lines_listen(sm, arena);
    view_listen(sm, arena);
}

// The memory system that the SMs share, and each SM's connection to it.
static void memory_open(Gpu *g) {
    Counters *near[GPU_MAX_SMS] = {&g->counters}, *far[GPU_MAX_SMS];
    for (int i = 0; g->near && i < g->nsms; i++) near[i] = &g->near[i].of, far[i] = &g->far[i].of;
    g->mem = g->nsms > 1 ? mem_open_apart(g->options.cfg, g->nsms, near, far)
                         : mem_open(g->options.cfg, 1, near);
    mem_on_perform(g->mem, ldst_perform, g);
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        sm->mem = g->nsms > 1 ? mem_near(g->mem, i) : g->mem;
        if (sm->path->early) mem_look_ahead(sm->mem, sm->port);
    }
}

static bool open_sms(Gpu *g, Arena *arena, Diag *d) {
    for (int i = 0; i < g->nsms; i++) sm_open(&g->sms[i], g, i, arena);
    if (!path_check(&g->sms[0], d)) return false;
    memory_open(g);
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        add_listeners(sm, arena);
        cosim_set_decode(sm->cosim, explain_mismatch, sm);
        if (!systems_open(sm, arena, d)) return false;
        cosim_reset(sm->cosim);
    }
    return true;
}

Gpu *gpu_open(Arena *arena, const GpuOptions *options, Diag *d) {
    if (!check_machine(options->cfg, d)) return NULL;
    Gpu *g = ARENA_NEW(arena, Gpu);
    g->options = *options;
    g->nsms = options->sms > 1 ? options->sms : 1;
    panic_if(g->nsms > GPU_MAX_SMS, "%d SMs", g->nsms);
    g->arch = *options->arch;
    if (!gpu_check(&g->arch, options->cfg, g->nsms, d)) return NULL;
    g->sms = ARENA_ARRAY(arena, Sm, g->nsms);
    if (g->nsms > 1) {
        g->near = ARENA_ARRAY(arena, CountersApart, g->nsms);
        g->far = ARENA_ARRAY(arena, CountersApart, g->nsms);
    }
    if (g->nsms > 1) quanta_open(g, arena);
    if (open_sms(g, arena, d)) return g;
    gpu_close(g);
    return NULL;
}

void gpu_close(Gpu *g) {
    if (!g) return;
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        if (sm->retire) retire_unlisten(sm->retire);
        free(sm->shared);
        free(sm->local);
        arena_free(&sm->kernel_arena);
        view_unlisten(sm);
    }
    mem_close(g->mem);
    crew_close(g->crew);
}

void gpu_quiet(Gpu *g) {
    g->options.print_to = NULL;
    for (int i = 0; i < g->nsms; i++)
        if (g->sms[i].trace) events_unsubscribe(&g->sms[i], g->sms[i].trace);
}

// ---- a kernel ----

static void clear_kernel_state(Sm *sm) {
    sm->resident = sm->ended = sm->has_inst = sm->ready = sm->dirty = 0;
    sm->at_barrier = sm->control = sm->asleep = sm->long_wait = sm->parked = sm->away = sm->halted =
        sm->held = 0;
    memset(sm->head, 0, sizeof sm->head);
    sm->nwarps_resident = 0;
    sm->awake = 2;
    fail_launch(sm);
    memset(sm->ctas, 0, sizeof sm->ctas);
    sm->ctas_used = sm->nhanded = 0;
    sm->ctas_done = 0;
    sm->start_drawn = false;
    flights_launch(sm);
    hazards_launch(sm);
    sched_launch(sm);
    fetch_launch(sm);
    issue_launch(sm);
    execute_launch(sm);
    ldst_launch(sm);
    barrier_launch(sm);
    writeback_launch(sm);
}

// Shared and local memory start from zero, so that a kernel that reads unwritten memory is
// deterministic.
static void clear_memories(Sm *sm) {
    memset(sm->shared, 0, (size_t)sm->cfg->shared_bytes);
    sm->local_bytes = (uint32_t)sm->launch->program->local_bytes;
    sm->frame_words = (sm->local_bytes + 3) / 4;
    size_t words =
        (size_t)sm->frame_words * ISA_LANES * (size_t)(sm->cta_limit * sm->warps_per_cta);
    if (words > sm->local_words) {
        free(sm->local);
        sm->local = malloc(words * sizeof *sm->local);
        panic_if(!sm->local, "out of memory for %zu words of local memory", words);
        sm->local_words = words;
    }
    if (words) memset(sm->local, 0, words * sizeof *sm->local);
}

static bool is_finished(const Gpu *g) {
    const Sm *sm = &g->sms[0];
    return sm->ctas_done == g->ncta && sm->nflights == 0 && mem_idle(g->mem) && admission_rests(sm);
}

uint64_t gpu_most_cycles(const Gpu *g) {
    const uint64_t most =
        g->options.max_cycles ? g->options.max_cycles : (uint64_t)g->options.cfg->run_max_cycles;
    return most ? most : 2000000000ull;
}

static bool run_loop(Gpu *g, Diag *d) {
    Sm *sm = &g->sms[0];
    const MachineConfig *cfg = sm->cfg;
    const uint64_t most = gpu_most_cycles(g), start = sm->cycle;
    while (!is_finished(g)) {
        sm_cycle_once(sm);
        if (sm->failed) return false;
        if (cosim_mismatch(sm->cosim) && cosim_should_stop(sm->cosim)) return true;
        if (sm->cycle % STOP_CHECK_CYCLES == 0 && g->options.stop && *g->options.stop)
            return diag_fail(d, EXIT_INTERRUPTED, "interrupted in cycle %llu of kernel %s",
                             (unsigned long long)(sm->cycle - start), sm->launch->program->name);
        if (sm->cycle - start >= most && !is_finished(g)) {
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

static bool launch_sm(Sm *sm, Diag *d) {
    sm->launch = &sm->gpu->launch;
    sm->diag = d;
    if (sm->quantum) quantum_launch(sm);
    arena_free(&sm->kernel_arena);
    if (!cta_plan(sm, d) || !decode_program(sm, sm->launch->program, &sm->program, d)) return false;
    clear_kernel_state(sm);
    clear_memories(sm);
    path_launch(sm);
    units_launch(sm);
    systems_launch(sm);
    notify_kernel_begin(sm, (KernelEvent){true});
    return !sm->failed;
}

static void tell_info(Gpu *g, const Counters *before) {
    const Sm *sm = &g->sms[0];
    const Counters *now = gpu_counters(g);
    for (int i = 0; i < g->nsms; i++) g->info.ctas += g->sms[i].ctas_done;
    g->info.warps_per_cta = sm->warps_per_cta;
    g->info.threads_per_cta = sm->threads_per_cta;
    g->info.shared_per_cta = sm->shared_per_cta;
    g->info.ctas_per_sm = sm->cta_limit;
    g->info.room = sm->cta_room;
    g->info.regs_given = sm->layout.alloc;
    g->info.cycles = now->v[CTR_CYCLES] - before->v[CTR_CYCLES];
    g->info.warp_insts = now->v[CTR_WARP_INSTS] - before->v[CTR_WARP_INSTS];
    g->info.thread_insts = now->v[CTR_THREAD_INSTS] - before->v[CTR_THREAD_INSTS];
}

static bool calls_malloc(const IsaProgram *p) {
    for (int i = 0; i < p->ninsts; i++)
        if (p->insts[i].op == ISA_SYSCALL && p->insts[i].mode == ISA_SYS_MALLOC) return true;
    return false;
}

bool gpu_run(Gpu *g, const GpuLaunch *launch, Diag *d) {
    for (int i = 0; i < g->nsms; i++) {
        panic_if(g->sms[i].failed, "gpu_run after a run that failed");
        // the blocks are in the middle of another kernel
        if (cosim_should_stop(g->sms[i].cosim)) return true;
    }
    g->launch = *launch;
    g->next_cta = g->ctas_done = 0;
    g->next_sm = 0;
    g->info = (GpuKernelInfo){.name = launch->program->name,
                              .regs_per_thread = launch->program->home_regs};
    // Each of several SMs copies the list of allocations, so the list must contain the heap first.
    if (g->nsms > 1 && calls_malloc(launch->program)) device_heap_make(g->options.memory);
    for (int i = 0; i < g->nsms; i++)
        if (!launch_sm(&g->sms[i], d)) return false;
    const Counters before = *gpu_counters(g);
    bool ok = g->nsms > 1 ? quanta_run(g, d) : run_loop(g, d), met = false;
    for (int i = 0; i < g->nsms; i++) met = met || cosim_mismatch(g->sms[i].cosim);
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        sm->diag = d;
        notify_kernel_end(sm, (KernelEvent){ok && !met});
        ok = ok && !sm->failed;
        mem_flush_l1(sm->mem, sm->port);
    }
    tell_info(g, &before);
    for (int i = 0; i < g->nsms && !ok; i++) sm_stop(&g->sms[i]);
    return ok;
}

static bool bring_to_rest(Sm *sm, Diag *d) {
    Cosim *c = sm->cosim;
    if (!sm->path->at_rest || sm->failed || cosim_mismatch(c)) return true;
    const Counters counters = *sm->count;
    sm->diag = d;
    for (uint64_t i = 0; !sm->path->at_rest(sm, sm->path_self) && !sm->failed && !cosim_mismatch(c);
         i++) {
        if (i == REST_CYCLES)
            sm_fail(sm, EXIT_HANG,
                    "registers are still being freed %d cycles after the last kernel", REST_CYCLES);
        sm_cycle_path(sm, sm->cycle + i);
    }
    *sm->count = counters;
    return !sm->failed;
}

// These cycles change no counter.
bool gpu_finish(Gpu *g, Diag *d) {
    for (int i = 0; i < g->nsms; i++)
        if (!bring_to_rest(&g->sms[i], d)) return false;
    return true;
}

// ---- results ----

static void add_counters(Counters *to, const Counters *from) {
    for (int i = 0; i < CTR_COUNT; i++) to->v[i] += from->v[i];
    for (int i = 0; i < COUNTER_BANKS; i++) {
        to->bank_reads[i] += from->bank_reads[i];
        to->bank_writes[i] += from->bank_writes[i];
    }
}

Counters gpu_counters_of(const Gpu *g, int sm) {
    if (g->nsms == 1) return g->counters;
    Counters c = g->near[sm].of;
    add_counters(&c, &g->far[sm].of);
    return c;
}

const Counters *gpu_counters(const Gpu *g) {
    if (g->nsms == 1) return &g->counters;
    Counters *sum = &((Gpu *)(uintptr_t)g)->counters;
    *sum = (Counters){0};
    for (int i = 0; i < g->nsms; i++) {
        add_counters(sum, &g->near[i].of);
        add_counters(sum, &g->far[i].of);
    }
    sum->v[CTR_CYCLES] = g->near[0].of.v[CTR_CYCLES];
    return sum;
}

void gpu_lines(const Gpu *g, LineCounts *rows, int n) {
    enum { FIELDS = sizeof(LineCounts) / sizeof(uint64_t) };
    uint64_t *to = (uint64_t *)rows;
    for (int i = 0; i < g->nsms; i++) {
        int counted = 0;
        const uint64_t *from = (const uint64_t *)lines_counted(g->sms[i].lines, &counted);
        panic_if(counted != n, "%d rows of instructions, expected %d", counted, n);
        for (int k = 0; k < n * FIELDS; k++) to[k] += from[k];
    }
}

const GpuKernelInfo *gpu_kernel_info(const Gpu *g) { return &g->info; }
uint64_t gpu_cycle(const Gpu *g) { return g->sms[0].cycle; }

uint64_t gpu_retire_compared(const Gpu *g) {
    uint64_t n = 0;
    for (int i = 0; i < g->nsms; i++)
        n += g->sms[i].retire ? retire_listener_compared(g->sms[i].retire) : 0;
    return n;
}
