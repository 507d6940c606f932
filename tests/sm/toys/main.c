// SPDX-License-Identifier: Apache-2.0
// Runs kernels on architectures with toy systems: each toy alone, then all of them, beside baseline
// and corf++:rfv. Results are those of the oracle, every instruction is checked as it retires, and
// each toy was there.
// Usage: toys SOURCE BENCH_DATA
#include "session/session.h"
#include "systems/systems.h"
#include "toys.h"

#include <stdio.h>

static const Toy *const toys[] = {
    &toy_admission, &toy_board,   &toy_clocked, &toy_codec,    &toy_fair,   &toy_gate,
    &toy_halves,    &toy_hazards, &toy_late,    &toy_listener, &toy_load,   &toy_path,
    &toy_places,    &toy_regions, &toy_sched,   &toy_source,   &toy_stream, &toy_units};
enum { TOYS = sizeof toys / sizeof *toys };

static const char *const beside[] = {"baseline", "corf++:rfv"};
static const char *const kernels[] = {"saxpy", "reduction", "bfs", "spmv"};
enum { BESIDE = sizeof beside / sizeof *beside, KERNELS = sizeof kernels / sizeof *kernels };

static int failed, runs;

static void fail(const Arch *a, const char *kernel, const char *what) {
    printf("FAILED: %s on %s: %s\n", kernel, a->name, what);
    failed++;
}

static bool run(LaunchReport *report, Arena *arena, const char *source, const char *path,
                const Arch *arch, MachineConfig *cfg) {
    Diag d = {0};
    SessionOptions o = {.arch = *arch,
                        .machine = "fermi",
                        .blocks = "model",
                        .check_retire = true,
                        .check_oracle = true,
                        .data_dir = arena_printf(arena, "%s/csrc/config", source),
                        .cache_dir = "",
                        .command_line = "",
                        .sets = {"regmutex.es=4"},
                        .nsets = 1};
    runs++;
    if (session_config(cfg, arena, &o, &d) && session_check(arena, cfg, &o, &d) &&
        session_run(report, arena, path, cfg, &o, &d))
        return true;
    fail(arch, path, d.text);
    return false;
}

// Some toys, beside systems of the project. baseline combines with nothing, because toys alone run
// on it.
static bool together(Arch *a, const char *name, const Toy *const *list, int n) {
    const System *systems[ARCH_MAX_SYSTEMS];
    Arch real;
    Diag d = {0};
    int all = 0;
    if (!arch_parse(name, &real, &d)) return false;
    for (int i = 0; strcmp(name, "baseline") && i < real.n; i++) systems[all++] = real.systems[i];
    for (int i = 0; i < n; i++) systems[all++] = list[i]->system;
    if (arch_of(a, systems, all, &d)) return true;
    printf("FAILED: %s\n", d.text);
    failed++;
    return false;
}

static void try(const char *source, const char *data, const char *kernel, const char *name,
                const Toy *const *list, int n) {
    Arena arena = {0};
    Arch real, toyed;
    Diag d = {0};
    MachineConfig cfg;
    LaunchReport without, with;
    const char *path = arena_printf(&arena, "%s/%s/small/launch.yaml", data, kernel);
    if (together(&toyed, name, list, n) && arch_parse(name, &real, &d) &&
        run(&without, &arena, source, path, &real, &cfg) &&
        run(&with, &arena, source, path, &toyed, &cfg)) {
        const ToyRun both = {&without, &with, &cfg, strcmp(name, "baseline") != 0};
        for (int i = 0; i < n; i++) {
            const char *expected = list[i]->seen(&both, n == 1);
            if (!expected) continue;
            fail(&toyed, kernel,
                 arena_printf(&arena, "%s: expected %s", list[i]->system->name, expected));
        }
    }
    arena_free(&arena);
}

// There is one operand path, and only baseline's asks another system for places.
static bool goes_with(const Toy *t, const char *name, bool with_path) {
    if (t->system->path || t->system->places)
        return !strcmp(name, "baseline") && with_path == (t->system->path != NULL);
    return true;
}

static void try_all(const char *source, const char *data, const char *kernel, const char *name,
                    bool with_path) {
    const Toy *list[TOYS];
    int n = 0;
    for (int t = 0; t < TOYS; t++)
        if (goes_with(toys[t], name, with_path)) list[n++] = toys[t];
    try(source, data, kernel, name, list, n);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    for (int k = 0; k < KERNELS; k++)
        for (int b = 0; b < BESIDE; b++) {
            for (int t = 0; t < TOYS; t++)
                if (goes_with(toys[t], beside[b], toys[t]->system->path != NULL))
                    try(argv[1], argv[2], kernels[k], beside[b], &toys[t], 1);
            try_all(argv[1], argv[2], kernels[k], beside[b], false);
            if (!strcmp(beside[b], "baseline"))
                try_all(argv[1], argv[2], kernels[k], beside[b], true);
        }
    printf("toys: %d toys, %d runs, %d failed\n", TOYS, runs, failed);
    return failed || !runs;
}
