// SPDX-License-Identifier: Apache-2.0
// Drawings: drawn marks, positions of ticks, colors that mean architectures.
#include "report/chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *text_of(const Chart *c, bool csv) {
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    if (csv) chart_csv(f, c);
    else chart_svg(f, c, true);
    fclose(f);
    return text;
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

static const char *const groups[] = {"sgemm", "bfs <1>", "mean"};

static Chart chart(const ChartSeries *series, int n) {
    return (Chart){.kind = CHART_BARS,
                   .id = "1",
                   .title = "t",
                   .unit = "%",
                   .note = "",
                   .groups = groups,
                   .ngroups = 3,
                   .nsums = 1,
                   .series = series,
                   .nseries = n};
}

// Labels at the left are multiples of 1, 2 or 5 times a power of ten, and 0 is one of them, for any
// values.
static void ticks(void **state) {
    (void)state;
    const double tops[] = {0.003, 0.7, 1, 3.1, 7, 34.8, 99, 100, 1234, 5e6},
                 bottoms[] = {0, -0.2, -4, -77};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        for (size_t k = 0; k < sizeof bottoms / sizeof *bottoms; k++) {
            const double values[] = {tops[i], bottoms[k], NAN};
            const Chart c =
                chart(&(ChartSeries){.name = "corf", .arch = "corf", .values = values}, 1);
            char *svg = text_of(&c, false);
            double label[64], step;
            int n = 0;
            bool zero = false;
            for (const char *p = svg; (p = strstr(p, "text-anchor='end'>")) && n < 64;) {
                p += strlen("text-anchor='end'>");
                label[n] = strtod(p, NULL);
                zero |= label[n++] == 0;
            }
            assert_in_range(n, 2, 12);
            assert_true(zero);
            step = label[1] - label[0];
            const double lead = step / pow(10, floor(log10(step) + 1e-9));
            assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6);
            assert_true(label[0] <= bottoms[k] + step * 1e-6 &&
                        label[n - 1] >= tops[i] - step * 1e-6);
            free(svg);
        }
}

// A bar for each number, a hollow marker for each of the paper's, nothing for a missing one.
static void marks(void **state) {
    (void)state;
    const double corf[] = {3, NAN, 4}, none[] = {NAN, NAN, NAN}, paper[] = {NAN, NAN, 10};
    const ChartSeries series[] = {{.name = "corf", .arch = "corf", .values = corf, .paper = paper},
                                  {.name = "gone", .arch = "bow", .values = none}};
    const Chart c = chart(series, 2);
    char *svg = text_of(&c, false), *csv = text_of(&c, true);
    char color[COLOR_TEXT], bow[COLOR_TEXT];
    chart_color(color, "corf", 0, 1), chart_color(bow, "bow", 0, 1);
    assert_int_equal(count(svg, color), 2 + 1 + 1);  // bars, legend, marker
    assert_int_equal(count(svg, bow), 0);
    assert_int_equal(count(svg, "gone"), 0);
    assert_int_equal(count(svg, "fill='#fff' fill-opacity"), 1 + 1);  // marker, legend
    assert_int_equal(count(svg, "bfs <1>"), 0);
    assert_int_equal(count(svg, "bfs &lt;1&gt;"), 1);
    assert_string_equal(
        csv, "group,series,architecture,value,paper\nsgemm,corf,corf,3,\nmean,corf,corf,4,10\n");
    free(svg), free(csv);
}

static void colors(void **state) {
    (void)state;
    static const char *const archs[] = {
        "baseline",    "packing",  "firstfit",   "corf", "corf++", "rfv",
        "packing:rfv", "corf:rfv", "corf++:rfv", "bow",  "bow-wb", "bow-wr",
        "bow-wr-half", "rfc",      "regmutex",   "owf",  "pmode",  "pmode:2xbw"};
    enum { N = sizeof archs / sizeof *archs };
    char a[COLOR_TEXT], b[COLOR_TEXT];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const bool same =
                !strcmp(chart_color(a, archs[i], 0, 1), chart_color(b, archs[k], 0, 3));
            assert_int_equal(same, i == k);  // the first shade is the color
        }
    for (int i = 1; i < 6; i++)
        assert_string_not_equal(chart_color(a, "corf", i, 6), chart_color(b, "corf", i - 1, 6));
}

// Points of the front are ringed and joined; others are not.
static void front(void **state) {
    (void)state;
    const double ipc[] = {1, 2, 1.5}, area[] = {100, 300, 400};
    const bool best[] = {true, true, false};
    const ChartSeries s = {.name = "corf", .arch = "corf", .values = ipc, .x = area, .front = best};
    Chart c = chart(&s, 1);
    c.kind = CHART_POINTS, c.x_title = "area", c.nsums = 0;
    char *svg = text_of(&c, false);
    assert_int_equal(count(svg, "<circle"), 3);
    assert_int_equal(count(svg, "r='7'"), 2);
    char *path = strstr(svg, "stroke-dasharray");
    assert_non_null(path);
    *strstr(path, "/>") = 0;
    assert_int_equal(count(path, "L"), 1);
    free(svg);
}

// Names of points that lie on one another are legible: no two cross.
static void names(void **state) {
    (void)state;
    static const char *const long_names[] = {
        "oc.collectors=16 rf.banks=4", "oc.collectors=16 rf.banks=8", "oc.collectors=8 rf.banks=4"};
    const double ipc[] = {0.776, 0.788, 0.79}, area[] = {20186, 20724, 20800};
    const bool best[] = {true, true, true};
    const ChartSeries s = {.name = "corf", .arch = "corf", .values = ipc, .x = area, .front = best};
    Chart c = chart(&s, 1);
    c.kind = CHART_POINTS, c.x_title = "area", c.nsums = 0, c.groups = long_names;
    char *svg = text_of(&c, false);
    double x[3], y[3];
    int n = 0;
    for (char *at = svg; (at = strstr(at, "<text ")); at++) {
        char *end = strchr(at, '>');
        if (!end || strncmp(end + 1, "oc.", 3) || strstr(at, "font-size='10'") > end) continue;
        assert_int_equal(sscanf(strstr(at, "x='"), "x='%lf' y='%lf'", &x[n], &y[n]), 2);
        n++;
    }
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            assert_true(fabs(y[i] - y[k]) >= 11 || fabs(x[i] - x[k]) >= 5.6 * 26);
    free(svg);
}

// Ends of an interval are at their values, on an axis with room for them. A value without an
// interval has no error bar. The CSV has columns of ends only where a series has them.
static void intervals(void **state) {
    (void)state;
    const double values[] = {10, 20, 15}, low[] = {5, NAN, 10}, high[] = {40, NAN, 20};
    const ChartSeries s = {
        .name = "corf", .arch = "corf", .values = values, .low = low, .high = high};
    const ChartKind kinds[] = {CHART_BARS, CHART_LINES, CHART_POINTS};
    for (int i = 0; i < 3; i++) {
        ChartSeries one = s;
        one.x = values;
        Chart c = chart(&one, 1);
        c.kind = kinds[i], c.nsums = 0;
        if (i == 2) c.x_title = "x";
        char *svg = text_of(&c, false), *at = strstr(svg, "class='interval'");
        double x, from, to, other, caps[2];
        assert_int_equal(count(svg, "class='interval'"), 2);
        assert_int_equal(sscanf(strstr(at, " d='"), " d='M%lf %lfV%lfM%lf %lfh8M%lf %lfh8", &x,
                                &from, &to, &other, &caps[0], &other, &caps[1]),
                         7);
        assert_true(fabs(from - caps[0]) < 0.01 && fabs(to - caps[1]) < 0.01);
        assert_true(fabs((from - to) - 250 * 35.0 / 40) < 0.2);  // the axis ends at 40
        free(svg);
    }
    Chart c = chart(&s, 1);
    char *csv = text_of(&c, true);
    assert_non_null(strstr(csv, "group,series,architecture,value,paper,low,high\n"));
    assert_non_null(strstr(csv, "sgemm,corf,corf,10,,5,40\n"));
    assert_non_null(strstr(csv, "bfs <1>,corf,corf,20,,,\n"));
    free(csv);
    const ChartSeries without = {.name = "corf", .arch = "corf", .values = values};
    c.series = &without;
    csv = text_of(&c, true);
    assert_non_null(strstr(csv, "group,series,architecture,value,paper\n"));
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ticks),  cmocka_unit_test(marks),
                                       cmocka_unit_test(colors), cmocka_unit_test(front),
                                       cmocka_unit_test(names),  cmocka_unit_test(intervals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
