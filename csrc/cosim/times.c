// SPDX-License-Identifier: Apache-2.0
// Profile of the host's time. About one of 64 cycles is timed lap by lap, and results are scaled to
// all cycles. The cycles are chosen pseudo-randomly, because a fixed stride would beat with loops
// of the kernel.
#include "cosim/cosim_internal.h"

#include "proc/clock.h"

#if defined __x86_64__
#include <x86intrin.h>
#endif

static uint64_t now_ticks(void) {
#if defined __x86_64__
    return __rdtsc();
#else
    return (uint64_t)(1e9 * clock_seconds());
#endif
}

void times_init(Cosim *c) {
    c->open_ticks = now_ticks();
    c->open_seconds = clock_seconds();
    // The cost of reading the clock is subtracted from each lap.
    c->lap_cost = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t before = now_ticks(), cost = now_ticks() - before;
        if (cost < c->lap_cost) c->lap_cost = cost;
    }
    c->sample_random = 12345;
    c->next_sample = 40;
}

// Called at the end of each cycle. It decides whether the next cycle is timed.
void times_cycle(Cosim *c) {
    if (c->sampling) {
        cosim_lap(c, TIME_TRACE);
        c->sampled++;
        c->sampling = false;
    }
    if (c->cycles < c->next_sample) return;
    c->sample_random = c->sample_random * 1664525u + 1013904223u;
    c->next_sample = c->cycles + 33 + (c->sample_random >> 26);
    c->sampling = true;
    c->lap_start = now_ticks();
}

void cosim_lap(Cosim *c, CosimTime what) {
    if (!c->sampling) return;
    uint64_t t = now_ticks(), took = t - c->lap_start;
    c->laps[what] += took > c->lap_cost ? took - c->lap_cost : 0;
    c->lap_start = t;
}

void cosim_times(const Cosim *c, double seconds[TIME_COUNT]) {
    uint64_t ticks = now_ticks() - c->open_ticks;
    double unit = ticks ? (clock_seconds() - c->open_seconds) / (double)ticks : 0;
    double scale = c->sampled ? unit * (double)c->cycles / (double)c->sampled : 0;
    for (int i = 0; i < TIME_COUNT; i++) seconds[i] = (double)c->laps[i] * scale;
}
