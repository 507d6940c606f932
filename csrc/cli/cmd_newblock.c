// SPDX-License-Identifier: Apache-2.0
// smcosim new-block: the files of a block to start from.
#include "cli/cli.h"
#include "export/newblock.h"

typedef struct Settings {
    const char *family, *source;
} Settings;

static const CliOption options[] = {
    {"family", "F", "family of the block: a folder in models/ and rtl/, made if it does not exist",
     NULL, "The block", CLI_TEXT(Settings, family)},
    {"source", "DIR", "top folder of the sources", ".", NULL, CLI_TEXT(Settings, source)},
};

static int run_newblock(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    Settings s = {0};
    const char *files[NEWBLOCK_FILES + 1];
    int first;
    bool done;
    if (!cli_parse(&command_new_block, argc, argv, &s, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first != 1)
        diag_fail(&d, EXIT_USAGE, "new-block: expected one name, found %d", argc - first);
    else if (!s.family)
        diag_fail(&d, EXIT_USAGE, "new-block: --family F is missing: rf, collect, .. or a new one");
    else if (newblock_write(&arena, arena_printf(&arena, "%s/export/block", cli_data_dir()),
                            s.source, argv[first], s.family, files, &d))
        for (int i = 0; files[i]; i++) printf("%s\n", files[i]);
    if (diag_ok(&d)) printf("next: build, then: smcosim verify %s\n", argv[first]);
    arena_free(&arena);
    return diag_ok(&d) ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim new-block my_queue --family collect",
     "run in the top folder of the sources; then run ci/build and smcosim verify my_queue"},
    {0},
};

const Command command_new_block = {
    .name = "new-block",
    .synopsis = "NAME --family F [options]",
    .operand = "NAME",
    .summary = "write contract, model, stimuli, RTL and test of a new block",
    .about =
        "Writes all files of a block into a tree of sources: contract, golden model, names of its "
        "state, stimuli, Verilog with seeded faults and a proof, a first test, and its rows in "
        "csrc/cosim/blocks.h and rtl/FAMILIES.md. The new block is a register per port and passes "
        "verification. Replace the register by the block's function. No file is overwritten.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_newblock,
};
