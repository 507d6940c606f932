// SPDX-License-Identifier: Apache-2.0
// The architectures of compare and sweep, each with settings of its own:
// "baseline,corf++,oc.collectors=31" has two, and oc.collectors=31 belongs to the second.
#ifndef SMCOSIM_CLI_ARCH_COLUMNS_H
#define SMCOSIM_CLI_ARCH_COLUMNS_H

#include "report/compare_report.h"

enum { ARCH_COLUMN_SETS = 16 };

typedef struct ArchColumn {
    Arch arch;
    const char *label;                   // its canonical name and its settings
    const char *settings;                // the label behind the name
    const char *sets[ARCH_COLUMN_SETS];  // "key=value"
    int nsets;
} ArchColumn;

// Returns their number, 0 after EXIT_USAGE. Not accepted: an unknown system or key, a value out of
// range, the same architecture and settings twice, a setting before the first architecture.
int arch_columns(ArchColumn columns[COMPARE_MAX_ARCHS], Arena *arena, const char *text, Diag *d);
// Applies the settings of a column. EXIT_USAGE.
bool arch_column_apply(const ArchColumn *c, MachineConfig *cfg, Diag *d);

#endif
