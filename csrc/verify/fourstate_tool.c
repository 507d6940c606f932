// SPDX-License-Identifier: Apache-2.0
// Tools as child processes and temporary folders.
#include "verify/fourstate.h"

#include "base/output.h"
#include "base/plain.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int *stop_flag;  // tool_stop_on

void tool_stop_on(volatile int *stop) { stop_flag = stop; }

static int limit_seconds(int seconds) {
    const char *text = getenv("SMCOSIM_TOOL_SECONDS");
    const int given = text ? atoi(text) : 0;
    return given > 0 ? given : seconds;
}

// Each process of the tool may take so much processor time. What the system allows less than that stays.
static void limit_time(int seconds) {
    struct rlimit l;
    if (!seconds || getrlimit(RLIMIT_CPU, &l)) return;
    if (l.rlim_max == RLIM_INFINITY || (rlim_t)seconds < l.rlim_max) l.rlim_cur = (rlim_t)seconds;
    if (l.rlim_max == RLIM_INFINITY || (rlim_t)seconds + 5 < l.rlim_max) l.rlim_max = (rlim_t)seconds + 5;
    setrlimit(RLIMIT_CPU, &l);
}

// Never outlives who started it. In a process group of its own: what it starts is ended with it.
static void become(const char *const *argv, const char *log, int seconds, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (getppid() != parent) _exit(TOOL_MISSING);
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(log ? log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0) _exit(TOOL_MISSING);
    unsetenv("TMP"), unsetenv("TEMP");  // iverilog would paste them into a command line; TMPDIR was looked at
    dup2(in, 0), dup2(out, 1), dup2(out, 2);
    limit_time(seconds);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(TOOL_MISSING);
}

static double taken(const struct rusage *u) {
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

// A process that the tool started may be what reached the limit: then the tool says that something failed.
static int ended(int status, const struct rusage *used, int seconds) {
    const bool signal = WIFSIGNALED(status);
    if (seconds && ((signal && WTERMSIG(status) == SIGXCPU) || (status && taken(used) > seconds - 0.5))) return TOOL_TIMEOUT;
    if (signal && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) return TOOL_STOPPED;
    return signal ? TOOL_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int tool_run(const char *const *argv, const char *log, int seconds) {
    seconds = limit_seconds(seconds);
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) return TOOL_MISSING;
    if (child == 0) become(argv, log, seconds, parent);
    for (bool stopped = false;;) {
        struct rusage used;
        int status;
        const pid_t got = wait4(child, &status, WNOHANG, &used);
        if (got < 0 && errno != EINTR) return TOOL_MISSING;
        if (got == child) return stopped ? TOOL_STOPPED : ended(status, &used, seconds);
        if (!stopped && stop_flag && *stop_flag) {
            stopped = true;
            kill(-child, SIGKILL), kill(child, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

bool tool_ended(int status, const char *block, const char *tool, const char *package, int seconds, Diag *d) {
    if (status == TOOL_MISSING) return tool_missing(tool, package, d);
    if (status == TOOL_STOPPED) return diag_fail(d, EXIT_INTERRUPTED, "block %s: interrupted in %s", block, tool);
    if (status != TOOL_TIMEOUT) return true;
    diag_fail(d, EXIT_ENVIRONMENT, "block %s: timeout: %s was cut off after %d s of processor time; take a smaller shape (--param, --set)",
              block, tool, limit_seconds(seconds));
    d->timeout = true;
    return false;
}

char *tool_last_words(Arena *arena, int status, const char *log, int lines) {
    const char *text = tool_log(arena, log, lines);
    const char *end = status < TOOL_SIGNAL ? arena_printf(arena, "status %d", status)
                                           : arena_printf(arena, "signal %d, %s", status - TOOL_SIGNAL, strsignal(status - TOOL_SIGNAL));
    return arena_printf(arena, "%s%s%s", end, *text ? ":\n" : "; it said nothing", text);
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
    char *path = output_scratch(arena);
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

void tool_remove(const char *folder) {
    if (folder) output_remove(folder);
}

bool tool_missing(const char *tool, const char *package, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s is missing: apt install %s", tool, package);
}
