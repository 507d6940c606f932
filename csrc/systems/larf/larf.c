// SPDX-License-Identifier: Apache-2.0
// LARF: a table records which physical warp register holds which words of global memory. A later
// load of the same words shares that register instead of receiving its own copy. It may also share
// a value merged from two registers that hold parts of it (thesis, chapter 5). Registers are
// renamed for this sharing. A physical register is freed with its last mapping, and the compiler
// marks dead registers. The queries of the table are in larf_loads.c, the registers in larf_regs.c;
// this file is the cycle.
//
//     drive     outputs of the blocks from state: answers of the table, wakes; a read of the
//               register file is offered
//     settle    the row that was read, merges; shapes, look-ups, stores, flushes; answers to
//               waiting loads
//     tick      clock edge
#include "systems/larf/larf.h"

#include "models/params.h"
#include "systems/baseline/banked_path.h"
#include "systems/larf/larf_flat.h"
#include "systems/systems.h"

#include <string.h>

static void *open_larf(Sm *sm, Arena *arena) {
    Larf *s = ARENA_NEW(arena, Larf);
    Cosim *c = sm->cosim;
    s->amt = cosim_block(c, "addr_map_table"), s->amt_in = s->amt->in, s->amt_out = s->amt->out;
    if (sm->cfg->larf_ideal || sm->cfg->larf_table == LARF_TABLE_FLAT) {
        s->flat = flat_open(arena, sm->cfg, sm->cfg->rf_banks << block_bits(sm->cfg->rf_entries));
        s->amt_in = &s->flat->in, s->amt_out = &s->flat->out;
    }
    s->shape = cosim_block(c, "load_shape"), s->shape_in = s->shape->in,
    s->shape_out = s->shape->out;
    s->rc = cosim_block(c, "ref_count"), s->rc_in = s->rc->in, s->rc_out = s->rc->out;
    s->wt = cosim_block(c, "wait_table"), s->wt_in = s->wt->in, s->wt_out = s->wt->out;
    s->rr = cosim_block(c, "row_reader"), s->rr_in = s->rr->in, s->rr_out = s->rr->out;
    s->mu = cosim_block(c, "merge_unit"), s->mu_in = s->mu->in, s->mu_out = s->mu->out;
    regs_open(s, sm, arena);
    loads_open(s, sm, arena);
    return s;
}

static void launch(Sm *sm, void *self) {
    Larf *s = self;
    (void)sm;
    regs_launch(s);
    loads_launch(s);
    live_launch(s);
    if (s->flat) flat_clear(s->flat);
    s->clear = true;
}

// ---- the cycle ----

static void idle_inputs(Larf *s) {
    s->amt_in->lk_valid[0] = s->amt_in->ins_valid[0] = s->amt_in->st_valid[0] =
        s->amt_in->rel_valid[0] = 0;
    s->amt_in->arr_valid[0] = s->amt_in->fl_valid[0] = 0;
    s->shape_in->in_valid[0] = 0;
    s->rc_in->cl_valid[0] = s->rc_in->al_valid[0] = s->rc_in->inc_valid[0] =
        s->rc_in->dec_valid[0] = 0;
    s->rc_in->rel_ready[0] = s->rc_in->done_valid[0] = s->rc_in->mk_valid[0] = 0;
    s->wt_in->cl_valid[0] = s->wt_in->en_valid[0] = s->wt_in->arr_valid[0] = 0;
    s->rr_in->mg_valid[0] = s->rr_in->qu_valid[0] = s->rr_in->drop[0] = s->rr_in->rd_grant[0] = 0;
    s->rr_in->back_valid[0] = s->rr_in->op_ready[0] = s->rr_in->an_ready[0] = 0;
    s->mu_in->op_valid[0] = 0;
    s->mu_in->res_ready[0] = 1;
    s->nalloc = s->ninc = 0;
}

void larf_ask_table(Larf *s) {
    if (!s->flat) block_eval(s->amt);
}

static void eval_all(Larf *s) {
    Block *const all[] = {s->shape, s->rc, s->wt, s->rr, s->mu};
    larf_ask_table(s);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) block_eval(all[i]);
}

static void drive(Sm *sm, void *self) {
    Larf *s = self;
    idle_inputs(s);
    eval_all(s);
    if (s->clear) {
        s->rc_in->cl_valid[0] = s->wt_in->cl_valid[0] = s->amt_in->fl_valid[0] = 1;
        return;
    }
    loads_answers(sm, s);
    regs_unmap(sm, s);
    live_cycle(sm, s);
    if (s->rr_out->rd_valid[0])
        sm->path->read(sm, sm->path_self, regs_place(s, (int)s->rr_out->rd_phys[0]));
}

// Merges the rows that were read.
static void eval_merges(Sm *sm, Larf *s) {
    const uint32_t *row = sm->path->row_read(sm, sm->path_self);
    s->rr_in->rd_grant[0] = sm->path->read_granted(sm, sm->path_self);
    s->rr_in->back_valid[0] = row != NULL;
    if (row) memcpy(s->rr_in->back_row[0], row, sizeof s->rr_in->back_row[0]);
    block_eval(s->rr);
    if (s->rr_out->un_valid[0] && fifo_pop(&s->pinned)) regs_drop(s, (int)s->rr_out->un_phys[0]);
    s->mu_in->op_valid[0] = s->rr_out->op_valid[0];
    memcpy(s->mu_in->op_row, s->rr_out->op_row, sizeof s->mu_in->op_row);
    memcpy(s->mu_in->op_shift, s->rr_out->op_shift, sizeof s->mu_in->op_shift);
    memcpy(s->mu_in->op_mask, s->rr_out->op_mask, sizeof s->mu_in->op_mask);
    block_eval(s->mu);
    if (s->mu_out->res_valid[0]) {
        if (s->mu_tag >> 23) regs_copied(s, (int)(s->mu_tag & 3), s->mu_out->res_row[0]);
        else loads_merged(s, s->mu_tag, s->mu_out->res_row[0], sm);
    }
    s->rr_in->op_ready[0] = s->mu_out->op_ready[0];
    if (s->rr_out->op_valid[0] && s->mu_out->op_ready[0]) s->mu_tag = s->rr_out->op_tag[0];
}

static void drive_arrivals(const Sm *sm, Larf *s) {
    for (int p = 0; p < sm->cfg->rf_write_ports && s->written.n; p++) {
        s->amt_in->arr_valid[0] |= 1u << p;
        s->amt_in->arr_phys[p] = (uint32_t)fifo_pop(&s->written);
    }
}

static void settle(Sm *sm, void *self) {
    Larf *s = self;
    sm->count->v[CTR_LARF_FREE] += s->rc_out->free_count[0];
    sm->count->v[CTR_LARF_SHARED] += (unsigned)s->shared;
    if (s->clear) return;
    eval_merges(sm, s);
    drive_arrivals(sm, s);
    loads_ask(sm, s);
    loads_decide(sm, s);
    regs_settle(sm, s);
}

static void tick(Sm *sm, void *self) {
    Larf *s = self;
    Block *const all[] = {s->shape, s->rc, s->wt, s->rr, s->mu};
    (void)sm;
    eval_all(s);
    if (s->flat) flat_tick(s->flat);
    else block_tick(s->amt);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) block_tick(all[i]);
    s->clear = false;
}

static bool busy(const Sm *sm, const void *self) {
    (void)sm, (void)self;
    return true;
}

static const Clocked clock_part = {.drive = drive, .settle = settle, .tick = tick, .busy = busy};

// ---- events ----

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    Larf *s = self;
    const int warp = e->flight->warp;
    loads_begun(sm, s, e->flight);
    live_begun(sm, s, e->flight);
    s->dead[warp] &= ~e->flight->inst->writes;
    if (!s->dead[warp]) s->dying &= ~word_bit(warp);
}

static void on_ended(Sm *sm, void *self, const FlightEvent *e) { live_ended(sm, self, e->flight); }

static void on_cta_begin(Sm *sm, void *self, const CtaEvent *e) {
    (void)sm;
    live_cta_begin(self, e->slot);
}

static void on_cta_end(Sm *sm, void *self, const CtaEvent *e) {
    (void)sm;
    live_cta_end(self, e->slot);
}

static void on_access(Sm *sm, void *self, const FlightEvent *e) {
    loads_access(sm, self, e->flight);
}
static void on_performed(Sm *sm, void *self, const LanesEvent *e) {
    loads_performed(sm, self, e->flight, e->lanes);
}
static void on_written(Sm *sm, void *self, const WordEvent *e) {
    loads_written(self, sm, e->flight, e->word);
}

static void on_dead(Sm *sm, void *self, const RegistersEvent *e) {
    Larf *s = self;
    (void)sm;
    s->dead[e->warp] |= e->regs;
    s->dying |= word_bit(e->warp);
}

// Flushes at fences beyond the CTA (the compiler inserts a fence after each acquire). Metadata
// names registers that are dead at its position. A store of the CTA's own warps invalidates the
// overwritten words before it is visible.
static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    const IsaInst *in = e->inst->isa;
    if (!e->active) return;
    if (in->op == ISA_MEMBAR && in->mode) loads_flush(sm, self);
    if (in->op == ISA_BAR && sm->cfg->larf_flush == LARF_FLUSH_BARRIER) loads_flush(sm, self);
    if (in->op != ISA_HINT || in->mode != ISA_HINT_RELEASE) return;
    for (int i = 0; i < ISA_HINT_RELEASE_COUNT; i++) {
        const int reg = (int)(in->src[0].imm >> (6 * i)) & 63;
        if (reg != ISA_HINT_NONE) on_dead(sm, self, &(RegistersEvent){e->warp, word_bit(reg)});
    }
}

static const Listener listener = {.begun = on_begun,
                                  .access = on_access,
                                  .performed = on_performed,
                                  .written = on_written,
                                  .dead = on_dead,
                                  .issued = on_issued,
                                  .ended = on_ended,
                                  .cta_begin = on_cta_begin,
                                  .cta_end = on_cta_end};

// ---- a warp ends ----

static void warp_ends(Sm *sm, void *self, int warp) {
    Larf *s = self;
    (void)sm;
    s->dead[warp] = 0;
    s->dying &= ~word_bit(warp);
    s->exiting |= word_bit(warp);
}

static bool slot_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const Larf *)self)->exiting >> warp & 1);
}

static const Admission admission = {.registers = live_charged,
                                    .ctas = live_ctas,
                                    .may_start = live_may_start,
                                    .warp_ends = warp_ends,
                                    .slot_free = slot_free};
static const IssueGate gate = {.waits_for = "a free warp register that its CTA may take",
                               .stall = CTR_STALL_ROW,
                               .may = live_may};

// ---- load port ----

static LoadAnswer probe(Sm *sm, void *self, Flight *f) { return loads_probe(sm, self, f); }

static bool room(const Sm *sm, const void *self) {
    (void)sm;
    return loads_room(self);
}

static const LoadPort load_port = {.stages = LOAD_AT_END, .probe = probe, .room = room};

static const char *const blocks[] = {"addr_map_table", "load_shape", "ref_count", "wait_table",
                                     "row_reader",     "merge_unit", NULL};

// Settings that only the golden models of the table support.
static bool check_settings(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d) {
    (void)arch;
    const bool flat = cfg->larf_ideal || cfg->larf_table == LARF_TABLE_FLAT;
    if (flat && runs_rtl)
        return diag_fail(
            d, EXIT_USAGE,
            "%s: a table without RTL, expected --blocks model, found RTL among the blocks",
            cfg->larf_ideal ? "larf.ideal is 1" : "larf.table is flat");
    if (!flat && (cfg->larf_partial != LARF_PARTIAL_POWERS || cfg->larf_enter_merged))
        return diag_fail(
            d, EXIT_USAGE, "%s: only the flat table supports this, expected larf.table=flat",
            cfg->larf_enter_merged ? "larf.enter_merged is 1" : "larf.partial is not powers");
    return true;
}

const System system_larf = {.name = "larf",
                            .what = "registers that hold the words serve loads",
                            .group = SYSTEM_FILE | SYSTEM_RFV | SYSTEM_LARF,
                            .with = SYSTEM_LAS,
                            .reason = "it allocates and frees registers itself",
                            .compiler = {.hints = 1u << ISA_HINT_RELEASE},
                            .blocks = blocks,
                            .figures = figures_larf,
                            .settings = check_settings,
                            .open = open_larf,
                            .launch = launch,
                            .path = &path_banked_reader,
                            .mode = &(const BankedMode){.reader = true},
                            .places = &larf_places,
                            .gate = &gate,
                            .admission = &admission,
                            .load = &load_port,
                            .clock = &clock_part,
                            .listener = &listener};
