// SPDX-License-Identifier: Apache-2.0
// Line codec: counts lines, and each takes ten cycles more before L1 has it.
#include "toys.h"

static uint64_t fills, stores;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    fills = stores = 0;
    return NULL;
}

static int64_t fill(void *self, int port, uint32_t line, uint8_t sectors) {
    (void)self, (void)port, (void)line, (void)sectors;
    fills++;
    return 10;
}

static void stored(void *self, int port, uint32_t line, uint8_t touched, uint8_t full) {
    (void)self, (void)port, (void)line, (void)touched, (void)full;
    stores++;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)alone;
    return fills == toy_count(run->with, CTR_L1_MISSES) && stores ? NULL : "as many fills as misses, and stores";
}

static const MemCodec codec = {.fill = fill, .stored = stored};
static const System system_toy = {.name = "toy-codec", .what = "counts lines", .with = ~0u, .open = open_toy, .codec = &codec};
const Toy toy_codec = {&system_toy, seen};
