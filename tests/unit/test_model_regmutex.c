// SPDX-License-Identifier: Apache-2.0
// Golden models of RegMutex's blocks on the thesis's example. A kernel of 24 registers runs on 48
// warps and 1024 warp registers (32 K registers) with an extended set of 6. This gives 18 base
// registers per warp, 160 registers left, 26 sections.
#include "models/regmutex/arch_to_phys.h"
#include "models/regmutex/srp_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARPS = 48, BASE = 18, EXT = 6, POOL = 1024 - WARPS * BASE, SECTIONS = POOL / EXT };

static void load(void *m, uint32_t sections, bool paired) {
    SrpAllocatorIn in = {.cfg_valid = {1}, .cfg_sections = {sections}, .cfg_paired = {paired}};
    srp_allocator_model.tick(m, &in);
}

static int acquire(void *m, uint32_t warp) {
    SrpAllocatorIn in = {.acq_valid = {1}, .acq_warp = {warp}};
    SrpAllocatorOut out;
    srp_allocator_model.eval(m, &in, &out);
    srp_allocator_model.tick(m, &in);
    return out.acq_grant[0] & 1 ? (int)out.acq_section[0] : -1;
}

static void release(void *m, uint32_t warp) {
    SrpAllocatorIn in = {.rel_valid = {1}, .rel_warp = {warp}};
    srp_allocator_model.tick(m, &in);
}

static void test_sections(void **unused) {
    (void)unused;
    const int params[] = {WARPS, 2, 4};
    void *m = srp_allocator_model.open(params);
    assert_int_equal(SECTIONS, 26);
    assert_int_equal(acquire(m, 0), -1);  // no pool yet
    load(m, SECTIONS, false);
    for (uint32_t w = 0; w < SECTIONS; w++) assert_int_equal(acquire(m, w), w);
    assert_int_equal(acquire(m, 40), -1);
    assert_int_equal(acquire(m, 7), 7);  // nested: the same section, nothing lost
    release(m, 7);
    release(m, 7);
    assert_int_equal(acquire(m, 40), 7);
    assert_int_equal(acquire(m, 7), -1);
    SrpAllocatorIn exit = {0};
    exit.exit_mask[40] = exit.exit_mask[3] = 1;
    srp_allocator_model.tick(m, &exit);
    assert_int_equal(acquire(m, 7), 3);  // find first zero
    assert_int_equal(acquire(m, 3), 7);
    srp_allocator_model.close(m);
}

// Two ports in one cycle: the second sees the section that the first took. A section released at an
// edge is free from the next cycle on.
static void test_one_cycle(void **unused) {
    (void)unused;
    const int params[] = {WARPS, 2, 4};
    void *m = srp_allocator_model.open(params);
    SrpAllocatorOut out;
    load(m, 1, false);
    SrpAllocatorIn in = {.acq_valid = {3}, .acq_warp = {5, 9}, .lk_warp = {5, 9}};
    srp_allocator_model.eval(m, &in, &out);
    assert_int_equal(out.acq_grant[0], 1);
    assert_int_equal(out.lk_held[0], 0);
    srp_allocator_model.tick(m, &in);
    in = (SrpAllocatorIn){
        .acq_valid = {1}, .acq_warp = {9}, .rel_valid = {1}, .rel_warp = {5}, .lk_warp = {5, 9}};
    srp_allocator_model.eval(m, &in, &out);
    assert_int_equal(out.acq_grant[0], 0);
    assert_int_equal(out.lk_held[0], 1);
    srp_allocator_model.tick(m, &in);
    assert_int_equal(acquire(m, 9), 0);
    srp_allocator_model.close(m);
}

static void test_paired(void **unused) {
    (void)unused;
    const int params[] = {WARPS, 2, 4};
    void *m = srp_allocator_model.open(params);
    load(m, WARPS, true);
    assert_int_equal(acquire(m, 11), 5);
    assert_int_equal(acquire(m, 10), -1);  // its partner holds
    assert_int_equal(acquire(m, 12), 6);
    release(m, 10);  // holds nothing: no effect
    assert_int_equal(acquire(m, 10), -1);
    release(m, 11);
    assert_int_equal(acquire(m, 10), 5);
    srp_allocator_model.close(m);
}

// An odd warp at the end is its pair alone.
static void test_odd_pairs(void **unused) {
    (void)unused;
    const int params[] = {5, 1, 8};
    void *m = srp_allocator_model.open(params);
    load(m, 5, true);
    assert_int_equal(acquire(m, 4), 2);
    assert_int_equal(acquire(m, 1), 0);
    assert_int_equal(acquire(m, 0), -1);
    SrpAllocatorIn in = {.lk_warp = {0, 1, 2, 3, 4, 4, 1, 0}};
    SrpAllocatorOut out;
    srp_allocator_model.eval(m, &in, &out);
    assert_int_equal(out.lk_held[0], 0x72);
    assert_int_equal(out.lk_section[5], 2);
    load(m, 2, true);  // a pool that is smaller than the pairs
    assert_int_equal(acquire(m, 4), -1);
    assert_int_equal(acquire(m, 3), 1);
    srp_allocator_model.close(m);
}

static long map(uint32_t warp, int section, uint32_t reg) {
    const int params[] = {WARPS, 63, 4, 256, 2, 3};
    void *m = arch_to_phys_model.open(params);
    ArchToPhysIn in = {.cfg_base = {BASE},
                       .cfg_ext = {EXT},
                       .cfg_srp = {WARPS * BASE},
                       .at_valid = {1},
                       .at_warp = {warp},
                       .at_held = {section >= 0},
                       .at_section = {section < 0 ? 0 : (uint32_t)section},
                       .at_need = {1},
                       .at_reg = {reg}};
    ArchToPhysOut out;
    arch_to_phys_model.eval(m, &in, &out);
    arch_to_phys_model.close(m);
    assert_int_equal(out.at_ok[0] ^ out.at_fault[0], 1);
    return out.at_ok[0] ? (long)out.at_phys[0] : -1;
}

static void test_mapping(void **unused) {
    (void)unused;
    assert_int_equal(map(0, -1, 0), 0);
    assert_int_equal(map(47, -1, 17), 47 * 18 + 17);
    assert_int_equal(map(47, 25, 18), 864 + 6 * 25);
    assert_int_equal(map(3, 25, 23), 864 + 6 * 25 + 5);
    assert_int_equal(map(3, -1, 18), -1);  // no section
    assert_int_equal(map(3, 0, 24), -1);   // the kernel has 24 registers
    // Every register of every warp and section is somewhere else.
    uint8_t seen[1024] = {0};
    for (uint32_t w = 0; w < WARPS; w++)
        for (uint32_t x = 0; x < BASE; x++) assert_int_equal(seen[map(w, -1, x)]++, 0);
    for (int s = 0; s < SECTIONS; s++)
        for (uint32_t x = BASE; x < BASE + EXT; x++) assert_int_equal(seen[map(0, s, x)]++, 0);
}

// ---- places -------------------------------------------------------------------------------------

// A split of a register file: base and extended registers, warps whose base sets fit, sections
// behind them.
typedef struct Split {
    int banks, entries;
    uint32_t base, ext, warps, sections;
} Split;

static Split split_of(int banks, uint32_t base, uint32_t ext) {
    Split s = {banks, (1024 + banks - 1) / banks, base, ext, 0, 0};
    const uint32_t rows = (uint32_t)(s.banks * s.entries);
    s.warps = rows / base < WARPS ? rows / base : WARPS;
    if (s.warps * base == rows) s.warps--;
    s.sections = (rows - base * s.warps) / ext;
    if (s.sections > WARPS) s.sections = WARPS;
    return s;
}

// Marks the place of a register; false: it is not mapped, or another one is there.
static bool take_place(void *m, const Split *s, uint8_t *seen, uint32_t warp, bool held,
                       uint32_t section, uint32_t x) {
    ArchToPhysIn in = {.cfg_base = {s->base},
                       .cfg_ext = {s->ext},
                       .cfg_srp = {s->base * s->warps},
                       .at_valid = {1},
                       .at_warp = {warp},
                       .at_held = {held},
                       .at_section = {section},
                       .at_need = {1},
                       .at_reg = {x}};
    ArchToPhysOut out;
    arch_to_phys_model.eval(m, &in, &out);
    if (!(out.at_ok[0] & 1) || out.at_bank[0] >= (uint32_t)s->banks ||
        out.at_entry[0] >= (uint32_t)s->entries)
        return false;
    return !seen[out.at_entry[0] * (uint32_t)s->banks + out.at_bank[0]]++;
}

// Has every register of every warp and every section a place of its own? same: all sections are
// said to be this one.
static bool places_differ(const Split *s, int same) {
    const int params[] = {WARPS, 63, s->banks, s->entries, 1, 1};
    void *m = arch_to_phys_model.open(params);
    uint8_t seen[2048] = {0};
    bool good = true;
    for (uint32_t w = 0; w < s->warps; w++)
        for (uint32_t x = 0; x < s->base; x++) good &= take_place(m, s, seen, w, false, 0, x);
    for (uint32_t k = 0; k < s->sections; k++)
        for (uint32_t x = s->base; x < s->base + s->ext; x++)
            good &= take_place(m, s, seen, 0, true, same < 0 ? k : (uint32_t)same, x);
    arch_to_phys_model.close(m);
    return good;
}

static void test_places(void **unused) {
    (void)unused;
    for (int banks = 3; banks <= 4; banks++)
        for (uint32_t base = 8; base <= 62; base++)
            for (uint32_t ext = 2; base + ext <= 63; ext += 3) {
                const Split s = split_of(banks, base, ext);
                assert_true(s.warps > 0);
                if (!places_differ(&s, -1))
                    fail_msg("|Bs| %u, |Es| %u, %d banks: two registers in one place", base, ext,
                             banks);
            }
    // The check sees two sections in one place, and registers behind the file.
    Split s = split_of(4, BASE, EXT);
    assert_false(places_differ(&s, 1));
    s.sections = 27;
    assert_false(places_differ(&s, -1));
}

// Where 4 divides |Bs|, a register of all warps does not lie in one bank of 4.
static void test_banks(void **unused) {
    (void)unused;
    const int params[] = {WARPS, 63, 4, 256, 1, 1};
    void *m = arch_to_phys_model.open(params);
    for (uint32_t base = 8; base <= 20; base += 4) {
        int used[4] = {0};
        for (uint32_t w = 0; w < WARPS; w++) {
            ArchToPhysIn in = {
                .cfg_base = {base}, .at_valid = {1}, .at_warp = {w}, .at_need = {1}, .at_reg = {5}};
            ArchToPhysOut out;
            arch_to_phys_model.eval(m, &in, &out);
            assert_int_equal(out.at_phys[0] % 4, 5 % 4);
            used[out.at_bank[0]]++;
        }
        for (int b = 0; b < 4; b++) assert_in_range(used[b], WARPS / 8, WARPS / 2);
    }
    arch_to_phys_model.close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_pairs), cmocka_unit_test(test_places),
        cmocka_unit_test(test_banks),     cmocka_unit_test(test_sections),
        cmocka_unit_test(test_one_cycle), cmocka_unit_test(test_paired),
        cmocka_unit_test(test_mapping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
