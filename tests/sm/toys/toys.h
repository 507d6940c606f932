// SPDX-License-Identifier: Apache-2.0
// Toy systems: one part each, in a file of its own, small enough to show how a part is written.
// main.c runs kernels with each, alone and all together, beside the project's systems.
#ifndef SMCOSIM_TESTS_SM_TOYS_H
#define SMCOSIM_TESTS_SM_TOYS_H

#include "report/report.h"
#include "sm/state.h"

#include <string.h>

// Common state of the runs of a toy: the same launch without the toy, and with it.
typedef struct ToyRun {
    const LaunchReport *without, *with;
    const MachineConfig *cfg;
    bool renames;
} ToyRun;

typedef struct Toy {
    const System *system;
    // After a run that passed retire check and oracle: was the toy active? NULL: yes; else the
    // expected effect. `alone`: no other toy has changed the timing.
    const char *(*seen)(const ToyRun *run, bool alone);
} Toy;

static inline uint64_t toy_count(const LaunchReport *r, CounterId id) { return r->counters.v[id]; }

extern const Toy toy_admission, toy_board, toy_clocked, toy_codec, toy_fair, toy_gate, toy_halves,
    toy_hazards, toy_late, toy_listener, toy_load, toy_path, toy_places, toy_regions, toy_sched,
    toy_source, toy_stream, toy_units;

#endif
