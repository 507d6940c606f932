// SPDX-License-Identifier: Apache-2.0
// The oracle: an untimed interpreter of the PTX itself (virtual registers, calls as calls), so that
// no fault of the compiler can hide in it. It shares the lane arithmetic (csrc/isa/lane.h) with the
// SM, and the data layout (csrc/launch); nothing else.
//
// Threads of a warp run in lockstep with reconvergence at immediate post-dominators. Warps of a CTA
// take turns; CTAs run one after the other, and take turns when one of them keeps running (it may
// wait for a CTA that has not started). Results of kernels that race are those of this order.
#ifndef SMCOSIM_ORACLE_ORACLE_H
#define SMCOSIM_ORACLE_ORACLE_H

#include "launch/memory.h"

// Limit of a run without one of its own.
#define ORACLE_MAX_INSTS (1ull << 33)

typedef struct OracleRun {
    const PtxModule *module;
    const PtxFunc *entry;
    const ModuleLayout *layout;
    const SharedLayout *shared;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;       // dynamic
    const uint8_t *params;       // entry->param_bytes
    DeviceMemory *memory;
    FILE *print_to;              // printf of the kernel; NULL: nowhere
    uint64_t max_insts;          // thread instructions before EXIT_HANG; 0: ORACLE_MAX_INSTS
    uint64_t insts;              // out: thread instructions executed
    volatile const int *stop;    // set by a signal handler: end with EXIT_INTERRUPTED; may be NULL
} OracleRun;

// Runs the whole grid. False: bad access (EXIT_WRONG_RESULT: kernel, line, thread, address), trap,
// deadlock, limit.
bool oracle_run(OracleRun *run, Diag *d);

#endif
