// SPDX-License-Identifier: Apache-2.0
// Named barriers of a CTA: sync, arrive, red. Warps arrive, not threads: an arriving warp counts as
// 32 threads, as on hardware. Lanes that have ended do not delay their warp. A barrier without
// count does not expect warps that have ended.
#include "sm/stages/barrier_stage.h"

#include "sm/listeners/explain_state.h"
#include "sm/parts/barrier_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/parts/hazards.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

// Delivers a reduction to a waiting warp.
static void deliver_reduction(Sm *sm, const Barrier *b, int warp) {
    Flight *f = sm->barriers->flight[warp];
    const IsaInst *isa = f->inst->isa;
    sm->barriers->number[warp] = SM_NONE;
    sm->at_barrier &= ~warp_bit(warp);
    hazards_recheck(sm, warp);
    if (isa->mode != ISA_BAR_RED) {
        flight_end(sm, f);
        return;
    }
    uint32_t value = isa->atom == PTX_ATOM_OR ? b->any : b->all;
    f->out.pdst[0] = value ? ~0u : 0;
    f->out.pdst[1] = ~f->out.pdst[0];
    for (int l = 0; l < ISA_LANES; l++) f->out.dst[0][l] = b->count;
    wheel_put(sm, f, f->inst->latency);
}

static void release_barrier(Sm *sm, int slot, int number) {
    Barrier *b = &sm->barriers->of[slot][number];
    Barrier done = *b;
    notify_released(sm, (BarrierEvent){NULL, slot, number});
    *b = (Barrier){0};
    for (WarpSet left = done.waiting; left; left &= left - 1)
        deliver_reduction(sm, &done, lowest(left));
}

static void check_barrier(Sm *sm, int slot, int number) {
    const Cta *cta = &sm->ctas[slot];
    const Barrier *b = &sm->barriers->of[slot][number];
    if (b->arrived && b->arrived >= barrier_expected(cta, b)) release_barrier(sm, slot, number);
}

static bool others_decide(const Sm *sm) {
    return sm->barrier.part && sm->barrier.part->decides(sm, sm->barrier.self);
}

void barrier_release(Sm *sm, int slot, int number, uint64_t warps) {
    const Barrier *b = &sm->barriers->of[slot][number];
    panic_if(b->waiting != warps, "barrier %d of CTA slot %d releases the warps %llx, %llx wait",
             number, slot, (unsigned long long)warps, (unsigned long long)b->waiting);
    sm_progress(sm);
    release_barrier(sm, slot, number);
}

// A CTA never ends if all its warps wait at barriers that no warp can complete.
static void check_deadlock(Sm *sm, int slot) {
    const Cta *cta = &sm->ctas[slot];
    WarpSet live = cta->warps & sm->resident & ~sm->ended;
    if (live && !(live & ~sm->at_barrier)) explain_deadlock(sm, slot);
}

static void refuse_barrier(Sm *sm, const Flight *f, const char *what, uint32_t value) {
    char place[256];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    sm_fail(sm, EXIT_WRONG_RESULT,
            "%s: %s %u; barriers are 0 to %d, thread counts are multiples of 32 up to the "
            "block's threads in whole warps (%d)",
            place, what, value, sm->cfg->sm_barriers - 1, sm->warps_per_cta * ISA_LANES);
}

void barrier_arrive(Sm *sm, Flight *f, uint32_t number, uint32_t threads, bool counted) {
    const int warp = f->warp, slot = sm->warps[warp].cta;
    const IsaInst *isa = f->inst->isa;
    const bool decided = others_decide(sm);
    if (number >= (uint32_t)sm->cfg->sm_barriers) {
        refuse_barrier(sm, f, "barrier number", number);
        return;
    }
    if (counted &&
        (threads == 0 || threads % ISA_LANES ||
         threads > (uint32_t)sm->warps_per_cta * ISA_LANES)) {
        refuse_barrier(sm, f, "barrier for a thread count of", threads);
        return;
    }
    Barrier *b = &sm->barriers->of[slot][number];
    if (b->arrived == 0) *b = (Barrier){.all = 1};
    b->arrived++;
    if (counted) b->expected = (int)threads / ISA_LANES;
    if (isa->mode == ISA_BAR_RED) {
        uint32_t p = f->psrc[0] & f->active;
        b->any |= p != 0;
        b->all &= p == f->active;
        b->count += (unsigned)__builtin_popcount(p);
    }
    notify_arrived(sm, (BarrierEvent){f, slot, (int)number});
    if (isa->mode == ISA_BAR_ARRIVE) {
        flight_end(sm, f);  // arrive: the warp continues
    } else {
        b->waiting |= warp_bit(f->warp);
        sm->barriers->number[f->warp] = (int)number;
        sm->barriers->flight[f->warp] = f;
        sm->at_barrier |= warp_bit(f->warp);
    }
    if (decided) {
        sm->barrier.part->arrives(sm, sm->barrier.self,
                                  &(BarrierArrival){.slot = slot,
                                                    .warp = warp,
                                                    .number = (int)number,
                                                    .count = counted ? (int)threads / ISA_LANES : 0,
                                                    .sync = isa->mode != ISA_BAR_ARRIVE,
                                                    .with = isa->with_scalar});
        return;
    }
    check_barrier(sm, slot, (int)number);
    check_deadlock(sm, slot);
}

void barrier_warp_ended(Sm *sm, int slot) {
    Cta *cta = &sm->ctas[slot];
    cta->live--;
    if (others_decide(sm)) {
        sm->barrier.part->warp_ends(sm, sm->barrier.self, slot);
        return;
    }
    for (int i = 0; i < sm->cfg->sm_barriers; i++) check_barrier(sm, slot, i);
    check_deadlock(sm, slot);
}
