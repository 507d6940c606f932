// SPDX-License-Identifier: Apache-2.0
// One launch: on the SM with the requested checks, or on the oracle alone.
#include "device/context_parts.h"

#include "device/capture.h"
#include "session/findings.h"

typedef struct Simulated {  // a launch that is simulated in detail
    Context *c;
    LoadedKernel *k;
    const KernelLaunch *l;
    Arena arena;          // for the time of the launch
    DeviceMemory before;  // memory before the launch; .base NULL: not required
} Simulated;

// Compares the oracle's result of the launch with the SM's. If they differ, checks for races.
static bool check_launch(Simulated *s, Diag *d) {
    Run *r = &s->c->run;
    const SessionOptions *o = r->setup.o;
    if (!device_clone(&r->pristine, &s->before, &s->arena, d)) return false;
    bool ok = step_on_oracle(r, s->k, s->l, &r->pristine, d);
    if (ok && o->check_oracle && !checks_memory(r, d)) {
        ok = false;
        Diag again = {0};
        device_close(&r->pristine);
        if (!r->found.races && device_clone(&r->pristine, &s->before, &s->arena, &again)) {
            r->found.races = true;
            step_on_oracle(r, s->k, s->l, &r->pristine, &again);
            if (findings_race(&r->found)) findings_judge(r->report, &r->found, o, s->c->arena, d);
        }
    }
    if (!ok || !s->c->o->capture) device_close(&r->pristine);
    return ok;
}

static void judge_blocks(Machine *m, Diag *d) {
    const Mismatch *first = machine_find_mismatch(m);
    if (!first || d->status == EXIT_MISMATCH) return;
    *d = (Diag){0};
    cosim_finish(m->cosim, d);
    if (diag_ok(d))
        diag_fail(d, EXIT_MISMATCH, "block %s differs from its golden model", first->block);
}

static CaptureLaunch capture_of(Simulated *s, const char *dir, DeviceMemory *after) {
    return (CaptureLaunch){.dir = dir,
                           .number = s->c->nlaunches,
                           .name = s->c->run.name,
                           .launch = s->l,
                           .module = s->k->module,
                           .entry = s->k->entry,
                           .before = &s->before,
                           .after = after};
}

static void write_capture(Simulated *s, bool ok) {
    Run *r = &s->c->run;
    int unordered = 0;
    CaptureLaunch l = capture_of(s, s->c->o->capture, ok ? &r->pristine : NULL);
    Diag d = {0};
    l.observed = ok ? &r->memory : NULL;
    l.unordered = &unordered;
    if (!capture_write(&l, &d)) context_judge(s->c, &d);
    if (unordered)
        context_warn(s->c,
                     "%s/launch.yaml: %d result%s the order of threads, as the SM's bytes are not "
                     "the interpreter's: not expected",
                     capture_folder(s->c->arena, &l), unordered,
                     unordered > 1 ? "s depend on" : " depends on");
}

// A mismatch cannot be reproduced without the program. Its launch can, with a wave and a bundle to
// replay.
static void write_bundle(Simulated *s) {
    Context *c = s->c;
    const CaptureLaunch l = capture_of(s, c->run.setup.o->bundle_dir, NULL);
    Diag d = {0};
    if (!capture_write(&l, &d)) {
        c->run.report->replay =
            arena_printf(c->arena, "the launch could not be written: %s", d.text);
        return;
    }
    const char *file = arena_printf(c->arena, "%s/launch.yaml", capture_folder(c->arena, &l));
    c->run.report->replay = arena_printf(c->arena,
                                         "launch %d alone, for its wave: smcosim run %s with the "
                                         "same options",
                                         c->nlaunches, arena_shell_word(c->arena, file));
}

bool simulate_launch(Context *c, LoadedKernel *k, const KernelLaunch *l, Diag *d) {
    Run *r = &c->run;
    const SessionOptions *o = r->setup.o;
    Simulated s = {.c = c, .k = k, .l = l};
    const bool captured = c->o->capture, checked = setup_needs_oracle(o);
    const bool bundle = o->bundle_dir && cosim_runs_rtl(r->machine.cosim);
    const bool have =
        (captured || checked || bundle) && device_clone(&s.before, &r->memory, &s.arena, d);
    bool ok = diag_ok(d) && step_on_sm(r, k, l, &r->memory, d);
    judge_blocks(&r->machine, d);
    ok = ok && diag_ok(d);
    if (ok && (checked || captured)) ok = check_launch(&s, d);
    if (captured && have) write_capture(&s, ok);
    if (d->status == EXIT_MISMATCH && bundle && have) write_bundle(&s);
    device_close(&r->pristine);
    device_close(&s.before);
    arena_free(&s.arena);
    return ok;
}

void simulate_result(Context *c, LoadedKernel *k, const KernelLaunch *l, Diag *d) {
    Run *r = &c->run;
    const SessionOptions *o = r->setup.o;
    r->oracle_prints = c->prints;
    r->oracle_quiet = !o->check_race && !o->check_strict;
    step_on_oracle(r, k, l, &r->memory, d);
    r->oracle_prints = NULL;
    r->oracle_quiet = false;
}
