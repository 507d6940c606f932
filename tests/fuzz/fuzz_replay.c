// SPDX-License-Identifier: Apache-2.0
// Bundles: replay.yaml as somebody else may have written it.
#include "cosim/cosim_replay.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0};
    ReplayFile r = {0};
    const char *path = fuzz_file("replay.yaml", data, size);
    char *dir = arena_strndup(&arena, path, strlen(path));
    *strrchr(dir, '/') = '\0';
    replay_load(&r, &arena, dir, &d);
    arena_free(&arena);
    return 0;
}
