// SPDX-License-Identifier: Apache-2.0
// Checks of single opcodes that ptx_rules.def cannot express: operations of an atomic per type,
// rounding of cvt, packing of mov, arguments of a call.
#include "ptx/front.h"

#include <string.h>

static bool is_bits(PtxType t) { return t >= PTX_B8 && t <= PTX_B128; }
static bool is_unsigned(PtxType t) { return t >= PTX_U8 && t <= PTX_U64; }

// ---- memory ----

static bool check_order(Parser *p, const PtxInst *in, InstText *t) {
    bool needs = in->sem == PTX_SEM_RELAXED || in->sem == PTX_SEM_ACQUIRE ||
        in->sem == PTX_SEM_RELEASE || in->sem == PTX_SEM_ACQ_REL || in->sem == PTX_SEM_MMIO;
    bool access = in->op == PTX_LD || in->op == PTX_ST;
    if (access && needs && !in->scope)
        return check_fail(p, t, NULL, "this memory order needs a scope (.cta .gpu .sys)");
    if (access && in->scope && !needs)
        return check_fail(p, t, NULL, "a scope needs a memory order such as .relaxed");
    if (access && in->sem && in->sem != PTX_SEM_WEAK && in->cache)
        return check_fail(p, t, NULL, "a cache operator and a memory order exclude each other");
    if ((in->op == PTX_LD && (in->sem == PTX_SEM_RELEASE || in->sem == PTX_SEM_ACQ_REL)) ||
        (in->op == PTX_ST && (in->sem == PTX_SEM_ACQUIRE || in->sem == PTX_SEM_ACQ_REL)) ||
        (access && in->sem == PTX_SEM_SC))
        return check_fail(p, t, NULL, ".%s does not belong to '%s'", mod_spelling(M_SEM, in->sem),
                          ptx_op_name(in->op));
    return true;
}

static bool check_load(Parser *p, const PtxInst *in, InstText *t) {
    if (in->nc && in->space != PTX_GLOBAL) return check_fail(p, t, NULL, ".nc needs .global");
    if (in->nc && in->sem && in->sem != PTX_SEM_WEAK)
        return check_fail(p, t, NULL, ".nc and a memory order exclude each other");
    if (in->op == PTX_LDU && in->space != PTX_GLOBAL && in->space != PTX_GENERIC)
        return check_fail(p, t, NULL, "ldu reads .global memory");
    if (in->cache == PTX_CACHE_WB || in->cache == PTX_CACHE_WT)
        return check_fail(p, t, NULL, ".%s is a cache operator of stores",
                          mod_spelling(M_CACHE, in->cache));
    return check_order(p, in, t);
}

static bool check_store(Parser *p, const PtxInst *in, InstText *t) {
    if (in->space == PTX_CONST) return check_fail(p, t, NULL, ".const memory cannot be written");
    if (in->cache == PTX_CACHE_CA || in->cache == PTX_CACHE_LU || in->cache == PTX_CACHE_CV)
        return check_fail(p, t, NULL, ".%s is a cache operator of loads",
                          mod_spelling(M_CACHE, in->cache));
    const PtxOperand *o = &in->opnd[0];
    if (in->space == PTX_PARAM && o->base == PTX_BASE_VAR && o->index < p->f->nparams)
        return check_fail(p, t, o, "the parameter %s cannot be written", p->f->vars[o->index].name);
    return check_order(p, in, t);
}

static bool check_prefetch(Parser *p, const PtxInst *in, InstText *t) {
    if (in->space != PTX_GENERIC && in->space != PTX_GLOBAL && in->space != PTX_LOCAL)
        return check_fail(p, t, NULL, "prefetch takes .global or .local memory");
    if (in->op == PTX_PREFETCHU && in->level != 1)
        return check_fail(p, t, NULL, "prefetchu takes .L1");
    return true;
}

static bool check_membar(Parser *p, const PtxInst *in, InstText *t) {
    bool spelled = !(t->seen & M_SCOPE) != !(t->seen & M_GL);
    if (spelled && (in->scope != PTX_SCOPE_GPU || t->seen & M_GL)) return true;
    return check_fail(p, t, NULL, "the forms are membar.cta, membar.gl and membar.sys");
}

static bool check_fence(Parser *p, const PtxInst *in, InstText *t) {
    if (in->sem == PTX_SEM_NONE || in->sem == PTX_SEM_SC || in->sem == PTX_SEM_ACQ_REL ||
        in->sem == PTX_SEM_ACQUIRE || in->sem == PTX_SEM_RELEASE)
        return true;
    return check_fail(p, t, NULL, ".%s does not belong to 'fence'", mod_spelling(M_SEM, in->sem));
}

// ---- atomics ----

static bool atom_has_type(PtxAtom op, PtxType t) {
    switch (op) {
    case PTX_ATOM_ADD:
        return t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || t == PTX_F32 || t == PTX_F64 ||
            ptx_type_is_half(t);
    case PTX_ATOM_MIN:
    case PTX_ATOM_MAX: return t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || t == PTX_S64;
    case PTX_ATOM_INC:
    case PTX_ATOM_DEC: return t == PTX_U32;
    case PTX_ATOM_AND:
    case PTX_ATOM_OR:
    case PTX_ATOM_XOR:
    case PTX_ATOM_EXCH: return t == PTX_B32 || t == PTX_B64;
    case PTX_ATOM_CAS: return t == PTX_B16 || t == PTX_B32 || t == PTX_B64;
    default: return false;
    }
}

// A vector has as many elements as the form specifies. Each element is an atomic of its own.
static bool check_elements(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o, bool is_dest) {
    if (in->vec == 1)
        return is_dest ? check_dest(p, in, t, o, in->type, false)
                       : check_source(p, in, t, o, in->type, false);
    if (o->kind != PTX_OPND_VEC || o->nelements != in->vec)
        return check_fail(p, t, o, "expected a vector of %d elements", in->vec);
    for (int i = 0; i < o->nelements; i++) {
        PtxOperand *e = &o->elements[i];
        if (is_dest && e->kind == PTX_OPND_SINK) continue;
        if (!(is_dest ? check_dest(p, in, t, e, in->type, false)
                      : check_source(p, in, t, e, in->type, false)))
            return false;
    }
    return true;
}

static bool check_atomic_vector(Parser *p, const PtxInst *in, InstText *t) {
    const bool half = ptx_type_is_half(in->type), add = in->atom == PTX_ATOM_ADD;
    if (in->space != PTX_GLOBAL && in->space != PTX_GENERIC)
        return check_fail(p, t, NULL, "vector atomics work on .global memory");
    if ((in->type == PTX_F32 && add) ||
        (half && (add || in->atom == PTX_ATOM_MIN || in->atom == PTX_ATOM_MAX)))
        return true;
    return check_fail(p, t, NULL, ".%s has no vector form of type .%s",
                      mod_spelling(M_ATOM, in->atom), ptx_type_name(in->type));
}

static bool check_atomic(Parser *p, PtxInst *in, InstText *t) {
    bool is_red = in->op == PTX_RED;
    if (in->vec > 1 && !check_atomic_vector(p, in, t)) return false;
    if (ptx_type_is_half(in->type) != in->noftz)
        return check_fail(p, t, NULL,
                          in->noftz ? ".noftz needs a type of halves"
                                    : "atomics on halves need .noftz");
    if (is_red && (in->atom == PTX_ATOM_EXCH || in->atom == PTX_ATOM_CAS))
        return check_fail(p, t, NULL, ".%s does not belong to 'red'",
                          mod_spelling(M_ATOM, in->atom));
    const bool vector_only = in->vec > 1 && (in->atom == PTX_ATOM_MIN || in->atom == PTX_ATOM_MAX);
    if (!vector_only && !atom_has_type(in->atom, in->type))
        return check_fail(p, t, NULL, ".%s has no form of type .%s", mod_spelling(M_ATOM, in->atom),
                          ptx_type_name(in->type));
    if (in->space != PTX_GENERIC && in->space != PTX_GLOBAL && in->space != PTX_SHARED)
        return check_fail(p, t, NULL, "atomics work on .global and .shared memory");
    if (in->sem == PTX_SEM_WEAK || in->sem == PTX_SEM_SC || in->sem == PTX_SEM_VOLATILE ||
        in->sem == PTX_SEM_MMIO ||
        (is_red && in->sem && in->sem != PTX_SEM_RELAXED && in->sem != PTX_SEM_RELEASE))
        return check_fail(p, t, NULL, ".%s does not belong to '%s'", mod_spelling(M_SEM, in->sem),
                          ptx_op_name(in->op));
    int operands = in->atom == PTX_ATOM_CAS ? 4 : 3;
    if (!is_red && in->nopnd != operands)
        return check_fail(p, t, NULL, "expected %d operands, found %d", operands, in->nopnd);
    return (is_red || check_elements(p, in, t, &in->opnd[0], true)) &&
        check_elements(p, in, t, &in->opnd[is_red ? 1 : 2], false);
}

// ---- conversions ----

static bool is_pair(PtxType t) { return t == PTX_F16X2 || t == PTX_BF16X2; }
static bool is_bf16(PtxType t) { return t == PTX_BF16 || t == PTX_BF16X2; }

static bool check_rounding(Parser *p, const PtxInst *in, InstText *t) {
    PtxType to = in->type, from = in->type2;
    bool to_float = ptx_type_is_float(to) || ptx_type_is_half(to),
         from_float = ptx_type_is_float(from);
    bool rounds = t->seen & M_RND, rounds_int = t->seen & M_RNI;
    const char *name = mod_spelling(rounds ? M_RND : M_RNI, in->rnd);
    bool narrows =
        to_float && (!from_float || ptx_type_bytes(to) < ptx_type_bytes(from) || is_pair(to));
    if (narrows) {
        if (!rounds)
            return check_fail(p, t, NULL,
                              "this conversion needs a rounding mode (.rn .rz .rm .rp)");
        return true;
    }
    if (from_float && !to_float) {
        if (!rounds_int)
            return check_fail(
                p, t, NULL, "this conversion needs an integer rounding mode (.rni .rzi .rmi .rpi)");
        return true;
    }
    if (rounds_int && from_float && to == from) return true;
    // most of them are exact
    const bool may_round = from_float && to != from && (is_bf16(from) || is_bf16(to));
    if (rounds && may_round) return true;
    if (rounds || rounds_int)
        return check_fail(p, t, NULL, "this conversion does not round: .%s", name);
    return true;
}

// The conversion has all modifiers of must, no others than those of may, and a rounding mode that
// the form allows.
static bool check_form(Parser *p, const InstText *t, uint64_t may, uint64_t must, bool rounds,
                       const char *form) {
    if (rounds && !(t->seen & ~(may | must | M_TYPE)) && (t->seen & must) == must) return true;
    return check_fail(p, t, NULL, "the form is %s", form);
}

// 8-bit numbers in pairs, and tf32.
static bool check_small_float(Parser *p, const PtxInst *in, InstText *t) {
    const PtxType to = in->type, from = in->type2;
    const bool rn = in->rnd == PTX_RN;
    if (to == PTX_F16X2 && ptx_type_is_fp8(from))
        return check_form(p, t, M_RELU, M_RND, rn, "cvt.rn{.relu}.f16x2.FROM");
    if (ptx_type_is_fp8(to) && (from == PTX_F32 || from == PTX_F16X2))
        return check_form(p, t, M_RELU, M_RND | M_SATFINITE, rn, "cvt.rn.satfinite{.relu}.TO.FROM");
    if (to == PTX_TF32 && from == PTX_F32 && in->rnd == PTX_RNA)
        return check_form(p, t, M_SATFINITE, M_RNA, true, "cvt.rna{.satfinite}.tf32.f32");
    if (to == PTX_TF32 && from == PTX_F32)
        return check_form(p, t, M_RELU, M_RND, rn || in->rnd == PTX_RZ,
                          "cvt.rna, cvt.rn{.relu} or cvt.rz{.relu}");
    return check_fail(p, t, NULL, "cannot convert .%s to .%s", ptx_type_name(from),
                      ptx_type_name(to));
}

// From f32 to halves: .relu and .satfinite.
static bool check_half_result(Parser *p, const PtxInst *in, InstText *t) {
    const bool plain = in->type2 == PTX_F32 && ptx_type_is_half(in->type);
    const bool nearest = in->rnd == PTX_RN || in->rnd == PTX_RZ;
    if (in->rnd == PTX_RNA) return check_fail(p, t, NULL, ".rna needs .tf32");
    if (is_pair(in->type) && (!plain || !nearest || t->seen & (M_FTZ | M_SAT)))
        return check_form(p, t, 0, 0, false, "cvt.rn{.relu}{.satfinite}.TO.f32, or .rz");
    if (!in->relu && !in->satfinite) return true;
    if (!plain)
        return check_fail(p, t, NULL, ".relu and .satfinite need a conversion from .f32 to halves");
    if (!nearest || t->seen & (M_FTZ | M_SAT))
        return check_fail(p, t, NULL, ".relu and .satfinite go with .rn or .rz alone");
    return true;
}

// Pairs out of two operands, the first in the upper half.
static bool takes_two(const PtxInst *in) {
    return in->type2 == PTX_F32 && (is_pair(in->type) || ptx_type_is_fp8(in->type));
}

// Integers: can the value be out of the range of the result?
static bool can_saturate(PtxType to, PtxType from) {
    const int less = ptx_type_bytes(from) - ptx_type_bytes(to);
    if (ptx_type_is_signed(from) == ptx_type_is_signed(to)) return less > 0;
    return ptx_type_is_signed(from) || less >= 0;
}

static bool check_cvt_types(Parser *p, const PtxInst *in, InstText *t) {
    const PtxType to = in->type, from = in->type2;
    const bool small =
        ptx_type_is_fp8(to) || ptx_type_is_fp8(from) || to == PTX_TF32 || from == PTX_TF32;
    const bool bytes =
        (is_bf16(to) && ptx_type_bytes(from) == 1) || (is_bf16(from) && ptx_type_bytes(to) == 1);
    if (small) return check_small_float(p, in, t);
    if (is_pair(from) || bytes || (is_pair(to) && from != PTX_F32))
        return check_fail(p, t, NULL, "cannot convert .%s to .%s", ptx_type_name(from),
                          ptx_type_name(to));
    if (!check_half_result(p, in, t) || !check_rounding(p, in, t)) return false;
    if (in->ftz && to != PTX_F32 && from != PTX_F32)
        return check_fail(p, t, NULL, ".ftz needs .f32 on one side");
    if (in->sat && ptx_type_is_int(to) && ptx_type_is_int(from) && !can_saturate(to, from))
        return check_fail(p, t, NULL, ".sat has no effect: .%s holds every .%s", ptx_type_name(to),
                          ptx_type_name(from));
    if (in->sat && (is_bf16(to) || is_bf16(from)))
        return check_fail(p, t, NULL, ".sat does not go with .bf16");
    return true;
}

static bool check_cvt(Parser *p, PtxInst *in, InstText *t) {
    const int operands = takes_two(in) ? 3 : 2;
    if (!check_cvt_types(p, in, t)) return false;
    if (in->nopnd != operands)
        return check_fail(p, t, NULL, "expected %d operands, found %d", operands, in->nopnd);
    if (!check_dest(p, in, t, &in->opnd[0], in->type, true)) return false;
    for (int i = 1; i < operands; i++) {
        const PtxOperand *o = &in->opnd[i];
        if (o->kind == PTX_OPND_IMM && (ptx_type_is_fp8(in->type2) || is_pair(in->type2)))
            return check_fail(p, t, o, "expected a register, found a constant");
        if (!check_source(p, in, t, &in->opnd[i], in->type2, true)) return false;
    }
    return true;
}

// cvt.pack.sat.TO.s32{.b32} d, a, b{, c}: a third operand for elements of 8 bits and less.
static bool check_cvt_pack(Parser *p, PtxInst *in, InstText *t) {
    const bool halves = ptx_type_bytes(in->type) == 2;
    const int operands = halves ? 3 : 4;
    if (!halves && in->type3 != PTX_B32) return check_fail(p, t, NULL, "the third type is .b32");
    if (in->nopnd != operands)
        return check_fail(p, t, NULL, "expected %d operands, found %d", operands, in->nopnd);
    if (!check_dest(p, in, t, &in->opnd[0], PTX_U32, true)) return false;
    for (int i = 1; i < 3; i++)
        if (!check_source(p, in, t, &in->opnd[i], PTX_S32, true)) return false;
    return halves || check_source(p, in, t, &in->opnd[3], PTX_B32, true);
}

// ---- mov ----

static PtxType part_type(PtxType whole, int parts) {
    switch (ptx_type_bytes(whole) * 8 / parts) {
    case 8: return PTX_B8;
    case 16: return PTX_B16;
    case 32: return PTX_B32;
    case 64: return PTX_B64;
    default: return PTX_NOTYPE;
    }
}

// mov.b64 {a, b}, c and mov.b64 c, {a, b}
static bool check_pack(Parser *p, PtxInst *in, InstText *t) {
    bool unpack = in->opnd[0].kind == PTX_OPND_VEC;
    PtxOperand *vec = &in->opnd[unpack ? 0 : 1], *whole = &in->opnd[unpack ? 1 : 0];
    PtxType part = part_type(in->type, vec->nelements);
    if (!is_bits(in->type) || part == PTX_NOTYPE)
        return check_fail(p, t, vec, "a vector of %d needs a type of bits such as .b64",
                          vec->nelements);
    for (int i = 0; i < vec->nelements; i++) {
        PtxOperand *e = &vec->elements[i];
        if (unpack && e->kind == PTX_OPND_SINK) continue;
        if (unpack ? !check_dest(p, in, t, e, part, false)
                   : !check_source(p, in, t, e, part, false))
            return false;
    }
    return unpack ? check_source(p, in, t, whole, in->type, false)
                  : check_dest(p, in, t, whole, in->type, false);
}

static bool check_mov(Parser *p, PtxInst *in, InstText *t) {
    PtxOperand *to = &in->opnd[0], *from = &in->opnd[1];
    if (in->vec > 1) return check_move_vector(p, in, t);
    if (to->kind == PTX_OPND_VEC || from->kind == PTX_OPND_VEC) return check_pack(p, in, t);
    if (!check_dest(p, in, t, to, in->type, false)) return false;
    if (from->kind == PTX_OPND_SREG) {
        bool wide = from->index == PTX_SREG_CLOCK64 || from->index == PTX_SREG_GLOBALTIMER;
        int bytes = wide ? 8 : 4;
        // Special registers had 16 bits before PTX 2.0; the low half can still be read so.
        if (!wide && ptx_type_is_int(in->type) && ptx_type_bytes(in->type) == 2) {
            in->op = PTX_CVT;
            in->type = PTX_U16;
            in->type2 = PTX_U32;
            return check_special_register(p, in, t, from, PTX_U32);
        }
        // %gridid was a 32-bit register before PTX 3.0 and is read either way.
        bool fits = ptx_type_is_int(in->type) &&
            (ptx_type_bytes(in->type) == bytes ||
             (from->index == PTX_SREG_GRIDID && ptx_type_bytes(in->type) == 8));
        if (fits) return true;
        return check_fail(p, t, from, "%s has %d bits", ptx_sreg_name((PtxSreg)from->index),
                          bytes * 8);
    }
    if (from->kind == PTX_OPND_VAR) {
        const PtxVar *v = from->module_scope ? &p->m->vars[from->index] : &p->f->vars[from->index];
        if (v->is_reg) return check_fail(p, t, from, "%s is a register", v->name);
        int least = v->space == PTX_GLOBAL && p->m->address_bits == 64 ? 8 : 4;
        if (ptx_type_is_int(in->type) && ptx_type_bytes(in->type) >= least) return true;
        return check_fail(p, t, from, "the address of %s needs %s64 bits", v->name,
                          least == 4 ? "32 or " : "");
    }
    return check_source(p, in, t, from, in->type, false);
}

// ---- arithmetic ----

// mad.f32 of sm_1x has no rounding mode and is fma.rn.ftz on later machines; until PTX 3.1 ptxas
// takes it as mad.rn for later targets, too.
static bool check_old_mad(Parser *p, PtxInst *in, InstText *t) {
    if (!p->m->sm_1x && ptx_version(p->m) > 31)
        return check_fail(p, t, NULL, "'%s' needs a %s", ptx_op_name(in->op),
                          mod_class_name(M_RND));
    in->rnd = PTX_RN;
    return true;
}

static bool check_mul_mad(Parser *p, PtxInst *in, InstText *t) {
    if (in->op == PTX_MAD && in->type == PTX_F32 && !in->rnd) return check_old_mad(p, in, t);
    if (ptx_type_is_float(in->type) || ptx_type_is_half(in->type)) return true;
    bool wide = in->part == PTX_PART_WIDE, is_mad = in->op == PTX_MAD;
    PtxType result = in->type;
    if (wide) {
        switch (in->type) {
        case PTX_U16: result = PTX_U32; break;
        case PTX_S16: result = PTX_S32; break;
        case PTX_U32: result = PTX_U64; break;
        case PTX_S32: result = PTX_S64; break;
        default: return check_fail(p, t, NULL, ".wide needs a 16-bit or 32-bit type");
        }
    }
    if (in->sat && (in->type != PTX_S32 || in->part != PTX_PART_HI))
        return check_fail(p, t, NULL, ".sat needs .hi.s32");
    if (in->cc && (wide || ptx_type_bytes(in->type) < 4))
        return check_fail(p, t, NULL, ".cc needs .lo or .hi of a 32-bit or 64-bit type");
    return check_dest(p, in, t, &in->opnd[0], result, false) &&
        (!is_mad || check_source(p, in, t, &in->opnd[3], result, false));
}

static bool check_part(Parser *p, const PtxInst *in, InstText *t) {
    if (in->part == PTX_PART_WIDE)
        return check_fail(p, t, NULL, ".wide does not belong to '%s'", ptx_op_name(in->op));
    if (in->sat && (in->type != PTX_S32 || in->part != PTX_PART_HI))
        return check_fail(p, t, NULL, ".sat needs .hi.s32");
    return true;
}

// div, rcp, sqrt: exactly one of a rounding mode, .approx and .full.
static bool check_precision(Parser *p, const PtxInst *in, InstText *t) {
    uint64_t how = t->seen & (M_RND | M_APPROX | M_FULL);
    if (!ptx_type_is_float(in->type)) return true;
    if (how == 0 || (how & (how - 1)))
        return check_fail(p, t, NULL, "'%s' needs one of a rounding mode (.rn .rz .rm .rp)%s",
                          ptx_op_name(in->op),
                          in->op == PTX_DIV ? ", .approx and .full" : " and .approx");
    if (in->op == PTX_RCP && in->type == PTX_F64 && in->approx != in->ftz)
        return check_fail(p, t, NULL, "the forms of .f64 are .approx.ftz and rounding modes");
    return true;
}

static bool check_compare(Parser *p, PtxInst *in, InstText *t) {
    PtxType type = in->op == PTX_SET ? in->type2 : in->type;
    bool is_float = ptx_type_is_float(type) || ptx_type_is_half(type),
         f16 = type == PTX_F16 || type == PTX_F16X2;
    bool unordered = in->cmp >= PTX_EQU, unsigned_spelling = in->cmp >= PTX_LO && in->cmp <= PTX_HS;
    int operands = in->boolop ? 4 : 3;
    if ((unordered && !is_float) || (unsigned_spelling && !is_unsigned(type)) ||
        (is_bits(type) && in->cmp != PTX_EQ && in->cmp != PTX_NE))
        return check_fail(p, t, NULL, ".%s does not compare .%s", mod_spelling(M_CMP, in->cmp),
                          ptx_type_name(type));
    if (in->ftz && type != PTX_F32 && !f16)
        return check_fail(p, t, NULL, ".ftz needs .f32 or .f16");
    if (in->op == PTX_SET && ptx_type_is_half(in->type) && ptx_type_is_half(type) &&
        in->type != type)
        return check_fail(p, t, NULL, ".%s cannot be the result of comparing .%s",
                          ptx_type_name(in->type), ptx_type_name(type));
    if (in->op == PTX_SET &&
        is_pair(type) != (is_pair(in->type) || ptx_type_bytes(in->type) == 4) && is_pair(type))
        return check_fail(p, t, NULL, ".%s cannot be the result of comparing .%s",
                          ptx_type_name(in->type), ptx_type_name(type));
    if (in->op == PTX_SET && is_pair(in->type) && !is_pair(type))
        return check_fail(p, t, NULL, ".%s cannot be the result of comparing .%s",
                          ptx_type_name(in->type), ptx_type_name(type));
    if (in->nopnd != operands)
        return check_fail(p, t, NULL, "expected %d operands, found %d", operands, in->nopnd);
    return true;
}

// add, sub, mul, fma of halves round to nearest.
static bool check_half(Parser *p, const PtxInst *in, InstText *t) {
    if (!ptx_type_is_half(in->type)) return true;
    if (in->rnd != PTX_RND_NONE && in->rnd != PTX_RN)
        return check_fail(p, t, NULL, "halves round to nearest (.rn)");
    if (in->relu && in->sat) return check_fail(p, t, NULL, ".relu and .sat exclude each other");
    return true;
}

static bool check_extreme(Parser *p, InstText *t) {
    if (!(t->seen & M_XORSIGN) == !(t->seen & M_ABS)) return true;
    return check_fail(p, t, NULL, "the form is .xorsign.abs");
}

static bool check_slct(Parser *p, const PtxInst *in, InstText *t) {
    if (in->ftz && in->type2 != PTX_F32) return check_fail(p, t, NULL, ".ftz needs .f32");
    return true;
}

static bool check_dot(Parser *p, PtxInst *in, InstText *t) {
    PtxType result = is_unsigned(in->type) && is_unsigned(in->type2) ? PTX_U32 : PTX_S32;
    if (in->op == PTX_DP2A && in->part == PTX_PART_WIDE)
        return check_fail(p, t, NULL, ".wide does not belong to 'dp2a'");
    return check_dest(p, in, t, &in->opnd[0], result, false) &&
        check_source(p, in, t, &in->opnd[1], PTX_B32, false) &&
        check_source(p, in, t, &in->opnd[2], PTX_B32, false) &&
        check_source(p, in, t, &in->opnd[3], result, false);
}

static bool check_lop3(Parser *p, const PtxInst *in, InstText *t) {
    int operands = in->boolop ? 6 : 5;
    if (in->boolop == PTX_BOOL_XOR) return check_fail(p, t, NULL, ".xor does not belong to 'lop3'");
    if (in->nopnd != operands)
        return check_fail(p, t, NULL, "expected %d operands, found %d", operands, in->nopnd);
    if (in->opnd[4].bits > 255)
        return check_fail(p, t, &in->opnd[4], "the table is a constant from 0 to 255");
    return true;
}

// ---- warps and barriers ----

static bool check_vote(Parser *p, const PtxInst *in, InstText *t) {
    bool ballot = in->vote == PTX_VOTE_BALLOT;
    if (in->op == PTX_MATCH) {
        if (in->vote == PTX_VOTE_ALL || in->vote == PTX_VOTE_ANY) return true;
        return check_fail(p, t, NULL, ".%s does not belong to 'match'",
                          mod_spelling(M_VOTE, in->vote));
    }
    if (ballot != (in->type == PTX_B32))
        return check_fail(p, t, NULL, "the type of .%s is .%s", mod_spelling(M_VOTE, in->vote),
                          ballot ? "b32" : "pred");
    if (in->nopnd != (in->sync ? 3 : 2))
        return check_fail(p, t, NULL, "expected %d operands, found %d", in->sync ? 3 : 2,
                          in->nopnd);
    return true;
}

static bool check_shfl(Parser *p, const PtxInst *in, InstText *t) {
    if (in->nopnd == (in->sync ? 5 : 4)) return true;
    return check_fail(p, t, NULL, "expected %d operands, found %d", in->sync ? 5 : 4, in->nopnd);
}

static bool check_redux(Parser *p, const PtxInst *in, InstText *t) {
    bool bits = in->atom == PTX_ATOM_AND || in->atom == PTX_ATOM_OR || in->atom == PTX_ATOM_XOR;
    bool sum = in->atom == PTX_ATOM_ADD || in->atom == PTX_ATOM_MIN || in->atom == PTX_ATOM_MAX;
    if ((bits && in->type == PTX_B32) || (sum && in->type != PTX_B32)) return true;
    return check_fail(p, t, NULL, ".%s has no form of type .%s", mod_spelling(M_ATOM, in->atom),
                      ptx_type_name(in->type));
}

// bar.red d, barrier [, threads], predicate
static bool check_bar_red(Parser *p, PtxInst *in, InstText *t) {
    bool count = in->atom == PTX_ATOM_ADD;
    bool logic = in->atom == PTX_ATOM_AND || in->atom == PTX_ATOM_OR;
    if (!(count && in->type == PTX_U32) && !(logic && in->type == PTX_PRED))
        return check_fail(p, t, NULL, "the forms are .popc.u32, .and.pred and .or.pred");
    for (int i = 1; i < in->nopnd - 1; i++)
        if (!check_source(p, in, t, &in->opnd[i], PTX_U32, false)) return false;
    PtxOperand *o = &in->opnd[in->nopnd - 1];
    bool negated = o->negated && o->kind == PTX_OPND_REG;
    if (negated) o->negated = false;
    if (!check_source(p, in, t, o, PTX_PRED, false)) return false;
    o->negated = negated;
    return true;
}

static bool check_barrier_number(Parser *p, const PtxInst *in, InstText *t) {
    const PtxOperand *o = &in->opnd[in->op == PTX_BAR_RED];
    if (o->kind == PTX_OPND_IMM && o->bits > 15)
        return check_fail(p, t, o, "there are barriers 0 to 15");
    return true;
}

// ---- calls ----

static bool check_argument(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o,
                           const PtxVar *formal, bool is_ret) {
    if (o->kind == PTX_OPND_MEM) {
        const PtxVar *v = o->module_scope ? &p->m->vars[o->index] : &p->f->vars[o->index];
        if (o->module_scope || v->space != PTX_PARAM || v->is_reg || o->offset)
            return check_fail(p, t, o, "%s is not a .param variable", v->name);
        if (v->bytes != formal->bytes)
            return check_fail(p, t, o, "%s has %lld bytes, the function expects %lld", v->name,
                              (long long)v->bytes, (long long)formal->bytes);
        return true;
    }
    if (is_ret && o->kind == PTX_OPND_SINK) return true;
    if (formal->is_array)
        return check_fail(p, t, o, "the function expects %lld bytes of .param memory",
                          (long long)formal->bytes);
    return is_ret ? check_dest(p, in, t, o, formal->type, false)
                  : check_source(p, in, t, o, formal->type, false);
}

// The arguments of a call through a pointer are .param variables.
static bool check_indirect(Parser *p, PtxInst *in, InstText *t) {
    const PtxFunc *f = p->f;
    if (ptx_type_bytes(f->regs[in->opnd[0].index].type) != 8)
        return check_fail(p, t, &in->opnd[0], "%s is a .%s register; a pointer needs 64 bits",
                          f->regs[in->opnd[0].index].name,
                          ptx_type_name(f->regs[in->opnd[0].index].type));
    for (int i = 0; i < in->ncall_args + in->ncall_rets; i++) {
        const PtxOperand *o =
            i < in->ncall_args ? &in->call_args[i] : &in->call_rets[i - in->ncall_args];
        if (o->kind == PTX_OPND_MEM && !o->module_scope && !o->offset &&
            f->vars[o->index].space == PTX_PARAM)
            continue;
        return check_fail(p, t, o,
                          "arguments and results of an indirect call are .param variables");
    }
    call_prepare(p, in);
    return true;
}

bool check_call(Parser *p, PtxInst *in, InstText *t) {
    if (call_is_indirect(in)) return check_indirect(p, in, t);
    const PtxFunc *callee = &p->m->funcs[in->opnd[0].index];
    if (callee->is_entry) return check_fail(p, t, &in->opnd[0], "%s is a kernel", callee->name);
    if (in->ncall_args != callee->nparams)
        return check_fail(p, t, &in->opnd[0], "%s takes %d arguments, found %d", callee->name,
                          callee->nparams, in->ncall_args);
    if (in->ncall_rets != callee->nrets)
        return check_fail(p, t, &in->opnd[0], "%s returns %d values, found %d", callee->name,
                          callee->nrets, in->ncall_rets);
    for (int i = 0; i < in->ncall_args; i++)
        if (!check_argument(p, in, t, &in->call_args[i], &callee->params[i], false)) return false;
    for (int i = 0; i < in->ncall_rets; i++)
        if (!check_argument(p, in, t, &in->call_rets[i], &callee->rets[i], true)) return false;
    return true;
}

// ---- textures ----

// A vector of coordinates may be longer than the geometry; the excess elements are checked and not
// used.
static bool drop_coordinates(Parser *p, const PtxInst *in, InstText *t, PtxOperand *at, int n) {
    if (at->kind != PTX_OPND_VEC || at->nelements == n) return true;
    for (int i = n; i < at->nelements; i++)
        if (at->elements[i].kind != PTX_OPND_SINK &&
            !check_source(p, in, t, &at->elements[i], in->type2, false))
            return false;
    at->nelements = n;
    return true;
}

static bool check_texture(Parser *p, PtxInst *in, InstText *t) {
    static const int words[] = {1, 2, 4, 2, 4};
    PtxOperand *d = &in->opnd[0], *at = &in->opnd[2];
    const bool layered = ptx_geometry_is_layered(in->geometry);
    const int n = words[in->geometry];
    if (in->vec != 4) return check_fail(p, t, d, "a texture fetch has four results (.v4)");
    if (d->kind != PTX_OPND_VEC || d->nelements != 4)
        return check_fail(p, t, d, "expected a vector of 4 elements");
    for (int i = 0; i < 4; i++)
        if (d->elements[i].kind != PTX_OPND_SINK &&
            !check_dest(p, in, t, &d->elements[i], in->type, false))
            return false;
    const bool reference = in->opnd[1].kind == PTX_OPND_VAR && in->opnd[1].module_scope &&
        p->m->vars[in->opnd[1].index].is_texref;
    if (!reference && !check_source(p, in, t, &in->opnd[1], PTX_U64, false)) return false;
    if (n > 1 && (at->kind != PTX_OPND_VEC || at->nelements < n))
        return check_fail(p, t, at, "expected a vector of %d coordinates", n);
    if (!drop_coordinates(p, in, t, at, n)) return false;
    for (int i = 0; i < n; i++) {
        PtxOperand *e = at->kind == PTX_OPND_VEC ? &at->elements[i] : at;
        if (e->kind == PTX_OPND_SINK && n == 4 && i == 3 && !(t->cube && layered)) continue;
        if (!check_source(p, in, t, e, layered && i == 0 ? PTX_U32 : in->type2, false))
            return false;
    }
    return true;
}

bool check_special(Parser *p, PtxInst *in, InstText *t) {
    if (ptx_video(in->op).kind) return video_check(p, in, t);
    switch (in->op) {
    case PTX_TEX: return check_texture(p, in, t);
    case PTX_LD:
    case PTX_LDU: return check_load(p, in, t);
    case PTX_ST: return check_store(p, in, t);
    case PTX_PREFETCH:
    case PTX_PREFETCHU: return check_prefetch(p, in, t);
    case PTX_MEMBAR: return check_membar(p, in, t);
    case PTX_FENCE: return check_fence(p, in, t);
    case PTX_ATOM:
    case PTX_RED: return check_atomic(p, in, t);
    case PTX_CVT: return check_cvt(p, in, t);
    case PTX_CVT_PACK: return check_cvt_pack(p, in, t);
    case PTX_MOV: return check_mov(p, in, t);
    case PTX_ADD:
    case PTX_SUB:
    case PTX_FMA: return check_half(p, in, t);
    case PTX_MIN:
    case PTX_MAX: return check_extreme(p, t);
    case PTX_MUL:
    case PTX_MAD: return check_half(p, in, t) && check_mul_mad(p, in, t);
    case PTX_MADC:
    case PTX_MUL24:
    case PTX_MAD24: return check_part(p, in, t);
    case PTX_DIV:
    case PTX_RCP:
    case PTX_SQRT: return check_precision(p, in, t);
    case PTX_SETP:
    case PTX_SET: return check_compare(p, in, t);
    case PTX_SLCT: return check_slct(p, in, t);
    case PTX_DP2A:
    case PTX_DP4A: return check_dot(p, in, t);
    case PTX_LOP3: return check_lop3(p, in, t);
    case PTX_VOTE:
    case PTX_MATCH: return check_vote(p, in, t);
    case PTX_SHFL: return check_shfl(p, in, t);
    case PTX_REDUX: return check_redux(p, in, t);
    case PTX_BAR_RED: return check_bar_red(p, in, t) && check_barrier_number(p, in, t);
    case PTX_BAR:
    case PTX_BAR_ARRIVE: return check_barrier_number(p, in, t);
    case PTX_CALL: return check_call(p, in, t);
    case PTX_CP_ASYNC:
        if (in->space == PTX_GLOBAL) return true;
        return check_fail(p, t, NULL, "the form is cp.async.ca.shared.global");
    case PTX_MBARRIER_INIT:
    case PTX_MBARRIER_INVAL:
    case PTX_MBARRIER_ARRIVE:
    case PTX_MBARRIER_TEST_WAIT:
        if (in->space != PTX_SHARED && in->space != PTX_GENERIC)
            return check_fail(p, t, NULL, "an mbarrier is in .shared memory");
        if (in->op != PTX_MBARRIER_TEST_WAIT) return true;
        return check_source(p, in, t, &in->opnd[2], in->part ? PTX_U32 : PTX_B64, false);
    default: return true;
    }
}
