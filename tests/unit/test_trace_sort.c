// SPDX-License-Identifier: Apache-2.0
// Lines of a trace are sorted by time and in order, from memory and from files, compressed and not.
#include "report/trace_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { LINES = 20000, KEYS = 500, NAME = 32 };

static uint64_t key_of(int i) { return (uint64_t)i * 7919 % KEYS; }

// Lines "key number" with keys in any order: keys never fall, numbers of one key never do. Returns
// how many there are.
static int check(FILE *f) {
    unsigned long long key, last = 0;
    int number, before = -1, n = 0;
    rewind(f);
    while (fscanf(f, "%llu %d,\n", &key, &number) == 2) {
        assert_true(key >= last);
        if (key == last) assert_true(number > before);
        last = key, before = number, n++;
        assert_int_equal(key, key_of(number));
    }
    assert_true(feof(f));
    return n;
}

static void put_all(TraceSort *s) {
    char line[NAME];
    for (int i = 0; i < LINES; i++) {
        const int n = snprintf(line, sizeof line, "%llu %d", (unsigned long long)key_of(i), i);
        trace_sort_put(s, key_of(i), line, (size_t)n);
    }
}

static void sorts(size_t bytes) {
    TraceSort *s = trace_sort_open(bytes);
    FILE *f = tmpfile();
    assert_non_null(f);
    put_all(s);
    assert_true(trace_sort_write(s, f));
    assert_int_equal(check(f), LINES);
    fclose(f);
    trace_sort_close(s);
}

static void test_in_memory(void **state) {
    (void)state;
    sorts(1 << 20);
}

static void test_runs(void **state) {
    (void)state;
    sorts(20000);  // some files
    sorts(1000);   // more than are kept: they are merged
}

static void test_gzip(void **state) {
    (void)state;
    FILE *f = tmpfile(), *plain = tmpfile();
    FILE *z = gzip_open(f);
    TraceSort *s = trace_sort_open(4000);
    char text[4096];
    int n;
    put_all(s);
    assert_true(trace_sort_write(s, z));
    assert_int_equal(fclose(z), 0);
    fflush(f);
    rewind(f);
    gzFile g = gzdopen(dup(fileno(f)), "rb");
    while ((n = gzread(g, text, sizeof text)) > 0) fwrite(text, 1, (size_t)n, plain);
    assert_int_equal(n, 0);
    assert_int_equal(gzclose(g), Z_OK);
    assert_int_equal(check(plain), LINES);
    assert_true(ftell(f) < ftell(plain) / 2);
    trace_sort_close(s);
    fclose(f), fclose(plain);
}

// A full disk is an error of the stream's end.
static void test_gzip_full(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    FILE *z = gzip_open(full);
    for (int i = 0; i < LINES; i++) fprintf(z, "%d ", rand());
    assert_true(fclose(z) != 0);
    fclose(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_memory),
                                       cmocka_unit_test(test_runs), cmocka_unit_test(test_gzip),
                                       cmocka_unit_test(test_gzip_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
