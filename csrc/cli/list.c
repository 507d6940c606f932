// SPDX-License-Identifier: Apache-2.0
// smcosim list: machines, blocks, architectures, counters, kernels.
#include "cli/cli.h"
#include "cli/kernels.h"
#include "config/config.h"
#include "cosim/cosim.h"
#include "counters/counters.h"
#include "sm/parts/system.h"

#include <string.h>

static bool list_machines(Arena *arena, Diag *d) {
    (void)d;
    const char **names;
    int n = config_presets(arena, cli_data_dir(), &names);
    for (int i = 0; i < n; i++)
        printf("%-20s %s\n", names[i], config_description(arena, cli_data_dir(), names[i]));
    return true;
}

static bool list_blocks(Arena *arena, Diag *d) {
    (void)arena, (void)d;
    const BlockInfo *blocks;
    int n = cosim_block_list(&blocks);
    for (int i = 0; i < n; i++) printf("%-20s %-8s %s\n", blocks[i].name, blocks[i].family, blocks[i].what);
    return true;
}

static bool list_archs(Arena *arena, Diag *d) {
    (void)d;
    const ArchInfo *archs;
    int n = arch_list(arena, &archs);
    for (int i = 0; i < n; i++) printf("%-20s %s\n", archs[i].name, archs[i].what);
    return true;
}

static bool list_counters(Arena *arena, Diag *d) {
    (void)arena, (void)d;
    for (int i = 0; i < CTR_COUNT; i++)
        printf("%-6s %-26s %-18s %s\n", counter_info[i].group, counter_info[i].name, counter_info[i].unit,
               counter_info[i].meaning);
    return true;
}

static bool list_kernels(Arena *arena, Diag *d) {
    if (kernels_list(stdout, arena)) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s/kernels: no kernels there; build the project (target bench-data-small)",
                     cli_data_dir());
}

static int command(int argc, char **argv) {
    static const struct { const char *name; bool (*list)(Arena *, Diag *); } lists[] = {
        {"machines", list_machines}, {"blocks", list_blocks}, {"archs", list_archs},
        {"counters", list_counters}, {"kernels", list_kernels},
    };
    Diag d = {0};
    Arena arena = {0};
    int first;
    bool done;
    if (!cli_parse(&command_list, argc, argv, NULL, &first, &done, &d))
        return cli_fail(&d);
    if (done) return EXIT_PASS;
    for (int i = 0; argc - first == 1 && i < 5; i++) {
        if (strcmp(argv[first], lists[i].name)) continue;
        bool ok = lists[i].list(&arena, &d);
        arena_free(&arena);
        return ok ? EXIT_PASS : cli_fail(&d);
    }
    diag_fail(&d, EXIT_USAGE, "list: expected one of machines, blocks, archs, counters, kernels");
    return cli_fail(&d);
}

const Command command_list = {
    .name = "list", .synopsis = "machines|blocks|archs|counters|kernels",
    .operand = "machines|blocks|archs|counters|kernels",
    .summary = "list what there is to choose from",
    .about = "Lists what there is to choose from.",
    .run = command,
};
