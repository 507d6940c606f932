// SPDX-License-Identifier: Apache-2.0
// Golden model of banked_rf: one scan over the writers and one over the collectors. Each bank
// records its requests.
#include "models/rf/banked_rf.h"
#include "models/params.h"
#include "models/rows.h"

#include <stdlib.h>
#include <string.h>

enum { BANKED_RF_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Read {  // the data that a bank delivers in the next cycle
    int coll;
    uint32_t entry, entry2, sel;
} Read;

// The arbiters' decisions of one cycle.
typedef struct Served {
    uint32_t ready, grant;  // writers, collectors
    // banks: that take a result, that serve a read, with several writers
    uint32_t writing, reading, fought;
    int8_t writer[RF_MAX_BANKS], coll[RF_MAX_BANKS];  // .. which
} Served;

// All inputs of the arbiters.
typedef struct Asked {
    uint32_t rd_valid, wr_valid, rd_bank[RF_MAX_COLL], older[RF_MAX_COLL], wr_bank[RF_MAX_WR];
} Asked;

typedef struct BankedRf {
    int banks, entries, num_coll, num_wr;
    int params[PARAMS];
    uint32_t delivers;  // banks
    Read read[RF_MAX_BANKS];
    int first[RF_MAX_BANKS];  // writer with priority in the next conflict
    uint32_t (*row)[32];      // bank * entries + entry
    Asked asked;              // inputs of the decision in `served`
    Served served;
    bool decided;  // .. the decision is valid
} BankedRf;

static void *rf_open(const int *params) {
    BankedRf *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[P_Banks], m->entries = params[P_Entries];
    m->num_coll = params[P_NumColl], m->num_wr = params[P_NumWr];
    m->row = rows_alloc((size_t)m->banks * (size_t)m->entries * sizeof *m->row);
    if (!m->row) {
        free(m);
        return NULL;
    }
    return m;
}

static void rf_close(void *self) {
    BankedRf *m = self;
    free(m->row);
    free(m);
}

static void rf_reset(void *self) {
    BankedRf *m = self;
    for (int b = 0; b < m->banks; b++) m->first[b] = 0;
    m->delivers = 0;
    m->decided = false;
}

// Position of writer w in the cyclic order of bank b from its first writer.
static int rf_turn(const BankedRf *m, int b, int w) {
    const int turn = w - m->first[b];
    return turn < 0 ? turn + m->num_wr : turn;
}

// Of the collectors that request a bank, the oldest.
static int rf_oldest(const BankedRfIn *in, uint32_t of) {
    const uint32_t oldest = of & row_without(in->older, of);
    return oldest ? __builtin_ctz(oldest) : 31 - __builtin_clz(of);
}

static void rf_arbitrate_writes(const BankedRf *m, const BankedRfIn *in, Served *s) {
    for (uint32_t left = in->wr_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (w >= m->num_wr || in->wr_bank[w] >= (uint32_t)m->banks) continue;
        const int b = (int)in->wr_bank[w];
        if (s->writing >> b & 1) s->fought |= 1u << b;
        if (!(s->writing >> b & 1) || rf_turn(m, b, w) < rf_turn(m, b, s->writer[b]))
            s->writer[b] = (int8_t)w;
        s->writing |= 1u << b;
    }
    for (uint32_t left = s->writing; left; left &= left - 1)
        s->ready |= 1u << s->writer[__builtin_ctz(left)];
}

static void rf_arbitrate_reads(const BankedRf *m, const BankedRfIn *in, Served *s) {
    for (uint32_t left = in->rd_valid[0]; left;) {
        const uint32_t b = in->rd_bank[__builtin_ctz(left)],
                       asks = left & row_equals(in->rd_bank, b);
        left &= ~asks;
        if (b >= (uint32_t)m->banks || s->writing >> b & 1) continue;
        const int c = rf_oldest(in, asks);
        s->coll[b] = (int8_t)c;
        s->reading |= 1u << b;
        s->grant |= 1u << c;
    }
}

static bool rf_same(const Asked *a, const BankedRfIn *in) {
    return a->rd_valid == in->rd_valid[0] && a->wr_valid == in->wr_valid[0] &&
        row_equal(a->rd_bank, in->rd_bank) && row_equal(a->older, in->older) &&
        !memcmp(a->wr_bank, in->wr_bank, sizeof a->wr_bank);
}

// Decisions of the arbiters. The clock edge of a cycle needs the same ones as its evaluation.
static const Served *rf_served(BankedRf *m, const BankedRfIn *in) {
    Asked *a = &m->asked;
    Served *s = &m->served;
    if (m->decided && rf_same(a, in)) return s;
    a->rd_valid = in->rd_valid[0];
    a->wr_valid = in->wr_valid[0];
    row_copy(a->rd_bank, in->rd_bank);
    row_copy(a->older, in->older);
    memcpy(a->wr_bank, in->wr_bank, sizeof a->wr_bank);
    m->decided = true;
    s->ready = s->grant = s->writing = s->reading = s->fought = 0;
    rf_arbitrate_writes(m, in, s);
    rf_arbitrate_reads(m, in, s);
    return s;
}

static const uint32_t *rf_row(const BankedRf *m, int bank, uint32_t entry) {
    static const uint32_t zero[32];
    return entry < (uint32_t)m->entries ? m->row[bank * m->entries + (int)entry] : zero;
}

static void rf_deliver(const BankedRf *m, int b, uint32_t data[32]) {
    const Read *r = &m->read[b];
    const uint32_t *one = rf_row(m, b, r->entry);
    if (!r->sel) {
        row_copy(data, one);
        return;
    }
    const uint32_t *two = rf_row(m, b, r->entry2);
    for (int s = 0; s < 4; s++) memcpy(data + 8 * s, (r->sel >> s & 1 ? two : one) + 8 * s, 32);
}

// A bank that served a read in cycle t served no write. So the rows read here in t+1, before the
// tick of t+1, are still those of cycle t.
static void rf_eval(void *self, const void *inputs, void *outputs) {
    BankedRf *m = self;
    BankedRfOut *out = outputs;
    const Served *s = rf_served(m, inputs);
    out->rd_grant[0] = s->grant;
    out->wr_ready[0] = s->ready;
    out->rd_data_valid[0] = m->delivers;
    for (uint32_t left = m->delivers; left; left &= left - 1) {
        const int b = __builtin_ctz(left);
        out->rd_data_coll[b] = (uint32_t)m->read[b].coll;
        rf_deliver(m, b, out->rd_data[b]);
    }
}

static void rf_write(BankedRf *m, int b, uint32_t entry, uint32_t slices, uint32_t lanes,
                     const uint32_t data[32]) {
    if (entry >= (uint32_t)m->entries) return;
    uint32_t *row = m->row[b * m->entries + (int)entry];
    if (lanes == ~0u && slices == 0xf) {
        row_copy(row, data);
        return;
    }
    uint32_t mask[8];
    for (int i = 0; i < 8; i++) {
        const uint32_t four = lanes >> 4 * i & 15;  // lanes of this word, one byte each
        mask[i] = (four & 1) * 0xffu | (four >> 1 & 1) * 0xff00u | (four >> 2 & 1) * 0xff0000u |
            (four >> 3) * 0xff000000u;
    }
    // Slices are written under a mask too, because the processor cannot predict a branch on them.
    for (int s = 0; s < 4; s++) {
        const uint32_t slice = -(slices >> s & 1);
        for (int i = 0; i < 8; i++) {
            const uint32_t written = mask[i] & slice;
            row[8 * s + i] = (row[8 * s + i] & ~written) | (data[8 * s + i] & written);
        }
    }
}

// The row is read in the next cycle. This prefetches it into the cache of the host.
static void rf_expect(const BankedRf *m, int bank, uint32_t entry) {
    const uint32_t *row = rf_row(m, bank, entry);
    __builtin_prefetch(row);
    __builtin_prefetch(row + 16);
}

static void rf_tick(void *self, const void *inputs) {
    BankedRf *m = self;
    const BankedRfIn *in = inputs;
    const Served *s = rf_served(m, in);
    m->decided = false;  // of the next state
    for (uint32_t left = s->writing; left; left &= left - 1) {
        const int b = __builtin_ctz(left), w = s->writer[b];
        rf_write(m, b, in->wr_entry[w], in->wr_slice[w], in->wr_lane[w], in->wr_data[w]);
        if (s->fought >> b & 1) m->first[b] = w + 1 < m->num_wr ? w + 1 : 0;
    }
    m->delivers = s->reading;
    for (uint32_t left = s->reading; left; left &= left - 1) {
        const int b = __builtin_ctz(left), c = s->coll[b];
        m->read[b] = (Read){c, in->rd_entry[c], in->rd_entry2[c], in->rd_sel[c]};
        rf_expect(m, b, in->rd_entry[c]);
    }
}

static uint32_t rf_obs_count(void *self) {
    const BankedRf *m = self;
    return (uint32_t)(m->banks * m->entries + m->banks);
}

static void rf_observe(void *self, uint32_t addr, uint32_t *words) {
    const BankedRf *m = self;
    const uint32_t rows = (uint32_t)(m->banks * m->entries);
    memset(words, 0, 128);
    if (addr < rows) memcpy(words, m->row[addr], 128);
    else if (addr < rows + (uint32_t)m->banks) words[0] = (uint32_t)m->first[addr - rows];
    else if (addr - BLOCK_OBS_PARAM < PARAMS)
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
}

const BlockModel banked_rf_model = {"banked_rf", rf_open,      rf_close,   rf_reset, rf_eval,
                                    rf_tick,     rf_obs_count, rf_observe, 32};
