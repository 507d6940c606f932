// SPDX-License-Identifier: Apache-2.0
// smcosim export: bindings of a block's golden model for other test benches.
#include "base/plain.h"
#include "cli/block_list.h"
#include "cli/cli.h"
#include "export/export.h"

#include <string.h>
#include <unistd.h>

enum { MAX_LIST = 32 };

typedef struct Settings {
    const char *machine, *out;
    const char *sets[MAX_LIST], *params[MAX_LIST];
    int nsets, nparams;
    bool dpi, cocotb;
} Settings;

static const CliOption options[] = {
    {"dpi", NULL,
     "write SystemVerilog: package with DPI-C imports and structs, checker, test bench", NULL,
     "What is written", CLI_FLAG(Settings, dpi)},
    {"cocotb", NULL, "write Python: model and checker over ctypes, coroutine for cocotb",
     CLI_FLAG(Settings, cocotb)},
    {"out", "DIR", "where the files go", ".", NULL, CLI_TEXT(Settings, out)},
    {"machine", "PRESET|FILE", "machine that defines the block's shape", "fermi", "Shape",
     CLI_TEXT(Settings, machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(Settings, sets, nsets, MAX_LIST)},
    {"param", "NAME=VALUE", "override a parameter of the block itself (may be repeated)",
     CLI_LIST(Settings, params, nparams, MAX_LIST)},
};

static bool read_shape(Arena *arena, const Settings *s, const BlockDesc *desc, int *params,
                       Diag *d) {
    MachineConfig cfg;
    if (!config_load(&cfg, arena, cli_data_dir(), s->machine, d)) return false;
    for (int i = 0; i < s->nsets; i++)
        if (!config_set(&cfg, s->sets[i], d)) return false;
    if (!config_check(&cfg, d) || !block_params_from_config(desc, &cfg, params, d)) return false;
    for (int i = 0; i < s->nparams; i++)
        if (!cli_block_param(desc, s->params[i], params, d)) return false;
    return true;
}

// The shared library beside the program, in the build tree or an installation.
static const char *find_library(Arena *arena) {
    static const char *const places[] = {"..", "../../lib", "../../" SMCOSIM_LIBDIR};
    for (int i = 0; i < 3; i++) {
        const char *dir = arena_printf(arena, "%s/%s", cli_data_dir(), places[i]);
        if (access(arena_printf(arena, "%s/libsmcosim_golden.so", dir), R_OK) == 0) return dir;
    }
    return "DIR-OF-LIBRARY";
}

static bool export_block(Arena *arena, const Settings *s, const ExportBlock *b, Diag *d) {
    const char *files[EXPORT_FILES];
    if (s->dpi && !export_systemverilog(arena, b, s->out, files, d)) return false;
    for (int i = 0; s->dpi && files[i]; i++) printf("%s\n", files[i]);
    if (s->cocotb && !export_python(arena, b, s->out, files, d)) return false;
    for (int i = 0; s->cocotb && files[i]; i++) printf("%s\n", files[i]);
    printf("library: %s/libsmcosim_golden.so\n", find_library(arena));
    return true;
}

static int run_export(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    Settings s = {0};
    int first, params[BLOCK_MAX_PARAMS];
    bool done;
    const char *line = plain_text(&arena, cli_command_line(&arena, argc, argv));
    if (!cli_parse(&command_export, argc, argv, &s, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    ExportBlock b = {.params = params, .data_dir = cli_data_dir(), .command = line};
    if (argc - first != 1)
        diag_fail(&d, EXIT_USAGE, "export: expected one block, found %d", argc - first);
    else if (!s.dpi && !s.cocotb)
        diag_fail(&d, EXIT_USAGE, "export: expected a kind of binding: --dpi, --cocotb");
    else if ((b.desc = cli_block("export", argv[first], strlen(argv[first]), &d)) &&
             read_shape(&arena, &s, b.desc, params, &d))
        export_block(&arena, &s, &b, &d);
    arena_free(&arena);
    return diag_ok(&d) ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim export banked_rf --dpi --out tb",
     "write package, checker and test bench for the shape of machine fermi"},
    {"smcosim export width_detect --cocotb --param NumPorts=3",
     "write width_detect_golden.py into this folder"},
    {0},
};

const Command command_export = {
    .name = "export",
    .synopsis = "BLOCK --dpi|--cocotb [options]",
    .operand = "BLOCK",
    .summary = "export a block's golden model and checker for other test benches",
    .about = "Writes bindings of a block's golden model (libsmcosim_golden.so). --dpi writes a "
             "SystemVerilog package with DPI-C imports, a checker that binds to any module with "
             "the block's ports, and a test bench. --cocotb writes a Python module. The bindings "
             "are generated from the block's port table for one shape.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_export,
};
