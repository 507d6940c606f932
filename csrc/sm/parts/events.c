// SPDX-License-Identifier: Apache-2.0
// The listeners of each event.
#include "sm/parts/events.h"

#include "mem/codec.h"
#include "sm/stages/ldst.h"
#include "sm/state.h"

// Requests of sources (parts/source.h) cause no event.
static void load_missed(void *ctx, int port, uint32_t token) {
    Sm *sm = ctx;
    const uint32_t index = token / SM_TOKEN_PARTS;
    (void)port;
    if (index < SM_FLIGHTS && sm->flights[index].inst)
        notify_missed(sm, (FlightEvent){&sm->flights[index]});
}

static void request_issued(void *ctx, int port, uint32_t token, int lines, int conflicts) {
    Sm *sm = ctx;
    const uint32_t index = token / SM_TOKEN_PARTS;
    const bool known = index < SM_FLIGHTS && sm->flights[index].inst;
    (void)port;
    notify_requested(sm, (RequestEvent){known ? &sm->flights[index] : NULL, lines, conflicts});
}

static void line_worked(void *ctx, const MemWork *w) { notify_worked(ctx, (WorkEvent){w}); }

// The memory system reports lines only if a listener subscribes to them.
static void watch_lines(Sm *sm) {
    static const MemWatch loads = {.missed = load_missed, .issued = request_issued},
                          all = {.worked = line_worked,
                                 .missed = load_missed,
                                 .issued = request_issued};
    const Events *v = &sm->events;
    const bool some = v->missed.n || v->requested.n;
    mem_set_watch(sm->mem, v->worked.n ? &all : some ? &loads : NULL, sm);
}

void events_subscribe(Sm *sm, const Listener *listener, void *self) {
    Events *v = &sm->events;
#define E(event, Type) \
    if (listener->event) { \
        panic_if(v->event.n == SM_MAX_LISTENERS, "too many listeners of %s", #event); \
        v->event.of[v->event.n].tell = listener->event; \
        v->event.of[v->event.n++].self = self; \
    }
    SM_EVENTS(E)
#undef E
    watch_lines(sm);
}

void events_unsubscribe(Sm *sm, const void *self) {
    Events *v = &sm->events;
#define E(event, Type) \
    { \
        int n = 0; \
        for (int i = 0; i < v->event.n; i++) \
            if (v->event.of[i].self != self) v->event.of[n++] = v->event.of[i]; \
        v->event.n = n; \
    }
    SM_EVENTS(E)
#undef E
    watch_lines(sm);
}
