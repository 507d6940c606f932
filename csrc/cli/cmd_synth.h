// SPDX-License-Identifier: Apache-2.0
// Shared by the files of smcosim synth.
#ifndef SMCOSIM_CLI_SYNTH_H
#define SMCOSIM_CLI_SYNTH_H

#include "config/config.h"
#include "sm/parts/system.h"
#include "synth/synth.h"

enum { SYNTH_CLI_LIST = 64, SYNTH_MAX_POINTS = 64 };

// One synthesis: a block in a shape, and the --set options of the kernel run at this point of a
// sweep.
typedef struct SynthPoint {
    const BlockDesc *desc;
    const int *params;
    const char *point, *set[3];
} SynthPoint;

typedef struct SynthSettings {
    Arch arch;  // n 0: not given
    const char *machine, *liberty_path, *sweep, *kernel, *power, *check, *update, *keep, *json,
        *csv;
    const char *sets[SYNTH_CLI_LIST], *params[SYNTH_CLI_LIST], *rtls[SYNTH_CLI_LIST];
    int nsets, nparams, nrtls;
    uint64_t nm, gate_level, jobs;
    uint64_t range[2];  // cycles, first and last
    double clock;
    SynthFlatten flatten;
    bool overheads, constants, bottom_up;
    Liberty liberty;
    const BlockDesc *blocks[SYNTH_CLI_LIST];
    int nblocks;
    SynthPoint *points;
    int npoints;
} SynthSettings;

SynthRequest synth_request(const SynthSettings *s, Arena *arena, const BlockDesc *desc,
                           const int *params);

// "iw=2..7", "entries=64,128": the configuration key of the named block parameter, and values.
// `follows`: a key that is set to four times the value (rows of a window; with --arch bow-wr-half
// twice); NULL: none.
typedef struct SynthSweep {
    const char *name, *key, *follows;
    int values[SYNTH_MAX_POINTS], n;
} SynthSweep;
bool synth_sweep(SynthSweep *sweep, Arena *arena, const BlockDesc *desc, const char *text, Diag *d);

// Runs the kernel at each point. If the architecture has no figures for a column, report->notes
// names the column.
int synth_kernels(const SynthSettings *s, Arena *arena, SynthReport *report);

// Checks whether --power is possible.
bool synth_power_check(const SynthSettings *s, Arena *arena, Diag *d);
// Runs the kernel with the block's RTL, fills the row's power.
int synth_powers(const SynthSettings *s, Arena *arena, SynthReport *report);

// --gate-level and --keep: simulates the measured netlists under the stimuli of `verify`;
// EXIT_MISMATCH if one differs.
int synth_gate_level(const SynthSettings *s, Arena *arena, SynthReport *report);

#endif
