// SPDX-License-Identifier: Apache-2.0
// The baseline's operand path: blocks operand_collector and banked_rf and the wires between them.
// Register r of warp w lives in bank (r + w) mod banks (if warps own whole rows) at a fixed entry
// (csrc/isa/place.h).
#include "systems/baseline/banked_path.h"

#include "models/rows.h"
#include "sm/listeners/explain_text.h"
#include "sm/parts/collector_pool.h"
#include "sm/state.h"

#include <string.h>

_Static_assert((int)RF_MAX_BANKS <= (int)COUNTER_BANKS, "every bank is counted");
_Static_assert((int)RF_MAX_COLL == 32 && (int)OC_MAX_COLL == 32,
               "a word of each collector is a row");

typedef struct State {
    Pool pool;
    Block *rf, *oc;
    BankedRfIn *rf_in;
    const BankedRfOut *rf_out;
    OperandCollectorIn *oc_in;
    const OperandCollectorOut *oc_out;
    uint32_t asked[2];  // by PlaceUse: ports whose places another system provides
    uint32_t later;     // write ports whose result has no place yet
    int reader;         // number of the reader that follows the collectors; SM_NONE: no reader
    RegPlace reads;     // its request in this cycle; bank -1: none
} State;

static void offer(Sm *sm, void *self, int port, const Waiting *w);

static void *open_path(Sm *sm, Arena *arena, const void *mode, PathPorts *p) {
    State *s = ARENA_NEW(arena, State);
    s->reader = mode && ((const BankedMode *)mode)->reader ? sm->cfg->oc_collectors : SM_NONE;
    s->reads.bank = -1;
    s->rf = cosim_block(sm->cosim, "banked_rf");
    s->oc = cosim_block(sm->cosim, "operand_collector");
    s->rf_in = s->rf->in;
    s->rf_out = s->rf->out;
    s->oc_in = s->oc->in;
    s->oc_out = s->oc->out;
    s->pool = (Pool){.alloc_valid = s->oc_in->alloc_valid,
                     .alloc_unit = s->oc_in->alloc_unit,
                     .alloc_ready = s->oc_out->alloc_ready,
                     .alloc_slot = s->oc_out->alloc_slot,
                     .offer = offer};
    pool_open(sm, &s->pool, arena);
    *p = (PathPorts){.slots = &s->pool.slots,
                     .results = sm->cfg->rf_write_ports,
                     .disp_ready = s->oc_in->disp_ready,
                     .disp_valid = s->oc_out->disp_valid,
                     .disp_slot = s->oc_out->disp_slot,
                     .disp_need = s->oc_out->disp_need,
                     .disp_data = s->oc_out->disp_data,
                     .wr_valid = s->rf_in->wr_valid,
                     .wr_lane = s->rf_in->wr_lane,
                     .wr_data = s->rf_in->wr_data,
                     .wr_ready = s->rf_out->wr_ready};
    return s;
}

// ---- places ----

// The kernel's layout determines the place. If another system provides it, the ports are filled
// with its answer.
static void place_source(Sm *sm, State *s, int at, int warp, int reg) {
    const RegPlace place = reg_place(&sm->layout, warp, reg);
    s->oc_in->alloc_bank[at] = (uint32_t)place.bank;
    s->oc_in->alloc_entry[at] = (uint32_t)place.entry;
}

static void place_result(Sm *sm, State *s, int port, int warp, int reg) {
    const RegPlace place = reg_place(&sm->layout, warp, reg);
    s->rf_in->wr_bank[port] = (uint32_t)place.bank;
    s->rf_in->wr_entry[port] = (uint32_t)place.entry;
}

static void ask_place(Sm *sm, State *s, PlaceUse use, int at, int warp, int reg) {
    s->asked[use] |= 1u << at;
    sm->places->ask(sm, sm->places_self, use, at, warp, reg);
}

// Returns the ports without a place.
static uint32_t take_places(Sm *sm, State *s, PlaceUse use, uint32_t *bank, uint32_t *entry) {
    const RegPlace *place = sm->places->answer(sm, sm->places_self, use);
    uint32_t without = 0;
    for (uint32_t left = s->asked[use]; left; left &= left - 1) {
        const int at = __builtin_ctz(left);
        if (place[at].bank < 0) {
            without |= 1u << at;
            continue;
        }
        bank[at] = (uint32_t)place[at].bank;
        entry[at] = (uint32_t)place[at].entry;
    }
    s->asked[use] = 0;
    return without;
}

// Sources without a place are not read.
static void take_sources(Sm *sm, State *s) {
    const int per = SM_OPERANDS;
    for (uint32_t left =
             take_places(sm, s, PLACE_SOURCE, s->oc_in->alloc_bank, s->oc_in->alloc_entry);
         left; left &= left - 1)
        s->oc_in->alloc_need[__builtin_ctz(left) / per] &= ~(1u << __builtin_ctz(left) % per);
}

// Results without a place remain at their ports.
static void take_results(Sm *sm, State *s) {
    s->asked[PLACE_RESULT] |= s->later;
    if (!s->asked[PLACE_RESULT]) return;
    s->later = take_places(sm, s, PLACE_RESULT, s->rf_in->wr_bank, s->rf_in->wr_entry);
    s->rf_in->wr_valid[0] &= ~s->later;
}

static RegPlace place_now(const Sm *sm, int warp, int reg) {
    return sm->places ? sm->places->now(sm, sm->places_self, warp, reg)
                      : reg_place(&sm->layout, warp, reg);
}

// ---- the cycle ----

// Copies a word of each collector. The remaining words are 0 on both sides, except the words of the
// reader.
static void copy_collectors(const State *s, uint32_t *to, const uint32_t *from) {
    if (s->reader == SM_NONE) row_copy(to, from);
    else memcpy(to, from, sizeof *to * (unsigned)s->reader);
}

// Requests of the collectors go straight to the banks.
static void drive_requests(State *s) {
    BankedRfIn *in = s->rf_in;
    const OperandCollectorOut *oc = s->oc_out;
    in->rd_valid[0] = oc->rd_valid[0];
    copy_collectors(s, in->older, oc->older);
    if (oc->rd_valid[0]) {
        copy_collectors(s, in->rd_bank, oc->rd_bank);
        copy_collectors(s, in->rd_entry, oc->rd_entry);
    }
    // Address2 is for coalesced reads of other register paths; here no slice selects it.
    if (s->reader == SM_NONE || s->reads.bank < 0) return;
    in->rd_valid[0] |= 1u << s->reader;
    in->rd_bank[s->reader] = (uint32_t)s->reads.bank;
    in->rd_entry[s->reader] = (uint32_t)s->reads.entry;
    in->older[s->reader] = oc->rd_valid[0];
}

// ---- reads without an instruction ----

static void read_row(Sm *sm, void *self, RegPlace place) {
    (void)sm;
    ((State *)self)->reads = place;
}

static bool read_granted(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    return s->reads.bank >= 0 && s->rf_out->rd_grant[0] >> s->reader & 1;
}

static const uint32_t *row_read(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    for (uint32_t left = s->rf_out->rd_data_valid[0]; left; left &= left - 1)
        if (s->rf_out->rd_data_coll[__builtin_ctz(left)] == (uint32_t)s->reader)
            return s->rf_out->rd_data[__builtin_ctz(left)];
    return NULL;
}

static bool peek(const Sm *sm, const void *self, RegPlace place, uint32_t row[32]) {
    void *golden = cosim_golden(sm->cosim, "banked_rf");
    (void)self;
    if (golden)
        banked_rf_model.observe(golden, (uint32_t)(place.bank * sm->cfg->rf_entries + place.entry),
                                row);
    return golden != NULL;
}

static void tell_banks(Sm *sm, const State *s) {
    path_tell_refused(sm, s->rf_in->rd_valid[0] & ~s->rf_out->rd_grant[0],
                      s->rf_in->wr_valid[0] & ~s->rf_out->wr_ready[0]);
    for (uint32_t left = s->rf_out->rd_grant[0]; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->rd_bank[__builtin_ctz(left)], false});
    for (uint32_t left = s->rf_out->wr_ready[0] & s->rf_in->wr_valid[0]; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->wr_bank[__builtin_ctz(left)], true});
}

// Grants and data return in the same cycle; the collectors store the data at its end.
static void wires(Sm *sm, void *self) {
    State *s = self;
    OperandCollectorIn *in = s->oc_in;
    const BankedRfOut *rf = s->rf_out;
    in->rd_grant[0] = rf->rd_grant[0];
    in->rd_data_valid[0] = rf->rd_data_valid[0];
    if (s->reader != SM_NONE) in->rd_grant[0] &= (1u << s->reader) - 1;
    for (uint32_t left = rf->rd_data_valid[0]; left; left &= left - 1) {
        int bank = __builtin_ctz(left);
        sm->count->bank_reads[bank]++;
        if (rf->rd_data_coll[bank] == (uint32_t)s->reader) {
            in->rd_data_valid[0] &= ~(1u << bank);
            continue;
        }
        in->rd_data_coll[bank] = rf->rd_data_coll[bank];
        const Waiting *w = slots_at(&s->pool.slots, (int)rf->rd_data_coll[bank]);
        if (w) __builtin_prefetch(w->flight);  // it may dispatch in the next cycle
        row_copy(in->rd_data[bank], rf->rd_data[bank]);
    }
    uint64_t *v = sm->count->v;
    uint32_t valid = s->rf_in->wr_valid[0], taken = valid & rf->wr_ready[0];
    for (uint32_t left = taken; left; left &= left - 1)
        sm->count->bank_writes[s->rf_in->wr_bank[__builtin_ctz(left)]]++;
    v[CTR_RF_WRITES] += (unsigned)__builtin_popcount(taken);
    v[CTR_RF_WRITE_CONFLICTS] += (unsigned)__builtin_popcount(valid & ~taken);
    v[CTR_RF_READS] += (unsigned)__builtin_popcount(rf->rd_grant[0]);
    v[CTR_RF_READ_CONFLICTS] +=
        (unsigned)__builtin_popcount(s->rf_in->rd_valid[0] & ~rf->rd_grant[0]);
    v[CTR_OC_BUSY] += (unsigned)s->pool.slots.busy;
    v[CTR_OC_FULL] += s->pool.slots.busy == s->pool.slots.nslots;
    if (banks_watched(sm)) tell_banks(sm, s);
}

// The collectors' outputs depend only on their state; the banks answer requests in the same cycle.
static void eval(Sm *sm, void *self) {
    State *s = self;
    take_results(sm, s);
    block_eval(s->oc);
    drive_requests(s);
    block_eval(s->rf);
}

static void tick(Sm *sm, void *self) {
    State *s = self;
    if (s->asked[PLACE_SOURCE]) take_sources(sm, s);
    block_tick(s->rf);
    block_tick(s->oc);
    s->reads.bank = -1;
}

static void offer(Sm *sm, void *self, int port, const Waiting *w) {
    State *s = self;
    const int warp = w->flight->warp, per = SM_OPERANDS;
    int n;
    const uint8_t *regs = path_sources(w->flight->inst, w->uop, per, &n);
    s->oc_in->alloc_need[port] = (1u << n) - 1;
    for (int i = 0; i < n; i++) {
        if (sm->places && sm->places->source)
            sm->places->source(sm, sm->places_self, port * per + i, w->flight, w->uop * per + i);
        if (sm->places) ask_place(sm, s, PLACE_SOURCE, port * per + i, warp, regs[i]);
        else place_source(sm, s, port * per + i, warp, regs[i]);
    }
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    State *s = self;
    s->rf_in->wr_slice[port] = 0xf;
    if (sm->places && sm->places->result) sm->places->result(sm, sm->places_self, port, f, word);
    if (sm->places) ask_place(sm, s, PLACE_RESULT, port, f->warp, f->inst->dst_reg[word]);
    else place_result(sm, s, port, f->warp, f->inst->dst_reg[word]);
}

// ---- mismatches in words ----

void banked_add_register(Text *t, const Sm *sm, int bank, int entry) {
    int nregs = sm->launch && sm->layout.alloc ? sm->launch->program->home_regs : 0;
    for (int i = 0; nregs && i < SM_MAX_WARPS * nregs; i++) {
        int warp = i / nregs, reg = i % nregs;
        RegPlace p = place_now(sm, warp, reg);
        if (p.bank != bank || p.entry != entry || !(sm->resident & warp_bit(warp))) continue;
        text_add(t, "warp %d, R%d = bank %d entry %d", warp, reg, bank, entry);
        return;
    }
    text_add(t, "bank %d entry %d%s", bank, entry, nregs ? " (owned by no resident warp)" : "");
}

// The operands of a collector that this bank holds. The bank delivers one of them.
static void add_operands_of_bank(Text *t, const Sm *sm, int slot, int bank) {
    const Waiting *w = slots_at(sm->ports.slots, slot);
    int n = 0;
    const uint8_t *regs = w ? path_sources(w->flight->inst, w->uop, SM_OPERANDS, &n) : NULL;
    const char *before = ", operand ";
    for (int i = 0; i < n; i++) {
        RegPlace p = place_now(sm, w->flight->warp, regs[i]);
        if (p.bank != bank) continue;
        text_add(t, "%sR%d (bank %d entry %d)", before, regs[i], p.bank, p.entry);
        before = " or ";
    }
}

static void explain_rf(Text *t, const Sm *sm, const BankedPorts *s, const Mismatch *m) {
    if (m->element < 0) {
        int entries = sm->cfg->rf_entries;
        if (m->obs_addr < (uint32_t)(sm->cfg->rf_banks * entries))
            banked_add_register(t, sm, (int)(m->obs_addr / (unsigned)entries),
                                (int)(m->obs_addr % (unsigned)entries));
        else
            text_add(t, "write priority bits of bank %u",
                     m->obs_addr - (unsigned)(sm->cfg->rf_banks * entries));
        text_first_byte(t, m);
        return;
    }
    if (!strcmp(m->port, "rd_data") || !strcmp(m->port, "rd_data_coll")) {
        text_add(t, "bank %d delivers to ", m->element);
        int slot = (int)s->rf_out->rd_data_coll[m->element];
        text_collector(t, sm, slot);
        add_operands_of_bank(t, sm, slot, m->element);
    } else if (!strcmp(m->port, "rd_grant")) {
        int slot = text_lowest_difference(m);
        text_collector(t, sm, slot);
        text_add(t, ", asks for ");
        banked_add_register(t, sm, (int)s->rf_in->rd_bank[slot], (int)s->rf_in->rd_entry[slot]);
    } else if (!strcmp(m->port, "wr_ready")) {
        int port = text_lowest_difference(m);
        text_add(t, "write port %d: ", port);
        if (port < RF_MAX_WR)
            banked_add_register(t, sm, (int)s->rf_in->wr_bank[port], (int)s->rf_in->wr_entry[port]);
    }
    text_first_byte(t, m);
}

static void explain_oc(Text *t, const Sm *sm, const BankedPorts *s, const Mismatch *m) {
    int coll = sm->cfg->oc_collectors, ops = SM_OPERANDS;
    if (m->element < 0) {
        bool status = m->obs_addr < (uint32_t)coll;
        int slot = status ? (int)m->obs_addr : ((int)m->obs_addr - coll) / ops;
        text_collector(t, sm, slot);
        if (status) text_add(t, ", status word");
        else text_add(t, ", operand %d", ((int)m->obs_addr - coll) % ops);
    } else if (!strcmp(m->port, "rd_bank") || !strcmp(m->port, "rd_entry") ||
               !strcmp(m->port, "older")) {
        text_collector(t, sm, m->element);
    } else if (!strcmp(m->port, "rd_valid")) {
        text_collector(t, sm, text_lowest_difference(m));
    } else if (!strcmp(m->port, "disp_slot") || !strcmp(m->port, "disp_data")) {
        bool data = !strcmp(m->port, "disp_data");
        int port = data ? m->element / ops : m->element;
        text_add(t, "dispatch port %d, ", port);
        int slot = (int)s->oc_out->disp_slot[port];
        text_collector(t, sm, slot);
        const Waiting *w = slots_at(sm->ports.slots, slot);
        int n = 0;
        const uint8_t *regs =
            data && w ? path_sources(w->flight->inst, w->uop, SM_OPERANDS, &n) : NULL;
        if (m->element % ops < n) text_add(t, ", operand R%d", regs[m->element % ops]);
    } else if (!strcmp(m->port, "alloc_slot")) {
        text_add(t, "allocation port %d", m->element);
    }
    text_first_byte(t, m);
}

void banked_explain(Text *t, const Sm *sm, const BankedPorts *p, const Mismatch *m) {
    if (!strcmp(m->block, "banked_rf")) explain_rf(t, sm, p, m);
    else if (!strcmp(m->block, "operand_collector")) explain_oc(t, sm, p, m);
}

static void explain(Text *t, const Sm *sm, const void *self, const Mismatch *m) {
    const State *s = self;
    banked_explain(t, sm, &(BankedPorts){s->rf_in, s->rf_out, s->oc_out}, m);
}

static const char *const blocks[] = {"banked_rf", "operand_collector", NULL};

#define BANKED \
    .blocks = blocks, .asks_places = true, .shared = true, .open = open_path, .begin = pool_begin, \
    .eval = eval, .wires = wires, .collect = pool_collect, .tick = tick, .fits = pool_fits, \
    .room = pool_room, .accept = pool_accept, .result = result, .explain = explain

const OperandPath path_banked = {BANKED};

// The reader also sends requests to the banks.
static int shape(const MachineConfig *cfg, const char *block, const char *param, int value) {
    return !strcmp(block, "banked_rf") && !strcmp(param, "NumColl") ? cfg->oc_collectors + 1
                                                                    : value;
}

static bool check_reader(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    return sm->cfg->oc_collectors < RF_MAX_COLL ||
        diag_fail(d, EXIT_USAGE,
                  "oc.collectors is %d, expected at most %d: --arch %s reads registers through an "
                  "additional port",
                  sm->cfg->oc_collectors, RF_MAX_COLL - 1, sm->gpu->arch.name);
}

const OperandPath path_banked_reader = {BANKED,
                                        .shape = shape,
                                        .check = check_reader,
                                        .read = read_row,
                                        .read_granted = read_granted,
                                        .row_read = row_read,
                                        .peek = peek};
