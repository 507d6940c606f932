// SPDX-License-Identifier: Apache-2.0
// An operand path whose collectors all warps share: allocation ports, entry registers in front of
// the collectors, and the table of their contents. Such a path has a Pool as the first member of
// its state, so `self` is also a Pool. Its OperandPath contains pool_begin, pool_collect,
// pool_room, pool_fits and pool_accept.
//
// An instruction that issues in cycle t occupies the entry register of its allocation port in t+1.
// It moves into a collector when one is free, and requests its first bank one cycle later (t+2 at
// the earliest). The oldest entry register moves first. An entry register accepts the next
// instruction in the cycle in which it is emptied. With oc.entry 0 there are no entry registers,
// and the instruction is in its collector in t+1. A block that renames contains the entry registers
// itself, because it looks registers up in that cycle. The table here then mirrors their contents.
#ifndef SMCOSIM_SM_PARTS_POOL_H
#define SMCOSIM_SM_PARTS_POOL_H

#include "sm/parts/slots.h"

typedef struct Pool {
    Slots slots;
    // Ports of the block: a micro-operation enters a collector or the block's own entry register.
    uint32_t *alloc_valid, *alloc_unit;
    const uint32_t *alloc_ready, *alloc_slot;
    // The block's entry register of a port moves its micro-operation into that collector. NULL: the
    // block has no entry registers.
    const uint32_t *enter_valid, *enter_slot;
    // Drives the operands of the micro-operation on allocation port `port`.
    void (*offer)(Sm *sm, void *self, int port, const Waiting *w);
    bool entry;     // the entry registers are in front of the block
    uint32_t all;   // ports
    uint32_t room;  // ports that accept an instruction in this cycle
    int used;       // ports that were used or skipped in this cycle
    uint64_t age;   // age of the next entry
} Pool;

// The caller has set the ports and `offer`.
void pool_open(const Sm *sm, Pool *p, Arena *arena);
void pool_begin(Sm *sm, void *self);
// Moves micro-operations from the entry registers into collectors, and finds the ports that accept
// an instruction in this cycle.
void pool_collect(Sm *sm, void *self);
WarpSet pool_room(const Sm *sm, const void *self, WarpSet warps);
bool pool_fits(const Sm *sm, const void *self, int warp, const InstStream *stream, const SmInst *in,
               int uop);
void pool_accept(Sm *sm, void *self, Flight *f, int uop);

#endif
