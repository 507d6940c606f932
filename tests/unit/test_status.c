// SPDX-License-Identifier: Apache-2.0
// Words of outcomes: each is once in its group, its row is complete. The text breaks where it must.
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void rows(void **state) {
    const StatusRow *r;
    const int n = status_rows(&r);
    (void)state;
    assert_true(n > STATUS_WORDS);
    for (int i = 0; i < n; i++) {
        assert_true(*r[i].word && *r[i].meaning && *r[i].cure);
        for (int k = 0; k < i; k++)
            assert_false(!strcmp(r[k].word, r[i].word) &&
                         (r[k].group == r[i].group || (r[k].verdict && r[i].verdict)));
        if (r[i].group == STATUS_ANY)
            assert_string_equal(exit_word((ExitStatus)r[i].status), r[i].word);
        else assert_string_equal(status_word((StatusWord)(i - (n - STATUS_WORDS))), r[i].word);
    }
    assert_string_equal(exit_word((ExitStatus)99), "unknown");
}

static void text(void **state) {
    char whole[400], lines[400];
    (void)state;
    status_text(whole, sizeof whole, 0, sizeof whole);
    assert_string_equal(whole,
                        "0 pass, 1 mismatch, 2 bad usage or input, 3 wrong kernel result, 4 "
                        "hang or cycle limit, 5 vacuous, "
                        "6 nondeterministic, 7 environment, 130 interrupted");
    for (int width = 20; width < 100; width++) {
        size_t at = 7;
        status_text(lines, sizeof lines, (int)at, width);
        assert_int_equal(strlen(lines), strlen(whole));
        for (size_t i = 0; lines[i]; i++) {
            if (lines[i] != '\n') {
                assert_int_equal(lines[i], whole[i]);
                assert_true(++at <= (size_t)width);
                continue;
            }
            assert_int_equal(whole[i], ' ');
            assert_true(at + 1 + strcspn(lines + i + 1, " \n") >
                        (size_t)width);  // the next word had no room
            at = 0;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
