// SPDX-License-Identifier: Apache-2.0
// launch.yaml: accepted forms, and the place and words of every complaint.
#include "launch_harness.h"

static const char HEAD[] = "ptx: k.ptx\nkernel: k\ngrid: [2, 3]\nblock: 64\n";
static const char BUFFERS[] = "buffers:\n  a: {bytes: 64, init: a.bin}\n  b: {bytes: 1K}\n";

static Launch *load(Folder *f, const char *text, Diag *d) {
    folder_text(f, "launch.yaml", text);
    *d = (Diag){0};
    return launch_load(&f->arena, folder_file(f, "launch.yaml"), d);
}

static int setup(void **state) {
    Folder *f = calloc(1, sizeof *f);
    folder_open(f);
    folder_text(f, "k.ptx", "// nothing\n");
    uint8_t bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (uint8_t)i;
    folder_write(f, "a.bin", bytes, 64);
    folder_write(f, "odd.bin", bytes, 63);
    folder_write(f, "empty.bin", bytes, 0);
    folder_write(f, "long.bin", bytes, 64);
    mkdir(folder_file(f, "dir"), 0777);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    folder_close(*state);
    free(*state);
    return 0;
}

static void test_single(void **state) {
    Folder *f = *state;
    Diag d;
    Launch *l =
        load(f,
             "name: n\nptx: k.ptx\nkernel: k\ngrid: [2, 3]\nblock: 64\nshared_bytes: 2K\nargs:\n"
             "  - {type: ptr, buffer: b, offset: 16}\n  - {type: s8, value: -128}\n"
             "  - {type: f32, value: 1.5}\n  - {type: f64, value: -.inf}\n"
             "  - {type: u64, value: 0xffffffffffffffff}\n  - {type: ptr, value: 0}\n"
             "  - {type: bytes, hex: \"01 02ff\"}\n"
             "  - {type: bytes, values: [{type: u8, value: 1}, {type: u32, value: 2}]}\n"
             "  - {type: bytes, file: a.bin}\n"
             "buffers:\n  a: {init: a.bin}\n  b: {bytes: 1K, init: zero}\n"
             "expect:\n  - {buffer: b, file: a.bin, type: f32, rtol: 1e-6, atol: 0, ulp: 3, "
             "offset: 4, bytes: 8}\n",
             &d);
    if (!l) fail_msg("%s", d.text);
    assert_string_equal(l->name, "n");
    assert_int_equal(l->ngroups, 1);
    assert_int_equal(l->groups[0].repeat_buffer, -1);
    const LaunchStep *s = &l->groups[0].steps[0];
    assert_string_equal(s->kernel, "k");
    assert_string_equal(s->ptx, folder_file(f, "k.ptx"));
    const uint32_t grid[3] = {2, 3, 1}, block[3] = {64, 1, 1};
    assert_memory_equal(s->grid, grid, sizeof grid);
    assert_memory_equal(s->block, block, sizeof block);
    assert_int_equal(s->shared_bytes, 2048);
    assert_int_equal(s->nargs, 9);
    assert_true(s->args[0].is_ptr);
    assert_int_equal(s->args[0].buffer, 1);
    assert_int_equal(s->args[0].offset, 16);
    assert_int_equal(s->args[1].bits, 0x80);
    assert_int_equal(s->args[2].bits, 0x3fc00000);
    assert_true(s->args[3].bits == 0xfff0000000000000u);
    assert_true(s->args[4].bits == UINT64_MAX);
    assert_false(s->args[5].is_ptr);
    assert_int_equal(s->args[6].blob_bytes, 3);
    assert_int_equal(s->args[6].blob[2], 255);
    assert_int_equal(s->args[7].blob_bytes, 8);  // the word is aligned
    assert_int_equal(s->args[7].blob[4], 2);
    assert_int_equal(s->args[8].blob_bytes, 64);
    assert_int_equal(l->buffers[0].bytes, 64);
    assert_int_equal(l->buffers[1].bytes, 1024);
    assert_int_equal(l->nexpects, 1);
    assert_int_equal(l->expects[0].bytes, 8);
    assert_int_equal(l->expects[0].ulp, 3);
}

static void test_list_and_json(void **state) {
    Folder *f = *state;
    Diag d;
    Launch *l = load(f,
                     "ptx: k.ptx\nlaunches:\n"
                     "  - {kernel: x, grid: [1], block: [32]}\n"
                     "  - repeat: {while: {buffer: b, offset: 8}, max: 9}\n"
                     "    steps:\n      - {kernel: y, grid: 1, block: 32}\n"
                     "      - {kernel: z, grid: 1, block: 32, ptx: long.bin}\n"
                     "buffers: {b: {bytes: 64}}\n",
                     &d);
    if (!l) fail_msg("%s", d.text);
    assert_int_equal(l->ngroups, 2);
    assert_int_equal(l->groups[1].nsteps, 2);
    assert_int_equal(l->groups[1].repeat_buffer, 0);
    assert_int_equal(l->groups[1].repeat_offset, 8);
    assert_int_equal(l->groups[1].repeat_max, 9);
    assert_string_equal(l->groups[1].steps[1].ptx, folder_file(f, "long.bin"));
    assert_string_equal(l->name, strrchr(f->path, '/') + 1);  // of the folder
    l = load(f,
             "{\"ptx\": \"k.ptx\", \"kernel\": \"k\", \"grid\": [1,1,1], \"block\": [32],\n"
             "\"args\": [{\"type\": \"u32\", \"value\": 7}]}",
             &d);
    if (!l) fail_msg("%s", d.text);
    assert_int_equal(l->groups[0].steps[0].args[0].bits, 7);
    assert_int_equal(l->nbuffers, 0);
}

typedef struct Bad {
    const char *text;  // after HEAD when it does not begin with '!'
    const char *message;
} Bad;

static void check_bad(Folder *f, const Bad *bad, size_t n) {
    for (size_t i = 0; i < n; i++) {
        Diag d;
        const char *text = bad[i].text[0] == '!'
            ? bad[i].text + 1
            : arena_printf(&f->arena, "%s%s", HEAD, bad[i].text);
        if (load(f, text, &d)) fail_msg("accepted:\n%s", text);
        assert_int_equal(d.status, EXIT_USAGE);
        assert_true(contains(d.text, bad[i].message));
    }
}

static void test_bad_structure(void **state) {
    static const Bad BAD[] = {
        {"args:\n- {type: u32, value: 1}\nkernle: 3\n",
         ":7:1: error: unknown key `kernle` in a launch file; did you mean `kernel`?\n    kernle: "
         "3\n    ^"},
        {"zzz: 3\n",
         ":5:1: error: unknown key `zzz` in a launch file; known are: name, ptx, kernel"},
        {"kernel: again\n", ":5:1: error: key `kernel` is written twice"},
        {"!- 1\n", ":1:1: error: a launch file: expected a map, found a list"},
        {"!", ":1:1: error: the launch file requires the key `ptx`"},
        {"!ptx: k.ptx\n", ":1:1: error: a launch needs the key `kernel`"},
        {"!ptx: none.ptx\nkernel: k\n", ":1:6: error: PTX file /tmp/smcosim-launch-"},
        {"!ptx: none.ptx\nkernel: k\n", "/none.ptx: No such file or directory"},
        {"!ptx: dir\nkernel: k\n", "/dir: not a regular file"},
        {"!ptx: [k.ptx]\nkernel: k\n", ":1:6: error: PTX file: expected one value, found a list"},
        {"!ptx: k.ptx\nkernel: k\ngrid: [1, 1\n", "error: not YAML"},
        {"!ptx: k.ptx\nkernel: k\nblock: 32\n", "a launch needs the key `grid`"},
        {"!ptx: k.ptx\nkernel: k\ngrid: 1\nblock: 32\nlaunches: []\n",
         ":2:9: error: `kernel` and `launches` exclude each other"},
        {"!ptx: k.ptx\nlaunches: []\n", ":2:11: error: launches: an empty list"},
        {"!launches:\n- {kernel: k, grid: 1, block: 1}\n",
         ":2:3: error: no `ptx` here nor at the top level"},
        {"!ptx: k.ptx\nlaunches:\n- {kernel: k, grid: 1, block: 1, wrap: 2}\n",
         ":3:34: error: unknown key `wrap` in a launch"},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {max: 3}\n  steps: []\n",
         "repeat needs the key `while`"},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {while: {buffer: q}, max: 3}\n  steps: []\n",
         ":3:28: error: no buffer `q`"},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {while: {buffer: q}, max: 0}\n  steps: []\nbuffers: "
         "{q: {bytes: 8}}\n",
         "max: 0 is not within 1.."},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {while: {buffer: q, offset: 5}, max: 1}\n  steps: "
         "[]\nbuffers: {q: {bytes: 8}}\n",
         "offset: 5 is not within 0..4"},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {while: {buffer: q}, max: 1}\n  steps: []\nbuffers: "
         "{q: {bytes: 8}}\n",
         ":4:10: error: steps: an empty list"},
        {"!ptx: k.ptx\nlaunches:\n- repeat: {while: {buffer: q}, max: 1}\n  steps: []\nbuffers: "
         "{q: {bytes: 3}}\n",
         "no 4-byte word"},
    };
    check_bad(*state, BAD, sizeof BAD / sizeof *BAD);
}

static void test_bad_dimensions(void **state) {
#define DIM(grid, block) "!ptx: k.ptx\nkernel: k\ngrid: " grid "\nblock: " block "\n"
    static const Bad BAD[] = {
        {DIM("[0, 1, 1]", "32"), ":3:8: error: grid.x: 0 is not within 1..2147483647"},
        {DIM("[1, -1]", "32"), ":3:11: error: grid.y: -1 is not within 1..65535"},
        {DIM("[1, 1, 65536]", "32"), "grid.z: 65536 is not within"},
        {DIM("4294967297", "32"), "grid.x: 4294967297 is not within"},
        {DIM("99999999999999999999", "32"),
         "grid.x: expected an integer, found `99999999999999999999`"},
        {DIM("[]", "32"), ":3:7: error: grid: expected one to three numbers [x, y, z]"},
        {DIM("[1, 1, 1, 1]", "32"), "expected one to three numbers"},
        {DIM("{x: 1}", "32"), "expected one to three numbers"},
        {DIM("[[1]]", "32"), "grid.x: expected one value, found a list"},
        {DIM("many", "32"), "grid.x: expected an integer, found `many`"},
        {DIM("1", "0"), ":4:8: error: block.x: 0 is not within 1..1024"},
        {DIM("1", "[1, 1, 65]"), "block.z: 65 is not within 1..64"},
        {DIM("1", "[32, 33]"), ":4:8: error: a block of 32 x 33 x 1 = 1056 threads: at most 1024"},
        {"shared_bytes: -1\n", "shared_bytes: -1 is not within"},
    };
    check_bad(*state, BAD, sizeof BAD / sizeof *BAD);
}

static void test_bad_buffers(void **state) {
    static const Bad BAD[] = {
        {"buffers: {a: {bytes: 63, init: a.bin}}\n",
         ":5:32: error: buffer a has 63 bytes, its init file /tmp/smcosim-launch-"},
        {"buffers: {a: {bytes: 63, init: a.bin}}\n", "/a.bin has 64\n"},
        {"buffers: {a: {bytes: 63, init: no.bin}}\n", "no.bin: No such file or directory"},
        {"buffers: {a: {init: zero}}\n", "buffer a needs `bytes`"},
        {"buffers: {a: {}}\n", "buffer a requires `bytes` or an `init` file"},
        {"buffers: {a: {init: empty.bin}}\n", "empty.bin is empty"},
        {"buffers: {a: {bytes: 0}}\n", "bytes: 0 is not within 1.."},
        {"buffers: {a: {bytes: 3G}}\n", "bytes: 3221225472 is not within"},
        {"buffers: {a: {bytes: 8, ini: zero}}\n",
         "unknown key `ini` in a buffer; did you mean `init`?"},
        {"buffers: {../x: {bytes: 8}}\n", "a buffer's name consists of letters"},
        {"buffers: {a: 3}\n", "a buffer: expected a map, found `3`"},
        {"buffers: [a]\n", "buffers: expected a map, found a list"},
        {"buffers: {a: {bytes: 8}, a: {bytes: 8}}\n", "key `a` is written twice"},
    };
    check_bad(*state, BAD, sizeof BAD / sizeof *BAD);
}

static void test_bad_args(void **state) {
#define ARG(arg) "args:\n  - " arg "\nbuffers: {alpha: {bytes: 64}}\n"
    static const Bad BAD[] = {
        {ARG("{type: u32, value: 4294967296}"),
         ":6:24: error: `4294967296` is not a value of type u32"},
        {ARG("{type: u8, value: -1}"), "`-1` is not a value of type u8"},
        {ARG("{type: s8, value: 128}"), "`128` is not a value of type s8"},
        {ARG("{type: s32, value: 1.5}"), "`1.5` is not a value of type s32"},
        {ARG("{type: u64, value: 18446744073709551616}"), "is not a value of type u64"},
        {ARG("{type: f32, value: one}"), "`one` is not a value of type f32"},
        {ARG("{type: f32, value: }"), "`` is not a value of type f32"},
        {ARG("{type: f32}"), ":6:5: error: an argument needs the key `value`"},
        {ARG("{value: 3}"), "an argument needs the key `type`"},
        {ARG("{type: int, value: 3}"), ":6:12: error: unknown type `int`"},
        {ARG("{type: u32, value: 3, offset: 4}"), "unknown key `offset` in an argument"},
        {ARG("{type: ptr, buffer: alpah}"), ":6:25: error: no buffer `alpah` under `buffers`"},
        {ARG("{type: ptr, buffer: alph}"), "did you mean `alpha`?"},
        {ARG("{type: ptr}"), "a ptr argument needs the key `buffer`"},
        {ARG("{type: ptr, buffer: alpha, offset: 65}"), "offset: 65 is not within 0..64"},
        {ARG("{type: ptr, buffer: alpha, value: 65}"), "either `buffer` or `value`"},
        {ARG("{type: bytes}"), "requires one of `hex`, `file`, `values`"},
        {ARG("{type: bytes, hex: 123}"), "an odd number of digits"},
        {ARG("{type: bytes, hex: 12x4}"), "found `x`"},
        {ARG("{type: bytes, hex: \"\"}"), "without bytes"},
        {ARG("{type: bytes, values: [{type: u8}]}"), "a member needs the key `value`"},
        {ARG("{type: bytes, file: none}"), "No such file"},
        {ARG("3"), "an argument: expected a map, found `3`"},
        {"args: {a: 1}\n", "args: expected a list, found a map"},
    };
    check_bad(*state, BAD, sizeof BAD / sizeof *BAD);
}

static void test_bad_expect(void **state) {
#define EXPECT(keys) "buffers: {a: {bytes: 64}, s: {bytes: 60}}\nexpect:\n  - {" keys "}\n"
    static const Bad BAD[] = {
        {EXPECT("buffer: a, type: f32"), ":7:5: error: an expectation needs the key `file`"},
        {EXPECT("buffer: a, file: a.bin"), "an expectation needs the key `type`"},
        {EXPECT("file: a.bin, type: f32"), "an expectation requires one of `buffer`, `symbol`"},
        {EXPECT("buffer: a, file: q.bin, type: f32"), "q.bin: No such file"},
        {EXPECT("buffer: s, file: a.bin, type: f32"),
         "has 64 bytes, buffer s has 60 from offset 0"},
        {EXPECT("buffer: a, file: odd.bin, type: f32"),
         "63 bytes are not whole elements of type f32"},
        {EXPECT("buffer: a, file: empty.bin, type: f32"), "empty.bin has 0 bytes"},
        {EXPECT("buffer: a, file: a.bin, type: u32, rtol: 0.1"), "integers are compared exactly"},
        {EXPECT("buffer: a, file: a.bin, type: f32, rtol: -1"),
         "rtol: expected a number of at least 0, found `-1`"},
        {EXPECT("buffer: a, file: a.bin, type: f32, atol: nan"), "atol: expected a number"},
        {EXPECT("buffer: a, file: a.bin, type: f32, tol: 1"),
         "unknown key `tol` in an expectation; did you mean"},
        {EXPECT("buffer: a, file: a.bin, type: f32, offset: 64"), "offset: 64 is not within 0..63"},
        {EXPECT("buffer: a, file: a.bin, type: f32, offset: 4"), "buffer a has 60 from offset 4"},
        {EXPECT("buffer: a, file: a.bin, type: f32, offset: 4, bytes: 61"),
         "bytes: 61 is not within 1..60"},
    };
    check_bad(*state, BAD, sizeof BAD / sizeof *BAD);
}

static void test_missing_file(void **state) {
    Folder *f = *state;
    Diag d = {0};
    assert_null(launch_load(&f->arena, "/nonexistent/launch.yaml", &d));
    assert_int_equal(d.status, EXIT_USAGE);
    assert_true(contains(d.text, "/nonexistent/launch.yaml: cannot be opened"));
    d = (Diag){0};
    assert_null(launch_load(&f->arena, f->path, &d));
    assert_true(contains(d.text, "not a regular file"));
    // Binary data is no launch file.
    uint8_t junk[300];
    for (int i = 0; i < 300; i++) junk[i] = (uint8_t)(i * 37);
    folder_write(f, "launch.yaml", junk, sizeof junk);
    d = (Diag){0};
    assert_null(launch_load(&f->arena, folder_file(f, "launch.yaml"), &d));
    assert_int_equal(d.status, EXIT_USAGE);
}

// Any damage to a launch file is refused with a message or gives a launch: no crash, no hang.
static void test_damaged(void **state) {
    Folder *f = *state;
    const char *good = arena_printf(
        &f->arena, "%sargs: [{type: ptr, buffer: a}, {type: f32, value: 1}]\n%s", HEAD, BUFFERS);
    size_t len = strlen(good);
    uint64_t seed = 12345;
    int refused = 0;
    for (int round = 0; round < 1500; round++) {
        char text[512];
        memcpy(text, good, len + 1);
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            size_t at = (size_t)(seed >> 33) % len;
            text[at] =
                round % 2 ? "{}[],:&*!|>'\"%@` \n\t-?#~"[(seed >> 20) % 24] : (char)(seed >> 40);
        }
        if (round % 5 == 0) text[(size_t)(seed >> 35) % len] = '\0';
        Arena arena = {0};
        Diag d = {0};
        folder_text(f, "launch.yaml", text);
        Launch *l = launch_load(&arena, folder_file(f, "launch.yaml"), &d);
        assert_true(l ? diag_ok(&d) : d.status == EXIT_USAGE && *d.text);
        refused += !l;
        arena_free(&arena);
    }
    assert_in_range(refused, 700, 1499);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_single, setup, teardown),
        cmocka_unit_test_setup_teardown(test_list_and_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_structure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_dimensions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_buffers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_args, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_expect, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
