// SPDX-License-Identifier: Apache-2.0
// The compiler: the order of its passes.
#include "compile/ir.h"

#include <string.h>

enum { MAX_ROUNDS = 12 };  // of simplification; few kernels need more than four

static void simplify_all(Ir *ir) {
    for (int i = 0; i < MAX_ROUNDS && simplify(ir); i++) {}
}

static void optimize(Ir *ir) {
    simplify_all(ir);
    expand(ir);
    simplify_all(ir);
    legalize(ir);
}

IsaProgram *compile_kernel(Arena *arena, const PtxModule *module, const PtxFunc *entry,
                           const ModuleLayout *layout, const SharedLayout *shared,
                           const CompileOptions *options, Diag *d) {
    CompileUnit unit = {module, layout, shared};
    Ir *ir = ARENA_NEW(arena, Ir);
    AllocResult regs = {0};
    ir->arena = arena;
    ir->name = entry->name;
    ir->source = &module->src;
    if (!lower_entry(ir, &unit, entry, d)) return NULL;
    cfg_clean(ir);
    cfg_analyze(ir);
    ssa_build(ir);
    optimize(ir);
    schedule(ir, options);
    ssa_destruct(ir);
    if (!alloc_registers(ir, options->max_regs, options->cfg, &regs, d)) return NULL;
    IsaProgram *p = emit_program(arena, ir, &regs, d);
    if (p && options->dump == DUMP_REGS) isa_print(options->dump_to, p);
    return p;
}
