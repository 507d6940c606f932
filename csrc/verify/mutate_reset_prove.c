// SPDX-License-Identifier: Apache-2.0
// Proves that a reset is not required. Yosys cuts the registers out of the block and of the mutant.
// Both get registers here that start from the same values, which are any. The next cycle is a
// reset. In all later cycles their compared outputs must be equal, except in a reset. Inputs are
// any that the assumptions of <block>.formal.svh allow. Property directed reachability decides. A
// row has few lanes (RF_NARROW); its other bits are 0 on both sides.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <string.h>

enum { YOSYS_FACTOR = 4 /* its time, as multiple of the proof's */ };
static const char *const cores[] = {"gold", "gate"};

typedef struct Register {
    const char *name;  // of its value, an input of the cut core
    int bits;
} Register;

typedef struct Proof {
    Arena arena;
    const Campaign *c;
    const char *dir;
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    Register *registers;
    int n, cap;
} Proof;

static FILE *open_file(Proof *p, const char *name) {
    return fopen(arena_printf(&p->arena, "%s/%s", p->dir, name), "w");
}

// ---- the cores ----------------------------------------------------------------------------------

// The block flat, memories as registers, as module core_<core> in a file.
static void write_flat(FILE *f, const Proof *p, const RtlFiles *files, int mutant,
                       const char *core) {
    const BlockDesc *desc = p->c->o->desc;
    char options[100];
    snprintf(options, sizeof options, " -formal -D RF_OBS -D RF_NARROW -D SMCOSIM_MUTANT=%d%s",
             mutant, mutant ? "" : " -D SMCOSIM_ASSUME");
    rtl_read_verilog(f, files, options);
    for (int i = 0; i < desc->nparams; i++)
        fprintf(f, "%s -set %s %d", i ? "" : "\nchparam", desc->params[i].name, p->c->o->params[i]);
    fprintf(f, "%s%s\nhierarchy -check -top %s\nproc\n", desc->nparams ? " " : "",
            desc->nparams ? desc->name : "", desc->name);
    fprintf(f, "chformal -assert -cover -live -fair -remove\nflatten\n");
    fprintf(f, "memory -nomap\nmemory_map\nopt_clean -purge\ndffunmap\n");
    fprintf(f, "rename %s core_%s\nwrite_rtlil %s/%s.il\ndesign -reset\n", desc->name, core, p->dir,
            core);
}

static bool cut_cores(Proof *p, const Mutant *m, int seconds) {
    Diag ignored = {0};
    RtlFiles files;
    FILE *f = open_file(p, "cut.ys");
    if (!f) return false;
    const bool found =
        rtl_files(&p->arena, p->c->o->data_dir, p->c->o->desc->name, p->c->rtl, &files, &ignored);
    if (found) {
        write_flat(f, p, &files, 0, cores[0]);
        write_flat(f, p, &files, m->number, cores[1]);
    }
    fprintf(f,
            "read_rtlil %s/gold.il\nread_rtlil %s/gate.il\nexpose -shared -evert-dff core_gold "
            "core_gate\nopt_clean\nwrite_rtlil %s/cut.il\n",
            p->dir, p->dir, p->dir);
    const char *argv[] = {"yosys", "-q", "-s", arena_printf(&p->arena, "%s/cut.ys", p->dir), NULL};
    return fclose(f) == 0 && found &&
        tool_run(argv, arena_printf(&p->arena, "%s/cut.log", p->dir), YOSYS_FACTOR * seconds) == 0;
}

// Inputs of core_gold whose names end in .q: "  wire width 4 input 12 \need_q.q".
static bool read_registers(Proof *p) {
    Diag ignored = {0};
    char *text;
    size_t n;
    if (!file_read(&p->arena, arena_printf(&p->arena, "%s/cut.il", p->dir), &text, &n, &ignored))
        return false;
    const char *module = strstr(text, "module \\core_gold\n");
    for (const char *line = module; line && strncmp(line, "end\n", 4);
         line = strchr(line, '\n') + 1) {
        int bits = 1;
        const char *name = strchr(line, '\\'), *end = strchr(line, '\n');
        if (!end) return false;
        if (strncmp(line, "  wire ", 7) || !name || name > end || end - name < 3) continue;
        const char *width = strstr(line, "width "), *input = strstr(line, " input ");
        if (!input || input > name || strncmp(end - 2, ".q", 2)) continue;
        if (width && width < name && sscanf(width, "width %d", &bits) != 1) return false;
        *ARENA_PUSH(&p->arena, p->registers, p->n, p->cap) =
            (Register){arena_strndup(&p->arena, name + 1, (size_t)(end - name) - 3), bits};
    }
    return module != NULL && p->n > 0;
}

// ---- both cores with their registers ------------------------------------------------------------

static void write_ports(FILE *f, const Proof *p) {
    fprintf(f, "module both (input wire clk_i, input wire rst_ni, input wire [31:0] obs_addr_i");
    for (int i = 0; i < p->nports; i++)
        if (p->ports[i].dir == PORT_IN)
            fprintf(f, ",\n    input wire [%d:0] %s_i", p->ports[i].count * p->ports[i].width - 1,
                    p->ports[i].name);
    for (int i = 0; i < p->n; i++)
        fprintf(f, ",\n    input wire [%d:0] start_%d", p->registers[i].bits - 1, i);
    fprintf(f,
            ",\n    output wire bad);\n    reg [1:0] phase;  // 0 start values, 1 reset, 2\n"
            "    initial phase = 0;\n    always @(posedge clk_i) if (phase != 2) phase <= phase + "
            "2'd1;\n");
}

static void write_core(FILE *f, const Proof *p, const char *core) {
    for (int i = 0; i < p->n; i++)
        fprintf(f,
                "    reg [%d:0] %s_%d_q;\n    wire [%d:0] %s_%d_d;\n    always @(posedge clk_i) "
                "%s_%d_q <= phase == 0 ? start_%d : %s_%d_d;\n",
                p->registers[i].bits - 1, core, i, p->registers[i].bits - 1, core, i, core, i, i,
                core, i);
    for (int i = 0; i < p->nports; i++)
        if (p->ports[i].dir == PORT_OUT && !p->ports[i].observed)
            fprintf(f, "    wire [%d:0] %s_%s;\n", p->ports[i].count * p->ports[i].width - 1, core,
                    p->ports[i].name);
    fprintf(f,
            "    core_%s u_%s (.clk_i(clk_i), .rst_ni(rst_ni && phase == 2), "
            ".obs_addr_i(obs_addr_i)",
            core, core);
    for (int i = 0; i < p->nports; i++) {
        const char *name = p->ports[i].name;
        if (p->ports[i].observed) continue;
        if (p->ports[i].dir == PORT_IN) fprintf(f, ", .%s_i(%s_i)", name, name);
        else fprintf(f, ", .%s_o(%s_%s)", name, core, name);
    }
    for (int i = 0; i < p->n; i++)
        fprintf(f, ",\n        .\\%s.q (%s_%d_q), .\\%s.d (%s_%d_d)", p->registers[i].name, core, i,
                p->registers[i].name, core, i);
    fprintf(f, ");\n");
}

// Bits of an output that are compared: all, or the elements whose valid bit is 1.
static void write_difference(FILE *f, const Port *ports, const Port *p) {
    fprintf(f, "    wire [%d:0] diff_%s = (gold_%s ^ gate_%s)", p->count * p->width - 1, p->name,
            p->name, p->name);
    if (p->valid >= 0) {
        fprintf(f, " & {");
        for (int e = p->count - 1; e >= 0; e--)
            fprintf(f, "{%d{gold_%s[%d]}}%s", p->width, ports[p->valid].name, e, e ? ", " : "}");
    }
    fprintf(f, ";\n");
}

static bool write_both(Proof *p) {
    FILE *f = open_file(p, "both.v");
    if (!f) return false;
    write_ports(f, p);
    for (int i = 0; i < 2; i++) write_core(f, p, cores[i]);
    for (int i = 0; i < p->nports; i++)
        if (p->ports[i].dir == PORT_OUT && !p->ports[i].observed)
            write_difference(f, p->ports, &p->ports[i]);
    fprintf(f, "    assign bad = phase == 2 && rst_ni && (1'b0");
    for (int i = 0; i < p->nports; i++)
        if (p->ports[i].dir == PORT_OUT && !p->ports[i].observed)
            fprintf(f, " || diff_%s != 0", p->ports[i].name);
    fprintf(f, ");\nendmodule\n");
    return fclose(f) == 0;
}

static bool write_script(Proof *p) {
    FILE *f = open_file(p, "reset.ys");
    if (!f) return false;
    fprintf(f, "read_rtlil %s/cut.il\nread_verilog -sv %s/both.v\n", p->dir, p->dir);
    fprintf(f, "hierarchy -top both\nproc\nflatten\nopt -purge\nsetundef -undriven -zero\n");
    fprintf(f, "techmap\nopt -fast -purge\ndfflegalize -cell $_DFF_P_ 01\nopt_clean\n");
    fprintf(f, "aigmap\nopt_clean\nwrite_aiger -zinit %s/reset.aig\n", p->dir);
    return fclose(f) == 0;
}

MutantVerdict mutate_reset_prove(const Campaign *c, const Mutant *m, const char *dir, char *why,
                                 size_t size) {
    Proof p = {.c = c, .dir = dir};
    const int seconds = c->o->prove_seconds;
    int frame = 0;
    ProofAnswer answer = PROOF_NONE;
    p.nports = block_ports(c->o->desc, c->o->params, p.ports);
    const char *commands = arena_printf(
        &p.arena, "fold; strash; scorr; bmc3 -F 20 -T %d; print_status; pdr -T %d; print_status",
        (seconds + 3) / 4, seconds);
    if (cut_cores(&p, m, seconds) && read_registers(&p) && write_both(&p) && write_script(&p))
        answer = prove_ask(&p.arena, dir, "reset", commands, 2 * seconds, &frame);
    if (answer == PROOF_SAME) snprintf(why, size, "proved from any state");
    else if (answer == PROOF_DIFFERS) snprintf(why, size, "no difference; differs for some inputs");
    else snprintf(why, size, "no difference; no proof in %d s", 2 * seconds);
    arena_free(&p.arena);
    return answer == PROOF_SAME ? MUTANT_EQUIVALENT : MUTANT_SURVIVED;
}
