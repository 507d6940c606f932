// SPDX-License-Identifier: Apache-2.0
// Compiler part: kernels with their registers split for the shape of each launch. Registers stay
// where the path has them; a listener looks that a warp names extended ones only between acq and
// rel.
#include "toys.h"

static uint64_t held, acquires, expected, unheld, whole, shared;
static struct {
    const IsaProgram *program;
    uint32_t threads;
} launched;

static void launch(Sm *sm, void *self) {
    const IsaProgram *p = sm->launch->program;
    (void)self;
    held = 0;
    const uint32_t *block = sm->launch->block, threads = block[0] * block[1] * block[2];
    shared += launched.program == p && launched.threads != threads;
    launched.program = p;
    launched.threads = threads;
    whole += p->base_regs == 0;
    for (int i = 0; i < p->ninsts; i++)
        expected += p->insts[i].op == ISA_ACQ && p->insts[i].guard.reg == ISA_PT;
}

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    acquires = expected = unheld = whole = shared = 0;
    launched.program = NULL;
    return NULL;
}

static void issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaProgram *p = sm->launch->program;
    const IsaOp op = e->inst->isa->op;
    (void)self;
    if (!inst_stream_is_own(sm, e->warp, e->stream)) return;
    if (!e->pc || op == ISA_REL) held &= ~(1ull << e->warp);  // a warp that starts holds none
    if (op == ISA_ACQ) acquires++, held |= 1ull << e->warp;
    const uint64_t named = e->inst->reads | e->inst->writes,
                   base = p->base_regs < 64 ? ~0ull << p->base_regs : 0;
    if (op == ISA_BAR ? held >> e->warp & 1 : (named & base) && !(held >> e->warp & 1)) unheld++;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run, (void)alone;
    if (unheld) return "extended registers only while a section is held, and barriers without one";
    if (shared) return "a program of its own for each size of a CTA";
    if (whole) return "programs that say which registers are base registers";
    return expected && !acquires ? "acq to be issued" : NULL;
}

static const Listener listener = {.issued = issued};
static const System system_toy = {.name = "toy-regions",
                                  .what = "splits registers",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .launch = launch,
                                  .compiler = {.regions = true},
                                  .listener = &listener};
const Toy toy_regions = {&system_toy, seen};
