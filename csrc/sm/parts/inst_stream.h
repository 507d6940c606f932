// SPDX-License-Identifier: Apache-2.0
// Part "stream": a second stream of instructions in a warp slot, beside the warp's own program. It
// has its own mask and predicates (struct InstStream) and shares the warp's registers, scoreboard
// and memory order, units and collectors. Its instructions come decoded, without a fetch; control
// instructions (branches, exits, barriers) are not among them.
//
// A second stream may also run the warp's program ahead of the warp, in its place:
// inst_stream_front puts it in front. Then it is fetched for, and its control flow moves, as the
// program's would; the program waits until inst_stream_back. For what such a stream meets,
// `examine` decides; instructions that it need not execute again the program gets from it
// (`lookup`, `give`).
//
// A scheduler tries the second streams of its warps before their own programs (`above`), or in a
// cycle in which none of these issues. Of several warps the policy takes the first. The warp's slot
// stays in use while an instruction of the second stream is in flight, but a warp whose threads
// have ended issues nothing more.
#ifndef SMCOSIM_SM_PARTS_INST_STREAM_H
#define SMCOSIM_SM_PARTS_INST_STREAM_H

#include "counters/counters.h"
#include "sm/inst.h"
#include "sm/parts/sched.h"
#include "sm/warp.h"

typedef struct Sm Sm;
typedef struct Flight Flight;

// What is to become of the instruction at the head of a second stream.
typedef enum InstStreamVerdict {
    INST_STREAM_WAITS,
    // to the operand path, when that and its unit have room; or its guard switches it off
    INST_STREAM_ISSUES,
    // takes the issue slot; the part has done what there is to do when `issued` returns
    INST_STREAM_PASSES,
} InstStreamVerdict;

// What the warp is fetched: `given` instructions whose results are there, or, where that is 0, up
// to `fetch` others.
typedef struct InstStreamLookup {
    int given, fetch;
} InstStreamLookup;

enum { SM_FAULT_TEXT = 1024 };

typedef struct InstStreamPart {
    bool above;  // goes before the warps' own programs
    // goes on in warps whose threads have ended (flights_hold keeps their slot)
    bool drains;
    // Streams that stand in the warp's own place: the policy takes them as it would take the
    // program's instruction. Of this one `active`, `stream`, `head`, `issued`, `examine` and `only`
    // count. NULL: there are none.
    const struct InstStreamPart *in_place;
    // class of a scheduler's cycle in which no own instruction issued and one of these did
    CounterId only;
    // Without effect: warps whose second stream has an instruction now; the stream, with pc, mask
    // and predicates; the instruction. The last two are asked of these warps only.
    WarpSet (*active)(const Sm *sm, const void *self);
    InstStream *(*stream)(const Sm *sm, void *self, int warp);
    const SmInst *(*head)(const Sm *sm, const void *self, int warp);
    // It has issued: on to the next one. A flight of it, if there is one, has begun.
    void (*issued)(Sm *sm, void *self, int warp);

    // The others may be NULL. What becomes of the head, without effect; NULL: it issues when
    // nothing it depends on is outstanding. The warp of a non-empty set that goes first; NULL: as
    // the policy says.
    InstStreamVerdict (*examine)(const Sm *sm, const void *self, int warp, const SmInst *in);
    int (*first)(const Sm *sm, const void *self, const Scheduler *s, WarpSet of);
    // Up to n instructions from the front stream's fetch_pc on are about to be fetched, by fetch
    // port `port`.
    InstStreamLookup (*lookup)(Sm *sm, void *self, int warp, int port, int n);
    // The program's head, whose result is there, issues: it takes neither collector nor unit.
    void (*give)(Sm *sm, void *self, int warp, const SmInst *in);
    // An indexed branch of the second stream has been executed: n different targets, and the lanes
    // that go there; n 0: a lane's index is beyond the table.
    void (*split)(Sm *sm, void *self, const Flight *f, int n, const int *target,
                  const uint32_t *mask);
    // An access of the second stream, which runs the program ahead, is wrong, as `text` says. The
    // program may end before it comes there: the access counts for nothing, its result is 0. NULL:
    // it ends the run.
    void (*fault)(Sm *sm, void *self, const Flight *f, const char *text);
} InstStreamPart;

typedef struct InstStreamBinding {
    const InstStreamPart *part;
    void *self;
} InstStreamBinding;

// At most one of a combination.
void inst_stream_bind(Sm *sm, const InstStreamPart *part, void *self);
// Is it the warp's own program?
bool inst_stream_is_own(const Sm *sm, int warp, const InstStream *s);
// `ahead` continues from where the program stands, with its stack, predicates and buffer, in front
// of it. ahead->stack has room for SM_MAX_SIMT entries. Back: the program is in front again, and
// fetched anew.
void inst_stream_front(Sm *sm, int warp, InstStream *ahead);
void inst_stream_back(Sm *sm, int warp);
// ... the instruction with which it goes on was held, decoded: fetch goes on behind it.
void inst_stream_release(Sm *sm, int warp);
void inst_stream_halt(Sm *sm, int warp);  // the stream in front goes no further
// The warp's program neither issues nor is fetched; what was fetched is dropped. inst_stream_free:
// it goes on.
void inst_stream_hold(Sm *sm, int warp);
void inst_stream_free(Sm *sm, int warp);

#endif
