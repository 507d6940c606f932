// SPDX-License-Identifier: Apache-2.0
// Hooks of the embedding program (SmHooks: traces) as a listener.
#include "sm/listeners/listeners.h"

#include "sm/listeners/states.h"
#include "sm/state.h"

_Static_assert((int)SM_FLIGHTS <= (int)SM_STEP_RECORDS, "a record for each instruction in flight");

struct TraceListener {
    const SmHooks *hooks;
    Listener listener;               // the events with hooks
    uint32_t classes[SM_MAX_SCHED];  // of each scheduler, as last reported
    int port;                        // of the last dispatch
    States states;
};

static const SmHooks *listener_hooks(void *self) { return ((TraceListener *)self)->hooks; }

static void on_cta_begin(Sm *sm, void *self, const CtaEvent *e) {
    listener_hooks(self)->cta_launched(listener_hooks(self)->ctx, sm->cycle, e->slot,
                                       sm->ctas[e->slot].id);
}

static void on_cta_end(Sm *sm, void *self, const CtaEvent *e) {
    listener_hooks(self)->cta_ended(listener_hooks(self)->ctx, sm->cycle, e->slot);
}

static void on_warp_begin(Sm *sm, void *self, const WarpEvent *e) {
    listener_hooks(self)->warp_launched(listener_hooks(self)->ctx, sm->cycle, e->warp, e->slot,
                                        e->number);
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    listener_hooks(self)->warp_ended(listener_hooks(self)->ctx, sm->cycle, e->warp);
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    if (inst_stream_is_own(sm, e->warp, e->stream))
        listener_hooks(self)->issued(listener_hooks(self)->ctx, sm->cycle, e->scheduler, e->warp,
                                     (int)e->pc);
}

static void on_class(Sm *sm, void *self, const ClassEvent *e) {
    TraceListener *t = self;
    if (t->classes[e->scheduler] == (uint32_t)e->what) return;
    t->classes[e->scheduler] = (uint32_t)e->what;
    t->hooks->scheduler_class(t->hooks->ctx, sm->cycle, e->scheduler, e->what);
}

// Instructions of scalar threads and assist warps have records of their own and are not traced.
static void tell_step(Sm *sm, void *self, SmStepKind kind, const Flight *f, int place, int n,
                      const uint8_t *regs, const uint32_t (*values)[ISA_LANES]) {
    if (f < sm->flights || f >= sm->flights + SM_FLIGHTS) return;
    const Unit *unit = &sm->units[f->inst->unit];
    listener_hooks(self)->step(listener_hooks(self)->ctx, sm->cycle,
                               &(SmStep){.kind = kind,
                                         .record = (int)(f - sm->flights),
                                         .warp = f->warp,
                                         .pc = f->pc,
                                         .place = place,
                                         .inst = f->inst->isa,
                                         .unit = unit->row ? unit->row->name : "",
                                         .lanes = f->active,
                                         .n = n,
                                         .regs = regs,
                                         .values = values});
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    tell_step(sm, self, SM_STEP_BEGUN, e->flight, 0, 0, NULL, NULL);
}
static void on_executed(Sm *sm, void *self, const FlightEvent *e) {
    tell_step(sm, self, SM_STEP_EXECUTING, e->flight,
              e->flight->inst->at_issue ? 0 : ((TraceListener *)self)->port, 0, NULL, NULL);
}
static void on_result(Sm *sm, void *self, const FlightEvent *e) {
    tell_step(sm, self, SM_STEP_RESULT, e->flight, 0, 0, NULL, NULL);
}
static void on_ended(Sm *sm, void *self, const FlightEvent *e) {
    tell_step(sm, self, SM_STEP_ENDED, e->flight, 0, 0, NULL, NULL);
}
static void on_entered(Sm *sm, void *self, const CollectorEvent *e) {
    tell_step(sm, self, SM_STEP_COLLECTING, e->flight, e->slot, 0, NULL, NULL);
}

static void on_dispatched(Sm *sm, void *self, const CollectorEvent *e) {
    ((TraceListener *)self)->port = e->port;  // port of the unit that takes it next
    tell_step(sm, self, SM_STEP_DISPATCHED, e->flight, e->slot, 0, NULL, NULL);
}

static void on_operands(Sm *sm, void *self, const OperandsEvent *e) {
    tell_step(sm, self, SM_STEP_OPERANDS, e->flight, 0, e->n, e->flight->inst->op_reg + e->first,
              e->flight->ops + e->first);
}

static void on_offered(Sm *sm, void *self, const WordEvent *e) {
    const SmInst *in = e->flight->inst;
    tell_step(sm, self, SM_STEP_WRITING, e->flight, e->port, 1, &in->dst_reg[e->word],
              &e->flight->out.dst[in->dst_word[e->word]]);
}

static void on_written(Sm *sm, void *self, const WordEvent *e) {
    tell_step(sm, self, SM_STEP_WRITTEN, e->flight, e->port, 0, NULL, NULL);
}

static void on_worked(Sm *sm, void *self, const WorkEvent *e) {
    const int64_t now = (int64_t)sm->cycle * 1000;
    listener_hooks(self)->memory(listener_hooks(self)->ctx, (uint64_t)(now + e->work->from_m),
                                 (uint64_t)(now + e->work->to_m), e->work);
}

static void on_bank_access(Sm *sm, void *self, const BankEvent *e) {
    (void)sm;
    listener_hooks(self)->bank_access(listener_hooks(self)->ctx, e->cycle, e->bank, e->write);
}

static void on_driven(Sm *sm, void *self, const CycleEvent *e) {
    TraceListener *t = self;
    for (WarpSet left = states_update(sm, &t->states); left; left &= left - 1) {
        int warp = lowest(left);
        t->hooks->warp_state(t->hooks->ctx, e->cycle, warp, (SmWarpState)t->states.of[warp]);
    }
}

static void on_held(Sm *sm, void *self, const RegistersEvent *e) {
    const int n = __builtin_popcountll(e->regs);
    listener_hooks(self)->registers_held(listener_hooks(self)->ctx, sm->cycle, e->warp, n,
                                         n ? lowest(e->regs) : 0,
                                         n ? 63 - __builtin_clzll(e->regs) : 0);
}

static void on_ahead(Sm *sm, void *self, const AheadEvent *e) {
    listener_hooks(self)->ahead(listener_hooks(self)->ctx, sm->cycle, e->warp, e->ahead, e->results,
                                e->renamed);
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    const unsigned architected = (unsigned)(sm->nwarps_resident * sm->launch->program->home_regs);
    listener_hooks(self)->registers(listener_hooks(self)->ctx, e->cycle, architected,
                                    sm->path->used ? sm->path->used(sm, sm->path_self) : 0);
}

TraceListener *trace_listen(Sm *sm, Arena *arena, const SmHooks *h) {
    TraceListener *t = ARENA_NEW(arena, TraceListener);
    t->hooks = h;
    t->listener = (Listener){
        .cta_begin = h->cta_launched ? on_cta_begin : NULL,
        .cta_end = h->cta_ended ? on_cta_end : NULL,
        .warp_begin = h->warp_launched ? on_warp_begin : NULL,
        .warp_end = h->warp_ended ? on_warp_end : NULL,
        .issued = h->issued ? on_issued : NULL,
        .scheduler_class = h->scheduler_class ? on_class : NULL,
        .begun = h->step ? on_begun : NULL,
        .entered = h->step ? on_entered : NULL,
        .operands_read = h->step ? on_operands : NULL,
        .dispatched = h->step ? on_dispatched : NULL,
        .executed = h->step ? on_executed : NULL,
        .result = h->step ? on_result : NULL,
        .offered = h->step ? on_offered : NULL,
        .written = h->step ? on_written : NULL,
        .ended = h->step ? on_ended : NULL,
        .worked = h->memory ? on_worked : NULL,
        .bank_access = h->bank_access ? on_bank_access : NULL,
        .driven = h->warp_state ? on_driven : NULL,
        .held = h->registers_held ? on_held : NULL,
        .ahead = h->ahead ? on_ahead : NULL,
        .cycle_end = h->registers ? on_cycle_end : NULL,
    };
    events_subscribe(sm, &t->listener, t);
    return t;
}
