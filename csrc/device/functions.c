// SPDX-License-Identifier: Apache-2.0
// Functions and variables of modules.
#include "device/context_parts.h"

#include <stdlib.h>
#include <string.h>

int function_of(Context *c, uint64_t id, ContextFunction **f) {
    if (id >= (uint64_t)c->nfunctions) return CUDA_InvalidResourceHandle;
    *f = &c->functions[id];
    return CUDA_Success;
}

// With --only, the oracle runs kernels that the compiler rejects.
static bool compile_or_keep(Context *c, LoadedKernel *k, Diag *d) {
    if (program_compile(&c->run.program, k, c->run.setup.cfg->compiler_addr_bits, d)) return true;
    if (!c->o->only || d->status != EXIT_USAGE) return false;
    k->refused = arena_strndup(c->arena, d->text, strlen(d->text));
    *d = (Diag){0};
    return true;
}

static LoadedKernel *load_kernel(Context *c, const ContextFunction *f, const KernelLaunch *l,
                                 Diag *d) {
    Program *p = &c->run.program;
    const LoadedModule *m = &f->module->loaded;
    const PtxFunc *entry = ptx_entry(m->module, f->name, d);
    if (!entry) return NULL;
    LoadedKernel k = {.module = m, .entry = entry, .dims = program_dims(p, l)};
    LoadedKernel *have = program_find(p, m, entry->name, &k.dims);
    if (have) return have;
    return program_lay_out(p, &k, d) && compile_or_keep(c, &k, d) ? program_add(p, &k) : NULL;
}

int function_kernel(Context *c, const ContextFunction *f, const KernelLaunch *l,
                    LoadedKernel **kernel) {
    Diag d = {0};
    LoadedKernel *k = *kernel = load_kernel(c, f, l, &d);
    if (!k) return context_judge(c, &d), CUDA_InvalidPtx;
    if (k->report) return CUDA_Success;
    KernelReport *r = k->report = ARENA_NEW(c->arena, KernelReport);
    const IsaProgram *p = k->program;
    if (!p) {
        *r = (KernelReport){.name = f->name, .registers = ISA_MAX_REGS, .limited_by = "-"};
        context_warn(c, "%s\n  kernel %s: only the oracle can execute it", k->refused, f->name);
        return CUDA_Success;
    }
    *r = (KernelReport){.name = f->name,
                        .registers = p->home_regs,
                        .insts = p->ninsts,
                        .spill_bytes = p->spill_bytes,
                        .local_bytes = p->local_bytes,
                        .limited_by = "-",
                        .scalar = p->scalar_note};
    return CUDA_Success;
}

static bool has_entry(const PtxModule *m, const char *name) {
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i].is_entry && !strcmp(m->funcs[i].name, name)) return true;
    return false;
}

// Offset and size of each parameter.
static void list_params(const PtxFunc *entry, Answer *answer) {
    answer->reply.bytes = (uint64_t)entry->nparams * 8;
    uint32_t *list = malloc(answer->reply.bytes + 1);
    panic_if(!list, "out of memory");
    for (int i = 0; i < entry->nparams; i++) {
        list[2 * i] = (uint32_t)entry->params[i].offset;
        list[2 * i + 1] = (uint32_t)entry->params[i].bytes;
    }
    answer->payload = (uint8_t *)list;
}

uint64_t function_shared(const LoadedKernel *k) {
    return k->program ? (uint64_t)k->program->shared_bytes : k->shared.static_bytes;
}

// Threads of a CTA.
static int limit_threads(const PtxFunc *entry) {
    const int *most = entry->maxntid[0] ? entry->maxntid : entry->reqntid;
    int threads = MOST_THREADS;
    if (most[0]) threads = most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1);
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

int function_find(Context *c, uint64_t module, const char *name, Answer *answer) {
    static const KernelLaunch usual = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    ContextModule *m;
    const int error = registered_ready(c, module, &m);
    if (error) return error;
    if (!has_entry(m->loaded.module, name)) return CUDA_InvalidDeviceFunction;
    const ContextFunction f = {m, arena_strndup(c->arena, name, strlen(name))};
    LoadedKernel *k;
    const int bad = function_kernel(c, &f, &usual, &k);
    if (bad) return bad;
    CudaAnswered *to = &answer->reply.answered;
    const char *target = m->loaded.module->target;
    to->function.function = (uint64_t)c->nfunctions;
    to->function.registers = (uint64_t)k->report->registers;
    to->function.shared = function_shared(k);
    to->function.local = k->program ? (uint64_t)k->program->local_bytes : 0;
    to->function.constant = m->loaded.layout.const_bytes;
    to->function.most_threads = (uint64_t)limit_threads(k->entry);
    to->function.ptx = target && strlen(target) > 3 ? strtoul(target + 3, NULL, 10) : 0;
    to->function.param_bytes = (uint64_t)k->entry->param_bytes;
    list_params(k->entry, answer);
    *ARENA_PUSH(c->arena, c->functions, c->nfunctions, c->cap_functions) = f;
    return CUDA_Success;
}

// ---- variables ----

int variable_find(Context *c, uint64_t module, const char *name, Answer *answer) {
    ContextModule *m;
    const int error = registered_ready(c, module, &m);
    if (error) return error;
    const PtxModule *ptx = m->loaded.module;
    CudaAnswered *to = &answer->reply.answered;
    for (int i = 0; i < ptx->nvars; i++) {
        const PtxVar *v = &ptx->vars[i];
        if (strcmp(v->name, name) || (v->space != PTX_GLOBAL && v->space != PTX_CONST)) continue;
        to->variable.address = m->loaded.layout.var_addr[i];
        if (v->space == PTX_CONST) to->variable.address += CUDA_CONST_BASE + module * CONST_WINDOW;
        to->variable.bytes = (uint64_t)v->bytes;
        return CUDA_Success;
    }
    return CUDA_InvalidSymbol;
}
