// SPDX-License-Identifier: Apache-2.0
// Machine files: read, check. The first line is given to --set as well.
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0}, other = {0};
    MachineConfig cfg;
    fuzz_machine(&cfg);
    const char *path = fuzz_file("machine.yaml", data, size);
    if (config_load(&cfg, &arena, FUZZ_DATA_DIR, path, &d)) config_check(&cfg, &d);
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    const char *line = arena_strndup(&arena, (const char *)data, end ? (size_t)(end - data) : size);
    fuzz_machine(&cfg);
    if (config_set(&cfg, line, &other)) config_check(&cfg, &other);
    arena_free(&arena);
    return 0;
}
