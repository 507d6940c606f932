// SPDX-License-Identifier: Apache-2.0
// Barriers of a CTA, and the explanation of a deadlock at them.
#include "oracle/interp.h"

#include <inttypes.h>
#include <string.h>

int o_live_warps(const OCta *cta) {
    int n = 0;
    for (int i = 0; i < cta->nwarps; i++) n += cta->warps[i].state != O_DONE;
    return n;
}

static bool is_complete(const OCta *cta, const OBarrier *b) {
    if (!b->warps) return false;
    if (b->expected) return (uint32_t)b->warps * O_LANES >= b->expected;
    return b->warps >= o_live_warps(cta);
}

static void release_barrier(OCta *cta, int index) {
    OBarrier *b = &cta->barrier[index];
    for (int i = 0; i < cta->nwarps; i++) {
        OWarp *w = &cta->warps[i];
        if (w->state != O_AT_BARRIER || w->barrier != index) continue;
        const PtxInst *in = w->waiting->in;
        w->state = O_READY;
        o_race_leave(w, b);
        if (in->op != PTX_BAR_RED) continue;
        bool r = in->atom == PTX_ATOM_AND ? b->every : b->any;
        o_put_pred(w, w->waiting->pdst, w->waiting_mask, r ? ~0u : 0);
        if (w->waiting->dst >= 0)
            O_FOR_LANES(l, w->waiting_mask)
                o_frame(w)->regs[(size_t)w->waiting->dst * O_LANES + l] = b->count;
    }
    uint64_t *own = b->own;
    if (own) memset(own, 0, (size_t)cta->nwarps * sizeof *own);
    *b = (OBarrier){.every = true, .own = own};
}

void o_release_complete(OCta *cta) {
    for (int i = 0; i < O_BARRIERS; i++)
        if (is_complete(cta, &cta->barrier[i])) release_barrier(cta, i);
}

// The value of a barrier operand, which must be equal in all lanes.
static uint64_t uniform_value(const OWarp *w, const OSrc *s, uint32_t active) {
    uint64_t hold[O_LANES];
    return o_at(o_values(w, s, hold), (uint32_t)__builtin_ctz(active));
}

// A warp arrives as a whole, even if only some lanes execute the instruction.
bool o_barrier(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    bool red = in->op == PTX_BAR_RED;
    if (!active) return true;
    uint32_t lane = (uint32_t)__builtin_ctz(active);
    int operands = in->nopnd - red, pred = operands - 1;  // of src: number, [count,] [predicate]
    bool counted = operands - red > 1;
    uint64_t index = uniform_value(w, &oi->src[0], active);
    uint32_t count = counted ? (uint32_t)uniform_value(w, &oi->src[1], active) : 0;
    if (index >= O_BARRIERS)
        return o_fail(w, oi, lane, EXIT_WRONG_RESULT,
                      "barrier %" PRIu64 " does not exist (0 to 15)", index);
    if (counted && (!count || count % O_LANES))
        return o_fail(w, oi, lane, EXIT_WRONG_RESULT,
                      "%u threads at a barrier: not a multiple of %d", count, O_LANES);
    OBarrier *b = &w->cta->barrier[index];
    if (b->warps && b->expected != count)
        return o_fail(w, oi, lane, EXIT_WRONG_RESULT,
                      "barrier %" PRIu64 " is used with %u threads while warps wait at it with %u",
                      index, count, b->expected);
    o_check_split(w, oi, active);
    b->expected = count;
    b->warps++;
    o_race_arrive(w, b);
    if (red) {
        uint32_t p = o_pred(w, &oi->src[pred]) & active;
        b->every = b->every && p == active;
        b->any = b->any || p;
        b->count += (uint32_t)__builtin_popcount(p);
    }
    if (in->op != PTX_BAR_ARRIVE) {
        w->state = O_AT_BARRIER;
        w->barrier = (int)index;
        w->waiting = oi;
        w->waiting_mask = active;
    }
    if (is_complete(w->cta, b)) release_barrier(w->cta, (int)index);
    return true;
}

bool o_deadlock(OCta *cta) {
    char text[2048] = "";
    size_t used = 0;
    const OracleRun *r = cta->o->run;
    for (int i = 0; i < O_BARRIERS && used < sizeof text - 1; i++) {
        const OBarrier *b = &cta->barrier[i];
        int need = b->expected ? (int)(b->expected / O_LANES) : o_live_warps(cta);
        if (!b->warps) continue;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "\n    barrier %d: %d of %d warps arrived", i, b->warps, need);
    }
    for (int i = 0; i < cta->nwarps && used < sizeof text - 1; i++) {
        const OWarp *w = &cta->warps[i];
        if (w->state == O_AT_BARRIER)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "\n    warp %d waits at barrier %d, line %d", i, w->barrier,
                                     w->waiting->in->line);
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "\n    warp %d has ended", i);
    }
    return diag_fail(cta->o->d, EXIT_HANG, "%s: kernel %s, CTA (%u,%u,%u): barrier deadlock%s",
                     r->module->src.path, r->entry->name, cta->id[0], cta->id[1], cta->id[2], text);
}
