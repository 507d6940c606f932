// SPDX-License-Identifier: Apache-2.0
// Cases side by side on this machine.
#include "regress/case.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 10, PATIENCE_MS = 10000 /* for processes that were asked to end */ };

typedef struct Queue {
    const RegressPlan *plan;
    const char *dir;
    const QueueOptions *o;
    Arena *arena;
    CaseProcess *slots;      // pid 0: free
    int *todo, ntodo, next;
    int done, failed;
    Diag *d;
} Queue;

static void nap(void) {
    const struct timespec t = {0, LOOK_MS * 1000000L};
    nanosleep(&t, NULL);
}

// Two processes that did one shard of one campaign would write over each other.
static int lock_shard(const Queue *q) {
    const char *path = arena_printf(q->arena, "%s/lock-%d-of-%d", q->dir, q->o->shard, q->o->shards);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        diag_fail(q->d, EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!flock(fd, LOCK_EX | LOCK_NB)) return fd;
    diag_fail(q->d, EXIT_ENVIRONMENT, "%s: another process is running this campaign", q->dir);
    close(fd);
    return -1;
}

static bool find_todo(Queue *q) {
    const RegressPlan *p = q->plan;
    q->todo = ARENA_ARRAY(q->arena, int, p->ncases + 1);
    for (int i = 0; i < p->ncases; i++) {
        RegressResult r;
        if (i % q->o->shards != q->o->shard) continue;
        if (!case_result(&r, q->arena, q->dir, p, i, q->d)) return false;
        if (r.outcome) q->done++, q->failed += !outcome_good(r.outcome);
        else q->todo[q->ntodo++] = i;
    }
    return true;
}

static int running(const Queue *q) {
    int n = 0;
    for (int i = 0; i < q->o->jobs; i++) n += q->slots[i].pid != 0;
    return n;
}

static void tell(const Queue *q) {
    if (q->o->progress) q->o->progress(q->done, q->done + q->ntodo - q->next + running(q), q->failed);
}

static bool fill(Queue *q) {
    for (int i = 0; i < q->o->jobs && q->next < q->ntodo; i++)
        if (!q->slots[i].pid) {
            if (!case_start(&q->slots[i], q->arena, q->plan, q->dir, q->todo[q->next], q->d)) return false;
            q->next++;
        }
    return true;
}

// The cases that have ended; with `drop` they leave no result.
static bool reap(Queue *q, bool drop) {
    for (int i = 0; i < q->o->jobs; i++) {
        CaseProcess *s = &q->slots[i];
        struct rusage used;
        int status;
        if (!s->pid || wait4(s->pid, &status, WNOHANG, &used) != s->pid) continue;
        case_kill(s, SIGKILL);  // what it started and left behind
        const CaseProcess ended = *s;
        s->pid = 0;
        if (drop) continue;
        RegressResult r;
        if (!case_finish(&ended, q->plan, status, &used, q->d) || !case_result(&r, q->arena, q->dir, q->plan, ended.number, q->d)) return false;
        q->done++, q->failed += !outcome_good(r.outcome);
        tell(q);
    }
    return true;
}

static void stop_all(Queue *q) {
    for (int waited = 0; running(q); waited += LOOK_MS) {
        for (int i = 0; i < q->o->jobs; i++)
            if (q->slots[i].pid && (waited == 0 || waited >= PATIENCE_MS)) case_kill(&q->slots[i], waited ? SIGKILL : SIGTERM);
        nap();
        reap(q, true);
    }
}

static bool run_all(Queue *q) {
    tell(q);
    while (!*q->o->stop) {
        if (!fill(q) || !reap(q, false)) break;
        if (!running(q) && q->next == q->ntodo) return true;
        nap();
    }
    stop_all(q);
    return diag_fail(q->d, EXIT_INTERRUPTED, "interrupted; --resume goes on with what is missing");
}

bool queue_run(const RegressPlan *p, const char *dir, const QueueOptions *o, Diag *d) {
    Arena arena = {0};
    Queue q = {.plan = p, .dir = dir, .o = o, .arena = &arena, .slots = ARENA_ARRAY(&arena, CaseProcess, o->jobs), .d = d};
    const int lock = lock_shard(&q);
    bool ok = lock >= 0 && find_todo(&q) && run_all(&q);
    if (lock >= 0) close(lock);
    arena_free(&arena);
    return ok;
}
