// SPDX-License-Identifier: Apache-2.0
// Stimulus files: a written file is read back; every fault of a file is refused at its place.
#include "testing.h"

#include "models/rf/banked_rf.h"

static const int shape[] = {4, 16, 3, 2};

static Stimulus *some(void) {
    Stimulus *s = stimulus_new(block_desc_find("banked_rf"), shape, 77);
    BankedRfIn in = {0};
    in.wr_valid[0] = 2, in.wr_bank[1] = 3, in.wr_entry[1] = 15, in.wr_slice[1] = 9,
    in.wr_lane[1] = 0x80000001u;
    for (int i = 0; i < 32; i++) in.wr_data[1][i] = (uint32_t)i * 0x01010101u;
    stimulus_add(s, false, &in);
    in = (BankedRfIn){0};
    stimulus_add(s, false, &in);
    in.rd_valid[0] = 5, in.older[2] = 1;
    stimulus_add(s, true, &in);
    in = (BankedRfIn){0};
    in.rd_entry[1] = 7;  // no valid bit covers it
    stimulus_add(s, false, &in);
    in = (BankedRfIn){0};
    s->fault = s->ncycles;
    stimulus_add(s, false, &in);
    return s;
}

static void get_returns_what_was_added(void **state) {
    (void)state;
    Stimulus *s = some();
    BankedRfIn in;
    assert_int_equal(s->ncycles, 5);
    assert_false(stimulus_get(s, 0, &in));
    assert_int_equal(in.wr_lane[1], 0x80000001u);
    assert_int_equal(in.wr_data[1][31], 0x1f1f1f1f);
    assert_int_equal(in.wr_data[1][0], 0);
    assert_int_equal(stimulus_transactions(s, &in), 1);
    assert_true(stimulus_get(s, 2, &in));
    assert_int_equal(in.wr_valid[0], 0);
    assert_int_equal(stimulus_transactions(s, &in), 2);
    stimulus_get(s, 3, &in);
    assert_int_equal(in.rd_entry[1], 7);
    stimulus_clear_ungated(s, &in);
    assert_int_equal(in.rd_entry[1], 0);
    stimulus_get(s, 0, &in);
    in.wr_entry[0] = 3;
    stimulus_clear_ungated(s, &in);
    assert_int_equal(in.wr_entry[0], 0);
    assert_int_equal(in.wr_entry[1], 15);
    stimulus_free(s);
}

static Stimulus *load_text(Arena *arena, const char *text, Diag *d) {
    char path[] = "/tmp/smcosim-stimulus-XXXXXX";
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    Stimulus *s = stimulus_load(arena, path, d);
    unlink(path);
    return s;
}

static char *text_of(const Stimulus *s) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    stimulus_write(f, s);
    fclose(f);
    return text;
}

static void text_is_read_back(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    Stimulus *s = some();
    char *text = text_of(s);
    assert_non_null(strstr(text, "parameters Banks=4 Entries=16 NumColl=3 NumWr=2\nseed 77\n"));
    assert_non_null(strstr(text, "\n2 reset rd_valid=0x5 older[2]=0x1\n"));
    assert_non_null(strstr(text, "\n3 rd_entry[1]=0x7\n4 fault\n5 end\n"));
    Stimulus *read = load_text(&arena, text, &d);
    if (!read) fail_msg("%s", d.text);
    assert_int_equal(read->seed, 77);
    assert_memory_equal(read->params, shape, sizeof shape);
    assert_int_equal(read->ncycles, 5);
    assert_int_equal(read->fault, 4);
    assert_int_equal(read->nwords, s->nwords);
    assert_memory_equal(read->words, s->words, sizeof *s->words * s->nwords);
    stimulus_free(read);
    stimulus_free(s);
    free(text);
    arena_free(&arena);
}

#define HEAD \
    "smcosim stimulus 1\nblock banked_rf\nparameters Banks=4 Entries=16 NumColl=3 NumWr=2\nseed " \
    "1\n"

// Text, and the required message: place and words.
static const struct {
    const char *text, *place, *words;
} bad[] = {
    {"", ":1:1:", "empty"},
    {"smcosim stimulus 2\n", ":1:18:", "version 1"},
    {"stimulus 1\n", ":1:1:", "expected `smcosim`"},
    {"smcosim stimulus 1\nblock nothing\n", ":2:7:", "no block `nothing`"},
    {"smcosim stimulus 1\nblock banked_rf\nparameters Banks=99", ":3:18:", "Banks is 1 to 32"},
    {"smcosim stimulus 1\nblock banked_rf\nparameters Entries=16", ":3:12:", "expected `Banks`"},
    {"smcosim stimulus 1\nblock banked_rf\nparameters Banks=4 Entries=16 NumColl=3 NumWr=2 X=1\n",
     ":3:49:", "end of the line"},
    {HEAD "0 wr_valid=0x1\n", ":6:1:", "without `CYCLES end`"},
    {HEAD "zero wr_valid=0x1\n", ":5:1:", "cycle number"},
    {HEAD "3 wr_valid=0x1\n2 wr_valid=0x1\n9 end\n", ":6:1:", "cycle 2 follows cycle 3"},
    {HEAD "3 wr_vald=0x1\n9 end\n", ":5:3:", "did you mean `wr_valid`"},
    {HEAD "3 rd_grant=0x1\n9 end\n", ":5:3:", "no input `rd_grant`"},
    {HEAD "3 rd_bank=0x1\n9 end\n", ":5:10:", "3 elements; expected `[`"},
    {HEAD "3 rd_bank[3]=0x1\n9 end\n", ":5:11:", "at most 2"},
    {HEAD "3 rd_bank[1=0x1\n9 end\n", ":5:12:", "expected `]`"},
    {HEAD "3 rd_bank[1]=0x4\n9 end\n", ":5:14:", "more than 2 bits"},
    {HEAD "3 rd_bank[1]=1\n9 end\n", ":5:14:", "hexadecimal"},
    {HEAD "3 rd_bank[1]=0x1 rd_bank[1]=0x1\n9 end\n", ":5:18:", "given twice"},
    {HEAD "3 wr_data[0]=0x1"
          "0000000000000000000000000000000000000000000000000000000000000000"
          "0000000000000000000000000000000000000000000000000000000000000000"
          "0000000000000000000000000000000000000000000000000000000000000000"
          "0000000000000000000000000000000000000000000000000000000000000000\n9 end\n",
     ":5:14:", "more than 1024 bits"},
    {HEAD "3 fault\n4 fault\n9 end\n", ":6:3:", "it begins once"},
    {HEAD "99999999 end\n", ":5:1:", "at most 10000000"},
    {HEAD "9 end\n10 wr_valid=0x1\n", ":6:1:", "nothing may follow"},
    {HEAD "9 end 3\n", ":5:7:", "end of the line"},
};

static void bad_files_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Arena arena = {0};
        Diag d = {0};
        if (load_text(&arena, bad[i].text, &d)) fail_msg("accepted: %s", bad[i].text);
        assert_int_equal(d.status, EXIT_USAGE);
        if (!strstr(d.text, bad[i].place) || !strstr(d.text, bad[i].words))
            fail_msg("case %zu: expected %s and %s in: %s", i, bad[i].place, bad[i].words, d.text);
        arena_free(&arena);
    }
}

// Damaged files are refused or read, nothing else.
static void damage(void **state) {
    (void)state;
    Stimulus *s = some();
    char *text = text_of(s);
    const size_t length = strlen(text);
    StimRandom r = {12345};
    for (int i = 0; i < 2000; i++) {
        Arena arena = {0};
        Diag d = {0};
        char *copy = strdup(text);
        for (uint32_t k = 1 + stim_below(&r, 3); k; k--)
            copy[stim_below(&r, (uint32_t)length)] = (char)(1 + stim_below(&r, 126));
        if (i % 4 == 0) copy[stim_below(&r, (uint32_t)length)] = '\0';
        stimulus_free(load_text(&arena, copy, &d));
        free(copy);
        arena_free(&arena);
    }
    stimulus_free(s);
    free(text);
}

static void missing_file(void **state) {
    (void)state;
    Arena arena = {0};
    Diag d = {0};
    assert_null(stimulus_load(&arena, "/no/such/file", &d));
    assert_int_equal(d.status, EXIT_USAGE);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(get_returns_what_was_added),
                                       cmocka_unit_test(text_is_read_back),
                                       cmocka_unit_test(bad_files_are_refused),
                                       cmocka_unit_test(damage), cmocka_unit_test(missing_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
