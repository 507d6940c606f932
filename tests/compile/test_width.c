// SPDX-License-Identifier: Apache-2.0
// Expected widths of values, and coloring that keeps one width in one register.
#include "compile/alloc/alloc.h"
#include "machine.h"
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const IsaProgram *compiled(Arena *arena, int widths, const char *body) {
    Diag d = {0};
    MachineConfig cfg = machine_fermi;
    cfg.compiler_widths = widths;
    const IsaProgram *p = machine_compile(
        arena, &(CompileOptions){.max_regs = 63, .cfg = &cfg, .packs = true}, "", body, &d);
    if (!p) fail_msg("%s", d.text);
    return p;
}

// ---- estimate ----

typedef struct Case {
    const char *line;
    int bytes;  // of %0
} Case;

// %1 is a lane, %2 a thread, %3 a CTA, %4 a loaded byte, %5 a loaded word, %6 a pointer, %7 a
// counter, %8 a hash.
static int expected(const char *line) {
    Arena arena = {0};
    Diag d = {0};
    int pointer = 4;
    const char *text = arena_printf(
        &arena,
        "ir k local 0 shared 0 params 32 spill 0 0 0 barriers 0\n"
        "regs 1 1 1 1 1 1 1 1 1 2 p 1\n"
        "block 0 <- -> 1 seq 0\n"
        "  s2r(%d) %%1\n  s2r(%d) %%2\n  s2r(%d) %%3\n"
        "  ld.global.b8.s8 %%4 <- %%6\n  ld.global.b32.u32 %%5 <- %%6\n"
        "  mov %%6 <- c[0][0]:1\n  copy %%7 <- #0:1\n  copy %%8 <- #1:1\n  mov %%9 <- #-1:2\n"
        "block 1 <- 0 1 -> 1 2 seq 1\n"
        "  iadd %%11 <- %%7, #1:1\n  copy %%7 <- %%11\n  imul.lo.s32 %%8 <- %%8, #25:1\n"
        "  isetp.lt.and.u32 %%_|%%10|%%_ <- %%7, #64:1\n  @%%10 bra %%_\n"
        "block 2 <- 1 -> seq 2\n  %s\n  exit %%_\n",
        PTX_SREG_LANEID, PTX_SREG_TID_X, PTX_SREG_CTAID_X, line);
    Ir *ir = ir_parse(&arena, "k.ir", text, strlen(text), &d);
    if (!ir) fail_msg("%s", d.text);
    ir->zero_params = &pointer;
    ir->nzero_params = 1;
    cfg_analyze(ir);
    Live live;
    live_compute(&live, ir, &arena);
    const int bytes = width_estimate(ir, &live, 96, &arena)[live.unit[0]];
    arena_free(&arena);
    return bytes;
}

static void test_estimate(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"copy %0 <- #7f:1", 1},
        {"copy %0 <- #80:1", 2},
        {"copy %0 <- #ffffff80:1", 1},
        {"copy %0 <- #ffffff7f:1", 2},
        {"copy %0 <- #7fffff:1", 3},
        {"copy %0 <- #800000:1", 4},
        {"copy %0 <- #80000000:1", 4},
        {"copy %0 <- %1", 1},
        {"copy %0 <- %2", 1},  // 96 threads
        {"lea.shift=2 %0 <- %2, #0:1", 2},
        {"iadd %0 <- %2, %6", 4},                // an address
        {"iadd %0 <- %2, c[0][18]:1", 2},        // a size
        {"imad.lo.s32 %0 <- %3, #80:1, %2", 2},  // index of a thread
        {"copy %0 <- %4", 1},
        {"iadd %0 <- %4, %4", 2},
        {"copy %0 <- %5", 2},
        {"copy %0 <- %7", 2},  // a counter whose end is not looked for
        {"copy %0 <- %8", 4},
        {"lop3.lut=0xc0 %0 <- %8, #3f:1, #0:1", 1},  // masked
        {"lop3.lut=0x3c %0 <- %1, %2, #0:1", 1},     // xor
        {"shr.u32 %0 <- %8, #1c:1", 1},
        {"shr.s32 %0 <- %5, #1:1", 1},
        {"shl.u32 %0 <- %1, #4:1", 2},
        {"imnmx.s32.mode=1 %0 <- %1, %4", 1},
        {"fadd %0 <- %1, %2", 4},
        {"popc %0 <- %8", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (expected(cases[i].line) != cases[i].bytes)
            fail_msg("%s: %d bytes, expected %d", cases[i].line, expected(cases[i].line),
                     cases[i].bytes);
}

// ---- coloring ----

// Short lives of lanes and of floats in turn.
static const char alternating[] = "ld.param.u64 %rd3, [x]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, "
                                  "%r2, 4; add.s64 %rd5, %rd3, %rd4;\n"
#define TURN(at) \
    "ld.global.f32 %f1, [%rd5+" #at "]; add.f32 %f1, %f1, %f1; st.global.f32 [%rd5+" #at \
    "], %f1;\n" \
    "mov.u32 %r3, %laneid; and.b32 %r3, %r3, 15; add.u32 %r3, %r3, 1; st.shared.u32 [s+" #at \
    "], %r3;\n"
    TURN(0) TURN(128) TURN(256) TURN(384) TURN(512);

// Registers that hold floats and lanes.
static int mixed(const IsaProgram *p) {
    uint64_t floats = 0, lanes = 0;
    for (int i = 0; i < p->ninsts; i++) {
        if (p->insts[i].op == ISA_FADD) floats |= 1ull << p->insts[i].dst;
        if (p->insts[i].op == ISA_LOP3) lanes |= 1ull << p->insts[i].dst;
    }
    return __builtin_popcountll(floats & lanes);
}

static void test_coloring(void **unused) {
    (void)unused;
    Arena arena = {0};
    const IsaProgram *mixing = compiled(&arena, WIDTHS_NEVER, alternating);
    const IsaProgram *apart = compiled(&arena, WIDTHS_PACKING, alternating);
    assert_true(mixed(mixing) > 0);
    assert_int_equal(mixed(apart), 0);
    assert_in_range(apart->nregs, 1, 20);  // registers that cost no warp
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimate),
                                       cmocka_unit_test(test_coloring)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
