// SPDX-License-Identifier: Apache-2.0
// caba.profile: which launch files get assist warps that compress (CABA, section 6: programs that
// are bound by bandwidth and whose lines compress by a tenth; the others run without).
#ifndef SMCOSIM_SESSION_PROFILE_H
#define SMCOSIM_SESSION_PROFILE_H

#include "session/session.h"

bool profile_asked(const SessionOptions *o, const MachineConfig *cfg);
// Measures the launch file on golden models: on the baseline how long the DRAM bus is busy, then on
// the architecture how many bursts its lines take. Fills o->profile; what is left out gets the
// baseline for its architecture.
// False: it could not be run (the status is that of the run), or an option names a block that the
// baseline lacks.
bool profile_choose(SessionOptions *o, const char *path, const MachineConfig *cfg, Diag *d);

#endif
