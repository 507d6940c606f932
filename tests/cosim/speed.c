// SPDX-License-Identifier: Apache-2.0
// Cost of each mode per cycle with all sources busy: cosim_speed DATA_DIR CACHE_DIR [MACHINE
// [CYCLES]]
#include "bench.h"

#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return fprintf(stderr, "usage: cosim_speed DATA_DIR CACHE_DIR [MACHINE [CYCLES]]\n"),
               EXIT_USAGE;
    const char *machine = argc > 3 ? argv[3] : "fermi";
    uint64_t cycles = argc > 4 ? strtoull(argv[4], NULL, 10) : 300000;
    static const char *const modes[] = {"model", "rtl", "lockstep"},
                             *const kinds[] = {"connected", "banked_rf", "operand_collector"};
    static const char *const names[] = {"sm", "mem", "model", "rtl", "compare", "trace"};
    printf("%-18s %-9s %10s   ns per cycle by part\n", "blocks", "mode", "ns/cycle");
    for (int k = 0; k < 3; k++) {
        double cost[3];
        for (int m = 0; m < 3; m++) {
            Bench b = {.kind = (BenchKind)k, .busy = 90};
            Diag d = {0};
            char blocks[80];
            snprintf(blocks, sizeof blocks, k ? "model,%s=%s" : "%.0s%s", kinds[k], modes[m]);
            CosimOptions o = {.blocks = blocks, .cache_dir = argv[2]};
            if (!bench_open(&b, argv[1], machine, &o, 1, &d))
                return fprintf(stderr, "%s\n", d.text), d.status;
            double part[TIME_COUNT];
            cost[m] = 1e30;  // the best of many short pieces: other processes disturb
            for (int piece = 0; piece < 50; piece++) {
                double start = seconds();
                bench_cycles(&b, cycles / 50);
                double ns = (seconds() - start) / (double)(cycles / 50) * 1e9;
                if (piece && ns < cost[m]) cost[m] = ns;
            }
            cosim_times(b.cosim, part);
            printf("%-18s %-9s %10.0f  ", kinds[k], modes[m], cost[m]);
            for (int t = 0; t < TIME_COUNT; t++)
                printf(" %s %.0f", names[t], part[t] / (double)cycles * 1e9);
            putchar('\n');
            bench_close(&b);
        }
        printf("%-18s lockstep / rtl %.2f\n", kinds[k], cost[2] / cost[1]);
    }
    return 0;
}
