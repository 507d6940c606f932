// SPDX-License-Identifier: Apache-2.0
// Golden model of bdi_decompress: values one by one, as 64-bit integers. The lines in flight are in
// a list by age.
#include "models/lines/bdi_decompress.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { BDI_DECOMPRESS_PARAMS(BLOCK_INDEX) };

typedef struct Way {
    bool line, error;
    uint8_t bytes[128];
} Way;

typedef struct Decompress {
    int cycles;
    Way under_way[BDI_MAX_CYCLES];  // [0]: youngest
} Decompress;

// Little-endian integer of n bytes.
static uint64_t number(const uint8_t *at, int n) {
    return n ? at[0] | number(at + 1, n - 1) << 8 : 0;
}

static int64_t signed_number(const uint8_t *at, int n) {
    const uint64_t v = number(at, n), half = (uint64_t)1 << (8 * n - 1);
    return (int64_t)(v ^ half) - (int64_t)half;
}

static void values(const uint8_t *image, uint8_t *line, int n, int k, int mask, int base,
                   int deltas) {
    const uint64_t from = number(image + base, n);
    for (int i = 0; i < 128 / n; i++) {
        uint64_t v = (uint64_t)signed_number(image + deltas + i * k, k);
        if (image[mask + i / 8] & 1 << i % 8) v += from;
        memcpy(line + i * n, &v, (size_t)n);
    }
}

static void decode(const uint8_t *image, Way *to) {
    *to = (Way){.line = true};
    switch (image[0]) {
    case 0: break;
    case 1:
        for (int i = 0; i < 128; i++) to->bytes[i] = image[8 + i % 8];
        break;
    case 2: values(image, to->bytes, 8, 1, 2, 8, 16); break;
    case 3: values(image, to->bytes, 8, 2, 2, 8, 16); break;
    case 4: values(image, to->bytes, 8, 4, 2, 8, 16); break;
    case 5: values(image, to->bytes, 4, 1, 4, 8, 12); break;
    case 6: values(image, to->bytes, 4, 2, 4, 8, 12); break;
    case 7: values(image, to->bytes, 2, 1, 4, 2, 12); break;
    default: *to = (Way){.error = true};
    }
}

static void bd_reset(void *self) {
    Decompress *m = self;
    memset(m->under_way, 0, sizeof m->under_way);
}

static void *bd_open(const int *params) {
    Decompress *m = calloc(1, sizeof *m);
    if (m) m->cycles = params[P_Cycles];
    return m;
}

static void bd_eval(void *self, const void *inputs, void *outputs) {
    const Decompress *m = self;
    BdiDecompressOut *out = outputs;
    const Way *last = &m->under_way[m->cycles - 1];
    (void)inputs;
    out->line_valid[0] = last->line;
    out->line_error[0] = last->error;
    memcpy(out->line[0], last->bytes, sizeof last->bytes);
}

static void bd_tick(void *self, const void *inputs) {
    Decompress *m = self;
    const BdiDecompressIn *in = inputs;
    uint8_t image[4 * BDI_IMAGE_WORDS];
    memmove(m->under_way + 1, m->under_way, sizeof m->under_way - sizeof m->under_way[0]);
    memcpy(image, in->in_image, sizeof image);
    m->under_way[0] = (Way){0};
    if (in->in_valid[0]) decode(image, &m->under_way[0]);
}

static uint32_t bd_obs_count(void *self) {
    return 1 + (uint32_t)((const Decompress *)self)->cycles;
}

static void bd_observe(void *self, uint32_t addr, uint32_t *words) {
    const Decompress *m = self;
    memset(words, 0, 128);
    if (addr == BLOCK_OBS_PARAM) words[0] = (uint32_t)m->cycles;
    for (int s = 0; s < m->cycles; s++) {
        const Way *w = &m->under_way[s];
        if (addr == 0) words[s] = (uint32_t)w->line | (uint32_t)w->error << 1;
        if (addr == 1 + (uint32_t)s) memcpy(words, w->bytes, sizeof w->bytes);
    }
}

const BlockModel bdi_decompress_model = {.name = "bdi_decompress",
                                         .open = bd_open,
                                         .close = free,
                                         .reset = bd_reset,
                                         .eval = bd_eval,
                                         .tick = bd_tick,
                                         .obs_count = bd_obs_count,
                                         .observe = bd_observe,
                                         .obs_words = 32};
