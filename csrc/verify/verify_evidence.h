// SPDX-License-Identifier: Apache-2.0
// What is made of a failing stimulus: its wave, a smaller one, what replays it.
#ifndef SMCOSIM_VERIFY_EVIDENCE_H
#define SMCOSIM_VERIFY_EVIDENCE_H

#include "verify/shrink.h"

// Drives the stimulus into golden model and RTL with a wave (CosimOptions.wave: "FILE",
// "FILE:FROM-TO"; the GTKWave save file beside it). history: NULL or where the last transactions
// are printed. The mismatch met is in *met, port NULL when there is none. False when the wave could
// not be made.
bool verify_wave(Arena *arena, const HarnessOptions *o, const MachineConfig *cfg, const Stimulus *s,
                 const char *wave, FILE *history, Mismatch *met, Diag *d);

// Shrinks `s` and writes it with its wave into the bundle: DIR/shrunk.txt, shrunk.fst, shrunk.gtkw.
// A line for the user in *summary.
bool evidence_shrink(Arena *arena, const char *dir, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m,
                     const ShrinkLimits *limits, char **summary, Diag *d);

// Completes the bundle of a failure of smcosim verify, which holds mismatch.txt, config.yaml and
// stimulus.txt: adds replay.yaml, mismatch.fst with its save file, the shrunk stimulus, and appends
// transactions and shrunk stimulus to mismatch.txt. command: as it was given.
bool evidence_verify(Arena *arena, const char *dir, const char *command, const HarnessOptions *o,
                     const MachineConfig *cfg, const Stimulus *s, const Mismatch *m, char **summary,
                     Diag *d);

#endif
