// SPDX-License-Identifier: Apache-2.0
// Runs on golden models that are made to measure, and opttb's search among them.
#include "session/run_parts.h"

#include "systems/systems.h"

bool search_measure(LaunchReport *scratch, Arena *arena, const char *path, const MachineConfig *cfg,
                    const SessionOptions *options, const Arch *arch, int *most_ctas, Diag *d) {
    const SessionOptions o = {.arch = *arch,
                              .blocks = "model",
                              .files = options->files,
                              .command_line = options->command_line,
                              .data_dir = options->data_dir,
                              .cache_dir = options->cache_dir,
                              .stop = options->stop,
                              .loaded = options->loaded,
                              .max_cycles = options->max_cycles,
                              .sms = options->sms,
                              .allow_idle = true};
    Run r;
    *scratch = (LaunchReport){.name = path};
    run_begin(&r, arena, &o, scratch);
    const bool ok = session_simulate_on(&r, path, cfg, d);
    *most_ctas = r.most_ctas;
    run_end(&r);
    return ok;
}

// Cycles of the launch file on the baseline's golden models with at most so many resident CTAs;
// *most: that there were.
static bool count_cycles(const char *path, const MachineConfig *cfg, const SessionOptions *options,
                         int ctas, uint64_t *cycles, int *most, Diag *d) {
    Arena arena = {0};
    LaunchReport scratch = {.name = path};
    Arch baseline;
    MachineConfig limited = *cfg;
    limited.sm_ctas = ctas;
    const bool ok = arch_of(&baseline, NULL, 0, d) &&
        search_measure(&scratch, &arena, path, &limited, options, &baseline, most, d);
    *cycles = scratch.counters.v[CTR_CYCLES];
    arena_free(&arena);
    return ok;
}

bool search_best_ctas(const char *path, MachineConfig *cfg, const SessionOptions *o,
                      LaunchReport *report, Diag *d) {
    uint64_t fewest, cycles;
    int room, unused;
    if (!count_cycles(path, cfg, o, cfg->sm_ctas, &fewest, &room, d)) return false;
    report->best_ctas = report->ctas_there = room;
    for (int n = room - 1; n > 0; n--) {
        if (!count_cycles(path, cfg, o, n, &cycles, &unused, d)) return false;
        if (cycles >= fewest) continue;
        fewest = cycles;
        report->best_ctas = n;
    }
    if (report->best_ctas) cfg->sm_ctas = report->best_ctas;
    return true;
}
