// SPDX-License-Identifier: Apache-2.0
// The data required from a library: its NAND, inverter, buffer and flip-flops, its voltage and
// node.
#include "synth/synth_internal.h"
#include "synth/liberty_tree.h"

#include "base/output.h"
#include "base/plain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Data that a walk over the library collects.
typedef struct Cell {
    const char *name;
    double area;
    const char *next;  // state of a flip-flop: its data pin, where it is one
    bool state, clocked, other_state, tristate, no_use;
    int inputs, outputs;
    const char *pins[2], *function;
    const char *direction, *pin_function;  // of the pin that is read
    const char *output;                    // a pin
} Cell;

// Value of a Liberty function with pins[i] = bit i of `values`; -1: something else than & | ! ^ of
// the pins.
typedef struct Function {
    const char *p;
    const Cell *cell;
    unsigned values;
} Function;
static int function_or(Function *f);

static void skip_blanks(Function *f) {
    while (isspace((unsigned char)*f->p)) f->p++;
}

static int function_unit(Function *f) {
    int v = -1;
    bool negated = false;
    for (skip_blanks(f); *f->p == '!'; skip_blanks(f)) f->p++, negated = !negated;
    if (*f->p == '(') {
        f->p++;
        v = function_or(f);
        skip_blanks(f);
        if (*f->p != ')') return -1;
        f->p++;
    } else {
        const size_t n =
            strspn(f->p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_[]");
        for (int i = 0; i < 2 && n; i++)
            if (f->cell->pins[i] && strlen(f->cell->pins[i]) == n &&
                !strncmp(f->cell->pins[i], f->p, n))
                v = (int)(f->values >> i & 1);
        f->p += n;
    }
    for (skip_blanks(f); *f->p == '\'' && v >= 0; skip_blanks(f)) f->p++, v = !v;
    return v >= 0 && negated ? !v : v;
}

static int function_and(Function *f) {
    int v = function_unit(f);
    for (;;) {
        skip_blanks(f);
        const bool named =
            isalnum((unsigned char)*f->p) || *f->p == '_' || *f->p == '(' || *f->p == '!';
        if (v < 0 || (*f->p != '*' && *f->p != '&' && *f->p != '^' && !named)) return v;
        const char op = named ? '*' : *f->p++;
        const int w = function_unit(f);
        v = w < 0 ? w : op == '^' ? v ^ w : v & w;
    }
}

static int function_or(Function *f) {
    int v = function_and(f);
    for (;;) {
        skip_blanks(f);
        if (v < 0 || (*f->p != '+' && *f->p != '|')) return v;
        f->p++;
        const int w = function_and(f);
        v = w < 0 ? w : v | w;
    }
}

// Bit v: the output for inputs v. -1: not a function of the pins.
static int truth_table(const Cell *c) {
    int table = 0;
    for (unsigned v = 0; c->function && v < 1u << c->inputs; v++) {
        Function f = {c->function, c, v};
        const int bit = function_or(&f);
        skip_blanks(&f);
        if (bit < 0 || *f.p) return -1;
        table |= bit << v;
    }
    return c->function ? table : -1;
}

static void end_pin(Cell *c, const char *pin) {
    if (!c->direction) return;
    if (!strcasecmp(c->direction, "input")) {
        if (c->inputs < 2) c->pins[c->inputs] = pin;
        c->inputs++;
    } else if (!strcasecmp(c->direction, "output")) {
        c->function = c->outputs++ ? NULL : c->pin_function;
        c->output = pin;
    }
}

typedef struct Walk {
    Liberty *l;
    Cell cell;
    int cap;
    bool clocked;  // a flip-flop was seen that registers can be mapped to
    double buffer_area, inverter_area;
} Walk;

static void end_cell(Walk *w, Arena *arena) {
    Liberty *l = w->l;
    const Cell *c = &w->cell;
    l->ncells++;
    if (c->state)
        *ARENA_PUSH(arena, l->flops, l->nflops, w->cap) =
            (LibertyFlop){c->name, c->clocked ? c->next : NULL};
    if (c->state || c->other_state || c->tristate || c->no_use || c->outputs != 1) return;
    if (c->inputs == 2 && truth_table(c) == 7 && c->area > 0 &&
        (!l->nand2 || c->area < l->nand2_area))
        l->nand2 = c->name, l->nand2_area = c->area;
    if (c->inputs == 1 && truth_table(c) == 2 && (!l->buffer || c->area < w->buffer_area))
        l->buffer = c->name, w->buffer_area = c->area;
    if (c->inputs == 1 && truth_table(c) == 1 && (!l->inverter || c->area < w->inverter_area))
        l->inverter = c->name, l->inverter_in = c->pins[0], l->inverter_out = c->output,
        w->inverter_area = c->area;
}

static void read_attribute(Walk *w, Arena *arena, const char *group, const char *name,
                           const char *value) {
    Cell *c = &w->cell;
    if (!strcmp(group, "cell")) {
        if (!strcmp(name, "area")) c->area = strtod(value, NULL);
        if (!strcmp(name, "dont_use"))
            c->no_use = !strcasecmp(value, "true") || !strcmp(value, "1");
    } else if (!strcmp(group, "pin")) {
        if (!strcmp(name, "direction")) c->direction = value;
        if (!strcmp(name, "function")) c->pin_function = value;
        if (!strcmp(name, "three_state")) c->tristate = true;
    } else if (!strcmp(group, "ff")) {
        // Set and reset, where a flip-flop has them, are tied off; a scan multiplexer is not
        // understood.
        if (!strcmp(name, "next_state")) {
            c->clocked = !value[strcspn(value, "*&|+^")];
            const char *pin = value + strspn(value, "!( ");
            c->next = arena_strndup(arena, pin, strcspn(pin, ")' "));
        }
    } else if (!strcmp(group, "library")) {
        if (!strcmp(name, "nom_voltage")) w->l->volts = strtod(value, NULL);
        if (!strcmp(name, "default_operating_conditions")) w->l->conditions = true;
        if (!strcmp(name, "default_wire_load"))
            w->l->wire_load = arena_strndup(arena, value, strlen(value));
    }
}

// Reads a unit like (1, pf). The parser delivers it as one string or as two words.
static void read_unit(Liberty *l, const LibertyItem *item) {
    const char *unit = item->words[item->nwords - 1];
    if (item->nwords == 1) unit += strcspn(unit, ", "), unit += strspn(unit, ", ");
    l->cap_pf = strtod(item->words[0], NULL) * (tolower((unsigned char)unit[0]) == 'f' ? 1e-3 : 1);
}

static void read_cell(Walk *w, Arena *arena, const LibertyItem *cell) {
    Cell *c = &w->cell;
    *c = (Cell){.name = cell->words[0]};
    for (const LibertyItem *i = cell->first; i; i = i->next) {
        if (!i->group && i->nwords) read_attribute(w, arena, "cell", i->name, i->words[0]);
        if (!i->group) continue;
        if (!strcmp(i->name, "ff")) c->state = true, c->clocked = false;
        c->other_state |= !strcmp(i->name, "latch") || !strcmp(i->name, "statetable");
        for (const LibertyItem *k = i->first; k; k = k->next)
            if (!k->group && k->nwords) read_attribute(w, arena, i->name, k->name, k->words[0]);
        for (int k = 0; !strcmp(i->name, "pin") && k < i->nwords; k++) end_pin(c, i->words[k]);
        c->direction = c->pin_function = NULL;
    }
    w->clocked |= c->clocked;
    end_cell(w, arena);
}

static void read_library(Walk *w, Arena *arena, const LibertyItem *library) {
    for (const LibertyItem *i = library->first; i; i = i->next) {
        if (i->group && !strcmp(i->name, "cell") && !i->left_out) read_cell(w, arena, i);
        if (i->group || !i->nwords) continue;
        read_attribute(w, arena, "library", i->name, i->words[0]);
        if (!strcmp(i->name, "capacitive_load_unit")) read_unit(w->l, i);
    }
}

// The node that a library's name tells.
static int node_of(const char *name) {
    static const struct {
        const char *part;
        int nm;
    } known[] = {{"osu018", 180}, {"osu035", 350}, {"osu050", 500},   {"sky130", 130},
                 {"gf180", 180},  {"gscl45", 45},  {"Nangate45", 45}, {"NangateOpenCell", 45},
                 {"asap7", 7},    {"sg13g2", 130}, {"ihp130", 130}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasestr(name, known[i].part)) return known[i].nm;
    return 0;
}

bool liberty_read(Liberty *l, Arena *arena, const char *path, int nm, Diag *d) {
    LibertyItem *library;
    *l = (Liberty){.path = path, .cap_pf = 1, .nm = nm};
    if (!strcmp(path, SYNTH_DEFAULT_LIBERTY)) {
        FILE *f = fopen(path, "r");
        if (!f)
            return diag_fail(d, EXIT_ENVIRONMENT,
                             "the default library %s is missing: apt install qflow-tech-osu018, "
                             "or name another with --liberty",
                             path);
        fclose(f);
    }
    if (!liberty_parse(&library, &l->hash, arena, path, d)) return false;
    l->name = plain_text(arena, library->words[0]);
    if (!liberty_write(l, arena, library, d)) return false;
    Walk w = {.l = l};
    read_library(&w, arena, library);
    l->ncells += l->nleft_out;
    if (!l->ncells) return diag_fail(d, EXIT_USAGE, "%s: the library has no cells", path);
    if (!w.clocked)
        return diag_fail(
            d, EXIT_USAGE,
            "%s: the library has no flip-flop (ff group) whose next state is one pin (%d cells)",
            path, l->ncells);
    if (!l->nand2)
        return diag_fail(
            d, EXIT_USAGE,
            "%s: the library has no two-input NAND with an area, which gate equivalents require",
            path);
    if (!l->nm) l->nm = node_of(l->name);
    return true;
}

const char *liberty_copy(const Liberty *l, Arena *arena, const char *folder, Diag *d) {
    const char *path = arena_printf(arena, "%s/library.lib", folder);
    return output_text(path, l->copy, l->copy_bytes, d) ? path : NULL;
}
