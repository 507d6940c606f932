// SPDX-License-Identifier: Apache-2.0
// The drawings of compare, sweep and repro, in one style.
//   chart.c    bars, stacked bars, lines and points as SVG, and their numbers as CSV
//   colors.c   the color of an architecture
//   page.c     a self-contained HTML page of charts and tables
// Each architecture has one color on all pages. Several series of one architecture are shades of
// its color. Values of a paper are hollow markers. Axes contain 0, with ticks at 1, 2 or 5 times a
// power of ten. Missing numbers are not drawn, so no group and no legend entry is empty.
#ifndef SMCOSIM_REPORT_CHART_H
#define SMCOSIM_REPORT_CHART_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum ChartKind { CHART_BARS, CHART_STACKED, CHART_LINES, CHART_POINTS } ChartKind;

typedef struct ChartSeries {
    const char *name;      // name in the legend
    const char *arch;      // canonical name, which selects the color
    const double *values;  // [ngroups], in the unit of the chart; NaN: none
    const double *paper;   // [ngroups] the paper's, NaN: none; NULL: none at all
    // [ngroups] ends of the values' intervals, drawn as error bars; NaN: none; NULL: none at all
    const double *low, *high;
    const double *x;  // [ngroups], CHART_POINTS alone
    // [ngroups], CHART_POINTS: joined by a line, in the order of x; NULL: none
    const bool *front;
} ChartSeries;

typedef struct Chart {
    ChartKind kind;
    const char *id;                   // "2.14"; names the files of an export
    const char *title, *unit, *note;  // note "": none
    // CHART_LINES: quantity of the groups; CHART_POINTS: the x axis with its unit; otherwise NULL
    const char *x_title;
    const char *const *groups;
    int ngroups;
    int nsums;   // the last groups are means: bold, behind a gap
    bool named;  // CHART_POINTS: each point has the name of its group, not only those of a front
    const ChartSeries *series;
    int nseries;
} Chart;

// "#rrggbb" of an architecture; of several shades the first is its color and the others are
// lighter.
enum { COLOR_TEXT = 8 };
const char *chart_color(char text[COLOR_TEXT], const char *arch, int shade, int shades);

// A whole SVG document or element, with legend. title: also draw the title, for a separate file.
void chart_svg(FILE *out, const Chart *c, bool title);
// A row per group and series: group, series, architecture, value, paper. CHART_POINTS: x before the
// value. Ends of intervals follow if a series has them: low, high.
void chart_csv(FILE *out, const Chart *c);

// Writes DIR/figure-ID.svg and DIR/figure-ID.csv (blanks of the id are dashes). Creates the folder
// if required. EXIT_ENVIRONMENT.
bool chart_files(const char *dir, const Chart *c, Diag *d);

// ---- pages --------------------------------------------------------------------------------------

void page_begin(FILE *out, const char *title, const char *version, const char *command);
// A section with the drawing, its note, and its SVG and CSV to save.
void page_chart(FILE *out, const Chart *c);
void page_end(FILE *out);
// A cell of a table; PAGE_BAD is highlighted. Callers write <table>, <tr>.
typedef enum PageCell { PAGE_HEAD, PAGE_TEXT, PAGE_NUMBER, PAGE_BAD } PageCell;
void page_cell(FILE *out, PageCell kind, const char *text);

#endif
