// SPDX-License-Identifier: Apache-2.0
// Barriers of a kernel with scalar threads: k = 0 counts the warps, k = 1 also the thread
// (specification, rules 14 to 16). Block cta_barrier decides; stages/barrier_stage.c records the
// waiting warps. The events of a cycle are reported at its end. The block's registers contain the
// releases of the next cycle, so a release takes effect then. Without such threads the stage
// decides in the middle of a cycle, and a later scheduler may issue a warp that an earlier one
// released.
#include "systems/scalar/scalar.h"

#include "sm/listeners/explain_state.h"
#include "sm/stages/barrier_stage.h"

#include <string.h>

// ---- news ----

static void push_news(Scalar *s, BarrierNews news) {
    panic_if(s->nnews == SCALAR_NEWS, "more than %d arrivals at barriers wait", SCALAR_NEWS);
    s->news[(s->first_news + s->nnews++) % SCALAR_NEWS] = news;
}

static void arrives(Sm *sm, void *self, const BarrierArrival *a) {
    (void)sm;
    push_news(self, (BarrierNews){.arrival = *a});
}

static void warp_ends(Sm *sm, void *self, int slot) {
    (void)sm;
    push_news(self, (BarrierNews){.arrival = {.slot = slot}, .end = true});
}

static bool decides(const Sm *sm, const void *self) {
    (void)sm;
    return ((const Scalar *)self)->on;
}

bool scalar_arrive(Sm *sm, Scalar *s, int thread, uint32_t number, bool sync, const Flight *f) {
    ScalarThread *t = &s->thread[thread];
    CtaBarrierIn *in = s->barrier_in;
    const int unit = t->unit;
    if (number >= (uint32_t)sm->cfg->sm_barriers) {
        char place[256];
        scalar_where(sm, s, f, place, sizeof place);
        sm_fail(sm, EXIT_WRONG_RESULT, "%s: barrier number %u; barriers are 0 to %d", place, number,
                sm->cfg->sm_barriers - 1);
        return false;
    }
    in->sc_valid[0] |= 1u << unit;
    in->sc_cta[unit] = (uint32_t)t->slot;
    in->sc_number[unit] = number;
    in->sc_sync[0] |= (uint32_t)sync << unit;
    t->at_barrier = sync;
    return true;
}

// ---- a cycle ----

static void no_inputs(CtaBarrierIn *in) {
    in->start_valid[0] = in->arr_valid[0] = in->arr_sync[0] = in->arr_with[0] = in->end_valid[0] =
        0;
    in->sc_valid[0] = in->sc_sync[0] = 0;
    memset(in->scalar_end, 0, sizeof in->scalar_end);
}

void scalar_barrier_begin(Scalar *s) {
    CtaBarrierIn *in = s->barrier_in;
    no_inputs(in);
    if (s->begins == SM_NONE) return;
    const int slot = s->begins;
    s->with[slot] = 0;  // warps of a phase that ends in this cycle
    s->waits_with &= ~(1u << slot);
    in->start_valid[0] = 1;
    in->start_cta[0] = (uint32_t)slot;
    in->start_warps[0] = s->live[slot];
    in->start_scalar[0] = s->on && !s->detached;
    s->begins = SM_NONE;
}

static bool has_clash(const CtaBarrierIn *in, int n, const BarrierArrival *a) {
    for (int r = 0; r < n; r++) {
        if ((int)in->arr_warp[r] == a->warp) return true;
        if ((int)in->arr_cta[r] == a->slot && (int)in->arr_number[r] == a->number &&
            in->arr_count[r] && a->count && (int)in->arr_count[r] != a->count)
            return true;
    }
    return false;
}

static void offer_arrival(CtaBarrierIn *in, int r, const BarrierArrival *a) {
    in->arr_valid[0] |= 1u << r;
    in->arr_cta[r] = (uint32_t)a->slot;
    in->arr_warp[r] = (uint32_t)a->warp;
    in->arr_number[r] = (uint32_t)a->number;
    in->arr_sync[0] |= (uint32_t)a->sync << r;
    in->arr_count[r] = (uint32_t)a->count;
    in->arr_with[0] |= (uint32_t)a->with << r;
}

// Offers events to the ports in order, one event per port.
static void offer_news(const Sm *sm, Scalar *s) {
    CtaBarrierIn *in = s->barrier_in;
    const int ports = sm->cfg->sm_schedulers;
    int arrivals = 0, ends = 0;
    for (; s->nnews; s->nnews--, s->first_news = (s->first_news + 1) % SCALAR_NEWS) {
        const BarrierNews *n = &s->news[s->first_news];
        if (n->end) {
            if (ends == ports) return;
            in->end_valid[0] |= 1u << ends;
            in->end_cta[ends++] = (uint32_t)n->arrival.slot;
            s->live[n->arrival.slot]--;
        } else {
            if (arrivals == ports || has_clash(in, arrivals, &n->arrival)) return;
            offer_arrival(in, arrivals++, &n->arrival);
            if (!n->arrival.with) continue;
            s->waits_with |= 1u << n->arrival.slot;
            s->with[n->arrival.slot] |= 1u << n->arrival.number;
        }
    }
}

static void release_barrier(Sm *sm, Scalar *s, int slot) {
    const CtaBarrierOut *out = s->barrier_out;
    const int thread = s->of_slot[slot];
    const bool goes_on = out->rel_scalar[0] >> slot & 1;
    uint64_t warps = 0;
    for (int w = slot * sm->warps_per_cta; w < (slot + 1) * sm->warps_per_cta; w++)
        if (out->rel_warps[w]) warps |= word_bit(w);
    panic_if(goes_on && (thread == SM_NONE || !s->thread[thread].at_barrier),
             "a barrier releases a scalar thread that is not there");
    if (goes_on) s->thread[thread].at_barrier = false;
    const uint32_t bit = 1u << out->rel_number[slot];
    if (s->with[slot] & bit || goes_on) {
        sm->count->v[CTR_SCALAR_BARRIERS]++;
        sm->count->v[CTR_SCALAR_BARRIERS_ALONE] += thread == SM_NONE || !s->live[slot];
    }
    s->with[slot] &= ~bit;
    if (!s->with[slot]) s->waits_with &= ~(1u << slot);
    barrier_release(sm, slot, (int)out->rel_number[slot], warps);
}

// Checks whether all warps wait, and the thread waits too or does not exist.
static void check_deadlock(Sm *sm, const Scalar *s, int slot) {
    const WarpSet live = sm->ctas[slot].warps & sm->resident & ~sm->ended;
    const int thread = s->of_slot[slot];
    const ScalarThread *t = thread == SM_NONE ? NULL : &s->thread[thread];
    if ((live && live & ~sm->at_barrier) || (!live && !t) || (t && !t->at_barrier)) return;
    explain_deadlock(sm, slot);
}

static void count_waits(Sm *sm, const Scalar *s) {
    for (uint32_t left = s->waits_with; left; left &= left - 1) {
        const int slot = __builtin_ctz(left);
        const WarpSet live = sm->ctas[slot].warps & sm->resident & ~sm->ended;
        if (live && !(live & ~sm->at_barrier))
            sm->count->v[CTR_SCALAR_WAIT] += (unsigned)warps_in(live);
    }
}

void scalar_barrier_cycle(Sm *sm, Scalar *s) {
    const CtaBarrierIn *in = s->barrier_in;
    const CtaBarrierOut *out = s->barrier_out;
    s->barrier_told = s->nnews > 0 || in->sc_valid[0];
    for (int slot = 0; slot < sm->cta_limit; slot++) s->barrier_told |= in->scalar_end[slot];
    offer_news(sm, s);
    // after a release another phase may already be complete
    s->barrier_moves = s->all || out->rel_valid[0] || s->barrier_told || in->start_valid[0];
    if (s->waits_with) count_waits(sm, s);
    if (!s->barrier_moves) return;
    block_eval(s->barrier);
    if (!out->error[0]) return;
    const Cta *cta = &sm->ctas[__builtin_ctz(out->error[0])];
    sm_fail(sm, EXIT_WRONG_RESULT,
            "kernel %s: CTA (%u,%u,%u): barriers with and without the scalar thread in one phase",
            sm->launch->program->name, cta->id[0], cta->id[1], cta->id[2]);
}

void scalar_barrier_releases(Sm *sm, Scalar *s) {
    const CtaBarrierOut *out = s->barrier_out;
    no_inputs(s->barrier_in);
    block_eval(s->barrier);
    const uint32_t moved = out->rel_valid[0];
    for (uint32_t left = moved; left; left &= left - 1) release_barrier(sm, s, __builtin_ctz(left));
    if (s->nnews || !(s->barrier_told || moved)) return;
    for (int slot = 0; slot < sm->cta_limit && !sm->failed; slot++)
        if (sm->ctas[slot].used && !(moved >> slot & 1)) check_deadlock(sm, s, slot);
}

// ---- a hang ----

static void explain(Text *t, const Sm *sm, const void *self) {
    const Scalar *s = self;
    (void)sm;
    for (int i = 0, n = 0; i < s->nthreads && n < 6; i++) {
        const ScalarThread *x = &s->thread[i];
        if (!x->used) continue;
        n++;
        text_add(t, "\n  scalar thread of CTA (%u,%u,%u) at ", x->ctaid[0], x->ctaid[1],
                 x->ctaid[2]);
        text_instruction(t, &s->place, (int)x->pc);
        text_add(t, ": %s",
                 x->at_barrier    ? "waits at a barrier"
                     : x->leaving ? "has ended, its accesses have not"
                     : x->all     ? "waits for memory"
                                  : "goes on");
    }
}

const BarrierPart scalar_barriers = {
    .decides = decides, .arrives = arrives, .warp_ends = warp_ends, .explain = explain};
