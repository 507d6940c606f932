// SPDX-License-Identifier: Apache-2.0
#include "tests/sm/seeded_run.h"

#include "session/session.h"
#include "systems/systems.h"

ExitStatus seeded_run(const SeededRun *r, const char *source, Arena *arena, Diag *d) {
    const System *list[1] = {r->system};
    Arch arch;
    MachineConfig cfg;
    LaunchReport report;
    if (!arch_of(&arch, list, 1, d)) return d->status;
    SessionOptions o = {.arch = arch,
                        .machine = r->machine,
                        .blocks = "model",
                        .check_retire = r->retire,
                        .check_oracle = r->oracle,
                        .data_dir = arena_printf(arena, "%s/csrc/config", source),
                        .cache_dir = "",
                        .command_line = ""};
    for (int i = 0; i < SEEDED_SETS; i++)
        if (r->sets[i]) o.sets[o.nsets++] = r->sets[i];
    const bool ok = session_config(&cfg, arena, &o, d) && session_check(arena, &cfg, &o, d) &&
        session_run(&report, arena, r->launch, &cfg, &o, d);
    return ok ? report.status : d->status;
}
