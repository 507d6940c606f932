// SPDX-License-Identifier: Apache-2.0
// Modules: directives outside functions, and the way from a file to a checked module.
#include "ptx/front.h"

#include <string.h>

// ---- .version, .target, .address_size ----

static bool parse_version(Parser *p) {
    Token t = p->tok;
    // "7.8" is read as a decimal fraction; the source text has the two numbers.
    if (t.kind != TOKEN_F64 ||
        sscanf(t.text, "%d.%d", &p->m->version_major, &p->m->version_minor) != 2)
        return lex_fail(p, &t, "expected a version such as 9.0, found %s", lex_describe(p, &t));
    return lex_next(p);
}

static bool parse_target(Parser *p) {
    Token map = {0};
    for (bool more = true; more;) {
        Token t = p->tok;
        if (t.kind != TOKEN_NAME)
            return lex_fail(p, &t, "expected a target such as sm_75, found %s",
                            lex_describe(p, &t));
        if (t.len > 3 && memcmp(t.text, "sm_", 3) == 0) {
            p->m->target = p->syms[t.sym].name;
            p->m->sm_1x = t.len == 5 && t.text[3] == '1';
        } else if (lex_is_word(&t, TOKEN_NAME, "map_f64_to_f32")) map = t;
        if (!lex_next(p) || !lex_accept(p, ',', &more)) return false;
    }
    if (!map.text) return true;
    if (p->m->target && !strcmp(p->m->target, "sm_13"))
        return lex_fail(p, &map, "sm_13 has .f64 instructions and does not take map_f64_to_f32");
    if (p->m->nfuncs || p->m->nvars)
        return lex_fail(p, &map, "map_f64_to_f32 cannot begin behind functions or variables");
    p->m->map_f64 = true;
    return true;
}

static bool parse_address_size(Parser *p) {
    Token t = p->tok;
    int64_t bits;
    if (!parse_int(p, &bits, 0, 128, "an address size")) return false;
    if (bits != 64 && bits != 32)
        return lex_fail(p, &t, "an address has 32 or 64 bits, found %lld", (long long)bits);
    if (p->m->nfuncs || p->m->nvars)
        return lex_fail(p, &t, ".address_size precedes functions and variables");
    p->m->address_bits = (int)bits;
    return true;
}

// ---- debug data ----

// `.file N "name"[, time, size]`
static bool parse_file(Parser *p) {
    int64_t number;
    if (!parse_int(p, &number, 0, INT32_MAX, "a file number")) return false;
    if (p->tok.kind != TOKEN_STRING)
        return lex_fail(p, &p->tok, "expected a file name, found %s", lex_describe(p, &p->tok));
    if (!p->m->source) p->m->source = arena_strndup(p->arena, p->tok.text, (size_t)p->tok.len);
    if (!lex_next(p)) return false;
    while (lex_is(p, ','))
        if (!lex_next(p) || !parse_int(p, &number, 0, INT64_MAX, "a number")) return false;
    return true;
}

// `.section .name { ... }`: DWARF data, of no use here.
static bool skip_section(Parser *p) {
    Token at = p->tok;
    while (!lex_is(p, '{')) {
        if (p->tok.kind != TOKEN_DOT && p->tok.kind != TOKEN_NAME && !lex_is(p, ','))
            return lex_fail(p, &p->tok, "expected the name of a section, found %s",
                            lex_describe(p, &p->tok));
        if (!lex_next(p)) return false;
    }
    while (!lex_is(p, '}')) {
        if (p->tok.kind == TOKEN_END) return lex_fail(p, &at, "this section has no end");
        if (!lex_next(p)) return false;
    }
    return lex_next(p);
}

// @@DWARF data of old compilers: the rest of the line.
static bool skip_line(Parser *p) {
    int line = p->tok.line;
    while (p->tok.kind != TOKEN_END && p->tok.line == line)
        if (!lex_next(p)) return false;
    return true;
}

// ---- directives ----

static bool parse_linked(Parser *p) {
    PtxVar v = {0};
    for (;;) {
        Token t = p->tok;
        if (lex_is_word(&t, TOKEN_DOT, "extern")) v.is_extern = true;
        else if (lex_is_word(&t, TOKEN_DOT, "visible")) v.is_visible = true;
        else if (lex_is_word(&t, TOKEN_DOT, "weak")) v.is_weak = v.is_visible = true;
        else if (lex_is_word(&t, TOKEN_DOT, "common")) v.is_weak = v.is_visible = true;
        else break;
        if (!lex_next(p)) return false;
    }
    bool is_entry = lex_is_word(&p->tok, TOKEN_DOT, "entry");
    if (is_entry || lex_is_word(&p->tok, TOKEN_DOT, "func"))
        return lex_next(p) && parse_function(p, is_entry, v.is_extern, v.is_visible, v.is_weak);
    if (parse_space_word(&p->tok, &v.space)) return lex_next(p) && parse_variable(p, &v);
    return lex_fail(p, &p->tok, "expected .entry, .func or a state space, found %s",
                    lex_describe(p, &p->tok));
}

bool starts_directive(const Token *t) {
    static const char *const words[] = {"version", "target", "address_size", "file",   "section",
                                        "DWARF",   "entry",  "func",         "extern", "visible",
                                        "weak",    "common", "alias",        "tex"};
    PtxSpace space;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (lex_is_word(t, TOKEN_DOT, words[i])) return true;
    return parse_space_word(t, &space);
}

static bool unknown_directive(Parser *p) {
    static const char *const known[] = {
        "version", "target", "address_size", "entry",  "func", "visible", "extern", "weak",
        "common",  "global", "const",        "shared", "file", "section", "pragma", "alias"};
    Token t = p->tok;
    if (t.kind != TOKEN_DOT)
        return lex_fail(p, &t, "expected a directive such as .entry, found %s",
                        lex_describe(p, &t));
    if (lex_is_word(&t, TOKEN_DOT, "reg"))
        return lex_fail(
            p, &t, "registers outside functions are not supported; declare them in each function");
    const char *near =
        name_suggest(p->syms[t.sym].name, known, (int)(sizeof known / sizeof *known));
    return lex_fail(p, &t, "unknown directive %s%s%s%s", lex_describe(p, &t),
                    near ? "; did you mean '." : "", near ? near : "", near ? "'?" : "");
}

static bool parse_directive(Parser *p) {
    Token t = p->tok;
    PtxSpace space;
    if (lex_is(p, ';')) return lex_next(p);
    if (lex_is_word(&t, TOKEN_DOT, "version"))
        return lex_fail(p, &t, "a second .version; one file is one module");
    if (lex_is_word(&t, TOKEN_DOT, "target")) return lex_next(p) && parse_target(p);
    if (lex_is_word(&t, TOKEN_DOT, "address_size")) return lex_next(p) && parse_address_size(p);
    if (lex_is_word(&t, TOKEN_DOT, "file")) return lex_next(p) && parse_file(p);
    if (lex_is_word(&t, TOKEN_DOT, "section")) return lex_next(p) && skip_section(p);
    if (lex_is_word(&t, TOKEN_DOT, "pragma")) return skip_to_semicolon(p);
    if (lex_is_word(&t, TOKEN_DOT, "DWARF")) return skip_line(p);
    if (lex_is_word(&t, TOKEN_DOT, "alias")) return lex_next(p) && parse_alias(p);
    if (lex_is_word(&t, TOKEN_DOT, "tex")) return parse_old_texture(p);
    if (parse_space_word(&t, &space) || lex_is_word(&t, TOKEN_DOT, "entry") ||
        lex_is_word(&t, TOKEN_DOT, "func") || lex_is_word(&t, TOKEN_DOT, "extern") ||
        lex_is_word(&t, TOKEN_DOT, "visible") || lex_is_word(&t, TOKEN_DOT, "weak") ||
        lex_is_word(&t, TOKEN_DOT, "common"))
        return parse_linked(p);
    return unknown_directive(p);
}

static bool parse_module(Parser *p) {
    if (!lex_open(p)) return false;
    if (!lex_is_word(&p->tok, TOKEN_DOT, "version"))
        return lex_fail(p, &p->tok, "PTX starts with .version, found %s", lex_describe(p, &p->tok));
    if (!lex_next(p) || !parse_version(p)) return false;
    while (p->tok.kind != TOKEN_END)
        if (!parse_directive(p)) return false;
    if (!p->m->target) return lex_fail(p, &p->tok, "there is no .target in this file");
    return true;
}

PtxModule *ptx_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d) {
    Arena scratch = {0};
    PtxModule *m = ARENA_NEW(arena, PtxModule);
    m->arena = arena;
    m->src = (SourceText){path, text, len};
    m->address_bits = 32;
    Parser p = {.arena = arena, .scratch = &scratch, .d = d, .m = m};
    bool ok = parse_module(&p);
    ok = ok && alias_functions(&p);
    if (ok) calls_resolve(&p);
    arena_free(&scratch);
    return ok ? m : NULL;
}

PtxModule *ptx_load(Arena *arena, const char *path, Diag *d) {
    char *text;
    size_t len;
    if (!file_read(arena, path, &text, &len, d)) return NULL;
    return ptx_parse(arena, arena_strndup(arena, path, strlen(path)), text, len, d);
}

// ---- entries ----

bool ptx_is_runtime_function(const char *name) {
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool no_such_entry(const PtxModule *m, const char *name, Diag *d) {
    char list[2048] = "";
    const char **names = ARENA_ARRAY(m->arena, const char *, m->nfuncs + 1);
    int n = 0;
    size_t used = 0;
    for (int i = 0; i < m->nfuncs; i++) {
        if (!m->funcs[i].is_entry || m->funcs[i].is_prototype_only) continue;
        names[n++] = m->funcs[i].name;
        if (used + strlen(m->funcs[i].name) + 8 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n > 1 ? ", " : "",
                                     names[n - 1]);
        else if (used + 8 < sizeof list && strcmp(list + used - 3, "...") != 0)
            used += (size_t)snprintf(list + used, sizeof list - used, ", ...");
    }
    const char *near = name_suggest(name, names, n);
    // C++ names are mangled: `control` is meant to be _Z7controlPi.
    for (int i = 0; i < n && !near && *name; i++)
        if (strstr(names[i], name)) near = names[i];
    if (n == 0)
        return diag_fail(d, EXIT_USAGE, "%s: there is no entry '%s', nor any other", m->src.path,
                         name);
    return diag_fail(d, EXIT_USAGE, "%s: there is no entry '%s'%s%s%s; the file has: %s",
                     m->src.path, name, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "", list);
}

const PtxFunc *ptx_entry(const PtxModule *m, const char *name, Diag *d) {
    for (int i = 0; i < m->nfuncs; i++) {
        const PtxFunc *f = &m->funcs[i];
        if (f->is_entry && !f->is_prototype_only && strcmp(f->name, name) == 0)
            return check_reachable(m, f, d) ? f : NULL;
    }
    const PtxFunc *meant = NULL;
    for (int i = 0; i < m->nfuncs; i++) {
        const PtxFunc *f = &m->funcs[i];
        if (!f->is_entry || f->is_prototype_only || !ptx_name_is(f->name, name)) continue;
        if (meant) {
            diag_fail(d, EXIT_USAGE, "%s: '%s' can be %s or %s: expected one of them", m->src.path,
                      name, meant->name, f->name);
            return NULL;
        }
        meant = f;
    }
    if (meant) return check_reachable(m, meant, d) ? meant : NULL;
    no_such_entry(m, name, d);
    return NULL;
}
