// SPDX-License-Identifier: Apache-2.0
// Load port: keeps the line of global memory that was loaded last, with its values, until a store
// or an atomic arrives. It serves loads of four bytes within that line. Each third one waits, and
// gets its answer 20 cycles later.
#include "toys.h"

enum { NONE_KEPT = 1 };  // no line begins there

static uint32_t line, words[32];
static Flight *waiting;
static uint64_t asked, served, wrong, answers_at;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    line = NONE_KEPT;
    waiting = NULL;
    asked = served = wrong = 0;
    return NULL;
}

static bool plain(const Flight *f) {
    return f->access.lanes_of[0] == f->active && f->inst->isa->mem_bytes == 4 &&
        !f->inst->isa->ordered;
}

// The line of all lanes; NONE_KEPT: there are several.
static uint32_t line_of(const Flight *f) {
    const uint32_t first = f->access.addr[__builtin_ctz(f->active)] & ~127u;
    for (uint32_t left = f->active; left; left &= left - 1)
        if ((f->access.addr[__builtin_ctz(left)] & ~127u) != first) return NONE_KEPT;
    return first;
}

static void keep(Sm *sm, const Flight *f) {
    const uint8_t *p = device_at(sm->gpu->options.memory, line_of(f), sizeof words);
    line = p ? line_of(f) : NONE_KEPT;
    if (p) memcpy(words, p, sizeof words);
}

static void take(Flight *f) {
    for (uint32_t left = f->active; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        const uint32_t value = words[f->access.addr[l] / 4 % 32];
        wrong += value != f->out.dst[0][l];
        f->out.dst[0][l] = value;
    }
}

static LoadAnswer probe(Sm *sm, void *self, Flight *f) {
    (void)self;
    if (!inst_stream_is_own(sm, f->warp, f->stream)) return (LoadAnswer){.from = LOAD_MEMORY};
    asked++;
    if (!plain(f)) return (LoadAnswer){.from = LOAD_MEMORY};
    if (line == NONE_KEPT || line_of(f) != line) {
        keep(sm, f);
        return (LoadAnswer){.from = LOAD_MEMORY};
    }
    take(f);
    if (++served % 3 || waiting) return (LoadAnswer){.from = LOAD_SERVED, .cycles = 4};
    waiting = f;
    answers_at = sm->cycle + 20;
    return (LoadAnswer){.from = LOAD_WAIT};
}

static void drive(Sm *sm, void *self) {
    (void)self;
    if (!waiting || sm->cycle < answers_at) return;
    load_answer(sm, waiting,
                (LoadAnswer){.from = served % 2 ? LOAD_SERVED : LOAD_MEMORY, .cycles = 1});
    waiting = NULL;
}

static bool busy(const Sm *sm, const void *self) {
    (void)sm;
    (void)self;
    return waiting != NULL;
}

static void access_event(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    (void)self;
    if (e->flight->inst->mem >= SM_MEM_WRITE) line = NONE_KEPT;
}

static void performed(Sm *sm, void *self, const LanesEvent *e) {
    (void)sm;
    (void)self;
    (void)e;
    line = NONE_KEPT;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run;
    (void)alone;
    if (wrong) return "the values that memory holds";
    // The kernels with so many loads have two in a row from one line.
    if (!asked || (asked > 1000 && !served)) return "loads, some of them served";
    return NULL;
}

static const LoadPort load = {.probe = probe};
static const Clocked clock_part = {.drive = drive, .busy = busy};
static const Listener listener = {.access = access_event, .performed = performed};
static const System system_toy = {.name = "toy-load",
                                  .what = "serves one line",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .load = &load,
                                  .clock = &clock_part,
                                  .listener = &listener};
const Toy toy_load = {&system_toy, seen};
