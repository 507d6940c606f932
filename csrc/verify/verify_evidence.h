// SPDX-License-Identifier: Apache-2.0
// Evidence from a failing stimulus: its wave, a smaller stimulus, the file that replays it.
#ifndef SMCOSIM_VERIFY_EVIDENCE_H
#define SMCOSIM_VERIFY_EVIDENCE_H

#include "verify/shrink.h"

// Drives the stimulus into golden model and RTL and writes a wave (CosimOptions.wave: "FILE",
// "FILE:FROM-TO") with its GTKWave save file. The last transactions are printed to `history` unless
// it is NULL. *met is the mismatch; its port is NULL if none occurred. False: the wave could not be
// made.
bool verify_wave(Arena *arena, const HarnessOptions *o, const MachineConfig *cfg, const Stimulus *s,
                 const char *wave, FILE *history, Mismatch *met, Diag *d);

// Shrinks `s` and writes it with its wave into the bundle: DIR/shrunk.txt, shrunk.fst, shrunk.gtkw.
// *summary receives a line for the user.
bool evidence_shrink(Arena *arena, const char *dir, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m,
                     const ShrinkLimits *limits, char **summary, Diag *d);

// Completes the bundle of a failure of smcosim verify, which holds mismatch.txt, config.yaml and
// stimulus.txt. Adds replay.yaml, mismatch.fst with its save file, and the shrunk stimulus. Appends
// transactions and shrunk stimulus to mismatch.txt. `command`: the user's command line.
bool evidence_verify(Arena *arena, const char *dir, const char *command, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m, char **summary,
                     Diag *d);

#endif
