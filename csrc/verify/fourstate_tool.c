// SPDX-License-Identifier: Apache-2.0
// Tools as child processes and temporary folders.
#include "verify/fourstate.h"

#include "base/plain.h"

#include <ctype.h>
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
    unsetenv("TMP"), unsetenv("TEMP");  // iverilog would paste them into a command line; TMPDIR was looked at
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
    char here[4096], *path = arena_printf(arena, "%s/smcosim-XXXXXX", base && *base ? base : "/tmp");
    if (*path != '/' && getcwd(here, sizeof here)) path = arena_printf(arena, "%s/%s", here, path);
    if (!plain_path(path, "TMPDIR", EXIT_ENVIRONMENT, d)) return NULL;
    if (mkdtemp(path)) return path;
    diag_fail(d, EXIT_ENVIRONMENT, "%s: no folder can be made there: %s", path, strerror(errno));
    return NULL;
}

const char *tool_link(Arena *arena, const char *folder, const char *name, const char *path, Diag *d) {
    const char *link = arena_printf(arena, "%s/%s", folder, name);
    char *real = realpath(path, NULL);
    const bool good = real && !symlink(real, link);
    if (!good) diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be reached through %s: %s", path, link, strerror(errno));
    free(real);
    return good ? link : NULL;
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
