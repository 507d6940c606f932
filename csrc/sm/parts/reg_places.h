// SPDX-License-Identifier: Apache-2.0
// Part "places": in which bank and entry of the register file a register of a warp lies, for a
// system in which that changes while the warp runs. Without it a register has the fixed place of
// isa/place.h. One system at most brings places; they stand under the operand path, which asks for
// them (OperandPath.asks_places says that it does), so that a system of its own mapping needs no
// path of its own.
//
// A path asks for all registers of a cycle first and then takes the answers, so that a mapping
// which is a block is evaluated once for all of them:
//     writeback_stage      a result comes to a write port: ask(PLACE_RESULT, write port, ..)
//     path->eval           answer(PLACE_RESULT), before the banks are evaluated
//     path->collect        a micro-operation comes to the block: ask(PLACE_SOURCE, port *
//                          SM_OPERANDS + operand, ..)
//     issue_stage          .. and where there are no entry registers
//     path->tick           answer(PLACE_SOURCE), before the clock edge
// A source is asked about once, when it comes to the block, and a result once, when it comes to its
// write port: what changes afterwards does not concern them. A mapping that withdraws a place tells
// the path first that what lies there is dead (path_kill), when nothing reads or writes it any more
// (hazards_writing, hazards_reading).
//
// A mapping that renames gives a register its place when it is written. A source without a place
// (bank -1) is not read: it is 0. A result may have to wait (bank -1): it stays at its write port,
// and the mapping is asked again in the next cycle. Such a mapping sees the result before it is
// asked (`result`), and may add lanes to what is written: those that it copies from where the
// register lay.
#ifndef SMCOSIM_SM_PARTS_PLACES_H
#define SMCOSIM_SM_PARTS_PLACES_H

#include "isa/place.h"
#include "sm/flight.h"

typedef enum PlaceUse { PLACE_SOURCE, PLACE_RESULT } PlaceUse;

typedef struct Places {
    // Of a mapping that renames, or settles places at issue: word `word` of the flight's results
    // comes to the write port, before it is asked.
    void (*result)(Sm *sm, void *self, int port, const Flight *f, int word);
    // A micro-operation has just issued: for a mapping that settles places then. NULL: no interest.
    void (*enters)(Sm *sm, void *self, Flight *f, int uop);
    // Source `op` (of the instruction's op_reg) comes to the block at `at`, before it is asked;
    // NULL: no interest.
    void (*source)(Sm *sm, void *self, int at, const Flight *f, int op);
    void (*ask)(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg);
    // The places of those that asked since the last answer of this use, by `at`. Not called when
    // none did. A register that has no place is an error of the kernel or of the system (sm_fail),
    // unless the mapping renames.
    const RegPlace *(*answer)(Sm *sm, void *self, PlaceUse use);
    // Where it lies now, for words. Bank -1: nowhere.
    RegPlace (*now)(const Sm *sm, const void *self, int warp, int reg);
} Places;

#endif
