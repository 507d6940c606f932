// SPDX-License-Identifier: Apache-2.0
// An operand path whose collectors are shared by all warps: allocation ports, entry registers in
// front of the collectors, and the table of what is where. A path that is a pool has a Pool as the
// first member of its state (so `self` is one), and pool_begin, pool_collect, pool_room, pool_fits
// and pool_accept stand in its OperandPath.
//
// What issues in cycle t stands in the entry register of its allocation port in t+1, moves into a
// collector when one is free, and asks the first bank in the cycle after (t+2 at the soonest).
// Entry registers are served oldest first; one takes the next instruction in the cycle in which it
// moves. With oc.entry 0 there is none: the instruction is in its collector in t+1. A block that
// renames has the entry registers itself, as it looks registers up in that cycle; the table here
// says what is in them.
#ifndef SMCOSIM_SM_PARTS_POOL_H
#define SMCOSIM_SM_PARTS_POOL_H

#include "sm/parts/slots.h"

typedef struct Pool {
    Slots slots;
    // Ports of the block: a micro-operation enters a collector, or the block's own entry register.
    uint32_t *alloc_valid, *alloc_unit;
    const uint32_t *alloc_ready, *alloc_slot;
    // What stands in the block's entry register of a port moves into that collector; NULL: the
    // block has none.
    const uint32_t *enter_valid, *enter_slot;
    // Fills the rest of allocation port `port` with the operands of the micro-operation.
    void (*offer)(Sm *sm, void *self, int port, const Waiting *w);
    bool entry;     // entry registers stand in front of the block
    uint32_t all;   // ports
    uint32_t room;  // ... that take an instruction in this cycle
    int used;       // ports that were used in this cycle, or passed over
    uint64_t age;   // of the next entry
} Pool;

// The ports and `offer` are set.
void pool_open(const Sm *sm, Pool *p, Arena *arena);
void pool_begin(Sm *sm, void *self);
// From the entry registers into the collectors; says which ports take an instruction in this cycle.
void pool_collect(Sm *sm, void *self);
WarpSet pool_room(const Sm *sm, const void *self, WarpSet warps);
bool pool_fits(const Sm *sm, const void *self, int warp, const InstStream *stream, const SmInst *in,
               int uop);
void pool_accept(Sm *sm, void *self, Flight *f, int uop);

#endif
