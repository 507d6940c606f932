// SPDX-License-Identifier: Apache-2.0
#include "cosim/memo.h"

#include "base/hash.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

// Mixes in the processor features that a variant's code depends on, because machines may share a
// cache folder.
static uint64_t mix_processor(uint64_t hash) {
#if defined __x86_64__
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) hash = hash_bytes(hash, &c, sizeof c);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        hash = hash_bytes(hash_bytes(hash, &b, sizeof b), &c, sizeof c);
#endif
    return hash;
}

static char *memo_name(Arena *arena, const VariantRequest *r, const char *dir) {
    uint64_t hash = mix_processor(HASH_START);
    hash = hash_bytes(hash, r->data_dir, strlen(r->data_dir));
    hash = hash_bytes(hash, r->params, (size_t)r->desc->nparams * sizeof *r->params);
    hash = hash_bytes(hash, &r->testbug, sizeof r->testbug);
    hash = hash_bytes(hash, &r->cover, sizeof r->cover);
    hash = hash_bytes(hash, &r->flat, sizeof r->flat);
    if (r->rtl) hash = hash_bytes(hash, r->rtl, strlen(r->rtl));
    return arena_printf(arena, "%s/%s-%016llx.memo", dir, r->desc->name, (unsigned long long)hash);
}

static bool is_unchanged(char *line) {
    unsigned long long size, seconds, nanos, inode;
    int at;
    struct stat s;
    if (sscanf(line, "%llu %llu.%llu %llu %n", &size, &seconds, &nanos, &inode, &at) != 4)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return stat(line + at, &s) == 0 && (unsigned long long)s.st_size == size &&
        (unsigned long long)s.st_ino == inode && (unsigned long long)s.st_mtim.tv_sec == seconds &&
        (unsigned long long)s.st_mtim.tv_nsec == nanos;
}

static char *read_memo(Arena *arena, const char *name) {
    FILE *f = fopen(name, "r");
    if (!f) return NULL;
    char line[4200];
    char *path = NULL;
    bool good = true;
    while (good && fgets(line, sizeof line, f)) {
        if (path) good = is_unchanged(line);
        else path = arena_strndup(arena, line, strcspn(line, "\n"));
    }
    good &= !ferror(f) && path && access(path, R_OK) == 0;
    fclose(f);
    return good ? path : NULL;
}

char *memo_read(Arena *arena, const VariantRequest *r) {
    char *path =
        read_memo(arena, memo_name(arena, r, arena_printf(arena, "%s/variants", r->data_dir)));
    return path || !r->out_dir ? path : read_memo(arena, memo_name(arena, r, r->out_dir));
}

// If a file changed after `since`, it may have changed after it was hashed. The result is then not
// stored.
static bool write_lines(FILE *f, Arena *arena, const char *path, const char *files, time_t since) {
    fprintf(f, "%s\n", path);
    for (const char *p = files; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        struct stat s;
        char *file = arena_strndup(arena, p, strcspn(p, "\n"));
        if (stat(file, &s) || s.st_mtim.tv_sec >= since) return false;
        fprintf(f, "%llu %llu.%09llu %llu %s\n", (unsigned long long)s.st_size,
                (unsigned long long)s.st_mtim.tv_sec, (unsigned long long)s.st_mtim.tv_nsec,
                (unsigned long long)s.st_ino, file);
    }
    return !ferror(f);
}

void memo_write(Arena *arena, const VariantRequest *r, const char *path, const char *files,
                time_t since) {
    const char *dir = r->out_dir ? r->out_dir : arena_printf(arena, "%s/variants", r->data_dir);
    mkdir(dir, 0777);
    Diag ignored = {0};
    Output o;
    FILE *f = output_open(&o, arena, memo_name(arena, r, dir), &ignored);
    if (f) output_close(&o, f, write_lines(f, arena, path, files, since), &ignored);
}
