// SPDX-License-Identifier: Apache-2.0
// Package, checker and test bench over DPI-C. Packed structs list the last port first, so that the
// first port of the table has the lowest bits, as in golden.h.
#include "export/export.h"

#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Writer {
    FILE *f;
    const ExportBlock *b;
    const char *name;
    Port ports[BLOCK_MAX_PORTS];
    int n;  // ports of the vectors
    // .. that the module has, the first of them; the others are the model's, for counters
    int hardware;
} Writer;

static const char *direction_of(PortDir dir) { return dir == PORT_IN ? "in" : "out"; }

static int vector_bits(const Writer *w, PortDir dir) {
    int bits = 0;
    for (int i = 0; i < w->n; i++)
        if (w->ports[i].dir == dir) bits += w->ports[i].count * w->ports[i].width;
    return bits;
}

static void put_head(const Writer *w, const char *what) {
    fprintf(w->f, "// Made by: %s\n// %s of block %s, shape", w->b->command, what, w->name);
    for (int i = 0; i < w->b->desc->nparams; i++)
        fprintf(w->f, " %s=%d", w->b->desc->params[i].name, w->b->params[i]);
    fprintf(w->f, ".\n");
}

// ---- package ------------------------------------------------------------------------------------

static void put_struct(const Writer *w, PortDir dir) {
    fprintf(w->f, "\n    typedef struct packed {\n");
    for (int i = w->n - 1; i >= 0; i--) {
        const Port *p = &w->ports[i];
        if (p->dir == dir)
            fprintf(w->f, "        logic [%d:0][%d:0] %s;  // %s\n", p->count - 1, p->width - 1,
                    p->name, p->meaning);
    }
    fprintf(w->f, "    } %s_t;\n", direction_of(dir));
}

static void put_package(const Writer *w) {
    put_head(w, "DPI-C imports and structs");
    fprintf(w->f, "package %s_pkg;\n", w->name);
    for (int i = 0; i < w->b->desc->nparams; i++)
        fprintf(w->f, "    localparam int %s = %d;  // %s\n", w->b->desc->params[i].name,
                w->b->params[i], w->b->desc->params[i].meaning);
    fprintf(w->f, "    localparam string Shape = \"");
    for (int i = 0; i < w->b->desc->nparams; i++)
        fprintf(w->f, "%s%s=%d", i ? " " : "", w->b->desc->params[i].name, w->b->params[i]);
    fprintf(w->f, "\";\n    localparam int InBits = %d;\n    localparam int OutBits = %d;\n",
            vector_bits(w, PORT_IN), vector_bits(w, PORT_OUT));
    fprintf(w->f,
            "\n    // In the order of the port table, the last port highest; element 0 of a port "
            "lowest.");
    put_struct(w, PORT_IN);
    put_struct(w, PORT_OUT);
    fprintf(w->f,
            "\n    import \"DPI-C\" function chandle smcosim_golden_open(input string block, input "
            "string params);\n"
            "    import \"DPI-C\" function string smcosim_golden_error(input chandle model);\n"
            "    import \"DPI-C\" function void smcosim_golden_close(input chandle model);\n"
            "    import \"DPI-C\" function void smcosim_golden_reset(input chandle model);\n"
            "    import \"DPI-C\" function int smcosim_golden_bits(input chandle model, input int "
            "output_);\n"
            "    import \"DPI-C\" function void smcosim_golden_seed(input chandle model, input "
            "longint unsigned seed);\n"
            "    import \"DPI-C\" function int smcosim_golden_bins(input chandle model);\n"
            "    import \"DPI-C\" function int smcosim_golden_bins_hit(input chandle model);\n");
    fprintf(w->f,
            "    import \"DPI-C\" function void smcosim_%s_eval(input chandle model, input bit "
            "[InBits-1:0] in, output bit [OutBits-1:0] out);\n"
            "    import \"DPI-C\" function void smcosim_%s_tick(input chandle model, input bit "
            "[InBits-1:0] in);\n"
            "    import \"DPI-C\" function void smcosim_%s_draw(input chandle model, output bit "
            "[InBits-1:0] in);\n"
            "    import \"DPI-C\" function int smcosim_%s_fill(input chandle model, input int "
            "unsigned cycle, output bit [InBits-1:0] in);\n",
            w->name, w->name, w->name, w->name);
    fprintf(w->f,
            "\n    // The golden model in this shape, or the end of the simulation.\n"
            "    function automatic chandle open_model();\n"
            "        chandle model = smcosim_golden_open(\"%s\", Shape);\n"
            "        if (smcosim_golden_error(model) != \"\") $fatal(1, \"%s: %%s\", "
            "smcosim_golden_error(model));\n"
            "        if (smcosim_golden_bits(model, 0) != InBits || smcosim_golden_bits(model, 1) "
            "!= OutBits)\n"
            "            $fatal(1, \"%s: the library has another port table; export the block "
            "again\");\n"
            "        return model;\n"
            "    endfunction\nendpackage\n",
            w->name, w->name, w->name);
}

// ---- checker ------------------------------------------------------------------------------------

static void put_compare(const Writer *w, const Port *p) {
    fprintf(w->f, "        for (int e = 0; e < %d; e++)\n            if (", p->count);
    if (p->valid >= 0) fprintf(w->f, "want.%s[0][e] && ", w->ports[p->valid].name);
    fprintf(w->f,
            "found.%s[e] !== want.%s[e])\n"
            "                report($sformatf(\"%s_o[%%0d]: expected 'h%%0h, found 'h%%0h (%s)\", "
            "e, want.%s[e], found.%s[e]));\n",
            p->name, p->name, p->name, p->meaning, p->name, p->name);
    if (p->valid >= 0)
        fprintf(w->f, "        compared += 64'($countones(%d'(want.%s[0])));\n", p->count,
                w->ports[p->valid].name);
}

// The checker's comparison, its clocked process and its final message.
static void put_checks(const Writer *w) {
    const char *n = w->name;
    fprintf(w->f,
            "\n    function automatic void report(string difference);\n"
            "        errors++;\n"
            "        if (MaxErrors != 0 && errors >= MaxErrors) $fatal(1, \"%%m: cycle %%0d: %%s; "
            "the end after %%0d errors\", cycles, difference, errors);\n"
            "        else $error(\"%%m: cycle %%0d: %%s\", cycles, difference);\n"
            "    endfunction\n\n"
            "    function automatic void compare();\n");
    for (int i = 0; i < w->hardware; i++)
        if (w->ports[i].dir == PORT_OUT) put_compare(w, &w->ports[i]);
    fprintf(w->f, "        if ({");
    for (int i = 0, some = 0; i < w->n; i++)
        if (w->ports[i].cls == PORT_WORK)
            fprintf(w->f, "%swant.%s", some++ ? ", " : "", w->ports[i].name);
    fprintf(w->f,
            "} != '0) worked++;\n    endfunction\n\n"
            "    initial model = open_model();\n\n"
            "    // From the first reset on.\n"
            "    always @(posedge clk_i) begin\n"
            "        if (!rst_ni) begin\n"
            "            smcosim_golden_reset(model);\n"
            "            seen_reset = 1;\n"
            "        end else if (seen_reset) begin\n"
            "            smcosim_%s_eval(model, in, golden);\n"
            "            want = golden;\n"
            "            compare();\n"
            "            smcosim_%s_tick(model, in);\n"
            "        end\n"
            "        cycles++;\n"
            "    end\n\n"
            "    final begin\n"
            "        $display(\"%%m: %%0d cycles, %%0d with work, %%0d valid elements compared, "
            "%%0d errors\", cycles, worked, compared, errors);\n"
            "        if (worked == 0) $display(\"%%m: VACUOUS: the block was given no work\");\n"
            "        smcosim_golden_close(model);\n"
            "    end\nendmodule\n/* verilator lint_on BLKSEQ */\n",
            n, n);
}

static void put_checker(const Writer *w) {
    const char *n = w->name;
    put_head(w, "Checker");
    fprintf(
        w->f,
        "// Samples all ports at each rising edge, before it takes effect, and compares the "
        "outputs with the golden model's:\n"
        "// always, or where the contract says that they are valid. Ports bear the module's "
        "names:\n"
        "//     bind %s %s_checker u_checker (.*);\n"
        "// Each difference is an $error (which ends a simulation of Verilator), the MaxErrors-th "
        "a $fatal; 0: none is.\n"
        "/* verilator lint_off BLKSEQ */  // it holds no hardware: what it found is there at once\n"
        "module %s_checker #(\n    parameter int MaxErrors = 10\n) (\n    input logic clk_i,\n    "
        "input logic rst_ni",
        n, n, n);
    for (int i = 0; i < w->hardware; i++)
        fprintf(w->f, ",\n    input logic [%d:0] %s_%c", w->ports[i].count * w->ports[i].width - 1,
                w->ports[i].name, w->ports[i].dir == PORT_IN ? 'i' : 'o');
    fprintf(w->f,
            "\n);\n    import %s_pkg::*;\n\n    chandle model;\n    in_t in;\n    out_t found, "
            "want;\n    bit [OutBits-1:0] golden;\n"
            "    int unsigned errors = 0;\n"
            "    longint unsigned cycles = 0, compared = 0, worked = 0;  // cycles; elements with "
            "a valid bit; cycles that showed work\n"
            "    bit seen_reset = 0;\n\n",
            n);
    for (int i = 0; i < w->hardware; i++)
        fprintf(w->f, "    assign %s.%s = %s_%c;\n", w->ports[i].dir == PORT_IN ? "in" : "found",
                w->ports[i].name, w->ports[i].name, w->ports[i].dir == PORT_IN ? 'i' : 'o');
    for (int i = w->hardware; i < w->n; i++)
        fprintf(w->f, "    assign found.%s = '0;  // the model's alone\n", w->ports[i].name);
    put_checks(w);
}

// ---- test bench ---------------------------------------------------------------------------------

// The process of the test bench that drives the module, and its verdict.
static void put_stimuli(const Writer *w) {
    const char *n = w->name;
    fprintf(
        w->f,
        "\n    );\n\n"
        "    // Inputs change on the falling edge, the stimuli follow the block.\n"
        "    task automatic step(input bit reset);\n"
        "        in = drawn;\n"
        "        rst_n = !reset;\n"
        "        @(negedge clk);\n"
        "        if (reset) smcosim_golden_reset(stimuli);\n"
        "        else smcosim_%s_tick(stimuli, drawn);\n"
        "    endtask\n\n"
        "    initial begin\n"
        "        void'($value$plusargs(\"seed=%%d\", seed));\n"
        "        void'($value$plusargs(\"cycles=%%d\", cycles));\n"
        "        void'($value$plusargs(\"resets=%%d\", resets));\n"
        "        stimuli = open_model();\n"
        "        smcosim_golden_seed(stimuli, seed);\n"
        "        @(negedge clk);\n"
        "        step(1);\n"
        "        for (int unsigned i = 0; smcosim_%s_fill(stimuli, i, drawn) != 0; i++) step(0);\n"
        "        step(1);\n"
        "        for (longint unsigned i = 1; i <= cycles; i++) begin\n"
        "            smcosim_%s_draw(stimuli, drawn);\n"
        "            step(resets != 0 && i %% resets == 0);\n"
        "        end\n"
        "        $display(\"%s_tb: seed %%0d, %%0d of %%0d bins of the stimuli\", seed, "
        "smcosim_golden_bins_hit(stimuli), smcosim_golden_bins(stimuli));\n"
        "        smcosim_golden_close(stimuli);\n"
        "        if (u_checker.errors != 0) $fatal(1, \"%s_tb: FAIL, %%0d errors\", "
        "u_checker.errors);\n"
        "        if (u_checker.worked == 0) $fatal(1, \"%s_tb: FAIL, no work was done\");\n"
        "        $display(\"%s_tb: PASS\");\n"
        "        $finish;\n"
        "    end\nendmodule\n",
        n, n, n, n, n, n, n);
}

static void put_bench(const Writer *w) {
    const char *n = w->name;
    put_head(w, "Test bench");
    fprintf(w->f,
            "// Module and checker under the block's constrained-random stimuli. Plusargs: +seed=N "
            "(1), +cycles=N (10000),\n"
            "// +resets=N: one cycle in N is a reset (0: none after the first).\n"
            "module %s_tb;\n    import %s_pkg::*;\n\n"
            "    logic clk = 0, rst_n = 0;\n    in_t in = '0;\n    out_t out;\n    bit "
            "[InBits-1:0] drawn;\n"
            "    longint unsigned seed = 1, cycles = 10000, resets = 0;\n    chandle stimuli;\n\n"
            "    always #5 clk = ~clk;\n\n    %s #(",
            n, n, n);
    for (int i = 0; i < w->b->desc->nparams; i++)
        fprintf(w->f, "%s.%s(%s)", i ? ", " : "", w->b->desc->params[i].name,
                w->b->desc->params[i].name);
    for (int k = 0; k < 2; k++) {
        fprintf(w->f,
                k ? "\n    );\n    %s_checker u_checker (\n        .clk_i(clk), .rst_ni(rst_n)"
                  : ") u_dut (\n        .clk_i(clk), .rst_ni(rst_n)",
                n);
        for (int i = 0; i < w->hardware; i++)
            fprintf(w->f, ",\n        .%s_%c(%s.%s)", w->ports[i].name,
                    w->ports[i].dir == PORT_IN ? 'i' : 'o', direction_of(w->ports[i].dir),
                    w->ports[i].name);
    }
    put_stimuli(w);
}

// ---- files --------------------------------------------------------------------------------------

bool export_systemverilog(Arena *arena, const ExportBlock *b, const char *dir, const char **files,
                          Diag *d) {
    static const struct {
        const char *suffix;
        void (*put)(const Writer *);
    } parts[] = {{"pkg", put_package}, {"checker", put_checker}, {"tb", put_bench}};
    Writer w = {.b = b, .name = b->desc->name};
    w.n = block_ports(b->desc, b->params, w.ports);
    w.hardware = block_hardware_ports(b->desc, b->params, w.ports);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", dir, strerror(errno));
    for (int i = 0; i < 3; i++) {
        Output o;
        files[i] = arena_printf(arena, "%s/%s_%s.sv", dir, w.name, parts[i].suffix);
        w.f = output_open(&o, arena, files[i], d);
        if (!w.f) return false;
        parts[i].put(&w);
        if (!output_close(&o, w.f, true, d)) return false;
    }
    files[3] = NULL;
    return true;
}
