// SPDX-License-Identifier: Apache-2.0
// Commands and data of one DRAM channel against times computed by hand: column commands, bank
// groups, changes of the bus's direction, effects of the share.
//
// One SM to a channel, as fast as GTX480's: 1 clock is 757.6 thousandths of an SM cycle and moves
// 32 bytes.
#include "mem/mem_internal.h"
#include "mem_harness.h"

// 128-byte lines: 2 lines a chunk, rows of 16 lines; with bank groups two banks are filled
// together.
enum {
    SAME_BANK = 4,
    OTHER_GROUP = 2,
    OTHER_ROW = 2 * 16 * 8 * 8,
    READ = 0,
    WRITE = NONE,
    LINE = 1 << 20
};

#define WHOLE "gpu.sms=6", "dram.bytes_per_kcycle=253440", "dram.tccd=2"
#define GROUPS "dram.access=64", "dram.groups=4", "dram.tccdl=3"
#define TURN "dram.twl=4", "dram.tcdlr=5"

static int64_t clocks(int n) { return (n * 1000000ll + 1319) / 1320; }

static void push(Bench *b, uint32_t line, int32_t mshr) { dram_push(b->m, 0, line, mshr, 15); }

// Runs the channel alone until it is empty; the ends of the data of all commands, in 1/1000 cycles.
static int run(Bench *b, int64_t *end, int room) {
    DramChannel *c = &b->m->channels[0];
    int n = 0;
    for (int64_t seen = c->bus_m; c->count;) {
        b->m->now++;
        dram_cycle(b->m, c);
        if (c->bus_m == seen) continue;
        assert_true(n < room);
        end[n++] = seen = c->bus_m;
        assert_true(b->m->now < 100000);
    }
    return n;
}

static void expect_steps(const int64_t *end, const int64_t *step, int n) {
    for (int i = 0; i < n; i++) {
        int64_t found = end[i + 1] - end[i];
        if (found < step[i] - 2 || found > step[i] + 2)
            fail_msg("step %d: %lld, expected %lld", i, (long long)found, (long long)step[i]);
    }
}

static void test_column_commands(void **state) {
    (void)state;
    Bench b;
    int64_t end[8], burst = 128 * 1000000ll / 42240;  // 3030: 4 clocks
    BENCH_OPEN(&b, "fermi", WHOLE, "dram.access=64", "dram.tccd=7");
    push(&b, LINE, READ);
    assert_int_equal(run(&b, end, 8), 2);
    // Seen one cycle after it arrived; activate, column, data of the first command.
    assert_in_range(end[0], 1000 + 2 * clocks(12) + burst / 2 - 2,
                    1000 + 2 * clocks(12) + burst / 2 + 2);
    expect_steps(end, (int64_t[]){clocks(7)}, 1);
    bench_close(&b);
    BENCH_OPEN(&b, "fermi", WHOLE, "dram.access=32");
    push(&b, LINE, READ);
    assert_int_equal(run(&b, end, 8), 4);
    expect_steps(end, (int64_t[]){clocks(2), clocks(2), clocks(2)}, 3);
    bench_close(&b);
    BENCH_OPEN(&b, "fermi", WHOLE);
    push(&b, LINE, READ);
    assert_int_equal(run(&b, end, 8), 1);
    assert_in_range(end[0], 1000 + 2 * clocks(12) + burst - 2, 1000 + 2 * clocks(12) + burst + 2);
    bench_close(&b);
}

static void test_bank_groups(void **state) {
    (void)state;
    Bench b;
    int64_t end[8], apart = clocks(3);
    BENCH_OPEN(&b, "fermi", WHOLE, GROUPS);
    push(&b, LINE, READ);
    push(&b, LINE + 1, READ);  // the same chunk: the same bank
    assert_int_equal(run(&b, end, 8), 4);
    expect_steps(end, (int64_t[]){apart, apart, apart}, 3);
    // Another group fills the gaps: the bus is never idle. Its bank is opened tRRD later: warm both
    // up first.
    push(&b, LINE + OTHER_GROUP, READ);
    run(&b, end, 8);
    push(&b, LINE, READ);
    push(&b, LINE + OTHER_GROUP, READ);
    assert_int_equal(run(&b, end, 8), 4);
    expect_steps(end, (int64_t[]){clocks(2), clocks(2), clocks(2)}, 3);
    bench_close(&b);
}

// Which banks lines go to: chunks alternate between two banks, whose groups differ.
static void test_group_of_lines(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", WHOLE, GROUPS);
    static const struct {
        uint32_t line;
        int bank;
    } AT[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 0}, {31, 1}, {32, 2}, {34, 3}, {OTHER_ROW, 0}};
    DramChannel *c = &b.m->channels[0];
    for (size_t i = 0; i < sizeof AT / sizeof *AT; i++) {
        push(&b, AT[i].line, WRITE);
        assert_int_equal(c->queue[c->count - 1].bank, AT[i].bank);
    }
    assert_int_equal(c->queue[0].row, 0);
    assert_int_equal(c->queue[8].row, 8);
    bench_close(&b);
}

// Read, write, read in open rows. From read to write data 2 clocks, from write to read data tCL +
// tCDLR = 17.
static void test_turnaround(void **state) {
    (void)state;
    static const struct {
        const char *sms;
        int stretch;
    } SHARE[] = {{"gpu.sms=6", 10}, {"gpu.sms=15", 25}};
    for (int i = 0; i < 2; i++) {
        Bench b;
        int64_t end[8];
        BENCH_OPEN(&b, "fermi", WHOLE, TURN, SHARE[i].sms);
        int64_t burst = 128 * 100000ll * SHARE[i].stretch / 42240;
        push(&b, LINE, READ);
        run(&b, end, 8);
        for (int k = 0; k < 3; k++) {
            int64_t before = b.m->channels[0].bus_m;
            push(&b, LINE + (uint32_t)k, k == 1 ? WRITE : READ);
            push(&b, LINE + (uint32_t)k + SAME_BANK, k == 1 ? WRITE : READ);
            assert_int_equal(run(&b, end + 1, 2), 2);
            int64_t idle = clocks(k == 1 ? 2 : k == 2 ? 17 : 0) * SHARE[i].stretch / 10;
            end[0] = before;
            if (k) expect_steps(end, (int64_t[]){idle + burst, burst}, 2);
            // the next are queued before the data end
            b.m->now = (b.m->channels[0].bus_m - 9000) / 1000;
        }
        assert_int_equal(COUNT(&b, DRAM_TURNAROUNDS), 2);
        bench_close(&b);
    }
}

// A late read finds the bus free: only tCDLR after the data of the write counts.
static void test_write_to_read_command(void **state) {
    (void)state;
    Bench b;
    int64_t end[4];
    BENCH_OPEN(&b, "fermi", WHOLE, "dram.twl=4", "dram.tcdlr=100");
    push(&b, LINE, WRITE);
    run(&b, end, 4);
    push(&b, LINE + 1, READ);
    run(&b, end + 1, 1);
    expect_steps(end, (int64_t[]){clocks(112) + 3030}, 1);
    bench_close(&b);
}

// An endless stream of reads cannot starve a write: after 4 x dram.queue younger ones the bus
// turns.
static void test_write_is_not_starved(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", WHOLE, TURN, "dram.queue=8");
    DramChannel *c = &b.m->channels[0];
    int64_t end[8];
    push(&b, LINE, READ);
    push(&b, LINE + 16, READ);  // of another bank
    run(&b, end, 8);
    push(&b, LINE + 17, READ);  // the bus carries reads
    push(&b, LINE, WRITE);
    int reads = 0;
    while (COUNT(&b, DRAM_TURNAROUNDS) == 0) {
        while (c->count < 8) push(&b, LINE + 16 + (uint32_t)(reads++ % 16), READ);
        b.m->now++;
        dram_cycle(b.m, c);
        assert_true(reads < 1000);
    }
    assert_in_range(reads, 4 * 8, 4 * 8 + 8);
    bench_close(&b);
}

// Rows of one bank in turn, each read once: activate, tRCD, column, tRTPL, precharge, tRP.
static void test_read_to_precharge(void **state) {
    (void)state;
    Bench b;
    int64_t end[8];
    BENCH_OPEN(&b, "fermi", WHOLE, "dram.trtpl=100");
    for (uint32_t i = 0; i < 3; i++) push(&b, LINE + i * 2 * 16 * 16 * 16, READ);
    assert_int_equal(run(&b, end, 8), 3);
    int64_t step = clocks(100) + 2 * clocks(12);
    // commands that wait for a time are given in the cycle that begins then
    for (int i = 0; i < 2; i++) assert_in_range(end[i + 1] - end[i], step - 3, step + 3);
    bench_close(&b);
}

// How much of the bus carries data, one SM on a whole channel. If reads are in order, bank groups
// cost nothing, because consecutive chunks are in two groups. With writes among the reads, a change
// of direction costs 9.5 clocks on average. The channel makes few changes: it stays with a
// direction while one of its requests is ready.
static double reached(Bench *b, int writes_of_4, int n) {
    DramChannel *c = &b->m->channels[0];
    int64_t start = b->m->now;
    for (int pushed = 0; pushed < n || c->count;) {
        while (pushed < n && c->count < b->cfg.dram_queue) {
            uint32_t line = LINE + (uint32_t)pushed;
            bool is_write = pushed / 2 % 4 < writes_of_4;
            push(b, is_write ? line + (1 << 16) : line, is_write ? WRITE : READ);
            pushed++;
        }
        b->m->now++;
        dram_cycle(b->m, c);
    }
    return n * 128.0 / 42.24 / (double)(b->m->now - start);
}

static void test_use_of_the_bus(void **state) {
    (void)state;
    static const struct {
        const char *twl;
        int writes, changes;
    } USE[] = {{"dram.twl=0", 0, 0},
               {"dram.twl=4", 0, 0},
               {"dram.twl=0", 1, 1000},
               {"dram.twl=4", 1, 100},
               {"dram.twl=4", 2, 100}};
    for (size_t i = 0; i < sizeof USE / sizeof *USE; i++) {
        Bench b;
        BENCH_OPEN(&b, "fermi", WHOLE, GROUPS, "dram.tcdlr=5", USE[i].twl);
        double used = reached(&b, USE[i].writes, 1000);
        int changes = COUNT(&b, DRAM_TURNAROUNDS);
        double most = b.cfg.dram_twl ? 4000 / (4000 + changes * 9.5) : 1;
        if (used > most || used < most - 0.09 || changes > USE[i].changes ||
            (USE[i].writes && !changes))
            fail_msg("%s, %d of 4 written: %.3f of the bus, at most %.3f; %d changes", USE[i].twl,
                     USE[i].writes, used, most, changes);
        bench_close(&b);
    }
}

static void test_unloaded_latency(void **state) {
    (void)state;
    static const char *const MACHINES[] = {"fermi", "fermi-caba", "kepler", "pascal"};
    static const char *const ACCESS[] = {"dram.access=32", "dram.access=64", "dram.access=128"};
    for (int i = 0; i < 12; i++) {
        Bench b;
        BENCH_OPEN(&b, MACHINES[i / 3], ACCESS[i % 3], "l1.sector=0", "dram.groups=4",
                   "dram.tccd=2", "dram.tccdl=9", TURN);
        MemRequest load = request(MEM_LOAD, 0x10000000, 4, 4);
        assert_int_equal(bench_alone(&b, load), b.cfg.dram_latency);
        mem_flush_l1(b.m, 0);
        assert_int_equal(bench_alone(&b, load), b.cfg.l2_latency);
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column_commands),       cmocka_unit_test(test_bank_groups),
        cmocka_unit_test(test_group_of_lines),        cmocka_unit_test(test_turnaround),
        cmocka_unit_test(test_write_to_read_command), cmocka_unit_test(test_write_is_not_starved),
        cmocka_unit_test(test_read_to_precharge),     cmocka_unit_test(test_use_of_the_bus),
        cmocka_unit_test(test_unloaded_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
