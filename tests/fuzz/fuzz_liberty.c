// SPDX-License-Identifier: Apache-2.0
// Liberty files: cells, functions, flip-flops.
#include "fuzz.h"
#include "synth/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0};
    Liberty l = {0};
    liberty_read(&l, &arena, fuzz_file("cells.lib", data, size), size % 3 ? 0 : 180, &d);
    arena_free(&arena);
    return 0;
}
