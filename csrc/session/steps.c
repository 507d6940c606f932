// SPDX-License-Identifier: Apache-2.0
// The steps of a run, on the SM or on the oracle.
#include "session/run_parts.h"

#include "launch/launch.h"

#include <string.h>

void run_begin(Run *r, Arena *arena, const SessionOptions *o, LaunchReport *report) {
    *r = (Run){.setup = {.arena = arena, .o = o}, .report = report};
    r->program.setup = &r->setup;
    r->program.memory = &r->memory;
}

void run_end(Run *r) {
    machine_close(&r->machine);
    device_close(&r->memory);
    device_close(&r->pristine);
}

// ---- one launch ----

bool step_on_sm(Run *r, LoadedKernel *k, const KernelLaunch *l, DeviceMemory *memory, Diag *d) {
    (void)memory;
    Gpu *gpu = r->machine.gpu;
    GpuLaunch launch = {.program = k->program,
                        .module = k->module->module,
                        .layout = &k->module->layout,
                        .shared_bytes = l->shared_bytes,
                        .params = l->params};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    const Counters before = *gpu_counters(gpu);
    if (r->machine.trace) hooks_program(r->machine.trace, k->program);
    const bool ok = gpu_run(gpu, &launch, d);
    const Counters *after = gpu_counters(gpu);
    KernelReport *report = k->report;
    const GpuKernelInfo *info = gpu_kernel_info(gpu);
    memcpy(report->grid, l->grid, sizeof report->grid);
    memcpy(report->block, l->block, sizeof report->block);
    report->launches++;
    report->shared_bytes = k->program->shared_bytes + l->shared_bytes;
    report->ctas_per_sm = info->ctas_per_sm;
    report->warps_per_sm = info->ctas_per_sm * info->warps_per_cta;
    report->limited_by = info->limited_by ? info->limited_by : "-";
    report->room = info->room;
    report->room_limited_by = info->room_limited_by ? info->room_limited_by : "-";
    report->rows = report->warps_per_sm * info->regs_given;
    report->all_rows = r->setup.cfg->rf_banks * r->setup.cfg->rf_entries;
    report->cycles += after->v[CTR_CYCLES] - before.v[CTR_CYCLES];
    report->warp_insts += after->v[CTR_WARP_INSTS] - before.v[CTR_WARP_INSTS];
    return ok && gather_launch(r, k, l, &before, d);
}

// Limit of thread instructions of one launch in the oracle, including the turns of waiting threads.
// A run that ends takes far fewer.
static uint64_t limit_oracle(const Run *r, const KernelLaunch *l) {
    const SessionOptions *o = r->setup.o;
    const uint64_t cycles = o->max_cycles ? o->max_cycles : (uint64_t)r->setup.cfg->run_max_cycles;
    if (cycles) return (1ull << 26) + 64 * cycles;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= (uint64_t)l->grid[i] * l->block[i];
    return (1ull << 30) + 64 * r->report->counters.v[CTR_THREAD_INSTS] + (threads << 16);
}

bool step_on_oracle(Run *r, LoadedKernel *k, const KernelLaunch *l, DeviceMemory *memory, Diag *d) {
    OracleRun run = {.module = k->module->module,
                     .entry = k->entry,
                     .layout = &k->module->layout,
                     .shared = &k->shared,
                     .shared_bytes = l->shared_bytes,
                     .params = l->params,
                     .memory = memory,
                     .max_insts = limit_oracle(r, l),
                     .findings = r->oracle_quiet ? NULL : &r->found,
                     .stop = r->setup.o->stop,
                     .print_to = r->oracle_prints};
    memcpy(run.grid, l->grid, sizeof run.grid);
    memcpy(run.block, l->block, sizeof run.block);
    return oracle_run(&run, d);
}

// ---- those of a launch file ----

static LoadedKernel *find_kernel(Run *r, const LaunchStep *step, const KernelLaunch *l) {
    Program *p = &r->program;
    const KernelDims dims = program_dims(p, l);
    for (int i = 0; i < p->nmodules; i++) {
        if (strcmp(p->modules[i]->path, step->ptx)) continue;
        LoadedKernel *k = program_find(p, p->modules[i], step->kernel, &dims);
        if (k) return k;
    }
    panic("kernel %s was not loaded", step->kernel);
}

static bool run_step(Run *r, const LaunchStep *step, StepRun *run, DeviceMemory *memory, Diag *d) {
    KernelLaunch l = launch_file_step(step);
    LoadedKernel *k = find_kernel(r, step, &l);
    l.params = launch_pack_params(r->launch, step, k->entry, r->setup.arena, d);
    return l.params && run(r, k, &l, memory, d);
}

static bool run_group(Run *r, const LaunchGroup *g, StepRun *run, DeviceMemory *memory, Diag *d) {
    uint8_t *again = NULL;
    if (g->repeat_buffer >= 0) {
        uint64_t addr = r->launch->buffers[g->repeat_buffer].addr + g->repeat_offset;
        again = device_at(memory, addr, 4);
        panic_if(!again, "the repeat word is outside its buffer");
    }
    for (int pass = 0;; pass++) {
        if (again && pass >= g->repeat_max)
            return diag_fail(d, EXIT_HANG, "%s: `repeat` did not end after %d passes",
                             r->launch->src.path, pass);
        if (again) memset(again, 0, 4);
        for (int i = 0; i < g->nsteps; i++)
            if (!run_step(r, &g->steps[i], run, memory, d)) return false;
        if (!again || !(again[0] | again[1] | again[2] | again[3])) return true;
    }
}

bool run_steps(Run *r, StepRun *run, DeviceMemory *memory, Diag *d) {
    for (int i = 0; i < r->launch->ngroups; i++)
        if (!run_group(r, &r->launch->groups[i], run, memory, d)) return false;
    return true;
}
