// SPDX-License-Identifier: Apache-2.0
// Accesses of one warp instruction, counted by hand.
#include "mem/mem_internal.h"
#include "mem_harness.h"

static int lines(MemRequest r) {
    Access a[MAX_ACCESSES];
    return coalesce_lines(&r, 128, a);
}

static void test_lines(void **state) {
    (void)state;
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 4, 4)), 1);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000040, 4, 4)), 2);  // half of it in the next line
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 0, 4)), 1);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 8, 4)), 2);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 128, 4)), 32);
    assert_int_equal(lines(request(MEM_LOAD, 0x10001000, (uint32_t)-4, 4)), 2);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 1, 1)), 1);
    // Half warps of 8 bytes and quarter warps of 16 bytes pass one after the other.
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 8, 8)), 2);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 16, 16)), 4);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 0, 8)), 2);
    assert_int_equal(lines(request(MEM_LOAD, 0x10000000, 0, 16)), 4);
    assert_int_equal(lines(request(MEM_ATOMIC, 0x10000000, 0, 8)), 1);
    MemRequest none = request(MEM_LOAD, 0x10000000, 4, 4);
    none.active = 0;
    assert_int_equal(lines(none), 0);
    none.active = 0x80000001;
    none.addr[31] = 0x20000000;
    assert_int_equal(lines(none), 2);
}

static void test_lanes_and_sectors(void **state) {
    (void)state;
    Access a[MAX_ACCESSES];
    MemRequest r =
        request(MEM_STORE, 0x10000060, 4, 4);  // last sector of a line, three of the next
    assert_int_equal(coalesce_lines(&r, 128, a), 2);
    assert_int_equal(a[0].lanes, 0xff);
    assert_int_equal(a[1].lanes, 0xffffff00u);
    assert_int_equal(a[0].touched, 8);
    assert_int_equal(a[0].full, 8);
    assert_int_equal(a[1].touched, 7);
    assert_int_equal(a[1].full, 7);
    r.active = 0x7fffffff;  // one word of the third sector is not written
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[1].touched, 7);
    assert_int_equal(a[1].full, 3);
    r = request(MEM_STORE, 0x10000000, 1, 1);
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[0].touched, 1);
    assert_int_equal(a[0].full, 1);
    r = request(MEM_STORE, 0x10000000, 16, 16);
    assert_int_equal(coalesce_lines(&r, 128, a), 4);
    for (int i = 0; i < 4; i++) assert_int_equal(a[i].full, 15);
}

static void test_atomic_serial(void **state) {
    (void)state;
    Access a[MAX_ACCESSES];
    MemRequest r = request(MEM_ATOMIC, 0x10000000, 4, 4);
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[0].serial, 1);
    for (int i = 0; i < 32; i++)
        r.addr[i] = 0x10000000 + (uint32_t)(i % 5) * 4;  // 7, 7, 6, 6, 6 lanes
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[0].serial, 7);
    r = request(MEM_RED, 0x10000000, 0, 4);
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[0].serial, 32);
    r.active = 0xf;
    coalesce_lines(&r, 128, a);
    assert_int_equal(a[0].serial, 4);
}

static int shared(MemKind kind, uint32_t base, uint32_t stride, uint32_t bytes, int *conflicts) {
    MemRequest r = request(kind, base, stride, bytes);
    return coalesce_shared(&r, 32, conflicts);
}

static void test_shared_degree(void **state) {
    (void)state;
    int conflicts;
    static const struct {
        uint32_t stride;
        int cycles;
    } WORDS[] = {{0, 1},  {4, 1},   {8, 2},    {12, 1},  {16, 4},
                 {20, 1}, {64, 16}, {128, 32}, {132, 1}, {256, 32}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        assert_int_equal(shared(MEM_SHARED_LOAD, 0, WORDS[i].stride, 4, &conflicts),
                         WORDS[i].cycles);
        assert_int_equal(conflicts, WORDS[i].cycles - 1);
    }
    // Bytes and halves of one word are one word.
    assert_int_equal(shared(MEM_SHARED_LOAD, 0, 1, 1, &conflicts), 1);
    assert_int_equal(shared(MEM_SHARED_LOAD, 0, 2, 2, &conflicts), 1);
    // 64 bits: two phases, 128 bits: four; contiguous is free of conflicts.
    assert_int_equal(shared(MEM_SHARED_LOAD, 0, 8, 8, &conflicts), 2);
    assert_int_equal(conflicts, 0);
    assert_int_equal(shared(MEM_SHARED_LOAD, 0, 16, 16, &conflicts), 4);
    assert_int_equal(conflicts, 0);
    assert_int_equal(shared(MEM_SHARED_LOAD, 0, 16, 8, &conflicts), 4);
    assert_int_equal(conflicts, 2);
    // Atomics do not share: all lanes on one word, all lanes on one bank, all apart.
    assert_int_equal(shared(MEM_SHARED_ATOMIC, 0, 0, 4, &conflicts), 32);
    assert_int_equal(shared(MEM_SHARED_ATOMIC, 0, 128, 4, &conflicts), 32);
    assert_int_equal(shared(MEM_SHARED_ATOMIC, 0, 4, 4, &conflicts), 1);
    MemRequest r = request(MEM_SHARED_LOAD, 0, 128, 4);
    r.active = 0x7;
    assert_int_equal(coalesce_shared(&r, 32, &conflicts), 3);
    r.active = 0;
    assert_int_equal(coalesce_shared(&r, 32, &conflicts), 1);
    assert_int_equal(coalesce_shared(&r, 1, &conflicts), 1);
}

static void test_const_words(void **state) {
    (void)state;
    Access a[MAX_ACCESSES];
    MemRequest r = request(MEM_CONST_LOAD, 0, 0, 4);
    assert_int_equal(coalesce_const(&r, a), 1);
    r = request(MEM_CONST_LOAD, 0, 4, 4);
    assert_int_equal(coalesce_const(&r, a), 32);
    r = request(MEM_CONST_LOAD, 0, 1, 1);
    assert_int_equal(coalesce_const(&r, a), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_lanes_and_sectors),
        cmocka_unit_test(test_atomic_serial), cmocka_unit_test(test_shared_degree),
        cmocka_unit_test(test_const_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
