// SPDX-License-Identifier: Apache-2.0
// Machine instructions: properties, text and back, the program check.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252ull;
static uint32_t draw(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % n;
}

static const IsaInst empty = {.guard = {ISA_PT, false},
                              .dst = ISA_RZ,
                              .pdst = {ISA_PT, ISA_PT},
                              .psrc = {{ISA_PT, false}, {ISA_PT, false}, {ISA_PT, false}}};

static IsaPred any_pred(void) { return (IsaPred){(uint8_t)draw(8), draw(2)}; }

static IsaSrc any_source(void) {
    static const uint8_t widths[] = {1, 1, 2, 4};
    IsaSrc s = {.kind = (IsaSrcKind)draw(4), .neg = draw(4) == 0, .abs = draw(4) == 0};
    if (s.kind == ISA_SRC_NONE) return (IsaSrc){0};
    s.width = widths[draw(4)];
    if (s.kind == ISA_SRC_REG) s.reg = draw(5) ? (uint8_t)draw(63) : ISA_RZ;
    else s.imm = draw(3) ? draw(1000) : (uint64_t)draw(~0u) << 32 | draw(~0u);
    if (s.kind == ISA_SRC_CONST) s.cbank = draw(2) ? 3 : 0;
    return s;
}

// Any field may hold anything, whether the opcode uses it or not.
static IsaInst any_inst(int ninsts) {
    IsaInst in = empty;
    in.op = (IsaOp)draw(ISA_OP_COUNT);
    if (draw(3) == 0) in.guard = any_pred();
    if (draw(4)) in.dst = (uint8_t)draw(63), in.dst_width = draw(3) ? 1 : 2;
    for (int i = 0; i < 3; i++) in.src[i] = any_source();
    for (int i = 0; i < 3; i++)
        if (draw(2)) in.psrc[i] = any_pred();
    for (int i = 0; i < 2; i++) in.pdst[i] = (uint8_t)(draw(2) ? draw(8) : ISA_PT);
    if (draw(2)) {
        in.has_cin = draw(2);
        in.type = (IsaType)draw(ISA_TYPE_COUNT);
        in.stype = (IsaType)draw(ISA_TYPE_COUNT);
        in.cmp = (IsaCmp)draw(14);
        in.boolop = (IsaBool)draw(3);
        in.part = (IsaPart)draw(3);
        in.rnd = (IsaRound)draw(8);
        in.mufu = (IsaMufu)draw(8);
        in.space = (IsaSpace)draw(4);
        in.cache = (IsaCacheOp)draw(4);
        in.ftz = draw(2), in.sat = draw(2), in.approx = draw(2), in.ordered = draw(2),
        in.readonly = draw(2);
        in.lut = (uint8_t)draw(256), in.shift = (uint8_t)draw(32), in.mode = (uint8_t)draw(32);
        in.last = (uint8_t)draw(8), in.write = (uint8_t)draw(4), in.homeless = draw(2);
        in.atom = (uint8_t)draw(PTX_ATOM_CAS + 1), in.sreg = (uint8_t)draw(PTX_SREG_COUNT);
        in.cbank = draw(2) ? 3 : 0, in.mem_bytes = (uint8_t)(1 << draw(5)),
        in.offset = (int32_t)draw(4000) - 2000;
        in.ptx_line = (int32_t)draw(10000);
    }
    if (draw(8) == 0) {  // truth tables with a name, and the text for sources that are left out
        static const uint8_t luts[] = {ISA_LUT_AND, ISA_LUT_OR, ISA_LUT_XOR, ISA_LUT_NOT};
        in.op = ISA_LOP3;
        in.lut = luts[draw(4)];
        for (int i = 0; i < 3; i++)
            if (draw(2)) in.src[i] = (IsaSrc){.kind = ISA_SRC_REG, .reg = ISA_RZ, .width = 1};
    }
    if (in.op == ISA_VOTE || in.op == ISA_MATCH) in.mode = (uint8_t)draw(6);
    if (in.op == ISA_BRA || in.op == ISA_BRX) {
        in.target = in.op == ISA_BRA ? (int32_t)draw((uint32_t)ninsts) : (int32_t)draw(2);
        in.reconv = draw(4) ? (int32_t)draw((uint32_t)ninsts) : -1;
    }
    return in;
}

static bool same_source(const IsaSrc *a, const IsaSrc *b) {
    return a->kind == b->kind && a->reg == b->reg && a->width == b->width && a->neg == b->neg &&
        a->abs == b->abs && a->cbank == b->cbank && a->imm == b->imm;
}
static bool same_pred(IsaPred a, IsaPred b) { return a.reg == b.reg && a.neg == b.neg; }

static bool same(const IsaInst *a, const IsaInst *b) {
    bool ok = a->op == b->op && same_pred(a->guard, b->guard) && a->dst == b->dst &&
        a->dst_width == b->dst_width;
    for (int i = 0; i < 3; i++)
        ok = ok && same_source(&a->src[i], &b->src[i]) && same_pred(a->psrc[i], b->psrc[i]);
    for (int i = 0; i < 2; i++) ok = ok && a->pdst[i] == b->pdst[i];
    return ok && a->has_cin == b->has_cin && a->type == b->type && a->stype == b->stype &&
        a->cmp == b->cmp && a->boolop == b->boolop && a->part == b->part && a->rnd == b->rnd &&
        a->mufu == b->mufu && a->space == b->space && a->cache == b->cache && a->ftz == b->ftz &&
        a->sat == b->sat && a->approx == b->approx && a->ordered == b->ordered &&
        a->readonly == b->readonly && a->lut == b->lut && a->shift == b->shift &&
        a->mode == b->mode && a->last == b->last && a->write == b->write &&
        a->homeless == b->homeless && a->atom == b->atom && a->sreg == b->sreg &&
        a->cbank == b->cbank && a->mem_bytes == b->mem_bytes && a->offset == b->offset &&
        a->target == b->target && a->reconv == b->reconv && a->ptx_line == b->ptx_line;
}

static void test_round_trip(void **unused) {
    (void)unused;
    enum { N = 6000 };
    Arena arena = {0};
    Diag d = {0};
    IsaInst *insts = ARENA_ARRAY(&arena, IsaInst, N);
    for (int i = 0; i < N; i++) insts[i] = any_inst(N);
    int first[] = {3, 5, N - 1}, second[] = {0};
    int *tables[] = {first, second}, lens[] = {3, 1};
    IsaProgram p = {.name = "k_1",
                    .insts = insts,
                    .ninsts = N,
                    .nregs = 63,
                    .base_regs = 44,
                    .ext_regs = 20,
                    .given_regs = 64,
                    .npreds = 7,
                    .local_bytes = 128,
                    .spill_bytes = 8,
                    .spill_loads = 3,
                    .spill_stores = 2,
                    .shared_bytes = 4096,
                    .param_bytes = 24,
                    .tables = tables,
                    .table_len = lens,
                    .ntables = 2,
                    .home_regs = 41,
                    .window = 3,
                    .rows = 12,
                    .max_barrier = 4};
    char *text;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    isa_print(f, &p);
    fclose(f);
    IsaProgram *q = isa_parse(&arena, "k.isa", text, len, &d);
    if (!q) fail_msg("%s", d.text);
    assert_string_equal(q->name, "k_1");
    assert_int_equal(q->ninsts, N);
    assert_true(q->nregs == 63 && q->base_regs == 44 && q->ext_regs == 20 && q->given_regs == 64 &&
                q->npreds == 7 && q->local_bytes == 128 && q->spill_bytes == 8 &&
                q->spill_loads == 3 && q->spill_stores == 2 && q->shared_bytes == 4096 &&
                q->param_bytes == 24 && q->home_regs == 41 && q->window == 3 && q->rows == 12 &&
                q->max_barrier == 4 && q->ntables == 2 && q->table_len[0] == 3 &&
                q->tables[0][2] == N - 1);
    for (int i = 0; i < N; i++) {
        if (same(&insts[i], &q->insts[i])) continue;
        char a[512], b[512];
        isa_print_inst(a, sizeof a, &insts[i]);
        isa_print_inst(b, sizeof b, &q->insts[i]);
        fail_msg("instruction %d\n  %s\n  %s", i, a, b);
    }
    free(text);
    arena_free(&arena);
}

// Texts of an instruction that are read alike, and the one that is printed.
static void test_names(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"lop3.lut=0xc0 R3, R6, 0x4, RZ", "and R3, R6, 0x4"},
        {"or R3, R6, R7", "or R3, R6, R7"},
        {"xor.scalar R3, R6, R7, RZ", "xor.scalar R3, R6, R7"},
        {"lop3.lut=0xf R3, R6, RZ, RZ", "not R3, R6"},
        {"not R3, R6, R7", "not R3, R6, R7"},
        {"lop3.lut=0xf R3, R6", "not R3, R6, _"},
        {"lop3.lut=0xc0 R3, R6, R7", "and R3, R6, R7, _"},
        {"lop3.lut=0xc0 R3, R6, R7, R8", "and R3, R6, R7, R8"},
        {"lop3.lut=0xea R3, R6, R7, R8", "lop3.lut=0xea R3, R6, R7, R8"},
        {"vote.mode=4 R10, 0xffffffff, {P0}", "vote.ballot R10, 0xffffffff, {P0}"},
        {"vote.all _|P1, 0xffffffff, {P0}", "vote.all _|P1, 0xffffffff, {P0}"},
        {"vote.any _|P1, 0xffffffff, {P0}", "vote.any _|P1, 0xffffffff, {P0}"},
        {"vote.mode=7 _|P1, 0xffffffff", "vote.mode=7 _|P1, 0xffffffff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        char text[200];
        IsaProgram *p = isa_parse(&arena, "t.isa", cases[i].text, strlen(cases[i].text), &d);
        if (!p || p->ninsts != 1) fail_msg("%s: %s", cases[i].text, d.text);
        isa_print_inst(text, sizeof text, &p->insts[0]);
        assert_string_equal(text, cases[i].printed);
        arena_free(&arena);
    }
}

static void test_bad_text(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {".kernel k\n.regs 64\n", "t.isa:2:7: error: found `64`"},
        {".kernel k\n    iad R0, R1, R2\n",
         "t.isa:2:5: error: found `iad`, expected a machine opcode"},
        {"    iadd R63, R1, R2\n", "error: found `63,`, expected a register R0 to R62"},
        {"    iadd R0 R1\n", "expected the end of the line"},
        {"    iadd.wide R0, R1\n", "found `wide`, expected a modifier of this opcode"},
        {"    iadd R0|!P1, R1\n", "expected a predicate"},
        {"    iadd R0, {P1, P7}\n", "expected a predicate P0 to P6"},
        {"    ld.global.b32 R0, [R2.64\n", "expected ]"},
        {"    bra _, 12, exit\n", "expected"},
        {"    nop _\nL3:\n", "label L3 stands before instruction 1"},
        {"    s2r R0, %tid.q\n", "expected a special register"},
        {".register 3\n", "expected a header line"},
        {"    fadd R0, |R1, R2\n", "expected the closing |"},
        {"    lop3.lut=300 R0, R1\n", "expected a number in range"},
        {"    mov R0, R1.32\n", "expected a width"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        assert_null(isa_parse(&arena, "t.isa", cases[i].text, strlen(cases[i].text), &d));
        if (!strstr(d.text, cases[i].message)) fail_msg("case %zu: %s", i, d.text);
        arena_free(&arena);
    }
}

static void test_check(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {".regs 4\n iadd R0, R1, R2\n exit _\n", NULL},
        {".regs 4\n exit _\n", NULL},
        {".regs 4\n", "no instructions"},
        {" exit _\n", "0 registers"},
        {".regs 4\n iadd R4, R1, R2\n exit _\n", "beyond the registers"},
        {".regs 4\n dadd R0.64, R1.64, R2.64\n exit _\n", "not aligned"},
        {".regs 4\n dadd R0.64, R2, R2.64\n exit _\n", "source has the wrong width"},
        {".regs 4\n dadd R0, R2.64, R2.64\n exit _\n", "destination has the wrong width"},
        {".regs 4\n iadd R0, R1, 0x100000000\n exit _\n", "does not fit in 32 bits"},
        {".regs 4\n iabs R0, R1, R2\n exit _\n", "more sources than the opcode has"},
        {".regs 4\n shl R0, -R1, R2\n exit _\n", "has no - or |x|"},
        {".regs 4\n iadd R0, |R1|, R2\n exit _\n", "has no - or |x|"},
        {".regs 4\n mov R0, c[1][0x0]\n exit _\n", "neither 0 nor 3"},
        {".regs 4\n mov R0, c[0][0x2]\n exit _\n", "not aligned to its width"},
        {".regs 4\n ld.global.b64 R0, [R2.64]\n exit _\n", "does not match the bytes"},
        {".regs 4\n st.global.b64 _, [R2.64], R0\n exit _\n", "does not match the bytes"},
        {".regs 4\n ld.global.b24 R0, [R2.64]\n exit _\n", "is not 1, 2, 4, 8 or 16 bytes"},
        {".regs 4\n bra _, L9, exit\n exit _\n", "branch target is outside"},
        {".regs 4\n bra _, L1, L7\n exit _\n", "reconvergence point is outside"},
        {".regs 4\n brx _, R0, T0, exit\n exit _\n", "branch table does not exist"},
        {".regs 4\n iadd R0, R1, R2\n", "runs past the last instruction"},
        {".regs 4\n@P0 exit _\n", "runs past the last instruction"},
        {".regs 4\n.split 2 2 4\n acq _\n rel _\n exit _\n", NULL},
        {".regs 4\n@P0 acq _\n exit _\n", "neither guard nor operands"},
        {".regs 4\n rel R0\n exit _\n", "neither guard nor operands"},
        {".regs 4\n acq _, R0\n exit _\n", "more sources than the opcode has"},
        {".regs 4\n iadd.write=1 R0, R1, R2\n exit _\n",
         "write bits in a program without a window"},
        {".regs 4\n.window 3 12 3\n iadd.write=2.homeless R3, R1, R2\n exit _\n", NULL},
        {".regs 4\n.window 3 12 3\n iadd.write=2 R3, R1, R2\n exit _\n",
         "its register says otherwise"},
        {".regs 4\n.window 3 12 3\n iadd.write=2.homeless R2, R1, R2\n exit _\n",
         "its register says otherwise"},
        {".regs 4\n.window 3 12 3\n iadd.write=3.homeless R3, R1, R2\n exit _\n",
         "is not for the collector alone"},
        {".regs 4\n.window 3 12 3\n st.global.b32.write=1 _, [R2], R0\n exit _\n",
         "write bits without a result"},
        {".regs 4\n.window 3 12 5\n exit _\n", "expected 1 to all"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        IsaProgram *p = isa_parse(&arena, "t.isa", cases[i].text, strlen(cases[i].text), &d);
        if (!p) fail_msg("case %zu: %s", i, d.text);
        bool ok = isa_check(p, &d);
        if (ok != !cases[i].message || (!ok && !strstr(d.text, cases[i].message)))
            fail_msg("case %zu: %s", i, ok ? "accepted" : d.text);
        arena_free(&arena);
    }
}

static IsaInst parse_one(const char *text) {
    Arena arena = {0};
    Diag d = {0};
    IsaProgram *p = isa_parse(&arena, "t.isa", text, strlen(text), &d);
    if (!p) fail_msg("%s", d.text);
    IsaInst in = p->insts[0];
    arena_free(&arena);
    return in;
}

static void test_properties(void **unused) {
    (void)unused;
    uint8_t r[ISA_MAX_SRC_WORDS];
    IsaInst in = parse_one("@!P3 imad.wide.s32 R4.64|P1, R2, R3, R6.64, {P0, !P2}");
    assert_int_equal(isa_reads(&in, r), 4);
    assert_true(r[0] == 2 && r[1] == 3 && r[2] == 6 && r[3] == 7);
    assert_int_equal(isa_writes(&in, r), 2);
    assert_true(r[0] == 4 && r[1] == 5);
    assert_int_equal(isa_pred_reads(&in), 1 << 3 | 1 << 0 | 1 << 2);
    assert_int_equal(isa_pred_writes(&in), 1 << 1);
    in = parse_one("ffma R0, R1, R1, RZ");
    assert_int_equal(isa_reads(&in, r), 2);
    assert_int_equal(isa_distinct_reads(&in, r), 1);
    in = parse_one("iadd RZ, 0x5, c[0][0x0]");
    assert_int_equal(isa_reads(&in, r), 0);
    assert_int_equal(isa_writes(&in, r), 0);
    in = parse_one("st.global.b128 _, [R8.64], R4.128");
    assert_int_equal(isa_reads(&in, r), 6);
    for (int op = 0; op < ISA_OP_COUNT; op++) assert_non_null(isa_op_info[op].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_text), cmocka_unit_test(test_check),
        cmocka_unit_test(test_properties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
