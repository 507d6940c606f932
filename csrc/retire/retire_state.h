// SPDX-License-Identifier: Apache-2.0
// State of the retire check, shared by the files of this folder only.
#ifndef SMCOSIM_RETIRE_STATE_H
#define SMCOSIM_RETIRE_STATE_H

#include "launch/writes.h"
#include "retire/retire.h"

enum { RETIRE_MAX_PATHS = 128, RETIRE_BARRIERS = 16, RETIRE_WRITES = 8192 };

typedef struct Path {
    int pc, reconv;
    uint32_t mask;
} Path;

// The interpreter's results for one warp instruction.
typedef struct Expected {
    const IsaInst *inst;  // NULL: no instruction
    int warp, pc;
    uint32_t active, present;
    uint32_t psrc[3];
    bool trust;                  // the result is taken from the SM
    uint32_t unknown;            // lanes for which it is taken from the SM
    uint32_t unknown_source[3];  // lanes of each source that were never written
    bool has_result;
    uint32_t addr[ISA_LANES];        // within its space
    uint32_t lanes_of[4];            // global, shared, local, constant
    uint32_t data[3][4][ISA_LANES];  // sources
    IsaExecOut out;
} Expected;

typedef struct RetireWarp {
    const IsaProgram *program;
    Path path[RETIRE_MAX_PATHS];  // the last one runs
    int paths;
    uint32_t pred[8];
    int cta_slot, number;
    uint32_t cta[3];
    Expected now;  // the instruction issued last
} RetireWarp;

typedef struct RetireBarrier {
    int flights[64];
    int count;
} RetireBarrier;

struct Retire {
    RetireLaunch launch;
    const IsaProgram *program;
    DeviceMemory memory;
    bool have_memory;      // this interpreter owns its memory
    Retire *first;         // interpreter that owns the shared memory; NULL: only one exists
    DeviceWrites *writes;  // stores that the other interpreters do not see yet
    Arena arena;           // of the launch
    RetireWarp *warps;
    int nwarps, nctas;
    uint32_t (*regs)[RETIRE_REGS][ISA_LANES];  // registers of each warp, by name
    // lanes of each register of each warp that were never written
    uint32_t (*unknown)[RETIRE_REGS];
    uint8_t *shared;  // per CTA slot
    size_t shared_size, shared_per_cta;
    uint8_t *local;  // [warp][lane][byte]
    size_t local_bytes, local_size;
    Expected *expected;  // by flight
    int nflights;
    RetireBarrier (*barriers)[RETIRE_BARRIERS];  // by CTA slot
    uint64_t compared;
    uint32_t resident;  // resident CTAs, a value that scalar threads read
};

// Register `reg` of a warp.
static inline uint32_t *retire_reg(Retire *r, int warp, int reg) { return r->regs[warp][reg]; }

// Marks these lanes of the register as written and returns the register.
static inline uint32_t *retire_write(Retire *r, int warp, int reg, uint32_t lanes) {
    r->unknown[warp][reg] &= ~lanes;
    return retire_reg(r, warp, reg);
}

// "warp 3 (warp 1 of CTA (0,0,0)), pc 12 `iadd R4, R5, 1` (line 31)".
bool retire_fail(Retire *r, const Expected *e, Diag *d, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// synth_memory.c
void retire_addresses(Retire *r, Expected *e);

#endif
