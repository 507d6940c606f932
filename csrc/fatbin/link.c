// SPDX-License-Identifier: Apache-2.0
// Splits units into their statements at module scope. It reads only the declared names; the PTX
// parser reads the result.
#include "fatbin/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum StatementKind { LINE, VARIABLE, FUNCTION, SECTION } StatementKind;

typedef struct Statement {
    StatementKind kind;
    const char *text, *end;
    const char *name;  // declared or defined, not terminated
    size_t name_len;
    int unit;
    bool is_extern, weak, visible, common;
    bool body;  // of a function
    bool drop;
} Statement;

typedef struct Linker {
    Arena *arena;
    const char *name;
    Statement *items;
    int n, cap;
    const char **renamed;  // per statement: its unit's own name for it, else NULL
    Diag *d;
} Linker;

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
        c == '$';
}

// Behind blanks and comments.
static const char *skip_blank(const char *p) {
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

// Behind the token or character at p, which is no blank: names with their dots and %, strings,
// single characters.
static const char *skip_token(const char *p) {
    if (*p == '"') {
        const char *end = strchr(p + 1, '"');
        return end ? end + 1 : p + strlen(p);
    }
    const char *begin = p;
    while (is_name(*p) || *p == '.' || *p == '%') p++;
    return p > begin ? p : p + (*p != '\0');
}

static bool token_is(const char *p, const char *end, const char *word) {
    return (size_t)(end - p) == strlen(word) && !strncmp(p, word, strlen(word));
}

// Behind the list in parentheses at p.
static const char *skip_list(const char *p) {
    int depth = 0;
    for (p = skip_blank(p); *p; p = skip_blank(skip_token(p))) {
        depth += *p == '(';
        depth -= *p == ')';
        if (!depth) return p + 1;
    }
    return p;
}

// ---- statements ----

// A variable's name is the last name before its size, its value or the end.
static void name_variable(Statement *s) {
    for (const char *p = skip_blank(s->text); p < s->end && !strchr("[=;", *p);) {
        const char *end = skip_token(p);
        if (*p != '.' && is_name(*p) && !(*p >= '0' && *p <= '9'))
            s->name = p, s->name_len = (size_t)(end - p);
        p = skip_blank(end);
        if (*p == '(') p = skip_blank(skip_list(p));  // .attribute(..)
    }
}

static void name_function(Statement *s) {
    const char *p = skip_blank(s->text), *end = skip_token(p);
    while (!token_is(p, end, ".func") && !token_is(p, end, ".entry"))
        p = skip_blank(end), end = skip_token(p);
    p = skip_blank(end);
    while (*p == '.') p = skip_blank(skip_token(p));
    if (*p == '(') p = skip_blank(skip_list(p));
    s->name = p;
    s->name_len = (size_t)(skip_token(p) - p);
}

static bool line_directive(const char *p, const char *end) {
    static const char *const words[] = {".version", ".target", ".address_size", ".file", ".loc"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(p, end, words[i])) return true;
    return false;
}

// Notes a word of the statement's beginning.
static void note_word(Statement *s, const char *p, const char *end) {
    if (token_is(p, end, ".func") || token_is(p, end, ".entry")) s->kind = FUNCTION;
    s->is_extern |= token_is(p, end, ".extern");
    s->weak |= token_is(p, end, ".weak");
    s->visible |= token_is(p, end, ".visible");
    s->common |= token_is(p, end, ".common");
}

// The statement at p, which is no blank. Behind it; NULL: it has no end.
static const char *scan_statement(const char *p, Statement *s) {
    const char *end = skip_token(p);
    s->text = p;
    if (line_directive(p, end)) {
        s->kind = LINE;
        return s->end = p + strcspn(p, "\n");
    }
    s->kind = token_is(p, end, ".section") ? SECTION : VARIABLE;
    for (int braces = 0, lists = 0; *p; p = skip_blank(skip_token(p))) {
        if (!braces && !lists) note_word(s, p, skip_token(p));
        lists += (*p == '(') - (*p == ')');
        braces += *p == '{';
        if (*p == '}' && --braces <= 0 && (s->kind == FUNCTION || s->kind == SECTION)) {
            s->body = true;
            return s->end = p + 1;
        }
        if (*p == ';' && !braces) return s->end = p + 1;
    }
    return NULL;
}

static bool take_apart(Linker *l, const LinkUnit *unit, int number) {
    for (const char *p = skip_blank(unit->text); *p;) {
        Statement s = {.unit = number};
        const char *next = scan_statement(p, &s);
        if (!next)
            return diag_fail(l->d, EXIT_USAGE,
                             "%s: unit %d is cut off in a statement that begins with '%.40s'",
                             l->name, number + 1, p);
        if (s.kind == VARIABLE) name_variable(&s);
        if (s.kind == FUNCTION) name_function(&s);
        *ARENA_PUSH(l->arena, l->items, l->n, l->cap) = s;
        p = skip_blank(next);
    }
    return true;
}

// ---- names ----

static bool same_name(const Statement *a, const Statement *b) {
    return a->name && b->name && a->name_len == b->name_len &&
        !strncmp(a->name, b->name, a->name_len);
}
static bool is_shared_name(const Statement *s) {
    return s->is_extern || s->weak || s->visible || s->common;
}
static bool is_definition(const Statement *s) {
    return s->kind == FUNCTION ? s->body : !s->is_extern;
}

// Keeps one of several repeatable definitions, and one of several declarations. It drops the
// declaration of a defined variable and keeps that of a function as a prototype.
static void choose_definitions(Linker *l) {
    for (int i = 0; i < l->n; i++) {
        Statement *s = &l->items[i];
        for (int k = 0; k < l->n && s->name; k++) {
            const Statement *o = &l->items[k];
            if (k == i || o->drop || !same_name(s, o)) continue;
            if (s->unit != o->unit && (!is_shared_name(s) || !is_shared_name(o))) continue;
            const bool earlier = k < i;
            if (is_definition(s)
                    ? is_definition(o) && earlier && (s->weak || s->common || o->weak)
                    : (is_definition(o) && s->kind == VARIABLE) || (!is_definition(o) && earlier))
                s->drop = true;
        }
    }
}

// A unit's own names that another unit has too.
static void rename_own(Linker *l) {
    l->renamed = ARENA_ARRAY(l->arena, const char *, l->n + 1);
    for (int i = 0; i < l->n; i++) {
        const Statement *s = &l->items[i];
        bool clash = false;
        for (int k = 0; k < l->n && s->name && !is_shared_name(s); k++)
            clash |= l->items[k].unit != s->unit && same_name(s, &l->items[k]);
        if (clash)
            l->renamed[i] =
                arena_printf(l->arena, "%.*s$unit%d", (int)s->name_len, s->name, s->unit + 1);
    }
}

static const char *new_name(const Linker *l, int unit, const char *p, size_t n) {
    for (int i = 0; i < l->n; i++)
        if (l->renamed[i] && l->items[i].unit == unit && l->items[i].name_len == n &&
            !strncmp(l->items[i].name, p, n))
            return l->renamed[i];
    return NULL;
}

// ---- the module ----

static void write_statement(const Linker *l, FILE *out, const Statement *s) {
    bool any = false, defined = false;
    for (int i = 0; i < l->n; i++) {
        any |= l->renamed[i] && l->items[i].unit == s->unit;
        const Statement *o = &l->items[i];
        defined |= s->kind == FUNCTION && !s->body && same_name(s, o) && o->body && !o->drop;
    }
    for (const char *p = s->text; p < s->end;) {
        const char *end = skip_token(p);
        const char *name = any && is_name(*p) ? new_name(l, s->unit, p, (size_t)(end - p)) : NULL;
        if (name) fputs(name, out);
        else if (!(defined && token_is(p, end, ".extern"))) fwrite(p, 1, (size_t)(end - p), out);
        p = end;
    }
    fputc('\n', out);
}

static void write_all(const Linker *l, FILE *out) {
    for (int i = 0; i < l->n; i++)
        if (l->items[i].kind == LINE && l->items[i].unit == 0)
            write_statement(l, out, &l->items[i]);
    for (int i = 0; i < l->n; i++)  // prototypes too: an initializer may hold a function's address
        if (!l->items[i].drop &&
            (l->items[i].kind == VARIABLE || (l->items[i].kind == FUNCTION && !l->items[i].body)))
            write_statement(l, out, &l->items[i]);
    for (int i = 0; i < l->n; i++) {
        const Statement *s = &l->items[i];
        if (!s->drop && s->kind == FUNCTION && s->body) write_statement(l, out, s);
    }
}

char *link_ptx(Arena *arena, const char *name, const LinkUnit *units, int n, size_t *len, Diag *d) {
    Linker l = {.arena = arena, .name = name, .d = d};
    for (int i = 0; i < n; i++)
        if (!take_apart(&l, &units[i], i)) return NULL;
    choose_definitions(&l);
    rename_own(&l);
    char *text;
    FILE *out = open_memstream(&text, len);
    panic_if(!out, "out of memory");
    write_all(&l, out);
    fclose(out);
    char *result = arena_strndup(arena, text, *len);
    free(text);
    return result;
}
