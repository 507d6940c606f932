// SPDX-License-Identifier: Apache-2.0
#include "cli/keys_table.h"

#include <string.h>

bool keys_load(KeysTable *t, Arena *arena, const char *data_dir, Diag *d) {
    *t = (KeysTable){.arena = arena, .data_dir = data_dir};
    t->npresets = config_presets(arena, data_dir, &t->names);
    MachineConfig *presets = ARENA_ARRAY(arena, MachineConfig, t->npresets + 1);
    for (int i = 0; i < t->npresets; i++)
        if (!config_load(&presets[i], arena, data_dir, t->names[i], d)) return false;
    t->presets = presets;
    return true;
}

bool keys_differ(const KeysTable *t, int key, int preset) {
    const char *value = config_key_value(t->arena, key, &t->presets[preset]);
    return strcmp(value, config_key_info(t->arena, key).usual) != 0;
}

void keys_line(FILE *out, const KeysTable *t, int key, bool presets) {
    const ConfigInfo k = config_key_info(t->arena, key);
    int others = 0;
    fprintf(out, "%-21s %-12s %-28s %s\n", k.name, k.usual, k.range, k.meaning);
    for (int i = 0; presets && i < t->npresets; i++)
        if (keys_differ(t, key, i))
            fprintf(out, "%s%s %s", others++ ? ", " : "                      ", t->names[i],
                    config_key_value(t->arena, key, &t->presets[i]));
    if (others) fputc('\n', out);
}

void keys_sources(FILE *out, const KeysTable *t, int key) {
    for (int i = 0; i < t->npresets; i++) {
        const char *source = config_key_source(t->arena, t->data_dir, t->names[i], key);
        const bool is_default = !strcmp(t->names[i], "fermi");
        if (keys_differ(t, key, i) || (is_default && *source))
            fprintf(out, *source ? "    %-14s %-10s %s\n" : "    %-14s %s\n", t->names[i],
                    config_key_value(t->arena, key, &t->presets[i]), source);
    }
}
