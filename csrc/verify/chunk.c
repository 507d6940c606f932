// SPDX-License-Identifier: Apache-2.0
// Random transactions of one seed. A chunk is cut into episodes of a few hundred cycles, each with
// its own draw of the knobs. A third of the chunks knows no reset after the first, so that deep
// states are reached; a third resets now and then, a third often and several cycles in a row.
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum {
    EPISODE_LEAST = 64, EPISODE_SPAN = 448,
    // A chunk whose environment hardly ever drives anything ends after this many cycles.
    CYCLES_PER_TRANSACTION = 20, CYCLES_BASE = 2000,
};
enum { RESETS_NONE, RESETS_RARE, RESETS_OFTEN, RESET_KINDS };

typedef struct Chunk {
    StimRandom random;
    const BlockStim *stim;
    int knobs[STIM_MAX_KNOBS];
    uint32_t episode_left;
    int resets;
    uint32_t resetting;              // cycles of the reset under way
} Chunk;

// Neighbouring seeds must not start alike.
static uint64_t scrambled(uint64_t seed) {
    seed += 0x9e3779b97f4a7c15ull;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebull;
    seed ^= seed >> 31;
    return seed ? seed : 1;
}

static void start_episode(Chunk *c) {
    c->episode_left = EPISODE_LEAST + stim_below(&c->random, EPISODE_SPAN);
    for (int i = 0; i < c->stim->nknobs; i++) {
        const StimKnob *k = &c->stim->knobs[i];
        c->knobs[i] = k->least + (int)stim_below(&c->random, (uint32_t)(k->most - k->least + 1));
    }
}

static bool draw_reset(Chunk *c) {
    if (c->resetting) {
        c->resetting--;
        return true;
    }
    if (c->resets == RESETS_NONE || stim_below(&c->random, c->resets == RESETS_RARE ? 1024 : 48)) return false;
    if (c->resets == RESETS_OFTEN) c->resetting = stim_below(&c->random, 3);
    return true;
}

const Mismatch *verify_run_chunk(Harness *h, uint64_t seed, uint64_t transactions, uint64_t *hits,
                                 Stimulus *record, volatile uint64_t *alive) {
    const uint64_t most = transactions * CYCLES_PER_TRANSACTION + CYCLES_BASE;
    void *in = calloc(1, harness_desc(h)->in_size);
    panic_if(!in, "out of memory");
    Chunk c = {.random = {scrambled(seed)}, .stim = harness_stim(h)};
    c.resets = (int)stim_below(&c.random, RESET_KINDS);
    harness_restart(h);
    bool good = true;
    while (good && harness_driven(h) < transactions && harness_cycles(h) < most) {
        if (c.episode_left == 0) start_episode(&c);
        c.episode_left--;
        const bool reset = draw_reset(&c);
        c.stim->randomise(harness_environment(h), &c.random, c.knobs, in);
        good = harness_step(h, reset, in, hits);
        if (record) stimulus_add(record, reset, in);
        if (alive) ++*alive;
    }
    if (good) harness_compare_state(h, seed);
    free(in);
    return harness_mismatch(h);
}
