// SPDX-License-Identifier: Apache-2.0
// Integer expressions of launch files. They contain numbers as in YAML (0x10, 64K) and names of
// `let` and of loops. Operators are + - * / % << >> & | ^ ~ with C's precedence, min(a, b), max(a,
// b), parentheses. 64 bits, signed; overflow is an error.
#include "launch/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { NESTING_LIMIT = 60, NAME_LIMIT = 60 };

typedef struct Expr {
    const LaunchReader *r;
    const char *text, *p;
    int depth;
    char *why;  // "" while all is well
    size_t size;
} Expr;

static bool fail_expr(Expr *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail_expr(Expr *e, const char *format, ...) {
    va_list ap;
    if (*e->why) return false;
    va_start(ap, format);
    vsnprintf(e->why, e->size, format, ap);
    va_end(ap);
    return false;
}

static void skip_blanks(Expr *e) { e->p += strspn(e->p, " \t"); }

static bool take_token(Expr *e, const char *token) {
    skip_blanks(e);
    const size_t n = strlen(token);
    if (strncmp(e->p, token, n)) return false;
    e->p += n;
    return true;
}

static bool evaluate_level(Expr *e, int level, int64_t *v);

static bool evaluate_number(Expr *e, int64_t *v) {
    char digits[NAME_LIMIT];
    size_t n = 0;
    while (isalnum((unsigned char)e->p[n])) n++;
    if (n >= sizeof digits) return fail_expr(e, "a number of %zu characters", n);
    memcpy(digits, e->p, n);
    digits[n] = '\0';
    if (!yaml_integer(digits, v)) return fail_expr(e, "'%s' is no integer", digits);
    e->p += n;
    return true;
}

static bool evaluate_min_max(Expr *e, bool least, int64_t *v) {
    int64_t a = 0, b = 0;
    if (!take_token(e, "("))
        return fail_expr(e, "expected (a, b) behind %s", least ? "min" : "max");
    if (!evaluate_level(e, 0, &a)) return false;
    if (!take_token(e, ",")) return fail_expr(e, "expected a comma");
    if (!evaluate_level(e, 0, &b)) return false;
    if (!take_token(e, ")")) return fail_expr(e, "expected )");
    *v = least == (a < b) ? a : b;
    return true;
}

static bool evaluate_name(Expr *e, int64_t *v) {
    size_t n = 0;
    while (isalnum((unsigned char)e->p[n]) || e->p[n] == '_') n++;
    const char *begin = e->p;
    e->p += n;
    if (n == 3 && !strncmp(begin, "min", 3)) return evaluate_min_max(e, true, v);
    if (n == 3 && !strncmp(begin, "max", 3)) return evaluate_min_max(e, false, v);
    for (int i = e->r->nnames - 1; i >= 0; i--) {
        if (strncmp(e->r->names[i].name, begin, n) || e->r->names[i].name[n]) continue;
        *v = e->r->names[i].value;
        return true;
    }
    return fail_expr(e, "'%.*s' is not the name of an integer here",
                     (int)(n < NAME_LIMIT ? n : NAME_LIMIT), begin);
}

static bool evaluate_unary(Expr *e, int64_t *v) {
    if (++e->depth > NESTING_LIMIT) return fail_expr(e, "nested too deeply");
    bool ok;
    if (take_token(e, "-"))
        ok = evaluate_unary(e, v) &&
            (!__builtin_sub_overflow((int64_t)0, *v, v) || fail_expr(e, "overflow"));
    else if (take_token(e, "~")) ok = evaluate_unary(e, v), *v = ~*v;
    else if (take_token(e, "("))
        ok = evaluate_level(e, 0, v) && (take_token(e, ")") || fail_expr(e, "expected )"));
    else if (skip_blanks(e), isdigit((unsigned char)*e->p)) ok = evaluate_number(e, v);
    else if (isalpha((unsigned char)*e->p) || *e->p == '_') ok = evaluate_name(e, v);
    else
        ok = *e->p ? fail_expr(e, "expected a number or a name, found '%c'", *e->p)
                   : fail_expr(e, "it ends too early");
    e->depth--;
    return ok;
}

static bool apply_operator(Expr *e, char op, int64_t a, int64_t b, int64_t *v) {
    bool over = false;
    switch (op) {
    case '+': over = __builtin_add_overflow(a, b, v); break;
    case '-': over = __builtin_sub_overflow(a, b, v); break;
    case '*': over = __builtin_mul_overflow(a, b, v); break;
    case '/':
    case '%':
        if (!b) return fail_expr(e, "division by zero");
        if (b == -1) over = __builtin_sub_overflow((int64_t)0, a, v), *v = op == '%' ? 0 : *v;
        else *v = op == '/' ? a / b : a % b;
        break;
    case '<':
        if (b < 0 || b > 62) return fail_expr(e, "shift by %" PRId64, b);
        over = __builtin_mul_overflow(a, (int64_t)1 << b, v);
        break;
    case '>':
        if (b < 0 || b > 63) return fail_expr(e, "shift by %" PRId64, b);
        *v = a >> b;
        break;
    case '&': *v = a & b; break;
    case '|': *v = a | b; break;
    default: *v = a ^ b; break;
    }
    return over ? fail_expr(e, "overflow") : true;
}

// Operators of one level of precedence; level 0 binds least.
static bool evaluate_level(Expr *e, int level, int64_t *v) {
    static const char *const LEVELS[] = {"|", "^", "&", "<>", "+-", "*/%"};
    enum { LAST = sizeof LEVELS / sizeof *LEVELS };
    if (level == LAST) return evaluate_unary(e, v);
    if (!evaluate_level(e, level + 1, v)) return false;
    for (;;) {
        skip_blanks(e);
        const char op = *e->p;
        int64_t right = 0;
        if (!op || !strchr(LEVELS[level], op)) return true;
        if ((op == '<' || op == '>') && e->p[1] != op) return fail_expr(e, "expected %c%c", op, op);
        e->p += op == '<' || op == '>' ? 2 : 1;
        if (!evaluate_level(e, level + 1, &right) || !apply_operator(e, op, *v, right, v))
            return false;
    }
}

bool expr_integer(const LaunchReader *r, const char *text, int64_t *v, int *at, char *why,
                  size_t size) {
    Expr e = {.r = r, .text = text, .p = text, .why = why, .size = size};
    *why = '\0';
    *at = 0;
    *v = 0;
    if (yaml_integer(text, v)) return true;
    bool ok = evaluate_level(&e, 0, v);
    if (ok && (skip_blanks(&e), *e.p)) ok = fail_expr(&e, "expected an operator, found '%c'", *e.p);
    *at = (int)(e.p - text);
    return ok;
}

bool expr_is_name(const char *text) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (!*text || isdigit((unsigned char)*text) || strlen(text) >= NAME_LIMIT) return false;
    return !text[strspn(text, LETTERS)] && strcmp(text, "min") && strcmp(text, "max");
}
