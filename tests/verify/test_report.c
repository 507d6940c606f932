// SPDX-License-Identifier: Apache-2.0
// JSON against its schema, JUnit as well-formed XML with everything escaped, the text of a failure.
#include "testing.h"

#include "schema.h"
#include "verify/cover.h"
#include "verify/mutate.h"

#include <sys/stat.h>

// ---- a checker of XML's form, small and strict --------------------------------------------------

typedef struct Xml {
    const char *at;
    char stack[16][64];
    int depth;
    const char *error;
} Xml;

static bool name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

static bool entity(Xml *x) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (int i = 0; i < 5; i++)
        if (!strncmp(x->at, known[i], strlen(known[i]))) return x->at += strlen(known[i]), true;
    return x->error = "unknown entity", false;
}

static bool characters(Xml *x, const char *ends) {
    while (*x->at && !strchr(ends, *x->at)) {
        const unsigned char c = (unsigned char)*x->at;
        if (c < 0x20 && c != '\n' && c != '\t') return x->error = "control character", false;
        if (c == '<') return x->error = "unescaped <", false;
        if (c == '&') {
            if (!entity(x)) return false;
        } else {
            x->at++;
        }
    }
    return true;
}

static bool tag(Xml *x) {
    const bool end = x->at[1] == '/';
    char name[64];
    size_t n = 0;
    x->at += 1 + end;
    while (name_char(*x->at) && n < 63) name[n++] = *x->at++;
    name[n] = '\0';
    while (*x->at == ' ') {
        x->at++;
        while (name_char(*x->at)) x->at++;
        if (strncmp(x->at, "=\"", 2)) return x->error = "attribute without value", false;
        x->at += 2;
        if (!characters(x, "\"") || *x->at++ != '"')
            return x->error = x->error ? x->error : "open attribute", false;
    }
    const bool empty = *x->at == '/';
    x->at += empty;
    if (*x->at++ != '>') return x->error = "open tag", false;
    if (end)
        return (x->depth && !strcmp(x->stack[--x->depth], name)) ||
            (x->error = "wrong end tag", false);
    if (!empty) snprintf(x->stack[x->depth++], 64, "%s", name);
    return true;
}

static const char *xml_error(const char *text) {
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    Xml x = {.at = text + sizeof head - 1};
    if (strncmp(text, head, sizeof head - 1)) return "no declaration";
    while (*x.at && !x.error) {
        if (*x.at == '<' ? !tag(&x) : !characters(&x, "<")) return x.error;
    }
    return x.error ? x.error : x.depth ? "open element" : NULL;
}

static void the_checker_fails(void **state) {
    (void)state;
#define DECLARED "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    assert_null(xml_error(DECLARED "<a b=\"&lt;\"><c/>x</a>"));
    static const char *const bad[] = {"<a/>",
                                      DECLARED "<a>",
                                      DECLARED "<a></b>",
                                      DECLARED "<a b=\"<\"/>",
                                      DECLARED "<a>&x;</a>",
                                      DECLARED "<a b=1/>",
                                      DECLARED "<a>\x01</a>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!xml_error(bad[i])) fail_msg("accepted: %s", bad[i]);
}

// ---- documents ----------------------------------------------------------------------------------

static char *document(Arena *arena, bool write(const char *, const VerifyReport *, Diag *),
                      const VerifyReport *r) {
    char path[] = "/tmp/smcosim-report-XXXXXX", *text;
    size_t length;
    Diag d = {0};
    close(mkstemp(path));
    if (!write(path, r, &d)) fail_msg("%s", d.text);
    assert_true(file_read(arena, path, &text, &length, &d));
    unlink(path);
    return text;
}

// A failing run, with everything in it that must be escaped.
static void failing(Fixture *x) {
    fixture_open(x, "banked_rf", "fermi");
    x->o.harness.testbug = 31;
    fixture_run(x);
    assert_true(x->r.nfailures > 0);
    snprintf(x->r.failures[0].rule, sizeof x->r.failures[0].rule, "<&>\"' \x01 \xff \xc3\xa4");
    x->r.failures[0].mismatch.port = "rule";
    x->r.message = "<&>\"' \x01 \xff";
}

static void json_fits_its_schema(void **state) {
    (void)state;
    json_t *schema = json_load_file(TEST_SOURCE_DIR "/csrc/verify/verify.schema.json", 0, NULL);
    assert_non_null(schema);
    for (int fault = 0; fault < 2; fault++) {
        Fixture x;
        if (fault) failing(&x);
        else fixture_open(&x, "banked_rf", "fermi"), fixture_run(&x);
        CodePoint points[] = {
            {.kind = CODE_LINE, .file = "f", .line = 3, .what = ""},
            {.kind = CODE_TOGGLE, .file = "", .what = "n", .bit = 2, .hits = 1, .waived = "why"}};
        VerifyCode code = {.points = points, .npoints = 2};
        if (fault) x.r.code = &code;
        VerifyReport r = fixture_report(&x);
        json_t *doc = json_loads(document(&x.arena, verify_json, &r), 0, NULL);
        assert_non_null(doc);
        assert_int_equal(validate(schema, doc), 0);
        json_t *block = json_array_get(json_object_get(doc, "blocks"), 0);
        assert_int_equal(json_array_size(json_object_get(block, "failures")), x.r.nfailures);
        json_object_set_new(block, "surprise", json_null());
        assert_int_equal(validate(schema, doc), 1);
        json_decref(doc);
        fixture_close(&x);
    }
    json_decref(schema);
}

static void mutation_fits_its_schema(void **state) {
    (void)state;
    json_t *schema = json_load_file(TEST_SOURCE_DIR "/csrc/verify/mutate.schema.json", 0, NULL);
    assert_non_null(schema);
    Mutant mutants[] = {{.side = MUTANT_RTL,
                         .id = "i",
                         .where = "a.sv:1",
                         .what = "inv \"x\"",
                         .verdict = MUTANT_KILLED,
                         .by = "port rd_data",
                         .cycles = 7,
                         .seed = 3},
                        {.side = MUTANT_MODEL,
                         .id = "j",
                         .where = "a.c:2",
                         .what = "< becomes <=",
                         .verdict = MUTANT_SURVIVED}};
    MutateResult r = {.desc = block_desc_find("banked_rf"),
                      .mutants = mutants,
                      .n = 2,
                      .complete = true,
                      .seconds = 1.5};
    r.count[MUTANT_RTL][MUTANT_KILLED] = r.count[MUTANT_MODEL][MUTANT_SURVIVED] = 1;
    const MutateOptions o = {.desc = r.desc, .params = r.params, .seed = 1, .transactions = 60000};
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_true(mutate_json(f, &r, 1, &o));
    rewind(f);
    json_t *doc = json_loadf(f, 0, NULL);
    fclose(f);
    assert_non_null(doc);
    assert_int_equal(validate(schema, doc), 0);
    json_t *block = json_array_get(json_object_get(doc, "blocks"), 0);
    assert_int_equal(json_array_size(json_object_get(block, "mutants")), 2);
    json_object_del(json_array_get(json_object_get(block, "mutants"), 0), "by");
    assert_int_equal(validate(schema, doc), 1);
    json_object_set_new(block, "surprise", json_null());
    assert_int_equal(validate(schema, doc), 2);
    json_decref(doc);
    json_decref(schema);
}

static void junit_is_well_formed(void **state) {
    (void)state;
    Fixture x;
    failing(&x);
    VerifyReport r = fixture_report(&x);
    r.command = "smcosim verify 'a<b'";
    char *text = document(&x.arena, verify_junit, &r);
    const char *error = xml_error(text);
    if (error) fail_msg("%s in:\n%s", error, text);
    assert_non_null(strstr(text, "tests=\"1\" failures=\"1\" errors=\"0\""));
    assert_non_null(
        strstr(text, "<failure type=\"mismatch\" message=\"&lt;&amp;&gt;&quot;&apos; ? ?\">"));
    assert_non_null(strstr(text, "\xc3\xa4"));
    assert_non_null(strstr(text, "name=\"config_hash\""));
    assert_non_null(strstr(text, "name=\"cycles_per_second\""));
    assert_non_null(
        strstr(text, "reproduce: smcosim verify block --seed 1 --transactions 10000</failure>"));
    assert_non_null(strstr(text, "Verilator"));
    x.r.status = EXIT_ENVIRONMENT;
    text = document(&x.arena, verify_junit, &r);
    assert_non_null(strstr(text, "failures=\"0\" errors=\"1\""));
    fixture_close(&x);
}

static void a_failure_is_told_in_full(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "fermi");
    x.o.harness.testbug = 21;
    fixture_run(&x);
    VerifyReport r = fixture_report(&x);
    const char *text = verify_failure_text(&x.arena, &r, 0);
    static const char *const pieces[] = {
        "mismatch: block banked_rf, cycle ",
        "port rd_grant_o[",
        "meaning: the bank serves",
        "expected (golden model) 0x",
        "actual   (RTL)",
        "seed 1, chunk of 10000",
        "of 2 chunks fail; by first divergent port:",
        "parameters: Banks=4 Entries=256",
        "configuration hash",
        "tools: smcosim v; Verilator",
        "reproduce: smcosim verify block --seed 1 --transactions 10000"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (!strstr(text, pieces[i])) fail_msg("'%s' is not in:\n%s", pieces[i], text);
    fixture_close(&x);
}

static void unwritable_places(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "fermi");
    x.o.transactions = 10;
    fixture_run(&x);
    VerifyReport r = fixture_report(&x);
    Diag json = {0}, junit = {0};
    assert_false(verify_json("/no/such/folder/x", &r, &json));
    assert_int_equal(json.status, EXIT_ENVIRONMENT);
    assert_false(verify_junit("/no/such/folder/x", &r, &junit));
    assert_int_equal(junit.status, EXIT_ENVIRONMENT);
    fixture_close(&x);
}

static void put(const char *dir, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/rtl/f/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

// A design that has changed under its waivers: a waiver of the block must be used. The line that a
// waiver of an inner module names must exist.
static void stale_waivers(void **state) {
    (void)state;
    static const struct {
        const char *own, *inside, *message;
    } cases[] = {
        {"block.sv \"b = 1\": never\n", "part.sv \"p = 1\": never\n", NULL},
        {"block.sv \"a = 1\": never\n", "part.sv \"p = 1\": never\n", "this waiver is superfluous"},
        {"block.sv \"c = 1\": never\n", "part.sv \"p = 1\": never\n", "this waiver is superfluous"},
        {"block.sv \"b = 1\": never\n", "part.sv \"q = 1\": never\n", NULL},
        {"block.sv \"b = 1\": never\n", "part.sv \"r = 1\": never\n",
         "this waiver names no line of the design"},
    };
    static const char *const made[] = {"rtl/f/block.sv",
                                       "rtl/f/part.sv",
                                       "rtl/f/block.waive",
                                       "rtl/f/part.waive",
                                       "rtl/f",
                                       "rtl",
                                       ""};
    static const BlockDesc block = {.name = "block", .family = "f"};
    char dir[] = "/tmp/smcosim-waive-XXXXXX", path[200];
    assert_non_null(mkdtemp(dir));
    for (int i = 5; i > 3; i--) {
        snprintf(path, sizeof path, "%s/%s", dir, made[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    put(dir, "block.sv", "a = 1\nb = 1\n");
    put(dir, "part.sv", "p = 1\nq = 1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        CodePoint points[] = {{.file = "rtl/f/block.sv", .line = 1, .what = "", .hits = 1},
                              {.file = "rtl/f/block.sv", .line = 2, .what = ""},
                              {.file = "rtl/f/part.sv", .line = 1, .what = ""},
                              {.file = "rtl/f/part.sv", .line = 2, .what = "", .hits = 1}};
        VerifyCode code = {.points = points, .npoints = 4};
        put(dir, "block.waive", cases[i].own);
        put(dir, "part.waive", cases[i].inside);
        assert_int_equal(code_waive(&arena, dir, &block, true, &code, &d), !cases[i].message);
        if (cases[i].message) assert_non_null(strstr(d.text, cases[i].message));
        arena_free(&arena);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, made[i]);
        assert_int_equal(remove(path), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_checker_fails),
                                       cmocka_unit_test(json_fits_its_schema),
                                       cmocka_unit_test(mutation_fits_its_schema),
                                       cmocka_unit_test(junit_is_well_formed),
                                       cmocka_unit_test(a_failure_is_told_in_full),
                                       cmocka_unit_test(unwritable_places),
                                       cmocka_unit_test(stale_waivers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
