// SPDX-License-Identifier: Apache-2.0
// Stimuli of bypass_collector: warps that name few registers again and again, a scoreboard that keeps
// registers with a result outstanding out, results that come back after any time, a register file that
// refuses, ends of window and of warp at any moment. Beside that what is ignored or possible though
// unusual: instructions without room, two for one BOC, results nobody announced, stray grants and data.
//
// What happens inside is seen on a second golden model that runs along (through its observation words).
#include "models/collect/bypass_collector.h"
#include "models/params.h"
#include "models/stim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum {
    KNOB_ALLOC, KNOB_FOCUS, KNOB_REGS, KNOB_PASS, KNOB_FEW, KNOB_DST, KNOB_GRANT, KNOB_TAKE, KNOB_WRITE,
    KNOB_RESULT, KNOB_STRANGE, KNOB_PART, KNOB_MODE, KNOB_BITS, KNOB_FLUSH, KNOB_STRAY, KNOB_CROWD, KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"alloc", 5, 100, "percent of allocation ports with an instruction"},
    {"focus", 0, 6, "BOCs that get instructions: all / 2^this"},
    {"regs", 1, 12, "registers of a warp"},
    {"pass", -40, 80, "percent of instructions without collection (below 0: none)"},
    {"few", 0, 100, "percent of instructions with random needs instead of all operands"},
    {"dst", 20, 100, "percent of instructions that write"},
    {"grant", 0, 100, "percent of requests that are granted"},
    {"take", 10, 100, "percent of units that are ready"},
    {"write", -20, 100, "percent of write ports that are ready (below 1: none)"},
    {"result", 0, 100, "percent of result ports with a result"},
    {"strange", -20, 20, "percent of results that were not announced (below 1: none)"},
    {"part", 0, 60, "percent of results in some lanes only"},
    {"mode", 0, 5, "0..3 that mode all the time, else changing"},
    {"bits", 0, 7, "compiler bits: 0..3 mostly these, else any"},
    {"flush", -30, 30, "permille of cycles with a flush or drop (below 1: none)"},
    {"stray", 0, 20, "percent of banks that deliver to nobody in particular"},
    {"crowd", 0, 7, "7: one BOC fills with values that are hardly ever saved"},
};

enum { TOGETHER = 4, REGS = 32, CROWD = 7, FLYING = 8, NOWHERE = -1 };

// What is told apart, group by group.
enum { LEAVE_CLEAN, LEAVE_SAVE, LEAVE_DEAD, LEAVE_SAVING, LEAVES };
enum { TAKE_FREE, TAKE_WINDOW, TAKE_RES_FREE, TAKE_RES_WINDOW, TAKES };
enum { SAVE_LEFT, SAVE_IN_WINDOW, SAVE_EARLY, SAVE_EARLY_DEAD, SAVES };
enum {
    RES_NEW, RES_NO_ROOM, RES_OVER_CLEAN, RES_OVER_DIRTY, RES_OVER_SAVING, RES_MERGE_CLEAN, RES_MERGE_DIRTY,
    RES_MERGE_SAVING, RES_FREES_CLEAN, RES_FREES_DIRTY, RES_PART_FREES, RES_NOT_HELD, RES_PART_NOT_HELD,
    RES_LATE, RES_LATE_MERGE, RES_LATE_FREES, RES_LATE_DEAD, RES_DROPPED, RES_NO_LANE, RES_LAST_SLOT, RESES
};
enum { WRITE_RESULT, WRITE_SAVE, WRITE_SAVE_FIRST, WRITE_RES_REFUSED, WRITE_SAVE_REFUSED, WRITES };
enum { LANE_FIRST, LANE_LAST, LANE_HOLES, LANE_HALF, LANES };
enum { IGNORED_SLOT, IGNORED_ROOM, IGNORED_GRANT, IGNORED_DATA, IGNORED_READY, IGNORED_PORT, IGNOREDS };
enum { ORDER_FOLLOWS, ORDER_HELD, ORDER_OVERTAKES, ORDER_SAME_CYCLE, ORDER_TWICE, ORDERS };
// States in which a BOC is flushed, dropped or reset.
enum {
    STATE_EMPTY, STATE_CLEAN, STATE_DIRTY, STATE_DEAD, STATE_SAVING, STATE_ASKING, STATE_COMING, STATE_WAITING,
    STATE_AWAITING, STATE_ENTER, STATE_RESULT, STATE_GRANTED, STATES
};
enum { FORWARD_SAVED, FORWARD_COMING, FORWARD_TWICE, FORWARD_OTHERS };
enum { HELD_NONE, HELD_HALF, HELD_MORE, HELD_ALL, HELDS };

typedef struct Bins {
    int operands, distance, other, together, pass, entered, leave, take, held, save, res, mode, bits, write, lane,
        ignored, order, unit, units, twice, room, served, flush, drop, reset, both, all;
} Bins;

typedef struct Waiting { bool busy, writes; uint8_t need; uint32_t src[BOW_MAX_OPS], dst; } Waiting;

typedef struct Warp {
    uint32_t flying[FLYING];      // places of outstanding results of dispatched instructions
    int nflying, regs;
    Waiting slot[BOW_MAX_WINDOW];
} Warp;

typedef struct Env {
    int params[PARAMS];
    int num_coll, num_ops, num_alloc, num_disp, num_wr, window, values, banks, entries;
    Bins at;
    uint32_t colls, ops, bank_mask;
    uint32_t place[BOW_MAX_COLL][REGS];
    Warp warp[BOW_MAX_COLL];
    uint32_t with_flying;         // BOCs
    uint32_t due, asked;          // granted in the last cycle; asked in it
    uint32_t granted;             // in this cycle
    bool dropped_read;            // one of them was dropped in it
    uint32_t reset_met;
    uint32_t mode;
    void *model;                  // runs along
    uint32_t seen;                // BOCs whose words are here
    uint32_t view[BOW_MAX_COLL][2][32];
} Env;

static int least(int a, int b) { return a < b ? a : b; }

// ---- bins ----------------------------------------------------------------------------------------

// In full size the window holds Window - 1 instructions' registers and one result at most that are dirty
// and not to be saved: not enough to crowd out reads.
static bool half_size(const int *params) { return params[P_Values] <= 2 * params[P_Window]; }

static int bins_layout(Bins *at, const int *params) {
    const int ops = params[P_NumOps], alloc = params[P_NumAlloc],
              disp = params[P_NumDisp], wr = params[P_NumWr], window = params[P_Window];
    const int banks = params[P_Banks];
    int n = 0;
    at->operands = n, n += (ops + 1) * (ops + 2) / 2;
    at->distance = n, n += window - 1;
    at->other = n, n += FORWARD_OTHERS - (ops < 2);
    at->together = n, n += least(alloc * ops, TOGETHER) + 1;
    at->pass = n, n += 2;
    at->entered = n, n += alloc + 1;
    at->leave = n, n += LEAVES;
    at->take = n, n += TAKES;
    at->held = n, n += HELDS;
    at->save = n, n += half_size(params) ? SAVES : SAVE_EARLY;
    at->res = n, n += RESES;
    at->mode = n, n += 4;
    at->bits = n, n += 4;
    at->write = n, n += wr * WRITES;
    at->lane = n, n += LANES;
    at->ignored = n, n += IGNOREDS - (alloc < 2);
    at->order = n, n += ORDERS - (disp < 2);
    at->unit = n, n += disp;
    at->units = n, n += least(least(disp, params[P_NumColl]), TOGETHER);
    at->twice = n, n += wr > 1;
    at->room = n, n += ops + 1;
    at->served = n, n += least(least(banks, params[P_NumColl]), TOGETHER);
    at->flush = n, n += STATES;
    at->drop = n, n += STATES;
    at->reset = n, n += STATE_ENTER;
    at->both = n, n += 1;
    return at->all = n;
}

#define NAME(i, group_name, ...)                                                                  \
    do {                                                                                          \
        snprintf(bins[i].group, sizeof bins[i].group, "%s", group_name);                          \
        snprintf(bins[i].name, sizeof bins[i].name, __VA_ARGS__);                                 \
    } while (0)

static void name_all(CoverBin *bins, int from, int n, const char *group, const char *const *names) {
    for (int i = 0; i < n; i++) NAME(from + i, group, "%s", names[i]);
}

static void name_count(CoverBin *bins, int from, int n, int first, const char *group, const char *what) {
    for (int i = 0; i < n; i++) NAME(from + i, group, "%s%d", what, first + i);
}

static int bow_bins(const int *params, CoverBin *bins) {
    static const char *const leaves[] = {"clean", "to-be-saved", "dead", "being-saved"};
    static const char *const takes[] = {"operand-free", "operand-evicts", "result-free", "result-evicts"};
    static const char *const saves[] = {"left-the-window", "named-again", "crowded", "crowded-dead"};
    static const char *const results[] = {
        "new-entry", "no-entry-left", "over-clean", "over-dirty", "over-being-saved", "lanes-over-clean",
        "lanes-over-dirty", "lanes-over-being-saved", "frees-clean", "frees-dirty", "lanes-free-clean",
        "register-file-only", "lanes-not-held", "late", "late-merged", "late-frees", "late-dead", "dropped",
        "no-lane", "leaves-at-once"};
    static const char *const others[] = {"being-saved", "read-under-way", "named-twice"};
    static const char *const writes[] = {"result", "save", "save-first", "result-refused",
                                         "save-refused"};
    static const char *const lanes[] = {"first", "last", "holes", "half"};
    static const char *const ignored[] = {"no-slot", "no-room", "grant-unasked", "data-unasked",
                                          "ready-without-offer", "second-port"};
    static const char *const orders[] = {"must-follow", "held-back", "overtakes",
                                         "names-result-of-cycle", "two-of-one-BOC"};
    static const char *const states[] = {"empty", "clean", "dirty", "dead", "being-saved", "asking",
                                         "data-under-way", "waiting", "awaiting", "entering", "result", "granted"};
    static const char *const helds[] = {"none", "up-to-half", "more", "all"};
    static const char *const modes[] = {"write-through", "write-back", "compiler", "compiler-3"};
    static const char *const bits[] = {"00", "01", "10", "11"};
    const int ops = params[P_NumOps], alloc = params[P_NumAlloc],
              disp = params[P_NumDisp], wr = params[P_NumWr];
    Bins at;
    const int n = bins_layout(&at, params);
    for (int need = 0, i = at.operands; need <= ops; need++)
        for (int f = 0; f <= need; f++, i++) NAME(i, "operands forwarded", "%d of %d", f, need);
    name_count(bins, at.distance, params[P_Window] - 1, 1, "bypass distance", "");
    // with one operand, none is named twice
    name_all(bins, at.other, FORWARD_OTHERS - (ops < 2), "forwarded otherwise", others);
    name_count(bins, at.together, least(alloc * ops, TOGETHER) + 1, 0, "forwarded at once", "x");
    NAME(at.pass, "kind of instruction", "collected");
    NAME(at.pass + 1, "kind of instruction", "pass");
    name_count(bins, at.entered, alloc + 1, 0, "entered at once", "x");
    name_all(bins, at.leave, LEAVES, "leaves the window", leaves);
    name_all(bins, at.take, TAKES, "entry taken", takes);
    name_all(bins, at.held, HELDS, "entries held", helds);
    name_all(bins, at.save, half_size(params) ? SAVES : SAVE_EARLY, "saved", saves);
    name_all(bins, at.res, RESES, "result", results);
    name_all(bins, at.mode, 4, "result in mode", modes);
    name_all(bins, at.bits, 4, "compiler bits", bits);
    for (int p = 0; p < wr; p++)
        for (int k = 0; k < WRITES; k++) NAME(at.write + p * WRITES + k, "write port", "%d.%s", p, writes[k]);
    name_all(bins, at.lane, LANES, "lanes of a result", lanes);
    name_all(bins, at.ignored, IGNOREDS - (alloc < 2), "ignored", ignored);
    name_all(bins, at.order, ORDERS - (disp < 2), "order", orders);
    name_count(bins, at.unit, disp, 0, "dispatch", "unit");
    name_count(bins, at.units, least(least(disp, params[P_NumColl]), TOGETHER), 1, "dispatched at once", "x");
    if (wr > 1) NAME(at.twice, "results", "two for one BOC");
    name_count(bins, at.room, ops + 1, 0, "room", "");
    name_count(bins, at.served, least(least(params[P_Banks], params[P_NumColl]), TOGETHER), 1, "granted at once", "x");
    name_all(bins, at.flush, STATES, "flush", states);
    name_all(bins, at.drop, STATES, "drop", states);
    name_all(bins, at.reset, STATE_ENTER, "reset", states);
    NAME(at.both, "flush", "with drop");
    return n;
}

// ---- life ----------------------------------------------------------------------------------------

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

// Registers of the BOCs, spread over banks and entries, apart as far as the register file is large
// enough, always apart within a BOC.
static void spread_places(Env *e) {
    const int total = e->banks * e->entries;
    int step = (int)(total * 0.618);
    while (step < 1 || gcd(step, total) != 1) step++;
    for (int c = 0, k = 0; c < e->num_coll; c++)
        for (int r = 0; r < REGS; r++, k++) {
            const int i = (int)((int64_t)k * step % total);
            e->place[c][r] = (uint32_t)(i % e->banks) << 16 | (uint32_t)(i / e->banks);
        }
}

static const uint32_t *view(Env *e, int c, int kind) {
    if (!(e->seen >> c & 1)) {
        bypass_collector_model.observe(e->model, (uint32_t)c, e->view[c][0]);
        bypass_collector_model.observe(e->model, (uint32_t)(e->num_coll + c), e->view[c][1]);
        e->seen |= 1u << c;
    }
    return e->view[c][kind];
}

// Bits of the words, see models/collect/bypass_collector.h.
enum { ENTRY_ASK = 1 << 1, ENTRY_DIRTY = 1 << 2, ENTRY_DEAD = 1 << 3, ENTRY_SAVE = 1 << 4 };

static uint32_t view_window(Env *e, int c) {
    uint32_t set = 0;
    for (int s = 0; s < e->window; s++) set |= view(e, c, 0)[16 + s];
    return set;
}

static uint32_t view_held(Env *e, int c) {
    uint32_t set = view_window(e, c);
    for (int i = 0; i < e->values; i++)
        if (view(e, c, 1)[i] & ENTRY_SAVE) set |= 1u << i;
    return set;
}

static uint32_t view_needed(Env *e, int c) {
    uint32_t set = 0;
    for (int s = 0; s < e->window; s++) {
        const uint32_t slot = view(e, c, 0)[1 + s];
        for (int o = 0; slot & 1 && o < e->num_ops; o++)
            if (slot >> (5 + o) & 1) set |= 1u << (slot >> (16 + 5 * o) & 31);
    }
    return set;
}

static int view_find(Env *e, int c, uint32_t place) {
    const uint32_t held = view_held(e, c);
    for (int i = 0; i < e->values; i++) {
        const uint32_t word = view(e, c, 1)[i];
        if (held >> i & 1 && word >> 26 == place >> 16 && (word >> 16 & 0x3ff) == (place & 0xffff)) return i;
    }
    return NOWHERE;
}

// The states a BOC is in, as a set.
static uint32_t view_states(Env *e, int c) {
    const uint32_t held = view_held(e, c);
    uint32_t set = 0;
    for (int i = 0; i < e->values; i++) {
        const uint32_t word = view(e, c, 1)[i];
        if (!(held >> i & 1)) continue;
        if (word & ENTRY_ASK) set |= 1u << STATE_ASKING;
        else if (!(word & ENTRY_DIRTY)) set |= 1u << STATE_CLEAN;
        else set |= 1u << (word & ENTRY_SAVE ? STATE_SAVING : word & ENTRY_DEAD ? STATE_DEAD : STATE_DIRTY);
    }
    if (view(e, c, 0)[0] >> 16 & 1) set |= 1u << STATE_COMING;
    for (int s = 0; s < e->window; s++) {
        if (view(e, c, 0)[1 + s] & 1) set |= 1u << STATE_WAITING;
        if (view(e, c, 0)[1 + s] & 2) set |= 1u << STATE_AWAITING;
    }
    return set ? set : 1u << STATE_EMPTY;
}

static void bow_forget(void *self) {
    Env *e = self;
    e->seen = 0;
    for (int c = 0; c < e->num_coll; c++) {
        e->reset_met |= view_states(e, c);
        e->warp[c].nflying = 0;
        memset(e->warp[c].slot, 0, sizeof e->warp[c].slot);
    }
    e->seen = e->due = e->asked = e->with_flying = 0;
    bypass_collector_model.reset(e->model);
}

static void bow_close(void *self) {
    bypass_collector_model.close(((Env *)self)->model);
    free(self);
}

static void *bow_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->model = bypass_collector_model.open(params);
    if (!e->model) return free(e), NULL;
    memcpy(e->params, params, sizeof e->params);
    e->num_coll = params[P_NumColl], e->num_ops = params[P_NumOps];
    e->num_alloc = params[P_NumAlloc], e->num_disp = params[P_NumDisp];
    e->num_wr = params[P_NumWr], e->window = params[P_Window], e->values = params[P_Values];
    e->banks = params[P_Banks], e->entries = params[P_Entries];
    bins_layout(&e->at, params);
    e->colls = UINT32_MAX >> (32 - e->num_coll);
    e->ops = (1u << e->num_ops) - 1;
    e->bank_mask = UINT32_MAX >> (32 - e->banks);
    spread_places(e);
    return e;
}

// ---- driving -------------------------------------------------------------------------------------

static bool percent(StimRandom *r, int p) { return p > 0 && stim_percent(r, p); }

static uint32_t put_bit(uint32_t set, int bit, bool value) {
    return (set & ~(1u << bit)) | (uint32_t)value << bit;
}

static bool flying(const Warp *w, uint32_t place) {
    for (int i = 0; i < w->nflying; i++)
        if (w->flying[i] == place) return true;
    return false;
}

// A result of the place is awaited from an instruction that still waits.
static bool to_be_written(const Warp *w, uint32_t place) {
    for (int s = 0; s < BOW_MAX_WINDOW; s++)
        if (w->slot[s].busy && w->slot[s].writes && w->slot[s].dst == place) return true;
    return false;
}

static bool to_be_read(const Warp *w, uint32_t place) {
    for (int s = 0; s < BOW_MAX_WINDOW; s++)
        for (int o = 0; w->slot[s].busy && o < BOW_MAX_OPS; o++)
            if (w->slot[s].need >> o & 1 && w->slot[s].src[o] == place) return true;
    return false;
}

// A register of BOC c, rather one without outstanding result.
static uint32_t draw_place(const Env *e, StimRandom *r, int c, int regs) {
    const Warp *w = &e->warp[c];
    uint32_t place = 0;
    for (int tries = 0; tries < 3; tries++) {
        place = e->place[c][stim_below(r, (uint32_t)least(regs, least(REGS, e->banks * e->entries)))];
        if (!flying(w, place) && !to_be_written(w, place)) break;
    }
    return place;
}

static void draw_instruction(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in, int a) {
    const int c = (int)in->alloc_coll[a], regs = knobs[KNOB_REGS];
    in->alloc_pass[0] = put_bit(in->alloc_pass[0], a, percent(r, knobs[KNOB_PASS]));
    in->alloc_unit[a] = stim_below(r, (uint32_t)e->num_disp);
    in->alloc_need[a] = percent(r, knobs[KNOB_FEW]) ? stim_random(r) & e->ops : e->ops;
    for (int o = 0; o < e->num_ops; o++) {
        const uint32_t place = draw_place(e, r, c, regs);
        in->alloc_bank[a * e->num_ops + o] = place >> 16;
        in->alloc_entry[a * e->num_ops + o] = place & 0xffff;
    }
    const uint32_t place = draw_place(e, r, c, regs);
    in->alloc_dst[0] = put_bit(in->alloc_dst[0], a, percent(r, knobs[KNOB_DST]));
    in->alloc_dst_bank[a] = place >> 16;
    in->alloc_dst_entry[a] = place & 0xffff;
}

static void draw_instructions(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->alloc_valid[0] = stim_bits(r, knobs[KNOB_ALLOC]) & ((1u << e->num_alloc) - 1);
    uint32_t span = (uint32_t)e->num_coll >> knobs[KNOB_FOCUS];
    if (!span) span = 1;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        uint32_t c = stim_below(r, span) + (uint32_t)knobs[KNOB_PART];  // other BOCs in other episodes
        while (c >= (uint32_t)e->num_coll) c -= (uint32_t)e->num_coll;
        in->alloc_coll[a] = c;
        draw_instruction(e, r, knobs, in, a);
    }
}

static uint32_t draw_lanes(StimRandom *r, int part) {
    if (!percent(r, part)) return UINT32_MAX;
    const uint32_t random = stim_random(r);
    switch (random & 7) {
    case 0: return 1;
    case 1: return 1u << 31;
    case 2: return 0;
    case 3: return random >> 31 ? 0xffff0000 : 0xffff;
    case 4: return ~(1u << (random >> 27));
    default: return stim_random(r);
    }
}

// Results of instructions that have been dispatched; now and then one that nobody announced.
static void draw_results(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->res_valid[0] = 0;
    uint32_t wanted = stim_bits(r, knobs[KNOB_RESULT]) & ((1u << e->num_wr) - 1), last = 0;
    for (; wanted; wanted &= wanted - 1) {
        const int p = __builtin_ctz(wanted);
        const uint32_t from = stim_below(r, (uint32_t)e->num_coll);
        const uint32_t later = e->with_flying & UINT32_MAX << from, set = later ? later : e->with_flying;
        uint32_t c = set ? (uint32_t)__builtin_ctz(set) : from;
        if (last && stim_random(r) >> 30 == 0) c = last - 1;  // two for one BOC
        const Warp *w = &e->warp[c];
        uint32_t place;
        if (percent(r, knobs[KNOB_STRANGE])) place = draw_place(e, r, (int)c, knobs[KNOB_REGS]);
        else if (w->nflying) place = w->flying[stim_below(r, (uint32_t)w->nflying)];
        else continue;
        last = c + 1;
        in->res_valid[0] |= 1u << p;
        in->res_coll[p] = c;
        in->res_bank[p] = place >> 16;
        in->res_entry[p] = place & 0xffff;
        in->res_write[p] = knobs[KNOB_BITS] < 4 && stim_random(r) >> 30 ? (uint32_t)knobs[KNOB_BITS]
                                                                      : stim_random(r) >> 30;
        in->res_lane[p] = draw_lanes(r, knobs[KNOB_PART]);
        if (knobs[KNOB_CROWD] == CROWD) in->res_write[p] |= 2;
        stim_row(r, in->res_data[p]);
    }
}

// Some of those that asked in the last cycle, at most one per bank, from a random one on.
static void draw_grants(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    const uint32_t random = stim_random(r), from = random & 31;
    uint32_t wanted = stim_bits(r, knobs[KNOB_GRANT]) & e->asked, granted = 0;
    for (int n = 0; n < e->banks && wanted; n++) {
        const uint32_t later = wanted & UINT32_MAX << from;
        const uint32_t one = later ? later & -later : wanted & -wanted;
        granted |= one, wanted &= ~one;
    }
    if (random >> 28 == 0) granted |= stim_random(r) & stim_random(r) & e->colls;
    in->rd_grant[0] = granted;
}

static void draw_data(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->rd_data_valid[0] = stim_bits(r, knobs[KNOB_STRAY]) & e->bank_mask;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        in->rd_data_coll[__builtin_ctz(left)] = stim_below(r, (uint32_t)e->num_coll);
    uint32_t b = stim_below(r, (uint32_t)e->banks);
    for (uint32_t left = e->due; left; left &= left - 1) {
        in->rd_data_valid[0] |= 1u << b;
        in->rd_data_coll[b] = (uint32_t)__builtin_ctz(left);
        b = b + 1 < (uint32_t)e->banks ? b + 1 : 0;
    }
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        stim_row(r, in->rd_data[__builtin_ctz(left)]);
}

static void draw_flush(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->flush[0] = in->drop[0] = 0;
    if (knobs[KNOB_FLUSH] <= 0 || stim_below(r, 1000) >= (uint32_t)knobs[KNOB_FLUSH]) return;
    const uint32_t random = stim_random(r);
    uint32_t set = 1u << stim_below(r, (uint32_t)e->num_coll);
    if (random >> 29 == 0) set = stim_random(r);
    if (in->alloc_valid[0] & 1 && random >> 28 & 1) set = 1u << in->alloc_coll[0];
    if (random % 5 < 3) in->flush[0] = set & e->colls;
    if (random % 5 > 1) in->drop[0] = set & e->colls;
}

static void bow_randomise(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    BypassCollectorIn *in = inputs;
    int crowd[KNOBS];
    if (knobs[KNOB_CROWD] == CROWD) {
        memcpy(crowd, knobs, sizeof crowd);
        crowd[KNOB_FOCUS] = 6, crowd[KNOB_REGS] = REGS, crowd[KNOB_ALLOC] = crowd[KNOB_TAKE] = 90;
        crowd[KNOB_PASS] = crowd[KNOB_FEW] = 50, crowd[KNOB_DST] = crowd[KNOB_RESULT] = 100;
        crowd[KNOB_PART] = 3, crowd[KNOB_WRITE] = 4;
        if (crowd[KNOB_MODE] == BOW_WRITE_THROUGH) crowd[KNOB_MODE] = BOW_WRITE_BACK;
        knobs = crowd;
    }
    if (knobs[KNOB_MODE] < 4) in->mode[0] = (uint32_t)knobs[KNOB_MODE];
    else if (stim_random(r) >> 26 == 0) in->mode[0] = stim_random(r) >> 30;
    draw_instructions(e, r, knobs, in);
    draw_results(e, r, knobs, in);
    draw_grants(e, r, knobs, in);
    draw_data(e, r, knobs, in);
    draw_flush(e, r, knobs, in);
    in->wr_ready[0] = stim_bits(r, knobs[KNOB_WRITE]) & ((1u << e->num_wr) - 1);
    in->disp_ready[0] = stim_bits(r, knobs[KNOB_TAKE]) & ((1u << e->num_disp) - 1);
}

// ---- what is legal -------------------------------------------------------------------------------

// One bank per BOC, and one for each BOC that data is due for.
static void deliver(const Env *e, BypassCollectorIn *in) {
    uint32_t given = 0;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1) {
        const int b = __builtin_ctz(left);
        const uint32_t coll = in->rd_data_coll[b], bit = coll < 32 ? 1u << coll : 0;
        if (!bit || given & bit || !(bit & e->colls)) in->rd_data_valid[0] &= ~(1u << b);
        else given |= bit;
    }
    int b = 0;
    for (uint32_t left = e->due & ~given; left; left &= left - 1, b++) {
        while (in->rd_data_valid[0] >> b & 1 && e->due >> in->rd_data_coll[b] & 1) b++;
        in->rd_data_valid[0] |= 1u << b;
        in->rd_data_coll[b] = (uint32_t)__builtin_ctz(left);
    }
}

static bool exists(const Env *e, uint32_t coll, uint32_t bank, uint32_t entry) {
    return coll < (uint32_t)e->num_coll && bank < (uint32_t)e->banks && entry < (uint32_t)e->entries;
}

static uint32_t done_results(const BypassCollectorIn *in, const BypassCollectorOut *out) {
    return in->res_valid[0] & out->res_ready[0] & (~out->wr_res[0] | in->wr_ready[0]);
}

static bool result_is_legal(const Env *e, const BypassCollectorIn *in, int p) {
    if (!exists(e, in->res_coll[p], in->res_bank[p], in->res_entry[p])) return false;
    const Warp *w = &e->warp[in->res_coll[p]];
    const uint32_t place = in->res_bank[p] << 16 | in->res_entry[p];
    return !to_be_written(w, place) && !to_be_read(w, place);
}

// Whether the result for a place is outstanding after the results `done` of this cycle.
static bool outstanding(const Env *e, const BypassCollectorIn *in, uint32_t done, uint32_t c, uint32_t place) {
    const Warp *w = &e->warp[c];
    if (to_be_written(w, place)) return true;
    if (!flying(w, place)) return false;
    for (; done; done &= done - 1) {
        const int p = __builtin_ctz(done);
        if (in->res_coll[p] == c && (in->res_bank[p] << 16 | in->res_entry[p]) == place) return false;
    }
    return true;
}

static bool instruction_is_legal(const Env *e, const BypassCollectorIn *in, uint32_t done, int a) {
    const uint32_t c = in->alloc_coll[a];
    if (c >= (uint32_t)e->num_coll || in->alloc_unit[a] >= (uint32_t)e->num_disp) return false;
    for (int o = 0; o < e->num_ops; o++) {
        const uint32_t bank = in->alloc_bank[a * e->num_ops + o], entry = in->alloc_entry[a * e->num_ops + o];
        if (!(in->alloc_need[a] >> o & 1) || in->alloc_pass[0] >> a & 1) continue;
        if (!exists(e, c, bank, entry) || outstanding(e, in, done, c, bank << 16 | entry)) return false;
    }
    if (!(in->alloc_dst[0] >> a & 1)) return true;
    return exists(e, c, in->alloc_dst_bank[a], in->alloc_dst_entry[a]) &&
           !outstanding(e, in, done, c, in->alloc_dst_bank[a] << 16 | in->alloc_dst_entry[a]);
}

// Results under way and to come; the environment keeps no more than FLYING.
static bool has_many(const Warp *w) {
    int n = w->nflying;
    for (int s = 0; s < BOW_MAX_WINDOW; s++) n += w->slot[s].busy && w->slot[s].writes;
    return n >= FLYING;
}

static void bow_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    BypassCollectorIn *in = inputs;
    const BypassCollectorOut *out = outputs;
    const uint32_t before = in->res_valid[0];
    for (uint32_t left = before; left; left &= left - 1)
        if (!result_is_legal(e, in, __builtin_ctz(left))) in->res_valid[0] &= ~(left & -left);
    // Outputs tell which results are done only as long as none was taken back.
    const uint32_t done = in->res_valid[0] == before ? done_results(in, out) : 0;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        if (!instruction_is_legal(e, in, done, a)) in->alloc_valid[0] &= ~(1u << a);
        else if (has_many(&e->warp[in->alloc_coll[a]])) in->alloc_dst[0] &= ~(1u << a);
    }
    uint32_t answered = in->rd_grant[0] & out->rd_valid[0];
    while (__builtin_popcount(answered) > e->banks) {  // each needs a bank that delivers
        const uint32_t highest = 1u << (31 - __builtin_clz(answered));
        answered &= ~highest;
        in->rd_grant[0] &= ~highest;
    }
    deliver(e, in);
}

// ---- coverage ------------------------------------------------------------------------------------

// One bin per number of events, the last one open.
static void see_together(uint64_t *hits, int first, int end, uint32_t events) {
    const int n = least(__builtin_popcount(events), end - first);
    if (n) hits[first + n - 1]++;
}

static void see_reads(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, uint64_t *hits) {
    const uint32_t granted = in->rd_grant[0] & out->rd_valid[0];
    uint32_t given = 0;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        given |= 1u << in->rd_data_coll[__builtin_ctz(left)];
    hits[e->at.ignored + IGNORED_DATA] += (given & ~e->due) != 0;
    hits[e->at.ignored + IGNORED_GRANT] += (in->rd_grant[0] & ~out->rd_valid[0]) != 0;
    see_together(hits, e->at.served, e->at.flush, granted);
    e->asked = out->rd_valid[0];
    e->due = granted;
}

static void fly(Env *e, uint32_t c, uint32_t place) {
    Warp *w = &e->warp[c];
    w->flying[w->nflying++] = place;
    e->with_flying |= 1u << c;
}

// Whether an instruction older than the one in slot s waits.
static bool overtakes(const Env *e, const Warp *w, uint32_t head, uint32_t s) {
    for (uint32_t x = head; x != s; x = x + 1 < (uint32_t)e->window ? x + 1 : 0)
        if (w->slot[x].busy) return true;
    return false;
}

static void see_held_back(Env *e, int c, uint64_t *hits) {
    const uint32_t *words = view(e, c, 0), *entry = view(e, c, 1);
    for (int s = 0; s < e->window; s++) {
        const uint32_t slot = words[1 + s];
        if (!(slot & 1) || !(slot >> 8 & 0x7f)) continue;
        bool complete = true;
        for (int o = 0; o < e->num_ops; o++) {
            const uint32_t i = slot >> (16 + 5 * o) & 31;
            const bool coming = words[0] >> 16 & 1 && (words[0] >> 17 & 31) == i;
            if (slot >> (5 + o) & 1 && (coming || entry[i] & ENTRY_ASK)) complete = false;
        }
        hits[e->at.order + ORDER_HELD] += complete;
    }
}

static void see_dispatch(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, uint64_t *hits) {
    const uint32_t taken = out->disp_valid[0] & in->disp_ready[0];
    uint32_t colls = 0;
    for (uint32_t left = taken; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        const uint32_t c = out->disp_coll[d], s = out->disp_slot[d];
        Warp *w = &e->warp[c];
        hits[e->at.unit + d]++;
        hits[e->at.order + ORDER_OVERTAKES] += overtakes(e, w, out->alloc_slot[c], s);
        if (colls >> c & 1) hits[e->at.order + ORDER_TWICE]++;
        colls |= 1u << c;
        see_held_back(e, (int)c, hits);
    }
    for (uint32_t left = taken; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        Waiting *i = &e->warp[out->disp_coll[d]].slot[out->disp_slot[d]];
        i->busy = false;
        if (i->writes) fly(e, out->disp_coll[d], i->dst);
    }
    see_together(hits, e->at.units, e->at.twice, taken);
    hits[e->at.ignored + IGNORED_READY] += (in->disp_ready[0] & ~out->disp_valid[0]) != 0;
}

static int save_kind(uint32_t word, bool in_window) {
    if (word & ENTRY_SAVE) return in_window ? SAVE_IN_WINDOW : SAVE_LEFT;
    return word & ENTRY_DEAD ? SAVE_EARLY_DEAD : SAVE_EARLY;
}

// A save names no BOC: look for the dirty register among those of the port.
static void see_save(Env *e, int p, uint32_t place, uint64_t *hits) {
    for (int c = p; c < e->num_coll; c += e->num_wr) {
        bool has = false;
        for (int r = 0; r < REGS; r++) has |= e->place[c][r] == place;
        const int i = has ? view_find(e, c, place) : NOWHERE;
        if (i == NOWHERE || !(view(e, c, 1)[i] & ENTRY_DIRTY)) continue;
        hits[e->at.save + save_kind(view(e, c, 1)[i], view_window(e, c) >> i & 1)]++;
        return;
    }
}

static void see_writes(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, uint64_t *hits) {
    for (int p = 0; p < e->num_wr; p++) {
        uint64_t *port = hits + e->at.write + p * WRITES;
        const bool result = out->wr_res[0] >> p & 1, ready = in->wr_ready[0] >> p & 1;
        if (!(out->wr_valid[0] >> p & 1)) continue;
        port[result ? ready ? WRITE_RESULT : WRITE_RES_REFUSED : ready ? WRITE_SAVE : WRITE_SAVE_REFUSED]++;
        if (result) continue;
        bool lower = false;
        for (int x = 0; x < p; x++) lower |= in->res_valid[0] >> x & 1 && in->res_coll[x] == in->res_coll[p];
        port[WRITE_SAVE_FIRST] += in->res_valid[0] >> p & 1 && !lower && !(out->res_ready[0] >> p & 1);
        if (ready) see_save(e, p, out->wr_bank[p] << 16 | out->wr_entry[p], hits);
    }
}

// The slot that awaits the place, NOWHERE.
static int awaiting(Env *e, int c, uint32_t place) {
    for (int s = 0; s < e->window; s++)
        if (view(e, c, 0)[1 + s] & 2 && view(e, c, 0)[8 + s] == place) return s;
    return NOWHERE;
}

static int result_kind(uint32_t word, bool held, bool late, bool keep, bool full, bool room) {
    const bool dirty = word & ENTRY_DIRTY, saving = word & ENTRY_SAVE;
    if (!held && !late && keep && full) return room ? RES_NEW : RES_NO_ROOM;
    if (!held) return late ? RES_LATE : full ? RES_NOT_HELD : RES_PART_NOT_HELD;
    if (!full && dirty) return late ? RES_LATE_MERGE : saving ? RES_MERGE_SAVING : RES_MERGE_DIRTY;
    if (late) return RES_LATE_FREES;
    if (!keep) return !full ? RES_PART_FREES : dirty ? RES_FREES_DIRTY : RES_FREES_CLEAN;
    if (!full) return RES_MERGE_CLEAN;
    return saving ? RES_OVER_SAVING : dirty ? RES_OVER_DIRTY : RES_OVER_CLEAN;
}

static void see_result(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, int p, uint64_t *hits) {
    const int c = (int)in->res_coll[p];
    const uint32_t place = in->res_bank[p] << 16 | in->res_entry[p], bits = in->res_write[p];
    const uint32_t lane = in->res_lane[p], mode = in->mode[0];
    hits[e->at.mode + (int)mode]++;
    hits[e->at.lane + LANE_FIRST] += lane == 1;
    hits[e->at.lane + LANE_LAST] += lane == 1u << 31;
    hits[e->at.lane + LANE_HOLES] += (lane & ~(lane + (lane & -lane))) != lane;
    hits[e->at.lane + LANE_HALF] += lane == 0xffff || lane == 0xffff0000;
    if (mode >= BOW_COMPILER) hits[e->at.bits + (int)bits]++;
    if (lane == 0 || (mode >= BOW_COMPILER && bits == 0)) {
        hits[e->at.res + (lane == 0 ? RES_NO_LANE : RES_DROPPED)]++;
        return;
    }
    const int slot = awaiting(e, c, place), i = view_find(e, c, place);
    const uint32_t held = view_held(e, c), all = UINT32_MAX >> (32 - e->values);
    uint32_t can = ~held & all;
    for (int k = 0; k < e->values; k++)
        if (held >> k & 1 && !(view(e, c, 1)[k] & ENTRY_DIRTY)) can |= 1u << k;
    can &= ~view_needed(e, c) | ~held;
    const bool keep = mode < BOW_COMPILER || bits >> 1, full = lane == UINT32_MAX, late = slot == NOWHERE;
    const int kind = result_kind(i == NOWHERE ? 0 : view(e, c, 1)[i], i != NOWHERE, late, keep, full, can != 0);
    hits[e->at.res + kind]++;
    if (kind == RES_NEW) hits[e->at.take + (held == all ? TAKE_RES_WINDOW : TAKE_RES_FREE)]++;
    if (late && mode >= BOW_COMPILER && bits == 2) hits[e->at.res + RES_LATE_DEAD]++;
    if (!late && (uint32_t)slot == out->alloc_slot[c]) hits[e->at.res + RES_LAST_SLOT]++;
}

static uint32_t see_results(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, uint64_t *hits) {
    uint32_t colls = 0, seen = 0;
    for (uint32_t left = in->res_valid[0]; left; left &= left - 1) {
        const uint32_t c = in->res_coll[__builtin_ctz(left)];
        if (seen >> c & 1) hits[e->at.twice]++;
        seen |= 1u << c;
    }
    for (uint32_t left = done_results(in, out); left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        const uint32_t place = in->res_bank[p] << 16 | in->res_entry[p];
        see_result(e, in, out, p, hits);
        colls |= 1u << in->res_coll[p];
        Warp *w = &e->warp[in->res_coll[p]];
        for (int i = 0; i < w->nflying; i++)
            if (w->flying[i] == place) {
                w->flying[i] = w->flying[--w->nflying];
                break;
            }
        if (!w->nflying) e->with_flying &= ~(1u << in->res_coll[p]);
    }
    return colls;
}

static void see_leaving(Env *e, int c, uint32_t passed, uint64_t *hits) {
    for (; passed; passed &= passed - 1) {
        const uint32_t word = view(e, c, 1)[__builtin_ctz(passed)];
        const int kind = !(word & ENTRY_DIRTY) ? LEAVE_CLEAN : word & ENTRY_SAVE ? LEAVE_SAVING
                       : word & ENTRY_DEAD ? LEAVE_DEAD : LEAVE_SAVE;
        hits[e->at.leave + kind]++;
    }
}

// How operand o gets its value; true when it is forwarded.
static bool see_operand(Env *e, const BypassCollectorIn *in, int a, int o, uint32_t head, uint64_t *hits) {
    const int c = (int)in->alloc_coll[a];
    const uint32_t *bank = &in->alloc_bank[a * e->num_ops], *entry = &in->alloc_entry[a * e->num_ops];
    for (int x = 0; x < o; x++)
        if (in->alloc_need[a] >> x & 1 && bank[x] == bank[o] && entry[x] == entry[o]) {
            hits[e->at.other + FORWARD_TWICE]++;
            return true;
        }
    const int i = view_find(e, c, bank[o] << 16 | entry[o]);
    if (i == NOWHERE) return false;
    const uint32_t word = view(e, c, 1)[i], *words = view(e, c, 0);
    for (uint32_t d = 1; d < (uint32_t)e->window; d++)
        if (words[16 + (head + (uint32_t)e->window - d) % (uint32_t)e->window] >> i & 1) {
            hits[e->at.distance + (int)d - 1]++;
            if (word & ENTRY_ASK || (words[0] >> 16 & 1 && (words[0] >> 17 & 31) == (uint32_t)i))
                hits[e->at.other + FORWARD_COMING]++;
            return true;
        }
    const bool saved = word & ENTRY_SAVE || (word & (ENTRY_DIRTY | ENTRY_DEAD)) == ENTRY_DIRTY;
    hits[e->at.other + FORWARD_SAVED] += saved;
    return saved;
}

// Returns the number of forwarded operands.
static int see_enter(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, int a, uint64_t *hits) {
    const int c = (int)in->alloc_coll[a];
    const uint32_t head = out->alloc_slot[c];
    const bool pass = in->alloc_pass[0] >> a & 1, writes = in->alloc_dst[0] >> a & 1;
    const uint32_t need = pass ? 0 : in->alloc_need[a], dst = in->alloc_dst_bank[a] << 16 | in->alloc_dst_entry[a];
    Warp *w = &e->warp[c];
    Waiting next = {!pass, writes, (uint8_t)need, {0}, dst};
    int forwards = 0;
    see_leaving(e, c, view(e, c, 0)[16 + head], hits);
    for (int o = 0; o < e->num_ops; o++) {
        if (!(need >> o & 1)) continue;
        forwards += see_operand(e, in, a, o, head, hits);
        next.src[o] = in->alloc_bank[a * e->num_ops + o] << 16 | in->alloc_entry[a * e->num_ops + o];
    }
    const int count = __builtin_popcount(need), held = __builtin_popcount(view_held(e, c));
    if (!pass) hits[e->at.operands + count * (count + 1) / 2 + forwards]++;
    if (count > forwards) hits[e->at.take + (count - forwards > e->values - held ? TAKE_WINDOW : TAKE_FREE)]++;
    hits[e->at.pass + pass]++;
    hits[e->at.held + (held == 0 ? HELD_NONE : held <= e->values / 2 ? HELD_HALF
                       : held < e->values ? HELD_MORE : HELD_ALL)]++;
    hits[e->at.order + ORDER_FOLLOWS] += writes && !pass && to_be_read(w, dst);
    w->slot[head] = next;
    if (pass && writes) fly(e, (uint32_t)c, dst);
    return forwards;
}

static bool names_result(const Env *e, const BypassCollectorIn *in, uint32_t done, int a) {
    for (; done; done &= done - 1) {
        const int p = __builtin_ctz(done);
        for (int o = 0; o < e->num_ops; o++)
            if (in->alloc_need[a] >> o & 1 && in->res_coll[p] == in->alloc_coll[a] &&
                in->res_bank[p] == in->alloc_bank[a * e->num_ops + o] &&
                in->res_entry[p] == in->alloc_entry[a * e->num_ops + o]) return true;
    }
    return false;
}

// The BOCs that an instruction enters.
static uint32_t see_instructions(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, uint64_t *hits) {
    uint32_t seen = 0, entered = 0;
    int forwards = 0;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        const uint32_t c = in->alloc_coll[a];
        const int count = in->alloc_pass[0] >> a & 1 ? 0 : __builtin_popcount(in->alloc_need[a]);
        if (seen >> c & 1) {
            hits[e->at.ignored + IGNORED_PORT]++;
            continue;
        }
        seen |= 1u << c;
        hits[e->at.room + (int)out->alloc_room[c]]++;
        if (!(out->alloc_ready[0] >> c & 1)) hits[e->at.ignored + IGNORED_SLOT]++;
        else if (count > (int)out->alloc_room[c]) hits[e->at.ignored + IGNORED_ROOM]++;
        else {
            entered |= 1u << c;
            hits[e->at.order + ORDER_SAME_CYCLE] += names_result(e, in, done_results(in, out), a);
            forwards += see_enter(e, in, out, a, hits);
        }
    }
    hits[e->at.entered + __builtin_popcount(entered)]++;
    if (entered) hits[e->at.together + (forwards < TOGETHER ? forwards : TOGETHER)]++;
    return entered;
}

static void see_ends(Env *e, uint32_t set, int first, uint32_t entering, uint32_t results, uint64_t *hits) {
    for (; set; set &= set - 1) {
        const int c = __builtin_ctz(set);
        uint32_t states = view_states(e, c);
        if (entering >> c & 1) states |= 1u << STATE_ENTER;
        if (results >> c & 1) states |= 1u << STATE_RESULT;
        if (e->granted >> c & 1) states |= 1u << STATE_GRANTED;
        for (; states; states &= states - 1) hits[first + __builtin_ctz(states)]++;
    }
}

static void bow_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const BypassCollectorIn *in = inputs;
    const BypassCollectorOut *out = outputs;
    e->seen = 0;
    for (uint32_t left = e->reset_met & ((1u << STATE_ENTER) - 1); left; left &= left - 1)
        hits[e->at.reset + __builtin_ctz(left)]++;
    e->reset_met = 0;
    see_reads(e, in, out, hits);
    see_writes(e, in, out, hits);
    see_dispatch(e, in, out, hits);
    const uint32_t results = see_results(e, in, out, hits);
    e->granted = in->rd_grant[0] & out->rd_valid[0];
    e->dropped_read = (e->granted & in->drop[0]) != 0;
    for (uint32_t left = in->drop[0]; left; left &= left - 1)
        memset(e->warp[__builtin_ctz(left)].slot, 0, sizeof e->warp->slot);
    const uint32_t entering = see_instructions(e, in, out, hits);
    see_ends(e, in->flush[0] & ~in->drop[0], e->at.flush, entering, results, hits);
    see_ends(e, in->drop[0], e->at.drop, entering, results, hits);
    hits[e->at.both] += (in->flush[0] & in->drop[0]) != 0;
    bypass_collector_model.tick(e->model, in);
}

static const StimShape SHAPES[] = {
    {"Window=3 Values=6 Banks=3 NumColl=5", "a half-size window, under pressure; odd banks"},
    {0},
};

// That data of a dropped warp is under way shows in the next cycle, and only if nothing else comes to its entry.
static bool bow_look(void *self) { return ((Env *)self)->dropped_read; }

const BlockStim bypass_collector_stim = {
    .shapes = SHAPES,
    .knobs = KNOB_TABLE, .nknobs = KNOBS, .needs_out = true, .bins = bow_bins,
    .open = bow_open, .close = bow_close, .reset = bow_forget,
    .randomise = bow_randomise, .constrain = bow_constrain, .observe = bow_observe, .look = bow_look,
};
