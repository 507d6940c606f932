// SPDX-License-Identifier: Apache-2.0
// The operand path of BOW: block bypass_collector, a collector per warp slot, in front of block
// banked_rf.
//
// The collectors identify registers by name. Each read, write and save of a register looks up its
// place. An instruction that issues in cycle t occupies the entry register of its warp in t+1. It
// enters the collector when that has a slot and rows (with oc.entry 0 in the cycle of issue). It
// therefore requests its first bank in the same cycle as an instruction of the baseline.
// Instructions that execute at issue, or are switched off, pass through the same stages and only
// occupy a slot of the window.
//
// A result is complete when the collector holds it or, if it is written immediately, the register
// file. When a warp has ended, its collector is emptied at the next clock edge, and its later saves
// are not written.
#include "systems/bow/bypass_path.h"

#include "models/collect/bypass_collector.h"
#include "models/rf/banked_rf.h"
#include "sm/listeners/explain_text.h"
#include "sm/parts/units.h"
#include "sm/state.h"
#include "systems/bow/bypass_book.h"

#include <string.h>

_Static_assert((int)BYPASS_MAX_WINDOW == (int)BOW_MAX_WINDOW, "the book holds every window");

// The instruction in front of a warp's collector; flight NULL: it only occupies a slot of the
// window.
typedef struct Entry {
    BookEntry what;
    Flight *flight;
    uint64_t age;
} Entry;

typedef struct State {
    Slots slots;  // warp * window + slot; entry registers by warp
    Block *rf, *boc;
    BankedRfIn *rf_in;
    const BankedRfOut *rf_out;
    BypassCollectorIn *in;
    const BypassCollectorOut *out;
    const BypassMode *mode;
    int window, ncoll;
    Entry entry[SM_MAX_WARPS];
    uint64_t waiting;             // warps whose entry register is in use
    Entry arrived[SM_MAX_WARPS];  // in a register before the entry register
    uint64_t arriving;            // warps with an instruction there
    int registers;                // number in front of a collector: 0, 1, 2
    uint64_t age;                 // age of the next entry
    bool *pressing;               // a micro-operation lacks rows in this cycle
    int used;                     // allocation ports used in this cycle
    uint64_t entering;            // warps at these ports
    // sources that the collector should contain: entering now; entered before
    uint32_t expected[BOW_MAX_ALLOC], entered[BOW_MAX_ALLOC];
    uint64_t dispatched;  // warps with a dispatch from their collector in this cycle
    uint64_t ended;       // warps that ended since the last clock edge
    uint64_t killed[SM_MAX_WARPS], kills;  // registers; warps with any
    uint32_t saves_off;                    // write ports with a save of a warp that has ended
    uint32_t disp_slot[BOW_MAX_DISP], wr_ready;
    BookResult result[BOW_MAX_WR];  // at the port
    // of another system: as answered for the latest operand
    RegPlace place[SM_MAX_WARPS][ISA_MAX_REGS + 1];
    uint32_t asked[2];  // by PlaceUse: ports at which another system provides the place
    struct {
        int warp, reg;
    } source[BOW_MAX_ALLOC * BOW_MAX_OPS];     // sources whose places are looked up
    int homes;                                 // registers of a warp that have a place
    uint32_t older[RF_MAX_COLL][RF_MAX_COLL];  // collectors before each one if this collector is
                                               // first
    BypassBook book;
} State;

static bool is_staged(const Sm *sm) {
    return sm->cfg->blocks_registered & REGISTERED_BYPASS_COLLECTOR;
}

static void *open_path(Sm *sm, Arena *arena, const void *mode, PathPorts *p) {
    State *s = ARENA_NEW(arena, State);
    s->mode = mode;
    s->pressing = ARENA_NEW(arena, bool);
    s->rf = cosim_block(sm->cosim, "banked_rf");
    s->boc = cosim_block(sm->cosim, "bypass_collector");
    s->rf_in = s->rf->in;
    s->rf_out = s->rf->out;
    s->in = s->boc->in;
    s->out = s->boc->out;
    s->window = sm->cfg->bow_window;
    s->ncoll = sm->cfg->oc_collectors;
    s->registers = sm->cfg->oc_entry + is_staged(sm);
    s->book.rule = s->mode->rule;
    s->book.window = (unsigned)s->window;
    slots_open(&s->slots, arena, s->ncoll * s->window, s->ncoll);
    for (int first = 0; first < s->ncoll; first++)
        for (int i = 0; i < s->ncoll; i++)
            for (int c = first; c != i; c = (c + 1) % s->ncoll) s->older[first][i] |= 1u << c;
    *p = (PathPorts){.slots = &s->slots,
                     .results = sm->cfg->rf_write_ports,
                     .disp_ready = s->in->disp_ready,
                     .disp_valid = s->out->disp_valid,
                     .disp_slot = s->disp_slot,
                     .disp_data = s->out->disp_data,
                     .wr_valid = s->in->res_valid,
                     .wr_lane = s->in->res_lane,
                     .wr_data = s->in->res_data,
                     .wr_ready = &s->wr_ready,
                     .staged = is_staged(sm)};
    return s;
}

// A collector for each warp, and a reader of the register file for each collector.
static bool check_settings(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d) {
    (void)runs_rtl;
    if (cfg->sm_warps > RF_MAX_COLL)
        return diag_fail(d, EXIT_USAGE,
                         "--arch %s: sm.warps is %d, expected at most %d: each warp has a "
                         "collector that reads the register file, and block banked_rf has only so "
                         "many readers; the paper's machine is `--machine pascal`",
                         arch, cfg->sm_warps, RF_MAX_COLL);
    if (cfg->oc_collectors >= cfg->sm_warps) return true;
    return diag_fail(
        d, EXIT_USAGE,
        "--arch %s: oc.collectors is %d, expected at least %d: one per warp (sm.warps)", arch,
        cfg->oc_collectors, cfg->sm_warps);
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    return check_settings(sm->gpu->arch.name, sm->cfg, false, d);
}

static bool orders(const Sm *sm) { return sm->cfg->bow_war == WAR_COLLECTOR; }

// Write bits are valid only for the window and rows for which the compiler chose them.
static void check_program(Sm *sm, const State *s) {
    const IsaProgram *p = sm->launch->program;
    if (s->mode->rule != BYPASS_BITS || (p->window == s->window && p->rows <= sm->cfg->bow_entries))
        return;
    sm_fail(sm, EXIT_USAGE,
            "kernel %s has write bits for a window of %d and %d rows, expected %d and at most %d "
            "(bow.window, "
            "bow.entries)",
            p->name, p->window, p->rows, s->window, sm->cfg->bow_entries);
}

static void launch(Sm *sm, void *self) {
    State *s = self;
    check_program(sm, s);
    s->homes = sm->launch->program->home_regs;
    for (int w = 0; w < sm->cfg->sm_warps; w++)
        for (int r = 0; r < s->homes; r++)
            s->place[w][r] = sm->places ? (RegPlace){-1, -1} : reg_place(&sm->layout, w, r);
    book_launch(sm, &s->book);
}

// ---- places of another system ----

// A source is looked up once, when it enters. A result or a save is looked up in every cycle at its
// write port.
static void ask_source(Sm *sm, State *s, int at, int warp, int reg) {
    s->asked[PLACE_SOURCE] |= 1u << at;
    s->source[at].warp = warp;
    s->source[at].reg = reg;
    sm->places->ask(sm, sm->places_self, PLACE_SOURCE, at, warp, reg);
}

static void take_sources(Sm *sm, State *s) {
    const RegPlace *place = sm->places->answer(sm, sm->places_self, PLACE_SOURCE);
    for (uint32_t left = s->asked[PLACE_SOURCE]; left; left &= left - 1) {
        const int at = __builtin_ctz(left);
        s->place[s->source[at].warp][s->source[at].reg] = place[at];
    }
    s->asked[PLACE_SOURCE] = 0;
}

static void ask_result(Sm *sm, State *s, int port, int warp, int reg) {
    s->asked[PLACE_RESULT] |= 1u << port;
    sm->places->ask(sm, sm->places_self, PLACE_RESULT, port, warp, reg);
}

static void take_results(Sm *sm, State *s) {
    const RegPlace *place = sm->places->answer(sm, sm->places_self, PLACE_RESULT);
    for (uint32_t left = s->asked[PLACE_RESULT]; left; left &= left - 1) {
        const int port = __builtin_ctz(left);
        s->rf_in->wr_bank[port] = (uint32_t)place[port].bank;
        s->rf_in->wr_entry[port] = (uint32_t)place[port].entry;
    }
    s->asked[PLACE_RESULT] = 0;
}

static RegPlace place_now(const Sm *sm, const State *s, int warp, int reg) {
    return sm->places ? sm->places->now(sm, sm->places_self, warp, reg) : s->place[warp][reg];
}

// ---- from issue into the collectors ----

static void begin(Sm *sm, void *self) {
    State *s = self;
    (void)sm;
    s->used = 0;
    s->entering = 0;
    s->in->alloc_valid[0] = s->in->alloc_more[0] = s->in->alloc_pass[0] = s->in->alloc_only[0] = 0;
    s->dispatched = 0;
    memset(s->in->press, 0, sizeof s->in->press);
    *s->pressing = false;
    memset(s->expected, 0, sizeof s->expected);
}

// A result for the collector arrives in this cycle.
static bool result_comes(const State *s, int warp) {
    for (uint32_t left = s->in->res_valid[0]; left; left &= left - 1)
        if (s->in->res_coll[__builtin_ctz(left)] == (uint32_t)warp) return true;
    return false;
}

static int newest_slot(const State *s, int warp) {
    return ((int)s->out->alloc_slot[warp] + s->window - 1) % s->window;
}

// Can the micro-operation enter the collector in this cycle? If it lacks only rows, it signals
// `press`.
static bool can_enter(const State *s, int warp, const SmInst *in, int uop, bool pass) {
    if (uop ? s->dispatched >> warp & 1 ||
                slots_at(&s->slots, warp * s->window + newest_slot(s, warp))
            : !s->out->alloc_ready[warp])
        return false;
    const int room =
        (int)(uop ? s->out->more_room[warp] : s->out->alloc_room[warp]) - result_comes(s, warp);
    const bool rows = pass || book_needs(&s->book, warp, in, uop) <= room;
    s->in->press[warp] = !rows;
    *s->pressing |= !rows;
    return rows;
}

static void enter_collector(Sm *sm, State *s, int warp, const Entry *e) {
    BypassCollectorIn *in = s->in;
    const int port = s->used++, per = SM_OPERANDS, uop = e->what.uop;
    const SmInst *inst = e->what.in;
    int n;
    const uint8_t *regs = path_sources(inst, uop, per, &n);
    const bool words = !uop && inst->nwrites;
    s->entering |= word_bit(warp);
    const int slot = uop ? newest_slot(s, warp) : (int)s->out->alloc_slot[warp];
    in->alloc_valid[0] |= 1u << port;
    in->alloc_coll[port] = (uint32_t)warp;
    in->alloc_more[0] |= (uint32_t)(uop != 0) << port;
    in->alloc_pass[0] |= (uint32_t)e->what.pass << port;
    in->alloc_unit[port] = e->what.pass ? 0 : (uint32_t)units_port(sm, inst->unit, warp);
    in->alloc_need[port] = (1u << n) - 1;
    for (int i = 0; i < n; i++) in->alloc_src[port * per + i] = regs[i];
    for (int i = 0; sm->places && !e->what.pass && i < n; i++)
        ask_source(sm, s, port * per + i, warp, regs[i]);
    in->alloc_words[port] = words ? inst->nwrites : 0;
    in->alloc_dst[port] = words ? inst->dst_reg[0] : 0;
    in->alloc_only[0] |=
        (uint32_t)(words && s->mode->rule == BYPASS_BITS && inst->isa->write == ISA_WRITE_BOC)
        << port;
    s->expected[port] = book_enter(sm, &s->book, warp, &e->what);
    if (e->flight)
        slots_take(sm, &s->slots, warp * s->window + slot,
                   (Waiting){e->flight, e->age, (uint8_t)uop});
}

static void fill_entry(State *s, int warp, const Entry *e) {
    s->entry[warp] = *e;
    s->waiting |= word_bit(warp);
    if (!e->flight) return;
    s->slots.entry[warp] = (Waiting){e->flight, e->age, (uint8_t)e->what.uop};
    s->slots.entries |= 1u << warp;
}

// Issue fills the first of the registers.
static void stage_entry(State *s, int warp, const Entry *e) {
    if (s->registers < 2) {
        fill_entry(s, warp, e);
        return;
    }
    s->arrived[warp] = *e;
    s->arriving |= word_bit(warp);
}

static void move_up(State *s) {
    const uint64_t moving = s->arriving & ~s->waiting;
    for (uint64_t left = moving; left; left &= left - 1)
        fill_entry(s, lowest(left), &s->arrived[lowest(left)]);
    s->arriving &= ~moving;
}

static uint64_t taken_registers(const State *s) {
    return s->registers < 2 ? s->waiting : s->arriving;
}

static void step_off(State *s, int warp) {
    s->waiting &= ~word_bit(warp);
    s->slots.entries &= ~(uint32_t)word_bit(warp);
}

static int oldest_of(const State *s, uint64_t of) {
    int oldest = SM_NONE;
    for (; of; of &= of - 1) {
        const int warp = lowest(of);
        if (oldest == SM_NONE || s->entry[warp].age < s->entry[oldest].age) oldest = warp;
    }
    return oldest;
}

// Oldest first.
__attribute__((noinline)) static void from_entries(Sm *sm, State *s) {
    uint64_t may = 0;
    for (uint64_t left = s->waiting; left; left &= left - 1) {
        const int warp = lowest(left);
        const Entry *e = &s->entry[warp];
        if (can_enter(s, warp, e->what.in, e->what.uop, e->what.pass)) may |= word_bit(warp);
    }
    while (may && s->used < sm->cfg->oc_alloc_ports) {
        const int warp = oldest_of(s, may);
        Entry *e = &s->entry[warp];
        may &= ~word_bit(warp);
        enter_collector(sm, s, warp, e);
        // A switched-off instruction names the registers of all its micro-operations.
        if (e->what.pass && (e->what.uop + 1) * SM_OPERANDS < e->what.in->nops) e->what.uop++;
        else step_off(s, warp);
    }
    sm->count->v[CTR_ENTRY_WAIT] += (unsigned)__builtin_popcount(s->slots.entries);
}

static void collect(Sm *sm, void *self) {
    State *s = self;
    for (uint32_t left = s->out->disp_valid[0] & s->in->disp_ready[0]; left; left &= left - 1)
        s->dispatched |= word_bit((int)s->out->disp_coll[__builtin_ctz(left)]);
    if (s->waiting) from_entries(sm, s);
    if (s->arriving) move_up(s);
}

static bool fits(const Sm *sm, const void *self, int warp, const InstStream *stream,
                 const SmInst *in, int uop) {
    const State *s = self;
    (void)stream;
    if (taken_registers(s) >> warp & 1) return false;
    if (s->registers) return true;
    if (s->used == sm->cfg->oc_alloc_ports || s->entering >> warp & 1) return false;
    return can_enter(s, warp, in, uop, in->at_issue);
}

static WarpSet room(const Sm *sm, const void *self, WarpSet warps) {
    const State *s = self;
    return s->registers ? warps & ~taken_registers(s) : path_each_fits(sm, self, warps);
}

static void accept(Sm *sm, void *self, Flight *f, int uop) {
    State *s = self;
    const Entry e = {{f->inst, f->stream, f->pc, uop, f->active, false}, f, s->age++};
    if (s->registers) stage_entry(s, f->warp, &e);
    else enter_collector(sm, s, f->warp, &e);
}

static void passes(Sm *sm, void *self, int warp, const InstStream *stream, const SmInst *in,
                   uint32_t active) {
    State *s = self;
    Entry e = {{in, stream, (int)stream->pc, 0, active, true}, NULL, s->age++};
    if (!s->registers) {
        enter_collector(sm, s, warp, &e);
        if (in->nops <= SM_OPERANDS) return;
        e.what.uop++;
    }
    stage_entry(s, warp, &e);
}

// ---- the cycle ----

static RegPlace place_of(Sm *sm, const State *s, int warp, int reg) {
    if (reg < s->homes && s->place[warp][reg].bank >= 0) return s->place[warp][reg];
    sm_fail(sm, EXIT_MISMATCH,
            "block bypass_collector reads R%d of warp %d from the register file, which holds only "
            "R0 to R%d",
            reg, warp, s->homes - 1);
    return (RegPlace){0, 0};
}

static void drive_reads(Sm *sm, State *s) {
    BankedRfIn *rf = s->rf_in;
    uint32_t asks = 0;
    for (int c = 0; c < s->ncoll; c++) {
        if (!s->out->rd_valid[c]) continue;
        const RegPlace p = place_of(sm, s, c, (int)s->out->rd_reg[c]);
        rf->rd_bank[c] = (uint32_t)p.bank;
        rf->rd_entry[c] = (uint32_t)p.entry;
        asks |= 1u << c;
    }
    rf->rd_valid[0] = asks;
    memcpy(rf->older, s->older[s->out->rd_first[0]], sizeof *s->older);
}

static void drive_writes(Sm *sm, State *s) {
    BankedRfIn *rf = s->rf_in;
    const BypassCollectorOut *out = s->out;
    s->saves_off = 0;
    for (uint32_t left = out->wr_valid[0]; left; left &= left - 1) {
        const int p = __builtin_ctz(left), warp = (int)out->wr_coll[p];
        if (out->wr_save[0] >> p & s->ended >> warp & 1) {
            s->saves_off |= 1u << p;
            continue;
        }
        if (sm->places) ask_result(sm, s, p, warp, (int)out->wr_reg[p]);
        else {
            const RegPlace place = place_of(sm, s, warp, (int)out->wr_reg[p]);
            rf->wr_bank[p] = (uint32_t)place.bank;
            rf->wr_entry[p] = (uint32_t)place.entry;
        }
        rf->wr_slice[p] = 0xf;
        rf->wr_lane[p] = out->wr_lane[p];
        memcpy(rf->wr_data[p], out->wr_data[p], sizeof rf->wr_data[p]);
    }
    rf->wr_valid[0] = out->wr_valid[0] & ~s->saves_off;
    if (s->asked[PLACE_RESULT]) take_results(sm, s);
}

// The collectors' outputs depend on their state and on results; the banks answer in the same cycle.
static void eval(Sm *sm, void *self) {
    State *s = self;
    s->in->mode[0] = s->mode->rule == BYPASS_THROUGH ? BOW_WRITE_THROUGH
        : s->mode->rule == BYPASS_BACK               ? BOW_WRITE_BACK
        : s->mode->rule == BYPASS_BITS               ? BOW_COMPILER
                                                     : BOW_NO_FORWARD;
    block_eval(s->boc);
    drive_reads(sm, s);
    drive_writes(sm, s);
    block_eval(s->rf);
    const uint32_t direct = s->out->wr_valid[0] & ~s->out->wr_save[0];
    s->wr_ready = s->out->res_ready[0] & (~direct | s->rf_out->wr_ready[0]);
    for (uint32_t left = s->out->disp_valid[0]; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        s->disp_slot[d] = s->out->disp_coll[d] * (uint32_t)s->window + s->out->disp_slot[d];
    }
}

// The oldest instruction in the collector that reads the register; NULL: none of them does.
static const Flight *find_reader(const State *s, int coll, uint32_t reg) {
    const Waiting *oldest = NULL;
    for (int i = 0; i < s->window; i++) {
        const Waiting *w = slots_at(&s->slots, coll * s->window + i);
        if (w && w->flight->inst->reads >> reg & 1 && (!oldest || w->age < oldest->age)) oldest = w;
    }
    return oldest ? oldest->flight : NULL;
}

// Results pass a collector before they are written: a write belongs to no instruction.
static void tell_refused(Sm *sm, const State *s) {
    for (uint32_t left = s->rf_in->rd_valid[0] & ~s->rf_out->rd_grant[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        notify_refused(sm, (RefusedEvent){find_reader(s, c, s->out->rd_reg[c]), false});
    }
    for (uint32_t left = s->rf_in->wr_valid[0] & ~s->rf_out->wr_ready[0]; left; left &= left - 1)
        notify_refused(sm, (RefusedEvent){NULL, true});
}

// Port a has filled the newest slot of its collector.
static void tell_forwarded(Sm *sm, const State *s, int a) {
    const int warp = (int)s->in->alloc_coll[a];
    const Waiting *w = slots_at(&s->slots, warp * s->window + newest_slot(s, warp));
    notify_forwarded(sm,
                     (OperandsEvent){w ? w->flight : NULL, 0, __builtin_popcount(s->out->fwd[a])});
}

static void tell_accesses(Sm *sm, const State *s) {
    tell_refused(sm, s);
    for (int a = 0; a < sm->cfg->oc_alloc_ports; a++)
        if (s->out->fwd[a]) tell_forwarded(sm, s, a);
    for (uint32_t left = s->rf_out->rd_grant[0]; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->rd_bank[__builtin_ctz(left)], false});
    for (uint32_t left = s->rf_out->wr_ready[0] & s->rf_in->wr_valid[0]; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->wr_bank[__builtin_ctz(left)], true});
}

static unsigned count_ones(uint32_t v) { return (unsigned)__builtin_popcount(v); }

static void count_accesses(Sm *sm, const State *s) {
    uint64_t *v = sm->count->v;
    const uint32_t valid = s->rf_in->wr_valid[0], taken = valid & s->rf_out->wr_ready[0],
                   grants = s->rf_out->rd_grant[0];
    for (uint32_t left = taken; left; left &= left - 1)
        sm->count->bank_writes[s->rf_in->wr_bank[__builtin_ctz(left)]]++;
    for (uint32_t left = s->rf_out->rd_data_valid[0]; left; left &= left - 1)
        sm->count->bank_reads[__builtin_ctz(left)]++;
    v[CTR_RF_WRITES] += count_ones(taken);
    v[CTR_RF_WRITE_CONFLICTS] += count_ones(valid & ~taken);
    v[CTR_RF_READS] += count_ones(grants);
    v[CTR_RF_READ_CONFLICTS] += count_ones(s->rf_in->rd_valid[0] & ~grants);
    v[CTR_OC_BUSY] += (unsigned)s->slots.busy;
    v[CTR_OC_FULL] += s->slots.busy == s->slots.nslots;
    if (banks_watched(sm)) tell_accesses(sm, s);
}

// Records the actions of the collectors in the book: saves before results, as in the block.
static void keep_book(Sm *sm, State *s) {
    const uint32_t taken = s->rf_in->wr_valid[0] & s->rf_out->wr_ready[0],
                   saves = taken & s->out->wr_save[0];
    for (int a = 0; a < sm->cfg->oc_alloc_ports; a++) {
        if (s->entered[a] | s->out->fwd[a])
            book_forwarded(sm, &s->book, s->entered[a], s->out->fwd[a]);
        s->entered[a] = 0;
    }
    for (uint32_t left = saves; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        book_saved(sm, &s->book, (int)s->out->wr_coll[p], (int)s->out->wr_reg[p]);
    }
    for (uint32_t left = s->in->res_valid[0] & s->wr_ready; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        s->result[p].lanes = s->in->res_lane[p];
        s->result[p].direct = taken & ~saves & 1u << p;
        book_result(sm, &s->book, (int)s->in->res_coll[p], s->result[p]);
    }
}

static void wires(Sm *sm, void *self) {
    State *s = self;
    const BankedRfOut *rf = s->rf_out;
    for (int c = 0; c < s->ncoll; c++) s->in->rd_grant[c] = rf->rd_grant[0] >> c & 1;
    s->in->rd_data_valid[0] = rf->rd_data_valid[0];
    for (uint32_t left = rf->rd_data_valid[0]; left; left &= left - 1) {
        const int bank = __builtin_ctz(left);
        s->in->rd_data_coll[bank] = rf->rd_data_coll[bank];
        memcpy(s->in->rd_data[bank], rf->rd_data[bank], sizeof s->in->rd_data[bank]);
    }
    s->in->wr_ready[0] = rf->wr_ready[0];
    count_accesses(sm, s);
    keep_book(sm, s);
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    State *s = self;
    const IsaInst *isa = f->inst->isa;
    (void)sm;
    const uint32_t homeless = isa->homeless;
    s->in->res_coll[port] = (uint32_t)f->warp;
    s->in->res_reg[port] = f->inst->dst_reg[word];
    s->in->res_write[port] = s->mode->rule == BYPASS_BITS ? isa->write : 0;
    s->in->res_homeless[0] = (s->in->res_homeless[0] & ~(1u << port)) | homeless << port;
    s->result[port] =
        (BookResult){.reg = f->inst->dst_reg[word], .bits = isa->write, .homeless = homeless};
}

// ---- the clock edge ----

static void kill(Sm *sm, void *self, int warp, uint64_t regs) {
    State *s = self;
    (void)sm;
    s->killed[warp] |= regs;
    s->kills |= word_bit(warp);
}

static uint64_t arriving(const Sm *sm, const void *self, int warp) {
    const State *s = self;
    uint64_t regs = 0;
    (void)sm;
    for (uint32_t left = s->in->res_valid[0] & s->wr_ready; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        if ((int)s->in->res_coll[p] == warp) regs |= word_bit(s->in->res_reg[p]);
    }
    return regs;
}

static void drive_kills(Sm *sm, State *s) {
    s->in->kill_valid[0] = 0;
    for (int k = 0; s->kills && k < sm->cfg->oc_alloc_ports; k++) {
        const int warp = lowest(s->kills);
        s->in->kill_valid[0] |= 1u << k;
        s->in->kill_coll[k] = (uint32_t)warp;
        s->in->kill_regs[2 * k] = (uint32_t)s->killed[warp];
        s->in->kill_regs[2 * k + 1] = (uint32_t)(s->killed[warp] >> 32);
        book_killed(sm, &s->book, warp, s->killed[warp]);
        s->killed[warp] = 0;
        s->kills &= s->kills - 1;
    }
}

static void warp_ended(Sm *sm, void *self, int warp) {
    State *s = self;
    (void)sm;
    if (s->waiting >> warp & 1) step_off(s, warp);
    s->arriving &= ~word_bit(warp);
    s->ended |= word_bit(warp);
}

static bool warp_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const State *)self)->ended >> warp & 1);
}

static void tick(Sm *sm, void *self) {
    State *s = self;
    if (s->kills || s->in->kill_valid[0]) drive_kills(sm, s);
    for (uint64_t left = s->ended; left; left &= left - 1) {
        s->in->drop[lowest(left)] = 1;
        book_dropped(sm, &s->book, lowest(left));
    }
    if (s->asked[PLACE_SOURCE]) take_sources(sm, s);
    block_tick(s->rf);
    block_tick(s->boc);
    memcpy(s->entered, s->expected, sizeof s->entered);
    for (uint64_t left = s->ended; left; left &= left - 1) s->in->drop[lowest(left)] = 0;
    s->ended = 0;
}

static bool busy(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    return s->waiting | s->arriving | s->ended | s->kills | s->in->alloc_valid[0] |
        s->out->wr_valid[0] | *s->pressing;
}

static bool at_rest(const Sm *sm, const void *self) { return !busy(sm, self); }

// The collectors of warps that ended with the kernel are emptied at the next clock edge.
static void on_kernel_end(Sm *sm, void *self, const KernelEvent *e) {
    State *s = self;
    for (uint64_t left = s->ended; left; left &= left - 1) book_dropped(sm, &s->book, lowest(left));
    if (e->passed) book_check(sm, &s->book);
}

// ---- mismatches in words ----

static void add_warp(Text *t, const Sm *sm, const State *s, int warp) {
    text_add(t, "collector of warp %d", warp);
    for (int i = 0; i < s->window; i++) {
        const Waiting *w = slots_at(&s->slots, warp * s->window + i);
        if (!w) continue;
        text_add(t, ", slot %d: ", i);
        text_instruction(t, w->flight->stream, w->flight->pc);
    }
    (void)sm;
}

static void explain_boc(Text *t, const Sm *sm, const State *s, const Mismatch *m) {
    const int n = s->ncoll, rows = sm->cfg->bow_entries, ops = SM_OPERANDS;
    const bool by_warp = !strncmp(m->port, "alloc_", 6) || !strcmp(m->port, "more_room") ||
        !strcmp(m->port, "rd_valid") || !strcmp(m->port, "rd_reg") || !strcmp(m->port, "saving") ||
        !strcmp(m->port, "empty");
    if (m->element < 0) {
        const int at = (int)m->obs_addr;
        if (at >= (2 + rows) * n) text_add(t, "pointers of the ports");
        else add_warp(t, sm, s, at < n ? at : at < 2 * n ? at - n : (at - 2 * n) / rows);
        if (at >= 2 * n && at < (2 + rows) * n) text_add(t, ", row %d", (at - 2 * n) % rows);
    } else if (by_warp) {
        add_warp(t, sm, s, m->element);
        if (!strcmp(m->port, "rd_reg")) text_add(t, ", asks for R%u", s->out->rd_reg[m->element]);
    } else if (!strncmp(m->port, "disp_", 5)) {
        const int port = !strcmp(m->port, "disp_data") ? m->element / ops
            : m->words > 1                             ? 0
                                                       : m->element;
        const int d = port || strcmp(m->port, "disp_valid") ? port : text_lowest_difference(m);
        text_add(t, "dispatch port %d, ", d);
        if (d < BOW_MAX_DISP) text_collector(t, sm, (int)s->disp_slot[d]);
    } else if (!strncmp(m->port, "wr_", 3) || !strcmp(m->port, "res_ready")) {
        const int p = !strcmp(m->port, "wr_coll") || !strcmp(m->port, "wr_reg") ||
                !strcmp(m->port, "wr_lane") || !strcmp(m->port, "wr_data")
            ? m->element
            : text_lowest_difference(m);
        text_add(t, "write port %d", p);
        if (p < BOW_MAX_WR && s->out->wr_valid[0] >> p & 1)
            text_add(t, ", %s of warp %u, R%u", s->out->wr_save[0] >> p & 1 ? "a save" : "a result",
                     s->out->wr_coll[p], s->out->wr_reg[p]);
    } else if (!strcmp(m->port, "fwd")) {
        text_add(t, "allocation port %d, in the cycle after", m->element);
    }
}

// The register at an entry of a bank.
static void add_register(Text *t, const Sm *sm, const State *s, int bank, int entry) {
    for (WarpSet left = sm->resident; left; left &= left - 1)
        for (int r = 0; r < s->homes; r++) {
            const RegPlace p = place_now(sm, s, lowest(left), r);
            if (p.bank != bank || p.entry != entry) continue;
            text_add(t, "warp %d, R%d = bank %d entry %d", lowest(left), r, bank, entry);
            return;
        }
    text_add(t, "bank %d entry %d", bank, entry);
}

static void explain_rf(Text *t, const Sm *sm, const State *s, const Mismatch *m) {
    const uint32_t entries = (uint32_t)sm->cfg->rf_entries,
                   all = entries * (uint32_t)sm->cfg->rf_banks;
    if (m->element < 0) {
        if (m->obs_addr < all)
            add_register(t, sm, s, (int)(m->obs_addr / entries), (int)(m->obs_addr % entries));
        else text_add(t, "write priority of bank %u", m->obs_addr - all);
    } else if (!strcmp(m->port, "rd_data") || !strcmp(m->port, "rd_data_coll")) {
        text_add(t, "bank %d delivers to ", m->element);
        add_warp(t, sm, s, (int)s->rf_out->rd_data_coll[m->element]);
    } else if (!strcmp(m->port, "rd_grant")) {
        add_warp(t, sm, s, text_lowest_difference(m));
    } else if (!strcmp(m->port, "wr_ready")) {
        text_add(t, "write port %d", text_lowest_difference(m));
    }
}

static void explain(Text *t, const Sm *sm, const void *self, const Mismatch *m) {
    if (!strcmp(m->block, "banked_rf")) explain_rf(t, sm, self, m);
    else if (!strcmp(m->block, "bypass_collector")) explain_boc(t, sm, self, m);
    text_first_byte(t, m);
}

static const char *const blocks[] = {"banked_rf", "bypass_collector", NULL};

static const Listener listener = {.kernel_end = on_kernel_end};

const OperandPath path_bypass = {.blocks = blocks,
                                 .asks_places = true,
                                 .listener = &listener,
                                 .settings = check_settings,
                                 .open = open_path,
                                 .check = check,
                                 .orders = orders,
                                 .launch = launch,
                                 .busy = busy,
                                 .begin = begin,
                                 .eval = eval,
                                 .wires = wires,
                                 .collect = collect,
                                 .tick = tick,
                                 .fits = fits,
                                 .room = room,
                                 .accept = accept,
                                 .passes = passes,
                                 .result = result,
                                 .kill = kill,
                                 .arriving = arriving,
                                 .warp_ended = warp_ended,
                                 .warp_free = warp_free,
                                 .at_rest = at_rest,
                                 .explain = explain};
