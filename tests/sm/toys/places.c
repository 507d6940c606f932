// SPDX-License-Identifier: Apache-2.0
// Places: every register is one bank further on than in the baseline, which uses this mapping only.
#include "toys.h"

enum { AT = 32 };

typedef struct Map {
    RegPlace answer[2][AT];
    uint64_t asked[2], answers[2];
} Map;
static Map map;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    memset(&map, 0, sizeof map);
    return &map;
}

static RegPlace now(const Sm *sm, const void *self, int warp, int reg) {
    RegPlace p = reg_place(&sm->layout, warp, reg);
    (void)self;
    p.bank = (p.bank + 1) % sm->layout.banks;
    return p;
}

static void ask(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg) {
    Map *m = self;
    m->answer[use][at] = now(sm, self, warp, reg);
    m->asked[use]++;
}

static const RegPlace *answer(Sm *sm, void *self, PlaceUse use) {
    Map *m = self;
    (void)sm;
    m->answers[use]++;
    return m->answer[use];
}

static const char *seen(const ToyRun *run, bool alone) {
    const Counters *with = &run->with->counters, *without = &run->without->counters;
    const int banks = run->cfg->rf_banks;
    if (map.asked[PLACE_SOURCE] != toy_count(run->with, CTR_RF_READS))
        return "a question for each register read";
    if (map.asked[PLACE_RESULT] != toy_count(run->with, CTR_RF_WRITES))
        return "a question for each register written";
    if (map.answers[PLACE_SOURCE] >= map.asked[PLACE_SOURCE])
        return "one answer for several questions of a cycle";
    for (int b = 0; alone && b < banks; b++)
        if (with->bank_reads[(b + 1) % banks] != without->bank_reads[b] ||
            with->bank_writes[(b + 1) % banks] != without->bank_writes[b])
            return "what one bank served before to be served by the next";
    return NULL;
}

static const Places places = {.ask = ask, .answer = answer, .now = now};
static const System system_toy = {.name = "toy-places",
                                  .what = "one bank further on",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .places = &places};
const Toy toy_places = {&system_toy, seen};
