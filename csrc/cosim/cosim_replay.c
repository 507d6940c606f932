// SPDX-License-Identifier: Apache-2.0
#include "cosim/cosim_replay.h"

#include "base/hash.h"
#include "base/output.h"
#include "base/yaml.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *replay_path(Arena *arena, const char *path) {
    char full[PATH_MAX];
    return path[0] && realpath(path, full) ? arena_printf(arena, "%s", full) : path;
}

// ---- writing -----------------------------------------------------------------------------------

static void write_quoted(FILE *f, const char *text) {
    fputc('"', f);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') fprintf(f, "\\%c", *p);
        else if ((unsigned char)*p < 0x20) fprintf(f, "\\x%02x", (unsigned char)*p);
        else fputc(*p, f);
    }
    fputc('"', f);
}

static void text_line(FILE *f, const char *key, const char *value) {
    if (!value) return;
    fprintf(f, "%s: ", key);
    write_quoted(f, value);
    fputc('\n', f);
}

static void list_line(FILE *f, const char *key, const char *const *items) {
    if (!items[0]) return;
    fprintf(f, "%s:\n", key);
    for (; *items; items++) fputs("  - ", f), write_quoted(f, *items), fputc('\n', f);
}

static void value_text(FILE *f, const uint32_t *v, int words) {
    fprintf(f, "\"0x");
    for (int i = words - 1; i >= 0; i--) fprintf(f, "%08x", v[i]);
    fputc('"', f);
}

static void write_mismatch(FILE *f, const Mismatch *m) {
    fprintf(f, "mismatch:\n  block: %s\n  port: ", m->block);
    write_quoted(f, m->port);
    fprintf(f, "\n  element: %d\n  address: 0x%x\n  cycle: %llu\n  words: %d\n  expected: ",
            m->element, m->obs_addr, (unsigned long long)m->cycle, m->words);
    value_text(f, m->expected, m->words);
    fprintf(f, "\n  actual: ");
    value_text(f, m->actual, m->words);
    fputc('\n', f);
}

static void write_run(FILE *f, const ReplayFile *r) {
    text_line(f, "launch", r->launch);
    text_line(f, "arch", r->arch);
    text_line(f, "blocks", r->blocks);
    text_line(f, "fault", r->fault);
    fprintf(f, "snapshot_interval: %llu\nmax_cycles: %llu\nskip_idle: %d\n",
            (unsigned long long)r->snapshot_interval, (unsigned long long)r->max_cycles,
            r->skip_idle);
    if (r->start_seed) fprintf(f, "start: %llu\n", (unsigned long long)r->start_seed);
    if (r->sms > 1) fprintf(f, "sms: %d\nlockstep_sm: %d\n", r->sms, r->lockstep_sm - 1);
}

static void write_inputs(FILE *f, const ReplayFile *r) {
    if (r->ninputs) fputs("files:\n", f);
    for (int i = 0; i < r->ninputs; i++) {
        fputs("  - {path: ", f);
        write_quoted(f, r->inputs[i].path);
        if (r->inputs[i].name) fputs(", name: ", f), write_quoted(f, r->inputs[i].name);
        fprintf(f, ", bytes: %llu, hash: \"%016llx\"}\n", (unsigned long long)r->inputs[i].bytes,
                (unsigned long long)r->inputs[i].hash);
    }
}

static void write_verify(FILE *f, const ReplayFile *r) {
    fprintf(f, "block: %s\nparameters: {", r->desc->name);
    for (int i = 0; i < r->desc->nparams; i++)
        fprintf(f, "%s%s: %d", i ? ", " : "", r->desc->params[i].name, r->params[i]);
    fputs("}\n", f);
}

bool replay_write(const char *dir, const ReplayFile *r, Diag *d) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/replay.yaml", dir);
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    fprintf(f, "# smcosim replay FOLDER\nreplay: 2\nkind: %s\n",
            r->kind == REPLAY_RUN ? "run" : "verify");
    text_line(f, "command", r->command);
    if (r->kind == REPLAY_RUN) write_run(f, r);
    else write_verify(f, r);
    text_line(f, "testbug", r->testbug);
    write_inputs(f, r);
    list_line(f, "rtl", r->rtl);
    list_line(f, "plusargs", r->plusargs);
    write_mismatch(f, &r->mismatch);
    const bool ok = output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct Reader {
    ReplayFile *r;
    Arena *arena;
    SourceText src;
    Diag *d;
} Reader;

static bool refuse_node(Reader *x, const YamlNode *n, const char *expected) {
    char found[100];
    return diag_fail_at(x->d, &x->src, n->line, n->col, "expected %s, found %s", expected,
                        yaml_found(n, found, sizeof found));
}

static bool get_text(Reader *x, const YamlNode *map, const char *key, bool needed,
                     const char **text) {
    const YamlNode *n = yaml_get(map, key);
    if (!n && !needed) return true;
    if (!n) return diag_fail_at(x->d, &x->src, map->line, map->col, "`%s` is missing", key);
    if (n->kind != YAML_SCALAR) return refuse_node(x, n, "a text");
    *text = n->text;
    return true;
}

static bool get_number(Reader *x, const YamlNode *map, const char *key, int64_t least, int64_t most,
                       int64_t *value) {
    const YamlNode *n = yaml_get(map, key);
    if (!n) return diag_fail_at(x->d, &x->src, map->line, map->col, "`%s` is missing", key);
    if (n->kind != YAML_SCALAR || !yaml_integer(n->text, value) || *value < least || *value > most)
        return refuse_node(x, n, "a number in range");
    return true;
}

static bool get_list(Reader *x, const YamlNode *map, const char *key, const char **items,
                     int *count) {
    const YamlNode *n = yaml_get(map, key);
    if (!n) return true;
    if (n->kind != YAML_LIST || n->nitems > REPLAY_MAX_LIST)
        return refuse_node(x, n, "a list of texts");
    for (int i = 0; i < n->nitems; i++) {
        if (n->items[i]->kind != YAML_SCALAR) return refuse_node(x, n->items[i], "a text");
        items[(*count)++] = n->items[i]->text;
    }
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "0x" and 8 digits per word, the highest word first.
static bool get_value(Reader *x, const YamlNode *map, const char *key, int words, uint32_t *v) {
    const char *text = NULL;
    if (!get_text(x, map, key, true, &text)) return false;
    bool good = !strncmp(text, "0x", 2) && strlen(text) == 2 + 8 * (size_t)words;
    for (int i = 0; good && i < 8 * words; i++) {
        int value = hex_digit(text[2 + i]);
        good = value >= 0;
        v[words - 1 - i / 8] = v[words - 1 - i / 8] << 4 | (uint32_t)value;
    }
    return good || refuse_node(x, yaml_get(map, key), "0x and 8 hexadecimal digits per word");
}

static bool read_mismatch(Reader *x, const YamlNode *root) {
    static const char *const keys[] = {"block", "port",  "element",  "address",
                                       "cycle", "words", "expected", "actual"};
    const YamlNode *map = yaml_get(root, "mismatch");
    Mismatch *m = &x->r->mismatch;
    int64_t element, address, cycle, words;
    if (!map) return diag_fail_at(x->d, &x->src, root->line, root->col, "`mismatch` is missing");
    if (map->kind != YAML_MAP) return refuse_node(x, map, "a map");
    if (!yaml_only_keys(map, keys, sizeof keys / sizeof *keys, "mismatch", &x->src, x->d) ||
        !get_text(x, map, "block", true, &m->block) || !get_text(x, map, "port", true, &m->port) ||
        !get_number(x, map, "element", -1, 1 << 16, &element) ||
        !get_number(x, map, "address", 0, UINT32_MAX, &address) ||
        !get_number(x, map, "cycle", 0, INT64_MAX, &cycle) ||
        !get_number(x, map, "words", 1, 32, &words))
        return false;
    m->element = (int)element, m->obs_addr = (uint32_t)address, m->cycle = (uint64_t)cycle,
    m->words = (int)words;
    return get_value(x, map, "expected", m->words, m->expected) &&
        get_value(x, map, "actual", m->words, m->actual);
}

// A path that does not lead out of the bundle.
static bool is_inside(const char *path) {
    if (strncmp(path, "files/", 6)) return false;
    for (const char *p = path; p; p = strchr(p, '/'), p += p != NULL)
        if (!strncmp(p, "..", 2) && (!p[2] || p[2] == '/')) return false;
    return true;
}

static bool is_input(const ReplayFile *r, const char *path, size_t n) {
    for (int i = 0; i < r->ninputs; i++)
        if (strlen(r->inputs[i].path) == n && !strncmp(r->inputs[i].path, path, n)) return true;
    return false;
}

// Checks that launch file and RTL are among the copies, so that the hashes cover the files that
// run.
static bool check_copies(Reader *x, const YamlNode *root) {
    const ReplayFile *r = x->r;
    const YamlNode *launch = yaml_get(root, "launch"), *rtl = yaml_get(root, "rtl");
    if (r->kind == REPLAY_RUN && !is_input(r, r->launch, strlen(r->launch)))
        return refuse_node(x, launch, "a path of the list `files`");
    for (int i = 0; i < r->nrtl; i++) {
        const char *p = strchr(r->rtl[i], '=');
        if (!p || !p[1]) return refuse_node(x, rtl->items[i], "BLOCK=FILE");
        for (p++; *p; p += strcspn(p, ","), p += *p == ',')
            if (!is_input(r, p, strcspn(p, ",")))
                return refuse_node(x, rtl->items[i], "paths of the list `files`");
    }
    return true;
}

static bool read_inputs(Reader *x, const YamlNode *root) {
    static const char *const keys[] = {"path", "name", "bytes", "hash"};
    const YamlNode *list = yaml_get(root, "files");
    ReplayFile *r = x->r;
    if (!list) return true;
    if (list->kind != YAML_LIST) return refuse_node(x, list, "a list of files");
    for (int i = 0; i < list->nitems; i++) {
        const YamlNode *n = list->items[i];
        ReplayInput input = {0};
        int64_t bytes;
        const char *hash = NULL;
        if (n->kind != YAML_MAP) return refuse_node(x, n, "{path: .., bytes: .., hash: ..}");
        if (!yaml_only_keys(n, keys, 4, "file", &x->src, x->d) ||
            !get_text(x, n, "path", true, &input.path) ||
            !get_text(x, n, "name", false, &input.name) ||
            !get_number(x, n, "bytes", 0, INT64_MAX, &bytes) ||
            !get_text(x, n, "hash", true, &hash))
            return false;
        char *end;
        input.bytes = (uint64_t)bytes;
        input.hash = strtoull(hash, &end, 16);
        if (*end || !*hash) return refuse_node(x, yaml_get(n, "hash"), "16 hexadecimal digits");
        if (!is_inside(input.path))
            return refuse_node(x, yaml_get(n, "path"), "a path below files/ of the bundle");
        *ARENA_PUSH(x->arena, r->inputs, r->ninputs, r->cap_inputs) = input;
    }
    return true;
}

static bool read_run(Reader *x, const YamlNode *root) {
    ReplayFile *r = x->r;
    int64_t interval, most, skip;
    if (!get_text(x, root, "launch", true, &r->launch) ||
        !get_text(x, root, "arch", true, &r->arch) ||
        !get_text(x, root, "blocks", true, &r->blocks) ||
        !get_text(x, root, "fault", false, &r->fault) ||
        !get_number(x, root, "snapshot_interval", 0, INT64_MAX, &interval) ||
        !get_number(x, root, "max_cycles", 0, INT64_MAX, &most) ||
        !get_number(x, root, "skip_idle", 0, 1, &skip))
        return false;
    r->snapshot_interval = (uint64_t)interval, r->max_cycles = (uint64_t)most,
    r->skip_idle = skip != 0;
    int64_t sms, sm, start = 0;
    if (yaml_get(root, "start") && !get_number(x, root, "start", 0, INT64_MAX, &start))
        return false;
    r->start_seed = (uint64_t)start;
    if (!yaml_get(root, "sms")) return true;
    if (!get_number(x, root, "sms", 2, REPLAY_MAX_SMS, &sms) ||
        !get_number(x, root, "lockstep_sm", 0, sms - 1, &sm))
        return false;
    r->sms = (int)sms, r->lockstep_sm = (int)sm + 1;
    return true;
}

static bool read_verify(Reader *x, const YamlNode *root) {
    ReplayFile *r = x->r;
    const char *block = NULL;
    const YamlNode *map = yaml_get(root, "parameters");
    if (!get_text(x, root, "block", true, &block)) return false;
    r->desc = block_desc_find(block);
    if (!r->desc) return refuse_node(x, yaml_get(root, "block"), "a block (smcosim list blocks)");
    if (!map || map->kind != YAML_MAP)
        return refuse_node(x, map ? map : root, "`parameters`, a map");
    for (int i = 0; i < r->desc->nparams; i++) {
        const BlockParam *p = &r->desc->params[i];
        int64_t value;
        if (!get_number(x, map, p->name, p->least, p->most, &value)) return false;
        r->params[i] = (int)value;
    }
    return true;
}

bool replay_load(ReplayFile *r, Arena *arena, const char *dir, Diag *d) {
    static const char *const keys[] = {"replay",     "kind",   "command",     "launch",
                                       "arch",       "blocks", "fault",       "snapshot_interval",
                                       "max_cycles", "files",  "block",       "parameters",
                                       "testbug",    "rtl",    "plusargs",    "mismatch",
                                       "skip_idle",  "sms",    "lockstep_sm", "start"};
    *r = (ReplayFile){0};
    Reader x = {.r = r, .arena = arena, .d = d};
    const YamlNode *root = yaml_load(arena, arena_printf(arena, "%s/replay.yaml", dir), &x.src, d);
    const char *kind = NULL;
    int64_t version;
    if (!root) return false;
    if (root->kind != YAML_MAP) return refuse_node(&x, root, "a map");
    if (!yaml_only_keys(root, keys, sizeof keys / sizeof *keys, "replay", &x.src, d) ||
        !get_number(&x, root, "replay", 1, INT64_MAX, &version) ||
        (version != 2 &&
         !refuse_node(&x, yaml_get(root, "replay"),
                      "2: the bundle is of another version of smcosim")) ||
        !get_text(&x, root, "kind", true, &kind) ||
        !get_text(&x, root, "command", false, &r->command) ||
        !get_text(&x, root, "testbug", false, &r->testbug) ||
        !get_list(&x, root, "rtl", r->rtl, &r->nrtl) ||
        !get_list(&x, root, "plusargs", r->plusargs, &r->nplusargs) || !read_mismatch(&x, root) ||
        !read_inputs(&x, root))
        return false;
    if (strcmp(kind, "run") && strcmp(kind, "verify"))
        return refuse_node(&x, yaml_get(root, "kind"), "run or verify");
    r->kind = strcmp(kind, "run") ? REPLAY_VERIFY : REPLAY_RUN;
    return (r->kind == REPLAY_RUN ? read_run(&x, root) : read_verify(&x, root)) &&
        check_copies(&x, root);
}

static bool refuse_changed(const char *path, const ReplayInput *was, const ReplayInput *is,
                           Diag *d) {
    return diag_fail(
        d, EXIT_USAGE,
        "%s: changed since the mismatch (%llu bytes, hash %016llx; then %llu bytes, hash %016llx)",
        path, (unsigned long long)is->bytes, (unsigned long long)is->hash,
        (unsigned long long)was->bytes, (unsigned long long)was->hash);
}

bool replay_inputs(const ReplayFile *r, Arena *arena, const char *dir, Diag *d) {
    for (int i = 0; i < r->ninputs; i++) {
        const ReplayInput *was = &r->inputs[i];
        const char *path = arena_printf(arena, "%s/%s", dir, was->path);
        struct stat st;
        char *text;
        size_t length;
        if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
            return diag_fail(d, EXIT_USAGE, "%s: not a regular file", path);
        if (!file_read(arena, path, &text, &length, d)) return false;
        const ReplayInput is = {.bytes = length, .hash = hash_bytes(HASH_START, text, length)};
        if (is.bytes != was->bytes || is.hash != was->hash)
            return refuse_changed(path, was, &is, d);
    }
    return true;
}
