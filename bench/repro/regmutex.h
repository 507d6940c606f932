// SPDX-License-Identifier: Apache-2.0
// The command that writes regmutex.md: our figures of RegMutex beside the thesis'.
//   regmutex.c          options, runs of smcosim, what they gave
//   regmutex_report.c   the document and its drawings
#ifndef SMCOSIM_BENCH_REPRO_REGMUTEX_H
#define SMCOSIM_BENCH_REPRO_REGMUTEX_H

#include "common.h"

enum { RM_KERNELS = 40, RM_SIZES = 9, RM_FIRST_SIZE = 2, RM_THRESHOLDS = 6, RM_FIRST_THRESHOLD = 12, RM_THRESHOLD_STEP = 4 };

typedef enum RmArch { RM_BASELINE, RM_OWF, RM_RFV, RM_REGMUTEX, RM_PAIRED, RM_ARCHS } RmArch;
extern const char *const rm_arch[RM_ARCHS];

// One launch file in one run. Of several kernels what is not a counter is of the one that takes most cycles.
typedef struct RmCell {
    bool ran;               // it fits the machine
    Counters counters;
    char kernel[64];
    int threads;            // of a CTA
    int regs, warps;        // registers of a thread; warps that are resident at once
    char limit[24];         // what limits these
} RmCell;

// All launch files with one architecture and one set of keys.
typedef struct RmRun {
    const char *arch, *machine;
    char sets[160];         // "key=value key=value"
    int n;                  // kernels; 0: this build lacks the architecture
    RmCell cells[RM_KERNELS];
} RmRun;

// How the compiler splits the registers of the kernel of a launch file that takes most cycles (compile --dump hints).
typedef struct RmSplit {
    bool limited;           // fewer registers would let more warps in
    int most;               // registers in use at once by a warp
    int base, ext;          // 0: not split
    int warps, sections;    // resident warps with base registers alone, and what is left for extended ones
    int acq, rel, mov;      // instructions put in
} RmSplit;

typedef struct RmOptions { const char *data, *size, *machine, *output, *figures, *findings, *area; } RmOptions;

typedef struct RmResults {
    const RmOptions *options;
    int n, nfull, nsizes;               // kernels; that registers limit in the whole file; with which sizes are tried
    const char *names[RM_KERNELS];
    int banks, entries, warps, schedulers;
    RmRun full[RM_ARCHS], half[RM_ARCHS];
    RmRun own;                          // baseline, half file, registers allocated for it
    RmRun sizes[RM_SIZES];              // regmutex.es = 2, 4, ..
    RmRun mapped, even;                 // regmutex.es=0; regmutex.round=even
    RmRun thresholds[RM_THRESHOLDS];    // owf.threshold = 12, 16, ..
    RmRun kept, all;                    // owf.pairs=kept; owf.pairs=all
    RmSplit split_full[RM_KERNELS], split_half[RM_KERNELS];
    struct { const char *name; int flops, bits; } storage[8];
    int nstorage;
} RmResults;

void rm_write(FILE *out, const RmResults *r);
// Cycles and resident warps against the baseline, kernel by kernel, with the whole and half of the register file.
void rm_draw(const RmResults *r);

#endif
