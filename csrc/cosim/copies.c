// SPDX-License-Identifier: Apache-2.0
// Copies of a run's input files, in the bundle's folder files/. They are made in a folder beside
// it, because a run may read the copies of the bundle that it replaces. The new folder replaces
// files/ when all copies are complete.
#include "cosim/cosim_replay.h"

#include "base/hash.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".smcosim-copies"  // files/ without this mark is not ours

static bool fail_unwritable(const char *path, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

static char *staging_folder(Arena *arena, const char *dir) {
    return arena_printf(arena, "%s/files.tmp%d", dir, (int)getpid());
}

static bool copy_file(FILE *in, FILE *out, ReplayInput *input) {
    char buffer[1 << 16];
    input->hash = HASH_START;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        input->bytes += n;
        input->hash = hash_bytes(input->hash, buffer, n);
        if (fwrite(buffer, 1, n, out) != n) return false;
    }
    return !ferror(in);
}

bool replay_copy(ReplayFile *r, Arena *arena, const char *dir, const char *from, const char *to,
                 const char *name, Diag *d) {
    char *path = arena_printf(arena, "%s/%s", staging_folder(arena, dir), to);
    ReplayInput input = {.path = arena_printf(arena, "files/%s", to), .name = name};
    if (!output_folders(arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path))))
        return fail_unwritable(path, d);
    FILE *in = fopen(from, "rb");
    if (!in) return diag_fail(d, EXIT_USAGE, "%s: cannot be read: %s", from, strerror(errno));
    FILE *out = fopen(path, "wb");
    bool ok = out && copy_file(in, out, &input);
    if (out && fclose(out) != 0) ok = false;
    if (!ok) fail_unwritable(path, d);
    fclose(in);
    *ARENA_PUSH(arena, r->inputs, r->ninputs, r->cap_inputs) = input;
    return ok;
}

// ---- RTL ---------------------------------------------------------------------------------------

typedef struct Files {
    Arena *arena;
    const char **paths;  // absolute
    int n, cap;
} Files;

static void add_file(Files *f, const char *path) {
    path = replay_path(f->arena, path);
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->paths[i], path)) return;
    *ARENA_PUSH(f->arena, f->paths, f->n, f->cap) = path;
}

// Adds the files that `path` includes, as far as they are in the same folder. Files that Verilator
// finds elsewhere are ours.
static bool add_included(Files *f, const char *path, Diag *d) {
    char *text, *slash = strrchr(path, '/');
    size_t length;
    if (!file_read(f->arena, path, &text, &length, d)) return false;
    for (char *p = text; (p = strstr(p, "`include"));) {
        p += strlen("`include");
        p += strspn(p, " \t");
        if (*p++ != '"') continue;
        const size_t n = strcspn(p, "\"\n");
        char *found = arena_printf(f->arena, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path,
                                   (int)n, p);
        if (p[n] == '"' && access(found, R_OK) == 0) add_file(f, found);
    }
    return true;
}

// Length of the folder that all of them share, with its '/'.
static size_t shared_folder(const Files *f) {
    size_t n = strrchr(f->paths[0], '/') + 1 - f->paths[0];
    for (int i = 1; i < f->n; i++)
        while (n && strncmp(f->paths[0], f->paths[i], n))
            for (n--; n && f->paths[0][n - 1] != '/';) n--;
    return n;
}

bool replay_copy_rtl(ReplayFile *r, Arena *arena, const char *dir, const char *rtl, Diag *d) {
    const char *equals = strchr(rtl, '=');
    Files f = {.arena = arena};
    for (const char *p = equals + 1; *p; p += strcspn(p, ","), p += *p == ',')
        add_file(&f, arena_strndup(arena, p, strcspn(p, ",")));
    const int given = f.n;
    for (int i = 0; i < f.n; i++)  // grows while it is walked
        if (!add_included(&f, f.paths[i], d)) return false;
    const size_t shared = shared_folder(&f);
    char *list = arena_strndup(arena, rtl, (size_t)(equals + 1 - rtl));
    for (int i = 0; i < f.n; i++) {
        char *to =
            arena_printf(arena, "rtl/%.*s/%s", (int)(equals - rtl), rtl, f.paths[i] + shared);
        if (!replay_copy(r, arena, dir, f.paths[i], to, NULL, d)) return false;
        if (i < given) list = arena_printf(arena, "%s%sfiles/%s", list, i ? "," : "", to);
    }
    r->rtl[r->nrtl++] = list;
    return true;
}

// ---- the folder --------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_tree(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

// Removes the folders of killed processes.
static void remove_stale(Arena *arena, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (const struct dirent *e; (e = readdir(dir));)
        if (output_is_stale(e->d_name, "files"))
            remove_tree(arena_printf(arena, "%s/%s", folder, e->d_name));
    closedir(dir);
}

void replay_drop_copies(Arena *arena, const char *dir) { remove_tree(staging_folder(arena, dir)); }

bool replay_commit_copies(const ReplayFile *r, Arena *arena, const char *dir, Diag *d) {
    const char *files = arena_printf(arena, "%s/files", dir), *made = staging_folder(arena, dir);
    struct stat st;
    remove_stale(arena, dir);
    if (lstat(files, &st) == 0) {
        const bool ours = access(arena_printf(arena, "%s/" MARK, files), F_OK) == 0;
        if (!ours && !r->ninputs) return true;
        if (!ours)
            return diag_fail(d, EXIT_USAGE,
                             "%s: exists, but smcosim did not make it; a bundle keeps its copies "
                             "in a folder of this name",
                             files);
        remove_tree(files);
    }
    if (!r->ninputs) return true;
    FILE *mark = fopen(arena_printf(arena, "%s/" MARK, made), "w");
    const bool ok = mark && fclose(mark) == 0 && rename(made, files) == 0;
    return ok || fail_unwritable(files, d);
}
