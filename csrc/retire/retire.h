// SPDX-License-Identifier: Apache-2.0
// --check retire compares every warp instruction of the SM with an untimed interpreter of the
// machine program. The interpreter has its own registers, predicates, SIMT stacks, shared memory
// and clone of global memory. It shares only the lane arithmetic (isa_exec, isa_atomic) with the
// SM.
//
// The SM reports its actions in the order in which it takes them. The interpreter repeats them on
// its own state:
//   `retire_issue`  compares pc, mask and active lanes, reads sources, computes and writes
//                   arithmetic and moves control flow. It runs in program order of a warp.
//   `retire_access` performs a memory instruction: compares addresses, moves data.
//   `retire_perform` performs lanes of a global atomic.
//   `retire_result` compares registers and predicates that the SM is about to write.
//   `retire_end`    compares global memory, byte for byte.
//
// Because retire_issue runs in program order, a wrong scoreboard of the SM cannot mislead the
// interpreter. Three values exist only in the SM: clocks, results of printf, and lanes of a
// register that the warp never wrote. The interpreter takes them from the SM.
// The interpreter keeps registers by name: warp and architected register. It ignores the SM's
// allocation of registers, dead registers and released sections, so a value that the SM loses too
// early is a difference.
//
// Functions that compare return false after the first difference with EXIT_MISMATCH: warp, pc,
// instruction, lane, expected and actual value.
#ifndef SMCOSIM_RETIRE_RETIRE_H
#define SMCOSIM_RETIRE_RETIRE_H

#include "isa/isa.h"
#include "launch/device_memory.h"

enum { RETIRE_REGS = 64 };  // of a warp

typedef struct Retire Retire;

typedef struct RetireLaunch {
    const IsaProgram *program;
    const uint8_t *params;
    uint32_t workspace;  // workspace of the grid (%envreg2)
    const uint8_t *const_image;
    uint32_t const_bytes;
    const DeviceMemory *memory;  // cloned here
    uint32_t grid[3], block[3];
    int warps_per_cta;
    uint32_t shared_bytes;  // dynamic
    int sm, sms;            // index of the SM and number of SMs; 0, 0: one SM
} RetireLaunch;

// Room for `flights` instructions in flight; warps, ctas: slots of the SM.
Retire *retire_open(Arena *arena, int warps, int ctas, size_t shared_bytes, int flights);
void retire_close(Retire *r);
// r is one of `sms` interpreters that share the clone of global memory of `first`. r may be `first`
// itself. Launch `first` before the others and end it after them. Other interpreters and atomics
// see the stores of r after retire_exchange of r.
void retire_apart(Retire *r, Arena *arena, Retire *first);
void retire_exchange(Retire *r);
bool retire_launch(Retire *r, const RetireLaunch *launch, Diag *d);
void retire_warp(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3], int number,
                 uint32_t lanes);
// Starts a CTA's scalar thread with program `beside`, in one lane with its own warp number.
// resident: value of its special register for resident CTAs.
void retire_thread(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3],
                   const IsaProgram *beside, uint32_t resident);

bool retire_issue(Retire *r, int warp, uint32_t pc, uint32_t mask, uint32_t active, Diag *d);
// Assigns the flight number `flight` to the instruction that `warp` has just issued.
void retire_flight(Retire *r, int flight, int warp);
// `lanes_of`: lanes in global, shared, local, constant memory. `addr`: address within that space.
// `data`: words that a store or atomic transfers; value i of the instruction is
// data[i][word][lane].
typedef struct RetireAccess {
    const uint32_t *addr, *lanes_of;
    const uint32_t *data[3][4];
} RetireAccess;
bool retire_access(Retire *r, int flight, const RetireAccess *a, Diag *d);
// A system call; address: of the argument blocks in local memory. The clone performs malloc and
// free too.
bool retire_syscall(Retire *r, int flight, const uint32_t address[ISA_LANES], Diag *d);
void retire_perform(Retire *r, int flight, uint32_t lanes);
bool retire_result(Retire *r, int flight, const IsaExecOut *out, Diag *d);
// The SM has skipped first..after-1 in these lanes, arithmetic of one basic block. The interpreter
// executes them and compares `out` with `value`, the SM's result. Other results of the skipped
// instructions are dead.
bool retire_skip(Retire *r, int warp, int first, int after, int out, uint32_t lanes,
                 const uint32_t value[ISA_LANES], Diag *d);
// Barriers with reduction: arrival of a warp, completion.
void retire_arrive(Retire *r, int flight, int cta_slot, int barrier);
void retire_release(Retire *r, int cta_slot, int barrier);
bool retire_end(Retire *r, Diag *d);
uint64_t retire_compared(const Retire *r);

#endif
