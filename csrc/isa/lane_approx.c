// SPDX-License-Identifier: Apache-2.0
// Approximate functions of PTX: computed in double by + - * / sqrt alone, so that every machine
// gives the same bits, then rounded once to f32. Errors are far below the limits of the PTX manual.
#include "isa/lane.h"

static double evaluate_polynomial(double x, const double *c, int n) {
    double r = c[n - 1];
    for (int i = n - 2; i >= 0; i--) r = r * x + c[i];
    return r;
}
#define HORNER(x, c) evaluate_polynomial(x, c, (int)(sizeof(c) / sizeof *(c)))

// Nearest integer for |x| < 2^51.
static double round_nearest(double x) {
    const double magic = 6755399441055744.0;  // 1.5 * 2^52
    return (x + magic) - magic;
}

static double power_of_two(int n) { return lane_f64((uint64_t)(n + 1023) << 52); }

// 2^x for |x| < 1000; relative error below 2^-45.
static double exp2_double(double x) {
    static const double c[] = {1.0,         1.0,          1.0 / 2,       1.0 / 6,
                               1.0 / 24,    1.0 / 120,    1.0 / 720,     1.0 / 5040,
                               1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
    const double ln2 = 0.69314718055994530942;
    double n = round_nearest(x);
    return HORNER((x - n) * ln2, c) * power_of_two((int)n);
}

static uint32_t approx_ex2(float x) {
    if (x != x) return LANE_NAN32;
    if (x >= 128.0f) return 0x7f800000u;
    if (x < -151.0f) return 0;
    return lane_b32((float)exp2_double(x));
}

static uint32_t approx_lg2(float x) {
    static const double c[] = {1.0,     1.0 / 3,  1.0 / 5,  1.0 / 7,
                               1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15};
    const double two_log2e = 2.8853900817779268147;
    if (x != x || x < 0) return LANE_NAN32;
    if (x == 0) return 0xff800000u;
    if (isinf(x)) return lane_b32(x);
    uint64_t bits = lane_b64((double)x);
    int e = (int)(bits >> 52) - 1023;
    double m = lane_f64((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1) / (m + 1);  // log m = 2 atanh s
    return lane_b32((float)(e + s * HORNER(s * s, c) * two_log2e));
}

// ---- sine and cosine ----

// Fraction bits of 2/pi, first word first.
static const uint32_t two_over_pi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                       0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

// 96 bits of 2/pi from fraction bit `first` (1 is the bit of weight 1/2).
static unsigned __int128 two_over_pi_bits(int first) {
    unsigned __int128 w = 0;
    int word = (first - 1) / 32, skip = (first - 1) % 32;
    for (int i = 0; i < 4; i++) w = w << 32 | two_over_pi[word + i];
    return (w << skip) >> 32;
}

// x = quadrant * pi/2 + r with |r| <= pi/4, for finite x of any size.
static double reduce_angle(float x, int *quadrant) {
    const double two_pi_inv = 0.63661977236758134308, half_pi = 1.57079632679489661923;
    if (fabsf(x) < 1048576.0f) {
        // Two leading parts of pi/2 with 33 bits each: their products with q < 2^20 are exact.
        const double p1 = 0x1.921fb544p+0, p2 = 0x1.0b4611a6p-34, p3 = 0x1.3198a2e037073p-69;
        double q = round_nearest(x * two_pi_inv);
        *quadrant = (int)((int64_t)q & 3);
        return ((x - q * p1) - q * p2) - q * p3;
    }
    // x = m * 2^e; of m * 2^e * 2/pi only the last two integer bits and the fraction matter.
    uint32_t bits = lane_b32(x);
    int e = (int)(bits >> 23 & 255) - 150, first = e - 1 > 1 ? e - 1 : 1;
    unsigned __int128 p = two_over_pi_bits(first) * ((bits & 0x7fffff) | 0x800000);
    int point = first + 95 - e;  // fraction bits of p, 94 or more
    int q = (int)(p >> point) & 3;
    unsigned __int128 fraction = p & (((unsigned __int128)1 << point) - 1);
    bool up = fraction >> (point - 1);
    if (up) {
        fraction = ((unsigned __int128)1 << point) - fraction;
        q++;
    }
    double r = (double)(uint64_t)(fraction >> (point - 64)) * 0x1p-64 * half_pi;
    if (up) r = -r;
    bool neg = bits >> 31;
    *quadrant = (neg ? -q : q) & 3;
    return neg ? -r : r;
}

// sin x, or cos x when shift is 1.
static uint32_t approx_sin(float x, int shift) {
    static const double s[] = {1.0,          -1.0 / 6,        1.0 / 120,       -1.0 / 5040,
                               1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
    static const double c[] = {1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
                               1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};
    if (!(fabsf(x) <= 3.4028234663852886e38f)) return LANE_NAN32;
    if (x == 0 && !shift) return lane_b32(x);
    int q;
    double r = reduce_angle(x, &q);
    q += shift;
    double v = q & 1 ? HORNER(r * r, c) : r * HORNER(r * r, s);
    return lane_b32((float)(q & 2 ? -v : v));
}

static uint32_t approx_tanh(float x) {
    static const double c[] = {
        1.0,         -1.0 / 3,         2.0 / 15,          -17.0 / 315,
        62.0 / 2835, -1382.0 / 155925, 21844.0 / 6081075, -929569.0 / 638512875};
    const double two_log2e = 2.8853900817779268147;
    if (x != x) return LANE_NAN32;
    double a = fabs((double)x), r;
    if (a < 0.25) r = a * HORNER(a * a, c);
    else if (a > 20) r = 1;
    else r = 1 - 2 / (exp2_double(a * two_log2e) + 1);
    return lane_b32((float)(signbit(x) ? -r : r));
}

static uint32_t approx_rsqrt(float x) {
    if (x != x || x < 0) return LANE_NAN32;
    return lane_b32((float)(1.0 / sqrt((double)x)));
}

uint32_t lane_mufu(IsaMufu f, uint32_t a, bool ftz) {
    if (ftz) a = lane_f32_flush(a);
    float x = lane_f32(a);
    uint32_t r = LANE_NAN32;
    switch (f) {
    case ISA_MUFU_RCP: r = lane_f32_canon(1.0f / x); break;
    case ISA_MUFU_SQRT: r = x < 0 ? LANE_NAN32 : lane_f32_canon(sqrtf(x)); break;
    case ISA_MUFU_RSQ: r = approx_rsqrt(x); break;
    case ISA_MUFU_SIN: r = approx_sin(x, 0); break;
    case ISA_MUFU_COS: r = approx_sin(x, 1); break;
    case ISA_MUFU_EX2: r = approx_ex2(x); break;
    case ISA_MUFU_LG2: r = approx_lg2(x); break;
    case ISA_MUFU_TANH: r = approx_tanh(x); break;
    }
    // None of them is one that only the grid of subnormal numbers rounds up to 2^-126.
    return ftz ? lane_f32_flush(r) : r;
}

uint32_t lane_f32_div_approx(uint32_t a, uint32_t b, bool ftz) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b), size = fabsf(y);
    if (size > 0x1p126f && !isinf(size) && x == x) {
        if (isinf(x)) return LANE_NAN32;
        return (a ^ b) & 0x80000000u;
    }
    const uint32_t r = lane_f32_finish(lane_f32_canon(x / y), ftz, false);
    return ftz && lane_f32_is_least(r) ? lane_f32_div_least(a, b, ISA_RN, r) : r;
}

uint32_t lane_f32_div_full(uint32_t a, uint32_t b, bool ftz) {
    return lane_f32_div(a, b, ISA_RN, ftz);
}

// ---- f64 ----

// Nearest value whose low 32 bits are zero; carries into the exponent are right.
static uint64_t upper_half(double r) { return (lane_b64(r) + 0x80000000u) & 0xffffffff00000000ull; }

static uint64_t flush_f64(uint64_t a) {
    return a & 0x7ff0000000000000ull ? a : a & 0x8000000000000000ull;
}

uint64_t lane_dmufu(IsaMufu f, uint64_t a, bool ftz) {
    bool root = f == ISA_MUFU_RSQ, upper = ftz || !root;
    double x = lane_f64(a);
    if (x != x) return lane_f64_nan(a, 0, 0);
    if (upper) x = lane_f64(flush_f64(a & 0xffffffff00000000ull));
    if (root && x < 0) return LANE_NAN64;
    double r = root ? 1.0 / sqrt(x) : 1.0 / x;
    if (isinf(r) || !upper) return lane_b64(r);
    return flush_f64(upper_half(r));
}
