// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: a bar chart (SVG) per figure, the papers' averages as dashed lines.
#include "base/output.h"
#include "base/xml.h"
#include "report/compare.h"
#include "report/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 56, TOP = 16, HEIGHT = 220, BOTTOM = 92, BAR = 9, GAP = 12 };

static const char *const colours[FIGURE_MAX_SERIES] = {"#3b6ea5", "#e07b39", "#4f9d69", "#a05195",
                                                      "#c9a227", "#7a7a7a", "#b0413e", "#55b6c2"};

typedef struct Scale { double least, most; } Scale;

static void grow(Scale *s, double v) {
    if (isnan(v)) return;
    if (v < s->least) s->least = v;
    if (v > s->most) s->most = v;
}

static Scale scale_of(const Compare *c, const Figure *f) {
    Scale s = {0, 1};
    for (int i = 0; i < c->nlaunches; i++) {
        double sum = 0;
        for (int k = 0; k < f->nseries; k++) {
            double v = f->series[k].value[i];
            grow(&s, v);
            if (!isnan(v)) sum += v;
        }
        if (f->stacked) grow(&s, sum);
    }
    for (int k = 0; k < f->nseries; k++) grow(&s, f->series[k].paper), grow(&s, f->series[k].mean);
    double step = pow(10, floor(log10(s.most - s.least)));
    if ((s.most - s.least) / step < 3) step /= 2;
    s.most = ceil(s.most / step) * step;
    s.least = floor(s.least / step) * step;
    return s;
}

static double y_of(Scale s, double v) { return TOP + HEIGHT * (s.most - v) / (s.most - s.least); }

static void grid(FILE *out, Scale s, int width) {
    for (int i = 0; i <= 5; i++) {
        double v = s.least + (s.most - s.least) * i / 5, y = y_of(s, v);
        fprintf(out, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%.4g</text>\n", LEFT, y, width, y, LEFT - 6, y + 4, v);
    }
    fprintf(out, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#444'/>\n", LEFT, y_of(s, 0), width, y_of(s, 0));
}

static void bar(FILE *out, Scale s, double x, double from, double v, int series, const char *what, const char *name) {
    double top = y_of(s, from + v > from ? from + v : from), bottom = y_of(s, from + v > from ? from : from + v);
    fprintf(out, "<rect x='%.1f' y='%.1f' width='%d' height='%.1f' fill='%s'><title>", x, top, BAR, bottom - top,
            colours[series]);
    xml_put(out, what);
    fputs(", ", out);
    xml_put(out, name);
    fprintf(out, ": %.2f</title></rect>\n", v);
}

static int group_width(const Figure *f) { return (f->stacked ? 1 : f->nseries) * BAR + GAP; }

static void group(FILE *out, const Figure *f, Scale s, double x, const char *name, const double *values, bool bold) {
    double from = 0;
    for (int k = 0; k < f->nseries; k++) {
        if (isnan(values[k])) continue;
        bar(out, s, x + (f->stacked ? 0 : k * BAR), from, values[k], k, name, f->series[k].name);
        if (f->stacked) from += values[k];
    }
    double middle = x + (group_width(f) - GAP) / 2.0;
    fprintf(out, "<text transform='translate(%.1f,%d) rotate(-50)' text-anchor='end'%s>", middle + 3, TOP + HEIGHT + 14,
            bold ? " font-weight='bold'" : "");
    xml_put(out, name);
    fputs("</text>\n", out);
}

static void legend(FILE *out, const Figure *f) {
    fputs("<p class='legend'>", out);
    for (int k = 0; k < f->nseries; k++) {
        fprintf(out, "<span><i style='background:%s'></i>", colours[k]);
        xml_put(out, f->series[k].name);
        if (!isnan(f->series[k].mean)) fprintf(out, ": %.1f", f->series[k].mean);
        if (!isnan(f->series[k].paper)) fprintf(out, " (paper %.1f)", f->series[k].paper);
        fputs("</span> ", out);
    }
    fputs("</p>\n", out);
}

static void figure(FILE *out, const Compare *c, const Figure *f) {
    Scale s = scale_of(c, f);
    int each = group_width(f), width = LEFT + each * (c->nlaunches + 4) + 20;
    fprintf(out, "<section id='fig-%s'><h2>%s %s</h2><p>", f->id, f->id, f->title);
    xml_put(out, f->unit);
    if (f->note[0]) fputs("; ", out), xml_put(out, f->note);
    fputs("</p>\n", out);
    legend(out, f);
    fprintf(out, "<svg width='%d' height='%d' role='img' aria-label='%s'>\n", width, TOP + HEIGHT + BOTTOM, f->title);
    grid(out, s, width);
    double values[FIGURE_MAX_SERIES];
    for (int i = 0; i < c->nlaunches; i++) {
        for (int k = 0; k < f->nseries; k++) values[k] = f->series[k].value[i];
        const LaunchReport *l = compare_cell(c, i, 0);
        group(out, f, s, LEFT + 8 + each * i, l->name ? l->name : l->path, values, false);
    }
    static const char *const names[] = {"mean", "mean, integer", "mean, float", "paper"};
    for (int g = 0; g < 4; g++) {
        for (int k = 0; k < f->nseries; k++) {
            const FigureSeries *q = &f->series[k];
            const double means[] = {q->mean, q->mean_int, q->mean_float, q->paper};
            values[k] = means[g];
        }
        group(out, f, s, LEFT + 16 + each * (c->nlaunches + g), names[g], values, true);
    }
    fputs("</svg></section>\n", out);
}

static void energy_table(FILE *out) {
    fputs("<section><h2>Energy constants</h2><table><tr><th>constant<th>value<th>meaning<th>source</tr>\n", out);
    for (int i = 0; i < ENERGY_COUNT; i++) {
        const EnergyConstant *e = &energy_constants[i];
        fprintf(out, "<tr><td>%s<td>%g %s<td>", e->id, e->value, e->unit);
        xml_put(out, e->meaning);
        fputs("<td>", out);
        xml_put(out, e->source);
        fputs("</tr>\n", out);
    }
    fputs("</table></section>\n", out);
}

static void page(FILE *out, const Compare *c, const Figure *figures, int nfigures) {
    fputs("<!doctype html><html lang='en'><meta charset='utf-8'><title>smcosim compare</title><style>"
          "body{font:14px/1.4 sans-serif;margin:2em;max-width:1400px;color:#222}svg{overflow:visible;display:block}"
          "svg text{font-size:11px}section{margin:2.5em 0;overflow-x:auto}.legend span{margin-right:1.2em}"
          ".legend i{display:inline-block;width:10px;height:10px;margin-right:5px}"
          "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}"
          "code{background:#f3f3f3}</style>\n<h1>smcosim compare</h1><p>smcosim ", out);
    xml_put(out, c->version);
    fputs(", machine ", out);
    xml_put(out, c->cfg->machine);
    fprintf(out, ", compiler.addr_bits %d</p><p><code>", c->cfg->compiler_addr_bits);
    xml_put(out, c->command);
    fputs("</code></p><p>Differences from the paper and their causes: bench/repro/corf.md of the project.</p>\n", out);
    for (int i = 0; i < nfigures; i++) figure(out, c, &figures[i]);
    energy_table(out);
    fputs("</html>\n", out);
}

bool compare_html(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) page(out, c, figures, nfigures);
    bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}
