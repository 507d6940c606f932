// SPDX-License-Identifier: Apache-2.0
// --check retire: every warp instruction of the SM against an untimed interpreter of the machine
// program with its own registers, predicates, SIMT stacks, shared memory and clone of global
// memory. It shares the lane arithmetic (isa_exec, isa_atomic) with the SM and nothing else.
//
// The SM says what it does, in the order in which it does it; the interpreter does the same on its
// own state:
//   retire_issue    in program order of a warp: pc, mask and active lanes are compared, sources are
//                   read, arithmetic is computed and written, control flow moves. So a wrong
//                   scoreboard, which lets the SM read or write registers out of order, cannot
//                   mislead the interpreter.
//   retire_access   a memory instruction is performed: addresses are compared, data moves
//   retire_perform  lanes of a global atomic are performed
//   retire_result   registers and predicates that the SM is about to write are compared
//   retire_end      global memory is compared, byte for byte
// What the SM alone can know is taken from it: clocks, what printf returns, and what comes of lanes
// of a register that the warp never wrote.
// Registers are kept by name: warp and architected register. What the SM knows of places, of
// registers that are dead or of sections that are released is not asked, so that a value which it
// loses too early is a difference.
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
    uint32_t workspace;  // of the grid (%envreg2)
    const uint8_t *const_image;
    uint32_t const_bytes;
    const DeviceMemory *memory;  // cloned here
    uint32_t grid[3], block[3];
    int warps_per_cta;
    uint32_t shared_bytes;  // dynamic
    int sm, sms;            // which SM, of how many; 0, 0: there is one
} RetireLaunch;

// Room for `flights` instructions in flight; warps, ctas: slots of the SM.
Retire *retire_open(Arena *arena, int warps, int ctas, size_t shared_bytes, int flights);
void retire_close(Retire *r);
// r is one of several, of as many SMs: they have the clone of global memory of `first`, which may
// be r itself and is launched before the others and ended after them. Stores of each are seen by
// the others, and by atomics, after retire_exchange of it.
void retire_apart(Retire *r, Arena *arena, Retire *first);
void retire_exchange(Retire *r);
bool retire_launch(Retire *r, const RetireLaunch *launch, Diag *d);
void retire_warp(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3], int number,
                 uint32_t lanes);
// A CTA's thread that runs `beside` its warps, in one lane under a warp number of its own.
// resident: what it reads as the number of resident CTAs.
void retire_thread(Retire *r, int warp, int cta_slot, const uint32_t ctaid[3],
                   const IsaProgram *beside, uint32_t resident);

bool retire_issue(Retire *r, int warp, uint32_t pc, uint32_t mask, uint32_t active, Diag *d);
// The instruction just issued by `warp` goes on under this number.
void retire_flight(Retire *r, int flight, int warp);
// lanes_of: lanes in global, shared, local, constant memory; addr: address within that space; data:
// the words that a store or atomic takes along (value i of the instruction: data[i][word][lane]).
typedef struct RetireAccess {
    const uint32_t *addr, *lanes_of;
    const uint32_t *data[3][4];
} RetireAccess;
bool retire_access(Retire *r, int flight, const RetireAccess *a, Diag *d);
// A system call; address: of the argument blocks in local memory. malloc and free are done on the
// clone too.
bool retire_syscall(Retire *r, int flight, const uint32_t address[ISA_LANES], Diag *d);
void retire_perform(Retire *r, int flight, uint32_t lanes);
bool retire_result(Retire *r, int flight, const IsaExecOut *out, Diag *d);
// The SM has skipped first..after-1 in these lanes, arithmetic of one basic block: the interpreter
// executes it, and `out` must be what the SM has for it. Other results of the skipped instructions
// are dead.
bool retire_skip(Retire *r, int warp, int first, int after, int out, uint32_t lanes,
                 const uint32_t value[ISA_LANES], Diag *d);
// Barriers with reduction: arrival of a warp, completion.
void retire_arrive(Retire *r, int flight, int cta_slot, int barrier);
void retire_release(Retire *r, int cta_slot, int barrier);
bool retire_end(Retire *r, Diag *d);
uint64_t retire_compared(const Retire *r);

#endif
