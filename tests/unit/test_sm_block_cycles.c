// SPDX-License-Identifier: Apache-2.0
// Blocks that take two cycles at 700 MHz (bench/area). With blocks.registered the SM keeps to that:
// which stage each block delays, by how much, and that kernels compute the same.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run {
    Bench b;
    Arch arch;
} Run;

static void start(Run *r, const char *machine, const char *arch, const char *sets,
                  const char *block, int cycles) {
    char text[256];
    memset(r, 0, sizeof *r);
    snprintf(text, sizeof text, "%s blocks.registered=%s", sets, cycles > 1 ? block : "none");
    bench_config(&r->b, machine, text);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch});
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// ---- keys ----

static void test_key(void **state) {
    static const struct {
        const char *value;
        int flags;
    } good[] = {{"none", 0},
                {"all", 127},
                {"rf_datapath", REGISTERED_RF_DATAPATH},
                {"rfv_throttle", REGISTERED_RFV_THROTTLE},
                {"bypass_collector", REGISTERED_BYPASS_COLLECTOR},
                {"reg_cache", REGISTERED_REG_CACHE},
                {"pmode", REGISTERED_PMODE},
                {"ref_count", REGISTERED_REF_COUNT},
                {"md_cache", REGISTERED_MD_CACHE},
                {"md_cache+rf_datapath", REGISTERED_RF_DATAPATH | REGISTERED_MD_CACHE}};
    static const char *const bad[] = {
        "", "2", "banked_rf", "rf_datapath+", "+md_cache", "none+md_cache", "md_cache,pmode"};
    static Bench b;
    (void)state;
    bench_config(&b, "fermi", "");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Diag d = {0};
        char set[64];
        snprintf(set, sizeof set, "blocks.registered=%s", good[i].value);
        assert_true(config_set(&b.cfg, set, &d));
        assert_int_equal(b.cfg.blocks_registered, good[i].flags);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Diag d = {0};
        char set[64], text[256];
        snprintf(set, sizeof set, "blocks.registered=%s", bad[i]);
        snprintf(
            text, sizeof text,
            "blocks.registered is none, all, or some of rf_datapath|rfv_throttle|bypass_collector|"
            "reg_cache|pmode|ref_count|md_cache joined by +, not `%s`",
            bad[i]);
        assert_false(config_set(&b.cfg, set, &d));
        assert_int_equal(d.status, EXIT_USAGE);
        assert_non_null(strstr(d.text, text));
    }
    assert_int_equal(b.cfg.blocks_registered, REGISTERED_RF_DATAPATH | REGISTERED_MD_CACHE);
    FILE *out = tmpfile();
    char line[256];
    config_print(out, &b.cfg);
    rewind(out);
    bool printed = false;
    while (fgets(line, sizeof line, out))
        printed |= !strcmp(line, "blocks.registered: rf_datapath+md_cache\n");
    assert_true(printed);
    fclose(out);
    arena_free(&b.arena);
}

// ---- results that need a row ----

// R3 outgrows its register three times; each time its requirement is looked up a cycle later.
static void test_growth(void **state) {
    static const char *const archs[] = {"packing", "firstfit", "corf", "corf++"};
    (void)state;
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
        uint64_t cycles[3];
        for (int n = 1; n <= 2; n++) {
            static Run r;
            start(&r, "fermi", archs[a], "", "rf_datapath", n);
            bench_run(&r.b,
                      ".kernel k\n.regs 63\n" BENCH_THREAD
                      "mov R3, 0x1\n iadd R3, R3, 0x100\n iadd R3, R3, 0x10000\n "
                      "iadd R3, R3, 0x1000000\n iadd R3, R3, R0\n" BENCH_STORE("R3") "exit _\n",
                      1, 32, 0);
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
             BENCH_THREAD "mov R10, 0x1\n iadd R11, R10, 0x2\n iadd R12, R11, R10\n" BENCH_STORE(
                 "R12") "exit _\n");
    for (int n = 1; n <= 2; n++) {
        static Run r;
        start(&r, "fermi", "corf", "", "rf_datapath", n);
        bench_run(&r.b, program, 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], 4);
        assert_int_equal(count(&r, CTR_PAIRS_FIT), 1);
        cycles[n] = count(&r, CTR_CYCLES);
        bench_close(&r.b);
    }
    assert_int_equal(cycles[2], cycles[1] + 1);
}

// ---- collectors ----

// Collectors that are entered in a cycle, beside those that were free in the cycle before and were
// not entered then.
typedef struct Entered {
    const Sm *sm;
    int free, before, entered, sum, early;
} Entered;

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

static const Listener entered_listener = {
    .entered = on_entered, .cycle_begin = on_cycle_begin, .cycle_end = on_cycle_end};

#define FOUR \
    "imad.lo.u32 R3, R0, R1, R2\n imad.lo.u32 R4, R1, R2, R0\n imad.lo.u32 R6, R2, R1, R0\n " \
    "imad.lo.u32 R7, R2, R0, R1\n"

static void test_collectors(void **state) {
    static const char *const archs[] = {"packing", "corf", "corf++", "rfv"};
    (void)state;
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++)
        for (int n = 1; n <= 2; n++) {
            static Run r;
            start(&r, "fermi", archs[a], "oc.collectors=4", "rf_datapath", n);
            Entered s = {.sm = r.b.gpu->sms, .free = 4};
            events_subscribe(r.b.gpu->sms, &entered_listener, &s);
            bench_run(&r.b,
                      ".kernel k\n.regs 20\n" BENCH_THREAD FOUR FOUR
                      "iadd R3, R3, R4\n iadd R3, R3, R6\n iadd R3, R3, R7\n"
                      "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n exit _\n",
                      4, 256, 0);
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

static uint64_t chain(const char *machine, const char *arch, const char *key, int cycles,
                      int length) {
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
    static const struct {
        const char *machine, *arch, *key;
        unsigned more;
    } cases[] = {{"fermi", "rfc", "reg_cache", 1},
                 {"pascal", "bow", "bypass_collector", 2},
                 {"pascal", "bow-wb", "bypass_collector", 2},
                 {"pascal", "bow-nofwd", "bypass_collector", 2}};
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

typedef struct Pace {
    uint64_t seen, last;
    int n, close;
} Pace;

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
        start(&r, "fermi", "rfv", "rf.entries=16", "rfv_throttle", n);
        events_subscribe(r.b.gpu->sms, &pace_listener, &p);
        bench_run(&r.b,
                  ".kernel k\n.regs 20\n" BENCH_THREAD FOUR
                  "iadd.last=2 R3, R3, R4\n iadd.last=2 R3, R3, R6\n iadd R3, R3, R7\n"
                  "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n exit _\n",
                  20, 64, 0);
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
        start(&r, "pascal-larf", "larf", "", "ref_count", n);
        bench_run(&r.b,
                  ".kernel k\n.regs 20\n" BENCH_THREAD FOUR
                  "iadd.last=2 R3, R3, R4\n iadd.last=2 R3, R3, R6\n"
                  "iadd.last=2 R3, R3, R7\n iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n "
                  "exit _\n",
                  1, 32, 0);
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

// A line in DRAM waits for its metadata: those of the first line are read, those of the others hit
// the cache.
static void test_metadata(void **state) {
    uint64_t cycles[3];
    (void)state;
    for (int n = 1; n <= 2; n++) {
        static Run r;
        start(&r, "fermi-caba", "hw-bdi", "dram.clock_permille=1000", "md_cache", n);
        for (uint32_t i = 0; i < BENCH_BYTES / 4; i++) bench_in(&r.b)[i] = i / 32;
        bench_run(&r.b,
                  ".kernel k\n.regs 63\n" BENCH_THREAD
                  "iadd R50, c[0][0x8], R1\n ld.global.b32.u32 R3, [R50]\n shl R4, R3, 0x7\n"
                  "iadd R4, R4, R50\n ld.global.b32.u32 R3, [R4+256]\n shl R4, R3, 0x7\n iadd R4, "
                  "R4, R50\n"
                  "ld.global.b32.u32 R3, [R4+512]\n iadd R3, R3, R0\n" BENCH_STORE("R3") "exit _\n",
                  1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 6);
        cycles[n] = count(&r, CTR_CYCLES);
        bench_close(&r.b);
    }
    assert_int_equal(cycles[2], cycles[1] + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key),        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_buddy),      cmocka_unit_test(test_collectors),
        cmocka_unit_test(test_chains),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_count_down), cmocka_unit_test(test_metadata)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
