// SPDX-License-Identifier: Apache-2.0
// The oracle's findings about a program: lines of the report, and the verdicts `race` and
// `undefined`.
#ifndef SMCOSIM_SESSION_FINDINGS_H
#define SMCOSIM_SESSION_FINDINGS_H

#include "session/session.h"
#include "oracle/oracle.h"

bool findings_race(const OracleFindings *f);
// Fills the report's findings and counts. d has the verdict so far, and is set to the final one. A
// race sets `race` if a check for races was requested, or if it may explain a difference. With
// --check strict, behavior that PTX leaves undefined sets `undefined`.
bool findings_judge(LaunchReport *report, const OracleFindings *f, const SessionOptions *o,
                    Arena *arena, Diag *d);

#endif
