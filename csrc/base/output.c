// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

static bool fail_write(const Output *o, int why, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", o->path,
                     strerror(why ? why : ENOSPC));
}

// Where a chain of symbolic links ends, whether or not a file is there. NULL: errno.
static const char *resolve_links(Arena *arena, const char *path) {
    char link[4096];
    for (int i = 0; i < MOST_LINKS; i++) {
        struct stat st;
        if (lstat(path, &st) || !S_ISLNK(st.st_mode)) return path;
        if (!strncmp(path, "/proc/", 6)) return path;  // an open file of a process: not a name
        const ssize_t n = readlink(path, link, sizeof link);
        if (n < 0) return NULL;
        const char *slash = strrchr(path, '/');
        const int folder = link[0] == '/' || !slash ? 0 : (int)(slash + 1 - path);
        path = arena_printf(arena, "%.*s%.*s", folder, path, (int)n, link);
    }
    errno = ELOOP;
    return NULL;
}

// "NAME.tmp1234" or "NAME.tmp1234.hier" of a process that is no more.
bool output_is_stale(const char *entry, const char *name) {
    const size_t n = strlen(name);
    char *end;
    if (strncmp(entry, name, n) || strncmp(entry + n, ".tmp", 4) ||
        !isdigit((unsigned char)entry[n + 4]))
        return false;
    const long pid = strtol(entry + n + 4, &end, 10);
    if (*end && strcmp(end, ".hier")) return false;
    return pid > 0 && pid <= 0x7fffffff && kill((pid_t)pid, 0) && errno == ESRCH;
}

static void remove_stale(Arena *arena, const char *target) {
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    const char *folder = slash ? arena_strndup(arena, target, (size_t)(slash + 1 - target)) : "./";
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (const struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        const char *path;
        if (!output_is_stale(e->d_name, name)) continue;
        path = arena_printf(arena, "%s%s", folder, e->d_name);
        if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid()) unlink(path);
    }
    closedir(dir);
}

// Process ids mean something only in the namespace (container) that gave them. Its number; 0: not
// known.
static unsigned long pid_namespace(void) {
    struct stat st;
    return stat("/proc/self/ns/pid", &st) ? 0 : (unsigned long)st.st_ino;
}

static bool is_scratch_of_dead(const char *entry) {
    const unsigned long ns = pid_namespace();
    char head[40], *end;
    const int n = snprintf(head, sizeof head, "smcosim-%lx-", ns);
    if (!ns || strncmp(entry, head, (size_t)n) || !isdigit((unsigned char)entry[n])) return false;
    const long pid = strtol(entry + n, &end, 10);
    return *end == '-' && strlen(end) == sizeof "-XXXXXX" - 1 && pid > 0 && pid <= 0x7fffffff &&
        kill((pid_t)pid, 0) && errno == ESRCH;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    (void)remove(path);  // an entry that cannot be removed stays; the others go
    return 0;
}

static void remove_scratch(const char *path) {
    struct stat st;
    if (!lstat(path, &st) && st.st_uid == geteuid()) output_remove(path);
}

void output_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

char *output_scratch(Arena *arena) {
    const char *tmp = getenv("TMPDIR");
    const char *folder = tmp && *tmp ? tmp : "/tmp";
    char here[4096];
    if (*folder != '/' && getcwd(here, sizeof here))
        folder = arena_printf(arena, "%s/%s", here, folder);
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (is_scratch_of_dead(e->d_name))
            remove_scratch(arena_printf(arena, "%s/%s", folder, e->d_name));
    if (dir) closedir(dir);
    return arena_printf(arena, "%s/smcosim-%lx-%d-XXXXXX", folder, pid_namespace(), (int)getpid());
}

static bool prepare_copy(Output *o, Arena *arena, Diag *d) {
    char *name = output_scratch(arena);
    const int fd = mkstemp(name);
    if (fd < 0)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot create a temporary file: %s", name,
                         strerror(errno));
    close(fd);
    o->write = name;
    o->copied = true;
    return true;
}

bool output_prepare(Output *o, Arena *arena, const char *path, bool whole, Diag *d) {
    struct stat st;
    *o = (Output){.path = path, .target = resolve_links(arena, path)};
    if (!o->target) return fail_write(o, errno, d);
    if (!stat(o->target, &st) && S_ISDIR(st.st_mode)) return fail_write(o, EISDIR, d);
    const bool named = strncmp(o->target, "/proc/", 6) != 0;
    if (named && (lstat(o->target, &st) || S_ISREG(st.st_mode))) {
        remove_stale(arena, o->target);
        o->write = arena_printf(arena, "%s.tmp%d", o->target, (int)getpid());
        return true;
    }
    if (whole) return prepare_copy(o, arena, d);
    o->direct = true;
    o->write = o->target;
    return true;
}

static bool copy_into(const Output *o) {
    FILE *in = fopen(o->write, "rb"), *out = fopen(o->target, "ab");
    char buffer[65536];
    bool good = in && out;
    for (size_t n; good && (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        good = fwrite(buffer, 1, n, out) == n;
    int why = errno;
    if (in) fclose(in);
    if (out && fclose(out) && good) good = false, why = errno;
    errno = why;
    return good;
}

bool output_commit(const Output *o, Diag *d) {
    if (o->direct) return true;
    errno = 0;
    const bool good = o->copied ? copy_into(o) : rename(o->write, o->target) == 0;
    const int why = errno;
    if (o->copied || !good) unlink(o->write);
    return good || fail_write(o, why, d);
}

void output_drop(const Output *o) {
    if (!o->direct && o->write) unlink(o->write);
}

FILE *output_open(Output *o, Arena *arena, const char *path, Diag *d) {
    if (!output_prepare(o, arena, path, false, d)) return NULL;
    FILE *f = fopen(o->write, o->direct ? "a" : "w");
    if (!f) fail_write(o, errno, d);
    return f;
}

bool output_close(const Output *o, FILE *f, bool good, Diag *d) {
    errno = 0;
    const bool lost = ferror(f) != 0;
    const bool closed = fclose(f) == 0;
    const int why = errno;
    if (good && !lost && closed) return output_commit(o, d);
    output_drop(o);
    return fail_write(o, why, d);
}

bool output_probe(const char *path, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (f) fclose(f), output_drop(&o);
    arena_free(&arena);
    return f != NULL;
}

bool output_text(const char *path, const void *text, size_t n, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    const bool good = f && output_close(&o, f, fwrite(text, 1, n, f) == n, d);
    arena_free(&arena);
    return good;
}

bool output_copy(const char *from, const char *to, Diag *d) {
    Arena arena = {0};
    char *text;
    size_t n;
    const bool ok = file_read(&arena, from, &text, &n, d) && output_text(to, text, n, d);
    arena_free(&arena);
    return ok;
}

bool output_folder(const char *path, Diag *d) {
    return !mkdir(path, 0777) || errno == EEXIST ||
        diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
}

bool output_folders(const char *path) {
    Arena arena = {0};
    char *whole = arena_printf(&arena, "%s", path), *end = whole;
    bool ok = *path || (errno = ENOENT, false);
    while (ok && (end == whole || *end)) {
        end += 1 + strcspn(end + 1, "/");
        const char next = *end;
        *end = '\0';
        ok = !mkdir(whole, 0777) || errno == EEXIST;
        *end = next;
    }
    const int error = errno;
    arena_free(&arena);
    errno = error;
    return ok;
}

bool output_has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && !strcmp(path + n - m, ending);
}
