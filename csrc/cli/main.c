// SPDX-License-Identifier: Apache-2.0
// smcosim: command table and dispatch.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const Command commands[] = {
    {"run", "LAUNCH... [options]", "run kernels on one SM and check blocks and results", cmd_run},
    {"compare", "LAUNCH... --arch A,B,.. [options]", "architectures side by side, ratios to the first", cmd_compare},
    {"replay", "BUNDLE [options]", "meet a mismatch again, shrink it, open its wave", cmd_replay},
    {"compile", "KERNEL.ptx [options]", "show what the compiler makes of a kernel", cmd_compile},
    {"verify", "[BLOCK...] [options]", "blocks alone under random transactions, RTL against golden model", cmd_verify},
    {"synth", "[BLOCK...] [options]", "area and timing of blocks, from the RTL that is verified", cmd_synth},
    {"init", "KERNEL.ptx", "write a launch file to start from", cmd_init},
    {"list", "machines|blocks|archs|counters|kernels", "what there is to choose from", cmd_list},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out) {
    fprintf(out, "Usage: smcosim COMMAND [options]\n\n"
                 "Runs PTX kernels on one streaming multiprocessor whose register-file blocks are Verilog,\n"
                 "checked cycle by cycle against C golden models.\n\nCommands:\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\nsmcosim COMMAND --help describes a command.\n\n"
                 "Exit status: 0 pass, 1 mismatch, 2 bad usage or input, 3 wrong kernel result, 4 hang or\n"
                 "cycle limit, 5 vacuous, 6 nondeterministic, 7 environment, 130 interrupted.\n");
}

// Output that could not be written (full disk, closed pipe) is a failure even when the run passed.
static int finish(int status) {
    bool lost = ferror(stdout) != 0;
    if (fclose(stdout) != 0) lost = true;
    if (lost && status == EXIT_PASS) {
        fprintf(stderr, "smcosim: standard output could not be written\n");
        return EXIT_ENVIRONMENT;
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help(stdout);
        return finish(EXIT_PASS);
    }
    if (!strcmp(name, "--version")) {
        printf("smcosim %s\n", SMCOSIM_VERSION);
        return finish(EXIT_PASS);
    }
    const char *names[NCOMMANDS];
    for (int i = 0; i < NCOMMANDS; i++) {
        names[i] = commands[i].name;
        if (!strcmp(name, commands[i].name)) return finish(commands[i].run(argc - 1, argv + 1));
    }
    const char *near = suggest(name, names, NCOMMANDS);
    fprintf(stderr, "smcosim: unknown command '%s'%s%s%s\n", name, near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "; see smcosim --help");
    return EXIT_USAGE;
}
