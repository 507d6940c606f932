// SPDX-License-Identifier: Apache-2.0
#include "proc/children.h"

#include "base/diag.h"

#include <signal.h>
#include <time.h>

enum { FIRST_LOOK = 200000 /* ns */, MS = 1000000 /* ns */ };

typedef struct Place {
    pid_t pid;  // 0: free
    int item;
} Place;

typedef struct Run {
    const Children *c;
    Place places[CHILDREN_MAX];
    int running;
    bool failed;
} Run;

static bool is_stopped(const Children *c) { return c->stop && *c->stop; }

static void take_ended(Run *r, int place, bool dropped) {
    const Children *c = r->c;
    Place *p = &r->places[place];
    ChildEnd end;
    if (!p->pid || !child_ended(p->pid, &end)) return;
    if (c->groups) child_signal(p->pid, true, SIGKILL);
    p->pid = 0, r->running--;
    r->failed |= !c->ended(c->ctx, place, p->item, &end, dropped || is_stopped(c));
}

// Returns whether there is an item to be started.
static bool fill_place(Run *r, int place) {
    const Children *c = r->c;
    const int item = c->next(c->ctx, place);
    if (item < 0) return false;
    const pid_t pid = c->start(c->ctx, place, item);
    r->failed |= pid < 0;
    if (pid > 0) r->places[place] = (Place){pid, item}, r->running++;
    return true;
}

static bool look_at_all(Run *r) {
    bool more = false;
    for (int i = 0; i < r->c->jobs && !r->failed; i++) {
        take_ended(r, i, false);
        if (!r->places[i].pid && !r->failed) more |= is_stopped(r->c) || fill_place(r, i);
    }
    return more || r->running;
}

static void end_all(Run *r) {
    const Children *c = r->c;
    const long patience = c->patience_ms * (long)MS;
    long waited = 0;
    for (int round = 0; r->running; round++) {
        const bool killed = patience >= 0 && waited >= patience;
        for (int i = 0; i < c->jobs; i++)
            if (r->places[i].pid && (!round || killed)) child_signal(r->places[i].pid, c->groups, killed ? SIGKILL : SIGTERM);
        const long nap = round < 10 ? FIRST_LOOK : c->look_ms * (long)MS;
        nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
        waited += nap;
        for (int i = 0; i < c->jobs; i++) take_ended(r, i, true);
    }
}

ChildrenEnd children_run(const Children *c) {
    Run r = {.c = c};
    long nap = FIRST_LOOK;
    bool more = true;
    panic_if(c->jobs > CHILDREN_MAX, "%d children", c->jobs);
    while (!is_stopped(c) && (more = look_at_all(&r)) && !r.failed) {
        if (c->look) c->look(c->ctx);
        nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
        nap = nap + nap / 2 < c->look_ms * (long)MS ? nap + nap / 2 : c->look_ms * (long)MS;
    }
    end_all(&r);
    return r.failed ? CHILDREN_FAILED : more ? CHILDREN_STOPPED : CHILDREN_DONE;
}
