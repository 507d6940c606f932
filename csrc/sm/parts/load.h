// SPDX-License-Identifier: Apache-2.0
// Part "load port": who serves a load once its address is known. Memory is sampled when the load is
// dispatched, in the order of dispatch; then the ports are asked, each after its number of stages
// of the address pipe. The first port that does not answer LOAD_MEMORY decides. Without a port, and
// where all answer LOAD_MEMORY, the load goes to the memory system.
//
// What changes memory is told to listeners (parts/events.h: access of stores and atomics when they
// are dispatched, performed, issued for fences, kernel_end), in the order in which it happens.
#ifndef SMCOSIM_SM_PARTS_LOAD_H
#define SMCOSIM_SM_PARTS_LOAD_H

#include "sm/flight.h"

typedef enum LoadFrom {
    LOAD_MEMORY,  // the memory system: as without the port
    // the port: f->out.dst holds the value that counts, for every active lane; see `placed`
    LOAD_SERVED,
    // the memory system, but no register is written (what it reads may be in L1 afterwards)
    LOAD_NO_RESULT,
    LOAD_WAIT,  // not known yet: load_answer will say it
} LoadFrom;

typedef struct LoadAnswer {
    LoadFrom from;
    int cycles;  // LOAD_SERVED: until the value is there, at least 1
    // LOAD_SERVED: bit i: register dst_reg[i] has its value in the register file: it is not written
    uint8_t placed;
} LoadAnswer;

enum { LOAD_AT_END = 1 << 20 };

// A pre-load is a load that moves no value and writes no register: what it reads may be in L1
// afterwards, and nothing waits for it once the memory system has its request. Lanes with addresses
// that are not there, or not of global or local memory, take no part in it.
typedef struct LoadPort {
    // asked at dispatch; NULL: it never does
    bool (*pre_loads)(const Sm *sm, const void *self, const Flight *f);
    // of the address pipe before it is asked; 0: at dispatch; LOAD_AT_END: all of them
    int stages;
    // NULL: never asked. A load of global, local, shared or generic addresses (op ISA_LD);
    // f->access has lanes and addresses by space, f->out.dst what memory held at dispatch.
    LoadAnswer (*probe)(Sm *sm, void *self, Flight *f);
    // Does the LD/ST unit take a memory instruction, of any kind, in this cycle? NULL: yes.
    bool (*room)(const Sm *sm, const void *self);
} LoadPort;

void load_bind(Sm *sm, const LoadPort *part, void *self);
bool loads_have_room(const Sm *sm);                  // of all ports
bool loads_pre_load(const Sm *sm, const Flight *f);  // does a port take it as a pre-load?
// The answer to a load that was told to wait; not LOAD_WAIT. It may be given within probe's cycle
// or later. A load that goes to the memory system after all is behind all stages of the address
// pipe that it had passed.
void load_answer(Sm *sm, Flight *f, LoadAnswer answer);

#endif
