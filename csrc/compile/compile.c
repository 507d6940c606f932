// SPDX-License-Identifier: Apache-2.0
// The compiler: the order of its passes, one per file.
//   lower*.c      PTX -> machine instructions on virtual registers, calls inlined
//   cfg.c ssa.c   blocks, dominators, post-dominators, loops; static single assignment
//   simplify.c rules_*.c number.c dce.c   copies, constants, fusing, equal and unread computations
//   narrow.c      addresses -> 32 bits, where the machine's are
//   expand.c      64-bit integers -> words
//   ifconvert.c   short branches -> predication
//   legalize.c    at most one immediate or constant per instruction
//   schedule.c    latency-aware list scheduling within the register budget
//   destruct.c    out of SSA
//   alloc.c graph.c color.c spill.c live.c   registers; check.c proves the result
//   emit.c        branches, reconvergence points, IsaProgram
// Beside them: ir.c (building), irtext.c (--dump ir and back), verify.c (between passes). After
// them, on the program: affinity.c pairs.c align.c release.c hints.c, metadata for the register path.
#include "compile/hints.h"
#include "compile/ir.h"

#include <string.h>

enum { LEAST_REGS = 16, LANES = 32 };
enum { MAX_ROUNDS = 12 };  // of simplification; few kernels need more than four

static void simplify_all(Ir *ir) {
    for (int i = 0; i < MAX_ROUNDS && simplify(ir); i++) {}
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
static void verify(const Ir *ir, bool ssa, const char *after) {
#ifndef NDEBUG
    ir_verify(ir, ssa, after);
#else
    (void)ir, (void)ssa, (void)after;
#endif
}

// Registers that leave room for the CTAs per SM that .minnctapersm asks for: a wish, for which
// nothing is spilled.
static int wished_registers(const PtxFunc *f, const MachineConfig *cfg) {
    const int *dim = f->reqntid[0] ? f->reqntid : f->maxntid;
    int threads = 1;
    for (int i = 0; i < 3; i++) threads *= dim[i] > 0 ? dim[i] : 1;
    if (f->minnctapersm < 1 || !dim[0]) return ISA_MAX_REGS;
    int64_t warps = (int64_t)((threads + ISA_LANES - 1) / ISA_LANES) * f->minnctapersm;
    int fit = config_thread_regs(cfg, warps);
    return fit < 16 ? 16 : fit;
}

Ir *compile_to_ir(Arena *arena, const CompileUnit *u, const PtxFunc *entry, const CompileOptions *o,
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
    verify(ir, false, "lowering");
    ssa_build(ir);
    verify(ir, true, "SSA construction");
    simplify_all(ir);
    verify(ir, true, "simplification");
    if (o->cfg->compiler_addr_bits == 32) {
        narrow_addresses(ir);
        verify(ir, true, "narrowing of addresses");
        simplify_all(ir);
    }
    expand(ir);
    verify(ir, true, "expansion");
    simplify_all(ir);
    verify(ir, true, "simplification of words");
    predicate_branches(ir);
    verify(ir, true, "if conversion");
    legalize(ir);
    verify(ir, true, "legalization");
    schedule(ir, o, wished_registers(entry, o->cfg));
    verify(ir, true, "scheduling");
    return ir;
}

// Registers per thread: .maxnreg, and what lets .minnctapersm CTAs of .maxntid threads be resident.
static int register_limit(const PtxFunc *entry, const CompileOptions *o) {
    const int *most = entry->reqntid[0] ? entry->reqntid : entry->maxntid;
    int limit = o->max_regs, threads = 1;
    if (entry->maxnreg && entry->maxnreg < limit) limit = entry->maxnreg;
    for (int i = 0; i < 3; i++) threads *= most[i] ? most[i] : 1;
    if (entry->minnctapersm && most[0]) {
        int64_t warps = (int64_t)((threads + LANES - 1) / LANES) * entry->minnctapersm;
        int fit = config_thread_regs(o->cfg, warps);
        if (fit < limit) limit = fit;
    }
    int least = o->max_regs < LEAST_REGS ? o->max_regs : LEAST_REGS;
    return limit < least ? least : limit;
}

IsaProgram *compile_kernel(Arena *arena, const PtxModule *module, const PtxFunc *entry,
                           const ModuleLayout *layout, const SharedLayout *shared,
                           const CompileOptions *given, Diag *d) {
    CompileOptions limited = *given, *options = &limited;
    limited.max_regs = register_limit(entry, given);
    CompileUnit unit = {module, layout, shared};
    AllocResult regs = {0};
    if (options->dump == DUMP_PTX) ptx_print(options->dump_to, module);
    int limit = options->max_regs;
    if (entry->maxnreg > 0 && entry->maxnreg < limit)
        limit = entry->maxnreg < 16 ? 16 : entry->maxnreg;
    CompileOptions bounded = *options;
    bounded.max_regs = limit;
    Ir *ir = compile_to_ir(arena, &unit, entry, &bounded, d);
    if (!ir) return NULL;
    if (options->dump == DUMP_IR) ir_print(options->dump_to, ir);
    ssa_destruct(ir);
    verify(ir, false, "SSA destruction");
    if (!alloc_registers(ir, limit, options->cfg, &regs, d)) return NULL;
    cfg_analyze(ir);
    verify(ir, false, "allocation");
    Diag fault = {0};
    panic_if(!alloc_check(ir, &regs, &fault), "%s", fault.text);
    IsaProgram *p = emit_program(arena, ir, &regs, d);
    if (!p) return NULL;
    if (options->dump == DUMP_HINTS) hints_print(options->dump_to, p);
    if (options->dump == DUMP_DOT) hints_print_dot(options->dump_to, p);
    if (options->hints) p = hints_attach(p, arena, options->hints);
    if (options->dump == DUMP_REGS) isa_print(options->dump_to, p);
    return p;
}
