// SPDX-License-Identifier: Apache-2.0
// Golden model of cta_barrier: a list of all arrivals whose phase has not ended yet. A walk over
// the list counts the arrivals of a phase.
#include "models/params.h"
#include "models/scalar/cta_barrier.h"

#include <stdlib.h>
#include <string.h>

enum { CTA_BARRIER_PARAMS(BLOCK_INDEX) PARAMS };

enum { SCALAR = -1, MAX_ARRIVALS = CB_MAX_CTAS * CB_MAX_BARRIERS * (CB_MAX_WARPS + 1) };

typedef struct Arrival {
    int cta, number, warp;  // warp SCALAR: the scalar thread
    bool waits, with;
} Arrival;

// The release of one CTA in this cycle.
typedef struct Release {
    bool valid, scalar;
    int number;
    uint64_t warps;
} Release;

typedef struct Barriers {
    int params[PARAMS];
    int live[CB_MAX_CTAS];
    bool scalar[CB_MAX_CTAS];
    int expects[CB_MAX_CTAS][CB_MAX_BARRIERS];
    Release free[CB_MAX_CTAS];
    // CTAs of which a phase may end: its state changed since the last check
    uint32_t changed;
    struct Barriers *cycle;  // as it would be after this cycle's arrivals and ends
    int n;
    Arrival list[MAX_ARRIVALS];
} Barriers;

static void barriers_reset(void *self) {
    Barriers *b = self;
    memset(b->live, 0, sizeof b->live);
    memset(b->scalar, 0, sizeof b->scalar);
    memset(b->expects, 0, sizeof b->expects);
    memset(b->free, 0, sizeof b->free);
    b->changed = 0;
    b->n = 0;
}

static void *barriers_open(const int *params) {
    Barriers *b = calloc(1, sizeof *b);
    if (!b || !(b->cycle = calloc(1, sizeof *b))) abort();
    memcpy(b->params, params, sizeof b->params);
    return b;
}

static void barriers_close(void *self) {
    Barriers *b = self;
    if (b) free(b->cycle);
    free(b);
}

typedef struct Phase {
    int warps;
    bool begun, with, scalar, waits;
} Phase;

static Phase phase_of(const Barriers *b, int cta, int number) {
    Phase p = {0};
    for (int i = 0; i < b->n; i++) {
        const Arrival *a = &b->list[i];
        if (a->cta != cta || a->number != number) continue;
        p.begun = true;
        p.with |= a->with;
        if (a->warp == SCALAR) p.scalar = true, p.waits |= a->waits;
        else p.warps++;
    }
    return p;
}

// All arrivals and ends of a cycle; bits of CTAs with an error.
static uint32_t count(Barriers *b, const CtaBarrierIn *in) {
    uint32_t wrong = 0;
    for (int r = 0; r < b->params[P_NumReq]; r++) {
        if (in->end_valid[0] >> r & 1)
            b->live[in->end_cta[r]]--, b->changed |= 1u << in->end_cta[r];
        if (!(in->arr_valid[0] >> r & 1)) continue;
        const Arrival a = {(int)in->arr_cta[r], (int)in->arr_number[r], (int)in->arr_warp[r],
                           in->arr_sync[0] >> r & 1, in->arr_with[0] >> r & 1};
        b->list[b->n++] = a;
        b->changed |= 1u << a.cta;
        if (in->arr_count[r]) b->expects[a.cta][a.number] = (int)in->arr_count[r];
        if (in->arr_count[r] && a.with) wrong |= 1u << a.cta;
    }
    for (int u = 0; u < b->params[P_Units]; u++)
        if (in->sc_valid[0] >> u & 1) {
            b->list[b->n++] = (Arrival){(int)in->sc_cta[u], (int)in->sc_number[u], SCALAR,
                                        in->sc_sync[0] >> u & 1, true};
            b->changed |= 1u << in->sc_cta[u];
        }
    for (int c = 0; c < b->params[P_Ctas]; c++)
        if (in->scalar_end[c]) b->scalar[c] = false, b->changed |= 1u << c;
    return wrong;
}

// Arrivals of this cycle, entries from `news` on, whose k is not that of the phase before it or of
// another of them.
static uint32_t mixed(const Barriers *b, int news) {
    uint32_t wrong = 0;
    for (int i = news; i < b->n; i++) {
        const Arrival *a = &b->list[i];
        bool begun = false, with = false;
        for (int j = 0; j < news; j++) {
            if (b->list[j].cta != a->cta || b->list[j].number != a->number) continue;
            begun = true;
            with |= b->list[j].with;
        }
        if (begun && with != a->with) wrong |= 1u << a->cta;
        for (int j = news; j < b->n; j++)
            if (b->list[j].cta == a->cta && b->list[j].number == a->number &&
                b->list[j].with != a->with)
                wrong |= 1u << a->cta;
    }
    return wrong;
}

static bool complete(const Barriers *b, int cta, int number) {
    const Phase p = phase_of(b, cta, number);
    const int expects = b->expects[cta][number] ? b->expects[cta][number] : b->live[cta];
    return p.begun && p.warps >= expects && (!p.with || p.scalar || !b->scalar[cta]);
}

// The barriers of each CTA whose phase has begun, a bit each.
static void begun(const Barriers *b, uint32_t numbers[CB_MAX_CTAS]) {
    memset(numbers, 0, CB_MAX_CTAS * sizeof *numbers);
    for (int i = 0; i < b->n; i++) numbers[b->list[i].cta] |= 1u << b->list[i].number;
}

// The barrier whose phase ends, of those that have begun; -1: none.
static int ends(const Barriers *b, int cta, uint32_t numbers) {
    for (; numbers; numbers &= numbers - 1)
        if (complete(b, cta, __builtin_ctz(numbers))) return __builtin_ctz(numbers);
    return -1;
}

// Bits of CTAs with an error; without arrivals there is none.
static uint32_t errors(const Barriers *b, const CtaBarrierIn *in) {
    if (!in->arr_valid[0] && !in->sc_valid[0]) return 0;
    Barriers *now = b->cycle;
    memcpy(now, b, offsetof(Barriers, list) + (size_t)b->n * sizeof b->list[0]);
    const uint32_t wrong = count(now, in);
    return wrong | mixed(now, b->n);
}

static void barriers_eval(void *self, const void *vin, void *vout) {
    const Barriers *b = self;
    CtaBarrierOut *out = vout;
    out->error[0] = errors(b, vin);
    out->rel_valid[0] = out->rel_scalar[0] = 0;
    memset(out->rel_warps, 0, sizeof out->rel_warps);
    for (int c = 0; c < b->params[P_Ctas]; c++) {
        const Release *f = &b->free[c];
        out->rel_valid[0] |= (uint32_t)f->valid << c;
        out->rel_scalar[0] |= (uint32_t)f->scalar << c;
        out->rel_number[c] = (uint32_t)f->number;
        for (uint64_t warps = f->warps; warps; warps &= warps - 1)
            out->rel_warps[__builtin_ctzll(warps)] = 1;
    }
}

// All that waits at the barrier.
static Release waiting(const Barriers *b, int cta, int number) {
    Release f = {.valid = true, .number = number};
    for (int i = 0; i < b->n; i++) {
        const Arrival *a = &b->list[i];
        if (a->cta != cta || a->number != number || !a->waits) continue;
        if (a->warp == SCALAR) f.scalar = true;
        else f.warps |= 1ull << a->warp;
    }
    return f;
}

// Arrivals of a barrier, or of all of a CTA's (number -1), are forgotten.
static void forget(Barriers *b, int cta, int number) {
    int kept = 0;
    for (int i = 0; i < b->n; i++)
        if (b->list[i].cta != cta || (number >= 0 && b->list[i].number != number))
            b->list[kept++] = b->list[i];
    b->n = kept;
    for (int n = 0; n < CB_MAX_BARRIERS; n++)
        if (number < 0 || n == number) b->expects[cta][n] = 0;
}

static void barriers_tick(void *self, const void *vin) {
    Barriers *b = self;
    const CtaBarrierIn *in = vin;
    uint32_t numbers[CB_MAX_CTAS];
    count(b, in);
    memset(b->free, 0, sizeof b->free);
    if (b->changed) begun(b, numbers);
    for (uint32_t left = b->changed; left; left &= left - 1) {
        const int c = __builtin_ctz(left), n = ends(b, c, numbers[c]);
        if (n < 0) {
            b->changed &= ~(1u << c);
            continue;
        }
        b->free[c] = waiting(b, c, n);
        forget(b, c, n);
    }
    if (in->start_valid[0]) {
        const int c = (int)in->start_cta[0];
        forget(b, c, -1);
        b->free[c] = (Release){0};
        b->live[c] = (int)in->start_warps[0];
        b->scalar[c] = in->start_scalar[0];
        b->changed |= 1u << c;
    }
}

static uint32_t barriers_obs_count(void *self) {
    const Barriers *b = self;
    return (uint32_t)(b->params[P_Ctas] * (1 + b->params[P_Barriers]) + b->params[P_Warps]);
}

static void barriers_observe(void *self, uint32_t addr, uint32_t *words) {
    const Barriers *b = self;
    const int ctas = b->params[P_Ctas], numbers = b->params[P_Barriers], place = (int)addr - ctas;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)b->params[addr - BLOCK_OBS_PARAM];
    } else if (place < 0) {
        words[0] = (uint32_t)b->live[addr] | (uint32_t)b->scalar[addr] << 8;
    } else if (place < ctas * numbers) {
        const Phase p = phase_of(b, place / numbers, place % numbers);
        const Release *f = &b->free[place / numbers];
        const bool over = f->valid && f->number == place % numbers;
        words[0] = (uint32_t)p.warps | (uint32_t)b->expects[place / numbers][place % numbers] << 8 |
            (uint32_t)p.with << 16 | (uint32_t)p.scalar << 17 |
            (uint32_t)(over ? f->scalar : p.waits) << 18 | (uint32_t)over << 19;
    } else {
        const int warp = place - ctas * numbers;
        for (int c = 0; c < ctas; c++)
            if (b->free[c].warps >> warp & 1)
                words[0] = 1u | (uint32_t)c << 1 | (uint32_t)b->free[c].number << 6;
        for (int i = 0; i < b->n; i++)
            if (b->list[i].warp == warp && b->list[i].waits)
                words[0] = 1u | (uint32_t)b->list[i].cta << 1 | (uint32_t)b->list[i].number << 6;
    }
}

const BlockModel cta_barrier_model = {.name = "cta_barrier",
                                      .open = barriers_open,
                                      .close = barriers_close,
                                      .reset = barriers_reset,
                                      .eval = barriers_eval,
                                      .tick = barriers_tick,
                                      .obs_count = barriers_obs_count,
                                      .observe = barriers_observe,
                                      .obs_words = 1};
