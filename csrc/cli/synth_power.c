// SPDX-License-Identifier: Apache-2.0
// synth --power: the wave of a block's RTL under a kernel, and the power of the mapped netlist with
// its activity.
#include "base/output.h"
#include "cli/cli.h"
#include "session/session.h"
#include "cli/cmd_synth.h"
#include "systems/systems.h"
#include "verify/fourstate.h"

#include <string.h>
#include <sys/stat.h>

// A run with this block's RTL and the golden models of the others. EXIT_USAGE: the architecture has
// no such block, ..
static bool fill_options(SessionOptions *o, MachineConfig *cfg, const SynthSettings *s,
                         Arena *arena, Diag *d) {
    *o = (SessionOptions){.machine = s->machine,
                          .arch = s->arch,
                          .stop = &cli_stop,
                          .loaded = cli_loaded,
                          .data_dir = cli_data_dir(),
                          .blocks = arena_printf(arena, "model,%s=rtl", s->blocks[0]->name),
                          .max_cycles = s->range[1] + 1,
                          .cache_dir = cli_cache_dir(arena)};
    if (!s->arch.n && !arch_of(&o->arch, NULL, 0, d)) return false;
    if (s->nsets > SESSION_MAX_SETS || s->nrtls > SESSION_MAX_RTL)
        return diag_fail(d, EXIT_USAGE, "--power: at most %d --set and %d --rtl", SESSION_MAX_SETS,
                         SESSION_MAX_RTL);
    for (int k = 0; k < s->nsets; k++) o->sets[o->nsets++] = s->sets[k];
    for (int k = 0; k < s->nrtls; k++) o->rtl[o->nrtl++] = s->rtls[k];
    return session_config(cfg, arena, o, d) && session_check(arena, cfg, o, d);
}

bool synth_power_check(const SynthSettings *s, Arena *arena, Diag *d) {
    MachineConfig cfg;
    SessionOptions o;
    return fill_options(&o, &cfg, s, arena, d);
}

// Up to the last cycle of the range.
static bool run_kernel(const SynthSettings *s, Arena *arena, const SynthReport *report,
                       const char *wave, Diag *d) {
    MachineConfig cfg;
    SessionOptions o;
    LaunchReport launch = {0};
    if (!fill_options(&o, &cfg, s, arena, d)) return false;
    o.command_line = report->command;
    o.wave = arena_printf(arena, "%s:%llu-%llu", wave, (unsigned long long)s->range[0],
                          (unsigned long long)s->range[1]);
    session_run(&launch, arena, s->power, &cfg, &o, d);
    // The limit ends the run behind the range. A kernel may also end before the limit.
    const ExitStatus status = diag_ok(d) ? launch.status : d->status;
    if (status == EXIT_PASS) return true;
    if (status == EXIT_HANG && launch.counters.v[CTR_CYCLES] > s->range[1])
        return memset(d, 0, sizeof *d), true;
    return diag_ok(d) ? diag_fail(d, status, "%s: %s", s->power, launch.message) : false;
}

static bool to_vcd(Arena *arena, const char *folder, const char *wave, const char *vcd, Diag *d) {
    struct stat st;
    if (stat(wave, &st))
        return diag_fail(d, EXIT_USAGE, "--cycles: the kernel ends before this range begins");
    const char *argv[] = {"fst2vcd", "-f", wave, "-o", vcd, NULL};
    const char *log = arena_printf(arena, "%s/fst2vcd.log", folder);
    enum { SECONDS = 600 };
    const int status = tool_run(argv, log, SECONDS);
    if (status == 0) return true;
    if (!tool_ended(status, "(wave)", "fst2vcd", "gtkwave", SECONDS, d)) return false;
    return diag_fail(d, EXIT_ENVIRONMENT, "fst2vcd: %s", tool_last_words(arena, status, log, 4));
}

int synth_powers(const SynthSettings *s, Arena *arena, SynthReport *report) {
    Diag d = {0};
    SynthRow *row = &report->rows[0];
    if (row->status != EXIT_PASS) return EXIT_PASS;
    char *folder = tool_folder(arena, &d);
    const char *wave = arena_printf(arena, "%s/kernel.fst", folder),
               *vcd = arena_printf(arena, "%s/kernel.vcd", folder);
    const SynthRequest r = synth_request(s, arena, row->result.desc, row->result.params);
    const bool good = folder && run_kernel(s, arena, report, wave, &d) &&
        to_vcd(arena, folder, wave, vcd, &d) &&
        synth_power(&row->power, arena, &row->result, &r, vcd, &d);
    if (folder) tool_remove(folder);
    return good ? EXIT_PASS : cli_fail(&d);
}
