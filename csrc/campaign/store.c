// SPDX-License-Identifier: Apache-2.0
#include "campaign/store.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "smcosim.result/1"

// ---- keys ---------------------------------------------------------------------------------------

static bool hash_file(uint64_t *hash, const char *path) {
    char buffer[1 << 16];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        *hash = hash_bytes(*hash, buffer, n);
    const bool ok = !ferror(f);
    return !fclose(f) && ok;
}

static int is_beside(const struct dirent *e) {
    return e->d_name[0] != '.' && !output_has_ending(e->d_name, ".yaml");
}

// Hashes the files beside a launch file, because it may name any of them.
static bool hash_beside(uint64_t *hash, const char *launch) {
    Arena arena = {0};
    const char *slash = strrchr(launch, '/');
    const char *dir = slash ? arena_strndup(&arena, launch, (size_t)(slash - launch)) : ".";
    struct dirent **found;
    const int n = scandir(dir, &found, is_beside, alphasort);
    bool ok = n >= 0;
    for (int i = 0; i < n; i++) {
        const char *path = arena_printf(&arena, "%s/%s", dir, found[i]->d_name);
        struct stat st;
        if (!stat(path, &st) && S_ISREG(st.st_mode)) {
            *hash = hash_bytes(*hash, found[i]->d_name, strlen(found[i]->d_name) + 1);
            ok = hash_file(hash, path) && ok;
        }
        free(found[i]);
    }
    if (n >= 0) free(found);
    arena_free(&arena);
    return ok;
}

// Hash of a file that a command names; each file is read once.
static bool hash_named(Results *r, uint64_t *hash, const char *path) {
    int i = 0;
    while (i < r->nfiles && strcmp(r->files[i].path, path) != 0) i++;
    if (i == r->nfiles) {
        struct ResultFile f = {.path = arena_printf(&r->arena, "%s", path), .hash = HASH_START};
        if (!hash_file(&f.hash, path) ||
            (output_has_ending(path, ".yaml") && !hash_beside(&f.hash, path)))
            return false;
        *ARENA_PUSH(&r->arena, r->files, r->nfiles, r->cap_files) = f;
    }
    *hash = hash_bytes(*hash, &r->files[i].hash, sizeof r->files[i].hash);
    return true;
}

// If a word names a file, the key covers the file's content.
static bool is_file(const char *word) {
    struct stat st;
    return strpbrk(word, "/.") && !stat(word, &st) && S_ISREG(st.st_mode);
}

bool results_key(Results *r, ResultCommand *c, Diag *d) {
    Arena arena = {0};
    bool ok = true;
    c->key = r->program_key;
    for (int i = 0; c->words[i] && ok; i++) {
        const char *word = c->words[i];
        const bool file = is_file(word);
        if (!file) c->key = hash_bytes(c->key, word, strlen(word) + 1);
        else
            ok = hash_named(r, &c->key, word) ||
                diag_fail(d, EXIT_USAGE, "%s: cannot be read: %s", word, strerror(errno));
        if (i && !strcmp(c->words[i - 1], "--machine") && !file)
            hash_named(r, &c->key, arena_printf(&arena, "%s/machines/%s.yaml", r->data, word));
    }
    arena_free(&arena);
    return ok;
}

bool results_open(Results *r, const char *dir, const char *program, const char *data, Diag *d) {
    *r = (Results){.dir = dir, .program = program, .data = data, .program_key = HASH_START};
    if (hash_file(&r->program_key, program)) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", program, strerror(errno));
}

void results_close(Results *r) { arena_free(&r->arena); }

// ---- files --------------------------------------------------------------------------------------

static const char *key_text(Arena *arena, const ResultCommand *c) {
    return arena_printf(arena, "%016" PRIx64, c->key);
}

const char *results_path(const Results *r, Arena *arena, const ResultCommand *c) {
    return arena_printf(arena, "%s/%s.json", r->dir, key_text(arena, c));
}

// Does the result match its name? A copied or renamed file has another key or another command.
static bool is_of(json_t *doc, const ResultCommand *c, Arena *arena) {
    const char *schema = json_string_value(json_object_get(doc, "schema")),
               *key = json_string_value(json_object_get(doc, "key"));
    const json_t *words = json_object_get(doc, "command");
    size_t i = 0;
    if (!schema || strcmp(schema, SCHEMA) || !key || strcmp(key, key_text(arena, c))) return false;
    for (; c->words[i]; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        // The key has files by their content, because the same data may have another path.
        if (!word || (strcmp(word, c->words[i]) && !is_file(c->words[i]))) return false;
    }
    return json_array_size(words) == i;
}

json_t *results_read(const Results *r, const ResultCommand *c) {
    Arena arena = {0};
    json_t *doc = json_load_file(results_path(r, &arena, c), 0, NULL), *output = NULL;
    if (doc && is_of(doc, c, &arena)) output = json_incref(json_object_get(doc, "output"));
    json_decref(doc);
    arena_free(&arena);
    return output;
}

bool store_folder(const Results *r, Diag *d) {
    return output_folders(r->dir) ||
        diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", r->dir, strerror(errno));
}

// Is the only failure that a launch does not fit its machine? This failure is a stable result,
// others are not.
static bool only_does_not_fit(json_t *output) {
    json_t *launches = json_object_get(output, "launches"), *launch;
    size_t i;
    json_array_foreach(launches, i, launch) {
        const char *verdict = json_string_value(json_object_get(launch, "verdict"));
        if (!verdict ||
            (strcmp(verdict, exit_word(EXIT_PASS)) != 0 &&
             strcmp(verdict, exit_word(EXIT_USAGE)) != 0))
            return false;
    }
    return json_array_size(launches) > 0;
}

bool store_write(const Results *r, const ResultCommand *c, int status, const char *text, size_t n,
                 bool *kept, Diag *d) {
    Arena arena = {0};
    json_t *output = json_loadb(text, n, 0, NULL), *words = json_array();
    *kept = !status || (status == EXIT_USAGE && only_does_not_fit(output));
    if (!output) output = json_stringn(text, n);
    for (int i = 0; c->words[i]; i++) json_array_append_new(words, json_string(c->words[i]));
    json_t *doc =
        json_pack("{s:s, s:s, s:o, s:i, s:o}", "schema", SCHEMA, "key", key_text(&arena, c),
                  "command", words, "status", status, "output", output ? output : json_null());
    const bool ok = !*kept || json_write(results_path(r, &arena, c), doc, JSON_COMPACT, d);
    json_decref(doc);
    arena_free(&arena);
    return ok;
}
