// SPDX-License-Identifier: Apache-2.0
#include "proc/child.h"

#include "base/diag.h"
#include "proc/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE = 5 /* seconds from SIGXCPU to SIGKILL */, LOOK_MS = 5, STOP_MS = 200 };

// ---- in the child ------------------------------------------------------------------------------

// A stricter limit of the system remains.
static bool limit_time(int seconds) {
    struct rlimit l;
    if (getrlimit(RLIMIT_CPU, &l)) return false;
    const rlim_t most = l.rlim_max, soft = (rlim_t)seconds, hard = soft + GRACE;
    l = (struct rlimit){.rlim_cur = soft < most ? soft : most,
                        .rlim_max = hard < most ? hard : most};
    return !setrlimit(RLIMIT_CPU, &l);
}

static int create_file(const char *path) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666); }

static bool redirect_to(int to, int from) {
    return from == to || (from >= 0 && dup2(from, to) >= 0);
}

static bool redirect_all(const Child *c) {
    const bool one = c->out && c->err && !strcmp(c->out, c->err);
    const int in = c->no_input ? open("/dev/null", O_RDONLY) : 0;
    const int out = c->out ? create_file(c->out) : c->out_fd ? c->out_fd : 1;
    const int err = one ? out : c->err ? create_file(c->err) : c->err_fd ? c->err_fd : 2;
    return redirect_to(0, in) && redirect_to(1, out) && redirect_to(2, err);
}

static void set_signals(ChildSignals how) {
    if (how == CHILD_KEEPS) return;
    signal(SIGINT, how == CHILD_SPARED ? SIG_IGN : SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (how == CHILD_DEFAULT) signal(SIGPIPE, SIG_DFL), signal(SIGXFSZ, SIG_DFL);
}

static _Noreturn void become_child(const Child *c, pid_t parent) {
    const int missing = c->missing ? c->missing : CHILD_MISSING;
    if (c->death) prctl(PR_SET_PDEATHSIG, c->death);
    if (c->death && getppid() != parent) _exit(missing);  // it died before the line above
    if (c->group) setpgid(0, 0);
    if (!redirect_all(c) || (c->folder && chdir(c->folder))) _exit(missing);
    if (c->seconds && !limit_time(c->seconds)) _exit(missing);
    set_signals(c->signals);
    if (c->inside) c->inside(c->ctx);
    if (!c->argv) _exit(0);
    execvp(c->argv[0], (char *const *)(uintptr_t)c->argv);
    if (c->says) fprintf(stderr, "smcosim: %s: %s\n", c->argv[0], strerror(errno));
    _exit(missing);
}

// ---- in the parent -----------------------------------------------------------------------------

pid_t child_start(const Child *c) {
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) become_child(c, parent);
    if (pid > 0 && c->group) setpgid(pid, pid);  // also in the child: either may be first
    return pid;
}

void child_signal(pid_t pid, bool group, int number) { kill(group ? -pid : pid, number); }

// A child that cannot be waited for (SIGCHLD is ignored) counts as missing. False: it has not
// ended.
static bool take_end(pid_t pid, int flags, ChildEnd *end) {
    struct rusage used;
    int status;
    pid_t got;
    while ((got = wait4(pid, &status, flags, &used)) < 0 && errno == EINTR) {}
    if (got == 0) return false;
    *end = (ChildEnd){.status = CHILD_MISSING};
    if (got < 0) return true;
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *end = (ChildEnd){by ? 128 + by : WEXITSTATUS(status), by, clock_of_usage(&used)};
    return true;
}

bool child_ended(pid_t pid, ChildEnd *end) { return take_end(pid, WNOHANG, end); }

bool child_wait(pid_t pid, volatile int *stop, int number, ChildEnd *end) {
    bool stopped = false;
    while (!take_end(pid, stop && !stopped ? WNOHANG : 0, end)) {
        if (*stop) child_signal(pid, true, number), stopped = true;
        else nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    return !stopped;
}

// Returns false at the end of the output.
static bool take_text(int fd, ChildText *t, size_t *used) {
    char rest[4096];
    const bool full = *used + 1 >= t->size;
    const ssize_t n =
        full ? read(fd, rest, sizeof rest) : read(fd, t->text + *used, t->size - 1 - *used);
    if (n > 0 && !full) *used += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

static void end_text(ChildText *t, size_t used) {
    while (used && t->text[used - 1] == '\n') used--;
    t->text[used] = '\0';
}

// Until both outputs are closed.
static void take_texts(pid_t pid, bool group, const int *fds, ChildText *texts, int n,
                       volatile int *stop) {
    struct pollfd p[2];
    size_t used[2] = {0};
    int left = n;
    for (int i = 0; i < n; i++) p[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    for (bool told = false; left;) {
        if (stop && *stop && !told) child_signal(pid, group, SIGTERM), told = true;
        if (poll(p, (nfds_t)n, stop ? STOP_MS : -1) <= 0) continue;
        for (int i = 0; i < n; i++)
            if (p[i].fd >= 0 && p[i].revents && !take_text(p[i].fd, &texts[i], &used[i]))
                p[i].fd = -1, left--;
    }
    for (int i = 0; i < n; i++) end_text(&texts[i], used[i]);
}

static bool open_pipes(int n, int *from, int *to) {
    for (int i = 0, ends[2]; i < n; i++) {
        if (pipe2(ends, O_CLOEXEC)) {
            while (i--) close(from[i]), close(to[i]);
            return false;
        }
        from[i] = ends[0], to[i] = ends[1];
    }
    return true;
}

bool child_ask(const Child *c, ChildText out, const ChildText *err, volatile int *stop,
               ChildEnd *end) {
    ChildText texts[2] = {out, err ? *err : (ChildText){0}};
    int from[2], to[2];
    const int n = err ? 2 : 1;
    if (!open_pipes(n, from, to)) return false;
    Child asked = *c;
    asked.out_fd = to[0], asked.err_fd = to[n - 1];
    const pid_t pid = child_start(&asked);
    for (int i = 0; i < n; i++) close(to[i]);
    if (pid > 0) take_texts(pid, c->group, from, texts, n, stop);
    for (int i = 0; i < n; i++) close(from[i]);
    return pid > 0 && child_wait(pid, NULL, 0, end);
}

int child_answer(const char *const *argv, char *text, size_t size) {
    ChildEnd end;
    text[0] = '\0';
    const Child c = {.argv = argv};
    const bool ran = child_ask(&c, (ChildText){text, size}, NULL, NULL, &end);
    return ran && !end.signal ? end.status : -1;
}

void *child_shared(size_t bytes) {
    const int flags = MAP_SHARED | MAP_ANONYMOUS;
    void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, flags, -1, 0);
    panic_if(p == MAP_FAILED, "out of memory");
    return p;
}

void child_unshare(void *memory, size_t bytes) { munmap(memory, bytes ? bytes : 1); }
