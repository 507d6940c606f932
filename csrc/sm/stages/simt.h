// SPDX-License-Identifier: Apache-2.0
// The SIMT stack: the next instruction of a warp and its lanes.
#ifndef SMCOSIM_SM_STAGES_SIMT_H
#define SMCOSIM_SM_STAGES_SIMT_H

#include "sm/flight.h"

void simt_next(Sm *sm, int warp);  // to pc + 1
void simt_branch(Sm *sm, int warp, uint32_t taken, int target, int reconv);
void simt_split(Sm *sm, int warp, int n, const int *target, const uint32_t *mask, int reconv);
void simt_exit(Sm *sm, int warp, uint32_t lanes);

#endif
