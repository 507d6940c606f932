// SPDX-License-Identifier: Apache-2.0
// Part "access source": memory requests that no load or store of a warp makes (injected prefetches,
// another unit's loads and stores, lines retrieved for a codec). They enter the memory system where
// the LD/ST unit does, one request per cycle in all.
#ifndef SMCOSIM_SM_PARTS_SOURCE_H
#define SMCOSIM_SM_PARTS_SOURCE_H

#include "mem/mem.h"
#include "sm/flight.h"

typedef enum SourcePlace {
    SOURCE_IDLE,  // in cycles in which the LD/ST unit has nothing to hand over
    SOURCE_FAIR,  // in turn with the LD/ST unit: after each of its requests
} SourcePlace;

enum { SOURCE_IDS = 1 << 20 };

typedef struct AccessSource {
    SourcePlace place;
    // The next request, which is taken; false: there is none. r->token: the source's own name for
    // it, below SOURCE_IDS. Atomics of global memory only where there is `perform`.
    bool (*next)(Sm *sm, void *self, MemRequest *r);
    // The request is done: a load's line is there, a store is performed, a prefetch is on its way.
    // NULL: nobody waits.
    void (*done)(Sm *sm, void *self, uint32_t id);
    // An atomic of it is at L2: it is performed now.
    void (*perform)(Sm *sm, void *self, uint32_t id);
} AccessSource;

void source_bind(Sm *sm, const AccessSource *part, void *self);
// Takes the next request of the sources with this place, round robin; its token names the source.
bool sources_next(Sm *sm, SourcePlace place, MemRequest *r);
// The memory system is done with a token: true when it was a source's.
bool sources_done(Sm *sm, uint32_t token);
bool sources_perform(Sm *sm, uint32_t token);  // ... has an atomic at L2

#endif
