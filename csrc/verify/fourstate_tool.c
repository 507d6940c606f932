// SPDX-License-Identifier: Apache-2.0
// Tools as child processes, temporary folders, and which RTL files a block consists of.
#include "verify/fourstate.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Never outlives who started it.
static void become(const char *const *argv, const char *log, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(TOOL_MISSING);
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(log ? log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0) _exit(TOOL_MISSING);
    dup2(in, 0), dup2(out, 1), dup2(out, 2);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(TOOL_MISSING);
}

int tool_run(const char *const *argv, const char *log, int seconds) {
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) return TOOL_MISSING;
    if (child == 0) become(argv, log, parent);
    const double end = now() + seconds;
    bool killed = false;
    for (int status;;) {
        const pid_t got = waitpid(child, &status, seconds && !killed ? WNOHANG : 0);
        if (got < 0 && errno != EINTR) return TOOL_MISSING;
        if (got == child) {
            if (killed) return TOOL_TIMEOUT;
            return WIFEXITED(status) ? WEXITSTATUS(status) : TOOL_SIGNAL + WTERMSIG(status);
        }
        if (got == 0 && now() > end) killed = kill(child, SIGKILL) == 0;
        else if (got == 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

char *tool_log(Arena *arena, const char *log, int lines) {
    Diag ignored = {0};
    char *text;
    size_t n;
    if (!file_read(arena, log, &text, &n, &ignored)) return arena_strndup(arena, "", 0);
    while (n && isspace((unsigned char)text[n - 1])) text[--n] = '\0';
    size_t from = n;
    while (from && (text[from - 1] != '\n' || --lines > 0)) from--;
    return text + from;
}

char *tool_folder(Arena *arena, Diag *d) {
    const char *base = getenv("TMPDIR");
    char *path = arena_printf(arena, "%s/smcosim-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(path)) return path;
    diag_fail(d, EXIT_ENVIRONMENT, "%s: no folder can be made there: %s", path, strerror(errno));
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path) ? 0 : 0;  // what cannot be removed stays; the others go
}

void tool_remove(const char *folder) {
    if (folder) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool tool_missing(const char *tool, const char *package, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s is missing: apt install %s", tool, package);
}

// ---- RTL files -----------------------------------------------------------------------------------

typedef struct Module { char *name; char *path; bool hidden, taken; } Module;
typedef struct Library {
    Arena *arena;
    Module *modules;
    int n, cap;
} Library;

static void find_modules(Library *l, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char *path = arena_printf(l->arena, "%s/%s", folder, e->d_name);
        const size_t length = strlen(e->d_name);
        if (length > 3 && !strcmp(e->d_name + length - 3, ".sv"))
            *ARENA_PUSH(l->arena, l->modules, l->n, l->cap) =
                (Module){arena_strndup(l->arena, e->d_name, length - 3), path, false, false};
        else if (!strchr(e->d_name, '.'))
            find_modules(l, path);
    }
    closedir(dir);
}

static Module *find_module(Library *l, const char *name, size_t length) {
    for (int i = 0; i < l->n; i++)
        if (strlen(l->modules[i].name) == length && !memcmp(l->modules[i].name, name, length)) return &l->modules[i];
    return NULL;
}

// Comments become blanks, so that what they say about modules counts for nothing.
static void blank_comments(char *text) {
    for (char *p = text; *p; p++) {
        if (p[0] == '/' && p[1] == '/')
            while (*p && *p != '\n') *p++ = ' ';
        else if (p[0] == '/' && p[1] == '*') {
            for (; *p && !(p[0] == '*' && p[1] == '/'); p++)
                if (*p != '\n') *p = ' ';
            if (*p) p[0] = p[1] = ' ';
        }
        if (!*p) break;
    }
}

typedef struct Word { const char *at; size_t length; } Word;
static bool next_word(const char **at, Word *word) {
    const char *p = *at;
    while (*p && !isalpha((unsigned char)*p) && *p != '_') p++;
    word->at = p;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '$') p++;
    word->length = (size_t)(p - word->at);
    *at = p;
    return word->length > 0;
}
static bool is_word(Word w, const char *text) { return strlen(text) == w.length && !memcmp(text, w.at, w.length); }

static int cmp_path(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void add_file(Arena *arena, RtlFiles *files, int *cap, const char *path) {
    *ARENA_PUSH(arena, files->paths, files->n, *cap) = path;
}

static bool users_files(Library *l, const char *user, RtlFiles *files, int *cap, Diag *d) {
    for (const char *p = user; p && *p; p += strcspn(p, ","), p += *p == ',') {
        char *path = arena_strndup(l->arena, p, strcspn(p, ",")), *text;
        size_t n;
        if (!file_read(l->arena, path, &text, &n, d)) return false;
        blank_comments(text);
        add_file(l->arena, files, cap, path);
        Word word, last = {"", 0};
        for (const char *at = text; next_word(&at, &word); last = word) {
            Module *m = is_word(last, "module") ? find_module(l, word.at, word.length) : NULL;
            if (m) m->hidden = true;
        }
    }
    return true;
}

bool rtl_files(Arena *arena, const char *data_dir, const char *block, const char *user, RtlFiles *files, Diag *d) {
    Library l = {.arena = arena};
    int cap = 0;
    *files = (RtlFiles){0};
    find_modules(&l, arena_printf(arena, "%s/rtl", data_dir));
    if (!users_files(&l, user, files, &cap, d)) return false;
    const int users = files->n;
    Module *top = find_module(&l, block, strlen(block));
    if (!users) {
        if (!top) return diag_fail(d, EXIT_ENVIRONMENT, "%s/rtl: there is no %s.sv", data_dir, block);
        top->taken = true;
        add_file(arena, files, &cap, top->path);
    }
    for (int i = 0; i < files->n; i++) {  // grows while it is walked
        char *text;
        size_t n;
        if (!file_read(arena, files->paths[i], &text, &n, d)) return false;
        blank_comments(text);
        Word word;
        for (const char *at = text; next_word(&at, &word);) {
            if (i < (users ? users : 1)) files->fault_port |= is_word(word, "fault_i");
            Module *m = find_module(&l, word.at, word.length);
            if (!m || m->taken || m->hidden) continue;
            m->taken = true;
            add_file(arena, files, &cap, m->path);
        }
    }
    qsort(files->paths + users, (size_t)(files->n - users), sizeof *files->paths, cmp_path);
    return true;
}
