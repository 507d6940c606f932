// SPDX-License-Identifier: Apache-2.0
// The retire check finds faults: each test runs a program with one fault seeded outside the SM's
// sources. The fault is in the blocks' ports (registers read or written wrongly) or in the sequence
// of the checker's calls.
#include "sm_support.h"

#include "models/rf/banked_rf.h"
#include "models/collect/operand_collector.h"
#include "retire/retire.h"

#define PROGRAM \
    ".kernel p\n.regs 63\n.preds 2\n.shared 1024\n" BENCH_THREAD \
    "iadd R3, c[0][0x8], R1\n ld.global.b32.u32 R4, [R3]\n imad.lo.u32 R4, R4, 0x3, R0\n" \
    "shl R5, R2, 0x2\n st.shared.b32 _, [R5], R4\n ld.shared.b32.u32 R6, [R5]\n" \
    "isetp.lt.and.u32 _|P0, R6, 0x1000\n @P0 iadd R6, R6, 0x1\n" BENCH_STORE("R6") "exit _\n"

// ---- faults in the ports ----

typedef struct Fault {
    BlockOps ops;
    const BlockOps *original;
    uint64_t ticks;
    void (*spoil)(Block *b);
} Fault;
static Fault fault;

static void spoiled_eval(Block *b) {
    fault.original->eval(b);
    fault.spoil(b);
}
static void counting_tick(Block *b) {
    fault.ticks++;
    fault.original->tick(b);
}

static void expect_caught(const char *block, void (*spoil)(Block *b), const char *says) {
    Bench b;
    bench_open(&b, "fermi", NULL);
    for (uint32_t i = 0; i < 4096; i++) bench_in(&b)[i] = i * 17;
    Block *x = cosim_block(b.cosim, block);
    fault = (Fault){.original = x->ops, .spoil = spoil};
    fault.ops = *x->ops;
    fault.ops.eval = spoiled_eval;
    fault.ops.tick = counting_tick;
    x->ops = &fault.ops;
    assert_false(bench_try(&b, PROGRAM, 4, 128, 0, 0));
    if (b.d.status != EXIT_MISMATCH || !strstr(b.d.text, says))
        fail_msg("status %d: %s", b.d.status, b.d.text);
    assert_non_null(strstr(b.d.text, "retire check of kernel p: warp "));
    bench_close(&b);
}

// One bit of a bank's delivery, late in the run.
static void flip_read(Block *b) {
    BankedRfOut *out = b->out;
    if (fault.ticks > 60) out->rd_data[1][9] ^= 0x100;
}
// Two operands of an instruction change places.
static void swap_operands(Block *b) {
    OperandCollectorOut *out = b->out;
    uint32_t t[32];
    if (fault.ticks < 40) return;
    memcpy(t, out->disp_data[0], sizeof t);
    memcpy(out->disp_data[0], out->disp_data[1], sizeof t);
    memcpy(out->disp_data[1], t, sizeof t);
}
// The register file takes a write and drops it: stale values are read later.
static void lose_write(Block *b) {
    BankedRfIn *in = b->in;
    if (fault.ticks > 50 && fault.ticks < 70) in->wr_lane[0] &= ~1u;
}

static void test_read_fault(void **state) {
    (void)state;
    expect_caught("banked_rf", flip_read, "expected 0x");
}
static void test_operand_fault(void **state) {
    (void)state;
    expect_caught("operand_collector", swap_operands, "expected 0x");
}
static void test_write_fault(void **state) {
    (void)state;
    expect_caught("banked_rf", lose_write, "lane 0");
}

// ---- faults in the sequence ----

typedef struct Direct {
    Arena arena;
    DeviceMemory memory;
    Retire *r;
    IsaProgram *p;
    Diag d;
} Direct;

static void direct_open(Direct *t, const char *text) {
    memset(t, 0, sizeof *t);
    assert_true(device_open(&t->memory, &t->arena, &t->d));
    device_alloc(&t->memory, "buffer", 4096);
    t->p = isa_parse(&t->arena, "direct.isa", text, strlen(text), &t->d);
    if (!t->p) fail_msg("%s", t->d.text);
    t->r = retire_open(&t->arena, 4, 2, 1024, 16);
    RetireLaunch l = {.program = t->p,
                      .memory = &t->memory,
                      .grid = {1, 1, 1},
                      .block = {32, 1, 1},
                      .warps_per_cta = 1};
    assert_true(retire_launch(t->r, &l, &t->d));
    retire_warp(t->r, 0, 0, (uint32_t[3]){0, 0, 0}, 0, ~0u);
}

static void direct_close(Direct *t) {
    retire_close(t->r);
    device_close(&t->memory);
    arena_free(&t->arena);
}

static void expect_difference(Direct *t, bool ok, const char *says) {
    assert_false(ok);
    assert_int_equal(t->d.status, EXIT_MISMATCH);
    if (!strstr(t->d.text, says)) fail_msg("`%s` does not say `%s`", t->d.text, says);
}

static void test_wrong_pc_and_masks(void **state) {
    (void)state;
    Direct t;
    direct_open(
        &t,
        ".kernel k\n.regs 8\n.preds 1\n mov R0, 0x1\n mov R1, 0x2\n @P0 mov R2, 0x3\n exit _\n");
    assert_true(retire_issue(t.r, 0, 0, ~0u, ~0u, &t.d));
    expect_difference(&t, retire_issue(t.r, 0, 2, ~0u, ~0u, &t.d),
                      "expected pc 1 to issue, the SM issued pc 2");
    t.d = (Diag){0};
    expect_difference(&t, retire_issue(t.r, 0, 1, 0xff, 0xff, &t.d),
                      "expected the lanes ffffffff here");
    t.d = (Diag){0};
    assert_true(retire_issue(t.r, 0, 1, ~0u, ~0u, &t.d));
    expect_difference(&t, retire_issue(t.r, 0, 2, ~0u, 0x1, &t.d),
                      "expected the lanes 00000000 to execute");
    direct_close(&t);
}

static void test_wrong_results(void **state) {
    (void)state;
    static IsaExecOut out;
    Direct t;
    direct_open(&t,
                ".kernel k\n.regs 8\n.preds 1\n iadd R0, 0x1, 0x2\n isetp.eq.and.u32 _|P0, R0, "
                "0x3\n exit _\n");
    assert_true(retire_issue(t.r, 0, 0, ~0u, ~0u, &t.d));
    retire_flight(t.r, 3, 0);
    for (int l = 0; l < 32; l++) out.dst[0][l] = 3;
    assert_true(retire_result(t.r, 3, &out, &t.d));
    out.dst[0][7] = 4;
    expect_difference(&t, retire_result(t.r, 3, &out, &t.d),
                      "lane 7 of R0: expected 0x00000003, the SM has 0x00000004");
    t.d = (Diag){0};
    assert_true(retire_issue(t.r, 0, 1, ~0u, ~0u, &t.d));
    retire_flight(t.r, 4, 0);
    out.pdst[0] = 0xfffffff7;
    expect_difference(&t, retire_result(t.r, 4, &out, &t.d),
                      "lane 3 of P0: expected 1, the SM has 0");
    direct_close(&t);
}

// Lanes of a register that were never written are taken from the SM, once; written values are
// compared as ever.
static void test_unknown(void **state) {
    (void)state;
    static IsaExecOut out;
    Direct t;
    direct_open(
        &t,
        ".kernel k\n.regs 8\n.preds 1\n @P0 mov R0, 0x5\n iadd R1, R0, 0x1\n iadd R2, R1, 0x1\n"
        " isetp.eq.and.u32 _|P0, R3, 0x0\n sel R4, 0x1, 0x2, {P0}\n exit _\n");
    for (uint32_t pc = 0; pc < 2; pc++)
        assert_true(retire_issue(t.r, 0, pc, ~0u, pc ? ~0u : 0, &t.d));
    retire_flight(t.r, 1, 0);
    for (uint32_t l = 0; l < 32; l++) out.dst[0][l] = 100 * l;
    assert_true(retire_result(t.r, 1, &out, &t.d));
    assert_true(retire_issue(t.r, 0, 2, ~0u, ~0u, &t.d));  // R1 is defined: it has the SM's value
    retire_flight(t.r, 2, 0);
    for (uint32_t l = 0; l < 32; l++) out.dst[0][l] = 100 * l + 1;
    assert_true(retire_result(t.r, 2, &out, &t.d));
    out.dst[0][9]++;
    expect_difference(&t, retire_result(t.r, 2, &out, &t.d), "lane 9 of R2: expected 0x00000385");
    t.d = (Diag){0};
    assert_true(retire_issue(t.r, 0, 3, ~0u, ~0u, &t.d));
    retire_flight(t.r, 3, 0);
    out.pdst[0] = 0xf0;
    assert_true(retire_result(t.r, 3, &out, &t.d));
    assert_true(retire_issue(t.r, 0, 4, ~0u, ~0u, &t.d));
    retire_flight(t.r, 4, 0);
    for (uint32_t l = 0; l < 32; l++) out.dst[0][l] = 0xf0 >> l & 1 ? 1 : 2;
    assert_true(retire_result(t.r, 4, &out, &t.d));
    out.dst[0][0] = 1;
    expect_difference(&t, retire_result(t.r, 4, &out, &t.d), "lane 0 of R4: expected 0x00000002");
    direct_close(&t);
}

// An address that was never written is the SM's; of one that was written, every lane is compared.
static void test_unknown_address(void **state) {
    (void)state;
    uint32_t addr[ISA_LANES], lanes[4] = {0, 0xff, ~0xffu}, zero[ISA_LANES] = {0};
    Direct t;
    direct_open(&t,
                ".kernel k\n.regs 8\n ld.b32 R1, [R0]\n mov R2, 0x10000000\n ld.global.b32 R3, "
                "[R2]\n exit _\n");
    assert_true(retire_issue(t.r, 0, 0, ~0u, ~0u, &t.d));
    retire_flight(t.r, 0, 0);
    for (uint32_t l = 0; l < ISA_LANES; l++) addr[l] = 4 * l;
    RetireAccess a = {.addr = addr, .lanes_of = lanes};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < 4; w++) a.data[i][w] = zero;
    assert_true(retire_access(t.r, 0, &a, &t.d));
    for (uint32_t pc = 1; pc < 3; pc++) assert_true(retire_issue(t.r, 0, pc, ~0u, ~0u, &t.d));
    retire_flight(t.r, 1, 0);
    memcpy(lanes, (uint32_t[4]){~0u}, sizeof lanes);
    for (uint32_t l = 0; l < ISA_LANES; l++) addr[l] = 0x10000000;
    addr[5]++;
    expect_difference(&t, retire_access(t.r, 1, &a, &t.d),
                      "address of lane 5: expected 0x10000000");
    direct_close(&t);
}

static void test_wrong_access(void **state) {
    (void)state;
    uint32_t addr[ISA_LANES], lanes[4] = {~0u}, value[ISA_LANES], zero[ISA_LANES] = {0};
    Direct t;
    direct_open(&t,
                ".kernel k\n.regs 8\n s2r R0, %laneid\n shl R1, R0, 0x2\n iadd R1, R1, 0x10000000\n"
                " st.global.b32 _, [R1+16], R0\n exit _\n");
    for (uint32_t pc = 0; pc < 4; pc++) assert_true(retire_issue(t.r, 0, pc, ~0u, ~0u, &t.d));
    retire_flight(t.r, 0, 0);
    for (uint32_t l = 0; l < ISA_LANES; l++) addr[l] = 0x10000010 + 4 * l, value[l] = l;
    RetireAccess a = {.addr = addr, .lanes_of = lanes};
    for (int i = 0; i < 3; i++)
        for (int w = 0; w < 4; w++) a.data[i][w] = zero;
    a.data[1][0] = value;
    assert_true(retire_access(t.r, 0, &a, &t.d));
    value[31] = 7;
    expect_difference(&t, retire_access(t.r, 0, &a, &t.d),
                      "data of lane 31, word 0: expected 0x0000001f");
    value[31] = 31;
    t.d = (Diag){0};
    addr[2] += 4;
    expect_difference(&t, retire_access(t.r, 0, &a, &t.d),
                      "address of lane 2: expected 0x10000018");
    addr[2] -= 4;
    t.d = (Diag){0};
    lanes[0] = ~1u;
    lanes[1] = 1;
    expect_difference(&t, retire_access(t.r, 0, &a, &t.d),
                      "in global memory, in the SM fffffffe are");
    t.d = (Diag){0};
    // The SM's memory never got the values: found at the end.
    expect_difference(&t, retire_end(t.r, &t.d), "of buffer: expected 0x01, the SM left 0x00");
    direct_close(&t);
}

// Comparisons are made at all.
static void test_counts(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", NULL);
    bench_run(&b, PROGRAM, 4, 128, 0);
    // 16 instructions of 16 warps at issue; results of 11 to 13 and accesses of 4 of them
    assert_in_range(gpu_retire_compared(b.gpu), 16 * (16 + 11 + 4), 16 * (16 + 13 + 4));
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_fault),      cmocka_unit_test(test_operand_fault),
        cmocka_unit_test(test_write_fault),     cmocka_unit_test(test_wrong_pc_and_masks),
        cmocka_unit_test(test_wrong_results),   cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unknown_address), cmocka_unit_test(test_wrong_access),
        cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
