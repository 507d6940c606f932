// SPDX-License-Identifier: Apache-2.0
// A run of one block under Icarus. Chunk i is the beginning of a Verilator run's chunk with the
// same seed. Workers take every jobs-th chunk and write verdicts to shared memory.
#include "proc/children.h"
#include "base/status.h"
#include "proc/clock.h"
#include "verify/fourstate_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum { MAX_JOBS = 64, LOOK_MS = 5 };

// In shared memory, one per chunk.
typedef struct Verdict {
    bool done;
    ExitStatus error;  // of `text`, EXIT_PASS: the chunk has a verdict
    bool timeout;
    FourStateResult result;
    uint64_t driven;
    double seconds;  // of processor time
    char text[1024];
} Verdict;

typedef struct Run {
    const VerifyOptions *o;
    FourState *f;
    Verdict *verdicts;
    uint64_t *hits;  // shared: one row of nbins per chunk
    int chunks, nbins, jobs;
    int worker;  // number of this process
} Run;

static uint64_t chunk_transactions(const VerifyOptions *o, int chunk) {
    const uint64_t left = o->transactions - (uint64_t)chunk * FOURSTATE_CHUNK;
    return left < FOURSTATE_CHUNK ? left : FOURSTATE_CHUNK;
}

// Of this process and the tools it waited for.
static double processor_time(void) { return clock_processor() + clock_children(); }

static void run_chunk(Run *r, int worker, int chunk) {
    Verdict *v = &r->verdicts[chunk];
    const HarnessOptions ho = {
        .desc = r->o->harness.desc, .params = r->o->harness.params, .model_only = true};
    const double since = processor_time();
    const uint64_t seed = r->o->seed + (uint64_t)chunk;
    Diag d = {0};
    Harness *h = harness_open(&ho, &d);
    panic_if(!h, "%s", d.text);
    Stimulus *s = stimulus_new(ho.desc, ho.params, seed);
    verify_run_chunk(h, seed, chunk_transactions(r->o, chunk), 0,
                     r->hits + (size_t)chunk * (size_t)r->nbins, s, NULL);
    v->driven = harness_driven(h);
    harness_close(h);
    if (!fourstate_replay(r->f, s, worker, &v->result, &d)) {
        v->error = d.status;
        v->timeout = d.timeout;
        snprintf(v->text, sizeof v->text, "%.*s", (int)sizeof v->text - 1, d.text);
    }
    stimulus_free(s);
    v->seconds = processor_time() - since;
    v->done = true;
}

static void run_worker(void *ctx) {
    Run *r = ctx;
    for (int chunk = r->worker; chunk < r->chunks; chunk += r->jobs) {
        run_chunk(r, r->worker, chunk);
        if (r->verdicts[chunk].error) break;  // other chunks would fail in the same way
    }
}

static pid_t start_worker(void *ctx, Task t) {
    Run *r = ctx;
    r->worker = t.item;
    const Child c = {.inside = run_worker, .ctx = r, .death = SIGKILL};
    const pid_t pid = child_start(&c);
    panic_if(pid < 0, "a worker cannot be started: %s", strerror(errno));
    return pid;
}

static int chunks_done(const Run *r) {
    int n = 0;
    for (int i = 0; i < r->chunks; i++) n += r->verdicts[i].done;
    return n;
}

static void show_progress(void *ctx) {
    const Run *r = ctx;
    if (r->o->progress)
        r->o->progress(r->o->progress_ctx, r->o->harness.desc->name, chunks_done(r), r->chunks);
}

// False: interrupted. Simulators die with the worker that started them.
static bool run_all(Run *r) {
    const Children workers = {.jobs = r->jobs,
                              .look_ms = LOOK_MS,
                              .patience_ms = PATIENCE_ENDLESS,
                              .stop = r->o->stop,
                              .ctx = r,
                              .n = r->jobs,
                              .start = start_worker,
                              .look = show_progress};
    const ChildrenEnd end = children_run(&workers);
    show_progress(r);
    return end == CHILDREN_DONE;
}

// Bits that are neither 0 nor 1 count as 0 here and are named in the text.
static void element_words(uint32_t *words, const char *text) {
    memset(words, 0, sizeof(uint32_t) * 32);
    const char *bits = strchr(text, '\'');
    const bool binary = bits != NULL;
    const char *from = binary ? bits + 2 : text + 2;
    const int per = binary ? 1 : 4, n = (int)strlen(from);
    for (int i = 0; i < n; i++) {
        const char c = from[n - 1 - i];
        const uint32_t digit = c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
            : c >= '0' && c <= '9'                  ? (uint32_t)(c - '0')
                                                    : 0;
        if (i * per < 1024) words[i * per / 32] |= digit << i * per % 32;
    }
}

static void unknown_bits(char *to, size_t size, const char *found) {
    const char *bits = strchr(found, '\'');
    const char *from = bits ? bits + 2 : "";
    const int n = (int)strlen(from);
    int count = 0, lowest = -1, highest = -1;
    for (int i = 0; i < n; i++)
        if (from[n - 1 - i] != '0' && from[n - 1 - i] != '1') {
            if (lowest < 0) lowest = i;
            highest = i, count++;
        }
    if (count)
        snprintf(to, size, "%d of %d bits are X or Z, between bit %d and bit %d (shown as 0)",
                 count, n, lowest, highest);
}

static void take_results(Arena *arena, const Run *r, VerifyResult *result) {
    int cap = 0;
    for (int i = 0; i < r->chunks; i++) {
        const Verdict *v = &r->verdicts[i];
        if (!v->done) continue;
        result->chunks_run++;
        result->cycles += v->result.cycles, result->driven += v->driven,
            result->compared += v->result.compared;
        result->worked += v->result.worked;
        result->seconds += v->seconds;
        for (int b = 0; b < r->nbins; b++)
            result->hits[b] += r->hits[(size_t)i * (size_t)r->nbins + (size_t)b];
        if (!v->result.differs) continue;
        VerifyFailure *f = ARENA_PUSH(arena, result->failures, result->nfailures, cap);
        *f = (VerifyFailure){.seed = r->o->seed + (uint64_t)i,
                             .transactions = chunk_transactions(r->o, i),
                             .status = EXIT_MISMATCH};
        f->mismatch = (Mismatch){.block = result->desc->name,
                                 .port = v->result.port->name,
                                 .element = v->result.element,
                                 .cycle = v->result.cycle,
                                 .words = v->result.port->words};
        element_words(f->mismatch.expected, v->result.expected);
        element_words(f->mismatch.actual, v->result.found);
        unknown_bits(f->rule, sizeof f->rule, v->result.found);
    }
    verify_count_bins(arena, block_stim(result->desc->name), result);
}

static void sort_failures(Arena *arena, VerifyResult *r) {
    int cap = 0;
    for (int i = 0; i < r->nfailures; i++) {
        int b = 0;
        while (b < r->nbuckets && strcmp(r->buckets[b].port, r->failures[i].mismatch.port)) b++;
        if (b < r->nbuckets) r->buckets[b].count++;
        else
            *ARENA_PUSH(arena, r->buckets, r->nbuckets, cap) =
                (VerifyBucket){r->failures[i].mismatch.port, 1, &r->failures[i]};
    }
}

// An environment error of any chunk is the error of the run.
static bool judge_run(Arena *arena, const Run *run, bool finished, VerifyResult *r, Diag *d) {
    const char *name = r->desc->name;
    for (int i = 0; i < run->chunks; i++) {
        const Verdict *v = &run->verdicts[i];
        if (v->error) {
            diag_fail(d, v->error, "%s", v->text);
            d->timeout = v->timeout;
            return false;
        }
        if (finished && !v->done)
            return diag_fail(d, EXIT_ENVIRONMENT, "%s: a worker of the 4-state run died", name);
    }
    if (r->nfailures) {
        const VerifyFailure *f = &r->failures[0];
        r->status = f->status;
        r->message =
            arena_printf(arena, "%s: %d of %d chunks fail, first seed %llu, cycle %llu, %s%s%s%s",
                         name, r->nfailures, r->chunks_run, (unsigned long long)f->seed,
                         (unsigned long long)f->mismatch.cycle, f->mismatch.port,
                         f->mismatch.element >= 0 ? "_o" : "", f->rule[0] ? ": " : "", f->rule);
    } else if (!finished) {
        r->status = EXIT_INTERRUPTED;
        r->message = arena_printf(arena, "%s: interrupted", name);
    } else if (r->worked == 0) {
        r->status = EXIT_VACUOUS;
        r->message =
            arena_printf(arena, "%s: vacuous: in %llu cycles no output showed work of the block",
                         name, (unsigned long long)r->cycles);
    }
    return true;
}

bool verify_fourstate(Arena *arena, const VerifyOptions *o, const FourStateOptions *fo,
                      VerifyResult *r, Diag *d) {
    Run run = {.o = o};
    *r = (VerifyResult){.desc = o->harness.desc,
                        .seed = o->seed,
                        .transactions = o->transactions,
                        .message = "",
                        .toolchain = fo->netlist ? "yosys, iverilog" : "iverilog",
                        .variant = ""};
    memcpy(r->params, o->harness.params, sizeof *r->params * (size_t)r->desc->nparams);
    run.f = fourstate_open(fo, d);
    bool ok = run.f != NULL;
    if (ok) {
        r->bins = ARENA_ARRAY(arena, CoverBin, VERIFY_MAX_BINS);
        r->nbins = run.nbins = verify_bins(block_stim(r->desc->name), r->params, r->bins);
        r->hits = ARENA_ARRAY(arena, uint64_t, run.nbins + 1);
        r->chunks = run.chunks = (int)((o->transactions + FOURSTATE_CHUNK - 1) / FOURSTATE_CHUNK);
        run.jobs = o->jobs < 1 ? 1 : o->jobs > MAX_JOBS ? MAX_JOBS : o->jobs;
        if (run.jobs > run.chunks) run.jobs = run.chunks;
        run.verdicts = child_shared(sizeof *run.verdicts * (size_t)run.chunks);
        run.hits = child_shared(sizeof *run.hits * (size_t)run.chunks * (size_t)run.nbins);
        const bool finished = run_all(&run);
        take_results(arena, &run, r);
        sort_failures(arena, r);
        ok = judge_run(arena, &run, finished, r, d);
        if (fourstate_netlist(run.f)) {
            const NetlistSize *z = fourstate_netlist(run.f);
            r->variant =
                arena_printf(arena, "netlist: %ld cells, %ld of them flip-flops, %ld memories",
                             z->cells, z->flops, z->memories);
        }
        child_unshare(run.verdicts, sizeof *run.verdicts * (size_t)run.chunks);
        child_unshare(run.hits, sizeof *run.hits * (size_t)run.chunks * (size_t)run.nbins);
        fourstate_close(run.f);
    }
    if (!ok) {
        r->status = d->status;
        r->word = d->timeout ? status_word(WORD_TIMEOUT) : NULL;
        r->message = arena_printf(arena, "%s", d->text);
    }
    return ok;
}
