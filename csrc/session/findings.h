// SPDX-License-Identifier: Apache-2.0
// What the oracle noticed about a program: lines of the report, and the verdicts `race` and
// `undefined`.
#ifndef SMCOSIM_SESSION_FINDINGS_H
#define SMCOSIM_SESSION_FINDINGS_H

#include "session/session.h"
#include "oracle/oracle.h"

bool findings_race(const OracleFindings *f);
// Fills the report's findings and counts. d holds the verdict so far, and then the final one: a
// race that was looked for, or that may explain a difference, becomes `race`; with --check strict
// what PTX leaves undefined becomes `undefined`.
bool findings_judge(LaunchReport *report, const OracleFindings *f, const SessionOptions *o,
                    Arena *arena, Diag *d);

#endif
