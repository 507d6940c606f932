// SPDX-License-Identifier: Apache-2.0
// smcosim verify --mutate: campaigns, table, survivors.
#include "cli/cmd_mutate.h"

#include "base/output.h"
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

static int write_json(const char *path, const MutateResult *r, int n, const MutateOptions *o) {
    const bool to_stdout = !strcmp(path, "-");
    Diag d = {0};
    Arena arena = {0};
    Output out;
    FILE *f = to_stdout ? stdout : output_open(&out, &arena, path, &d);
    bool good = f && mutate_json(f, r, n, o);
    if (f && !to_stdout) good = output_close(&out, f, good, &d);
    else if (f && !good)
        diag_fail(&d, EXIT_ENVIRONMENT, "standard output: JSON could not be written");
    arena_free(&arena);
    return good ? EXIT_PASS : cli_fail(&d);
}

int cli_mutate(Arena *arena, const MutateOptions *o, int nblocks, const char *json) {
    MutateResult *r = ARENA_ARRAY(arena, MutateResult, nblocks);
    const bool table = !json || strcmp(json, "-") != 0;
    int status = EXIT_PASS, done = 0;
    for (int i = 0; i < nblocks && !cli_stop; i++) {
        Diag d = {0};
        const bool ok = mutate_block(arena, &o[i], &r[done], &d);
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        if (!ok && status == EXIT_PASS) status = d.status;
        if (!ok) {
            cli_fail(&d);
            continue;
        }
        if (table) {
            mutate_table(stdout, &r[done], 1);
            mutate_survivors(stdout, &r[done]);
            fflush(stdout);
        }
        done++;
    }
    if (table && done > 1) {
        fputs("\n", stdout);
        mutate_table(stdout, r, done);
    }
    if (table && done) {
        fputs("\n", stdout);
        mutate_killers(stdout, r, done);
    }
    if (cli_stop && status == EXIT_PASS) status = EXIT_INTERRUPTED;
    const int wrote = json ? write_json(json, r, done, &o[0]) : EXIT_PASS;
    return status == EXIT_PASS ? wrote : status;
}
