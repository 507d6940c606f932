// SPDX-License-Identifier: Apache-2.0
// Golden model of rfv_throttle: a list of the resident CTAs, oldest first, with the rows they hold.
// Free rows and balances are computed from the list each time. A take is computed before it updates
// the list.
#include "models/rename/rfv_throttle.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { RFV_THROTTLE_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Resident {
    int cta, rows;
} Resident;

// The state that decides takes.
typedef struct Rows {
    int all, need;  // of the register file; of a CTA at most
    int n;
    Resident of[RT_MAX_CTAS];  // in the order in which they started
} Rows;

typedef struct Throttle {
    int params[PARAMS];
    int ctas, num_req, num_free;
    Rows rows;
} Throttle;

static void rt_reset(void *self) {
    Throttle *t = self;
    t->rows.need = t->rows.n = 0;
}

static void *rt_open(const int *params) {
    Throttle *t = calloc(1, sizeof *t);
    if (!t) abort();
    memcpy(t->params, params, sizeof t->params);
    t->ctas = params[P_Ctas], t->num_req = params[P_NumReq], t->num_free = params[P_NumFree];
    t->rows.all = params[P_Banks] * params[P_Entries];
    return t;
}

static int place_of(const Rows *s, int cta) {
    for (int i = 0; i < s->n; i++)
        if (s->of[i].cta == cta) return i;
    return -1;
}

static int free_rows(const Rows *s) {
    int left = s->all;
    for (int i = 0; i < s->n; i++) left -= s->of[i].rows;
    return left;
}

// Index of the least balance, the oldest first; -1: no CTA is resident.
static int least_place(const Rows *s) {
    int least = -1;
    for (int i = 0; i < s->n; i++)
        if (least < 0 || s->of[i].rows > s->of[least].rows) least = i;
    return least;
}

static int least_balance(const Rows *s) {
    const int least = least_place(s);
    return least < 0 ? 0 : s->need - s->of[least].rows;
}

// May the CTA at this index take this many rows? `left` rows would then be free. `least`: the index
// of the least balance now.
static bool may_take(const Rows *s, int place, int rows, int left, int least) {
    const int own = s->of[place].rows + rows, top = s->of[least].rows;
    const int balance = s->need - (own > top ? own : top);
    return left > balance || (left == balance && place == least);
}

// Takes the rows, or changes nothing.
static bool take(Rows *s, int cta, int rows) {
    const int place = place_of(s, cta);
    if (rows == 0) return true;
    if (place < 0 || !may_take(s, place, rows, free_rows(s) - rows, least_place(s))) return false;
    s->of[place].rows += rows;
    return true;
}

static uint32_t serve(const Throttle *t, Rows *s, const RfvThrottleIn *in) {
    uint32_t grants = 0;
    for (int r = 0; r < t->num_req; r++)
        if (in->take_valid[0] >> r & 1)
            grants |= (uint32_t)take(s, (int)in->take_cta[r], (int)in->take_rows[r]) << r;
    return grants;
}

static void rt_eval(void *self, const void *vin, void *vout) {
    const Throttle *t = self;
    const RfvThrottleIn *in = vin;
    RfvThrottleOut *out = vout;
    const int left = free_rows(&t->rows), least = least_place(&t->rows);
    for (int c = 0; c < t->ctas; c++) {
        const int place = place_of(&t->rows, c);
        out->room[c] = 0;
        for (int rows = 1; rows <= RT_MAX_TAKE && place >= 0; rows++)
            if (may_take(&t->rows, place, rows, left - rows, least)) out->room[c] = (uint32_t)rows;
    }
    out->rows_free[0] = (uint32_t)left;
    out->rows_least[0] = (uint32_t)least_balance(&t->rows);
    out->take_grant[0] = 0;
    if (in->cfg_valid[0] || !in->take_valid[0]) return;
    Rows trial = t->rows;
    out->take_grant[0] = serve(t, &trial, in);
}

static void rt_tick(void *self, const void *vin) {
    Throttle *t = self;
    Rows *s = &t->rows;
    const RfvThrottleIn *in = vin;
    if (in->cfg_valid[0]) {
        s->need = (int)in->cfg_rows[0], s->n = 0;
        return;
    }
    serve(t, s, in);
    for (int f = 0; f < t->num_free; f++) {
        const int place = in->free_valid[0] >> f & 1 ? place_of(s, (int)in->free_cta[f]) : -1;
        if (place >= 0) s->of[place].rows--;
    }
    int kept = 0;
    for (int i = 0; i < s->n; i++)
        if (!in->end_mask[s->of[i].cta]) s->of[kept++] = s->of[i];
    s->n = kept;
    if (in->start_valid[0]) s->of[s->n++] = (Resident){(int)in->start_cta[0], 0};
}

static uint32_t rt_obs_count(void *self) { return 3u * (uint32_t)((Throttle *)self)->ctas + 2; }

static void rt_observe(void *self, uint32_t addr, uint32_t *words) {
    const Throttle *t = self;
    const Rows *s = &t->rows;
    const uint32_t ctas = (uint32_t)t->ctas;
    const int place = addr < 3 * ctas ? place_of(s, (int)(addr % ctas)) : -1;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)t->params[addr - BLOCK_OBS_PARAM];
    } else if (addr >= 3 * ctas) {
        words[0] = (uint32_t)(addr == 3 * ctas ? free_rows(s) : addr == 3 * ctas + 1 ? s->need : 0);
    } else if (place >= 0) {
        if (addr < ctas) words[0] = (uint32_t)(s->need - s->of[place].rows);
        else if (addr < 2 * ctas) words[0] = 1;
        else
            for (int i = place + 1; i < s->n; i++) words[0] |= 1u << s->of[i].cta;
    }
}

const BlockModel rfv_throttle_model = {.name = "rfv_throttle",
                                       .open = rt_open,
                                       .close = free,
                                       .reset = rt_reset,
                                       .eval = rt_eval,
                                       .tick = rt_tick,
                                       .obs_count = rt_obs_count,
                                       .observe = rt_observe,
                                       .obs_words = 1};
