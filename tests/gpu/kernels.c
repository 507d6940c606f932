// SPDX-License-Identifier: Apache-2.0
// gpu_kernels pack FILE LAUNCH...: writes launch files as jobs for a GPU (pack.h).
// gpu_kernels gpu RESULTS LAUNCH...: runs each launch on the oracle. Its buffers are compared with
// the GPU's bit for bit, and both with the launch file's expectation, within the tolerance that it
// gives.
#include "launch/launch.h"
#include "oracle/oracle.h"
#include "pack.h"

#include <inttypes.h>
#include <string.h>

enum { MODULES = 8 };

typedef struct Module {
    const char *path;
    PtxModule *module;
    ModuleLayout layout;
} Module;

typedef struct State {
    Arena arena;
    DeviceMemory memory;
    Launch *launch;
    Module modules[MODULES];
    int nmodules;
} State;

static bool load_modules(State *s, Diag *d) {
    for (int g = 0; g < s->launch->ngroups; g++)
        for (int i = 0; i < s->launch->groups[g].nsteps; i++) {
            const char *path = s->launch->groups[g].steps[i].ptx;
            int k = 0;
            while (k < s->nmodules && strcmp(s->modules[k].path, path)) k++;
            if (k < s->nmodules) continue;
            if (k == MODULES) return diag_fail(d, EXIT_USAGE, "more than %d PTX files", MODULES);
            Module *m = &s->modules[s->nmodules++];
            m->path = path;
            m->module = ptx_load(&s->arena, path, d);
            if (!m->module || !layout_module(&m->layout, &s->arena, m->module, &s->memory, d))
                return false;
        }
    return true;
}

static int module_of(const State *s, const LaunchStep *step) {
    int k = 0;
    while (strcmp(s->modules[k].path, step->ptx)) k++;
    return k;
}

static bool open_launch(State *s, const char *path, Diag *d) {
    s->launch = launch_load(&s->arena, path, d);
    return s->launch && device_open(&s->memory, &s->arena, d) &&
        launch_place(s->launch, &s->memory, d) && load_modules(s, d);
}

// ---- packing ----

static bool pack_step(State *s, FILE *f, const LaunchStep *step, Diag *d) {
    const int k = module_of(s, step);
    const PtxFunc *entry = ptx_entry(s->modules[k].module, step->kernel, d);
    uint8_t *params = entry ? launch_pack_params(s->launch, step, entry, &s->arena, d) : NULL;
    if (!params) return false;
    for (int a = 0; a < step->nargs; a++)
        if (step->args[a].is_ptr)
            pack_patch(f, entry->params[a].offset, step->args[a].buffer, step->args[a].offset);
    pack_launch(f, k, step->kernel, step->grid, step->block, step->shared_bytes, params,
                (size_t)entry->param_bytes);
    return true;
}

static bool pack_launch_file(State *s, FILE *f, const char *path, Diag *d) {
    const Launch *l = s->launch;
    for (int i = 0; i < l->nbuffers; i++)
        if (l->buffers[i].record || l->buffers[i].addresses.n || l->nsymbols)
            return diag_fail(d, EXIT_USAGE,
                             "%s: textures, addresses and variables cannot be packed", path);
    pack_job(f, path);
    for (int k = 0; k < s->nmodules; k++) {
        char *text;
        size_t n;
        if (!file_read(&s->arena, s->modules[k].path, &text, &n, d)) return false;
        pack_module(f, text, n);
    }
    for (int i = 0; i < l->nbuffers; i++)
        pack_buffer(f, l->buffers[i].bytes, 0, true, s->memory.base + l->buffers[i].addr,
                    l->buffers[i].bytes);
    for (int g = 0; g < l->ngroups; g++) {
        const LaunchGroup *group = &l->groups[g];
        const bool repeat = group->repeat_buffer >= 0;
        if (repeat)
            fprintf(f, "repeat %d %" PRIu64 " %d\n", group->repeat_buffer, group->repeat_offset,
                    group->repeat_max);
        for (int i = 0; i < group->nsteps; i++)
            if (!pack_step(s, f, &group->steps[i], d)) return false;
        if (repeat) fprintf(f, "until\n");
    }
    pack_end(f);
    return true;
}

// ---- comparing ----

static bool run_step(State *s, const LaunchStep *step, Diag *d) {
    Module *m = &s->modules[module_of(s, step)];
    const PtxFunc *entry = ptx_entry(m->module, step->kernel, d);
    SharedLayout shared;
    if (!entry || !layout_shared(&shared, &s->arena, m->module, entry, d)) return false;
    OracleRun run = {.module = m->module,
                     .entry = entry,
                     .layout = &m->layout,
                     .shared = &shared,
                     .shared_bytes = step->shared_bytes,
                     .memory = &s->memory,
                     .max_insts = 100000000,
                     .params = launch_pack_params(s->launch, step, entry, &s->arena, d)};
    memcpy(run.grid, step->grid, sizeof run.grid);
    memcpy(run.block, step->block, sizeof run.block);
    return run.params && oracle_run(&run, d);
}

static bool run_group(State *s, const LaunchGroup *g, Diag *d) {
    for (int pass = 0;; pass++) {
        uint8_t *again = g->repeat_buffer < 0
            ? NULL
            : s->memory.base + s->launch->buffers[g->repeat_buffer].addr + g->repeat_offset;
        if (again && pass == g->repeat_max)
            return diag_fail(d, EXIT_HANG, "more than %d passes", pass);
        if (again) memset(again, 0, 4);
        for (int i = 0; i < g->nsteps; i++)
            if (!run_step(s, &g->steps[i], d)) return false;
        if (!again || !memcmp(again, "\0\0\0\0", 4)) return true;
    }
}

// The launch on the GPU: equal, within bound, different, or the reason for a missing result.
static bool compare(State *s, const PackResult *r, const char *path, Diag *d) {
    Launch *l = s->launch;
    uint64_t compared = 0, differing = 0, words = 0;
    const char *first = "";
    if (!r || r->fail) {
        printf("none       %s: %s\n", path, r ? r->fail : "not in the results");
        return false;
    }
    for (int g = 0; g < l->ngroups; g++)
        if (!run_group(s, &l->groups[g], d)) return false;
    for (int i = 0; i < l->nbuffers; i++) {
        const LaunchBuffer *b = &l->buffers[i];
        uint8_t *ours = s->memory.base + b->addr;
        if (r->buffers[i].n != b->bytes)
            return diag_fail(d, EXIT_USAGE, "%s: buffers of another size", path);
        for (uint64_t k = 0; k < b->bytes; k += 4) {
            const size_t n = b->bytes - k < 4 ? b->bytes - k : 4;
            words++;
            if (!memcmp(ours + k, r->buffers[i].at + k, n)) continue;
            if (!differing++) first = b->name;
        }
        memcpy(ours, r->buffers[i].at, b->bytes);
    }
    const bool right = launch_check(l, &s->memory, &compared, d);
    printf("%-10s %s: %" PRIu64 " of %" PRIu64 " words differ%s%s%s%s\n",
           !right          ? "different"
               : differing ? "in bound"
                           : "equal",
           path, differing, words, differing ? ", first in " : "", first, right ? "" : "; ",
           right ? "" : d->text);
    return right;
}

int main(int argc, char **argv) {
    const bool packing = argc > 3 && !strcmp(argv[1], "pack");
    if (argc < 4 || (!packing && strcmp(argv[1], "gpu")))
        return fprintf(stderr, "usage: gpu_kernels pack FILE|gpu RESULTS LAUNCH...\n"), EXIT_USAGE;
    Arena arena = {0};
    PackResults results;
    Diag d = {0};
    FILE *f = packing ? fopen(argv[2], "w") : NULL;
    bool all = packing ? f != NULL : pack_load(&results, &arena, argv[2], &d);
    if (!all) return fprintf(stderr, "%s: %s\n", argv[2], d.text), EXIT_USAGE;
    for (int i = 3; i < argc; i++) {
        State s = {0};
        d = (Diag){0};
        bool ok = open_launch(&s, argv[i], &d);
        if (ok)
            ok = packing ? pack_launch_file(&s, f, argv[i], &d)
                         : compare(&s, pack_find(&results, argv[i]), argv[i], &d);
        if (!ok && d.status && d.status != EXIT_WRONG_RESULT)
            fprintf(stderr, "%s: %s\n", argv[i], d.text);
        all &= ok;
        device_close(&s.memory);
        arena_free(&s.arena);
    }
    if (f && fclose(f)) all = false;
    arena_free(&arena);
    return all ? 0 : 1;
}
