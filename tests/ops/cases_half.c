// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and pairs of them: arithmetic, extremes, comparisons, functions, atomics; .NaN and
// .xorsign of f32.
#include "cases.h"

static bool is_pair(PtxType t) { return t == PTX_F16X2 || t == PTX_BF16X2; }
static PtxType single(PtxType t) {
    return t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t;
}
static bool is_f16(PtxType t) { return single(t) == PTX_F16; }
static bool is_nan(PtxType t, uint64_t a) {
    return t == PTX_F32 ? (a & 0x7fffffff) > 0x7f800000
                        : (a & 0x7fff) > (is_f16(t) ? 0x7c00 : 0x7f80);
}

static const PtxType halves[] = {PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2};

typedef uint64_t Each(const Case *c, PtxType t, uint64_t a, uint64_t b, uint64_t d);
// f of each half.
static uint64_t each(const Case *c, PtxType t, Each *f, const uint64_t *in) {
    if (!is_pair(t)) return f(c, t, in[0], in[1], in[2]);
    return f(c, single(t), in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff) |
        f(c, single(t), in[0] >> 16 & 0xffff, in[1] >> 16 & 0xffff, in[2] >> 16 & 0xffff) << 16;
}

// ---- arithmetic ----

static uint64_t arith(const Case *c, PtxType t, uint64_t a, uint64_t b, uint64_t d) {
    static const RefOp map[PTX_OP_COUNT] = {
        [PTX_ADD] = REF_ADD, [PTX_SUB] = REF_SUB, [PTX_MUL] = REF_MUL, [PTX_FMA] = REF_FMA};
    const uint64_t r = ref_fp(map[c->op], t, PTX_RN, c->ftz, c->sat, a, b, d);
    return c->flag && !is_nan(t, r) && r & 0x8000 ? 0 : r;
}
static void ref_arith(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = each(c, c->t, arith, in[i]);
}

static void arithmetic(CaseList *l, PtxType t) {
    static const PtxOp ops[] = {PTX_ADD, PTX_SUB, PTX_MUL, PTX_FMA};
    for (int o = 0; o < 4; o++)
        for (int flags = 0; flags < 16; flags++) {
            const bool ftz = flags & 1, sat = flags & 2, relu = flags & 4, rn = flags & 8,
                       fma = ops[o] == PTX_FMA;
            if ((!is_f16(t) && (ftz || sat)) || (relu && (!fma || sat)) || (fma && !rn)) continue;
            Case c = {.op = ops[o],
                      .t = t,
                      .ftz = ftz,
                      .sat = sat,
                      .flag = relu,
                      .in = {t, t, fma ? t : PTX_NOTYPE},
                      .out = {t},
                      .ref = ref_arith,
                      .no_immediate = true};
            case_add(l, &c, "%s%s%s%s%s.%s", ptx_op_name(ops[o]), rn ? ".rn" : "",
                     ftz ? ".ftz" : "", sat ? ".sat" : "", relu ? ".relu" : "", ptx_type_name(t));
        }
}

// ---- signs and extremes ----

static uint64_t flushed(PtxType t, uint64_t a) {
    const uint64_t ones = t == PTX_F32 ? 0x7f800000
        : is_f16(t)                    ? 0x7c00
                                       : 0x7f80,
                   sign = t == PTX_F32 ? 0x80000000 : 0x8000;
    return a & ones ? a : a & sign;
}

static uint64_t extreme(const Case *c, PtxType t, uint64_t a, uint64_t b, uint64_t d) {
    const uint64_t sign = t == PTX_F32 ? 0x80000000 : 0x8000, nan = sign - 1, flip = (a ^ b) & sign;
    (void)d;
    if (c->ftz) a = flushed(t, a), b = flushed(t, b);
    if (c->flag) a &= nan, b &= nan;  // .xorsign.abs
    if (c->k && (is_nan(t, a) || is_nan(t, b))) return nan;
    const uint64_t r = ref_min_max(t, c->op == PTX_MAX, false, a, b);
    return c->flag && !is_nan(t, r) ? (r & nan) | flip : r;
}
static void ref_extreme(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = each(c, c->t, extreme, in[i]);
}

static uint64_t sign_only(const Case *c, PtxType t, uint64_t a, uint64_t b, uint64_t d) {
    (void)b, (void)d;
    if (c->ftz) a = is_nan(t, a) ? 0x7fff : flushed(t, a);
    return c->op == PTX_NEG ? a ^ 0x8000 : a & 0x7fff;
}
static void ref_sign(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = each(c, c->t, sign_only, in[i]);
}

static void extremes(CaseList *l, PtxType t) {
    for (int flags = 0; flags < 16; flags++) {
        const bool ftz = flags & 1, nan = flags & 2, xorsign = flags & 4, max = flags & 8;
        if ((ftz && !is_f16(t) && t != PTX_F32) || (t == PTX_F32 && !nan && !xorsign)) continue;
        Case c = {.op = max ? PTX_MAX : PTX_MIN,
                  .t = t,
                  .ftz = ftz,
                  .k = nan,
                  .flag = xorsign,
                  .in = {t, t},
                  .out = {t},
                  .ref = ref_extreme,
                  .no_immediate = true};
        case_add(l, &c, "%s%s%s%s.%s", max ? "max" : "min", ftz ? ".ftz" : "", nan ? ".NaN" : "",
                 xorsign ? ".xorsign.abs" : "", ptx_type_name(t));
    }
    for (int flags = 0; flags < (t == PTX_F32 ? 0 : 4); flags++) {
        const bool ftz = flags & 1, neg = flags & 2;
        if (ftz && !is_f16(t)) continue;
        Case c = {.op = neg ? PTX_NEG : PTX_ABS,
                  .t = t,
                  .ftz = ftz,
                  .in = {t},
                  .out = {t},
                  .ref = ref_sign};
        case_add(l, &c, "%s%s.%s", neg ? "neg" : "abs", ftz ? ".ftz" : "", ptx_type_name(t));
    }
}

// ---- comparisons ----

static const struct {
    PtxCmp cmp;
    const char *name;
} compares[] = {{PTX_EQ, "eq"},   {PTX_NE, "ne"},   {PTX_LT, "lt"},   {PTX_LE, "le"},
                {PTX_GT, "gt"},   {PTX_GE, "ge"},   {PTX_EQU, "equ"}, {PTX_NEU, "neu"},
                {PTX_LTU, "ltu"}, {PTX_LEU, "leu"}, {PTX_GTU, "gtu"}, {PTX_GEU, "geu"},
                {PTX_NUM, "num"}, {PTX_NAN, "nan"}};

static bool holds(const Case *c, int half, const uint64_t *in) {
    return ref_compare(single(c->t), c->cmp, c->ftz, in[0] >> (16 * half) & 0xffff,
                       in[1] >> (16 * half) & 0xffff);
}
static bool combined(const Case *c, bool r, bool p) {
    return c->boolop == PTX_BOOL_AND ? r && p
        : c->boolop == PTX_BOOL_OR   ? r || p
        : c->boolop == PTX_BOOL_XOR  ? r != p
                                     : r;
}

static void ref_setp(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const bool p = in[i][2] & 1, low = holds(c, 0, in[i]);
    out[0] = combined(c, low, p);
    out[1] = is_pair(c->t) ? combined(c, holds(c, 1, in[i]), p) : !out[0];
}
static void ref_set(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t one = single(c->t2) == PTX_F16 ? 0x3c00
        : single(c->t2) == PTX_BF16               ? 0x3f80
        : c->t2 == PTX_F32                        ? 0x3f800000
        : is_pair(c->t)                           ? 0xffff
                                                  : ref_low(c->t2, ~0ull);
    const bool p = in[i][2] & 1;
    out[0] = combined(c, holds(c, 0, in[i]), p) ? one : 0;
    if (is_pair(c->t) && combined(c, holds(c, 1, in[i]), p)) out[0] |= one << 16;
}

static void comparisons(CaseList *l, PtxType t) {
    static const char *const bools[] = {"", ".and", ".or", ".xor"};
    for (size_t k = 0; k < sizeof compares / sizeof *compares; k++)
        for (int b = 0; b < 4; b++) {
            const bool ftz = is_f16(t) && (k + (size_t)b) % 2;
            Case c = {.t = t,
                      .cmp = compares[k].cmp,
                      .boolop = (PtxBool)b,
                      .ftz = ftz,
                      .in = {t, t, PTX_B32},
                      .out = {PTX_B32, PTX_B32},
                      .ref = ref_setp,
                      .no_immediate = true};
            c.draw[2] = DRAW_BITS;
            const char *name = case_text(l, "%s%s%s.%s", compares[k].name, bools[b],
                                         ftz ? ".ftz" : "", ptx_type_name(t));
            const char *take =
                "{ .reg .pred p, q, r; .reg .b32 k; and.b32 k, %c, 1; setp.ne.u32 r, k, 0;";
            c.body = case_text(
                l, "%s setp.%s p%s, %%a, %%b%s; selp.b32 %%d, 1, 0, p; selp.b32 %%q, %s; }", take,
                name, is_pair(t) ? "|q" : "", b ? ", r" : "", is_pair(t) ? "1, 0, q" : "0, 1, p");
            case_add(l, &c, "setp.%s", name);
            static const PtxType results[2][5] = {{PTX_U16, PTX_S32, PTX_U32, PTX_F32, PTX_NOTYPE},
                                                  {PTX_U32, PTX_S32, PTX_NOTYPE}};
            PtxType to = results[is_pair(t)][k % (is_pair(t) ? 3 : 5)];
            if (!to) to = t;
            c.t2 = to;
            c.ref = ref_set;
            c.out[0] = ptx_type_bytes(to) == 2 ? PTX_B16 : PTX_B32;
            c.out[1] = PTX_NOTYPE;
            const char *dst = to == PTX_F32 ? "{ .reg .f32 f; " : "{ ",
                       *d = to == PTX_F32 ? "f" : "%d";
            const char *back = to == PTX_F32 ? " mov.b32 %d, f; }" : " }";
            const char *set = case_text(l, "%s%s%s.%s.%s", compares[k].name, bools[b],
                                        ftz ? ".ftz" : "", ptx_type_name(to), ptx_type_name(t));
            c.body = case_text(l, "%s set.%s %s, %%a, %%b%s;%s }", case_text(l, "%s%s", dst, take),
                               set, d, b ? ", r" : "", back);
            case_add(l, &c, "set.%s", set);
        }
}

// ---- functions ----

static bool near(const Case *c, PtxType t, uint64_t x, uint64_t got) {
    const bool f16 = t == PTX_F16;
    if (c->ftz) x = is_nan(t, x) ? x : flushed(t, x);
    const uint64_t wide = ref_cvt(PTX_F32, t, PTX_RN, false, false, x);
    if (is_nan(t, x)) return got == 0x7fff;
    if (c->op == PTX_EX2) {  // of the exact value, rounded; flushed when it would be subnormal
        const uint64_t g = ref_cvt(PTX_F32, t, PTX_RN, false, false, got);
        if (c->ftz && !(got & (f16 ? 0x7c00 : 0x7f80))) return !(got & 0x7fff);
        const bool range =
            (got & 0x7fff) == (f16 ? 0x7c00 : 0x7f80) || !(got & (f16 ? 0x7c00 : 0x7f80));
        return range || ref_error_relative(REF_F_EX2, PTX_F32, wide, g) < (f16 ? 0.00105 : 0.0079);
    }
    return ref_error_absolute(REF_F_TANH, PTX_F32, wide,
                              ref_cvt(PTX_F32, t, PTX_RN, false, false, got)) <
        (f16 ? 0.0005 + 0.0002 : 0.0040);
}
static bool check_function(const Case *c, const uint64_t in[4], const uint64_t out[4]) {
    const PtxType t = single(c->t);
    return near(c, t, in[0] & 0xffff, out[0] & 0xffff) &&
        (!is_pair(c->t) || near(c, t, in[0] >> 16 & 0xffff, out[0] >> 16));
}

static void functions(CaseList *l, PtxType t) {
    for (int flags = 0; flags < 4; flags++) {
        const bool ftz = flags & 1, tanh = flags & 2;
        if ((tanh && ftz) || (!tanh && !is_f16(t) && !ftz)) continue;
        Case c = {.op = tanh ? PTX_TANH : PTX_EX2,
                  .t = t,
                  .ftz = ftz,
                  .in = {t},
                  .out = {t},
                  .check = check_function};
        case_add(l, &c, "%s.approx%s.%s", tanh ? "tanh" : "ex2", ftz ? ".ftz" : "",
                 ptx_type_name(t));
    }
}

// ---- pairs from f32, atomics, special registers ----

static void ref_pack(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = ref_cvt(single(c->t), PTX_F32, c->rnd, false, false, in[i][0]) << 16 |
        ref_cvt(single(c->t), PTX_F32, c->rnd, false, false, in[i][1]);
}

static void ref_sum(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = in[i][0];
    out[1] = each(c, c->t, arith, in[i]);
}

// The sum that thread i adds in the halves of one word: thread 2k in the low one, 2k + 1 in the
// high one.
static void ref_vector(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = in[i][0];
    out[1] = in[i][1];
    out[2] = ref_fp(REF_ADD, c->t, PTX_RN, c->t == PTX_F32, false, in[i][0], in[i][2], 0);
    out[3] = ref_fp(REF_ADD, c->t, PTX_RN, c->t == PTX_F32, false, in[i][1], in[i][3], 0);
}

static void ref_nothing(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    (void)c, (void)in, (void)i;
    out[0] = 0;
}

void cases_half(CaseList *l) {
    for (int k = 0; k < 4; k++) {
        const PtxType t = halves[k], reg = is_pair(t) ? PTX_B32 : PTX_B16;
        const int bits = 8 * ptx_type_bytes(t);
        arithmetic(l, t);
        extremes(l, t);
        comparisons(l, t);
        functions(l, t);
        static const char *const spaces[] = {"global", "shared"};
        for (int s = 0; s < 2; s++) {
            Case c = {.op = PTX_ADD,
                      .t = t,
                      .in = {t, t},
                      .out = {reg, reg},
                      .ref = ref_sum,
                      .no_immediate = true,
                      .decls = s ? ".shared .align 8 .b8 room[1024];\n" : ""};
            const char *at = s ? "{ .reg .b64 y; .reg .b32 o; mov.u64 y, room; shl.b32 o, %l, 3; "
                                 "cvt.u64.u32 %k2, o; "
                                 "add.u64 y, y, %k2; "
                               : "{ .reg .b64 y; mov.u64 y, %w; ";
            c.body = case_text(l,
                               "%s st.%s.b%d [y+%d], %%a; atom.%s.add.noftz.%s %%d, [y+%d], %%b; "
                               "ld.%s.b%d %%q, [y+%d]; }",
                               at, spaces[s], bits, bits == 16 ? 2 : 4, spaces[s], ptx_type_name(t),
                               bits == 16 ? 2 : 4, spaces[s], bits, bits == 16 ? 2 : 4);
            case_add(l, &c, "atom.%s.add.noftz.%s", spaces[s], ptx_type_name(t));
            c.body =
                case_text(l,
                          "%s st.%s.b%d [y], %%a; red.%s.add.noftz.%s [y], %%b; mov.b%d %%d, %%a; "
                          "ld.%s.b%d %%q, [y]; }",
                          at, spaces[s], bits, spaces[s], ptx_type_name(t), bits, spaces[s], bits);
            case_add(l, &c, "red.%s.add.noftz.%s", spaces[s], ptx_type_name(t));
        }
        if (is_pair(t)) {
            Case c = {.t = t,
                      .rnd = PTX_RN,
                      .in = {PTX_F32, PTX_F32},
                      .out = {PTX_B32},
                      .ref = ref_pack,
                      .no_immediate = true};
            c.body = case_text(l, "cvt.rn.%s.f32 %%d, %%a, %%b;", ptx_type_name(t));
            case_add(l, &c, "cvt.rn.%s.f32", ptx_type_name(t));
            c.rnd = PTX_RZ;
            c.body = case_text(l, "cvt.rz.%s.f32 %%d, %%a, %%b;", ptx_type_name(t));
            case_add(l, &c, "cvt.rz.%s.f32", ptx_type_name(t));
        }
        if (bits == 16) {
            Case c = {.t = t,
                      .in = {t, t, t, t},
                      .out = {PTX_B16, PTX_B16, PTX_B16, PTX_B16},
                      .ref = ref_vector,
                      .no_immediate = true};
            c.body =
                case_text(l,
                          "st.global.v2.b16 [%%w], {%%a, %%b}; mov.b16 %%d, %%c; mov.b16 %%q, %%e; "
                          "atom.global.add.noftz.v2.%s {%%q, %%d}, [%%w], {%%d, %%q}; mov.b16 %%r, "
                          "%%d; mov.b16 "
                          "%%d, %%q; "
                          "mov.b16 %%q, %%r; ld.global.v2.b16 {%%r, %%s}, [%%w];",
                          ptx_type_name(t));
            case_add(l, &c, "atom.global.add.noftz.v2.%s", ptx_type_name(t));
        }
    }
    extremes(l, PTX_F32);
    Case v = {.t = PTX_F32,
              .in = {PTX_F32, PTX_F32, PTX_F32, PTX_F32},
              .out = {PTX_F32, PTX_F32, PTX_F32, PTX_F32},
              .ref = ref_vector,
              .no_immediate = true};
    v.body = "st.global.v2.f32 [%w], {%a, %b}; red.global.add.v2.f32 [%w], {%c, %e}; mov.f32 %d, "
             "%a; mov.f32 %q, %b; "
             "ld.global.v2.f32 {%r, %s}, [%w];";
    case_add(l, &v, "red.global.add.v2.f32");
    v.body = "st.global.v2.f32 [%w], {%a, %b}; atom.global.add.v2.f32 {%d, %q}, [%w], {%c, %e}; "
             "ld.global.v2.f32 "
             "{%r, %s}, [%w];";
    case_add(l, &v, "atom.global.add.v2.f32");
    static const char *const zeros[] = {"reserved_smem_offset_begin",
                                        "reserved_smem_offset_end",
                                        "reserved_smem_offset_cap",
                                        "reserved_smem_offset_0",
                                        "reserved_smem_offset_1",
                                        "envreg0",
                                        "envreg3",
                                        "envreg31"};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        Case c = {.out = {PTX_B32}, .ref = ref_nothing};
        c.body = case_text(l, "mov.u32 %%d, %%%s;", zeros[i]);
        case_add(l, &c, "mov.u32 %%%s", zeros[i]);
    }
}
