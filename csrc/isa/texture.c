// SPDX-License-Identifier: Apache-2.0
#include "isa/texture.h"

#include <math.h>
#include <string.h>

enum { WEIGHT_ONE = 256, OUTSIDE = -1 };

static bool is_layered(int geometry) { return geometry == TEXTURE_A1D || geometry == TEXTURE_A2D; }
static int dimensions_of(int geometry) {
    return geometry == TEXTURE_1D || geometry == TEXTURE_A1D ? 1 : geometry == TEXTURE_3D ? 3 : 2;
}

const char *texture_fault(const TextureRecord *t, int mode) {
    const int geometry = mode & (TEXTURE_FLOAT_COORDS - 1);
    if (t->magic != TEXTURE_MAGIC) return "is not a texture object";
    if (t->kind > TEXTURE_FLOAT || (t->bits != 8 && t->bits != 16 && t->bits != 32) ||
        (t->channels != 1 && t->channels != 2 && t->channels != 4) ||
        (t->kind == TEXTURE_FLOAT && t->bits == 8))
        return "is a texture object with an unknown format";
    if (!t->width || !t->height || !t->depth) return "is a texture object without texels";
    if (t->addr >> 32 || t->addr % texture_texel_bytes(t))
        return "is a texture object with a bad address";
    if (t->geometry != geometry) return "is a texture of other dimensions than the instruction's";
    if (t->memory && mode & TEXTURE_FLOAT_COORDS)
        return "is linear memory, which is fetched with integer coordinates";
    return NULL;
}

// ---- texels ----

static float as_float(uint32_t v) {
    float f;
    memcpy(&f, &v, sizeof f);
    return f;
}
static uint32_t as_bits(float f) {
    uint32_t v;
    memcpy(&v, &f, sizeof v);
    return v;
}

static float half_value(uint32_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const float sign = h >> 15 ? -1.0f : 1.0f;
    if (exponent == 31) return sign * (fraction ? NAN : INFINITY);
    return sign *
        ldexpf((float)(exponent ? fraction | 1024 : fraction), (exponent ? exponent : 1) - 25);
}

// One channel as the fetch returns it when nothing is filtered.
static uint32_t channel_value(const TextureRecord *t, const uint8_t *at) {
    uint32_t v = 0;
    memcpy(&v, at, t->bits / 8u);
    if (t->kind == TEXTURE_FLOAT) return t->bits == 16 ? as_bits(half_value(v)) : v;
    const int32_t whole =
        t->bits == 32 ? (int32_t)v : (int32_t)(v << (32 - t->bits)) >> (32 - t->bits);
    if (!t->scaled) return t->kind == TEXTURE_SIGNED ? (uint32_t)whole : v;
    if (t->kind == TEXTURE_UNSIGNED) return as_bits((float)(v / (double)((1u << t->bits) - 1)));
    const double scaled = whole / (double)((1u << (t->bits - 1)) - 1);
    return as_bits((float)(scaled < -1 ? -1 : scaled));
}

typedef struct Fetch {
    const TextureRecord *t;
    TextureBytes bytes;
    void *memory;
    uint32_t addr;
    bool any, failed;
} Fetch;

// at: per direction, OUTSIDE where there is no texel.
static void fetch_texel(Fetch *f, const int at[3], uint32_t to[4]) {
    const TextureRecord *t = f->t;
    const uint32_t n = texture_texel_bytes(t);
    memset(to, 0, 4 * sizeof *to);
    if (f->failed) return;
    if (at[0] == OUTSIDE || at[1] == OUTSIDE || at[2] == OUTSIDE) {
        if (t->memory) return;
        const bool is_float = t->kind == TEXTURE_FLOAT || t->scaled;
        for (int i = 0; i < t->channels; i++)
            to[i] = is_float ? as_bits(t->border[i]) : (uint32_t)(int64_t)t->border[i];
        return;
    }
    const uint32_t row =
        (uint32_t)t->addr + (uint32_t)at[2] * t->slice + (uint32_t)at[1] * t->pitch;
    const uint32_t addr = row + (uint32_t)at[0] * n;
    const uint8_t *p = f->bytes(f->memory, addr, n);
    if (!f->any || !p) f->addr = addr;
    f->any = true;
    f->failed = !p;
    for (int i = 0; p && i < t->channels; i++)
        to[i] = channel_value(t, p + (uint32_t)i * t->bits / 8u);
}

// ---- coordinates ----

// A texel's number where a coordinate has been reduced as far as its address mode does.
static int wrap_texel(int i, uint32_t n, TextureWrap wrap) {
    const int last = (int)n - 1;
    if (i >= 0 && i <= last) return i;
    if (wrap == TEXTURE_BORDER) return OUTSIDE;
    if (wrap == TEXTURE_WRAP) return i < 0 ? last : 0;  // the neighbor of a texel at the edge
    return i < 0 ? 0 : last;
}

static TextureWrap wrap_of(const TextureRecord *t, int d) {
    const TextureWrap w = (TextureWrap)t->wrap[d];
    return t->normalized || w == TEXTURE_BORDER ? w : TEXTURE_CLAMP;
}

// The coordinate in texels.
static double texel_position(const TextureRecord *t, int d, float x, uint32_t n) {
    const double far = 1 << 30;
    const TextureWrap w = wrap_of(t, d);
    const bool repeats = w == TEXTURE_WRAP || w == TEXTURE_MIRROR;
    double at = isnan(x) || (repeats && isinf(x)) ? 0 : x;
    if (t->normalized) {
        const bool odd = w == TEXTURE_MIRROR && fmod(floor(at), 2) != 0;
        if (repeats) at -= floor(at);
        if (odd) at = 1 - at;
        at *= n;
    }
    return at < -far ? -far : at > far ? far : at;
}

// The two neighboring texels of a fetch in one direction, and the weight of the second; point: 0,
// so only the first.
typedef struct Span {
    int at[2], weight;
} Span;

static Span texel_span(const TextureRecord *t, int mode, int d, uint32_t coord, uint32_t n) {
    const TextureWrap wrap = wrap_of(t, d);
    if (!(mode & TEXTURE_FLOAT_COORDS)) {
        const int i = (int32_t)coord,
                  edge = wrap == TEXTURE_WRAP || wrap == TEXTURE_MIRROR ? TEXTURE_CLAMP : wrap;
        return (Span){{wrap_texel(i, n, t->memory ? TEXTURE_BORDER : (TextureWrap)edge)}, 0};
    }
    const double x = texel_position(t, d, as_float(coord), n) - (t->linear ? 0.5 : 0);
    const double low = floor(x);
    const int i = (int)low, weight = t->linear ? (int)floor((x - low) * WEIGHT_ONE + 0.5) : 0;
    return (Span){{wrap_texel(i, n, wrap), wrap_texel(i + 1, n, wrap)}, weight};
}

// Of 2, 4 or 8 texels in so many dimensions.
static void weigh_texels(Fetch *f, int dims, const Span s[3], uint32_t result[4]) {
    double sum[4] = {0};
    for (int corner = 0; corner < 1 << dims; corner++) {
        double weight = 1;
        int at[3] = {s[0].at[0], s[1].at[0], s[2].at[0]};
        for (int d = 0; d < dims; d++) {
            const int second = corner >> d & 1;
            at[d] = s[d].at[second];
            weight *= (second ? s[d].weight : WEIGHT_ONE - s[d].weight) / (double)WEIGHT_ONE;
        }
        uint32_t value[4];
        if (weight == 0) continue;
        fetch_texel(f, at, value);
        for (int i = 0; i < f->t->channels; i++) sum[i] += weight * (double)as_float(value[i]);
    }
    for (int i = 0; i < f->t->channels; i++) result[i] = as_bits((float)sum[i]);
}

bool texture_fetch(const TextureRecord *t, int mode, const uint32_t coord[4], TextureBytes bytes,
                   void *memory, uint32_t result[4], uint32_t *addr, bool *inside) {
    const int geometry = mode & (TEXTURE_FLOAT_COORDS - 1), layered = is_layered(geometry);
    const uint32_t size[3] = {t->width, t->height, t->depth};
    Fetch f = {.t = t, .bytes = bytes, .memory = memory};
    Span s[3] = {{{0}, 0}, {{0}, 0}, {{0}, 0}};
    for (int d = 0; d < dimensions_of(geometry); d++)
        s[d] = texel_span(t, mode, d, coord[d + layered], size[d]);
    if (layered) s[2].at[0] = coord[0] < t->depth ? (int)coord[0] : (int)t->depth - 1;  // unsigned
    memset(result, 0, 4 * sizeof *result);
    if (t->linear && mode & TEXTURE_FLOAT_COORDS) {
        weigh_texels(&f, dimensions_of(geometry), s, result);
    } else {
        const int at[3] = {s[0].at[0], s[1].at[0], s[2].at[0]};
        fetch_texel(&f, at, result);
    }
    *addr = f.addr;
    *inside = f.any;
    return !f.failed;
}
