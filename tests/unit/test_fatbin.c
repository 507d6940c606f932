// SPDX-License-Identifier: Apache-2.0
// Fat binaries that nvcc 13 wrote (tests/fatbin), whole, cut off at every byte and with every byte
// changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fatbin/fatbin.h"
#include "fatbin/link.h"
#include "launch/device_memory.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *load(Arena *arena, const char *name, size_t *n) {
    Diag d = {0};
    char *text;
    if (!file_read(arena, arena_printf(arena, "%s/tests/fatbin/%s", TEST_SOURCE_DIR, name), &text,
                   n, &d))
        fail_msg("%s", d.text);
    return (uint8_t *)text;
}

typedef struct Case {
    const char *file;
    int nptx, nsass, arch;  // of the image that is chosen
    const char *options;    // part of its options
} Case;

static void what_nvcc_writes(void **state) {
    (void)state;
    static const Case cases[] = {{"plain.fatbin", 1, 0, 75, ""},
                                 {"lz4.fatbin", 1, 0, 75, ""},
                                 {"zstd.fatbin", 1, 0, 75, ""},
                                 {"several.fatbin", 2, 2, 90, ""},
                                 {"debug.fatbin", 1, 0, 75, "-g"},
                                 {"options.fatbin", 1, 0, 75, "-maxrregcount=32"},
                                 {"rdc.fatbin", 1, 0, 75, "--compile-only"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        Arena arena = {0};
        Diag d = {0};
        FatBinary f;
        size_t n;
        const uint8_t *bytes = load(&arena, c->file, &n);
        if (!fatbin_read(&f, &arena, c->file, bytes, n, &d)) fail_msg("%s", d.text);
        assert_int_equal(f.nimages, c->nptx);
        assert_int_equal(f.nsass, c->nsass);
        const FatImage *image = fatbin_ptx(&f, -1, c->file, &d);
        assert_non_null(image);
        assert_int_equal(image->arch, c->arch);
        assert_int_equal(image->major, 9);
        assert_non_null(strstr(image->options, c->options));
        const PtxModule *m = ptx_parse(&arena, c->file, image->text, image->len, &d);
        if (!m || !ptx_entry(m, "add", &d)) fail_msg("%s", d.text);
        arena_free(&arena);
    }
}

// All ways of storing it hold the same text.
static void one_text(void **state) {
    (void)state;
    static const char *const files[] = {"plain.fatbin", "lz4.fatbin", "zstd.fatbin"};
    Arena arena = {0};
    const char *first = NULL;
    for (int i = 0; i < 3; i++) {
        Diag d = {0};
        FatBinary f;
        size_t n;
        const uint8_t *bytes = load(&arena, files[i], &n);
        assert_true(fatbin_read(&f, &arena, files[i], bytes, n, &d));
        if (!first) first = f.images[0].text;
        assert_string_equal(f.images[0].text, first);
        assert_int_equal(strlen(first), f.images[0].len);
    }
    arena_free(&arena);
}

static void several_containers(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    FatBinary f;
    size_t n, m;
    const uint8_t *a = load(&arena, "plain.fatbin", &n), *b = load(&arena, "zstd.fatbin", &m);
    uint8_t *both = arena_alloc(&arena, n + m);
    memcpy(both, a, n);
    memcpy(both + n, b, m);
    assert_true(fatbin_read(&f, &arena, "both", both, n + m, &d));
    assert_int_equal(f.nimages, 2);
    arena_free(&arena);
}

static void refused(const char *file, size_t n, size_t at, int byte, const char *part) {
    Arena arena = {0};
    Diag d = {0};
    FatBinary f;
    size_t have;
    uint8_t *bytes = load(&arena, file, &have);
    if (byte >= 0) bytes[at] = (uint8_t)byte;
    bool ok =
        fatbin_read(&f, &arena, file, bytes, n ? n : have, &d) && fatbin_ptx(&f, -1, file, &d);
    if (ok || d.status != EXIT_USAGE || !strstr(d.text, part))
        fail_msg("%s: %s, expected %s", file, d.text, part);
    arena_free(&arena);
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    refused("sass.fatbin", 0, 0, -1,
            "only machine code of certain GPUs (SASS): compile with -arch=compute_75");
    refused("zstd.fatbin", 0, 0, 0,
            "at byte 0: a container begins with 0xba55ed50, found 0xba55ed00");
    refused("zstd.fatbin", 0, 4, 2, "version 2 with a header");
    refused("zstd.fatbin", 12, 0, -1, "12 bytes left for a container's header");
    refused("zstd.fatbin", 200, 0, -1, "a container of ");
    refused("zstd.fatbin", 0, 16 + 4, 8, "at byte 16: an entry's header of 8 bytes");
    refused("zstd.fatbin", 0, 16 + 14, 1, "at byte 16: an entry of ");
    refused("zstd.fatbin", 0, 16 + 80 + 2, 0, "its zstd data cannot be expanded");
    refused("lz4.fatbin", 0, 16 + 56, 0, "its LZ4 data cannot be expanded to ");
    refused("zstd.fatbin", 0, 16 + 63, 1, "when expanded");
    refused("plain.fatbin", 0, 16 + 80 + 200, 0, "NUL characters");
}

// Nothing that is cut off or changed in a byte makes the reader read elsewhere (the sanitizers look
// on in ci/full).
static void damaged(void **state) {
    (void)state;
    static const char *const files[] = {"plain.fatbin", "lz4.fatbin", "zstd.fatbin",
                                        "options.fatbin", "debug.fatbin"};
    int bad = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Arena arena = {0};
        size_t n;
        const uint8_t *bytes = load(&arena, files[i], &n);
        for (size_t k = 0; k < 2 * n; k++) {
            Diag d = {0};
            FatBinary f;
            const size_t cut = k < n ? k : n;
            uint8_t *copy = malloc(cut + 1);  // of the very size, so that a read beyond it is seen
            memcpy(copy, bytes, cut);
            if (k >= n) copy[k - n] ^= 0xff;
            if (!fatbin_read(&f, &arena, files[i], copy, cut, &d)) {
                assert_int_equal(d.status, EXIT_USAGE);
                bad++;
            }
            free(copy);
        }
        arena_free(&arena);
    }
    assert_true(bad > 2000);
}

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char *linked(Arena *arena, const char *const *texts, int n, Diag *d) {
    LinkUnit units[4];
    size_t len;
    for (int i = 0; i < n; i++) units[i] = (LinkUnit){texts[i], strlen(texts[i])};
    char *text = link_ptx(arena, "test", units, n, &len, d);
    if (text) assert_int_equal(strlen(text), len);
    return text;
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)); p++) n++;
    return n;
}

// Calls and variables across units, names that two units have for themselves, a weak function in
// both.
static void units_are_linked(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD
        ".extern .func (.param .b32 r) twice(.param .b32 v);\n.extern .global .align 4 .u32 sum;\n"
        "/* own: .global .u32 x; */ .global .align 4 .u32 own = 7;\n"
        ".weak .func same() { ret; }\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param "
        ".b64 a);\n"
        ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\nld.global.u32 "
        "%r1, [own];\n"
        "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), twice, (a); "
        "ld.param.b32 %r2, [b]; }\n"
        "st.global.u32 [sum], %r2;\ncall.uni same;\nret; }\n",
        HEAD
        ".visible .global .align 4 .u32 sum;\n.global .align 4 .u32 own[2] = {1, 2};\n"
        ".weak .func same() { ret; }\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param "
        ".b64 a);\n"
        ".visible .func (.param .b32 r) twice(.param .b32 v) {\n.reg .b32 %r<4>;\nld.param.b32 "
        "%r1, [v];\n"
        "ld.global.u32 %r2, [own+4];\nmul.lo.u32 %r1, %r1, %r2;\nst.param.b32 [r], %r1;\nret; }\n",
    };
    Arena arena = {0};
    Diag d = {0};
    const char *text = linked(&arena, texts, 2, &d);
    if (!text) fail_msg("%s", d.text);
    assert_int_equal(count(text, ".version"), 1);
    assert_int_equal(count(text, "vprintf"), 1);
    assert_int_equal(count(text, "same()"), 1);
    assert_int_equal(count(text, "own$unit1"), 2);
    assert_int_equal(count(text, "own$unit2"), 2);
    assert_int_equal(count(text, ".u32 sum"), 1);
    const PtxModule *m = ptx_parse(&arena, "linked", text, strlen(text), &d);
    if (!m || !ptx_entry(m, "k", &d)) fail_msg("%s\n%s", d.text, text);
    assert_null(linked(&arena, (const char *const[]){HEAD ".visible .entry k() { ret;"}, 1, &d));
    assert_non_null(
        strstr(d.text, "unit 1 is cut off in a statement that begins with '.visible .entry k()"));
    arena_free(&arena);
}

// A freed block is recognized. Its addresses, but none of its bytes, are reused when the others are
// used up.
static void memory_is_freed(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    DeviceMemory m;
    assert_true(device_open(&m, &arena, &d));
    const uint32_t a = device_alloc(&m, "a", 5000), b = device_alloc_aligned(&m, "b", 100, 4096);
    assert_true(b % 4096 == 0 && b > a);
    memset(m.base + a, 1, 5000);
    memset(m.base + b, 2, 100);
    assert_false(device_release(&m, a + 4));
    assert_true(device_release(&m, a));
    assert_false(device_release(&m, a));
    assert_null(device_at(&m, a, 4));
    assert_int_equal(*device_at(&m, b, 1), 2);
    const uint32_t c = device_alloc(&m, "c", 4000);
    assert_true(c > b);  // not a's
    const uint64_t rest = DEVICE_GLOBAL_END - m.next - 4096;
    assert_true(device_alloc(&m, "rest", rest) > c);
    const uint32_t e = device_alloc(&m, "e", 4900);
    assert_int_equal(e, a);  // nothing else is left
    assert_true(m.base[e] == 0 && m.base[e + 4899] == 0);
    assert_int_equal(device_alloc(&m, "f", 5000), 0);
    for (int i = 1; i < m.nallocs; i++) assert_true(m.allocs[i].addr > m.allocs[i - 1].addr);
    assert_string_equal(device_allocation(&m, e + 100)->name, "e");
    device_close(&m);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_nvcc_writes),
                                       cmocka_unit_test(one_text),
                                       cmocka_unit_test(several_containers),
                                       cmocka_unit_test(what_is_wrong_is_said),
                                       cmocka_unit_test(damaged),
                                       cmocka_unit_test(units_are_linked),
                                       cmocka_unit_test(memory_is_freed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
