// SPDX-License-Identifier: Apache-2.0
// Functions: header, performance directives, body with scopes, labels and debug lines.
#include "ptx/front.h"

#include <inttypes.h>
#include <string.h>

enum { FUNC_SCOPE_DEPTH = 200, FUNC_MAX_THREADS = 1024 };

void func_refuse(Parser *p, const Token *at, const char *why) {
    if (p->f->refused) return;
    p->f->refused = why;
    p->f->refused_line = at->line;
    p->f->refused_col = at->col;
}

// ---- labels ----

// The symbol's name, made unique among the labels of the function.
static const char *unique_label(Parser *p, int sym) {
    int chosen = sym;
    while (p->syms[chosen].label_name_in == p->serial) {
        char text[32];
        int n = snprintf(text, sizeof text, "__%d", ++p->syms[sym].next_suffix);
        const char *joined = arena_printf(p->scratch, "%s%s", p->syms[sym].name, text);
        chosen = lex_intern(p, joined, p->syms[sym].len + n);
    }
    p->syms[chosen].label_name_in = p->serial;
    return p->syms[chosen].name;
}

static bool define_label(Parser *p, const Token *name) {
    PtxFunc *f = p->f;
    const char *unique = unique_label(p, name->sym);
    Symbol *s = &p->syms[name->sym];
    if (s->labels_in != p->serial) {
        s->labels_in = p->serial;
        s->labels = -1;
    }
    int first = p->scopes[p->scope].first_label;
    for (int i = s->labels; i >= first; i = p->label_defs[i].older)
        if (p->label_defs[i].scope == p->scope)
            return lex_fail(p, name, "label %s is defined twice, first in line %d",
                            lex_describe(p, name), f->labels[i].line);
    *ARENA_PUSH(p->scratch, p->label_defs, p->nlabel_defs, p->cap_label_defs) =
        (LabelDef){p->scope, s->labels};
    s->labels = f->nlabels;
    *ARENA_PUSH(p->arena, f->labels, f->nlabels, f->cap_labels) =
        (PtxLabel){unique, f->ninsts, name->line};
    return true;
}

// The label `sym` that is visible in `scope`; -1: no such label.
static int find_label(const Parser *p, int sym, int scope) {
    const Symbol *s = &p->syms[sym];
    if (s->labels_in != p->serial) return -1;
    for (int from = scope; from >= 0; from = p->scopes[from].parent)
        for (int i = s->labels; i >= 0; i = p->label_defs[i].older)
            if (p->label_defs[i].scope == from) return i;
    return -1;
}

// A branch out of the scope is resolved in the enclosing one. Inline assembly repeats the same
// label in thousands of scopes, so only labels behind the scope's brace are searched.
void labels_close(Parser *p) {
    const Scope *s = &p->scopes[p->scope];
    for (int r = s->first_ref; r < p->nlabel_refs; r++) {
        LabelRef *ref = &p->label_refs[r];
        if (ref->done || ref->list || ref->scope != p->scope) continue;
        const Symbol *sym = &p->syms[ref->sym];
        int label = sym->labels_in == p->serial ? sym->labels : -1;
        while (label >= s->first_label && p->label_defs[label].scope != p->scope)
            label = p->label_defs[label].older;
        if (label >= s->first_label) {
            p->f->insts[ref->inst].opnd[0].index = label;
            ref->done = true;
        } else if (s->parent >= 0) {
            ref->scope = s->parent;
        }
    }
}

static bool undefined_label(Parser *p, const LabelRef *r) {
    PtxFunc *f = p->f;
    if (p->syms[r->sym].labels_in == p->serial) {
        Token inner = {.line = r->line, .col = r->col};
        return lex_fail(p, &inner,
                        "label '%s' is inside other braces and cannot be reached from here",
                        p->syms[r->sym].name);
    }
    const char **names = ARENA_ARRAY(p->scratch, const char *, f->nlabels + 1);
    for (int i = 0; i < f->nlabels; i++) names[i] = f->labels[i].name;
    const char *near = name_suggest(p->syms[r->sym].name, names, f->nlabels);
    Token at = {.line = r->line, .col = r->col};
    return lex_fail(p, &at, "label '%s' is not defined in this function%s%s%s",
                    p->syms[r->sym].name, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

static bool resolve_list(Parser *p, const LabelRef *r) {
    PtxInst *in = &p->f->insts[r->inst];
    const TargetList *list = NULL;
    for (int from = r->scope; from >= 0 && !list; from = p->scopes[from].parent)
        for (int i = 0; i < p->nlists; i++)
            if (p->lists[i].sym == r->sym && p->lists[i].scope == from) list = &p->lists[i];
    Token at = {.line = r->line, .col = r->col};
    if (!list)
        return lex_fail(p, &at, "'%s' is not a list of .branchtargets", p->syms[r->sym].name);
    in->ntargets = list->nrefs;
    in->targets = ARENA_ARRAY(p->arena, int, list->nrefs);
    for (int i = 0; i < list->nrefs; i++) {
        in->targets[i] = find_label(p, list->refs[i].sym, list->scope);
        if (in->targets[i] < 0) return undefined_label(p, &list->refs[i]);
    }
    return true;
}

static bool resolve_labels(Parser *p) {
    for (int i = 0; i < p->nlabel_refs; i++) {
        const LabelRef *r = &p->label_refs[i];
        if (r->done) continue;
        if (!r->list) return undefined_label(p, r);
        if (!resolve_list(p, r)) return false;
    }
    return true;
}

// `name: .branchtargets A, B;`  tok is behind .branchtargets.
static bool parse_targets(Parser *p, const Token *name) {
    TargetList list = {.sym = name->sym, .scope = p->scope, .line = name->line, .col = name->col};
    for (bool more = true; more;) {
        Token t = p->tok;
        if (t.kind != TOKEN_NAME)
            return lex_fail(p, &t, "expected a label, found %s", lex_describe(p, &t));
        *ARENA_PUSH(p->scratch, list.refs, list.nrefs, list.cap_refs) =
            (LabelRef){.sym = t.sym, .scope = p->scope, .line = t.line, .col = t.col};
        if (!lex_next(p) || !lex_accept(p, ',', &more)) return false;
    }
    *ARENA_PUSH(p->scratch, p->lists, p->nlists, p->cap_lists) = list;
    return lex_expect(p, ';', "after the branch targets");
}

static bool parse_label(Parser *p) {
    Token name = p->tok;
    if (!lex_next(p) || !lex_next(p)) return false;
    if (lex_is_word(&p->tok, TOKEN_DOT, "branchtargets"))
        return lex_next(p) && parse_targets(p, &name);
    // parse_calls.c finds the targets of an indirect call without these directives.
    if (lex_is_word(&p->tok, TOKEN_DOT, "callprototype") ||
        lex_is_word(&p->tok, TOKEN_DOT, "calltargets"))
        return skip_to_semicolon(p);
    return define_label(p, &name);
}

// ---- debug lines ----

static bool parse_loc_numbers(Parser *p, int64_t *file, int64_t *line) {
    int64_t col;
    return parse_int(p, file, 0, INT32_MAX, "a file number") &&
        parse_int(p, line, 0, INT32_MAX, "a line number") &&
        parse_int(p, &col, 0, INT32_MAX, "a column");
}

// .loc FILE LINE COL[, function_name NAME[+N], inlined_at FILE LINE COL]. Code inlined from another
// file counts for the line it was inlined at.
static bool parse_loc(Parser *p) {
    int64_t file, line;
    if (!lex_next(p) || !parse_loc_numbers(p, &file, &line)) return false;
    while (lex_is(p, ',')) {
        if (!lex_next(p)) return false;
        Token what = p->tok;
        if (!lex_next(p)) return false;
        if (lex_is_word(&what, TOKEN_NAME, "inlined_at")) {
            if (!parse_loc_numbers(p, &file, &line)) return false;
        } else if (lex_is_word(&what, TOKEN_NAME, "function_name")) {
            int64_t ignored;
            if (p->tok.kind != TOKEN_NAME)
                return lex_fail(p, &p->tok, "expected a name, found %s", lex_describe(p, &p->tok));
            if (!lex_next(p)) return false;
            if (lex_is(p, '+') && !parse_int(p, &ignored, 0, INT32_MAX, "an offset")) return false;
        } else {
            return lex_fail(p, &what, "expected function_name or inlined_at, found %s",
                            lex_describe(p, &what));
        }
    }
    if (p->src_file == 0) p->src_file = (int)file;
    if (file == p->src_file && line > 0) p->src_line = (int)line;
    return true;
}

// ---- performance directives ----

// The extents of a CTA, which has at most 1024 threads.
static bool parse_dim3(Parser *p, int *dims) {
    int64_t value, threads = 1;
    for (int i = 0; i < 3; i++) dims[i] = 1;
    bool more = true;
    for (int i = 0; i < 3 && more; i++) {
        Token t = p->tok;
        if (!parse_int(p, &value, 1, FUNC_MAX_THREADS, "a number of threads") ||
            !lex_accept(p, ',', &more))
            return false;
        dims[i] = (int)value;
        threads *= value;
        if (threads > FUNC_MAX_THREADS)
            return lex_fail(p, &t, "%" PRId64 " threads, but a CTA has at most %d", threads,
                            FUNC_MAX_THREADS);
    }
    return true;
}

static bool parse_count(Parser *p, int *count) {
    int64_t value;
    if (!parse_int(p, &value, 0, 1 << 20, "a count")) return false;
    *count = (int)value;
    return true;
}

static bool skip_pragma(Parser *p) {
    if (!lex_next(p)) return false;
    for (bool more = true; more;) {
        if (p->tok.kind != TOKEN_STRING)
            return lex_fail(p, &p->tok, "expected a string, found %s", lex_describe(p, &p->tok));
        if (!lex_next(p) || !lex_accept(p, ',', &more)) return false;
    }
    return lex_expect(p, ';', "after .pragma");
}

static bool parse_performance(Parser *p) {
    PtxFunc *f = p->f;
    int ignored, ignored3[3];
    while (p->tok.kind == TOKEN_DOT) {
        Token t = p->tok;
        if (lex_is_word(&t, TOKEN_DOT, "pragma")) {
            if (!skip_pragma(p)) return false;
            continue;
        }
        if (!f->is_entry && starts_directive(&t)) return true;  // a prototype without a semicolon
        if (!lex_next(p)) return false;
        bool ok = true;
        if (lex_is_word(&t, TOKEN_DOT, "maxntid")) ok = parse_dim3(p, f->maxntid);
        else if (lex_is_word(&t, TOKEN_DOT, "reqntid")) ok = parse_dim3(p, f->reqntid);
        else if (lex_is_word(&t, TOKEN_DOT, "minnctapersm")) ok = parse_count(p, &f->minnctapersm);
        else if (lex_is_word(&t, TOKEN_DOT, "maxnctapersm")) ok = parse_count(p, &ignored);
        else if (lex_is_word(&t, TOKEN_DOT, "maxnreg")) ok = parse_count(p, &f->maxnreg);
        else if (lex_is_word(&t, TOKEN_DOT, "noreturn")) continue;
        else if (lex_is_word(&t, TOKEN_DOT, "abi_preserve") ||
                 lex_is_word(&t, TOKEN_DOT, "abi_preserve_control"))
            ok = parse_count(p, &ignored);
        else if (lex_is_word(&t, TOKEN_DOT, "explicitcluster") ||
                 lex_is_word(&t, TOKEN_DOT, "blocksareclusters"))
            func_refuse(p, &t, "thread block clusters");
        else if (lex_is_word(&t, TOKEN_DOT, "reqnctapercluster")) {
            ok = parse_dim3(p, ignored3);
            func_refuse(p, &t, "thread block clusters");
        } else if (lex_is_word(&t, TOKEN_DOT, "maxclusterrank")) {
            ok = parse_count(p, &ignored);
        } else {
            return lex_fail(p, &t, "unknown directive %s before the body of a function",
                            lex_describe(p, &t));
        }
        if (!ok) return false;
    }
    return true;
}

// ---- body ----

static bool parse_body_directive(Parser *p) {
    static const char *const known[] = {"reg",    "local", "shared", "param",
                                        "pragma", "loc",   "global", "const"};
    Token t = p->tok;
    PtxVar v = {0};
    if (parse_space_word(&t, &v.space)) return lex_next(p) && parse_variable(p, &v);
    if (lex_is_word(&t, TOKEN_DOT, "reg")) return lex_next(p) && parse_registers(p);
    if (lex_is_word(&t, TOKEN_DOT, "loc")) return parse_loc(p);
    if (lex_is_word(&t, TOKEN_DOT, "pragma")) return skip_pragma(p);
    if (lex_is_word(&t, TOKEN_DOT, "extern")) {
        v.is_extern = true;
        if (!lex_next(p)) return false;
        if (!parse_space_word(&p->tok, &v.space))
            return lex_fail(p, &p->tok, "expected a state space, found %s",
                            lex_describe(p, &p->tok));
        return lex_next(p) && parse_variable(p, &v);
    }
    const char *near =
        name_suggest(p->syms[t.sym].name, known, (int)(sizeof known / sizeof *known));
    return lex_fail(p, &t, "unknown directive %s in a function%s%s%s", lex_describe(p, &t),
                    near ? "; did you mean '." : "", near ? near : "", near ? "'?" : "");
}

static bool parse_statement(Parser *p) {
    if (p->tok.kind == TOKEN_DOT) return parse_body_directive(p);
    if (p->tok.kind == TOKEN_NAME && lex_is_ahead(p, ':')) return parse_label(p);
    if (p->tok.kind == TOKEN_NAME || lex_is(p, '@')) return parse_instruction(p);
    if (lex_is(p, ';')) return lex_next(p);
    return lex_fail(p, &p->tok, "expected an instruction, a directive or '}', found %s",
                    lex_describe(p, &p->tok));
}

static bool parse_block(Parser *p) {
    Token open = p->tok;
    if (!lex_expect(p, '{', "before the body")) return false;
    for (int depth = 1; depth > 0;) {
        if (p->tok.kind == TOKEN_END)
            return lex_fail(p, &p->tok,
                            "the file ends inside the function '%s' that starts in line %d",
                            p->f->name, open.line);
        if (lex_is(p, '{')) {
            if (++depth > FUNC_SCOPE_DEPTH)
                return lex_fail(p, &p->tok, "braces are nested too deeply");
            scope_open(p);
            if (!lex_next(p)) return false;
        } else if (lex_is(p, '}')) {
            if (--depth > 0) scope_close(p);
            if (!lex_next(p)) return false;
        } else if (!parse_statement(p)) {
            return false;
        }
    }
    return true;
}

// Control never runs past the end: a body whose end is reachable gets the `ret` that PTX implies.
static void close_body(Parser *p) {
    PtxFunc *f = p->f;
    bool needed = f->ninsts == 0 || ptx_falls_through(&f->insts[f->ninsts - 1]);
    for (int i = 0; i < f->ninsts && !needed; i++) {
        const PtxInst *in = &f->insts[i];
        if (in->op == PTX_BRA) needed = f->labels[in->opnd[0].index].inst == f->ninsts;
        for (int t = 0; t < in->ntargets && !needed; t++)
            needed = f->labels[in->targets[t]].inst == f->ninsts;
    }
    if (!needed) return;
    *ARENA_PUSH(p->arena, f->insts, f->ninsts, f->cap_insts) = (PtxInst){.op = PTX_RET,
                                                                         .guard = -1,
                                                                         .vec = 1,
                                                                         .line = p->last_line,
                                                                         .col = p->last_col,
                                                                         .src_line = p->src_line};
}

static bool parse_body(Parser *p) {
    p->serial++;
    p->nscopes = p->nlabel_refs = p->nlabel_defs = p->nlists = 0;
    p->src_line = p->src_file = 0;
    scope_open(p);
    if (!decl_params(p) || !parse_block(p)) return false;
    scope_close(p);
    if (!resolve_labels(p)) return false;
    close_body(p);
    if (p->m->map_f64) demote_registers(p->f);
    return true;
}

// ---- header ----

static bool same_params(const PtxVar *a, int na, const PtxVar *b, int nb) {
    if (na != nb) return false;
    for (int i = 0; i < na; i++)
        if (a[i].bytes != b[i].bytes || a[i].is_reg != b[i].is_reg) return false;
    return true;
}

// Registers the function `head`, which must agree with an earlier declaration. Returns NULL on
// error.
static PtxFunc *enter_function(Parser *p, const Token *name, const PtxFunc *head, bool has_body) {
    PtxModule *m = p->m;
    Symbol *s = &p->syms[name->sym];
    if (s->module_var >= 0) {
        lex_fail(p, name, "%s is a variable already", lex_describe(p, name));
        return NULL;
    }
    if (s->func < 0) {
        *ARENA_PUSH(p->arena, m->funcs, m->nfuncs, m->cap_funcs) = *head;
        s->func = m->nfuncs - 1;
        m->funcs[s->func].is_prototype_only = true;
    }
    PtxFunc *f = &m->funcs[s->func];
    bool same = f->is_entry == head->is_entry &&
        same_params(f->params, f->nparams, head->params, head->nparams) &&
        same_params(f->rets, f->nrets, head->rets, head->nrets);
    if (!same) {
        lex_fail(p, name, "%s was declared with other parameters in line %d", lex_describe(p, name),
                 f->line);
        return NULL;
    }
    if (!has_body) return f;
    if (!f->is_prototype_only) {
        lex_fail(p, name, "%s is defined twice, first in line %d", lex_describe(p, name), f->line);
        return NULL;
    }
    bool visible = f->is_visible;
    *f = *head;
    f->is_visible |= visible;
    return f;
}

// ---- aliases ----

// `.alias f, g;`: f, which has a prototype only, is g.
bool parse_alias(Parser *p) {
    int func[2];
    Token name[2];
    for (int i = 0; i < 2; i++) {
        name[i] = p->tok;
        func[i] = name[i].kind == TOKEN_NAME ? p->syms[name[i].sym].func : -1;
        if (func[i] < 0 || p->m->funcs[func[i]].is_entry)
            return lex_fail(p, &name[i], "expected the name of a function, found %s",
                            lex_describe(p, &name[i]));
        if (!lex_next(p) || (i == 0 && !lex_expect(p, ',', "after the alias"))) return false;
    }
    *ARENA_PUSH(p->scratch, p->aliases, p->naliases, p->cap_aliases) =
        (Alias){name[0], func[0], func[1]};
    return lex_expect(p, ';', "after the alias");
}

bool alias_functions(Parser *p) {
    for (int i = 0; i < p->naliases; i++) {
        const Alias *a = &p->aliases[i];
        PtxFunc *f = &p->m->funcs[a->func];
        const PtxFunc *of = &p->m->funcs[a->of];
        if (!f->is_prototype_only)
            return lex_fail(p, &a->name, "%s has a body and cannot be an alias",
                            lex_describe(p, &a->name));
        if (of->is_prototype_only)
            return lex_fail(p, &a->name, "%s has no body to be an alias of", of->name);
        if (!same_params(f->params, f->nparams, of->params, of->nparams) ||
            !same_params(f->rets, f->nrets, of->rets, of->nrets))
            return lex_fail(p, &a->name, "%s has other parameters than %s", f->name, of->name);
        const char *name = f->name;
        *f = *of;
        f->name = name;
        // The function owns the parts that calls_resolve changes in place.
        f->labels = ARENA_ARRAY(p->arena, PtxLabel, of->nlabels + 1);
        for (int k = 0; k < of->nlabels; k++) f->labels[k] = of->labels[k];
    }
    return true;
}

// ---- functions ----

bool parse_function(Parser *p, bool is_entry, bool is_extern, bool is_visible, bool is_weak) {
    PtxFunc head = {.is_entry = is_entry,
                    .is_extern = is_extern,
                    .is_visible = is_visible,
                    .is_weak = is_weak,
                    .address_bits = p->m->address_bits};
    while (lex_is_word(&p->tok, TOKEN_DOT, "noreturn") ||
           lex_is_word(&p->tok, TOKEN_DOT, "attribute")) {
        if (lex_is_word(&p->tok, TOKEN_DOT, "attribute"))
            return lex_fail(p, &p->tok, "attributes of functions are not supported");
        if (!lex_next(p)) return false;
    }
    PtxFunc rets = {0};  // placed after the parameters, which are parsed later
    if (lex_is(p, '(')) {
        if (is_entry) return lex_fail(p, &p->tok, "a kernel cannot return values");
        if (!parse_param_list(p, &rets, true)) return false;
    }
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected the name of a function, found %s",
                        lex_describe(p, &name));
    head.name = p->syms[name.sym].name;
    head.line = name.line;
    head.col = name.col;
    if (!lex_next(p)) return false;
    if (lex_is(p, '(') && !parse_param_list(p, &head, false)) return false;
    head.rets = rets.rets;
    head.nrets = rets.nrets;
    head.cap_rets = rets.cap_rets;
    for (int i = 0; i < head.nrets; i++) {
        if (head.rets[i].is_reg) continue;
        int64_t align = head.rets[i].align;
        head.rets[i].offset = (head.param_bytes + align - 1) / align * align;
        head.param_bytes = head.rets[i].offset + head.rets[i].bytes;
    }
    p->f = &head;
    bool performance = parse_performance(p), found;
    p->f = NULL;
    if (!performance) return false;
    if (!lex_accept(p, ';', &found)) return false;
    // nvopencc writes prototypes without a semicolon.
    found |= !is_entry && (p->tok.kind == TOKEN_END || p->tok.kind == TOKEN_DOT);
    p->f = enter_function(p, &name, &head, !found);
    if (!p->f) return false;
    bool ok = found || parse_body(p);
    p->f = NULL;
    return ok;
}
