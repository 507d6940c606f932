// SPDX-License-Identifier: Apache-2.0
// Operand path: no blocks, one place per warp for a waiting instruction, one cycle per source. An
// instruction that executes at issue takes the place for two cycles. Dead registers are killed:
// they read as KILLED.
#include "toys.h"

enum { RESULTS = 3, KILLED = 0x6b696c6c, MAX_PORTS = 8, MAX_OPS = 4 };

typedef struct Path {
    Slots slots;
    uint32_t (*value)[64][32];  // of each warp and register, lanes
    // cycle of dispatch; from which the place is free
    uint64_t ready[SM_MAX_WARPS], free[SM_MAX_WARPS];
    uint32_t disp_ready, disp_valid, disp_slot[MAX_PORTS], disp_data[MAX_PORTS * MAX_OPS][32];
    uint32_t wr_valid, wr_ready, wr_lane[RESULTS], wr_data[RESULTS][32];
    uint8_t wr_warp[RESULTS], wr_reg[RESULTS];
    uint64_t killed[SM_MAX_WARPS], dead[SM_MAX_WARPS];  // registers
} Path;

// Counts: instructions that entered and passed, issued that should pass; instructions without room.
// Also results at ports beyond those of the register file; registers that were killed; reads of
// killed registers.
static struct {
    uint64_t entered, passed, passing, full, held, beyond, kills, wrong;
    int most;
} seen_of;
static Path *path;

static void *open_path(Sm *sm, Arena *arena, const void *mode, PathPorts *ports) {
    Path *p = path = ARENA_NEW(arena, Path);
    (void)mode;
    memset(&seen_of, 0, sizeof seen_of);
    p->value = arena_alloc(arena, sizeof *p->value * SM_MAX_WARPS);
    memset(p->value, 0, sizeof *p->value * SM_MAX_WARPS);
    p->wr_ready = (1u << RESULTS) - 1;
    slots_open(&p->slots, arena, sm->cfg->sm_warps, 0);
    *ports = (PathPorts){.slots = &p->slots,
                         .results = RESULTS,
                         .disp_ready = &p->disp_ready,
                         .disp_valid = &p->disp_valid,
                         .disp_slot = p->disp_slot,
                         .disp_data = p->disp_data,
                         .wr_valid = &p->wr_valid,
                         .wr_lane = p->wr_lane,
                         .wr_data = p->wr_data,
                         .wr_ready = &p->wr_ready};
    return p;
}

static void nothing(Sm *sm, void *self) { (void)sm, (void)self; }

static void offer(Path *p, int warp, int port, const Waiting *w) {
    int n;
    const uint8_t *regs = path_sources(w->flight->inst, w->uop, SM_OPERANDS, &n);
    p->disp_valid |= 1u << port;
    p->disp_slot[port] = (uint32_t)warp;
    for (int i = 0; i < n; i++) {
        seen_of.wrong += p->killed[warp] >> regs[i] & 1;
        rf_slices_from_lanes(p->disp_data[port * SM_OPERANDS + i], p->value[warp][regs[i]]);
    }
}

static void eval(Sm *sm, void *self) {
    Path *p = self;
    p->disp_valid = 0;
    for (int warp = 0; warp < p->slots.nslots; warp++) {
        const Waiting *w = slots_at(&p->slots, warp);
        const int port = w ? units_port(sm, w->flight->inst->unit, warp) : 0;
        if (w && p->ready[warp] <= sm->cycle && !(p->disp_valid >> port & 1))
            offer(p, warp, port, w);
    }
}

// Results at the ports are written.
static void wires(Sm *sm, void *self) {
    Path *p = self;
    for (uint32_t left = p->wr_valid; left; left &= left - 1) {
        const int port = __builtin_ctz(left), warp = p->wr_warp[port], reg = p->wr_reg[port];
        uint32_t lanes[32];
        rf_lanes_from_slices(lanes, p->wr_data[port]);
        for (uint32_t l = p->wr_lane[port]; l; l &= l - 1)
            p->value[warp][reg][__builtin_ctz(l)] = lanes[__builtin_ctz(l)];
        seen_of.beyond += port >= sm->cfg->rf_write_ports;
        p->killed[warp] &= ~word_bit(reg);
    }
}

static bool fits(const Sm *sm, const void *self, int warp, const InstStream *stream,
                 const SmInst *in, int uop) {
    const Path *p = self;
    (void)stream, (void)uop;
    const bool fit = !slots_at(&p->slots, warp) && p->free[warp] <= sm->cycle;
    if (in->at_issue) seen_of.held += !fit;
    else seen_of.full += !fit;
    return fit;
}

static void accept(Sm *sm, void *self, Flight *f, int uop) {
    Path *p = self;
    int n;
    path_sources(f->inst, uop, SM_OPERANDS, &n);
    slots_take(sm, &p->slots, f->warp, (Waiting){f, sm->cycle, (uint8_t)uop});
    p->ready[f->warp] = sm->cycle + 1 + (unsigned)n;
    seen_of.entered++;
    if (p->slots.busy > seen_of.most) seen_of.most = p->slots.busy;
}

static void passes(Sm *sm, void *self, int warp, const InstStream *stream, const SmInst *in,
                   uint32_t active) {
    (void)stream, (void)in, (void)active;
    ((Path *)self)->free[warp] = sm->cycle + 2;
    seen_of.passed++;
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    Path *p = self;
    (void)sm;
    p->wr_warp[port] = (uint8_t)f->warp;
    p->wr_reg[port] = f->inst->dst_reg[word];
}

static void kill(Sm *sm, void *self, int warp, uint64_t regs) {
    Path *p = self;
    (void)sm;
    p->killed[warp] |= regs;
    for (; regs; regs &= regs - 1, seen_of.kills++)
        for (int l = 0; l < 32; l++) p->value[warp][lowest(regs)][l] = KILLED;
}

static void warp_ended(Sm *sm, void *self, int warp) {
    (void)sm;
    ((Path *)self)->killed[warp] = ((Path *)self)->dead[warp] = 0;
}

static void explain(Text *t, const Sm *sm, const void *self, const Mismatch *m) {
    (void)t, (void)sm, (void)self, (void)m;
}

// ---- who kills: the compiler says what is dead (rfv's marks) ----

static void on_dead(Sm *sm, void *self, const RegistersEvent *e) {
    (void)sm, (void)self;
    path->dead[e->warp] |= e->regs;
}

static void on_begun(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm, (void)self;
    path->dead[e->flight->warp] &= ~e->flight->inst->writes;
}

static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    (void)sm, (void)self;
    seen_of.passing += (e->inst->at_issue || !e->active) && e->inst->isa->op != ISA_HINT;
}

static void drive(Sm *sm, void *self) {
    (void)self;
    for (WarpSet left = sm->resident; left; left &= left - 1) {
        const int warp = lowest(left);
        const uint64_t quiet =
            path->dead[warp] & ~hazards_writing(sm, warp) & ~hazards_reading(sm, warp);
        if (quiet) path_kill(sm, warp, quiet);
        path->dead[warp] &= ~quiet;
    }
}

static const char *seen(const ToyRun *run, bool alone) {
    if (seen_of.entered != toy_count(run->with, CTR_UOPS))
        return "micro-operations that enter through it";
    if (toy_count(run->with, CTR_RF_READS)) return "no reads of the machine's register file";
    if (!seen_of.full || seen_of.most < 2) return "room for one instruction of each warp";
    if (!seen_of.passed || seen_of.passed != seen_of.passing)
        return "each instruction that executes at issue to pass";
    if (!seen_of.held) return "instructions that wait to pass";
    if (alone && !seen_of.beyond) return "results at ports that the register file does not have";
    return seen_of.kills && !seen_of.wrong ? NULL
                                           : "registers that are killed, none of them read again";
}

static const OperandPath toy = {.open = open_path,
                                .begin = nothing,
                                .eval = eval,
                                .wires = wires,
                                .collect = nothing,
                                .tick = nothing,
                                .fits = fits,
                                .room = path_each_fits,
                                .accept = accept,
                                .passes = passes,
                                .result = result,
                                .kill = kill,
                                .warp_ended = warp_ended,
                                .explain = explain};
static const Clocked clock_part = {.drive = drive};
static const Listener listener = {.dead = on_dead, .begun = on_begun, .issued = on_issued};
static const System system_toy = {.name = "toy-path",
                                  .what = "a place per warp",
                                  .with = ~0u,
                                  .path = &toy,
                                  .compiler = {.hints = 1u << ISA_HINT_RELEASE},
                                  .clock = &clock_part,
                                  .listener = &listener};
const Toy toy_path = {&system_toy, seen};
