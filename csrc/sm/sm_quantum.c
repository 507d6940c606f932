// SPDX-License-Identifier: Apache-2.0
// Several SMs on one memory system.
//
//   part i     SM i and its side of the crossbar    W cycles     independent of other SMs ..
//   shared     L2 and DRAM                          W cycles     .. and of the SMs' new requests
//   meeting    in the order of the SMs              no time      stores reach memory, atomics are
//                                                                performed in L2's order, system
//                                                                calls execute, CTAs are assigned
//
// W is the crossbar's latency (mem_quantum). W is also the longest time for which these parts are
// independent, so they meet as rarely as possible. A load sees the earlier stores of its own SM,
// and stores of other SMs up to the end of the last quantum. An SM affects other SMs only in the
// meeting or through mem_begin. The results are therefore independent of the order and of the
// number of threads in which the SMs are simulated.
//
// The requirements of quantum k of an SM:
//
//   SM i, k - 1    shared, k - 1    meeting before k, that is all SMs, k - 1
//       |               |               |
//       |               |               +-- a load of global memory (quantum_await)
//       |               |               +-- at once, if the meeting may change the SM (ahead): its
//       |               |               |   atomics were performed, it has system calls, it gets
//       |               |               |   a CTA; or if the kernel may end
//       +---------------+---------------+-- SM i, k
//
//   SMs, k - 1 and shared, k - 1 -- meeting before k -- shared, k
//
// An SM that has completed its quantum begins the next one while other SMs still run theirs. It
// stops at its first load from global memory. An SM is at most one quantum ahead.
//
// CTAs are assigned to the SMs round-robin, one to each SM with room. Each SM first receives its
// share in turn. Later an SM receives a CTA at the end of the quantum in which a slot has become
// free. A kernel ends at the end of a quantum.
#include "sm/sm_quantum.h"

#include "launch/writes.h"
#include "sm/crew.h"
#include "sm/cycle.h"
#include "sm/listeners/explain_state.h"
#include "sm/listeners/listeners.h"
#include "sm/parts/admission.h"
#include "sm/quantum_state.h"
#include "sm/stages/syscall.h"
#include "sm/state.h"

// State of the current run.
struct Quanta {
    uint64_t first;  // number of its first quantum
    uint64_t start;  // cycle
    int room[GPU_MAX_SMS];
    // CTAs remain unassigned after the meeting before a quantum of this parity
    bool left[2];
    bool passed;
    Diag *diag;
};

// ---- a quantum ----

static bool is_stopped(const Sm *sm) {
    return cosim_mismatch(sm->cosim) && cosim_should_stop(sm->cosim);
}

static QuantumEnd end_of(const Sm *sm) {
    return (QuantumEnd){.progress = sm->progress,
                        .ctas_done = sm->ctas_done,
                        .room = sm->cta_limit - sm->ctas_used - sm->nhanded,
                        .stored = device_writes_any(quantum_writes(sm)),
                        .calls = sm->quantum->ncalls != 0,
                        .rests = sm->nflights == 0 && admission_rests(sm),
                        .failed = sm->failed,
                        .stopped = is_stopped(sm)};
}

static void run_part(void *ctx, int i, uint64_t number) {
    Gpu *g = ctx;
    Sm *sm = &g->sms[i];
    const int cycles = mem_quantum(g->options.cfg);
    sm->quantum->number = number;
    device_writes_clear(quantum_writes(sm));
    mem_begin(sm->mem);
    for (int k = 0; k < cycles && !sm->failed && !is_stopped(sm); k++) sm_cycle_once(sm);
    mem_end(sm->mem);
    sm->quantum->ends[number & 1] = end_of(sm);
    sm->quantum->met = true;
}

static void run_shared(void *ctx, uint64_t number) {
    Gpu *g = ctx;
    const int cycles = mem_quantum(g->options.cfg);
    (void)number;
    mem_begin(g->mem);
    for (int i = 0; i < cycles; i++) mem_cycle(g->mem);
    mem_end(g->mem);
}

// Listeners, and units that run in parallel with the pipeline, may read memory or be observed at
// any time.
static bool is_apart(const Sm *sm) {
    return !sm->retire && !sm->trace && !sm->loads.n && !sm->sources.n && !sm->beside.part &&
        !sm->gpu->arch.compiler.beside && !cosim_runs_rtl(sm->cosim);
}

// True if, as far as the SM can determine, the meeting before the quantum neither changes the SM
// nor is the last one.
static bool run_ahead(void *ctx, int i, uint64_t number) {
    Gpu *g = ctx;
    Sm *sm = &g->sms[i];
    Quantum *w = sm->quantum;
    const QuantumEnd *e = &w->ends[!(number & 1)];
    const MachineConfig *cfg = g->options.cfg;
    if (number == g->quanta->first || !w->apart || e->failed || e->calls || mem_performs(sm->mem))
        return false;
    if (e->room && g->quanta->left[!(number & 1)]) return false;
    if (e->rests && !sm->ctas_used) return false;
    if (sm->cycle - g->quanta->start >= gpu_most_cycles(g)) return false;
    if (sm->cycle > e->progress && sm->cycle - e->progress > (uint64_t)cfg->run_progress_cycles)
        return false;
    w->met = false;
    w->cycle_before = sm->cycle;
    w->counted_before = *sm->count;
    return true;
}

// ---- the meeting ----

static const QuantumEnd *quantum_end(const Gpu *g, int i, uint64_t number) {
    return &g->sms[i].quantum->ends[number & 1];
}

static void execute_calls(Sm *sm) {
    Quantum *w = sm->quantum;
    for (int i = 0; i < w->ncalls && !sm->failed; i++) syscall_execute(sm, w->calls[i]);
    w->ncalls = 0;
}

static void exchange_memory(Gpu *g, uint64_t last) {
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        if (quantum_end(g, i, last)->stored)
            device_writes_apply(sm->quantum->writes[last & 1], g->options.memory);
        if (sm->retire) retire_listener_exchange(sm->retire);
    }
    mem_perform(g->mem);
    for (int i = 0; i < g->nsms; i++)
        if (quantum_end(g, i, last)->calls) execute_calls(&g->sms[i]);
}

static void hand_out(Gpu *g, uint64_t last) {
    for (int i = 0; i < g->nsms; i++) g->quanta->room[i] = quantum_end(g, i, last)->room;
    for (int full = 0; full < g->nsms && g->next_cta < g->ncta;
         g->next_sm = (g->next_sm + 1) % g->nsms) {
        Sm *sm = &g->sms[g->next_sm];
        int *room = &g->quanta->room[g->next_sm];
        full = *room > 0 ? 0 : full + 1;
        if (full) continue;
        --*room;
        sm->handed[sm->nhanded++] = g->next_cta++;
    }
    g->quanta->left[!(last & 1)] = g->next_cta < g->ncta;
}

static bool all_finished(Gpu *g, uint64_t last) {
    bool rest = true;
    g->ctas_done = 0;
    for (int i = 0; i < g->nsms; i++) {
        g->ctas_done += quantum_end(g, i, last)->ctas_done;
        rest = rest && quantum_end(g, i, last)->rests;
    }
    return rest && g->ctas_done == g->ncta && mem_idle(g->mem);
}

// ---- the end ----

// The SM that failed first in the quantum; among several in one cycle, the lowest number.
static const Sm *first_failed(const Gpu *g, uint64_t last) {
    const Sm *found = NULL;
    for (int i = 0; i < g->nsms; i++) {
        const Sm *sm = &g->sms[i];
        const QuantumEnd *e = quantum_end(g, i, last);
        if ((e->failed || (e->calls && sm->failed)) && (!found || sm->cycle < found->cycle))
            found = sm;
    }
    return found;
}

// Explains the waits of an SM that still has work.
static bool fail_on_hang(Gpu *g, const char *what, Diag *d) {
    int i = 0;
    while (i < g->nsms - 1 && !g->sms[i].resident && !g->sms[i].nflights) i++;
    Sm *sm = &g->sms[i];
    char text[128];
    snprintf(text, sizeof text, "%s; SM %d", what, i);
    explain_hang(sm, text);
    *d = sm->quantum->diag;
    return false;
}

// False: the run ends with *d.
static bool goes_on(Gpu *g, uint64_t last, Diag *d) {
    const uint64_t start = g->quanta->start;
    const uint64_t now =
        start + (last + 1 - g->quanta->first) * (uint64_t)mem_quantum(g->options.cfg);
    uint64_t progress = 0;
    char what[96];
    for (int i = 0; i < g->nsms; i++)
        progress = quantum_end(g, i, last)->progress > progress ? quantum_end(g, i, last)->progress
                                                                : progress;
    if (g->options.stop && *g->options.stop)
        return diag_fail(d, EXIT_INTERRUPTED, "interrupted in cycle %llu of kernel %s",
                         (unsigned long long)(now - start), g->launch.program->name);
    if (now - start >= gpu_most_cycles(g)) {
        snprintf(what, sizeof what, "did not end within %llu cycles",
                 (unsigned long long)gpu_most_cycles(g));
        return fail_on_hang(g, what, d);
    }
    if (now > progress && now - progress > (uint64_t)g->options.cfg->run_progress_cycles) {
        snprintf(what, sizeof what, "made no progress for %d cycles",
                 g->options.cfg->run_progress_cycles);
        return fail_on_hang(g, what, d);
    }
    return true;
}

static bool take_failure(Gpu *g, uint64_t last) {
    const Sm *failed = first_failed(g, last);
    if (failed) *g->quanta->diag = failed->quantum->diag;
    return failed != NULL;
}

// Nothing is exchanged before the first quantum.
static bool meet(void *ctx, uint64_t number) {
    Gpu *g = ctx;
    Quanta *w = g->quanta;
    const uint64_t last = number - 1;
    if (number > w->first) {
        bool met = false;
        for (int i = 0; i < g->nsms; i++) met = met || quantum_end(g, i, last)->stopped;
        if (!first_failed(g, last) && !met) exchange_memory(g, last);
        w->passed = false;
        if (take_failure(g, last)) return false;
        w->passed = true;
        if (met) return false;
    }
    if (all_finished(g, last)) return false;
    w->passed = number == w->first || goes_on(g, last, w->diag);
    if (w->passed) hand_out(g, last);
    return w->passed;
}

// Restores an SM that began a quantum after the last one, with its counters.
static void take_back(Sm *sm, uint64_t number) {
    if (sm->quantum->number != number) return;
    *sm->count = sm->quantum->counted_before;
    sm->cycle = sm->quantum->cycle_before;
}

void quanta_open(Gpu *g, Arena *arena) {
    const CrewWork work = {
        .n = g->nsms, .part = run_part, .meet = meet, .shared = run_shared, .ahead = run_ahead};
    g->quanta = ARENA_NEW(arena, Quanta);
    g->crew =
        crew_open(arena, &work, g, g->options.threads < g->nsms ? g->options.threads : g->nsms);
    g->quanta->first = 1;
}

bool quanta_run(Gpu *g, Diag *d) {
    Quanta *w = g->quanta;
    w->start = g->sms[0].cycle;
    w->diag = d;
    w->passed = true;
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        sm->diag = &sm->quantum->diag;
        sm->quantum->ends[(w->first - 1) & 1] = end_of(sm);
        sm->quantum->apart = is_apart(sm);
        sm->quantum->met = true;
    }
    w->first = crew_run(g->crew);
    for (int i = 0; i < g->nsms; i++) take_back(&g->sms[i], w->first);
    return w->passed;
}
