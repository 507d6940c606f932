// SPDX-License-Identifier: Apache-2.0
// Golden model of banked_rf. Written from the contract: one scan over the writers and one over the
// collectors, each bank keeping the best candidate it has seen. The oldest of several collectors is
// the one with the fewest older ones (its rank), so no age matrix is evaluated here.
#include "models/rf/banked_rf.h"
#include "models/params.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BANKED_RF_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1 };

typedef struct Read {        // what a bank delivers in the next cycle
    int coll;                // NONE: nothing
    uint32_t entry, entry2, sel;
} Read;

typedef struct BankedRf {
    int banks, entries, num_coll, num_wr;
    int params[PARAMS];
    Read read[RF_MAX_BANKS];
    int first[RF_MAX_BANKS];  // writer that comes first in the next conflict
    uint32_t (*row)[32];      // bank * entries + entry
} BankedRf;

// The arbiters' decisions of one cycle.
typedef struct Served {
    int writer[RF_MAX_BANKS], writers[RF_MAX_BANKS];  // the one served, how many asked
    int coll[RF_MAX_BANKS];
} Served;

static void *rf_open(const int *params) {
    BankedRf *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->banks = params[P_Banks], m->entries = params[P_Entries];
    m->num_coll = params[P_NumColl], m->num_wr = params[P_NumWr];
    m->row = calloc((size_t)m->banks * (size_t)m->entries, sizeof *m->row);
    if (!m->row) {
        free(m);
        return NULL;
    }
    for (int b = 0; b < m->banks; b++) m->read[b].coll = NONE;
    return m;
}

static void rf_close(void *self) {
    BankedRf *m = self;
    free(m->row);
    free(m);
}

static void rf_reset(void *self) {
    BankedRf *m = self;
    for (int b = 0; b < m->banks; b++) m->read[b].coll = NONE, m->first[b] = 0;
}

// Position of writer w when bank b goes round from its first one.
static int rf_turn(const BankedRf *m, int b, int w) {
    const int turn = w - m->first[b];
    return turn < 0 ? turn + m->num_wr : turn;
}

static void rf_arbitrate(const BankedRf *m, const BankedRfIn *in, Served *s) {
    for (int b = 0; b < m->banks; b++) s->writer[b] = NONE, s->coll[b] = INT_MAX, s->writers[b] = 0;
    for (int w = 0; w < m->num_wr; w++) {
        if (!(in->wr_valid[0] >> w & 1) || in->wr_bank[w] >= (uint32_t)m->banks) continue;
        const int b = (int)in->wr_bank[w];
        if (s->writers[b]++ == 0 || rf_turn(m, b, w) < rf_turn(m, b, s->writer[b]))
            s->writer[b] = w;
    }
    // Of the collectors that ask a bank the one that the fewest others precede; by number among
    // equals.
    for (uint32_t left = in->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        if (in->rd_bank[c] >= (uint32_t)m->banks) continue;
        const int rank = __builtin_popcount(in->older[c] & in->rd_valid[0]) << 8 | c;
        int *best = &s->coll[in->rd_bank[c]];
        *best = rank < *best ? rank : *best;
    }
    for (int b = 0; b < m->banks; b++)
        s->coll[b] = s->writers[b] || s->coll[b] == INT_MAX ? NONE : s->coll[b] & 0xff;
}

static const uint32_t *rf_row(const BankedRf *m, int bank, uint32_t entry) {
    static const uint32_t zero[32];
    return entry < (uint32_t)m->entries ? m->row[bank * m->entries + (int)entry] : zero;
}

static void rf_deliver(const BankedRf *m, int b, uint32_t data[32]) {
    const Read *r = &m->read[b];
    const uint32_t *one = rf_row(m, b, r->entry);
    if (!r->sel) {
        memcpy(data, one, 128);
        return;
    }
    const uint32_t *two = rf_row(m, b, r->entry2);
    for (int s = 0; s < 4; s++) memcpy(data + 8 * s, (r->sel >> s & 1 ? two : one) + 8 * s, 32);
}

// A bank that served a read in cycle t served no write, so its rows are still those of cycle t when
// the data is taken here in t+1, before the tick of t+1.
static void rf_eval(void *self, const void *inputs, void *outputs) {
    const BankedRf *m = self;
    const BankedRfIn *in = inputs;
    BankedRfOut *out = outputs;
    Served s;
    rf_arbitrate(m, in, &s);
    out->rd_grant[0] = out->wr_ready[0] = out->rd_data_valid[0] = 0;
    for (int b = 0; b < m->banks; b++) {
        if (s.writer[b] != NONE) out->wr_ready[0] |= 1u << s.writer[b];
        if (s.coll[b] != NONE) out->rd_grant[0] |= 1u << s.coll[b];
        if (m->read[b].coll == NONE) continue;
        out->rd_data_valid[0] |= 1u << b;
        out->rd_data_coll[b] = (uint32_t)m->read[b].coll;
        rf_deliver(m, b, out->rd_data[b]);
    }
}

static void rf_write(BankedRf *m, int b, uint32_t entry, uint32_t slices, uint32_t lanes,
                     const uint32_t data[32]) {
    if (entry >= (uint32_t)m->entries) return;
    uint32_t *row = m->row[b * m->entries + (int)entry];
    if (lanes == ~0u && slices == 0xf) {
        memcpy(row, data, 128);
        return;
    }
    uint32_t mask[8];
    for (int i = 0; i < 8; i++) {
        const uint32_t four = lanes >> 4 * i & 15;  // lanes of this word, one byte each
        mask[i] = (four & 1) * 0xffu | (four >> 1 & 1) * 0xff00u | (four >> 2 & 1) * 0xff0000u |
                  (four >> 3) * 0xff000000u;
    }
    // Slices are written under a mask too: which ones is as good as random, and a branch foresees nothing.
    for (int s = 0; s < 4; s++) {
        const uint32_t slice = -(slices >> s & 1);
        for (int i = 0; i < 8; i++) {
            const uint32_t written = mask[i] & slice;
            row[8 * s + i] = (row[8 * s + i] & ~written) | (data[8 * s + i] & written);
        }
    }
}

static void rf_tick(void *self, const void *inputs) {
    BankedRf *m = self;
    const BankedRfIn *in = inputs;
    Served s;
    rf_arbitrate(m, in, &s);
    for (int b = 0; b < m->banks; b++) {
        const int w = s.writer[b], c = s.coll[b];
        if (w != NONE)
            rf_write(m, b, in->wr_entry[w], in->wr_slice[w], in->wr_lane[w], in->wr_data[w]);
        if (s.writers[b] > 1) m->first[b] = w + 1 < m->num_wr ? w + 1 : 0;
        m->read[b].coll = c;
        if (c == NONE) continue;
        m->read[b].entry = in->rd_entry[c];
        m->read[b].entry2 = in->rd_entry2[c];
        m->read[b].sel = in->rd_sel[c];
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
    else if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
}

const BlockModel banked_rf_model = {
    "banked_rf", rf_open, rf_close, rf_reset, rf_eval, rf_tick, rf_obs_count, rf_observe, 32,
};
