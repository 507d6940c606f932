// SPDX-License-Identifier: Apache-2.0
// Several SMs on one memory system.
//
//   each SM and its side of the crossbar   W cycles     nothing of it depends on another SM
//   L2 and DRAM                            W cycles     .. or on what an SM sends meanwhile
//   exchange, in the order of the SMs      no time      what was stored goes to memory, packets cross, atomics are
//                                                       performed in L2's order, system calls are executed, CTAs are
//                                                       handed out
//
// W is the crossbar's latency (mem_window): the longest time for which none of these needs to know of the others, so
// that they meet as seldom as possible. A load sees what its own SM has stored before it, and what the others had
// stored by the end of the last window. All that an SM does to the others happens in the exchange, so the results are
// the same in whichever order, and by how many threads, the SMs are simulated.
//
// CTAs go round the SMs, one to each that has room, so at the beginning each gets its share in turn; then an SM gets
// one when a place has become free, at the end of that window. A kernel ends with a window.
#include "sm/window.h"

#include "launch/writes.h"
#include "sm/crew.h"
#include "sm/cycle.h"
#include "sm/listeners/explain.h"
#include "sm/listeners/listeners.h"
#include "sm/parts/admission.h"
#include "sm/stages/syscall.h"
#include "sm/state.h"

enum {
    MOST_CALLS = 64,      // instructions of an SM in one window that execute at its end
    MOST_WORDS = 8192,    // that it stores in one
};

struct Window {
    DeviceWrites *writes;
    DeviceMemory memory;  // the same bytes for all; where it looked last is the SM's own
    Flight *calls[MOST_CALLS];
    int ncalls;
    Diag diag;            // of the run
};

void window_open(Sm *sm, Arena *arena) {
    sm->window = ARENA_NEW(arena, Window);
    sm->window->writes = device_writes_open(arena, MOST_WORDS);
    sm->memory = &sm->window->memory;
    *sm->memory = *sm->gpu->options.memory;
}

void window_launch(Sm *sm) {
    *sm->memory = *sm->gpu->options.memory;
    sm->window->ncalls = 0;
    sm->window->diag = (Diag){0};
}

void window_load(const Sm *sm, uint32_t addr, void *bytes, uint32_t n) { device_written(sm->window->writes, addr, bytes, n); }

void window_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n) { device_write(sm->window->writes, addr, bytes, n); }

bool window_stored(const Sm *sm) { return device_writes_any(sm->window->writes); }

void window_call(Sm *sm, Flight *f) {
    Window *w = sm->window;
    panic_if(w->ncalls == MOST_CALLS, "more than %d system calls in a window", MOST_CALLS);
    w->calls[w->ncalls++] = f;
}

// ---- a window ----

static bool stopped(const Sm *sm) { return cosim_mismatch(sm->cosim) && cosim_should_stop(sm->cosim); }

static void run_sm(Sm *sm, int cycles) {
    for (int i = 0; i < cycles && !sm->failed && !stopped(sm); i++) sm_cycle_once(sm);
}

// One of the parts that run by themselves: an SM, or L2 and DRAM behind the last.
static void run_part(void *ctx, int part) {
    Gpu *g = ctx;
    const int cycles = mem_window(g->options.cfg);
    if (part < g->nsms) run_sm(&g->sms[part], cycles);
    else for (int i = 0; i < cycles; i++) mem_cycle(g->mem);
}

static void run_window(Gpu *g) {
    if (g->crew) crew_run(g->crew, g->nsms + 1, run_part, g);
    else for (int i = 0; i <= g->nsms; i++) run_part(g, i);
}

// ---- the exchange ----

static void execute_calls(Sm *sm) {
    Window *w = sm->window;
    for (int i = 0; i < w->ncalls && !sm->failed; i++) syscall_execute(sm, w->calls[i]);
    w->ncalls = 0;
}

static void exchange(Gpu *g) {
    for (int i = 0; i < g->nsms; i++) {
        Sm *sm = &g->sms[i];
        device_writes_apply(sm->window->writes, sm->memory);
        if (sm->retire) retire_listener_exchange(sm->retire);
    }
    mem_exchange(g->mem);
    for (int i = 0; i < g->nsms; i++) execute_calls(&g->sms[i]);
}

static bool has_room(const Sm *sm) { return sm->ctas_used + sm->nhanded < sm->cta_limit; }

static void hand_out(Gpu *g) {
    for (int full = 0; full < g->nsms && g->next_cta < g->ncta; g->next_sm = (g->next_sm + 1) % g->nsms) {
        Sm *sm = &g->sms[g->next_sm];
        full = has_room(sm) ? 0 : full + 1;
        if (!full) sm->handed[sm->nhanded++] = g->next_cta++;
    }
}

static bool finished(Gpu *g) {
    bool rest = true;
    g->ctas_done = 0;
    for (int i = 0; i < g->nsms; i++) {
        const Sm *sm = &g->sms[i];
        g->ctas_done += sm->ctas_done;
        rest = rest && sm->nflights == 0 && admission_rests(sm);
    }
    return rest && g->ctas_done == g->ncta && mem_idle(g->mem);
}

// ---- the end ----

// Of SMs that failed the one that did so first, of several the first.
static const Sm *first_failed(const Gpu *g) {
    const Sm *found = NULL;
    for (int i = 0; i < g->nsms; i++) {
        const Sm *sm = &g->sms[i];
        if (sm->failed && (!found || sm->cycle < found->cycle)) found = sm;
    }
    return found;
}

// Says of an SM that still has something to do what its warps wait for.
static bool hangs(Gpu *g, const char *what, Diag *d) {
    int i = 0;
    while (i < g->nsms - 1 && !g->sms[i].resident && !g->sms[i].nflights) i++;
    Sm *sm = &g->sms[i];
    char text[128];
    snprintf(text, sizeof text, "%s; SM %d", what, i);
    explain_hang(sm, text);
    *d = sm->window->diag;
    return false;
}

// False: the run ends with *d.
static bool goes_on(Gpu *g, uint64_t start, Diag *d) {
    const uint64_t now = g->sms[0].cycle;
    uint64_t progress = 0;
    char what[96];
    for (int i = 0; i < g->nsms; i++) progress = g->sms[i].progress > progress ? g->sms[i].progress : progress;
    if (g->options.stop && *g->options.stop)
        return diag_fail(d, EXIT_INTERRUPTED, "interrupted in cycle %llu of kernel %s", (unsigned long long)(now - start),
                         g->launch.program->name);
    if (now - start >= gpu_most_cycles(g)) {
        snprintf(what, sizeof what, "did not end within %llu cycles", (unsigned long long)gpu_most_cycles(g));
        return hangs(g, what, d);
    }
    if (now > progress && now - progress > (uint64_t)g->options.cfg->run_progress_cycles) {
        snprintf(what, sizeof what, "made no progress for %d cycles", g->options.cfg->run_progress_cycles);
        return hangs(g, what, d);
    }
    return true;
}

bool windows_run(Gpu *g, Diag *d) {
    const uint64_t start = g->sms[0].cycle;
    for (int i = 0; i < g->nsms; i++) g->sms[i].diag = &g->sms[i].window->diag;
    while (!finished(g)) {
        hand_out(g);
        run_window(g);
        bool met = false;
        for (int i = 0; i < g->nsms; i++) met = met || stopped(&g->sms[i]);
        if (!first_failed(g) && !met) exchange(g);
        const Sm *failed = first_failed(g);
        if (failed) {
            *d = failed->window->diag;
            return false;
        }
        if (met) return true;
        if (!finished(g) && !goes_on(g, start, d)) return false;
    }
    return true;
}
