// SPDX-License-Identifier: Apache-2.0
// Tools as child processes and temporary folders.
#include "verify/fourstate.h"

#include "base/output.h"
#include "base/plain.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int *stop_flag;  // tool_stop_on

void tool_stop_on(volatile int *stop) { stop_flag = stop; }

static int limit_seconds(int seconds) {
    const char *text = getenv("SMCOSIM_TOOL_SECONDS");
    const int given = text ? atoi(text) : 0;
    return given > 0 ? given : seconds;
}

// iverilog would paste them into a command line; TMPDIR was looked at.
static void drop_variables(void *ctx) {
    (void)ctx;
    unsetenv("TMP"), unsetenv("TEMP");
}

// If a child process of the tool reached the limit, the tool itself reports a failure of another
// kind.
static int status_of(const ChildEnd *end, int seconds) {
    if (seconds && (end->signal == SIGXCPU || (end->status && end->seconds > seconds - 0.5)))
        return TOOL_TIMEOUT;
    if (end->signal == SIGINT || end->signal == SIGTERM) return TOOL_STOPPED;
    return end->signal ? TOOL_SIGNAL + end->signal : end->status;
}

int tool_run(const char *const *argv, const char *log, int seconds) {
    const char *const file = log ? log : "/dev/null";
    const Child tool = {.argv = argv,
                        .inside = drop_variables,
                        .death = SIGKILL,
                        .group = true,
                        .no_input = true,
                        .out = file,
                        .err = file,
                        .seconds = limit_seconds(seconds)};
    ChildEnd end;
    const pid_t pid = child_start(&tool);
    if (pid < 0) return TOOL_MISSING;
    return child_wait(pid, stop_flag, SIGKILL, &end) ? status_of(&end, tool.seconds) : TOOL_STOPPED;
}

bool tool_ended(int status, const char *block, const char *tool, const char *package, int seconds,
                Diag *d) {
    if (status == TOOL_MISSING) return tool_missing(tool, package, d);
    if (status == TOOL_STOPPED)
        return diag_fail(d, EXIT_INTERRUPTED, "block %s: interrupted in %s", block, tool);
    if (status != TOOL_TIMEOUT) return true;
    diag_fail(d, EXIT_ENVIRONMENT,
              "block %s: timeout: %s exceeded %d s of processor time; use a smaller shape "
              "(--param, --set)",
              block, tool, limit_seconds(seconds));
    d->timeout = true;
    return false;
}

char *tool_last_words(Arena *arena, int status, const char *log, int lines) {
    const char *text = tool_log(arena, log, lines);
    const char *end = status < TOOL_SIGNAL
        ? arena_printf(arena, "status %d", status)
        : arena_printf(arena, "signal %d, %s", status - TOOL_SIGNAL,
                       strsignal(status - TOOL_SIGNAL));
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
    diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot create a folder there: %s", path, strerror(errno));
    return NULL;
}

const char *tool_link(Arena *arena, const char *folder, const char *name, const char *path,
                      Diag *d) {
    const char *link = arena_printf(arena, "%s/%s", folder, name);
    char *real = realpath(path, NULL);
    const bool good = real && !symlink(real, link);
    if (!good)
        diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be reached through %s: %s", path, link,
                  strerror(errno));
    free(real);
    return good ? link : NULL;
}

void tool_remove(const char *folder) {
    if (folder) output_remove(folder);
}

bool tool_missing(const char *tool, const char *package, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s is missing: apt install %s", tool, package);
}
