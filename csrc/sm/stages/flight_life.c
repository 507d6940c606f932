// SPDX-License-Identifier: Apache-2.0
// Instructions in flight: allocation and release of their records, and the effects of their
// beginning and end on the warp.
#include "sm/flight.h"

#include "sm/parts/hazards.h"
#include "sm/parts/order.h"
#include "sm/stages/cta.h"
#include "sm/state.h"

void flights_open(Sm *sm, Arena *arena) { sm->flights = ARENA_ARRAY(arena, Flight, SM_FLIGHTS); }

// Allocates the record that was released last, because it is in the host's cache.
void flights_launch(Sm *sm) {
    sm->unused = (FlightList){0};
    for (int i = SM_FLIGHTS - 1; i >= 0; i--) {
        sm->flights[i].inst = NULL;
        flight_push_front(&sm->unused, FLIGHT_AT, &sm->flights[i]);
    }
    sm->nflights = 0;
}

Flight *flight_new(Sm *sm, int warp, InstStream *stream, const SmInst *in, uint32_t active) {
    Warp *w = &sm->warps[warp];
    Flight *f = flight_pop(&sm->unused, FLIGHT_AT);
    panic_if(!f, "no flight record left");
    sm->nflights++;
    f->inst = in;
    f->stream = stream;
    f->pc = (int32_t)stream->pc;
    f->warp = (int16_t)warp;
    f->uops_left = in->at_issue ? 0 : in->nuops;
    f->writes_left = in->nwrites;
    f->word = f->uops_sent = f->placed = 0;
    f->in_collector = !in->at_issue;
    f->early = f->broadcast_there = false;
    f->dst_known = 0;
    f->active = active;
    f->kept = 0;
    f->present = stream->mask;
    for (int i = 0; i < 3; i++) {
        const IsaPred *p = &in->psrc[i];
        f->psrc[i] = p->neg ? ~stream->pred[p->reg] : stream->pred[p->reg];
    }
    w->flights++;
    hazards_begin(sm, f);
    if (in->mem != SM_MEM_NOT) order_begin(sm, f);
    notify_begun(sm, (FlightEvent){f});
    return f;
}

void flight_end(Sm *sm, Flight *f) {
    Warp *w = &sm->warps[f->warp];
    panic_if(w->flights == 0 || f->inst == NULL, "flight of warp %d ends twice", f->warp);
    if (f->inst->mem != SM_MEM_NOT) order_done(sm, f);
    w->flights--;
    hazards_passed(sm, f->warp, 0);
    notify_ended(sm, (FlightEvent){f});
    f->inst = NULL;
    flight_push_front(&sm->unused, FLIGHT_AT, f);
    sm->nflights--;
    if (w->flights == 0 && sm->ended & warp_bit(f->warp)) cta_warp_done(sm, f->warp);
}

void flights_hold(Sm *sm, int warp) { sm->warps[warp].flights++; }

void flights_release(Sm *sm, int warp) {
    Warp *w = &sm->warps[warp];
    panic_if(w->flights == 0, "warp %d is held by nothing", warp);
    if (--w->flights == 0 && sm->ended & word_bit(warp)) cta_warp_done(sm, warp);
}
