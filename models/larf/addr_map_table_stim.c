// SPDX-License-Identifier: Apache-2.0
// Stimuli of addr_map_table: loads near each other in a few streams of addresses, a look-up in
// almost every cycle. Stores hit loaded words and their neighbors. Values arrive late or with their
// entry, on each port. Registers are released during a look-up. Flushes.
#include "models/larf/addr_map_table.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) };

enum {
    LANES = 32,
    LINE = 128,
    RECENT = 32,
    STREAMS = 6,
    MOST_CODE = 128,
    PHASE_CYCLES = 300,
    NEW_CYCLES = 3 /* an entry is new: the cycle that makes it, and those behind */
};

enum {
    KNOB_LOOKUP,
    KNOB_NEAR,
    KNOB_AGAIN,
    KNOB_STORE,
    KNOB_RELEASE,
    KNOB_ARRIVE,
    KNOB_QUESTION,
    KNOB_FLUSH,
    KNOB_ENTER,
    KNOB_UNFIT,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"lookup", 20, 100, "percent of cycles in which a load asks"},
    {"near", 20, 90, "percent of loads near one that was entered"},
    {"again", 5, 60, "percent of loads that ask as one of the last two did"},
    {"store", 0, 30, "percent of cycles with a store"},
    {"release", 0, 15, "percent of cycles with a release"},
    {"arrive", 10, 90, "percent of ports with an arrival"},
    {"question", 0, 30, "percent of look-ups that are questions"},
    {"flush", 0, 4, "flushes in 400 cycles"},
    {"enter", 50, 100, "percent of misses that are entered"},
    {"unfit", 0, 8, "percent of look-ups that are never entered"},
};

enum {
    MISS,
    MISS_QUESTION,
    BARRED,
    HIT,
    HIT_WAIT,
    HIT_QUESTION,
    AHEAD,
    BYPASS,
    MERGE_ONE,
    MERGE_TWO,
    MERGE_QUESTION,
    MERGE_HOLES,
    NOT_ENTERED,
    EVICTS,
    HIT_LESS,
    NO_LANES,
    BIG_CODE,
    PAST_END,
    LAST_LANE,
    NO_LANE_0,
    TOUCHES,
    STORE_FULL,
    STORE_REFUSED,
    STORE_BESIDE,
    STORE_BYTE,
    STORE_LINE,
    STORE_LOW,
    QUESTION_REFUSED,
    DIED_ONE,
    DIED_MORE,
    REL_ALONE,
    REL_ASKED,
    ARR_REL,
    ARR_ALL,
    FLUSH_STORE,
    FLUSH_ENTER,
    FLUSH_STAGE_1,
    FLUSH_STAGE_2,
    FLUSH_STAGE_3,
    FLUSH_ANSWER,
    FLUSH_IDLE,
    BACK_TO_BACK,
    RESET_IDLE,
    RESET_BUSY,
    EVENTS
};
static const char *const EVENT[EVENTS] = {"miss",
                                          "miss-question",
                                          "held-up",
                                          "hit",
                                          "hit-waits",
                                          "hit-question",
                                          "hit-load-ahead",
                                          "hit-load-two-ahead",
                                          "merge-one",
                                          "merge-two",
                                          "merge-question",
                                          "merge-holes",
                                          "miss-not-entered",
                                          "evicts",
                                          "hit-fewer-lanes",
                                          "no-lanes",
                                          "code-above-128",
                                          "past-the-end",
                                          "one-lane-31",
                                          "lane-0-off",
                                          "store-in-its-line",
                                          "store-queue-full",
                                          "store-refused",
                                          "store-with-look-up",
                                          "store-1-byte",
                                          "store-line",
                                          "store-below-3",
                                          "question-refused",
                                          "store-kills-one",
                                          "store-kills-several",
                                          "release",
                                          "release-and-look-up",
                                          "arrival-and-release",
                                          "arrivals-on-all-ports",
                                          "flush-and-store",
                                          "flush-and-entering",
                                          "flush-and-accepted",
                                          "flush-one-behind",
                                          "flush-two-behind",
                                          "flush-and-answer",
                                          "flush-idle",
                                          "look-ups-in-4-cycles",
                                          "reset-idle",
                                          "reset-stores"};
enum { SHIFT_FEW, SHIFT_MORE, SHIFT_31, SHIFT_BACK_1, SHIFT_BACK_MORE, SHIFT_BACK_31, SHIFTS };
static const char *const SHIFT[SHIFTS] = {"0..1", "2..30", "31", "-1", "-2..-30", "-31"};

enum { HIGH_UP, HIGH_BACK_1, HIGH_BACK_MORE, HIGHS };
static const char *const HIGH[HIGHS] = {"0..30", "-1", "-2..-31"};
static const int HIGH_OF[SHIFTS] = {HIGH_UP,     HIGH_UP,        HIGH_UP,
                                    HIGH_BACK_1, HIGH_BACK_MORE, HIGH_BACK_MORE};

typedef struct Bins {
    int event, hit_class, merge_class, low, high, hit_bank, died, arrival, all;
} Bins;

typedef struct Load {
    bool here, question;
    uint32_t base, code, mask, phys;
    bool data, barred;
} Load;

typedef struct Env {
    Bins at;
    int ways, num_wr;
    uint32_t phys_mask, next_phys;
    uint32_t stream_base[STREAMS], stream_code[STREAMS];
    int phase;
    Load recent[RECENT];  // loads that were probably entered
    uint32_t nrecent;
    Load pipe[AMT_CYCLES];  // accepted, the youngest first
    uint32_t entered[2];    // registers entered in the last two cycles, + 1
    int stores;             // accepted lately
    int in_a_row;
    uint32_t reset_met;
} Env;

static int layout(int ways, int num_wr, CoverBin *bins, Bins *at) {
    BinList l = {bins, 0};
    at->event = l.n;
    for (int i = 0; i < EVENTS; i++)
        bin_add(&l, "event", "%s",
                ways == 1 && i == DIED_MORE ? "store-kills-in-two-banks" : EVENT[i]);
    at->hit_class = bin_numbers(&l, "class of a hit", "", 0, AMT_CLASSES);
    at->merge_class = bin_numbers(&l, "class of a merge", "", 1, AMT_CLASSES - 1);
    at->low = bin_words(&l, "shift of low", SHIFT, SHIFTS);
    at->high = l.n;
    // by 31 there is no lane for low
    for (int i = 0; i < HIGHS; i++) bin_add(&l, "shift of high", "%s", HIGH[i]);
    at->hit_bank = bin_numbers(&l, "bank of a hit", "", 0, AMT_BANKS);
    at->died = l.n;
    for (int i = 0; i < AMT_BANKS * ways; i++)
        bin_add(&l, "killed by a store", "bank%d.way%d", i / ways, i % ways);
    at->arrival = l.n;
    for (int i = 0; i < NEW_CYCLES * num_wr; i++)
        bin_add(&l, "arrival at a new entry", "port%d+%d", i / NEW_CYCLES, i % NEW_CYCLES);
    return at->all = l.n;
}

static int amt_bins(const int *params, CoverBin *bins) {
    Bins at;
    return layout(params[P_Ways], params[P_NumWr], bins, &at);
}

static void amt_forget(void *self) {
    Env *e = self;
    e->reset_met = e->stores ? 2 : 1;
    e->nrecent = 0, e->stores = 0, e->in_a_row = 0;
    e->entered[0] = e->entered[1] = 0;
    memset(e->pipe, 0, sizeof e->pipe);
    memset(e->recent, 0, sizeof e->recent);
}

static void *amt_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->ways = params[P_Ways], e->num_wr = params[P_NumWr];
    e->phys_mask = (1u << (block_bits(params[P_Banks]) + block_bits(params[P_Entries]))) - 1;
    layout(e->ways, e->num_wr, NULL, &e->at);
    return e;
}

static void amt_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_code(StimRandom *r) {
    static const uint8_t usual[16] = {1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0};
    const uint32_t x = stim_random(r);
    return x >> 30 ? usual[x & 15] : x % (MOST_CODE + 1);
}

static uint32_t draw_mask(StimRandom *r) {
    const uint32_t x = stim_random(r);
    switch (x >> 28) {
    case 0: return x & 1 ? 1u : 1u << 31;
    case 1: return stim_random(r) | stim_random(r);
    case 2:
    case 3: return UINT32_MAX << (x & 31);
    case 4:
    case 5: return UINT32_MAX >> (x & 31);
    case 6:
    case 7: return stim_lanes(r);
    default: return UINT32_MAX;
    }
}

static const Load *draw_recent(const Env *e, StimRandom *r) {
    const uint32_t last = e->nrecent < RECENT ? e->nrecent : RECENT;
    if (!last) return NULL;
    const uint32_t back = stim_below(r, stim_percent(r, 60) ? 6 : RECENT);
    return &e->recent[(e->nrecent - 1 - back % last) % RECENT];
}

// Lanes of a load that a recent one has.
static uint32_t lanes_of(const Load *l, uint32_t base, uint32_t code) {
    const int64_t away = (int64_t)base - l->base, stride = 4 * (int64_t)code;
    if (l->code != code || !stride || away % stride || away / stride > 31 || away / stride < -31)
        return 0;
    const int k = (int)(away / stride);
    return k < 0 ? l->mask << -k : l->mask >> k;
}

// Lanes that another recent load has: with those of `near`, a merge.
static uint32_t draw_beside(const Env *e, StimRandom *r, const Load *near, uint32_t base,
                            uint32_t code) {
    for (int tries = 0; tries < 3; tries++) {
        const Load *l = draw_recent(e, r);
        if (l && l != near && lanes_of(l, base, code)) return lanes_of(l, base, code);
    }
    return 0;
}

static void draw_streams(Env *e, StimRandom *r) {
    for (int i = 0; i < STREAMS; i++) {
        const uint32_t x = stim_random(r);
        e->stream_code[i] = draw_code(r);
        e->stream_base[i] = x >> 28 == 0 ? 0u - (x & 0x1fff)
            : x >> 28 == 1               ? x & 0xff
            : x >> 28 == 2               ? x
                                         : x & ~3u;
    }
    e->phase = PHASE_CYCLES / 4 + (int)stim_below(r, PHASE_CYCLES);
}

static void draw_lookup(Env *e, StimRandom *r, const int *knobs, AddrMapTableIn *in) {
    const Load *near = stim_percent(r, knobs[KNOB_NEAR]) ? draw_recent(e, r) : NULL;
    const Load *ahead = stim_percent(r, knobs[KNOB_AGAIN]) ? &e->pipe[stim_below(r, 2)] : NULL;
    in->lk_valid[0] = 1;
    in->lk_question[0] = stim_percent(r, knobs[KNOB_QUESTION]);
    if (ahead && ahead->here) near = ahead;
    if (near) {
        const uint32_t x = stim_random(r);
        const int most = x & 1 ? 31 : 33,
                  k = near == ahead || x >> 29 < 3 ? 0
            : x >> 29 == 3                         ? (x & 1 ? most : -most)
            : x >> 29 == 4                         ? (x & 1 ? 1 : -1)
                                                   : (int)(x >> 8 & 63) - 32;
        in->lk_code[0] = near->code;
        in->lk_base[0] = near->base + (uint32_t)k * 4 * near->code;
        const uint32_t has = k > 31 || k < -31 ? 0 : k < 0 ? near->mask << -k : near->mask >> k;
        in->lk_mask[0] = x >> 20 & 3 ? UINT32_MAX
            : x >> 22 & 1            ? has
            : x >> 23 & 1            ? has & stim_random(r)
                                     : draw_mask(r);
        if (k == 0 && x >> 24 & 1) in->lk_mask[0] = near->mask;
        if (x >> 25 & 1)
            in->lk_mask[0] = (x >> 26 & 1 ? has & UINT32_MAX << (x >> 8 & 15) : has) |
                draw_beside(e, r, near, in->lk_base[0], near->code);
        if ((x >> 14 & 31) == 0) in->lk_base[0] ^= 1u << (x >> 19 & 31);
        if ((x >> 14 & 31) == 1) in->lk_code[0] ^= 1u << (x >> 19 & 7);
    } else {
        const uint32_t i = stim_below(r, STREAMS);
        in->lk_code[0] = e->stream_code[i];
        in->lk_base[0] = e->stream_base[i] + stim_below(r, 128) * 4 * e->stream_code[i];
        in->lk_mask[0] = draw_mask(r);
    }
    if (!stim_percent(r, knobs[KNOB_UNFIT])) return;
    const uint32_t x = stim_random(r);
    if (x & 1) in->lk_mask[0] = 0;
    else if (x & 2) in->lk_code[0] = MOST_CODE + 1 + (x >> 8) % 127;
    else in->lk_base[0] = 0u - (x >> 8 & 127);
}

static void draw_store(const Env *e, StimRandom *r, AddrMapTableIn *in) {
    const uint32_t x = stim_random(r);
    const Load *near = x >> 30 ? draw_recent(e, r) : NULL;
    uint32_t low = x >> 28 & 1 ? x >> 4 & 3 : stim_random(r), bytes = 1u << (x & 7);
    if (near) {
        const uint32_t span = 31 * 4 * near->code + 3, last = near->base + span;
        switch (x >> 8 & 7) {
        case 0: low = last; break;
        case 1: low = last + 1; break;
        case 2: low = near->base - bytes; break;
        case 3: low = near->base - bytes + 1; break;
        case 4: low = near->base; break;
        default: low = near->base + (x >> 12) % (span + 1); break;
        }
    }
    in->st_valid[0] = 1;
    in->st_low[0] = low;
    in->st_high[0] = low + bytes - 1;
    if (x >> 11 & 1 && x >> 12 & 1) in->st_low[0] &= ~127u, in->st_high[0] = in->st_low[0] | 127;
}

static void amt_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    AddrMapTableIn *in = inputs;
    if (e->phase-- <= 0) draw_streams(e, r);
    in->lk_valid[0] = in->st_valid[0] = in->rel_valid[0] = in->arr_valid[0] = 0;
    in->fl_valid[0] = stim_below(r, 400) < (uint32_t)knobs[KNOB_FLUSH];
    if (stim_percent(r, knobs[KNOB_LOOKUP])) draw_lookup(e, r, knobs, in);
    if (stim_percent(r, knobs[KNOB_STORE])) draw_store(e, r, in);
    in->ins_valid[0] = stim_percent(r, knobs[KNOB_ENTER]);
    e->next_phys++;
    in->ins_phys[0] = (stim_below(r, 64) ? e->next_phys : stim_random(r)) & e->phys_mask;
    const Load *gone = draw_recent(e, r);
    if (stim_percent(r, knobs[KNOB_RELEASE])) {
        in->rel_valid[0] = 1;
        in->rel_phys[0] = gone && stim_below(r, 8) ? gone->phys : stim_random(r) & e->phys_mask;
    }
    for (int w = 0; w < e->num_wr; w++) {
        const Load *come = draw_recent(e, r);
        if (!stim_percent(r, knobs[KNOB_ARRIVE])) continue;
        in->arr_valid[0] |= 1u << w;
        in->arr_phys[w] = come && stim_below(r, 8) ? come->phys : stim_random(r) & e->phys_mask;
        const uint32_t age = stim_below(r, 8 * NEW_CYCLES);  // of a new entry
        if (age == 0) in->arr_phys[w] = in->ins_phys[0];
        else if (age < NEW_CYCLES && e->entered[age - 1]) in->arr_phys[w] = e->entered[age - 1] - 1;
    }
}

static void amt_constrain(void *self, void *inputs, const void *outputs) {
    AddrMapTableIn *in = inputs;
    (void)self, (void)outputs;
    if (in->st_high[0] / LINE != in->st_low[0] / LINE) in->st_high[0] = in->st_low[0] | (LINE - 1);
    if (in->st_high[0] < in->st_low[0]) in->st_high[0] = in->st_low[0];
}

// ---- following the block ------------------------------------------------------------------------

static int class_of(uint32_t code) {
    return code == 0 ? 0 : code == 1 ? 1 : 33 - __builtin_clz(code - 1);
}

static int shift_class(uint32_t field) {
    const int k = (int)field - (field & 32 ? 64 : 0);
    return k == 0 || k == 1 ? SHIFT_FEW
        : k == 31           ? SHIFT_31
        : k > 0             ? SHIFT_MORE
        : k == -1           ? SHIFT_BACK_1
        : k == -31          ? SHIFT_BACK_31
                            : SHIFT_BACK_MORE;
}

static bool past_end(const Load *q) {
    return (uint64_t)q->base + 124 * (uint64_t)q->code + 3 > UINT32_MAX;
}

static void see_miss(const Env *e, const Load *q, const AddrMapTableIn *in,
                     const AddrMapTableOut *out, uint64_t *hits) {
    uint64_t *event = hits + e->at.event;
    const bool fits = q->mask && q->code <= MOST_CODE && !past_end(q);
    event[NO_LANES] += !q->mask;
    event[BIG_CODE] += q->code > MOST_CODE;
    event[PAST_END] += q->mask && q->code <= MOST_CODE && past_end(q);
    if (!fits) return;
    if (q->question) event[MISS_QUESTION]++;
    else event[out->ans_enter[0] ? MISS : BARRED]++;
    if (!out->ans_enter[0]) return;
    event[NOT_ENTERED] += !in->ins_valid[0];
    event[EVICTS] += out->ans_evicts[0] && in->ins_valid[0];
}

static void see_hit(const Env *e, const Load *q, const AddrMapTableOut *out, uint64_t *hits) {
    uint64_t *event = hits + e->at.event;
    const int class = class_of(q->code);
    event[out->ans_wait[0] ? HIT_WAIT : HIT]++;
    event[HIT_QUESTION] += q->question;
    if (out->ans_wait[0] && e->entered[0] == out->ans_phys[0] + 1) event[AHEAD]++;
    if (out->ans_wait[0] && e->entered[1] == out->ans_phys[0] + 1) event[BYPASS]++;
    hits[e->at.hit_class + class]++;
    hits[e->at.hit_bank + (int)(q->base >> (class ? 6 + class : 5)) % AMT_BANKS]++;
    for (int i = 0; i < RECENT; i++)
        if (e->recent[i].here && e->recent[i].phys == out->ans_phys[0] &&
            e->recent[i].mask != q->mask) {
            event[HIT_LESS]++;
            return;
        }
}

static void see_merge(const Env *e, const Load *q, const AddrMapTableOut *out, uint64_t *hits) {
    uint64_t *event = hits + e->at.event;
    const uint32_t filled = q->mask | (q->mask - 1);
    event[out->ans_use[0] == 3 ? MERGE_TWO : MERGE_ONE]++;
    event[MERGE_QUESTION] += q->question;
    event[MERGE_HOLES] += (filled & (filled + 1)) != 0;
    hits[e->at.merge_class + class_of(q->code) - 1]++;
    hits[e->at.low + shift_class(out->ans_shift[0])]++;
    if (out->ans_use[0] == 3) hits[e->at.high + HIGH_OF[shift_class(out->ans_shift[1])]]++;
}

static void see_answer(Env *e, const AddrMapTableIn *in, const AddrMapTableOut *out,
                       uint64_t *hits) {
    Load *q = &e->pipe[AMT_CYCLES - 1];
    hits[e->at.event + LAST_LANE] += q->mask == 1u << 31 && out->ans_kind[0] != AMT_MISS;
    hits[e->at.event + NO_LANE_0] += q->mask && !(q->mask & 1) && out->ans_kind[0] != AMT_MISS;
    if (out->ans_kind[0] == AMT_HIT) see_hit(e, q, out, hits);
    else if (out->ans_kind[0] == AMT_MERGE && q->code && q->code <= MOST_CODE)
        see_merge(e, q, out, hits);
    else see_miss(e, q, in, out, hits);
}

static void see_store(Env *e, const AddrMapTableIn *in, const AddrMapTableOut *out,
                      uint64_t *hits) {
    uint64_t *event = hits + e->at.event;
    if (!in->st_valid[0]) return;
    event[STORE_REFUSED] += !out->st_ready[0];
    event[STORE_BESIDE] += in->lk_valid[0] && out->st_ready[0];
    event[STORE_BYTE] += in->st_low[0] == in->st_high[0];
    event[STORE_LINE] += in->st_high[0] - in->st_low[0] == LINE - 1;
    event[STORE_LOW] += in->st_low[0] < 3;
    event[FLUSH_STORE] += in->fl_valid[0];
    for (int i = 0; i < 2; i++)
        event[TOUCHES] += e->pipe[i].here && e->pipe[i].base / LINE == in->st_low[0] / LINE;
    e->stores = 8;
}

static void see_died(const Env *e, const AddrMapTableOut *out, uint64_t *hits) {
    const uint32_t died = out->obs_died[0];
    if (!died) return;
    hits[e->at.event + (died & (died - 1) ? DIED_MORE : DIED_ONE)]++;
    for (int i = 0; i < AMT_BANKS * e->ways; i++) hits[e->at.died + i] += died >> i & 1;
}

static void see_news(const Env *e, const AddrMapTableIn *in, bool enters, uint64_t *hits) {
    uint64_t *event = hits + e->at.event;
    event[ARR_ALL] += in->arr_valid[0] == (1u << e->num_wr) - 1;
    const uint32_t new[NEW_CYCLES] = {enters ? in->ins_phys[0] + 1 : 0, e->entered[0],
                                      e->entered[1]};
    for (int i = 0; i < NEW_CYCLES * e->num_wr; i++) {
        const int w = i / NEW_CYCLES;
        hits[e->at.arrival + i] +=
            in->arr_valid[0] >> w & 1 && in->arr_phys[w] + 1 == new[i % NEW_CYCLES];
    }
    if (!in->rel_valid[0]) return;
    event[REL_ALONE]++;
    event[REL_ASKED] += in->lk_valid[0];
    for (int w = 0; w < e->num_wr; w++)
        event[ARR_REL] += in->arr_valid[0] >> w & 1 && in->arr_phys[w] == in->rel_phys[0];
}

static void amt_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const AddrMapTableIn *in = inputs;
    const AddrMapTableOut *out = outputs;
    uint64_t *event = hits + e->at.event;
    if (e->reset_met) event[e->reset_met > 1 ? RESET_BUSY : RESET_IDLE]++;
    e->reset_met = 0;
    if (out->ans_valid[0]) see_answer(e, in, out, hits);
    see_store(e, in, out, hits);
    see_died(e, out, hits);
    const bool asks = in->lk_valid[0] && out->lk_ready[0];
    const bool enters = out->ans_valid[0] && out->ans_enter[0] && in->ins_valid[0];
    see_news(e, in, enters, hits);
    event[STORE_FULL] += !out->st_ready[0];
    event[QUESTION_REFUSED] += in->lk_valid[0] && !out->lk_ready[0];
    if (in->fl_valid[0]) {
        event[FLUSH_ENTER] += enters;
        event[FLUSH_STAGE_1] += asks;
        event[FLUSH_STAGE_2] += e->pipe[0].here;
        event[FLUSH_STAGE_3] += e->pipe[1].here;
        event[FLUSH_ANSWER] += out->ans_valid[0];
        event[FLUSH_IDLE] += !asks && !e->pipe[0].here && !e->pipe[1].here && !out->ans_valid[0];
    }
    e->entered[1] = e->entered[0];
    e->entered[0] = 0;
    if (enters && !in->fl_valid[0]) {
        Load *l = &e->recent[e->nrecent++ % RECENT];
        *l = e->pipe[AMT_CYCLES - 1];
        l->phys = in->ins_phys[0];
        e->entered[0] = l->phys + 1;
    }
    memmove(e->pipe + 1, e->pipe, (AMT_CYCLES - 1) * sizeof e->pipe[0]);
    e->pipe[0] = (Load){.here = asks,
                        .question = in->lk_question[0],
                        .base = in->lk_base[0],
                        .code = in->lk_code[0],
                        .mask = in->lk_mask[0]};
    e->in_a_row = asks ? e->in_a_row + 1 : 0;
    event[BACK_TO_BACK] += e->in_a_row >= 4;
    if (e->stores) e->stores--;
}

static const StimShape SHAPES[] = {
    {"RowBits=0 Ways=2 NumWr=1", "one row in each bank"},
    {"RowBits=3 Ways=3 Banks=3 NumWr=3", "a number of ways that is no power of two, odd banks"},
    {"RowBits=3 Ways=4 NumWr=2", "96 entries"},
    {0},
};

const BlockStim addr_map_table_stim = {.shapes = SHAPES,
                                       .knobs = KNOB_TABLE,
                                       .nknobs = KNOBS,
                                       .bins = amt_bins,
                                       .open = amt_open,
                                       .close = amt_close,
                                       .reset = amt_forget,
                                       .randomize = amt_randomize,
                                       .constrain = amt_constrain,
                                       .observe = amt_observe};
