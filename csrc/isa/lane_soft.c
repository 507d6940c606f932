// SPDX-License-Identifier: Apache-2.0
// Floating point by integers: unpacking, rounding, and the f64 operations with directed rounding.
#include "isa/lane_soft.h"

#include "isa/lane.h"

typedef struct SoftFormat {
    int width, precision, emin;  // precision counts the hidden bit
    bool finite;                 // no infinity: all ones are the only NaN
} SoftFormat;

static SoftFormat format_of(IsaType type) {
    switch (type) {
    case ISA_F16: return (SoftFormat){16, 11, -14, false};
    case ISA_BF16: return (SoftFormat){16, 8, -126, false};
    case ISA_TF32: return (SoftFormat){19, 11, -126, false};
    case ISA_E4M3: return (SoftFormat){8, 4, -6, true};
    case ISA_E5M2: return (SoftFormat){8, 3, -14, false};
    case ISA_F32: return (SoftFormat){32, 24, -126, false};
    default: return (SoftFormat){64, 53, -1022, false};
    }
}

static uint64_t exponent_ones(SoftFormat f) {
    return ((1ull << (f.width - f.precision)) - 1) << (f.precision - 1);
}

// The pattern of infinity: the one above the largest number.
static uint64_t infinity_of(SoftFormat f) {
    return f.finite ? (1ull << (f.width - 1)) - 1 : exponent_ones(f);
}

uint64_t soft_zero(IsaType type, bool neg) { return (uint64_t)neg << (format_of(type).width - 1); }

uint64_t soft_inf(IsaType type, bool neg) {
    return soft_zero(type, neg) | infinity_of(format_of(type));
}

Soft soft_unpack(IsaType type, uint64_t bits) {
    SoftFormat f = format_of(type);
    bits = lane_zext(bits, f.width);
    uint64_t field = 1ull << (f.precision - 1), fraction = bits & (field - 1);
    uint64_t ones = exponent_ones(f), e = bits & ones;
    Soft s = {.class = SOFT_FINITE, .neg = bits >> (f.width - 1)};
    if (f.finite && (e | fraction) == infinity_of(f)) {
        s.class = SOFT_NAN;
        return s;
    }
    if (e == ones && !f.finite) {
        s.class = fraction ? SOFT_NAN : SOFT_INF;
        return s;
    }
    if (!e && !fraction) {
        s.class = SOFT_ZERO;
        return s;
    }
    int biased = e ? (int)(e >> (f.precision - 1)) : 1;
    s.m = e ? fraction | field : fraction;
    s.exp = biased - 1 + f.emin - (f.precision - 1);
    int up = __builtin_clzll(s.m);
    s.m <<= up;
    s.exp -= up;
    return s;
}

static int top_bit(LaneU128 m) {
    uint64_t hi = (uint64_t)(m >> 64);
    return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)m);
}

static bool rounds_away(bool neg, bool odd, bool half, bool rest, IsaRound rnd) {
    switch (rnd) {
    case ISA_RN: return half && (rest || odd);
    case ISA_RM: return neg && (half || rest);
    case ISA_RP: return !neg && (half || rest);
    case ISA_RNA: return half;
    default: return false;
    }
}

uint64_t soft_pack(IsaType type, bool neg, int exp, LaneU128 m, bool sticky, IsaRound rnd) {
    SoftFormat f = format_of(type);
    int value_exp = exp + top_bit(m), p1 = f.precision - 1, lowest = f.emin - p1;
    int unit = (value_exp > f.emin ? value_exp : f.emin) - p1;  // exponent of the last place
    int shift = unit - exp;
    bool half = false, rest = sticky;
    if (shift <= 0) {
        m <<= -shift;
    } else if (shift > 128) {
        rest = true;
        m = 0;
    } else {
        half = m >> (shift - 1) & 1;
        if (shift > 1) rest |= (m << (128 - (shift - 1))) != 0;
        m = shift == 128 ? 0 : m >> shift;
    }
    uint64_t r = (uint64_t)m;
    if (rounds_away(neg, r & 1, half, rest, rnd)) r++;
    uint64_t sign = soft_zero(type, neg), hidden = 1ull << p1;
    if (r < hidden) return sign | r;
    // A carry out of the significand falls into the exponent field by itself.
    uint64_t field = (uint64_t)(unit - lowest + 1), inf = infinity_of(f);
    uint64_t bits = (field << p1) + (r - hidden);
    if (field <= inf >> p1 && bits < inf) return sign | bits;
    bool to_inf =
        rnd == ISA_RN || rnd == ISA_RNA || (rnd == ISA_RM && neg) || (rnd == ISA_RP && !neg);
    return sign | (to_inf ? inf : inf - 1);
}

// ---- f64 with directed rounding ----

// Sum of (-1)^na * a * 2^exp and (-1)^nb * b * 2^exp; sticky_b: b is a little more than written.
static uint64_t pack_sum(bool na, LaneU128 a, bool nb, LaneU128 b, int exp, bool sticky_b,
                         IsaRound rnd) {
    if (na == nb) return soft_pack(ISA_F64, na, exp, a + b, sticky_b, rnd);
    if (sticky_b) return soft_pack(ISA_F64, na, exp, a - b - 1, true, rnd);  // a is far larger
    if (a == b) return soft_zero(ISA_F64, rnd == ISA_RM);
    return a > b ? soft_pack(ISA_F64, na, exp, a - b, false, rnd)
                 : soft_pack(ISA_F64, nb, exp, b - a, false, rnd);
}

// hi * 2^ehi + lo * 2^elo. The last place of hi is d = ehi - elo >= 0 places above that of lo. hi
// has its top bit at `top`. If lo does not fit beside hi, it is far below it, and its tail becomes
// sticky.
static uint64_t align_sum(bool nh, LaneU128 hi, int ehi, int top, bool nl, LaneU128 lo, int elo,
                          IsaRound rnd) {
    int d = ehi - elo, room = 126 - top;
    if (d <= room) return pack_sum(nh, hi << d, nl, lo, elo, false, rnd);
    int drop = d - room;
    LaneU128 kept = drop > 127 ? 0 : lo >> drop;
    bool lost = drop > 127 ? lo != 0 : (kept << drop) != lo;
    return pack_sum(nh, hi << room, nl, kept, elo + drop, lost, rnd);
}

uint64_t lane_f64_fma_direct(uint64_t a, uint64_t b, uint64_t c, IsaRound rnd) {
    Soft x = soft_unpack(ISA_F64, a), y = soft_unpack(ISA_F64, b), z = soft_unpack(ISA_F64, c);
    bool neg = x.neg != y.neg;
    if (x.class == SOFT_NAN || y.class == SOFT_NAN || z.class == SOFT_NAN)
        return lane_f64_nan(a, b, c);
    if (x.class == SOFT_INF || y.class == SOFT_INF) {
        bool bad =
            x.class == SOFT_ZERO || y.class == SOFT_ZERO || (z.class == SOFT_INF && z.neg != neg);
        return bad ? LANE_NAN64 : soft_inf(ISA_F64, neg);
    }
    if (z.class == SOFT_INF) return c;
    if (x.class == SOFT_ZERO || y.class == SOFT_ZERO) {
        if (z.class != SOFT_ZERO) return c;
        return soft_zero(ISA_F64, neg == z.neg ? neg : rnd == ISA_RM);
    }
    // 53-bit significands, so that the product has its top bit at 104 or 105.
    LaneU128 p = (LaneU128)(x.m >> 11) * (y.m >> 11);
    int ep = x.exp + y.exp + 22;
    if (z.class == SOFT_ZERO) return soft_pack(ISA_F64, neg, ep, p, false, rnd);
    LaneU128 m = z.m >> 11;
    int ez = z.exp + 11;
    if (ep >= ez) return align_sum(neg, p, ep, 105, z.neg, m, ez, rnd);
    return align_sum(z.neg, m, ez, 52, neg, p, ep, rnd);
}

uint64_t lane_f64_add_direct(uint64_t a, uint64_t b, IsaRound rnd) {
    return lane_f64_fma_direct(a, 0x3ff0000000000000ull, b, rnd);
}

uint64_t lane_f64_mul_direct(uint64_t a, uint64_t b, IsaRound rnd) {
    Soft x = soft_unpack(ISA_F64, a), y = soft_unpack(ISA_F64, b);
    bool neg = x.neg != y.neg;
    if (x.class == SOFT_NAN || y.class == SOFT_NAN) return lane_f64_nan(a, b, 0);
    if (x.class == SOFT_INF || y.class == SOFT_INF)
        return x.class == SOFT_ZERO || y.class == SOFT_ZERO ? LANE_NAN64 : soft_inf(ISA_F64, neg);
    if (x.class == SOFT_ZERO || y.class == SOFT_ZERO) return soft_zero(ISA_F64, neg);
    return soft_pack(ISA_F64, neg, x.exp + y.exp, (LaneU128)x.m * y.m, false, rnd);
}

uint64_t lane_f64_div(uint64_t a, uint64_t b, IsaRound rnd) {
    if (rnd == ISA_RN) return lane_f64_done(lane_f64(a) / lane_f64(b), a, b, 0);
    Soft x = soft_unpack(ISA_F64, a), y = soft_unpack(ISA_F64, b);
    bool neg = x.neg != y.neg;
    if (x.class == SOFT_NAN || y.class == SOFT_NAN) return lane_f64_nan(a, b, 0);
    if (x.class == y.class && x.class != SOFT_FINITE) return LANE_NAN64;
    if (x.class == SOFT_INF || y.class == SOFT_ZERO) return soft_inf(ISA_F64, neg);
    if (x.class == SOFT_ZERO || y.class == SOFT_INF) return soft_zero(ISA_F64, neg);
    LaneU128 n = (LaneU128)x.m << 63, q = n / y.m;  // 63 or 64 bits
    return soft_pack(ISA_F64, neg, x.exp - y.exp - 63, q, q * y.m != n, rnd);
}

uint64_t lane_f64_rcp(uint64_t a, IsaRound rnd) {
    uint64_t r = lane_f64_div(0x3ff0000000000000ull, a, rnd);
    return r;
}

uint64_t lane_f64_sqrt(uint64_t a, IsaRound rnd) {
    Soft x = soft_unpack(ISA_F64, a);
    if (x.class == SOFT_NAN) return lane_f64_nan(a, 0, 0);
    if (x.class == SOFT_ZERO) return a;
    if (x.neg) return LANE_NAN64;
    if (x.class == SOFT_INF) return a;
    if (rnd == ISA_RN) return lane_b64(sqrt(lane_f64(a)));
    LaneU128 n = (LaneU128)x.m << 62;
    int exp = x.exp - 62;
    if (exp & 1) {
        n <<= 1;
        exp--;
    }
    uint64_t root = 0;
    for (int i = 63; i >= 0; i--) {
        uint64_t t = root | 1ull << i;
        if ((LaneU128)t * t <= n) root = t;
    }
    return soft_pack(ISA_F64, false, exp / 2, root, (LaneU128)root * root != n, rnd);
}
