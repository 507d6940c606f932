// SPDX-License-Identifier: Apache-2.0
// Shared by the files of smcosim sweep.
//   cmd_sweep.c          options, the grid, its runs
//   sweep_report.c   table, CSV, JSON, page
#ifndef SMCOSIM_CLI_SWEEP_H
#define SMCOSIM_CLI_SWEEP_H

#include "cli/arch_columns.h"
#include "session/session.h"

enum { SWEEP_MAX_VALUES = 64, SWEEP_MAX_AXES = 6, SWEEP_MAX_POINTS = 4096, SWEEP_MAX_BLOCKS = 32 };

// A key with its values.
typedef struct SweepAxis {
    const char *key, *values[SWEEP_MAX_VALUES];
    int n;
} SweepAxis;

// The result of one kernel on one architecture at one point.
typedef struct SweepCell {
    // passed: all its runs; checked: the kernels' results were compared
    bool passed, checked;
    const char *verdict, *message;      // of the first run that did not pass
    Counters *runs;                     // of each run
    double cycles, ipc, reads, writes;  // means over runs; reads, writes: of banks, per instruction
    // over its runs; ratio: of IPC to the first architecture at the first point, in pairs of runs
    Interval over_cycles, over_ipc, ratio, metric;
    int warps;  // resident at once, of the kernel that took most cycles
    const char *limited_by;
    bool uses[SWEEP_MAX_BLOCKS];  // blocks of --synth
} SweepCell;

typedef struct SweepBlock {
    double area, fmax;
    bool known;
} SweepBlock;  // fmax in MHz; 0: no path

// One architecture at one point, over all kernels.
typedef struct SweepSum {
    double ipc;  // harmonic mean; NaN when a kernel did not pass
    // the geometric mean of the kernels' ratios, with the interval over kernels and over runs
    Interval ratio, ratio_over_runs;
    // sum over the blocks of --synth that the architecture uses; NaN: not requested
    double area, fmax;
    bool front;  // no other sum has at least as much IPC with at most as much area
} SweepSum;

typedef struct Sweep {
    const char *version, *command, *machine;
    SweepAxis axes[SWEEP_MAX_AXES];
    int naxes;
    ArchColumn columns[COMPARE_MAX_ARCHS];
    const char *archs[COMPARE_MAX_ARCHS], *const *kernels;  // archs: the columns' labels
    int narchs, nkernels, npoints;
    int nruns;             // of each cell: 1, or those of --spread, perturbed but the first
    const Metric *metric;  // --metric; NULL: none
    const char *blocks[SWEEP_MAX_BLOCKS];
    int nblocks;
    // --synth ARCH=BLOCK: counts for this architecture
    bool given[SWEEP_MAX_BLOCKS][COMPARE_MAX_ARCHS];
    // --synth BLOCK: counts if a run lists it among its blocks
    bool by_use[SWEEP_MAX_BLOCKS];
    const char **notes;  // other sizes that a key also changes, ..
    int nnotes;
    const MachineConfig *cfg;  // [point * narchs + arch]
    SweepCell *cells;          // [(point * nkernels + kernel) * narchs + arch]
    SweepBlock *areas;         // [point * nblocks + block]
    SweepSum *sums;            // [point * narchs + arch]
    int best;                  // index of the axis of --best; -1: not requested
} Sweep;

static inline SweepCell *sweep_cell(const Sweep *s, int point, int kernel, int arch) {
    return &s->cells[(point * s->nkernels + kernel) * s->narchs + arch];
}
// The value of an axis at a point; the last axis changes fastest.
const char *sweep_value(const Sweep *s, int point, int axis);

// True at a point with the first value of the axis `best`, where a new combination of the other
// axes begins.
static inline bool sweep_begins(const Sweep *s, int point) {
    return sweep_value(s, point, s->best) == s->axes[s->best].values[0];
}
// Of the points that differ from `point` only in the value of `best`: the point with the fewest
// cycles of the first architecture. Of equal points the last one. -1: the kernel passes at none.
int sweep_best(const Sweep *s, int point, int kernel);

void sweep_table(FILE *out, const Sweep *s);
bool sweep_csv(const char *path, const Sweep *s, Diag *d);
bool sweep_json(const char *path, const Sweep *s, Diag *d);
bool sweep_html(const char *path, const Sweep *s, Diag *d);
bool sweep_figures(const char *dir, const Sweep *s, Diag *d);

#endif
