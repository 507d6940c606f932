// SPDX-License-Identifier: Apache-2.0
// Bypassing collectors on the SM: the paper's table 3.1, distances, events that age a window, late
// and partial results. Also: warps that end, rows that run short, values without a home, counters
// that add up, refusals.
#include "sm_support.h"

#include "compile/hints/window_hints.h"
#include "sm/listeners/explain_text.h"
#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

static const char *const archs[] = {"bow", "bow-wb", "bow-wr", "bow-wr-half", "bow-nofwd"};
enum { ARCHS = sizeof archs / sizeof *archs };

typedef struct Run {
    Bench b;
    Arch arch;
    IsaProgram *program;
    SmHooks hooks;
} Run;

static void open_run(Run *r, const char *arch, const char *sets) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "pascal", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch, .hooks = &r->hooks});
}

// The program unchanged, or with the write bits that the compiler finds.
static bool start(Run *r, const char *text, uint32_t ctas, uint32_t threads) {
    IsaProgram *p = bench_parse(&r->b, text);
    const WindowNeed need = {.places = r->b.cfg.bow_window,
                             .rows = r->b.cfg.bow_entries,
                             .homeless = r->arch.compiler.homeless};
    if (r->arch.compiler.write_bits && !p->window) p = window_assign(p, &need, NULL, &r->b.arena);
    BenchParams params = {r->b.out, r->b.in, 0, 0};
    p->param_bytes = sizeof params;
    r->program = p;
    GpuLaunch l = {.program = p,
                   .grid = {ctas, 1, 1},
                   .block = {threads, 1, 1},
                   .shared_bytes = 64,
                   .params = (const uint8_t *)&params};
    return gpu_run(r->b.gpu, &l, &r->b.d);
}

static void run(Run *r, const char *arch, const char *sets, const char *text, uint32_t ctas,
                uint32_t threads) {
    open_run(r, arch, sets);
    if (!start(r, text, ctas, threads)) fail_msg("%s: %s", arch, r->b.d.text);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

static void expect_out(const Run *r, const char *arch, uint32_t threads, uint32_t factor,
                       uint32_t base) {
    const uint32_t *out =
        (const uint32_t *)device_at(&((Run *)(uintptr_t)r)->b.memory, r->b.out, BENCH_BYTES);
    for (uint32_t t = 0; t < threads; t++)
        if (out[t] != factor * t + base)
            fail_msg("%s: thread %u: %u, expected %u", arch, t, out[t], factor * t + base);
}

// ---- table 3.1 ----

#define SNIPPET \
    ".kernel k\n.regs 10\n.preds 3\n" \
    "ld.shared.b32.u32 R3, [R8]\n" /* line 2 */ \
    "mov R2, 0x5\n imul.lo.u32 R1, R0, R2\n imad.lo.u32 R1, R0, R2, R1\n shl R1, R1, 0x10\n" \
    "imad.lo.u32 R0, R0, R2, R1\n iadd R0, R0, c[0][0x14]\n iadd R0, R9, R0\n" \
    "iadd R1, R0, 0x4\n" /* line 10 */ \
    "ld.shared.b32.u32 R2, [R1]\n plop3.lut=0xf0 _|P1, {P2}\n st.shared.b32 _, [c[0][0x14]], R2\n" \
    "isetp.lt.and.s32 _|P0, R3, R1\n exit _\n"

// The paper's numbers of writes. With a window of 2 lines 7 and, in bow-wb, 13 find R2 held for its
// save.
static void test_table_3_1(void **state) {
    static const struct {
        const char *arch, *sets;
        unsigned writes, reads, forwards;
    } expected[] = {
        {"bow", "bow.window=3", 10, 5, 13},       {"bow-wb", "bow.window=3", 5, 4, 14},
        {"bow-wr", "bow.window=3", 2, 4, 14},     {"bow-wr-half", "bow.window=3", 2, 4, 14},
        {"bow-nofwd", "bow.window=3", 10, 18, 0}, {"bow", "bow.window=2", 10, 8, 10},
        {"bow-wb", "bow.window=2", 6, 6, 12},     {"bow-wr", "bow.window=2", 4, 7, 11},
        {"bow", "bow.window=4", 10, 4, 14},       {"bow-wb", "bow.window=4", 3, 4, 14},
        {"bow-wr", "bow.window=4", 1, 4, 14}};
    static Run r;
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        run(&r, expected[i].arch, expected[i].sets, SNIPPET, 1, 32);
        const unsigned found[] = {(unsigned)count(&r, CTR_RF_WRITES),
                                  (unsigned)count(&r, CTR_RF_READS),
                                  (unsigned)count(&r, CTR_BOW_FORWARDS)};
        if (found[0] != expected[i].writes || found[1] != expected[i].reads ||
            found[2] != expected[i].forwards)
            fail_msg("%s %s: %u writes, %u reads, %u forwards, expected %u, %u, %u",
                     expected[i].arch, expected[i].sets, found[0], found[1], found[2],
                     expected[i].writes, expected[i].reads, expected[i].forwards);
        assert_int_equal(count(&r, CTR_BOW_SOURCES), 18);
        bench_close(&r.b);
    }
}

// ---- distances ----

static uint64_t forwards(Run *r, const char *arch, const char *sets, const char *between,
                         int places) {
    char text[1024] =
        ".kernel k\n.regs 63\n.preds 3\n" BENCH_THREAD "isetp.lt.and.s32 _|P1, R0, 0x0\n";
    for (int i = 0; i < 8; i++) strcat(text, "nop _\n");
    strcat(text, "mov R3, 0x5\n");
    for (int i = 1; i < places; i++) strcat(text, between);
    strcat(text, "iadd R4, R3, R0\n" BENCH_STORE("R4") "exit _\n");
    run(r, arch, sets, text, 1, 32);
    expect_out(r, arch, 32, 1, 5);
    const uint64_t n = count(r, CTR_BOW_FORWARDS) - count(r, CTR_BOW_FORWARDS_HELD);
    bench_close(&r->b);
    return n;
}

// A register is forwarded if it is less than a window behind its last use, over any occupant of a
// place. Metadata takes no place.
static void test_distances(void **state) {
    static const char *const fillers[] = {"nop _\n", "isetp.lt.and.s32 _|P2, 0x1, 0x2\n",
                                          "@P1 mov R5, 0x1\n", "membar _\n"};
    static Run r;
    (void)state;
    for (int window = 2; window <= 7; window++) {
        char sets[40];
        snprintf(sets, sizeof sets, "bow.window=%d", window);
        for (size_t a = 0; a < 3; a++)
            for (size_t f = 0; f < sizeof fillers / sizeof *fillers; f++) {
                const uint64_t far = forwards(&r, archs[a], sets, fillers[f], 12);
                for (int d = 1; d <= 8; d++) {
                    const uint64_t n = forwards(&r, archs[a], sets, fillers[f], d) - far;
                    if (n != (d < window))
                        fail_msg("%s, window %d, distance %d over %s: %d forwarded", archs[a],
                                 window, d, fillers[f], (int)n);
                }
            }
    }
    assert_int_equal(forwards(&r, "bow", "", "hint _, 0x3f.64\n", 9),
                     forwards(&r, "bow", "", "", 1));
}

#define AGAIN "nop _\n iadd R4, R3, R4\n"
#define AGAIN10 AGAIN AGAIN AGAIN AGAIN AGAIN AGAIN AGAIN AGAIN AGAIN AGAIN

// Read in every second instruction, a register stays: one read of the register file.
static void test_stays(void **state) {
    static Run r;
    uint64_t reads[2];
    (void)state;
    for (int more = 0; more < 2; more++) {
        run(&r, "bow", "",
            more ? ".kernel k\n.regs 63\n" BENCH_THREAD
                   "mov R4, 0x0\n mov R3, 0x1\n nop _\n nop _\n nop _\n nop _\n" AGAIN10 AGAIN10
                       AGAIN10 AGAIN10 AGAIN10 BENCH_STORE("R4") "exit _\n"
                 : ".kernel k\n.regs 63\n" BENCH_THREAD
                   "mov R4, 0x0\n mov R3, 0x1\n nop _\n nop _\n nop _\n nop _\n" AGAIN BENCH_STORE(
                       "R4") "exit _\n",
            1, 32);
        expect_out(&r, "bow", 32, 0, more ? 50 : 1);
        reads[more] = count(&r, CTR_RF_READS);
        bench_close(&r.b);
    }
    assert_int_equal(reads[0], reads[1]);
}

// A reader that is switched off in all lanes names the register: the true one, four places behind,
// finds it.
static void test_switched_off_reader(void **state) {
    static const char *const text =
        ".kernel k\n.regs 16\n.preds 2\n" BENCH_THREAD
        "isetp.lt.and.s32 _|P1, R0, 0x0\n nop _\n nop _\n nop _\n"
        "iadd R3, R0, 0x7\n nop _\n @P1 iadd R4, R3, 0x1\n nop _\n iadd R5, R3, 0x1\n"
        "iadd R6, c[0][0x0], R1\n st.global.b32 _, [R6], R5\n exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 1, 32);
        expect_out(&r, archs[a], 32, 1, 8);
        if (r.arch.compiler.write_bits)
            assert_true(count(&r, CTR_BOW_DEAD) + count(&r, CTR_BOW_DROPPED) > 0);
        bench_close(&r.b);
    }
}

// One warp with all rows: the listener counts every forward of `bow` (stats.reuse).
static void test_as_counted(void **state) {
    static const char *const texts[] = {
        SNIPPET,
        ".kernel k\n.regs 63\n.preds 3\n" BENCH_THREAD
        "mov R4, 0x0\n mov R3, 0x1\n isetp.lt.and.u32 _|P0, R0, 0x10\n" AGAIN10
        "@P0 iadd R5, R3, R4\n iadd R6, R4, R3\n imad.lo.u32 R7, R6, R3, R4\n" AGAIN10 BENCH_STORE(
            "R4") "exit _\n"};
    static Run r;
    (void)state;
    for (int t = 0; t < 2; t++)
        for (unsigned window = 2; window <= 7; window++) {
            char sets[60];
            snprintf(sets, sizeof sets, "stats.reuse=1 bow.window=%u", window);
            run(&r, "bow", sets, texts[t], 1, 32);
            assert_int_equal(count(&r, CTR_BOW_FORWARDS), count(&r, CTR_REUSE_HITS_2 + window - 2));
            assert_int_equal(count(&r, CTR_BOW_SOURCES), count(&r, CTR_REUSE_SOURCES));
            bench_close(&r.b);
        }
}

// ---- results ----

// A load that arrives when its window has passed is written at once; one that is used next is
// forwarded, at any delay.
static void test_late(void **state) {
#define LOAD "iadd R5, c[0][0x8], R1\n ld.global.b32.u32 R3, [R5]\n"
    static const char *const used_late =
        ".kernel k\n.regs 63\n" BENCH_THREAD LOAD
        "mov R10, 0x1\n mov R11, 0x2\n mov R12, 0x3\n mov R13, 0x4\n iadd R4, R3, R0\n" BENCH_STORE(
            "R4") "exit _\n";
    static const char *const used_next =
        ".kernel k\n.regs 63\n" BENCH_THREAD LOAD "iadd R4, R3, R0\n" BENCH_STORE("R4") "exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", used_late, 1, 32);
        expect_out(&r, archs[a], 32, 1, 0);
        if (r.arch.compiler.write_bits) assert_true(count(&r, CTR_BOW_BITS_01) > 0);
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_DIRECT_LATE) > 0);
        bench_close(&r.b);
        run(&r, archs[a], "", used_next, 1, 32);
        expect_out(&r, archs[a], 32, 1, 0);
        assert_int_equal(count(&r, CTR_BOW_DIRECT_LATE), 0);
        bench_close(&r.b);
    }
}

// Some lanes over a value that the register file lacks, over one that it has, over none that is
// there.
static void test_partial(void **state) {
    static const char *const text = ".kernel k\n.regs 63\n.preds 3\n" BENCH_THREAD
                                    "isetp.lt.and.u32 _|P0, R0, 0x10\n nop _\n nop _\n"
                                    "iadd R3, R0, 0x64\n @P0 iadd R3, R0, 0x65\n iadd R7, R3, R3\n "
                                    "nop _\n nop _\n nop _\n nop _\n"  // merged, then saved
                                    "@P0 iadd R3, R3, 0x1\n @!P0 iadd R3, R3, 0x2\n nop _\n nop "
                                    "_\n nop _\n nop _\n"  // over a clean row
                                    "nop _\n nop _\n @P0 mov R6, 0x1\n @!P0 mov R6, 0x1\n nop _\n "
                                    "nop _\n nop _\n nop _\n"
                                    "iadd R4, R3, R6\n" BENCH_STORE("R4") "exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 2, 64);
        for (uint32_t t = 0; t < 128; t++) assert_int_equal(bench_out(&r.b)[t], t + 100 + 3);
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_MERGED) > 0);
        bench_close(&r.b);
    }
}

// Warps that end with values that are never read; the next warp in the slot finds nothing of them.
static void test_exit(void **state) {
    static const char *const text =
        ".kernel k\n.regs 16\n" BENCH_THREAD
        "imul.lo.u32 R3, R0, 0x3\n iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R3\n iadd R3, "
        "R3, 0x1\n iadd R6, R3, R3\n exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 40, 256);
        expect_out(&r, archs[a], 40 * 256, 3, 0);
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_DROPPED) >= 40 * 8);
        assert_true(count(&r, CTR_CTAS) == 40);
        bench_close(&r.b);
    }
}

// Four registers live at once beside 28 others: rows run short in collectors of half size, and of
// four rows.
static void test_rows_run_short(void **state) {
#define MIX(a, b, c, d) "iadd " a ", " a ", " b "\n iadd " c ", " c ", " d "\n"
#define MIX8 \
    MIX("R10", "R11", "R12", "R13") \
    MIX("R14", "R15", "R16", "R17") \
    MIX("R18", "R19", "R20", "R21") \
    MIX("R11", "R12", "R13", "R14") \
    "imad.lo.u32 R22, R23, R24, R25\n imad.lo.u32 R10, R26, " \
    "R27, R28\n imad.lo.u32 R12, R13, R14, R15\n"
#define ZERO(n) "mov R" #n ", 0x1\n"
    static const char *const text = ".kernel k\n.regs 63\n" BENCH_THREAD ZERO(10) ZERO(11) ZERO(12)
        ZERO(13) ZERO(14) ZERO(15) ZERO(16) ZERO(17) ZERO(18) ZERO(19) ZERO(20) ZERO(21) ZERO(22)
            ZERO(23) ZERO(24) ZERO(25) ZERO(26) ZERO(27) ZERO(28) MIX8 MIX8 MIX8
        "iadd R4, R10, R12\n iadd R4, R4, R22\n" BENCH_STORE("R4") "exit _\n";
    static const char *const sets[] = {"", "bow.entries=4", "bow.window=7 bow.entries=4",
                                       "bow.window=2", "oc.entry=0"};
    static Run r;
    uint32_t want[32] = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int a = 0; a < ARCHS; a++) {
            run(&r, archs[a], sets[i], text, 4, 512);
            if (!want[0]) memcpy(want, bench_out(&r.b), sizeof want);
            assert_memory_equal(want, bench_out(&r.b), sizeof want);
            assert_int_equal(count(&r, CTR_BOW_SOURCES),
                             count(&r, CTR_BOW_FORWARDS) + count(&r, CTR_RF_READS));
            bench_close(&r.b);
        }
}

// ---- without a home ----

// Values that never leave the collectors need no register: more CTAs fit, and nobody's registers
// are touched.
static void test_homeless(void **state) {
    static const char *const text =
        ".kernel k\n.regs 12\n" BENCH_THREAD
        "iadd R3, R0, 0x7\n iadd R4, R3, 0x1\n iadd R5, R4, R3\n iadd R6, R5, R4\n iadd R7, R6, "
        "R5\n iadd R8, R7, R6\n"
        "iadd R9, R8, R0\n iadd R10, c[0][0x0], R1\n st.global.b32 _, [R10], R9\n exit _\n";
    static Run r;
    int regs[2], ctas[2];
    (void)state;
    for (int wr = 0; wr < 2; wr++) {
        run(&r, wr ? "bow-wr" : "bow-wb", "rf.entries=16", text, 64, 512);
        expect_out(&r, wr ? "bow-wr" : "bow-wb", 64 * 512, 9, 61);
        regs[wr] = gpu_kernel_info(r.b.gpu)->regs_per_thread;
        ctas[wr] = gpu_kernel_info(r.b.gpu)->ctas_per_sm;
        if (wr) assert_true(r.program->nregs > r.program->home_regs);
        bench_close(&r.b);
    }
    assert_true(regs[1] < regs[0]);
    assert_true(ctas[1] >= ctas[0]);
}

// ---- beside the baseline ----

// One warp: without forwarding a chain of instructions takes the baseline's cycles, with it two
// less for each link.
static void test_latency(void **state) {
#define LINK "iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n"
    static const char *const text =
        ".kernel k\n.regs 63\n" BENCH_THREAD
        "mov R3, 0x0\n" LINK LINK LINK LINK LINK LINK LINK LINK BENCH_STORE("R3") "exit _\n";
    static const char *const with[] = {"baseline", "bow-nofwd", "bow"};
    static Run r;
    uint64_t cycles[2][3], reads[3], writes[3];
    (void)state;
    for (int entry = 0; entry < 2; entry++)
        for (int a = 0; a < 3; a++) {
            run(&r, with[a], entry ? "" : "oc.entry=0", text, 1, 32);
            expect_out(&r, with[a], 32, 32, 0);
            cycles[entry][a] = count(&r, CTR_CYCLES), reads[a] = count(&r, CTR_RF_READS),
            writes[a] = count(&r, CTR_RF_WRITES);
            bench_close(&r.b);
        }
    assert_int_equal(reads[0], reads[1]);
    assert_int_equal(writes[0], writes[1]);
    assert_int_equal(writes[0], writes[2]);
    assert_true(reads[2] < reads[0] - 60);
    for (int entry = 0; entry < 2; entry++) {
        if (cycles[entry][0] != cycles[entry][1])
            fail_msg("%d cycles, without forwarding %d", (int)cycles[entry][0],
                     (int)cycles[entry][1]);
        assert_in_range(cycles[entry][0] - cycles[entry][2], 2 * 32, 3 * 32 + 20);
    }
}

// ---- what does not add up, and what is refused ----

static Run *cheated;
static CounterId cheat;
static void on_warp_ended(void *ctx, uint64_t cycle, int warp) {
    (void)ctx, (void)cycle, (void)warp;
    cheated->b.gpu->counters.v[cheat]++;
}

static void test_sums_are_checked(void **state) {
    static const struct {
        CounterId id;
        const char *says;
    } cases[] = {{CTR_BOW_SAVES, "kept and not written"},
                 {CTR_BOW_FORWARDS, "sources"},
                 {CTR_RF_WRITES, "writes of the register file"}};
    static Run r;
    (void)state;
    for (int i = 0; i < 3; i++) {
        memset(&r, 0, sizeof r);
        bench_config(&r.b, "pascal", "");
        assert_true(arch_parse("bow-wb", &r.arch, &r.b.d));
        r.hooks = (SmHooks){.warp_ended = on_warp_ended};
        cheated = &r, cheat = cases[i].id;
        bench_start(&r.b, &(GpuOptions){.arch = &r.arch, .hooks = &r.hooks});
        assert_false(start(&r, SNIPPET, 1, 32));
        assert_int_equal(r.b.d.status, EXIT_MISMATCH);
        if (!strstr(r.b.d.text, cases[i].says)) fail_msg("%s", r.b.d.text);
        bench_close(&r.b);
    }
}

static void fails(const char *arch, const char *text, ExitStatus status, const char *says) {
    static Run r;
    memset(&r, 0, sizeof r);
    bench_config(&r.b, "pascal", "");
    assert_true(arch_parse(arch, &r.arch, &r.b.d));
    bench_start(&r.b, &(GpuOptions){.arch = &r.arch});
    if (start(&r, text, 1, 32)) fail_msg("%s passes: %s", arch, text);
    assert_int_equal(r.b.d.status, status);
    if (!strstr(r.b.d.text, says)) fail_msg("%s", r.b.d.text);
    bench_close(&r.b);
}

#define BITS(window, homes, body) \
    ".kernel k\n.regs 16\n.preds 2\n.window " window " 12 " homes \
    "\n s2r.write=1 R0, %tid.x\n nop _\n nop _\n" body " exit _\n"

// Wrong bits: a value that is not written to the register file is read when it has left the window,
// or when it was never there.
static void test_read_after_window(void **state) {
    (void)state;
    fails("bow-wr",
          BITS("3", "16",
               "mov.write=2 R3, 0x5\n iadd.write=1 R5, R3, R0\n nop _\n nop _\n nop _\n "
               "iadd.write=1 R4, R3, R0\n"),
          EXIT_MISMATCH, "R3 of warp 0 is read after its window");
    fails("bow-wr", BITS("3", "16", "mov R3, 0x5\n iadd.write=1 R4, R3, R0\n"), EXIT_MISMATCH,
          "R3 of warp 0 is read after its window");
    fails("bow-wr", BITS("4", "16", "nop _\n"), EXIT_USAGE, "write bits for a window of 4");
    fails("bow-wr", ".kernel k\n.regs 4\n.window 3 20 4\n nop _\n exit _\n", EXIT_USAGE, "20 rows");
}

static void test_machine(void **state) {
    static Run r;
    (void)state;
    memset(&r, 0, sizeof r);
    bench_config(&r.b, "fermi", NULL);
    assert_true(arch_parse("bow", &r.arch, &r.b.d));
    CosimOptions co = {.use = r.arch.blocks, .blocks = "model", .data_dir = "", .cache_dir = ""};
    assert_non_null(r.b.cosim = cosim_open(&r.b.arena, &co, &r.b.cfg, &r.b.d));
    assert_true(device_open(&r.b.memory, &r.b.arena, &r.b.d));
    const GpuOptions o = {
        .cfg = &r.b.cfg, .arch = &r.arch, .cosim = r.b.cosim, .memory = &r.b.memory};
    assert_null(gpu_open(&r.b.arena, &o, &r.b.d));
    assert_non_null(
        strstr(r.b.d.text, "sm.warps is 48, expected at most 32: each warp has a collector"));
    bench_close(&r.b);
}

// A mismatch of either block names the warp, port or register.
static void test_words(void **state) {
    static const struct {
        const char *block, *port;
        int element;
        uint32_t addr;
        const char *says;
    } cases[] = {{"bypass_collector", "alloc_room", 3, 0, "collector of warp 3"},
                 {"bypass_collector", "rd_valid", 31, 0, "collector of warp 31"},
                 {"bypass_collector", "rd_reg", 0, 0, "collector of warp 0, asks for R"},
                 {"bypass_collector", "fwd", 1, 0, "allocation port 1"},
                 {"bypass_collector", "disp_valid", 0, 0, "dispatch port 2, "},
                 {"bypass_collector", "disp_coll", 1, 0, "dispatch port 1, "},
                 {"bypass_collector", "disp_data", 5, 0, "dispatch port 1, "},
                 {"bypass_collector", "wr_valid", 0, 0, "write port 2"},
                 {"bypass_collector", "wr_data", 1, 0, "write port 1"},
                 {"bypass_collector", "res_ready", 0, 0, "write port 2"},
                 {"bypass_collector", "state", -1, 5, "collector of warp 5"},
                 {"bypass_collector", "state", -1, 32 + 7, "collector of warp 7"},
                 {"bypass_collector", "state", -1, 64 + 12 * 2 + 3, "collector of warp 2, row 3"},
                 {"bypass_collector", "state", -1, 64 + 12 * 32, "pointers of the ports"},
                 {"banked_rf", "rd_data", 4, 0, "bank 4 delivers to collector of warp "},
                 {"banked_rf", "rd_grant", 0, 0, "collector of warp 2"},
                 {"banked_rf", "wr_ready", 0, 0, "write port 2"},
                 {"banked_rf", "state", -1, 64 * 32 + 8, "write priority of bank 8"},
                 {"banked_rf", "state", -1, 63, "bank 0 entry 63"}};
    static Run r;
    (void)state;
    run(&r, "bow-wb", "", SNIPPET, 1, 32);
    const Sm *sm = r.b.gpu->sms;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[400] = "";
        Text t = {words, sizeof words, 0};
        const Mismatch m = {.block = cases[i].block,
                            .port = cases[i].port,
                            .element = cases[i].element,
                            .obs_addr = cases[i].addr,
                            .words = 1,
                            .expected = {4}};
        sm->path->explain(&t, sm, sm->path_self, &m);
        if (strncmp(words, cases[i].says, strlen(cases[i].says)))
            fail_msg("%s %s: '%s'", cases[i].block, cases[i].port, words);
    }
    bench_close(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_3_1),
                                       cmocka_unit_test(test_distances),
                                       cmocka_unit_test(test_stays),
                                       cmocka_unit_test(test_switched_off_reader),
                                       cmocka_unit_test(test_as_counted),
                                       cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_partial),
                                       cmocka_unit_test(test_exit),
                                       cmocka_unit_test(test_rows_run_short),
                                       cmocka_unit_test(test_homeless),
                                       cmocka_unit_test(test_latency),
                                       cmocka_unit_test(test_sums_are_checked),
                                       cmocka_unit_test(test_read_after_window),
                                       cmocka_unit_test(test_machine),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
