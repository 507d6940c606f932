// SPDX-License-Identifier: Apache-2.0
// Cost of a memory macro, estimated from published bit cells, not from a memory compiler's data.
// The tables below have every constant, and macro_constants prints them.
#include "synth/synth_internal.h"

#include <math.h>
#include <string.h>

// Per node: area of a six-transistor bit cell and supply.
static const struct {
    int nm;
    double bit_um2, volts;
    const char *source;
} nodes[] = {
    {350, 18.0, 3.3, "about 150 F2, as the nodes below"},
    {180, 4.65, 1.8, "foundries' published 6T cells, 4.65 um2"},
    {130, 2.43, 1.2, "foundries' published 6T cells, 2.4 um2"},
    {90, 1.0, 1.2, "foundries' published 6T cells, 1.0 um2"},
    {65, 0.525, 1.2, "foundries' published 6T cells, 0.5 um2"},
    {45, 0.346, 1.1, "foundries' published 6T cells, 0.35 um2"},
    {28, 0.127, 0.9, "foundries' published 6T cells, 0.13 um2"},
    {16, 0.074, 0.8, "foundries' published 6T cells, 0.07 um2"},
    {7, 0.027, 0.7, "foundries' published 6T cells, 0.027 um2"},
};

// clang-format off
#define CONSTANTS(C) \
    C(array_share, 0.65, "", "share of a macro's area that is bit cells, 1 port, large", "estimate: 60 to 75 % is usual") \
    C(port_pitch, 0.35, "", "growth of a bit cell's width and of its height per port beyond the first", "estimate: a word " \
      "line and a pair of bit lines each") \
    C(fo4_ps_per_nm, 0.5, "ps", "delay of an inverter with fanout 4, per nm of gate length", "rule of thumb: 500 ps per um") \
    C(decode_fo4, 1.2, "FO4", "decoder, per address bit", "estimate: a gate and a half per bit with its predecode") \
    C(bit_line_fo4, 2.0, "FO4", "bit line, per square root of (words / 16)", "estimate: divided bit lines") \
    C(sense_fo4, 4.0, "FO4", "sense amplifier, column select, output driver", "estimate") \
    C(setup_fo4, 2.0, "FO4", "inputs before the clock edge", "estimate") \
    C(bit_pj_40, 0.14, "pJ", "access energy per bit of the word, 40 nm, 0.9 V", "CORF paper's bank of 1024 bits 149.76 pJ and " \
      "rename table of 14 bits 1.83 pJ: 0.146 and 0.131 pJ per bit")
// clang-format on
#define CONSTANT(id, value, unit, meaning, source) static const double id = value;
CONSTANTS(CONSTANT)
#undef CONSTANT

static const double reference_nm = 40, reference_volts = 0.9;

// Between two nodes the area goes with the square of the length.
static double bit_area(int nm) {
    size_t i = 0;
    const size_t last = sizeof nodes / sizeof *nodes - 1;
    while (i < last && nodes[i + 1].nm >= nm) i++;
    const double ratio = (double)nm / nodes[i].nm;
    return nodes[i].bit_um2 * ratio * ratio;
}

static double fo4_ns(int nm) { return fo4_ps_per_nm * nm * 1e-3; }

void macro_estimate(SynthMacro *m, int nm, double volts) {
    const int ports = m->clocked && m->reads + m->writes <= 2 ? 1 : m->reads + m->writes;
    const double pitch = 1 + port_pitch * (ports - 1);
    const double bits = (double)m->width * m->words;
    // The periphery grows with the array's edge: a small array is less dense.
    const double share = array_share * sqrt(bits) / (sqrt(bits) + 16);
    m->area = bits * bit_area(nm) * pitch * pitch / share;
    m->access_ns = fo4_ns(nm) *
        (decode_fo4 * log2(m->words) + bit_line_fo4 * sqrt(m->words / 16.0) + sense_fo4);
    if (volts <= 0)
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
            if (nodes[i].nm >= nm) volts = nodes[i].volts;
    m->energy_pj = bit_pj_40 * m->width * nm / reference_nm * volts * volts /
        (reference_volts * reference_volts);
}

void macro_constants(FILE *f) {
    fprintf(f, "memory macros: estimates\n");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        fprintf(f, "  %3d nm: %.3f um2 per bit, %.1f V (%s)\n", nodes[i].nm, nodes[i].bit_um2,
                nodes[i].volts, nodes[i].source);
#define CONSTANT(id, value, unit, meaning, source) \
    fprintf(f, "  %-14s %6.2f %-4s %s (%s)\n", #id, id, unit, meaning, source);
    CONSTANTS(CONSTANT)
#undef CONSTANT
}

// ---- Liberty ------------------------------------------------------------------------------------

// The role of a bit of a port of the macro's module.
enum { ROLE_CLOCK = 1, ROLE_SETUP = 2, ROLE_THROUGH = 4 };
enum { MAX_PINS = 65536 };

typedef struct Pin {
    const char *bus;
    int index, width;  // index -1: the port is one bit
    bool output;       // the memory gives it
    // of a port that yosys calls inout, as memories give some of its bits each
    bool open;
    json_int_t net;
    unsigned roles;
    uint32_t through;  // read ports that this address bit is seen through
    int port;          // of an output: the read port
} Pin;

typedef struct Pins {
    Pin *pin;
    int n;
} Pins;

static void add_pins(Pins *p, json_t *ports) {
    const char *name;
    json_t *port, *bit;
    size_t i;
    json_object_foreach(ports, name, port) {
        json_t *bits = json_object_get(port, "bits");
        const char *way = json_string_value(json_object_get(port, "direction"));
        json_array_foreach(bits, i, bit) {
            panic_if(p->n == MAX_PINS, "a macro with more than %d pins", MAX_PINS);
            const int width = (int)json_array_size(bits);
            p->pin[p->n++] = (Pin){.bus = name,
                                   .index = width > 1 ? (int)i : -1,
                                   .width = width,
                                   .output = !strcmp(way, "output"),
                                   .open = !strcmp(way, "inout"),
                                   .net = json_integer_value(bit),
                                   .port = -1};
        }
    }
}

// Gives the pins on bits [from, from+n) of a connection a role.
static void mark_pins(Pins *p, json_t *connections, const char *name, size_t from, size_t n,
                      unsigned role, int port) {
    json_t *bits = json_object_get(connections, name);
    for (size_t i = from; i < from + n && i < json_array_size(bits); i++) {
        json_t *bit = json_array_get(bits, i);
        if (!json_is_integer(bit)) continue;
        for (int k = 0; k < p->n; k++) {
            if (p->pin[k].net != json_integer_value(bit)) continue;
            p->pin[k].output |= p->pin[k].open && !role;
            if (p->pin[k].output) p->pin[k].port = port;
            else p->pin[k].roles |= role;
            if (role == ROLE_THROUGH && !p->pin[k].output) p->pin[k].through |= 1u << port;
        }
    }
}

static json_t *memory_of(json_t *module) {
    const char *name;
    json_t *cell;
    json_object_foreach(
        json_object_get(module, "cells"), name,
        cell) if (!strcmp(json_string_value(json_object_get(cell, "type")), "$mem_v2")) return cell;
    return NULL;
}

// Parameters are strings of binary digits, the last one lowest.
static bool param_bit(json_t *cell, const char *name, int bit) {
    const char *text =
        json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
    const int n = text ? (int)strlen(text) : 0;
    return bit < n && text[n - 1 - bit] == '1';
}

static void set_roles(Pins *p, const SynthMacro *m, json_t *cell) {
    json_t *c = json_object_get(cell, "connections");
    const size_t all = (size_t)-1 / 2, width = (size_t)m->width;
    const size_t abits =
        json_array_size(json_object_get(c, "RD_ADDR")) / (size_t)(m->reads ? m->reads : 1);
    mark_pins(p, c, "WR_CLK", 0, all, ROLE_CLOCK, 0);
    mark_pins(p, c, "WR_ADDR", 0, all, ROLE_SETUP, 0);
    mark_pins(p, c, "WR_DATA", 0, all, ROLE_SETUP, 0);
    mark_pins(p, c, "WR_EN", 0, all, ROLE_SETUP, 0);
    for (int i = 0; i < m->reads; i++) {
        const bool clocked = param_bit(cell, "RD_CLK_ENABLE", i);
        const unsigned role = clocked ? ROLE_SETUP : ROLE_THROUGH;
        if (clocked) mark_pins(p, c, "RD_CLK", (size_t)i, 1, ROLE_CLOCK, i);
        mark_pins(p, c, "RD_ADDR", (size_t)i * abits, abits, role, i);
        if (clocked) mark_pins(p, c, "RD_EN", (size_t)i, 1, role, i);
        if (clocked) mark_pins(p, c, "RD_SRST", (size_t)i, 1, role, i);
        mark_pins(p, c, "RD_DATA", (size_t)i * width, width, 0, i);
    }
}

// OpenSTA's name for the port `\g[0].x ` (a wire of a generate block) is g\[0\].x. With g[0].x
// OpenSTA finds no port to connect.
static void port_name(FILE *f, const Pin *p) {
    for (const char *c = p->bus; *c; c++)
        fprintf(f, "%s%c", *c == '[' || *c == ']' ? "\\" : "", *c);
}

static void pin_name(FILE *f, const Pin *p) {
    port_name(f, p);
    if (p->index >= 0) fprintf(f, "[%d]", p->index);
}

static void open_pin(FILE *f, const Pin *p) {
    fprintf(f, "pin(\"");
    pin_name(f, p);
    fprintf(f, "\") { ");
}

static void write_arc(FILE *f, const Pins *p, const char *type, double ns, double transition,
                      unsigned role, int port) {
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        const Pin *q = &p->pin[i];
        if (q->output || !(q->roles & role) || (role == ROLE_THROUGH && !(q->through >> port & 1)))
            continue;
        fprintf(f, any ? " " : "timing() { related_pin : \"");
        pin_name(f, q);
        any = true;
    }
    if (!any) return;
    fprintf(f, "\"; timing_type : %s; ", type);
    if (role == ROLE_CLOCK && strstr(type, "setup"))
        fprintf(f,
                "rise_constraint(scalar) { values(\"%.4f\"); } fall_constraint(scalar) { "
                "values(\"%.4f\"); } }\n",
                ns, ns);
    else
        fprintf(f,
                "%scell_rise(scalar) { values(\"%.4f\"); } cell_fall(scalar) { values(\"%.4f\"); } "
                "rise_transition(scalar) "
                "{ values(\"%.4f\"); } fall_transition(scalar) { values(\"%.4f\"); } }\n",
                role == ROLE_THROUGH ? "timing_sense : non_unate; " : "", ns, ns, transition,
                transition);
}

static void pin_body(FILE *f, const Pins *all, const Pin *p, const SynthMacro *m, int nm) {
    const double fo4 = fo4_ns(nm);
    fprintf(f, "direction : %s; ", p->output ? "output" : "input");
    // of a few gates: 2 fF per um and 0.18 um
    if (!p->output) fprintf(f, "capacitance : %.5f; ", 4e-5 * nm);
    if (p->roles & ROLE_CLOCK) fprintf(f, "clock : true; ");
    if (p->roles & ROLE_SETUP) write_arc(f, all, "setup_rising", setup_fo4 * fo4, 0, ROLE_CLOCK, 0);
    if (p->output && p->port >= 0) {
        write_arc(f, all, "rising_edge", m->access_ns, fo4, ROLE_CLOCK, 0);
        write_arc(f, all, "combinational", m->access_ns, fo4, ROLE_THROUGH, p->port);
    }
}

static void write_cell(FILE *f, const SynthMacro *m, const Pins *p, int nm) {
    fprintf(
        f,
        "  cell(%s) { area : %.1f; dont_touch : true; dont_use : true; interface_timing : true;\n",
        m->name, m->area);
    for (int i = 0; i < p->n;) {
        const Pin *first = &p->pin[i];
        if (first->index < 0) {
            fprintf(f, "    ");
            open_pin(f, first);
            pin_body(f, p, first, m, nm);
            fprintf(f, "}\n");
            i++;
            continue;
        }
        fprintf(f, "    bus(\"");
        port_name(f, first);
        fprintf(f, "\") { bus_type : w%d; direction : %s;\n", first->width,
                first->output ? "output" : "input");
        for (int k = 0; k < first->width; k++, i++) {
            fprintf(f, "      ");
            open_pin(f, &p->pin[i]);
            pin_body(f, p, &p->pin[i], m, nm);
            fprintf(f, "}\n");
        }
        fprintf(f, "    }\n");
    }
    fprintf(f, "  }\n");
}

// The pins of a macro, with their roles. False: the module has no memory.
static bool read_pins(Pins *p, json_t *modules, const SynthMacro *m) {
    json_t *module = json_object_get(modules, m->name), *cell = memory_of(module);
    p->n = 0;
    if (!cell) return false;
    add_pins(p, json_object_get(module, "ports"));
    set_roles(p, m, cell);
    return true;
}

static bool write_macros(FILE *f, const SynthResult *x, const SynthRequest *r, json_t *modules) {
    Pins pins = {.pin = calloc(MAX_PINS, sizeof(Pin))};
    bool good = pins.pin != NULL, widths[MAX_PINS + 1] = {false};
    fprintf(
        f,
        "library(smcosim_macros) { delay_model : table_lookup; time_unit : \"1ns\"; voltage_unit : "
        "\"1V\"; "
        "current_unit : \"1mA\"; pulling_resistance_unit : \"1kohm\"; leakage_power_unit : "
        "\"1nW\"; "
        "capacitive_load_unit(1, pf); nom_process : 1; nom_voltage : %.2f; nom_temperature : 25;\n",
        r->liberty->volts);
    // Without these OpenSTA computes no power of the gates that a memory drives.
    for (int edge = 0; edge < 2; edge++) {
        const char *name = edge ? "fall" : "rise";
        fprintf(f,
                "  input_threshold_pct_%s : 50; output_threshold_pct_%s : 50; "
                "slew_lower_threshold_pct_%s : 20; "
                "slew_upper_threshold_pct_%s : 80;\n",
                name, name, name, name);
    }
    for (int pass = 0; pass < 2 && good; pass++) {
        for (int i = 0; i < x->nmacros && good; i++) {
            good = read_pins(&pins, modules, &x->macros[i]);
            for (int k = 0; k < pins.n && pass == 0; k++) {
                const int w = pins.pin[k].index < 0 ? 0 : pins.pin[k].width;
                if (w && !widths[w])
                    fprintf(f,
                            "  type(w%d) { base_type : array; data_type : bit; bit_width : %d; "
                            "bit_from : %d; bit_to : 0; }\n",
                            w, w, w - 1);
                widths[w] = true;
            }
            if (pass == 0 || !good) continue;
            write_cell(f, &x->macros[i], &pins, r->liberty->nm);
        }
    }
    fprintf(f, "}\n");
    free(pins.pin);
    return good;
}

bool macro_bits(MacroBit **bits, int *n, Arena *arena, const SynthResult *x, const char *dir,
                Diag *d) {
    json_error_t error;
    const char *from = arena_printf(arena, "%s/macros.json", dir);
    int cap = *n = 0;
    if (!x->nmacros) return true;
    json_t *root = json_load_file(from, 0, &error);
    Pins pins = {.pin = calloc(MAX_PINS, sizeof(Pin))};
    bool good = root && pins.pin;
    for (int i = 0; i < x->nmacros && good; i++) {
        if (!(good = read_pins(&pins, json_object_get(root, "modules"), &x->macros[i]))) break;
        for (int k = 0; k < pins.n; k++) {
            const Pin *p = &pins.pin[k];
            *ARENA_PUSH(arena, *bits, *n, cap) =
                (MacroBit){x->macros[i].name, arena_strndup(arena, p->bus, strlen(p->bus)),
                           p->index, p->width, p->output};
        }
    }
    json_decref(root);
    free(pins.pin);
    return good || diag_fail(d, EXIT_ENVIRONMENT, "%s: an unexpected output of yosys", from);
}

bool macro_liberty(const SynthResult *x, const SynthRequest *r, const char *dir, Diag *d) {
    Arena arena = {0};
    json_error_t error;
    const char *from = arena_printf(&arena, "%s/macros.json", dir),
               *to = arena_printf(&arena, "%s/macros.lib", dir);
    bool good = true;
    if (x->nmacros) {
        json_t *root = json_load_file(from, 0, &error);
        FILE *f = synth_create(to, d);
        good = f && root && write_macros(f, x, r, json_object_get(root, "modules"));
        if (!good) diag_fail(d, EXIT_ENVIRONMENT, "%s: an unexpected output of yosys", from);
        if (f && !synth_close(f, to, d)) good = false;
        json_decref(root);
    }
    arena_free(&arena);
    return good;
}
