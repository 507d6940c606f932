// SPDX-License-Identifier: Apache-2.0
// The lane operations that are too long to be inline: f32 division and roots, results at the least
// normal number, byte permutation, atomics.
#include "isa/lane.h"

#include "ptx/ptx.h"

// ---- f32: what .ftz makes of +-2^-126 ----

static uint32_t zero_if(bool below, uint32_t draft) { return below ? draft & 0x80000000u : draft; }

static double flush_to_double(uint32_t a) { return (double)lane_f32(lane_f32_flush(a)); }

uint32_t lane_f32_mul_least(uint32_t a, uint32_t b, IsaRound rnd, uint32_t draft) {
    return zero_if(lane_f32_rounds_below(flush_to_double(a) * flush_to_double(b), 0, rnd), draft);
}

uint32_t lane_f32_fma_least(uint32_t a, uint32_t b, uint32_t c, IsaRound rnd, uint32_t draft) {
    const double p = flush_to_double(a) * flush_to_double(b), z = flush_to_double(c), s = p + z;
    return zero_if(lane_f32_rounds_below(s, lane_sum_error(p, z, s), rnd), draft);
}

// a and b times 2^-126 side by side: 24 bits by 25 are exact.
uint32_t lane_f32_div_least(uint32_t a, uint32_t b, IsaRound rnd, uint32_t draft) {
    const double size = fabs(flush_to_double(b));
    return zero_if(lane_rounds_below(flush_to_double(a), 0, size * 0x1p-126, size * 0x1p-151, rnd),
                   draft);
}

// ---- f32 division and square root ----

// q is the nearest f32 to the exact result. `more` and `less` say whether that result is above or
// below q. Steps q by one place if rnd requires it.
static uint32_t step_ulp(uint32_t q, bool more, bool less, IsaRound rnd) {
    bool negative = q >> 31;
    bool up = more && (rnd == ISA_RP || (rnd == ISA_RZ_ && negative));
    bool down = less && (rnd == ISA_RM || (rnd == ISA_RZ_ && !negative));
    if (up) return negative ? q - 1 : q + 1;
    if (down) return negative ? q + 1 : q - 1;
    return q;
}

uint32_t lane_f32_div(uint32_t a, uint32_t b, IsaRound rnd, bool ftz) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    float x = lane_f32(a), y = lane_f32(b), q = x / y;
    uint32_t r = lane_f32_canon(q);
    // Division by zero and infinite operands are exact.
    bool exact = q != q || y == 0 || x == 0 || isinf(x) || isinf(y);
    if (rnd != ISA_RN && !exact) {
        double back = (double)q * (double)y;  // exact, or infinite when q overflowed
        bool above = y > 0 ? (double)x > back : (double)x < back;
        bool below = y > 0 ? (double)x < back : (double)x > back;
        r = step_ulp(r, above, below, rnd);
    }
    if (ftz && lane_f32_is_least(r)) return lane_f32_div_least(a, b, rnd, r);
    return ftz ? lane_f32_flush(r) : r;
}

uint32_t lane_f32_rcp(uint32_t a, IsaRound rnd, bool ftz) {
    return lane_f32_div(0x3f800000u, a, rnd, ftz);
}

uint32_t lane_f32_sqrt(uint32_t a, IsaRound rnd, bool ftz) {
    if (ftz) a = lane_f32_flush(a);
    float x = lane_f32(a);
    if (x != x || x < 0) return LANE_NAN32;
    float q = sqrtf(x);
    uint32_t r = lane_b32(q);
    if (rnd == ISA_RN || isinf(x)) return r;
    double back = (double)q * (double)q;
    return step_ulp(r, (double)x > back, (double)x < back, rnd);
}

// ---- bit operations ----

uint32_t lane_fns(uint32_t mask, uint32_t base, uint32_t offset) {
    int32_t off = (int32_t)offset;
    if (base > 31) return ~0u;
    if (off == 0) return mask >> base & 1 ? base : ~0u;
    int64_t left = off > 0 ? (int64_t)off - 1 : -(int64_t)off - 1;
    int dir = off > 0 ? 1 : -1;
    for (int pos = (int)base; pos >= 0 && pos < 32; pos += dir)
        if ((mask >> pos & 1) && left-- == 0) return (uint32_t)pos;
    return ~0u;
}

// Selectors of the special modes: one nibble per result byte, for control values 0..3.
static const uint16_t prmt_modes[7][4] = {
    [PTX_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
    [PTX_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PTX_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
    [PTX_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PTX_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
    [PTX_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

uint32_t lane_prmt(uint32_t a, uint32_t b, uint32_t sel, uint8_t mode) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    if (mode != PTX_PRMT_NONE && mode < 7) sel = prmt_modes[mode][sel & 3];
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t pick = sel >> (4 * i) & 15, byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
        if (pick & 8) byte = byte & 128 ? 255 : 0;  // replicate the sign
        r |= byte << (8 * i);
    }
    return r;
}

uint32_t lane_vabsdiff(uint32_t a, uint32_t b, uint32_t c, bool as, bool bs, bool ds, bool halves,
                       bool add, bool sat) {
    uint32_t sum = c, packed = 0;
    int count = halves ? 2 : 4, width = halves ? 16 : 8;
    uint32_t ones = (1u << width) - 1, limit = ds ? ones >> 1 : ones;
    for (int i = 0; i < count; i++) {
        int32_t x = halves ? lane_half(a, i, as) : lane_byte(a, i, as);
        int32_t y = halves ? lane_half(b, i, bs) : lane_byte(b, i, bs);
        uint32_t diff = (uint32_t)(x > y ? x - y : y - x);
        if (sat && diff > limit) diff = limit;
        sum += diff;
        packed |= (diff & ones) << (width * i);
    }
    return add ? sum : packed;
}

// ---- atomics ----

static bool is_less(IsaType type, uint64_t a, uint64_t b) {
    return type == ISA_S32 || type == ISA_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static bool is_half(IsaType t) { return t == ISA_F16 || (t >= ISA_BF16 && t <= ISA_BF16X2); }

static uint64_t atomic_add(IsaType type, bool global, uint64_t old, uint64_t b) {
    if (type == ISA_F32) return lane_f32_add((uint32_t)old, (uint32_t)b, ISA_RN, global, false);
    if (type == ISA_F64) return lane_f64_add(old, b, ISA_RN);
    if (is_half(type))
        return lane_half_op(LANE_HADD, type, (uint32_t)old, (uint32_t)b, 0, &(LaneHalfMods){0});
    return old + b;
}

uint64_t lane_atomic(uint8_t atom, IsaType type, bool global, uint64_t old, uint64_t b,
                     uint64_t c) {
    int bits = 8 * isa_type_bytes(type);
    bool sign = type == ISA_S32 || type == ISA_S64;
    old = sign ? lane_sext(old, bits) : lane_zext(old, bits);
    b = sign ? lane_sext(b, bits) : lane_zext(b, bits);
    c = lane_zext(c, bits);
    uint64_t r = old;
    const bool half = is_half(type);
    if (half && (atom == PTX_ATOM_MIN || atom == PTX_ATOM_MAX))
        return lane_half_op(LANE_HMNMX, type, (uint32_t)old, (uint32_t)b, 0,
                            &(LaneHalfMods){.max = atom == PTX_ATOM_MAX});
    switch ((PtxAtom)atom) {
    case PTX_ATOM_ADD: r = atomic_add(type, global, old, b); break;
    case PTX_ATOM_MIN: r = is_less(type, b, old) ? b : old; break;
    case PTX_ATOM_MAX: r = is_less(type, old, b) ? b : old; break;
    case PTX_ATOM_INC: r = old >= b ? 0 : old + 1; break;
    case PTX_ATOM_DEC: r = old == 0 || old > b ? b : old - 1; break;
    case PTX_ATOM_AND: r = old & b; break;
    case PTX_ATOM_OR: r = old | b; break;
    case PTX_ATOM_XOR: r = old ^ b; break;
    case PTX_ATOM_EXCH: r = b; break;
    case PTX_ATOM_CAS: r = lane_zext(old, bits) == lane_zext(b, bits) ? c : old; break;
    case PTX_ATOM_NONE: break;
    }
    return lane_zext(r, bits);
}
