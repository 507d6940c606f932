// SPDX-License-Identifier: Apache-2.0
// Power of a netlist that can be computed by hand. A register drives an inverter that drives
// another one, and two inverters follow an input. Each net with a load has 0.01 pF. At 1.8 V and
// 500 MHz a change in each cycle is 0.5 * 0.01 pF * (1.8 V)^2 * 500 MHz.
#include "synth/synth.h"

#include "base/output.h"
#include "verify/fourstate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double NET_MW = 0.5 * 0.01e-12 * 1.8 * 1.8 * 500e6 * 1e3;

static const char netlist[] =
    "module width_detect(clk_i, d_i, wd_valid_i, y_o, z_o);\n  input clk_i;\n  input d_i;\n  input "
    "[1:0] wd_valid_i;\n"
    "  output y_o;\n  output z_o;\n  wire m;\n  wire n;\n  wire \\u_x.q_q ;\n"
    "  FF \\u_x.q_q_reg  (\n    .CK(clk_i),\n    .D(d_i),\n    .Q(\\u_x.q_q )\n  );\n"
    "  INV first (\n    .A(\\u_x.q_q ),\n    .Y(n)\n  );\n  INV second (\n    .A(n),\n    "
    ".Y(y_o)\n  );\n"
    "  INV third (\n    .A(wd_valid_i[0]),\n    .Y(m)\n  );\n  INV fourth (\n    .A(m),\n    "
    ".Y(z_o)\n  );\nendmodule\n";

static void put(const char *folder, const char *name, const char *text) {
    Diag d = {0};
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(output_text(path, text, strlen(text), &d));
}

// 16 cycles in which the register changes in every `every`-th and wd_valid_i[0] in every third.
// Port wd_size_o: two elements of three bits; one of them is not 0 before one clock edge in two.
// Its value behind the edge does not count. The clock may be constant: a wave then shows only the
// values at the end of each half.
static void put_wave(const char *folder, int every, bool clocked) {
    char text[4096];
    int n = snprintf(
        text, sizeof text,
        "$timescale 1ns $end\n$scope module rtl $end\n$scope module width_detect $end\n$var wire 1 "
        "! clk_i $end\n"
        "$var wire 6 $ wd_size_o $end\n$scope module width_detect $end\n$var wire 1 ! clk_i $end\n"
        "$var wire 2 %% wd_valid_i [1:0] $end\n$scope module u_x $end\n"
        "$var logic 1 \" q_q $end\n$upscope $end\n$upscope $end\n$upscope $end\n$upscope "
        "$end\n$enddefinitions $end\n");
    for (int c = 0; c < 16; c++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "#%d\nb%d00 $\nb%d %%\n0!\n#%d\nb111111 $\n%d!\n%d\"\n", 10 * c, c & 1,
                      c / 3 & 1, 10 * c + 5, clocked, every ? c / every & 1 : 0);
    put(folder, "wave.vcd", text);
}

static SynthPower power_with(const char *folder, const char *library, bool *good, Diag *d) {
    Arena arena = {0};
    Liberty lib;
    SynthPower p = {0};
    int params[BLOCK_MAX_PARAMS];
    const BlockDesc *desc = block_desc_find("width_detect");
    for (int i = 0; i < desc->nparams; i++) params[i] = desc->params[i].def;
    assert_true(liberty_read(&lib, &arena, library, 180, d));
    SynthResult x = {.desc = desc, .dir = folder};
    memcpy(x.params, params, (size_t)desc->nparams * sizeof *params);
    const SynthRequest r = {.desc = desc, .params = params, .liberty = &lib, .clock = 2};
    char vcd[256];
    snprintf(vcd, sizeof vcd, "%s/wave.vcd", folder);
    *good = synth_power(&p, &arena, &x, &r, vcd, d);
    arena_free(&arena);
    return p;
}

#define TINY TEST_SOURCE_DIR "/tests/synth/tiny.lib"
static SynthPower power(const char *folder, bool *good, Diag *d) {
    return power_with(folder, TINY, good, d);
}

static void near(double a, double b) { assert_true(a > b - 1e-6 && a < b + 1e-6); }

static void test_by_hand(void **state) {
    (void)state;
    char folder[] = "/tmp/smcosim-power-XXXXXX";
    assert_non_null(mkdtemp(folder));
    put(folder, "netlist.v", netlist);
    // Changes in 16 cycles: each 4th cycle 3, each 2nd 7, each 15.
    static const struct { int every, changes; } cases[] = {{0, 0}, {4, 3}, {2, 7}, {1, 15}};
    for (int i = 0; i < 4; i++) {
        Diag d = {0};
        bool good;
        put_wave(folder, cases[i].every, i % 2 == 0);
        const SynthPower p = power(folder, &good, &d);
        assert_true(good);
        assert_int_equal(p.cycles, 16);
        assert_int_equal(p.work, 8);
        near(p.registers, NET_MW * cases[i].changes / 16);
        near(p.gates, NET_MW * (cases[i].changes + 5) / 16);
        near(p.leakage, 0);
        // most inputs of the block's port table are not in this wave
        assert_true(p.known == 3 && p.bits > 3);
    }
    tool_remove(folder);
}

static void test_wrong_waves(void **state) {
    (void)state;
    char folder[] = "/tmp/smcosim-power-XXXXXX";
    assert_non_null(mkdtemp(folder));
    put(folder, "netlist.v", netlist);
    static const struct {
        const char *wave, *what;
    } cases[] = {
        {"", "wave.vcd:0: no VCD file of a block: expected $enddefinitions"},
        {"$scope module rtl $end\n$enddefinitions $end\n",
         "wave.vcd:2: no VCD file of a block: expected the block's clock"},
        {"$scope module rtl $end\n$scope module width_detect $end\n$var wire 1 ! clk_i "
         "$end\n$enddefinitions $end\n#5\n1!\n",
         "expected a cycle"},
        {"$scope module rtl $end\n$scope module width_detect $end\n$var wire 1 ! clk_i "
         "$end\n$scope module width_detect $end\n"
         "$var wire 1 ! clk_i $end\n$enddefinitions $end\n#0\nb01 !\n",
         "wave.vcd:8: no VCD file of a block: expected a value that fits"},
        {"$upscope $end\n", "wave.vcd:1: no VCD file of a block: expected fewer $upscope"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Diag d = {0};
        bool good;
        put(folder, "wave.vcd", cases[i].wave);
        power(folder, &good, &d);
        assert_false(good);
        assert_int_equal(d.status, EXIT_ENVIRONMENT);
        if (!strstr(d.text, cases[i].what)) fail_msg("'%s', expected '%s'", d.text, cases[i].what);
    }
    tool_remove(folder);
}

// A register that the mapping has named: its activity is in no wave, and the remaining power must
// not look complete.
static void test_lost_names(void **state) {
    (void)state;
    char folder[] = "/tmp/smcosim-power-XXXXXX", text[sizeof netlist];
    assert_non_null(mkdtemp(folder));
    strcpy(text, netlist);
    memcpy(strstr(text, "\\u_x.q_q_reg"), "_52340__reg ", 12);
    put(folder, "netlist.v", text);
    put_wave(folder, 1, true);
    Diag d = {0};
    bool good;
    power(folder, &good, &d);
    assert_false(good);
    assert_int_equal(d.status, EXIT_ENVIRONMENT);
    if (!strstr(d.text, "activity of 0 of 1 registers") || !strstr(d.text, "for example _52340_"))
        fail_msg("'%s'", d.text);
    tool_remove(folder);
}

// A library that names no operating conditions would get 0 W.
static void test_no_voltage(void **state) {
    (void)state;
    char folder[] = "/tmp/smcosim-power-XXXXXX", path[256], *text;
    Arena arena = {0};
    Diag d = {0};
    size_t n;
    bool good;
    assert_non_null(mkdtemp(folder));
    put(folder, "netlist.v", netlist);
    put_wave(folder, 1, true);
    assert_true(file_read(&arena, TINY, &text, &n, &d));
    memcpy(strstr(text, "default_operating"), "another", 7);
    put(folder, "tiny.lib", text);
    snprintf(path, sizeof path, "%s/tiny.lib", folder);
    power_with(folder, path, &good, &d);
    assert_false(good);
    assert_int_equal(d.status, EXIT_USAGE);
    assert_non_null(strstr(d.text, "default_operating_conditions"));
    tool_remove(folder);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_wrong_waves),
        cmocka_unit_test(test_lost_names), cmocka_unit_test(test_no_voltage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
