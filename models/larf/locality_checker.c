// SPDX-License-Identifier: Apache-2.0
// Golden model of locality_checker. Written from the contract: questions in lists, the oldest in
// front.
#include "models/larf/locality_checker.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { LOCALITY_CHECKER_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Question {
    bool here, void_question;
    uint32_t warp, base, code, mask;
} Question;

typedef struct LocalityChecker {
    int params[PARAMS];
    bool preferred[LC_MAX_WARPS];
    Question waits[LC_MAX_QUESTIONS];
    int queued;
    Question left[LC_CYCLES];  // [a]: left a + 1 cycles ago
} LocalityChecker;

static void lc_reset(void *self) {
    LocalityChecker *m = self;
    memset(m->preferred, 0, sizeof m->preferred);
    memset(m->left, 0, sizeof m->left);
    m->queued = 0;
}

static void *lc_open(const int *params) {
    LocalityChecker *m = calloc(1, sizeof *m);
    if (m) memcpy(m->params, params, sizeof m->params);
    return m;
}

static void lc_close(void *self) { free(self); }

static void lc_eval(void *self, const void *inputs, void *outputs) {
    const LocalityChecker *m = self;
    LocalityCheckerOut *out = outputs;
    const Question *q = &m->waits[0];
    (void)inputs;
    memset(out, 0, sizeof *out);
    out->as_ready[0] = m->queued < m->params[P_Questions];
    for (int w = 0; w < m->params[P_Warps]; w++) out->pf_mask[w] = m->preferred[w];
    if (!m->queued || q->void_question) return;
    out->qu_valid[0] = 1;
    out->qu_base[0] = q->base;
    out->qu_code[0] = q->code;
    out->qu_mask[0] = q->mask;
}

static void lc_forget(const LocalityCheckerIn *in, Question *q) {
    if (q->here && in->forget_mask[q->warp]) q->void_question = true;
}

static void lc_tick(void *self, const void *inputs) {
    LocalityChecker *m = self;
    const LocalityCheckerIn *in = inputs;
    const bool room = m->queued < m->params[P_Questions];
    const Question answered = m->left[LC_CYCLES - 1];
    if (answered.here && in->an_valid[0] && in->an_serves[0] && !answered.void_question)
        m->preferred[answered.warp] = true;
    for (int w = 0; w < m->params[P_Warps]; w++)
        if (in->forget_mask[w]) m->preferred[w] = false;

    memmove(m->left + 1, m->left, (LC_CYCLES - 1) * sizeof m->left[0]);
    memset(&m->left[0], 0, sizeof m->left[0]);
    const bool asks = m->queued && !m->waits[0].void_question && in->qu_ready[0];
    if (asks) m->left[0] = m->waits[0];
    if (asks || (m->queued && m->waits[0].void_question)) {
        m->queued--;
        memmove(m->waits, m->waits + 1, (size_t)m->queued * sizeof m->waits[0]);
    }
    for (int q = 0; q < m->queued; q++) lc_forget(in, &m->waits[q]);
    for (int a = 0; a < LC_CYCLES; a++) lc_forget(in, &m->left[a]);
    if (in->as_valid[0] && room)
        m->waits[m->queued++] =
            (Question){true, false, in->as_warp[0], in->as_base[0], in->as_code[0], in->as_mask[0]};
}

static uint32_t lc_obs_count(void *self) {
    const LocalityChecker *m = self;
    return (uint32_t)m->params[P_Questions] + LC_CYCLES + 1;
}

static void lc_observe(void *self, uint32_t addr, uint32_t *words) {
    const LocalityChecker *m = self;
    const uint32_t questions = (uint32_t)m->params[P_Questions];
    memset(words, 0, 16);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < questions) {
        const Question *q = &m->waits[addr];
        if ((int)addr >= m->queued) return;
        words[0] = 1u << 31 | (uint32_t)q->void_question << 30 | q->code << 8 | q->warp;
        words[1] = q->base;
        words[2] = q->mask;
    } else if (addr < questions + LC_CYCLES) {
        const Question *q = &m->left[addr - questions];
        if (q->here) words[0] = 1u << 31 | (uint32_t)q->void_question << 30 | q->warp;
    } else if (addr == questions + LC_CYCLES) {
        for (int w = 0; w < m->params[P_Warps]; w++)
            words[w / 32] |= (uint32_t)m->preferred[w] << w % 32;
    }
}

const BlockModel locality_checker_model = {
    "locality_checker", lc_open, lc_close, lc_reset, lc_eval, lc_tick, lc_obs_count, lc_observe, 4};
