// SPDX-License-Identifier: Apache-2.0
// Reading launch.yaml: buffers first, because arguments and expectations name them.
#include "launch/reader.h"

#include <inttypes.h>
#include <string.h>

#define GRID_LIMITS {0x7fffffff, 65535, 65535}   // of CUDA
#define BLOCK_LIMITS {1024, 1024, 64}
enum { BLOCK_THREADS_LIMIT = 1024, BUFFER_ALIGN = 256 };

#define ONLY_KEYS(r, map, what, ...) \
    yaml_only_keys(map, (const char *const[]){__VA_ARGS__}, \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), what, \
                   &(r)->l->src, (r)->d)

// ---- buffers ----

// Names become file names when buffers are written out.
static bool name_is_plain(const char *name) {
    static const char ALLOWED[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return *name && *name != '.' && !name[strspn(name, ALLOWED)];
}

static bool read_buffer(LaunchReader *r, const YamlNode *key, const YamlNode *map,
                        LaunchBuffer *b) {
    *b = (LaunchBuffer){.name = key->text, .line = key->line, .col = key->col};
    if (!name_is_plain(b->name))
        return READ_FAIL(r, key,
                         "a buffer's name consists of letters, digits, `_`, `-`, `.`: found `%s`",
                         b->name);
    if (!read_is(r, map, YAML_MAP, "a buffer") || !ONLY_KEYS(r, map, "a buffer", "bytes", "init", "compress", "at"))
        return false;
    const YamlNode *bytes = yaml_get(map, "bytes"), *init = yaml_get(map, "init");
    int64_t size = 0, at = 0;
    uint64_t file_bytes = 0;
    if (!bytes && !init)
        return READ_FAIL(r, map, "buffer %s needs `bytes` or an `init` file", b->name);
    // Quotes change nothing, so that JSON can say it too; the file of this name is `./zero`.
    bool zero = !init ||
                (init->kind == YAML_SCALAR && !strcmp(init->text, "zero"));
    if (!zero) {
        if (!read_file_path(r, init, "init file", &b->init, &file_bytes)) return false;
        b->line = init->line;
        b->col = init->col;
    }
    if (bytes && !read_int(r, bytes, "bytes", 1, DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE, &size))
        return false;
    if (!bytes && zero) return READ_FAIL(r, map, "buffer %s needs `bytes`", b->name);
    if (!bytes && !file_bytes) return READ_FAIL(r, init, "init file %s is empty", b->init);
    if (!read_int_key(r, map, "at", DEVICE_GLOBAL_BASE, DEVICE_GLOBAL_END, &at)) return false;
    if (at % BUFFER_ALIGN) return READ_FAIL(r, yaml_get(map, "at"), "at: expected a multiple of %d", BUFFER_ALIGN);
    b->at = (uint32_t)at;
    b->compress = !zero;
    if (!read_yes_key(r, map, "compress", &b->compress)) return false;
    b->bytes = bytes ? (uint64_t)size : file_bytes;
    if (file_bytes > b->bytes)
        return READ_FAIL(r, init, "buffer %s has %" PRIu64 " bytes, its init file %s has %" PRIu64,
                         b->name, b->bytes, b->init, file_bytes);
    return true;
}

static bool read_buffers(LaunchReader *r, const YamlNode *map) {
    if (!map) return true;
    if (!read_is(r, map, YAML_MAP, "buffers")) return false;
    r->l->buffers = ARENA_ARRAY(r->arena, LaunchBuffer, map->nitems);
    for (int i = 0; i < map->nitems; i++)
        if (!read_buffer(r, map->keys[i], map->items[i], &r->l->buffers[i])) return false;
    r->l->nbuffers = map->nitems;
    return true;
}

// ---- steps ----

// [x, y, z], shorter, or one number.
static bool read_dim(LaunchReader *r, const YamlNode *map, const char *key, const int64_t limits[3],
                     uint32_t dim[3]) {
    const YamlNode *n = read_need(r, map, key, "a launch");
    if (!n) return false;
    if (n->kind == YAML_MAP || (n->kind == YAML_LIST && (n->nitems < 1 || n->nitems > 3)))
        return READ_FAIL(r, n, "%s: expected one to three numbers [x, y, z]", key);
    for (int i = 0; i < 3; i++) {
        const YamlNode *item = n->kind == YAML_SCALAR ? (i ? NULL : n)
                               : i < n->nitems        ? n->items[i]
                                                      : NULL;
        char what[16];
        int64_t v = 1;
        snprintf(what, sizeof what, "%s.%c", key, "xyz"[i]);
        if (item && !read_int(r, item, what, 1, limits[i], &v)) return false;
        dim[i] = (uint32_t)v;
    }
    return true;
}

static bool read_step(LaunchReader *r, const YamlNode *map, LaunchStep *s) {
    static const int64_t GRID[3] = GRID_LIMITS, BLOCK[3] = BLOCK_LIMITS;
    int64_t shared = 0;
    *s = (LaunchStep){.ptx = r->ptx};
    const YamlNode *kernel = read_need(r, map, "kernel", "a launch");
    if (!kernel || !read_text(r, kernel, "kernel", &s->kernel)) return false;
    s->line = kernel->line;
    s->col = kernel->col;
    if (!read_dim(r, map, "grid", GRID, s->grid) || !read_dim(r, map, "block", BLOCK, s->block))
        return false;
    if ((uint64_t)s->block[0] * s->block[1] * s->block[2] > BLOCK_THREADS_LIMIT)
        return READ_FAIL(r, yaml_get(map, "block"),
                         "a block of %u x %u x %u = %u threads: at most %d", s->block[0],
                         s->block[1], s->block[2], s->block[0] * s->block[1] * s->block[2],
                         BLOCK_THREADS_LIMIT);
    if (!read_int_key(r, map, "shared_bytes", 0, DEVICE_WINDOW_BYTES, &shared)) return false;
    s->shared_bytes = (uint32_t)shared;
    const YamlNode *scalar = yaml_get(map, "scalar");
    if (scalar && !read_file_path(r, scalar, "program of a scalar thread", &s->scalar, NULL)) return false;
    return read_args(r, yaml_get(map, "args"), s);
}

static bool read_listed_step(LaunchReader *r, const YamlNode *map, LaunchStep *s) {
    if (!read_is(r, map, YAML_MAP, "a launch") ||
        !ONLY_KEYS(r, map, "a launch", "ptx", "kernel", "grid", "block", "shared_bytes", "scalar", "args"))
        return false;
    if (!read_step(r, map, s)) return false;
    const YamlNode *ptx = yaml_get(map, "ptx");
    if (ptx && !read_file_path(r, ptx, "PTX file", &s->ptx, NULL)) return false;
    return s->ptx ? true : READ_FAIL(r, map, "no `ptx` here nor at the top level");
}

static bool read_repeat(LaunchReader *r, const YamlNode *map, LaunchGroup *g) {
    int64_t offset = 0, max = 0;
    if (!read_is(r, map, YAML_MAP, "repeat") || !ONLY_KEYS(r, map, "repeat", "while", "max"))
        return false;
    const YamlNode *cond = read_need(r, map, "while", "repeat");
    const YamlNode *most = cond ? read_need(r, map, "max", "repeat") : NULL;
    if (!most || !read_is(r, cond, YAML_MAP, "while") ||
        !ONLY_KEYS(r, cond, "while", "buffer", "offset") ||
        !read_int(r, most, "max", 1, 1 << 30, &max))
        return false;
    const YamlNode *buffer = read_need(r, cond, "buffer", "while");
    if (!buffer || !read_buffer_name(r, buffer, &g->repeat_buffer)) return false;
    const LaunchBuffer *b = &r->l->buffers[g->repeat_buffer];
    if (b->bytes < 4) return READ_FAIL(r, buffer, "buffer %s has no 4-byte word to test", b->name);
    if (!read_int_key(r, cond, "offset", 0, (int64_t)b->bytes - 4, &offset)) return false;
    g->repeat_offset = (uint64_t)offset;
    g->repeat_max = (int)max;
    return true;
}

static bool read_group(LaunchReader *r, const YamlNode *map, LaunchGroup *g) {
    *g = (LaunchGroup){.repeat_buffer = -1};
    if (!read_is(r, map, YAML_MAP, "a launch")) return false;
    const YamlNode *repeat = yaml_get(map, "repeat");
    if (!repeat) {
        g->steps = ARENA_NEW(r->arena, LaunchStep);
        g->nsteps = 1;
        return read_listed_step(r, map, g->steps);
    }
    if (!ONLY_KEYS(r, map, "a repeated group", "repeat", "steps") || !read_repeat(r, repeat, g))
        return false;
    const YamlNode *steps = read_need(r, map, "steps", "a repeated group");
    if (!steps || !read_is(r, steps, YAML_LIST, "steps")) return false;
    if (!steps->nitems) return READ_FAIL(r, steps, "steps: an empty list");
    g->steps = ARENA_ARRAY(r->arena, LaunchStep, steps->nitems);
    g->nsteps = steps->nitems;
    for (int i = 0; i < steps->nitems; i++)
        if (!read_listed_step(r, steps->items[i], &g->steps[i])) return false;
    return true;
}

static bool read_launches(LaunchReader *r, const YamlNode *root) {
    static const char *const SINGLE[] = {"kernel", "grid", "block", "shared_bytes", "scalar", "args"};
    const YamlNode *list = yaml_get(root, "launches");
    if (!list) {
        LaunchGroup *g = ARENA_NEW(r->arena, LaunchGroup);
        *g = (LaunchGroup){
            .steps = ARENA_NEW(r->arena, LaunchStep), .nsteps = 1, .repeat_buffer = -1};
        r->l->groups = g;
        r->l->ngroups = 1;
        if (!r->ptx) return READ_FAIL(r, root, "the launch file needs the key `ptx`");
        return read_step(r, root, g->steps);
    }
    for (size_t i = 0; i < sizeof SINGLE / sizeof *SINGLE; i++) {
        const YamlNode *n = yaml_get(root, SINGLE[i]);
        if (n)
            return READ_FAIL(r, n, "`%s` stands beside `launches`: write it inside the list",
                             SINGLE[i]);
    }
    if (!read_is(r, list, YAML_LIST, "launches")) return false;
    if (!list->nitems) return READ_FAIL(r, list, "launches: an empty list");
    r->l->groups = ARENA_ARRAY(r->arena, LaunchGroup, list->nitems);
    r->l->ngroups = list->nitems;
    for (int i = 0; i < list->nitems; i++)
        if (!read_group(r, list->items[i], &r->l->groups[i])) return false;
    return true;
}

// ---- expectations ----

static bool read_expect(LaunchReader *r, const YamlNode *map, LaunchExpect *e) {
    *e = (LaunchExpect){.line = map->line, .col = map->col};
    if (!read_is(r, map, YAML_MAP, "an expectation") ||
        !ONLY_KEYS(r, map, "an expectation", "buffer", "file", "type", "rtol", "atol", "ulp",
                   "offset", "bytes"))
        return false;
    const YamlNode *buffer = read_need(r, map, "buffer", "an expectation");
    const YamlNode *file = buffer ? read_need(r, map, "file", "an expectation") : NULL;
    const YamlNode *type = file ? read_need(r, map, "type", "an expectation") : NULL;
    uint64_t file_bytes = 0;
    int64_t offset = 0, bytes = 0, ulp = 0;
    if (!type || !read_buffer_name(r, buffer, &e->buffer) || !read_type(r, type, &e->type) ||
        !read_file_path(r, file, "expected file", &e->file, &file_bytes) ||
        !read_double_key(r, map, "rtol", &e->rtol) || !read_double_key(r, map, "atol", &e->atol) ||
        !read_int_key(r, map, "ulp", 0, INT64_MAX, &ulp))
        return false;
    const LaunchBuffer *b = &r->l->buffers[e->buffer];
    if (!read_int_key(r, map, "offset", 0, (int64_t)b->bytes - 1, &offset) ||
        !read_int_key(r, map, "bytes", 1, (int64_t)b->bytes - offset, &bytes))
        return false;
    e->offset = (uint64_t)offset;
    e->bytes = bytes ? (uint64_t)bytes : file_bytes;
    e->ulp = (uint64_t)ulp;
    if (!ptx_type_is_float(e->type) && (e->rtol > 0 || e->atol > 0 || e->ulp))
        return READ_FAIL(r, type,
                         "rtol, atol and ulp are for f32 and f64; integers are compared exactly");
    if (file_bytes < e->bytes || !e->bytes)
        return READ_FAIL(r, file,
                         "expected file %s has %" PRIu64 " bytes, %" PRIu64 " are to be compared",
                         e->file, file_bytes, e->bytes ? e->bytes : b->bytes - e->offset);
    if (e->offset + e->bytes > b->bytes)
        return READ_FAIL(r, file,
                         "expected file %s has %" PRIu64 " bytes, buffer %s has %" PRIu64
                         " from offset %" PRIu64,
                         e->file, file_bytes, b->name, b->bytes - e->offset, e->offset);
    if (e->bytes % (uint64_t)ptx_type_bytes(e->type))
        return READ_FAIL(r, type, "%" PRIu64 " bytes are not whole elements of type %s", e->bytes,
                         ptx_type_name(e->type));
    return true;
}

static bool read_expects(LaunchReader *r, const YamlNode *list) {
    if (!list) return true;
    if (!read_is(r, list, YAML_LIST, "expect")) return false;
    r->l->expects = ARENA_ARRAY(r->arena, LaunchExpect, list->nitems);
    r->l->nexpects = list->nitems;
    for (int i = 0; i < list->nitems; i++)
        if (!read_expect(r, list->items[i], &r->l->expects[i])) return false;
    return true;
}

// ---- the file ----

// vecadd/launch.yaml -> vecadd; saxpy.yaml -> saxpy.
static const char *name_from_path(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    if (!strncmp(file, "launch.", 7) && slash && slash != path) {
        const char *start = slash;
        while (start > path && start[-1] != '/') start--;
        if (slash - start > 0 && *start != '.')
            return arena_strndup(arena, start, (size_t)(slash - start));
    }
    const char *dot = strrchr(file, '.');
    return arena_strndup(arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

static bool read_root(LaunchReader *r, const YamlNode *root) {
    if (!read_is(r, root, YAML_MAP, "a launch file") ||
        !ONLY_KEYS(r, root, "a launch file", "name", "ptx", "kernel", "grid", "block",
                   "shared_bytes", "scalar", "args", "launches", "buffers", "expect"))
        return false;
    const YamlNode *name = yaml_get(root, "name"), *ptx = yaml_get(root, "ptx");
    if (name && !read_text(r, name, "name", &r->l->name)) return false;
    if (ptx && !read_file_path(r, ptx, "PTX file", &r->ptx, NULL)) return false;
    return read_buffers(r, yaml_get(root, "buffers")) && read_launches(r, root) &&
           read_expects(r, yaml_get(root, "expect"));
}

Launch *launch_load(Arena *arena, const char *path, Diag *d) { return launch_load_from(arena, path, NULL, d); }

Launch *launch_load_from(Arena *arena, const char *path, const LaunchFiles *files, Diag *d) {
    Launch *l = ARENA_NEW(arena, Launch);
    l->arena = arena;
    const YamlNode *root = yaml_load(arena, path, &l->src, d);
    if (!root) return NULL;
    const char *slash = strrchr(path, '/');
    LaunchReader r = {.l = l, .arena = arena, .d = d, .files = files,
                      .dir = slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : ""};
    l->name = name_from_path(arena, path);
    return read_root(&r, root) ? l : NULL;
}
