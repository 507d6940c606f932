// SPDX-License-Identifier: Apache-2.0
// SIMT stack: one entry per divergent path of a warp, reconvergence at immediate post-dominators.
//
// The warp's stream has the top entry (pc, mask, reconv); stack[0..depth) has the other entries. A
// branch that splits the warp turns the top into the reconvergence entry and pushes one entry per
// path. A path that reaches its reconvergence point is popped. If a path and the entry that it
// splits from have the same reconvergence point, the path replaces the entry. Loops therefore do
// not grow the stack.
#include "sm/stages/simt.h"

#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/parts/hazards.h"
#include "sm/stages/barrier_stage.h"
#include "sm/stages/cta.h"
#include "sm/stages/fetch.h"
#include "sm/state.h"

static void pop_path(InstStream *s) {
    const SimtEntry *e = &s->stack[--s->depth];
    s->pc = (uint32_t)e->pc;
    s->reconv = e->reconv;
    s->mask = e->mask;
}

static bool push_path(Sm *sm, InstStream *s) {
    if (s->depth + 1 >= sm->cfg->sm_simt_depth) {
        char place[256];
        explain_place(sm, s, (int)s->pc, place, sizeof place);
        sm_fail(sm, EXIT_USAGE,
                "%s: divergence nests deeper than the SIMT stack of %d entries (sm.simt_depth)",
                place, sm->cfg->sm_simt_depth);
        return false;
    }
    s->stack[s->depth++] = (SimtEntry){(int32_t)s->pc, s->reconv, s->mask};
    return true;
}

// Paths that have reached their reconvergence point join the entry below.
static void join_paths(InstStream *s) {
    while (s->depth && (int32_t)s->pc == s->reconv) pop_path(s);
}

// Call this after the pc changed: the instruction buffer holds pc, pc + 1, ... only while flow is
// sequential.
static void update_buffer(Sm *sm, int warp, uint32_t from) {
    InstStream *s = sm->warps[warp].front;
    if (s->pc == from + 1 && s->ib_count) {
        s->ib_count--;
        s->given >>= 1;
        fetch_wants(sm, warp);
    } else {
        fetch_redirect(sm, warp);
    }
}

void simt_next(Sm *sm, int warp) {
    InstStream *s = sm->warps[warp].front;
    uint32_t from = s->pc++;
    if (s->depth) join_paths(s);
    update_buffer(sm, warp, from);
}

void simt_split(Sm *sm, int warp, int n, const int *target, const uint32_t *mask, int reconv) {
    InstStream *s = sm->warps[warp].front;
    uint32_t from = s->pc;
    if (n == 1) {
        s->pc = (uint32_t)target[0];
        join_paths(s);
        update_buffer(sm, warp, from);
        return;
    }
    int outer = s->reconv;
    // reconv -1: the paths meet only at the end of the program, so the top entry has no further
    // instructions.
    bool replace = reconv < 0 || (reconv == outer && s->depth);
    if (reconv < 0) reconv = outer;
    bool first = replace;
    if (!replace) s->pc = (uint32_t)reconv;  // the top waits there with all its lanes
    for (int i = 0; i < n; i++) {
        // the path has already reached the reconvergence point
        if (target[i] == reconv && reconv >= 0 && (!replace || s->depth)) continue;
        if (!first && !push_path(sm, s)) return;
        first = false;
        s->pc = (uint32_t)target[i];
        s->mask = mask[i];
        s->reconv = reconv;
    }
    if (first) s->pc = (uint32_t)reconv;  // every path had reached it: join_paths pops it
    join_paths(s);
    update_buffer(sm, warp, from);
}

void simt_branch(Sm *sm, int warp, uint32_t taken, int target, int reconv) {
    const InstStream *s = sm->warps[warp].front;
    uint32_t stay = s->mask & ~taken;
    // The path that was pushed last, the taken one, runs first.
    const int targets[2] = {(int)s->pc + 1, target};
    const uint32_t masks[2] = {stay, taken};
    if (!taken) simt_split(sm, warp, 1, &targets[0], &masks[0], reconv);
    else if (!stay) simt_split(sm, warp, 1, &targets[1], &masks[1], reconv);
    else simt_split(sm, warp, 2, targets, masks, reconv);
}

// Lanes end. The remaining lanes of the top continue after the exit. Without remaining lanes, the
// entry below the top continues.
void simt_exit(Sm *sm, int warp, uint32_t lanes) {
    InstStream *s = sm->warps[warp].front;
    uint32_t from = s->pc;
    s->mask &= ~lanes;
    for (int i = 0; i < s->depth; i++) s->stack[i].mask &= ~lanes;
    if (s->mask) {
        s->pc++;
    } else {
        while (!s->mask && s->depth) pop_path(s);
        if (!s->mask) {  // no lane is left in any entry
            fetch_redirect(sm, warp);
            sm->ended |= warp_bit(warp);
            fetch_wants(sm, warp);
            hazards_recheck(sm, warp);
            barrier_warp_ended(sm, sm->warps[warp].cta);
            if (sm->warps[warp].flights == 0) cta_warp_done(sm, warp);
            return;
        }
    }
    join_paths(s);
    update_buffer(sm, warp, from);
}
