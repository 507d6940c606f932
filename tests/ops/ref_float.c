// SPDX-License-Identifier: Apache-2.0
// Floating-point reference on MPFR. A number format is set by MPFR's precision and exponent range,
// so that every operation rounds exactly once, subnormals included (mpfr_subnormalize).
#include "ref.h"

#include <math.h>
#include <string.h>

typedef struct Format {
    int width, precision;
    mpfr_exp_t emin, emax;  // MPFR's convention: significand in [1/2, 1)
} Format;

static Format format_of(PtxType t) {
    if (t == PTX_F16) return (Format){16, 11, -23, 16};
    if (t == PTX_BF16) return (Format){16, 8, -132, 128};
    if (t == PTX_F32) return (Format){32, 24, -148, 128};
    if (t == PTX_TF32) return (Format){19, 11, -135, 128};
    if (t == PTX_E4M3X2) return (Format){8, 4, -8, 9};
    if (t == PTX_E5M2X2) return (Format){8, 3, -15, 16};
    return (Format){64, 53, -1073, 1024};
}

static bool is_nan(PtxType t, uint64_t v) {
    Format f = format_of(t);
    uint64_t ones = ((1ull << (f.width - f.precision)) - 1) << (f.precision - 1);
    uint64_t sign = 1ull << (f.width - 1);
    return (v & (sign - 1)) > ones;
}

static uint64_t flush(PtxType t, uint64_t v) {
    Format f = format_of(t);
    uint64_t ones = ((1ull << (f.width - f.precision)) - 1) << (f.precision - 1);
    return v & ones ? v : v & 1ull << (f.width - 1);
}

static mpfr_rnd_t mpfr_mode(PtxRound r) {
    switch (r) {
    case PTX_RZ:
    case PTX_RZI: return MPFR_RNDZ;
    case PTX_RM:
    case PTX_RMI: return MPFR_RNDD;
    case PTX_RP:
    case PTX_RPI: return MPFR_RNDU;
    default: return MPFR_RNDN;
    }
}

// Widest range and enough precision to hold any operand exactly.
static void open_range(void) {
    mpfr_set_emin(-100000);
    mpfr_set_emax(100000);
}

static void set_bits(mpfr_t x, PtxType t, uint64_t v) {
    Format f = format_of(t);
    uint64_t fraction = v & ((1ull << (f.precision - 1)) - 1);
    int ones = (1 << (f.width - f.precision)) - 1;
    int e = (int)(v >> (f.precision - 1)) & ones, bias = ones / 2;
    bool neg = v >> (f.width - 1) & 1;
    if (e == ones) {
        if (fraction) mpfr_set_nan(x);
        else mpfr_set_inf(x, neg ? -1 : 1);
        return;
    }
    if (e) fraction |= 1ull << (f.precision - 1);
    else e = 1;
    mpfr_set_ui_2exp(x, fraction, e - bias - (f.precision - 1), MPFR_RNDN);
    if (neg) mpfr_neg(x, x, MPFR_RNDN);
}

// Bits of a value that the format holds exactly.
static uint64_t get_bits(const mpfr_t x, PtxType t) {
    Format f = format_of(t);
    uint64_t sign = mpfr_signbit(x) ? 1ull << (f.width - 1) : 0;
    uint64_t ones = ((1ull << (f.width - f.precision)) - 1) << (f.precision - 1);
    if (mpfr_inf_p(x)) return sign | ones;
    if (mpfr_zero_p(x)) return sign;
    mpfr_exp_t e;
    mpfr_t m;
    mpfr_init2(m, f.precision);
    mpfr_set(m, x, MPFR_RNDN);
    mpfr_abs(m, m, MPFR_RNDN);
    e = mpfr_get_exp(m);                     // value = 0.1xxx * 2^e
    long lowest = f.emin - 1 + f.precision;  // exponent (MPFR's) of the smallest normal
    long unit = (e > lowest ? e : lowest) - f.precision;
    mpfr_mul_2si(m, m, -unit, MPFR_RNDN);
    uint64_t r = mpfr_get_ui(m, MPFR_RNDN);
    mpfr_clear(m);
    if (e <= lowest - 1) return sign | r;  // subnormal
    return sign |
        (((uint64_t)(e - lowest + 1) << (f.precision - 1)) + (r - (1ull << (f.precision - 1))));
}

// Rounds in the format: enter before the operation, leave with its ternary value.
static void enter_format(Format f) {
    mpfr_set_emin(f.emin);
    mpfr_set_emax(f.emax);
}
static uint64_t leave_format(mpfr_t r, int ternary, PtxType t, mpfr_rnd_t rnd) {
    ternary = mpfr_check_range(r, ternary, rnd);
    mpfr_subnormalize(r, ternary, rnd);
    open_range();
    return get_bits(r, t);
}

// Of a value that the open range rounded to the format's digits: is it below the format's normal
// numbers?
static bool is_below(const mpfr_t r, Format f) {
    return mpfr_regular_p(r) && mpfr_get_exp(r) < f.emin - 1 + f.precision;
}

static uint64_t canonical(PtxType t, uint64_t a, uint64_t b, uint64_t c) {
    if (t == PTX_F16 || t == PTX_BF16) return 0x7fff;
    if (t == PTX_F32) return 0x7fffffff;
    const uint64_t v[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (is_nan(t, v[i])) return v[i] | 0x0008000000000000ull;
    return 0xfff8000000000000ull;
}

static uint64_t saturate(PtxType t, uint64_t v) {
    if (is_nan(t, v)) return 0;
    mpfr_t x;
    mpfr_init2(x, 64);
    set_bits(x, t, v);
    uint64_t one = t == PTX_F16 ? 0x3c00
        : t == PTX_BF16         ? 0x3f80
        : t == PTX_F32          ? 0x3f800000
                                : 0x3ff0000000000000ull;
    if (mpfr_sgn(x) <= 0) v = 0;
    else if (mpfr_cmp_ui(x, 1) > 0) v = one;
    mpfr_clear(x);
    return v;
}

static int operate(RefOp op, mpfr_t r, const mpfr_t a, const mpfr_t b, const mpfr_t c,
                   mpfr_rnd_t rnd) {
    switch (op) {
    case REF_ADD: return mpfr_add(r, a, b, rnd);
    case REF_SUB: return mpfr_sub(r, a, b, rnd);
    case REF_MUL: return mpfr_mul(r, a, b, rnd);
    case REF_FMA: return mpfr_fma(r, a, b, c, rnd);
    case REF_DIV: return mpfr_div(r, a, b, rnd);
    case REF_RCP: return mpfr_ui_div(r, 1, a, rnd);
    default: return mpfr_sqrt(r, a, rnd);
    }
}

uint64_t ref_fp(RefOp op, PtxType t, PtxRound rnd, bool ftz, bool sat, uint64_t a, uint64_t b,
                uint64_t c) {
    Format f = format_of(t);
    mpfr_rnd_t mode = mpfr_mode(rnd);
    if (ftz) a = flush(t, a), b = flush(t, b), c = flush(t, c);
    open_range();
    mpfr_t x, y, z, r;
    mpfr_inits2(f.precision, x, y, z, r, (mpfr_ptr)0);
    set_bits(x, t, a);
    set_bits(y, t, b);
    set_bits(z, t, c);
    bool below = false;
    if (ftz) {  // judges the result that it would be if normal numbers went on below
        operate(op, r, x, y, z, mode);
        below = is_below(r, f);
    }
    enter_format(f);
    // Only the operands that the operation has may make a NaN.
    int ternary = operate(op, r, x, y, z, mode);
    uint64_t sign = t == PTX_F64 ? 1ull << 63 : 0, v;
    if (mpfr_nan_p(r)) {
        open_range();
        bool one = op == REF_RCP || op == REF_SQRT, three = op == REF_FMA;
        v = canonical(t, a, one ? 0 : op == REF_SUB ? b ^ sign : b, three ? c : 0);
    } else {
        v = leave_format(r, ternary, t, mode);
    }
    mpfr_clears(x, y, z, r, (mpfr_ptr)0);
    if (below) v &= 1ull << (f.width - 1);
    return sat ? saturate(t, v) : v;
}

uint64_t ref_min_max(PtxType t, bool max, bool ftz, uint64_t a, uint64_t b) {
    if (ftz) a = flush(t, a), b = flush(t, b);
    if (is_nan(t, a) && is_nan(t, b)) return canonical(t, a, b, 0);
    if (is_nan(t, a)) return b;
    if (is_nan(t, b)) return a;
    mpfr_t x, y;
    open_range();
    mpfr_inits2(64, x, y, (mpfr_ptr)0);
    set_bits(x, t, a);
    set_bits(y, t, b);
    int order = mpfr_cmp(x, y);
    if (order == 0) order = (mpfr_signbit(y) != 0) - (mpfr_signbit(x) != 0);  // -0 < +0
    mpfr_clears(x, y, (mpfr_ptr)0);
    return (order < 0) != max ? a : b;
}

bool ref_compare(PtxType t, PtxCmp cmp, bool ftz, uint64_t a, uint64_t b) {
    int order;
    if (ptx_type_is_float(t)) {
        if (ftz) a = flush(t, a), b = flush(t, b);
        bool unordered = is_nan(t, a) || is_nan(t, b);
        if (cmp == PTX_NUM) return !unordered;
        if (cmp == PTX_NAN) return unordered;
        if (unordered) return cmp >= PTX_EQU && cmp <= PTX_GEU;
        mpfr_t x, y;
        open_range();
        mpfr_inits2(64, x, y, (mpfr_ptr)0);
        set_bits(x, t, a);
        set_bits(y, t, b);
        order = mpfr_cmp(x, y);
        mpfr_clears(x, y, (mpfr_ptr)0);
    } else {
        RefS128 x = (int64_t)ref_ext(t, a), y = (int64_t)ref_ext(t, b);
        if (!ptx_type_is_signed(t)) x = ref_low(t, a), y = ref_low(t, b);
        order = x < y ? -1 : x > y;
    }
    switch (cmp) {
    case PTX_EQ:
    case PTX_EQU: return order == 0;
    case PTX_NE:
    case PTX_NEU: return order != 0;
    case PTX_LT:
    case PTX_LO:
    case PTX_LTU: return order < 0;
    case PTX_LE:
    case PTX_LS:
    case PTX_LEU: return order <= 0;
    case PTX_GT:
    case PTX_HI_CMP:
    case PTX_GTU: return order > 0;
    default: return order >= 0;
    }
}

// ---- conversion ----

static uint64_t clamp_to_int(PtxType d, mpfr_t x) {
    mpfr_t limit;
    int bits = 8 * ptx_type_bytes(d);
    bool is_signed = ptx_type_is_signed(d);
    mpfr_init2(limit, 80);
    mpfr_set_ui_2exp(limit, 1, bits - is_signed, MPFR_RNDN);
    uint64_t r;
    if (mpfr_cmp(x, limit) >= 0) {
        r = ~0ull >> (64 - bits + is_signed);
    } else if (mpfr_sgn(x) >= 0) {
        r = mpfr_get_uj(x, MPFR_RNDZ);
    } else if (!is_signed) {
        r = 0;
    } else {
        mpfr_neg(limit, limit, MPFR_RNDN);
        r = mpfr_cmp(x, limit) <= 0 ? (uint64_t)-1 << (bits - 1)
                                    : (uint64_t)mpfr_get_sj(x, MPFR_RNDZ);
    }
    mpfr_clear(limit);
    return r;
}

static void set_int(mpfr_t x, PtxType s, uint64_t a) {
    if (ptx_type_is_signed(s)) mpfr_set_sj(x, (int64_t)ref_ext(s, a), MPFR_RNDN);
    else mpfr_set_uj(x, ref_low(s, a), MPFR_RNDN);
}

static uint64_t float_from(PtxType d, PtxRound rnd, bool ftz, mpfr_t x) {
    Format f = format_of(d);
    mpfr_rnd_t mode = mpfr_mode(rnd);
    mpfr_t r;
    mpfr_init2(r, f.precision);
    int ternary = mpfr_set(r, x, mode);  // x may lie outside the format's range
    const bool below = ftz && is_below(r, f);
    enter_format(f);
    uint64_t v = leave_format(r, ternary, d, mode);
    mpfr_clear(r);
    return below ? v & 1ull << (f.width - 1) : v;
}

static uint64_t nan_to(PtxType d, PtxType s, uint64_t a) {
    if (!ptx_type_is_float(d)) {
        int bits = 8 * ptx_type_bytes(d);
        if (s != PTX_F64 && bits != 64) return 0;
        return ref_ext(d, 1ull << (bits - 1));
    }
    if (d != PTX_F64) return d == PTX_F32 ? 0x7fffffff : 0x7fff;
    if (s == PTX_F64) return a | 0x0008000000000000ull;
    int fraction = s == PTX_F32 ? 23 : s == PTX_BF16 ? 7 : 10, width = s == PTX_F32 ? 32 : 16;
    return (a >> (width - 1) & 1) << 63 | 0x7ff8000000000000ull |
        (a & ((1ull << fraction) - 1)) << (52 - fraction);
}

uint64_t ref_cvt(PtxType d, PtxType s, PtxRound rnd, bool ftz, bool sat, uint64_t a) {
    bool fs = ptx_type_is_float(s), fd = ptx_type_is_float(d), nan = false;
    a = ref_low(s, a);
    if (ftz && s == PTX_F32) a = flush(s, a);
    mpfr_t x;
    open_range();
    mpfr_init2(x, 64);
    uint64_t r;
    if (fs) set_bits(x, s, a);
    else set_int(x, s, a);
    if (fs && d == s && rnd < PTX_RNI && !ftz && !sat) {  // a move, of NaN too
        r = a;
    } else if (fs && is_nan(s, a)) {
        nan = true;
        r = nan_to(d, s, a);
    } else {
        bool integral = fs && (!fd || rnd >= PTX_RNI);
        if (integral) mpfr_rint(x, x, mpfr_mode(rnd));
        if (fd) r = float_from(d, integral ? PTX_RN : rnd, ftz && d == PTX_F32, x);
        else if (fs || sat) r = clamp_to_int(d, x);
        else r = ref_ext(d, ref_ext(s, a));
    }
    mpfr_clear(x);
    if (sat && fd) r = nan ? 0 : saturate(d, r);
    return r;
}

// Rounded to the digits of a format; RNA: to the nearer of both neighbors, the larger one when they
// are as near.
static int round_to(mpfr_t r, const mpfr_t x, PtxRound rnd) {
    if (rnd != PTX_RNA) return mpfr_set(r, x, mpfr_mode(rnd));
    mpfr_t low, below, above;
    mpfr_inits2(mpfr_get_prec(r), low, (mpfr_ptr)0);
    mpfr_inits2(128, below, above, (mpfr_ptr)0);
    mpfr_set(low, x, MPFR_RNDZ);
    mpfr_set(r, x, MPFR_RNDA);
    mpfr_sub(below, x, low, MPFR_RNDN);
    mpfr_sub(above, r, x, MPFR_RNDN);
    if (mpfr_cmpabs(below, above) < 0) mpfr_set(r, low, MPFR_RNDN);
    mpfr_clears(low, below, above, (mpfr_ptr)0);
    return mpfr_cmp(r, x);
}

// An element of e4m3x2 has numbers where other formats have infinities.
static void set_small(mpfr_t x, PtxType s, uint64_t a) {
    if (s == PTX_E4M3X2 && (a & 0x7f) == 0x7f) mpfr_set_nan(x);
    else if (s == PTX_E4M3X2 && (a & 0x78) == 0x78) {
        mpfr_set_ui_2exp(x, 8 | (a & 7), 5, MPFR_RNDN);
        if (a & 0x80) mpfr_neg(x, x, MPFR_RNDN);
    } else set_bits(x, s, a);
}

uint64_t ref_cvt_small(PtxType d, PtxType s, PtxRound rnd, bool relu, bool satfinite, uint64_t a) {
    const Format f = format_of(d);
    const uint64_t sign = 1ull << (f.width - 1);
    const bool e4m3 = d == PTX_E4M3X2;
    const uint64_t infinity =
        e4m3 ? 0x7f : ((1ull << (f.width - f.precision)) - 1) << (f.precision - 1);
    mpfr_t x, r;
    open_range();
    mpfr_init2(x, 64);
    mpfr_init2(r, f.precision);
    set_small(x, s, ref_low(s, a) & (s == PTX_E4M3X2 || s == PTX_E5M2X2 ? 0xff : ~0ull));
    uint64_t v;
    if (mpfr_nan_p(x)) v = d == PTX_TF32 ? 0x3ffff : f.width == 8 ? 0x7f : 0x7fff;
    else if (relu && mpfr_signbit(x)) v = 0;
    else {
        // Away from zero when subnormal numbers are near: twice rounded is wrong, so the digits
        // shrink first.
        const mpfr_exp_t e = mpfr_regular_p(x) ? mpfr_get_exp(x) : f.emax,
                         least = f.emin - 1 + f.precision;
        const long digits = e < least ? (long)(f.precision - (least - e)) : f.precision;
        mpfr_t one;
        mpfr_init2(one, 64);
        if (digits >= 1)
            mpfr_set_prec(r, digits < 2 && MPFR_PREC_MIN > 1 ? 2 : digits), round_to(r, x, rnd);
        else {  // below half of the least number, or from half of it up to it
            mpfr_set_prec(r, f.precision);
            mpfr_set_ui_2exp(one, 1, f.emin - 2, MPFR_RNDN);  // half of the least number
            const int half = mpfr_cmpabs(x, one);
            const bool up = rnd == PTX_RNA ? half >= 0 : rnd == PTX_RN && half > 0;
            mpfr_set_ui_2exp(r, up, f.emin - 1, MPFR_RNDN);
            if (mpfr_signbit(x)) mpfr_neg(r, r, MPFR_RNDN);
        }
        mpfr_clear(one);
        const bool over = mpfr_inf_p(r) || (mpfr_regular_p(r) && mpfr_get_exp(r) > f.emax);
        const uint64_t neg = mpfr_signbit(r) ? sign : 0;
        v = over ? neg | infinity : get_bits(r, d);
        if (rnd == PTX_RZ && over && !mpfr_inf_p(x)) v = neg | (infinity - 1);
        if (e4m3 && (v & 0x7f) >= 0x7f) v = neg | 0x7f;
        if (satfinite && (v & ~sign) == infinity) v--;
    }
    mpfr_clears(x, r, (mpfr_ptr)0);
    return v;
}

// ---- errors of approximations ----

static void exact_value(RefFn fn, mpfr_t r, const mpfr_t x) {
    switch (fn) {
    case REF_F_RCP: mpfr_ui_div(r, 1, x, MPFR_RNDN); break;
    case REF_F_SQRT: mpfr_sqrt(r, x, MPFR_RNDN); break;
    case REF_F_RSQRT:
        mpfr_rec_sqrt(r, x, MPFR_RNDN);
        if (mpfr_zero_p(x)) mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);  // PTX: -0 gives -infinity
        break;
    case REF_F_SIN: mpfr_sin(r, x, MPFR_RNDN); break;
    case REF_F_COS: mpfr_cos(r, x, MPFR_RNDN); break;
    case REF_F_EX2: mpfr_exp2(r, x, MPFR_RNDN); break;
    case REF_F_LG2: mpfr_log2(r, x, MPFR_RNDN); break;
    case REF_F_TANH: mpfr_tanh(r, x, MPFR_RNDN); break;
    }
}

typedef enum Measure { ULP, RELATIVE, ABSOLUTE } Measure;

static double measure(const mpfr_t exact, PtxType t, uint64_t got, Measure how) {
    Format f = format_of(t);
    if (mpfr_nan_p(exact)) return is_nan(t, got) ? 0 : HUGE_VAL;
    if (is_nan(t, got)) return HUGE_VAL;
    mpfr_t y, unit;
    mpfr_inits2(128, y, unit, (mpfr_ptr)0);
    set_bits(y, t, got);
    mpfr_set_ui_2exp(unit, 1, f.emax, MPFR_RNDN);
    double error;
    if (mpfr_inf_p(exact) || mpfr_inf_p(y) || mpfr_zero_p(exact)) {
        // The exact value may lie beyond the largest number by less than the bound.
        bool same = mpfr_equal_p(exact, y);
        bool over = mpfr_inf_p(y) && !mpfr_inf_p(exact) && mpfr_cmpabs(exact, unit) >= 0;
        error = same || over ? 0 : HUGE_VAL;
    } else {
        mpfr_exp_t e = mpfr_get_exp(exact) - f.precision, least = f.emin - 1;
        if (how == RELATIVE) mpfr_abs(unit, exact, MPFR_RNDN);
        else mpfr_set_ui_2exp(unit, 1, how == ABSOLUTE ? 0 : e > least ? e : least, MPFR_RNDN);
        mpfr_sub(y, y, exact, MPFR_RNDN);
        mpfr_div(y, y, unit, MPFR_RNDN);
        error = fabs(mpfr_get_d(y, MPFR_RNDA));
    }
    mpfr_clears(y, unit, (mpfr_ptr)0);
    return error;
}

static double error_of(RefFn fn, PtxType t, uint64_t x, uint64_t got, Measure how) {
    mpfr_t a, r;
    open_range();
    mpfr_inits2(128, a, r, (mpfr_ptr)0);
    set_bits(a, t, x);
    exact_value(fn, r, a);
    double e = measure(r, t, got, how);
    mpfr_clears(a, r, (mpfr_ptr)0);
    return e;
}

double ref_error_ulp(RefFn fn, PtxType t, uint64_t x, uint64_t got) {
    return error_of(fn, t, x, got, ULP);
}
double ref_error_relative(RefFn fn, PtxType t, uint64_t x, uint64_t got) {
    return error_of(fn, t, x, got, RELATIVE);
}
double ref_error_absolute(RefFn fn, PtxType t, uint64_t x, uint64_t got) {
    return error_of(fn, t, x, got, ABSOLUTE);
}

double ref_div_error_ulp(uint64_t a, uint64_t b, uint64_t got) {
    mpfr_t x, y;
    open_range();
    mpfr_inits2(128, x, y, (mpfr_ptr)0);
    set_bits(x, PTX_F32, a);
    set_bits(y, PTX_F32, b);
    mpfr_div(x, x, y, MPFR_RNDN);
    double e = measure(x, PTX_F32, got, ULP);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return e;
}
