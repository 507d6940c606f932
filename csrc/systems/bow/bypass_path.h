// SPDX-License-Identifier: Apache-2.0
// Operand path of systems with one bypassing collector per warp (BOW).
#ifndef SMCOSIM_SYSTEMS_BYPASS_PATH_H
#define SMCOSIM_SYSTEMS_BYPASS_PATH_H

#include "sm/parts/operand_path.h"

// The destination of results: retained and written; retained, and written when they leave the
// window; by the compiler's bits; written without forwarding.
typedef enum BypassRule { BYPASS_THROUGH, BYPASS_BACK, BYPASS_BITS, BYPASS_OFF } BypassRule;

// Parameters of a system for its path.
typedef struct BypassMode {
    BypassRule rule;
} BypassMode;

extern const OperandPath path_bypass;

#endif
