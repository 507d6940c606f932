// SPDX-License-Identifier: Apache-2.0
// The line codec: what it is asked, and what its answers change.
#include "mem/codec.h"
#include "mem_harness.h"

enum { A = 0x10000000, LINE = 128, WORDS = 32 };

typedef struct Toy {
    MemSystem *m;
    uint32_t line_bytes;            // 0: as without a codec
    int64_t fill_delay, retrieve_delay;
    int asked[3], fills, stored, stored_full, retrieved, evicted, filled, watched_evicted;
    uint8_t evicted_sectors;
} Toy;

static uint32_t toy_bytes(void *self, int port, uint32_t line, uint8_t sectors, MemCodecWay way) {
    Toy *t = self;
    (void)port, (void)line;
    t->asked[way]++;
    return t->line_bytes ? t->line_bytes : 32 * (uint32_t)__builtin_popcount(sectors);
}

static int64_t toy_fill(void *self, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line, (void)sectors;
    ((Toy *)self)->fills++;
    return ((Toy *)self)->fill_delay;
}

static void toy_stored(void *self, int port, uint32_t line, uint8_t touched, uint8_t full) {
    (void)port, (void)line;
    ((Toy *)self)->stored++;
    ((Toy *)self)->stored_full += touched == full;
}

static int64_t toy_retrieve(void *self, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line, (void)sectors;
    ((Toy *)self)->retrieved++;
    return ((Toy *)self)->retrieve_delay;
}

static void toy_evicted(void *self, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line;
    ((Toy *)self)->evicted++;
    ((Toy *)self)->evicted_sectors = sectors;
}

static const MemCodec TOY = {.bytes = toy_bytes, .fill = toy_fill, .stored = toy_stored, .retrieve = toy_retrieve,
                             .evicted = toy_evicted};

static void watch_filled(void *ctx, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line, (void)sectors;
    ((Toy *)ctx)->filled++;
}

static void watch_evicted(void *ctx, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line, (void)sectors;
    ((Toy *)ctx)->watched_evicted++;
}

static const MemWatch WATCH = {.filled = watch_filled, .evicted = watch_evicted};

static void toy_open(Bench *b, Toy *t) {
    BENCH_OPEN(b, "fermi");
    t->m = b->m;
    mem_set_codec(b->m, &TOY, t);
    mem_set_watch(b->m, &WATCH, t);
}

// Loads and stores of `lines` whole lines, all in flight as far as the unit takes them; the cycles until all is done.
static int traffic(Bench *b, int lines) {
    int cycles = 0, issued = 0;
    uint32_t token;
    while (issued < 2 * lines || !mem_idle(b->m)) {
        if (issued < 2 * lines && mem_ready(b->m, 0)) {
            MemKind kind = issued % 2 ? MEM_STORE : MEM_LOAD;
            bench_issue(b, 0, request(kind, A + (uint32_t)(issued % 2 * 0x100000 + issued / 2 * LINE), 4, 4));
            issued++;
        }
        mem_cycle(b->m);
        while (mem_done(b->m, 0, &token)) {}
        assert_true(++cycles < 1000000);
    }
    return cycles;
}

// A codec that says what is true without one changes no counter and no cycle, with and without looking ahead.
static void test_plain_codec_changes_nothing(void **state) {
    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        Bench plain, coded;
        Toy t = {0};
        BENCH_OPEN(&plain, "fermi");
        toy_open(&coded, &t);
        if (ahead) mem_look_ahead(plain.m, 0), mem_look_ahead(coded.m, 0);
        assert_int_equal(traffic(&plain, 3000), traffic(&coded, 3000));
        assert_memory_equal(&plain.counters[0], &coded.counters[0], sizeof plain.counters[0]);
        assert_int_equal(t.fills, 3000);
        assert_int_equal(t.filled, 3000);
        assert_int_equal(t.stored, 3000);
        assert_int_equal(t.stored_full, 3000);
        assert_int_equal(t.retrieved, 0);   // whole lines are never changed in part
        assert_int_equal(t.asked[MEM_CODEC_LINK], 3000);
        assert_int_equal(t.asked[MEM_CODEC_DRAM_READ], 3000);
        assert_true(t.evicted > 0 && t.evicted_sectors == 0xf);
        assert_int_equal(t.evicted, t.watched_evicted);
        assert_int_equal(t.asked[MEM_CODEC_DRAM_WRITE], t.evicted);
        bench_close(&plain);
        bench_close(&coded);
    }
}

static void test_short_lines_save_bandwidth(void **state) {
    (void)state;
    Bench plain, coded;
    Toy t = {.line_bytes = 32};
    BENCH_OPEN(&plain, "fermi");
    toy_open(&coded, &t);
    int before = traffic(&plain, 3000), after = traffic(&coded, 3000);
    // 15.2 cycles of the data bus for a load and a store become 3.8; two column commands, 5 cycles apart, remain.
    assert_in_range(before, 3000 * 15, 3000 * 15.5);
    assert_in_range(after, 3000 * 10, 3000 * 10.5);
    assert_int_equal(COUNT(&coded, DRAM_READ_SECTORS) * 4, COUNT(&plain, DRAM_READ_SECTORS));
    bench_close(&plain);
    bench_close(&coded);
}

// On an empty machine a fill delay lengthens a miss by itself, and a hit not at all.
static void test_fill_delay(void **state) {
    (void)state;
    for (int delay = 0; delay < 50; delay += 7) {
        Bench b;
        Toy t = {.fill_delay = delay};
        toy_open(&b, &t);
        assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), b.cfg.dram_latency + delay);
        assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), b.cfg.l1_latency);
        bench_close(&b);
    }
}

// A held line: whoever wants it waits; released early or late, the answers come once.
static void test_hold_until_release(void **state) {
    (void)state;
    for (int early = 0; early < 2; early++) {
        Bench b;
        Toy t = {.fill_delay = MEM_CODEC_HOLD};
        toy_open(&b, &t);
        uint32_t first = bench_issue(&b, 0, request(MEM_LOAD, A, 4, 4)), got = 0;
        uint32_t second = bench_issue(&b, 0, request(MEM_LOAD, A, 4, 4));
        int cycles = 0;
        while (!t.fills) mem_cycle(b.m), cycles++;
        for (int i = 0; !early && i < 500; i++) {
            mem_cycle(b.m);
            assert_false(mem_done(b.m, 0, &got));
        }
        mem_codec_release(b.m, 0, A / LINE + 1);   // another line
        mem_cycle(b.m);
        assert_false(mem_done(b.m, 0, &got));
        mem_codec_release(b.m, 0, A / LINE);
        for (int i = 0; !mem_done(b.m, 0, &got); i++) {
            mem_cycle(b.m);
            assert_true(i < (early ? b.cfg.xbar_latency + 16 : 3));
        }
        assert_int_equal(got, first);
        for (int i = 0; !mem_done(b.m, 0, &got); i++) mem_cycle(b.m), assert_true(i < 3);
        assert_int_equal(got, second);
        while (!mem_idle(b.m)) mem_cycle(b.m);
        bench_close(&b);
    }
}

static int cycles_until_idle(Bench *b, MemRequest r) {
    uint32_t token;
    int cycles = 0;
    bench_issue(b, 0, r);
    while (!mem_done(b->m, 0, &token)) mem_cycle(b->m), cycles++;
    while (!mem_idle(b->m)) mem_cycle(b->m);
    return cycles;
}

// A store of some bytes and an atomic need the line in plain form; a store of all of it does not.
static void test_retrieve(void **state) {
    (void)state;
    Bench plain, coded;
    Toy t = {.retrieve_delay = 100};
    BENCH_OPEN(&plain, "fermi");
    toy_open(&coded, &t);
    MemRequest whole = request(MEM_STORE, A, 4, 4), part = whole, atomic = request(MEM_ATOMIC, A, 4, 4);
    part.active = 1;
    cycles_until_idle(&plain, request(MEM_LOAD, A, 4, 4));
    cycles_until_idle(&coded, request(MEM_LOAD, A, 4, 4));
    assert_int_equal(cycles_until_idle(&plain, whole), cycles_until_idle(&coded, whole));
    assert_int_equal(t.retrieved, 0);
    assert_int_equal(cycles_until_idle(&plain, part) + 100, cycles_until_idle(&coded, part));
    assert_int_equal(t.retrieved, 1);
    assert_int_equal(cycles_until_idle(&plain, atomic) + 100, cycles_until_idle(&coded, atomic));
    assert_int_equal(t.retrieved, 2);
    bench_close(&plain);
    bench_close(&coded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_codec_changes_nothing), cmocka_unit_test(test_short_lines_save_bandwidth),
        cmocka_unit_test(test_fill_delay), cmocka_unit_test(test_hold_until_release),
        cmocka_unit_test(test_retrieve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
