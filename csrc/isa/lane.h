// SPDX-License-Identifier: Apache-2.0
// Arithmetic of PTX on one lane. The oracle and the SM's execution units both call these functions;
// the tests compare each function with MPFR or plain bit loops. Values are passed as bit patterns.
//
// These rules apply where PTX leaves a choice or refers to the hardware:
//   NaN     An f32 or f16 result that is NaN is 0x7fffffff (0x7fff). An f64 result is the first NaN
//           operand (a, b, c) made quiet, or 0xfff8000000000000 when no operand was NaN.
//           neg, abs and copysign without .ftz change only the sign bit, also of NaN; neg.ftz and
//           abs.ftz are arithmetic (NaN gives 0x7fffffff). A cvt to the same type without modifiers
//           is a move.
//
//   .ftz    Subnormal inputs become zero with their sign. The exact value of a result is rounded to
//           24 bits (f16: 11) with no bound on the exponent. The result becomes zero if that value
//           is below the least normal number. So a result is also zero if only the spacing of
//           subnormal numbers would round it up to that number. An H100 behaves in this way. For
//           sums of f32 the rule equals flushing the result, because a sum below 2^-125 is exact.
//           Atomic sums of f32 flush in global memory, but not in shared memory.
//
//   .sat    clamps to [+0, 1]; NaN and -0 give +0.
//
//   min/max NaN loses against a number; -0 < +0.
//
//   x/0     integer quotient and remainder are all ones; INT_MIN / -1 is INT_MIN, remainder 0.
//
//   fp8     NaN of an e4m3 or e5m2 is 0x7f, without a sign. A cvt with .relu turns -0 and negative
//           numbers into +0 and keeps NaN. With .satfinite, infinities and values beyond the
//           largest number become that number, with their sign.
//
//   to int  Out of range clamps. NaN gives 0 if the source is not f64 and the destination not 64
//           bits wide, else the most significant bit alone.
//
//   Shifts by the width or more give 0 (or the sign).
// No function reads or changes the floating-point environment. No function calls a libm function
// whose result could differ between machines. They use only + - * / sqrt, fma and rounding to
// integral, which IEEE fixes.
#ifndef SMCOSIM_ISA_LANE_H
#define SMCOSIM_ISA_LANE_H

#include "isa/isa.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANE_NAN32 0x7fffffffu
#define LANE_NAN64 0xfff8000000000000ull
#define LANE_NAN16 0x7fffu

static inline float lane_f32(uint32_t b) {
    float f;
    memcpy(&f, &b, 4);
    return f;
}
static inline uint32_t lane_b32(float f) {
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
static inline double lane_f64(uint64_t b) {
    double f;
    memcpy(&f, &b, 8);
    return f;
}
static inline uint64_t lane_b64(double f) {
    uint64_t b;
    memcpy(&b, &f, 8);
    return b;
}

// ---- f32 ----

static inline bool lane_f32_is_nan(uint32_t a) { return (a & 0x7fffffffu) > 0x7f800000u; }
static inline uint32_t lane_f32_flush(uint32_t a) {
    return (a & 0x7f800000u) ? a : a & 0x80000000u;
}
static inline uint32_t lane_f32_canon(float r) { return r != r ? LANE_NAN32 : lane_b32(r); }
static inline uint32_t lane_f32_saturate(uint32_t r) {
    float f = lane_f32(r);
    return f > 1.0f ? 0x3f800000u : f > 0.0f ? r : 0u;
}
static inline uint32_t lane_f32_finish(uint32_t r, bool ftz, bool sat) {
    if (ftz) r = lane_f32_flush(r);
    return sat ? lane_f32_saturate(r) : r;
}
static inline bool lane_f32_is_least(uint32_t a) { return (a & 0x7fffffffu) == 0x00800000u; }

// The f32 next to f in direction rnd. Here f is the nearest f32 to s, and v = s + e is the exact
// value. The error |e| is at most half an ulp (double) of s.
static inline uint32_t lane_f32_direct(double s, double e, IsaRound rnd) {
    float f = (float)s;
    uint32_t bits = lane_f32_canon(f);
    double d = (double)f;
    bool below = d < s || (d == s && e > 0);  // f < v
    bool above = d > s || (d == s && e < 0);
    bool negative = s < 0;
    bool up = below && (rnd == ISA_RP || (rnd == ISA_RZ_ && negative));
    bool down = above && (rnd == ISA_RM || (rnd == ISA_RZ_ && !negative));
    uint32_t away = bits + 1, toward = bits - 1;
    if (up) return bits >> 31 ? toward : away;
    if (down) return bits >> 31 ? away : toward;
    return bits;
}

// Error of s = a + b (exact for all f32-sized magnitudes).
static inline double lane_sum_error(double a, double b, double s) {
    double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

// Tests whether the exact s + e is below `least` when rounded with the precision of normal numbers.
// The error |e| is at most half an ulp of s. `half` is half the distance to the next such number.
// Used for values that the coarser spacing of subnormal numbers rounds to +-least. A tie rounds to
// `least`, because it is even.
static inline bool lane_rounds_below(double s, double e, double least, double half, IsaRound rnd) {
    const double size = fabs(s), rest = signbit(s) ? -e : e,
                 limit = rnd == ISA_RN ? least - half : least - 2 * half;
    return size < limit || (size == limit && (rnd == ISA_RN ? rest < 0 : rest <= 0));
}
static inline bool lane_f32_rounds_below(double s, double e, IsaRound rnd) {
    return lane_rounds_below(s, e, 0x1p-126, 0x1p-151, rnd);
}

// x + y of doubles that hold f32 sums or products exactly, rounded once to f32 in direction rnd.
static inline uint32_t lane_f32_sum_direct(double x, double y, IsaRound rnd) {
    double s = x + y, e = lane_sum_error(x, y, s);
    uint32_t r = lane_f32_direct(s, e, rnd);
    // An exact zero from operands that are not both +0 is -0 when rounding down.
    bool minus = rnd == ISA_RM && s == 0 && (signbit(x) || signbit(y));
    return minus ? 0x80000000u : r;
}

static inline uint32_t lane_f32_add(uint32_t a, uint32_t b, IsaRound rnd, bool ftz, bool sat) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b);
    uint32_t r = rnd == ISA_RN ? lane_f32_canon(x + y) : lane_f32_sum_direct(x, y, rnd);
    return lane_f32_finish(r, ftz, sat);
}

// Products, fused sums and quotients have a draft. A flushed draft of +-2^-126 may still have to
// become zero: lane_*_least decides this from the draft. Loops over lanes compute drafts without a
// branch, and afterwards look for drafts of +-2^-126.
uint32_t lane_f32_mul_least(uint32_t a, uint32_t b, IsaRound rnd, uint32_t draft);
uint32_t lane_f32_fma_least(uint32_t a, uint32_t b, uint32_t c, IsaRound rnd, uint32_t draft);
uint32_t lane_f32_div_least(uint32_t a, uint32_t b, IsaRound rnd, uint32_t draft);

static inline uint32_t lane_f32_mul_draft(uint32_t a, uint32_t b, IsaRound rnd, bool ftz,
                                          bool sat) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b);
    uint32_t r =
        rnd == ISA_RN ? lane_f32_canon(x * y) : lane_f32_direct((double)x * (double)y, 0, rnd);
    return lane_f32_finish(r, ftz, sat);
}
static inline uint32_t lane_f32_mul(uint32_t a, uint32_t b, IsaRound rnd, bool ftz, bool sat) {
    const uint32_t r = lane_f32_mul_draft(a, b, rnd, ftz, sat);
    return ftz && lane_f32_is_least(r) ? lane_f32_mul_least(a, b, rnd, r) : r;
}

static inline float lane_fmaf(float x, float y, float z) {
#ifdef __FMA__
    return __builtin_fmaf(x, y, z);
#else
    // The product is exact in double; rounding the sum to odd makes the second rounding harmless.
    double p = (double)x * (double)y, s = p + z, e = lane_sum_error(p, z, s);
    uint64_t bits = lane_b64(s);
    if ((e > 0 || e < 0) && !(bits & 1)) bits = (e > 0) == (s > 0) ? bits + 1 : bits - 1;
    return (float)lane_f64(bits);
#endif
}

static inline uint32_t lane_f32_fma_draft(uint32_t a, uint32_t b, uint32_t c, IsaRound rnd,
                                          bool ftz, bool sat) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b), c = lane_f32_flush(c);
    float x = lane_f32(a), y = lane_f32(b), z = lane_f32(c);
    uint32_t r = rnd == ISA_RN ? lane_f32_canon(lane_fmaf(x, y, z))
                               : lane_f32_sum_direct((double)x * (double)y, z, rnd);
    return lane_f32_finish(r, ftz, sat);
}
static inline uint32_t lane_f32_fma(uint32_t a, uint32_t b, uint32_t c, IsaRound rnd, bool ftz,
                                    bool sat) {
    const uint32_t r = lane_f32_fma_draft(a, b, c, rnd, ftz, sat);
    return ftz && lane_f32_is_least(r) ? lane_f32_fma_least(a, b, c, rnd, r) : r;
}

static inline uint32_t lane_f32_minmax(uint32_t a, uint32_t b, bool max, bool nan, bool ftz) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b);
    uint32_t low = max ? b : a, high = max ? a : b;
    uint32_t equal = max ? (a & b) : (a | b);  // equal bits, or zeros of both signs
    uint32_t r = x < y ? low : x > y ? high : equal;
    bool na = x != x, nb = y != y;
    r = na ? b : nb ? a : r;
    return (na && nb) || (nan && (na || nb)) ? LANE_NAN32 : r;
}

// Minimum or maximum of |a| and |b|, with the sign of a xor the sign of b.
static inline uint32_t lane_f32_xorsign(uint32_t a, uint32_t b, bool max, bool nan, bool ftz) {
    const uint32_t r = lane_f32_minmax(a & 0x7fffffffu, b & 0x7fffffffu, max, nan, ftz);
    return lane_f32_is_nan(r) ? r : r | ((a ^ b) & 0x80000000u);
}

static inline uint32_t lane_f32_neg(uint32_t a, bool ftz) {
    if (!ftz) return a ^ 0x80000000u;
    return lane_f32_is_nan(a) ? LANE_NAN32 : lane_f32_flush(a) ^ 0x80000000u;
}
static inline uint32_t lane_f32_abs(uint32_t a, bool ftz) {
    if (!ftz) return a & 0x7fffffffu;
    return lane_f32_is_nan(a) ? LANE_NAN32 : lane_f32_flush(a) & 0x7fffffffu;
}

uint32_t lane_f32_div(uint32_t a, uint32_t b, IsaRound rnd, bool ftz);
uint32_t lane_f32_rcp(uint32_t a, IsaRound rnd, bool ftz);
uint32_t lane_f32_sqrt(uint32_t a, IsaRound rnd, bool ftz);

// ---- halves (lane_half.c) ----

typedef enum LaneHalf { LANE_HADD, LANE_HMUL, LANE_HFMA, LANE_HMNMX } LaneHalf;
typedef struct LaneHalfMods {
    bool ftz, sat, relu;
    bool max, nan, xorsign;  // HMNMX
} LaneHalfMods;
// type ISA_F16, ISA_BF16 (low halves), ISA_F16X2 or ISA_BF16X2.
uint32_t lane_half_op(LaneHalf op, IsaType type, uint32_t a, uint32_t b, uint32_t c,
                      const LaneHalfMods *m);
// Compares low halves.
bool lane_half_compare(IsaCmp cmp, IsaType type, bool ftz, uint32_t a, uint32_t b);

// ---- f64 ----

static inline uint64_t lane_f64_nan(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t quiet = 1ull << 51, inf2 = 0xffe0000000000000ull;
    if (a << 1 > inf2) return a | quiet;
    if (b << 1 > inf2) return b | quiet;
    if (c << 1 > inf2) return c | quiet;
    return LANE_NAN64;
}
static inline uint64_t lane_f64_done(double r, uint64_t a, uint64_t b, uint64_t c) {
    return r != r ? lane_f64_nan(a, b, c) : lane_b64(r);
}
uint64_t lane_f64_fma_direct(uint64_t a, uint64_t b, uint64_t c, IsaRound rnd);
uint64_t lane_f64_mul_direct(uint64_t a, uint64_t b, IsaRound rnd);
uint64_t lane_f64_add_direct(uint64_t a, uint64_t b, IsaRound rnd);

static inline uint64_t lane_f64_add(uint64_t a, uint64_t b, IsaRound rnd) {
    if (rnd != ISA_RN) return lane_f64_add_direct(a, b, rnd);
    return lane_f64_done(lane_f64(a) + lane_f64(b), a, b, 0);
}
static inline uint64_t lane_f64_mul(uint64_t a, uint64_t b, IsaRound rnd) {
    if (rnd != ISA_RN) return lane_f64_mul_direct(a, b, rnd);
    return lane_f64_done(lane_f64(a) * lane_f64(b), a, b, 0);
}
static inline uint64_t lane_f64_fma(uint64_t a, uint64_t b, uint64_t c, IsaRound rnd) {
    if (rnd != ISA_RN) return lane_f64_fma_direct(a, b, c, rnd);
    return lane_f64_done(fma(lane_f64(a), lane_f64(b), lane_f64(c)), a, b, c);
}
static inline uint64_t lane_f64_minmax(uint64_t a, uint64_t b, bool max) {
    double x = lane_f64(a), y = lane_f64(b);
    bool na = x != x, nb = y != y;
    if (na && nb) return lane_f64_nan(a, b, 0);
    if (na || nb) return na ? b : a;
    if (x == y) return max ? (a & b) : (a | b);
    return (x < y) != max ? a : b;
}
uint64_t lane_f64_div(uint64_t a, uint64_t b, IsaRound rnd);
uint64_t lane_f64_rcp(uint64_t a, IsaRound rnd);
uint64_t lane_f64_sqrt(uint64_t a, IsaRound rnd);

// ---- approximate functions (lane_approx.c) ----
// Maximum errors relative to the exact value, asserted by the tests; the PTX manual allows more.
//   Correctly rounded f32: rcp, sqrt, div.approx (|b| <= 2^126), div.full.
//   Within 0.501 ulp, f32: rsqrt, sin, cos (every argument), ex2, lg2, tanh.
//   Within 2^-21 relative to the upper half of the argument, f64: rcp.approx.ftz, rsqrt.approx.ftz,
//     because they read only that half.
//   Within 1.5 ulp, f64: rsqrt.approx.

uint32_t lane_mufu(IsaMufu f, uint32_t a, bool ftz);
// div.approx: 2^126 < |b| < 2^128 gives 0 (NaN for infinite a), as the manual says.
uint32_t lane_f32_div_approx(uint32_t a, uint32_t b, bool ftz);
uint32_t lane_f32_div_full(uint32_t a, uint32_t b, bool ftz);
// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64 (upper 32 bits in and out); rsqrt.approx.f64 without
// ftz.
uint64_t lane_dmufu(IsaMufu f, uint64_t a, bool ftz);

// ---- conversion (lane_cvt.c) ----

// PTX cvt. `a` is the source in its low bytes; bits above the type are ignored. The result is in
// the low bytes. `type` sign- or zero-extends integers narrower than 64 bits to 64 bits.
uint64_t lane_cvt(IsaType type, IsaType stype, IsaRound rnd, bool ftz, bool sat, uint64_t a);
typedef struct LaneCvtMods {
    bool ftz, sat, relu, satfinite;
} LaneCvtMods;
uint64_t lane_cvt_mods(IsaType type, IsaType stype, IsaRound rnd, const LaneCvtMods *m, uint64_t a);

// ---- comparison ----

// Bit per outcome: 1 less, 2 equal, 4 greater, 8 unordered.
static inline unsigned lane_cmp_mask(IsaCmp cmp) {
    static const uint8_t mask[] = {2, 5, 1, 3, 4, 6, 10, 13, 9, 11, 12, 14, 7, 8};
    return mask[cmp];
}
static inline bool lane_cmp_f32(IsaCmp cmp, uint32_t a, uint32_t b, bool ftz) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b);
    return lane_cmp_mask(cmp) & (x < y ? 1u : x == y ? 2u : x > y ? 4u : 8u);
}
static inline bool lane_cmp_f64(IsaCmp cmp, uint64_t a, uint64_t b) {
    double x = lane_f64(a), y = lane_f64(b);
    return lane_cmp_mask(cmp) & (x < y ? 1u : x == y ? 2u : x > y ? 4u : 8u);
}
static inline bool lane_cmp_s64(IsaCmp cmp, int64_t a, int64_t b) {
    return lane_cmp_mask(cmp) & (a < b ? 1u : a == b ? 2u : 4u);
}
static inline bool lane_cmp_u64(IsaCmp cmp, uint64_t a, uint64_t b) {
    return lane_cmp_mask(cmp) & (a < b ? 1u : a == b ? 2u : 4u);
}

// ---- integers ----

static inline uint64_t lane_sext(uint64_t a, int bits) {
    int s = 64 - bits;
    return (uint64_t)((int64_t)(a << s) >> s);
}
static inline uint64_t lane_zext(uint64_t a, int bits) {
    return bits == 64 ? a : a & ((1ull << bits) - 1);
}

static inline uint64_t lane_mulhi_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline uint64_t lane_mulhi_s64(uint64_t a, uint64_t b) {
    return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}
// mul24/mad24: product of the low 24 bits; lo: bits 31..0, hi: bits 47..16.
static inline uint32_t lane_mul24(uint32_t a, uint32_t b, bool is_signed, bool hi) {
    int64_t x = is_signed ? (int64_t)lane_sext(a, 24) : (int64_t)(a & 0xffffff);
    int64_t y = is_signed ? (int64_t)lane_sext(b, 24) : (int64_t)(b & 0xffffff);
    return (uint32_t)(hi ? (uint64_t)(x * y) >> 16 : (uint64_t)(x * y));
}

static inline uint32_t lane_div_u32(uint32_t a, uint32_t b) { return b ? a / b : ~0u; }
static inline uint32_t lane_rem_u32(uint32_t a, uint32_t b) { return b ? a % b : ~0u; }
static inline uint64_t lane_div_u64(uint64_t a, uint64_t b) { return b ? a / b : ~0ull; }
static inline uint64_t lane_rem_u64(uint64_t a, uint64_t b) { return b ? a % b : ~0ull; }
static inline uint64_t lane_div_s64(uint64_t a, uint64_t b) {
    if (!b) return ~0ull;
    return b == ~0ull ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}
static inline uint64_t lane_rem_s64(uint64_t a, uint64_t b) {
    if (!b) return ~0ull;
    return b == ~0ull ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}
static inline uint32_t lane_div_s32(uint32_t a, uint32_t b) {
    return (uint32_t)lane_div_s64(lane_sext(a, 32), lane_sext(b, 32));
}
static inline uint32_t lane_rem_s32(uint32_t a, uint32_t b) {
    return (uint32_t)lane_rem_s64(lane_sext(a, 32), lane_sext(b, 32));
}

static inline uint32_t lane_shl32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a << n; }
static inline uint32_t lane_shr_u32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a >> n; }
static inline uint32_t lane_shr_s32(uint32_t a, uint32_t n) {
    return (uint32_t)((int32_t)a >> (n > 31 ? 31 : n));
}
static inline uint64_t lane_shl64(uint64_t a, uint32_t n) { return n > 63 ? 0 : a << n; }
static inline uint64_t lane_shr_u64(uint64_t a, uint32_t n) { return n > 63 ? 0 : a >> n; }
static inline uint64_t lane_shr_s64(uint64_t a, uint32_t n) {
    return (uint64_t)((int64_t)a >> (n > 63 ? 63 : n));
}
// Funnel shift of {hi:lo}: left returns the high word, right the low word.
static inline uint32_t lane_shf(uint32_t lo, uint32_t hi, uint32_t n, bool left, bool wrap) {
    uint64_t v = (uint64_t)hi << 32 | lo;
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    return (uint32_t)(left ? v << n >> 32 : v >> n);
}

// Bit field extract and insert; `bits` is 32 or 64.
static inline uint64_t lane_bfe(uint64_t a, uint32_t b, uint32_t c, int bits, bool is_signed) {
    uint32_t pos = b & 255, len = c & 255, top = (uint32_t)bits - 1;
    a = lane_zext(a, bits);
    bool sign = is_signed && len && (a >> (pos + len - 1 < top ? pos + len - 1 : top) & 1);
    uint64_t v = pos > 63 ? 0 : a >> pos;
    uint32_t have = pos > top ? 0 : (uint32_t)bits - pos;  // bits of a at and above pos
    uint32_t n = len < have ? len : have;
    uint64_t keep = n > 63 ? ~0ull : (1ull << n) - 1;
    return lane_zext((v & keep) | (sign ? ~keep : 0), bits);
}
static inline uint64_t lane_bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, int bits) {
    uint32_t pos = c & 255, len = d & 255;
    if (pos >= (uint32_t)bits || !len) return lane_zext(b, bits);
    uint64_t field = (len > 63 ? ~0ull : (1ull << len) - 1) << pos;
    return lane_zext((b & ~field) | (a << pos & field), bits);
}
// bfind: position of the highest one (of the highest bit that differs from the sign), ~0 if none.
static inline uint32_t lane_bfind(uint64_t a, int bits, bool is_signed, bool shiftamt) {
    uint64_t v = is_signed ? lane_sext(a, bits) : lane_zext(a, bits);
    if (is_signed && (int64_t)v < 0) v = ~v;
    if (!v) return ~0u;
    uint32_t pos = 63u - (uint32_t)__builtin_clzll(v);
    return shiftamt ? (uint32_t)bits - 1 - pos : pos;
}
static inline uint32_t lane_clz32(uint32_t a) { return a ? (uint32_t)__builtin_clz(a) : 32; }
static inline uint32_t lane_clz64(uint64_t a) { return a ? (uint32_t)__builtin_clzll(a) : 64; }
static inline uint32_t lane_brev32(uint32_t a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
static inline uint64_t lane_brev64(uint64_t a) {
    return (uint64_t)lane_brev32((uint32_t)a) << 32 | lane_brev32((uint32_t)(a >> 32));
}
// fns: the offset-th (1-based, negative: downwards) one of mask from bit `base` on; ~0 if none.
uint32_t lane_fns(uint32_t mask, uint32_t base, uint32_t offset);
// prmt; a supplies bytes 0..3, b bytes 4..7. mode is a PtxPrmt number.
uint32_t lane_prmt(uint32_t a, uint32_t b, uint32_t sel, uint8_t mode);

static inline uint32_t lane_bmsk(uint32_t a, uint32_t b, bool wrap) {
    if (!wrap && a > 31) return 0;
    uint32_t pos = a & 31, len = !wrap && b > 31 ? 32 : b & 31;
    uint64_t ones = len ? (1ull << len) - 1 : 0;
    return (uint32_t)(ones << pos);
}
static inline uint32_t lane_szext(uint32_t a, uint32_t b, bool is_signed, bool wrap) {
    if (!wrap && b > 31) return a;
    uint32_t n = b & 31;
    if (!n) return 0;
    return is_signed ? (uint32_t)lane_sext(a, (int)n) : a & ((1u << n) - 1);
}

static inline uint32_t lane_lop3(uint32_t a, uint32_t b, uint32_t c, uint8_t lut) {
    uint32_t r = 0;
    if (lut & 0x01) r |= ~a & ~b & ~c;
    if (lut & 0x02) r |= ~a & ~b & c;
    if (lut & 0x04) r |= ~a & b & ~c;
    if (lut & 0x08) r |= ~a & b & c;
    if (lut & 0x10) r |= a & ~b & ~c;
    if (lut & 0x20) r |= a & ~b & c;
    if (lut & 0x40) r |= a & b & ~c;
    if (lut & 0x80) r |= a & b & c;
    return r;
}

// Byte or halfword i of a as a signed or unsigned number.
static inline int32_t lane_byte(uint32_t a, int i, bool is_signed) {
    uint32_t v = a >> (8 * i) & 255;
    return is_signed ? (int8_t)v : (int32_t)v;
}
static inline int32_t lane_half(uint32_t a, int i, bool is_signed) {
    uint32_t v = a >> (16 * i) & 0xffff;
    return is_signed ? (int16_t)v : (int32_t)v;
}
static inline uint32_t lane_dp4a(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs) {
    for (int i = 0; i < 4; i++) c += (uint32_t)(lane_byte(a, i, as) * lane_byte(b, i, bs));
    return c;
}
static inline uint32_t lane_dp2a(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs, bool hi) {
    for (int i = 0; i < 2; i++)
        c += (uint32_t)(lane_half(a, i, as) * lane_byte(b, i + (hi ? 2 : 0), bs));
    return c;
}
// vabsdiff2/4 over all bytes or halfwords. With `add`, the sum of the differences plus c; otherwise
// each difference in its element, clamped to a signed (ds) or unsigned element if `sat`.
uint32_t lane_vabsdiff(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs, bool ds, bool halves,
                       bool add, bool sat);

// One atomic operation (PtxAtom number) on a memory word; see isa_atomic.
uint64_t lane_atomic(uint8_t atom, IsaType type, bool global, uint64_t old, uint64_t b, uint64_t c);

#endif
