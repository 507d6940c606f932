// SPDX-License-Identifier: Apache-2.0
// oracle_kernels [--plain|--warnings|--turn-1] LAUNCH...: runs launch files on the oracle alone
// (the PTX itself, no compiler, no SM) and checks the results. Kernel, data and reference agree. A
// launch whose expected file is altered by one bit must fail.
#include "oracle/oracle.h"
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

enum { ORACLE_MAX_MODULES = 8 };

typedef struct OracleModule {
    const char *path;
    PtxModule *module;
    ModuleLayout layout;
} OracleModule;

typedef struct OracleState {
    Arena arena;
    DeviceMemory memory;
    Launch *launch;
    OracleModule modules[ORACLE_MAX_MODULES];
    int nmodules;
    uint64_t insts;
    OracleFindings found;
} OracleState;

// --plain: the program is not looked at. --warnings: as without --check race. --turn-1: warps,
// paths and CTAs alternate as closely as they can.
static bool watch = true, races = true;
static int turn;  // OracleRun.turn

static OracleModule *find_module(OracleState *s, const char *path, Diag *d) {
    for (int i = 0; i < s->nmodules; i++)
        if (!strcmp(s->modules[i].path, path)) return &s->modules[i];
    if (s->nmodules == ORACLE_MAX_MODULES) {
        diag_fail(d, EXIT_USAGE, "more than %d PTX files", ORACLE_MAX_MODULES);
        return NULL;
    }
    OracleModule *m = &s->modules[s->nmodules];
    m->path = path;
    m->module = ptx_load(&s->arena, path, d);
    if (!m->module || !layout_module(&m->layout, &s->arena, m->module, &s->memory, d)) return NULL;
    s->nmodules++;
    return m;
}

static bool run_step(OracleState *s, const LaunchStep *step, Diag *d) {
    OracleModule *m = find_module(s, step->ptx, d);
    if (!m) return false;
    const PtxFunc *entry = ptx_entry(m->module, step->kernel, d);
    SharedLayout shared;
    if (!entry) return false;
    if (!layout_shared(&shared, &s->arena, m->module, entry, d)) return false;
    uint8_t *params = launch_pack_params(s->launch, step, entry, &s->arena, d);
    if (!params) return false;
    OracleRun run = {.module = m->module,
                     .entry = entry,
                     .layout = &m->layout,
                     .shared = &shared,
                     .shared_bytes = step->shared_bytes,
                     .params = params,
                     .memory = &s->memory,
                     .findings = watch ? &s->found : NULL,
                     .max_insts = 100000000,
                     .turn = turn};
    memcpy(run.grid, step->grid, sizeof run.grid);
    memcpy(run.block, step->block, sizeof run.block);
    bool ok = oracle_run(&run, d);
    s->insts += run.insts;
    return ok;
}

static bool run_group(OracleState *s, const LaunchGroup *g, Diag *d) {
    for (int pass = 0;; pass++) {
        uint8_t *again = NULL;
        if (g->repeat_buffer >= 0) {
            if (pass == g->repeat_max) return diag_fail(d, EXIT_HANG, "more than %d passes", pass);
            again = device_at(&s->memory,
                              s->launch->buffers[g->repeat_buffer].addr + g->repeat_offset, 4);
            memset(again, 0, 4);
        }
        for (int i = 0; i < g->nsteps; i++)
            if (!run_step(s, &g->steps[i], d)) return false;
        if (!again || !memcmp(again, "\0\0\0\0", 4)) return true;
    }
}

// One bit of each expected element's buffer: the check must notice.
static bool notices_a_wrong_bit(OracleState *s) {
    for (int i = 0; i < s->launch->nexpects; i++) {
        const LaunchExpect *e = &s->launch->expects[i];
        Diag d = {0};
        uint64_t compared;
        uint32_t width = e->type == PTX_F64 ? 8 : e->type == PTX_F32 ? 4 : 1;
        // The sign, or the top bit: beyond every tolerance unless the value is 0.
        uint8_t *byte =
            device_at(&s->memory, s->launch->buffers[e->buffer].addr + e->offset, width) + width -
            1;
        *byte ^= 0x40;
        bool passed = launch_check(s->launch, &s->memory, &compared, &d);
        *byte ^= 0x40;
        if (passed || d.status != EXIT_WRONG_RESULT) {
            fprintf(stderr, "expectation %d does not notice a wrong bit\n", i);
            return false;
        }
    }
    return true;
}

// No kernel races or has behavior that PTX leaves undefined.
static bool is_clean(const OracleState *s) {
    bool clean = true;
    for (int i = 0; i < s->found.nitems; i++) {
        const OracleFinding *f = &s->found.items[i];
        if (f->kind == ORACLE_SAME_VALUE) continue;
        fprintf(stderr, "%s: %s\n", oracle_kind_name(f->kind), f->text);
        clean = false;
    }
    return clean && (!watch || !races || s->found.accesses);
}

static bool run_file(const char *path) {
    OracleState s = {.found = {.arena = &s.arena, .races = races}};
    Diag d = {0};
    uint64_t compared = 0;
    s.launch = launch_load(&s.arena, path, &d);
    bool ok =
        s.launch && device_open(&s.memory, &s.arena, &d) && launch_place(s.launch, &s.memory, &d);
    for (int g = 0; ok && g < s.launch->ngroups; g++) ok = run_group(&s, &s.launch->groups[g], &d);
    ok = ok && launch_check(s.launch, &s.memory, &compared, &d);
    if (!ok) fprintf(stderr, "%s\n", d.text);
    else if (compared == 0) ok = false, fprintf(stderr, "nothing was compared\n");
    else ok = notices_a_wrong_bit(&s) && is_clean(&s);
    printf("%s %s: %llu thread instructions, %llu elements compared\n", ok ? "ok  " : "FAIL", path,
           (unsigned long long)s.insts, (unsigned long long)compared);
    device_close(&s.memory);
    arena_free(&s.arena);
    return ok;
}

int main(int argc, char **argv) {
    bool ok = argc > 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--plain")) watch = false;
        else if (!strcmp(argv[i], "--warnings")) races = false;
        else if (!strcmp(argv[i], "--turn-1")) turn = 1;
        else ok &= run_file(argv[i]);
    }
    return ok ? 0 : 1;
}
