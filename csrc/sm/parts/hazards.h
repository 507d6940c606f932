// SPDX-License-Identifier: Apache-2.0
// Part "hazards": may the instruction at a warp's head issue, as far as registers and predicates
// that are outstanding are concerned? The machine's board is parts/scoreboard.c; a system brings
// its own instead of it (`replaces`), or is asked beside it. With several the first in their order
// that is not HAZARD_NONE counts. Memory order within the warp is no part: parts/order.c holds for
// every system.
//
// The stages ask through hazards_*, which call every board. A warp is asked about again only when
// something of it has changed: a board whose answer changes for a reason of its own calls
// hazards_recheck.
#ifndef SMCOSIM_SM_PARTS_HAZARDS_H
#define SMCOSIM_SM_PARTS_HAZARDS_H

#include "base/arena.h"
#include "sm/flight.h"
#include "sm/warp.h"

typedef struct Text Text;

typedef struct Hazards {
    bool replaces;  // stands where the machine's scoreboard would
    // Without effect. Of an instruction that is not yet issued, of this stream of the warp
    // (parts/inst_stream.h): registers are shared by a warp's streams, each has predicates of its
    // own.
    Hazard (*query)(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in);
    // The instruction has issued: what it writes, and what it reads if it goes to a collector, is
    // outstanding.
    void (*begin)(Sm *sm, void *self, const Flight *f);
    // It has got the operands regs[0..n-1]; register `reg` of its results is written; all its
    // predicates are.
    void (*operands_read)(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n);
    void (*written)(Sm *sm, void *self, const Flight *f, int reg);
    void (*preds_written)(Sm *sm, void *self, const Flight *f);
    // Registers with a result or a read outstanding.
    uint64_t (*writing)(const Sm *sm, const void *self, int warp);
    uint64_t (*reading)(const Sm *sm, const void *self, int warp);
    void (*warp_begins)(Sm *sm, void *self, int warp);
    bool (*idle)(const Sm *sm, const void *self, int warp);  // nothing is outstanding
    // What the instruction waits for, in words: where query is not HAZARD_NONE. Not NULL where
    // query is not.
    void (*explain)(Text *t, const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in);
} Hazards;

// Any function of a board that `replaces` nothing may be NULL.
void hazards_bind(Sm *sm, const Hazards *part, void *self);

void hazards_launch(Sm *sm);  // a kernel begins

Hazard hazards_query(const Sm *sm, int warp, const InstStream *stream, const SmInst *in);
void hazards_begin(Sm *sm, const Flight *f);
void hazards_operands_read(Sm *sm, const Flight *f, const uint8_t *regs, int n);
void hazards_written(Sm *sm, const Flight *f, int reg);
void hazards_preds_written(Sm *sm, const Flight *f);
uint64_t hazards_writing(const Sm *sm, int warp);
uint64_t hazards_reading(const Sm *sm, int warp);
void hazards_warp_begins(Sm *sm, int warp);
bool hazards_idle(const Sm *sm, int warp);
// What it waits for, in words; false: for no board.
bool hazards_explain(Text *t, const Sm *sm, int warp, const InstStream *stream, const SmInst *in);

// When something of a warp has changed, hazards_recheck(sm, warp) of state.h has its head looked at
// again.

// The machine's own board.
extern const Hazards scoreboard;
void *scoreboard_open(Sm *sm, Arena *arena);

#endif
