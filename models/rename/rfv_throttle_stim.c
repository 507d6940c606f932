// SPDX-License-Identifier: Apache-2.0
// Stimuli of rfv_throttle: CTAs that together need more rows than exist, that rise at the same
// time, drain and end. Some kernels have a CTA that needs the whole register file.
#include "models/params.h"
#include "models/rename/rfv_throttle.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { RFV_THROTTLE_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_TAKE,
    KNOB_FREE,
    KNOB_START,
    KNOB_DRAIN,
    KNOB_LOAD,
    KNOB_WHOLE,
    KNOB_HOT,
    KNOB_FOUR,
    KNOB_KEEP,
    KNOB_EVEN,
    KNOB_TURN,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"take", 10, 100, "percent of ports with an instruction that needs rows"},
    {"free", 0, 60, "percent of ports that free a row"},
    {"start", 2, 100, "percent of cycles in which a CTA starts"},
    {"drain", 0, 6, "percent of cycles in which a CTA begins to free all that it has"},
    {"load", 0, 1, "percent of cycles in which a kernel is placed"},
    {"whole", 0, 100, "percent of kernels whose CTA needs nearly all rows"},
    {"hot", 0, 100, "percent of takes by the CTA of the last one"},
    {"four", 0, 100, "percent of takes of four rows"},
    {"keep", 0, 100, "percent of freed rows that are kept all the same"},
    {"even", 0, 100, "percent of cycles, of those that allow it, in which a take makes a tie"},
    {"turn", 0, 100, "percent of ends of a CTA beside which another starts"},
};

// Events of one port. From EQUAL_REFUSED on only with several CTAs, from AFTER_OTHER on only behind
// another port.
enum {
    NO_ROWS,
    MORE,
    EQUAL,
    EQUAL_REFUSED,
    LESS_REFUSED,
    TIE_REFUSED,
    AFTER_OTHER,
    AFTER_REFUSED,
    TIE_MADE_OLDEST,
    TIE_MADE_YOUNGER,
    KINDS
};
// From START_BESIDE on: only with several CTAs.
enum {
    DURING_LOAD,
    START_FIRST,
    ENDS,
    ENDS_LAST,
    LOAD_TAKEN,
    RESET_TAKEN,
    FREE_TAKE,
    FREE_ALL,
    FILE_FULL,
    NEEDS_FILE,
    LEAST_NONE,
    START_BESIDE,
    END_BESIDE,
    FREE_OTHERS,
    AT_LEAST,
    START_AND_END,
    START_AND_TAKE,
    END_AND_TAKE,
    ROOM_0,
    ROOM_1,
    ROOM_2,
    ROOM_3,
    ROOM_4,
    EVENTS
};

typedef struct Env {
    int all, ctas, req, ports;
    int need, rows[RT_MAX_CTAS], born[RT_MAX_CTAS], clock;
    bool resident[RT_MAX_CTAS], drains[RT_MAX_CTAS], loaded, reset_met;
    int last;
} Env;

static int kinds_of(int ctas, int port) {
    return ctas == 1 ? EQUAL_REFUSED : port ? KINDS : AFTER_OTHER;
}
static int bins_of(int ctas, int port) {
    int n = 0;
    for (int p = 0; p < port; p++) n += kinds_of(ctas, p);
    return n;
}

static int rt_bins(const int *params, CoverBin *bins) {
    static const char *const kinds[KINDS] = {
        "no_rows",           "more",          "equal",
        "equal_refused",     "less_refused",  "tie_refused",
        "after_other_takes", "after_refused", "tie_made_oldest",
        "tie_made_younger"};
    static const char *const events[EVENTS] = {
        "during_load",    "start_first",      "end",           "end_last",
        "load_with_rows", "reset_with_rows",  "free_and_take", "all_ports_free",
        "file_full",      "needs_whole_file", "balance_0",     "start_beside",
        "end_beside",     "free_of_two",      "free_is_least", "start_and_end",
        "start_and_take", "end_and_take",     "room_0",        "room_1",
        "room_2",         "room_3",           "room_4"};
    const int ctas = params[P_Ctas];
    BinList l = {.bins = bins};
    for (int r = 0; r < params[P_NumReq]; r++)
        for (int k = 0; k < kinds_of(ctas, r); k++) bin_add(&l, "take", "port%d.%s", r, kinds[k]);
    for (int k = 0; k < (ctas == 1 ? START_BESIDE : EVENTS); k++)
        bin_add_if(k != FREE_OTHERS || params[P_NumFree] > 1, &l, "event", events[k]);
    return l.n;
}

static int taken(const Env *e) {
    int n = 0;
    for (int c = 0; c < e->ctas; c++) n += e->rows[c];
    return n;
}

static void forget(Env *e) {
    memset(e->rows, 0, sizeof e->rows);
    memset(e->resident, 0, sizeof e->resident);
    memset(e->drains, 0, sizeof e->drains);
}

static void env_reset(void *self) {
    Env *e = self;
    e->reset_met |= taken(e) > 0;
    e->need = 0, e->loaded = false;
    forget(e);
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    e->all = params[P_Banks] * params[P_Entries], e->ctas = params[P_Ctas];
    e->req = params[P_NumReq], e->ports = params[P_NumFree];
    return e;
}

static int resident_from(const Env *e, uint32_t from) {
    for (int i = 0; i < e->ctas; i++)
        if (e->resident[((int)from + i) % e->ctas]) return ((int)from + i) % e->ctas;
    return (int)from;
}

static void new_kernel(const Env *e, StimRandom *r, const int *knobs, RfvThrottleIn *in) {
    const uint32_t all = (uint32_t)e->all, some = all / 2 + stim_below(r, all / 2 + 1);
    in->cfg_valid[0] = stim_percent(r, e->loaded ? knobs[KNOB_LOAD] : 50);
    in->cfg_rows[0] = stim_percent(r, knobs[KNOB_WHOLE])
        ? all - (stim_percent(r, 30) ? 0 : stim_below(r, all < 12 ? all : 12))
        : stim_percent(r, 70) ? some
                              : stim_below(r, all + 1);
}

// The resident CTA of the least balance, the oldest first; -1: none.
static int least_of(const Env *e) {
    int least = -1;
    for (int c = 0; c < e->ctas; c++)
        if (e->resident[c] &&
            (least < 0 || e->rows[c] > e->rows[least] ||
             (e->rows[c] == e->rows[least] && e->born[c] < e->born[least])))
            least = c;
    return least;
}

// The first take gives its CTA the least balance too; those behind it are of the two.
static void draw_tie(const Env *e, StimRandom *r, RfvThrottleIn *in) {
    const int least = least_of(e), from = (int)stim_below(r, (uint32_t)e->ctas);
    for (int i = 0; least >= 0 && i < e->ctas; i++) {
        const int c = (from + i) % e->ctas, n = e->rows[least] - e->rows[c];
        if (!e->resident[c] || n < 1 || n > RT_MAX_TAKE) continue;
        in->take_valid[0] |= 1;
        in->take_cta[0] = (uint32_t)c, in->take_rows[0] = (uint32_t)n;
        for (int p = 1; p < e->req; p++) in->take_cta[p] = (uint32_t)(stim_below(r, 2) ? c : least);
        return;
    }
}

// A CTA starts beside the end of another.
static void draw_turn(const Env *e, RfvThrottleIn *in) {
    bool ends = false;
    for (int c = 0; c < e->ctas; c++) ends |= e->resident[c] && in->end_mask[c];
    for (int i = 0; ends && i < e->ctas && e->resident[in->start_cta[0] % (uint32_t)e->ctas]; i++)
        in->start_cta[0] = (in->start_cta[0] + 1) % (uint32_t)e->ctas;
    in->start_valid[0] |= ends;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    RfvThrottleIn *in = vin;
    const uint32_t ctas = (uint32_t)e->ctas;
    new_kernel(e, r, knobs, in);
    if (stim_percent(r, knobs[KNOB_DRAIN])) e->drains[stim_below(r, ctas)] = true;
    in->start_valid[0] = stim_percent(r, knobs[KNOB_START]);
    in->start_cta[0] = stim_below(r, 1u << block_bits(e->ctas));
    int drained = -1;
    for (int c = 0; c < e->ctas; c++) {
        in->end_mask[c] = e->drains[c] && !e->rows[c] && stim_percent(r, 50);
        if (e->drains[c] && e->rows[c] && (drained < 0 || stim_percent(r, 50))) drained = c;
    }
    in->take_valid[0] = in->free_valid[0] = 0;
    for (int p = 0; p < e->req; p++) {
        const bool again = stim_percent(r, knobs[KNOB_HOT]);
        const int cta = resident_from(e, again ? (uint32_t)e->last : stim_below(r, ctas));
        in->take_valid[0] |= (uint32_t)(stim_percent(r, knobs[KNOB_TAKE]) && !e->drains[cta]) << p;
        in->take_cta[p] = (uint32_t)cta;
        in->take_rows[p] = stim_percent(r, knobs[KNOB_FOUR]) ? 4 : stim_below(r, 5);
    }
    if (stim_percent(r, knobs[KNOB_EVEN])) draw_tie(e, r, in);
    if (stim_percent(r, knobs[KNOB_TURN])) draw_turn(e, in);
    const bool all = drained >= 0 && stim_percent(r, 70);
    for (int f = 0; f < e->ports; f++) {
        const bool some = stim_percent(r, knobs[KNOB_FREE]) && !stim_percent(r, knobs[KNOB_KEEP]);
        in->free_valid[0] |= (uint32_t)(all || some) << f;
        in->free_cta[f] = all ? (uint32_t)drained : (uint32_t)resident_from(e, stim_below(r, ctas));
    }
}

static void constrain_takes(const Env *e, RfvThrottleIn *in, int *asked) {
    for (int p = 0; p < e->req; p++) {
        const uint32_t c = in->take_cta[p], n = in->take_rows[p];
        if (!(in->take_valid[0] >> p & 1)) continue;
        if (c >= (uint32_t)e->ctas || !e->resident[c] || n > RT_MAX_TAKE ||
            e->rows[c] + asked[c] + (int)n > e->need) {
            in->take_valid[0] &= ~(1u << p);
            continue;
        }
        asked[c] += (int)n;
        in->end_mask[c] = 0;
    }
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    RfvThrottleIn *in = vin;
    int asked[RT_MAX_CTAS] = {0}, given[RT_MAX_CTAS] = {0};
    (void)out;
    if (in->cfg_rows[0] > (uint32_t)e->all) in->cfg_rows[0] = (uint32_t)e->all;
    if (in->start_cta[0] >= (uint32_t)e->ctas || e->resident[in->start_cta[0]])
        in->start_valid[0] = 0;
    for (int c = 0; c < e->ctas; c++)
        if (!e->resident[c] || e->rows[c]) in->end_mask[c] = 0;
    constrain_takes(e, in, asked);
    for (int f = 0; f < e->ports; f++) {
        const uint32_t c = in->free_cta[f];
        if (!(in->free_valid[0] >> f & 1)) continue;
        if (c >= (uint32_t)e->ctas || given[c] == e->rows[c]) in->free_valid[0] &= ~(1u << f);
        else given[c]++;
    }
}

// How a take was decided. The environment's rows are as the previous ports left them.
static int kind_of(const Env *e, int cta, int n, bool grant) {
    const int least = least_of(e),
              most = e->rows[least] > e->rows[cta] + n ? e->rows[least] : e->rows[cta] + n;
    const int left = e->all - taken(e) - n, after = e->need - most;
    if (n == 0) return NO_ROWS;
    if (grant) return left > after ? MORE : EQUAL;
    return left < after                  ? LESS_REFUSED
        : e->rows[cta] == e->rows[least] ? TIE_REFUSED
                                         : EQUAL_REFUSED;
}

// Is the CTA one of several with the least balance, of which one took in this cycle?
static bool in_tie_of(const Env *e, int cta, const bool *took) {
    const int rows = e->rows[least_of(e)];
    bool other = false, moved = took[cta];
    for (int c = 0; c < e->ctas; c++)
        if (c != cta && e->resident[c] && e->rows[c] == rows) other = true, moved |= took[c];
    return other && moved && e->rows[cta] == rows;
}

static void see_takes(Env *e, const RfvThrottleIn *in, const RfvThrottleOut *out, uint64_t *hits) {
    bool granted = false, refused = false, took[RT_MAX_CTAS] = {false};
    for (int p = 0; p < e->req; p++) {
        const int cta = (int)in->take_cta[p], n = (int)in->take_rows[p];
        const bool grant = out->take_grant[0] >> p & 1;
        uint64_t *h = hits + bins_of(e->ctas, p);
        if (!(in->take_valid[0] >> p & 1)) continue;
        const int kind = kind_of(e, cta, n, grant);
        h[kind]++;
        if (p && e->ctas > 1) {
            const bool made = in_tie_of(e, cta, took);
            if (n && made) h[least_of(e) == cta ? TIE_MADE_OLDEST : TIE_MADE_YOUNGER]++;
            h[AFTER_OTHER] += granted && !grant && out->room[cta] >= (uint32_t)n;
            h[AFTER_REFUSED] += refused && grant && n;
        }
        granted |= grant && n, refused |= !grant;
        if (!grant) continue;
        e->rows[cta] += n;
        took[cta] |= n > 0;
        e->last = cta;
    }
}

static void see_others(Env *e, const RfvThrottleIn *in, const RfvThrottleOut *out,
                       uint64_t *events) {
    int residents = 0, least = least_of(e);
    for (int c = 0; c < e->ctas; c++) residents += e->resident[c];
    events[RESET_TAKEN] += e->reset_met;
    e->reset_met = false;
    events[FILE_FULL] += residents && out->rows_free[0] == 0;
    events[LEAST_NONE] += residents && out->rows_least[0] == 0;
    events[NEEDS_FILE] += residents && e->need == e->all;
    events[START_FIRST] += in->start_valid[0] && !residents;
    for (int c = 0; c < e->ctas; c++) {
        events[ENDS] += in->end_mask[c];
        events[ENDS_LAST] += in->end_mask[c] && residents == 1;
        if (e->ctas == 1) continue;
        events[END_BESIDE] += in->end_mask[c] && residents > 1;
    }
    if (e->ctas == 1) return;
    const int skip = e->ports == 1;
    events[START_BESIDE] += in->start_valid[0] && residents;
    bool ends = false;
    for (int c = 0; c < e->ctas; c++) ends |= in->end_mask[c] != 0;
    events[START_AND_END - skip] += in->start_valid[0] && ends;
    events[START_AND_TAKE - skip] += in->start_valid[0] && out->take_grant[0];
    events[END_AND_TAKE - skip] += ends && out->take_grant[0];
    events[AT_LEAST - skip] += residents > 1 && out->rows_free[0] == out->rows_least[0];
    for (int c = 0; c < e->ctas; c++)
        if (e->resident[c] && c != least) events[ROOM_0 - skip + (int)out->room[c]]++;
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const RfvThrottleIn *in = vin;
    const RfvThrottleOut *out = vout;
    uint64_t *events = hits + bins_of(e->ctas, e->req);
    see_others(e, in, out, events);
    if (in->cfg_valid[0]) {
        events[DURING_LOAD] += in->take_valid[0] != 0;
        events[LOAD_TAKEN] += taken(e) > 0;
        e->need = (int)in->cfg_rows[0], e->loaded = true;
        forget(e);
        return;
    }
    see_takes(e, in, out, hits);
    int frees = 0, first = -1;
    for (int f = 0; f < e->ports; f++) {
        const int c = (int)in->free_cta[f];
        if (!(in->free_valid[0] >> f & 1)) continue;
        if (e->ctas > 1 && e->ports > 1) events[FREE_OTHERS] += first >= 0 && first != c;
        for (int p = 0; p < e->req; p++)
            events[FREE_TAKE] += (out->take_grant[0] >> p & 1) && in->take_cta[p] == (uint32_t)c;
        e->rows[c]--, frees++, first = c;
    }
    events[FREE_ALL] += frees == e->ports;
    for (int c = 0; c < e->ctas; c++)
        if (in->end_mask[c]) e->resident[c] = e->drains[c] = false;
    if (!in->start_valid[0]) return;
    const int c = (int)in->start_cta[0];
    e->resident[c] = true, e->drains[c] = false, e->born[c] = e->clock++;
}

static const StimShape SHAPES[] = {
    {"Ctas=3 NumReq=3 Banks=3 Entries=16 NumFree=1", "an odd number of CTAs, three ports, 48 rows"},
    {0},
};

const BlockStim rfv_throttle_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .bins = rt_bins,
                                     .open = env_open,
                                     .close = free,
                                     .reset = env_reset,
                                     .randomize = env_randomize,
                                     .constrain = env_constrain,
                                     .observe = env_observe};
