// SPDX-License-Identifier: Apache-2.0
// Constant expressions: C operators over 64-bit integers, signed unless an operand is unsigned. A
// floating-point constant may only be negated.
#include "ptx/front.h"

#include <string.h>

enum { EXPR_DEPTH = 100 };

static bool parse_binary(Parser *p, Number *n, int least, const char *what);

// Binary operators and their precedence; 0: not an operator.
static int precedence_of(const Token *t) {
    if (t->kind != TOKEN_PUNCT) return 0;
    switch (t->bits) {
    case OP_OR: return 1;
    case OP_AND: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case OP_EQ:
    case OP_NE: return 6;
    case '<':
    case '>':
    case OP_LE:
    case OP_GE: return 7;
    case OP_SHL:
    case OP_SHR: return 8;
    case '+':
    case '-': return 9;
    case '*':
    case '/':
    case '%': return 10;
    default: return 0;
    }
}

// `(` has been read: a cast such as (.s64) or a parenthesised expression.
static bool parse_parenthesis(Parser *p, Number *n, const char *what) {
    if (p->tok.kind == TOKEN_DOT) {
        Token at = p->tok;
        bool to_unsigned = lex_is_word(&p->tok, TOKEN_DOT, "u64");
        if (!to_unsigned && !lex_is_word(&p->tok, TOKEN_DOT, "s64"))
            return lex_fail(p, &p->tok, "expected .s64 or .u64 in a cast, found %s",
                            lex_describe(p, &p->tok));
        if (!lex_next(p) || !lex_expect(p, ')', "after the cast")) return false;
        if (!parse_binary(p, n, 11, what)) return false;
        if (n->kind != TOKEN_INT)
            return lex_fail(p, &at, "a floating-point constant cannot be cast");
        n->is_unsigned = to_unsigned;
        return true;
    }
    return parse_number(p, n, what) && lex_expect(p, ')', "in a constant expression");
}

static bool parse_unary(Parser *p, Number *n, const char *what) {
    Token t = p->tok;
    if (t.kind == TOKEN_INT || t.kind == TOKEN_F32 || t.kind == TOKEN_F64) {
        *n = (Number){t.kind, t.bits, t.is_unsigned};
        return lex_next(p);
    }
    if (lex_is_word(&t, TOKEN_NAME, "WARP_SZ")) {
        *n = (Number){TOKEN_INT, 32, false};
        return lex_next(p);
    }
    if (lex_is(p, '(')) return lex_next(p) && parse_parenthesis(p, n, what);
    if (t.kind != TOKEN_PUNCT ||
        !(t.bits == '-' || t.bits == '+' || t.bits == '~' || t.bits == '!'))
        return lex_fail(p, &t, "expected %s, found %s", what, lex_describe(p, &t));
    if (!lex_next(p) || !parse_binary(p, n, 11, what)) return false;
    if (n->kind != TOKEN_INT) {
        if (t.bits == '-') n->bits ^= n->kind == TOKEN_F32 ? 1ull << 31 : 1ull << 63;
        else if (t.bits != '+')
            return lex_fail(p, &t, "'%c' cannot be applied to a floating-point constant",
                            (int)t.bits);
        return true;
    }
    switch (t.bits) {
    case '-': n->bits = -n->bits; break;
    case '~': n->bits = ~n->bits; break;
    case '!': *n = (Number){TOKEN_INT, n->bits == 0, false}; break;
    default: break;
    }
    return true;
}

static bool divide_numbers(Parser *p, const Token *op, Number *a, const Number *b,
                           bool is_unsigned) {
    if (b->bits == 0) return lex_fail(p, op, "division by zero in a constant expression");
    bool overflow = !is_unsigned && (int64_t)b->bits == -1;  // INT64_MIN / -1 wraps
    if (op->bits == '/')
        a->bits = is_unsigned ? a->bits / b->bits
            : overflow        ? -a->bits
                              : (uint64_t)((int64_t)a->bits / (int64_t)b->bits);
    else
        a->bits = is_unsigned ? a->bits % b->bits
            : overflow        ? 0
                              : (uint64_t)((int64_t)a->bits % (int64_t)b->bits);
    return true;
}

static bool number_is_less(const Number *a, const Number *b, bool is_unsigned) {
    return is_unsigned ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits;
}

static bool apply_binary(Parser *p, const Token *op, Number *a, const Number *b) {
    if (a->kind != TOKEN_INT || b->kind != TOKEN_INT)
        return lex_fail(p, op, "operators need integer constants");
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    unsigned shift = (unsigned)(b->bits & 63);
    bool truth = true;
    switch (op->bits) {
    case '+':
        a->bits += b->bits;
        truth = false;
        break;
    case '-':
        a->bits -= b->bits;
        truth = false;
        break;
    case '*':
        a->bits *= b->bits;
        truth = false;
        break;
    case '|':
        a->bits |= b->bits;
        truth = false;
        break;
    case '^':
        a->bits ^= b->bits;
        truth = false;
        break;
    case '&':
        a->bits &= b->bits;
        truth = false;
        break;
    case '/':
    case '%':
        if (!divide_numbers(p, op, a, b, is_unsigned)) return false;
        truth = false;
        break;
    case OP_SHL: a->bits <<= shift; return true;
    case OP_SHR:
        a->bits = a->is_unsigned ? a->bits >> shift : (uint64_t)((int64_t)a->bits >> shift);
        return true;
    case OP_EQ: a->bits = a->bits == b->bits; break;
    case OP_NE: a->bits = a->bits != b->bits; break;
    case '<': a->bits = number_is_less(a, b, is_unsigned); break;
    case '>': a->bits = number_is_less(b, a, is_unsigned); break;
    case OP_LE: a->bits = !number_is_less(b, a, is_unsigned); break;
    case OP_GE: a->bits = !number_is_less(a, b, is_unsigned); break;
    case OP_AND: a->bits = a->bits && b->bits; break;
    case OP_OR: a->bits = a->bits || b->bits; break;
    default: panic("operator %d", (int)op->bits);
    }
    a->is_unsigned = truth ? false : is_unsigned;
    return true;
}

static bool parse_binary(Parser *p, Number *n, int least, const char *what) {
    if (++p->depth > EXPR_DEPTH)
        return lex_fail(p, &p->tok, "this expression is nested too deeply");
    if (!parse_unary(p, n, what)) return false;
    for (int prec; (prec = precedence_of(&p->tok)) >= least && prec > 0;) {
        Token op = p->tok;
        Number right;
        if (!lex_next(p) || !parse_binary(p, &right, prec + 1, what) ||
            !apply_binary(p, &op, n, &right))
            return false;
    }
    p->depth--;
    return true;
}

bool parse_number(Parser *p, Number *n, const char *what) {
    if (++p->depth > EXPR_DEPTH)
        return lex_fail(p, &p->tok, "this expression is nested too deeply");
    if (!parse_binary(p, n, 1, what)) return false;
    if (lex_is(p, '?')) {
        Token op = p->tok;
        Number yes, no;
        if (n->kind != TOKEN_INT) return lex_fail(p, &op, "operators need integer constants");
        if (!lex_next(p) || !parse_number(p, &yes, what) ||
            !lex_expect(p, ':', "in a conditional") || !parse_number(p, &no, what))
            return false;
        bool is_unsigned = yes.is_unsigned || no.is_unsigned;
        *n = n->bits ? yes : no;
        n->is_unsigned = is_unsigned;
    }
    p->depth--;
    return true;
}

bool parse_int(Parser *p, int64_t *value, int64_t least, int64_t most, const char *what) {
    Token at = p->tok;
    Number n;
    if (!parse_number(p, &n, what)) return false;
    if (n.kind != TOKEN_INT)
        return lex_fail(p, &at, "expected %s, found a floating-point constant", what);
    *value = (int64_t)n.bits;
    if (n.is_unsigned && *value < 0) *value = INT64_MAX;
    if (*value < least || *value > most)
        return lex_fail(
            p, &at, "expected %s from %lld to %lld, found %s%llu", what, (long long)least,
            (long long)most, (int64_t)n.bits < 0 && !n.is_unsigned ? "-" : "",
            (unsigned long long)((int64_t)n.bits < 0 && !n.is_unsigned ? -n.bits : n.bits));
    return true;
}

// ---- values of a type ----

// PTX ISA 4.5.1: a constant is converted to the size of its use, that is, cut.
static bool int_to_type(Parser *p, const Number *n, PtxType t, const Token *at, uint64_t *bits) {
    int width = ptx_type_bytes(t) * 8;
    if (width > 64)
        return lex_fail(p, at, "an immediate cannot have the type .%s", ptx_type_name(t));
    *bits = width == 64 ? n->bits : n->bits & ((1ull << width) - 1);
    return true;
}

static double as_double(const Number *n) {
    double wide;
    float narrow;
    uint32_t low = (uint32_t)n->bits;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &n->bits, sizeof wide);
    return n->kind == TOKEN_F32 ? (double)narrow : wide;
}

bool number_to_type(Parser *p, const Number *n, PtxType t, const Token *at, uint64_t *bits) {
    if (t == PTX_PRED) {
        if (n->kind != TOKEN_INT) return lex_fail(p, at, "a predicate needs an integer constant");
        *bits = n->bits != 0;
        return true;
    }
    if (n->kind == TOKEN_INT) {
        if (ptx_type_is_int(t)) return int_to_type(p, n, t, at, bits);
        return lex_fail(p, at, "an integer constant cannot be used as .%s; write 0f... or 0d...",
                        ptx_type_name(t));
    }
    bool is_f32 = n->kind == TOKEN_F32;
    if (t == PTX_F64 || t == PTX_B64) {
        // Arithmetic on a NaN would change its bits, and the constant's bits are required.
        double wide = as_double(n);
        if (is_f32 && t == PTX_B64) return lex_fail(p, at, "a 0f constant has 32 bits, not .b64");
        if (is_f32) memcpy(bits, &wide, sizeof wide);
        else *bits = n->bits;
        return true;
    }
    if (t == PTX_F32 || t == PTX_B32) {
        if (!is_f32 && t == PTX_B32) return lex_fail(p, at, "a 0d constant has 64 bits, not .b32");
        float narrow = (float)as_double(n);
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        *bits = is_f32 ? n->bits : low;
        return true;
    }
    return lex_fail(p, at, "a floating-point constant cannot be used as .%s", ptx_type_name(t));
}
