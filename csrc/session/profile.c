// SPDX-License-Identifier: Apache-2.0
#include "session/profile.h"

#include "session/run_parts.h"
#include "systems/systems.h"

// Percent. The tenth is the paper's. The other limit is ours, because the paper says "bound by
// bandwidth" without a number.
enum { PROFILE_BUSY = 30, PROFILE_RATIO = 110 };

bool profile_asked(const SessionOptions *o, const MachineConfig *cfg) {
    return cfg->caba_profile == CABA_PROFILE_MEASURED && arch_has_routines(&o->arch);
}

// The SM's counters of a run of the launch file on golden models of the architecture, without
// checks.
static bool measure_counters(Counters *c, const Arch *arch, const char *path,
                             const MachineConfig *cfg, const SessionOptions *options, Diag *d) {
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
    Arena arena = {0};
    LaunchReport scratch = {.name = path};
    Run r;
    run_begin(&r, &arena, &o, &scratch);
    const bool ok = session_simulate_on(&r, path, setup_machine(&arena, arch, cfg), d);
    run_end(&r);
    *c = scratch.counters;
    arena_free(&arena);
    return ok;
}

static double ratio_of(uint64_t n, uint64_t of) { return of ? (double)n / (double)of : 0; }

bool profile_choose(SessionOptions *o, const char *path, const MachineConfig *cfg, Diag *d) {
    Arch baseline;
    Counters c;
    if (!arch_of(&baseline, NULL, 0, d) || !measure_counters(&c, &baseline, path, cfg, o, d))
        return false;
    ReportProfile p = {.measured = true, .busy = ratio_of(c.v[CTR_DRAM_BUSY], c.v[CTR_CYCLES])};
    p.on = c.v[CTR_DRAM_BUSY] * 100 >= c.v[CTR_CYCLES] * PROFILE_BUSY;
    if (p.on) {
        if (!measure_counters(&c, &o->arch, path, cfg, o, d)) return false;
        p.ratio = ratio_of(c.v[CTR_RAW_BURSTS], c.v[CTR_MOVED_BURSTS]);
        p.on = c.v[CTR_RAW_BURSTS] * 100 >= c.v[CTR_MOVED_BURSTS] * PROFILE_RATIO &&
            c.v[CTR_MOVED_BURSTS];
    }
    o->profile = p;
    if (p.on) return true;
    Arena arena = {0};
    Diag why = {0};
    o->arch = baseline;
    SessionOptions without = *o;
    without.check_codec = false;  // the end of the run reports it: no assist warp made a line
    const bool ok = session_check(&arena, cfg, &without, &why) ||
        diag_fail(d, why.status, "%s: excluded by caba.profile, so it runs as the baseline: %s",
                  path, why.text);
    arena_free(&arena);
    return ok;
}
