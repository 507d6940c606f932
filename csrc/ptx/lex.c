// SPDX-License-Identifier: Apache-2.0
// Text -> tokens, one token of lookahead. Interned names carry their meaning as opcode, modifier or
// special register. Text that is not PTX is refused with its position.
#include "ptx/front.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LEX_FIRST_BUCKETS = 1 << 12 };

static uint32_t hash_of(const char *s, int len) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < len; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void buckets_grow(Parser *p) {
    int n = p->nbuckets ? p->nbuckets * 4 : LEX_FIRST_BUCKETS;
    p->buckets = ARENA_ARRAY(p->scratch, int, n);
    p->nbuckets = n;
    memset(p->buckets, -1, sizeof(int) * (size_t)n);
    for (int i = 0; i < p->nsyms; i++) {
        uint32_t b = p->syms[i].hash & (uint32_t)(n - 1);
        while (p->buckets[b] >= 0) b = (b + 1) & (uint32_t)(n - 1);
        p->buckets[b] = i;
    }
}

int lex_intern(Parser *p, const char *name, int len) {
    if (p->nsyms * 2 >= p->nbuckets) buckets_grow(p);
    uint32_t h = hash_of(name, len);
    uint32_t mask = (uint32_t)(p->nbuckets - 1);
    uint32_t b = h & mask;
    for (; p->buckets[b] >= 0; b = (b + 1) & mask) {
        const Symbol *s = &p->syms[p->buckets[b]];
        if (s->hash == h && s->len == len && memcmp(s->name, name, (size_t)len) == 0)
            return p->buckets[b];
    }
    p->buckets[b] = p->nsyms;
    Symbol *s = ARENA_PUSH(p->scratch, p->syms, p->nsyms, p->cap_syms);
    *s = (Symbol){.name = arena_strndup(p->arena, name, (size_t)len),
                  .len = len,
                  .hash = h,
                  .op = -1,
                  .mod = -1,
                  .sreg = -1,
                  .module_var = -1,
                  .func = -1};
    return p->nsyms - 1;
}

static Symbol *seed_name(Parser *p, const char *name) {
    int sym = lex_intern(p, name, (int)strlen(name));
    return &p->syms[sym];
}

static void seed_symbols(Parser *p) {
    for (int i = 0; i < PTX_UNSUPPORTED; i++) seed_name(p, ptx_op_name((PtxOp)i))->op = i;
    for (int i = 0; i < refused_count; i++)
        seed_name(p, refused_table[i].name)->op = REFUSED_OP + i;
    for (int i = mod_count - 1; i >= 0; i--) seed_name(p, mod_table[i].text)->mod = i;
    for (int i = 0; i < PTX_SREG_COUNT; i++) seed_name(p, ptx_sreg_name((PtxSreg)i))->sreg = i;
}

bool lex_fail(Parser *p, const Token *t, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return diag_fail_at(p->d, &p->m->src, t->line, t->col, "%s", text);
}

// ---- characters ----

static bool is_name_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

// White space, comments and preprocessor-style line marks. False: comment without end.
static bool skip_space(Parser *p, bool *skipped) {
    *skipped = false;
    for (; p->at < p->end; *skipped = true) {
        char c = *p->at;
        if (c == '\n') {
            p->at++;
            p->line++;
            p->line_start = p->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            p->at++;
        } else if (c == '/' && p->end - p->at > 1 && p->at[1] == '/') {
            const char *eol = memchr(p->at, '\n', (size_t)(p->end - p->at));
            p->at = eol ? eol : p->end;
        } else if (c == '/' && p->end - p->at > 1 && p->at[1] == '*') {
            Token t = {.line = p->line, .col = (int)(p->at - p->line_start) + 1};
            for (p->at += 2; p->end - p->at > 1 && !(p->at[0] == '*' && p->at[1] == '/'); p->at++)
                if (*p->at == '\n') {
                    p->line++;
                    p->line_start = p->at + 1;
                }
            if (p->end - p->at < 2) return lex_fail(p, &t, "this comment has no end");
            p->at += 2;
        } else {
            break;
        }
    }
    return true;
}

// ---- numbers ----

static bool lex_hex_float(Parser *p, Token *t, int digits) {
    const char *s = p->at + 2;
    uint64_t bits = 0;
    int n = 0;
    for (; s < p->end && isxdigit((unsigned char)*s); s++, n++)
        bits = bits << 4 | (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : (*s | 32) - 'a' + 10);
    if (n != digits)
        return lex_fail(p, t, "0%c needs %d hexadecimal digits, found %d", p->at[1], digits, n);
    t->kind = digits == 8 ? TOKEN_F32 : TOKEN_F64;
    t->bits = bits;
    p->at = s;
    return true;
}

static bool lex_decimal_float(Parser *p, Token *t) {
    char text[64];
    size_t n = 0;
    const char *s = p->at;
    while (s < p->end && n < sizeof text - 1 &&
           (isalnum((unsigned char)*s) || *s == '.' ||
            ((*s == '+' || *s == '-') && (s[-1] | 32) == 'e')))
        text[n++] = *s++;
    text[n] = '\0';
    char *stop;
    double value = strtod(text, &stop);
    if (*stop) return lex_fail(p, t, "'%s' is not a number", text);
    t->kind = TOKEN_F64;
    memcpy(&t->bits, &value, sizeof value);
    p->at = s;
    return true;
}

static bool lex_integer(Parser *p, Token *t) {
    const char *s = p->at;
    int base = 10;
    if (*s == '0' && p->end - s > 1) {
        char c = (char)(s[1] | 32);
        if (c == 'x' || c == 'b') {
            base = c == 'x' ? 16 : 2;
            s += 2;
        } else if (isdigit((unsigned char)s[1])) {
            base = 8;
        }
    }
    const char *first = s;
    uint64_t value = 0;
    bool overflow = false;
    for (; s < p->end && isxdigit((unsigned char)*s); s++) {
        int digit = isdigit((unsigned char)*s) ? *s - '0' : (*s | 32) - 'a' + 10;
        if (digit >= base) break;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    bool digits = s > first;
    t->is_unsigned = value > INT64_MAX;
    if (s < p->end && (*s == 'U' || *s == 'u')) {
        t->is_unsigned = true;
        s++;
    }
    if (!digits || (s < p->end && is_name(*s))) {
        while (s < p->end && is_name(*s)) s++;
        return lex_fail(p, t, "'%.*s' is not a number", (int)(s - p->at > 80 ? 80 : s - p->at),
                        p->at);
    }
    if (overflow) return lex_fail(p, t, "this number does not fit 64 bits");
    t->kind = TOKEN_INT;
    t->bits = value;
    p->at = s;
    return true;
}

static bool lex_number(Parser *p, Token *t) {
    const char *s = p->at;
    if (*s == '0' && p->end - s > 1 && (s[1] == 'f' || s[1] == 'F')) return lex_hex_float(p, t, 8);
    if (*s == '0' && p->end - s > 1 && (s[1] == 'd' || s[1] == 'D')) return lex_hex_float(p, t, 16);
    bool hex = *s == '0' && p->end - s > 1 && (s[1] | 32) == 'x';
    while (s < p->end && isdigit((unsigned char)*s)) s++;
    if (!hex && p->end - s > 1 &&
        ((*s == '.' && isdigit((unsigned char)s[1])) || ((*s | 32) == 'e' && s > p->at)))
        return lex_decimal_float(p, t);
    return lex_integer(p, t);
}

// ---- words and operators ----

static bool lex_word(Parser *p, Token *t, TokenKind kind) {
    const char *s = p->at;
    if (*s == '%') s++;
    while (s < p->end &&
           (is_name(*s) ||
            (kind == TOKEN_DOT && *s == ':' && p->end - s > 2 && s[1] == ':' && is_name(s[2]))))
        s += *s == ':' ? 2 : 1;
    t->kind = kind;
    t->text = p->at;
    t->len = (int)(s - p->at);
    p->at = s;
    if (t->len > LEX_LONGEST_NAME)
        return lex_fail(p, t, "this name is longer than %d bytes", LEX_LONGEST_NAME);
    t->sym = lex_intern(p, t->text, t->len);
    return true;
}

static bool lex_string(Parser *p, Token *t) {
    const char *s = ++p->at;
    while (s < p->end && *s != '"' && *s != '\n') s += *s == '\\' && p->end - s > 1 ? 2 : 1;
    if (s >= p->end || *s != '"') return lex_fail(p, t, "this string has no end");
    t->kind = TOKEN_STRING;
    t->text = p->at;
    t->len = (int)(s - p->at);
    p->at = s + 1;
    return true;
}

static bool lex_operator(Parser *p, Token *t) {
    static const struct {
        char text[3];
        int op;
    } pairs[] = {{"<<", OP_SHL}, {">>", OP_SHR}, {"<=", OP_LE},  {">=", OP_GE},
                 {"==", OP_EQ},  {"!=", OP_NE},  {"&&", OP_AND}, {"||", OP_OR}};
    t->kind = TOKEN_PUNCT;
    t->text = p->at;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p->end - p->at > 1 && memcmp(p->at, pairs[i].text, 2) == 0) {
            t->bits = (uint64_t)pairs[i].op;
            t->len = 2;
            p->at += 2;
            return true;
        }
    unsigned char c = (unsigned char)*p->at;
    if (!strchr("{}[]()<>,;:+-*/%&|^~!?=@#", c) || c == '\0') {
        if (c >= 32 && c < 127) return lex_fail(p, t, "'%c' has no meaning in PTX", c);
        return lex_fail(p, t, "byte 0x%02x is not PTX text; is this a binary file?", c);
    }
    t->bits = c;
    t->len = 1;
    p->at++;
    return true;
}

static bool lex_token(Parser *p, Token *t) {
    bool spaced;
    if (!skip_space(p, &spaced)) return false;
    *t = (Token){
        .line = p->line, .col = (int)(p->at - p->line_start) + 1, .glued = !spaced, .text = p->at};
    if (p->at >= p->end) return true;
    char c = *p->at;
    char next = p->end - p->at > 1 ? p->at[1] : '\0';
    if (is_name_start(c) && !(c == '%' && !is_name(next))) return lex_word(p, t, TOKEN_NAME);
    if (isdigit((unsigned char)c)) {
        bool ok = lex_number(p, t);
        t->len = (int)(p->at - t->text);
        return ok;
    }
    if (c == '.' && is_name(next)) {
        p->at++;
        return lex_word(p, t, TOKEN_DOT);
    }
    if (c == '@' && next == '@' && p->end - p->at > 2 && is_name(p->at[2])) {
        p->at += 2;
        return lex_word(p, t, TOKEN_DOT);
    }
    if (c == '"') return lex_string(p, t);
    return lex_operator(p, t);
}

bool lex_next(Parser *p) {
    p->last_line = p->tok.line;
    p->last_col = p->tok.col + p->tok.len;
    p->tok = p->ahead;
    return lex_token(p, &p->ahead);
}

bool lex_open(Parser *p) {
    p->at = p->line_start = p->m->src.text;
    p->end = p->at + p->m->src.len;
    p->line = 1;
    seed_symbols(p);
    if (p->m->src.len >= 4 && memcmp(p->at, "\177ELF", 4) == 0)
        return diag_fail_at(p->d, &p->m->src, 1, 1,
                            "this is an ELF file (a cubin or program), not PTX text");
    if (p->m->src.len >= 3 && memcmp(p->at, "\xef\xbb\xbf", 3) == 0) p->at += 3;
    return lex_token(p, &p->ahead) && lex_next(p);
}

// ---- helpers of the parser ----

const char *lex_describe(Parser *p, const Token *t) {
    if (t->kind == TOKEN_END) return "the end of the file";
    int len = t->len > 60 ? 60 : t->len;
    const char *dot = t->kind == TOKEN_DOT ? "." : "";
    return arena_printf(p->arena, "'%s%.*s'", dot, len, t->text);
}

bool lex_is_word(const Token *t, TokenKind kind, const char *word) {
    return t->kind == kind && (int)strlen(word) == t->len &&
        memcmp(t->text, word, (size_t)t->len) == 0;
}

bool lex_accept(Parser *p, char c, bool *found) {
    *found = lex_is(p, c);
    return *found ? lex_next(p) : true;
}

bool lex_expect(Parser *p, char c, const char *where) {
    if (lex_is(p, c)) return lex_next(p);
    Token at = p->tok;
    // The position of a missing semicolon or bracket is the end of the previous token.
    if ((c == ';' || c == ')' || c == ']') && p->last_line < p->tok.line)
        at = (Token){.line = p->last_line, .col = p->last_col};
    return lex_fail(p, &at, "expected '%c' %s, found %s", c, where, lex_describe(p, &p->tok));
}
