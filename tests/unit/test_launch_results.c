// SPDX-License-Identifier: Apache-2.0
// Arguments against parameters, buffers from files, comparison with expectations,
// the starting file.
#include "launch_harness.h"

#include <math.h>

static const char PTX[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 k_a, .param .u32 k_n, .param .f32 k_x, "
                          ".param .u8 k_c, .param .f64 k_d,\n"
                          "                  .param .align 4 .b8 k_s[12])\n{\n  ret;\n}\n"
                          ".visible .entry empty()\n{\n  ret;\n}\n";

typedef struct World {
    Folder f;
    const PtxModule *module;
} World;

static int setup(void **state) {
    World *w = calloc(1, sizeof *w);
    Diag d = {0};
    folder_open(&w->f);
    folder_text(&w->f, "k.ptx", PTX);
    w->module = ptx_load(&w->f.arena, folder_file(&w->f, "k.ptx"), &d);
    if (!w->module) fail_msg("%s", d.text);
    *state = w;
    return 0;
}

static int teardown(void **state) {
    World *w = *state;
    folder_close(&w->f);
    free(w);
    return 0;
}

static Launch *load(World *w, const char *rest) {
    Diag d = {0};
    folder_text(&w->f, "launch.yaml",
                arena_printf(&w->f.arena, "ptx: k.ptx\nkernel: k\ngrid: 1\nblock: 32\n%s", rest));
    Launch *l = launch_load(&w->f.arena, folder_file(&w->f, "launch.yaml"), &d);
    if (!l) fail_msg("%s", d.text);
    return l;
}

#define ARGS(a, n, x, c, d, s) \
    "args:\n  - {" a "}\n  - {" n "}\n  - {" x "}\n  - {" c "}\n  - {" d "}\n  - {" s "}\n" \
    "buffers: {z: {bytes: 8}, a: {bytes: 64}}\n"
#define GOOD_A "type: ptr, buffer: a, offset: 4"
#define GOOD_N "type: s32, value: -2"
#define GOOD_X "type: f32, value: 1"
#define GOOD_C "type: u8, value: 200"
#define GOOD_D "type: f64, value: 0.1"
#define GOOD_S \
    "type: bytes, values: [{type: u8, value: 5}, {type: f32, value: 2}, {type: s32, value: -1}]"

static void test_pack(void **state) {
    World *w = *state;
    Diag d = {0};
    DeviceMemory m;
    Launch *l = load(w, ARGS(GOOD_A, GOOD_N, GOOD_X, GOOD_C, GOOD_D, GOOD_S));
    assert_true(device_open(&m, &w->f.arena, &d) && launch_place(l, &m, &d));
    const PtxFunc *k = ptx_entry(w->module, "k", &d);
    const uint8_t *block = launch_pack_params(l, &l->groups[0].steps[0], k, &w->f.arena, &d);
    if (!block) fail_msg("%s", d.text);
    assert_int_equal(k->param_bytes, 44);
    struct {
        uint64_t a;
        int32_t n;
        float x;
        uint8_t c, pad[7];
        double d;
        uint8_t s[12];
    } want = {.a = l->buffers[1].addr + 4,
              .n = -2,
              .x = 1,
              .c = 200,
              .d = 0.1,
              .s = {5, 0, 0, 0, 0, 0, 0, 0x40, 0xff, 0xff, 0xff, 0xff}};
    assert_memory_equal(block, &want, 44);
    device_close(&m);
}

static void test_wrong_arguments(void **state) {
    World *w = *state;
    static const struct {
        const char *text, *message;
    } BAD[] = {
        {"args: []\n",
         ":2:9: error: k takes 6 arguments (.u64, .u32, .f32, .u8, .f64, .b8[12]), found 0"},
        {ARGS("type: u32, value: 0", GOOD_N, GOOD_X, GOOD_C, GOOD_D, GOOD_S),
         ":6:5: error: argument 1 of k: parameter k_a is .u64, found u32"},
        {ARGS(GOOD_A, GOOD_A, GOOD_X, GOOD_C, GOOD_D, GOOD_S),
         "argument 2 of k: parameter k_n is .u32, found ptr"},
        {ARGS(GOOD_A, "type: f32, value: 1", GOOD_X, GOOD_C, GOOD_D, GOOD_S),
         "parameter k_n is .u32, found f32"},
        {ARGS(GOOD_A, GOOD_N, "type: u32, value: 1", GOOD_C, GOOD_D, GOOD_S),
         "parameter k_x is .f32, found u32"},
        {ARGS(GOOD_A, GOOD_N, GOOD_X, "type: u16, value: 1", GOOD_D, GOOD_S),
         "parameter k_c is .u8, found u16"},
        {ARGS(GOOD_A, GOOD_N, GOOD_X, GOOD_C, "type: f32, value: 1", GOOD_S),
         "parameter k_d is .f64, found f32"},
        {ARGS(GOOD_A, GOOD_N, GOOD_X, GOOD_C, GOOD_D, "type: bytes, hex: 00"),
         "parameter k_s is .b8[12], found 1 bytes"},
        {ARGS(GOOD_A, GOOD_N, GOOD_X, GOOD_C, GOOD_D, "type: u64, value: 1"),
         "parameter k_s is .b8[12], found u64"},
    };
    Diag ok = {0};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Diag d = {0};
        Launch *l = load(w, BAD[i].text);
        const PtxFunc *k = ptx_entry(w->module, "k", &ok);
        assert_null(launch_pack_params(l, &l->groups[0].steps[0], k, &w->f.arena, &d));
        assert_int_equal(d.status, EXIT_USAGE);
        assert_true(contains(d.text, BAD[i].message));
    }
    // An entry without parameters takes an empty list and no list.
    Diag d = {0};
    Launch *l = load(w, "");
    assert_non_null(launch_pack_params(l, &l->groups[0].steps[0], ptx_entry(w->module, "empty", &d),
                                       &w->f.arena, &d));
}

// Checks one buffer of f32 or other words against an expectation; d keeps the message.
static bool compare(World *w, const char *keys, const void *found, const void *expected, size_t n,
                    uint64_t *compared, Diag *d) {
    *d = (Diag){0};
    DeviceMemory m;
    folder_write(&w->f, "want.bin", expected, n);
    Launch *l = load(
        w,
        arena_printf(&w->f.arena,
                     "buffers: {a: {bytes: %zu}}\nexpect:\n- {buffer: a, file: want.bin, %s}\n", n,
                     keys));
    assert_true(device_open(&m, &w->f.arena, d) && launch_place(l, &m, d));
    memcpy(m.base + l->buffers[0].addr, found, n);
    bool ok = launch_check(l, &m, compared, d);
    assert_int_equal(d->status, ok ? EXIT_PASS : EXIT_WRONG_RESULT);
    device_close(&m);
    return ok;
}

static void test_exact(void **state) {
    World *w = *state;
    Diag d;
    uint64_t n;
    const int32_t want[4] = {1, -2, 3, 4}, off[4] = {1, -2, -7, 5};
    assert_true(compare(w, "type: s32", want, want, 16, &n, &d));
    assert_int_equal(n, 4);
    assert_false(compare(w, "type: s32", off, want, 16, &n, &d));
    assert_int_equal(n, 4);
    assert_true(contains(d.text, "launch.yaml: buffer a differs from "));
    assert_true(
        contains(d.text, "want.bin: 2 of 4 elements; first at index 2: found -7, expected 3"));
    assert_false(compare(w, "type: u8", off, want, 16, &n, &d));
    assert_true(contains(d.text, "5 of 16 elements; first at index 8: found 249, expected 3"));
    assert_int_equal(n, 16);
    assert_true(compare(w, "type: s32, bytes: 8", off, want, 16, &n, &d));
    assert_int_equal(n, 2);
    // The file is compared with the part of the buffer that starts at the offset.
    const int32_t shifted[4] = {9, 1, -2, 3};
    assert_true(compare(w, "type: s32, offset: 4, bytes: 12", shifted, want, 16, &n, &d));
    assert_int_equal(n, 3);
    const float zero[2] = {0.0f, 1.0f}, minus[2] = {-0.0f, 1.0f};
    assert_false(compare(w, "type: f32", minus, zero, 8, &n, &d));  // exact means bits
    assert_true(contains(d.text, "found -0 (0x80000000), expected 0 (0x00000000)"));
}

static void test_tolerances(void **state) {
    World *w = *state;
    static const struct {
        const char *keys;
        double found, want;
        bool ok32, ok64;
    } CASES[] = {
        {"", 1, 1, true, true},
        {"", 1.0000001, 1, false, false},
        {", rtol: 1e-6", 1.0000001, 1, true, true},
        {", rtol: 1e-6", 1.00001, 1, false, false},
        {", rtol: 1e-6", -1, 1, false, false},
        {", rtol: 0.5", 1, 0, false, false},  // relative to the expected value
        {", rtol: 0.5", 1, 2, true, true},
        {", rtol: 0.5", 2, 1, false, false},
        {", atol: 0.5", 0.25, 0, true, true},
        {", atol: 0.5", 0.75, 0, false, false},
        {", rtol: 0.1, atol: 0.5", 10.0, 11.5, true, true},
        {", ulp: 1", 1.00000011920928955, 1, true, false},
        {", ulp: 1", 1.00000023841857910, 1, false, false},
        {", ulp: 2", 1.00000023841857910, 1, true, false},
        {", ulp: 1", -0.0, 0.0, true, true},
        {", ulp: 4", 1e-45, -1e-45, true, false},
        {", atol: 1e30", INFINITY, 1, false, false},
        {", atol: 1", INFINITY, INFINITY, true, true},
        {", rtol: 1", INFINITY, -INFINITY, false, false},
        {", rtol: 1", NAN, 1, false, false},
        {", rtol: 1", 1, NAN, false, false},
    };
    Diag d;
    uint64_t n;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        float f = (float)CASES[i].found, fw = (float)CASES[i].want;
        if (compare(w, arena_printf(&w->f.arena, "type: f32%s", CASES[i].keys), &f, &fw, 4, &n,
                    &d) != CASES[i].ok32)
            fail_msg("f32 case %zu: %s", i, d.text);
        if (compare(w, arena_printf(&w->f.arena, "type: f64%s", CASES[i].keys), &CASES[i].found,
                    &CASES[i].want, 8, &n, &d) != CASES[i].ok64)
            fail_msg("f64 case %zu: %s", i, d.text);
    }
    uint32_t nan1 = 0x7fc00000, nan2 = 0xffc00001;
    assert_true(compare(w, "type: f32", &nan1, &nan2, 4, &n, &d));  // any NaN equals any NaN
    assert_false(compare(w, "type: u32", &nan1, &nan2, 4, &n, &d));
}

// All expectations are checked; the first difference is reported.
static void test_several(void **state) {
    World *w = *state;
    Diag d = {0};
    DeviceMemory m;
    uint64_t n;
    const uint32_t ones[4] = {1, 1, 1, 1};
    folder_write(&w->f, "one.bin", ones, 16);
    Launch *l =
        load(w,
             "buffers: {a: {init: one.bin}, b: {bytes: 16}, c: {bytes: 16}}\nexpect:\n"
             "- {buffer: a, file: one.bin, type: u32}\n- {buffer: b, file: one.bin, type: u32}\n"
             "- {buffer: c, file: one.bin, type: u8}\n");
    assert_true(device_open(&m, &w->f.arena, &d) && launch_place(l, &m, &d));
    assert_false(launch_check(l, &m, &n, &d));
    assert_true(contains(d.text, "buffer b differs"));
    assert_int_equal(n, 4 + 4 + 16);
    device_close(&m);
}

static void test_place(void **state) {
    World *w = *state;
    Diag d = {0};
    DeviceMemory m;
    folder_write(&w->f, "a.bin", "12345", 5);
    Launch *l = load(w, "buffers: {a: {bytes: 8, init: a.bin}, b: {init: a.bin}}\n");
    assert_true(device_open(&m, &w->f.arena, &d) && launch_place(l, &m, &d));
    assert_memory_equal(m.base + l->buffers[0].addr, "12345\0\0\0", 8);
    assert_int_equal(l->buffers[1].bytes, 5);
    assert_non_null(device_at(&m, l->buffers[1].addr, 5));
    assert_null(device_at(&m, l->buffers[1].addr, 6));
    device_close(&m);
    // The file grew after it was checked.
    l = load(w, "buffers: {a: {bytes: 5, init: a.bin}}\n");
    folder_write(&w->f, "a.bin", "123456", 6);
    assert_true(device_open(&m, &w->f.arena, &d));
    assert_false(launch_place(l, &m, &d));
    assert_true(contains(d.text, "buffer a has 5 bytes, its init file"));
    device_close(&m);
}

// A file that init writes can be loaded and fits the entries.
static void test_init(void **state) {
    World *w = *state;
    Diag d = {0};
    FILE *out = fopen(folder_file(&w->f, "start.yaml"), "w");
    assert_true(launch_init(out, w->module, "k.ptx", NULL, &d));
    fclose(out);
    Launch *l = launch_load(&w->f.arena, folder_file(&w->f, "start.yaml"), &d);
    if (!l) fail_msg("%s", d.text);
    assert_int_equal(l->ngroups, 2);
    assert_string_equal(l->name, "k");
    DeviceMemory m;
    assert_true(device_open(&m, &w->f.arena, &d) && launch_place(l, &m, &d));
    for (int i = 0; i < l->ngroups; i++) {
        const LaunchStep *s = l->groups[i].steps;
        const PtxFunc *entry = ptx_entry(w->module, s->kernel, &d);
        if (!entry || !launch_pack_params(l, s, entry, &w->f.arena, &d)) fail_msg("%s", d.text);
    }
    device_close(&m);
    // One entry: no list.
    static const char ONE[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry one(.param .u64 p, .param .s32 n)\n.maxntid 64, 2, 1\n{\n  ret;\n}\n";
    folder_text(&w->f, "one.ptx", ONE);
    const PtxModule *module = ptx_load(&w->f.arena, folder_file(&w->f, "one.ptx"), &d);
    out = fopen(folder_file(&w->f, "start.yaml"), "w");
    assert_true(module && launch_init(out, module, "one.ptx", NULL, &d));
    fclose(out);
    l = launch_load(&w->f.arena, folder_file(&w->f, "start.yaml"), &d);
    if (!l) fail_msg("%s", d.text);
    assert_int_equal(l->groups[0].steps[0].block[1], 2);
    assert_string_equal(l->name, "one");
    const LaunchInit sizes = {.grid = {4, 3, 1}, .block = {16, 8, 1}};
    out = fopen(folder_file(&w->f, "start.yaml"), "w");
    assert_true(launch_init(out, module, "one.ptx", &sizes, &d));
    fclose(out);
    l = launch_load(&w->f.arena, folder_file(&w->f, "start.yaml"), &d);
    if (!l) fail_msg("%s", d.text);
    assert_int_equal(l->groups[0].steps[0].grid[1], 3);
    assert_int_equal(l->groups[0].steps[0].block[1], 8);
    // Nothing to launch.
    folder_text(&w->f, "none.ptx",
                ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 x;\n");
    module = ptx_load(&w->f.arena, folder_file(&w->f, "none.ptx"), &d);
    assert_false(launch_init(stdout, module, "none.ptx", NULL, &d));
    assert_true(contains(d.text, "none.ptx: no .entry to launch"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tolerances, setup, teardown),
        cmocka_unit_test_setup_teardown(test_several, setup, teardown),
        cmocka_unit_test_setup_teardown(test_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_init, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
