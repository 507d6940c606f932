// SPDX-License-Identifier: Apache-2.0
// Line codec: DRAM holds every odd line as an image of two bursts, unless L2 has written the line
// raw.
#include "toys.h"

enum { BURSTS = 2, LINES = 1 << 16 };
static bool raw[LINES];  // by line, those apart by LINES together
static uint64_t images;  // that DRAM was asked for

static void *open_toy(Sm *sm, Arena *arena) {
    (void)arena;
    memset(raw, 0, sizeof raw);
    images = 0;
    return sm;
}

static int image(void *self, int port, uint32_t line) {
    (void)self, (void)port;
    return line % 2 ? BURSTS : 0;
}

static int kept(void *self, int port, uint32_t line) {
    const int bursts = raw[line % LINES] ? 0 : image(self, port, line);
    images += bursts != 0;
    return bursts;
}

static void keep(void *self, int port, uint32_t line, int bursts) {
    (void)self, (void)port;
    raw[line % LINES] = !bursts;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)alone;
    const bool fewer =
        toy_count(run->with, CTR_MOVED_BURSTS) < toy_count(run->with, CTR_RAW_BURSTS);
    return images && fewer ? NULL : "images of lines, in fewer bursts";
}

static const MemCodec codec = {.image = image, .kept = kept, .keep = keep};
static const System system_toy = {.name = "toy-codec",
                                  .what = "halves every odd line",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .codec = &codec};
const Toy toy_codec = {&system_toy, seen};
