// SPDX-License-Identifier: Apache-2.0
#include "report/chart.h"

#include "base/csv.h"
#include "base/output.h"
#include "base/xml.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 1200,
    LEFT = 84,
    RIGHT = 32,
    HEIGHT = 250,
    WIDEST_BAR = 44,
    ROW = 18,
    LETTER = 7,
    MAX_TICKS = 40
};

// ---- axes ---------------------------------------------------------------------------------------

typedef struct Axis {
    double least, most, step, from, to;  // from, to: where least and most lie in the drawing
} Axis;

static void grow_axis(Axis *a, double v) {
    if (!isfinite(v)) return;
    if (v < a->least) a->least = v;
    if (v > a->most) a->most = v;
}

// Ticks at 1, 2 or 5 times a power of ten, at most `ticks` of them, 0 among them.
static void settle_axis(Axis *a, int ticks) {
    if (a->most <= a->least) a->most = a->least + 1;
    const double span = a->most - a->least, power = pow(10, floor(log10(span / ticks)));
    const double steps[] = {1, 2, 5, 10};
    int i = 0;
    while (i < 3 && span / (steps[i] * power) > ticks) i++;
    a->step = steps[i] * power;
    a->least = floor(a->least / a->step + 1e-9) * a->step;
    a->most = ceil(a->most / a->step - 1e-9) * a->step;
}

static double axis_at(const Axis *a, double v) {
    return a->from + (a->to - a->from) * (v - a->least) / (a->most - a->least);
}

static double sum_of(const Chart *c, int group) {
    double sum = 0;
    for (int k = 0; k < c->nseries; k++)
        if (isfinite(c->series[k].values[group])) sum += c->series[k].values[group];
    return sum;
}

static Axis y_axis(const Chart *c, int top) {
    Axis a = {.from = top + HEIGHT, .to = top};
    for (int g = 0; g < c->ngroups; g++)
        for (int k = 0; k < c->nseries; k++) {
            const ChartSeries *s = &c->series[k];
            grow_axis(&a, c->kind == CHART_STACKED ? sum_of(c, g) : s->values[g]);
            if (s->paper) grow_axis(&a, s->paper[g]);
            if (s->low) grow_axis(&a, s->low[g]), grow_axis(&a, s->high[g]);
        }
    settle_axis(&a, 6);
    return a;
}

static double tick_value(const Axis *a, int i) {
    const double v = a->least + i * a->step;
    return fabs(v) < a->step / 1e6 ? 0 : v;
}

static void y_grid(FILE *out, const Axis *a) {
    for (int i = 0; i < MAX_TICKS && tick_value(a, i) <= a->most + a->step / 2; i++) {
        const double y = axis_at(a, tick_value(a, i));
        fprintf(out,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='%s'/><text x='%d' y='%.1f' "
                "text-anchor='end'>%.6g</text>\n",
                LEFT, y, WIDTH - RIGHT, y,
                tick_value(a, i) == 0 ? "#444' stroke-width='1.5" : "#ddd", LEFT - 8, y + 4,
                tick_value(a, i));
    }
}

static void draw_text(FILE *out, double x, double y, const char *style, const char *words) {
    fprintf(out, "<text x='%.1f' y='%.1f' %s>", x, y, style);
    xml_put(out, words);
    fputs("</text>\n", out);
}

static void draw_tip(FILE *out, const char *group, const char *series, const char *what, double v) {
    fputs("<title>", out);
    xml_put(out, group);
    fputs(", ", out);
    xml_put(out, series);
    fprintf(out, "%s: %.4g</title>", what, v);
}

// ---- colors and legend --------------------------------------------------------------------------

static bool is_drawn(const Chart *c, const ChartSeries *s) {
    for (int g = 0; g < c->ngroups; g++)
        if (isfinite(s->values[g]) || (s->paper && isfinite(s->paper[g]))) return true;
    return false;
}

static const char *color_of(char buffer[COLOR_TEXT], const Chart *c, int series) {
    int shade = 0, shades = 0;
    for (int k = 0; k < c->nseries; k++) {
        if (!is_drawn(c, &c->series[k]) || strcmp(c->series[k].arch, c->series[series].arch) != 0)
            continue;
        shade += k < series;
        shades++;
    }
    return chart_color(buffer, c->series[series].arch, shade, shades);
}

static void draw_diamond(FILE *out, double x, double y, const char *stroke) {
    fprintf(out,
            "<path d='M%.1f %.1fl6 6l-6 6l-6 -6z' fill='#fff' fill-opacity='.85' stroke='%s' "
            "stroke-width='2'>",
            x, y - 6, stroke);
}

static bool has_paper(const Chart *c) {
    for (int k = 0; k < c->nseries; k++)
        for (int g = 0; c->series[k].paper && g < c->ngroups; g++)
            if (isfinite(c->series[k].paper[g])) return true;
    return false;
}

// Height of the legend; out NULL: not drawn.
static int draw_legend(FILE *out, const Chart *c, int top) {
    char buffer[COLOR_TEXT];
    int x = LEFT, y = top + ROW - 4;
    for (int k = 0; k <= c->nseries; k++) {
        const bool paper = k == c->nseries;
        if (paper ? !has_paper(c) : !is_drawn(c, &c->series[k])) continue;
        const char *name = paper ? "the paper's" : c->series[k].name;
        const int wide = 18 + LETTER * (int)strlen(name) + 22;
        if (x + wide > WIDTH - RIGHT && x > LEFT) x = LEFT, y += ROW;
        if (out && paper) draw_diamond(out, x + 6, y - 4, "#444"), fputs("</path>\n", out);
        else if (out)
            fprintf(out, "<rect x='%d' y='%d' width='12' height='12' fill='%s'/>\n", x, y - 10,
                    color_of(buffer, c, k));
        if (out) draw_text(out, x + 18, y, "", name);
        x += wide;
    }
    return y - top + 12;
}

// ---- error bars ----

static bool has_interval(const ChartSeries *s, int g) {
    return s->low && isfinite(s->low[g]) && isfinite(s->high[g]);
}

// A line from end to end of the interval, with a cap at each.
static void draw_interval(FILE *out, const ChartSeries *s, int g, const Axis *a, double x) {
    if (!has_interval(s, g)) return;
    const double low = axis_at(a, s->low[g]), high = axis_at(a, s->high[g]);
    fprintf(out,
            "<path class='interval' fill='none' stroke='#222' d='M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f "
            "%.1fh8'/>\n",
            x, low, high, x - 4, low, x - 4, high);
}

// ---- groups -------------------------------------------------------------------------------------

typedef struct Places {
    double first, each, gap;
} Places;  // of groups; gap before the means

static Places places_of(const Chart *c) {
    const double inner = WIDTH - RIGHT - LEFT, gap = c->nsums && c->nsums < c->ngroups ? 0.5 : 0;
    const double each = inner / (c->ngroups + gap);
    return (Places){LEFT, each, gap * each};
}

static double group_middle(const Chart *c, const Places *p, int g) {
    return p->first + p->each * (g + 0.5) + (g >= c->ngroups - c->nsums ? p->gap : 0);
}

static int longest_name(const Chart *c) {
    size_t n = 0;
    for (int g = 0; g < c->ngroups; g++)
        if (strlen(c->groups[g]) > n) n = strlen(c->groups[g]);
    return (int)n;
}

static bool is_slanted(const Chart *c) { return LETTER * longest_name(c) > places_of(c).each - 4; }

static void group_names(FILE *out, const Chart *c, double y) {
    const Places p = places_of(c);
    for (int g = 0; g < c->ngroups; g++) {
        const char *bold = g >= c->ngroups - c->nsums ? " font-weight='bold'" : "";
        const double x = group_middle(c, &p, g);
        if (is_slanted(c))
            fprintf(out, "<text transform='translate(%.1f,%.1f) rotate(-45)' text-anchor='end'%s>",
                    x + 4, y + 14, bold);
        else fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'%s>", x, y + 18, bold);
        xml_put(out, c->groups[g]);
        fputs("</text>\n", out);
    }
}

// ---- bars ---------------------------------------------------------------------------------------

static int count_drawn(const Chart *c) {
    int n = 0;
    for (int k = 0; k < c->nseries; k++) n += is_drawn(c, &c->series[k]);
    return n ? n : 1;
}

static void draw_bar(FILE *out, const Axis *a, double x, double wide, double from, double v,
                     const char *fill) {
    const double y0 = axis_at(a, from), y1 = axis_at(a, from + v);
    fprintf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'>", x,
            y0 < y1 ? y0 : y1, wide, fabs(y1 - y0), fill);
}

// The number above a bar, where there is room for one.
static void draw_number(FILE *out, double x, double y, double wide, double v) {
    if (wide < 26) return;
    char words[32];
    snprintf(words, sizeof words, fabs(v) < 10 ? "%.2f" : "%.1f", v);
    draw_text(out, x + wide / 2, y - 3, "text-anchor='middle' font-size='10' fill='#555'", words);
}

static void draw_group(FILE *out, const Chart *c, const Axis *a, int g, double x, double wide) {
    char buffer[COLOR_TEXT];
    for (int k = 0; k < c->nseries; k++) {
        const ChartSeries *s = &c->series[k];
        if (!is_drawn(c, s)) continue;
        if (isfinite(s->values[g])) {
            draw_bar(out, a, x, wide * 0.94, 0, s->values[g], color_of(buffer, c, k));
            draw_tip(out, c->groups[g], s->name, "", s->values[g]);
            fputs("</rect>\n", out);
            draw_interval(out, s, g, a, x + wide * 0.47);
            const double top = has_interval(s, g) ? s->high[g] : s->values[g];
            draw_number(out, x, axis_at(a, top > 0 ? top : 0), wide, s->values[g]);
        }
        if (s->paper && isfinite(s->paper[g])) {
            draw_diamond(out, x + wide / 2, axis_at(a, s->paper[g]), color_of(buffer, c, k));
            draw_tip(out, c->groups[g], s->name, ", the paper's", s->paper[g]);
            fputs("</path>\n", out);
        }
        x += wide;
    }
}

// A paper often gives only some of the shares. A marker is where the bar of such a share would end.
// It is counted from below while all shares below are given, else from the top of the stack.
static void draw_stack(FILE *out, const Chart *c, const Axis *a, int g, double x, double wide) {
    char buffer[COLOR_TEXT];
    double from = 0, below = 0;
    for (int k = 0; k < c->nseries; k++) {
        const ChartSeries *s = &c->series[k];
        if (!isfinite(s->values[g])) continue;
        draw_bar(out, a, x, wide, from, s->values[g], color_of(buffer, c, k));
        draw_tip(out, c->groups[g], s->name, "", s->values[g]);
        fputs("</rect>\n", out);
        from += s->values[g];
    }
    if (from == 0) from = 100;  // the paper's alone, in per cent
    for (int k = 0; k < c->nseries; k++) {
        const double v = c->series[k].paper ? c->series[k].paper[g] : NAN;
        if (isfinite(v)) {
            const bool first = isfinite(below);
            draw_diamond(out, x + wide / 2, axis_at(a, first ? below + v : from - v), "#222");
            draw_tip(out, c->groups[g], c->series[k].name,
                     first ? ", the paper's, up to here" : ", the paper's, from here up", v);
            fputs("</path>\n", out);
        }
        below += v;
    }
}

static void draw_bars(FILE *out, const Chart *c, const Axis *a) {
    const Places p = places_of(c);
    const int side = c->kind == CHART_STACKED ? 1 : count_drawn(c);
    double wide = p.each * 0.82 / side;
    if (wide > WIDEST_BAR) wide = WIDEST_BAR;
    for (int g = 0; g < c->ngroups; g++) {
        const double x = group_middle(c, &p, g) - wide * side / 2;
        if (c->kind == CHART_STACKED) draw_stack(out, c, a, g, x, wide);
        else draw_group(out, c, a, g, x, wide);
    }
}

// ---- lines, points ------------------------------------------------------------------------------

static void draw_lines(FILE *out, const Chart *c, const Axis *a) {
    const Places p = places_of(c);
    char buffer[COLOR_TEXT];
    for (int k = 0; k < c->nseries; k++) {
        const ChartSeries *s = &c->series[k];
        fprintf(out, "<path fill='none' stroke='%s' stroke-width='2' d='", color_of(buffer, c, k));
        bool pen = false;
        for (int g = 0; g < c->ngroups; g++) {
            if (isfinite(s->values[g]))
                fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', group_middle(c, &p, g),
                        axis_at(a, s->values[g]));
            pen = isfinite(s->values[g]);
        }
        fputs("'/>\n", out);
        for (int g = 0; g < c->ngroups; g++) {
            if (!isfinite(s->values[g])) continue;
            fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'>", group_middle(c, &p, g),
                    axis_at(a, s->values[g]), buffer);
            draw_tip(out, c->groups[g], s->name, "", s->values[g]);
            fputs("</circle>\n", out);
            draw_interval(out, s, g, a, group_middle(c, &p, g));
        }
    }
}

static Axis x_axis(const Chart *c) {
    Axis a = {.from = LEFT, .to = WIDTH - RIGHT};
    for (int k = 0; k < c->nseries; k++)
        for (int g = 0; g < c->ngroups; g++)
            if (isfinite(c->series[k].values[g])) grow_axis(&a, c->series[k].x[g]);
    a.most *= 1.04;  // room for the names of the last points
    settle_axis(&a, 10);
    return a;
}

typedef struct Point {
    double x, y;
} Point;

static void draw_front(FILE *out, const Chart *c, const Axis *x, const Axis *y) {
    bool pen = false;
    Point last = {-INFINITY, 0};
    fputs("<path fill='none' stroke='#222' stroke-dasharray='5 4' d='", out);
    for (;;) {  // the next point of the front to the right
        Point next = {INFINITY, 0};
        for (int k = 0; k < c->nseries; k++)
            for (int g = 0; g < c->ngroups; g++) {
                const ChartSeries *s = &c->series[k];
                if (s->front && s->front[g] && s->x[g] > last.x && s->x[g] < next.x)
                    next = (Point){s->x[g], s->values[g]};
            }
        if (!isfinite(next.x)) break;
        fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', axis_at(x, next.x), axis_at(y, next.y));
        pen = true;
        last = next;
    }
    fputs("'/>\n", out);
}

// Names of points that lie close together: each takes the first place beside its point that no
// other has.
enum { NAMES = 64, NAME_HEIGHT = 12, PLACES = 14 };
typedef struct Names {
    struct {
        double from, to, y;
    } at[NAMES];
    int n;
} Names;

static bool is_free(const Names *names, double from, double to, double y) {
    for (int i = 0; i < names->n; i++)
        if (from < names->at[i].to && to > names->at[i].from &&
            fabs(y - names->at[i].y) < NAME_HEIGHT)
            return false;
    return true;
}

static void name_point(FILE *out, Names *names, double px, double py, const Axis *y,
                       const char *name) {
    const double width = (double)strlen(name) * 5.6;
    double from = px + 9, line = py - 6;
    for (int place = 0; place < PLACES; place++) {
        // Right and left of the point; above, below, a line further up, a line further down, ..
        const int k = place / 2;
        const double f = place % 2 ? px - 9 - width : px + 9,
                     l = k % 2 ? py + 2 + NAME_HEIGHT * (k + 1) / 2.0
                               : py - 6 - NAME_HEIGHT * k / 2.0;
        if (f < LEFT || f + width > WIDTH || l < NAME_HEIGHT || l > y->from - 2 ||
            !is_free(names, f, f + width, l))
            continue;
        from = f, line = l;
        break;
    }
    if (names->n < NAMES) {
        names->at[names->n].from = from, names->at[names->n].to = from + width;
        names->at[names->n++].y = line;
    }
    draw_text(out, from, line, "font-size='10'", name);
}

static void draw_points(FILE *out, const Chart *c, const Axis *y) {
    const Axis x = x_axis(c);
    char buffer[COLOR_TEXT];
    Names names = {.n = 0};
    for (int i = 0; i < MAX_TICKS && tick_value(&x, i) <= x.most + x.step / 2; i++) {
        char words[32];
        const double px = axis_at(&x, tick_value(&x, i));
        fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n", px, y->from,
                px, y->to, tick_value(&x, i) == 0 ? "#444" : "#eee");
        snprintf(words, sizeof words, "%.8g", tick_value(&x, i));
        draw_text(out, px, y->from + 18, "text-anchor='middle'", words);
    }
    draw_front(out, c, &x, y);
    for (int k = 0; k < c->nseries; k++)
        for (int g = 0; g < c->ngroups; g++) {
            const ChartSeries *s = &c->series[k];
            if (!isfinite(s->values[g]) || !isfinite(s->x[g])) continue;
            const bool best = s->front && s->front[g];
            const double px = axis_at(&x, s->x[g]), py = axis_at(y, s->values[g]);
            fprintf(out, "<circle cx='%.1f' cy='%.1f' r='%d' fill='%s'%s>", px, py, best ? 7 : 5,
                    color_of(buffer, c, k), best ? " stroke='#222' stroke-width='1.5'" : "");
            draw_tip(out, c->groups[g], s->name, "", s->values[g]);
            fputs("</circle>\n", out);
            draw_interval(out, s, g, y, px);
            if (best || c->named) name_point(out, &names, px, py, y, c->groups[g]);
        }
}

// ---- the drawing --------------------------------------------------------------------------------

void chart_svg(FILE *out, const Chart *c, bool title) {
    const int head = title ? 26 : 0, top = head + draw_legend(NULL, c, head) + 6;
    const bool numbers_below = c->kind == CHART_POINTS;
    const int names = numbers_below ? 26
        : is_slanted(c)             ? 16 + longest_name(c) * LETTER * 7 / 10
                                    : 26;
    const int height = top + HEIGHT + names + (c->x_title ? ROW : 0) + 6;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='100%%' "
            "font-family='sans-serif' "
            "font-size='12' role='img' aria-label='",
            WIDTH, height);
    xml_put(out, c->title);
    fputs("'>\n", out);
    if (title) {
        fprintf(out, "<rect width='%d' height='%d' fill='#fff'/>\n", WIDTH, height);
        draw_text(out, LEFT, 18, "font-size='15' font-weight='bold'", c->title);
    }
    draw_legend(out, c, head);
    const Axis y = y_axis(c, top);
    y_grid(out, &y);
    fprintf(out, "<text transform='translate(14,%d) rotate(-90)' text-anchor='middle'>",
            top + HEIGHT / 2);
    xml_put(out, c->unit);
    fputs("</text>\n", out);
    if (c->kind == CHART_LINES) draw_lines(out, c, &y);
    else if (c->kind == CHART_POINTS) draw_points(out, c, &y);
    else draw_bars(out, c, &y);
    if (!numbers_below) group_names(out, c, y.from);
    if (c->x_title)
        draw_text(out, (LEFT + WIDTH) / 2.0, height - 8, "text-anchor='middle'", c->x_title);
    fputs("</svg>\n", out);
}

// ---- CSV ----------------------------------------------------------------------------------------

void chart_csv(FILE *out, const Chart *c) {
    const bool xy = c->kind == CHART_POINTS;
    bool ends = false;
    for (int k = 0; k < c->nseries; k++) ends |= c->series[k].low != NULL;
    fprintf(out, "group,series,architecture,%svalue,paper%s\n", xy ? "x," : "",
            ends ? ",low,high" : "");
    for (int g = 0; g < c->ngroups; g++)
        for (int k = 0; k < c->nseries; k++) {
            const ChartSeries *s = &c->series[k];
            const double paper = s->paper ? s->paper[g] : NAN;
            if (!isfinite(s->values[g]) && !isfinite(paper)) continue;
            csv_text(out, c->groups[g]), fputc(',', out), csv_text(out, s->name), fputc(',', out),
                csv_text(out, s->arch);
            if (xy) csv_number(out, s->x[g]);
            csv_number(out, s->values[g]), csv_number(out, paper);
            if (ends)
                csv_number(out, s->low ? s->low[g] : NAN),
                    csv_number(out, s->low ? s->high[g] : NAN);
            fputc('\n', out);
        }
}

// ---- files --------------------------------------------------------------------------------------

static bool write_file(const char *path, const Chart *c, bool svg, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out && svg) chart_svg(out, c, true);
    else if (out) chart_csv(out, c);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

bool chart_files(const char *dir, const Chart *c, Diag *d) {
    Arena arena = {0};
    char *name = arena_printf(&arena, "%s", c->id);
    for (char *p = name; *p; p++)
        if (*p == ' ' || *p == '/') *p = '-';
    const bool ok = output_folder(dir, d) &&
        write_file(arena_printf(&arena, "%s/figure-%s.svg", dir, name), c, true, d) &&
        write_file(arena_printf(&arena, "%s/figure-%s.csv", dir, name), c, false, d);
    arena_free(&arena);
    return ok;
}
