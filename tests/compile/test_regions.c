// SPDX-License-Identifier: Apache-2.0
// Registers split in base and extended ones: the examples of the thesis's chapter 4 and the reasons
// to reject a candidate. Random programs run against paths of a warp, and the proof must find
// seeded faults.
#include "compile/regions/regions.h"
#include "machine.h"
#include "ptx/ptx.h"
#include "warp_paths.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const CtaNeed shape = {.threads = 64};  // two warps

static MachineConfig machine(int es) {
    MachineConfig c = machine_fermi;
    c.sm_ctas = 24;
    c.regmutex_es = es;
    return c;
}

static IsaProgram *program(Arena *arena, int nregs, const char *body) {
    Diag d = {0};
    char *text = arena_printf(arena, ".kernel k\n.regs %d\n.preds 2\n.barriers 1\n%s", nregs, body);
    IsaProgram *p = isa_parse(arena, "k.isa", text, strlen(text), &d);
    if (!p || !isa_check(p, &d)) fail_msg("%s", d.text);
    return p;
}

static IsaProgram *split(Arena *arena, const IsaProgram *p, const MachineConfig *cfg) {
    Diag d = {0};
    IsaProgram *q = regions_split(p, arena, cfg, &shape, NULL, &d);
    if (!q) fail_msg("%s", d.text);
    return q;
}

static int count(const IsaProgram *p, IsaOp op) {
    int n = 0;
    for (int i = 0; i < p->ninsts; i++) n += p->insts[i].op == op;
    return n;
}

static char *text_of(Arena *arena, const IsaProgram *p) {
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    isa_print(out, p);
    fclose(out);
    char *copy = arena_strndup(arena, text, n);
    free(text);
    return copy;
}

// ---- choice ----

static Choice choice(const MachineConfig *c, int nregs) {
    Choice k;
    choose_candidates(&k, c, &shape, nregs);
    k.chosen = choose_best(&k, c);
    return k;
}

static void expect_sizes(const MachineConfig *c, int nregs, int n, const int *sizes) {
    const Choice k = choice(c, nregs);
    assert_int_equal(k.n, n);
    for (int i = 0; i < n; i++) assert_int_equal(k.cand[i].ext, sizes[i]);
}

// The example: 24 registers, 1024 rows, 48 warps.
static void test_choice(void **unused) {
    (void)unused;
    MachineConfig c = machine(-1);
    Choice k = choice(&c, 24);
    expect_sizes(&c, 24, 4, (const int[]){2, 4, 6, 8});
    expect_sizes(&c, 21, 4, (const int[]){2, 4, 6, 8});
    assert_true(k.limited);
    assert_int_equal(k.warps, 42);
    static const uint64_t warps[] = {46, 48, 48, 48}, sections[] = {6, 16, 26, 32};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(k.cand[i].base, 24 - k.cand[i].ext);
        assert_int_equal(k.cand[i].fits.warps, warps[i]);
        assert_int_equal(k.cand[i].fits.sections, sections[i]);
    }
    assert_int_equal(k.cand[k.chosen].ext, 6);
    c.regmutex_pick = PICK_LARGEST;
    k = choice(&c, 24);
    assert_int_equal(k.cand[k.chosen].ext, 8);
}

// R of the sizes of Table 4.1, both ways of rounding.
static void test_sizes(void **unused) {
    (void)unused;
    MachineConfig c = machine(-1);
    expect_sizes(&c, 28, 3, (const int[]){2, 4, 8});
    expect_sizes(&c, 32, 3, (const int[]){4, 6, 8});
    expect_sizes(&c, 36, 2, (const int[]){10, 12});
    expect_sizes(&c, 44, 3, (const int[]){4, 6, 8});
    expect_sizes(&c, 40, 6, (const int[]){4, 6, 8, 10, 12, 14});
    c.rf_entries = 64;
    expect_sizes(&c, 12, 2, (const int[]){2, 4});
    expect_sizes(&c, 16, 2, (const int[]){2, 4});
    expect_sizes(&c, 20, 3, (const int[]){2, 4, 6});
    c.regmutex_round = ROUND_EVEN;
    expect_sizes(&c, 20, 4, (const int[]){2, 4, 6, 8});
    expect_sizes(&c, 32, 5, (const int[]){4, 6, 8, 10, 12});
    expect_sizes(&c, 36, 5, (const int[]){4, 6, 8, 10, 12});
    expect_sizes(&c, 24, 4, (const int[]){2, 4, 6, 8});
}

// Never more sections than warps; no room for one: rejected; no gain, when a gain is asked for:
// rejected.
static void test_sections(void **unused) {
    (void)unused;
    MachineConfig c = machine(2);
    Choice k = choice(&c, 14);
    assert_int_equal(k.cand[0].base, 14);  // 1024 - 48 * 14 = 352 rows to spare
    assert_int_equal(k.cand[0].fits.sections, 48);
    // 96 rows: three CTAs of two warps at 16 registers, none left
    c.rf_entries = 24;
    c.regmutex_es = 4;
    k = choice(&c, 20);
    assert_int_equal(k.cand[0].fits.sections, 0);
    assert_true(*k.cand[0].verdict && k.chosen < 0);
    c = machine(-1);
    c.regmutex_rule = RULE_SECTIONS;
    // 1008 rows are 21 CTAs at 24 registers, and at 22 as many
    c.rf_entries = 252;
    k = choice(&c, 24);
    for (int i = 0; i < k.n; i++)
        assert_int_equal(*k.cand[i].verdict != 0, k.cand[i].fits.warps <= 42);
    assert_true(*k.cand[0].verdict == 0 || k.cand[0].fits.warps == 42);
}

// ---- liveness ----

static void expect_in_use(const WarpLive *w, int i, const char *expected) {
    char text[64] = "";
    for (int r = 1; r < 4; r++)
        if (warplive_before(w, i) >> r & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), " R%d", r);
    if (strcmp(text, expected)) fail_msg("before instruction %d:%s, expected%s", i, text, expected);
}

// Figure 4.3: s0 defines R3, s1 defines and reads R1, s2 reads R3 and defines R2, which is read
// where they meet.
static const char figure_4_3[] = "    s2r R0, %%%s.x\n"
                                 "    mov R3, 0x5\n"
                                 "    mov R2, 0x7\n"
                                 "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                                 "    @P0 bra _, L8, L9\n"
                                 "    mov R1, 0x1\n"  // s1
                                 "    st.global.b32 _, [R0], R1\n"
                                 "    bra _, L9, L9\n"
                                 "L8:\n    iadd R2, R3, 0x2\n"  // s2
                                 "L9:\n    st.global.b32 _, [R0], R2\n"
                                 "    exit _\n";

static void test_liveness(void **unused) {
    (void)unused;
    Arena arena = {0};
    WarpLive w;
    warplive_of(&w, program(&arena, 4, arena_printf(&arena, figure_4_3, "tid")), false, &arena);
    expect_in_use(&w, 2, " R3");
    expect_in_use(&w, 4, " R2 R3");
    // all of s1: the lanes of s2 have still to run, or wait with their R2
    expect_in_use(&w, 5, " R2 R3");
    expect_in_use(&w, 6, " R1 R2 R3");
    expect_in_use(&w, 7, " R2 R3");
    expect_in_use(&w, 8, " R2 R3");
    expect_in_use(&w, 9, " R2");
    assert_int_equal(warplive_pressure(&w, 6), 4);
    warplive_of(&w, program(&arena, 4, arena_printf(&arena, figure_4_3, "ctaid")), true, &arena);
    expect_in_use(&w, 5, " R2");  // proven uniform: there is no other side
    expect_in_use(&w, 6, " R1 R2");
    expect_in_use(&w, 8, " R3");
    warplive_of(&w, program(&arena, 4, arena_printf(&arena, figure_4_3, "ctaid")), false, &arena);
    expect_in_use(&w, 6, " R1 R2 R3");
    arena_free(&arena);
}

// ---- placement ----

// |Bs| 6, R2, R4, R5 and R9 live before the release: R9 moves to R0.
static void test_compaction(void **unused) {
    (void)unused;
    Arena arena = {0};
    const MachineConfig c = machine(6);
    const IsaProgram *q =
        split(&arena,
              program(&arena, 10,
                      "    mov R0, 0x1\n    mov R1, 0x2\n    mov R2, 0x3\n    mov R3, 0x4\n    mov "
                      "R4, 0x5\n    mov R5, 0x6\n"
                      "    mov R6, 0x7\n    mov R7, 0x8\n    mov R8, 0x9\n    mov R9, 0xa\n"
                      "    st.global.b32 _, [R0], R1\n    st.global.b32 _, [R3], R6\n    "
                      "st.global.b32 _, [R7], R8\n"
                      "    iadd R4, R4, R2\n"
                      "    st.global.b32 _, [R2], R4\n    st.global.b32 _, [R5], R9\n"
                      "    exit _\n"),
              &c);
    assert_int_equal(q->base_regs, 6);
    assert_int_equal(q->ext_regs, 6);
    assert_int_equal(q->given_regs, 12);
    assert_non_null(strstr(text_of(&arena, q), "    acq _\n    mov R6, 0x7\n"));
    assert_non_null(strstr(text_of(&arena, q), "    mov.mode=1 R0, R9\n    rel _\n"));
    assert_non_null(strstr(text_of(&arena, q), "    st.global.b32 _, [R5], R0\n"));
    arena_free(&arena);
}

// A pair, and only halves of pairs are free: no MOV, it is released where the pair dies.
static void test_no_place_for_a_pair(void **unused) {
    (void)unused;
    Arena arena = {0};
    const MachineConfig c = machine(6);
    const IsaProgram *q =
        split(&arena,
              program(&arena, 10,
                      "    mov R0.64, 0x1.64\n    mov R2.64, 0x3.64\n    mov R4.64, 0x5.64\n"
                      "    mov R8.64, 0x9.64\n"
                      "    st.global.b64 _, [R1], R2.64\n    st.global.b64 _, [R1], R4.64\n    "
                      "st.global.b64 _, [R4], R0.64\n"
                      "    nop _\n"  // R0, R2, R4 and the pair are live, five of six
                      "    st.global.b64 _, [R0], R8.64\n    st.global.b32 _, [R2], R4\n"
                      "    exit _\n"),
              &c);
    assert_int_equal(q->ext_regs, 6);
    assert_int_equal(count(q, ISA_MOV), 4);
    assert_non_null(strstr(text_of(&arena, q), "    st.global.b64 _, [R0], R8.64\n    rel _\n"));
    arena_free(&arena);
}

// R16..R19 with 18 base registers: the quad straddles the border, and is held.
static void test_quad_on_the_border(void **unused) {
    (void)unused;
    Arena arena = {0};
    const MachineConfig c = machine(6);
    char *body = arena_printf(&arena, "    mov R0, 0x1\n");
    for (int r = 1; r < 16; r++) body = arena_printf(&arena, "%s    mov R%d, 0x%x\n", body, r, r);
    body = arena_printf(
        &arena, "%s    ld.global.b128.u32 R16.128, [R0]\n    st.global.b128 _, [R1], R16.128\n",
        body);
    for (int r = 0; r < 16; r += 2)
        body = arena_printf(&arena, "%s    st.global.b32 _, [R%d], R%d\n", body, r, r + 1);
    const IsaProgram *q =
        split(&arena, program(&arena, 24, arena_printf(&arena, "%s    exit _\n", body)), &c);
    assert_int_equal(q->base_regs, 18);
    assert_non_null(
        strstr(text_of(&arena, q), "    acq _\n    ld.global.b128.u32 R16.128, [R0]\n"));
    assert_non_null(strstr(text_of(&arena, q), "    st.global.b128 _, [R1], R16.128\n    rel _\n"));
    arena_free(&arena);
}

// Not limited by registers, or without an extended set: the program as it was.
static void test_untouched(void **unused) {
    (void)unused;
    Arena arena = {0};
    MachineConfig c = machine(-1);
    const IsaProgram *p = program(&arena, 10, "    mov R9, 0x1\n    exit _\n"),
                     *q = split(&arena, p, &c);
    assert_ptr_equal(q->insts, p->insts);
    assert_int_equal(q->base_regs, 10);
    assert_int_equal(q->ext_regs, 0);
    assert_int_equal(q->given_regs, 12);
    c.regmutex_es = 0;
    p = program(&arena, 61, "    mov R60, 0x1\n    exit _\n");
    q = split(&arena, p, &c);
    assert_ptr_equal(q->insts, p->insts);
    assert_int_equal(q->base_regs, 61);
    assert_int_equal(q->given_regs, 64);
    Diag d = {0};
    c.regmutex_es = 3;
    assert_null(regions_split(p, &arena, &c, &shape, NULL, &d));
    assert_non_null(strstr(d.text, "regmutex.es=3: expected an even number"));
    arena_free(&arena);
}

// ---- rejected ----

static bool placed(const IsaProgram *p, int base, int ext, bool forced, char reason[128]) {
    Arena arena = {0};
    WarpLive w;
    warplive_of(&w, p, false, &arena);
    bool *spins = ARENA_ARRAY(&arena, bool, p->ninsts);
    spin_find(p, spins, &arena);
    Placement pl = {.base = base, .ext = ext};
    const bool ok = place_values(&pl, &w, spins, forced, &arena);
    snprintf(reason, 128, "%s", ok ? "" : pl.reason);
    arena_free(&pl.scratch);
    arena_free(&arena);
    return ok;
}

static void test_barrier(void **unused) {
    (void)unused;
    Arena arena = {0};
    char reason[128];
    static const char live[] = "    mov R0, 0x1\n    mov R1, 0x2\n    mov R2, 0x3\n    bar _, "
                               "0x0\n    st.global.b32 _, [R0], R1\n"
                               "    st.global.b32 _, [R0], R2\n    exit _\n";
    static const char result[] = "    mov R0, 0x1\n    mov R1, 0x2\n    bar.mode=2.atom=1 R2, 0x0, "
                                 "_, {P0}\n    st.global.b32 _, [R0], R1\n    exit _\n";
    const IsaProgram *both[] = {program(&arena, 4, live), program(&arena, 4, result)};
    for (int i = 0; i < 2; i++) {
        assert_false(placed(both[i], 2, 2, false, reason));
        assert_string_equal(reason, "too many registers are in use at a barrier");
        assert_false(placed(both[i], 2, 2, true, reason));
    }
    assert_true(placed(program(&arena, 4,
                               "    mov R0, 0x1\n    mov R1, 0x2\n    bar _, 0x0\n    mov R2, "
                               "0x3\n    st.global.b32 _, [R0], R1\n"
                               "    st.global.b32 _, [R0], R2\n    exit _\n"),
                       2, 2, false, reason));
    arena_free(&arena);
}

// A lock taken in a loop, with a critical section in it that needs many registers.
static const char lock[] = "    mov R0, 0x100\n    mov R1, RZ\n"
                           "L2:\n    atom.global.exch.b32.u32 R2, [R0], 0x1\n"
                           "    isetp.ne.and.s32 _|P0, R2, RZ\n"
                           "    @P0 bra _, L%d, L%d\n"
                           "%s"
                           "    mov R1, 0x1\n"
                           "L%d:\n    isetp.eq.and.s32 _|P1, R1, RZ\n"
                           "    @P1 bra _, L2, L%d\n"
                           "L%d:\n    exit _\n";
static const char critical[] =
    "    ld.global.b32.u32 R2, [R0+4]\n    ld.global.b32.u32 R3, [R0+8]\n    ld.global.b32.u32 R4, "
    "[R0+12]\n"
    "    iadd R2, R2, R3\n    iadd R2, R2, R4\n    st.global.b32 _, [R0+4], R2\n"
    "    st.global.ordered.b32 _, [R0], RZ\n";

static void test_spin(void **unused) {
    (void)unused;
    Arena arena = {0};
    char reason[128];
    const IsaProgram *p =
        program(&arena, 6, arena_printf(&arena, lock, 13, 13, critical, 13, 15, 15));
    assert_false(placed(p, 4, 2, false, reason));
    assert_string_equal(reason, "a loop that waits for another warp requires extended registers");
    assert_true(placed(p, 4, 2, true, reason));
    // A loop that counts and does the same for every element: it waits for nobody.
    p = program(&arena, 6,
                "    mov R0, 0x100\n    mov R1, RZ\n"
                "L2:\n    atom.global.add.b32.u32 R2, [R0], 0x1\n    ld.global.b32.u32 R3, [R0+8]\n"
                "    ld.global.b32.u32 R4, [R0+12]\n    ld.global.b32.u32 R5, [R0+12]\n    iadd "
                "R2, R2, R3\n    iadd R2, R2, R4\n"
                "    iadd R2, R2, R5\n    st.global.b32 _, [R0+4], R2\n    iadd R1, R1, 0x1\n    "
                "isetp.lt.and.s32 _|P0, R1, 0x8\n"
                "    @P0 bra _, L2, L13\n"
                "L13:\n    exit _\n");
    assert_true(placed(p, 4, 2, false, reason));
    arena_free(&arena);
}

// ---- the proof ----

// "" when the proof accepts, else its report.
static const char *proof(Arena *arena, const char *body) {
    Diag d = {0};
    const IsaProgram *p = program(arena, 8, body);
    return regions_check(p, false, &d) ? "" : arena_printf(arena, "%s", d.text);
}

static void expect_fault(const char *body, const char *part) {
    Arena arena = {0};
    const char *text = proof(&arena, body);
    if (!strstr(text, part)) fail_msg("expected '%s', the proof says '%s'", part, text);
    // and a warp fails on some path, for either order of the sides
    bool found = false;
    PathRun run;
    const IsaProgram *p = program(&arena, 8, body);
    for (uint32_t bits = 0; bits < 1u << 12 && !found; bits++) {
        path_run(&run, p, bits * 0x40040u, bits);
        found = run.wrong;
    }
    assert_true(found);
    arena_free(&arena);
}

static void expect_proved(const char *body) {
    Arena arena = {0};
    assert_string_equal(proof(&arena, body), "");
    arena_free(&arena);
}

// Base registers R0..R3. R4 is needed in the else lanes; the side before it has few values of its
// own.
static void test_release_by_thread_liveness(void **unused) {
    (void)unused;
    expect_fault(".split 4 4 8\n    acq _\n    mov R4, 0x1\n    @P0 bra _, L6, L7\n    rel _\n    "
                 "mov R1, 0x2\n"
                 "    bra _, L7, L7\nL6:\n    iadd R0, R4, 0x1\nL7:\n    exit _\n",
                 "");
    expect_fault(".split 4 4 8\n    acq _\n    mov R4, 0x1\n    @P0 bra _, L6, L8\n    rel _\n    "
                 "mov R1, 0x2\n"
                 "    bra _, L8, L8\nL6:\n    acq _\n    iadd R0, R4, 0x1\nL8:\n    exit _\n",
                 "a release destroyed (R4");
    expect_proved(
        ".split 4 4 8\n    acq _\n    mov R4, 0x1\n    @P0 bra _, L5, L6\n    mov R1, 0x2\n"
        "    bra _, L6, L6\nL5:\n    iadd R0, R4, 0x1\nL6:\n    rel _\n    exit _\n");
}

static void test_release_at_the_end_of_a_side(void **unused) {
    (void)unused;
    expect_fault(".split 4 4 8\n    acq _\n    mov R4, 0x1\n    @P0 bra _, L6, L7\n    iadd R1, "
                 "R4, 0x2\n    rel _\n"
                 "    bra _, L7, L7\nL6:\n    iadd R0, R4, 0x1\nL7:\n    rel _\n    exit _\n",
                 "names an extended register without a section");
    // lanes that left the loop wait with their R4 for those that turn once more
    expect_fault(
        ".split 4 4 8\n    mov R0, 0x1\nL1:\n    acq _\n    mov R4, 0x1\n    rel _\n    acq _\n    "
        "mov R4, 0x2\n"
        "    @P0 bra _, L1, L7\nL7:\n    acq _\n    iadd R0, R4, 0x1\n    rel _\n    exit _\n",
        "a release destroyed (R4");
}

static void test_acquire_missing_on_an_edge(void **unused) {
    (void)unused;
    expect_fault(".split 4 4 8\n    mov R0, 0x1\n    @P0 bra _, L4, L5\n    acq _\n    mov R4, "
                 "0x1\nL4:\n    mov R5, 0x2\n"
                 "L5:\n    rel _\n    exit _\n",
                 "names an extended register without a section");
    expect_proved(".split 4 4 8\n    mov R0, 0x1\n    @P0 bra _, L3, L6\n    acq _\nL3:\n    acq "
                  "_\n    mov R5, 0x2\n"
                  "    iadd R0, R5, 0x1\nL6:\n    rel _\n    exit _\n");
}

static void test_barrier_with_a_section(void **unused) {
    (void)unused;
    expect_fault(
        ".split 4 4 8\n    acq _\n    mov R4, 0x1\n    bar _, 0x0\n    rel _\n    exit _\n",
        "a barrier with a section held");
    // the side that ends high may run first
    expect_fault(".split 4 4 8\n    @P0 bra _, L4, L5\n    acq _\n    mov R4, 0x1\n    bra _, L5, "
                 "L5\nL4:\n    bar _, 0x0\n"
                 "L5:\n    rel _\n    exit _\n",
                 "a barrier with a section held");
    expect_proved(".split 4 4 8\n    @P0 bra _, L4, L6\n    acq _\n    mov R4, 0x1\n    bra _, L6, "
                  "L6\nL4:\n    rel _\n"
                  "    bar _, 0x0\nL6:\n    rel _\n    exit _\n");
}

static void test_nested(void **unused) {
    (void)unused;
    expect_proved(".split 4 4 8\n    acq _\n    acq _\n    mov R4, 0x1\n    rel _\n    rel _\n    "
                  "bar _, 0x0\n    exit _\n");
    expect_fault(".split 4 4 8\n    acq _\n    mov R4, 0x1\n    rel _\n    acq _\n    "
                 "st.global.b32 _, [R0], R4\n    exit _\n",
                 "a release destroyed (R4");
    expect_fault(".split 4 4 8\n    acq _\n    acq _\n    mov R4, 0x1\n    rel _\n    "
                 "st.global.b32 _, [R0], R4\n    exit _\n",
                 "without a section");
}

// One side reads an extended register, and the code behind the join uses few: the release is at the
// join, behind its label.
static void test_release_stands_at_the_join(void **unused) {
    (void)unused;
    Arena arena = {0};
    const MachineConfig c = machine(4);
    const IsaProgram *q = split(
        &arena,
        program(
            &arena, 8,
            "    mov R0, 0x1\n    mov R1, 0x2\n    mov R2, 0x3\n    mov R3, 0x4\n    mov R4, 0x5\n"
            "    @P0 bra _, L8, L9\n"
            "    iadd R1, R1, R2\n    bra _, L9, L9\n"
            "L8:\n    iadd R1, R1, R4\n"
            "L9:\n    st.global.b32 _, [R0], R1\n    st.global.b32 _, [R3], R2\n    exit _\n"),
        &c);
    assert_int_equal(q->base_regs, 4);
    assert_non_null(strstr(text_of(&arena, q), "L10:\n    rel _\n    st.global.b32 _, [R0], R1\n"));
    assert_int_equal(count(q, ISA_REL), 1);
    assert_int_equal(count(q, ISA_ACQ), 1);
    arena_free(&arena);
}

// A loop with a high part from beginning to end: acquired once, before it.
static void test_loop_acquires_once(void **unused) {
    (void)unused;
    Arena arena = {0};
    const MachineConfig c = machine(4);
    const IsaProgram *q = split(
        &arena,
        program(&arena, 8,
                "    mov R0, 0x1\n    mov R1, 0x2\n    mov R2, 0x3\n    mov R3, 0x4\n"
                "    mov R4, 0x5\n"
                "L5:\n    iadd R1, R1, R4\n    iadd R1, R1, R2\n    isetp.lt.and.s32 _|P0, R1, R3\n"
                "    @P0 bra _, L5, L9\n"
                "L9:\n    st.global.b32 _, [R0], R1\n    st.global.b32 _, [R0], R2\n    exit _\n"),
        &c);
    assert_int_equal(count(q, ISA_ACQ), 1);
    assert_int_equal(count(q, ISA_REL), 1);
    for (int i = 0; i < q->ninsts; i++)
        if (q->insts[i].op == ISA_BRA)
            assert_int_not_equal(q->insts[q->insts[i].target].op, ISA_ACQ);
    arena_free(&arena);
}

// ---- the corpus ----

static int compile_file(Arena *arena, const char *path, int es) {
    DeviceMemory memory;
    ModuleLayout layout = {0};
    Diag d = {0};
    MachineConfig c = machine_fermi;
    int held = 0;
    c.regmutex_es = es;
    const CompileOptions o = {.max_regs = 63, .cfg = &c, .regions = true, .threads = 128};
    const PtxModule *m = ptx_load(arena, path, &d);
    if (!m) return 0;  // a template, or a module that other tests see refused
    if (!device_open(&memory, arena, &d)) fail_msg("%s", d.text);
    const bool placed = layout_module(&layout, arena, m, &memory, &d);
    for (int i = 0; placed && i < m->nfuncs; i++) {
        SharedLayout shared = {0};
        Diag each = {0};
        if (!m->funcs[i].is_entry || !layout_shared(&shared, arena, m, &m->funcs[i], &each))
            continue;
        const IsaProgram *p = compile_kernel(arena, m, &m->funcs[i], &layout, &shared, &o, &each);
        if (strstr(each.text, "the split of the registers is wrong"))
            fail_msg("%s: %s", path, each.text);
        held += p && count(p, ISA_ACQ);
    }
    device_close(&memory);
    return held;
}

// Every kernel of the corpus that compiles, with a small extended set: the proof accepts the
// placement.
static void test_corpus(void **unused) {
    (void)unused;
    glob_t files;
    int held = 0;
    assert_int_equal(glob(TEST_SOURCE_DIR "/tests/ptx/*.ptx", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Arena arena = {0};
        held += compile_file(&arena, files.gl_pathv[i], 2 + 2 * (int)(i % 3));
        arena_free(&arena);
    }
    print_message("%zu files: %d kernels hold sections\n", files.gl_pathc, held);
    globfree(&files);
    assert_true(held > 12);
}

// ---- random programs ----

enum { PROGRAMS = 240, TRIES = 64 };

static uint32_t state = 7;
static uint32_t draw(void) { return state = state * 1664525u + 1013904223u, state >> 2; }

static void show(const IsaProgram *p) { isa_print(stderr, p); }

// The first path on which a warp goes wrong or stores something else; NULL: none of these tries.
static const char *go_wrong(const IsaProgram *p, const IsaProgram *q, PathRun *run, int tries) {
    for (int i = 0; i < tries; i++) {
        const uint32_t decisions = draw();
        PathRun plain;
        path_run(&plain, p, decisions, draw());
        path_run(run, q, decisions, draw());
        if (run->wrong) return run->wrong;
        if (!path_same(&plain, run)) return "stores other values";
    }
    return NULL;
}

static void test_random_programs(void **unused) {
    (void)unused;
    int nsplit = 0, acquires = 0, releases = 0, moves = 0;
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        Arena arena = {0};
        const MachineConfig c = machine(2 + 2 * (int)(seed % 4));
        const IsaProgram *p = path_program(&arena, seed), *q = split(&arena, p, &c);
        nsplit += q->ext_regs > 0;
        acquires += count(q, ISA_ACQ);
        releases += count(q, ISA_REL);
        moves += count(q, ISA_MOV) - count(p, ISA_MOV);
        PathRun run;
        const char *wrong = go_wrong(p, q, &run, q->ext_regs ? TRIES : 1);
        if (wrong) {
            show(p);
            show(q);
            fail_msg("program %u: instruction %d %s", seed, run.at, wrong);
        }
        arena_free(&arena);
    }
    print_message("%d programs, %d split: %d acq, %d rel, %d mov\n", PROGRAMS, nsplit, acquires,
                  releases, moves);
    assert_true(nsplit > PROGRAMS / 4 && acquires > nsplit && moves > 0);
}

// Branches that are proven uniform have no other side; here all are, and lanes decide alike.
static void test_uniform_programs(void **unused) {
    (void)unused;
    int held[2] = {0};
    for (uint32_t seed = 0; seed < PROGRAMS / 2; seed++) {
        Arena arena = {0};
        MachineConfig c = machine(2 + 2 * (int)(seed % 4));
        const IsaProgram *p = path_program(&arena, seed);
        for (c.regmutex_uniform = 0; c.regmutex_uniform < 2; c.regmutex_uniform++) {
            WarpLive w;
            warplive_of(&w, p, c.regmutex_uniform, &arena);
            for (int i = 0; i < p->ninsts; i++)
                held[c.regmutex_uniform] += warplive_pressure(&w, i) > 16 - c.regmutex_es;
        }
        c.regmutex_uniform = 1;
        const IsaProgram *q = split(&arena, p, &c);
        for (int i = 0; i < TRIES / 2; i++) {
            const uint32_t alike = draw() & 1023, decisions = alike | alike << 10 | alike << 20;
            PathRun plain, run;
            path_run(&plain, p, decisions, draw());
            path_run(&run, q, decisions, draw());
            if (run.wrong || !path_same(&plain, &run))
                fail_msg("program %u: %s", seed, run.wrong ? run.wrong : "values");
        }
        arena_free(&arena);
    }
    print_message("instructions with more in use than the base holds: %d, %d without divergence\n",
                  held[0], held[1]);
    assert_true(held[1] < held[0]);
}

// A compiler with less analysis: of values that other lanes use, or of points where sides meet.
typedef enum Ignorance { OF_OTHER_LANES, OF_JOINS } Ignorance;

static IsaProgram *split_ignorant(Arena *arena, const IsaProgram *p, Ignorance what, int base) {
    WarpLive w;
    bool *spins = ARENA_ARRAY(arena, bool, p->ninsts);
    warplive_of(&w, p, false, arena);
    if (what == OF_OTHER_LANES)
        w.nbranches = 0, memset(w.held, 0, sizeof *w.held * (size_t)p->ninsts);
    else memset(w.join, 0, (size_t)p->ninsts);
    Placement pl = {.base = base, .ext = 16 - base};
    IsaProgram *q =
        place_values(&pl, &w, spins, false, arena) ? insert_regions(&w, &pl, arena) : NULL;
    arena_free(&pl.scratch);
    return q;
}

// Released by per-thread liveness, or at the end of a side: warps go wrong, and the proof says so
// before.
static void expect_reported(Ignorance what) {
    int wrong = 0, reported = 0;
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        Arena arena = {0};
        Diag d = {0};
        PathRun run;
        const IsaProgram *p = path_program(&arena, seed),
                         *q = split_ignorant(&arena, p, what, 14 - 2 * (int)(seed % 4));
        const char *fault = q ? go_wrong(p, q, &run, TRIES / 4) : NULL;
        const bool proved = q && regions_check(q, false, &d);
        wrong += fault != NULL;
        reported += q && !proved;
        if (fault && proved)
            fail_msg("program %u: instruction %d %s, and the proof accepts it", seed, run.at,
                     fault);
        arena_free(&arena);
    }
    print_message("%d programs go wrong on a path tried, the proof reports %d\n", wrong, reported);
    assert_true(wrong > 3);
}

static void test_ignorant_of_other_lanes(void **unused) {
    (void)unused;
    expect_reported(OF_OTHER_LANES);
}

static void test_ignorant_of_joins(void **unused) {
    (void)unused;
    expect_reported(OF_JOINS);
}

// An ACQ or REL taken out, or put where nothing was.
static bool damage(IsaProgram *q, Arena *arena) {
    IsaInst *insts = ARENA_ARRAY(arena, IsaInst, q->ninsts);
    memcpy(insts, q->insts, sizeof *insts * (size_t)q->ninsts);
    q->insts = insts;
    for (int tries = 0; tries < 200; tries++) {
        IsaInst *in = &insts[draw() % (uint32_t)q->ninsts];
        if (in->op == ISA_ACQ || in->op == ISA_REL) {
            in->op = ISA_NOP;
            return true;
        }
        if (in->op != ISA_NOP) continue;
        in->op = draw() & 1 ? ISA_ACQ : ISA_REL;
        return true;
    }
    return false;
}

// The proof reports each failure of a warp on some path.
static void test_damaged_programs(void **unused) {
    (void)unused;
    int wrong = 0, reported = 0, damaged = 0;
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        Arena arena = {0};
        const MachineConfig c = machine(2 + 2 * (int)(seed % 4));
        const IsaProgram *p = path_program(&arena, seed);
        IsaProgram *q = split(&arena, p, &c);
        for (int k = 0; k < 4 && q->ext_regs; k++) {
            IsaProgram copy = *q;
            Diag d = {0};
            PathRun run;
            if (!damage(&copy, &arena)) continue;
            const bool proved = regions_check(&copy, false, &d);
            const char *what = go_wrong(p, &copy, &run, TRIES / 2);
            damaged++;
            wrong += what != NULL;
            reported += !proved;
            if (!what || !proved) continue;
            show(&copy);
            fail_msg("program %u: instruction %d %s, and the proof accepts it", seed, run.at, what);
        }
        arena_free(&arena);
    }
    print_message("%d programs damaged: %d go wrong on a path tried, the proof reports %d\n",
                  damaged, wrong, reported);
    assert_true(wrong > damaged / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_liveness),
                                       cmocka_unit_test(test_compaction),
                                       cmocka_unit_test(test_no_place_for_a_pair),
                                       cmocka_unit_test(test_quad_on_the_border),
                                       cmocka_unit_test(test_untouched),
                                       cmocka_unit_test(test_barrier),
                                       cmocka_unit_test(test_spin),
                                       cmocka_unit_test(test_release_by_thread_liveness),
                                       cmocka_unit_test(test_release_at_the_end_of_a_side),
                                       cmocka_unit_test(test_acquire_missing_on_an_edge),
                                       cmocka_unit_test(test_barrier_with_a_section),
                                       cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_release_stands_at_the_join),
                                       cmocka_unit_test(test_loop_acquires_once),
                                       cmocka_unit_test(test_corpus),
                                       cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_uniform_programs),
                                       cmocka_unit_test(test_ignorant_of_other_lanes),
                                       cmocka_unit_test(test_ignorant_of_joins),
                                       cmocka_unit_test(test_damaged_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
