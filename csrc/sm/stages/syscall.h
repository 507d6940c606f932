// SPDX-License-Identifier: Apache-2.0
// System calls of device code.
#ifndef SMCOSIM_SM_STAGES_SYSCALL_H
#define SMCOSIM_SM_STAGES_SYSCALL_H

#include "sm/flight.h"

void syscall_execute(Sm *sm, Flight *f);

#endif
