// SPDX-License-Identifier: Apache-2.0
// The class of every scheduler cycle: issued, or the cause of the stall (classes of the P-mode
// paper, section 3).
//
// The class of a cycle without issue is the class of one warp: the first warp, in the policy's
// order, that has an instruction in its buffer and is not at a barrier. If there is no such warp,
// the class is `fetch` when a warp waits for instructions. The class is `barrier` when warps wait
// at barriers or sleep, otherwise `no instruction left`.
#include "sm/stages/stall.h"

#include "sm/parts/gate.h"
#include "sm/parts/units.h"
#include "sm/state.h"

static CounterId class_of(const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    if (sm->halted & warp_bit(warp)) return CTR_STALL_HALTED;
    switch (w->hazard) {
    case HAZARD_LONG: return CTR_STALL_RAW_LONG;
    case HAZARD_SHORT: return CTR_STALL_RAW_SHORT;
    case HAZARD_ORDER: return CTR_STALL_ORDER;
    case HAZARD_MEMBAR: return CTR_STALL_BARRIER;
    default: break;
    }
    if (sm->gates.n && gate_of(sm, warp)) return gate_of(sm, warp)->stall;
    // The warp is ready, so its unit's share of the collectors is in use, or no collector is free.
    const Unit *u = &sm->units[w->own.insts[w->own.pc].unit];
    return u->row->held && !unit_has_share(u) ? u->row->held(sm) : u->row->stall;
}

static inline CounterId name_first(WarpSet of, CounterId what, int *warp) {
    *warp = lowest(of);
    return what;
}

static inline CounterId class_of_cycle(const Sm *sm, const Scheduler *s, bool few, int *warp) {
    const WarpSet here = some_warps(s->mine & sm->resident & ~sm->ended, few);
    const WarpSet waiting =
        here & sm->has_inst & ~some_warps(sm->at_barrier | sm->control | sm->asleep, few);
    if (waiting) return class_of(sm, *warp = sm->policy->first(sm, s, waiting));
    if (here & sm->held) return name_first(here & sm->held, CTR_STALL_ASSIST, warp);
    const WarpSet stopped = sm->at_barrier | sm->asleep,
                  fetching = here & ~(sm->has_inst | stopped);
    if (fetching) return name_first(fetching, CTR_STALL_IBUFFER, warp);
    if (here & stopped) return name_first(here & stopped, CTR_STALL_BARRIER, warp);
    if (here & sm->control) return name_first(here & sm->control, CTR_STALL_RAW_SHORT, warp);
    *warp = SM_NONE;
    return CTR_STALL_NONE_LEFT;
}

CounterId stall_class(const Sm *sm, const Scheduler *s, int *warp) {
    return sm->few ? class_of_cycle(sm, s, true, warp) : class_of_cycle(sm, s, false, warp);
}
