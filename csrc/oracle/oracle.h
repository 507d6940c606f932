// SPDX-License-Identifier: Apache-2.0
// The oracle: an untimed interpreter of the PTX itself (virtual registers, calls as calls), which a
// fault of the compiler does not affect. It shares only the lane arithmetic (csrc/isa/lane.h) and
// the data layout (csrc/launch) with the SM.
//
// Threads of a warp run in lockstep with reconvergence at immediate post-dominators. Warps of a CTA
// and paths of a diverged warp take turns. CTAs run one after another. If a CTA keeps running, it
// may wait for a CTA that has not started; then further CTAs start, and all take turns. Results of
// kernels that race are those of this order.
#ifndef SMCOSIM_ORACLE_ORACLE_H
#define SMCOSIM_ORACLE_ORACLE_H

#include "launch/device_memory.h"

// Limit of a run that sets none.
#define ORACLE_MAX_INSTS (1ull << 33)
enum { ORACLE_TURN = 4096 };

// Findings of a run about the program. Only ORACLE_RACE and the kinds of oracle_is_undefined() are
// faults; other findings are only reported.
typedef enum OracleKind {
    ORACLE_RACE,            // two accesses without order, one of them a store
    ORACLE_SAME_VALUE,      // as ORACLE_RACE, but the store did not change the value
    ORACLE_UNSET_REGISTER,  // read before any write
    ORACLE_UNSET_SHARED,    // shared memory read before any write
    ORACLE_UNSET_LOCAL,     // local memory read before any write
    // module variable without initializer read before any write: PTX says zero
    ORACLE_BLANK_VARIABLE,
    ORACLE_ABSENT_LANE,    // shuffle, vote, match or redux with lanes that do not execute it
    ORACLE_SPLIT_BARRIER,  // aligned barrier executed by a part of a warp's lanes
} OracleKind;
const char *oracle_kind_name(OracleKind kind);
// Is the behavior undefined? Races are not included.
bool oracle_is_undefined(OracleKind kind);

typedef struct OracleFinding {
    OracleKind kind;
    const PtxFunc *kernel;
    int line, other;  // other: line of the second access, or the register or space
    uint64_t count;
    const char *text;  // the first occurrence: file, line, kernel, thread, event
} OracleFinding;

enum { ORACLE_MAX_FINDINGS = 100 };
typedef struct OracleFindings {
    Arena *arena;          // of the texts
    bool races;            // also search for races
    OracleFinding *items;  // ordered by their first occurrence; at most ORACLE_MAX_FINDINGS
    int nitems, cap_items;
    uint64_t insts;  // thread instructions examined
    // accesses of threads to global and shared memory that the race check compared
    uint64_t accesses;
} OracleFindings;

typedef struct OracleRun {
    const PtxModule *module;
    const PtxFunc *entry;
    const ModuleLayout *layout;
    const SharedLayout *shared;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;  // dynamic
    const uint8_t *params;  // entry->param_bytes
    DeviceMemory *memory;
    FILE *print_to;            // printf of the kernel; NULL: nowhere
    uint64_t max_insts;        // thread instructions before EXIT_HANG; 0: ORACLE_MAX_INSTS
    int turn;                  // warp instructions until another warp's turn; 0: ORACLE_TURN
    uint64_t insts;            // out: thread instructions executed
    OracleFindings *findings;  // collects findings over several runs; NULL: no search for findings
    volatile const int *stop;  // set by a signal handler: end with EXIT_INTERRUPTED; may be NULL
} OracleRun;

// Runs the whole grid. False: bad access (EXIT_WRONG_RESULT: kernel, line, thread, address), trap,
// deadlock, limit.
bool oracle_run(OracleRun *run, Diag *d);

#endif
