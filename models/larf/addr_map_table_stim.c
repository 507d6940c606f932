// SPDX-License-Identifier: Apache-2.0
// Stimuli of addr_map_table: loads of a few streams of neighbouring addresses, or all over memory;
// stores aimed at the edges of what is remembered; registers that get their data and are released.
// The mood changes every few thousand cycles, so that the table also fills and goes round.
#include "models/larf/addr_map_table.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_LOOKUP, KNOB_STREAMS, KNOB_QUESTION, KNOB_UNFIT, KNOB_ARRIVE, KNOB_RELEASE, KNOB_STORE, KNOB_FLUSH,
    KNOB_PRESS, KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"lookup", 20, 100, "percent of idle cycles with a lookup"},
    {"streams", 1, 6, "streams of neighbouring addresses"},
    {"question", 0, 25, "percent of lookups that are not to be entered"},
    {"unfit", 0, 10, "percent of lookups with any stride or no lanes"},
    {"arrive", 10, 90, "percent of cycles in which data arrives"},
    {"release", 0, 12, "percent of cycles in which a register is released"},
    {"store", 0, 25, "percent of idle cycles with a store"},
    {"flush", 0, 3, "percent of cycles with a flush"},
    {"press", 0, 6, "percent of busy cycles with requests that cannot be taken"},
};

enum { LANES = 32, MAX_SLOTS = 1024, MAX_STREAMS = 6, NONE = -1, MAX_PHYS = 1 << 15 };
enum { MOOD_FILL, MOOD_SHARE, MOOD_WILD, MOODS, MOOD_CYCLES = 12000 };
enum { STRIDE_ZERO, STRIDE_WORD, STRIDE_POSITIVE, STRIDE_MOST, STRIDE_NEGATIVE, STRIDE_LEAST, STRIDES };
enum { SHIFT_NONE, SHIFT_UP_ONE, SHIFT_UP, SHIFT_UP_MOST, SHIFT_DOWN_ONE, SHIFT_DOWN, SHIFT_DOWN_MOST, SHIFTS };
enum { IDLE, STORE, LOOKUP, DEAD = 8 };

// What can be reached in a shape: registers enough to fill the table; more than one row, way.
typedef struct Shape { int slots, ways, rows; bool fills, many_rows, many_ways; } Shape;

// S(field, group, name, reachable)
#define SINGLE_BINS(S)                                                                             \
    S(miss_kept, "answer", "miss-entered", true)                                                   \
    S(miss_question, "answer", "miss-question", true)                                              \
    S(no_lanes, "answer", "miss-no-lanes", true)                                                   \
    S(odd, "answer", "miss-stride-odd", true)                                                      \
    S(far, "answer", "miss-stride-516-and-more", true)                                             \
    S(minus_512, "answer", "miss-stride-minus-512", true)                                          \
    S(far_below, "answer", "miss-stride-below", true)                                              \
    S(hit, "answer", "hit", true)                                                                  \
    S(hit_wait, "answer", "hit-waits", true)                                                       \
    S(merge_one, "answer", "merge-of-one", true)                                                   \
    S(merge_two, "answer", "merge-of-two", true)                                                   \
    S(missing, "answer", "miss-both-ends-no-middle", true)                                         \
    S(not_there, "answer", "miss-data-of-cover-not-there", true)                                   \
    S(flushed, "answer", "miss-for-a-flush", true)                                                 \
    S(hit_less, "lanes", "hit-with-fewer", true)                                                   \
    S(hit_holes, "lanes", "hit-with-holes", true)                                                  \
    S(merge_holes, "lanes", "merge-with-holes", true)                                              \
    S(merge_full, "lanes", "merge-of-two-all", true)                                               \
    S(lane_first, "lanes", "first-alone", true)                                                    \
    S(lane_last, "lanes", "last-alone", true)                                                      \
    S(lane_none, "lanes", "without-first", true)                                                   \
    S(unaligned, "lanes", "hit-unaligned-base", true)                                              \
    S(over_top, "lanes", "hit-over-end-of-memory", true)                                           \
    S(alias, "alias", "two-entries-hit", true)                                                     \
    S(alias_ready, "alias", "later-slot-has-data", true)                                           \
    S(alias_waits, "alias", "two-entries-hit-waiting", true)                                       \
    S(tie_low, "alias", "equal-from-below", true)                                                  \
    S(tie_high, "alias", "equal-from-above", true)                                                 \
    S(low_first, "two entries", "low-slot-first", true)                                            \
    S(high_first, "two entries", "high-slot-first", true)                                          \
    S(one_row, "two entries", "one-row", s->many_ways)                                             \
    S(two_rows, "two entries", "two-rows", s->many_rows)                                           \
    S(overlap, "two entries", "overlap", true)                                                     \
    S(touch, "two entries", "no-overlap", true)                                                    \
    S(evict, "fifo", "evicts", true)                                                               \
    S(evict_waits, "fifo", "evicts-waiting", true)                                                 \
    S(refill, "fifo", "fills-dead-slot", true)                                                     \
    S(wraps, "fifo", "wraps", true)                                                                \
    S(full, "fifo", "full", s->fills)                                                              \
    S(same_phys, "fifo", "register-had-an-entry", true)                                            \
    S(same_slot, "fifo", "register-had-this-slot", true)                                           \
    S(rel_live, "release", "entry", true)                                                          \
    S(rel_waits, "release", "entry-waiting", true)                                                 \
    S(rel_none, "release", "no-entry", true)                                                       \
    S(rel_lookup, "release", "with-lookup", true)                                                  \
    S(rel_store, "release", "with-store", true)                                                    \
    S(rel_scan, "release", "during-store", s->many_rows)                                           \
    S(rel_refused, "release", "refused", true)                                                     \
    S(arr_sets, "arrival", "entry", true)                                                          \
    S(arr_again, "arrival", "entry-has-data", true)                                                \
    S(arr_none, "arrival", "no-entry", true)                                                       \
    S(arr_released, "arrival", "refused-by-release", true)                                         \
    S(arr_refused, "arrival", "refused-by-lookup", true)                                           \
    S(arr_lookup, "arrival", "with-its-lookup", true)                                              \
    S(st_none, "store", "kills-none", true)                                                        \
    S(st_one, "store", "kills-one", true)                                                          \
    S(st_some, "store", "kills-several", true)                                                     \
    S(st_first, "store", "hits-first-lane-only", true)                                             \
    S(st_last, "store", "hits-last-lane-only", true)                                               \
    S(st_first_neg, "store", "hits-first-lane-negative", true)                                     \
    S(st_last_neg, "store", "hits-last-lane-negative", true)                                       \
    S(st_below, "store", "just-below", true)                                                       \
    S(st_above, "store", "just-above", true)                                                       \
    S(st_between, "store", "between-lanes", true)                                                  \
    S(st_inactive, "store", "inactive-lane-only", true)                                            \
    S(st_zero, "store", "kills-stride-zero", true)                                                 \
    S(st_waits, "store", "kills-waiting", true)                                                    \
    S(st_wraps, "store", "over-end-of-memory", true)                                               \
    S(st_top, "store", "kills-entry-over-end", true)                                               \
    S(st_all, "store", "everything", true)                                                         \
    S(st_twice, "store", "two-in-a-row", true)                                                     \
    S(st_then_lookup, "store", "lookup-right-behind", true)                                        \
    S(st_before, "store", "goes-before-lookup", true)                                              \
    S(st_refused, "store", "refused", true)                                                        \
    S(lk_refused, "lookup", "refused-busy", true)                                                  \
    S(lk_behind, "lookup", "in-cycle-of-answer", true)                                             \
    S(fl_empty, "flush", "empty", true)                                                            \
    S(fl_filled, "flush", "filled", true)                                                          \
    S(fl_store, "flush", "during-store", true)                                                     \
    S(fl_accept, "flush", "with-lookup", true)                                                     \
    S(fl_answer, "flush", "with-answer", true)                                                     \
    S(rs_empty, "reset", "empty", true)                                                            \
    S(rs_filled, "reset", "filled", true)                                                          \
    S(rs_store, "reset", "during-store", s->many_rows)                                             \
    S(rs_lookup, "reset", "during-lookup", true)

#define SINGLE_FIELD(field, group, name, reachable) int field;
typedef struct Bins {
    SINGLE_BINS(SINGLE_FIELD)
    int hit_stride[STRIDES], merge_stride[STRIDES], low[SHIFTS], high[SHIFTS];
    int way[MAX_SLOTS], row[MAX_SLOTS];   // where a hit was
    int filled[4], flush_at[MAX_SLOTS + 3];
} Bins;

typedef struct Entry {
    bool live, data;
    uint32_t base, mask, phys;
    int32_t stride;
} Entry;

typedef struct Request {
    uint32_t base, stride, mask, phys;
    bool insert, flushed;
} Request;

typedef struct Env {
    Shape shape;
    Bins at;
    int phys_bits;
    // driving
    int mood, mood_left;
    uint32_t next_phys;
    Entry dead[DEAD];                   // died last, and must not be found
    uint32_t ndead;
    struct { uint32_t base; int32_t stride; } stream[MAX_STREAMS];
    // what the block holds
    int fill, live, work, since, tail;  // tail: the last row of a store is being compared
    Request ask;
    uint32_t reset_met;
    Entry entry[MAX_SLOTS];
    int16_t slot_of[MAX_PHYS];          // slot + 1 of a register's entry, 0: none
} Env;

static Shape shape_of(const int *params) {
    Shape s = {.slots = params[P_Slots]};
    s.ways = params[P_Ways] < s.slots ? params[P_Ways] : s.slots;
    s.rows = (s.slots + s.ways - 1) / s.ways;
    s.fills = 1 << (block_bits(params[P_Banks]) + block_bits(params[P_Entries])) >= s.slots;
    s.many_rows = s.rows > 1;
    s.many_ways = s.ways > 1;
    return s;
}

static int bins_list(const Shape *s, CoverBin *bins, Bins *at) {
    static const char *const strides[] = {"0", "4", "positive", "512", "negative", "-508"};
    static const char *const shifts[] = {"0", "1", "2..30", "31", "-1", "-2..-30", "-31"};
    static const char *const parts[] = {"empty", "below-half", "half-and-more", "all"};
    BinList l = {bins, 0};
#define SINGLE_ADD(field, group, name, reachable) at->field = bin_add_if(reachable, &l, group, name);
    SINGLE_BINS(SINGLE_ADD)
    for (int i = 0; i < STRIDES; i++) {
        at->hit_stride[i] = bin_add(&l, "stride of a hit", "%s", strides[i]);
        at->merge_stride[i] = bin_add(&l, "stride of a merge", "%s", strides[i]);
    }
    for (int i = 0; i < SHIFTS; i++) {
        at->low[i] = bin_add(&l, "shift of low", "%s", shifts[i]);
        // high serves a lane above the lowest: a shift by 31 has none
        at->high[i] = bin_add_if(i != SHIFT_UP_MOST, &l, "shift of high", shifts[i]);
    }
    for (int i = 0; i < s->ways; i++) at->way[i] = bin_add(&l, "hit in way", "%d", i);
    for (int i = 0; i < s->rows; i++) at->row[i] = bin_add(&l, "hit in row", "%d", i);
    for (int i = 0; i < 4; i++) at->filled[i] = bin_add_if(s->fills || i < 2, &l, "filled at a lookup", parts[i]);
    for (int i = 1; i <= s->rows + 2; i++) at->flush_at[i] = bin_add(&l, "flush in lookup", "cycle%d", i);
    return l.n;
}

static int amt_bins(const int *params, CoverBin *bins) {
    const Shape s = shape_of(params);
    Bins *at = calloc(1, sizeof *at);
    const int n = at ? bins_list(&s, bins, at) : 0;
    free(at);
    return n;
}

static void amt_forget(void *self) {
    Env *e = self;
    e->reset_met = e->live ? 2 : 1;
    if (e->work == STORE) e->reset_met |= 4;
    if (e->work == LOOKUP) e->reset_met |= 8;
    e->fill = e->live = e->since = e->tail = 0;
    e->work = IDLE;
    memset(e->entry, 0, (size_t)e->shape.slots * sizeof *e->entry);
    memset(e->slot_of, 0, sizeof *e->slot_of << e->phys_bits);
}

static void *amt_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->shape = shape_of(params);
    e->phys_bits = block_bits(params[P_Banks]) + block_bits(params[P_Entries]);
    bins_list(&e->shape, NULL, &e->at);
    return e;
}

static void amt_close(void *self) { free(self); }

// ---- driving -------------------------------------------------------------------------------------

static int32_t draw_stride(StimRandom *r) {
    static const int16_t usual[16] = {4, 4, 4, 4, 4, 8, 16, 128, 256, 512, -4, -4, -508, 0, 0, 0};
    const uint32_t x = stim_random(r);
    return x >> 31 ? usual[x & 15] : (int32_t)(x % 256) * 4 - 508;
}

static uint32_t draw_mask(StimRandom *r) {
    const uint32_t x = stim_random(r), from = x & 31, to = x >> 5 & 31;
    switch (x >> 28) {
    case 0: return 1u << from;
    case 1: return from & 1 ? 1u : 1u << 31;
    case 2: case 3: return UINT32_MAX << from;
    case 4: case 5: return UINT32_MAX >> to;
    case 6: return UINT32_MAX << from & UINT32_MAX >> to;
    case 7: return stim_random(r);
    case 8: return stim_random(r) | stim_random(r);
    default: return UINT32_MAX;
    }
}

// A live entry near the last one entered, NULL when none is found.
static const Entry *draw_entry(const Env *e, StimRandom *r) {
    for (int tries = 0; tries < 4; tries++) {
        const uint32_t x = stim_random(r);
        int s = x >> 30 ? e->fill - 1 - (int)(x & 7) : (int)((uint64_t)(x << 2) * (uint32_t)e->shape.slots >> 32);
        while (s < 0) s += e->shape.slots;
        if (e->entry[s].live) return &e->entry[s];
    }
    return NULL;
}

static uint32_t draw_phys(Env *e, StimRandom *r) {
    const uint32_t all = (1u << e->phys_bits) - 1;
    const uint32_t x = stim_below(r, e->mood == MOOD_FILL ? 8192 : 128);
    const Entry *near = x > 1 && x < 8 ? draw_entry(e, r) : NULL;
    if (x == 0) return stim_random(r) & all;
    if (near) return near->phys;
    if (x == 1 || (e->live == e->shape.slots && stim_below(r, 48) == 0))
        return e->entry[e->fill].phys;  // of the entry that will be evicted
    for (int tries = 0; tries < 8; tries++) {
        const uint32_t phys = stim_random(r) & all;
        if (!e->slot_of[phys]) return phys;
    }
    e->next_phys = (e->next_phys + 1) & all;
    return e->next_phys;
}

static void draw_streams(Env *e, StimRandom *r) {
    for (int i = 0; i < MAX_STREAMS; i++) {
        const uint32_t x = stim_random(r);
        e->stream[i].stride = draw_stride(r);
        // now and then at the end of memory, or at any byte
        e->stream[i].base = x >> 29 == 0 ? 0u - (x & 255) : x >> 29 == 1 ? x : x & ~3u;
    }
}

static void draw_mood(Env *e, StimRandom *r) {
    e->mood = stim_below(r, 4) ? 1 + (int)stim_below(r, MOODS - 1) : MOOD_FILL;
    e->mood_left = MOOD_CYCLES / 4 + (int)stim_below(r, MOOD_CYCLES);
    draw_streams(e, r);
}

static void draw_unfit(StimRandom *r, AddrMapTableIn *in) {
    const uint32_t x = stim_random(r);
    switch (x & 7) {
    case 0: in->lk_mask[0] = 0; break;
    case 1: in->lk_stride[0] = (uint32_t)-512; break;
    case 2: in->lk_stride[0] = 516; break;
    case 3: in->lk_stride[0] = (uint32_t)-516; break;
    case 4: in->lk_stride[0] += 1 + (x >> 8) % 3; break;
    case 5: in->lk_stride[0] = 512 + (x >> 8 & 0xffc); break;
    case 6: in->lk_stride[0] ^= 1u << (10 + (x >> 8) % 22); break;
    default: in->lk_stride[0] = stim_random(r); break;
    }
}

// Lanes of the request that an entry has, 0 when none; shift as in the contract.
static uint32_t has_lanes(const Entry *t, const Request *q, int *shift) {
    const int32_t stride = (int32_t)q->stride, distance = (int32_t)(q->base - t->base);
    *shift = 0;
    if (!t->live || t->stride != stride) return 0;
    if (distance == 0) return t->mask & q->mask;
    if (stride == 0 || distance % stride) return 0;
    const int32_t k = distance / stride;
    if (k > 31 || k < -31) return 0;
    *shift = (int)k;
    return (k > 0 ? t->mask >> k : t->mask << -k) & q->mask;
}

// Lanes of the load that some other entry has.
static uint32_t draw_beside(const Env *e, StimRandom *r, const AddrMapTableIn *in, const Entry *than) {
    const Request q = {.base = in->lk_base[0], .stride = in->lk_stride[0], .mask = UINT32_MAX};
    for (int tries = 0; tries < 3; tries++) {
        const Entry *t = draw_entry(e, r);
        int shift;
        const uint32_t has = t ? has_lanes(t, &q, &shift) : 0;
        if (has && t != than) return has;
    }
    return 0;
}

// Addresses that some entry has, too, as it does or from another lane on.
static bool draw_near(const Env *e, StimRandom *r, AddrMapTableIn *in) {
    const Entry *near = draw_entry(e, r);
    if (!near) return false;
    const uint32_t x = stim_random(r);
    const int most = (x & 7) == 0 ? 31 : 1, lanes = x & 6 ? (int)(x >> 8 & 63) - 31 : x & 8 ? most : -most;
    const int shift = x >> 29 < 3 ? 0 : lanes;
    in->lk_stride[0] = (uint32_t)near->stride;
    in->lk_base[0] = near->base + (uint32_t)(shift * near->stride);
    const uint32_t has = shift > 31 || shift < -31 ? 0 : shift >= 0 ? near->mask >> shift : near->mask << -shift;
    switch (x >> 26 & 7) {
    case 0: in->lk_mask[0] = has; break;
    case 1: in->lk_mask[0] = has & stim_random(r); break;
    case 2: in->lk_mask[0] = draw_mask(r); break;
    case 3: case 4: case 5: in->lk_mask[0] = has | draw_beside(e, r, in, near); break;
    case 6: in->lk_mask[0] = has | draw_mask(r); break;
    default: in->lk_mask[0] = UINT32_MAX; break;
    }
    switch (x >> 14 & 31) {  // nearly the same
    case 0: in->lk_stride[0] ^= 4u << (x >> 19 & 7); break;
    case 1: in->lk_stride[0] = (uint32_t)draw_stride(r); break;
    case 2: in->lk_base[0] ^= 1u << (x >> 19 & 31); break;
    default: break;
    }
    return true;
}

static void draw_lookup(Env *e, StimRandom *r, const int *knobs, AddrMapTableIn *in) {
    static const int near_percent[MOODS] = {8, 75, 55}, fresh_percent[MOODS] = {75, 4, 20},
                     dead_percent[MOODS] = {1, 8, 12};
    in->lk_valid[0] = 1;
    in->lk_insert[0] = !stim_percent(r, knobs[KNOB_QUESTION]);
    in->lk_phys[0] = draw_phys(e, r);
    const Entry *dead = &e->dead[stim_below(r, DEAD)];
    if (dead->mask && stim_percent(r, dead_percent[e->mood])) {
        in->lk_base[0] = dead->base;
        in->lk_stride[0] = (uint32_t)dead->stride;
        in->lk_mask[0] = dead->mask;
    } else if (stim_percent(r, near_percent[e->mood]) && draw_near(e, r, in)) {
    } else if (stim_percent(r, fresh_percent[e->mood])) {
        in->lk_base[0] = stim_random(r);
        in->lk_stride[0] = (uint32_t)draw_stride(r);
        in->lk_mask[0] = draw_mask(r);
    } else {
        const uint32_t i = stim_below(r, (uint32_t)knobs[KNOB_STREAMS]);
        in->lk_stride[0] = (uint32_t)e->stream[i].stride;
        in->lk_base[0] = e->stream[i].base + (uint32_t)((int32_t)stim_below(r, 96) * e->stream[i].stride);
        in->lk_mask[0] = draw_mask(r);
    }
    if (stim_percent(r, knobs[KNOB_UNFIT])) draw_unfit(r, in);
}

// First and last byte of the lanes of an entry, on a line.
static void extent(const Entry *t, int64_t *first, int64_t *last) {
    const int64_t end = (int64_t)(LANES - 1) * t->stride;
    *first = (int64_t)t->base + (end < 0 ? end : 0);
    *last = (int64_t)t->base + (end < 0 ? 0 : end) + 3;
}

static void draw_store(const Env *e, StimRandom *r, AddrMapTableIn *in) {
    const uint32_t x = stim_random(r), size = 4u << (x >> 8 & 5);
    const Entry *near = draw_entry(e, r);
    uint32_t low = stim_random(r), bytes = size;
    if (near && x >> 29) {
        int64_t first, last;
        extent(near, &first, &last);
        switch (x & 15) {
        case 11: low = (uint32_t)(x & 16 ? first : last) ^ 1u << (x >> 16 & 31); break;
        case 0: low = (uint32_t)first - size; break;
        case 1: low = (uint32_t)last + 1; break;
        case 2: low = (uint32_t)first - size + 1; break;
        case 3: low = (uint32_t)last; break;
        case 4: case 5: low = (uint32_t)first; bytes = 4; break;
        case 6: case 7: low = (uint32_t)last - 3; bytes = 4; break;
        case 8: case 9: case 10: low = (uint32_t)first + (x >> 16) % (uint32_t)(last - first + 1); bytes = 1 + (x >> 12 & 3); break;
        default: low = ((uint32_t)first + (x >> 16 & 0x1ff)) & ~127u; bytes = 128; break;
        }
    } else if ((x & 255) == 0) {
        bytes = stim_random(r);
    } else if ((x & 255) < 16) {
        low = 0u - (x >> 8 & 127), bytes = 128;
    }
    in->st_valid[0] = 1;
    in->st_low[0] = low;
    in->st_high[0] = low + bytes - 1;
}

static uint32_t draw_known(const Env *e, StimRandom *r) {
    const Entry *t = stim_below(r, 16) ? draw_entry(e, r) : NULL;
    if (!t) return stim_random(r) & ((1u << e->phys_bits) - 1);
    return stim_below(r, 8) ? t->phys : t->phys ^ 1u << stim_below(r, (uint32_t)e->phys_bits);
}

// Data arrives, as a rule, for an entry that waits for it.
static void draw_arrival(const Env *e, StimRandom *r, AddrMapTableIn *in) {
    const bool any = stim_below(r, 16) == 0;
    const Entry *t = draw_entry(e, r);
    if (!any && (!t || t->data)) t = draw_entry(e, r);
    if (!any && (!t || t->data)) return;
    in->arr_valid[0] = 1;
    in->arr_phys[0] = any ? draw_known(e, r) : t->phys;
}

static void amt_randomise(void *self, StimRandom *r, const int *knobs, void *inputs) {
    static const int kill_percent[MOODS] = {0, 60, 100};  // of what the knobs say
    Env *e = self;
    AddrMapTableIn *in = inputs;
    if (e->mood_left-- <= 0) draw_mood(e, r);
    const int kill = kill_percent[e->mood];
    const bool busy = e->work != IDLE, press = busy && stim_percent(r, knobs[KNOB_PRESS]);
    in->lk_valid[0] = in->st_valid[0] = in->rel_valid[0] = in->arr_valid[0] = 0;
    in->fl_valid[0] = stim_below(r, 10000) < (uint32_t)(knobs[KNOB_FLUSH] * kill);
    if ((!busy && stim_percent(r, knobs[KNOB_LOOKUP])) || press) draw_lookup(e, r, knobs, in);
    if (stim_below(r, 10000) < (uint32_t)(knobs[KNOB_STORE] * (busy ? knobs[KNOB_PRESS] : kill))) draw_store(e, r, in);
    if (e->work == LOOKUP && !press) return;
    if (stim_below(r, 10000) < (uint32_t)(knobs[KNOB_RELEASE] * kill)) {
        in->rel_valid[0] = 1;
        in->rel_phys[0] = draw_known(e, r);
    }
    if (stim_percent(r, knobs[KNOB_ARRIVE])) draw_arrival(e, r, in);
}

// Everything may be driven.
static void amt_constrain(void *self, void *inputs, const void *outputs) { (void)self, (void)inputs, (void)outputs; }

// ---- following the block -------------------------------------------------------------------------

static void kill_entry(Env *e, int slot) {
    if (!e->entry[slot].live) return;
    e->dead[e->ndead++ % DEAD] = e->entry[slot];
    e->entry[slot].live = false;
    e->slot_of[e->entry[slot].phys] = 0;
    e->live--;
}

static int stride_class(int32_t stride) {
    return stride == 0 ? STRIDE_ZERO : stride == 4 ? STRIDE_WORD : stride == 512 ? STRIDE_MOST
         : stride > 0 ? STRIDE_POSITIVE : stride == -508 ? STRIDE_LEAST : STRIDE_NEGATIVE;
}

static int shift_of(uint32_t field) { return (int)field - (field & 32 ? 64 : 0); }

static int shift_class(int k) {
    return k == 0 ? SHIFT_NONE : k == 1 ? SHIFT_UP_ONE : k == 31 ? SHIFT_UP_MOST : k > 0 ? SHIFT_UP
         : k == -1 ? SHIFT_DOWN_ONE : k == -31 ? SHIFT_DOWN_MOST : SHIFT_DOWN;
}

static bool has_holes(uint32_t mask) {
    return mask && (mask >> __builtin_ctz(mask) & ((mask >> __builtin_ctz(mask)) + 1)) != 0;
}

// The lanes up to the first that is missing, and those from the last that is.
static uint32_t run_up(uint32_t asked, uint32_t has) {
    const uint32_t gaps = asked & ~has;
    return gaps ? asked & ((gaps & -gaps) - 1) : asked;
}
static uint32_t run_down(uint32_t asked, uint32_t has) {
    const uint32_t gaps = asked & ~has;
    return !gaps ? asked : gaps >> 31 ? 0 : asked & UINT32_MAX << (32 - __builtin_clz(gaps));
}

// What else was there: entries that hit as well, equal covers, covers that did not do.
static void see_others(const Env *e, const AddrMapTableOut *out, uint64_t *hits) {
    const Request *q = &e->ask;
    const uint32_t kind = out->ans_kind[0];
    int ready = 0, waiting = 0, low = 0, high = 0, first_waiting = NONE, first_ready = NONE;
    uint32_t best_low = 0, best_high = 0, arriving = 0;
    for (int s = 0; s < e->shape.slots; s++) {
        const Entry *t = &e->entry[s];
        if (!t->live || t->stride != (int32_t)q->stride) continue;
        int shift;
        const uint32_t has = has_lanes(t, q, &shift);
        if (!has) continue;
        if (shift == 0 && has == q->mask) {
            if (t->data) ready++, first_ready = first_ready == NONE ? s : first_ready;
            else waiting++, first_waiting = first_waiting == NONE ? s : first_waiting;
        }
        if (!t->data) {
            arriving |= has;
            continue;
        }
        const uint32_t up = run_up(q->mask, has), down = run_down(q->mask, has);
        if (up & ~best_low) best_low = up, low = 0;
        if (down & ~best_high) best_high = down, high = 0;
        low += up && up == best_low;
        high += down && down == best_high;
    }
    if (kind == AMT_HIT) {
        if (ready > 1) bin_hit(hits, e->at.alias);
        if (ready && waiting && first_waiting < first_ready) bin_hit(hits, e->at.alias_ready);
        if (!ready && waiting > 1) bin_hit(hits, e->at.alias_waits);
    } else if (kind == AMT_MERGE) {
        if (low > 1) bin_hit(hits, e->at.tie_low);
        if (high > 1 && out->ans_use[0] == 3) bin_hit(hits, e->at.tie_high);
    } else {
        if (best_low && best_high) bin_hit(hits, e->at.missing);
        if (arriving) bin_hit(hits, e->at.not_there);
    }
}

static void see_hit(const Env *e, const AddrMapTableOut *out, int slot, uint64_t *hits) {
    const Request *q = &e->ask;
    const Entry *t = &e->entry[slot];
    int64_t first, last;
    extent(t, &first, &last);
    bin_hit(hits, out->ans_wait[0] ? e->at.hit_wait : e->at.hit);
    bin_hit(hits, e->at.hit_stride[stride_class(t->stride)]);
    bin_hit(hits, e->at.way[slot % e->shape.ways]);
    bin_hit(hits, e->at.row[slot / e->shape.ways]);
    if (t->mask != q->mask) bin_hit(hits, e->at.hit_less);
    if (has_holes(q->mask)) bin_hit(hits, e->at.hit_holes);
    if (q->base & 3) bin_hit(hits, e->at.unaligned);
    if (first < 0 || last >> 32) bin_hit(hits, e->at.over_top);
}

static void see_merge(const Env *e, const AddrMapTableOut *out, int low, int high, uint64_t *hits) {
    const Request *q = &e->ask;
    bin_hit(hits, e->at.merge_stride[stride_class(e->entry[low].stride)]);
    bin_hit(hits, e->at.low[shift_class(shift_of(out->ans_shift[0]))]);
    if (has_holes(q->mask)) bin_hit(hits, e->at.merge_holes);
    if (out->ans_use[0] != 3) {
        bin_hit(hits, e->at.merge_one);
        return;
    }
    int shift;
    bin_hit(hits, e->at.merge_two);
    bin_hit(hits, e->at.high[shift_class(shift_of(out->ans_shift[1]))]);
    if (q->mask == UINT32_MAX) bin_hit(hits, e->at.merge_full);
    bin_hit(hits, low < high ? e->at.low_first : e->at.high_first);
    bin_hit(hits, low / e->shape.ways == high / e->shape.ways ? e->at.one_row : e->at.two_rows);
    bin_hit(hits, has_lanes(&e->entry[high], q, &shift) & out->ans_mask[0] ? e->at.overlap : e->at.touch);
}

static void see_miss(const Env *e, const AddrMapTableOut *out, uint64_t *hits) {
    const Request *q = &e->ask;
    const int32_t stride = (int32_t)q->stride;
    const bool fits = stride % 4 == 0 && stride >= -508 && stride <= 512;
    if (!q->mask) bin_hit(hits, e->at.no_lanes);
    if (stride & 3) bin_hit(hits, e->at.odd);
    else if (stride == -512) bin_hit(hits, e->at.minus_512);
    else if (stride > 512) bin_hit(hits, e->at.far);
    else if (stride < -512) bin_hit(hits, e->at.far_below);
    if (!fits || !q->mask) return;
    bin_hit(hits, out->ans_kept[0] ? e->at.miss_kept : e->at.miss_question);
    if (q->flushed) bin_hit(hits, e->at.flushed);
}

static void enter(Env *e, uint64_t *hits) {
    const Request *q = &e->ask;
    const int old = e->slot_of[q->phys] - 1;
    Entry *t = &e->entry[e->fill];
    if (old != NONE) {
        bin_hit(hits, old == e->fill ? e->at.same_slot : e->at.same_phys);
        kill_entry(e, old);
    }
    if (t->live) bin_hit(hits, t->data ? e->at.evict : e->at.evict_waits);
    else if (t->mask && old != e->fill) bin_hit(hits, e->at.refill);
    kill_entry(e, e->fill);
    *t = (Entry){true, false, q->base, q->mask, q->phys, (int32_t)q->stride};
    e->slot_of[q->phys] = (int16_t)(e->fill + 1);
    e->live++;
    e->fill = e->fill + 1 < e->shape.slots ? e->fill + 1 : 0;
    if (e->fill == 0) bin_hit(hits, e->at.wraps);
    if (e->live == e->shape.slots) bin_hit(hits, e->at.full);
}

static void see_answer(Env *e, const AddrMapTableOut *out, uint64_t *hits) {
    const Request *q = &e->ask;
    const bool right = out->ans_kind[0] == AMT_MISS || e->slot_of[out->ans_phys[0]];
    const bool both = out->ans_use[0] != 3 || e->slot_of[out->ans_phys[1]];
    if (!right || !both) return;  // the block named what it does not hold
    if (q->mask == 1) bin_hit(hits, e->at.lane_first);
    if (q->mask == 1u << 31) bin_hit(hits, e->at.lane_last);
    if (q->mask && !(q->mask & 1)) bin_hit(hits, e->at.lane_none);
    see_others(e, out, hits);
    if (out->ans_kind[0] == AMT_HIT) see_hit(e, out, e->slot_of[out->ans_phys[0]] - 1, hits);
    else if (out->ans_kind[0] == AMT_MERGE)
        see_merge(e, out, e->slot_of[out->ans_phys[0]] - 1,
                  out->ans_use[0] == 3 ? e->slot_of[out->ans_phys[1]] - 1 : NONE, hits);
    else see_miss(e, out, hits);
    if (out->ans_kept[0]) enter(e, hits);
}

// The lanes whose word a store of bytes low..high writes into.
static uint32_t lanes_written(const Entry *t, uint32_t low, uint32_t high) {
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++) {
        const uint32_t word = t->base + (uint32_t)(i * t->stride);
        if (low - word <= 3 || word - low <= high - low) lanes |= 1u << i;
    }
    return lanes;
}

static void see_killed(const Env *e, const Entry *t, uint32_t low, uint32_t high, uint64_t *hits) {
    const uint32_t lanes = lanes_written(t, low, high);
    int64_t first, last;
    extent(t, &first, &last);
    if (t->stride == 0) bin_hit(hits, e->at.st_zero);
    else if (lanes == 1) bin_hit(hits, t->stride > 0 ? e->at.st_first : e->at.st_first_neg);
    else if (lanes == 1u << 31) bin_hit(hits, t->stride > 0 ? e->at.st_last : e->at.st_last_neg);
    if (lanes == 0) bin_hit(hits, e->at.st_between);
    else if (!(lanes & t->mask)) bin_hit(hits, e->at.st_inactive);
    if (!t->data) bin_hit(hits, e->at.st_waits);
    if (first < 0 || last >> 32) bin_hit(hits, e->at.st_top);
}

static void take_store(Env *e, const AddrMapTableIn *in, uint64_t *hits) {
    const uint32_t low = in->st_low[0], high = in->st_high[0];
    const int before = e->live;
    int killed = 0;
    for (int s = 0, left = e->live; left; s++) {
        const Entry *t = &e->entry[s];
        if (!t->live) continue;
        left--;
        const uint32_t span = t->stride < 0 ? (uint32_t)(-31 * t->stride + 3) : (uint32_t)(31 * t->stride + 3);
        const uint32_t first = t->stride < 0 ? t->base + (uint32_t)(31 * t->stride) : t->base;
        if (low - first <= span || first - low <= high - low) {
            see_killed(e, t, low, high, hits);
            kill_entry(e, s);
            killed++;
        } else {
            if (high + 1 == first) bin_hit(hits, e->at.st_below);
            if (low == first + span + 1) bin_hit(hits, e->at.st_above);
        }
    }
    if (before) bin_hit(hits, killed == 0 ? e->at.st_none : killed == 1 ? e->at.st_one : e->at.st_some);
    if (before > 1 && killed == before) bin_hit(hits, e->at.st_all);
    if (high < low) bin_hit(hits, e->at.st_wraps);
    if (in->lk_valid[0]) bin_hit(hits, e->at.st_before);
    if (e->tail) bin_hit(hits, e->at.st_twice);
}

static void take_register(Env *e, const AddrMapTableIn *in, uint64_t *hits) {
    if (e->work == LOOKUP) {
        if (in->rel_valid[0]) bin_hit(hits, e->at.rel_refused);
        if (in->arr_valid[0]) bin_hit(hits, e->at.arr_refused);
    } else if (in->rel_valid[0]) {
        const int s = e->slot_of[in->rel_phys[0]] - 1;
        bin_hit(hits, s == NONE ? e->at.rel_none : e->entry[s].data ? e->at.rel_live : e->at.rel_waits);
        if (s != NONE) {
            kill_entry(e, s);
            if (e->work == STORE) bin_hit(hits, e->at.rel_scan);
            else if (in->st_valid[0]) bin_hit(hits, e->at.rel_store);
            else if (in->lk_valid[0]) bin_hit(hits, e->at.rel_lookup);
        }
        if (in->arr_valid[0]) bin_hit(hits, e->at.arr_released);
    } else if (in->arr_valid[0]) {
        const int s = e->slot_of[in->arr_phys[0]] - 1;
        bin_hit(hits, s == NONE ? e->at.arr_none : e->entry[s].data ? e->at.arr_again : e->at.arr_sets);
        if (s == NONE) return;
        if (!e->entry[s].data && e->work == IDLE && !in->st_valid[0] && in->lk_valid[0] &&
            in->lk_base[0] == e->entry[s].base && in->lk_stride[0] == (uint32_t)e->entry[s].stride)
            bin_hit(hits, e->at.arr_lookup);
        e->entry[s].data = true;
    }
}

static void take_flush(Env *e, const AddrMapTableIn *in, const AddrMapTableOut *out, uint64_t *hits) {
    if (!in->fl_valid[0]) return;
    bin_hit(hits, e->live ? e->at.fl_filled : e->at.fl_empty);
    if (e->work == STORE || e->tail) bin_hit(hits, e->at.fl_store);
    if (e->work == LOOKUP) bin_hit(hits, e->at.flush_at[e->since]);
    if (e->work == LOOKUP && e->live) e->ask.flushed = true;
    if (e->work == IDLE && in->lk_valid[0] && !in->st_valid[0]) bin_hit(hits, e->at.fl_accept);
    if (out->ans_valid[0]) bin_hit(hits, e->at.fl_answer);
    for (int s = 0; e->live; s++) kill_entry(e, s);
}

static void take_lookup(Env *e, const AddrMapTableIn *in, const AddrMapTableOut *out, uint64_t *hits) {
    const int slots = e->shape.slots, part = e->live == 0 ? 0 : e->live == slots ? 3 : e->live * 2 < slots ? 1 : 2;
    bin_hit(hits, e->at.filled[part]);
    if (out->ans_valid[0]) bin_hit(hits, e->at.lk_behind);
    if (e->tail) bin_hit(hits, e->at.st_then_lookup);
    e->ask = (Request){in->lk_base[0], in->lk_stride[0], in->lk_mask[0], in->lk_phys[0], in->lk_insert[0], false};
}

static void see_reset(Env *e, uint64_t *hits) {
    if (e->reset_met & 1) bin_hit(hits, e->at.rs_empty);
    if (e->reset_met & 2) bin_hit(hits, e->at.rs_filled);
    if (e->reset_met & 4) bin_hit(hits, e->at.rs_store);
    if (e->reset_met & 8) bin_hit(hits, e->at.rs_lookup);
    e->reset_met = 0;
}

static void amt_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const AddrMapTableIn *in = inputs;
    const AddrMapTableOut *out = outputs;
    if (e->reset_met) see_reset(e, hits);
    if (out->ans_valid[0]) see_answer(e, out, hits);
    take_flush(e, in, out, hits);
    take_register(e, in, hits);
    const int work = e->work;
    const int last = work == LOOKUP ? e->shape.rows + 2 : e->shape.rows - 1;
    if (work != IDLE) {
        if (in->lk_valid[0]) bin_hit(hits, e->at.lk_refused);
        if (in->st_valid[0]) bin_hit(hits, e->at.st_refused);
    } else if (in->st_valid[0]) {
        take_store(e, in, hits);
    } else if (in->lk_valid[0]) {
        take_lookup(e, in, out, hits);
    }
    const int starts = work != IDLE ? IDLE : in->st_valid[0] ? STORE : in->lk_valid[0] ? LOOKUP : IDLE;
    e->tail = (work == STORE && e->since == last) || (starts == STORE && e->shape.rows == 1);
    if (work != IDLE && e->since == last) e->work = IDLE, e->since = 0;
    else if (work != IDLE) e->since++;
    else if (starts == LOOKUP || (starts == STORE && e->shape.rows > 1)) e->work = starts, e->since = 1;
}

static const StimShape SHAPES[] = {
    {"Slots=15 Ways=4 Banks=3", "a last row that is not full, odd banks"},
    {0},
};

const BlockStim addr_map_table_stim = {
    .shapes = SHAPES,
    .knobs = KNOB_TABLE, .nknobs = KNOBS, .bins = amt_bins,
    .open = amt_open, .close = amt_close, .reset = amt_forget,
    .randomise = amt_randomise, .constrain = amt_constrain, .observe = amt_observe,
};
