// SPDX-License-Identifier: Apache-2.0
// Part "stream": a second stream of instructions in a warp slot, beside the warp's own program. The
// stream has its own mask and predicates (struct InstStream). It shares the warp's registers,
// scoreboard, memory order, units and collectors. Its instructions are already decoded and need no
// fetch. It contains no control instructions (branches, exits, barriers).
//
// A second stream may also run the warp's program ahead of the warp: inst_stream_front puts it in
// front. Then the SM fetches for the second stream, and its control flow advances as the program's
// would. The program waits until inst_stream_back. `examine` decides each instruction of such a
// stream. The program reuses the results of that stream (`lookup`, `give`) and does not execute
// those instructions again.
//
// With `above`, a scheduler tries the second streams of its warps before their own programs.
// Otherwise it tries them in a cycle in which no program issues. The policy selects one of several
// warps. The warp's slot stays in use while an instruction of the second stream is in flight. A
// warp whose threads have ended issues no more instructions.
#ifndef SMCOSIM_SM_PARTS_INST_STREAM_H
#define SMCOSIM_SM_PARTS_INST_STREAM_H

#include "counters/counters.h"
#include "sm/inst.h"
#include "sm/parts/sched.h"
#include "sm/warp.h"

typedef struct Sm Sm;
typedef struct Flight Flight;

// The action for the instruction at the head of a second stream.
typedef enum InstStreamVerdict {
    INST_STREAM_WAITS,
    // enters the operand path when path and unit have room; or its guard is false
    INST_STREAM_ISSUES,
    // uses the issue slot; the part has done all its work when `issued` returns
    INST_STREAM_PASSES,
} InstStreamVerdict;

// The instructions fetched for the warp: `given` instructions that already have results, or, if
// `given` is 0, up to `fetch` others.
typedef struct InstStreamLookup {
    int given, fetch;
} InstStreamLookup;

enum { SM_FAULT_TEXT = 1024 };

typedef struct InstStreamPart {
    bool above;  // issues before the warps' own programs
    // continues in warps whose threads have ended (flights_hold keeps their slot)
    bool drains;
    // Streams that the policy treats as the program's own instruction. Of this part only `active`,
    // `stream`, `head`, `issued`, `examine`, `precedes` and `only` are used. NULL: none.
    const struct InstStreamPart *in_place;
    // class of a scheduler cycle in which only a second stream issued
    CounterId only;
    // Without effect. active: warps whose second stream has an instruction now. stream: the stream,
    // with pc, mask and predicates. head: the instruction. The last two are called for these warps
    // only.
    WarpSet (*active)(const Sm *sm, const void *self);
    InstStream *(*stream)(const Sm *sm, void *self, int warp);
    const SmInst *(*head)(const Sm *sm, const void *self, int warp);
    // The instruction has issued: advance to the next one. If it has a flight, the flight has
    // begun.
    void (*issued)(Sm *sm, void *self, int warp);

    // The other functions may be NULL. `examine`: the action for the head, without effect. NULL:
    // the head issues when all its dependences are resolved. `first`: the warp of a non-empty set
    // that issues first. NULL: the policy decides.
    InstStreamVerdict (*examine)(const Sm *sm, const void *self, int warp, const SmInst *in);
    int (*first)(const Sm *sm, const void *self, const Scheduler *s, WarpSet of);
    // Of `in_place`: do its streams issue before the programs of all warps? NULL: no.
    bool (*precedes)(const Sm *sm, const void *self);
    // Fetch port `port` is about to fetch up to n instructions from the front stream's fetch_pc on.
    InstStreamLookup (*lookup)(Sm *sm, void *self, int warp, int port, int n);
    // The program's head already has its result and issues without a collector or unit.
    void (*give)(Sm *sm, void *self, int warp, const SmInst *in);
    // An indexed branch of the second stream has executed: n different targets and the lanes that
    // branch there. If n is 0, a lane's index is beyond the table.
    void (*split)(Sm *sm, void *self, const Flight *f, int n, const int *target,
                  const uint32_t *mask);
    // An access of the second stream, which runs the program ahead, is illegal; `text` says why.
    // Because the program may end before this access, the access has no effect and returns 0. NULL:
    // the access ends the run.
    void (*fault)(Sm *sm, void *self, const Flight *f, const char *text);
} InstStreamPart;

typedef struct InstStreamBinding {
    const InstStreamPart *part;
    void *self;
} InstStreamBinding;

// At most one part of a combination.
void inst_stream_bind(Sm *sm, const InstStreamPart *part, void *self);
// Is it the warp's own program?
bool inst_stream_is_own(const Sm *sm, int warp, const InstStream *s);
// `ahead` starts in front of the program, with the program's pc, stack, predicates and buffer.
// ahead->stack has room for SM_MAX_SIMT entries. Back: the program is in front again and is fetched
// anew.
void inst_stream_front(Sm *sm, int warp, InstStream *ahead);
void inst_stream_back(Sm *sm, int warp);
// After inst_stream_back: the program's next instruction was held, decoded. It enters the buffer,
// and fetch continues behind it.
void inst_stream_release(Sm *sm, int warp);
void inst_stream_halt(Sm *sm, int warp);  // the front stream stops
// The warp's program neither issues nor is fetched, and its fetched instructions are dropped.
// inst_stream_free: the program continues.
void inst_stream_hold(Sm *sm, int warp);
void inst_stream_free(Sm *sm, int warp);

#endif
