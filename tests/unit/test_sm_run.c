// SPDX-License-Identifier: Apache-2.0
// Small programs on the SM, with the retire check on: values, control flow, memory, barriers,
// atomics. Each is run on the default machine and on the one whose every capacity is 1 to 3. Labels
// are instruction numbers; BENCH_THREAD is instructions 0 to 4.
#include "sm_support.h"

static const char *const machines[] = {"fermi", "tiny"};
enum { MACHINES = 2 };

typedef void Check(Bench *b);

static void run_on_all(const char *text, uint32_t ctas, uint32_t threads, uint32_t n,
                       Check *check) {
    for (int m = 0; m < MACHINES; m++) {
        Bench b;
        bench_open(&b, machines[m], NULL);
        for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = i * 2654435761u;
        bench_run(&b, text, ctas, threads, n);
        check(&b);
        assert_true(gpu_retire_compared(b.gpu) > 0);
        bench_close(&b);
    }
}

static void check_ids(Bench *b) {
    for (uint32_t i = 0; i < 2000; i++) assert_int_equal(bench_out(b)[i], i);
    assert_int_equal(bench_out(b)[2000], 0);
    assert_int_equal(bench_count(b, CTR_CTAS), 20);
    assert_int_equal(bench_count(b, CTR_WARP_INSTS), 20 * 4 * 8);
    assert_int_equal(bench_count(b, CTR_THREAD_INSTS), 20 * 100 * 8);
}

static void test_thread_numbers(void **state) {
    (void)state;
    run_on_all(".kernel ids\n.regs 63\n" BENCH_THREAD BENCH_STORE("R0") "exit _\n", 20, 100, 0,
               check_ids);
}

// Instructions by their active lanes, at both ends of each of the four bins; lanes of arithmetic.
static void test_lane_bins(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 32; threads += threads % 8 ? 7 : 1) {
        Bench b;
        bench_open(&b, "fermi", NULL);
        bench_run(&b, ".kernel ids\n.regs 63\n" BENCH_THREAD BENCH_STORE("R0") "exit _\n", 3,
                  threads, 0);
        for (uint32_t bin = 0; bin < 4; bin++)
            assert_int_equal(bench_count(&b, CTR_LANES_8 + (CounterId)bin),
                             bin == (threads - 1) / 8 ? 3 * 8 : 0);
        assert_int_equal(bench_count(&b, CTR_ALU_LANES),
                         threads * (bench_count(&b, CTR_EXEC_SP) + bench_count(&b, CTR_EXEC_SFU)));
        assert_int_equal(bench_count(&b, CTR_EXEC_SP), 3 * 6);
        bench_close(&b);
    }
}

// Registers written again and again behind slow readers and slow writers.
static void check_hazards(Bench *b) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t r3 = i, r4, r5;
        for (int k = 0; k < 3; k++) {
            r4 = (r3 * 7u + i) / 3u;  // WAW after a slow divide, RAW on it
            r3 = r4 + 5;
            r5 = r3 * r4;
            r4 = i + 1;  // WAR on r4
            r3 = r5 ^ r4;
        }
        assert_int_equal(bench_out(b)[i], r3);
    }
}

static void test_hazards(void **state) {
    (void)state;
#define ROUND \
    "imad.lo.u32 R4, R3, 0x7, R0\n idiv.u32 R4, R4, 0x3\n iadd R3, R4, 0x5\n imul.lo.u32 R5, R3, " \
    "R4\n" \
    "iadd R4, R0, 0x1\n lop3.lut=0x3c R3, R5, R4, RZ\n"
    run_on_all(".kernel hazards\n.regs 63\n" BENCH_THREAD
               "mov R3, R0\n" ROUND ROUND ROUND BENCH_STORE("R3") "exit _\n",
               4, 64, 0, check_hazards);
}

// Write after read: one bank, so that the reader's third operand is read long after its issue, and
// a writer without operands behind it.
static void check_war(Bench *b) {
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(bench_out(b)[i], 5 * (i * 3 + i * 4) + 5 * 3);
}

static void test_war(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi",
               "rf.banks=1 rf.entries=1024 rf.write_ports=1 oc.collectors=32 exec.int.latency=1");
#define WAR \
    "sad.u32 R6, R3, R4, R5\n mov R5, 0x3\n iadd R7, R7, R6\n iadd R7, R7, R5\n imad.lo.u32 R5, " \
    "R0, 0x7, RZ\n"
    // R5 = 7 i before each round; R6 = |R3 - R4| + R5 = R5 as R3 = R4
    bench_run(&b,
              ".kernel war\n.regs 63\n" BENCH_THREAD "mov R3, 0x2\n mov R4, 0x2\n mov R7, 0x0\n"
              "imad.lo.u32 R5, R0, 0x7, RZ\n" WAR WAR WAR WAR WAR BENCH_STORE("R7") "exit _\n",
              2, 512, 0);
    check_war(&b);
    bench_close(&b);
}

// if (i & 1) { if (i & 2) x = 3 else x = 1 } else x = 100 + i; then x += i.
static void check_nested(Bench *b) {
    for (uint32_t i = 0; i < 320; i++) {
        uint32_t x = i & 1 ? (i & 2 ? 3 : 1) : 100 + i;
        assert_int_equal(bench_out(b)[i], x + i);
    }
    assert_int_equal(bench_count(b, CTR_DIVERGENT), 20);
}

static void test_divergence(void **state) {
    (void)state;
    run_on_all(".kernel nested\n.regs 63\n.preds 2\n" BENCH_THREAD
               "lop3.lut=0xc0 R3, R0, 0x1, RZ\n"   // 5
               "isetp.ne.and.u32 _|P0, R3, 0x0\n"  // 6
               "lop3.lut=0xc0 R4, R0, 0x2, RZ\n"   // 7
               "isetp.ne.and.u32 _|P1, R4, 0x0\n"  // 8
               "@P0 bra _, L12, L17\n"             // 9
               "iadd R5, R0, 0x64\n"               // 10
               "bra _, L17, L17\n"                 // 11
               "L12:\n@P1 bra _, L15, L17\n"       // 12
               "mov R5, 0x1\n"                     // 13
               "bra _, L17, L17\n"                 // 14
               "L15:\nmov R5, 0x3\n"               // 15
               "nop _\n"                           // 16
               "L17:\niadd R5, R5, R0\n" BENCH_STORE("R5") "exit _\n",
               5, 64, 0, check_nested);
}

// Lanes leave a loop one by one: x = sum of 1..i.
static void check_loop(Bench *b) {
    for (uint32_t i = 0; i < 96; i++) assert_int_equal(bench_out(b)[i], i * (i + 1) / 2);
}

static void test_loop(void **state) {
    (void)state;
    run_on_all(".kernel loop\n.regs 63\n.preds 1\n" BENCH_THREAD
               "mov R3, 0x0\n mov R4, 0x0\n"           // 5, 6
               "L7:\nisetp.ge.and.u32 _|P0, R3, R0\n"  // 7
               "@P0 bra _, L12, L12\n"                 // 8
               "iadd R3, R3, 0x1\n iadd R4, R4, R3\n"  // 9, 10
               "bra _, L7, L12\n"                      // 11
               "L12:\n" BENCH_STORE("R4") "exit _\n",
               3, 32, 0, check_loop);
}

// Odd lanes end early; the rest goes on.
static void check_exit(Bench *b) {
    for (uint32_t i = 0; i < 128; i++) assert_int_equal(bench_out(b)[i], i & 1 ? 0 : i + 7);
}

static void test_partial_exit(void **state) {
    (void)state;
    run_on_all(".kernel leave\n.regs 63\n.preds 1\n" BENCH_THREAD
               "lop3.lut=0xc0 R3, R0, 0x1, RZ\n isetp.ne.and.u32 _|P0, R3, 0x0\n"
               "@P0 exit _\n iadd R3, R0, 0x7\n" BENCH_STORE("R3") "exit _\n",
               2, 64, 0, check_exit);
}

// Odd lanes end inside one side of a branch: only the others reach the join.
static void test_exit_in_branch(void **state) {
    (void)state;
    run_on_all(".kernel gone\n.regs 63\n.preds 1\n" BENCH_THREAD
               "lop3.lut=0xc0 R3, R0, 0x1, RZ\n isetp.ne.and.u32 _|P0, R3, 0x0\n"  // 5, 6
               "@P0 bra _, L10, L11\n"                                             // 7
               "iadd R3, R0, 0x7\n"                                                // 8
               "bra _, L11, L11\n"                                                 // 9
               "L10:\n exit _\n"                                                   // 10
               "L11:\n" BENCH_STORE("R3") "exit _\n",
               2, 64, 0, check_exit);
}

// A predicate written on one side of a branch keeps its value in the other lanes.
static void check_kept(Bench *b) {
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], i % 32 < 8 ? 1 : 2);
}

static void test_predicate_in_branch(void **state) {
    (void)state;
    run_on_all(".kernel keep\n.regs 63\n.preds 2\n" BENCH_THREAD
               "s2r R3, %laneid\n isetp.ge.and.u32 "
               "_|P0, R3, 0x8\n isetp.ne.and.u32 _|P1, "
               "RZ, 0x1\n"                         // 5 6 7
               "@P0 bra _, L10, L10\n"             // 8
               "isetp.eq.and.u32 _|P1, RZ, 0x1\n"  // 9
               "L10:\n sel R4, 0x2, 0x1, {P1}\n" BENCH_STORE("R4") "exit _\n",
               2, 32, 0, check_kept);
}

// Two nested ifs inside a loop that lanes leave one by one use four stack entries, for any number
// of turns. These are one path per if, the loop, the rest of the program.
static void check_depth(Bench *b) {
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k <= i; k++)
            if ((k + i) & 1 && (k ^ i) & 2) sum += k;
        assert_int_equal(bench_out(b)[i], sum);
    }
}

static void test_stack_depth(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", "sm.simt_depth=4");
    bench_run(&b,
              ".kernel depth\n.regs 63\n.preds 3\n" BENCH_THREAD
              "mov R3, 0x0\n mov R4, 0x0\n"                                     // 5, 6
              "L7:\n iadd R5, R3, R0\n lop3.lut=0xc0 R5, R5, 0x1, RZ\n"         // 7, 8
              "isetp.eq.and.u32 _|P0, R5, 0x0\n @P0 bra _, L16, L16\n"          // 9, 10
              "lop3.lut=0x3c R6, R3, R0, RZ\n lop3.lut=0xc0 R6, R6, 0x2, RZ\n"  // 11, 12
              "isetp.eq.and.u32 _|P1, R6, 0x0\n @P1 bra _, L16, L16\n"          // 13, 14
              "iadd R4, R4, R3\n"                                               // 15
              "L16:\n iadd R3, R3, 0x1\n isetp.le.and.u32 _|P2, R3, R0\n"       // 16, 17
              "@P2 bra _, L7, L19\n"                                            // 18
              "L19:\n" BENCH_STORE("R4") "exit _\n",
              1, 32, 0);
    check_depth(&b);
    bench_close(&b);
}

// Branch table: x = (i % 4) case, four ways.
static void check_table(Bench *b) {
    const uint32_t value[4] = {10, 21, 32, 43};
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], value[i % 4]);
}

static void test_branch_table(void **state) {
    (void)state;
    run_on_all(".kernel table\n.regs 63\n.table L7 L9 L11 L13\n" BENCH_THREAD
               "lop3.lut=0xc0 R3, R0, 0x3, RZ\n"  // 5
               "brx _, R3, T0, L14\n"             // 6
               "L7:\nmov R4, 0xa\n bra _, L14, L14\n"
               "L9:\nmov R4, 0x15\n bra _, L14, L14\n"
               "L11:\nmov R4, 0x20\n bra _, L14, L14\n"
               "L13:\nmov R4, 0x2b\n"
               "L14:\n" BENCH_STORE("R4") "exit _\n",
               1, 64, 0, check_table);
}

// Reverse within the CTA through shared memory and a barrier.
static void check_reverse(Bench *b) {
    for (uint32_t c = 0; c < 6; c++)
        for (uint32_t t = 0; t < 192; t++)
            assert_int_equal(bench_out(b)[c * 192 + t], (c * 192 + 191 - t) * 2654435761u);
    assert_int_equal(bench_count(b, CTR_SHARED_ACCESSES), 6 * 6 * 2);
}

static void test_barrier(void **state) {
    (void)state;
    run_on_all(".kernel reverse\n.regs 63\n.shared 768\n.barriers 1\n" BENCH_THREAD
               "iadd R3, c[0][0x8], R1\n ld.global.b32.u32 R4, [R3]\n"
               "shl R5, R2, 0x2\n st.shared.b32 _, [R5], R4\n"
               "bar _, 0x0\n"
               "iadd R6, 0x2fc, -R5\n ld.shared.b32.u32 R7, [R6]\n" BENCH_STORE("R7") "exit _\n",
               6, 192, 0, check_reverse);
}

// Producer and consumer warps with named barriers: warps 0, 1 store and arrive, warps 2, 3 sync and
// read.
static void check_named(Bench *b) {
    for (uint32_t i = 64; i < 128; i++) assert_int_equal(bench_out(b)[i], i - 64 + 1000);
}

static void test_named_barrier(void **state) {
    (void)state;
    run_on_all(".kernel named\n.regs 63\n.preds 1\n.shared 256\n.barriers 4\n" BENCH_THREAD
               "isetp.lt.and.u32 _|P0, R2, 0x40\n"  // 5
               "@!P0 bra _, L11, L14\n"             // 6
               "iadd R3, R2, 0x3e8\n"               // 7
               "st.shared.b32 _, [R1], R3\n"        // 8
               "bar.mode=1 _, 0x3, 0x80\n"          // 9
               "exit _\n"                           // 10
               "L11:\nbar _, 0x3, 0x80\n"           // 11
               "ld.shared.b32.u32 R3, [R1-256]\n"   // 12
               "nop _\n"                            // 13
               "L14:\n" BENCH_STORE("R3") "exit _\n",
               1, 128, 0, check_named);
}

// A barrier does not wait for warps that have ended, whether they end before or after the others
// arrive.
static void check_survivors(Bench *b) {
    for (uint32_t i = 0; i < 256; i++) assert_int_equal(bench_out(b)[i], i / 32 % 2 ? 0 : i + 1);
}

static void test_barrier_after_exit(void **state) {
    (void)state;
    run_on_all(".kernel few\n.regs 63\n.preds 2\n.barriers 1\n" BENCH_THREAD
               "lop3.lut=0xc0 R3, R2, 0x20, RZ\n isetp.ne.and.u32 _|P0, R3, 0x0\n isetp.ge.and.u32 "
               "_|P1, R2, 0x80\n"
               "@P1 idiv.u32 R4, R0, 0x3\n @P1 iadd R4, R4, 0x1\n"  // late warps
               "@P0 exit _\n bar _, 0x0\n iadd R3, R0, 0x1\n" BENCH_STORE("R3") "exit _\n",
               1, 256, 0, check_survivors);
}

// Reduction over the CTA: count of threads with i % 3 == 0, and any / all.
static void check_reduce(Bench *b) {
    for (uint32_t i = 0; i < 96; i++) assert_int_equal(bench_out(b)[i], 32 + 1000);
}

static void test_barrier_reduction(void **state) {
    (void)state;
    run_on_all(".kernel count\n.regs 63\n.preds 2\n.barriers 1\n" BENCH_THREAD
               "idiv.u32.mode=1 R3, R0, 0x3\n isetp.eq.and.u32 _|P0, R3, 0x0\n"
               "bar.mode=2.atom=1 R4, 0x0, _, {P0}\n"    // add: popc
               "bar.mode=2.atom=7 _|P1, 0x0, _, {P0}\n"  // or
               "@P1 iadd R4, R4, 0x3e8\n"
               "bar.mode=2.atom=6 _|P1, 0x0, _, {P0}\n"  // and
               "@P1 iadd R4, R4, 0x2710\n" BENCH_STORE("R4") "exit _\n",
               1, 96, 0, check_reduce);
}

// All threads add to one word and to a word of their CTA; old values are a permutation.
static void check_atomics(Bench *b) {
    uint32_t *out = bench_out(b);
    uint8_t seen[256] = {0};
    for (uint32_t i = 0; i < 256; i++) {
        assert_true(out[i] < 256);
        assert_int_equal(seen[out[i]]++, 0);
    }
    assert_int_equal(out[1024], 256);
    for (uint32_t c = 0; c < 4; c++) assert_int_equal(out[1025 + c], 64 * 5);
}

static void test_atomics(void **state) {
    (void)state;
    run_on_all(".kernel adds\n.regs 63\n" BENCH_THREAD "mov R3, c[0][0x0]\n"
               "atom.add.global.b32.u32 R4, [R3+4096], 0x1\n"
               "s2r R5, %ctaid.x\n shl R5, R5, 0x2\n iadd R5, R5, R3\n"
               "atom.add.global.b32.u32 _, [R5+4100], 0x5\n" BENCH_STORE("R4") "exit _\n",
               4, 64, 0, check_atomics);
}

// A load of the same warp behind its atomics sees them; shared atomics return distinct values.
static void check_order(Bench *b) {
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], 32 + 64);
}

static void test_atomic_order(void **state) {
    (void)state;
    run_on_all(".kernel order\n.regs 63\n.shared 4\n.barriers 1\n" BENCH_THREAD
               "mov R3, c[0][0x0]\n lop3.lut=0xc0 R5, R1, 0xffffff80, RZ\n iadd R5, R5, R3\n"
               "atom.add.global.b32.u32 _, [R5+8192], 0x1\n"
               "ld.global.b32.u32 R4, [R5+8192]\n"  // a word per warp: 32
               "mov R6, 0x0\n"
               "atom.add.shared.b32.u32 R7, [R6], 0x1\n"
               "bar _, 0x0\n"
               "ld.shared.b32.u32 R8, [R6]\n iadd R4, R4, R8\n" BENCH_STORE("R4") "exit _\n",
               1, 64, 0, check_order);
}

// 128-bit copy with a two-register address: five distinct registers in the store, two
// micro-operations.
static void check_wide(Bench *b) {
    for (uint32_t i = 0; i < 128 * 4; i++) assert_int_equal(bench_out(b)[i], i * 2654435761u);
    // five instructions of one pass (stores of two are counted twice), and 128 threads in 4 warps
    assert_true(bench_count(b, CTR_UOPS) > bench_count(b, CTR_WARP_INSTS) - 8);
}

static void test_wide_access(void **state) {
    (void)state;
    run_on_all(".kernel wide\n.regs 63\n" BENCH_THREAD "shl R1, R0, 0x4\n"
               "iadd R4, c[0][0x8], R1\n mov R5, RZ\n ld.global.b128.u64 R8.128, [R4.64]\n"
               "iadd R6, c[0][0x0], R1\n mov R7, RZ\n st.global.b128 _, [R6.64], R8.128\n"
               "exit _\n",
               2, 64, 0, check_wide);
}

// Local memory: a[i % 4] = i through a register index, generic addresses, bytes.
static void check_local(Bench *b) {
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], i + (i & 0xff) * 2);
}

static void test_local_memory(void **state) {
    (void)state;
    run_on_all(".kernel frame\n.regs 63\n.local 32\n" BENCH_THREAD "lop3.lut=0xc0 R3, R1, 0xc, RZ\n"
               "st.local.b32 _, [R3], R0\n"
               "st.local.b8 _, [R3+17], R0\n"
               "ld.local.b32.u32 R4, [R3]\n"
               "iadd R5, R3, 0x2000000\n"  // generic window of local memory
               "ld.b8.u8 R6, [R5+17]\n"
               "ld.local.b32.u32 R7, [R3+16]\n shr.u32 R7, R7, 0x8\n"
               "iadd R4, R4, R6\n iadd R4, R4, R7\n" BENCH_STORE("R4") "exit _\n",
               2, 32, 0, check_local);
}

// One generic load whose lanes go to shared and to global memory.
static void check_mixed(Bench *b) {
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(bench_out(b)[i], i & 1 ? i * 2654435761u : i + 500);
}

static void test_mixed_spaces(void **state) {
    (void)state;
    run_on_all(".kernel mixed\n.regs 63\n.preds 1\n.shared 256\n.barriers 1\n" BENCH_THREAD
               "iadd R3, R0, 0x1f4\n st.shared.b32 _, [R1], R3\n bar _, 0x0\n"
               "lop3.lut=0xc0 R4, R0, 0x1, RZ\n isetp.ne.and.u32 _|P0, R4, 0x0\n"
               "iadd R5, R1, 0x1000000\n iadd R6, c[0][0x8], R1\n"
               "sel R5, R6, R5, {P0}\n ld.b32.u32 R7, [R5]\n" BENCH_STORE("R7") "exit _\n",
               1, 64, 0, check_mixed);
}

// Butterfly over the warp: every lane gets the sum of its warp.
static void check_shuffle(Bench *b) {
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], i < 32 ? 496 : 1520);
}

static void test_shuffle(void **state) {
    (void)state;
#define STEP(n) "shfl.mode=3 R4, R3, " n ", 0x1f\n iadd R3, R3, R4\n"
    run_on_all(".kernel sum\n.regs 63\n" BENCH_THREAD "mov R3, R0\n" STEP("0x10") STEP("0x8")
                   STEP("0x4") STEP("0x2") STEP("0x1") BENCH_STORE("R3") "exit _\n",
               1, 64, 0, check_shuffle);
}

// Ballot inside a divergent branch sees the lanes that are there.
static void check_vote(Bench *b) {
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(bench_out(b)[i], i < 8 ? 0x55 : 7);
}

static void test_vote(void **state) {
    (void)state;
    run_on_all(".kernel ballot\n.regs 63\n.preds 2\n" BENCH_THREAD
               "mov R3, 0x7\n isetp.ge.and.u32 _|P0, R0, 0x8\n"                    // 5, 6
               "lop3.lut=0xc0 R4, R0, 0x1, RZ\n isetp.eq.and.u32 _|P1, R4, 0x0\n"  // 7, 8
               "@P0 bra _, L11, L11\n"                                             // 9
               "vote.mode=4 R3, 0xffffffff, {P1}\n"                                // 10
               "L11:\n" BENCH_STORE("R3") "exit _\n",
               1, 32, 0, check_vote);
}

// ---- order of memory accesses: an old one with many operands, a young one that needs none and
// would be dispatched before it. One bank makes the old one later still. ----

static void run_one_bank(const char *text, uint32_t threads, Check *check) {
    Bench b;
    bench_open(&b, "fermi",
               "rf.banks=1 rf.entries=1024 rf.write_ports=1 oc.collectors=32 exec.int.latency=1");
    for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = i * 2654435761u;
    bench_run(&b, text, 1, threads, 0);
    check(&b);
    bench_close(&b);
}

// A store does not overtake a load, a load does not overtake a store.
static void check_in_order(Bench *b) {
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(bench_out(b)[i], 4 * 2654435761u + 77);
    assert_int_equal(bench_in(b)[4], 5);
}

static void test_memory_order(void **state) {
    (void)state;
    run_one_bank(
        ".kernel order\n.regs 63\n" BENCH_THREAD
        "mov R4, c[0][0x8]\n mov R5, RZ\n mov R6, c[0][0x0]\n mov R7, RZ\n"
        "mov R16, 0x4d\n mov R17, 0x0\n mov R18, 0x0\n mov R19, 0x0\n"
        "ld.global.b128.u64 R12.128, [R4.64+16]\n st.global.b32 _, [c[0][0x8]+16], 0x5\n"
        "st.global.b128 _, [R6.64+32768], R16.128\n ld.global.b32.u32 R20, [c[0][0x0]+32768]\n"
        "iadd R20, R20, R12\n" BENCH_STORE("R20") "exit _\n",
        32, check_in_order);
}

// A barrier does not open before the stores in front of it are performed: two warps, each reads
// from the other.
static void check_across(Bench *b) {
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(bench_out(b)[i], i < 32 ? 32 : 0);
}

static void test_stores_before_barrier(void **state) {
    (void)state;
    run_one_bank(
        ".kernel across\n.regs 63\n.preds 1\n.shared 1024\n.barriers 1\n" BENCH_THREAD
        "shl R3, R2, 0x4\n isetp.lt.and.u32 _|P0, R2, 0x20\n"
        "mov R4, R2\n mov R5, R2\n mov R6, R2\n mov R7, R2\n"
        "st.shared.b128 _, [R3], R4.128\n bar _, 0x0\n"
        "@P0 ld.shared.b32.u32 R8, [0x200]\n @!P0 ld.shared.b32.u32 R8, [0x0]\n" BENCH_STORE(
            "R8") "exit _\n",
        64, check_across);
}

// ... and not before the atomics are.
static void check_arrivals(Bench *b) {
    for (uint32_t i = 0; i < 128; i++) assert_int_equal(bench_out(b)[i], 128);
}

static void test_atomics_before_barrier(void **state) {
    (void)state;
    run_on_all(".kernel arrivals\n.regs 63\n.barriers 1\n" BENCH_THREAD
               "mov R3, c[0][0x0]\n atom.add.global.b32.u32 _, [R3+8192], 0x1\n bar _, 0x0\n"
               "ld.global.b32.u32 R4, [R3+8192]\n" BENCH_STORE("R4") "exit _\n",
               1, 128, 0, check_arrivals);
}

// membar waits until the store is performed; nanosleep only takes time.
static void check_fence(Bench *b) {
    for (uint32_t i = 0; i < 2000; i++) assert_int_equal(bench_out(b)[i], i);
    assert_true(bench_count(b, CTR_STALL_BARRIER) > 50);
}

static void test_membar(void **state) {
    (void)state;
    run_on_all(
        ".kernel fence\n.regs 63\n" BENCH_THREAD BENCH_STORE("R0") "membar.mode=1 _\n exit _\n", 20,
        100, 0, check_fence);
}

static void test_sleep(void **state) {
    (void)state;
    run_on_all(".kernel nap\n.regs 63\n" BENCH_THREAD BENCH_STORE(
                   "R0") "nanosleep _, 0x40\n nanosleep _, R0\n exit _\n",
               20, 100, 0, check_fence);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thread_numbers),
                                       cmocka_unit_test(test_lane_bins),
                                       cmocka_unit_test(test_hazards),
                                       cmocka_unit_test(test_war),
                                       cmocka_unit_test(test_divergence),
                                       cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_partial_exit),
                                       cmocka_unit_test(test_exit_in_branch),
                                       cmocka_unit_test(test_predicate_in_branch),
                                       cmocka_unit_test(test_stack_depth),
                                       cmocka_unit_test(test_barrier_after_exit),
                                       cmocka_unit_test(test_branch_table),
                                       cmocka_unit_test(test_barrier),
                                       cmocka_unit_test(test_named_barrier),
                                       cmocka_unit_test(test_barrier_reduction),
                                       cmocka_unit_test(test_atomics),
                                       cmocka_unit_test(test_atomic_order),
                                       cmocka_unit_test(test_wide_access),
                                       cmocka_unit_test(test_local_memory),
                                       cmocka_unit_test(test_mixed_spaces),
                                       cmocka_unit_test(test_shuffle),
                                       cmocka_unit_test(test_vote),
                                       cmocka_unit_test(test_membar),
                                       cmocka_unit_test(test_sleep),
                                       cmocka_unit_test(test_memory_order),
                                       cmocka_unit_test(test_stores_before_barrier),
                                       cmocka_unit_test(test_atomics_before_barrier)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
