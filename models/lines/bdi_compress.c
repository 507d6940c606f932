// SPDX-License-Identifier: Apache-2.0
// Golden model of bdi_compress: a list of lines in flight by age. When the answer is due, each
// encoding is tried in the order of the contract, value by value.
#include "models/lines/bdi_compress.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { BDI_COMPRESS_PARAMS(BLOCK_INDEX) };

typedef struct Compress {
    bool first_bytes;
    bool there[BDI_COMPRESS_STAGES];  // [0]: youngest
    uint8_t line[BDI_COMPRESS_STAGES][128];
} Compress;

typedef struct Try {
    int encoding, n, k, mask, base, deltas, bursts;
} Try;
static const Try ORDER[] = {{0, 0, 0, 0, 0, 0, 1},  {1, 0, 0, 0, 8, 0, 1},  {2, 8, 1, 2, 8, 16, 1},
                            {5, 4, 1, 4, 8, 12, 2}, {3, 8, 2, 2, 8, 16, 2}, {6, 4, 2, 4, 8, 12, 3},
                            {7, 2, 1, 4, 2, 12, 3}, {4, 8, 4, 2, 8, 16, 3}};
enum { TRIES = sizeof ORDER / sizeof *ORDER };

// An n-byte value as a signed number.
static int64_t value_at(const uint8_t *line, int n, int i) {
    int64_t v = (int8_t)line[n * i + n - 1];
    for (int b = n - 2; b >= 0; b--) v = v * 256 + line[n * i + b];
    return v;
}

static bool is_delta(int64_t v, int k) {
    const int64_t half = (int64_t)1 << (8 * k - 1);
    return v >= -half && v < half;
}

// The difference modulo 2^(8n), as the signed number of n bytes that it is.
static int64_t difference(int64_t v, int64_t base, int n) {
    const uint64_t d = (uint64_t)v - (uint64_t)base;
    uint8_t bytes[8];
    memcpy(bytes, &d, sizeof bytes);
    return value_at(bytes, n, 0);
}

static bool with_deltas(const uint8_t *line, const Try *t, bool first_bytes, uint8_t *image) {
    int64_t base = 0;
    int at = 0;
    if (!first_bytes)
        while (at < 128 / t->n && is_delta(value_at(line, t->n, at), t->k)) at++;
    if (at < 128 / t->n) base = value_at(line, t->n, at);
    for (int i = 0; i < 128 / t->n; i++) {
        int64_t delta = value_at(line, t->n, i);
        if (!is_delta(delta, t->k)) {
            delta = difference(delta, base, t->n);
            image[t->mask + i / 8] |= (uint8_t)(1 << i % 8);
        }
        if (!is_delta(delta, t->k)) return false;
        memcpy(image + t->deltas + i * t->k, &delta, (size_t)t->k);
    }
    memcpy(image + t->base, &base, (size_t)t->n);
    return true;
}

static bool all_same(const uint8_t *line) {
    int i = 8;
    while (i < 128 && line[i] == line[i % 8]) i++;
    return i == 128;
}

static bool try_one(const uint8_t *line, const Try *t, bool first_bytes, uint8_t *image) {
    static const uint8_t zeros[8];
    memset(image, 0, 4 * BDI_COMPRESS_WORDS);
    image[0] = (uint8_t)t->encoding;
    if (t->n) return with_deltas(line, t, first_bytes, image);
    if (t->encoding == 1) memcpy(image + t->base, line, 8);
    return all_same(line) && (t->encoding || !memcmp(line, zeros, 8));
}

static void bc_reset(void *self) {
    Compress *m = self;
    memset(m->there, 0, sizeof m->there);
}

static void *bc_open(const int *params) {
    Compress *m = calloc(1, sizeof *m);
    if (m) m->first_bytes = params[P_Base];
    return m;
}

static void bc_eval(void *self, const void *inputs, void *outputs) {
    const Compress *m = self;
    BdiCompressOut *out = outputs;
    uint8_t image[4 * BDI_COMPRESS_WORDS];
    int i = 0;
    (void)inputs;
    memset(out, 0, sizeof *out);
    if (!m->there[BDI_COMPRESS_STAGES - 1]) return;
    while (i < TRIES &&
           !try_one(m->line[BDI_COMPRESS_STAGES - 1], &ORDER[i], m->first_bytes, image))
        i++;
    out->out_valid[0] = 1;
    out->out_enc[0] = i < TRIES ? (uint32_t)ORDER[i].encoding : BDI_RAW;
    out->out_bursts[0] = i < TRIES ? (uint32_t)ORDER[i].bursts : 4;
    if (i < TRIES) memcpy(out->out_image, image, sizeof image);
}

static void bc_tick(void *self, const void *inputs) {
    Compress *m = self;
    const BdiCompressIn *in = inputs;
    memmove(m->there + 1, m->there, sizeof m->there - sizeof m->there[0]);
    memmove(m->line + 1, m->line, sizeof m->line - sizeof m->line[0]);
    m->there[0] = in->in_valid[0];
    memcpy(m->line[0], in->in_line[0], sizeof m->line[0]);
}

static uint32_t bc_obs_count(void *self) {
    (void)self;
    return 4;
}

static void bc_observe(void *self, uint32_t addr, uint32_t *words) {
    const Compress *m = self;
    memset(words, 0, 128);
    if (addr == BLOCK_OBS_PARAM) words[0] = m->first_bytes;
    for (int s = 0; s < BDI_COMPRESS_STAGES && addr == 0; s++)
        words[0] |= (uint32_t)m->there[s] << s;
    if (addr >= 1 && addr <= 3 && m->there[addr - 1])
        memcpy(words, m->line[addr - 1], sizeof m->line[0]);
}

const BlockModel bdi_compress_model = {.name = "bdi_compress",
                                       .open = bc_open,
                                       .close = free,
                                       .reset = bc_reset,
                                       .eval = bc_eval,
                                       .tick = bc_tick,
                                       .obs_count = bc_obs_count,
                                       .observe = bc_observe,
                                       .obs_words = 32};
