// SPDX-License-Identifier: Apache-2.0
#include "regress/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t take(int fd, char *text, size_t size) {
    char rest[4096];
    size_t n = 0;
    for (;;) {
        const ssize_t got = n < size - 1 ? read(fd, text + n, size - 1 - n) : read(fd, rest, sizeof rest);
        if (got == 0 || (got < 0 && errno != EINTR)) return n;
        if (got > 0 && n < size - 1) n += (size_t)got;
    }
}

int tool_ask(const char *const *argv, char *text, size_t size) {
    int ends[2], status;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC)) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1), dup2(ends[1], 2);
        execvp(argv[0], (char *const *)argv);
        _exit(TOOL_MISSING);
    }
    close(ends[1]);
    const size_t n = pid > 0 ? take(ends[0], text, size) : 0;
    close(ends[0]);
    text[n] = '\0';
    if (n && text[n - 1] == '\n') text[n - 1] = '\0';
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
