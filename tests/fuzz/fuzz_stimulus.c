// SPDX-License-Identifier: Apache-2.0
// Stimulus files of verify: read, look at every cycle, write, read the written file.
#include "fuzz.h"
#include "verify/verify.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CYCLES = 4096 };

static void write_and_load(Arena *arena, const Stimulus *s) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    stimulus_write(out, s);
    fclose(out);
    Diag d = {0};
    Stimulus *again =
        stimulus_load(arena, fuzz_file("written.stim", (const uint8_t *)text, len), &d);
    if (!again) {
        fprintf(stderr, "what was written does not load: %s\n%s\n", d.text, text);
        abort();
    }
    stimulus_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0};
    Stimulus *s = stimulus_load(&arena, fuzz_file("input.stim", data, size), &d);
    if (s) {
        void *in = arena_alloc(&arena, s->desc->in_size);
        for (size_t i = 0; i < s->ncycles && i < MOST_CYCLES; i++) stimulus_get(s, i, in);
        if (s->ncycles < MOST_CYCLES) write_and_load(&arena, s);
        stimulus_free(s);
    }
    arena_free(&arena);
    return 0;
}
