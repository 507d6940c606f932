// SPDX-License-Identifier: Apache-2.0
// The campaign over one block.
#include "base/output.h"
#include "base/plain.h"
#include "proc/clock.h"
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Mutants of yosys' netlist start from 0, as their proofs do. A missing reset is found as in
// verify.
uint64_t mutate_start_seed(MutantSide side) { return side == MUTANT_RESET ? START_OF_CHUNK : 0; }
uint64_t mutate_interval(MutantSide side) {
    return side == MUTANT_RESET ? 0 : MUTATE_STATE_INTERVAL;
}

// Runs the block without any mutant; for the RTL, in the build that contains all mutants. The run
// must pass and must compare something, because a survivor is judged by the same comparisons. The
// build is made here and counts for no time limit.
static bool check_clean(const Campaign *c, MutantSide side, Diag *d) {
    const char *none = "+mutant=0", *rtl = side == MUTANT_MODEL ? NULL : c->rtl;
    const HarnessOptions ho = {.desc = c->o->desc,
                               .params = c->o->params,
                               .data_dir = c->o->data_dir,
                               .cache_dir = rtl ? c->dir : c->o->cache_dir,
                               .rtl = rtl,
                               .plusargs = &none,
                               .nplusargs = 1,
                               .notice = c->o->notice,
                               .start_seed = mutate_start_seed(side),
                               .state_interval = mutate_interval(side)};
    Harness *h = harness_open(&ho, d);
    if (!h) return false;
    const Mismatch *m = verify_run_chunk(h, c->o->seed, 2 * MUTATE_CHUNK, 0, NULL, NULL, NULL);
    if (m)
        diag_fail(d, EXIT_MISMATCH, "block %s fails without any mutant: seed %llu, cycle %llu, %s",
                  c->o->desc->name, (unsigned long long)c->o->seed, (unsigned long long)m->cycle,
                  m->port);
    else if (harness_worked(h) == 0)
        diag_fail(d, EXIT_VACUOUS, "block %s: no output showed work of the block",
                  c->o->desc->name);
    harness_close(h);
    return diag_ok(d);
}

static bool open_dir(Campaign *c, Diag *d) {
    if (!c->o->dir) return (c->dir = tool_folder(c->arena, d)) != NULL;
    if (!output_folder(c->o->dir, d)) return false;
    char dir[PATH_MAX];  // absolute: generated files include each other by these names
    if (!realpath(c->o->dir, dir))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", c->o->dir, strerror(errno));
    if (!plain_path(dir, "the campaign's folder", EXIT_USAGE, d)) return false;
    c->dir = arena_printf(c->arena, "%s/%s", dir, c->o->desc->name);
    return output_folder(c->dir, d);
}

static bool run_side(Campaign *c, MutantSide side, int wanted,
                     bool (*prepare)(Campaign *c, Diag *d), Diag *d) {
    if (wanted <= 0 || (c->o->stop && *c->o->stop)) return true;
    if (!prepare(c, d)) return false;
    mutate_journal_read(c);
    bool open = false;
    for (int i = 0; i < c->r->n; i++)
        open |= c->r->mutants[i].side == side && c->r->mutants[i].verdict == MUTANT_OPEN;
    if (open && !check_clean(c, side, d)) return false;
    c->end = c->o->seconds > 0 ? clock_seconds() + c->o->seconds : 0;
    return mutate_run_all(c, side, d);
}

static void sum_up(MutateResult *r) {
    r->complete = true;
    for (int i = 0; i < r->n; i++) {
        r->count[r->mutants[i].side][r->mutants[i].verdict]++;
        r->complete &= r->mutants[i].verdict != MUTANT_OPEN;
    }
}

bool mutate_block(Arena *arena, const MutateOptions *o, MutateResult *r, Diag *d) {
    Campaign c = {.arena = arena, .o = o, .r = r};
    const double since = clock_seconds();
    *r = (MutateResult){.desc = o->desc};
    memcpy(r->params, o->params, sizeof *r->params * (size_t)o->desc->nparams);
    if (!open_dir(&c, d)) return false;
    c.journal = arena_printf(arena, "%s/journal", c.dir);
    const bool ok = run_side(&c, MUTANT_RTL, o->rtl_mutants, mutate_rtl_prepare, d) &&
        run_side(&c, MUTANT_MODEL, o->model_mutants, mutate_model_prepare, d) &&
        run_side(&c, MUTANT_RESET, o->resets, mutate_reset_prepare, d);
    sum_up(r);
    r->seconds = clock_seconds() - since;
    if (!o->dir) tool_remove(c.dir);
    return ok;
}
