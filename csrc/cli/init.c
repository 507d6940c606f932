// SPDX-License-Identifier: Apache-2.0
// smcosim init: a launch file to edit.
#include "cli/cli.h"
#include "launch/launch.h"

static int command(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    int first;
    bool done;
    if (!cli_parse(&command_init, argc, argv, NULL, NULL, &first, &done, &d))
        return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first != 1) {
        diag_fail(&d, EXIT_USAGE, "init: expected one PTX file, found %d", argc - first);
        return cli_fail(&d);
    }
    const PtxModule *m = ptx_load(&arena, argv[first], &d);
    bool ok = m && launch_init(stdout, m, argv[first], &d);
    arena_free(&arena);
    return ok ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {{"smcosim init k.ptx >k.yaml", "then fill in grid, block and buffers"}, {0}};

const Command command_init = {
    .name = "init", .synopsis = "KERNEL.ptx", .operand = "FILE",
    .summary = "write a launch file to start from",
    .about = "Writes a launch file with every parameter of every entry to standard output.",
    .examples = examples, .run = command,
};
