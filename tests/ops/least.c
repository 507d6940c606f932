// SPDX-License-Identifier: Apache-2.0
// least oracle|sm|ref: results of .ftz instructions just below the least normal f32 number, on the
// oracle, compiled on the SM, and from the reference of the other tests. They are compared with the
// results of an NVIDIA H100 (sm_90, driver API 13000) for the same instructions and operands. A
// result is zero if its exact value, rounded to 24 bits with an unbounded exponent, is below
// 2^-126. The operands distinguish that rule from two others. One flushes a result that is
// subnormal after rounding on the grid of subnormal numbers, the other flushes every exact value
// below 2^-126.
#include "bench.h"
#include "ref.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 4, OPERANDS = 4 };

// The GPU's results of .rn, .rz, .rm and .rp: 0 and - are the zeros, m and M 2^-126 and -2^-126.
typedef struct Row {
    uint64_t operands[OPERANDS];
    char results[MODES + 1];
} Row;

static const Row rows_mul[] = {
    {{0x20000001, 0x1ffffffd}, "0000"}, {{0x2000000c, 0x1fffffe7}, "0000"},
    {{0x20000017, 0x1fffffd1}, "0000"}, {{0x20000001, 0x1ffffffe}, "m00m"},
    {{0x2000000c, 0x1fffffe8}, "m00m"}, {{0x20000017, 0x1fffffd2}, "m00m"},
    {{0x20000001, 0x1ffffffc}, "0000"}, {{0x20000001, 0x1ffffffb}, "0000"},
    {{0x20000017, 0x1fffffcf}, "0000"}};
static const Row rows_fma[] = {
    {{0x19800001, 0x9a800000, 0x00800000}, "0000"}, {{0x2000000d, 0x1fffffe5, 0x00000000}, "0000"},
    {{0x19ffffff, 0x9a800000, 0x00800000}, "0000"}, {{0x19800001, 0x9a000000, 0x00800000}, "000m"},
    {{0x19c00000, 0x9a000000, 0x00800000}, "000m"}, {{0x19ffffff, 0x9a000000, 0x00800000}, "000m"},
    {{0x19800000, 0x8d000000, 0x00800000}, "m00m"}, {{0x19c00000, 0x93000000, 0x00800000}, "m00m"},
    {{0x19ffffff, 0x99800000, 0x00800000}, "m00m"}, {{0x19800000, 0x9a800000, 0x00800000}, "0000"},
    {{0x19800000, 0x9a000000, 0x00800000}, "m00m"}, {{0x19800000, 0x9b000000, 0x00800000}, "0000"},
    {{0x19c00000, 0x9b000000, 0x00800000}, "0000"}, {{0x19800000, 0x9b800000, 0x00800000}, "0000"},
    {{0x19800001, 0x1a800000, 0x80800000}, "----"}, {{0x19c00000, 0x1a800000, 0x80800000}, "----"},
    {{0x19ffffff, 0x1a800000, 0x80800000}, "----"}, {{0x19800001, 0x1a000000, 0x80800000}, "--M-"},
    {{0x19c00000, 0x1a000000, 0x80800000}, "--M-"}, {{0x19ffffff, 0x1a000000, 0x80800000}, "--M-"},
    {{0x19800000, 0x0d000000, 0x80800000}, "M-M-"}, {{0x19800000, 0x13800000, 0x80800000}, "M-M-"},
    {{0x19ffffff, 0x19800000, 0x80800000}, "M-M-"}, {{0x19800000, 0x1a800000, 0x80800000}, "----"},
    {{0x19800000, 0x1a000000, 0x80800000}, "M-M-"}, {{0x19800000, 0x1b000000, 0x80800000}, "----"},
    {{0x19c00000, 0x1b000000, 0x80800000}, "----"}, {{0x19800000, 0x1b800000, 0x80800000}, "----"}};
static const Row rows_div[] = {
    {{0x00800006, 0x3f800007}, "0000"}, {{0x00800003, 0x3f800004}, "0000"},
    {{0x00800000, 0x3f800001}, "0000"}, {{0x00800005, 0x3f800007}, "0000"},
    {{0x00800002, 0x3f800004}, "0000"}, {{0x00800000, 0x3f800002}, "0000"},
    {{0x00800001, 0x3f800001}, "mmmm"}, {{0x00800004, 0x3f800004}, "mmmm"},
    {{0x00800007, 0x3f800007}, "mmmm"}, {{0x00ffffff, 0x40000000}, "0000"},
    {{0x80ffffff, 0x40000000}, "----"}, {{0x0a7fffff, 0x49800000}, "0000"},
    {{0x00ffffff, 0x3fffffff}, "mmmm"}};
static const Row rows_cvt[] = {
    {{0x380fffffdfffffc0}, "0000"}, {{0x380fffffc0000040}, "0000"}, {{0x380fffffefffffe0}, "000m"},
    {{0x380fffffe0000020}, "000m"}, {{0x380ffffffffffffc}, "m00m"}, {{0x380ffffff0000010}, "m00m"},
    {{0x380fffffe0000000}, "0000"}, {{0x380ffffff0000000}, "m00m"}, {{0x380fffffc0000000}, "0000"},
    {{0x380fffff80000000}, "0000"}, {{0xb80fffffdfffffc0}, "----"}, {{0xb80fffffc0000040}, "----"},
    {{0xb80fffffefffffe0}, "--M-"}, {{0xb80fffffe0000020}, "--M-"}, {{0xb80ffffffffffffc}, "M-M-"},
    {{0xb80ffffff0000010}, "M-M-"}, {{0xb80fffffe0000000}, "----"}, {{0xb80ffffff0000000}, "M-M-"},
    {{0xb80fffffc0000000}, "----"}, {{0xb80fffff80000000}, "----"}};

static const char *const modes[MODES] = {"rn", "rz", "rm", "rp"};
static const PtxRound rounds[MODES] = {PTX_RN, PTX_RZ, PTX_RM, PTX_RP};

#define ROWS(a) a, sizeof a / sizeof *a
static const struct {
    const char *name, *type, *operands;
    RefOp ref;  // cvt has a function of its own
    const Row *rows;
    size_t n;
} ops[] = {{"mul", "f32", "%a, %b", REF_MUL, ROWS(rows_mul)},
           {"fma", "f32", "%a, %b, %c", REF_FMA, ROWS(rows_fma)},
           {"div", "f32", "%a, %b", REF_DIV, ROWS(rows_div)},
           {"cvt", "f32.f64", "%e", REF_ADD, ROWS(rows_cvt)}};
enum { OPS = sizeof ops / sizeof *ops };

static uint32_t word_of(char c) {
    return c == 'm' ? 0x00800000u : c == 'M' ? 0x80800000u : c == '-' ? 0x80000000u : 0;
}

static const Row *row_of(int op, int thread) { return &ops[op].rows[(size_t)thread % ops[op].n]; }

// Thread i takes row i (in turn) and stores a result for each rounding.
static const char *kernel(int op) {
    static char text[4096];
    int n = snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[%d])\n{\n"
        ".reg .b32 %%l;\n.reg .b64 %%x, %%w, %%k;\n.reg .f32 %%a, %%b, %%c, %%d;\n.reg .f64 %%e;\n"
        "ld.param.u64 %%x, [pin];\nld.param.u64 %%w, [pout];\nmov.u32 %%l, %%tid.x;\n"
        "mul.wide.u32 %%k, %%l, %d;\nadd.u64 %%x, %%x, %%k;\nadd.u64 %%w, %%w, %%k;\n"
        "ld.global.f32 %%a, [%%x];\nld.global.f32 %%b, [%%x+8];\nld.global.f32 %%c, [%%x+16];\n"
        "ld.global.f64 %%e, [%%x];\n",
        BENCH_BLOB, 8 * OPERANDS);
    for (int m = 0; m < MODES; m++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s.%s.ftz.%s %%d, %s;\nst.global.f32 [%%w+%d], %%d;\n", ops[op].name,
                      modes[m], ops[op].type, ops[op].operands, 8 * m);
    snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
    return text;
}

static uint32_t reference(int op, int m, const uint64_t *v) {
    if (ops[op].rows == rows_cvt)
        return (uint32_t)ref_cvt(PTX_F32, PTX_F64, rounds[m], true, false, v[0]);
    return (uint32_t)ref_fp(ops[op].ref, PTX_F32, rounds[m], true, false, v[0], v[1], v[2]);
}

// Of the results got[thread][mode].
static int compare(int op, uint64_t (*got)[MODES]) {
    int wrong = 0;
    for (int i = 0; i < BENCH_THREADS; i++)
        for (int m = 0; m < MODES; m++) {
            const Row *r = row_of(op, i);
            const uint32_t have = (uint32_t)got[i][m], want = word_of(r->results[m]);
            if (have == want) continue;
            wrong++;
            if ((size_t)i < ops[op].n)
                printf("%s.%s.ftz.%s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
                       ": 0x%08x, expected 0x%08x\n",
                       ops[op].name, modes[m], ops[op].type, r->operands[0], r->operands[1],
                       r->operands[2], have, want);
        }
    return wrong;
}

int main(int argc, char **argv) {
    static Bench b;
    static uint64_t in[BENCH_THREADS][OPERANDS], out[BENCH_THREADS][MODES];
    Diag d = {0};
    const char *mode = argc == 2 ? argv[1] : "";
    const bool ref = !strcmp(mode, "ref");
    int wrong = 0;
    if (!ref && strcmp(mode, "oracle") && strcmp(mode, "sm")) {
        fprintf(stderr, "usage: least oracle|sm|ref\n");
        return 2;
    }
    if (!ref && !bench_open(&b, !strcmp(mode, "sm"), &d)) {
        fprintf(stderr, "%s\n", d.text);
        return 1;
    }
    for (int op = 0; op < OPS; op++) {
        const uint8_t *results = NULL;
        for (int i = 0; i < BENCH_THREADS; i++)
            memcpy(in[i], row_of(op, i)->operands, sizeof in[i]);
        for (int i = 0; ref && i < BENCH_THREADS; i++)
            for (int m = 0; m < MODES; m++) out[i][m] = reference(op, m, in[i]);
        if (!ref && !bench_run(&b, kernel(op), in, sizeof in, 1, &results, &d)) {
            fprintf(stderr, "%s: %s\n", ops[op].name, d.text);
            return 1;
        }
        if (results) memcpy(out, results, sizeof out);
        if (getenv("LEAST_FAULT")) out[0][op % MODES] ^= 1;
        wrong += compare(op, out);
    }
    printf("%s: %d operations of %d threads, %d results are wrong\n", mode, OPS * MODES,
           BENCH_THREADS, wrong);
    if (ref) mpfr_free_cache();
    else bench_close(&b);
    return wrong != 0;
}
