// SPDX-License-Identifier: Apache-2.0
// mma of each type and shape, with operands distributed among the threads as in PTX. Also wmma of
// each shape, type and layout, from and to shared memory: the contents of a fragment do not matter.
// Also ldmatrix, stmatrix, movmatrix; rounding to tf32. Expected values are the sums of the
// definition, floating point by MPFR.
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum { F16, BF16, TF32, I8, I4, B1, F64 };
static const struct {
    const char *name, *unsigned_name, *sum;
    int bits;
} kinds[] = {[F16] = {"f16", "f16", "f32", 16},    [BF16] = {"bf16", "bf16", "f32", 16},
             [TF32] = {"tf32", "tf32", "f32", 32}, [I8] = {"s8", "u8", "s32", 8},
             [I4] = {"s4", "u4", "s32", 4},        [B1] = {"b1", "b1", "s32", 1},
             [F64] = {"f64", "f64", "f64", 64}};

typedef struct Form {
    int kind, m, n, k;
    bool a_unsigned, b_unsigned, clamp, c_half, d_half, bits_and;
    bool a_col, b_row, c_col;  // wmma
} Form;
static Form forms[512];
static int nforms;

// OPS_MATRIX_FAULT=row: row and column of A's second half are exchanged. Value rows: ldmatrix
// without .trans gives the transpose; tf32: halves are rounded toward zero.
static bool fault_is(const char *name) {
    const char *f = getenv("OPS_MATRIX_FAULT");
    return f && !strcmp(f, name);
}
static bool fault(void) { return fault_is("row"); }

static uint64_t turned(uint64_t v, int by) { return by ? v << by | v >> (64 - by) : v; }
// Operand word w of a thread: the high word of the value turned left by 5w.
static uint32_t word_of(uint64_t v, int w) { return (uint32_t)(turned(v, 5 * w) >> 32); }

// ---- one sum ----

typedef uint64_t Element(const Form *f, const void *from, int row, int column);

static uint64_t as_single(const Form *f, uint64_t e) {
    if (f->kind == TF32) return (e & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : e & 0xffffe000;
    return ref_cvt(PTX_F32, f->kind == F16 ? PTX_F16 : PTX_BF16, PTX_RN, false, false, e);
}

static int64_t as_number(uint64_t e, int bits, bool is_unsigned) {
    return !is_unsigned && e >> (bits - 1) & 1 ? (int64_t)e - (1ll << bits) : (int64_t)e;
}

// c and the result as in a register: of f16 the half.
static uint64_t sum(const Form *f, const void *from, Element *a, Element *b, int row, int column,
                    uint64_t c) {
    const int bits = kinds[f->kind].bits, step = f->kind == F64 ? 4 : 128 / bits;
    const bool half = f->c_half && f->d_half;
    int64_t s = (int32_t)c;
    if (f->c_half) c = ref_cvt(PTX_F32, PTX_F16, PTX_RN, false, false, c);
    for (int k = 0; k < f->k; k++) {
        const uint64_t x = a(f, from, row, k), y = b(f, from, k, column);
        if (f->kind == F64) c = ref_fp(REF_FMA, PTX_F64, PTX_RN, false, false, x, y, c);
        else if (f->kind <= TF32)
            c = ref_fp(REF_FMA, PTX_F32, PTX_RN, false, false, as_single(f, x), as_single(f, y), c);
        else if (f->kind == B1) s += f->bits_and ? (x & y) : (x ^ y);
        else s += as_number(x, bits, f->a_unsigned) * as_number(y, bits, f->b_unsigned);
        if ((k + 1) % step) continue;
        if (half) {  // the sum of each step is rounded
            c = ref_cvt(PTX_F16, PTX_F32, PTX_RN, false, false, c);
            if (k + 1 < f->k) c = ref_cvt(PTX_F32, PTX_F16, PTX_RN, false, false, c);
        }
        if (f->clamp) s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
        s = (int32_t)s;
    }
    if (f->d_half && !half) c = ref_cvt(PTX_F16, PTX_F32, PTX_RN, false, false, c);
    return f->kind <= TF32 || f->kind == F64 ? c : (uint32_t)s;
}

// ---- mma ----

typedef struct Warp {
    const uint64_t (*in)[CASE_INPUTS];
} Warp;

static uint64_t part(const Form *f, uint64_t v, int word, int index) {
    const int bits = kinds[f->kind].bits;
    if (bits == 64) return turned(v, 5 * word);
    return bits == 32 ? word_of(v, word) : word_of(v, word) >> (index * bits) & ((1u << bits) - 1);
}

static uint64_t mma_a(const Form *f, const void *from, int row, int k) {
    const Warp *w = from;
    const int bits = kinds[f->kind].bits, per = bits > 32 ? 1 : 32 / bits, step = 4 * per,
              high = f->m / 8;
    int word = k / step * high + row / 8;
    if (fault() && high == 2) word = k / step + row / 8;
    return part(f, w->in[row % 8 * 4 + k % step / per][0], word, k % per);
}

static uint64_t mma_b(const Form *f, const void *from, int k, int column) {
    const Warp *w = from;
    const int bits = kinds[f->kind].bits, per = bits > 32 ? 1 : 32 / bits, step = 4 * per;
    return part(f, w->in[column * 4 + k % step / per][1], k / step, k % per);
}

static void ref_mma(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const Form *f = &forms[c->k];
    const Warp w = {in + i / 32 * 32};
    const int lane = i % 32, sums = f->m / 4;
    for (int s = 0; s < sums; s++) {
        const int row = lane / 4 + s / 2 * 8, column = lane % 4 * 2 + s % 2;
        uint64_t v = f->kind == F64 ? turned(in[i][2], 5 * s) : word_of(in[i][2], s);
        if (f->c_half) v = word_of(in[i][2], s / 2) >> (16 * (s % 2)) & 0xffff;
        v = sum(f, &w, mma_a, mma_b, row, column, v);
        if (!f->c_half) out[s] = v;
        else if (s % 2) out[s / 2] |= v << 16;
        else out[s / 2] = v;
    }
}

// {p0, p1, ...}
static const char *list(CaseList *l, const char *name, int n) {
    char text[256] = "{";
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%d", i ? ", " : "", name, i);
    return case_text(l, "%s}", text);
}

// n registers from operand %name, as word_of has them.
static void spread(char *text, size_t size, const char *name, int n, bool wide) {
    for (int i = 0; i < n; i++) {
        const size_t used = strlen(text);
        if (wide)
            snprintf(text + used, size - used,
                     "shl.b64 x, %%%s, %d; shr.b64 y, %%%s, %d; or.b64 %s%d, x, y; ", name, 5 * i,
                     name, 64 - 5 * i, name, i);
        else
            snprintf(text + used, size - used,
                     "mov.b64 {u, v}, %%%s; shf.l.wrap.b32 %s%d, u, v, %d; ", name, name, i, 5 * i);
    }
}

static void mma(CaseList *l, const Form *form) {
    const Form f = *form;
    const bool wide = f.kind == F64;
    const int bits = kinds[f.kind].bits, step = wide ? 4 : 128 / bits, high = f.m / 8;
    const int na = high * (f.k / step), nb = f.k / step, nc = f.m / 4 / (f.c_half ? 2 : 1);
    const char *sum_name = f.c_half ? "f16" : kinds[f.kind].sum;
    const PtxType t = wide ? PTX_B64 : PTX_B32;
    Case c = {.k = nforms,
              .in = {PTX_B64, PTX_B64, PTX_B64},
              .out = {t, t, t, t},
              .ref = ref_mma,
              .no_immediate = true,
              .draw = {DRAW_BITS, DRAW_BITS, DRAW_BITS}};
    if (nc < 4) c.out[nc] = PTX_NOTYPE;
    forms[nforms++] = f;
    char text[4096] = "";
    spread(text, sizeof text, "a", na, wide);
    spread(text, sizeof text, "b", nb, wide);
    spread(text, sizeof text, "c", nc, wide);
    const char *name =
        case_text(l, "mma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s%s", f.m, f.k,
                  f.clamp ? ".satfinite" : "", sum_name,
                  f.a_unsigned ? kinds[f.kind].unsigned_name : kinds[f.kind].name,
                  f.b_unsigned ? kinds[f.kind].unsigned_name : kinds[f.kind].name, sum_name,
                  f.kind == B1 ? f.bits_and ? ".and.popc" : ".xor.popc" : "");
    const char *d = nc == 1 ? "%d" : nc == 2 ? "{%d, %q}" : "{%d, %q, %r, %s}";
    c.body = case_text(
        l, "{ .reg .b%d a<9>, b<5>, c<5>; .reg .b64 x, y; .reg .b32 u, v; %s%s %s, %s, %s, %s; }",
        wide ? 64 : 32, text, name, d, list(l, "a", na), list(l, "b", nb), list(l, "c", nc));
    case_add(l, &c, "%s", name);
}

static void products(CaseList *l) {
    static const Form floats[] = {{.kind = F16, .m = 16, .k = 8},
                                  {.kind = F16, .m = 16, .k = 16},
                                  {.kind = BF16, .m = 16, .k = 8},
                                  {.kind = BF16, .m = 16, .k = 16},
                                  {.kind = TF32, .m = 16, .k = 4},
                                  {.kind = TF32, .m = 16, .k = 8},
                                  {.kind = F64, .m = 8, .k = 4},
                                  {.kind = F64, .m = 16, .k = 4},
                                  {.kind = F64, .m = 16, .k = 8},
                                  {.kind = F64, .m = 16, .k = 16},
                                  {.kind = F16, .m = 16, .k = 8, .c_half = true, .d_half = true},
                                  {.kind = F16, .m = 16, .k = 16, .c_half = true, .d_half = true}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) mma(l, &floats[i]);
    for (int kind = I8; kind <= I4; kind++)
        for (int size = 0; size < 3; size++)
            for (int s = 0; s < 8; s++) {
                const Form f = {.kind = kind,
                                .m = size ? 16 : 8,
                                .k = (kind == I8 ? 16 : 32) * (size == 2 ? 2 : 1),
                                .a_unsigned = s & 1,
                                .b_unsigned = s & 2,
                                .clamp = s & 4};
                mma(l, &f);
            }
    for (int size = 0; size < 3; size++)
        for (int op = 0; op < 2; op++) {
            const Form f = {
                .kind = B1, .m = size ? 16 : 8, .k = size == 2 ? 256 : 128, .bits_and = op};
            mma(l, &f);
        }
}

// ---- wmma: a warp's matrices lie in shared memory, 1 KB each; thread l fills bytes 32l .. 32l + 3

enum { MATRIX = 1024, SHARE = 32 };

typedef struct Memory {
    uint8_t at[3][MATRIX];
} Memory;

static uint64_t from_memory(const uint8_t *m, int index, int bits) {
    uint64_t v = 0;
    if (bits >= 8) memcpy(&v, m + index * bits / 8, (size_t)bits / 8);
    else v = m[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
    return v;
}

static uint64_t memory_a(const Form *f, const void *from, int row, int k) {
    const Memory *m = from;
    return from_memory(m->at[0], f->a_col ? k * f->m + row : row * f->k + k, kinds[f->kind].bits);
}
static uint64_t memory_b(const Form *f, const void *from, int k, int column) {
    const Memory *m = from;
    return from_memory(m->at[1], f->b_row ? k * f->n + column : column * f->k + k,
                       kinds[f->kind].bits);
}

static int sum_bits(const Form *f, bool half) { return half ? 16 : f->kind == F64 ? 64 : 32; }

static void ref_wmma(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    static Memory memory;
    static uint8_t result[MATRIX];
    static const void *of;
    static int of_case = -1;
    const Form *f = &forms[c->k];
    const uint64_t(*warp)[4] = in + i / 32 * 32;
    if (of != warp || of_case != c->k || i % 32 == 0) {
        for (int l = 0; l < 32; l++)
            for (int o = 0; o < 3; o++)
                for (int j = 0; j < 4; j++) {
                    const uint64_t v = turned(warp[l][o], 7 * j);
                    memcpy(memory.at[o] + SHARE * l + 8 * j, &v, sizeof v);
                }
        memset(result, 0, sizeof result);
        for (int row = 0; row < f->m; row++)
            for (int column = 0; column < f->n; column++) {
                const int at = f->c_col ? column * f->m + row : row * f->n + column;
                const uint64_t v = from_memory(memory.at[2], at, sum_bits(f, f->c_half));
                const uint64_t d = sum(f, &memory, memory_a, memory_b, row, column, v);
                memcpy(result + at * sum_bits(f, f->d_half) / 8, &d,
                       (size_t)sum_bits(f, f->d_half) / 8);
            }
        of = warp;
        of_case = c->k;
    }
    memcpy(out, result + SHARE * (i % 32), SHARE);
}

static const char *fill(CaseList *l, const char *name, int offset) {
    char text[512] = "";
    for (int j = 0; j < 4; j++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "shl.b64 x, %%%s, %d; shr.b64 y, %%%s, %d; or.b64 x, x, y; st.shared.b64 "
                 "[mine+%d], x; ",
                 name, 7 * j, name, j ? 64 - 7 * j : 64, offset + 8 * j);
    return case_text(l, "%s", text);
}

static int registers(const Form *f, int elements, int bits) {
    return f->kind == F16 && bits == 16 ? 8
        : f->kind == F64                ? elements / 32
                                        : elements * bits / 1024;
}

static void wmma(CaseList *l, const Form *form) {
    const Form f = *form;
    const int bits = kinds[f.kind].bits, wide = f.kind == F64 ? 64 : 32;
    const int na = registers(&f, f.m * f.k, bits), nb = registers(&f, f.n * f.k, bits);
    const int nc = f.m * f.n / 32 / (f.c_half ? 2 : 1), nd = f.m * f.n / 32 / (f.d_half ? 2 : 1);
    const char *c_name = f.c_half ? "f16" : kinds[f.kind].sum,
               *d_name = f.d_half ? "f16" : kinds[f.kind].sum;
    const char *a_name = f.a_unsigned ? kinds[f.kind].unsigned_name : kinds[f.kind].name;
    const char *b_name = f.b_unsigned ? kinds[f.kind].unsigned_name : kinds[f.kind].name;
    const char *a_way = f.a_col ? "col" : "row", *b_way = f.b_row ? "row" : "col",
               *c_way = f.c_col ? "col" : "row";
    Case c = {.k = nforms,
              .in = {PTX_B64, PTX_B64, PTX_B64},
              .out = {PTX_B64, PTX_B64, PTX_B64, PTX_B64},
              .ref = ref_wmma,
              .no_immediate = true,
              .draw = {DRAW_BITS, DRAW_BITS, DRAW_BITS},
              .decls = ".shared .align 128 .b8 room[16384];\n"};
    forms[nforms++] = f;
    const char *types = f.kind == F16 ? case_text(l, "%s.%s", d_name, c_name)
                                      : case_text(l, "%s.%s.%s.%s", d_name, a_name, b_name, c_name);
    const char *shape = case_text(l, "m%dn%dk%d", f.m, f.n, f.k);
    const char *name = case_text(l, "wmma.mma%s.sync.aligned.%s.%s.%s.%s%s",
                                 f.kind == B1 ? f.bits_and ? ".and.popc" : ".xor.popc" : "", a_way,
                                 b_way, shape, types, f.clamp ? ".satfinite" : "");
    // A and B with a stride, C and D with the one that goes without saying
    c.body = case_text(
        l,
        "{ .reg .b%d a<9>, b<9>, c<9>, d<9>; .reg .b64 x, y; .reg .b32 warp, mine, lane, stride; "
        "shr.u32 warp, %%l, 5; and.b32 lane, %%l, 31; mov.u32 mine, room; mad.lo.u32 warp, warp, "
        "4096, mine; "
        "mad.lo.u32 mine, lane, 32, warp; %s%s%smov.u64 x, 0; st.shared.v2.b64 [mine+3072], {x, "
        "x}; "
        "st.shared.v2.b64 [mine+3088], {x, x}; bar.warp.sync -1; mov.u32 stride, %d; "
        "wmma.load.a.sync.aligned.%s.%s.shared.%s %s, [warp], stride; "
        "wmma.load.b.sync.aligned.%s.%s.shared.%s %s, [warp+1024], %d; "
        "wmma.load.c.sync.aligned.%s.%s.shared.%s %s, [warp+2048]; %s %s, %s, %s, %s; "
        "wmma.store.d.sync.aligned.%s.%s.shared.%s [warp+3072], %s; bar.warp.sync -1; "
        "ld.shared.v2.b64 {%%d, %%q}, [mine+3072]; ld.shared.v2.b64 {%%r, %%s}, [mine+3088]; "
        "bar.warp.sync -1; }",
        wide, fill(l, "a", 0), fill(l, "b", 1024), fill(l, "c", 2048), f.a_col ? f.m : f.k, a_way,
        shape, a_name, list(l, "a", na), b_way, shape, b_name, list(l, "b", nb),
        f.b_row ? f.n : f.k, c_way, shape, c_name, list(l, "c", nc), name, list(l, "d", nd),
        list(l, "a", na), list(l, "b", nb), list(l, "c", nc), c_way, shape, d_name,
        list(l, "d", nd));
    case_add(l, &c, "%s, %s", name, c_way);
}

static void fragments(CaseList *l) {
    static const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
    for (int s = 0; s < 3; s++)
        for (int ways = 0; ways < 8; ways++) {
            Form f = {.m = shapes[s][0],
                      .n = shapes[s][1],
                      .k = 16,
                      .a_col = ways & 1,
                      .b_row = ways & 2,
                      .c_col = ways & 4};
            for (int halves = 0; halves < 4; halves++) {
                f.kind = F16;
                f.c_half = halves & 1, f.d_half = halves & 2;
                wmma(l, &f);
            }
            f.c_half = f.d_half = false;
            f.kind = BF16;
            wmma(l, &f);
            f.kind = I8;
            f.clamp = ways & 1;
            f.a_unsigned = f.b_unsigned = ways & 2;
            wmma(l, &f);
        }
    for (int ways = 0; ways < 8; ways++) {
        const Form t = {.kind = TF32,
                        .m = 16,
                        .n = 16,
                        .k = 8,
                        .a_col = ways & 1,
                        .b_row = ways & 2,
                        .c_col = ways & 4};
        const Form d = {.kind = F64,
                        .m = 8,
                        .n = 8,
                        .k = 4,
                        .a_col = ways & 1,
                        .b_row = ways & 2,
                        .c_col = ways & 4};
        const Form four = {.kind = I4,
                           .m = 8,
                           .n = 8,
                           .k = 32,
                           .c_col = ways & 1,
                           .a_unsigned = ways & 2,
                           .b_unsigned = ways & 2,
                           .clamp = ways & 4};
        const Form bit = {
            .kind = B1, .m = 8, .n = 8, .k = 128, .c_col = ways & 1, .bits_and = ways & 2};
        wmma(l, &t);
        wmma(l, &d);
        wmma(l, &four);
        if (ways < 4) wmma(l, &bit);
    }
}

// ---- 8 x 8 matrices of halves ----

// Half number h of the warp's 512 bytes, 16 of each thread: a row of one matrix.
static uint32_t half_at(const uint64_t (*warp)[4], int matrix, int row, int column) {
    const uint64_t v = warp[8 * matrix + row][column / 4];
    return (uint32_t)(v >> (16 * (column % 4))) & 0xffff;
}

static void ref_rows(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t(*warp)[4] = in + i / 32 * 32;
    const int g = i % 32 / 4, t = i % 4;
    for (int m = 0; m < c->k; m++)
        out[m] = c->flag || fault_is("rows")
            ? half_at(warp, m, 2 * t, g) | half_at(warp, m, 2 * t + 1, g) << 16
            : half_at(warp, m, g, 2 * t) | half_at(warp, m, g, 2 * t + 1) << 16;
}

// The transpose of the rows that ref_rows fetches: thread's row 4 (lane % 8) ... as in memory.
static void ref_stored(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t(*warp)[4] = in + i / 32 * 32;
    const int lane = i % 32, matrix = lane / 8, row = lane % 8;
    uint64_t v[2] = {0, 0};
    for (int column = 0; column < 8; column++) {
        const int r = c->flag ? column : row, k = c->flag ? row : column;
        const uint32_t word = (uint32_t)(warp[r * 4 + k / 2][matrix / 2] >> (32 * (matrix % 2)));
        v[column / 4] |= (uint64_t)(word >> (16 * (k % 2)) & 0xffff) << (16 * (column % 4));
    }
    out[0] = v[0];
    out[1] = v[1];
}

static void ref_moved(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t(*warp)[4] = in + i / 32 * 32;
    const int g = i % 32 / 4, t = i % 4;
    (void)c;
    out[0] = 0;
    for (int k = 0; k < 2; k++)
        out[0] |= (warp[(2 * t + k) * 4 + g / 2][0] >> (16 * (g % 2)) & 0xffff) << (16 * k);
}

#define ROWS ".shared .align 16 .b8 room[2048];\n"
#define MINE "{ .reg .b32 o; .reg .b64 w; mov.u32 o, room; mad.lo.u32 o, %l, 16, o; "

static void rows(CaseList *l) {
    static const char *const lists[] = {"", "{%d}", "{%d, %q}", "", "{%d, %q, %r, %s}"};
    for (int n = 1; n <= 4; n *= 2)
        for (int flip = 0; flip < 2; flip++) {
            Case c = {.k = n,
                      .flag = flip,
                      .in = {PTX_B64, PTX_B64},
                      .out = {PTX_B32, PTX_B32, PTX_B32, PTX_B32},
                      .ref = ref_rows,
                      .decls = ROWS,
                      .no_immediate = true,
                      .draw = {DRAW_BITS, DRAW_BITS}};
            if (n < 4) c.out[n] = PTX_NOTYPE;
            c.body = case_text(l,
                               "%s st.shared.v2.b64 [o], {%%a, %%b}; bar.warp.sync -1; "
                               "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [o]; }",
                               MINE, n, flip ? ".trans" : "", lists[n]);
            case_add(l, &c, "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16", n, flip ? ".trans" : "");
        }
    for (int flip = 0; flip < 2; flip++) {
        Case c = {.flag = flip,
                  .in = {PTX_B64, PTX_B64},
                  .out = {PTX_B64, PTX_B64},
                  .ref = ref_stored,
                  .decls = ROWS,
                  .no_immediate = true,
                  .draw = {DRAW_BITS, DRAW_BITS}};
        c.body = case_text(
            l,
            "%s .reg .b32 x<4>; mov.b64 {x0, x1}, %%a; mov.b64 {x2, x3}, %%b; cvt.u64.u32 w, o; "
            "stmatrix.sync.aligned.m8n8.x4%s.shared.b16 [w], {x0, x1, x2, x3}; bar.warp.sync -1; "
            "ld.shared.v2.b64 {%%d, %%q}, [o]; }",
            MINE, flip ? ".trans" : "");
        case_add(l, &c, "stmatrix.sync.aligned.m8n8.x4%s.shared.b16", flip ? ".trans" : "");
    }
    const Case moved = {.in = {PTX_B32},
                        .out = {PTX_B32},
                        .ref = ref_moved,
                        .no_immediate = true,
                        .draw = {DRAW_BITS},
                        .body = "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;"};
    case_add(l, &moved, "movmatrix.sync.aligned.m8n8.trans.b16");
}

// To the nearest number of 10 bits, halves away from zero.
static void ref_tf32(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t a = in[i][0], size = a & 0x7fffffff;
    (void)c;
    if (size > 0x7f800000) out[0] = 0x7fffffff;
    else if (size == 0x7f800000) out[0] = a;
    else out[0] = (a & 0x80000000) | ((size >> 12) + !fault_is("tf32")) / 2 << 13;
}

void cases_matrix(CaseList *l) {
    nforms = 0;
    products(l);
    fragments(l);
    rows(l);
    const Case tf = {.in = {PTX_F32},
                     .out = {PTX_B32},
                     .ref = ref_tf32,
                     .no_immediate = true,
                     .body = "cvt.rna.tf32.f32 %d, %a;"};
    case_add(l, &tf, "cvt.rna.tf32.f32");
}
