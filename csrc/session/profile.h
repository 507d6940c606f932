// SPDX-License-Identifier: Apache-2.0
// caba.profile selects the launch files that use compressing assist warps. CABA, section 6, selects
// programs that are bound by bandwidth and whose lines compress by a tenth. Other programs run
// without assist warps.
#ifndef SMCOSIM_SESSION_PROFILE_H
#define SMCOSIM_SESSION_PROFILE_H

#include "session/session.h"

bool profile_asked(const SessionOptions *o, const MachineConfig *cfg);
// Measures the launch file on golden models: the busy time of the DRAM bus on the baseline, then
// the bursts on the architecture. Fills o->profile. A launch file that is not selected gets the
// baseline as its architecture. False: the launch file could not run (with the status of the run),
// or an option names a block that the baseline lacks.
bool profile_choose(SessionOptions *o, const char *path, const MachineConfig *cfg, Diag *d);

#endif
