// SPDX-License-Identifier: Apache-2.0
// Triggers of assist warps. Memoized regions: which, their inputs and result, refusals, the
// program's unchanged effect. Prefetched loads: which, and when their address gets a register.
#include "compile/assist/assist.h"
#include "compile/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static MachineConfig cfg;  // fermi: iadd and the like take their unit for 1 cycle, idiv for 8

static int setup(void **state) {
    static Arena arena;
    Diag d = {0};
    *state = &arena;
    if (!config_load(&cfg, &arena, TEST_SOURCE_DIR "/csrc/config", "fermi", &d))
        fail_msg("%s", d.text);
    assert_true(config_set(&cfg, "exec.int.interval=1", &d) &&
                config_set(&cfg, "exec.idiv.interval=8", &d));
    return 0;
}

static int teardown(void **state) {
    arena_free(*state);
    return 0;
}

// Instructions and labels, "iadd R1, R0, 0x1; L1: exit _".
static IsaProgram *program_of(Arena *arena, int regs, const char *body) {
    Diag d = {0};
    char *text = arena_printf(
        arena,
        ".kernel k\n.regs %d\n.preds 3\n.local 0\n.spill 0 0 0\n.shared 0\n.params 32\n"
        ".barriers 1\n%s\n",
        regs, body);
    for (char *c = text; *c; c++) {
        if (c[0] == ';') c[0] = '\n';
        if (c[1] == ' ' && (c[0] == '\n' || c[0] == ':')) c[1] = '\n';
    }
    IsaProgram *p = isa_parse(arena, "k.isa", text, strlen(text), &d);
    if (!p || !isa_check(p, &d)) fail_msg("%s", d.text);
    return p;
}

// ---- an interpreter that knows of each operation only that its result depends on all that it read

typedef struct Lane {
    uint64_t reg[64], memory;
    bool pred[8], constant[64];  // constant: computed of immediates and parameters alone
} Lane;

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static Lane lane_of(uint64_t seed) {
    Lane l = {.memory = mix(seed, 99)};
    for (int r = 0; r < 64; r++) l.reg[r] = mix(seed, (uint64_t)r);
    for (int q = 0; q < ISA_PREDS; q++) l.pred[q] = mix(seed, 200 + (uint64_t)q) & 1;
    return l;
}

static bool holds(const Lane *l, IsaPred q) { return (q.reg == ISA_PT || l->pred[q.reg]) != q.neg; }

static uint64_t source(const Lane *l, const IsaSrc *s) {
    uint64_t h = mix(s->kind == ISA_SRC_NONE ? 0 : s->imm + 1, s->cbank + 2u * s->neg);
    for (int w = 0; s->kind == ISA_SRC_REG && w < s->width; w++)
        h = mix(h, s->reg == ISA_RZ ? 0 : l->reg[s->reg + w]);
    return h;
}

// False: a branch that is taken.
static bool step(Lane *l, const IsaInst *in) {
    uint8_t regs[ISA_MAX_SRC_WORDS];
    if (!holds(l, in->guard)) return true;
    if (in->op == ISA_BRA) return false;
    uint64_t h = mix(in->op, (uint64_t)in->offset);
    bool constant =
        in->op != ISA_LD && in->op != ISA_S2R && in->guard.reg == ISA_PT && !isa_pred_reads(in);
    for (int k = 0; k < 3; k++) h = mix(mix(h, source(l, &in->src[k])), holds(l, in->psrc[k]));
    for (int i = isa_reads(in, regs) - 1; i >= 0; i--) constant &= l->constant[regs[i]];
    if (in->op == ISA_LD) h = mix(h, l->memory);
    if (in->op == ISA_ST) l->memory = mix(l->memory, h);
    for (int i = isa_writes(in, regs) - 1; i >= 0; i--) {
        l->reg[regs[i]] = mix(h, (uint64_t)i);
        l->constant[regs[i]] = constant;
    }
    for (int k = 0; k < 2; k++)
        if (in->pdst[k] != ISA_PT) l->pred[in->pdst[k]] = mix(h, 100 + (uint64_t)k) & 1;
    return true;
}

// The region's result from its inputs and constants alone; its other results are spoilt behind it.
static void step_region(Lane *l, const IsaProgram *p, const IsaRegion *r) {
    Lane whole = *l, narrow = lane_of(l->memory);
    uint8_t regs[ISA_MAX_DST_WORDS];
    for (int i = 0; i < r->nin; i++) narrow.reg[r->in[i]] = l->reg[r->in[i]];
    for (int i = 0; i < 64; i++)
        if (l->constant[i]) narrow.reg[i] = l->reg[i];
    for (int i = r->first; i < r->after; i++) {
        assert_true(step(&whole, &p->insts[i]) && step(&narrow, &p->insts[i]));
        for (int n = isa_writes(&p->insts[i], regs) - 1; n >= 0; n--) {
            l->reg[regs[n]] = mix(l->memory, regs[n]);
            l->constant[regs[n]] = false;
        }
        for (int k = 0; k < 2; k++)
            if (p->insts[i].pdst[k] != ISA_PT) l->pred[p->insts[i].pdst[k]] ^= true;
    }
    assert_true(whole.reg[r->out] == narrow.reg[r->out]);
    assert_true(whole.memory == l->memory);
    l->reg[r->out] = whole.reg[r->out];
    l->constant[r->out] = whole.constant[r->out];
}

// Contents of memory at the end, or after so many branches; memoized: regions by step_region.
static uint64_t memory_after(const IsaProgram *p, uint64_t seed, bool memoized) {
    Lane l = lane_of(seed);
    for (int at = 0, branches = 0; branches < 30 && p->insts[at].op != ISA_EXIT;) {
        const IsaRegion *region = NULL;
        for (int i = 0; i < p->nregions && memoized; i++)
            if (p->regions[i].first == at) region = &p->regions[i];
        if (region) {
            step_region(&l, p, region);
            at = region->after;
        } else if (step(&l, &p->insts[at])) at++;
        else at = p->insts[at].target, branches++;
    }
    return l.memory;
}

// ---- regions ------------------------------------------------------------------------------------

// Regions in the order in which they were chosen: "2..5 R1,R3>R0", instructions 2 to 4 with inputs
// R1 and R3.
static void expect_regions(const char *body, int least, const char *expected) {
    Arena arena = {0};
    const IsaProgram *p = program_of(&arena, 16, body), *q = assist_regions(p, &cfg, least, &arena);
    const char *text = "";
    for (int i = 0; i < q->nregions; i++) {
        const IsaRegion *r = &q->regions[i];
        text = arena_printf(&arena, "%s%s%d..%d ", text, i ? "; " : "", r->first, r->after);
        for (int k = 0; k < r->nin; k++)
            text = arena_printf(&arena, "%s%sR%d", text, k ? "," : "", r->in[k]);
        text = arena_printf(&arena, "%s>R%d", text, r->out);
    }
    assert_string_equal(text, expected);
    assert_int_equal(q->ninsts, p->ninsts);
    for (uint64_t seed = 1; seed < 20; seed++)
        assert_true(memory_after(p, seed, false) == memory_after(q, seed, true));
    arena_free(&arena);
}

static void test_region_found(void **state) {
    (void)state;
    static const char two[] = "ld.global.b32.u32 R0, [R9]; "
                              "idiv.u32 R1, R0, 0x7; "
                              "idiv.u32 R2, R1, 0x3; "
                              "st.global.b32 _, [R9], R2; "
                              "exit _";
    expect_regions(two, 16, "1..3 R0>R2");
    expect_regions(two, 17, "");  // they take 16 cycles
    expect_regions("exit _", 1, "");
    expect_regions("st.global.b32 _, [R9], R2; exit _", 1, "");
    // Nobody reads the result; one instruction alone.
    expect_regions("idiv.u32 R1, R0, 0x7; idiv.u32 R2, R1, 0x3; exit _", 1, "");
    expect_regions("idiv.u32 R1, R0, 0x7; st.global.b32 _, [R9], R1; exit _", 1, "");
}

static void test_region_results(void **state) {
    (void)state;
    // R1 is read behind it, too: two results are two regions.
    static const char both[] = "iadd R1, R0, 0x7; "
                               "idiv.u32 R1, R1, 0x7; "
                               "iadd R2, R1, 0x3; "
                               "idiv.u32 R2, R2, 0x3; "
                               "st.global.b32 _, [R1], R2; "
                               "exit _";
    expect_regions(both, 9, "0..2 R0>R1; 2..4 R1>R2");
    expect_regions(both, 10, "");
    // .. or between its instructions.
    static const char between[] = "idiv.u32 R1, R0, 0x7; "
                                  "st.global.b32 _, [R9], R1; "
                                  "idiv.u32 R2, R1, 0x3; "
                                  "st.global.b32 _, [R9], R2; "
                                  "exit _";
    expect_regions(between, 1, "");
    // A pair is two words, unless one is dead.
    static const char pair[] = "iadd R1, R0, 0x7; "
                               "idiv.u64 R2.64, R0.64, 0x7.64; "
                               "st.global.b%s _, [R9], R%s; "
                               "exit _";
    Arena arena = {0};
    expect_regions(arena_printf(&arena, pair, "64", "2.64"), 1, "");
    expect_regions(arena_printf(&arena, pair, "32", "3"), 1, "0..2 R0>R3");
    // A predicate that is read behind it.
    static const char predicate[] = "idiv.u32 R1, R0, 0x7; "
                                    "isetp.lt.and.u32 _|P0, R1, 0x8; "
                                    "sel R2, R1, 0x5, {P0}; "
                                    "%sst.global.b32 _, [R9], R2; "
                                    "exit _";
    expect_regions(arena_printf(&arena, predicate, ""), 10, "0..3 R0>R2");
    expect_regions(arena_printf(&arena, predicate, "@P0 "), 10, "");
    arena_free(&arena);
}

static void test_region_inputs(void **state) {
    (void)state;
    // Two inputs, not three.
    expect_regions("idiv.u32 R3, R0, R1; idiv.u32 R4, R3, R0; st.global.b32 _, [R9], R4; exit _",
                   16, "0..2 R0,R1>R4");
    expect_regions("idiv.u32 R3, R0, R1; idiv.u32 R4, R3, R2; st.global.b32 _, [R9], R4; exit _",
                   16, "");
    // None: the result is the same in the whole kernel.
    expect_regions("mov R0, c[0][0x8]; idiv.u32 R1, R0, 0x7; idiv.u32 R1, R1, 0x3; "
                   "st.global.b32 _, [R9], R1; exit _",
                   1, "");
    // A parameter is no input, nor is a value computed from it.
    expect_regions("mov R2, c[0][0x8]; iadd R3, R2, 0x1; idiv.u32 R4, R0, R3; idiv.u32 R5, R4, R1; "
                   "st.global.b32 _, [R9], R5; exit _",
                   16, "2..4 R0,R1>R5");
    // With two inputs a third of the cycles counts: the region with the quotient as its input is
    // better than all three.
    expect_regions("idiv.u32 R2, R0, R1; idiv.u32 R3, R2, 0x7; idiv.u32 R4, R3, 0x3; "
                   "st.global.b32 _, [R9], R4; exit _",
                   8, "1..3 R2>R4");
    // A value of the lane's own is an input, and its reader does not belong to a region.
    expect_regions("s2r R0, %tid.x; iadd R1, R0, 0x3; idiv.u32 R1, R1, 0x7; "
                   "st.global.b32 _, [R9], R1; exit _",
                   8, "1..3 R0>R1");
    expect_regions(
        "iadd R1, R0, 0x3; idiv.u32 R1, R1, 0x7; ld.global.b32.u32 R2, [R1]; iadd R3, R2, 0x3; "
        "idiv.u32 R3, R3, 0x7; st.global.b32 _, [R9], R3; exit _",
        8, "0..2 R0>R1; 3..5 R2>R3");
}

// The same parameter on both sides of a branch, or different ones.
static void test_region_constant_by_two_ways(void **state) {
    (void)state;
    static const char sides[] = "@P0 bra _, L3, L4; "
                                "mov R2, c[0][0x8]; "
                                "bra _, L4, L4; "
                                "L3: mov R2, c[0][%s]; "
                                "L4: idiv.u32 R4, R0, R2; "
                                "idiv.u32 R5, R4, R1; "
                                "st.global.b32 _, [R9], R5; "
                                "exit _";
    Arena arena = {0};
    expect_regions(arena_printf(&arena, sides, "0x8"), 16, "4..6 R0,R1>R5");
    expect_regions(arena_printf(&arena, sides, "0x10"), 16, "");  // R2 is a third
    // Counted up in a loop it is no constant, though it begins as one.
    static const char loop[] = "mov R2, 0x1; "
                               "mov R3, c[0][0x8]; "
                               "L2: idiv.u32 R4, R2, R3; "
                               "idiv.u32 R4, R4, 0x3; "
                               "st.global.b32 _, [R9], R4; "
                               "iadd R2, R2, 0x1; "
                               "isetp.lt.and.u32 _|P0, R2, R3; "
                               "@P0 bra _, L2, L8; "
                               "L8: exit _";
    expect_regions(loop, 8, "2..4 R2>R4");
    arena_free(&arena);
}

static void test_region_predicates(void **state) {
    (void)state;
    // P0 is defined outside.
    expect_regions("@P0 idiv.u32 R1, R0, 0x7; st.global.b32 _, [R9], R1; exit _", 1, "");
    // P0 is made inside; lanes without it keep R1, which is made inside, too, or is an input.
    expect_regions("isetp.lt.and.u32 _|P0, R0, 0x8; iadd R1, R0, 0x1; @P0 idiv.u32 R1, R0, 0x7; "
                   "st.global.b32 _, [R9], R1; exit _",
                   10, "0..3 R0>R1");
    expect_regions("isetp.lt.and.u32 _|P0, R0, 0x8; @P0 idiv.u32 R1, R0, 0x7; "
                   "st.global.b32 _, [R9], R1; exit _",
                   9, "0..2 R0,R1>R1");
}

static void test_region_stays_in_block(void **state) {
    (void)state;
    static const char parted[] = "iadd R1, R0, 0x3; "
                                 "idiv.u32 R1, R1, 0x7; "
                                 "%s; "
                                 "L3: iadd R2, R1, 0x5; "
                                 "idiv.u32 R2, R2, 0x3; "
                                 "L5: st.global.b32 _, [R9], R2; "
                                 "exit _";
    Arena arena = {0};
    expect_regions(arena_printf(&arena, parted, "@P0 bra _, L3, L3"), 9, "0..2 R0>R1; 3..5 R1>R2");
    expect_regions(arena_printf(&arena, parted, "@P0 bra _, L5, L5"), 9, "0..2 R0>R1; 3..5 R1>R2");
    expect_regions(arena_printf(&arena, parted, "bar _, 0x0"), 9, "0..2 R0>R1; 3..5 R1>R2");
    // it is moved before the region
    expect_regions(arena_printf(&arena, parted, "mov R5, R6"), 9, "2..5 R1>R2");
    bool leader[7];  // the first, that behind a branch, its target, where its sides meet
    assist_leaders(program_of(&arena, 16, arena_printf(&arena, parted, "@P0 bra _, L5, L6")),
                   leader);
    for (int i = 0; i < 7; i++) assert_int_equal(leader[i], i == 0 || i == 3 || i == 5 || i == 6);
    arena_free(&arena);
}

// Instructions between those of a region move before it, or behind it if they change its inputs.
static void test_region_brought_together(void **state) {
    (void)state;
    expect_regions("idiv.u32 R1, R0, 0x7; st.global.b32 _, [R9], R5; idiv.u32 R2, R1, 0x3; "
                   "st.global.b32 _, [R9], R2; exit _",
                   16, "1..3 R0>R2");
    expect_regions("idiv.u32 R1, R0, 0x7; ld.global.b32.u32 R0, [R9]; idiv.u32 R2, R1, 0x3; "
                   "st.global.b32 _, [R0], R2; exit _",
                   16, "0..2 R0>R2");
    // Neither is possible: the new R0 is read by the region's end.
    expect_regions("idiv.u32 R1, R0, 0x7; ld.global.b32.u32 R0, [R9]; idiv.u32 R2, R1, R0; "
                   "st.global.b32 _, [R9], R2; exit _",
                   16, "");
    // The load goes behind the region, and so must the store that follows it.
    expect_regions("idiv.u32 R1, R0, 0x7; ld.global.b32.u32 R0, [R9]; st.global.b32 _, [R9], R5; "
                   "idiv.u32 R2, R1, 0x3; st.global.b32 _, [R0], R2; exit _",
                   16, "0..2 R0>R2");
}

static const char *chain(Arena *arena, int n) {
    const char *body = "";
    for (int i = 0; i < n; i++)
        body = arena_printf(arena, "%siadd R%d, R%d, 0x%x; ", body, (i + 1) % 2, i % 2, i);
    return arena_printf(arena, "%sst.global.b32 _, [R9], R%d; exit _", body, n % 2);
}

// A region grows by sixteen cheap instructions, not by fewer; of equal ones the first is taken.
static void test_region_cheap(void **state) {
    (void)state;
    Arena arena = {0};
    expect_regions(chain(&arena, 15), 5, "0..5 R0>R1; 5..10 R1>R0; 10..15 R0>R1");
    expect_regions(chain(&arena, 20), 5, "0..16 R0>R0");
    expect_regions(chain(&arena, 20), 20, "0..20 R0>R0");
    expect_regions(chain(&arena, 20), 21, "");
    // It looks back over 160 instructions.
    expect_regions(chain(&arena, 165), 160, "0..160 R0>R0");
    expect_regions(chain(&arena, 165), 161, "");
    arena_free(&arena);
}

// At most eight, the dearest ones; none shares an instruction with another.
static void test_region_most(void **state) {
    (void)state;
    Arena arena = {0};
    const char *body = "";
    for (int i = 0; i < 10; i++)
        body = arena_printf(&arena,
                            "%sld.global.b32.u32 R0, [R9]; idiv.u32 R1, R0, 0x7; %s R1, R1, 0x3; "
                            "st.global.b32 _, [R9], R1; ",
                            body, i < 2 ? "iadd" : "idiv.u32");
    body = arena_printf(&arena, "%sexit _", body);
    const IsaProgram *q = assist_regions(program_of(&arena, 16, body), &cfg, 1, &arena);
    assert_int_equal(q->nregions, ISA_MOST_REGIONS);
    for (int i = 0; i < q->nregions; i++) {
        assert_int_equal(q->regions[i].first, 9 + 4 * i);
        assert_int_equal(q->regions[i].after, 11 + 4 * i);
    }
    // The candidate for a second region surrounds the first, which stays whole.
    expect_regions(
        "idiv.u32 R1, R0, 0x7; idiv.u32 R5, R6, 0x3; idiv.u32 R5, R5, 0x5; idiv.u32 R5, R5, 0x9; "
        "idiv.u32 R2, R1, 0x9; st.global.b32 _, [R5], R2; exit _",
        1, "1..4 R6>R5");
    expect_regions(
        "idiv.u32 R1, R0, 0x7; idiv.u32 R5, R6, 0x3; idiv.u32 R5, R5, 0x5; idiv.u32 R0, R5, 0x9; "
        "idiv.u32 R2, R1, 0x9; st.global.b32 _, [R0], R2; exit _",
        1, "1..4 R6>R0");
    arena_free(&arena);
}

static uint32_t random_state = 1;
static int draw(int n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)(random_state >> 8) % n;
}

static const char *random_inst(Arena *a) {
    const int d = draw(8), x = draw(8), y = draw(8), q = draw(2);
    switch (draw(16)) {
    case 0: return arena_printf(a, "mov R%d, c[0][0x%x]; ", d, 8 * draw(3));
    case 1:
    case 2:
    case 3: return arena_printf(a, "iadd R%d, R%d, R%d; ", d, x, y);
    case 4: return arena_printf(a, "iadd R%d, R%d, 0x%x; ", d, x, y);
    case 5: return arena_printf(a, "@%sP%d iadd R%d, R%d, 0x3; ", x & 1 ? "!" : "", q, d, y);
    case 6: return arena_printf(a, "isetp.lt.and.u32 _|P%d, R%d, R%d; ", q, x, y);
    case 7:
    case 8: return arena_printf(a, "st.global.b32 _, [R%d], R%d; ", x, y);
    case 9: return arena_printf(a, "sel R%d, R%d, R%d, {P%d}; ", d, x, y, q);
    case 10:
    case 11: return arena_printf(a, "ld.global.b32.u32 R%d, [R%d]; ", d, x);
    case 12: return arena_printf(a, "imul.wide.u32 R%d.64, R%d, R%d; ", d & ~1, x, y);
    case 13: return arena_printf(a, "idiv.u32 R%d, R%d, R%d; ", d, x, y);
    default: return arena_printf(a, "idiv.u32 R%d, R%d, 0x%x; ", d, x, 2 + y);
    }
}

// Programs at random do the same when each region's result is kept and all else that it writes is
// lost.
static void test_region_random(void **state) {
    (void)state;
    int regions = 0, two_inputs = 0, moved = 0;
    for (int round = 0; round < 4000; round++) {
        Arena arena = {0};
        const char *body = "";
        for (int i = 0; i < 24; i++) body = arena_printf(&arena, "%s%s", body, random_inst(&arena));
        body =
            arena_printf(&arena, "%sst.global.b32 _, [R%d], R%d; exit _", body, draw(8), draw(8));
        const int least = 1 + draw(20);
        const IsaProgram *p = program_of(&arena, 8, body),
                         *q = assist_regions(p, &cfg, least, &arena);
        for (int i = 0; i < q->nregions; i++) {
            const IsaRegion *r = &q->regions[i];
            int cost = 0;
            for (int k = r->first; k < r->after; k++) cost += q->insts[k].op == ISA_IDIV ? 8 : 1;
            assert_true(cost >= least && r->nin >= 1 && r->nin <= ISA_REGION_INPUTS);
            for (int k = 0; k < i; k++)
                assert_true(r->first >= q->regions[k].after || r->after <= q->regions[k].first);
            two_inputs += r->nin == 2;
        }
        regions += q->nregions;
        moved += memcmp(p->insts, q->insts, sizeof *p->insts * (size_t)p->ninsts) != 0;
        for (uint64_t seed = 1; seed < 5; seed++)
            if (memory_after(p, seed, false) != memory_after(q, seed, true)) {
                isa_print(stderr, p);
                isa_print(stderr, q);
                fail_msg("round %d: the programs differ", round);
            }
        arena_free(&arena);
    }
    print_message("%d regions, %d of two inputs; %d programs changed\n", regions, two_inputs,
                  moved);
    assert_true(regions > 2000 && two_inputs > 1000 && moved > 500);
}

// ---- loads --------------------------------------------------------------------------------------

// The loads that are marked, and how many registers more there are: "2 5 +1".
static void expect_loads_of(int regs, int most, const char *body, const char *expected) {
    Arena arena = {0};
    const IsaProgram *p = program_of(&arena, regs, body), *q = assist_loads(p, most, &arena);
    const char *text = "";
    Diag d = {0};
    for (int i = 0; i < q->nstrided; i++)
        text = arena_printf(&arena, "%s%s%d", text, i ? " " : "", q->strided[i]);
    if (q->nregs != p->nregs) text = arena_printf(&arena, "%s +%d", text, q->nregs - p->nregs);
    assert_string_equal(text, expected);
    assert_int_equal(q->home_regs - p->home_regs, q->nregs - p->nregs);
    assert_int_equal(q->ninsts, p->ninsts);
    if (!isa_check(q, &d)) fail_msg("%s", d.text);
    for (uint64_t seed = 1; seed < 20; seed++)
        assert_true(memory_after(p, seed, false) == memory_after(q, seed, false));
    arena_free(&arena);
}
static void expect_loads(const char *body, const char *expected) {
    expect_loads_of(16, 4, body, expected);
}

// A loop around `body`, which begins with instruction 1; the loop's end is `end`.
static const char *loop_of(Arena *a, const char *body, int end) {
    return arena_printf(
        a,
        "mov R0, c[0][0x0]; L1: %sisetp.lt.and.u32 _|P0, R0, c[0][0x8]; @P0 bra _, L1, L%d; "
        "L%d: exit _",
        body, end, end);
}

static void test_loads_in_loops(void **state) {
    (void)state;
    Arena a = {0};
    expect_loads("exit _", "");
    expect_loads("ld.global.b32.u32 R1, [R0]; st.global.b32 _, [R9], R1; exit _", "");
    // The loop changes the address; does not; changes it by the load itself, which the routine
    // finds to be no stride.
    expect_loads(
        loop_of(&a, "ld.global.b32.u32 R1, [R0]; st.global.b32 _, [R9], R1; iadd R0, R0, 0x80; ",
                6),
        "1");
    expect_loads(
        loop_of(&a, "ld.global.b32.u32 R1, [R2]; st.global.b32 _, [R9], R1; iadd R0, R0, 0x80; ",
                6),
        "");
    expect_loads(loop_of(&a, "ld.global.b32.u32 R0, [R0]; st.global.b32 _, [R9], R0; ", 5), "1");
    // Behind the loop that changes it, and before it.
    expect_loads("L0: iadd R0, R0, 0x80; isetp.lt.and.u32 _|P0, R0, 0x800; @P0 bra _, L0, L3; "
                 "L3: ld.global.b32.u32 R1, [R0]; st.global.b32 _, [R9], R1; exit _",
                 "");
    expect_loads(
        "ld.global.b32.u32 R1, [R0]; L1: iadd R0, R0, R1; isetp.lt.and.u32 _|P0, R0, 0x800; "
        "@P0 bra _, L1, L4; L4: st.global.b32 _, [R9], R0; exit _",
        "");
    // A writer behind the loop does not count.
    expect_loads("mov R0, c[0][0x0]; L1: ld.global.b32.u32 R1, [R0]; iadd R0, R0, 0x80; "
                 "isetp.lt.and.u32 _|P0, R0, R1; "
                 "@P0 bra _, L1, L5; L5: mov R0, 0x5; st.global.b32 _, [R9], R0; exit _",
                 "1");
    // Changed by the outer of two loops, each around the load.
    expect_loads(
        "L0: iadd R0, R0, 0x80; "
        "L1: ld.global.b32.u32 R1, [R0]; iadd R2, R2, R1; isetp.lt.and.u32 _|P0, R2, 0x800; "
        "@P0 bra _, L1, L5; "
        "L5: isetp.lt.and.u32 _|P1, R0, 0x800; @P1 bra _, L0, L7; "
        "L7: st.global.b32 _, [R9], R2; exit _",
        "1");
    // Set by the outer and changed by the inner one: two writers, one of them in another block.
    expect_loads(
        "L0: iadd R0, R3, 0x80; "
        "L1: ld.global.b32.u32 R1, [R0]; iadd R0, R0, R1; isetp.lt.and.u32 _|P0, R0, 0x800; "
        "@P0 bra _, L1, L5; "
        "L5: iadd R3, R3, 0x1; isetp.lt.and.u32 _|P1, R3, 0x800; @P1 bra _, L0, L8; "
        "L8: st.global.b32 _, [R9], R0; exit _",
        "");
    arena_free(&a);
}

static void test_loads_by_kind(void **state) {
    (void)state;
    static const struct {
        const char *load, *marked;
    } kinds[] = {
        {"ld.global.b32.u32 R1, [R0]", "1"},        {"ld.global.cs.b32.u32 R1, [R0]", "1"},
        {"ld.global.cg.b32.u32 R1, [R0]", ""},      {"ld.global.cv.b32.u32 R1, [R0]", ""},
        {"ld.global.ordered.b32.u32 R1, [R0]", ""}, {"ld.shared.b32.u32 R1, [R0]", ""},
        {"ld.local.b32.u32 R1, [R0]", ""},          {"ld.generic.b32.u32 R1, [R0]", ""},
        {"ld.global.b32.u32 R1, [_+16]", ""},       {"ld.global.b32.u32 R1, [RZ]", ""},
        {"ld.global.b128.u32 R4.128, [R0]", "1"},   {"ld.global.b64.u32 R4.64, [R0.64]", "1"},
        {"@P1 ld.global.b32.u32 R1, [R0]", "1"},    {"ldc.bank=3.b32.u32 R1, [R0]", ""},
        {"st.global.b32 _, [R0], R1", ""},          {"prefetch.global _, [R0]", ""}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        expect_loads(loop_of(&a, arena_printf(&a, "%s; iadd R0, R0, 0x80; ", kinds[i].load), 5),
                     kinds[i].marked);
    arena_free(&a);
}

// Loads by the same register within a line of each other have one routine.
static void test_loads_of_a_line(void **state) {
    (void)state;
    static const struct {
        int first, second, most;
        const char *marked;
    } pairs[] = {{0, 0, 4, "1"},    {0, 127, 4, "1"},    {0, 128, 4, "1 2"},
                 {0, -127, 4, "1"}, {0, -128, 4, "1 2"}, {-64, 64, 4, "1 2"},
                 {-64, 63, 4, "1"}, {0, 128, 1, "1"},    {0, 128, 2, "1 2"}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *body = arena_printf(&a,
                                        "ld.global.b8.u8 R1, [R0%+d]; ld.global.b8.u8 R2, [R0%+d]; "
                                        "iadd R0, R0, 0x80; ",
                                        pairs[i].first, pairs[i].second);
        expect_loads_of(16, pairs[i].most, loop_of(&a, body, 6), pairs[i].marked);
    }
    // By two registers there are two.
    expect_loads(loop_of(&a,
                         "ld.global.b8.u8 R1, [R0]; ld.global.b8.u8 R2, [R3]; iadd R0, R0, 0x80; "
                         "iadd R3, R3, 0x80; ",
                         7),
                 "1 2");
    arena_free(&a);
}

// R3 holds two addresses in turn: that of the first load moves to a register of its own.
static void test_loads_get_registers(void **state) {
    (void)state;
    static const char loads[] = "iadd R3, R0, R7; "
                                "%s; "
                                "ld.global.b32.u32 R4, [R3]; "
                                "%s; "
                                "ld.global.b32.u32 R5, [R3]; "
                                "st.global.b32 _, [R9], R4; "
                                "st.global.b32 _, [R9], R5; "
                                "iadd R0, R0, 0x80; ";
    static const struct {
        int regs;
        const char *before, *between, *marked;
    } cases[] = {
        {16, "mov R8, R3", "iadd R3, R0, 0x4", "3 5 +1"},
        {62, "mov R8, R3", "iadd R3, R0, 0x4", "3 5 +1"},
        {63, "mov R8, R3", "iadd R3, R0, 0x4", ""},  // no register is left
        // the second address is made of the first
        {16, "mov R8, R3", "iadd R3, R3, 0x4", "3 5 +1"},
        // R3 is read as half of a pair: only the second moves
        {16, "mov R8.64, R2.64", "iadd R3, R0, 0x4", "5 +1"},
        // lanes may keep the first address
        {16, "mov R8, R3", "@P1 iadd R3, R0, 0x4", ""},
        // the second address is half of a pair, which stays
        {16, "mov R8, R3", "mov R2.64, R6.64", "3 5 +1"},
        // the address of the first load has two definitions
        {16, "@P1 iadd R3, R3, 0x1", "iadd R3, R0, 0x4", "5 +1"},
        {16, "mov R2.64, R6.64", "iadd R3, R0, 0x4", "5 +1"},  // .. or is half of a pair
        {16, "bar _, 0x0", "iadd R3, R0, 0x4", "5 +1"},        // .. or is defined in another block
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *body = arena_printf(&a, loads, cases[i].before, cases[i].between);
        expect_loads_of(cases[i].regs, 4, loop_of(&a, body, 11), cases[i].marked);
    }
    // The first address is read in the next block, or is not.
    static const char beyond[] =
        "iadd R3, R0, R7; ld.global.b32.u32 R4, [R3]; st.global.b32 _, [R9], R4; "
        "iadd R0, R0, 0x80; @P1 bra _, L7, L7; iadd R3, %s, 0x4; L7: ";
    expect_loads(loop_of(&a, arena_printf(&a, beyond, "R3"), 9), "");
    expect_loads(loop_of(&a, arena_printf(&a, beyond, "R0"), 9), "2 +1");
    // The address moves, from its computation to its last use.
    const char *body = loop_of(&a, arena_printf(&a, loads, "mov R8, R3", "iadd R3, R3, 0x4"), 11);
    const IsaProgram *q = assist_loads(program_of(&a, 16, body), 4, &a);
    assert_int_equal(q->insts[1].dst, 16);
    for (int i = 2; i <= 4; i++) assert_int_equal(q->insts[i].src[0].reg, 16);
    assert_int_equal(q->insts[4].dst, 3);
    assert_int_equal(q->insts[5].src[0].reg, 3);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_region_found),
                                       cmocka_unit_test(test_region_results),
                                       cmocka_unit_test(test_region_inputs),
                                       cmocka_unit_test(test_region_constant_by_two_ways),
                                       cmocka_unit_test(test_region_predicates),
                                       cmocka_unit_test(test_region_stays_in_block),
                                       cmocka_unit_test(test_region_brought_together),
                                       cmocka_unit_test(test_region_cheap),
                                       cmocka_unit_test(test_region_most),
                                       cmocka_unit_test(test_region_random),
                                       cmocka_unit_test(test_loads_in_loops),
                                       cmocka_unit_test(test_loads_by_kind),
                                       cmocka_unit_test(test_loads_of_a_line),
                                       cmocka_unit_test(test_loads_get_registers)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
