// SPDX-License-Identifier: Apache-2.0
// The way of an instruction from issue into a collector, and what it reads on the way, in every architecture.
#include "sm_support.h"

#include "sm/arch.h"
#include "sm/core.h"

static const char *const archs[] = {"baseline", "packing", "firstfit", "corf", "corf++", "rfv", "corf++:rfv"};
enum { ARCHS = sizeof archs / sizeof *archs, EVENTS = 4096 };

// ---- what the hooks saw ----

typedef struct Event { uint64_t cycle; int warp, pc; } Event;
typedef struct Seen {
    const Sm *sm;
    Event issued[EVENTS], allocated[EVENTS];  // issued: what goes through a collector
    int nissued, nallocated;
} Seen;

static void on_issued(void *ctx, uint64_t cycle, int scheduler, int warp, int pc) {
    Seen *s = ctx;
    (void)scheduler;
    if (s->sm->insts[pc].at_issue || s->nissued == EVENTS) return;
    s->issued[s->nissued++] = (Event){cycle, warp, pc};
}

static void on_allocated(void *ctx, uint64_t cycle, int slot, int warp, int pc) {
    Seen *s = ctx;
    (void)slot;
    if (s->nallocated < EVENTS) s->allocated[s->nallocated++] = (Event){cycle, warp, pc};
}

typedef struct Run {
    Bench b;
    Arch arch;
    Seen seen;
    SmHooks hooks;
} Run;

static void run_open(Run *r, const char *arch, const char *sets) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    r->hooks = (SmHooks){.ctx = &r->seen, .issued = on_issued, .collector_allocated = on_allocated};
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch, .hooks = &r->hooks});
    r->seen.sm = &r->b.gpu->sm;
}

static void run_program(Run *r, const char *arch, const char *sets, const char *text, uint32_t ctas, uint32_t threads) {
    run_open(r, arch, sets);
    bench_run(&r->b, text, ctas, threads, 0);
}

// ---- entry registers ----

#define DEPEND "iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n"
#define DEPEND16 DEPEND DEPEND DEPEND DEPEND
static const char *const chain = ".kernel chain\n.regs 63\n" BENCH_THREAD "mov R3, 0x0\n" DEPEND16 DEPEND16
                                 BENCH_STORE("R3") "exit _\n";

static void delays(const Seen *s, uint64_t *least, uint64_t *most) {
    assert_true(s->nissued > 0 && s->nissued < EVENTS);
    assert_int_equal(s->nissued, s->nallocated);
    *least = ~0ull, *most = 0;
    for (int i = 0; i < s->nissued; i++) {
        assert_int_equal(s->issued[i].warp, s->allocated[i].warp);  // the order of issue
        assert_int_equal(s->issued[i].pc, s->allocated[i].pc);
        uint64_t n = s->allocated[i].cycle - s->issued[i].cycle;
        if (n < *least) *least = n;
        if (n > *most) *most = n;
    }
}

// One warp: a collector is always free, and moving into it takes exactly a cycle.
static void test_entry_takes_a_cycle(void **state) {
    (void)state;
    static Run r;
    uint64_t cycles[2], least, most;
    for (int entry = 0; entry < 2; entry++) {
        run_program(&r, "baseline", entry ? "" : "oc.entry=0", chain, 1, 32);
        delays(&r.seen, &least, &most);
        assert_int_equal(least, entry);
        assert_int_equal(most, entry);
        cycles[entry] = bench_count(&r.b, CTR_CYCLES);
        assert_int_equal(bench_out(&r.b)[31], 32 * 31);
        bench_close(&r.b);
    }
    // Each of 32 dependent instructions waits for it, and so does what comes before and after them.
    assert_in_range(cycles[1] - cycles[0], 32, 32 + 10);
}

// Few collectors: entry registers wait, and leave in the order in which they were filled.
static void test_entry_waits_in_order(void **state) {
    (void)state;
    static Run r;
    const char *const sets[] = {"oc.collectors=2", "oc.collectors=3 oc.alloc_ports=1",
                                "oc.collectors=2 oc.alloc_ports=4 sm.schedulers=4"};
    for (int i = 0; i < 3; i++) {
        uint64_t least, most;
        run_program(&r, "baseline", sets[i], chain, 2, 256);
        delays(&r.seen, &least, &most);
        assert_int_equal(least, 1);
        assert_true(most > 1);
        assert_true(bench_count(&r.b, CTR_OC_FULL) > 0);
        for (uint32_t t = 0; t < 512; t++) assert_int_equal(bench_out(&r.b)[t], 32 * t);
        bench_close(&r.b);
    }
}

// ---- operands ----

// A register that an instruction names twice is one read: three instructions more, three reads more.
static void test_named_twice_is_one_read(void **state) {
    (void)state;
    static Run r;
#define TWICE(more)                                                                                                  \
    ".kernel twice\n.regs 63\n" BENCH_THREAD "imul.lo.u32 R3, R0, 0x5\n" more BENCH_STORE("R3") "exit _\n"
    static const char *const text[] = {
        TWICE(""), TWICE("iadd R4, R3, R3\n imad.lo.u32 R5, R3, R3, R3\n sad.u32 R6, R3, R3, 0x1\n")};
    for (int a = 0; a < ARCHS; a++) {
        uint64_t reads[2];
        for (int i = 0; i < 2; i++) {
            run_program(&r, archs[a], "", text[i], 1, 32);
            assert_int_equal(bench_out(&r.b)[9], 45);
            reads[i] = bench_count(&r.b, CTR_RF_READS);
            bench_close(&r.b);
        }
        if (reads[1] - reads[0] != 3) fail_msg("%s: %d reads more", archs[a], (int)(reads[1] - reads[0]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry_takes_a_cycle),
        cmocka_unit_test(test_entry_waits_in_order),
        cmocka_unit_test(test_named_twice_is_one_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
