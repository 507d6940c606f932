// SPDX-License-Identifier: Apache-2.0
#include "device/serve.h"

#include "base/console.h"
#include "base/output.h"
#include "base/plain.h"
#include "device/executable.h"
#include "device/process_image.h"
#include "proc/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, POLL_MS = 100, GRACE_MS = 2000, LOOK_MS = 200 };

// ---- the program ----

typedef struct Connection {
    pid_t pid;       // 0: no hello yet
    uint64_t image;  // of the process when it sent hello
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

// ---- requests ----

// Does the process still execute the image that sent hello? If the kernel does not show the image
// (not dumpable): does the process exist?
static bool is_alive(const Connection *of) {
    uint64_t image;
    if (!of->pid) return false;
    return process_read_image(of->pid, &image) ? image && image == of->image
                                               : process_is_running(of->pid);
}

static void greet_process(Server *s, Connection *of, const CudaRequest *q, int fd) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (of->pid) return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0)
        context_refuse(s->c,
                       "a process of the program is in a PID namespace in which smcosim cannot "
                       "detect its end");
    of->pid = peer.pid;
    if (!process_read_image(peer.pid, &of->image)) of->image = q->asked.hello.image;
    s->served->connections++;
}

// Serves one request. False: the connection has ended, or uses another protocol.
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

// A process that ends, or executes another program, closes its connection after it has released its
// memory.
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
        context_refuse(
            s->c,
            arena_printf(s->arena,
                         "more than %d processes of the program use CUDA at the same time",
                         MOST_CONNECTIONS));
        close(fd);
        return;
    }
    s->of[s->nfds] = (Connection){0};
    s->fds[s->nfds++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

// A process that outlives the program and still has its connection; 0: none.
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

// Waits for requests. Counts the time in which only processes that outlive the program remain.
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

// Serves until the program and all of its processes that use CUDA have ended, and all of their
// requests are answered.
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

// Ends the program, so that it does not outlive this process.
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
    bool ok = listen_at(&s, d);
    const Executable program = {.argv = argv,
                                .libraries = arena_printf(arena, "%s/cuda", s.o->data_dir),
                                .socket = s.path,
                                .stdout_to = stdout_to};
    ok = ok && executable_start(&program, arena, &s.child, d);
    if (ok) serve_requests(&s);
    end_program(&s);
    if (ok && *s.o->stop) return diag_fail(d, EXIT_INTERRUPTED, "interrupted");
    return ok;
}
