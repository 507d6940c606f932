// SPDX-License-Identifier: Apache-2.0
// isa_exec, whose loops are written for vector units, against one lane at a time from lane.h. Every
// arithmetic opcode with every modifier it has, random operands, predicates and active lanes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/lane.h"
#include "ptx/ptx.h"

static uint64_t state = 0x2545f4914f6cdd1dull;
static uint64_t draw64(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x9e3779b97f4a7c15ull;
}
static uint32_t draw(uint32_t n) { return (uint32_t)(draw64() >> 33) % n; }

typedef struct Lane {  // one lane's view of an instruction
    const IsaInst *in;
    uint64_t s[3];  // sources, pairs joined, signs not applied
    bool p[3];
} Lane;

static uint32_t f32_source(const Lane *l, int i) {
    uint32_t v = (uint32_t)l->s[i];
    if (l->in->src[i].abs) v &= 0x7fffffff;
    return l->in->src[i].neg ? v ^ 0x80000000u : v;
}
static uint64_t f64_source(const Lane *l, int i) {
    uint64_t v = l->s[i];
    if (l->in->src[i].abs) v &= ~0ull >> 1;
    return l->in->src[i].neg ? v ^ 1ull << 63 : v;
}

// a + b with the carry rules of isa.h; *carry in and out.
static uint32_t add(const Lane *l, uint32_t a, uint32_t b, bool na, bool nb, bool *carry) {
    uint64_t plus = l->in->has_cin ? l->p[0] : (uint64_t)na + nb;
    uint64_t r = (uint64_t)(na ? ~a : a) + (nb ? ~b : b) + plus;
    *carry = r > UINT32_MAX;
    return (uint32_t)r;
}

static uint64_t multiply(const Lane *l) {
    uint32_t a = (uint32_t)l->s[0], b = (uint32_t)l->s[1];
    if (l->in->src[0].neg) a = 0 - a;
    if (l->in->src[1].neg) b = 0 - b;
    uint64_t p =
        l->in->type == ISA_S32 ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    return l->in->part == ISA_HI ? p >> 32 : p;
}

static uint64_t integer(const Lane *l, bool *carry) {
    const IsaInst *in = l->in;
    uint32_t a = (uint32_t)l->s[0], b = (uint32_t)l->s[1], c = (uint32_t)l->s[2];
    bool s = in->type == ISA_S32, m = in->mode & 1;
    switch (in->op) {
    case ISA_IADD: return add(l, a, b, in->src[0].neg, in->src[1].neg, carry);
    case ISA_IMUL: return multiply(l);
    case ISA_IMAD:
        if (in->part == ISA_WIDE) return multiply(l) + (in->src[2].neg ? 0 - l->s[2] : l->s[2]);
        return add(l, (uint32_t)multiply(l), c, false, in->src[2].neg, carry);
    case ISA_LEA: return ((in->src[0].neg ? 0 - a : a) << in->shift) + (in->src[1].neg ? 0 - b : b);
    case ISA_IMNMX: {
        bool less = s ? (int32_t)a < (int32_t)b : a < b;
        return less != m ? a : b;
    }
    case ISA_IABS: return (int32_t)a < 0 ? 0 - a : a;
    case ISA_SAD: {
        int64_t x = s ? (int32_t)a : (int64_t)a, y = s ? (int32_t)b : (int64_t)b;
        return (uint32_t)((x < y ? y - x : x - y) + c);
    }
    case ISA_LOP3: return lane_lop3(a, b, c, in->lut);
    case ISA_SHL: return lane_shl32(a, b);
    case ISA_SHR: return s ? lane_shr_s32(a, b) : lane_shr_u32(a, b);
    case ISA_SHF: return lane_shf(a, c, b, m, in->mode & 2);
    case ISA_SHF64: {
        uint64_t v = (uint64_t)c << 32 | a;
        if (m) return (uint32_t)(lane_shl64(v, b) >> 32);
        return (uint32_t)(in->type == ISA_S64 ? lane_shr_s64(v, b) : lane_shr_u64(v, b));
    }
    case ISA_EXT: {
        int bits = 8 * isa_type_bytes(in->type);
        return (uint32_t)(in->type & 1 ? lane_sext(a, bits) : lane_zext(a, bits));
    }
    default: return 0;
    }
}

static uint64_t bits(const Lane *l) {
    const IsaInst *in = l->in;
    uint32_t a = (uint32_t)l->s[0], b = (uint32_t)l->s[1], c = (uint32_t)l->s[2];
    bool s = in->type == ISA_S32, m1 = in->mode & 1, m2 = in->mode & 2, m4 = in->mode & 4;
    switch (in->op) {
    case ISA_BFE: return lane_bfe(a, b, c, 32, s);
    case ISA_BFI: return lane_bfi(a, b, c & 255, c >> 8 & 255, 32);
    case ISA_PRMT: return lane_prmt(a, c, b, in->mode);
    case ISA_POPC: {
        uint32_t n = 0;
        for (; a; a &= a - 1) n++;
        return n;
    }
    case ISA_CLZ: return lane_clz32(a);
    case ISA_BREV: return lane_brev32(a);
    case ISA_FLO: return lane_bfind(a, 32, s, m1);
    case ISA_FNS: return lane_fns(a, b, c);
    case ISA_BMSK: return lane_bmsk(a, b, m1);
    case ISA_DP4A: return lane_dp4a(a, b, c, m1, m2);
    case ISA_DP2A: return lane_dp2a(a, b, c, m1, m2, m4);
    case ISA_VABSDIFF4: return lane_vabsdiff(a, b, c, m1, m2, s, in->mode & 8, m4, in->mode & 16);
    case ISA_IDIV:
        switch (in->type) {
        case ISA_U32: return m1 ? lane_rem_u32(a, b) : lane_div_u32(a, b);
        case ISA_S32: return m1 ? lane_rem_s32(a, b) : lane_div_s32(a, b);
        case ISA_U64: return m1 ? lane_rem_u64(l->s[0], l->s[1]) : lane_div_u64(l->s[0], l->s[1]);
        default: return m1 ? lane_rem_s64(l->s[0], l->s[1]) : lane_div_s64(l->s[0], l->s[1]);
        }
    default: return 0;
    }
}

static uint64_t floating(const Lane *l) {
    const IsaInst *in = l->in;
    uint32_t a = f32_source(l, 0), b = f32_source(l, 1), c = f32_source(l, 2);
    switch (in->op) {
    case ISA_FADD: return lane_f32_add(a, b, in->rnd, in->ftz, in->sat);
    case ISA_FMUL: return lane_f32_mul(a, b, in->rnd, in->ftz, in->sat);
    case ISA_FFMA: return lane_f32_fma(a, b, c, in->rnd, in->ftz, in->sat);
    case ISA_FMNMX:
        if (in->mode & 4) return lane_f32_xorsign(a, b, in->mode & 1, in->mode & 2, in->ftz);
        return lane_f32_minmax(a, b, in->mode & 1, in->mode & 2, in->ftz);
    case ISA_FDIV:
        if (!in->approx) return lane_f32_div(a, b, in->rnd, in->ftz);
        return in->mode ? lane_f32_div_full(a, b, in->ftz) : lane_f32_div_approx(a, b, in->ftz);
    case ISA_FRCP: return lane_f32_rcp(a, in->rnd, in->ftz);
    case ISA_FSQRT: return lane_f32_sqrt(a, in->rnd, in->ftz);
    case ISA_MUFU: return lane_mufu(in->mufu, a, in->ftz);
    default: break;
    }
    uint64_t x = f64_source(l, 0), y = f64_source(l, 1), z = f64_source(l, 2);
    switch (in->op) {
    case ISA_DADD: return lane_f64_add(x, y, in->rnd);
    case ISA_DMUL: return lane_f64_mul(x, y, in->rnd);
    case ISA_DFMA: return lane_f64_fma(x, y, z, in->rnd);
    case ISA_DMNMX: return lane_f64_minmax(x, y, in->mode & 1);
    case ISA_DDIV: return lane_f64_div(x, y, in->rnd);
    case ISA_DRCP: return lane_f64_rcp(x, in->rnd);
    case ISA_DSQRT: return lane_f64_sqrt(x, in->rnd);
    default: return lane_dmufu(in->mufu, x, in->ftz);
    }
}

static uint64_t converted(const Lane *l) {
    const IsaInst *in = l->in;
    uint64_t v = l->s[0], sign = 1ull << (8 * isa_type_bytes(in->stype) - 1);
    if (in->src[0].abs) v &= ~sign;
    if (in->src[0].neg) v ^= sign;
    const LaneCvtMods m = {in->ftz, in->sat, in->mode & ISA_CVT_RELU, in->mode & ISA_CVT_SATFINITE};
    return lane_cvt_mods(in->type, in->stype, in->rnd, &m, v);
}

static bool compared(const Lane *l) {
    const IsaInst *in = l->in;
    uint32_t a = (uint32_t)l->s[0], b = (uint32_t)l->s[1];
    bool r;
    if (in->op == ISA_FSETP)
        return lane_cmp_f32(in->cmp, f32_source(l, 0), f32_source(l, 1), in->ftz);
    if (in->op == ISA_DSETP) return lane_cmp_f64(in->cmp, f64_source(l, 0), f64_source(l, 1));
    r = in->type == ISA_S32 ? lane_cmp_s64(in->cmp, (int32_t)a, (int32_t)b)
                            : lane_cmp_u64(in->cmp, a, b);
    return (in->mode & 1) && a == b ? l->p[1] : r;
}

static bool combined(IsaBool op, bool r, bool p) {
    return op == ISA_AND ? r && p : op == ISA_OR ? r || p : r != p;
}

// ---- random instructions ----

static int source_words(const IsaInst *in, int i) {
    if (in->op == ISA_MOV || in->op == ISA_SEL) return in->dst_width;
    if (in->op == ISA_IMAD) return in->part == ISA_WIDE && i == 2 ? 2 : 1;
    if (in->op == ISA_IDIV) return isa_type_bytes(in->type) == 8 ? 2 : 1;
    if (in->op == ISA_CVT) return isa_type_bytes(in->stype) == 8 ? 2 : 1;
    bool f64 = in->op >= ISA_DADD && in->op <= ISA_DMUFU;
    return f64 ? 2 : 1;
}

static bool takes_sign(IsaOp op) {
    return op == ISA_IADD || op == ISA_IMUL || op == ISA_IMAD || op == ISA_LEA ||
        (op >= ISA_FADD && op <= ISA_DMUFU);
}

// A conversion to tf32, e4m3 or e5m2, or from one of the last two.
static void small_numbers(IsaInst *in) {
    static const IsaType types[][2] = {
        {ISA_TF32, ISA_F32}, {ISA_E4M3, ISA_F32}, {ISA_E5M2, ISA_F32}, {ISA_E4M3, ISA_F16},
        {ISA_E5M2, ISA_F16}, {ISA_F16, ISA_E4M3}, {ISA_F16, ISA_E5M2}};
    const uint32_t k = draw(7);
    in->type = types[k][0];
    in->stype = types[k][1];
    in->rnd = k == 0 && draw(3) == 0 ? ISA_RNA : (IsaRound)draw(2);
    in->ftz = in->sat = false;
}

static IsaInst any_inst(IsaOp op) {
    static const IsaType int32[] = {ISA_U32, ISA_S32}, all[] = {ISA_U32, ISA_S32, ISA_U64, ISA_S64};
    static const IsaType halves[] = {ISA_F16, ISA_BF16, ISA_F16X2, ISA_BF16X2};
    static const IsaType narrow[] = {ISA_U8, ISA_S8, ISA_U16, ISA_S16};
    IsaInst in = {.op = op,
                  .guard = {ISA_PT, false},
                  .pdst = {ISA_PT, ISA_PT},
                  .dst_width = 1,
                  .type = int32[draw(2)],
                  .cmp = (IsaCmp)draw(op == ISA_ISETP ? 6 : 14),
                  .boolop = (IsaBool)draw(3),
                  .part = (IsaPart)draw(3),
                  .rnd = (IsaRound)draw(4),
                  .mufu = (IsaMufu)draw(8),
                  .ftz = draw(2),
                  .sat = draw(2),
                  .approx = draw(2),
                  .lut = (uint8_t)draw(256),
                  .shift = (uint8_t)draw(32),
                  .mode = (uint8_t)draw(32)};
    if (draw(2)) in.rnd = ISA_RN, in.sat = false;
    if (op == ISA_PRMT) in.mode = (uint8_t)draw(7);
    if (op == ISA_SHF64 || op == ISA_IDIV) in.type = all[draw(4)];
    if (op == ISA_EXT) in.type = narrow[draw(4)];
    if (op >= ISA_HADD && op <= ISA_HSETP) in.type = halves[draw(4)];
    if (op == ISA_MOV || op == ISA_SEL) in.dst_width = (uint8_t)(1 + draw(2));
    if (op == ISA_DMUFU) in.mufu = draw(2) ? ISA_MUFU_RCP : ISA_MUFU_RSQ;
    if (op == ISA_IADD || (op == ISA_IMAD && in.part != ISA_WIDE)) {
        in.has_cin = draw(2);
        in.pdst[0] = draw(2) ? 0 : ISA_PT;
    }
    if (op == ISA_CVT) {
        in.type = (IsaType)draw(ISA_F16X2);
        in.stype = (IsaType)draw(ISA_F16X2);
        bool integral =
            in.stype >= ISA_F16 && (in.type < ISA_F16 || (in.type == in.stype && draw(2)));
        in.rnd = (IsaRound)(integral ? ISA_RNI + (int)draw(4) : (int)draw(4));
        if (draw(4) == 0) small_numbers(&in);
        const bool small = in.type == ISA_F16 || in.type == ISA_BF16 || in.type >= ISA_TF32;
        in.mode = (uint8_t)(small && in.stype >= ISA_F16 && !integral ? draw(4) : 0);
    }
    int n = isa_op_info[op].nsrc;
    for (int i = 0; i < n; i++) {
        bool floating = op >= ISA_FADD && !(op == ISA_CVT && in.stype < ISA_F16);
        in.src[i] = (IsaSrc){.kind = ISA_SRC_REG, .width = (uint8_t)source_words(&in, i)};
        in.src[i].neg = takes_sign(op) && floating + (op < ISA_FADD) && draw(3) == 0;
        in.src[i].abs = op >= ISA_FADD && op <= ISA_DMUFU && draw(4) == 0;
    }
    if (op == ISA_CVT && in.stype >= ISA_F16)
        in.src[0].neg = draw(4) == 0, in.src[0].abs = draw(4) == 0;
    return in;
}

static uint32_t any_word(void) {
    static const uint32_t edges[] = {
        0,          1,          31,         32,         33,         0x7f,       0x80,
        0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000, 0xff800000,
        0x7fc00001, 0x00000001, 0x807fffff, 0x00800000, 0x4f000000, 0xcf000000, 0x3f000000,
        0x40200000, 0xc0200000, 0x7ff00000, 0xfff80000, 0x3ff00000, 0x7f7fffff, 0x00ffffff};
    uint32_t pick = draw(4);
    if (pick == 0) return edges[draw(sizeof edges / sizeof *edges)];
    if (pick == 1) return draw(80);
    if (pick == 2) return 0x3f000000 + draw(0x2000000);
    return (uint32_t)draw64();
}

static uint32_t half_source(const Lane *l, int i) {
    uint32_t v = (uint32_t)l->s[i];
    if (l->in->src[i].abs) v &= 0x7fff7fffu;
    return l->in->src[i].neg ? v ^ 0x80008000u : v;
}

static uint64_t half(const Lane *l) {
    static const LaneHalf ops[] = {LANE_HADD, LANE_HMUL, LANE_HFMA, LANE_HMNMX};
    const IsaInst *in = l->in;
    const LaneHalfMods m = {.ftz = in->ftz,
                            .sat = in->sat,
                            .relu = in->op != ISA_HMNMX && in->mode & 1,
                            .max = in->mode & 1,
                            .nan = in->mode & 2,
                            .xorsign = in->mode & 4};
    return lane_half_op(ops[in->op - ISA_HADD], in->type, half_source(l, 0), half_source(l, 1),
                        half_source(l, 2), &m);
}

static uint64_t expected(const Lane *l, bool *carry) {
    IsaOp op = l->in->op;
    if (op == ISA_MOV) return l->s[0];
    if (op == ISA_SEL) return l->p[0] ? l->s[0] : l->s[1];
    if (op == ISA_P2R) return l->p[0] ? (uint32_t)l->s[0] : 0;
    if (op == ISA_CVT) return converted(l);
    if (op >= ISA_HADD && op <= ISA_HMNMX) return half(l);
    if (op >= ISA_FADD) return floating(l);
    if (op >= ISA_BFE && op != ISA_EXT) return bits(l);
    return integer(l, carry);
}

static void check(IsaOp op) {
    IsaInst in = any_inst(op);
    uint32_t words[3][2][ISA_LANES];
    IsaExecIn x = {.active = draw(3) ? ~0u : (uint32_t)draw64(), .present = ~0u};
    for (int i = 0; i < 3; i++) {
        x.psrc[i] = (uint32_t)draw64();
        for (int w = 0; w < 2; w++) {
            for (int k = 0; k < ISA_LANES; k++) words[i][w][k] = any_word();
            if (i < isa_op_info[op].nsrc || (op == ISA_P2R && i == 0)) x.src[i][w] = words[i][w];
        }
    }
    if (op == ISA_P2R) in.src[0] = (IsaSrc){.kind = ISA_SRC_IMM, .width = 1};
    IsaExecOut out;
    memset(&out, 0xaa, sizeof out);
    isa_exec(&in, &x, &out);
    bool setp = op == ISA_ISETP || op == ISA_FSETP || op == ISA_DSETP;
    int bytes =
        op == ISA_CVT || op == ISA_IDIV ? isa_type_bytes(in.type) : 4 * source_words(&in, 0);
    if (op == ISA_MOV || op == ISA_SEL) bytes = 4 * in.dst_width;
    if (op == ISA_IMUL || op == ISA_IMAD) bytes = in.part == ISA_WIDE ? 8 : 4;
    if (op == ISA_CVT && bytes < 4) bytes = 4;
    for (int k = 0; k < ISA_LANES; k++) {
        if (!(x.active >> k & 1)) continue;
        Lane l = {.in = &in};
        for (int i = 0; i < 3; i++) {
            l.p[i] = x.psrc[i] >> k & 1;
            if (x.src[i][0]) l.s[i] = (uint64_t)words[i][1][k] << 32 | words[i][0][k];
        }
        char text[256];
        isa_print_inst(text, sizeof text, &in);
        if (setp) {
            bool r = compared(&l);
            if ((out.pdst[0] >> k & 1) != combined(in.boolop, r, l.p[0]) ||
                (out.pdst[1] >> k & 1) != combined(in.boolop, !r, l.p[0]))
                fail_msg("%s, lane %d", text, k);
            continue;
        }
        bool carry = false;
        uint64_t want = lane_zext(expected(&l, &carry), 8 * bytes);
        uint64_t got = out.dst[0][k] | (bytes == 8 ? (uint64_t)out.dst[1][k] << 32 : 0);
        if (got != want)
            fail_msg("%s, lane %d: 0x%llx, expected 0x%llx", text, k, (unsigned long long)got,
                     (unsigned long long)want);
        if (in.pdst[0] == 0 && (out.pdst[0] >> k & 1) != carry)
            fail_msg("%s, lane %d: carry", text, k);
    }
}

static void test_every_opcode(void **unused) {
    (void)unused;
    static const IsaOp elsewhere[] = {ISA_MMA,   ISA_PLOP3, ISA_VOTE,
                                      ISA_MATCH, ISA_REDUX, ISA_HSETP};
    for (int op = 0; op < ISA_OP_COUNT; op++) {
        bool arithmetic =
            isa_op_info[op].unit == ISA_UNIT_SP || isa_op_info[op].unit == ISA_UNIT_SFU;
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            arithmetic = arithmetic && op != (int)elsewhere[i];
        if (!arithmetic || op == ISA_S2R || op == ISA_BRX) continue;
        int times =
            op == ISA_CVT ? 15000 : 400;  // pairs of types, of which few have loops of their own
        for (int i = 0; i < times; i++) check((IsaOp)op);
    }
}

static void test_predicates(void **unused) {
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        IsaInst in = {.op = ISA_PLOP3, .lut = (uint8_t)draw(256)};
        IsaExecIn x = {.psrc = {(uint32_t)draw64(), (uint32_t)draw64(), (uint32_t)draw64()},
                       .active = ~0u};
        IsaExecOut out;
        isa_exec(&in, &x, &out);
        for (int k = 0; k < 32; k++) {
            int index =
                (int)((x.psrc[0] >> k & 1) * 4 + (x.psrc[1] >> k & 1) * 2 + (x.psrc[2] >> k & 1));
            assert_int_equal(out.pdst[0] >> k & 1, in.lut >> index & 1);
            assert_int_equal(out.pdst[1] >> k & 1, !(in.lut >> index & 1));
        }
    }
}

// Lanes that do not execute take no part, and nobody reads them.
static void test_across_lanes(void **unused) {
    (void)unused;
    uint32_t value[32], mask[32], clamp[32];
    for (int k = 0; k < 32; k++) value[k] = (uint32_t)k / 4, mask[k] = ~0u, clamp[k] = 0x1f;
    IsaExecIn x = {.src = {{value}, {mask}, {clamp}},
                   .psrc = {0x0000ff00},
                   .active = 0x0fffff0f,
                   .present = ~0u};
    IsaExecOut out;
    isa_exec(&(IsaInst){.op = ISA_MATCH, .mode = PTX_VOTE_ANY}, &x, &out);
    assert_int_equal(out.dst[0][0], 0xf);
    assert_int_equal(out.dst[0][9], 0xf00);
    isa_exec(&(IsaInst){.op = ISA_REDUX, .mode = PTX_ATOM_ADD, .type = ISA_U32}, &x, &out);
    assert_int_equal(out.dst[0][3], 4 * (0 + 2 + 3 + 4 + 5 + 6));
    x.src[0][0] = mask;
    isa_exec(&(IsaInst){.op = ISA_VOTE, .mode = PTX_VOTE_BALLOT}, &x, &out);
    assert_int_equal(out.dst[0][0], 0xff00);
    x.src[0][0] = value;
    uint32_t from[32];
    for (int k = 0; k < 32; k++) from[k] = (uint32_t)(k + 4) % 32;
    x.src[1][0] = from;
    isa_exec(&(IsaInst){.op = ISA_SHFL, .mode = PTX_SHFL_IDX}, &x, &out);
    assert_int_equal(out.dst[0][8], value[12]);
    assert_int_equal(out.dst[0][0], value[0]);  // lane 4 does not execute
    assert_int_equal(out.pdst[0], ~0u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_opcode),
                                       cmocka_unit_test(test_predicates),
                                       cmocka_unit_test(test_across_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
