// SPDX-License-Identifier: Apache-2.0
// Numbers, folders, signals.
#include "cli/cli.h"

#include "base/plain.h"
#include "proc/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool cli_number(const char *option, const char *text, uint64_t least, uint64_t most,
                uint64_t *value, Diag *d) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        return diag_fail(d, EXIT_USAGE, "--%s: '%s' is not a number", option, text);
    if (errno == ERANGE || v < least || v > most)
        return diag_fail(d, EXIT_USAGE, "--%s: %s is out of range [%llu, %llu]", option, text,
                         (unsigned long long)least, (unsigned long long)most);
    *value = v;
    return true;
}

bool cli_sizes(const char *option, const char *value, uint32_t *sizes, Diag *d) {
    sizes[0] = sizes[1] = sizes[2] = 1;
    int n = 0;
    for (const char *p = value;; p++) {
        char word[24];
        uint64_t size;
        if (n == 3)
            return diag_fail(d, EXIT_USAGE, "--%s: '%s': expected at most three numbers", option,
                             value);
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
        if (!cli_number(option, word, 1, UINT32_MAX, &size, d)) return false;
        sizes[n++] = (uint32_t)size;
        p += strcspn(p, ",");
        if (!*p) return true;
    }
}

int cli_fail(const Diag *d) {
    fflush(stdout);
    fprintf(stderr, "smcosim: %s\n", d->text);
    return d->status;
}

void cli_took(double since, int n, const char *what) {
    if (!isatty(STDERR_FILENO)) return;
    fflush(stdout);
    fprintf(stderr, "smcosim: %d %s%s in %.1f s\n", n, what, n == 1 ? "" : "s",
            clock_seconds() - since);
}

// Data of the build tree when the program runs there, else the data installed beside it.
const char *cli_data_dir(void) {
    const char *given = getenv("SMCOSIM_DATA");
    if (given && *given) return given;
    static char dir[4096];  // written once, before any thread exists
    if (dir[0]) return dir;
    char exe[2048];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n > 0) {
        exe[n] = '\0';
        *strrchr(exe, '/') = '\0';
        if (strcmp(exe, SMCOSIM_BINARY_DIR)) {
            snprintf(dir, sizeof dir, "%s/../share/smcosim", exe);
            if (access(dir, R_OK) == 0) return dir;
        }
    }
    snprintf(dir, sizeof dir, "%s", SMCOSIM_BINARY_DIR "/data");
    return dir;
}

const char *cli_program(Arena *arena, Diag *d) {
    char exe[4096];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n > 0) return arena_strndup(arena, exe, (size_t)n);
    diag_fail(d, EXIT_ENVIRONMENT, "this program's own name: %s", strerror(errno));
    return NULL;
}

static const char *cache_dir(Arena *arena) {
    const char *given = getenv("SMCOSIM_CACHE");
    if (given && *given) return given;
    const char *xdg = getenv("XDG_CACHE_HOME");
    if (xdg && *xdg) return arena_printf(arena, "%s/smcosim", xdg);
    const char *home = getenv("HOME");
    return arena_printf(arena, "%s/.cache/smcosim", home && *home ? home : "/tmp");
}

// The path is absolute, because variants built there name their files by it, also from other
// folders.
const char *cli_cache_dir(Arena *arena) {
    const char *dir = cache_dir(arena);
    char here[4096];
    return *dir == '/' || !getcwd(here, sizeof here) ? dir
                                                     : arena_printf(arena, "%s/%s", here, dir);
}

bool cli_color(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

char *cli_command_line(Arena *arena, int argc, char **argv) {
    char *line = arena_printf(arena, "smcosim");
    for (int i = 0; i < argc; i++)
        line = arena_printf(arena, "%s %s", line, arena_shell_word(arena, argv[i]));
    return line;
}

volatile int cli_stop;
static atomic_bool in_load;  // nothing is open yet: a signal ends the program at once

static void on_signal(int number) {
    (void)number;
    if (in_load) {
        static const char text[] = "smcosim: interrupted\n";
        if (write(STDERR_FILENO, text, sizeof text - 1) >= 0) _exit(EXIT_INTERRUPTED);
        _exit(EXIT_INTERRUPTED);
    }
    cli_stop = 1;
}

void cli_loading(bool loading) { in_load = loading; }
void cli_loaded(void) { cli_loading(false); }

void cli_catch_signals(void) {
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);  // a file size limit is reported like a full disk
}
