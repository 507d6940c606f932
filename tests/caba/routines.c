// SPDX-License-Identifier: Apache-2.0
// Every routine of the assist warp store on many lines, with the ISA's own arithmetic and without
// the SM: images and lines are the codec's, byte for byte. Each encoding, pattern and dictionary
// size is met, and so are lines that do not compress. Routines of one encoding get all lines of the
// others too. Routines have no more instructions and registers than here, without their end. No
// byte is stored by two instructions, which might pass each other in the SM, or with two values by
// one.
// Usage: caba_routines
#include "isa/isa.h"
#include "ptx/ptx.h"
#include "systems/caba/caba.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 20000, STEPS = 1000 };

static const struct {
    int insts, regs;
} most[CABA_ROUTINES] = {{3, 1},   {4, 4},   {9, 8},   {10, 8},   {10, 8},   {7, 8},    {8, 8},
                         {12, 8},  {24, 10}, {17, 7},  {203, 12}, {131, 14}, {105, 15}, {7, 12},
                         {12, 12}, {25, 12}, {28, 12}, {26, 12},  {24, 12},  {24, 12},  {37, 12}};
// Instructions that compression by BDI takes where it ends with an encoding, and with none.
enum { BDI_ENCODINGS = 8 };
static const int most_steps[BDI_ENCODINGS + 1] = {16, 29, 28, 89, 128, 45, 89, 101, 90};
static int steps[BDI_ENCODINGS + 1];

// ---- one warp ----

typedef struct WarpOf {
    uint32_t r[ISA_MAX_REGS][ISA_LANES], p[8];
    uint8_t line[COMPRESS_LINE];
    const IsaInst *by[COMPRESS_LINE];  // which has stored the byte
    bool stored, bad;
    int steps;  // instructions executed
} WarpOf;

static void access_line(WarpOf *w, const IsaInst *in, uint32_t active) {
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        const bool reg = in->src[0].kind == ISA_SRC_REG && in->src[0].reg != ISA_RZ;
        const uint32_t at = (reg ? w->r[in->src[0].reg][l] : 0) + (uint32_t)in->offset;
        if (at >= COMPRESS_LINE || COMPRESS_LINE - at < in->mem_bytes || at % in->mem_bytes) {
            w->bad = true;
            return;
        }
        for (int i = 0; i < in->mem_bytes; i++) {
            const uint8_t from = in->op == ISA_ST ? in->src[1].reg : in->dst;
            uint32_t none = 0, *word = from == ISA_RZ ? &none : &w->r[from + i / 4][l];
            const uint8_t byte = (uint8_t)(*word >> i % 4 * 8);
            const IsaInst **by = &w->by[at + (uint32_t)i];
            if (in->op == ISA_ST && *by && (*by != in || w->line[at + (uint32_t)i] != byte))
                w->bad = true;
            if (in->op == ISA_ST) w->line[at + (uint32_t)i] = byte, *by = in;
            else *word = (i % 4 ? *word : 0) | (uint32_t)w->line[at + (uint32_t)i] << i % 4 * 8;
        }
        if (in->op == ISA_LD && in->type == ISA_S8)
            w->r[in->dst][l] = (uint32_t)(int32_t)(int8_t)w->r[in->dst][l];
        if (in->op == ISA_LD && in->type == ISA_S16)
            w->r[in->dst][l] = (uint32_t)(int32_t)(int16_t)w->r[in->dst][l];
    }
    w->stored |= in->op == ISA_ST && active;
}

static void compute(WarpOf *w, const IsaInst *in, uint32_t active, uint32_t mask) {
    static const uint32_t zeros[ISA_LANES];
    uint32_t fixed[3][2][ISA_LANES];
    IsaExecIn x = {.active = active, .present = mask};
    IsaExecOut out;
    for (int i = 0; i < 3; i++) {
        const IsaSrc *s = &in->src[i];
        x.psrc[i] = in->psrc[i].neg ? ~w->p[in->psrc[i].reg] : w->p[in->psrc[i].reg];
        for (int k = 0; k < 4; k++) {
            x.src[i][k] = zeros;
            if (k >= s->width || s->kind == ISA_SRC_NONE ||
                (s->kind == ISA_SRC_REG && s->reg == ISA_RZ))
                continue;
            if (s->kind == ISA_SRC_REG) x.src[i][k] = w->r[s->reg + k];
            if (s->kind != ISA_SRC_IMM || k > 1) continue;
            for (int l = 0; l < ISA_LANES; l++) fixed[i][k][l] = (uint32_t)(s->imm >> 32 * k);
            x.src[i][k] = fixed[i][k];
        }
    }
    if (in->op == ISA_S2R)
        for (int l = 0; l < ISA_LANES; l++) out.dst[0][l] = (uint32_t)l;
    else isa_exec(in, &x, &out);
    for (int k = 0; k < in->dst_width && in->dst != ISA_RZ; k++)
        for (int l = 0; l < ISA_LANES; l++)
            if (active >> l & 1) w->r[in->dst + k][l] = out.dst[k][l];
    for (int k = 0; k < 2; k++)
        if (in->pdst[k] != ISA_PT)
            w->p[in->pdst[k]] = (w->p[in->pdst[k]] & ~active) | (out.pdst[k] & active);
}

static bool run(const CabaProgram *p, uint32_t mask, WarpOf *w) {
    int pc = 0;
    w->stored = w->bad = false;
    for (int step = 0; pc < p->ninsts; step++) {
        const IsaInst *in = &p->text->insts[pc++];
        const uint32_t active = mask & (in->guard.neg ? ~w->p[in->guard.reg] : w->p[in->guard.reg]);
        w->steps = step + 1;
        if (step == STEPS || w->bad) return false;
        if (in->op == ISA_BRA) {
            if (active && active != mask) return false;
            if (active) pc = in->target;
        } else if (in->op == ISA_LD || in->op == ISA_ST) {
            access_line(w, in, active);
        } else {
            compute(w, in, active, mask);
        }
    }
    return !w->bad;
}

// ---- lines ----

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t signed_of(int bytes) {
    return (uint64_t)((int64_t)(draw() << (64 - 8 * bytes)) >> (64 - 8 * bytes));
}

static void put(uint8_t *line, int at, uint64_t v, int n) { memcpy(line + at, &v, (size_t)n); }

static void bdi_line(uint8_t *line) {
    static const int sizes[6][2] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};
    const int *e = sizes[draw() % 6], zero = (int)(draw() % 4);
    const uint64_t base = draw();
    for (int i = 0; i < COMPRESS_LINE; i += e[0])
        put(line, i, signed_of(e[1]) + ((int)(draw() % 4) < zero ? 0 : base), e[0]);
    if (draw() % 8 == 0)
        put(line, (int)(draw() % 16) * 8, draw() % 3 ? base + (1ull << (8 * e[1] - 1)) : draw(), 8);
}

static void fpc_line(uint8_t *line) {
    for (int s = 0; s < 4; s++) {
        const int pattern = (int)(draw() % 8);
        for (int i = 0; i < 8; i++) {
            const uint64_t v = draw();
            const uint32_t small = (uint32_t)signed_of(1), half = (uint32_t)signed_of(2);
            const uint32_t of[8] = {0,
                                    small,
                                    half,
                                    (uint32_t)v << 16,
                                    (small & 0xffff) | (uint32_t)signed_of(1) << 16,
                                    (uint32_t)(v & 255) * 0x1010101u,
                                    small,
                                    (uint32_t)v};
            const uint32_t word = of[pattern];
            put(line, 32 * s + 4 * i, word, 4);
        }
    }
}

static void cpack_line(uint8_t *line) {
    uint32_t d[5] = {0};
    const int n = (int)(draw() % 5), low = (int)(draw() % 2);
    for (int i = 1; i < 5; i++) d[i] = (uint32_t)draw();
    for (int i = 0; i < 32; i++)
        put(line, 4 * i, d[draw() % (unsigned)(n + 1)] ^ (low && draw() % 2 ? draw() & 255 : 0), 4);
}

static void some_line(int i, uint8_t *line) {
    memset(line, 0, COMPRESS_LINE);
    if (i == 0) return;
    if (i % 64 == 1)
        for (int k = 0; k < 16; k++) put(line, 8 * k, (uint64_t)i * 0x123456789abcdefull, 8);
    else if (i % 64 == 2)
        for (int k = 0; k < 16; k++) put(line, 8 * k, draw(), 8);
    else if (i % 3 == 0) bdi_line(line);
    else if (i % 3 == 1) fpc_line(line);
    else cpack_line(line);
}

// ---- the comparison ----

static int failed;

static void begin(WarpOf *w, const uint8_t *text, int n) {
    for (int i = 0; i < ISA_MAX_REGS; i++) memset(w->r[i], 0xa5, sizeof w->r[i]);
    for (int i = 0; i < 7; i++) w->p[i] = 0x5a5a5a5a;
    w->p[7] = ~0u;
    memset(w->line, 0xee, sizeof w->line);
    memset(w->by, 0, sizeof w->by);
    memcpy(w->line, text, (size_t)n);
}

static void complain(const char *routine, int line, const char *what) {
    if (failed++ < 10) printf("FAILED: %s, line %d: %s\n", routine, line, what);
}

static int met[CABA_ROUTINES + 3], raw;

// bdi.trial last-first: one encoding, for any others that fit.
static int fits[BDI_ENCODINGS], fits_not[BDI_ENCODINGS];

static void compare_try(const CabaProgram *programs, int encoding, int number,
                        const uint8_t *line) {
    static WarpOf w;
    uint8_t image[COMPRESS_IMAGE] = {0};
    const int routine = CABA_BDI_TRY + encoding,
              bytes = compress_bdi(line, encoding, BDI_BASE_FIRST_MISFIT, image);
    const char *name = caba_store.of[routine].name;
    begin(&w, line, COMPRESS_LINE);
    if (!run(&programs[routine], caba_store.of[routine].mask, &w))
        complain(name, number, "it does not end well");
    else if (w.stored != (bytes != 0))
        complain(name, number, bytes ? "left raw" : "compressed what does not fit");
    else if (bytes && memcmp(w.line, image, (size_t)compress_bursts(bytes) * COMPRESS_BURST))
        complain(name, number, "another image");
    else if (!bytes && memcmp(w.line, line, COMPRESS_LINE))
        complain(name, number, "a line that does not fit is changed");
    (bytes ? fits : fits_not)[encoding]++;
    met[routine]++;
}

static void compare(const CabaProgram *programs, CompressCodec codec, int store, int number,
                    const uint8_t *line) {
    static WarpOf w;
    uint8_t image[COMPRESS_IMAGE] = {0};
    const int bytes = compress_line(codec, line, image), bursts = compress_bursts(bytes);
    const char *name = caba_store.of[store].name;
    begin(&w, line, COMPRESS_LINE);
    if (!run(&programs[store], caba_store.of[store].mask, &w))
        complain(name, number, "it does not end well");
    else if (w.stored != (bytes != 0))
        complain(name, number, bytes ? "left raw" : "compressed what the codec leaves raw");
    else if (bytes && memcmp(w.line, image, (size_t)bursts * COMPRESS_BURST))
        complain(name, number, "another image");
    if (!bytes && memcmp(w.line, line, COMPRESS_LINE))
        complain(name, number, "a raw line is changed");
    met[store]++;
    raw += !bytes;
    const int ends = !bytes ? BDI_ENCODINGS : image[0] & 15;
    if (codec == COMPRESS_BDI && w.steps > steps[ends]) steps[ends] = w.steps;
    if (!bytes) return;
    const int bdi = CABA_BDI_LOAD + image[0];
    const int load = codec == COMPRESS_FPC ? CABA_FPC_LOAD
        : codec == COMPRESS_CPACK          ? CABA_CPACK_LOAD
                                           : bdi;
    begin(&w, image, COMPRESS_IMAGE);
    if (!run(&programs[load], caba_store.of[load].mask, &w))
        complain(caba_store.of[load].name, number, "it does not end well");
    else if (memcmp(w.line, line, COMPRESS_LINE))
        complain(caba_store.of[load].name, number, "another line");
    met[load]++;
}

int main(void) {
    Arena arena = {0};
    Diag d = {0};
    CabaProgram programs[CABA_ROUTINES] = {0};
    if (!caba_assemble(&arena, &caba_store, COMPRESS_BEST, false, programs, &d) ||
        !caba_assemble(&arena, &caba_store, COMPRESS_BDI, true, programs, &d)) {
        printf("FAILED: %s\n", d.text);
        return 1;
    }
    for (int i = 0; i < CABA_ROUTINES; i++) {
        printf("%-18s %3d instructions, %2d registers\n", caba_store.of[i].name, programs[i].ninsts,
               programs[i].nregs);
        if (programs[i].ninsts > most[i].insts || programs[i].nregs > most[i].regs)
            complain(caba_store.of[i].name, 0, "more instructions or registers than its limit");
    }
    for (int i = 0; i < LINES; i++) {
        uint8_t line[COMPRESS_LINE];
        some_line(i, line);
        compare(programs, COMPRESS_BDI, CABA_BDI_STORE, i, line);
        compare(programs, COMPRESS_FPC, CABA_FPC_STORE, i, line);
        compare(programs, COMPRESS_CPACK, CABA_CPACK_STORE, i, line);
        for (int e = 0; e < BDI_ENCODINGS; e++) compare_try(programs, e, i, line);
    }
    for (int e = 0; e < BDI_ENCODINGS; e++)
        if (!fits[e] || !fits_not[e])
            complain(caba_store.of[CABA_BDI_TRY + e].name, 0,
                     "lines that fit, or that do not, are missing");
    for (int i = 0; i <= BDI_ENCODINGS; i++) {
        printf("bdi.store, encoding %d%s: %d instructions\n", i, i == BDI_ENCODINGS ? " (raw)" : "",
               steps[i]);
        if (steps[i] > most_steps[i]) complain("bdi.store", 0, "more instructions than its limit");
    }
    for (int i = 0; i < CABA_ROUTINES; i++)
        if (!met[i]) complain(caba_store.of[i].name, 0, "never run");
    printf("caba: %d lines by three codecs, %d raw; %d failed\n", LINES, raw, failed);
    arena_free(&arena);
    return failed != 0;
}
