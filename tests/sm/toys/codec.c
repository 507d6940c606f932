// SPDX-License-Identifier: Apache-2.0
// Line codec: counts lines, and each takes ten cycles more before L1 has it. Each eighth is held, one at a time, until
// it is given free twenty cycles later.
#include "toys.h"

enum { NO_LINE = 1 << 30, HELD_FOR = 20 };
static uint64_t fills, stores, held, freed, free_at;
static uint32_t held_line;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)arena;
    fills = stores = held = freed = 0;
    held_line = NO_LINE;
    return sm;
}

static int64_t fill(void *self, int port, uint32_t line, uint8_t sectors) {
    const Sm *sm = self;
    (void)port, (void)sectors;
    if (++fills % 8 || held_line != NO_LINE) return 10;
    held++;
    held_line = line;
    free_at = sm->cycle + HELD_FOR;
    return MEM_CODEC_HOLD;
}

static void stored(void *self, int port, uint32_t line, uint8_t touched, uint8_t full) {
    (void)self, (void)port, (void)line, (void)touched, (void)full;
    stores++;
}

static void drive(Sm *sm, void *self) {
    (void)self;
    if (held_line == NO_LINE || sm->cycle < free_at) return;
    mem_codec_release(sm->gpu->mem, sm->port, held_line);
    held_line = NO_LINE;
    freed++;
}

static bool busy(const Sm *sm, const void *self) {
    (void)sm, (void)self;
    return held_line != NO_LINE;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)alone;
    if (fills >= 8 && (!held || held != freed)) return "lines that are held and given free";
    return fills == toy_count(run->with, CTR_L1_MISSES) && stores ? NULL : "as many fills as misses, and stores";
}

static const MemCodec codec = {.fill = fill, .stored = stored};
static const Clocked clock_part = {.drive = drive, .busy = busy};
static const System system_toy = {.name = "toy-codec", .what = "counts lines", .with = ~0u, .open = open_toy, .codec = &codec,
                                  .clock = &clock_part};
const Toy toy_codec = {&system_toy, seen};
