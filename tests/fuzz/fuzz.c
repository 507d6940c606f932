// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char scratch[] = "/tmp/smcosim-fuzz-XXXXXX";
static double limit;
static unsigned long inputs;

static void remove_scratch(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0) perror(scratch);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *seconds = getenv("FUZZ_CPU_SECONDS");
    limit = seconds ? atof(seconds) : 0;
    if (!mkdtemp(scratch)) {
        perror(scratch);
        _exit(7);
    }
    atexit(remove_scratch);
    return 0;
}

void fuzz_begin(void) {
    inputs++;
    if (!limit || inputs % 16 || (double)clock() / CLOCKS_PER_SEC < limit) return;
    fprintf(stderr, "%lu inputs in %.0f CPU seconds, no finding\n", inputs, limit);
    remove_scratch();
    _exit(0);  // libFuzzer takes exit() for a fault of the target
}

const char *fuzz_file(const char *name, const uint8_t *data, size_t size) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
        perror(path);
        _exit(7);
    }
    return path;
}

void fuzz_machine(MachineConfig *cfg) {
    *cfg = (MachineConfig){0};
#define CFG(field, key, def, least, most, unit, meaning) cfg->field = def;
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
}
