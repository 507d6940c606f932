// SPDX-License-Identifier: Apache-2.0
// The program smcosim with one fault seeded into what the compiler makes for the scalar unit, which environment
// variable SCALAR_FAULT names (none: no fault), so that faults.py can show that runs notice. The linker (--wrap) puts
// __wrap_NAME where other files call NAME; __real_NAME is the original.
#include "compile/hints/hints.h"
#include "compile/scalar/scalar.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

// What ld's --wrap calls them.
void __real_uniform_results(const IsaProgram *p, bool *uniform, Arena *arena);
void __wrap_uniform_results(const IsaProgram *p, bool *uniform, Arena *arena);
IrInst *__real_thread_bar(Ir *t, int number);
IrInst *__wrap_thread_bar(Ir *t, int number);
IrPred __real_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
IrPred __wrap_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
IrSrc __real_thread_sreg(Ir *t, int block, int sreg);
IrSrc __wrap_thread_sreg(Ir *t, int block, int sreg);

static bool is(const char *fault) {
    const char *name = getenv("SCALAR_FAULT");
    return name && !strcmp(name, fault);
}

// The number of the thread, and what is computed of it, passes for the same in all lanes.
void __wrap_uniform_results(const IsaProgram *p, bool *uniform, Arena *arena) {
    __real_uniform_results(p, uniform, arena);
    for (int i = 0; is("tid-uniform") && i < p->ninsts; i++)
        uniform[i] |= p->insts[i].op == ISA_S2R || p->insts[i].op == ISA_IMAD || p->insts[i].op == ISA_LEA;
}

// One barrier of the pair has another number.
IrInst *__wrap_thread_bar(Ir *t, int number) {
    static int calls;
    return __real_thread_bar(t, is("other-barrier") && calls++ == 1 ? number + 1 : number);
}

static bool is_zero(const IrSrc *s) { return s->kind == ISA_SRC_IMM && s->imm == 0; }

// Item 0 counts as ended; a warp that holds items counts as empty.
IrPred __wrap_thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b) {
    if (is("item-lost") && cmp == ISA_GE && type == ISA_S32 && is_zero(&b)) cmp = ISA_GT;
    if (is("item-twice") && cmp == ISA_LT && type == ISA_U32) cmp = ISA_LE;
    return __real_thread_setp(t, block, cmp, type, a, b);
}

// The thread prefetches for the wrong CTA.
IrSrc __wrap_thread_sreg(Ir *t, int block, int sreg) {
    if (is("other-cta") && sreg == ISA_SREG_NCTA_RESIDENT) sreg = ISA_SREG_CTA_LINEAR;
    return __real_thread_sreg(t, block, sreg);
}
