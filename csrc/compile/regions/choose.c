// SPDX-License-Identifier: Apache-2.0
// Sizes of the extended set. Of those with most resident warps the smallest (regmutex.pick) with
// sections for more than half of them; if there is none, the one with most sections.
#include "compile/regions/regions.h"

static const int percent[] = {10, 15, 20, 25, 30, 35};

// The k-th size for R registers; odd or 0: there is none.
static int size_of(const MachineConfig *cfg, int given, int k) {
    if (cfg->regmutex_round == ROUND_EVEN) return (given * percent[k] + 100) / 200 * 2;
    return given * percent[k] / 100;
}

static void add_candidate(Choice *c, const MachineConfig *cfg, const CtaNeed *cta, int ext) {
    if (c->n && c->cand[c->n - 1].ext == ext) return;
    Candidate *k = &c->cand[c->n++];
    *k = (Candidate){.base = c->given - ext, .ext = ext, .verdict = ""};
    k->fits = occupancy_split(cfg, *cta, k->base, ext);
    if (!k->fits.sections) k->verdict = "no room for a section";
    else if (cfg->regmutex_need_gain && k->fits.warps <= c->warps)
        k->verdict = "lets no more warps in";
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
