// SPDX-License-Identifier: Apache-2.0
// Initial values of module variables -> bytes and relocations.
#include "ptx/front.h"

#include <string.h>

enum { INIT_DEPTH = 20, INIT_MASK_BYTES = 8 };

typedef struct Init {
    Parser *p;
    PtxVar *v;
    const int64_t *dims;
    int ndims;  // vector elements included as the innermost dimension
    int elem_bytes;
    int64_t count;  // number of elements with space; -1: as many as are written
    uint8_t *bytes;
    int64_t cap;
    int64_t used;  // elements written, highest + 1
    // Addresses written byte by byte as 0xFF(x), 0xFF00(x)...: the one being collected.
    PtxReloc pending;
    int pending_bytes;
    int cap_relocs;
} Init;

static bool element_at(Init *in, int64_t index, const Token *at, uint8_t **place) {
    if (in->count >= 0 && index >= in->count)
        return lex_fail(in->p, at, "%s has more initial values than elements (%lld)", in->v->name,
                        (long long)in->count);
    int64_t need = (index + 1) * in->elem_bytes;
    if (need > in->cap) {
        int64_t grown = need * 2;
        uint8_t *bytes = arena_alloc(in->p->arena, (size_t)grown);
        if (in->cap) memcpy(bytes, in->bytes, (size_t)in->cap);
        in->bytes = bytes;
        in->cap = grown;
    }
    if (index >= in->used) in->used = index + 1;
    *place = in->bytes + index * in->elem_bytes;
    return true;
}

static void add_reloc(Init *in, PtxReloc r) {
    PtxVar *v = in->v;
    *ARENA_PUSH(in->p->arena, v->relocs, v->nrelocs, in->cap_relocs) = r;
}

// ---- addresses ----

// name, name+4, generic(name), generic(name)+4, (name) ...
static bool parse_address(Init *in, PtxReloc *r) {
    Parser *p = in->p;
    bool wrapped = false;
    if (lex_is_word(&p->tok, TOKEN_NAME, "generic") && lex_is_ahead(p, '(')) {
        r->generic = true;
        if (!lex_next(p) || !lex_next(p)) return false;
        wrapped = true;
    }
    Token name = p->tok;
    if (name.kind != TOKEN_NAME)
        return lex_fail(p, &name, "expected the name of a variable, found %s",
                        lex_describe(p, &name));
    const Binding *b = p->syms[name.sym].local;
    r->var = b && b->kind == BIND_MODULE_VAR ? b->index : p->syms[name.sym].module_var;
    r->func = p->syms[name.sym].func;
    if (r->var < 0 && r->func < 0)
        return lex_fail(p, &name, "%s is not declared", lex_describe(p, &name));
    if (!lex_next(p)) return false;
    for (int pass = 0; pass < 2; pass++) {
        int64_t addend = 0;
        if ((lex_is(p, '+') || lex_is(p, '-')) &&
            !parse_int(p, &addend, INT32_MIN, INT32_MAX, "an offset"))
            return false;
        r->addend += addend;
        if (!wrapped) break;
        if (!lex_expect(p, ')', "after generic(")) return false;
        wrapped = false;
    }
    return true;
}

// 0xFF(x): byte 0 of x's address, 0xFF00(x): byte 1 ... A pointer table written in bytes.
static bool parse_masked(Init *in, uint64_t mask, const Token *at, int64_t index) {
    Parser *p = in->p;
    PtxReloc r = {.bytes = INIT_MASK_BYTES};
    uint8_t *place;
    int byte = mask ? __builtin_ctzll(mask) / 8 : 0;
    if (in->elem_bytes != 1 || mask != 0xffull << (byte * 8))
        return lex_fail(p, at, "a mask must select one byte of an address (0xFF, 0xFF00, ...)");
    if (!lex_next(p) || !parse_address(in, &r) || !lex_expect(p, ')', "after the masked address") ||
        !element_at(in, index, at, &place))
        return false;
    bool starts = byte == 0 && in->pending_bytes == 0;
    bool follows = byte > 0 && byte == in->pending_bytes && index == in->pending.offset + byte &&
        r.var == in->pending.var && r.func == in->pending.func && r.addend == in->pending.addend &&
        r.generic == in->pending.generic;
    if (!starts && !follows)
        return lex_fail(p, at, "the bytes of an address must follow each other from 0xFF upwards");
    if (starts) {
        r.offset = (int)index;
        in->pending = r;
    }
    if (++in->pending_bytes == INIT_MASK_BYTES) {
        add_reloc(in, in->pending);
        in->pending_bytes = 0;
    }
    return true;
}

// ---- values ----

static bool parse_scalar(Init *in, int64_t index) {
    Parser *p = in->p;
    Token at = p->tok;
    uint8_t *place;
    if (at.kind == TOKEN_INT && lex_is_ahead(p, '('))
        return lex_next(p) && parse_masked(in, at.bits, &at, index);
    if (in->pending_bytes) return lex_fail(p, &at, "the address before this value is not complete");
    if (!element_at(in, index, &at, &place)) return false;
    if (at.kind == TOKEN_NAME && !lex_is_word(&at, TOKEN_NAME, "WARP_SZ")) {
        PtxReloc r = {.offset = (int)(index * in->elem_bytes), .bytes = in->elem_bytes};
        if (in->elem_bytes < 4 || !ptx_type_is_int(in->v->type))
            return lex_fail(p, &at, "an address does not fit .%s", ptx_type_name(in->v->type));
        if (!parse_address(in, &r)) return false;
        add_reloc(in, r);
        return true;
    }
    Number n;
    uint64_t bits;
    if (!parse_number(p, &n, "an initial value") || !number_to_type(p, &n, in->v->type, &at, &bits))
        return false;
    memcpy(place, &bits, (size_t)in->elem_bytes);
    return true;
}

static bool parse_string(Init *in, int64_t index) {
    Parser *p = in->p;
    Token at = p->tok;
    uint8_t *place;
    if (in->elem_bytes != 1) return lex_fail(p, &at, "a string needs a variable of bytes");
    for (int i = 0; i < at.len; i++) {
        char c = at.text[i];
        if (c == '\\' && i + 1 < at.len) {
            static const char from[] = "ntr0\\\"'", to[] = "\n\t\r\0\\\"'";
            const char *escape = strchr(from, at.text[++i]);
            if (!escape) return lex_fail(p, &at, "unknown escape '\\%c' in a string", at.text[i]);
            c = to[escape - from];
        }
        if (!element_at(in, index++, &at, &place)) return false;
        *place = (uint8_t)c;
    }
    return in->count >= 0 && index >= in->count ? true : element_at(in, index, &at, &place);
}

// Elements of one sub-array of the given level.
static int64_t stride_of(const Init *in, int level) {
    int64_t stride = 1;
    for (int i = level; i < in->ndims; i++) stride *= in->dims[i];
    return stride;
}

// `{ ... }` that fills the sub-array of `level` from element `first`.
static bool parse_braces(Init *in, int level, int64_t first) {
    Parser *p = in->p;
    Token at = p->tok;
    int64_t index = first;
    int64_t limit = in->dims[level] < 0 ? -1 : first + stride_of(in, level);
    if (!lex_next(p)) return false;
    for (bool more = !lex_is(p, '}'); more;) {
        at = p->tok;
        if (lex_is(p, '}')) break;  // a comma at the end
        if (limit >= 0 && index >= limit)
            return lex_fail(p, &at, "%s has more initial values than elements", in->v->name);
        if (lex_is(p, '{')) {
            if (level + 1 >= in->ndims)
                return lex_fail(p, &at, "%s does not have so many dimensions", in->v->name);
            int64_t stride = stride_of(in, level + 1);
            index = first + (index - first + stride - 1) / (stride ? stride : 1) * stride;
            if (!parse_braces(in, level + 1, index)) return false;
            index += stride;
        } else if (p->tok.kind == TOKEN_STRING) {
            if (!parse_string(in, index) || !lex_next(p)) return false;
            index = in->used;
        } else if (!parse_scalar(in, index++)) {
            return false;
        }
        if (!lex_accept(p, ',', &more)) return false;
    }
    if (in->pending_bytes)
        return lex_fail(p, &p->tok, "the address before this brace is not complete");
    return lex_expect(p, '}', "after the initial values");
}

bool parse_initializer(Parser *p, PtxVar *v, int64_t *dims, int ndims) {
    int64_t all[INIT_DEPTH];
    Init in = {.p = p, .v = v, .dims = all, .elem_bytes = ptx_type_bytes(v->type), .count = 1};
    for (int i = 0; i < ndims; i++) all[in.ndims++] = dims[i];
    if (v->vec > 1) all[in.ndims++] = v->vec;
    for (int i = 0; i < in.ndims; i++)
        in.count = all[i] < 0 ? -1 : in.count < 0 ? -1 : in.count * all[i];
    v->relocs = NULL;
    v->nrelocs = 0;
    if (v->type == PTX_F64 && p->m->map_f64)
        return lex_fail(p, &p->tok, "initial values of .f64 are not defined with map_f64_to_f32");
    uint8_t *place;
    bool open = ndims > 0 && dims[0] < 0;
    if (!open && in.count > 0) {
        in.cap = in.count * in.elem_bytes;
        in.bytes = arena_alloc(p->arena, (size_t)in.cap);
    }
    if (lex_is(p, '{')) {
        if (in.ndims == 0) { all[in.ndims++] = 1; }
        if (!parse_braces(&in, 0, 0)) return false;
    } else if (p->tok.kind == TOKEN_STRING) {
        if (!parse_string(&in, 0) || !lex_next(p)) return false;
    } else {
        if (in.ndims)
            return lex_fail(p, &p->tok, "expected '{' before the values of an array, found %s",
                            lex_describe(p, &p->tok));
        if (!parse_scalar(&in, 0)) return false;
    }
    if (open) {
        int64_t row = stride_of(&in, 1);
        dims[0] = row ? (in.used + row - 1) / row : 0;
        if (dims[0] && !element_at(&in, dims[0] * row - 1, &p->tok, &place)) return false;
    }
    v->init = in.bytes ? in.bytes : arena_alloc(p->arena, 1);
    return true;
}
