// SPDX-License-Identifier: Apache-2.0
// Stimuli of rename_table: lookups, updates and frees that crowd one table bank or a few registers,
// and exits beside all of them. The free map is slow to take freed mappings. Now and then the table
// is emptied, and its banks are assigned the other way.
#include "models/rename/rename_table.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { RENAME_TABLE_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_SRC,
    KNOB_DST,
    KNOB_BD,
    KNOB_UP,
    KNOB_FREE,
    KNOB_EXIT,
    KNOB_TAKE,
    KNOB_HOT,
    KNOB_WARPS,
    KNOB_REGS,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"src", 0, 100, "percent of sources that are looked up"},
    {"dst", 0, 100, "percent of instructions that look up a destination"},
    {"buddy", 0, 100, "percent of writers that look up"},
    {"up", 0, 100, "percent of writers that update"},
    {"free", 0, 100, "percent of cycles with a free"},
    {"exit", 0, 20, "percent of cycles with an exit"},
    {"take", 0, 100, "percent of cycles in which the free map takes a mapping"},
    {"hot", 0, 90, "percent of requests that go to one table bank"},
    {"warps", 0, 6, "log2 of the warps in use"},
    {"regs", 0, 6, "log2 of the registers in use"},
};

enum { DEEP = 6 /* requests of one bank counted one by one up to here */, WALKED = 4 };

typedef struct Bins {
    int conflict, port, port_b, held, src_first, dst_first, bd_first, up_first, mask, answer,
        unmapped, hazard, walk, at_once, edge, table, reset;
    int depth;
} Bins;

typedef struct Place {
    uint32_t warp, reg;
} Place;

typedef struct Env {
    int warps, regs, banks, entries, num_alloc, num_ops, num_wr;
    Bins at;
    uint32_t hot;
    int src_first, dst_first, bd_first, up_first;  // followed as the contract says
    // cfg_table; its next value once nothing is mapped
    uint32_t table, want;
    // per warp: may be mapped; updated during the walk
    uint64_t mapped[64], renewed;
    uint32_t last_src;                // lookups done in the last cycle
    Place updated[RT_MAX_WR], freed;  // in the last cycle; reg regs: none
    bool walking;
    uint32_t holding;  // lanes whose freed mapping was not taken
    int lanes;
    uint32_t walk_warp;
    int walked;
    uint32_t reset_met;
} Env;

enum { PORT_UP, PORT_FREE, PORT_READ, PORT_KINDS };  // port A
enum { PORT_B_BUDDY, PORT_B_LATE, PORT_B_SRC, PORT_B_DST, PORT_B_KINDS };
enum {
    HELD_SRC,
    HELD_FREE_UP,
    HELD_FREE_FULL,
    HELD_DST,
    HELD_LATE,
    HELD_ONE_WRITER,
    HELD_UP_UP = HELD_ONE_WRITER,
    HELD_BD,
    HELDS
};
enum {
    HAZARD_WITH_UP,
    HAZARD_AFTER_UP,
    HAZARD_AFTER_FREE,
    HAZARD_WITH_FREE,
    HAZARD_DST_FREED,
    HAZARD_BD_FREED,
    HAZARD_FREE_UNMAPPED,
    HAZARD_WALK_UP,
    HAZARD_WALK_FREE,
    HAZARD_EXIT_BUSY,
    HAZARD_ONE_SOURCE,
    HAZARD_TWICE = HAZARD_ONE_SOURCE,
    HAZARDS
};
enum { TABLE_REGISTER, TABLE_WARP, TABLE_WARP_REFUSED, TABLE_WARP_WALK, TABLE_CHANGED, TABLES };
enum { EDGE_WARP, EDGE_REG, EDGE_ENTRY, EDGE_BANK, EDGES };
enum { RESET_IDLE, RESET_ANSWER, RESET_WALK, RESET_FREED, RESETS };

static int rt_lanes(const int *params) {
    return params[P_Banks] < RT_MAX_FREED ? params[P_Banks] : RT_MAX_FREED;
}

// Bins of one kind are adjacent, in the order of the banks.
static void bank_bins(Bins *at, int banks, BinList *l) {
    static const char *const ports[PORT_KINDS] = {"update", "free", "lookup"};
    static const char *const ports_b[PORT_B_KINDS] = {"buddy", "late-destination", "source",
                                                      "destination"};
    char prefix[16];
    at->conflict = l->n;
    for (int b = 0; b < banks; b++) {
        snprintf(prefix, sizeof prefix, "bank%d.", b);
        bin_times(l, "sources of a bank", prefix, at->depth, DEEP);
    }
    at->port = l->n;
    for (int i = 0; i < banks * PORT_KINDS; i++)
        bin_add(l, "port A", "bank%d.%s", i / PORT_KINDS, ports[i % PORT_KINDS]);
    at->port_b = l->n;
    for (int i = 0; i < banks * PORT_B_KINDS; i++)
        bin_add(l, "port B", "bank%d.%s", i / PORT_B_KINDS, ports_b[i % PORT_B_KINDS]);
}

static void bins_layout(Bins *at, const int *params, BinList *l) {
    static const char *const helds[HELDS] = {"source",      "free-by-update",   "free-by-freed",
                                             "destination", "late-destination", "update",
                                             "buddy"};
    static const char *const hazards[HAZARDS] = {
        "lookup-with-update",    "lookup-after-update", "lookup-after-free", "lookup-with-free",
        "destination-with-free", "buddy-with-free",     "free-unmapped",     "update-in-walk",
        "free-in-walk",          "exit-in-walk",        "register-twice"};
    static const char *const tables[TABLES] = {"by-register", "by-warp", "by-warp.refused",
                                               "by-warp.walk", "changed"};
    static const char *const edges[EDGES] = {"last-warp", "last-register", "last-entry",
                                             "last-bank"};
    static const char *const resets[RESETS] = {"idle", "answer-due", "walking", "freed-held"};
    const int ports = params[P_NumAlloc], writers = params[P_NumWr],
              sources = ports * params[P_NumOps];
    at->depth = sources < DEEP ? sources : DEEP;
    bank_bins(at, params[P_Banks], l);
    at->held = bin_words(l, "held up", helds, writers > 1 ? HELDS : HELD_ONE_WRITER);
    at->src_first = bin_numbers(l, "first source", "port", 0, ports > 1 ? ports : 0);
    at->dst_first = bin_numbers(l, "first destination", "port", 0, ports > 1 ? ports : 0);
    at->bd_first = bin_numbers(l, "first buddy", "writer", 0, writers > 1 ? writers : 0);
    at->up_first = bin_numbers(l, "first update", "writer", 0, writers > 1 ? writers : 0);
    at->mask = bin_masks_from(l, "mask written", "", 1);
    at->answer = bin_masks_from(l, "mask found", "", 1);
    at->unmapped = bin_add(l, "mask found", "unmapped");
    at->hazard =
        bin_words(l, "hazard", hazards, params[P_NumOps] > 1 ? HAZARDS : HAZARD_ONE_SOURCE);
    at->walk = l->n;
    for (int i = 0; i <= WALKED; i++) bin_add(l, "walk frees", "x%d%s", i, i == WALKED ? "+" : "");
    at->at_once = bin_times(l, "walk frees at once", "", rt_lanes(params), 0);
    at->edge = bin_words(l, "edge", edges, EDGES);
    at->table = bin_words(l, "table bank", tables, TABLES);
    at->reset = bin_words(l, "reset", resets, RESETS);
}

static int rt_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Bins at;
    bins_layout(&at, params, &l);
    return l.n;
}

static void rt_forget(void *self) {
    Env *e = self;
    e->reset_met = (uint32_t)(e->last_src != 0) << RESET_ANSWER |
        (uint32_t)e->walking << RESET_WALK | (uint32_t)(e->holding != 0) << RESET_FREED;
    if (!e->reset_met) e->reset_met = 1u << RESET_IDLE;
    e->src_first = e->dst_first = e->bd_first = e->up_first = 0;
    e->last_src = 0;
    e->walking = false;
    e->holding = 0;
    memset(e->mapped, 0, sizeof e->mapped);
    for (int w = 0; w < RT_MAX_WR; w++) e->updated[w].reg = (uint32_t)e->regs;
    e->freed.reg = (uint32_t)e->regs;
}

static void *rt_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[P_Warps], e->regs = params[P_Regs];
    e->banks = params[P_Banks], e->entries = params[P_Entries];
    e->lanes = rt_lanes(params);
    e->num_alloc = params[P_NumAlloc], e->num_ops = params[P_NumOps], e->num_wr = params[P_NumWr];
    bins_layout(&e->at, params, &(BinList){0});
    rt_forget(e);
    e->reset_met = 0;
    return e;
}

static void rt_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

// Below n and below 2^span; now and then the last one, or any value of the port.
static uint32_t draw_number(uint32_t random, int n, int span) {
    if ((random & 31) == 0) return (uint32_t)n - 1;
    if ((random & 31) == 1) return random >> 5 & ((1u << block_bits(n)) - 1);
    const uint32_t most = 1u << span < (uint32_t)n ? 1u << span : (uint32_t)n;
    return (uint32_t)((uint64_t)(random >> 5) * most >> 27);
}

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    return draw_number(stim_random(r), e->warps, knobs[KNOB_WARPS]);
}

// A register; with the weight of `hot` one that lives in the hot table bank (when registers tell
// banks apart).
static uint32_t draw_reg(const Env *e, StimRandom *r, const int *knobs, uint32_t warp) {
    const uint32_t random = stim_random(r), banks = (uint32_t)e->banks;
    uint32_t reg = draw_number(random * 0x9e3779b1u, e->regs, knobs[KNOB_REGS]);
    if ((random & 127) * 100 >= (uint32_t)knobs[KNOB_HOT] * 128 || e->table) return reg;
    reg = reg - (reg + warp) % banks + e->hot;  // may wrap below 0
    if (reg >= (uint32_t)e->regs) reg += (int32_t)reg < 0 ? banks : -banks;
    return reg & ((1u << block_bits(e->regs)) - 1);
}

static void draw_lookups(Env *e, StimRandom *r, const int *knobs, RenameTableIn *in) {
    in->src_valid[0] = stim_bits(r, knobs[KNOB_SRC]) & ((1u << e->num_alloc * e->num_ops) - 1);
    in->dst_valid[0] = stim_bits(r, knobs[KNOB_DST]) & ((1u << e->num_alloc) - 1);
    in->dst_late[0] = stim_random(r) & ((1u << e->num_alloc) - 1);
    in->bd_valid[0] = stim_bits(r, knobs[KNOB_BD]) & ((1u << e->num_wr) - 1);
    for (int a = 0; a < e->num_alloc; a++) {
        in->src_warp[a] = draw_warp(e, r, knobs);
        for (int l = a * e->num_ops; l < (a + 1) * e->num_ops; l++)
            in->src_reg[l] = draw_reg(e, r, knobs, in->src_warp[a]);
        in->dst_warp[a] = stim_below(r, 4) ? draw_warp(e, r, knobs) : in->fr_warp[0];
        in->dst_reg[a] = stim_below(r, 4) ? draw_reg(e, r, knobs, in->dst_warp[a]) : in->fr_reg[0];
    }
    for (int w = 0; w < e->num_wr; w++) {
        in->bd_warp[w] = stim_below(r, 4) ? draw_warp(e, r, knobs) : in->fr_warp[0];
        in->bd_reg[w] = stim_below(r, 4) ? draw_reg(e, r, knobs, in->bd_warp[w]) : in->fr_reg[0];
    }
}

static void draw_updates(Env *e, StimRandom *r, const int *knobs, RenameTableIn *in) {
    in->up_valid[0] = stim_bits(r, knobs[KNOB_UP]) & ((1u << e->num_wr) - 1);
    for (int w = 0; w < e->num_wr; w++) {
        in->up_warp[w] = draw_warp(e, r, knobs);
        in->up_reg[w] = draw_reg(e, r, knobs, in->up_warp[w]);
        const uint32_t random = stim_random(r);
        in->up_mask[w] = random & 15;
        in->up_bank[w] = (random >> 4 & 0xff) * (uint32_t)e->banks >> 8;
        in->up_entry[w] = draw_number(random * 0x85ebca6bu, e->entries, 10) &
            ((1u << block_bits(e->entries)) - 1);
        if (in->up_entry[w] >= (uint32_t)e->entries) in->up_entry[w] = 0;
    }
}

// A warp that probably has registers; -1: none.
static int mapped_warp(const Env *e) {
    for (int w = 0; w < e->warps; w++)
        if (e->mapped[w]) return w;
    return -1;
}

// Before the banks can be assigned the other way, all warps end and nothing is mapped.
static void drain(Env *e, RenameTableIn *in) {
    const int warp = mapped_warp(e);
    in->cfg_table[0] = e->want;
    if (warp < 0 || e->want == e->table) return;
    in->up_valid[0] = 0;
    in->ex_valid[0] = 1, in->ex_warp[0] = (uint32_t)warp;
    in->freed_ready[0] = UINT32_MAX >> (32 - e->lanes);
}

static void rt_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    RenameTableIn *in = inputs;
    if (stim_below(r, 64) == 0) e->hot = stim_below(r, (uint32_t)e->banks);
    if (stim_below(r, 1024) == 0) e->want ^= 1;
    in->fr_valid[0] = stim_percent(r, knobs[KNOB_FREE]);
    in->fr_warp[0] = draw_warp(e, r, knobs);
    in->fr_reg[0] = draw_reg(e, r, knobs, in->fr_warp[0]);
    draw_lookups(e, r, knobs, in);
    draw_updates(e, r, knobs, in);
    in->ex_valid[0] = stim_percent(r, knobs[KNOB_EXIT]);
    in->ex_warp[0] = draw_warp(e, r, knobs);
    const uint32_t lanes = (1u << e->lanes) - 1;
    in->freed_ready[0] = stim_percent(r, knobs[KNOB_TAKE]) ? lanes
        : stim_percent(r, knobs[KNOB_TAKE])                ? stim_random(r) & lanes
                                                           : 0;
    if (e->walking && stim_below(r, 4) == 0)  // lookups leave the walk all its ports
        in->src_valid[0] = in->dst_valid[0] = in->bd_valid[0] = in->up_valid[0] = in->fr_valid[0] =
            0;
    drain(e, in);
}

static void rt_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    RenameTableIn *in = inputs;
    (void)outputs;
    const uint32_t warps = (uint32_t)e->warps, regs = (uint32_t)e->regs;
    for (int l = 0; l < e->num_alloc * e->num_ops; l++)
        if (in->src_warp[l / e->num_ops] >= warps || in->src_reg[l] >= regs)
            in->src_valid[0] &= ~(1u << l);
    for (int a = 0; a < e->num_alloc; a++)
        if (in->dst_warp[a] >= warps || in->dst_reg[a] >= regs) in->dst_valid[0] &= ~(1u << a);
    for (int w = 0; w < e->num_wr; w++) {
        if (in->bd_warp[w] >= warps || in->bd_reg[w] >= regs) in->bd_valid[0] &= ~(1u << w);
        if (in->up_warp[w] >= warps || in->up_reg[w] >= regs || !in->up_mask[w])
            in->up_valid[0] &= ~(1u << w);
    }
    if (e->walking || mapped_warp(e) >= 0) in->cfg_table[0] = e->table;
    if (in->fr_warp[0] >= warps || in->fr_reg[0] >= regs) in->fr_valid[0] = 0;
    if (in->ex_warp[0] >= warps) in->ex_valid[0] = 0;
}

// ---- coverage -----------------------------------------------------------------------------------

static int home(const Env *e, uint32_t warp, uint32_t reg) {
    return (int)((e->table ? warp : warp + reg) % (uint32_t)e->banks);
}

static int next_first(int first, uint32_t refused, int n) {
    for (int i = 0; i < n; i++)
        if (refused >> (first + i) % n & 1) return (first + i) % n;
    return first;
}

// Requests by table bank: updates and a free, lookups served and sources requested.
typedef struct Banks {
    uint8_t sources[RT_MAX_BANKS], up[RT_MAX_BANKS], fr[RT_MAX_BANKS], reads[RT_MAX_BANKS];
} Banks;

static void see_updates(Env *e, const RenameTableIn *in, const RenameTableOut *out, Banks *banks,
                        uint64_t *hits) {
    for (int w = 0; w < e->num_wr; w++) {
        if (!(in->up_valid[0] >> w & 1)) continue;
        banks->up[home(e, in->up_warp[w], in->up_reg[w])] = 1;
        if (!(out->up_ready[0] >> w & 1)) {
            hits[e->at.held + HELD_UP_UP]++;
            continue;
        }
        hits[e->at.mask + (int)in->up_mask[w] - 1]++;
        hits[e->at.edge + EDGE_WARP] += in->up_warp[w] == (uint32_t)e->warps - 1;
        hits[e->at.edge + EDGE_REG] += in->up_reg[w] == (uint32_t)e->regs - 1;
        hits[e->at.edge + EDGE_ENTRY] += in->up_entry[w] == (uint32_t)e->entries - 1;
        hits[e->at.edge + EDGE_BANK] += in->up_bank[w] == (uint32_t)e->banks - 1;
        hits[e->at.hazard + HAZARD_WALK_UP] += e->walking && in->up_warp[w] == e->walk_warp;
    }
}

static bool is_freed(const RenameTableIn *in, const RenameTableOut *out, uint32_t warp,
                     uint32_t reg) {
    return in->fr_valid[0] && out->fr_ready[0] && in->fr_warp[0] == warp && in->fr_reg[0] == reg;
}

// A served lookup of a bank: the first takes port B, the second port A.
static void see_read(const Env *e, Banks *banks, int b, int kind, uint64_t *hits) {
    if (banks->reads[b]++ == 0) hits[e->at.port_b + b * PORT_B_KINDS + kind]++;
}

static void see_buddies(Env *e, const RenameTableIn *in, const RenameTableOut *out, Banks *banks,
                        uint64_t *hits) {
    for (uint32_t left = in->bd_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (out->bd_ready[0] >> w & 1) {
            see_read(e, banks, home(e, in->bd_warp[w], in->bd_reg[w]), PORT_B_BUDDY, hits);
            hits[e->at.hazard + HAZARD_BD_FREED] +=
                is_freed(in, out, in->bd_warp[w], in->bd_reg[w]);
        } else if (e->num_wr > 1) {
            hits[e->at.held + HELD_BD]++;
        }
    }
}

static void see_destinations(Env *e, const RenameTableIn *in, const RenameTableOut *out,
                             uint32_t late, Banks *banks, uint64_t *hits) {
    for (uint32_t left = in->dst_valid[0] & (in->dst_late[0] ^ (late - 1)); left;
         left &= left - 1) {
        const int a = __builtin_ctz(left);
        if (out->dst_ready[0] >> a & 1) {
            see_read(e, banks, home(e, in->dst_warp[a], in->dst_reg[a]),
                     late ? PORT_B_LATE : PORT_B_DST, hits);
            hits[e->at.hazard + HAZARD_DST_FREED] +=
                is_freed(in, out, in->dst_warp[a], in->dst_reg[a]);
        } else {
            hits[e->at.held + (late ? HELD_LATE : HELD_DST)]++;
        }
    }
}

static void see_walk(Env *e, const RenameTableIn *in, const RenameTableOut *out, uint64_t *hits) {
    // new in this cycle: by the walk, or by a free
    uint32_t walked = out->freed_valid[0] & ~e->holding;
    if (e->freed.reg < (uint32_t)e->regs) {
        const uint32_t lane = 1u << home(e, e->freed.warp, e->freed.reg) % e->lanes;
        hits[e->at.hazard + HAZARD_FREE_UNMAPPED] += !(walked & lane);
        walked &= ~lane;
    }
    const int at_once = __builtin_popcount(walked);
    if (at_once) hits[e->at.at_once + at_once - 1]++;
    e->walked += at_once;
    if (e->walking && out->ex_ready[0]) {
        hits[e->at.walk + (e->walked < WALKED ? e->walked : WALKED)]++;
        hits[e->at.table + TABLE_WARP_WALK] += e->table && e->walked > 1;
        e->mapped[e->walk_warp] = e->renewed;
    }
    hits[e->at.hazard + HAZARD_EXIT_BUSY] += in->ex_valid[0] && !out->ex_ready[0];
    if (out->ex_ready[0]) {
        e->walking = in->ex_valid[0];
        e->walk_warp = in->ex_warp[0];
        e->walked = 0;
        e->renewed = 0;
    }
    e->holding = out->freed_valid[0] & ~in->freed_ready[0];
}

static void see_free(Env *e, const RenameTableIn *in, const RenameTableOut *out, Banks *banks,
                     uint64_t *hits) {
    if (in->fr_valid[0]) {
        const int b = home(e, in->fr_warp[0], in->fr_reg[0]);
        banks->fr[b] = (uint8_t)out->fr_ready[0];
        if (!out->fr_ready[0]) {
            const bool full = out->freed_valid[0] & ~in->freed_ready[0] & 1u << b % e->lanes;
            hits[e->at.held + (full ? HELD_FREE_FULL : HELD_FREE_UP)]++;
        }
        hits[e->at.hazard + HAZARD_WALK_FREE] += out->fr_ready[0] && e->walking;
    }
    see_walk(e, in, out, hits);
}

// Registers that may be mapped after this cycle.
static void follow(Env *e, const RenameTableIn *in, const RenameTableOut *out) {
    if (out->fr_ready[0]) e->mapped[in->fr_warp[0]] &= ~(1ull << in->fr_reg[0]);
    for (uint32_t left = out->up_ready[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        e->mapped[in->up_warp[w]] |= 1ull << in->up_reg[w];
        if (e->walking && in->up_warp[w] == e->walk_warp) e->renewed |= 1ull << in->up_reg[w];
    }
}

static void see_source(const Env *e, const RenameTableIn *in, int l, uint64_t *hits) {
    const uint32_t warp = in->src_warp[l / e->num_ops], reg = in->src_reg[l];
    for (int w = 0; w < e->num_wr; w++) {
        hits[e->at.hazard + HAZARD_WITH_UP] +=
            in->up_valid[0] >> w & 1 && in->up_warp[w] == warp && in->up_reg[w] == reg;
        hits[e->at.hazard + HAZARD_AFTER_UP] +=
            e->updated[w].warp == warp && e->updated[w].reg == reg;
    }
    hits[e->at.hazard + HAZARD_AFTER_FREE] += e->freed.warp == warp && e->freed.reg == reg;
    hits[e->at.hazard + HAZARD_WITH_FREE] +=
        in->fr_valid[0] && in->fr_warp[0] == warp && in->fr_reg[0] == reg;
    for (int o = l + 1; o % e->num_ops; o++)
        hits[e->at.hazard + HAZARD_TWICE] += in->src_valid[0] >> o & 1 && in->src_reg[o] == reg;
}

static uint32_t see_sources(Env *e, const RenameTableIn *in, const RenameTableOut *out,
                            Banks *banks, uint64_t *hits) {
    uint32_t refused = 0;
    for (uint32_t left = in->src_valid[0]; left; left &= left - 1) {
        const int l = __builtin_ctz(left),
                  b = home(e, in->src_warp[l / e->num_ops], in->src_reg[l]);
        banks->sources[b]++;
        if (out->src_ready[0] >> l & 1) {
            see_source(e, in, l, hits);
            see_read(e, banks, b, PORT_B_SRC, hits);
            continue;
        }
        refused |= 1u << l / e->num_ops;
        hits[e->at.held + HELD_SRC]++;
        hits[e->at.table + TABLE_WARP_REFUSED] += e->table;
    }
    for (int b = 0; b < e->banks; b++) {
        const int n = banks->sources[b];
        if (n) hits[e->at.conflict + b * e->at.depth + (n < DEEP ? n : DEEP) - 1]++;
        const int read = banks->reads[b] > 1 ? PORT_READ : PORT_KINDS;
        const int what = banks->up[b] ? PORT_UP : banks->fr[b] ? PORT_FREE : read;
        if (what < PORT_KINDS) hits[e->at.port + b * PORT_KINDS + what]++;
    }
    return refused;
}

static void see_answers(const Env *e, const RenameTableOut *out, uint64_t *hits) {
    for (uint32_t left = out->src_answer[0]; left; left &= left - 1) {
        const uint32_t mask = out->src_mask[__builtin_ctz(left)];
        hits[mask ? e->at.answer + (int)mask - 1 : e->at.unmapped]++;
    }
    for (uint32_t left = e->reset_met; left; left &= left - 1)
        hits[e->at.reset + __builtin_ctz(left)]++;
}

static void rt_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const RenameTableIn *in = inputs;
    const RenameTableOut *out = outputs;
    Banks banks = {0};
    see_answers(e, out, hits);
    e->reset_met = 0;
    hits[e->at.table + TABLE_CHANGED] += in->cfg_table[0] != e->table;
    e->table = in->cfg_table[0];
    if (in->src_valid[0]) hits[e->at.table + (e->table ? TABLE_WARP : TABLE_REGISTER)]++;
    see_updates(e, in, out, &banks, hits);
    see_buddies(e, in, out, &banks, hits);
    see_destinations(e, in, out, 1, &banks, hits);
    see_free(e, in, out, &banks, hits);
    follow(e, in, out);
    const uint32_t refused = see_sources(e, in, out, &banks, hits);
    see_destinations(e, in, out, 0, &banks, hits);
    if (e->num_alloc > 1) {
        hits[e->at.src_first + e->src_first]++;
        hits[e->at.dst_first + e->dst_first]++;
        e->src_first = next_first(e->src_first, refused, e->num_alloc);
        e->dst_first =
            next_first(e->dst_first, in->dst_valid[0] & ~out->dst_ready[0], e->num_alloc);
    }
    if (e->num_wr > 1) {
        hits[e->at.bd_first + e->bd_first]++;
        hits[e->at.up_first + e->up_first]++;
        e->bd_first = next_first(e->bd_first, in->bd_valid[0] & ~out->bd_ready[0], e->num_wr);
        e->up_first = next_first(e->up_first, in->up_valid[0] & ~out->up_ready[0], e->num_wr);
    }
    e->last_src = out->src_ready[0];
    for (int w = 0; w < e->num_wr; w++)
        e->updated[w] = out->up_ready[0] >> w & 1 ? (Place){in->up_warp[w], in->up_reg[w]}
                                                  : (Place){0, (uint32_t)e->regs};
    e->freed =
        out->fr_ready[0] ? (Place){in->fr_warp[0], in->fr_reg[0]} : (Place){0, (uint32_t)e->regs};
}

static const StimShape SHAPES[] = {
    {"Warps=5 Banks=3 NumAlloc=3 NumWr=3", "odd banks and warps, three ports"},
    {0},
};

const BlockStim rename_table_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .needs_out = false,
                                     .bins = rt_bins,
                                     .open = rt_open,
                                     .close = rt_close,
                                     .reset = rt_forget,
                                     .randomize = rt_randomize,
                                     .constrain = rt_constrain,
                                     .observe = rt_observe};
