// SPDX-License-Identifier: Apache-2.0
// Issue: each scheduler issues at most one instruction per cycle.
//
// The head instruction of a warp may issue when
//   - none of its dependences is outstanding (parts/hazards.h, parts/order.h),
//   - its unit accepts instructions and the operand path has room (control without operands
//     executes here),
//   - no issue gate stalls the warp (parts/gate.h).
// The first condition depends on the warp alone. It is stored as the set `ready` and recomputed
// when the warp changes. An instruction whose guard is false in every lane ends here.
#include "sm/stages/issue.h"

#include "sm/parts/gate.h"
#include "sm/parts/hazards.h"
#include "sm/parts/units.h"
#include "sm/stages/execute.h"
#include "sm/stages/fetch.h"
#include "sm/stages/simt.h"
#include "sm/stages/stall.h"
#include "sm/state.h"

struct Issue {
    uint8_t order[SM_MAX_SCHED];  // order of the schedulers: the one that issued last is last
};

void issue_open(Sm *sm, Arena *arena) { sm->issue = ARENA_NEW(arena, Issue); }

void issue_launch(Sm *sm) {
    for (int i = 0; i < SM_MAX_SCHED; i++) sm->issue->order[i] = (uint8_t)i;
}

// A function that is compiled twice: for machines with few warps (some_warps) and for all machines.
#define EACH_SIZE inline __attribute__((always_inline))

static const SmInst *head_of(const Sm *sm, int warp) {
    const InstStream *s = sm->warps[warp].front;
    return &s->insts[s->pc];
}

// Recomputes the issue state of the warps that have changed.
static EACH_SIZE void recheck_warps(Sm *sm, bool few) {
    const WarpSet dirty = some_warps(sm->dirty, few);
    if (!dirty) return;
    const WarpSet were = some_warps(sm->ready, few) & dirty;
    WarpSet ready = some_warps(sm->ready, few) & ~dirty,
            long_wait = some_warps(sm->long_wait, few) & ~dirty;
    sm->dirty = 0;
    sm->ready = ready;
    sm->long_wait = long_wait;
    if (were)
        for (int u = 0; u < sm->nunits; u++) sm->head[u] = some_warps(sm->head[u], few) & ~were;
    WarpSet left = dirty & some_warps(sm->has_inst & sm->resident & ~sm->ended, few);
    for (; left; left &= left - 1) {
        const WarpSet me = left & -left;
        int warp = lowest(left);
        Warp *w = &sm->warps[warp];
        const SmInst *in = head_of(sm, warp);
        // A program behind another stream waits for memory.
        w->hazard = (uint8_t)(sm->away & me ? HAZARD_LONG : hazards_query(sm, warp, &w->own, in));
        if (w->hazard == HAZARD_LONG) long_wait |= me;
        if (w->hazard != HAZARD_NONE) continue;
        ready |= me;
        sm->head[w->own.given & 1 ? UNIT_AT_ISSUE : in->unit] |= me;
    }
    sm->ready = ready;
    sm->long_wait = long_wait;
}

// ---- issue ----

// Control instructions without operands, and instructions with a false guard.
static void execute_at_issue(Sm *sm, int warp, const SmInst *in, uint32_t active) {
    // not read, but dead nevertheless
    if (in->last) notify_dead(sm, (RegistersEvent){warp, in->last});
    if (in->isa->op == ISA_BRA) {
        notify_branched(sm,
                        (BranchEvent){warp, active && active != sm->warps[warp].own.mask ? 2 : 1});
        simt_branch(sm, warp, active, in->isa->target, in->isa->reconv);
        return;
    }
    if (!active) {
        simt_next(sm, warp);
        return;
    }
    if (in->scalar) {
        (void)flight_new(sm, warp, &sm->warps[warp].own, in, active);
        simt_next(sm, warp);
        return;
    }
    switch (in->isa->op) {
    case ISA_EXIT: simt_exit(sm, warp, active); break;
    case ISA_HINT:
    case ISA_NOP:
    case ISA_WARPSYNC:
    case ISA_MEMBAR:
    case ISA_ACQ:
    case ISA_REL: simt_next(sm, warp); break;
    default: execute_control(sm, flight_new(sm, warp, &sm->warps[warp].own, in, active));
    }
}

// Lanes whose guard is true.
static uint32_t guarded_lanes(const InstStream *s, const SmInst *in) {
    const IsaPred *g = &in->guard;
    return s->mask & (g->neg ? ~s->pred[g->reg] : s->pred[g->reg]);
}

static inline void tell_issued(Sm *sm, const Scheduler *s, int warp, const InstStream *from,
                               const SmInst *in, uint32_t active) {
    sm_progress(sm);
    notify_issued(sm,
                  (IssueEvent){(int)(s - sm->sched), warp, from->pc, from->mask, active, in, from});
}

// Sends the instruction to a collector.
static void begin_flight(Sm *sm, Scheduler *s, int warp, InstStream *from, const SmInst *in,
                         uint32_t active) {
    Flight *f = flight_new(sm, warp, from, in, active);
    path_accept(sm, f, 0);
    if (in->nuops > 1) s->second = flight_index(sm, f);
}

static void issue_warp(Sm *sm, Scheduler *s, int warp) {
    InstStream *own = &sm->warps[warp].own;
    const SmInst *in = head_of(sm, warp);
    const uint32_t active = guarded_lanes(own, in);
    tell_issued(sm, s, warp, own, in, active);
    if (own->given & 1) {
        sm->beside.part->give(sm, sm->beside.self, warp, in);
        simt_next(sm, warp);
        return;
    }
    if (in->at_issue || !active) {
        if (sm->path->passes) path_passes(sm, warp, own, in, active);
        execute_at_issue(sm, warp, in, active);
        return;
    }
    begin_flight(sm, s, warp, own, in, active);
    if (in->is_control) {
        // pc, buffer and mask do not change until the instruction executes.
        sm->control |= warp_bit(warp);
        fetch_wants(sm, warp);
    } else {
        simt_next(sm, warp);
    }
}

// The other micro-operations of an instruction follow it through the same scheduler.
static bool issue_second(Sm *sm, Scheduler *s) {
    Flight *f = &sm->flights[s->second];
    if (!path_fits(sm, f->warp, f->stream, f->inst, f->uops_sent)) return false;
    path_accept(sm, f, f->uops_sent);
    if (f->uops_sent == f->inst->nuops) s->second = SM_NONE;
    sm_progress(sm);
    return true;
}

// One flight per warp is reserved for barriers, which need no collector.
static bool flight_left(const Sm *sm) { return sm->nflights < SM_FLIGHTS - SM_MAX_WARPS; }

static EACH_SIZE WarpSet issuable_warps(const Sm *sm, WarpSet of, bool few) {
    WarpSet passing = some_warps(sm->head[UNIT_AT_ISSUE], few) & of, entering = of & ~passing;
    // A stalled unit keeps its share of the collectors and does not stall the other units.
    for (uint32_t left = sm->units_full; left; left &= left - 1)
        entering &= ~some_warps(sm->head[__builtin_ctz(left)], few);
    if (entering)
        entering =
            flight_left(sm) ? some_warps(sm->path->room(sm, sm->path_self, entering), few) : 0;
    if (passing && sm->path->passes) passing = path_room_to_pass(sm, passing);
    return entering | passing;
}

// ---- second streams ----

static InstStreamVerdict examine_inst(const Sm *sm, const InstStreamPart *part, int warp,
                                      const SmInst *in) {
    return part->examine ? part->examine(sm, sm->beside.self, warp, in) : INST_STREAM_ISSUES;
}

static bool beside_may(const Sm *sm, const InstStreamPart *part, int warp) {
    const SmInst *in = part->head(sm, sm->beside.self, warp);
    const InstStream *stream = part->stream(sm, sm->beside.self, warp);
    const InstStreamVerdict verdict = examine_inst(sm, part, warp, in);
    if (verdict != INST_STREAM_ISSUES) return verdict == INST_STREAM_PASSES;
    if (hazards_query(sm, warp, stream, in) != HAZARD_NONE) return false;
    if (in->at_issue && (!sm->path->passes || in->isa->op == ISA_HINT)) return true;
    if (!in->at_issue && (!flight_left(sm) || !unit_has_share(&sm->units[in->unit]))) return false;
    return path_fits(sm, warp, stream, in, 0);
}

// The subset of warps whose second stream can issue its instruction.
static WarpSet beside_issuable(const Sm *sm, const Scheduler *s, const InstStreamPart *part) {
    WarpSet may = 0, of = part->active(sm, sm->beside.self);
    of &= s->mine & sm->resident & (sm->beside.part->drains ? ~(WarpSet)0 : ~sm->ended);
    for (WarpSet left = of; left; left &= left - 1)
        if (beside_may(sm, part, lowest(left))) may |= left & -left;
    return may;
}

static void issue_second_stream(Sm *sm, Scheduler *s, const InstStreamPart *part, int warp) {
    void *self = sm->beside.self;
    InstStream *from = part->stream(sm, self, warp);
    const SmInst *in = part->head(sm, self, warp);
    const bool passes = examine_inst(sm, part, warp, in) == INST_STREAM_PASSES;
    const uint32_t active = guarded_lanes(from, in);
    panic_if(in->is_control && !passes && !part->split, "a control instruction in a second stream");
    tell_issued(sm, s, warp, from, in, active);
    if (!passes && !in->at_issue && active) begin_flight(sm, s, warp, from, in, active);
    else if (!passes && sm->path->passes) path_passes(sm, warp, from, in, active);
    if (in->is_control && !passes) {
        sm->control |= warp_bit(warp);
        fetch_wants(sm, warp);
    }
    part->issued(sm, self, warp);
    hazards_recheck(sm, warp);
}

// Issues an instruction of a second stream; true if one issued.
static bool issue_beside(Sm *sm, Scheduler *s) {
    const InstStreamPart *part = sm->beside.part;
    void *self = sm->beside.self;
    const WarpSet may = beside_issuable(sm, s, part);
    if (!may) return false;
    issue_second_stream(
        sm, s, part, part->first ? part->first(sm, self, s, may) : sm->policy->first(sm, s, may));
    return true;
}

// Warps whose second stream issues in place of the program.
static WarpSet in_place(const Sm *sm, const Scheduler *s) {
    const InstStreamPart *part = sm->beside.part;
    return part && part->in_place ? beside_issuable(sm, s, part->in_place) : 0;
}

// Do these warps issue before the programs of all warps?
static bool precedes_programs(const Sm *sm) {
    const InstStreamPart *part = sm->beside.part->in_place;
    return part->precedes && part->precedes(sm, sm->beside.self);
}

// Reports the class of the scheduler's cycle, and its warp.
static void tell_class(Sm *sm, int scheduler, CounterId what, int warp) {
    notify_scheduler_class(sm, (ClassEvent){scheduler, what, warp});
}

// Reports a cycle in which no warp's own program issued.
static bool tell_idle(Sm *sm, Scheduler *s, int scheduler) {
    int warp = SM_NONE;
    const bool beside = sm->beside.part && !sm->beside.part->above && issue_beside(sm, s);
    const CounterId what = beside ? sm->beside.part->only : stall_class(sm, s, &warp);
    tell_class(sm, scheduler, what, warp);
    return beside;
}

// True if it issued.
static EACH_SIZE bool issue_scheduler(Sm *sm, int index, bool few) {
    Scheduler *s = &sm->sched[index];
    if (s->second != SM_NONE) {
        const int unit = sm->flights[s->second].inst->unit, of = sm->flights[s->second].warp;
        const bool issued = issue_second(sm, s);
        tell_class(sm, index, issued ? CTR_ISSUED : sm->units[unit].row->stall, of);
        return issued;
    }
    if (sm->policy->cycle) sm->policy->cycle(sm, s);
    if (sm->beside.part && sm->beside.part->above && issue_beside(sm, s)) {
        tell_class(sm, index, sm->beside.part->only, SM_NONE);
        return true;
    }
    const WarpSet blocked = some_warps(sm->at_barrier | sm->control | sm->asleep | sm->parked, few);
    WarpSet set = some_warps(sm->ready & s->mine, few) & ~blocked;
    if (set && sm->policy->may) set &= sm->policy->may(sm, s);
    if (set) set = issuable_warps(sm, set, few);
    if (set && sm->gates.n) set = gates_may(sm, set);
    const WarpSet assisted = in_place(sm, s);
    if (!set && !assisted) return tell_idle(sm, s, index);
    if (assisted && precedes_programs(sm)) set = 0;
    int warp = sm->policy->first(sm, s, set | assisted);
    if (assisted >> warp & 1) {
        sm->policy->issued(sm, s, warp);
        issue_second_stream(sm, s, sm->beside.part->in_place, warp);
        tell_class(sm, index, sm->beside.part->in_place->only, warp);
        return true;
    }
    if (sm->gates.n && !gates_act(sm, warp, head_of(sm, warp))) {
        tell_class(sm, index, gate_of(sm, warp)->stall, warp);
        return false;
    }
    sm->policy->issued(sm, s, warp);
    issue_warp(sm, s, warp);
    tell_class(sm, index, CTR_ISSUED, warp);
    return true;
}

static void wake_sleepers(Sm *sm) {
    for (WarpSet left = sm->asleep; left; left &= left - 1) {
        int warp = lowest(left);
        if (sm->warps[warp].wake <= sm->cycle) sm->asleep &= ~warp_bit(warp);
    }
    sm_progress(sm);
}

static EACH_SIZE void issue_all(Sm *sm, bool few) {
    if (sm->asleep) wake_sleepers(sm);
    recheck_warps(sm, few);
    // Because collectors may run out, the scheduler without an issue for the longest time has
    // priority. A rotation by the cycle would assign every collector of a unit with an even
    // interval to the same scheduler.
    const int n = sm->cfg->sm_schedulers;
    uint8_t issued[SM_MAX_SCHED];
    int waiting = 0, nissued = 0;
    for (int i = 0; i < n; i++) {
        const uint8_t s = sm->issue->order[i];
        if (issue_scheduler(sm, s, few)) issued[nissued++] = s;
        else sm->issue->order[waiting++] = s;
    }
    for (int i = 0; i < nissued; i++) sm->issue->order[waiting + i] = issued[i];
}

void issue_stage(Sm *sm) {
    if (sm->few) issue_all(sm, true);
    else issue_all(sm, false);
}
