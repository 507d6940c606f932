// SPDX-License-Identifier: Apache-2.0
// Base-delta-immediate (CABA section 5.1.1 and 5.1.2). The line consists of n-byte values. Each is
// a signed k-byte delta from zero or from one base. A mask bit per value selects zero or the base.
// Arithmetic is modulo 2^(8n), so a difference that overflows still decodes. The base is the first
// value that does not fit a delta from zero. The paper's text uses the first value of the line as
// the base. With that base fewer lines fit, and none needs fewer bytes.
//
// Mask, base and deltas are naturally aligned, which costs no burst against packing.
#include "mem/line_compress.h"

#include <string.h>

typedef struct BdiEncoding {
    int n, k;  // bytes of a value and a delta
    int mask_at, base_at, deltas_at;
    int image;  // bytes
} BdiEncoding;

enum { BDI_ZEROS, BDI_REPEAT, BDI_FIRST_DELTA, BDI_ENCODINGS = 8 };

static const BdiEncoding ENCODINGS[BDI_ENCODINGS] = {
    [BDI_ZEROS] = {0, 0, 0, 0, 0, 1},
    [BDI_REPEAT] = {8, 0, 0, 8, 0, 16},
    {8, 1, 2, 8, 16, 32},
    {8, 2, 2, 8, 16, 48},
    {8, 4, 2, 8, 16, 80},
    {4, 1, 4, 8, 12, 44},
    {4, 2, 4, 8, 12, 76},
    {2, 1, 4, 2, 12, 76},
};
static const int TRIAL[BDI_ENCODINGS] = {0, 1, 2, 5, 3, 6, 7, 4};  // ascending image, then number

static uint64_t get_bytes(const uint8_t *at, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)at[i] << 8 * i;
    return v;
}

static void put_bytes(uint8_t *at, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t sign_extend(uint64_t v, int bytes) {
    int shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(v << shift) >> shift);
}

// Does sign extension of k bytes give this n-byte value?
static bool value_fits(uint64_t v, int n, int k) { return sign_extend(v, n) == sign_extend(v, k); }

static uint64_t base_of(const uint8_t *line, const BdiEncoding *e, BdiBase rule) {
    if (rule == BDI_BASE_FIRST_BYTES) return get_bytes(line, e->n);
    for (int at = 0; at < COMPRESS_LINE; at += e->n) {
        uint64_t v = get_bytes(line + at, e->n);
        if (!value_fits(v, e->n, e->k)) return v;
    }
    return 0;
}

static bool put_deltas(const uint8_t *line, const BdiEncoding *e, BdiBase rule, uint8_t *image) {
    uint64_t base = base_of(line, e, rule), mask = 0;
    int count = COMPRESS_LINE / e->n;
    for (int i = 0; i < count; i++) {
        uint64_t delta = get_bytes(line + i * e->n, e->n);
        if (!value_fits(delta, e->n, e->k)) {
            delta -= base;
            mask |= (uint64_t)1 << i;
            if (!value_fits(delta, e->n, e->k)) return false;
        }
        put_bytes(image + e->deltas_at + i * e->k, delta, e->k);
    }
    put_bytes(image + e->mask_at, mask, count / 8);
    put_bytes(image + e->base_at, base, e->n);
    return true;
}

static bool encode_line(const uint8_t *line, int encoding, BdiBase rule, uint8_t *image) {
    const BdiEncoding *e = &ENCODINGS[encoding];
    memset(image, 0, COMPRESS_IMAGE);
    image[0] = (uint8_t)encoding;  // the codec's number is 0
    if (encoding >= BDI_FIRST_DELTA) return put_deltas(line, e, rule, image);
    for (int i = 8; i < COMPRESS_LINE; i++)
        if (line[i] != line[i - 8]) return false;
    if (encoding == BDI_ZEROS) return get_bytes(line, 8) == 0;
    memcpy(image + e->base_at, line, 8);
    return true;
}

int compress_bdi(const uint8_t line[COMPRESS_LINE], int encoding, BdiBase base,
                 uint8_t image[COMPRESS_IMAGE]) {
    for (int i = 0; i < BDI_ENCODINGS; i++)
        if ((encoding < 0 || encoding == TRIAL[i]) && encode_line(line, TRIAL[i], base, image))
            return ENCODINGS[TRIAL[i]].image;
    return 0;
}

bool bdi_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]) {
    int encoding = image[0] & 15;
    if (image[0] >> 4 != COMPRESS_BDI || encoding >= BDI_ENCODINGS) return false;
    const BdiEncoding *e = &ENCODINGS[encoding];
    if (encoding < BDI_FIRST_DELTA) {
        uint64_t value = encoding == BDI_ZEROS ? 0 : get_bytes(image + e->base_at, 8);
        for (int at = 0; at < COMPRESS_LINE; at += 8) put_bytes(line + at, value, 8);
        return true;
    }
    int count = COMPRESS_LINE / e->n;
    uint64_t mask = get_bytes(image + e->mask_at, count / 8),
             base = get_bytes(image + e->base_at, e->n);
    for (int i = 0; i < count; i++) {
        uint64_t delta = sign_extend(get_bytes(image + e->deltas_at + i * e->k, e->k), e->k);
        put_bytes(line + i * e->n, mask >> i & 1 ? base + delta : delta, e->n);
    }
    return true;
}
