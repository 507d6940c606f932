// SPDX-License-Identifier: Apache-2.0
// The program, prepared once per launch.
#ifndef SMCOSIM_SM_STAGES_DECODE_H
#define SMCOSIM_SM_STAGES_DECODE_H

#include "base/diag.h"
#include "sm/flight.h"

// For the kernel that is launched (its parameters are the constants). False: the launch is refused.
bool decode_program(Sm *sm, const IsaProgram *p, SmProgram *to, Diag *d);

#endif
