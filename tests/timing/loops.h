// SPDX-License-Identifier: Apache-2.0
// Loops on a machine on a bench: how many cycles one instruction of the loop takes.
#ifndef SMCOSIM_TESTS_TIMING_LOOPS_H
#define SMCOSIM_TESTS_TIMING_LOOPS_H

#include "sm_support.h"

typedef struct Loop {
    const char *sets;   // machine parameters
    const char *setup;  // instructions in front of the loop, each ended by \n
    // in the loop, each ended by \n; R0 to R2 as BENCH_THREAD has them, R14, R15 and P0 are the
    // loop's
    const char *body;
    int copies;           // of body
    int warps;            // in CTAs of at most 16
    const char *machine;  // NULL: fermi
} Loop;

static inline int loop_lines(const char *text) {
    int n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

// Cycles of the whole run; counters: all of them, or NULL.
static inline uint64_t loop_run(const Loop *l, int trips, Counters *counters) {
    static char text[65536];
    const size_t size = sizeof text;
    Bench b;
    bench_config(&b, l->machine ? l->machine : "fermi", l->sets);
    bench_start(&b, &(GpuOptions){0});
    const int start = 6 + loop_lines(l->setup);
    const int end = start + l->copies * loop_lines(l->body) + 3;
    int n = snprintf(text, size,
                     ".kernel loop\n.regs 20\n.preds 1\n.shared 16384\n%s%smov R14, 0x0\nL%d:\n",
                     BENCH_THREAD, l->setup, start);
    for (int i = 0; i < l->copies; i++) n += snprintf(text + n, size - (size_t)n, "%s", l->body);
    snprintf(
        text + n, size - (size_t)n,
        "iadd R14, R14, 0x1\nisetp.lt.and.u32 _|P0, R14, 0x%x\n@P0 bra _, L%d, L%d\nL%d:\nexit _\n",
        (unsigned)trips, start, end, end);
    const int ctas = (l->warps + 15) / 16;
    bench_run(&b, text, (uint32_t)ctas, (uint32_t)(32 * l->warps / ctas), 0);
    if (counters) *counters = *gpu_counters(b.gpu);
    const uint64_t cycles = gpu_cycle(b.gpu);
    bench_close(&b);
    return cycles;
}

enum { LOOP_FEW = 2, LOOP_MANY = 6 };

// Cycles per instruction of the body, from the difference of two numbers of trips, because prologue
// and epilogue are in both.
static inline double loop_cycles(const Loop *l) {
    const double instructions =
        (double)(LOOP_MANY - LOOP_FEW) * l->copies * loop_lines(l->body) * l->warps;
    return (double)(loop_run(l, LOOP_MANY, NULL) - loop_run(l, LOOP_FEW, NULL)) / instructions;
}

#endif
