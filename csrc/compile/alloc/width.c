// SPDX-License-Identifier: Apache-2.0
// Estimates the bytes (1..4) that the values of each word need. The register file counts the sign
// and the bytes that differ from it. By this estimate, coloring keeps one width in one register; no
// result depends on it.
//
// requires  cfg_analyze; any form without PHIs
//
// Every word has a range, the union over its definitions, widened until nothing changes. Unknown
// values get usual ranges instead of all possible ones. A grid has a few CTAs in each direction.
// Scalar parameters and loaded words are assumed to be hundreds, so that a product of two requires
// two bytes. Pointers and floats take four bytes. A counter with small steps keeps two bytes.
#include "compile/alloc/alloc.h"
#include "ptx/ptx.h"

#include <string.h>

enum { ROUNDS = 12, SETTLED = 4, NARROWINGS = 3, STEP = 1024 };

typedef struct Range {
    int64_t lo, hi;
} Range;  // lo > hi: no value yet

static const Range none = {1, 0}, full = {INT32_MIN, INT32_MAX}, half = {INT16_MIN, INT16_MAX},
                   loaded = {-181, 181}, scalar = {0, 181}, grid = {0, 31}, block = {1, 256};

typedef struct Widths {
    const Ir *ir;
    const int *unit;  // per register: its first word
    Range *range;     // per word
    Range *again;     // per word: recomputed from the final ranges; NULL before
    bool *is_float;   // per word: an f32 or half of an f64
    int threads;      // of a CTA
} Widths;

static bool is_empty(Range r) { return r.lo > r.hi; }
static bool is_inside(Range r, Range of) { return is_empty(r) || (r.lo >= of.lo && r.hi <= of.hi); }
static Range word_range(int64_t lo, int64_t hi) {
    const Range r = {lo, hi};
    return is_inside(r, full) ? r : full;
}
static Range join_ranges(Range a, Range b) {
    if (is_empty(a) || is_empty(b)) return is_empty(a) ? b : a;
    return (Range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
static Range negate_range(Range r) { return is_empty(r) ? r : word_range(-r.hi, -r.lo); }
static Range add_ranges(Range a, Range b) {
    return is_empty(a) || is_empty(b) ? none : word_range(a.lo + b.lo, a.hi + b.hi);
}
static Range multiply_ranges(Range a, Range b) {
    if (is_empty(a) || is_empty(b)) return none;
    const int64_t p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    int64_t lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) {
        if (p[i] < lo) lo = p[i];
        if (p[i] > hi) hi = p[i];
    }
    return word_range(lo, hi);
}

static Range of_type(IsaType t) {
    switch (t) {
    case ISA_U8: return word_range(0, UINT8_MAX);
    case ISA_S8: return word_range(INT8_MIN, INT8_MAX);
    case ISA_U16: return word_range(0, UINT16_MAX);
    case ISA_S16: return word_range(INT16_MIN, INT16_MAX);
    case ISA_U32:
    case ISA_S32: return loaded;
    default: return full;
    }
}

static bool is_pointer(const Ir *ir, uint64_t at) {
    for (int i = 0; i < ir->nzero_params; i++)
        if ((uint64_t)ir->zero_params[i] == at + 4) return true;
    return false;
}

static Range source_range(const Widths *w, const IrSrc *s, int k) {
    switch (s->kind) {
    case ISA_SRC_REG: return w->range[w->unit[s->reg] + k];
    case ISA_SRC_IMM: {
        const int64_t v = (int32_t)(uint32_t)(s->imm >> (32 * k));
        return (Range){v, v};
    }
    case ISA_SRC_CONST:
        if (s->cbank || is_pointer(w->ir, s->imm)) return k ? word_range(0, 0) : full;
        return k ? word_range(0, 0) : scalar;
    default: return word_range(0, 0);
    }
}

static Range operand_range(const Widths *w, const IrInst *in, int i) {
    if (i >= in->nsrc) return word_range(0, 0);
    const Range r = source_range(w, &in->src[i], 0);
    return in->src[i].neg ? negate_range(r) : r;
}

static Range special_range(const Widths *w, int sreg) {
    switch (sreg) {
    case PTX_SREG_TID_X: return word_range(0, w->threads - 1);
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID: return word_range(0, ISA_LANES - 1);
    case PTX_SREG_WARPID:
    case PTX_SREG_NWARPID: return word_range(0, 64);
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_CLOCK: return full;
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return block;
    default: return grid;
    }
}

// Nonnegative ranges: the result has as many bits as the longer one.
static Range bitwise_range(Range a, Range b) {
    if (is_empty(a) || is_empty(b)) return none;
    if (a.lo < 0 || b.lo < 0) return join_ranges(a, b);
    int64_t most = 1;
    while (most <= a.hi || most <= b.hi) most *= 2;
    return word_range(0, most - 1);
}

static Range logic_range(const Widths *w, const IrInst *in) {
    const Range a = operand_range(w, in, 0), b = operand_range(w, in, 1),
                c = operand_range(w, in, 2);
    if (in->mod.lut == ISA_LUT_AND && !is_empty(a) && !is_empty(b) && (a.lo >= 0 || b.lo >= 0)) {
        const int64_t most = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : a.hi < b.hi ? a.hi : b.hi;
        return word_range(0, most);
    }
    if (in->mod.lut == 0x0f) return is_empty(a) ? none : word_range(-a.hi - 1, -a.lo - 1);  // not a
    return bitwise_range(bitwise_range(a, b), c);
}

static Range shifted_range(const Widths *w, const IrInst *in) {
    const Range a = operand_range(w, in, 0), b = operand_range(w, in, 1);
    if (is_empty(a) || is_empty(b)) return none;
    if (b.lo != b.hi || b.lo < 0 || b.lo > 31)
        return in->op == ISA_SHL ? full : a.lo >= 0 ? word_range(0, a.hi) : full;
    const int64_t by = (int64_t)1 << b.lo;
    if (in->op == ISA_SHL) return multiply_ranges(a, (Range){by, by});
    if (in->mod.type == ISA_U32 && a.lo < 0) return b.lo ? word_range(0, UINT32_MAX >> b.lo) : full;
    return word_range(a.lo >> b.lo, a.hi >> b.lo);
}

static Range product_part(const Widths *w, const IrInst *in) {
    if (in->mod.part == ISA_HI) return full;
    const Range p = multiply_ranges(operand_range(w, in, 0), operand_range(w, in, 1));
    return in->op == ISA_IMAD ? add_ranges(p, operand_range(w, in, 2)) : p;
}

static Range field_range(const Widths *w, const IrInst *in) {
    const Range a = operand_range(w, in, 0), n = operand_range(w, in, 2);
    if (is_empty(a)) return none;
    if (n.lo != n.hi || n.lo < 1 || n.lo > 30) return a.lo >= 0 ? a : full;
    const int64_t size = (int64_t)1 << n.lo;
    return in->mod.type == ISA_S32 ? word_range(-size / 2, size / 2 - 1) : word_range(0, size - 1);
}

static Range converted_range(const Widths *w, const IrInst *in) {
    if (in->mod.type >= ISA_F16) return full;
    const Range a = operand_range(w, in, 0), t = of_type(in->mod.type);
    return in->mod.stype < ISA_F16 && is_inside(a, full) && is_inside(a, t) ? a : t;
}

// Word k of the result of an instruction that is no copy.
static Range result_range(const Widths *w, const IrInst *in, int k) {
    const Range a = operand_range(w, in, 0), b = operand_range(w, in, 1);
    switch (in->op) {
    case ISA_MOV: return in->nsrc ? source_range(w, &in->src[0], k) : full;
    case ISA_SEL:
        return join_ranges(source_range(w, &in->src[0], k), source_range(w, &in->src[1], k));
    case ISA_S2R: return k ? word_range(0, 0) : special_range(w, in->mod.sreg);
    case ISA_IADD:
        return in->mod.has_cin ? add_ranges(add_ranges(a, b), word_range(0, 1)) : add_ranges(a, b);
    case ISA_IMUL:
    case ISA_IMAD: return k ? word_range(-1, 0) : product_part(w, in);
    case ISA_LEA:
        return add_ranges(
            multiply_ranges(a,
                            word_range((int64_t)1 << in->mod.shift, (int64_t)1 << in->mod.shift)),
            b);
    case ISA_IMNMX: return join_ranges(a, b);
    case ISA_IABS: return is_empty(a) ? none : word_range(0, a.hi > -a.lo ? a.hi : -a.lo);
    case ISA_SAD:
        return add_ranges(
            join_ranges(add_ranges(a, negate_range(b)), add_ranges(b, negate_range(a))),
            operand_range(w, in, 2));
    case ISA_LOP3: return logic_range(w, in);
    case ISA_SHL:
    case ISA_SHR: return shifted_range(w, in);
    case ISA_BFE: return field_range(w, in);
    case ISA_EXT: return is_inside(a, of_type(in->mod.type)) ? a : of_type(in->mod.type);
    case ISA_POPC:
    case ISA_CLZ:
    case ISA_FLO:
    case ISA_FNS:
    case ISA_P2R: return word_range(-1, 63);
    case ISA_IDIV: return k ? word_range(-1, 0) : a;
    case ISA_CVT: return k ? word_range(-1, 0) : converted_range(w, in);
    case ISA_LD:
    case ISA_LDC:
    case ISA_ATOM:
        return in->mod.mem_bytes > 4 ? full
            : in->mod.mem_bytes == 4 ? loaded
                                     : of_type(in->mod.type);
    case ISA_SHFL: return a;
    case ISA_BAR: return word_range(0, 1024);
    default: return full;
    }
}

// A range that keeps growing belongs to a value that is computed from itself.
static Range widen_range(Range old, Range now, int round) {
    if (round < SETTLED || is_empty(old)) return now;
    return is_inside(now, (Range){half.lo - STEP, half.hi + STEP}) ? half : full;
}

static bool define_unit(Widths *w, int unit, Range r, int round) {
    if (w->again) {
        w->again[unit] = join_ranges(w->again[unit], r);
        return false;
    }
    Range *old = &w->range[unit], now = w->is_float[unit] ? full : join_ranges(*old, r);
    if (is_inside(now, *old)) return false;
    now = widen_range(*old, now, round);
    const bool changed = !is_inside(now, *old);
    *old = now;
    return changed;
}

static bool define_all(Widths *w, const IrInst *in, int round) {
    bool changed = false;
    const int first = w->unit[in->dst], words = w->ir->width[in->dst];
    if (in->op == IR_JOIN) {
        for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
            for (int k = 0; k < in->src[i].width; k++)
                changed |= define_unit(w, first + at + k, source_range(w, &in->src[i], k), round);
        return changed;
    }
    const bool copy = in->op == IR_COPY || in->op == IR_SPLIT;
    const int skip = in->op == IR_SPLIT ? in->mod.mode : 0;
    for (int k = 0; k < words; k++)
        changed |= define_unit(
            w, first + k, copy ? source_range(w, &in->src[0], skip + k) : result_range(w, in, k),
            round);
    return changed;
}

static bool computes_floats(const IrInst *in) {
    switch (in->op) {
    case ISA_FADD:
    case ISA_FMUL:
    case ISA_FFMA:
    case ISA_FMNMX:
    case ISA_FSETP:
    case ISA_FDIV:
    case ISA_FRCP:
    case ISA_FSQRT:
    case ISA_MUFU:
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DSETP:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU:
    case ISA_HADD:
    case ISA_HMUL:
    case ISA_HFMA:
    case ISA_HMNMX:
    case ISA_HSETP: return true;
    case ISA_CVT: return in->mod.stype >= ISA_F16;
    default: return false;
    }
}

static void find_floats(Widths *w, const IrInst *in) {
    for (int i = 0; computes_floats(in) && i < in->nsrc; i++)
        for (int k = 0; in->src[i].kind == ISA_SRC_REG && k < w->ir->width[in->src[i].reg]; k++)
            w->is_float[w->unit[in->src[i].reg] + k] = true;
}

static bool sweep_insts(Widths *w, int round) {
    bool changed = false;
    for (int b = 0; b < w->ir->nblocks; b++)
        for (int k = 0; k < w->ir->blocks[b].ninsts; k++) {
            const IrInst *in = w->ir->blocks[b].insts[k];
            if (in->dst != IR_NONE && w->ir->width[in->dst]) changed |= define_all(w, in, round);
        }
    return changed;
}

// Ranges that grew with a source before it had settled shrink to the sources' current ranges.
static void narrow_ranges(Widths *w, int nunits, Range *fresh) {
    for (int u = 0; u < nunits; u++) fresh[u] = none;
    w->again = fresh;
    sweep_insts(w, ROUNDS);
    w->again = NULL;
    for (int u = 0; u < nunits; u++) {
        Range *r = &w->range[u];
        if (w->is_float[u] || is_empty(*r) || is_empty(fresh[u])) continue;
        const Range both = {fresh[u].lo > r->lo ? fresh[u].lo : r->lo,
                            fresh[u].hi < r->hi ? fresh[u].hi : r->hi};
        if (!is_empty(both)) *r = both;
    }
}

uint8_t *width_estimate(const Ir *ir, const Live *live, int threads, Arena *arena) {
    Widths w = {ir,
                live->unit,
                ARENA_ARRAY(arena, Range, live->nunits + 1),
                NULL,
                ARENA_ARRAY(arena, bool, live->nunits + 1),
                threads ? threads : 256};
    Range *fresh = ARENA_ARRAY(arena, Range, live->nunits + 1);
    uint8_t *bytes = ARENA_ARRAY(arena, uint8_t, live->nunits + 1);
    for (int u = 0; u < live->nunits; u++) w.range[u] = none;
    for (int b = 0; b < ir->nblocks; b++)
        for (int k = 0; k < ir->blocks[b].ninsts; k++) find_floats(&w, ir->blocks[b].insts[k]);
    for (int round = 0; round < ROUNDS && sweep_insts(&w, round); round++) {}
    for (int i = 0; i < NARROWINGS; i++) narrow_ranges(&w, live->nunits, fresh);
    for (int u = 0; u < live->nunits; u++) {
        bytes[u] = 1;
        while (bytes[u] < 4 &&
               !is_inside(w.range[u],
                          (Range){-((int64_t)1 << (8 * bytes[u] - 1)),
                                  ((int64_t)1 << (8 * bytes[u] - 1)) - 1}))
            bytes[u]++;
    }
    return bytes;
}
