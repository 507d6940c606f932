// SPDX-License-Identifier: Apache-2.0
// Runs one PTX text with the entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8
// blob[64]) on the oracle, or compiled on the SM with the register file blocks as golden models.
#ifndef SMCOSIM_TESTS_OPS_BENCH_H
#define SMCOSIM_TESTS_OPS_BENCH_H

#include "compile/compile.h"
#include "cosim/cosim.h"
#include "oracle/oracle.h"
#include "sm/sm.h"
#include "tests/gpu/pack.h"

enum { BENCH_BLOB = 64, BENCH_THREADS = 128 };  // threads per CTA

typedef struct Bench {
    bool on_sm;
    int turn;  // of the oracle, see OracleRun
    // the programs race nowhere and read nothing unset: the oracle must agree
    bool well_defined;
    MachineConfig cfg;
    Arena machine;  // configuration, machine
    Arch *arch;     // the baseline
    Arena memory;
    Cosim *cosim;
    Gpu *gpu;
    DeviceMemory storage;        // one image for all runs: the machine keeps the pointer
    const char *job;             // name of the run, where one of these is set:
    FILE *pack;                  // a run is written there as a job for a GPU, and has no results
    const PackResults *results;  // results are those of a GPU
} Bench;

bool bench_open(Bench *b, bool on_sm, Diag *d);
// mode pack: runs are written to the file; gpu: their results are read from it.
bool bench_files(Bench *b, const char *mode, const char *file, Diag *d);
// A launch that failed leaves warps behind: a new machine.
bool bench_reopen(Bench *b, Diag *d);
void bench_close(Bench *b);
// Runs `text` with `bytes` of operands in a buffer and results of the same size, filled with 0xee
// before. *results points into the image, good until the next run. ctas of BENCH_THREADS threads.
bool bench_run(Bench *b, const char *text, const void *operands, size_t bytes, uint32_t ctas,
               const uint8_t **results, Diag *d);

#endif
