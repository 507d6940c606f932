// SPDX-License-Identifier: Apache-2.0
#include "cli/arch_columns.h"

#include "systems/systems.h"

#include <string.h>

static bool add_setting(ArchColumn *columns, int n, Arena *arena, const char *word, Diag *d) {
    if (!n)
        return diag_fail(d, EXIT_USAGE, "--arch: found '%s', expected an architecture before it",
                         word);
    ArchColumn *c = &columns[n - 1];
    if (c->nsets == ARCH_COLUMN_SETS)
        return diag_fail(d, EXIT_USAGE, "--arch: '%s' has more than %d settings", c->arch.name,
                         ARCH_COLUMN_SETS);
    MachineConfig scratch = {0};
    c->sets[c->nsets++] = word;
    c->label = arena_printf(arena, "%s,%s", c->label, word);
    c->settings = c->label + strlen(c->arch.name);
    return arch_column_apply(&(ArchColumn){.label = c->label, .sets = {word}, .nsets = 1}, &scratch,
                             d);
}

static bool add_arch(ArchColumn *c, Arena *arena, const char *word, Diag *d) {
    if (!arch_parse(word, &c->arch, d)) return false;
    c->label = arena_strndup(arena, c->arch.name, strlen(c->arch.name));
    c->settings = "";
    return true;
}

static bool check_distinct(const ArchColumn *columns, int n, Diag *d) {
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(columns[i].label, columns[k].label))
                return diag_fail(d, EXIT_USAGE, "--arch: '%s' twice", columns[i].label);
    return true;
}

int arch_columns(ArchColumn columns[COMPARE_MAX_ARCHS], Arena *arena, const char *text, Diag *d) {
    int n = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const char *word = arena_strndup(arena, at, length);
        if (strchr(word, '=')) {
            if (!add_setting(columns, n, arena, word, d)) return 0;
        } else {
            if (n == COMPARE_MAX_ARCHS)
                return diag_fail(d, EXIT_USAGE, "--arch: more than %d architectures",
                                 COMPARE_MAX_ARCHS);
            if (!add_arch(&columns[n++], arena, word, d)) return 0;
        }
        at += length;
        if (!*at) return check_distinct(columns, n, d) ? n : 0;
    }
}

bool arch_column_apply(const ArchColumn *c, MachineConfig *cfg, Diag *d) {
    for (int i = 0; i < c->nsets; i++)
        if (!config_set_for(cfg, "--arch", c->label, c->sets[i], d)) return false;
    return true;
}
