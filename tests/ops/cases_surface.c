// SPDX-License-Identifier: Apache-2.0
// Surfaces of each geometry, element and boundary mode; fetches from cube maps, by the table of the
// CUDA programming guide. Records are among the module's variables.
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { G1D, G2D, G3D, A1D, A2D };
enum { TRAP, CLAMP, ZERO };
enum { ROW = 64, HEIGHT = 5, DEPTH = 3 };  // bytes, rows, planes or layers

typedef struct Form {
    int geometry, bytes, elements, outside;
} Form;
static Form forms[256];
static int nforms;

// OPS_SURFACE_FAULT=clamp: an outside element is taken from the other edge; face: the upper and
// lower face of a cube are exchanged.
static bool fault_is(const char *name) {
    const char *f = getenv("OPS_SURFACE_FAULT");
    return f && !strcmp(f, name);
}
static bool fault(void) { return fault_is("clamp"); }

static int rows(int g) { return g == G2D || g == G3D || g == A2D ? HEIGHT : 1; }
static int planes(int g) { return g >= G3D ? DEPTH : 1; }
static uint8_t stored(int i) { return (uint8_t)(i * 73 + (i >> 6) * 11 + 5); }

static const char *record(CaseList *l, const char *texels, uint64_t row, uint64_t width,
                          uint64_t height, uint64_t depth, uint64_t slice, int geometry) {
    return case_text(
        l, ".global .align 64 .u64 record[8] = {%llu, %s, %llu, %llu, %llu, 0, 0, 0};\n",
        0x31525553ull | (unsigned long long)row << 32, texels,
        (unsigned long long)(width | height << 32), (unsigned long long)(depth | row << 32),
        (unsigned long long)slice | 32ull << 40 | 1ull << 48 | (unsigned long long)geometry << 56);
}

// A coordinate in multiples of `step`, from two before the first to two behind the last; with .trap
// inside.
static int place(const Form *f, uint64_t v, int n, int step) {
    const int count = n / step;
    if (f->outside == TRAP) return (int)((uint32_t)v % (uint32_t)count) * step;
    return ((int)((uint32_t)v % (uint32_t)(count + 4)) - 2) * step;
}

static const char *place_text(CaseList *l, const Form *f, const char *name, const char *from, int n,
                              int step) {
    const int count = n / step;
    const int more = f->outside == TRAP ? 0 : 4;
    return case_text(l, "rem.u32 %s, %s, %d; sub.u32 %s, %s, %d; mul.lo.u32 %s, %s, %d; ", name,
                     from, count + more, name, name, more / 2, name, name, step);
}

// Where the access goes; -1: nowhere.
static int target(const Form *f, const uint64_t in[CASE_INPUTS]) {
    const int size = f->bytes * f->elements,
              most[3] = {ROW - size, rows(f->geometry) - 1, planes(f->geometry) - 1};
    int at[3] = {place(f, in[0], ROW, size), 0, 0};
    if (rows(f->geometry) > 1) at[1] = place(f, in[1], HEIGHT, 1);
    if (planes(f->geometry) > 1) at[2] = place(f, in[2], DEPTH, 1);
    for (int d = 0; d < 3; d++) {
        if (at[d] >= 0 && at[d] <= most[d]) continue;
        if (f->outside == ZERO) return -1;
        // a layer's number is unsigned
        const bool below = at[d] < 0 && !(d == 2 && f->geometry >= A1D);
        at[d] = below != fault() ? 0 : most[d];
    }
    return at[2] * ROW * rows(f->geometry) + at[1] * ROW + at[0];
}

static void ref_load(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const Form *f = &forms[c->k];
    const int at = target(f, in[i]);
    for (int e = 0; e < f->elements; e++) {
        out[e] = 0;
        for (int b = 0; b < f->bytes && at >= 0; b++)
            out[e] |= (uint64_t)stored(at + e * f->bytes + b) << (8 * b);
    }
}

static const char *const geometry_names[] = {"1d", "2d", "3d", "a1d", "a2d"};
static const char *const outside_names[] = {"trap", "clamp", "zero"};
static const char *const coordinates[] = {"{x}", "{x, y}", "{x, y, z, z}", "{z, x}",
                                          "{z, x, y, y}"};

static const char *letters(int elements) {
    static const char *const all[] = {"", "{%d}", "{%d, %q}", "", "{%d, %q, %r, %s}"};
    return all[elements];
}

static void load(CaseList *l, const Form *form) {
    const Form f = *form;
    static const PtxType types[] = {[1] = PTX_B16, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    const PtxType t = types[f.bytes];
    const int n = ROW * rows(f.geometry) * planes(f.geometry), size = f.bytes * f.elements;
    char text[8192] = "";
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? "," : "", stored(i));
    Case c = {.k = nforms,
              .in = {PTX_U32, PTX_U32, PTX_U32},
              .out = {t, t, t, t},
              .ref = ref_load,
              .no_immediate = true,
              .draw = {DRAW_BITS, DRAW_BITS, DRAW_BITS}};
    if (f.elements < 4) c.out[f.elements] = PTX_NOTYPE;
    forms[nforms++] = f;
    c.decls = case_text(l, ".global .align 16 .u8 texels[%d] = {%s};\n%s", n, text,
                        record(l, "texels", ROW, ROW, (uint64_t)rows(f.geometry),
                               (uint64_t)planes(f.geometry), (uint64_t)(ROW * rows(f.geometry)),
                               f.geometry));
    const char *vec = f.elements == 1 ? "" : f.elements == 2 ? ".v2" : ".v4";
    const char *name = case_text(l, "suld.b.%s%s.b%d.%s", geometry_names[f.geometry], vec,
                                 8 * f.bytes, outside_names[f.outside]);
    c.body = case_text(
        l, "{ .reg .b32 x, y, z; .reg .b64 o; mov.u64 o, record; %s%s%s%s %s, [o, %s]; }",
        place_text(l, &f, "x", "%a", ROW, size), place_text(l, &f, "y", "%b", HEIGHT, 1),
        place_text(l, &f, "z", "%c", DEPTH, 1), name, letters(f.elements), coordinates[f.geometry]);
    case_add(l, &c, "%s", name);
}

// ---- stores and reductions: row n of a surface with a row of 16 bytes for each thread ----

enum { SHARE = 16, THREADS = 4096 };

static void ref_store(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const Form f = {.outside = c->k};
    uint32_t word[4] = {0};
    int x = place(&f, in[i][0], SHARE, 4);
    bool done = !c->flag || i % 2;  // guarded
    if (x < 0 || x > SHARE - 4) {
        if (c->k == ZERO) done = false;
        x = x < 0 ? 0 : SHARE - 4;
    }
    if (done) word[x / 4] = (uint32_t)in[i][1];
    out[0] = word[0] | (uint64_t)word[1] << 32;
    out[1] = word[2] | (uint64_t)word[3] << 32;
}

static void stores(CaseList *l) {
    for (int outside = 0; outside < 3; outside++)
        for (int flags = 0; flags < 4; flags++) {
            const bool guarded = flags & 1, red = flags & 2;
            const Form f = {.outside = outside};
            Case c = {.k = outside,
                      .flag = guarded,
                      .in = {PTX_U32, PTX_U32},
                      .out = {PTX_B64, PTX_B64},
                      .ref = ref_store,
                      .no_immediate = true,
                      .draw = {DRAW_BITS, DRAW_BITS}};
            c.decls =
                case_text(l, ".global .align 16 .b8 texels[%d];\n%s", SHARE * THREADS,
                          record(l, "texels", SHARE, SHARE, THREADS, 1, SHARE * THREADS, G2D));
            const char *name = case_text(l, "%s.2d.%s.%s", red ? "sured.b.add" : "sust.b",
                                         red ? "u32" : "b32", outside_names[outside]);
            c.body = case_text(l,
                               "{ .reg .b32 x, k; .reg .b64 o, w, z; .reg .pred p; mov.u64 w, "
                               "texels; cvta.global.u64 w, w; "
                               "mul.wide.u32 o, %%n, %d; add.u64 w, w, o; mov.u64 z, 0; st.v2.b64 "
                               "[w], {z, z}; mov.u64 o, record; "
                               "%sand.b32 k, %%n, 1; setp.ne.u32 p, k, 0; %s%s [o, {x, %%n}], %%b; "
                               "ld.v2.b64 {%%d, %%q}, [w]; }",
                               SHARE, place_text(l, &f, "x", "%a", SHARE, 4), guarded ? "@p " : "",
                               name);
            case_add(l, &c, "%s%s", name, guarded ? ", guarded" : "");
        }
}

// ---- cube maps ----

enum { SIDE = 4, CUBES = 2 };

static void ref_cube(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    float v[3], s, t, m;
    int face;
    for (int k = 0; k < 3; k++) v[k] = (float)((int)((uint32_t)in[i][k] % 17) - 8);
    const float x = v[0], y = v[1], z = v[2];
    if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z)) {
        face = x < 0;
        m = fabsf(x), s = x < 0 ? z : -z, t = -y;
    } else if (fabsf(y) >= fabsf(z)) {
        face = 2 + ((y < 0) != fault_is("face"));
        m = fabsf(y), s = x, t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0);
        m = fabsf(z), s = z < 0 ? -x : x, t = -y;
    }
    int column = m == 0 ? 0 : (int)floorf(fmaf(s / m, 0.5f, 0.5f) * SIDE);
    int row = m == 0 ? 0 : (int)floorf(fmaf(t / m, 0.5f, 0.5f) * SIDE);
    if (column > SIDE - 1) column = SIDE - 1;
    if (row > SIDE - 1) row = SIDE - 1;
    const int cube = c->flag ? (int)((uint32_t)in[i][3] % CUBES) : 0;
    out[0] = (uint64_t)((((cube * 6) + face) * SIDE + row) * SIDE + column);
}

static void cubes(CaseList *l) {
    const int n = SIDE * SIDE * 6 * CUBES;
    char text[2048] = "";
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? "," : "", i);
    for (int array = 0; array < 2; array++) {
        Case c = {.flag = array,
                  .in = {PTX_U32, PTX_U32, PTX_U32, PTX_U32},
                  .out = {PTX_B32},
                  .ref = ref_cube,
                  .no_immediate = true,
                  .draw = {DRAW_BITS, DRAW_BITS, DRAW_BITS, DRAW_BITS}};
        // unsigned, 32 bits, one channel; clamped, normalized coordinates
        c.decls = case_text(
            l,
            ".global .align 16 .u32 texels[%d] = {%s};\n.global .align 64 .u64 record[8] = "
            "{0x31584554, texels, %llu, %llu, %llu, 0x0000000100010101, 0, 0};\n",
            n, text, (unsigned long long)SIDE | (unsigned long long)SIDE << 32,
            (unsigned long long)(6 * CUBES) | (unsigned long long)(SIDE * 4) << 32,
            (unsigned long long)(SIDE * SIDE * 4) | 1ull << 32 | 32ull << 40 | 1ull << 48 |
                (unsigned long long)A2D << 56);
        c.body = case_text(
            l,
            "{ .reg .f32 x, y, z; .reg .b32 k; .reg .b64 o; mov.u64 o, record; rem.u32 k, %%a, 17; "
            "sub.u32 k, k, 8; cvt.rn.f32.s32 x, k; rem.u32 k, %%b, 17; sub.u32 k, k, 8; "
            "cvt.rn.f32.s32 y, k; rem.u32 k, %%c, 17; sub.u32 k, k, 8; cvt.rn.f32.s32 z, k; "
            "rem.u32 k, %%e, %d; "
            "tex.%s.v4.u32.f32 {%%d, _, _, _}, [o, {%s}]; }",
            CUBES, array ? "acube" : "cube", array ? "k, x, y, z" : "x, y, z, z");
        case_add(l, &c, "tex.%s.v4.u32.f32", array ? "acube" : "cube");
    }
}

void cases_surface(CaseList *l) {
    nforms = 0;
    for (int g = G1D; g <= A2D; g++)
        for (int outside = TRAP; outside <= ZERO; outside++)
            for (int size = 0; size < 4; size++)
                for (int elements = 1; elements <= 4; elements *= 2) {
                    const Form f = {g, 1 << size, elements, outside};
                    if (f.bytes * elements <= 16) load(l, &f);
                }
    stores(l);
    cubes(l);
}
