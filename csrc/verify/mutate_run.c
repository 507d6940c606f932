// SPDX-License-Identifier: Apache-2.0
// Mutants in child processes, one each: a mutant may crash or never end. The child leaves its verdict
// in memory shared with the parent; a watch inside it ends what gets on no more.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STUCK_SECONDS = 5 /* of processor time without a cycle */, MAX_JOBS = 64, STATUS_STUCK = 3 };

// JOB_AGAIN: a survivor among the model's mutants again, guarded against undefined behavior (which may do no
// visible harm), and then at the block's default shape: what is wrong only beyond a small shape shows there.
// JOB_LONG: what is left then, MUTATE_LONG times as long: what is rare shows there.
// JOB_AUDIT: a killed mutant is given to the proof, which must not say that it is equivalent.
typedef enum Job { JOB_RUN, JOB_PROVE, JOB_AGAIN, JOB_LONG, JOB_AUDIT } Job;

typedef struct Slot {
    pid_t pid;               // 0: free
    Mutant *mutant;
    Job job;
    MutantVerdict verdict;   // OPEN until the child has one
    char by[40];
    uint64_t cycles, seed;
    volatile uint64_t alive;
    uint64_t seen;
    char text[512];          // why the child could not even begin
} Slot;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- child ---------------------------------------------------------------------------------------

static Slot *watched;  // of this process, for its signal handler; set once after the fork

static void on_watch(int number) {
    (void)number;
    if (watched->alive != watched->seen) {
        watched->seen = watched->alive;
        return;
    }
    _exit(STATUS_STUCK);
}

static void start_watch(Slot *s) {
    watched = s;
    s->seen = s->alive - 1;  // the first look counts as progress
    struct sigaction act = {.sa_handler = on_watch, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &act, NULL);
    const struct itimerval every = {{STUCK_SECONDS, 0}, {STUCK_SECONDS, 0}};
    setitimer(ITIMER_PROF, &every, NULL);
}

static void killed(Slot *s, const Mismatch *m) {
    s->verdict = MUTANT_KILLED;
    if (m->element >= 0) snprintf(s->by, sizeof s->by, "port %.30s", m->port);
    else snprintf(s->by, sizeof s->by, "%.30s", m->port);  // state, rule
}

// Drives the stimuli until a comparison fails or all have been driven.
static void drive(Slot *s, Harness *h, uint64_t before, uint64_t transactions) {
    s->cycles = before;
    for (uint64_t done = 0; done < transactions; done += MUTATE_CHUNK, s->seed++) {
        const uint64_t left = transactions - done, chunk = left < MUTATE_CHUNK ? left : MUTATE_CHUNK;
        const Mismatch *m = verify_run_chunk(h, s->seed, chunk, 0, NULL, NULL, &s->alive);
        s->cycles += harness_cycles(h);
        if (m) {
            killed(s, m);
            return;
        }
    }
    s->verdict = MUTANT_SURVIVED;
    snprintf(s->by, sizeof s->by, "no difference");
}

// Returns the harness, or NULL with a verdict or s->text.
static Harness *open_mutant(const Campaign *c, Slot *s, const Mutant *m, Job job, const int *params, const char *dir) {
    const char *plusarg = arena_printf(c->arena, "+mutant=%d", m->side == MUTANT_RTL ? m->number : 0);
    HarnessOptions ho = {.desc = c->o->desc, .params = params, .data_dir = c->o->data_dir,
                         .cache_dir = c->o->cache_dir, .state_interval = MUTATE_STATE_INTERVAL};
    if (m->side == MUTANT_RTL) {
        ho.rtl = c->rtl;
        ho.plusargs = &plusarg;
        ho.nplusargs = 1;
        ho.cache_dir = c->dir;
    } else {
        ho.model = mutate_model_load(c, m, job == JOB_AGAIN, dir, &s->verdict);
        if (!ho.model) {
            snprintf(s->by, sizeof s->by, "%s", s->verdict == MUTANT_EQUIVALENT ? "same machine code" : "cc");
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
    FILE *quiet = freopen("/dev/null", "w", stderr);  // libc would say that it found a buffer overrun
    (void)quiet;
    s->cycles = m->cycles;
    for (int i = 0; i < 2; i++) {
        Harness *h = open_mutant(c, s, m, JOB_AGAIN, shapes[i], dir);
        if (!h) return;
        s->seed = c->o->seed;
        drive(s, h, s->cycles, c->o->transactions);
        if (s->verdict != MUTANT_SURVIVED) return;
    }
    snprintf(s->by, sizeof s->by, "no difference at two shapes");
}

static _Noreturn void child(const Campaign *c, Slot *s, const Mutant *m, Job job, const char *dir, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signal(SIGINT, SIG_IGN);  // the parent ends its children
    signal(SIGTERM, SIG_DFL);
    mkdir(dir, 0777);
    if (job == JOB_PROVE || job == JOB_AUDIT) {
        char why[40];
        s->verdict = mutate_prove(c, m, dir, why, sizeof why);
        snprintf(s->by, sizeof s->by, "%s", why);
        _exit(0);
    }
    start_watch(s);
    s->seed = c->o->seed;
    if (job == JOB_AGAIN) {
        run_again(c, s, m, dir);
        _exit(0);
    }
    Harness *h = open_mutant(c, s, m, job, c->o->params, dir);
    if (h && job == JOB_LONG) {
        s->seed += 1000000;  // not what it has survived already
        drive(s, h, m->cycles, MUTATE_LONG * c->o->transactions);
        if (s->verdict == MUTANT_SURVIVED) snprintf(s->by, sizeof s->by, "long; %.33s", m->by);
    } else if (h) {
        drive(s, h, 0, c->o->transactions);
    }
    _exit(0);
}

// ---- parent --------------------------------------------------------------------------------------

typedef struct Run {
    Campaign *c;
    Slot *slots;  // shared
    int jobs;
} Run;

static void start(Run *r, Slot *s, Mutant *m, Job job) {
    const pid_t parent = getpid();
    const char *dir = arena_printf(r->c->arena, "%s/job%d", r->c->dir, (int)(s - r->slots));
    memset(s, 0, sizeof *s);
    s->mutant = m;
    s->job = job;
    fflush(NULL);
    const pid_t pid = fork();  // the slot is shared: only the parent may write it
    if (pid == 0) child(r->c, s, m, job, dir, parent);
    panic_if(pid < 0, "a child cannot be started: %s", strerror(errno));
    s->pid = pid;
}

// Takes the verdict of an ended child. False after a Diag: the tools fail, not the mutant.
static bool take(Run *r, Slot *s, int status, Diag *d) {
    Mutant *m = s->mutant;
    s->pid = 0;
    if (s->text[0]) return diag_fail(d, EXIT_ENVIRONMENT, "%s", s->text);
    if (s->job == JOB_AUDIT && s->verdict == MUTANT_EQUIVALENT)
        return diag_fail(d, EXIT_MISMATCH, "block %s, %s: %s: %s equivalent, but was killed (%s)", r->c->o->desc->name, m->where, m->what, s->by,
                         m->by);
    if (s->job == JOB_AUDIT) return true;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
        const bool stuck = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_STUCK;
        s->verdict = MUTANT_KILLED;
        const bool trap = WIFSIGNALED(status) && WTERMSIG(status) == SIGILL;
        snprintf(s->by, sizeof s->by, "%s", stuck ? "hang" : trap ? "undefined" : "crash");
        s->cycles += s->alive;
    }
    m->verdict = s->verdict;
    memcpy(m->by, s->by, sizeof m->by);
    if (s->cycles) m->cycles = s->cycles, m->seed = s->seed;
    mutate_journal_add(r->c, m);
    return true;
}

static void kill_all(Run *r) {
    for (int i = 0; i < r->jobs; i++) {
        if (!r->slots[i].pid) continue;
        kill(r->slots[i].pid, SIGKILL);
        while (waitpid(r->slots[i].pid, NULL, 0) < 0 && errno == EINTR) {}
        r->slots[i].pid = 0;
    }
}

// Of a survivor that was looked at further, `by` says more.
static bool wanted(const Mutant *m, MutantSide side, Job job) {
    if (m->side != side) return false;
    if (job == JOB_AUDIT) return m->verdict == MUTANT_KILLED;
    if (job == JOB_LONG) return m->verdict == MUTANT_SURVIVED && strncmp(m->by, "long", 4) != 0;
    return job == JOB_RUN ? m->verdict == MUTANT_OPEN : m->verdict == MUTANT_SURVIVED && !strcmp(m->by, "no difference");
}

// True: all were run, or the time is over; r->complete says which.
static bool run_job(Run *r, MutantSide side, Job job, Diag *d) {
    MutateResult *result = r->c->r;
    int next = 0, running = 0, done = 0, left = job == JOB_AUDIT ? r->c->o->audit : result->n;
    for (bool good = true;;) {
        const bool late = r->c->end > 0 && now() > r->c->end, stop = r->c->o->stop && *r->c->o->stop;
        for (int i = 0; i < r->jobs && good; i++) {
            Slot *s = &r->slots[i];
            int status;
            if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid) {
                good = take(r, s, status, d);
                running--, done++;
            }
            while (next < result->n && !wanted(&result->mutants[next], side, job)) next++;
            if (!good || s->pid || next == result->n || !left || late || stop) continue;
            start(r, s, &result->mutants[next++], job);
            left--;
            running++;
        }
        if (r->c->o->progress) r->c->o->progress(r->c->o->progress_ctx, r->c->o->desc->name, next, result->n);
        if (!good || stop) {
            kill_all(r);
            return good;
        }
        if (!running && (late || next == result->n || !left)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

bool mutate_run_all(Campaign *c, MutantSide side, Diag *d) {
    Run r = {.c = c, .jobs = c->o->jobs < 1 ? 1 : c->o->jobs > MAX_JOBS ? MAX_JOBS : c->o->jobs};
    const size_t bytes = sizeof *r.slots * (size_t)r.jobs;
    r.slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    panic_if(r.slots == MAP_FAILED, "out of memory");
    bool ok = run_job(&r, side, JOB_RUN, d);
    if (ok && side == MUTANT_MODEL) ok = run_job(&r, side, JOB_AGAIN, d);
    if (ok && side == MUTANT_RTL && c->o->prove_seconds > 0) ok = run_job(&r, side, JOB_PROVE, d);
    if (ok) ok = run_job(&r, side, JOB_LONG, d);
    c->end = 0;
    if (ok && side == MUTANT_RTL && c->o->prove_seconds > 0 && c->o->audit > 0) ok = run_job(&r, side, JOB_AUDIT, d);
    munmap(r.slots, bytes);
    return ok;
}
