// SPDX-License-Identifier: Apache-2.0
// Loads a launch file: buffers, modules with their variables, and the kernels of its steps.
#include "session/run_parts.h"

#include "base/plain.h"
#include "launch/launch.h"

#include <string.h>

KernelLaunch launch_file_step(const LaunchStep *step) {
    KernelLaunch l = {.shared_bytes = step->shared_bytes, .scalar = step->scalar};
    memcpy(l.grid, step->grid, sizeof l.grid);
    memcpy(l.block, step->block, sizeof l.block);
    return l;
}

// ---- kernels ----

static bool check_scalar(const Run *r, const LaunchStep *step, Diag *d) {
    const SessionOptions *o = r->setup.o;
    if (step->scalar && !o->arch.compiler.beside)
        return diag_fail_at(d, &r->launch->src, step->line, step->col,
                            "kernel %s has a program for scalar threads, found --arch %s, expected "
                            "an architecture with scalar units",
                            step->kernel, o->arch.name);
    if (step->scalar && o->check_oracle)
        return diag_fail_at(d, &r->launch->src, step->line, step->col,
                            "kernel %s has a program for scalar threads, which --check oracle "
                            "cannot execute: expected --check retire",
                            step->kernel);
    return true;
}

// Code with 32-bit addresses assumes that some parameter words are zero. Are they zero in every
// launch
// of the kernel? False with a message in d: the arguments do not fit the entry.
static bool are_pointers_in_reach(Run *r, const LoadedKernel *k, const LaunchStep *first, Diag *d) {
    for (int g = 0; g < r->launch->ngroups; g++)
        for (int i = 0; i < r->launch->groups[g].nsteps; i++) {
            const LaunchStep *step = &r->launch->groups[g].steps[i];
            if (strcmp(step->kernel, first->kernel) || strcmp(step->ptx, first->ptx)) continue;
            const uint8_t *params =
                launch_pack_params(r->launch, step, k->entry, r->setup.arena, d);
            if (!params) return false;
            for (int w = 0; w < k->program->nzero_params; w++) {
                uint32_t word;
                memcpy(&word, params + k->program->zero_params[w], sizeof word);
                if (word) return false;
            }
        }
    return true;
}

// Stores the parameters of the step, if the compiler uses them for estimates.
static bool know_params(Run *r, const LaunchStep *step, LoadedKernel *k, Diag *d) {
    if (!k->dims.block[0] || !step->args || step->nargs != k->entry->nparams) return true;
    k->params = launch_pack_params(r->launch, step, k->entry, r->setup.arena, d);
    return k->params != NULL;
}

static bool compile_step(Run *r, const LaunchStep *step, LoadedKernel *k, Diag *d) {
    if (!program_compile(&r->program, k, r->setup.cfg->compiler_addr_bits, d)) return false;
    return are_pointers_in_reach(r, k, step, d) ||
        (diag_ok(d) && program_compile(&r->program, k, 64, d));
}

static bool load_kernel(Run *r, const LaunchStep *step, Diag *d) {
    const LoadedModule *m = program_module(&r->program, step->ptx, d);
    if (!m || !check_scalar(r, step, d)) return false;
    const PtxFunc *entry = ptx_entry(m->module, step->kernel, d);
    if (!entry) return false;
    const KernelLaunch l = launch_file_step(step);
    LoadedKernel k = {.module = m, .entry = entry, .dims = program_dims(&r->program, &l)};
    if (program_find(&r->program, m, entry->name, &k.dims)) return true;
    if (!program_lay_out(&r->program, &k, d) || !know_params(r, step, &k, d)) return false;
    return compile_step(r, step, &k, d) && program_add(&r->program, &k);
}

static bool load_kernels(Run *r, Diag *d) {
    for (int g = 0; g < r->launch->ngroups; g++)
        for (int i = 0; i < r->launch->groups[g].nsteps; i++)
            if (!load_kernel(r, &r->launch->groups[g].steps[i], d)) return false;
    return true;
}

// ---- modules and their variables ----

// Loads all modules, and the kernels by their names in the modules.
static bool load_modules(Run *r, Diag *d) {
    for (int g = 0; g < r->launch->ngroups; g++)
        for (int i = 0; i < r->launch->groups[g].nsteps; i++) {
            LaunchStep *step = &r->launch->groups[g].steps[i];
            const LoadedModule *m = program_module(&r->program, step->ptx, d);
            const PtxFunc *entry = m ? ptx_entry(m->module, step->kernel, d) : NULL;
            if (!entry) return false;
            step->kernel = entry->name;
        }
    return true;
}

// Applies the launch file's values of variables, after the modules have placed them.
static bool fill_variables(Run *r, Diag *d) {
    const Program *p = &r->program;
    ModuleLayout **layouts = ARENA_ARRAY(r->setup.arena, ModuleLayout *, p->nmodules + 1);
    for (int i = 0; i < p->nmodules; i++) layouts[i] = &p->modules[i]->layout;
    return launch_bind(r->launch, layouts, p->nmodules, d) && launch_fill(r->launch, &r->memory, d);
}

static void warn_blank(Run *r, const LoadedModule *m, int var) {
    Arena *arena = r->setup.arena;
    LaunchReport *report = r->report;
    const PtxVar *v = &m->module->vars[var];
    ReportFinding *all = ARENA_ARRAY(arena, ReportFinding, report->nfindings + 1);
    if (report->nfindings) memcpy(all, report->findings, (size_t)report->nfindings * sizeof *all);
    all[report->nfindings++] = (ReportFinding){
        .kind = "blank variable",
        .count = 1,
        .text = arena_printf(arena,
                             "%s:%d:%d: kernels read .%s %s, which nothing has written: it is "
                             "zero (`symbols:` of a launch file)",
                             m->path, v->line, v->col, ptx_space_name(v->space), v->name)};
    report->findings = all;
}

static bool is_blank(const PtxVar *v) {
    return (v->space == PTX_GLOBAL || v->space == PTX_CONST) && !v->init && !v->nrelocs &&
        !v->is_extern;
}

// Warns of variables that kernels read and that neither the PTX, the launch file nor a kernel sets.
static void find_blank(Run *r) {
    const Program *p = &r->program;
    for (int k = 0; k < p->nmodules; k++) {
        const LoadedModule *m = p->modules[k];
        const PtxModule *ptx = m->module;
        bool *read = ARENA_ARRAY(r->setup.arena, bool, ptx->nvars + 1);
        bool *written = ARENA_ARRAY(r->setup.arena, bool, ptx->nvars + 1);
        for (int i = 0; i < p->nkernels; i++)
            if (p->kernels[i].module == m)
                ptx_variable_uses(ptx, p->kernels[i].entry, read, written);
        for (int i = 0; i < ptx->nvars; i++)
            if (is_blank(&ptx->vars[i]) && read[i] && !written[i] &&
                !launch_sets(r->launch, &m->layout, i))
                warn_blank(r, m, i);
    }
}

// ---- all of it ----

static void report_kernels(Run *r) {
    const int n = r->program.nkernels;
    r->report->kernels = ARENA_ARRAY(r->setup.arena, KernelReport, n);
    for (int i = 0; i < n; i++) {
        LoadedKernel *k = &r->program.kernels[i];
        const IsaProgram *p = k->program;
        k->report = &r->report->kernels[i];
        *k->report = (KernelReport){.name = k->entry->name,
                                    .registers = p->home_regs,
                                    .insts = p->ninsts,
                                    .spill_bytes = p->spill_bytes,
                                    .local_bytes = p->local_bytes,
                                    .limited_by = "-",
                                    .scalar = p->scalar_note};
    }
}

bool launch_file_load(Run *r, const char *path, Diag *d) {
    Arena *arena = r->setup.arena;
    r->launch = launch_load_from(arena, path, r->setup.o->files, d);
    if (!r->launch) return false;
    r->name = r->launch->name;
    r->report->name = plain_text(arena, r->name);
    if (!device_open(&r->memory, arena, d) || !launch_place(r->launch, &r->memory, d)) return false;
    if (!load_modules(r, d) || !fill_variables(r, d) || !load_kernels(r, d)) return false;
    find_blank(r);
    report_kernels(r);
    return !setup_needs_oracle(r->setup.o) || device_clone(&r->pristine, &r->memory, arena, d);
}
