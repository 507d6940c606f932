// SPDX-License-Identifier: Apache-2.0
// Modules, and kernels compiled once for all launches of dimensions that the compiler treats alike.
#include "session/run_parts.h"

#include "compile/compile.h"
#include "config/occupancy.h"
#include "launch/launch.h"

#include <string.h>

enum { LEAST_FIT = 16 };  // registers that some single instructions require

LoadedModule *program_module(Program *p, const char *path, Diag *d) {
    Arena *arena = p->setup->arena;
    for (int i = 0; i < p->nmodules; i++)
        if (!strcmp(p->modules[i]->path, path)) return p->modules[i];
    LoadedModule *m = ARENA_NEW(arena, LoadedModule);
    m->path = path;
    m->module = ptx_load(arena, path, d);
    if (!m->module || !layout_module(&m->layout, arena, m->module, p->memory, d)) return NULL;
    *ARENA_PUSH(arena, p->modules, p->nmodules, p->cap_modules) = m;
    return m;
}

// ---- dimensions of a launch ----

// The largest number of registers with which a CTA of this many threads fits the register file, the
// limit for ptxas. 0: any number fits, or none.
static int registers_that_fit(const MachineConfig *cfg, int threads, int reserve) {
    CtaNeed need = {.threads = threads, .regs = cfg->sm_regs_per_thread};
    if (occupancy_ctas(cfg, &need, NULL)) return 0;
    const int most = occupancy_regs_for(cfg, need, 1, cfg->sm_regs_per_thread) - reserve;
    return most < LEAST_FIT ? 0 : most;
}

KernelDims program_dims(const Program *p, const KernelLaunch *l) {
    const CompilerPart *part = &p->setup->o->arch.compiler;
    KernelDims s = {.scalar = l->scalar};
    if (part->beside && p->setup->cfg->scalar_paradigm != PARADIGM_NONE) {
        memcpy(s.grid, l->grid, sizeof s.grid);
        memcpy(s.block, l->block, sizeof s.block);
        s.dynamic_shared = l->shared_bytes;
    }
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    const int most = threads < INT32_MAX ? (int)threads : INT32_MAX;  // refused at launch
    if (!part->regions && !part->shared) {
        if (!part->packs) s.fit = registers_that_fit(p->setup->cfg, most, part->reserve);
        return s;
    }
    s.threads = most;
    s.dynamic_shared = l->shared_bytes;
    return s;
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_dims(const KernelDims *a, const KernelDims *b) {
    return is_same_text(a->scalar, b->scalar) && a->threads == b->threads &&
        a->dynamic_shared == b->dynamic_shared && a->fit == b->fit &&
        !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block);
}

LoadedKernel *program_find(Program *p, const LoadedModule *m, const char *entry,
                           const KernelDims *dims) {
    for (int i = 0; i < p->nkernels; i++) {
        LoadedKernel *k = &p->kernels[i];
        if (k->module == m && !strcmp(k->entry->name, entry) && is_same_dims(&k->dims, dims))
            return k;
    }
    return NULL;
}

// ---- compiling ----

bool program_lay_out(Program *p, LoadedKernel *k, Diag *d) {
    return layout_shared(&k->shared, p->setup->arena, k->module->module, k->entry, d);
}

// The kernel's barriers with the number scalar.barrier also count the scalar thread.
static bool expect_scalar(const Setup *s, IsaProgram *p, Diag *d) {
    const int number = s->cfg->scalar_barrier;
    for (int i = 0; i < p->ninsts; i++) {
        IsaInst *in = &p->insts[i];
        const bool its = in->op == ISA_BAR && in->src[0].kind == ISA_SRC_IMM &&
            in->src[0].imm == (uint64_t)number;
        if (its && (in->mode == ISA_BAR_RED || in->src[1].kind != ISA_SRC_NONE))
            return diag_fail(d, EXIT_USAGE,
                             "kernel %s: barrier %d is for the scalar thread "
                             "(scalar.barrier), and takes neither a reduction nor a thread count",
                             p->name, number);
        in->with_scalar = its;
    }
    return true;
}

// Reads the scalar thread's program from the launch file, in place of the compiler's program.
static bool take_scalar(const Setup *s, IsaProgram *p, const char *path, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(s->arena, path, &text, &n, d)) return false;
    IsaProgram *thread = isa_parse(s->arena, path, text, n, d);
    if (!thread) return false;
    thread->param_bytes = p->param_bytes;
    if (!expect_scalar(s, p, d)) return false;
    p->scalar = thread;
    p->scalar_note = "program of the launch file";
    return true;
}

bool program_compile(Program *p, LoadedKernel *k, int addr_bits, Diag *d) {
    const Setup *s = p->setup;
    MachineConfig cfg = *s->cfg;
    cfg.compiler_addr_bits = addr_bits;
    if (p->stack_bytes > cfg.compiler_stack) cfg.compiler_stack = p->stack_bytes;
    CompileOptions co = session_compile_options(&s->o->arch, &cfg);
    co.threads = k->dims.threads;
    co.dynamic_shared = k->dims.dynamic_shared;
    memcpy(co.grid, k->dims.grid, sizeof co.grid);
    memcpy(co.block, k->dims.block, sizeof co.block);
    co.params = k->params;
    if (k->dims.scalar) co.scalar = COMPILE_SCALAR_NONE;
    const LoadedModule *m = k->module;
    IsaProgram *made =
        compile_kernel(s->arena, m->module, k->entry, &m->layout, &k->shared, &co, d);
    if (made && k->dims.fit && made->home_regs > k->dims.fit) {
        co.max_regs = k->dims.fit;
        made = compile_kernel(s->arena, m->module, k->entry, &m->layout, &k->shared, &co, d);
    }
    k->program = made;
    return made && (!k->dims.scalar || take_scalar(s, made, k->dims.scalar, d));
}

// ---- the list ----

// Do two programs have the same instructions?
static bool is_same_code(const IsaProgram *a, const IsaProgram *b) {
    char left[256], right[256];
    bool same = a->ninsts == b->ninsts;
    for (int i = 0; same && i < a->ninsts; i++) {
        isa_print_inst(left, sizeof left, &a->insts[i]);
        isa_print_inst(right, sizeof right, &b->insts[i]);
        same = !strcmp(left, right);
    }
    return same;
}

// Two launches with identical code share one program, so that it is one in the instruction cache.
static const IsaProgram *share_code(const Program *p, const LoadedKernel *k) {
    for (int i = 0; i < p->nkernels; i++) {
        const LoadedKernel *have = &p->kernels[i];
        if (have->entry != k->entry || !have->program || !is_same_code(have->program, k->program))
            continue;
        IsaProgram *own = ARENA_NEW(p->setup->arena, IsaProgram);
        *own = *k->program;
        own->insts = have->program->insts;
        return own;
    }
    return k->program;
}

LoadedKernel *program_add(Program *p, const LoadedKernel *k) {
    const bool shares = k->program && p->setup->o->arch.compiler.beside;
    const IsaProgram *code = shares ? share_code(p, k) : k->program;
    LoadedKernel *place = ARENA_PUSH(p->setup->arena, p->kernels, p->nkernels, p->cap_kernels);
    *place = *k;
    place->program = code;
    return place;
}
