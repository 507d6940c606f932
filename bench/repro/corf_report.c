// SPDX-License-Identifier: Apache-2.0
// The document: tables from the runs, then the findings, which are written by hand.
#include "corf.h"

#include <math.h>
#include <string.h>

static void number(FILE *out, double v, int digits) {
    if (isnan(v))
        fputs(" - |", out);
    else
        fprintf(out, " %.*f |", digits, v);
}

static void rule(FILE *out, int text, int numbers) {
    fputc('|', out);
    for (int i = 0; i < text; i++) fputs("---|", out);
    for (int i = 0; i < numbers; i++) fputs("--:|", out);
    fputc('\n', out);
}

// ---- figures -------------------------------------------------------------------------------------

static void figure_row(FILE *out, const CorfFigure *f, CorfResults *const *configs, const CorfResults *mix) {
    int arch = corf_arch(configs[0], f->arch), digits = f->id[0] == 'T' ? 2 : 1;
    if (arch < 0) repro_die(1, "figure %s: no architecture %s among the runs", f->id, f->arch);
    fprintf(out, "| %s | %s | %s |", f->id, f->what, f->arch);
    number(out, f->paper, digits);
    number(out, corf_mean(mix, arch, f->measure, f->mean, CORF_ALL), digits);
    for (int which = 0; which < 2; which++)
        number(out, corf_mean(configs[0], arch, f->measure, f->mean, which ? CORF_MIX : CORF_ALL), digits);
    number(out, f->paper_int, digits);
    number(out, corf_mean(configs[0], arch, f->measure, f->mean, CORF_INT), digits);
    number(out, f->paper_float, digits);
    number(out, corf_mean(configs[0], arch, f->measure, f->mean, CORF_FLOAT), digits);
    for (int c = 1; c < corf_nconfigs; c++) {
        number(out, corf_mean(configs[c], arch, f->measure, f->mean, CORF_ALL), digits);
        number(out, corf_mean(configs[c], arch, f->measure, f->mean, CORF_MIX), digits);
    }
    fputc('\n', out);
}

static void figures(FILE *out, CorfResults *const *configs) {
    const CorfResults *mix = corf_subset(configs[0], corf_experiment_kernels, true);
    fprintf(out,
            "## Figures and Table 2.1\n\n%s. Twenty: the kernels of the experiments, of the paper's suites' kinds "
            "and in its mix\n"
            "(%d of them are among these runs). Last columns: the same with other settings.\n\n",
            corf_configs[0].label, mix->nkernels);
    fputs("| figure | what | architecture | paper | twenty | all | 15:5 | int, paper | int | float, paper | float |",
          out);
    for (int c = 1; c < corf_nconfigs; c++) fprintf(out, " %s, all | 15:5 |", corf_configs[c].label);
    fputc('\n', out);
    rule(out, 3, 8 + 2 * (corf_nconfigs - 1));
    for (int i = 0; i < corf_nfigures; i++) figure_row(out, &corf_figures[i], configs, mix);
}

// ---- kernels -------------------------------------------------------------------------------------

typedef struct Column {
    const char *title, *arch;
    CorfMeasure *measure;
    int digits;
} Column;
static const Column columns[] = {
    {"IPC", "baseline", corf_ipc, 2},
    {"access / bank, cycle", "baseline", corf_utilisation, 2},
    {"1 byte %", "baseline", corf_width1, 0},
    {"4 bytes %", "baseline", corf_width4, 0},
    {"could %", "baseline", corf_could, 0},
    {"packing IPC", "packing", corf_ipc_ratio, 3},
    {"corf:rfv IPC", "corf:rfv", corf_ipc_ratio, 3},
    {"corf++:rfv IPC", "corf++:rfv", corf_ipc_ratio, 3},
    {"corf++:rfv coalesced %", "corf++:rfv", corf_coalesced, 0},
    {"corf++:rfv reads", "corf++:rfv", corf_read_ratio, 2},
    {"packing growth %", "packing", corf_growth, 1},
    {"packing:rfv growth %", "packing:rfv", corf_growth, 1},
};
enum { NCOLUMNS = sizeof columns / sizeof *columns };

static void kernels(FILE *out, const CorfResults *r) {
    int floats = 0;
    for (int k = 0; k < r->nkernels; k++) floats += r->is_float[k];
    fprintf(
        out,
        "\n## Kernel by kernel\n\n%s. %d kernels count as integer, %d as float (at least 15 %% float instructions).\n"
        "IPC and reads of architectures: ratio to the baseline.\n\n| kernel | class |",
        corf_configs[0].label, r->nkernels - floats, floats);
    for (int i = 0; i < NCOLUMNS; i++) fprintf(out, " %s |", columns[i].title);
    fputc('\n', out);
    rule(out, 2, NCOLUMNS);
    for (int k = 0; k < r->nkernels; k++) {
        fprintf(out, "| %s | %s |", r->kernels[k], r->is_float[k] ? "float" : "int");
        for (int i = 0; i < NCOLUMNS; i++) {
            const CorfCell *cell = corf_cell(r, k, corf_arch(r, columns[i].arch));
            number(out, columns[i].measure(r, cell, corf_cell(r, k, 0)), columns[i].digits);
        }
        fputc('\n', out);
    }
}

// ---- experiments ---------------------------------------------------------------------------------

static bool is_stall(int counter) { return !strcmp(counter_info[counter].group, "stall"); }

static void point_rows(FILE *out, const CorfExperiment *e, const CorfPoint *p, const CorfResults *r) {
    for (int a = 0; a < r->narchs; a++) {
        fprintf(out, "| %s | %s |", a ? "" : p->label, r->archs[a]);
        for (int c = 0; c < corf_ncolumns; c++) {
            const CorfColumn *col = &corf_columns[c];
            number(out, corf_mean(r, a, col->measure, col->mean, col->which), col->digits);
        }
        for (int i = 0; i < CTR_COUNT; i++)
            if (is_stall(i)) number(out, corf_scheduler(r, a, (CounterId)i), 0);
        for (int c = 0; corf_extra_columns[c].title; c++) {
            const CorfColumn *col = &corf_extra_columns[c];
            if (e->extra >> c & 1) number(out, corf_mean(r, a, col->measure, col->mean, col->which), col->digits);
        }
        fputc('\n', out);
    }
}

static void head(FILE *out, const CorfExperiment *e) {
    int extra = 0;
    fputs("| point | architecture |", out);
    for (int c = 0; c < corf_ncolumns; c++) fprintf(out, " %s |", corf_columns[c].title);
    for (int i = 0; i < CTR_COUNT; i++) {
        if (!is_stall(i)) continue;
        extra++;
        fputc(' ', out);
        for (const char *c = counter_info[i].name; *c; c++) fputc(*c == '_' ? ' ' : *c, out);
        fputs(" |", out);
    }
    for (int c = 0; corf_extra_columns[c].title; c++)
        if (e->extra >> c & 1) extra++, fprintf(out, " %s |", corf_extra_columns[c].title);
    fputc('\n', out);
    rule(out, 2, corf_ncolumns + extra);
}

static void experiment(FILE *out, CorfOptions *o, const CorfExperiment *e, const char *standard) {
    bool begun = false;
    fprintf(out, "\n### %d. %s\n\nExpected if it is the cause: %s.\n\n", e->number, e->title, e->expect);
    for (int i = 0; i < CORF_POINTS && e->points[i].label; i++) {
        const CorfPoint *p = &e->points[i];
        if (corf_unknown_key(p->sets)) continue;
        if (!begun) head(out, e);
        begun = true;
        point_rows(out, e, p, corf_run(o, e->kernels ? e->kernels : standard, e->archs, p));
    }
    if (e->missing) fprintf(out, "%sNot measured: %s.\n", begun ? "\n" : "", e->missing);
    for (int i = 0; i < CORF_POINTS && e->points[i].label; i++)
        if (corf_unknown_key(e->points[i].sets))
            fprintf(out, "\nNot measured: \"%s\", because this build has no key `%s`.\n", e->points[i].label,
                    corf_unknown_key(e->points[i].sets));
}

static void experiments(FILE *out, CorfOptions *o, const char *standard) {
    fprintf(out,
            "\n## Experiments\n\nOne thing varied at a time, else as the paper. Kernels: %s. IPC is the harmonic "
            "mean, gains are to the\n"
            "baseline of the same point; growth: %% of writes; RT refused: %% of lookups; `issued` to `no "
            "instruction left`: %% of the schedulers' cycles.\n",
            standard);
    for (int i = 0; i < corf_nexperiments; i++)
        if (corf_wanted(o, corf_experiments[i].number)) experiment(out, o, &corf_experiments[i], standard);
}

// ---- one figure ----------------------------------------------------------------------------------

static void one_figure(FILE *out, CorfOptions *o) {
    const CorfPoint point = {.label = corf_configs[0].label, .sets = corf_configs[0].sets};
    const CorfResults *r = corf_run(o, o->kernels, corf_archs_of(o), &point);
    fprintf(out, "# Figure %s beside the thesis'\n\n%s; size %s, machine `%s` with `%s`.\n\n", o->figure, corf_configs[0].label, o->size, o->machine,
            corf_base_sets);
    fputs("| what | architecture | paper | ours |", out);
    for (int k = 0; k < r->nkernels; k++) fprintf(out, " %s |", r->kernels[k]);
    fputc('\n', out);
    rule(out, 2, 2 + r->nkernels);
    const char *what = "";
    for (int i = 0; i < corf_nfigures; i++) {
        const CorfFigure *f = &corf_figures[i];
        if (strcmp(f->id, o->figure) != 0) continue;
        const int arch = corf_arch(r, f->arch), digits = f->id[0] == 'T' ? 2 : 1;
        if (*f->what) what = f->what;
        fprintf(out, "| %s | %s |", what, f->arch);
        number(out, f->paper, digits);
        number(out, corf_mean(r, arch, f->measure, f->mean, CORF_ALL), digits);
        for (int k = 0; k < r->nkernels; k++) number(out, f->measure(r, corf_cell(r, k, arch), corf_cell(r, k, 0)), digits);
        fputc('\n', out);
    }
}

// ---- the document --------------------------------------------------------------------------------

void corf_write(FILE *out, CorfOptions *o) {
    CorfResults *configs[8];
    const bool own = o->kernels == corf_kernels;
    if (o->figure) {
        one_figure(out, o);
        return;
    }
    for (int c = 0; c < corf_nconfigs; c++) {
        CorfPoint point = {.label = corf_configs[c].label, .sets = corf_configs[c].sets};
        configs[c] = corf_run(o, o->kernels, corf_figure_archs, &point);
    }
    fprintf(
        out,
        "# CORF, CORF++, register packing and virtualisation: our figures beside the thesis'\n\n"
        "Written by `smcosim repro corf`; the findings at the end are written by hand (`corf.findings.md`). Source of "
        "the paper's\n"
        "figures: H. Asghari Esfeden, thesis, chapter 2 (figures 2.2 to 2.19, Table 2.1). Ours: %d kernels of "
        "`bench/kernels` as\n"
        "nvcc compiled them, size %s, machine `%s` with `%s`, golden models, every run with its results checked.\n"
        "The paper evaluates CORF and CORF++ with register virtualisation: `corf:rfv`, `corf++:rfv` are to be "
        "compared. 15:5: integer and\n"
        "float kernels weighted as in the paper's mix. Means are arithmetic, of IPC harmonic.\n\n",
        configs[0]->nkernels, o->size, o->machine, corf_base_sets);
    figures(out, configs);
    kernels(out, configs[0]);
    experiments(out, o, own ? corf_experiment_kernels : o->kernels);
    repro_include(out, o->findings);
}
