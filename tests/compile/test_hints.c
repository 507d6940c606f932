// SPDX-License-Identifier: Apache-2.0
// Hints for the register path: the affinity graph, pairs and sides against the optimum of small
// graphs. Also: where registers may be freed under divergence, and metadata in the program.
#include "compile/hints/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state = 1;
static uint32_t draw(uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static void edge(Affinity *a, int x, int y, int64_t w) { a->weight[x][y] = a->weight[y][x] = w; }

static const char head[] =
    ".kernel k\n.regs 12\n.preds 2\n.local 0\n.spill 0 0 0\n.shared 0\n.params 16\n.barriers 0\n";

static IsaProgram *program(Arena *arena, const char *body) {
    Diag d = {0};
    char *text = arena_printf(arena, "%s%s", head, body);
    IsaProgram *p = isa_parse(arena, "k.isa", text, strlen(text), &d);
    if (!p || !isa_check(p, &d)) fail_msg("%s", d.text);
    return p;
}

// ---- pairs ----

// "14 24 12 +24": edges taken out, and put back (+), in order.
static void expect_log(const EdgeLog *log, const char *expected) {
    char text[256] = "";
    for (int i = 0, at = 0; i < log->n && i < EDGE_LOG; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%d%d", i ? " " : "",
                       log->edge[i].back ? "+" : "", log->edge[i].x, log->edge[i].y);
    assert_string_equal(text, expected);
}

// The graph of the thesis's figure 2.5: r1 is read 8 times with r2, 10 with r3, 2 with r4, and r2 w
// times with r4.
static void figure_2_5(int64_t w, const char *order) {
    Affinity a = {.nregs = 5};
    int partner[ISA_MAX_REGS];
    EdgeLog log = {0};
    edge(&a, 1, 2, 8), edge(&a, 1, 3, 10), edge(&a, 1, 4, 2), edge(&a, 2, 4, w);
    assert_int_equal(pairs_choose(&a, partner, &log), 10 + w);
    expect_log(&log, order);
    assert_int_equal(partner[1], 3);
    assert_int_equal(partner[3], 1);
    assert_int_equal(partner[2], 4);
    assert_int_equal(partner[4], 2);
    assert_int_equal(partner[0], -1);
}

static void test_pairs_figure(void **unused) {
    (void)unused;
    figure_2_5(1, "24 14 12 +24");
    figure_2_5(5, "14 24 12 +24");
    figure_2_5(9, "14 12");
}

static int64_t best_pairs(const Affinity *a, uint32_t used) {
    int i = 0;
    while (i < a->nregs && used >> i & 1) i++;
    if (i == a->nregs) return 0;
    int64_t best = best_pairs(a, used | 1u << i);
    for (int j = i + 1; j < a->nregs; j++) {
        if (used >> j & 1 || !a->weight[i][j]) continue;
        int64_t with = a->weight[i][j] + best_pairs(a, used | 1u << i | 1u << j);
        if (with > best) best = with;
    }
    return best;
}

static int64_t best_sides(const Affinity *a) {
    int64_t best = 0;
    for (uint32_t side = 0; side < 1u << (a->nregs - 1); side++) {
        int64_t apart = 0;
        for (int i = 0; i < a->nregs; i++)
            for (int j = 0; j < i; j++)
                if ((side >> i & 1) != (side >> j & 1)) apart += a->weight[i][j];
        if (apart > best) best = apart;
    }
    return best;
}

static void random_graph(Affinity *a, int nregs, uint32_t percent) {
    memset(a, 0, sizeof *a);
    a->nregs = nregs;
    for (int i = 0; i < nregs; i++)
        for (int j = 0; j < i; j++)
            if (draw(100) < percent) edge(a, i, j, 1 + draw(30));
}

// The graph of figure 2.8 with its four odd cycles, 123, 346, 23465 and 13652, two through each
// edge; weights are ours. The edges that are removed weigh 9; 56 is found between the sides again,
// so that the sides are as good as the best.
static void test_sides_figure(void **unused) {
    (void)unused;
    Affinity a = {.nregs = 7};
    IsaAlign side[ISA_MAX_REGS];
    EdgeLog log = {0};
    edge(&a, 1, 2, 4), edge(&a, 2, 3, 6), edge(&a, 1, 3, 5), edge(&a, 3, 4, 3);
    edge(&a, 4, 6, 7), edge(&a, 3, 6, 8), edge(&a, 5, 6, 2), edge(&a, 2, 5, 9);
    assert_int_equal(align_choose(&a, side, &log), 44 - 4 - 3);
    expect_log(&log, "56 34 12");
    assert_int_equal(best_sides(&a), 44 - 7);
    assert_int_equal(side[0], ISA_ALIGN_ANY);
    for (int r = 1; r <= 6; r++)
        assert_int_equal(side[r], r >= 3 && r <= 5 ? ISA_ALIGN_RIGHT : ISA_ALIGN_LEFT);
}

// Figure 2.12: r3 is read with r2 and with r4, r4 with r5. Sides serve all three, pairs two of
// them.
static void test_chain_figure(void **unused) {
    (void)unused;
    Affinity a = {.nregs = 6};
    IsaAlign side[ISA_MAX_REGS];
    int partner[ISA_MAX_REGS];
    edge(&a, 2, 3, 3), edge(&a, 3, 4, 1), edge(&a, 4, 5, 3);
    assert_int_equal(align_choose(&a, side, NULL), 7);
    assert_int_equal(side[1], ISA_ALIGN_ANY);
    assert_int_equal(side[2], side[4]);
    assert_int_equal(side[3], side[5]);
    assert_true(side[2] != side[3] && side[2] != ISA_ALIGN_ANY && side[3] != ISA_ALIGN_ANY);
    assert_int_equal(pairs_choose(&a, partner, NULL), 6);
    assert_int_equal(partner[2], 3);
    assert_int_equal(partner[4], 5);
}

// Valid, never better than the optimum, and not far from it; the distance is reported.
static void test_against_optimum(void **unused) {
    (void)unused;
    double pairs_ratio = 0, sides_ratio = 0;
    int n = 0;
    for (int round = 0; round < 150; round++) {
        Affinity a;
        int partner[ISA_MAX_REGS];
        IsaAlign side[ISA_MAX_REGS];
        random_graph(&a, 4 + (int)draw(7), 20 + draw(60));
        int64_t pairs = pairs_choose(&a, partner, NULL), sides = align_choose(&a, side, NULL);
        int64_t most_pairs = best_pairs(&a, 0), most_sides = best_sides(&a);
        int64_t sum = 0, apart = 0;
        for (int i = 0; i < a.nregs; i++) {
            if (partner[i] >= 0) {
                assert_int_equal(partner[partner[i]], i);
                assert_true(a.weight[i][partner[i]] > 0);
            }
            bool edges = false;
            for (int j = 0; j < a.nregs; j++) {
                edges |= a.weight[i][j] > 0;
                if (j < i && partner[i] == j) sum += a.weight[i][j];
                if (j < i && side[i] != side[j]) apart += a.weight[i][j];
            }
            assert_int_equal(side[i] == ISA_ALIGN_ANY, !edges);
        }
        assert_int_equal(sum, pairs);
        assert_int_equal(apart, sides);
        assert_true(pairs <= most_pairs && sides <= most_sides);
        if (!most_sides) continue;
        pairs_ratio += (double)pairs / (double)most_pairs;
        sides_ratio += (double)sides / (double)most_sides;
        n++;
    }
    print_message("%d graphs of 4 to 10 registers: pairs %.3f of the optimum, sides %.3f\n", n,
                  pairs_ratio / n, sides_ratio / n);
    assert_true(pairs_ratio / n > 0.85 && sides_ratio / n > 0.85);
}

// Without odd cycles nothing may be given up.
static void test_bipartite_keeps_all(void **unused) {
    (void)unused;
    for (int round = 0; round < 50; round++) {
        Affinity a = {.nregs = 30};
        IsaAlign side[ISA_MAX_REGS];
        int64_t total = 0;
        for (int i = 0; i < 15; i++)
            for (int j = 15; j < 30; j++)
                if (draw(100) < 30) {
                    edge(&a, i, j, 1 + draw(9));
                    total += a.weight[i][j];
                }
        assert_int_equal(align_choose(&a, side, NULL), total);
    }
}

// Many registers, all read together: ends, and with an even split.
static void test_dense_graph_ends(void **unused) {
    (void)unused;
    Affinity a = {.nregs = 63};
    IsaAlign side[ISA_MAX_REGS];
    int64_t total = 0;
    for (int i = 0; i < 63; i++)
        for (int j = 0; j < i; j++) edge(&a, i, j, 1 + draw(5)), total += a.weight[i][j];
    assert_true(align_choose(&a, side, NULL) * 2 > total);
}

// ---- affinity ----

static void test_weights(void **unused) {
    (void)unused;
    Arena arena = {0};
    IsaProgram *p =
        program(&arena,
                "    iadd R2, R0, R1\n"
                "    mov R3, RZ\n"
                "L2:\n    iadd R4, R2, R1\n"  // 8 times
                "    iadd R3, R3, 0x1\n"
                "    isetp.lt.and.s32 _|P0, R3, 0x8\n"
                "    @P0 bra _, L2, L6\n"
                "L6:\n    ld.global.b32.u32 R5, [R6.64]\n"  // not constant: AFFINITY_LOOP times
                "    isetp.lt.and.s32 _|P0, R5, R4\n"
                "    @P0 bra _, L6, L9\n"
                "L9:\n    ffma R0, R1, R2, R1\n"
                "    exit _\n");
    Affinity a;
    affinity_build(&a, p);
    assert_int_equal(a.weight[0][1], 1);
    assert_int_equal(a.weight[1][2], 8 + 1);
    assert_int_equal(a.weight[6][7], AFFINITY_LOOP);
    assert_int_equal(a.weight[4][5], AFFINITY_LOOP);
    assert_int_equal(a.weight[3][1], 0);
    arena_free(&arena);
}

// ---- releases ----

static bool operand_dies(const char *body, int inst, int reg) {
    Arena arena = {0};
    Releases r;
    release_find(&r, program(&arena, body), &arena);
    bool dies = r.operand[inst] >> reg & 1;
    arena_free(&arena);
    return dies;
}

static bool dead_before(const char *body, int inst, int reg) {
    Arena arena = {0};
    Releases r;
    release_find(&r, program(&arena, body), &arena);
    bool dead = r.before[inst] >> reg & 1;
    arena_free(&arena);
    return dead;
}

// A branch on the thread index: both sides read R1. The side that runs first must not free it.
static const char two_sides[] = "    s2r R0, %tid.x\n"
                                "    mov R1, 0x5\n"
                                "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                                "    @P0 bra _, L6, L8\n"
                                "    iadd R2, R1, 0x1\n"
                                "    bra _, L8, L8\n"
                                "L6:\n    iadd R2, R1, 0x2\n"
                                "    mov R3, 0x1\n"
                                "L8:\n    st.global.b32 _, [R2], R2\n"
                                "    exit _\n";
// The same, but the branch depends on the CTA alone.
static const char uniform_sides[] = "    s2r R0, %ctaid.x\n"
                                    "    mov R1, 0x5\n"
                                    "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                                    "    @P0 bra _, L6, L8\n"
                                    "    iadd R2, R1, 0x1\n"
                                    "    bra _, L8, L8\n"
                                    "L6:\n    iadd R2, R1, 0x2\n"
                                    "    mov R3, 0x1\n"
                                    "L8:\n    st.global.b32 _, [R2], R2\n"
                                    "    exit _\n";
// Lanes leave the loop with R1 while others go on and read and overwrite their R1.
static const char loop_exit[] = "    s2r R0, %tid.x\n"
                                "L1:\n    ld.global.b32.u32 R1, [R0]\n"
                                "    isetp.lt.and.s32 _|P0, R1, 0x8\n"
                                "    @P0 bra _, L6, L6\n"
                                "    iadd R0, R0, R1\n"
                                "    bra _, L1, L6\n"
                                "L6:\n    st.global.b32 _, [R1], R1\n"
                                "    exit _\n";
// Lanes of the first side wait at the end with their R1. The second side reads its own for the last
// time and writes a new one.
static const char waiting[] = "    s2r R0, %tid.x\n"
                              "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                              "    @P0 bra _, L5, L8\n"
                              "    mov R1, 0x1\n"
                              "    bra _, L8, L8\n"
                              "L5:\n    mov R1, 0x2\n"
                              "    iadd R2, R1, 0x1\n"
                              "    mov R1, 0x3\n"
                              "L8:\n    st.global.b32 _, [R1], R1\n"
                              "    exit _\n";

// R1 is read on one side of a divergent branch only, and nowhere behind it.
static const char one_side[] = "    s2r R0, %tid.x\n"
                               "    mov R1, 0x5\n"
                               "    mov R2, 0x1\n"
                               "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                               "    @P0 bra _, L6, L6\n"
                               "    iadd R2, R1, 0x1\n"
                               "L6:\n    st.global.b32 _, [R2], R2\n"
                               "    exit _\n";
// R0 and R3 are carried from one turn to the next, R1 is not. All lanes turn equally often.
static const char carried[] = "    mov R0, RZ\n"
                              "    mov R3, RZ\n"
                              "L2:\n    iadd R1, R0, 0x3\n"
                              "    iadd R3, R3, R1\n"
                              "    iadd R0, R0, 0x1\n"
                              "    isetp.lt.and.s32 _|P0, R0, 0x8\n"
                              "    @P0 bra _, L2, L7\n"
                              "L7:\n    st.global.b32 _, [R3], R3\n"
                              "    exit _\n";
// The same, but lanes leave after different numbers of turns: those that left keep their R3.
static const char uneven[] = "    s2r R2, %tid.x\n"
                             "    mov R0, RZ\n"
                             "    mov R3, RZ\n"
                             "L3:\n    iadd R1, R0, 0x3\n"
                             "    iadd R3, R3, R1\n"
                             "    iadd R0, R0, 0x1\n"
                             "    isetp.lt.and.s32 _|P0, R0, R2\n"
                             "    @P0 bra _, L3, L8\n"
                             "L8:\n    st.global.b32 _, [R3], R3\n"
                             "    exit _\n";

static void test_marks_are_conservative(void **unused) {
    (void)unused;
    assert_false(operand_dies(one_side, 5, 1));
    assert_true(dead_before(one_side, 6, 1));
    for (int i = 0; i < 6; i++) {
        assert_false(operand_dies(carried, i, 0));
        assert_false(operand_dies(carried, i, 3));
        assert_false(dead_before(carried, i, 0) || dead_before(carried, i, 3));
        assert_false(operand_dies(uneven, i + 1, 0) || operand_dies(uneven, i + 1, 2));
        assert_false(operand_dies(uneven, i + 1, 3) || dead_before(uneven, i + 1, 3));
    }
    assert_true(operand_dies(carried, 3, 1));
    assert_true(operand_dies(carried, 7, 3));
    assert_true(dead_before(uneven, 8, 0) && dead_before(uneven, 8, 2));
    assert_true(operand_dies(uneven, 8, 3));
}

static void test_releases(void **unused) {
    (void)unused;
    assert_true(operand_dies(two_sides, 2, 0));  // before the branch
    assert_false(operand_dies(two_sides, 4, 1));
    assert_false(operand_dies(two_sides, 6, 1));
    assert_true(dead_before(two_sides, 8, 1));  // all lanes are together again
    assert_true(operand_dies(two_sides, 8, 2));
    assert_true(operand_dies(uniform_sides, 4, 1));
    assert_true(operand_dies(uniform_sides, 6, 1));
    assert_false(operand_dies(loop_exit, 4, 1));
    assert_true(operand_dies(loop_exit, 6, 1));
    assert_true(dead_before(loop_exit, 6, 0));
    assert_false(operand_dies(waiting, 6, 1));
    assert_true(dead_before(two_sides, 8, 3) || operand_dies(two_sides, 7, 3));  // R3 is never read
}

// ---- metadata ----

static void test_attach(void **unused) {
    (void)unused;
    Arena arena = {0};
    IsaProgram *p = program(&arena, two_sides);
    IsaProgram *q =
        hints_attach(p, &arena, COMPILE_HINT_PAIRS | COMPILE_HINT_ALIGN | COMPILE_HINT_RELEASE);
    Diag d = {0};
    if (!isa_check(q, &d)) fail_msg("%s", d.text);
    int hints = 0, others = 0;
    for (int i = 0; i < q->ninsts; i++) {
        const IsaInst *in = &q->insts[i];
        if (in->op == ISA_HINT) {
            hints++;
            continue;
        }
        assert_int_equal(in->op, p->insts[others].op);
        if (in->op == ISA_BRA) {
            int to = in->target, past = to;
            while (q->insts[past].op == ISA_HINT) past++;
            assert_int_equal(q->insts[past].op, p->insts[p->insts[others].target].op);
            // a register released at the target is released for lanes that jump there, too
            assert_true(to == past || q->insts[to].mode == ISA_HINT_RELEASE);
        }
        others++;
    }
    assert_int_equal(others, p->ninsts);
    assert_int_equal(q->insts[0].mode, ISA_HINT_ALIGN);  // no register pair is read together here
    assert_int_equal(hints, 3 + 1);
    assert_int_equal(q->insts[3 + 2].last, 1);  // isetp reads R0 for the last time
    // 64-bit code size as metadata: text reads back
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    isa_print(f, q);
    fclose(f);
    IsaProgram *again = isa_parse(&arena, "q.isa", text, size, &d);
    assert_non_null(again);
    assert_int_equal(again->insts[0].src[0].imm, q->insts[0].src[0].imm);
    free(text);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_figure),
                                       cmocka_unit_test(test_against_optimum),
                                       cmocka_unit_test(test_bipartite_keeps_all),
                                       cmocka_unit_test(test_dense_graph_ends),
                                       cmocka_unit_test(test_weights),
                                       cmocka_unit_test(test_releases),
                                       cmocka_unit_test(test_attach),
                                       cmocka_unit_test(test_sides_figure),
                                       cmocka_unit_test(test_chain_figure),
                                       cmocka_unit_test(test_marks_are_conservative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
