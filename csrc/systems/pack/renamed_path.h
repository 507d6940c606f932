// SPDX-License-Identifier: Apache-2.0
// Parameters of the systems that share the renaming operand path: System.mode.
#ifndef SMCOSIM_SYSTEMS_RENAMED_PATH_H
#define SMCOSIM_SYSTEMS_RENAMED_PATH_H

#include "sm/parts/operand_path.h"

typedef struct RenamedMode {
    int policy;    // AU_*: place of a register
    int coalesce;  // CO_*: registers that are read together
    bool lowest;   // first fit begins at the lowest bank (rename.order auto)
    bool packs;    // registers occupy only the bytes of their value
} RenamedMode;

extern const OperandPath path_renamed;

#endif
