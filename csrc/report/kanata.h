// SPDX-License-Identifier: Apache-2.0
// The pipeline of an SM as a file of the viewer Konata (Kanata 0004): a row for each instruction in
// flight, with its stages.
#ifndef SMCOSIM_REPORT_KANATA_H
#define SMCOSIM_REPORT_KANATA_H

#include "sm/sm.h"

typedef struct Kanata Kanata;

// Does the value of --trace name such a file (F.kanata, F.kanata:FROM-TO)?
bool kanata_asked(const char *spec);
// spec as in trace_open. NULL: EXIT_USAGE, EXIT_ENVIRONMENT.
Kanata *kanata_open(Arena *arena, const char *spec, Diag *d);
// Instructions that begin within the range are written until they end.
void kanata_step(Kanata *k, uint64_t cycle, const SmStep *s);
bool kanata_close(Kanata *k, Diag *d);

#endif
