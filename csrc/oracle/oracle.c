// SPDX-License-Identifier: Apache-2.0
// The grid: one CTA after the other; inside a CTA the warps take turns, so that warps which wait
// for each other through memory make progress. Barriers and the explanation of a deadlock.
#include "oracle/interp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TURN = 4096 };  // warp instructions until the next warp's turn

// ---- barriers ----

static int live_warps(const OCta *cta) {
    int n = 0;
    for (int i = 0; i < cta->nwarps; i++) n += cta->warps[i].state != O_DONE;
    return n;
}

static bool complete(const OCta *cta, const OBarrier *b) {
    if (!b->warps) return false;
    if (b->expected) return (uint32_t)b->warps * O_LANES >= b->expected;
    return b->warps >= live_warps(cta);
}

static void release(OCta *cta, int index) {
    OBarrier *b = &cta->barrier[index];
    for (int i = 0; i < cta->nwarps; i++) {
        OWarp *w = &cta->warps[i];
        if (w->state != O_AT_BARRIER || w->barrier != index) continue;
        const PtxInst *in = w->waiting->in;
        w->state = O_READY;
        if (in->op != PTX_BAR_RED) continue;
        bool r = in->atom == PTX_ATOM_AND ? b->all : b->any;
        o_put_pred(w, w->waiting->pdst, w->waiting_mask, r ? ~0u : 0);
        if (w->waiting->dst >= 0)
            O_FOR_LANES(l, w->waiting_mask)
                o_frame(w)->regs[(size_t)w->waiting->dst * O_LANES + l] = b->count;
    }
    *b = (OBarrier){.all = true};
}

static void release_complete(OCta *cta) {
    for (int i = 0; i < O_BARRIERS; i++)
        if (complete(cta, &cta->barrier[i])) release(cta, i);
}

// Value of a barrier operand, the same in all lanes.
static uint64_t uniform(const OWarp *w, const OSrc *s, uint32_t active) {
    uint64_t hold[O_LANES];
    return o_at(o_values(w, s, hold), (uint32_t)__builtin_ctz(active));
}

// A warp arrives as a whole, whichever of its lanes execute the instruction.
bool o_barrier(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    bool red = in->op == PTX_BAR_RED;
    if (!active) return true;
    uint32_t lane = (uint32_t)__builtin_ctz(active);
    int operands = in->nopnd - red, pred = operands - 1;  // of src: number, [count,] [predicate]
    bool counted = operands - red > 1;
    uint64_t index = uniform(w, &oi->src[0], active);
    uint32_t count = counted ? (uint32_t)uniform(w, &oi->src[1], active) : 0;
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
    b->expected = count;
    b->warps++;
    if (red) {
        uint32_t p = o_pred(w, &oi->src[pred]) & active;
        b->all = b->all && p == active;
        b->any = b->any || p;
        b->count += (uint32_t)__builtin_popcount(p);
    }
    if (in->op != PTX_BAR_ARRIVE) {
        w->state = O_AT_BARRIER;
        w->barrier = (int)index;
        w->waiting = oi;
        w->waiting_mask = active;
    }
    if (complete(w->cta, b)) release(w->cta, (int)index);
    return true;
}

static bool deadlock(OCta *cta) {
    char text[2048] = "";
    size_t used = 0;
    const OracleRun *r = cta->o->run;
    for (int i = 0; i < O_BARRIERS && used < sizeof text - 1; i++) {
        const OBarrier *b = &cta->barrier[i];
        int need = b->expected ? (int)(b->expected / O_LANES) : live_warps(cta);
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

// ---- warps ----

static bool run_warp(OWarp *w) {
    Oracle *o = w->cta->o;
    OracleRun *r = o->run;
    for (int n = 0; n < TURN && w->state == O_READY; n++) {
        uint32_t mask;
        const OInst *oi = o_fetch(w, &mask);
        if (!oi) {
            w->state = O_DONE;
            release_complete(w->cta);  // barriers without a count no longer wait for this warp
            return true;
        }
        uint32_t active = mask;
        if (oi->in->guard >= 0) {
            const OFrame *f = o_frame(w);
            uint32_t p = f->preds[f->func->slot[oi->in->guard]];
            active &= oi->in->guard_negated ? ~p : p;
        }
        w->present = mask;
        r->insts += (uint64_t)__builtin_popcount(mask);
        if (!oi->handler(w, oi, active)) return false;
        if (r->max_insts && r->insts > r->max_insts)
            return o_fail(w, oi, (uint32_t)__builtin_ctz(mask), EXIT_HANG,
                          "still running after %" PRIu64 " thread instructions (infinite loop?)",
                          r->max_insts);
    }
    return true;
}

// ---- CTAs ----

static void close_cta(OCta *cta) {
    for (int i = 0; i < cta->nwarps; i++) {
        OWarp *w = &cta->warps[i];
        while (w->nframes) {
            OFrame *f = &w->frames[--w->nframes];
            free(f->regs);
            free(f->preds);
            free(f->params);
            free(f->entries);
        }
        free(w->frames);
        free(w->local);
    }
    free(cta->warps);
    free(cta->shared);
}

static bool open_warp(OCta *cta, int index) {
    Oracle *o = cta->o;
    OWarp *w = &cta->warps[index];
    uint32_t left = o->threads - (uint32_t)index * O_LANES;
    int func = (int)(o->run->entry - o->run->module->funcs);
    *w = (OWarp){.cta = cta, .index = index, .alive = left >= O_LANES ? ~0u : (1u << left) - 1};
    if (!o_push_frame(w, &o->funcs[func], w->alive, NULL)) return false;
    const OFrame *f = o_frame(w);
    for (size_t l = 0; l < O_LANES && o->run->entry->param_bytes; l++)
        memcpy(f->params + l * f->param_stride, o->run->params, (size_t)o->run->entry->param_bytes);
    return true;
}

static bool open_cta(OCta *cta, Oracle *o, const uint32_t id[3]) {
    const OracleRun *r = o->run;
    *cta = (OCta){.o = o, .id = {id[0], id[1], id[2]}};
    int nwarps = (int)((o->threads + O_LANES - 1) / O_LANES);
    cta->warps = calloc((size_t)nwarps, sizeof *cta->warps);
    cta->shared_bytes = r->shared->static_bytes;
    if (r->shared_bytes) cta->shared_bytes = r->shared->dynamic_offset + r->shared_bytes;
    cta->shared = calloc(cta->shared_bytes + 1u, 1);
    panic_if(!cta->warps || !cta->shared, "out of memory");
    for (int i = 0; i < O_BARRIERS; i++) cta->barrier[i].all = true;
    for (; cta->nwarps < nwarps;) {
        cta->nwarps++;
        if (!open_warp(cta, cta->nwarps - 1)) return false;
    }
    return true;
}

static bool run_cta(OCta *cta) {
    const OracleRun *r = cta->o->run;
    while (live_warps(cta)) {
        bool ran = false;
        for (int i = 0; i < cta->nwarps; i++) {
            if (cta->warps[i].state != O_READY) continue;
            ran = true;
            if (!run_warp(&cta->warps[i])) return false;
            if (r->stop && *r->stop)
                return diag_fail(cta->o->d, EXIT_INTERRUPTED, "interrupted in the oracle");
        }
        if (!ran) return deadlock(cta);
    }
    return true;
}

bool oracle_run(OracleRun *run, Diag *d) {
    Oracle o = {.run = run, .d = d, .threads = run->block[0] * run->block[1] * run->block[2]};
    bool ok = true;
    run->insts = 0;
    o.funcs = ARENA_ARRAY(&o.arena, OFunc, run->module->nfuncs);
    ok = o_decode(&o, (int)(run->entry - run->module->funcs));
    uint64_t ctas = (uint64_t)run->grid[0] * run->grid[1] * run->grid[2];
    for (uint64_t i = 0; i < ctas && ok; i++) {
        const uint64_t x = run->grid[0], y = run->grid[1];
        uint32_t id[3] = {(uint32_t)(i % x), (uint32_t)(i / x % y), (uint32_t)(i / x / y)};
        OCta cta;
        ok = open_cta(&cta, &o, id) && run_cta(&cta);
        close_cta(&cta);
    }
    arena_free(&o.arena);
    return ok;
}
