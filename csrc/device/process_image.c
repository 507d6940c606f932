// SPDX-License-Identifier: Apache-2.0
#include "device/process_image.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// /proc may be that of another namespace.
static FILE *open_proc(pid_t pid, const char *file) {
    char path[40], self[20] = "";
    if (readlink("/proc/self", self, sizeof self - 1) < 0 || strtol(self, NULL, 10) != getpid())
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return fopen(path, "rb");
}

bool process_read_image(pid_t pid, uint64_t *image) {
    Elf64_auxv_t entry;
    FILE *f = open_proc(pid, "auxv");
    *image = 0;
    while (f && !*image && fread(&entry, sizeof entry, 1, f) == 1 && entry.a_type != AT_NULL)
        if (entry.a_type == AT_RANDOM) *image = entry.a_un.a_val;
    if (f) fclose(f);
    return f != NULL;
}

bool process_is_running(pid_t pid) {
    char text[200] = "";
    if (kill(pid, 0) && errno != EPERM) return false;
    FILE *f = open_proc(pid, "stat");
    if (!f) return true;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    const char *state = strrchr(text, ')');
    return !state || strncmp(state, ") Z", 3) != 0;
}
