// SPDX-License-Identifier: Apache-2.0
// Handlers that execute a whole warp at once: most instructions of most kernels. Each equals the
// handler of its instruction in eval.c, oracle_exec.c or oracle_access.c. Handlers for memory run
// only without findings and race check.
#include "oracle/interp.h"

#include <string.h>

#define U32(x) ((uint32_t)(x))
#define S32(x) ((int32_t)(uint32_t)(x))
#define S64(x) ((int64_t)(x))

// The 32 values of a source. hold is the space for values that must be computed.
static inline const uint64_t *values_of(const OWarp *w, const OSrc *s, uint64_t hold[O_LANES]) {
    if (s->kind == OSRC_REG) return o_frame(w)->regs + (size_t)s->index * O_LANES;
    const OValues v = o_values(w, s, hold);
    if (!v.stride) {
        const uint64_t one = v.v[0];
        for (int l = 0; l < O_LANES; l++) hold[l] = one;
    }
    return hold;
}

static inline void put_lanes(const OWarp *w, const OInst *oi, uint32_t active,
                             const uint64_t r[O_LANES]) {
    uint64_t *d = o_frame(w)->regs + (size_t)oi->dst * O_LANES;
    if (active == ~0u) memcpy(d, r, O_LANES * sizeof *d);
    else
        O_FOR_LANES(l, active) d[l] = r[l];
}

// All lanes are computed: no expression has effects, and each is defined for all values.
#define FAST(name, nsrc, expr) FAST_THEN(name, nsrc, expr, (void)0)
// .ftz: results of the draft that equal +-2^-126 are checked again (isa/lane.h), for all lanes at
// once.
#define FAST_FTZ(name, nsrc, draft, expr) \
    FAST_THEN(name, nsrc, draft, if (has_least(r)) EACH_LANE(expr))
#define EACH_LANE(expr) \
    for (int l = 0; l < O_LANES; l++) { \
        const uint64_t a = va[l], b = vb[l], c = vc[l]; \
        (void)b, (void)c; \
        r[l] = (expr)&mask; \
    }
#define FAST_THEN(name, nsrc, expr, then) \
    static bool name(OWarp *w, const OInst *oi, uint32_t active) { \
        uint64_t hold[nsrc][O_LANES], r[O_LANES]; \
        const uint64_t mask = oi->mask, *va = values_of(w, &oi->src[0], hold[0]); \
        const uint64_t *vb = \
            (nsrc) > 1 ? values_of(w, &oi->src[1], hold[(nsrc) > 1 ? 1 : 0]) : va; \
        const uint64_t *vc = \
            (nsrc) > 2 ? values_of(w, &oi->src[2], hold[(nsrc) > 2 ? 2 : 0]) : va; \
        if (!active) return true; \
        EACH_LANE(expr) then; \
        put_lanes(w, oi, active, r); \
        return true; \
    }

static inline bool has_least(const uint64_t r[O_LANES]) {
    uint32_t some = 0;
    for (int l = 0; l < O_LANES; l++) some |= (uint32_t)lane_f32_is_least(U32(r[l]));
    return some;
}

FAST(f_mov, 1, a)
FAST(f_add, 2, a + b)
FAST(f_sub, 2, a - b)
FAST(f_mul, 2, a *b)
FAST(f_mad, 3, a *b + c)
FAST(f_mul_wide_u32, 2, (uint64_t)U32(a) * U32(b))
FAST(f_mul_wide_s32, 2, (uint64_t)((int64_t)S32(a) * S32(b)))
FAST(f_mad_wide_u32, 3, (uint64_t)U32(a) * U32(b) + c)
FAST(f_mad_wide_s32, 3, (uint64_t)((int64_t)S32(a) * S32(b)) + c)
FAST(f_mul_hi_u32, 2, (uint64_t)U32(a) * U32(b) >> 32)
FAST(f_mul_hi_s32, 2, (uint64_t)((int64_t)S32(a) * S32(b)) >> 32)
FAST(f_and, 2, a &b)
FAST(f_or, 2, a | b)
FAST(f_xor, 2, a ^ b)
FAST(f_not, 1, ~a)
FAST(f_neg, 1, 0 - a)
FAST(f_shl32, 2, U32(b) >= 32 ? 0 : a << (b & 31))
FAST(f_shl64, 2, U32(b) >= 64 ? 0 : a << (b & 63))
FAST(f_shr_u32, 2, U32(b) >= 32 ? 0 : U32(a) >> (b & 31))
FAST(f_shr_s32, 2, (uint64_t)(S32(a) >> (U32(b) >= 32 ? 31 : b & 31)))
FAST(f_shr_u64, 2, U32(b) >= 64 ? 0 : a >> (b & 63))
FAST(f_shr_s64, 2, (uint64_t)(S64(a) >> (U32(b) >= 64 ? 63 : b & 63)))
FAST(f_min_u32, 2, U32(a) < U32(b) ? a : b)
FAST(f_max_u32, 2, U32(a) < U32(b) ? b : a)
FAST(f_min_s32, 2, S32(a) < S32(b) ? a : b)
FAST(f_max_s32, 2, S32(a) < S32(b) ? b : a)
FAST(f_selp, 3, c ? a : b)
FAST(f_sext32, 1, (uint64_t)(int64_t)S32(a))
FAST(f_sext16, 1, (uint64_t)(int64_t)(int16_t)(uint16_t)a)
FAST(f_sext8, 1, (uint64_t)(int64_t)(int8_t)(uint8_t)a)
FAST(f_zext32, 1, U32(a))
FAST(f_zext16, 1, (uint16_t)a)
FAST(f_zext8, 1, (uint8_t)a)
#define FAST_F32(name, nsrc, function, ...) \
    FAST(name, nsrc, function(__VA_ARGS__, ISA_RN, false, false)) \
    FAST_FTZ(name##_ftz, nsrc, function##_draft(__VA_ARGS__, ISA_RN, true, false), \
             function(__VA_ARGS__, ISA_RN, true, false))
FAST(f_add_f32, 2, lane_f32_add(U32(a), U32(b), ISA_RN, false, false))
FAST(f_add_f32_ftz, 2, lane_f32_add(U32(a), U32(b), ISA_RN, true, false))
FAST(f_sub_f32, 2, lane_f32_add(U32(a), U32(b) ^ 0x80000000u, ISA_RN, false, false))
FAST(f_sub_f32_ftz, 2, lane_f32_add(U32(a), U32(b) ^ 0x80000000u, ISA_RN, true, false))
FAST_F32(f_mul_f32, 2, lane_f32_mul, U32(a), U32(b))
FAST_F32(f_fma_f32, 3, lane_f32_fma, U32(a), U32(b), U32(c))
FAST(f_add_f64, 2, lane_f64_add(a, b, ISA_RN))
FAST(f_sub_f64, 2, lane_f64_add(a, b ^ 1ull << 63, ISA_RN))
FAST(f_mul_f64, 2, lane_f64_mul(a, b, ISA_RN))
FAST(f_fma_f64, 3, lane_f64_fma(a, b, c, ISA_RN))
FAST(f_min_f32, 2, lane_f32_minmax(U32(a), U32(b), false, false, false))
FAST(f_max_f32, 2, lane_f32_minmax(U32(a), U32(b), true, false, false))
FAST(f_neg_f32, 1, a ^ 0x80000000u)
FAST(f_abs_f32, 1, a & 0x7fffffffu)
// Rounded to nearest, division equals C's; so does the root of a non-negative number.
static inline uint32_t divide_f32(uint32_t a, uint32_t b, bool ftz) {
    if (ftz) a = lane_f32_flush(a), b = lane_f32_flush(b);
    return lane_f32_finish(lane_f32_canon(lane_f32(a) / lane_f32(b)), ftz, false);
}
FAST(f_div_f32, 2, divide_f32(U32(a), U32(b), false))
FAST_FTZ(f_div_f32_ftz, 2, divide_f32(U32(a), U32(b), true),
         lane_f32_div(U32(a), U32(b), ISA_RN, true))
FAST(f_rcp_f32, 1, divide_f32(0x3f800000u, U32(a), false))
FAST_FTZ(f_rcp_f32_ftz, 1, divide_f32(0x3f800000u, U32(a), true),
         lane_f32_rcp(U32(a), ISA_RN, true))
FAST(f_sqrt_f32, 1, lane_f32_sqrt(U32(a), ISA_RN, false))
FAST(f_div_u32, 2, lane_div_u64(U32(a), U32(b)))
FAST(f_rem_u32, 2, lane_rem_u64(U32(a), U32(b)))
FAST(f_div_s32, 2, lane_div_s64((uint64_t)(int64_t)S32(a), (uint64_t)(int64_t)S32(b)))
FAST(f_rem_s32, 2, lane_rem_s64((uint64_t)(int64_t)S32(a), (uint64_t)(int64_t)S32(b)))
FAST(f_prmt, 3, lane_prmt(U32(a), U32(b), U32(c), PTX_PRMT_NONE))
FAST(f_popc, 1, (uint64_t)__builtin_popcountll(a))
FAST(f_s32_to_f32, 1, lane_b32((float)S32(a)))
FAST(f_u32_to_f32, 1, lane_b32((float)U32(a)))
FAST(f_s32_to_f64, 1, lane_b64((double)S32(a)))
FAST(f_u32_to_f64, 1, lane_b64((double)U32(a)))

// lane_cvt handles the cases that C does not define (NaN, results out of range).
static inline uint64_t widen_f32(uint64_t a) {
    const float x = lane_f32(U32(a));
    return x == x ? lane_b64((double)x) : lane_cvt(ISA_F64, ISA_F32, ISA_RN, false, false, a);
}
static inline uint64_t narrow_f64(uint64_t a) {
    const double x = lane_f64(a);
    return x == x ? lane_b32((float)x) : lane_cvt(ISA_F32, ISA_F64, ISA_RN, false, false, a);
}
static inline uint64_t truncate_s32(uint64_t a) {
    const float x = lane_f32(U32(a));
    return x > -2147483648.0f && x < 2147483648.0f
        ? (uint64_t)(int32_t)x
        : lane_cvt(ISA_S32, ISA_F32, ISA_RZI, false, false, a);
}
static inline uint64_t truncate_u32(uint64_t a) {
    const float x = lane_f32(U32(a));
    return x >= 0.0f && x < 4294967296.0f ? (uint64_t)(uint32_t)x
                                          : lane_cvt(ISA_U32, ISA_F32, ISA_RZI, false, false, a);
}
// If |a| is below 2^23, a sum with 2^23 of the same sign has no fraction.
static inline uint64_t nearest_integral(uint64_t a) {
    const float x = lane_f32(U32(a)), size = lane_f32(U32(a) & 0x7fffffffu);
    if (!(size < 8388608.0f)) return lane_f32_canon(x);
    return lane_b32((size + 8388608.0f) - 8388608.0f) | (a & 0x80000000u);
}
FAST(f_integral_f32, 1, nearest_integral(a))
FAST(f_saturate_f32, 1, lane_f32_saturate(U32(a)))
FAST(f_widen, 1, widen_f32(a))
FAST(f_narrow, 1, narrow_f64(a))
FAST(f_truncate_s32, 1, truncate_s32(a))
FAST(f_truncate_u32, 1, truncate_u32(a))

// ---- comparison ----

#define COMPARE(cmp, x, y) \
    switch (cmp) { \
    case PTX_EQ: LANES(x == y) break; \
    case PTX_NE: \
    case PTX_NEU: LANES(!(x == y)) break; \
    case PTX_LT: \
    case PTX_LO: LANES(x < y) break; \
    case PTX_LE: \
    case PTX_LS: LANES(x <= y) break; \
    case PTX_GT: \
    case PTX_HI_CMP: LANES(x > y) break; \
    default: LANES(x >= y) break; \
    }
#define LANES(condition) \
    for (int l = 0; l < O_LANES; l++) r |= (uint32_t)(condition) << l;

#define SETP(name, x, y) \
    static bool name(OWarp *w, const OInst *oi, uint32_t active) { \
        uint64_t ha[O_LANES], hb[O_LANES]; \
        const uint64_t *a = values_of(w, &oi->src[0], ha), *b = values_of(w, &oi->src[1], hb); \
        uint32_t r = 0; \
        COMPARE(oi->in->cmp, x, y) \
        return finish_setp(w, oi, active, r); \
    }

static bool finish_setp(OWarp *w, const OInst *oi, uint32_t active, uint32_t r) {
    const uint32_t c = o_pred(w, &oi->src[2]);
    uint32_t p = r, q = ~r;
    if (oi->in->boolop == PTX_BOOL_AND) p &= c, q &= c;
    if (oi->in->boolop == PTX_BOOL_OR) p |= c, q |= c;
    if (oi->in->boolop == PTX_BOOL_XOR) p ^= c, q ^= c;
    o_put_pred(w, oi->pdst, active, p);
    o_put_pred(w, oi->pdst2, active, q);
    return true;
}

SETP(f_setp_u32, U32(a[l]), U32(b[l]))
SETP(f_setp_s32, S32(a[l]), S32(b[l]))
SETP(f_setp_u64, a[l], b[l])
SETP(f_setp_s64, S64(a[l]), S64(b[l]))
SETP(f_setp_f32, lane_f32(U32(a[l])), lane_f32(U32(b[l])))
SETP(f_setp_f64, lane_f64(a[l]), lane_f64(b[l]))

// ---- registers ----

static uint64_t *reg_of(const OWarp *w, const PtxOperand *o) {
    const OFrame *f = o_frame(w);
    return f->regs + (size_t)f->func->slot[o->index] * O_LANES;
}

// mov.b64 between a register and two words.
static bool f_pack(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxOperand *part = oi->in->opnd[1].elements;
    const uint64_t *low = reg_of(w, &part[0]), *high = reg_of(w, &part[1]);
    uint64_t r[O_LANES];
    for (int l = 0; l < O_LANES; l++) r[l] = low[l] | high[l] << 32;
    put_lanes(w, oi, active, r);
    return true;
}

static bool f_unpack(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxOperand *part = oi->in->opnd[0].elements;
    uint64_t hold[O_LANES], whole[O_LANES];
    // a part may be the register itself
    memcpy(whole, values_of(w, &oi->src[0], hold), sizeof whole);
    for (int i = 0; i < 2; i++) {
        if (part[i].kind != PTX_OPND_REG) continue;
        uint64_t *d = reg_of(w, &part[i]);
        O_FOR_LANES(l, active) d[l] = U32(whole[l] >> (32 * i));
    }
    return true;
}

static bool f_shfl(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[3][O_LANES], r[O_LANES];
    const uint64_t *a = values_of(w, &oi->src[0], hold[0]), *b = values_of(w, &oi->src[1], hold[1]),
                   *c = values_of(w, &oi->src[2], hold[2]);
    const PtxShfl mode = oi->in->shfl;
    uint32_t in_range = 0;
    O_FOR_LANES(l, active) {
        const int lane = (int)l, by = (int)(b[l] & 31), clamp = (int)(c[l] & 31),
                  segment = (int)(c[l] >> 8 & 31);
        const int last = (lane & segment) | (clamp & ~segment);
        const int from = mode == PTX_SHFL_UP ? lane - by
            : mode == PTX_SHFL_DOWN          ? lane + by
            : mode == PTX_SHFL_BFLY          ? lane ^ by
                                             : (lane & segment) | (by & ~segment);
        const bool fits = mode == PTX_SHFL_UP ? from >= last : from <= last;
        r[l] = a[fits && active >> (from & 31) & 1 ? (uint32_t)from & 31 : l];
        in_range |= (uint32_t)fits << l;
    }
    put_lanes(w, oi, active, r);
    o_put_pred(w, oi->pdst2, active, in_range);
    return true;
}

// ---- loads and stores ----

static inline __attribute__((always_inline)) uint64_t read_bytes(const uint8_t *at, uint32_t bytes,
                                                                 bool is_signed) {
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    return is_signed ? lane_sext(v, 8 * (int)bytes) : v;
}

// Where most of a warp's accesses go: shared memory, constants, or the buffer of the last access.
typedef struct Span {
    uint8_t *base;
    uint64_t from, size;
} Span;

static inline Span span_of(const OWarp *w, PtxSpace space) {
    const OracleRun *r = w->cta->o->run;
    if (space == PTX_SHARED) return (Span){w->cta->shared, 0, w->cta->shared_bytes};
    if (space == PTX_CONST)
        return (Span){r->layout->const_image, 0,
                      r->layout->const_image ? r->layout->const_bytes : 0};
    if (!r->memory->nallocs) return (Span){0};
    const DeviceAlloc *a = &r->memory->allocs[r->memory->last];
    return (Span){r->memory->base + a->addr, a->addr, a->bytes};
}

// Host address of an access to the span or to global memory; NULL: the slow way. An address in the
// span is no window's of the generic address space, as its buffer is not.
static inline uint8_t *quick_address(const OWarp *w, Span *s, PtxSpace space, uint64_t addr,
                                     uint32_t bytes) {
    if (addr & (bytes - 1)) return NULL;
    const uint64_t at = addr - s->from;
    if (at < s->size && bytes <= s->size - at) return s->base + at;
    if (space == PTX_SHARED || space == PTX_CONST ||
        (space == PTX_GENERIC && addr < DEVICE_GLOBAL_BASE))
        return NULL;
    uint8_t *p = device_at(w->cta->o->run->memory, addr, bytes);
    *s = span_of(w, space);
    return p;
}

// Each size of access has a function of its own, whose copies are single moves and whose checks
// handle all lanes at once.
#define EACH_SIZE static inline __attribute__((always_inline))

// The span that holds an address: the span of the last access, if that was not in global memory.
static inline Span span_at(const OWarp *w, PtxSpace space, uint64_t addr) {
    const Span s = span_of(w, space);
    if (addr - s.from < s.size || space == PTX_SHARED || space == PTX_CONST ||
        addr < DEVICE_GLOBAL_BASE)
        return s;
    device_at(w->cta->o->run->memory, addr, 1);
    return span_of(w, space);
}

// How the addresses of a warp lie in the span: ABROAD: not all are in it.
typedef enum Lie { ABROAD, SCATTERED, IN_A_ROW, THE_SAME } Lie;

EACH_SIZE Lie in_span(const Span *s, const OInst *oi, const uint64_t a[O_LANES], uint64_t offset,
                      uint32_t bytes, uint64_t at[O_LANES]) {
    if (s->size < bytes) return ABROAD;
    const uint64_t last = s->size - bytes, from = s->from, mask = oi->addr_mask;
    const uint64_t first = ((a[0] + offset) & mask) - from;
    uint64_t bad = 0, other = 0, off_row = 0;
    for (uint64_t l = 0; l < O_LANES; l++) {
        const uint64_t addr = (a[l] + offset) & mask;
        at[l] = addr - from;
        bad |= (addr & (bytes - 1)) | (uint64_t)(at[l] > last);
        other |= at[l] ^ first;
        off_row |= at[l] ^ (first + l * bytes);
    }
    return bad ? ABROAD : !off_row ? IN_A_ROW : !other ? THE_SAME : SCATTERED;
}

EACH_SIZE bool load_all(const OWarp *w, const OInst *oi, uint32_t active, uint32_t bytes,
                        bool is_signed, uint64_t r[O_LANES]) {
    uint64_t hold[O_LANES], at[O_LANES];
    const uint64_t *a = values_of(w, &oi->src[0], hold), offset = (uint64_t)oi->in->opnd[1].offset,
                   mask = oi->mask;
    const PtxSpace space = oi->in->space;
    Span s = span_at(w, space, (a[0] + offset) & oi->addr_mask);
    const Lie lie = active == ~0u ? in_span(&s, oi, a, offset, bytes, at) : ABROAD;
    if (lie != ABROAD) {
        const uint8_t *first = s.base + at[0];
        const uint64_t same = read_bytes(first, bytes, is_signed) & mask;
        if (lie == THE_SAME)
            for (int l = 0; l < O_LANES; l++) r[l] = same;
        else if (lie == IN_A_ROW)
            for (uint32_t l = 0; l < O_LANES; l++)
                r[l] = read_bytes(first + l * bytes, bytes, is_signed) & mask;
        else
            for (int l = 0; l < O_LANES; l++)
                r[l] = read_bytes(s.base + at[l], bytes, is_signed) & mask;
        return true;
    }
    O_FOR_LANES(l, active) {
        const uint8_t *p = quick_address(w, &s, space, (a[l] + offset) & oi->addr_mask, bytes);
        if (!p) return false;
        r[l] = read_bytes(p, bytes, is_signed) & mask;
    }
    return true;
}

#define LOAD(name, bytes, is_signed) \
    static bool name(OWarp *w, const OInst *oi, uint32_t active) { \
        uint64_t r[O_LANES]; \
        if (!load_all(w, oi, active, bytes, is_signed, r)) return o_load(w, oi, active); \
        put_lanes(w, oi, active, r); \
        return true; \
    }
LOAD(f_load_u8, 1, false)
LOAD(f_load_s8, 1, true)
LOAD(f_load_u16, 2, false)
LOAD(f_load_s16, 2, true)
LOAD(f_load_u32, 4, false)
LOAD(f_load_s32, 4, true)
LOAD(f_load_64, 8, false)

// Vectors of words and doubles.
static bool f_load_vector(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxOperand *dst = &oi->in->opnd[0];
    const uint32_t size = oi->bytes / (uint32_t)oi->in->vec;
    uint64_t hold[O_LANES], *d[4];
    const uint8_t *at[O_LANES];
    const uint64_t *a = values_of(w, &oi->src[0], hold), offset = (uint64_t)oi->in->opnd[1].offset;
    Span s = span_of(w, oi->in->space);
    for (int i = 0; i < dst->nelements; i++)
        d[i] = dst->elements[i].kind == PTX_OPND_REG ? reg_of(w, &dst->elements[i]) : NULL;
    O_FOR_LANES(l, active) {
        at[l] = quick_address(w, &s, oi->in->space, (a[l] + offset) & oi->addr_mask, oi->bytes);
        if (!at[l]) return o_load(w, oi, active);
    }
    O_FOR_LANES(l, active)
        for (int i = 0; i < dst->nelements; i++)
            if (d[i]) d[i][l] = read_bytes(at[l] + size * (uint32_t)i, size, false);
    return true;
}

// A kernel's parameter is equal for all lanes.
static bool f_load_param(OWarp *w, const OInst *oi, uint32_t active) {
    const uint8_t *at =
        w->cta->o->run->params + oi->src[0].value + (uint64_t)oi->in->opnd[1].offset;
    const uint64_t v = read_bytes(at, oi->bytes, ptx_type_is_signed(oi->in->type)) & oi->mask;
    uint64_t r[O_LANES];
    for (int l = 0; l < O_LANES; l++) r[l] = v;
    put_lanes(w, oi, active, r);
    return true;
}

EACH_SIZE bool store_all(OWarp *w, const OInst *oi, uint32_t active, uint32_t bytes) {
    const PtxInst *in = oi->in;
    uint64_t hold[2][O_LANES], at[O_LANES];
    const uint64_t *a = values_of(w, &oi->src[0], hold[0]), *v = values_of(w, &oi->src[1], hold[1]);
    const uint64_t offset = (uint64_t)in->opnd[0].offset;
    Span s = span_at(w, in->space, (a[0] + offset) & oi->addr_mask);
    const Lie lie = active == ~0u ? in_span(&s, oi, a, offset, bytes, at) : ABROAD;
    if (lie != ABROAD) {
        uint8_t *first = s.base + at[0];
        if (lie == IN_A_ROW)
            for (uint32_t l = 0; l < O_LANES; l++) memcpy(first + l * bytes, &v[l], bytes);
        else
            for (int l = 0; l < O_LANES; l++) memcpy(s.base + at[l], &v[l], bytes);
        return true;
    }
    O_FOR_LANES(l, active) {
        uint8_t *p = quick_address(w, &s, in->space, (a[l] + offset) & oi->addr_mask, bytes);
        if (!p) return o_store(w, oi, active & ~((1u << l) - 1));  // those before have been done
        memcpy(p, &v[l], bytes);
    }
    return true;
}

static bool f_store_8(OWarp *w, const OInst *oi, uint32_t active) {
    return store_all(w, oi, active, 1);
}
static bool f_store_16(OWarp *w, const OInst *oi, uint32_t active) {
    return store_all(w, oi, active, 2);
}
static bool f_store_32(OWarp *w, const OInst *oi, uint32_t active) {
    return store_all(w, oi, active, 4);
}
static bool f_store_64(OWarp *w, const OInst *oi, uint32_t active) {
    return store_all(w, oi, active, 8);
}

// ---- choice ----

static bool is_int(PtxType t) {
    return !ptx_type_is_float(t) && !ptx_type_is_half(t) && t != PTX_PRED;
}

static OHandler pick_integer(const PtxInst *in, int bytes) {
    const bool word = bytes == 4, is_signed = ptx_type_is_signed(in->type),
               wide = in->part == PTX_PART_WIDE;
    const bool high = in->part == PTX_PART_HI;
    switch (in->op) {
    case PTX_ADD: return f_add;
    case PTX_SUB: return f_sub;
    case PTX_MUL:
        if (!wide && !high) return f_mul;
        if (!word) return NULL;
        if (high) return is_signed ? f_mul_hi_s32 : f_mul_hi_u32;
        return is_signed ? f_mul_wide_s32 : f_mul_wide_u32;
    case PTX_MAD:
        if (!wide && !high) return f_mad;
        if (!word || high) return NULL;
        return is_signed ? f_mad_wide_s32 : f_mad_wide_u32;
    case PTX_AND: return f_and;
    case PTX_OR: return f_or;
    case PTX_XOR: return f_xor;
    case PTX_NOT: return f_not;
    case PTX_NEG: return f_neg;
    case PTX_SHL: return word ? f_shl32 : bytes == 8 ? f_shl64 : NULL;
    case PTX_SHR:
        if (word) return is_signed ? f_shr_s32 : f_shr_u32;
        return bytes != 8 ? NULL : is_signed ? f_shr_s64 : f_shr_u64;
    case PTX_DIV: return !word ? NULL : is_signed ? f_div_s32 : f_div_u32;
    case PTX_REM: return !word ? NULL : is_signed ? f_rem_s32 : f_rem_u32;
    case PTX_PRMT: return in->prmt == PTX_PRMT_NONE ? f_prmt : NULL;
    case PTX_POPC: return f_popc;
    case PTX_MIN: return !word ? NULL : is_signed ? f_min_s32 : f_min_u32;
    case PTX_MAX: return !word ? NULL : is_signed ? f_max_s32 : f_max_u32;
    default: return NULL;
    }
}

static OHandler pick_f32(const PtxInst *in) {
    switch (in->op) {
    case PTX_ADD: return in->ftz ? f_add_f32_ftz : f_add_f32;
    case PTX_SUB: return in->ftz ? f_sub_f32_ftz : f_sub_f32;
    case PTX_MUL: return in->ftz ? f_mul_f32_ftz : f_mul_f32;
    case PTX_FMA:
    case PTX_MAD: return in->ftz ? f_fma_f32_ftz : f_fma_f32;
    case PTX_MIN: return in->ftz || in->nan || in->xorsign ? NULL : f_min_f32;
    case PTX_MAX: return in->ftz || in->nan || in->xorsign ? NULL : f_max_f32;
    case PTX_DIV: return in->approx ? NULL : in->ftz ? f_div_f32_ftz : f_div_f32;
    case PTX_RCP: return in->approx ? NULL : in->ftz ? f_rcp_f32_ftz : f_rcp_f32;
    case PTX_SQRT: return in->approx || in->ftz ? NULL : f_sqrt_f32;
    case PTX_NEG: return in->ftz ? NULL : f_neg_f32;
    case PTX_ABS: return in->ftz ? NULL : f_abs_f32;
    default: return NULL;
    }
}

static OHandler pick_f64(const PtxInst *in) {
    switch (in->op) {
    case PTX_ADD: return f_add_f64;
    case PTX_SUB: return f_sub_f64;
    case PTX_MUL: return f_mul_f64;
    case PTX_FMA:
    case PTX_MAD: return f_fma_f64;
    default: return NULL;
    }
}

static OHandler pick_convert(const OInst *oi) {
    const PtxInst *in = oi->in;
    const int bytes = ptx_type_bytes(in->type2);
    const bool is_signed = ptx_type_is_signed(in->type2);
    if (in->ftz) return NULL;
    if (in->type == PTX_F32 && in->type2 == PTX_F32 && in->sat != (in->rnd == PTX_RNI))
        return in->sat ? in->rnd == PTX_RND_NONE ? f_saturate_f32 : NULL : f_integral_f32;
    if (in->sat) return NULL;
    if (in->type == PTX_F64 && in->type2 == PTX_F32) return f_widen;
    if (in->type == PTX_F32 && in->type2 == PTX_F64) return in->rnd == PTX_RN ? f_narrow : NULL;
    if (in->type2 == PTX_F32 && in->rnd == PTX_RZI && oi->mask == UINT32_MAX)
        return in->type == PTX_S32 ? f_truncate_s32 : in->type == PTX_U32 ? f_truncate_u32 : NULL;
    if (!is_int(in->type2)) return NULL;
    if (in->type == PTX_F32 && in->rnd == PTX_RN && bytes == 4)
        return is_signed ? f_s32_to_f32 : f_u32_to_f32;
    if (in->type == PTX_F64 && bytes == 4) return is_signed ? f_s32_to_f64 : f_u32_to_f64;
    if (!is_int(in->type) || ~0ull >> (64 - 8 * ptx_type_bytes(in->type)) != oi->mask) return NULL;
    switch (bytes) {
    case 1: return is_signed ? f_sext8 : f_zext8;
    case 2: return is_signed ? f_sext16 : f_zext16;
    case 4: return is_signed ? f_sext32 : f_zext32;
    default: return f_mov;
    }
}

// Float comparisons that C also has: ordered comparisons, and "not equal" with NaN allowed.
static bool is_plain(const PtxInst *in) {
    return (in->cmp >= PTX_EQ && in->cmp <= PTX_GE && in->cmp != PTX_NE) || in->cmp == PTX_NEU;
}

static OHandler pick_compare(const PtxInst *in) {
    if (in->type == PTX_F64) return is_plain(in) ? f_setp_f64 : NULL;
    if (in->type == PTX_F32) return is_plain(in) && !in->ftz ? f_setp_f32 : NULL;
    if (!is_int(in->type) || in->cmp > PTX_HS) return NULL;
    const bool is_signed = ptx_type_is_signed(in->type) && in->cmp < PTX_LO;
    switch (ptx_type_bytes(in->type)) {
    case 4: return is_signed ? f_setp_s32 : f_setp_u32;
    case 8: return is_signed ? f_setp_s64 : f_setp_u64;
    default: return NULL;
    }
}

// Parts of a vector that are all registers of `bytes` bytes; sinks may be among them.
static bool parts_fit(const OFunc *of, const PtxOperand *vector, int bytes, bool sinks) {
    for (int i = 0; i < vector->nelements; i++) {
        const PtxOperand *e = &vector->elements[i];
        if (e->kind == PTX_OPND_SINK && sinks) continue;
        if (e->kind != PTX_OPND_REG || ptx_type_bytes(of->f->regs[e->index].type) != bytes ||
            of->f->regs[e->index].type == PTX_PRED)
            return false;
    }
    return true;
}

static OHandler pick_load(const OInst *oi, const OFunc *of) {
    const PtxInst *in = oi->in;
    const bool is_signed = ptx_type_is_signed(in->type);
    const uint32_t size = oi->bytes / (uint32_t)in->vec;
    if (in->space == PTX_PARAM && of->f->is_entry && oi->src[0].kind == OSRC_CONST &&
        oi->dst >= 0) {
        const uint64_t at = oi->src[0].value + (uint64_t)in->opnd[1].offset;
        const uint64_t end = (uint64_t)of->f->param_bytes;
        return at % oi->bytes || at > end || oi->bytes > end - at ? NULL : f_load_param;
    }
    if (in->space != PTX_GLOBAL && in->space != PTX_SHARED && in->space != PTX_GENERIC &&
        in->space != PTX_CONST)
        return NULL;
    if (in->opnd[0].kind == PTX_OPND_VEC)
        return (size == 4 || size == 8) && in->vec <= 4 &&
                parts_fit(of, &in->opnd[0], (int)size, true)
            ? f_load_vector
            : NULL;
    if (oi->dst < 0) return NULL;
    switch (size) {
    case 1: return is_signed ? f_load_s8 : f_load_u8;
    case 2: return is_signed ? f_load_s16 : f_load_u16;
    case 4: return is_signed ? f_load_s32 : f_load_u32;
    default: return size == 8 ? f_load_64 : NULL;
    }
}

static OHandler pick_store(const OInst *oi) {
    const PtxInst *in = oi->in;
    if (in->opnd[1].kind == PTX_OPND_VEC) return NULL;
    if (in->space != PTX_GLOBAL && in->space != PTX_SHARED && in->space != PTX_GENERIC) return NULL;
    switch (oi->bytes) {
    case 1: return f_store_8;
    case 2: return f_store_16;
    case 4: return f_store_32;
    default: return oi->bytes == 8 ? f_store_64 : NULL;
    }
}

static OHandler pick_move(const OInst *oi, const OFunc *of) {
    const PtxInst *in = oi->in;
    if (oi->handler == o_lanes) return oi->dst < 0 ? NULL : f_mov;
    if (ptx_type_bytes(in->type) != 8) return NULL;
    if (in->opnd[1].kind == PTX_OPND_VEC && in->opnd[1].nelements == 2 && oi->dst >= 0)
        return parts_fit(of, &in->opnd[1], 4, false) ? f_pack : NULL;
    if (in->opnd[0].kind == PTX_OPND_VEC && in->opnd[0].nelements == 2)
        return parts_fit(of, &in->opnd[0], 4, true) ? f_unpack : NULL;
    return NULL;
}

// `quiet`: findings and races are not observed.
OHandler o_fast_of(const OInst *oi, const OFunc *of, bool quiet) {
    const PtxInst *in = oi->in;
    switch (in->op) {
    case PTX_LD:
    case PTX_LDU: return quiet ? pick_load(oi, of) : NULL;
    case PTX_ST: return quiet ? pick_store(oi) : NULL;
    case PTX_SHFL: return quiet && oi->dst >= 0 ? f_shfl : NULL;
    case PTX_MOV: return in->type == PTX_PRED ? NULL : pick_move(oi, of);
    case PTX_SETP: return pick_compare(in);
    default: break;
    }
    if (oi->dst < 0 || in->cc || oi->handler != o_lanes) return NULL;
    const bool nearest = (in->rnd == PTX_RND_NONE || in->rnd == PTX_RN) && !in->sat;
    switch (in->op) {
    case PTX_SELP: return f_selp;
    case PTX_CVT: return pick_convert(oi);
    // the window of global memory begins at 0
    case PTX_CVTA: return in->space == PTX_GLOBAL ? f_mov : NULL;
    default: break;
    }
    if (in->type == PTX_F32) return nearest ? pick_f32(in) : NULL;
    if (in->type == PTX_F64) return nearest ? pick_f64(in) : NULL;
    return is_int(in->type) && !in->sat ? pick_integer(in, ptx_type_bytes(in->type)) : NULL;
}
