// SPDX-License-Identifier: Apache-2.0
// The command that writes corf.md: our figures of CORF beside the thesis'.
//   corf.c             options, runs of smcosim, what they gave
//   corf_measures.c    numbers of one kernel from its counters, and their means
//   corf_plan.c        which figures, which experiments
//   corf_report.c      the document
//   corf_draw.c        the figures as drawings
#ifndef SMCOSIM_BENCH_REPRO_CORF_H
#define SMCOSIM_BENCH_REPRO_CORF_H

#include "common.h"

enum { CORF_KERNELS = 100, CORF_ARCHS = 12, CORF_POINTS = 8 };

// ---- results of one point: all kernels on all its architectures; the first is the baseline ----

typedef struct CorfCell {
    Counters counters;
    int insts;   // static, of all kernels of the launch file
    double code; // growth of static code in per cent; NaN: not reported
} CorfCell;

typedef struct CorfResults {
    int nkernels, narchs, banks, rows, schedulers; // rows: of the register file, all banks
    char *kernels[CORF_KERNELS], *archs[CORF_ARCHS];
    bool is_float[CORF_KERNELS];
    CorfCell *cells; // [kernel * narchs + arch]
} CorfResults;

static inline const CorfCell *corf_cell(const CorfResults *r, int kernel, int arch) {
    return &r->cells[kernel * r->narchs + arch];
}
int corf_arch(const CorfResults *r, const char *name); // -1: not there

// ---- measures ----

typedef double CorfMeasure(const CorfResults *r, const CorfCell *now, const CorfCell *base);
typedef enum CorfMean {
    CORF_ARITHMETIC,
    CORF_HARMONIC_GAIN, // of 1 + value / 100, as the paper averages IPC; back in per cent
    CORF_HARMONIC
} CorfMean;
typedef enum CorfClass { CORF_ALL, CORF_INT, CORF_FLOAT, CORF_MIX, CORF_CLASSES } CorfClass;

CorfMeasure corf_width1, corf_width2, corf_width3, corf_width4, corf_unused, corf_could,
    corf_multi_insts, corf_multi_reads, corf_coalesced, corf_coalesced_of_fit, corf_pairs,
    corf_pairs_once, corf_accesses, corf_reads, corf_ipc_gain, corf_ipc, corf_allocated,
    corf_dynamic, corf_leakage, corf_code, corf_growth, corf_first, corf_shrink, corf_growth_life,
    corf_utilisation, corf_refused, corf_fill, corf_ipc_ratio, corf_read_ratio, corf_energy_ratio,
    corf_size_ratio, corf_updates, corf_conflicts, corf_to_packing, corf_bound;

// Share of the schedulers' cycles; of kernels' means. Counters of the group "stall".
double corf_scheduler(const CorfResults *r, int arch, CounterId id);

// Over the kernels of a class for which the measure is defined; CORF_MIX weighs integer and float
// kernels 15 to 5. NaN where there are none.
double corf_mean(const CorfResults *r, int arch, CorfMeasure *measure, CorfMean kind,
                 CorfClass which);

// ---- the plan ----

typedef struct CorfFigure {
    const char *id, *what, *arch;
    CorfMeasure *measure;
    CorfMean mean;
    double paper, paper_int, paper_float; // NaN: the paper gives none
} CorfFigure;
extern const CorfFigure corf_figures[];
extern const int corf_nfigures;

typedef struct CorfColumn {
    const char *title;
    CorfMeasure *measure;
    CorfMean mean;
    CorfClass which;
    int digits;
} CorfColumn;
extern const CorfColumn corf_columns[], corf_extra_columns[];
extern const int corf_ncolumns;

typedef struct CorfPoint {
    const char *label;
    const char *sets;    // "key=value key=value", beyond the base settings
    const char *machine; // NULL: that of the command
    int loops;           // 0: the launches as they are; n: their loops run 1/n of the iterations
    const char *without; // kernels left out, between blanks
} CorfPoint;
typedef struct CorfExperiment {
    int number;
    const char *title, *expect; // what the paper's argument expects
    const char *archs;          // of which the first is the baseline
    const char *kernels;        // NULL: those of the command
    unsigned extra;             // bit n: corf_extra_columns[n]
    const char *missing;        // what of it cannot be measured and why, or NULL
    CorfPoint points[CORF_POINTS];
} CorfExperiment;
extern const CorfExperiment corf_experiments[];
extern const int corf_nexperiments;

// The configurations whose figures are reported; the first is the paper's.
typedef struct CorfConfig {
    const char *label, *sets;
} CorfConfig;
extern const CorfConfig corf_configs[];
extern const int corf_nconfigs;
extern const char corf_base_sets[], corf_figure_archs[], corf_kernels[], corf_experiment_kernels[];

// ---- runs and report ----

typedef struct CorfOptions {
    const char *data, *size, *machine, *kernels, *experiments, *output, *figures, *findings, *figure;
} CorfOptions;

// The kernels (blanks between them) of `point` on `archs`. Ends the program when a run fails.
CorfResults *corf_run(CorfOptions *o, const char *kernels, const char *archs, const CorfPoint *point);
// The kernels that are, or are not, among `names`.
CorfResults *corf_subset(const CorfResults *all, const char *names, bool named);
// The first key of `sets` that this build's machines do not have, or NULL.
const char *corf_unknown_key(const char *sets);
const char *corf_archs_of(const CorfOptions *o); // of the figures, or of the one that is wanted
bool corf_wanted(const CorfOptions *o, int experiment);
void corf_write(FILE *out, CorfOptions *o);
// A drawing per figure: its architectures, kernel by kernel, the means and the paper's.
void corf_draw(CorfOptions *o);

#endif
