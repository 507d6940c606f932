// SPDX-License-Identifier: Apache-2.0
// Part "load port": serves a load whose address is known. Memory is sampled when the load
// dispatches, in dispatch order. Then each port is asked after its number of stages of the address
// pipe. The first port whose answer is not LOAD_MEMORY decides. If there is no such port, the load
// goes to the memory system.
//
// Listeners observe every change of memory in the order of the changes (parts/events.h): access of
// stores and atomics at dispatch, performed, issued for fences, kernel_end.
#ifndef SMCOSIM_SM_PARTS_LOAD_H
#define SMCOSIM_SM_PARTS_LOAD_H

#include "sm/flight.h"

typedef enum LoadFrom {
    LOAD_MEMORY,  // the memory system: as without the port
    // the port: f->out.dst holds the result of every active lane; see `placed`
    LOAD_SERVED,
    // the memory system, but no register is written (the lines may be in L1 afterwards)
    LOAD_NO_RESULT,
    LOAD_WAIT,  // not decided yet: load_answer follows
} LoadFrom;

typedef struct LoadAnswer {
    LoadFrom from;
    int cycles;  // LOAD_SERVED: cycles until the value is available, at least 1
    // LOAD_SERVED: bit i: the register file already holds the value of dst_reg[i]
    uint8_t placed;
} LoadAnswer;

enum { LOAD_AT_END = 1 << 20 };

// A pre-load is a load that moves no value and writes no register. Its lines may be in L1
// afterwards. Nothing waits for a pre-load after the memory system has accepted its request. A lane
// takes no part in it if its address has no memory or is not in global or local memory.
typedef struct LoadPort {
    // called at dispatch; NULL: no load is a pre-load
    bool (*pre_loads)(const Sm *sm, const void *self, const Flight *f);
    // stages of the address pipe before the port is asked; 0: at dispatch; LOAD_AT_END: all
    int stages;
    // Called for a load of global, local, shared or generic addresses (op ISA_LD). The lanes and
    // addresses by space are in f->access, the contents of memory at dispatch in f->out.dst. NULL:
    // never called.
    LoadAnswer (*probe)(Sm *sm, void *self, Flight *f);
    // Can the LD/ST unit accept a memory instruction of any kind in this cycle? NULL: yes.
    bool (*room)(const Sm *sm, const void *self);
} LoadPort;

void load_bind(Sm *sm, const LoadPort *part, void *self);
bool loads_have_room(const Sm *sm);                  // of all ports
bool loads_pre_load(const Sm *sm, const Flight *f);  // does a port take it as a pre-load?
// The answer to a load that waits; not LOAD_WAIT. The call may be in probe's cycle or later. If the
// load goes to the memory system, it keeps the stages of the address pipe that it has passed.
void load_answer(Sm *sm, Flight *f, LoadAnswer answer);

#endif
