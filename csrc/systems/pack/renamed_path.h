// SPDX-License-Identifier: Apache-2.0
// What the systems that share the renaming operand path tell it: System.mode.
#ifndef SMCOSIM_SYSTEMS_RENAMED_PATH_H
#define SMCOSIM_SYSTEMS_RENAMED_PATH_H

#include "sm/parts/operand_path.h"

typedef struct RenamedMode {
    int policy;    // AU_*: where a register goes
    int coalesce;  // CO_*: which registers are read together
    bool lowest;   // first fit begins at the lowest bank (rename.order auto)
    bool packs;    // registers are stored in as few bytes as their value needs
} RenamedMode;

extern const OperandPath path_renamed;

#endif
