// SPDX-License-Identifier: Apache-2.0
// Fetch: its width, the instruction cache and constant operands, against cycles and misses worked
// out by hand.
#include "sm_support.h"

enum { NOPS = 256 };  // 16 lines of 128 bytes

// nops, which nothing but fetch and issue holds up; with `loops` they are run that many times.
static const char *program(int nops, int loops) {
    static char text[65536];
    int n = snprintf(text, sizeof text, ".kernel nops\n.regs 63\n.preds 1\n%s",
                     loops ? "mov R5, 0x0\n" : "");
    for (int i = loops ? 1 : 0; i < nops; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "nop _\n");
    if (loops)
        snprintf(text + n, sizeof text - (size_t)n,
                 "iadd R5, R5, 0x1\n isetp.lt.and.u32 _|P0, R5, 0x%x\n"
                 "@P0 bra _, L1, L%d\n exit _\n",
                 loops, nops + 3);
    else snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    return text;
}

static uint64_t cycles_of(const char *machine, const char *sets, const char *text, uint32_t threads,
                          Counters *counters) {
    Bench b;
    bench_open(&b, machine, sets);
    bench_run(&b, text, 1, threads, 0);
    uint64_t cycles = gpu_cycle(b.gpu);
    if (counters) *counters = *gpu_counters(b.gpu);
    bench_close(&b);
    return cycles;
}

// Two instructions for each warp fetched for, at any issue rate of the schedulers.
static void test_width(void **state) {
    (void)state;
    static const struct { int warps, most; } WIDTH[] = {{1, 2}, {2, 4}, {4, 4}};
    for (int i = 0; i < 3; i++) {
        char set[64];
        snprintf(set, sizeof set, "sm.fetch_warps=%d", WIDTH[i].warps);
        uint64_t cycles = cycles_of("kepler", set, program(2 * NOPS, 0), 512, NULL);
        uint64_t expected = 16u * (2 * NOPS + 1) / (unsigned)WIDTH[i].most;
        if (cycles < expected || cycles > expected + 40)
            fail_msg("%s: %llu cycles, expected %llu", set, (unsigned long long)cycles,
                     (unsigned long long)expected);
    }
    // One warp cannot be fetched for twice in a cycle.
    assert_int_equal(cycles_of("kepler", "sm.fetch_warps=4", program(NOPS, 0), 32, NULL),
                     cycles_of("kepler", "sm.fetch_warps=1", program(NOPS, 0), 32, NULL));
}

static void test_straight_line(void **state) {
    (void)state;
    Counters c;
    uint64_t none = cycles_of("fermi", NULL, program(NOPS - 1, 0), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_HITS] + c.v[CTR_ICACHE_MISSES] + c.v[CTR_ICACHE_WAITS], 0);
    uint64_t slow = cycles_of("fermi", "icache.bytes=2048 icache.miss_latency=300",
                              program(NOPS - 1, 0), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 16);
    // two instructions into an empty buffer, then each that issues
    assert_int_equal(c.v[CTR_ICACHE_HITS], 16 * 15);
    assert_int_equal(c.v[CTR_ICACHE_WAITS], 16 * 300);
    // Every line is waited for; from its arrival on nothing differs except the instructions
    // buffered at the miss.
    assert_in_range(slow, none + 16 * 300 - 16 * 2, none + 16 * 300);
    uint64_t slower = cycles_of("fermi", "icache.bytes=2048 icache.miss_latency=400",
                                program(NOPS - 1, 0), 32, NULL);
    assert_int_equal(slower - slow, 16 * 100);
    assert_true(c.v[CTR_STALL_IBUFFER] >= 16 * (300 - 3));
    // Warps that reach a line together wait for it together.
    cycles_of("fermi", "icache.bytes=2048", program(NOPS - 1, 0), 256, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 16);
}

// A loop of 16 lines: the cache of 16 lines keeps the loop, one of 8 lines keeps nothing (LRU).
static void test_loop(void **state) {
    (void)state;
    Counters c;
    cycles_of("fermi", "icache.bytes=2048", program(NOPS - 4, 5), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 16);
    cycles_of("fermi", "icache.bytes=1024", program(NOPS - 4, 5), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 5 * 16);
    // One way for each set and 16 sets hold it too; 12 ways of one set do not.
    cycles_of("fermi", "icache.bytes=2048 icache.ways=1", program(NOPS - 4, 5), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 16);
    cycles_of("fermi", "icache.bytes=1536 icache.ways=12", program(NOPS - 4, 5), 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 5 * 16);
}

// Four warps go to four lines: with four entries they wait together, with one entry one after the
// other.
static void test_entries(void **state) {
    (void)state;
    char text[8192];
    int n = snprintf(text, sizeof text, ".kernel far\n.regs 63\n.preds 4\n s2r R0, %%tid.x\n");
    for (int i = 1; i < 4; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "isetp.lt.and.u32 _|P%d, R0, 0x%x\n @P%d bra _, L%d, L%d\n", i, 32 * i, i,
                      16 * i, 16 * i);
    n += snprintf(text + n, sizeof text - (size_t)n, "bra _, L64, L64\n");
    for (int i = 8; i < 64; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      i % 16 == 1 && i > 16 ? "exit _\n" : "nop _\n");
    snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    const char *sets = "icache.bytes=2048 icache.miss_latency=1000 icache.mshrs=%d";
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        char set[128];
        Counters c;
        snprintf(set, sizeof set, sets, i ? 4 : 1);
        cycles[i] = cycles_of("fermi", set, text, 128, &c);
        assert_int_equal(c.v[CTR_ICACHE_MISSES], 5);  // the first line and four others
    }
    assert_in_range(cycles[1], 2000, 2100);
    assert_in_range(cycles[0], 5000, 5100);
}

// The cache keeps its contents for the next launch, also beside another kernel's code.
static void test_launches(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", "icache.bytes=2048");
    IsaProgram *p[2];
    for (int i = 0; i < 2; i++) {
        const char *text = program(31 + 16 * i, 0);
        p[i] = bench_parse(&b, arena_strndup(&b.arena, text, strlen(text)));
    }
    static const int MISSES[] = {2, 5, 5, 5};
    for (int i = 0; i < 4; i++) {
        GpuLaunch l = {.program = p[i % 2], .grid = {1, 1, 1}, .block = {32, 1, 1}};
        if (!gpu_run(b.gpu, &l, &b.d)) fail_msg("%s", b.d.text);
        assert_int_equal(bench_count(&b, CTR_ICACHE_MISSES), MISSES[i]);
    }
    bench_close(&b);
}

// The smallest possible cache: one line for all warps; every run ends, for any order of fetches.
static void test_smallest(void **state) {
    (void)state;
    static const char *const SETS[] = {
        "icache.bytes=16 icache.line=16 icache.ways=1 icache.mshrs=1 icache.miss_latency=1",
        "icache.bytes=16 icache.line=16 icache.ways=1 icache.mshrs=4 icache.miss_latency=1 "
        "sm.fetch_warps=4",
        "icache.bytes=16 icache.line=16 icache.ways=1 icache.mshrs=3 icache.miss_latency=37 "
        "sm.ibuffer=1",
        "icache.bytes=32 icache.line=16 icache.ways=2 icache.mshrs=4 icache.miss_latency=2 "
        "sm.ibuffer=8",
    };
    for (int i = 0; i < 4; i++) {
        Counters c;
        cycles_of("fermi", SETS[i], program(61, 3), 512, &c);
        assert_int_equal(c.v[CTR_WARP_INSTS], 16 * (1 + 3 * 63 + 1));
        assert_true(c.v[CTR_ICACHE_MISSES] >= 32);
    }
}

// Odd and even warps loop in two lines, but the instruction cache holds only one line. An arriving
// line serves a warp before the next miss replaces it, else no warp would ever advance.
static void test_two_lines_in_turn(void **state) {
    (void)state;
    const char *text =
        ".kernel turn\n.regs 63\n.preds 2\n mov R5, 0x0\n s2r R0, %tid.x\n"
        "lop3.lut=0xc0 R3, R0, 0x20, RZ\n isetp.lt.and.u32 _|P1, RZ, R3\n @P1 bra _, L10, L14\n"
        "nop _\nL6:\n iadd R5, R5, 0x1\n bra _, L6, L14\n nop _\n nop _\n"
        "L10:\n iadd R5, R5, 0x1\n bra _, L10, L14\n nop _\n nop _\n exit _\n";
    Bench b;
    bench_open(&b, "fermi",
               "run.max_cycles=4000 icache.bytes=16 icache.line=16 icache.ways=1 icache.mshrs=1 "
               "icache.miss_latency=1");
    assert_false(bench_try(&b, text, 1, 256, 0, 0));  // the loops have no end
    assert_int_equal(b.d.status, EXIT_HANG);
    assert_true(bench_count(&b, CTR_WARP_INSTS) > 1000);
    bench_close(&b);
}

// A fetch ends with its line: instruction 15 is the last of its line, 16 the first of the next.
static void test_end_of_line(void **state) {
    (void)state;
    char text[1024];
    Counters c;
    int n = snprintf(text, sizeof text, ".kernel end\n.regs 63\n bra _, L15, L15\n");
    for (int i = 1; i < 16; i++) n += snprintf(text + n, sizeof text - (size_t)n, "nop _\n");
    snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    cycles_of("fermi", "icache.bytes=2048", text, 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 2);
}

// Fetch runs ahead of the branch at the end of the first line into the next, which takes 1000
// cycles. The branch is taken ten times before; each time the warp stops waiting for the line,
// because it does not use it.
static void test_branch_ends_the_wait(void **state) {
    (void)state;
    char text[1024];
    int n = snprintf(text, sizeof text, ".kernel ahead\n.regs 63\n.preds 1\n mov R5, 0x0\n");
    for (int i = 1; i < 13; i++) n += snprintf(text + n, sizeof text - (size_t)n, "nop _\n");
    snprintf(text + n, sizeof text - (size_t)n,
             "iadd R5, R5, 0x1\n isetp.lt.and.u32 _|P0, R5, 0xb\n"
             "@P0 bra _, L1, L16\n exit _\n");
    Counters c;
    uint64_t none = cycles_of("fermi", NULL, text, 32, NULL);
    uint64_t cycles =
        cycles_of("fermi", "icache.bytes=2048 icache.miss_latency=1000", text, 32, &c);
    assert_int_equal(c.v[CTR_ICACHE_MISSES], 2);
    // of which all but the first pass lie within the second 1000
    assert_in_range(none, 11 * 15, 11 * 35);
    assert_in_range(cycles, 2000, 2000 + 40);
}

// ---- constant operands ----

// Runs a program with 512 bytes of parameters; counters of the run.
static uint64_t run_with_params(const char *sets, const char *text, uint32_t threads, Counters *c,
                                ExitStatus status) {
    Bench b;
    static const uint8_t params[512];
    bench_open(&b, "fermi", sets);
    IsaProgram *p = bench_parse(&b, text);
    p->param_bytes = sizeof params;
    GpuLaunch l = {.program = p, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = params};
    bool ok = gpu_run(b.gpu, &l, &b.d);
    if (ok ? status != EXIT_PASS : b.d.status != status) fail_msg("%s", ok ? "passed" : b.d.text);
    *c = *gpu_counters(b.gpu);
    uint64_t cycles = gpu_cycle(b.gpu);
    bench_close(&b);
    return cycles;
}

// Parameters of two lines: each is waited for where it is used first; the second use of a line
// finds it.
static void test_constant_operands(void **state) {
    (void)state;
    const char *text =
        ".kernel params\n.regs 63\n nop _\n nop _\n mov R1, c[0][0x4]\n mov R2, c[0][0x8]\n nop _\n"
        "mov R3, c[0][0x84]\n mov R4, c[0][0x80]\n mov R5, c[0][0x4]\n exit _\n";
    Counters c;
    uint64_t hit = run_with_params("const.operands=hit", text, 32, &c, EXIT_PASS);
    assert_int_equal(c.v[CTR_CONST_OPERAND_MISSES] + c.v[CTR_CONST_WAITS], 0);
    uint64_t slow =
        run_with_params("const.operands=cache const.miss_latency=300", text, 32, &c, EXIT_PASS);
    assert_int_equal(c.v[CTR_CONST_OPERAND_MISSES], 2);
    assert_int_equal(c.v[CTR_CONST_WAITS], 2 * 300);
    assert_in_range(slow, hit + 2 * 300 - 4, hit + 2 * 300);
    uint64_t slower =
        run_with_params("const.operands=cache const.miss_latency=400", text, 32, &c, EXIT_PASS);
    assert_int_equal(slower - slow, 2 * 100);
    // All warps wait for the same line; with lines of 256 bytes there is one.
    run_with_params("const.operands=cache", text, 256, &c, EXIT_PASS);
    assert_int_equal(c.v[CTR_CONST_OPERAND_MISSES], 2);
    run_with_params("const.operands=cache const.line=256", text, 256, &c, EXIT_PASS);
    assert_int_equal(c.v[CTR_CONST_OPERAND_MISSES], 1);
    // ldc looks in the same cache.
    run_with_params("const.operands=cache",
                    ".kernel both\n.regs 63\n mov R1, c[0][0x4]\n mov R3, 0x10\n"
                    "ldc.b32.u32.bank=0 R2, [R3]\n exit _\n",
                    32, &c, EXIT_PASS);
    assert_int_equal(c.v[CTR_CONST_OPERAND_MISSES], 1);
    assert_int_equal(c.v[CTR_CONST_ACCESSES], 1);
    assert_int_equal(c.v[CTR_CONST_MISSES], 0);
}

// Odd and even warps use two lines that evict each other: a line that arrived for a warp still
// serves it.
static void test_constants_in_turn(void **state) {
    (void)state;
    const char *text =
        ".kernel turn\n.regs 63\n.preds 2\n mov R5, 0x0\n s2r R0, %tid.x\n"
        "lop3.lut=0xc0 R3, R0, 0x20, RZ\n isetp.lt.and.u32 _|P1, RZ, R3\n @P1 bra _, L8, L10\n"
        "nop _\nL6:\n mov R5, c[0][0x0]\n bra _, L6, L10\n"
        "L8:\n mov R5, c[0][0x100]\n bra _, L8, L10\n exit _\n";
    Counters c;
    run_with_params(
        "run.max_cycles=4000 const.operands=cache const.bytes=256 const.ways=1 const.latency=1 "
        "const.miss_latency=1",
        text, 256, &c, EXIT_HANG);
    assert_true(c.v[CTR_WARP_INSTS] > 1000);
    assert_true(c.v[CTR_CONST_OPERAND_MISSES] > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_width),
                                       cmocka_unit_test(test_straight_line),
                                       cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_launches),
                                       cmocka_unit_test(test_smallest),
                                       cmocka_unit_test(test_two_lines_in_turn),
                                       cmocka_unit_test(test_end_of_line),
                                       cmocka_unit_test(test_branch_ends_the_wait),
                                       cmocka_unit_test(test_constant_operands),
                                       cmocka_unit_test(test_constants_in_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
