// SPDX-License-Identifier: Apache-2.0
// Scheduling policies, latencies, determinism, bookkeeping of scheduler cycles, trace hooks.
#include "sm_support.h"

#include "sm/stages/sched_stage.h"
#include "sm/state.h"

// ---- policies alone ----

static void test_gto(void **state) {
    (void)state;
    static Sm sm;
    static MachineConfig cfg;
    cfg.sm_schedulers = 1;
    sm.cfg = &cfg;
    Scheduler *own = &sm.sched[0];
    *own = (Scheduler){.last = SM_NONE, .youngest = SM_MAX_WARPS};
    const int began[] = {6, 2, 8, 10, 4};
    for (int i = 0; i < 5; i++) sched_warp_begins(&sm, began[i]);
    assert_int_equal(sched_policies[SCHED_GTO].first(&sm, own, word_bit(10) | word_bit(4)), 10);
    sched_warp_ends(&sm, 10);
    Scheduler s = *own;
    const SchedPolicy *p = &sched_policies[SCHED_GTO];
    // oldest of those
    assert_int_equal(p->first(&sm, &s, word_bit(2) | word_bit(4) | word_bit(8)), 2);
    p->issued(&sm, &s, 8);
    assert_int_equal(p->first(&sm, &s, word_bit(2) | word_bit(8)), 8);  // greedy
    assert_int_equal(p->first(&sm, &s, word_bit(2) | word_bit(6)), 6);  // then oldest
    // A slot that is used again is the youngest, for any number.
    sched_warp_ends(&sm, 4);
    sched_warp_ends(&sm, 6);
    sched_warp_begins(&sm, 6);
    sched_warp_begins(&sm, 4);
    const int left[] = {2, 8, 6, 4};
    WarpSet set = word_bit(2) | word_bit(4) | word_bit(6) | word_bit(8);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(p->first(&sm, own, set), left[i]);
        set &= ~warp_bit(left[i]);
    }
    for (int i = 0; i < 4; i++) sched_warp_ends(&sm, left[i]);
    assert_int_equal(own->nages, 0);
}

static void test_lrr(void **state) {
    (void)state;
    static Sm sm;
    Scheduler s = {.last = SM_NONE};
    const SchedPolicy *p = &sched_policies[SCHED_LRR];
    uint64_t all = word_bit(0) | word_bit(2) | word_bit(46);
    const int turns[] = {0, 2, 46, 0, 2};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(p->first(&sm, &s, all), turns[i]);
        p->issued(&sm, &s, turns[i]);
    }
    assert_int_equal(p->first(&sm, &s, word_bit(0)), 0);
}

static void test_two_level(void **state) {
    (void)state;
    static Sm sm;
    static MachineConfig cfg;
    cfg.sm_active_warps = 2;
    sm.cfg = &cfg;
    Scheduler s = {.last = SM_NONE, .mine = 0x55};  // warps 0 2 4 6
    sm.resident = 0xff;
    const SchedPolicy *p = &sched_policies[SCHED_TWO_LEVEL];
    p->cycle(&sm, &s);
    assert_int_equal(s.active, 0x05);
    assert_int_equal(p->may(&sm, &s), 0x05);
    p->issued(&sm, &s, 0);
    sm.long_wait = 0x01;  // warp 0 waits for memory: it leaves, the next one in turn enters
    p->cycle(&sm, &s);
    assert_int_equal(s.active, 0x14);
    sm.long_wait = 0;
    sm.at_barrier = 0x10;  // warp 4 at a barrier
    p->cycle(&sm, &s);
    assert_int_equal(s.active, 0x44);
    sm.long_wait = 0x44;  // everybody waits for memory but warp 0
    p->cycle(&sm, &s);
    assert_int_equal(s.active, 0x01);
}

// ---- whole programs ----

// Loads, divergence, a barrier and atomics, so that every stage and queue is used.
#define BUSY \
    ".kernel busy\n.regs 63\n.preds 2\n.shared 1024\n.barriers 1\n" BENCH_THREAD \
    "iadd R3, c[0][0x8], R1\n ld.global.b32.u32 R4, [R3]\n"            /* 5, 6 */ \
    "lop3.lut=0xc0 R5, R0, 0x3, RZ\n isetp.eq.and.u32 _|P0, R5, 0x0\n" /* 7, 8 */ \
    "@P0 bra _, L13, L14\n"                                            /* 9 */ \
    "imul.lo.u32 R4, R4, R0\n idiv.u32 R4, R4, 0x7\n"                  /* 10, 11 */ \
    "bra _, L14, L14\n"                                                /* 12 */ \
    "L13:\n iadd R4, R4, 0x9\n"                                        /* 13 */ \
    "L14:\n shl R6, R2, 0x2\n st.shared.b32 _, [R6], R4\n bar _, 0x0\n" \
    "lop3.lut=0x3c R6, R6, 0x4, RZ\n ld.shared.b32.u32 R7, [R6]\n" \
    "mov R8, c[0][0x0]\n atom.add.global.b32.u32 _, [R8+65536], R5\n" BENCH_STORE("R7") "exit _\n"

static uint32_t busy_value(uint32_t i) {
    uint32_t j = i ^ 1, v = j * 2654435761u;
    return j % 4 == 0 ? v + 9 : v * j / 7;
}

static uint64_t run_busy(const char *machine, const char *sets, const GpuOptions *o,
                         Counters *counters) {
    Bench b;
    bench_config(&b, machine, sets);
    bench_start(&b, o);
    for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = i * 2654435761u;
    bench_run(&b, BUSY, 20, 160, 0);
    for (uint32_t i = 0; i < 3200; i++) assert_int_equal(bench_out(&b)[i], busy_value(i));
    assert_int_equal(bench_out(&b)[16384], 800 * (0 + 1 + 2 + 3));
    uint64_t cycles = gpu_cycle(b.gpu);
    if (counters) *counters = *gpu_counters(b.gpu);
    // Every scheduler cycle has exactly one class.
    uint64_t sum = 0;
    for (int c = CTR_ISSUED; c <= CTR_STALL_NONE_LEFT; c++) sum += bench_count(&b, c);
    assert_int_equal(sum, cycles * (unsigned)b.cfg.sm_schedulers);
    bench_close(&b);
    return cycles;
}

static void test_policies_compute_the_same(void **state) {
    (void)state;
    GpuOptions check = {.check_retire = true};
    const char *const sets[] = {"sm.scheduler=gto",
                                "sm.scheduler=lrr",
                                "sm.scheduler=two-level",
                                "sm.scheduler=two-level sm.active_warps=1",
                                "sm.schedulers=1",
                                "sm.schedulers=4",
                                "rf.banks=1 rf.entries=1024 rf.write_ports=1",
                                "rf.banks=7 rf.entries=200",
                                "oc.collectors=2",
                                "rf.write_ports=4 oc.alloc_ports=4",
                                "sm.ibuffer=1",
                                "sm.ibuffer=8",
                                "oc.dispatch_ports=3",
                                "exec.mem.latency=1",
                                "sm.warps=5 sm.threads=160"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        run_busy("fermi", sets[i], &check, NULL);
    run_busy("tiny", "sm.scheduler=lrr", &check, NULL);
    run_busy("tiny", "sm.scheduler=two-level", &check, NULL);
    run_busy("kepler", NULL, &check, NULL);
    run_busy("pascal", NULL, &check, NULL);
}

static void test_deterministic(void **state) {
    (void)state;
    GpuOptions plain = {0}, check = {.check_retire = true};
    Counters a, b, c;
    run_busy("fermi", NULL, &plain, &a);
    run_busy("fermi", NULL, &plain, &b);
    run_busy("fermi", NULL, &check, &c);  // checking changes nothing
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
}

// ---- order of the blocks' clock edges ----

typedef struct Swapped {
    BlockOps rf, oc;
    const BlockOps *rf_ops, *oc_ops;
    Block *rf_block, *oc_block;
} Swapped;
static Swapped swapped;

static void no_tick(Block *b) { (void)b; }
static void both_ticks(Block *b) {
    swapped.oc_ops->tick(b);
    swapped.rf_ops->tick(swapped.rf_block);
}

// The register file ticks after the collectors instead of before them.
static void test_tick_order(void **state) {
    (void)state;
    Counters normal;
    run_busy("fermi", NULL, &(GpuOptions){0}, &normal);
    Bench b;
    bench_config(&b, "fermi", NULL);
    bench_start(&b, NULL);
    swapped.rf_block = cosim_block(b.cosim, "banked_rf");
    swapped.oc_block = cosim_block(b.cosim, "operand_collector");
    swapped.rf_ops = swapped.rf_block->ops;
    swapped.oc_ops = swapped.oc_block->ops;
    swapped.rf = *swapped.rf_ops;
    swapped.oc = *swapped.oc_ops;
    swapped.rf.tick = no_tick;
    swapped.oc.tick = both_ticks;
    swapped.rf_block->ops = &swapped.rf;
    swapped.oc_block->ops = &swapped.oc;
    for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = i * 2654435761u;
    bench_run(&b, BUSY, 20, 160, 0);
    assert_memory_equal(gpu_counters(b.gpu), &normal, sizeof normal);
    bench_close(&b);
}

// ---- blocks without work are left alone ----

static struct {
    BlockOps ops;
    const BlockOps *original;
    uint64_t evals, ticks;
} counted;
static void counted_eval(Block *b) {
    counted.evals++;
    counted.original->eval(b);
}
static void counted_tick(Block *b) {
    counted.ticks++;
    counted.original->tick(b);
}

// A chain of loads: the SM is idle most of the time. Values are kept in registers across idle
// times.
#define CHAIN \
    ".kernel chain\n.regs 63\n" BENCH_THREAD \
    "mov R3, R1\n mov R9, 0x0\n" LINK LINK LINK LINK LINK LINK \
    "iadd R9, R9, R4\n" BENCH_STORE("R9") "exit _\n"
#define LINK "iadd R4, c[0][0x8], R3\n ld.global.b32.u32 R3, [R4]\n iadd R9, R9, R3\n"

static uint64_t run_chain(GpuIdle idle, Counters *counters, uint32_t *sum) {
    Bench b;
    bench_config(&b, "fermi", NULL);
    bench_start(&b, &(GpuOptions){.idle = idle, .check_retire = true});
    for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = (i * 1237u % 4096u) * 4u;
    Block *rf = cosim_block(b.cosim, "banked_rf");
    memset(&counted, 0, sizeof counted);
    counted.original = rf->ops;
    counted.ops = *rf->ops;
    counted.ops.eval = counted_eval;
    counted.ops.tick = counted_tick;
    rf->ops = &counted.ops;
    bench_run(&b, CHAIN, 2, 96, 0);
    *counters = *gpu_counters(b.gpu);
    *sum = 0;
    for (uint32_t i = 0; i < 192; i++) *sum = *sum * 31u + bench_out(&b)[i];
    assert_int_equal(counted.evals, counted.ticks);
    uint64_t evals = counted.evals;
    bench_close(&b);
    return evals;
}

static void test_idle_blocks(void **state) {
    (void)state;
    Counters all, some;
    uint32_t sum_all, sum_some;
    uint64_t evals_all = run_chain(GPU_IDLE_CLOCK, &all, &sum_all);
    uint64_t evals_some = run_chain(GPU_IDLE_CLOCK_RTL, &some, &sum_some);
    assert_memory_equal(&all, &some, sizeof all);
    assert_int_equal(sum_all, sum_some);
    assert_int_equal(evals_all, all.v[CTR_CYCLES]);
    assert_true(evals_some < evals_all / 2);
    GpuOptions idle = {.idle = GPU_IDLE_CLOCK}, plain = {0};
    run_busy("fermi", NULL, &idle, &all);
    run_busy("fermi", NULL, &plain, &some);
    assert_memory_equal(&all, &some, sizeof all);
    run_busy("tiny", NULL, &idle, &all);
    run_busy("tiny", NULL, &plain, &some);
    assert_memory_equal(&all, &some, sizeof all);
}

// ---- timing ----

static uint64_t cycles_of(const char *machine, const char *body, int copies) {
    Bench b;
    bench_open(&b, machine, NULL);
    static char text[65536];
    int n = snprintf(text, sizeof text, ".kernel chain\n.regs 63\n.shared 64\n");
    for (int i = 0; i < copies; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", body);
    snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    bench_run(&b, text, 1, 32, 0);
    uint64_t c = gpu_cycle(b.gpu);
    bench_close(&b);
    return c;
}

// Cycles per instruction of one warp, from the difference of two lengths.
static int per_instruction(const char *machine, const char *body) {
    uint64_t cycles = cycles_of(machine, body, 120) - cycles_of(machine, body, 20);
    assert_int_equal(cycles % 100, 0);
    return (int)(cycles / 100);
}

// Cycles: issue t, entry register t+1, collector presents operand t+2, data t+3, dispatch t+4. The
// result is at the write port after the latency (t+4+L), and the dependent instruction issues in
// that cycle. A second operand takes one more cycle.
static void test_dependent_chains(void **state) {
    (void)state;
    Bench b;
    bench_config(&b, "fermi", NULL);
    assert_int_equal(per_instruction("fermi", "iadd R1, R1, 0x1"), 4 + b.cfg.exec_int_latency);
    assert_int_equal(per_instruction("fermi", "iadd R1, R1, R2"), 5 + b.cfg.exec_int_latency);
    assert_int_equal(per_instruction("fermi", "ffma R1, R1, R2, R3"), 6 + b.cfg.exec_fp32_latency);
    assert_int_equal(per_instruction("fermi", "idiv.u32 R1, R1, 0x3"), 4 + b.cfg.exec_idiv_latency);
    assert_int_equal(per_instruction("tiny", "iadd R1, R1, 0x1"), 4 + 1);
    arena_free(&b.arena);
}

// One warp without dependences: with two buffer entries fetch keeps up with the scheduler, with one
// it needs two cycles for each instruction.
static void test_fetch_rate(void **state) {
    (void)state;
    const char *ten = "mov R1, 0x1\n mov R2, 0x1\n mov R3, 0x1\n mov R4, 0x1\n mov R5, 0x1\n"
                      "mov R6, 0x1\n mov R7, 0x1\n mov R8, 0x1\n mov R9, 0x1\n mov R10, 0x1";
    assert_int_equal(per_instruction("fermi", ten), 10);
    assert_int_equal(per_instruction("tiny", ten), 20);
}

// Independent instructions of one warp are limited by the initiation interval of their unit.
static void test_initiation_interval(void **state) {
    (void)state;
    const char *four = "mufu.ex2 R1, R5\nmufu.ex2 R2, R5\nmufu.ex2 R3, R5\nmufu.ex2 R4, R5";
    Bench b;
    bench_open(&b, "fermi", "");
    int interval = b.cfg.exec_sfu_interval;
    bench_close(&b);
    assert_true(interval > 1);
    assert_int_equal(per_instruction("fermi", four), 4 * interval);
}

// ---- stall classes: programs whose scheduler cycles must nearly all have one class ----

static void expect_class(const char *sets, const char *body, int copies, uint32_t threads,
                         CounterId what) {
    Bench b;
    bench_open(&b, "fermi", sets);
    static char text[65536];
    int n = snprintf(text, sizeof text,
                     ".kernel stall\n.regs 63\n.preds 2\n.shared 4096\n.barriers 1\n%s",
                     BENCH_THREAD
                     // R3: all lanes on one shared bank
                     "shl R3, R2, 0x7\n lop3.lut=0xc0 R3, R3, 0xf80, RZ\n");
    for (int i = 0; i < copies; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", body);
    snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    bench_run(&b, text, 1, threads, 0);
    uint64_t all = 0, most = bench_count(&b, what);
    for (int c = CTR_STALL_RAW_LONG; c <= CTR_STALL_NONE_LEFT; c++) all += bench_count(&b, c);
    if (2 * most <= all)
        fail_msg("%s: %llu of %llu cycles without issue", counter_info[what].name,
                 (unsigned long long)most, (unsigned long long)all);
    bench_close(&b);
}

static void test_stall_classes(void **state) {
    (void)state;
    const char *one = "sm.schedulers=1";
    expect_class(one, "iadd R3, c[0][0x8], R1\n ld.global.b32.u32 R4, [R3]\n iadd R1, R4, R1", 6,
                 32, CTR_STALL_RAW_LONG);
    expect_class(one, "idiv.u32 R4, R4, 0x3", 20, 32, CTR_STALL_RAW_SHORT);
    expect_class(one, "ld.shared.b32.u32 R4, [0x0]\n iadd R5, R4, R5", 20, 32, CTR_STALL_RAW_SHORT);
    expect_class(one,
                 "mufu.ex2 R10, R5\n mufu.ex2 R11, R5\n mufu.ex2 R12, R5\n mufu.ex2 R13, R5\n"
                 "mufu.ex2 R14, R5\n mufu.ex2 R15, R5\n mufu.ex2 R16, R5\n mufu.ex2 R17, R5",
                 4, 512, CTR_STALL_SFU);
    expect_class(one,
                 "ld.shared.b128.u32 R8.128, [R3]\n ld.shared.b128.u32 R12.128, [R3]\n"
                 "ld.shared.b128.u32 R16.128, [R3]\n ld.shared.b128.u32 R20.128, [R3]",
                 1, 512, CTR_STALL_MEMORY);
    char branches[4096] = "";  // taken ones: one cycle each in which nothing has been fetched
    for (int k = 0, n = 0, at = 9; k < 60; k++, at += 2)
        n += snprintf(branches + n, sizeof branches - (size_t)n, "bra _, L%d, L%d\n nop _\nL%d:\n",
                      at, at, at);
    expect_class(one, branches, 1, 32, CTR_STALL_IBUFFER);
    expect_class(one, BENCH_STORE("R0") "membar _", 6, 32, CTR_STALL_BARRIER);
    expect_class("sm.schedulers=2", "iadd R3, R3, 0x1", 100, 32, CTR_STALL_NONE_LEFT);
    // With one warp the other scheduler has nothing to do in any cycle.
    Bench b;
    bench_open(&b, "fermi", NULL);
    bench_run(&b, ".kernel lone\n.regs 63\n" BENCH_THREAD "exit _\n", 1, 32, 0);
    assert_true(bench_count(&b, CTR_STALL_NONE_LEFT) >= gpu_cycle(b.gpu));
    bench_close(&b);
}

// ---- hooks ----

typedef struct Seen {
    uint64_t ctas, ctas_ended, warps, warps_ended, issued, allocated, dispatched, reads, writes,
        states, classes;
    uint64_t last_cycle;
    int state[64];
    uint64_t architected;
} Seen;

static void on_cta(void *ctx, uint64_t cycle, int slot, const uint32_t id[3]) {
    (void)cycle, (void)slot, (void)id;
    ((Seen *)ctx)->ctas++;
}
static void on_cta_end(void *ctx, uint64_t cycle, int slot) {
    (void)cycle, (void)slot;
    ((Seen *)ctx)->ctas_ended++;
}
static void on_warp(void *ctx, uint64_t cycle, int warp, int cta, int n) {
    (void)cycle, (void)warp, (void)cta, (void)n;
    ((Seen *)ctx)->warps++;
}
static void on_warp_end(void *ctx, uint64_t cycle, int warp) {
    (void)cycle, (void)warp;
    ((Seen *)ctx)->warps_ended++;
}
static void on_issue(void *ctx, uint64_t cycle, int scheduler, int warp, int pc) {
    Seen *s = ctx;
    assert_int_equal(warp % 2, scheduler);
    assert_true(cycle >= s->last_cycle && pc >= 0);
    s->last_cycle = cycle;
    s->issued++;
}
static void on_state(void *ctx, uint64_t cycle, int warp, SmWarpState state) {
    Seen *s = ctx;
    (void)cycle;
    assert_int_not_equal(s->state[warp], state);
    s->state[warp] = state;
    s->states++;
}
static void on_class(void *ctx, uint64_t cycle, int scheduler, CounterId what) {
    (void)cycle, (void)scheduler;
    assert_true(what >= CTR_ISSUED && what <= CTR_STALL_NONE_LEFT);
    ((Seen *)ctx)->classes++;
}
static void on_step(void *ctx, uint64_t cycle, const SmStep *step) {
    Seen *s = ctx;
    (void)cycle;
    s->allocated += step->kind == SM_STEP_COLLECTING;
    s->dispatched += step->kind == SM_STEP_DISPATCHED;
}
static void on_bank(void *ctx, uint64_t cycle, int bank, bool write) {
    Seen *s = ctx;
    (void)cycle;
    assert_in_range(bank, 0, 3);
    if (write) s->writes++;
    else s->reads++;
}

static void on_registers(void *ctx, uint64_t cycle, unsigned architected, unsigned physical) {
    (void)cycle;
    ((Seen *)ctx)->architected += architected;
    assert_int_equal(physical, 0);  // the baseline renames nothing
}

static void test_hooks(void **state) {
    (void)state;
    Seen seen = {0};
    SmHooks hooks = {.ctx = &seen,
                     .cta_launched = on_cta,
                     .cta_ended = on_cta_end,
                     .warp_launched = on_warp,
                     .warp_ended = on_warp_end,
                     .issued = on_issue,
                     .warp_state = on_state,
                     .scheduler_class = on_class,
                     .step = on_step,
                     .bank_access = on_bank,
                     .registers = on_registers};
    Counters with, without;
    run_busy("fermi", NULL, &(GpuOptions){.hooks = &hooks}, &with);
    run_busy("fermi", NULL, &(GpuOptions){0}, &without);
    assert_memory_equal(&with, &without, sizeof with);
    assert_int_equal(seen.ctas, 20);
    assert_int_equal(seen.ctas_ended, 20);
    assert_int_equal(seen.warps, 100);
    assert_int_equal(seen.warps_ended, 100);
    assert_int_equal(seen.issued, with.v[CTR_WARP_INSTS]);
    assert_int_equal(seen.allocated, with.v[CTR_UOPS]);
    assert_int_equal(seen.dispatched, with.v[CTR_UOPS]);
    assert_int_equal(seen.reads, with.v[CTR_RF_READS]);
    assert_int_equal(seen.writes, with.v[CTR_RF_WRITES]);
    assert_int_equal(seen.architected, with.v[CTR_ARCH_USED]);
    assert_true(seen.states > 200 && seen.classes > 10);
    // The reads and writes of a program without divergence: see test_sm_run.
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gto),           cmocka_unit_test(test_lrr),
        cmocka_unit_test(test_two_level),     cmocka_unit_test(test_policies_compute_the_same),
        cmocka_unit_test(test_deterministic), cmocka_unit_test(test_tick_order),
        cmocka_unit_test(test_idle_blocks),   cmocka_unit_test(test_dependent_chains),
        cmocka_unit_test(test_fetch_rate),    cmocka_unit_test(test_initiation_interval),
        cmocka_unit_test(test_stall_classes), cmocka_unit_test(test_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
