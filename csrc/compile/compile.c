// SPDX-License-Identifier: Apache-2.0
// The compiler: calls its passes in order; each pass is one file. Folders: lower/ legalizes for the
// machine, opt/ optimizes, alloc/ assigns registers, hints/ adds metadata. This folder has the IR
// and shared functions.
//   lower/lower*.c     PTX -> machine instructions on virtual registers, calls inlined
//   cfg.c ssa.c        blocks, dominators, post-dominators, loops; static single assignment
//   opt/simplify.c rules_*.c number.c dce.c   copies, constants, fusing, equal and unread
//                                             computations
//   opt/narrow.c       addresses -> 32 bits, where the machine's are
//   scalar/            derives a thread for the scalar unit, if the architecture has one; the
//                      passes below then run on both
//   lower/lower_expand.c     64-bit integers -> words
//   opt/ifconvert.c    short branches -> predication
//   lower/legalize.c   at most one immediate or constant per instruction
//   alloc/limit.c      how many registers the kernel may have
//   opt/schedule.c     latency-aware list scheduling within the register budget
//   destruct.c         out of SSA
//   alloc/alloc.c graph.c color.c spill.c width.c (with live.c)   registers; alloc/alloc_check.c
//   proves the result
//   emit.c             branches, reconvergence points, IsaProgram
// Other files: ir.c (building), irtext.c (--dump ir and parsing), ir_verify.c (between passes).
// These passes follow on the finished program:
//   `regions/`  splits the registers if the architecture acquires some of them temporarily.
//   `hints/affinity.c pairs.c align.c release.c uniform.c hints.c`  metadata for the register path.
//   `hints/window_hints.c homes.c window_check.c window_text.c`  write bits of results.
#include "compile/assist/assist.h"
#include "compile/hints/hints.h"
#include "compile/ir.h"
#include "compile/regions/regions.h"
#include "compile/scalar/gcn.h"
#include "compile/scalar/scalar_program.h"
#include "config/occupancy.h"

#include <string.h>

enum { MAX_ROUNDS = 12 };  // limit of simplification rounds; few kernels require more than four

static void simplify_all(Ir *ir) {
    for (int i = 0; i < MAX_ROUNDS && ir_simplify(ir); i++) {}
}

static void predicate_branches(Ir *ir) {
    while (if_convert(ir)) {
        cfg_analyze(ir);
        simplify_all(ir);
        merge_blocks(ir);
        cfg_analyze(ir);
    }
    simplify_all(ir);
}

// The verifier runs after every pass in debug builds.
static void verify_pass(const Ir *ir, bool ssa, const char *after) {
#ifndef NDEBUG
    ir_verify(ir, ssa, after);
#else
    (void)ir, (void)ssa, (void)after;
#endif
}

// The entry in SSA form, with branches, before it is legalized for the machine's words.
static Ir *to_ssa(Arena *arena, const CompileUnit *u, const PtxFunc *entry, const CompileOptions *o,
                  Diag *d) {
    Ir *ir = ARENA_NEW(arena, Ir);
    ir->arena = arena;
    ir->name = entry->name;
    ir->source = &u->module->src;
    if (!lower_entry(ir, u, entry, d)) return NULL;
    cfg_clean(ir);
    exits_guarded(ir);
    cfg_clean(ir);
    cfg_analyze(ir);
    verify_pass(ir, false, "lowering");
    ssa_build(ir);
    verify_pass(ir, true, "SSA construction");
    simplify_all(ir);
    verify_pass(ir, true, "simplification");
    if (o->cfg->compiler_addr_bits == 32) {
        narrow_addresses(ir);
        verify_pass(ir, true, "narrowing of addresses");
        simplify_all(ir);
    }
    return ir;
}

// The remaining passes up to allocation.
static void to_machine(Ir *ir, const CompileOptions *o, const RegLimit *limit) {
    ir_expand(ir);
    verify_pass(ir, true, "expansion");
    simplify_all(ir);
    verify_pass(ir, true, "simplification of words");
    predicate_branches(ir);
    verify_pass(ir, true, "if conversion");
    ir_legalize(ir);
    verify_pass(ir, true, "legalization");
    if (o->cfg->compiler_schedule == SCHEDULE_LATENCY) ir_schedule(ir, o->cfg, limit);
    verify_pass(ir, true, "scheduling");
}

Ir *compile_to_ir(Arena *arena, const CompileUnit *u, const PtxFunc *entry, const CompileOptions *o,
                  const RegLimit *limit, Diag *d) {
    Ir *ir = to_ssa(arena, u, entry, o, d);
    if (ir) to_machine(ir, o, limit);
    return ir;
}

// Code without PHIs that a paradigm of scalar/ has written or changed.
static void back_to_ssa(Ir *ir) {
    cfg_clean(ir);
    cfg_analyze(ir);
    verify_pass(ir, false, "the scalar paradigm");
    ssa_build(ir);
    verify_pass(ir, true, "SSA construction");
    simplify_all(ir);
    verify_pass(ir, true, "simplification");
}

// Splits the program's registers if requested; --dump hints shows the split in any case.
static IsaProgram *split_registers(Arena *arena, IsaProgram *p, const RegLimit *limit,
                                   const CompileOptions *o, Diag *d) {
    CtaNeed cta = limit->cta;
    if (!o->regions && !o->shared && o->dump != DUMP_HINTS) return p;
    if (o->threads) cta.threads = o->threads;
    cta.shared_bytes = (uint64_t)p->shared_bytes + o->dynamic_shared;
    FILE *out = o->dump == DUMP_HINTS ? o->dump_to : NULL;
    MachineConfig cfg = *o->cfg;
    // the threshold is |Bs| of the size with most warps
    if (o->shared) cfg.regmutex_rule = RULE_MOST;
    IsaProgram *q = regions_split(p, arena, &cfg, &cta, out, d);
    if (q && o->shared) return regions_share(p, q, arena, o->cfg, out, d);
    return o->regions || !q ? q : p;
}

// A program whose registers are split keeps their names.
static IsaProgram *with_window(const IsaProgram *p, WindowNeed need, const RegLimit *limit,
                               const CompileOptions *o, WindowNotes *notes, Arena *arena) {
    need.homeless &= !p->base_regs;
    need.cfg = o->cfg;
    need.cta = limit->cta;
    IsaProgram *q = window_assign(p, &need, notes, arena);
    Diag fault = {0};
    panic_if(!isa_check(q, &fault) || !window_check(q, &fault), "%s", fault.text);
    return q;
}

// Prints the hints of architectures with a window for the machine's own window.
static void dump_hints(const CompileOptions *o, const IsaProgram *p, const RegLimit *limit,
                       Arena *arena) {
    WindowNotes notes;
    WindowNeed need = o->window;
    if (!need.places)
        need = (WindowNeed){
            .places = o->cfg->bow_window, .rows = config_bow_rows(o->cfg, false), .homeless = true};
    hints_print(o->dump_to, p);
    const IsaProgram *q = with_window(p, need, limit, o, &notes, arena);
    window_print(o->dump_to, q, &notes);
}

// The machine for which registers are allocated.
static MachineConfig allocated_for(const MachineConfig *cfg) {
    MachineConfig target = *cfg;
    if (cfg->compiler_rf_entries) target.rf_entries = cfg->compiler_rf_entries;
    return target;
}

// SSA form up to a program.
static IsaProgram *to_program(Arena *arena, Ir *ir, const MachineConfig *target,
                              const RegLimit *limit, Diag *d) {
    AllocResult regs = {0};
    ssa_destruct(ir);
    verify_pass(ir, false, "SSA destruction");
    if (!alloc_registers(ir, limit, target, &regs, d)) return NULL;
    cfg_analyze(ir);
    verify_pass(ir, false, "allocation");
    Diag fault = {0};
    panic_if(!alloc_check(ir, &regs, &fault), "%s", fault.text);
    return emit_program(arena, ir, &regs, d);
}

// The scalar thread's program has one lane, so its registers belong to its unit alone.
static IsaProgram *thread_program(Arena *arena, const ScalarJob *job, const CompileOptions *o,
                                  const MachineConfig *target, Diag *d) {
    const RegLimit limit = {.most = ISA_MAX_REGS};
    back_to_ssa(job->thread);
    to_machine(job->thread, o, &limit);
    IsaProgram *t = to_program(arena, job->thread, target, &limit, d);
    if (t && !t->nregs) t->nregs = t->home_regs = 1;
    return t;
}

// Reason why no scalar unit can hold the thread's registers; NULL: a unit can.
static const char *no_room(Arena *arena, const IsaProgram *thread, const MachineConfig *cfg) {
    // it cannot spill
    if (thread->local_bytes) return "nothing: the thread requires more registers than exist";
    if (thread->nregs <= cfg->scalar_words) return NULL;
    return arena_printf(arena,
                        "nothing: the thread requires %d registers, but a scalar unit has %d",
                        thread->nregs, cfg->scalar_words);
}

// CTAs of the untransformed program that an SM holds, for the checks of `auto`; 0: unknown.
static int resident_ctas(const PtxModule *module, const PtxFunc *entry, const ModuleLayout *layout,
                         const SharedLayout *shared, const CompileOptions *options) {
    CompileOptions plain = *options;
    Arena arena = {0};
    Diag d = {0};
    plain.scalar = COMPILE_SCALAR_NONE;
    plain.dump = DUMP_NONE;
    const IsaProgram *p = compile_kernel(&arena, module, entry, layout, shared, &plain, &d);
    uint64_t ctas = 0;
    if (p) {
        const uint32_t *n = options->block;
        const CtaNeed need = {(int)(n[0] * n[1] * n[2]), p->nregs,
                              (uint64_t)p->shared_bytes + options->dynamic_shared};
        ctas = occupancy_ctas(options->cfg, &need, NULL);
    }
    arena_free(&arena);
    return (int)ctas;
}

IsaProgram *compile_kernel(Arena *arena, const PtxModule *module, const PtxFunc *entry,
                           const ModuleLayout *layout, const SharedLayout *shared,
                           const CompileOptions *options, Diag *d) {
    if (options->scalar == COMPILE_SCALAR_AUTO && !options->resident && options->block[0]) {
        CompileOptions known = *options;
        known.resident = resident_ctas(module, entry, layout, shared, options);
        if (known.resident) return compile_kernel(arena, module, entry, layout, shared, &known, d);
    }
    CompileUnit unit = {module, layout, shared, options->cfg->compiler_stack};
    if (options->dump == DUMP_PTX) ptx_print(options->dump_to, module);
    const MachineConfig target = allocated_for(options->cfg);
    CompileOptions to_allocate = *options;
    to_allocate.cfg = &target;
    const RegLimit limit = register_limit(entry, shared->dynamic_offset, &to_allocate);
    Ir *ir = to_ssa(arena, &unit, entry, options, d);
    if (!ir) return NULL;
    ScalarJob job = {0};
    const bool done = options->scalar && scalar_transform(ir, options, &job);
    if (done && job.changed) back_to_ssa(ir);
    to_machine(ir, options, &limit);
    if (options->dump == DUMP_IR) ir_print(options->dump_to, ir);
    IsaProgram *p = to_program(arena, ir, &target, &limit, d), *thread = NULL;
    if (p) p = split_registers(arena, p, &limit, options, d);
    if (!p) return NULL;
    if (done && job.thread) {
        thread = thread_program(arena, &job, options, &target, d);
        if (!thread) return NULL;
        const char *why = no_room(arena, thread, options->cfg);
        if (why) {
            CompileOptions without = *options;
            without.scalar = COMPILE_SCALAR_NONE;
            p = compile_kernel(arena, module, entry, layout, shared, &without, d);
            if (p) p->scalar_note = why;
            return p;
        }
    }
    if (done && job.scratch)
        p->shared_bytes = job.scratch_at + job.scratch - (int64_t)options->dynamic_shared;
    if (thread) thread->shared_bytes = p->shared_bytes;
    if (options->scalar) p->scalar_note = job.summary ? job.summary : scalar_first_refusal(&job);
    if (options->scalar_regs)
        p = gcn_assign(p, options->scalar_regs, options->cfg->scalar_loads, arena);
    if (options->memo) p = assist_regions(p, options->cfg, options->cfg->memo_cost, arena);
    if (options->strides) p = assist_loads(p, options->cfg->prefetch_loads, arena);
    if (options->dump == DUMP_HINTS) dump_hints(options, p, &limit, arena);
    if (options->dump == DUMP_DOT) hints_print_dot(options->dump_to, p);
    if (options->window.places) p = with_window(p, options->window, &limit, options, NULL, arena);
    if (options->hints) p = hints_attach(p, arena, options->hints);
    if (thread) {
        p->scalar = thread;
        p->half_grid = job.half_grid;
    }
    if (options->dump == DUMP_REGS || options->dump == DUMP_SCALAR) {
        if (options->dump == DUMP_SCALAR) scalar_print(options->dump_to, &job);
        isa_print(options->dump_to, p);
        if (p->scalar) isa_print(options->dump_to, p->scalar);
    }
    return p;
}
