// SPDX-License-Identifier: Apache-2.0
// Each mutant runs in a child process, because it may crash or never end. The child writes its
// verdict to memory shared with the parent. A watch in the child ends it when it makes no progress.
#include "proc/children.h"
#include "proc/clock.h"
#include "proc/watch.h"
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { STUCK_SECONDS = 5 /* of processor time without a cycle */, MAX_JOBS = 64, LOOK_MS = 1 };

// JOB_AGAIN: runs a surviving model mutant again, guarded against undefined behavior (which may
// have no visible effect). Then it runs at the block's default shape, because some errors do not
// occur in a small shape.
// JOB_LONG: runs the remaining survivors MUTATE_LONG times as long, for rare events.
// JOB_AUDIT: tries to prove a killed mutant equivalent. The proof must fail.
typedef enum Job { JOB_RUN, JOB_PROVE, JOB_AGAIN, JOB_LONG, JOB_AUDIT } Job;

typedef struct Slot {
    Mutant *mutant;
    Job job;
    MutantVerdict verdict;  // OPEN until the child has one
    char by[40];
    uint64_t cycles, seed;
    Watch watch;
    char text[512];  // why the child could not start
} Slot;

// ---- child --------------------------------------------------------------------------------------

static void mark_killed(Slot *s, const Mismatch *m) {
    s->verdict = MUTANT_KILLED;
    if (m->element >= 0) snprintf(s->by, sizeof s->by, "port %.30s", m->port);
    else snprintf(s->by, sizeof s->by, "%.30s", m->port);  // state, rule
}

// Drives the stimuli until a comparison fails or all have been driven.
static void drive_stimuli(Slot *s, Harness *h, uint64_t before, uint64_t transactions) {
    s->cycles = before;
    for (uint64_t done = 0; done < transactions; done += MUTATE_CHUNK, s->seed++) {
        const uint64_t left = transactions - done,
                       chunk = left < MUTATE_CHUNK ? left : MUTATE_CHUNK;
        const Mismatch *m = verify_run_chunk(h, s->seed, chunk, 0, NULL, NULL, &s->watch.alive);
        s->cycles += harness_cycles(h);
        if (m) {
            mark_killed(s, m);
            return;
        }
    }
    s->verdict = MUTANT_SURVIVED;
    snprintf(s->by, sizeof s->by, "no difference");
}

// Returns the harness, or NULL with a verdict or s->text.
static Harness *open_mutant(const Campaign *c, Slot *s, const Mutant *m, Job job, const int *params,
                            const char *dir) {
    const char *plusarg =
        arena_printf(c->arena, "+mutant=%d", m->side == MUTANT_MODEL ? 0 : m->number);
    HarnessOptions ho = {.desc = c->o->desc,
                         .params = params,
                         .data_dir = c->o->data_dir,
                         .cache_dir = c->o->cache_dir,
                         .start_seed = mutate_start_seed(m->side),
                         .state_interval = mutate_interval(m->side)};
    if (m->side != MUTANT_MODEL) {
        ho.rtl = c->rtl;
        ho.plusargs = &plusarg;
        ho.nplusargs = 1;
        ho.cache_dir = c->dir;
    } else {
        ho.model = mutate_model_load(c, m, job == JOB_AGAIN, dir, &s->verdict);
        if (!ho.model) {
            snprintf(s->by, sizeof s->by, "%s",
                     s->verdict == MUTANT_EQUIVALENT ? "same machine code" : "cc");
            return NULL;
        }
    }
    Diag d = {0};
    Harness *h = harness_open(&ho, &d);
    if (!h) {
        s->verdict = MUTANT_OPEN;
        snprintf(s->text, sizeof s->text, "%.*s", (int)sizeof s->text - 1, d.text);
    }
    return h;
}

static void run_again(const Campaign *c, Slot *s, const Mutant *m, const char *dir) {
    int defaults[BLOCK_MAX_PARAMS];
    for (int i = 0; i < c->o->desc->nparams; i++) defaults[i] = c->o->desc->params[i].def;
    const int *shapes[] = {c->o->params, defaults};
    // libc would say that it found a buffer overrun
    FILE *quiet = freopen("/dev/null", "w", stderr);
    (void)quiet;
    s->cycles = m->cycles;
    for (int i = 0; i < 2; i++) {
        Harness *h = open_mutant(c, s, m, JOB_AGAIN, shapes[i], dir);
        if (!h) return;
        s->seed = c->o->seed;
        drive_stimuli(s, h, s->cycles, c->o->transactions);
        if (s->verdict != MUTANT_SURVIVED) return;
    }
    snprintf(s->by, sizeof s->by, "no difference at two shapes");
}

typedef struct Run {
    Campaign *c;
    Slot *slots;           // shared
    int jobs, next, left;  // left: mutants that may still start
    MutantSide side;
    Job job;
    Slot *mine;  // of this process
    Diag *d;
} Run;

static const char *slot_folder(const Run *r) {
    return arena_printf(r->c->arena, "%s/job%d", r->c->dir, (int)(r->mine - r->slots));
}

static void run_mutant(void *ctx) {
    const Run *r = ctx;
    const Campaign *c = r->c;
    Slot *s = r->mine;
    const Mutant *m = s->mutant;
    const char *dir = slot_folder(r);
    mkdir(dir, 0777);
    if (s->job == JOB_PROVE || s->job == JOB_AUDIT) {
        char why[40];
        s->verdict = mutate_prove(c, m, dir, why, sizeof why);
        snprintf(s->by, sizeof s->by, "%s", why);
        return;
    }
    s->watch.seen = s->watch.alive - 1;  // the first check counts as progress
    watch_start(&s->watch, STUCK_SECONDS);
    s->seed = c->o->seed;
    if (s->job == JOB_AGAIN) {
        run_again(c, s, m, dir);
        return;
    }
    Harness *h = open_mutant(c, s, m, s->job, c->o->params, dir);
    if (h && s->job == JOB_LONG) {
        s->seed += 1000000;  // other stimuli than it has survived
        drive_stimuli(s, h, m->cycles, MUTATE_LONG * c->o->transactions);
        if (s->verdict == MUTANT_SURVIVED) snprintf(s->by, sizeof s->by, "long; %.33s", m->by);
    } else if (h) {
        drive_stimuli(s, h, 0, c->o->transactions);
    }
}

// ---- parent -------------------------------------------------------------------------------------

static pid_t start_mutant(void *ctx, Task t) {
    Run *r = ctx;
    r->mine = &r->slots[t.place];
    *r->mine = (Slot){.mutant = &r->c->r->mutants[t.item], .job = r->job};
    const Child c = {.inside = run_mutant, .ctx = r, .death = SIGKILL, .signals = CHILD_SPARED};
    const pid_t pid = child_start(&c);
    panic_if(pid < 0, "a child cannot be started: %s", strerror(errno));
    r->left--;
    return pid;
}

// Takes the verdict of an ended child. False after a Diag: the tools fail, not the mutant.
static bool take_verdict(void *ctx, Task t, const ChildEnd *end) {
    Run *r = ctx;
    Slot *s = &r->slots[t.place];
    Mutant *m = s->mutant;
    if (s->text[0]) return diag_fail(r->d, EXIT_ENVIRONMENT, "%s", s->text);
    if (s->job == JOB_AUDIT && s->verdict == MUTANT_EQUIVALENT)
        return diag_fail(r->d, EXIT_MISMATCH,
                         "block %s, %s: %s: %s equivalent, but was killed (%s)",
                         r->c->o->desc->name, m->where, m->what, s->by, m->by);
    if (s->job == JOB_AUDIT) return true;
    if (end->status != 0 && s->job == JOB_PROVE) {  // the tools failed, which says nothing
        s->verdict = MUTANT_SURVIVED;
        snprintf(s->by, sizeof s->by, "no difference; the proof failed");
    } else if (end->status != 0) {
        s->verdict = MUTANT_KILLED;
        snprintf(s->by, sizeof s->by, "%s",
                 s->watch.stuck              ? "hang"
                     : end->signal == SIGILL ? "undefined"
                                             : "crash");
        s->cycles += s->watch.alive;
    }
    m->verdict = s->verdict;
    memcpy(m->by, s->by, sizeof m->by);
    if (s->cycles) m->cycles = s->cycles, m->seed = s->seed;
    mutate_journal_add(r->c, m);
    return true;
}

// Does the job apply to the mutant? A survivor of a further job has another text in `by`.
static bool job_wants(const Mutant *m, MutantSide side, Job job) {
    if (m->side != side) return false;
    // A missing reset that only the state shows may have the same outputs.
    if (job == JOB_AUDIT)
        return m->verdict == MUTANT_KILLED && (side != MUTANT_RESET || !strncmp(m->by, "port", 4));
    if (job == JOB_LONG) return m->verdict == MUTANT_SURVIVED && strncmp(m->by, "long", 4) != 0;
    return job == JOB_RUN ? m->verdict == MUTANT_OPEN
                          : m->verdict == MUTANT_SURVIVED && !strcmp(m->by, "no difference");
}

static int next_mutant(void *ctx, int place) {
    Run *r = ctx;
    const MutateResult *result = r->c->r;
    (void)place;
    while (r->next < result->n && !job_wants(&result->mutants[r->next], r->side, r->job)) r->next++;
    if (r->next == result->n || !r->left || (r->c->end > 0 && clock_seconds() > r->c->end))
        return -1;
    return r->next++;
}

static void show_progress(void *ctx) {
    const Run *r = ctx;
    const MutateOptions *o = r->c->o;
    if (o->progress) o->progress(o->progress_ctx, o->desc->name, r->next, r->c->r->n);
}

// True: all were run, the time is over, or the user stopped; r->complete says which.
static bool run_job(Run *r, Job job, Diag *d) {
    const Children children = {.jobs = r->jobs,
                               .look_ms = LOOK_MS,
                               .stop = r->c->o->stop,
                               .ctx = r,
                               .next = next_mutant,
                               .start = start_mutant,
                               .ended = take_verdict,
                               .look = show_progress};
    r->job = job, r->next = 0, r->left = job == JOB_AUDIT ? r->c->o->audit : r->c->r->n, r->d = d;
    const ChildrenEnd end = children_run(&children);
    show_progress(r);
    return end != CHILDREN_FAILED;
}

bool mutate_run_all(Campaign *c, MutantSide side, Diag *d) {
    Run r = {.c = c,
             .side = side,
             .jobs = c->o->jobs < 1      ? 1
                 : c->o->jobs > MAX_JOBS ? MAX_JOBS
                                         : c->o->jobs};
    const size_t bytes = sizeof *r.slots * (size_t)r.jobs;
    r.slots = child_shared(bytes);
    bool ok = run_job(&r, JOB_RUN, d);
    if (ok && side == MUTANT_MODEL) ok = run_job(&r, JOB_AGAIN, d);
    if (ok && side != MUTANT_MODEL && c->o->prove_seconds > 0) ok = run_job(&r, JOB_PROVE, d);
    if (ok) ok = run_job(&r, JOB_LONG, d);
    c->end = 0;
    if (ok && side != MUTANT_MODEL && c->o->prove_seconds > 0 && c->o->audit > 0)
        ok = run_job(&r, JOB_AUDIT, d);
    child_unshare(r.slots, bytes);
    return ok;
}
