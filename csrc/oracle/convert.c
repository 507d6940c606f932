// SPDX-License-Identifier: Apache-2.0
// Conversions to and from small numbers: halves with .relu or .satfinite, tf32, e4m3, e5m2;
// cvt.pack. Values are doubles, which represent every operand exactly. Results are counted in units
// of the last place.
#include "oracle/interp.h"

#include <math.h>

typedef struct Small {
    int fraction, least, bias;  // bits of the fraction; exponent of the least normal number
    int width;
    double most;             // the largest number
    uint32_t infinity, nan;  // bit patterns; equal if the format has no infinity
} Small;

static Small small_of(PtxType t) {
    switch (t) {
    case PTX_F16:
    case PTX_F16X2: return (Small){10, -14, 15, 16, 65504, 0x7c00, 0x7fff};
    case PTX_BF16:
    case PTX_BF16X2: return (Small){7, -126, 127, 16, 0x1.fep127, 0x7f80, 0x7fff};
    case PTX_TF32: return (Small){10, -126, 127, 19, 0x1.ffcp127, 0x3fc00, 0x3ffff};
    case PTX_E4M3X2: return (Small){3, -6, 7, 8, 448, 0x7f, 0x7f};
    default: return (Small){2, -14, 15, 8, 57344, 0x7c, 0x7f};
    }
}

static double f16_value(uint32_t h) {
    const int e = (int)(h >> 10 & 31);
    const double m = h & 1023,
                 v = e == 31 ? (m > 0 ? NAN : INFINITY)
        : e                  ? ldexp(1024 + m, e - 25)
                             : ldexp(m, -24);
    return h >> 15 & 1 ? -v : v;
}

static double byte_value(PtxType t, uint32_t v) {
    const Small s = small_of(t);
    const uint32_t size = v & 0x7f, one = 1u << s.fraction, field = size / one, m = size % one;
    double r =
        field ? ldexp(one + m, (int)field - s.bias - s.fraction) : ldexp(m, s.least - s.fraction);
    if (size > s.infinity || size == s.nan) r = NAN;
    else if (size == s.infinity) r = INFINITY;
    return v & 0x80 ? -r : r;
}

// |v| in units of the last place; rn: ties to even, rna: ties away from zero, otherwise truncated.
static double count_units(double v, double unit, PtxRound rnd) {
    const double q = v / unit, whole = floor(q), rest = q - whole;
    if (rnd == PTX_RNA) return rest >= 0.5 ? whole + 1 : whole;
    if (rnd != PTX_RN || rest < 0.5) return whole;
    return rest > 0.5 || fmod(whole, 2) > 0 ? whole + 1 : whole;
}

static uint32_t encode_small(double v, PtxType t, const PtxInst *in) {
    const Small s = small_of(t);
    const bool negative = signbit(v);
    if (isnan(v)) return s.nan;
    if (in->relu && negative) return 0;
    const uint32_t sign = negative ? 1u << (s.width - 1) : 0, most = s.infinity - 1;
    v = fabs(v);
    if (isinf(v)) return sign | (in->satfinite ? most : s.infinity);
    int e = v > 0 ? ilogb(v) : s.least;
    if (e < s.least) e = s.least;
    const double count = count_units(v, ldexp(1, e - s.fraction), in->rnd),
                 value = ldexp(count, e - s.fraction);
    if (value > s.most) return sign | (in->satfinite || in->rnd == PTX_RZ ? most : s.infinity);
    // The fields follow each other: a count that reaches the next power of two is the next
    // exponent's first.
    return sign | (((uint32_t)(e - s.least) << s.fraction) + (uint32_t)count);
}

bool o_is_small(const PtxInst *in) {
    return in->relu || in->satfinite || in->type == PTX_TF32 || ptx_type_is_fp8(in->type) ||
        ptx_type_is_fp8(in->type2);
}

static double f32_value(uint64_t v) { return (double)lane_f32((uint32_t)v); }

uint64_t o_convert_small(const PtxInst *in, uint64_t a, uint64_t b) {
    const PtxType to = in->type, from = in->type2;
    const int width = small_of(to).width;
    if (to == PTX_TF32)
        return isnan(f32_value(a)) ? LANE_NAN32
                                   : (uint64_t)encode_small(f32_value(a), to, in) << 13;
    if (to == PTX_F16 || to == PTX_BF16) return encode_small(f32_value(a), to, in);
    double high = f32_value(a), low = f32_value(b);
    if (from == PTX_F16X2) high = f16_value((uint32_t)(a >> 16)), low = f16_value((uint32_t)a);
    if (ptx_type_is_fp8(from))
        high = byte_value(from, (uint32_t)(a >> 8)), low = byte_value(from, (uint32_t)a);
    return (uint64_t)encode_small(high, to, in) << width | encode_small(low, to, in);
}

uint64_t o_pack(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    (void)d;
    const int bits = in->type == PTX_U2 || in->type == PTX_S2 ? 2
        : in->type == PTX_U4 || in->type == PTX_S4            ? 4
                                                              : 8 * ptx_type_bytes(in->type);
    const bool is_signed = in->type == PTX_S2 || in->type == PTX_S4 || ptx_type_is_signed(in->type);
    const int64_t least = is_signed ? -(1ll << (bits - 1)) : 0, most = least + (1ll << bits) - 1;
    const int64_t x[2] = {(int32_t)(uint32_t)b, (int32_t)(uint32_t)a};
    uint64_t r = c << (2 * bits);
    for (int i = 0; i < 2; i++) {
        const int64_t v = x[i] < least ? least : x[i] > most ? most : x[i];
        r |= ((uint64_t)v & ((1ull << bits) - 1)) << (bits * i);
    }
    return r;
}
