// SPDX-License-Identifier: Apache-2.0
// Fat binaries: read, look at every PTX, pick one.
#include "fatbin/fatbin.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0}, other = {0};
    FatBinary f;
    if (fatbin_read(&f, &arena, "input", data, size, &d)) {
        for (int i = 0; i < f.nimages; i++)
            if (strlen(f.images[i].text) != f.images[i].len || strlen(f.images[i].options) > size) abort();
        if (!fatbin_ptx(&f, -1, "input", &other) != !f.nimages) abort();
    }
    arena_free(&arena);
    return 0;
}
