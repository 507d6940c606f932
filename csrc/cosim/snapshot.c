// SPDX-License-Identifier: Apache-2.0
// Snapshots of a running simulation are forked copies of the process that sleep until they are
// woken.
//
// Every snapshot_interval cycles the states of all compared blocks are compared and the process
// forks. The copy blocks in a read on its socket; two copies are kept. After a mismatch the newest
// copy from before the range is woken. It resumes simulation with a wave, answers with its
// mismatch, and ends. A copy ends when its socket closes. The kernel kills it when the parent dies
// in any way, so no copy outlives the run. This file calls fork itself (not proc/child.h), because
// the copy resumes in the middle of the run.
#include "cosim/cosim_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// A copy's answer. It has no pointers, because the copy may have allocated its texts itself.
typedef struct Answer {
    bool found;
    Mismatch mismatch;  // block and port not set
    char block[64], port[64];
    char wave_error[512];  // "": the wave is written
} Answer;

static bool send_all(int fd, const void *data, size_t n) {
    for (const char *p = data; n;) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        p += done, n -= (size_t)done;
    }
    return true;
}

static bool receive_all(int fd, void *data, size_t n) {
    for (char *p = data; n;) {
        ssize_t done = recv(fd, p, n, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        p += done, n -= (size_t)done;
    }
    return true;
}

// ---- parent ------------------------------------------------------------------------------------

static int reap_child(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return status;
}

static void drop_snapshot(Snapshot *s) {
    kill(s->pid, SIGKILL);
    close(s->fd);
    reap_child(s->pid);
}

void snapshots_close(Cosim *c) {
    while (c->nsnapshots) drop_snapshot(&c->snapshots[--c->nsnapshots]);
}

// ---- the copy ----------------------------------------------------------------------------------

// In the copy: sleeps until it is woken; returns then. The socket's end is the parent's.
static void sleep_until_woken(Cosim *c, int fd, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // the parent died before the line above
    // Ctrl-C is sent to the whole process group; a copy has no files to remove.
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (int i = 0; i < c->nsnapshots; i++) close(c->snapshots[i].fd);
    c->nsnapshots = 0;
    uint64_t range[2];
    if (!receive_all(fd, range, sizeof range)) _exit(0);
    c->replay_fd = fd;
    c->options.snapshots = false;
    c->options.replaying = true;
    c->options.run_on = COSIM_AFTER;
    c->options.wave = cosim_replay_wave(c, range[0]);
    if (c->options.on_replay) c->options.on_replay(c->options.replay_ctx);
    Diag d = {0};
    if (!wave_init(c, &d)) {
        Answer a = {0};
        snprintf(a.wave_error, sizeof a.wave_error, "%.500s", d.text);
        send_all(fd, &a, sizeof a);
        _exit(0);
    }
}

// In a woken copy, at the end of its run: answers and ends.
void snapshot_answer(Cosim *c) {
    Answer a = {.found = c->mismatched, .mismatch = c->mismatch};
    Diag d = {0};
    if (c->mismatched) {
        snprintf(a.block, sizeof a.block, "%s", c->mismatch.block);
        snprintf(a.port, sizeof a.port, "%s", c->mismatch.port);
    }
    if (!wave_finish(c, &d)) snprintf(a.wave_error, sizeof a.wave_error, "%.500s", d.text);
    send_all(c->replay_fd, &a, sizeof a);
    _exit(0);
}

void snapshot_take(Cosim *c) {
    int fds[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
        return;  // the run continues without this snapshot
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        sleep_until_woken(c, fds[1], parent);
        return;
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return;
    }
    if (c->nsnapshots == COSIM_SNAPSHOTS) {
        drop_snapshot(&c->snapshots[0]);
        c->nsnapshots--;
        memmove(&c->snapshots[0], &c->snapshots[1], sizeof *c->snapshots * (size_t)c->nsnapshots);
    }
    c->snapshots[c->nsnapshots++] = (Snapshot){pid, fds[0], c->cycles};
}

// ---- after a mismatch --------------------------------------------------------------------------

char *cosim_replay_wave(Cosim *c, uint64_t cycle) {
    return arena_printf(c->arena, "%s/mismatch.fst:%llu-%llu", c->options.bundle_dir,
                        (unsigned long long)(cycle > COSIM_BEFORE ? cycle - COSIM_BEFORE : 0),
                        (unsigned long long)cycle + COSIM_AFTER);
}

bool cosim_same_mismatch(const Mismatch *a, const Mismatch *b) {
    return !strcmp(a->block, b->block) && !strcmp(a->port, b->port) && a->element == b->element &&
        a->obs_addr == b->obs_addr && a->cycle == b->cycle && a->words == b->words &&
        !memcmp(a->expected, b->expected, sizeof a->expected) &&
        !memcmp(a->actual, b->actual, sizeof a->actual);
}

void cosim_mismatch_line(const Mismatch *m, char *buf, size_t size) {
    char place[100], word[40] = "";
    int w = 0;
    while (w + 1 < m->words && m->expected[w] == m->actual[w]) w++;
    if (m->element < 0)
        snprintf(place, sizeof place, "%s at observation address 0x%x", m->port, m->obs_addr);
    else snprintf(place, sizeof place, "port %s_o[%d]", m->port, m->element);
    if (m->words > 1) snprintf(word, sizeof word, "bits %d..%d ", 32 * w + 31, 32 * w);
    snprintf(buf, size, "block %s, cycle %llu, %s, %sexpected 0x%x, actual 0x%x", m->block,
             (unsigned long long)m->cycle, place, word, m->expected[w], m->actual[w]);
}

bool cosim_replay_differs(const Mismatch *first, const Mismatch *again, Diag *d) {
    char one[300], two[300] = "no mismatch at all";
    cosim_mismatch_line(first, one, sizeof one);
    if (again) cosim_mismatch_line(again, two, sizeof two);
    return diag_fail(d, EXIT_NONDETERMINISTIC,
                     "nondeterministic: the run met %s; its replay met %s", one, two);
}

static CosimReplay judge_replay(Cosim *c, const Answer *a, Diag *d) {
    Mismatch again = a->mismatch;
    again.block = a->block, again.port = a->port;
    if (!a->found || !cosim_same_mismatch(&c->mismatch, &again)) {
        cosim_replay_differs(&c->mismatch, a->found ? &again : NULL, d);
        return COSIM_REPLAY_DIFFERS;
    }
    if (a->wave_error[0]) {
        diag_fail(d, EXIT_ENVIRONMENT, "%s", a->wave_error);
        return COSIM_REPLAY_FAILED;
    }
    return COSIM_REPLAY_SAME;
}

CosimReplay cosim_replay(Cosim *c, uint64_t *from, Diag *d) {
    const Snapshot *s = NULL;
    uint64_t cycle = c->mismatch.cycle, done = c->mismatch_cycles,
             first = done > COSIM_BEFORE ? done - COSIM_BEFORE : 0;
    for (int i = 0; i < c->nsnapshots; i++)
        if (c->snapshots[i].cycle <= first) s = &c->snapshots[i];
    if (!s) return COSIM_REPLAY_NONE;
    *from = s->cycle;
    Answer a;
    bool answered = send_all(s->fd, &(uint64_t[2]){cycle, 0}, 2 * sizeof(uint64_t)) &&
        receive_all(s->fd, &a, sizeof a);
    if (answered) return judge_replay(c, &a, d);
    int status = reap_child(s->pid);
    // The copy has ended; snapshots_close must not wait for it again.
    int gone = (int)(s - c->snapshots);
    close(s->fd);
    c->nsnapshots--;
    memmove(&c->snapshots[gone], &c->snapshots[gone + 1],
            sizeof *s * (size_t)(c->nsnapshots - gone));
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) {
        diag_fail(d, EXIT_INTERRUPTED, "the replay from the snapshot of cycle %llu was interrupted",
                  (unsigned long long)*from);
        return COSIM_REPLAY_FAILED;
    }
    diag_fail(
        d, EXIT_NONDETERMINISTIC,
        "nondeterministic: the run met a mismatch; its replay from the snapshot of cycle %llu "
        "ended with %s %d",
        (unsigned long long)*from, WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return COSIM_REPLAY_DIFFERS;
}
