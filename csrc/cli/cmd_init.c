// SPDX-License-Identifier: Apache-2.0
// smcosim init: a launch file to edit.
#include "cli/cli.h"
#include "launch/launch.h"

static bool set_grid(void *settings, const char *value, Diag *d) {
    return cli_sizes("grid", value, ((LaunchInit *)settings)->grid, d);
}

static bool set_block(void *settings, const char *value, Diag *d) {
    return cli_sizes("block", value, ((LaunchInit *)settings)->block, d);
}

static const CliOption options[] = {
    {"grid", "X[,Y[,Z]]", "CTAs of the launch", "1", "Sizes", CLI_CALL(set_grid)},
    {"block", "X[,Y[,Z]]",
     "threads of a CTA (default: the number that the kernel requires or permits, otherwise 32)",
     CLI_CALL(set_block)},
};

static int run_init(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    LaunchInit o = {0};
    int first;
    bool done;
    if (!cli_parse(&command_init, argc, argv, &o, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first != 1) {
        diag_fail(&d, EXIT_USAGE, "init: expected one PTX file, found %d", argc - first);
        return cli_fail(&d);
    }
    const PtxModule *m = ptx_load(&arena, argv[first], &d);
    bool ok = m && launch_init(stdout, m, argv[first], &o, &d);
    arena_free(&arena);
    return ok ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim init k.ptx --grid 4,3 --block 16,16 >k.yaml",
     "write a template; then fill in buffers and values"},
    {0},
};

const Command command_init = {
    .name = "init",
    .synopsis = "KERNEL.ptx [options]",
    .operand = "FILE",
    .summary = "write a template of a launch file",
    .about = "Writes a launch file with every parameter of every entry to standard output.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_init};
