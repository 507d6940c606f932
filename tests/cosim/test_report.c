// SPDX-License-Identifier: Apache-2.0
// The text of a mismatch, word for word, and the contents of the bundle.
#include "testing.h"

#include <ctype.h>

static char bundle[512];

static char *slurp(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s cannot be read", path);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

// Lines that depend on the machine of the test lose the text behind their key.
static void mask(char *text) {
    static const char *const keys[] = {"RTL: ", "tools: ", "configuration hash ", "bundle: "};
    for (int i = 0; i < 4; i++) {
        char *at = strstr(text, keys[i]);
        if (!at) continue;
        char *value = at + strlen(keys[i]), *end = value + strcspn(value, "\n");
        *value = '*';
        memmove(value + 1, end, strlen(end) + 1);
    }
}

static void expect_file(char *text, const char *name) {
    char path[512];
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/cosim/%s", name);
    mask(text);
    if (getenv("SMCOSIM_UPDATE_EXPECTED")) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    char *expected = slurp(path);
    if (strcmp(text, expected)) fail_msg("%s differs; found:\n%s", path, text);
    free(expected);
}

static void decode(void *ctx, const Mismatch *m, char *buf, size_t size) {
    snprintf(buf, size, "element %d of %s in the words of %s", m->element, m->port,
             (const char *)ctx);
}

static void run(Bench *b, const char *testbug, const CosimOptions *more, Diag *d) {
    CosimOptions o = *more;
    o.testbug = testbug, o.cache_dir = CACHE, o.run_on = 20, o.bundle_dir = bundle;
    o.command_line = "smcosim run k.yaml --testbug ...";
    if (!o.blocks) o.blocks = "lockstep";
    if (!bench_open(b, DATA, "fermi", &o, 3, d)) fail_msg("%s", d->text);
    cosim_set_decode(b->cosim, decode, "the test");
    bench_cycles(b, 20000);
    assert_false(cosim_finish(b->cosim, d));
    assert_int_equal(d->status, EXIT_MISMATCH);
}

static char *bundle_text(const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", bundle, name);
    return slurp(path);
}

// A 1024-bit value: words, slices and lanes that differ.
static void row_mismatch(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF, .busy = 12};
    Diag d = {0};
    run(&b, "banked_rf=12", &(CosimOptions){.blocks = "model,banked_rf=lockstep"}, &d);
    char *text = bundle_text("mismatch.txt");
    expect_file(text, "mismatch_row.expected");
    free(text);
    bench_close(&b);
}

static void word_mismatch(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_OC, .busy = 25};
    Diag d = {0};
    run(&b, "operand_collector=42", &(CosimOptions){.blocks = "model,operand_collector=lockstep"},
        &d);
    char *text = bundle_text("mismatch.txt");
    expect_file(text, "mismatch_word.expected");
    free(text);
    // The Diag holds the same text as far as it fits.
    text = bundle_text("mismatch.txt");
    assert_true(!strncmp(d.text, text, 400));
    assert_non_null(strstr(d.text, "bundle: "));
    assert_non_null(strstr(d.text, "<--"));
    free(text);
    bench_close(&b);
}

// History: 32 transactions, the newest is the cycle of the mismatch and marked.
static void history_length(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    b.busy = -1;
    CosimOptions o = {.blocks = "model,banked_rf=lockstep",
                      .testbug = "banked_rf=35",
                      .cache_dir = CACHE,
                      .run_on = 50,
                      .bundle_dir = bundle,
                      .history = 32};
    assert_true(bench_open(&b, DATA, "fermi", &o, 1, &d));
    b.busy = 60;
    bench_cycles(&b, 6000);
    assert_false(cosim_finish(b.cosim, &d));
    char *text = bundle_text("mismatch.txt"), *list = strstr(text, "last 32 cycles with activity");
    assert_non_null(list);
    int lines = 0;
    char *last = NULL;
    // A record begins with its cycle, which ends in the tenth column; further lines are indented
    // more.
    for (char *line = strchr(list, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        assert_true(strcspn(line + 1, "\n") <= 120);
        if (isdigit((unsigned char)line[10])) lines++, last = line + 1;
    }
    assert_int_equal(lines, 32);
    assert_int_equal(strtoull(last, NULL, 10), cosim_mismatch(b.cosim)->cycle);
    assert_non_null(strstr(last, "<--"));
    char *marked = strstr(text, "<--");
    assert_true(marked > last);
    free(text);
    bench_close(&b);
}

// The first mismatch stays, however many follow; run_on ends the run.
static void first_stays(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    CosimOptions o = {.blocks = "model,banked_rf=lockstep",
                      .testbug = "banked_rf=34",
                      .cache_dir = CACHE,
                      .run_on = 20};
    assert_true(bench_open(&b, DATA, "fermi", &o, 1, &d));
    while (!cosim_mismatch(b.cosim)) bench_cycles(&b, 1);
    Mismatch first = *cosim_mismatch(b.cosim);
    assert_int_equal(first.cycle, b.cycle - 1);
    bench_cycles(&b, 1000);
    assert_int_equal(b.cycle, first.cycle + 21);
    assert_memory_equal(&first, cosim_mismatch(b.cosim), sizeof first);
    bench_close(&b);
}

// The configuration in the bundle is one that can be loaded and is the same.
static void bundle_config(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    run(&b, "banked_rf=34", &(CosimOptions){.blocks = "model,banked_rf=lockstep"}, &d);
    char path[600];
    snprintf(path, sizeof path, "%s/config.yaml", bundle);
    MachineConfig again;
    Diag reading = {0};
    if (!config_load(&again, &b.arena, DATA, path, &reading)) fail_msg("%s", reading.text);
    again.machine = b.cfg.machine;
    assert_memory_equal(&again, &b.cfg, sizeof again);
    bench_close(&b);
}

static void bundle_not_writable(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    CosimOptions o = {.blocks = "model,banked_rf=lockstep",
                      .testbug = "banked_rf=34",
                      .cache_dir = CACHE,
                      .bundle_dir = "/dev/null/bundle"};
    assert_true(bench_open(&b, DATA, "fermi", &o, 1, &d));
    bench_cycles(&b, 1000);
    assert_false(cosim_finish(b.cosim, &d));
    assert_int_equal(d.status, EXIT_MISMATCH);  // the mismatch is the news
    assert_non_null(strstr(d.text, "the bundle /dev/null/bundle is not complete:"));
    bench_close(&b);
}

int main(void) {
    snprintf(bundle, sizeof bundle, "%s/test-report.%d/a/bundle", TEST_BINARY_DIR, (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_mismatch),   cmocka_unit_test(word_mismatch),
        cmocka_unit_test(history_length), cmocka_unit_test(first_stays),
        cmocka_unit_test(bundle_config),  cmocka_unit_test(bundle_not_writable)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[700];
    snprintf(command, sizeof command, "rm -rf %s/test-report.%d", TEST_BINARY_DIR, (int)getpid());
    return system(command) ? 1 : failed;
}
