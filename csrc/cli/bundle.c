// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle.h"

#include <string.h>

const char *bundle_rtl(Arena *arena, const char *rtl) {
    const char *equals = strchr(rtl, '=');
    if (!equals) return rtl;
    char *out = arena_strndup(arena, rtl, (size_t)(equals + 1 - rtl));
    for (const char *p = equals + 1; *p; p += strcspn(p, ","), p += *p == ',') {
        const char *file = arena_strndup(arena, p, strcspn(p, ","));
        out =
            arena_printf(arena, "%s%s%s", out, p > equals + 1 ? "," : "", replay_path(arena, file));
    }
    return out;
}

// Every file once.
static bool add_input(ReplayFile *r, Arena *arena, const char *path, Diag *d) {
    const char *full = replay_path(arena, path);
    for (int i = 0; i < r->ninputs; i++)
        if (!strcmp(r->inputs[i].path, full)) return true;
    ReplayInput input;
    if (!replay_hash_file(arena, full, &input, d)) return false;
    *ARENA_PUSH(arena, r->inputs, r->ninputs, r->cap_inputs) = input;
    return true;
}

static bool add_inputs(ReplayFile *r, Arena *arena, const Launch *l, Diag *d) {
    if (!add_input(r, arena, l->src.path, d)) return false;
    for (int g = 0; g < l->ngroups; g++)
        for (int i = 0; i < l->groups[g].nsteps; i++) {
            const LaunchStep *step = &l->groups[g].steps[i];
            if (!add_input(r, arena, step->ptx, d)) return false;
            for (int a = 0; a < step->nargs; a++)
                if (step->args[a].file && !add_input(r, arena, step->args[a].file, d)) return false;
        }
    for (int i = 0; i < l->nbuffers; i++)
        if (l->buffers[i].init && !add_input(r, arena, l->buffers[i].init, d)) return false;
    return true;
}

bool bundle_replay_file(Arena *arena, const Launch *launch, const SessionOptions *o,
                        const Mismatch *m, Diag *d) {
    ReplayFile r = {.kind = REPLAY_RUN,
                    .command = o->command_line,
                    .launch = replay_path(arena, launch->src.path),
                    .arch = o->arch,
                    .blocks = o->blocks,
                    .fault = o->fault,
                    .testbug = o->testbug,
                    .snapshot_interval = o->snapshot_interval,
                    .max_cycles = o->max_cycles,
                    .mismatch = *m};
    for (int i = 0; i < o->nrtl; i++) r.rtl[r.nrtl++] = bundle_rtl(arena, o->rtl[i]);
    for (int i = 0; i < o->nplusargs; i++) r.plusargs[r.nplusargs++] = o->plusargs[i];
    return add_inputs(&r, arena, launch, d) && replay_write(o->bundle_dir, &r, d);
}

bool bundle_options(const ReplayFile *r, Arena *arena, const char *dir, MachineConfig *cfg,
                    SessionOptions *o, Diag *d) {
    o->arch = r->arch;
    o->blocks = r->blocks;
    o->fault = r->fault;
    o->testbug = r->testbug;
    o->snapshot_interval = r->snapshot_interval;
    o->max_cycles = r->max_cycles;
    for (int i = 0; i < r->nrtl; i++) o->rtl[o->nrtl++] = r->rtl[i];
    for (int i = 0; i < r->nplusargs && i < SESSION_MAX_PLUSARGS; i++)
        o->plusargs[o->nplusargs++] = r->plusargs[i];
    o->machine = arena_printf(arena, "%s/config.yaml", dir);
    return session_config(cfg, arena, o, d);
}
