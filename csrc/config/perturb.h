// SPDX-License-Identifier: Apache-2.0
// Changes of a perturbed run (--spread): small differences in time that no result may depend on. A
// generator (splitmix64) that perturb.run seeds draws them, so a run can be repeated by its number.
// Run 0 has none. The compiler does not see them: all runs execute the same program.
#ifndef SMCOSIM_CONFIG_PERTURB_H
#define SMCOSIM_CONFIG_PERTURB_H

#include "config/config.h"

// SM cycles by which the round trip to DRAM is longer, from -perturb.dram to perturb.dram.
int perturb_dram(const MachineConfig *cfg);
// SM cycles by which a CTA (its number in the grid) starts late, from 0 to perturb.start.
int perturb_start(const MachineConfig *cfg, uint64_t cta);

#endif
