// SPDX-License-Identifier: Apache-2.0
// Stimuli of alloc_unit: warps write registers of changing sizes and free them. Each episode draws
// its fill level, up to more registers than fit. The environment keeps the rename table that the
// unit's answers fill. Old places are always right, buddies' places sometimes stale. A request is
// repeated until it is done, or dropped now and then.
#include "models/rename/alloc_unit.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum {
    KNOB_WRITE,
    KNOB_FREE,
    KNOB_LEVEL,
    KNOB_POLICY,
    KNOB_SIZE,
    KNOB_REWRITE,
    KNOB_HINT,
    KNOB_STALE,
    KNOB_BANK,
    KNOB_AHEAD,
    KNOB_CONFIG,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"write", 20, 140, "percent of ports that write a register"},
    {"free", 5, 100, "percent of free ports used while too many registers live"},
    {"level", 0, 20,
     "registers that live: 0..3 none or a few, else in tenths of the physical ones"},
    {"policy", 0, 6, "0, 1: first fit, 2, 3: pair, 4, 5: align, 6: a change every cycle"},
    {"size", 0, 9, "1..4: most writes have this size; else any"},
    {"rewrite", 0, 40, "percent of writes to registers that live"},
    {"hint", 0, 50, "percent of cycles that load a hint, and of ports that ask for one"},
    {"stale", 0, 15, "percent of buddies' places that are out of date"},
    {"bank", 0, 5, "0: all writes of one warp and register mod 4"},
    {"ahead", 0, 140, "percent of growths whose row is looked up before"},
    {"config", 0, 7, "bit 0: growth moves, bit 1: lowest bank first; 6, 7: as it comes"},
};

enum { MAX_IDS = 64 * AU_REGS };
enum { WAIT_ROW, WAIT_LONG, WAIT_DROPPED, WAIT_LOST, WAITS, LONG = 8 };
enum {
    GROWS_AHEAD,
    GROWS_RELOOKED,
    GROWS_ELSEWHERE,
    GROWS_ELSEWHERE_AHEAD,
    GROWS_MOVES,
    GROWS_LAST,
    GROWS
};
enum { GIVE_PORT_FULL, GIVE_FREE_FULL, GIVE_SHRINK_WAITS, GIVES };
enum { HOWS = 5 };
enum { RESIZES = 20 /* old x new size: 4 keep, 4 first, 6 shrink, 6 grow */ };
enum { MAP_EMPTIED, MAP_FRAGMENTED, MAP_NO_FULL, MAP_LAST_ENTRY, MAPS };
enum {
    PAIR_FIRST,
    PAIR_STALE,
    PAIR_NO_FIT,
    PAIR_GROWS_BESIDE,
    PAIR_MOVES,
    PAIR_YIELDS,
    PAIR_NO_WHOLE,
    PAIRS
};
enum { FREE_EMPTIES, FREE_LEAVES, FREE_BESIDE, FREE_TWO, FREES };
enum { HINT_SAME_CYCLE, HINT_PAIRED, HINT_LEFT, HINT_RIGHT, HINT_CLEARED, HINT_BOTH, HINTS };
enum { RESET_EMPTY, RESET_LIVE, RESET_WAITING, RESETS };

typedef struct Mapping {
    uint8_t bank, mask;
    uint16_t entry;
} Mapping;

typedef struct Pending {
    bool on, stuck, ahead;  // stuck: no place was free; ahead: its row was looked up first
    uint32_t id, size, age;
} Pending;

// A request of the last cycle that is not done.
typedef struct Held {
    bool on;
    uint32_t id, kind, size, align, pair, bd;
} Held;

typedef struct Env {
    int banks, entries, warps, num_wr, num_free, num_kernels, ids, capacity, num_alloc;
    bool full_reachable;
    // the rename table, and the register in each slice (id + 1, 0 none)
    Mapping map[MAX_IDS];
    uint16_t *owner;
    int live[MAX_IDS], where[MAX_IDS], nlive, used_entries, used_slices;
    int target;      // registers to live, -1: to be drawn
    uint8_t *taken;  // slices in use per entry
    Pending pending[AU_MAX_WR];
    Held held[AU_MAX_WR];
    uint32_t looked;    // ports with a look in the last cycle
    uint8_t *reserved;  // rows reserved for a buddy, as far as is visible here
    bool was_full_of_life, waiting;
    uint32_t reset_met;
    uint8_t align[AU_MAX_KERNELS * AU_REGS], paired[AU_MAX_KERNELS * AU_REGS],
        cleared[AU_MAX_KERNELS * AU_REGS];
    int resize[3], how[3][HOWS], mask, side, bank, wait, none[3], at_once, state, pair, fit, freed,
        frees, hint_op, hint, reset, grows, gives, empty, config;
} Env;

// ---- bins ---------------------------------------------------------------------------------------

static const char *const POLICY_NAME[3] = {"first-fit", "pair", "align"};

static void layout_places(Env *e, BinList *l) {
    static const char *const hows[] = {"", "as-wanted", "with-buddy", "other", "own"};
    for (int p = 0; p < 3; p++) {
        e->resize[p] = l->n;
        for (int old = 0; old <= 4; old++)
            for (int new = 1; new <= 4; new ++)
                bin_add(l, "size change", "%s.%d-to-%d", POLICY_NAME[p], old, new);
        for (int h = 1; h < HOWS; h++) {
            const bool can = h == AU_POLICY || (h == AU_BUDDY && p == AU_PAIR) ||
                (h == AU_FALLBACK && (p == AU_PAIR || (p == AU_ALIGN && e->full_reachable))) ||
                (h == AU_OWN && e->full_reachable);
            e->how[p][h] = can ? bin_add(l, "place", "%s.%s", POLICY_NAME[p], hows[h]) : -1;
        }
    }
    e->mask = l->n - 1;  // mask 0000 is never allocated
    for (int m = 1; m < 16; m++)
        bin_add(l, "slices given", "%d%d%d%d", m >> 3, m >> 2 & 1, m >> 1 & 1, m & 1);
    e->side = l->n;
    for (int n = 1; n <= 3; n++) {
        bin_add(l, "aligned", "left.%d", n);
        bin_add(l, "aligned", "right.%d", n);
    }
    e->bank = l->n;
    for (int b = 0; b < e->banks; b++) {
        bin_add(l, "bank", "bank%d.first", b);
        if (e->banks > 1 && e->full_reachable) bin_add(l, "bank", "bank%d.instead", b);
    }
}

static void layout_states(Env *e, BinList *l) {
    static const char *const waits[] = {"for-a-row", "long", "dropped", "other-port-served"};
    static const char *const maps[] = {"empty-again", "fragmented", "no-free-register",
                                       "last-entry"};
    static const char *const pairs[] = {"first-reserves", "buddy-stale", "does-not-fit",
                                        "grows-beside",   "buddy-moves", "yields",
                                        "no-whole-row"};
    static const char *const grows[] = {"own-looked-ahead",       "own-relooked",    "elsewhere",
                                        "elsewhere-looked-ahead", "moves-by-choice", "own-at-last"};
    e->wait = bin_words(l, "wait", waits, e->num_wr > 1 ? WAITS : WAIT_LOST);
    e->grows = bin_words(l, "growth", grows, e->full_reachable ? GROWS : GROWS_LAST);
    for (int p = 0; p < 3; p++)
        e->none[p] = e->full_reachable ? bin_add(l, "nothing free", "%s", POLICY_NAME[p]) : -1;
    e->at_once = bin_numbers(l, "allocated at once", "x", 1, e->num_wr);
    e->state = bin_words(l, "free map", maps, e->full_reachable ? MAPS : MAP_NO_FULL);
    e->pair = bin_words(l, "pair", pairs, e->full_reachable ? PAIRS : PAIR_YIELDS);
    e->fit = l->n;
    for (int a = 1; a <= 3; a++)
        for (int b = 1; b <= 4 - a; b++) bin_add(l, "packed pair", "%d+%d", a, b);
}

static void layout_rest(Env *e, BinList *l) {
    static const char *const frees[] = {"row-empty", "row-in-use", "others-move-in",
                                        "two-of-one-row"};
    static const char *const gives[] = {"request-port-full", "free-port-full", "shrink-waits"};
    static const char *const configs[] = {"inplace.rotate", "move.rotate", "inplace.lowest",
                                          "move.lowest"};
    static const char *const kinds[] = {"partly-used", "whole"};
    static const char *const hints[] = {
        "loaded-in-this-cycle", "paired", "left", "right", "after-clear", "paired-and-aligned"};
    static const char *const ops[] = {"clear", "pair", "align", "none"};
    static const char *const resets[] = {"empty", "registers-live", "request-waits"};
    e->freed = bin_numbers(l, "freed at once", "x", 1, e->num_free);
    e->frees = bin_words(l, "free", frees, e->num_free > 1 ? FREES : FREE_TWO);
    e->gives = bin_words(l, "given back", gives, GIVES);
    e->config = bin_words(l, "configuration", configs, 4);
    e->empty = bin_words(l, "row given", kinds, 2);
    e->hint_op = bin_words(l, "hint loaded", ops, 4);
    e->hint = bin_words(l, "hint asked", hints, HINTS);
    e->reset = bin_words(l, "reset", resets, RESETS);
}

static void layout(Env *e, const int *params, BinList *l) {
    e->banks = params[0], e->entries = params[1], e->warps = params[2];
    e->num_wr = params[3], e->num_free = params[4], e->num_kernels = params[5],
    e->num_alloc = params[6];
    e->ids = e->warps * AU_REGS, e->capacity = e->banks * e->entries;
    // Full and over-committed only if a chunk of transactions can reach it.
    e->full_reachable = e->capacity <= 1024 && e->ids > e->capacity + e->capacity / 4;
    layout_places(e, l);
    layout_states(e, l);
    layout_rest(e, l);
}

static int au_bins(const int *params, CoverBin *bins) {
    Env *e = calloc(1, sizeof *e);
    BinList l = {bins, 0};
    if (!e) return 0;
    layout(e, params, &l);
    free(e);
    return l.n;
}

// ---- the rename table ---------------------------------------------------------------------------

static int entry_of(const Env *e, uint32_t bank, uint32_t entry) {
    return (int)(bank * (uint32_t)e->entries + entry);
}

static void set_slices(Env *e, int at, uint32_t mask, uint32_t id_or_none) {
    for (int s = 0; s < 4; s++)
        if (mask >> s & 1) e->owner[4 * at + s] = (uint16_t)id_or_none;
    const uint8_t before = e->taken[at];
    e->taken[at] = (uint8_t)(id_or_none ? before | mask : before & ~mask);
    e->used_entries += (e->taken[at] != 0) - (before != 0);
    if (!e->taken[at]) e->reserved[at] = 0;
    e->used_slices += stim_ones(e->taken[at]) - stim_ones(before);
}

static void unmap(Env *e, uint32_t id) {
    Mapping *m = &e->map[id];
    if (!m->mask) return;
    set_slices(e, entry_of(e, m->bank, m->entry), m->mask, 0);
    m->mask = 0;
    const int last = e->live[--e->nlive];
    e->live[e->where[id]] = last;
    e->where[last] = e->where[id];
}

static void map(Env *e, uint32_t id, uint32_t bank, uint32_t entry, uint32_t mask) {
    // not an answer
    if (bank >= (uint32_t)e->banks || entry >= (uint32_t)e->entries || !(mask & 15)) return;
    e->map[id] = (Mapping){(uint8_t)bank, (uint8_t)(mask & 15), (uint16_t)entry};
    set_slices(e, entry_of(e, bank, entry), mask & 15, id + 1);
    e->where[id] = e->nlive;
    e->live[e->nlive++] = (int)id;
}

static void au_forget(void *self) {
    Env *e = self;
    e->reset_met |= 1u << (e->waiting ? RESET_WAITING : e->nlive ? RESET_LIVE : RESET_EMPTY);
    while (e->nlive) unmap(e, (uint32_t)e->live[e->nlive - 1]);
    memset(e->pending, 0, sizeof e->pending);
    memset(e->held, 0, sizeof e->held);
    memset(e->reserved, 0, (size_t)e->capacity);
    e->looked = 0;
    memset(e->align, 0, sizeof e->align);
    memset(e->paired, 0, sizeof e->paired);
    memset(e->cleared, 0, sizeof e->cleared);
    e->was_full_of_life = e->waiting = false;
}

static void au_close(void *self) {
    Env *e = self;
    free(e->owner), free(e->taken), free(e->reserved);
    free(e);
}

static void *au_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    layout(e, params, &(BinList){NULL, 0});
    e->target = -1;
    e->owner = calloc(4 * (size_t)e->capacity, sizeof *e->owner);
    e->taken = calloc((size_t)e->capacity, 1);
    e->reserved = calloc((size_t)e->capacity, 1);
    if (!e->owner || !e->taken || !e->reserved) {
        au_close(e);
        return NULL;
    }
    return e;
}

// ---- driving ------------------------------------------------------------------------------------

static uint32_t place_word(const Mapping *p) {
    return p->mask ? (uint32_t)p->mask << 28 | (uint32_t)p->bank << 16 | p->entry : 0;
}

static uint32_t id_of(const AllocUnitIn *in, int w) {
    return in->rq_warp[w] * AU_REGS + in->rq_reg[w];
}

static uint32_t draw_id(const Env *e, StimRandom *r, const int *knobs, int target) {
    const bool rewrite = e->nlive && (e->nlive >= target || stim_percent(r, knobs[KNOB_REWRITE]));
    if (rewrite) return (uint32_t)e->live[stim_below(r, (uint32_t)e->nlive)];
    uint32_t id = stim_below(r, (uint32_t)e->ids);
    if (knobs[KNOB_BANK] == 0) id &= ~3u;
    // Prefer the buddy of a register that lives: pairs and dense warps.
    if (e->nlive && stim_below(r, 3) == 0)
        id = (uint32_t)e->live[stim_below(r, (uint32_t)e->nlive)] ^ 1;
    return id;
}

static uint32_t draw_size(StimRandom *r, const int *knobs) {
    const int size = knobs[KNOB_SIZE];
    return size >= 1 && size <= 4 && stim_below(r, 8) ? (uint32_t)size : 1 + stim_below(r, 4);
}

// Another request of port w.
static void draw_pending(Env *e, StimRandom *r, const int *knobs, int target, int w) {
    Pending *p = &e->pending[w];
    const bool stuck = p->on && p->stuck;
    *p = (Pending){.on = true, .id = draw_id(e, r, knobs, target), .size = draw_size(r, knobs)};
    if (stuck && e->nlive && stim_below(r, 2)) {  // a live register grows in its row
        p->id = (uint32_t)e->live[stim_below(r, (uint32_t)e->nlive)];
        p->size = 4;
    }
}

// Looks up the row of a register that will grow; the request follows in the next cycle.
static bool draw_ahead(Env *e, StimRandom *r, const int *knobs, AllocUnitIn *in, int w) {
    const Pending *p = &e->pending[w];
    const Mapping *now = &e->map[p->id];
    if (!now->mask || (uint32_t)stim_ones(now->mask) >= p->size ||
        !stim_percent(r, knobs[KNOB_AHEAD]))
        return false;
    in->lk_valid[0] |= 1u << w;
    in->lk_bank[w] = now->bank, in->lk_entry[w] = now->entry;
    return true;
}

static void draw_request(Env *e, StimRandom *r, const int *knobs, int target, AllocUnitIn *in,
                         int w) {
    Pending *p = &e->pending[w];
    if (p->on && e->held[w].on && stim_below(r, p->stuck ? 12 : 128) == 0) {
        draw_pending(e, r, knobs, target, w);
        return;
    }
    if (!p->on) {
        draw_pending(e, r, knobs, target, w);
        if (draw_ahead(e, r, knobs, in, w)) return;
    }
    const uint32_t random = stim_random(r), reg = p->id % AU_REGS;
    const Held *held = &e->held[w];
    in->rq_valid[0] |= 1u << w;
    in->rq_warp[w] = p->id / AU_REGS;
    in->rq_reg[w] = reg;
    in->rq_size[w] = p->size;
    in->rq_kind[w] = random >> 7 & 7 ? AU_SHRINK : AU_KEEP;  // of a smaller value
    in->rq_align[w] = (random & 31) == 0 ? random >> 5 & 3 : (reg >> 1) % 3;
    uint32_t pair = reg < 48 || (random & 7) == 0;
    if (held->on && held->id == p->id)
        in->rq_kind[w] = held->kind, in->rq_align[w] = held->align, pair = held->pair;
    in->rq_pair[0] |= pair << w;
    const Mapping *buddy = &e->map[p->id ^ 1];
    in->rq_bd_bank[w] = buddy->bank, in->rq_bd_entry[w] = buddy->entry,
    in->rq_bd_mask[w] = buddy->mask;
    if (!stim_percent(r, knobs[KNOB_STALE])) return;
    in->rq_bd_bank[w] = stim_below(r, (uint32_t)e->banks);
    in->rq_bd_entry[w] = (random >> 8 & 1) ? stim_below(r, (uint32_t)e->entries) : random >> 9 & 7;
    in->rq_bd_mask[w] = random >> 12 & 15;
}

static void draw_frees(Env *e, StimRandom *r, const int *knobs, int target, AllocUnitIn *in) {
    if (e->nlive == 0) return;
    const bool many = e->nlive > target;
    const uint32_t ports =
        stim_bits(r, many ? knobs[KNOB_FREE] : knobs[KNOB_FREE] / 16) & ((1u << e->num_free) - 1);
    uint32_t id = 0;
    for (uint32_t left = ports; left; left &= left - 1) {
        const int f = __builtin_ctz(left);
        // Now and then a register in the same entry as the previous one.
        const int at =
            f > 0 && e->map[id].mask ? entry_of(e, e->map[id].bank, e->map[id].entry) : -1;
        id = (uint32_t)e->live[stim_below(r, (uint32_t)e->nlive)];
        const Held *held = &e->held[id % (uint32_t)e->num_wr];
        // the buddy of a register that waits
        if (held->on && e->map[held->id ^ 1].mask && id % 5 == 0) id = held->id ^ 1;
        if (at >= 0 && stim_below(r, 3) == 0) {
            const uint16_t owner = e->owner[4 * at + (int)stim_below(r, 4)];
            if (owner) id = owner - 1u;
        }
        in->fr_bank[f] = e->map[id].bank, in->fr_entry[f] = e->map[id].entry,
        in->fr_mask[f] = e->map[id].mask;
    }
    in->fr_valid[0] = ports;
}

static void draw_hints(const Env *e, StimRandom *r, const int *knobs, AllocUnitIn *in) {
    in->hl_valid[0] = stim_percent(r, knobs[KNOB_HINT]);
    const uint32_t random = stim_random(r);
    in->hl_op[0] = (random & 31) == 0 ? 3 : (random & 15) == 1 ? 0 : 1 + (random >> 5 & 1);
    in->hl_kernel[0] = stim_below(r, (uint32_t)e->num_kernels);
    in->hl_reg[0] = random >> 8 & (random & 192 ? 63 : 7);
    in->hl_value[0] = random >> 16 & 63;
    in->hq_valid[0] = stim_bits(r, knobs[KNOB_HINT]) & ((1u << e->num_alloc) - 1);
    for (int w = 0; w < e->num_alloc; w++) {
        const uint32_t other = stim_random(r);
        in->hq_kernel[w] =
            (other & 3) == 0 ? in->hl_kernel[0] : stim_below(r, (uint32_t)e->num_kernels);
        in->hq_reg[w] = (other & 12) == 0 ? in->hl_reg[0] : other >> 8 & (other & 64 ? 63 : 7);
    }
}

static int draw_target(const Env *e, int level) {
    return level <= 3 ? (level & 2) * 8 : e->capacity * level / 10;
}

static void au_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    static const uint8_t policies[] = {0, 0, 1, 1, 2, 2};
    Env *e = self;
    AllocUnitIn *in = inputs;
    // Filling takes longer than an episode: the level holds for a thousand cycles or so.
    if (e->target < 0 || stim_below(r, 2048) == 0) e->target = draw_target(e, knobs[KNOB_LEVEL]);
    const int target = e->target;
    in->policy[0] = knobs[KNOB_POLICY] < 6 && stim_below(r, 64) ? policies[knobs[KNOB_POLICY]]
                                                                : stim_below(r, 4);
    const uint32_t config = knobs[KNOB_CONFIG] < 6 ? (uint32_t)knobs[KNOB_CONFIG] : stim_random(r);
    in->cfg_grow[0] = config & 1, in->cfg_order[0] = config >> 1 & 1;
    in->rq_valid[0] = in->rq_pair[0] = in->fr_valid[0] = in->lk_valid[0] = 0;
    // An empty map occurs if few warps write while it is emptied.
    const uint32_t write = stim_bits(r, target ? knobs[KNOB_WRITE] : knobs[KNOB_WRITE] / 8);
    for (int w = 0; w < e->num_wr; w++) {
        if (write >> w & 1 || (e->held[w].on && stim_below(r, 128)))
            draw_request(e, r, knobs, target, in, w);
        if (stim_below(r, 64)) continue;
        in->lk_valid[0] |= 1u << w;
        in->lk_bank[w] = stim_below(r, (uint32_t)e->banks),
        in->lk_entry[w] = stim_below(r, (uint32_t)e->entries);
    }
    draw_frees(e, r, knobs, target, in);
    draw_hints(e, r, knobs, in);
}

// ---- legal inputs -------------------------------------------------------------------------------

// Whether port w may send this request. One that is not done is repeated unchanged, or dropped.
static bool may_ask(const Env *e, const AllocUnitIn *in, int w) {
    const Held *h = &e->held[w];
    if (in->rq_warp[w] >= (uint32_t)e->warps || in->rq_reg[w] >= AU_REGS) return false;
    for (int v = 0; v < w; v++)
        if ((in->rq_valid[0] >> v & 1) && id_of(in, v) == id_of(in, w)) return false;
    return !h->on ||
        (h->id == id_of(in, w) && h->size == in->rq_size[w] && h->align == in->rq_align[w] &&
         h->pair == (in->rq_pair[0] >> w & 1));
}

static void constrain_requests(const Env *e, AllocUnitIn *in) {
    for (int w = 0; w < e->num_wr; w++) {
        const uint32_t bit = 1u << w;
        if (in->rq_size[w] < 1 || in->rq_size[w] > 4) in->rq_size[w] = in->rq_size[w] ? 4 : 1;
        if (in->rq_bd_bank[w] >= (uint32_t)e->banks || in->rq_bd_entry[w] >= (uint32_t)e->entries)
            in->rq_bd_mask[w] = 0;
        if (!in->rq_bd_mask[w]) in->rq_bd_bank[w] = in->rq_bd_entry[w] = 0;
        if (in->lk_bank[w] >= (uint32_t)e->banks || in->lk_entry[w] >= (uint32_t)e->entries)
            in->lk_valid[0] &= ~bit;
        if (!(in->rq_valid[0] & bit)) continue;
        if (!may_ask(e, in, w)) {
            in->rq_valid[0] &= ~bit;
            continue;
        }
        const Mapping *now = &e->map[id_of(in, w)];
        const uint32_t had = (uint32_t)stim_ones(now->mask), size = in->rq_size[w];
        in->rq_old_bank[w] = now->bank, in->rq_old_entry[w] = now->entry,
        in->rq_old_mask[w] = now->mask;
        if (!had || size >= had) in->rq_kind[w] = !had ? AU_FIRST : size == had ? AU_KEEP : AU_GROW;
        else if (in->rq_kind[w] != AU_KEEP || e->held[w].on) in->rq_kind[w] = AU_SHRINK;
    }
}

// Whole registers, not written in this cycle, each once.
static bool may_free(const Env *e, const AllocUnitIn *in, int f) {
    const uint32_t mask = in->fr_mask[f] & 15;
    if (in->fr_bank[f] >= (uint32_t)e->banks || in->fr_entry[f] >= (uint32_t)e->entries || !mask)
        return false;
    const uint32_t owner =
        e->owner[4 * entry_of(e, in->fr_bank[f], in->fr_entry[f]) + __builtin_ctz(mask)];
    if (!owner || e->map[owner - 1].mask != mask) return false;
    for (int w = 0; w < e->num_wr; w++)
        if ((in->rq_valid[0] >> w & 1) && id_of(in, w) == owner - 1) return false;
    for (int g = 0; g < f; g++)
        if ((in->fr_valid[0] >> g & 1) && in->fr_bank[g] == in->fr_bank[f] &&
            in->fr_entry[g] == in->fr_entry[f] && in->fr_mask[g] == in->fr_mask[f])
            return false;
    return true;
}

static void au_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    AllocUnitIn *in = inputs;
    constrain_requests(e, in);
    for (int f = 0; f < e->num_free; f++)
        if ((in->fr_valid[0] >> f & 1) && !may_free(e, in, f)) in->fr_valid[0] &= ~(1u << f);
    if (in->hl_kernel[0] >= (uint32_t)e->num_kernels) in->hl_valid[0] = 0;
    for (int w = 0; w < e->num_alloc; w++)
        if (in->hq_kernel[w] >= (uint32_t)e->num_kernels) in->hq_valid[0] &= ~(1u << w);
}

// ---- coverage -----------------------------------------------------------------------------------

static void count(uint64_t *hits, int bin) {
    if (bin >= 0) hits[bin]++;
}

static void see_bank(const Env *e, const AllocUnitIn *in, int w, int bank, uint64_t *hits) {
    const bool align = in->policy[0] == AU_ALIGN;
    const uint32_t sum = in->rq_warp[w] + (align ? 0 : in->rq_reg[w]);
    const uint32_t base = in->cfg_order[0] && !align ? 0 : sum % (uint32_t)e->banks;
    if (e->banks == 1 || !e->full_reachable) {
        hits[e->bank + bank] += (int)base == bank;
        return;
    }
    hits[e->bank + 2 * bank + ((int)base != bank)]++;
}

static int fit_bin(const Env *e, int a, int b) {
    return e->fit + (a == 1 ? b - 1 : a == 2 ? 2 + b : 5);
}

static void see_pair(const Env *e, const AllocUnitIn *in, const AllocUnitOut *out, int w,
                     uint64_t *hits) {
    if (in->policy[0] != AU_PAIR || !(in->rq_pair[0] >> w & 1)) return;
    const int how = (int)out->al_how[w], size = (int)in->rq_size[w];
    const uint32_t bd = in->rq_bd_mask[w];
    const Mapping *buddy = &e->map[id_of(in, w) ^ 1];
    const bool fresh = bd && bd == buddy->mask && in->rq_bd_bank[w] == buddy->bank &&
        in->rq_bd_entry[w] == buddy->entry;
    const int at = entry_of(e, out->al_bank[w], out->al_entry[w]);
    const bool first = !bd && how == AU_POLICY && size < 4;
    hits[e->pair + PAIR_FIRST] += first;
    if (first) e->reserved[at] = 1;
    if (e->full_reachable) hits[e->pair + PAIR_NO_WHOLE] += !bd && how == AU_FALLBACK;
    hits[e->pair + PAIR_STALE] += bd && !fresh && how == AU_BUDDY;
    hits[e->pair + PAIR_NO_FIT] += fresh && how == AU_FALLBACK;
    if (fresh) e->reserved[entry_of(e, buddy->bank, buddy->entry)] = 0;
    if (!fresh || how != AU_BUDDY) return;
    if (out->al_kind[w] == AU_FIRST) hits[fit_bin(e, stim_ones(bd), size)]++;
    else
        hits[e->pair + PAIR_GROWS_BESIDE] +=
            in->rq_old_bank[w] == buddy->bank && in->rq_old_entry[w] == buddy->entry;
}

static void see_growth(const Env *e, const AllocUnitIn *in, const AllocUnitOut *out, int w,
                       uint64_t *hits) {
    const Pending *p = &e->pending[w];
    const bool ahead = e->looked >> w & 1 && p->age == 0;
    if (out->al_how[w] == AU_OWN && !in->cfg_grow[0])
        hits[e->grows + (ahead ? GROWS_AHEAD : GROWS_RELOOKED)]++;
    else if (out->al_how[w] == AU_OWN) hits[e->grows + GROWS_LAST] += e->full_reachable;
    else
        hits[e->grows +
             (in->cfg_grow[0] ? GROWS_MOVES
                  : ahead     ? GROWS_ELSEWHERE_AHEAD
                              : GROWS_ELSEWHERE)]++;
}

// The row of an allocated place: its former contents, and the register it was reserved for.
static void see_row(Env *e, const AllocUnitIn *in, const AllocUnitOut *out, int w, uint64_t *hits) {
    if (out->al_bank[w] >= (uint32_t)e->banks || out->al_entry[w] >= (uint32_t)e->entries) return;
    const int at = entry_of(e, out->al_bank[w], out->al_entry[w]);
    if (out->al_how[w] == AU_OWN || out->al_how[w] == AU_BUDDY) return;
    hits[e->empty + (e->taken[at] == 0)]++;
    if (e->full_reachable)
        hits[e->pair + PAIR_YIELDS] += in->policy[0] == AU_PAIR && e->reserved[at];
    e->reserved[at] = 0;
}

// A request that was served.
static void see_served(Env *e, const AllocUnitIn *in, const AllocUnitOut *out, int w,
                       uint64_t *hits) {
    const uint32_t policy = in->policy[0] < 3 ? in->policy[0] : 0, mask = out->al_mask[w] & 15;
    const int old = stim_ones(in->rq_old_mask[w]), size = (int)in->rq_size[w],
              how = (int)out->al_how[w];
    hits[e->resize[policy] + 4 * old + size - 1]++;
    if (how == AU_IN_PLACE || how >= HOWS || !mask) return;
    hits[e->config + (int)(in->cfg_grow[0] | in->cfg_order[0] << 1)]++;
    if (out->al_kind[w] == AU_GROW) see_growth(e, in, out, w, hits);
    see_row(e, in, out, w, hits);
    count(hits, e->how[policy][how]);
    hits[e->mask + (int)mask]++;
    const uint32_t side = in->rq_align[w];
    if (policy == AU_ALIGN && how == AU_POLICY && size < 4 && (side == AU_LEFT || side == AU_RIGHT))
        hits[e->side + 2 * (size - 1) + (side == AU_RIGHT)]++;
    if (how == AU_POLICY) see_bank(e, in, w, (int)out->al_bank[w], hits);
    see_pair(e, in, out, w, hits);
    if (e->full_reachable)
        hits[e->state + MAP_LAST_ENTRY] += out->al_entry[w] == (uint32_t)e->entries - 1;
}

// Requests that were not served, because of other ports or of a row not open yet.
static void see_waiting(Env *e, const AllocUnitIn *in, const AllocUnitOut *out, uint32_t waiting,
                        uint32_t moved, uint64_t *hits) {
    const uint32_t policy = in->policy[0] < 3 ? in->policy[0] : 0;
    for (uint32_t left = waiting; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (in->rq_kind[w] == AU_SHRINK) hits[e->gives + GIVE_SHRINK_WAITS]++;
        else if (out->al_none[0] >> w & 1) e->pending[w].stuck = true, count(hits, e->none[policy]);
        else hits[e->wait + (moved ? WAIT_LOST : WAIT_ROW)]++;
        if (++e->pending[w].age == LONG) hits[e->wait + WAIT_LONG]++;
    }
    for (int w = 0; w < e->num_wr; w++) {
        const Mapping *buddy = &e->map[e->pending[w].id ^ 1];
        if (!e->held[w].on || !(in->rq_valid[0] & in->rq_pair[0] & 1u << w) || policy != AU_PAIR)
            continue;
        hits[e->pair + PAIR_MOVES] += e->held[w].bd != place_word(buddy);
    }
}

// Requests to repeat, and the looks for the next cycle.
static void remember(Env *e, const AllocUnitIn *in, uint32_t waiting, uint64_t *hits) {
    for (int w = 0; w < e->num_wr; w++) {
        const bool was = e->held[w].on;
        hits[e->wait + WAIT_DROPPED] += was && !(in->rq_valid[0] >> w & 1);
        e->held[w].on = waiting >> w & 1;
        if (!e->held[w].on) continue;
        const uint32_t id = id_of(in, w);
        e->held[w] = (Held){true,
                            id,
                            in->rq_kind[w],
                            in->rq_size[w],
                            in->rq_align[w],
                            in->rq_pair[0] >> w & 1,
                            place_word(&e->map[id ^ 1])};
    }
    e->looked = 0;
    for (uint32_t left = in->lk_valid[0] & ((1u << e->num_wr) - 1); left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        const Mapping *now = &e->map[e->pending[w].id];
        if (now->mask && now->bank == in->lk_bank[w] && now->entry == in->lk_entry[w])
            e->looked |= 1u << w;
    }
}

static void see_frees(Env *e, const AllocUnitIn *in, uint32_t freed, uint32_t moved,
                      const AllocUnitOut *out, uint64_t *hits) {
    for (uint32_t left = freed; left; left &= left - 1) {
        const int f = __builtin_ctz(left), at = entry_of(e, in->fr_bank[f], in->fr_entry[f]);
        for (int g = 0; g < f; g++)
            hits[e->frees + FREE_TWO] +=
                (freed >> g & 1) && at == entry_of(e, in->fr_bank[g], in->fr_entry[g]);
        for (uint32_t m = moved; m; m &= m - 1) {
            const int w = __builtin_ctz(m);
            hits[e->frees + FREE_BESIDE] +=
                out->al_bank[w] == in->fr_bank[f] && out->al_entry[w] == in->fr_entry[f];
        }
    }
    if (freed) hits[e->freed + __builtin_popcount(freed) - 1]++;
}

static void see_hints(Env *e, const AllocUnitIn *in, uint64_t *hits) {
    const int slot = (int)(in->hl_kernel[0] * AU_REGS + in->hl_reg[0]),
              first = (int)in->hl_kernel[0] * AU_REGS;
    for (uint32_t left = in->hq_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left), at = (int)(in->hq_kernel[w] * AU_REGS + in->hq_reg[w]);
        hits[e->hint + HINT_SAME_CYCLE] += in->hl_valid[0] && at == slot;
        hits[e->hint + HINT_PAIRED] += e->paired[at];
        hits[e->hint + HINT_LEFT] += e->align[at] == AU_LEFT;
        hits[e->hint + HINT_RIGHT] += e->align[at] == AU_RIGHT;
        hits[e->hint + HINT_CLEARED] += e->cleared[at] && !e->paired[at] && !e->align[at];
        hits[e->hint + HINT_BOTH] += e->paired[at] && e->align[at];
    }
    if (!in->hl_valid[0]) return;
    hits[e->hint_op + (int)in->hl_op[0]]++;
    if (in->hl_op[0] == AU_HINT_PAIR) e->paired[slot] = 1;
    else if (in->hl_op[0] == AU_HINT_ALIGN) e->align[slot] = in->hl_value[0] & 3;
    else if (in->hl_op[0] == AU_HINT_CLEAR)
        for (int i = first; i < first + AU_REGS; i++) {
            e->cleared[i] |= e->paired[i] || e->align[i];
            e->paired[i] = e->align[i] = 0;
        }
}

static void follow(Env *e, const AllocUnitIn *in, const AllocUnitOut *out, uint32_t done,
                   uint64_t *hits) {
    for (uint32_t left = in->fr_valid[0] & out->fr_ready[0]; left; left &= left - 1) {
        const int f = __builtin_ctz(left), at = entry_of(e, in->fr_bank[f], in->fr_entry[f]);
        const uint32_t owner = e->owner[4 * at + __builtin_ctz(in->fr_mask[f] | 16)];
        if (!owner) continue;
        unmap(e, owner - 1);
        hits[e->frees + (e->taken[at] ? FREE_LEAVES : FREE_EMPTIES)]++;
    }
    for (uint32_t left = done; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        e->pending[w].on = false;
        if (out->al_kind[w] != AU_KEEP) unmap(e, id_of(in, w));
    }
    for (uint32_t left = done; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (out->al_kind[w] != AU_KEEP)
            map(e, id_of(in, w), out->al_bank[w], out->al_entry[w], out->al_mask[w]);
    }
}

static void see_map(Env *e, uint64_t *hits) {
    hits[e->state + MAP_EMPTIED] += e->was_full_of_life && e->nlive == 0;
    if (e->nlive == 0) e->was_full_of_life = false;
    if (e->nlive > 8) e->was_full_of_life = true;
    // Less than three quarters of the slices in the registers that are in use are used.
    hits[e->state + MAP_FRAGMENTED] +=
        e->used_entries >= 16 && e->used_slices < 3 * e->used_entries;
    if (e->full_reachable) hits[e->state + MAP_NO_FULL] += e->used_entries == e->capacity;
}

static void au_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const AllocUnitIn *in = inputs;
    const AllocUnitOut *out = outputs;
    const uint32_t done = out->al_done[0] & in->rq_valid[0], waiting = in->rq_valid[0] & ~done;
    uint32_t moved = 0;
    for (uint32_t left = done; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        if (out->al_kind[w] >= AU_FIRST) moved |= 1u << w;
        see_served(e, in, out, w, hits);
    }
    if (moved) hits[e->at_once + __builtin_popcount(moved) - 1]++;
    if (waiting) see_waiting(e, in, out, waiting, moved, hits);
    const uint32_t freed = in->fr_valid[0] & out->fr_ready[0];
    if (freed) see_frees(e, in, freed, moved, out, hits);
    hits[e->gives + GIVE_FREE_FULL] += (in->fr_valid[0] & ~out->fr_ready[0]) != 0;
    hits[e->gives + GIVE_PORT_FULL] += (~out->rq_ready[0] & ((1u << e->num_wr) - 1)) != 0;
    see_hints(e, in, hits);
    for (int i = 0; i < RESETS; i++) hits[e->reset + i] += e->reset_met >> i & 1;
    e->reset_met = 0;
    remember(e, in, waiting, hits);
    follow(e, in, out, done, hits);
    see_map(e, hits);
    e->waiting = waiting != 0;
}

static const StimShape SHAPES[] = {
    {"NumWr=3 Banks=3 Entries=12",
     "three writers: a port that waits has two others; odd banks, entries that are no power of "
     "two"},
    {"NumWr=4 NumFree=3 Warps=5 Entries=12",
     "four writers, three that free; warps and entries that are no power of two"},
    {0},
};

const BlockStim alloc_unit_stim = {.shapes = SHAPES,
                                   .knobs = KNOB_TABLE,
                                   .nknobs = KNOBS,
                                   .needs_out = false,
                                   .bins = au_bins,
                                   .open = au_open,
                                   .close = au_close,
                                   .reset = au_forget,
                                   .randomize = au_randomize,
                                   .constrain = au_constrain,
                                   .observe = au_observe};
