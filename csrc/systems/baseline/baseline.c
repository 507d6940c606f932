// SPDX-License-Identifier: Apache-2.0
// The baseline: the machine of the configuration. A system without a part of its own uses the
// baseline's part.
#include "systems/baseline/banked_path.h"
#include "systems/systems.h"

const System system_baseline = {.name = "baseline",
                                .what = "banked register file, single-port operand collectors",
                                .group = SYSTEM_BASELINE,
                                .with = 0,
                                .reason = "it is the default without another system",
                                .figures = figures_reuse,
                                .path = &path_banked};
