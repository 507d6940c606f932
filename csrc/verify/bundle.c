// SPDX-License-Identifier: Apache-2.0
// What a failing block leaves for whoever looks into it: text, stimulus, configuration.
#include "verify/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool make_directories(char *path) {
    for (char *p = path + 1;; p++) {
        if (*p && *p != '/') continue;
        const char end = *p;
        *p = '\0';
        const bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
        *p = end;
        if (!ok || !end) return ok;
    }
}

static bool unwritable(const char *path, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

bool verify_dump(const char *path, const Stimulus *s, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) return unwritable(path, d);
    stimulus_write(f, s);
    const bool ok = !ferror(f);
    return (fclose(f) == 0 && ok) || unwritable(path, d);
}

static bool write_text(const char *path, const char *text, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) return unwritable(path, d);
    const bool ok = fprintf(f, "%s\n", text) > 0;
    return (fclose(f) == 0 && ok) || unwritable(path, d);
}

static bool write_config(const char *path, const MachineConfig *cfg, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) return unwritable(path, d);
    config_print(f, cfg);
    const bool ok = !ferror(f);
    return (fclose(f) == 0 && ok) || unwritable(path, d);
}

bool verify_bundle(Arena *arena, const char *dir, const VerifyReport *r, int block, const Stimulus *s, Diag *d) {
    char *folder = arena_printf(arena, "%s", dir);
    if (!make_directories(folder)) return unwritable(dir, d);
    if (!write_text(arena_printf(arena, "%s/mismatch.txt", dir), verify_failure_text(arena, r, block), d)) return false;
    if (!write_config(arena_printf(arena, "%s/config.yaml", dir), verify_config(r, block), d)) return false;
    return !s || verify_dump(arena_printf(arena, "%s/stimulus.txt", dir), s, d);
}
