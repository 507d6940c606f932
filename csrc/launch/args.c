// SPDX-License-Identifier: Apache-2.0
// Kernel arguments: reading them from launch.yaml, and packing the parameter block of an entry.
#include "launch/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PARAM_BYTES_LIMIT = 32764 };  // limit of CUDA 12.1 and later

// ---- values ----

static bool read_uint64(const char *text, uint64_t *v) {  // beyond INT64_MAX too
    char *end;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    *v = strtoull(text, &end, hex ? 16 : 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

static bool int_fits(const LaunchReader *r, PtxType type, const char *text, uint64_t *bits,
                     char *why, size_t len) {
    int size = ptx_type_bytes(type);
    if (type == PTX_U64 && read_uint64(text, bits)) return true;
    int64_t v = 0;
    int at;
    if (!expr_integer(r, text, &v, &at, why, len)) return false;
    bool is_signed = ptx_type_is_signed(type);
    int64_t most = size == 8 ? INT64_MAX : ((int64_t)1 << (8 * size - (is_signed ? 1 : 0))) - 1;
    int64_t least = !is_signed ? 0 : size == 8 ? INT64_MIN : -most - 1;
    if (v < least || v > most) return false;
    *bits = size == 8 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << (8 * size)) - 1);
    return true;
}

static bool float_parse(PtxType type, const char *text, uint64_t *bits) {
    // YAML writes .inf, -.inf and .nan, C writes them without the dot.
    char plain[8];
    size_t sign = *text == '-' || *text == '+';
    if (text[sign] == '.' && text[sign + 1] && strchr("iInN", text[sign + 1]) &&
        strlen(text) < sizeof plain) {
        memcpy(plain, text, sign);
        strcpy(plain + sign, text + sign + 1);
        text = plain;
    }
    char *end;
    if (type == PTX_F32) {
        float v = strtof(text, &end);
        uint32_t word;
        memcpy(&word, &v, 4);
        *bits = word;
    } else {
        double v = strtod(text, &end);
        memcpy(bits, &v, 8);
    }
    return *text && !*end;
}

static bool read_value(LaunchReader *r, const YamlNode *n, PtxType type, uint64_t *bits) {
    if (!read_is(r, n, YAML_SCALAR, "value")) return false;
    char why[100] = "";
    bool ok = ptx_type_is_float(type) ? float_parse(type, n->text, bits)
                                      : int_fits(r, type, n->text, bits, why, sizeof why);
    return ok ? true
              : READ_FAIL(r, n, "`%.60s` is not a value of type %s%s%s", n->text,
                          ptx_type_name(type), *why ? ": " : "", why);
}

// ---- structures by value ----

typedef LaunchBytes Blob;

static void blob_add(LaunchReader *r, Blob *b, uint64_t bits, int size) {
    while (b->count % size)
        *ARENA_PUSH(r->arena, b->bytes, b->count, b->cap) = 0;  // natural alignment
    for (int i = 0; i < size; i++)
        *ARENA_PUSH(r->arena, b->bytes, b->count, b->cap) = (uint8_t)(bits >> (8 * i));
}

// Numbers of type *common, or maps that each name their type.
static bool blob_values(LaunchReader *r, const YamlNode *list, const PtxType *common, Blob *b) {
    static const char *const KNOWN[] = {"type", "value"};
    if (!read_is(r, list, YAML_LIST, "values")) return false;
    for (int i = 0; i < list->nitems; i++) {
        const YamlNode *item = list->items[i];
        PtxType type;
        uint64_t bits = 0;
        if (common && item->kind == YAML_SCALAR) {
            if (!read_value(r, item, *common, &bits)) return false;
            blob_add(r, b, bits, ptx_type_bytes(*common));
            continue;
        }
        if (!read_is(r, item, YAML_MAP, "a member") ||
            !yaml_only_keys(item, KNOWN, 2, "a member", &r->l->src, r->d))
            return false;
        const YamlNode *t = read_need(r, item, "type", "a member");
        const YamlNode *v = t ? read_need(r, item, "value", "a member") : NULL;
        if (!v || !read_type(r, t, &type) || !read_value(r, v, type, &bits)) return false;
        blob_add(r, b, bits, ptx_type_bytes(type));
    }
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : -1;
}

static bool blob_hex(LaunchReader *r, const YamlNode *n, Blob *b) {
    if (!read_is(r, n, YAML_SCALAR, "hex")) return false;
    int high = -1;
    for (const char *p = n->text; *p; p++) {
        if (*p == ' ' && high < 0) continue;
        int digit = hex_digit(*p);
        if (digit < 0)
            return READ_FAIL(r, n, "hex: pairs of hexadecimal digits expected, found `%c`", *p);
        if (high >= 0) blob_add(r, b, (uint64_t)(high * 16 + digit), 1);
        high = high >= 0 ? -1 : digit;
    }
    return high < 0 ? true : READ_FAIL(r, n, "hex: an odd number of digits");
}

static bool blob_file(LaunchReader *r, const YamlNode *n, uint64_t most, Blob *b) {
    const char *path;
    uint64_t bytes;
    char *text;
    size_t len;
    if (!read_file_path(r, n, "file", &path, &bytes)) return false;
    if (bytes > most)
        return READ_FAIL(r, n, "file %s has %" PRIu64 " bytes, expected at most %" PRIu64, path,
                         bytes, most);
    if (!file_read(r->arena, path, &text, &len, r->d)) return false;
    for (size_t i = 0; i < len; i++) blob_add(r, b, (uint8_t)text[i], 1);
    b->file = path;
    return true;
}

bool read_bytes(LaunchReader *r, const YamlNode *map, const char *what, const char *file_key,
                uint64_t most, LaunchBytes *b) {
    const YamlNode *hex = yaml_get(map, "hex"), *file = yaml_get(map, file_key),
                   *values = yaml_get(map, "values"), *type = yaml_get(map, "type");
    PtxType common;
    if (!!hex + !!file + !!values != 1)
        return READ_FAIL(r, map, "%s requires one of `hex`, `%s`, `values`", what, file_key);
    const bool typed = type && type->kind == YAML_SCALAR && strcmp(type->text, "bytes");
    if (typed && (!values || !read_type(r, type, &common)))
        return READ_FAIL(r, type, "%s: `type` stands beside `values`", what);
    bool ok = hex ? blob_hex(r, hex, b)
        : file    ? blob_file(r, file, most, b)
                  : blob_values(r, values, typed ? &common : NULL, b);
    if (ok && !b->count) return READ_FAIL(r, map, "%s without bytes", what);
    return ok;
}

static bool read_bytes_arg(LaunchReader *r, const YamlNode *map, LaunchArg *a) {
    static const char *const KNOWN[] = {"type", "hex", "file", "values"};
    if (!yaml_only_keys(map, KNOWN, 4, "a bytes argument", &r->l->src, r->d)) return false;
    Blob b = {0};
    const bool ok = read_bytes(r, map, "a bytes argument", "file", PARAM_BYTES_LIMIT, &b);
    a->type = PTX_B8;
    a->blob = b.bytes;
    a->blob_bytes = (uint64_t)b.count;
    a->file = b.file;
    return ok;
}

// ---- the list ----

static bool read_pointer_arg(LaunchReader *r, const YamlNode *map, LaunchArg *a) {
    static const char *const KNOWN[] = {"type", "buffer", "offset", "value"};
    if (!yaml_only_keys(map, KNOWN, 4, "a ptr argument", &r->l->src, r->d)) return false;
    const YamlNode *value = yaml_get(map, "value");
    a->type = PTX_U64;
    if (value) {  // an address as such: a null pointer, a deliberate wild one
        if (yaml_get(map, "buffer") || yaml_get(map, "offset"))
            return READ_FAIL(r, map, "a ptr argument has either `buffer` or `value`");
        return read_value(r, value, PTX_U64, &a->bits);
    }
    const YamlNode *buffer = read_need(r, map, "buffer", "a ptr argument");
    int64_t offset = 0;
    if (!buffer || !read_buffer_name(r, buffer, &a->buffer)) return false;
    int64_t bytes = (int64_t)r->l->buffers[a->buffer].bytes;
    if (!read_int_key(r, map, "offset", 0, bytes, &offset)) return false;
    a->is_ptr = true;
    a->offset = (uint64_t)offset;
    return true;
}

static bool read_arg(LaunchReader *r, const YamlNode *map, LaunchArg *a) {
    static const char *const KNOWN[] = {"type", "value"};
    *a = (LaunchArg){.buffer = -1, .line = map->line, .col = map->col};
    if (!read_is(r, map, YAML_MAP, "an argument")) return false;
    const YamlNode *type = read_need(r, map, "type", "an argument");
    const char *text;
    if (!type || !read_text(r, type, "type", &text)) return false;
    if (!strcmp(text, "ptr")) return read_pointer_arg(r, map, a);
    if (!strcmp(text, "bytes")) return read_bytes_arg(r, map, a);
    if (!read_type(r, type, &a->type) ||
        !yaml_only_keys(map, KNOWN, 2, "an argument", &r->l->src, r->d))
        return false;
    const YamlNode *value = read_need(r, map, "value", "an argument");
    return value && read_value(r, value, a->type, &a->bits);
}

bool read_args(LaunchReader *r, const YamlNode *list, LaunchStep *step) {
    if (!list) return true;
    if (!read_is(r, list, YAML_LIST, "args")) return false;
    step->args = ARENA_ARRAY(r->arena, LaunchArg, list->nitems);
    step->nargs = list->nitems;
    for (int i = 0; i < list->nitems; i++)
        if (!read_arg(r, list->items[i], &step->args[i])) return false;
    return true;
}

// ---- packing ----

static const char *param_type(const PtxVar *p, char *buf, size_t size) {
    if (p->is_array)
        snprintf(buf, size, ".%s[%" PRId64 "]", ptx_type_name(p->type),
                 p->bytes / ptx_type_bytes(p->type));
    else snprintf(buf, size, ".%s", ptx_type_name(p->type));
    return buf;
}

static const char *arg_type(const LaunchArg *a, char *buf, size_t size) {
    if (a->blob) snprintf(buf, size, "%" PRIu64 " bytes", a->blob_bytes);
    else snprintf(buf, size, "%s", a->is_ptr ? "ptr" : ptx_type_name(a->type));
    return buf;
}

// Integers of one size are interchangeable (nvcc writes .u32 for int), .bN takes anything of its
// size.
static bool arg_agrees(const LaunchArg *a, const PtxVar *p, int address_bits) {
    if (a->blob) return a->blob_bytes == (uint64_t)p->bytes;
    const bool narrow = a->is_ptr && address_bits == 32 && p->bytes == 4;
    if (p->is_array || (ptx_type_bytes(a->type) != p->bytes && !narrow)) return false;
    bool untyped =
        p->type == PTX_B8 || p->type == PTX_B16 || p->type == PTX_B32 || p->type == PTX_B64;
    if (untyped) return true;
    return ptx_type_is_float(a->type) == ptx_type_is_float(p->type);
}

static bool pack_arg(const Launch *l, const LaunchStep *s, const PtxFunc *entry, int i,
                     uint8_t *block, Diag *d) {
    const LaunchArg *a = &s->args[i];
    const PtxVar *p = &entry->params[i];
    char wanted[64], given[64];
    if (!arg_agrees(a, p, entry->address_bits))
        return diag_fail_at(d, &l->src, a->line, a->col,
                            "argument %d of %s: parameter %s is %s, found %s", i + 1, entry->name,
                            p->name, param_type(p, wanted, sizeof wanted),
                            arg_type(a, given, sizeof given));
    panic_if(p->offset + p->bytes > entry->param_bytes, "parameter %s outside its block", p->name);
    uint64_t bits = a->is_ptr ? l->buffers[a->buffer].addr + a->offset : a->bits;
    if (a->blob) memcpy(block + p->offset, a->blob, (size_t)p->bytes);
    else
        memcpy(block + p->offset, &bits,
               (size_t)p->bytes);  // hosts of this program are little-endian
    return true;
}

uint8_t *launch_pack_params(const Launch *l, const LaunchStep *s, const PtxFunc *entry,
                            Arena *arena, Diag *d) {
    if (s->nargs != entry->nparams) {
        char list[300] = "";
        for (int i = 0; i < entry->nparams && strlen(list) + 40 < sizeof list; i++) {
            char type[30];
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                     param_type(&entry->params[i], type, sizeof type));
        }
        diag_fail_at(d, &l->src, s->line, s->col, "%s takes %d argument%s (%s), found %d",
                     entry->name, entry->nparams, entry->nparams == 1 ? "" : "s", list, s->nargs);
        return NULL;
    }
    uint8_t *block = arena_alloc(arena, (size_t)entry->param_bytes);
    for (int i = 0; i < s->nargs; i++)
        if (!pack_arg(l, s, entry, i, block, d)) return NULL;
    return block;
}
