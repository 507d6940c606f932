// SPDX-License-Identifier: Apache-2.0
// Instructions: guard, mnemonic with its suffixes, operands.
#include "ptx/front.h"

#include <stdlib.h>
#include <string.h>

enum { INST_MAX_CALL = 4096 };

// ---- names ----

static bool undeclared_name(Parser *p, const Token *name) {
    PtxFunc *f = p->f;
    const char *near = NULL;
    if (name->text[0] != '%') {
        const char **names =
            ARENA_ARRAY(p->scratch, const char *, f->nvars + p->m->nvars + p->m->nfuncs + 1);
        int n = 0;
        for (int i = 0; i < f->nvars; i++) names[n++] = f->vars[i].name;
        for (int i = 0; i < p->m->nvars; i++) names[n++] = p->m->vars[i].name;
        for (int i = 0; i < p->m->nfuncs; i++) names[n++] = p->m->funcs[i].name;
        near = name_suggest(p->syms[name->sym].name, names, n);
    }
    return lex_fail(p, name, "%s is not declared%s%s%s", lex_describe(p, name),
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// %tid.x, %laneid: the word after the point is part of the name.
static bool parse_sreg(Parser *p, InstText *t, PtxOperand *o, const Token *name) {
    char text[64];
    snprintf(text, sizeof text, "%.*s", name->len, name->text);
    if (p->tok.kind == TOKEN_DOT && p->tok.glued) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ".%.*s", p->tok.len, p->tok.text);
        if (!lex_next(p)) return false;
    }
    int sym = lex_intern(p, text, (int)strlen(text));
    int sreg = p->syms[sym].sreg;
    if (sreg >= 0) {
        o->kind = PTX_OPND_SREG;
        o->index = sreg;
        return true;
    }
    if (t->seen & M_VEC && lex_is_word(&t->at, TOKEN_NAME, "mov") && special_vector(p, t, o, text))
        return true;
    static const char *const others[] = {"%envreg",
                                         "%pm",
                                         "%cluster",
                                         "%ncluster",
                                         "%is_explicit_cluster",
                                         "%reserved_smem",
                                         "%aggr_smem_size",
                                         "%current_graph_exec"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(text, others[i], strlen(others[i])) == 0) {
            t->why = arena_printf(p->arena, "special register %s", text);
            return true;
        }
    return lex_fail(p, name, "'%s' is not declared, nor a special register", text);
}

static bool is_video(const Parser *p, const InstText *t) {
    return ptx_video((PtxOp)p->syms[t->at.sym].op).kind;
}

// A register, variable or function by name; `+ offset` or `[index]` may follow a variable.
static bool parse_named(Parser *p, InstText *t, PtxOperand *o) {
    Token name = p->tok;
    const Symbol *s = &p->syms[name.sym];
    const Binding *b = s->local;
    int module_var = s->module_var, func = s->func;
    if (b && b->kind == BIND_MODULE_VAR) {
        module_var = b->index;
        b = NULL;
    }
    if (!lex_next(p)) return false;
    if (b && b->kind == BIND_VECTOR) return parse_vector_register(p, o, &name, b);
    if (b && b->kind == BIND_REG) {
        o->kind = PTX_OPND_REG;
        o->index = b->index;
        if (p->tok.kind == TOKEN_DOT && p->tok.glued && is_video(p, t)) return video_select(p, o);
        if (p->tok.kind == TOKEN_DOT && p->tok.glued) {
            t->why = "selecting a part of a register";
            return lex_next(p);
        }
        return true;
    }
    if (b || module_var >= 0) {
        o->kind = PTX_OPND_VAR;
        o->module_scope = !b;
        o->index = b ? b->index : module_var;
        if (lex_is(p, '+') || lex_is(p, '-'))
            return parse_int(p, &o->offset, INT64_MIN, INT64_MAX, "an offset");
        if (lex_is(p, '['))
            return parse_index(p, t, o, &name, b ? &p->f->vars[o->index] : &p->m->vars[o->index]);
        return true;
    }
    if (func >= 0) {
        o->kind = PTX_OPND_FUNC;
        o->index = func;
        if (lex_is_word(&t->at, TOKEN_NAME, "mov")) {
            *ARENA_PUSH(p->scratch, p->taken, p->ntaken, p->cap_taken) = func;
            *o = (PtxOperand){.kind = PTX_OPND_IMM,
                              .bits = ptx_function_address(func),
                              .offset = TOKEN_INT,
                              .negated = true,
                              .line = o->line,
                              .col = o->col};
            return true;
        }
        t->why = "taking the address of a function";
        return true;
    }
    if (name.text[0] == '%') return parse_sreg(p, t, o, &name);
    return undeclared_name(p, &name);
}

static bool parse_immediate(Parser *p, PtxOperand *o) {
    Number n;
    if (!parse_number(p, &n, "an operand")) return false;
    o->kind = PTX_OPND_IMM;
    o->bits = n.bits;
    o->offset = n.kind;  // raw until check_source converts it
    o->negated = n.is_unsigned;
    return true;
}

// [reg], [reg+4], [var+-4], [64]
static bool parse_memory(Parser *p, InstText *t, PtxOperand *o) {
    o->kind = PTX_OPND_MEM;
    if (!lex_next(p)) return false;
    if (p->tok.kind != TOKEN_NAME || lex_is_word(&p->tok, TOKEN_NAME, "WARP_SZ")) {
        o->base = PTX_BASE_NONE;
        if (!parse_int(p, &o->offset, INT64_MIN, INT64_MAX, "an address")) return false;
        return lex_expect(p, ']', "after the address");
    }
    Token name = p->tok;
    PtxOperand base = {.line = name.line, .col = name.col};
    if (!parse_named(p, t, &base)) return false;
    if (base.kind == PTX_OPND_REG) {
        o->base = PTX_BASE_REG;
        o->index = base.index;
        if ((lex_is(p, '+') || lex_is(p, '-')) &&
            !parse_int(p, &o->offset, INT64_MIN, INT64_MAX, "an offset"))
            return false;
    } else if (base.kind == PTX_OPND_VAR && base.bits) {
        return lex_fail(p, &name,
                        "an element of an array is an address without brackets around it");
    } else if (base.kind == PTX_OPND_VAR) {
        o->base = PTX_BASE_VAR;
        o->index = base.index;
        o->module_scope = base.module_scope;
        o->offset = base.offset;
    } else if (!t->why) {
        return lex_fail(p, &name, "%s cannot be the base of an address", lex_describe(p, &name));
    }
    return lex_expect(p, ']', "after the address");
}

static bool parse_vector(Parser *p, InstText *t, PtxOperand *o) {
    enum { LARGEST = 8 };
    PtxOperand elements[LARGEST];
    Token at = p->tok;
    o->kind = PTX_OPND_VEC;
    if (!lex_next(p)) return false;
    for (bool more = true; more; o->nelements++) {
        if (o->nelements == LARGEST) return lex_fail(p, &p->tok, "a vector has at most 8 elements");
        PtxOperand *e = &elements[o->nelements];
        *e = (PtxOperand){.line = p->tok.line, .col = p->tok.col};
        Token each = p->tok;
        if (lex_is(p, '{') || lex_is(p, '[') || lex_is(p, '!'))
            return lex_fail(p, &each, "expected a register or a constant, found %s",
                            lex_describe(p, &each));
        if (!parse_operand(p, t, e)) return false;
        if (e->kind == PTX_OPND_SREG) read_special(p, t, e);
        if (e->kind != PTX_OPND_REG && e->kind != PTX_OPND_IMM && e->kind != PTX_OPND_SINK &&
            !t->why)
            return lex_fail(p, &each, "%s cannot be an element of a vector",
                            lex_describe(p, &each));
        if (!lex_accept(p, ',', &more)) return false;
    }
    if (o->nelements == 8 && !matrix_is(t)) t->why = "vectors of 8 elements";
    else if (o->nelements == 3) return lex_fail(p, &at, "a vector has 2 or 4 elements, not 3");
    o->elements = ARENA_ARRAY(p->arena, PtxOperand, o->nelements);
    memcpy(o->elements, elements, sizeof *elements * (size_t)o->nelements);
    return lex_expect(p, '}', "after the vector");
}

bool parse_operand(Parser *p, InstText *t, PtxOperand *o) {
    *o = (PtxOperand){.line = p->tok.line, .col = p->tok.col};
    if (lex_is(p, '{')) return parse_vector(p, t, o);
    if (lex_is(p, '[')) return parse_memory(p, t, o);
    if (lex_is(p, '!') && p->ahead.kind == TOKEN_NAME) {
        o->negated = true;
        if (!lex_next(p)) return false;
        Token name = p->tok;
        if (!parse_named(p, t, o)) return false;
        if (o->kind == PTX_OPND_REG || t->why) return true;
        return lex_fail(p, &name, "expected a predicate behind '!', found %s",
                        lex_describe(p, &name));
    }
    if (lex_is(p, '-') && p->ahead.kind == TOKEN_NAME && lex_is_word(&t->at, TOKEN_NAME, "vmad")) {
        o->negated = true;
        return lex_next(p) && parse_named(p, t, o);
    }
    if (p->tok.kind != TOKEN_NAME || lex_is_word(&p->tok, TOKEN_NAME, "WARP_SZ"))
        return parse_immediate(p, o);
    if (lex_is_word(&p->tok, TOKEN_NAME, "_")) {
        o->kind = PTX_OPND_SINK;
        return lex_next(p);
    }
    return parse_named(p, t, o);
}

bool parse_operands(Parser *p, InstText *t, PtxInst *in) {
    if (lex_is(p, ';')) return true;
    for (bool more = true; more;) {
        if (in->nopnd == PTX_MAX_OPERANDS)
            return lex_fail(p, &p->tok, "'%.*s' has too many operands", t->name_len, t->name);
        if (!parse_operand(p, t, &in->opnd[in->nopnd++])) return false;
        if (in->nopnd == 1 && lex_is(p, '|')) {
            if (!lex_next(p) || !parse_operand(p, t, &in->dst2)) return false;
        }
        if (!lex_accept(p, ',', &more)) return false;
    }
    return true;
}

// ---- branches and calls ----

static bool parse_branch(Parser *p, InstText *t, PtxInst *in) {
    LabelRef r = {.scope = p->scope, .inst = p->f->ninsts, .list = in->op == PTX_BRX_IDX};
    if (r.list) {
        if (!parse_operand(p, t, &in->opnd[in->nopnd++])) return false;
        if (t->why) return true;  // such an instruction needs no list
        if (!lex_expect(p, ',', "before the list of targets")) return false;
    }
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected a label, found %s", lex_describe(p, &name));
    r.sym = name.sym;
    r.line = name.line;
    r.col = name.col;
    if (!r.list)
        in->opnd[in->nopnd++] =
            (PtxOperand){.kind = PTX_OPND_LABEL, .line = name.line, .col = name.col};
    *ARENA_PUSH(p->scratch, p->label_refs, p->nlabel_refs, p->cap_label_refs) = r;
    return lex_next(p);
}

// `(a, b)` of a call; variables are accesses to .param memory.
static bool parse_call_list(Parser *p, InstText *t, PtxOperand **list, int *n) {
    PtxOperand *items = NULL;
    int cap = 0;
    bool found;
    *n = 0;
    if (!lex_next(p) || !lex_accept(p, ')', &found)) return false;
    for (bool more = !found; more;) {
        if (*n == INST_MAX_CALL) return lex_fail(p, &p->tok, "too many arguments");
        PtxOperand o;
        Token at = p->tok;
        if (lex_is(p, '{'))
            return lex_fail(p, &at,
                            "expected a register, a constant or a .param variable, found %s",
                            lex_describe(p, &at));
        if (!parse_operand(p, t, &o)) return false;
        if (o.kind == PTX_OPND_VAR) {
            o.kind = PTX_OPND_MEM;
            o.base = PTX_BASE_VAR;
        }
        const int elements = o.kind == PTX_OPND_VEC ? o.nelements : 1;  // a vector of registers
        for (int i = 0; i < elements; i++)
            *ARENA_PUSH(p->arena, items, *n, cap) = o.kind == PTX_OPND_VEC ? o.elements[i] : o;
        if (!lex_accept(p, ',', &more)) return false;
    }
    *list = items;
    return found || lex_expect(p, ')', "after the arguments");
}

// call (rets), name, (args)[, prototype];
static bool parse_call(Parser *p, InstText *t, PtxInst *in) {
    bool found = true;
    if (lex_is(p, '(')) {
        if (!parse_call_list(p, t, &in->call_rets, &in->ncall_rets) ||
            !lex_expect(p, ',', "after the return values"))
            return false;
    }
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected the name of a function, found %s",
                        lex_describe(p, &name));
    const Symbol *s = &p->syms[name.sym];
    const bool indirect = s->local && s->local->kind == BIND_REG;
    if (!indirect && s->func < 0) return undeclared_name(p, &name);
    in->opnd[in->nopnd++] = (PtxOperand){.kind = indirect ? PTX_OPND_REG : PTX_OPND_FUNC,
                                         .index = indirect ? s->local->index : s->func,
                                         .line = name.line,
                                         .col = name.col};
    if (!lex_next(p) || !lex_accept(p, ',', &found)) return false;
    if (found && lex_is(p, '(')) {
        if (!parse_call_list(p, t, &in->call_args, &in->ncall_args) || !lex_accept(p, ',', &found))
            return false;
    }
    if (!found) return true;
    if (p->tok.kind != TOKEN_NAME)
        return lex_fail(p, &p->tok, "expected the name of a prototype, found %s",
                        lex_describe(p, &p->tok));
    if (!indirect) t->why = "a call of a named function with a prototype";
    return lex_next(p);
}

// ---- mnemonic ----

static void drop_mod(Mods *m, int i) {
    memmove(&m->tok[i], &m->tok[i + 1], sizeof(Token) * (size_t)(m->n - i - 1));
    m->n--;
}

// Removes the first suffix if it is `word`.
static bool take_mod(Mods *m, const char *word) {
    if (m->n == 0 || !lex_is_word(&m->tok[0], TOKEN_DOT, word)) return false;
    drop_mod(m, 0);
    return true;
}

// bar.sync, barrier.cta.red.aligned ...: the second word belongs to the opcode.
static bool resolve_barrier(Parser *p, InstText *t, PtxInst *in, Mods *m, bool is_bar) {
    in->aligned = is_bar;
    for (int i = m->n - 1; i >= 0; i--)
        if (lex_is_word(&m->tok[i], TOKEN_DOT, "aligned") && !is_bar) {
            drop_mod(m, i);
            in->aligned = true;
        }
    if (take_mod(m, "cluster")) {
        t->why = "thread block clusters";
        return true;
    }
    bool cta = take_mod(m, "cta");
    if (take_mod(m, "sync")) {
        in->op = PTX_BAR;
        in->sync = true;
    } else if (take_mod(m, "arrive")) {
        in->op = PTX_BAR_ARRIVE;
    } else if (take_mod(m, "red")) {
        in->op = PTX_BAR_RED;
    } else if (is_bar && !cta && take_mod(m, "warp") && take_mod(m, "sync")) {
        in->op = PTX_BAR_WARP_SYNC;
        in->sync = true;
    } else {
        return lex_fail(p, &t->at, "unknown opcode '%.*s'", t->name_len, t->name);
    }
    return true;
}

// cp.async.ca.shared.global, cp.async.commit_group ...: the destination is always .shared.
static bool resolve_copy(InstText *t, PtxInst *in, Mods *m) {
    if (take_mod(m, "commit_group")) in->op = PTX_CP_ASYNC_COMMIT;
    else if (take_mod(m, "wait_group")) in->op = PTX_CP_ASYNC_WAIT_GROUP;
    else if (take_mod(m, "wait_all")) in->op = PTX_CP_ASYNC_WAIT_ALL;
    else if (take_mod(m, "bulk") || take_mod(m, "mbarrier")) t->why = "asynchronous copy";
    else in->op = PTX_CP_ASYNC;
    for (int i = m->n - 1; i >= 0 && in->op == PTX_CP_ASYNC; i--)
        if (lex_is_word(&m->tok[i], TOKEN_DOT, "shared") ||
            lex_is_word(&m->tok[i], TOKEN_DOT, "shared::cta"))
            drop_mod(m, i);
    return true;
}

static bool resolve_mbarrier(InstText *t, PtxInst *in, Mods *m) {
    if (take_mod(m, "init")) in->op = PTX_MBARRIER_INIT;
    else if (take_mod(m, "inval")) in->op = PTX_MBARRIER_INVAL;
    else if (take_mod(m, "test_wait") || take_mod(m, "try_wait")) in->op = PTX_MBARRIER_TEST_WAIT;
    else if (take_mod(m, "arrive") && !take_mod(m, "expect_tx")) in->op = PTX_MBARRIER_ARRIVE;
    else t->why = "mbarrier";
    if (!t->why && in->op == PTX_MBARRIER_ARRIVE) take_mod(m, "noComplete");
    if (!t->why && in->op == PTX_MBARRIER_TEST_WAIT && take_mod(m, "parity"))
        in->part = PTX_PART_LO;
    return true;
}

// tex.1d ...: the geometry belongs to the opcode.
static bool resolve_texture(InstText *t, PtxInst *in, Mods *m) {
    in->op = PTX_TEX;
    t->texture_extra = take_mod(m, "level") ? 1 : take_mod(m, "grad") ? 2 : 0;
    t->cube = true;
    if (take_mod(m, "cube")) {
        in->geometry = 2;  // three coordinates
        return true;
    }
    if (take_mod(m, "acube")) {
        in->geometry = 4;  // a layer and three
        return true;
    }
    t->cube = false;
    for (int i = 0; i < PTX_GEOMETRIES; i++)
        if (take_mod(m, ptx_geometries[i])) {
            in->geometry = i;
            return true;
        }
    t->why = "texture";
    return true;
}

static bool unknown_opcode(Parser *p, const InstText *t) {
    const char *names[PTX_OP_COUNT];
    for (int i = 0; i < PTX_UNSUPPORTED; i++) names[i] = ptx_op_name((PtxOp)i);
    const char *near = name_suggest(p->syms[t->at.sym].name, names, PTX_UNSUPPORTED);
    return lex_fail(p, &t->at, "unknown opcode '%.*s'%s%s%s", t->name_len, t->name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool resolve_op(Parser *p, InstText *t, PtxInst *in, Mods *m) {
    if (lex_is_word(&t->at, TOKEN_NAME, "bar")) return resolve_barrier(p, t, in, m, true);
    if (lex_is_word(&t->at, TOKEN_NAME, "barrier")) return resolve_barrier(p, t, in, m, false);
    if (lex_is_word(&t->at, TOKEN_NAME, "brx") && take_mod(m, "idx")) {
        in->op = PTX_BRX_IDX;
        return true;
    }
    if (lex_is_word(&t->at, TOKEN_NAME, "cp") && take_mod(m, "async"))
        return resolve_copy(t, in, m);
    if (lex_is_word(&t->at, TOKEN_NAME, "cvt") && take_mod(m, "pack")) {
        in->op = PTX_CVT_PACK;
        return true;
    }
    if (lex_is_word(&t->at, TOKEN_NAME, "mbarrier")) return resolve_mbarrier(t, in, m);
    if (lex_is_word(&t->at, TOKEN_NAME, "tex")) return resolve_texture(t, in, m);
    int op = p->syms[t->at.sym].op;
    if (op < 0) return unknown_opcode(p, t);
    if (op >= REFUSED_OP) t->why = refused_table[op - REFUSED_OP].why;
    else in->op = (PtxOp)op;
    return true;
}

// ---- suffixes ----

static bool unknown_mod(Parser *p, const InstText *t, const PtxInst *in, const Token *tok) {
    const char *names[256];
    int n = 0;
    uint64_t allowed = rule_union(in->op);
    for (int i = 0; i < mod_count && n < 256; i++)
        if (mod_table[i].cls & allowed) names[n++] = mod_table[i].text;
    const char *near = name_suggest(p->syms[tok->sym].name, names, n);
    bool known = p->syms[tok->sym].mod >= 0;
    return lex_fail(p, tok, "%s %s %s '%s'%s%s%s", known ? "modifier" : "unknown modifier",
                    lex_describe(p, tok), known ? "does not belong to" : "of",
                    p->syms[t->at.sym].name, near ? "; did you mean '." : "", near ? near : "",
                    near ? "'?" : "");
}

static void set_type(PtxInst *in, InstText *t, PtxType type) {
    if (t->ntypes == 0) in->type = type;
    else if (t->ntypes == 1) in->type2 = type;
    else in->type3 = type;
    t->ntypes++;
}

static void apply_mod(PtxInst *in, const ModRow *row) {
    switch (row->cls) {
    case M_RND:
    case M_RNI:
    case M_RNA: in->rnd = (PtxRound)row->value; break;
    case M_FTZ: in->ftz = true; break;
    case M_SAT: in->sat = true; break;
    case M_APPROX: in->approx = true; break;
    case M_FULL: in->full = true; break;
    case M_UNI: in->uni = true; break;
    case M_CC: in->cc = true; break;
    case M_SYNC: in->sync = true; break;
    case M_NC: in->nc = true; break;
    case M_SEM:
        // .mmio.relaxed is the only pair; .mmio says more.
        if (in->sem != PTX_SEM_MMIO) in->sem = (PtxSem)row->value;
        in->is_volatile |= row->value == PTX_SEM_VOLATILE;
        break;
    case M_SCOPE: in->scope = (PtxScope)row->value; break;
    case M_GL: in->scope = (PtxScope)row->value; break;
    case M_SPACE: in->space = (PtxSpace)row->value; break;
    case M_CACHE: in->cache = (PtxCache)row->value; break;
    case M_EVICT: in->evict = (PtxEvict)row->value; break;
    case M_L2: in->l2_prefetch = row->value; break;
    case M_VEC: in->vec = row->value; break;
    case M_PART: in->part = (PtxMulPart)row->value; break;
    case M_CMP: in->cmp = (PtxCmp)row->value; break;
    case M_BOOL: in->boolop = (PtxBool)row->value; break;
    case M_DIR: in->left = row->value; break;
    case M_SHF: in->shf = (PtxShfMode)row->value; break;
    case M_SHFL: in->shfl = (PtxShfl)row->value; break;
    case M_VOTE: in->vote = (PtxVote)row->value; break;
    case M_ATOM: in->atom = (PtxAtom)row->value; break;
    case M_PRMT: in->prmt = (PtxPrmt)row->value; break;
    case M_TESTP: in->testp = (PtxTestp)row->value; break;
    case M_TO: in->to = true; break;
    case M_SHIFTAMT: in->shiftamt = true; break;
    case M_LEVEL: in->level = row->value; break;
    case M_NAN: in->nan = true; break;
    case M_XORSIGN: in->xorsign = true; break;
    case M_ABS: break;  // check_special sees to it that .xorsign has it
    case M_RELU: in->relu = true; break;
    case M_NOFTZ: in->noftz = true; break;
    case M_PO: in->po = true; break;
    case M_SCALE: in->scale = row->value; break;
    case M_SATFINITE: in->satfinite = true; break;
    case M_HINT: break;  // take_policy removes its operand
    default: panic("modifier class %llx", (unsigned long long)row->cls);
    }
}

// The meaning of a suffix for this opcode: the row whose class the opcode has. Otherwise returns a
// row with the reason why the suffix is not supported, or NULL.
static const ModRow *find_row(const Parser *p, const Token *tok, uint64_t allowed) {
    const ModRow *refused = NULL;
    const Symbol *s = &p->syms[tok->sym];
    for (int i = s->mod; i >= 0 && i < mod_count && strcmp(mod_table[i].text, s->name) == 0; i++) {
        if (mod_table[i].cls & allowed) return &mod_table[i];
        if (mod_table[i].cls == 0) refused = &mod_table[i];
    }
    return refused;
}

static bool apply_mods(Parser *p, InstText *t, PtxInst *in, const Mods *m) {
    uint64_t allowed = rule_union(in->op);
    for (int i = 0; i < m->n && !t->why; i++) {
        const ModRow *row = find_row(p, &m->tok[i], allowed);
        if (row && row->cls == 0) t->why = row->why;
    }
    for (int i = 0; i < m->n && !t->why; i++) {
        const Token *tok = &m->tok[i];
        const ModRow *row = find_row(p, tok, allowed);
        if (!row) return unknown_mod(p, t, in, tok);
        if (row->cls == M_TYPE) {
            if (t->ntypes == 3) return lex_fail(p, tok, "too many types");
            set_type(in, t, (PtxType)row->value);
            continue;
        }
        bool twice = t->seen & row->cls;
        if (row->cls == M_SEM && in->sem == PTX_SEM_MMIO && row->value == PTX_SEM_RELAXED)
            twice = false;
        const uint64_t rounds = M_RND | M_RNA | M_RNI;
        if (row->cls & rounds && t->seen & rounds) twice = true;
        if (twice)
            return lex_fail(p, tok, "%s contradicts or repeats a modifier before it",
                            lex_describe(p, tok));
        t->seen |= row->cls;
        apply_mod(in, row);
    }
    return true;
}

// ---- whole instructions ----

static bool parse_guard(Parser *p, PtxInst *in) {
    bool found;
    in->guard = -1;
    if (!lex_accept(p, '@', &found) || !found) return found || diag_ok(p->d);
    if (!lex_accept(p, '!', &in->guard_negated)) return false;
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected a predicate, found %s", lex_describe(p, &name));
    const Binding *b = p->syms[name.sym].local;
    if (b && b->kind != BIND_REG)
        return lex_fail(p, &name, "%s is not a predicate", lex_describe(p, &name));
    if (!b) return undeclared_name(p, &name);
    if (p->f->regs[b->index].type != PTX_PRED)
        return lex_fail(p, &name, "%s is a .%s register, not a predicate", lex_describe(p, &name),
                        ptx_type_name(p->f->regs[b->index].type));
    in->guard = b->index;
    return lex_next(p);
}

static bool parse_mnemonic(Parser *p, InstText *t, Mods *m) {
    t->at = p->tok;
    if (t->at.kind != TOKEN_NAME)
        return lex_fail(p, &t->at, "expected an opcode, found %s", lex_describe(p, &t->at));
    t->name = t->at.text;
    t->name_len = t->at.len;
    if (!lex_next(p)) return false;
    while (p->tok.kind == TOKEN_DOT) {
        if (m->n == INST_MAX_MODS) return lex_fail(p, &p->tok, "too many modifiers");
        m->tok[m->n++] = p->tok;
        t->name_len = (int)(p->tok.text + p->tok.len - t->name);
        if (!lex_next(p)) return false;
    }
    if (t->name_len > 80) t->name_len = 80;
    return true;
}

// The end of a comment that starts at s; s if none starts there.
static const char *skip_comment(const char *s, const char *end) {
    if (end - s < 2 || *s != '/' || (s[1] != '/' && s[1] != '*')) return s;
    bool line = s[1] == '/';
    for (s += 2; s < end && !(line ? *s == '\n' : *s == '*' && end - s > 1 && s[1] == '/'); s++) {}
    return line ? s : s + 2;
}

// The unsupported instruction as written, without comments, on one line.
static const char *collect_text(Parser *p, const char *first, const char *end) {
    char *text = arena_alloc(p->arena, (size_t)(end - first) + 1);
    size_t n = 0;
    for (const char *s = first; s < end; s++) {
        s = skip_comment(s, end);
        if (s >= end) break;
        bool space = *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r';
        if (space && (n == 0 || text[n - 1] == ' ')) continue;
        text[n++] = space ? ' ' : *s;
    }
    while (n > 0 && text[n - 1] == ' ') n--;
    text[n] = '\0';
    return text;
}

static bool continues_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
        c == '$';
}

// The function's register or variable for the name. For a vector: all of it or its element `.x`.
static const char *resolve_name(Parser *p, const char *name, int len, int *used) {
    const int sym = lex_intern(p, name, len);
    const Binding *b = p->syms[sym].local;
    if (!b) return p->syms[sym].name;
    if (b->kind == BIND_REG) return p->f->regs[b->index].name;
    if (b->kind == BIND_VAR) return p->f->vars[b->index].name;
    if (b->kind == BIND_MODULE_VAR) return p->m->vars[b->index].name;
    const char *dot = name + len, *letters = "xyzwrgba", *at = NULL;
    while (*dot == ' ') dot++;
    if (*dot == '.' && dot[1]) at = strchr(letters, dot[1]);
    if (at && !continues_name(dot[2]) && (at - letters) % 4 < b->count) {
        *used = (int)(dot + 2 - name);
        return p->f->regs[b->index + (at - letters) % 4].name;
    }
    const char *all = "{";
    for (int i = 0; i < b->count; i++)
        all = arena_printf(p->arena, "%s%s%c", all, p->f->regs[b->index + i].name,
                           i + 1 < b->count ? ',' : '}');
    return all;
}

// The text with each name resolved. A word after a point is no name.
static const char *resolve_text(Parser *p, const char *text) {
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    panic_if(!f, "out of memory");
    for (const char *s = text; *s;) {
        int n = 1;
        const bool starts = *s == '%' || (continues_name(*s) && !(*s >= '0' && *s <= '9'));
        while (continues_name(s[n]) && (starts || *s == '.' || continues_name(*s))) n++;
        if (starts && (n > 1 || *s != '%')) fputs(resolve_name(p, s, n, &n), f);
        else fwrite(s, 1, (size_t)n, f);
        s += n;
    }
    fclose(f);
    const char *kept = arena_strndup(p->arena, out, size);
    free(out);
    return kept;
}

static bool finish_unsupported(Parser *p, InstText *t, PtxInst *in) {
    for (int depth = 0; !lex_is(p, ';');) {
        if (lex_is(p, '{')) depth++;
        if (p->tok.kind == TOKEN_END || (lex_is(p, '}') && --depth < 0))
            return lex_expect(p, ';', "after the instruction");
        if (!lex_next(p)) return false;
    }
    *in = (PtxInst){.op = PTX_UNSUPPORTED,
                    .guard = -1,
                    .vec = 1,
                    .line = in->line,
                    .col = in->col,
                    .src_line = in->src_line,
                    .why = t->why};
    in->text = collect_text(p, t->first, p->tok.text);
    in->resolved = resolve_text(p, in->text);
    return true;
}

// d, [object, coordinates]
static bool parse_texture(Parser *p, InstText *t, PtxInst *in) {
    in->nopnd = 3;
    if (!parse_operand(p, t, &in->opnd[0])) return false;
    if (lex_is(p, '|')) t->why = "whether a texture is resident";
    if (t->why) return true;
    if (!lex_expect(p, ',', "after the destination") || !lex_expect(p, '[', "before the texture") ||
        !parse_operand(p, t, &in->opnd[1]) || !lex_expect(p, ',', "after the texture"))
        return false;
    if (!parse_operand(p, t, &in->opnd[2])) return false;
    if (lex_is(p, ',')) t->why = "a texture with a sampler";
    if (t->why) return true;
    if (!lex_expect(p, ']', "after the coordinates")) return false;
    for (int i = 0; i < t->texture_extra; i++) {  // textures here have one level
        PtxOperand level;
        if (!lex_expect(p, ',', "before the level of detail") || !parse_operand(p, t, &level))
            return false;
        if (t->why) return true;
    }
    if (lex_is(p, ',')) t->why = "texture offsets and depth comparison";
    return true;
}

static bool parse_arguments(Parser *p, InstText *t, PtxInst *in) {
    if (in->op == PTX_TEX) return parse_texture(p, t, in);
    if (in->op == PTX_BRA || in->op == PTX_BRX_IDX) return parse_branch(p, t, in);
    if (in->op == PTX_CALL) return parse_call(p, t, in);
    return parse_operands(p, t, in);
}

static void push_inst(Parser *p, const PtxInst *in) {
    *ARENA_PUSH(p->arena, p->f->insts, p->f->ninsts, p->f->cap_insts) = *in;
}

// Each element of a vector atomic is an atomic of its own, but the vector is not: one instruction
// per element. Results pass through fresh registers, because an earlier result may be a later
// operand.
static void push_elements(Parser *p, const PtxInst *in) {
    const int value = in->op == PTX_RED ? 1 : 2, bytes = ptx_type_bytes(in->type);
    int found[8];
    for (int i = 0; i < in->vec; i++) {
        PtxInst one = *in;
        one.vec = 1;
        one.opnd[value] = in->opnd[value].elements[i];
        one.opnd[value - 1].offset += i * bytes;
        if (in->op == PTX_ATOM) {
            found[i] = decl_temporary(p,
                                      bytes == 2                ? PTX_B16
                                          : in->type == PTX_F32 ? PTX_F32
                                                                : PTX_B32);
            one.opnd[0] = (PtxOperand){
                .kind = PTX_OPND_REG, .index = found[i], .line = in->line, .col = in->col};
        }
        push_inst(p, &one);
    }
    for (int i = 0; i < in->vec && in->op == PTX_ATOM; i++) {
        PtxInst move = {.op = PTX_MOV,
                        .type = p->f->regs[found[i]].type,
                        .guard = in->guard,
                        .vec = 1,
                        .nopnd = 2,
                        .guard_negated = in->guard_negated,
                        .line = in->line,
                        .col = in->col,
                        .src_line = in->src_line};
        move.opnd[0] = in->opnd[0].elements[i];
        move.opnd[1] =
            (PtxOperand){.kind = PTX_OPND_REG, .index = found[i], .line = in->line, .col = in->col};
        if (move.opnd[0].kind == PTX_OPND_REG) push_inst(p, &move);
    }
}

bool parse_instruction(Parser *p) {
    InstText t = {.first = p->tok.text};
    Mods m = {.n = 0};
    PtxInst in = {.vec = 1, .src_line = p->src_line};
    p->depth = 0;
    if (!parse_guard(p, &in) || !parse_mnemonic(p, &t, &m)) return false;
    in.line = t.at.line;
    in.col = t.at.col;
    if (matrix_is(&t) || surface_is(&t) || hint_is(&t)) {
        for (int i = 0; i < m.n && p->m->map_f64; i++)
            if (lex_is_word(&m.tok[i], TOKEN_DOT, "f64"))
                t.why = "matrices of .f64 with map_f64_to_f32";
        const bool ok = t.why ? true
            : hint_is(&t)     ? hint_parse(p, &in, &t, &m)
            : surface_is(&t)  ? surface_parse(p, &in, &t, &m)
                              : matrix_parse(p, &in, &t, &m);
        if (!ok || (t.why && !finish_unsupported(p, &t, &in))) return false;
        if (t.why) push_inst(p, &in);
        return lex_expect(p, ';', "after the instruction");
    }
    if (!resolve_op(p, &t, &in, &m)) return false;
    if (!t.why && !apply_mods(p, &t, &in, &m)) return false;
    if (!t.why && !parse_arguments(p, &t, &in)) return false;
    if (!t.why && !lex_is(p, ';')) return lex_expect(p, ';', "after the instruction");
    if (!t.why && t.seen & M_HINT && !take_policy(p, &in, &t)) return false;
    if (!t.why) index_elements(p, &in);
    if (!t.why && !check_inst(p, &in, &t)) return false;
    if (!t.why && p->m->map_f64) demote_inst(p, &in, &t);
    if (!t.why && p->m->sm_1x) flush_inst(p->m, &in);
    if (t.why && !finish_unsupported(p, &t, &in)) return false;
    if (t.cube && !t.why) texture_cube(p, &in, in.geometry == 4);
    else if (async_is(in.op)) {
        if (!async_expand(p, &in, &t)) return false;
    } else if (in.vec > 1 && (in.op == PTX_ATOM || in.op == PTX_RED)) push_elements(p, &in);
    else if (in.vec > 1 && in.op == PTX_MOV) push_moves(p, &in);
    else push_inst(p, &in);
    return lex_expect(p, ';', "after the instruction");
}
