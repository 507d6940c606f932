// SPDX-License-Identifier: Apache-2.0
// P-mode on the SM: the trace of the paper's Figure 5, column by column. The specification's corner
// cases that concern the SM, by counters of small programs and by their stores.
#include "pmode_support.h"
#include "systems/systems.h"

// ---- Figure 5: warp 0, all lanes, bank of Rr = r mod 4, stalled at 0x90 ----

#define FIGURE_5 \
    ".kernel k\n.regs 8\n.preds 1\n" \
    "mov R1, c[0][0x8]\n mov R5, c[0][0x8]\n mov R2, 0x0\n mov R6, c[0][0x8]\n iadd R6, R6, " \
    "0x300\n" \
    "iadd R7, RZ, -R6\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n nop _\n " \
    "nop _\n" \
    "L16:\n ld.global.b32.u32 R0, [R1]\n" /* 80 */ \
    "iadd R2, R2, 0x80\n"                 /* 88 */ \
    "imul.lo.u32 R3, R0, R2\n"            /* 90: the session's base */ \
    "iadd R1, R2, R5\n"                   /* 98: the next address */ \
    "iadd R4|P0, R1, R7\n"                /* A0: set.lt: no carry while R1 < R6 */ \
    "@!P0 bra _, L16, L22\n"              /* A8 */ \
    "L22:\n iadd R6, c[0][0x0], RZ\n st.global.b32 _, [R6], R3\n exit _\n"

static void expect_push(const Run *r, int at, int pc, int seq, int dst, int phy) {
    const Step *s = &r->step[at];
    if (at < 0 || s->pc != pc || !s->ahead || !s->pushed) fail_msg("expected a push at 0x%x", pc);
    assert_int_equal(s->seq, seq);
    assert_int_equal(s->offset, pc - 0x90);
    assert_int_equal(s->dst, dst);
    assert_int_equal(s->phy, phy);
}

static void test_figure_5(void **state) {
    static Run r;
    static const int AHEAD[] = {0x90, 0x98, 0xa0, 0xa8, 0x80, 0x88, 0x90};
    (void)state;
    open_run(&r, "fermi", "");
    r.base = 0x90;
    for (int i = 0; i < 0x400 / 4; i++) bench_in(&r.b)[i] = (uint32_t)i + 1;
    bench_run(&r.b, FIGURE_5, 1, 32, 0);
    const int begins = find(&r, 0, 0x90, true);
    assert_true(begins > 0);
    // N-mode had issued 80 and 88 when it stalled.
    assert_int_equal(r.step[begins - 1].pc, 0x88);
    assert_false(r.step[begins - 1].ahead);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(r.step[begins + i].pc, AHEAD[i]);
        assert_true(r.step[begins + i].ahead);
    }
    expect_push(&r, begins + 1, 0x98, 1, 1, 1);  // R1 = id 1: the same bank
    expect_push(&r, begins + 2, 0xa0, 2, 4, 0);  // R4 = id 0
    expect_push(&r, begins + 5, 0x88, 5, 2, 2);  // R2 = id 2
    const int none[] = {0, 3, 4, 6};             // skipped, stack only, pre-load, skipped
    for (int i = 0; i < 4; i++) assert_false(r.step[begins + none[i]].pushed);
    // The load is there: from the stalled instruction on, in program order.
    static const struct {
        int pc;
        bool given;
    } BACK[] = {{0x90, 0}, {0x98, 1}, {0xa0, 1}, {0xa8, 0}, {0x80, 0}, {0x88, 1}};
    int at = find(&r, begins, 0x90, false);
    for (int i = 0; i < 6; i++, at++) {
        assert_int_equal(r.step[at].pc, BACK[i].pc);
        assert_false(r.step[at].ahead);
        assert_int_equal(r.step[at].given, BACK[i].given);
    }
    // It waits for the second load: a session of its own, or the load was in time.
    assert_true(r.step[at].pc == 0x90);
    assert_int_equal(bench_out(&r.b)[0], bench_in(&r.b)[(0x300 - 0x80) / 4] * 0x300);
    bench_close(&r.b);
}

// ---- sessions of small programs ----

// An instruction is skipped in one turn of a loop, because its source is outstanding, and executed
// in the next one. The first turn must not take the result of the second.
static void test_turns(void **state) {
    static Run r;
    (void)state;
    start(&r, "l1.latency=40 pmode.preload=0",
          BEGIN "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n mov R10, 0x0\n mov R13, "
                "0x0\n"  // in L1 now
                "ld.global.b32.u32 R42, [R50+256]\n ld.global.b32.u32 R40, [R50+65536]\n"  // 11, 12
                "L13:\n iadd R41, R40, R10\n iadd R12, R42, R10\n iadd R10, R10, 0x1\n" SOME_TIME
                    SOME_TIME SOME_TIME  // 13, 14, 15
                "isetp.lt.and.u32 _|P0, R10, 0x4\n iadd R13, R13, R12\n @P0 bra _, L13, L55\n "
                "L55:\n" BENCH_STORE("R13") "exit _\n",
          1, 32);
    assert_int_equal(bench_out(&r.b)[5], 4 * 64 + 0 + 1 + 2 + 3);
    const int x = 14 * 8, in_p = find(&r, find(&r, 0, 12 * 8, false), x, true),
              again = find(&r, in_p + 1, x, true);
    assert_true(in_p > 0 && again > in_p);
    assert_false(r.step[in_p].pushed);
    assert_true(r.step[again].pushed);
    const int first = find(&r, in_p, x, false), second = find(&r, first + 1, x, false);
    assert_false(r.step[first].given);
    assert_true(r.step[second].given);
    bench_close(&r.b);
}

// Lanes that a pre-executed instruction does not write keep their values, under a guard and under a
// branch. If the old value is unknown, the instruction is skipped.
static void test_some_lanes(void **state) {
    static Run r;
    static const char text[] =
        BEGIN "s2r R3, %laneid\n isetp.ge.and.u32 _|P0, R3, 0x10\n mov R10, 0x64\n"  // 7, 8, 9
        // 10, 11
        STALL(65536) "@P0 mov R10, 0x7\n @P0 bra _, L16, L17\n iadd R10, R10, 0x1\n bra _, L17, "
                     "L17\n"                        // 12 .. 15
                     "L16:\n iadd R10, R10, 0x2\n"  // 16
                     "L17:\n @P0 iadd R41, R41, 0x1\n iadd R11, R10, R10\n iadd R11, R11, "
                     "R41\n" BENCH_STORE("R11") "exit _\n";
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        start(&r, skip ? "pmode.partial=skip" : "", text, 1, 32);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l], l < 16 ? 202 + 16385 : 18 + 16386);
        assert_int_equal(count(&r, CTR_PMODE_MERGED), skip ? 0 : 3);
        // the guarded move, R10 on both sides, R11, R60
        assert_int_equal(count(&r, CTR_PMODE_REUSED), skip ? 1 : 5);
        bench_close(&r.b);
    }
}

// A predicate that P-mode computes is N-mode's only when N-mode reaches it.
static void test_predicates(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "isetp.ge.and.u32 _|P0, R0, 0x8\n mov R10, 0x1\n" STALL(
              65536) "@P0 iadd R10, R41, 0x1\n isetp.ge.and.u32 _|P0, R0, 0x18\n mov R11, 0x1\n "
                     "@P0 mov R11, 0x2\n"
                     "iadd R10, R10, R11\n" BENCH_STORE("R10") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(bench_out(&r.b)[l], (l < 8 ? 1 : 16386) + (l < 24 ? 1 : 2));
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 4);  // the comparison, both moves, R60
    bench_close(&r.b);
}

// Behind a shared store that P-mode skips, or a barrier, shared loads are N-mode's; a load before
// them is reused.
static void test_shared(void **state) {
    static Run r;
    static const char before[] =
        BEGIN "st.shared.b32 _, [R1], R0\n" STALL(65536) "ld.shared.b32.u32 R10, [R1]\n";
    static const char after[] =
        "\n ld.shared.b32.u32 R11, [R1]\n iadd R12, R10, R11\n" BENCH_STORE("R12") "exit _\n";
    static const struct {
        const char *between;
        CounterId skip;
        int reused;
    } CASE[] = {{"nop _", CTR_PMODE_SESSIONS, 4},
                {"st.shared.b32 _, [R1], R50", CTR_PMODE_SKIP_STORE, 2},
                {"st.shared.b32 _, [R1], R41", CTR_PMODE_SKIP_STORE, 2},
                {"bar _, 0x0", CTR_PMODE_SKIP_BARRIER, 2},
                {"atom.add.shared.u32.b32 R14, [R1], R50", CTR_PMODE_SKIP_STORE, 2}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        char program[1024];
        snprintf(program, sizeof program, "%s%s%s", before, CASE[i].between, after);
        start(&r, "", program, 1, 32);
        const uint32_t in = r.b.in, add[] = {0, in, 16385, 0, in};
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l],
                             i == 0 || i == 3 ? 2 * l
                                 : i == 4     ? 2 * l + in
                                              : l + add[i]);
        assert_true(count(&r, CASE[i].skip) > 0);
        assert_int_equal(count(&r, CTR_PMODE_REUSED), CASE[i].reused);
        assert_int_equal(count(&r, CTR_PMODE_SKIP_SHARED), i ? 1 : 0);
        bench_close(&r.b);
    }
}

// One instruction waits for two loads: one session, for either order of arrival.
static void test_two_loads(void **state) {
    static Run r;
    (void)state;
    for (int order = 0; order < 2; order++) {
        const char *text = order
            ? BEGIN "ld.global.b32.u32 R42, [R50+65536]\n ld.global.b32.u32 R40, [R50+131072]\n "
                    "iadd R41, R40, R42\n iadd R10, R0, 0x1\n"
                    "iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n"
            : BEGIN "ld.global.b32.u32 R40, [R50+131072]\n ld.global.b32.u32 R42, [R50+65536]\n "
                    "iadd R41, R40, R42\n iadd R10, R0, 0x1\n"
                    "iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n";
        start(&r, "", text, 1, 32);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l], l + 1 + 16384 + 32768);
        assert_int_equal(count(&r, CTR_PMODE_SESSIONS), 1);
        assert_int_equal(count(&r, CTR_PMODE_FLUSHED), 0);
        assert_int_equal(count(&r, CTR_PMODE_REUSED), 2);
        bench_close(&r.b);
    }
}

// Branch and exit that depend on the load halt; an exit of some lanes, known, does not; N-mode has
// all lanes again.
static void test_halts(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN STALL(
              65536) "isetp.lt.and.u32 _|P0, R41, 0x10\n @P0 bra _, L12, L12\n iadd R10, R0, 0x1\n"
                     "L12:\n iadd R10, R0, 0x2\n" BENCH_STORE("R10") "exit _\n",
          1, 32);
    assert_int_equal(count(&r, CTR_PMODE_HALT_BRANCH), 1);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 0);
    assert_true(bench_count(&r.b, CTR_STALL_HALTED) > 100);
    bench_close(&r.b);
    start(&r, "",
          BEGIN "isetp.lt.and.u32 _|P0, R0, 0x10\n" STALL(65536) "iadd R10, R0, 0x1\n @P0 exit _\n "
                                                                 "iadd R10, R0, 0x2\n" BENCH_STORE(
                                                                     "R10") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l < 16 ? 0 : l + 2);
    assert_int_equal(count(&r, CTR_PMODE_HALT_END), 1);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 3);
    bench_close(&r.b);
}

// Pairs with their carry; a queue with one entry: an instruction without an entry runs and is not
// reused.
static void test_pairs(void **state) {
    static Run r;
    static const struct {
        const char *sets;
        int reused, unqueued;
    } CASE[] = {
        {"", 4, 0},
        {"pmode.queue=1", 1, 3},
        {"pmode.queue=2", 2, 2},
        {"pmode.queue=0", 0, 4},
        {"pmode.registers=1", 0, 0},  // the pair never gets its registers, and nothing passes it
    };
    (void)state;
    for (int i = 0; i < 5; i++) {
        start(&r, CASE[i].sets,
              BEGIN "mov R20, 0xffffffff\n mov R21, 0x5\n" STALL(
                  65536) "imad.wide.u32 R22.64, R20, R20, R20.64\n iadd R24|P1, R20, R22\n iadd.x "
                         "R25, R21, R23, {P1}\n"
                         "iadd R25, R25, R41\n" BENCH_STORE("R25") "exit _\n",
              1, 32);
        const uint64_t wide = 0xffffffffull * 0xffffffffull + 0x5ffffffffull;
        const uint32_t carry = (0xffffffffull + (uint32_t)wide) >> 32;
        assert_int_equal(bench_out(&r.b)[7], (uint32_t)(5 + (wide >> 32) + carry + 16385));
        assert_int_equal(count(&r, CTR_PMODE_REUSED), CASE[i].reused);
        assert_int_equal(count(&r, CTR_PMODE_UNQUEUED), CASE[i].unqueued);
        bench_close(&r.b);
    }
}

// A pre-load that would be an error is dropped, and nothing waits for one that is under way; none
// behind a fence.
static void test_pre_loads(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "mov R20, 0x3\n isetp.ge.and.u32 _|P0, R0, 0x40\n" STALL(
              65536) "@P0 exit _\n"
                     "ld.global.b32.u32 R22, [R50+131072]\n" BENCH_STORE(
                         "R22") "membar _\n ld.global.b32.u32 R23, [R50+196608]\n exit _\n",
          1, 32);
    assert_true(count(&r, CTR_PMODE_PRELOADS) >= 1);
    assert_true(count(&r, CTR_PMODE_SKIP_FENCE) >= 2);
    assert_int_equal(bench_out(&r.b)[3], 32768);
    bench_close(&r.b);
    // The address depends on the load, too: no pre-load.
    start(&r, "",
          BEGIN "mov R20, 0x3\n" STALL(
              65536) "isetp.lt.and.u32 _|P0, R41, 0x10\n @!P0 mov R20, R50\n"
                     "ld.global.b32.u32 R22, [R20]\n" BENCH_STORE("R22") "exit _\n",
          1, 32);
    assert_int_equal(bench_out(&r.b)[3], 0);
    bench_close(&r.b);
}

// All registers belong to warps: every counter is the baseline's.
static void test_no_pool(void **state) {
    static Run r;
    static Counters with;
    static const char text[] =
        BEGIN STALL(65536) "iadd R10, R0, 0x1\n iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n";
    (void)state;
    start(&r, "rf.entries=128", text, 64, 256);
    with = *gpu_counters(r.b.gpu);
    assert_int_equal(with.v[CTR_PMODE_SESSIONS], 0);
    bench_close(&r.b);
    Bench b;
    bench_open(&b, "fermi", "rf.entries=128");
    for (uint32_t i = 0; i < BENCH_BYTES / 4; i++) bench_in(&b)[i] = i;
    bench_run(&b, text, 64, 256, 0);
    for (int i = 0; i < CTR_COUNT; i++) assert_int_equal(with.v[i], gpu_counters(b.gpu)->v[i]);
    bench_close(&b);
}

// A barrier is passed in P-mode without arriving there: the others wait for N-mode.
static void test_barrier(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "isetp.ge.and.u32 _|P0, R0, 0x20\n @P0 bra _, L11, L11\n" STALL(
              65536) "L11:\n iadd R10, R0, 0x1\n"
                     "st.shared.b32 _, [R1], R10\n bar _, 0x0\n iadd R12, R0, 0x5\n lop3.lut=0x3c "
                     "R13, R1, 0x80, RZ\n ld.shared.b32.u32 R11, [R13]\n"
                     "iadd R11, R11, R12\n" BENCH_STORE("R11") "exit _\n",
          1, 256);
    for (uint32_t t = 0; t < 256; t++) assert_int_equal(bench_out(&r.b)[t], (t ^ 32) + 1 + t + 5);
    assert_int_equal(count(&r, CTR_PMODE_SKIP_BARRIER), 1);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 2);
    bench_close(&r.b);
}

// An indexed branch is taken in P-mode too, by lanes that go different ways; where its index is
// unknown it halts.
static void test_indexed_branch(void **state) {
    static Run r;
    static const char *const INDEX[2] = {"lop3.lut=0xc0 R10, R0, 0x3, RZ",
                                         "lop3.lut=0xc0 R10, R41, 0x3, RZ"};
    (void)state;
    for (int unknown = 0; unknown < 2; unknown++) {
        char text[1200];
        snprintf(text, sizeof text, "%s%s%s",
                 ".kernel k\n.regs 63\n.preds 4\n.table L11 L13 L15 L15\n" BENCH_THREAD
                 // 5 .. 9
                 "mov R50, c[0][0x8]\n mov R51, 0x0\n" STALL(65536),
                 INDEX[unknown],
                 "\n brx _, R10, T0, L16\n L11:\n iadd R11, R0, 0x64\n bra _, L16, L16\n L13:\n "
                 "iadd R11, R0, 0xc8\n bra _, L16, L16\n"
                 "L15:\n iadd R11, R0, 0x12c\n L16:\n iadd R12, R11, R41\n" BENCH_STORE(
                     "R12") "exit _\n");
        start(&r, "", text, 1, 32);
        static const uint32_t ADD[4] = {100, 200, 300, 300};
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(bench_out(&r.b)[l], l + ADD[unknown ? 16385 & 3 : l & 3] + 16385);
        assert_int_equal(count(&r, CTR_PMODE_HALT_BRANCH), unknown);
        // the index, R11 three times, R60
        assert_int_equal(count(&r, CTR_PMODE_REUSED), unknown ? 0 : 5);
        bench_close(&r.b);
    }
}

// Pre-loads for which L1 has no MSHR: with `drop` they are left out, and results are the same.
static void test_drop(void **state) {
    static Run r;
    static const char text[] = BEGIN STALL(
        65536) "ld.global.b32.u32 R20, [R50+131072]\n ld.global.b32.u32 R21, [R50+196608]\n"
               "ld.global.b32.u32 R22, [R50+262144]\n iadd R20, R20, R21\n iadd R20, R20, "
               "R22\n" BENCH_STORE("R20") "exit _\n";
    (void)state;
    for (int drop = 0; drop < 2; drop++) {
        start(&r, drop ? "l1.mshrs=1 pmode.preload_full=drop" : "l1.mshrs=1", text, 1, 32);
        assert_int_equal(bench_out(&r.b)[3], 32768 + 49152 + 65536);
        assert_int_equal(count(&r, CTR_L1_PREFETCHES_DROPPED), drop ? 3 : 0);
        bench_close(&r.b);
    }
}

// A register that is given up is not given out before its readers have it. One bank, and
// instructions of three operands: the read of R10 is still outstanding when R10 is renamed again
// and another result wants a register.
static void test_held_until_read(void **state) {
    static Run r;
    (void)state;
    start(&r, "rf.banks=1 rf.entries=1024 rf.write_ports=1 pmode.queue=0",
          BEGIN STALL(65536) "iadd R10, R0, 0x1\n" SOME_TIME SOME_TIME SOME_TIME
                             "imad.lo.u32 R20, R2, R3, R5\n imad.lo.u32 R21, R2, R3, R5\n "
                             "imad.lo.u32 R22, R2, R3, R5\n imad.lo.u32 R23, R2, R3, R5\n"
                             "imad.lo.u32 R24, R2, R3, R5\n imad.lo.u32 R12, R10, R3, R5\n "
                             "imad.lo.u32 R10, R2, R3, R5\n imad.lo.u32 R13, R2, R3, R5\n"
                             "imad.lo.u32 R14, R2, R3, R5\n iadd R10, R0, R41\n" BENCH_STORE(
                                 "R10") "exit _\n",
          1, 32);
    assert_true(count(&r, CTR_PMODE_UNQUEUED) >= 9);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l + 16385);
    bench_close(&r.b);
}

// A shared load behind a barrier that P-mode has passed is N-mode's: the other warp stores its word
// later.
static void test_barrier_passed(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN
          "isetp.ge.and.u32 _|P0, R0, 0x20\n @P0 bra _, L12, L61\n"                      // 7, 8
          "ld.global.b32.u32 R40, [R50+65536]\n iadd R41, R40, 0x1\n bra _, L61, L61\n"  // 9 .. 11
          "L12:\n" SOME_TIME SOME_TIME SOME_TIME SOME_TIME
          "st.shared.b32 _, [R1], R0\n"  // 12 .. 60
          "L61:\n bar _, 0x0\n lop3.lut=0x3c R13, R1, 0x80, RZ\n ld.shared.b32.u32 R11, [R13]\n "
          "iadd R12, R11, R0\n" BENCH_STORE("R12") "exit _\n",
          1, 64);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(bench_out(&r.b)[t], t + (t < 32 ? t + 32 : 0));
    assert_int_equal(count(&r, CTR_PMODE_SKIP_BARRIER), 1);
    assert_int_equal(count(&r, CTR_PMODE_SKIP_SHARED), 1);
    bench_close(&r.b);
}

// A comparison of some lanes keeps the predicate of the others: where that is unknown it is
// skipped.
static void test_old_predicate(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "isetp.ge.and.u32 _|P0, R0, 0x10\n" STALL(
              65536) "isetp.ge.and.u32 _|P1, R41, 0x10\n"
                     "@P0 isetp.lt.and.u32 _|P1, R0, 0x18\n mov R10, 0x1\n @P1 mov R10, "
                     "0x2\n" BENCH_STORE("R10") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l < 24 ? 2 : 1);
    assert_int_equal(count(&r, CTR_PMODE_SKIP_LONG), 4);  // R41, P1, P1 of some lanes, R10 of these
    bench_close(&r.b);
}

// A register that is mapped since the first session: N-mode writes half of its lanes, the next
// session reads it.
static void test_third_session(void **state) {
    static Run r;
    (void)state;
    start(
        &r, "",
        BEGIN "isetp.ge.and.u32 _|P0, R0, 0x10\n" STALL(
            65536) "iadd R10, R0, 0x7\n @P0 iadd R10, R41, R10\n"
                   "ld.global.b32.u32 R42, [R50+131072]\n iadd R43, R42, 0x1\n iadd R11, R10, R10\n"
                   "ld.global.b32.u32 R44, [R50+196608]\n iadd R45, R44, R43\n iadd R12, R11, "
                   "R10\n iadd R12, R12, R45\n" BENCH_STORE("R12") "exit _\n",
        1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(bench_out(&r.b)[l], 3 * (l + 7 + (l < 16 ? 0 : 16385)) + 49152 + 32769);
    assert_true(count(&r, CTR_PMODE_SESSIONS) >= 2);
    bench_close(&r.b);
}

// A session of an L1 hit ends while a division of it is under way: reuse waits for it.
static void test_slow_result(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "mov R3, 0x3\n ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n" SOME_TIME
                "ld.global.b32.u32 R40, [R50+256]\n iadd R41, R40, 0x1\n idiv.u32 R10, R0, R3\n "
                "iadd R11, R10, R41\n" BENCH_STORE("R11") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l / 3 + 65);
    assert_true(count(&r, CTR_PMODE_READY_WAITS) > 50);
    bench_close(&r.b);
}

// An older load of the destination is still outstanding when the result of P-mode is there.
static void test_older_write(void **state) {
    static Run r;
    (void)state;
    start(&r, "",
          BEGIN "ld.global.b32.u32 R42, [R50+256]\n iadd R42, R42, 0x0\n"
                "ld.global.b32.u32 R10, [R50+65536]\n ld.global.b32.u32 R40, [R50+256]\n iadd R41, "
                "R40, 0x1\n mov R10, 0x5\n"
                "iadd R11, R10, R41\n" BENCH_STORE("R11") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], 5 + 65);
    assert_true(count(&r, CTR_PMODE_REUSED) >= 1);
    bench_close(&r.b);
}

// 48 warps request more registers of the pool than there are; CTAs follow each other in one slot:
// all are released.
static void test_pool_empty(void **state) {
    static Run r;
    static const char text[] =
        ".kernel k\n.regs 16\n.preds 1\n" BENCH_THREAD "mov R8, c[0][0x8]\n mov R9, 0x0\n"
        "ld.global.b32.u32 R3, [R8+65536]\n iadd R4, R3, 0x1\n iadd R10, R0, 0x1\n iadd R11, R0, "
        "0x2\n iadd R12, R0, 0x3\n"
        "iadd R13, R0, 0x4\n ld.global.b32.u32 R5, [R8+131072]\n iadd R6, R5, R4\n iadd R10, R10, "
        "R11\n iadd R12, R12, R13\n"
        "iadd R10, R10, R12\n iadd R10, R10, R6\n iadd R14, c[0][0x0], R1\n st.global.b32 _, "
        "[R14], R10\n exit _\n";
    (void)state;
    for (int one = 0; one < 2; one++) {
        start(&r, one ? "sm.ctas=1" : "", text, 24, 256);
        for (uint32_t t = 0; t < 24 * 256; t++)
            assert_int_equal(bench_out(&r.b)[t], 4 * t + 10 + 16385 + 32768);
        assert_true(count(&r, CTR_PMODE_REUSED) > 100);
        bench_close(&r.b);
    }
}

// A queue of 8 and of 5 with ten results. The last instruction in reach of the stalled one and the
// first beyond. A session ends with instruction 255.
static void test_limits(void **state) {
    static Run r;
    static const struct {
        const char *sets;
        int reused, unqueued;
    } CASE[] = {{"", 8, 2}, {"pmode.queue=5", 5, 5}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        start(
            &r, CASE[i].sets,
            BEGIN STALL(65536) "iadd R10, R0, 0x1\n iadd R11, R0, 0x2\n iadd R12, R0, 0x3\n iadd "
                               "R13, R0, 0x4\n"
                               "iadd R14, R0, 0x5\n iadd R15, R0, 0x6\n iadd R16, R0, 0x7\n iadd "
                               "R17, R0, 0x8\n iadd R18, R17, R16\n" BENCH_STORE("R18") "exit _\n",
            1, 32);
        for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], 2 * l + 15);
        assert_int_equal(count(&r, CTR_PMODE_REUSED), CASE[i].reused);
        assert_int_equal(count(&r, CTR_PMODE_UNQUEUED), CASE[i].unqueued);
        bench_close(&r.b);
    }
    start(&r, "",
          BEGIN STALL(65536) SOME_TIME SOME_TIME SOME_TIME SOME_TIME SOME_TIME
          "nop _\n nop _\n"
          // 504, 512, 520 bytes away
          "iadd R10, R0, 0x1\n iadd R11, R10, 0x2\n" BENCH_STORE("R11") "exit _\n",
          1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(bench_out(&r.b)[l], l + 3);
    assert_int_equal(count(&r, CTR_PMODE_REUSED), 1);
    assert_int_equal(count(&r, CTR_PMODE_SKIP_REACH), 2);
    bench_close(&r.b);
    start(&r, "dram.latency=3000",
          BEGIN "mov R10, 0x0\n" STALL(
              65536) "L10:\n iadd R10, R10, 0x1\n isetp.lt.and.u32 _|P0, R10, 0xc8\n @P0 bra _, "
                     "L10, L13\n L13:\n iadd R10, R10, R41\n" BENCH_STORE("R10") "exit _\n",
          1, 32);
    assert_int_equal(bench_out(&r.b)[3], 200 + 16385);
    assert_int_equal(count(&r, CTR_PMODE_HALT_END), 1);
    assert_int_equal(count(&r, CTR_PMODE_TURNS), 84);  // branches among 255 instructions
    bench_close(&r.b);
}

// Warps in P-mode take turns, and none of them issues while a warp of the scheduler in N-mode can.
typedef struct Turns {
    int last, again, most, in_p, beside;
    uint64_t cycle;
} Turns;

static void on_turn(Sm *sm, void *self, const IssueEvent *e) {
    Turns *t = self;
    if (inst_stream_is_own(sm, e->warp, e->stream)) return;
    t->in_p++;
    t->again = e->warp == t->last && sm->cycle == t->cycle + 1 ? t->again + 1 : 0;
    if (t->again > t->most) t->most = t->again;
    t->last = e->warp;
    t->cycle = sm->cycle;
    t->beside += (sm->ready & ~sm->away) != 0;
}

static const Listener turn_listener = {.issued = on_turn};

static void test_turns_of_warps(void **state) {
    static Run r;
    static Turns t;
    static const char text[] = BEGIN STALL(65536) SOME_TIME SOME_TIME SOME_TIME
        "iadd R10, R0, R41\n" BENCH_STORE("R10") "exit _\n";
    (void)state;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    bench_config(&r.b, "fermi", "sm.schedulers=1 sm.ibuffer=8 sm.fetch_warps=4");
    if (!arch_parse("pmode", &r.arch, &r.b.d)) fail_msg("%s", r.b.d.text);
    bench_start(&r.b, &(GpuOptions){.check_retire = true, .arch = &r.arch});
    events_subscribe(r.b.gpu->sms, &turn_listener, &t);
    bench_run(&r.b, text, 1, 96, 0);
    assert_true(t.in_p >= 90);
    // only where the others' sessions have not begun or have nothing left
    assert_true(t.most <= 3);
    assert_int_equal(t.beside, 0);
    bench_close(&r.b);
}

// ---- the comparator: prefetches by stride ----

static uint64_t prefetches(const char *address) {
    static Run r;
    char text[1024];
    memset(&r, 0, sizeof r);
    bench_config(&r.b, "fermi", "");
    if (!arch_parse("direct-prefetch", &r.arch, &r.b.d)) fail_msg("%s", r.b.d.text);
    bench_start(&r.b, &(GpuOptions){.check_retire = true, .arch = &r.arch});
    snprintf(text, sizeof text, "%s%s%s", BEGIN "mov R10, 0x0\n mov R11, 0x0\n L9:\n ", address,
             "\n iadd R20, R50, R20\n ld.global.b32.u32 R21, [R20]\n iadd R11, R11, R21\n iadd "
             "R10, R10, 0x1\n"
             "isetp.lt.and.u32 _|P0, R10, 0x10\n @P0 bra _, L9, L17\n L17:\n" BENCH_STORE(
                 "R11") "exit _\n");
    bench_run(&r.b, text, 1, 32, 0);
    const uint64_t n = bench_count(&r.b, CTR_PREFETCHES);
    bench_close(&r.b);
    return n;
}

// 16 turns: the second gives the stride, the third and fourth are sure of it. Without a stride
// there is none.
static void test_prefetch(void **state) {
    (void)state;
    assert_int_equal(prefetches("shl R20, R10, 0x9\n nop _"), 13);
    assert_int_equal(prefetches("imad.lo.u32 R20, R10, R10, RZ\n shl R20, R20, 0x2"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_5),        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_some_lanes),      cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_shared),          cmocka_unit_test(test_two_loads),
        cmocka_unit_test(test_halts),           cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_pre_loads),       cmocka_unit_test(test_no_pool),
        cmocka_unit_test(test_barrier),         cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_indexed_branch),  cmocka_unit_test(test_drop),
        cmocka_unit_test(test_held_until_read), cmocka_unit_test(test_barrier_passed),
        cmocka_unit_test(test_old_predicate),   cmocka_unit_test(test_third_session),
        cmocka_unit_test(test_slow_result),     cmocka_unit_test(test_older_write),
        cmocka_unit_test(test_pool_empty),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_turns_of_warps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
