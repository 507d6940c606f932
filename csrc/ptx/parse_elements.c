// SPDX-License-Identifier: Apache-2.0
// Elements: of vectors of registers (%v.x), of arrays (a[i] as an address), and of mov.v2 and
// mov.v4, which becomes one mov for each.
#include "ptx/expand.h"

#include <string.h>

// A vector of registers, or with .x .y .z .w, or .r .g .b .a, one of them.
bool parse_vector_register(Parser *p, PtxOperand *o, const Token *name, const Binding *b) {
    if (p->tok.kind == TOKEN_DOT) {
        const char *letters = "xyzwrgba",
                   *at = p->tok.len == 1 ? memchr(letters, *p->tok.text, 8) : NULL;
        const int element = at ? (int)(at - letters) % 4 : b->count;
        if (element >= b->count)
            return lex_fail(p, &p->tok, "%s is a vector of %d registers and has no element %s",
                            lex_describe(p, name), b->count, lex_describe(p, &p->tok));
        o->kind = PTX_OPND_REG;
        o->index = b->index + element;
        return lex_next(p);
    }
    o->kind = PTX_OPND_VEC;
    o->nelements = b->count;
    o->elements = ARENA_ARRAY(p->arena, PtxOperand, b->count);
    for (int i = 0; i < b->count; i++)
        o->elements[i] = (PtxOperand){
            .kind = PTX_OPND_REG, .index = b->index + i, .line = o->line, .col = o->col};
    return true;
}

void read_special(Parser *p, const InstText *t, PtxOperand *o) {
    const PtxInst place = {
        .guard = -1, .line = t->at.line, .col = t->at.col, .src_line = p->src_line};
    const Expansion e = {p, &place};
    const bool wide = o->index == PTX_SREG_CLOCK64 || o->index == PTX_SREG_GLOBALTIMER;
    const PtxOperand to = expand_temporary(&e, wide ? PTX_B64 : PTX_B32);
    PUT(&e, PTX_MOV, wide ? PTX_U64 : PTX_U32, to, *o);
    *o = to;
}

bool special_vector(Parser *p, const InstText *t, PtxOperand *o, const char *name) {
    static const PtxSreg first[] = {PTX_SREG_TID_X, PTX_SREG_NTID_X, PTX_SREG_CTAID_X,
                                    PTX_SREG_NCTAID_X};
    static const char *const names[] = {"%tid", "%ntid", "%ctaid", "%nctaid"};
    size_t k = 0;
    while (k < sizeof names / sizeof *names && strcmp(name, names[k]) != 0) k++;
    if (k == sizeof names / sizeof *names) return false;
    o->kind = PTX_OPND_VEC;
    o->nelements = 4;
    o->elements = ARENA_ARRAY(p->arena, PtxOperand, 4);
    for (int i = 0; i < 4; i++) {  // .w is 0
        PtxOperand *each = &o->elements[i];
        *each =
            (PtxOperand){.kind = PTX_OPND_IMM, .offset = TOKEN_INT, .line = o->line, .col = o->col};
        if (i == 3) continue;
        each->kind = PTX_OPND_SREG;
        each->offset = 0;
        each->index = (int)first[k] + i;
        read_special(p, t, each);
    }
    return true;
}

static bool takes_element(const InstText *t) {
    static const char *const names[] = {"mov", "cvta", "ld", "ldu", "st"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lex_is_word(&t->at, TOKEN_NAME, names[i])) return true;
    return false;
}

// `[i]` behind an array: i is a constant, a register, or a register and a constant. Until
// index_elements replaces the operand, `bits` is 1, or 2 and the register.
bool parse_index(Parser *p, const InstText *t, PtxOperand *o, const Token *name, const PtxVar *v) {
    if (!takes_element(t))
        return lex_fail(p, &p->tok, "elements of arrays are operands of mov, cvta, ld and st only");
    if (!v->is_array) return lex_fail(p, &p->tok, "%s is not an array", lex_describe(p, name));
    if (!lex_next(p)) return false;
    int64_t element = 0;
    const Binding *b = p->tok.kind == TOKEN_NAME ? p->syms[p->tok.sym].local : NULL;
    o->bits = 1;
    if (b && b->kind == BIND_REG) {
        const PtxType type = p->f->regs[b->index].type;
        if (!ptx_type_is_int(type) || ptx_type_bytes(type) < 2 || ptx_type_bytes(type) > 8)
            return lex_fail(p, &p->tok,
                            "%s is a .%s register; an index is an integer of 16, 32 or 64 bits",
                            lex_describe(p, &p->tok), ptx_type_name(type));
        o->bits = 2 + (uint64_t)b->index;
        if (!lex_next(p)) return false;
    }
    if ((!b || !lex_is(p, ']')) && !parse_int(p, &element, -(1ll << 40), 1ll << 40, "an index"))
        return false;
    o->offset = element * ptx_type_bytes(v->type) * v->vec;
    return lex_expect(p, ']', "after the index");
}

// The register with the address of an element: the index times the size in 32 bits, plus the base.
static PtxOperand element_address(const Expansion *e, const PtxOperand *o, const PtxVar *v,
                                  int bytes) {
    const PtxType wide = bytes == 8 ? PTX_B64 : PTX_B32, sum = bytes == 8 ? PTX_U64 : PTX_U32;
    const PtxFunc *f = e->p->f;
    PtxOperand index = expand_reg(e, (int)(o->bits - 2)), array = *o,
               base = expand_temporary(e, wide), place = expand_temporary(e, PTX_B32);
    array.bits = 0;
    const PtxType type = f->regs[index.index].type;
    if (ptx_type_bytes(type) != 4) {
        const PtxOperand word = expand_temporary(e, PTX_B32);
        const bool is_signed = type == PTX_S16;
        PUT(e, PTX_CVT, is_signed ? PTX_S32 : PTX_U32, word, index)->type2 = is_signed ? PTX_S16
            : ptx_type_bytes(type) == 2                                                ? PTX_U16
                                                                                       : PTX_U64;
        index = word;
    }
    PUT(e, PTX_MOV, sum, base, array);
    PUT(e, PTX_MUL, PTX_U32, place, index,
        expand_number(e, (uint64_t)(ptx_type_bytes(v->type) * v->vec)))
        ->part = PTX_PART_LO;
    if (bytes == 8) {
        const PtxOperand word = place;
        place = expand_temporary(e, PTX_B64);
        PUT(e, PTX_CVT, PTX_U64, place, word)->type2 = PTX_U32;
    }
    const PtxOperand address = expand_temporary(e, wide);
    PUT(e, PTX_ADD, sum, address, base, place);
    return address;
}

void index_elements(Parser *p, PtxInst *in) {
    const bool load = in->op == PTX_LD || in->op == PTX_LDU, access = load || in->op == PTX_ST;
    PtxInst bare = *in;  // instructions that compute an address have no guard
    bare.guard = -1;
    const Expansion e = {p, &bare};
    for (int i = 0; i < in->nopnd; i++) {
        PtxOperand *o = &in->opnd[i];
        if (o->kind != PTX_OPND_VAR || !o->bits) continue;
        const PtxVar *v = o->module_scope ? &p->m->vars[o->index] : &p->f->vars[o->index];
        const bool memory = access && i == load;
        if (o->bits > 1) {
            *o = element_address(&e, o, v,
                                 in->op == PTX_MOV && ptx_type_bytes(in->type) == 4 ? 4 : 8);
            if (memory)
                *o = expand_locate(
                    &e,
                    (PtxOperand){.kind = PTX_OPND_MEM, .base = PTX_BASE_REG, .index = o->index});
            continue;
        }
        o->bits = 0;
        if (!memory) continue;
        o->kind = PTX_OPND_MEM;
        o->base = PTX_BASE_VAR;
    }
}

bool check_move_vector(Parser *p, PtxInst *in, InstText *t) {
    for (int k = 0; k < 2; k++) {
        PtxOperand *o = &in->opnd[k];
        if (o->kind != PTX_OPND_VEC || o->nelements != in->vec)
            return check_fail(p, t, o, "expected a vector of %d elements", in->vec);
        for (int i = 0; i < in->vec; i++) {
            PtxOperand *each = &o->elements[i];
            if (k == 0 && each->kind == PTX_OPND_SINK) continue;
            if (k == 0 ? !check_dest(p, in, t, each, in->type, false)
                       : !check_source(p, in, t, each, in->type, false))
                return false;
        }
    }
    return true;
}

// Uses fresh registers, because an element of the source may be an earlier element of the
// destination.
void push_moves(Parser *p, const PtxInst *in) {
    const Expansion e = {p, in};
    PtxOperand value[8];
    for (int i = 0; i < in->vec; i++) {
        value[i] = in->opnd[1].elements[i];
        if (value[i].kind != PTX_OPND_REG) continue;
        const PtxOperand from = value[i];
        value[i] = expand_temporary(&e, p->f->regs[from.index].type);
        PUT(&e, PTX_MOV, in->type, value[i], from);
    }
    for (int i = 0; i < in->vec; i++)
        if (in->opnd[0].elements[i].kind == PTX_OPND_REG)
            PUT(&e, PTX_MOV, in->type, in->opnd[0].elements[i], value[i]);
}
