// SPDX-License-Identifier: Apache-2.0
// Proves that an RTL mutant is the same circuit. Three proofs, each limited in time:
//   local    The logic within some levels of the mutated cell, up to the next registers, memories
//            and blocks. Its outputs must be equal for all inputs. This proof settles most mutants
//            in a second.
//   step     Registers (including memories) are cut open. For every input and every state,
//            reachable or not, mutant and original must have the same compared outputs and next
//            state. They then agree in every cycle, by induction.
//   from 0   If the step differs: all registers and memories are 0, as in the harness. Property
//            directed reachability proves equality for any inputs, including resets. Bounded model
//            checking finds a first difference. Memories become flip-flops, so it suits only small
//            shapes.
// The proofs also drive inputs that the contract excludes. A mutant that differs only under such
// inputs is not proved. x counts as 0 on both sides. An element of class WHEN counts only while its
// valid bit is 1. The observation port does not count.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The block around one core, outputs 0 where they are not compared.
static void write_masked(FILE *f, const Campaign *c, const char *name, const char *core) {
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(c->o->desc, c->o->params, ports);
    fprintf(f, "module %s (input wire clk_i, input wire rst_ni", name);
    for (int i = 0; i < n; i++)
        fprintf(f, ",\n    %s wire [%d:0] %s_%c", ports[i].dir == PORT_IN ? "input" : "output",
                ports[i].count * ports[i].width - 1, ports[i].name,
                ports[i].dir == PORT_IN ? 'i' : 'o');
    fprintf(f, ");\n");
    for (int i = 0; i < n; i++)
        if (ports[i].dir == PORT_OUT)
            fprintf(f, "    wire [%d:0] c_%s;\n", ports[i].count * ports[i].width - 1,
                    ports[i].name);
    fprintf(f, "    %s u_core (.clk_i(clk_i), .rst_ni(rst_ni), .obs_addr_i(32'd0)", core);
    for (int i = 0; i < n; i++) {
        const char *port = ports[i].name;
        if (ports[i].dir == PORT_IN) fprintf(f, ", .%s_i(%s_i)", port, port);
        else fprintf(f, ", .%s_o(c_%s)", port, port);
    }
    fprintf(f, ");\n");
    for (int i = 0; i < n; i++) {
        const Port *p = &ports[i];
        if (p->dir != PORT_OUT) continue;
        fprintf(f, "    assign %s_o = c_%s", p->name, p->name);
        if (p->valid >= 0) {
            fprintf(f, " & {");
            for (int e = p->count - 1; e >= 0; e--)
                fprintf(f, "{%d{c_%s[%d]}}%s", p->width, ports[p->valid].name, e, e ? ", " : "}");
        }
        fprintf(f, ";\n");
    }
    fprintf(f, "endmodule\n");
}

// Memory ports become instances, and these are cut open too. The words read are inputs. The
// addresses and the written words (0 if not enabled) are outputs.
static const char cut_modules[] =
    "module cut_write #(parameter A = 1, W = 1) (input [A-1:0] addr, input [W-1:0] en, input "
    "[W-1:0] data);\n"
    "    wire body = 1;  // without a body it would count as a black box\n"
    "endmodule\n"
    "module cut_read #(parameter A = 1, W = 1) (input [A-1:0] addr, output [W-1:0] data);\n"
    "    assign data = addr;\n"
    "endmodule\n"
    "module both;\n"
    "    gold u_gold ();\n"
    "    gate u_gate ();\n"
    "endmodule\n";
static const char cut_map[] =
    "    parameter MEMID = \"\", ABITS = 1, WIDTH = 1, CLK_ENABLE = 0, CLK_POLARITY = 0, "
    "TRANSPARENT = 0,\n"
    "              TRANSPARENCY_MASK = 0, COLLISION_X_MASK = 0, ARST_VALUE = 0, SRST_VALUE = 0, "
    "INIT_VALUE = 0,\n"
    "              CE_OVER_SRST = 0, PORTID = 0, PRIORITY_MASK = 0, PRIORITY = 0;\n";
static const char cut_write[] =
    "    input CLK;\n    input [WIDTH-1:0] EN, DATA;\n    input [ABITS-1:0] ADDR;\n"
    "    cut_write #(.A(ABITS), .W(WIDTH)) _TECHMAP_REPLACE_ (.addr(EN == 0 ? {ABITS{1'b0}} : "
    "ADDR), .en(EN), .data(DATA & EN));\n"
    "endmodule\n";
static const char cut_read[] =
    "    input CLK;\n    input EN;\n    input [ABITS-1:0] ADDR;\n    output [WIDTH-1:0] DATA;\n"
    "    wire _TECHMAP_FAIL_ = CLK_ENABLE;\n"
    "    cut_read #(.A(ABITS), .W(WIDTH)) _TECHMAP_REPLACE_ (.addr(ADDR), .data(DATA));\n"
    "endmodule\n";

static void write_map(FILE *f) {
    fprintf(f, "module \\$memwr (CLK, EN, ADDR, DATA);\n%s%s", cut_map, cut_write);
    fprintf(f, "module \\$memwr_v2 (CLK, EN, ADDR, DATA);\n%s%s", cut_map, cut_write);
    fprintf(f, "module \\$memrd (CLK, EN, ADDR, DATA);\n%s%s", cut_map, cut_read);
    fprintf(f, "module \\$memrd_v2 (CLK, EN, ARST, SRST, ADDR, DATA);\n%s    input ARST, SRST;\n%s",
            cut_map, cut_read);
}

// The cell's name as a pattern that needs no quoting.
static char *cell_pattern(Arena *arena, const char *recipe) {
    const char *at = strstr(recipe, "-cell ") + strlen("-cell ");
    char *text = arena_strndup(arena, at, strcspn(at, " "));
    for (char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') *p = '?';
    return text;
}

// near: the cells behind the mutated cell, and the other cells that drive these. cut: wires between
// near and other cells. Wires are split into bits, because a partly driven wire would become an
// input with drivers. An output without a driver must become an input.
static void write_local(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    const char *name = c->o->desc->name;
    fprintf(f, "read_rtlil %s\nsetundef -zero\ncd %s\n", c->base, name);
    fprintf(f,
            "select -set state t:$*ff* t:$mem*\nselect -set near c:%s %%co16 %%ci6 t:$* %%i @state "
            "%%d\n",
            cell_pattern(c->arena, m->recipe));
    fprintf(f,
            "select -set rest t:* @near %%d\nselect -set cut @rest %%ci1 w:* %%i @near %%co1 w:* "
            "%%i %%i\n");
    fprintf(f,
            "expose @cut\ndelete @rest\ndelete m:*\nsplitnets -ports\ndelete -output o:* t:* %%co1 "
            "w:* %%i %%d\nsetundef -undriven -expose\nselect -clear\ncd\n");
    fprintf(f,
            "copy %s gold\nmutate%s\nrename %s gate\nmiter -equiv -flatten gold gate "
            "miter\nhierarchy -top miter\n",
            name, m->recipe, name);
    fprintf(f,
            "opt -purge\ntechmap\nsetundef -zero\nopt -fast\naigmap\nopt_clean\nwrite_aiger "
            "%s/local.aig\n",
            dir);
}

static void write_step(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    const char *name = c->o->desc->name;
    fprintf(f, "read_rtlil %s\nsetundef -zero\ncopy %s core_gold\nmutate%s\nrename %s core_gate\n",
            c->base, name, m->recipe, name);
    fprintf(
        f,
        "read_verilog -sv %s/masked.v\nflatten gold gate\ndelete core_gold core_gate\nopt_clean\n",
        dir);
    fprintf(f, "read_verilog %s/cut.v\ntechmap -map %s/cutmap.v gold gate\nhierarchy -top both\n",
            dir, dir);
    fprintf(
        f,
        "expose -shared -dff -evert -evert-dff gold gate\nmiter -equiv -flatten gold gate miter\n");
    fprintf(f,
            "hierarchy -top miter\nopt -purge\ntechmap\nsetundef -zero\nopt "
            "-fast\naigmap\nopt_clean\nwrite_aiger %s/step.aig\n",
            dir);
}

static void write_run(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    const char *name = c->o->desc->name;
    fprintf(f, "read_rtlil %s\nsetundef -zero\ncopy %s core_gold\nmutate%s\nrename %s core_gate\n",
            c->base, name, m->recipe, name);
    fprintf(
        f,
        "read_verilog -sv %s/masked.v\nflatten gold gate\ndelete core_gold core_gate\nopt_clean\n",
        dir);
    fprintf(f,
            "miter -equiv -flatten gold gate miter\nhierarchy -top miter\nmemory "
            "-nomap\nmemory_map\nopt -purge\n");
    fprintf(f,
            "setundef -undriven -init -zero\ntechmap\nopt -fast -purge\ndfflegalize -cell $_DFF_P_ "
            "0\nopt_clean\n");
    fprintf(f, "aigmap\nopt_clean\nwrite_aiger -zinit %s/run.aig\n", dir);
}

typedef void Writer(FILE *f, const Campaign *c, const Mutant *m, const char *dir);
static void masked_file(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    (void)m, (void)dir;
    write_masked(f, c, "gold", "core_gold");
    write_masked(f, c, "gate", "core_gate");
}
static void cut_file(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    (void)c, (void)m, (void)dir;
    fputs(cut_modules, f);
}
static void map_file(FILE *f, const Campaign *c, const Mutant *m, const char *dir) {
    (void)c, (void)m, (void)dir;
    write_map(f);
}

static bool write_files(const Campaign *c, const Mutant *m, const char *dir) {
    static const struct {
        const char *name;
        Writer *write;
    } files[] = {{"masked.v", masked_file}, {"cut.v", cut_file},     {"cutmap.v", map_file},
                 {"local.ys", write_local}, {"step.ys", write_step}, {"run.ys", write_run}};
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, files[i].name);
        FILE *f = fopen(path, "w");
        if (!f) return false;
        files[i].write(f, c, m, dir);
        good &= !ferror(f);
        good &= fclose(f) == 0;
    }
    return good;
}

// The last "Status = N" that abc printed; *frame: the cycle of a difference. If abc's time ends at
// a bad moment, it prints "proved" although its invariant check has failed.
static ProofAnswer read_answer(const char *text, int *frame) {
    if (strstr(text, "has failed")) return PROOF_NONE;
    const char *last = NULL;
    for (const char *p = text; (p = strstr(p, "Status = ")); p += 9) last = p;
    int status = -1;
    if (!last || sscanf(last, "Status = %d Frames = %d", &status, frame) < 1 || status < 0)
        return PROOF_NONE;
    return status == 1 ? PROOF_SAME : PROOF_DIFFERS;
}

ProofAnswer prove_ask(Arena *arena, const char *dir, const char *what, const char *commands,
                      int seconds, int *frame) {
    const char *log = arena_printf(arena, "%s/%s.log", dir, what);
    const char *script = arena_printf(arena, "%s/%s.ys", dir, what);
    const char *yosys[] = {"yosys", "-q", "-s", script, NULL};
    if (tool_run(yosys, log, 2 * seconds) != 0) return PROOF_NONE;
    const char *abc[] = {"yosys-abc", "-c",
                         arena_printf(arena, "read %s/%s.aig; %s", dir, what, commands), NULL};
    tool_run(abc, log, seconds);  // if abc is cut off, its output so far counts
    return read_answer(tool_log(arena, log, 400), frame);
}

MutantVerdict mutate_prove(const Campaign *c, const Mutant *m, const char *dir, char *why,
                           size_t size) {
    if (m->side == MUTANT_RESET) return mutate_reset_prove(c, m, dir, why, size);
    Arena arena = {0};
    const int seconds = c->o->prove_seconds;
    int frame = 0;
    const bool files = write_files(c, m, dir);
    const char *iprove = "iprove; print_status";
    const bool local =
        files && prove_ask(&arena, dir, "local", iprove, seconds, &frame) == PROOF_SAME;
    ProofAnswer answer = local ? PROOF_SAME
        : files                ? prove_ask(&arena, dir, "step", iprove, seconds, &frame)
                               : PROOF_NONE;
    const bool step = answer == PROOF_SAME;
    const char *commands = arena_printf(
        &arena, "strash; scorr; bmc3 -F 40 -T %d; print_status; pdr -T %d; print_status",
        (seconds + 3) / 4, seconds);
    if (files && !step && !c->inner)
        answer = prove_ask(&arena, dir, "run", commands, 2 * seconds, &frame);
    if (step) snprintf(why, size, local ? "proved locally" : "proved");
    else if (answer == PROOF_SAME) snprintf(why, size, "proved from 0");
    else if (answer == PROOF_DIFFERS && frame < 0) snprintf(why, size, "differs for some inputs");
    else if (answer == PROOF_DIFFERS)
        snprintf(why, size, "differs in cycle %d, some inputs", frame);
    else if (c->inner) snprintf(why, size, "no proof");
    else snprintf(why, size, "timeout: no proof in %d s", 2 * seconds);
    arena_free(&arena);
    return answer == PROOF_SAME ? MUTANT_EQUIVALENT : MUTANT_SURVIVED;
}
