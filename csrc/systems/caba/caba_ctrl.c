// SPDX-License-Identifier: Apache-2.0
// CABA: the SM's side of the controller (block assist_ctrl). At the end of a cycle the SM reports
// the cycle's events to the block. The block's outputs are the entries in use, the held parents and
// the deployed instruction. If fewer than an eighth of the issue slots of 256 cycles were idle, no
// low-priority instruction is staged in the next 256. The paper does not specify this throttle.
#include "systems/caba/caba.h"

#include "systems/regmutex/split_map.h"

#include <string.h>

// ---- open, launch ----

Caba *caba_core_open(Sm *sm, Arena *arena, const CabaUse *use, void *user) {
    Caba *s = ARENA_NEW(arena, Caba);
    s->sm = sm;
    s->arena = arena;
    s->use = use;
    s->user = user;
    s->boards = scoreboard_open(sm, arena);
    s->ctrl = cosim_block(sm->cosim, "assist_ctrl");
    s->in = s->ctrl->in;
    s->out = s->ctrl->out;
    cosim_expect_work(sm->cosim, "assist_ctrl", false);  // until a routine begins
    return s;
}

void caba_core_launch(Caba *s) {
    memset(s->of, 0, sizeof s->of);
    memset(s->preds, 0, sizeof s->preds);
    memset(s->in, 0, sizeof *s->in);
    block_eval(s->ctrl);
    s->nissued = 0;
    s->valid[CABA_LOW] = s->valid[CABA_HIGH] = s->hold = s->in_place = s->beside = 0;
    s->low_staged = s->nwaiting = s->nmade = s->noverlays = 0;
    s->idle_slots = 0;
    s->slots_left = 0;
    s->throttled = false;
}

// ---- issue ----

// A branch takes either all lanes or none. If it is taken, the staged instructions after it are
// dropped.
static bool is_taken(const Assist *a, const SmInst *in) {
    const IsaPred *g = &in->isa->guard;
    const uint32_t lanes =
        a->stream.mask & (g->neg ? ~a->stream.pred[g->reg] : a->stream.pred[g->reg]);
    panic_if(lanes && lanes != a->stream.mask, "an assist warp diverges");
    return lanes != 0;
}

static void tell_issue(Caba *s, const Assist *a, bool jumps, bool stores, int target) {
    AssistCtrlIn *in = s->in;
    const int port = s->nissued++;
    in->iss_valid[0] |= 1u << port;
    in->iss_high[0] |= (uint32_t)a->high << port;
    in->iss_warp[port] = (uint32_t)a->warp;
    in->iss_store[0] |= (uint32_t)stores << port;
    in->iss_jump[0] |= (uint32_t)jumps << port;
    in->iss_target[port] = (uint32_t)target;
}

void caba_issued(Sm *sm, Caba *s, Assist *a) {
    const SmInst *in = caba_head(a);
    const bool stores = in->isa->op == ISA_ST, jumps = in->isa->op == ISA_BRA && is_taken(a, in);
    const int target = jumps ? in->isa->target : 0;
    sm->count->v[a->high || a->storing ? CTR_ASSIST_HIGH : CTR_ASSIST_LOW]++;
    a->staged--;
    memmove(a->buffer, a->buffer + 1, (size_t)a->staged);
    a->progress = sm->cycle;
    if (!a->high && !a->storing) s->low_staged--;
    if (jumps) {
        caba_unstage(s, a);
        a->next = target;
        a->jumped = sm->cycle;
    }
    if (stores && !a->storing) {
        if (!a->high) s->low_staged -= a->staged;
        a->storing = true;
    }
    if (a->staged) a->stream.pc = a->buffer[0];
    tell_issue(s, a, jumps, stores, target);
    caba_update(s, a->warp);
}

// ---- the block ----

// Holds and resumes parents.
static void hold_parents(Sm *sm, Caba *s) {
    const uint64_t hold = caba_set(s->out->hold);
    for (uint64_t left = hold & ~s->hold; left; left &= left - 1)
        inst_stream_hold(sm, lowest(left));
    for (uint64_t left = s->hold & ~hold; left; left &= left - 1)
        inst_stream_free(sm, lowest(left));
    s->hold = hold;
}

static bool is_asked(const Caba *s) {
    return s->in->trig_valid[0] || s->valid[CABA_LOW] || s->valid[CABA_HIGH] ||
        caba_set(s->out->busy) || caba_set(s->out->busy + 2);
}

// The block's cycle: deployment, the clock edge, and the outputs of the new state.
static void run_controller(Sm *sm, Caba *s) {
    if (!is_asked(s) && !blocks_clocked(sm)) return;
    caba_offer(sm, s);
    block_eval(s->ctrl);
    if (s->out->dep_valid[0]) caba_stage(sm, s);
    block_tick(s->ctrl);
    memset(s->in, 0, sizeof *s->in);
    s->nissued = 0;
    block_eval(s->ctrl);
    hold_parents(sm, s);
}

bool caba_rests(const Sm *sm, const void *self) {
    const Caba *s = self;
    (void)sm;
    return !is_asked(s) && (!s->use->rests || s->use->rests(s));
}

// ---- the cycle ----

enum { THROTTLE_CYCLES = 256, THROTTLE_SHARE = 8 };

static void throttle_low(Sm *sm, Caba *s) {
    if (--s->slots_left > 0) return;
    s->throttled = s->slots_left == 0 &&
        s->idle_slots * THROTTLE_SHARE < THROTTLE_CYCLES * sm->cfg->sm_schedulers;
    s->slots_left = THROTTLE_CYCLES;
    s->idle_slots = 0;
}

void caba_on_class(Sm *sm, void *self, const ClassEvent *e) {
    (void)sm;
    ((Caba *)self)->idle_slots += e->what != CTR_ISSUED && e->what != CTR_ASSIST_ISSUED;
}

// Kills take effect when they are requested.
void caba_on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    Caba *s = self;
    (void)e;
    if (sm->failed) return;
    throttle_low(sm, s);
    sm->count->v[CTR_ASSIST_THROTTLED] += s->throttled;
    if (s->use->before) s->use->before(sm, s);
    caba_give_up_slow(sm, s);
    caba_end_routines(sm, s);
    if (s->use->begin && !sm->failed) s->use->begin(sm, s);
    if (!sm->failed) run_controller(sm, s);
    if (s->use->behind && !sm->failed) s->use->behind(sm, s);
}

void caba_on_begun(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!inst_stream_is_own(sm, f->warp, f->stream))
        caba_of(self, f->stream == &((Caba *)self)->of[CABA_HIGH][f->warp].stream, f->warp)
            ->flights++;
}

void caba_on_ended(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    if (!inst_stream_is_own(sm, f->warp, f->stream))
        caba_of(self, f->stream == &((Caba *)self)->of[CABA_HIGH][f->warp].stream, f->warp)
            ->flights--;
}
