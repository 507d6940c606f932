// SPDX-License-Identifier: Apache-2.0
// The part of a mismatch's bundle that reproduces the mismatch.
#ifndef SMCOSIM_SESSION_BUNDLE_H
#define SMCOSIM_SESSION_BUNDLE_H

#include "session/session.h"
#include "cosim/cosim_replay.h"
#include "launch/launch.h"

// Writes replay.yaml into o->bundle_dir: the options and the mismatch of SM `sm`. Copies all input
// files into its files/.
bool bundle_replay_file(Arena *arena, const Launch *launch, const SessionOptions *o,
                        const Mismatch *m, int sm, Diag *d);

// Sets a rerun's options from a replay file, with paths of RTL and machine relative to it; other
// fields of o are unchanged.
bool bundle_options(const ReplayFile *r, Arena *arena, const char *dir, MachineConfig *cfg,
                    SessionOptions *o, Diag *d);

// "banked_rf=files/a.sv,files/b.sv" with the bundle's folder.
const char *bundle_rtl(Arena *arena, const char *dir, const char *rtl);

#endif
