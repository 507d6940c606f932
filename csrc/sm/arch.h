// SPDX-License-Identifier: Apache-2.0
// Architectures by name: what --arch chooses. A name is a plain system or a combination joined by
// colons ("corf++:rfv"); each system says which plug points it sets.
#ifndef SMCOSIM_SM_ARCH_H
#define SMCOSIM_SM_ARCH_H

#include "base/diag.h"
#include "sm/parts/path.h"

typedef struct Arch {
    char name[64];              // canonical: "corf++:rfv"
    const RegPath *path;
    int policy, coalesce;       // of alloc_unit and coalescer; systems/renamed_path.c only
    bool packs;                 // registers are stored in as few bytes as their value needs
    bool frees;                 // registers are freed at their last use (register virtualisation)
    unsigned hints;             // bit k: metadata of IsaHint k, that the kernel carries
} Arch;

// EXIT_USAGE with the reason for an unknown system or a combination that cannot work.
bool arch_parse(const char *text, Arch *a, Diag *d);
// Can the machine's settings be had with these blocks (--blocks)? EXIT_USAGE: rename.ideal without golden models.
bool arch_check(const Arch *a, const MachineConfig *cfg, const char *blocks, Diag *d);
// Names that `list archs` prints, with what they are.
typedef struct ArchInfo { const char *name, *what; } ArchInfo;
int arch_list(const ArchInfo **list);

#endif
