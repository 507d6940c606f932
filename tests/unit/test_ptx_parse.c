// SPDX-License-Identifier: Apache-2.0
// The parser's output for declarations, initial values, scopes, constants, operands and debug
// lines.
#include "ptx_support.h"

typedef struct Parsed {
    Arena arena;
    Diag d;
    const PtxModule *m;
} Parsed;

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

static Parsed parse(const char *text) {
    Parsed p = {0};
    p.m = ptx_parse(&p.arena, "test.ptx", text, strlen(text), &p.d);
    if (!p.m) fail_msg("%s", p.d.text);
    ptx_check_round_trip(p.m);
    return p;
}

static Parsed parse_body(const char *body) {
    Parsed p = {0};
    char *text = arena_printf(
        &p.arena,
        HEAD
        ".global .align 4 .u32 g[4];\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<5>;\n"
        ".reg .b32 %%r<9>;\n.reg .f32 %%f<5>;\n.reg .b64 %%rd<5>;\n.reg .f64 %%d<5>;\n%s\n}\n",
        body);
    p.m = ptx_parse(&p.arena, "test.ptx", text, strlen(text), &p.d);
    if (!p.m) fail_msg("%s", p.d.text);
    ptx_check_round_trip(p.m);
    return p;
}

static const PtxVar *find(const PtxModule *m, const char *name) {
    for (int i = 0; i < m->nvars; i++)
        if (strcmp(m->vars[i].name, name) == 0) return &m->vars[i];
    fail_msg("no variable %s", name);
    return NULL;
}

// ---- module variables ----

static uint64_t word(const PtxVar *v, int bytes, int index) {
    uint64_t bits = 0;
    memcpy(&bits, v->init + bytes * index, (size_t)bytes);
    return bits;
}

static void test_initializers(void **state) {
    (void)state;
    Parsed p = parse(HEAD ".global .u32 plain = 7;\n"
                          ".global .align 16 .u16 nested[2][3] = { {1, 2}, {3, 4, 5} };\n"
                          ".global .s32 open[] = {-1, 0x10, 010, 0b11, (4+4)*2};\n"
                          ".const .f32 floats[3] = {0f3F800000, 2.5, -1.0};\n"
                          ".global .f64 doubles[2] = {0d400921FB54442D18, 1.5};\n"
                          ".global .v4 .f32 vec[2] = {{0f00000001, 0f00000002, 0f00000003, "
                          "0f00000004}, {0f00000005}};\n"
                          ".global .b8 text[8] = \"ab\\n\";\n"
                          ".global .b8 word[] = \"xyz\";\n"
                          ".global .b8 tail[6] = {1, 2, 3};\n"
                          ".global .u64 none[4];\n"
                          ".extern .shared .align 16 .b8 dyn[];\n");
    assert_int_equal(word(find(p.m, "plain"), 4, 0), 7);
    const PtxVar *nested = find(p.m, "nested");
    static const uint64_t rows[6] = {1, 2, 0, 3, 4, 5};
    for (int i = 0; i < 6; i++) assert_int_equal(word(nested, 2, i), rows[i]);
    assert_int_equal(nested->bytes, 12);
    assert_int_equal(nested->align, 16);
    const PtxVar *open = find(p.m, "open");
    assert_int_equal(open->bytes, 20);
    assert_int_equal(word(open, 4, 0), 0xffffffffu);
    assert_int_equal(word(open, 4, 1), 16);
    assert_int_equal(word(open, 4, 2), 8);
    assert_int_equal(word(open, 4, 3), 3);
    assert_int_equal(word(open, 4, 4), 16);
    const PtxVar *floats = find(p.m, "floats");
    assert_int_equal(floats->space, PTX_CONST);
    assert_int_equal(word(floats, 4, 0), 0x3f800000);
    assert_int_equal(word(floats, 4, 1), 0x40200000);
    assert_int_equal(word(floats, 4, 2), 0xbf800000);
    assert_int_equal(word(find(p.m, "doubles"), 8, 0), 0x400921FB54442D18);
    assert_int_equal(word(find(p.m, "doubles"), 8, 1), 0x3FF8000000000000);
    const PtxVar *vec = find(p.m, "vec");
    assert_int_equal(vec->bytes, 32);
    assert_int_equal(vec->vec, 4);
    for (int i = 0; i < 5; i++) assert_int_equal(word(vec, 4, i), i + 1);
    assert_memory_equal(find(p.m, "text")->init, "ab\n\0\0\0\0", 8);
    assert_int_equal(find(p.m, "word")->bytes, 4);
    assert_memory_equal(find(p.m, "word")->init, "xyz", 4);
    assert_memory_equal(find(p.m, "tail")->init, "\1\2\3\0\0\0", 6);
    assert_null(find(p.m, "none")->init);
    assert_int_equal(find(p.m, "none")->bytes, 32);
    assert_true(find(p.m, "dyn")->is_extern);
    assert_int_equal(find(p.m, "dyn")->bytes, 0);
    arena_free(&p.arena);
}

static void test_relocations(void **state) {
    (void)state;
    Parsed p = parse(HEAD ".global .u32 target[4];\n"
                          ".func callee() { ret; }\n"
                          ".global .u64 table[4] = {target, generic(target)+8, 5, callee};\n"
                          ".global .align 8 .b8 bytes[24] = {1, 0, 0, 0, 0, 0, 0, 0, "
                          "0xFF(generic(target)+4), 0xFF00(generic(target)+4), "
                          "0xFF0000(generic(target)+4), 0xFF000000(generic(target)+4), "
                          "0xFF00000000(generic(target)+4), "
                          "0xFF0000000000(generic(target)+4), 0xFF000000000000(generic(target)+4), "
                          "0xFF00000000000000(generic(target)+4), 2};\n");
    const PtxVar *table = find(p.m, "table");
    assert_int_equal(table->nrelocs, 3);
    assert_int_equal(table->relocs[0].offset, 0);
    assert_int_equal(table->relocs[0].bytes, 8);
    assert_string_equal(p.m->vars[table->relocs[0].var].name, "target");
    assert_false(table->relocs[0].generic);
    assert_int_equal(table->relocs[1].offset, 8);
    assert_int_equal(table->relocs[1].addend, 8);
    assert_true(table->relocs[1].generic);
    assert_int_equal(word(table, 8, 2), 5);
    assert_int_equal(table->relocs[2].var, -1);
    assert_string_equal(p.m->funcs[table->relocs[2].func].name, "callee");
    const PtxVar *bytes = find(p.m, "bytes");
    assert_int_equal(bytes->nrelocs, 1);
    assert_int_equal(bytes->relocs[0].offset, 8);
    assert_int_equal(bytes->relocs[0].bytes, 8);
    assert_int_equal(bytes->relocs[0].addend, 4);
    assert_int_equal(bytes->init[16], 2);
    arena_free(&p.arena);
}

// ---- functions ----

static void test_parameters(void **state) {
    (void)state;
    Parsed p = parse(
        HEAD ".func (.param .align 8 .b8 r[12]) f(.param .b32 a, .param .b64 b);\n"
             ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 1 b, .param .align "
             "16 .b8 s[20], .param .u16 c)\n"
             ".maxntid 128, 2\n.minnctapersm 3\n"
             "{\n.local .align 8 .b8 depot[12];\n.local .u64 next;\n"
             "{ .param .b8 x; .param .b64 y; }\n{ .param .align 16 .b8 x[3]; }\nret;\n}\n"
             ".func (.reg .b32 out) g(.reg .b32 x, .param .b16 y) { add.s32 out, x, 1; ret; }\n");
    const PtxFunc *k = &p.m->funcs[1];
    static const int64_t offsets[4] = {0, 8, 16, 36};
    for (int i = 0; i < 4; i++) assert_int_equal(k->params[i].offset, offsets[i]);
    assert_int_equal(k->param_bytes, 38);
    assert_int_equal(k->nparams, 4);
    assert_int_equal(k->maxntid[0], 128);
    assert_int_equal(k->maxntid[1], 2);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->local_bytes, 24);
    assert_int_equal(k->vars[4].offset, 0);
    assert_int_equal(k->vars[5].offset, 16);
    // Call parameters have a block of their own, one place each.
    assert_int_equal(k->vars[6].offset, 0);
    assert_int_equal(k->vars[7].offset, 8);
    assert_int_equal(k->vars[8].offset, 16);
    assert_int_equal(k->call_bytes, 19);
    assert_string_equal(k->vars[8].name, "x__1");
    const PtxFunc *f = &p.m->funcs[0];
    assert_true(f->is_prototype_only);
    assert_int_equal(f->rets[0].offset, 16);  // behind the parameters
    assert_int_equal(f->param_bytes, 28);
    const PtxFunc *g = &p.m->funcs[2];
    assert_true(g->params[0].is_reg && g->rets[0].is_reg && !g->params[1].is_reg);
    assert_int_equal(g->params[0].reg, 0);
    assert_int_equal(g->rets[0].reg, 1);
    assert_int_equal(g->insts[0].opnd[0].index, 1);
    arena_free(&p.arena);
}

static void test_calls(void **state) {
    (void)state;
    Parsed p = parse(
        HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".func (.param .b32 r) f(.param .b32 a, .param .align 4 .b8 s[8]);\n"
             ".visible .entry k(.param .u32 n)\n{\n.reg .b32 %r<3>;\n"
             "{ .param .b32 a0; .param .align 4 .b8 a1[8]; .param .b32 r0;\nst.param.b32 [a0], 5;\n"
             "call.uni (r0),\n f,\n (\na0, a1\n);\nld.param.b32 %r1, [r0]; }\nret;\n}\n"
             ".func (.param .b32 r) f(.param .b32 a, .param .align 4 .b8 s[8]) { ret; }\n");
    const PtxFunc *k = &p.m->funcs[2];
    const PtxInst *call = &k->insts[1];
    assert_int_equal(call->op, PTX_CALL);
    assert_true(call->uni);
    assert_string_equal(p.m->funcs[call->opnd[0].index].name, "f");
    assert_int_equal(call->ncall_args, 2);
    assert_int_equal(call->ncall_rets, 1);
    assert_int_equal(call->call_args[1].kind, PTX_OPND_MEM);
    assert_string_equal(k->vars[call->call_args[1].index].name, "a1");
    assert_string_equal(k->vars[call->call_rets[0].index].name, "r0");
    assert_non_null(ptx_entry(p.m, "k", &p.d));
    arena_free(&p.arena);
}

// ---- names ----

static void test_scopes(void **state) {
    (void)state;
    Parsed p = parse_body(
        ".reg .u32 t;\nmov.u32 t, 1;\n{ .reg .f32 t; mov.f32 t, 0f3F800000; L: bra L; }\n"
        "{ L: bra L; { mov.u32 t, 2; } }\nbra END;\nEND:");
    const PtxFunc *k = &p.m->funcs[0];
    int outer = k->insts[0].opnd[0].index, inner = k->insts[1].opnd[0].index;
    assert_int_not_equal(outer, inner);
    assert_int_equal(k->regs[inner].type, PTX_F32);
    assert_string_equal(k->regs[inner].name, "t__1");
    assert_int_equal(k->insts[4].opnd[0].index, outer);
    // Each block's L is its own; END precedes the implied ret.
    assert_int_equal(k->labels[k->insts[2].opnd[0].index].inst, 2);
    assert_int_equal(k->labels[k->insts[3].opnd[0].index].inst, 3);
    assert_int_equal(k->labels[k->insts[5].opnd[0].index].inst, 6);
    assert_int_equal(k->ninsts, 7);
    assert_int_equal(k->insts[6].op, PTX_RET);
    arena_free(&p.arena);
    // A name made for an inner label must not meet one that is written.
    p = parse_body("L: { L: bra L; } L__1: bra L__1; bra L;");
    k = &p.m->funcs[0];
    assert_int_equal(k->labels[k->insts[0].opnd[0].index].inst, 0);
    assert_string_not_equal(k->labels[1].name, k->labels[2].name);
    assert_int_equal(k->labels[k->insts[1].opnd[0].index].inst, 1);
    assert_int_equal(k->insts[2].opnd[0].index, 0);
    arena_free(&p.arena);
}

static void test_branch_table(void **state) {
    (void)state;
    Parsed p = parse_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: ret;");
    const PtxInst *brx = &p.m->funcs[0].insts[0];
    assert_int_equal(brx->op, PTX_BRX_IDX);
    assert_int_equal(brx->ntargets, 3);
    assert_int_equal(brx->targets[0], brx->targets[2]);
    assert_int_equal(p.m->funcs[0].labels[brx->targets[1]].inst, 2);
    assert_false(ptx_falls_through(brx));
    arena_free(&p.arena);
}

// ---- operands ----

static uint64_t immediate(const char *type, const char *text) {
    static char body[256];
    const char *reg = type[1] == 'f' ? (type[2] == '3' ? "%f1" : "%d1")
        : strstr(type, "64")         ? "%rd1"
                                     : "%r1";
    snprintf(body, sizeof body, "mov%s %s, %s; ret;", type, reg, text);
    Parsed p = parse_body(body);
    assert_int_equal(p.m->funcs[0].insts[0].opnd[1].kind, PTX_OPND_IMM);
    uint64_t bits = p.m->funcs[0].insts[0].opnd[1].bits;
    arena_free(&p.arena);
    return bits;
}

static void test_immediates(void **state) {
    (void)state;
    static const struct {
        const char *type, *text;
        uint64_t bits;
    } cases[] = {
        {".u32", "4294967295", 0xffffffff},
        {".s32", "-1", 0xffffffff},
        {".s64", "-1", ~0ull},
        {".u64", "-2147483648", 0xffffffff80000000},
        {".u64", "0xFFFFFFFFFFFFFFFF", ~0ull},
        {".u32", "0x1FFFFFFFF", 0xffffffff},
        {".b32", "0f3F800000", 0x3f800000},
        {".u32", "10U", 10},
        {".u32", "0377", 255},
        {".u32", "0b1011", 11},
        {".u32", "WARP_SZ * 2", 64},
        {".s32", "(4+4)*2-1", 15},
        {".s32", "7 / 2 * 2", 6},
        {".s32", "-7 / 2", 0xfffffffd},
        {".s32", "-7 % 3", 0xffffffff},
        {".u64", "(.u64)-8 >> 60", 15},
        {".s64", "-8 >> 1", (uint64_t)-4},
        {".u64", "(.u64)(1 << 40) / 3", (1ull << 40) / 3},
        {".s32", "1 ? 2 : 3", 2},
        {".s32", "0 || 3 && 2", 1},
        {".s32", "(3 > 2) + (2 >= 3) + (1 == 1) + (1 != 1)", 2},
        {".s32", "~5 & 0xF | 0x10 ^ 0x11", 11},
        {".s32", "!0 + !7", 1},
        {".s32", "-1 < 0", 1},
        {".s32", "-1 < 0U", 0},
        {".u64", "-9223372036854775807 - 1", 1ull << 63},
        {".s64", "(-9223372036854775807 - 1) / -1", 1ull << 63},
        {".f32", "0f7FC00001", 0x7fc00001},
        {".f32", "0F7f800001", 0x7f800001},
        {".f32", "1.5", 0x3fc00000},
        {".f32", "0d3FF8000000000000", 0x3fc00000},
        {".f64", "0d7FF0000000000001", 0x7ff0000000000001},
        {".f64", "2.5e1", 0x4039000000000000},
        {".f64", "0f3F800000", 0x3ff0000000000000},
        {".b64", "0d3FF0000000000000", 0x3ff0000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t got = immediate(cases[i].type, cases[i].text);
        if (got != cases[i].bits)
            fail_msg("mov%s %s: 0x%llx instead of 0x%llx", cases[i].type, cases[i].text,
                     (unsigned long long)got, (unsigned long long)cases[i].bits);
    }
}

static void test_operands(void **state) {
    (void)state;
    Parsed p = parse_body(
        "@!%p1 ld.global.v2.f32 {%f1, _}, [%rd1+-8];\nsetp.lt.and.s32 %p1|%p2, %r1, -3, !%p3;\n"
        "mov.u64 %rd1, g+8;\nst.global.u32 [g+12], 7;\nand.pred %p1, %p2, !%p3;\nmov.u32 %r1, "
        "%ctaid.y;\n"
        "ld.shared.u32 %r1, [64];\nmov.b64 {%r1, %r2}, %rd1;\nld.u32 %r1, [g];\nret;");
    const PtxInst *in = p.m->funcs[0].insts;
    assert_true(in[0].guard >= 0 && in[0].guard_negated);
    assert_int_equal(in[0].vec, 2);
    assert_int_equal(in[0].opnd[0].elements[1].kind, PTX_OPND_SINK);
    assert_int_equal(in[0].opnd[1].offset, -8);
    assert_int_equal(in[1].dst2.kind, PTX_OPND_REG);
    assert_int_equal(in[1].opnd[2].bits, 0xfffffffd);
    assert_true(in[1].opnd[3].negated);
    assert_int_equal(in[2].opnd[1].kind, PTX_OPND_VAR);
    assert_int_equal(in[2].opnd[1].offset, 8);
    assert_true(in[2].opnd[1].module_scope);
    assert_int_equal(in[3].opnd[0].base, PTX_BASE_VAR);
    // !p as a source of and: through a register of its own.
    assert_int_equal(in[4].op, PTX_NOT);
    assert_int_equal(in[5].opnd[2].index, in[4].opnd[0].index);
    assert_int_equal(in[6].opnd[1].kind, PTX_OPND_SREG);
    assert_int_equal(in[6].opnd[1].index, PTX_SREG_CTAID_Y);
    assert_int_equal(in[7].opnd[1].base, PTX_BASE_NONE);
    assert_int_equal(in[7].opnd[1].offset, 64);
    assert_int_equal(in[8].opnd[0].kind, PTX_OPND_VEC);
    assert_int_equal(in[9].space, PTX_GLOBAL);  // by the variable
    arena_free(&p.arena);
}

// The written form of instructions whose suffixes have several places or meanings.
static void test_printed(void **state) {
    (void)state;
    static const char *const same[] = {
        "bar.sync 0;",
        "barrier.sync 0;",
        "bar.red.popc.u32 %r1, 0, !%p1;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1+4];",
        "ld.acquire.sys.global.u32 %r1, [%rd1];",
        "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
        "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "vote.sync.ballot.b32 %r1, %p1, %r2;",
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, %r3;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "mad.lo.cc.s32 %r1, %r2, %r3, %r4;",
        "prmt.b32.f4e %r1, %r2, %r3, %r4;",
        "setp.geu.ftz.f32 %p1, %f1, 0f7F800000;",
        "cvt.rzi.ftz.s32.f32 %r1, %f1;",
        "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
        "shf.r.clamp.b32 %r1, %r2, %r3, 5;",
        "prefetch.global.L2 [%rd1];",
        "@!%p1 bra.uni OUT;",
        "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 128, !%p2;",
        "dp2a.hi.s32.u32 %r1, %r2, %r3, %r4;",
        "set.gt.and.u32.f32 %r1, %f1, %f2, !%p1;",
        "bfind.shiftamt.u32 %r1, %r2;",
        "isspacep.shared %p1, %rd1;",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char body[256], text[256];
        snprintf(body, sizeof body, "%s OUT: ret;", same[i]);
        Parsed p = parse_body(body);
        ptx_print_inst(text, sizeof text, p.m, &p.m->funcs[0], &p.m->funcs[0].insts[0]);
        assert_string_equal(text, same[i]);
        arena_free(&p.arena);
    }
}

// An unsupported instruction keeps its text, whole, on one line and without comments.
static void test_unsupported(void **state) {
    (void)state;
    Parsed p = parse_body("@%p1 wgmma.load.a.sync.row.m16n16k16.global.f16 // the matrix\n\t{%r1, "
                          "%r2, %r3, %r4, /* and\nthe rest */ %r5,"
                          " %r6, %r7, %r8},\n [%rd1 + 0x10], "
                          "0x00000000000000000000000000000000000000000000000000000000000000000010,"
                          " 0x000000000000000000000000000000000000000000000000000000000000000000000"
                          "00000000000000000000000000000000010;\n"
                          "ret;");
    const PtxInst *in = &p.m->funcs[0].insts[0];
    assert_int_equal(in->op, PTX_UNSUPPORTED);
    assert_string_equal(in->why, "tensor");
    assert_null(strstr(in->text, "the"));
    assert_non_null(strstr(in->text, "%r4, %r5, %r6"));
    assert_string_equal(in->text + strlen(in->text) - 3, "010");
    assert_null(ptx_entry(p.m, "k", &p.d));
    assert_int_equal(p.d.status, EXIT_USAGE);
    arena_free(&p.arena);
}

static void test_debug_lines(void **state) {
    (void)state;
    Parsed p = parse(HEAD ".file 1 \"dir/k.cu\"\n.file 2 \"lib.h\"\n.visible .entry k()\n{\n.reg "
                          ".b32 %r<3>;\n.loc 1 10 3\n"
                          "mov.u32 %r1, 1;\n.loc 2 500 1\nmov.u32 %r1, 2;\n"
                          ".loc 2 501 9, function_name $L__str0, inlined_at 1 12 4\nmov.u32 %r1, "
                          "3;\n.loc 1 13 0\nret;\n}\n"
                          ".section .debug_str { $L__str0: .b8 1,2,3 }\n");
    const PtxInst *in = p.m->funcs[0].insts;
    assert_string_equal(p.m->source, "dir/k.cu");
    assert_int_equal(in[0].src_line, 10);
    assert_int_equal(in[1].src_line, 10);  // another file's line says nothing about this one
    assert_int_equal(in[2].src_line, 12);
    assert_int_equal(in[3].src_line, 13);
    assert_int_equal(in[0].line, 10);
    assert_int_equal(in[0].col, 1);
    arena_free(&p.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initializers), cmocka_unit_test(test_relocations),
        cmocka_unit_test(test_parameters),   cmocka_unit_test(test_calls),
        cmocka_unit_test(test_scopes),       cmocka_unit_test(test_branch_table),
        cmocka_unit_test(test_immediates),   cmocka_unit_test(test_operands),
        cmocka_unit_test(test_printed),      cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_debug_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
