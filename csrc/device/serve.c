// SPDX-License-Identifier: Apache-2.0
#include "device/serve.h"

#include "base/console.h"
#include "base/output.h"
#include "base/plain.h"
#include "proc/clock.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, POLL_MS = 100, GRACE_MS = 2000, LOOK_MS = 200 };

// ---- how it is linked ----

static const char *find_program(Arena *arena, const char *name) {
    if (strchr(name, '/')) return name;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p; p += strcspn(p, ":"), p += *p == ':') {
        const char *full = arena_printf(arena, "%.*s/%s", (int)strcspn(p, ":"), p, name);
        if (!access(full, X_OK)) return full;
    }
    return name;
}

// The section of that name, NULL: none, or the file is damaged (the loader will say so).
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

// Does its table of dynamic names say `part`?
static bool names_library(const char *text, size_t n, const char *part) {
    const Elf64_Shdr *s = find_section(text, n, ".dynstr");
    if (!s || s->sh_offset > n || s->sh_size > n - s->sh_offset) return false;
    return memmem(text + s->sh_offset, s->sh_size, part, strlen(part));
}

bool serve_linked(Arena *arena, const char *program, Diag *d) {
    // its table of errors; nvcc gives every program a .nv_fatbin
    static const char runtime[] = "cudaErrorInvalidValue";
    char *text;
    size_t n;
    Arena file = {0};
    bool ok = file_read(&file, find_program(arena, program), &text, &n, d);
    if (!ok) return arena_free(&file), false;
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)text;
    if (n >= sizeof *e && !memcmp(e->e_ident, ELFMAG, SELFMAG) &&
        e->e_ident[EI_CLASS] == ELFCLASS64 && find_section(text, n, ".nv_fatbin") &&
        !names_library(text, n, "libcudart") && memmem(text, n, runtime, sizeof runtime - 1))
        ok = diag_fail(
            d, EXIT_USAGE,
            "%s: CUDA's runtime is linked into it, so smcosim's cannot stand in: link it with\n"
            "    nvcc -cudart shared ..",
            plain_text(arena, program));
    arena_free(&file);
    return ok;
}

// ---- the program ----

typedef struct Connection {
    pid_t pid;       // 0: it has not said hello
    uint64_t image;  // of the process when it said hello
    bool bye;
} Connection;

typedef struct Server {
    Context *c;
    Arena *arena;
    const SessionOptions *o;
    double wait_left, waited;  // seconds for processes that the program left, at most and so far
    Served *served;
    char *dir, *path;  // of the socket
    int listener;
    pid_t child;
    bool ended;  // the program has
    struct pollfd fds[MOST_CONNECTIONS + 1];
    Connection of[MOST_CONNECTIONS + 1];  // process of each connection; unused for the listener
    int nfds;
} Server;

static bool listen_at(Server *s, Diag *d) {
    s->dir = output_scratch(s->arena);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(s->dir) + 8 >= sizeof address.sun_path)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: too long for the name of a socket", s->dir);
    if (!mkdtemp(s->dir)) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", s->dir, strerror(errno));
    s->path = arena_printf(s->arena, "%s/socket", s->dir);
    strcpy(address.sun_path, s->path);
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(s->listener, 16))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", s->path, strerror(errno));
    s->fds[s->nfds++] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    return true;
}

// In the child; what exec says comes back through the pipe. Not by proc/child.h: the parent answers
// the program's requests while it runs, and tells a program that cannot be executed from one that
// ends with status 127.
static void become_program(const Server *s, char **argv, const char *file, int stdout_to,
                           int report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *own = arena_printf(s->arena, "%s/cuda", s->o->data_dir),
               *before = getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH",
           before && *before ? arena_printf(s->arena, "%s:%s", own, before) : own, 1);
    setenv(CUDA_SOCKET_VARIABLE, s->path, 1);
    const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    if (stdout_to >= 0) dup2(stdout_to, STDOUT_FILENO);
    execv(file, argv);
    const int error = errno;
    if (write(report, &error, sizeof error) < 0) {}
    _exit(127);
}

static bool start_program(Server *s, char **argv, int stdout_to, Diag *d) {
    const char *file = find_program(s->arena, argv[0]);
    int report[2], error;
    if (pipe2(report, O_CLOEXEC))
        return diag_fail(d, EXIT_ENVIRONMENT, "pipe: %s", strerror(errno));
    fflush(NULL);
    s->child = fork();
    if (!s->child) become_program(s, argv, file, stdout_to, report[1]);
    close(report[1]);
    const bool failed = s->child < 0 || read(report[0], &error, sizeof error) == sizeof error;
    close(report[0]);
    if (!failed) return true;
    if (s->child < 0) return diag_fail(d, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
    waitpid(s->child, NULL, 0);
    s->ended = true;
    return diag_fail(d, EXIT_USAGE, "%s: cannot be run: %s", argv[0], strerror(error));
}

// ---- requests ----

// /proc may be that of another namespace.
static FILE *open_proc(pid_t pid, const char *file) {
    char path[40], self[20] = "";
    if (readlink("/proc/self", self, sizeof self - 1) < 0 || strtol(self, NULL, 10) != getpid())
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return fopen(path, "rb");
}

// What tells a program in a process from the next one that the process executes: the address of the
// random bytes that the kernel gives each. 0: the process gives up its memory to end. False: the
// kernel does not show it.
static bool read_image(pid_t pid, uint64_t *image) {
    Elf64_auxv_t entry;
    FILE *f = open_proc(pid, "auxv");
    *image = 0;
    while (f && !*image && fread(&entry, sizeof entry, 1, f) == 1 && entry.a_type != AT_NULL)
        if (entry.a_type == AT_RANDOM) *image = entry.a_un.a_val;
    if (f) fclose(f);
    return f != NULL;
}

// Is it there, and more than a status that nobody has taken yet?
static bool is_running(pid_t pid) {
    char text[200] = "";
    if (kill(pid, 0) && errno != EPERM) return false;
    FILE *f = open_proc(pid, "stat");
    if (!f) return true;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    const char *state = strrchr(text, ')');
    return !state || strncmp(state, ") Z", 3) != 0;
}

// Does the process still execute what said hello? Where the kernel does not show that (not
// dumpable): is it there?
static bool is_alive(const Connection *of) {
    uint64_t image;
    if (!of->pid) return false;
    return read_image(of->pid, &image) ? image && image == of->image : is_running(of->pid);
}

static void greet_process(Server *s, Connection *of, const CudaRequest *q, int fd) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (of->pid) return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0)
        context_refuse(s->c,
                       "a process of the program is in a PID namespace in which smcosim does not "
                       "see whether it ends");
    of->pid = peer.pid;
    if (!read_image(peer.pid, &of->image)) of->image = q->asked.hello.image;
    s->served->connections++;
}

// One request from its beginning to its answer. False: the connection has ended, or speaks
// something else.
static bool answer_request(Server *s, Connection *of, int fd) {
    CudaRequest q;
    CudaReply reply;
    uint8_t *payload = NULL, *out = NULL;
    if (!cuda_receive(fd, &q, sizeof q) || q.op >= CUDA_OP_COUNT || q.zero ||
        q.bytes > CUDA_PAYLOAD_MOST)
        return false;
    of->bye = q.op == CUDA_OP_BYE;
    if (of->bye) return true;
    if (q.op == CUDA_OP_HELLO) greet_process(s, of, &q, fd);
    payload = malloc(q.bytes + 1);
    bool ok = payload && cuda_receive(fd, payload, q.bytes);
    if (ok) {
        payload[q.bytes] = '\0';
        context_answer(s->c, fd, &q, payload, &reply, &out);
        ok = cuda_send(fd, &reply, sizeof reply) && cuda_send(fd, out, reply.bytes);
    }
    free(payload);
    free(out);
    return ok;
}

static void hang_up(Server *s, int i) {
    context_leave(s->c, s->fds[i].fd);
    close(s->fds[i].fd);
    s->fds[i] = s->fds[--s->nfds];
    s->of[i] = s->of[s->nfds];
}

static void look_at_child(Server *s) {
    int status;
    if (s->ended || waitpid(s->child, &status, WNOHANG) != s->child) return;
    s->ended = true;
    s->served->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    s->served->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool runs_on(Server *s, const Connection *of) {
    look_at_child(s);
    return !of->bye && !(s->ended && of->pid == s->child) && is_alive(of);
}

// A process that ends, or executes another program, closes its connection when its memory is gone
// already.
static void end_connection(Server *s, int i) {
    const Connection of = s->of[i];
    hang_up(s, i);
    for (int ms = 0; runs_on(s, &of); ms += 10) {
        if (ms >= LOOK_MS) {
            context_cut_off(s->c, of.pid);
            return;
        }
        usleep(10000);
    }
}

static void take_connection(Server *s) {
    const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) return;
    if (s->nfds > MOST_CONNECTIONS) {
        context_refuse(s->c,
                       arena_printf(s->arena,
                                    "more than %d processes of the program use CUDA at once",
                                    MOST_CONNECTIONS));
        close(fd);
        return;
    }
    s->of[s->nfds] = (Connection){0};
    s->fds[s->nfds++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

// A process that the program has left behind and that still has its connection; 0: none.
static pid_t find_left(const Server *s) {
    for (int i = 1; i < s->nfds; i++)
        if (s->of[i].pid != s->child && !s->of[i].bye && is_alive(&s->of[i])) return s->of[i].pid;
    return 0;
}

static void tell_left(pid_t left) {
    console_progress(NULL);
    fprintf(stderr,
            "smcosim: the program has ended; its process %d still uses CUDA and is waited for\n",
            (int)left);
}

// Waits for requests; the time counts that passes while only processes are there that the program
// has left.
static int wait_for_requests(Server *s, pid_t left) {
    const double since = clock_seconds(), before = s->waited;
    const int n = poll(s->fds, (nfds_t)s->nfds, s->ended && !left ? 0 : POLL_MS);
    if (!left) return n;
    s->waited += clock_seconds() - since;
    if (before < GRACE_MS / 1000.0 && s->waited >= GRACE_MS / 1000.0) tell_left(left);
    return n;
}

static void give_up(Server *s, pid_t left) {
    context_refuse(
        s->c,
        arena_printf(s->arena,
                     "the program has ended, and its process %d still uses CUDA after %.0f s "
                     "(--wait-left)",
                     (int)left, s->wait_left));
}

// Until the program has ended, with all of its processes that use CUDA, and what it sent before is
// answered.
static void serve_requests(Server *s) {
    while (!*s->o->stop) {
        look_at_child(s);
        const pid_t left = s->ended ? find_left(s) : 0;
        const int n = wait_for_requests(s, left);
        if (n <= 0 && s->ended && !left) return;
        if (left && s->waited >= s->wait_left) return give_up(s, left);
        for (int i = s->nfds - 1; i > 0 && n > 0; i--)
            if (s->fds[i].revents && !answer_request(s, &s->of[i], s->fds[i].fd))
                end_connection(s, i);
        if (n > 0 && s->fds[0].revents) take_connection(s);
    }
}

// Nothing of the program outlives us.
static void end_program(Server *s) {
    if (s->child > 0 && !s->ended) {
        kill(s->child, SIGTERM);
        for (int ms = 0; ms < GRACE_MS && !s->ended; ms += 10) {
            usleep(10000);
            look_at_child(s);
        }
        if (!s->ended) {
            kill(s->child, SIGKILL);
            waitpid(s->child, NULL, 0);
        }
    }
    while (s->nfds > 1) hang_up(s, s->nfds - 1);
    if (s->listener >= 0) close(s->listener);
    if (s->path) unlink(s->path);
    if (s->dir) rmdir(s->dir);
}

bool serve_program(Context *c, Arena *arena, const ExecOptions *e, char **argv, int stdout_to,
                   Served *served, Diag *d) {
    Server s = {.c = c,
                .arena = arena,
                .o = &e->session,
                .wait_left = (double)e->wait_left,
                .served = served,
                .listener = -1};
    *served = (Served){.status = -1};
    bool ok = listen_at(&s, d) && start_program(&s, argv, stdout_to, d);
    if (ok) serve_requests(&s);
    end_program(&s);
    if (ok && *s.o->stop) return diag_fail(d, EXIT_INTERRUPTED, "interrupted");
    return ok;
}
