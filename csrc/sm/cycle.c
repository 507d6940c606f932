// SPDX-License-Identifier: Apache-2.0
// The cycle: the order of the stages, and the evaluation and clock of the blocks.
#include "sm/cycle.h"

#include "sm/listeners/explain_state.h"
#include "sm/stages/cta.h"
#include "sm/stages/execute.h"
#include "sm/stages/fetch.h"
#include "sm/stages/issue.h"
#include "sm/stages/ldst.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

// A difference between RTL and golden model is explained while the collectors' contents are known.
static void look_for_mismatch(Sm *sm) {
    const Mismatch *m = cosim_mismatch(sm->cosim);
    if (m) explain_remember(sm, m);
}

#define CLOCKS(sm, c) \
    for (const BoundClock *c = (sm)->clocks.of; c < (sm)->clocks.of + (sm)->clocks.n; c++)

__attribute__((noinline)) static bool clocks_busy(const Sm *sm) {
    CLOCKS(sm, c)
        if (c->part->busy && c->part->busy(sm, c->self)) return true;
    return false;
}

// Golden models without work are not evaluated. Work means a busy collector or entry register, or a
// result at a write port, in this cycle or the last two. Without work, the outputs keep their
// values, and a clock edge would not change the state. RTL is clocked without this assumption.
static bool blocks_have_work(const Sm *sm) {
    const Slots *s = sm->ports.slots;
    return sm->every_cycle || s->busy || s->entries || sm->ports.wr_valid[0] ||
        (sm->path->busy && sm->path->busy(sm, sm->path_self)) ||
        (sm->clocks.n && clocks_busy(sm)) || cosim_every_cycle(sm->cosim);
}

static void blocks_eval(Sm *sm) {
    CLOCKS(sm, c)
        if (c->part->drive) c->part->drive(sm, c->self);
    sm->path->eval(sm, sm->path_self);
    look_for_mismatch(sm);
}

static void blocks_tick(Sm *sm, bool evaluated) {
    bool work = blocks_have_work(sm);
    if (!evaluated && !work) return;
    if (!evaluated) {  // the first instruction after an idle time has just been allocated
        sm->late = true;
        blocks_eval(sm);
        sm->late = false;
    }
    sm->path->tick(sm, sm->path_self);
    CLOCKS(sm, c)
        if (c->part->tick) c->part->tick(sm, c->self);
    sm->awake = work ? 2 : sm->awake - 1;
}

// Stages run in reverse order. Each stage sees the resources that the next stage freed in this
// cycle, and its own output is seen one cycle later. Therefore no latch needs a second copy.
// Between the stages are the blocks of the operand path, which sample their inputs at the clock
// edge at the end.
static void sm_cycle(Sm *sm) {
    notify_cycle_begin(sm, (CycleEvent){sm->cycle});
    sm->path->begin(sm, sm->path_self);
    ldst_completions(sm);
    writeback_stage(sm);
    bool evaluate = sm->awake || blocks_have_work(sm);
    if (evaluate) {
        blocks_eval(sm);
        writeback_taken(sm);
        sm->path->wires(sm, sm->path_self);
        CLOCKS(sm, c)
            if (c->part->settle) c->part->settle(sm, c->self);
        dispatch_stage(sm);
    }
    sm->path->collect(sm, sm->path_self);
    if (!sm->failed) issue_stage(sm);
    if (sm->failed) return;  // the run ends with this cycle, in any state that the error has left
    notify_driven(sm, (CycleEvent){sm->cycle});
    blocks_tick(sm, evaluate);
    decode_stage(sm);
    fetch_stage(sm);
    ldst_stage(sm);
    cta_dispatch(sm);
}

static void check_invariants(const Sm *sm) {
    panic_if(sm->ready & ~sm->has_inst & ~sm->dirty, "a warp without instruction is ready");
    const Slots *s = sm->ports.slots;
    panic_if(s->busy < 0 || s->busy > s->nslots, "%d slots of the operand path are busy", s->busy);
    panic_if((sm->ended | sm->at_barrier | sm->has_inst | sm->control) & ~sm->resident,
             "an empty warp slot is in use");
    panic_if(sm->nflights < 0 || sm->nflights > SM_FLIGHTS, "%d instructions in flight",
             sm->nflights);
}

void sm_cycle_once(Sm *sm) {
    Cosim *c = sm->cosim;
    sm_cycle(sm);
    cosim_lap(c, TIME_SM);
    mem_cycle(sm->mem);
    cosim_lap(c, TIME_MEM);
    if (!sm->failed) check_invariants(sm);
    notify_cycle_end(sm, (CycleEvent){sm->cycle});
    cosim_lap(c, TIME_SM);
    cosim_cycle(c, sm->cycle);
    sm->cycle++;
}

void sm_cycle_path(Sm *sm, uint64_t cycle) {
    sm->path->begin(sm, sm->path_self);
    sm->ports.wr_valid[0] = 0;
    sm->path->eval(sm, sm->path_self);
    look_for_mismatch(sm);
    sm->path->wires(sm, sm->path_self);
    sm->path->tick(sm, sm->path_self);
    cosim_cycle(sm->cosim, cycle);
}
