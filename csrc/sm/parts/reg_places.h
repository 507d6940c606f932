// SPDX-License-Identifier: Apache-2.0
// Part "places": the bank and entry of a warp's register in the register file, for a system in
// which places change while the warp runs. Without this part a register has the fixed place of
// isa/place.h. At most one system has places. The operand path queries them if
// OperandPath.asks_places is set, so a system with its own mapping needs no path of its own.
//
// A path first asks for all registers of a cycle and then reads the answers. A mapping that is a
// block is therefore evaluated once for all of them:
//     writeback_stage      result at a write port: ask(PLACE_RESULT, write port, ..)
//     path->eval           answer(PLACE_RESULT), before the banks are evaluated
//     path->collect        micro-operation at the block: ask(PLACE_SOURCE, port *
//                          SM_OPERANDS + operand, ..)
//     issue_stage          the same, if there are no entry registers
//     path->tick           answer(PLACE_SOURCE), before the clock edge
//
// The path asks for a source once, when the micro-operation reaches the block, and for a result
// once, at its write port. Later changes of the mapping do not affect these accesses. Before a
// mapping withdraws a place, it calls path_kill, because the value there is dead. It withdraws a
// place only when no instruction reads or writes it (hazards_writing, hazards_reading).
//
// A mapping that renames assigns a place to a register when the register is written. A source
// without a place (bank -1) is not read and has the value 0. A result may have to wait (bank -1).
// It then stays at its write port, and the path asks again in the next cycle. Such a mapping sees
// the result before the path asks (`result`). It may add lanes to the write, copied from the
// register's old place.
#ifndef SMCOSIM_SM_PARTS_PLACES_H
#define SMCOSIM_SM_PARTS_PLACES_H

#include "isa/place.h"
#include "sm/flight.h"

typedef enum PlaceUse { PLACE_SOURCE, PLACE_RESULT } PlaceUse;

typedef struct Places {
    // For a mapping that renames or assigns places at issue: word `word` of the flight's results
    // reaches the write port. Called before `ask`.
    void (*result)(Sm *sm, void *self, int port, const Flight *f, int word);
    // A micro-operation has just issued, for a mapping that assigns places at issue. NULL: not
    // called.
    void (*enters)(Sm *sm, void *self, Flight *f, int uop);
    // Source `op` (of the instruction's op_reg) reaches the block at `at`. Called before `ask`.
    // NULL: not called.
    void (*source)(Sm *sm, void *self, int at, const Flight *f, int op);
    void (*ask)(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg);
    // The places of all registers asked for since the last answer of this use, by `at`. Called only
    // after at least one `ask`. A register without a place is an error of the kernel or of the
    // system (sm_fail), unless the mapping renames.
    const RegPlace *(*answer)(Sm *sm, void *self, PlaceUse use);
    // The present place of the register, for messages. Bank -1: none.
    RegPlace (*now)(const Sm *sm, const void *self, int warp, int reg);
} Places;

#endif
