// SPDX-License-Identifier: Apache-2.0
// Stimuli of bypass_collector: warps name few registers again and again. A scoreboard excludes
// registers with a result outstanding. Results return after any time, the register file refuses,
// registers die and warps end at any moment. Ignored and unusual inputs are driven too: unannounced
// results, results that differ from their announcement, stray grants and data, entries into a BOC
// that is dropped.
//
// A second golden model runs along and shows the internal events through its observation words.
#include "models/collect/bypass_collector.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum {
    KNOB_ALLOC,
    KNOB_FOCUS,
    KNOB_REGS,
    KNOB_PASS,
    KNOB_MORE,
    KNOB_FEW,
    KNOB_WORDS,
    KNOB_ONLY,
    KNOB_HOMELESS,
    KNOB_GRANT,
    KNOB_TAKE,
    KNOB_WRITE,
    KNOB_RESULT,
    KNOB_STRANGE,
    KNOB_PART,
    KNOB_MODE,
    KNOB_BITS,
    KNOB_KILL,
    KNOB_DROP,
    KNOB_PRESS,
    KNOB_STRAY,
    KNOB_CROWD,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"alloc", 5, 100, "percent of allocation ports with an instruction"},
    {"focus", 0, 6, "BOCs that get instructions: all / 2^this"},
    {"regs", 1, 20, "registers of a warp"},
    {"pass", -40, 80, "percent of instructions that only name registers (below 1: none)"},
    {"more", -20, 50, "percent of entries that continue an instruction (below 1: none)"},
    {"few", 0, 100, "percent of instructions with random needs instead of all operands"},
    {"words", 0, 7, "destination words: 0..3: 0 or 1; 4: always 1; 5: 0 to 2; else 0 to 4"},
    {"only", -20, 100, "percent of instructions whose result is for the BOC only (below 1: none)"},
    {"homeless", -50, 100, "percent of those results without a place (below 1: none)"},
    {"grant", 0, 100, "percent of requests that are granted"},
    {"take", 10, 100, "percent of units that are ready"},
    {"write", -20, 100, "percent of write ports that are ready (below 1: none)"},
    {"result", 0, 100, "percent of result ports with a result"},
    {"strange", -20, 20, "percent of results that were not announced (below 1: none)"},
    {"part", 0, 60, "percent of results in some lanes only"},
    {"mode", 0, 6, "0..3: that mode, 4: any, else compiler bits"},
    {"bits", 0, 7, "compiler bits of other results: 0..3 mostly these, else any"},
    {"kill", -30, 60, "permille of cycles with dead registers (below 1: none)"},
    {"drop", -30, 30, "permille of cycles in which warps end (below 1: none)"},
    {"press", -50, 50, "percent of BOCs whose next instruction lacks rows (below 1: none)"},
    {"stray", 0, 20, "percent of banks that deliver to nobody in particular"},
    {"crowd", 0, 5, "5: one BOC fills with values that are hardly ever saved"},
};

enum { TOGETHER = 4, REGS = 64, CROWD = 5, NOWHERE = -1 };

// The kinds of events, group by group.
static const char *const KIND[] = {"collected", "continuation", "pass", "pass-continuation"};
enum { FORWARD_SAVED, FORWARD_COMING, FORWARD_RESULT, FORWARD_OWN, FORWARD_TWICE, FORWARDS };
static const char *const FORWARD[] = {"held-for-its-save", "read-under-way", "result-of-the-cycle",
                                      "reserved-by-its-first-part", "named-twice"};
enum { LEAVE_CLEAN, LEAVE_DIRTY, LEAVE_ONLY, LEAVE_SAVING, LEAVE_EMPTY, LEAVES };
static const char *const LEAVE[] = {"clean", "dirty", "only", "named-while-saved", "empty"};
enum { TAKE_FREE, TAKE_LEFT, TAKE_EVICTS, TAKES };
static const char *const TAKE[] = {"free", "freed-by-the-move", "evicts"};
enum {
    RESERVE_NEW,
    RESERVE_CLEAN,
    RESERVE_DIRTY,
    RESERVE_ONLY,
    RESERVE_SAVING,
    RESERVE_OWN,
    RESERVES
};
static const char *const RESERVE[] = {"new-row",  "clean-row",       "dirty-row",
                                      "only-row", "row-being-saved", "operand"};
enum { SAVE_LEFT, SAVE_NAMED, SAVE_CROWDED, SAVE_PRESSED, SAVES };
static const char *const SAVE[] = {"left-the-window", "named-again", "crowded", "pressed"};
enum {
    RES_NEW,
    RES_NO_ROOM,
    RES_OVER_CLEAN,
    RES_OVER_DIRTY,
    RES_OVER_ONLY,
    RES_OVER_SAVING,
    RES_INTO_EMPTY,
    RES_LANES_CLEAN,
    RES_MERGE_DIRTY,
    RES_MERGE_SAVING,
    RES_MERGE_ONLY,
    RES_MERGE_UNONLY,
    RES_FREES_CLEAN,
    RES_FREES_DIRTY,
    RES_FREES_ONLY,
    RES_FREES_EMPTY,
    RES_LANES_FREE_CLEAN,
    RES_NOT_HELD,
    RES_LANES_NOT_HELD,
    RES_LATE,
    RES_LATE_FREES,
    RES_LATE_MERGE,
    RES_ENDS,
    RES_ENDS_EMPTY,
    RES_ENDS_RESERVED,
    RES_NO_LANE,
    RES_DIRECT,
    RES_LAST_SLOT,
    RES_HOMELESS,
    RES_HOMELESS_LANES,
    RES_HOMELESS_MERGE,
    RES_HOMELESS_LOST,
    RES_WORD,
    RESES
};
static const char *const RES[] = {"new-row",          "no-row-left",
                                  "over-clean",       "over-dirty",
                                  "over-only",        "over-being-saved",
                                  "into-empty",       "lanes-over-clean",
                                  "lanes-over-dirty", "lanes-over-being-saved",
                                  "lanes-over-only",  "lanes-over-only-with-11",
                                  "frees-clean",      "frees-dirty",
                                  "frees-only",       "lanes-free-empty",
                                  "lanes-free-clean", "register-file-only",
                                  "lanes-not-held",   "late",
                                  "late-frees",       "late-merged",
                                  "dropped",          "dropped-frees-empty",
                                  "dropped-reserved", "no-lane",
                                  "no-forwarding",    "of-the-slot-that-is-reused",
                                  "homeless",         "homeless-lanes-take-all",
                                  "homeless-merged",  "homeless-lost",
                                  "of-a-second-word"};
enum { WRITE_RESULT, WRITE_SAVE, WRITE_SAVE_FIRST, WRITE_RES_REFUSED, WRITE_SAVE_REFUSED, WRITES };
static const char *const WRITE[] = {"result", "save", "save-first", "result-refused",
                                    "save-refused"};
enum { LANE_FIRST, LANE_LAST, LANE_HOLES, LANE_HALF, LANES };
static const char *const LANE[] = {"first", "last", "holes", "half"};
enum { IGNORED_GRANT, IGNORED_DATA, IGNORED_READY, IGNORED_ENTRY, IGNOREDS };
static const char *const IGNORED[] = {"grant-unasked", "data-unasked", "ready-without-offer",
                                      "entry-with-drop"};
enum { ORDER_FOLLOWS, ORDER_HELD, ORDER_OVERTAKES, ORDER_OTHER_UNIT, ORDER_RESTART, ORDERS };
static const char *const ORDER[] = {"must-follow", "held-back", "overtakes", "other-unit-first",
                                    "all-units-refused"};
enum { SHARE_SAVE_WAITS, SHARE_INSTRUCTION_WAITS, SHARES };
static const char *const SHARE[] = {"save-waits", "instruction-waits"};
enum { KILL_CLEAN, KILL_DIRTY, KILL_ONLY, KILL_SAVING, KILL_WITH_ENTRY, KILL_TAKEN, KILLS };
static const char *const KILL[] = {"clean",       "dirty",      "only",
                                   "being-saved", "with-entry", "while-saved"};
// States in which a BOC is dropped or reset.
enum {
    STATE_EMPTY,
    STATE_CLEAN,
    STATE_DIRTY,
    STATE_ONLY,
    STATE_SAVING,
    STATE_RESERVED,
    STATE_ASKING,
    STATE_COMING,
    STATE_WAITING,
    STATE_AWAITING,
    STATE_RESULT,
    STATE_GRANTED,
    STATES
};
static const char *const STATE[] = {"empty",       "clean",    "dirty",  "only",
                                    "being-saved", "reserved", "asking", "data-under-way",
                                    "waiting",     "awaiting", "result", "granted"};
static const char *const MODE[] = {"write-through", "write-back", "compiler", "no-forwarding"};
static const char *const BITS[] = {"00", "01", "10", "11"};

typedef struct Bins {
    int operands, distance, other, together, kind, entered, words, leave, take, take_result,
        reserve, save, res, mode, bits, write, lane, lanes, ignored, order, share, unit, units,
        twice, room, more_room, served, kill, drop, reset;
} Bins;

typedef struct Env {
    int params[PARAMS];
    int num_coll, num_ops, num_alloc, num_disp, num_wr, window, values, banks;
    Bins at;
    uint32_t bank_mask, rows;
    uint64_t colls;
    // registers; those that were announced with bits 10
    uint64_t outstanding[BOW_MAX_COLL], only[BOW_MAX_COLL];
    uint64_t with_outstanding;   // BOCs
    bool entered[BOW_MAX_COLL];  // since the last reset or drop
    uint64_t due, asked;         // granted in the last cycle; requested in it
    bool looks;                  // an event of this cycle shows in the next one's state alone
    uint32_t reset_met, mode, wanted;
    void *model;    // runs along
    uint64_t seen;  // BOCs whose words are here
    uint32_t view[BOW_MAX_COLL][2][32];
} Env;

static int least(int a, int b) { return a < b ? a : b; }
static uint64_t bit(int i) { return (uint64_t)1 << i; }

// ---- bins ---------------------------------------------------------------------------------------

static void bin_range(BinList *l, const char *group, const char *word, int from, int to) {
    for (int i = from; i <= to; i++) bin_add(l, group, "%s%d", word, i);
}

static int bins_layout(Bins *at, const int *params, CoverBin *bins) {
    const int ops = params[P_NumOps], alloc = params[P_NumAlloc], disp = params[P_NumDisp],
              wr = params[P_NumWr], coll = params[P_NumColl], values = params[P_Values];
    BinList l = {bins, 0};
    at->operands = l.n;
    for (int need = 0; need <= ops; need++)
        for (int f = 0; f <= need; f++) bin_add(&l, "operands forwarded", "%d of %d", f, need);
    at->distance = l.n, bin_range(&l, "bypass distance", "", 1, params[P_Window] - 1);
    at->other = bin_words(&l, "forwarded otherwise", FORWARD, FORWARDS - (ops < 2));
    at->together = l.n, bin_range(&l, "forwarded at once", "x", 0, least(alloc * ops, TOGETHER));
    at->kind = bin_words(&l, "kind of entry", KIND, 4);
    at->entered = l.n, bin_range(&l, "entered at once", "x", 0, least(alloc, coll));
    at->words = l.n, bin_range(&l, "destination words", "", 0, BOW_WORDS);
    at->leave = bin_words(&l, "leaves the window", LEAVE, LEAVES);
    at->take = bin_words(&l, "row taken by an entry", TAKE, TAKES);
    at->take_result = l.n, bin_add(&l, "row taken by a result", "free"),
    bin_add(&l, "row taken by a result", "evicts");
    at->reserve = bin_words(&l, "reserved", RESERVE, RESERVES);
    at->save = bin_words(&l, "saved", SAVE, SAVES);
    at->res = bin_words(&l, "result", RES, RESES);
    at->mode = bin_words(&l, "result in mode", MODE, 4);
    at->bits = bin_words(&l, "compiler bits", BITS, 4);
    at->write = l.n;
    for (int p = 0; p < wr; p++)
        for (int k = 0; k < WRITES; k++) bin_add(&l, "write port", "%d.%s", p, WRITE[k]);
    at->lane = bin_words(&l, "lanes of a result", LANE, LANES);
    at->lanes = bin_lanes(&l, "lanes of a result");
    at->ignored = bin_words(&l, "ignored", IGNORED, IGNOREDS);
    at->order = bin_words(&l, "order", ORDER, ORDERS - (disp < 2 ? 2 : 0));
    at->share = bin_words(&l, "shared read port", SHARE, SHARES);
    at->unit = l.n, bin_range(&l, "dispatch", "unit", 0, disp - 1);
    at->units = l.n,
    bin_range(&l, "dispatched at once", "x", 1, least(least(disp, coll), TOGETHER));
    at->twice = wr > 1 ? bin_add(&l, "results", "two for one BOC") : NO_BIN;
    at->room = l.n, bin_range(&l, "room", "", 0, least(BOW_MAX_ROOM, values));
    at->more_room = bin_add(&l, "room", "less for a continuation");
    at->served = l.n,
    bin_range(&l, "granted at once", "x", 1, least(least(params[P_Banks], coll), TOGETHER));
    at->kill = bin_words(&l, "kill", KILL, KILLS);
    at->drop = bin_words(&l, "drop", STATE, STATES);
    at->reset = bin_words(&l, "reset", STATE, STATE_RESULT);
    return l.n;
}

static int bow_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_layout(&at, params, bins);
}

// ---- the state of the second model --------------------------------------------------------------

static const uint32_t *view(Env *e, int c, int kind) {
    if (!(e->seen >> c & 1)) {
        bypass_collector_model.observe(e->model, (uint32_t)c, e->view[c][0]);
        bypass_collector_model.observe(e->model, (uint32_t)(e->num_coll + c), e->view[c][1]);
        e->seen |= bit(c);
    }
    return e->view[c][kind];
}

// Bits of the words, see models/collect/bypass_collector.h.
enum {
    ROW_WINDOW = 1 << 0,
    ROW_ASK = 1 << 1,
    ROW_DIRTY = 1 << 2,
    ROW_ONLY = 1 << 3,
    ROW_SAVE = 1 << 4,
    ROW_RESERVED = 1 << 5,
    ROW_EMPTY = 1 << 6,
    ROW_USED = ROW_WINDOW | ROW_SAVE
};
static uint32_t row_reg(uint32_t word) { return word >> 16 & 63; }
static uint32_t row_slot(uint32_t word) { return word >> 8 & 7; }

static uint32_t view_head(Env *e, int c) { return view(e, c, 0)[0] & 7; }
static uint32_t view_slot(Env *e, int c, uint32_t s) { return view(e, c, 0)[1 + s]; }
static uint32_t view_newest(Env *e, int c) {
    const uint32_t head = view_head(e, c);
    return head ? head - 1 : (uint32_t)e->window - 1;
}

static bool view_coming(Env *e, int c, int i) {
    const uint32_t word = view(e, c, 0)[0];
    return word >> 13 & 1 && (word >> 14 & 31) == (uint32_t)i;
}

static int view_find(Env *e, int c, uint32_t reg) {
    const uint32_t *row = view(e, c, 1);
    for (int i = 0; i < e->values; i++)
        if (row[i] & ROW_USED && row_reg(row[i]) == reg) return i;
    return NOWHERE;
}

// Rows that waiting instructions need, of slot s alone or (NOWHERE) of all.
static uint32_t view_needed(Env *e, int c, int only) {
    uint32_t set = 0;
    for (int s = 0; s < e->window; s++) {
        const uint32_t slot = view_slot(e, c, (uint32_t)s);
        for (int o = 0; slot & 1 && (only == NOWHERE || only == s) && o < e->num_ops; o++)
            if (slot >> (4 + o) & 1) set |= 1u << (slot >> (16 + 5 * o) & 31);
    }
    return set;
}

// Registers that waiting instructions will read and write.
static uint64_t view_to_read(Env *e, int c) {
    uint64_t regs = 0;
    for (uint32_t left = view_needed(e, c, NOWHERE); left; left &= left - 1)
        regs |= bit((int)row_reg(view(e, c, 1)[__builtin_ctz(left)]));
    return regs;
}

// Registers that a slot awaits.
static uint64_t view_awaited(Env *e, int c, uint32_t s) {
    const uint64_t word = view(e, c, 0)[8 + s];
    return (word & 15) << (word >> 4 & 63);
}

static uint64_t view_to_write(Env *e, int c) {
    uint64_t regs = 0;
    for (uint32_t s = 0; s < (uint32_t)e->window; s++)
        if (view_slot(e, c, s) & 1) regs |= view_awaited(e, c, s);
    return regs;
}

// Slot that awaits the register, NOWHERE.
static int view_awaits(Env *e, int c, uint32_t reg) {
    for (int s = 0; s < e->window; s++) {
        const uint32_t word = view(e, c, 0)[8 + s], i = reg - (word >> 4 & 63);
        if (i < BOW_WORDS && word >> i & 1) return s;
    }
    return NOWHERE;
}

// Rows that can be taken: free, freed when the window moves, or clean and idle.
typedef struct Takable {
    uint32_t free, leaving, clean;
} Takable;

static Takable view_takable(Env *e, int c) {
    Takable t = {0};
    const uint32_t head = view_head(e, c), needed = view_needed(e, c, NOWHERE);
    for (int i = 0; i < e->values; i++) {
        const uint32_t word = view(e, c, 1)[i], at = 1u << i;
        if (!(word & ROW_USED)) t.free |= at;
        else if (word & ROW_WINDOW && row_slot(word) == head &&
                 (word & (ROW_DIRTY | ROW_ONLY)) != ROW_DIRTY)
            t.leaving |= at;
        if (!(word & ROW_USED) || word & (ROW_DIRTY | ROW_ASK | ROW_RESERVED)) continue;
        if (!view_coming(e, c, i) && !(needed & at)) t.clean |= at;
    }
    return t;
}

// The states a BOC is in, as a set.
static uint32_t view_states(Env *e, int c) {
    uint32_t set = 0;
    for (int i = 0; i < e->values; i++) {
        const uint32_t word = view(e, c, 1)[i];
        if (!(word & ROW_USED)) continue;
        if (word & ROW_RESERVED) set |= 1u << STATE_RESERVED;
        if (word & ROW_ASK) set |= 1u << STATE_ASKING;
        else if (!(word & ROW_DIRTY)) set |= 1u << STATE_CLEAN;
        else
            set |= 1u << (word & ROW_SAVE       ? STATE_SAVING
                              : word & ROW_ONLY ? STATE_ONLY
                                                : STATE_DIRTY);
    }
    if (view(e, c, 0)[0] >> 13 & 1) set |= 1u << STATE_COMING;
    for (int s = 0; s < e->window; s++) {
        if (view_slot(e, c, (uint32_t)s) & 1) set |= 1u << STATE_WAITING;
        if (view(e, c, 0)[8 + s]) set |= 1u << STATE_AWAITING;
    }
    return set ? set : 1u << STATE_EMPTY;
}

// ---- life ---------------------------------------------------------------------------------------

static void forget(Env *e, int c) {
    e->outstanding[c] = e->only[c] = 0;
    e->with_outstanding &= ~bit(c);
    e->entered[c] = false;
}

static void bow_forget(void *self) {
    Env *e = self;
    e->seen = 0;
    for (int c = 0; c < e->num_coll; c++) {
        e->reset_met |= view_states(e, c);
        forget(e, c);
    }
    e->seen = e->due = e->asked = 0;
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
    e->num_coll = params[P_NumColl], e->num_ops = params[P_NumOps],
    e->num_alloc = params[P_NumAlloc];
    e->num_disp = params[P_NumDisp], e->num_wr = params[P_NumWr], e->banks = params[P_Banks];
    e->window = params[P_Window], e->values = params[P_Values];
    bins_layout(&e->at, params, NULL);
    e->colls = UINT64_MAX >> (64 - e->num_coll);
    e->bank_mask = UINT32_MAX >> (32 - e->banks);
    e->rows = (1u << e->values) - 1;
    return e;
}

// ---- driving ------------------------------------------------------------------------------------

static bool percent(StimRandom *r, int p) { return p > 0 && stim_percent(r, p); }

static uint32_t put_bit(uint32_t set, int i, bool value) {
    return (set & ~(1u << i)) | (uint32_t)value << i;
}

static uint64_t bits64(StimRandom *r, int p) {
    return (uint64_t)stim_bits(r, p) << 32 | stim_bits(r, p);
}

// A register of BOC c, rather one without outstanding result; those of odd BOCs are counted from
// the top.
static uint32_t draw_reg(const Env *e, StimRandom *r, int c, int regs) {
    uint32_t reg = 0;
    for (int tries = 0; tries < 3; tries++) {
        reg = stim_below(r, (uint32_t)regs) ^ (c % 2 ? REGS - 1 : 0);
        if (!(e->outstanding[c] >> reg & 1)) break;
    }
    return reg;
}

static uint32_t draw_words(StimRandom *r, int knob) {
    if (knob > 7) return BOW_WORDS;
    return knob < 4 ? stim_below(r, 2)
        : knob == 4 ? 1
                    : stim_below(r, knob == 5 ? 3 : BOW_WORDS + 1);
}

static void draw_entry(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in,
                       int a) {
    const int c = (int)in->alloc_coll[a], regs = knobs[KNOB_REGS];
    in->alloc_more[0] = put_bit(in->alloc_more[0], a, percent(r, knobs[KNOB_MORE]));
    in->alloc_pass[0] = put_bit(in->alloc_pass[0], a, percent(r, knobs[KNOB_PASS]));
    in->alloc_only[0] = put_bit(in->alloc_only[0], a, percent(r, knobs[KNOB_ONLY]));
    in->alloc_unit[a] = stim_below(r, (uint32_t)e->num_disp);
    const uint32_t all = (1u << e->num_ops) - 1;
    in->alloc_need[a] = percent(r, knobs[KNOB_FEW]) ? stim_random(r) & all : all;
    for (int o = 0; o < e->num_ops; o++)
        in->alloc_src[a * e->num_ops + o] = draw_reg(e, r, c, regs);
    in->alloc_words[a] = draw_words(r, knobs[KNOB_WORDS]);
    in->alloc_dst[a] = draw_reg(e, r, c, regs);
    if (in->alloc_dst[a] + in->alloc_words[a] > REGS) in->alloc_dst[a] = REGS - in->alloc_words[a];
}

static void draw_entries(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->alloc_valid[0] = stim_bits(r, knobs[KNOB_ALLOC]) & ((1u << e->num_alloc) - 1);
    uint32_t span = (uint32_t)e->num_coll >> knobs[KNOB_FOCUS];
    if (!span) span = 1;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        in->alloc_coll[a] =
            (stim_below(r, span) + (uint32_t)knobs[KNOB_PART]) % (uint32_t)e->num_coll;
        draw_entry(e, r, knobs, in, a);
    }
}

// The n-th member of a set that is not empty, counted round.
static int nth(uint64_t set, uint32_t n) {
    for (n %= (uint32_t)__builtin_popcountll(set); n; n--) set &= set - 1;
    return __builtin_ctzll(set);
}

static void draw_bits(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in, int p) {
    const bool announced = e->only[in->res_coll[p]] >> in->res_reg[p] & 1;
    if (announced && stim_random(r) >> 28) in->res_write[p] = 2;
    else if (knobs[KNOB_BITS] < 4 && stim_random(r) >> 30)
        in->res_write[p] = (uint32_t)knobs[KNOB_BITS];
    else in->res_write[p] = stim_random(r) >> 30;
    in->res_homeless[0] = put_bit(in->res_homeless[0], p, percent(r, knobs[KNOB_HOMELESS]));
}

// Results of instructions that have been dispatched; now and then an unannounced one.
static void draw_results(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->res_valid[0] = 0;
    uint32_t wanted = stim_bits(r, knobs[KNOB_RESULT]) & ((1u << e->num_wr) - 1), last = 0;
    for (; wanted; wanted &= wanted - 1) {
        const int p = __builtin_ctz(wanted);
        int c = (int)stim_below(r, (uint32_t)e->num_coll);
        if (e->with_outstanding) c = nth(e->with_outstanding, stim_random(r) >> 26);
        if (last && stim_random(r) >> 30 == 0) c = (int)last - 1;  // two for one BOC
        if (percent(r, knobs[KNOB_STRANGE])) in->res_reg[p] = draw_reg(e, r, c, knobs[KNOB_REGS]);
        else if (e->outstanding[c])
            in->res_reg[p] = (uint32_t)nth(e->outstanding[c], stim_random(r) >> 24);
        else continue;
        last = (uint32_t)c + 1;
        in->res_valid[0] |= 1u << p;
        in->res_coll[p] = (uint32_t)c;
        in->res_lane[p] = percent(r, knobs[KNOB_PART]) ? stim_lanes(r) : UINT32_MAX;
        draw_bits(e, r, knobs, in, p);
        if (knobs[KNOB_CROWD] == CROWD) in->res_write[p] |= 2;
        stim_row(r, in->res_data[p]);
    }
}

// Some of those that asked in the last cycle, at most one per bank, from a random one on.
static void draw_grants(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    uint64_t wanted = bits64(r, knobs[KNOB_GRANT]) & e->asked, granted = 0;
    const uint32_t random = stim_random(r);
    for (int n = 0; n < e->banks && wanted; n++) {
        const uint64_t one = bit(nth(wanted, random >> 26));
        granted |= one, wanted &= ~one;
    }
    if ((random & 15) == 0) granted |= bits64(r, 25) & e->colls;
    for (int c = 0; c < e->num_coll; c++) in->rd_grant[c] = granted >> c & 1;
}

static void draw_data(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->rd_data_valid[0] = stim_bits(r, knobs[KNOB_STRAY]) & e->bank_mask;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        in->rd_data_coll[__builtin_ctz(left)] = stim_below(r, (uint32_t)e->num_coll);
    uint32_t b = stim_below(r, (uint32_t)e->banks);
    for (uint64_t left = e->due; left; left &= left - 1) {
        in->rd_data_valid[0] |= 1u << b;
        in->rd_data_coll[b] = (uint32_t)__builtin_ctzll(left);
        b = b + 1 < (uint32_t)e->banks ? b + 1 : 0;
    }
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        stim_row(r, in->rd_data[__builtin_ctz(left)]);
}

static bool permille(StimRandom *r, int p) { return p > 0 && stim_below(r, 1000) < (uint32_t)p; }

// A BOC, often one with an entry.
static uint32_t draw_coll(const Env *e, StimRandom *r, const BypassCollectorIn *in) {
    return in->alloc_valid[0] & 1 && stim_random(r) >> 31 ? in->alloc_coll[0]
                                                          : stim_below(r, (uint32_t)e->num_coll);
}

static void draw_ends(const Env *e, StimRandom *r, const int *knobs, BypassCollectorIn *in) {
    in->kill_valid[0] = 0;
    for (int k = 0; k < e->num_alloc; k++) {
        if (!permille(r, knobs[KNOB_KILL])) continue;
        in->kill_valid[0] |= 1u << k;
        in->kill_coll[k] = draw_coll(e, r, in);
        const bool all = stim_random(r) >> 30 == 0;
        for (int i = 0; i < 2; i++)
            in->kill_regs[2 * k + i] = all ? UINT32_MAX : stim_random(r) & stim_random(r);
    }
    uint64_t drop = permille(r, knobs[KNOB_DROP]) ? bit((int)draw_coll(e, r, in)) : 0;
    if (drop && stim_random(r) >> 29 == 0) drop |= bits64(r, 50);
    if (e->wanted != e->mode) drop = e->colls;  // only empty BOCs may change their mode
    const uint64_t press = knobs[KNOB_PRESS] > 0 ? bits64(r, knobs[KNOB_PRESS]) : 0;
    for (int c = 0; c < e->num_coll; c++)
        in->drop[c] = drop >> c & 1, in->press[c] = press >> c & 1;
}

static void bow_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    BypassCollectorIn *in = inputs;
    int crowd[KNOBS];
    if (knobs[KNOB_CROWD] == CROWD) {
        memcpy(crowd, knobs, sizeof crowd);
        crowd[KNOB_FOCUS] = 6, crowd[KNOB_REGS] = REGS, crowd[KNOB_ALLOC] = crowd[KNOB_TAKE] = 90;
        crowd[KNOB_PASS] = 100 - knobs[KNOB_TAKE], crowd[KNOB_FEW] = 100, crowd[KNOB_WORDS] = 8;
        crowd[KNOB_RESULT] = crowd[KNOB_GRANT] = 100, crowd[KNOB_PART] = 3, crowd[KNOB_WRITE] = 4;
        crowd[KNOB_ONLY] = crowd[KNOB_STRANGE] = crowd[KNOB_KILL] = crowd[KNOB_DROP] =
            crowd[KNOB_PRESS] = 0;
        // saved as soon as they leave
        if (knobs[KNOB_BITS] & 1) crowd[KNOB_WRITE] = 60, crowd[KNOB_ALLOC] = 20;
        knobs = crowd;
    }
    if (knobs[KNOB_MODE] != 4)
        e->wanted = knobs[KNOB_MODE] < 4 ? (uint32_t)knobs[KNOB_MODE] : BOW_COMPILER;
    else if (stim_random(r) >> 25 == 0) e->wanted = stim_random(r) >> 30;
    in->mode[0] = e->wanted;
    draw_entries(e, r, knobs, in);
    draw_results(e, r, knobs, in);
    draw_grants(e, r, knobs, in);
    draw_data(e, r, knobs, in);
    draw_ends(e, r, knobs, in);
    in->wr_ready[0] = stim_bits(r, knobs[KNOB_WRITE]) & ((1u << e->num_wr) - 1);
    in->disp_ready[0] = stim_bits(r, knobs[KNOB_TAKE]) & ((1u << e->num_disp) - 1);
}

// ---- legal inputs -------------------------------------------------------------------------------

// One bank per BOC, and one for each BOC that data is due for.
static void deliver(const Env *e, BypassCollectorIn *in) {
    uint64_t given = 0;
    in->rd_data_valid[0] &= e->bank_mask;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1) {
        const int b = __builtin_ctz(left);
        const uint32_t c = in->rd_data_coll[b];
        if (c >= (uint32_t)e->num_coll || given >> c & 1) in->rd_data_valid[0] &= ~(1u << b);
        else given |= bit((int)c);
    }
    int b = 0;
    for (uint64_t left = e->due & ~given; left; left &= left - 1, b++) {
        while (in->rd_data_valid[0] >> b & 1 && e->due >> in->rd_data_coll[b] & 1) b++;
        in->rd_data_valid[0] |= 1u << b;
        in->rd_data_coll[b] = (uint32_t)__builtin_ctzll(left);
    }
}

static uint32_t done_results(const BypassCollectorIn *in, const BypassCollectorOut *out) {
    const uint32_t direct = out->wr_valid[0] & ~out->wr_save[0];
    return in->res_valid[0] & out->res_ready[0] & (~direct | in->wr_ready[0]);
}

static bool result_is_legal(Env *e, const BypassCollectorIn *in, int p) {
    const int c = (int)in->res_coll[p];
    if (c >= e->num_coll || in->res_reg[p] >= REGS) return false;
    return !((view_to_read(e, c) | view_to_write(e, c)) >> in->res_reg[p] & 1);
}

// Registers of the BOC that are outstanding after the results `done` of this cycle.
static uint64_t outstanding(const Env *e, const BypassCollectorIn *in, uint32_t done, int c) {
    uint64_t regs = e->outstanding[c];
    for (; done; done &= done - 1)
        if (in->res_coll[__builtin_ctz(done)] == (uint32_t)c)
            regs &= ~bit((int)in->res_reg[__builtin_ctz(done)]);
    return regs;
}

static bool has_result(const Env *e, const BypassCollectorIn *in, int c) {
    for (int p = 0; p < e->num_wr; p++)
        if (in->res_valid[0] >> p & 1 && in->res_coll[p] == (uint32_t)c) return true;
    return false;
}

static uint64_t result_regs(const Env *e, const BypassCollectorIn *in, int c) {
    uint64_t regs = 0;
    for (int p = 0; p < e->num_wr; p++)
        if (in->res_valid[0] >> p & 1 && in->res_coll[p] == (uint32_t)c)
            regs |= bit((int)in->res_reg[p]);
    return regs;
}

static uint64_t killed(const Env *e, const BypassCollectorIn *in, int c) {
    uint64_t regs = 0;
    for (int k = 0; k < e->num_alloc; k++)
        if (in->kill_valid[0] >> k & 1 && in->kill_coll[k] == (uint32_t)c)
            regs |= in->kill_regs[2 * k] | (uint64_t)in->kill_regs[2 * k + 1] << 32;
    return regs;
}

// The registers that an entry has to find a row for.
static uint64_t wants_rows(const Env *e, const BypassCollectorIn *in, int a) {
    uint64_t regs = 0;
    for (int o = 0; o < e->num_ops; o++)
        if (in->alloc_need[a] >> o & 1) regs |= bit((int)in->alloc_src[a * e->num_ops + o]);
    const bool only = in->alloc_only[0] >> a & 1 && in->mode[0] == BOW_COMPILER;
    for (uint32_t w = 0; only && !(in->alloc_more[0] >> a & 1) && w < in->alloc_words[a]; w++)
        regs |= bit((int)(in->alloc_dst[a] + w));
    return regs;
}

// Whether the entry finds its rows. A result of the cycle may free the row of its register, and has
// one itself. A save of the cycle frees a row that is not in the window.
static bool finds_rows(Env *e, const BypassCollectorIn *in, int a) {
    const int c = (int)in->alloc_coll[a];
    if (in->alloc_pass[0] >> a & 1) return true;
    const Takable t = view_takable(e, c);
    const bool more = in->alloc_more[0] >> a & 1;
    const uint64_t gone = killed(e, in, c) | result_regs(e, in, c);
    uint32_t rows = t.free | t.clean | (more ? 0 : t.leaving);
    int misses = 0;
    for (uint64_t left = wants_rows(e, in, a); left; left &= left - 1) {
        const int reg = __builtin_ctzll(left);
        const int i = in->mode[0] == BOW_NO_FORWARD ? NOWHERE : view_find(e, c, (uint32_t)reg);
        const uint32_t word = i == NOWHERE ? 0 : view(e, c, 1)[i];
        const bool stays = word & ROW_WINDOW && (more || row_slot(word) != view_head(e, c));
        misses += !stays || gone >> reg & 1;
        if (i != NOWHERE && (stays || !(t.leaving >> i & 1))) rows &= ~(1u << i);
    }
    return misses + has_result(e, in, c) <= __builtin_popcount(rows);
}

static uint64_t names(const Env *e, const BypassCollectorIn *in, int a) {
    uint64_t regs = 0;
    for (int o = 0; o < e->num_ops; o++)
        if (in->alloc_need[a] >> o & 1) regs |= bit((int)in->alloc_src[a * e->num_ops + o]);
    if (in->alloc_more[0] >> a & 1) return regs;
    for (uint32_t w = 0; w < in->alloc_words[a]; w++) regs |= bit((int)(in->alloc_dst[a] + w));
    return regs;
}

static bool entry_is_legal(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                           uint32_t done, int a) {
    const int c = (int)in->alloc_coll[a];
    if (c >= e->num_coll || in->alloc_unit[a] >= (uint32_t)e->num_disp) return false;
    if (in->alloc_words[a] > BOW_WORDS || in->alloc_dst[a] + in->alloc_words[a] > REGS)
        return false;
    for (int lower = 0; lower < a; lower++)
        if (in->alloc_valid[0] >> lower & 1 && in->alloc_coll[lower] == (uint32_t)c) return false;
    if (in->alloc_more[0] >> a & 1) {
        if (!e->entered[c] || view_slot(e, c, view_newest(e, c)) & 1) return false;
    } else if (!out->alloc_ready[c]) {
        return false;
    }
    uint64_t busy = outstanding(e, in, done, c);
    if (in->alloc_more[0] >> a & 1)
        busy &= ~view_awaited(e, c, view_newest(e, c)) | result_regs(e, in, c);
    return !(names(e, in, a) & busy) && finds_rows(e, in, a);
}

static void constrain_kills(Env *e, BypassCollectorIn *in) {
    uint64_t seen = 0;
    for (int k = 0; k < e->num_alloc; k++) {
        const uint32_t c = in->kill_coll[k];
        if (!(in->kill_valid[0] >> k & 1)) continue;
        if (c >= (uint32_t)e->num_coll || seen >> c & 1) {
            in->kill_valid[0] &= ~(1u << k);
            continue;
        }
        seen |= bit((int)c);
        const uint64_t busy =
            view_to_read(e, (int)c) | e->outstanding[c] | result_regs(e, in, (int)c);
        in->kill_regs[2 * k] &= (uint32_t)~busy;
        in->kill_regs[2 * k + 1] &= (uint32_t)(~busy >> 32);
    }
}

static void bow_constrain(void *self, void *inputs, const void *outputs) {
    Env *e = self;
    BypassCollectorIn *in = inputs;
    const BypassCollectorOut *out = outputs;
    bool empty = true;
    for (int c = 0; c < e->num_coll; c++) empty &= out->empty[c] != 0;
    const uint32_t before = in->res_valid[0], homeless = in->res_homeless[0], mode = in->mode[0];
    if (!empty) in->mode[0] = e->mode;
    for (uint32_t left = before; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        if (!result_is_legal(e, in, p)) in->res_valid[0] &= ~(1u << p);
        if (in->mode[0] != BOW_COMPILER || in->res_write[p] != 2) in->res_homeless[0] &= ~(1u << p);
    }
    constrain_kills(e, in);
    // Outputs show the done results only while constrain has dropped no input.
    const bool same =
        in->res_valid[0] == before && in->res_homeless[0] == homeless && in->mode[0] == mode;
    const uint32_t done = same ? done_results(in, out) : 0;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        if (!entry_is_legal(e, in, out, done, a)) in->alloc_valid[0] &= ~(1u << a);
    }
    int answered = 0;
    for (int c = 0; c < e->num_coll; c++)  // each needs a bank that delivers
        if (in->rd_grant[c] && out->rd_valid[c] && answered++ >= e->banks) in->rd_grant[c] = 0;
    deliver(e, in);
}

// ---- coverage -----------------------------------------------------------------------------------

// One bin per number of events, the last one open.
static void see_together(uint64_t *hits, int first, int n, int events) {
    if (events) hits[first + least(events, n) - 1]++;
}

static uint64_t bits_of(const Env *e, const uint32_t *port) {
    uint64_t set = 0;
    for (int c = 0; c < e->num_coll; c++) set |= (uint64_t)port[c] << c;
    return set;
}

static void see_reads(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                      uint64_t *hits) {
    const uint64_t asked = bits_of(e, out->rd_valid), granted = bits_of(e, in->rd_grant);
    uint64_t given = 0;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        given |= bit((int)in->rd_data_coll[__builtin_ctz(left)]);
    hits[e->at.ignored + IGNORED_DATA] += (given & ~e->due) != 0;
    hits[e->at.ignored + IGNORED_GRANT] += (granted & ~asked) != 0;
    see_together(hits, e->at.served, e->at.kill - e->at.served,
                 __builtin_popcountll(granted & asked));
    e->asked = asked;
    e->due = granted & asked;
}

// Whether an instruction older than the one in slot s waits.
static bool overtakes(Env *e, int c, uint32_t s) {
    for (uint32_t x = view_head(e, c); x != s; x = x + 1 < (uint32_t)e->window ? x + 1 : 0)
        if (view_slot(e, c, x) & 1) return true;
    return false;
}

static bool complete(Env *e, int c, int s) {
    for (uint32_t left = view_needed(e, c, s); left; left &= left - 1)
        if (view(e, c, 1)[__builtin_ctz(left)] & ROW_ASK || view_coming(e, c, __builtin_ctz(left)))
            return false;
    return view_slot(e, c, (uint32_t)s) & 1;
}

// The offer of a BOC, from its words: the oldest ready instruction, and whether units that refused
// matter.
static void see_offer(Env *e, int c, const BypassCollectorOut *out, uint64_t *hits) {
    const uint32_t refused = view(e, c, 0)[0] >> 20 & 0xff;
    int oldest = NOWHERE, other = NOWHERE;
    for (int i = 0, s = (int)view_head(e, c); i < e->window;
         i++, s = s + 1 < e->window ? s + 1 : 0) {
        const uint32_t slot = view_slot(e, c, (uint32_t)s);
        if (!complete(e, c, s)) continue;
        if (slot >> 7 & 0x7f) {
            hits[e->at.order + ORDER_HELD]++;
            continue;
        }
        if (oldest == NOWHERE) oldest = s;
        if (other == NOWHERE && !(refused >> (slot >> 1 & 7) & 1)) other = s;
    }
    if (oldest == NOWHERE) return;
    if (e->num_disp > 1) {
        hits[e->at.order + ORDER_OTHER_UNIT] += other != NOWHERE && other != oldest;
        hits[e->at.order + ORDER_RESTART] += other == NOWHERE && (refused & (refused - 1)) != 0;
    }
    const uint32_t slot = view_slot(e, c, (uint32_t)(other == NOWHERE ? oldest : other));
    if (!out->saving[c] || !(slot >> (4 + e->num_ops - 1) & 1)) return;
    hits[e->at.share + (view(e, c, 0)[0] >> 19 & 1 ? SHARE_INSTRUCTION_WAITS : SHARE_SAVE_WAITS)]++;
}

static void see_dispatch(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                         uint64_t *hits) {
    const uint32_t taken = out->disp_valid[0] & in->disp_ready[0];
    for (uint32_t left = taken; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        hits[e->at.unit + d]++;
        hits[e->at.order + ORDER_OVERTAKES] +=
            overtakes(e, (int)out->disp_coll[d], out->disp_slot[d]);
    }
    for (int c = 0; c < e->num_coll; c++)
        if (!out->empty[c]) see_offer(e, c, out, hits);
    see_together(hits, e->at.units, e->at.room - e->at.units - (e->num_wr > 1),
                 __builtin_popcount(taken));
    hits[e->at.ignored + IGNORED_READY] += (in->disp_ready[0] & ~out->disp_valid[0]) != 0;
}

static int dirty_rows(Env *e, int c) {
    int n = 0;
    for (int i = 0; i < e->values; i++)
        n += (view(e, c, 1)[i] & (ROW_USED | ROW_DIRTY)) > ROW_DIRTY;
    return n;
}

static void see_writes(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                       uint64_t *hits) {
    for (int p = 0; p < e->num_wr; p++) {
        uint64_t *port = hits + e->at.write + p * WRITES;
        const bool save = out->wr_save[0] >> p & 1, ready = in->wr_ready[0] >> p & 1;
        if (!(out->wr_valid[0] >> p & 1)) continue;
        port[!save       ? ready ? WRITE_RESULT : WRITE_RES_REFUSED
                 : ready ? WRITE_SAVE
                         : WRITE_SAVE_REFUSED]++;
        if (!save) continue;
        const int c = (int)out->wr_coll[p], i = view_find(e, c, out->wr_reg[p]);
        bool lower = false;
        for (int x = 0; x < p; x++)
            lower |= in->res_valid[0] >> x & 1 && in->res_coll[x] == in->res_coll[p];
        port[WRITE_SAVE_FIRST] +=
            in->res_valid[0] >> p & 1 && !lower && !(out->res_ready[0] >> p & 1);
        if (!ready || i == NOWHERE) continue;
        const uint32_t word = view(e, c, 1)[i];
        hits[e->at.save +
             (word & ROW_SAVE ? word & ROW_WINDOW ? SAVE_NAMED : SAVE_LEFT
                  : dirty_rows(e, c) > e->values - e->num_ops ? SAVE_CROWDED
                                                              : SAVE_PRESSED)]++;
        hits[e->at.kill + KILL_TAKEN] += (killed(e, in, c) >> out->wr_reg[p] & 1) != 0;
    }
}

// The effect of an awaited result with bits that are not 00, in a row (word 0: none).
static int awaited_kind(uint32_t word, bool keep, bool full, bool room) {
    const bool held = word & ROW_USED, dirty = word & ROW_DIRTY, saving = word & ROW_SAVE,
               only = word & ROW_ONLY;
    if (!held)
        return !full ? RES_LANES_NOT_HELD : !keep ? RES_NOT_HELD : room ? RES_NEW : RES_NO_ROOM;
    if (!full && dirty) return saving ? RES_MERGE_SAVING : only ? RES_MERGE_ONLY : RES_MERGE_DIRTY;
    if (!full && word & ROW_EMPTY) return RES_FREES_EMPTY;
    if (!keep)
        return !full ? RES_LANES_FREE_CLEAN
            : only   ? RES_FREES_ONLY
            : dirty  ? RES_FREES_DIRTY
                     : RES_FREES_CLEAN;
    if (!full) return RES_LANES_CLEAN;
    if (word & ROW_EMPTY) return RES_INTO_EMPTY;
    return saving ? RES_OVER_SAVING
        : only    ? RES_OVER_ONLY
        : dirty   ? RES_OVER_DIRTY
                  : RES_OVER_CLEAN;
}

static void see_lanes(const Env *e, uint32_t lane, uint64_t *hits) {
    hits[e->at.lanes + stim_lanes_kind(lane)]++;
    hits[e->at.lane + LANE_FIRST] += lane == 1;
    hits[e->at.lane + LANE_LAST] += lane == 1u << 31;
    hits[e->at.lane + LANE_HOLES] += (lane & ~(lane + (lane & -lane))) != lane;
    hits[e->at.lane + LANE_HALF] += lane == 0xffff || lane == 0xffff0000;
}

static void see_homeless(Env *e, uint32_t word, bool late, bool full, uint64_t *hits) {
    uint64_t *res = hits + e->at.res;
    if (late || !(word & ROW_USED)) res[RES_HOMELESS_LOST]++;
    else if (full) res[RES_HOMELESS]++;
    else res[word & ROW_DIRTY ? RES_HOMELESS_MERGE : RES_HOMELESS_LANES]++;
}

static void see_result(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out, int p,
                       uint64_t *hits) {
    const int c = (int)in->res_coll[p];
    const uint32_t lane = in->res_lane[p], mode = in->mode[0],
                   bits = mode == BOW_COMPILER ? in->res_write[p] : 3;
    uint64_t *res = hits + e->at.res;
    hits[e->at.mode + (int)mode]++;
    see_lanes(e, lane, hits);
    if (mode == BOW_COMPILER) hits[e->at.bits + (int)bits]++;
    const int slot = view_awaits(e, c, in->res_reg[p]);
    const int i = mode == BOW_NO_FORWARD ? NOWHERE : view_find(e, c, in->res_reg[p]);
    const uint32_t word = i == NOWHERE ? 0 : view(e, c, 1)[i];
    const Takable t = view_takable(e, c);
    const bool full = lane == UINT32_MAX, late = slot == NOWHERE,
               homeless = in->res_homeless[0] >> p & 1;
    if (slot != NOWHERE) {
        res[RES_LAST_SLOT] += (uint32_t)slot == view_head(e, c);
        res[RES_WORD] += in->res_reg[p] != (view(e, c, 0)[8 + slot] >> 4 & 63);
    }
    if (mode == BOW_NO_FORWARD) {
        res[lane ? RES_DIRECT : RES_NO_LANE]++;
    } else if (!lane || !bits) {
        res[lane ? RES_ENDS : RES_NO_LANE]++;
        if (word & ROW_RESERVED) res[word & ROW_EMPTY ? RES_ENDS_EMPTY : RES_ENDS_RESERVED]++;
    } else if (homeless) {
        see_homeless(e, word, late, full, hits);
    } else if (late) {
        res[i == NOWHERE                    ? RES_LATE
                : !full && word & ROW_DIRTY ? RES_LATE_MERGE
                                            : RES_LATE_FREES]++;
    } else {
        const int kind = awaited_kind(word, bits >> 1, full, (t.free | t.clean) != 0);
        res[kind]++;
        res[RES_MERGE_UNONLY] += kind == RES_MERGE_ONLY && bits == 3;
        if (kind == RES_NEW) hits[e->at.take_result + !t.free]++;
    }
    (void)out;
}

static uint64_t see_results(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                            uint64_t *hits) {
    uint64_t colls = 0, seen = 0;
    for (uint32_t left = in->res_valid[0]; left; left &= left - 1) {
        const uint32_t c = in->res_coll[__builtin_ctz(left)];
        if (seen >> c & 1) bin_hit(hits, e->at.twice);
        seen |= bit((int)c);
    }
    for (uint32_t left = done_results(in, out); left; left &= left - 1) {
        const int p = __builtin_ctz(left), c = (int)in->res_coll[p];
        see_result(e, in, out, p, hits);
        colls |= bit(c);
        e->outstanding[c] &= ~bit((int)in->res_reg[p]);
        e->only[c] &= ~bit((int)in->res_reg[p]);
        if (!e->outstanding[c]) e->with_outstanding &= ~bit(c);
    }
    return colls;
}

static void see_leaving(Env *e, int c, uint64_t *hits) {
    for (int i = 0; i < e->values; i++) {
        const uint32_t word = view(e, c, 1)[i];
        if (!(word & ROW_WINDOW) || row_slot(word) != view_head(e, c)) continue;
        hits[e->at.leave +
             (word & ROW_EMPTY          ? LEAVE_EMPTY
                  : !(word & ROW_DIRTY) ? LEAVE_CLEAN
                  : word & ROW_SAVE     ? LEAVE_SAVING
                  : word & ROW_ONLY     ? LEAVE_ONLY
                                        : LEAVE_DIRTY)]++;
    }
}

// Finds the row of operand o's register; true if it is forwarded. The result of this cycle may have
// written that row.
static bool see_operand(Env *e, const BypassCollectorIn *in, int a, int o, uint64_t done, bool more,
                        uint64_t *hits) {
    const int c = (int)in->alloc_coll[a];
    const uint32_t *src = &in->alloc_src[a * e->num_ops];
    for (int x = 0; x < o; x++)
        if (in->alloc_need[a] >> x & 1 && src[x] == src[o]) hits[e->at.other + FORWARD_TWICE]++;
    if (in->mode[0] == BOW_NO_FORWARD) return false;
    const int i = view_find(e, c, src[o]);
    if (i == NOWHERE) {
        hits[e->at.other + FORWARD_RESULT] += (done >> src[o] & 1) != 0;
        return false;
    }
    const uint32_t word = view(e, c, 1)[i], head = view_head(e, c), window = (uint32_t)e->window;
    if (word & ROW_EMPTY) {
        hits[e->at.other + FORWARD_OWN]++;
        return false;
    }
    if (!(word & ROW_WINDOW)) {
        hits[e->at.other + FORWARD_SAVED]++;
        return true;
    }
    // 0: Window places
    const uint32_t ago = (head + window - row_slot(word) + (more ? window - 1 : 0)) % window;
    if (ago) hits[e->at.distance + (int)ago - 1]++;
    if (word & ROW_ASK || view_coming(e, c, i)) hits[e->at.other + FORWARD_COMING]++;
    return ago || more || (word & (ROW_DIRTY | ROW_ONLY)) == ROW_DIRTY;
}

static void see_words(Env *e, const BypassCollectorIn *in, int a, uint64_t *hits) {
    const int c = (int)in->alloc_coll[a];
    hits[e->at.words + (int)in->alloc_words[a]]++;
    for (uint32_t w = 0; w < in->alloc_words[a]; w++) {
        const uint32_t reg = in->alloc_dst[a] + w;
        const uint64_t reads = view_to_read(e, c);
        hits[e->at.order + ORDER_FOLLOWS] += (reads >> reg & 1) != 0;
        if (!(in->alloc_only[0] >> a & 1) || in->mode[0] != BOW_COMPILER) continue;
        const int i = view_find(e, c, reg);
        const uint32_t word = i == NOWHERE ? 0 : view(e, c, 1)[i];
        bool own = false;
        for (int o = 0; o < e->num_ops; o++)
            own |= in->alloc_need[a] >> o & 1 && in->alloc_src[a * e->num_ops + o] == reg;
        hits[e->at.reserve +
             (own                       ? RESERVE_OWN
                  : !word               ? RESERVE_NEW
                  : !(word & ROW_DIRTY) ? RESERVE_CLEAN
                  : word & ROW_SAVE     ? RESERVE_SAVING
                  : word & ROW_ONLY     ? RESERVE_ONLY
                                        : RESERVE_DIRTY)]++;
    }
}

// Returns the number of forwarded operands.
static int see_entry(Env *e, const BypassCollectorIn *in, int a, uint64_t done, uint64_t *hits) {
    const int c = (int)in->alloc_coll[a];
    const bool more = in->alloc_more[0] >> a & 1, pass = in->alloc_pass[0] >> a & 1;
    int forwards = 0, count = 0;
    hits[e->at.kind + 2 * pass + more]++;
    if (!more) see_leaving(e, c, hits);
    for (int o = 0; o < e->num_ops; o++) {
        if (!(in->alloc_need[a] >> o & 1)) continue;
        count++;
        if (!pass) forwards += see_operand(e, in, a, o, done, more, hits);
    }
    if (pass) return 0;
    hits[e->at.operands + count * (count + 1) / 2 + forwards]++;
    if (count > forwards) {
        const Takable t = view_takable(e, c);
        const int misses = count - forwards, free = __builtin_popcount(t.free);
        const int left = more ? 0 : __builtin_popcount(t.leaving);
        hits[e->at.take +
             (misses <= free              ? TAKE_FREE
                  : misses <= free + left ? TAKE_LEFT
                                          : TAKE_EVICTS)]++;
    }
    if (more) return forwards;
    see_words(e, in, a, hits);
    for (uint32_t w = 0; w < in->alloc_words[a]; w++) {
        const uint64_t reg = bit((int)(in->alloc_dst[a] + w));
        e->outstanding[c] |= reg;
        if (in->alloc_only[0] >> a & 1) e->only[c] |= reg;
        e->with_outstanding |= bit(c);
    }
    return forwards;
}

static uint64_t see_entries(Env *e, const BypassCollectorIn *in, const BypassCollectorOut *out,
                            uint64_t *hits) {
    uint64_t entered = 0;
    int forwards = 0;
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left), c = (int)in->alloc_coll[a];
        entered |= bit(c);
        hits[e->at.room + (int)out->alloc_room[c]]++;
        hits[e->at.more_room] += out->more_room[c] < out->alloc_room[c];
        if (in->drop[c]) {
            hits[e->at.ignored + IGNORED_ENTRY]++;
            continue;
        }
        uint64_t done = 0;
        for (uint32_t r = done_results(in, out); r; r &= r - 1)
            if (in->res_coll[__builtin_ctz(r)] == (uint32_t)c)
                done |= bit((int)in->res_reg[__builtin_ctz(r)]);
        forwards += see_entry(e, in, a, done, hits);
        e->entered[c] = true;
    }
    // Room 0 has a bin too, although no instruction may enter then.
    for (int c = 0; c < e->num_coll; c++) hits[e->at.room] += !out->alloc_room[c];
    hits[e->at.entered + __builtin_popcountll(entered)]++;
    if (entered)
        hits[e->at.together + least(forwards, least(e->num_alloc * e->num_ops, TOGETHER))]++;
    return entered;
}

static void see_kills(Env *e, const BypassCollectorIn *in, uint64_t *hits) {
    for (uint32_t left = in->kill_valid[0]; left; left &= left - 1) {
        const int k = __builtin_ctz(left), c = (int)in->kill_coll[k];
        const uint64_t regs = killed(e, in, c);
        uint64_t *kind = hits + e->at.kill;
        for (int i = 0; i < e->values; i++) {
            const uint32_t word = view(e, c, 1)[i];
            if (!(word & ROW_USED) || !(regs >> row_reg(word) & 1)) continue;
            kind[!(word & ROW_DIRTY)   ? KILL_CLEAN
                     : word & ROW_SAVE ? KILL_SAVING
                     : word & ROW_ONLY ? KILL_ONLY
                                       : KILL_DIRTY]++;
        }
        for (int a = 0; a < e->num_alloc; a++)
            kind[KILL_WITH_ENTRY] +=
                in->alloc_valid[0] >> a & 1 && in->alloc_coll[a] == (uint32_t)c;
    }
}

static void see_drops(Env *e, const BypassCollectorIn *in, uint64_t results, uint64_t *hits) {
    e->looks = false;
    for (uint64_t left = bits_of(e, in->drop); left; left &= left - 1) {
        const int c = __builtin_ctzll(left);
        uint32_t states = view_states(e, c);
        if (results >> c & 1) states |= 1u << STATE_RESULT;
        if (e->due >> c & 1) states |= 1u << STATE_GRANTED;
        e->looks |= (e->due >> c & 1) != 0;
        for (; states; states &= states - 1) hits[e->at.drop + __builtin_ctz(states)]++;
        forget(e, c);
    }
}

static void bow_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const BypassCollectorIn *in = inputs;
    const BypassCollectorOut *out = outputs;
    for (uint32_t left = e->reset_met & ((1u << STATE_RESULT) - 1); left; left &= left - 1)
        hits[e->at.reset + __builtin_ctz(left)]++;
    e->reset_met = 0;
    e->mode = in->mode[0];
    see_reads(e, in, out, hits);
    see_writes(e, in, out, hits);
    see_dispatch(e, in, out, hits);
    see_kills(e, in, hits);
    const uint64_t results = see_results(e, in, out, hits);
    see_entries(e, in, out, hits);
    see_drops(e, in, results, hits);
    bypass_collector_model.tick(e->model, in);
    e->seen = 0;
}

static const StimShape SHAPES[] = {
    {"Window=3 Values=6 Banks=3 NumColl=5", "a half-size window, under pressure; odd banks"},
    {"Window=2 Values=8 NumColl=3 NumOps=2", "the smallest window, of full size"},
    {"Window=7 Values=28 NumColl=3 NumDisp=5", "the largest window"},
    {"NumColl=48 Values=6 Window=2", "more collectors than bits in a word"},
    {0},
};

// Data in flight of a dropped warp shows in the next cycle, and only if no other event changes its
// row.
static bool bow_look(void *self) { return ((Env *)self)->looks; }

const BlockStim bypass_collector_stim = {.shapes = SHAPES,
                                         .knobs = KNOB_TABLE,
                                         .nknobs = KNOBS,
                                         .needs_out = true,
                                         .bins = bow_bins,
                                         .open = bow_open,
                                         .close = bow_close,
                                         .reset = bow_forget,
                                         .randomize = bow_randomize,
                                         .constrain = bow_constrain,
                                         .observe = bow_observe,
                                         .look = bow_look};
