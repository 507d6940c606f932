// SPDX-License-Identifier: Apache-2.0
// Device memory, its bounds and words; layout of module variables and shared memory.
#include "launch_harness.h"

static void test_bounds(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory m;
    assert_true(device_open(&m, &arena, &d));
    assert_null(device_at(&m, DEVICE_GLOBAL_BASE, 1));  // nothing is allocated
    uint32_t addr[50];
    for (int i = 0; i < 50; i++) {
        addr[i] = device_alloc(&m, arena_printf(&arena, "b%d", i), (uint64_t)(i * 100 + 1));
        assert_int_equal(addr[i] % 256, 0);
        assert_true(i == 0 || addr[i] >= addr[i - 1] + (uint32_t)(i - 1) * 100 + 1 + 256);
    }
    // Every byte of every buffer and none beside it, in an order that defeats the memory of the
    // last one.
    for (int k = 0; k < 50; k++) {
        int i = k * 17 % 50;
        uint32_t bytes = (uint32_t)i * 100 + 1;
        assert_ptr_equal(device_at(&m, addr[i], bytes), m.base + addr[i]);
        assert_ptr_equal(device_at(&m, addr[i] + bytes - 1, 1), m.base + addr[i] + bytes - 1);
        assert_null(device_at(&m, addr[i] + bytes, 1));
        assert_null(device_at(&m, addr[i] - 1, 1));
        assert_null(device_at(&m, addr[i] - 1, 2));
        assert_null(device_at(&m, addr[i], bytes + 1));
        assert_null(device_at(&m, addr[i] + bytes - 1, 2));
        assert_null(device_at(&m, (uint64_t)addr[i] + ((uint64_t)1 << 32), 1));
    }
    // Addresses that wrap around when the size is added.
    assert_null(device_at(&m, UINT64_MAX, 1));
    assert_null(device_at(&m, UINT64_MAX - 3, 8));
    assert_null(device_at(&m, 0xfffffffc, 8));
    assert_null(device_at(&m, 0, 4));
    device_close(&m);
    arena_free(&arena);
}

static void test_exhaustion(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory m;
    assert_true(device_open(&m, &arena, &d));
    assert_int_equal(device_alloc(&m, "huge", (uint64_t)1 << 40), 0);
    uint32_t a = device_alloc(&m, "a", 1u << 30);
    assert_int_equal(a, DEVICE_GLOBAL_BASE);
    m.base[a + (1u << 30) - 1] = 1;  // touches one page, not a gigabyte
    assert_int_equal(device_alloc(&m, "b", 1u << 30), 0);
    uint32_t b = device_alloc(&m, "b", (DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE) - (1u << 30) - 256);
    assert_true(b != 0);
    assert_int_equal(device_alloc(&m, "c", 1), 0);
    device_close(&m);
    arena_free(&arena);
}

static void test_describe(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory m;
    char text[200];
    assert_true(device_open(&m, &arena, &d));
    device_describe(&m, DEVICE_GLOBAL_BASE, text, sizeof text);
    assert_string_equal(text, "global memory that is not allocated");
    device_alloc(&m, "a", 65536);  // 0x10000000
    device_alloc(&m, "b", 100);    // 0x10010100
    static const struct {
        uint64_t addr;
        const char *words;
    } CASES[] = {
        {0x10000010, "byte 16 of buffer a (65536 bytes at 0x10000000)"},
        {0x10010000, "just past the end of buffer a (65536 bytes at 0x10000000)"},
        {0x10010004, "4 bytes past the end of buffer a (65536 bytes at 0x10000000)"},
        {0x100100ff, "1 bytes before the start of buffer b (100 bytes at 0x10010100)"},
        {0x20000000, "268369564 bytes past the end of buffer b (100 bytes at 0x10010100)"},
        {0, "a null pointer plus 0 bytes"},
        {0x48, "a null pointer plus 72 bytes"},
        {0x100000, "below every window, at offset 1048576"},
        {DEVICE_SHARED_BASE + 8, "byte 8 of the .shared window"},
        {DEVICE_LOCAL_BASE + 8, "byte 8 of the .local window"},
        {DEVICE_PARAM_BASE, "byte 0 of the .param window"},
        {0x110000010, "above 4 GiB, where no memory exists"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        device_describe(&m, CASES[i].addr, text, sizeof text);
        assert_string_equal(text, CASES[i].words);
    }
    device_close(&m);
    arena_free(&arena);
}

static void test_clone(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory a, b;
    assert_true(device_open(&a, &arena, &d));
    uint32_t big = device_alloc(&a, "big", 100000), small = device_alloc(&a, "small", 3);
    for (uint32_t i = 40000; i < 60001; i += 7) a.base[big + i] = (uint8_t)i;
    a.base[small + 2] = 9;
    assert_true(device_clone(&b, &a, &arena, &d));
    assert_memory_equal(a.base + big, b.base + big, 100000);
    assert_memory_equal(a.base + small, b.base + small, 3);
    assert_int_equal(b.nallocs, 2);
    b.base[big] = 1;
    assert_int_equal(a.base[big], 0);
    uint32_t next_a = device_alloc(&a, "x", 8),
             next_b = device_alloc(&b, "x", 8);  // they go on alike
    assert_int_equal(next_a, next_b);
    assert_non_null(device_at(&b, next_b, 8));
    device_close(&a);
    device_close(&b);
    arena_free(&arena);
}

#define PTX_HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const PtxModule *parse(Arena *arena, const char *text) {
    Diag d = {0};
    const PtxModule *m = ptx_parse(arena, "t.ptx", text, strlen(text), &d);
    if (!m) fail_msg("%s", d.text);
    return m;
}

static int var_named(const PtxModule *m, const char *name) {
    for (int i = 0; i < m->nvars; i++)
        if (!strcmp(m->vars[i].name, name)) return i;
    fail_msg("no variable %s", name);
    return -1;
}

static void test_module(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory memory;
    ModuleLayout l;
    const PtxModule *m = parse(&arena,
                               PTX_HEAD ".global .align 4 .u32 g[3] = {1, 2, 0xffffffff};\n"
                                        ".const .align 1 .b8 c1[3] = {7, 8, 9};\n"
                                        ".const .align 8 .f64 c2 = 0d3ff0000000000000;\n"
                                        ".global .align 8 .u64 p[3] = {g, generic(c2), g+8};\n"
                                        ".global .u64 q = generic(g);\n"
                                        ".const .align 8 .u64 r = c2;\n"
                                        ".shared .align 4 .b8 s[16];\n"
                                        ".visible .entry k() { ret; }\n");
    assert_true(device_open(&memory, &arena, &d));
    if (!layout_module(&l, &arena, m, &memory, &d)) fail_msg("%s", d.text);
    uint32_t g = l.var_addr[var_named(m, "g")], p = l.var_addr[var_named(m, "p")];
    const uint32_t words[3] = {1, 2, 0xffffffff};
    assert_memory_equal(memory.base + g, words, 12);
    assert_int_equal(l.var_addr[var_named(m, "c1")], 0);
    assert_int_equal(l.var_addr[var_named(m, "c2")], 8);
    assert_int_equal(l.const_bytes, 24);
    const uint8_t image[16] = {7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
    assert_memory_equal(l.const_image, image, 16);
    const uint64_t addresses[3] = {g, DEVICE_CONST_BASE + 8, g + 8};
    assert_memory_equal(memory.base + p, addresses, 24);
    const uint64_t q = g, r = 8;
    assert_memory_equal(memory.base + l.var_addr[var_named(m, "q")], &q, 8);
    assert_memory_equal(l.const_image + 16, &r, 8);
    assert_non_null(device_at(&memory, g, 12));
    device_close(&memory);
    arena_free(&arena);
}

static void test_module_limits(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory memory;
    ModuleLayout l;
    const PtxModule *m = parse(&arena, PTX_HEAD ".const .b8 fits[65535];\n.const .b32 x;\n");
    assert_true(device_open(&memory, &arena, &d));
    assert_false(layout_module(&l, &arena, m, &memory, &d));
    assert_int_equal(d.status, EXIT_USAGE);
    assert_true(contains(d.text, "t.ptx:5:"));
    assert_true(contains(
        d.text, ".const variables require more than 65536 bytes: x (4 bytes) does not fit"));
    device_close(&memory);
    arena_free(&arena);
}

static void test_shared(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    const PtxModule *m = parse(
        &arena,
        PTX_HEAD
        ".shared .align 4 .b8 used[6];\n"
        ".shared .align 4 .b8 unused[100];\n"
        ".shared .align 8 .b8 by_callee[8];\n"
        ".extern .shared .align 16 .b8 dyn1[];\n"
        ".extern .shared .align 4 .b8 dyn2[];\n"
        ".func g()\n{\n  .reg .u32 %r;\n  .shared .align 4 .u32 inner;\n"
        "  ld.shared.u32 %r, [by_callee];\n  st.shared.u32 [inner], %r;\n  ret;\n}\n"
        ".func h()\n{\n  .reg .u32 %r;\n  .shared .align 4 .u32 other;\n  st.shared.u32 [other], "
        "0;\n  ret;\n}\n"
        ".visible .entry a()\n{\n  .reg .u32 %r;\n  .reg .u64 %rd;\n  .shared .align 2 .u16 own;\n"
        "  mov.u32 %r, used;\n  mov.u32 %r, dyn1;\n  st.shared.u32 [dyn2+4], %r;\n  st.shared.u16 "
        "[own], 0;\n"
        "  call.uni g, ();\n  ret;\n}\n"
        ".visible .entry b()\n{\n  ret;\n}\n");
    SharedLayout s;
    const PtxFunc *a = ptx_entry(m, "a", &d), *b = ptx_entry(m, "b", &d);
    assert_true(layout_shared(&s, &arena, m, a, &d));
    assert_int_equal(s.module_offset[var_named(m, "used")], 0);
    assert_int_equal(s.module_offset[var_named(m, "by_callee")], 8);
    // inner (function g) at 16, own at 20: functions in the order of the module.
    int g = 0, f = (int)(a - m->funcs);
    assert_string_equal(m->funcs[g].name, "g");
    for (int i = 0; i < m->funcs[g].nvars; i++)
        if (!strcmp(m->funcs[g].vars[i].name, "inner")) assert_int_equal(s.func_offset[g][i], 16);
    for (int i = 0; i < a->nvars; i++)
        if (!strcmp(a->vars[i].name, "own")) assert_int_equal(s.func_offset[f][i], 20);
    assert_int_equal(s.static_bytes, 22);
    assert_int_equal(s.dynamic_offset, 32);
    assert_int_equal(s.module_offset[var_named(m, "dyn1")], 32);
    assert_int_equal(s.module_offset[var_named(m, "dyn2")], 32);
    assert_true(layout_shared(&s, &arena, m, b, &d));
    assert_int_equal(s.static_bytes, 0);
    assert_int_equal(s.dynamic_offset, 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),   cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_describe), cmocka_unit_test(test_clone),
        cmocka_unit_test(test_module),   cmocka_unit_test(test_module_limits),
        cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
