// SPDX-License-Identifier: Apache-2.0
// A run of one block: chunks in forked workers. A worker takes the next chunk number, runs it on fresh
// instances, and leaves the verdict in memory shared with the parent; counts are added when a chunk is
// done, so that their sums do not depend on who ran what. Chunks go in waves of fixed size: whether
// failures end the run early is decided between waves, from results alone.
#include "verify/verify.h"

#include "verify/cover.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LOST = 8 };
enum { WAVE = 64 /* chunks */, STUCK_SECONDS = 20 /* of processor time without a cycle */, MAX_JOBS = 256 };

typedef enum ChunkState { CHUNK_OPEN, CHUNK_RUNNING, CHUNK_PASSED, CHUNK_FAILED, CHUNK_CRASHED, CHUNK_STUCK } ChunkState;

// In shared memory.
typedef struct Chunk {
    ChunkState state;
    uint64_t cycles, driven, compared, worked, nanoseconds;
    Mismatch mismatch;
    char rule[512];
} Chunk;

typedef struct Worker {
    pid_t pid;               // 0: ended
    int chunk;               // in hand, -1: none
    volatile uint64_t alive;
    uint64_t seen;           // alive at the last look of the watch
} Worker;

typedef struct Shared {
    atomic_int next;         // chunk of the wave to be taken
    atomic_int done;
    int cover_status;        // EXIT_ENVIRONMENT: coverage could not be read
    Chunk chunks[WAVE];
    Worker workers[MAX_JOBS];
} Shared;

typedef struct Engine {
    const VerifyOptions *o;
    Harness *h;
    Shared *shared;
    uint64_t *hits;          // shared: one row of nbins per worker
    uint64_t *scratch;       // of this process: bins of the chunk in hand
    int nbins, jobs;
    int lost;                // workers that could not be started or died without a chunk in hand
    CodeCounts code;         // shared: one row per worker
    VerifyResult *r;
    Arena *arena;
} Engine;

static void *shared_memory(size_t bytes) {
    void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    panic_if(p == MAP_FAILED, "out of memory");
    return p;
}

static uint64_t processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t verify_long_cycles(const VerifyOptions *o, uint64_t seed) {
    return seed % VERIFY_LONG_EVERY ? 0 : o->long_cycles;
}

static uint64_t chunk_transactions(const VerifyOptions *o, uint64_t chunk) {
    const uint64_t before = chunk * VERIFY_CHUNK, left = o->transactions - before;
    return left < VERIFY_CHUNK ? left : VERIFY_CHUNK;
}

// ---- worker --------------------------------------------------------------------------------------

static Worker *watched;  // of this process, for its signal handler; set once after the fork
static Chunk *watched_chunk;

static int stuck_seconds(const Engine *e) { return e->o->stuck_seconds > 0 ? e->o->stuck_seconds : STUCK_SECONDS; }

// No cycle in so many seconds of processor time: the model or the RTL is in an endless loop.
static void on_watch(int number) {
    (void)number;
    if (watched->alive != watched->seen) {
        watched->seen = watched->alive;
        return;
    }
    watched_chunk->state = CHUNK_STUCK;
    _exit(1);
}

static void start_watch(Worker *w, int seconds) {
    watched = w;
    struct sigaction act = {.sa_handler = on_watch, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &act, NULL);
    const struct itimerval every = {{seconds, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &every, NULL);
}

static void run_chunk(Engine *e, int worker, int slot, uint64_t number) {
    Worker *w = &e->shared->workers[worker];
    Chunk *c = &e->shared->chunks[slot];
    const uint64_t since = processor_time();
    w->chunk = slot;
    watched_chunk = c;
    c->state = CHUNK_RUNNING;
    memset(e->scratch, 0, sizeof *e->scratch * (size_t)e->nbins);
    const uint64_t seed = e->o->seed + number;
    const Mismatch *m = verify_run_chunk(e->h, seed, chunk_transactions(e->o, number), verify_long_cycles(e->o, seed),
                                         e->scratch, NULL, &w->alive);
    c->nanoseconds = processor_time() - since;
    c->cycles = harness_cycles(e->h), c->driven = harness_driven(e->h);
    c->compared = harness_compared(e->h), c->worked = harness_worked(e->h);
    if (e->o->harness.cover && !code_add(&e->code, worker, e->h, e->o->cover_dir))
        e->shared->cover_status = EXIT_ENVIRONMENT;
    uint64_t *row = e->hits + (size_t)worker * (size_t)e->nbins;
    for (int i = 0; i < e->nbins; i++) row[i] += e->scratch[i];
    if (m) {
        c->mismatch = *m;
        memcpy(c->rule, harness_rule(e->h), strlen(harness_rule(e->h)) + 1);
    }
    c->state = m ? CHUNK_FAILED : CHUNK_PASSED;
    w->chunk = -1;
    atomic_fetch_add(&e->shared->done, 1);
}

// The n-th chunk to be begun: long ones first, so that no worker is left with one when the others are done.
static int nth_slot(const Engine *e, uint64_t first, int count, int n) {
    const uint64_t seed = e->o->seed + first;
    const int lead = (int)((VERIFY_LONG_EVERY - seed % VERIFY_LONG_EVERY) % VERIFY_LONG_EVERY);
    const int nlong = lead < count ? (count - lead - 1) / VERIFY_LONG_EVERY + 1 : 0;
    if (n < nlong) return lead + n * VERIFY_LONG_EVERY;
    const int other = n - nlong;
    return other < lead ? other : other + (other - lead) / (VERIFY_LONG_EVERY - 1) + 1;
}

static _Noreturn void work(Engine *e, int worker, uint64_t first, int count, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signal(SIGINT, SIG_IGN);  // the parent ends its workers
    static const int plain[] = {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) signal(plain[i], SIG_DFL);
    // Instances of some 100 KB come and go with each chunk: keep their memory.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    start_watch(&e->shared->workers[worker], stuck_seconds(e));
    for (int n; (n = atomic_fetch_add(&e->shared->next, 1)) < count;) {
        const int slot = nth_slot(e, first, count, n);
        run_chunk(e, worker, slot, first + (uint64_t)slot);
    }
    _exit(0);
}

// ---- parent --------------------------------------------------------------------------------------

static void start_worker(Engine *e, int worker, uint64_t first, int count) {
    Worker *w = &e->shared->workers[worker];
    const pid_t parent = getpid();
    w->chunk = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) work(e, worker, first, count, parent);
    w->pid = pid < 0 ? 0 : pid;  // shared: only the parent writes it
    e->lost += pid < 0;
}

// What a dead worker leaves: its chunk in hand has no verdict.
static void bury(Engine *e, Worker *w, int status) {
    w->pid = 0;
    if (w->chunk < 0) {
        e->lost += status != 0;
        return;
    }
    Chunk *c = &e->shared->chunks[w->chunk];
    const bool stuck = c->state == CHUNK_STUCK;
    c->state = stuck ? CHUNK_STUCK : CHUNK_CRASHED;
    c->mismatch = (Mismatch){.block = e->r->desc->name, .port = stuck ? "hang" : "crash", .element = -1, .words = 1};
    if (stuck)
        snprintf(c->rule, sizeof c->rule, "no cycle ended in %d seconds of processor time", stuck_seconds(e));
    else if (WIFSIGNALED(status))
        snprintf(c->rule, sizeof c->rule, "the process ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(c->rule, sizeof c->rule, "the process ended by itself with status %d", WEXITSTATUS(status));
    c->cycles = c->driven = c->compared = c->worked = c->nanoseconds = 0;
    w->chunk = -1;
    atomic_fetch_add(&e->shared->done, 1);
}

static void kill_workers(Engine *e) {
    for (int i = 0; i < e->jobs; i++) {
        Worker *w = &e->shared->workers[i];
        if (!w->pid) continue;
        kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {}
        w->pid = 0;
    }
}

// Looks after the workers once; returns how many are at work.
static int look_after(Engine *e, uint64_t first, int count) {
    int left = 0;
    for (int i = 0; i < e->jobs; i++) {
        Worker *w = &e->shared->workers[i];
        if (!w->pid) continue;
        int status;
        if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
            bury(e, w, status);
            if (atomic_load(&e->shared->next) < count && e->lost < MAX_LOST) start_worker(e, i, first, count);
        }
        left += w->pid != 0;
    }
    return left;
}

// False: the run was interrupted.
static bool run_wave(Engine *e, uint64_t first, int count) {
    atomic_store(&e->shared->next, 0);
    atomic_store(&e->shared->done, 0);
    memset(e->shared->chunks, 0, sizeof e->shared->chunks);
    for (int i = 0; i < e->jobs && i < count; i++) start_worker(e, i, first, count);
    long nap = 200000;
    while (look_after(e, first, count) > 0) {
        if (e->o->stop && *e->o->stop) return kill_workers(e), false;
        nanosleep(&(struct timespec){0, nap}, NULL);
        if (nap < 20000000) nap += nap / 2;
        if (e->o->progress)
            e->o->progress(e->o->progress_ctx, e->r->desc->name, (int)first + atomic_load(&e->shared->done), e->r->chunks);
    }
    // All workers are gone: the work is done, or they cannot be kept.
    return atomic_load(&e->shared->done) == count;
}

static void take_failure(Engine *e, const Chunk *c, uint64_t number, int *cap) {
    VerifyFailure *f = ARENA_PUSH(e->arena, e->r->failures, e->r->nfailures, *cap);
    *f = (VerifyFailure){.seed = e->o->seed + number, .transactions = chunk_transactions(e->o, number),
                         .long_cycles = verify_long_cycles(e->o, e->o->seed + number),
                         .status = c->state == CHUNK_STUCK ? EXIT_HANG : EXIT_MISMATCH, .mismatch = c->mismatch};
    memcpy(f->rule, c->rule, sizeof f->rule);
}

static void take_wave(Engine *e, uint64_t first, int count, int *cap) {
    VerifyResult *r = e->r;
    for (int i = 0; i < count; i++) {
        const Chunk *c = &e->shared->chunks[i];
        r->chunks_run++;
        r->long_chunks += verify_long_cycles(e->o, e->o->seed + first + (uint64_t)i) != 0;
        r->cycles += c->cycles, r->driven += c->driven, r->compared += c->compared, r->worked += c->worked;
        r->seconds += (double)c->nanoseconds * 1e-9;
        if (c->state != CHUNK_PASSED) take_failure(e, c, first + (uint64_t)i, cap);
    }
}

static void merge_counts(Engine *e) {
    for (int w = 0; w < e->jobs; w++)
        for (int i = 0; i < e->nbins; i++) e->r->hits[i] += e->hits[(size_t)w * (size_t)e->nbins + (size_t)i];
    verify_count_bins(e->arena, harness_stim(e->h), e->r);
}

static void sort_failures(Engine *e) {
    VerifyResult *r = e->r;
    int cap = 0;
    for (int i = 0; i < r->nfailures; i++) {
        int b = 0;
        while (b < r->nbuckets && strcmp(r->buckets[b].port, r->failures[i].mismatch.port)) b++;
        if (b < r->nbuckets) r->buckets[b].count++;
        else
            *ARENA_PUSH(e->arena, r->buckets, r->nbuckets, cap) =
                (VerifyBucket){r->failures[i].mismatch.port, 1, &r->failures[i]};
    }
    for (int i = 1; i < r->nbuckets; i++)  // few; equal counts stay in the order of seeds
        for (int k = i; k > 0 && r->buckets[k].count > r->buckets[k - 1].count; k--) {
            const VerifyBucket swap = r->buckets[k];
            r->buckets[k] = r->buckets[k - 1], r->buckets[k - 1] = swap;
        }
}

static void judge(Engine *e, bool interrupted) {
    VerifyResult *r = e->r;
    if (r->nfailures) {
        const Mismatch *m = &r->failures[0].mismatch;
        r->status = r->failures[0].status;
        r->message = arena_printf(e->arena, "%s: %d of %d chunks fail, first seed %llu, cycle %llu, %s%s", r->desc->name,
                                  r->nfailures, r->chunks_run, (unsigned long long)r->failures[0].seed,
                                  (unsigned long long)m->cycle, m->port, m->element >= 0 ? "_o" : "");
    } else if (interrupted && !(e->o->stop && *e->o->stop)) {
        r->status = EXIT_ENVIRONMENT;
        r->message = arena_printf(e->arena, "%s: worker processes cannot be started or are killed from outside", r->desc->name);
    } else if (interrupted) {
        r->status = EXIT_INTERRUPTED;
        r->message = arena_printf(e->arena, "%s: interrupted", r->desc->name);
    } else if (e->shared->cover_status) {
        r->status = EXIT_ENVIRONMENT;
        r->message = arena_printf(e->arena, "%s: code coverage could not be written to %s", r->desc->name, e->o->cover_dir);
    } else if (r->worked == 0) {
        r->status = EXIT_VACUOUS;
        r->message = arena_printf(e->arena, "%s: vacuous: in %llu cycles no output showed work of the block",
                                  r->desc->name, (unsigned long long)r->cycles);
    }
}

static void engine_open(Engine *e) {
    VerifyResult *r = e->r;
    r->bins = ARENA_ARRAY(e->arena, CoverBin, VERIFY_MAX_BINS);
    r->nbins = e->nbins = verify_bins(harness_stim(e->h), r->params, r->bins);
    panic_if(e->nbins > VERIFY_MAX_BINS, "%s: more than %d bins", r->desc->name, VERIFY_MAX_BINS);
    r->hits = ARENA_ARRAY(e->arena, uint64_t, e->nbins + 1);
    e->jobs = e->o->jobs < 1 ? 1 : e->o->jobs > MAX_JOBS ? MAX_JOBS : e->o->jobs;
    e->shared = shared_memory(sizeof *e->shared);
    e->hits = shared_memory(sizeof *e->hits * (size_t)e->nbins * (size_t)e->jobs);
    e->scratch = ARENA_ARRAY(e->arena, uint64_t, e->nbins + 1);
}

static void engine_close(Engine *e) {
    munmap(e->shared, sizeof *e->shared);
    munmap(e->hits, sizeof *e->hits * (size_t)e->nbins * (size_t)e->jobs);
    code_close(&e->code);
    harness_close(e->h);
}

bool verify_block(Arena *arena, const VerifyOptions *o, VerifyResult *r, Diag *d) {
    Engine e = {.o = o, .r = r, .arena = arena};
    *r = (VerifyResult){.desc = o->harness.desc, .seed = o->seed, .transactions = o->transactions,
                        .long_cycles = o->long_cycles, .message = ""};
    memcpy(r->params, o->harness.params, sizeof *r->params * (size_t)r->desc->nparams);
    e.h = harness_open(&o->harness, d);
    if (!e.h) {
        r->status = d->status;
        r->message = arena_printf(arena, "%s", d->text);
        return false;
    }
    r->toolchain = arena_printf(arena, "%s", harness_toolchain(e.h));
    r->variant = arena_printf(arena, "%s", harness_variant(e.h));
    engine_open(&e);
    bool ok = !o->harness.cover || code_open(&e.code, arena, e.h, o, e.jobs, d);
    bool running = ok;
    int cap = 0;
    const uint64_t chunks = (o->transactions + VERIFY_CHUNK - 1) / VERIFY_CHUNK;
    r->chunks = (int)chunks;
    for (uint64_t first = 0; running && first < chunks && r->nfailures < VERIFY_MAX_FAILURES; first += WAVE) {
        const int count = chunks - first < WAVE ? (int)(chunks - first) : WAVE;
        running = run_wave(&e, first, count);
        if (running) take_wave(&e, first, count, &cap);
    }
    if (ok) {
        merge_counts(&e);
        sort_failures(&e);
        if (o->harness.cover && running) ok = code_finish(&e.code, arena, e.h, o, &r->code, d);
        judge(&e, !running);
    }
    if (!ok && r->status == EXIT_PASS) {
        r->status = d->status;
        r->message = arena_printf(arena, "%s", d->text);
    }
    engine_close(&e);
    return ok;
}

Stimulus *verify_record_failure(const VerifyOptions *o, const VerifyFailure *f, Diag *d) {
    if (!strcmp(f->mismatch.port, "crash") || !strcmp(f->mismatch.port, "hang")) {
        diag_fail(d, EXIT_MISMATCH, "a %s is not repeated to record its stimulus", f->mismatch.port);
        return NULL;
    }
    Harness *h = harness_open(&o->harness, d);
    if (!h) return NULL;
    Stimulus *s = stimulus_new(o->harness.desc, o->harness.params, f->seed);
    const Mismatch *m = verify_run_chunk(h, f->seed, f->transactions, f->long_cycles, NULL, s, NULL);
    const bool same = m && mismatch_same_place(m, &f->mismatch) && m->cycle == f->mismatch.cycle &&
                      m->element == f->mismatch.element && !memcmp(m->actual, f->mismatch.actual, sizeof m->actual);
    harness_close(h);
    if (same) return s;
    stimulus_free(s);
    diag_fail(d, EXIT_NONDETERMINISTIC, "%s: seed %llu does not fail the same way a second time", o->harness.desc->name,
              (unsigned long long)f->seed);
    return NULL;
}
