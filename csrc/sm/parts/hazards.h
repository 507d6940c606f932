// SPDX-License-Identifier: Apache-2.0
// Part "hazards": may a warp's head issue, given the outstanding registers and predicates? The
// machine's board is parts/scoreboard.c. A system adds its own board or replaces the machine's
// (`replaces`). Of several boards, the first in their order that returns a hazard decides. Memory
// order within the warp is not such a part, because parts/order.c applies to every system.
//
// The stages call hazards_*, which call every board. A warp is queried again only after its state
// has changed. A board whose answer changes for another reason calls hazards_recheck.
#ifndef SMCOSIM_SM_PARTS_HAZARDS_H
#define SMCOSIM_SM_PARTS_HAZARDS_H

#include "base/arena.h"
#include "sm/flight.h"
#include "sm/warp.h"

typedef struct Text Text;

typedef struct Hazards {
    bool replaces;  // replaces the machine's scoreboard
    // Without effect. The instruction has not issued yet and belongs to this stream of the warp
    // (parts/inst_stream.h). The streams of a warp share its registers; each stream has its own
    // predicates.
    Hazard (*query)(const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in);
    // The instruction has issued: its writes are outstanding, and also its reads if it enters a
    // collector.
    void (*begin)(Sm *sm, void *self, const Flight *f);
    // The instruction has read the operands regs[0..n-1]. Register `reg` of its results is written.
    // All its predicates are written.
    void (*operands_read)(Sm *sm, void *self, const Flight *f, const uint8_t *regs, int n);
    void (*written)(Sm *sm, void *self, const Flight *f, int reg);
    void (*preds_written)(Sm *sm, void *self, const Flight *f);
    // Registers with a result or a read outstanding.
    uint64_t (*writing)(const Sm *sm, const void *self, int warp);
    uint64_t (*reading)(const Sm *sm, const void *self, int warp);
    void (*warp_begins)(Sm *sm, void *self, int warp);
    bool (*idle)(const Sm *sm, const void *self, int warp);  // nothing is outstanding
    // The cause of the wait, in words, when query returns a hazard. Not NULL if query is not NULL.
    void (*explain)(Text *t, const Sm *sm, const void *self, int warp, const InstStream *stream,
                    const SmInst *in);
} Hazards;

// A board that replaces nothing may leave any function NULL.
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
// The cause of the wait, in words; false: no board makes the instruction wait.
bool hazards_explain(Text *t, const Sm *sm, int warp, const InstStream *stream, const SmInst *in);

// After a change to a warp, hazards_recheck(sm, warp) of state.h examines its head again.

// The machine's own board.
extern const Hazards scoreboard;
void *scoreboard_open(Sm *sm, Arena *arena);

#endif
