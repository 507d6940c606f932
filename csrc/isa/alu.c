// SPDX-License-Identifier: Apache-2.0
// Execution of one warp instruction: loops over 32 lanes around the functions of lane.h. The loops
// of common opcodes have no branch inside, so that the compiler turns them into vector code.
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")

#include "isa/lane.h"
#include "isa/mma.h"

#include "ptx/ptx.h"

typedef const uint32_t *restrict Words;
typedef uint32_t *restrict OutWords;

#define LANES(l) for (int l = 0; l < ISA_LANES; l++)

static const uint32_t zeros[ISA_LANES] __attribute__((aligned(64)));

// Word w of source i; absent sources read zero.
static inline const uint32_t *source_word(const IsaExecIn *x, int i, int w) {
    return x->src[i][w] ? x->src[i][w] : zeros;
}
static inline uint64_t join_pair(const uint32_t *lo, const uint32_t *hi, int l) {
    return (uint64_t)hi[l] << 32 | lo[l];
}
static inline void put_pair(IsaExecOut *out, int l, uint64_t v) {
    out->dst[0][l] = (uint32_t)v;
    out->dst[1][l] = (uint32_t)(v >> 32);
}

// ---- 32-bit integers ----

static inline void loop_add(Words a, Words b, OutWords d) { LANES(l) d[l] = a[l] + b[l]; }
static inline void loop_sub(Words a, Words b, OutWords d) { LANES(l) d[l] = a[l] - b[l]; }

// Adds with inversion masks and carry: every form of IADD.
static uint32_t add_carry(Words a, Words b, OutWords d, bool na, bool nb, bool has_cin,
                          uint32_t cin) {
    uint32_t ia = na ? ~0u : 0, ib = nb ? ~0u : 0, out = 0;
    uint64_t plus = has_cin ? 0 : (uint64_t)na + nb;
    LANES(l) {
        uint64_t s = (uint64_t)(a[l] ^ ia) + (b[l] ^ ib) + plus + (has_cin ? cin >> l & 1 : 0);
        d[l] = (uint32_t)s;
        out |= (uint32_t)(s >> 32 != 0) << l;
    }
    return out;
}

static void exec_iadd(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *b = source_word(x, 1, 0);
    bool na = in->src[0].neg, nb = in->src[1].neg;
    bool simple = !in->has_cin && in->pdst[0] == ISA_PT;
    if (simple && !na && !nb) loop_add(a, b, out->dst[0]);
    else if (simple && !na) loop_sub(a, b, out->dst[0]);
    else if (simple && !nb) loop_sub(b, a, out->dst[0]);
    else out->pdst[0] = add_carry(a, b, out->dst[0], na, nb, in->has_cin, x->psrc[0]);
}

static inline void loop_mul(Words a, Words b, OutWords d) { LANES(l) d[l] = a[l] * b[l]; }
static inline void loop_mad(Words a, Words b, Words c, OutWords d) {
    LANES(l) d[l] = a[l] * b[l] + c[l];
}

static inline uint64_t product_of(uint32_t a, uint32_t b, bool is_signed) {
    return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

static void mul_wide(Words a, Words b, OutWords lo, OutWords hi, bool is_signed) {
    if (is_signed) {
        LANES(l) {
            int64_t p = (int64_t)(int32_t)a[l] * (int32_t)b[l];
            lo[l] = (uint32_t)p;
            hi[l] = (uint32_t)((uint64_t)p >> 32);
        }
    } else {
        LANES(l) {
            uint64_t p = (uint64_t)a[l] * b[l];
            lo[l] = (uint32_t)p;
            hi[l] = (uint32_t)(p >> 32);
        }
    }
}

static void mad_wide(Words a, Words b, Words c0, Words c1, OutWords lo, OutWords hi,
                     bool is_signed) {
    LANES(l) {
        uint64_t p = product_of(a[l], b[l], is_signed) + ((uint64_t)c1[l] << 32 | c0[l]);
        lo[l] = (uint32_t)p;
        hi[l] = (uint32_t)(p >> 32);
    }
}

// A source with its sign changed, in `hold` when that needs work.
static const uint32_t *negate_source(const uint32_t *a, bool neg, uint32_t *hold) {
    if (!neg) return a;
    LANES(l) hold[l] = 0 - a[l];
    return hold;
}

static void exec_imul(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t ha[ISA_LANES], hb[ISA_LANES];
    const uint32_t *a = negate_source(source_word(x, 0, 0), in->src[0].neg, ha);
    const uint32_t *b = negate_source(source_word(x, 1, 0), in->src[1].neg, hb);
    bool is_signed = in->type == ISA_S32;
    if (in->part == ISA_LO) {
        loop_mul(a, b, out->dst[0]);
    } else if (in->part == ISA_WIDE) {
        mul_wide(a, b, out->dst[0], out->dst[1], is_signed);
    } else {
        OutWords d = out->dst[0];
        LANES(l) d[l] = (uint32_t)(product_of(a[l], b[l], is_signed) >> 32);
    }
}

static void exec_imad(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t ha[ISA_LANES], hb[ISA_LANES];
    const uint32_t *a = negate_source(source_word(x, 0, 0), in->src[0].neg, ha);
    const uint32_t *b = negate_source(source_word(x, 1, 0), in->src[1].neg, hb);
    const uint32_t *c = source_word(x, 2, 0), *c1 = source_word(x, 2, 1);
    bool is_signed = in->type == ISA_S32, nc = in->src[2].neg;
    bool simple = !in->has_cin && in->pdst[0] == ISA_PT && !nc;
    if (in->part == ISA_WIDE) {
        uint32_t h0[ISA_LANES], h1[ISA_LANES];
        if (nc) {
            LANES(l) {
                uint64_t v = 0 - join_pair(c, c1, l);
                h0[l] = (uint32_t)v;
                h1[l] = (uint32_t)(v >> 32);
            }
            c = h0;
            c1 = h1;
        }
        mad_wide(a, b, c, c1, out->dst[0], out->dst[1], is_signed);
    } else if (simple && in->part == ISA_LO) {
        loop_mad(a, b, c, out->dst[0]);
    } else {
        uint32_t p[ISA_LANES];
        bool hi = in->part == ISA_HI;
        LANES(l) {
            uint64_t v = product_of(a[l], b[l], is_signed);
            p[l] = (uint32_t)(hi ? v >> 32 : v);
        }
        out->pdst[0] = add_carry(p, c, out->dst[0], false, nc, in->has_cin, x->psrc[0]);
    }
}

static void exec_lea(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t ha[ISA_LANES], hb[ISA_LANES];
    Words a = negate_source(source_word(x, 0, 0), in->src[0].neg, ha);
    Words b = negate_source(source_word(x, 1, 0), in->src[1].neg, hb);
    OutWords d = out->dst[0];
    uint32_t s = in->shift & 31;
    LANES(l) d[l] = (a[l] << s) + b[l];
}

static void exec_imnmx(const IsaInst *in, Words a, Words b, OutWords d) {
    bool max = in->mode & 1;
    if (in->type == ISA_S32) {
        if (max) LANES(l) d[l] = (int32_t)a[l] > (int32_t)b[l] ? a[l] : b[l];
        else LANES(l) d[l] = (int32_t)a[l] < (int32_t)b[l] ? a[l] : b[l];
    } else {
        if (max) LANES(l) d[l] = a[l] > b[l] ? a[l] : b[l];
        else LANES(l) d[l] = a[l] < b[l] ? a[l] : b[l];
    }
}

static void exec_sad(const IsaInst *in, Words a, Words b, Words c, OutWords d) {
    if (in->type == ISA_S32)
        LANES(l) d[l] = c[l] + ((int32_t)a[l] > (int32_t)b[l] ? a[l] - b[l] : b[l] - a[l]);
    else LANES(l) d[l] = c[l] + (a[l] > b[l] ? a[l] - b[l] : b[l] - a[l]);
}

static void exec_lop3(const IsaInst *in, Words a, Words b, Words c, OutWords d) {
    switch (in->lut) {  // the functions of two operands that PTX's and/or/xor/not become
    case ISA_LUT_AND: LANES(l) d[l] = a[l] & b[l]; return;
    case ISA_LUT_OR: LANES(l) d[l] = a[l] | b[l]; return;
    case ISA_LUT_XOR: LANES(l) d[l] = a[l] ^ b[l]; return;
    case 0x0f: LANES(l) d[l] = ~a[l]; return;
    default: break;
    }
    uint32_t m[8];
    for (int i = 0; i < 8; i++) m[i] = in->lut >> i & 1 ? ~0u : 0;
    LANES(l) {
        uint32_t p = a[l], q = b[l], r = c[l];
        uint32_t hi = (q & ((r & m[7]) | (~r & m[6]))) | (~q & ((r & m[5]) | (~r & m[4])));
        uint32_t lo = (q & ((r & m[3]) | (~r & m[2]))) | (~q & ((r & m[1]) | (~r & m[0])));
        d[l] = (p & hi) | (~p & lo);
    }
}

static void exec_shift(const IsaInst *in, Words a, Words b, OutWords d) {
    if (in->op == ISA_SHL) LANES(l) d[l] = b[l] > 31 ? 0 : a[l] << (b[l] & 31);
    else if (in->type == ISA_S32)
        LANES(l) d[l] = (uint32_t)((int32_t)a[l] >> (b[l] > 31 ? 31 : b[l]));
    else LANES(l) d[l] = b[l] > 31 ? 0 : a[l] >> (b[l] & 31);
}

static void exec_shf(const IsaInst *in, Words a, Words b, Words c, OutWords d) {
    bool left = in->mode & 1, wrap = in->mode & 2;
    uint32_t and = wrap ? 31 : ~0u, most = 32;
    if (left) LANES(l) {
            uint32_t n = (b[l] & and) > most ? most : b[l] & and;
            d[l] = (uint32_t)(((uint64_t)c[l] << 32 | a[l]) << n >> 32);
        }
    else LANES(l) {
            uint32_t n = (b[l] & and) > most ? most : b[l] & and;
            d[l] = (uint32_t)(((uint64_t)c[l] << 32 | a[l]) >> n);
        }
}

static void exec_shf64(const IsaInst *in, Words a, Words b, Words c, OutWords d) {
    bool left = in->mode & 1, arithmetic = in->type == ISA_S64;
    LANES(l) {
        uint64_t v = (uint64_t)c[l] << 32 | a[l];
        d[l] = left ? (uint32_t)(lane_shl64(v, b[l]) >> 32)
                    : (uint32_t)(arithmetic ? lane_shr_s64(v, b[l]) : lane_shr_u64(v, b[l]));
    }
}

static void exec_ext(const IsaInst *in, Words a, OutWords d) {
    switch (in->type) {
    case ISA_U8: LANES(l) d[l] = a[l] & 0xff; break;
    case ISA_S8: LANES(l) d[l] = (uint32_t)(int32_t)(int8_t)a[l]; break;
    case ISA_S16: LANES(l) d[l] = (uint32_t)(int32_t)(int16_t)a[l]; break;
    default: LANES(l) d[l] = a[l] & 0xffff; break;
    }
}

static void exec_idiv(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *b = source_word(x, 1, 0), *a1 = source_word(x, 0, 1),
                   *b1 = source_word(x, 1, 1);
    bool rem = in->mode & 1;
    LANES(l) {
        if (!(x->active >> l & 1)) {
            put_pair(out, l, 0);
            continue;
        }
        uint64_t v;
        switch (in->type) {
        case ISA_S32: v = rem ? lane_rem_s32(a[l], b[l]) : lane_div_s32(a[l], b[l]); break;
        case ISA_U64:
        case ISA_S64: {
            uint64_t p = join_pair(a, a1, l), q = join_pair(b, b1, l);
            if (in->type == ISA_U64) v = rem ? lane_rem_u64(p, q) : lane_div_u64(p, q);
            else v = rem ? lane_rem_s64(p, q) : lane_div_s64(p, q);
            break;
        }
        default: v = rem ? lane_rem_u32(a[l], b[l]) : lane_div_u32(a[l], b[l]); break;
        }
        put_pair(out, l, v);
    }
}

// ---- predicates ----

static inline uint32_t combine_preds(IsaBool op, uint32_t r, uint32_t p) {
    return op == ISA_AND ? r & p : op == ISA_OR ? r | p : r ^ p;
}

static void finish_setp(const IsaInst *in, uint32_t r, uint32_t p, IsaExecOut *out) {
    out->pdst[0] = combine_preds(in->boolop, r, p);
    out->pdst[1] = combine_preds(in->boolop, ~r, p);
}

// Lane masks of a < b and a == b.
static void masks_s32(Words a, Words b, uint32_t *lt, uint32_t *eq) {
    uint32_t p = 0, q = 0;
    LANES(l) {
        p |= (uint32_t)((int32_t)a[l] < (int32_t)b[l]) << l;
        q |= (uint32_t)(a[l] == b[l]) << l;
    }
    *lt = p;
    *eq = q;
}
static void masks_u32(Words a, Words b, uint32_t *lt, uint32_t *eq) {
    uint32_t p = 0, q = 0;
    LANES(l) {
        p |= (uint32_t)(a[l] < b[l]) << l;
        q |= (uint32_t)(a[l] == b[l]) << l;
    }
    *lt = p;
    *eq = q;
}

static uint32_t select_outcome(IsaCmp cmp, uint32_t lt, uint32_t eq, uint32_t gt) {
    unsigned mask = lane_cmp_mask(cmp);
    return (mask & 1 ? lt : 0) | (mask & 2 ? eq : 0) | (mask & 4 ? gt : 0) |
        (mask & 8 ? ~(lt | eq | gt) : 0);
}

static void exec_isetp(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t lt, eq;
    if (in->type == ISA_S32) masks_s32(source_word(x, 0, 0), source_word(x, 1, 0), &lt, &eq);
    else masks_u32(source_word(x, 0, 0), source_word(x, 1, 0), &lt, &eq);
    uint32_t r = select_outcome(in->cmp, lt, eq, ~(lt | eq));
    if (in->mode & 1) r = (eq & x->psrc[1]) | (~eq & r);
    finish_setp(in, r, x->psrc[0], out);
}

static void exec_plop3(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t r = lane_lop3(x->psrc[0], x->psrc[1], x->psrc[2], in->lut);
    out->pdst[0] = r;
    out->pdst[1] = ~r;
}

static void exec_vote(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0);
    uint32_t result = 0;
    LANES(l) {
        uint32_t members = x->active & a[l], ballot = members & x->psrc[0];
        bool r = false;
        switch ((PtxVote)in->mode) {
        case PTX_VOTE_ALL: r = ballot == members; break;
        case PTX_VOTE_ANY: r = ballot != 0; break;
        case PTX_VOTE_UNI: r = ballot == members || ballot == 0; break;
        default: break;
        }
        out->dst[0][l] = ballot;
        result |= (uint32_t)r << l;
    }
    out->pdst[0] = result;
    out->pdst[1] = ~result;
}

static void exec_match(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *a1 = source_word(x, 0, 1),
                   *mask = source_word(x, 1, 0);
    uint32_t all = 0;
    LANES(l) {
        uint32_t members = x->active & mask[l], same = 0;
        for (int k = 0; k < ISA_LANES; k++)
            if (members >> k & 1 && join_pair(a, a1, k) == join_pair(a, a1, l)) same |= 1u << k;
        bool everyone = same == members;
        out->dst[0][l] = in->mode == PTX_VOTE_ALL && !everyone ? 0 : same;
        all |= (uint32_t)everyone << l;
    }
    out->pdst[0] = all;
}

static void exec_redux(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *mask = source_word(x, 1, 0);
    LANES(l) {
        uint32_t members = x->active & mask[l], r = 0;
        bool first = true;
        for (int k = 0; k < ISA_LANES; k++) {
            if (!(members >> k & 1)) continue;
            r = first ? a[k] : (uint32_t)lane_atomic(in->mode, in->type, false, r, a[k], 0);
            first = false;
        }
        out->dst[0][l] = r;
    }
}

static void exec_shfl(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *b = source_word(x, 1, 0), *c = source_word(x, 2, 0);
    uint32_t in_range = 0;
    for (int l = 0; l < ISA_LANES; l++) {
        int bval = (int)(b[l] & 31), seg = (int)(c[l] >> 8 & 31), cval = (int)(c[l] & 31);
        int last = (l & seg) | (cval & ~seg), j;
        bool ok;
        switch ((PtxShfl)in->mode) {
        case PTX_SHFL_UP:
            j = l - bval;
            ok = j >= last;
            break;
        case PTX_SHFL_DOWN:
            j = l + bval;
            ok = j <= last;
            break;
        case PTX_SHFL_BFLY:
            j = l ^ bval;
            ok = j <= last;
            break;
        default:
            j = (l & seg) | (bval & ~seg);
            ok = j <= last;
            break;
        }
        // PTX leaves the value of an inactive source lane open; here the lane keeps its own.
        out->dst[0][l] = ok && (x->active >> (j & 31) & 1) ? a[j & 31] : a[l];
        in_range |= (uint32_t)ok << l;
    }
    out->pdst[0] = in_range;
}

// ---- f32 ----

static const uint32_t *sign_f32(const uint32_t *a, const IsaSrc *s, uint32_t *hold) {
    if (!s->neg && !s->abs) return a;
    uint32_t keep = s->abs ? 0x7fffffffu : ~0u, flip = s->neg ? 0x80000000u : 0;
    LANES(l) hold[l] = (a[l] & keep) ^ flip;
    return hold;
}

// Instantiates a loop for the usual roundings and flags, so that each is branch-free.
#define FLOAT_LOOP(call) \
    do { \
        if (in->rnd == ISA_RN && !in->sat) { \
            if (in->ftz) { \
                LANES(l) d[l] = call(ISA_RN, true, false); \
            } else { \
                LANES(l) d[l] = call(ISA_RN, false, false); \
            } \
        } else if (in->rnd == ISA_RM) { \
            LANES(l) d[l] = call(ISA_RM, in->ftz, in->sat); \
        } else { \
            LANES(l) d[l] = call(in->rnd, in->ftz, in->sat); \
        } \
    } while (0)

// Is one of the results +-2^-126? With .ftz, products and fused sums look again at it (lane.h).
static bool has_least(Words d) {
    uint32_t some = 0;
    LANES(l) some |= (uint32_t)lane_f32_is_least(d[l]);
    return some;
}

static void loop_fadd(const IsaInst *in, Words a, Words b, OutWords d) {
#define CALL(rnd, ftz, sat) lane_f32_add(a[l], b[l], rnd, ftz, sat)
    FLOAT_LOOP(CALL);
#undef CALL
}
static void loop_fmul(const IsaInst *in, Words a, Words b, OutWords d) {
#define CALL(rnd, ftz, sat) lane_f32_mul_draft(a[l], b[l], rnd, ftz, sat)
    FLOAT_LOOP(CALL);
#undef CALL
    if (in->ftz && has_least(d)) LANES(l) d[l] = lane_f32_mul(a[l], b[l], in->rnd, true, in->sat);
}
static void loop_ffma(const IsaInst *in, Words a, Words b, Words c, OutWords d) {
#define CALL(rnd, ftz, sat) lane_f32_fma_draft(a[l], b[l], c[l], rnd, ftz, sat)
    FLOAT_LOOP(CALL);
#undef CALL
    if (in->ftz && has_least(d))
        LANES(l) d[l] = lane_f32_fma(a[l], b[l], c[l], in->rnd, true, in->sat);
}

static void masks_f32(Words a, Words b, bool ftz, uint32_t *lt, uint32_t *eq, uint32_t *gt) {
    uint32_t p = 0, q = 0, r = 0;
    if (ftz) {
        LANES(l) {
            float x = lane_f32(lane_f32_flush(a[l])), y = lane_f32(lane_f32_flush(b[l]));
            p |= (uint32_t)(x < y) << l;
            q |= (uint32_t)(x == y) << l;
            r |= (uint32_t)(x > y) << l;
        }
    } else {
        LANES(l) {
            float x = lane_f32(a[l]), y = lane_f32(b[l]);
            p |= (uint32_t)(x < y) << l;
            q |= (uint32_t)(x == y) << l;
            r |= (uint32_t)(x > y) << l;
        }
    }
    *lt = p;
    *eq = q;
    *gt = r;
}

static void exec_f32(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t hold[3][ISA_LANES] __attribute__((aligned(64)));
    const uint32_t *a = sign_f32(source_word(x, 0, 0), &in->src[0], hold[0]);
    const uint32_t *b = sign_f32(source_word(x, 1, 0), &in->src[1], hold[1]);
    const uint32_t *c = sign_f32(source_word(x, 2, 0), &in->src[2], hold[2]);
    OutWords d = out->dst[0];
    bool ftz = in->ftz;
    uint32_t lt, eq, gt;
    switch (in->op) {
    case ISA_FADD: loop_fadd(in, a, b, d); break;
    case ISA_FMUL: loop_fmul(in, a, b, d); break;
    case ISA_FFMA: loop_ffma(in, a, b, c, d); break;
    case ISA_FMNMX:
        if (in->mode & 4)
            LANES(l) d[l] = lane_f32_xorsign(a[l], b[l], in->mode & 1, in->mode & 2, ftz);
        else if (in->mode & 1) LANES(l) d[l] = lane_f32_minmax(a[l], b[l], true, in->mode & 2, ftz);
        else LANES(l) d[l] = lane_f32_minmax(a[l], b[l], false, in->mode & 2, ftz);
        break;
    case ISA_FSETP:
        masks_f32(a, b, ftz, &lt, &eq, &gt);
        finish_setp(in, select_outcome(in->cmp, lt, eq, gt), x->psrc[0], out);
        break;
    case ISA_FDIV:
        if (in->approx && in->mode) LANES(l) d[l] = lane_f32_div_full(a[l], b[l], ftz);
        else if (in->approx) LANES(l) d[l] = lane_f32_div_approx(a[l], b[l], ftz);
        else LANES(l) d[l] = lane_f32_div(a[l], b[l], in->rnd, ftz);
        break;
    case ISA_FRCP: LANES(l) d[l] = lane_f32_rcp(a[l], in->rnd, ftz); break;
    case ISA_FSQRT: LANES(l) d[l] = lane_f32_sqrt(a[l], in->rnd, ftz); break;
    default:  // MUFU
        if (in->mufu == ISA_MUFU_RCP && !ftz) {
            LANES(l) d[l] = lane_f32_canon(1.0f / lane_f32(a[l]));
            break;
        }
        LANES(l) d[l] = x->active >> l & 1 ? lane_mufu(in->mufu, a[l], ftz) : 0;
        break;
    }
}

// ---- halves ----

static void exec_half(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t hold[3][ISA_LANES] __attribute__((aligned(64)));
    const uint32_t *v[3];
    for (int i = 0; i < 3; i++) {
        const uint32_t keep = in->src[i].abs ? 0x7fff7fffu : ~0u,
                       flip = in->src[i].neg ? 0x80008000u : 0;
        v[i] = source_word(x, i, 0);
        if (in->src[i].kind == ISA_SRC_NONE || (!in->src[i].abs && !in->src[i].neg)) continue;
        LANES(l) hold[i][l] = (v[i][l] & keep) ^ flip;
        v[i] = hold[i];
    }
    if (in->op == ISA_HSETP) {
        const bool packed = in->type == ISA_F16X2 || in->type == ISA_BF16X2;
        uint32_t low = 0, high = 0;
        LANES(l) {
            low |= (uint32_t)lane_half_compare(in->cmp, in->type, in->ftz, v[0][l], v[1][l]) << l;
            high |= (uint32_t)lane_half_compare(in->cmp, in->type, in->ftz, v[0][l] >> 16,
                                                v[1][l] >> 16)
                << l;
        }
        out->pdst[0] = combine_preds(in->boolop, low, x->psrc[0]);
        out->pdst[1] = combine_preds(in->boolop, packed ? high : ~low, x->psrc[0]);
        return;
    }
    static const LaneHalf ops[] = {LANE_HADD, LANE_HMUL, LANE_HFMA, LANE_HMNMX};
    const bool extreme = in->op == ISA_HMNMX;
    const LaneHalfMods m = {.ftz = in->ftz,
                            .sat = in->sat,
                            .relu = !extreme && in->mode & 1,
                            .max = in->mode & 1,
                            .nan = in->mode & 2,
                            .xorsign = in->mode & 4};
    const bool fused = in->op == ISA_HFMA;
    LANES(l)
    out->dst[0][l] = x->active >> l & 1
        ? lane_half_op(ops[in->op - ISA_HADD], in->type, v[0][l], v[1][l], fused ? v[2][l] : 0, &m)
        : 0;
}

// ---- f64 ----

static inline uint64_t source_f64(const IsaInst *in, const IsaExecIn *x, int i, int l) {
    uint64_t v = join_pair(source_word(x, i, 0), source_word(x, i, 1), l);
    if (in->src[i].abs) v &= ~0ull >> 1;
    return in->src[i].neg ? v ^ 1ull << 63 : v;
}

static void exec_dsetp(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t r = 0;
    LANES(l) {
        bool t = lane_cmp_f64(in->cmp, source_f64(in, x, 0, l), source_f64(in, x, 1, l));
        r |= (uint32_t)t << l;
    }
    finish_setp(in, r, x->psrc[0], out);
}

static inline uint64_t f64_lane(const IsaInst *in, uint64_t a, uint64_t b, uint64_t c) {
    switch (in->op) {
    case ISA_DADD: return lane_f64_add(a, b, in->rnd);
    case ISA_DMUL: return lane_f64_mul(a, b, in->rnd);
    case ISA_DFMA: return lane_f64_fma(a, b, c, in->rnd);
    case ISA_DMNMX: return lane_f64_minmax(a, b, in->mode & 1);
    case ISA_DDIV: return lane_f64_div(a, b, in->rnd);
    case ISA_DRCP: return lane_f64_rcp(a, in->rnd);
    case ISA_DSQRT: return lane_f64_sqrt(a, in->rnd);
    default: return lane_dmufu(in->mufu, a, in->ftz);
    }
}

static void exec_f64(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint64_t v[3][ISA_LANES] __attribute__((aligned(64)));
    for (int i = 0; i < 3; i++) {
        if (in->src[i].kind == ISA_SRC_NONE) memset(v[i], 0, sizeof v[i]);
        else LANES(l) v[i][l] = source_f64(in, x, i, l);
    }
    const uint64_t *restrict a = v[0], *restrict b = v[1], *restrict c = v[2];
    uint64_t r[ISA_LANES] __attribute__((aligned(64)));
    if (in->rnd == ISA_RN && in->op == ISA_DADD) LANES(l) r[l] = lane_f64_add(a[l], b[l], ISA_RN);
    else if (in->rnd == ISA_RN && in->op == ISA_DMUL)
        LANES(l) r[l] = lane_f64_mul(a[l], b[l], ISA_RN);
    else if (in->rnd == ISA_RN && in->op == ISA_DFMA)
        LANES(l) r[l] = lane_f64_fma(a[l], b[l], c[l], ISA_RN);
    else LANES(l) r[l] = x->active >> l & 1 ? f64_lane(in, a[l], b[l], c[l]) : 0;
    LANES(l) put_pair(out, l, r[l]);
}

// ---- conversion ----

static void convert_any(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *a1 = source_word(x, 0, 1);
    bool wide = isa_type_bytes(in->stype) == 8;
    uint64_t sign = in->stype == ISA_F64                 ? 1ull << 63
        : in->stype == ISA_F32                           ? 1ull << 31
        : in->stype == ISA_F16 || in->stype == ISA_BF16  ? 1ull << 15
        : in->stype == ISA_E4M3 || in->stype == ISA_E5M2 ? 1ull << 7
                                                         : 0;
    const LaneCvtMods m = {in->ftz, in->sat, in->mode & ISA_CVT_RELU, in->mode & ISA_CVT_SATFINITE};
    LANES(l) {
        uint64_t v = wide ? join_pair(a, a1, l) : a[l];
        if (in->src[0].abs) v &= ~sign;
        if (in->src[0].neg) v ^= sign;
        put_pair(out, l,
                 x->active >> l & 1 ? lane_cvt_mods(in->type, in->stype, in->rnd, &m, v) : 0);
    }
}

// cvt.f32.f32: saturation, or rounding to integral.
static bool convert_f32(const IsaInst *in, Words a, OutWords d) {
    const bool integral = isa_round_is_integral(in->rnd);
    if (!integral && in->sat) {
        LANES(l) d[l] = lane_f32_saturate(a[l]);
        return true;
    }
    if (in->sat || !integral) return false;
    switch (in->rnd) {
    case ISA_RNI: LANES(l) d[l] = lane_f32_canon(__builtin_rintf(lane_f32(a[l]))); break;
    case ISA_RZI: LANES(l) d[l] = lane_f32_canon(__builtin_truncf(lane_f32(a[l]))); break;
    case ISA_RMI: LANES(l) d[l] = lane_f32_canon(__builtin_floorf(lane_f32(a[l]))); break;
    default: LANES(l) d[l] = lane_f32_canon(__builtin_ceilf(lane_f32(a[l]))); break;
    }
    return true;
}

// The conversions that kernels use most, without branches. False: not one of them.
static bool convert_fast(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    Words a = source_word(x, 0, 0), a1 = source_word(x, 0, 1);
    OutWords d = out->dst[0], d1 = out->dst[1];
    bool plain = !in->ftz && !in->sat && !in->src[0].neg && !in->src[0].abs;
    if (in->type == ISA_F32 && in->stype == ISA_F32 && !in->ftz && !in->src[0].neg &&
        !in->src[0].abs)
        return convert_f32(in, a, d);
    if (!plain) return false;
    if (in->type == ISA_F32 && in->stype == ISA_S32 && in->rnd == ISA_RN) {
        LANES(l) d[l] = lane_b32((float)(int32_t)a[l]);
    } else if (in->type == ISA_F32 && in->stype == ISA_U32 && in->rnd == ISA_RN) {
        LANES(l) d[l] = lane_b32((float)a[l]);
    } else if (in->type == ISA_S32 && in->stype == ISA_F32 && in->rnd == ISA_RZI) {
        LANES(l) {
            double v = (double)lane_f32(a[l]);
            v = v < 2147483647.0 ? v : 2147483647.0;
            v = v > -2147483648.0 ? v : -2147483648.0;
            d[l] = lane_f32_is_nan(a[l]) ? 0 : (uint32_t)(int32_t)v;
        }
    } else if (in->type == ISA_F64 && in->stype == ISA_S32) {
        LANES(l) put_pair(out, l, lane_b64((double)(int32_t)a[l]));
    } else if (in->type == ISA_F64 && in->stype == ISA_F32) {
        LANES(l) {
            float f = lane_f32(a[l]);
            uint64_t nan = lane_f32_is_nan(a[l]) ? (uint64_t)(a[l] & 0x80000000u) << 32 |
                    0x7ff8000000000000ull | (uint64_t)(a[l] & 0x7fffff) << 29
                                                 : 0;
            uint64_t v = nan ? nan : lane_b64((double)f);
            d[l] = (uint32_t)v;
            d1[l] = (uint32_t)(v >> 32);
        }
    } else if (in->type == ISA_F32 && in->stype == ISA_F64 && in->rnd == ISA_RN) {
        LANES(l) d[l] = lane_f32_canon((float)lane_f64((uint64_t)a1[l] << 32 | a[l]));
    } else {
        return false;
    }
    return true;
}

// ---- dispatch ----

static void exec_bits(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    Words a = source_word(x, 0, 0), b = source_word(x, 1, 0), c = source_word(x, 2, 0);
    OutWords d = out->dst[0];
    bool sign = in->type == ISA_S32;
    uint8_t m = in->mode;
    switch (in->op) {
    case ISA_BFE: LANES(l) d[l] = (uint32_t)lane_bfe(a[l], b[l], c[l], 32, sign); break;
    case ISA_BFI: LANES(l) d[l] = (uint32_t)lane_bfi(a[l], b[l], c[l], c[l] >> 8, 32); break;
    case ISA_PRMT: LANES(l) d[l] = lane_prmt(a[l], c[l], b[l], m); break;
    case ISA_POPC: LANES(l) d[l] = (uint32_t)__builtin_popcount(a[l]); break;
    case ISA_CLZ: LANES(l) d[l] = lane_clz32(a[l]); break;
    case ISA_BREV: LANES(l) d[l] = lane_brev32(a[l]); break;
    case ISA_FLO: LANES(l) d[l] = lane_bfind(a[l], 32, sign, m & 1); break;
    case ISA_FNS: LANES(l) d[l] = lane_fns(a[l], b[l], c[l]); break;
    case ISA_BMSK: LANES(l) d[l] = lane_bmsk(a[l], b[l], m & 1); break;
    case ISA_DP4A: LANES(l) d[l] = lane_dp4a(a[l], b[l], c[l], m & 1, m & 2); break;
    case ISA_DP2A: LANES(l) d[l] = lane_dp2a(a[l], b[l], c[l], m & 1, m & 2, m & 4); break;
    default:
        LANES(l) d[l] = lane_vabsdiff(a[l], b[l], c[l], m & 1, m & 2, sign, m & 8, m & 4, m & 16);
        break;
    }
}

static void exec_mov(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    for (int w = 0; w < in->dst_width; w++)
        memcpy(out->dst[w], source_word(x, 0, w), sizeof out->dst[w]);
}

static void exec_sel(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    uint32_t p = x->psrc[0];
    for (int w = 0; w < in->dst_width; w++) {
        Words a = source_word(x, 0, w), b = source_word(x, 1, w);
        OutWords d = out->dst[w];
        LANES(l) d[l] = p >> l & 1 ? a[l] : b[l];
    }
}

void isa_exec(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out) {
    const uint32_t *a = source_word(x, 0, 0), *b = source_word(x, 1, 0), *c = source_word(x, 2, 0);
    uint32_t *d = out->dst[0];
    switch (in->op) {
    case ISA_MOV: exec_mov(in, x, out); break;
    case ISA_SEL: exec_sel(in, x, out); break;
    case ISA_IADD: exec_iadd(in, x, out); break;
    case ISA_IMUL: exec_imul(in, x, out); break;
    case ISA_IMAD: exec_imad(in, x, out); break;
    case ISA_LEA: exec_lea(in, x, out); break;
    case ISA_IMNMX: exec_imnmx(in, a, b, d); break;
    case ISA_IABS: LANES(l) d[l] = (int32_t)a[l] < 0 ? 0 - a[l] : a[l]; break;
    case ISA_SAD: exec_sad(in, a, b, c, d); break;
    case ISA_LOP3: exec_lop3(in, a, b, c, d); break;
    case ISA_SHL:
    case ISA_SHR: exec_shift(in, a, b, d); break;
    case ISA_SHF: exec_shf(in, a, b, c, d); break;
    case ISA_SHF64: exec_shf64(in, a, b, c, d); break;
    case ISA_EXT: exec_ext(in, a, d); break;
    case ISA_BFE:
    case ISA_BFI:
    case ISA_PRMT:
    case ISA_POPC:
    case ISA_CLZ:
    case ISA_BREV:
    case ISA_FLO:
    case ISA_FNS:
    case ISA_BMSK:
    case ISA_DP4A:
    case ISA_DP2A:
    case ISA_VABSDIFF4: exec_bits(in, x, out); break;
    case ISA_IDIV: exec_idiv(in, x, out); break;
    case ISA_ISETP: exec_isetp(in, x, out); break;
    case ISA_PLOP3: exec_plop3(in, x, out); break;
    case ISA_P2R: LANES(l) d[l] = x->psrc[0] >> l & 1 ? a[l] : 0; break;
    case ISA_VOTE: exec_vote(in, x, out); break;
    case ISA_MATCH: exec_match(in, x, out); break;
    case ISA_REDUX: exec_redux(in, x, out); break;
    case ISA_SHFL: exec_shfl(in, x, out); break;
    case ISA_FADD:
    case ISA_FMUL:
    case ISA_FFMA:
    case ISA_FMNMX:
    case ISA_FSETP:
    case ISA_FDIV:
    case ISA_FRCP:
    case ISA_FSQRT:
    case ISA_MUFU: exec_f32(in, x, out); break;
    case ISA_HADD:
    case ISA_HMUL:
    case ISA_HFMA:
    case ISA_HMNMX:
    case ISA_HSETP: exec_half(in, x, out); break;
    case ISA_MMA: mma_step(in->mode, x->active, x->src, out->dst); break;
    case ISA_DSETP: exec_dsetp(in, x, out); break;
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU: exec_f64(in, x, out); break;
    case ISA_CVT:
        if (!convert_fast(in, x, out)) convert_any(in, x, out);
        break;
    default: panic("%s does not execute in the arithmetic units", isa_op_info[in->op].name);
    }
}

uint64_t isa_atomic(uint8_t atom, IsaType type, bool global, uint64_t old, uint64_t b, uint64_t c) {
    return lane_atomic(atom, type, global, old, b, c);
}
