// SPDX-License-Identifier: Apache-2.0
#include "proc/children.h"

#include "base/diag.h"

#include <signal.h>
#include <time.h>

enum { FIRST_NAP = 200000 /* ns */, MS = 1000000 /* ns */ };

typedef struct Run {
    const Children *c;
    pid_t pids[CHILDREN_MAX];  // by place; 0: free
    int items[CHILDREN_MAX];
    int running, next;
    bool failed;
} Run;

static bool is_stopped(const Children *c) { return c->stop && *c->stop; }

static void take_ended(Run *r, int place, bool dropped) {
    const Children *c = r->c;
    const pid_t pid = r->pids[place];
    ChildEnd end;
    if (!pid || !child_ended(pid, &end)) return;
    if (c->groups) child_signal(pid, true, SIGKILL);
    r->pids[place] = 0, r->running--;
    if (!dropped && !is_stopped(c) && c->ended)
        r->failed |= !c->ended(c->ctx, (Task){r->items[place], place}, &end);
}

// Returns whether there was an item to be started.
static bool fill_place(Run *r, int place) {
    const Children *c = r->c;
    const int item = c->next ? c->next(c->ctx, place) : r->next < c->n ? r->next++ : -1;
    if (item < 0) return false;
    const pid_t pid = c->start(c->ctx, (Task){item, place});
    r->failed |= pid < 0;
    if (pid > 0) r->pids[place] = pid, r->items[place] = item, r->running++;
    return true;
}

// Returns whether there is anything left.
static bool look_at_all(Run *r) {
    bool more = false;
    for (int i = 0; i < r->c->jobs && !r->failed; i++) {
        take_ended(r, i, false);
        if (!r->pids[i] && !r->failed) more |= is_stopped(r->c) || fill_place(r, i);
    }
    return more || r->running;
}

// From one look to the next ever longer.
static long sleep_longer(long ns, const Children *c) {
    const long longest = c->look_ms * (long)MS;
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    return ns + ns / 2 < longest ? ns + ns / 2 : longest;
}

static void end_all(Run *r) {
    const Children *c = r->c;
    const long patience = c->patience_ms * (long)MS;
    for (long waited = 0, next = FIRST_NAP; r->running;) {
        const bool killed = patience >= 0 && waited >= patience;
        for (int i = 0; i < c->jobs; i++)
            if (r->pids[i] && (!waited || killed))
                child_signal(r->pids[i], c->groups, killed ? SIGKILL : SIGTERM);
        waited += next;
        next = sleep_longer(next, c);
        for (int i = 0; i < c->jobs; i++) take_ended(r, i, true);
    }
}

ChildrenEnd children_run(const Children *c) {
    Run r = {.c = c};
    bool more = true;
    panic_if(c->jobs > CHILDREN_MAX, "%d children", c->jobs);
    for (long next = FIRST_NAP; !is_stopped(c) && (more = look_at_all(&r)) && !r.failed;
         next = sleep_longer(next, c))
        if (c->look) c->look(c->ctx);
    end_all(&r);
    return r.failed ? CHILDREN_FAILED : more ? CHILDREN_STOPPED : CHILDREN_DONE;
}
