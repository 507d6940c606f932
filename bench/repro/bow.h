// SPDX-License-Identifier: Apache-2.0
// The command that writes bow.md: our figures of BOW beside the thesis'.
//   bow.c            options, runs of smcosim, what they gave
//   bow_measures.c   numbers of one kernel from its counters, and their means
//   bow_report.c     the document and its drawings
#ifndef SMCOSIM_BENCH_REPRO_BOW_H
#define SMCOSIM_BENCH_REPRO_BOW_H

#include "common.h"

enum { BOW_KERNELS = 18, BOW_PAPER = 15, BOW_FITS = 8, BOW_ARCHS = 8, BOW_LEAST = 2, BOW_MOST = 7, BOW_SIZES = 4, BOW_VARIED = 7 };

// Of the paper's kinds, then others; means are over the first BOW_PAPER.
extern const char *const bow_kernels[BOW_KERNELS];
extern const char *const bow_fits[BOW_FITS]; // that run on smaller register files

// All kernels on some architectures with one set of keys.
typedef struct BowRun {
    const char *label, *sets;
    int narchs;
    char *archs[BOW_ARCHS];
    Counters cells[BOW_KERNELS][BOW_ARCHS];
} BowRun;

// What one kernel is given on a register file of some size; of several kernels the one that takes most cycles.
typedef struct BowFit {
    int regs, warps;
    char limit[24];
    Counters counters;
} BowFit;

typedef struct BowSize {
    int entries, kbytes;
    BowFit baseline[BOW_FITS], bow[BOW_FITS], bow_wr[BOW_FITS];
} BowSize;

typedef struct BowOptions {
    const char *data, *size, *fit_size, *large_size, *machine, *output, *figures, *findings, *storage, *sweep;
} BowOptions;

typedef struct BowResults {
    const BowOptions *options;
    int banks, entries, warps, schedulers, window;
    BowRun main, source, narrow, both;  // as it is; text order; 32-bit addresses; both
    BowRun windows[BOW_MOST + 1];       // [IW]; that of the machine is main
    BowRun varied[BOW_VARIED];          // one thing changed
    BowRun collectors;                  // the baseline alone, with fewer
    BowSize sizes[BOW_SIZES];
    BowSize large[2];                   // the whole file, kernels of another size: as it is, text order
} BowResults;

int bow_arch(const BowRun *run, const char *name); // ends the program where it is not there
const Counters *bow_cell(const BowRun *run, int kernel, const char *arch);

// ---- measures: in per cent unless said; NaN where there is nothing ----

typedef double BowMeasure(const BowResults *r, const Counters *now, const Counters *base);
BowMeasure bow_ipc, bow_ipc_gain, bow_forwarded, bow_held, bow_again, bow_kept, bow_reads_saved, bow_writes_saved, bow_alu, bow_ldst, bow_alu_share, bow_ldst_share,
    bow_alu_fall, bow_ldst_fall, bow_dynamic_fall, bow_dynamic_added, bow_leakage_added, bow_half_leakage_added, bow_fuller, bow_rows_mean, bow_rows_most,
    bow_reserved, bow_held_rows, bow_cached, bow_written_back, bow_cache_dead, bow_bank_use;
double bow_listened(const Counters *c, int window, bool writes); // of the reuse listener
double bow_bits(const Counters *c, int bits);
double bow_sources(const Counters *c, int n); // share of instructions
double bow_scheduler(const BowResults *r, const Counters *c, CounterId id);

// Over the paper's kinds of kernels for which it is defined; gains of IPC by the harmonic mean of the ratios.
double bow_mean(const BowResults *r, const BowRun *run, const char *arch, BowMeasure *measure);
// The same against another architecture than the baseline.
double bow_mean_to(const BowResults *r, const BowRun *run, const char *arch, const char *base, BowMeasure *measure);
double bow_mean_of(const double *values);
double bow_gain_mean(const double *gains);

void bow_write(FILE *out, const BowResults *r);
// A drawing per figure: its architectures, kernel by kernel, the means and the paper's.
void bow_draw(const BowResults *r);

#endif
