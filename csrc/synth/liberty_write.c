// SPDX-License-Identifier: Apache-2.0
// The canonical copy of a library: the statements that area, timing and power need, each in one
// spelling that Yosys, abc and OpenSTA read. A cell that they would not read, or would misread, is
// left out with its reason. Names are identifiers, values are numbers, functions or harmless texts:
// nothing of the file means anything to a script.
#include "synth/liberty_tree.h"

#include "base/hash.h"
#include "base/plain.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// How a statement is copied.
typedef enum As {
    AS_NUMBER,
    AS_NAME,
    AS_TIME,
    AS_TEXT,
    AS_BOOL,
    AS_DIRECTION,
    AS_MODEL,
    AS_FUNCTION,
    AS_CONDITION,
    AS_WORDS,
    AS_AXIS,
    // AS_READ: by its group
    AS_GROUP,
    AS_TEMPLATE,
    AS_CELL,
    AS_PIN,
    AS_STATE,
    AS_TIMING,
    AS_TABLE,
    AS_POWER_TABLE,
    AS_READ,
    AS_UNUSED,  // a group that makes a cell unfit
} As;
typedef struct Row Row;
struct Row {
    const char *name;
    As as;
    const Row *rows;
};
#define ROWS_END \
    { NULL, AS_NUMBER, NULL }

static const Row condition_rows[] = {{"process", AS_NUMBER, NULL},
                                     {"voltage", AS_NUMBER, NULL},
                                     {"temperature", AS_NUMBER, NULL},
                                     {"tree_type", AS_NAME, NULL},
                                     ROWS_END};
static const Row wire_rows[] = {{"resistance", AS_NUMBER, NULL},   {"capacitance", AS_NUMBER, NULL},
                                {"area", AS_NUMBER, NULL},         {"slope", AS_NUMBER, NULL},
                                {"fanout_length", AS_WORDS, NULL}, ROWS_END};
static const Row selection_rows[] = {{"wire_load_from_area", AS_WORDS, NULL}, ROWS_END};
static const Row template_rows[] = {{"variable_1", AS_NAME, NULL},
                                    {"variable_2", AS_NAME, NULL},
                                    {"variable_3", AS_NAME, NULL},
                                    {"index_1", AS_AXIS, NULL},
                                    {"index_2", AS_AXIS, NULL},
                                    {"index_3", AS_AXIS, NULL},
                                    ROWS_END};
static const Row leakage_rows[] = {{"value", AS_NUMBER, NULL},
                                   {"when", AS_CONDITION, NULL},
                                   {"related_pg_pin", AS_NAME, NULL},
                                   ROWS_END};
static const Row pg_rows[] = {
    {"pg_type", AS_NAME, NULL}, {"voltage_name", AS_NAME, NULL}, ROWS_END};
static const Row ff_rows[] = {
    {"next_state", AS_FUNCTION, NULL},      {"clocked_on", AS_FUNCTION, NULL},
    {"clocked_on_also", AS_FUNCTION, NULL}, {"clear", AS_FUNCTION, NULL},
    {"preset", AS_FUNCTION, NULL},          {"clear_preset_var1", AS_NAME, NULL},
    {"clear_preset_var2", AS_NAME, NULL},   ROWS_END};
static const Row latch_rows[] = {{"enable", AS_FUNCTION, NULL},
                                 {"data_in", AS_FUNCTION, NULL},
                                 {"clear", AS_FUNCTION, NULL},
                                 {"preset", AS_FUNCTION, NULL},
                                 {"clear_preset_var1", AS_NAME, NULL},
                                 {"clear_preset_var2", AS_NAME, NULL},
                                 ROWS_END};
static const Row timing_rows[] = {
    {"related_pin", AS_READ, NULL},        {"timing_sense", AS_NAME, NULL},
    {"timing_type", AS_NAME, NULL},        {"when", AS_CONDITION, NULL},
    {"related_output_pin", AS_NAME, NULL}, {"cell_rise", AS_TABLE, NULL},
    {"cell_fall", AS_TABLE, NULL},         {"rise_transition", AS_TABLE, NULL},
    {"fall_transition", AS_TABLE, NULL},   {"rise_constraint", AS_TABLE, NULL},
    {"fall_constraint", AS_TABLE, NULL},   ROWS_END};
static const Row power_rows[] = {{"related_pin", AS_READ, NULL},
                                 {"when", AS_CONDITION, NULL},
                                 {"related_pg_pin", AS_NAME, NULL},
                                 {"rise_power", AS_POWER_TABLE, NULL},
                                 {"fall_power", AS_POWER_TABLE, NULL},
                                 {"power", AS_POWER_TABLE, NULL},
                                 ROWS_END};
static const Row pin_rows[] = {{"direction", AS_DIRECTION, NULL},
                               {"function", AS_FUNCTION, NULL},
                               {"three_state", AS_FUNCTION, NULL},
                               {"clock", AS_BOOL, NULL},
                               {"capacitance", AS_NUMBER, NULL},
                               {"rise_capacitance", AS_NUMBER, NULL},
                               {"fall_capacitance", AS_NUMBER, NULL},
                               {"rise_capacitance_range", AS_WORDS, NULL},
                               {"fall_capacitance_range", AS_WORDS, NULL},
                               {"max_capacitance", AS_NUMBER, NULL},
                               {"min_capacitance", AS_NUMBER, NULL},
                               {"max_transition", AS_NUMBER, NULL},
                               {"min_transition", AS_NUMBER, NULL},
                               {"max_fanout", AS_NUMBER, NULL},
                               {"min_fanout", AS_NUMBER, NULL},
                               {"fanout_load", AS_NUMBER, NULL},
                               {"related_power_pin", AS_NAME, NULL},
                               {"related_ground_pin", AS_NAME, NULL},
                               {"clock_gate_clock_pin", AS_BOOL, NULL},
                               {"clock_gate_enable_pin", AS_BOOL, NULL},
                               {"clock_gate_out_pin", AS_BOOL, NULL},
                               {"timing", AS_TIMING, timing_rows},
                               {"internal_power", AS_TIMING, power_rows},
                               ROWS_END};
static const Row cell_rows[] = {{"area", AS_NUMBER, NULL},
                                {"cell_leakage_power", AS_NUMBER, NULL},
                                {"dont_use", AS_BOOL, NULL},
                                {"clock_gating_integrated_cell", AS_NAME, NULL},
                                {"leakage_power", AS_GROUP, leakage_rows},
                                {"pg_pin", AS_GROUP, pg_rows},
                                {"ff", AS_STATE, ff_rows},
                                {"latch", AS_STATE, latch_rows},
                                {"pin", AS_PIN, pin_rows},
                                {"bus", AS_UNUSED, NULL},
                                {"bundle", AS_UNUSED, NULL},
                                {"ff_bank", AS_UNUSED, NULL},
                                {"latch_bank", AS_UNUSED, NULL},
                                ROWS_END};
static const Row library_rows[] = {{"delay_model", AS_MODEL, NULL},
                                   {"time_unit", AS_TIME, NULL},
                                   {"voltage_unit", AS_TEXT, NULL},
                                   {"current_unit", AS_TEXT, NULL},
                                   {"pulling_resistance_unit", AS_TEXT, NULL},
                                   {"leakage_power_unit", AS_TEXT, NULL},
                                   {"capacitive_load_unit", AS_WORDS, NULL},
                                   {"voltage_map", AS_WORDS, NULL},
                                   {"input_threshold_pct_rise", AS_NUMBER, NULL},
                                   {"input_threshold_pct_fall", AS_NUMBER, NULL},
                                   {"output_threshold_pct_rise", AS_NUMBER, NULL},
                                   {"output_threshold_pct_fall", AS_NUMBER, NULL},
                                   {"slew_lower_threshold_pct_rise", AS_NUMBER, NULL},
                                   {"slew_lower_threshold_pct_fall", AS_NUMBER, NULL},
                                   {"slew_upper_threshold_pct_rise", AS_NUMBER, NULL},
                                   {"slew_upper_threshold_pct_fall", AS_NUMBER, NULL},
                                   {"slew_derate_from_library", AS_NUMBER, NULL},
                                   {"nom_process", AS_NUMBER, NULL},
                                   {"nom_voltage", AS_NUMBER, NULL},
                                   {"nom_temperature", AS_NUMBER, NULL},
                                   {"default_operating_conditions", AS_NAME, NULL},
                                   {"default_wire_load", AS_NAME, NULL},
                                   {"default_wire_load_selection", AS_NAME, NULL},
                                   {"default_wire_load_mode", AS_NAME, NULL},
                                   {"default_max_transition", AS_NUMBER, NULL},
                                   {"default_max_fanout", AS_NUMBER, NULL},
                                   {"default_max_capacitance", AS_NUMBER, NULL},
                                   {"default_fanout_load", AS_NUMBER, NULL},
                                   {"default_cell_leakage_power", AS_NUMBER, NULL},
                                   {"default_inout_pin_cap", AS_NUMBER, NULL},
                                   {"default_input_pin_cap", AS_NUMBER, NULL},
                                   {"default_output_pin_cap", AS_NUMBER, NULL},
                                   {"operating_conditions", AS_GROUP, condition_rows},
                                   {"wire_load", AS_GROUP, wire_rows},
                                   {"wire_load_selection", AS_GROUP, selection_rows},
                                   {"lu_table_template", AS_TEMPLATE, template_rows},
                                   {"power_lut_template", AS_TEMPLATE, template_rows},
                                   {"cell", AS_CELL, cell_rows},
                                   ROWS_END};

// A template of tables. The tools compute delays by slope and load: abc reads none with one axis,
// TABLE has both.
typedef struct Template {
    const LibertyItem *item;
    const char *name, *variables[3];
    const LibertyItem *axes[3];
} Template;
#define TABLE "smcosim_table"

enum { MOST_NAMES = 256, NAME_BYTES = 100 };

typedef struct Writer {
    Arena *arena;
    char *text;
    size_t n, cap;
    const LibertyItem **lines;  // the statement of each line
    int nlines, cap_lines;
    Template *templates;
    int ntemplates, cap_templates;
    const LibertyItem *bad;  // the rejected item, and why
    const char *why;
    const LibertyItem *cell;
    const char *names[MOST_NAMES];  // pins and states of the cell; npins: the first of them
    int nnames, npins;
    const char *power_pins[MOST_NAMES];
    int npower_pins;
    // of the cell; gate: the pin is a function of others and abc will map to it
    bool statetable, state, gate;
    // pins in the function of the pin; pins with all four tables to it
    bool used[MOST_NAMES], timed[MOST_NAMES];
} Writer;

// ---- text ---------------------------------------------------------------------------------------

static bool refuse_item(Writer *w, const LibertyItem *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse_item(Writer *w, const LibertyItem *at, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->bad = at, w->why = plain_text(w->arena, arena_strndup(w->arena, text, strlen(text)));
    return false;
}

static void put_bytes(Writer *w, const char *text, size_t n) {
    if (w->n + n > w->cap) {
        w->text = realloc(w->text, w->cap = 2 * (w->n + n) + 65536);
        panic_if(!w->text, "out of memory");
    }
    memcpy(w->text + w->n, text, n);
    w->n += n;
}

static void put_text(Writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static bool end_line(Writer *w, const LibertyItem *item, const char *text) {
    put_text(w, text);
    put_text(w, "\n");
    *ARENA_PUSH(w->arena, w->lines, w->nlines, w->cap_lines) = item;
    return true;
}

static bool put_line(Writer *w, const LibertyItem *item, const char *name, const char *before,
                     const char *value, const char *after) {
    put_text(w, name), put_text(w, before), put_text(w, value);
    return end_line(w, item, after);
}

static bool is_identifier(const char *s) {
    const size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return n && !s[n] && n <= NAME_BYTES && !isdigit((unsigned char)*s);
}

// A text that means nothing to a tool when it is between quotation marks.
static bool is_harmless(const char *s) {
    return *s && strlen(s) <= NAME_BYTES &&
        !s[strspn(
            s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:+-*/@#%()<>= ")];
}

static const char *name_text(Writer *w, const char *name) {
    return is_identifier(name) ? name : arena_printf(w->arena, "\"%s\"", name);
}

static bool parse_number(const char *text, double *value) {
    char *end;
    if (!*text || text[strspn(text, "0123456789+-.eE")]) return false;
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

// The numbers of an item, one after the other: in one text or in several, with commas and blanks
// between them.
typedef struct Numbers {
    const LibertyItem *item;
    int word;
    const char *p;
} Numbers;

// The next one; its length is 0 behind the last.
static const char *next_part(Numbers *s, size_t *n) {
    for (;; s->word++, s->p = NULL) {
        if (s->word >= s->item->nwords) return *n = 0, "";
        if (!s->p) s->p = s->item->words[s->word];
        s->p += strspn(s->p, ", \t");
        if ((*n = strcspn(s->p, ", \t"))) return s->p += *n, s->p - *n;
    }
}

// How many, -1: one is not a number. `rises`: each is above the one before it.
static int count_numbers(Writer *w, const LibertyItem *item, bool rises) {
    Numbers s = {.item = item};
    size_t length;
    double value, last = 0;
    int n = 0;
    for (const char *p; p = next_part(&s, &length), length; n++, last = value) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)length, p);
        if (length >= sizeof text || !parse_number(text, &value))
            return refuse_item(w, item, "%s: '%s' is not a number", item->name, text), -1;
        if (rises && n && value <= last)
            return refuse_item(w, item, "%s: %s is not above the number before it", item->name,
                               text),
                   -1;
    }
    return n ? n : (refuse_item(w, item, "%s: no number", item->name), -1);
}

// Rows of `columns` numbers, each number and each row `times` times.
static void put_numbers(Writer *w, const LibertyItem *item, int columns, int each, int rows) {
    for (int row = 0; row < rows; row++) {
        Numbers s = {.item = item};
        size_t length;
        int n = 0;
        put_text(w, row ? ", " : "");
        for (const char *p; p = next_part(&s, &length), length;)
            for (int k = 0; k < each; k++, n++) {
                put_text(w, n % columns ? ", " : n ? "\", \"" : "\"");
                put_bytes(w, p, length);
            }
        put_text(w, "\"");
    }
}

// ---- functions ----------------------------------------------------------------------------------

// `function`: of a pin. `condition`: of a timing or a power, which may name power pins.
typedef struct Expression {
    Writer *w;
    const LibertyItem *item;
    const char *p;
    bool function, condition;
} Expression;
static bool read_or(Expression *e);

static void skip_blanks(Expression *e) {
    while (*e->p == ' ') e->p++;
}

static int find_name(const char *const *names, int n, const char *name) {
    int i = 0;
    while (i < n && strcmp(names[i], name)) i++;
    return i < n ? i : -1;
}

static bool read_name(Expression *e) {
    Writer *w = e->w;
    const size_t n =
        strspn(e->p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    const char *name = arena_strndup(w->arena, e->p, n);
    if (!n)
        return refuse_item(w, e->item, "%s: expected a pin, found '%.20s'", e->item->name,
                           *e->p ? e->p : "the end");
    e->p += n;
    const int i = find_name(w->names, w->nnames, name);
    if (i >= 0) return w->used[i] |= e->function, true;
    if (!strcmp(name, "0") || !strcmp(name, "1") ||
        (e->condition && find_name(w->power_pins, w->npower_pins, name) >= 0))
        return true;
    return refuse_item(w, e->item, "%s: the cell has no pin %.40s", e->item->name, name);
}

static bool read_unit(Expression *e) {
    for (skip_blanks(e); *e->p == '!'; skip_blanks(e)) e->p++;
    if (*e->p == '(') {
        e->p++;
        if (!read_or(e)) return false;
        skip_blanks(e);
        if (*e->p != ')')
            return refuse_item(e->w, e->item, "%s: expected ')', found '%.20s'", e->item->name,
                               *e->p ? e->p : "the end");
        e->p++;
    } else if (!read_name(e)) return false;
    for (skip_blanks(e); *e->p == '\''; skip_blanks(e)) e->p++;
    return true;
}

// Everything but '+' and '|', which are below the others.
static bool read_and(Expression *e) {
    for (;;) {
        if (!read_unit(e)) return false;
        if (!*e->p || strchr("+|)", *e->p)) return true;
        if (strchr("*&^", *e->p)) e->p++;
    }
}

static bool read_or(Expression *e) {
    for (;; e->p++) {
        if (!read_and(e)) return false;
        if (*e->p != '+' && *e->p != '|') return true;
    }
}

static bool check_function(Writer *w, const LibertyItem *item, bool condition) {
    Expression e = {w, item, item->words[0], !strcmp(item->name, "function"), condition};
    if (e.function) memset(w->used, 0, sizeof w->used);
    return read_or(&e) &&
        (!*e.p || refuse_item(w, item, "%s: expected an operator, found '%.20s'", item->name, e.p));
}

// ---- attributes ---------------------------------------------------------------------------------

static const LibertyItem *find_child(const LibertyItem *group, const char *name) {
    const LibertyItem *i = group->first;
    while (i && strcmp(i->name, name)) i = i->next;
    return i;
}

static const char *lower_text(Writer *w, const char *text) {
    char *to = arena_strndup(w->arena, text, strlen(text)), *q = to;
    for (const char *p = text; *p; p++)
        if (*p != ' ') *q++ = (char)tolower((unsigned char)*p);
    *q = '\0';
    return to;
}

static bool write_words(Writer *w, const LibertyItem *item) {
    Numbers s = {.item = item};
    size_t length;
    double value;
    const bool unit = !strcmp(item->name, "capacitive_load_unit");
    int n = 0;
    put_text(w, item->name);
    for (const char *p; p = next_part(&s, &length), length; n++) {
        const char *text = arena_strndup(w->arena, p, length);
        if (unit) text = lower_text(w, text);
        if (!parse_number(text, &value) && !is_harmless(text))
            return refuse_item(w, item, "%s: '%s' is not understood", item->name, text);
        put_text(w, n ? ", " : "(");
        put_text(w, parse_number(text, &value) ? text : name_text(w, text));
    }
    return n >= 2 ? end_line(w, item, ");")
                  : refuse_item(w, item, "%s: expected two values or more", item->name);
}

static bool write_bool(Writer *w, const LibertyItem *item) {
    const char *value = lower_text(w, item->words[0]);
    const bool yes = !strcmp(value, "true") || !strcmp(value, "1");
    if (!yes && strcmp(value, "false") && strcmp(value, "0"))
        return refuse_item(w, item, "%s: expected true or false, found '%s'", item->name,
                           item->words[0]);
    return put_line(w, item, item->name, " : ", yes ? "true" : "false", ";");
}

static bool write_direction(Writer *w, const LibertyItem *item) {
    static const char *const known[] = {"input", "output", "inout", "internal"};
    const char *value = lower_text(w, item->words[0]);
    if (find_name(known, 4, value) < 0)
        return refuse_item(w, item,
                           "direction: expected input, output, inout or internal, found '%s'",
                           item->words[0]);
    return put_line(w, item, item->name, " : ", value, ";");
}

static bool write_attribute(Writer *w, const LibertyItem *item, As as) {
    double number;
    const char *value = item->nwords ? item->words[0] : "";
    if (as == AS_WORDS) return write_words(w, item);
    if (as == AS_AXIS)
        return count_numbers(w, item, false) >= 0 &&
            (put_text(w, item->name), put_text(w, "("), put_numbers(w, item, 1 << 30, 1, 1),
             end_line(w, item, ");"));
    if (item->nwords != 1)
        return refuse_item(w, item, "%s: expected one value, found %d", item->name, item->nwords);
    switch (as) {
    case AS_NUMBER:
        if (!parse_number(value, &number))
            return refuse_item(w, item, "%s: '%s' is not a number", item->name, value);
        return put_line(w, item, item->name, " : ", value, ";");
    case AS_NAME:
    case AS_TEXT:
        if (!is_harmless(value))
            return refuse_item(w, item, "%s: '%s' is not a name", item->name, value);
        return as == AS_NAME && is_identifier(value)
            ? put_line(w, item, item->name, " : ", value, ";")
            : put_line(w, item, item->name, " : \"", value, "\";");
    case AS_TIME:
        if (!is_harmless(value))
            return refuse_item(w, item, "%s: '%s' is not a unit of time", item->name, value);
        return put_line(w, item, item->name, " : \"", lower_text(w, value), "\";");
    case AS_BOOL: return write_bool(w, item);
    case AS_DIRECTION: return write_direction(w, item);
    case AS_MODEL:
        return !strcmp(lower_text(w, value), "table_lookup") ||
            refuse_item(w, item, "delay_model: expected table_lookup, found '%s'", value);
    case AS_FUNCTION:
    case AS_CONDITION:
        return check_function(w, item, as == AS_CONDITION) &&
            put_line(w, item, item->name, " : \"", value, "\";");
    default: return true;
    }
}

// ---- groups -------------------------------------------------------------------------------------

static bool write_item(Writer *w, const LibertyItem *item, const Row *row);

static const Row *find_row(const Row *rows, const LibertyItem *item) {
    static const Row factor = {"k_", AS_NUMBER, NULL};
    for (const Row *row = rows; row->name; row++)
        if (!strcmp(row->name, item->name))
            return item->group == (row->as >= AS_GROUP && row->as != AS_READ) ? row : NULL;
    return rows == library_rows && !item->group && !strncmp(item->name, "k_", 2) &&
            is_identifier(item->name)
        ? &factor
        : NULL;
}

static bool write_items(Writer *w, const LibertyItem *group, const Row *rows) {
    for (const LibertyItem *item = group->first; item; item = item->next) {
        const Row *row = find_row(rows, item);
        if (row && !write_item(w, item, row)) return false;
    }
    return true;
}

static bool write_group(Writer *w, const LibertyItem *item, const char *name, const Row *rows) {
    put_text(w, item->name), put_text(w, " ("), put_text(w, name);
    end_line(w, item, ") {");
    return write_items(w, item, rows) && end_line(w, item, "}");
}

static bool write_named(Writer *w, const LibertyItem *item, const Row *rows) {
    if (item->nwords > 1 || (item->nwords && !is_harmless(item->words[0])))
        return refuse_item(w, item, "%s: expected a name, found '%s'", item->name,
                           item->words[item->nwords - 1]);
    if (!strcmp(item->name, "pg_pin") && item->nwords && w->npower_pins < MOST_NAMES)
        w->power_pins[w->npower_pins++] = item->words[0];
    return write_group(w, item, item->nwords ? name_text(w, item->words[0]) : "", rows);
}

static bool write_template(Writer *w, const LibertyItem *item, const Row *rows) {
    Template t = {.item = item, .name = item->nwords ? item->words[0] : ""};
    for (int i = 0; i < 3; i++) {
        const LibertyItem *variable =
            find_child(item, arena_printf(w->arena, "variable_%d", i + 1));
        if (variable && variable->nwords) t.variables[i] = variable->words[0];
        t.axes[i] = find_child(item, arena_printf(w->arena, "index_%d", i + 1));
    }
    *ARENA_PUSH(w->arena, w->templates, w->ntemplates, w->cap_templates) = t;
    return write_named(w, item, rows);
}

// ---- tables -------------------------------------------------------------------------------------

static const Template *find_template(const Writer *w, const char *name, bool power) {
    for (int i = 0; i < w->ntemplates; i++)
        if (!strcmp(w->templates[i].name, name) && power == (w->templates[i].item->name[0] == 'p'))
            return &w->templates[i];
    return NULL;
}

// A table of one axis, written with both: nothing changes along the other one.
static bool widen_table(Writer *w, const LibertyItem *item, const LibertyItem *axis,
                        const LibertyItem *values, const char *variable, int n) {
    const bool slope = variable &&
        (!strcmp(variable, "input_net_transition") || !strcmp(variable, "input_transition_time"));
    if (!slope && (!variable || strcmp(variable, "total_output_net_capacitance")))
        return refuse_item(w, item, "%s: variable %s is neither a slope nor a load", item->name,
                           variable ? variable : "(none)");
    put_line(w, item, item->name, " (", TABLE, ") {");
    put_text(w, slope ? "index_1(" : "index_1(\"0, 1000\"); index_2(");
    put_numbers(w, axis, 1 << 30, 1, 1);
    put_text(w, slope ? "); index_2(\"0, 1000\"); values(" : "); values(");
    put_numbers(w, values, slope ? 2 : n, slope ? 2 : 1, slope ? 1 : 2);
    end_line(w, values, ");");
    return end_line(w, item, "}");
}

static bool write_table(Writer *w, const LibertyItem *item, bool power) {
    const LibertyItem *axes[3] = {0}, *values = find_child(item, "values");
    const char *name = item->nwords == 1 ? item->words[0] : "";
    const bool scalar = !strcmp(name, "scalar");
    const Template *t = scalar ? NULL : find_template(w, name, power);
    int n = 0, sizes[3] = {1, 1, 1};
    if (!values) return refuse_item(w, item, "%s: no values", item->name);
    if (!scalar && !t)
        return refuse_item(w, item, "%s: the library has no table template '%s'", item->name, name);
    for (int i = 0; i < 3 && t && t->variables[i]; i++, n++) {
        const LibertyItem *own = find_child(item, arena_printf(w->arena, "index_%d", i + 1));
        if (!(axes[i] = own ? own : t->axes[i]))
            return refuse_item(w, item, "%s: no index_%d", item->name, i + 1);
        if ((sizes[i] = count_numbers(w, axes[i], true)) < 0) return false;
    }
    const int found = count_numbers(w, values, false), wanted = sizes[0] * sizes[1] * sizes[2];
    if (found < 0) return false;
    if (found != wanted)
        return refuse_item(w, values, "%s: %d values, expected %d", item->name, found, wanted);
    if (w->gate && !power && n == 1)
        return widen_table(w, item, axes[0], values, t->variables[0], sizes[0]);
    if (w->gate && !power && n == 3)
        return refuse_item(w, item, "%s: a table of three axes", item->name);
    put_line(w, item, item->name, " (", name_text(w, name), ") {");
    for (int i = 0; i < n; i++) {
        if (axes[i] == t->axes[i]) continue;
        put_text(w, axes[i]->name), put_text(w, "("), put_numbers(w, axes[i], 1 << 30, 1, 1);
        end_line(w, axes[i], ");");
    }
    put_text(w, "values("), put_numbers(w, values, n ? sizes[n - 1] : 1, 1, 1);
    end_line(w, values, ");");
    return end_line(w, item, "}");
}

// ---- timing -------------------------------------------------------------------------------------

// Of a gate abc needs every arc whole.
static bool is_whole(Writer *w, const LibertyItem *item) {
    static const char *const tables[] = {"cell_rise", "cell_fall", "rise_transition",
                                         "fall_transition"};
    for (int i = 0; i < 4; i++)
        if (!find_child(item, tables[i]))
            return refuse_item(w, item, "timing of a gate without %s", tables[i]);
    return true;
}

// A group per related pin.
static bool write_timing(Writer *w, const LibertyItem *item, const Row *row) {
    const LibertyItem *related = find_child(item, "related_pin");
    const bool timing = row->rows == timing_rows;
    Numbers s = {.item = related};
    size_t length;
    int n = 0;
    if (timing && w->gate && !is_whole(w, item)) return false;
    if (!related && timing) return refuse_item(w, item, "timing without related_pin");
    if (!related) return write_group(w, item, "", row->rows);
    for (const char *p; p = next_part(&s, &length), length; n++) {
        const char *pin = arena_strndup(w->arena, p, length);
        const int i = find_name(w->names, w->npins, pin);
        if (i < 0) return refuse_item(w, related, "related_pin: the cell has no pin %s", pin);
        w->timed[i] |= timing;
        put_text(w, item->name);
        end_line(w, item, " () {");
        put_line(w, related, "related_pin", " : \"", pin, "\";");
        if (!write_items(w, item, row->rows)) return false;
        end_line(w, item, "}");
    }
    return n || refuse_item(w, related, "related_pin: no pin");
}

// ---- cells --------------------------------------------------------------------------------------

static bool is_direction(const LibertyItem *pin, const char *direction) {
    const LibertyItem *item = find_child(pin, "direction");
    return item && item->nwords && !strcasecmp(item->words[0], direction);
}

static bool all_timed(Writer *w, const LibertyItem *pin) {
    for (int i = 0; i < w->npins; i++)
        if (w->used[i] && !w->timed[i])
            return refuse_item(w, pin, "pin %s has no timing to %s", pin->words[0], w->names[i]);
    return true;
}

static bool write_pin(Writer *w, const LibertyItem *item) {
    const LibertyItem *function = find_child(item, "function");
    if (!find_child(item, "direction"))
        return refuse_item(w, item, "pin %s has no direction", item->words[0]);
    w->gate = function && !w->state && !find_child(item, "three_state");
    if (w->gate && is_direction(item, "inout"))
        return refuse_item(w, function, "the function of an inout pin");
    for (int i = 0; i < item->nwords; i++) {
        memset(w->timed, 0, sizeof w->timed);
        put_line(w, item, "pin", " (", item->words[i], ") {");
        for (const LibertyItem *c = item->first; c; c = c->next) {
            const Row *row = find_row(pin_rows, c);
            // An output of a state table is no function of pins.
            if (row && !(w->statetable && row->as == AS_FUNCTION) && !write_item(w, c, row))
                return false;
        }
        end_line(w, item, "}");
        if (w->gate && !all_timed(w, item)) return false;
    }
    return true;
}

// ff (IQ, IQN): a missing second name is filled in.
static bool write_state(Writer *w, const LibertyItem *item, const Row *row) {
    const bool ff = !strcmp(item->name, "ff");
    const char *needed[] = {ff ? "clocked_on" : "enable", ff ? "next_state" : "data_in"};
    for (int i = 0; i < 2; i++)
        if (!find_child(item, needed[i]))
            return refuse_item(w, item, "%s without %s", item->name, needed[i]);
    const char *second = item->nwords > 1
        ? item->words[1]
        : arena_printf(w->arena, "%sN_%d", item->words[0], w->nlines);
    return write_group(w, item, arena_printf(w->arena, "%s, %s", item->words[0], second),
                       row->rows);
}

static bool add_name(Writer *w, const LibertyItem *item, const char *name) {
    if (!is_identifier(name))
        return refuse_item(w, item, "%s '%s': the name is not letters, digits and underscores",
                           item->name, name);
    if (find_name(w->names, w->nnames, name) >= 0)
        return refuse_item(w, item, "%s %s: the cell has two of that name", item->name, name);
    if (w->nnames == MOST_NAMES) return refuse_item(w, item, "more than %d pins", MOST_NAMES);
    w->names[w->nnames++] = name;
    return true;
}

static bool find_names(Writer *w, const LibertyItem *cell) {
    w->nnames = w->npower_pins = 0;
    w->state = w->statetable = false;
    for (const LibertyItem *i = cell->first; i; i = i->next) {
        if (!i->group || strcmp(i->name, "pin")) continue;
        if (!i->nwords) return refuse_item(w, i, "pin without a name");
        for (int k = 0; k < i->nwords; k++)
            if (!add_name(w, i, i->words[k])) return false;
    }
    w->npins = w->nnames;
    for (const LibertyItem *i = cell->first; i; i = i->next) {
        w->statetable |= i->group && !strcmp(i->name, "statetable");
        if (!i->group || (strcmp(i->name, "ff") && strcmp(i->name, "latch"))) continue;
        w->state = true;
        if (i->nwords < 1 || i->nwords > 2)
            return refuse_item(w, i, "%s: expected the names of the state and of its inverse",
                               i->name);
        for (int k = 0; k < i->nwords; k++)
            if (!add_name(w, i, i->words[k])) return false;
    }
    w->state |= w->statetable;
    return true;
}

static bool write_cell(Writer *w, const LibertyItem *item) {
    const char *name = item->nwords == 1 ? item->words[0] : "";
    if (!is_identifier(name))
        return refuse_item(w, item, "the name is not letters, digits and underscores");
    if (!strncmp(name, "ram_", 4)) return refuse_item(w, item, "its name is one of memory macros");
    if (!find_names(w, item)) return false;
    put_line(w, item, "cell", " (", name, ") {");
    // Power pins first: conditions may name them.
    for (const LibertyItem *c = item->first; c; c = c->next)
        if (c->group && !strcmp(c->name, "pg_pin") && !write_named(w, c, pg_rows)) return false;
    for (const LibertyItem *c = item->first; c; c = c->next) {
        const Row *row = find_row(cell_rows, c);
        if (row && row->rows != pg_rows && !write_item(w, c, row)) return false;
    }
    return end_line(w, item, "}");
}

static bool write_item(Writer *w, const LibertyItem *item, const Row *row) {
    switch (row->as) {
    case AS_GROUP: return write_named(w, item, row->rows);
    case AS_TEMPLATE: return write_template(w, item, row->rows);
    case AS_PIN: return write_pin(w, item);
    case AS_STATE: return write_state(w, item, row);
    case AS_TIMING: return write_timing(w, item, row);
    case AS_TABLE:
    case AS_POWER_TABLE: return write_table(w, item, row->as == AS_POWER_TABLE);
    case AS_UNUSED: return refuse_item(w, item, "%s groups are not supported", item->name);
    case AS_READ:
    case AS_CELL: return true;
    default: return write_attribute(w, item, row->as);
    }
}

// ---- library ------------------------------------------------------------------------------------

static void leave_out(Liberty *l, Writer *w, LibertyItem *cell, int *cap) {
    const char *name = plain_text(w->arena, cell->nwords ? cell->words[0] : "");
    *ARENA_PUSH(w->arena, l->left_out, l->nleft_out, *cap) =
        (LibertyNote){name, w->bad->path, w->bad->line, w->bad->col, w->why};
    cell->left_out = true;
}

static int by_text(const void *a, const void *b) {
    const LibertyItem *x = *(LibertyItem *const *)a, *y = *(LibertyItem *const *)b;
    const int order = strcmp(x->words[0], y->words[0]);
    return order ? order : x->line - y->line;
}

// The second of two cells with one name.
static void mark_doubles(Writer *w, LibertyItem *library) {
    LibertyItem **cells = NULL;
    int n = 0, cap = 0;
    for (LibertyItem *i = library->first; i; i = i->next)
        if (i->group && !strcmp(i->name, "cell") && i->nwords == 1)
            *ARENA_PUSH(w->arena, cells, n, cap) = i;
    if (n) qsort(cells, (size_t)n, sizeof *cells, by_text);
    for (int i = 1; i < n; i++)
        cells[i]->left_out = !strcmp(cells[i]->words[0], cells[i - 1]->words[0]);
}

static void write_cells(Liberty *l, Writer *w, LibertyItem *library) {
    int cap = 0;
    mark_doubles(w, library);
    for (LibertyItem *cell = library->first; cell; cell = cell->next) {
        if (!cell->group || strcmp(cell->name, "cell")) continue;
        const size_t n = w->n;
        const int nlines = w->nlines;
        if (cell->left_out ? refuse_item(w, cell, "the library has two cells of that name")
                           : write_cell(w, cell))
            continue;
        w->n = n, w->nlines = nlines;
        leave_out(l, w, cell, &cap);
    }
}

bool liberty_write(Liberty *l, Arena *arena, LibertyItem *library, Diag *d) {
    Writer w = {.arena = arena};
    bool good = is_harmless(library->words[0]) ||
        refuse_item(&w, library, "library: '%s' is not a name", library->words[0]);
    if (good) {
        put_line(&w, library, "library", " (", name_text(&w, library->words[0]), ") {");
        put_line(&w, library, "delay_model", " : ", "table_lookup", ";");
        put_line(&w, library, "lu_table_template", " (", TABLE,
                 ") { variable_1 : input_net_transition; variable_2 : "
                 "total_output_net_capacitance; index_1(\"0, 1000\"); index_2(\"0, 1000\"); }");
        good = write_items(&w, library, library_rows);
    }
    if (good) {
        write_cells(l, &w, library);
        end_line(&w, library, "}");
        l->copy = memcpy(arena_alloc(arena, w.n + 1), w.text, w.n);
        l->copy_bytes = w.n;
        l->copy_hash = hash_bytes(HASH_START, w.text, w.n);
        l->lines = w.lines, l->nlines = w.nlines;
    } else diag_fail(d, EXIT_USAGE, "%s:%d:%d: %s", w.bad->path, w.bad->line, w.bad->col, w.why);
    free(w.text);
    return good;
}
