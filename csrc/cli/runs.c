// SPDX-License-Identifier: Apache-2.0
#include "cli/runs.h"

#include "base/console.h"
#include "cli/cli.h"
#include "proc/clock.h"

#include <string.h>

bool runs_open(Results *r, Arena *arena, const char *dir, Diag *d) {
    const char *program = cli_program(arena, d);
    if (!dir) dir = arena_printf(arena, "%s/results", cli_cache_dir(arena));
    return program && results_open(r, dir, program, cli_data_dir(), d);
}

static void progress(int at, int of, const char *command) {
    console_progress("%d of %d: %.160s", at, of, command);
}

static void failed(const char *command, int status, const char *text) {
    console_progress(NULL);
    const size_t n = strlen(text);
    fprintf(stderr, "smcosim: exit status %d of: %s\n%s%s", status, command, text,
            n && text[n - 1] != '\n' ? "\n" : "");
}

bool runs_make(const Results *r, const ResultCommand *commands, int n, int jobs, Diag *d) {
    const double since = clock_seconds();
    int ran = 0;
    const ResultsRun run = {
        .jobs = jobs, .stop = &cli_stop, .progress = progress, .failed = failed};
    const bool ok = results_run(r, commands, n, &run, &ran, d);
    console_progress(NULL);
    cli_took(since, ran, "run");
    return ok;
}
