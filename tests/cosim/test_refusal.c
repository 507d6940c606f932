// SPDX-License-Identifier: Apache-2.0
// A misfit is refused with the difference: ports, parameters, options, tools.
#include "testing.h"

#include <sys/stat.h>

static char root[256];  // scratch folder of this program

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...) {
    char command[4096];
    va_list ap;
    va_start(ap, format);
    vsnprintf(command, sizeof command, format, ap);
    va_end(ap);
    if (system(command) != 0) fail_msg("failed: %s", command);
}

// A data folder with its own copy of the RTL, changed by a sed expression on one file.
static const char *changed_rtl(const char *name, const char *file, const char *expression) {
    static char data[512];
    snprintf(data, sizeof data, "%s/%s", root, name);
    shell("rm -rf %s && mkdir -p %s/variants && cp -r %s/rtl %s/rtl", data, data, TEST_SOURCE_DIR,
          data);
    shell("for x in models machines cosim; do ln -s $(readlink -f %s/$x) %s/$x; done", DATA, data);
    shell("ln -s %s/variants/libsmcosim_rt.so %s/variants/", DATA, data);
    // sooner done
    shell("sed s/^cxxflags=.*/cxxflags=-O0/ %s/variants/toolchain >%s/variants/toolchain", DATA,
          data);
    shell("sed -i.orig '%s' %s/rtl/%s && ! cmp -s %s/rtl/%s %s/rtl/%s.orig && rm %s/rtl/%s.orig",
          expression, data, file, data, file, data, file, data, file);
    return data;
}

static Arena scratch;

// A small shape, because it is made from scratch.
static void small_shape(Bench *b) {
    Diag d = {0};
    assert_true(config_load(&b->cfg, &b->arena, DATA, "fermi", &d));
    b->cfg.rf_banks = 2, b->cfg.rf_entries = 16, b->cfg.oc_collectors = 4;
}

// Opens the harness; expects a refusal whose text holds every one of the given pieces.
static void refused(const char *data, const CosimOptions *o, ExitStatus status,
                    const char *const *pieces) {
    Bench b = {0};
    Diag d = {0};
    CosimOptions options = *o;
    if (!options.cache_dir) options.cache_dir = CACHE;
    small_shape(&b);
    bool open = bench_open(&b, data, "", &options, 1, &d);
    if (open) fail_msg("was accepted");
    print_message("%s\n", d.text);
    assert_int_equal(d.status, status);
    for (int i = 0; pieces[i]; i++)
        if (!strstr(d.text, pieces[i])) fail_msg("'%s' is not in: %s", pieces[i], d.text);
    arena_free(&b.arena);
}
#define PIECES(...) \
    (const char *const[]) { __VA_ARGS__, NULL }

static const CosimOptions rf_only = {.blocks = "model,banked_rf=rtl"};

static void port_width(void **state) {
    (void)state;
    const char *data = changed_rtl("width", "rf/banked_rf.sv",
                                   "s/NumColl\\*4-1:0\\]  *rd_sel_i/NumColl*5-1:0] rd_sel_i/");
    refused(data, &rf_only, EXIT_USAGE,
            PIECES("banked_rf", "rd_sel_i", "expected 16 bits (4x4)", "found 20"));
}

static void port_name(void **state) {
    (void)state;
    const char *data = changed_rtl("name", "rf/banked_rf.sv",
                                   "s/^\\( *output.* \\)wr_ready_o,/\\1wr_taken_o,/; "
                                   "s/\\.wr_ready_o,/.wr_ready_o (wr_taken_o),/");
    refused(data, &rf_only, EXIT_USAGE,
            PIECES("wr_ready_o is missing", "expected output of 2 bits", "wr_taken_o",
                   "not in the port table"));
}

static void port_direction(void **state) {
    (void)state;
    const char *data = changed_rtl("direction", "collect/operand_collector.sv",
                                   "s/input \\( *logic.* disp_ready_i\\)/output\\1/");
    const CosimOptions o = {.blocks = "model,operand_collector=rtl"};
    refused(data, &o, EXIT_USAGE,
            PIECES("operand_collector", "disp_ready_i: expected input, found output"));
}

// A module that ignores a parameter: the ports have the same width, the observation port tells.
static void parameter_value(void **state) {
    (void)state;
    const char *data = changed_rtl("parameter", "rf/banked_rf.obs.svh",
                                   "s/32.hffff_0001) obs_data_o\\[31:0\\] = "
                                   "Entries/32'\"'\"'hffff_0001) obs_data_o[31:0] = 512/");
    refused(
        data, &rf_only, EXIT_USAGE,
        PIECES("banked_rf", "Entries is 512 in the RTL", "16 in the configuration", "rf.entries"));
}

// Earlier search results are not reused for changed files. An edit of a file below the block is
// noticed, by its content and not only by its time.
static void edit_is_seen(void **state) {
    (void)state;
    const char *data = changed_rtl("edit", "rf/banked_rf.sv", "1s/$/ /");
    const CosimOptions o = {.blocks = "model,banked_rf=rtl",
                            .cache_dir = arena_printf(&scratch, "%s/edit-cache", root)};
    shell("find %s/rtl %s/variants -exec touch -h -d 2020-01-01 {} +", data, data);
    for (int round = 0; round < 3; round++) {
        Bench b = {0};
        Diag d = {0};
        small_shape(&b);
        if (!bench_open(&b, data, "", &o, 1, &d)) fail_msg("%s", d.text);
        bench_close(&b);
        // The second round goes by the memo of the first; the third finds the variant after a mere
        // touch.
        shell("test $(ls %s/*.memo | wc -l) = 1 && test $(ls %s/*.so | wc -l) = 1", o.cache_dir,
              o.cache_dir);
        if (round == 1) shell("touch -d '2021-01-01' %s/rtl/rf/rf_subbank.sv", data);
    }
    shell("sed -i 's/^endmodule/endmodul/' %s/rtl/rf/rf_subbank.sv && touch -d '2021-01-01' "
          "%s/rtl/rf/rf_subbank.sv",
          data, data);
    refused(data, &o, EXIT_USAGE, PIECES("rf_subbank.sv", "not accepted"));
}

static void missing_parameter(void **state) {
    (void)state;
    const char *data = changed_rtl("noparameter", "rf/banked_rf.sv",
                                   "s/parameter int NumWr   = 2/localparam int NumWr = 2/");
    refused(data, &rf_only, EXIT_USAGE, PIECES("banked_rf", "NumWr"));
}

static void syntax_error(void **state) {
    (void)state;
    const char *data = changed_rtl("syntax", "rf/rf_bank.sv", "s/^endmodule/endmodul/");
    refused(data, &rf_only, EXIT_USAGE, PIECES("rf_bank.sv", "not accepted"));
}

static void no_rtl(void **state) {
    (void)state;
    const char *data = changed_rtl("nortl", "rf/banked_rf.sv", "s/^module banked_rf/module other/");
    shell("mv %s/rtl/rf/banked_rf.sv %s/rtl/rf/other.sv", data, data);
    refused(data, &rf_only, EXIT_USAGE, PIECES("banked_rf has no RTL"));
}

static void fatal_at_start(void **state) {
    (void)state;
    const char *data =
        changed_rtl("fatal", "rf/banked_rf.sv",
                    "s/CHECK_RANGE(banked_rf, Banks, 1,/CHECK_RANGE(banked_rf, Banks, 9,/");
    refused(data, &rf_only, EXIT_USAGE,
            PIECES("banked_rf", "stopped at its start", "Banks = 2, legal is 9..32"));
}

// No verilator in PATH: found variants still run, others are refused with the package's name.
static void missing_tool(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    char tools[512];
    snprintf(tools, sizeof tools, "%s/tools", root);
    shell(
        "rm -rf %s && mkdir %s && for t in sh awk sed sort cat find sha256sum grep mkdir flock; do "
        "ln -s $(command -v $t) %s/$t; done",
        tools, tools, tools);
    setenv("PATH", tools, 1);
    Bench b = {0};
    Diag d = {0};
    CosimOptions o = rf_only;
    bool prebuilt = bench_open(&b, DATA, "fermi", &o, 1, &d);
    if (prebuilt) bench_close(&b);
    Bench other = {0};
    Diag refusal = {0};
    o.cache_dir = arena_printf(&other.arena, "%s/empty-cache", root);
    assert_true(config_load(&other.cfg, &other.arena, DATA, "fermi", &d));
    other.cfg.rf_banks = 3;
    bool open = bench_open(&other, DATA, "fermi", &o, 1, &refusal);
    setenv("PATH", path, 1);
    free(path);
    if (!prebuilt) fail_msg("%s", d.text);
    assert_false(open);
    print_message("%s\n", refusal.text);
    assert_int_equal(refusal.status, EXIT_ENVIRONMENT);
    assert_non_null(strstr(refusal.text, "apt install verilator"));
    arena_free(&other.arena);
}

static void not_writable(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    CosimOptions o = rf_only;
    o.cache_dir = "/dev/null/cache";
    assert_true(config_load(&b.cfg, &b.arena, DATA, "fermi", &d));
    b.cfg.rf_banks = 3;
    assert_false(bench_open(&b, DATA, "fermi", &o, 1, &d));
    print_message("%s\n", d.text);
    assert_int_equal(d.status, EXIT_ENVIRONMENT);
    arena_free(&b.arena);
}

static void parameter_range(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    assert_true(config_load(&b.cfg, &b.arena, DATA, "fermi", &d));
    b.cfg.rf_banks = 33;
    CosimOptions o = {.blocks = "model"};
    assert_false(bench_open(&b, DATA, "fermi", &o, 1, &d));
    assert_int_equal(d.status, EXIT_USAGE);
    assert_non_null(strstr(d.text, "rf.banks = 33"));
    arena_free(&b.arena);
}

static void bad_options(void **state) {
    (void)state;
    static const struct {
        CosimOptions o;
        const char *piece;
    } cases[] = {
        {{.blocks = "fast"}, "unknown mode 'fast'; expected model, rtl or lockstep"},
        {{.blocks = "banked_rf=fast"}, "unknown mode 'fast'"},
        {{.blocks = "bankd_rf=rtl"}, "did you mean 'banked_rf'?"},
        {{.blocks = "model,"}, "unknown mode ''"},
        {{.testbug = "banked_rf"}, "expected BLOCK=NUMBER"},
        {{.testbug = "banked_rf=x"}, "expected BLOCK=NUMBER"},
        {{.testbug = "banked_rf=0"}, "expected BLOCK=NUMBER"},
        {{.testbug = "banked_rf=9999"},
         "no seeded fault of this number; it has 1..3, 11..13, 21..24, 31..35"},
        {{.testbug = "collector=1"}, "no block 'collector'"},
        {{.blocks = "model", .testbug = "banked_rf=1"}, "runs as model"},
        {{.blocks = "model", .wave = "f.fst:9-3"}, "expected FILE or FILE:FROM-TO"},
        {{.blocks = "model", .wave = "f.fst:9"}, "expected FILE or FILE:FROM-TO"},
        {{.blocks = "model", .wave = "f.fst:9-99999999999999999999999"},
         "expected FILE or FILE:FROM-TO"},
        {{.blocks = "model", .wave = ""}, "no file name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(DATA, &cases[i].o, EXIT_USAGE, PIECES(cases[i].piece));
    const CosimOptions wave = {.blocks = "model", .wave = "/nowhere/f.fst"};
    refused(DATA, &wave, EXIT_ENVIRONMENT, PIECES("/nowhere/f.fst", "No such file"));
}

// Another shape is made once, by the first process that requests it, and then found.
static void on_demand_once(void **state) {
    (void)state;
    char cache[512];
    snprintf(cache, sizeof cache, "%s/cache", root);
    shell("rm -rf %s", cache);
    for (int round = 0; round < 2; round++) {
        Bench b = {.kind = BENCH_RF};
        Diag d = {0};
        CosimOptions o = {.blocks = "model,banked_rf=lockstep", .cache_dir = cache};
        assert_true(config_load(&b.cfg, &b.arena, DATA, "fermi", &d));
        b.cfg.rf_banks = 3, b.cfg.rf_entries = 20, b.cfg.oc_collectors = 5,
        b.cfg.rf_write_ports = 3;
        if (!bench_open(&b, DATA, "fermi", &o, 1, &d)) fail_msg("%s", d.text);
        bench_cycles(&b, 20000);
        if (!cosim_finish(b.cosim, &d)) fail_msg("%s", d.text);
        bench_close(&b);
        shell("test $(ls %s/*.so | wc -l) = 1 && test -z \"$(ls -d %s/*.tmp 2>/dev/null)\"", cache,
              cache);
        if (round == 0) shell("touch -d '2001-01-01' %s/*.so", cache);
        else shell("find %s -name '*.so' -not -newermt 2002-01-01 | grep -q .", cache);
    }
}

int main(void) {
    snprintf(root, sizeof root, "%s/test-refusal.%d", TEST_BINARY_DIR, (int)getpid());
    mkdir(root, 0777);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_width),      cmocka_unit_test(port_name),
        cmocka_unit_test(port_direction),  cmocka_unit_test(parameter_value),
        cmocka_unit_test(syntax_error),    cmocka_unit_test(missing_parameter),
        cmocka_unit_test(no_rtl),          cmocka_unit_test(fatal_at_start),
        cmocka_unit_test(missing_tool),    cmocka_unit_test(not_writable),
        cmocka_unit_test(parameter_range), cmocka_unit_test(bad_options),
        cmocka_unit_test(on_demand_once),  cmocka_unit_test(edit_is_seen)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell("rm -rf %s", root);
    return failed;
}
