// SPDX-License-Identifier: Apache-2.0
#include "session/spread.h"

#include <string.h>

bool session_perturbed(LaunchReport *report, Arena *arena, const char *path,
                       const MachineConfig *cfg, const SessionOptions *options, int number,
                       Diag *d) {
    MachineConfig *own = ARENA_NEW(arena, MachineConfig);
    SessionOptions o = *options;
    *own = *cfg;
    own->perturb_run += number;
    o.blocks = "model";
    o.wave = o.trace = o.pipe = o.json = o.testbug = o.fault = NULL;
    memset(o.rtl, 0, sizeof o.rtl);
    o.nrtl = o.lockstep_sm = 0;
    o.by_line = false;
    o.allow_idle = true;
    o.verdict = NULL;
    return session_run(report, arena, path, own, &o, d);
}

bool session_spread(LaunchReport *report, Arena *arena, const MachineConfig *cfg,
                    const SessionOptions *o, int runs, Diag *d) {
    report->spread = ARENA_ARRAY(arena, Counters, runs);
    report->spread[report->nspread++] = report->counters;
    while (report->nspread < runs) {
        LaunchReport one;
        const int number = report->nspread;
        if (session_perturbed(&one, arena, report->path, cfg, o, number, d)) {
            report->spread[report->nspread++] = one.counters;
            continue;
        }
        report->status = d->status;
        report->verdict = one.verdict;
        report->message = arena_printf(arena, "perturbed run (perturb.run=%d): %s",
                                       cfg->perturb_run + number, one.message);
        return false;
    }
    return true;
}
