// SPDX-License-Identifier: Apache-2.0
// Lowering of loads, stores, atomics and address conversions.
#include "compile/lower/lower.h"
#include "isa/texture.h"

#include <string.h>

// Address of an access: register part (a word inside a space, otherwise a pair) and byte offset.
typedef struct Address {
    IrSrc base;
    int64_t offset;
} Address;

static IsaSpace isa_space(PtxSpace s) {
    switch (s) {
    case PTX_SHARED: return ISA_SHARED;
    case PTX_LOCAL: return ISA_LOCAL;
    case PTX_GLOBAL: return ISA_GLOBAL;
    default: return ISA_GENERIC;
    }
}

static bool narrow_space(PtxSpace s) {
    return s == PTX_SHARED || s == PTX_LOCAL || s == PTX_CONST || s == PTX_PARAM;
}

// Offset of a variable inside its space, or its device address.
static int64_t variable_offset(Lower *l, const PtxOperand *o) {
    if (o->module_scope) {
        const PtxVar *v = &l->u->module->vars[o->index];
        return v->space == PTX_SHARED ? l->u->shared->module_offset[o->index]
                                      : l->u->layout->var_addr[o->index];
    }
    const PtxVar *v = &l->fr->func->vars[o->index];
    if (v->space == PTX_SHARED) return l->u->shared->func_offset[l->fr->func_index][o->index];
    if (v->space == PTX_LOCAL) return l->fr->local_base + v->offset;
    return v->offset;
}

static Address lower_address(Lower *l, const PtxOperand *o, PtxSpace space) {
    Address a = {ir_imm(0), o->offset};
    if (o->base == PTX_BASE_VAR) {
        a.offset += variable_offset(l, o);
        if (lw_is_stacked(l, o)) a.base = ir_reg(l->ir, l->sp);
    } else if (o->base == PTX_BASE_REG) {
        a.base = ir_reg(l->ir, l->fr->vreg[o->index]);
        if (narrow_space(space) && a.base.width == 2) a.base = lw_word(l, a.base, 0);
    } else if (o->base == PTX_BASE_NONE && !narrow_space(space) && (uint64_t)a.offset > INT32_MAX) {
        a.base = ir_imm64((uint64_t)a.offset);
        a.offset = 0;
    }
    if (a.offset != (int32_t)a.offset) {  // does not fit in the instruction
        a.base = a.base.width == 2 ? lw_op2(l, IR_ADD64, 2, a.base, ir_imm64((uint64_t)a.offset))
                                   : lw_op2(l, ISA_IADD, 1, a.base, ir_imm((uint32_t)a.offset));
        a.offset = 0;
    }
    return a;
}

// The space of an access: a generic access to a named variable uses the variable's space.
static PtxSpace access_space(Lower *l, const PtxOperand *o) {
    if (l->in->space != PTX_GENERIC || o->base != PTX_BASE_VAR) return l->in->space;
    return o->module_scope ? l->u->module->vars[o->index].space : l->fr->func->vars[o->index].space;
}

static IsaCacheOp cache_op(const PtxInst *in) {
    if (in->is_volatile) return ISA_CACHE_VOLATILE;
    switch (in->cache) {
    case PTX_CACHE_CG: return ISA_CACHE_L2;
    case PTX_CACHE_CS:
    case PTX_CACHE_LU: return ISA_CACHE_STREAM;
    case PTX_CACHE_CV: return ISA_CACHE_VOLATILE;
    default: return ISA_CACHE_ALL;
    }
}

static bool is_ordered(const PtxInst *in) {
    return in->is_volatile || in->cache == PTX_CACHE_CV ||
        (in->sem != PTX_SEM_NONE && in->sem != PTX_SEM_WEAK);
}

static void set_access(Lower *l, IrInst *m, PtxSpace space, Address a, int bytes) {
    m->src[0] = a.base;
    m->mod.offset = (int32_t)a.offset;
    m->mod.space = isa_space(space);
    m->mod.mem_bytes = (uint8_t)bytes;
    m->mod.cache = cache_op(l->in);
    m->mod.ordered = is_ordered(l->in);
    if (l->guarded) m->guard = l->guard;
}

static void emit_fence(Lower *l) {
    IrInst *in = lw_emit(l, ISA_MEMBAR, 0);
    in->mod.mode = l->in->scope == PTX_SCOPE_SYS ? 2 : l->in->scope == PTX_SCOPE_GPU ? 1 : 0;
}
static bool has_release(const PtxInst *in) {
    return in->sem == PTX_SEM_RELEASE || in->sem == PTX_SEM_ACQ_REL || in->sem == PTX_SEM_SC;
}
static bool has_acquire(const PtxInst *in) {
    return in->sem == PTX_SEM_ACQUIRE || in->sem == PTX_SEM_ACQ_REL || in->sem == PTX_SEM_SC;
}

// ---- parameters held in registers ----

static LowerParam *find_param(Lower *l, const PtxOperand *o) {
    if (o->base != PTX_BASE_VAR || o->module_scope) return NULL;
    return l->fr->param[o->index];
}

IrSrc lower_param_load(Lower *l, const LowerParam *p, int64_t offset, int bytes) {
    IrSrc words[4];
    for (int i = 0; i < (bytes + 3) / 4; i++) {
        int w = (int)(offset / 4) + i;
        words[i] = w * 4 < p->var->bytes ? ir_reg(l->ir, p->word[w]) : ir_imm(0);
    }
    if (bytes > 4) return lw_op(l, IR_JOIN, bytes / 4, bytes / 4, words);
    int shift = (int)(offset % 4) * 8;
    return shift ? lw_shift(l, ISA_SHR, ISA_U32, words[0], ir_imm((uint32_t)shift)) : words[0];
}

void lower_param_store(Lower *l, const LowerParam *p, int64_t offset, int bytes, IrSrc value) {
    for (int i = 0; i < (bytes + 3) / 4; i++) {
        int w = (int)(offset / 4) + i;
        if (w * 4 >= p->var->bytes) continue;
        IrSrc part = value.width == 1 ? value : lw_word(l, value, i);
        if (bytes < 4 && bytes < p->var->bytes)  // other fields share the word
            part = lw_op3(l, ISA_BFI, 1, part, ir_reg(l->ir, p->word[w]),
                          ir_imm((uint32_t)(offset % 4 * 8 | bytes * 8 << 8)));
        if (l->guarded) part = lw_sel(l, l->guard, part, ir_reg(l->ir, p->word[w]));
        IrInst *in = lw_emit(l, IR_COPY, 1);
        in->dst = p->word[w];
        in->src[0] = part;
    }
}

// ---- ld, st ----

// The value of one element in the form of its destination register. raw: bits above the element are
// undefined.
static IrSrc widen_element(Lower *l, IrSrc v, PtxType t, const PtxOperand *d, bool raw) {
    if (d->kind != PTX_OPND_REG || v.width != 1) return v;
    bool wider = ptx_type_bytes(l->fr->func->regs[d->index].type) > ptx_type_bytes(t);
    bool pair = l->ir->width[l->fr->vreg[d->index]] == 2;
    if ((raw && wider) || pair) v = lw_extend(l, v, t);
    if (!pair) return v;
    return ptx_type_is_signed(t) ? lw_op1(l, IR_SEXT64, 2, v) : lw_join(l, v, ir_imm(0));
}

// Element i of a loaded value.
static IrSrc element_of(Lower *l, IrSrc value, int i, PtxType t) {
    int bytes = ptx_type_bytes(t);
    if (bytes >= 4) {
        if (value.width == bytes / 4) return value;
        if (value.kind == ISA_SRC_CONST)
            return ir_const(value.cbank, value.imm + (unsigned)(i * bytes), bytes / 4);
        IrSrc r = lw_op1(l, IR_SPLIT, bytes / 4, value);
        lw_last(l)->mod.mode = (uint8_t)(i * bytes / 4);
        return r;
    }
    IrSrc word = lw_word(l, value, i * bytes / 4);
    int shift = i * bytes * 8 % 32;
    if (shift) word = lw_shift(l, ISA_SHR, ISA_U32, word, ir_imm((uint32_t)shift));
    return word;
}

// A constant of 16 bytes is read as operands of at most 8 bytes.
static IrSrc read_constant(Lower *l, int bank, int64_t offset, int width) {
    if (width < 4) return ir_const(bank, (uint64_t)offset, width);
    return lw_op2(l, IR_JOIN, 4, ir_const(bank, (uint64_t)offset, 2),
                  ir_const(bank, (uint64_t)offset + 8, 2));
}

static IrSrc emit_load(Lower *l, PtxSpace space, Address a, PtxType t, int total) {
    int width = total <= 4 ? 1 : total / 4;
    bool bank = space == PTX_CONST || space == PTX_PARAM;
    bool fixed = a.base.kind == ISA_SRC_IMM;
    int64_t at = a.offset + (fixed ? (int64_t)a.base.imm : 0);
    if (bank && fixed && total >= 4 && at % (total > 8 ? 8 : total) == 0 && at >= 0)
        return read_constant(l, space == PTX_CONST ? 3 : 0, at, width);
    IrInst *m = lw_emit(l, bank ? ISA_LDC : ISA_LD, 1);
    set_access(l, m, space, a, total);
    if (bank) {
        m->mod.space = 0;
        m->mod.cache = 0;
        m->mod.ordered = false;
        m->mod.cbank = space == PTX_CONST ? 3 : 0;
    }
    bool single = total == ptx_type_bytes(t);
    m->mod.type = total >= 8 ? ISA_U64
        : total == 4         ? ISA_U32
        : single             ? lw_int_type(t)
        : total == 2         ? ISA_U16
                             : ISA_U8;
    m->mod.readonly = l->in->nc;
    m->dst = ir_vreg(l->ir, width);
    return ir_reg(l->ir, m->dst);
}

static bool lower_load(Lower *l) {
    const PtxInst *in = l->in;
    const PtxOperand *d = &in->opnd[0], *o = &in->opnd[1];
    int n = in->vec > 1 ? in->vec : 1, total = n * ptx_type_bytes(in->type);
    if (total > 16) return lw_fail(l, "loads of more than 16 bytes are not supported");
    PtxSpace space = access_space(l, o);
    LowerParam *p = find_param(l, o);
    IrSrc value;
    if (p) value = lower_param_load(l, p, o->offset, total);
    else {
        // .param addressed through a register inside a .func: the copy in its frame
        if (space == PTX_PARAM && l->fr->caller && o->base == PTX_BASE_REG) space = PTX_LOCAL;
        value = emit_load(l, space, lower_address(l, o, space), in->type, total);
    }
    if (has_acquire(in)) emit_fence(l);
    if (n == 1) {
        lw_put(l, d, widen_element(l, value, in->type, d, p != NULL));
        return true;
    }
    IrSrc e[4];
    for (int i = 0; i < n; i++)
        e[i] = widen_element(l, element_of(l, value, i, in->type), in->type, &d->elements[i], true);
    for (int i = 0; i < n; i++) lw_put(l, &d->elements[i], e[i]);
    return true;
}

// Elements packed into one value of `total` bytes.
static IrSrc pack_elements(Lower *l, const PtxOperand *v, int n, int bytes) {
    if (n == 1) {
        IrSrc s = lw_arg(l, v);
        return s.width == 2 && bytes <= 4 ? lw_word(l, s, 0) : s;
    }
    IrSrc e[4], word[4];
    for (int i = 0; i < n; i++) {
        e[i] = lw_arg(l, &v->elements[i]);
        if (bytes <= 4 && e[i].width == 2) e[i] = lw_word(l, e[i], 0);
        if (bytes == 8 && e[i].width == 1) e[i] = lw_join(l, e[i], ir_imm(0));
    }
    if (bytes >= 4) return lw_op(l, IR_JOIN, n * bytes / 4, n, e);
    int per = 4 / bytes, words = (n + per - 1) / per;
    for (int w = 0; w < words; w++) {
        word[w] = e[w * per];
        for (int k = 1; k < per && w * per + k < n; k++)
            word[w] = lw_op3(l, ISA_BFI, 1, e[w * per + k], word[w],
                             ir_imm((uint32_t)(8 * bytes * k | 8 * bytes << 8)));
    }
    return words == 1 ? word[0] : lw_join(l, word[0], word[1]);
}

static bool lower_store(Lower *l) {
    const PtxInst *in = l->in;
    const PtxOperand *o = &in->opnd[0];
    int n = in->vec > 1 ? in->vec : 1, bytes = ptx_type_bytes(in->type), total = n * bytes;
    if (total > 16) return lw_fail(l, "stores of more than 16 bytes are not supported");
    IrSrc value = pack_elements(l, &in->opnd[1], n, bytes);
    if (bytes == 8 && n == 1 && value.width == 1) value = lw_join(l, value, ir_imm(0));
    LowerParam *p = find_param(l, o);
    PtxSpace space = access_space(l, o);
    if (p) {
        lower_param_store(l, p, o->offset, total, value);
        return true;
    }
    if (space == PTX_PARAM && l->fr->caller && o->base == PTX_BASE_REG) space = PTX_LOCAL;
    if (space == PTX_PARAM || space == PTX_CONST)
        return lw_fail(l, "store to .%s memory: kernel parameters and constants cannot be written",
                       ptx_space_name(space));
    if (has_release(in)) emit_fence(l);
    Address a = lower_address(l, o, space);
    IrInst *m = lw_emit(l, ISA_ST, 2);
    set_access(l, m, space, a, total);
    m->src[1] = value;
    return true;
}

// ---- atom, red ----

// 16-bit compare-and-swap, addition, minimum and maximum of halves: a loop around the
// compare-and-swap of the word that holds the halfword.
static bool lower_atomic16(Lower *l, PtxSpace space, const PtxOperand *o, bool result) {
    const PtxInst *in = l->in;
    const bool cas16 = in->atom == PTX_ATOM_CAS;
    IrSrc want = lw_extend(l, lw_arg32(l, result + 1), PTX_U16), put = want;
    if (cas16) put = lw_extend(l, lw_arg32(l, result + 2), PTX_U16);
    Address a = lower_address(l, o, space);
    bool wide = a.base.width == 2;
    IrSrc at = wide ? lw_op2(l, IR_ADD64, 2, a.base, ir_imm64((uint64_t)a.offset))
                    : lw_op2(l, ISA_IADD, 1, a.base, ir_imm((uint32_t)a.offset));
    IrSrc half = lw_lop(l, ISA_LUT_AND, lw_word(l, at, 0), ir_imm(2), ir_imm(0));
    IrSrc shift = lw_shift(l, ISA_SHL, ISA_U32, half, ir_imm(3));
    a.base = wide ? lw_lop64(l, ISA_LUT_AND, at, ir_imm64(~3ull))
                  : lw_lop(l, ISA_LUT_AND, at, ir_imm(~3u), ir_imm(0));
    a.offset = 0;
    IrSrc keep =
        lw_lop(l, 0x0f, lw_shift(l, ISA_SHL, ISA_U32, ir_imm(0xffff), shift), ir_imm(0), ir_imm(0));
    if (cas16) put = lw_shift(l, ISA_SHL, ISA_U32, put, shift);
    int loop = lw_new_block(l), swap = lw_new_block(l), done = lw_new_block(l),
        found = ir_vreg(l->ir, 1);
    bool guarded = l->guarded;
    int skip = guarded ? lw_new_block(l) : IR_NONE;
    if (guarded) {
        lw_branch(l, l->guard, loop, skip);
        l->guarded = false;
    }
    lw_start(l, loop);
    IrInst *ld = lw_emit(l, ISA_LD, 1);
    set_access(l, ld, space, a, 4);
    ld->mod.type = ISA_U32;
    ld->mod.ordered = true;
    ld->mod.cache = ISA_CACHE_VOLATILE;
    ld->dst = ir_vreg(l->ir, 1);
    IrSrc old = ir_reg(l->ir, ld->dst);
    IrSrc now = lw_extend(l, lw_shift(l, ISA_SHR, ISA_U32, old, shift), PTX_U16);
    IrInst *copy = lw_emit(l, IR_COPY, 1);
    copy->src[0] = now;
    copy->dst = found;
    if (cas16)
        lw_branch(l, lw_setp(l, ISA_ISETP, ISA_U32, ISA_EQ, ir_reg(l->ir, found), want), swap,
                  done);
    else lw_goto(l, swap);
    lw_start(l, swap);
    if (!cas16) {
        put = lw_op2(l, in->atom == PTX_ATOM_ADD ? ISA_HADD : ISA_HMNMX, 1, ir_reg(l->ir, found),
                     want);
        lw_last(l)->mod.type = lw_type(in->type);
        lw_last(l)->mod.mode = in->atom == PTX_ATOM_MAX;
        put = lw_shift(l, ISA_SHL, ISA_U32, put, shift);
    }
    IrSrc whole = lw_lop(l, 0xea, old, keep, put);  // (old & keep) | put
    IrInst *cas = lw_emit(l, ISA_ATOM, 3);
    set_access(l, cas, space, a, 4);
    cas->mod.cache = ISA_CACHE_ALL;
    cas->mod.atom = PTX_ATOM_CAS;
    cas->mod.type = ISA_U32;
    cas->src[1] = old;
    cas->src[2] = whole;
    cas->dst = ir_vreg(l->ir, 1);
    IrSrc was = ir_reg(l->ir, cas->dst);
    lw_branch(l, lw_setp(l, ISA_ISETP, ISA_U32, ISA_NE, was, old), loop, done);
    lw_start(l, done);
    if (result) lw_put(l, &in->opnd[0], ir_reg(l->ir, found));
    if (guarded) lw_start(l, skip);
    return true;
}

static bool lower_atomic(Lower *l, bool result) {
    const PtxInst *in = l->in;
    const PtxOperand *o = &in->opnd[result];
    int bytes = ptx_type_bytes(in->type);
    PtxSpace space = access_space(l, o);
    if (space != PTX_GLOBAL && space != PTX_SHARED && space != PTX_GENERIC)
        return lw_fail(l, "atomics on .%s memory are not supported", ptx_space_name(space));
    bool cas = in->atom == PTX_ATOM_CAS;
    if (bytes < 4) {
        if (has_release(in)) emit_fence(l);
        bool ok = lower_atomic16(l, space, o, result);
        if (has_acquire(in)) emit_fence(l);
        return ok;
    }
    IrSrc b = bytes == 8 ? lw_arg64(l, result + 1) : lw_arg32(l, result + 1), c = {0};
    if (cas) c = bytes == 8 ? lw_arg64(l, result + 2) : lw_arg32(l, result + 2);
    if (has_release(in)) emit_fence(l);
    Address a = lower_address(l, o, space);
    IrInst *m = lw_emit(l, ISA_ATOM, cas ? 3 : 2);
    set_access(l, m, space, a, bytes);
    m->mod.cache = ISA_CACHE_ALL;
    m->src[1] = b;
    if (cas) m->src[2] = c;
    m->mod.atom = (uint8_t)in->atom;
    m->mod.type = lw_type(in->type);
    IrSrc r = {0};
    if (result) {
        m->dst = ir_vreg(l->ir, bytes / 4);
        r = ir_reg(l->ir, m->dst);
    }
    if (has_acquire(in)) emit_fence(l);
    if (result) lw_put(l, &in->opnd[0], r);
    return true;
}

// ---- addresses ----

static uint32_t window_of(PtxSpace s) {
    switch (s) {
    case PTX_SHARED: return DEVICE_SHARED_BASE;
    case PTX_LOCAL: return DEVICE_LOCAL_BASE;
    case PTX_CONST: return DEVICE_CONST_BASE;
    case PTX_PARAM: return DEVICE_PARAM_BASE;
    default: return 0;
    }
}

// cvta of the address of a parameter in a .func's frame is a local address.
static PtxSpace converted_space(Lower *l) {
    const PtxOperand *o = &l->in->opnd[1];
    if (l->in->space == PTX_PARAM && l->fr->caller && !(o->kind == PTX_OPND_VAR && o->module_scope))
        return PTX_LOCAL;
    return l->in->space;
}

static bool lower_cvta(Lower *l) {
    uint64_t base = window_of(converted_space(l));
    IrSrc a = lw_arg(l, &l->in->opnd[1]);
    if (a.width == 1 && lw_is64(l->in->type)) a = lw_join(l, a, ir_imm(0));
    if (base) {
        if (l->in->to) base = 0 - base;
        a = a.width == 2 ? lw_op2(l, IR_ADD64, 2, a, ir_imm64(base))
                         : lw_op2(l, ISA_IADD, 1, a, ir_imm((uint32_t)base));
    }
    lw_put(l, &l->in->opnd[0], a);
    return true;
}

static bool lower_isspacep(Lower *l) {
    IrSrc top = lw_shift(l, ISA_SHR, ISA_U32, lw_arg32(l, 1), ir_imm(24));
    IrPred p;
    if (window_of(l->in->space)) {
        p = lw_setp(l, ISA_ISETP, ISA_U32, ISA_EQ, top, ir_imm(window_of(l->in->space) >> 24));
    } else {  // global: none of the windows 1..4
        IrSrc t = lw_op2(l, ISA_IADD, 1, top, ir_imm(~0u));
        p = lw_setp(l, ISA_ISETP, ISA_U32, ISA_GT, t, ir_imm(3));
    }
    lw_put_pred(l, &l->in->opnd[0], p);
    return true;
}

static bool lower_prefetch(Lower *l) {
    const PtxOperand *o = &l->in->opnd[0];
    PtxSpace space = access_space(l, o);
    if (narrow_space(space)) return true;  // no source to fetch from
    Address a = lower_address(l, o, space);
    IrInst *m = lw_emit(l, ISA_PREFETCH, 1);
    set_access(l, m, space, a, 4);
    m->mod.mem_bytes = 0;
    m->mod.mode = (uint8_t)l->in->level;
    return true;
}

// ---- textures ----

static bool lower_texture(Lower *l) {
    const PtxInst *in = l->in;
    const PtxOperand *d = &in->opnd[0], *coords = &in->opnd[2];
    const int n = coords->kind == PTX_OPND_VEC ? coords->nelements : 1;
    IrSrc at[4], result[4];
    for (int i = 0; i < n; i++) {
        const PtxOperand *e = coords->kind == PTX_OPND_VEC ? &coords->elements[i] : coords;
        at[i] = e->kind == PTX_OPND_SINK ? ir_imm(0) : lw_arg(l, e);
    }
    const IrSrc where = n == 1 ? at[0] : lw_op(l, IR_JOIN, n, n, at);
    IrSrc object = lw_arg64(l, 1);
    IrInst *m = lw_emit(l, ISA_TEX, 2);
    m->src[0] = object;
    m->src[1] = where;
    m->mod.space = ISA_GLOBAL;
    m->mod.mem_bytes = 4;
    m->mod.readonly = true;
    m->mod.type = lw_type(in->type);
    m->mod.mode = (uint8_t)(in->geometry | (in->type2 == PTX_F32 ? TEXTURE_FLOAT_COORDS : 0));
    if (l->guarded) m->guard = l->guard;
    m->dst = ir_vreg(l->ir, 4);
    const IrSrc whole = ir_reg(l->ir, m->dst);
    for (int i = 0; i < 4; i++) result[i] = lw_word(l, whole, i);
    for (int i = 0; i < 4; i++)
        if (d->elements[i].kind == PTX_OPND_REG) lw_put(l, &d->elements[i], result[i]);
    return true;
}

bool lower_mem(Lower *l) {
    switch (l->in->op) {
    case PTX_TEX: return lower_texture(l);
    case PTX_LD:
    case PTX_LDU: return lower_load(l);
    case PTX_ST: return lower_store(l);
    case PTX_ATOM: return lower_atomic(l, true);
    case PTX_RED: return lower_atomic(l, false);
    case PTX_CVTA: return lower_cvta(l);
    case PTX_ISSPACEP: return lower_isspacep(l);
    case PTX_PREFETCH:
    case PTX_PREFETCHU: return lower_prefetch(l);
    default: return lw_fail(l, "%s is not supported by the compiler", ptx_op_name(l->in->op));
    }
}
