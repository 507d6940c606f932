// SPDX-License-Identifier: Apache-2.0
// PTX arithmetic of one lane. Register values are kept zero-extended to 64 bits; a result may have
// any bits above the destination's width.
#include "oracle/interp.h"

static IsaRound translate_round(PtxRound r) {
    static const IsaRound map[] = {
        [PTX_RND_NONE] = ISA_RN, [PTX_RN] = ISA_RN,  [PTX_RZ] = ISA_RZ_,  [PTX_RM] = ISA_RM,
        [PTX_RP] = ISA_RP,       [PTX_RNA] = ISA_RN, [PTX_RNI] = ISA_RNI, [PTX_RZI] = ISA_RZI,
        [PTX_RMI] = ISA_RMI,     [PTX_RPI] = ISA_RPI};
    return map[r];
}

IsaType o_isa_type(PtxType t) {
    switch (t) {
    case PTX_B8:
    case PTX_U8: return ISA_U8;
    case PTX_S8: return ISA_S8;
    case PTX_B16:
    case PTX_U16: return ISA_U16;
    case PTX_S16: return ISA_S16;
    case PTX_S32: return ISA_S32;
    case PTX_B64:
    case PTX_U64: return ISA_U64;
    case PTX_S64: return ISA_S64;
    case PTX_F16: return ISA_F16;
    case PTX_F16X2: return ISA_F16X2;
    case PTX_BF16: return ISA_BF16;
    case PTX_BF16X2: return ISA_BF16X2;
    case PTX_F32: return ISA_F32;
    case PTX_F64: return ISA_F64;
    default: return ISA_U32;
    }
}

static int bits_of(PtxType t) { return 8 * ptx_type_bytes(t); }
// The value of an operand of type t as a 64-bit number.
static uint64_t extend_operand(PtxType t, uint64_t v) {
    return ptx_type_is_signed(t) ? lane_sext(v, bits_of(t)) : lane_zext(v, bits_of(t));
}
#define U32(x) ((uint32_t)(x))
#define EVAL(name) \
    static uint64_t name(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
#define UNUSED (void)in, (void)a, (void)b, (void)c, (void)d

static uint64_t clamp_s32(int64_t v) {
    return (uint64_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

// ---- f16 and bf16 ----

static bool is_pair(PtxType t) { return t == PTX_F16X2 || t == PTX_BF16X2; }
static uint64_t half_signs(PtxType t) { return is_pair(t) ? 0x80008000u : 0x8000u; }

static uint64_t eval_half(const PtxInst *in, LaneHalf op, uint64_t a, uint64_t b, uint64_t c) {
    const LaneHalfMods m = {.ftz = in->ftz,
                            .sat = in->sat,
                            .relu = in->relu,
                            .max = in->op == PTX_MAX,
                            .nan = in->nan,
                            .xorsign = in->xorsign};
    return lane_half_op(op, o_isa_type(in->type), U32(a), U32(b), U32(c), &m);
}

// Subnormal halves become zero, and NaN becomes the canonical NaN.
static uint64_t half_flushed(const PtxInst *in, uint64_t a) {
    const uint32_t one = is_pair(in->type) ? 0x3c003c00u : 0x3c00u;
    return in->ftz ? eval_half(in, LANE_HMUL, a, one, 0) : a;
}

static uint64_t half_function(const PtxInst *in, IsaMufu f, uint64_t a) {
    const bool bf = in->type == PTX_BF16 || in->type == PTX_BF16X2;
    const IsaType t = bf ? ISA_BF16 : ISA_F16;
    uint64_t r = 0;
    if (!bf) a = half_flushed(in, a);
    for (int shift = 0; shift <= (is_pair(in->type) ? 16 : 0); shift += 16) {
        const uint32_t x = U32(lane_cvt(ISA_F32, t, ISA_RN, false, false, a >> shift & 0xffff));
        r |= lane_cvt(t, ISA_F32, ISA_RN, false, false, lane_mufu(f, x, bf && in->ftz)) << shift;
    }
    return bf ? r : half_flushed(in, r);
}

// Compares the halves of a pair; bit k is the result for half k.
static uint32_t compare_pair(const PtxInst *in, PtxType t, uint64_t a, uint64_t b) {
    const PtxType each = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    return (uint32_t)o_compare(in, each, a & 0xffff, b & 0xffff) |
        (uint32_t)o_compare(in, each, a >> 16 & 0xffff, b >> 16 & 0xffff) << 1;
}

EVAL(ev_mov) {
    UNUSED;
    return a;
}

EVAL(ev_add) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return eval_half(in, LANE_HADD, a, b, 0);
    if (in->type == PTX_F32)
        return lane_f32_add(U32(a), U32(b), translate_round(in->rnd), in->ftz, in->sat);
    if (in->type == PTX_F64) return lane_f64_add(a, b, translate_round(in->rnd));
    if (in->sat)
        return clamp_s32((int64_t)extend_operand(in->type, a) +
                         (int64_t)extend_operand(in->type, b));
    return a + b;
}

// a - b is a + (-b); of NaN b only the sign may differ, which f32 results do not show.
EVAL(ev_sub) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return eval_half(in, LANE_HADD, a, b ^ half_signs(in->type), 0);
    if (in->type == PTX_F32)
        return lane_f32_add(U32(a), U32(b) ^ 0x80000000u, translate_round(in->rnd), in->ftz,
                            in->sat);
    if (in->type == PTX_F64) return lane_f64_add(a, b ^ 1ull << 63, translate_round(in->rnd));
    if (in->sat)
        return clamp_s32((int64_t)extend_operand(in->type, a) -
                         (int64_t)extend_operand(in->type, b));
    return a - b;
}

static uint64_t eval_product(const PtxInst *in, uint64_t a, uint64_t b) {
    int bits = bits_of(in->type);
    uint64_t x = extend_operand(in->type, a), y = extend_operand(in->type, b);
    if (in->part != PTX_PART_HI) return x * y;
    if (bits < 64) return (uint64_t)((int64_t)(x * y) >> bits);
    return in->type == PTX_S64 ? lane_mulhi_s64(x, y) : lane_mulhi_u64(x, y);
}

EVAL(ev_mul) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return eval_half(in, LANE_HMUL, a, b, 0);
    if (in->type == PTX_F32)
        return lane_f32_mul(U32(a), U32(b), translate_round(in->rnd), in->ftz, in->sat);
    if (in->type == PTX_F64) return lane_f64_mul(a, b, translate_round(in->rnd));
    return eval_product(in, a, b);
}

EVAL(ev_mad) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return eval_half(in, LANE_HFMA, a, b, c);
    if (in->type == PTX_F32)
        return lane_f32_fma(U32(a), U32(b), U32(c), translate_round(in->rnd), in->ftz, in->sat);
    if (in->type == PTX_F64) return lane_f64_fma(a, b, c, translate_round(in->rnd));
    if (in->sat)
        return clamp_s32((int64_t)lane_sext(eval_product(in, a, b), 32) +
                         (int64_t)lane_sext(c, 32));
    return eval_product(in, a, b) + c;
}

EVAL(ev_mul24) {
    UNUSED;
    return lane_mul24(U32(a), U32(b), in->type == PTX_S32, in->part == PTX_PART_HI);
}
EVAL(ev_mad24) {
    uint32_t p = lane_mul24(U32(a), U32(b), in->type == PTX_S32, in->part == PTX_PART_HI);
    (void)d;
    if (in->sat) return clamp_s32((int64_t)lane_sext(p, 32) + (int64_t)lane_sext(c, 32));
    return p + c;
}

EVAL(ev_div) {
    UNUSED;
    IsaRound r = translate_round(in->rnd);
    if (in->type == PTX_F32) {
        if (in->approx) return lane_f32_div_approx(U32(a), U32(b), in->ftz);
        if (in->full) return lane_f32_div_full(U32(a), U32(b), in->ftz);
        return lane_f32_div(U32(a), U32(b), r, in->ftz);
    }
    if (in->type == PTX_F64) return lane_f64_div(a, b, r);
    uint64_t x = extend_operand(in->type, a), y = extend_operand(in->type, b);
    return ptx_type_is_signed(in->type) ? lane_div_s64(x, y) : lane_div_u64(x, y);
}
EVAL(ev_rem) {
    UNUSED;
    uint64_t x = extend_operand(in->type, a), y = extend_operand(in->type, b);
    return ptx_type_is_signed(in->type) ? lane_rem_s64(x, y) : lane_rem_u64(x, y);
}

EVAL(ev_abs) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return half_flushed(in, a) & ~half_signs(in->type);
    if (in->type == PTX_F32) return lane_f32_abs(U32(a), in->ftz);
    if (in->type == PTX_F64) return a & ~(1ull << 63);
    int64_t v = (int64_t)extend_operand(in->type, a);
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}
EVAL(ev_neg) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return half_flushed(in, a) ^ half_signs(in->type);
    if (in->type == PTX_F32) return lane_f32_neg(U32(a), in->ftz);
    if (in->type == PTX_F64) return a ^ 1ull << 63;
    return 0 - a;
}
EVAL(ev_copysign) {
    UNUSED;
    uint64_t sign = 1ull << (bits_of(in->type) - 1);
    return (b & ~sign) | (a & sign);
}

static uint64_t eval_minmax(const PtxInst *in, uint64_t a, uint64_t b, bool max) {
    if (ptx_type_is_half(in->type)) return eval_half(in, LANE_HMNMX, a, b, 0);
    if (in->type == PTX_F32 && in->xorsign)
        return lane_f32_xorsign(U32(a), U32(b), max, in->nan, in->ftz);
    if (in->type == PTX_F32) return lane_f32_minmax(U32(a), U32(b), max, in->nan, in->ftz);
    if (in->type == PTX_F64) return lane_f64_minmax(a, b, max);
    uint64_t x = extend_operand(in->type, a), y = extend_operand(in->type, b);
    bool less = ptx_type_is_signed(in->type) ? (int64_t)x < (int64_t)y : x < y;
    return less != max ? x : y;
}
EVAL(ev_min) {
    UNUSED;
    return eval_minmax(in, a, b, false);
}
EVAL(ev_max) {
    UNUSED;
    return eval_minmax(in, a, b, true);
}

EVAL(ev_sad) {
    UNUSED;
    uint64_t x = extend_operand(in->type, a), y = extend_operand(in->type, b);
    bool less = ptx_type_is_signed(in->type) ? (int64_t)x < (int64_t)y : x < y;
    return c + (less ? y - x : x - y);
}

// ---- bits ----

// clang-format off
EVAL(ev_and) { UNUSED; return a & b; }
EVAL(ev_or) { UNUSED; return a | b; }
EVAL(ev_xor) { UNUSED; return a ^ b; }
EVAL(ev_not) { UNUSED; return ~a; }
EVAL(ev_cnot) { UNUSED; return a == 0; }
// clang-format on
EVAL(ev_shl) {
    UNUSED;
    return U32(b) >= (uint32_t)bits_of(in->type) ? 0 : a << U32(b);
}
EVAL(ev_shr) {
    UNUSED;
    uint32_t n = U32(b), bits = (uint32_t)bits_of(in->type);
    if (ptx_type_is_signed(in->type))
        return (uint64_t)((int64_t)extend_operand(in->type, a) >> (n >= bits ? bits - 1 : n));
    return n >= bits ? 0 : extend_operand(in->type, a) >> n;
}
EVAL(ev_shf) {
    UNUSED;
    return lane_shf(U32(a), U32(b), U32(c), in->left, in->shf == PTX_SHF_WRAP);
}
EVAL(ev_bfe) {
    UNUSED;
    return lane_bfe(a, U32(b), U32(c), bits_of(in->type), ptx_type_is_signed(in->type));
}
EVAL(ev_bfi) {
    UNUSED;
    return lane_bfi(a, b, U32(c), U32(d), bits_of(in->type));
}
EVAL(ev_bfind) {
    UNUSED;
    return lane_bfind(a, bits_of(in->type), ptx_type_is_signed(in->type), in->shiftamt);
}
// clang-format off
EVAL(ev_popc) { UNUSED; return (uint64_t)__builtin_popcountll(lane_zext(a, bits_of(in->type))); }
EVAL(ev_clz) { UNUSED; return bits_of(in->type) == 64 ? lane_clz64(a) : lane_clz32(U32(a)); }
EVAL(ev_brev) { UNUSED; return bits_of(in->type) == 64 ? lane_brev64(a) : lane_brev32(U32(a)); }
EVAL(ev_prmt) { UNUSED; return lane_prmt(U32(a), U32(b), U32(c), (uint8_t)in->prmt); }
EVAL(ev_lop3) { UNUSED; return lane_lop3(U32(a), U32(b), U32(c), (uint8_t)d); }
EVAL(ev_fns) { UNUSED; return lane_fns(U32(a), U32(b), U32(c)); }
EVAL(ev_bmsk) { UNUSED; return lane_bmsk(U32(a), U32(b), in->shf == PTX_SHF_WRAP); }
// clang-format on
EVAL(ev_szext) {
    UNUSED;
    return lane_szext(U32(a), U32(b), in->type == PTX_S32, in->shf == PTX_SHF_WRAP);
}
EVAL(ev_dp4a) {
    UNUSED;
    return lane_dp4a(U32(a), U32(b), U32(c), in->type == PTX_S32, in->type2 == PTX_S32);
}
EVAL(ev_dp2a) {
    UNUSED;
    return lane_dp2a(U32(a), U32(b), U32(c), in->type == PTX_S32, in->type2 == PTX_S32,
                     in->part == PTX_PART_HI);
}

// ---- comparison and selection ----

bool o_compare(const PtxInst *in, PtxType t, uint64_t a, uint64_t b) {
    static const IsaCmp map[] = {
        [PTX_EQ] = ISA_EQ,     [PTX_NE] = ISA_NE,   [PTX_LT] = ISA_LT,   [PTX_LE] = ISA_LE,
        [PTX_GT] = ISA_GT,     [PTX_GE] = ISA_GE,   [PTX_LO] = ISA_LT,   [PTX_LS] = ISA_LE,
        [PTX_HI_CMP] = ISA_GT, [PTX_HS] = ISA_GE,   [PTX_EQU] = ISA_EQU, [PTX_NEU] = ISA_NEU,
        [PTX_LTU] = ISA_LTU,   [PTX_LEU] = ISA_LEU, [PTX_GTU] = ISA_GTU, [PTX_GEU] = ISA_GEU,
        [PTX_NUM] = ISA_NUM,   [PTX_NAN] = ISA_NAN};
    IsaCmp cmp = map[in->cmp];
    if (t == PTX_F16 || t == PTX_BF16)
        return lane_half_compare(cmp, o_isa_type(t), in->ftz, U32(a), U32(b));
    if (t == PTX_F32) return lane_cmp_f32(cmp, U32(a), U32(b), in->ftz);
    if (t == PTX_F64) return lane_cmp_f64(cmp, a, b);
    bool is_unsigned = in->cmp >= PTX_LO && in->cmp <= PTX_HS;
    if (ptx_type_is_signed(t) && !is_unsigned)
        return lane_cmp_s64(cmp, (int64_t)extend_operand(t, a), (int64_t)extend_operand(t, b));
    return lane_cmp_u64(cmp, lane_zext(a, bits_of(t)), lane_zext(b, bits_of(t)));
}

// set: c is the predicate to combine with (0 or 1).
EVAL(ev_set) {
    UNUSED;
    const bool pair = is_pair(in->type2);
    uint32_t r = pair ? compare_pair(in, in->type2, a, b) : o_compare(in, in->type2, a, b);
    if (in->boolop == PTX_BOOL_AND) r = c ? r : 0;
    if (in->boolop == PTX_BOOL_OR) r = c ? 3 : r;
    if (in->boolop == PTX_BOOL_XOR) r = c ? ~r & 3 : r;
    const uint64_t one = in->type == PTX_F32             ? 0x3f800000u
        : in->type == PTX_F16 || in->type == PTX_F16X2   ? 0x3c00
        : in->type == PTX_BF16 || in->type == PTX_BF16X2 ? 0x3f80
                                                         : ~0ull;
    if (pair) return (r & 1 ? one & 0xffff : 0) | (r & 2 ? (one & 0xffff) << 16 : 0);
    return r & 1 ? one : 0;
}
EVAL(ev_selp) {
    UNUSED;
    return c ? a : b;
}
EVAL(ev_slct) {
    UNUSED;
    if (in->type2 == PTX_F32) return lane_cmp_f32(ISA_GE, U32(c), 0, in->ftz) ? a : b;
    return (int32_t)c >= 0 ? a : b;
}

// ---- functions and conversion ----

EVAL(ev_rcp) {
    UNUSED;
    if (in->type == PTX_F64)
        return in->approx ? lane_dmufu(ISA_MUFU_RCP, a, true)
                          : lane_f64_rcp(a, translate_round(in->rnd));
    if (in->approx) return lane_mufu(ISA_MUFU_RCP, U32(a), in->ftz);
    return lane_f32_rcp(U32(a), translate_round(in->rnd), in->ftz);
}
EVAL(ev_sqrt) {
    UNUSED;
    if (in->type == PTX_F64) return lane_f64_sqrt(a, translate_round(in->rnd));
    if (in->approx) return lane_mufu(ISA_MUFU_SQRT, U32(a), in->ftz);
    return lane_f32_sqrt(U32(a), translate_round(in->rnd), in->ftz);
}
EVAL(ev_rsqrt) {
    UNUSED;
    if (in->type == PTX_F64) return lane_dmufu(ISA_MUFU_RSQ, a, in->ftz);
    return lane_mufu(ISA_MUFU_RSQ, U32(a), in->ftz);
}
EVAL(ev_sin) {
    UNUSED;
    return lane_mufu(ISA_MUFU_SIN, U32(a), in->ftz);
}
EVAL(ev_cos) {
    UNUSED;
    return lane_mufu(ISA_MUFU_COS, U32(a), in->ftz);
}
EVAL(ev_ex2) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return half_function(in, ISA_MUFU_EX2, a);
    return lane_mufu(ISA_MUFU_EX2, U32(a), in->ftz);
}
EVAL(ev_lg2) {
    UNUSED;
    return lane_mufu(ISA_MUFU_LG2, U32(a), in->ftz);
}
EVAL(ev_tanh) {
    UNUSED;
    if (ptx_type_is_half(in->type)) return half_function(in, ISA_MUFU_TANH, a);
    return lane_mufu(ISA_MUFU_TANH, U32(a), in->ftz);
}

EVAL(ev_cvt) {
    UNUSED;
    IsaRound r = translate_round(in->rnd);
    if (o_is_small(in)) return o_convert_small(in, a, b);
    if (is_pair(in->type)) {
        const IsaType t = in->type == PTX_F16X2 ? ISA_F16 : ISA_BF16;
        return lane_cvt(t, ISA_F32, r, in->ftz, in->sat, a) << 16 |
            lane_cvt(t, ISA_F32, r, in->ftz, in->sat, b);
    }
    // Without a rounding mode a conversion to an integer truncates.
    if (in->rnd == PTX_RND_NONE && !ptx_type_is_float(in->type)) r = ISA_RZI;
    return lane_cvt(o_isa_type(in->type), o_isa_type(in->type2), r, in->ftz, in->sat, a);
}

static uint64_t window_of(PtxSpace s) {
    switch (s) {
    case PTX_SHARED: return DEVICE_SHARED_BASE;
    case PTX_LOCAL: return DEVICE_LOCAL_BASE;
    case PTX_CONST: return DEVICE_CONST_BASE;
    case PTX_PARAM: return DEVICE_PARAM_BASE;
    default: return 0;
    }
}
EVAL(ev_cvta) {
    UNUSED;
    return in->to ? a - window_of(in->space) : a + window_of(in->space);
}

OEval o_eval_of(const PtxInst *in) {
    static const OEval table[PTX_OP_COUNT] = {[PTX_ABS] = ev_abs,     [PTX_ADD] = ev_add,
                                              [PTX_AND] = ev_and,     [PTX_BFE] = ev_bfe,
                                              [PTX_BFI] = ev_bfi,     [PTX_BFIND] = ev_bfind,
                                              [PTX_BREV] = ev_brev,   [PTX_CLZ] = ev_clz,
                                              [PTX_CNOT] = ev_cnot,   [PTX_COPYSIGN] = ev_copysign,
                                              [PTX_COS] = ev_cos,     [PTX_CVT] = ev_cvt,
                                              [PTX_CVTA] = ev_cvta,   [PTX_DIV] = ev_div,
                                              [PTX_DP2A] = ev_dp2a,   [PTX_DP4A] = ev_dp4a,
                                              [PTX_EX2] = ev_ex2,     [PTX_FMA] = ev_mad,
                                              [PTX_FNS] = ev_fns,     [PTX_LG2] = ev_lg2,
                                              [PTX_LOP3] = ev_lop3,   [PTX_MAD] = ev_mad,
                                              [PTX_MAD24] = ev_mad24, [PTX_MAX] = ev_max,
                                              [PTX_MIN] = ev_min,     [PTX_MOV] = ev_mov,
                                              [PTX_MUL] = ev_mul,     [PTX_MUL24] = ev_mul24,
                                              [PTX_NEG] = ev_neg,     [PTX_NOT] = ev_not,
                                              [PTX_OR] = ev_or,       [PTX_POPC] = ev_popc,
                                              [PTX_PRMT] = ev_prmt,   [PTX_RCP] = ev_rcp,
                                              [PTX_REM] = ev_rem,     [PTX_RSQRT] = ev_rsqrt,
                                              [PTX_SAD] = ev_sad,     [PTX_SELP] = ev_selp,
                                              [PTX_SET] = ev_set,     [PTX_SHF] = ev_shf,
                                              [PTX_SHL] = ev_shl,     [PTX_SHR] = ev_shr,
                                              [PTX_SIN] = ev_sin,     [PTX_SLCT] = ev_slct,
                                              [PTX_SQRT] = ev_sqrt,   [PTX_SUB] = ev_sub,
                                              [PTX_SZEXT] = ev_szext, [PTX_BMSK] = ev_bmsk,
                                              [PTX_TANH] = ev_tanh,   [PTX_XOR] = ev_xor,
                                              [PTX_CVT_PACK] = o_pack};
    return ptx_video(in->op).kind ? o_video : table[in->op];
}
