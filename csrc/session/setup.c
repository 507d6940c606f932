// SPDX-License-Identifier: Apache-2.0
// Derives the machine's parameters from the options, and the compiler's options from both.
#include "session/run_parts.h"

#include "systems/systems.h"

#include <string.h>

bool session_config(MachineConfig *cfg, Arena *arena, const SessionOptions *o, Diag *d) {
    if (!config_load(cfg, arena, o->data_dir, o->machine, d)) return false;
    for (int i = 0; i < o->nsets; i++)
        if (!config_set(cfg, o->sets[i], d)) return false;
    return config_check(cfg, d);
}

bool setup_needs_oracle(const SessionOptions *o) {
    return o->check_oracle || o->check_race || o->check_strict;
}

bool session_set_checks(SessionOptions *o, const char *value, Diag *d) {
    static const char *const names[] = {"retire", "oracle", "race", "strict", "codec"};
    bool *const checks[] = {&o->check_retire, &o->check_oracle, &o->check_race, &o->check_strict,
                            &o->check_codec};
    for (const char *p = value;;) {
        const size_t n = strcspn(p, ",");
        size_t i = 0;
        while (i < sizeof names / sizeof *names &&
               (strlen(names[i]) != n || strncmp(p, names[i], n)))
            i++;
        if (i == sizeof names / sizeof *names)
            return diag_fail(d, EXIT_USAGE,
                             "--check: '%.*s' is not one of retire, oracle, race, strict, codec",
                             (int)n, p);
        *checks[i] = true;
        if (!p[n]) return true;
        p += n + 1;
    }
}

MachineConfig *setup_machine(Arena *arena, const Arch *arch, const MachineConfig *cfg) {
    MachineConfig *own = ARENA_NEW(arena, MachineConfig);
    Diag d = {0};
    *own = *cfg;
    panic_if(!arch_machine(arch, own, &d), "%s", d.text);  // session_check has checked it
    return own;
}

CompileScalar session_scalar(const MachineConfig *cfg) {
    switch (cfg->scalar_paradigm) {
    case PARADIGM_PREFETCH: return COMPILE_SCALAR_PREFETCH;
    case PARADIGM_DIVERGENCE: return COMPILE_SCALAR_DIVERGENCE;
    case PARADIGM_EXTRACT: return COMPILE_SCALAR_EXTRACT;
    case PARADIGM_AUTO: return COMPILE_SCALAR_AUTO;
    default: return COMPILE_SCALAR_NONE;
    }
}

CompileOptions session_compile_options(const Arch *arch, const MachineConfig *cfg) {
    const CompilerPart *part = &arch->compiler;
    CompileOptions o = {.max_regs = cfg->sm_regs_per_thread - part->reserve,
                        .cfg = cfg,
                        .packs = part->packs,
                        .hints = part->hints,
                        .regions = part->regions,
                        .shared = part->shared,
                        .memo = part->memo,
                        .strides = part->strides};
    if (part->beside) o.scalar = session_scalar(cfg);
    if (part->scalars) o.scalar_regs = config_scalar_regs(cfg);
    if (part->write_bits)
        o.window = (WindowNeed){.places = cfg->bow_window,
                                .rows = config_bow_rows(cfg, part->half),
                                .homeless = part->homeless};
    return o;
}
