// SPDX-License-Identifier: Apache-2.0
// P-mode on the SM: the traces of the paper's slides, guards and registers that change between two
// turns of a loop. Also the readings that are keys: the beginning of a session, the place of the
// stalled instruction, the cycles of the blocks.
#include "pmode_support.h"

// ---- the slides ----

// Stalled at the product; the branch splits the warp in two. The queue gets the comparison of all
// lanes, then the sum and the comparison of the lanes that go round again. The others keep R2 and
// P0.
static void test_divergent_loop(void **state) {
    static Run r;
    (void)state;
    start(
        &r, "",
        BEGIN
        "mov R6, 0x3\n iadd R2, R50, 0x10000\n isetp.lt.and.u32 _|P1, R0, 0x10\n "
        "iadd R5, R50, 0x1\n"          // 7 .. 10
        "@P1 iadd R5, R50, 0x10100\n"  // 11
        "L12:\n ld.global.b32.u32 R3, [R2]\n iadd R2, R2, 0x80\n imul.lo.u32 R6, R3, R6\n"  // 12 .. 14
        "isetp.lt.and.u32 _|P0, R2, R5\n @P0 bra _, L12, L17\n"  // 15, 16
        "L17:\n lop3.lut=0x3c R2, R2, R6, RZ\n" BENCH_STORE("R2") "exit _\n",
        1, 32);
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t r2 = r.b.in + 0x10000 + (l < 16 ? 0x100 : 0x80),
                       r6 = 16384u * 3 * (l < 16 ? 16384 + 32 : 1);
        assert_int_equal(bench_out(&r.b)[l], r2 ^ r6);
    }
    static const struct {
        int pc;
        bool pushed;
    } AHEAD[] = {{14, 0}, {15, 1}, {16, 0}, {12, 0}, {13, 1}, {14, 0}, {15, 1}};
    const int begins = find(&r, 0, 14 * 8, true);
    assert_true(begins > 0);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(r.step[begins + i].pc, AHEAD[i].pc * 8);
        assert_true(r.step[begins + i].ahead);
        assert_int_equal(r.step[begins + i].pushed, AHEAD[i].pushed);
    }
    assert_true(count(&r, CTR_PMODE_MERGED) >= 1);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 3);
    bench_close(&r.b);
}

// The skipped product reads R2 as it was, though P-mode has written and read R2.
static void test_old_value(void **state) {
    static Run r;
    (void)state;
    start(
        &r, "",
        BEGIN
        "mov R2, R0\n mov R4, 0x64\n mov R5, 0x3\n ld.global.b32.u32 R40, [R50+65536]\n"  // 7 .. 10
        "imul.lo.u32 R3, R2, R40\n iadd R2, R4, R5\n iadd R4, R2, R5\n iadd R3, R3, R2\n "
        "iadd R3, R3, R4\n"  // 11 .. 15
        BENCH_STORE("R3") "exit _\n",
        1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l * 16384 + 103 + 106);
    for (int pc = 12; pc <= 13; pc++) {
        assert_true(r.step[find(&r, 0, pc * 8, true)].pushed);
        assert_true(r.step[find(&r, 0, pc * 8, false)].given);
    }
    assert_false(r.step[find(&r, 0, 11 * 8, false)].given);
    bench_close(&r.b);
}

// ---- guards, and registers that P-mode does not know ----

// A guarded sum in two turns of a loop, off in one of them: only where it is on does the queue have
// it.
static void test_guard_by_turn(void **state) {
    static Run r;
    static const char *const ON[2] = {"isetp.eq.and.u32 _|P1, R10, 0x1",
                                      "isetp.eq.and.u32 _|P1, R10, 0x0"};
    (void)state;
    for (int first = 0; first < 2; first++) {
        char text[1024];
        snprintf(
            text, sizeof text, "%s%s%s",
            BEGIN "mov R10, 0x0\n mov R12, 0x0\n" STALL(65536) "L11:\n "
                                                               "",
            ON[first],  // 11
            "\n @P1 iadd R12, R12, 0x5\n iadd R10, R10, 0x1\n isetp.lt.and.u32 _|P0, R10, 0x2\n "
            "@P0 bra _, L11, L16\n"  // .. 15
            "L16:\n iadd R12, R12, R41\n" BENCH_STORE("R12") "exit _\n");
        start(&r, "", text, 1, 32);
        for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], 5 + 16385);
        int turn[2], again[2];
        turn[0] = find(&r, 0, 12 * 8, true);
        turn[1] = find(&r, turn[0] + 1, 12 * 8, true);
        again[0] = find(&r, turn[1] + 1, 12 * 8, false);
        again[1] = find(&r, again[0] + 1, 12 * 8, false);
        for (int i = 0; i < 2; i++) {
            const bool on = first ? i == 0 : i == 1;
            assert_true(turn[i] > 0 && again[i] > 0);
            assert_int_equal(r.step[turn[i]].pushed, on);
            assert_int_equal(r.step[again[i]].given, on);
        }
        bench_close(&r.b);
    }
}

// R10 is written where P-mode does not execute: out of reach, by a shared load behind a skipped
// store, by a pre-load. Its reader is skipped, and does not take the earlier value of R10.
static void test_unknown(void **state) {
    static Run r;
    static const struct {
        const char *text;
        CounterId why;
        uint32_t value;
    } CASE[] = {
        {BEGIN "mov R10, 0x64\n" STALL(
             65536) "bra _, L80, L80\n L11:\n iadd R11, R10, 0x1\n "
                    "iadd R11, R11, R41\n" BENCH_STORE(
                        "R11") "exit _\n" SOME_TIME SOME_TIME SOME_TIME SOME_TIME SOME_TIME
                               "nop _\n nop _\n nop _\n nop _\n"
                               "L80:\n mov R10, 0x7\n bra _, L11, L11\n",
         CTR_PMODE_SKIP_REACH, 8},
        {BEGIN "mov R10, 0x64\n st.shared.b32 _, [R1], R0\n mov R12, 0x9\n" STALL(
             65536) "st.shared.b32 _, [R1], R12\n"
                    "ld.shared.b32.u32 R10, [R1]\n iadd R11, R10, 0x1\n "
                    "iadd R11, R11, R41\n" BENCH_STORE("R11") "exit _\n",
         CTR_PMODE_SKIP_SHARED, 10},
        {BEGIN "mov R10, 0x64\n" STALL(
             65536) "ld.global.b32.u32 R10, [R50+131072]\n iadd R11, R10, 0x1\n "
                    "iadd R11, R11, R41\n" BENCH_STORE("R11") "exit _\n",
         CTR_PMODE_PRELOADS, 32769},
    };
    (void)state;
    for (int i = 0; i < 3; i++) {
        start(&r, "", CASE[i].text, 1, 32);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l], CASE[i].value + 16385);
        assert_true(count(&r, CASE[i].why) >= 1);
        assert_true(count(&r, CTR_PMODE_SKIP_LONG) >= 3);  // R41, and both sums
        bench_close(&r.b);
    }
}

// The words of a 64-bit load arrive one after the other: one session, nothing flushed.
static void test_two_words(void **state) {
    static Run r;
    (void)state;
    start(&r, "rf.write_ports=1 rf.banks=1 rf.entries=1024",
          BEGIN "ld.global.b64.u64 R42.64, [R50+65536]\n "
                "iadd R41, R42, R43\n"
                "iadd R10, R0, 0x1\n iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l + 1 + 16384 + 16385);
    assert_int_equal(count(&r, CTR_PMODE_SESSIONS), 1);
    assert_int_equal(count(&r, CTR_PMODE_RETARGETED), 1);
    assert_int_equal(count(&r, CTR_PMODE_FLUSHED), 0);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 2);
    bench_close(&r.b);
}

// A division of the first session is under way when the next one might begin: it waits.
static void test_slow_result_refuses(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "mov R3, 0x3\n ld.global.b32.u32 R42, [R50+256]\n iadd R46, R42, R50\n" SOME_TIME
                "ld.global.b32.u32 R40, [R50+256]\n ld.global.b32.u32 R44, [R46+65536]\n iadd R41, "
                "R40, 0x1\n "
                "iadd R45, R44, R41\n"
                "idiv.u32 R10, R0, R3\n iadd R11, R10, R45\n" BENCH_STORE("R11") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l / 3 + 65 + 16384 + 16);
    assert_true(count(&r, CTR_PMODE_SWITCH_WAITS) > 50);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 1);
    bench_close(&r.b);
}

// N-mode's load of R10 arrives while P-mode divides into an R10 of its own: P-mode's reader waits
// for the division.
static void test_other_meaning(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "mov R3, 0x3\n ld.global.b32.u32 R42, [R50+256]\n iadd R46, R42, R50\n" SOME_TIME
                "ld.global.b32.u32 R40, [R46+65536]\n ld.global.b32.u32 R10, [R50+256]\n iadd R41, "
                "R40, 0x1\n "
                "idiv.u32 R10, R0, R3\n"
                "iadd R11, R10, 0x1\n iadd R12, R11, R41\n" BENCH_STORE("R12") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l / 3 + 1 + 16401);
    assert_int_equal(count(&r, CTR_PMODE_SESSIONS), 2);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 3);  // R10, R11, R60
    bench_close(&r.b);
}

// The load is waited for in a branch that half of the lanes take. P-mode goes on behind it with the
// other half, and with all lanes where they meet.
static void test_inside_branch(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "isetp.ge.and.u32 _|P0, R0, 0x10\n mov R10, 0x64\n mov R12, 0x3\n "
                "@P0 bra _, L14, L17\n"                                        // 7 .. 10
                "iadd R10, R10, 0x1\n iadd R12, R12, 0x1\n bra _, L17, L17\n"  // 11 .. 13
                "L14:\n ld.global.b32.u32 R40, [R50+65536]\n iadd R10, R40, 0x1\n iadd R12, R12, "
                "0x2\n"  // 14 .. 16
                "L17:\n iadd R11, R0, 0x5\n iadd R12, R12, R11\n iadd R11, R12, R10\n" BENCH_STORE(
                    "R11") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(bench_out(&r.b)[l], l + 5 + (l < 16 ? 4 + 101 : 5 + 16385));
    const int begins = find(&r, 0, 15 * 8, true), all = find(&r, begins, 17 * 8, true);
    assert_true(begins > 0 && all > 0 && r.step[all].pushed);
    assert_true(r.step[find(&r, all, 17 * 8, false)].given);
    assert_true(r.step[find(&r, all, 18 * 8, false)].given);
    bench_close(&r.b);
}

// A comparison is under way at the switch: its reader in P-mode waits for it.
static void test_predicate_at_switch(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN
          "mov R10, 0x1\n ld.global.b32.u32 R40, [R50+65536]\n isetp.ge.and.u32 _|P0, R0, 0x10\n"
          "iadd R41, R40, 0x1\n @P0 mov R10, 0x2\n iadd R10, R10, R41\n" BENCH_STORE(
              "R10") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(bench_out(&r.b)[l], (l < 16 ? 1 : 2) + 16385);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 2);  // the move, R60
    bench_close(&r.b);
}

// An address that is an error: no lane is pre-loaded, and the error is N-mode's, when it reaches
// the load.
static void test_bad_pre_load(void **state) {
    static Run r;
    static const char *const ADDRESS[3] = {"mov R20, 0x0", "iadd R20, R50, 0x1",
                                           "mov R20, 0xfffffff0"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s", BEGIN, ADDRESS[i],
                 "\n" STALL(65536) "ld.global.b32.u32 R22, [R20]\n "
                                   "iadd R10, R22, R41\n" BENCH_STORE("R10") "exit _\n");
        open_run(&r, "fermi", "");
        assert_false(bench_try(&r.b, text, 1, 32, 0, 0));
        assert_true(r.b.d.status != EXIT_PASS && r.b.d.status != EXIT_MISMATCH);
        assert_int_equal(count(&r, CTR_PMODE_PRELOADS), 1);
        assert_int_equal(count(&r, CTR_L1_PREFETCH_MISSES), 0);
        bench_close(&r.b);
    }
}

// ---- readings ----

// A load that hits L1: with `miss` no session begins, with `load` one does; a load that misses
// begins one with both.
static void test_begin(void **state) {
    static Run r;
    static const struct {
        const char *sets;
        int hit, miss;
    } CASE[] = {{"", 2, 1}, {"pmode.begin=miss", 1, 1}};
    static const char head[] =
        BEGIN "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n" SOME_TIME;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1400];
        snprintf(text, sizeof text, "%s%s", head,
                 "ld.global.b32.u32 R40, [R50+256]\n iadd R41, R40, 0x1\n "
                 "iadd R10, R0, R41\n" BENCH_STORE("R10") "exit _\n");
        start(&r, CASE[i].sets, text, 1, 32);
        for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l + 65);
        assert_int_equal(count(&r, CTR_PMODE_SESSIONS), CASE[i].hit);
        bench_close(&r.b);
        start(&r, CASE[i].sets,
              BEGIN STALL(65536) "iadd R10, R0, R41\n" BENCH_STORE("R10") "exit _\n", 1, 32);
        assert_int_equal(count(&r, CTR_PMODE_SESSIONS), CASE[i].miss);
        bench_close(&r.b);
        // It missed once; the next load of the same register hits.
        start(&r, CASE[i].sets,
              BEGIN STALL(65536) "ld.global.b32.u32 R40, [R50+65536]\n "
                                 "iadd R10, R40, R41\n" BENCH_STORE("R10") "exit _\n",
              1, 32);
        assert_int_equal(count(&r, CTR_PMODE_SESSIONS), CASE[i].hit);
        bench_close(&r.b);
        // L2 returns an atomic's result, regardless of L1.
        start(&r, CASE[i].sets,
              BEGIN "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n" SOME_TIME
                    "atom.add.global.u32.b32 R40, [R50+256], R0\n iadd R41, R40, 0x1\n" BENCH_STORE(
                        "R41") "exit _\n",
              1, 32);
        assert_int_equal(count(&r, CTR_PMODE_SESSIONS), 2);
        bench_close(&r.b);
    }
}

// Cycle in which N-mode issues the stalled instruction, from the write of the load on that it waits
// for.
typedef struct Back {
    int pc;
    uint64_t written, issued;
} Back;

static void on_back_written(Sm *sm, void *self, const WordEvent *e) {
    Back *b = self;
    if (!pmode_of(sm, e->flight) && e->flight->inst->long_latency) b->written = sm->cycle;
}

static void on_back_issued(Sm *sm, void *self, const IssueEvent *e) {
    Back *b = self;
    if (inst_stream_is_own(sm, e->warp, e->stream) && (int)e->pc == b->pc) b->issued = sm->cycle;
}

static const Listener back_listener = {.written = on_back_written, .issued = on_back_issued};

// The stalled instruction issues when its load is written: held in that cycle, fetched two stages
// later. Later instructions are reused either way.
static void test_stalled(void **state) {
    static Run r;
    static const char text[] =
        BEGIN STALL(65536) "iadd R10, R0, 0x1\n iadd R11, R10, 0x2\n "
                           "iadd R11, R11, R41\n" BENCH_STORE("R11") "exit _\n";
    uint64_t after[2];
    (void)state;
    for (int held = 0; held < 2; held++) {
        Back b = {.pc = 8};
        start_heard(&r, held ? "pmode.stalled=held" : "", text, 1, 32, &back_listener, &b);
        for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l + 3 + 16385);
        assert_int_equal(count(&r, CTR_PMODE_REUSED), 3);
        assert_true(b.written && b.issued >= b.written);
        after[held] = b.issued - b.written;
        bench_close(&r.b);
    }
    assert_int_equal(after[1], 0);
    assert_int_equal(after[0], 2);
}

// Cycles in which a counter goes up: how often, and how often in two that follow each other.
typedef struct Pace {
    CounterId of;
    uint64_t seen, last;
    int n, close;
} Pace;

static void on_pace(Sm *sm, void *self, const CycleEvent *e) {
    Pace *p = self;
    const uint64_t now = sm->count->v[p->of];
    (void)e;
    if (now == p->seen) return;
    p->close += p->n++ && sm->cycle == p->last + 1;
    p->seen = now;
    p->last = sm->cycle;
}

static const Listener pace_listener = {.cycle_end = on_pace};

// Blocks of two cycles: no registers in two consecutive cycles, for any warp, and no two lookups of
// a warp. Entries that a session leaves in the tables delay the next one for longer.
static void test_block_cycles(void **state) {
    static Run r;
    static const char text[] =
        BEGIN STALL(65536) "iadd R10, R0, 0x1\n iadd R11, R0, 0x2\n iadd R12, R0, 0x3\n "
                           "iadd R13, R0, 0x4\n"
                           "iadd R14, R0, 0x5\n iadd R10, R10, R11\n iadd R12, R12, R13\n iadd "
                           "R10, R10, R12\n iadd R10, R10, R14\n "
                           "iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n";
    static const char again[] =
        BEGIN "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n "
              "ld.global.b32.u32 R40, [R50+256]\n"
              "ld.global.b32.u32 R44, [R50+65536]\n iadd R41, R40, 0x1\n iadd R10, R0, 0x1\n iadd "
              "R11, R0, 0x2\n "
              "iadd R12, R0, 0x3\n"
              "iadd R10, R10, R11\n iadd R10, R10, R12\n iadd R45, R44, R41\n "
              "iadd R10, R10, R45\n" BENCH_STORE("R10") "exit _\n";
    static const struct {
        CounterId of;
        uint32_t threads;
        int least;
    } WHAT[2] = {{CTR_PMODE_RENAMED, 256, 8}, {CTR_PMODE_REUSED, 32, 8}};
    uint64_t waits[3];
    (void)state;
    for (int cycles = 1; cycles <= 2; cycles++) {
        for (int i = 0; i < 2; i++) {
            Pace p = {.of = WHAT[i].of};
            start_heard(&r, cycles == 2 ? "blocks.registered=pmode" : "", text, 1, WHAT[i].threads,
                        &pace_listener, &p);
            for (uint32_t t = 0; t < WHAT[i].threads; t++)
                assert_int_equal(bench_out(&r.b)[t], 5 * t + 15 + 16385);
            assert_true(p.n >= WHAT[i].least);
            if (cycles == 2) assert_int_equal(p.close, 0);
            else assert_true(p.close > 0);
            bench_close(&r.b);
        }
        start(&r, cycles == 2 ? "pmode.queue=0 blocks.registered=pmode" : "pmode.queue=0", again, 1,
              32);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l], 3 * l + 6 + 65 + 16384);
        waits[cycles] = count(&r, CTR_PMODE_SWITCH_WAITS);
        bench_close(&r.b);
    }
    assert_true(waits[2] > waits[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_divergent_loop),
                                       cmocka_unit_test(test_old_value),
                                       cmocka_unit_test(test_guard_by_turn),
                                       cmocka_unit_test(test_unknown),
                                       cmocka_unit_test(test_two_words),
                                       cmocka_unit_test(test_slow_result_refuses),
                                       cmocka_unit_test(test_other_meaning),
                                       cmocka_unit_test(test_inside_branch),
                                       cmocka_unit_test(test_predicate_at_switch),
                                       cmocka_unit_test(test_bad_pre_load),
                                       cmocka_unit_test(test_begin),
                                       cmocka_unit_test(test_stalled),
                                       cmocka_unit_test(test_block_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
