// SPDX-License-Identifier: Apache-2.0
#include "sm/listeners/states.h"

#include "sm/state.h"

const char *const sm_warp_state_name[SM_WARP_STATE_COUNT] = {
    [SM_WARP_NONE] = "none",       [SM_WARP_READY] = "ready", [SM_WARP_LONG] = "memory",
    [SM_WARP_SHORT] = "register",  [SM_WARP_FETCH] = "fetch", [SM_WARP_BARRIER] = "barrier",
    [SM_WARP_CONTROL] = "control", [SM_WARP_DRAIN] = "drain", [SM_WARP_GATE] = "gate"};

static SmWarpState state_of(const Sm *sm, int warp) {
    WarpSet me = warp_bit(warp);
    if (!(sm->resident & me)) return SM_WARP_NONE;
    if (sm->ended & me) return SM_WARP_DRAIN;
    if (sm->at_barrier & me) return SM_WARP_BARRIER;
    if ((sm->control | sm->asleep) & me) return SM_WARP_CONTROL;
    if (!(sm->has_inst & me)) return SM_WARP_FETCH;
    if (sm->parked & me) return SM_WARP_GATE;
    switch (sm->warps[warp].hazard) {
    case HAZARD_LONG: return SM_WARP_LONG;
    case HAZARD_SHORT:
    case HAZARD_ORDER: return SM_WARP_SHORT;
    case HAZARD_MEMBAR: return SM_WARP_BARRIER;
    default: return SM_WARP_READY;
    }
}

// Examines the warps for which a set has changed since the last update. It also examines warps with
// a short wait, because no set records the cause of that wait.
WarpSet states_update(const Sm *sm, States *s) {
    const WarpSet now[STATES_SETS] = {
        sm->resident, sm->ended, sm->at_barrier | sm->control | sm->asleep,
        sm->has_inst, sm->ready, sm->long_wait,
        sm->parked};
    WarpSet look = now[0] & now[3] & ~sm->ready, changed = 0;
    for (int i = 0; i < STATES_SETS; i++) {
        look |= now[i] ^ s->seen[i];
        s->seen[i] = now[i];
    }
    for (; look; look &= look - 1) {
        const int warp = lowest(look);
        const uint32_t state = state_of(sm, warp);
        if (state != s->of[warp]) changed |= warp_bit(warp);
        s->of[warp] = state;
    }
    return changed;
}
