// SPDX-License-Identifier: Apache-2.0
#include "regmutex.h"

#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double get(const RmCell *c, CounterId id) { return (double)c->counters.v[id]; }
static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }
static double cycles(const RmCell *c) { return c->ran ? get(c, CTR_CYCLES) : NAN; }
static double change(const RmCell *now, const RmCell *then) { return 100 * (cycles(now) / cycles(then) - 1); }
static double resident(const RmCell *c) { return c->ran ? ratio(get(c, CTR_WARPS_RESIDENT), get(c, CTR_CYCLES)) : NAN; }

// Of acquires that got a section those that got it at the first attempt; of all attempts those that were granted.
static double at_once(const RmCell *c) { return 100 * ratio(get(c, CTR_ACQ_FIRST), get(c, CTR_ACQ_GRANTED)); }
static double success(const RmCell *c) {
    return 100 * ratio(get(c, CTR_ACQ_GRANTED), get(c, CTR_ACQ_GRANTED) + get(c, CTR_ACQ_REFUSED));
}

// ---- cells of tables ----

static void number(FILE *out, double v, int digits, const char *sign) {
    if (isnan(v)) fprintf(out, " - |");
    else fprintf(out, sign[0] ? " %+.*f |" : " %.*f |", digits, v == 0 ? 0.0 : v);
}
static void plain(FILE *out, double v, int digits) { number(out, v, digits, ""); }
static void percent(FILE *out, double v) { number(out, v, 1, "+"); }

static void rule(FILE *out, int columns) {
    fprintf(out, "|---|");
    for (int i = 1; i < columns; i++) fprintf(out, "--:|");
    fprintf(out, "\n");
}

// Kernels that registers limit in this file.
static bool counts(const RmResults *r, int k, bool half) {
    return half ? r->half[RM_BASELINE].cells[k].ran && r->split_half[k].limited : k < r->nfull && r->split_full[k].limited;
}

// Arithmetic and geometric mean of the change of cycles over the kernels that count; NaN: the run is not there.
typedef struct Means { double arithmetic, geometric; int n; } Means;

static Means means(const RmResults *r, const RmRun *run, bool half) {
    double sum = 0, logs = 0;
    int n = 0;
    for (int k = 0; k < run->n; k++) {
        const double v = change(&run->cells[k], &r->full[RM_BASELINE].cells[k]);
        if (!counts(r, k, half) || isnan(v)) continue;
        sum += v;
        logs += log(1 + v / 100);
        n++;
    }
    return n ? (Means){sum / n, 100 * (exp(logs / n) - 1), n} : (Means){NAN, NAN, 0};
}

// ---- tables ----

static void splits(FILE *out, const RmResults *r, const char *title, const RmSplit *splits, const RmRun *runs, int n) {
    fprintf(out, "\n### %s\n\n| kernel | R | in use at most | mean in use | base + extended | sections | warps, baseline | "
            "warps, RegMutex | acq, rel, mov | acquires | moves, %% of instructions |\n", title);
    rule(out, 11);
    for (int k = 0; k < n; k++) {
        const RmSplit *s = &splits[k];
        const RmCell *b = &runs[RM_BASELINE].cells[k], *now = &runs[RM_REGMUTEX].cells[k], *v = &runs[RM_RFV].cells[k];
        if (!b->ran) continue;
        fprintf(out, "| %s | %d | %d |", r->names[k], b->regs, s->most);
        plain(out, ratio(get(v, CTR_PHYS_USED), get(v, CTR_WARPS_RESIDENT)), 1);
        if (s->ext) fprintf(out, " %d + %d | %d | %d | %d | %d, %d, %d |", s->base, s->ext, s->sections, b->warps, s->warps,
                            s->acq, s->rel, s->mov);
        else fprintf(out, " %s | - | %d | - | - |", s->limited ? "no size" : "not limited", b->warps);
        if (s->ext) fprintf(out, " %.0f |", get(now, CTR_ACQ_GRANTED));
        else fprintf(out, " - |");
        plain(out, s->ext ? 100 * ratio(get(now, CTR_COMPACT_MOVES), get(now, CTR_WARP_INSTS)) : NAN, 2);
        fprintf(out, "\n");
    }
}

static void times(FILE *out, const RmResults *r, const RmRun *runs, const RmRun *own, bool half, const RmRun *base) {
    const int n = half ? r->n : r->nfull;
    fprintf(out, "\n| kernel | baseline%s, k cycles |", half ? ", whole file" : "");
    if (half) fprintf(out, " baseline | its own program |");
    for (int a = 1; a < RM_ARCHS; a++) fprintf(out, " %s |", rm_arch[a]);
    fprintf(out, " mean warps: baseline |");
    for (int a = 1; a < RM_ARCHS; a++) fprintf(out, " %s |", rm_arch[a]);
    fprintf(out, "\n");
    rule(out, 3 + 2 * half + 2 * (RM_ARCHS - 1));
    for (int k = 0; k < n; k++) {
        fprintf(out, "| %s%s |", r->names[k], counts(r, k, half) ? "" : " (not limited)");
        plain(out, cycles(&base->cells[k]) / 1000, 0);
        if (half) percent(out, change(&runs[RM_BASELINE].cells[k], &base->cells[k]));
        if (half) percent(out, change(&own->cells[k], &base->cells[k]));
        for (int a = 1; a < RM_ARCHS; a++) percent(out, change(&runs[a].cells[k], &base->cells[k]));
        for (int a = 0; a < RM_ARCHS; a++) plain(out, resident(&runs[a].cells[k]), 1);
        fprintf(out, "\n");
    }
    for (int geometric = 0; geometric < 2; geometric++) {
        fprintf(out, "| %s mean, limited kernels | |", geometric ? "geometric" : "arithmetic");
        for (int a = half ? 0 : 1; a < RM_ARCHS; a++) {
            const Means m = means(r, &runs[a], half);
            percent(out, geometric ? m.geometric : m.arithmetic);
            const Means o = own && !a ? means(r, own, half) : m;
            if (half && !a) percent(out, geometric ? o.geometric : o.arithmetic);
        }
        for (int a = 0; a < RM_ARCHS; a++) fprintf(out, " |");
        fprintf(out, "\n");
    }
}

static void acquires(FILE *out, const RmResults *r) {
    fprintf(out, "\n## Acquires\n\nGranted at once: of the acquires that got a section, at their first attempt; of attempts: granted "
            "ones of all, retries\nincluded (a warp tries again when a section came back). Held: of the resident warps' time.\n\n"
            "| kernel | at once, %% | paired | of attempts, %% | paired | held, %% | paired | half file: at once, %% | paired | "
            "of attempts, %% | paired | held, %% | paired |\n");
    rule(out, 13);
    for (int k = 0; k < r->n; k++) {
        const RmCell *cells[4] = {&r->full[RM_REGMUTEX].cells[k], &r->full[RM_PAIRED].cells[k],
                                  &r->half[RM_REGMUTEX].cells[k], &r->half[RM_PAIRED].cells[k]};
        bool any = false;
        for (int i = 0; i < 4; i++) any |= get(cells[i], CTR_ACQ_GRANTED) > 0;
        if (!any) continue;
        fprintf(out, "| %s |", r->names[k]);
        for (int i = 0; i < 4; i += 2) {
            for (int p = 0; p < 2; p++) plain(out, at_once(cells[i + p]), 1);
            for (int p = 0; p < 2; p++) plain(out, success(cells[i + p]), 1);
            for (int p = 0; p < 2; p++) {
                const RmCell *c = cells[i + p];
                plain(out, get(c, CTR_ACQ_GRANTED) > 0 ? 100 * ratio(get(c, CTR_SECTION_CYCLES), get(c, CTR_WARPS_RESIDENT)) : NAN, 1);
            }
        }
        fprintf(out, "\n");
    }
}

static void sizes(FILE *out, const RmResults *r) {
    fprintf(out, "\n## Size of the extended set\n\nCycles against the baseline, %%, whole file, each size forced (`regmutex.es`); in "
            "brackets resident warps and the share of\nacquires granted at once. -: the compiler finds no place with this size. "
            "Chosen: what the rule takes.\n\n| kernel |");
    for (int i = 0; i < RM_SIZES; i++) fprintf(out, " %d |", RM_FIRST_SIZE + 2 * i);
    fprintf(out, " chosen | best |\n");
    rule(out, RM_SIZES + 3);
    for (int k = 0; k < r->nsizes; k++) {
        const RmCell *base = &r->full[RM_BASELINE].cells[k];
        int best = -1;
        if (!r->split_full[k].limited) continue;
        fprintf(out, "| %s |", r->names[k]);
        for (int i = 0; i < RM_SIZES; i++) {
            const RmCell *c = &r->sizes[i].cells[k];
            if (!c->ran || !c->counters.v[CTR_ACQ_GRANTED]) {
                fprintf(out, " - |");
                continue;
            }
            fprintf(out, " %+.1f (%d, %.0f %%) |", change(c, base), c->warps, at_once(c));
            if (best < 0 || cycles(c) < cycles(&r->sizes[best].cells[k])) best = i;
        }
        fprintf(out, " %d (%+.1f) |", r->split_full[k].ext, change(&r->full[RM_REGMUTEX].cells[k], base));
        if (best < 0) fprintf(out, " - |\n");
        else fprintf(out, " %d |\n", RM_FIRST_SIZE + 2 * best);
    }
}

static void readings(FILE *out, const RmResults *r) {
    const struct { const char *title; const RmRun *run; } rows[] = {
        {"as built", &r->full[RM_REGMUTEX]},
        {"sizes rounded to the nearest even one (`regmutex.round=even`)", &r->even},
        {"no split, registers where arch_to_phys says (`regmutex.es=0`)", &r->mapped}};
    fprintf(out, "\n## Readings of the rule, and placement alone\n\nCycles against the baseline, %%, whole file.\n\n| |");
    for (int k = 0; k < r->nsizes; k++) fprintf(out, " %s |", r->names[k]);
    fprintf(out, " mean |\n");
    rule(out, r->nsizes + 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, "| %s |", rows[i].title);
        for (int k = 0; k < r->nsizes; k++) percent(out, change(&rows[i].run->cells[k], &r->full[RM_BASELINE].cells[k]));
        Means m = {0};
        for (int k = 0; k < r->nsizes; k++) m.arithmetic += change(&rows[i].run->cells[k], &r->full[RM_BASELINE].cells[k]);
        percent(out, m.arithmetic / r->nsizes);
        fprintf(out, "\n");
    }
}

static void shared_cell(FILE *out, const RmCell *c, const RmCell *base) {
    if (!c->ran || !get(c, CTR_SHARED_TAKEN)) fprintf(out, " - |");
    else fprintf(out, " %+.1f (%d) |", change(c, base), c->warps);
}

static void thresholds(FILE *out, const RmResults *r) {
    fprintf(out, "\n## OWF: how many registers are shared, and by whom\n\nCycles against the baseline, %%, whole file; in brackets resident "
            "warps. By threshold: registers from it on are shared\n(`owf.threshold`). Rule: RegMutex's |Bs|. Pairs kept: as many CTAs as the "
            "baseline has\nneed not wait (`owf.pairs=kept`); all: every CTA has a partner (`owf.pairs=all`). -: no CTA more fits, "
            "or no register is shared.\n\n| kernel |");
    for (int i = 0; i < RM_THRESHOLDS; i++) fprintf(out, " %d |", RM_FIRST_THRESHOLD + RM_THRESHOLD_STEP * i);
    fprintf(out, " rule | rule, pairs kept | rule, all |\n");
    rule(out, RM_THRESHOLDS + 4);
    for (int k = 0; k < r->nsizes; k++) {
        const RmCell *base = &r->full[RM_BASELINE].cells[k];
        if (!r->split_full[k].limited) continue;
        fprintf(out, "| %s |", r->names[k]);
        for (int i = 0; i < RM_THRESHOLDS; i++) shared_cell(out, &r->thresholds[i].cells[k], base);
        shared_cell(out, &r->full[RM_OWF].cells[k], base);
        shared_cell(out, &r->kept.cells[k], base);
        shared_cell(out, &r->all.cells[k], base);
        fprintf(out, "\n");
    }
}

// What the schedulers' cycles were spent on, for the causes.
static void schedulers(FILE *out, const RmResults *r) {
    static const CounterId classes[] = {CTR_ISSUED, CTR_STALL_RAW_LONG, CTR_STALL_RAW_SHORT, CTR_STALL_MEMORY, CTR_STALL_SP,
                                        CTR_STALL_BARRIER, CTR_STALL_SECTION, CTR_STALL_ROW};
    enum { CLASSES = sizeof classes / sizeof *classes };
    fprintf(out, "\n## Where the schedulers' cycles go\n\nPer cent of them, whole file; what is not shown is below. Loads that miss L1: "
            "of the lines loaded.\n\n| kernel | |");
    for (int i = 0; i < CLASSES; i++) fprintf(out, " %s |", counter_info[classes[i]].name);
    fprintf(out, " loads that miss L1 |\n");
    fprintf(out, "|---|---|");
    for (int i = 0; i <= CLASSES; i++) fprintf(out, "--:|");
    fprintf(out, "\n");
    for (int k = 0; k < r->nfull; k++)
        for (int a = 0; a < RM_ARCHS; a++) {
            const RmCell *c = &r->full[a].cells[k];
            if (!c->ran) continue;
            fprintf(out, "| %s | %s |", a ? "" : r->names[k], rm_arch[a]);
            for (int i = 0; i < CLASSES; i++) plain(out, 100 * ratio(get(c, classes[i]), cycles(c) * r->schedulers), 1);
            const double loads = get(c, CTR_L1_HITS) + get(c, CTR_L1_MERGES) + get(c, CTR_L1_MISSES);
            plain(out, 100 * ratio(get(c, CTR_L1_MISSES), loads), 1);
            fprintf(out, "\n");
        }
}

static void storage(FILE *out, const RmResults *r) {
    const int warps = r->warps, srp = warps + warps + 6 * warps, table = warps * 63 * 10;
    fprintf(out, "\n## Storage\n\nBits by the paper's rules for %d warps, and flip-flops and memory bits of our blocks as "
            "synthesised for machine fermi (`bench/area`).\n\n| | the paper | by its rule | ours |\n|---|--:|--:|---|\n", warps);
    const char *ours[8];
    static char text[8][96];
    for (int i = 0; i < r->nstorage; i++) {
        snprintf(text[i], sizeof text[i], "`%s` %d flip-flops, %d bits of memory", r->storage[i].name, r->storage[i].flops,
                 r->storage[i].bits);
        ours[i] = text[i];
    }
    fprintf(out, "| RegMutex: status, bitmask, look-up table | 384 | %d | %s; 22 more for the split, loaded with a kernel |\n", srp, ours[0]);
    fprintf(out, "| paired: busy bits | 24 | %d | the same block; one bit per pair does not say which warp holds: %d |\n", warps / 2, warps);
    fprintf(out, "| OWF: locks, owners | | | %s |\n", ours[1]);
    fprintf(out, "| RFV: renaming, availability | 31264 | %d | %s; %s |\n", table + 1024, ours[2], ours[3]);
    fprintf(out, "| RFV: who may take registers (not in the paper) | | | %s |\n", ours[4]);
    fprintf(out, "| RFV to RegMutex | 81.4 | %.1f | |\n", (table + 1024.0) / srp);
}

// The paper's means, over the kernels that registers limit.
static const struct Beside { const char *figure, *what, *paper; RmArch arch; bool half; } rows[] = {
    {"4.7, 4.9a", "whole file: RegMutex", "-13 (-12.8)", RM_REGMUTEX, false},
    {"4.12a", "paired", "-8", RM_PAIRED, false},
    {"4.9a", "OWF", "-1.9", RM_OWF, false},
    {"4.9a", "RFV", "-16.2", RM_RFV, false},
    {"4.8, 4.9b", "half file: none", "+23 (+22.9)", RM_BASELINE, true},
    {"4.8, 4.9b", "RegMutex", "+9 (+10.8)", RM_REGMUTEX, true},
    {"4.12b", "paired", "+17", RM_PAIRED, true},
    {"4.9b", "OWF", "+20.6", RM_OWF, true},
    {"4.9b", "RFV", "+5.9", RM_RFV, true},
};
enum { NROWS = sizeof rows / sizeof *rows };

static void beside(FILE *out, const RmResults *r) {
    fprintf(out, "\n## Beside the paper\n\nCycles against the baseline with the whole file, %%: arithmetic mean over the kernels that "
            "registers limit, geometric beside.\n\n| figure | what | paper | ours | geometric | kernels |\n|---|---|--:|--:|--:|--:|\n");
    for (int i = 0; i < NROWS; i++) {
        const struct Beside *b = &rows[i];
        const Means m = means(r, b->half ? &r->half[b->arch] : &r->full[b->arch], b->half);
        fprintf(out, "| %s | %s | %s |", b->figure, b->what, b->paper);
        percent(out, m.arithmetic);
        percent(out, m.geometric);
        fprintf(out, " %d |\n", m.n);
    }
}

static void draw(const RmResults *r, const char *id, const char *title, bool half) {
    const char *names[RM_KERNELS];
    int kernels[RM_KERNELS], n = 0;
    ReproDrawing d;
    for (int k = 0; k < r->n; k++)
        if (counts(r, k, half)) names[n] = r->names[k], kernels[n++] = k;
    repro_drawing(&d, id, title, "kernels that registers limit", n, names);
    for (int i = 0; i < NROWS; i++) {
        const struct Beside *b = &rows[i];
        const RmRun *run = b->half ? &r->half[b->arch] : &r->full[b->arch];
        if (b->half != half) continue;
        double *values = repro_series(&d, rm_arch[b->arch], rm_arch[b->arch]);
        for (int k = 0; k < n; k++) values[k] = change(&run->cells[kernels[k]], &r->full[RM_BASELINE].cells[kernels[k]]);
        repro_mean(&d, 0, means(r, run, half).arithmetic, strtod(b->paper, NULL));
    }
    repro_draw(&d, r->options->figures);
}

void rm_draw(const RmResults *r) {
    draw(r, "4.9a", "Cycles against the baseline, whole register file", false);
    draw(r, "4.9b", "Cycles against the baseline with the whole file, half of the register file", true);
}

// ---- the document ----

void rm_write(FILE *out, const RmResults *r) {
    const RmOptions *o = r->options;
    fprintf(out,
            "# RegMutex, paired warps, OWF and register virtualisation: our figures beside the thesis'\n\n"
            "Written by `smcosim repro regmutex`; the findings at the end are written by hand (`regmutex.findings.md`). Source of the "
            "paper's\nfigures: H. Asghari Esfeden, thesis, chapter 4. Ours: kernels of `bench/kernels` as nvcc compiled them, size "
            "%s, machine `%s`\n(whole register file %d KB; half: `rf.entries=%d` with registers allocated for the whole one, so "
            "the same program), golden models,\nevery run with its results checked. The paper gives RFV neither an admission nor a "
            "rule of who may take registers: ours is in\n`models/rename/rfv_throttle.h`. A kernel is limited where fewer registers would "
            "let more warps in. -: the build lacks the\narchitecture, or there is nothing to count.\n", o->size, o->machine,
            r->banks * r->entries / 8, r->entries / 2);
    beside(out, r);
    fprintf(out, "\n## Kernels\n\nR: registers of a thread. In use at most: by a warp, as the compiler counts it. Mean in use: "
            "registers with a value per resident warp,\nas RFV frees them. Sections: with base registers of all resident warps "
            "taken away. acq, rel, mov: in the program; acquires, moves:\nexecuted. Of launch files with several kernels the one "
            "that takes most cycles.\n");
    splits(out, r, "Whole file", r->split_full, r->full, r->nfull);
    splits(out, r, "Half file", r->split_half, r->half, r->n);
    fprintf(out, "\n## Whole file\n\nCycles against the baseline, %%, and the mean number of resident warps.\n");
    times(out, r, r->full, NULL, false, &r->full[RM_BASELINE]);
    fprintf(out, "\n## Half file\n\nCycles against the baseline with the whole file, %%. Its own program: registers allocated for the "
            "half file, where the compiler\ntakes fewer if that lets a CTA more in.\n");
    times(out, r, r->half, &r->own, true, &r->full[RM_BASELINE]);
    acquires(out, r);
    sizes(out, r);
    readings(out, r);
    thresholds(out, r);
    schedulers(out, r);
    storage(out, r);
    repro_include(out, o->findings);
}
