// SPDX-License-Identifier: Apache-2.0
// The way of a launch file:
//   launch.yaml -> modules parsed, buffers and variables placed -> kernels compiled
//     -> SM runs every step -> final state of the blocks -> expected buffers -> oracle on a clone of the memory
#include "session/session_parts.h"

#include "base/console.h"
#include "base/plain.h"
#include "proc/clock.h"
#include "session/bundle.h"
#include "session/findings.h"
#include "session/hooks.h"
#include "session/profile.h"
#include "compile/compile.h"
#include "launch/launch.h"
#include "sm/sm.h"
#include "systems/systems.h"

#include <stdlib.h>
#include <string.h>

bool session_config(MachineConfig *cfg, Arena *arena, const SessionOptions *o, Diag *d) {
    if (!config_load(cfg, arena, o->data_dir, o->machine, d)) return false;
    for (int i = 0; i < o->nsets; i++)
        if (!config_set(cfg, o->sets[i], d)) return false;
    return config_check(cfg, d);
}

bool session_needs_oracle(const SessionOptions *o) { return o->check_oracle || o->check_race || o->check_strict; }

bool session_set_checks(SessionOptions *o, const char *value, Diag *d) {
    static const char *const names[] = {"retire", "oracle", "race", "strict", "codec"};
    bool *const checks[] = {&o->check_retire, &o->check_oracle, &o->check_race, &o->check_strict, &o->check_codec};
    for (const char *p = value;;) {
        const size_t n = strcspn(p, ",");
        size_t i = 0;
        while (i < sizeof names / sizeof *names && (strlen(names[i]) != n || strncmp(p, names[i], n))) i++;
        if (i == sizeof names / sizeof *names)
            return diag_fail(d, EXIT_USAGE, "--check: '%.*s' is not one of retire, oracle, race, strict, codec", (int)n, p);
        *checks[i] = true;
        if (!p[n]) return true;
        p += n + 1;
    }
}

// What shows or stops one SM goes with no others.
static bool check_sms(const SessionOptions *o, const MachineConfig *cfg, Diag *d) {
    if (o->sms < 2)
        return !o->lockstep_sm || diag_fail(d, EXIT_USAGE, "--lockstep-sm: there is one SM, expected --sms N");
    if (!gpu_check(&o->arch, cfg, (int)o->sms, d)) return false;
    const char *shown = o->wave ? "--wave" : o->trace ? "--trace" : NULL;
    if (o->lockstep_sm > (int)o->sms)
        return diag_fail(d, EXIT_USAGE, "--lockstep-sm: %d is out of range, expected 0 to %d or all", o->lockstep_sm - 1, (int)o->sms - 1);
    return !shown || o->lockstep_sm ||
           diag_fail(d, EXIT_USAGE, "%s shows one of the %d SMs: expected --lockstep-sm K", shown, (int)o->sms);
}

static bool check_options(Arena *arena, const MachineConfig *cfg, const SessionOptions *o, Diag *d) {
    bool rtl;
    const CosimOptions co = {.use = o->arch.blocks, .blocks = o->blocks, .rtl = o->rtl, .testbug = o->testbug,
                             .fault = o->fault, .data_dir = o->data_dir};
    MachineConfig own = *cfg;
    if (o->check_codec && !arch_has_routines(&o->arch))
        return diag_fail(d, EXIT_USAGE, "--check codec: expected an architecture whose assist warps make lines (caba-bdi, ..), "
                         "found %s", o->arch.name);
    if (o->check_codec && cfg->caba_check != CABA_CHECK_CODEC)
        return diag_fail(d, EXIT_USAGE, "--check codec: expected caba.check codec, found none");
    if (!arch_machine(&o->arch, &own, d) || !config_check(&own, d) || !check_sms(o, &own, d)) return false;
    return cosim_check(arena, &co, &own, &rtl, d) && arch_check(&o->arch, &own, rtl, d);
}

// ---- loading ----

static LoadedModule *load_module(Session *s, const char *path, Diag *d) {
    for (int i = 0; i < s->nmodules; i++)
        if (!strcmp(s->modules[i]->path, path)) return s->modules[i];
    LoadedModule *m = ARENA_NEW(s->arena, LoadedModule);
    m->path = path;
    m->module = ptx_load(s->arena, path, d);
    if (!m->module || !layout_module(&m->layout, s->arena, m->module, &s->memory, d)) return NULL;
    *ARENA_PUSH(s->arena, s->modules, s->nmodules, s->cap_modules) = m;
    return m;
}

// Are the parameter words zero that code with addresses of 32 bits takes for zero, in every launch of
// the kernel? False with a message in d: the arguments do not fit the entry.
static bool pointers_in_reach(Session *s, const LoadedKernel *k, const LaunchStep *first, Diag *d) {
    for (int g = 0; g < s->launch->ngroups; g++)
        for (int i = 0; i < s->launch->groups[g].nsteps; i++) {
            const LaunchStep *step = &s->launch->groups[g].steps[i];
            if (strcmp(step->kernel, first->kernel) || strcmp(step->ptx, first->ptx)) continue;
            const uint8_t *params = launch_pack_params(s->launch, step, k->entry, s->arena, d);
            if (!params) return false;
            for (int w = 0; w < k->program->nzero_params; w++) {
                uint32_t word;
                memcpy(&word, params + k->program->zero_params[w], sizeof word);
                if (word) return false;
            }
        }
    return true;
}

MachineConfig *session_machine(Arena *arena, const Arch *arch, const MachineConfig *cfg) {
    MachineConfig *own = ARENA_NEW(arena, MachineConfig);
    Diag d = {0};
    *own = *cfg;
    panic_if(!arch_machine(arch, own, &d), "%s", d.text);  // session_check has asked
    return own;
}

CompileScalar session_scalar(const MachineConfig *cfg) {
    switch (cfg->scalar_paradigm) {
    case PARADIGM_PREFETCH: return COMPILE_SCALAR_PREFETCH;
    case PARADIGM_DIVERGENCE: return COMPILE_SCALAR_DIVERGENCE;
    case PARADIGM_EXTRACT: return COMPILE_SCALAR_EXTRACT;
    case PARADIGM_AUTO: return COMPILE_SCALAR_AUTO;
    default: return COMPILE_SCALAR_NONE;
    }
}

CompileOptions session_compile_options(const Arch *arch, const MachineConfig *cfg) {
    const CompilerPart *part = &arch->compiler;
    CompileOptions o = {.max_regs = cfg->sm_regs_per_thread - part->reserve, .cfg = cfg, .packs = part->packs, .hints = part->hints,
                        .regions = part->regions, .shared = part->shared, .memo = part->memo, .strides = part->strides};
    if (part->beside) o.scalar = session_scalar(cfg);
    if (part->scalars) o.scalar_regs = config_scalar_regs(cfg);
    if (part->write_bits)
        o.window = (WindowNeed){.places = cfg->bow_window, .rows = config_bow_rows(cfg, part->half),
                                .homeless = part->homeless};
    return o;
}

// The launch file brings the scalar thread's program: it stands for what the compiler would make, and the kernel's
// barriers with the number scalar.barrier expect the thread.
static bool take_scalar(Session *s, IsaProgram *p, const char *path, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(s->arena, path, &text, &n, d)) return false;
    IsaProgram *thread = isa_parse(s->arena, path, text, n, d);
    if (!thread) return false;
    thread->param_bytes = p->param_bytes;
    for (int i = 0; i < p->ninsts; i++) {
        IsaInst *in = &p->insts[i];
        const bool its = in->op == ISA_BAR && in->src[0].kind == ISA_SRC_IMM && in->src[0].imm == (uint64_t)s->cfg->scalar_barrier;
        if (its && (in->mode == ISA_BAR_RED || in->src[1].kind != ISA_SRC_NONE))
            return diag_fail(d, EXIT_USAGE, "kernel %s: barrier %d is for the scalar thread (scalar.barrier), and takes neither a "
                             "reduction nor a thread count", p->name, s->cfg->scalar_barrier);
        in->with_scalar = its;
    }
    p->scalar = thread;
    p->scalar_note = "program of the launch file";
    return true;
}

bool session_compile(Session *s, LoadedKernel *k, int addr_bits, Diag *d) {
    MachineConfig cfg = *s->cfg;
    cfg.compiler_addr_bits = addr_bits;
    if (s->stack_bytes > cfg.compiler_stack) cfg.compiler_stack = s->stack_bytes;
    CompileOptions co = session_compile_options(&s->o->arch, &cfg);
    co.threads = k->threads;
    co.dynamic_shared = k->dynamic_shared;
    memcpy(co.grid, k->grid, sizeof co.grid);
    memcpy(co.block, k->block, sizeof co.block);
    co.params = k->params;
    const LoadedModule *m = k->module;
    if (k->scalar) co.scalar = COMPILE_SCALAR_NONE;
    IsaProgram *p = compile_kernel(s->arena, m->module, k->entry, &m->layout, &k->shared, &co, d);
    k->program = p;
    return p && (!k->scalar || take_scalar(s, p, k->scalar, d));
}

// What of the step's shape the program depends on.
static void shape_of(const Session *s, const LaunchStep *step, LoadedKernel *k) {
    const CompilerPart *part = &s->o->arch.compiler;
    k->scalar = step->scalar;
    if (part->beside && s->cfg->scalar_paradigm != PARADIGM_NONE) {
        memcpy(k->grid, step->grid, sizeof k->grid);
        memcpy(k->block, step->block, sizeof k->block);
        k->dynamic_shared = step->shared_bytes;
    }
    if (!part->regions && !part->shared) return;
    const uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    k->threads = threads < INT32_MAX ? (int)threads : INT32_MAX;  // refused at launch
    k->dynamic_shared = step->shared_bytes;
}

static bool same_shape(const LoadedKernel *a, const LoadedKernel *b) {
    return (a->scalar == b->scalar || (a->scalar && b->scalar && !strcmp(a->scalar, b->scalar))) && a->threads == b->threads && a->dynamic_shared == b->dynamic_shared &&
           !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block);
}

// The same instructions, one by one.
static bool same_code(const IsaProgram *a, const IsaProgram *b) {
    char left[256], right[256];
    bool same = a->ninsts == b->ninsts;
    for (int i = 0; same && i < a->ninsts; i++) {
        isa_print_inst(left, sizeof left, &a->insts[i]);
        isa_print_inst(right, sizeof right, &b->insts[i]);
        same = !strcmp(left, right);
    }
    return same;
}

// Programs of two shapes of a launch that turn out to be the same code are one in the instruction cache.
static const IsaProgram *share_code(Session *s, const LoadedKernel *k) {
    for (int i = 0; i < s->nkernels; i++) {
        const LoadedKernel *have = &s->kernels[i];
        if (have->entry != k->entry || !have->program || !same_code(have->program, k->program)) continue;
        IsaProgram *p = ARENA_NEW(s->arena, IsaProgram);
        *p = *k->program;
        p->insts = have->program->insts;
        return p;
    }
    return k->program;
}

LoadedKernel *session_kernel(Session *s, const LoadedModule *m, const LaunchStep *step, Diag *d) {
    if (step->scalar && !s->o->arch.compiler.beside)
        return diag_fail_at(d, &s->launch->src, step->line, step->col, "kernel %s has a program for scalar threads, found "
                            "--arch %s, expected one with scalar units", step->kernel, s->o->arch.name), NULL;
    if (step->scalar && s->o->check_oracle)
        return diag_fail_at(d, &s->launch->src, step->line, step->col, "kernel %s has a program for scalar threads, of which "
                            "--check oracle knows nothing: expected --check retire", step->kernel), NULL;
    const PtxFunc *entry = ptx_entry(m->module, step->kernel, d);
    if (!entry) return NULL;
    LoadedKernel k = {.module = m, .entry = entry};
    shape_of(s, step, &k);
    for (int i = 0; i < s->nkernels; i++) {
        LoadedKernel *have = &s->kernels[i];
        if (have->entry == entry && same_shape(have, &k)) return have;
    }
    if (!layout_shared(&k.shared, s->arena, m->module, entry, d)) return NULL;
    if (k.block[0] && step->args && step->nargs == entry->nparams) {
        k.params = launch_pack_params(s->launch, step, entry, s->arena, d);
        if (!k.params) return NULL;
    }
    if (!session_compile(s, &k, s->cfg->compiler_addr_bits, d)) {
        if (!s->keep_refused || d->status != EXIT_USAGE) return NULL;
        k.refused = arena_strndup(s->arena, d->text, strlen(d->text));
        *d = (Diag){0};
        LoadedKernel *place = ARENA_PUSH(s->arena, s->kernels, s->nkernels, s->cap_kernels);
        *place = k;
        return place;
    }
    if (!pointers_in_reach(s, &k, step, d) && (!diag_ok(d) || !session_compile(s, &k, 64, d))) return NULL;
    if (s->o->arch.compiler.beside) k.program = share_code(s, &k);
    LoadedKernel *place = ARENA_PUSH(s->arena, s->kernels, s->nkernels, s->cap_kernels);
    *place = k;
    return place;
}

// All modules, and kernels by the names that the modules have for them.
static bool load_modules(Session *s, Diag *d) {
    for (int g = 0; g < s->launch->ngroups; g++)
        for (int i = 0; i < s->launch->groups[g].nsteps; i++) {
            LaunchStep *step = &s->launch->groups[g].steps[i];
            const LoadedModule *m = load_module(s, step->ptx, d);
            const PtxFunc *entry = m ? ptx_entry(m->module, step->kernel, d) : NULL;
            if (!entry) return false;
            step->kernel = entry->name;
        }
    return true;
}

// Once the modules have their variables: what the launch file says of them.
static bool fill_variables(Session *s, Diag *d) {
    ModuleLayout **layouts = ARENA_ARRAY(s->arena, ModuleLayout *, s->nmodules + 1);
    for (int i = 0; i < s->nmodules; i++) layouts[i] = &s->modules[i]->layout;
    return launch_bind(s->launch, layouts, s->nmodules, d) && launch_fill(s->launch, &s->memory, d);
}

static void warn_blank(Session *s, const LoadedModule *m, int var) {
    const PtxVar *v = &m->module->vars[var];
    ReportFinding *all = ARENA_ARRAY(s->arena, ReportFinding, s->report->nfindings + 1);
    if (s->report->nfindings) memcpy(all, s->report->findings, (size_t)s->report->nfindings * sizeof *all);
    all[s->report->nfindings++] = (ReportFinding){
        .kind = "blank variable", .count = 1,
        .text = arena_printf(s->arena, "%s:%d:%d: kernels read .%s %s, which nothing has written: it is zero (`symbols:` of a "
                             "launch file)", m->path, v->line, v->col, ptx_space_name(v->space), v->name)};
    s->report->findings = all;
}

// Variables that kernels read and neither the PTX, the launch file nor a kernel gives a value.
static void find_blank(Session *s) {
    for (int k = 0; k < s->nmodules; k++) {
        const LoadedModule *m = s->modules[k];
        const PtxModule *ptx = m->module;
        bool *read = ARENA_ARRAY(s->arena, bool, ptx->nvars + 1), *written = ARENA_ARRAY(s->arena, bool, ptx->nvars + 1);
        for (int i = 0; i < s->nkernels; i++)
            if (s->kernels[i].module == m) ptx_variable_uses(ptx, s->kernels[i].entry, read, written);
        for (int i = 0; i < ptx->nvars; i++) {
            const PtxVar *v = &ptx->vars[i];
            const bool blank = (v->space == PTX_GLOBAL || v->space == PTX_CONST) && !v->init && !v->nrelocs && !v->is_extern;
            if (blank && read[i] && !written[i] && !launch_sets(s->launch, &m->layout, i)) warn_blank(s, m, i);
        }
    }
}

static bool load_kernel(Session *s, const LaunchStep *step, Diag *d) {
    const LoadedModule *m = load_module(s, step->ptx, d);
    return m && session_kernel(s, m, step, d);
}

static LoadedKernel *find_kernel(Session *s, const LaunchStep *step) {
    LoadedKernel want = {0};
    shape_of(s, step, &want);
    for (int i = 0; i < s->nkernels; i++) {
        LoadedKernel *k = &s->kernels[i];
        if (!strcmp(k->entry->name, step->kernel) && !strcmp(k->module->path, step->ptx) && same_shape(k, &want)) return k;
    }
    panic("kernel %s was not loaded", step->kernel);
}

static bool load_all(Session *s, const char *path, Diag *d) {
    s->launch = launch_load_from(s->arena, path, s->o->files, d);
    if (!s->launch) return false;
    s->report->name = plain_text(s->arena, s->launch->name);
    if (!device_open(&s->memory, s->arena, d)) return false;
    s->have_memory = true;
    if (!launch_place(s->launch, &s->memory, d) || !load_modules(s, d) || !fill_variables(s, d)) return false;
    for (int g = 0; g < s->launch->ngroups; g++)
        for (int i = 0; i < s->launch->groups[g].nsteps; i++)
            if (!load_kernel(s, &s->launch->groups[g].steps[i], d)) return false;
    find_blank(s);
    s->report->kernels = ARENA_ARRAY(s->arena, KernelReport, s->nkernels);
    for (int i = 0; i < s->nkernels; i++) {
        LoadedKernel *k = &s->kernels[i];
        k->report = &s->report->kernels[i];
        *k->report = (KernelReport){.name = k->entry->name, .registers = k->program->home_regs,
                                    .insts = k->program->ninsts, .spill_bytes = k->program->spill_bytes,
                                    .local_bytes = k->program->local_bytes, .limited_by = "-",
                                    .scalar = k->program->scalar_note};
    }
    if (!session_needs_oracle(s->o)) return true;
    s->have_pristine = device_clone(&s->pristine, &s->memory, s->arena, d);
    return s->have_pristine;
}

// ---- steps, on the SM or on the oracle ----

static bool run_group(Session *s, const LaunchGroup *g, StepRun *run, DeviceMemory *memory, Diag *d) {
    uint8_t *again = NULL;
    if (g->repeat_buffer >= 0) {
        uint64_t addr = s->launch->buffers[g->repeat_buffer].addr + g->repeat_offset;
        again = device_at(memory, addr, 4);
        panic_if(!again, "the repeat word is outside its buffer");
    }
    for (int pass = 0;; pass++) {
        if (again && pass >= g->repeat_max)
            return diag_fail(d, EXIT_HANG, "%s: `repeat` did not end after %d passes", s->launch->src.path, pass);
        if (again) memset(again, 0, 4);
        for (int i = 0; i < g->nsteps; i++) {
            LoadedKernel *k = find_kernel(s, &g->steps[i]);
            const uint8_t *params = launch_pack_params(s->launch, &g->steps[i], k->entry, s->arena, d);
            if (!params || !run(s, &g->steps[i], k, params, memory, d)) return false;
        }
        if (!again || !(again[0] | again[1] | again[2] | again[3])) return true;
    }
}

static bool run_groups(Session *s, StepRun *run, DeviceMemory *memory, Diag *d) {
    for (int i = 0; i < s->launch->ngroups; i++)
        if (!run_group(s, &s->launch->groups[i], run, memory, d)) return false;
    return true;
}

bool session_sm_step(Session *s, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, DeviceMemory *memory,
                    Diag *d) {
    (void)memory;
    GpuLaunch l = {.program = k->program, .module = k->module->module, .layout = &k->module->layout,
                   .shared_bytes = step->shared_bytes, .params = params};
    memcpy(l.grid, step->grid, sizeof l.grid);
    memcpy(l.block, step->block, sizeof l.block);
    Counters before = *gpu_counters(s->gpu);
    if (s->trace) hooks_program(s->trace, k->program);
    bool ok = gpu_run(s->gpu, &l, d);
    const Counters *after = gpu_counters(s->gpu);
    KernelReport *r = k->report;
    const GpuKernelInfo *info = gpu_kernel_info(s->gpu);
    memcpy(r->grid, step->grid, sizeof r->grid);
    memcpy(r->block, step->block, sizeof r->block);
    r->launches++;
    r->shared_bytes = k->program->shared_bytes + step->shared_bytes;
    r->ctas_per_sm = info->ctas_per_sm;
    if (info->ctas_per_sm > s->most_ctas) s->most_ctas = info->ctas_per_sm;
    r->warps_per_sm = info->ctas_per_sm * info->warps_per_cta;
    r->limited_by = info->limited_by ? info->limited_by : "-";
    r->cycles += after->v[CTR_CYCLES] - before.v[CTR_CYCLES];
    r->warp_insts += after->v[CTR_WARP_INSTS] - before.v[CTR_WARP_INSTS];
    return ok;
}

// Thread instructions of one launch in the oracle: far more than a run takes that ends, the turns of waiting threads
// included.
static uint64_t oracle_limit(const Session *s, const LaunchStep *step) {
    uint64_t cycles = s->o->max_cycles ? s->o->max_cycles : (uint64_t)s->cfg->run_max_cycles;
    if (cycles) return (1ull << 26) + 64 * cycles;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= (uint64_t)step->grid[i] * step->block[i];
    return (1ull << 30) + 64 * s->report->counters.v[CTR_THREAD_INSTS] + (threads << 16);
}

bool session_oracle_step(Session *s, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, DeviceMemory *memory,
                        Diag *d) {
    OracleRun run = {.module = k->module->module, .entry = k->entry, .layout = &k->module->layout, .shared = &k->shared,
                     .shared_bytes = step->shared_bytes, .params = params, .memory = memory,
                     .max_insts = oracle_limit(s, step), .findings = s->oracle_quiet ? NULL : &s->found, .stop = s->o->stop,
                     .print_to = s->oracle_prints};
    memcpy(run.grid, step->grid, sizeof run.grid);
    memcpy(run.block, step->block, sizeof run.block);
    return oracle_run(&run, d);
}

// ---- checks ----

// All allocations, byte for byte: buffers and module variables.
bool session_compare_memory(Session *s, Diag *d) {
    for (int i = 0; i < s->pristine.nallocs; i++) {
        const DeviceAlloc *a = &s->pristine.allocs[i];
        const uint8_t *want = s->pristine.base + a->addr, *got = s->memory.base + a->addr;
        if (a->heap || a->addr == s->unordered) continue;  // their contents are the program's own business
        s->report->oracle_compared += a->bytes;
        if (!memcmp(want, got, a->bytes)) continue;
        uint32_t at = 0, differing = 0;
        for (uint32_t b = a->bytes; b-- > 0;)
            if (want[b] != got[b]) differing++, at = b;
        return diag_fail(d, EXIT_WRONG_RESULT,
                         "%s: %s differs from the PTX oracle in %u bytes, first at byte %u: oracle 0x%02x, SM 0x%02x",
                         s->launch->name, a->name, differing, at, want[at], got[at]);
    }
    return true;
}

// The memory as it was before the first step, once more: the oracle has changed the first copy.
static bool place_again(Session *s, Diag *d) {
    device_close(&s->pristine);
    if (!device_open(&s->pristine, s->arena, d) || !launch_place(s->launch, &s->pristine, d)) return false;
    for (int i = 0; i < s->nmodules; i++)
        if (!layout_module(&s->modules[i]->layout, s->arena, s->modules[i]->module, &s->pristine, d)) return false;
    return launch_fill(s->launch, &s->pristine, d);
}

// The oracle's pass, and its comparison when it was asked for. A result that is wrong so far (in d) or differs is
// looked at for races; without one it stays as it was.
static bool check_program(Session *s, Diag *d) {
    const bool wrong = !diag_ok(d);
    Diag pass = {0};
    s->found = (OracleFindings){.arena = s->arena, .races = s->o->check_race || wrong};
    if (!run_groups(s, session_oracle_step, &s->pristine, &pass)) {
        if (!wrong) *d = pass;
        findings_judge(s->report, &s->found, s->o, s->arena, d);
        return false;
    }
    if (!wrong && s->o->check_oracle && !session_compare_memory(s, d) && !s->found.races) {
        s->found = (OracleFindings){.arena = s->arena, .races = true};
        if (!place_again(s, &pass) || !run_groups(s, session_oracle_step, &s->pristine, &pass)) return false;
    }
    return findings_judge(s->report, &s->found, s->o, s->arena, d);
}

// A check that was asked for and had nothing to compare has shown nothing.
bool session_checks_compared(const LaunchReport *r, const SessionOptions *o, Diag *d) {
    if (o->check_retire && !r->retire_compared)
        return diag_fail(d, EXIT_VACUOUS, "vacuous: --check retire compared nothing: no warp issued an instruction");
    if (o->check_oracle && !r->oracle_compared)
        return diag_fail(d, EXIT_VACUOUS, "vacuous: --check oracle compared nothing: there is no buffer and no "
                         "variable in global memory");
    if (o->check_codec && !r->counters.v[CTR_ASSIST_CHECKED])
        return diag_fail(d, EXIT_VACUOUS, "vacuous: --check codec compared nothing: no assist warp made a line");
    return true;
}

// Comparisons of all SMs. One that runs golden models only has none.
static void count_ports(Session *s) {
    LaunchReport *r = s->report;
    r->nports = cosim_counts(s->cosim, s->arena, &r->ports);
    for (int k = 0; k < s->nsms; k++) {
        CosimPortCount *more;
        const int n = s->cosims[k] == s->cosim ? 0 : cosim_counts(s->cosims[k], s->arena, &more);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < r->nports; j++)
                if (!strcmp(r->ports[j].block, more[i].block) && !strcmp(r->ports[j].port, more[i].port))
                    r->ports[j].compared += more[i].compared;
    }
}

void session_count_blocks(Session *s) {
    LaunchReport *r = s->report;
    count_ports(s);
    for (int i = 0; i < r->nblocks; i++) {
        BlockReport *b = &r->blocks[i];
        b->states = cosim_states(s->cosim, b->block);
        for (int k = 0; k < s->nsms && b->states >= 0; k++)
            if (s->cosims[k] != s->cosim && cosim_mode(s->cosims[k], b->block) == BLOCK_LOCKSTEP)
                b->states += cosim_states(s->cosims[k], b->block);
    }
}

const Mismatch *session_find_mismatch(Session *s) {
    const Mismatch *first = NULL;
    for (int i = 0; i < s->nsms; i++) {
        const Mismatch *m = s->cosims[i] ? cosim_mismatch(s->cosims[i]) : NULL;
        if (!m || (first && first->cycle <= m->cycle)) continue;
        first = m;
        s->cosim = s->cosims[i];
        s->mismatch_sm = i;
    }
    return first;
}

bool session_finish_blocks(Session *s, bool ok, Diag *d) {
    session_find_mismatch(s);
    for (int i = 0; i < s->nsms; i++) {
        Diag blocks = {0};
        if (!s->cosims[i] || (cosim_mismatch(s->cosim) && s->cosims[i] != s->cosim)) continue;
        if (cosim_finish(s->cosims[i], &blocks) || !(ok || blocks.status == EXIT_MISMATCH)) continue;
        *d = blocks;
        ok = false;
        session_find_mismatch(s);
    }
    return ok;
}

void session_collect_counters(Session *s) {
    s->report->counters = *gpu_counters(s->gpu);
    s->report->sms = s->nsms;
    if (s->nsms == 1) return;
    Counters *of = ARENA_ARRAY(s->arena, Counters, s->nsms);
    for (int i = 0; i < s->nsms; i++) of[i] = gpu_counters_of(s->gpu, i);
    s->report->of_sm = of;
}

void session_collect_blocks(Session *s) {
    LaunchReport *r = s->report;
    const char *blocks[64];
    r->nblocks = cosim_open_blocks(s->cosim, blocks);
    r->blocks = ARENA_ARRAY(s->arena, BlockReport, r->nblocks);
    for (int i = 0; i < r->nblocks; i++) {
        r->blocks[i] = (BlockReport){.block = blocks[i], .mode = cosim_mode(s->cosim, blocks[i]),
                                     .rtl = cosim_rtl(s->cosim, blocks[i])};
        for (int k = 0; k < s->nsms; k++) {
            r->blocks[i].worked += cosim_worked(s->cosims[k], blocks[i]);
            r->blocks[i].idle |= cosim_idle(s->cosims[k], blocks[i]);
        }
        r->blocks[i].idle &= !r->blocks[i].worked;
    }
    r->unclocked = cosim_unclocked(s->cosim);
    count_ports(s);
    for (int k = 0; k < s->nsms; k++) {
        double times[TIME_COUNT] = {0};
        cosim_times(s->cosims[k], times);
        for (int t = 0; t < TIME_COUNT; t++) r->times[t] += times[t];
    }
}

// In a woken snapshot: the run's files are the parent's.
static void become_replay(void *ctx) {
    Session *s = ctx;
    s->trace = NULL;
    gpu_quiet(s->gpu);
}

// Some runs need all blocks in step with the SM: then one thread does everything.
static void choose_threads(Session *s) {
    const CosimOptions co = {.use = s->o->arch.blocks, .shape = s->o->arch.path->shape, .blocks = s->o->blocks, .rtl = s->o->rtl,
                             .testbug = s->o->testbug, .fault = s->o->fault, .wave = s->o->wave, .data_dir = s->o->data_dir,
                             .cache_dir = s->o->cache_dir, .notice = console_notice, .stop = s->o->stop, .threads = s->threads,
                             .if_costly = s->o->threads_auto};
    if (s->threads > 1 && !cosim_would_follow(s->arena, &co, s->cfg)) s->threads = 1;
}

// For tests: SMCOSIM_KEPT=BLOCK and SMCOSIM_QUEUE=BYTES (cosim/cosim.h).
static void set_tested(CosimOptions *co) {
    const char *queue = getenv("SMCOSIM_QUEUE");
    co->kept = getenv("SMCOSIM_KEPT");
    co->queue = queue ? strtoul(queue, NULL, 10) : 0;
}

// One per SM.
static bool open_cosims(Session *s, CosimOptions *co, Diag *d) {
    s->nsms = s->o->sms > 1 ? (int)s->o->sms : 1;
    const int chosen = s->o->lockstep_sm ? s->o->lockstep_sm - 1 : -1;
    CosimOptions plain = {.use = co->use, .shape = co->shape, .blocks = "model", .command_line = co->command_line,
                          .data_dir = co->data_dir, .cache_dir = co->cache_dir, .stop = co->stop, .replaying = co->replaying};
    for (int i = 0; i < s->nsms; i++) {
        s->cosims[i] = cosim_open(s->arena, chosen < 0 || i == chosen ? co : &plain, s->cfg, d);
        if (!s->cosims[i]) return false;
        if (chosen < 0) co->allow_idle = true;  // the first SM has the first CTA
    }
    s->cosim = s->cosims[chosen < 0 ? 0 : chosen];
    return true;
}

static bool open_machine(Session *s, Diag *d) {
    if (s->o->sms > 1) s->threads = 1, s->no_snapshots = true;
    choose_threads(s);
    CosimOptions co = {.use = s->o->arch.blocks, .shape = s->o->arch.path->shape, .blocks = s->o->blocks, .rtl = s->o->rtl,
                       .testbug = s->o->testbug, .fault = s->o->fault, .allow_idle = s->o->allow_idle,
                       .plusargs = s->o->plusargs, .wave = s->o->wave,
                       .bundle_dir = s->again || s->threads > 1 ? NULL : s->o->bundle_dir, .command_line = s->o->command_line,
                       .replay_line = s->o->bundle_dir && !s->no_snapshots ? arena_printf(s->arena, "smcosim replay %s", arena_shell_word(s->arena, s->o->bundle_dir)) : NULL,
                       .data_dir = s->o->data_dir,
                       .cache_dir = s->o->cache_dir, .notice = console_notice, .stop = s->o->stop, .history = 32, .run_on = s->again || s->o->wave ? COSIM_AFTER : 0,
                       .snapshot_interval = s->o->snapshot_interval,
                       .snapshots = s->o->bundle_dir && !s->o->wave && !s->again && !s->no_snapshots && s->threads < 2, .threads = s->threads, .replaying = s->again != NULL,
                       .on_replay = become_replay, .replay_ctx = s};
    set_tested(&co);
    if (s->again) {
        co.recorded = s->again->recorded;
        co.record = s->again->record;
        co.record_ctx = s->again->record_ctx;
    }
    if (s->o->trace && !s->again && !(s->trace = hooks_open(s->arena, s->o->trace, d))) return false;
    if (!open_cosims(s, &co, d)) return false;
    s->report->notes = cosim_notes(s->cosim);
    GpuOptions go = {.cfg = s->cfg, .arch = &s->o->arch, .cosim = s->cosim, .sms = s->nsms, .cosims = s->cosims,
                     .threads = (int)s->o->threads, .shown = s->o->lockstep_sm ? s->o->lockstep_sm - 1 : 0, .memory = &s->memory,
                     .hooks = s->trace ? hooks_of(s->trace) : NULL, .check_retire = s->o->check_retire,
                     .idle = s->o->skip_idle ? GPU_IDLE_SKIP : GPU_IDLE_CLOCK_RTL,
                     .print_to = s->print_to, .max_cycles = s->o->max_cycles, .stop = s->o->stop};
    s->gpu = gpu_open(s->arena, &go, d);
    return s->gpu != NULL;
}

// Does the architecture run on this machine, with the keys of the options, on golden models?
static bool machine_suits(const SessionOptions *options, const char *machine) {
    Arena arena = {0};
    Diag d = {0};
    MachineConfig cfg;
    LaunchReport scratch = {.name = machine};
    SessionOptions o = {.arch = options->arch, .machine = machine, .blocks = "model", .sms = options->sms, .nsets = options->nsets,
                        .data_dir = options->data_dir, .cache_dir = options->cache_dir, .stop = options->stop};
    memcpy(o.sets, options->sets, sizeof o.sets);
    Session s = {.arena = &arena, .o = &o, .report = &scratch};
    bool suits = session_config(&cfg, &arena, &o, &d) && check_options(&arena, &cfg, &o, &d) && device_open(&s.memory, &arena, &d);
    if (suits) {
        s.have_memory = true;
        s.cfg = s.given = session_machine(&arena, &o.arch, &cfg);
        suits = open_machine(&s, &d);
    }
    session_close_machine(&s);
    arena_free(&arena);
    return suits;
}

// If the machine is the reason for the refusal, appends the presets on which the architecture runs.
static void suggest_machines(const SessionOptions *o, Diag *d) {
    Arena arena = {0};
    const char **names, *list = "";
    const int n = d->status != EXIT_USAGE || !o->machine || machine_suits(o, o->machine) ? 0 : config_presets(&arena, o->data_dir, &names);
    for (int i = 0; i < n; i++)
        if (machine_suits(o, names[i])) list = arena_printf(&arena, "%s%s%s", list, *list ? ", " : "", names[i]);
    const size_t at = strlen(d->text);
    if (*list) snprintf(d->text + at, sizeof d->text - at, "; %s runs on --machine %s", o->arch.name, list);
    arena_free(&arena);
}

bool session_check(Arena *arena, const MachineConfig *cfg, const SessionOptions *o, Diag *d) {
    if (check_options(arena, cfg, o, d)) return true;
    suggest_machines(o, d);
    return false;
}

bool session_open_machine(Session *s, Diag *d) {
    if (open_machine(s, d)) return true;
    suggest_machines(s->o, d);
    return false;
}

static bool simulate(Session *s, const char *path, Diag *d) {
    if (!load_all(s, path, d)) return false;
    if (s->o->loaded) s->o->loaded();
    if (!session_open_machine(s, d)) return false;
    double begin = clock_seconds();
    bool ok = run_groups(s, session_sm_step, &s->memory, d);
    s->report->seconds = clock_seconds() - begin;
    session_collect_counters(s);
    s->report->retire_compared = gpu_retire_compared(s->gpu);
    session_collect_blocks(s);
    return ok && gpu_finish(s->gpu, d);
}

void session_close_machine(Session *s) {
    if (s->gpu) gpu_close(s->gpu);
    for (int i = 0; i < s->nsms; i++)
        if (s->cosims[i]) cosim_close(s->cosims[i]);
    if (s->have_memory) device_close(&s->memory);
    if (s->have_pristine) device_close(&s->pristine);
}

// ---- the best number of CTAs ----

bool session_measure(LaunchReport *scratch, Arena *arena, const char *path, const MachineConfig *cfg, const SessionOptions *options,
                     const Arch *arch, int *most_ctas, Diag *d) {
    SessionOptions o = {.arch = *arch, .blocks = "model", .files = options->files, .command_line = options->command_line,
                        .data_dir = options->data_dir, .cache_dir = options->cache_dir, .stop = options->stop, .loaded = options->loaded,
                        .max_cycles = options->max_cycles, .sms = options->sms, .allow_idle = true};
    *scratch = (LaunchReport){.name = path};
    Session s = {.arena = arena, .o = &o, .cfg = cfg, .report = scratch};
    const bool ok = simulate(&s, path, d);
    *most_ctas = s.most_ctas;
    session_close_machine(&s);
    return ok;
}

// Cycles of the launch file on the baseline's golden models with at most so many resident CTAs; *most: that there were.
static bool cycles_with(const char *path, const MachineConfig *cfg, const SessionOptions *options, int ctas, uint64_t *cycles,
                        int *most, Diag *d) {
    Arena arena = {0};
    LaunchReport scratch = {.name = path};
    Arch baseline;
    MachineConfig limited = *cfg;
    limited.sm_ctas = ctas;
    const bool ok = arch_of(&baseline, NULL, 0, d) && session_measure(&scratch, &arena, path, &limited, options, &baseline, most, d);
    *cycles = scratch.counters.v[CTR_CYCLES];
    arena_free(&arena);
    return ok;
}

// opttb: the limit with which the baseline takes the fewest cycles; of equal ones the highest. cfg: as the other
// systems have it.
static bool find_best_ctas(const char *path, MachineConfig *cfg, const SessionOptions *o, LaunchReport *report, Diag *d) {
    uint64_t fewest, cycles;
    int room, unused;
    if (!cycles_with(path, cfg, o, cfg->sm_ctas, &fewest, &room, d)) return false;
    report->best_ctas = report->ctas_there = room;
    for (int n = room - 1; n > 0; n--) {
        if (!cycles_with(path, cfg, o, n, &cycles, &unused, d)) return false;
        if (cycles >= fewest) continue;
        fewest = cycles;
        report->best_ctas = n;
    }
    if (report->best_ctas) cfg->sm_ctas = report->best_ctas;
    return true;
}

static bool begin(Session *s, const char *path, MachineConfig *cfg, Diag *d) {
    s->cfg = cfg;
    return (!s->o->arch.best_ctas || find_best_ctas(path, cfg, s->o, s->report, d)) && simulate(s, path, d);
}

// ---- the wave of a mismatch ----

bool session_again(Arena *arena, const char *path, const MachineConfig *cfg, const SessionOptions *options,
                   SessionAgain *a, Diag *d) {
    LaunchReport scratch = {.name = path};
    SessionOptions o = *options;
    o.check_oracle = o.check_retire = o.check_race = o.check_strict = false;
    o.wave = a->wave;
    Session s = {.arena = arena, .o = &o, .given = cfg, .report = &scratch, .again = a};
    Diag run = {0}, finish = {0};
    begin(&s, path, session_machine(arena, &o.arch, cfg), &run);
    bool begun = s.gpu != NULL;
    if (begun) session_finish_blocks(&s, true, &finish);
    const Mismatch *m = begun ? cosim_mismatch(s.cosim) : NULL;
    a->found = m != NULL;
    if (m) a->met = *m, a->waved = cosim_has_wave(s.cosim);
    a->status = m ? EXIT_MISMATCH : run.status;
    session_close_machine(&s);
    if (begun && (m || run.status != EXIT_INTERRUPTED)) return true;
    *d = run;
    return false;
}

// The same run from its beginning, up to the mismatch.
static CosimReplay run_again(Session *s, const Mismatch *first, Diag *d) {
    SessionAgain again = {.wave = cosim_replay_wave(s->cosim, first->cycle)};
    SessionOptions o = *s->o;
    if (s->nsms > 1) o.lockstep_sm = s->mismatch_sm + 1;
    if (!session_again(s->arena, s->report->path, s->given, &o, &again, d)) return COSIM_REPLAY_FAILED;
    if (!again.found || !cosim_same_mismatch(first, &again.met)) {
        cosim_replay_differs(first, again.found ? &again.met : NULL, d);
        return COSIM_REPLAY_DIFFERS;
    }
    if (again.waved) return COSIM_REPLAY_SAME;
    diag_fail(d, EXIT_ENVIRONMENT, "%s: the wave could not be written", again.wave);
    return COSIM_REPLAY_FAILED;
}

// After a mismatch: meets it again with a wave. Fills the report's `replay`; false: it was not the same.
static bool reproduce(Session *s, Diag *d) {
    const Mismatch *m = cosim_mismatch(s->cosim);
    const char *dir = s->o->bundle_dir;
    if (!m || !dir || cosim_has_wave(s->cosim)) return true;
    uint64_t from = 0;
    Diag replay = {0};
    CosimReplay result = cosim_replay(s->cosim, &from, &replay);
    if (result == COSIM_REPLAY_NONE) result = run_again(s, m, &replay);
    if (result == COSIM_REPLAY_SAME) {
        const char *how = from ? arena_printf(s->arena, "going on from the snapshot of cycle %llu", (unsigned long long)from)
                               : "running again";
        const char *wave = arena_shell_word(s->arena, arena_printf(s->arena, "%s/mismatch.fst", dir));
        const char *save = arena_shell_word(s->arena, arena_printf(s->arena, "%s/mismatch.gtkw", dir));
        s->report->replay = arena_printf(s->arena, "the same mismatch was met again by %s; wave: gtkwave %s %s", how,
                                         wave, save);
        return true;
    }
    s->report->replay = arena_printf(s->arena, "no wave of the mismatch: %s", replay.text);
    if (result != COSIM_REPLAY_DIFFERS) return true;
    s->report->replay = arena_printf(s->arena, "%s", replay.text);
    return diag_fail(d, EXIT_NONDETERMINISTIC, "%s", replay.text);
}

// ---- faults ----

CosimFault session_injected_fault(Session *s) {
    char text[500];
    CosimFault fault = cosim_fault(s->cosim, text, sizeof text);
    if (fault != COSIM_FAULT_NONE) s->report->fault = arena_printf(s->arena, "%s", text);
    return fault;
}

// Everything passed although a fault was asked for: nothing was shown.
static bool miss_fault(LaunchReport *report, CosimFault fault, Diag *d) {
    report->verdict = fault == COSIM_FAULT_NEVER_INJECTED ? "never injected" : "not observed";
    return diag_fail(d, EXIT_VACUOUS, "fault in %s", report->fault);
}

// A seeded fault is told of when nothing showed it: the text of a mismatch names it otherwise.
bool session_fault_judge(Session *s, CosimFault injected, Diag *d) {
    char text[500];
    if (injected != COSIM_FAULT_NONE) return miss_fault(s->report, injected, d);
    const CosimFault seeded = cosim_testbug(s->cosim, text, sizeof text);
    if (seeded != COSIM_FAULT_NOT_OBSERVED) return true;
    s->report->fault = arena_printf(s->arena, "%s", text);
    return miss_fault(s->report, seeded, d);
}

// threads > 1: a mismatch is not reported but left in *ahead; what the kernels printed goes to `prints`.
static bool run_once(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg, const SessionOptions *o,
                     int threads, FILE *prints, Mismatch *ahead, Diag *d) {
    Session s = {.arena = arena, .o = o, .given = cfg, .report = report, .print_to = prints, .threads = threads};
    *report = (LaunchReport){.name = plain_text(arena, path), .path = path, .message = "", .retire_checked = o->check_retire,
                             .oracle_checked = o->check_oracle, .race_checked = o->check_race,
                             .strict_checked = o->check_strict, .codec_checked = o->check_codec, .unclocked = -1, .profile = o->profile};
    CosimFault fault = COSIM_FAULT_NONE;
    bool ok = begin(&s, path, session_machine(arena, &o->arch, cfg), d);
    report->nkernels = s.gpu ? s.nkernels : 0;
    // A mismatch explains a wrong result or a hang that follows from it, so it is looked at first.
    if (s.cosim) {
        ok = session_finish_blocks(&s, ok, d);
        session_count_blocks(&s);
        fault = session_injected_fault(&s);
    }
    const Mismatch *early = s.cosim && cosim_follows(s.cosim) ? cosim_mismatch(s.cosim) : NULL;
    if (early) {
        *ahead = *early;
        if (s.trace) hooks_close(s.trace, 0, &(Diag){0});
        session_close_machine(&s);
        return false;
    }
    const bool simulated = ok && s.launch;
    if (simulated) {
        report->nexpects = s.launch->nexpects;
        if (!o->files) launch_save(s.launch, &s.memory, d);  // a replay writes into no folder but its own
        ok = diag_ok(d) && launch_check(s.launch, &s.memory, &report->result_compared, d);
    }
    if (session_needs_oracle(o) && simulated && (ok || d->status == EXIT_WRONG_RESULT)) ok = check_program(&s, d);
    if (ok) ok = session_checks_compared(report, o, d);
    if (s.trace && !hooks_close(s.trace, s.gpu ? gpu_cycle(s.gpu) : 0, diag_ok(d) ? d : &(Diag){0})) ok = false;
    if (ok) ok = session_fault_judge(&s, fault, d);
    report->status = d->status;
    report->message = arena_strndup(arena, d->text, strlen(d->text));
    const Mismatch *mismatch = s.cosim && d->status == EXIT_MISMATCH ? cosim_mismatch(s.cosim) : NULL;
    Diag file = {0};
    if (mismatch && o->bundle_dir && !bundle_replay_file(arena, s.launch, o, mismatch, s.mismatch_sm, &file))
        report->message = arena_printf(arena, "%s\nthe bundle cannot be replayed: %s", report->message, file.text);
    if (o->verdict) o->verdict(o->verdict_ctx, report);
    Diag again = {0};
    if (mismatch && !reproduce(&s, &again)) {
        *d = again;
        report->status = again.status;
        report->message = arena_strndup(arena, again.text, strlen(again.text));
    }
    session_close_machine(&s);
    return ok;
}

// Is the mismatch of the run with one thread the one that a follower met?
static bool met_again(const Mismatch *ahead, const LaunchReport *report, Diag *d) {
    if (report->status == EXIT_MISMATCH || report->status == EXIT_INTERRUPTED || report->status == EXIT_ENVIRONMENT) return true;
    return cosim_replay_differs(ahead, NULL, d);
}

// Threads pay where a block is in lockstep and none needs to be in step with the SM (choose_threads looks closer).
static bool may_follow(const SessionOptions *o) {
    return o->threads > 1 && o->sms < 2 && strcmp(o->blocks, "model") && strcmp(o->blocks, "rtl") && !o->wave && !o->fault;
}

static bool run_chosen(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg, const SessionOptions *o, Diag *d) {
    Mismatch ahead = {.block = NULL};
    char *printed = NULL;
    size_t n = 0;
    FILE *prints = may_follow(o) ? open_memstream(&printed, &n) : NULL;
    if (!prints) return run_once(report, arena, path, cfg, o, 1, stderr, &ahead, d);
    bool ok = run_once(report, arena, path, cfg, o, (int)o->threads, prints, &ahead, d);
    fclose(prints);
    if (!ahead.block) {
        fwrite(printed, 1, n, stderr);
    } else {
        // The same from its beginning, with the RTL in step: report and bundle are those of one thread.
        *d = (Diag){0};
        ok = run_once(report, arena, path, cfg, o, 1, stderr, &ahead, d);
        if (!met_again(&ahead, report, d)) {
            ok = false;
            report->status = d->status;
            report->message = arena_strndup(arena, d->text, strlen(d->text));
        }
    }
    free(printed);
    return ok;
}

bool session_run(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg, const SessionOptions *o, Diag *d) {
    SessionOptions chosen = *o;
    if (!profile_asked(o, cfg)) return run_chosen(report, arena, path, cfg, o, d);
    if (profile_choose(&chosen, path, cfg, d)) return run_chosen(report, arena, path, cfg, &chosen, d);
    *report = (LaunchReport){.name = plain_text(arena, path), .path = path, .status = d->status, .unclocked = -1,
                             .message = arena_strndup(arena, d->text, strlen(d->text))};
    if (o->verdict) o->verdict(o->verdict_ctx, report);
    return false;
}
