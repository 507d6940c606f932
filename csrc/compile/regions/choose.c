// SPDX-License-Identifier: Apache-2.0
// Sizes of the extended set, and which of them is worth a split (regmutex.rule).
//
// A size must admit more warps and leave sections for more than half of them, unless no warp ever
// needs a section. Of these the size with the most warps is chosen, then the smallest
// (regmutex.pick). If no size qualifies, the registers are not split. Fewer sections suffice if the
// estimate shows fewer simultaneous holders.
//
// The estimate is for a single warp whose loads miss every cache. The warp takes `time` cycles,
// issues `slots` instructions and holds a section for `held` of the cycles. Instructions count as
// often as their loops execute them. Three bounds limit the number of warps that make progress:
// issue slots, resident warps, and sections. A split must raise the least of them by a tenth, as
// ACQ, REL and refused attempts take time that the estimate does not contain.
#include "compile/regions/regions.h"
#include "config/exec_time.h"

static const int percent[] = {10, 15, 20, 25, 30, 35};

// The k-th size for R registers; odd or 0: none.
static int size_of(const MachineConfig *cfg, int given, int k) {
    if (cfg->regmutex_round == ROUND_EVEN) return (given * percent[k] + 100) / 200 * 2;
    return given * percent[k] / 100;
}

static void add_candidate(Choice *c, const MachineConfig *cfg, const CtaNeed *cta, int ext) {
    if (c->n && c->cand[c->n - 1].ext == ext) return;
    Candidate *k = &c->cand[c->n++];
    *k = (Candidate){.base = c->given - ext, .ext = ext, .verdict = ""};
    k->fits = occupancy_split(cfg, *cta, k->base, ext);
    const bool judged = cfg->regmutex_es < 0 && cfg->regmutex_rule != RULE_MOST;
    if (!k->fits.sections) k->verdict = "no room for a section";
    else if (judged && k->fits.warps <= c->warps) k->verdict = "admits no more warps";
}

void choose_candidates(Choice *c, const MachineConfig *cfg, const CtaNeed *cta, int nregs) {
    CtaNeed need = *cta;
    need.regs = nregs;
    *c = (Choice){.given = (occupancy_given_regs(cfg, nregs) + 1) / 2 * 2, .chosen = -1};
    const uint64_t per_cta =
        cta->threads ? (uint64_t)(cta->threads + ISA_LANES - 1) / ISA_LANES : 1;
    c->warps = occupancy_ctas(cfg, &need, NULL) * per_cta;
    need.regs = 0;
    c->limited = occupancy_ctas(cfg, &need, NULL) * per_cta > c->warps;
    if (cfg->regmutex_es > 0) {
        if (cfg->regmutex_es < c->given) add_candidate(c, cfg, cta, cfg->regmutex_es);
        return;
    }
    for (int k = 0; k < MAX_CANDIDATES && c->limited && cfg->regmutex_es; k++) {
        const int ext = size_of(cfg, c->given, k);
        if (ext > 0 && ext % 2 == 0) add_candidate(c, cfg, cta, ext);
    }
}

static bool is_better(const Candidate *a, const Candidate *b, bool largest) {
    if (a->fits.warps != b->fits.warps) return a->fits.warps > b->fits.warps;
    const bool a_half = 2 * a->fits.sections > a->fits.warps,
               b_half = 2 * b->fits.sections > b->fits.warps;
    if (a_half != b_half) return a_half;
    if (!a_half && a->fits.sections != b->fits.sections) return a->fits.sections > b->fits.sections;
    return largest && a_half ? a->ext > b->ext : a->ext < b->ext;
}

int choose_best(const Choice *c, const MachineConfig *cfg) {
    int best = -1;
    for (int i = 0; i < c->n; i++) {
        if (*c->cand[i].verdict) continue;
        if (best < 0 || is_better(&c->cand[i], &c->cand[best], cfg->regmutex_pick == PICK_LARGEST))
            best = i;
    }
    return best;
}

// ---- is it worth it ----

enum {
    // cycles from issue to the execution unit and back to a reader, in addition to its latency
    PIPELINE = 6,
    LEAST_GAIN = 10,  // per cent
};

static int latency_of(const MachineConfig *cfg, const IsaInst *in) {
    if (in->op == ISA_LD || in->op == ISA_ATOM)
        return PIPELINE + (in->space == ISA_SHARED ? cfg->shared_latency : cfg->dram_latency);
    if (in->op == ISA_TEX) return PIPELINE + cfg->dram_latency;
    if (in->op == ISA_LDC) return PIPELINE + cfg->const_latency;
    return PIPELINE + config_exec_time(cfg, isa_op_info[in->op].timing).latency;
}

WarpTime choose_time(const WarpLive *w, const MachineConfig *cfg, const bool *high, Arena *arena) {
    const IsaProgram *p = w->p;
    int64_t *times = ARENA_ARRAY(arena, int64_t, p->ninsts), ready[ISA_MAX_REGS + 1] = {0}, now = 0;
    WarpTime t = {0};
    affinity_frequency(p, times);
    for (int i = 0; i < p->ninsts; i++) {
        if (!w->reached[i]) continue;
        const int64_t before = now++;
        for (uint64_t left = w->reads[i] | w->writes[i]; left; left &= left - 1)
            if (ready[__builtin_ctzll(left)] > now) now = ready[__builtin_ctzll(left)];
        for (uint64_t left = w->writes[i]; left; left &= left - 1)
            ready[__builtin_ctzll(left)] = now + latency_of(cfg, &p->insts[i]);
        t.slots += times[i];
        t.time += times[i] * (now - before);
        if (high && high[i]) t.held += times[i] * (now - before);
    }
    return t;
}

static double lesser_of(double a, double b) { return a < b ? a : b; }

// Sections for more than half of the warps, or for the estimated number of simultaneous holders.
static bool enough_sections(const Candidate *k, const MachineConfig *cfg, const WarpTime *t) {
    if (!t->held || 2 * k->fits.sections > k->fits.warps) return true;
    return cfg->regmutex_rule == RULE_ESTIMATE &&
        (double)k->fits.sections * (double)t->time >= (double)k->fits.warps * (double)t->held;
}

const char *choose_objection(const Candidate *k, const Choice *c, const MachineConfig *cfg,
                             const WarpTime *t) {
    if (cfg->regmutex_es >= 0 || cfg->regmutex_rule == RULE_MOST) return "";
    if (!enough_sections(k, cfg, t)) return "too few sections";
    if (cfg->regmutex_rule == RULE_SECTIONS) return "";
    const double issue = (double)cfg->sm_schedulers * (double)t->time / (double)t->slots;
    const double before = lesser_of((double)c->warps, issue);
    double after = lesser_of((double)k->fits.warps, issue);
    if (t->held)
        after = lesser_of(after, (double)k->fits.sections * (double)t->time / (double)t->held);
    return 100 * after >= (100 + LEAST_GAIN) * before ? "" : "no gain by the estimate";
}
