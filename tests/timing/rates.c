// SPDX-License-Identifier: Apache-2.0
// Every unit takes one instruction per stated interval, for any latency, and a result is available
// after the stated latency and a constant.
#include "loops.h"

// Register file, write ports and entry that are in no unit's way.
// Collectors that all units share: with a few per unit, these limit the rate.
#define WIDE \
    "rf.banks=32 rf.entries=256 rf.write_ports=4 oc.collectors=32 oc.sp=0 oc.sfu=0 oc.mem=0 " \
    "sm.scheduler=lrr "

typedef struct MeasuredUnit {
    const char *name, *key;  // key: exec.<key>.latency, .interval
    const char *body;        // independent instructions
    int ports;               // instructions of the unit per interval
} MeasuredUnit;

#define FOUR(op, args) \
    op " R4, " args "\n" op " R5, " args "\n" op " R6, " args "\n" op " R7, " args "\n"
#define PAIRS(op, args) \
    op " R4.64, " args "\n" op " R6.64, " args "\n" op " R8.64, " args "\n" op " R10.64, " args "\n"

static const MeasuredUnit units[] = {
    {"integer", "int", FOUR("iadd", "R0, R1"), 2},
    {"compare", "cmp", FOUR("imnmx.u32", "R0, R1"), 2},
    {"shift", "shift", FOUR("shl", "R0, 0x3"), 2},
    {"integer multiply", "imul", FOUR("imul.lo.u32", "R0, R1"), 2},
    {"integer divide", "idiv", FOUR("idiv.u32", "R0, R1"), 1},
    {"f32", "fp32", FOUR("ffma", "R0, R1, R2"), 2},
    {"f32 divide", "fdiv", FOUR("fdiv", "R0, R1"), 1},
    {"f64", "fp64", PAIRS("dfma", "R16.64, R16.64, R16.64"), 2},
    {"f64 divide", "ddiv", PAIRS("ddiv", "R16.64, R16.64"), 1},
    {"special function", "sfu", FOUR("mufu.ex2", "R0"), 1},
    {"convert", "cvt", FOUR("cvt.f32.u32", "R0"), 2},
    {"shuffle", "shfl", FOUR("shfl.mode=3", "R0, 0x1, 0x1f"), 1},
    {"matrix", "mma", PAIRS("mma", "R0, R1, R0.64"), 2},
    {"address path", "mem", FOUR("ld.shared.b32.u32", "[R3]"), 1},
};

#define SETUP "lop3.lut=0xc0 R3, R1, 0x7f, RZ\nmov R16, 0x0\nmov R17, 0x3ff00000\n"

static double rate(const MeasuredUnit *u, int latency, int interval) {
    char sets[256];
    snprintf(sets, sizeof sets, WIDE "exec.%s.latency=%d exec.%s.interval=%d", u->key, latency,
             u->key, interval);
    const Loop loop = {.sets = sets, .setup = SETUP, .body = u->body, .copies = 10, .warps = 48};
    return loop_cycles(&loop);
}

// Two schedulers issue two instructions per cycle at most. The loop adds an add, a compare and a
// branch to its 40 instructions; the first two go to SP as well.
static double expected_rate(const MeasuredUnit *u, int interval) {
    const int add = !strcmp(u->key, "int") ? interval : 1,
              compare = !strcmp(u->key, "cmp") ? interval : 1;
    const double unit = u->ports == 1 ? interval : (40 * interval + add + compare) / 80.0,
                 issue = 43 / 80.0;
    return unit > issue ? unit : issue;
}

static void expect_rate(const char *what, double got, double want, double tolerance) {
    if (got > want * (1 + tolerance) || got < want * 0.99)
        fail_msg("%s: %.3f cycles per instruction, expected %.3f", what, got, want);
}

static void test_interval(void **state) {
    (void)state;
    static const int latencies[] = {1, 12, 36}, intervals[] = {1, 3};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++)
            for (size_t l = 0; l < sizeof latencies / sizeof *latencies; l++) {
                char what[96];
                snprintf(what, sizeof what, "%s, interval %d, latency %d", units[i].name,
                         intervals[k], latencies[l]);
                expect_rate(what, rate(&units[i], latencies[l], intervals[k]),
                            expected_rate(&units[i], intervals[k]), 0.05);
            }
}

// Presets with their own units, intervals, schedulers and ports. An instruction takes its interval
// over the ports of its unit, or the limit of four write ports, allocation and issue.
static double preset_rate(const MachineConfig *c, const MeasuredUnit *u, int interval) {
    const int sp = c->oc_dispatch_ports - 2;
    const double unit = (double)interval /
        (u->ports == 1               ? 1
             : c->sm_schedulers < sp ? c->sm_schedulers
                                     : sp);
    const int width = c->sm_schedulers < c->oc_alloc_ports ? c->sm_schedulers : c->oc_alloc_ports;
    const double issue = 43 / 40.0 / width, words = strstr(u->body, "R4.64") ? 0.5 : 0.25;
    return unit > issue ? unit > words ? unit : words : issue > words ? issue : words;
}

static void test_presets(void **state) {
    (void)state;
    static const char *const machines[] = {"gtx480", "kepler", "pascal"};
    for (int m = 0; m < 3; m++) {
        Bench b;
        bench_config(&b, machines[m], NULL);
        const int intervals[] = {
            b.cfg.exec_int_interval,  b.cfg.exec_cmp_interval,  b.cfg.exec_shift_interval,
            b.cfg.exec_imul_interval, b.cfg.exec_idiv_interval, b.cfg.exec_fp32_interval,
            b.cfg.exec_fdiv_interval, b.cfg.exec_fp64_interval, b.cfg.exec_ddiv_interval,
            b.cfg.exec_sfu_interval,  b.cfg.exec_cvt_interval,  b.cfg.exec_shfl_interval,
            b.cfg.exec_mma_interval,  b.cfg.exec_mem_interval};
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            const Loop loop = {.sets = WIDE,
                               .setup = SETUP,
                               .body = units[i].body,
                               .copies = intervals[i] > 32 ? 1 : 10,
                               .warps = 48,
                               .machine = machines[m]};
            char what[96];
            snprintf(what, sizeof what, "%s, %s", machines[m], units[i].name);
            expect_rate(what, loop_cycles(&loop), preset_rate(&b.cfg, &units[i], intervals[i]),
                        0.06);
        }
        arena_free(&b.arena);
    }
}

// ---- memory, ports, fetch ----

typedef struct Resource {
    const char *name, *sets, *setup, *body;
    int copies;
    double want, tolerance;
} Resource;

// R3: byte address of a word for each lane, `step` bytes apart.
#define APART(step) "lop3.lut=0xc0 R3, R2, 0x1f, RZ\nimul.lo.u32 R3, R3, " step "\n"
#define SHARED FOUR("ld.shared.b32.u32", "[R3]")
#define GLOBAL FOUR("ld.global.b32.u32", "[R3]")
#define CONSTANT FOUR("ldc.b32.u32.bank=0", "[R3]")
#define GLOBAL_APART(step) APART(step) "iadd R3, R3, c[0][0x8]\n"
#define QUADS(space) "ld." space ".b128.u32 R4.128, [R3]\nld." space ".b128.u32 R8.128, [R3]\n"
#define REDS "atom.add.global.b32.u32 _, [R3], 0x1\n"

static const Resource resources[] = {
    {"shared, no conflict", "", APART("0x4"), SHARED, 10, 1, 0.02},
    {"shared, one word", "", APART("0x0"), SHARED, 10, 1, 0.02},
    {"shared, 2-way", "", APART("0x8"), SHARED, 10, 2, 0.02},
    {"shared, 4-way", "", APART("0x10"), SHARED, 10, 4, 0.02},
    {"shared, 32-way", "", APART("0x80"), SHARED, 3, 32, 0.02},
    {"shared, no conflict, latency 60", "shared.latency=60", APART("0x4"), SHARED, 10, 1, 0.02},
    {"shared, no conflict, fermi collectors", "oc.collectors=16", APART("0x4"), SHARED, 10, 1,
     0.05},
    {"shared, 16 bytes", "", APART("0x10"), QUADS("shared"), 10, 4, 0.02},
    {"shared atomics", "", APART("0x4"), "atom.add.shared.b32.u32 _, [R3], 0x1\n", 20, 1, 0.02},
    {"shared stores", "", APART("0x4"), "st.shared.b32 _, [R3], R0\n", 40, 1, 0.02},
    {"constants, one word", "", APART("0x0"), CONSTANT, 10, 1, 0.02},
    {"constants, 4 words", "", "lop3.lut=0xc0 R3, R1, 0xc, RZ\n", CONSTANT, 10, 4, 0.02},
    {"constants, one word, latency 40", "const.latency=40", APART("0x0"), CONSTANT, 10, 1, 0.02},
    {"L1 hits, one line", "", GLOBAL_APART("0x4"), GLOBAL, 10, 1, 0.02},
    {"L1 hits, 2 lines", "", GLOBAL_APART("0x8"), GLOBAL, 10, 2, 0.02},
    {"L1 hits, 32 lines", "", GLOBAL_APART("0x80"), GLOBAL, 2, 32, 0.02},
    {"L1 hits, one line, latency 80", "l1.latency=80", GLOBAL_APART("0x4"), GLOBAL, 10, 1, 0.02},
    {"reductions, 32 words", "atom.interval=1", GLOBAL_APART("0x4"), REDS, 10, 128 / 25.6,
     0.02},  // L2
    {"reductions, 32 words, interval 9", "atom.interval=9", GLOBAL_APART("0x4"), REDS, 10, 9, 0.02},
    {"reductions, one word", "atom.interval=1", GLOBAL_APART("0x0"), REDS, 10, 32, 0.02},
    {"reductions, one word, interval 3", "atom.interval=3", GLOBAL_APART("0x0"), REDS, 10, 96,
     0.02},
    {"L2 hits, 25.6 bytes per cycle", "xbar.flit=128", GLOBAL_APART("0x4"),
     FOUR("ld.global.cg.b32.u32", "[R3]"), 10, 5, 0.03},
    {"L2 hits, 16 bytes per cycle back", "xbar.flit=16", GLOBAL_APART("0x4"),
     FOUR("ld.global.cg.b32.u32", "[R3]"), 10, 8, 0.03},
    {"stores, 16 bytes per cycle there", "xbar.flit=16", GLOBAL_APART("0x4"),
     "st.global.b32 _, [R3], R0\n", 40, 8, 0.03},
    {"1 write port", "rf.write_ports=1", "", FOUR("iadd", "R0, R1"), 10, 1 * 41 / 40.0, 0.02},
    {"1 write port, two registers", "rf.write_ports=1", "", PAIRS("mov", "R16.64"), 10,
     2 * 40.5 / 40.0, 0.02},
    {"2 write ports, two registers", "rf.write_ports=2", "", PAIRS("mov", "R16.64"), 10,
     40.5 / 40.0, 0.02},
    {"1 allocation port", "oc.alloc_ports=1", "", FOUR("iadd", "R0, R1"), 10, 42 / 40.0, 0.02},
    {"1 scheduler", "sm.schedulers=1", "", FOUR("iadd", "R0, R1"), 10, 43 / 40.0, 0.02},
    {"4 schedulers, fetch of 1 warp", "sm.schedulers=4 oc.alloc_ports=4 oc.dispatch_ports=6", "",
     FOUR("iadd", "R0, R1"), 10, 0.5 * 43 / 40, 0.04},
    {"4 schedulers, fetch of 2 warps",
     "sm.schedulers=4 oc.alloc_ports=4 oc.dispatch_ports=6 sm.fetch_warps=2", "",
     FOUR("iadd", "R0, R1"), 10, 0.25 * 43 / 40, 0.1},
    {"1 bank", "rf.banks=1 rf.entries=1024 rf.write_ports=1", "", FOUR("ffma", "R0, R1, R2"), 10,
     4 + 3 / 40.0, 0.05},
    {"2 banks", "rf.banks=2 rf.entries=1024 rf.write_ports=2", "", FOUR("ffma", "R0, R1, R2"), 10,
     2 + 1.5 / 40, 0.05},
    {"4 banks", "rf.banks=4 rf.entries=1024", "", FOUR("ffma", "R0, R1, R2"), 10, 1 + 0.75 / 40,
     0.05},
};

static void test_resources(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        const Resource *r = &resources[i];
        char sets[384];
        snprintf(sets, sizeof sets, WIDE "%s", r->sets);
        const Loop loop = {
            .sets = sets, .setup = r->setup, .body = r->body, .copies = r->copies, .warps = 48};
        expect_rate(r->name, loop_cycles(&loop), r->want, r->tolerance);
    }
}

// ---- latency ----

// A chain of one instruction: from issue to the issue of its dependent successor it takes the
// stated latency and a constant. The constant covers issue, entry register, collector and write
// port: 4 cycles with one register to read. Each further register that it reads or writes adds one.
typedef struct Chain {
    const char *name, *key, *body;
    int constant;
} Chain;

static const Chain chains[] = {
    {"integer", "exec.int", "iadd R4, R4, 0x1\n", 4},
    {"integer, two registers", "exec.int", "iadd R4, R4, R0\n", 5},
    {"compare", "exec.cmp", "imnmx.u32 R4, R4, R0\n", 5},
    {"shift", "exec.shift", "shl R4, R4, 0x1\n", 4},
    {"integer multiply", "exec.imul", "imul.lo.u32 R4, R4, R0\n", 5},
    {"integer divide", "exec.idiv", "idiv.u32 R4, R4, 0x3\n", 4},
    {"f32", "exec.fp32", "ffma R4, R4, R0, R1\n", 6},
    {"f32 divide", "exec.fdiv", "fdiv R4, R4, R0\n", 5},
    {"f64", "exec.fp64", "dadd R4.64, R4.64, R4.64\n", 5},
    {"f64 divide", "exec.ddiv", "ddiv R4.64, R4.64, R4.64\n", 5},
    {"special function", "exec.sfu", "mufu.ex2 R4, R4\n", 4},
    {"convert", "exec.cvt", "cvt.f32.u32 R4, R4\n", 4},
    {"shuffle", "exec.shfl", "shfl.mode=3 R4, R4, 0x1, 0x1f\n", 4},
    {"matrix", "exec.mma", "mma.mode=0 R4.64, R4, R5, R4.64\n", 5},
    {"shared, address path", "exec.mem", "ld.shared.b32.u32 R4, [R4]\n", 4 + 2},  // shared.latency
    // exec.mem.latency
    {"shared", "shared", "ld.shared.b32.u32 R4, [R4]\n", 4 + 4},
    {"constant", "const", "ldc.b32.u32.bank=0 R4, [R4+20]\n", 4 + 4},
    {"L1 hit", "l1", "ld.global.b32.u32 R16, [R16]\n", 4 + 4},
};

static int chain_cycles(const Chain *c, int latency) {
    char sets[128];
    int n = snprintf(sets, sizeof sets, "rf.banks=32 %s.latency=%d", c->key, latency);
    if (!strncmp(c->key, "exec", 4))
        snprintf(sets + n, sizeof sets - (size_t)n, " %s.interval=1", c->key);
    Loop loop = {.sets = sets,
                 .setup =
                     "mov R4, 0x0\nmov R5, 0x0\nmov R16, c[0][0x8]\nst.global.b32 _, [R16], R16\n",
                 .body = c->body,
                 .copies = 30,
                 .warps = 1};
    const uint64_t more = loop_run(&loop, 2, NULL);
    loop.copies = 10;
    const uint64_t cycles = more - loop_run(&loop, 2, NULL);
    assert_int_equal(cycles % 40, 0);
    return (int)cycles / 40;
}

static void test_latency(void **state) {
    (void)state;
    static const int latencies[] = {1, 30, 47};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int k = 0; k < 3; k++) {
            const int want = latencies[k] + chains[i].constant,
                      got = chain_cycles(&chains[i], latencies[k]);
            if (got != want)
                fail_msg("%s, latency %d: %d cycles, expected %d", chains[i].name, latencies[k],
                         got, want);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval), cmocka_unit_test(test_presets),
        cmocka_unit_test(test_resources), cmocka_unit_test(test_latency)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
