// SPDX-License-Identifier: Apache-2.0
// Random transactions of one seed. A chunk is divided into episodes of a few hundred cycles, each
// with its own draw of the knobs. A third of the chunks has no reset after the first, so that deep
// states are reached. A third resets rarely, and a third often, for several cycles in a row.
//
// Quiet stretches override the environment. For a while some of the ports that carry transactions
// are idle. Once per chunk, before 9 tenths of its transactions, all of them are idle. This lasts
// longer than any block's counter of idle cycles. Omitting transactions is always legal
// (models/stim.h). A long chunk has such stretches repeatedly.
//
// The state is compared after the first cycle, every few hundred cycles, and at the end. It is also
// compared in the cycle before a reset and in the last cycle of a reset. This is required because a
// wrong state may be overwritten before an output shows it.
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum {
    EPISODE_LEAST = 64,
    EPISODE_SPAN = 448,
    // A chunk whose environment rarely drives a transaction ends after this many cycles.
    CYCLES_PER_TRANSACTION = 20,
    CYCLES_BASE = 2000,
    LOOK_EVERY = 512 /* cycles between comparisons of the state */,
};
enum { RESETS_NONE, RESETS_RARE, RESETS_OFTEN, RESET_KINDS };
enum {
    QUIET_EVERY = 6 /* episodes */,
    QUIET_LEAST = 16,
    QUIET_SPAN = 192 /* cycles, some ports */,
    IDLE_EVIDENT = 256,
    IDLE_LEAST = 320,
    IDLE_SPAN = 256 /* cycles, all ports; of one chunk in 8 as many times longer */,
    IDLE_BEFORE = VERIFY_CHUNK / 10 * 9,
    IDLE_SOON = VERIFY_CHUNK / 10 /* transactions; half of the chunks */
};
// The other inputs in an idle stretch: random, constant, or 0.
enum { IDLE_RANDOM, IDLE_KEPT, IDLE_ZERO, IDLE_KINDS };

typedef struct Chunk {
    StimRandom random;
    const BlockStim *stim;
    int knobs[STIM_MAX_KNOBS];
    uint32_t episode_left;
    bool is_long;
    int resets;
    uint32_t resetting;  // remaining cycles of the current reset
    bool was_reset;      // the previous cycle was a reset
    const Port *ports;
    int valids[BLOCK_MAX_PORTS], nvalids;  // ports that carry transactions
    // transactions after which all ports are quiet, UINT64_MAX: already done
    uint64_t idle_at;
    uint32_t quiet_left, quiet;  // cycles; bit per port of valids
    int kind;
    uint32_t idle;  // cycles without a transaction, up to now
} Chunk;

// Scrambles the seed, because neighboring seeds must not start with similar values.
static uint64_t scramble_seed(uint64_t seed) {
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
    if (c->quiet_left || stim_below(&c->random, QUIET_EVERY)) return;
    c->quiet = stim_random(&c->random);
    c->quiet_left = QUIET_LEAST + stim_below(&c->random, QUIET_SPAN);
    c->kind = IDLE_RANDOM;
}

static void start_idle(Chunk *c) {
    c->idle_at = c->is_long ? c->idle_at + IDLE_BEFORE + stim_below(&c->random, 4 * VERIFY_CHUNK)
                            : UINT64_MAX;
    c->quiet = UINT32_MAX;
    c->quiet_left = IDLE_LEAST + stim_below(&c->random, IDLE_SPAN);
    if (stim_below(&c->random, 8) == 0) c->quiet_left *= 8;
    c->kind = (int)stim_below(&c->random, IDLE_KINDS);
}

static bool is_idle(const Chunk *c) { return c->quiet_left && c->quiet == UINT32_MAX; }

static void draw_inputs(Chunk *c, void *environment, void *in, size_t size) {
    if (!c->quiet_left || c->kind == IDLE_RANDOM)
        c->stim->randomize(environment, &c->random, c->knobs, in);
    else if (c->kind == IDLE_ZERO) memset(in, 0, size);
    if (!c->quiet_left) return;
    c->quiet_left--;
    for (int i = 0; i < c->nvalids; i++)
        if (c->quiet >> i % 32 & 1) *(uint32_t *)port_element(&c->ports[c->valids[i]], in, 0) = 0;
}

// Counts the bin of idle stretches: work after one.
static void follow_idle(Chunk *c, bool worked, uint64_t *bin) {
    if (bin) *bin += worked && c->idle >= IDLE_EVIDENT;
    c->idle = worked ? 0 : c->idle + 1;
}

static bool draw_reset(Chunk *c) {
    if (c->resetting) {
        c->resetting--;
        return true;
    }
    if (is_idle(c) || c->resets == RESETS_NONE ||
        stim_below(&c->random, c->resets == RESETS_RARE ? 1024 : 48))
        return false;
    if (c->resets == RESETS_OFTEN) c->resetting = stim_below(&c->random, 3);
    return true;
}

int verify_bins(const BlockStim *stim, const int *params, CoverBin *bins) {
    bins[0] = (CoverBin){.group = "idle stretch", .name = "256-cycles-then-work"};
    return 1 + stim->bins(params, bins + 1);
}

// Cycles after which the state is compared: the first, the last cycle of a reset, one in
// LOOK_EVERY, and cycles that the environment selects.
static bool worth_a_look(const Chunk *c, bool reset, uint64_t cycles, void *environment) {
    if (reset) return !c->resetting;
    if (cycles == 1 || cycles % LOOK_EVERY == 0) return true;
    return c->stim->look && c->stim->look(environment);
}

// Draws whether the next cycle is a reset. The state is compared before a reset begins, because the
// reset hides earlier errors. False: the state differs.
static bool start_cycle(Chunk *c, Harness *h, uint64_t seed, bool *reset) {
    *reset = draw_reset(c);
    const bool begins = *reset && !c->was_reset;
    c->was_reset = *reset;
    return !begins || harness_compare_state(h, seed);
}

static Chunk chunk_start(Harness *h, uint64_t seed, bool is_long) {
    Chunk c = {.random = {scramble_seed(seed)}, .stim = harness_stim(h), .is_long = is_long};
    int nports;
    c.ports = harness_ports(h, &nports);
    c.nvalids = verify_valid_ports(c.ports, nports, c.valids);
    c.resets = (int)stim_below(&c.random, RESET_KINDS);
    if (is_long) c.resets = RESETS_NONE;
    const uint32_t most = stim_random(&c.random) >> 31 ? IDLE_SOON : IDLE_BEFORE;
    c.idle_at = c.nvalids ? stim_below(&c.random, most) : UINT64_MAX;
    return c;
}

const Mismatch *verify_run_chunk(Harness *h, uint64_t seed, uint64_t transactions, uint64_t cycles,
                                 uint64_t *hits, Stimulus *record, volatile uint64_t *alive) {
    const uint64_t most = cycles ? cycles : transactions * CYCLES_PER_TRANSACTION + CYCLES_BASE;
    if (cycles) transactions = UINT64_MAX;
    const size_t size = harness_desc(h)->in_size;
    void *in = calloc(1, size);
    panic_if(!in, "out of memory");
    const uint64_t start_seed = harness_start_seed(h, seed);
    harness_restart(h, start_seed);
    if (record) record->start_seed = start_seed;
    Chunk c = chunk_start(h, seed, cycles != 0);
    bool good = true;
    while (good && harness_driven(h) < transactions && harness_cycles(h) < most) {
        const uint64_t before = harness_driven(h);
        if (c.episode_left == 0) start_episode(&c);
        c.episode_left--;
        if (before >= c.idle_at && !c.resetting) start_idle(&c);
        bool reset;
        good = start_cycle(&c, h, seed, &reset);
        if (!good) break;
        draw_inputs(&c, harness_environment(h), in, size);
        good = harness_step(h, reset, in, hits ? hits + 1 : NULL);
        follow_idle(&c, harness_driven(h) != before, hits);
        if (good && worth_a_look(&c, reset, harness_cycles(h), harness_environment(h)))
            good = harness_compare_state(h, seed);
        if (record) stimulus_add(record, reset, in);
        if (alive) ++*alive;
    }
    if (good) harness_compare_state(h, seed);
    free(in);
    return harness_mismatch(h);
}
