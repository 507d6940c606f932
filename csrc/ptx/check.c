// SPDX-License-Identifier: Apache-2.0
// Checks instructions against their rules: modifiers, operand counts and kinds, register types.
// Immediates become bits of the operand's type. check_special.c has the checks that the table
// cannot express.
#include "ptx/front.h"

#include <string.h>

#define U8 (1u << PTX_U8)
#define U16 (1u << PTX_U16)
#define U32 (1u << PTX_U32)
#define U64 (1u << PTX_U64)
#define S16 (1u << PTX_S16)
#define S32 (1u << PTX_S32)
#define S64 (1u << PTX_S64)
#define B8 (1u << PTX_B8)
#define B16 (1u << PTX_B16)
#define B32 (1u << PTX_B32)
#define B64 (1u << PTX_B64)
#define HALVES (1u << PTX_F16 | 1u << PTX_F16X2)
#define BHALVES (1u << PTX_BF16 | 1u << PTX_BF16X2)
#define F32 (1u << PTX_F32)
#define F64 (1u << PTX_F64)
#define PRED (1u << PTX_PRED)
#define BITS (B16 | B32 | B64)
#define INT32 (U32 | S32 | B32)
#define INT64 (U64 | S64 | B64)
#define INTS (U16 | S16 | U32 | S32 | U64 | S64)
#define MEMORY (INTS | BITS | F32 | F64 | U8 | B8 | 1u << PTX_S8)
#define CONVERTIBLE \
    (INTS | U8 | 1u << PTX_S8 | 1u << PTX_F16 | 1u << PTX_F16X2 | BHALVES | F32 | F64 | \
     1u << PTX_TF32 | 1u << PTX_E4M3X2 | 1u << PTX_E5M2X2)
#define PACKABLE \
    (U16 | S16 | U8 | 1u << PTX_S8 | 1u << PTX_U2 | 1u << PTX_U4 | 1u << PTX_S2 | 1u << PTX_S4)

static const Rule rules[] = {
#define RULE(op, types, types2, may, must, sig) \
    {PTX_##op, types, types2, (may) | (must), must, sig},
#include "ptx/ptx_rules.def"
#undef RULE
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

uint64_t rule_union(PtxOp op) {
    uint64_t all = 0;
    for (int i = 0; i < RULE_COUNT; i++)
        if (rules[i].op == op) all |= rules[i].may | (rules[i].types ? (uint64_t)M_TYPE : 0);
    return all;
}

bool check_fail(Parser *p, const InstText *t, const PtxOperand *o, const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    Token at = t->at;
    // Operands may be in later lines than the mnemonic; then the column alone would mislead.
    if (o && o->line == at.line) at.col = o->col;
    else if (o) at = (Token){.line = o->line, .col = o->col};
    return lex_fail(p, &at, "'%.*s': %s", t->name_len, t->name, text);
}

// ---- operands ----

// Does a register of type `reg` fit an operand of type `slot`? Types .bN match by size; integers
// match with any sign. `relaxed` (ld, st, cvt): the register may be wider.
static bool fits_register(PtxType reg, PtxType slot, bool relaxed) {
    if (reg == PTX_PRED || slot == PTX_PRED) return reg == slot;
    int have = ptx_type_bytes(reg), need = ptx_type_bytes(slot);
    bool reg_float = ptx_type_is_float(reg) || ptx_type_is_half(reg);
    bool slot_float = ptx_type_is_float(slot) || ptx_type_is_half(slot);
    bool reg_bits = reg >= PTX_B8 && reg <= PTX_B128;
    bool slot_bits = slot >= PTX_B8 && slot <= PTX_B128;
    if (slot == PTX_TF32 || ptx_type_is_fp8(slot)) return reg_bits && have == need;
    if (reg_float && slot_float) return reg == slot;
    if (slot_float) return reg_bits && (have == need || (relaxed && have > need));
    if (reg_float) return slot_bits && (have == need || (relaxed && have > need));
    return have == need || (relaxed && have > need);
}

static bool check_register(Parser *p, InstText *t, const PtxOperand *o, PtxType type,
                           bool relaxed) {
    const PtxReg *r = &p->f->regs[o->index];
    if (fits_register(r->type, type, relaxed)) return true;
    return check_fail(p, t, o, "%s is a .%s register where .%s is expected", r->name,
                      ptx_type_name(r->type), ptx_type_name(type));
}

static const char *kind_name(const PtxOperand *o) {
    switch (o->kind) {
    case PTX_OPND_SINK: return "'_'";
    case PTX_OPND_REG: return "a register";
    case PTX_OPND_IMM: return "a constant";
    case PTX_OPND_SREG: return "a special register";
    case PTX_OPND_VAR: return "the address of a variable";
    case PTX_OPND_MEM: return "a memory operand";
    case PTX_OPND_LABEL: return "a label";
    case PTX_OPND_FUNC: return "a function";
    case PTX_OPND_VEC: return "a vector";
    default: return "nothing";
    }
}

bool check_dest(Parser *p, const PtxInst *in, InstText *t, const PtxOperand *o, PtxType type,
                bool relaxed) {
    if (o->kind == PTX_OPND_SINK &&
        (in->op == PTX_ATOM || in->op == PTX_SETP || in->op == PTX_LOP3 ||
         in->op == PTX_MBARRIER_ARRIVE || (in->op == PTX_MATCH && in->vote == PTX_VOTE_ALL)))
        return true;
    if (o->kind != PTX_OPND_REG || o->negated)
        return check_fail(p, t, o, "the destination must be a register, found %s",
                          o->negated ? "a negated predicate" : kind_name(o));
    return check_register(p, t, o, type, relaxed);
}

static bool convert_immediate(Parser *p, InstText *t, PtxOperand *o, PtxType type) {
    Number n = {(TokenKind)o->offset, o->bits, o->negated};
    Token at = t->at;
    at.line = o->line;
    at.col = o->col;
    if (!number_to_type(p, &n, type, &at, &o->bits)) return false;
    o->offset = 0;
    o->negated = false;
    return true;
}

static PtxType sreg_type(int sreg) {
    return sreg == PTX_SREG_CLOCK64 || sreg == PTX_SREG_GLOBALTIMER || sreg == PTX_SREG_GRIDID
        ? PTX_U64
        : PTX_U32;
}

// PTX allows a source here that PtxInst does not represent: an earlier instruction puts it into a
// fresh register, which replaces it.
static PtxInst *insert_before(Parser *p, const PtxInst *in, PtxOperand *o, PtxOp op, PtxType type) {
    PtxFunc *f = p->f;
    int reg = decl_temporary(p, type);
    PtxInst *front = ARENA_PUSH(p->arena, f->insts, f->ninsts, f->cap_insts);
    *front = (PtxInst){.op = op,
                       .type = type,
                       .guard = -1,
                       .vec = 1,
                       .nopnd = 2,
                       .line = in->line,
                       .col = in->col,
                       .src_line = in->src_line};
    front->opnd[0] =
        (PtxOperand){.kind = PTX_OPND_REG, .index = reg, .col = o->col, .line = o->line};
    front->opnd[1] = *o;
    *o = front->opnd[0];
    return front;
}

bool check_special_register(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o,
                            PtxType type) {
    PtxType stype = sreg_type(o->index);
    if (!fits_register(stype, type, in->op == PTX_CVT))
        return check_fail(p, t, o, "%s is a .%s register where .%s is expected",
                          ptx_sreg_name((PtxSreg)o->index), ptx_type_name(stype),
                          ptx_type_name(type));
    insert_before(p, in, o, PTX_MOV, stype);
    return true;
}

bool check_source(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o, PtxType type,
                  bool relaxed) {
    if (o->negated && o->kind == PTX_OPND_REG) {
        if (type != PTX_PRED || in->op == PTX_BRX_IDX)
            return check_fail(p, t, o, "'!' cannot stand here");
        o->negated = false;
        if (!check_register(p, t, o, type, false)) return false;
        insert_before(p, in, o, PTX_NOT, PTX_PRED);
        return true;
    }
    switch (o->kind) {
    case PTX_OPND_REG: return check_register(p, t, o, type, relaxed);
    case PTX_OPND_IMM: return convert_immediate(p, t, o, type);
    case PTX_OPND_SREG:
        if (in->op == PTX_CVT) return check_special_register(p, in, t, o, type);
        return check_fail(p, t, o, "special registers are read by mov only");
    default:
        return check_fail(p, t, o, "expected a register or a constant of type .%s, found %s",
                          ptx_type_name(type), kind_name(o));
    }
}

// A predicate that may be written !p.
static bool check_negatable(Parser *p, InstText *t, PtxOperand *o) {
    if (o->kind == PTX_OPND_IMM) return convert_immediate(p, t, o, PTX_PRED);
    if (o->kind != PTX_OPND_REG)
        return check_fail(p, t, o, "expected a predicate, found %s", kind_name(o));
    return check_register(p, t, o, PTX_PRED, false);
}

// Addresses have 64 bits. Inside the small spaces, and if the module's addresses have 32 bits, 32
// bits suffice: all device memory is below 4 GiB.
static bool check_address_register(Parser *p, const PtxInst *in, InstText *t, const PtxOperand *o) {
    PtxType type = p->f->regs[o->index].type;
    bool small = p->m->address_bits == 32 || (in->space != PTX_GENERIC && in->space != PTX_GLOBAL);
    if (ptx_type_is_int(type) &&
        (ptx_type_bytes(type) == 8 || (small && ptx_type_bytes(type) == 4)))
        return true;
    return check_fail(p, t, o, "%s is a .%s register; the address needs %s64 bits",
                      p->f->regs[o->index].name, ptx_type_name(type), small ? "32 or " : "");
}

static bool check_memory(Parser *p, PtxInst *in, InstText *t, PtxOperand *o) {
    if (o->kind != PTX_OPND_MEM)
        return check_fail(p, t, o, "expected an address in brackets, found %s", kind_name(o));
    if (o->base == PTX_BASE_REG) return check_address_register(p, in, t, o);
    if (o->base != PTX_BASE_VAR) return true;
    const PtxVar *v = o->module_scope ? &p->m->vars[o->index] : &p->f->vars[o->index];
    if (v->is_reg) return check_fail(p, t, o, "%s is a register, not a variable", v->name);
    // An access without a space that names a variable uses the variable's space.
    if (in->space == PTX_GENERIC &&
        (v->space == PTX_GLOBAL || v->space == PTX_SHARED || v->space == PTX_LOCAL))
        in->space = v->space;
    PtxSpace space = in->space;
    if (v->space != space)
        return check_fail(p, t, o, "%s is a .%s variable; this accesses %s%s memory", v->name,
                          ptx_space_name(v->space), space ? "." : "", ptx_space_name(space));
    int64_t bytes = (int64_t)ptx_type_bytes(in->type) * in->vec;
    if (space == PTX_PARAM && (o->offset < 0 || o->offset > v->bytes - bytes))
        return check_fail(p, t, o, "bytes %lld to %lld are outside the parameter %s of %lld bytes",
                          (long long)o->offset, (long long)(o->offset + bytes - 1), v->name,
                          (long long)v->bytes);
    return true;
}

// Data of ld and st: a scalar, or as many elements as .v2/.v4 says; registers may be wider.
static bool check_data(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o, bool is_dest) {
    int bytes = ptx_type_bytes(in->type) * in->vec;
    if (in->vec == 1 && o->kind != PTX_OPND_VEC)
        return is_dest ? check_dest(p, in, t, o, in->type, true)
                       : check_source(p, in, t, o, in->type, true);
    if (o->kind != PTX_OPND_VEC || o->nelements != in->vec)
        return check_fail(p, t, o, "expected a vector of %d elements, found %s", in->vec,
                          kind_name(o));
    if (bytes > 16) {
        t->why = "256-bit memory accesses";
        return true;
    }
    for (int i = 0; i < o->nelements; i++) {
        PtxOperand *e = &o->elements[i];
        if (e->kind == PTX_OPND_SINK && is_dest) continue;
        if (is_dest ? !check_dest(p, in, t, e, in->type, true)
                    : !check_source(p, in, t, e, in->type, true))
            return false;
    }
    return true;
}

// cvta and isspacep: an address in a register, or a variable.
static bool check_address(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o) {
    if (o->kind == PTX_OPND_REG && !o->negated) return check_address_register(p, in, t, o);
    if (o->kind == PTX_OPND_IMM) return convert_immediate(p, t, o, PTX_U64);
    if (o->kind != PTX_OPND_VAR)
        return check_fail(p, t, o, "expected an address, found %s", kind_name(o));
    const PtxVar *v = o->module_scope ? &p->m->vars[o->index] : &p->f->vars[o->index];
    if (v->space != in->space || in->to)
        return check_fail(p, t, o, "%s is a .%s variable", v->name, ptx_space_name(v->space));
    return true;
}

static PtxType widen_type(PtxType t) {
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return PTX_NOTYPE;
    }
}

static bool check_operand(Parser *p, PtxInst *in, InstText *t, char slot, PtxOperand *o) {
    switch (slot) {
    case 'd': return check_dest(p, in, t, o, in->type, false);
    case 'D': return check_dest(p, in, t, o, in->type2, false);
    case 'w': return check_dest(p, in, t, o, widen_type(in->type), false);
    case 'U': return check_dest(p, in, t, o, PTX_U32, false);
    case 'P': return check_dest(p, in, t, o, PTX_PRED, false);
    case 'a': return check_source(p, in, t, o, in->type, false);
    case 'A': return check_source(p, in, t, o, in->type2, false);
    case 'W': return check_source(p, in, t, o, widen_type(in->type), false);
    case 'u': return check_source(p, in, t, o, PTX_U32, false);
    case 'p': return check_source(p, in, t, o, PTX_PRED, false);
    case 'n': return check_negatable(p, t, o);
    case 'm': return check_memory(p, in, t, o);
    case 's':
    case 'g': {
        const PtxSpace space = in->space;
        in->space = slot == 's' ? PTX_SHARED : PTX_GLOBAL;
        const bool ok = check_memory(p, in, t, o);
        in->space = space;
        return ok;
    }
    case 'v': return check_data(p, in, t, o, true);
    case 'V': return check_data(p, in, t, o, false);
    case 'x': return check_address(p, in, t, o);
    case 'i':
        if (o->kind != PTX_OPND_IMM)
            return check_fail(p, t, o, "expected a constant, found %s", kind_name(o));
        return convert_immediate(p, t, o, PTX_U32);
    case 'o': return true;
    default: panic("operand letter %c", slot);
    }
}

static bool check_signature(Parser *p, PtxInst *in, InstText *t, const char *signature) {
    const char *optional = strchr(signature, '?');
    int most = (int)strlen(signature) - (optional != NULL);
    int least = optional ? (int)(optional - signature) : most;
    if (in->nopnd < least || in->nopnd > most) {
        const PtxOperand *o = in->nopnd > most ? &in->opnd[most] : NULL;
        if (least == most)
            return check_fail(p, t, o, "expected %d operand%s, found %d", most,
                              most == 1 ? "" : "s", in->nopnd);
        return check_fail(p, t, o, "expected %d to %d operands, found %d", least, most, in->nopnd);
    }
    for (int i = 0, at = 0; i < in->nopnd; i++, at++) {
        if (signature[at] == '?') at++;
        if (!check_operand(p, in, t, signature[at], &in->opnd[i])) return false;
        if (t->why) return true;
    }
    return true;
}

// ---- forms ----

static const char *list_types(uint32_t types, char *buf, size_t size) {
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 1; i < PTX_TYPE_COUNT; i++)
        if (types >> i & 1)
            used += (size_t)snprintf(buf + used, size - used, "%s.%s", used ? " " : "",
                                     ptx_type_name((PtxType)i));
    return buf;
}

static bool no_form(Parser *p, const PtxInst *in, InstText *t, uint32_t types, uint32_t types2) {
    char list[256];
    if (ptx_type_is_half(in->type) || ptx_type_is_half(in->type2))
        t->why = "f16 and bf16 arithmetic";
    else if (in->type == PTX_B128 || in->type2 == PTX_B128) t->why = "128-bit data";
    if (t->why) return true;
    if (t->ntypes == 0)
        return check_fail(p, t, NULL, "a type is missing; expected one of %s",
                          list_types(types, list, sizeof list));
    if (!(types >> in->type & 1))
        return check_fail(p, t, NULL, ".%s does not belong to '%s'; expected one of %s",
                          ptx_type_name(in->type), ptx_op_name(in->op),
                          list_types(types, list, sizeof list));
    if (t->ntypes == 1)
        return check_fail(p, t, NULL, "a second type is missing; expected one of %s",
                          list_types(types2, list, sizeof list));
    return check_fail(p, t, NULL, ".%s cannot be the second type; expected one of %s",
                      ptx_type_name(in->type2), list_types(types2, list, sizeof list));
}

static const Rule *find_rule(Parser *p, const PtxInst *in, InstText *t) {
    uint32_t types = 0, types2 = 0;
    for (int i = 0; i < RULE_COUNT; i++) {
        const Rule *r = &rules[i];
        if (r->op != in->op) continue;
        types |= r->types;
        types2 |= r->types2;
        if (r->types == 0 && in->type == PTX_NOTYPE) return r;
        if (r->types >> in->type & 1 && (r->types2 == 0 || r->types2 >> in->type2 & 1)) return r;
    }
    no_form(p, in, t, types, types2);
    return NULL;
}

static int expected_types(const PtxInst *in, const Rule *r) {
    if (in->op == PTX_CVT_PACK) return ptx_type_bytes(in->type) == 2 ? 2 : 3;
    const PtxVideoKind video = ptx_video(in->op).kind;
    if (video) return video == PTX_VIDEO_SET ? 2 : 3;
    return (r->types != 0) + (r->types2 != 0);
}

static bool check_modifiers(Parser *p, const PtxInst *in, InstText *t, const Rule *r) {
    uint64_t extra = t->seen & ~r->may, missing = r->must & ~t->seen;
    int ntypes = expected_types(in, r);
    if (extra)
        return check_fail(p, t, NULL, "%s does not belong to '%s' with this type",
                          mod_class_name(extra & -extra), ptx_op_name(in->op));
    if (missing)
        return check_fail(p, t, NULL, "'%s' needs a %s", ptx_op_name(in->op),
                          mod_class_name(missing & -missing));
    if (t->ntypes != ntypes)
        return check_fail(p, t, NULL, "expected %d type%s, found %d", ntypes,
                          ntypes == 1 ? "" : "s", t->ntypes);
    return true;
}

// Second destinations: setp p|q, shfl d|p, match.all d|p, lop3.and d|p.
static bool check_second(Parser *p, const PtxInst *in, InstText *t) {
    const PtxOperand *o = &in->dst2;
    bool may = in->op == PTX_SETP || in->op == PTX_SHFL ||
        (in->op == PTX_MATCH && in->vote == PTX_VOTE_ALL) || (in->op == PTX_LOP3 && in->boolop);
    if (o->kind == PTX_OPND_NONE) {
        if (in->op == PTX_LOP3 && in->boolop)
            return check_fail(p, t, NULL, "expected a second destination behind '|'");
        return true;
    }
    if (!may) return check_fail(p, t, o, "there is no second destination here");
    return check_dest(p, in, t, o, PTX_PRED, false);
}

bool check_inst(Parser *p, PtxInst *in, InstText *t) {
    const Rule *r = find_rule(p, in, t);
    if (!r) return t->why != NULL;
    return check_modifiers(p, in, t, r) && check_signature(p, in, t, r->signature) &&
        (t->why || (check_second(p, in, t) && check_special(p, in, t)));
}

void flush_inst(const PtxModule *m, PtxInst *in) {
    bool has_form = false;
    for (int i = 0; i < RULE_COUNT && !has_form; i++)
        has_form = rules[i].op == in->op && rules[i].types & 1u << in->type && rules[i].may & M_FTZ;
    bool single = in->type == PTX_F32;
    if (in->op == PTX_SET || in->op == PTX_SLCT) single = in->type2 == PTX_F32;
    if (in->op == PTX_CVT) {
        const bool old_double =
            ptx_version(m) <= 14 && (in->type == PTX_F64 || in->type2 == PTX_F64);
        single = !old_double && (in->type == PTX_F32 || in->type2 == PTX_F32);
    }
    in->ftz |= has_form && single;
}

// ---- what an entry reaches ----

bool ptx_refuse(const PtxModule *m, const PtxInst *in, Diag *d) {
    return diag_fail_at(d, &m->src, in->line, in->col, "not supported (%s): %s", in->why, in->text);
}

static bool check_function(const PtxModule *m, const PtxFunc *f, const PtxInst *call, Diag *d) {
    if (f->is_prototype_only) {
        if (ptx_is_runtime_function(f->name)) return true;
        return diag_fail_at(d, &m->src, call->line, call->col,
                            "the function '%s' is called but has no body", f->name);
    }
    if (f->refused)
        return diag_fail_at(d, &m->src, f->refused_line, f->refused_col,
                            "not supported (%s) in '%s'", f->refused, f->name);
    for (int i = 0; i < f->ninsts; i++)
        if (f->insts[i].op == PTX_UNSUPPORTED) return ptx_refuse(m, &f->insts[i], d);
    return true;
}

bool ptx_callable(const PtxModule *m, const PtxFunc *f, Diag *d) {
    return check_reachable(m, f, d);
}

bool check_reachable(const PtxModule *m, const PtxFunc *entry, Diag *d) {
    Arena scratch = {0};
    bool *seen = ARENA_ARRAY(&scratch, bool, m->nfuncs);
    int *stack = ARENA_ARRAY(&scratch, int, m->nfuncs);
    int depth = 0;
    bool ok = check_function(m, entry, NULL, d);
    stack[depth++] = (int)(entry - m->funcs);
    seen[entry - m->funcs] = true;
    while (ok && depth > 0) {
        const PtxFunc *f = &m->funcs[stack[--depth]];
        for (int i = 0; i < f->ninsts && ok; i++) {
            const PtxInst *in = &f->insts[i];
            if (in->op != PTX_CALL || seen[in->opnd[0].index]) continue;
            seen[in->opnd[0].index] = true;
            stack[depth++] = in->opnd[0].index;
            ok = check_function(m, &m->funcs[in->opnd[0].index], in, d);
        }
    }
    arena_free(&scratch);
    return ok;
}
