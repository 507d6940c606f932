// SPDX-License-Identifier: Apache-2.0
// Part "stream": a second stream of instructions in a warp slot, beside the warp's own program. It has its own mask and
// predicates (struct Stream) and shares the warp's registers, scoreboard and memory order, units and collectors. Its
// instructions come decoded, without a fetch; control instructions (branches, exits, barriers) are not among them.
//
// A scheduler tries the second streams of its warps before their own programs (`above`), or in a cycle in which none of
// these issues. Of several warps the policy takes the first. The warp's slot stays in use while an instruction of the
// second stream is in flight, but a warp whose threads have ended issues nothing more.
#ifndef SMCOSIM_SM_PARTS_STREAM_H
#define SMCOSIM_SM_PARTS_STREAM_H

#include "counters/counters.h"
#include "sm/inst.h"
#include "sm/warp.h"

typedef struct Sm Sm;

typedef struct StreamPart {
    bool above;            // goes before the warps' own programs
    CounterId only;        // class of a scheduler's cycle in which no own instruction issued and one of these did
    // Without effect: warps whose second stream has an instruction now; the stream, with pc, mask and predicates; the
    // instruction. The last two are asked of these warps only.
    uint64_t (*active)(const Sm *sm, const void *self);
    Stream *(*stream)(const Sm *sm, void *self, int warp);
    const SmInst *(*head)(const Sm *sm, const void *self, int warp);
    // It has issued: on to the next one.
    void (*issued)(Sm *sm, void *self, int warp);
} StreamPart;

typedef struct StreamBinding { const StreamPart *part; void *self; } StreamBinding;

// At most one of a combination.
void stream_bind(Sm *sm, const StreamPart *part, void *self);
// Is it the warp's own program?
bool stream_is_own(const Sm *sm, int warp, const Stream *s);

#endif
