// SPDX-License-Identifier: Apache-2.0
// Every PTX file of tests/ptx and bench/kernels parses, prints and parses to the same. Every
// statement of tests/ptx/forms.txt is accepted or refused with the message written there.
#include "ptx_support.h"

#include <glob.h>
#include <time.h>

static void check_file(const char *path) {
    Arena arena = {0};
    Diag d = {0};
    const PtxModule *m = ptx_load(&arena, path, &d);
    if (!m) fail_msg("%s", d.text);
    int insts = 0;
    for (int i = 0; i < m->nfuncs; i++) insts += m->funcs[i].ninsts;
    assert_true(insts > 0);
    ptx_check_round_trip(m);
    arena_free(&arena);
}

static int check_pattern(const char *pattern) {
    glob_t g;
    int n = 0;
    if (glob(pattern, 0, NULL, &g) == 0) n = (int)g.gl_pathc;
    for (int i = 0; i < n; i++) check_file(g.gl_pathv[i]);
    if (n) globfree(&g);
    return n;
}

static void test_corpus(void **state) {
    (void)state;
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.sm_75.ptx") >= 10);
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.sm_90.ptx") >= 4);
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.sm_100.ptx") >= 10);
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.debug.ptx") >= 2);
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.lineinfo.ptx") >= 2);
    assert_true(check_pattern(TEST_SOURCE_DIR "/tests/ptx/clang*.ptx") >= 3);
    check_pattern(TEST_SOURCE_DIR "/tests/ptx/*.fast.ptx");
    check_pattern(TEST_SOURCE_DIR "/bench/kernels/*/*.ptx");
}

// Entries of one file: which can run, and why the others cannot.
static void test_entries(void **state) {
    (void)state;
    static const struct {
        const char *file, *entry, *why;
    } cases[] = {
        {"half.sm_75.ptx", "_Z7convertPfP6__halfP13__nv_bfloat16", NULL},
        {"half.sm_75.ptx", "_Z15half_arithmeticP6__half", NULL},
        {"limits.sm_75.ptx", "_Z7boundedILi128EEvP4PairPf", NULL},
        {"limits.sm_75.ptx", "_Z5fetchPfy", NULL},
        {"indirect.sm_75.ptx", "_Z6directPf", NULL},
        {"indirect.sm_75.ptx", "_Z12virtual_callPfi", NULL},
        {"runtime.sm_75.ptx", "_Z4talkPii", NULL},
        {"control.sm_75.ptx", "control", NULL},
        {"control.sm_75.ptx", "_Z9recursionPiu", "did you mean '_Z9recursionPii'?"},
        {"control.sm_75.ptx", "nothing", "the file has: _Z9recursionPii, _Z7controlPiPKii"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        char path[512];
        snprintf(path, sizeof path, "%s/tests/ptx/%s", TEST_SOURCE_DIR, cases[i].file);
        const PtxModule *m = ptx_load(&arena, path, &d);
        assert_non_null(m);
        const PtxFunc *f = ptx_entry(m, cases[i].entry, &d);
        if (!cases[i].why && !f) fail_msg("%s: %s", cases[i].entry, d.text);
        if (cases[i].why && f) fail_msg("%s is not refused", cases[i].entry);
        if (cases[i].why && !strstr(d.text, cases[i].why))
            fail_msg("%s: %s", cases[i].entry, d.text);
        arena_free(&arena);
    }
}

// ---- forms ----

// The message without position and caret; of the entry if the module is accepted.
static const char *verdict(const PtxModule *m, Diag *d, char *first_line, size_t size) {
    if (m) {
        if (ptx_entry(m, "k", d)) return "ok";
    }
    const char *message = strstr(d->text, "error: ");
    snprintf(first_line, size, "%s", message ? message + strlen("error: ") : d->text);
    first_line[strcspn(first_line, "\n")] = '\0';
    return m ? "refused" : "error";
}

static void check_form(const char *around, char *line, int number) {
    Arena arena = {0};
    Diag d = {0};
    char got[sizeof d.text] = "";
    char *arrow = strstr(line, " => ");
    char *statement = line + strlen("refused ");
    if (arrow) *arrow = '\0';
    const char *hole = strstr(around, "INSTRUCTION");
    hole = strstr(hole + 1, "INSTRUCTION");  // the first one is in the comment
    char *text = arena_printf(&arena, "%.*s%s%s", (int)(hole - around), around, statement,
                              hole + strlen("INSTRUCTION"));
    const PtxModule *m = ptx_parse(&arena, "forms.ptx", text, strlen(text), &d);
    const char *is = verdict(m, &d, got, sizeof got);
    if (strncmp(line, is, strlen(is)) != 0)
        fail_msg("forms.txt:%d: %s: %s %s", number, statement, is, got);
    if (arrow && strcmp(arrow + strlen(" => "), got) != 0)
        fail_msg("forms.txt:%d: %s: the message is now: %s", number, statement, got);
    if (m) ptx_check_round_trip(m);
    arena_free(&arena);
}

static void test_forms(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    char *around, *forms;
    size_t len;
    assert_true(file_read(&arena, TEST_SOURCE_DIR "/tests/ptx/forms.ptx", &around, &len, &d));
    assert_true(file_read(&arena, TEST_SOURCE_DIR "/tests/ptx/forms.txt", &forms, &len, &d));
    int number = 0, checked = 0;
    for (char *line = forms, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        number++;
        if (*line == '#' || !*line) continue;
        check_form(around, line, number);
        checked++;
    }
    assert_true(checked > 600);
    arena_free(&arena);
}

// ---- speed ----

// A megabyte parses in well under a second; the bound is loose because machines differ.
static void test_speed(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    fprintf(out,
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .b32 %%r<20000>;\n.reg .pred %%p<2>;\n");
    for (int i = 1; ftell(out) < 1 << 20; i = i % 19990 + 1)
        fprintf(
            out,
            "{ .reg .b32 t; L: @%%p1 bra L; mov.u32 t, %%r%d; mad.lo.s32 %%r%d, t, %%r%d, 77; }\n",
            i, i + 1, i + 2);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    clock_t start = clock();
    const PtxModule *m = ptx_parse(&arena, "large.ptx", text, len, &d);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (!m) fail_msg("%s", d.text);
    if (seconds > 2.0) fail_msg("%.2f s for a megabyte", seconds);
    arena_free(&arena);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus),
                                       cmocka_unit_test(test_entries), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_speed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
