// SPDX-License-Identifier: Apache-2.0
// Part "access source": memory requests that do not originate from a warp's load or store. Examples
// are injected prefetches, loads and stores of another unit, and lines retrieved for a codec. They
// enter the memory system at the same point as the LD/ST unit, with one request per cycle in all.
#ifndef SMCOSIM_SM_PARTS_SOURCE_H
#define SMCOSIM_SM_PARTS_SOURCE_H

#include "mem/mem.h"
#include "sm/flight.h"

typedef enum SourcePlace {
    SOURCE_IDLE,  // in cycles in which the LD/ST unit has no request
    SOURCE_FAIR,  // in turn with the LD/ST unit: after each of its requests
} SourcePlace;

enum { SOURCE_IDS = 1 << 20 };

typedef struct AccessSource {
    SourcePlace place;
    // Removes and returns the next request; false: there is none. r->token: the source's own number
    // of the request, below SOURCE_IDS. Atomics of global memory require `perform`.
    bool (*next)(Sm *sm, void *self, MemRequest *r);
    // The request is complete: a load's line has arrived, a store is performed, a prefetch is in
    // flight. NULL: no request needs a completion.
    void (*done)(Sm *sm, void *self, uint32_t id);
    // An atomic of the source is performed at L2 now.
    void (*perform)(Sm *sm, void *self, uint32_t id);
} AccessSource;

void source_bind(Sm *sm, const AccessSource *part, void *self);
// Selects the next request of the sources of this kind, round-robin. The request's token names the
// source.
bool sources_next(Sm *sm, SourcePlace place, MemRequest *r);
// The memory system has completed a token: true if the token belongs to a source.
bool sources_done(Sm *sm, uint32_t token);
bool sources_perform(Sm *sm, uint32_t token);  // performs an atomic of a source at L2

#endif
