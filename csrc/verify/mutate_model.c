// SPDX-License-Identifier: Apache-2.0
// Mutants of a golden model's C text, token by token: operators exchanged, constants one more or
// less, conditions negated, statements dropped. Only functions of the block's behavior are mutated;
// open and close serve the harness. A mutant that compiles to the same machine code is equivalent.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILE_SECONDS = 60 };

// ---- tokens -------------------------------------------------------------------------------------

typedef enum TokenKind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_PUNCT, TOKEN_TEXT } TokenKind;
typedef struct Token {
    TokenKind kind;
    size_t at, length;
} Token;
typedef struct Tokens {
    const char *source;
    Token *items;
    int n, cap;
} Tokens;

static bool is_token(const Tokens *t, int i, const char *text) {
    return i >= 0 && i < t->n && strlen(text) == t->items[i].length &&
        !memcmp(t->source + t->items[i].at, text, t->items[i].length);
}

static size_t punct_length(const char *p) {
    static const char *const longer[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (!strncmp(p, longer[i], strlen(longer[i]))) return strlen(longer[i]);
    return 1;
}

// Past a comment, a preprocessor line or blanks at *p; false: there is a token.
static bool skip_blank(const char *start, const char **p) {
    const char *s = *p;
    if (isspace((unsigned char)*s)) s++;
    else if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
    else if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        s = end ? end + 2 : s + strlen(s);
    } else if (*s == '#' && (s == start || s[-1] == '\n')) {
        while (*s && (*s != '\n' || s[-1] == '\\')) s++;
    } else return false;
    *p = s;
    return true;
}

static void tokenize_source(Arena *arena, const char *source, Tokens *t) {
    *t = (Tokens){.source = source};
    for (const char *p = source; *p;) {
        if (skip_blank(source, &p)) continue;
        Token token = {TOKEN_PUNCT, (size_t)(p - source), 1};
        if (isalpha((unsigned char)*p) || *p == '_') {
            token.kind = TOKEN_WORD;
            while (isalnum((unsigned char)p[token.length]) || p[token.length] == '_')
                token.length++;
        } else if (isdigit((unsigned char)*p)) {
            token.kind = TOKEN_NUMBER;
            while (isalnum((unsigned char)p[token.length]) || p[token.length] == '.')
                token.length++;
        } else if (*p == '"' || *p == '\'') {
            token.kind = TOKEN_TEXT;
            while (p[token.length] && p[token.length] != *p)
                token.length += p[token.length] == '\\' ? 2 : 1;
            token.length++;
        } else token.length = punct_length(p);
        *ARENA_PUSH(arena, t->items, t->n, t->cap) = token;
        p += token.length;
    }
}

// ---- places -------------------------------------------------------------------------------------

typedef struct Site {
    int function;
    size_t at, length;
    const char *text, *what;
} Site;
typedef struct Sites {
    Arena *arena;
    Tokens t;
    Site *items;
    int n, cap;
    int function;
} Sites;

static void add_site(Sites *s, size_t at, size_t length, const char *text, const char *what) {
    *ARENA_PUSH(s->arena, s->items, s->n, s->cap) = (Site){s->function, at, length, text, what};
}

static void replace_token(Sites *s, int i, const char *text) {
    const Token *k = &s->t.items[i];
    add_site(s, k->at, k->length, text,
             arena_printf(s->arena, "%.*s becomes %s", (int)k->length, s->t.source + k->at, text));
}

// Is the operator at token i between two operands (not a pointer, address or sign)?
static bool is_binary(const Tokens *t, int i) {
    if (i == 0 || i + 1 >= t->n) return false;
    const TokenKind before = t->items[i - 1].kind;
    if (is_token(t, i - 1, "return") || is_token(t, i - 1, "case") || is_token(t, i - 1, "sizeof"))
        return false;
    return before == TOKEN_WORD || before == TOKEN_NUMBER || is_token(t, i - 1, ")") ||
        is_token(t, i - 1, "]");
}

static const struct {
    const char *from, *to[2];
    bool needs_binary;
} exchanges[] = {{"<", {"<=", ">="}, false}, {"<=", {"<", ">"}, false}, {">", {">=", "<="}, false},
                 {">=", {">", "<"}, false},  {"==", {"!="}, false},     {"!=", {"=="}, false},
                 {"&&", {"||"}, false},      {"||", {"&&"}, false},     {"+", {"-"}, true},
                 {"-", {"+"}, true},         {"*", {"+"}, true},        {"/", {"*"}, true},
                 {"%", {"/"}, true},         {"&", {"|"}, true},        {"|", {"&"}, true},
                 {"^", {"|"}, true},         {"<<", {">>"}, false},     {">>", {"<<"}, false},
                 {"++", {"--"}, false},      {"--", {"++"}, false},     {"+=", {"-="}, false},
                 {"-=", {"+="}, false},      {"|=", {"&="}, false},     {"&=", {"|="}, false},
                 {"^=", {"|="}, false},      {"<<=", {">>="}, false},   {">>=", {"<<="}, false},
                 {"~", {""}, false},         {"!", {""}, false},        {"true", {"false"}, false},
                 {"false", {"true"}, false}};

static void add_operators(Sites *s, int i) {
    for (size_t k = 0; k < sizeof exchanges / sizeof *exchanges; k++) {
        if (!is_token(&s->t, i, exchanges[k].from)) continue;
        if (exchanges[k].needs_binary && !is_binary(&s->t, i)) return;
        for (int v = 0; v < 2 && exchanges[k].to[v]; v++) replace_token(s, i, exchanges[k].to[v]);
        return;
    }
}

static void add_constants(Sites *s, int i) {
    const Token *k = &s->t.items[i];
    char text[64], *end;
    if (k->kind != TOKEN_NUMBER || k->length >= sizeof text) return;
    memcpy(text, s->t.source + k->at, k->length);
    text[k->length] = '\0';
    const unsigned long long v = strtoull(text, &end, 0);
    if (*end && strspn(end, "uUlL") != strlen(end)) return;
    replace_token(s, i, arena_printf(s->arena, "%llu%s", v + 1, end));
    if (v) replace_token(s, i, arena_printf(s->arena, "%llu%s", v - 1, end));
}

static int closing_paren(const Tokens *t, int open) {
    int depth = 0;
    for (int i = open; i < t->n; i++) {
        depth += is_token(t, i, "(") - is_token(t, i, ")");
        if (depth == 0) return i;
    }
    return t->n - 1;
}

// if (C) -> if (!(C))
static void add_conditions(Sites *s, int i) {
    if (!is_token(&s->t, i, "if") || !is_token(&s->t, i + 1, "(")) return;
    const int close = closing_paren(&s->t, i + 1);
    const size_t at = s->t.items[i + 1].at, end = s->t.items[close].at + 1;
    const char *text = arena_printf(s->arena, "(!%.*s)", (int)(end - at), s->t.source + at);
    add_site(s, at, end - at, text, "condition negated");
}

// A statement that begins at token i and is an expression, a jump or a call.
static void add_statements(Sites *s, int i) {
    const Tokens *t = &s->t;
    if (!is_token(t, i - 1, ";") && !is_token(t, i - 1, "{") && !is_token(t, i - 1, "}") &&
        !is_token(t, i - 1, ")") && !is_token(t, i - 1, "else"))
        return;
    static const char *const not_dropped[] = {
        "if",     "for",    "while", "do",   "switch",   "case",     "default", "else", "const",
        "static", "struct", "int",   "bool", "uint32_t", "uint64_t", "return",  "void"};
    if (t->items[i].kind != TOKEN_WORD && !is_token(t, i, "*") && !is_token(t, i, "(") &&
        !is_token(t, i, "++") && !is_token(t, i, "--"))
        return;
    for (size_t k = 0; k < sizeof not_dropped / sizeof *not_dropped; k++)
        if (is_token(t, i, not_dropped[k])) return;
    if (t->items[i].kind == TOKEN_WORD &&
        (t->items[i + 1].kind == TOKEN_WORD ||
         (is_token(t, i + 1, "*") && isupper((unsigned char)s->t.source[t->items[i].at]))))
        return;  // a declaration
    int depth = 0, end = i;
    for (; end < t->n && !(depth == 0 && is_token(t, end, ";")); end++) {
        depth += is_token(t, end, "(") + is_token(t, end, "{") + is_token(t, end, "[") -
            is_token(t, end, ")") - is_token(t, end, "}") - is_token(t, end, "]");
        if (depth < 0) return;  // the third part of a for, an expression in parentheses
    }
    if (end >= t->n) return;
    const size_t at = t->items[i].at, length = t->items[end].at - at;
    add_site(
        s, at, length, "",
        arena_printf(s->arena, "dropped: %.*s", (int)(length < 50 ? length : 50), t->source + at));
}

static bool ends_in(const Tokens *t, int i, const char *tail) {
    const size_t n = strlen(tail);
    return t->items[i].length >= n &&
        !memcmp(t->source + t->items[i].at + t->items[i].length - n, tail, n);
}

// The name of the function whose body opens at token i, -1: this brace opens something else.
static int function_of(const Tokens *t, int i) {
    if (!is_token(t, i - 1, ")")) return -1;
    int depth = 0;
    for (int k = i - 1; k > 0; k--) {
        depth += is_token(t, k, ")") - is_token(t, k, "(");
        if (depth == 0) return k - 1;
    }
    return -1;
}

static void find_sites(Sites *s) {
    int depth = 0;
    bool wanted = false;
    for (int i = 1; i < s->t.n; i++) {
        if (is_token(&s->t, i, "{") && depth++ == 0) {
            const int name = function_of(&s->t, i);
            wanted = name >= 0 && !ends_in(&s->t, name, "_open") && !ends_in(&s->t, name, "_close");
            s->function = name;
            continue;
        }
        if (is_token(&s->t, i, "}") && --depth == 0) wanted = false;
        if (!wanted) continue;
        add_operators(s, i);
        add_constants(s, i);
        add_conditions(s, i);
        add_statements(s, i);
    }
}

// ---- choice -------------------------------------------------------------------------------------

static int line_of(const char *source, size_t at) {
    int line = 1;
    for (size_t i = 0; i < at; i++) line += source[i] == '\n';
    return line;
}

static void add_mutant(Campaign *c, const Site *s) {
    Mutant *m = ARENA_PUSH(c->arena, c->r->mutants, c->r->n, c->cap);
    *m = (Mutant){
        .side = MUTANT_MODEL, .at = s->at, .length = s->length, .text = s->text, .what = s->what};
    m->where = arena_printf(c->arena, "%s.c:%d", c->o->desc->name, line_of(c->source, s->at));
    m->id = arena_printf(c->arena, "model %zu+%zu %s", s->at, s->length, s->text);
    m->number = c->r->n;
}

// Functions take turns; within one the choice is random.
static void choose_sites(Campaign *c, Sites *s) {
    StimRandom random = {c->o->seed * 0x9e3779b97f4a7c15ull + 0x7654321};
    int left = c->o->model_mutants;
    for (int first = 0, last; first < s->n; first = last) {  // shuffled within each function
        for (last = first; last < s->n && s->items[last].function == s->items[first].function;)
            last++;
        for (int i = last - 1; i > first; i--) {
            const int k = first + (int)stim_below(&random, (uint32_t)(i - first + 1));
            const Site swap = s->items[i];
            s->items[i] = s->items[k], s->items[k] = swap;
        }
    }
    for (int round = 0, any = 1; any && left > 0; round++) {
        any = 0;
        for (int first = 0, last; first < s->n && left > 0; first = last) {
            for (last = first; last < s->n && s->items[last].function == s->items[first].function;)
                last++;
            if (first + round >= last) continue;
            add_mutant(c, &s->items[first + round]);
            any = 1;
            left--;
        }
    }
}

// ---- compiling (in a child) ---------------------------------------------------------------------

static bool write_source(const Campaign *c, const Mutant *m, const char *path) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const size_t at = m ? m->at : 0, length = m ? m->length : 0;
    fwrite(c->source, 1, at, f);
    if (m) fputs(m->text, f);
    fwrite(c->source + at + length, 1, c->source_length - at - length, f);
    const bool bad = ferror(f) != 0;
    return fclose(f) == 0 && !bad;
}

// Compiles to `object`. guarded: undefined behavior ends the process, an index beyond an array at
// the end of a struct too. Exit status of the compiler.
static int compile_mutant(const Campaign *c, Arena *arena, const Mutant *m, bool guarded,
                          const char *dir, const char *object) {
    const char *source = arena_printf(arena, "%s/%s.c", dir, c->o->desc->name);
    const char *argv[] = {"cc",
                          "-std=gnu11",
                          "-O2",
                          "-fPIC",
                          "-w",
                          "-ffp-contract=off",
                          "-D_GNU_SOURCE",
                          "-I",
                          c->o->data_dir,
                          "-c",
                          source,
                          "-o",
                          object,
                          guarded ? "-fsanitize=undefined" : NULL,
                          "-fsanitize=bounds-strict",
                          "-fsanitize-undefined-trap-on-error",
                          "-U_FORTIFY_SOURCE",
                          "-D_FORTIFY_SOURCE=2",
                          NULL};
    return write_source(c, m, source)
        ? tool_run(argv, arena_printf(arena, "%s/cc.log", dir), COMPILE_SECONDS)
        : TOOL_MISSING;
}

static bool same_file(Arena *arena, const char *a, const char *b) {
    char *x, *y;
    size_t nx, ny;
    Diag ignored = {0};
    return file_read(arena, a, &x, &nx, &ignored) && file_read(arena, b, &y, &ny, &ignored) &&
        nx == ny && !memcmp(x, y, nx);
}

const BlockModel *mutate_model_load(const Campaign *c, const Mutant *m, bool guarded,
                                    const char *dir, MutantVerdict *verdict) {
    Arena *arena = c->arena;  // the child's copy; gone when it ends
    const char *bad = arena_printf(arena, "%s/mutant.o", dir);
    const char *library = arena_printf(arena, "%s/mutant-%d.so", dir, m->number);
    *verdict = MUTANT_GAP;
    const int status = compile_mutant(c, arena, m, guarded, dir, bad);
    if (status == TOOL_TIMEOUT || status == TOOL_STOPPED) return NULL;  // no statement
    if (status != 0) return *verdict = MUTANT_INVALID, NULL;
    if (same_file(arena, c->object, bad)) return *verdict = MUTANT_EQUIVALENT, NULL;
    const char *argv[] = {"cc", "-shared", "-Wl,-Bsymbolic", "-o", library, bad, NULL};
    if (tool_run(argv, NULL, COMPILE_SECONDS) != 0) return NULL;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    remove(library);
    if (!handle) return NULL;
    return dlsym(handle, arena_printf(arena, "%s_model", c->o->desc->name));
}

bool mutate_model_prepare(Campaign *c, Diag *d) {
    const char *path = arena_printf(c->arena, "%s/models/%s/%s.c", c->o->data_dir,
                                    c->o->desc->family, c->o->desc->name);
    if (!file_read(c->arena, path, &c->source, &c->source_length, d)) return false;
    c->object = arena_printf(c->arena, "%s/good.o", c->dir);
    const int status = compile_mutant(c, c->arena, NULL, false, c->dir, c->object);
    if (status && !tool_ended(status, c->o->desc->name, "cc", "gcc", COMPILE_SECONDS, d))
        return false;
    if (status != 0)
        return diag_fail(
            d, EXIT_ENVIRONMENT, "%s: cc fails, %s", path,
            tool_last_words(c->arena, status, arena_printf(c->arena, "%s/cc.log", c->dir), 10));
    Sites s = {.arena = c->arena, .function = -1};
    tokenize_source(c->arena, c->source, &s.t);
    find_sites(&s);
    choose_sites(c, &s);
    return true;
}
