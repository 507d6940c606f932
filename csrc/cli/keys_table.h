// SPDX-License-Identifier: Apache-2.0
// Keys of a machine and the values in the presets: smcosim list config, smcosim help KEY,
// config/KEYS.md.
#ifndef SMCOSIM_CLI_KEYS_TABLE_H
#define SMCOSIM_CLI_KEYS_TABLE_H

#include "config/config.h"

typedef struct KeysTable {
    Arena *arena;
    const char *data_dir;  // folder that contains the folder machines
    const char **names;    // of the presets
    const MachineConfig *presets;
    int npresets;
} KeysTable;

bool keys_load(KeysTable *t, Arena *arena, const char *data_dir, Diag *d);
// Does the preset's value differ from the default?
bool keys_differ(const KeysTable *t, int key, int preset);
// Prints a line with default, range and meaning. presets: also a line of presets with another
// value.
void keys_line(FILE *out, const KeysTable *t, int key, bool presets);
// Prints a line per preset with another value, and one for fermi, whose values are the defaults:
// value and source.
void keys_sources(FILE *out, const KeysTable *t, int key);

#endif
