// SPDX-License-Identifier: Apache-2.0
// Perturbed runs of a launch file, for the spread of its numbers (config/perturb.h).
#ifndef SMCOSIM_SESSION_SPREAD_H
#define SMCOSIM_SESSION_SPREAD_H

#include "session/session.h"

enum { SPREAD_LEAST = 2, SPREAD_MOST = 100 };  // runs

// session_run with perturb.run raised by `number`, on golden models: their counters are those of
// RTL. Options that observe the first run (wave, trace, faults, RTL of the user) have no effect.
bool session_perturbed(LaunchReport *report, Arena *arena, const char *path,
                       const MachineConfig *cfg, const SessionOptions *o, int number, Diag *d);
// Fills report->spread after a run that passed: its counters, and those of runs - 1 perturbed runs.
// A run that does not pass becomes the verdict, and its number is in the message.
bool session_spread(LaunchReport *report, Arena *arena, const MachineConfig *cfg,
                    const SessionOptions *o, int runs, Diag *d);

#endif
