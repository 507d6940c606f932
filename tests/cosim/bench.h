// SPDX-License-Identifier: Apache-2.0
// Seeded random stimuli for the blocks: connected as in the SM, or each block alone with a partner
// of a few lines of C that keeps to the contract.
#ifndef SMCOSIM_TESTS_COSIM_BENCH_H
#define SMCOSIM_TESTS_COSIM_BENCH_H

#include "cosim/cosim.h"
#include "models/rf/banked_rf.h"
#include "models/collect/operand_collector.h"

typedef enum BenchKind { BENCH_CONNECTED, BENCH_RF, BENCH_OC } BenchKind;

typedef struct Bench {
    Arena arena;
    MachineConfig cfg;
    CosimOptions options;
    Cosim *cosim;
    Block *rf, *oc;
    BenchKind kind;
    int busy;       // percent of cycles in which each source is active
    bool reversed;  // order of ticks
    uint64_t random, cycle;
    uint64_t digest;  // of all valid outputs seen by the "SM"
    uint64_t dispatched;
    // State of the partner of a block alone.
    uint32_t granted, granted_bank[32];
    uint32_t signal;     // traced as sm.test.digest
    const char *parity;  // of the cycle, traced as sm.test.parity
} Bench;

// Opens the harness on machine `machine` (a preset of data_dir). options may be NULL.
bool bench_open(Bench *b, const char *data_dir, const char *machine, const CosimOptions *options,
                uint64_t seed, Diag *d);
void bench_cycles(Bench *b, uint64_t n);  // stops early when the harness says so
void bench_close(Bench *b);

uint32_t bench_random(Bench *b);
uint32_t bench_below(Bench *b, int n);
bool bench_percent(Bench *b, int percent);

#endif
