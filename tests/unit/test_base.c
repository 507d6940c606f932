// SPDX-License-Identifier: Apache-2.0
// Arena, diagnostics, name suggestions.
#include "base/arena.h"
#include "base/plain.h"

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
    assert_string_equal(arena_shell_word(&a, "a\033'\\b\n\303\244"),
                        "$'a\\x1b\\'\\\\b\\x0a\303\244'");
    arena_free(&a);
    assert_null(a.chunks);
}

static void test_diag_caret(void **state) {
    (void)state;
    const char *text = "first\n\tsecond line\nthird";
    SourceText src = {"f.ptx", text, strlen(text)};
    Diag d = {0};
    assert_false(diag_fail_at(&d, &src, 2, 9, "found '%s'", "line"));
    assert_string_equal(d.text,
                        "f.ptx:2:9: error: found 'line'\n    \tsecond line\n    \t       ^");
    assert_int_equal(d.status, EXIT_USAGE);
    diag_fail(&d, EXIT_HANG, "a second error");  // the first one stays
    assert_int_equal(d.status, EXIT_USAGE);
    Diag last = {0};
    diag_fail_at(&last, &src, 3, 1, "end");
    assert_string_equal(last.text, "f.ptx:3:1: error: end\n    third\n    ^");
}

static void test_diag_escapes(void **state) {
    (void)state;
    SourceText src = {"a\033b", "x\033\303\244\tbad\001 here\n", 15};
    Diag d = {0};
    diag_fail_at(&d, &src, 1, 6, "found '%s'", "\233\r\177");
    assert_string_equal(d.text,
                        "a\\x1bb:1:6: error: found '\\x9b\\x0d\\x7f'\n    x\\x1b\303\244\tbad\\x01 "
                        "here\n          \t^");
    Diag e = {0};
    diag_fail(&e, EXIT_USAGE, "%s", "one\ntwo\t\033]0;title\a");
    assert_string_equal(e.text, "one\ntwo\t\\x1b]0;title\\x07");
}

static void test_plain_text(void **state) {
    (void)state;
    Arena a = {0};
    static const char good[] = "plain, \303\244, \342\202\254, \360\237\230\200\n";
    assert_ptr_equal(plain_text(&a, good), good);
    assert_string_equal(plain_text(&a, "\302\233m"), "\\xc2\\x9bm");  // CSI as UTF-8
    assert_string_equal(plain_text(&a, "\300\200\342\202"), "\\xc0\\x80\\xe2\\x82");
    char small[8] = "a\033\033";
    plain_buffer(small, sizeof small);
    assert_string_equal(small, "a\\x1b");
    arena_free(&a);
}

static void test_plain_path(void **state) {
    (void)state;
    Diag d = {0};
    assert_true(plain_path("/a/b-c_d.v,e@x=1+%:", "x", EXIT_USAGE, &d));
    static const char *const bad[] = {
        "a b", "a;b", "$(x)", "a`b", "a'b", "a\"b", "[x]", "{x}", "a\\b", "a\nb", "#a",
        "~a",  "*",   "a?b",  "a|b", "a&b", "<a",   ">a",  "!a",  "-a",   "a\tb", "\303\244"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        d = (Diag){0};
        assert_false(plain_path(bad[i], "--rtl", EXIT_ENVIRONMENT, &d));
        assert_int_equal(d.status, EXIT_ENVIRONMENT);
        assert_null(strchr(d.text, '\n'));
    }
}

static void test_suggest(void **state) {
    (void)state;
    const char *const keys[] = {"sm.warps", "sm.threads", "rf.banks", "l1.ways"};
    assert_string_equal(name_suggest("sm.warp", keys, 4), "sm.warps");
    assert_string_equal(name_suggest("rf.bank", keys, 4), "rf.banks");
    assert_string_equal(name_suggest("l1.ways", keys, 4), "l1.ways");
    assert_null(name_suggest("completely.else", keys, 4));
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
        cmocka_unit_test(test_arena),        cmocka_unit_test(test_diag_caret),
        cmocka_unit_test(test_diag_escapes), cmocka_unit_test(test_plain_text),
        cmocka_unit_test(test_plain_path),   cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_file_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
