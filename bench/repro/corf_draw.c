// SPDX-License-Identifier: Apache-2.0
// The figures of corf.md as drawings, kernel by kernel: a drawing for each thing that a figure measures, a series for
// each architecture.
#include "corf.h"

#include "draw.h"

#include <math.h>
#include <string.h>

enum { MAX_SERIES = 8 };

static bool same(const CorfFigure *a, const CorfFigure *b) {
    if (strcmp(a->id, b->id) != 0) return false;
    return !strcmp(a->id, "2.2") || !*b->what;  // the widths are one drawing
}

static void draw(const CorfOptions *o, const CorfResults *r, const CorfFigure *first, int n, int part) {
    ReproDrawing d;
    const bool widths = !strcmp(first->id, "2.2");
    repro_drawing(&d, repro_text(part ? "%s%c" : "%s", first->id, 'a' + part), widths ? "Width of the registers accessed" : first->what, "",
                  r->nkernels, (const char *const *)r->kernels);
    if (widths) d.chart.kind = CHART_STACKED, d.chart.unit = "% of accesses";
    for (int i = 0; i < n; i++) {
        const CorfFigure *f = &first[i];
        const int arch = corf_arch(r, f->arch);
        double *values = repro_series(&d, widths ? f->what : f->arch, f->arch);
        for (int k = 0; k < r->nkernels; k++) values[k] = f->measure(r, corf_cell(r, k, arch), corf_cell(r, k, 0));
        const CorfClass classes[REPRO_MEANS] = {CORF_ALL, CORF_INT, CORF_FLOAT};
        const double paper[REPRO_MEANS] = {f->paper, f->paper_int, f->paper_float};
        for (int m = 0; m < REPRO_MEANS; m++) repro_mean(&d, m, corf_mean(r, arch, f->measure, f->mean, classes[m]), paper[m]);
    }
    repro_draw(&d, o->figures);
}

void corf_draw(CorfOptions *o) {
    const CorfPoint point = {.label = corf_configs[0].label, .sets = corf_configs[0].sets};
    const CorfResults *r = corf_run(o, o->kernels, corf_archs_of(o), &point);
    int part = 0;
    for (int i = 0, n; i < corf_nfigures; i += n) {
        const CorfFigure *f = &corf_figures[i];
        for (n = 1; i + n < corf_nfigures && n < MAX_SERIES && same(f, f + n);) n++;
        part = i && !strcmp(f->id, corf_figures[i - 1].id) ? part + 1 : 0;
        if (!o->figure || !strcmp(o->figure, f->id)) draw(o, r, f, n, part);
    }
}
