// SPDX-License-Identifier: Apache-2.0
// smcosim profile: a run whose report is by instruction.
#include "cli/cli.h"
#include "cli/cmd_run.h"

#undef RUN_BLOCKS
#define RUN_BLOCKS "model"

static const CliOption options[] = {
    {"html", "FILE", "write the source beside bars, rates and roofs as one self-contained page",
     NULL, "Profile", CLI_TEXT(RunArgs, html)},
#include "cli/run_options.def"
    {"threads", "N|auto", "threads of the simulation, as in smcosim run", "auto", "Speed",
     CLI_CALL(run_set_threads)},
};

static int run_profile(int argc, char **argv) {
    return run_command(&command_profile, &(RunArgs){.profiles = true}, argc, argv);
}

static const CliExample examples[] = {
    {"smcosim profile sgemm", "count the cycles of a kernel by PTX line"},
    {"smcosim profile my.yaml --arch bow-wr --machine pascal --html profile.html",
     "another system, as a page"},
    {0},
};

const Command command_profile = {
    .name = "profile",
    .synopsis = "LAUNCH|KERNEL... [options]",
    .operand = "LAUNCH|KERNEL",
    .summary = "find the most expensive lines of a kernel, and the reasons",
    .about = "Runs kernels as smcosim run does, on golden models by default. Counts by "
             "instruction: issue, stalls\nwith their reason, operands, bank conflicts, lines of "
             "memory. CUDA lines are shown if the PTX\nhas .loc (nvcc -lineinfo).",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_profile,
};
