// SPDX-License-Identifier: Apache-2.0
// The operand path of packing, CORF, CORF++ and register virtualization: block rf_datapath, in
// which the renaming table assigns the place of a register. This file drives the block's protocol.
// It stores the destinations that the block finds at issue, and returns them with the result. It
// waits for wr_done before a result counts as written. It passes ended warps to the walk that frees
// their registers. It loads hints, and has a port that frees one register per cycle.
//
// With blocks.registered rf_datapath, the path has the timing of blocks of two cycles. A collector
// is chosen one cycle before it is entered. An instruction therefore issues only if a collector is
// free in that cycle that no entry register will use. The look-up of the row takes place one cycle
// later, in alloc_unit. A result needs such a look-up if it outgrows its register or if its buddy
// has a place. It then waits one cycle in front of its writer. This equals the wait in the writer's
// first stage.
#include "systems/pack/renamed_path.h"

#include "models/rename/alloc_unit.h"
#include "models/rf/rf_datapath.h"
#include "sm/listeners/explain_text.h"
#include "sm/parts/collector_pool.h"
#include "sm/parts/hazards.h"
#include "sm/state.h"
#include "systems/pack/true_width.h"
#include "systems/systems.h"

#include <string.h>

enum { HINT_QUEUE = 512 };  // loads of one kernel: at most 63 buddies or 63 sides, and one clear
// Cycles after which the count of used slices is up to date, and within which every free reaches
// the map.
enum { COUNT_LAG = 4, FREES_LAND = 256 };

typedef struct HintLoad {
    uint8_t op, reg, value;
} HintLoad;

// A result in a writer's first stage, whose register has a buddy; pair: the lower one's number.
typedef struct PairWrite {
    uint8_t warp, pair;
} PairWrite;

typedef struct State {
    Pool pool;
    Block *dp;
    const void *golden;  // model of the block; NULL: none
    RfDatapathIn *in;
    const RfDatapathOut *out;
    const RenamedMode *mode;
    HintLoad hints[HINT_QUEUE];
    int first_hint, nhints;
    const IsaInst *hint_seen[64];  // metadata instructions of this kernel that were loaded
    int nseen;
    uint64_t ended;    // warps that ended in this cycle
    uint64_t exiting;  // warps that ended and were not yet passed to the walk
    int walking;       // warp whose registers are being freed, SM_NONE
    int accepted;      // results accepted and not done
    // warps with an accepted result since their registers were freed
    uint64_t holds;
    // cycles since the last such warp; FREES_LAND: the map was found free
    int empty;
    PairWrite placing[DP_MAX_WR], taken[DP_MAX_WR];  // in the first stage; accepted in this cycle
    // pairs of this warp that shared a row, or could not
    uint64_t pair_fit[SM_MAX_WARPS], pair_missed[SM_MAX_WARPS];
    int unknown;  // number of destinations whose look-up is in progress
    // last instruction that left the port's entry register with unknown destinations
    Flight *moved[DP_MAX_ALLOC];
    // blocks.registered rf_datapath: collectors free for instructions that issue in this cycle
    int chosen;
    // writers whose result needs a row look-up and has not yet waited for it
    uint32_t looks;
    // true widths of each warp's registers; NULL: values are not packed, or their width is exact
    TrueWidth (*width)[ISA_MAX_REGS];
} State;

static void offer(Sm *sm, void *self, int port, const Waiting *w);

static void *open_path(Sm *sm, Arena *arena, const void *mode, PathPorts *p) {
    State *s = ARENA_NEW(arena, State);
    s->mode = mode;
    s->dp = cosim_block(sm->cosim, "rf_datapath");
    s->golden = cosim_golden(sm->cosim, "rf_datapath");
    s->in = s->dp->in;
    s->out = s->dp->out;
    s->walking = SM_NONE;
    if (s->mode->packs && !(sm->cfg->rename_ideal & DP_IDEAL_WIDTH))
        s->width = arena_alloc(arena, sizeof *s->width * SM_MAX_WARPS);
    s->pool = (Pool){.alloc_valid = s->in->is_valid,
                     .alloc_unit = s->in->is_unit,
                     .alloc_ready = s->out->is_ready,
                     .enter_valid = s->out->en_valid,
                     .enter_slot = s->out->en_slot,
                     .offer = offer};
    pool_open(sm, &s->pool, arena);
    *p = (PathPorts){.slots = &s->pool.slots,
                     .results = sm->cfg->rf_write_ports,
                     .disp_ready = s->in->disp_ready,
                     .disp_valid = s->out->disp_valid,
                     .disp_slot = s->out->disp_slot,
                     .disp_data = s->out->disp_data,
                     .wr_valid = s->in->wr_valid,
                     .wr_lane = s->in->wr_lane,
                     .wr_data = s->in->wr_data,
                     .wr_ready = s->out->wr_ready,
                     .wr_done = s->out->wr_done};
    return s;
}

static bool check_settings(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d) {
    (void)arch;
    if (!cfg->rename_ideal || !runs_rtl) return true;
    return diag_fail(d, EXIT_USAGE,
                     "rename.ideal is %d: only golden models have free renaming, expected "
                     "--blocks model, found RTL among the blocks",
                     cfg->rename_ideal);
}

static bool check(const Sm *sm, const void *self, Diag *d) {
    (void)self;
    Cosim *c = sm->cosim;
    if (!check_settings(sm->gpu->arch.name, sm->cfg, cosim_runs_rtl(c), d)) return false;
    if (sm->cfg->rename_ideal)
        rf_datapath_ideal(cosim_golden(c, "rf_datapath"), (unsigned)sm->cfg->rename_ideal);
    return true;
}

// ---- blocks of two cycles ----

static bool two_cycles(const Sm *sm) { return sm->cfg->blocks_registered & REGISTERED_RF_DATAPATH; }

static void begin(Sm *sm, void *self) {
    State *s = self;
    const Slots *slots = &s->pool.slots;
    pool_begin(sm, self);
    s->chosen = slots->nslots - slots->busy - __builtin_popcount(slots->entries);
}

static bool has_chosen(const Sm *sm, const State *s) {
    return !two_cycles(sm) || __builtin_popcount(s->in->is_valid[0]) < s->chosen;
}

static WarpSet room(const Sm *sm, const void *self, WarpSet warps) {
    return has_chosen(sm, self) ? pool_room(sm, self, warps) : 0;
}

static bool fits(const Sm *sm, const void *self, int warp, const InstStream *stream,
                 const SmInst *in, int uop) {
    return has_chosen(sm, self) && pool_fits(sm, self, warp, stream, in, uop);
}

// Does the result need a row look-up, because it outgrows its register or is the second of a pair?
// `bytes`: new size of its register.
static bool has_row_looked_up(const State *s, int warp, const RegDest *d, int bytes) {
    if (d->mask && bytes <= __builtin_popcount(d->mask)) return false;
    return d->mask || (s->mode->policy == AU_PAIR && d->pair && s->width[warp][d->buddy].kept);
}

static void hold_results(State *s) {
    const uint32_t wait = s->looks & s->in->wr_valid[0];
    s->in->wr_valid[0] &= ~wait;
    s->looks &= ~wait;
}

// ---- hints ----

static void load_hint(State *s, int op, int reg, int value) {
    panic_if(s->nhints == HINT_QUEUE, "more hints than a kernel can have");
    s->hints[(s->first_hint + s->nhints++) % HINT_QUEUE] =
        (HintLoad){(uint8_t)op, (uint8_t)reg, (uint8_t)value};
}

static void launch(Sm *sm, void *self) {
    State *s = self;
    (void)sm;
    s->nseen = 0;
    s->unknown = 0;
    s->looks = 0;
    load_hint(s, AU_HINT_CLEAR, 0, 0);
}

static int hint_field(const IsaInst *in, int bits, int i) {
    return (int)(in->src[0].imm >> (bits * i)) & ((1 << bits) - 1);
}

// Pairs and sides are equal for every warp of the kernel, so the first warp that reaches them loads
// them.
static void on_issued(Sm *sm, void *self, const IssueEvent *e) {
    State *s = self;
    const IsaInst *in = e->inst->isa;
    (void)sm;
    // releases do not affect places
    if (in->op != ISA_HINT || in->mode == ISA_HINT_RELEASE || !e->active) return;
    for (int i = 0; i < s->nseen; i++)
        if (s->hint_seen[i] == in) return;
    panic_if(s->nseen == (int)(sizeof s->hint_seen / sizeof *s->hint_seen),
             "too many metadata instructions");
    s->hint_seen[s->nseen++] = in;
    if (in->mode == ISA_HINT_PAIRS) {
        for (int i = 0; i < ISA_HINT_PAIR_COUNT; i++) {
            int a = hint_field(in, 6, 2 * i), b = hint_field(in, 6, 2 * i + 1);
            if (a == ISA_HINT_NONE) continue;
            load_hint(s, AU_HINT_PAIR, a, b);
            load_hint(s, AU_HINT_PAIR, b, a);
        }
        return;
    }
    for (int i = 0; i < ISA_HINT_ALIGN_COUNT; i++) {
        static const int side[] = {[ISA_ALIGN_ANY] = AU_DONT_CARE,
                                   [ISA_ALIGN_LEFT] = AU_LEFT,
                                   [ISA_ALIGN_RIGHT] = AU_RIGHT};
        int align = hint_field(in, 2, i);
        if (align == ISA_ALIGN_LEFT || align == ISA_ALIGN_RIGHT)
            load_hint(s, AU_HINT_ALIGN, in->shift * ISA_HINT_ALIGN_COUNT + i, side[align]);
    }
}

static void drive_hint(State *s) {
    s->in->hl_valid[0] = s->nhints > 0;
    if (!s->nhints) return;
    HintLoad h = s->hints[s->first_hint];
    s->in->hl_op[0] = h.op;
    s->in->hl_kernel[0] = s->in->cfg_kernel[0];
    s->in->hl_reg[0] = h.reg;
    s->in->hl_value[0] = h.value;
    s->first_hint = (s->first_hint + 1) % HINT_QUEUE;
    s->nhints--;
}

// ---- frees ----

// Frees one dead register per cycle, for any system.
static void free_register(Sm *sm, void *self, int warp, int reg) {
    RfDatapathIn *in = ((State *)self)->in;
    (void)sm;
    in->fr_valid[0] = 1;
    in->fr_warp[0] = (uint32_t)warp;
    in->fr_reg[0] = (uint32_t)reg;
}

static bool freed(Sm *sm, void *self) {
    const State *s = self;
    (void)sm;
    if (!(s->in->fr_valid[0] & s->out->fr_ready[0])) return false;
    if (s->width) s->width[s->in->fr_warp[0]][s->in->fr_reg[0]] = (TrueWidth){0};
    return true;
}

static void warp_ended(Sm *sm, void *self, int warp) {
    State *s = self;
    (void)sm;
    if (s->width) memset(s->width[warp], 0, sizeof s->width[warp]);
    s->ended |= word_bit(warp);
}

static bool warp_free(const Sm *sm, const void *self, int warp) {
    const State *s = self;
    (void)sm;
    return !((s->exiting | s->ended) >> warp & 1) && s->walking != warp;
}

// ---- the cycle ----

// The block reorders its free map even without writes, so it then has work.
static bool busy(const Sm *sm, const void *self) {
    const State *s = self;
    (void)sm;
    return s->nhints || s->exiting || s->ended || s->walking != SM_NONE || s->accepted ||
        s->unknown || !s->golden || !rf_datapath_resting(s->golden);
}

// The port ex_ready depends only on state, so the end of a walk is visible one evaluation later.
// This delay does not affect the next CTA. A warp is passed on in the cycle after its end, because
// its last write may complete in that cycle.
static void drive_exit(State *s) {
    if (s->walking != SM_NONE && s->out->ex_ready[0]) {
        s->holds &= ~word_bit(s->walking);
        s->walking = SM_NONE;
    }
    s->in->ex_valid[0] = 0;
    if (s->walking != SM_NONE || !s->exiting || !s->out->ex_ready[0]) return;
    s->in->ex_valid[0] = 1;
    s->in->ex_warp[0] = (uint32_t)lowest(s->exiting);
}

static void configure_block(const Sm *sm, State *s) {
    const int table = sm->cfg->rename_table, order = sm->cfg->rename_order;
    s->in->cfg_policy[0] = (uint32_t)s->mode->policy;
    s->in->cfg_mode[0] = (uint32_t)s->mode->coalesce;
    s->in->cfg_pack[0] = s->mode->packs;
    s->in->cfg_table[0] =
        table == TABLE_WARP || (table == TABLE_AUTO && s->mode->policy == AU_ALIGN);
    s->in->cfg_shrink[0] = sm->cfg->rename_shrink == SHRINK_HOLD;
    s->in->cfg_grow[0] = sm->cfg->rename_grow == GROW_MOVE;
    s->in->cfg_order[0] = order == ORDER_LOWEST || (order == ORDER_AUTO && s->mode->lowest);
}

static void eval(Sm *sm, void *self) {
    State *s = self;
    configure_block(sm, s);
    s->in->ex_valid[0] = s->in->hl_valid[0] = 0;
    if (!sm->late) {
        s->exiting |= s->ended;
        s->ended = 0;
        drive_hint(s);
    }
    if (s->looks) hold_results(s);
    block_eval(s->dp);
}

static unsigned count_ones(uint32_t v) { return (unsigned)__builtin_popcount(v); }

// Writer w placed a register with its buddy, or in another row because it did not fit there.
static void count_pair(Sm *sm, State *s, int w, int how) {
    const PairWrite *p = &s->placing[w];
    sm->count->v[CTR_PAIR_FIT] += how == AU_BUDDY;
    sm->count->v[CTR_PAIR_MISSED] += how == AU_FALLBACK;
    if (how == AU_BUDDY) s->pair_fit[p->warp] |= word_bit(p->pair);
    if (how == AU_FALLBACK) s->pair_missed[p->warp] |= word_bit(p->pair);
}

// The block reports a placement one cycle later. Its result was accepted in the previous cycle, or
// earlier.
static void follow_pairs(State *s) {
    const RfDatapathIn *in = s->in;
    memcpy(s->placing, s->taken, sizeof s->placing);
    if (s->mode->policy != AU_PAIR) return;
    for (uint32_t left = in->wr_valid[0] & s->out->wr_ready[0]; left; left &= left - 1) {
        int w = __builtin_ctz(left);
        uint32_t reg = in->wr_reg[w], buddy = in->wr_buddy[w];
        s->taken[w] = (PairWrite){(uint8_t)in->wr_warp[w], (uint8_t)(reg < buddy ? reg : buddy)};
    }
}

// The warp has ended: each of its pairs counts once.
static void count_pairs(Sm *sm, State *s, int warp) {
    sm->count->v[CTR_PAIRS] +=
        (unsigned)__builtin_popcountll(s->pair_fit[warp] | s->pair_missed[warp]);
    sm->count->v[CTR_PAIRS_FIT] += (unsigned)__builtin_popcountll(s->pair_fit[warp]);
    s->pair_fit[warp] = s->pair_missed[warp] = 0;
}

// A collector repeats a refused request, so it still has the instruction. Writers of the block
// belong to no instruction.
static void tell_banks(Sm *sm, const State *s) {
    const RfDatapathOut *o = s->out;
    path_tell_refused(sm, o->obs_rd_refused[0], 0);
    for (uint32_t left = o->obs_wr_refused[0]; left; left &= left - 1)
        notify_refused(sm, (RefusedEvent){NULL, true});
    for (int b = 0; b < sm->cfg->rf_banks && sm->cycle; b++)
        if ((o->obs_bank_read[0] | o->obs_bank_write[0]) >> b & 1)
            notify_bank_access(sm, (BankEvent){sm->cycle - 1, b, o->obs_bank_write[0] >> b & 1});
}

// Counts the block's actions of the previous cycle.
static void count_last_cycle(Sm *sm, State *s) {
    uint64_t *v = sm->count->v;
    const RfDatapathOut *o = s->out;
    if (banks_watched(sm)) tell_banks(sm, s);
    for (uint32_t left = o->obs_bank_read[0]; left; left &= left - 1)
        sm->count->bank_reads[__builtin_ctz(left)]++;
    for (uint32_t left = o->obs_bank_write[0]; left; left &= left - 1)
        sm->count->bank_writes[__builtin_ctz(left)]++;
    v[CTR_RF_READS] += count_ones(o->obs_bank_read[0]);
    v[CTR_RF_WRITES] += count_ones(o->obs_bank_write[0]);
    v[CTR_RF_READ_CONFLICTS] += count_ones(o->obs_rd_refused[0]);
    v[CTR_RF_WRITE_CONFLICTS] += count_ones(o->obs_wr_refused[0]);
    v[CTR_COALESCED] += count_ones(o->obs_coalesced[0]);
    const unsigned buddies = count_ones(o->obs_bd[0]), dests = count_ones(o->ds_valid[0]);
    const unsigned no_buddy = count_ones(o->obs_bd_refused[0]),
                   no_dest = count_ones(o->obs_dst_refused[0]);
    v[CTR_RT_LOOKUPS] += count_ones(o->obs_op[0]) + dests + buddies;
    v[CTR_RT_DEST_LOOKUPS] += dests;
    v[CTR_RT_BUDDY_LOOKUPS] += buddies;
    v[CTR_RT_CONFLICTS] += count_ones(o->obs_src_refused[0]) + no_dest + no_buddy;
    v[CTR_RT_DEST_CONFLICTS] += no_dest;
    v[CTR_RT_BUDDY_CONFLICTS] += no_buddy;
    // Entry registers that do not move. One cycle later, the block reports whether an entry
    // register lacked a collector.
    v[CTR_ENTRY_LOOKUP_WAIT] += count_ones(s->pool.slots.entries & ~o->en_valid[0]);
    v[CTR_ENTRY_LOOKUP_WAIT] -= count_ones(o->obs_entry_wait[0]);
    v[CTR_ENTRY_WAIT] += count_ones(o->obs_entry_wait[0]);
    v[CTR_ALLOC_WAIT] += count_ones(o->obs_none[0]);
    for (uint32_t left = o->obs_alloc[0]; left; left &= left - 1) {
        int w = __builtin_ctz(left);
        bool placed = o->obs_kind[w] == AU_FIRST || o->obs_kind[w] == AU_GROW;
        v[CTR_RT_UPDATES] += o->obs_kind[w] != AU_KEEP;
        v[CTR_ALLOC_FIRST] += o->obs_kind[w] == AU_FIRST;
        v[CTR_ALLOC_GROW] += o->obs_kind[w] == AU_GROW;
        v[CTR_ALLOC_SHRINK] += o->obs_kind[w] == AU_SHRINK;
        if (placed && s->mode->policy == AU_PAIR) count_pair(sm, s, w, (int)o->obs_how[w]);
    }
}

// Records the places and hints of destinations. The instruction is in an entry register, or left it
// before all of its destinations were known.
static void take_destinations(State *s) {
    const RfDatapathOut *o = s->out;
    const Slots *slots = &s->pool.slots;
    s->unknown -= __builtin_popcount(o->ds_valid[0]);
    for (uint32_t left = o->ds_valid[0]; left; left &= left - 1) {
        int a = __builtin_ctz(left);
        bool late = o->ds_late[0] >> a & 1, mapped = o->ds_mask[a], pair = o->ds_pair[0] >> a & 1;
        panic_if(!late && !slots_entry(slots, a),
                 "a destination of entry register %d, which is empty", a);
        Flight *f = late ? s->moved[a] : slots->entry[a].flight;
        panic_if(!f->inst || o->ds_index[a] != f->dst_known,
                 "destination %d of port %d is not the next", (int)o->ds_index[a], a);
        f->dst[f->dst_known++] = (RegDest){.mask = (uint8_t)o->ds_mask[a],
                                           .bank = mapped ? (uint8_t)o->ds_bank[a] : 0,
                                           .entry = mapped ? (uint16_t)o->ds_entry[a] : 0,
                                           .pair = pair,
                                           .buddy = pair ? (uint8_t)o->ds_buddy[a] : 0,
                                           .align = (uint8_t)o->ds_align[a]};
    }
    for (uint32_t left = o->en_valid[0]; left; left &= left - 1) {
        const Waiting *w = &slots->entry[__builtin_ctz(left)];
        const SmInst *in = w->flight->inst;
        if (w->uop + 1 == in->nuops && w->flight->dst_known < in->nwrites)
            s->moved[__builtin_ctz(left)] = w->flight;
    }
}

// With ideal lookups the model finds destinations itself.
static bool known(const Sm *sm, const void *self, const Flight *f) {
    (void)self;
    if (f->dst_known == f->inst->nwrites || sm->cfg->rename_ideal & DP_IDEAL_LOOKUP) return true;
    sm->count->v[CTR_DEST_WAIT]++;
    return false;
}

// Checks that no slice stays in use after the registers of all warps have been freed.
static void check_free(Sm *sm, State *s) {
    for (uint32_t left = s->in->wr_valid[0] & s->out->wr_ready[0]; left; left &= left - 1)
        s->holds |= word_bit((int)s->in->wr_warp[__builtin_ctz(left)]);
    if (s->holds) {
        s->empty = 0;
    } else if (s->empty < FREES_LAND) {
        const unsigned slices = s->out->used_slices[0];
        if (++s->empty >= COUNT_LAG && !slices) s->empty = FREES_LAND;
        if (s->empty == FREES_LAND && slices)
            sm_fail(sm, EXIT_MISMATCH,
                    "leak: block rf_datapath: %u byte slices are in use, in %u physical registers, "
                    "although all registers of all warps were freed",
                    slices, s->out->used_regs[0]);
    }
}

static bool at_rest(const Sm *sm, const void *self) {
    (void)sm;
    return ((const State *)self)->empty == FREES_LAND;
}

static void wires(Sm *sm, void *self) {
    State *s = self;
    uint64_t *v = sm->count->v;
    count_last_cycle(sm, s);
    follow_pairs(s);
    take_destinations(s);
    s->accepted += (int)count_ones(s->in->wr_valid[0] & s->out->wr_ready[0]) -
        (int)count_ones(s->out->wr_done[0]);
    v[CTR_OC_BUSY] += (unsigned)s->pool.slots.busy;
    v[CTR_OC_FULL] += s->pool.slots.busy == s->pool.slots.nslots;
    check_free(sm, s);
}

static void tick(Sm *sm, void *self) {
    State *s = self;
    drive_exit(s);
    if (s->in->ex_valid[0]) {
        s->walking = (int)s->in->ex_warp[0];
        s->exiting &= ~word_bit(s->walking);
        count_pairs(sm, s, s->walking);
    }
    block_tick(s->dp);
    s->in->fr_valid[0] = 0;
}

// Destinations are offered with the last micro-operation, so that all reads of the instruction
// precede them.
static void offer(Sm *sm, void *self, int port, const Waiting *w) {
    State *s = self;
    RfDatapathIn *in = s->in;
    const SmInst *inst = w->flight->inst;
    const int per = SM_OPERANDS, ndst = w->uop + 1 == inst->nuops ? inst->nwrites : 0;
    int n;
    const uint8_t *regs = path_sources(inst, w->uop, per, &n);
    in->is_warp[port] = (uint32_t)w->flight->warp;
    in->is_need[port] = (1u << n) - 1;
    for (int i = 0; i < n; i++) in->is_reg[port * per + i] = regs[i];
    in->is_dst_n[port] = (uint32_t)ndst;
    if (!(sm->cfg->rename_ideal & DP_IDEAL_LOOKUP)) s->unknown += ndst;
    for (int i = 0; i < ndst; i++) in->is_dst_reg[port * DP_MAX_DST + i] = inst->dst_reg[i];
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    State *s = self;
    RfDatapathIn *in = s->in;
    const RegDest *d = &f->dst[word];
    in->wr_warp[port] = (uint32_t)f->warp;
    in->wr_reg[port] = f->inst->dst_reg[word];
    in->wr_old_mask[port] = d->mask;
    in->wr_old_bank[port] = d->bank;
    in->wr_old_entry[port] = d->entry;
    in->wr_pair[0] = (in->wr_pair[0] & ~(1u << port)) | (uint32_t)d->pair << port;
    in->wr_buddy[port] = d->buddy;
    in->wr_align[port] = d->align;
    if (!s->width) return;
    TrueWidth *width = &s->width[f->warp][in->wr_reg[port]];
    sm->count->v[CTR_WIDTH_BOUND] +=
        true_width_write(width, f->out.dst[f->inst->dst_word[word]], f->active);
    if (two_cycles(sm) && has_row_looked_up(s, f->warp, d, width->kept)) s->looks |= 1u << port;
}

static unsigned used(const Sm *sm, const void *self) {
    (void)sm;
    return ((const State *)self)->out->used_regs[0];
}

// ---- mismatches in words ----

static void explain(Text *t, const Sm *sm, const void *self, const Mismatch *m) {
    const State *s = self;
    int ops = SM_OPERANDS;
    if (m->element < 0) {
        int mappings = sm->cfg->sm_warps * sm->cfg->sm_regs_per_thread;
        if (m->obs_addr < (uint32_t)mappings)
            text_add(t, "renaming table: warp %d, R%d",
                     (int)m->obs_addr / sm->cfg->sm_regs_per_thread,
                     (int)m->obs_addr % sm->cfg->sm_regs_per_thread);
        else text_add(t, "state word %u", m->obs_addr);
    } else if (!strcmp(m->port, "disp_slot") || !strcmp(m->port, "disp_data")) {
        bool data = !strcmp(m->port, "disp_data");
        int port = data ? m->element / ops : m->element, slot = (int)s->out->disp_slot[port];
        const Waiting *w = slots_at(&s->pool.slots, slot);
        int n = 0;
        const uint8_t *regs = data && w ? path_sources(w->flight->inst, w->uop, ops, &n) : NULL;
        text_add(t, "dispatch port %d, ", port);
        text_collector(t, sm, slot);
        if (m->element % ops < n) text_add(t, ", operand R%d", regs[m->element % ops]);
    } else if (!strncmp(m->port, "wr_", 3)) {
        int port = text_lowest_difference(m);
        if (port < DP_MAX_WR)
            text_add(t, "write port %d: warp %u, R%u", port, s->in->wr_warp[port],
                     s->in->wr_reg[port]);
    } else if (!strncmp(m->port, "obs_", 4)) {
        text_add(t, "status of the cycle before");
    }
    text_first_byte(t, m);
}

static const char *const blocks[] = {"rf_datapath", NULL};

static const Listener listener = {.issued = on_issued};

const OperandPath path_renamed = {.blocks = blocks,
                                  .early = true,
                                  .shared = true,
                                  .listener = &listener,
                                  .settings = check_settings,
                                  .open = open_path,
                                  .check = check,
                                  .launch = launch,
                                  .busy = busy,
                                  .begin = begin,
                                  .eval = eval,
                                  .wires = wires,
                                  .collect = pool_collect,
                                  .tick = tick,
                                  .fits = fits,
                                  .room = room,
                                  .accept = pool_accept,
                                  .known = known,
                                  .result = result,
                                  .free = free_register,
                                  .freed = freed,
                                  .used = used,
                                  .warp_ended = warp_ended,
                                  .warp_free = warp_free,
                                  .at_rest = at_rest,
                                  .explain = explain};
