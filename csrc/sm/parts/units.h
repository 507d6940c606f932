// SPDX-License-Identifier: Apache-2.0
// Part "execution units": the destination of an instruction that has its operands. The machine's
// units are set by the configuration (SP, SFU, LD/ST); a system may add rows. Each dispatch port of
// a unit accepts the next instruction after the initiation interval of the previous instruction. It
// accepts none while results wait for the write ports.
#ifndef SMCOSIM_SM_PARTS_UNITS_H
#define SMCOSIM_SM_PARTS_UNITS_H

#include "base/arena.h"
#include "counters/counters.h"
#include "sm/flight.h"

// SmInst.unit: the machine's units are numbered as IsaUnit. UNIT_AT_ISSUE is no unit: the
// instruction executes at issue.
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
    // Rows of a system. Does the unit accept this instruction of the kernel (called once per
    // launch)?
    bool (*takes)(const Sm *sm, const void *self, const SmInst *in);
    // The unit is behind the dispatch ports of this unit and shares their slots.
    int beside;
    int latency, interval;  // 0: the instruction's
    int clock;              // accepts instructions in every clock-th cycle; 0, 1: in every cycle
    // collectors reserved for its instructions, if collectors are shared; 0: see share
    int own;
    // per cent of shared collectors that its instructions may hold; 100: all
    int share;
    CounterId stall, wait,
        done;  // a scheduler's cycle without room for it; an instruction that it does not accept
               // yet; instructions accepted
    // Class of the scheduler's cycle if the unit's share of the collectors is in use. NULL:
    // `stall`.
    CounterId (*held)(const Sm *sm);
    // Can the unit accept this instruction now, apart from interval and write ports? NULL: yes.
    bool (*ready)(const Sm *sm, const void *self, const Flight *f);
    // Executes an instruction whose operands are in f->ops, and ends with wheel_put. NULL: as the
    // machine's units.
    void (*execute)(Sm *sm, void *self, Flight *f);
} UnitRow;

typedef struct Unit {
    const UnitRow *row;  // NULL: no such unit
    void *self;
    int first_port, nports;      // dispatch ports
    uint8_t port[SM_MAX_WARPS];  // dispatch port of each warp
    int most, waiting;           // micro-operations in entry registers and collectors: limit,
                                 // present number
} Unit;

// The machine's units. memory: `held` and `ready` of LD/ST.
void units_open(Sm *sm, Arena *arena, const UnitRow *memory);
void units_launch(Sm *sm);  // a kernel begins: no micro-operation waits
void units_bind(Sm *sm, const UnitRow *rows, int n, void *self);
// Unit, latency and interval of an instruction that enters a collector.
void units_assign(const Sm *sm, SmInst *in);
// dispatch port of the warp's instructions for the unit
int units_port(const Sm *sm, int unit, int warp);
static inline bool unit_has_share(const Unit *u) { return u->waiting < u->most; }

#endif
