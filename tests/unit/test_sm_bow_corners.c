// SPDX-License-Identifier: Apache-2.0
// Corners of bypassing collectors on the SM, a test each. Divergence, writes of some or no lanes,
// pairs and quads, instructions of two parts, barriers, loops that end in the window. Warps and
// lanes that end with dirty values. Programs run in every architecture of BOW with the retire
// check. Results are computed here, and counters or write bits show that the corner was met.
#include "sm_support.h"

#include "compile/hints/window_hints.h"
#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/bow/bypass_book.h"
#include "systems/bow/bypass_path.h"
#include "systems/systems.h"

static const char *const archs[] = {"bow", "bow-wb", "bow-wr", "bow-wr-half", "bow-nofwd"};
enum { ARCHS = sizeof archs / sizeof *archs, KEEPING = ARCHS - 1 };

typedef struct Run {
    Bench b;
    Arch arch;
    IsaProgram *program;
} Run;
typedef uint32_t Expected(uint32_t thread);

// Runs a program, with the write bits that the compiler finds where the architecture has them.
static void run(Run *r, const char *arch, const char *sets, const char *text, uint32_t ctas,
                uint32_t threads) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "pascal", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch});
    const WindowNeed need = {.places = r->b.cfg.bow_window,
                             .rows = r->b.cfg.bow_entries,
                             .homeless = r->arch.compiler.homeless};
    BenchParams params = {r->b.out, r->b.in, 0, 0};
    r->program = bench_parse(&r->b, text);
    if (r->arch.compiler.write_bits)
        r->program = window_assign(r->program, &need, NULL, &r->b.arena);
    r->program->param_bytes = sizeof params;
    GpuLaunch l = {.program = r->program,
                   .grid = {ctas, 1, 1},
                   .block = {threads, 1, 1},
                   .shared_bytes = 64,
                   .params = (const uint8_t *)&params};
    for (uint32_t i = 0; i < 64; i++) bench_in(&r->b)[i] = 1000 + 17 * i;
    if (!gpu_run(r->b.gpu, &l, &r->b.d)) fail_msg("%s: %s", arch, r->b.d.text);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

static void expect(Run *r, const char *arch, uint32_t threads, Expected *of) {
    for (uint32_t t = 0; t < threads; t++)
        if (bench_out(&r->b)[t] != of(t))
            fail_msg("%s: thread %u: %u, expected %u", arch, t, bench_out(&r->b)[t], of(t));
}

// Operands that the collectors forwarded out of the window.
static uint64_t forwarded(const char *arch, const char *sets, const char *text, uint32_t threads,
                          Expected *of) {
    static Run r;
    run(&r, arch, sets, text, 1, threads);
    if (of) expect(&r, arch, threads, of);
    const uint64_t n = count(&r, CTR_BOW_FORWARDS) - count(&r, CTR_BOW_FORWARDS_HELD);
    bench_close(&r.b);
    return n;
}

// Where the result of an instruction goes: bits {BOC, RF}, 0 without a program of write bits.
static unsigned bits(const Run *r, int at) { return r->program->insts[at].write; }

#define BEGIN ".kernel k\n.regs 63\n.preds 3\n.barriers 1\n" BENCH_THREAD  // instructions 0 to 4
#define NOP3 "nop _\n nop _\n nop _\n"

// ---- divergence ----

static uint32_t of_sides(uint32_t t) { return (t & 7) < 3 ? 4 * t + 318 : 7 * t + 17; }

// R3 is written long before a branch; one side reads it, the other writes it in its lanes, reads
// that and writes it again. R6 is made right before the branch and read at the end of both sides.
// For either order of the sides, neither gets lanes of the other.
static void test_divergence(void **state) {
    static const char *const text = BEGIN
        "lop3.lut=0xc0 R2, R0, 0x7, RZ\n isetp.lt.and.u32 _|P0, R2, 0x3\n"
        "imul.lo.u32 R3, R0, 0x3\n" NOP3                                                     // 7
        "iadd R6, R0, 0x11\n @P0 bra _, L18, L25\n"                                          // 11
        NOP3 "iadd R4, R3, R6\n bra _, L25, L25\n"                                           // 13
        "iadd R3, R0, 0x64\n iadd R4, R3, R3\n iadd R3, R3, 0x1\n" NOP3 "iadd R4, R4, R6\n"  // 18
        "iadd R4, R4, R3\n" BENCH_STORE("R4") "exit _\n";                                    // 25
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 2, 128);
        expect(&r, archs[a], 256, of_sides);
        assert_int_equal(count(&r, CTR_DIVERGENT), 8);
        if (r.arch.compiler.write_bits) assert_true(bits(&r, 7) & bits(&r, 11) & 1);
        // some lanes of an absent R3
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_DIRECT_LATE) >= 8);
        bench_close(&r.b);
    }
}

// ---- guards ----

static uint32_t of_guards(uint32_t t) { return t & 1 ? 2 * t + 213 : 2 * t + 204; }

// A register is written by some lanes, by the others, by none; a register that no instruction
// writes whole.
static void test_predicated_writes(void **state) {
    static const char *const text =
        BEGIN "lop3.lut=0xc0 R2, R0, 0x1, RZ\n isetp.lt.and.u32 _|P0, R2, 0x1\n "
              "isetp.lt.and.u32 _|P1, R0, 0x0\n nop _\n nop _\n"
              "iadd R3, R0, 0x64\n @P0 iadd R3, R3, 0x1\n @!P0 iadd R3, R3, 0x5\n @P1 mov "
              "R3, 0x0\n"  // 10
              "@P0 iadd R4, R3, 0x2\n @!P0 iadd R4, R3, 0x3\n iadd R5, R4, R3\n" BENCH_STORE(
                  "R5") "exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 2, 128);
        expect(&r, archs[a], 256, of_guards);
        if (r.arch.compiler.write_bits)  // the lanes that are off keep the register file's value
            for (int at = 11; at <= 15; at++) assert_int_not_equal(bits(&r, at), 2);
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_MERGED) >= 8);
        bench_close(&r.b);
    }
}

// ---- words ----

static uint32_t of_pairs(uint32_t t) {
    const uint64_t v = (uint64_t)t * 0x80000001u + 3 * (uint64_t)t;
    return (uint32_t)(v >> 32) + (uint32_t)v;
}
#define PAIRS(between) \
    BEGIN \
    "iadd R12, R0, 0x0\n" NOP3 "nop _\n imul.wide.u32 R4.64, R12, 0x80000001\n" between \
    "imad.wide.u32 R6.64, R0, 0x3, R4.64\n iadd R8, R6, R7\n" BENCH_STORE("R8") "exit _\n"

// Both words of a pair are forwarded, and neither is written where all readers are in the window.
static void test_pairs(void **state) {
    static Run r;
    uint8_t regs[4];
    (void)state;
    for (int a = 0; a < KEEPING; a++)
        assert_int_equal(forwarded(archs[a], "", PAIRS("nop _\n"), 128, of_pairs) -
                             forwarded(archs[a], "", PAIRS(NOP3), 128, of_pairs),
                         4 * 2);
    run(&r, "bow-wr", "", PAIRS("nop _\n"), 1, 128);
    assert_int_equal(bits(&r, 10), 2);
    assert_int_equal(isa_writes(&r.program->insts[10], regs), 2);
    assert_true(regs[0] >= r.program->home_regs);
    bench_close(&r.b);
    assert_int_equal(forwarded("bow-nofwd", "", PAIRS("nop _\n"), 128, of_pairs), 0);
}

static uint32_t of_quads(uint32_t t) { return 4000 + 17 * (16 * (t & 7) + 6); }
#define QUADS(between) \
    BEGIN \
    "lop3.lut=0xc0 R2, R0, 0x7, RZ\n shl R2, R2, 0x4\n iadd R2, R2, c[0][0x8]\n " \
    "ld.global.b128.u32 R12.128, [R2]\n" between \
    "iadd R8, R12, R13\n iadd R9, R14, R15\n iadd R8, R8, R9\n" BENCH_STORE("R8") "exit _\n"

// Four words of a load, for any delay.
static void test_quads(void **state) {
    (void)state;
    for (int a = 0; a < KEEPING; a++)
        assert_int_equal(forwarded(archs[a], "", QUADS(""), 128, of_quads) -
                             forwarded(archs[a], "", QUADS(NOP3), 128, of_quads),
                         4 * 4);
    forwarded("bow-nofwd", "", QUADS(""), 128, of_quads);
}

static uint32_t of_parts(uint32_t t) { return t + 14; }
#define PARTS(between) \
    BEGIN \
    "mov R4, 0x1\n mov R5, 0x2\n mov R6, 0x3\n mov R7, 0x4\n mov R10, 0x5\n mov R11, 0x6\n" NOP3 \
    "iadd R13, R0, 0x9\n" between "iadd R8, R13, 0x5\n" BENCH_STORE("R8") "exit _\n"
#define TWO_PARTS "dfma R16.64, R4.64, R6.64, R10.64\n"

// An instruction that reads six registers enters in two parts and ages the window once.
static void test_two_parts(void **state) {
    (void)state;
    for (int a = 0; a < KEEPING; a++) {
        const uint64_t once = forwarded(archs[a], "", PARTS(TWO_PARTS), 128, of_parts);
        assert_int_equal(once, forwarded(archs[a], "", PARTS("nop _\n"), 128, of_parts));
        assert_int_equal(once,
                         forwarded(archs[a], "", PARTS(TWO_PARTS "nop _\n"), 128, of_parts) + 4);
    }
    forwarded("bow-nofwd", "", PARTS(TWO_PARTS), 128, of_parts);
}

// ---- barriers ----

static uint32_t of_barrier(uint32_t t) { return t + 8; }
#define BARRIER(between) \
    BEGIN \
    "isetp.lt.and.u32 _|P0, R2, 0x20\n mov R5, 0x40\n @!P0 bra _, L11, L11\n" /* the first warp comes late */ \
    "iadd R5, R5, 0xffffffff\n isetp.gt.and.s32 _|P1, R5, 0x0\n @P1 bra _, L8, L11\n" \
    "iadd R3, R0, 0x7\n" between "bar _, RZ\n iadd R4, R3, 0x1\n" BENCH_STORE("R4") "exit _\n"

// A value is there for its reader behind a barrier, as long as that takes, and the barrier is one
// place.
static void test_barriers(void **state) {
    static Run r;
    (void)state;
    for (int a = 0; a < KEEPING; a++)
        assert_int_equal(forwarded(archs[a], "", BARRIER(""), 256, of_barrier) -
                             forwarded(archs[a], "", BARRIER("nop _\n"), 256, of_barrier),
                         8);
    forwarded("bow-nofwd", "", BARRIER(""), 256, of_barrier);
    run(&r, "bow-wr", "", BARRIER(""), 1, 256);
    assert_int_equal(bits(&r, 11), 2);
    bench_close(&r.b);
}

// ---- loops ----

static uint32_t of_8(uint32_t t) { return 36 + t; }
static uint32_t of_18(uint32_t t) { return 171 + t; }
#define LOOP(times) \
    BEGIN "mov R3, 0x0\n mov R4, " times "\n" \
          "iadd R3, R3, R4\n iadd R4, R4, 0xffffffff\n isetp.gt.and.s32 _|P0, R4, 0x0\n @P0 bra " \
          "_, L7, L11\n" \
          "iadd R5, R3, R4\n iadd R5, R5, R0\n" BENCH_STORE("R5") "exit _\n"

// A loop of four places: its sum is named every four places. Its counter is named in three
// instructions and then two places behind the last of them. Both are read right behind the loop's
// end.
static void test_loops(void **state) {
    static Run r;
    (void)state;
    for (int window = 2; window <= 7; window++) {
        char sets[40];
        snprintf(sets, sizeof sets, "bow.window=%d", window);
        const int each = 2 + (window > 2) + (window > 4);
        for (int a = 0; a < ARCHS; a++) {
            const uint64_t more = forwarded(archs[a], sets, LOOP("0x12"), 128, of_18) -
                forwarded(archs[a], sets, LOOP("0x8"), 128, of_8);
            if (more != (a < KEEPING ? 10u * 4 * (unsigned)each : 0))
                fail_msg("%s, window %d: %d more forwarded in 40 more passes, expected %d each",
                         archs[a], window, (int)more, each);
        }
        run(&r, "bow-wr", sets, LOOP("0x8"), 1, 32);
        assert_true(bits(&r, 7) & bits(&r, 8) & 1);
        bench_close(&r.b);
    }
}

static uint32_t of_passes(uint32_t t) { return ((t & 7) + 1) * ((t & 7) + 2) / 2 + t; }

// Lanes leave a loop one by one; those that left keep their sums.
static void test_loops_that_lanes_leave(void **state) {
    static const char *const text =
        BEGIN "lop3.lut=0xc0 R2, R0, 0x7, RZ\n iadd R4, R2, 0x1\n mov R3, 0x0\n"
              "iadd R3, R3, R4\n iadd R4, R4, 0xffffffff\n isetp.gt.and.s32 _|P0, R4, 0x0\n @P0 "
              "bra _, L8, L12\n"
              "iadd R5, R3, R4\n iadd R5, R5, R0\n" BENCH_STORE("R5") "exit _\n";
    static const char *const sets[] = {"", "bow.window=2", "bow.window=7",
                                       "bow.window=7 bow.entries=4"};
    static Run r;
    (void)state;
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < ARCHS; a++) {
            run(&r, archs[a], sets[s], text, 2, 128);
            expect(&r, archs[a], 256, of_passes);
            assert_int_equal(count(&r, CTR_DIVERGENT), 8 * 7);
            bench_close(&r.b);
        }
}

// ---- ends ----

static uint32_t of_ends(uint32_t t) { return (t & 3) < 2 ? 0 : 4 * t + 36; }

// Half of the lanes end between a result and its reader. The others write some lanes of it, and end
// while the window holds it, newer than the register file. Other warps take the slots.
static void test_ends(void **state) {
    static const char *const text =
        BEGIN "lop3.lut=0xc0 R2, R0, 0x3, RZ\n isetp.lt.and.u32 _|P0, R2, 0x2\n iadd R3, R0, 0x9\n "
              "imul.lo.u32 R4, R3, 0x3\n"
              "@P0 exit _\n iadd R4, R4, R3\n" BENCH_STORE("R4") "exit _\n";
    static Run r;
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        run(&r, archs[a], "", text, 40, 256);
        expect(&r, archs[a], 40 * 256, of_ends);
        if (!strcmp(archs[a], "bow-wb")) assert_true(count(&r, CTR_BOW_DROPPED) >= 40 * 8);
        if (!strcmp(archs[a], "bow")) assert_int_equal(count(&r, CTR_BOW_DROPPED), 0);
        bench_close(&r.b);
    }
}

// ---- the book, by itself ----

static void enter(Sm *sm, BypassBook *book, uint64_t writes, uint8_t bits) {
    const IsaInst isa = {.op = ISA_IADD, .write = bits};
    const SmInst in = {.isa = &isa, .writes = writes};
    book_enter(sm, book, 0, &(BookEntry){.in = &in, .active = 1});
}

static void result(Sm *sm, BypassBook *book, uint32_t lanes, uint8_t bits) {
    book_result(sm, book, 0, (BookResult){.reg = 7, .lanes = lanes, .bits = bits});
}

// A result of some lanes arrives in the cycle in which its register is saved. The block merges it
// into the dirty row, which must still be saved. A result of all lanes replaces the saved value.
static void test_save_and_result(void **state) {
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        static Counters counters;
        static Sm sm;
        static BypassBook book;
        static MachineConfig cfg;
        Diag d = {0};
        memset(&sm, 0, sizeof sm);
        memset(&book, 0, sizeof book);
        sm.cfg = &cfg, sm.count = &counters, sm.diag = &d;
        book.rule = BYPASS_BITS, book.window = 3;
        enter(&sm, &book, 1 << 7, ISA_WRITE_BOC | ISA_WRITE_RF);
        result(&sm, &book, 1, ISA_WRITE_BOC | ISA_WRITE_RF);
        sm.cycle++;
        enter(&sm, &book, 1 << 7, ISA_WRITE_BOC);
        sm.cycle++;
        book_saved(&sm, &book, 0, 7);
        result(&sm, &book, whole ? ~0u : 1, ISA_WRITE_BOC);
        assert_false(sm.failed);
        sm.cycle++;
        book_saved(&sm, &book, 0, 7);
        assert_int_equal(sm.failed, whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divergence), cmocka_unit_test(test_predicated_writes),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_quads),
        cmocka_unit_test(test_two_parts),  cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_loops),      cmocka_unit_test(test_loops_that_lanes_leave),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_save_and_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
