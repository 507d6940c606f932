// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic, correctly rounded to nearest even. Operands are exact in f64. An inexact
// sum is made odd in its last place towards the exact value. So the one rounding to the half is
// that of the exact value.
#include "isa/lane.h"
#include "isa/lane_soft.h"

#include <math.h>

static bool is_bf16(IsaType t) { return t == ISA_BF16 || t == ISA_BF16X2; }

static uint32_t ones_of(bool bf) { return bf ? 0x7f80 : 0x7c00; }
static bool is_nan(bool bf, uint32_t h) { return (h & 0x7fff) > ones_of(bf); }
static uint32_t flush_half(bool bf, uint32_t h) { return h & ones_of(bf) ? h : h & 0x8000; }

static double decode_half(bool bf, uint32_t h) {
    if (bf) return (double)lane_f32(h << 16);
    const uint32_t e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 31) return m ? (double)NAN : h & 0x8000 ? -(double)INFINITY : (double)INFINITY;
    const double v = e ? ldexp((double)(m | 0x400), (int)e - 25) : ldexp((double)m, -24);
    return h & 0x8000 ? -v : v;
}

// s + e rounded once to a half.
static uint32_t round_to_half(bool bf, double s, double e) {
    uint64_t bits = lane_b64(s);
    if (s != s) return LANE_NAN16;
    if (e != 0 && !isinf(s) && !(bits & 1)) bits = (e > 0) == (s > 0) ? bits + 1 : bits - 1;
    return (uint32_t)lane_cvt(bf ? ISA_BF16 : ISA_F16, ISA_F64, ISA_RN, false, false, bits);
}

static uint32_t finish_result(bool bf, uint32_t r, bool ftz, bool sat, bool relu) {
    const uint32_t one = bf ? 0x3f80 : 0x3c00;
    if (ftz) r = flush_half(bf, r);
    if (relu && !is_nan(bf, r) && r & 0x8000) r = 0;
    if (sat) r = is_nan(bf, r) || r & 0x8000 ? 0 : r > one ? one : r;
    return r;
}

static uint32_t multiply_add_half(LaneHalf op, bool bf, uint32_t a, uint32_t b, uint32_t c,
                                  const LaneHalfMods *m) {
    if (m->ftz) a = flush_half(bf, a), b = flush_half(bf, b), c = flush_half(bf, c);
    const double x = decode_half(bf, a), y = decode_half(bf, b), z = decode_half(bf, c);
    double s = x * y, e = 0;  // a product of halves is exact in f64
    if (op == LANE_HADD || op == LANE_HFMA) {
        const double p = op == LANE_HADD ? x : s, q = op == LANE_HADD ? y : z;
        s = p + q;
        e = isfinite(s) ? lane_sum_error(p, q, s) : 0;
    }
    uint32_t r = round_to_half(bf, s, e);
    const double least = bf ? 0x1p-126 : 0x1p-14, half = bf ? 0x1p-135 : 0x1p-26;
    const bool near = m->ftz && (r & 0x7fff) == (bf ? 0x0080 : 0x0400);  // +-least
    if (near && lane_rounds_below(s, e, least, half, ISA_RN)) r &= 0x8000;
    return finish_result(bf, r, m->ftz, m->sat, m->relu);
}

static uint32_t select_extreme(bool bf, uint32_t a, uint32_t b, const LaneHalfMods *m) {
    if (m->ftz) a = flush_half(bf, a), b = flush_half(bf, b);
    const uint32_t sign = (a ^ b) & 0x8000;
    if (m->xorsign) a &= 0x7fff, b &= 0x7fff;
    const bool na = is_nan(bf, a), nb = is_nan(bf, b);
    uint32_t r;
    if ((na && nb) || (m->nan && (na || nb))) return LANE_NAN16;
    if (na || nb) r = na ? b : a;
    else {
        const double x = decode_half(bf, a), y = decode_half(bf, b);
        if (x == y) r = m->max ? a & b : a | b;  // zeros of both signs
        else r = (x < y) != m->max ? a : b;
    }
    return m->xorsign ? (r & 0x7fff) | sign : r;
}

static uint32_t compute_half(LaneHalf op, bool bf, uint32_t a, uint32_t b, uint32_t c,
                             const LaneHalfMods *m) {
    a &= 0xffff, b &= 0xffff, c &= 0xffff;
    return op == LANE_HMNMX ? select_extreme(bf, a, b, m) : multiply_add_half(op, bf, a, b, c, m);
}

uint32_t lane_half_op(LaneHalf op, IsaType type, uint32_t a, uint32_t b, uint32_t c,
                      const LaneHalfMods *m) {
    const bool bf = is_bf16(type), packed = type == ISA_F16X2 || type == ISA_BF16X2;
    const uint32_t low = compute_half(op, bf, a, b, c, m);
    return packed ? low | compute_half(op, bf, a >> 16, b >> 16, c >> 16, m) << 16 : low;
}

bool lane_half_compare(IsaCmp cmp, IsaType type, bool ftz, uint32_t a, uint32_t b) {
    const bool bf = is_bf16(type);
    a &= 0xffff, b &= 0xffff;
    if (ftz) a = flush_half(bf, a), b = flush_half(bf, b);
    const double x = decode_half(bf, a), y = decode_half(bf, b);
    return lane_cmp_f64(cmp, lane_b64(x), lane_b64(y));
}
