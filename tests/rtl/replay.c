// SPDX-License-Identifier: Apache-2.0
// Writes seeded random stimuli for a block and what its golden model answers, for replay by a
// 4-state simulator (<block>_tb.v).
//
//   rtl_replay BLOCK SEED CYCLES PARAMETER... >FILE    parameters in the order of the table
//
// Line per cycle: reset, inputs, expected outputs, mask of the bits compared; hex. The ports stand
// in the order of the port table from the lowest bit on, element 0 of each lowest.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/banked_rf.h"
#include "models/operand_collector.h"

// Deterministic on every machine (xorshift64*).
static uint64_t rng_state;
static uint32_t rng(void) {
    rng_state ^= rng_state >> 12;
    rng_state ^= rng_state << 25;
    rng_state ^= rng_state >> 27;
    return (uint32_t)(rng_state * 0x2545f4914f6cdd1dull >> 32);
}
static uint32_t below(int n) { return rng() % (uint32_t)n; }
static bool chance(int percent) { return below(100) < (uint32_t)percent; }
static uint32_t mask(int width) { return width == 32 ? 0xffffffffu : (1u << width) - 1; }

// A bit vector, lowest bit first.
typedef struct Bits {
    int size;
    uint8_t byte[32768];
} Bits;

static void bits_add(Bits *b, uint32_t value, int width) {
    for (int i = 0; i < width; i++, b->size++) {
        if (b->size % 8 == 0) b->byte[b->size / 8] = 0;
        b->byte[b->size / 8] |= (uint8_t)((value >> i & 1) << b->size % 8);
    }
}

static void bits_print(const Bits *b, char end) {
    for (int i = (b->size + 3) / 4 - 1; i >= 0; i--)
        putchar("0123456789abcdef"[b->byte[i / 2] >> 4 * (i % 2) & 15]);
    putchar(end);
}

#define ON_IN_IN(x) x
#define ON_IN_OUT(x)
#define ON_OUT_IN(x)
#define ON_OUT_OUT(x) x
#define ADD_W(dir, name, max, count, width, cls, valid, meaning) \
    ON_IN_##dir(for (int e = 0; e < (count); e++) bits_add(v, in->name[e], width);)
#define ADD_V(dir, name, max, count, width, cls, valid, meaning)  \
    ON_IN_##dir(for (int e = 0; e < (count); e++)                  \
                    for (int i = 0; i < 32; i++) bits_add(v, in->name[e][i], 32);)
#define COMPARED_ALWAYS(valid, e) true
#define COMPARED_WHEN(valid, e) (out->valid[0] >> (e) & 1)
#define EXPECT_W(dir, name, max, count, width, cls, valid, meaning)        \
    ON_OUT_##dir(for (int e = 0; e < (count); e++) {                       \
        const bool on = COMPARED_##cls(valid, e);                          \
        bits_add(v, on ? out->name[e] : 0, width);                         \
        bits_add(m, on ? mask(width) : 0, width);                          \
    })
#define EXPECT_V(dir, name, max, count, width, cls, valid, meaning)        \
    ON_OUT_##dir(for (int e = 0; e < (count); e++) for (int i = 0; i < 32; i++) { \
        const bool on = COMPARED_##cls(valid, e);                          \
        bits_add(v, on ? out->name[e][i] : 0, 32);                         \
        bits_add(m, on ? 0xffffffffu : 0, 32);                             \
    })

static void line(bool reset, const Bits *in, const Bits *expect, const Bits *compared) {
    printf("%d ", reset);
    bits_print(in, ' ');
    bits_print(expect, ' ');
    bits_print(compared, '\n');
}

// ---- banked_rf: few entries, so that what is written is read; writers and readers that keep their
// request until it is served, as in the machine.
static void rf_random(BankedRfIn *in, const BankedRfOut *last, const int *p) {
    const int Banks = p[0], Entries = p[1], NumColl = p[2], NumWr = p[3];
    const int used = Entries < 4 ? Entries : 4;
    int rank[RF_MAX_COLL];
    for (int c = 0; c < NumColl; c++) rank[c] = c;
    for (int c = NumColl - 1; c > 0; c--) {
        const int d = (int)below(c + 1), r = rank[c];
        rank[c] = rank[d], rank[d] = r;
    }
    for (int c = 0; c < NumColl; c++) {
        in->older[c] = 0;
        for (int d = 0; d < NumColl; d++) in->older[c] |= (uint32_t)(rank[d] < rank[c]) << d;
        const bool waits = in->rd_valid[0] >> c & 1 && !(last->rd_grant[0] >> c & 1);
        if (waits && chance(90)) continue;
        in->rd_valid[0] = (in->rd_valid[0] & ~(1u << c)) | (uint32_t)chance(50) << c;
        in->rd_bank[c] = below(Banks);
        // low and high entries alike, so that every address bit is used
        in->rd_entry[c] = chance(50) ? below(used) : (uint32_t)Entries - 1 - below(used);
        in->rd_entry2[c] = chance(50) ? below(used) : (uint32_t)Entries - 1 - below(used);
        in->rd_sel[c] = chance(50) ? 0 : below(16);
    }
    for (int w = 0; w < NumWr; w++) {
        const bool waits = in->wr_valid[0] >> w & 1 && !(last->wr_ready[0] >> w & 1);
        if (waits && chance(90)) continue;
        in->wr_valid[0] = (in->wr_valid[0] & ~(1u << w)) | (uint32_t)chance(40) << w;
        in->wr_bank[w] = below(Banks);
        in->wr_entry[w] = chance(50) ? below(used) : (uint32_t)Entries - 1 - below(used);
        in->wr_slice[w] = chance(50) ? 15 : below(16);
        in->wr_lane[w] = chance(50) ? 0xffffffffu : rng();
        for (int i = 0; i < 32; i++) in->wr_data[w][i] = rng();
    }
}

static void rf_line(bool reset, const BankedRfIn *in, const BankedRfOut *out, bool compare,
                    const int *p) {
    const int Banks = p[0], Entries = p[1], NumColl = p[2], NumWr = p[3];
    BANKED_RF_WIDTHS;
    static Bits inputs, expect, compared;
    inputs.size = expect.size = compared.size = 0;
    Bits *v = &inputs, *m = &compared;
    BANKED_RF_PORTS(ADD_W, ADD_V)
    v = &expect;
    BANKED_RF_PORTS(EXPECT_W, EXPECT_V)
    if (!compare) memset(compared.byte, 0, sizeof compared.byte);
    line(reset, &inputs, &expect, &compared);
}

static void rf_run(const int *p, int cycles) {
    static BankedRfIn in;
    static BankedRfOut out;
    void *model = banked_rf_model.open(p);
    for (int t = 0; t < cycles; t++) {
        const bool reset = t < 2 || below(200) == 0;
        rf_random(&in, &out, p);
        banked_rf_model.eval(model, &in, &out);
        rf_line(reset, &in, &out, t > 0, p);
        if (reset) banked_rf_model.reset(model);
        else banked_rf_model.tick(model, &in);
    }
    banked_rf_model.close(model);
}

// ---- operand_collector: what is granted is delivered one cycle later, each by a bank of its own.
static void oc_random(OperandCollectorIn *in, const OperandCollectorOut *out, uint32_t *granted,
                      const int *p, int phase) {
    const int NumColl = p[0], NumOps = p[1], NumAlloc = p[2];
    const int NumDisp = p[3], Banks = p[4], Entries = p[5];
    in->rd_data_valid[0] = 0;
    int bank = (int)below(Banks);
    for (int c = 0; c < NumColl; c++) {
        if (!(*granted >> c & 1)) continue;
        in->rd_data_valid[0] |= 1u << bank;
        in->rd_data_coll[bank] = (uint32_t)c;
        for (int i = 0; i < 32; i++) in->rd_data[bank][i] = rng();
        bank = (bank + 1) % Banks;
    }
    *granted = 0;
    for (int c = (int)below(NumColl), i = 0; i < NumColl; i++, c = (c + 1) % NumColl)
        if (out->rd_valid[0] >> c & 1 && __builtin_popcount(*granted) < Banks && chance(60))
            *granted |= 1u << c;
    in->rd_grant[0] = *granted;
    // phases: everything flows; units hardly take anything (collectors fill up); few instructions
    in->alloc_valid[0] = rng() & mask(NumAlloc) & (phase == 2 ? rng() & rng() : 0xffffffffu);
    in->disp_ready[0] = rng() & mask(NumDisp) & (phase == 1 ? rng() & rng() : 0xffffffffu);
    for (int a = 0; a < NumAlloc; a++) {
        in->alloc_unit[a] = below(NumDisp);
        in->alloc_need[a] = rng() & mask(NumOps);
        for (int o = 0; o < NumOps; o++) {
            in->alloc_bank[a * NumOps + o] = below(Banks);
            in->alloc_entry[a * NumOps + o] = below(Entries);
        }
    }
}

static void oc_line(bool reset, const OperandCollectorIn *in, const OperandCollectorOut *out,
                    bool compare, const int *p) {
    const int NumColl = p[0], NumOps = p[1], NumAlloc = p[2];
    const int NumDisp = p[3], Banks = p[4], Entries = p[5];
    OPERAND_COLLECTOR_WIDTHS;
    static Bits inputs, expect, compared;
    inputs.size = expect.size = compared.size = 0;
    Bits *v = &inputs, *m = &compared;
    OPERAND_COLLECTOR_PORTS(ADD_W, ADD_V)
    v = &expect;
    OPERAND_COLLECTOR_PORTS(EXPECT_W, EXPECT_V)
    if (!compare) memset(compared.byte, 0, sizeof compared.byte);
    line(reset, &inputs, &expect, &compared);
}

static void oc_run(const int *p, int cycles) {
    static OperandCollectorIn in;
    static OperandCollectorOut out;
    uint32_t granted = 0;
    void *model = operand_collector_model.open(p);
    for (int t = 0; t < cycles; t++) {
        const bool reset = t < 2 || below(200) == 0;
        operand_collector_model.eval(model, &in, &out);
        oc_random(&in, &out, &granted, p, t / 64 % 3);
        oc_line(reset, &in, &out, t > 0, p);
        if (reset) {
            operand_collector_model.reset(model);
            granted = 0;
        } else {
            operand_collector_model.tick(model, &in);
        }
    }
    operand_collector_model.close(model);
}

int main(int argc, char **argv) {
    int params[BLOCK_MAX_PARAMS] = {0};
    if (argc < 5) return 2;
    rng_state = strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 4; i < argc && i - 4 < BLOCK_MAX_PARAMS; i++) params[i - 4] = atoi(argv[i]);
    if (strcmp(argv[1], "banked_rf") == 0 && argc == 8) rf_run(params, atoi(argv[3]));
    else if (strcmp(argv[1], "operand_collector") == 0 && argc == 10) oc_run(params, atoi(argv[3]));
    else return 2;
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
