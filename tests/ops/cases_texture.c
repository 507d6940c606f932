// SPDX-License-Identifier: Apache-2.0
// Texture fetches of each geometry, format, filter, address mode and kind of coordinate. The
// formulas of the CUDA programming guide (appendix "Texture Fetching") in double arithmetic give
// the expected values. The texture is a record among the module's variables.
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 13, HEIGHT = 5, DEPTH = 3 };
enum { SIGNED, UNSIGNED, FLOAT };  // of the record: isa/texture.h
enum { WRAP, CLAMP, MIRROR, BORDER };
enum { G1D, G2D, G3D, A1D, A2D };

typedef struct Form {
    int geometry, kind, bits, channels, wrap, linear, normalized, scaled;
    int memory;  // linear memory, integer coordinates
    int raw;     // the operand is the coordinate
} Form;

// OPS_TEXTURE_FAULT: the kernel's texture has another address mode, or weights are wrong.
static bool fault(const char *what) {
    const char *f = getenv("OPS_TEXTURE_FAULT");
    return f && !strcmp(f, what);
}

static Form forms[256];
static int nforms;

// ---- the texture ----

static int rows(int g) { return g == G2D || g == G3D || g == A2D ? HEIGHT : 1; }
static int planes(int g) { return g == G3D || g == A1D || g == A2D ? DEPTH : 1; }

// Channel number i of the whole texture, as in memory.
static uint32_t stored(const Form *f, int i) {
    const uint32_t mixed = (uint32_t)i * 2654435761u;
    if (f->kind == FLOAT && f->bits == 32) {
        const float v = (float)((i * 29) % 64 - 20) * 0.3721f;
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
    if (f->kind == FLOAT) return mixed >> 16 & 0xbfff;
    // the least signed number
    if (i % 7 == 3) return f->bits == 32 ? 0x80000000u : 1u << (f->bits - 1);
    return mixed >> (32 - f->bits);
}

static double value_of(const Form *f, int i) {
    const uint32_t v = stored(f, i);
    if (f->kind == FLOAT && f->bits == 16) {
        const int e = (int)(v >> 10 & 31);
        return (v >> 15 ? -1 : 1) *
            (e ? ldexp(1 + (v & 1023) / 1024.0, e - 15) : ldexp((v & 1023) / 1024.0, -14));
    }
    if (f->kind == FLOAT) {
        float x;
        memcpy(&x, &v, sizeof x);
        return x;
    }
    const double top = ldexp(1, f->bits);
    if (f->kind == UNSIGNED) return v / (top - 1);
    const double s = (v >= top / 2 ? v - top : v) / (top / 2 - 1);
    return s < -1 ? -1 : s;
}

static const float border[4] = {0.25f, -1.5f, 3, 100};

static const char *declaration(CaseList *l, const Form *f) {
    const int n = WIDTH * rows(f->geometry) * planes(f->geometry) * f->channels, unit = f->bits / 8;
    const uint64_t pitch = (uint64_t)(WIDTH * f->channels * unit);
    uint64_t edge[2];
    memcpy(edge, border, sizeof edge);
    char text[12288] = "";
    size_t used = 0;
    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? ", " : "", stored(f, i));
    return case_text(
        l,
        ".global .align 16 .u%d texels[%d] = {%s};\n.global .align 64 .u64 record[8] = "
        "{0x31584554, texels, "
        "%llu, %llu, %llu, %llu, %llu, %llu};\n",
        f->bits, n, text, (unsigned long long)WIDTH | (unsigned long long)rows(f->geometry) << 32,
        (unsigned long long)planes(f->geometry) | (unsigned long long)pitch << 32,
        (unsigned long long)(pitch * (unsigned)rows(f->geometry)) |
            (unsigned long long)f->kind << 32 | (unsigned long long)f->bits << 40 |
            (unsigned long long)f->channels << 48 | (unsigned long long)f->geometry << 56,
        (unsigned long long)(fault("wrap") ? f->wrap ^ 1 : f->wrap) * 0x010101 |
            (unsigned long long)f->linear << 24 | (unsigned long long)f->normalized << 32 |
            (unsigned long long)f->scaled << 40 | (unsigned long long)f->memory << 48,
        (unsigned long long)edge[0], (unsigned long long)edge[1]);
}

// ---- the guide's formulas ----

// Coordinate of direction d from an operand, as the kernel computes it.
static double coordinate(const Form *f, uint32_t operand) {
    if (f->raw) {
        float x;
        memcpy(&x, &operand, sizeof x);
        return x;
    }
    const int whole = (int)(operand & 0xfff) - 1024;
    return f->memory ? whole : (float)whole * (f->normalized ? 1 / 1024.0f : 1 / 128.0f);
}

// Texel coordinate before flooring.
static double reduced(const Form *f, double x, int n) {
    if (isnan(x)) x = 0;
    if (!f->normalized) return fmin(fmax(x, -1e6), 1e6);
    if (f->wrap == WRAP) return isinf(x) ? 0 : (x - floor(x)) * n;
    if (f->wrap == MIRROR) {
        if (isinf(x)) return 0;
        const double part = x - floor(x);
        return (fmod(fabs(floor(x)), 2) == 0 ? part : 1 - part) * n;
    }
    return fmin(fmax(x * n, -1e6), 1e6);
}

// -1: the border.
static int texel_number(const Form *f, int i, int n) {
    if (f->normalized && f->wrap == WRAP) return ((i % n) + n) % n;
    if (f->wrap == BORDER || f->memory) return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel_value(const Form *f, int x, int y, int z, int channel) {
    if (x < 0 || y < 0 || z < 0) return border[channel];
    return value_of(f, ((z * rows(f->geometry) + y) * WIDTH + x) * f->channels + channel);
}

static uint32_t point(const Form *f, const int at[3], int channel) {
    const bool out = at[0] < 0 || at[1] < 0 || at[2] < 0, is_float = f->kind == FLOAT || f->scaled;
    if (out && f->memory) return 0;
    if (is_float) {
        const float v = (float)texel_value(f, at[0], at[1], at[2], channel);
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
    if (out) return (uint32_t)(int32_t)border[channel];
    const uint32_t v =
        stored(f, ((at[2] * rows(f->geometry) + at[1]) * WIDTH + at[0]) * f->channels + channel);
    if (f->kind == UNSIGNED || f->bits == 32) return v;
    return v >> (f->bits - 1) ? v - (1u << f->bits) : v;
}

static void ref_texture(const Case *c, const uint64_t (*in)[CASE_INPUTS], int i,
                        uint64_t out[CASE_OUTPUTS]) {
    const Form *f = &forms[c->k];
    const int layered = f->geometry == A1D || f->geometry == A2D,
              size[3] = {WIDTH, rows(f->geometry), planes(f->geometry)};
    const int dims = f->geometry == G3D ? 3 : f->geometry == G2D || f->geometry == A2D ? 2 : 1;
    int low[3] = {0}, high[3] = {0}, layer = (int)((uint32_t)in[i][2] % 9) - 3;
    double alpha[3] = {0};
    for (int d = 0; d < dims; d++) {
        const double x = coordinate(f, (uint32_t)in[i][d]);
        const double at = (f->memory ? x : reduced(f, x, size[d])) - (f->linear ? 0.5 : 0);
        low[d] = texel_number(f, (int)floor(at), size[d]);
        high[d] = texel_number(f, (int)floor(at) + 1, size[d]);
        if (f->linear) alpha[d] = floor((at - floor(at)) * 256 + (fault("weight") ? 0 : 0.5)) / 256;
    }
    if (layered) low[2] = high[2] = (unsigned)layer >= DEPTH ? DEPTH - 1 : layer;
    for (int ch = 0; ch < 4; ch++) {
        out[ch] = 0;
        if (ch >= f->channels) continue;
        if (!f->linear) {
            out[ch] = point(f, low, ch);
            continue;
        }
#define T(x, y, z) (double)(float)texel_value(f, x[0], y[1], z[2], ch)
#define MIX(a, p, q) ((1 - (a)) * (p) + (a) * (q))
        const double a = alpha[0], b = alpha[1], g = alpha[2];
        const double v = MIX(g,
                             MIX(b, MIX(a, T(low, low, low), T(high, low, low)),
                                 MIX(a, T(low, high, low), T(high, high, low))),
                             MIX(b, MIX(a, T(low, low, high), T(high, low, high)),
                                 MIX(a, T(low, high, high), T(high, high, high))));
        const float rounded = (float)v;
        uint32_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        out[ch] = bits;
    }
}

// ---- kernels ----

static void add(CaseList *l, Form f) {
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d"},
                             *const wraps[] = {"wrap", "clamp", "mirror", "border"};
    static const char *const vectors[] = {"{x}", "{x, y}", "{x, y, z, z}", "{layer, x}",
                                          "{layer, x, y, y}"};
    const char *type = f.kind == FLOAT || f.scaled ? "f32" : f.kind == SIGNED ? "s32" : "u32";
    const char *kinds = f.kind == FLOAT ? "f" : f.kind == SIGNED ? "s" : "u";
    const PtxType in = f.raw ? PTX_F32 : PTX_B32;
    const Draw draw = f.raw ? DRAW_VALUE : DRAW_BITS;
    const bool layered = f.geometry >= A1D;
    Case c = {.k = nforms,
              .in = {in, in, layered ? PTX_B32 : in},
              .out = {PTX_B32, PTX_B32, PTX_B32, PTX_B32},
              .ref = ref_texture,
              .no_immediate = true,
              .draw = {draw, draw, layered ? DRAW_BITS : draw}};
    panic_if(nforms == (int)(sizeof forms / sizeof *forms), "more textures than there is room for");
    forms[nforms++] = f;
    const char *scale = f.normalized ? "0f3A800000" : "0f3C000000";  // 1/1024, 1/128
    char text[1024] = "";
    size_t used = 0;
    for (int d = 0; d < 3 && !(layered && d == 2); d++) {
        const char from = "abc"[d], to = "xyz"[d];
        if (f.raw)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "mov.b32 %c, %%%c; ", to, from);
        else if (f.memory)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "and.b32 %c, %%%c, 4095; sub.s32 %c, %c, 1024; ", to, from, to,
                                     to);
        else
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "and.b32 k, %%%c, 4095; sub.s32 k, k, 1024; "
                                     "cvt.rn.f32.s32 %c, k; mul.f32 %c, %c, %s; ",
                                     from, to, to, to, scale);
    }
    if (layered)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "rem.u32 layer, %%c, 9; sub.s32 layer, layer, 3; ");
    c.decls = declaration(l, &f);
    c.body = case_text(
        l,
        "{ .reg .b32 layer, k; .reg .b64 object; .reg .%s x, y, z; .reg .%s %s; %smov.u64 object, "
        "record; "
        "tex.%s.v4.%s.%s {p0, p1, p2, p3}, [object, %s]; mov.b32 %%d, p0; mov.b32 %%q, p1; "
        "mov.b32 %%r, p2; mov.b32 %%s, p3; }",
        f.memory ? "b32" : "f32", f.kind == FLOAT || f.scaled ? "f32" : "b32", "p0, p1, p2, p3",
        text, names[f.geometry], type, f.memory ? "s32" : "f32", vectors[f.geometry]);
    case_add(l, &c, "tex.%s.%s %s%d x %d %s%s%s%s%s", names[f.geometry], type, kinds, f.bits,
             f.channels, wraps[f.wrap], f.linear ? " linear" : "",
             f.normalized ? " normalized" : "", f.scaled ? " scaled" : "",
             f.memory    ? " memory"
                 : f.raw ? " edges"
                         : "");
}

void cases_texture(CaseList *l) {
    static const int channels[] = {1, 2, 4}, bits[] = {8, 16, 32};
    for (int kind = SIGNED; kind <= FLOAT; kind++)
        for (int b = kind == FLOAT; b < 3; b++)
            for (int n = 0; n < 3; n++) {
                add(l,
                    (Form){.kind = kind,
                           .bits = bits[b],
                           .channels = channels[n],
                           .wrap = CLAMP,
                           .memory = 1});
                if (kind != FLOAT && b < 2)
                    add(l,
                        (Form){.kind = kind,
                               .bits = bits[b],
                               .channels = channels[n],
                               .wrap = CLAMP,
                               .memory = 1,
                               .scaled = 1});
            }
    for (int g = G1D; g <= A2D; g++)
        for (int wrap = WRAP; wrap <= BORDER; wrap++)
            for (int mode = 0; mode < 4; mode++) {
                const int which = g + wrap + mode;
                add(l,
                    (Form){.geometry = g,
                           .kind = FLOAT,
                           .bits = which % 2 ? 16 : 32,
                           .channels = channels[which % 3],
                           .wrap = wrap,
                           .linear = mode & 1,
                           .normalized = mode >> 1});
            }
    for (int g = G1D; g <= G3D; g++)
        for (int linear = 0; linear < 2; linear++) {
            add(l,
                (Form){.geometry = g,
                       .kind = linear ? UNSIGNED : SIGNED,
                       .bits = g == G2D ? 16 : 8,
                       .channels = 4,
                       .wrap = BORDER,
                       .linear = linear,
                       .normalized = 1,
                       .scaled = 1});
            add(l,
                (Form){.geometry = g,
                       .kind = linear ? UNSIGNED : SIGNED,
                       .bits = g == G2D ? 16 : 8,
                       .channels = 2,
                       .wrap = WRAP});
            add(l,
                (Form){.geometry = g,
                       .kind = FLOAT,
                       .bits = 32,
                       .channels = 2,
                       .wrap = MIRROR,
                       .linear = linear,
                       .normalized = 1,
                       .raw = 1});
            add(l,
                (Form){.geometry = g,
                       .kind = FLOAT,
                       .bits = 32,
                       .channels = 1,
                       .wrap = WRAP,
                       .linear = linear,
                       .normalized = 1,
                       .raw = 1});
            add(l,
                (Form){.geometry = g,
                       .kind = FLOAT,
                       .bits = 32,
                       .channels = 1,
                       .wrap = BORDER,
                       .linear = linear,
                       .raw = 1});
        }
}
