// SPDX-License-Identifier: Apache-2.0
// What every scheduler cycle was: issued, or why not (classes of the P-mode paper, section 3).
//
// A cycle without issue has the class of the first warp, in the policy's order, that has an instruction
// in its buffer and is not at a barrier. With none, it is `fetch` when a warp waits for instructions,
// `barrier` when warps wait at barriers or sleep, `no instruction left` otherwise.
#include "sm/stages/stall.h"

#include "sm/parts/gate.h"
#include "sm/parts/units.h"
#include "sm/state.h"

enum { SETS = 7 };

struct Stall { uint64_t seen[SETS]; };  // sets as of the last cycle

void stall_open(Sm *sm, Arena *arena) { sm->stall = ARENA_NEW(arena, Stall); }

const char *const sm_warp_state_name[SM_WARP_STATE_COUNT] = {
    [SM_WARP_NONE] = "none", [SM_WARP_READY] = "ready", [SM_WARP_LONG] = "memory",
    [SM_WARP_SHORT] = "register", [SM_WARP_FETCH] = "fetch", [SM_WARP_BARRIER] = "barrier",
    [SM_WARP_CONTROL] = "control", [SM_WARP_DRAIN] = "drain", [SM_WARP_GATE] = "gate",
};

static CounterId class_of(const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    switch (w->hazard) {
    case HAZARD_LONG: return CTR_STALL_RAW_LONG;
    case HAZARD_SHORT: return CTR_STALL_RAW_SHORT;
    case HAZARD_ORDER: return CTR_STALL_ORDER;
    case HAZARD_MEMBAR: return CTR_STALL_BARRIER;
    default: break;
    }
    if (sm->gates.n && gate_of(sm, warp)) return gate_of(sm, warp)->stall;
    // Ready, so its unit's share of the collectors is taken, or none is free.
    const Unit *u = &sm->units[sm->insts[w->pc].unit];
    return u->row->held && !unit_has_share(u) ? u->row->held(sm) : u->row->stall;
}

CounterId stall_class(const Sm *sm, const Scheduler *s) {
    uint64_t here = s->mine & sm->resident & ~sm->ended;
    uint64_t waiting = here & sm->has_inst & ~(sm->at_barrier | sm->control | sm->asleep);
    if (waiting) return class_of(sm, sm->policy->first(sm, s, waiting));
    if (here & ~(sm->has_inst | sm->at_barrier | sm->asleep)) return CTR_STALL_IBUFFER;
    if (here & (sm->at_barrier | sm->asleep)) return CTR_STALL_BARRIER;
    if (here & sm->control) return CTR_STALL_RAW_SHORT;
    return CTR_STALL_NONE_LEFT;
}

void stall_note(Sm *sm, int scheduler, CounterId what) {
    Scheduler *s = &sm->sched[scheduler];
    sm->count->v[what]++;
    if (sm->watch && s->class_word != (uint32_t)what && sm_hooks(sm)->scheduler_class)
        sm_hooks(sm)->scheduler_class(sm_hooks(sm)->ctx, sm->cycle, scheduler, what);
    s->class_word = (uint32_t)what;
}

static SmWarpState state_of(const Sm *sm, int warp) {
    uint64_t me = bit64(warp);
    if (!(sm->resident & me)) return SM_WARP_NONE;
    if (sm->ended & me) return SM_WARP_DRAIN;
    if (sm->at_barrier & me) return SM_WARP_BARRIER;
    if ((sm->control | sm->asleep) & me) return SM_WARP_CONTROL;
    if (!(sm->has_inst & me)) return SM_WARP_FETCH;
    if (sm->parked & me) return SM_WARP_GATE;
    switch (sm->warps[warp].hazard) {
    case HAZARD_LONG: return SM_WARP_LONG;
    case HAZARD_SHORT: case HAZARD_ORDER: return SM_WARP_SHORT;
    case HAZARD_MEMBAR: return SM_WARP_BARRIER;
    default: return SM_WARP_READY;
    }
}

// Only warps of which a set changed since the last cycle are looked at.
void stall_states(Sm *sm) {
    uint64_t now[SETS] = {sm->resident, sm->ended, sm->at_barrier | sm->control | sm->asleep, sm->has_inst,
                       sm->ready, sm->long_wait, sm->parked};
    uint64_t changed = sm->touched;
    sm->touched = 0;
    for (int i = 0; i < SETS; i++) {
        changed |= now[i] ^ sm->stall->seen[i];
        sm->stall->seen[i] = now[i];
    }
    for (; changed; changed &= changed - 1) {
        int warp = lowest(changed);
        uint32_t state = state_of(sm, warp);
        if (state == sm->warps[warp].state) continue;
        sm->warps[warp].state = state;
        if (sm->watch && sm_hooks(sm)->warp_state)
            sm_hooks(sm)->warp_state(sm_hooks(sm)->ctx, sm->cycle, warp, (SmWarpState)state);
    }
}
