// SPDX-License-Identifier: Apache-2.0
// Floating-point lane functions against MPFR: every rounding, .ftz, .sat, edge operands with each
// other and random ones.
#include "lanetest.h"

enum { RANDOM = 20000 };
static const PtxRound modes[] = {PTX_RN, PTX_RZ, PTX_RM, PTX_RP};
static const IsaRound lane_modes[] = {ISA_RN, ISA_RZ_, ISA_RM, ISA_RP};

typedef struct Pick {  // operands: edges x edges first, then random
    PtxType t;
    const uint64_t *edges;
    int n, i, total;
    uint64_t state;
} Pick;

static Pick pick_open(PtxType t, int random) {
    Pick p = {.t = t, .state = 0x9e3779b97f4a7c15ull};
    p.n = ref_edges(t, &p.edges);
    p.total = p.n * p.n + random;
    return p;
}
static bool pick(Pick *p, uint64_t v[3]) {
    if (p->i >= p->total) return false;
    bool edge = p->i < p->n * p->n;
    v[0] = edge ? p->edges[p->i / p->n] : ref_value(p->t, &p->state);
    v[1] = edge ? p->edges[p->i % p->n] : ref_value(p->t, &p->state);
    v[2] = ref_value(p->t, &p->state);
    p->i++;
    return true;
}

static uint64_t lane32(RefOp op, IsaRound r, bool ftz, bool sat, const uint64_t v[3]) {
    uint32_t a = (uint32_t)v[0], b = (uint32_t)v[1], c = (uint32_t)v[2];
    switch (op) {
    case REF_ADD: return lane_f32_add(a, b, r, ftz, sat);
    case REF_SUB: return lane_f32_add(a, b ^ 0x80000000u, r, ftz, sat);
    case REF_MUL: return lane_f32_mul(a, b, r, ftz, sat);
    case REF_FMA: return lane_f32_fma(a, b, c, r, ftz, sat);
    case REF_DIV: return lane_f32_div(a, b, r, ftz);
    case REF_RCP: return lane_f32_rcp(a, r, ftz);
    default: return lane_f32_sqrt(a, r, ftz);
    }
}
static uint64_t lane64(RefOp op, IsaRound r, const uint64_t v[3]) {
    switch (op) {
    case REF_ADD: return lane_f64_add(v[0], v[1], r);
    case REF_SUB: return lane_f64_add(v[0], v[1] ^ 1ull << 63, r);
    case REF_MUL: return lane_f64_mul(v[0], v[1], r);
    case REF_FMA: return lane_f64_fma(v[0], v[1], v[2], r);
    case REF_DIV: return lane_f64_div(v[0], v[1], r);
    case REF_RCP: return lane_f64_rcp(v[0], r);
    default: return lane_f64_sqrt(v[0], r);
    }
}

static const char *const op_names[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};

static void check_op(RefOp op, PtxType t) {
    bool sat_exists = op <= REF_FMA && t == PTX_F32;
    char name[32];
    snprintf(name, sizeof name, "%s.%s", op_names[op], ptx_type_name(t));
    for (int m = 0; m < 4; m++)
        for (int flags = 0; flags < (t == PTX_F32 ? (sat_exists ? 4 : 2) : 1); flags++) {
            bool ftz = flags & 1, sat = flags & 2;
            Pick p = pick_open(t, RANDOM / 4);
            uint64_t v[3];
            while (pick(&p, v)) {
                uint64_t got = t == PTX_F32 ? lane32(op, lane_modes[m], ftz, sat, v)
                                            : lane64(op, lane_modes[m], v);
                EXPECT(name, got, ref_fp(op, t, modes[m], ftz, sat, v[0], v[1], v[2]),
                       "0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " mode %d ftz %d sat %d", v[0],
                       v[1], v[2], m, ftz, sat);
            }
        }
}

static void test_f32(void **state) {
    (void)state;
    for (int op = REF_ADD; op <= REF_SQRT; op++) check_op((RefOp)op, PTX_F32);
}
static void test_f64(void **state) {
    (void)state;
    for (int op = REF_ADD; op <= REF_SQRT; op++) check_op((RefOp)op, PTX_F64);
}

// Sums that cancel or lie a hair beside a tie: where a second rounding would show.
static void test_fma_ties(void **state) {
    (void)state;
    uint64_t s = 77;
    for (int i = 0; i < 100000; i++) {
        uint64_t r = ref_random(&s), q = ref_random(&s);
        uint64_t v[3] = {0x3f800000 | (r & 0x7fffff), 0x3f800000 | (r >> 32 & 0x7fffff), 0};
        // c near -a*b, or so small that it only breaks a tie
        uint32_t product = lane_b32(-lane_f32((uint32_t)v[0]) * lane_f32((uint32_t)v[1]));
        v[2] = q & 1 ? product + (uint32_t)(q >> 1 & 7) - 3
                     : (q >> 8 & 0x80ffffff) | (q >> 40 & 31) << 23;
        int m = (int)(q >> 60 & 3);
        EXPECT("fma.f32", lane32(REF_FMA, lane_modes[m], false, false, v),
               ref_fp(REF_FMA, PTX_F32, modes[m], false, false, v[0], v[1], v[2]),
               "0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " mode %d", v[0], v[1], v[2], m);
    }
}

static void test_fma64_alignment(void **state) {
    (void)state;
    uint64_t s = 99;
    for (int i = 0; i < 60000; i++) {
        uint64_t v[3];
        int base = 300 + (int)(ref_random(&s) % 1400);
        for (int k = 0; k < 3; k++) {
            int e = k < 2 ? (base + 1023) / 2 : base + (int)(ref_random(&s) % 260) - 130;
            uint64_t m = ref_random(&s) & 0xfffffffffffff;
            if (ref_random(&s) % 4 == 0) m &= m << 40;
            if (e < 0) e = 0;
            if (e > 2046) e = 2046;
            v[k] = (ref_random(&s) & 1) << 63 | (uint64_t)e << 52 | m;
        }
        int m = (int)(ref_random(&s) & 3);
        EXPECT("fma.f64", lane64(REF_FMA, lane_modes[m], v),
               ref_fp(REF_FMA, PTX_F64, modes[m], false, false, v[0], v[1], v[2]),
               "0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " mode %d", v[0], v[1], v[2], m);
    }
}

// ---- results about the least normal number, where .ftz makes its decision ----

// An f32 of the exponent e (the value's) with random bits, mostly few.
static uint32_t single(uint64_t *s, int e) {
    const uint64_t r = ref_random(s);
    const uint32_t m = (uint32_t)(r & 0x7fffff),
                   few = r >> 32 & 1 ? m & (uint32_t)(r >> 40) << 15 : m >> 18;
    return (uint32_t)(e + 127) << 23 | (r >> 33 & 1 ? m : few & 0x7fffff);
}
static uint32_t nudged(uint32_t a, uint64_t *s) { return a + (uint32_t)(ref_random(s) % 7) - 3; }
static uint32_t sign_of(uint64_t *s) { return (uint32_t)(ref_random(s) & 1) << 31; }

// Operands whose result is about 2^-126.
static void about_least(RefOp op, uint64_t v[3], uint64_t *s) {
    const int e = (int)(ref_random(s) % 100) - 110;
    const uint32_t one = single(s, op == REF_MUL ? e : op == REF_DIV ? 2 + e / -2 : 0);
    const uint32_t negative = sign_of(s);
    switch (op) {
    case REF_MUL:
        v[0] = one | negative;
        v[1] = nudged(lane_b32((float)(0x1p-126 / (double)lane_f32(one))), s) | sign_of(s);
        break;
    case REF_FMA:  // +-2^-126 and a product from 2^-23 to 2^-50 of it, or nothing but the product
        v[0] = single(s, -70) | negative;
        v[1] = single(s, -126 - 23 - (int)(ref_random(s) % 27) + 70) |
            (negative ^ (ref_random(s) % 8 ? 1u << 31 : 0));
        v[2] = 0x00800000u;
        if (ref_random(s) & 1) v[1] ^= 1u << 31, v[2] ^= 1u << 31;
        break;
    case REF_DIV:
        v[0] = nudged(lane_b32((float)((double)lane_f32(one) * 0x1p-126)), s) | sign_of(s);
        v[1] = one | negative;
        break;
    default: v[0] = nudged(0x7e800000u, s) | negative; break;
    }
}

static void test_least(void **state) {
    (void)state;
    static const RefOp ops[] = {REF_MUL, REF_FMA, REF_DIV, REF_RCP};
    uint64_t s = 126;
    int flushed[4] = {0}, kept[4] = {0};
    for (int i = 0; i < 200000; i++) {
        const int k = i % 4, m = (int)(ref_random(&s) % 4);
        const bool ftz = i % 16 >= 4, sat = k < 2 && ref_random(&s) % 8 == 0;
        uint64_t v[3] = {0};
        char name[32];
        about_least(ops[k], v, &s);
        const uint64_t grid = ref_fp(ops[k], PTX_F32, modes[m], false, false, v[0], v[1], v[2]);
        const uint64_t want = ref_fp(ops[k], PTX_F32, modes[m], ftz, sat, v[0], v[1], v[2]);
        if (ftz && !sat && (grid & 0x7fffffff) == 0x00800000) (want == grid ? kept : flushed)[k]++;
        snprintf(name, sizeof name, "%s.f32", op_names[ops[k]]);
        EXPECT(name, lane32(ops[k], lane_modes[m], ftz, sat, v), want,
               "0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " mode %d ftz %d sat %d", v[0], v[1], v[2],
               m, ftz, sat);
        if (ops[k] == REF_DIV && modes[m] == PTX_RN && (v[1] & 0x7fffffff) <= 0x7e800000) {
            EXPECT("div.f32", lane_f32_div_approx((uint32_t)v[0], (uint32_t)v[1], ftz), want,
                   "approx");
            EXPECT("div.f32", lane_f32_div_full((uint32_t)v[0], (uint32_t)v[1], ftz), want, "full");
        }
    }
    // Both decisions occurred for each.
    for (int k = 0; k < 4; k++) assert_true(flushed[k] > 100 && kept[k] > 100);
}

static void test_least_cvt(void **state) {
    (void)state;
    uint64_t s = 127;
    int flushed = 0, kept = 0;
    for (int i = 0; i < 100000; i++) {
        const uint64_t r = ref_random(&s), by = r >> (8 + (r & 63) % 56) & ((1ull << 31) - 1);
        const uint64_t a =
            (0x3810000000000000ull + (r & 64 ? by : 0 - (r & 128 ? by & ~0xfffffffull : by))) |
            r << 63;
        const int m = (int)(r >> 60 & 3);
        const bool ftz = i % 4, sat = r >> 58 & 1;
        const uint64_t grid = ref_cvt(PTX_F32, PTX_F64, modes[m], false, false, a);
        const uint64_t want = ref_cvt(PTX_F32, PTX_F64, modes[m], ftz, sat, a);
        if (ftz && !sat && (grid & 0x7fffffff) == 0x00800000)
            *(want == grid ? &kept : &flushed) += 1;
        EXPECT("cvt", lane_cvt(ISA_F32, ISA_F64, lane_modes[m], ftz, sat, a), want,
               "0x%" PRIx64 " mode %d ftz %d sat %d", a, m, ftz, sat);
    }
    assert_true(flushed > 100 && kept > 100);
}

static uint32_t f16_of(float x) {
    return (uint32_t)ref_cvt(PTX_F16, PTX_F32, PTX_RN, false, false, lane_b32(x));
}
static float of_f16(uint32_t a) {
    return lane_f32((uint32_t)ref_cvt(PTX_F32, PTX_F16, PTX_RN, false, false, a));
}

// Products of f16 about 2^-14; and +-2^-14 with a product from 2^-11 to 2^-14 of it.
static void test_least_half(void **state) {
    (void)state;
    uint64_t s = 14;
    int flushed[2] = {0}, kept[2] = {0};
    for (int i = 0; i < 200000; i++) {
        const uint64_t r = ref_random(&s);
        const uint32_t sign = (uint32_t)(r >> 8 & 0x8000), bits = (uint32_t)(r >> 24 & 0x3ff);
        const bool fma = r & 1, ftz = r & 6, sat = (r & 24) == 0;
        uint32_t a, b, c = 0;
        if (fma) {
            a = sign | (r & 32 ? 0x0c00 : 0x0800);  // 2^-12, 2^-13
            b = (r & 64 ? 0x0800 : 0x0400) | (r & 128 ? bits : 0);
            c = 0x0400 | (r & 0x700 ? sign ^ 0x8000 : sign);
        } else {
            b = 0x2000 | bits;  // 2^-7
            a = sign | (f16_of(0x1p-14f / of_f16(b)) + (uint32_t)(r >> 40) % 4 - 2);
        }
        const RefOp op = fma ? REF_FMA : REF_MUL;
        const LaneHalfMods mods = {.ftz = ftz, .sat = sat};
        const uint64_t grid = ref_fp(op, PTX_F16, PTX_RN, false, false, a, b, c);
        const uint64_t want = ref_fp(op, PTX_F16, PTX_RN, ftz, sat, a, b, c);
        if (ftz && !sat && (grid & 0x7fff) == 0x0400) (want == grid ? kept : flushed)[fma]++;
        EXPECT("half", lane_half_op(fma ? LANE_HFMA : LANE_HMUL, ISA_F16, a, b, c, &mods), want,
               "0x%x 0x%x 0x%x ftz %d sat %d", a, b, c, ftz, sat);
    }
    for (int k = 0; k < 2; k++) assert_true(flushed[k] > 100 && kept[k] > 100);
}

static void test_min_max(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        PtxType t = wide ? PTX_F64 : PTX_F32;
        Pick p = pick_open(t, RANDOM);
        uint64_t v[3];
        while (pick(&p, v))
            for (int k = 0; k < (wide ? 2 : 4); k++) {
                bool max = k & 1, ftz = k & 2;
                uint64_t got = wide
                    ? lane_f64_minmax(v[0], v[1], max)
                    : lane_f32_minmax((uint32_t)v[0], (uint32_t)v[1], max, false, ftz);
                EXPECT("minmax", got, ref_min_max(t, max, ftz, v[0], v[1]),
                       "0x%" PRIx64 " 0x%" PRIx64 " max %d ftz %d", v[0], v[1], max, ftz);
            }
    }
    assert_int_equal(lane_f32_minmax(0x7fc00001, 0x3f800000, true, true, false), LANE_NAN32);
}

static void test_compare(void **state) {
    (void)state;
    static const PtxCmp cmps[] = {PTX_EQ,  PTX_NE,  PTX_LT,  PTX_LE,  PTX_GT,  PTX_GE,  PTX_EQU,
                                  PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN};
    for (int wide = 0; wide < 2; wide++) {
        PtxType t = wide ? PTX_F64 : PTX_F32;
        Pick p = pick_open(t, 2000);
        uint64_t v[3];
        while (pick(&p, v))
            for (int k = 0; k < 14; k++) {
                bool ftz = !wide && (v[2] & 1);
                bool got = wide ? lane_cmp_f64((IsaCmp)k, v[0], v[1])
                                : lane_cmp_f32((IsaCmp)k, (uint32_t)v[0], (uint32_t)v[1], ftz);
                EXPECT("compare", got, ref_compare(t, cmps[k], ftz, v[0], v[1]),
                       "0x%" PRIx64 " 0x%" PRIx64 " comparison %d ftz %d", v[0], v[1], k, ftz);
            }
    }
}

// ---- conversion ----

static const PtxType cvt_types[] = {PTX_U8,  PTX_S8,  PTX_U16, PTX_S16, PTX_U32, PTX_S32,
                                    PTX_U64, PTX_S64, PTX_F16, PTX_F32, PTX_F64};

static void check_cvt(int d, int s, int rnd, bool ftz, bool sat) {
    static const PtxRound rounds[] = {PTX_RN,  PTX_RZ,  PTX_RM,  PTX_RP,
                                      PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI};
    PtxType td = cvt_types[d], ts = cvt_types[s];
    Pick p = pick_open(ts, 0);
    p.total = p.n + 1500;
    for (p.i = 0; p.i < p.total; p.i++) {
        uint64_t a = p.i < p.n ? p.edges[p.i] : ref_value(ts, &p.state);
        EXPECT("cvt", lane_cvt((IsaType)d, (IsaType)s, (IsaRound)rnd, ftz, sat, a),
               ref_cvt(td, ts, rounds[rnd], ftz, sat, a),
               "%s from %s 0x%" PRIx64 " mode %d ftz %d sat %d", ptx_type_name(td),
               ptx_type_name(ts), a, rnd, ftz, sat);
    }
}

static void test_cvt(void **state) {
    (void)state;
    for (int d = 0; d < 11; d++)
        for (int s = 0; s < 11; s++)
            for (int rnd = 0; rnd < 8; rnd++) {
                bool fd = d >= ISA_F16, fs = s >= ISA_F16;
                if (rnd >= ISA_RNI && (!fs || (fd && d != s))) continue;
                if (!fd && !fs && rnd) continue;
                for (int flags = 0; flags < 4; flags++) check_cvt(d, s, rnd, flags & 1, flags & 2);
            }
}

// Every f16 value converts to f32 and f64 exactly and back to itself.
static void test_f16_round_trip(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        uint64_t f = lane_cvt(ISA_F32, ISA_F16, ISA_RN, false, false, h);
        uint64_t d = lane_cvt(ISA_F64, ISA_F16, ISA_RN, false, false, h);
        bool nan = (h & 0x7fff) > 0x7c00;
        EXPECT("f16", lane_cvt(ISA_F16, ISA_F32, ISA_RN, false, false, f), nan ? 0x7fff : h, "0x%x",
               h);
        EXPECT("f16", lane_cvt(ISA_F16, ISA_F64, ISA_RN, false, false, d), nan ? 0x7fff : h, "0x%x",
               h);
    }
}

typedef struct SmallForm {
    IsaType d, s;
    PtxType pd, ps;
} SmallForm;

static void check_small(const SmallForm *f, IsaRound rnd, bool relu, bool satfinite, uint64_t a) {
    const PtxRound round = rnd == ISA_RNA ? PTX_RNA : rnd == ISA_RN ? PTX_RN : PTX_RZ;
    const LaneCvtMods m = {.relu = relu, .satfinite = satfinite};
    uint64_t want = ref_cvt_small(f->pd, f->ps, round, relu, satfinite, a);
    if (f->d == ISA_TF32) want = want == 0x3ffff ? LANE_NAN32 : want << 13;
    EXPECT("small", lane_cvt_mods(f->d, f->s, rnd, &m, a), want,
           "%s from %s 0x%" PRIx64 ", round %d, relu %d, satfinite %d", ptx_type_name(f->pd),
           ptx_type_name(f->ps), a, rnd, relu, satfinite);
}

// Every byte and every half; of f32 all exponents with fractions around the places where results
// change.
static void test_small(void **state) {
    static const SmallForm forms[] = {
        {ISA_F16, ISA_E4M3, PTX_F16, PTX_E4M3X2}, {ISA_F16, ISA_E5M2, PTX_F16, PTX_E5M2X2},
        {ISA_E4M3, ISA_F16, PTX_E4M3X2, PTX_F16}, {ISA_E5M2, ISA_F16, PTX_E5M2X2, PTX_F16},
        {ISA_E4M3, ISA_F32, PTX_E4M3X2, PTX_F32}, {ISA_E5M2, ISA_F32, PTX_E5M2X2, PTX_F32},
        {ISA_F16, ISA_F32, PTX_F16, PTX_F32},     {ISA_BF16, ISA_F32, PTX_BF16, PTX_F32},
        {ISA_TF32, ISA_F32, PTX_TF32, PTX_F32}};
    (void)state;
    for (int k = 0; k < 9; k++) {
        const SmallForm *f = &forms[k];
        const bool from_f32 = f->s == ISA_F32;
        const uint64_t count = f->s == ISA_F16 ? 65536 : from_f32 ? 512 * 96 : 256;
        for (uint64_t i = 0; i < count; i++) {
            static const uint32_t cuts[] = {0,      1,      0xfff,    0x1000,
                                            0x1001, 0x8000, 0x7fffff, 0x700000};
            const uint32_t fraction = (uint32_t)(i / 512 % 12 << 19) + cuts[i / 512 / 12];
            const uint64_t a = from_f32 ? (uint32_t)(i % 512) << 23 | (fraction & 0x7fffff) : i;
            for (int flags = 0; flags < 4; flags++) {
                check_small(f, ISA_RN, flags & 1, flags & 2, a);
                if (from_f32 && f->d != ISA_E4M3 && f->d != ISA_E5M2)
                    check_small(f, ISA_RZ_, flags & 1, flags & 2, a);
                if (f->d == ISA_TF32) check_small(f, ISA_RNA, flags & 1, flags & 2, a);
            }
        }
    }
}

static void test_signs(void **state) {
    (void)state;
    assert_int_equal(lane_f32_neg(0x7fc12345, false), 0xffc12345);
    assert_int_equal(lane_f32_neg(0x7fc12345, true), LANE_NAN32);
    assert_int_equal(lane_f32_neg(0x00000001, true), 0x80000000);
    assert_int_equal(lane_f32_abs(0x80000001, true), 0);
    assert_int_equal(lane_f32_abs(0x80000001, false), 1);
    assert_int_equal(lane_f32_abs(0xffc00001, false), 0x7fc00001);
}

int main(void) {
    lanetest_fault = getenv("SMCOSIM_TEST_FAULT");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_f32),
                                       cmocka_unit_test(test_f64),
                                       cmocka_unit_test(test_fma_ties),
                                       cmocka_unit_test(test_fma64_alignment),
                                       cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_least_cvt),
                                       cmocka_unit_test(test_least_half),
                                       cmocka_unit_test(test_min_max),
                                       cmocka_unit_test(test_compare),
                                       cmocka_unit_test(test_cvt),
                                       cmocka_unit_test(test_f16_round_trip),
                                       cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
