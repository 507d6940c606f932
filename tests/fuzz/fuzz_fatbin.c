// SPDX-License-Identifier: Apache-2.0
// Fat binaries: read, look at every PTX, pick one, link them all; any other input is linked as PTX
// text.
#include "fatbin/fatbin.h"
#include "fatbin/link.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void link_all(Arena *arena, const LinkUnit *units, int n) {
    Diag d = {0};
    size_t len;
    const char *text = link_ptx(arena, "input", units, n, &len, &d);
    if (text && strlen(text) != len) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0}, other = {0};
    FatBinary f;
    if (fatbin_read(&f, &arena, "input", data, size, &d)) {
        for (int i = 0; i < f.nimages; i++)
            if (strlen(f.images[i].text) != f.images[i].len || strlen(f.images[i].options) > size)
                abort();
        if (!fatbin_ptx(&f, -1, "input", &other) != !f.nimages) abort();
        LinkUnit *units = ARENA_ARRAY(&arena, LinkUnit, f.nimages + 1);
        for (int i = 0; i < f.nimages; i++)
            units[i] = (LinkUnit){f.images[i].text, f.images[i].len};
        link_all(&arena, units, f.nimages);
    } else {
        const char *text = arena_strndup(&arena, (const char *)data, size);
        link_all(&arena, &(LinkUnit){text, strlen(text)}, 1);
    }
    arena_free(&arena);
    return 0;
}
