// SPDX-License-Identifier: Apache-2.0
// PTX cvt: every pair of f16 bf16 f32 f64 and 8- to 64-bit integers; tf32, e4m3 and e5m2 in the
// pairs that PTX has.
#include "isa/lane.h"
#include "isa/lane_soft.h"

enum { TF32_UNUSED = 13 };  // low bits of a register with a tf32
#define LANE_NAN8 0x7fu

static bool is_float(IsaType t) { return t >= ISA_F16; }
static bool is_signed(IsaType t) { return t < ISA_F16 && (t & 1); }
static int bits_of(IsaType t) { return 8 * isa_type_bytes(t); }

static uint64_t extend_integer(IsaType t, uint64_t v) {
    return is_signed(t) ? lane_sext(v, bits_of(t)) : lane_zext(v, bits_of(t));
}

// Largest and smallest value of an integer type, as magnitudes.
static uint64_t most_of(IsaType t) { return ~0ull >> (64 - bits_of(t) + is_signed(t)); }
static uint64_t least_of(IsaType t) { return is_signed(t) ? most_of(t) + 1 : 0; }

// Clamps (-1)^neg * magnitude to an integer type.
static uint64_t clamp_integer(IsaType t, bool neg, uint64_t magnitude, bool over) {
    uint64_t limit = neg ? least_of(t) : most_of(t);
    if (over || magnitude > limit) magnitude = limit;
    return extend_integer(t, neg ? 0 - magnitude : magnitude);
}

static uint64_t int_to_int(IsaType type, IsaType stype, bool sat, uint64_t a) {
    a = extend_integer(stype, a);
    if (!sat) return extend_integer(type, a);
    bool neg = is_signed(stype) && (int64_t)a < 0;
    return clamp_integer(type, neg, neg ? 0 - a : a, false);
}

static IsaRound plain_rounding(IsaRound rnd) {
    return isa_round_is_integral(rnd) ? (IsaRound)(rnd - ISA_RNI) : rnd;
}

// Magnitude of a finite value rounded to an integer; *over when it needs more than 64 bits.
static uint64_t round_magnitude(const Soft *s, IsaRound rnd, bool *over) {
    *over = s->exp > 0;
    if (s->exp >= 0) return s->m;
    int shift = -s->exp;
    bool half = shift <= 64 && (s->m >> (shift - 1) & 1);
    bool rest = shift > 64 || (shift > 1 && (s->m << (64 - (shift - 1))));
    uint64_t v = shift > 63 ? 0 : s->m >> shift;
    switch (plain_rounding(rnd)) {
    case ISA_RN: v += half && (rest || (v & 1)); break;
    case ISA_RM: v += s->neg && (half || rest); break;
    case ISA_RP: v += !s->neg && (half || rest); break;
    default: break;
    }
    return v;
}

static uint64_t float_to_int(IsaType type, IsaType stype, IsaRound rnd, uint64_t a) {
    Soft s = soft_unpack(stype, a);
    bool over = false;
    switch (s.class) {
    case SOFT_ZERO: return 0;
    case SOFT_INF: return clamp_integer(type, s.neg, 0, true);
    case SOFT_NAN:
        if (stype != ISA_F64 && bits_of(type) != 64) return 0;
        return extend_integer(type, 1ull << (bits_of(type) - 1));
    default: break;
    }
    uint64_t v = round_magnitude(&s, rnd, &over);
    return clamp_integer(type, s.neg, v, over);
}

static uint64_t int_to_float(IsaType type, IsaType stype, IsaRound rnd, uint64_t a) {
    a = extend_integer(stype, a);
    bool neg = is_signed(stype) && (int64_t)a < 0;
    if (!a) return 0;
    return soft_pack(type, neg, 0, neg ? 0 - a : a, false, plain_rounding(rnd));
}

// NaN of the destination. f64 keeps as much as possible of the source's payload.
static uint64_t convert_nan(IsaType type, IsaType stype, uint64_t a) {
    if (type == ISA_F16 || type == ISA_BF16) return LANE_NAN16;
    if (type == ISA_F32) return LANE_NAN32;
    if (type == ISA_E4M3 || type == ISA_E5M2) return LANE_NAN8;
    if (stype == ISA_F64) return a | 1ull << 51;
    int width = bits_of(stype), fraction = stype == ISA_F32 ? 23 : stype == ISA_BF16 ? 7 : 10;
    uint64_t sign = a >> (width - 1) & 1, payload = a & ((1ull << fraction) - 1);
    return sign << 63 | 0x7ff8000000000000ull | payload << (52 - fraction);
}

// Value rounded to integral, same type.
static uint64_t round_integral(IsaType t, IsaRound rnd, const Soft *s, uint64_t a) {
    bool over;
    if (s->class != SOFT_FINITE || s->exp >= 0) return a;
    uint64_t v = round_magnitude(s, rnd, &over);
    return v ? soft_pack(t, s->neg, 0, v, false, ISA_RN) : soft_zero(t, s->neg);
}

static uint64_t float_to_float(IsaType type, IsaType stype, IsaRound rnd, uint64_t a) {
    a = lane_zext(a, bits_of(stype));
    Soft s = soft_unpack(stype, a);
    if (s.class == SOFT_NAN) return convert_nan(type, stype, a);
    if (isa_round_is_integral(rnd)) {
        a = round_integral(stype, rnd, &s, a);
        s = soft_unpack(stype, a);
    }
    if (type == stype) return a;
    if (s.class == SOFT_INF) return soft_inf(type, s.neg);
    if (s.class == SOFT_ZERO) return soft_zero(type, s.neg);
    return soft_pack(type, s.neg, s.exp, s.m, false, plain_rounding(rnd));
}

static uint64_t saturate_float(IsaType t, uint64_t v) {
    if (t == ISA_F32) return lane_f32_saturate((uint32_t)v);
    uint64_t one = t == ISA_F16 ? 0x3c00
        : t == ISA_BF16         ? 0x3f80
                                : 0x3ff0000000000000ull,
             sign = soft_zero(t, true);
    bool nan = soft_unpack(t, v).class == SOFT_NAN;
    if (nan || (v & sign)) return 0;
    return v > one ? one : v;
}

uint64_t lane_cvt(IsaType type, IsaType stype, IsaRound rnd, bool ftz, bool sat, uint64_t a) {
    if (!is_float(type) && !is_float(stype)) return int_to_int(type, stype, sat, a);
    if (type == stype && !isa_round_is_integral(rnd) && !ftz && !sat)
        return lane_zext(a, bits_of(type));  // a move
    if (ftz && stype == ISA_F32) a = lane_f32_flush((uint32_t)a);
    if (!is_float(type)) return float_to_int(type, stype, rnd, a);
    uint64_t r =
        is_float(stype) ? float_to_float(type, stype, rnd, a) : int_to_float(type, stype, rnd, a);
    if (ftz && type == ISA_F32) {
        r = lane_f32_flush((uint32_t)r);
        const bool least = stype == ISA_F64 && lane_f32_is_least((uint32_t)r);
        if (least && lane_f32_rounds_below(lane_f64(a), 0, plain_rounding(rnd))) r &= 0x80000000u;
    }
    return sat ? saturate_float(type, r) : r;
}

// .relu and .satfinite of a value other than NaN.
static uint64_t clip_float(IsaType type, const LaneCvtMods *m, uint64_t r) {
    const uint64_t sign = soft_zero(type, true);
    if (m->satfinite && (r & ~sign) == soft_inf(type, false)) r--;
    return m->relu && r & sign ? 0 : r;
}

uint64_t lane_cvt_mods(IsaType type, IsaType stype, IsaRound rnd, const LaneCvtMods *m,
                       uint64_t a) {
    uint64_t r = lane_cvt(type, stype, rnd, m->ftz, m->sat, a);
    const bool nan = is_float(stype) && soft_unpack(stype, a).class == SOFT_NAN;
    if ((m->relu || m->satfinite) && !nan) r = clip_float(type, m, r);
    if (type != ISA_TF32) return r;
    return nan ? LANE_NAN32 : r << TF32_UNUSED;
}
