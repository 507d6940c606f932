// SPDX-License-Identifier: Apache-2.0
// The oracle: an untimed interpreter of the PTX itself (virtual registers, calls as calls), so that
// no fault of the compiler can hide in it. It shares the lane arithmetic (csrc/isa/lane.h) with the
// SM, and the data layout (csrc/launch); nothing else.
//
// Threads of a warp run in lockstep with reconvergence at immediate post-dominators. Warps of a CTA
// and paths of a diverged warp take turns. CTAs run one after the other. They take turns if one of
// them keeps running, because it may wait for a CTA that has not started. Results of kernels that
// race are those of this order.
#ifndef SMCOSIM_ORACLE_ORACLE_H
#define SMCOSIM_ORACLE_ORACLE_H

#include "launch/device_memory.h"

// Limit of a run without one of its own.
#define ORACLE_MAX_INSTS (1ull << 33)
enum { ORACLE_TURN = 4096 };

// Findings of a run about the program. Only ORACLE_RACE and the kinds of oracle_is_undefined() are
// faults; the others are reported only.
typedef enum OracleKind {
    ORACLE_RACE,            // two accesses without order, one of them a store
    ORACLE_SAME_VALUE,      // the same, but the store left the value as it was
    ORACLE_UNSET_REGISTER,  // read before any write
    ORACLE_UNSET_SHARED,    // shared memory, likewise
    ORACLE_UNSET_LOCAL,     // local memory, likewise
    ORACLE_BLANK_VARIABLE,  // module variable without initializer, likewise: PTX says zero
    ORACLE_ABSENT_LANE,     // shuffle, vote, match or redux with lanes that do not execute it
    ORACLE_SPLIT_BARRIER,   // aligned barrier executed by a part of a warp's lanes
} OracleKind;
const char *oracle_kind_name(OracleKind kind);
// The program has no defined meaning; races are a question of their own.
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
    bool races;            // look for races too
    OracleFinding *items;  // in the order of their first occurrence; ORACLE_MAX_FINDINGS at most
    int nitems, cap_items;
    uint64_t insts;     // thread instructions examined
    uint64_t accesses;  // of threads to global and shared memory, compared by the race check
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
    OracleFindings *findings;  // collects over several runs; NULL: nothing is looked for
    volatile const int *stop;  // set by a signal handler: end with EXIT_INTERRUPTED; may be NULL
} OracleRun;

// Runs the whole grid. False: bad access (EXIT_WRONG_RESULT: kernel, line, thread, address), trap,
// deadlock, limit.
bool oracle_run(OracleRun *run, Diag *d);

#endif
