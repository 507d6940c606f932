// SPDX-License-Identifier: Apache-2.0
// The way of an instruction from issue into a collector, and its reads on the way, in every
// architecture.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"

#include "models/rf/rf_datapath.h"
#include "systems/systems.h"

#include <stdlib.h>

static const char *const archs[] = {"baseline", "packing", "firstfit",  "corf",
                                    "corf++",   "rfv",     "corf++:rfv"};
enum { ARCHS = sizeof archs / sizeof *archs, EVENTS = 4096 };

// ---- what the hooks saw ----

typedef struct Event {
    uint64_t cycle;
    int warp, pc;
} Event;
typedef struct Seen {
    const Sm *sm;
    Event issued[EVENTS], allocated[EVENTS];  // issued: instructions through a collector
    int nissued, nallocated;
} Seen;

static void on_issued(void *ctx, uint64_t cycle, int scheduler, int warp, int pc) {
    Seen *s = ctx;
    (void)scheduler;
    if (s->sm->program.insts[pc].at_issue || s->nissued == EVENTS) return;
    s->issued[s->nissued++] = (Event){cycle, warp, pc};
}

static void on_step(void *ctx, uint64_t cycle, const SmStep *step) {
    Seen *s = ctx;
    if (step->kind == SM_STEP_COLLECTING && s->nallocated < EVENTS)
        s->allocated[s->nallocated++] = (Event){cycle, step->warp, step->pc};
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
    r->hooks = (SmHooks){.ctx = &r->seen, .issued = on_issued, .step = on_step};
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch, .hooks = &r->hooks});
    r->seen.sm = r->b.gpu->sms;
}

static void run_program(Run *r, const char *arch, const char *sets, const char *text, uint32_t ctas,
                        uint32_t threads) {
    run_open(r, arch, sets);
    bench_run(&r->b, text, ctas, threads, 0);
}

// ---- entry registers ----

#define DEPEND "iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n iadd R3, R3, R0\n"
#define DEPEND16 DEPEND DEPEND DEPEND DEPEND
static const char *const chain = ".kernel chain\n.regs 63\n" BENCH_THREAD
                                 "mov R3, 0x0\n" DEPEND16 DEPEND16 BENCH_STORE("R3") "exit _\n";

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
    // Each of 32 dependent instructions waits for it, and so do the instructions before and after
    // them.
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

// A register that an instruction names twice is one read: three instructions more, three reads
// more.
static void test_named_twice_is_one_read(void **state) {
    (void)state;
    static Run r;
#define TWICE(more) \
    ".kernel twice\n.regs 63\n" BENCH_THREAD \
    "imul.lo.u32 R3, R0, 0x5\n" more BENCH_STORE("R3") "exit _\n"
    static const char *const text[] = {
        TWICE(""),
        TWICE("iadd R4, R3, R3\n imad.lo.u32 R5, R3, R3, R3\n sad.u32 R6, R3, R3, 0x1\n")};
    for (int a = 0; a < ARCHS; a++) {
        uint64_t reads[2];
        for (int i = 0; i < 2; i++) {
            run_program(&r, archs[a], "", text[i], 1, 32);
            assert_int_equal(bench_out(&r.b)[9], 45);
            reads[i] = bench_count(&r.b, CTR_RF_READS);
            bench_close(&r.b);
        }
        if (reads[1] - reads[0] != 3)
            fail_msg("%s: %d reads more", archs[a], (int)(reads[1] - reads[0]));
    }
}

// ---- values that grow, shrink and are written in some lanes only ----

#define LANE3 "isetp.eq.and.u32 _|P0, R0, 0x3\n"
#define WAYS(text) ".kernel ways\n.regs 63\n.preds 2\n" BENCH_THREAD text "exit _\n"

typedef void Check(Run *r, const char *arch);

static void on_all_archs(const char *text, uint32_t ctas, uint32_t threads, Check *check) {
    static Run r;
    for (int a = 0; a < ARCHS; a++) {
        run_program(&r, archs[a], "", text, ctas, threads);
        check(&r, archs[a]);
        bench_close(&r.b);
    }
}

static bool packs(const char *arch) { return strcmp(arch, "baseline") && strcmp(arch, "rfv"); }

static void expect_lanes(Run *r, const char *arch, int word, uint32_t lane3, uint32_t others) {
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t found = bench_out(&r->b)[32 * word + (int)l], expected = l == 3 ? lane3 : others;
        if (found != expected)
            fail_msg("%s: lane %u is 0x%x, expected 0x%x", arch, l, found, expected);
    }
}

static void check_five(Run *r, const char *arch) {
    expect_lanes(r, arch, 0, 70000, 5);
    if (packs(arch)) assert_true(bench_count(&r->b, CTR_ALLOC_GROW) > 0);
}

static void check_minus_five(Run *r, const char *arch) {
    expect_lanes(r, arch, 0, 70000, (uint32_t)-5);
    if (packs(arch)) assert_true(bench_count(&r->b, CTR_ALLOC_GROW) > 0);
}

// A value of one byte in all lanes, then three bytes in one. The slices beside it are free, or
// taken by R8, R12 and R16 (the same bank).
static void test_growth_in_one_lane(void **state) {
    (void)state;
#define TAKEN "mov R8, 0x1\n mov R12, 0x2\n mov R16, 0x3\n"
#define GROW "@P0 mov R4, 0x11170\n" BENCH_STORE("R4")
    on_all_archs(WAYS(LANE3 "mov R4, 0x5\n" GROW), 1, 32, check_five);
    on_all_archs(WAYS(LANE3 "mov R4, 0x5\n" TAKEN GROW), 1, 32, check_five);
    on_all_archs(WAYS(LANE3 "mov R4, 0xfffffffb\n" GROW), 1, 32, check_minus_five);
    on_all_archs(WAYS(LANE3 "mov R4, 0xfffffffb\n" TAKEN GROW), 1, 32, check_minus_five);
}

static void check_no_lane(Run *r, const char *arch) {
    expect_lanes(r, arch, 0, 5, 5);
    assert_int_equal(bench_count(&r->b, CTR_ALLOC_GROW), 0);
}

// A guard that is true in no lane writes nothing.
static void test_guard_true_in_no_lane(void **state) {
    (void)state;
    on_all_archs(WAYS("isetp.eq.and.u32 _|P0, R0, 0x40\n mov R4, 0x5\n" GROW), 1, 32,
                 check_no_lane);
}

static void check_halves(Run *r, const char *arch) {
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(bench_out(&r->b)[l], l == 3 ? 1 : 0x12345678);
        assert_int_equal(bench_out(&r->b)[32 + l], l == 3 ? 0x12345678 : 1);
    }
    (void)arch;
}

// Lanes write one byte and four in either order; read when they are together again.
static void test_divergent_halves(void **state) {
    (void)state;
    on_all_archs(WAYS(LANE3 "@P0 mov R4, 0x1\n @!P0 mov R4, 0x12345678\n"
                            "@P0 mov R5, 0x12345678\n @!P0 mov R5, 0x1\n" BENCH_STORE(
                                "R4") "st.global.b32 _, [R60+128], R5\n"),
                 1, 32, check_halves);
}

static void check_back(Run *r, const char *arch) {
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(bench_out(&r->b)[l], 0x12345678);
        assert_int_equal(bench_out(&r->b)[32 + l], 0x55555);
        assert_int_equal(bench_out(&r->b)[64 + l], 1);
    }
    if (packs(arch)) assert_true(bench_count(&r->b, CTR_ALLOC_SHRINK) > 0);
}

// R4 shrinks, R8 takes the slices, R4 grows again.
static void test_shrink_and_back(void **state) {
    (void)state;
    on_all_archs(
        WAYS("mov R4, 0x12345678\n mov R4, 0x1\n mov R6, R4\n mov R8, 0x55555\n mov R4, "
             "0x12345678\n" BENCH_STORE(
                 "R4") "st.global.b32 _, [R60+128], R8\n st.global.b32 _, [R60+256], R6\n"),
        1, 32, check_back);
}

// A register that is written in some lanes keeps its earlier width, unless the width of the others
// is available (rename.ideal=32).
static void test_width_is_a_bound(void **state) {
    (void)state;
    static Run r;
    static const char *const sets[] = {"", "rename.ideal=32"};
    for (int a = 0; a < ARCHS; a++) {
        uint64_t shrinks[2];
        for (int ideal = 0; ideal < 2; ideal++) {
            run_program(&r, archs[a], sets[ideal],
                        WAYS("mov R4, 0x12345678\n" LANE3
                             "@!P0 mov R4, 0x5\n @P0 mov R4, 0x6\n" BENCH_STORE(
                                 "R4") "mov R4, 0x12345678\n @P0 mov R4, 0x7\n st.global.b32 _, "
                                       "[R60+128], R4\n"),
                        1, 32);
            expect_lanes(&r, archs[a], 0, 6, 5);
            expect_lanes(&r, archs[a], 1, 7, 0x12345678);
            assert_int_equal(bench_count(&r.b, CTR_WIDTH_BOUND), packs(archs[a]) && !ideal);
            shrinks[ideal] = bench_count(&r.b, CTR_ALLOC_SHRINK);
            bench_close(&r.b);
        }
        assert_int_equal(shrinks[1] - shrinks[0], packs(archs[a]));
    }
}

// A register that holds its slices releases none, and does not grow up to its earlier size.
static void test_keys_of_places(void **state) {
    (void)state;
    static Run r;
#define FOUR_ONE_FOUR \
    WAYS("mov R4, 0x12345678\n mov R4, 0x1\n mov R4, 0x1234567\n" BENCH_STORE("R4"))
#define ONE_FOUR WAYS("mov R4, 0x1\n mov R4, 0x1234567\n" BENCH_STORE("R4"))
    static const struct {
        const char *sets, *text;
        uint32_t growths, shrinks, value;
    } cases[] = {
        {"rename.shrink=free", FOUR_ONE_FOUR, 1, 1, 0x1234567},
        {"rename.shrink=hold", FOUR_ONE_FOUR, 0, 0, 0x1234567},
        {"rename.shrink=hold", WAYS("mov R4, 0x12345678\n mov R4, 0xffffff80\n" BENCH_STORE("R4")),
         0, 0, 0xffffff80},
        {"rename.grow=inplace", ONE_FOUR, 1, 0, 0x1234567},
        {"rename.grow=move", ONE_FOUR, 1, 0, 0x1234567},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_program(&r, "packing", cases[i].sets, WAYS(BENCH_STORE("R0")), 1, 32);
        const uint64_t growths = bench_count(&r.b, CTR_ALLOC_GROW),
                       shrinks = bench_count(&r.b, CTR_ALLOC_SHRINK);
        bench_close(&r.b);
        run_program(&r, "packing", cases[i].sets, cases[i].text, 1, 32);
        expect_lanes(&r, cases[i].sets, 0, cases[i].value, cases[i].value);
        assert_int_equal(bench_count(&r.b, CTR_ALLOC_GROW) - growths, cases[i].growths);
        assert_int_equal(bench_count(&r.b, CTR_ALLOC_SHRINK) - shrinks, cases[i].shrinks);
        bench_close(&r.b);
    }
}

// ---- registers that nobody wrote, registers at a warp's end ----

static void check_never_written(Run *r, const char *arch) {
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(bench_out(&r->b)[l], 0);
        assert_int_equal(bench_out(&r->b)[32 + l], l);
    }
    (void)arch;
}

// A store of a register that was never written: zero, and no bank is asked for it.
static void test_never_written(void **state) {
    (void)state;
    static Run r;
    uint64_t reads[2];
    for (int a = 1; a < ARCHS; a++) {
        for (int i = 0; i < 2; i++) {
            run_program(&r, archs[a], "",
                        i ? WAYS(BENCH_STORE("R20") "st.global.b32 _, [R60+128], R0\n")
                          : WAYS(BENCH_STORE("RZ") "st.global.b32 _, [R60+128], R0\n"),
                        1, 32);
            check_never_written(&r, archs[a]);
            reads[i] = bench_count(&r.b, CTR_RF_READS);
            bench_close(&r.b);
        }
        assert_int_equal(reads[0], reads[1]);
    }
}

static const char *repeated(const char *first, const char *body, int copies);

static void check_empty(Run *r, const char *arch) {
    const Sm *sm = r->b.gpu->sms;
    for (uint32_t t = 0; t < 640; t++) assert_int_equal(bench_out(&r->b)[t], t);
    // time for the registers of the last warps
    bench_run(&r->b, repeated("", "nop _", 400), 1, 32, 0);
    if (sm->path->used && sm->path->used(sm, sm->path_self))
        fail_msg("%s: %u registers are not free", arch, sm->path->used(sm, sm->path_self));
}

// Warps end while a load of theirs is in flight. Their registers are released after it, and the
// next CTA in the slot reads nothing of them. At the end all are free.
static void test_exit_with_load_in_flight(void **state) {
    (void)state;
    on_all_archs(WAYS("iadd R4, R0, R20\n iadd R61, c[0][0x8], R1\n" BENCH_STORE(
                     "R4") "ld.global.b32.u32 R20, [R61]\n mov R21, 0x12345678\n"),
                 20, 32, check_empty);
}

// ---- the free register map at the end ----

// The block's ports with a fault between them and the block: a result arrives without its
// register's place, or a warp's end does not arrive.
typedef enum Lost { NOTHING_LOST, PLACE_LOST, EXIT_LOST } Lost;
static struct Seeded {
    BlockOps ops;
    const BlockOps *original;
    Lost lost;
    int left;
} seeded;

static void seeded_eval(Block *b) {
    RfDatapathIn *in = b->in;
    for (int w = 0; seeded.lost == PLACE_LOST && w < 2; w++)
        if (seeded.left && in->wr_valid[0] >> w & 1 && in->wr_old_mask[w])
            in->wr_old_mask[w] = 0, seeded.left--;
    seeded.original->eval(b);
}

static void seeded_tick(Block *b) {
    RfDatapathIn *in = b->in;
    if (seeded.lost == EXIT_LOST && seeded.left && in->ex_valid[0])
        in->ex_valid[0] = 0, seeded.left--;
    seeded.original->tick(b);
}

// Is all free after a kernel of four warps whose registers are written twice, and another of one
// warp? The end of the second would free registers that the first warp of the first left.
static bool ends_free(const char *arch, Lost lost, Diag *d) {
    static Run r;
    run_open(&r, arch, "");
    Block *dp = cosim_block(r.b.cosim, "rf_datapath");
    seeded = (struct Seeded){.ops = *dp->ops, .original = dp->ops, .lost = lost, .left = 1};
    seeded.ops.eval = seeded_eval, seeded.ops.tick = seeded_tick;
    dp->ops = &seeded.ops;
    const char *text = WAYS(
        "mov R4, 0x5\n mov R5, 0x12345678\n mov R4, 0x6\n mov R5, 0x12345679\n" BENCH_STORE("R4"));
    bench_run(&r.b, text, 4, 32, 0);
    if (lost != EXIT_LOST) bench_run(&r.b, WAYS(BENCH_STORE("R0")), 1, 32, 0);
    if (lost) assert_int_equal(seeded.left, 0);
    // the leak is not seen in results
    for (uint32_t t = 32; t < 128; t++) assert_int_equal(bench_out(&r.b)[t], 6);
    const Counters before = *gpu_counters(r.b.gpu);
    const bool ok = gpu_finish(r.b.gpu, d);
    assert_memory_equal(&before, gpu_counters(r.b.gpu), sizeof before);
    bench_close(&r.b);
    return ok;
}

static void test_leaks_are_seen(void **state) {
    (void)state;
    for (int a = 1; a < ARCHS; a++) {
        Diag none = {0}, place = {0}, end = {0};
        if (!ends_free(archs[a], NOTHING_LOST, &none)) fail_msg("%s: %s", archs[a], none.text);
        assert_false(ends_free(archs[a], PLACE_LOST, &place));
        assert_int_equal(place.status, EXIT_MISMATCH);
        const char *found = strstr(place.text, "leak: block rf_datapath: ");
        if (!found) fail_msg("%s: %s", archs[a], place.text);
        const int slices = atoi(found + strlen("leak: block rf_datapath: "));
        // those of one register
        if (slices < 1 || slices > 4) fail_msg("%s: %s", archs[a], place.text);
        assert_false(ends_free(archs[a], EXIT_LOST, &end));
        assert_int_equal(end.status, EXIT_MISMATCH);
        assert_non_null(strstr(end.text, "leak: block rf_datapath: "));
    }
}

// ---- a full register file ----

static const char *filled(int regs) {  // R3.. hold 0x10000000 + number; the sum is stored
    static char text[8192];
    int n = snprintf(text, sizeof text, ".kernel fill\n.regs %d\n%s", regs, BENCH_THREAD);
    for (int i = 3; i < regs; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "mov R%d, 0x%x\n", i, 0x10000000 + i);
    for (int i = 4; i < regs; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "iadd R3, R3, R%d\n", i);
    snprintf(text + n, sizeof text - (size_t)n,
             "iadd R1, c[0][0x0], R1\n st.global.b32 _, [R1], R3\n exit _\n");
    return text;
}

// CORF++: five of 17 warps of 60 registers have the same bank, which has room for four: other banks
// serve.
static void test_bank_of_the_warp_full(void **state) {
    (void)state;
    static Run r;
    uint32_t sum = 0;
    for (uint32_t i = 3; i < 60; i++) sum += 0x10000000 + i;
    run_program(&r, "corf++", "", filled(60), 1, 17 * 32);
    for (uint32_t t = 0; t < 17 * 32; t++) assert_int_equal(bench_out(&r.b)[t], sum);
    bench_close(&r.b);
}

// 48 warps of 21 registers of one byte each; then all grow to four bytes.
static void test_all_grow(void **state) {
    (void)state;
    static Run r;
    static char text[8192];
    int n = snprintf(text, sizeof text,
                     ".kernel grow\n.regs 21\n%slop3.lut=0xc0 R2, R0, 0x1f, RZ\n", BENCH_THREAD);
    for (int i = 3; i < 21; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "iadd R%d, R2, 0x%x\n", i, i);
    for (int i = 3; i < 21; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "iadd R%d, R%d, 0x1234500\n", i, i);
    for (int i = 4; i < 21; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "iadd R3, R3, R%d\n", i);
    snprintf(text + n, sizeof text - (size_t)n,
             "iadd R1, c[0][0x0], R1\n st.global.b32 _, [R1], R3\n exit _\n");
    for (int a = 1; a < ARCHS; a++) {
        run_program(&r, archs[a], "", text, 6, 512);
        for (uint32_t t = 0; t < 6 * 512; t++)
            assert_int_equal(bench_out(&r.b)[t], 18 * (t % 32) + 18u * 0x1234500 + 207);
        bench_close(&r.b);
    }
}

// ---- hints ----

// Two kernels one after the other: the second sees nothing of the first one's pairs.
static void test_hints_end_with_their_kernel(void **state) {
    (void)state;
    static Run r;
#define PAIRED \
    BENCH_THREAD "mov R4, 0x5\n iadd R8, R4, 0x1\n iadd R4, R4, R8\n" BENCH_STORE("R4") "exit _\n"
    uint64_t pair = 4 | 8 << 6;
    for (int i = 2; i < 8; i++) pair |= (uint64_t)ISA_HINT_NONE << (6 * i);
    static char text[1024];
    snprintf(text, sizeof text, ".kernel pairs\n.regs 63\nhint _, 0x%llx.64\n%s",
             (unsigned long long)pair, PAIRED);
    run_open(&r, "corf", "");
    uint64_t fit[3];
    for (int i = 0; i < 3; i++) {  // with the pair, without, with it again
        bench_run(&r.b, i == 1 ? ".kernel none\n.regs 63\n" PAIRED : text, 1, 32, 0);
        assert_int_equal(bench_out(&r.b)[7], 11);
        fit[i] = bench_count(&r.b, CTR_PAIR_FIT);
    }
    assert_int_equal(fit[0], 1);
    assert_int_equal(fit[1], 1);
    assert_int_equal(fit[2], 2);
    bench_close(&r.b);
}

// ---- cycles without work ----

// Hints, frees, exits and the order of the free map do not tell whether the block is clocked while
// nothing happens.
static void test_skipped_cycles(void **state) {
    (void)state;
    static Run r;
    static char text[1024];
    uint64_t pair = 4 | 8 << 6;
    for (int i = 2; i < 8; i++) pair |= (uint64_t)ISA_HINT_NONE << (6 * i);
    snprintf(text, sizeof text, ".kernel pairs\n.regs 63\nhint _, 0x%llx.64\n%s",
             (unsigned long long)pair, PAIRED);
    for (int a = 1; a < ARCHS; a++) {
        Counters counters[2];
        for (int i = 0; i < 2; i++) {
            run_open(&r, archs[a], "icache.bytes=4096");
            r.b.gpu->sms->every_cycle = i;
            for (int k = 0; k < 2; k++) bench_run(&r.b, text, 20, 96, 0);
            // the first thing after an idle time
            bench_run(&r.b, ".kernel ends\n.regs 63\nexit _\n", 200, 96, 0);
            counters[i] = *gpu_counters(r.b.gpu);
            bench_close(&r.b);
        }
        for (int c = 0; c < CTR_COUNT; c++)
            if (counters[0].v[c] != counters[1].v[c])
                fail_msg("%s: counter %d is %llu, clocked in every cycle %llu", archs[a], c,
                         (unsigned long long)counters[0].v[c],
                         (unsigned long long)counters[1].v[c]);
    }
}

// ---- time: the structures cost none by themselves ----

static const char *repeated(const char *first, const char *body, int copies) {
    static char text[65536];
    int n = snprintf(text, sizeof text, ".kernel time\n.regs 63\n.preds 2\n.shared 64\n%s", first);
    for (int i = 0; i < copies; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", body);
    snprintf(text + n, sizeof text - (size_t)n, "exit _\n");
    return text;
}

// Cycles of one warp for 100 copies, without the instructions before and after them.
static uint64_t time_of(const char *arch, const char *first, const char *body) {
    static Run r;
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        run_program(&r, arch, "", repeated(first, body, i ? 120 : 20), 1, 32);
        cycles[i] = bench_count(&r.b, CTR_CYCLES);
        assert_int_equal(bench_count(&r.b, CTR_ALLOC_GROW), 0);
        bench_close(&r.b);
    }
    return cycles[1] - cycles[0];
}

typedef struct Timed {
    const char *first, *body;
    int more;
} Timed;

// Cycle-exact for one warp: as long as a value keeps its place, a register is read and written in
// the baseline's cycles, for any unit. `more`: cycles that a third source in one bank of the
// renaming table costs.
static void test_one_warp_exact(void **state) {
    (void)state;
    static const Timed timed[] = {
        {"mov R1, 0x0\n", "iadd R1, R1, 0x0", 0},
        {"mov R1, 0x0\n mov R2, 0x0\n", "iadd R1, R1, R2\n iadd R2, R1, R2", 0},
        {"mov R1, 0x0\n mov R2, 0x0\n mov R3, 0x0\n", "ffma R1, R1, R2, R3", 0},
        {"mov R1, 0x5\n", "idiv.u32 R1, R1, 0x1", 0},
        {"mov R1, 0x5\n", "mov R2, 0x6\n mov R3, 0x7\n iadd R1, R2, 0x0\n mov R4, R1", 0},
        {"mov R1, 0x5\n", "isetp.eq.and.u32 _|P0, R1, 0x6\n @P0 mov R1, 0x7\n @!P0 mov R1, 0x5", 0},
        {"mov R1, 0x0\n", "ld.shared.b32.u32 R1, [R1]", 0},
        {"mov R1, 0x0\n", "ldc.b32.u32 R1, [R1+16]", 0},
        {"mov R1, 0x0\n mov R2, c[0][0x8]\n", "iadd R3, R2, R1\n ld.global.b32.u32 R1, [R3]", 0},
        {"mov R1, 0x0\n mov R2, c[0][0x8]\n", "ld.global.b32.u32 R1, [R2]\n iadd R3, R1, R1", 0},
        {"mov R1, 0x0\n mov R2, c[0][0x8]\n", "st.global.b32 _, [R2], R1\n membar _\n mov R1, 0x0",
         0},
        {"mov R1, 0x0\n", "st.shared.b32 _, [R1], RZ\n bar _, 0x0\n ld.shared.b32.u32 R1, [R1]", 0},
        {"mov R1, 0x0\n", "s2r R1, %laneid\n", 0},
        {"mov R4, 0x0\n mov R8, 0x0\n mov R12, 0x0\n mov R1, 0x0\n",
         "ffma R1, R4, R8, R12\n mov R4, R1", 1},
        {"mov R2, 0x0\n mov R3, 0x0\n", "dadd R2.64, R2.64, R2.64", 0},
    };
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        const Timed *t = &timed[i];
        uint64_t base = time_of("baseline", t->first, t->body),
                 packed = time_of("packing", t->first, t->body);
        if (packed != base + 100u * (unsigned)t->more)
            fail_msg("%s: baseline %d, packing %d cycles", t->body, (int)base, (int)packed);
    }
}

// A lookup that is refused holds up its own port alone, and no collector.
static void test_refused_lookup(void **state) {
    (void)state;
    static Run r;
    // Warp 0 issues an instruction that reads three registers of one table bank; warp 1, at the
    // other port, does not stall.
    run_program(&r, "packing", "",
                ".kernel refused\n.regs 63\n.preds 2\n" BENCH_THREAD
                "mov R4, 0x0\n mov R8, 0x0\n mov R12, 0x0\n mov R5, 0x0\n mov R6, 0x0\n "
                "isetp.lt.and.u32 _|P0, R2, 0x20\n"
                "bar _, 0x0\n"                  // 11
                "@!P0 bra _, L15, L17\n"        // 12
                "ffma R20, R4, R8, R12\n"       // 13
                "bra _, L17, L17\n"             // 14
                "L15:\nffma R20, R4, R5, R6\n"  // 15
                "nop _\n"                       // 16
                "L17:\n exit _\n",
                1, 64);
    int seen = 0;
    for (int i = 0; i < r.seen.nallocated; i++) {
        const Event *e = &r.seen.allocated[i];
        if (e->pc != 13 && e->pc != 15) continue;
        uint64_t issued = 0;
        for (int k = 0; k < r.seen.nissued; k++)
            if (r.seen.issued[k].pc == e->pc && r.seen.issued[k].warp == e->warp)
                issued = r.seen.issued[k].cycle;
        assert_int_equal(e->cycle - issued, e->pc == 13 ? 2 : 1);
        seen++;
    }
    assert_int_equal(seen, 2);
    assert_true(bench_count(&r.b, CTR_ENTRY_LOOKUP_WAIT) > 0);
    assert_int_equal(bench_count(&r.b, CTR_ENTRY_WAIT), 0);
    bench_close(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry_takes_a_cycle),
        cmocka_unit_test(test_entry_waits_in_order),
        cmocka_unit_test(test_named_twice_is_one_read),
        cmocka_unit_test(test_growth_in_one_lane),
        cmocka_unit_test(test_guard_true_in_no_lane),
        cmocka_unit_test(test_divergent_halves),
        cmocka_unit_test(test_shrink_and_back),
        cmocka_unit_test(test_keys_of_places),
        cmocka_unit_test(test_width_is_a_bound),
        cmocka_unit_test(test_never_written),
        cmocka_unit_test(test_exit_with_load_in_flight),
        cmocka_unit_test(test_leaks_are_seen),
        cmocka_unit_test(test_bank_of_the_warp_full),
        cmocka_unit_test(test_all_grow),
        cmocka_unit_test(test_hints_end_with_their_kernel),
        cmocka_unit_test(test_skipped_cycles),
        cmocka_unit_test(test_one_warp_exact),
        cmocka_unit_test(test_refused_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
