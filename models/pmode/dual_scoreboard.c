// SPDX-License-Identifier: Apache-2.0
// Golden model of dual_scoreboard. Written from the contract: one of four states per register or
// predicate and board, and the events of a cycle one after the other. A set is a list of numbers;
// predicate p is number MAX_REGS + p.
#include "models/pmode/dual_scoreboard.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { DUAL_SCOREBOARD_PARAMS(BLOCK_INDEX) PARAMS };

enum { MAX_REGS = 63, MAX_COLUMNS = MAX_REGS + DS_PREDS };

typedef enum RegState {
    REG_READY,
    REG_SHORT,    // pend
    REG_UNKNOWN,  // long
    REG_LONG,     // pend and long
} RegState;
enum { PEND = 1, LONG = 2 };  // their bits

typedef struct Warp {
    bool pmode;
    uint8_t trigger;
    uint8_t n[MAX_COLUMNS], p[MAX_COLUMNS];
} Warp;

typedef struct DualScoreboard {
    int warps, regs, queries, writes;
    int params[PARAMS];
    uint64_t known;  // registers that there are
    Warp warp[DS_MAX_WARPS];
} DualScoreboard;

static void ds_reset(void *self) {
    DualScoreboard *m = self;
    memset(m->warp, 0, sizeof m->warp);
}

static void *ds_open(const int *params) {
    DualScoreboard *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[P_NumWarps], m->regs = params[P_NumRegs];
    m->queries = params[P_NumQuery], m->writes = params[P_NumWr];
    m->known = ~0ull >> (64 - m->regs);
    return m;
}

static void ds_close(void *self) { free(self); }

typedef struct Set {
    int n;
    uint8_t at[2 * MAX_COLUMNS];
} Set;

static void ds_put(Set *set, uint64_t mask, int first) {
    for (; mask; mask &= mask - 1) set->at[set->n++] = (uint8_t)(first + __builtin_ctzll(mask));
}

static void ds_add(const DualScoreboard *m, Set *set, const uint32_t *words, uint32_t preds) {
    ds_put(set, ((uint64_t)words[1] << 32 | words[0]) & m->known, 0);
    ds_put(set, preds, MAX_REGS);
}

// Whether one of the set is in one of the states (bits 1 << RegState).
static bool ds_any(const uint8_t *board, const Set *set, uint32_t states) {
    for (int i = 0; i < set->n; i++)
        if (states >> board[set->at[i]] & 1) return true;
    return false;
}

static bool ds_written_by_n(const DualScoreboard *m, const DualScoreboardIn *in, uint32_t w,
                            uint32_t r) {
    for (int j = 0; j < m->writes; j++)
        if (in->wb_valid[0] >> j & 1 && !(in->wb_pmode[0] >> j & 1) && in->wb_warp[j] == w &&
            in->wb_reg[j] == r)
            return true;
    return false;
}

static bool ds_cleared(const DualScoreboardIn *in, uint32_t w) {
    return in->clr_valid[0] && in->clr_warp[0] == w;
}

static bool ds_switches(const DualScoreboard *m, const DualScoreboardIn *in) {
    if (!in->sw_valid[0] || ds_cleared(in, in->sw_warp[0])) return false;
    const Warp *w = &m->warp[in->sw_warp[0]];
    if (!(w->n[in->sw_reg[0]] & LONG) || ds_written_by_n(m, in, in->sw_warp[0], in->sw_reg[0]))
        return false;
    for (int c = 0; c < MAX_COLUMNS && !w->pmode; c++)
        if (w->p[c] & PEND) return false;
    return true;
}

static bool ds_back(const DualScoreboard *m, const DualScoreboardIn *in, int j, bool switches) {
    if (!(in->wb_valid[0] >> j & 1) || in->wb_pmode[0] >> j & 1) return false;
    const Warp *w = &m->warp[in->wb_warp[j]];
    return w->pmode && w->trigger == in->wb_reg[j] && !ds_cleared(in, in->wb_warp[j]) &&
        !(switches && in->sw_warp[0] == in->wb_warp[j]);
}

// Whether a result of N is the one that P-mode waits for as well.
static bool ds_reaches(const Warp *w, int column) {
    return w->pmode && w->p[column] & PEND && (w->p[column] & LONG) == (w->n[column] & LONG);
}

static uint32_t ds_pw_reach(const DualScoreboard *m, const DualScoreboardIn *in, int j) {
    if (!(in->pw_valid[0] >> j & 1)) return 0;
    if (in->pw_pmode[0] >> j & 1) return in->pw_mask[j];
    uint32_t reach = 0;
    for (int p = 0; p < DS_PREDS; p++)
        if (in->pw_mask[j] >> p & 1 && ds_reaches(&m->warp[in->pw_warp[j]], MAX_REGS + p))
            reach |= 1u << p;
    return reach;
}

// Warp w after the writebacks of the cycle. Those by N compare with the boards at its start.
static Warp ds_written(const DualScoreboard *m, const DualScoreboardIn *in, uint32_t w) {
    const Warp *was = &m->warp[w];
    Warp now = *was;
    for (int j = 0; j < m->writes; j++) {
        const uint32_t r = in->wb_reg[j];
        const bool by_p = in->wb_pmode[0] >> j & 1;
        if (!(in->wb_valid[0] >> j & 1) || in->wb_warp[j] != w) continue;
        if (by_p || ds_reaches(was, (int)r)) now.p[r] = REG_READY;
        if (!by_p) now.n[r] = REG_READY;
    }
    for (int j = 0; j < 2 * m->writes; j++) {
        if (!(in->pw_valid[0] >> j & 1) || in->pw_warp[j] != w) continue;
        const uint32_t reach = ds_pw_reach(m, in, j);
        for (int p = 0; p < DS_PREDS; p++) {
            if (reach >> p & 1) now.p[MAX_REGS + p] = REG_READY;
            if (in->pw_mask[j] >> p & 1 && !(in->pw_pmode[0] >> j & 1))
                now.n[MAX_REGS + p] = REG_READY;
        }
    }
    return now;
}

static void ds_query(const DualScoreboard *m, const DualScoreboardIn *in, int s,
                     DualScoreboardOut *out) {
    Set src = {0}, dst = {0}, both;
    ds_add(m, &src, &in->q_src[2 * s], in->q_psrc[s]);
    ds_add(m, &dst, &in->q_dst[2 * s], in->q_pdst[s]);
    both = src;
    ds_add(m, &both, &in->q_dst[2 * s], in->q_pdst[s]);
    const Warp now = ds_written(m, in, in->q_warp[s]), *w = &now;
    const uint32_t is_long = 1u << REG_LONG | 1u << REG_UNKNOWN, is_short = 1u << REG_SHORT;
    bool ready, depends, skip = false;
    if (in->q_board[0] >> s & 1) {
        const bool held = ds_any(w->p, &dst, is_short);
        depends = ds_any(w->p, &src, is_long);
        skip = depends && !held;
        ready = !depends && !held && !ds_any(w->p, &src, is_short);
    } else {
        ready = !ds_any(w->n, &both, is_short | 1u << REG_LONG);
        depends = ds_any(w->n, &both, is_long);
    }
    out->q_ready[0] |= (uint32_t)ready << s;
    out->q_long[0] |= (uint32_t)depends << s;
    out->q_skip[0] |= (uint32_t)skip << s;
}

static void ds_eval(void *self, const void *inputs, void *outputs) {
    const DualScoreboard *m = self;
    const DualScoreboardIn *in = inputs;
    DualScoreboardOut *out = outputs;
    out->q_ready[0] = out->q_long[0] = out->q_skip[0] = out->back[0] = 0;
    for (int s = 0; s < m->queries; s++) ds_query(m, in, s, out);
    const bool switches = ds_switches(m, in);
    out->sw_ok[0] = switches;
    for (int j = 0; j < m->writes; j++) out->back[0] |= (uint32_t)ds_back(m, in, j, switches) << j;
    for (int j = 0; j < 2 * m->writes; j++) out->pw_reach[j] = ds_pw_reach(m, in, j);
    for (int w = 0; w < m->warps; w++) out->mode[w] = m->warp[w].pmode;
}

static void ds_writebacks(DualScoreboard *m, const DualScoreboardIn *in) {
    Warp now[DS_MAX_WR + DS_MAX_PW];
    uint32_t warp[DS_MAX_WR + DS_MAX_PW];
    int n = 0;
    for (int j = 0; j < m->writes; j++)
        if (in->wb_valid[0] >> j & 1) warp[n++] = in->wb_warp[j];
    for (int j = 0; j < 2 * m->writes; j++)
        if (in->pw_valid[0] >> j & 1) warp[n++] = in->pw_warp[j];
    for (int i = 0; i < n; i++) now[i] = ds_written(m, in, warp[i]);
    for (int i = 0; i < n; i++) m->warp[warp[i]] = now[i];
}

static void ds_acts(DualScoreboard *m, const DualScoreboardIn *in) {
    for (int s = 0; s < m->queries; s++) {
        const uint32_t act = in->q_act[s];
        if (act != DS_ACT_ISSUE && act != DS_ACT_LONG) continue;
        Warp *w = &m->warp[in->q_warp[s]];
        const bool in_p = in->q_board[0] >> s & 1;
        const RegState state = act == DS_ACT_ISSUE ? REG_SHORT : in_p ? REG_UNKNOWN : REG_LONG;
        Set dst = {0};
        ds_add(m, &dst, &in->q_dst[2 * s], in->q_pdst[s]);
        for (int i = 0; i < dst.n; i++) {
            const bool n_pred = !in_p && dst.at[i] >= MAX_REGS;
            (in_p ? w->p : w->n)[dst.at[i]] = (uint8_t)(n_pred ? REG_SHORT : state);
        }
    }
}

// P-mode ends: P keeps only its own outstanding writes.
static void ds_sweep(Warp *w) {
    w->pmode = false;
    for (int r = 0; r < MAX_COLUMNS; r++)
        if (w->p[r] != REG_SHORT || w->n[r] == REG_SHORT) w->p[r] = REG_READY;
}

static void ds_tick(void *self, const void *inputs) {
    DualScoreboard *m = self;
    const DualScoreboardIn *in = inputs;
    const bool switches = ds_switches(m, in);
    uint64_t back = 0;
    for (int j = 0; j < m->writes; j++)
        if (ds_back(m, in, j, switches)) back |= 1ull << in->wb_warp[j];

    ds_writebacks(m, in);
    ds_acts(m, in);
    if (switches) {
        Warp *w = &m->warp[in->sw_warp[0]];
        w->trigger = (uint8_t)in->sw_reg[0];
        if (!w->pmode) memcpy(w->p, w->n, sizeof w->p);
        w->pmode = true;
    }
    for (; back; back &= back - 1) ds_sweep(&m->warp[__builtin_ctzll(back)]);
    if (in->clr_valid[0]) memset(&m->warp[in->clr_warp[0]], 0, sizeof(Warp));
}

static uint32_t ds_obs_count(void *self) { return (uint32_t)((const DualScoreboard *)self)->warps; }

static void ds_observe_bits(uint32_t *words, const uint8_t *board, int regs, uint8_t which) {
    for (int r = 0; r < regs; r++)
        if (board[r] & which) words[r / 32] |= 1u << r % 32;
}

static void ds_observe(void *self, uint32_t addr, uint32_t *words) {
    const DualScoreboard *m = self;
    memset(words, 0, 10 * sizeof *words);
    if (addr < (uint32_t)m->warps) {
        const Warp *w = &m->warp[addr];
        ds_observe_bits(words, w->n, m->regs, PEND);
        ds_observe_bits(words + 2, w->n, m->regs, LONG);
        ds_observe_bits(words + 4, w->p, m->regs, PEND);
        ds_observe_bits(words + 6, w->p, m->regs, LONG);
        words[8] = (uint32_t)w->pmode | (uint32_t)w->trigger << 1;
        for (int p = 0; p < DS_PREDS; p++)
            words[9] |= (uint32_t)(w->n[MAX_REGS + p] & PEND) << p |
                (uint32_t)(w->p[MAX_REGS + p] & PEND) << (8 + p) |
                (uint32_t)(w->p[MAX_REGS + p] >> 1) << (16 + p);
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel dual_scoreboard_model = {
    "dual_scoreboard", ds_open, ds_close, ds_reset, ds_eval, ds_tick, ds_obs_count, ds_observe, 10};
