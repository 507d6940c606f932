// SPDX-License-Identifier: Apache-2.0
// Hints for the L2 cache, which have no effect on values and none on timing here. A createpolicy
// becomes a constant; applypriority and discard have no effect. The policy after the operands of an
// access is dropped.
#include "ptx/expand.h"

#include <string.h>

// Result of createpolicy: programs pass it on and read no bit of it.
static const uint64_t POLICY = 0x1000000000000000;
enum { HINT_BYTES = 128 };  // the only size of applypriority and discard

bool hint_is(const InstText *t) {
    return lex_is_word(&t->at, TOKEN_NAME, "createpolicy") ||
        lex_is_word(&t->at, TOKEN_NAME, "applypriority") ||
        lex_is_word(&t->at, TOKEN_NAME, "discard");
}

static bool has_mod(const Mods *m, int i, const char *word) {
    return i < m->n && lex_is_word(&m->tok[i], TOKEN_DOT, word);
}

// `.L2::evict_...` at place i, which moves on.
static bool skip_priority(const Mods *m, int *i) {
    static const char *const names[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                        "L2::evict_unchanged"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (has_mod(m, *i, names[k])) return ++*i;
    return false;
}

static bool check_end(Parser *p, const InstText *t, const Mods *m, int i) {
    if (i == m->n) return true;
    return lex_fail(p, &m->tok[i], "modifier %s does not belong to '%s'",
                    lex_describe(p, &m->tok[i]), p->syms[t->at.sym].name);
}

static bool check_count(Parser *p, const PtxInst *in, const InstText *t, int least, int most) {
    if (in->nopnd >= least && in->nopnd <= most) return true;
    return least == most
        ? check_fail(p, t, NULL, "expected %d operands, found %d", most, in->nopnd)
        : check_fail(p, t, NULL, "expected %d to %d operands, found %d", least, most, in->nopnd);
}

static bool check_place(Parser *p, const InstText *t, const PtxOperand *o) {
    if (o->kind != PTX_OPND_MEM) return check_fail(p, t, o, "expected an address in brackets");
    if (o->base != PTX_BASE_REG) return true;
    const PtxType type = p->f->regs[o->index].type;
    if (ptx_type_is_int(type) && ptx_type_bytes(type) * 8 >= p->m->address_bits) return true;
    return check_fail(p, t, o, "%s is a .%s register; the address needs %d bits",
                      p->f->regs[o->index].name, ptx_type_name(type), p->m->address_bits);
}

// createpolicy.fractional, .range and .cvt: the operands after the result.
static bool parse_policy(Parser *p, PtxInst *in, InstText *t, const Mods *m) {
    const bool fraction = has_mod(m, 0, "fractional"), range = has_mod(m, 0, "range"),
               convert = has_mod(m, 0, "cvt");
    int i = 1;
    if (!fraction && !range && !convert)
        return check_fail(p, t, NULL, "the forms are createpolicy.fractional, .range and .cvt");
    if (range && has_mod(m, i, "global")) i++;
    if (convert ? !has_mod(m, i, "L2") : !skip_priority(m, &i))
        return check_fail(p, t, NULL, "expected %s",
                          convert ? ".L2" : "an eviction priority such as .L2::evict_last");
    if (convert) i++;
    else skip_priority(m, &i);
    if (!has_mod(m, i, "b64")) return check_fail(p, t, NULL, "the type is .b64");
    in->op = PTX_MOV;
    in->type = PTX_B64;
    if (!check_end(p, t, m, i + 1) || !parse_operands(p, t, in)) return false;
    if (t->why) return true;
    if (!check_count(p, in, t,
                     fraction    ? 1
                         : range ? 4
                                 : 2,
                     range ? 4 : 2) ||
        !check_dest(p, in, t, &in->opnd[0], PTX_B64, false) ||
        (range && !check_place(p, t, &in->opnd[1])))
        return false;
    for (int k = range ? 2 : 1; k < in->nopnd; k++)
        if (!check_source(p, in, t, &in->opnd[k],
                          fraction    ? PTX_F32
                              : range ? PTX_U32
                                      : PTX_B64,
                          false))
            return false;
    const Expansion e = {p, in};
    PUT(&e, PTX_MOV, PTX_B64, in->opnd[0], expand_number(&e, POLICY));
    return true;
}

// applypriority{.global}.L2::evict_normal [a], 128 and discard{.global}.L2 [a], 128
static bool parse_control(Parser *p, PtxInst *in, InstText *t, const Mods *m) {
    const char *level = lex_is_word(&t->at, TOKEN_NAME, "discard") ? "L2" : "L2::evict_normal";
    int i = has_mod(m, 0, "global");
    if (!has_mod(m, i, level)) return check_fail(p, t, NULL, "expected .%s", level);
    if (!check_end(p, t, m, i + 1) || !parse_operands(p, t, in)) return false;
    if (t->why) return true;
    if (!check_count(p, in, t, 2, 2) || !check_place(p, t, &in->opnd[0])) return false;
    const PtxOperand *size = &in->opnd[1];
    if (size->kind == PTX_OPND_IMM && size->offset == TOKEN_INT && size->bits == HINT_BYTES)
        return true;
    return check_fail(p, t, size, "the size is the constant %d", HINT_BYTES);
}

bool hint_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods) {
    const bool policy = lex_is_word(&t->at, TOKEN_NAME, "createpolicy");
    return policy ? parse_policy(p, in, t, mods) : parse_control(p, in, t, mods);
}

bool take_policy(Parser *p, PtxInst *in, InstText *t) {
    const PtxOperand *o = &in->opnd[in->nopnd ? in->nopnd - 1 : 0];
    if (in->space != PTX_GLOBAL && in->space != PTX_GENERIC)
        return check_fail(p, t, NULL, ".L2::cache_hint needs .global memory");
    if (in->is_volatile || in->sem == PTX_SEM_MMIO || in->atom == PTX_ATOM_CAS)
        return check_fail(p, t, NULL, ".L2::cache_hint does not belong to '%s' with %s",
                          ptx_op_name(in->op),
                          in->atom == PTX_ATOM_CAS ? ".cas" : ".volatile or .mmio");
    if (in->nopnd < 3) return check_fail(p, t, NULL, "expected a cache policy as the last operand");
    if (o->kind != PTX_OPND_IMM && o->kind != PTX_OPND_REG)
        return check_fail(p, t, o, "expected a cache policy in a register of 64 bits");
    if (o->kind == PTX_OPND_REG && ptx_type_bytes(p->f->regs[o->index].type) != 8)
        return check_fail(p, t, o, "%s is a .%s register; a cache policy has 64 bits",
                          p->f->regs[o->index].name, ptx_type_name(p->f->regs[o->index].type));
    in->nopnd--;
    return true;
}
