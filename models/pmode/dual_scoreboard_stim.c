// SPDX-License-Identifier: Apache-2.0
// Stimuli of dual_scoreboard: schedulers follow the verdict, and now and then do not. Results
// arrive in any order, those of loads late. Switches occur when an instruction waits for a load,
// and at other times too.
#include "models/pmode/dual_scoreboard.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { DUAL_SCOREBOARD_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_WARPS,
    KNOB_REGS,
    KNOB_ISSUE,
    KNOB_WILD,
    KNOB_LOAD,
    KNOB_WRITE,
    KNOB_LATE,
    KNOB_STRAY,
    KNOB_SWITCH,
    KNOB_ODD_SWITCH,
    KNOB_CLEAR,
    KNOB_BOARD,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"warps", 1, 6, "warps in use"},
    {"regs", 2, 40, "registers in use"},
    {"issue", 0, 100, "percent of verdicts that are followed"},
    {"wild", 0, 15, "percent of acts against the verdict"},
    {"load", 0, 60, "percent of issued instructions that are loads"},
    {"write", 0, 100, "percent of write ports that write"},
    {"late", 0, 95, "percent of results of loads that are put off"},
    {"stray", 0, 10, "percent of results of any register"},
    {"switch", 0, 100, "percent of waits for a load that switch"},
    {"odd switch", 0, 20, "percent of cycles with a switch of any warp and register"},
    {"clear", 0, 10, "per mille of cycles with a clear"},
    {"board", 0, 20, "percent of queries of the board that is not the mode's"},
};

enum { MAX_REGS = 63, N = 0, P = 1, BOARDS = 2 };

// Numbers of the bins.
typedef struct Bins {
    int n_ready, n_wait, n_long_src, n_long_dst, p_ready, p_wait_src, p_wait_dst, p_skip,
        p_skip_held;
    int p_over_load, nothing, both_differ, beyond;
    int n_issue, n_load, p_issue, p_issue_over_load, p_issue_over_unknown, p_skips, p_preload;
    int p_skip_over_load, n_wild, p_wild, act3, two_acts, pair;
    int w_short, w_long, reaches_short, reaches_long, stays_renamed, stays_unknown, stays_written;
    int p_in_p, p_late, stray[BOARDS], both_boards, meets_act;
    int ok, late_writes, not_long, written_now, sw_cleared, retarget, retarget_refused;
    int copies_written, copies_act, copies_others;
    int back, held_back, back_act, back_other, back_two, back_unknown, back_renamed, back_n_short;
    int clear_idle, clear_busy, clear_pmode, clear_switch, clear_back, clear_act;
    int bypass[BOARDS], pn_ready, pn_wait_src, pn_wait_dst, pp_ready, pp_wait_src, pp_wait_dst,
        pp_skip, pp_skip_held;
    int pr_n, pr_reach, pr_unknown, pr_p, pr_late, pr_stray, pr_two, pr_mask2, pr_meets_act;
    int sw_late_pred, sw_copies_pred, back_pred, load_pred;
    int none_p, one_p, many_p;
    int reset_idle, reset_busy, reset_pmode;
} Bins;

typedef struct Warp {
    uint64_t pend[BOARDS], is_long[BOARDS];
    uint32_t ppend[BOARDS], plong;  // predicates; long: of P
    // outstanding results of instructions issued in N- and in P-mode
    uint64_t out[BOARDS];
    bool pmode;
    uint8_t trigger;
} Warp;

typedef struct Env {
    int warps, regs, queries, writes;
    uint64_t known;
    uint32_t first_warp, first_reg;
    Bins at;
    Warp warp[DS_MAX_WARPS];
    int nout;  // outstanding results: warp << 8 | board << 7 | register
    uint16_t out[DS_MAX_WARPS * BOARDS * MAX_REGS];
    uint16_t place[DS_MAX_WARPS][BOARDS][MAX_REGS];
    bool reset_met, was_busy, was_pmode;
} Env;

static int bins_list(const int *params, CoverBin *bins, Bins *at) {
    const bool two_queries = params[P_NumQuery] > 1, two_writes = params[P_NumWr] > 1,
               two_warps = params[P_NumWarps] > 1;
    BinList l = {bins, 0};
    at->n_ready = bin_add(&l, "query n", "ready");
    at->n_wait = bin_add(&l, "query n", "waits");
    at->n_long_src = bin_add(&l, "query n", "source-of-load");
    at->n_long_dst = bin_add(&l, "query n", "destination-of-load");
    at->p_ready = bin_add(&l, "query p", "ready");
    at->p_wait_src = bin_add(&l, "query p", "source-waits");
    at->p_wait_dst = bin_add(&l, "query p", "destination-waits");
    at->p_skip = bin_add(&l, "query p", "skip");
    at->p_skip_held = bin_add(&l, "query p", "skip-destination-waits");
    at->p_over_load = bin_add(&l, "query p", "ready-destination-of-load");
    at->nothing = bin_add(&l, "query", "no-register");
    at->both_differ = bin_add(&l, "query", "boards-differ");
    at->beyond = bin_add(&l, "query", "register-that-is-not");
    at->bypass[N] = bin_add(&l, "query n", "ready-by-a-result-of-this-cycle");
    at->bypass[P] = bin_add(&l, "query p", "ready-by-a-result-of-this-cycle");
    at->n_issue = bin_add(&l, "act n", "short");
    at->n_load = bin_add(&l, "act n", "load");
    at->n_wild = bin_add(&l, "act n", "against-verdict");
    at->p_issue = bin_add(&l, "act p", "issue");
    at->p_issue_over_load = bin_add(&l, "act p", "issue-over-load");
    at->p_issue_over_unknown = bin_add(&l, "act p", "issue-over-unknown");
    at->p_skips = bin_add(&l, "act p", "skip");
    at->p_preload = bin_add(&l, "act p", "pre-load");
    at->p_skip_over_load = bin_add(&l, "act p", "skip-over-load");
    at->p_wild = bin_add(&l, "act p", "against-verdict");
    at->act3 = bin_add(&l, "act", "3");
    at->pair = bin_add(&l, "act", "two-destinations");
    at->two_acts = bin_add_if(two_queries, &l, "act", "two-of-a-warp");
    at->w_short = bin_add(&l, "result n", "short");
    at->w_long = bin_add(&l, "result n", "load");
    at->reaches_short = bin_add(&l, "result n", "in-p-mode-short");
    at->reaches_long = bin_add(&l, "result n", "in-p-mode-load");
    at->stays_renamed = bin_add(&l, "result n", "in-p-mode-renamed");
    at->stays_unknown = bin_add(&l, "result n", "in-p-mode-skipped");
    at->stays_written = bin_add(&l, "result n", "in-p-mode-renamed-written");
    at->meets_act = bin_add(&l, "result n", "while-p-mode-issues");
    at->p_in_p = bin_add(&l, "result p", "in-p-mode");
    at->p_late = bin_add(&l, "result p", "in-n-mode");
    at->stray[N] = bin_add(&l, "result n", "unexpected");
    at->stray[P] = bin_add(&l, "result p", "unexpected");
    at->both_boards = bin_add_if(two_writes, &l, "result", "n-and-p-of-one-register");
    at->ok = bin_add(&l, "switch", "taken");
    at->late_writes = bin_add(&l, "switch", "refused-renamed-writes");
    at->not_long = bin_add(&l, "switch", "refused-no-load");
    at->written_now = bin_add(&l, "switch", "refused-written-now");
    at->sw_cleared = bin_add(&l, "switch", "refused-cleared-now");
    at->retarget = bin_add(&l, "switch", "other-load");
    at->retarget_refused = bin_add(&l, "switch", "other-load-refused");
    at->copies_written = bin_add(&l, "switch", "while-written");
    at->copies_act = bin_add(&l, "switch", "while-n-issues");
    at->copies_others = bin_add_if(two_queries || two_warps, &l, "switch", "while-p-acts");
    at->back = bin_add(&l, "back", "taken");
    at->held_back = bin_add(&l, "back", "held-by-other-load");
    at->back_act = bin_add(&l, "back", "while-p-acts");
    at->back_other = bin_add_if(two_writes, &l, "back", "other-result-of-the-warp");
    at->back_two = bin_add_if(two_writes && two_warps, &l, "back", "two-warps");
    at->back_unknown = bin_add(&l, "back", "registers-unknown");
    at->back_renamed = bin_add(&l, "back", "renamed-writes-to-come");
    at->back_n_short = bin_add(&l, "back", "short-results-to-come");
    at->clear_idle = bin_add(&l, "clear", "ready");
    at->clear_busy = bin_add(&l, "clear", "results-to-come");
    at->clear_pmode = bin_add(&l, "clear", "in-p-mode");
    at->clear_switch = bin_add(&l, "clear", "while-switching");
    at->clear_back = bin_add(&l, "clear", "while-trigger-written");
    at->clear_act = bin_add(&l, "clear", "while-acting");
    at->pn_ready = bin_add(&l, "predicates n", "ready");
    at->pn_wait_src = bin_add(&l, "predicates n", "source-waits");
    at->pn_wait_dst = bin_add(&l, "predicates n", "destination-waits");
    at->pp_ready = bin_add(&l, "predicates p", "ready");
    at->pp_wait_src = bin_add(&l, "predicates p", "source-waits");
    at->pp_wait_dst = bin_add(&l, "predicates p", "destination-waits");
    at->pp_skip = bin_add(&l, "predicates p", "skip");
    at->pp_skip_held = bin_add(&l, "predicates p", "skip-destination-waits");
    at->pr_n = bin_add(&l, "predicates n", "written");
    at->pr_reach = bin_add(&l, "predicates n", "written-in-p-mode");
    at->pr_unknown = bin_add(&l, "predicates n", "written-in-p-mode-skipped");
    at->pr_p = bin_add(&l, "predicates p", "written-in-p-mode");
    at->pr_late = bin_add(&l, "predicates p", "written-in-n-mode");
    at->pr_stray = bin_add(&l, "predicates", "unexpected");
    at->pr_two = bin_add_if(two_writes || two_queries, &l, "predicates", "two-ports-one-warp");
    at->pr_mask2 = bin_add(&l, "predicates", "two-at-once");
    at->pr_meets_act = bin_add(&l, "predicates", "written-while-issued");
    at->sw_late_pred = bin_add(&l, "switch", "refused-predicates");
    at->sw_copies_pred = bin_add(&l, "switch", "predicates-pending");
    at->back_pred = bin_add(&l, "back", "predicates-to-come");
    at->load_pred = bin_add(&l, "act n", "load-with-predicates");
    at->none_p = bin_add(&l, "modes", "all-n");
    at->one_p = bin_add(&l, "modes", "one-p");
    at->many_p = bin_add_if(two_warps, &l, "modes", "several-p");
    at->reset_idle = bin_add(&l, "reset", "ready");
    at->reset_busy = bin_add(&l, "reset", "results-to-come");
    at->reset_pmode = bin_add(&l, "reset", "in-p-mode");
    return l.n;
}

static int ds_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_list(params, bins, &at);
}

static void ds_reset(void *self) {
    Env *e = self;
    e->reset_met = true;
    e->was_busy = e->was_pmode = false;
    for (int w = 0; w < e->warps; w++) {
        e->was_busy |= (e->warp[w].pend[N] | e->warp[w].pend[P]) != 0;
        e->was_pmode |= e->warp[w].pmode;
    }
    memset(e->warp, 0, sizeof e->warp);
    e->nout = 0;
}

static void *ds_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[P_NumWarps], e->regs = params[P_NumRegs];
    e->queries = params[P_NumQuery], e->writes = params[P_NumWr];
    e->known = ~0ull >> (64 - e->regs);
    bins_list(params, NULL, &e->at);
    return e;
}

static void ds_close(void *self) { free(self); }

// ---- verdicts -----------------------------------------------------------------------------------

static uint64_t mask_of(const uint32_t *words) { return (uint64_t)words[1] << 32 | words[0]; }

typedef struct Verdict {
    bool ready, depends, skip, held;
} Verdict;

static Verdict judge(const Env *e, const Warp *w, bool p, uint64_t src, uint64_t dst, uint32_t psrc,
                     uint32_t pdst) {
    Verdict v = {0};
    src &= e->known, dst &= e->known;
    if (p) {
        const uint64_t is_short = w->pend[P] & ~w->is_long[P];
        const uint32_t p_short = w->ppend[P] & ~w->plong;
        v.held = (dst & is_short) != 0 || pdst & p_short;
        v.depends = (src & w->is_long[P]) != 0 || psrc & w->plong;
        v.skip = v.depends && !v.held;
        v.ready = !v.depends && !v.held && !(src & is_short) && !(psrc & p_short);
    } else {
        v.ready = !((src | dst) & w->pend[N]) && !((psrc | pdst) & w->ppend[N]);
        v.depends = ((src | dst) & w->is_long[N]) != 0;
    }
    return v;
}

// The warp after the results of the cycle.
static Warp after_results(const Env *e, const DualScoreboardIn *in, uint32_t w) {
    const Warp was = e->warp[w % (uint32_t)e->warps];
    Warp now = was;
    for (int j = 0; j < e->writes; j++) {
        if (!(in->wb_valid[0] >> j & 1) || in->wb_warp[j] != w ||
            in->wb_reg[j] >= (uint32_t)e->regs)
            continue;
        const int board = in->wb_pmode[0] >> j & 1;
        const uint64_t bit = 1ull << in->wb_reg[j];
        const uint64_t reached =
            was.pmode ? was.pend[P] & ~(was.is_long[P] ^ was.is_long[N]) & bit : 0;
        now.pend[board] &= ~bit, now.is_long[board] &= ~bit;
        if (board == N) now.pend[P] &= ~reached, now.is_long[P] &= ~reached;
    }
    for (int j = 0; j < 2 * e->writes; j++) {
        if (!(in->pw_valid[0] >> j & 1) || in->pw_warp[j] != w) continue;
        const bool by_p = in->pw_pmode[0] >> j & 1;
        now.ppend[by_p] &= ~in->pw_mask[j];
        if (by_p) now.plong &= ~in->pw_mask[j];
        else if (was.pmode) now.ppend[P] &= ~(in->pw_mask[j] & was.ppend[P] & ~was.plong);
    }
    return now;
}

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    const uint32_t used = (uint32_t)(knobs[KNOB_WARPS] < e->warps ? knobs[KNOB_WARPS] : e->warps);
    const uint32_t w = e->first_warp + stim_below(r, used);
    return w < (uint32_t)e->warps ? w : w - (uint32_t)e->warps;
}

static uint32_t draw_reg(const Env *e, StimRandom *r, const int *knobs) {
    const uint32_t regs = (uint32_t)e->regs;
    const uint32_t used = (uint32_t)knobs[KNOB_REGS] < regs ? (uint32_t)knobs[KNOB_REGS] : regs;
    const uint32_t reg = e->first_reg + stim_below(r, used);
    return reg < regs ? reg : reg - regs;
}

static void put_mask(uint32_t *words, uint64_t mask) {
    words[0] = (uint32_t)mask;
    words[1] = (uint32_t)(mask >> 32);
}

static uint32_t draw_act(const Env *e, StimRandom *r, const int *knobs, bool p, Verdict v) {
    (void)e;
    if (stim_percent(r, knobs[KNOB_WILD])) return stim_random(r) >> 30;
    if (!stim_percent(r, knobs[KNOB_ISSUE])) return DS_ACT_NONE;
    const uint32_t issue = stim_percent(r, knobs[KNOB_LOAD]) ? DS_ACT_LONG : DS_ACT_ISSUE;
    return v.ready ? issue : p && v.skip ? DS_ACT_LONG : DS_ACT_NONE;
}

static void draw_queries(const Env *e, StimRandom *r, const int *knobs, DualScoreboardIn *in) {
    in->q_board[0] = 0;
    for (int s = 0; s < e->queries; s++) {
        const uint32_t w = in->q_warp[s] = draw_warp(e, r, knobs), random = stim_random(r);
        const Warp *warp = &e->warp[w];
        const bool p = warp->pmode != stim_percent(r, knobs[KNOB_BOARD]);
        uint64_t src = 0, dst = 0;
        for (uint32_t k = random & 3; k; k--) src |= 1ull << draw_reg(e, r, knobs);
        if (random & 28) dst |= 1ull << draw_reg(e, r, knobs);
        if ((random & 224) == 0) dst |= 1ull << draw_reg(e, r, knobs);
        if ((random & 0x3f00) == 0) src = (uint64_t)stim_random(r) << 32 | stim_random(r);
        if ((random & 0xfc000) == 0)
            dst |= ((uint64_t)stim_random(r) << 32 | stim_random(r)) & ~e->known;
        in->q_board[0] |= (uint32_t)p << s;
        put_mask(&in->q_src[2 * s], src);
        put_mask(&in->q_dst[2 * s], dst);
        const uint32_t preds = stim_random(r);
        in->q_psrc[s] = preds & 3 ? 0 : 1u << (preds >> 2) % DS_PREDS;
        in->q_pdst[s] = preds >> 8 & 3 ? 0 : 1u << (preds >> 10) % DS_PREDS;
        if ((preds >> 16 & 63) == 0) in->q_psrc[s] = preds >> 24 & 127;
        if ((preds >> 16 & 48) == 0) in->q_pdst[s] |= 1u << (preds >> 22) % DS_PREDS;
        const Warp now = after_results(e, in, w);
        const Verdict v = judge(e, &now, p, src, dst, in->q_psrc[s], in->q_pdst[s]);
        in->q_act[s] = draw_act(e, r, knobs, p, v);
        // waits for a load: switch, or name the load anew
        const uint64_t loads = (src | dst) & e->known & warp->is_long[N];
        if (!p && loads && !in->sw_valid[0] && stim_percent(r, knobs[KNOB_SWITCH])) {
            in->sw_valid[0] = 1;
            in->sw_warp[0] = w;
            in->sw_reg[0] = (uint32_t)__builtin_ctzll(loads);
        }
    }
}

static void draw_writes(const Env *e, StimRandom *r, const int *knobs, DualScoreboardIn *in) {
    in->wb_valid[0] = in->wb_pmode[0] = 0;
    for (int j = 0; j < e->writes; j++) {
        const uint32_t random = stim_random(r);
        bool valid = stim_percent(r, knobs[KNOB_WRITE]);
        if (e->nout && !stim_percent(r, knobs[KNOB_STRAY])) {
            const uint32_t o = e->out[stim_below(r, (uint32_t)e->nout)];
            in->wb_warp[j] = o >> 8;
            in->wb_reg[j] = o & 127;
            in->wb_pmode[0] |= (o >> 7 & 1) << j;
            const bool load = !(o & 128) && e->warp[o >> 8].is_long[N] >> (o & 127) & 1;
            if (load && stim_percent(r, knobs[KNOB_LATE])) valid = false;
        } else {
            in->wb_warp[j] = draw_warp(e, r, knobs);
            in->wb_reg[j] = draw_reg(e, r, knobs);
            in->wb_pmode[0] |= (random & 1) << j;
            valid &= stim_percent(r, knobs[KNOB_STRAY]);
        }
        if (j && (random & 0xf0) == 0) {  // the same register, by the other mode
            in->wb_warp[j] = in->wb_warp[j - 1];
            in->wb_reg[j] = in->wb_reg[j - 1];
            in->wb_pmode[0] ^= (~(in->wb_pmode[0] >> (j - 1) ^ in->wb_pmode[0] >> j) & 1) << j;
        }
        in->wb_valid[0] |= (uint32_t)valid << j;
    }
}

// Predicates that a warp waits for, of either mode; now and then of any.
static void draw_predicates(const Env *e, StimRandom *r, const int *knobs, DualScoreboardIn *in) {
    in->pw_valid[0] = in->pw_pmode[0] = 0;
    for (int j = 0; j < 2 * e->writes; j++) {
        const uint32_t w = in->pw_warp[j] = draw_warp(e, r, knobs), random = stim_random(r);
        const Warp *warp = &e->warp[w];
        const uint32_t board = random & 1, waits = warp->ppend[board] & ~(board ? warp->plong : 0);
        const uint32_t one = 1u << (random >> 1) % DS_PREDS, other = 1u << (random >> 8) % DS_PREDS;
        const bool stray = stim_percent(r, knobs[KNOB_STRAY]);
        const bool all = random >> 16 & 1;
        in->pw_mask[j] = stray ? one | (all ? other : 0) : all ? waits : waits & (one | other);
        in->pw_pmode[0] |= board << j;
        if (in->pw_mask[j]) in->pw_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_WRITE]) << j;
    }
}

static void ds_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    DualScoreboardIn *in = inputs;
    if (stim_random(r) >> 25 == 0) {
        e->first_warp = stim_below(r, (uint32_t)e->warps);
        e->first_reg = stim_below(r, (uint32_t)e->regs);
    }
    in->sw_valid[0] = stim_percent(r, knobs[KNOB_ODD_SWITCH]);
    in->sw_warp[0] = draw_warp(e, r, knobs);
    in->sw_reg[0] = draw_reg(e, r, knobs);
    const uint64_t loads = e->warp[in->sw_warp[0]].is_long[N];
    if (loads && stim_percent(r, 70)) in->sw_reg[0] = (uint32_t)__builtin_ctzll(loads);
    draw_writes(e, r, knobs, in);
    draw_predicates(e, r, knobs, in);
    draw_queries(e, r, knobs, in);
    in->clr_valid[0] = stim_below(r, 1000) < (uint32_t)knobs[KNOB_CLEAR];
    const uint32_t random = stim_random(r);
    in->clr_warp[0] = random & 1 ? draw_warp(e, r, knobs)
        : random & 2             ? in->sw_warp[0]
                                 : in->wb_warp[0];
}

static void ds_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    DualScoreboardIn *in = inputs;
    const uint32_t warps = (uint32_t)e->warps, regs = (uint32_t)e->regs;
    for (int s = 0; s < e->queries; s++)
        if (in->q_warp[s] >= warps) in->q_warp[s] = 0;
    for (int j = 0; j < e->writes; j++)
        if (in->wb_warp[j] >= warps || in->wb_reg[j] >= regs) in->wb_valid[0] &= ~(1u << j);
    for (int j = 0; j < 2 * e->writes; j++)
        if (in->pw_warp[j] >= warps) in->pw_valid[0] &= ~(1u << j);
    if (in->sw_warp[0] >= warps || in->sw_reg[0] >= regs) in->sw_valid[0] = 0;
    if (in->clr_warp[0] >= warps) in->clr_valid[0] = 0;
}

// ---- coverage -----------------------------------------------------------------------------------

static bool acts(const DualScoreboardIn *in, int s) {
    return in->q_act[s] == DS_ACT_ISSUE || in->q_act[s] == DS_ACT_LONG;
}

// Verdicts that predicates alone decide.
static void see_predicates(const Env *e, const Warp *w, const DualScoreboardIn *in, int s,
                           uint64_t *hits) {
    const Bins *at = &e->at;
    const bool p = in->q_board[0] >> s & 1;
    const uint64_t src = mask_of(&in->q_src[2 * s]), dst = mask_of(&in->q_dst[2 * s]);
    const uint32_t psrc = in->q_psrc[s], pdst = in->q_pdst[s];
    if (!(psrc | pdst) || !judge(e, w, p, src, dst, 0, 0).ready) return;
    const uint32_t is_short = p ? w->ppend[P] & ~w->plong : w->ppend[N];
    const bool held = pdst & is_short, waits = psrc & is_short;
    if (p && psrc & w->plong) hits[held ? at->pp_skip_held : at->pp_skip]++;
    else if (held) hits[p ? at->pp_wait_dst : at->pn_wait_dst]++;
    else if (waits) hits[p ? at->pp_wait_src : at->pn_wait_src]++;
    else hits[p ? at->pp_ready : at->pn_ready]++;
}

static void see_query(const Env *e, const DualScoreboardIn *in, int s, uint64_t *hits) {
    const Bins *at = &e->at;
    const Warp now = after_results(e, in, in->q_warp[s]), *w = &now;
    const bool p = in->q_board[0] >> s & 1;
    const uint64_t src = mask_of(&in->q_src[2 * s]), dst = mask_of(&in->q_dst[2 * s]);
    const uint32_t psrc = in->q_psrc[s], pdst = in->q_pdst[s];
    const Verdict v = judge(e, w, p, src, dst, psrc, pdst),
                  other = judge(e, w, !p, src, dst, psrc, pdst);
    see_predicates(e, w, in, s, hits);
    const Verdict before = judge(e, &e->warp[in->q_warp[s]], p, src, dst, psrc, pdst);
    hits[at->bypass[p]] += v.ready && !before.ready;
    hits[at->nothing] += !((src | dst) & e->known);
    hits[at->beyond] += ((src | dst) & ~e->known) != 0;
    hits[at->both_differ] += v.ready != other.ready;
    if (!p) {
        if (v.ready) hits[at->n_ready]++;
        else if (!v.depends) hits[at->n_wait]++;
        else hits[src & e->known & w->is_long[N] ? at->n_long_src : at->n_long_dst]++;
        return;
    }
    if (v.ready) {
        hits[at->p_ready]++;
        hits[at->p_over_load] += (dst & w->is_long[P]) != 0;
    } else if (v.depends) {
        hits[v.held ? at->p_skip_held : at->p_skip]++;
    } else {
        hits[v.held ? at->p_wait_dst : at->p_wait_src]++;
    }
}

static void see_act(const Env *e, const DualScoreboardIn *in, int s, uint64_t *hits) {
    const Bins *at = &e->at;
    const Warp now = after_results(e, in, in->q_warp[s]), *w = &now;
    const bool p = in->q_board[0] >> s & 1, first = in->q_act[s] == DS_ACT_ISSUE;
    const uint64_t src = mask_of(&in->q_src[2 * s]), dst = mask_of(&in->q_dst[2 * s]) & e->known;
    const Verdict v = judge(e, w, p, src, dst, in->q_psrc[s], in->q_pdst[s]);
    hits[at->load_pred] += !p && in->q_act[s] == DS_ACT_LONG && in->q_pdst[s];
    hits[at->act3] += in->q_act[s] == 3;
    if (!acts(in, s)) return;
    hits[at->pair] += __builtin_popcountll(dst) == 2;
    for (int l = 0; l < s; l++)
        if (acts(in, l) && in->q_warp[l] == in->q_warp[s]) bin_hit(hits, at->two_acts);
    if (!dst) return;
    const uint64_t load = w->pend[P] & w->is_long[P], unknown = w->is_long[P] & ~w->pend[P];
    if (!p) {
        hits[!v.ready ? at->n_wild : first ? at->n_issue : at->n_load]++;
    } else if (first) {
        hits[v.ready ? at->p_issue : at->p_wild]++;
        hits[at->p_issue_over_load] += v.ready && (dst & load) != 0;
        hits[at->p_issue_over_unknown] += v.ready && (dst & unknown) != 0;
    } else {
        hits[v.ready ? at->p_preload : v.skip ? at->p_skips : at->p_wild]++;
        hits[at->p_skip_over_load] += v.skip && (dst & load) != 0;
    }
}

static void see_n_result(const Env *e, const DualScoreboardIn *in, int j, uint64_t *hits) {
    const Bins *at = &e->at;
    const Warp *w = &e->warp[in->wb_warp[j]];
    const uint32_t r = in->wb_reg[j];
    const bool n_long = w->is_long[N] >> r & 1, p_pend = w->pend[P] >> r & 1,
               p_long = w->is_long[P] >> r & 1;
    if (!(w->pend[N] >> r & 1)) {
        hits[at->stray[N]]++;
        return;
    }
    if (!w->pmode) hits[n_long ? at->w_long : at->w_short]++;
    else if (p_pend && p_long == n_long) hits[n_long ? at->reaches_long : at->reaches_short]++;
    else hits[p_pend ? at->stays_renamed : p_long ? at->stays_unknown : at->stays_written]++;
    for (int s = 0; s < e->queries && w->pmode; s++)
        if (in->q_act[s] == DS_ACT_ISSUE && in->q_board[0] >> s & 1 &&
            in->q_warp[s] == in->wb_warp[j] && mask_of(&in->q_dst[2 * s]) >> r & 1)
            hits[at->meets_act]++;
}

static void see_results(const Env *e, const DualScoreboardIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    for (int j = 0; j < e->writes; j++) {
        if (!(in->wb_valid[0] >> j & 1)) continue;
        const bool p = in->wb_pmode[0] >> j & 1;
        const Warp *w = &e->warp[in->wb_warp[j]];
        if (!p) see_n_result(e, in, j, hits);
        else if (!(w->pend[P] >> in->wb_reg[j] & 1)) hits[at->stray[P]]++;
        else hits[w->pmode ? at->p_in_p : at->p_late]++;
        for (int k = 0; k < j; k++)
            if (in->wb_valid[0] >> k & 1 && in->wb_warp[k] == in->wb_warp[j] &&
                in->wb_reg[k] == in->wb_reg[j] && (in->wb_pmode[0] >> k & 1) != p)
                bin_hit(hits, at->both_boards);
    }
}

static void see_predicate_results(const Env *e, const DualScoreboardIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    for (int j = 0; j < 2 * e->writes; j++) {
        if (!(in->pw_valid[0] >> j & 1)) continue;
        const int board = in->pw_pmode[0] >> j & 1;
        const uint32_t mask = in->pw_mask[j];
        const Warp *w = &e->warp[in->pw_warp[j]];
        hits[at->pr_mask2] += (mask & (mask - 1)) != 0;
        hits[at->pr_stray] += !(mask & w->ppend[board]);
        if (board == P) hits[w->pmode ? at->pr_p : at->pr_late] += (mask & w->ppend[P]) != 0;
        else if (!w->pmode) hits[at->pr_n] += (mask & w->ppend[N]) != 0;
        else {
            hits[at->pr_reach] += (mask & w->ppend[N] & w->ppend[P] & ~w->plong) != 0;
            hits[at->pr_unknown] += (mask & w->ppend[N] & w->plong) != 0;
        }
        for (int k = 0; k < j; k++)
            if (in->pw_valid[0] >> k & 1 && in->pw_warp[k] == in->pw_warp[j])
                bin_hit(hits, at->pr_two);
        for (int s = 0; s < e->queries; s++)
            hits[at->pr_meets_act] += acts(in, s) && in->q_warp[s] == in->pw_warp[j] &&
                in->q_pdst[s] & mask && (int)(in->q_board[0] >> s & 1) == board;
    }
}

static bool written_by_n(const Env *e, const DualScoreboardIn *in, uint32_t w, uint32_t r) {
    for (int j = 0; j < e->writes; j++)
        if (in->wb_valid[0] >> j & ~in->wb_pmode[0] >> j & 1 && in->wb_warp[j] == w &&
            in->wb_reg[j] == r)
            return true;
    return false;
}

static bool results_for(const Env *e, const DualScoreboardIn *in, uint32_t w, int besides) {
    for (int j = 0; j < e->writes; j++)
        if (j != besides && in->wb_valid[0] >> j & 1 && in->wb_warp[j] == w) return true;
    return false;
}

// Whether an instruction of the warp acts on that board (any: on either).
static bool acts_for(const Env *e, const DualScoreboardIn *in, uint32_t w, int board, bool any) {
    for (int s = 0; s < e->queries; s++)
        if (acts(in, s) && in->q_warp[s] == w && (any || (int)(in->q_board[0] >> s & 1) == board))
            return true;
    return false;
}

static void see_switch(const Env *e, const DualScoreboardIn *in, const DualScoreboardOut *out,
                       uint64_t *hits) {
    const Bins *at = &e->at;
    const uint32_t warp = in->sw_warp[0], r = in->sw_reg[0];
    const Warp *w = &e->warp[warp];
    if (!in->sw_valid[0]) return;
    const bool load = w->is_long[N] >> r & 1, written = written_by_n(e, in, warp, r);
    if (out->sw_ok[0]) {
        hits[w->pmode ? at->retarget : at->ok]++;
        if (w->pmode) {
            hits[at->held_back] += w->trigger != r && written_by_n(e, in, warp, w->trigger);
            return;
        }
        hits[at->copies_written] += results_for(e, in, warp, -1);
        hits[at->copies_act] += acts_for(e, in, warp, N, false);
        hits[at->sw_copies_pred] += w->ppend[N] != 0;
        for (int s = 0; s < e->queries; s++)
            if (acts(in, s) && in->q_board[0] >> s & 1) bin_hit(hits, at->copies_others);
    } else if (in->clr_valid[0] && in->clr_warp[0] == warp) {
        hits[at->sw_cleared] += load && !written;
    } else if (w->pmode) {
        hits[at->retarget_refused]++;
    } else if (!load) {
        hits[at->not_long]++;
    } else {
        hits[written ? at->written_now : w->pend[P] ? at->late_writes : at->sw_late_pred]++;
    }
}

static void see_back(const Env *e, const DualScoreboardIn *in, const DualScoreboardOut *out,
                     uint64_t *hits) {
    const Bins *at = &e->at;
    for (uint32_t left = out->back[0]; left; left &= left - 1) {
        const int j = __builtin_ctz(left);
        const Warp *w = &e->warp[in->wb_warp[j]];
        hits[at->back]++;
        hits[at->back_act] += acts_for(e, in, in->wb_warp[j], P, false);
        if (results_for(e, in, in->wb_warp[j], j)) bin_hit(hits, at->back_other);
        for (int k = 0; k < j; k++)
            if (out->back[0] >> k & 1 && in->wb_warp[k] != in->wb_warp[j])
                bin_hit(hits, at->back_two);
        const uint64_t n_short = w->pend[N] & ~w->is_long[N];
        hits[at->back_unknown] += (w->is_long[P] & ~w->pend[P]) != 0;
        hits[at->back_renamed] += (w->pend[P] & ~w->is_long[P] & ~n_short) != 0;
        hits[at->back_pred] += (w->ppend[P] & ~w->plong & ~w->ppend[N]) != 0;
        hits[at->back_n_short] += (w->pend[P] & ~w->is_long[P] & n_short) != 0;
    }
}

static void see_clear(const Env *e, const DualScoreboardIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    const uint32_t warp = in->clr_warp[0];
    const Warp *w = &e->warp[warp];
    if (!in->clr_valid[0]) return;
    hits[w->pmode ? at->clear_pmode : w->pend[N] | w->pend[P] ? at->clear_busy : at->clear_idle]++;
    hits[at->clear_switch] += in->sw_valid[0] && in->sw_warp[0] == warp;
    hits[at->clear_back] += w->pmode && written_by_n(e, in, warp, w->trigger);
    hits[at->clear_act] += acts_for(e, in, warp, N, true);
}

static void see_modes(Env *e, uint64_t *hits) {
    if (e->reset_met) {
        e->reset_met = false;
        hits[e->was_pmode      ? e->at.reset_pmode
                 : e->was_busy ? e->at.reset_busy
                               : e->at.reset_idle]++;
    }
    int n = 0;
    for (int w = 0; w < e->warps; w++) n += e->warp[w].pmode;
    if (n < 2) hits[n ? e->at.one_p : e->at.none_p]++;
    else bin_hit(hits, e->at.many_p);
}

// ---- following the block ------------------------------------------------------------------------

static void expect_result(Env *e, uint32_t w, int board, uint32_t r) {
    if (e->warp[w].out[board] >> r & 1) return;
    e->warp[w].out[board] |= 1ull << r;
    e->place[w][board][r] = (uint16_t)e->nout;
    e->out[e->nout++] = (uint16_t)(w << 8 | (uint32_t)board << 7 | r);
}

static void forget_result(Env *e, uint32_t w, int board, uint32_t r) {
    if (!(e->warp[w].out[board] >> r & 1)) return;
    e->warp[w].out[board] &= ~(1ull << r);
    const uint16_t at = e->place[w][board][r], last = e->out[--e->nout];
    e->out[at] = last;
    e->place[last >> 8][last >> 7 & 1][last & 127] = at;
}

static void follow_results(Env *e, const DualScoreboardIn *in) {
    Warp now[DS_MAX_WR + DS_MAX_PW];
    uint32_t warp[DS_MAX_WR + DS_MAX_PW];
    int n = 0;
    for (int j = 0; j < e->writes; j++)
        if (in->wb_valid[0] >> j & 1) warp[n++] = in->wb_warp[j];
    for (int j = 0; j < 2 * e->writes; j++)
        if (in->pw_valid[0] >> j & 1) warp[n++] = in->pw_warp[j];
    for (int i = 0; i < n; i++) now[i] = after_results(e, in, warp[i]);
    for (int i = 0; i < n; i++) e->warp[warp[i]] = now[i];
    for (int j = 0; j < e->writes; j++)
        if (in->wb_valid[0] >> j & 1)
            forget_result(e, in->wb_warp[j], in->wb_pmode[0] >> j & 1, in->wb_reg[j]);
}

static void follow_acts(Env *e, const DualScoreboardIn *in) {
    for (int s = 0; s < e->queries; s++) {
        if (!acts(in, s)) continue;
        const int board = in->q_board[0] >> s & 1;
        const bool first = in->q_act[s] == DS_ACT_ISSUE;
        const uint64_t dst = mask_of(&in->q_dst[2 * s]) & e->known;
        Warp *w = &e->warp[in->q_warp[s]];
        w->is_long[board] = first ? w->is_long[board] & ~dst : w->is_long[board] | dst;
        w->pend[board] = board == P && !first ? w->pend[board] & ~dst : w->pend[board] | dst;
        const uint32_t pdst = in->q_pdst[s];
        if (board == P) w->plong = first ? w->plong & ~pdst : w->plong | pdst;
        w->ppend[board] = board == P && !first ? w->ppend[P] & ~pdst : w->ppend[board] | pdst;
        if (board == P && !first) continue;
        for (uint64_t left = dst; left; left &= left - 1)
            expect_result(e, in->q_warp[s], board, (uint32_t)__builtin_ctzll(left));
    }
}

static void ds_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const DualScoreboardIn *in = inputs;
    const DualScoreboardOut *out = outputs;
    see_modes(e, hits);
    for (int s = 0; s < e->queries; s++) {
        see_query(e, in, s, hits);
        see_act(e, in, s, hits);
    }
    see_results(e, in, hits);
    see_predicate_results(e, in, hits);
    see_switch(e, in, out, hits);
    see_back(e, in, out, hits);
    see_clear(e, in, hits);

    follow_results(e, in);
    follow_acts(e, in);
    if (out->sw_ok[0] && in->sw_valid[0]) {
        Warp *w = &e->warp[in->sw_warp[0]];
        if (!w->pmode) {
            w->pend[P] = w->pend[N], w->is_long[P] = w->is_long[N];
            w->ppend[P] = w->ppend[N], w->plong = 0;
        }
        w->pmode = true;
        w->trigger = (uint8_t)in->sw_reg[0];
    }
    for (uint32_t left = out->back[0] & in->wb_valid[0]; left; left &= left - 1) {
        Warp *w = &e->warp[in->wb_warp[__builtin_ctz(left)]];
        w->pmode = false;
        w->pend[P] &= ~w->is_long[P] & ~(w->pend[N] & ~w->is_long[N]);
        w->is_long[P] = 0;
        w->ppend[P] &= ~w->plong & ~w->ppend[N];
        w->plong = 0;
    }
    if (!in->clr_valid[0]) return;
    Warp *w = &e->warp[in->clr_warp[0]];
    for (int board = N; board <= P; board++)
        for (uint64_t left = w->out[board]; left; left &= left - 1)
            forget_result(e, in->clr_warp[0], board, (uint32_t)__builtin_ctzll(left));
    *w = (Warp){0};
}

static const StimShape SHAPES[] = {
    {"NumWarps=5 NumQuery=3 NumWr=3", "odd warps, three ports"},
    {0},
};

const BlockStim dual_scoreboard_stim = {.shapes = SHAPES,
                                        .knobs = KNOB_TABLE,
                                        .nknobs = KNOBS,
                                        .needs_out = false,
                                        .bins = ds_bins,
                                        .open = ds_open,
                                        .close = ds_close,
                                        .reset = ds_reset,
                                        .randomize = ds_randomize,
                                        .constrain = ds_constrain,
                                        .observe = ds_observe};
