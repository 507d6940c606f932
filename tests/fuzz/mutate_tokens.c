// SPDX-License-Identifier: Apache-2.0
#include "mutate_tokens.h"

#include "base/diag.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef enum Class { SPACE, NAME, REGISTER, WORD, NUMBER, PUNCT, CLASSES } Class;

typedef struct Piece {
    Class class;
    const char *text;
    int len;
} Piece;

typedef struct Pieces {
    Arena *arena;
    uint64_t state;
    Piece *p;
    int n, cap;
    int first, last;  // changes fall between these
} Pieces;

// ---- sources ----

bool sources_add(PtxSources *s, Arena *arena, const char *path, Diag *d) {
    char *text;
    size_t len;
    if (!file_read(arena, path, &text, &len, d)) return false;
    *ARENA_PUSH(arena, s->text, s->ntext, s->cap_text) = text;
    return true;
}

bool sources_forms(PtxSources *s, Arena *arena, const char *around, const char *forms, Diag *d) {
    static const char mark[] = "INSTRUCTION";
    char *text, *lines;
    size_t len;
    if (!file_read(arena, around, &text, &len, d) || !file_read(arena, forms, &lines, &len, d))
        return false;
    char *hole = strstr(text, mark);
    // the last: comments name it, too
    for (char *next = hole; next; next = strstr(next + 1, mark)) hole = next;
    if (!hole) return diag_fail(d, EXIT_USAGE, "%s: no %s", around, mark);
    *hole = '\0';
    s->before = text;
    s->after = hole + strlen(mark);
    for (char *line = lines, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        if (strncmp(line, "ok ", 3) == 0)
            *ARENA_PUSH(arena, s->statement, s->nstatements, s->cap_statements) =
                line + strlen("refused ");
    }
    return true;
}

// ---- tokens ----

static uint64_t draw(Pieces *s) {
    s->state += 0x9e3779b97f4a7c15u;
    uint64_t z = s->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static int below(Pieces *s, int n) { return n > 0 ? (int)(draw(s) % (uint64_t)n) : 0; }

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == ':';
}

// Comments and strings are one piece, so that changes fall into the language itself.
static int piece_length(const char *s, Class *class) {
    int n = 1;
    *class = PUNCT;
    if (isspace((unsigned char)*s)) {
        while (isspace((unsigned char)s[n])) n++;
        *class = SPACE;
    } else if (s[0] == '/' && s[1] == '/') {
        n = (int)strcspn(s, "\n");
        *class = SPACE;
    } else if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        n = end ? (int)(end + 2 - s) : (int)strlen(s);
        *class = SPACE;
    } else if (*s == '"') {
        while (s[n] && s[n] != '"' && s[n] != '\n') n++;
        n += s[n] == '"';
        *class = SPACE;
    } else if (*s == '.' && is_name(s[1])) {
        while (is_name(s[n])) n++;
        *class = WORD;
    } else if (isdigit((unsigned char)*s)) {
        while (isalnum((unsigned char)s[n]) || (s[n] == '.' && isdigit((unsigned char)s[n + 1])))
            n++;
        *class = NUMBER;
    } else if (*s == '%' || *s == '_' || *s == '$' || isalpha((unsigned char)*s)) {
        while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '$') n++;
        *class = *s == '%' && n > 1 ? REGISTER : NAME;
    }
    return n;
}

static void split(Pieces *s, const char *text) {
    for (int n; *text; text += n) {
        Piece p = {.text = text};
        n = p.len = piece_length(text, &p.class);
        *ARENA_PUSH(s->arena, s->p, s->n, s->cap) = p;
    }
}

static char *join(const Pieces *s) {
    size_t size = 1, used = 0;
    for (int i = 0; i < s->n; i++) size += (size_t)s->p[i].len;
    char *text = arena_alloc(s->arena, size);
    for (int i = 0; i < s->n; i++) {
        memcpy(text + used, s->p[i].text, (size_t)s->p[i].len);
        used += (size_t)s->p[i].len;
    }
    text[used] = '\0';
    return text;
}

// ---- changes ----

// A piece that is no space, between first and last; -1 when there is none.
static int pick(Pieces *s) {
    for (int tries = 0; tries < 64; tries++) {
        const int i = s->first + below(s, s->last - s->first);
        if (i < s->n && s->p[i].class != SPACE) return i;
    }
    return -1;
}

static void erase(Pieces *s, int from, int to) {
    memmove(s->p + from, s->p + to, (size_t)(s->n - to) * sizeof *s->p);
    s->n -= to - from;
    s->last -= to - from;
}

static void insert(Pieces *s, int at, const Piece *what, int n) {
    Piece *copy = ARENA_ARRAY(s->arena, Piece, n + 1);
    memcpy(copy, what, (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) (void)ARENA_PUSH(s->arena, s->p, s->n, s->cap);
    memmove(s->p + at + n, s->p + at, (size_t)(s->n - n - at) * sizeof *s->p);
    memcpy(s->p + at, copy, (size_t)n * sizeof *copy);
    s->last += n;
}

static Piece word(const char *text, Class class) { return (Piece){class, text, (int)strlen(text)}; }

// One of the class from anywhere in the text, or from a list.
static Piece other(Pieces *s, Class class) {
    static const char *const words[] = {".u8",
                                        ".s8",
                                        ".b8",
                                        ".u16",
                                        ".s16",
                                        ".b16",
                                        ".u32",
                                        ".s32",
                                        ".b32",
                                        ".u64",
                                        ".s64",
                                        ".b64",
                                        ".b128",
                                        ".f16",
                                        ".f16x2",
                                        ".bf16",
                                        ".bf16x2",
                                        ".f32",
                                        ".f64",
                                        ".pred",
                                        ".v2",
                                        ".v4",
                                        ".global",
                                        ".shared",
                                        ".local",
                                        ".const",
                                        ".param",
                                        ".reg",
                                        ".lo",
                                        ".hi",
                                        ".wide",
                                        ".rn",
                                        ".rz",
                                        ".rzi",
                                        ".rni",
                                        ".ftz",
                                        ".sat",
                                        ".approx",
                                        ".cc",
                                        ".sync",
                                        ".x",
                                        ".y",
                                        ".w",
                                        ".volatile",
                                        ".relaxed",
                                        ".acquire",
                                        ".gpu",
                                        ".cta",
                                        ".uni",
                                        ".align",
                                        ".nc",
                                        ".ca",
                                        ".cg",
                                        ".add",
                                        ".min",
                                        ".and",
                                        ".or",
                                        ".exch",
                                        ".cas",
                                        ".eq",
                                        ".lt",
                                        ".gt",
                                        ".ltu",
                                        ".L2::cache_hint",
                                        ".L1::no_allocate",
                                        ".to",
                                        ".full",
                                        ".all",
                                        ".any",
                                        ".idx",
                                        ".bfly",
                                        ".1d",
                                        ".2d"};
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "7",
                                          "8",
                                          "15",
                                          "16",
                                          "31",
                                          "32",
                                          "33",
                                          "63",
                                          "64",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "0x7fffffff",
                                          "0x80000000",
                                          "0xffffffff",
                                          "0x100000000",
                                          "0x7fffffffffffffff",
                                          "0xffffffffffffffff",
                                          "0f3F800000",
                                          "0f7FC00000",
                                          "0d3FF0000000000000",
                                          "1.5",
                                          "-1"};
    static const char *const puncts[] = {",", ";", "[", "]", "{", "}", "(", ")",
                                         "|", "!", "@", "+", "-", ":", "<", ">"};
    static const char *const names[] = {"_",  "%tid.x", "%clock64", "%laneid", "WARP_SZ",
                                        "ff", "gv",     "sv",       "p0"};
#define ANY(list, class) word(list[below(s, (int)(sizeof list / sizeof *list))], class)
    for (int tries = 0; tries < 40 && below(s, 4); tries++) {
        const int i = below(s, s->n);
        if (s->p[i].class == class) return s->p[i];
    }
    switch (class) {
    case WORD: return ANY(words, WORD);
    case NUMBER: return ANY(numbers, NUMBER);
    case PUNCT: return ANY(puncts, PUNCT);
    default: return ANY(names, NAME);
    }
}

// From behind the `;` or brace before piece i to behind the next `;`.
static void statement_of(const Pieces *s, int i, int *from, int *to) {
    static const char ends[] = ";{}";
    for (*from = i; *from > s->first &&
         !(s->p[*from - 1].class == PUNCT && strchr(ends, *s->p[*from - 1].text));)
        --*from;
    for (*to = i; *to < s->last && !(s->p[*to].class == PUNCT && *s->p[*to].text == ';');) ++*to;
    if (*to < s->last) ++*to;
}

static void change_statement(Pieces *s, int i) {
    int from, to;
    statement_of(s, i, &from, &to);
    if (to <= from) return;
    Piece *copy = ARENA_ARRAY(s->arena, Piece, to - from);
    memcpy(copy, s->p + from, (size_t)(to - from) * sizeof *copy);
    const int n = to - from, what = below(s, 3);
    if (what) erase(s, from, to);  // gone, or elsewhere
    if (what == 1) return;
    const int j = pick(s);
    if (j < 0) return;
    statement_of(s, j, &from, &to);
    insert(s, from, copy, n);
}

static void change(Pieces *s) {
    static const char *const added[] = {"!",     "-",     "[0]",    "+4",  ".x",  "{",   "}",   "_",
                                        ", %r1", "@%p1 ", "@!%p2 ", ", 1", ".v2", ".v4", "|%p3"};
    const int i = pick(s), kind = below(s, 10);
    if (i < 0) return;
    const Class class = s->p[i].class;
    if (kind < 4) {
        s->p[i] = other(s, class);
    } else if (kind == 4) {
        erase(s, i, i + 1);
    } else if (kind == 5) {
        insert(s, i, &(Piece){class, s->p[i].text, s->p[i].len}, 1);
    } else if (kind == 6) {
        const int j = pick(s);
        if (j < 0) return;
        const Piece p = s->p[i];
        s->p[i] = s->p[j];
        s->p[j] = p;
    } else if (kind == 7) {
        const Piece p = other(s, (Class)(NAME + below(s, CLASSES - NAME)));
        insert(s, i, &p, 1);
    } else if (kind == 8) {
        const Piece p = word(added[below(s, (int)(sizeof added / sizeof *added))], PUNCT);
        insert(s, i + 1, &p, 1);
    } else {
        change_statement(s, i);
    }
}

char *mutate_tokens(const PtxSources *sources, Arena *arena, uint64_t seed) {
    Pieces s = {.arena = arena, .state = seed * 0x2545f4914f6cdd1du};
    if (sources->ntext && below(&s, 4) == 0) {
        split(&s, sources->text[below(&s, sources->ntext)]);
        s.last = s.n;
    } else {
        split(&s, sources->before);
        s.first = s.n;
        for (int i = 1 + below(&s, 4); i > 0; i--) {
            split(&s, "{ ");
            split(&s, sources->statement[below(&s, sources->nstatements)]);
            split(&s, " }\n");
        }
        s.last = s.n;
        split(&s, sources->after);
    }
    static const int changes[] = {0, 1, 1, 1, 2, 2, 3, 4};
    for (int i = changes[below(&s, 8)]; i > 0; i--) change(&s);
    return join(&s);
}
