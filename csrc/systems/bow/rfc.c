// SPDX-License-Identifier: Apache-2.0
// Register file cache (RFC), a comparator of BOW (thesis section 3.6): blocks operand_collector,
// reg_cache, banked_rf. The cache retains the last rfc.entries results of each warp. The collectors
// read the cache, which forwards misses to the banks. Results enter the cache, and evicted values
// are written to the banks. With rfv:rfc, rfv marks dead values, and these are not written. The
// rows of a warp that has ended are dropped.
//
// A cache bank and a bank of the register file may deliver in the same cycle, but a collector
// accepts one operand per cycle. Wires of all banks end at the collectors, so operand_collector has
// one data port for each bank (shape).
#include "models/collect/reg_cache.h"
#include "sm/listeners/explain_text.h"
#include "sm/parts/collector_pool.h"
#include "sm/state.h"
#include "systems/baseline/banked_path.h"
#include "systems/systems.h"

#include <string.h>

typedef struct State {
    Pool pool;
    Block *rf, *oc, *rc;
    BankedRfIn *rf_in;
    const BankedRfOut *rf_out;
    OperandCollectorIn *oc_in;
    const OperandCollectorOut *oc_out;
    RegCacheIn *rc_in;
    const RegCacheOut *rc_out;
    uint64_t ended;          // warps whose rows must still be dropped
    int rows[SM_MAX_WARPS];  // rows that resident and ended warps use
    int in_use;              // ... of resident warps
} State;

static void offer(Sm *sm, void *self, int port, const Waiting *w);

static void *open_path(Sm *sm, Arena *arena, const void *mode, PathPorts *p) {
    State *s = ARENA_NEW(arena, State);
    Cosim *c = sm->cosim;
    (void)mode;
    s->rf = cosim_block(c, "banked_rf");
    s->oc = cosim_block(c, "operand_collector");
    s->rc = cosim_block(c, "reg_cache");
    s->rf_in = s->rf->in, s->rf_out = s->rf->out;
    s->oc_in = s->oc->in, s->oc_out = s->oc->out;
    s->rc_in = s->rc->in, s->rc_out = s->rc->out;
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
                     .disp_data = s->oc_out->disp_data,
                     .wr_valid = s->rc_in->wr_valid,
                     .wr_lane = s->rc_in->wr_lane,
                     .wr_data = s->rc_in->wr_data,
                     .wr_ready = s->rc_out->wr_ready,
                     .staged = sm->cfg->blocks_registered & REGISTERED_REG_CACHE};
    return s;
}

// The data ports: one per collector, and at least as many as there are banks.
static int shape(const MachineConfig *cfg, const char *block, const char *param, int value) {
    if (strcmp(block, "operand_collector") != 0 || strcmp(param, "Banks") != 0) return value;
    return value > cfg->oc_collectors ? value : cfg->oc_collectors;
}

static unsigned count_ones(uint32_t v) { return (unsigned)__builtin_popcount(v); }

// ---- input ----

static void offer(Sm *sm, void *self, int port, const Waiting *w) {
    State *s = self;
    const int per = SM_OPERANDS;
    int n;
    const uint8_t *regs = path_sources(w->flight->inst, w->uop, per, &n);
    s->oc_in->alloc_need[port] = (1u << n) - 1;
    for (int i = 0; i < n; i++) {
        const RegPlace place = reg_place(&sm->layout, w->flight->warp, regs[i]);
        s->oc_in->alloc_bank[port * per + i] = (uint32_t)place.bank;
        s->oc_in->alloc_entry[port * per + i] = (uint32_t)place.entry;
    }
}

// Lanes of the warp that have not ended.
static uint32_t live_lanes(const Sm *sm, int warp) {
    const InstStream *own = &sm->warps[warp].own;
    uint32_t live = own->mask;
    for (int i = 0; i < own->depth; i++) live |= own->stack[i].mask;
    return live;
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    RegCacheIn *in = ((State *)self)->rc_in;
    const RegPlace place = reg_place(&sm->layout, f->warp, f->inst->dst_reg[word]);
    const bool whole = f->active == UINT32_MAX || !(live_lanes(sm, f->warp) & ~f->active);
    in->wr_warp[port] = (uint32_t)f->warp;
    in->wr_bank[port] = (uint32_t)place.bank;
    in->wr_entry[port] = (uint32_t)place.entry;
    in->wr_whole[0] = (in->wr_whole[0] & ~(1u << port)) | (uint32_t)whole << port;
}

// A dead register: its cached value is not written back.
static void free_register(Sm *sm, void *self, int warp, int reg) {
    RegCacheIn *in = ((State *)self)->rc_in;
    const RegPlace place = reg_place(&sm->layout, warp, reg);
    in->kill_valid[0] = 1;
    in->kill_warp[0] = (uint32_t)warp;
    in->kill_bank[0] = (uint32_t)place.bank;
    in->kill_entry[0] = (uint32_t)place.entry;
}

static bool freed(Sm *sm, void *self) {
    (void)sm;
    return ((State *)self)->rc_in->kill_valid[0];
}

static void warp_ended(Sm *sm, void *self, int warp) {
    State *s = self;
    s->ended |= word_bit(warp);
    s->in_use -= s->rows[warp];
    sm->count->v[CTR_RFC_DROPPED] += (unsigned)s->rows[warp];
}

static bool warp_free(const Sm *sm, const void *self, int warp) {
    (void)sm;
    return !(((const State *)self)->ended >> warp & 1);
}

// ---- the cycle ----

static bool busy(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    return s->ended || s->rc_out->rf_wr_valid[0];
}

// The collectors read the cache. The cache drops one warp that ended before this cycle.
static void drive_cache(const Sm *sm, State *s) {
    RegCacheIn *in = s->rc_in;
    const OperandCollectorOut *oc = s->oc_out;
    const size_t words = sizeof(uint32_t) * (unsigned)sm->cfg->oc_collectors;
    in->rd_valid[0] = oc->rd_valid[0];
    memcpy(in->older, oc->older, words);
    memcpy(s->rf_in->older, oc->older, words);
    in->rf_wr_ready[0] = 0;
    in->drop_valid[0] = s->ended && !sm->late;
    if (in->drop_valid[0]) in->drop_warp[0] = (uint32_t)lowest(s->ended);
    if (!oc->rd_valid[0]) return;
    memcpy(in->rd_bank, oc->rd_bank, words);
    memcpy(in->rd_entry, oc->rd_entry, words);
    memcpy(s->rf_in->rd_bank, oc->rd_bank, words);
    memcpy(s->rf_in->rd_entry, oc->rd_entry, words);
    for (uint32_t left = oc->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        in->rd_warp[c] = (uint32_t)s->pool.slots.slot[c].flight->warp;
    }
}

// Misses, write-backs and results that the cache does not accept access the banks.
static void to_banks(State *s) {
    BankedRfIn *in = s->rf_in;
    const RegCacheOut *rc = s->rc_out;
    in->rd_valid[0] = rc->rf_rd_valid[0];
    in->wr_valid[0] = rc->rf_wr_valid[0];
    for (uint32_t left = rc->rf_wr_valid[0]; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        in->wr_bank[p] = rc->rf_wr_bank[p];
        in->wr_entry[p] = rc->rf_wr_entry[p];
        in->wr_slice[p] = 0xf;
        in->wr_lane[p] = rc->rf_wr_lane[p];
        memcpy(in->wr_data[p], rc->rf_wr_data[p], sizeof in->wr_data[p]);
    }
}

static void row_taken(State *s, int warp, int n) {
    s->rows[warp] += n;
    s->in_use += n;
}

// Counts the outcomes of the results at this clock edge and the rows of each warp afterwards. A
// stored value replaces another, is written back, dies or is dropped.
static void count_results(Sm *sm, State *s) {
    const RegCacheIn *in = s->rc_in;
    const RegCacheOut *rc = s->rc_out;
    uint64_t *v = sm->count->v;
    const uint32_t taken = rc->wr_ready[0], hit = taken & rc->wr_hit[0], whole = in->wr_whole[0];
    v[CTR_RFC_OVERWRITTEN] += count_ones(hit & whole);
    v[CTR_RFC_MERGED] += count_ones(hit & ~whole);
    v[CTR_RFC_ALLOCATED] += count_ones(taken & ~hit & whole);
    v[CTR_RFC_THROUGH] += count_ones(taken & ~hit & ~whole);
    v[CTR_RFC_RESULT_WAITS] += count_ones(in->wr_valid[0] & ~taken);
    v[CTR_RFC_WRITTEN_BACK] += count_ones(rc->evict[0]);
    v[CTR_RFC_DEAD] += rc->killed[0];
    for (uint32_t left = taken & ~hit & whole & ~rc->evict[0]; left; left &= left - 1)
        row_taken(s, (int)in->wr_warp[__builtin_ctz(left)], 1);
    if (rc->killed[0]) row_taken(s, (int)in->kill_warp[0], -1);
}

static void check_drop(Sm *sm, State *s) {
    const int warp = (int)s->rc_in->drop_warp[0], rows = (int)s->rc_out->dropped[0];
    if (rows != s->rows[warp])
        sm_fail(sm, EXIT_MISMATCH,
                "leak: block reg_cache: warp %d ended with %d rows in use, found %d", warp,
                s->rows[warp], rows);
    s->rows[warp] = 0;
    s->ended &= ~word_bit(warp);
}

static void eval(Sm *sm, void *self) {
    State *s = self;
    block_eval(s->oc);
    drive_cache(sm, s);
    block_eval(s->rc);
    to_banks(s);
    block_eval(s->rf);
    if (s->rf_in->wr_valid[0]) {
        s->rc_in->rf_wr_ready[0] = s->rf_out->wr_ready[0];
        block_eval(s->rc);
    }
    if (sm->late) return;
    count_results(sm, s);
    if (s->rc_in->drop_valid[0]) check_drop(sm, s);
}

static void tell_banks(Sm *sm, const State *s) {
    const uint32_t writes = s->rf_in->wr_valid[0], written = writes & s->rf_out->wr_ready[0];
    path_tell_refused(sm, s->rc_out->rf_rd_valid[0] & ~s->rf_out->rd_grant[0], 0);
    // of the cache's rows, and of results that have none
    for (uint32_t left = writes & ~written; left; left &= left - 1)
        notify_refused(sm, (RefusedEvent){NULL, true});
    for (uint32_t left = s->rc_out->rd_grant[0]; left; left &= left - 1) {
        const Waiting *w = slots_at(&s->pool.slots, __builtin_ctz(left));
        notify_forwarded(sm, (OperandsEvent){w ? w->flight : NULL, 0, 1});
    }
    for (uint32_t left = s->rf_out->rd_grant[0]; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->rd_bank[__builtin_ctz(left)], false});
    for (uint32_t left = written; left; left &= left - 1)
        notify_bank_access(
            sm, (BankEvent){sm->cycle, (int)s->rf_in->wr_bank[__builtin_ctz(left)], true});
}

static void count_reads(Sm *sm, const State *s) {
    uint64_t *v = sm->count->v;
    const uint32_t asked = s->oc_out->rd_valid[0], missed = s->rc_out->rf_rd_valid[0];
    const uint32_t writes = s->rf_in->wr_valid[0], written = writes & s->rf_out->wr_ready[0];
    v[CTR_RFC_READS] += count_ones(s->rc_out->rd_grant[0]);
    v[CTR_RFC_READ_WAITS] += count_ones(asked & ~missed & ~s->rc_out->rd_grant[0]);
    v[CTR_RF_READS] += count_ones(s->rf_out->rd_grant[0]);
    v[CTR_RF_READ_CONFLICTS] += count_ones(missed & ~s->rf_out->rd_grant[0]);
    v[CTR_RF_WRITES] += count_ones(written);
    v[CTR_RF_WRITE_CONFLICTS] += count_ones(writes & ~written);
    for (uint32_t left = written; left; left &= left - 1)
        sm->count->bank_writes[s->rf_in->wr_bank[__builtin_ctz(left)]]++;
    v[CTR_OC_BUSY] += (unsigned)s->pool.slots.busy;
    v[CTR_OC_FULL] += s->pool.slots.busy == s->pool.slots.nslots;
    if (banks_watched(sm)) tell_banks(sm, s);
}

// From a bank or cache bank to the port of its collector.
static void deliver_row(OperandCollectorIn *in, uint32_t coll, const uint32_t row[32]) {
    in->rd_data_valid[0] |= 1u << coll;
    in->rd_data_coll[coll] = coll;
    memcpy(in->rd_data[coll], row, sizeof in->rd_data[coll]);
}

static void wires(Sm *sm, void *self) {
    State *s = self;
    OperandCollectorIn *in = s->oc_in;
    const BankedRfOut *rf = s->rf_out;
    const RegCacheOut *rc = s->rc_out;
    in->rd_grant[0] = rf->rd_grant[0] | rc->rd_grant[0];
    in->rd_data_valid[0] = 0;
    for (uint32_t left = rf->rd_data_valid[0]; left; left &= left - 1) {
        const int bank = __builtin_ctz(left);
        sm->count->bank_reads[bank]++;
        deliver_row(in, rf->rd_data_coll[bank], rf->rd_data[bank]);
    }
    for (uint32_t left = rc->rd_data_valid[0]; left; left &= left - 1)
        deliver_row(in, rc->rd_data_coll[__builtin_ctz(left)], rc->rd_data[__builtin_ctz(left)]);
    count_reads(sm, s);
}

static void tick(Sm *sm, void *self) {
    State *s = self;
    (void)sm;
    block_tick(s->rf);
    block_tick(s->rc);
    block_tick(s->oc);
    s->rc_in->kill_valid[0] = 0;
}

// All drops and write-backs are complete.
static bool at_rest(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    return !s->ended && !s->rc_out->rf_wr_valid[0] && !s->rc_out->evict[0];
}

// Also in cycles without evaluation.
static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    (void)e;
    sm->count->v[CTR_RFC_ROWS] += (unsigned)((State *)self)->in_use;
}

static const Listener listener = {.cycle_end = on_cycle_end};

// ---- mismatches in words ----

static void explain_cache(Text *t, const Sm *sm, const State *s, const Mismatch *m) {
    const int ways = sm->cfg->rfc_entries, rows = sm->cfg->sm_warps * ways;
    if (m->element < 0) {
        if (m->obs_addr < (uint32_t)rows)
            text_add(t, "warp %d, way %d", (int)m->obs_addr / ways, (int)m->obs_addr % ways);
        else if (m->obs_addr < (uint32_t)(rows + sm->cfg->sm_warps))
            text_add(t, "what warp %d has", (int)m->obs_addr - rows);
        else text_add(t, "write-back buffers");
    } else if (!strcmp(m->port, "rd_data") || !strcmp(m->port, "rd_data_coll")) {
        text_add(t, "cache bank %d delivers to ", m->element);
        text_collector(t, sm, (int)s->rc_out->rd_data_coll[m->element]);
    } else if (!strcmp(m->port, "rd_grant") || !strcmp(m->port, "rf_rd_valid")) {
        const int slot = text_lowest_difference(m);
        text_collector(t, sm, slot);
        text_add(t, ", asks for ");
        if (slot < RFC_MAX_COLL)
            banked_add_register(t, sm, (int)s->rc_in->rd_bank[slot], (int)s->rc_in->rd_entry[slot]);
    } else if (!strncmp(m->port, "wr_", 3) || !strcmp(m->port, "evict")) {
        const int port = text_lowest_difference(m);
        text_add(t, "result at write port %d: ", port);
        if (port < RFC_MAX_WR)
            banked_add_register(t, sm, (int)s->rc_in->wr_bank[port], (int)s->rc_in->wr_entry[port]);
    } else if (!strncmp(m->port, "rf_wr_", 6)) {
        const int port = m->element ? m->element : text_lowest_difference(m);
        text_add(t, "write port %d of the register file: ", port);
        if (port < RFC_MAX_WR)
            banked_add_register(t, sm, (int)s->rc_out->rf_wr_bank[port],
                                (int)s->rc_out->rf_wr_entry[port]);
    }
    text_first_byte(t, m);
}

static void explain(Text *t, const Sm *sm, const void *self, const Mismatch *m) {
    const State *s = self;
    if (!strcmp(m->block, "reg_cache")) explain_cache(t, sm, s, m);
    else banked_explain(t, sm, &(BankedPorts){s->rf_in, s->rf_out, s->oc_out}, m);
}

static const char *const blocks[] = {"banked_rf", "operand_collector", "reg_cache", NULL};

static const OperandPath path_rfc = {.blocks = blocks,
                                     .shared = true,
                                     .listener = &listener,
                                     .shape = shape,
                                     .open = open_path,
                                     .busy = busy,
                                     .begin = pool_begin,
                                     .eval = eval,
                                     .wires = wires,
                                     .collect = pool_collect,
                                     .tick = tick,
                                     .fits = pool_fits,
                                     .room = pool_room,
                                     .accept = pool_accept,
                                     .result = result,
                                     .free = free_register,
                                     .freed = freed,
                                     .warp_ended = warp_ended,
                                     .warp_free = warp_free,
                                     .at_rest = at_rest,
                                     .explain = explain};

const System system_rfc = {.name = "rfc",
                           .what = "register file cache: keeps the last results of each warp, and "
                                   "writes them back at eviction",
                           .group = SYSTEM_FILE,
                           .with = SYSTEM_RFV,
                           .reason = "its values are written back to fixed places",
                           .summary = summary_cache,
                           .figures = figures_bypassing,
                           .path = &path_rfc};
