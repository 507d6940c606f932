// SPDX-License-Identifier: Apache-2.0
// smcosim internal draw DIR: a drawing from its description on standard input, for scripts that
// write chapters of bench/repro.
//     {"id": "5.9", "title": "..", "unit": "%", "note": "", "kind": "bars", "groups": ["a", ..],
//      "means": 1, "series": [{"name": "larf", "arch": "larf", "values": [1.5, null, ..], "paper":
//      [null, ..]}, ..]}
// kind: bars (where there is none) or stacked.
#include "cli/cli.h"

#include "report/chart.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const double *read_numbers(Arena *arena, json_t *list, int n) {
    double *v = ARENA_ARRAY(arena, double, n + 1);
    for (int i = 0; i < n; i++) {
        json_t *x = json_array_get(list, (size_t)i);
        v[i] = json_is_number(x) ? json_number_value(x) : NAN;
    }
    return v;
}

static const char *read_word(json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

static bool draw_chart(const char *dir, Arena *arena, json_t *doc, Diag *d) {
    json_t *groups = json_object_get(doc, "groups"), *series = json_object_get(doc, "series");
    const int n = (int)json_array_size(groups), nseries = (int)json_array_size(series);
    if (!n || !nseries)
        return diag_fail(d, EXIT_USAGE, "draw: expected a JSON object with groups and series");
    const char **names = ARENA_ARRAY(arena, const char *, n);
    for (int i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(groups, (size_t)i));
        names[i] = name ? name : "";
    }
    ChartSeries *list = ARENA_ARRAY(arena, ChartSeries, nseries);
    for (int k = 0; k < nseries; k++) {
        json_t *s = json_array_get(series, (size_t)k);
        list[k] = (ChartSeries){.name = read_word(s, "name"),
                                .arch = read_word(s, "arch"),
                                .values = read_numbers(arena, json_object_get(s, "values"), n),
                                .paper = read_numbers(arena, json_object_get(s, "paper"), n)};
    }
    const bool stacked = !strcmp(read_word(doc, "kind"), "stacked");
    const Chart c = {.kind = stacked ? CHART_STACKED : CHART_BARS,
                     .id = read_word(doc, "id"),
                     .title = read_word(doc, "title"),
                     .unit = read_word(doc, "unit"),
                     .note = read_word(doc, "note"),
                     .groups = names,
                     .ngroups = n,
                     .nsums = (int)json_integer_value(json_object_get(doc, "means")),
                     .series = list,
                     .nseries = nseries};
    if (c.nsums < 0 || c.nsums > n)
        return diag_fail(d, EXIT_USAGE, "draw: %d means of %d groups", c.nsums, n);
    return chart_files(dir, &c, d);
}

int cli_draw(const char *dir) {
    Arena arena = {0};
    Diag d = {0};
    json_error_t error;
    json_t *doc = json_loadf(stdin, 0, &error);
    if (!doc)
        diag_fail(&d, EXIT_USAGE, "draw: standard input:%d:%d: %s", error.line, error.column,
                  error.text);
    else draw_chart(dir, &arena, doc, &d);
    json_decref(doc);
    arena_free(&arena);
    return diag_ok(&d) ? EXIT_PASS : cli_fail(&d);
}
