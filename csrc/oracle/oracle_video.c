// SPDX-License-Identifier: Apache-2.0
// Video instructions follow the steps of the PTX manual: numbers without bounds, from which the
// last step keeps 32 bits.
#include "oracle/interp.h"

typedef __int128 Number;

static Number smaller_of(Number a, Number b) { return a < b ? a : b; }
static Number larger_of(Number a, Number b) { return a < b ? b : a; }
static Number power_of_two(int n) { return (Number)1 << n; }

// Bits at..at+width-1 of v as a number.
static Number number_at(uint64_t v, int at, int width, bool is_signed) {
    const Number r = (Number)(v >> at) % power_of_two(width);
    return is_signed && r >= power_of_two(width - 1) ? r - power_of_two(width) : r;
}

static Number clamp_number(Number v, int width, bool is_signed) {
    const Number most = power_of_two(is_signed ? width - 1 : width) - 1,
                 least = is_signed ? -most - 1 : 0;
    return smaller_of(larger_of(v, least), most);
}

// Digit i of the selector that follows an operand.
static int digit_of(const PtxOperand *o, int i) { return (o->parts >> 4 * i) % 16; }
static int width_of(const PtxOperand *o) { return !o->part ? 32 : o->part == 'b' ? 8 : 16; }

static Number select_part(const PtxOperand *o, uint64_t v, PtxType t) {
    const int width = width_of(o);
    return number_at(v & UINT32_MAX, o->part ? width * digit_of(o, 0) : 0, width, t == PTX_S32);
}

static bool comparison_holds(PtxCmp cmp, Number x, Number y) {
    switch (cmp) {
    case PTX_EQ: return x == y;
    case PTX_NE: return x != y;
    case PTX_LT: return x < y;
    case PTX_LE: return x <= y;
    case PTX_GT: return x > y;
    default: return x >= y;
    }
}

static Number compute_primary(const PtxInst *in, PtxVideoKind kind, Number x, Number y) {
    switch (kind) {
    case PTX_VIDEO_ADD: return x + y;
    case PTX_VIDEO_SUB: return x - y;
    case PTX_VIDEO_AVRG: return x + y < 0 ? -((1 - x - y) / 2) : (x + y + 1) / 2;  // >> rounds down
    case PTX_VIDEO_ABSDIFF: return larger_of(x - y, y - x);
    case PTX_VIDEO_MIN: return smaller_of(x, y);
    case PTX_VIDEO_MAX: return larger_of(x, y);
    case PTX_VIDEO_SET: return comparison_holds(in->cmp, x, y);
    default: break;
    }
    const int by = (int)(in->shf == PTX_SHF_WRAP ? y % 32 : smaller_of(y, 32));
    if (kind == PTX_VIDEO_SHL) return x * power_of_two(by);
    return x >= 0 ? x / power_of_two(by) : -((power_of_two(by) - 1 - x) / power_of_two(by));
}

static uint64_t insert_bits(uint64_t into, Number v, int at, int width) {
    const uint64_t mask = (uint64_t)(power_of_two(width) - 1) << at;
    return (into & ~mask) | ((uint64_t)v << at & mask);
}

static uint64_t compute_scalar(const PtxInst *in, PtxVideoKind kind, uint64_t a, uint64_t b,
                               uint64_t c) {
    const bool set = kind == PTX_VIDEO_SET, is_signed = !set && in->type == PTX_S32;
    const PtxOperand *d = &in->opnd[0];
    const Number x = select_part(&in->opnd[1], a, set ? in->type : in->type2);
    const Number y = select_part(&in->opnd[2], b, set ? in->type2 : in->type3);
    const Number z = number_at(c & UINT32_MAX, 0, 32, is_signed);
    Number r = compute_primary(in, kind, x, y);
    if (in->sat) r = clamp_number(r, width_of(d), is_signed);
    if (d->part) return insert_bits(c, r, width_of(d) * digit_of(d, 0), width_of(d));
    switch (in->atom) {
    case PTX_ATOM_ADD: return (uint64_t)(r + z);
    case PTX_ATOM_MIN: return (uint64_t)smaller_of(r, z);
    case PTX_ATOM_MAX: return (uint64_t)larger_of(r, z);
    default: return (uint64_t)r;
    }
}

static uint64_t compute_mad(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c) {
    const bool product = in->opnd[1].negated != in->opnd[2].negated, addend = in->opnd[3].negated;
    const bool is_signed = in->type2 == PTX_S32 || in->type3 == PTX_S32 || product || addend;
    Number r = select_part(&in->opnd[1], a, in->type2) * select_part(&in->opnd[2], b, in->type3);
    if (product) r = -r;
    // The complement of c is computed before its sign is examined.
    if (addend) r += number_at(~c & UINT32_MAX, 0, 32, true) + 1;
    else r += number_at(c & UINT32_MAX, 0, 32, is_signed);
    r = (r + in->po) >> in->scale;
    return (uint64_t)(in->sat ? clamp_number(r, 32, is_signed) : r);
}

static uint64_t compute_simd(const PtxInst *in, PtxVideo v, uint64_t a, uint64_t b, uint64_t c) {
    const bool set = v.kind == PTX_VIDEO_SET;
    const PtxType types[2] = {set ? in->type : in->type2, set ? in->type2 : in->type3};
    const uint64_t both = (a & UINT32_MAX) | b << 32;
    const PtxOperand *d = &in->opnd[0];
    const int width = 32 / v.lanes;
    uint64_t r = c;
    for (int i = 0; i < v.lanes; i++) {
        bool written = !d->part;
        for (int k = 0; k < d->nparts; k++) written |= digit_of(d, k) == i;
        if (!written) continue;
        Number x[2];
        for (int k = 0; k < 2; k++) {
            const PtxOperand *o = &in->opnd[k + 1];
            x[k] = number_at(both, width * (o->part ? digit_of(o, i) : i + k * v.lanes), width,
                             types[k] == PTX_S32);
        }
        Number e = compute_primary(in, v.kind, x[0], x[1]);
        if (in->sat) e = clamp_number(e, width, in->type == PTX_S32);
        r = in->atom == PTX_ATOM_ADD ? r + (uint64_t)e : insert_bits(r, e, width * i, width);
    }
    return r;
}

uint64_t o_video(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    (void)d;
    const PtxVideo v = ptx_video(in->op);
    if (v.kind == PTX_VIDEO_MAD) return compute_mad(in, a, b, c);
    return v.lanes == 1 ? compute_scalar(in, v.kind, a, b, c) : compute_simd(in, v, a, b, c);
}
