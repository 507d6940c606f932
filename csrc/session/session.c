// SPDX-License-Identifier: Apache-2.0
// The steps of a launch file:
//   launch.yaml -> modules parsed, buffers and variables placed -> kernels compiled  launch_file.c
//     -> SM runs every step -> final state of the blocks                             steps.c
//     -> expected buffers -> oracle on a clone of the memory                         checks.c
//     -> after a mismatch: the bundle and its wave                                   rerun.c
#include "session/run_parts.h"

#include "base/plain.h"
#include "launch/launch.h"
#include "proc/clock.h"
#include "session/bundle.h"
#include "session/profile.h"

#include <string.h>

bool session_simulate_on(Run *r, const char *path, const MachineConfig *cfg, Diag *d) {
    const SessionOptions *o = r->setup.o;
    r->setup.cfg = cfg;
    r->report->limit_binds = config_memory_limits(cfg, r->report->limits);
    if (!launch_file_load(r, path, d)) return false;
    if (o->loaded) o->loaded();
    if (!run_open_machine(r, d)) return false;
    const double begin = clock_seconds();
    const bool ok = run_steps(r, step_on_sm, &r->memory, d);
    r->report->seconds = clock_seconds() - begin;
    collect_counters(&r->machine, r->report);
    collect_blocks(&r->machine, r->report);
    return ok && gpu_finish(r->machine.gpu, d);
}

bool session_simulate(Run *r, const char *path, Diag *d) {
    const SessionOptions *o = r->setup.o;
    return session_simulate_on(r, path, setup_machine(r->setup.arena, &o->arch, r->given), d);
}

// ---- from the last step to the verdict ----

static bool check_result(Run *r, Diag *d) {
    const SessionOptions *o = r->setup.o;
    r->report->nexpects = o->no_expect ? 0 : r->launch->nexpects;
    if (!o->files) launch_save(r->launch, &r->memory, d);  // a replay writes only to its own folder
    const bool ok = diag_ok(d) &&
        (o->no_expect || launch_check(r->launch, &r->memory, &r->report->result_compared, d));
    if (setup_needs_oracle(o) && (ok || d->status == EXIT_WRONG_RESULT))
        return checks_program(r, d);
    return ok;
}

static void take_verdict(LaunchReport *report, Arena *arena, const Diag *d) {
    report->status = d->status;
    report->message = arena_strndup(arena, d->text, strlen(d->text));
}

// Fills the report from the verdict in d, and completes the bundle of a mismatch.
static void finish_report(Run *r, Diag *d) {
    const SessionOptions *o = r->setup.o;
    LaunchReport *report = r->report;
    Arena *arena = r->setup.arena;
    const Cosim *cosim = r->machine.cosim;
    take_verdict(report, arena, d);
    const Mismatch *m = cosim && d->status == EXIT_MISMATCH ? cosim_mismatch(cosim) : NULL;
    Diag file = {0};
    if (m && o->bundle_dir &&
        !bundle_replay_file(arena, r->launch, o, m, r->machine.mismatch_sm, &file))
        report->message = arena_printf(arena, "%s\nthe bundle cannot be replayed: %s",
                                       report->message, file.text);
    if (o->verdict) o->verdict(o->verdict_ctx, report);
    Diag again = {0};
    if (!m || rerun_for_wave(r, &again)) return;
    *d = again;
    take_verdict(report, arena, d);
}

// A follower has found a mismatch, which a run with one thread must report.
static bool leave_early(Run *r, Mismatch *ahead) {
    const Cosim *cosim = r->machine.cosim;
    const Mismatch *early = cosim && cosim_follows(cosim) ? cosim_mismatch(cosim) : NULL;
    if (!early) return false;
    *ahead = *early;
    if (r->machine.trace) hooks_close(r->machine.trace, 0, &(Diag){0});
    return true;
}

static bool judge_run(Run *r, bool ok, CosimFault fault, Diag *d) {
    ok = ok && r->launch && check_result(r, d);
    if (ok) ok = checks_compared(r->report, r->setup.o, d);
    if (!machine_end_trace(&r->machine, d)) ok = false;
    if (ok) ok = checks_fault(r, fault, d);
    finish_report(r, d);
    return ok;
}

static LaunchReport report_of(Arena *arena, const char *path, const SessionOptions *o) {
    return (LaunchReport){.name = plain_text(arena, path),
                          .path = path,
                          .message = "",
                          .retire_checked = o->check_retire,
                          .oracle_checked = o->check_oracle,
                          .race_checked = o->check_race,
                          .strict_checked = o->check_strict,
                          .codec_checked = o->check_codec,
                          .unclocked = -1,
                          .profile = o->profile};
}

bool session_attempt(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                     const SessionOptions *o, Attempt *a, Diag *d) {
    Run r;
    CosimFault fault = COSIM_FAULT_NONE;
    *report = report_of(arena, path, o);
    run_begin(&r, arena, o, report);
    r.given = cfg;
    r.use = (MachineUse){.print_to = a->prints, .threads = a->threads};
    bool ok = session_simulate(&r, path, d);
    report->nkernels = r.machine.gpu ? r.program.nkernels : 0;
    // A mismatch has priority, because it may be the cause of a wrong result or a hang.
    if (r.machine.cosim) {
        ok = machine_finish(&r.machine, ok, d);
        collect_compared(&r.machine, report);
        fault = collect_fault(&r.machine, report);
    }
    ok = !leave_early(&r, &a->ahead) && judge_run(&r, ok, fault, d);
    run_end(&r);
    return ok;
}

bool session_run(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                 const SessionOptions *o, Diag *d) {
    SessionOptions chosen = *o;
    if (!profile_asked(o, cfg)) return rerun_chosen(report, arena, path, cfg, o, d);
    if (profile_choose(&chosen, path, cfg, d))
        return rerun_chosen(report, arena, path, cfg, &chosen, d);
    *report = (LaunchReport){.name = plain_text(arena, path), .path = path, .unclocked = -1};
    take_verdict(report, arena, d);
    if (o->verdict) o->verdict(o->verdict_ctx, report);
    return false;
}
