// SPDX-License-Identifier: Apache-2.0
// Occupancy against an SM that is filled CTA by CTA. Also: registers that cost no CTA, and the
// limit that the compiler derives from a kernel's bounds.
#include "compile/ir.h"
#include "config/occupancy.h"
#include "isa/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state = 7;
static int draw(int n) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static MachineConfig fermi(void) {
    return (MachineConfig){.sm_warps = 48,
                           .sm_threads = 1536,
                           .sm_ctas = 8,
                           .sm_schedulers = 2,
                           .rf_banks = 4,
                           .rf_entries = 256,
                           .rf_granularity = 4,
                           .shared_bytes = 49152,
                           .sm_regs_per_thread = 63};
}

static MachineConfig any_machine(void) {
    MachineConfig c = fermi();
    c.sm_warps = 1 + draw(64);
    c.sm_threads = 32 * (1 + draw(64));
    c.sm_ctas = 1 + draw(32);
    c.rf_banks = 1 + draw(32);
    c.rf_entries = 16 + draw(300);
    c.rf_granularity = 1 + draw(16);
    c.shared_bytes = 1024 * (1 + draw(64));
    return c;
}

// Puts CTAs on an empty SM until something runs out.
static int fill(const MachineConfig *c, const CtaNeed *n) {
    int warps = 0, ctas = 0, regs = 0, shared = 0, wide = 0;
    while (wide * 32 < n->threads) wide++;
    for (;; ctas++) {
        for (int w = 0; w < wide; w++) {
            regs += reg_layout(c->rf_banks, c->rf_granularity, n->regs).alloc;
            warps++;
        }
        for (uint64_t bytes = 0; bytes < n->shared_bytes; bytes += 128) shared += 128;
        if (ctas == c->sm_ctas || warps > c->sm_warps || warps * 32 > c->sm_threads ||
            shared > c->shared_bytes || regs > c->rf_banks * c->rf_entries)
            return ctas;
    }
}

static void test_filling(void **unused) {
    (void)unused;
    for (int round = 0; round < 4000; round++) {
        const MachineConfig c = any_machine();
        const CtaNeed need = {1 + draw(1024), 1 + draw(63), (uint64_t)(draw(3) ? draw(20000) : 0)};
        CtaLimit limit;
        assert_int_equal(occupancy_ctas(&c, &need, &limit), fill(&c, &need));
        assert_int_equal(limit.there / limit.needed, fill(&c, &need));
        const RegLayout layout = reg_layout(c.rf_banks, c.rf_granularity, need.regs);
        assert_int_equal(occupancy_given_regs(&c, need.regs), layout.alloc);
    }
}

// One register more than the free ones costs a CTA.
static void test_free_registers(void **unused) {
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        const MachineConfig c = any_machine();
        CtaNeed need = {1 + draw(1024), 1 + draw(63), (uint64_t)draw(20000)};
        const int ctas = fill(&c, &need), most = occupancy_free_regs(&c, need, 63);
        assert_in_range(most, need.regs, 63);
        need.regs = most;
        assert_int_equal(fill(&c, &need), ctas);
        need.regs++;
        if (most < 63) assert_true(fill(&c, &need) < ctas);
    }
    MachineConfig c = fermi();
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){256, 14, 0}, 63), 20);
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){64, 14, 0}, 63), 63);  // 8 CTAs: 16 warps
    // 3 CTAs: 24 warps
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){256, 14, 16384}, 63), 40);
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){0, 14, 0}, 63), 20);  // all warps
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){0, 21, 0}, 63), 24);
    c.rf_banks = 16, c.rf_entries = 64;
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){256, 14, 0}, 63), 20);
    c.rf_granularity = 16;
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){256, 14, 0}, 63), 16);
    c.rf_granularity = 1;
    assert_int_equal(occupancy_free_regs(&c, (CtaNeed){256, 14, 0}, 63), 21);
}

static RegLimit limit_of(const MachineConfig *c, const PtxFunc *f, int64_t shared, int max_regs) {
    return register_limit(f, shared, &(CompileOptions){.max_regs = max_regs, .cfg = c});
}

static void test_limit(void **unused) {
    (void)unused;
    MachineConfig c = fermi();
    PtxFunc f = {0};
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 63);
    f.maxnreg = 24;
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 24);
    assert_int_equal(limit_of(&c, &f, 0, 20).most, 20);
    f.maxnreg = 3;
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 16);
    f = (PtxFunc){.maxntid = {16, 16, 1}, .minnctapersm = 6};
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 20);  // 48 warps
    assert_int_equal(limit_of(&c, &f, 0, 63).warps, 48);
    assert_int_equal(limit_of(&c, &f, 0, 18).most, 18);
    f.minnctapersm = 3;
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 40);  // 24 warps: 42, in fours
    // no machine of this kind holds more than 6
    f.minnctapersm = 100;
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 20);
    assert_int_equal(limit_of(&c, &f, 16384, 63).most, 40);  // shared memory of 3
    assert_int_equal(limit_of(&c, &f, 49153, 63).most, 63);  // cannot run at all
    f.maxnreg = 24;
    assert_int_equal(limit_of(&c, &f, 16384, 63).most, 24);
    // goes before .maxntid: 8 CTAs, 16 warps
    f.reqntid[0] = 64;
    f.maxnreg = 0;
    assert_int_equal(limit_of(&c, &f, 0, 63).most, 63);
    assert_int_equal(limit_of(&c, &f, 0, 63).warps, 16);
}

// The CTAs that the bounds request are resident, and one register more would be too much.
static void test_limit_holds(void **unused) {
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        const MachineConfig c = any_machine();
        PtxFunc f = {.maxntid = {1 + draw(512), 1, 1}, .minnctapersm = 1 + draw(12)};
        const int64_t shared = draw(12000);
        const RegLimit l = limit_of(&c, &f, shared, 63);
        CtaNeed need = {f.maxntid[0], 1, (uint64_t)shared};
        const int possible = fill(&c, &need),
                  asked = f.minnctapersm < possible ? f.minnctapersm : possible;
        need.regs = l.most;
        if (l.most > 16) assert_true(fill(&c, &need) >= asked);
        need.regs++;
        if (l.most < 63) assert_true(fill(&c, &need) < asked);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filling),
        cmocka_unit_test(test_free_registers),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_limit_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
