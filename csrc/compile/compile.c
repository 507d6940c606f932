// SPDX-License-Identifier: Apache-2.0
// The compiler: the order of its passes.
#include "compile/ir.h"

#include <string.h>

static void optimize(Ir *ir) {
    expand(ir);
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
    ssa_destruct(ir);
    if (!alloc_registers(ir, options->max_regs, &regs, d)) return NULL;
    IsaProgram *p = emit_program(arena, ir, &regs, d);
    if (p && options->dump == DUMP_REGS) isa_print(options->dump_to, p);
    return p;
}
