// SPDX-License-Identifier: Apache-2.0
// Stimuli of operand_collector: instructions arrive, a register file grants some requests and
// delivers the data one cycle later, units take instructions. Ignored inputs are driven too: grants
// without a request, data for collectors that wait for none, instructions without a free collector.
#include "models/collect/operand_collector.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { OPERAND_COLLECTOR_PARAMS(BLOCK_INDEX) };

enum { KNOB_ALLOC, KNOB_GRANT, KNOB_TAKE, KNOB_FEW, KNOB_UNIT, KNOB_STRAY, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"alloc", 0, 100, "percent of allocation ports with an instruction"},
    {"grant", 0, 100, "percent of requests that are granted"},
    {"take", 0, 100, "percent of units that are ready"},
    {"few", 0, 100, "percent of instructions with random needs instead of all operands"},
    {"unit", 0, 80, "percent of instructions for unit 0"},
    {"stray", 0, 40, "percent of banks that deliver to nobody in particular"},
};

enum { TOGETHER = 4 /* events in one cycle are counted one by one up to here */ };

typedef struct Bins {
    int slot[OC_MAX_ALLOC];  // collector c allocated by port a: slot[a] + c, c >= a
    int busy, accepted, refused, need, turn, entry, bank, served, unit, units, waits, crowd, age,
        data, ignored, reset;
} Bins;

typedef struct Env {
    int num_coll, num_ops, num_alloc, num_disp, banks, entries;
    Bins at;
    uint32_t colls, ops;
    uint32_t due;                 // collectors granted in the last cycle: data is due now
    uint32_t asked;               // collectors that asked in the last cycle
    uint32_t refused;             // of these, not granted
    uint32_t place[OC_MAX_COLL];  // bank and entry of their request
    uint32_t busy;                // as allocation and dispatch show
    bool offered;                 // a unit was offered an instruction
    uint32_t reset_met;           // bit per reset bin
} Env;

enum { TURN_MOVED, TURN_STAYED, TURNS };
enum { ENTRY_LOW, ENTRY_HIGH, ENTRIES };
enum { AGE_ASCENDING, AGE_MIXED, AGES };
enum { IGNORED_GRANT, IGNORED_DATA, IGNORED_READY, IGNOREDS };
enum { RESET_EMPTY, RESET_BUSY, RESET_FULL, RESET_IN_FLIGHT, RESET_OFFERED, RESETS };

static int least(int a, int b) { return a < b ? a : b; }

static void bins_layout(Bins *at, const int *params, BinList *l) {
    static const char *const turns[TURNS] = {"next-operand", "same-operand"};
    static const char *const entries[ENTRIES] = {"first", "last"};
    static const char *const crowds[] = {"one-bank-two", "one-bank-all"};
    static const char *const ages[AGES] = {"by-number", "mixed"};
    static const char *const ignored[IGNOREDS] = {"grant-unasked", "data-unasked",
                                                  "ready-without-offer"};
    static const char *const resets[RESETS] = {"empty", "busy", "full", "data-under-way", "offer"};
    const int coll = params[P_NumColl], ops = params[P_NumOps], alloc = params[P_NumAlloc],
              disp = params[P_NumDisp], banks = params[P_Banks],
              served = least(least(banks, coll), TOGETHER);
    at->busy = bin_numbers(l, "collectors busy", "", 0, coll + 1);
    at->accepted = bin_numbers(l, "allocated at once", "x", 0, least(alloc, coll) + 1);
    at->refused = bin_numbers(l, "allocation refused", "port", 0, alloc);
    for (int a = 0; a < alloc; a++) {
        at->slot[a] = l->n - a;
        for (int c = a; c < coll; c++) bin_add(l, "slot", "port%d.%d", a, c);
    }
    at->need = l->n;
    for (int i = 0; i < 1 << ops; i++)
        bin_add(l, "operands needed", "%d%d%d", i >> 2 & 1, i >> 1 & 1, i & 1);
    at->turn = ops > 1 ? bin_words(l, "after a refusal", turns, TURNS) : NO_BIN;
    at->entry = bin_words(l, "entry asked for", entries, ENTRIES);
    at->bank = bin_numbers(l, "bank asked for", "", 0, banks);
    at->served = bin_times(l, "granted at once", "", served, TOGETHER);
    at->unit = bin_numbers(l, "dispatch", "unit", 0, disp);
    at->units =
        bin_times(l, "dispatched at once", "", least(least(disp, coll), TOGETHER), TOGETHER);
    at->waits = bin_numbers(l, "offer waits", "unit", 0, disp);
    at->crowd = bin_words(l, "operands of one bank", crowds, ops - 1);
    at->age = bin_words(l, "age order", ages, AGES);
    at->data = bin_times(l, "delivered at once", "", served, TOGETHER);
    at->ignored = bin_words(l, "ignored", ignored, IGNOREDS);
    at->reset = bin_words(l, "reset", resets, RESETS);
}

static int oc_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Bins at;
    bins_layout(&at, params, &l);
    return l.n;
}

static void oc_forget(void *self) {
    Env *e = self;
    e->reset_met = e->busy == 0 ? 1u << RESET_EMPTY
        : e->busy == e->colls   ? 1u << RESET_FULL
                                : 1u << RESET_BUSY;
    if (e->due) e->reset_met |= 1u << RESET_IN_FLIGHT;
    if (e->offered) e->reset_met |= 1u << RESET_OFFERED;
    e->due = e->asked = e->refused = e->busy = 0;
    e->offered = false;
}

static void *oc_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->num_coll = params[P_NumColl], e->num_ops = params[P_NumOps],
    e->num_alloc = params[P_NumAlloc];
    e->num_disp = params[P_NumDisp], e->banks = params[P_Banks], e->entries = params[P_Entries];
    bins_layout(&e->at, params, &(BinList){0});
    e->colls = UINT32_MAX >> (32 - e->num_coll);
    e->ops = (1u << e->num_ops) - 1;
    return e;
}

static void oc_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_entry(const Env *e, StimRandom *r) {
    const uint32_t random = stim_random(r);
    if ((random & 15) == 0) return 0;
    if ((random & 15) == 1) return (uint32_t)e->entries - 1;
    return (uint32_t)((uint64_t)(random >> 4) * (uint32_t)e->entries >> 28);
}

static void draw_instructions(const Env *e, StimRandom *r, const int *knobs,
                              OperandCollectorIn *in) {
    in->alloc_valid[0] = stim_bits(r, knobs[KNOB_ALLOC]) & ((1u << e->num_alloc) - 1);
    for (uint32_t left = in->alloc_valid[0]; left; left &= left - 1) {
        const int a = __builtin_ctz(left);
        const uint32_t need = stim_random(r);
        in->alloc_unit[a] =
            stim_percent(r, knobs[KNOB_UNIT]) ? 0 : stim_below(r, (uint32_t)e->num_disp);
        in->alloc_need[a] = stim_percent(r, knobs[KNOB_FEW]) ? need & e->ops : e->ops;
        for (int o = 0; o < e->num_ops; o++) {
            // one bank, so that it must turn to others
            const bool same = o > 0 && need >> (16 + o) & 1;
            in->alloc_bank[a * e->num_ops + o] =
                same ? in->alloc_bank[a * e->num_ops] : stim_below(r, (uint32_t)e->banks);
            in->alloc_entry[a * e->num_ops + o] = draw_entry(e, r);
        }
    }
}

// Some of those that asked in the last cycle, at most one per bank, from a random one on.
static void draw_grants(const Env *e, StimRandom *r, const int *knobs, OperandCollectorIn *in) {
    const uint32_t random = stim_random(r), from = random & 31;
    uint32_t wanted = stim_bits(r, knobs[KNOB_GRANT]) & (e->asked | ~e->busy) & e->colls,
             granted = 0;
    for (int n = 0; n < e->banks && wanted; n++) {
        const uint32_t later = wanted & UINT32_MAX << from;
        const uint32_t one = later ? later & -later : wanted & -wanted;
        granted |= one, wanted &= ~one;
    }
    if (random >> 28 == 0) granted |= stim_random(r) & stim_random(r) & e->colls;
    in->rd_grant[0] = granted;
}

static void draw_data(const Env *e, StimRandom *r, const int *knobs, OperandCollectorIn *in) {
    const uint32_t banks = e->banks == 32 ? UINT32_MAX : (1u << e->banks) - 1;
    in->rd_data_valid[0] = stim_bits(r, knobs[KNOB_STRAY]) & banks;
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

static void oc_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    OperandCollectorIn *in = inputs;
    draw_instructions(e, r, knobs, in);
    draw_grants(e, r, knobs, in);
    draw_data(e, r, knobs, in);
    in->disp_ready[0] = stim_bits(r, knobs[KNOB_TAKE]) & ((1u << e->num_disp) - 1);
}

// ---- legal inputs -------------------------------------------------------------------------------

// One bank per collector, and one for each collector that data is due for.
static void deliver(const Env *e, OperandCollectorIn *in) {
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

static void oc_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    OperandCollectorIn *in = inputs;
    const OperandCollectorOut *out = outputs;
    for (int a = 0; a < e->num_alloc; a++) {
        bool good = in->alloc_unit[a] < (uint32_t)e->num_disp;
        for (int o = 0; o < e->num_ops; o++)
            if (in->alloc_need[a] >> o & 1)
                good &= in->alloc_bank[a * e->num_ops + o] < (uint32_t)e->banks;
        if (!good) in->alloc_valid[0] &= ~(1u << a);
    }
    uint32_t answered = in->rd_grant[0] & out->rd_valid[0];
    while (__builtin_popcount(answered) > e->banks) {  // each needs a bank that delivers
        const uint32_t highest = 1u << (31 - __builtin_clz(answered));
        answered &= ~highest;
        in->rd_grant[0] &= ~highest;
    }
    deliver(e, in);
}

// ---- coverage -----------------------------------------------------------------------------------

static void see_together(uint64_t *hits, int first, uint32_t events) {
    const int n = __builtin_popcount(events);
    if (n) hits[first + (n < TOGETHER ? n : TOGETHER) - 1]++;
}

static void see_requests(Env *e, const OperandCollectorIn *in, const OperandCollectorOut *out,
                         uint64_t *hits) {
    const uint32_t granted = in->rd_grant[0] & out->rd_valid[0];
    for (uint32_t left = out->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        const uint32_t place = out->rd_bank[c] << 16 | out->rd_entry[c];
        if (e->refused >> c & 1 && e->at.turn != NO_BIN)
            hits[e->at.turn + (place == e->place[c] ? TURN_STAYED : TURN_MOVED)]++;
        hits[e->at.bank + (int)out->rd_bank[c]]++;
        hits[e->at.entry + ENTRY_LOW] += out->rd_entry[c] == 0;
        hits[e->at.entry + ENTRY_HIGH] += out->rd_entry[c] == (uint32_t)e->entries - 1;
        e->place[c] = place;
    }
    see_together(hits, e->at.served, granted);
    hits[e->at.ignored + IGNORED_GRANT] += (in->rd_grant[0] & ~out->rd_valid[0]) != 0;
    e->asked = out->rd_valid[0];
    e->refused = out->rd_valid[0] & ~granted;
}

static void see_data(const Env *e, const OperandCollectorIn *in, uint64_t *hits) {
    uint32_t given = 0;
    for (uint32_t left = in->rd_data_valid[0]; left; left &= left - 1)
        given |= 1u << in->rd_data_coll[__builtin_ctz(left)];
    see_together(hits, e->at.data, given & e->due);
    hits[e->at.ignored + IGNORED_DATA] += (given & ~e->due) != 0;
}

static uint32_t see_dispatch(Env *e, const OperandCollectorIn *in, const OperandCollectorOut *out,
                             uint64_t *hits) {
    const uint32_t taken = out->disp_valid[0] & in->disp_ready[0];
    uint32_t leaving = 0;
    for (uint32_t left = out->disp_valid[0]; left; left &= left - 1) {
        const int d = __builtin_ctz(left);
        hits[(taken >> d & 1 ? e->at.unit : e->at.waits) + d]++;
        if (taken >> d & 1) leaving |= 1u << out->disp_slot[d];
    }
    see_together(hits, e->at.units, taken);
    hits[e->at.ignored + IGNORED_READY] += (in->disp_ready[0] & ~out->disp_valid[0]) != 0;
    e->offered = out->disp_valid[0] != 0;
    return leaving;
}

static void see_need(const Env *e, const OperandCollectorIn *in, int a, uint64_t *hits) {
    const uint32_t need = in->alloc_need[a], *bank = in->alloc_bank + a * e->num_ops;
    hits[e->at.need + (int)need]++;
    int most = 0;
    for (int o = 0; o < e->num_ops; o++) {
        int same = 0;
        for (int p = 0; p < e->num_ops; p++)
            same += (need >> o & need >> p & 1) && bank[o] == bank[p];
        most = same > most ? same : most;
    }
    if (most > 1) hits[e->at.crowd + most - 2]++;
}

static uint32_t see_allocation(const Env *e, const OperandCollectorIn *in,
                               const OperandCollectorOut *out, uint64_t *hits) {
    uint32_t taken = 0;
    for (int a = 0; a < e->num_alloc; a++) {
        if (!(in->alloc_valid[0] >> a & 1)) continue;
        if (!(out->alloc_ready[0] >> a & 1)) {
            hits[e->at.refused + a]++;
            continue;
        }
        hits[e->at.slot[a] + (int)out->alloc_slot[a]]++;
        taken |= 1u << out->alloc_slot[a];
        see_need(e, in, a, hits);
    }
    hits[e->at.accepted + __builtin_popcount(taken)]++;
    return taken;
}

static void see_state(Env *e, const OperandCollectorOut *out, uint64_t *hits) {
    hits[e->at.busy + __builtin_popcount(e->busy)]++;
    if (e->busy & (e->busy - 1)) {
        const int last = 31 - __builtin_clz(e->busy);
        const bool by_number = out->older[last] == (e->busy & ((1u << last) - 1));
        hits[e->at.age + (by_number ? AGE_ASCENDING : AGE_MIXED)]++;
    }
    for (uint32_t left = e->reset_met; left; left &= left - 1)
        hits[e->at.reset + __builtin_ctz(left)]++;
    e->reset_met = 0;
}

static void oc_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const OperandCollectorIn *in = inputs;
    const OperandCollectorOut *out = outputs;
    see_state(e, out, hits);
    see_data(e, in, hits);
    see_requests(e, in, out, hits);
    const uint32_t leaving = see_dispatch(e, in, out, hits),
                   entering = see_allocation(e, in, out, hits);
    e->busy = (e->busy & ~leaving) | entering;
    e->due = in->rd_grant[0] & out->rd_valid[0];
}

static const StimShape SHAPES[] = {
    {"Banks=3 NumColl=5 NumAlloc=3 NumDisp=3", "odd banks and collectors, three ports"},
    {0},
};

const BlockStim operand_collector_stim = {.shapes = SHAPES,
                                          .knobs = KNOB_TABLE,
                                          .nknobs = KNOBS,
                                          .needs_out = true,
                                          .bins = oc_bins,
                                          .open = oc_open,
                                          .close = oc_close,
                                          .reset = oc_forget,
                                          .randomize = oc_randomize,
                                          .constrain = oc_constrain,
                                          .observe = oc_observe};
