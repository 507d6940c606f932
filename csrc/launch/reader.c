// SPDX-License-Identifier: Apache-2.0
#include "launch/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOUND_BYTES = 100 };

bool read_is(LaunchReader *r, const YamlNode *n, YamlKind kind, const char *what) {
    char found[FOUND_BYTES];
    if (n->kind == kind) return true;
    return READ_FAIL(r, n, "%s: expected %s, found %s", what,
                     kind == YAML_MAP        ? "a map"
                         : kind == YAML_LIST ? "a list"
                                             : "one value",
                     yaml_found(n, found, sizeof found));
}

const YamlNode *read_need(LaunchReader *r, const YamlNode *map, const char *key, const char *what) {
    const YamlNode *n = yaml_get(map, key);
    if (!n) READ_FAIL(r, map, "%s needs the key `%s`", what, key);
    return n;
}

bool read_int(LaunchReader *r, const YamlNode *n, const char *what, int64_t least, int64_t most,
              int64_t *v) {
    char found[FOUND_BYTES], why[FOUND_BYTES];
    int at;
    if (!read_is(r, n, YAML_SCALAR, what)) return false;
    if (!expr_integer(r, n->text, v, &at, why, sizeof why))
        return diag_fail_at(r->d, &r->l->src, n->line, n->col + at,
                            "%s: expected an integer, found %s: %s", what,
                            yaml_found(n, found, sizeof found), why);
    if (*v < least || *v > most)
        return READ_FAIL(r, n, "%s: %" PRId64 " is not within %" PRId64 "..%" PRId64, what, *v,
                         least, most);
    return true;
}

bool read_int_key(LaunchReader *r, const YamlNode *map, const char *key, int64_t least,
                  int64_t most, int64_t *v) {
    const YamlNode *n = yaml_get(map, key);
    return n ? read_int(r, n, key, least, most, v) : true;
}

bool read_yes_key(LaunchReader *r, const YamlNode *map, const char *key, bool *v) {
    char found[FOUND_BYTES];
    const YamlNode *n = yaml_get(map, key);
    if (!n) return true;
    if (!read_is(r, n, YAML_SCALAR, key)) return false;
    *v = !strcmp(n->text, "yes");
    return *v || !strcmp(n->text, "no") ||
        READ_FAIL(r, n, "%s: expected yes or no, found %s", key,
                  yaml_found(n, found, sizeof found));
}

bool read_double_key(LaunchReader *r, const YamlNode *map, const char *key, double *v) {
    char found[FOUND_BYTES];
    const YamlNode *n = yaml_get(map, key);
    if (!n) return true;
    if (!read_is(r, n, YAML_SCALAR, key)) return false;
    char *end;
    *v = strtod(n->text, &end);
    if (!*n->text || *end || !(*v >= 0) || isinf(*v))
        return READ_FAIL(r, n, "%s: expected a number of at least 0, found %s", key,
                         yaml_found(n, found, sizeof found));
    return true;
}

bool read_text(LaunchReader *r, const YamlNode *n, const char *what, const char **text) {
    if (!read_is(r, n, YAML_SCALAR, what)) return false;
    if (!*n->text) return READ_FAIL(r, n, "%s: empty", what);
    *text = n->text;
    return true;
}

// NULL: not in the list of files that the launch file may name.
static const char *where_is(LaunchReader *r, const char *name) {
    if (!r->files) return name[0] == '/' ? name : arena_printf(r->arena, "%s%s", r->dir, name);
    for (int i = 0; i < r->files->n; i++)
        if (!strcmp(r->files->files[i].name, name)) return r->files->files[i].path;
    return NULL;
}

static void remember_file(LaunchReader *r, const char *name, const char *path) {
    Launch *l = r->l;
    for (int i = 0; i < l->nfiles; i++)
        if (!strcmp(l->files[i].name, name)) return;
    *ARENA_PUSH(r->arena, l->files, l->nfiles, l->cap_files) = (LaunchFile){name, path};
}

bool read_file_path(LaunchReader *r, const YamlNode *n, const char *what, const char **path,
                    uint64_t *bytes) {
    struct stat st;
    const char *text;
    if (!read_text(r, n, what, &text)) return false;
    *path = where_is(r, text);
    if (!*path) return READ_FAIL(r, n, "%s %s: the bundle has no copy of it", what, text);
    remember_file(r, text, *path);
    if (stat(*path, &st) != 0) return READ_FAIL(r, n, "%s %s: %s", what, *path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return READ_FAIL(r, n, "%s %s: not a regular file", what, *path);
    if (bytes) *bytes = (uint64_t)st.st_size;
    return true;
}

bool read_save_key(LaunchReader *r, const YamlNode *map, const char **path) {
    const YamlNode *n = yaml_get(map, "save");
    const char *text;
    if (!n) return true;
    if (!read_text(r, n, "save", &text)) return false;
    *path = text[0] == '/' ? text : arena_printf(r->arena, "%s%s", r->dir, text);
    return true;
}

bool read_buffer_name(LaunchReader *r, const YamlNode *n, int *index) {
    const char *name;
    if (!read_text(r, n, "buffer", &name)) return false;
    const char **names = ARENA_ARRAY(r->arena, const char *, r->l->nbuffers);
    for (int i = 0; i < r->l->nbuffers; i++) {
        names[i] = r->l->buffers[i].name;
        if (strcmp(names[i], name)) continue;
        *index = i;
        return true;
    }
    const char *near = name_suggest(name, names, r->l->nbuffers);
    if (near)
        return READ_FAIL(r, n, "no buffer `%s` under `buffers`; did you mean `%s`?", name, near);
    return READ_FAIL(r, n, "no buffer `%s` under `buffers`", name);
}

bool read_type(LaunchReader *r, const YamlNode *n, PtxType *type) {
    static const struct {
        const char *name;
        PtxType type;
    } TYPES[] = {{"u8", PTX_U8},   {"u16", PTX_U16}, {"u32", PTX_U32}, {"u64", PTX_U64},
                 {"s8", PTX_S8},   {"s16", PTX_S16}, {"s32", PTX_S32}, {"s64", PTX_S64},
                 {"f32", PTX_F32}, {"f64", PTX_F64}};
    const char *text;
    if (!read_text(r, n, "type", &text)) return false;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(TYPES[i].name, text)) continue;
        *type = TYPES[i].type;
        return true;
    }
    return READ_FAIL(
        r, n, "unknown type `%s`: u8, u16, u32, u64, s8, s16, s32, s64, f32, f64 are known", text);
}
