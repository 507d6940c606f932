// SPDX-License-Identifier: Apache-2.0
// smcosim compile: the compiler's stages as text, registers per thread.
#include "base/output.h"
#include "cli/cli.h"
#include "device/device_runtime.h"
#include "session/session.h"
#include "systems/systems.h"

#include <stdlib.h>
#include <string.h>

typedef struct CompileArgs {
    CompileDump dump;
    const char *kernel, *machine, *output;
    const char *sets[64];
    int nsets;
    uint64_t max_regs;
    Arch arch;
    uint32_t block[3];
} CompileArgs;

static bool set_arch(void *settings, const char *value, Diag *d) {
    return arch_parse(value, &((CompileArgs *)settings)->arch, d);
}

static bool set_block(void *settings, const char *value, Diag *d) {
    return cli_sizes("block", value, ((CompileArgs *)settings)->block, d);
}

static const CliOption options[] = {
    {"dump", "ptx|ir|regs|hints|dot|scalar", "print the text of a stage on standard output", NULL,
     "Output", CLI_WORD(CompileArgs, dump, DUMP_PTX)},
    {"output", "FILE", "write the dump to FILE", CLI_TEXT(CompileArgs, output)},
    {"kernel", "NAME", "compile only this entry (default: every entry)", NULL, "Compiling",
     CLI_TEXT(CompileArgs, kernel)},
    {"max-regs", "N", "registers per thread, 16..63 (default: the machine's)",
     CLI_NUMBER(CompileArgs, max_regs, 16, ISA_MAX_REGS)},
    {"arch", "ARCH", "architecture for which the program carries hints", "baseline", "Machine",
     CLI_CALL(set_arch)},
    {"block", "X[,Y[,Z]]",
     "threads of a CTA, if the program depends on them (default: compiler.threads)",
     CLI_CALL(set_block)},
    {"machine", "MACHINE|FILE", "machine preset whose latencies the scheduler uses", "fermi",
     CLI_TEXT(CompileArgs, machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(CompileArgs, sets, nsets, 64)},
};

static bool compile_entry(Arena *arena, const PtxModule *m, const PtxFunc *entry,
                          const ModuleLayout *layout, const CompileArgs *a,
                          const MachineConfig *cfg, FILE *out, Diag *d) {
    SharedLayout shared = {0};
    CompileOptions o = session_compile_options(&a->arch, cfg);
    if (a->max_regs) o.max_regs = (int)a->max_regs;
    o.threads = cfg->compiler_threads;
    o.dynamic_shared = (uint64_t)cfg->compiler_shared;
    if (cfg->compiler_threads) {
        o.block[0] = (uint32_t)cfg->compiler_threads;
        o.block[1] = o.block[2] = 1;
    }
    if (a->block[0]) {
        memcpy(o.block, a->block, sizeof o.block);
        o.threads = (int)(a->block[0] * a->block[1] * a->block[2]);
    }
    if (a->dump == DUMP_SCALAR && !o.scalar) o.scalar = session_scalar(cfg);
    o.dump = a->dump;
    o.dump_to = out;
    if (!layout_shared(&shared, arena, m, entry, d)) return false;
    const IsaProgram *p = compile_kernel(arena, m, entry, layout, &shared, &o, d);
    if (!p) return false;
    if (a->dump == DUMP_NONE)
        printf("%-40s %4d %6d %8lld %8lld %5d:%-5d %8lld\n", p->name, p->home_regs, p->ninsts,
               (long long)p->local_bytes, (long long)p->spill_bytes, p->spill_stores,
               p->spill_loads, (long long)p->shared_bytes);
    return true;
}

// Prints a rejected entry with its reason. *n counts rejected entries for the exit status.
static void print_refusal(const PtxFunc *f, const Diag *why, int *n) {
    (*n)++;
    const char *end = strchr(why->text, '\n');
    printf("%-40s refused: %.*s\n", f->name,
           (int)(end ? end - why->text : (ptrdiff_t)strlen(why->text)), why->text);
}

// A module of functions only is legal. Each function that has a body is checked as far as it calls,
// and listed.
static bool list_functions(const PtxModule *m, Diag *d) {
    int n = 0;
    for (int i = 0; i < m->nfuncs; i++) {
        const PtxFunc *f = &m->funcs[i];
        if (f->is_prototype_only) continue;
        if (!ptx_callable(m, f, d)) return false;
        printf("%-40s function, compiled into the kernels that call it\n", f->name);
        n++;
    }
    printf("%s: no kernel entry, %d function%s\n", m->src.path, n, n == 1 ? "" : "s");
    return true;
}

// The module with bodies for the functions of CUDA's device runtime that it calls, as in `exec`.
static const PtxModule *load_module(Arena *arena, const char *path, DeviceMemory *memory, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return NULL;
    uint32_t queue = 0;
    const char *whole = device_runtime_bodies(arena, memory, path, text, &queue, d);
    if (!whole) return NULL;
    return ptx_parse(arena, path, whole, whole == text ? n : strlen(whole), d);
}

static bool has_line(const char *lines, const char *line) {
    const size_t n = strlen(line);
    for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
        if (!strncmp(lines, line, n) && lines[n] == '\n') return true;
    return false;
}

static bool compile_file(const char *path, const CompileArgs *a, Arena *arena, FILE *out, Diag *d) {
    MachineConfig cfg;
    DeviceMemory memory;
    ModuleLayout layout = {0};
    if (!config_load(&cfg, arena, cli_data_dir(), a->machine, d)) return false;
    for (int i = 0; i < a->nsets; i++)
        if (!config_set(&cfg, a->sets[i], d)) return false;
    if (!config_check(&cfg, d)) return false;
    if (!device_open(&memory, arena, d)) return false;
    const PtxModule *m = load_module(arena, path, &memory, d);
    if (!m) return device_close(&memory), false;
    if (a->dump == DUMP_PTX) {  // one text for the whole module
        const bool found = !a->kernel || ptx_entry(m, a->kernel, d);
        if (found) ptx_print(out, m);
        device_close(&memory);
        return found;
    }
    bool ok = layout_module(&layout, arena, m, &memory, d);
    if (ok && a->dump == DUMP_NONE)
        printf("%-40s %4s %6s %8s %8s %11s %8s\n", "kernel", "regs", "insts", "local B", "spill B",
               "st:ld", "shared B");
    int matched = 0, nrefused = 0;
    const char *reasons = "";
    const PtxFunc *only = ok && a->kernel ? ptx_entry(m, a->kernel, d) : NULL;
    if (a->kernel && !only) ok = false;
    for (int i = 0; ok && i < m->nfuncs; i++) {
        const PtxFunc *f = &m->funcs[i];
        if (!f->is_entry || f->is_prototype_only || (only && f != only)) continue;
        Diag why = {0};
        matched++;
        const bool good =
            ptx_entry(m, f->name, &why) && compile_entry(arena, m, f, &layout, a, &cfg, out, &why);
        if (good) continue;
        if (only || a->dump != DUMP_NONE) ok = false, *d = why;
        else {
            print_refusal(f, &why, &nrefused);
            if (!has_line(reasons, why.text))
                reasons = arena_printf(arena, "%s%s\n", reasons, why.text);
        }
    }
    device_close(&memory);
    if (nrefused) {
        fflush(stdout);
        fputs(reasons, stderr);
        return diag_fail(d, EXIT_USAGE, "%s: %d of %d entries are refused", path, nrefused,
                         matched);
    }
    if (!ok || matched) return ok;
    if (a->dump != DUMP_NONE)
        return diag_fail(d, EXIT_USAGE, "%s: no kernel entry in this file to dump", path);
    return list_functions(m, d);
}

static int run_compile(int argc, char **argv) {
    CompileArgs a = {0};
    Diag d = {0};
    Arena arena = {0};
    int first;
    bool done;
    if (!cli_parse(&command_compile, argc, argv, &a, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first != 1) {
        diag_fail(&d, EXIT_USAGE, "compile: expected one PTX file, found %d", argc - first);
        return cli_fail(&d);
    }
    char *text = NULL;  // the file is opened when its text is complete
    size_t n;
    if (a.output && !output_probe(a.output, &d)) return cli_fail(&d);
    FILE *out = a.output ? open_memstream(&text, &n) : stdout;
    panic_if(!out, "out of memory");
    cli_catch_signals();
    cli_loading(true);
    bool ok = compile_file(argv[first], &a, &arena, out, &d);
    cli_loading(false);
    if (out != stdout) {
        fclose(out);
        ok = ok && output_text(a.output, text, n, &d);
        free(text);
    }
    arena_free(&arena);
    return ok ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim compile k.ptx", "print registers, instructions and spills of every entry"},
    {"smcosim compile k.ptx --kernel sgemm --dump regs",
     "print the instructions of one entry, with registers"},
    {0},
};

const Command command_compile = {.name = "compile",
                                 .synopsis = "KERNEL.ptx [options]",
                                 .operand = "FILE",
                                 .summary = "show the compiled form of a kernel",
                                 .about =
                                     "Compiles every entry of a PTX file and shows the result.",
                                 CLI_OPTIONS(options),
                                 .examples = examples,
                                 .run = run_compile};
