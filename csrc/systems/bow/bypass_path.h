// SPDX-License-Identifier: Apache-2.0
// Operand path of systems with one bypassing collector per warp (BOW).
#ifndef SMCOSIM_SYSTEMS_BYPASS_PATH_H
#define SMCOSIM_SYSTEMS_BYPASS_PATH_H

#include "sm/parts/operand_path.h"

// What becomes of results: kept and written; kept, and written when they leave the window; by the
// compiler's bits; written, and nothing is forwarded.
typedef enum BypassRule { BYPASS_THROUGH, BYPASS_BACK, BYPASS_BITS, BYPASS_OFF } BypassRule;

// What a system tells its path.
typedef struct BypassMode {
    BypassRule rule;
} BypassMode;

extern const OperandPath path_bypass;

#endif
