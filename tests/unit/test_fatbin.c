// SPDX-License-Identifier: Apache-2.0
// Fat binaries that nvcc 13 wrote (tests/fatbin), whole, cut off at every byte and with every byte changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fatbin/fatbin.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *load(Arena *arena, const char *name, size_t *n) {
    Diag d = {0};
    char *text;
    if (!file_read(arena, arena_printf(arena, "%s/tests/fatbin/%s", TEST_SOURCE_DIR, name), &text, n, &d))
        fail_msg("%s", d.text);
    return (uint8_t *)text;
}

typedef struct Case {
    const char *file;
    int nptx, nsass, arch;       // of the image that is chosen
    const char *options;         // part of its options
} Case;

static void what_nvcc_writes(void **state) {
    (void)state;
    static const Case cases[] = {
        {"plain.fatbin", 1, 0, 75, ""},        {"lz4.fatbin", 1, 0, 75, ""},
        {"zstd.fatbin", 1, 0, 75, ""},         {"several.fatbin", 2, 2, 90, ""},
        {"debug.fatbin", 1, 0, 75, "-g"},      {"options.fatbin", 1, 0, 75, "-maxrregcount=32"},
        {"rdc.fatbin", 1, 0, 75, "--compile-only"},
    };
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
        const FatImage *image = fatbin_ptx(&f, c->file, &d);
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
    bool ok = fatbin_read(&f, &arena, file, bytes, n ? n : have, &d) && fatbin_ptx(&f, file, &d);
    if (ok || d.status != EXIT_USAGE || !strstr(d.text, part)) fail_msg("%s: %s, expected %s", file, d.text, part);
    arena_free(&arena);
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    refused("sass.fatbin", 0, 0, -1, "only machine code of certain GPUs (SASS): compile with -arch=compute_75");
    refused("zstd.fatbin", 0, 0, 0, "at byte 0: a container begins with 0xba55ed50, found 0xba55ed00");
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

// Nothing that is cut off or changed in a byte makes the reader read elsewhere (the sanitizers look on in ci/full).
static void damaged(void **state) {
    (void)state;
    static const char *const files[] = {"plain.fatbin", "lz4.fatbin", "zstd.fatbin", "options.fatbin", "debug.fatbin"};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nvcc_writes), cmocka_unit_test(one_text), cmocka_unit_test(several_containers),
        cmocka_unit_test(what_is_wrong_is_said), cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
