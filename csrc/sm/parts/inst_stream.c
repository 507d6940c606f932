// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/inst_stream.h"

#include "sm/parts/hazards.h"
#include "sm/stages/fetch.h"
#include "sm/state.h"

#include <string.h>

void inst_stream_bind(Sm *sm, const InstStreamPart *part, void *self) {
    panic_if(sm->beside.part, "two parts bring second streams");
    sm->beside = (InstStreamBinding){part, self};
}

bool inst_stream_is_own(const Sm *sm, int warp, const InstStream *s) {
    return s == &sm->warps[warp].own;
}

void inst_stream_front(Sm *sm, int warp, InstStream *ahead) {
    Warp *w = &sm->warps[warp];
    SimtEntry *stack = ahead->stack;
    panic_if(w->front != &w->own, "the program of warp %d is not in front", warp);
    *ahead = w->own;
    ahead->stack = stack;
    ahead->apart = true;
    memcpy(stack, w->own.stack, sizeof *stack * w->own.depth);
    w->front = ahead;
    sm->away |= warp_bit(warp);
    hazards_recheck(sm, warp);
}

void inst_stream_back(Sm *sm, int warp) {
    Warp *w = &sm->warps[warp];
    w->front = &w->own;
    sm->away &= ~warp_bit(warp);
    sm->halted &= ~warp_bit(warp);
    sm->control &= ~warp_bit(warp);
    fetch_redirect(sm, warp);
}

void inst_stream_release(Sm *sm, int warp) {
    InstStream *own = &sm->warps[warp].own;
    panic_if(sm->warps[warp].front != own || own->ib_count, "warp %d has its instructions", warp);
    own->ib_count = 1;
    own->fetch_pc = (int)own->pc + 1;
    fetch_wants(sm, warp);
}

void inst_stream_halt(Sm *sm, int warp) {
    sm->halted |= warp_bit(warp);
    fetch_wants(sm, warp);
}

void inst_stream_hold(Sm *sm, int warp) {
    sm->held |= word_bit(warp);
    fetch_redirect(sm, warp);
}

void inst_stream_free(Sm *sm, int warp) {
    sm->held &= ~word_bit(warp);
    fetch_wants(sm, warp);
}
