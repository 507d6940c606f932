// SPDX-License-Identifier: Apache-2.0
// Lines that L2 and DRAM hold as images: bursts on the links and the bus, stores of some bytes,
// atomics, victims, metadata. The codec here is a table that the test writes.
#include "mem/codec.h"
#include "mem_harness.h"

enum { A = 0x10000000, LINE = 128, LINES = 4096, FIRST = A / LINE };

typedef struct Toy {
    int image[LINES], kept[LINES];
    int lookups, changes, kept_raw;
    int miss_each;  // each so many lookups miss; 0: none
} Toy;

static Toy toy;

static int image(void *self, int port, uint32_t line) {
    (void)self, (void)port;
    return toy.image[line - FIRST];
}

static int kept(void *self, int port, uint32_t line) {
    (void)self, (void)port;
    return toy.kept[line - FIRST];
}

static void keep(void *self, int port, uint32_t line, int bursts) {
    (void)self, (void)port;
    toy.kept[line - FIRST] = bursts;
    toy.kept_raw += !bursts;
}

static MemMetadata metadata(void *self, int port, int channel, uint32_t nth, bool change) {
    (void)self, (void)port, (void)channel;
    toy.changes += change;
    const bool miss = toy.miss_each && ++toy.lookups % toy.miss_each == 0;
    return (MemMetadata){
        .miss = miss, .evicts = miss, .line = nth / 128, .victim = 1000 + nth / 128};
}

static int cycles(const void *self, bool write) {
    (void)self;
    return write ? 5 : 1;
}

static const MemCodec AT_SM = {.links = true,
                               .cycles = cycles,
                               .image = image,
                               .kept = kept,
                               .keep = keep,
                               .metadata = metadata};
static const MemCodec AT_MEMORY = {
    .cycles = cycles, .image = image, .kept = kept, .keep = keep, .metadata = metadata};

static int order[64], norder;

static void perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    (void)ctx, (void)port, (void)lanes;
    if (norder < 64) order[norder] = (int)token;
    norder++;
}

static void open_toy(Bench *b, const MemCodec *codec, int bursts) {
    BENCH_OPEN(b, "fermi-caba");
    memset(&toy, 0, sizeof toy);
    for (int i = 0; i < LINES; i++) toy.kept[i] = toy.image[i] = bursts;
    norder = 0;
    mem_on_perform(b->m, perform, NULL);
    mem_set_codec(b->m, codec, NULL);
}

static uint64_t count(const Bench *b, CounterId id) { return b->counters[0].v[id]; }
static MemRequest words(MemKind kind, int line) {
    return request(kind, A + (uint32_t)line * LINE, 4, 4);
}
static MemRequest bytes(MemKind kind, int line) {
    return request(kind, A + (uint32_t)line * LINE, 4, 2);
}

// A load of a line of some bursts: the bus and the link carry these, and decompression is one
// cycle.
static void test_load(void **state) {
    (void)state;
    int64_t raw = 0;
    for (int bursts = 0; bursts < 4; bursts++) {
        Bench b;
        open_toy(&b, &AT_SM, bursts);
        int64_t dram = bench_alone(&b, words(MEM_LOAD, 0));
        assert_int_equal(count(&b, CTR_DRAM_READ_SECTORS), bursts ? bursts : 4);
        assert_int_equal(count(&b, CTR_RAW_BURSTS), 4);
        mem_flush_l1(b.m, 0);
        int64_t l2 = bench_alone(&b, words(MEM_LOAD, 0));
        if (!bursts) raw = l2;  // 4 flits
        else assert_int_equal(l2, raw - (4 - bursts) + 1);
        if (bursts) assert_true(dram < b.cfg.dram_latency);
        assert_int_equal(count(&b, CTR_MD_LOOKUPS), 1);
        bench_close(&b);
    }
}

// At the memory controller: the link and L2 carry the line raw.
static void test_load_at_memory(void **state) {
    (void)state;
    Bench b;
    open_toy(&b, &AT_MEMORY, 2);
    bench_alone(&b, words(MEM_LOAD, 0));
    assert_int_equal(count(&b, CTR_DRAM_READ_SECTORS), 2);
    mem_flush_l1(b.m, 0);
    assert_int_equal(bench_alone(&b, words(MEM_LOAD, 0)), b.cfg.l2_latency);
    bench_alone(&b, bytes(MEM_STORE, 0));
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 0);
    bench_close(&b);
}

// A store of all bytes replaces the image without a read; then a store of some of them makes a
// trip, the next does not.
static void test_stores(void **state) {
    (void)state;
    Bench b;
    open_toy(&b, &AT_SM, 1);
    int64_t whole = bench_alone(&b, words(MEM_STORE, 0));
    assert_int_equal(count(&b, CTR_DRAM_READS), 0);
    assert_int_equal(count(&b, CTR_LINES_STORED_COMPRESSED), 1);
    int64_t trip = bench_alone(&b, bytes(MEM_STORE, 0));
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 1);
    assert_true(trip > whole + 2 * b.cfg.xbar_latency);
    assert_true(bench_alone(&b, bytes(MEM_STORE, 0)) < trip);
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 1);
    // Not in L2, an image in DRAM: it is fetched first. Raw in DRAM: nothing is.
    bench_alone(&b, bytes(MEM_STORE, 1));
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 2);
    assert_int_equal(count(&b, CTR_DRAM_READS), 1);
    toy.kept[2] = 0;
    bench_alone(&b, bytes(MEM_STORE, 2));
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 2);
    assert_int_equal(count(&b, CTR_DRAM_READS), 1);
    bench_close(&b);
}

// Atomics on one line, a load and a store between them: one trip, all served, atomics in their
// order.
static void test_atomics(void **state) {
    (void)state;
    Bench b;
    open_toy(&b, &AT_SM, 1);
    const MemKind kinds[] = {MEM_ATOMIC, MEM_RED, MEM_LOAD, MEM_STORE, MEM_ATOMIC};
    int done = 0, issued = 0;
    for (int cycle = 0; cycle < 5000 && (issued < 5 || !mem_idle(b.m)); cycle++) {
        if (issued < 5 && mem_ready(b.m, 0)) {
            MemRequest r = bytes(kinds[issued], 0);
            r.token = (uint32_t)issued++;
            mem_issue(b.m, 0, &r);
        }
        mem_cycle(b.m);
        for (uint32_t token; mem_done(b.m, 0, &token);) done++;
    }
    assert_true(mem_idle(b.m));
    assert_int_equal(done, 5);
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 1);
    assert_int_equal(norder, 3);
    assert_true(order[0] == 0 && order[1] == 1 && order[2] == 4);
    bench_close(&b);
}

// Many lines that are all stored into in part: the SM has one place for an image, and all complete.
static void test_one_trip_at_a_time(void **state) {
    (void)state;
    Bench b;
    open_toy(&b, &AT_SM, 2);
    const int lines = 600;  // more than L2's share holds: locked lines, victims, a full queue
    int issued = 0, done = 0;
    toy.miss_each = 3;
    for (int cycle = 0; cycle < 2000000 && (issued < lines || !mem_idle(b.m)); cycle++) {
        if (issued < lines && mem_ready(b.m, 0)) {
            MemRequest r = request(issued % 3 ? MEM_STORE : MEM_RED,
                                   A + (uint32_t)(issued * 37 % (LINES - 128)) * LINE, 4 * LINE, 4);
            r.token = (uint32_t)issued++;
            mem_issue(b.m, 0, &r);
        }
        mem_cycle(b.m);
        for (uint32_t token; mem_done(b.m, 0, &token);) done++;
    }
    assert_true(mem_idle(b.m));
    assert_int_equal(done, lines);
    // each line once: raw from then on
    assert_in_range(count(&b, CTR_LINES_RETRIEVED), 1000, LINES);
    assert_true(toy.kept_raw > 500);
    assert_int_equal(count(&b, CTR_MD_READS), (uint64_t)toy.lookups / 3);
    assert_int_equal(count(&b, CTR_MD_WRITES), count(&b, CTR_MD_READS));
    bench_close(&b);
}

// Victims at the memory controller. If L2 has the whole line, its image is written; if it has a
// part of a line over an image, the image is read first.
static void test_victims_at_memory(void **state) {
    (void)state;
    for (int partial = 0; partial < 2; partial++) {
        Bench b;
        open_toy(&b, &AT_MEMORY, 1);
        for (int i = 0; i < 2000; i++)
            bench_alone(&b, partial ? bytes(MEM_STORE, i) : words(MEM_STORE, i));
        uint64_t writes = count(&b, CTR_DRAM_WRITES);
        assert_in_range(writes, 1000, 2000);
        assert_int_equal(count(&b, CTR_DRAM_READS), partial ? writes : 0);
        assert_int_equal(count(&b, CTR_DRAM_WRITE_SECTORS), writes);
        assert_int_equal(toy.changes, writes);
        bench_close(&b);
    }
}

// 64 KB cold, as images of one or three bursts and raw: so many bursts, and the bus is busy for as
// long.
static void test_bus_time(void **state) {
    (void)state;
    static const int bursts[] = {1, 3, 0};
    uint64_t busy[3];
    for (int i = 0; i < 3; i++) {
        Bench b;
        open_toy(&b, &AT_SM, bursts[i]);
        int issued = 0;
        for (int cycle = 0; cycle < 200000 && (issued < 512 || !mem_idle(b.m)); cycle++) {
            if (issued < 512 && mem_ready(b.m, 0)) {
                MemRequest r = words(MEM_LOAD, issued);
                r.token = (uint32_t)issued++;
                mem_issue(b.m, 0, &r);
            }
            mem_cycle(b.m);
            for (uint32_t token; mem_done(b.m, 0, &token);) {}
        }
        assert_int_equal(count(&b, CTR_DRAM_READ_SECTORS), 512 * (bursts[i] ? bursts[i] : 4));
        busy[i] = count(&b, CTR_DRAM_BUSY);
        bench_close(&b);
    }
    assert_in_range(busy[1], 3 * busy[0] - 4, 3 * busy[0] + 4);
    assert_in_range(busy[2], 4 * busy[0] - 4, 4 * busy[0] + 4);
}

// ---- caches that hold images ----

static MemCaches wanted;
static MemSystem *memory;
static int arrivals;

static void caches(const void *self, MemCaches *c) {
    (void)self;
    *c = wanted;
}

// The SM decompresses at once.
static void arrived(void *self, int port, const MemArrival *a) {
    (void)self;
    arrivals++;
    mem_codec_done(memory, port, a->id, false);
}

static const MemCodec IN_CACHES = {.links = true,
                                   .image = image,
                                   .kept = kept,
                                   .keep = keep,
                                   .caches = caches,
                                   .arrived = arrived};

// L2 of four ways and one set; L1 of one set.
static void open_caches(Bench *b, MemCaches c, int bursts) {
    BENCH_OPEN(b, "fermi-caba", "l2.ways=4", "l2.bytes=7680", "l1.sets=1");
    memset(&toy, 0, sizeof toy);
    for (int i = 0; i < LINES; i++) toy.kept[i] = toy.image[i] = bursts;
    wanted = c;
    memory = b->m;
    arrivals = 0;
    mem_set_codec(b->m, &IN_CACHES, NULL);
}

// Hits in a second round over n lines.
static int hits_again(Bench *b, int n, CounterId hits, bool flush) {
    for (int i = 0; i < n; i++) bench_alone(b, words(MEM_LOAD, i));
    const uint64_t before = count(b, hits);
    for (int i = 0; i < n; i++) {
        if (flush) mem_flush_l1(b->m, 0);
        bench_alone(b, words(MEM_LOAD, i));
    }
    return (int)(count(b, hits) - before);
}

// As many lines fit as there are tags and pieces for; one more, and the oldest is gone when it is
// asked for. A line on its way to L1 is counted raw.
static void test_tags(void **state) {
    (void)state;
    static const struct {
        bool l1;
        int tags, bursts, fit;
    } cases[] = {{false, 1, 1, 4}, {false, 2, 1, 8},  {false, 2, 2, 8}, {false, 2, 3, 5},
                 {false, 2, 0, 4}, {false, 4, 1, 16}, {false, 4, 2, 8}, {true, 1, 1, 4},
                 {true, 2, 1, 8},  {true, 2, 2, 7},   {true, 2, 0, 4},  {true, 4, 1, 13}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int more = 0; more < 2; more++) {
            const bool l1 = cases[i].l1;
            const int tags = cases[i].tags, n = cases[i].fit + more;
            Bench b;
            const MemCaches c = {
                .l1_tags = l1 ? tags : 1, .l2_tags = l1 ? 1 : tags, .l1_images = l1};
            open_caches(&b, c, cases[i].bursts);
            const int hits = hits_again(&b, n, l1 ? CTR_L1_HITS : CTR_L2_HITS, !l1);
            if (more ? hits >= n : hits != n) fail_msg("case %u: %d of %d lines hit", i, hits, n);
            bench_close(&b);
        }
    }
}

// A hit on an image in L1 is an arrival again; with cycles for it, it is none and takes as many
// more.
static void test_l1_images(void **state) {
    (void)state;
    Bench b;
    open_caches(&b, (MemCaches){.l1_tags = 2, .l2_tags = 1, .l1_images = true}, 1);
    for (int i = 1; i < 4; i++) {
        bench_alone(&b, words(MEM_LOAD, 0));
        assert_int_equal(arrivals, i);
        assert_int_equal(count(&b, CTR_L1_IMAGE_HITS), i - 1);
    }
    assert_int_equal(count(&b, CTR_L1_MISSES), 1);
    bench_close(&b);
    open_caches(&b, (MemCaches){.l1_tags = 1, .l2_tags = 1, .l1_cycles = 1}, 1);
    bench_alone(&b, words(MEM_LOAD, 0));
    assert_int_equal(bench_alone(&b, words(MEM_LOAD, 0)), b.cfg.l1_latency + 1);
    assert_int_equal(arrivals, 1);
    bench_close(&b);
}

// The line goes back to L2 raw: the next load gets it so. A store of some bytes makes no trip, its
// victim goes whole.
static void test_raw_l2(void **state) {
    (void)state;
    Bench b;
    open_caches(&b, (MemCaches){.l1_tags = 1, .l2_tags = 1, .l2_raw = true}, 1);
    bench_alone(&b, words(MEM_LOAD, 0));
    for (int i = 0; i < 200; i++) mem_cycle(b.m);
    mem_flush_l1(b.m, 0);
    assert_int_equal(bench_alone(&b, words(MEM_LOAD, 0)), b.cfg.l2_latency);
    assert_int_equal(arrivals, 1);
    bench_alone(&b, bytes(MEM_STORE, 0));
    assert_int_equal(count(&b, CTR_LINES_RETRIEVED), 0);
    for (int i = 1; i < 6; i++) bench_alone(&b, words(MEM_LOAD, i));
    for (int i = 0; i < 1000; i++) mem_cycle(b.m);
    assert_int_equal(count(&b, CTR_DRAM_WRITE_SECTORS), 4);
    assert_int_equal(toy.kept_raw, 1);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_load),
                                       cmocka_unit_test(test_load_at_memory),
                                       cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_one_trip_at_a_time),
                                       cmocka_unit_test(test_victims_at_memory),
                                       cmocka_unit_test(test_bus_time),
                                       cmocka_unit_test(test_tags),
                                       cmocka_unit_test(test_l1_images),
                                       cmocka_unit_test(test_raw_l2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
