// SPDX-License-Identifier: Apache-2.0
#include "device/executable.h"

#include "base/output.h"
#include "base/plain.h"
#include "cuda/protocol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_executable(Arena *arena, const char *name) {
    if (strchr(name, '/')) return name;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p; p += strcspn(p, ":"), p += *p == ':') {
        const char *full = arena_printf(arena, "%.*s/%s", (int)strcspn(p, ":"), p, name);
        if (!access(full, X_OK)) return full;
    }
    return name;
}

// The section of that name. NULL: none, or the file is damaged, which the loader reports.
static const Elf64_Shdr *find_section(const char *text, size_t n, const char *name) {
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)text;
    if (e->e_shoff > n || (n - e->e_shoff) / sizeof(Elf64_Shdr) < e->e_shnum ||
        e->e_shstrndx >= e->e_shnum)
        return NULL;
    const Elf64_Shdr *all = (const Elf64_Shdr *)(const void *)(text + e->e_shoff),
                     *names = &all[e->e_shstrndx];
    if (names->sh_offset > n || names->sh_size > n - names->sh_offset) return NULL;
    for (int i = 0; i < e->e_shnum; i++) {
        if (all[i].sh_name >= names->sh_size) continue;
        const char *is = text + names->sh_offset + all[i].sh_name;
        if (!strncmp(is, name, names->sh_size - all[i].sh_name) &&
            strlen(name) < names->sh_size - all[i].sh_name)
            return &all[i];
    }
    return NULL;
}

// Does its table of dynamic names contain `part`?
static bool names_library(const char *text, size_t n, const char *part) {
    const Elf64_Shdr *s = find_section(text, n, ".dynstr");
    if (!s || s->sh_offset > n || s->sh_size > n - s->sh_offset) return false;
    return memmem(text + s->sh_offset, s->sh_size, part, strlen(part));
}

bool executable_check(Arena *arena, const char *program, Diag *d) {
    // its table of errors; nvcc gives every program a .nv_fatbin
    static const char runtime[] = "cudaErrorInvalidValue";
    char *text;
    size_t n;
    Arena file = {0};
    bool ok = file_read(&file, find_executable(arena, program), &text, &n, d);
    if (!ok) return arena_free(&file), false;
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)text;
    if (n >= sizeof *e && !memcmp(e->e_ident, ELFMAG, SELFMAG) &&
        e->e_ident[EI_CLASS] == ELFCLASS64 && find_section(text, n, ".nv_fatbin") &&
        !names_library(text, n, "libcudart") && memmem(text, n, runtime, sizeof runtime - 1))
        ok = diag_fail(d, EXIT_USAGE,
                       "%s: CUDA's runtime is linked into the program, so smcosim's cannot replace "
                       "it: link it with\n"
                       "    nvcc -cudart shared ..",
                       plain_text(arena, program));
    arena_free(&file);
    return ok;
}

// Runs in the child. An error of execv returns through the pipe. proc/child.h is not used, because
// the parent answers the program's requests while it runs. The parent also distinguishes a program
// that cannot be executed from one that ends with status 127.
static void become_program(const Executable *e, const char *file, Arena *arena, int report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *before = getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH",
           before && *before ? arena_printf(arena, "%s:%s", e->libraries, before) : e->libraries,
           1);
    setenv(CUDA_SOCKET_VARIABLE, e->socket, 1);
    const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    if (e->stdout_to >= 0) dup2(e->stdout_to, STDOUT_FILENO);
    execv(file, e->argv);
    const int error = errno;
    if (write(report, &error, sizeof error) < 0) {}
    _exit(127);
}

bool executable_start(const Executable *e, Arena *arena, pid_t *child, Diag *d) {
    const char *file = find_executable(arena, e->argv[0]);
    int report[2], error;
    *child = -1;
    if (pipe2(report, O_CLOEXEC))
        return diag_fail(d, EXIT_ENVIRONMENT, "pipe: %s", strerror(errno));
    fflush(NULL);
    *child = fork();
    if (!*child) become_program(e, file, arena, report[1]);
    close(report[1]);
    const bool failed = *child < 0 || read(report[0], &error, sizeof error) == sizeof error;
    close(report[0]);
    if (!failed) return true;
    if (*child < 0) return diag_fail(d, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
    waitpid(*child, NULL, 0);
    *child = -1;
    return diag_fail(d, EXIT_USAGE, "%s: cannot be run: %s", e->argv[0], strerror(error));
}
