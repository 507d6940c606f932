// SPDX-License-Identifier: Apache-2.0
// Power of a mapped netlist. OpenSTA propagates activity only from input ports, so the netlist is
// cut at its registers. Register i takes its data from a new input cut_d[i] with the register's
// activity in the wave. Its original data drives the output cut_q[i]. Registers keep their clock
// and their loads. A memory becomes wires from inputs cut_m to its outputs, with the activity of
// the RTL wires of the same names. An output without such a name counts as constant and as an
// unknown bit.
#include "synth/synth_internal.h"

#include <stdlib.h>
#include <string.h>

enum { POWER_LEAST_KNOWN = 95 };  // % of the registers

typedef struct Cut {
    Arena *arena;
    const SynthResult *x;
    const SynthRequest *r;
    const char *netlist;
    FILE *out;
    const char **registers, **data;  // names as in the RTL; the nets at their data pins
    int n, registers_cap, data_cap;
    // data pin of the register whose connections follow; NULL: none
    const char *pin;
    MacroBit *bits;      // of the ports of the memories' modules
    const char **reads;  // output bits of memories, as in the RTL
    int nbits, nreads, reads_cap;
} Cut;

// "  ram_0 \g_bank[1].u_bank.ram_0  (": an instance gets its part of cut_m. Names of its outputs
// begin
//    with its scope.
static void begin_memory(Cut *c, const char *line) {
    char cell[128], name[512];
    const int first = c->nreads;
    bool memory = false;
    if (sscanf(line, " %127s %511s (", cell, name) != 2) return;
    for (int i = 0; i < c->x->nmacros; i++) memory |= !strcmp(c->x->macros[i].name, cell);
    if (!memory) return;
    const char *where = name + (*name == '\\'), *last = strrchr(where, '.');
    for (int i = 0; i < c->nbits; i++) {
        const MacroBit *p = &c->bits[i];
        if (!p->output || strcmp(p->macro, cell)) continue;
        const char *port =
            arena_printf(c->arena, "%.*s%s", last ? (int)(last + 1 - where) : 0, where, p->port);
        *ARENA_PUSH(c->arena, c->reads, c->nreads, c->reads_cap) =
            p->index < 0 ? port : arena_printf(c->arena, "%s[%d]", port, p->index);
    }
    if (c->nreads > first) fprintf(c->out, "    .cut_m(cut_m[%d:%d]),\n", c->nreads - 1, first);
}

// The module of a memory: cut_m drives its outputs.
static void memory_module(const Cut *c, FILE *f, const char *module) {
    int n = 0;
    fprintf(f, "module %s(", module);
    for (int i = 0; i < c->nbits; i++)
        if (c->bits[i].index <= 0 && !strcmp(c->bits[i].macro, module))
            fprintf(f, "\\%s , ", c->bits[i].port);
    fprintf(f, "cut_m);\n");
    for (int i = 0; i < c->nbits; i++) {
        const MacroBit *p = &c->bits[i];
        if (strcmp(p->macro, module)) continue;
        const char *bit = p->index < 0 ? "" : arena_printf(c->arena, "[%d]", p->index);
        if (p->index < 0) fprintf(f, "  inout \\%s ;\n", p->port);
        if (p->index == 0) fprintf(f, "  inout [%d:0] \\%s ;\n", p->width - 1, p->port);
        if (p->output) fprintf(f, "  assign \\%s %s = cut_m[%d];\n", p->port, bit, n++);
    }
    fprintf(f, "  input [%d:0] cut_m;\nendmodule\n", n - 1);
}

// "  DFF_X1 \busy_q[3]_reg  (": the start of a register. Sets its data pin. Its name is that of the
//    signal that it drives.
static void begin_instance(Cut *c, const char *line) {
    char cell[128], name[512];
    c->pin = NULL;
    if (sscanf(line, " %127s %511s (", cell, name) != 2) return;
    for (int i = 0; i < c->r->liberty->nflops && !c->pin; i++)
        if (!strcmp(c->r->liberty->flops[i].name, cell)) c->pin = c->r->liberty->flops[i].data;
    if (!c->pin) return;
    const char *plain = name + (*name == '\\');
    size_t n = strlen(plain);
    if (n > 4 && !strcmp(plain + n - 4, "_reg")) n -= 4;
    *ARENA_PUSH(c->arena, c->registers, c->n, c->registers_cap) = arena_strndup(c->arena, plain, n);
    c->n--;  // until its data is found
}

static void cut_line(Cut *c, const char *line) {
    const char *from = line + strspn(line, " "), *end = strrchr(line, ')');
    const size_t n = c->pin ? strlen(c->pin) : 0;
    if (n && *from == '.' && !strncmp(from + 1, c->pin, n) && from[1 + n] == '(' && end) {
        const char *value = from + n + 2;
        *ARENA_PUSH(c->arena, c->data, c->n, c->data_cap) =
            arena_strndup(c->arena, value, (size_t)(end - value));
        fprintf(c->out, "    .%s(cut_d[%d]%s\n", c->pin, c->n - 1, end);
        c->pin = NULL;
        return;
    }
    if (strchr(line, '(') && *from != '.') begin_instance(c, line);
    if (!strncmp(line, "endmodule", 9))
        for (int i = 0; i < c->n; i++) fprintf(c->out, "  assign cut_q[%d] = %s;\n", i, c->data[i]);
    fprintf(c->out, "%s\n", line);
    if (strchr(line, '(') && *from != '.') begin_memory(c, line);
}

// Registers must be counted before the ports are declared. Therefore cut.body is written first, and
// cut.v is assembled from it.
static bool cut_netlist(Cut *c, const char *folder, Diag *d) {
    char *text, *body;
    size_t n;
    const char *path = arena_printf(c->arena, "%s/cut.body", folder), *top = c->x->desc->name;
    if (!file_read(c->arena, c->netlist, &text, &n, d) || !(c->out = synth_create(path, d)))
        return false;
    char *head = strstr(text, arena_printf(c->arena, "module %s(", top));
    char *ports = head ? strstr(head, ");") : NULL;
    if (!ports)
        return fclose(c->out), diag_fail(d, EXIT_ENVIRONMENT, "%s: no module %s", c->netlist, top);
    for (char *p = ports + 2 + (ports[2] == '\n'); *p;) {
        const size_t length = strcspn(p, "\n");
        char *next = p + length + (p[length] == '\n');
        p[length] = '\0';
        cut_line(c, p);
        p = next;
    }
    if (!synth_close(c->out, path, d) || !file_read(c->arena, path, &body, &n, d)) return false;
    FILE *f = synth_create(arena_printf(c->arena, "%s/cut.v", folder), d);
    if (!f) return false;
    fwrite(head, 1, (size_t)(ports - head), f);
    const int high = c->n > 0 ? c->n - 1 : 0;
    fprintf(f,
            ", cut_d, cut_q, cut_m);\n  input [%d:0] cut_d;\n  input [%d:0] cut_m;\n  output "
            "[%d:0] cut_q;\n%s",
            high, c->nreads > 0 ? c->nreads - 1 : 0, high, body);
    for (int i = 0; i < c->x->nmacros; i++) memory_module(c, f, c->x->macros[i].name);
    return synth_close(f, "cut.v", d);
}

// ---- activities ---------------------------------------------------------------------------------

static int by_name(const void *a, const void *b) {
    return strcmp(((const ActivityBit *)a)->name, ((const ActivityBit *)b)->name);
}

// Names are put into Tcl: others than these are not looked for.
static bool plain_name(const char *name) {
    return !name[strspn(name,
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.[]")];
}

// How often port `port` changes: as often as bit `name` of the RTL.
static void write_port_activity(SynthPower *p, FILE *f, const Activity *a, const char *port,
                                const char *name) {
    const ActivityBit key = {name, 0};
    const ActivityBit *bit = bsearch(&key, a->bits, (size_t)a->nbits, sizeof key, by_name);
    p->bits++;
    if (!bit || !plain_name(port)) return;
    p->known++;
    if (bit->changes)
        fprintf(f, "set {act(%s)} %.8f\n", port, (double)bit->changes / (double)a->cycles);
}

// Registers that the wave does not name would count as still, and a part of the power would look
// like all of it.
static bool registers_known(int known, const Cut *c, Diag *d) {
    if (known * 100 >= c->n * POWER_LEAST_KNOWN) return true;
    const char *lost = c->registers[0];
    for (int i = c->n - 1; i >= 0; i--)
        if (c->registers[i][0] == '_') lost = c->registers[i];
    return diag_fail(d, EXIT_ENVIRONMENT,
                     "block %s: the wave has the activity of %d of %d registers, expected at least "
                     "%d %%: registers have lost their RTL names, for example %s",
                     c->x->desc->name, known, c->n, POWER_LEAST_KNOWN, lost);
}

static bool write_activity(SynthPower *p, const Cut *c, Activity *a, const char *folder, Diag *d) {
    Port ports[BLOCK_MAX_PORTS];
    Arena *arena = c->arena;
    const char *path = arena_printf(arena, "%s/activity.tcl", folder);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    qsort(a->bits, (size_t)a->nbits, sizeof *a->bits, by_name);
    const int n = block_ports(c->x->desc, c->x->params, ports);
    for (int i = 0; i < n; i++) {
        const int bits = ports[i].count * ports[i].width;
        for (int b = 0; ports[i].dir == PORT_IN && b < bits; b++) {
            const char *name = bits > 1 ? arena_printf(arena, "%s_i[%d]", ports[i].name, b)
                                        : arena_printf(arena, "%s_i", ports[i].name);
            write_port_activity(p, f, a, name, name);
        }
    }
    const int inputs = p->known;
    for (int i = 0; i < c->n; i++)
        write_port_activity(p, f, a, arena_printf(arena, "cut_d[%d]", i), c->registers[i]);
    const int registers = p->known - inputs;
    for (int i = 0; i < c->nreads; i++)
        write_port_activity(p, f, a, arena_printf(arena, "cut_m[%d]", i), c->reads[i]);
    return synth_close(f, path, d) && registers_known(registers, c, d);
}

// ---- OpenSTA ------------------------------------------------------------------------------------

static bool write_script(const Cut *c, const char *folder, Diag *d) {
    const char *path = arena_printf(c->arena, "%s/power.tcl", folder);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    fprintf(f, "read_liberty {%s/library.lib}\n", folder);
    fprintf(f, "read_verilog {%s/cut.v}\nlink_design %s\nset_cmd_units -time ns -capacitance pF\n",
            folder, c->x->desc->name);
    fprintf(f, "create_clock -name clk -period %.4f [get_ports clk_i]\n", c->r->clock);
    // Gates whose inputs no clock reaches would get no power.
    fprintf(f,
            "set ins {}\nforeach p [all_inputs] { if {[get_property $p full_name] ne \"clk_i\"} { "
            "lappend ins $p } }\n"
            "set_input_delay 0 -clock clk $ins\n");
    fprintf(f,
            "set_power_activity -input -activity 0 -duty 0.5\nsource {%s/activity.tcl}\n"
            "foreach p [all_inputs] {\n  set n [get_property $p full_name]\n"
            "  if {[info exists act($n)]} { set_power_activity -input_ports $p -activity $act($n) "
            "-duty 0.5 }\n}\n"
            "report_power -digits 6\n",
            folder);
    return synth_close(f, path, d);
}

// A row of report_power: internal, switching and leakage power in watts.
static bool power_row(const char *log, const char *group, double watts[3]) {
    const char *at = strstr(log, group);
    return at && sscanf(at + strlen(group), "%lf %lf %lf", &watts[0], &watts[1], &watts[2]) == 3;
}

static bool read_report(SynthPower *p, const Cut *c, const char *folder, Diag *d) {
    char *log;
    size_t n;
    double registers[3], gates[3], all[3];
    if (!file_read(c->arena, arena_printf(c->arena, "%s/power.tcl.log", folder), &log, &n, d))
        return false;
    if (!power_row(log, "\nSequential", registers) || !power_row(log, "\nCombinational", gates) ||
        !power_row(log, "\nTotal", all))
        return diag_fail(d, EXIT_ENVIRONMENT, "block %s: sta reports no power:\n%.1500s",
                         c->x->desc->name, log);
    p->registers = (registers[0] + registers[1]) * 1e3;
    p->gates = (gates[0] + gates[1]) * 1e3;
    p->leakage = all[2] * 1e3;
    return true;
}

bool synth_power(SynthPower *p, Arena *arena, const SynthResult *x, const SynthRequest *r,
                 const char *vcd, Diag *d) {
    Activity a;
    *p = (SynthPower){0};
    if (!r->liberty->conditions)
        return diag_fail(d, EXIT_USAGE,
                         "%s: power requires a library with default_operating_conditions, which "
                         "define the voltage",
                         r->liberty->path);
    if (!activity_read(&a, arena, vcd, x->desc, x->params, d)) return false;
    p->cycles = a.cycles, p->work = a.work;
    char *folder = tool_folder(arena, d);
    Cut c = {
        .arena = arena, .x = x, .r = r, .netlist = arena_printf(arena, "%s/netlist.v", x->dir)};
    const bool good = folder && liberty_copy(r->liberty, arena, folder, d) &&
        macro_bits(&c.bits, &c.nbits, arena, x, x->dir, d) && cut_netlist(&c, folder, d) &&
        write_activity(p, &c, &a, folder, d) && write_script(&c, folder, d) &&
        synth_tool(arena, "sta", "power.tcl", folder, x->desc->name, false, d) &&
        read_report(p, &c, folder, d);
    if (folder) tool_remove(folder);
    if (!good) *p = (SynthPower){0};  // nothing is reported
    return good;
}
