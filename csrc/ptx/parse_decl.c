// SPDX-License-Identifier: Apache-2.0
// Declarations: registers, variables, parameters; scopes of names.
//
// PTX lets inner braces declare a name again (call sequences, inline assembly). PtxFunc has one
// list of registers and one list of variables. A name that occurs again gets a suffix, so that it
// is unique when printed.
#include "base/surface.h"
#include "ptx/front.h"

#include <string.h>

enum {
    DECL_MAX_REGS = 1 << 20,
    DECL_MAX_DIMS = 16,
    DECL_MAX_PARAMS = 4096,
    DECL_MAX_PARAM_BYTES = 32764
};
static const int64_t DECL_MAX_BYTES = 1ll << 40;
static const int64_t DECL_MAX_INIT_BYTES = 1ll << 28;

static int64_t align_up(int64_t value, int64_t align) {
    return (value + align - 1) / align * align;
}

// ---- scopes ----

void scope_open(Parser *p) {
    *ARENA_PUSH(p->scratch, p->bound_outer, p->nbound_outer, p->cap_bound_outer) = p->bound;
    p->bound = NULL;
    int parent = p->nscopes ? p->scope : -1;
    *ARENA_PUSH(p->scratch, p->scopes, p->nscopes, p->cap_scopes) =
        (Scope){parent, p->nlabel_defs, p->nlabel_refs};
    p->scope = p->nscopes - 1;
}

void scope_close(Parser *p) {
    labels_close(p);
    for (Binding *b = p->bound; b; b = b->next) p->syms[b->sym].local = b->shadowed;
    p->bound = p->bound_outer[--p->nbound_outer];
    p->scope = p->scopes[p->scope].parent;
}

static void bind_symbol(Parser *p, int sym, BindingKind kind, int index, int count) {
    Binding *b = ARENA_NEW(p->scratch, Binding);
    *b = (Binding){kind, index, count, p->scope, sym, p->syms[sym].local, p->bound};
    p->bound = b;
    p->syms[sym].local = b;
}

static bool check_new(Parser *p, const Token *name) {
    const Binding *b = p->syms[name->sym].local;
    if (!b || b->scope != p->scope) return true;
    return lex_fail(p, name, "%s is declared twice", lex_describe(p, name));
}

static bool name_taken(const Parser *p, int sym) {
    const Symbol *s = &p->syms[sym];
    return s->used_in == p->serial || s->module_var >= 0 || s->func >= 0;
}

// The symbol's name, made unique in the function and different from the module's names.
static const char *unique_name(Parser *p, int sym) {
    int chosen = sym;
    while (name_taken(p, chosen)) {
        char text[32];
        int n = snprintf(text, sizeof text, "__%d", ++p->syms[sym].next_suffix);
        const char *joined = arena_printf(p->scratch, "%s%s", p->syms[sym].name, text);
        chosen = lex_intern(p, joined, p->syms[sym].len + n);
    }
    p->syms[chosen].used_in = p->serial;
    return p->syms[chosen].name;
}

// The number of the register `sym`, or of the first of the elements sym$x, sym$y ... of a vector.
static int add_reg(Parser *p, int sym, PtxType type, int vec) {
    PtxFunc *f = p->f;
    const int first = f->nregs;
    for (int i = 0; i < vec; i++) {
        const int len = p->syms[sym].len;
        const int each = vec == 1
            ? sym
            : lex_intern(p, arena_printf(p->scratch, "%s$%c", p->syms[sym].name, "xyzw"[i]),
                         len + 2);
        *ARENA_PUSH(p->arena, f->regs, f->nregs, f->cap_regs) =
            (PtxReg){unique_name(p, each), type};
    }
    bind_symbol(p, sym, vec == 1 ? BIND_REG : BIND_VECTOR, first, vec);
    return first;
}

int decl_temporary(Parser *p, PtxType type) {
    int sym = lex_intern(p, "%special", 8);
    PtxFunc *f = p->f;
    *ARENA_PUSH(p->arena, f->regs, f->nregs, f->cap_regs) = (PtxReg){unique_name(p, sym), type};
    return f->nregs - 1;
}

static void add_local_var(Parser *p, int sym, PtxVar v) {
    PtxFunc *f = p->f;
    v.name = unique_name(p, sym);
    *ARENA_PUSH(p->arena, f->vars, f->nvars, f->cap_vars) = v;
    bind_symbol(p, sym, BIND_VAR, f->nvars - 1, 1);
}

// ---- types ----

static bool parse_type(Parser *p, PtxType *t) {
    if (p->tok.kind == TOKEN_DOT) {
        for (int i = p->syms[p->tok.sym].mod; i >= 0 && i < mod_count; i++) {
            if (strcmp(mod_table[i].text, p->syms[p->tok.sym].name) != 0) break;
            if (mod_table[i].cls != M_TYPE) continue;
            *t = (PtxType)mod_table[i].value;
            return lex_next(p);
        }
        if (lex_is_word(&p->tok, TOKEN_DOT, "samplerref") ||
            lex_is_word(&p->tok, TOKEN_DOT, "surfref"))
            return lex_fail(p, &p->tok,
                            "%s: sampler and surface references are not supported, objects are",
                            lex_describe(p, &p->tok));
    }
    return lex_fail(p, &p->tok, "expected a type such as .u32, found %s", lex_describe(p, &p->tok));
}

bool parse_space_word(const Token *t, PtxSpace *s) {
    for (int i = PTX_CONST; i < PTX_SPACE_COUNT; i++)
        if (lex_is_word(t, TOKEN_DOT, ptx_space_name((PtxSpace)i))) {
            *s = (PtxSpace)i;
            return true;
        }
    return false;
}

// N of `.align N`, if present; otherwise 0.
static bool parse_align(Parser *p, int *align) {
    if (!lex_is_word(&p->tok, TOKEN_DOT, "align")) return true;
    Token at = p->tok;
    int64_t value;
    if (!lex_next(p) || !parse_int(p, &value, 1, 1 << 20, "an alignment")) return false;
    if (value & (value - 1))
        return lex_fail(p, &at, "an alignment is a power of two, not %lld", (long long)value);
    *align = (int)value;
    return true;
}

// ---- registers ----

static bool parse_range(Parser *p, const Token *name, PtxType type, int vec) {
    int64_t count;
    Token at = p->tok;
    if (!lex_next(p)) return false;
    // parse_int would parse the closing > as a comparison.
    if (p->tok.kind != TOKEN_INT)
        return lex_fail(p, &p->tok, "expected a number of registers, found %s",
                        lex_describe(p, &p->tok));
    count = p->tok.bits > DECL_MAX_REGS ? DECL_MAX_REGS + 1 : (int64_t)p->tok.bits;
    if (count * vec + p->f->nregs > DECL_MAX_REGS)
        return lex_fail(p, &at, "more than %d registers in one function", DECL_MAX_REGS);
    if (!lex_next(p) || !lex_expect(p, '>', "after the number of registers")) return false;
    char text[LEX_NAME_SPACE];
    memcpy(text, name->text, (size_t)name->len);
    for (int64_t i = 0; i < count; i++) {
        int n = snprintf(text + name->len, sizeof text - (size_t)name->len, "%d", (int)i);
        Token each = *name;
        each.sym = lex_intern(p, text, name->len + n);
        if (!check_new(p, &each)) return false;
        add_reg(p, each.sym, type, vec);
    }
    return true;
}

// `.v2` or `.v4`, if present.
static bool parse_vec(Parser *p, int *vec) {
    if (!lex_is_word(&p->tok, TOKEN_DOT, "v2") && !lex_is_word(&p->tok, TOKEN_DOT, "v4"))
        return true;
    *vec = p->tok.text[1] - '0';
    return lex_next(p);
}

// Vectors of registers and of parameters have at most 128 bits.
static bool check_vec(Parser *p, PtxType type, int vec, const Token *at) {
    if (vec == 1) return true;
    if (type == PTX_PRED)
        return lex_fail(p, at, "a vector of predicates is not possible; declare scalars");
    if (ptx_type_bytes(type) * vec <= 16) return true;
    return lex_fail(p, at, "a vector has at most 128 bits, and .v%d .%s has %d", vec,
                    ptx_type_name(type), 8 * vec * ptx_type_bytes(type));
}

bool parse_registers(Parser *p) {
    PtxType type;
    int vec = 1;
    Token at = p->tok;
    if (!parse_vec(p, &vec) || !parse_type(p, &type) || !check_vec(p, type, vec, &at)) return false;
    if (type == PTX_B128) func_refuse(p, &p->tok, "128-bit registers");
    for (bool more = true; more;) {
        Token name = p->tok;
        if (name.kind != TOKEN_NAME)
            return lex_fail(p, &name, "expected the name of a register, found %s",
                            lex_describe(p, &name));
        if (!lex_next(p)) return false;
        if (lex_is(p, '<')) {
            if (!parse_range(p, &name, type, vec)) return false;
        } else {
            if (!check_new(p, &name)) return false;
            if (p->f->nregs + vec > DECL_MAX_REGS)
                return lex_fail(p, &name, "more than %d registers in one function", DECL_MAX_REGS);
            add_reg(p, name.sym, type, vec);
        }
        if (!lex_accept(p, ',', &more)) return false;
    }
    return lex_expect(p, ';', "after the registers");
}

// ---- variables ----

// `[4][]...`; a dimension without size is -1 and must be the first.
static bool parse_dims(Parser *p, int64_t *dims, int *ndims) {
    *ndims = 0;
    while (lex_is(p, '[')) {
        if (*ndims == DECL_MAX_DIMS) return lex_fail(p, &p->tok, "too many dimensions");
        if (!lex_next(p)) return false;
        int64_t *dim = &dims[(*ndims)++];
        if (lex_is(p, ']') && *ndims == 1) *dim = -1;
        else if (!parse_int(p, dim, 0, DECL_MAX_BYTES, "an array size")) return false;
        if (!lex_expect(p, ']', "after the array size")) return false;
    }
    return true;
}

// Bytes of v by its type and dims; dims[0] < 0 counts as 0.
static bool size_variable(Parser *p, PtxVar *v, const Token *at, const int64_t *dims, int ndims) {
    int64_t bytes = (int64_t)ptx_type_bytes(v->type) * v->vec;
    for (int i = 0; i < ndims; i++)
        if (__builtin_mul_overflow(bytes, dims[i] < 0 ? 0 : dims[i], &bytes) ||
            bytes > DECL_MAX_BYTES)
            return lex_fail(p, at, "%s is too large", lex_describe(p, at));
    v->bytes = bytes;
    v->is_array = ndims > 0;
    return true;
}

static bool check_space(Parser *p, const PtxVar *v, const Token *at) {
    if (!p->f && v->space == PTX_LOCAL && ptx_version(p->m) >= 30)
        return lex_fail(p, at,
                        "a .local variable cannot be declared outside functions since PTX 3.0");
    if (!p->f && v->space == PTX_PARAM)
        return lex_fail(p, at, "a .param variable cannot be declared outside functions");
    if (p->f && v->is_extern && v->space != PTX_SHARED)
        return lex_fail(p, at,
                        "inside a function only a .shared variable can be .extern, not a .%s one",
                        ptx_space_name(v->space));
    if (v->type == PTX_PRED) return lex_fail(p, at, "a variable cannot have the type .pred");
    return true;
}

static void place_local(PtxFunc *f, PtxVar *v) {
    int64_t *block = v->space == PTX_LOCAL ? &f->local_bytes : &f->call_bytes;
    if (v->space == PTX_SHARED) return;
    v->offset = align_up(*block, v->align);
    *block = v->offset + v->bytes;
}

// A module variable that a function declares; its name is visible only in that block.
static void hoist_variable(Parser *p, const Token *name, PtxVar *v) {
    PtxModule *m = p->m;
    const char *own = p->syms[name->sym].name;
    const char *joined = arena_printf(p->scratch, "%s$%s", p->f->name, own + (*own == '%'));
    int sym = lex_intern(p, joined, (int)strlen(joined));
    for (int i = 1; p->syms[sym].module_var >= 0 || p->syms[sym].func >= 0; i++) {
        const char *next = arena_printf(p->scratch, "%s$%d", joined, i);
        sym = lex_intern(p, next, (int)strlen(next));
    }
    v->name = p->syms[sym].name;
    *ARENA_PUSH(p->arena, m->vars, m->nvars, m->cap_vars) = *v;
    p->syms[sym].module_var = m->nvars - 1;
    bind_symbol(p, name->sym, BIND_MODULE_VAR, m->nvars - 1, 1);
}

static bool add_module_var(Parser *p, const Token *name, const PtxVar *v) {
    PtxModule *m = p->m;
    Symbol *s = &p->syms[name->sym];
    if (s->func >= 0) return lex_fail(p, name, "%s is a function already", lex_describe(p, name));
    if (s->module_var < 0) {
        *ARENA_PUSH(p->arena, m->vars, m->nvars, m->cap_vars) = *v;
        s->module_var = m->nvars - 1;
        return true;
    }
    PtxVar *old = &m->vars[s->module_var];
    if (old->space != v->space || old->type != v->type || old->vec != v->vec)
        return lex_fail(p, name, "%s was declared otherwise in line %d", lex_describe(p, name),
                        old->line);
    if (!old->is_extern && !v->is_extern)
        return lex_fail(p, name, "%s is declared twice, first in line %d", lex_describe(p, name),
                        old->line);
    if (old->is_extern) *old = *v;
    return true;
}

// Qualifiers between the space and the type.
static bool parse_qualifiers(Parser *p, PtxVar *v) {
    for (;;) {
        if (lex_is_word(&p->tok, TOKEN_DOT, "attribute")) {
            // .managed: one address for host and device, as in any simulated memory.
            if (!lex_next(p) || !lex_expect(p, '(', "after .attribute")) return false;
            if (!lex_is_word(&p->tok, TOKEN_DOT, "managed"))
                return lex_fail(p, &p->tok, "the attribute %s is not supported",
                                lex_describe(p, &p->tok));
            if (!lex_next(p) || !lex_expect(p, ')', "after the attribute")) return false;
        } else if (lex_is_word(&p->tok, TOKEN_DOT, "v2") || lex_is_word(&p->tok, TOKEN_DOT, "v4")) {
            if (!parse_vec(p, &v->vec)) return false;
        } else if (lex_is_word(&p->tok, TOKEN_DOT, "align")) {
            if (!parse_align(p, &v->align)) return false;
        } else {
            return true;
        }
    }
}

static bool parse_declarator(Parser *p, PtxVar v) {
    Token name = p->tok;
    int64_t dims[DECL_MAX_DIMS + 1];
    int ndims;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected the name of a variable, found %s",
                        lex_describe(p, &name));
    v.name = p->syms[name.sym].name;
    v.line = name.line;
    v.col = name.col;
    if (!check_space(p, &v, &name) || !lex_next(p) || !parse_dims(p, dims, &ndims) ||
        !size_variable(p, &v, &name, dims, ndims))
        return false;
    if (!v.align) v.align = ptx_type_bytes(v.type) * v.vec;
    if (v.is_texref) v.bytes = v.align = SURFACE_RECORD_BYTES, v.is_array = true;
    if (lex_is(p, '=')) {
        if (v.is_texref)
            return lex_fail(p, &p->tok, "a .texref variable cannot have an initial value");
        if (v.space != PTX_GLOBAL && v.space != PTX_CONST)
            return lex_fail(p, &p->tok, "a .%s variable cannot have an initial value",
                            ptx_space_name(v.space));
        if (v.bytes > DECL_MAX_INIT_BYTES)
            return lex_fail(p, &name, "%s is too large to have an initial value",
                            lex_describe(p, &name));
        if (!lex_next(p) || !parse_initializer(p, &v, dims, ndims) ||
            !size_variable(p, &v, &name, dims, ndims))
            return false;
        v.is_extern = false;
    } else if (ndims > 0 && dims[0] < 0 && !v.is_extern) {
        return lex_fail(p, &name, "the array %s has no size", lex_describe(p, &name));
    }
    if (!p->f) return add_module_var(p, &name, &v);
    if (!check_new(p, &name)) return false;
    if (v.space == PTX_GLOBAL || v.space == PTX_CONST) return hoist_variable(p, &name, &v), true;
    place_local(p->f, &v);
    add_local_var(p, name.sym, v);
    return true;
}

bool parse_variable(Parser *p, const PtxVar *linkage) {
    PtxVar v = *linkage;
    v.vec = 1;
    if (!parse_qualifiers(p, &v)) return false;
    v.is_texref = lex_is_word(&p->tok, TOKEN_DOT, "texref");
    if (v.is_texref) {  // the record of a texture, which cuTexRef.. of the host's program fills
        if (v.space != PTX_GLOBAL || p->f || v.vec != 1)
            return lex_fail(p, &p->tok, "a .texref variable is a .global one of the module");
        v.type = PTX_B8;
        if (!lex_next(p)) return false;
    } else if (!parse_type(p, &v.type)) {
        return false;
    }
    for (bool more = true; more;)
        if (!parse_declarator(p, v) || !lex_accept(p, ',', &more)) return false;
    return lex_expect(p, ';', "after the variable");
}

bool parse_old_texture(Parser *p) {
    PtxVar v = {.space = PTX_GLOBAL, .vec = 1, .is_texref = true};
    if (ptx_version(p->m) >= 15)
        return lex_fail(p, &p->tok,
                        "'.tex' ended with PTX 1.4; a texture is a .global .texref variable");
    if (!lex_next(p) || !parse_type(p, &v.type)) return false;
    v.type = PTX_B8;
    for (bool more = true; more;)
        if (!parse_declarator(p, v) || !lex_accept(p, ',', &more)) return false;
    return lex_expect(p, ';', "after the texture");
}

// ---- parameters ----

// `.ptr .global .align 8`: properties of the pointed-to memory; ignored here.
static bool skip_ptr(Parser *p) {
    PtxSpace space;
    int ignored = 0;
    if (!lex_is_word(&p->tok, TOKEN_DOT, "ptr")) return true;
    if (!lex_next(p)) return false;
    if (parse_space_word(&p->tok, &space) && !lex_next(p)) return false;
    return parse_align(p, &ignored);
}

static bool parse_param(Parser *p, PtxFunc *f, bool returns) {
    PtxVar v = {.vec = 1, .space = PTX_PARAM};
    int64_t dims[DECL_MAX_DIMS + 1];
    int ndims = 0;
    if (f->is_entry && lex_is_word(&p->tok, TOKEN_DOT, "hidden") && !lex_next(p)) return false;
    v.is_reg = lex_is_word(&p->tok, TOKEN_DOT, "reg");
    if (!v.is_reg && !lex_is_word(&p->tok, TOKEN_DOT, "param"))
        return lex_fail(p, &p->tok, "expected .param or .reg, found %s", lex_describe(p, &p->tok));
    if (v.is_reg && f->is_entry) return lex_fail(p, &p->tok, "a kernel parameter must be a .param");
    Token at = p->ahead;
    if (!lex_next(p) || !parse_align(p, &v.align) || !parse_vec(p, &v.vec) ||
        !parse_type(p, &v.type) || !check_vec(p, v.type, v.vec, &at) || !skip_ptr(p) ||
        !parse_align(p, &v.align))
        return false;
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected the name of a parameter, found %s",
                        lex_describe(p, &name));
    v.name = p->syms[name.sym].name;
    v.line = name.line;
    v.col = name.col;
    if (v.type == PTX_PRED && !v.is_reg)
        return lex_fail(p, &name, "a parameter cannot have the type .pred");
    if (!lex_next(p) || (!v.is_reg && !parse_dims(p, dims, &ndims))) return false;
    if (ndims > 0 && dims[0] < 0)
        return lex_fail(p, &name, "the array %s has no size", lex_describe(p, &name));
    if (!size_variable(p, &v, &name, dims, ndims)) return false;
    if (!v.align) v.align = ptx_type_bytes(v.type) * v.vec;
    if (!v.is_reg) {
        v.is_array |= v.vec > 1;
        v.offset = align_up(f->param_bytes, v.align);
        f->param_bytes = v.offset + v.bytes;
    }
    if (f->param_bytes > DECL_MAX_PARAM_BYTES || f->nparams >= DECL_MAX_PARAMS)
        return lex_fail(p, &name, "the parameters take more than %d bytes", DECL_MAX_PARAM_BYTES);
    // A vector of registers is as many parameters; `element` counts them down to 1.
    for (v.element = v.is_reg && v.vec > 1 ? v.vec : 0, v.bytes /= v.element ? v.element : 1;;
         v.element--) {
        if (returns) *ARENA_PUSH(p->arena, f->rets, f->nrets, f->cap_rets) = v;
        else *ARENA_PUSH(p->arena, f->params, f->nparams, f->cap_params) = v;
        if (v.element <= 1) return true;
    }
}

bool parse_param_list(Parser *p, PtxFunc *f, bool returns) {
    bool found = false;
    if (!lex_expect(p, '(', "before the parameters") || !lex_accept(p, ')', &found)) return false;
    for (bool more = !found; more;)
        if (!parse_param(p, f, returns) || !lex_accept(p, ',', &more)) return false;
    return found || lex_expect(p, ')', "after the parameters");
}

// Parameters become the first variables of the function; those in registers its first registers.
static bool declare_param(Parser *p, PtxVar *v) {
    Token at = {.kind = TOKEN_NAME,
                .line = v->line,
                .col = v->col,
                .text = v->name,
                .len = (int)strlen(v->name)};
    at.sym = lex_intern(p, v->name, at.len);
    const bool first = !v->element || v->element == v->vec;
    if (first && !check_new(p, &at)) return false;
    if (v->is_reg) {
        PtxFunc *f = p->f;
        v->reg = first ? add_reg(p, at.sym, v->type, v->vec) : f->nregs - v->element;
        v->name = f->regs[v->reg].name;
        *ARENA_PUSH(p->arena, f->vars, f->nvars, f->cap_vars) = *v;
        return true;
    }
    add_local_var(p, at.sym, *v);
    v->name = p->f->vars[p->f->nvars - 1].name;
    return true;
}

bool decl_params(Parser *p) {
    PtxFunc *f = p->f;
    for (int i = 0; i < f->nparams; i++)
        if (!declare_param(p, &f->params[i])) return false;
    for (int i = 0; i < f->nrets; i++)
        if (!declare_param(p, &f->rets[i])) return false;
    return true;
}

bool skip_to_semicolon(Parser *p) {
    while (!lex_is(p, ';')) {
        if (p->tok.kind == TOKEN_END) return lex_expect(p, ';', "at the end of the statement");
        if (!lex_next(p)) return false;
    }
    return lex_next(p);
}
