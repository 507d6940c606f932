// SPDX-License-Identifier: Apache-2.0
// Opens the systems of an architecture and binds their parts to the stages.
#include "sm/parts/system.h"

#include "sm/state.h"

static void bind_system(Sm *sm, const System *s, void *self) {
    if (s->places) {
        sm->places = s->places;
        sm->places_self = self;
    }
    if (s->hazards) hazards_bind(sm, s->hazards, self);
    if (s->gate) gate_bind(sm, s->gate, self);
    if (s->nunits) units_bind(sm, s->units, s->nunits, self);
    if (s->stream) inst_stream_bind(sm, s->stream, self);
    if (s->admission) admission_bind(sm, s->admission, self);
    if (s->load) load_bind(sm, s->load, self);
    if (s->source) source_bind(sm, s->source, self);
    if (s->codec) mem_set_codec(sm->mem, s->codec, self);
    if (s->sched) {
        sm->policy = s->sched;
        sm->policy_self = self;
    }
    if (s->listener) events_subscribe(sm, s->listener, self);
    if (s->clock) clock_bind(sm, s->clock, self);
    if (s->barrier) sm->barrier = (BarrierBinding){s->barrier, self};
}

bool systems_open(Sm *sm, Arena *arena, Diag *d) {
    const Arch *a = &sm->gpu->arch;
    if (sm->path->listener) events_subscribe(sm, sm->path->listener, sm->path_self);
    for (int i = 0; i < a->n; i++) {
        const System *s = a->systems[i];
        if (s->open) sm->selves[i] = s->open(sm, arena);
        if (s->check && !s->check(sm, sm->selves[i], d)) return false;
        bind_system(sm, s, sm->selves[i]);
    }
    return true;
}

void systems_launch(Sm *sm) {
    const Arch *a = &sm->gpu->arch;
    for (int i = 0; i < a->n; i++)
        if (a->systems[i]->launch) a->systems[i]->launch(sm, sm->selves[i]);
}
