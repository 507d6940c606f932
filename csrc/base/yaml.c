// SPDX-License-Identifier: Apache-2.0
// The tree is built from libyaml's events, because those carry marks.
#include "base/yaml.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_LIMIT = 64 };

// Names and their nodes: open addressing, at most half full.
typedef struct Names {
    struct {
        const char *name;
        YamlNode *node;
    } * slot;
    int count, cap;
} Names;

typedef struct Reader {
    Arena *arena;
    const SourceText *src;
    Diag *d;
    yaml_parser_t parser;
    Names anchors;
} Reader;

// The slot of `name`: its own, or the free one where it belongs.
static int names_slot(const Names *n, const char *name) {
    unsigned at = (unsigned)hash_bytes(HASH_START, name, strlen(name));
    for (at &= (unsigned)n->cap - 1; n->slot[at].name && strcmp(n->slot[at].name, name);)
        at = (at + 1) & ((unsigned)n->cap - 1);
    return (int)at;
}

static YamlNode *names_get(const Names *n, const char *name) {
    return n->cap ? n->slot[names_slot(n, name)].node : NULL;
}

// The name must stay where it is.
static void names_put(Arena *a, Names *n, const char *name, YamlNode *node) {
    if (2 * (n->count + 1) > n->cap) {
        Names more = {.cap = n->cap ? 2 * n->cap : 16, .count = n->count};
        more.slot = arena_alloc(a, sizeof *more.slot * (size_t)more.cap);
        for (int i = 0; i < n->cap; i++)
            if (n->slot[i].name) more.slot[names_slot(&more, n->slot[i].name)] = n->slot[i];
        *n = more;
    }
    int at = names_slot(n, name);
    n->count += !n->slot[at].name;
    n->slot[at].name = name;
    n->slot[at].node = node;
}

static bool fail_mark(Reader *r, yaml_mark_t at, const char *what) {
    return diag_fail_at(r->d, r->src, (int)at.line + 1, (int)at.column + 1, "%s", what);
}

static bool next_event(Reader *r, yaml_event_t *e) {
    if (yaml_parser_parse(&r->parser, e)) return true;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_READER_ERROR)
        return diag_fail(r->d, EXIT_USAGE, "%s: error: not a text file: %s at byte %zu",
                         r->src->path, p->problem ? p->problem : "bad character",
                         p->problem_offset);
    return diag_fail_at(r->d, r->src, (int)p->problem_mark.line + 1,
                        (int)p->problem_mark.column + 1, "not YAML: %s%s%s",
                        p->context ? p->context : "", p->context ? ": " : "",
                        p->problem ? p->problem : "cannot be parsed");
}

static YamlNode *build_node(Reader *r, const yaml_event_t *e, int depth);

static YamlNode *node_new(Reader *r, YamlKind kind, yaml_mark_t at) {
    YamlNode *n = ARENA_NEW(r->arena, YamlNode);
    n->kind = kind;
    n->line = (int)at.line + 1;
    n->col = (int)at.column + 1;
    return n;
}

static void anchor_add(Reader *r, const yaml_char_t *name, YamlNode *n) {
    if (!name) return;
    const char *own = arena_strndup(r->arena, (const char *)name, strlen((const char *)name));
    names_put(r->arena, &r->anchors, own, n);
}

static YamlNode *build_alias(Reader *r, const yaml_event_t *e) {
    YamlNode *n = names_get(&r->anchors, (const char *)e->data.alias.anchor);
    if (!n) fail_mark(r, e->start_mark, "no earlier anchor has this name");
    return n;
}

static YamlNode *build_list(Reader *r, const yaml_event_t *start, int depth) {
    YamlNode *n = node_new(r, YAML_LIST, start->start_mark);
    for (;;) {
        yaml_event_t e;
        if (!next_event(r, &e)) return NULL;
        bool end = e.type == YAML_SEQUENCE_END_EVENT;
        YamlNode *item = end ? NULL : build_node(r, &e, depth + 1);
        yaml_event_delete(&e);
        if (end) return n;
        if (!item) return NULL;
        *ARENA_PUSH(r->arena, n->items, n->nitems, n->cap_items) = item;
    }
}

static bool add_pair(Reader *r, YamlNode *map, Names *keys, YamlNode *key, YamlNode *value) {
    if (key->kind != YAML_SCALAR)
        return diag_fail_at(r->d, r->src, key->line, key->col,
                            "a key must be a word, not a list or map");
    if (names_get(keys, key->text))
        return diag_fail_at(r->d, r->src, key->line, key->col, "key `%s` is written twice",
                            key->text);
    names_put(r->arena, keys, key->text, value);
    int count = map->nitems;
    *ARENA_PUSH(r->arena, map->keys, count, map->cap_keys) = key;
    *ARENA_PUSH(r->arena, map->items, map->nitems, map->cap_items) = value;
    return true;
}

static YamlNode *build_map(Reader *r, const yaml_event_t *start, int depth) {
    YamlNode *n = node_new(r, YAML_MAP, start->start_mark);
    YamlNode *key = NULL;
    Names keys = {0};
    for (;;) {
        yaml_event_t e;
        if (!next_event(r, &e)) return NULL;
        bool end = e.type == YAML_MAPPING_END_EVENT;
        YamlNode *item = end ? NULL : build_node(r, &e, depth + 1);
        yaml_event_delete(&e);
        if (end) return n;
        if (!item) return NULL;
        if (!key) {
            key = item;
        } else {
            if (!add_pair(r, n, &keys, key, item)) return NULL;
            key = NULL;
        }
    }
}

// The node that starts with event e.
static YamlNode *build_node(Reader *r, const yaml_event_t *e, int depth) {
    if (depth > DEPTH_LIMIT) {
        fail_mark(r, e->start_mark, "nested too deep");
        return NULL;
    }
    YamlNode *n = NULL;
    switch (e->type) {
    case YAML_ALIAS_EVENT: return build_alias(r, e);
    case YAML_SCALAR_EVENT:
        n = node_new(r, YAML_SCALAR, e->start_mark);
        n->text =
            arena_strndup(r->arena, (const char *)e->data.scalar.value, e->data.scalar.length);
        if (strlen(n->text) != e->data.scalar.length) {
            fail_mark(r, e->start_mark, "text with a zero byte");
            return NULL;
        }
        anchor_add(r, e->data.scalar.anchor, n);
        return n;
    case YAML_SEQUENCE_START_EVENT:
        n = build_list(r, e, depth);
        if (n) anchor_add(r, e->data.sequence_start.anchor, n);
        return n;
    case YAML_MAPPING_START_EVENT:
        n = build_map(r, e, depth);
        if (n) anchor_add(r, e->data.mapping_start.anchor, n);
        return n;
    default: fail_mark(r, e->start_mark, "a value was expected here"); return NULL;
    }
}

static YamlNode *build_stream(Reader *r) {
    YamlNode *root = NULL;
    for (bool done = false; !done;) {
        yaml_event_t e;
        if (!next_event(r, &e)) return NULL;
        bool ok = true;
        switch (e.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        case YAML_STREAM_END_EVENT: done = true; break;
        case YAML_DOCUMENT_START_EVENT:
            if (root) ok = fail_mark(r, e.start_mark, "found a second document, expected one");
            break;
        default: root = build_node(r, &e, 0); ok = root != NULL;
        }
        yaml_event_delete(&e);
        if (!ok) return NULL;
    }
    if (!root) root = node_new(r, YAML_MAP, (yaml_mark_t){0, 0, 0});
    return root;
}

static YamlNode *parse_text(Arena *arena, const SourceText *src, Diag *d) {
    Reader r = {.arena = arena, .src = src, .d = d};
    if (!yaml_parser_initialize(&r.parser)) panic("out of memory");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)src->text, src->len);
    YamlNode *root = build_stream(&r);
    yaml_parser_delete(&r.parser);
    return root;
}

YamlNode *yaml_load(Arena *arena, const char *path, SourceText *src, Diag *d) {
    char *text = NULL;
    size_t len = 0;
    if (!file_read(arena, path, &text, &len, d)) return NULL;
    *src = (SourceText){.path = arena_strndup(arena, path, strlen(path)), .text = text, .len = len};
    return parse_text(arena, src, d);
}

const YamlNode *yaml_get(const YamlNode *map, const char *key) {
    for (int i = 0; map && map->kind == YAML_MAP && i < map->nitems; i++)
        if (!strcmp(map->keys[i]->text, key)) return map->items[i];
    return NULL;
}

bool yaml_only_keys(const YamlNode *map, const char *const *known, int nknown, const char *what,
                    const SourceText *src, Diag *d) {
    for (int i = 0; i < map->nitems; i++) {
        const YamlNode *key = map->keys[i];
        bool found = false;
        for (int k = 0; k < nknown; k++) found = found || !strcmp(key->text, known[k]);
        if (found) continue;
        const char *near = name_suggest(key->text, known, nknown);
        if (near)
            return diag_fail_at(d, src, key->line, key->col,
                                "unknown key `%s` in %s; did you mean `%s`?", key->text, what,
                                near);
        char list[512] = "";
        for (int k = 0; k < nknown && strlen(list) + strlen(known[k]) + 3 < sizeof list; k++) {
            if (k) strcat(list, ", ");
            strcat(list, known[k]);
        }
        return diag_fail_at(d, src, key->line, key->col, "unknown key `%s` in %s; known are: %s",
                            key->text, what, list);
    }
    return true;
}

const char *yaml_found(const YamlNode *n, char *buf, size_t size) {
    if (n->kind == YAML_SCALAR) snprintf(buf, size, "`%.60s`", n->text);
    else snprintf(buf, size, n->kind == YAML_LIST ? "a list" : "a map");
    return buf;
}

bool yaml_integer(const char *text, int64_t *value) {
    const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (digits[0] < '0' || digits[0] > '9') return false;
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, hex ? 16 : 10);
    if (errno) return false;
    int shift = 0;
    if (!hex && *end && strchr("KMG", *end)) {
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
        end++;
    }
    if (*end || (shift && (v > (INT64_MAX >> shift) || v < -(INT64_MAX >> shift)))) return false;
    *value = v * ((int64_t)1 << shift);
    return true;
}
