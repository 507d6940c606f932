// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/source.h"

#include "sm/state.h"

// Tokens of instructions are far below this bit.
static const uint32_t mine = 1u << 31;

void source_bind(Sm *sm, const AccessSource *part, void *self) {
    SourceSet *s = &sm->sources;
    panic_if(s->n == SM_MAX_PARTS, "more than %d access sources", SM_MAX_PARTS);
    s->of[s->n++] = (BoundSource){part, self};
}

bool sources_next(Sm *sm, SourcePlace place, MemRequest *r) {
    SourceSet *s = &sm->sources;
    for (int k = 0; k < s->n; k++) {
        const int i = (s->turn + k) % s->n;
        if (s->of[i].part->place != place || !s->of[i].part->next(sm, s->of[i].self, r)) continue;
        panic_if(r->token >= SOURCE_IDS ||
                     (!s->of[i].part->perform && (r->kind == MEM_ATOMIC || r->kind == MEM_RED)),
                 "a source's request is not one of its");
        r->token |= mine | (uint32_t)i * SOURCE_IDS;
        s->turn = (i + 1) % s->n;
        return true;
    }
    return false;
}

bool sources_done(Sm *sm, uint32_t token) {
    if (!(token & mine)) return false;
    const BoundSource *s = &sm->sources.of[(token & ~mine) / SOURCE_IDS];
    if (s->part->done) s->part->done(sm, s->self, token % SOURCE_IDS);
    return true;
}

bool sources_perform(Sm *sm, uint32_t token) {
    if (!(token & mine)) return false;
    const BoundSource *s = &sm->sources.of[(token & ~mine) / SOURCE_IDS];
    s->part->perform(sm, s->self, token % SOURCE_IDS);
    return true;
}
