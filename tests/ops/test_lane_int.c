// SPDX-License-Identifier: Apache-2.0
// Integer lane functions against 128-bit arithmetic and bit loops.
#include "lanetest.h"

static uint64_t seed = 0x1234567;

static uint64_t value(PtxType t) { return ref_value(t, &seed); }

static const PtxType ints[] = {PTX_U16, PTX_S16, PTX_U32, PTX_S32, PTX_U64, PTX_S64};

static void check_pair(uint64_t a, uint64_t b) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    EXPECT("mulhi.u64", lane_mulhi_u64(a, b), ref_mul(PTX_U64, PTX_PART_HI, a, b),
           "0x%" PRIx64 " 0x%" PRIx64, a, b);
    EXPECT("mulhi.s64", lane_mulhi_s64(a, b), ref_mul(PTX_S64, PTX_PART_HI, a, b),
           "0x%" PRIx64 " 0x%" PRIx64, a, b);
    EXPECT("div.u64", lane_div_u64(a, b), ref_div(PTX_U64, false, a, b), "0x%" PRIx64 " 0x%" PRIx64,
           a, b);
    EXPECT("rem.u64", lane_rem_u64(a, b), ref_div(PTX_U64, true, a, b), "0x%" PRIx64 " 0x%" PRIx64,
           a, b);
    EXPECT("div.s64", lane_div_s64(a, b), ref_div(PTX_S64, false, a, b), "0x%" PRIx64 " 0x%" PRIx64,
           a, b);
    EXPECT("rem.s64", lane_rem_s64(a, b), ref_div(PTX_S64, true, a, b), "0x%" PRIx64 " 0x%" PRIx64,
           a, b);
    EXPECT("div.u32", lane_div_u32(x, y), ref_div(PTX_U32, false, a, b), "0x%x 0x%x", x, y);
    EXPECT("rem.u32", lane_rem_u32(x, y), ref_div(PTX_U32, true, a, b), "0x%x 0x%x", x, y);
    EXPECT("div.s32", lane_div_s32(x, y), ref_div(PTX_S32, false, a, b), "0x%x 0x%x", x, y);
    EXPECT("rem.s32", lane_rem_s32(x, y), ref_div(PTX_S32, true, a, b), "0x%x 0x%x", x, y);
    for (int k = 0; k < 4; k++) {
        bool s = k & 1, hi = k & 2;
        uint64_t p =
            ref_mul(PTX_S64, PTX_PART_LO, s ? (uint64_t)((int64_t)(a << 40) >> 40) : a & 0xffffff,
                    s ? (uint64_t)((int64_t)(b << 40) >> 40) : b & 0xffffff);
        EXPECT("mul24", lane_mul24(x, y, s, hi), (uint32_t)(hi ? p >> 16 : p), "0x%x 0x%x %d", x, y,
               k);
    }
    for (int k = 0; k < 4; k++)
        EXPECT("shf", lane_shf(x, y, (uint32_t)seed & 127, k & 1, k & 2),
               ref_shf(k & 1, k & 2, x, y, (uint32_t)seed & 127), "0x%x 0x%x 0x%x %d", x, y,
               (uint32_t)seed & 127, k);
}

static void test_pairs(void **state) {
    (void)state;
    const uint64_t *e;
    int n = ref_edges(PTX_U64, &e);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) check_pair(e[i], e[k]);
    for (int i = 0; i < 50000; i++) check_pair(value(PTX_U64), value(PTX_U64));
}

static void test_shifts(void **state) {
    (void)state;
    for (int i = 0; i < 50000; i++) {
        uint64_t a = value(PTX_U64);
        uint32_t n = i % 3 ? (uint32_t)i % 70 : (uint32_t)value(PTX_U32), x = (uint32_t)a;
        EXPECT("shl", lane_shl32(x, n), ref_shift(PTX_U32, true, x, n), "0x%x %u", x, n);
        EXPECT("shr", lane_shr_u32(x, n), ref_shift(PTX_U32, false, x, n), "0x%x %u", x, n);
        EXPECT("shr", lane_shr_s32(x, n), ref_shift(PTX_S32, false, x, n), "0x%x %u", x, n);
        EXPECT("shl", lane_shl64(a, n), ref_shift(PTX_U64, true, a, n), "0x%" PRIx64 " %u", a, n);
        EXPECT("shr", lane_shr_u64(a, n), ref_shift(PTX_U64, false, a, n), "0x%" PRIx64 " %u", a,
               n);
        EXPECT("shr", lane_shr_s64(a, n), ref_shift(PTX_S64, false, a, n), "0x%" PRIx64 " %u", a,
               n);
    }
}

static void check_fields(PtxType t, uint64_t a, uint64_t b, uint32_t pos, uint32_t len) {
    int bits = 8 * ptx_type_bytes(t);
    bool s = ptx_type_is_signed(t);
    EXPECT("bfe", lane_bfe(a, pos, len, bits, s), ref_bfe(t, ref_low(t, a), pos, len),
           "%s 0x%" PRIx64 " 0x%x 0x%x", ptx_type_name(t), a, pos, len);
    EXPECT("bfi", lane_bfi(a, b, pos, len, bits), ref_bfi(bits, a, ref_low(t, b), pos, len),
           "%s 0x%" PRIx64 " 0x%" PRIx64 " 0x%x 0x%x", ptx_type_name(t), a, b, pos, len);
    for (int k = 0; k < 2; k++)
        EXPECT("bfind", lane_bfind(a, bits, s, k), ref_bfind(t, k, ref_low(t, a)), "%s 0x%" PRIx64,
               ptx_type_name(t), a);
}

static void test_fields(void **state) {
    (void)state;
    for (int i = 2; i < 6; i++) {
        for (uint32_t pos = 0; pos < 72; pos++)
            for (uint32_t len = 0; len < 72; len++)
                check_fields(ints[i], value(ints[i]), value(ints[i]), pos, len);
        for (int k = 0; k < 20000; k++)
            check_fields(ints[i], value(ints[i]), value(ints[i]), (uint32_t)value(PTX_U32),
                         (uint32_t)value(PTX_U32));
    }
}

static int ones(uint64_t v) {
    int n = 0;
    for (; v; v >>= 1) n += (int)(v & 1);
    return n;
}

static void test_counting(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t a = value(PTX_U64), rev = 0, lead = 0;
        uint32_t x = (uint32_t)a;
        for (int k = 0; k < 64; k++) rev |= (a >> k & 1) << (63 - k);
        while (lead < 64 && !(a >> (63 - lead) & 1)) lead++;
        EXPECT("brev", lane_brev64(a), rev, "0x%" PRIx64, a);
        EXPECT("brev", lane_brev32((uint32_t)(a >> 32)), (uint32_t)rev, "0x%" PRIx64, a);
        EXPECT("clz", lane_clz64(a), lead, "0x%" PRIx64, a);
        EXPECT("clz", lane_clz32((uint32_t)(a >> 32)), lead > 32 ? 32 : lead, "0x%" PRIx64, a);
        EXPECT("popc", (uint64_t)__builtin_popcount(x), (uint64_t)ones(x), "0x%x", x);
    }
}

static void test_bytes(void **state) {
    (void)state;
    for (int i = 0; i < 60000; i++) {
        uint32_t a = (uint32_t)value(PTX_U32), b = (uint32_t)value(PTX_U32),
                 c = (uint32_t)value(PTX_U32);
        int k = i & 31;
        for (int m = 0; m < 7; m++)
            EXPECT("prmt", lane_prmt(a, b, c, (uint8_t)m), ref_prmt((PtxPrmt)m, a, b, c),
                   "0x%x 0x%x 0x%x mode %d", a, b, c, m);
        EXPECT("dp4a", lane_dp4a(a, b, c, k & 1, k & 2), ref_dot(1, k & 1, k & 2, false, a, b, c),
               "0x%x 0x%x 0x%x %d", a, b, c, k);
        EXPECT("dp2a", lane_dp2a(a, b, c, k & 1, k & 2, k & 4),
               ref_dot(2, k & 1, k & 2, k & 4, a, b, c), "0x%x 0x%x 0x%x %d", a, b, c, k);
        for (int halves = 0; halves < 2; halves++)
            EXPECT("vabsdiff", lane_vabsdiff(a, b, c, k & 1, k & 2, k & 4, halves, k & 8, k & 16),
                   ref_vabsdiff(halves ? 2 : 1, k & 1, k & 2, k & 4, k & 8, k & 16, a, b, c),
                   "0x%x 0x%x 0x%x %d halves %d", a, b, c, k, halves);
        EXPECT("lop3", lane_lop3(a, b, c, (uint8_t)i), ref_lop3(a, b, c, (uint8_t)i),
               "0x%x 0x%x 0x%x lut 0x%x", a, b, c, i & 255);
    }
}

static void test_masks(void **state) {
    (void)state;
    for (int i = 0; i < 40000; i++) {
        uint32_t a = (uint32_t)value(PTX_U32),
                 b = i % 2 ? (uint32_t)value(PTX_U32) : (uint32_t)i % 40;
        uint32_t c = (uint32_t)i % 3 ? (uint32_t)i / 40 % 80 - 40 : (uint32_t)value(PTX_U32);
        for (int k = 0; k < 4; k++) {
            EXPECT("szext", lane_szext(a, b, k & 1, k & 2), ref_szext(k & 1, k & 2, a, b),
                   "0x%x 0x%x %d", a, b, k);
            EXPECT("bmsk", lane_bmsk(c, b, k & 2), ref_bmsk(k & 2, c, b), "0x%x 0x%x %d", c, b, k);
        }
        EXPECT("fns", lane_fns(a, b, c), ref_fns(a, b, (int32_t)c), "0x%x 0x%x 0x%x", a, b, c);
    }
}

static void test_atomics(void **state) {
    (void)state;
    static const PtxType types[] = {PTX_U32, PTX_S32, PTX_U64, PTX_S64, PTX_F32, PTX_F64, PTX_U16};
    static const IsaType lanes[] = {ISA_U32, ISA_S32, ISA_U64, ISA_S64, ISA_F32, ISA_F64, ISA_U16};
    for (int t = 0; t < 7; t++)
        for (int op = PTX_ATOM_ADD; op <= PTX_ATOM_CAS; op++) {
            bool floating = ptx_type_is_float(types[t]);
            if (floating && op != PTX_ATOM_ADD && op != PTX_ATOM_EXCH) continue;
            if ((op == PTX_ATOM_INC || op == PTX_ATOM_DEC) && ptx_type_is_signed(types[t]))
                continue;
            for (int i = 0; i < 4000; i++) {
                uint64_t old = value(types[t]), b = i % 4 ? value(types[t]) : old,
                         c = value(types[t]);
                for (int global = 0; global < 2; global++)
                    EXPECT("atomic", lane_atomic((uint8_t)op, lanes[t], global, old, b, c),
                           ref_atomic((PtxAtom)op, types[t], global, old, b, c),
                           "%s op %d global %d 0x%" PRIx64 " 0x%" PRIx64, ptx_type_name(types[t]),
                           op, global, old, b);
            }
        }
}

static void test_compare(void **state) {
    (void)state;
    static const PtxCmp cmps[] = {PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE};
    for (int i = 0; i < 40000; i++) {
        uint64_t a = value(PTX_U64), b = i % 5 ? value(PTX_U64) : a;
        for (int k = 0; k < 6; k++) {
            EXPECT("compare", lane_cmp_s64((IsaCmp)k, (int64_t)a, (int64_t)b),
                   ref_compare(PTX_S64, cmps[k], false, a, b), "0x%" PRIx64 " 0x%" PRIx64 " %d", a,
                   b, k);
            EXPECT("compare", lane_cmp_u64((IsaCmp)k, a, b),
                   ref_compare(PTX_U64, cmps[k], false, a, b), "0x%" PRIx64 " 0x%" PRIx64 " %d", a,
                   b, k);
        }
    }
}

int main(void) {
    lanetest_fault = getenv("SMCOSIM_TEST_FAULT");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_fields),  cmocka_unit_test(test_counting),
        cmocka_unit_test(test_bytes),   cmocka_unit_test(test_masks),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
