// SPDX-License-Identifier: Apache-2.0
// Occupancy, CTA dispatch, the slots of CTAs and warps.
#ifndef SMCOSIM_SM_STAGES_CTA_H
#define SMCOSIM_SM_STAGES_CTA_H

#include "base/diag.h"
#include "sm/flight.h"

// Computes the occupancy and refuses a kernel that cannot run. Fills gpu->info and the SM's kernel
// fields.
bool cta_plan(Sm *sm, Diag *d);
void cta_dispatch(Sm *sm);             // launches at most one CTA
void cta_warp_done(Sm *sm, int warp);  // all threads ended and nothing in flight

#endif
