// SPDX-License-Identifier: Apache-2.0
// Runs launch files through compiler and the test interpreter of machine programs, and through the
// oracle on the PTX. Both must leave the same memory and the expected results. With --split,
// registers are split (RegMutex). With a window, they are named as for collectors of half size that
// keep values. With --scalar, a scalar thread runs beside the warps of each CTA where the paradigm
// applies. Option --set is for the machine's keys, as the CLI's.
// run_launch [--regs N] [--addr-bits N] [--split |Es| [--want-sections]] [--window PLACES]
//            [--scalar none|prefetch|divergence|extract|auto [--want-thread]] [--set KEY=VALUE]... LAUNCH...
#include "compile/compile.h"
#include "launch/launch.h"
#include "machine.h"
#include "oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

typedef struct Program {
    const PtxFunc *entry;
    LaunchStep shape;
    const IsaProgram *isa;
    ModuleLayout layout;
    SharedLayout shared;
    const PtxModule *module;
} Program;

typedef struct Context {
    Arena *arena;
    Launch *launch;
    DeviceMemory memory, other;
    Program programs[256];
    int nprograms;
    int max_regs, window;
    bool no_oracle;
    int nsplit;  // kernels whose registers are split
    uint64_t sections;
    CompileScalar scalar;
    int nthreads;  // programs with a scalar thread
    uint64_t thread_insts;
    MachineConfig cfg;
    struct {
        const char *path;
        const PtxModule *module;
        ModuleLayout layout;
    } modules[8];
    int nmodules;
} Context;

// Programs with a scalar thread are for one shape of a launch.
static bool same_shape(const Context *c, const LaunchStep *a, const LaunchStep *b) {
    return !c->scalar ||
        (!memcmp(a->block, b->block, sizeof a->block) &&
         !memcmp(a->grid, b->grid, sizeof a->grid) && a->shared_bytes == b->shared_bytes);
}

static Program *program(Context *c, const LaunchStep *s, Diag *d) {
    for (int i = 0; i < c->nprograms; i++)
        if (!strcmp(c->programs[i].entry->name, s->kernel) &&
            same_shape(c, s, &c->programs[i].shape))
            return &c->programs[i];
    int m = 0;
    while (m < c->nmodules && strcmp(c->modules[m].path, s->ptx)) m++;
    if (m == c->nmodules) {
        c->modules[m].path = s->ptx;
        c->modules[m].module = ptx_load(c->arena, s->ptx, d);
        if (!c->modules[m].module) return NULL;
        if (!layout_module(&c->modules[m].layout, c->arena, c->modules[m].module, &c->memory, d))
            return NULL;
        c->nmodules++;
    }
    if (c->nprograms == (int)(sizeof c->programs / sizeof *c->programs)) {
        diag_fail(d, EXIT_USAGE, "too many kernels and shapes");
        return NULL;
    }
    Program *p = &c->programs[c->nprograms++];
    p->shape = *s;
    p->module = c->modules[m].module;
    p->layout = c->modules[m].layout;
    p->entry = ptx_entry(p->module, s->kernel, d);
    if (!p->entry || !layout_shared(&p->shared, c->arena, p->module, p->entry, d)) return NULL;
    CompileOptions o = {.max_regs = c->max_regs,
                        .cfg = &c->cfg,
                        .regions = c->cfg.regmutex_es != 0,
                        .threads = (int)(s->block[0] * s->block[1] * s->block[2]),
                        .dynamic_shared = s->shared_bytes,
                        .scalar = c->scalar,
                        .window = {.places = c->window, .rows = 2 * c->window, .homeless = true}};
    memcpy(o.block, s->block, sizeof o.block);
    memcpy(o.grid, s->grid, sizeof o.grid);
    p->isa = compile_kernel(c->arena, p->module, p->entry, &p->layout, &p->shared, &o, d);
    c->nthreads += p->isa && p->isa->scalar;
    c->nsplit += p->isa && p->isa->ext_regs;
    return p->isa ? p : NULL;
}

static bool step(Context *c, const LaunchStep *s, DeviceMemory *memory, bool oracle, Diag *d) {
    Program *p = program(c, s, d);
    const uint8_t *params = p ? launch_pack_params(c->launch, s, p->entry, c->arena, d) : NULL;
    if (!params) return false;
    if (oracle) {
        OracleRun r = {.module = p->module,
                       .entry = p->entry,
                       .layout = &p->layout,
                       .shared = &p->shared,
                       .shared_bytes = s->shared_bytes,
                       .params = params,
                       .memory = memory};
        memcpy(r.grid, s->grid, sizeof r.grid);
        memcpy(r.block, s->block, sizeof r.block);
        return oracle_run(&r, d);
    }
    MachineRun r = {.program = p->isa,
                    .layout = &p->layout,
                    .shared_bytes = s->shared_bytes,
                    .params = params,
                    .memory = memory,
                    .resident = 3,
                    .max_insts = 200000000};
    memcpy(r.grid, s->grid, sizeof r.grid);
    memcpy(r.block, s->block, sizeof r.block);
    const bool ok = machine_run(&r, d);
    c->sections += r.sections;
    c->thread_insts += r.thread_insts;
    return ok;
}

static bool run_all(Context *c, DeviceMemory *memory, bool oracle, Diag *d) {
    for (int g = 0; g < c->launch->ngroups; g++) {
        const LaunchGroup *group = &c->launch->groups[g];
        uint8_t *again = NULL;
        if (group->repeat_buffer >= 0)
            again = device_at(
                memory, c->launch->buffers[group->repeat_buffer].addr + group->repeat_offset, 4);
        for (int pass = 0;; pass++) {
            if (again) memset(again, 0, 4);
            for (int i = 0; i < group->nsteps; i++)
                if (!step(c, &group->steps[i], memory, oracle, d)) return false;
            if (!again || !(again[0] | again[1] | again[2] | again[3])) break;
            if (pass > 1000) return diag_fail(d, EXIT_HANG, "repeat does not end");
        }
    }
    return true;
}

static bool compare(Context *c, Diag *d) {
    for (int i = 0; i < c->other.nallocs; i++) {
        const DeviceAlloc *a = &c->other.allocs[i];
        const uint8_t *want = c->other.base + a->addr, *got = c->memory.base + a->addr;
        for (uint32_t b = 0; b < a->bytes; b++)
            if (want[b] != got[b] && !a->heap)
                return diag_fail(d, EXIT_WRONG_RESULT,
                                 "%s: byte %u is 0x%02x, the PTX interpreter has 0x%02x", a->name,
                                 b, got[b], want[b]);
    }
    return true;
}

static bool run(Context *c, const char *path, Diag *d) {
    uint64_t compared = 0;
    c->launch = launch_load(c->arena, path, d);
    if (!c->launch || !device_open(&c->memory, c->arena, d) ||
        !launch_place(c->launch, &c->memory, d))
        return false;
    for (int g = 0; g < c->launch->ngroups; g++)
        for (int i = 0; i < c->launch->groups[g].nsteps; i++)
            if (!program(c, &c->launch->groups[g].steps[i], d)) return false;
    if (!device_clone(&c->other, &c->memory, c->arena, d)) return false;
    bool ok = run_all(c, &c->memory, false, d) && launch_check(c->launch, &c->memory, &compared, d);
    if (ok && !c->no_oracle) ok = run_all(c, &c->other, true, d) && compare(c, d);
    device_close(&c->memory);
    device_close(&c->other);
    return ok;
}

int main(int argc, char **argv) {
    int max_regs = 63, addr_bits = 32, split = 0, window = 0, bad = 0;
    bool no_oracle = false, want_sections = false, want_thread = false;
    int scalar = 0, nsets = 0;
    const char *sets[16];
    static const char *const paradigms[] = {"none", "prefetch", "divergence", "extract", "auto"};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--regs") && i + 1 < argc) {
            max_regs = atoi(argv[++i]);
            continue;
        }
        if (!strcmp(argv[i], "--addr-bits") && i + 1 < argc) {
            addr_bits = atoi(argv[++i]);
            continue;
        }
        if (!strcmp(argv[i], "--split") && i + 1 < argc) {
            split = atoi(argv[++i]);
            continue;
        }
        if (!strcmp(argv[i], "--window") && i + 1 < argc) {
            window = atoi(argv[++i]);
            continue;
        }
        if (!strcmp(argv[i], "--want-sections")) {
            want_sections = true;
            continue;
        }
        if (!strcmp(argv[i], "--scalar") && i + 1 < argc) {
            for (i++, scalar = 4; scalar && strcmp(paradigms[scalar], argv[i]); scalar--) {}
            nsets = 0;
            continue;
        }
        if (!strcmp(argv[i], "--set") && i + 1 < argc && nsets < 16) {
            sets[nsets++] = argv[++i];
            continue;
        }
        if (!strcmp(argv[i], "--want-thread")) {
            want_thread = true;
            continue;
        }
        if (!strcmp(argv[i], "--no-oracle")) {
            no_oracle = true;
            continue;
        }
        Arena arena = {0};
        Context *c = ARENA_NEW(&arena, Context);
        Diag d = {0};
        c->arena = &arena;
        c->max_regs = max_regs;
        c->window = window;
        c->no_oracle = no_oracle;
#define CFG(field, key, def, least, most, unit, meaning) c->cfg.field = def;
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
        c->cfg.compiler_addr_bits = addr_bits;
        c->cfg.regmutex_es = split;
        c->scalar = (CompileScalar)scalar;
        for (int k = 0; k < nsets; k++)
            if (!config_set(&c->cfg, sets[k], &d)) break;
        if (!diag_ok(&d)) {
            printf("FAIL %s\n", d.text);
            return 1;
        }
        if (run(c, argv[i], &d) && want_thread && !c->thread_insts)
            diag_fail(&d, EXIT_VACUOUS, "no scalar thread ran");
        if (diag_ok(&d) && want_sections && !c->sections)
            diag_fail(&d, EXIT_VACUOUS, "no section of extended registers was taken");
        if (!diag_ok(&d)) {
            printf("FAIL %s: %s\n", argv[i], d.text);
            bad = 1;
        } else {
            printf("ok   %s:", c->launch->name);
            for (int k = 0; k < c->nprograms; k++)
                printf(" %s(%d regs, %d insts%s)", c->programs[k].isa->name,
                       c->programs[k].isa->nregs, c->programs[k].isa->ninsts,
                       c->programs[k].isa->spill_bytes ? ", spills" : "");
            if (split)
                printf(" %d split, %llu sections taken", c->nsplit,
                       (unsigned long long)c->sections);
            for (int k = 0; k < c->nprograms && scalar; k++)
                printf("\n       %s: %s", c->programs[k].isa->name,
                       c->programs[k].isa->scalar_note);
            if (scalar)
                printf("\n       %llu thread instructions", (unsigned long long)c->thread_insts);
            printf("\n");
        }
        arena_free(&arena);
    }
    return bad;
}
