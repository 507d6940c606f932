// SPDX-License-Identifier: Apache-2.0
// Do options, architecture and machine suit each other? If not, names machines that would.
#include "session/run_parts.h"

#include "systems/systems.h"

#include <string.h>

// With several SMs, options that show one SM require --lockstep-sm.
static bool check_sms(const SessionOptions *o, const MachineConfig *cfg, Diag *d) {
    if (o->sms < 2)
        return !o->lockstep_sm ||
            diag_fail(d, EXIT_USAGE, "--lockstep-sm: the run has one SM, expected --sms N");
    if (!gpu_check(&o->arch, cfg, (int)o->sms, d)) return false;
    const char *shown = o->wave ? "--wave" : o->trace ? "--trace" : NULL;
    if (o->lockstep_sm > (int)o->sms)
        return diag_fail(d, EXIT_USAGE,
                         "--lockstep-sm: %d is out of range, expected 0 to %d or all",
                         o->lockstep_sm - 1, (int)o->sms - 1);
    return !shown || o->lockstep_sm ||
        diag_fail(d, EXIT_USAGE, "%s shows one of the %d SMs: expected --lockstep-sm K", shown,
                  (int)o->sms);
}

static bool check_codec(const SessionOptions *o, const MachineConfig *cfg, Diag *d) {
    if (o->check_codec && !arch_has_routines(&o->arch))
        return diag_fail(d, EXIT_USAGE,
                         "--check codec: expected an architecture whose assist warps compress "
                         "lines (caba-bdi, ..), found %s",
                         o->arch.name);
    if (o->check_codec && cfg->caba_check != CABA_CHECK_CODEC)
        return diag_fail(d, EXIT_USAGE, "--check codec: expected caba.check codec, found none");
    return true;
}

static bool check_options(Arena *arena, const MachineConfig *cfg, const SessionOptions *o,
                          Diag *d) {
    MachineConfig own = *cfg;
    const Setup s = {.arena = arena, .o = o, .cfg = &own};
    bool rtl;
    if (!check_codec(o, cfg, d) || !arch_machine(&o->arch, &own, d) || !config_check(&own, d))
        return false;
    return check_sms(o, &own, d) && machine_check_blocks(&s, &rtl, d) &&
        arch_check(&o->arch, &own, rtl, d);
}

static bool open_machine(Run *r, Diag *d) {
    const bool ok = machine_open(&r->machine, &r->setup, &r->use, &r->memory, d);
    if (r->machine.cosim) r->report->notes = cosim_notes(r->machine.cosim);
    return ok;
}

// Does the architecture run on this machine, with the keys of the options, on golden models?
static bool is_suited(const SessionOptions *options, const char *machine) {
    Arena arena = {0};
    Diag d = {0};
    MachineConfig cfg;
    LaunchReport scratch = {.name = machine};
    SessionOptions o = {.arch = options->arch,
                        .machine = machine,
                        .blocks = "model",
                        .sms = options->sms,
                        .nsets = options->nsets,
                        .data_dir = options->data_dir,
                        .cache_dir = options->cache_dir,
                        .stop = options->stop};
    memcpy(o.sets, options->sets, sizeof o.sets);
    Run r;
    run_begin(&r, &arena, &o, &scratch);
    bool suits = session_config(&cfg, &arena, &o, &d) && check_options(&arena, &cfg, &o, &d) &&
        device_open(&r.memory, &arena, &d);
    if (suits) {
        r.setup.cfg = r.given = setup_machine(&arena, &o.arch, &cfg);
        suits = open_machine(&r, &d);
    }
    run_end(&r);
    arena_free(&arena);
    return suits;
}

// If the machine is the reason for the refusal, appends the presets on which the architecture runs.
static void suggest_machines(const SessionOptions *o, Diag *d) {
    Arena arena = {0};
    const char **names, *list = "";
    const bool other = d->status != EXIT_USAGE || !o->machine || is_suited(o, o->machine);
    const int n = other ? 0 : config_presets(&arena, o->data_dir, &names);
    for (int i = 0; i < n; i++)
        if (is_suited(o, names[i]))
            list = arena_printf(&arena, "%s%s%s", list, *list ? ", " : "", names[i]);
    const size_t at = strlen(d->text);
    if (*list)
        snprintf(d->text + at, sizeof d->text - at, "; %s runs on --machine %s", o->arch.name,
                 list);
    arena_free(&arena);
}

bool session_check(Arena *arena, const MachineConfig *cfg, const SessionOptions *o, Diag *d) {
    if (check_options(arena, cfg, o, d)) return true;
    suggest_machines(o, d);
    return false;
}

bool run_open_machine(Run *r, Diag *d) {
    if (open_machine(r, d)) return true;
    suggest_machines(r->setup.o, d);
    return false;
}
