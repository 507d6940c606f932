// SPDX-License-Identifier: Apache-2.0
// Reading launch.yaml: buffers first, because arguments and expectations name them.
#include "launch/reader.h"

#include <inttypes.h>
#include <string.h>

#define GRID_LIMITS \
    { 0x7fffffff, 65535, 65535 }  // of CUDA
#define BLOCK_LIMITS \
    { 1024, 1024, 64 }
enum { BLOCK_THREADS_LIMIT = 1024, BUFFER_ALIGN = 256, STEPS_LIMIT = 100000, LOOPS_LIMIT = 8 };

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
    if (!read_is(r, map, YAML_MAP, "a buffer") ||
        !ONLY_KEYS(r, map, "a buffer", "bytes", "init", "compress", "at", "save", "addresses"))
        return false;
    const YamlNode *bytes = yaml_get(map, "bytes"), *init = yaml_get(map, "init");
    int64_t size = 0, at = 0;
    uint64_t file_bytes = 0;
    if (!bytes && !init)
        return READ_FAIL(r, map, "buffer %s requires `bytes` or an `init` file", b->name);
    // Quotes change nothing, so that JSON can say it too; the file of this name is `./zero`.
    bool zero = !init || (init->kind == YAML_SCALAR && !strcmp(init->text, "zero"));
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
    if (at % BUFFER_ALIGN)
        return READ_FAIL(r, yaml_get(map, "at"), "at: expected a multiple of %d", BUFFER_ALIGN);
    b->at = (uint32_t)at;
    b->compress = !zero;
    if (!read_yes_key(r, map, "compress", &b->compress) || !read_save_key(r, map, &b->save))
        return false;
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
    for (int i = 0; i < map->nitems; i++)  // once all have names
        if (!read_addresses(r, yaml_get(map->items[i], "addresses"), &r->l->buffers[i].addresses))
            return false;
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
            : i < n->nitems                           ? n->items[i]
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
    if (scalar && !read_file_path(r, scalar, "program of a scalar thread", &s->scalar, NULL))
        return false;
    return read_args(r, yaml_get(map, "args"), s);
}

static bool read_listed_step(LaunchReader *r, const YamlNode *map, LaunchStep *s) {
    if (!read_is(r, map, YAML_MAP, "a launch") ||
        !ONLY_KEYS(r, map, "a launch", "ptx", "kernel", "grid", "block", "shared_bytes", "scalar",
                   "args"))
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

static bool read_list(LaunchReader *r, const YamlNode *list, const char *what, LaunchGroup *g,
                      int loops);

// One launch: a group of its own, or of the group that is repeated.
static bool read_one(LaunchReader *r, const YamlNode *map, LaunchGroup *g) {
    LaunchStep s;
    if (++r->nsteps > STEPS_LIMIT)
        return READ_FAIL(r, map, "loops make more than %d launches", STEPS_LIMIT);
    if (!read_listed_step(r, map, &s)) return false;
    if (!g) {
        g = ARENA_PUSH(r->arena, r->l->groups, r->l->ngroups, r->l->cap_groups);
        *g = (LaunchGroup){.repeat_buffer = -1};
    }
    *ARENA_PUSH(r->arena, g->steps, g->nsteps, g->cap_steps) = s;
    return true;
}

static bool read_repeated(LaunchReader *r, const YamlNode *map, const YamlNode *repeat, int loops) {
    LaunchGroup g = {.repeat_buffer = -1};
    if (!ONLY_KEYS(r, map, "a repeated group", "repeat", "steps") || !read_repeat(r, repeat, &g))
        return false;
    const YamlNode *steps = read_need(r, map, "steps", "a repeated group");
    if (!steps || !read_list(r, steps, "steps", &g, loops)) return false;
    *ARENA_PUSH(r->arena, r->l->groups, r->l->ngroups, r->l->cap_groups) = g;
    return true;
}

// {for: {index: k, from: 0, to: n - 2, step: 1}, steps: [..]}: `to` belongs to the loop.
static bool read_loop(LaunchReader *r, const YamlNode *map, const YamlNode *loop, LaunchGroup *g,
                      int loops) {
    int64_t from = 0, to = 0, step = 1;
    const char *index;
    if (loops >= LOOPS_LIMIT)
        return READ_FAIL(r, map, "more than %d loops inside each other", LOOPS_LIMIT);
    if (!ONLY_KEYS(r, map, "a loop", "for", "steps") || !read_is(r, loop, YAML_MAP, "for") ||
        !ONLY_KEYS(r, loop, "for", "index", "from", "to", "step"))
        return false;
    const YamlNode *steps = read_need(r, map, "steps", "a loop"),
                   *name = steps ? read_need(r, loop, "index", "for") : NULL,
                   *last = name ? read_need(r, loop, "to", "for") : NULL;
    if (!last || !read_text(r, name, "index", &index)) return false;
    if (!expr_is_name(index))
        return READ_FAIL(r, name, "index: expected a name, found `%.60s`", index);
    if (!read_int_key(r, loop, "from", INT32_MIN, INT32_MAX, &from) ||
        !read_int(r, last, "to", INT32_MIN, INT32_MAX, &to) ||
        !read_int_key(r, loop, "step", INT32_MIN, INT32_MAX, &step))
        return false;
    if (!step) return READ_FAIL(r, yaml_get(loop, "step"), "step: 0 does not end");
    const int place = r->nnames;
    *ARENA_PUSH(r->arena, r->names, r->nnames, r->cap_names) = (LaunchName){index, from};
    for (int64_t i = from, n = 0; step > 0 ? i <= to : i >= to; i += step, n++) {
        if (n > STEPS_LIMIT)
            return READ_FAIL(r, loop, "loops make more than %d launches", STEPS_LIMIT);
        r->names[place].value = i;
        if (!read_list(r, steps, "steps", g, loops + 1)) return false;
    }
    r->nnames = place;
    return true;
}

// The launches of a list, loops unrolled. g: the repeated group that they belong to; NULL: none.
static bool read_list(LaunchReader *r, const YamlNode *list, const char *what, LaunchGroup *g,
                      int loops) {
    if (!read_is(r, list, YAML_LIST, what)) return false;
    if (!list->nitems) return READ_FAIL(r, list, "%s: an empty list", what);
    for (int i = 0; i < list->nitems; i++) {
        const YamlNode *map = list->items[i];
        if (!read_is(r, map, YAML_MAP, "a launch")) return false;
        const YamlNode *repeat = yaml_get(map, "repeat"), *loop = yaml_get(map, "for");
        if (repeat && g) return READ_FAIL(r, repeat, "`repeat` inside `repeat`");
        const bool ok = repeat ? read_repeated(r, map, repeat, loops)
            : loop             ? read_loop(r, map, loop, g, loops)
                               : read_one(r, map, g);
        if (!ok) return false;
    }
    return true;
}

static bool read_launches(LaunchReader *r, const YamlNode *root) {
    static const char *const SINGLE[] = {"kernel",       "grid",   "block",
                                         "shared_bytes", "scalar", "args"};
    const YamlNode *list = yaml_get(root, "launches");
    if (!list) {
        LaunchGroup *g = ARENA_NEW(r->arena, LaunchGroup);
        *g = (LaunchGroup){
            .steps = ARENA_NEW(r->arena, LaunchStep), .nsteps = 1, .repeat_buffer = -1};
        r->l->groups = g;
        r->l->ngroups = 1;
        if (!r->ptx) return READ_FAIL(r, root, "the launch file requires the key `ptx`");
        return read_step(r, root, g->steps);
    }
    for (size_t i = 0; i < sizeof SINGLE / sizeof *SINGLE; i++) {
        const YamlNode *n = yaml_get(root, SINGLE[i]);
        if (n)
            return READ_FAIL(
                r, n, "`%s` and `launches` exclude each other: write the key inside the list",
                SINGLE[i]);
    }
    if (!read_list(r, list, "launches", NULL, 0)) return false;
    return r->l->ngroups ? true : READ_FAIL(r, list, "launches: its loops make no launch");
}

// Integers with names, each an expression of those before it.
static bool read_let(LaunchReader *r, const YamlNode *map) {
    if (!map) return true;
    if (!read_is(r, map, YAML_MAP, "let")) return false;
    for (int i = 0; i < map->nitems; i++) {
        LaunchName n = {.name = map->keys[i]->text};
        if (!expr_is_name(n.name))
            return READ_FAIL(r, map->keys[i], "let: expected a name, found `%.60s`", n.name);
        if (!read_int(r, map->items[i], n.name, INT64_MIN, INT64_MAX, &n.value)) return false;
        *ARENA_PUSH(r->arena, r->names, r->nnames, r->cap_names) = n;
    }
    return true;
}

// ---- expectations ----

// Bytes of the compared data. The size of a variable is known once its module is known.
static bool read_compared(LaunchReader *r, const YamlNode *map, LaunchExpect *e, const char **name,
                          uint64_t *bytes) {
    const YamlNode *buffer = yaml_get(map, "buffer"), *symbol = yaml_get(map, "symbol");
    if (!!buffer + !!symbol != 1)
        return READ_FAIL(r, map, "an expectation requires one of `buffer`, `symbol`");
    e->buffer = e->symbol = -1;
    *bytes = DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE;
    if (symbol) {
        if (!read_symbol_name(r, symbol, &e->symbol)) return false;
        *name = r->l->symbols[e->symbol].name;
        return true;
    }
    if (!read_buffer_name(r, buffer, &e->buffer)) return false;
    *name = r->l->buffers[e->buffer].name;
    *bytes = r->l->buffers[e->buffer].bytes;
    return true;
}

static bool read_expect(LaunchReader *r, const YamlNode *map, LaunchExpect *e) {
    *e = (LaunchExpect){.line = map->line, .col = map->col};
    if (!read_is(r, map, YAML_MAP, "an expectation") ||
        !ONLY_KEYS(r, map, "an expectation", "buffer", "symbol", "file", "type", "rtol", "atol",
                   "ulp", "offset", "bytes"))
        return false;
    const YamlNode *file = read_need(r, map, "file", "an expectation");
    const YamlNode *type = file ? read_need(r, map, "type", "an expectation") : NULL;
    uint64_t file_bytes = 0, has = 0;
    int64_t offset = 0, bytes = 0, ulp = 0;
    const char *name = "";
    if (!type || !read_compared(r, map, e, &name, &has) || !read_type(r, type, &e->type) ||
        !read_file_path(r, file, "expected file", &e->file, &file_bytes) ||
        !read_double_key(r, map, "rtol", &e->rtol) || !read_double_key(r, map, "atol", &e->atol) ||
        !read_int_key(r, map, "ulp", 0, INT64_MAX, &ulp))
        return false;
    if (!read_int_key(r, map, "offset", 0, (int64_t)has - 1, &offset) ||
        !read_int_key(r, map, "bytes", 1, (int64_t)has - offset, &bytes))
        return false;
    e->offset = (uint64_t)offset;
    e->bytes = bytes ? (uint64_t)bytes : file_bytes;
    e->ulp = (uint64_t)ulp;
    if (!ptx_type_is_float(e->type) && (e->rtol > 0 || e->atol > 0 || e->ulp))
        return READ_FAIL(r, type,
                         "rtol, atol and ulp apply to f32 and f64; integers are compared exactly");
    if (file_bytes < e->bytes || !e->bytes)
        return READ_FAIL(r, file,
                         "expected file %s has %" PRIu64 " bytes, %" PRIu64 " are to be compared",
                         e->file, file_bytes, e->bytes ? e->bytes : has - e->offset);
    if (e->offset + e->bytes > has)
        return READ_FAIL(r, file,
                         "expected file %s has %" PRIu64 " bytes, buffer %s has %" PRIu64
                         " from offset %" PRIu64,
                         e->file, file_bytes, name, has - e->offset, e->offset);
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
                   "shared_bytes", "scalar", "args", "launches", "buffers", "expect", "symbols",
                   "textures", "let"))
        return false;
    const YamlNode *name = yaml_get(root, "name"), *ptx = yaml_get(root, "ptx");
    if (name && !read_text(r, name, "name", &r->l->name)) return false;
    if (ptx && !read_file_path(r, ptx, "PTX file", &r->ptx, NULL)) return false;
    return read_let(r, yaml_get(root, "let")) && read_buffers(r, yaml_get(root, "buffers")) &&
        read_textures(r, yaml_get(root, "textures")) &&
        read_symbols(r, yaml_get(root, "symbols")) && read_launches(r, root) &&
        read_expects(r, yaml_get(root, "expect"));
}

Launch *launch_load(Arena *arena, const char *path, Diag *d) {
    return launch_load_from(arena, path, NULL, d);
}

Launch *launch_load_from(Arena *arena, const char *path, const LaunchFiles *files, Diag *d) {
    Launch *l = ARENA_NEW(arena, Launch);
    l->arena = arena;
    const YamlNode *root = yaml_load(arena, path, &l->src, d);
    if (!root) return NULL;
    const char *slash = strrchr(path, '/');
    LaunchReader r = {.l = l,
                      .arena = arena,
                      .d = d,
                      .files = files,
                      .dir = slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : ""};
    l->name = name_from_path(arena, path);
    return read_root(&r, root) ? l : NULL;
}
