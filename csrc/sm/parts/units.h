// SPDX-License-Identifier: Apache-2.0
// Part "execution units": what an instruction dispatches to when it has its operands. The machine's
// units come from the configuration (SP, SFU, LD/ST); a system may add rows. A unit takes the next
// instruction after the initiation interval of the one before, on each of its dispatch ports, and
// none while results wait for the write ports.
#ifndef SMCOSIM_SM_PARTS_UNITS_H
#define SMCOSIM_SM_PARTS_UNITS_H

#include "base/arena.h"
#include "counters/counters.h"
#include "sm/flight.h"

// SmInst.unit: the machine's units are numbered as IsaUnit; UNIT_AT_ISSUE is none, what executes at
// issue.
enum {
    UNIT_SP = ISA_UNIT_SP,
    UNIT_SFU = ISA_UNIT_SFU,
    UNIT_LDST = ISA_UNIT_LDST,
    UNIT_AT_ISSUE = ISA_UNIT_CTRL,
    UNIT_FIRST_ADDED,
    SM_MAX_UNITS = 8
};

typedef struct UnitRow {
    const char *name;
    // Rows of a system. Does the unit take this instruction of the kernel (asked once per launch)?
    bool (*takes)(const Sm *sm, const void *self, const SmInst *in);
    // it stands behind the dispatch ports of this unit, and shares their slots
    int beside;
    int latency, interval;  // 0: the instruction's
    int clock;              // takes instructions in every clock-th cycle; 0, 1: in every one
    // collectors of shared ones that its instructions alone have; 0: see share
    int own;
    // per cent of shared collectors that its instructions may hold; 100: all
    int share;
    CounterId stall, wait,
        done;  // a scheduler's cycle without room for it; an instruction that it does not take yet;
               // instructions taken
    // Its share of the collectors is taken: class of the scheduler's cycle; NULL: `stall`.
    CounterId (*held)(const Sm *sm);
    // Can it take this one now, beyond interval and write ports? NULL: yes.
    bool (*ready)(const Sm *sm, const void *self, const Flight *f);
    // What it does with an instruction whose operands are in f->ops; NULL: as the machine's units.
    // Ends with wheel_put.
    void (*execute)(Sm *sm, void *self, Flight *f);
} UnitRow;

typedef struct Unit {
    const UnitRow *row;  // NULL: no such unit
    void *self;
    int first_port, nports;      // dispatch ports
    uint8_t port[SM_MAX_WARPS];  // ... that of each warp
    int most, waiting;           // micro-operations in entry registers and collectors: at most, now
} Unit;

void units_open(Sm *sm, Arena *arena);  // the machine's
void units_launch(Sm *sm);              // a kernel begins: nothing waits
void units_bind(Sm *sm, const UnitRow *rows, int n, void *self);
// Unit, latency and interval of an instruction that goes to a collector.
void units_assign(const Sm *sm, SmInst *in);
// dispatch port of the warp's instructions for the unit
int units_port(const Sm *sm, int unit, int warp);
static inline bool unit_has_share(const Unit *u) { return u->waiting < u->most; }

#endif
