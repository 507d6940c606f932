// SPDX-License-Identifier: Apache-2.0
// Launch files, PTX and data in a folder of their own, for the tests of csrc/launch.
#ifndef TEST_LAUNCH_HARNESS_H
#define TEST_LAUNCH_HARNESS_H

#include "launch/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Folder {
    Arena arena;
    char path[64];
} Folder;

static inline void folder_open(Folder *f) {
    memset(f, 0, sizeof *f);
    strcpy(f->path, "/tmp/smcosim-launch-XXXXXX");
    assert_non_null(mkdtemp(f->path));
}

static inline const char *folder_file(Folder *f, const char *name) {
    return arena_printf(&f->arena, "%s/%s", f->path, name);
}

static inline void folder_write(Folder *f, const char *name, const void *bytes, size_t n) {
    FILE *out = fopen(folder_file(f, name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

static inline void folder_text(Folder *f, const char *name, const char *text) {
    folder_write(f, name, text, strlen(text));
}

static inline void folder_close(Folder *f) {
    const char *command = arena_printf(&f->arena, "rm -r %s", f->path);
    assert_int_equal(system(command), 0);
    arena_free(&f->arena);
}

static inline bool contains(const char *text, const char *part) {
    if (strstr(text, part)) return true;
    print_error("`%s` is not in:\n%s\n", part, text);
    return false;
}

#endif
