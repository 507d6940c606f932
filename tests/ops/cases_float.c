// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic of f32 and f64, with every rounding, .ftz and .sat; approximations.
#include "cases.h"

#include <math.h>

static const char *const rounds[] = {"", ".rn", ".rz", ".rm", ".rp"};
static const PtxRound round_of[] = {PTX_RN, PTX_RN, PTX_RZ, PTX_RM, PTX_RP};

static void ref_arith(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    static const RefOp map[PTX_OP_COUNT] = {
        [PTX_ADD] = REF_ADD, [PTX_SUB] = REF_SUB, [PTX_MUL] = REF_MUL,  [PTX_FMA] = REF_FMA,
        [PTX_DIV] = REF_DIV, [PTX_RCP] = REF_RCP, [PTX_SQRT] = REF_SQRT};
    out[0] = ref_fp(map[c->op], c->t, c->rnd, c->ftz, c->sat, in[i][0], in[i][1], in[i][2]);
}

static void arithmetic(CaseList *l, PtxType t) {
    static const PtxOp ops[] = {PTX_ADD, PTX_SUB, PTX_MUL, PTX_FMA, PTX_DIV, PTX_RCP, PTX_SQRT};
    static const int nin[] = {2, 2, 2, 3, 2, 1, 1};
    bool f32 = t == PTX_F32;
    for (int o = 0; o < 7; o++)
        for (int r = 0; r < 5; r++)
            for (int flags = 0; flags < (f32 ? 4 : 1); flags++) {
                bool ftz = flags & 1, sat = flags & 2, divides = o >= 4;
                if ((r == 0 && o >= 3) || (sat && divides)) continue;
                Case c = {.op = ops[o],
                          .t = t,
                          .rnd = round_of[r],
                          .ftz = ftz,
                          .sat = sat,
                          .out = {t},
                          .ref = ref_arith};
                for (int k = 0; k < nin[o]; k++) c.in[k] = t;
                case_add(l, &c, "%s%s%s%s.%s", ptx_op_name(ops[o]), rounds[r], ftz ? ".ftz" : "",
                         sat ? ".sat" : "", ptx_type_name(t));
                if (ops[o] != PTX_FMA) continue;
                c.body = case_text(l, "mad%s%s%s.%s %%d, %%a, %%b, %%c;", rounds[r],
                                   ftz ? ".ftz" : "", sat ? ".sat" : "", ptx_type_name(t));
                case_add(l, &c, "mad%s%s%s.%s", rounds[r], ftz ? ".ftz" : "", sat ? ".sat" : "",
                         ptx_type_name(t));
            }
}

// ---- sign, extremes, tests ----

static void ref_simple(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t a = in[i][0], b = in[i][1], sign = c->t == PTX_F32 ? 1ull << 31 : 1ull << 63;
    uint64_t ones = c->t == PTX_F32 ? 0x7f800000 : 0x7ff0000000000000ull;
    bool flushed = c->ftz && !(a & ones), nan = (a & (sign - 1)) > ones;
    switch (c->op) {
    case PTX_MIN: out[0] = ref_min_max(c->t, false, c->ftz, a, b); break;
    case PTX_MAX: out[0] = ref_min_max(c->t, true, c->ftz, a, b); break;
    case PTX_COPYSIGN: out[0] = (b & ~sign) | (a & sign); break;
    case PTX_NEG: out[0] = c->ftz && nan ? 0x7fffffff : (flushed ? a & sign : a) ^ sign; break;
    case PTX_ABS: out[0] = c->ftz && nan ? 0x7fffffff : (flushed ? 0 : a) & ~sign; break;
    default: break;
    }
}

static void ref_testp(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    bool d = c->t == PTX_F64;
    uint64_t a = in[i][0];
    double v;
    float f;
    uint32_t low = (uint32_t)a;
    __builtin_memcpy(&v, &a, 8);
    __builtin_memcpy(&f, &low, 4);
    int kind = d ? fpclassify(v) : fpclassify(f);
    switch ((PtxTestp)c->k) {
    case PTX_TESTP_FINITE: out[0] = kind != FP_NAN && kind != FP_INFINITE; break;
    case PTX_TESTP_INFINITE: out[0] = kind == FP_INFINITE; break;
    case PTX_TESTP_NUMBER: out[0] = kind != FP_NAN; break;
    case PTX_TESTP_NOTANUMBER: out[0] = kind == FP_NAN; break;
    case PTX_TESTP_NORMAL: out[0] = kind == FP_NORMAL || kind == FP_ZERO; break;
    default: out[0] = kind == FP_SUBNORMAL; break;
    }
}

static void simple(CaseList *l, PtxType t) {
    static const PtxOp ops[] = {PTX_MIN, PTX_MAX, PTX_COPYSIGN, PTX_NEG, PTX_ABS};
    static const char *const tests[] = {"",           "finite", "infinite", "number",
                                        "notanumber", "normal", "subnormal"};
    for (int o = 0; o < 5; o++)
        for (int ftz = 0; ftz < (t == PTX_F32 && o != 2 ? 2 : 1); ftz++) {
            Case c = {.op = ops[o], .t = t, .ftz = ftz, .in = {t}, .out = {t}, .ref = ref_simple};
            if (o < 3) c.in[1] = t;
            case_add(l, &c, "%s%s.%s", ptx_op_name(ops[o]), ftz ? ".ftz" : "", ptx_type_name(t));
        }
    for (int k = 1; k < 7; k++) {
        Case c = {.op = PTX_TESTP, .t = t, .k = k, .in = {t}, .out = {PTX_U32}, .ref = ref_testp};
        c.body = case_text(l, ".reg .pred %%p; testp.%s.%s %%p, %%a; selp.u32 %%d, 1, 0, %%p;",
                           tests[k], ptx_type_name(t));
        case_add(l, &c, "testp.%s.%s", tests[k], ptx_type_name(t));
    }
}

// ---- approximations ----

static uint64_t flush(uint64_t a) { return a & 0x7f800000 ? a : a & 0x80000000; }

static bool check_approx(const Case *c, const uint64_t in[4], const uint64_t out[4]) {
    uint64_t a = c->ftz ? flush(in[0]) : in[0], got = out[0];
    double e = ref_error_ulp((RefFn)c->k, PTX_F32, a, got);
    if (e <= 1) return true;
    // .ftz makes zero of a result below the normal numbers.
    return c->ftz && (got & 0x7fffffff) == 0 &&
        ref_error_absolute((RefFn)c->k, PTX_F32, a, got) < 0x1p-126;
}

static bool check_div(const Case *c, const uint64_t in[4], const uint64_t out[4]) {
    uint64_t a = c->ftz ? flush(in[0]) : in[0], b = c->ftz ? flush(in[1]) : in[1], got = out[0];
    uint64_t size = b & 0x7fffffff;
    bool nan_a = (a & 0x7fffffff) > 0x7f800000;
    if (c->flag && size > 0x7e800000 && size < 0x7f800000 && !nan_a) {  // div.approx, huge divisor
        if ((a & 0x7fffffff) == 0x7f800000) return (got & 0x7fffffff) > 0x7f800000;
        return (got & 0x7fffffff) == 0;
    }
    if (ref_div_error_ulp(a, b, got) <= 2) return true;
    return c->ftz && (got & 0x7fffffff) == 0 && ref_div_error_ulp(a, b, got) <= 0x1p23;
}

static bool check_f64(const Case *c, const uint64_t in[4], const uint64_t out[4]) {
    uint64_t a = in[0], ones = 0x7ff0000000000000ull;
    bool nan = a << 1 > ones << 1;
    if (nan) return out[0] << 1 > ones << 1;
    if (!c->ftz) return ref_error_ulp((RefFn)c->k, PTX_F64, a, out[0]) <= 2;
    a &= 0xffffffff00000000ull;
    if (!(a & ones)) a &= 1ull << 63;
    if (out[0] & 0xffffffff) return false;
    if (out[0] << 1 == 0) return ref_error_absolute((RefFn)c->k, PTX_F64, a, out[0]) < 0x1p-1022;
    return ref_error_relative((RefFn)c->k, PTX_F64, a, out[0]) <= 0x1p-20;
}

static void approximations(CaseList *l) {
    static const char *const names[] = {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"};
    for (int f = 0; f < 8; f++)
        for (int ftz = 0; ftz < (f == REF_F_TANH ? 1 : 2); ftz++)
            case_add(
                l,
                &(Case){
                    .k = f, .ftz = ftz, .in = {PTX_F32}, .out = {PTX_F32}, .check = check_approx},
                "%s.approx%s.f32", names[f], ftz ? ".ftz" : "");
    for (int k = 0; k < 4; k++)
        case_add(l,
                 &(Case){.flag = k & 1,
                         .ftz = k & 2,
                         .in = {PTX_F32, PTX_F32},
                         .out = {PTX_F32},
                         .check = check_div},
                 "div.%s%s.f32", k & 1 ? "approx" : "full", k & 2 ? ".ftz" : "");
    Case c = {.in = {PTX_F64}, .out = {PTX_F64}, .check = check_f64, .k = REF_F_RCP, .ftz = true};
    case_add(l, &c, "rcp.approx.ftz.f64");
    c.k = REF_F_RSQRT;
    case_add(l, &c, "rsqrt.approx.ftz.f64");
    c.ftz = false;
    case_add(l, &c, "rsqrt.approx.f64");
}

void cases_float(CaseList *l) {
    arithmetic(l, PTX_F32);
    arithmetic(l, PTX_F64);
    simple(l, PTX_F32);
    simple(l, PTX_F64);
    approximations(l);
}
