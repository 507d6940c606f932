// SPDX-License-Identifier: Apache-2.0
// A reader for Liberty: groups `name (args) { .. }`, attributes `name : value;` and `name (args);`.
#include "synth/internal.h"

#include "base/hash.h"
#include "base/plain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Levels of groups, and of parentheses in a function: both are read by functions that call themselves.
enum { MOST_GROUPS = 20, MOST_LEVELS = 1000 };

typedef struct Reader {
    Arena *arena;
    const char *path, *p, *text;
    Diag *d;
} Reader;

static void place_of(const Reader *r, int *line, int *col) {
    *line = *col = 1;
    for (const char *q = r->text; q < r->p; q++) {
        ++*col;
        if (*q == '\n') ++*line, *col = 1;
    }
}

static bool bad(Reader *r, const char *expected) {
    char found[24];
    int line, col;
    place_of(r, &line, &col);
    snprintf(found, sizeof found, "%.*s", (int)strcspn(r->p, "\r\n"), r->p);
    return diag_fail(r->d, EXIT_USAGE, "%s:%d:%d: not a Liberty library: expected %s, found '%s'", r->path, line, col,
                     expected, *r->p ? found : "the end of the file");
}

static void skip(Reader *r) {
    for (;;) {
        while (isspace((unsigned char)*r->p) || (*r->p == '\\' && (r->p[1] == '\n' || r->p[1] == '\r'))) r->p++;
        if (r->p[0] == '/' && r->p[1] == '*') {
            const char *end = strstr(r->p + 2, "*/");
            r->p = end ? end + 2 : r->p + strlen(r->p);
        } else if (r->p[0] == '/' && r->p[1] == '/') r->p += strcspn(r->p, "\n");
        else return;
    }
}

static char *word(Reader *r) {
    skip(r);
    if (*r->p == '"') {
        const char *end = strchr(r->p + 1, '"');
        if (!end) return NULL;
        char *text = arena_strndup(r->arena, r->p + 1, (size_t)(end - r->p - 1));
        r->p = end + 1;
        return text;
    }
    const size_t n = strcspn(r->p, " \t\r\n:;(){},\"");
    if (!n) return NULL;
    char *text = arena_strndup(r->arena, r->p, n);
    r->p += n;
    return text;
}

// What a walk over the library collects.
typedef struct Cell {
    const char *name;
    double area;
    const char *next;         // state of a flip-flop: its data pin, where it is one
    bool state, clocked, other_state, tristate, no_use;
    int inputs, outputs;
    const char *pins[2], *function;
    const char *pin;          // being read
    const char *direction, *pin_function;
    const char *output;       // a pin
} Cell;

// Value of a Liberty function with pins[i] = bit i of `values`; -1: something else than & | ! ^ of the pins.
typedef struct Function { const char *p; const Cell *cell; unsigned values; } Function;
static int function_or(Function *f);

static void blanks(Function *f) { while (isspace((unsigned char)*f->p)) f->p++; }

static int function_unit(Function *f) {
    int v = -1;
    bool negated = false;
    for (blanks(f); *f->p == '!'; blanks(f)) f->p++, negated = !negated;
    if (*f->p == '(') {
        f->p++;
        v = function_or(f);
        blanks(f);
        if (*f->p != ')') return -1;
        f->p++;
    } else {
        const size_t n = strspn(f->p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_[]");
        for (int i = 0; i < 2 && n; i++)
            if (f->cell->pins[i] && strlen(f->cell->pins[i]) == n && !strncmp(f->cell->pins[i], f->p, n))
                v = (int)(f->values >> i & 1);
        f->p += n;
    }
    for (blanks(f); *f->p == '\'' && v >= 0; blanks(f)) f->p++, v = !v;
    return v >= 0 && negated ? !v : v;
}

static int function_and(Function *f) {
    int v = function_unit(f);
    for (;;) {
        blanks(f);
        const bool named = isalnum((unsigned char)*f->p) || *f->p == '_' || *f->p == '(' || *f->p == '!';
        if (v < 0 || (*f->p != '*' && *f->p != '&' && *f->p != '^' && !named)) return v;
        const char op = named ? '*' : *f->p++;
        const int w = function_unit(f);
        v = w < 0 ? w : op == '^' ? v ^ w : v & w;
    }
}

static int function_or(Function *f) {
    int v = function_and(f);
    for (;;) {
        blanks(f);
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
        blanks(&f);
        if (bit < 0 || *f.p) return -1;
        table |= bit << v;
    }
    return c->function ? table : -1;
}

static void end_pin(Cell *c) {
    if (!c->direction) return;
    if (!strcmp(c->direction, "input")) {
        if (c->inputs < 2) c->pins[c->inputs] = c->pin;
        c->inputs++;
    } else if (!strcmp(c->direction, "output")) {
        c->function = c->outputs++ ? NULL : c->pin_function;
        c->output = c->pin;
    }
    c->direction = c->pin_function = NULL;
}

typedef struct Walk {
    Liberty *l;
    Cell cell;
    int cap;
    bool clocked;             // a flip-flop was seen that registers can be mapped to
    double buffer_area, inverter_area;
} Walk;

static void end_cell(Walk *w, Arena *arena) {
    Liberty *l = w->l;
    const Cell *c = &w->cell;
    l->ncells++;
    if (c->state) *ARENA_PUSH(arena, l->flops, l->nflops, w->cap) = (LibertyFlop){c->name, c->clocked ? c->next : NULL};
    if (c->state || c->other_state || c->tristate || c->no_use || c->outputs != 1) return;
    if (c->inputs == 2 && truth_table(c) == 7 && c->area > 0 && (!l->nand2 || c->area < l->nand2_area))
        l->nand2 = c->name, l->nand2_area = c->area;
    if (c->inputs == 1 && truth_table(c) == 2 && (!l->buffer || c->area < w->buffer_area))
        l->buffer = c->name, w->buffer_area = c->area;
    if (c->inputs == 1 && truth_table(c) == 1 && (!l->inverter || c->area < w->inverter_area))
        l->inverter = c->name, l->inverter_in = c->pins[0], l->inverter_out = c->output, w->inverter_area = c->area;
}

static void attribute(Walk *w, Arena *arena, const char *group, const char *name, const char *value) {
    Cell *c = &w->cell;
    if (!strcmp(group, "cell")) {
        if (!strcmp(name, "area")) c->area = strtod(value, NULL);
        if (!strcmp(name, "dont_use")) c->no_use = !strcmp(value, "true");
    } else if (!strcmp(group, "pin")) {
        if (!strcmp(name, "direction")) c->direction = value;
        if (!strcmp(name, "function")) c->pin_function = value;
        if (!strcmp(name, "three_state")) c->tristate = true;
    } else if (!strcmp(group, "ff")) {
        // Set and reset, where a flip-flop has them, are tied off; a scan multiplexer is not understood.
        if (!strcmp(name, "next_state")) {
            c->clocked = !value[strcspn(value, "*&|+^")];
            const char *pin = value + strspn(value, "!( ");
            c->next = arena_strndup(arena, pin, strcspn(pin, ")' "));
        }
    } else if (!strcmp(group, "library")) {
        if (!strcmp(name, "nom_voltage")) w->l->volts = strtod(value, NULL);
        if (!strcmp(name, "default_operating_conditions")) w->l->conditions = true;
        if (!strcmp(name, "default_wire_load")) w->l->wire_load = arena_strndup(arena, value, strlen(value));
    }
}

static bool body(Reader *r, Walk *w, const char *group, int depth);

// `text` was read from `at`, with or without a quotation mark in front.
static bool is_shallow(Reader *r, const char *at, const char *text) {
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth <= MOST_LEVELS) continue;
        r->p = at + (*at == '"') + (p - text);
        return bad(r, "fewer parentheses within parentheses (at most 1000)");
    }
    return true;
}

// One statement inside a group.
static bool statement(Reader *r, Walk *w, const char *group, int depth) {
    char *name = word(r), *first = NULL, *second = NULL;
    if (!name) return bad(r, "an attribute or a group");
    skip(r);
    if (*r->p == ':') {
        r->p++;
        skip(r);
        const char *at = r->p;
        char *value = word(r);
        if (!value) return bad(r, "a value");
        if (!strcmp(name, "function") && !is_shallow(r, at, value)) return false;
        r->p += strcspn(r->p, ";}\n");
        if (*r->p == ';') r->p++;
        attribute(w, r->arena, group, name, value);
        return true;
    }
    if (*r->p != '(') return bad(r, "':' or '('");
    r->p++;
    for (int i = 0;; i++) {
        skip(r);
        if (*r->p == ')') break;
        if (*r->p == ',') { r->p++; continue; }
        char *argument = word(r);
        if (!argument) return bad(r, "')'");
        if (i == 0) first = argument;
        else if (!second) second = argument;
    }
    r->p++;
    skip(r);
    if (!strcmp(name, "capacitive_load_unit") && first && second)
        w->l->cap_pf = strtod(first, NULL) * (tolower((unsigned char)second[0]) == 'f' ? 1e-3 : 1);
    if (*r->p != '{') {
        if (*r->p == ';') r->p++;
        return true;
    }
    r->p++;
    Cell *c = &w->cell;
    if (depth == 1 && !strcmp(name, "cell")) *c = (Cell){.name = first ? first : ""};
    else if (depth == 2 && !strcmp(name, "pin")) c->pin = first ? first : "";
    else if (depth == 2 && !strcmp(name, "ff")) c->state = true, c->clocked = false;
    else if (depth == 2 && (!strcmp(name, "latch") || !strcmp(name, "statetable"))) c->other_state = true;
    if (!body(r, w, name, depth + 1)) return false;
    if (depth == 2 && !strcmp(name, "pin")) end_pin(c);
    if (depth == 1 && !strcmp(name, "cell")) {
        w->clocked |= c->clocked;
        end_cell(w, r->arena);
    }
    return true;
}

static bool body(Reader *r, Walk *w, const char *group, int depth) {
    if (depth > MOST_GROUPS) return bad(r, "fewer groups within groups");
    for (;;) {
        skip(r);
        if (*r->p == ';') r->p++;
        else if (*r->p == '}') return r->p++, true;
        else if (!*r->p) return bad(r, "'}'");
        else if (!statement(r, w, group, depth)) return false;
    }
}

// The node that a library's name tells.
static int node_of(const char *name) {
    static const struct { const char *part; int nm; } known[] = {
        {"osu018", 180}, {"osu035", 350}, {"osu050", 500}, {"sky130", 130}, {"gf180", 180}, {"gscl45", 45},
        {"Nangate45", 45}, {"NangateOpenCell", 45}, {"asap7", 7}, {"sg13g2", 130}, {"ihp130", 130}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasestr(name, known[i].part)) return known[i].nm;
    return 0;
}

bool liberty_read(Liberty *l, Arena *arena, const char *path, int nm, Diag *d) {
    char *text;
    size_t n;
    *l = (Liberty){.path = path, .cap_pf = 1, .nm = nm};
    if (!strcmp(path, SYNTH_DEFAULT_LIBERTY)) {
        FILE *f = fopen(path, "r");
        if (!f) return diag_fail(d, EXIT_ENVIRONMENT, "the default library %s is missing: apt install qflow-tech-osu018, "
                                 "or name another with --liberty", path);
        fclose(f);
    }
    if (!file_read(arena, path, &text, &n, d)) return false;
    l->hash = hash_bytes(HASH_START, text, n);
    Reader r = {arena, path, text, text, d};
    char *head = word(&r);
    skip(&r);
    if (!head || strcmp(head, "library") || *r.p != '(') {
        r.p = text;
        return bad(&r, "library (NAME) {");
    }
    r.p++;
    char *name = word(&r);
    skip(&r);
    if (!name || *r.p != ')') return bad(&r, "the library's name and ')'");
    r.p++;
    skip(&r);
    if (*r.p != '{') return bad(&r, "'{'");
    r.p++;
    l->name = plain_text(arena, name);
    Walk w = {.l = l};
    if (!body(&r, &w, "library", 1)) return false;
    if (!l->ncells) return diag_fail(d, EXIT_USAGE, "%s: the library has no cells", path);
    if (!w.clocked) return diag_fail(d, EXIT_USAGE, "%s: the library has no flip-flop (ff group) whose next state is one pin (%d cells)", path, l->ncells);
    if (!l->nand2) return diag_fail(d, EXIT_USAGE, "%s: the library has no two-input NAND with an area; gate equivalents "
                                    "need one", path);
    if (!l->nm) l->nm = node_of(name);
    return true;
}
