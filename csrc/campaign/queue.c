// SPDX-License-Identifier: Apache-2.0
// Runs cases in parallel on this machine.
#include "campaign/case.h"
#include "proc/children.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LOOK_MS = 10, PATIENCE_MS = 10000 /* for processes that were asked to end */ };

typedef struct Queue {
    const RegressPlan *plan;
    const char *dir;
    const QueueOptions *o;
    Arena *arena;
    CaseProcess *cases;  // by place
    int *todo, ntodo;
    int done, all, failed;
    Diag *d;
} Queue;

// Locks the shard, because two processes that run one shard would overwrite each other's results.
static int lock_shard(const Queue *q) {
    const char *path =
        arena_printf(q->arena, "%s/lock-%d-of-%d", q->dir, q->o->shard, q->o->shards);
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

static void tell_progress(const Queue *q) {
    if (q->o->progress) q->o->progress(q->done, q->all, q->failed);
}

static pid_t start_case(void *ctx, Task t) {
    Queue *q = ctx;
    return case_start(&q->cases[t.place], q->arena, q->plan, q->dir, q->todo[t.item], q->d);
}

static bool end_case(void *ctx, Task t, const ChildEnd *end) {
    Queue *q = ctx;
    RegressResult r;
    if (!case_finish(&q->cases[t.place], q->plan, end, q->d) ||
        !case_result(&r, q->arena, q->dir, q->plan, q->todo[t.item], q->d))
        return false;
    q->done++, q->failed += !outcome_good(r.outcome);
    tell_progress(q);
    return true;
}

static bool run_all(Queue *q) {
    const Children children = {.jobs = q->o->jobs,
                               .look_ms = LOOK_MS,
                               .patience_ms = PATIENCE_MS,
                               .groups = true,
                               .stop = q->o->stop,
                               .ctx = q,
                               .n = q->ntodo,
                               .start = start_case,
                               .ended = end_case};
    q->all = q->done + q->ntodo;
    tell_progress(q);
    return children_run(&children) == CHILDREN_DONE ||
        diag_fail(q->d, EXIT_INTERRUPTED, "interrupted; --resume runs the missing cases");
}

bool queue_run(const RegressPlan *p, const char *dir, const QueueOptions *o, Diag *d) {
    Arena arena = {0};
    Queue q = {.plan = p,
               .dir = dir,
               .o = o,
               .arena = &arena,
               .cases = ARENA_ARRAY(&arena, CaseProcess, o->jobs),
               .d = d};
    const int lock = lock_shard(&q);
    bool ok = lock >= 0 && find_todo(&q) && run_all(&q);
    if (lock >= 0) close(lock);
    arena_free(&arena);
    return ok;
}
