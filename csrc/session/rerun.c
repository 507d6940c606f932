// SPDX-License-Identifier: Apache-2.0
// Repeated runs: for the wave of a mismatch, and without followers.
#include "session/run_parts.h"

#include <stdlib.h>
#include <string.h>

// ---- the wave of a mismatch ----

bool session_again(Arena *arena, const char *path, const MachineConfig *cfg,
                   const SessionOptions *options, SessionAgain *a, Diag *d) {
    LaunchReport scratch = {.name = path};
    SessionOptions o = *options;
    Run r;
    o.check_oracle = o.check_retire = o.check_race = o.check_strict = false;
    o.wave = a->wave;
    run_begin(&r, arena, &o, &scratch);
    r.given = cfg;
    r.use.again = a;
    Diag run = {0}, finish = {0};
    session_simulate(&r, path, &run);
    const bool begun = r.machine.gpu != NULL;
    if (begun) machine_finish(&r.machine, true, &finish);
    const Mismatch *m = begun ? cosim_mismatch(r.machine.cosim) : NULL;
    a->found = m != NULL;
    if (m) a->met = *m, a->waved = cosim_has_wave(r.machine.cosim);
    a->status = m ? EXIT_MISMATCH : run.status;
    run_end(&r);
    if (begun && (m || run.status != EXIT_INTERRUPTED)) return true;
    *d = run;
    return false;
}

// Repeats the run from its beginning, up to the mismatch.
static CosimReplay run_again(Run *r, const Mismatch *first, Diag *d) {
    SessionAgain again = {.wave = cosim_replay_wave(r->machine.cosim, first->cycle)};
    SessionOptions o = *r->setup.o;
    if (r->machine.nsms > 1) o.lockstep_sm = r->machine.mismatch_sm + 1;
    if (!session_again(r->setup.arena, r->report->path, r->given, &o, &again, d))
        return COSIM_REPLAY_FAILED;
    if (!again.found || !cosim_same_mismatch(first, &again.met)) {
        cosim_replay_differs(first, again.found ? &again.met : NULL, d);
        return COSIM_REPLAY_DIFFERS;
    }
    if (again.waved) return COSIM_REPLAY_SAME;
    diag_fail(d, EXIT_ENVIRONMENT, "%s: the wave could not be written", again.wave);
    return COSIM_REPLAY_FAILED;
}

// from: cycle of the snapshot, 0: from the beginning.
static const char *tell_wave(Arena *arena, const char *dir, uint64_t from) {
    const char *how = from
        ? arena_printf(arena, "resuming from the snapshot of cycle %llu", (unsigned long long)from)
        : "running again";
    const char *wave = arena_shell_word(arena, arena_printf(arena, "%s/mismatch.fst", dir));
    const char *save = arena_shell_word(arena, arena_printf(arena, "%s/mismatch.gtkw", dir));
    return arena_printf(arena, "%s reproduced the same mismatch; wave: gtkwave %s %s", how, wave,
                        save);
}

bool rerun_for_wave(Run *r, Diag *d) {
    Cosim *cosim = r->machine.cosim;
    Arena *arena = r->setup.arena;
    const Mismatch *m = cosim_mismatch(cosim);
    const char *dir = r->setup.o->bundle_dir;
    if (!m || !dir || cosim_has_wave(cosim)) return true;
    uint64_t from = 0;
    Diag replay = {0};
    CosimReplay result = cosim_replay(cosim, &from, &replay);
    if (result == COSIM_REPLAY_NONE) result = run_again(r, m, &replay);
    if (result == COSIM_REPLAY_SAME) return r->report->replay = tell_wave(arena, dir, from), true;
    r->report->replay = arena_printf(arena, "no wave of the mismatch: %s", replay.text);
    if (result != COSIM_REPLAY_DIFFERS) return true;
    r->report->replay = arena_printf(arena, "%s", replay.text);
    return diag_fail(d, EXIT_NONDETERMINISTIC, "%s", replay.text);
}

// ---- threads that follow the SM ----

// Threads pay off if a block is in lockstep and none must be in step with the SM (machine.c has the
// full check).
static bool may_follow(const SessionOptions *o) {
    return o->threads > 1 && o->sms < 2 && strcmp(o->blocks, "model") && strcmp(o->blocks, "rtl") &&
        !o->wave && !o->fault;
}

// Is the mismatch of the run with one thread the one that a follower met?
static bool is_met_again(const Mismatch *ahead, const LaunchReport *report, Diag *d) {
    return report->status == EXIT_MISMATCH || report->status == EXIT_INTERRUPTED ||
        report->status == EXIT_ENVIRONMENT || cosim_replay_differs(ahead, NULL, d);
}

// Repeats the run from its beginning with the RTL in step. Report and bundle are those of one
// thread.
static bool repeat_in_step(LaunchReport *report, Arena *arena, const char *path,
                           const MachineConfig *cfg, const SessionOptions *o, const Mismatch *ahead,
                           Diag *d) {
    Attempt again = {.threads = 1, .prints = stderr};
    *d = (Diag){0};
    const bool ok = session_attempt(report, arena, path, cfg, o, &again, d);
    if (is_met_again(ahead, report, d)) return ok;
    report->status = d->status;
    report->message = arena_strndup(arena, d->text, strlen(d->text));
    return false;
}

bool rerun_chosen(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                  const SessionOptions *o, Diag *d) {
    Attempt first = {.threads = (int)o->threads};
    char *printed = NULL;
    size_t n = 0;
    if (may_follow(o)) first.prints = open_memstream(&printed, &n);
    if (!first.prints) {
        first = (Attempt){.threads = 1, .prints = stderr};
        return session_attempt(report, arena, path, cfg, o, &first, d);
    }
    bool ok = session_attempt(report, arena, path, cfg, o, &first, d);
    fclose(first.prints);
    if (!first.ahead.block) fwrite(printed, 1, n, stderr);
    else ok = repeat_in_step(report, arena, path, cfg, o, &first.ahead, d);
    free(printed);
    return ok;
}
