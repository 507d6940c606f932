// SPDX-License-Identifier: Apache-2.0
// Stimuli of rf_datapath: an SM without a program. Instructions read registers in pairs and triples
// and name up to four destinations. Their results have all widths and some or all lanes. A result
// follows after its destination was shown, or never. Registers are freed, warps end. A scoreboard
// drops stimuli that the contract forbids. Policies, modes and hints change at any time. The
// assignment of the table's banks changes when nothing is mapped.
#include "models/rename/alloc_unit.h"
#include "models/collect/coalescer.h"
#include "models/rf/rf_datapath.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum {
    KNOB_ISSUE,
    KNOB_DST,
    KNOB_WRITE,
    KNOB_FREE,
    KNOB_EXIT,
    KNOB_HINT,
    KNOB_TAKE,
    KNOB_WARPS,
    KNOB_REGS,
    KNOB_PART,
    KNOB_NARROW,
    KNOB_TWICE,
    KNOB_POLICY,
    KNOB_MODE,
    KNOB_PACK,
    KNOB_FILL,
    KNOB_CONFIG,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"issue", 10, 100, "percent of allocation ports with an instruction"},
    {"dst", 30, 100, "percent of instructions that name destinations"},
    {"write", 10, 100, "percent of writers with a result"},
    {"free", -60, 60, "percent of cycles with a free"},
    {"exit", -20, 80, "exits in 400 cycles"},
    {"hint", 0, 40, "percent of cycles with a hint"},
    {"take", 10, 100, "percent of units that are ready"},
    {"warps", 0, 6, "log2 of the warps in use"},
    {"regs", 1, 6, "log2 of the registers in use"},
    {"part", 0, 60, "percent of results of some lanes"},
    {"narrow", 0, 100, "percent of results narrower than four bytes"},
    {"twice", 0, 30, "percent of operands that repeat another one"},
    {"policy", 0, 3, "allocation policy"},
    {"mode", 0, 3, "coalescing mode"},
    {"pack", 0, 9, "0: values take four bytes"},
    {"fill", -1, 1, "1: register after register is written, none is freed"},
    {"config", 0, 11,
     "bit 0: growth moves, 1: lowest bank first, 2: smaller values hold; 8 on: as it comes"},
};

enum { COUNT_LAG = 4 };  // cycles after which used_slices includes a write
enum { REGS = 64, WARPS = 64, COLLS = 32, FULL_SLICES = 4, RECENT = 16, SHOWN = 32 };

typedef struct Bins {
    int kind, how, size, width, pair, coalesce, operands, table, partial, lanes, merge, banks,
        bank_read, bank_write, latency, stall, freed, hazard, busy, unit, hint, file, dsts, entry,
        port, vain, assigned, config, reset;
    int hows, tables, latencies;  // how many there are in this shape
    bool fills;
} Bins;

// An instruction in an entry register or a collector.
typedef struct Slot {
    bool busy;
    uint8_t warp, n, reg[DP_MAX_OPS], ndst, nshown, dst[DP_MAX_DST];
} Slot;
typedef struct Pending {
    uint8_t warp, reg;
    bool part, pair;
    uint32_t age;
} Pending;
// The answer shown for a destination.
typedef struct Dest {
    uint16_t entry;
    uint8_t mask, bank, buddy, align;
    bool pair;
} Dest;

typedef struct Env {
    int warps, regs, banks, entries, num_coll, num_ops, num_alloc, num_disp, num_wr, kernels;
    Bins at;
    // scoreboard
    // registers with an outstanding write: looked up, shown or in flight
    uint64_t writing[WARPS];
    uint64_t shown[WARPS];    // .. whose places were shown and no result was taken
    uint64_t reading[WARPS];  // .. with an outstanding read
    uint8_t reads[WARPS][REGS];
    // instructions, destinations looked up and writes of the warp
    uint16_t outstanding[WARPS];
    // late: moved instructions with destinations not shown
    Slot entry[DP_MAX_ALLOC], late[DP_MAX_ALLOC], slot[COLLS];
    Dest dest[WARPS][REGS];
    // destinations shown, a ring; the oldest of too many is dropped
    struct {
        uint8_t warp, reg;
    } list[SHOWN];
    uint32_t nlist;
    Pending fifo[DP_MAX_WR][2];
    int nfifo[DP_MAX_WR];
    int walk;          // warp whose registers are freed, -1
    uint64_t touched;  // warps that have written since they ended last
    // inputs of the last cycle
    uint32_t policy, mode, table, want;  // want: table's next value, once nothing is mapped
    uint32_t grow, order, shrink;
    int idle;  // cycles without a write in flight, up to COUNT_LAG
    // configuration in effect in this cycle; `policy`, `mode`: in the previous one
    uint32_t now_policy, now_mode;
    // writers whose youngest result has some lanes only; .. looks its buddy up
    uint32_t wr_refused, part, paired;
    uint32_t moved;  // entries whose instruction moved
    uint8_t done_warp, done_reg, freed_warp, freed_reg;
    bool done_any, freed_any;
    // bit i: a register was freed i + 1 cycles ago, without a walk
    uint32_t frees;
    uint32_t colls_busy;
    uint8_t recent_warp[RECENT], recent_reg[RECENT];  // written lately
    int nrecent;
    uint32_t next_warp, next_reg;  // to be written next while the file is filled
    uint32_t filling;              // cycles left of filling that outlasts its episode
    bool full;                     // no row of the file is free
    bool offered;
    uint32_t reset_met;
} Env;

enum { PARTIAL_FIRST, PARTIAL_KEEP, PARTIAL_GROW, PARTIALS };
enum { MERGE_ONE, MERGE_READS_WAIT, MERGES };
enum {
    COALESCE_SAME,
    COALESCE_DISJOINT,
    COALESCE_MISSED,
    COALESCE_OFF,
    COALESCE_MERGED,
    COALESCES
};
enum { OPERANDS_NONE, OPERANDS_UNMAPPED, OPERANDS_ONE, OPERANDS_TWO, OPERANDS_THREE, OPERANDS };
enum { TABLE_ONE, TABLE_TWO, TABLE_MORE, TABLE_DST, TABLE_BUDDY, TABLES };
enum { ENTRY_WAIT, ENTRY_FREED, ENTRY_SOURCE, ENTRY_RESULT, ENTRY_LATE, ENTRY_BEHIND, ENTRIES };
enum { PORT_OVERTAKEN, PORT_BLOCKED, PORTS };
enum {
    CONFIG_INPLACE,
    CONFIG_MOVE,
    CONFIG_ROTATE,
    CONFIG_LOWEST,
    CONFIG_FREE,
    CONFIG_HOLD,
    CONFIGS
};
enum { BY_REGISTER, BY_WARP, BY_WARP_REFUSED, ASSIGNED_CHANGED, ASSIGNED };
enum { BANKS_READ_ONE, BANKS_READ_MORE, BANKS_WRITE, BANKS };
enum { LATENCY_1, LATENCY_2, LATENCY_3, LATENCY_4, LATENCY_LONG, LATENCIES };
enum { STALL_ACCEPT, STALL_NONE, STALLS };
enum { FREED_MAPPED, FREED_UNMAPPED, FREED_HELD, FREED_EXIT, FREED_EXIT_BUSY, FREEDS };
// The last two: of shapes with two writers; one is seldom done with just the register that is
// freed.
enum {
    HAZARD_READ_DONE,
    HAZARD_WRITE_DONE,
    HAZARD_READ_FREED,
    HAZARD_WRITE_FREED,
    HAZARD_FREE_DONE,
    HAZARD_DONE_TWO,
    HAZARDS
};
enum { BUSY_NONE, BUSY_ALL, BUSYS };
enum { HINT_CLEAR, HINT_PAIR, HINT_LEFT, HINT_RIGHT, HINT_ANY, HINTS };
enum { FILE_EMPTY, FILE_PACKED, FILE_HALF, FILE_FULL, FILES };
enum {
    RESET_IDLE,
    RESET_COLLECTING,
    RESET_WRITING,
    RESET_WALKING,
    RESET_OFFERED,
    RESET_LOOKING,
    RESETS
};
enum {
    WIDTHS = 5,
    HOWS = 8 /* those of a policy that can be */,
    HOWS_ROOMY = 7 /* .. in a file that is never full */
};

// Possible pairs of policy and al_how; those of a full file last.
static const struct {
    uint8_t policy, how;
    const char *name;
} HOW[HOWS] = {{AU_FIRST_FIT, AU_IN_PLACE, "in-place"}, {AU_FIRST_FIT, AU_POLICY, "first-fit"},
               {AU_PAIR, AU_POLICY, "pair-first"},      {AU_PAIR, AU_BUDDY, "with-buddy"},
               {AU_PAIR, AU_FALLBACK, "pair-fallback"}, {AU_ALIGN, AU_POLICY, "aligned"},
               {AU_FIRST_FIT, AU_OWN, "own-register"},  {AU_ALIGN, AU_FALLBACK, "align-fallback"}};
static const uint8_t PAIRS[6][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {3, 1}};

// Whether random writes can fill the file in this shape.
static bool can_fill(const int *params) {
    return params[0] * params[1] > params[2] * params[3] * 2;
}

// Results: their places and their data.
static void write_bins(Bins *at, const int *params, BinList *l) {
    static const char *const policies[] = {"first-fit", "pair", "align"};
    static const char *const kinds[] = {"keep", "shrink", "first", "grow"};
    at->kind = l->n;
    for (int i = 0; i < 12; i++) bin_add(l, "place", "%s.%s", policies[i / 4], kinds[i % 4]);
    at->how = l->n, at->hows = can_fill(params) ? HOWS : HOWS_ROOMY;
    for (int i = 0; i < at->hows; i++) bin_add(l, "place by", "%s", HOW[i].name);
    at->size = l->n;
    for (int i = 0; i < 4 * params[8]; i++)
        bin_add(l, "bytes written", "writer%d.%d", i / 4, 1 + i % 4);
}

// Operands, and conflicts.
static void read_bins(Bins *at, const int *params, BinList *l) {
    static const char *const coalesces[COALESCES] = {"same-entry", "disjoint", "missed", "off",
                                                     "register-twice"};
    static const char *const operands[OPERANDS] = {"none", "all-unmapped", "one", "two", "three"};
    static const char *const tables[TABLES] = {"x1", "x2", "x3+", "destination", "buddy"};
    static const char *const partials[PARTIALS] = {"first", "keep", "grow"};
    static const char *const merges[MERGES] = {"read", "reads-wait"};
    static const char *const conflicts[BANKS] = {"read-x1", "read-x2+", "write"};
    static const char *const latencies[LATENCIES] = {"1", "2", "3", "4", "5+"};
    const int banks = params[2], ops = params[5], alloc = params[6], wr = params[8];
    at->width = bin_numbers(l, "bytes read", "", 0, WIDTHS);
    at->pair = l->n;
    for (int i = 0; i < 6; i++) bin_add(l, "read together", "%d+%d", PAIRS[i][0], PAIRS[i][1]);
    at->coalesce = bin_words(l, "coalescing", coalesces, COALESCES);
    at->operands = bin_words(l, "operands", operands, OPERANDS_ONE + ops);
    at->tables = alloc * ops <= 3 ? 1 : wr > 1 ? TABLES : TABLE_BUDDY;
    at->table = bin_words(l, "table conflict", tables, at->tables);
    at->partial = bin_words(l, "written in part", partials, PARTIALS);
    at->lanes = bin_lanes(l, "written lanes");
    at->merge = bin_words(l, "merge", merges, MERGES);
    at->banks = bin_words(l, "bank conflict", conflicts, wr > 1 ? BANKS : BANKS_WRITE);
    at->bank_read = bin_numbers(l, "bank read", "", 0, banks);
    at->bank_write = bin_numbers(l, "bank written", "", 0, banks);
    // no port delays a lone writer for long
    at->latencies = wr > 1 || can_fill(params) ? LATENCIES : LATENCY_LONG;
    at->latency = bin_words(l, "cycles to done", latencies, at->latencies);
}

static void entry_bins(Bins *at, const int *params, BinList *l) {
    static const char *const entries[ENTRIES] = {"waits-for-collector", "free-with-destination",
                                                 "reads-and-writes",    "result-while-in-entry",
                                                 "late-destination",    "behind-late"};
    static const char *const ports[PORTS] = {"overtaken", "blocked-alone"};
    const int alloc = params[6], dsts = params[1] < DP_MAX_DST ? params[1] : DP_MAX_DST;
    at->dsts = bin_numbers(l, "destinations", "", 0, dsts + 1);
    at->entry = bin_words(l, "entry", entries, ENTRIES);
    at->port = l->n;
    for (int i = 0; alloc > 1 && i < PORTS * alloc; i++)
        bin_add(l, "entry", "port%d.%s", i / PORTS, ports[i % PORTS]);
    at->vain = bin_add(l, "buddy", "looked-up-in-vain");
}

static void bins_layout(Bins *at, const int *params, BinList *l) {
    static const char *const stalls[STALLS] = {"result", "nothing-free"};
    static const char *const freeds[FREEDS] = {"mapped", "unmapped", "refused", "exit",
                                               "exit-in-walk"};
    static const char *const hazards[HAZARDS] = {"read-with-done",  "destination-with-done",
                                                 "read-after-free", "destination-after-free",
                                                 "free-with-done",  "two-done"};
    static const char *const busys[BUSYS] = {"none", "all"};
    static const char *const hints[HINTS] = {"clear", "pair", "left", "right", "any"};
    static const char *const files[FILES] = {"empty", "packed", "half", "full"};
    static const char *const assigned[ASSIGNED] = {"by-register", "by-warp", "by-warp.refused",
                                                   "changed"};
    static const char *const configs[CONFIGS] = {"grow.inplace", "grow.move",   "order.rotate",
                                                 "order.lowest", "shrink.free", "shrink.hold"};
    static const char *const resets[RESETS] = {"idle",    "collecting", "writing",
                                               "walking", "offered",    "looking-up"};
    const bool fills = at->fills = can_fill(params);
    write_bins(at, params, l);
    read_bins(at, params, l);
    at->stall = bin_words(l, "held up", stalls, fills ? STALLS : STALL_NONE);
    at->freed = bin_words(l, "freed", freeds, FREEDS);
    at->hazard = bin_words(l, "hazard", hazards, params[8] > 1 ? HAZARDS : HAZARD_FREE_DONE);
    at->busy = bin_words(l, "collectors busy", busys, BUSYS);
    at->unit = bin_numbers(l, "dispatch", "unit", 0, params[7]);
    at->hint = bin_words(l, "hint", hints, HINTS);
    at->file = bin_words(l, "file", files, fills ? FILES : FILE_HALF);
    entry_bins(at, params, l);
    at->assigned = bin_words(l, "table bank", assigned, ASSIGNED);
    at->config = bin_words(l, "configuration", configs, CONFIGS);
    at->reset = bin_words(l, "reset", resets, RESETS);
}

static int dp_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Bins at;
    bins_layout(&at, params, &l);
    return l.n;
}

static bool writers_busy(const Env *e) {
    for (int w = 0; w < e->num_wr; w++)
        if (e->nfifo[w]) return true;
    return false;
}

static bool entries_busy(const Env *e) {
    for (int a = 0; a < e->num_alloc; a++)
        if (e->entry[a].busy) return true;
    return false;
}

static void dp_forget(void *self) {
    Env *e = self;
    e->reset_met = (uint32_t)(e->colls_busy != 0) << RESET_COLLECTING |
        (uint32_t)writers_busy(e) << RESET_WRITING | (uint32_t)(e->walk >= 0) << RESET_WALKING |
        (uint32_t)e->offered << RESET_OFFERED | (uint32_t)entries_busy(e) << RESET_LOOKING;
    if (!e->reset_met) e->reset_met = 1u << RESET_IDLE;
    memset(e->writing, 0, sizeof e->writing);
    memset(e->shown, 0, sizeof e->shown);
    memset(e->reading, 0, sizeof e->reading);
    memset(e->reads, 0, sizeof e->reads);
    memset(e->outstanding, 0, sizeof e->outstanding);
    memset(e->entry, 0, sizeof e->entry);
    memset(e->slot, 0, sizeof e->slot);
    memset(e->nfifo, 0, sizeof e->nfifo);
    e->idle = 0;
    e->walk = -1;
    e->touched = 0;
    e->nlist = 0;
    e->now_policy = e->now_mode = 0;
    e->wr_refused = e->part = e->paired = e->moved = e->colls_busy = e->frees = 0;
    e->done_any = e->freed_any = e->offered = false;
}

static void *dp_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[0], e->regs = params[1], e->banks = params[2], e->entries = params[3];
    e->num_coll = params[4], e->num_ops = params[5], e->num_alloc = params[6],
    e->num_disp = params[7];
    e->num_wr = params[8], e->kernels = params[9];
    bins_layout(&e->at, params, &(BinList){0});
    e->walk = -1;
    dp_forget(e);
    e->reset_met = 0;
    return e;
}

static void dp_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

// Below n and below 2^span; now and then the last one, or any value of the port.
static uint32_t draw_number(uint32_t random, int n, int span) {
    if ((random & 31) == 0) return (uint32_t)n - 1;
    if ((random & 63) == 1) return random >> 6 & ((1u << block_bits(n)) - 1);
    const uint32_t most = 1u << span < (uint32_t)n ? 1u << span : (uint32_t)n;
    return (uint32_t)((uint64_t)(random >> 6) * most >> 26);
}

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    return draw_number(stim_random(r), e->warps, knobs[KNOB_WARPS]);
}

static uint32_t draw_reg(const Env *e, StimRandom *r, const int *knobs) {
    return draw_number(stim_random(r), e->regs, knobs[KNOB_REGS]);
}

// A value of `size` bytes in every lane; slices above repeat the sign.
static void draw_value(StimRandom *r, uint32_t row[32], int size) {
    stim_row(r, row);
    for (int s = size; s < 4; s++)
        for (int i = 0; i < 8; i++)
            row[8 * s + i] = (row[8 * (size - 1) + i] >> 7 & 0x01010101u) * 0xffu;
}

// Register after register, warp after warp of one bank (policy 2), then the next bank's.
static void fill_on(Env *e) {
    if (++e->next_reg < (uint32_t)e->regs) return;
    e->next_reg = 0;
    e->next_warp += (uint32_t)e->banks;
    if (e->next_warp < (uint32_t)e->warps) return;
    e->next_warp = (e->next_warp + 1) % (uint32_t)e->banks;
    if (e->next_warp >= (uint32_t)e->warps) e->next_warp = 0;
}

// The destinations of an instruction. While the file is filled: the next registers, or a mapped one
// that grows or shrinks.
static void draw_destinations(Env *e, StimRandom *r, const int *knobs, RfDatapathIn *in, int a) {
    const uint32_t random = stim_random(r), recent = stim_below(r, RECENT);
    uint32_t *dst = in->is_dst_reg + a * DP_MAX_DST;
    if (knobs[KNOB_FILL] > 0 && random >> 31) {
        const uint32_t back = 4 + stim_below(r, 16);
        const bool again = e->next_reg >= back && stim_percent(r, e->full ? 90 : 10);
        in->is_warp[a] = e->next_warp;
        in->is_dst_n[a] = again ? 1 : 1 + (random & 3);
        for (uint32_t i = 0; i < DP_MAX_DST; i++)
            dst[i] = again ? e->next_reg - back : (e->next_reg + i) % (uint32_t)e->regs;
        return;
    }
    const uint32_t few = random >> 8 & 15;
    in->is_dst_n[a] = few < 12 ? 1 : few < 14 ? 2 : few - 11;
    if (knobs[KNOB_FILL] > 0 || !stim_percent(r, knobs[KNOB_DST])) in->is_dst_n[a] = 0;
    if ((random & 255) == 0) in->is_dst_n[a] = random >> 12 & 7;
    for (int i = 0; i < DP_MAX_DST; i++)
        dst[i] = i > 0 && stim_below(r, 2) ? dst[0] + (uint32_t)i
            : stim_below(r, 8) == 0        ? in->is_reg[a * e->num_ops]
            : stim_below(r, 4) == 0        ? e->recent_reg[recent] ^ 1u  // the buddy
            : stim_below(r, 16) == 0       ? in->fr_reg[0]
                                           : draw_reg(e, r, knobs);
    if (stim_below(r, 4) == 0) in->is_warp[a] = e->recent_warp[recent];
    else if (stim_below(r, 16) == 0) in->is_warp[a] = in->fr_warp[0];
}

// The register, or one nearby that no write is outstanding of.
static uint32_t quiet(const Env *e, uint32_t warp, uint32_t reg) {
    for (uint32_t i = 0; i < 4; i++)
        if (warp < WARPS && (reg ^ i) < (uint32_t)e->regs &&
            !(e->writing[warp] & 1ull << (reg ^ i)))
            return reg ^ i;
    return reg;
}

// Registers with outstanding writes are named now and then, and not driven then.
static void avoid_hazards(const Env *e, StimRandom *r, RfDatapathIn *in, int a) {
    if (stim_below(r, 16) == 0) return;
    for (int o = 0; o < e->num_ops; o++) {
        uint32_t *reg = &in->is_reg[a * e->num_ops + o];
        *reg = quiet(e, in->is_warp[a], *reg);
    }
    for (int i = 0; i < DP_MAX_DST; i++) {
        uint32_t *reg = &in->is_dst_reg[a * DP_MAX_DST + i];
        *reg = quiet(e, in->is_warp[a], *reg);
    }
}

static void draw_instruction(Env *e, StimRandom *r, const int *knobs, RfDatapathIn *in, int a) {
    const uint32_t random = stim_random(r);
    in->is_warp[a] = draw_warp(e, r, knobs);
    in->is_unit[a] = draw_number(random << 6 | 2, e->num_disp, 3);
    const uint32_t need = random >> 26 & ((1u << e->num_ops) - 1);
    in->is_need[a] = random >> 29 ? need | 3u >> (2 - (e->num_ops > 1)) : need;
    const uint32_t recent = stim_below(r, RECENT);
    const bool again = stim_below(r, 4) == 0;
    if (again) in->is_warp[a] = e->recent_warp[recent];
    for (int o = 0; o < e->num_ops; o++) {
        const uint32_t reg = in->is_reg[a * e->num_ops];
        in->is_reg[a * e->num_ops + o] = o > 0 && stim_percent(r, knobs[KNOB_TWICE]) ? reg
            : o > 0 && stim_below(r, 3) == 0 ? reg ^ 1u  // its buddy
            : again && o == 0                ? e->recent_reg[recent]
                                             : draw_reg(e, r, knobs);
    }
    draw_destinations(e, r, knobs, in, a);
    avoid_hazards(e, r, in, a);
}

// The result of a destination that was shown; now and then of one that was not.
static void draw_write(Env *e, StimRandom *r, const int *knobs, RfDatapathIn *in, int w) {
    const bool narrow = stim_percent(r, knobs[KNOB_NARROW]);
    const uint32_t held = e->nlist < SHOWN ? e->nlist : SHOWN;
    in->wr_warp[w] = draw_warp(e, r, knobs), in->wr_reg[w] = draw_reg(e, r, knobs);
    if (held && stim_below(r, 32)) {
        const uint32_t i =
            (e->nlist - 1 - (stim_below(r, 2) ? held - 1 : stim_below(r, held))) % SHOWN;
        in->wr_warp[w] = e->list[i].warp, in->wr_reg[w] = e->list[i].reg;
    }
    const Dest *d = &e->dest[in->wr_warp[w] % WARPS][in->wr_reg[w] % REGS];
    const uint32_t random = stim_random(r);
    const bool other = (random & 63) == 0;  // hints are as good as any
    in->wr_pair[0] =
        (in->wr_pair[0] & ~(1u << w)) | (uint32_t)(other ? random >> 6 & 1 : d->pair) << w;
    in->wr_buddy[w] = other || !d->pair ? draw_number(random, e->regs, 6) : d->buddy;
    in->wr_align[w] = other ? random >> 7 & 3 : d->align;
    // two buddies in one bank of the table
    if (w > 0 && (random >> 9 & 7) == 0 && (in->wr_pair[0] >> (w - 1) & 1)) {
        const uint32_t sum =
            in->wr_warp[w - 1] + in->wr_buddy[w - 1] + (uint32_t)e->banks * WARPS - in->wr_warp[w];
        const uint32_t buddy = sum % (uint32_t)e->banks + (uint32_t)e->banks * (random >> 12 & 7);
        if (buddy < (uint32_t)e->regs) in->wr_pair[0] |= 1u << w, in->wr_buddy[w] = buddy;
    }
    in->wr_old_mask[w] = d->mask;
    in->wr_old_bank[w] = d->mask ? d->bank : random >> 16 & ((1u << block_bits(e->banks)) - 1);
    in->wr_old_entry[w] = d->mask ? d->entry : random >> 8 & ((1u << block_bits(e->entries)) - 1);
    in->wr_lane[w] = stim_percent(r, knobs[KNOB_PART]) ? stim_lanes(r) : UINT32_MAX;
    // values that leave little room in their rows fill the file soonest
    draw_value(r, in->wr_data[w],
               !narrow                      ? 4
                   : e->filling && !e->full ? 3
                                            : 1 + (int)stim_below(r, 3));
}

static void draw_hint(const Env *e, StimRandom *r, const int *knobs, RfDatapathIn *in) {
    const uint32_t random = stim_random(r);
    const int percent = knobs[KNOB_FILL] > 0 ? 60 : knobs[KNOB_HINT];
    in->hl_valid[0] = (random & 127) * 100 < (uint32_t)percent * 128;
    in->hl_op[0] =
        (random >> 7 & 31) == 0 ? AU_HINT_CLEAR : 1 + (random >> 7 & 1) + (random >> 8 & 63) / 63;
    in->hl_kernel[0] =
        random >> 14 & 1 ? in->cfg_kernel[0] : draw_number(random >> 8, e->kernels, 3);
    in->hl_reg[0] = random >> 30 > 1 ? draw_reg(e, r, knobs) : e->recent_reg[stim_below(r, RECENT)];
    // neighbors are buddies, so that each register of a pair names the other
    in->hl_value[0] = in->hl_op[0] == AU_HINT_PAIR ? in->hl_reg[0] ^ 1 : random >> 20 & 63;
    // even kernels want one side, so that it runs out before the other does
    if (in->hl_op[0] == AU_HINT_ALIGN && !(in->hl_kernel[0] & 1) && random >> 26 & 3)
        in->hl_value[0] = AU_LEFT;
}

// An episode is too short to fill a large file. Now and then filling continues until the file is
// full. Then frees only balance the writes.
static const int *keep_filling(Env *e, StimRandom *r, const int *knobs, int *filling) {
    enum { LASTS = 3000, OFTEN = 1500 };
    if (knobs[KNOB_FILL] > 0 && !e->filling && stim_below(r, OFTEN) == 0) e->filling = LASTS;
    if (!e->filling) return knobs;
    e->filling--;
    memcpy(filling, knobs, sizeof *knobs * KNOBS);
    filling[KNOB_FILL] = 1;
    if (filling[KNOB_WRITE] < 70) filling[KNOB_WRITE] = 70;
    if (filling[KNOB_ISSUE] < 70) filling[KNOB_ISSUE] = 70;
    if (filling[KNOB_TAKE] < 70) filling[KNOB_TAKE] = 70;
    return filling;
}

// Before the table's banks can be assigned the other way, writes stop and all warps end.
static void drain(Env *e, RfDatapathIn *in) {
    in->cfg_table[0] = e->want;
    if (e->want == e->table) return;
    in->is_valid[0] = in->wr_valid[0] = 0;
    in->disp_ready[0] = (1u << e->num_disp) - 1;
    for (int warp = 0; warp < e->warps; warp++)
        if (e->touched >> warp & 1 && e->walk != warp)
            in->ex_valid[0] = 1, in->ex_warp[0] = (uint32_t)warp;
}

static void dp_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    RfDatapathIn *in = inputs;
    int filling[KNOBS];
    knobs = keep_filling(e, r, knobs, filling);
    const bool fill = knobs[KNOB_FILL] > 0;
    in->cfg_policy[0] =
        fill && knobs[KNOB_POLICY] > AU_ALIGN ? AU_ALIGN : (uint32_t)knobs[KNOB_POLICY];
    in->cfg_mode[0] = (uint32_t)knobs[KNOB_MODE];
    in->cfg_pack[0] = knobs[KNOB_PACK] > 0;
    const uint32_t config = knobs[KNOB_CONFIG] < 8 ? (uint32_t)knobs[KNOB_CONFIG] : stim_random(r);
    in->cfg_grow[0] = config & 1, in->cfg_order[0] = config >> 1 & 1,
    in->cfg_shrink[0] = config >> 2 & 1;
    if (stim_below(r, 2048) == 0) in->cfg_kernel[0] = stim_below(r, (uint32_t)e->kernels);
    in->fr_valid[0] = !fill && (int)stim_below(r, 100) < knobs[KNOB_FREE];
    in->fr_warp[0] = draw_warp(e, r, knobs);
    in->fr_reg[0] = draw_reg(e, r, knobs);
    if (e->filling && e->full) {
        in->fr_valid[0] = stim_percent(r, 30);
        in->fr_warp[0] = stim_below(r, (uint32_t)e->warps);
        in->fr_reg[0] = stim_below(r, (uint32_t)e->regs);
    }
    in->is_valid[0] = stim_bits(r, knobs[KNOB_ISSUE]) & ((1u << e->num_alloc) - 1);
    for (int a = 0; a < e->num_alloc; a++) draw_instruction(e, r, knobs, in, a);
    in->disp_ready[0] = stim_bits(r, knobs[KNOB_TAKE]) & ((1u << e->num_disp) - 1);
    // a refused result mostly waits where it is
    const uint32_t again = e->wr_refused & stim_bits(r, 90);
    in->wr_valid[0] = (stim_bits(r, knobs[KNOB_WRITE]) | again) & ((1u << e->num_wr) - 1);
    for (int w = 0; w < e->num_wr; w++)
        if (in->wr_valid[0] >> w & 1 && !(again >> w & 1)) draw_write(e, r, knobs, in, w);
    in->ex_valid[0] = !fill && (int)stim_below(r, 400) < knobs[KNOB_EXIT];
    in->ex_warp[0] = draw_warp(e, r, knobs);
    draw_hint(e, r, knobs, in);
    if (stim_below(r, 6000) == 0) e->want ^= 1;
    drain(e, in);
}

// ---- legal inputs -------------------------------------------------------------------------------

static uint64_t bit64(uint32_t i) { return 1ull << i; }

static bool walked(const Env *e, const RfDatapathOut *out, uint32_t warp) {
    return e->walk == (int)warp && !out->ex_ready[0];
}

// Registers of the warp with an outstanding write; those done in this cycle (from state alone) are
// not.
static uint64_t writing(const Env *e, const RfDatapathOut *out, uint32_t warp) {
    uint64_t regs = e->writing[warp];
    for (uint32_t left = out->wr_done[0]; left; left &= left - 1) {
        const Pending *p = &e->fifo[__builtin_ctz(left)][0];
        if (p->warp == warp) regs &= ~bit64(p->reg);
    }
    return regs;
}

// Shown destinations do not delay an exit, because they get no result.
static bool legal_exit(const Env *e, const RfDatapathIn *in, const RfDatapathOut *out) {
    const uint32_t warp = in->ex_warp[0];
    return warp < (uint32_t)e->warps &&
        (!out->ex_ready[0] ||
         e->outstanding[warp] == (uint32_t)__builtin_popcountll(e->shown[warp]));
}

// The warp of a request: there is one, it is neither walked nor about to be.
static bool legal_warp(const Env *e, const RfDatapathIn *in, const RfDatapathOut *out,
                       uint32_t warp) {
    return warp < (uint32_t)e->warps && !walked(e, out, warp) &&
        !(in->ex_valid[0] && out->ex_ready[0] && in->ex_warp[0] == warp);
}

static bool legal_write(const Env *e, const RfDatapathIn *in, const RfDatapathOut *out, int w) {
    const uint32_t warp = in->wr_warp[w], reg = in->wr_reg[w];
    if (!legal_warp(e, in, out, warp) || reg >= (uint32_t)e->regs) return false;
    for (int v = 0; v < w; v++)
        if (in->wr_valid[0] >> v & 1 && in->wr_warp[v] == warp && in->wr_reg[v] == reg)
            return false;
    return e->shown[warp] & ~e->reading[warp] & bit64(reg);
}

// The result carries its place as shown. Its hints may be any that exist.
static void give_back(const Env *e, RfDatapathIn *in, int w) {
    const Dest *d = &e->dest[in->wr_warp[w]][in->wr_reg[w]];
    in->wr_old_mask[w] = d->mask;
    if (d->mask) in->wr_old_bank[w] = d->bank, in->wr_old_entry[w] = d->entry;
    if (in->wr_buddy[w] >= (uint32_t)e->regs) in->wr_pair[0] &= ~(1u << w);
}

// Whether an instruction that arrives at a port below a writes the register.
static bool claimed(const RfDatapathIn *in, const RfDatapathOut *out, int a, uint32_t warp,
                    uint32_t reg) {
    for (int b = 0; b < a; b++) {
        if (!(in->is_valid[0] & out->is_ready[0] & 1u << b) || in->is_warp[b] != warp) continue;
        for (uint32_t i = 0; i < in->is_dst_n[b]; i++)
            if (in->is_dst_reg[b * DP_MAX_DST + (int)i] == reg) return true;
    }
    return false;
}

static bool legal_destinations(const Env *e, const RfDatapathIn *in, const RfDatapathOut *out,
                               int a) {
    const uint32_t warp = in->is_warp[a], *dst = in->is_dst_reg + a * DP_MAX_DST;
    if (in->is_dst_n[a] > DP_MAX_DST) return false;
    uint64_t named = 0;
    for (uint32_t i = 0; i < in->is_dst_n[a]; i++) {
        if (dst[i] >= (uint32_t)e->regs || (writing(e, out, warp) | named) & bit64(dst[i]) ||
            claimed(in, out, a, warp, dst[i]))
            return false;
        named |= bit64(dst[i]);
    }
    return true;
}

static bool legal_instruction(const Env *e, const RfDatapathIn *in, const RfDatapathOut *out,
                              int a) {
    const uint32_t warp = in->is_warp[a];
    if (in->is_unit[a] >= (uint32_t)e->num_disp || !legal_warp(e, in, out, warp)) return false;
    for (int o = 0; o < e->num_ops; o++) {
        const uint32_t reg = in->is_reg[a * e->num_ops + o];
        if (!(in->is_need[a] >> o & 1)) continue;
        if (reg >= (uint32_t)e->regs || writing(e, out, warp) & bit64(reg) ||
            claimed(in, out, a, warp, reg) ||
            (in->fr_valid[0] && in->fr_warp[0] == warp && in->fr_reg[0] == reg))
            return false;
    }
    return legal_destinations(e, in, out, a);
}

static void dp_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    RfDatapathIn *in = inputs;
    const RfDatapathOut *out = outputs;
    if (in->cfg_kernel[0] >= (uint32_t)e->kernels) in->cfg_kernel[0] = 0;
    if (in->hl_kernel[0] >= (uint32_t)e->kernels ||
        (in->hl_op[0] == AU_HINT_PAIR && in->hl_value[0] >= (uint32_t)e->regs))
        in->hl_valid[0] = 0;
    if (in->ex_valid[0] && !legal_exit(e, in, out)) in->ex_valid[0] = 0;
    for (int w = 0; w < e->num_wr; w++)
        if (in->wr_valid[0] >> w & 1 && !legal_write(e, in, out, w)) in->wr_valid[0] &= ~(1u << w);
    for (int w = 0; w < e->num_wr; w++)
        if (in->wr_valid[0] >> w & 1) give_back(e, in, w);
    if (in->cfg_table[0] != e->table &&
        (out->used_slices[0] || e->idle < COUNT_LAG || !out->ex_ready[0]))
        in->cfg_table[0] = e->table;
    const uint32_t warp = in->fr_warp[0], reg = in->fr_reg[0];
    if (in->fr_valid[0] &&
        (!legal_warp(e, in, out, warp) || reg >= (uint32_t)e->regs ||
         (writing(e, out, warp) | e->reading[warp]) & bit64(reg)))
        in->fr_valid[0] = 0;
    for (int a = 0; a < e->num_alloc; a++)  // without ready any instruction is ignored
        if (in->is_valid[0] & out->is_ready[0] & 1u << a && !legal_instruction(e, in, out, a))
            in->is_valid[0] &= ~(1u << a);
}

// ---- following the block, coverage --------------------------------------------------------------

static void enter(Env *e, const RfDatapathIn *in, int a) {
    Slot *s = &e->entry[a];
    *s = (Slot){.busy = true, .warp = (uint8_t)in->is_warp[a], .ndst = (uint8_t)in->is_dst_n[a]};
    for (int o = 0; o < e->num_ops; o++) {
        if (!(in->is_need[a] >> o & 1)) continue;
        const uint32_t reg = in->is_reg[a * e->num_ops + o];
        s->reg[s->n++] = (uint8_t)reg;
        if (e->reads[s->warp][reg]++ == 0) e->reading[s->warp] |= bit64(reg);
    }
    for (int i = 0; i < s->ndst; i++) {
        s->dst[i] = (uint8_t)in->is_dst_reg[a * DP_MAX_DST + i];
        e->writing[s->warp] |= bit64(s->dst[i]);
        if (s->warp == e->next_warp && s->dst[i] == e->next_reg) fill_on(e);
    }
    e->outstanding[s->warp] += (uint16_t)(1 + s->ndst);
}

static void leave(Env *e, uint32_t c) {
    Slot *s = &e->slot[c];
    for (int i = 0; i < s->n; i++)
        if (--e->reads[s->warp][s->reg[i]] == 0) e->reading[s->warp] &= ~bit64(s->reg[i]);
    if (s->busy) e->outstanding[s->warp]--;
    s->busy = false, s->n = 0;
    e->colls_busy &= ~(1u << c);
}

// This destination gets no result.
static void drop(Env *e, uint32_t warp, uint32_t reg) {
    if (!(e->shown[warp] & bit64(reg))) return;
    e->shown[warp] &= ~bit64(reg);
    e->writing[warp] &= ~bit64(reg);
    e->outstanding[warp]--;
}

// Destinations found; instructions that move to their collectors.
static void see_entries(Env *e, const RfDatapathOut *out, uint64_t *hits) {
    for (uint32_t left = out->ds_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        const bool late = out->ds_late[0] >> a & 1;
        Slot *s = late ? &e->late[a] : &e->entry[a];
        const uint32_t warp = s->warp, reg = s->dst[out->ds_index[a]];
        s->nshown++;
        hits[e->at.entry + ENTRY_LATE] += late;
        hits[e->at.entry + ENTRY_BEHIND] +=
            late && e->entry[a].busy && !(out->is_ready[0] >> a & 1);
        const bool mapped = out->ds_mapped[0] >> a & 1, pair = out->ds_pair[0] >> a & 1;
        e->dest[warp][reg] = (Dest){(uint16_t)(mapped ? out->ds_entry[a] : 0),
                                    (uint8_t)out->ds_mask[a],
                                    (uint8_t)(mapped ? out->ds_bank[a] : 0),
                                    (uint8_t)(pair ? out->ds_buddy[a] : 0),
                                    (uint8_t)out->ds_align[a],
                                    pair};
        e->shown[warp] |= bit64(reg);
        if (e->nlist >= SHOWN)
            drop(e, e->list[e->nlist % SHOWN].warp, e->list[e->nlist % SHOWN].reg);
        e->list[e->nlist % SHOWN].warp = (uint8_t)warp,
                           e->list[e->nlist++ % SHOWN].reg = (uint8_t)reg;
        if (e->nlist == 1u << 30) e->nlist = SHOWN;
    }
    hits[e->at.entry + ENTRY_WAIT] += out->obs_entry_wait[0] != 0;
    for (int a = 0; e->num_alloc > 1 && a < e->num_alloc; a++)
        hits[e->at.port + PORTS * a + PORT_OVERTAKEN] +=
            out->obs_entry_wait[0] >> a & 1 && e->moved & ~(1u << a);
    e->moved = out->en_valid[0];
    for (uint32_t left = out->en_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        e->slot[out->en_slot[a]] = e->entry[a];
        if (e->entry[a].nshown < e->entry[a].ndst) e->late[a] = e->entry[a];
        e->colls_busy |= 1u << out->en_slot[a];
        e->entry[a].busy = false;
    }
}

static void see_dispatch(Env *e, const RfDatapathIn *in, const RfDatapathOut *out, uint64_t *hits) {
    e->offered = out->disp_valid[0] != 0;
    for (uint32_t left = out->disp_valid[0] & in->disp_ready[0]; left; left &= left - 1) {
        hits[e->at.unit + __builtin_ctz(left)]++;
        leave(e, out->disp_slot[__builtin_ctz(left)]);
    }
}

static void see_hazards(const Env *e, uint32_t warp, uint32_t reg, int done, int freed,
                        uint64_t *hits) {
    if (e->done_any && e->done_warp == warp && e->done_reg == reg) hits[e->at.hazard + done]++;
    if (freed >= 0 && e->freed_any && e->freed_warp == warp && e->freed_reg == reg)
        hits[e->at.hazard + freed]++;
}

static void see_registers(Env *e, const RfDatapathIn *in, const RfDatapathOut *out, int a,
                          uint64_t *hits) {
    const uint32_t warp = in->is_warp[a], n = in->is_dst_n[a],
                   *dst = in->is_dst_reg + a * DP_MAX_DST;
    hits[e->at.operands + OPERANDS_NONE] += in->is_need[a] == 0;
    hits[e->at.dsts + (int)n]++;
    for (int o = 0; o < e->num_ops; o++) {
        const uint32_t reg = in->is_reg[a * e->num_ops + o];
        if (!(in->is_need[a] >> o & 1)) continue;
        see_hazards(e, warp, reg, HAZARD_READ_DONE, HAZARD_READ_FREED, hits);
        for (uint32_t i = 0; i < n; i++) hits[e->at.entry + ENTRY_SOURCE] += dst[i] == reg;
    }
    for (uint32_t i = 0; i < n; i++) {
        see_hazards(e, warp, dst[i], HAZARD_WRITE_DONE, HAZARD_WRITE_FREED, hits);
        const bool freed = out->fr_ready[0] && in->fr_warp[0] == warp && in->fr_reg[0] == dst[i];
        hits[e->at.entry + ENTRY_FREED] += i == 0 && freed;
    }
}

static void see_issue(Env *e, const RfDatapathIn *in, const RfDatapathOut *out, uint64_t *hits) {
    const uint32_t enters = in->is_valid[0] & out->is_ready[0];
    for (uint32_t left = enters; left; left &= left - 1) {
        see_registers(e, in, out, __builtin_ctz(left), hits);
        enter(e, in, __builtin_ctz(left));
    }
    const uint32_t ops = (1u << e->num_ops) - 1;
    for (int a = 0; e->num_alloc > 1 && a < e->num_alloc; a++) {
        const bool refused =
            out->obs_src_refused[0] >> a * e->num_ops & ops || out->obs_dst_refused[0] >> a & 1;
        hits[e->at.port + PORTS * a + PORT_BLOCKED] +=
            refused && !(out->is_ready[0] >> a & 1) && enters & ~(1u << a);
    }
}

// Results that are written. An instruction that arrives in this cycle may use them.
static void see_done(Env *e, const RfDatapathOut *out, uint64_t *hits) {
    e->part = e->paired = 0;
    for (int w = 0; w < e->num_wr; w++) {
        if (!e->nfifo[w]) continue;
        e->part |= (uint32_t)e->fifo[w][e->nfifo[w] - 1].part << w;
        e->paired |= (uint32_t)e->fifo[w][e->nfifo[w] - 1].pair << w;
    }
    e->done_any = false;
    for (uint32_t left = out->wr_done[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        const Pending p = e->fifo[w][0];
        e->fifo[w][0] = e->fifo[w][1], e->nfifo[w]--;
        e->writing[p.warp] &= ~bit64(p.reg);
        e->outstanding[p.warp]--;
        const int age = p.age < LATENCY_LONG ? (int)p.age : LATENCY_LONG;
        if (age < e->at.latencies) hits[e->at.latency + age]++;
        e->done_any = true, e->done_warp = p.warp, e->done_reg = p.reg;
        e->recent_warp[e->nrecent] = p.warp, e->recent_reg[e->nrecent] = p.reg;
        e->nrecent = (e->nrecent + 1) % RECENT;
    }
    if (e->num_wr > 1)
        hits[e->at.hazard + HAZARD_DONE_TWO] += (out->wr_done[0] & (out->wr_done[0] - 1)) != 0;
}

// A result is taken, maybe of a destination that was dropped in this cycle.
static void take(Env *e, uint32_t warp, uint32_t reg) {
    if (!(e->shown[warp] & bit64(reg))) e->writing[warp] |= bit64(reg), e->outstanding[warp]++;
    e->shown[warp] &= ~bit64(reg);
}

static void see_writes(Env *e, const RfDatapathIn *in, const RfDatapathOut *out, uint64_t *hits) {
    for (uint32_t left = in->wr_valid[0] & out->wr_ready[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        take(e, in->wr_warp[w], in->wr_reg[w]);
        e->touched |= bit64(in->wr_warp[w]);
        for (int a = 0; a < e->num_alloc; a++) {
            const Slot *s = &e->entry[a];
            for (int i = 0; s->busy && i < s->ndst; i++)
                hits[e->at.entry + ENTRY_RESULT] +=
                    s->warp == in->wr_warp[w] && s->dst[i] == in->wr_reg[w];
        }
        hits[e->at.lanes + stim_lanes_kind(in->wr_lane[w])]++;
    }
    if (out->fr_ready[0] && e->num_wr > 1)
        see_hazards(e, in->fr_warp[0], in->fr_reg[0], HAZARD_FREE_DONE, -1, hits);
    hits[e->at.stall + STALL_ACCEPT] += (in->wr_valid[0] & ~out->wr_ready[0]) != 0;
    e->wr_refused = in->wr_valid[0] & ~out->wr_ready[0];
    for (int w = 0; w < e->num_wr; w++) {
        for (int i = 0; i < e->nfifo[w]; i++) e->fifo[w][i].age++;
        if (in->wr_valid[0] & out->wr_ready[0] & 1u << w)
            e->fifo[w][e->nfifo[w]++] = (Pending){
                (uint8_t)in->wr_warp[w], (uint8_t)in->wr_reg[w], in->wr_lane[w] != UINT32_MAX,
                e->now_policy == AU_PAIR && in->wr_pair[0] >> w & 1, 0};
    }
}

static void see_frees(Env *e, const RfDatapathIn *in, const RfDatapathOut *out, uint64_t *hits) {
    hits[e->at.freed + FREED_HELD] += in->fr_valid[0] && !out->fr_ready[0];
    e->freed_any = out->fr_ready[0];
    e->freed_warp = (uint8_t)in->fr_warp[0], e->freed_reg = (uint8_t)in->fr_reg[0];
    hits[e->at.freed + FREED_EXIT_BUSY] += in->ex_valid[0] && !out->ex_ready[0];
    if (out->ex_ready[0]) e->walk = -1;
    e->frees = e->frees << 1 | (out->fr_ready[0] && e->walk < 0);
    if (in->ex_valid[0] && out->ex_ready[0]) {
        hits[e->at.freed + FREED_EXIT]++;
        e->walk = (int)in->ex_warp[0];
        e->touched &= ~bit64(in->ex_warp[0]);
        for (uint64_t left = e->shown[e->walk]; left; left &= left - 1)
            drop(e, in->ex_warp[0], (uint32_t)__builtin_ctzll(left));
    }
    if (in->hl_valid[0]) {
        const uint32_t side = in->hl_value[0] & 3;
        if (in->hl_op[0] == AU_HINT_CLEAR) hits[e->at.hint + HINT_CLEAR]++;
        if (in->hl_op[0] == AU_HINT_PAIR) hits[e->at.hint + HINT_PAIR]++;
        if (in->hl_op[0] == AU_HINT_ALIGN)
            hits[e->at.hint +
                 (side == AU_LEFT        ? HINT_LEFT
                      : side == AU_RIGHT ? HINT_RIGHT
                                         : HINT_ANY)]++;
    }
}

// Operands whose places became known in the previous cycle.
static void see_places(const Env *e, const RfDatapathOut *out, uint64_t *hits) {
    for (uint32_t left = out->obs_place[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        int n = 0, mapped = 0;
        uint32_t size[DP_MAX_OPS] = {0};
        for (int o = 0; o < e->num_ops; o++) {
            const int l = a * e->num_ops + o;
            if (!(out->obs_op[0] >> l & 1)) continue;
            hits[e->at.width + (int)out->obs_op_size[l]]++;
            mapped += out->obs_op_size[l] != 0;
            size[n++] = out->obs_op_size[l];
        }
        hits[e->at.operands + OPERANDS_ONE + n - 1]++;
        hits[e->at.operands + OPERANDS_UNMAPPED] += mapped == 0;
        const bool together = out->obs_coalesced[0] >> a & 1, twice = out->obs_merged[0] >> a & 1;
        hits[e->at.coalesce + COALESCE_MERGED] += twice;
        if (together)
            hits[e->at.coalesce + (e->mode == CO_SAME_ENTRY ? COALESCE_SAME : COALESCE_DISJOINT)]++;
        else if (out->obs_possible[0] >> a & 1)
            hits[e->at.coalesce +
                 (e->mode == CO_SAME_ENTRY || e->mode == CO_DISJOINT ? COALESCE_MISSED
                                                                     : COALESCE_OFF)]++;
        for (int i = 0; together && !twice && n == 2 && i < 6; i++)
            hits[e->at.pair + i] += size[0] == PAIRS[i][0] && size[1] == PAIRS[i][1];
    }
}

// Places allocated to writers in the previous cycle.
static void see_alloc(const Env *e, const RfDatapathOut *out, uint64_t *hits) {
    for (uint32_t left = out->obs_alloc[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (e->policy < 3) hits[e->at.kind + 4 * (int)e->policy + (int)out->obs_kind[w]]++;
        hits[e->at.size + 4 * w + (int)out->obs_size[w] - 1]++;
        if (e->part >> w & 1)
            hits[e->at.partial +
                 (out->obs_kind[w] == AU_FIRST      ? PARTIAL_FIRST
                      : out->obs_kind[w] == AU_GROW ? PARTIAL_GROW
                                                    : PARTIAL_KEEP)]++;
        hits[e->at.vain] +=
            e->paired >> w & 1 && (out->obs_kind[w] == AU_KEEP || out->obs_kind[w] == AU_SHRINK);
        for (int i = 0; i < e->at.hows; i++)
            hits[e->at.how + i] += out->obs_how[w] == HOW[i].how &&
                (e->policy == HOW[i].policy || HOW[i].how == AU_OWN || HOW[i].how == AU_IN_PLACE);
    }
    if (out->obs_alloc[0]) {
        hits[e->at.config + (e->grow ? CONFIG_MOVE : CONFIG_INPLACE)]++;
        hits[e->at.config + (e->order ? CONFIG_LOWEST : CONFIG_ROTATE)]++;
        hits[e->at.config + (e->shrink ? CONFIG_HOLD : CONFIG_FREE)]++;
    }
    if (e->at.fills) hits[e->at.stall + STALL_NONE] += out->obs_none[0] != 0;
}

static void see_state(Env *e, const RfDatapathOut *out, uint64_t *hits) {
    if (out->obs_src_refused[0]) {
        const int n = __builtin_popcount(out->obs_src_refused[0]);
        hits[e->at.table +
             (e->at.tables == 1 || n == 1 ? TABLE_ONE
                  : n == 2                ? TABLE_TWO
                                          : TABLE_MORE)]++;
        hits[e->at.assigned + BY_WARP_REFUSED] += e->table;
    }
    if (e->at.tables > TABLE_DST) hits[e->at.table + TABLE_DST] += out->obs_dst_refused[0] != 0;
    if (e->at.tables > TABLE_BUDDY) hits[e->at.table + TABLE_BUDDY] += out->obs_bd_refused[0] != 0;
    const int refused = __builtin_popcount(out->obs_rd_refused[0]);
    if (refused) hits[e->at.banks + (refused > 1 ? BANKS_READ_MORE : BANKS_READ_ONE)]++;
    if (e->num_wr > 1) hits[e->at.banks + BANKS_WRITE] += out->obs_wr_refused[0] != 0;
    for (uint32_t left = out->obs_bank_read[0]; left; left &= left - 1)
        hits[e->at.bank_read + __builtin_ctz(left)]++;
    for (uint32_t left = out->obs_bank_write[0]; left; left &= left - 1)
        hits[e->at.bank_write + __builtin_ctz(left)]++;
    if (out->obs_merge[0]) hits[e->at.merge + (refused ? MERGE_READS_WAIT : MERGE_ONE)]++;
    if (e->frees & 2) hits[e->at.freed + (out->obs_freed[0] ? FREED_MAPPED : FREED_UNMAPPED)]++;
    hits[e->at.busy + BUSY_NONE] += e->colls_busy == 0;
    hits[e->at.busy + BUSY_ALL] += __builtin_popcount(e->colls_busy) == e->num_coll;
    const uint32_t regs = out->used_regs[0], all = (uint32_t)(e->banks * e->entries);
    e->full = regs == all;
    hits[e->at.file + FILE_EMPTY] += regs == 0;
    hits[e->at.file + FILE_PACKED] += regs && out->used_slices[0] == FULL_SLICES * regs;
    if (e->at.fills) {
        hits[e->at.file + FILE_HALF] += regs > all / 2;
        hits[e->at.file + FILE_FULL] += regs == all;
    }
    for (uint32_t left = e->reset_met; left; left &= left - 1)
        hits[e->at.reset + __builtin_ctz(left)]++;
    e->reset_met = 0;
}

static void dp_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const RfDatapathIn *in = inputs;
    const RfDatapathOut *out = outputs;
    see_state(e, out, hits);
    see_places(e, out, hits);
    see_alloc(e, out, hits);
    hits[e->at.assigned + ASSIGNED_CHANGED] += in->cfg_table[0] != e->table;
    e->table = in->cfg_table[0];
    if (in->is_valid[0] & out->is_ready[0])
        hits[e->at.assigned + (e->table ? BY_WARP : BY_REGISTER)]++;
    see_dispatch(e, in, out, hits);
    see_entries(e, out, hits);
    see_done(e, out, hits);
    see_issue(e, in, out, hits);
    see_writes(e, in, out, hits);
    see_frees(e, in, out, hits);
    e->idle = writers_busy(e) ? 0 : e->idle < COUNT_LAG ? e->idle + 1 : COUNT_LAG;
    e->policy = e->now_policy, e->mode = e->now_mode;
    e->now_policy = in->cfg_policy[0], e->now_mode = in->cfg_mode[0];
    e->grow = in->cfg_grow[0], e->order = in->cfg_order[0], e->shrink = in->cfg_shrink[0];
}

static const StimShape SHAPES[] = {
    {"Banks=3 NumColl=6", "banks and collectors that are no power of two"},
    {0},
};

const BlockStim rf_datapath_stim = {.shapes = SHAPES,
                                    .knobs = KNOB_TABLE,
                                    .nknobs = KNOBS,
                                    .needs_out = true,
                                    .bins = dp_bins,
                                    .open = dp_open,
                                    .close = dp_close,
                                    .reset = dp_forget,
                                    .randomize = dp_randomize,
                                    .constrain = dp_constrain,
                                    .observe = dp_observe};
