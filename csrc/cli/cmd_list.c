// SPDX-License-Identifier: Apache-2.0
// smcosim list: machines, keys, blocks, seeded faults, architectures, counters, kernels.
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/keys_table.h"
#include "config/config.h"
#include "cosim/cosim.h"
#include "cosim/rtl.h"
#include "counters/counters.h"
#include "sm/parts/system.h"
#include "systems/systems.h"

#include <string.h>

typedef struct Choice {
    const char *prefix;  // of keys; a block
    bool all, sources, names;
} Choice;

static bool list_machines(Arena *arena, const Choice *c, Diag *d) {
    (void)c, (void)d;
    const char **names;
    int n = config_presets(arena, cli_data_dir(), &names);
    for (int i = 0; i < n; i++)
        printf("%-20s %s\n", names[i], config_description(arena, cli_data_dir(), names[i]));
    return true;
}

static bool list_config(Arena *arena, const Choice *c, Diag *d) {
    KeysTable t;
    int n = 0;
    if (!keys_load(&t, arena, cli_data_dir(), d)) return false;
    for (int i = 0; i < config_key_count(); i++) {
        if (strncmp(config_key_info(arena, i).name, c->prefix, strlen(c->prefix)) != 0) continue;
        keys_line(stdout, &t, i, !c->sources);
        if (c->sources) keys_sources(stdout, &t, i);
        n++;
    }
    const char *near = n ? NULL : config_key_near(c->prefix);
    return n ||
        diag_fail(d, EXIT_USAGE, "list config: no key begins with '%s'%s%s%s", c->prefix,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool list_blocks(Arena *arena, const Choice *c, Diag *d) {
    (void)arena, (void)c, (void)d;
    const BlockInfo *blocks;
    int n = cosim_block_list(&blocks);
    for (int i = 0; i < n; i++)
        printf("%-20s %-8s %s\n", blocks[i].name, blocks[i].family, blocks[i].what);
    return true;
}

static bool list_block_faults(Arena *arena, const BlockInfo *block, Diag *d) {
    const RtlFault *faults;
    int n;
    if (!rtl_fault_list(arena, cli_data_dir(), block->name, &faults, &n, d)) return false;
    for (int i = 0; i < n; i++)
        printf("%-24s %-20s %s\n", arena_printf(arena, "%s=%d", block->name, faults[i].number),
               faults[i].module, faults[i].words);
    return true;
}

static bool list_faults(Arena *arena, const Choice *c, Diag *d) {
    const BlockInfo *blocks;
    const int n = cosim_block_list(&blocks);
    const char **names = ARENA_ARRAY(arena, const char *, n);
    bool found = false;
    for (int i = 0; i < n; i++) {
        names[i] = blocks[i].name;
        if (*c->prefix && strcmp(c->prefix, blocks[i].name)) continue;
        found = true;
        if (!list_block_faults(arena, &blocks[i], d)) return false;
    }
    const char *near = found ? NULL : name_suggest(c->prefix, names, n);
    return found ||
        diag_fail(d, EXIT_USAGE, "list faults: no block '%s'%s%s%s", c->prefix,
                  near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : " (smcosim list blocks)");
}

static bool list_archs(Arena *arena, const Choice *c, Diag *d) {
    (void)d;
    const ArchInfo *archs;
    if (!c->all) {
        arch_print_groups(stdout);
        return true;
    }
    int n = arch_list(arena, &archs);
    for (int i = 0; i < n; i++) printf("%-20s %s\n", archs[i].name, archs[i].what);
    return true;
}

static bool list_counters(Arena *arena, const Choice *c, Diag *d) {
    (void)arena, (void)c, (void)d;
    for (int i = 0; i < CTR_COUNT; i++)
        printf("%-6s %-26s %-18s %s\n", counter_info[i].group, counter_info[i].name,
               counter_info[i].unit, counter_info[i].meaning);
    return true;
}

static bool list_kernels(Arena *arena, const Choice *c, Diag *d) {
    if (c->names ? kernels_print_names(stdout, arena) : kernels_list(stdout, arena)) return true;
    return diag_fail(d, EXIT_ENVIRONMENT,
                     "%s/kernels: no kernels found; build the project (target bench-data-small)",
                     cli_data_dir());
}

#define LISTS "machines, config, blocks, faults, archs, counters, kernels"

static const CliOption options[] = {
    {"all", NULL, "archs: print a line for each system and each combination", NULL, NULL,
     CLI_FLAG(Choice, all)},
    {"sources", NULL,
     "config: also print a line for each machine with another value, with its source",
     CLI_FLAG(Choice, sources)},
    {"names", NULL, "kernels: print only their names, for a command line", NULL, NULL,
     CLI_FLAG(Choice, names)},
};

static const struct List {
    const char *name;
    const char *operand;  // that may follow; NULL: none
    const char *option;   // that it takes; NULL: none
    bool (*print)(Arena *, const Choice *, Diag *);
} lists[] = {
    {"machines", NULL, NULL, list_machines},  {"config", "PREFIX", "sources", list_config},
    {"blocks", NULL, NULL, list_blocks},      {"faults", "BLOCK", NULL, list_faults},
    {"archs", NULL, "all", list_archs},       {"counters", NULL, NULL, list_counters},
    {"kernels", NULL, "names", list_kernels},
};
enum { NLISTS = sizeof lists / sizeof *lists };

// An option belongs to one list.
static bool check_option(const struct List *l, const char *option, bool given, Diag *d) {
    if (!given || (l->option && !strcmp(l->option, option))) return true;
    for (int i = 0; i < NLISTS; i++)
        if (lists[i].option && !strcmp(lists[i].option, option))
            return diag_fail(d, EXIT_USAGE, "list %s: --%s is for %s only", l->name, option,
                             lists[i].name);
    return false;
}

static bool print_list(Arena *arena, int n, char **names, Choice *c, Diag *d) {
    for (int i = 0; n > 0 && i < NLISTS; i++) {
        const struct List *l = &lists[i];
        if (strcmp(names[0], l->name) || n > 1 + (l->operand != NULL)) continue;
        c->prefix = n > 1 ? names[1] : "";
        return check_option(l, "all", c->all, d) && check_option(l, "sources", c->sources, d) &&
            check_option(l, "names", c->names, d) && l->print(arena, c, d);
    }
    return diag_fail(d, EXIT_USAGE, "list: expected one of " LISTS);
}

static int run_list(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    Choice c = {0};
    int first;
    bool done;
    if (!cli_parse(&command_list, argc, argv, &c, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    const bool ok = print_list(&arena, argc - first, argv + first, &c, &d);
    arena_free(&arena);
    return ok ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim list config rf.",
     "print the keys of the register file: default, range, meaning, and presets with other values"},
    {"smcosim list config rf.banks --sources",
     "print one key: the value of each machine, and its source"},
    {"smcosim list faults banked_rf",
     "print the seeded faults of a block (--testbug), and the ports that expose them"},
    {"smcosim list archs --all", "print systems and all combinations for --arch"},
    {0},
};

const Command command_list = {
    .name = "list",
    .synopsis = "machines|config [PREFIX] [--sources]|blocks|faults [BLOCK]|archs [--all]|counters|"
                "kernels [--names]",
    .operand = "machines|config|blocks|faults|archs|counters|kernels",
    .summary = "list machines, keys, blocks, architectures, counters or kernels",
    .about = "Lists machines, keys, blocks, seeded faults, architectures, counters or kernels. "
             "`config` lists the\nkeys of a machine (--set, machine files) that begin with PREFIX. "
             "`archs` lists the systems, grouped\nby the systems with which they combine.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_list,
};
