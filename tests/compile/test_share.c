// SPDX-License-Identifier: Apache-2.0
// Registers that two warps share: numbers in the order of first use, pairs and quads aligned,
// scarce room. Also: faults that the proof must find, the threshold, loops that wait for another
// warp.
#include "compile/regions/regions.h"
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static IsaProgram *program(Arena *arena, int nregs, const char *body) {
    Diag d = {0};
    char *text = arena_printf(arena, ".kernel k\n.regs %d\n.preds 2\n%s", nregs, body);
    IsaProgram *p = isa_parse(arena, "k.isa", text, strlen(text), &d);
    if (!p || !isa_check(p, &d)) fail_msg("%s", d.text);
    return p;
}

static void expect_body(Arena *arena, const IsaProgram *p, const char *body) {
    const IsaProgram *want = program(arena, p->nregs, body);
    assert_int_equal(p->ninsts, want->ninsts);
    for (int i = 0; i < p->ninsts; i++) {
        char a[160], b[160];
        isa_print_inst(a, sizeof a, &p->insts[i]);
        isa_print_inst(b, sizeof b, &want->insts[i]);
        const size_t n = strcspn(b, "/");
        if (strncmp(a, b, n)) fail_msg("instruction %d: %s, expected %s", i, a, b);
    }
}

// Numbers fall to 0 in the order in which the text names the registers; a late one fills a gap.
static void test_first_use(void **unused) {
    Arena arena = {0};
    (void)unused;
    const IsaProgram *p = program(&arena, 40,
                                  "iadd R9, R5, R9\n mov R30, R9\n ld.global.b64 R12.64, [R30]\n"
                                  "mov R7, R13\n st.global.b128 _, [R12.64], R36.128\n exit _\n");
    Diag d = {0};
    const IsaProgram *q = share_renumber(p, 40, &arena);
    expect_body(&arena, q,
                "iadd R1, R0, R1\n mov R2, R1\n ld.global.b64 R4.64, [R2]\n"
                "mov R3, R5\n st.global.b128 _, [R4.64], R8.128\n exit _\n");
    assert_int_equal(q->nregs, 12);
    assert_int_equal(q->home_regs, 12);
    assert_true(share_check(p, q, &d));
    arena_free(&arena);
}

// If a register pair is also half of a quad, the whole quad stays together and aligned.
static void test_pair_in_quad(void **unused) {
    Arena arena = {0};
    (void)unused;
    const IsaProgram *p = program(&arena, 24,
                                  "mov R21, 0x1\n mov R5, R21\n ld.global.b64 R22.64, [R5]\n"
                                  "st.global.b128 _, [R5], R20.128\n exit _\n");
    expect_body(&arena, share_renumber(p, 24, &arena),
                "mov R1, 0x1\n mov R4, R1\n ld.global.b64 R2.64, [R4]\n"
                "st.global.b128 _, [R4], R0.128\n exit _\n");
    arena_free(&arena);
}

// Three registers for one and a pair: the pair goes first. A place for four that cannot be: all
// stays.
static void test_scarce(void **unused) {
    Arena arena = {0};
    (void)unused;
    const char *const body = "mov R2, 0x10\n ld.global.b64 R0.64, [R2]\n exit _\n";
    const IsaProgram *p = program(&arena, 3, body);
    expect_body(&arena, share_renumber(p, 3, &arena),
                "mov R2, 0x10\n ld.global.b64 R0.64, [R2]\n exit _\n");
    expect_body(&arena, share_renumber(p, 4, &arena),
                "mov R0, 0x10\n ld.global.b64 R2.64, [R0]\n exit _\n");
    const IsaProgram *q = share_renumber(p, 2, &arena);
    expect_body(&arena, q, body);
    assert_int_equal(q->nregs, 3);
    arena_free(&arena);
}

static void refuse(const IsaProgram *p, const IsaProgram *q) {
    Diag d = {0};
    assert_false(share_check(p, q, &d));
    assert_non_null(strstr(d.text, "a register has two numbers, or a number two registers"));
}

static void test_check(void **unused) {
    Arena arena = {0};
    (void)unused;
    const char *const body = "mov R5, 0x1\n mov R6, 0x2\n iadd R7, R5, R6\n exit _\n";
    const IsaProgram *p = program(&arena, 8, body);
    IsaProgram *q = share_renumber(p, 8, &arena);
    q->insts[2].src[1].reg = 7;  // of another register
    refuse(p, q);
    q = share_renumber(p, 8, &arena);
    q->insts[1].dst = q->insts[0].dst;  // the number of another one
    refuse(p, q);
    q = share_renumber(p, 8, &arena);
    q->insts[2].src[0].reg = ISA_RZ;
    refuse(p, q);
    q = share_renumber(p, 8, &arena);
    q->insts[2].op = ISA_IMUL;
    refuse(p, q);
    arena_free(&arena);
}

// ---- what is shared ----

static const IsaProgram *share(Arena *arena, const IsaProgram *p, int forced, int base, int ext) {
    MachineConfig c = machine_fermi;
    IsaProgram split = *p;
    Diag d = {0};
    c.owf_threshold = forced;
    split.base_regs = base;
    split.ext_regs = ext;
    split.given_regs = base + ext;
    const IsaProgram *q = regions_share(p, &split, arena, &c, NULL, &d);
    if (!q) fail_msg("%s", d.text);
    return q;
}

static void expect_split(const IsaProgram *q, int base, int ext, int given) {
    assert_int_equal(q->base_regs, base);
    assert_int_equal(q->ext_regs, ext);
    assert_int_equal(q->given_regs, given);
}

static void test_threshold(void **unused) {
    Arena arena = {0};
    (void)unused;
    const IsaProgram *p =
        program(&arena, 8, "mov R5, 0x1\n mov R6, 0x2\n iadd R7, R5, R6\n exit _\n");
    const IsaProgram *dense =
        program(&arena, 3, "mov R0, 0x1\n mov R1, 0x2\n iadd R2, R0, R1\n exit _\n");
    expect_split(share(&arena, p, -1, 2, 6), 2, 6, 8);  // as RegMutex
    expect_split(share(&arena, dense, -1, 2, 2), 2, 2, 4);
    expect_split(share(&arena, p, -1, 8, 0), 8, 0, 8);  // which splits nothing
    expect_split(share(&arena, p, 0, 2, 6), 8, 0, 8);
    expect_split(share(&arena, p, 1, 8, 0), 1, 7, 8);  // forced
    expect_split(share(&arena, p, 5, 2, 6), 3, 0, 8);  // three after all
    expect_split(share(&arena, dense, 3, 4, 0), 3, 0, 4);
    arena_free(&arena);
}

static void test_waiting_loop(void **unused) {
    Arena arena = {0};
    (void)unused;
    const IsaProgram *p =
        program(&arena, 8,
                "mov R5, 0x1\n L1:\n ld.global.b32.cv R6, [R5]\n isetp.eq.and.u32 _|P0, R6, 0x0\n"
                "@P0 bra _, L1, L4\n L4:\n iadd R7, R5, R6\n exit _\n");
    expect_split(share(&arena, p, 2, 2, 6), 8, 0, 8);
    expect_split(share(&arena, p, -1, 2, 6), 8, 0, 8);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_use), cmocka_unit_test(test_pair_in_quad),
        cmocka_unit_test(test_scarce),    cmocka_unit_test(test_check),
        cmocka_unit_test(test_threshold), cmocka_unit_test(test_waiting_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
