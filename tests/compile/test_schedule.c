// SPDX-License-Identifier: Apache-2.0
// Scheduling under launch bounds: loads of a loop wait for memory together, not one after the
// other. Latency that resident warps hide does not crowd loads together.
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// y = sum of a[i] * x[column[i]] over four columns a turn.
static const char gather[] =
    "ld.param.u64 %rd1, [column]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [x];\n"
    "mov.u32 %r1, %tid.x; mov.f32 %f0, 0f00000000;\n"
    "loop:\n"
#define COLUMN(n) \
    "add.s32 %r2, %r1, " #n \
    "; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4;\n" \
    "ld.global.nc.u32 %r3, [%rd5]; mul.wide.u32 %rd7, %r3, 4; add.s64 %rd8, %rd3, %rd7;\n" \
    "ld.global.nc.f32 %f1, [%rd8]; ld.global.nc.f32 %f2, [%rd6]; fma.rn.f32 %f0, %f1, %f2, %f0;\n"
    COLUMN(0) COLUMN(1) COLUMN(2)
        COLUMN(3) "add.s32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, 1000; @%p1 bra loop;\n"
                  "mov.u32 %r4, %tid.x; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd3, %rd4; "
                  "st.global.f32 [%rd5], %f0;\n";
// Forty words of shared memory, added up in four sums.
static const char sums[] =
    "mov.u32 %r1, s; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 4, %r1;\n"
    "mov.f32 %f0, 0f00000000; mov.f32 %f4, %f0; mov.f32 %f5, %f0; mov.f32 %f6, %f0;\n"
#define TERM(n, sum) "ld.shared.f32 %f1, [%r1+" #n "]; add.f32 %f" #sum ", %f" #sum ", %f1;\n"
#define TERMS(n) \
    TERM(n##00, 0) \
    TERM(n##04, 4) \
    TERM(n##08, 5) \
    TERM(n##12, 6) \
    TERM(n##16, 0) TERM(n##20, 4) TERM(n##24, 5) TERM(n##28, 6) TERM(n##32, 0) TERM(n##36, 4)
    TERMS(1) TERMS(2) TERMS(3)
        TERMS(4) "add.f32 %f0, %f0, %f4; add.f32 %f5, %f5, %f6; add.f32 %f0, %f0, %f5;\n"
                 "ld.param.u64 %rd3, [x]; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd3, %rd4; "
                 "st.global.f32 [%rd5], %f0;\n";

static const IsaProgram *compiled(Arena *arena, const char *bounds, const char *body) {
    Diag d = {0};
    const IsaProgram *p = machine_compile(
        arena, &(CompileOptions){.max_regs = 63, .cfg = &machine_fermi}, bounds, body, &d);
    if (!p) fail_msg("%s", d.text);
    return p;
}

// How often, from the first load on, an instruction reads the result of a load that was issued
// after the last wait.
static int waits(const IsaProgram *p) {
    uint64_t loaded = 0;
    int n = 0;
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        uint8_t regs[ISA_MAX_SRC_WORDS];
        const int reads = isa_reads(in, regs);
        for (int k = 0; k < reads; k++)
            if (loaded >> regs[k] & 1) {
                n++;
                loaded = 0;  // loads return in order
            }
        const int writes = isa_writes(in, regs);
        for (int k = 0; k < writes; k++) loaded &= ~(1ull << regs[k]);
        if (in->op == ISA_LD) loaded |= 1ull << in->dst;
    }
    return n;
}

static void test_gather(void **unused) {
    (void)unused;
    Arena arena = {0};
    const IsaProgram *free_regs = compiled(&arena, "", gather);
    const IsaProgram *bounded = compiled(&arena, ".maxntid 192, 1, 1\n.minnctapersm 8", gather);
    assert_int_equal(waits(free_regs), 2);  // columns; then the values
    assert_int_equal(waits(bounded), 2);
    assert_in_range(bounded->nregs, 1, 20);
    arena_free(&arena);
}

static void test_sums(void **unused) {
    (void)unused;
    Arena arena = {0};
    const IsaProgram *alone = compiled(&arena, ".maxntid 64, 1, 1\n.maxnreg 20", sums);
    const IsaProgram *many = compiled(&arena, ".maxntid 256, 1, 1\n.minnctapersm 6", sums);
    assert_true(2 * waits(alone) <= waits(many));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gather), cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
