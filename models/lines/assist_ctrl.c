// SPDX-License-Identifier: Apache-2.0
// Golden model of assist_ctrl: a list of the routines that run, and for each class a list of all
// warps. The warp whose turn it is is in front. A class is served in the order of its list.
#include "models/lines/assist_ctrl.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { ASSIST_CTRL_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Run {
    int warp, sr, inst, end;
    bool high, killed, pinned;
    uint32_t mask;
} Run;

typedef struct Ctrl {
    int params[PARAMS], warps, ports, cycles;
    Run run[2 * ASSIST_MAX_WARPS];
    int nruns;
    int turn[2][ASSIST_MAX_WARPS];  // [0]: first class
} Ctrl;

static void ctrl_reset(void *self) {
    Ctrl *m = self;
    m->nruns = 0;
    for (int c = 0; c < 2; c++)
        for (int w = 0; w < m->warps; w++) m->turn[c][w] = w;
}

static void *ctrl_open(const int *params) {
    Ctrl *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_NumWarps];
    m->ports = params[P_NumIssue];
    m->cycles = params[P_Cycles];
    ctrl_reset(m);
    return m;
}

static void ctrl_close(void *self) { free(self); }

static bool in_set(const uint32_t *set, const Run *r) {
    return set[2 * r->high + r->warp / 32] >> r->warp % 32 & 1;
}
static void put(uint32_t *set, const Run *r) {
    set[2 * r->high + r->warp / 32] |= 1u << r->warp % 32;
}

// The state of a routine in this cycle, after issues and kills.
static Run now(const Ctrl *m, const AssistCtrlIn *in, Run r) {
    for (uint32_t left = in->iss_valid[0] & ((1u << m->ports) - 1); left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        if ((int)in->iss_warp[p] != r.warp || (in->iss_high[0] >> p & 1) != r.high) continue;
        if (in->iss_jump[0] >> p & 1) r.inst = (int)in->iss_target[p];
        if (r.high || in->iss_store[0] >> p & 1) r.pinned = true;
    }
    if (in_set(in->kill, &r) && !r.pinned) r.killed = true;
    return r;
}

// The place in the list of the routine that is deployed; -1: none. *class: which it is of.
static int pick(const Ctrl *m, const AssistCtrlIn *in, int *class) {
    int candidate[2][ASSIST_MAX_WARPS];  // of a class and warp
    bool any[2] = {false, false};
    uint32_t ok = 0;
    for (int i = 0; i < 4; i++) ok |= in->ok[i];
    if (!ok) return -1;
    memset(candidate, -1, sizeof candidate);
    for (int i = 0; i < m->nruns; i++) {
        if (!in_set(in->ok, &m->run[i]) || in_set(in->done, &m->run[i])) continue;
        const Run r = m->cycles == 1 ? now(m, in, m->run[i]) : m->run[i];
        int *of = &candidate[!r.high && !r.pinned][r.warp];
        if (r.killed || r.inst == r.end) continue;
        if (!r.high && !r.pinned && !in->low_room[0]) continue;
        if (*of < 0 || r.high) *of = i;
        any[!r.high && !r.pinned] = true;
    }
    for (*class = 0; *class < 2; ++*class)
        for (int t = 0; t < m->warps && any[*class]; t++) {
            const int found = candidate[*class][m->turn[*class][t]];
            if (found >= 0) return found;
        }
    return -1;
}

static bool two(const AssistCtrlIn *in, const Run *r) {
    return in_set(in->ok2, r) && r->inst + 1 != r->end;
}

static void ctrl_eval(void *self, const void *inputs, void *outputs) {
    const Ctrl *m = self;
    const AssistCtrlIn *in = inputs;
    AssistCtrlOut *out = outputs;
    int class;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < m->nruns; i++) {
        const Run *r = &m->run[i];
        put(out->busy, r);
        if (r->killed || r->inst == r->end) put(out->over, r);
        if (r->high) out->hold[r->warp / 32] |= 1u << r->warp % 32;
    }
    const int at = pick(m, in, &class);
    if (at < 0) return;
    const Run r = now(m, in, m->run[at]);
    out->dep_valid[0] = 1;
    out->dep_high[0] = r.high;
    out->dep_warp[0] = (uint32_t)r.warp;
    out->dep_sr[0] = (uint32_t)r.sr;
    out->dep_inst[0] = (uint32_t)r.inst;
    out->dep_two[0] = two(in, &r);
    out->dep_mask[0] = r.mask;
}

// The warps up to this one go to the list's end.
static void served(Ctrl *m, int class, int warp) {
    int *turn = m->turn[class], moved[ASSIST_MAX_WARPS], n = 0;
    while (turn[n++] != warp) {}
    memcpy(moved, turn, sizeof moved);
    for (int i = 0; i < m->warps; i++) turn[i] = moved[(i + n) % m->warps];
}

static void ctrl_tick(void *self, const void *inputs) {
    Ctrl *m = self;
    const AssistCtrlIn *in = inputs;
    int class, left = 0;
    const int at = pick(m, in, &class);
    if (at >= 0) served(m, class, m->run[at].warp);
    for (int i = 0; i < m->nruns; i++) {
        Run r = now(m, in, m->run[i]);
        if (i == at) r.inst += two(in, &r) ? 2 : 1;
        if (!in_set(in->done, &r)) m->run[left++] = r;
    }
    for (int p = 0; p < 2; p++)
        if (in->trig_valid[0] >> p & 1)
            m->run[left++] = (Run){.warp = (int)in->trig_warp[p],
                                   .sr = (int)in->trig_sr[p],
                                   .end = (int)in->trig_end[p],
                                   .high = p == 1,
                                   .mask = in->trig_mask[p]};
    m->nruns = left;
}

static uint32_t ctrl_obs_count(void *self) { return 2 * (uint32_t)((Ctrl *)self)->warps + 1; }

static void ctrl_observe(void *self, uint32_t addr, uint32_t *words) {
    const Ctrl *m = self;
    words[0] = words[1] = 0;
    if (addr >= BLOCK_OBS_PARAM && addr < BLOCK_OBS_PARAM + PARAMS)
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    if (addr == 2 * (uint32_t)m->warps) words[0] = (uint32_t)(m->turn[0][0] | m->turn[1][0] << 8);
    for (int i = 0; i < m->nruns; i++) {
        const Run *r = &m->run[i];
        if (addr != (uint32_t)(r->high * m->warps + r->warp)) continue;
        words[0] = 1u | (uint32_t)r->killed << 1 | (uint32_t)r->pinned << 2 | (uint32_t)r->sr << 4 |
            (uint32_t)r->inst << 12 | (uint32_t)r->end << 20;
        words[1] = r->mask;
    }
}

const BlockModel assist_ctrl_model = {.name = "assist_ctrl",
                                      .open = ctrl_open,
                                      .close = ctrl_close,
                                      .reset = ctrl_reset,
                                      .eval = ctrl_eval,
                                      .tick = ctrl_tick,
                                      .obs_count = ctrl_obs_count,
                                      .observe = ctrl_observe,
                                      .obs_words = 2};
