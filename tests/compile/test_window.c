// SPDX-License-Identifier: Apache-2.0
// Write bits for a window of instructions: the paper's table 3.1, and rules one by one. Random
// programs run against a brute-force count of all ways and against collectors that lose every value
// that they may lose. The proof sees each broken rule.
#include "compile/hints/window_hints.h"
#include "compile/hints/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state = 7;
static uint32_t draw(uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static const char head[] =
    ".kernel k\n.regs 16\n.preds 4\n.local 0\n.spill 0 0 0\n.shared 0\n.params 16\n.barriers 1\n";

static IsaProgram *program(Arena *arena, const char *body) {
    Diag d = {0};
    char *text = arena_printf(arena, "%s%s", head, body);
    IsaProgram *p = isa_parse(arena, "k.isa", text, strlen(text), &d);
    if (!p || !isa_check(p, &d)) fail_msg("%s", d.text);
    return p;
}

enum { MANY_ROWS = 1000 };

static IsaProgram *assign(const IsaProgram *p, int places, int rows, bool homeless,
                          WindowNotes *notes, Arena *arena) {
    const WindowNeed need = {.places = places, .rows = rows, .homeless = homeless};
    IsaProgram *q = window_assign(p, &need, notes, arena);
    Diag d = {0};
    if (!isa_check(q, &d) || !window_check(q, &d)) fail_msg("%s", d.text);
    return q;
}

static const char *const names[] = {"00", "01", "10", "11"};

// "01 10 ..": the bits of all results in order.
static void expect_bits(const char *body, int places, const char *expected) {
    Arena arena = {0};
    char text[256] = "";
    const IsaProgram *q = assign(program(&arena, body), places, MANY_ROWS, false, NULL, &arena);
    for (int i = 0, at = 0; i < q->ninsts; i++)
        if (q->insts[i].dst != ISA_RZ)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", at ? " " : "",
                           names[q->insts[i].write]);
    assert_string_equal(text, expected);
    arena_free(&arena);
}

// ---- table 3.1 ----

static const char snippet[] = "    ld.global.b32.u32 R3, [R8]\n"  // line 2
                              "    mov R2, 0x5\n"
                              "    imul.lo.u32 R1, R0, R2\n"
                              "    imad.lo.u32 R1, R0, R2, R1\n"
                              "    shl R1, R1, 0x10\n"
                              "    imad.lo.u32 R0, R0, R2, R1\n"
                              "    iadd R0, R0, c[0][0x0]\n"
                              "    iadd R0, R9, R0\n"
                              "    iadd R1, R0, 0x4\n"  // line 10
                              "    ld.global.b32.u32 R2, [R1]\n"
                              "    plop3.lut=0xf0 _|P1, {P2}\n"
                              "    st.global.b32 _, [c[0][0x4]], R2\n"
                              "    isetp.lt.and.s32 _|P0, R3, R1\n"
                              "    exit _\n";

// Writes of the register file until line 14 has entered. all: every result is written back if it
// leaves the window without having been overwritten; else by its bits.
static int writes_of(const IsaProgram *p, int places, bool all, int by_register[4]) {
    struct {
        bool dirty, only;
        int named;
    } row[16] = {0};
    int writes = 0;
    memset(by_register, 0, 4 * sizeof *by_register);
    for (int i = 0; i < 13; i++) {
        uint8_t list[ISA_MAX_SRC_WORDS];
        for (int r = 0; r < 16; r++)
            if (row[r].dirty && i - row[r].named >= places) {
                row[r].dirty = false;
                if (!row[r].only) by_register[r]++, writes++;
            }
        for (int n = isa_reads(&p->insts[i], list); n > 0; n--) row[list[n - 1]].named = i;
        const int dst = p->insts[i].dst, bits = all ? 3 : p->insts[i].write;
        if (dst == ISA_RZ) continue;
        row[dst].named = i;
        row[dst].dirty = bits & ISA_WRITE_BOC;
        row[dst].only = bits == ISA_WRITE_BOC;
        if (bits == ISA_WRITE_RF) by_register[dst]++, writes++;
    }
    return writes;
}

static void expect_writes(int places, int back, int by_bits, const int *back_of,
                          const int *bits_of) {
    Arena arena = {0};
    int got[4];
    const IsaProgram *q = assign(program(&arena, snippet), places, MANY_ROWS, false, NULL, &arena);
    assert_int_equal(writes_of(q, places, true, got), back);
    for (int r = 0; back_of && r < 4; r++) assert_int_equal(got[r], back_of[r]);
    assert_int_equal(writes_of(q, places, false, got), by_bits);
    for (int r = 0; bits_of && r < 4; r++) assert_int_equal(got[r], bits_of[r]);
    arena_free(&arena);
}

static void test_table_3_1(void **unused) {
    (void)unused;
    expect_bits(snippet, 3, "01 10 10 10 10 10 10 10 11 10");
    expect_bits(snippet, 2, "01 11 10 10 10 10 10 10 11 01");
    expect_bits(snippet, 4, "01 10 10 10 10 10 10 10 10 10");
    expect_writes(3, 5, 2, (const int[]){1, 2, 1, 1}, (const int[]){0, 1, 0, 1});
    expect_writes(2, 6, 4, NULL, NULL);
    expect_writes(4, 3, 1, NULL, NULL);
}

// ---- rules ----

// A result, something between, and its only read.
static void expect_between(const char *between, int places, const char *expected) {
    Arena arena = {0};
    const char *body = arena_printf(
        &arena, "    mov R1, 0x5\n%s    st.global.b32 _, [R8], R1\n    exit _\n", between);
    expect_bits(body, places, expected);
    arena_free(&arena);
}

static void test_what_takes_a_place(void **unused) {
    (void)unused;
    static const char *const one[] = {"    nop _\n",
                                      "    bar _, 0x0\n",
                                      "    plop3.lut=0xf0 _|P1, {P2}\n",
                                      "    membar _\n",
                                      "    warpsync _, 0xffffffff\n",
                                      "    @P0 exit _\n",
                                      "    @P0 st.global.b32 _, [R8], R9\n"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        expect_between(one[i], 3, "10");
        expect_between(one[i], 2, "01");
    }
    expect_between("    hint _, 0x0.64\n", 2, "10");
    expect_between("    bra _, L2, L2\nL2:\n", 3, "11");  // another block
    expect_between("    bra _, L2, L2\nL2:\n", 2, "01");
    // two passes through the collector are one place
    expect_between("    dfma R4.64, R10.64, R12.64, R14.64\n    nop _\n", 3, "01 00");
    expect_between("    dfma R4.64, R10.64, R12.64, R14.64\n", 3, "10 00");
    expect_between("    st.global.b128 _, [R8.64], R4.128\n", 3, "10");
    // every read begins the window again
    expect_between("    iadd R2, R1, R1\n    nop _\n    @P0 iadd R3, R1, R1\n    nop _\n", 3,
                   "10 00 00");
    expect_between(
        "    iadd R2, R1, R1\n    nop _\n    @P0 iadd R3, R1, R1\n    nop _\n    nop _\n", 3,
        "11 00 00");
}

static void test_reader_switched_off(void **unused) {
    (void)unused;
    expect_bits(
        "    mov R1, 0x5\n    nop _\n    @P0 iadd R3, R1, 0x1\n    nop _\n    iadd R4, R1, 0x1\n"
        "    st.global.b32 _, [R8], R4\n    exit _\n",
        3, "10 00 10");
}

static void test_pairs(void **unused) {
    (void)unused;
    // both words are read near; one of them late; the high one by nobody; none
    expect_bits("    dadd R2.64, R4.64, R6.64\n    iadd R1, R2, R3\n    st.global.b32 _, [R8], "
                "R1\n    exit _\n",
                3, "10 10");
    expect_bits(
        "    dadd R2.64, R4.64, R6.64\n    nop _\n    iadd R1, R2, 0x1\n    iadd R1, R3, R1\n"
        "    st.global.b32 _, [R8], R1\n    exit _\n",
        3, "11 10 10");
    expect_bits("    dadd R2.64, R4.64, R6.64\n    st.global.b32 _, [R8], R2\n    exit _\n", 3,
                "10");
    expect_bits("    dadd R2.64, R4.64, R6.64\n    exit _\n", 3, "00");
}

// A result that is read under a branch only.
static void test_branches(void **unused) {
    (void)unused;
    // r is read first in else, the then-side is longer than the window
    static const char only_else[] =
        "    mov R1, 0x5\n    @P0 bra _, L6, L8\n"
        "    mov R2, 0x1\n    mov R3, 0x1\n    mov R4, 0x1\n    bra _, L8, L8\n"
        "L6:\n    iadd R5, R1, 0x1\n    st.global.b32 _, [R8], R5\n"
        "L8:\n    exit _\n";
    expect_bits(only_else, 3, "11 00 00 00 10");
    expect_bits(only_else, 2, "01 00 00 00 10");
    // then-side: r = a, use, r = b; else-side reads the old r
    expect_bits("    mov R1, 0x5\n    @P0 bra _, L6, L8\n"
                "    mov R1, 0x1\n    iadd R2, R1, 0x1\n    iadd R1, R2, 0x1\n    bra _, L8, L8\n"
                "L6:\n    iadd R1, R1, 0x2\n    nop _\n"
                "L8:\n    st.global.b32 _, [R8], R1\n    exit _\n",
                3, "11 10 10 11 11");
    // a loop that ends in the window: the value of the turn before is read at its beginning
    expect_bits("    mov R1, 0x0\nL1:\n    iadd R1, R1, 0x1\n    isetp.lt.and.s32 _|P0, R1, 0x8\n  "
                "  @P0 bra _, L1, L4\n"
                "L4:\n    exit _\n",
                3, "11 11");
}

static void test_guards(void **unused) {
    (void)unused;
    // the other lanes keep the older value: it is read, too, and so is the guarded one, which needs
    // a home
    expect_bits("    mov R1, 0x5\n    @P0 mov R1, 0x6\n    st.global.b32 _, [R8], R1\n    exit _\n",
                3, "10 11");
    expect_bits("    mov R1, 0x5\n    @P0 mov R1, 0x6\n    nop _\n    st.global.b32 _, [R8], R1\n  "
                "  exit _\n",
                3, "01 11");
    expect_bits("    @P0 mov R1, 0x6\n    exit _\n", 3, "00");
}

static void test_atomic_without_reader(void **unused) {
    (void)unused;
    expect_bits("    atom.add.global.b32.u32 R1, [R8], R2\n    exit _\n", 3, "");
    expect_bits(
        "    atom.add.global.b32.u32 R1, [R8], R2\n    st.global.b32 _, [R8], R1\n    exit _\n", 3,
        "10");
}

// ---- row bound ----

// Each value is read by the next two: with few rows some go to the register file.
static void test_row_bound(void **unused) {
    (void)unused;
    static const char body[] =
        "    mov R0, 0x1\n    mov R1, 0x2\n    iadd R2, R0, R1\n    iadd R3, R1, R2\n    iadd R4, "
        "R2, R3\n"
        "    imad.lo.u32 R5, R3, R4, R2\n    st.global.b32 _, [R8], R5\n    exit _\n";
    Arena arena = {0};
    WindowNotes full, half;
    const IsaProgram *p = program(&arena, body);
    assign(p, 3, 12, false, &full, &arena);
    assign(p, 3, 4, false, &half, &arena);
    int bounded = 0;
    for (int i = 0; i < p->ninsts; i++) {
        assert_false(full.bounded[i]);
        bounded += half.bounded[i];
        assert_true(__builtin_popcountll(half.held[i]) <= 4);
    }
    // by hand: instruction 4 is covered by R0 to R4, of which R2, from 2 to 5, lives longest
    static const int held[] = {1, 2, 3, 4, 5, 5, 4, 4};
    for (int i = 0; i < p->ninsts; i++)
        assert_int_equal(__builtin_popcountll(full.held[i]), held[i]);
    assert_true(half.bounded[2]);
    assert_true(bounded > 0);
    arena_free(&arena);
}

// ---- homeless ----

static void test_homeless(void **unused) {
    (void)unused;
    Arena arena = {0};
    WindowNotes notes;
    const IsaProgram *p = program(&arena,
                                  "    dadd R4.64, R10.64, R12.64\n    dadd R6.64, R4.64, R10.64\n "
                                  "   mov R0, 0x1\n    mov R1, 0x2\n"
                                  "    iadd R2, R0, R1\n    st.global.b64 _, [R2], R6.64\n    "
                                  "st.global.b64 _, [R2], R10.64\n    exit _\n");
    const IsaProgram *q = assign(p, 5, 20, true, &notes, &arena);
    assert_int_equal(notes.ranges, 1 + 1 + 1 + 2 + 2);
    // R10.64 and R12.64 are there at the beginning
    assert_int_equal(q->home_regs, 4);
    for (int i = 0; i < 5; i++) assert_true(q->insts[i].homeless && q->insts[i].dst >= 4);
    assert_int_equal(q->insts[1].src[0].reg, q->insts[0].dst);
    assert_int_equal(q->insts[4].src[1].reg, q->insts[3].dst);
    assert_int_equal(q->insts[5].src[0].reg, q->insts[4].dst);
    assert_int_equal(q->insts[5].src[1].reg, q->insts[1].dst);
    assert_int_equal(p->insts[0].dst, 4);  // the program itself is as it was
    assert_false(p->insts[0].homeless);
    arena_free(&arena);
}

// ---- random programs ----

enum { LARGE = 40, MOST = 64 };  // a program ends soon after LARGE
typedef struct Gen {
    IsaProgram p;
    IsaInst insts[MOST];
} Gen;

static int emit(Gen *g, IsaOp op) {
    assert_in_range(g->p.ninsts, 0, MOST - 1);
    IsaInst *in = &g->insts[g->p.ninsts];
    *in = (IsaInst){.op = op,
                    .guard = {ISA_PT, false},
                    .dst = ISA_RZ,
                    .pdst = {ISA_PT, ISA_PT},
                    .psrc = {{ISA_PT, false}, {ISA_PT, false}, {ISA_PT, false}}};
    return g->p.ninsts++;
}

static void random_src(IsaSrc *s, int width) {
    *s = (IsaSrc){.kind = ISA_SRC_REG,
                  .reg = (uint8_t)(draw(6 / (uint32_t)width) * (uint32_t)width),
                  .width = (uint8_t)width};
}

static void random_plain(Gen *g) {
    static const IsaOp singles[] = {ISA_NOP, ISA_HINT, ISA_BAR};
    const uint32_t kind = draw(12);
    if (kind == 0) {
        IsaInst *in = &g->insts[emit(g, singles[draw(3)])];
        if (in->op == ISA_HINT) in->src[0] = (IsaSrc){.kind = ISA_SRC_IMM, .width = 2};
        return;
    }
    IsaInst *in = &g->insts[emit(g, kind == 1 ? ISA_DADD : kind == 2 ? ISA_MOV : ISA_IADD)];
    const int width = kind == 1 || (kind == 2 && draw(2)) ? 2 : 1;
    in->dst_width = (uint8_t)width;
    in->dst = (uint8_t)(draw(6 / (uint32_t)width) * (uint32_t)width);
    random_src(&in->src[0], width);
    if (in->op != ISA_MOV) random_src(&in->src[1], width);
    if (!draw(6)) in->guard.reg = 0;
}

static void random_part(Gen *g, int depth);

static void random_branch(Gen *g, int depth) {
    const bool loop = draw(3) == 0, other = draw(2);
    int start = g->p.ninsts, first, second = -1;
    if (loop) {
        random_part(g, depth + 1);
        first = emit(g, ISA_BRA);
        g->insts[first].guard.reg = 1;
        g->insts[first].target = start;
        g->insts[first].reconv = g->p.ninsts;
        return;
    }
    first = emit(g, ISA_BRA);
    g->insts[first].guard.reg = 1;
    random_part(g, depth + 1);
    if (other) second = emit(g, ISA_BRA);
    g->insts[first].target = g->p.ninsts;
    if (other) random_part(g, depth + 1);
    g->insts[first].reconv = g->p.ninsts;
    if (other) g->insts[second].target = g->insts[second].reconv = g->p.ninsts;
}

static void random_part(Gen *g, int depth) {
    for (uint32_t n = 1 + draw(5); n > 0 && g->p.ninsts < LARGE; n--) {
        if (depth < 2 && !draw(5)) random_branch(g, depth);
        else if (!draw(25)) g->insts[emit(g, ISA_EXIT)].guard.reg = 2;
        else random_plain(g);
    }
}

static void random_program(Gen *g) {
    g->p =
        (IsaProgram){.name = "random", .insts = g->insts, .nregs = 6, .home_regs = 6, .npreds = 3};
    while (g->p.ninsts < 8) random_part(g, 1);
    if (g->p.ninsts < 20) random_part(g, 0);
    IsaInst *st = &g->insts[emit(g, ISA_ST)];
    st->mem_bytes = 4;
    random_src(&st->src[0], 1), random_src(&st->src[1], 1);
    emit(g, ISA_EXIT);
    Diag d = {0};
    if (!isa_check(&g->p, &d)) fail_msg("%s", d.text);
}

// ---- all ways, one by one, with the rules as they are or with one broken ----

typedef enum Fault { RIGHT, WINDOW_TOO_LONG, GUARDS_IGNORED, BLOCKS_IGNORED } Fault;

typedef struct Ways {
    const IsaProgram *p;
    int places, reg;
    Fault fault;
    bool meets[MOST + 1];
    int visits[MOST];
    bool any, near, only;
} Ways;

static bool uses(const IsaInst *in, int reg) {
    uint8_t list[ISA_MAX_SRC_WORDS];
    for (int n = isa_reads(in, list); n > 0;)
        if (list[--n] == reg) return true;
    return false;
}

static bool defines(const IsaInst *in, int reg) {
    return in->dst != ISA_RZ && reg >= in->dst && reg < in->dst + in->dst_width;
}

static void walk(Ways *w, int from, int far, int gap, bool here);

static void visit(Ways *w, int at, int far, int gap, bool here) {
    const IsaInst *in = &w->p->insts[at];
    const int most = w->places - (w->fault != WINDOW_TOO_LONG);
    if (in->op != ISA_HINT) far++, gap++;
    if (uses(in, w->reg)) {
        w->any = true;
        w->near |= far <= most;
        w->only &= here && gap <= most;
        gap = 0;
    }
    if (defines(in, w->reg) && (in->guard.reg == ISA_PT || w->fault == GUARDS_IGNORED)) return;
    walk(w, at, far, gap, here);
}

static void walk(Ways *w, int from, int far, int gap, bool here) {
    for (int k = 0, s; (s = isa_successor(w->p, from, k)) != -2; k++) {
        if (s < 0 || w->visits[s] == 2) continue;
        w->visits[s]++;
        visit(w, s, far, gap,
              here && (w->fault == BLOCKS_IGNORED || (s == from + 1 && !w->meets[s])));
        w->visits[s]--;
    }
}

static uint8_t bits_by_ways(const IsaProgram *p, int places, Fault fault, int def) {
    const IsaInst *in = &p->insts[def];
    uint8_t bits = 0;
    for (int r = in->dst; r < in->dst + in->dst_width; r++) {
        Ways w = {.p = p, .places = places, .reg = r, .fault = fault, .only = true};
        for (int i = 0; i < p->ninsts; i++)
            if (p->insts[i].op == ISA_BRA) {
                w.meets[p->insts[i].target] = w.meets[p->insts[i].reconv] = w.meets[i + 1] = true;
            }
        walk(&w, def, 0, 0, true);
        const bool guarded = in->guard.reg != ISA_PT && fault != GUARDS_IGNORED;
        if (w.near) bits |= ISA_WRITE_BOC;
        if (w.any && (!w.near || !w.only || guarded)) bits |= ISA_WRITE_RF;
    }
    return bits;
}

static void test_against_all_ways(void **unused) {
    (void)unused;
    int class[4] = {0};
    for (int round = 0; round < 600; round++) {
        Arena arena = {0};
        Gen g;
        random_program(&g);
        const int places = 2 + (int)draw(6);
        const IsaProgram *q = assign(&g.p, places, MANY_ROWS, false, NULL, &arena);
        for (int i = 0; i < q->ninsts; i++) {
            if (q->insts[i].dst == ISA_RZ) continue;
            assert_int_equal(q->insts[i].write, bits_by_ways(&g.p, places, RIGHT, i));
            class[q->insts[i].write]++;
        }
        arena_free(&arena);
    }
    print_message("00 %d, 01 %d, 10 %d, 11 %d results\n", class[0], class[1], class[2], class[3]);
    for (int i = 0; i < 4; i++) assert_true(class[i] > 300);
}

// Bits by a broken rule: the proof finds a fault wherever they make 10 of something else and the
// machine would notice.
static void broken(Fault fault, const char *said) {
    int wrong = 0, seen = 0;
    for (int round = 0; round < 300; round++) {
        Gen g;
        Diag d = {0};
        bool differs = false;
        random_program(&g);
        const int places = 2 + (int)draw(3);
        for (int i = 0; i < g.p.ninsts; i++) {
            IsaInst *in = &g.insts[i];
            if (in->dst == ISA_RZ) continue;
            in->write = bits_by_ways(&g.p, places, fault, i);
            differs |=
                in->write == ISA_WRITE_BOC && bits_by_ways(&g.p, places, RIGHT, i) != ISA_WRITE_BOC;
        }
        g.p.window = places, g.p.rows = MANY_ROWS;
        const bool ok = window_check(&g.p, &d);
        assert_true(differs || ok || fault == GUARDS_IGNORED);  // there 00 is wrong as well
        wrong += differs;
        seen += !ok;
        if (!ok && !strstr(d.text, said) && fault != GUARDS_IGNORED) fail_msg("%s", d.text);
    }
    print_message("fault %d: %d programs with wrong bits, %d reported\n", fault, wrong, seen);
    assert_true(wrong > 50 && seen >= wrong * 9 / 10);
}

static void test_proof_sees_broken_rules(void **unused) {
    (void)unused;
    broken(WINDOW_TOO_LONG, "is read where only a collector had it and has it no more");
    broken(GUARDS_IGNORED, "a guarded result is for the collector alone");
    broken(BLOCKS_IGNORED, "is read where only a collector had it and has it no more");
    Arena arena = {0};
    Diag d = {0};
    IsaProgram *q = assign(program(&arena, snippet), 3, 12, false, NULL, &arena);
    q->rows = 2;  // too few
    assert_false(window_check(q, &d));
    assert_non_null(strstr(d.text, "more rows are held here than a collector has"));
    q = assign(program(&arena, snippet), 3, 12, true, NULL, &arena);
    q->insts[12].src[1].reg = (uint8_t)q->nregs++;
    d = (Diag){0};
    assert_false(window_check(q, &d));
    assert_non_null(strstr(d.text, "has no home and is read unwritten"));
    arena_free(&arena);
}

// ---- collectors that lose what they may lose ----

enum { LANES = 3, FULL = 7, POISON = 0x5a5a5a5a };

typedef struct Row {
    bool there, dirty, only;
    int named;
    uint32_t v[LANES];
} Row;
typedef struct Result {
    bool coming, homeless;
    int bits, slot;
    uint32_t lanes, v[LANES];
} Result;

// The program as it was, on registers (want), and with write bits, on collector and register file.
// Results arrive late.
typedef struct Sim {
    const IsaProgram *p, *q;
    uint32_t want[LANES][8], rf[LANES][64];
    Row row[64];
    Result result[64];
    int place, compared, from_rows;
} Sim;

static void to_rf(Sim *s, int reg, uint32_t lanes, const uint32_t *v) {
    for (int l = 0; l < LANES; l++)
        if (lanes >> l & 1 && reg < s->q->home_regs) s->rf[l][reg] = v[l];
}

static void come(Sim *s, int reg) {
    Result *e = &s->result[reg];
    Row *w = &s->row[reg];
    const bool awaited = s->place - e->slot < s->q->window, boc = e->bits & ISA_WRITE_BOC;
    const bool only = e->bits == ISA_WRITE_BOC, full = e->lanes == FULL || e->homeless;
    if (!e->coming) return;
    e->coming = false;
    if (!e->bits || !e->lanes) return;
    if (full ? boc && (w->there || awaited) : w->there && (w->dirty || boc)) {
        *w = (Row){.there = true,
                   .dirty = true,
                   .named = w->there ? w->named : e->slot,
                   .only = full || !w->dirty ? only : only && w->only,
                   .v = {w->v[0], w->v[1], w->v[2]}};
        for (int l = 0; l < LANES; l++)
            if (e->lanes >> l & 1) w->v[l] = e->v[l];
        return;
    }
    to_rf(s, reg, e->lanes, e->v);
    w->there = false;
}

static void move_window(Sim *s) {
    s->place++;
    for (int r = 0; r < 64; r++) {
        Row *w = &s->row[r];
        if (!w->there || s->place - w->named < s->q->window) continue;
        if (w->dirty && !w->only) to_rf(s, r, FULL, w->v);
        w->there = false;
    }
}

static void read_word(Sim *s, int inst, int was, int reg, uint32_t lanes) {
    Row *w = &s->row[reg];
    s->from_rows += w->there;
    if (!w->there) {
        *w = (Row){.there = true};
        for (int l = 0; l < LANES; l++) w->v[l] = s->rf[l][reg];
    }
    w->named = s->place;
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        s->compared++;
        if (w->v[l] != s->want[l][was])
            fail_msg("instruction %d reads R%d: 0x%x, not 0x%x", inst, reg, w->v[l],
                     s->want[l][was]);
    }
}

static void write_word(Sim *s, int inst, int was, int reg, uint32_t lanes) {
    const IsaInst *in = &s->q->insts[inst];
    Result *e = &s->result[reg];
    *e = (Result){.coming = true,
                  .homeless = in->homeless,
                  .bits = in->write,
                  .slot = s->place,
                  .lanes = lanes};
    s->row[reg].named = s->place;
    for (int l = 0; l < LANES; l++) {
        e->v[l] = draw(1u << 24);
        if (lanes >> l & 1) s->want[l][was] = e->v[l];
    }
}

// Rows that can be neither saved nor given up, and sources.
static void count_rows(const Sim *s, const IsaInst *in) {
    int rows = 0;
    bool kept = false;
    for (int r = 0; r < 64; r++) {
        const Result *e = &s->result[r];
        const bool awaited = e->coming && s->place - e->slot < s->q->window,
                   reserved = awaited && e->bits == ISA_WRITE_BOC;
        const bool mine = reserved || (s->row[r].there && s->row[r].only);
        kept |= mine;
        rows += mine || uses(in, r);
    }
    if (kept) assert_in_range(rows, 0, s->q->rows);
}

static void issue(Sim *s, int i, uint32_t lanes) {
    const IsaInst *in = &s->p->insts[i], *out = &s->q->insts[i];
    uint8_t from[ISA_MAX_SRC_WORDS], now[ISA_MAX_SRC_WORDS];
    if (in->op == ISA_HINT) return;
    for (int r = 0; r < 64; r++)
        if (uses(out, r) || defines(out, r) || !draw(4)) come(s, r);
    move_window(s);
    if (in->guard.reg != ISA_PT) lanes &= draw(FULL + 1);
    for (int n = isa_reads(in, from), k = 0; k < n && isa_reads(out, now) == n; k++)
        read_word(s, i, from[k], now[k], lanes);
    for (int n = isa_writes(in, from), k = 0; k < n && isa_writes(out, now) == n; k++)
        write_word(s, i, from[k], now[k], lanes);
    count_rows(s, out);
}

typedef struct Path {
    int pc, reconv;
    uint32_t lanes;
} Path;

// One warp until it ends, or long enough.
static void simulate(Sim *s) {
    Path stack[64] = {{0, -1, FULL}};
    int top = 0;
    for (int steps = 0; steps < 150 && top >= 0 && top < 60; steps++) {
        Path *at = &stack[top];
        if (!at->lanes || (at->reconv >= 0 && at->pc == at->reconv)) {
            top--;
            continue;
        }
        const int pc = at->pc++;
        const IsaInst *in = &s->p->insts[pc];
        const uint32_t some = in->guard.reg == ISA_PT ? FULL : draw(FULL + 1),
                       taken = at->lanes & some;
        if (in->op == ISA_EXIT)
            for (int k = 0; k <= top; k++) stack[k].lanes &= ~taken;
        issue(s, pc, stack[top].lanes);
        if (in->op != ISA_BRA || !taken) continue;
        const uint32_t rest = at->lanes & ~taken;
        if (!rest) {
            at->pc = in->target;
            continue;
        }
        at->pc = in->reconv;
        stack[top + 1] = (Path){pc + 1, in->reconv, rest};
        stack[top + 2] = (Path){in->target, in->reconv, taken};
        top += 2;
    }
}

static void test_against_collectors(void **unused) {
    (void)unused;
    int compared = 0, from_rows = 0, homeless = 0, bounded = 0;
    for (int round = 0; round < 1500; round++) {
        Arena arena = {0};
        Gen g;
        WindowNotes notes;
        random_program(&g);
        const int places = 2 + (int)draw(6), rows = draw(2) ? 4 * places : 4 + (int)draw(3);
        Sim s = {.p = &g.p};
        s.q = assign(&g.p, places, rows, draw(4), &notes, &arena);
        assert_int_equal(s.q->ninsts, g.p.ninsts);
        assert_true(s.q->home_regs <= g.p.nregs);
        for (int l = 0; l < LANES; l++)
            for (int r = s.q->home_regs; r < 64; r++) s.rf[l][r] = POISON;
        simulate(&s);
        compared += s.compared, from_rows += s.from_rows, homeless += notes.ranges;
        for (int i = 0; i < g.p.ninsts; i++) bounded += notes.bounded[i];
        arena_free(&arena);
    }
    print_message("%d words compared, %d reads of rows, %d ranges without a home, %d bounded\n",
                  compared, from_rows, homeless, bounded);
    assert_true(compared > 20000 && from_rows > 5000 && homeless > 1000 && bounded > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_3_1),
        cmocka_unit_test(test_what_takes_a_place),
        cmocka_unit_test(test_reader_switched_off),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_atomic_without_reader),
        cmocka_unit_test(test_row_bound),
        cmocka_unit_test(test_homeless),
        cmocka_unit_test(test_against_all_ways),
        cmocka_unit_test(test_proof_sees_broken_rules),
        cmocka_unit_test(test_against_collectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
