// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Collector cycles with more than `rows` registers of the window in the collector, and the maximum
// number of registers.
static uint64_t count_fuller(const uint64_t *v, int rows, int *most) {
    uint64_t n = 0;
    *most = 0;
    for (int i = 0; CTR_BOW_ROWS_0 + i <= CTR_BOW_ROWS_28; i++) {
        if (i > rows) n += v[CTR_BOW_ROWS_0 + i];
        if (v[CTR_BOW_ROWS_0 + i]) *most = i;
    }
    return n;
}

static void print_sources(FILE *out, const uint64_t *v) {
    const uint64_t sources = v[CTR_BOW_SOURCES];
    summary_row(out, "sources", sources, NULL, 0, NULL);
    summary_row(out, "... forwarded", v[CTR_BOW_FORWARDS], "%5.1f %%",
                100 * summary_ratio(v[CTR_BOW_FORWARDS], sources), NULL);
    summary_row(out, "... held for a save", v[CTR_BOW_FORWARDS_HELD], "%5.1f %%",
                100 * summary_ratio(v[CTR_BOW_FORWARDS_HELD], sources), NULL);
    summary_row(out, "... read again", v[CTR_BOW_READ_AGAIN], "%5.1f %%",
                100 * summary_ratio(v[CTR_BOW_READ_AGAIN], sources), NULL);
    summary_row(out, "arithmetic, in collection", v[CTR_COLLECT_ALU], "%.2f cycles each",
                summary_ratio(v[CTR_COLLECT_ALU], v[CTR_EXEC_SP] + v[CTR_EXEC_SFU]), NULL);
    summary_row(out, "... issue to last write", v[CTR_FLIGHT_ALU], "%.1f %% of it in collection",
                100 * summary_ratio(v[CTR_COLLECT_ALU], v[CTR_FLIGHT_ALU]), NULL);
}

typedef struct Fate {
    const char *name;
    CounterId id;
} Fate;

static void print_results(FILE *out, const uint64_t *v) {
    const uint64_t results = v[CTR_BOW_RESULTS], stored = v[CTR_BOW_STORED];
    uint64_t bits = 0;
    summary_row(out, "results", results, NULL, 0, NULL);
    static const Fate fates[] = {{"... kept and written", CTR_BOW_THROUGH},
                                 {"... kept, not written", CTR_BOW_STORED},
                                 {"... written at once", CTR_BOW_DIRECT},
                                 {"... of these beside window", CTR_BOW_DIRECT_LATE},
                                 {"... neither", CTR_BOW_NOWHERE}};
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++)
        summary_row(out, fates[i].name, v[fates[i].id], "%5.1f %%",
                    100 * summary_ratio(v[fates[i].id], results), NULL);
    static const char *const class[] = {"bits 00, nowhere", "bits 01, register file",
                                        "bits 10, collector", "bits 11, both"};
    for (int i = 0; i < 4; i++) bits += v[CTR_BOW_BITS_00 + i];
    for (int i = 0; bits && i < 4; i++)
        summary_row(out, class[i], v[CTR_BOW_BITS_00 + i], "%5.1f %% of results",
                    100 * summary_ratio(v[CTR_BOW_BITS_00 + i], bits), NULL);
    static const Fate ends[] = {{"saved", CTR_BOW_SAVES},
                                {"saved, rows were short", CTR_BOW_PRESSURE_SAVES},
                                {"overwritten", CTR_BOW_OVERWRITTEN},
                                {"merged", CTR_BOW_MERGED},
                                {"dead", CTR_BOW_DEAD},
                                {"dropped at exit", CTR_BOW_DROPPED}};
    for (size_t i = 0; stored && i < sizeof ends / sizeof *ends; i++)
        summary_row(out, ends[i].name, v[ends[i].id], "%5.1f %% of those kept",
                    100 * summary_ratio(v[ends[i].id], stored), NULL);
}

static void print_rows(FILE *out, const uint64_t *v, int half) {
    const uint64_t cycles = v[CTR_BOW_WINDOW_CYCLES];
    uint64_t rows = 0;
    int most;
    for (int i = 0; CTR_BOW_ROWS_0 + i <= CTR_BOW_ROWS_28; i++)
        rows += v[CTR_BOW_ROWS_0 + i] * (unsigned)i;
    const uint64_t more = count_fuller(v, half, &most);
    summary_row(out, "rows in the window", (uint64_t)summary_ratio(rows, cycles), "mean %.2f",
                summary_ratio(rows, cycles), NULL);
    summary_row(out, "... the most", (uint64_t)most, NULL, 0, NULL);
    summary_row(out, "... more than half", more, "%5.1f %% of cycles",
                100 * summary_ratio(more, cycles), NULL);
    summary_row(out, "rows reserved", (uint64_t)summary_ratio(v[CTR_BOW_RESERVED_CYCLES], cycles),
                "mean %.2f", summary_ratio(v[CTR_BOW_RESERVED_CYCLES], cycles), NULL);
    summary_row(out, "rows held for a save",
                (uint64_t)summary_ratio(v[CTR_BOW_HELD_CYCLES], cycles), "mean %.2f",
                summary_ratio(v[CTR_BOW_HELD_CYCLES], cycles), NULL);
}

// Retained and forwarded values of bypassing collectors (thesis chapter 3).
void summary_bypassing(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v;
    if (!v[CTR_BOW_WINDOW_CYCLES]) return;
    fprintf(out, "bypassing\n");
    print_sources(out, v);
    print_results(out, v);
    print_rows(out, v, 2 * run->cfg->bow_window);
    summary_energy(out,
                   bow_energy_of(run->counters, run->cfg->rf_banks * run->cfg->rf_entries,
                                 run->cfg->oc_collectors, run->bow_rows));
}
