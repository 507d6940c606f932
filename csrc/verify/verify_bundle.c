// SPDX-License-Identifier: Apache-2.0
// The bundle of a failing block: text, stimulus, configuration.
#include "verify/verify_report.h"

#include "base/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool fail_unwritable(const char *path, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

bool verify_dump(const char *path, const Stimulus *s, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (f) stimulus_write(f, s);
    const bool ok = f && output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}

static bool write_config(Arena *arena, const char *path, const MachineConfig *cfg, Diag *d) {
    Output o;
    FILE *f = output_open(&o, arena, path, d);
    if (f) config_print(f, cfg);
    return f && output_close(&o, f, true, d);
}

// Removes the files of an earlier failure, but no files that are not part of a bundle.
static void remove_earlier(Arena *arena, const char *dir) {
    static const char *const names[] = {"mismatch.txt",  "config.yaml", "mismatch.fst",
                                        "mismatch.gtkw", "replay.yaml", "stimulus.txt",
                                        "shrunk.txt",    "shrunk.fst",  "shrunk.gtkw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(arena_printf(arena, "%s/%s", dir, names[i]));
}

bool verify_bundle(Arena *arena, const char *dir, const VerifyReport *r, int block,
                   const Stimulus *s, Diag *d) {
    if (!output_folders(dir)) return fail_unwritable(dir, d);
    const char *text = arena_printf(arena, "%s\n", verify_failure_text(arena, r, block));
    remove_earlier(arena, dir);
    Diag failed[3] = {0};
    output_text(arena_printf(arena, "%s/mismatch.txt", dir), text, strlen(text), &failed[0]);
    write_config(arena, arena_printf(arena, "%s/config.yaml", dir), verify_config(r, block),
                 &failed[1]);
    if (s) verify_dump(arena_printf(arena, "%s/stimulus.txt", dir), s, &failed[2]);
    const char *missing = "";
    for (int i = 0; i < 3; i++)
        if (!diag_ok(&failed[i])) missing = arena_printf(arena, "%s\n%s", missing, failed[i].text);
    return !*missing ||
        diag_fail(d, EXIT_ENVIRONMENT, "the bundle %s is not complete:%s", dir, missing);
}
