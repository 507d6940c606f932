// SPDX-License-Identifier: Apache-2.0
// The compiler from inside: its text form, its verifier, its allocation checker, its refusals.
#include "compile/ir.h"
#include "machine.h"

#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static MachineConfig config;

typedef struct Unit {
    Arena arena;
    Diag d;
    const PtxModule *module;
    DeviceMemory memory;
    ModuleLayout layout;
} Unit;

static bool open_text(Unit *u, const char *path, const char *text) {
    u->module = ptx_parse(&u->arena, path, text, strlen(text), &u->d);
    return u->module && device_open(&u->memory, &u->arena, &u->d) &&
        layout_module(&u->layout, &u->arena, u->module, &u->memory, &u->d);
}

static void close_unit(Unit *u) {
    if (u->memory.base) device_close(&u->memory);
    arena_free(&u->arena);
    memset(u, 0, sizeof *u);
}

static Ir *front_end(Unit *u, const PtxFunc *entry) {
    SharedLayout *shared = ARENA_NEW(&u->arena, SharedLayout);
    CompileUnit cu = {u->module, &u->layout, shared, config.compiler_stack};
    CompileOptions o = {.max_regs = 63, .cfg = &config};
    if (!layout_shared(shared, &u->arena, u->module, entry, &u->d)) return NULL;
    const RegLimit limit = register_limit(entry, shared->dynamic_offset, &o);
    return compile_to_ir(&u->arena, &cu, entry, &o, &limit, &u->d);
}

static char *ir_text(const Ir *ir) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ir_print(f, ir);
    fclose(f);
    return text;
}

static char *program_text(const IsaProgram *p) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    isa_print(f, p);
    fclose(f);
    return text;
}

static IsaProgram *back_end(Arena *arena, Ir *ir, AllocResult *regs, Diag *d) {
    ssa_destruct(ir);
    if (!alloc_registers(ir, &(RegLimit){.most = 63}, &config, regs, d)) return NULL;
    cfg_analyze(ir);
    return alloc_check(ir, regs, d) ? emit_program(arena, ir, regs, d) : NULL;
}

// ---- text ----

// parse(print(x)) prints the same, and compiles to the same program.
static int round_trip(Unit *u, const PtxFunc *entry) {
    Ir *ir = front_end(u, entry);
    if (!ir) return 0;  // refused: other tests
    char *text = ir_text(ir);
    Ir *again = ir_parse(&u->arena, "dump", text, strlen(text), &u->d);
    if (!again) fail_msg("%s: %s", entry->name, u->d.text);
    char *second = ir_text(again);
    assert_string_equal(text, second);
    AllocResult a, b;
    again->name = ir->name;
    cfg_analyze(again);
    ir_verify(again, true, "parsing");
    IsaProgram *p = back_end(&u->arena, ir, &a, &u->d), *q = back_end(&u->arena, again, &b, &u->d);
    if (!p || !q) fail_msg("%s: %s", entry->name, u->d.text);
    char *x = program_text(p), *y = program_text(q);
    assert_string_equal(x, y);
    free(text);
    free(second);
    free(x);
    free(y);
    return 1;
}

static void test_text(void **state) {
    (void)state;
    glob_t g = {0};
    int kernels = 0;
    glob(TEST_SOURCE_DIR "/bench/kernels/*/*.ptx", 0, NULL, &g);
    glob(TEST_SOURCE_DIR "/tests/ptx/*.ptx", GLOB_APPEND, NULL, &g);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        Unit u = {0};
        char *text;
        size_t len;
        assert_true(file_read(&u.arena, g.gl_pathv[i], &text, &len, &u.d));
        if (open_text(&u, g.gl_pathv[i], text))
            for (int f = 0; f < u.module->nfuncs; f++) {
                Diag none = {0};
                if (!u.module->funcs[f].is_entry ||
                    !ptx_entry(u.module, u.module->funcs[f].name, &none))
                    continue;
                u.d = none;
                kernels += round_trip(&u, &u.module->funcs[f]);
            }
        close_unit(&u);
    }
    globfree(&g);
    assert_true(kernels > 60);
}

static void fill_piece(IrPiece *p, void *ctx, const char *hole, int block) {
    assert_string_equal(hole, "middle");
    *(int *)ctx += 1;
    ir_append(p->ir, block, ISA_MEMBAR, 0);
    ir_name(p, "late", ir_named(p, "a"));
}

// Names, numbers, conditions, a hole and a block that is opened twice; the program's own block goes
// on.
static void test_piece(void **state) {
    (void)state;
    static const char start[] = "ir k local 0 shared 0 params 0 spill 0 0 0 barriers 0\nregs 1 p\n"
                                "block 0 <- -> seq 0\n  iadd %0 <- #1:1, #2:1\n";
    static const char piece[] =
        "regs a:1 q:p\nblocks loop out\n"
        "block main -> loop\n copy %a <- %given\n"
        "block loop -> out loop\n ?yes iadd %b:1 <- %a, #$seven:1 ; $line\n ?no exit %_\n"
        " ?!no ?yes st.shared.b32 %_ <- %b, %a +$seven+4\n ?!yes exit %_\n = middle\n"
        " isetp.eq.and.u32 %_|%q|%_ <- %late, #0:1\n s2r($seven) %c:2\n @!%q bra %_\n"
        "block out\n exit %_\nblock main\n copy %a <- %a\n";
    static const char wanted[] =
        "ir k local 0 shared 0 params 0 spill 0 0 0 barriers 0\nregs 1 p 1 p 1 2\n"
        "block 0 <- -> 1 seq 0\n  iadd %0 <- #1:1, #2:1\n  copy %2 <- %0\n  copy %2 <- %2\n"
        "block 1 <- -> 2 1 seq 0\n  iadd %4 <- %2, #7:1 ; 31\n  st.shared.b32 %_ <- %4, %2 +11\n"
        "  membar %_\n  isetp.eq.and.u32 %_|%3|%_ <- %2, #0:1\n  s2r(7) %5\n  @!%3 bra %_\n"
        "block 2 <- -> seq 0\n  exit %_\n";
    Arena a = {0};
    Diag d = {0};
    Ir *ir = ir_parse(&a, "t.ir", start, strlen(start), &d);
    int filled = 0;
    assert_non_null(ir);
    IrPiece p = {.ir = ir, .fill = fill_piece, .ctx = &filled};
    ir_name(&p, "main", 0), ir_name(&p, "given", 0), ir_name(&p, "seven", 7),
        ir_name(&p, "line", 31);
    ir_name(&p, "yes", 1), ir_name(&p, "no", 0);
    ir_add(&p, piece);
    char *text = ir_text(ir);
    assert_string_equal(text, wanted);
    assert_int_equal(filled, 1);
    free(text);
    arena_free(&a);
}

static void expect_ir_error(const char *text, const char *message) {
    Arena a = {0};
    Diag d = {0};
    assert_null(ir_parse(&a, "t.ir", text, strlen(text), &d));
    if (!strstr(d.text, message)) fail_msg("got: %s\nwanted: %s", d.text, message);
    arena_free(&a);
}

static void test_text_errors(void **state) {
    (void)state;
#define HEAD "ir k local 0 shared 0 params 0 spill 0 0 0 barriers 0\nregs 1 p 2\n"
    expect_ir_error("nonsense\n", "t.ir:1:1: error: found `nonsense`, expected `ir NAME`");
    expect_ir_error("ir k local x", "expected a number");
    expect_ir_error(HEAD, "at least one block");
    expect_ir_error(HEAD "block 0 <- ->\n  iadd %7 <- #1:1, #2:1\n", "t.ir:4:");
    expect_ir_error(HEAD "block 0 <- ->\n  frob %0\n", "found `frob`, expected an opcode");
    expect_ir_error(HEAD "block 0 <- -> 3\n  exit %_\n", "successors that exist");
    expect_ir_error(HEAD "block 0 <- ->\n  iadd %0 <- #1\n", "`:` and a width");
    expect_ir_error(HEAD "  iadd %0 <- #1:1\n", "expected `block`");
}

// ---- verifier ----

// Does the verifier abort on this text?
static bool verifier_rejects(const char *text, bool ssa) {
    pid_t child = fork();
    if (!child) {
        Arena a = {0};
        Diag d = {0};
        if (!freopen("/dev/null", "w", stderr)) _exit(2);
        Ir *ir = ir_parse(&a, "t.ir", text, strlen(text), &d);
        if (!ir) _exit(2);
        cfg_analyze(ir);
        ir_verify(ir, ssa, "a test");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_verifier(void **state) {
    (void)state;
    assert_false(
        verifier_rejects(HEAD "block 0 <- ->\n  iadd %0 <- #1:1, #2:1\n  exit %_\n", true));
    // use before definition, second definition, wrong width, bad PHI, missing successor
    assert_true(
        verifier_rejects(HEAD "block 0 <- ->\n  st.shared.b32 %_ <- #0:1, %0\n  exit %_\n", true));
    assert_true(verifier_rejects(
        HEAD "block 0 <- ->\n  mov %0 <- #1:1\n  mov %0 <- #2:1\n  exit %_\n", true));
    assert_false(verifier_rejects(
        HEAD "block 0 <- ->\n  mov %0 <- #1:1\n  mov %0 <- #2:1\n  exit %_\n", false));
    assert_true(verifier_rejects(HEAD "block 0 <- ->\n  copy %2 <- #1:1\n  exit %_\n", false));
    assert_true(verifier_rejects(HEAD "block 0 <- ->\n  join %2 <- #1:1\n  exit %_\n", false));
    assert_true(verifier_rejects(
        HEAD "block 0 <- -> 1\n  mov %0 <- #1:1\nblock 1 <- 0 ->\n  exit %_\n  mov %0 <- #1:1\n",
        false));
    assert_true(verifier_rejects(HEAD "block 0 <- ->\n  mov %0 <- #1:1\n", false));
    assert_true(verifier_rejects(HEAD "block 0 <- ->\n  mov %1 <- #1:1\n  exit %_\n", false));
}

// ---- allocation checker ----

static const char sample[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n .reg .b32 %r<12>; .reg .b64 %d<9>; .reg "
    ".pred %p<4>;\n"
    " ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, "
    "16; add.s64 %d3, %d1, %d2;\n"
    " ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d3]; mov.u32 %r7, 0; mov.u32 %r10, 3; setp.lt.u32 "
    "%p3, %r2, 11;\n"
    " @%p3 bra L; membar.cta; mov.u32 %r10, 5;\n"
    "L: add.s32 %r3, %r3, %r4; setp.lt.s32 %p1, %r3, %r5; @%p1 bra M; xor.b32 %r4, %r4, %r6;\n"
    "M: add.s32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r1; @%p2 bra L;\n"
    " add.s32 %r3, %r3, %r10; mul.wide.s32 %d4, %r3, %r4; mov.b64 {%r8, %r9}, %d4; "
    "st.global.v4.u32 [%d3], {%r8, %r9, %r4, %r5}; ret;\n}\n";

static void run_sample(Unit *u, const IsaProgram *p, uint32_t out[128]) {
    uint64_t params[2] = {0, 7};
    DeviceMemory m;
    Diag d = {0};
    assert_true(device_open(&m, &u->arena, &d));
    params[0] = device_alloc(&m, "p", 1024);
    uint32_t *words = (uint32_t *)(void *)(m.base + params[0]);
    for (uint32_t i = 0; i < 128; i++) words[i] = (i * 2654435761u) >> 7;
    MachineRun r = {.program = p,
                    .layout = &u->layout,
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = (const uint8_t *)params,
                    .memory = &m,
                    .max_insts = 100000};
    bool ok = machine_run(&r, &d);
    memcpy(out, words, 512);
    if (!ok) memset(out, 0xee, 512);
    device_close(&m);
}

static bool same_text_program(Unit *u, const char *text, int victim, int place, bool *passed,
                              uint32_t out[128]) {
    Diag d = {0};
    AllocResult regs;
    Ir *ir = ir_parse(&u->arena, "sample", text, strlen(text), &d);
    assert_non_null(ir);
    cfg_analyze(ir);
    ssa_destruct(ir);
    assert_true(alloc_registers(ir, &(RegLimit){.most = 63}, &config, &regs, &d));
    cfg_analyze(ir);
    bool exists = victim < ir->nvregs;
    if (victim >= 0 && exists) {
        if (regs.reg[victim] == ISA_RZ) {
            *passed = true;
            return true;
        }
        if (ir->width[victim] && place + ir->width[victim] > regs.nregs)
            regs.nregs = place + ir->width[victim];
        if (!ir->width[victim] && place >= regs.npreds) regs.npreds = place + 1;
        regs.reg[victim] = (uint8_t)place;
    }
    *passed = alloc_check(ir, &regs, &d);
    if (!*passed) return exists;
    IsaProgram *p = emit_program(&u->arena, ir, &regs, &d);
    assert_non_null(p);
    run_sample(u, p, out);
    return exists;
}

// Every single change of a register: either the checker finds it, or the program still computes the
// same.
static void test_allocation_faults(void **state) {
    (void)state;
    Unit u = {0};
    assert_true(open_text(&u, "sample", sample));
    Ir *ir = front_end(&u, &u.module->funcs[0]);
    assert_non_null(ir);
    char *text = ir_text(ir);
    uint32_t want[128], got[128];
    bool passed;
    int found = 0, harmless = 0;
    same_text_program(&u, text, -1, 0, &passed, want);
    assert_true(passed);
    bool more = true;
    for (int v = 0; more; v++)
        for (int place = 0; more && place < 16; place++) {
            memcpy(got, want, sizeof got);
            more = same_text_program(&u, text, v, place, &passed, got);
            if (!more) break;
            if (!passed) found++;
            else {
                harmless++;
                if (memcmp(got, want, sizeof got))
                    fail_msg("register %d at place %d: wrong, and not found", v, place);
            }
        }
    assert_true(found > 50);
    assert_true(harmless > 5);
    free(text);
    close_unit(&u);
}

// ---- refusals ----

static void expect_refusal(const char *body, const char *message) {
    Unit u = {0};
    char *text = arena_printf(&u.arena, ".version 8.0\n.target sm_80\n.address_size 64\n%s", body);
    bool ok = open_text(&u, "bad.ptx", text);
    if (ok) {
        const PtxFunc *entry = ptx_entry(u.module, "k", &u.d);
        ok = entry && front_end(&u, entry);
    }
    if (ok) fail_msg("accepted:\n%s", body);
    if (!strstr(u.d.text, message)) fail_msg("got: %s\nwanted: %s", u.d.text, message);
    assert_int_equal(u.d.status, EXIT_USAGE);
    close_unit(&u);
}

static void test_refusals(void **state) {
    (void)state;
    expect_refusal(".func g();\n.func f()\n{\n call g, ();\n ret;\n}\n.func g()\n{\n .local .b8 "
                   "big[9000];\n call f, ();\n ret;\n}\n"
                   ".visible .entry k()\n{\n call f, ();\n ret;\n}\n",
                   "bad.ptx:10:7: error: a frame of g, which is recursive, has 9024 bytes, the "
                   "stack has 8192 (compiler.stack)");
    expect_refusal(".visible .entry k()\n{\n .reg .b32 %r<3>;\n bar.sync 16;\n ret;\n}\n",
                   "bad.ptx:7:");
    expect_refusal(".visible .entry k(.param .u32 n)\n{\n .reg .b32 %r<3>;\n st.param.u32 [n], "
                   "%r1;\n ret;\n}\n",
                   "bad.ptx:7:");
    expect_refusal(".visible .entry k()\n{\n .reg .b64 %d<3>; .reg .b32 %r<3>; .local .b8 x[8];\n"
                   " atom.local.add.u32 %r1, [x], 1;\n ret;\n}\n",
                   "bad.ptx:7:");
}

// Few registers: the compiler spills, and the program computes the same; fewer than one instruction
// needs: it says so.
static void test_too_few_registers(void **state) {
    (void)state;
    Unit u = {0};
    uint32_t want[128], got[128];
    int spilled = 0;
    assert_true(open_text(&u, "sample", sample));
    for (int regs = 24; regs >= 1; regs--) {
        Diag d = {0};
        AllocResult a;
        Ir *ir = front_end(&u, &u.module->funcs[0]);
        ssa_destruct(ir);
        bool ok = alloc_registers(ir, &(RegLimit){.most = regs}, &config, &a, &d);
        if (regs >= 10) assert_true(ok);
        if (!ok) {
            assert_non_null(strstr(d.text, "registers"));
            continue;
        }
        assert_true(a.nregs <= regs);
        cfg_analyze(ir);
        assert_true(alloc_check(ir, &a, &d));
        IsaProgram *p = emit_program(&u.arena, ir, &a, &d);
        assert_non_null(p);
        spilled += p->spill_stores > 0;
        run_sample(&u, p, regs == 24 ? want : got);
        if (regs < 24) assert_memory_equal(got, want, sizeof got);
    }
    assert_true(spilled > 1);
    close_unit(&u);
}

int main(void) {
#define CFG(field, key, def, least, most, unit, meaning) config.field = def;
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_text_errors),
                                       cmocka_unit_test(test_piece),
                                       cmocka_unit_test(test_verifier),
                                       cmocka_unit_test(test_allocation_faults),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_too_few_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
