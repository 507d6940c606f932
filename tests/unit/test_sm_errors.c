// SPDX-License-Identifier: Apache-2.0
// Kernels that go wrong: bad accesses, traps, deadlocks, endless loops. Each ends with its exit
// status and a message in the program's terms.
#include "sm_support.h"

static void expect_failure_on(const char *machine, const char *text, uint32_t ctas,
                              uint32_t threads, ExitStatus status, const char *const *says,
                              const GpuOptions *o) {
    Bench b;
    bench_config(&b, machine, NULL);
    bench_start(&b, o);
    assert_false(bench_try(&b, text, ctas, threads, 0, 0));
    if (b.d.status != status) fail_msg("status %d, expected %d: %s", b.d.status, status, b.d.text);
    for (; *says; says++)
        if (!strstr(b.d.text, *says)) fail_msg("`%s` does not say `%s`", b.d.text, *says);
    bench_close(&b);
}

#define SAYS(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

static void expect_failure(const char *text, uint32_t ctas, uint32_t threads, ExitStatus status,
                           const char *const *says) {
    GpuOptions o = {.max_cycles = 20000};
    expect_failure_on("fermi", text, ctas, threads, status, says, &o);
    expect_failure_on("tiny", text, ctas, threads, status, says, &o);
    o.check_retire = true;  // which agrees with the SM's behavior and leaves the verdict to it
    expect_failure_on("fermi", text, ctas, threads, status, says, &o);
}

static void test_out_of_bounds(void **state) {
    (void)state;
    // Thread 37 of CTA 2 stores one word behind the buffer.
    expect_failure(".kernel beyond\n.regs 63\n.preds 1\n" BENCH_THREAD
                   "isetp.eq.and.u32 _|P0, R0, 0xa5\n iadd R3, c[0][0x0], R1\n"
                   "@P0 iadd R3, c[0][0x0], 0x100000\n st.global.b32 _, [R3], R0\n exit _\n",
                   4, 64, EXIT_WRONG_RESULT,
                   SAYS("kernel beyond (instruction 8): store of 4 bytes by thread (37,0,0) of CTA "
                        "(2,0,0) at 0x",
                        "out"));
    expect_failure(".kernel high\n.regs 63\n" BENCH_THREAD
                   "mov R4, c[0][0x0]\n mov R5, 0x1\n ld.global.b32.u32 R6, [R4.64]\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT,
                   SAYS("load of 4 bytes by thread (0,0,0) of CTA (0,0,0) at 0x1"));
    expect_failure(".kernel shared\n.regs 63\n.shared 128\n" BENCH_THREAD
                   "st.shared.b32 _, [R1], R0\n exit _\n",
                   1, 64, EXIT_WRONG_RESULT,
                   SAYS("thread (32,0,0)", "at 0x80: beyond the 128 bytes of shared memory"));
    expect_failure(".kernel edge\n.regs 63\n.shared 126\n ld.shared.b32.u32 R0, [0x7c]\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT,
                   SAYS("at 0x7c: beyond the 126 bytes of shared memory"));
    expect_failure(".kernel frame\n.regs 63\n.local 16\n" BENCH_THREAD
                   "ld.local.b32.u32 R4, [R1]\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT,
                   SAYS("thread (4,0,0)", "at 0x10: beyond the 16 bytes of local memory"));
    expect_failure(".kernel red\n.regs 63\n" BENCH_THREAD "mov R3, 0x40\n"
                   "atom.add.global.b32.u32 _, [R3], 0x1\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT, SAYS("atomic of 4 bytes by thread (0,0,0)"));
    expect_failure(".kernel constant\n.regs 63\n" BENCH_THREAD
                   "ldc.b32.u32.bank=3 R4, [R1]\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT, SAYS("beyond the 0 bytes of constant memory"));
}

static void test_misaligned(void **state) {
    (void)state;
    expect_failure(".kernel odd\n.regs 63\n" BENCH_THREAD
                   "iadd R3, c[0][0x0], R0\n st.global.b32 _, [R3], R0\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT,
                   SAYS("thread (1,0,0) of CTA (0,0,0)", "not a multiple of 4"));
}

static void test_trap(void **state) {
    (void)state;
    expect_failure(".kernel t\n.regs 63\n.preds 1\n" BENCH_THREAD
                   "isetp.eq.and.u32 _|P0, R0, 0x7\n @P0 trap _\n exit _\n",
                   1, 32, EXIT_WRONG_RESULT, SAYS("trap by thread (7,0,0) of CTA (0,0,0)"));
    expect_failure(
        ".kernel table\n.regs 63\n.table L6\n" BENCH_THREAD "brx _, R0, T0, exit\nL6:\n exit _\n",
        1, 32, EXIT_WRONG_RESULT, SAYS("branch index 1 of thread (1,0,0)", "table of 1"));
}

static void test_barrier_deadlock(void **state) {
    (void)state;
    // Warp 0 waits at barrier 1, warp 1 at barrier 0.
    expect_failure(
        ".kernel dead\n.regs 63\n.preds 1\n.barriers 2\n" BENCH_THREAD
        "isetp.lt.and.u32 _|P0, R2, 0x20\n @P0 bra _, L9, L10\n bar _, 0x0\n bra _, L10, L10\n"
        "L9:\n bar _, 0x1\n"
        "L10:\n exit _\n",
        1, 64, EXIT_HANG,
        SAYS("barrier deadlock", "waits at barrier 0: 1 of 2 warps have arrived",
             "waits at barrier 1: 1 of 2 warps have arrived", "warp 1 of CTA (0,0,0)"));
    // More threads than the CTA sends to a counted barrier.
    expect_failure(".kernel few\n.regs 63\n.preds 1\n.barriers 1\n" BENCH_THREAD
                   "isetp.lt.and.u32 _|P0, R2, 0x20\n @P0 exit _\n bar _, 0x0, 0x40\n exit _\n",
                   1, 64, EXIT_HANG, SAYS("1 of 2 warps have arrived"));
    expect_failure(".kernel odd\n.regs 63\n.barriers 1\n bar _, 0x0, 0x21\n exit _\n", 1, 64,
                   EXIT_WRONG_RESULT, SAYS("thread count of 33"));
    expect_failure(".kernel which\n.regs 63\n.barriers 1\n mov R3, 0x10\n bar _, R3\n exit _\n", 1,
                   64, EXIT_WRONG_RESULT, SAYS("barrier number 16; barriers are 0 to 15"));
}

static void test_endless_loop(void **state) {
    (void)state;
    expect_failure(".kernel loop\n.regs 63\nL0:\n iadd R0, R0, 0x1\n bra _, L0, exit\n", 1, 64,
                   EXIT_HANG,
                   SAYS("kernel loop did not end within 20000 cycles", "0 of 1 CTAs", "warp 0"));
}

// A load that takes longer than the limit for progress: the message names the resource that each
// warp waits for.
static void test_no_progress(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", "run.progress_cycles=100 dram.latency=5000");
    assert_false(
        bench_try(&b,
                  ".kernel slow\n.regs 63\n" BENCH_THREAD "iadd R3, c[0][0x8], R1\n"
                  "ld.global.b32.u32 R4, [R3]\n iadd R4, R4, 0x1\n" BENCH_STORE("R4") "exit _\n",
                  1, 64, 0, 0));
    assert_int_equal(b.d.status, EXIT_HANG);
    const char *const says[] = {
        "kernel slow made no progress for 100 cycles", "0 of 1 CTAs done",
        "warp 1 (warp 1 of CTA (0,0,0), mask ffffffff) at pc 7 `iadd R4, R4, 0x1`",
        "waits for R4, result of pc 6 `ld.global.b32.u32 R4, [R3]`"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(b.d.text, says[i])) fail_msg("`%s` does not say `%s`", b.d.text, says[i]);
    bench_close(&b);
}

static void test_interrupt(void **state) {
    (void)state;
    static volatile const int stop = 1;
    GpuOptions o = {.stop = &stop};
    expect_failure_on("fermi", ".kernel loop\n.regs 63\nL0:\n iadd R0, R0, 0x1\n bra _, L0, exit\n",
                      1, 64, EXIT_INTERRUPTED, SAYS("interrupted", "kernel loop"), &o);
}

// Lanes leave one by one into deeper and deeper branches: more paths than the stack has entries.
static void test_simt_overflow(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", "sm.simt_depth=4");
    char text[4096] = ".kernel deep\n.regs 63\n.preds 1\n" BENCH_THREAD;
    int at = 5;
    for (int i = 0; i < 5; i++, at += 2) {
        char part[128];
        snprintf(part, sizeof part, "isetp.ge.and.u32 _|P0, R0, 0x%x\n @P0 bra _, L%d, L%d\n",
                 4 * (i + 1), at + 3, 40 - i);
        // the branch skips one instruction, so that both paths differ from the reconvergence point
        strcat(text, part);
        strcat(text, "nop _\n");
        at++;
        snprintf(part, sizeof part, "L%d:\n", at + 2);
        strcat(text, part);
    }
    for (; at < 45; at++) {
        char label[32];
        if (at >= 36 && at <= 40) {
            snprintf(label, sizeof label, "L%d:\n", at);
            strcat(text, label);
        }
        strcat(text, at == 44 ? "exit _\n" : "nop _\n");
    }
    assert_false(bench_try(&b, text, 1, 32, 0, 0));
    assert_int_equal(b.d.status, EXIT_USAGE);
    assert_non_null(strstr(b.d.text, "SIMT stack of 4 entries (sm.simt_depth)"));
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_bounds), cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_trap),          cmocka_unit_test(test_barrier_deadlock),
        cmocka_unit_test(test_endless_loop),  cmocka_unit_test(test_no_progress),
        cmocka_unit_test(test_interrupt),     cmocka_unit_test(test_simt_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
