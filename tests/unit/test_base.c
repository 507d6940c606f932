// SPDX-License-Identifier: Apache-2.0
// Arena, diagnostics, name suggestions.
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_arena(void **state) {
    (void)state;
    Arena a = {0};
    int *items = NULL, n = 0, cap = 0;
    for (int i = 0; i < 10000; i++) *ARENA_PUSH(&a, items, n, cap) = i;
    for (int i = 0; i < 10000; i++) assert_int_equal(items[i], i);
    for (size_t bytes = 1; bytes < 200000; bytes = bytes * 3 + 1) {
        unsigned char *p = arena_alloc(&a, bytes);
        assert_int_equal((uintptr_t)p % (bytes >= 64 ? 64 : 16), 0);
        for (size_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0);
        memset(p, 0xff, bytes);
    }
    assert_string_equal(arena_printf(&a, "%s-%d", "x", 7), "x-7");
    assert_string_equal(arena_shell_word(&a, "a/b-1.fst"), "a/b-1.fst");
    assert_string_equal(arena_shell_word(&a, ""), "''");
    assert_string_equal(arena_shell_word(&a, "a b"), "'a b'");
    assert_string_equal(arena_shell_word(&a, "it's $x"), "'it'\\''s $x'");
    arena_free(&a);
    assert_null(a.chunks);
}

static void test_diag_caret(void **state) {
    (void)state;
    const char *text = "first\n\tsecond line\nthird";
    SourceText src = {"f.ptx", text, strlen(text)};
    Diag d = {0};
    assert_false(diag_fail_at(&d, &src, 2, 9, "found '%s'", "line"));
    assert_string_equal(d.text, "f.ptx:2:9: error: found 'line'\n    \tsecond line\n    \t       ^");
    assert_int_equal(d.status, EXIT_USAGE);
    diag_fail(&d, EXIT_HANG, "a second error");  // the first one stays
    assert_int_equal(d.status, EXIT_USAGE);
    Diag last = {0};
    diag_fail_at(&last, &src, 3, 1, "end");
    assert_string_equal(last.text, "f.ptx:3:1: error: end\n    third\n    ^");
}

static void test_suggest(void **state) {
    (void)state;
    const char *const keys[] = {"sm.warps", "sm.threads", "rf.banks", "l1.ways"};
    assert_string_equal(suggest("sm.warp", keys, 4), "sm.warps");
    assert_string_equal(suggest("rf.bank", keys, 4), "rf.banks");
    assert_string_equal(suggest("l1.ways", keys, 4), "l1.ways");
    assert_null(suggest("completely.else", keys, 4));
}

static void test_file_read(void **state) {
    (void)state;
    Arena a = {0};
    Diag d = {0};
    char *text;
    size_t len;
    assert_false(file_read(&a, "/no/such/file", &text, &len, &d));
    assert_int_equal(d.status, EXIT_USAGE);
    Diag folder = {0};
    assert_false(file_read(&a, "/tmp", &text, &len, &folder));
    assert_non_null(strstr(folder.text, "regular file"));
    Diag good = {0};
    assert_true(file_read(&a, TEST_SOURCE_DIR "/LICENSE", &text, &len, &good));
    assert_int_equal(strlen(text), len);
    assert_true(len > 1000);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_diag_caret),
        cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_file_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
