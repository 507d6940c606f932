// SPDX-License-Identifier: Apache-2.0
#include "session/bundle.h"
#include "systems/systems.h"

#include <ctype.h>
#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// A file beside the launch file keeps its name, so that the copies can run unchanged. Files from
// other folders are numbered, because two of them may have one name.
static const char *copy_name(Arena *arena, const LaunchFile *f, int number, const char *launch) {
    const char *name = f->name;
    const bool numbered =
        isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) && name[2] == '-';
    if (!strchr(name, '/') && name[0] != '.' && !numbered && strcmp(name, launch)) return name;
    return arena_printf(arena, "%02d-%s", number, base_name(f->path));
}

// Copies the launch file, the files that it names, and the user's RTL.
static bool copy_inputs(ReplayFile *r, Arena *arena, const Launch *l, const SessionOptions *o,
                        Diag *d) {
    const char *dir = o->bundle_dir, *launch = base_name(l->src.path);
    r->launch = arena_printf(arena, "files/%s", launch);
    if (!replay_copy(r, arena, dir, l->src.path, launch, NULL, d)) return false;
    for (int i = 0; i < l->nfiles; i++) {
        const LaunchFile *f = &l->files[i];
        if (!replay_copy(r, arena, dir, f->path, copy_name(arena, f, i, launch), f->name, d))
            return false;
    }
    for (int i = 0; i < o->nrtl; i++)
        if (!replay_copy_rtl(r, arena, dir, o->rtl[i], d)) return false;
    return true;
}

bool bundle_replay_file(Arena *arena, const Launch *launch, const SessionOptions *o,
                        const Mismatch *m, int sm, Diag *d) {
    ReplayFile r = {.kind = REPLAY_RUN,
                    .command = o->command_line,
                    .arch = o->arch.name,
                    .blocks = o->blocks,
                    .fault = o->fault,
                    .testbug = o->testbug,
                    .snapshot_interval = o->snapshot_interval,
                    .max_cycles = o->max_cycles,
                    .skip_idle = o->skip_idle,
                    .start_seed = session_start_seed(o),
                    .sms = (int)o->sms,
                    .lockstep_sm = sm + 1,
                    .mismatch = *m};
    for (int i = 0; i < o->nplusargs; i++) r.plusargs[r.nplusargs++] = o->plusargs[i];
    if (copy_inputs(&r, arena, launch, o, d) && replay_commit_copies(&r, arena, o->bundle_dir, d))
        return replay_write(o->bundle_dir, &r, d);
    replay_drop_copies(arena, o->bundle_dir);
    return false;
}

static const LaunchFiles *launch_files(const ReplayFile *r, Arena *arena, const char *dir) {
    LaunchFile *files = ARENA_ARRAY(arena, LaunchFile, r->ninputs + 1);
    LaunchFiles *list = ARENA_NEW(arena, LaunchFiles);
    list->files = files;
    for (int i = 0; i < r->ninputs; i++)
        if (r->inputs[i].name)
            files[list->n++] = (LaunchFile){r->inputs[i].name,
                                            arena_printf(arena, "%s/%s", dir, r->inputs[i].path)};
    return list;
}

// Converts "block=files/a.sv,files/b.sv" of the bundle to paths of this process.
const char *bundle_rtl(Arena *arena, const char *dir, const char *rtl) {
    const char *equals = strchr(rtl, '=');
    char *out = arena_strndup(arena, rtl, (size_t)(equals + 1 - rtl));
    for (const char *p = equals + 1; *p; p += strcspn(p, ","), p += *p == ',')
        out = arena_printf(arena, "%s%s%s/%.*s", out, p > equals + 1 ? "," : "", dir,
                           (int)strcspn(p, ","), p);
    return out;
}

bool bundle_options(const ReplayFile *r, Arena *arena, const char *dir, MachineConfig *cfg,
                    SessionOptions *o, Diag *d) {
    if (!arch_parse(r->arch, &o->arch, d)) return false;
    o->blocks = r->blocks;
    o->fault = r->fault;
    o->testbug = r->testbug;
    o->snapshot_interval = r->snapshot_interval;
    o->max_cycles = r->max_cycles;
    o->files = launch_files(r, arena, dir);
    o->skip_idle = r->skip_idle;
    o->start = 1 + r->start_seed;
    o->sms = (uint64_t)r->sms;
    o->lockstep_sm = r->lockstep_sm;
    for (int i = 0; i < r->nrtl; i++) o->rtl[o->nrtl++] = r->rtl[i];
    for (int i = 0; i < r->nplusargs && i < SESSION_MAX_PLUSARGS; i++)
        o->plusargs[o->nplusargs++] = r->plusargs[i];
    o->machine = arena_printf(arena, "%s/config.yaml", dir);
    return session_config(cfg, arena, o, d);
}
