// SPDX-License-Identifier: Apache-2.0
// Owner warp first on the SM: how many CTAs share, registers that one warp has to its end, values
// in flight at that end. Also: partners that request them in opposite order, the order of
// scheduling, launches that share differently or not at all.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run {
    Bench b;
    Arch arch;
    uint64_t cycles;
    int ended[SM_MAX_WARPS], nended;
} Run;

static void warp_ended(void *ctx, uint64_t cycle, int warp) {
    Run *r = ctx;
    (void)cycle;
    if (r->nended < SM_MAX_WARPS) r->ended[r->nended++] = warp;
}

static void open_run(Run *r, const char *arch, const char *sets, uint64_t max_cycles) {
    static SmHooks hooks;
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    hooks = (SmHooks){.ctx = r, .warp_ended = warp_ended};
    bench_start(
        &r->b,
        &(GpuOptions){
            .check_retire = true, .arch = &r->arch, .max_cycles = max_cycles, .hooks = &hooks});
}

static void run(Run *r, const char *sets, const char *text, uint32_t ctas, uint32_t threads) {
    open_run(r, "owf", sets, 0);
    bench_run(&r->b, text, ctas, threads, 0);
    r->cycles = bench_count(&r->b, CTR_CYCLES);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }
static int fits(const Run *r) { return (int)gpu_kernel_info(r->b.gpu)->ctas_per_sm; }

// 24 registers of which 20 are a warp's own, room for 8 CTAs of one warp in four pairs.
#define SPLIT ".split 20 4 24\n"
#define FOUR_PAIRS "rf.entries=44 owf.pairs=all"
#define STORE(reg) "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], " reg "\n"

// The sum of 3 (thread + i) for i below 8, in a shared register.
#define HEAD ".kernel k\n .regs 24\n .preds 1\n"
#define BODY \
    BENCH_THREAD \
    "mov R3, 0x0\n mov R20, 0x0\n"                                 /* 5 6 */ \
    "L7:\n iadd R6, R0, R3\n iadd R7, R6, R6\n iadd R21, R7, R6\n" /* 7 8 9 */ \
    "iadd R20, R20, R21\n iadd R3, R3, 0x1\n"                      /* 10 11 */ \
    "isetp.lt.and.u32 _|P0, R3, 0x8\n @P0 bra _, L7, L14\n"        /* 12 13 */ \
    "L14:\n" STORE("R20") "exit _\n"
#define LOOP(split) HEAD split BODY

static void expect_sums(Run *r, uint32_t threads) {
    for (uint32_t t = 0; t < threads; t++) assert_int_equal(bench_out(&r->b)[t], 24 * t + 84);
}

// ---- how many CTAs ----

static void expect_ctas(const char *sets, const char *split, int ctas, int paired) {
    static Run r;
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", HEAD, split, BODY);
    run(&r, sets, text, (uint32_t)ctas, 32);
    assert_int_equal(fits(&r), ctas);
    assert_int_equal(count(&r, CTR_SHARED_TAKEN), paired);
    expect_sums(&r, (uint32_t)ctas * 32);
    bench_close(&r.b);
}

static void test_admission(void **state) {
    (void)state;
    expect_ctas("rf.entries=44", SPLIT, 8, 8);  // 176 rows: four pairs of 44
    // 172: eight would need five pairs, seven none
    expect_ctas("rf.entries=43", SPLIT, 7, 0);
    expect_ctas("rf.entries=43 owf.pairs=all", SPLIT, 7, 6);
    expect_ctas("rf.entries=41", SPLIT, 7, 2);  // 164: 44 and five times 24
    // 160: twice 44 and three times 24: five need not wait
    expect_ctas("rf.entries=40", SPLIT, 7, 4);
    expect_ctas("rf.entries=40 owf.pairs=kept", SPLIT, 6, 0);  // .. but six without pairs
    expect_ctas("rf.entries=65 sm.ctas=16 owf.pairs=kept", SPLIT, 11, 2);
    expect_ctas("rf.entries=48", SPLIT, 8, 0);
}

static void test_too_few_rows(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "owf", "rf.entries=16", 0);
    assert_false(bench_try(&r.b, LOOP(SPLIT), 4, 96, 0, 0));  // three warps of 24: 72 rows, of 64
    assert_int_equal(r.b.d.status, EXIT_USAGE);
    assert_non_null(
        strstr(r.b.d.text, "it requires 72 warp registers, the SM has 64 warp registers"));
    bench_close(&r.b);
}

// ---- shared registers ----

static void test_kept_to_the_end(void **state) {
    static const char *const policies[] = {"gto", "lrr", "two-level"};
    static Run r;
    (void)state;
    for (int i = 0; i < 3; i++) {
        char sets[128];
        snprintf(sets, sizeof sets, FOUR_PAIRS " sm.scheduler=%s sm.active_warps=2", policies[i]);
        run(&r, sets, LOOP(SPLIT), 32, 32);
        expect_sums(&r, 32 * 32);
        assert_int_equal(count(&r, CTR_SHARED_TAKEN), 32);
        assert_true(count(&r, CTR_STALL_SECTION) > 0);
        assert_int_equal(count(&r, CTR_SHARED_TAKEN_BEHIND),
                         0);  // of one warp: who ends makes the other CTA the owner
        // Four warps at most have them, each for as long as its loop takes at least.
        assert_in_range(count(&r, CTR_SHARED_CYCLES), 32 * 8 * 7, 4 * r.cycles);
        bench_close(&r.b);
    }
    run(&r, "rf.entries=48 owf.pairs=all", LOOP(".split 1 23 24\n"), 32, 32);
    expect_sums(&r, 32 * 32);
    bench_close(&r.b);
}

// The first instruction that names a shared register reads it. Micro-operations go to the
// collectors as they issue, or a cycle later. The instruction finds the partner's last values, and
// the retire check agrees.
static void test_read_first(void **state) {
    static const char *const sets[] = {FOUR_PAIRS, FOUR_PAIRS " oc.entry=0"};
    static Run r;
    (void)state;
    for (int i = 0; i < 2; i++) {
        run(&r, sets[i],
            ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD
            "iadd R4, R20, RZ\n iadd R20, R0, 0x64\n" STORE("R4") "exit _\n",
            32, 32);
        assert_int_equal(count(&r, CTR_SHARED_TAKEN), 32);
        int left = 0;
        for (uint32_t t = 0; t < 32 * 32; t++) left += bench_out(&r.b)[t] != 0;
        assert_int_equal(left, 28 * 32);  // of all but the first of each of four pairs
        bench_close(&r.b);
    }
}

// An instruction that is switched off in all lanes takes them as well.
static void test_guard_off(void **state) {
    static Run r;
    (void)state;
    run(&r, FOUR_PAIRS,
        ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD "@!PT mov R20, 0x1\n" STORE("R0") "exit _\n",
        16, 32);
    for (uint32_t t = 0; t < 16 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t);
    assert_int_equal(count(&r, CTR_SHARED_TAKEN), 16);
    bench_close(&r.b);
}

// A load that is never read is in flight when the warp exits. If its registers went to the partner
// then, the load would overwrite a value that the partner keeps for a while.
static void test_load_in_flight_at_exit(void **state) {
    static Run r;
    (void)state;
    run(&r, FOUR_PAIRS,
        ".kernel k\n .regs 24\n .preds 1\n" SPLIT BENCH_THREAD
        "iadd R21, R0, 0x9\n mov R3, 0x0\n"  // 5 6
        "L7:\n iadd R3, R3, 0x1\n isetp.lt.and.u32 _|P0, R3, 0x60\n @P0 bra _, L7, L10\n"
        "L10:\n iadd R4, R21, RZ\n" STORE(
            "R4") "iadd R6, c[0][0x8], R1\n ld.global.b32 R21, [R6]\n exit _\n",
        24, 32);
    for (uint32_t t = 0; t < 24 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 9);
    bench_close(&r.b);
}

// Both warps of two CTAs, in opposite order, with barriers between: had each the registers of
// another pair, none would end.
static void test_opposite_order(void **state) {
    static Run r;
    (void)state;
    for (int schedulers = 1; schedulers <= 2; schedulers++) {
        run(&r,
            schedulers == 1 ? "rf.entries=22 owf.pairs=all sm.ctas=2 sm.schedulers=1"
                            : "rf.entries=22 owf.pairs=all sm.ctas=2",
            ".kernel k\n .regs 24\n .preds 1\n .barriers 1\n" SPLIT BENCH_THREAD
            "s2r R3, %ctaid.x\n lop3.lut=0xc0 R3, R3, 0x1, RZ\n shr.u32 R4, R2, 0x5\n"  // 5 6 7
            "isetp.eq.and.u32 _|P0, R3, R4\n mov R6, 0x0\n"                             // 8 9
            "@!P0 bra _, L12, L12\n mov R20, R0\n L12:\n bar _, 0x0\n"                  // 10 11 12
            "@P0 bra _, L15, L15\n mov R20, R0\n L15:\n bar _, 0x0\n"                   // 13 14 15
            "iadd R6, R20, R0\n" STORE("R6") "exit _\n",
            8, 64);
        for (uint32_t t = 0; t < 8 * 64; t++) assert_int_equal(bench_out(&r.b)[t], 2 * t);
        assert_int_equal(count(&r, CTR_SHARED_TAKEN), 16);
        assert_true(count(&r, CTR_STALL_SECTION) > 0);
        bench_close(&r.b);
    }
}

// Warps of the other CTA take the registers that their partners have left while the owner CTA
// continues.
static void test_behind_the_owner(void **state) {
    static Run r;
    (void)state;
    run(&r, "rf.entries=66 owf.pairs=all sm.ctas=2",
        ".kernel k\n .regs 24\n .preds 1\n" SPLIT BENCH_THREAD
        "mov R20, R0\n shr.u32 R3, R2, 0x5\n shl.u32 R3, R3, 0x5\n"  // 5 6 7
        "L8:\n iadd R3, R3, 0xffffffff\n isetp.gt.and.s32 _|P0, R3, RZ\n @P0 bra _, L8, L11\n"
        "L11:\n" STORE("R20") "exit _\n",
        8, 192);
    for (uint32_t t = 0; t < 8 * 192; t++) assert_int_equal(bench_out(&r.b)[t], t);
    assert_int_equal(count(&r, CTR_SHARED_TAKEN), 8 * 6);
    assert_in_range(count(&r, CTR_SHARED_TAKEN_BEHIND), 6, 8 * 6 - 6);
    bench_close(&r.b);
}

// Partners on two schedulers are picked in one cycle; one of them loses its slot and waits.
static void test_same_cycle(void **state) {
    static Run r;
    (void)state;
    uint64_t refused = 0;
    for (int later = 0; later < 12; later++) {  // instructions that even CTAs have before
        char text[2048], delay[256] = "";
        for (int i = 0; i < later; i++) strcat(delay, "mov R6, R6\n ");
        snprintf(
            text, sizeof text, "%s%s%s@P0 bra _, L%d, L%d\n %sL%d:\n iadd R20, R0, RZ\n%s", HEAD,
            SPLIT BENCH_THREAD,
            // 5 6 7
            "s2r R3, %ctaid.x\n lop3.lut=0xc0 R3, R3, 0x1, RZ\n isetp.ne.and.u32 _|P0, R3, RZ\n",
            9 + later, 9 + later, delay, 9 + later, STORE("R20") "exit _\n");
        run(&r, FOUR_PAIRS, text, 8, 32);
        for (uint32_t t = 0; t < 8 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t);
        assert_int_equal(count(&r, CTR_SHARED_TAKEN), 8);
        refused += count(&r, CTR_SHARED_REFUSED);
        bench_close(&r.b);
    }
    assert_in_range(refused, 1, 12 * 4);
}

// ---- who goes first ----

#define WORK \
    "mov R2, 0x1\n mov R3, 0x1\n mov R4, 0x1\n mov R6, 0x1\n mov R7, 0x1\n mov R8, 0x1\n mov R9, " \
    "0x1\n mov R10, 0x1\n" \
    "mov R11, 0x1\n mov R12, 0x1\n mov R13, 0x1\n mov R14, 0x1\n mov R15, 0x1\n mov R16, 0x1\n " \
    "mov R17, 0x1\n"

static void expect_ends(const char *sets, const char *text, int n, const int ctas[]) {
    static Run r;
    run(&r, sets, text, (uint32_t)n, 96);
    assert_int_equal(r.nended, 3 * n);
    for (int i = 0; i < 3 * n; i++) assert_int_equal(r.ended[i] / 3, ctas[i / 3]);
    assert_int_equal(count(&r, CTR_SHARED_TAKEN), 3);
    bench_close(&r.b);
}

static void test_owners_first(void **state) {
    // 204 rows, 132 and 72: CTA 1 takes the registers, CTA 0 never asks for them, CTA 2 has no
    // partner.
    static const char *const three = "rf.entries=51 sm.ctas=3 sm.schedulers=1";
    (void)state;
    // All have as much to do, and one CTA keeps the scheduler busy. With the end of CTA 1, CTA 0
    // becomes the owner.
    expect_ends(
        three,
        HEAD SPLIT
        "s2r R0, %ctaid.x\n isetp.eq.and.u32 _|P0, R0, 0x1\n mov R1, 0x0\n @!P0 bra _, L5, L5\n"
        "mov R20, 0x1\n L5:\n" WORK                                                  // 4 .. 19
        "iadd R1, R1, 0x1\n isetp.lt.and.u32 _|P0, R1, 0x60\n @P0 bra _, L5, L23\n"  // 20 21 22
        "L23:\n exit _\n",
        3, (const int[]){1, 0, 2});
    // CTA 3 takes the registers; the pair of CTAs 0 and 1 has no owner.
    expect_ends(
        "rf.entries=66 sm.ctas=4 sm.schedulers=1 sm.scheduler=lrr owf.pairs=all",
        HEAD SPLIT
        "s2r R0, %ctaid.x\n isetp.eq.and.u32 _|P0, R0, 0x3\n mov R1, 0x0\n @!P0 bra _, L5, L5\n"
        "mov R20, 0x1\n L5:\n" WORK                                                  // 4 .. 19
        "iadd R1, R1, 0x1\n isetp.lt.and.u32 _|P0, R1, 0x60\n @P0 bra _, L5, L23\n"  // 20 21 22
        "L23:\n exit _\n",
        4, (const int[]){3, 2, 0, 1});
    // CTA 1 leaves slots for others to the end: first for CTA 2.
    expect_ends(
        three,
        HEAD SPLIT
        "s2r R0, %ctaid.x\n isetp.eq.and.u32 _|P0, R0, 0x1\n mov R1, 0x0\n @!P0 bra _, L8, L8\n"
        "L4:\n iadd R20, R20, 0x1\n iadd R1, R1, 0x1\n isetp.lt.and.u32 _|P0, R1, 0x1000\n @P0 bra "
        "_, L4, L8\n"
        "L8:\n" WORK
        "iadd R1, R1, 0x1\n isetp.lt.and.u32 _|P0, R1, 0x60\n @P0 bra _, L8, L26\n"  // 23 24 25
        "L26:\n exit _\n",
        3, (const int[]){2, 0, 1});
}

// ---- launches ----

static void test_two_splits(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "owf", "rf.entries=41", 0);
    for (int i = 0; i < 2; i++) {
        bench_run(&r.b, LOOP(SPLIT), 16, 32, 0);
        expect_sums(&r, 16 * 32);
        assert_int_equal(fits(&r), 7);
        memset(bench_out(&r.b), 0, 4096);
        bench_run(&r.b, LOOP(".split 12 12 24\n"), 16, 64, 0);
        expect_sums(&r, 16 * 64);
        assert_int_equal(fits(&r), 4);
        memset(bench_out(&r.b), 0, 4096);
        bench_run(&r.b, LOOP(""), 16, 32, 0);
        expect_sums(&r, 16 * 32);
        assert_int_equal(fits(&r), 6);
        memset(bench_out(&r.b), 0, 4096);
    }
    bench_close(&r.b);
}

// Where the CTAs fit, or nothing is split, all is as in the baseline.
static void test_not_shared(void **state) {
    static const char *const archs[] = {"baseline", "owf", "owf"},
                             *const splits[] = {"", "", SPLIT};
    static Run r[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", HEAD, splits[i], BODY);
        open_run(&r[i], archs[i], "", 0);
        bench_run(&r[i].b, text, 20, 96, 0);
        expect_sums(&r[i], 20 * 96);
    }
    for (int i = 1; i < 3; i++) {
        for (int c = 0; c < CTR_COUNT; c++)
            assert_int_equal(count(&r[0], (CounterId)c), count(&r[i], (CounterId)c));
        assert_memory_equal(gpu_counters(r[0].b.gpu)->bank_reads,
                            gpu_counters(r[i].b.gpu)->bank_reads,
                            sizeof gpu_counters(r[0].b.gpu)->bank_reads);
    }
    for (int i = 0; i < 3; i++) bench_close(&r[i].b);
}

// Blocks that take every clock edge show the same outputs as blocks that are skipped while no
// request arrives.
static void test_idle(void **state) {
    static Run r[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        memset(&r[i], 0, sizeof r[i]);
        bench_config(&r[i].b, "fermi", FOUR_PAIRS);
        assert_true(arch_parse("owf", &r[i].arch, &r[i].b.d));
        bench_start(&r[i].b,
                    &(GpuOptions){.check_retire = true,
                                  .arch = &r[i].arch,
                                  .idle = i ? GPU_IDLE_CLOCK : GPU_IDLE_CLOCK_RTL});
        bench_run(&r[i].b, LOOP(SPLIT), 32, 32, 0);
        expect_sums(&r[i], 32 * 32);
    }
    for (int c = 0; c < CTR_COUNT; c++)
        assert_int_equal(count(&r[0], (CounterId)c), count(&r[1], (CounterId)c));
    for (int i = 0; i < 2; i++) bench_close(&r[i].b);
}

// ---- what goes wrong ----

// The owner waits for a value that its partner would write once it had the registers.
static void test_hang_names_the_registers(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "owf", "rf.entries=16 owf.pairs=all sm.ctas=2", 20000);
    const bool passed =
        bench_try(&r.b,
                  ".kernel k\n .regs 24\n .preds 1\n" SPLIT
                  "s2r R2, %ctaid.x\n mov R3, c[0][0x0]\n isetp.ne.and.u32 _|P0, R2, 0x0\n"
                  "mov R20, 0x0\n @P0 bra _, L8, L9\n"                                  // 3 4
                  "L5:\n ld.global.b32.cv R4, [R3]\n isetp.eq.and.u32 _|P0, R4, 0x0\n"  // 5 6
                  "@P0 bra _, L5, L9\n"                                                 // 7
                  "L8:\n st.global.b32 _, [R3], R2\n L9:\n exit _\n",
                  2, 32, 0, 0);
    assert_false(passed);
    assert_int_equal(r.b.d.status, EXIT_HANG);
    assert_non_null(
        strstr(r.b.d.text, "waits for registers that it shares with a warp of another CTA"));
    bench_close(&r.b);
}

static void test_no_such_register(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "owf", "rf.entries=44", 0);
    assert_false(bench_try(
        &r.b, ".kernel k\n .regs 26\n" SPLIT "mov R3, 0x1\n mov R25, R3\n exit _\n", 8, 32, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_WRONG_RESULT);
    assert_non_null(strstr(r.b.d.text, "R25"));
    assert_non_null(strstr(r.b.d.text, "4 shared ones, and does not have them"));
    bench_close(&r.b);
}

static void test_combinations(void **state) {
    static const struct {
        const char *arch, *says;
    } table[] = {
        {"owf:regmutex", "expected at most one of regmutex, regmutex-paired, owf"},
        {"owf:packing", "'owf' combines with nothing: it maps every register itself"},
        {"corf++:owf", "it maps every register itself"},
        {"owf:rfv", "it maps every register itself"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Arch a;
        Diag d = {0};
        assert_false(arch_parse(table[i].arch, &a, &d));
        if (!strstr(d.text, table[i].says)) fail_msg("%s: %s", table[i].arch, d.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_admission),
                                       cmocka_unit_test(test_too_few_rows),
                                       cmocka_unit_test(test_kept_to_the_end),
                                       cmocka_unit_test(test_read_first),
                                       cmocka_unit_test(test_guard_off),
                                       cmocka_unit_test(test_load_in_flight_at_exit),
                                       cmocka_unit_test(test_opposite_order),
                                       cmocka_unit_test(test_same_cycle),
                                       cmocka_unit_test(test_behind_the_owner),
                                       cmocka_unit_test(test_owners_first),
                                       cmocka_unit_test(test_two_splits),
                                       cmocka_unit_test(test_not_shared),
                                       cmocka_unit_test(test_idle),
                                       cmocka_unit_test(test_hang_names_the_registers),
                                       cmocka_unit_test(test_no_such_register),
                                       cmocka_unit_test(test_combinations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
