// SPDX-License-Identifier: Apache-2.0
// Golden model of row_reader: merges in a list, the oldest in front. The reads in flight are in a
// list of their requesters.
#include "models/larf/row_reader.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_READER_PARAMS(BLOCK_INDEX) PARAMS };

enum { QUESTION = RR_ROWS, MAX_READS = RR_ROWS + 1 };

typedef struct Merge {
    uint32_t use, tag, phys[RR_ROWS], shift[RR_ROWS], mask[RR_ROWS];
} Merge;

typedef struct RowReader {
    int params[PARAMS];
    Merge merge[RR_MAX_QUEUE];
    int queued;
    bool asked[MAX_READS], come[MAX_READS];  // of the oldest merge, of the question
    uint32_t row[MAX_READS][32];
    bool question, void_question;
    uint32_t question_phys;
    int reading[MAX_READS], reads;  // their requesters, the oldest first
} RowReader;

static void rr_reset(void *self) {
    RowReader *m = self;
    int params[PARAMS];
    memcpy(params, m->params, sizeof params);
    memset(m, 0, sizeof *m);
    memcpy(m->params, params, sizeof params);
}

static void *rr_open(const int *params) {
    RowReader *m = calloc(1, sizeof *m);
    if (m) memcpy(m->params, params, sizeof m->params);
    return m;
}

static void rr_close(void *self) { free(self); }

static int rows_of(const Merge *g) { return g->use == 3 ? 2 : 1; }

// The requester of the next read: a row of the oldest merge, QUESTION; -1: none.
static int rr_wants(const RowReader *m) {
    for (int r = 0; m->queued && r < rows_of(&m->merge[0]); r++)
        if (!m->asked[r]) return r;
    return m->question && !m->void_question && !m->asked[QUESTION] ? QUESTION : -1;
}

static bool rr_complete(const RowReader *m) {
    for (int r = 0; m->queued && r < rows_of(&m->merge[0]); r++)
        if (!m->come[r]) return false;
    return m->queued > 0;
}

static void rr_eval(void *self, const void *inputs, void *outputs) {
    const RowReader *m = self;
    const RowReaderIn *in = inputs;
    RowReaderOut *out = outputs;
    const Merge *g = &m->merge[0];
    memset(out, 0, sizeof *out);
    out->mg_ready[0] = m->queued < m->params[P_Queue];
    out->qu_ready[0] = !m->question;
    const int wants = rr_wants(m);
    out->rd_valid[0] = wants >= 0;
    if (wants >= 0) out->rd_phys[0] = wants == QUESTION ? m->question_phys : g->phys[wants];
    if (in->back_valid[0] && m->reads && m->reading[0] != QUESTION) {
        out->un_valid[0] = 1;
        out->un_phys[0] = g->phys[m->reading[0]];
    }
    if (rr_complete(m)) {
        out->op_valid[0] = g->use;
        out->op_tag[0] = g->tag;
        for (int r = 0; r < rows_of(g); r++) {
            memcpy(out->op_row[r], m->row[r], sizeof m->row[r]);
            out->op_shift[r] = g->shift[r];
            out->op_mask[r] = g->mask[r];
        }
    }
    out->an_valid[0] = m->question && !m->void_question && m->come[QUESTION];
    if (out->an_valid[0]) memcpy(out->an_row[0], m->row[QUESTION], sizeof m->row[QUESTION]);
}

static void rr_forget_question(RowReader *m) {
    m->question = m->void_question = false;
    m->asked[QUESTION] = m->come[QUESTION] = false;
}

static void rr_arrive(RowReader *m, const RowReaderIn *in) {
    if (!in->back_valid[0] || !m->reads) return;
    const int who = m->reading[0];
    m->reads--;
    memmove(m->reading, m->reading + 1, (size_t)m->reads * sizeof m->reading[0]);
    if (who == QUESTION && m->void_question) {
        rr_forget_question(m);
        return;
    }
    m->come[who] = true;
    memcpy(m->row[who], in->back_row[0], sizeof m->row[who]);
}

static void rr_tick(void *self, const void *inputs) {
    RowReader *m = self;
    const RowReaderIn *in = inputs;
    const bool room = m->queued < m->params[P_Queue], idle = !m->question;
    const bool gives = rr_complete(m) && in->op_ready[0];
    const bool taken = m->question && !m->void_question && m->come[QUESTION] && in->an_ready[0];
    const int wants = in->rd_grant[0] ? rr_wants(m) : -1;
    rr_arrive(m, in);
    if (wants >= 0) {
        m->asked[wants] = true;
        m->reading[m->reads++] = wants;
    }
    if (gives) {
        m->queued--;
        memmove(m->merge, m->merge + 1, (size_t)m->queued * sizeof m->merge[0]);
        for (int r = 0; r < RR_ROWS; r++) m->asked[r] = m->come[r] = false;
    }
    if (in->mg_valid[0] && room) {
        Merge *g = &m->merge[m->queued++];
        *g = (Merge){.use = in->mg_use[0], .tag = in->mg_tag[0]};
        for (int r = 0; r < rows_of(g); r++)
            g->phys[r] = in->mg_phys[r], g->shift[r] = in->mg_shift[r], g->mask[r] = in->mg_mask[r];
    }
    if (taken) rr_forget_question(m);
    if (in->drop[0] && m->question) {
        const bool under_way = m->asked[QUESTION] && !m->come[QUESTION];
        if (under_way) m->void_question = true;
        else rr_forget_question(m);
    }
    if (in->qu_valid[0] && idle && !in->drop[0]) {
        m->question = true;
        m->question_phys = in->qu_phys[0];
    }
}

static uint32_t rr_obs_count(void *self) {
    const RowReader *m = self;
    return (uint32_t)(1 + m->params[P_Queue] + MAX_READS);
}

static void rr_observe(void *self, uint32_t addr, uint32_t *words) {
    const RowReader *m = self;
    const uint32_t queue = (uint32_t)m->params[P_Queue];
    memset(words, 0, 128);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr == 0) {
        words[0] = (uint32_t)m->queued | (uint32_t)m->asked[0] << 4 | (uint32_t)m->asked[1] << 5 |
            (uint32_t)m->come[0] << 6 | (uint32_t)m->come[1] << 7;
        if (m->question)
            words[1] = 1u | (uint32_t)m->asked[QUESTION] << 1 | (uint32_t)m->come[QUESTION] << 2 |
                (uint32_t)m->void_question << 3 | m->question_phys << 4;
    } else if (addr <= queue) {
        if ((int)addr > m->queued) return;
        const Merge *g = &m->merge[addr - 1];
        words[0] = g->use | g->tag << 8;
        for (int r = 0; r < rows_of(g); r++) {
            words[1 + r] = g->phys[r] | g->shift[r] << 16;
            words[3 + r] = g->mask[r];
        }
    } else if (addr - queue - 1 < MAX_READS && m->come[addr - queue - 1]) {
        memcpy(words, m->row[addr - queue - 1], 128);
    }
}

const BlockModel row_reader_model = {"row_reader", rr_open,      rr_close,   rr_reset, rr_eval,
                                     rr_tick,      rr_obs_count, rr_observe, 32};
