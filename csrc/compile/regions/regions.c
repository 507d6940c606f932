// SPDX-License-Identifier: Apache-2.0
// The split of a kernel's registers for the dimensions of one launch: candidates, placement of the
// best, proof. Thesis chapter 4.
#include "compile/regions/regions.h"

#include <inttypes.h>
#include <string.h>

// ---- text ----

static int count_op(const IsaProgram *p, IsaOp op) {
    int n = 0;
    for (int i = 0; i < p->ninsts; i++) n += p->insts[i].op == op;
    return n;
}

static void print_regions(FILE *out, const IsaProgram *p, const Placement *pl) {
    fprintf(out, "  held:");
    for (int i = 0; i < p->ninsts; i++) {
        if (!pl->high[i] || (i && pl->high[i - 1])) continue;
        int last = i;
        while (last + 1 < p->ninsts && pl->high[last + 1]) last++;
        fprintf(out, " %d..%d", i, last);
    }
    fprintf(out, "  (instruction numbers before ACQ and REL are inserted)\n");
}

static void print_estimate(FILE *out, const WarpTime *t) {
    fprintf(out, " (held %.0f %% of the time, issues in %.0f %%)",
            100.0 * (double)t->held / (double)t->time, 100.0 * (double)t->slots / (double)t->time);
}

static void print_choice(FILE *out, const Choice *c, const MachineConfig *cfg, const CtaNeed *cta,
                         const IsaProgram *p, const IsaProgram *q) {
    fprintf(out,
            "split: %d registers, R %d, at most %d in use by a warp; %d threads and %" PRIu64
            " bytes a CTA: %" PRIu64 " of %d warps, %slimited by registers\n",
            p->nregs, c->given, c->peak, cta->threads, cta->shared_bytes, c->warps, cfg->sm_warps,
            c->limited ? "" : "not ");
    if (c->n) fprintf(out, "  |Es| |Bs|  CTAs warps sections\n");
    for (int i = 0; i < c->n; i++) {
        const Candidate *k = &c->cand[i];
        fprintf(out, "  %4d %4d %5" PRIu64 " %5" PRIu64 " %8" PRIu64 "  %s", k->ext, k->base,
                k->fits.ctas, k->fits.warps, k->fits.sections,
                i == c->chosen    ? "chosen"
                    : *k->verdict ? k->verdict
                                  : "not chosen");
        if (*k->verdict && k->estimate.time) print_estimate(out, &k->estimate);
        fprintf(out, "\n");
    }
    if (c->chosen < 0) {
        fprintf(out, "  no extended set: %d base registers\n", p->nregs);
        return;
    }
    print_regions(out, p, &c->cand[c->chosen].placed);
    fprintf(out, "  estimated of a warp alone:");
    print_estimate(out, &c->cand[c->chosen].estimate);
    fprintf(out, "\n");
    fprintf(out, "  static: %d acq, %d rel, %d mov\n", count_op(q, ISA_ACQ), count_op(q, ISA_REL),
            count_op(q, ISA_MOV) - count_op(p, ISA_MOV));
}

// ---- the split ----

static IsaProgram *make_whole(const IsaProgram *p, const Choice *c, Arena *arena) {
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    q->base_regs = p->nregs;
    q->ext_regs = 0;
    q->given_regs = c->given;
    return q;
}

// Places the best candidate; a candidate that cannot be placed, or is then unprofitable, is
// rejected, and the next best is tried.
static void place_best(Choice *c, const WarpLive *w, const bool *spins, const MachineConfig *cfg,
                       Arena *arena) {
    for (int i; c->chosen < 0 && (i = choose_best(c, cfg)) >= 0;) {
        Candidate *k = &c->cand[i];
        k->placed = (Placement){.base = k->base, .ext = k->ext};
        if (place_values(&k->placed, w, spins, cfg->regmutex_es > 0, arena)) {
            k->estimate = choose_time(w, cfg, k->placed.high, arena);
            k->verdict = choose_objection(k, c, cfg, &k->estimate);
            if (*k->verdict) continue;
            c->chosen = i;
            return;
        }
        const int line = k->placed.at >= 0 ? w->p->insts[k->placed.at].ptx_line : 0;
        k->verdict = line ? arena_printf(arena, "%s (PTX line %d)", k->placed.reason, line)
                          : k->placed.reason;
    }
}

IsaProgram *regions_split(const IsaProgram *p, Arena *arena, const MachineConfig *cfg,
                          const CtaNeed *cta, FILE *out, Diag *d) {
    Arena scratch = {0};
    WarpLive w;
    Choice c;
    Diag fault = {0};
    if (cfg->regmutex_es > 0 && cfg->regmutex_es % 2)
        return diag_fail(d, EXIT_USAGE, "regmutex.es=%d: expected an even number",
                         cfg->regmutex_es),
               NULL;
    choose_candidates(&c, cfg, cta, p->nregs);
    warplive_of(&w, p, cfg->regmutex_uniform, &scratch);
    for (int i = 0; i < p->ninsts; i++) {
        const int pressure = w.reached[i] ? warplive_pressure(&w, i) : 0;
        if (pressure > c.peak) c.peak = pressure;
    }
    bool *spins = ARENA_ARRAY(&scratch, bool, p->ninsts);
    spin_find(p, spins, &scratch);
    place_best(&c, &w, spins, cfg, &scratch);
    IsaProgram *q = c.chosen < 0 ? make_whole(p, &c, arena)
                                 : insert_regions(&w, &c.cand[c.chosen].placed, arena);
    for (int i = 0; i < p->ninsts; i++)
        q->spins |= c.chosen >= 0 && c.cand[c.chosen].placed.high[i] && spins[i];
    if (!isa_check(q, &fault) || !regions_check(q, cfg->regmutex_uniform, &fault))
        q = (diag_fail(d, EXIT_USAGE, "the split of the registers is wrong: %s", fault.text), NULL);
    if (q && out) print_choice(out, &c, cfg, cta, p, q);
    for (int i = 0; i < c.n; i++) arena_free(&c.cand[i].placed.scratch);
    arena_free(&scratch);
    return q;
}
