// SPDX-License-Identifier: Apache-2.0
// Blocks, SMs and trace of a run: opened from its options.
#include "session/run_parts.h"

#include "base/console.h"

// Called in a woken snapshot: the parent owns the run's files.
static void become_replay(void *ctx) {
    Machine *m = ctx;
    m->trace = NULL;
    gpu_quiet(m->gpu);
}

// ---- options of the blocks ----

uint64_t session_start_seed(const SessionOptions *o) {
    return o->start ? o->start - 1 : o->nrtl > 0;
}

static const char *replay_line(const Setup *s, const MachineUse *use) {
    if (!s->o->bundle_dir || use->no_snapshots) return NULL;
    return arena_printf(s->arena, "smcosim replay %s",
                        arena_shell_word(s->arena, s->o->bundle_dir));
}

static bool wants_snapshots(const SessionOptions *o, const MachineUse *use) {
    return o->bundle_dir && !o->wave && !use->again && !use->no_snapshots && use->threads < 2;
}

static void add_again(CosimOptions *co, const SessionAgain *again) {
    co->recorded = again->recorded;
    co->record = again->record;
    co->record_ctx = again->record_ctx;
}

// The options of one SM's blocks. plain: an SM other than the selected one, which runs golden
// models.
static CosimOptions choose_blocks(const Setup *s, const MachineUse *use, Machine *m, bool plain) {
    const SessionOptions *o = s->o;
    CosimOptions co = {.use = o->arch.blocks,
                       .shape = o->arch.path->shape,
                       .blocks = "model",
                       .command_line = o->command_line,
                       .data_dir = o->data_dir,
                       .cache_dir = o->cache_dir,
                       .stop = o->stop,
                       .replaying = use->again != NULL};
    if (plain) return co;
    co.blocks = o->blocks;
    co.rtl = o->rtl;
    co.testbug = o->testbug;
    co.flat = o->flat;
    co.start_seed = session_start_seed(o);
    co.fault = o->fault;
    co.plusargs = o->plusargs;
    co.wave = o->wave;
    co.allow_idle = o->allow_idle;
    co.bundle_dir = use->again || use->threads > 1 ? NULL : o->bundle_dir;
    co.replay_line = replay_line(s, use);
    co.notice = console_notice;
    co.history = 32;
    co.run_on = use->again || o->wave ? COSIM_AFTER : 0;
    co.snapshot_interval = o->snapshot_interval;
    co.snapshots = wants_snapshots(o, use);
    co.threads = use->threads;
    co.if_costly = o->threads_auto;
    co.queue = o->queue;
    co.kept = o->kept;
    co.on_replay = become_replay;
    co.replay_ctx = m;
    if (use->again) add_again(&co, use->again);
    return co;
}

bool machine_check_blocks(const Setup *s, bool *runs_rtl, Diag *d) {
    const CosimOptions co = choose_blocks(s, &(MachineUse){0}, NULL, false);
    return cosim_check(s->arena, &co, s->cfg, runs_rtl, d);
}

// If a run requires all blocks in step with the SM, one thread does everything. Several SMs have
// threads of their own (GpuOptions).
static MachineUse limit_use(const Setup *s, const MachineUse *wanted) {
    MachineUse use = *wanted;
    if (s->o->sms > 1) use.threads = 1, use.no_snapshots = true;
    if (use.threads < 2) return use;
    const CosimOptions co = choose_blocks(s, &use, NULL, false);
    if (!cosim_would_follow(s->arena, &co, s->cfg)) use.threads = 1;
    return use;
}

// ---- opening ----

// Opens one Cosim per SM.
static bool open_cosims(Machine *m, const Setup *s, const MachineUse *use, Diag *d) {
    CosimOptions co = choose_blocks(s, use, m, false);
    const CosimOptions plain = choose_blocks(s, use, m, true);
    const int chosen = s->o->lockstep_sm ? s->o->lockstep_sm - 1 : -1;
    m->nsms = s->o->sms > 1 ? (int)s->o->sms : 1;
    for (int i = 0; i < m->nsms; i++) {
        m->cosims[i] = cosim_open(s->arena, chosen < 0 || i == chosen ? &co : &plain, s->cfg, d);
        if (!m->cosims[i]) return false;
        if (chosen < 0) co.allow_idle = true;  // the first SM has the first CTA
    }
    m->cosim = m->cosims[chosen < 0 ? 0 : chosen];
    return true;
}

static bool open_gpu(Machine *m, const Setup *s, const MachineUse *use, DeviceMemory *memory,
                     Diag *d) {
    const SessionOptions *o = s->o;
    const GpuOptions go = {.cfg = s->cfg,
                           .arch = &o->arch,
                           .cosim = m->cosim,
                           .sms = m->nsms,
                           .cosims = m->cosims,
                           .threads = (int)o->threads,
                           .shown = o->lockstep_sm ? o->lockstep_sm - 1 : 0,
                           .memory = memory,
                           .hooks = m->trace ? hooks_of(m->trace) : NULL,
                           .check_retire = o->check_retire,
                           .count_lines = o->by_line && !use->again,
                           .idle = o->skip_idle ? GPU_IDLE_SKIP : GPU_IDLE_CLOCK_RTL,
                           .print_to = use->print_to,
                           .max_cycles = o->max_cycles,
                           .stop = o->stop};
    m->gpu = gpu_open(s->arena, &go, d);
    return m->gpu != NULL;
}

bool machine_open(Machine *m, const Setup *s, const MachineUse *wanted, DeviceMemory *memory,
                  Diag *d) {
    const MachineUse use = limit_use(s, wanted);
    const char *trace = use.again ? NULL : s->o->trace, *pipe = use.again ? NULL : s->o->pipe;
    if (trace && pipe)
        return diag_fail(d, EXIT_USAGE, "--pipe: expected --pipe or --trace, found both");
    m->arena = s->arena;
    if ((trace || pipe) && !(m->trace = hooks_open(s->arena, trace, pipe, d))) return false;
    return open_cosims(m, s, &use, d) && open_gpu(m, s, &use, memory, d);
}

// ---- the end ----

const Mismatch *machine_find_mismatch(Machine *m) {
    const Mismatch *first = NULL;
    for (int i = 0; i < m->nsms; i++) {
        const Mismatch *found = m->cosims[i] ? cosim_mismatch(m->cosims[i]) : NULL;
        if (!found || (first && first->cycle <= found->cycle)) continue;
        first = found;
        m->cosim = m->cosims[i];
        m->mismatch_sm = i;
    }
    return first;
}

bool machine_finish(Machine *m, bool ok, Diag *d) {
    machine_find_mismatch(m);
    for (int i = 0; i < m->nsms; i++) {
        Diag blocks = {0};
        if (!m->cosims[i] || (cosim_mismatch(m->cosim) && m->cosims[i] != m->cosim)) continue;
        if (cosim_finish(m->cosims[i], &blocks) || !(ok || blocks.status == EXIT_MISMATCH))
            continue;
        *d = blocks;
        ok = false;
        machine_find_mismatch(m);
    }
    return ok;
}

bool machine_end_trace(Machine *m, Diag *d) {
    return !m->trace ||
        hooks_close(m->trace, m->gpu ? gpu_cycle(m->gpu) : 0, diag_ok(d) ? d : &(Diag){0});
}

void machine_close(Machine *m) {
    if (m->gpu) gpu_close(m->gpu);
    for (int i = 0; i < m->nsms; i++)
        if (m->cosims[i]) cosim_close(m->cosims[i]);
}
