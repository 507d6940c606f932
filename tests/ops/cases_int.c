// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, carry chains, packed differences and dot products.
#include "cases.h"

#include <string.h>

static const PtxType all[] = {PTX_U16, PTX_S16, PTX_U32, PTX_S32, PTX_U64, PTX_S64};

static PtxType wider(PtxType t) {
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    default: return PTX_S64;
    }
}

static int64_t clamp32(RefS128 v) {
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int64_t)v;
}

static void ref_arith(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t a = in[i][0], b = in[i][1], z = in[i][2], r = 0;
    RefS128 x = (int64_t)ref_ext(c->t, a), y = (int64_t)ref_ext(c->t, b);
    if (!ptx_type_is_signed(c->t)) x = ref_low(c->t, a), y = ref_low(c->t, b);
    switch (c->op) {
    case PTX_ADD: r = c->sat ? (uint64_t)clamp32(x + y) : (uint64_t)(x + y); break;
    case PTX_SUB: r = c->sat ? (uint64_t)clamp32(x - y) : (uint64_t)(x - y); break;
    case PTX_MUL: r = ref_mul(c->t, c->part, a, b); break;
    case PTX_MAD:
        r = ref_mul(c->t, c->part, a, b) + z;
        if (c->sat)
            r = (uint64_t)clamp32((RefS128)(int64_t)ref_ext(PTX_S32, ref_mul(c->t, c->part, a, b)) +
                                  (int64_t)ref_ext(PTX_S32, z));
        break;
    case PTX_MUL24:
    case PTX_MAD24: {
        bool s = c->t == PTX_S32;
        RefS128 p = s ? (RefS128)((int64_t)(a << 40) >> 40) * ((int64_t)(b << 40) >> 40)
                      : (RefS128)(a & 0xffffff) * (RefS128)(b & 0xffffff);
        r = (uint64_t)(c->part == PTX_PART_HI ? p >> 16 : p);
        if (c->op == PTX_MUL24) break;
        if (c->sat)
            r = (uint64_t)clamp32((RefS128)(int64_t)ref_ext(PTX_S32, r) +
                                  (int64_t)ref_ext(PTX_S32, z));
        else r += z;
        break;
    }
    case PTX_SAD: r = (uint64_t)(x < y ? y - x : x - y) + z; break;
    case PTX_DIV: r = ref_div(c->t, false, a, b); break;
    case PTX_REM: r = ref_div(c->t, true, a, b); break;
    case PTX_ABS: r = (uint64_t)(x < 0 ? -x : x); break;
    case PTX_NEG: r = (uint64_t)-x; break;
    case PTX_MIN: r = (uint64_t)(x < y ? x : y); break;
    case PTX_MAX: r = (uint64_t)(x > y ? x : y); break;
    default: break;
    }
    out[0] = r;
}

static void two_sources(CaseList *l, PtxOp op, PtxType t) {
    case_add(l, &(Case){.op = op, .t = t, .in = {t, t}, .out = {t}, .ref = ref_arith}, "%s.%s",
             ptx_op_name(op), ptx_type_name(t));
}

static void products(CaseList *l, PtxType t) {
    static const char *const parts[] = {"", "lo", "hi", "wide"};
    for (int p = PTX_PART_LO; p <= PTX_PART_WIDE; p++) {
        if (p == PTX_PART_WIDE && ptx_type_bytes(t) == 8) continue;
        PtxType d = p == PTX_PART_WIDE ? wider(t) : t;
        case_add(l,
                 &(Case){.op = PTX_MUL,
                         .t = t,
                         .part = (PtxMulPart)p,
                         .in = {t, t},
                         .out = {d},
                         .ref = ref_arith},
                 "mul.%s.%s", parts[p], ptx_type_name(t));
        case_add(l,
                 &(Case){.op = PTX_MAD,
                         .t = t,
                         .part = (PtxMulPart)p,
                         .in = {t, t, d},
                         .out = {d},
                         .ref = ref_arith},
                 "mad.%s.%s", parts[p], ptx_type_name(t));
    }
}

static void products24(CaseList *l) {
    static const char *const parts[] = {"", "lo", "hi"};
    for (int s = 0; s < 2; s++)
        for (int p = PTX_PART_LO; p <= PTX_PART_HI; p++) {
            PtxType t = s ? PTX_S32 : PTX_U32;
            Case c = {.op = PTX_MUL24,
                      .t = t,
                      .part = (PtxMulPart)p,
                      .in = {t, t},
                      .out = {t},
                      .ref = ref_arith};
            case_add(l, &c, "mul24.%s.%s", parts[p], ptx_type_name(t));
            c.op = PTX_MAD24;
            c.in[2] = t;
            case_add(l, &c, "mad24.%s.%s", parts[p], ptx_type_name(t));
            c.sat = true;
            if (s && p == PTX_PART_HI) case_add(l, &c, "mad24.hi.sat.s32");
        }
    case_add(l,
             &(Case){.op = PTX_MAD,
                     .t = PTX_S32,
                     .part = PTX_PART_HI,
                     .sat = true,
                     .in = {PTX_S32, PTX_S32, PTX_S32},
                     .out = {PTX_S32},
                     .ref = ref_arith},
             "mad.hi.sat.s32");
}

// ---- carry chains: the whole chain against one wide operation ----

static void ref_chain(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int bits = 8 * ptx_type_bytes(c->t);
    RefU128 mask = bits == 64 ? ~(RefU128)0 : (((RefU128)1 << (2 * bits)) - 1);
    RefU128 x = (RefU128)ref_low(c->t, in[i][1]) << bits | ref_low(c->t, in[i][0]);
    RefU128 y = (RefU128)ref_low(c->t, in[i][3]) << bits | ref_low(c->t, in[i][2]), r;
    if (c->op == PTX_ADD) r = x + y;
    else if (c->op == PTX_SUB) r = x - y;
    else r = (RefU128)ref_low(c->t, in[i][0]) * ref_low(c->t, in[i][1]) + y;
    r &= mask;
    out[0] = ref_low(c->t, (uint64_t)r);
    out[1] = ref_low(c->t, (uint64_t)(r >> bits));
}

// Carry out of a chain, read by one more addition with carry.
static void ref_chain_flag(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int bits = 8 * ptx_type_bytes(c->t);
    RefU128 x = ref_low(c->t, in[i][0]), y = ref_low(c->t, in[i][1]);
    RefU128 r = c->op == PTX_ADD ? x + y : x - y;
    out[0] = ref_low(c->t, (uint64_t)r);
    out[1] = (uint64_t)(r >> bits & 1);
    if (c->op == PTX_SUB) out[1] = ref_low(c->t, 0 - out[1]);
}

// The flag of one instruction in another of the other kind: a subtraction leaves the carry of a +
// ~b + 1. An instruction that uses the flag is a + ~b + flag. Bit by bit, as in an adder.
static uint64_t adder(PtxType t, uint64_t x, uint64_t y, bool invert, unsigned *flag) {
    uint64_t r = 0;
    for (int i = 0; i < 8 * ptx_type_bytes(t); i++) {
        const unsigned p = (unsigned)(x >> i & 1), q = (unsigned)(y >> i & 1) ^ invert,
                       s = p + q + *flag;
        r |= (uint64_t)(s & 1) << i;
        *flag = s >> 1;
    }
    return r;
}

// k: bits 1: the first subtracts; 2, 4: the second and third do; 8: a product takes the place of
// the first addition.
static void ref_mixed(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t *v = in[i];
    unsigned flag = c->k & 1;
    if (c->k & 8) out[0] = adder(c->t, ref_mul(c->t, PTX_PART_LO, v[0], v[1]), v[2], false, &flag);
    else out[0] = adder(c->t, v[0], v[1], c->k & 1, &flag);
    out[1] = adder(c->t, v[2], v[3], c->k & 2, &flag);
    if (c->k & 8) out[2] = adder(c->t, ref_mul(c->t, PTX_PART_HI, v[1], v[2]), v[3], false, &flag);
    else out[2] = adder(c->t, v[3], v[0], c->k & 4, &flag);
    out[3] = adder(c->t, 0, 0, false, &flag);
}

static void mixed_chains(CaseList *l, PtxType t) {
    const char *n = ptx_type_name(t);
    static const char *const ops[] = {"add", "sub"};
    for (int k = 0; k < 8; k++) {
        const char *first = ops[k & 1], *second = ops[k >> 1 & 1], *third = ops[k >> 2];
        const Case c = {
            .t = t,
            .k = k,
            .in = {t, t, t, t},
            .out = {t, t, t, t},
            .ref = ref_mixed,
            .no_immediate = true,
            .body = case_text(
                l,
                "%s.cc.%s %%d, %%a, %%b; %sc.cc.%s %%q, %%c, %%e; %sc.cc.%s %%r, %%e, %%a; "
                "addc.%s %%s, 0, 0;",
                first, n, second, n, third, n, n)};
        case_add(l, &c, "%s.cc.%s %sc.cc %sc.cc addc", first, n, second, third);
    }
    const Case c = {.t = t,
                    .k = 8 | 2,
                    .in = {t, t, t, t},
                    .out = {t, t, t, t},
                    .ref = ref_mixed,
                    .no_immediate = true,
                    .body = case_text(l,
                                      "mad.lo.cc.%s %%d, %%a, %%b, %%c; subc.cc.%s %%q, %%c, %%e; "
                                      "madc.hi.cc.%s %%r, %%b, %%c, %%e; addc.%s %%s, 0, 0;",
                                      n, n, n, n)};
    case_add(l, &c, "mad.lo.cc.%s subc.cc madc.hi.cc addc", n);
}

static void chains(CaseList *l, PtxType t) {
    const char *n = ptx_type_name(t);
    bool is_unsigned = t == PTX_U32 || t == PTX_U64;
    Case c = {.t = t, .in = {t, t, t, t}, .out = {t, t}, .ref = ref_chain, .no_immediate = true};
    c.op = PTX_ADD;
    c.body = case_text(l, "add.cc.%s %%d, %%a, %%c; addc.%s %%q, %%b, %%e;", n, n);
    case_add(l, &c, "add.cc.%s addc.%s", n, n);
    c.op = PTX_SUB;
    c.body = case_text(l, "sub.cc.%s %%d, %%a, %%c; subc.%s %%q, %%b, %%e;", n, n);
    case_add(l, &c, "sub.cc.%s subc.%s", n, n);
    c = (Case){.t = t, .in = {t, t}, .out = {t, t}, .ref = ref_chain_flag, .no_immediate = true};
    c.op = PTX_ADD;
    c.body = case_text(l, "add.cc.%s %%d, %%a, %%b; addc.cc.%s %%q, 0, 0;", n, n);
    case_add(l, &c, "addc.cc.%s", n);
    c.op = PTX_SUB;
    c.body = case_text(l, "sub.cc.%s %%d, %%a, %%b; subc.cc.%s %%q, 0, 0;", n, n);
    case_add(l, &c, "subc.cc.%s", n);
    if (!is_unsigned) return;
    c = (Case){.op = PTX_MAD,
               .t = t,
               .in = {t, t, t, t},
               .out = {t, t},
               .ref = ref_chain,
               .no_immediate = true};
    c.body = case_text(l, "mad.lo.cc.%s %%d, %%a, %%b, %%c; madc.hi.%s %%q, %%a, %%b, %%e;", n, n);
    case_add(l, &c, "mad.lo.cc.%s madc.hi.%s", n, n);
    c.body = case_text(
        l,
        "add.cc.%s %%d, 0, 0; madc.lo.cc.%s %%d, %%a, %%b, %%c; madc.hi.cc.%s %%q, %%a, %%b, %%e;",
        n, n, n);
    case_add(l, &c, "madc.lo.cc.%s madc.hi.cc.%s", n, n);
    c.body = case_text(l,
                       "mad.lo.%s %%d, %%a, %%b, %%c; mad.lo.cc.%s %%q, %%a, %%b, %%c; mad.hi.%s "
                       "%%q, %%a, %%b, %%e;"
                       "addc.%s %%q, %%q, 0;",
                       n, n, n, n);
    case_add(l, &c, "mad.lo.cc.%s addc.%s", n, n);
}

// ---- dot products and differences ----

static void ref_packed(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint32_t a = (uint32_t)in[i][0], b = (uint32_t)in[i][1], z = (uint32_t)in[i][2];
    bool s2 = c->t2 == PTX_S32, s3 = c->t3 == PTX_S32, s = c->t == PTX_S32;
    switch (c->op) {
    case PTX_DP4A: out[0] = ref_dot(1, s, s2, false, a, b, z); break;
    case PTX_DP2A: out[0] = ref_dot(2, s, s2, c->part == PTX_PART_HI, a, b, z); break;
    case PTX_VABSDIFF4: out[0] = ref_vabsdiff(1, s2, s3, s, c->flag, c->sat, a, b, z); break;
    case PTX_VABSDIFF2: out[0] = ref_vabsdiff(2, s2, s3, s, c->flag, c->sat, a, b, z); break;
    default: {  // vabsdiff
        int64_t x = (int64_t)ref_ext(c->t2, a), y = (int64_t)ref_ext(c->t3, b),
                d = x > y ? x - y : y - x;
        if (c->sat && d > (s ? INT32_MAX : UINT32_MAX)) d = s ? INT32_MAX : UINT32_MAX;
        // the difference is not cut before the second operation
        int64_t r = d, w = (int64_t)ref_ext(c->t, z);
        if (c->k == PTX_ATOM_ADD) r += w;
        if (c->k == PTX_ATOM_MIN) r = r < w ? r : w;
        if (c->k == PTX_ATOM_MAX) r = r > w ? r : w;
        out[0] = (uint64_t)r;
    }
    }
}

static void packed(CaseList *l) {
    static const PtxType t32[] = {PTX_U32, PTX_S32};
    static const char *const op2[] = {"", ".add", ".min", ".max"};
    for (int k = 0; k < 4; k++) {
        PtxType ta = t32[k & 1], tb = t32[k >> 1],
                td = ta == PTX_S32 || tb == PTX_S32 ? PTX_S32 : PTX_U32;
        Case c = {
            .op = PTX_DP4A, .t = ta, .t2 = tb, .in = {ta, tb, td}, .out = {td}, .ref = ref_packed};
        case_add(l, &c, "dp4a.%s.%s", ptx_type_name(ta), ptx_type_name(tb));
        c.op = PTX_DP2A;
        for (int hi = 0; hi < 2; hi++) {
            c.part = hi ? PTX_PART_HI : PTX_PART_LO;
            case_add(l, &c, "dp2a.%s.%s.%s", hi ? "hi" : "lo", ptx_type_name(ta),
                     ptx_type_name(tb));
        }
    }
    for (int k = 0; k < 8; k++)
        for (int mods = 0; mods < 4; mods++)
            for (int halves = 0; halves < 2; halves++) {
                PtxType td = t32[k & 1], ta = t32[k >> 1 & 1], tb = t32[k >> 2];
                bool add = mods & 1, sat = mods & 2;
                if (add && sat) continue;
                case_add(l,
                         &(Case){.op = halves ? PTX_VABSDIFF2 : PTX_VABSDIFF4,
                                 .t = td,
                                 .t2 = ta,
                                 .t3 = tb,
                                 .flag = add,
                                 .sat = sat,
                                 .in = {ta, tb, td},
                                 .out = {td},
                                 .ref = ref_packed},
                         "vabsdiff%d.%s.%s.%s%s", halves ? 2 : 4, ptx_type_name(td),
                         ptx_type_name(ta), ptx_type_name(tb),
                         add       ? ".add"
                             : sat ? ".sat"
                                   : "");
            }
    for (int k = 0; k < 8; k++)
        for (int o = 0; o < 4; o++) {
            static const int atoms[] = {PTX_ATOM_NONE, PTX_ATOM_ADD, PTX_ATOM_MIN, PTX_ATOM_MAX};
            PtxType td = t32[k & 1], ta = t32[k >> 1 & 1], tb = t32[k >> 2];
            bool sat = o & 1;
            Case c = {.op = PTX_VABSDIFF,
                      .t = td,
                      .t2 = ta,
                      .t3 = tb,
                      .k = atoms[o],
                      .sat = sat,
                      .in = {ta, tb, td},
                      .out = {td},
                      .ref = ref_packed};
            c.body = case_text(l, "vabsdiff.%s.%s.%s%s%s %%d, %%a, %%b%s;", ptx_type_name(td),
                               ptx_type_name(ta), ptx_type_name(tb), sat ? ".sat" : "", op2[o],
                               o ? ", %c" : "");
            case_add(l, &c, "vabsdiff.%s.%s.%s%s%s", ptx_type_name(td), ptx_type_name(ta),
                     ptx_type_name(tb), sat ? ".sat" : "", op2[o]);
        }
}

void cases_int(CaseList *l) {
    static const PtxOp ops[] = {PTX_ADD, PTX_SUB, PTX_DIV, PTX_REM, PTX_MIN, PTX_MAX};
    for (int k = 0; k < 6; k++) {
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) two_sources(l, ops[o], all[k]);
        products(l, all[k]);
        Case sad = {.op = PTX_SAD,
                    .t = all[k],
                    .in = {all[k], all[k], all[k]},
                    .out = {all[k]},
                    .ref = ref_arith};
        case_add(l, &sad, "sad.%s", ptx_type_name(all[k]));
        if (ptx_type_is_signed(all[k])) {
            Case one = {
                .op = PTX_ABS, .t = all[k], .in = {all[k]}, .out = {all[k]}, .ref = ref_arith};
            case_add(l, &one, "abs.%s", ptx_type_name(all[k]));
            one.op = PTX_NEG;
            case_add(l, &one, "neg.%s", ptx_type_name(all[k]));
        }
        if (ptx_type_bytes(all[k]) > 2) chains(l, all[k]);
    }
    for (int sub = 0; sub < 2; sub++)
        case_add(l,
                 &(Case){.op = sub ? PTX_SUB : PTX_ADD,
                         .t = PTX_S32,
                         .sat = true,
                         .in = {PTX_S32, PTX_S32},
                         .out = {PTX_S32},
                         .ref = ref_arith},
                 "%s.sat.s32", sub ? "sub" : "add");
    products24(l);
    packed(l);
}

void cases_carry(CaseList *l) {
    for (int k = 0; k < 6; k++)
        if (ptx_type_bytes(all[k]) > 2) mixed_chains(l, all[k]);
}
