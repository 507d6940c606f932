// SPDX-License-Identifier: Apache-2.0
// The baseline's operand path: what stands where no system brings one.
#ifndef SMCOSIM_SM_SYSTEMS_BANKED_PATH_H
#define SMCOSIM_SM_SYSTEMS_BANKED_PATH_H

#include "sm/parts/path.h"

extern const OperandPath path_banked;

#endif
