// SPDX-License-Identifier: Apache-2.0
// Blocks that take two cycles at 700 MHz (bench/area): the keys with which the SM keeps to that, what each of them
// delays, by how much, and that kernels compute the same.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run { Bench b; Arch arch; } Run;

static void start(Run *r, const char *machine, const char *arch, const char *sets, const char *key, int cycles) {
    char text[256];
    memset(r, 0, sizeof *r);
    snprintf(text, sizeof text, "%s %s=%d", sets, key, cycles);
    bench_config(&r->b, machine, text);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch});
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// ---- keys ----

static void test_keys(void **state) {
    static const char *const keys[] = {"rename.block_cycles", "rfv.block_cycles", "bow.block_cycles", "rfc.block_cycles",
                                       "larf.count_cycles", "md.lookup_cycles"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (int value = 0; value <= 3; value += 3) {
            static Bench b;
            Diag d = {0};
            char set[64], text[128];
            bench_config(&b, "fermi", "");
            snprintf(set, sizeof set, "%s=%d", keys[i], value);
            snprintf(text, sizeof text, "%s = %d is out of range: 1..2 cycles", keys[i], value);
            assert_false(config_set(&b.cfg, set, &d));
            assert_non_null(strstr(d.text, text));
            arena_free(&b.arena);
        }
}

// ---- results that need a row ----

// R3 outgrows its register three times; what it needs is looked up a cycle later each time.
static void test_growth(void **state) {
    static const char *const archs[] = {"packing", "firstfit", "corf", "corf++"};
    (void)state;
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
        uint64_t cycles[3];
        for (int n = 1; n <= 2; n++) {
            static Run r;
            start(&r, "fermi", archs[a], "", "rename.block_cycles", n);
            bench_run(&r.b, ".kernel k\n.regs 63\n" BENCH_THREAD "mov R3, 0x1\n iadd R3, R3, 0x100\n iadd R3, R3, 0x10000\n "
                      "iadd R3, R3, 0x1000000\n iadd R3, R3, R0\n" BENCH_STORE("R3") "exit _\n", 1, 32, 0);
            for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 0x1010101);
            assert_int_equal(count(&r, CTR_ALLOC_GROW), 3);
            cycles[n] = count(&r, CTR_CYCLES);
            bench_close(&r.b);
        }
        assert_int_equal(cycles[2], cycles[1] + 3);
    }
}

// The second of a pair is placed in the row of the first.
static void test_buddy(void **state) {
    unsigned long long pair = 10 | 11 << 6;
    char program[512];
    uint64_t cycles[3];
    (void)state;
    for (int i = 2; i < 8; i++) pair |= (unsigned long long)ISA_HINT_NONE << (6 * i);
    snprintf(program, sizeof program, ".kernel pairs\n.regs 63\nhint _, 0x%llx.64\n%s", pair,
             BENCH_THREAD "mov R10, 0x1\n iadd R11, R10, 0x2\n iadd R12, R11, R10\n" BENCH_STORE("R12") "exit _\n");
    for (int n = 1; n <= 2; n++) {
        static Run r;
        start(&r, "fermi", "corf", "", "rename.block_cycles", n);
        bench_run(&r.b, program, 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], 4);
        assert_int_equal(count(&r, CTR_PAIRS_FIT), 1);
        cycles[n] = count(&r, CTR_CYCLES);
        bench_close(&r.b);
    }
    assert_int_equal(cycles[2], cycles[1] + 1);
}

// ---- collectors ----

// Collectors that are entered in a cycle, beside those that were free in the cycle before and were not entered then.
typedef struct Entered { const Sm *sm; int free, before, entered, sum, early; } Entered;

static void on_entered(Sm *sm, void *self, const CollectorEvent *e) {
    (void)sm, (void)e;
    ((Entered *)self)->entered++;
}

static void on_cycle_begin(Sm *sm, void *self, const CycleEvent *e) {
    Entered *s = self;
    const Slots *slots = sm->ports.slots;
    (void)e;
    s->before = s->free - s->entered;
    s->free = slots->nslots - slots->busy;
    s->entered = 0;
}

static void on_cycle_end(Sm *sm, void *self, const CycleEvent *e) {
    Entered *s = self;
    (void)sm, (void)e;
    s->sum += s->entered;
    s->early += s->entered > s->before;
}

static const Listener entered_listener = {.entered = on_entered, .cycle_begin = on_cycle_begin, .cycle_end = on_cycle_end};

#define FOUR "imad.lo.u32 R3, R0, R1, R2\n imad.lo.u32 R4, R1, R2, R0\n imad.lo.u32 R6, R2, R1, R0\n imad.lo.u32 R7, R2, R0, R1\n"

static void test_collectors(void **state) {
    static const char *const archs[] = {"packing", "corf", "corf++", "rfv"};
    (void)state;
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        for (int n = 1; n <= 2; n++) {
            static Run r;
            start(&r, "fermi", archs[a], "oc.collectors=4", "rename.block_cycles", n);
            Entered s = {.sm = r.b.gpu->sms, .free = 4};
            events_subscribe(r.b.gpu->sms, &entered_listener, &s);
            bench_run(&r.b, ".kernel k\n.regs 20\n" BENCH_THREAD FOUR FOUR "iadd R3, R3, R4\n iadd R3, R3, R6\n iadd R3, R3, R7\n"
                      "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n exit _\n", 4, 256, 0);
            for (uint32_t t = 0; t < 1024; t++) {
                const uint32_t x = t, y = 4 * t, z = t % 256;
                assert_int_equal(bench_out(&r.b)[t], x * y + z + y * z + x + z * y + x + z * x + y);
            }
            assert_true(s.sum > 500);
            if (n == 2) assert_int_equal(s.early, 0);
            else assert_true(s.early > 0);
            bench_close(&r.b);
        }
}

// ---- results and instructions that come a cycle later ----

static uint64_t chain(const char *machine, const char *arch, const char *key, int cycles, int length) {
    static Run r;
    char text[2048] = ".kernel k\n.regs 63\n" BENCH_THREAD "mov R3, 0x0\n";
    for (int i = 0; i < length; i++) strcat(text, "iadd R3, R3, R0\n");
    strcat(text, BENCH_STORE("R3") "exit _\n");
    start(&r, machine, arch, "", key, cycles);
    bench_run(&r.b, text, 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], t * (uint32_t)length);
    const uint64_t all = count(&r, CTR_CYCLES);
    bench_close(&r.b);
    return all;
}

// Each link of a chain: the result a cycle later, in BOW the instruction too.
static void test_chains(void **state) {
    static const struct { const char *machine, *arch, *key; unsigned more; } cases[] = {
        {"fermi", "rfc", "rfc.block_cycles", 1}, {"pascal", "bow", "bow.block_cycles", 2},
        {"pascal", "bow-wb", "bow.block_cycles", 2}, {"pascal", "bow-nofwd", "bow.block_cycles", 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t link[3];
        for (int n = 1; n <= 2; n++)
            link[n] = chain(cases[i].machine, cases[i].arch, cases[i].key, n, 24) -
                      chain(cases[i].machine, cases[i].arch, cases[i].key, n, 8);
        assert_int_equal(link[2], link[1] + 16 * cases[i].more);
    }
}

// ---- registers that are taken, and counted down ----

typedef struct Pace { uint64_t seen, last; int n, close; } Pace;

static void on_pace(Sm *sm, void *self, const CycleEvent *e) {
    Pace *p = self;
    const uint64_t now = sm->count->v[CTR_ROWS_TAKEN];
    (void)e;
    if (now == p->seen) return;
    p->close += p->n++ && sm->cycle == p->last + 1;
    p->seen = now;
    p->last = sm->cycle;
}

static const Listener pace_listener = {.cycle_end = on_pace};

static void test_rows(void **state) {
    (void)state;
    for (int n = 1; n <= 2; n++) {
        static Run r;
        Pace p = {0};
        start(&r, "fermi", "rfv", "rf.entries=16", "rfv.block_cycles", n);
        events_subscribe(r.b.gpu->sms, &pace_listener, &p);
        bench_run(&r.b, ".kernel k\n.regs 20\n" BENCH_THREAD FOUR "iadd.last=2 R3, R3, R4\n iadd.last=2 R3, R3, R6\n iadd R3, R3, R7\n"
                  "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n exit _\n", 20, 64, 0);
        for (uint32_t t = 0; t < 1280; t++) {
            const uint32_t x = t, y = 4 * t, z = t % 64;
            assert_int_equal(bench_out(&r.b)[t], x * y + z + y * z + x + z * y + x + z * x + y);
        }
        assert_true(p.n > 100);
        if (n == 2) assert_int_equal(p.close, 0);
        else assert_true(p.close > 0);
        bench_close(&r.b);
    }
}

// Three registers die within the kernel: each is free a cycle later, and nothing else changes.
static void test_count_down(void **state) {
    uint64_t cycles[3], free[3];
    (void)state;
    for (int n = 1; n <= 2; n++) {
        static Run r;
        start(&r, "pascal-larf", "larf", "", "larf.count_cycles", n);
        bench_run(&r.b, ".kernel k\n.regs 20\n" BENCH_THREAD FOUR "iadd.last=2 R3, R3, R4\n iadd.last=2 R3, R3, R6\n"
                  "iadd.last=2 R3, R3, R7\n iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n exit _\n", 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) {
            const uint32_t x = t, y = 4 * t, z = t;
            assert_int_equal(bench_out(&r.b)[t], x * y + z + y * z + x + z * y + x + z * x + y);
        }
        cycles[n] = count(&r, CTR_CYCLES);
        free[n] = count(&r, CTR_LARF_FREE);
        bench_close(&r.b);
    }
    assert_int_equal(cycles[2], cycles[1]);
    assert_int_equal(free[2] + 3, free[1]);
}

// ---- metadata ----

// A line that lies in DRAM waits for its metadata: of the first line they are read, of the others the cache has them.
static void test_metadata(void **state) {
    uint64_t cycles[3];
    (void)state;
    for (int n = 1; n <= 2; n++) {
        static Run r;
        start(&r, "fermi-caba", "hw-bdi", "dram.clock_permille=1000", "md.lookup_cycles", n);
        for (uint32_t i = 0; i < BENCH_BYTES / 4; i++) bench_in(&r.b)[i] = i / 32;
        bench_run(&r.b, ".kernel k\n.regs 63\n" BENCH_THREAD "iadd R50, c[0][0x8], R1\n ld.global.b32.u32 R3, [R50]\n shl R4, R3, 0x7\n"
                  "iadd R4, R4, R50\n ld.global.b32.u32 R3, [R4+256]\n shl R4, R3, 0x7\n iadd R4, R4, R50\n"
                  "ld.global.b32.u32 R3, [R4+512]\n iadd R3, R3, R0\n" BENCH_STORE("R3") "exit _\n", 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 6);
        cycles[n] = count(&r, CTR_CYCLES);
        bench_close(&r.b);
    }
    assert_int_equal(cycles[2], cycles[1] + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys), cmocka_unit_test(test_growth), cmocka_unit_test(test_buddy),
        cmocka_unit_test(test_collectors), cmocka_unit_test(test_chains), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_count_down), cmocka_unit_test(test_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
