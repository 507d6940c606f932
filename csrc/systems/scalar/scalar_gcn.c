// SPDX-License-Identifier: Apache-2.0
// The system `scalar-gcn`: the scalar units work for the warps' own stream. An instruction that the
// compiler has marked (csrc/compile/scalar/gcn.c) takes its scheduler's issue slot, but neither a
// collector nor a lane. The unit of its warp executes it once on scalar registers. A vector
// instruction with a scalar operand requests it from the same unit and waits in its collector. All
// lanes receive the word when the instruction dispatches.
//
//     issue -> entry register -> scalar_collect -> scalar_rf -> execution as one lane -> write port
//     of scalar_rf
//                                               |-> operand of an instruction of the lanes     ^
//                                               `-> address, queue -> memory system -----------'
//
// Loads read constants, parameters and read-only global memory, at one address per warp. The value
// moves when the instruction dispatches. After exec.mem.latency clocks of the unit its address is
// at the head of the unit's queue (4 places). The queue sends one request of one lane to the memory
// system, alternating with those of the warps' own LD/ST unit. L1, the constant cache, MSHRs and
// the rest of the memory system are those of the SM. The result is visible at the unit's next clock
// and has priority at the write ports over results of execution. The words of a pair are in both
// banks.
//
// Warp w belongs to unit w mod units and permanently owns words of that unit's file, so a CTA never
// waits for them. The scoreboard is the warps' own, for scalar registers too.
#include "sm/listeners/explain_state.h"
#include "sm/parts/hazards.h"
#include "sm/stages/execute.h"
#include "sm/stages/ldst.h"
#include "systems/scalar/scalar.h"
#include "systems/systems.h"

#include <string.h>

typedef struct GcnUnit {
    ScalarUnit u;
    Flight *entering;       // issued, not yet in scalar_collect
    int started, contexts;  // warps whose registers scalar_collect has received; all of them
} GcnUnit;

typedef struct Gcn {
    GcnUnit unit[SA_MAX_UNITS];
    int nunits;
    bool on;           // the kernel has instructions for the units
    int words, first;  // scalar registers of a warp; number of its first scalar register
    int turn;          // unit whose load has priority
    // cycle of its result or address; words still to be written
    struct {
        uint64_t ready;
        uint8_t left;
    } of[SM_FLIGHTS];
} Gcn;

static const char *const blocks[] = {"scalar_rf", "scalar_collect", NULL};

static int index_of(const Gcn *g, int warp) { return warp / g->nunits; }
static GcnUnit *unit_of(Gcn *g, int warp) { return &g->unit[warp % g->nunits]; }

// ---- open, launch ----

static bool machine(MachineConfig *cfg, Diag *d) {
    const int warps = (cfg->sm_warps + cfg->scalar_units - 1) / cfg->scalar_units;
    if (config_scalar_regs(cfg) < 2)
        return diag_fail(d, EXIT_USAGE,
                         "--arch scalar-gcn: scalar.words is %d, expected at least %d: two for "
                         "each warp of a unit",
                         cfg->scalar_words, 2 * warps);
    if (cfg->scalar_threads < warps) cfg->scalar_threads = warps;
    return true;
}

static void *open_gcn(Sm *sm, Arena *arena) {
    Gcn *g = ARENA_NEW(arena, Gcn);
    g->nunits = sm->cfg->scalar_units;
    for (int i = 0; i < g->nunits; i++) scalar_open_unit(sm, &g->unit[i].u, i, arena);
    for (int i = 0; blocks[i]; i++) cosim_expect_work(sm->cosim, blocks[i], false);
    return g;
}

static void launch(Sm *sm, void *self) {
    Gcn *g = self;
    const IsaProgram *p = sm->launch->program;
    g->on = p->scalar_regs > 0;
    g->words = (p->scalar_regs + 1) / 2 * 2;
    g->first = p->nregs - p->scalar_regs;
    for (int i = 0; g->on && blocks[i]; i++) cosim_expect_work(sm->cosim, blocks[i], true);
    for (int i = 0; i < g->nunits; i++) {
        GcnUnit *x = &g->unit[i];
        x->u.collecting = x->u.executing = x->u.results = x->u.loaded = x->u.arrived = x->u.queue =
            (FlightList){0};
        x->u.nresults = x->u.nqueue = 0;
        memset(x->u.free, 0, sizeof x->u.free);
        x->entering = NULL;
        x->started = 0;
        x->contexts = (sm->cfg->sm_warps - i + g->nunits - 1) / g->nunits;
        panic_if(x->contexts * g->words > sm->cfg->scalar_words,
                 "scalar registers of %d warps do not fit", x->contexts);
    }
}

// ---- issue ----

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    const Gcn *g = self;
    WarpSet held = 0;
    for (WarpSet left = g->on ? warps : 0; left; left &= left - 1) {
        const int warp = lowest(left);
        const InstStream *s = sm->warps[warp].front;
        const SmInst *in = &s->insts[s->pc];
        const GcnUnit *x = &g->unit[warp % g->nunits];
        if (!in->scalar && !in->broadcast) continue;
        const bool full = in->scalar && sm->nflights >= SM_FLIGHTS - SM_MAX_WARPS;
        if (x->entering || x->started <= index_of(g, warp) || full) held |= left & -left;
    }
    return warps & ~held;
}

static const IssueGate gate = {
    .waits_for = "the scalar unit of its warp", .stall = CTR_STALL_SP, .may = may};

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    Gcn *g = self;
    const SmInst *in = e->flight->inst;
    if (!in->scalar && !in->broadcast) return;
    panic_if(unit_of(g, e->flight->warp)->entering, "two instructions enter a scalar unit at once");
    unit_of(g, e->flight->warp)->entering = &sm->flights[flight_index(sm, e->flight)];
    sm->count->v[CTR_SCALAR_INSTS] += in->scalar;
}

static const Listener listener = {.begun = on_begun};

// ---- results ----

// The result of the unit's lane applies to all lanes.
static void complete_scalar(Sm *sm, Gcn *g, GcnUnit *x, Flight *f, FlightList *to) {
    const int lane = __builtin_ctz(f->active);
    uint32_t *pred = f->stream->pred;
    for (int w = 0; w < f->inst->isa->dst_width; w++)
        for (int l = 0; l < ISA_LANES; l++) f->out.dst[w][l] = f->out.dst[w][lane];
    for (int i = 0; i < 2; i++) {
        const int p = f->inst->isa->pdst[i];
        f->out.pdst[i] = f->out.pdst[i] >> lane & 1 ? ~0u : 0;
        if (p != ISA_PT) pred[p] = (pred[p] & ~f->active) | (f->out.pdst[i] & f->active);
    }
    notify_result(sm, (FlightEvent){f});
    if (f->inst->pred_writes) hazards_preds_written(sm, f);
    if (!f->inst->nwrites) {
        flight_end(sm, f);
        return;
    }
    g->of[flight_index(sm, f)].left = (uint8_t)((1u << f->inst->nwrites) - 1);
    flight_push(to, FLIGHT_AT, f);
    x->u.nresults++;
}

static void finish_execution(Sm *sm, Gcn *g, GcnUnit *x) {
    for (Flight *f = x->u.executing.first, *after; f; f = after) {
        after = flight_after(f, FLIGHT_AT);
        if (g->of[flight_index(sm, f)].ready > sm->cycle) continue;
        flight_remove(&x->u.executing, FLIGHT_AT, f);
        complete_scalar(sm, g, x, f, &x->u.results);
    }
}

static void write_list(Sm *sm, Gcn *g, ScalarUnit *u, FlightList *of) {
    for (Flight *f = of->first, *after; f; f = after) {
        uint8_t *left = &g->of[flight_index(sm, f)].left;
        after = flight_after(f, FLIGHT_AT);
        scalar_write_words(sm, u, f, index_of(g, f->warp) * g->words - g->first, left);
        if (*left) continue;
        flight_remove(of, FLIGHT_AT, f);
        u->nresults--;
        for (int k = 0; k < f->inst->nwrites; k++) hazards_written(sm, f, f->inst->dst_reg[k]);
        flight_end(sm, f);
    }
}

// One word per bank: results of memory first, then the oldest.
static void write_results(Sm *sm, Gcn *g, GcnUnit *x) {
    finish_execution(sm, g, x);
    for (Flight *f; !sm->failed && (f = flight_pop(&x->u.loaded, FLIGHT_AT));)
        complete_scalar(sm, g, x, f, &x->u.arrived);
    write_list(sm, g, &x->u, &x->u.arrived);
    write_list(sm, g, &x->u, &x->u.results);
}

// ---- operands, execution ----

static void broadcast_word(Flight *f, int op, uint32_t word) {
    for (int l = 0; l < ISA_LANES; l++) f->ops[op][l] = word;
}

static void into_queue(Sm *sm, GcnUnit *x, Flight *f) {
    if (!ldst_load_once(sm, f)) return;
    flight_push(&x->u.queue, FLIGHT_AT, f);
    x->u.nqueue++;
}

static int counter_of(IsaUnit unit) {
    return unit == ISA_UNIT_LDST ? CTR_SCALAR_LDST
        : unit == ISA_UNIT_SFU   ? CTR_SCALAR_SFU
                                 : CTR_SCALAR_ALU;
}

static void execute_scalar(Sm *sm, Gcn *g, GcnUnit *x, Flight *f) {
    const SmInst *in = f->inst;
    const unsigned clock = (unsigned)sm->cfg->scalar_clock;
    const IsaUnit unit = isa_op_info[in->isa->op].unit;
    x->u.free[unit & 3] = sm->cycle + clock * (unsigned)in->interval;
    sm->count->v[counter_of(unit)]++;
    g->of[flight_index(sm, f)].ready = sm->cycle + clock * (unsigned)in->latency;
    if (unit == ISA_UNIT_LDST) {
        into_queue(sm, x, f);
        return;
    }
    if (in->isa->op == ISA_S2R) {
        f->out.dst[0][__builtin_ctz(f->active)] =
            execute_sreg(sm, &sm->warps[f->warp], in->isa->sreg, __builtin_ctz(f->active));
    } else {
        IsaExecIn e = {.active = f->active, .present = f->present};
        for (int i = 0; i < 3; i++) {
            for (int w = 0; w < in->isa->src[i].width; w++) e.src[i][w] = flight_source(f, i, w);
            e.psrc[i] = f->psrc[i];
        }
        isa_exec(in->isa, &e, &f->out);
    }
    flight_push(&x->u.executing, FLIGHT_AT, f);
}

static bool can_accept(const Sm *sm, const ScalarUnit *u, const SmInst *in) {
    const IsaUnit unit = isa_op_info[in->isa->op].unit;
    if (u->nresults >= SCALAR_RESULTS || u->free[unit & 3] > sm->cycle) return false;
    return unit != ISA_UNIT_LDST || u->nqueue < SCALAR_QUEUE;
}

static void dispatch_collected(Sm *sm, Gcn *g, GcnUnit *x) {
    ScalarUnit *u = &x->u;
    if (!u->collect_out->disp_valid[0]) return;
    Flight *f = u->collecting.first;
    panic_if(!f || (int)u->collect_out->disp_ctx[0] != index_of(g, f->warp),
             "scalar_collect offers an operation that it did not receive");
    const SmInst *in = f->inst;
    if (in->scalar && !can_accept(sm, u, in)) {
        sm->count->v[CTR_SCALAR_PIPE_WAITS]++;
        return;
    }
    flight_pop(&u->collecting, FLIGHT_LATE);
    u->collect_in->disp_ready[0] = 1;
    sm_progress(sm);
    if (in->broadcast) {
        hazards_operands_read(sm, f, in->op_reg + in->nops, in->broadcast);
        for (int k = 0; k < in->broadcast; k++)
            broadcast_word(f, in->nops + k, u->collect_out->disp_data[k]);
        f->broadcast_there = true;
        sm->count->v[CTR_SCALAR_RF_READS] += in->broadcast;
        return;
    }
    for (int k = 0; k < in->nops; k++) broadcast_word(f, k, u->collect_out->disp_data[k]);
    sm->count->v[CTR_SCALAR_RF_READS] += in->nops;
    execute_scalar(sm, g, x, f);
}

static void enter_collector(Gcn *g, GcnUnit *x) {
    ScalarCollectIn *c = x->u.collect_in;
    Flight *f = x->entering;
    if (!f || !x->u.collect_out->alloc_ready[0]) return;
    const SmInst *in = f->inst;
    const int first = in->broadcast ? in->nops : 0, n = in->broadcast ? in->broadcast : in->nops;
    c->alloc_valid[0] = 1;
    c->alloc_ctx[0] = (uint32_t)index_of(g, f->warp);
    c->alloc_need[0] = (1u << n) - 1;
    for (int k = 0; k < SC_NEED; k++)
        c->alloc_reg[k] = k < n ? (uint32_t)(in->op_reg[first + k] - g->first) : 0;
    flight_push(&x->u.collecting, FLIGHT_LATE, f);
    x->entering = NULL;
}

// ---- the memory system ----

static bool next(Sm *sm, void *self, MemRequest *r) {
    Gcn *g = self;
    for (int k = 0; k < g->nunits; k++) {
        const int i = (g->turn + k) % g->nunits;
        ScalarUnit *u = &g->unit[i].u;
        Flight *f = u->queue.first;
        if (!f || g->of[flight_index(sm, f)].ready > sm->cycle) continue;
        flight_pop(&u->queue, FLIGHT_AT);
        u->nqueue--;
        g->turn = (i + 1) % g->nunits;
        ldst_request_once(sm, f, r);
        sm->count->v[CTR_SCALAR_REQUESTS]++;
        return true;
    }
    return false;
}

// The unit sees the answer at its next clock.
static void done(Sm *sm, void *self, uint32_t id) {
    Flight *f = &sm->flights[id];
    panic_if(!f->inst, "the memory system is done with load %u of a scalar unit, which is not", id);
    flight_push(&unit_of(self, f->warp)->u.loaded, FLIGHT_AT, f);
}

static const AccessSource source = {.place = SOURCE_FAIR, .next = next, .done = done};

// ---- the cycle ----

static void start_context(const Gcn *g, GcnUnit *x) {
    ScalarCollectIn *c = x->u.collect_in;
    if (x->started == x->contexts) return;
    c->start_valid[0] = 1;
    c->start_ctx[0] = (uint32_t)x->started;
    c->start_base[0] = (uint32_t)(x->started * g->words);
    c->start_count[0] = (uint32_t)g->words;
    x->started++;
}

static bool is_working(const GcnUnit *x) {
    return x->entering || x->u.collecting.first || x->u.executing.first || x->u.results.first ||
        x->u.loaded.first || x->u.arrived.first || x->u.queue.first;
}

static void clock_unit(Sm *sm, Gcn *g, GcnUnit *x) {
    ScalarUnit *u = &x->u;
    u->rf_in->en[0] = u->collect_in->en[0] = 1;
    write_results(sm, g, x);
    dispatch_collected(sm, g, x);
    u->collect_in->rd_data_valid[0] = u->rf_out->rd_data_valid[0];
    memcpy(u->collect_in->rd_data, u->rf_out->rd_data, sizeof u->collect_in->rd_data);
    u->rf_in->rd_valid[0] = u->collect_out->rd_valid[0];
    memcpy(u->rf_in->rd_addr, u->collect_out->rd_addr, sizeof u->rf_in->rd_addr);
    enter_collector(g, x);
}

static void tick(Sm *sm, void *self) {
    Gcn *g = self;
    const bool all = sm->every_cycle || cosim_every_cycle(sm->cosim);
    const bool clock = sm->cycle % (unsigned)sm->cfg->scalar_clock == 0;
    for (int i = 0; i < g->nunits && !sm->failed; i++) {
        GcnUnit *x = &g->unit[i];
        ScalarUnit *u = &x->u;
        u->rf_in->en[0] = u->rf_in->rd_valid[0] = u->rf_in->wr_valid[0] = 0;
        u->collect_in->en[0] = u->collect_in->start_valid[0] = u->collect_in->alloc_valid[0] = 0;
        u->collect_in->rd_data_valid[0] = u->collect_in->disp_ready[0] = 0;
        if (g->on) start_context(g, x);
        if (!all && !(clock && is_working(x)) && !u->collect_in->start_valid[0]) continue;
        block_eval(u->rf);
        block_eval(u->collect);
        if (clock && g->on) clock_unit(sm, g, x);
        block_eval(u->rf);
        block_eval(u->collect);
        if (u->collect_out->error[0] && u->collect_in->alloc_valid[0])
            sm_fail(sm, EXIT_WRONG_RESULT, "kernel %s: scalar_collect refuses a register",
                    sm->launch->program->name);
        block_tick(u->rf);
        block_tick(u->collect);
    }
}

static bool busy(const Sm *sm, const void *self) {
    const Gcn *g = self;
    (void)sm;
    for (int i = 0; g->on && i < g->nunits; i++)
        if (is_working(&g->unit[i]) || g->unit[i].started < g->unit[i].contexts) return true;
    return false;
}

static const Clocked clock_part = {.tick = tick, .busy = busy};

const System system_scalar_gcn = {
    .name = "scalar-gcn",
    .what = "an operation with equal operands in all lanes executes once, on a scalar unit",
    .group = SYSTEM_SCALAR,
    .reason = "other register paths have no scalar registers",
    .compiler = {.scalars = true},
    .summary = summary_scalar,
    .figures = figures_scalar,
    .blocks = blocks,
    .open = open_gcn,
    .launch = launch,
    .machine = machine,
    .gate = &gate,
    .source = &source,
    .clock = &clock_part,
    .listener = &listener};
