// SPDX-License-Identifier: Apache-2.0
// Register virtualization with a register file smaller than the maximum of its CTAs: they grow at
// once, wait for each other and end. Without the rule for takes they do not end. Barriers,
// registers that are released and taken again, launches one after the other, and misfits.
#include "sm_support.h"

#include "models/rename/rfv_throttle.h"
#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run {
    Bench b;
    Arch arch;
    const RfvThrottleOut *throttle;  // NULL: nobody is asked
    // cycles in which no CTA but that of the least balance may take a register
    uint64_t tight;
    unsigned most;                  // physical registers in use
    uint64_t mapped[SM_MAX_WARPS];  // registers with a value, until the path has freed them
    uint64_t ended;                 // warps
} Run;

static void on_written(Sm *sm, void *self, const WordEvent *e) {
    (void)sm;
    ((Run *)self)->mapped[e->flight->warp] |= word_bit(e->flight->inst->dst_reg[e->word]);
}

static void on_freed(Sm *sm, void *self, const RegistersEvent *e) {
    (void)sm;
    ((Run *)self)->mapped[e->warp] &= ~e->regs;
}

static void on_warp_end(Sm *sm, void *self, const WarpEvent *e) {
    (void)sm;
    ((Run *)self)->ended |= word_bit(e->warp);
}

// In every cycle one CTA can get all registers up to its maximum, and every register with a value
// was taken and not released.
static void on_driven(Sm *sm, void *self, const CycleEvent *e) {
    Run *r = self;
    unsigned mapped = 0;
    (void)e;
    for (int w = 0; w < sm->cfg->sm_warps; w++) {
        if (r->ended & word_bit(w) && sm->path->warp_free(sm, sm->path_self, w)) {
            r->ended &= ~word_bit(w);
            r->mapped[w] = 0;
        }
        mapped += (unsigned)__builtin_popcountll(r->mapped[w]);
    }
    const unsigned all = (unsigned)(sm->cfg->rf_banks * sm->cfg->rf_entries);
    assert_in_range(mapped, 0, all);
    if (mapped > r->most) r->most = mapped;
    if (!r->throttle || !sm->nwarps_resident) return;
    assert_in_range(mapped, 0, all - r->throttle->rows_free[0]);
    assert_true(r->throttle->rows_free[0] >= r->throttle->rows_least[0]);
    r->tight += r->throttle->rows_free[0] <= r->throttle->rows_least[0] + 1;
}

static void open_run(Run *r, const char *sets) {
    static const Listener watch = {
        .driven = on_driven, .written = on_written, .freed = on_freed, .warp_end = on_warp_end};
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets);
    if (!arch_parse("rfv", &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch});
    if (r->b.cfg.rfv_admission == ADMISSION_LIVE)
        r->throttle = cosim_block(r->b.cosim, "rfv_throttle")->out;
    events_subscribe(r->b.gpu->sms, &watch, r);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// 64 warp registers. A CTA of two warps of 24 registers may need 48 of them.
#define SMALL "rf.entries=16 run.progress_cycles=2000 "
#define STORE(reg) "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], " reg "\n"

// All 24 registers have values at once, from the first instructions of each warp on; at the end
// they are added.
#define RISE \
    "mov R3, 0x3\n mov R4, 0x4\n mov R6, 0x6\n mov R7, 0x7\n mov R8, 0x8\n mov R9, 0x9\n mov " \
    "R10, 0xa\n" \
    "mov R11, 0xb\n mov R12, 0xc\n mov R13, 0xd\n mov R14, 0xe\n mov R15, 0xf\n mov R16, 0x10\n " \
    "mov R17, 0x11\n" \
    "mov R18, 0x12\n mov R19, 0x13\n mov R20, 0x14\n mov R21, 0x15\n mov R22, 0x16\n mov R23, " \
    "0x17\n"
#define FALL \
    "iadd.last=2 R3, R3, R4\n iadd.last=2 R3, R3, R6\n iadd.last=2 R3, R3, R7\n iadd.last=2 R3, " \
    "R3, R8\n" \
    "iadd.last=2 R3, R3, R9\n iadd.last=2 R3, R3, R10\n iadd.last=2 R3, R3, R11\n iadd.last=2 " \
    "R3, R3, R12\n" \
    "iadd.last=2 R3, R3, R13\n iadd.last=2 R3, R3, R14\n iadd.last=2 R3, R3, R15\n iadd.last=2 " \
    "R3, R3, R16\n" \
    "iadd.last=2 R3, R3, R17\n iadd.last=2 R3, R3, R18\n iadd.last=2 R3, R3, R19\n iadd.last=2 " \
    "R3, R3, R20\n" \
    "iadd.last=2 R3, R3, R21\n iadd.last=2 R3, R3, R22\n iadd.last=2 R3, R3, R23\n iadd R3, R3, " \
    "R0\n"
#define WHOLE ".kernel k\n .regs 24\n" BENCH_THREAD RISE FALL STORE("R3") "exit _\n"
#define BARRIERS \
    ".kernel k\n .regs 24\n .barriers 1\n" BENCH_THREAD "bar _, 0x0\n" RISE \
    "bar _, 0x0\n" FALL STORE("R3") "bar _, 0x0\n exit _\n"
enum { SUM = 268 };  // 3 + 4 + (6 .. 23), without the thread's number

static void expect_sums(Run *r, uint32_t threads) {
    for (uint32_t t = 0; t < threads; t++) assert_int_equal(bench_out(&r->b)[t], t + SUM);
}

static void test_all_rise_at_once(void **state) {
    static Run r;
    static const char *const kernels[] = {WHOLE, BARRIERS};
    (void)state;
    for (int k = 0; k < 2; k++) {
        open_run(&r, SMALL);
        bench_run(&r.b, kernels[k], 20, 64, 0);
        expect_sums(&r, 20 * 64);
        // the architected registers are 384
        assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 8);
        assert_true(r.tight > 0 && count(&r, CTR_STALL_ROW) > 0);
        assert_true(r.most > 48);  // of more than one CTA
        // registers taken at issue are available
        assert_int_equal(count(&r, CTR_ALLOC_WAIT), 0);
        bench_close(&r.b);
    }
}

// The same kernels hang if any request takes a free row, and the report names the resource that
// each warp waits for.
static void test_greedy_hangs(void **state) {
    static Run r;
    static const char *const kernels[] = {WHOLE, BARRIERS};
    (void)state;
    for (int k = 0; k < 2; k++) {
        open_run(&r, SMALL "rfv.admission=greedy");
        assert_false(bench_try(&r.b, kernels[k], 20, 64, 0, 0));
        assert_int_equal(r.b.d.status, EXIT_HANG);
        assert_non_null(strstr(r.b.d.text, "waits for a free warp register that its CTA may take"));
        bench_close(&r.b);
    }
    open_run(&r, SMALL "rfv.admission=greedy rf.entries=128");  // room for all: nothing to wait for
    bench_run(&r.b, WHOLE, 20, 64, 0);
    expect_sums(&r, 20 * 64);
    bench_close(&r.b);
}

static void test_static_is_the_baselines(void **state) {
    static Run r;
    (void)state;
    open_run(&r, SMALL "rfv.admission=static");
    bench_run(&r.b, BARRIERS, 20, 64, 0);
    expect_sums(&r, 20 * 64);
    assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 1);
    assert_int_equal(count(&r, CTR_STALL_ROW) + count(&r, CTR_ROWS_TAKEN), 0);
    bench_close(&r.b);
}

// A value that dies releases its register to the next one, of any CTA; written anew, a register is
// taken again.
#define CHAIN \
    "iadd.last=1 R6, R3, 0x1\n iadd.last=1 R7, R6, 0x1\n iadd.last=1 R8, R7, 0x1\n iadd.last=1 " \
    "R9, R8, 0x1\n" \
    "iadd.last=1 R10, R9, 0x1\n iadd.last=1 R11, R10, 0x1\n iadd.last=1 R3, R11, 0x1\n"
static void test_dead_registers_come_back(void **state) {
    static Run r;
    (void)state;
    open_run(&r, SMALL);
    bench_run(&r.b,
              ".kernel k\n .regs 40\n" BENCH_THREAD "mov R3, 0x1\n" CHAIN CHAIN CHAIN
              "iadd.last=1 R39, R3, R0\n" STORE("R39") "exit _\n",
              40, 32, 0);
    for (uint32_t t = 0; t < 40 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 22);
    assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 8);  // of 40 registers: 320
    assert_int_equal(count(&r, CTR_REGS_FREED), 40 * 22);
    // R0 .. R3, the chains, R39 and R5
    assert_int_equal(count(&r, CTR_ROWS_TAKEN), 40 * (4 + 3 * 7 + 2));
    bench_close(&r.b);
}

// An instruction that no lane executes needs no register; one that some lanes execute does.
static void test_guards(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "");
    bench_run(&r.b,
              ".kernel k\n .regs 24\n .preds 2\n" BENCH_THREAD
              "isetp.lt.and.u32 _|P0, R0, 0x0\n isetp.lt.and.u32 _|P1, R0, 0x5\n"
              "@P0 mov R10, 0x1\n @P1 mov R11, 0x9\n iadd R12, R10, R11\n" STORE("R12") "exit _\n",
              1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], t < 5 ? 9 : 0);
    assert_int_equal(count(&r, CTR_ROWS_TAKEN), 6);  // R0 R1 R2 R5 R11 R12
    bench_close(&r.b);
}

// Of the kernel before nothing is left when the next one begins, with other CTAs.
static void test_launches(void **state) {
    static Run r;
    (void)state;
    open_run(&r, SMALL);
    for (int i = 0; i < 3; i++) {
        bench_run(&r.b, i == 1 ? BARRIERS : WHOLE, 7, i == 1 ? 64 : 32, 0);
        expect_sums(&r, 7 * (i == 1 ? 64 : 32));
        memset(bench_out(&r.b), 0, 7 * 64 * 4);
    }
    assert_true(gpu_finish(r.b.gpu, &r.b.d));
    bench_close(&r.b);
}

static void test_one_cta_must_fit(void **state) {
    static Run r;
    (void)state;
    open_run(&r, SMALL);
    assert_false(bench_try(&r.b, WHOLE, 1, 96, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_USAGE);
    assert_non_null(
        strstr(r.b.d.text, "it requires 72 warp registers, the SM has 64 warp registers"));
    bench_close(&r.b);
}

// A register that is freed although it is read again is a difference, because the retire check
// ignores frees.
static void test_freed_too_early(void **state) {
    static Run r;
    (void)state;
    open_run(&r, SMALL);
    assert_false(
        bench_try(&r.b,
                  ".kernel k\n .regs 24\n" BENCH_THREAD "mov R3, 0x3\n iadd.last=2 R4, R0, R3\n"
                  "iadd R6, R4, 0x1\n iadd R6, R6, 0x1\n iadd R6, R6, 0x1\n iadd R6, R6, 0x1\n"
                  "iadd R7, R6, R3\n" STORE("R7") "exit _\n",
                  1, 32, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_MISMATCH);
    assert_non_null(strstr(r.b.d.text, "lane 0 of R7: expected 0x0000000a, the SM has 0x00000007"));
    bench_close(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_rise_at_once),
                                       cmocka_unit_test(test_greedy_hangs),
                                       cmocka_unit_test(test_static_is_the_baselines),
                                       cmocka_unit_test(test_dead_registers_come_back),
                                       cmocka_unit_test(test_guards),
                                       cmocka_unit_test(test_launches),
                                       cmocka_unit_test(test_one_cta_must_fit),
                                       cmocka_unit_test(test_freed_too_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
