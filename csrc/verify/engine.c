// SPDX-License-Identifier: Apache-2.0
// A run of one block: chunks in forked workers. A worker takes the next chunk number, runs the
// chunk on fresh instances, and writes the verdict to memory shared with the parent. Counts are
// added when a chunk is done, so that their sums are independent of the assignment of chunks to
// workers. Chunks run in waves of fixed size. Between waves, the results alone decide whether
// failures end the run early.
#include "verify/verify.h"

#include "proc/children.h"
#include "proc/clock.h"
#include "proc/watch.h"
#include "verify/cover.h"

#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LOST = 8, LOOK_MS = 20 };
enum { WAVE = 64 /* chunks */, STUCK_SECONDS = 20 /* of processor time without a cycle */ };

typedef enum ChunkState {
    CHUNK_OPEN,
    CHUNK_RUNNING,
    CHUNK_PASSED,
    CHUNK_FAILED,
    CHUNK_CRASHED,
    CHUNK_STUCK
} ChunkState;

// In shared memory.
typedef struct Chunk {
    ChunkState state;
    uint64_t cycles, driven, compared, worked;
    double seconds;  // of processor time
    Mismatch mismatch;
    char rule[512];
} Chunk;

typedef struct Worker {
    int chunk;  // current one, -1: none
    Watch watch;
} Worker;

typedef struct Shared {
    atomic_int next;  // next chunk of the wave
    atomic_int done;
    int cover_status;  // EXIT_ENVIRONMENT: coverage could not be read
    Chunk chunks[WAVE];
    Worker workers[CHILDREN_MAX];
} Shared;

typedef struct Engine {
    const VerifyOptions *o;
    Harness *h;
    Shared *shared;
    uint64_t *hits;     // shared: one row of nbins per worker
    uint64_t *scratch;  // of this process: bins of the current chunk
    int nbins, jobs;
    int lost;           // workers that could not be started or died without a chunk
    uint64_t first;     // chunk of the wave
    int count, worker;  // chunks of the wave; of this process
    CodeCounts code;    // shared: one row per worker
    VerifyResult *r;
    Arena *arena;
} Engine;

uint64_t verify_long_cycles(const VerifyOptions *o, uint64_t seed) {
    return seed % VERIFY_LONG_EVERY ? 0 : o->long_cycles;
}

static uint64_t chunk_transactions(const VerifyOptions *o, uint64_t chunk) {
    const uint64_t before = chunk * VERIFY_CHUNK, left = o->transactions - before;
    return left < VERIFY_CHUNK ? left : VERIFY_CHUNK;
}

// ---- worker -------------------------------------------------------------------------------------

static int stuck_seconds(const Engine *e) {
    return e->o->stuck_seconds > 0 ? e->o->stuck_seconds : STUCK_SECONDS;
}

static void run_chunk(Engine *e, int worker, int slot, uint64_t number) {
    Worker *w = &e->shared->workers[worker];
    Chunk *c = &e->shared->chunks[slot];
    const double since = clock_processor();
    w->chunk = slot;
    c->state = CHUNK_RUNNING;
    memset(e->scratch, 0, sizeof *e->scratch * (size_t)e->nbins);
    const uint64_t seed = e->o->seed + number;
    const Mismatch *m =
        verify_run_chunk(e->h, seed, chunk_transactions(e->o, number),
                         verify_long_cycles(e->o, seed), e->scratch, NULL, &w->watch.alive);
    c->seconds = clock_processor() - since;
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

// The n-th chunk to start. Long chunks are first, so that no worker runs one when the others are
// done.
static int nth_slot(const Engine *e, int n) {
    const uint64_t seed = e->o->seed + e->first;
    const int lead = (int)((VERIFY_LONG_EVERY - seed % VERIFY_LONG_EVERY) % VERIFY_LONG_EVERY);
    const int nlong = lead < e->count ? (e->count - lead - 1) / VERIFY_LONG_EVERY + 1 : 0;
    if (n < nlong) return lead + n * VERIFY_LONG_EVERY;
    const int other = n - nlong;
    return other < lead ? other : other + (other - lead) / (VERIFY_LONG_EVERY - 1) + 1;
}

static void run_worker(void *ctx) {
    Engine *e = ctx;
    static const int plain[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) signal(plain[i], SIG_DFL);
    // Each chunk allocates and frees instances of some 100 KB: keep their memory.
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    watch_start(&e->shared->workers[e->worker].watch, stuck_seconds(e));
    for (int n; (n = atomic_fetch_add(&e->shared->next, 1)) < e->count;) {
        const int slot = nth_slot(e, n);
        run_chunk(e, e->worker, slot, e->first + (uint64_t)slot);
    }
}

// ---- parent -------------------------------------------------------------------------------------

static int next_worker(void *ctx, int worker) {
    const Engine *e = ctx;
    return atomic_load(&e->shared->next) < e->count && e->lost < MAX_LOST ? worker : -1;
}

static pid_t start_worker(void *ctx, Task t) {
    Engine *e = ctx;
    Worker *w = &e->shared->workers[t.item];
    e->worker = t.item;
    w->chunk = -1, w->watch.stuck = false;
    const Child c = {.inside = run_worker, .ctx = e, .death = SIGKILL, .signals = CHILD_SPARED};
    const pid_t pid = child_start(&c);
    e->lost += pid < 0;
    return pid < 0 ? 0 : pid;
}

// Handles a worker that died: its current chunk has no verdict.
static bool bury_worker(void *ctx, Task t, const ChildEnd *end) {
    Engine *e = ctx;
    Worker *w = &e->shared->workers[t.item];
    if (w->chunk < 0) {
        e->lost += end->status != 0;
        return true;
    }
    Chunk *c = &e->shared->chunks[w->chunk];
    const bool stuck = w->watch.stuck;
    c->state = stuck ? CHUNK_STUCK : CHUNK_CRASHED;
    c->mismatch = (Mismatch){
        .block = e->r->desc->name, .port = stuck ? "hang" : "crash", .element = -1, .words = 1};
    if (stuck)
        snprintf(c->rule, sizeof c->rule, "no cycle ended in %d seconds of processor time",
                 stuck_seconds(e));
    else if (end->signal)
        snprintf(c->rule, sizeof c->rule, "signal %d (%s) ended the process", end->signal,
                 strsignal(end->signal));
    else snprintf(c->rule, sizeof c->rule, "the process exited with status %d", end->status);
    c->cycles = c->driven = c->compared = c->worked = 0, c->seconds = 0;
    w->chunk = -1;
    atomic_fetch_add(&e->shared->done, 1);
    return true;
}

static void show_progress(void *ctx) {
    const Engine *e = ctx;
    if (e->o->progress)
        e->o->progress(e->o->progress_ctx, e->r->desc->name,
                       (int)e->first + atomic_load(&e->shared->done), e->r->chunks);
}

// Runs a wave of chunks. False: the run was interrupted, or its workers fail.
static bool run_wave(Engine *e, uint64_t first, int count) {
    const Children workers = {.jobs = e->jobs < count ? e->jobs : count,
                              .look_ms = LOOK_MS,
                              .stop = e->o->stop,
                              .ctx = e,
                              .next = next_worker,
                              .start = start_worker,
                              .ended = bury_worker,
                              .look = show_progress};
    e->first = first, e->count = count;
    atomic_store(&e->shared->next, 0);
    atomic_store(&e->shared->done, 0);
    memset(e->shared->chunks, 0, sizeof e->shared->chunks);
    return children_run(&workers) == CHILDREN_DONE && atomic_load(&e->shared->done) == count;
}

static void take_failure(Engine *e, const Chunk *c, uint64_t number, int *cap) {
    VerifyFailure *f = ARENA_PUSH(e->arena, e->r->failures, e->r->nfailures, *cap);
    *f = (VerifyFailure){.seed = e->o->seed + number,
                         .transactions = chunk_transactions(e->o, number),
                         .long_cycles = verify_long_cycles(e->o, e->o->seed + number),
                         .start_seed = harness_start_seed(e->h, e->o->seed + number),
                         .status = c->state == CHUNK_STUCK ? EXIT_HANG : EXIT_MISMATCH,
                         .mismatch = c->mismatch};
    memcpy(f->rule, c->rule, sizeof f->rule);
}

static void take_wave(Engine *e, uint64_t first, int count, int *cap) {
    VerifyResult *r = e->r;
    for (int i = 0; i < count; i++) {
        const Chunk *c = &e->shared->chunks[i];
        r->chunks_run++;
        r->long_chunks += verify_long_cycles(e->o, e->o->seed + first + (uint64_t)i) != 0;
        r->cycles += c->cycles, r->driven += c->driven, r->compared += c->compared,
            r->worked += c->worked;
        r->seconds += c->seconds;
        if (c->state != CHUNK_PASSED) take_failure(e, c, first + (uint64_t)i, cap);
    }
}

static void merge_counts(Engine *e) {
    for (int w = 0; w < e->jobs; w++)
        for (int i = 0; i < e->nbins; i++)
            e->r->hits[i] += e->hits[(size_t)w * (size_t)e->nbins + (size_t)i];
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

static void judge_result(Engine *e, bool interrupted) {
    VerifyResult *r = e->r;
    if (r->nfailures) {
        const Mismatch *m = &r->failures[0].mismatch;
        r->status = r->failures[0].status;
        r->message = arena_printf(
            e->arena, "%s: %d of %d chunks fail, first seed %llu, cycle %llu, %s%s", r->desc->name,
            r->nfailures, r->chunks_run, (unsigned long long)r->failures[0].seed,
            (unsigned long long)m->cycle, m->port, m->element >= 0 ? "_o" : "");
    } else if (interrupted && !(e->o->stop && *e->o->stop)) {
        r->status = EXIT_ENVIRONMENT;
        r->message = arena_printf(
            e->arena, "%s: worker processes do not start, or another process kills them",
            r->desc->name);
    } else if (interrupted) {
        r->status = EXIT_INTERRUPTED;
        r->message = arena_printf(e->arena, "%s: interrupted", r->desc->name);
    } else if (e->shared->cover_status) {
        r->status = EXIT_ENVIRONMENT;
        r->message = arena_printf(e->arena, "%s: code coverage could not be written to %s",
                                  r->desc->name, e->o->cover_dir);
    } else if (r->worked == 0) {
        r->status = EXIT_VACUOUS;
        r->message =
            arena_printf(e->arena, "%s: vacuous: in %llu cycles no output showed work of the block",
                         r->desc->name, (unsigned long long)r->cycles);
    }
}

static void engine_open(Engine *e) {
    VerifyResult *r = e->r;
    r->bins = ARENA_ARRAY(e->arena, CoverBin, VERIFY_MAX_BINS);
    r->nbins = e->nbins = verify_bins(harness_stim(e->h), r->params, r->bins);
    panic_if(e->nbins > VERIFY_MAX_BINS, "%s: more than %d bins", r->desc->name, VERIFY_MAX_BINS);
    r->hits = ARENA_ARRAY(e->arena, uint64_t, e->nbins + 1);
    e->jobs = e->o->jobs < 1 ? 1 : e->o->jobs > CHILDREN_MAX ? CHILDREN_MAX : e->o->jobs;
    e->shared = child_shared(sizeof *e->shared);
    e->hits = child_shared(sizeof *e->hits * (size_t)e->nbins * (size_t)e->jobs);
    e->scratch = ARENA_ARRAY(e->arena, uint64_t, e->nbins + 1);
}

static void engine_close(Engine *e) {
    child_unshare(e->shared, sizeof *e->shared);
    child_unshare(e->hits, sizeof *e->hits * (size_t)e->nbins * (size_t)e->jobs);
    code_close(&e->code);
    harness_close(e->h);
}

bool verify_block(Arena *arena, const VerifyOptions *o, VerifyResult *r, Diag *d) {
    Engine e = {.o = o, .r = r, .arena = arena};
    *r = (VerifyResult){.desc = o->harness.desc,
                        .seed = o->seed,
                        .transactions = o->transactions,
                        .long_cycles = o->long_cycles,
                        .message = ""};
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
    for (uint64_t first = 0; running && first < chunks && r->nfailures < VERIFY_MAX_FAILURES;
         first += WAVE) {
        const int count = chunks - first < WAVE ? (int)(chunks - first) : WAVE;
        running = run_wave(&e, first, count);
        if (running) take_wave(&e, first, count, &cap);
    }
    if (ok) {
        merge_counts(&e);
        sort_failures(&e);
        if (o->harness.cover && running) ok = code_finish(&e.code, arena, e.h, o, &r->code, d);
        judge_result(&e, !running);
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
        diag_fail(d, EXIT_MISMATCH, "a %s is not repeated to record its stimulus",
                  f->mismatch.port);
        return NULL;
    }
    Harness *h = harness_open(&o->harness, d);
    if (!h) return NULL;
    Stimulus *s = stimulus_new(o->harness.desc, o->harness.params, f->seed);
    const Mismatch *m =
        verify_run_chunk(h, f->seed, f->transactions, f->long_cycles, NULL, s, NULL);
    const bool same = m && mismatch_same_place(m, &f->mismatch) && m->cycle == f->mismatch.cycle &&
        m->element == f->mismatch.element &&
        !memcmp(m->actual, f->mismatch.actual, sizeof m->actual);
    harness_close(h);
    if (same) return s;
    stimulus_free(s);
    diag_fail(d, EXIT_NONDETERMINISTIC, "%s: seed %llu does not reproduce its failure",
              o->harness.desc->name, (unsigned long long)f->seed);
    return NULL;
}
