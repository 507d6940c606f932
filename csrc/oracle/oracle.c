// SPDX-License-Identifier: Apache-2.0
// The grid. CTAs run one after the other, as long as each ends by itself. A CTA that keeps running
// may wait for a store of a CTA that has not started. Then other CTAs start, twice as many each
// time, and all started CTAs take turns. Inside a CTA the warps also take turns, as do the paths of
// a diverged warp inside one function. Therefore a thread that waits for a store of another thread
// does not block that thread.
#include "oracle/interp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = 16,     // turns that a CTA has alone
    SHOWN_WARPS = 12,  // warps named in the text of a run that does not end
};
// Memory limit for registers and shared memory of the CTAs that take turns. Beyond it no further
// CTA starts.
static const uint64_t open_bytes_limit = 256ull << 20;

// ---- warps ----

// PTX line of the warp's next instruction.
static int line_of(const OWarp *w) {
    if (w->state == O_AT_BARRIER) return w->waiting->in->line;
    const OFrame *f = o_frame(w);
    const OFunc *of = f->func;
    int pc = f->nentries ? f->entries[f->nentries - 1].pc : of->f->ninsts;
    return pc < of->f->ninsts ? of->insts[pc].in->line : of->f->line;
}

static size_t describe_warp(const OWarp *w, char *text, size_t size) {
    const uint32_t *id = w->cta->id;
    char at[48] = "runs";
    if (w->state == O_AT_BARRIER) snprintf(at, sizeof at, "waits at barrier %d", w->barrier);
    return (size_t)snprintf(text, size, "\n    CTA (%u,%u,%u), warp %d %s, line %d", id[0], id[1],
                            id[2], w->index, at, line_of(w));
}

static bool give_up(const Oracle *o) {
    char text[2048] = "";
    size_t used = 0;
    int shown = 0, more = 0;
    const OracleRun *r = o->run;
    for (int c = 0; c < o->nopen; c++)
        for (int i = 0; i < o->open[c]->nwarps; i++) {
            const OWarp *w = &o->open[c]->warps[i];
            if (w->state == O_DONE) continue;
            if (shown == SHOWN_WARPS) more++;
            else shown++, used += describe_warp(w, text + used, sizeof text - used);
        }
    if (more) snprintf(text + used, sizeof text - used, "\n    and %d more warps", more);
    return diag_fail(o->d, EXIT_HANG,
                     "%s: kernel %s: the oracle reached its limit: still running after %" PRIu64
                     " thread instructions (infinite loop, or threads that wait for each other?); "
                     "%d of %" PRIu64 " CTAs have ended%s",
                     r->module->src.path, r->entry->name, r->max_insts,
                     (int)(o->next - (uint64_t)o->nopen), o->ctas, text);
}

static bool run_warp(OWarp *w) {
    Oracle *o = w->cta->o;
    OracleRun *r = o->run;
    for (int n = 0; n < r->turn && w->state == O_READY; n++) {
        uint32_t mask;
        const OInst *oi = o_fetch(w, &mask);
        if (!oi) {
            w->state = O_DONE;
            o_release_complete(w->cta);  // barriers without a count no longer wait for this warp
            return true;
        }
        uint32_t active = mask;
        if (oi->guard >= 0) {
            const uint32_t p = o_frame(w)->preds[oi->guard];
            active &= oi->in->guard_negated ? ~p : p;
        }
        w->present = mask;
        if (oi->unsure) o_registers(w, oi, active);
        r->insts += mask == ~0u ? O_LANES : (uint64_t)__builtin_popcount(mask);
        if (!oi->handler(w, oi, active)) return false;
        if (r->insts > r->max_insts) return give_up(o);
    }
    if (w->state == O_READY) o_next_path(w);
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
            free(f->assigned);
        }
        free(w->frames);
        free(w->local);
        free(w->local_set);
    }
    free(cta->warps);
    free(cta->shared);
    free(cta->shared_set);
    o_race_close_cta(cta);
}

static bool open_warp(OCta *cta, int index) {
    Oracle *o = cta->o;
    OWarp *w = &cta->warps[index];
    uint32_t left = o->threads - (uint32_t)index * O_LANES;
    int func = (int)(o->run->entry - o->run->module->funcs);
    *w = (OWarp){.cta = cta, .index = index, .alive = left >= O_LANES ? ~0u : (1u << left) - 1};
    w->local_top = o->run->layout->local_bytes;
    if (!o_push_frame(w, &o->funcs[func], w->alive, NULL)) return false;
    const OFrame *f = o_frame(w);
    for (size_t l = 0; l < O_LANES && o->run->entry->param_bytes; l++)
        memcpy(f->params + l * f->param_stride, o->run->params, (size_t)o->run->entry->param_bytes);
    return true;
}

static bool open_cta(OCta *cta, Oracle *o, uint64_t number, const uint32_t id[3]) {
    const OracleRun *r = o->run;
    *cta = (OCta){.o = o, .id = {id[0], id[1], id[2]}, .number = number};
    int nwarps = (int)((o->threads + O_LANES - 1) / O_LANES);
    cta->warps = calloc((size_t)nwarps, sizeof *cta->warps);
    cta->shared_bytes = r->shared->static_bytes;
    if (r->shared_bytes) cta->shared_bytes = r->shared->dynamic_offset + r->shared_bytes;
    cta->shared = calloc(cta->shared_bytes + 1u, 1);
    if (o->found) cta->shared_set = calloc(cta->shared_bytes + 1u, 1);
    panic_if(!cta->warps || !cta->shared || (o->found && !cta->shared_set), "out of memory");
    for (int i = 0; i < O_BARRIERS; i++) cta->barrier[i].every = true;
    for (; cta->nwarps < nwarps;) {
        cta->nwarps++;
        if (!open_warp(cta, cta->nwarps - 1)) return false;
    }
    o_race_open_cta(cta);
    return true;
}

// A turn for each warp that can run.
static bool run_cta(OCta *cta) {
    const OracleRun *r = cta->o->run;
    bool ran = false;
    for (int i = 0; i < cta->nwarps; i++) {
        if (cta->warps[i].state != O_READY) continue;
        ran = true;
        if (!run_warp(&cta->warps[i])) return false;
        if (r->stop && *r->stop)
            return diag_fail(cta->o->d, EXIT_INTERRUPTED, "interrupted in the oracle");
    }
    return ran || o_deadlock(cta);
}

// ---- the grid ----

static bool start_cta(Oracle *o) {
    const OracleRun *r = o->run;
    const uint64_t i = o->next++, x = r->grid[0], y = r->grid[1];
    uint32_t id[3] = {(uint32_t)(i % x), (uint32_t)(i / x % y), (uint32_t)(i / x / y)};
    if (o->nopen == o->cap_open) {
        o->cap_open = o->cap_open ? 2 * o->cap_open : 4;
        o->open = realloc(o->open, (size_t)o->cap_open * sizeof(OCta *));
    }
    OCta *cta = malloc(sizeof *cta);
    panic_if(!o->open || !cta, "out of memory");
    o->open[o->nopen++] = cta;
    return open_cta(cta, o, i, id);
}

static void end_cta(Oracle *o, int index) {
    close_cta(o->open[index]);
    free(o->open[index]);
    o->nopen--;
    memmove(o->open + index, o->open + index + 1, (size_t)(o->nopen - index) * sizeof(OCta *));
}

// Gives a turn to each started CTA and removes CTAs that end.
static bool run_open(Oracle *o) {
    for (int i = 0; i < o->nopen;) {
        if (!run_cta(o->open[i])) return false;
        if (o_live_warps(o->open[i])) i++;
        else end_cta(o, i);
    }
    return true;
}

// Estimated memory of one CTA.
static uint64_t cta_bytes(const Oracle *o) {
    const OFunc *f = &o->funcs[o->run->entry - o->run->module->funcs];
    uint64_t thread = 8 * (uint64_t)f->nslots + (uint64_t)(f->f->param_bytes + f->f->local_bytes);
    uint64_t shared = o->run->shared->static_bytes + o->run->shared_bytes + 1;
    return o->threads * thread +
        (o->race ? o_race_bytes(o->threads / O_LANES + 1, shared) : shared);
}

static bool run_grid(Oracle *o) {
    const uint64_t most = open_bytes_limit / cta_bytes(o) + 1;
    for (int turns = 0; o->nopen || o->next < o->ctas;) {
        int before = o->nopen;
        if (!before && !start_cta(o)) return false;
        if (!run_open(o)) return false;
        turns = o->nopen < before || !o->nopen ? 0 : turns + 1;
        if (turns < (o->nopen == 1 ? PATIENCE : 1)) continue;
        turns = 0;
        for (int n = o->nopen; n > 0 && o->next < o->ctas && (uint64_t)o->nopen < most; n--)
            if (!start_cta(o)) return false;
    }
    return true;
}

bool oracle_run(OracleRun *run, Diag *d) {
    Oracle o = {.run = run,
                .d = d,
                .found = run->findings,
                .threads = run->block[0] * run->block[1] * run->block[2],
                .ctas = (uint64_t)run->grid[0] * run->grid[1] * run->grid[2]};
    run->insts = 0;
    if (!run->max_insts) run->max_insts = ORACLE_MAX_INSTS;
    if (!run->turn) run->turn = ORACLE_TURN;
    o_race_open(&o);
    for (int i = 0; i < run->module->nvars; i++)
        o.blank_const |= o_is_blank_const(&run->module->vars[i]);
    o.funcs = ARENA_ARRAY(&o.arena, OFunc, run->module->nfuncs);
    bool ok = o_decode(&o, (int)(run->entry - run->module->funcs)) && run_grid(&o);
    while (o.nopen) end_cta(&o, o.nopen - 1);
    free(o.open);
    o_race_close(&o);
    if (o.found) o.found->insts += run->insts;
    arena_free(&o.arena);
    return ok;
}
