// SPDX-License-Identifier: Apache-2.0
// A page that a browser opens without a server or a network: rates, roofs, and the source with a
// bar for each line. A click on a heading sorts.
#include "base/output.h"
#include "base/xml.h"
#include "report/chart.h"
#include "report/profile_report.h"
#include "sm/parts/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CLASS_COLORS = 12 };

static const char *color_of(int class) {
    static const char *const colors[CLASS_COLORS] = {"#3a923a", "#c03d3e", "#e1812c", "#9372b2",
                                                     "#845b53", "#d684bd", "#a9aa35", "#7f7f7f",
                                                     "#3274a1", "#2eabb8", "#444444", "#c7a76c"};
    return colors[class < CLASS_COLORS ? class : CLASS_COLORS - 1];
}

static double percent_of(uint64_t a, uint64_t b) { return 100 * summary_ratio(a, b); }

void profile_page_begin(FILE *out, const char *version, const char *command) {
    page_begin(out, "Profile", version, command);
    fputs("<style>table.p td,table.p th{border:0;padding:1px 7px;white-space:pre}"
          "table.p{font:12px/1.35 monospace}table.p th{cursor:pointer;text-align:right;"
          "white-space:normal;vertical-align:bottom;position:sticky;top:0}"
          "table.p tr:hover td{background:#eef4fb}.bar{display:flex;width:160px;height:11px}"
          ".bar i{display:block;height:11px}td.why{white-space:normal!important;min-width:24em;"
          "color:#555}.key i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}"
          "</style>\n",
          out);
}

void profile_page_end(FILE *out) {
    fputs(
        "<script>for(const h of document.querySelectorAll('table.p th'))h.onclick=()=>{"
        "const t=h.closest('table'),n=h.cellIndex,b=t.tBodies[0],d=h.dataset.d=h.dataset.d==1?-1:1;"
        "const v=r=>{const s=r.cells[n].dataset.v;return s===undefined?r.cells[n].textContent:+s};"
        "[...b.rows].sort((x,y)=>{const p=v(x),q=v(y);return d*(p<q?1:p>q?-1:0)})"
        ".forEach(r=>b.append(r))}</script>\n",
        out);
    page_end(out);
}

// ---- a table of lines ----

static const char *const columns[] = {
    "line",      "scheduler cycles", "%",     "issued",  "cycles apart",     "lanes",  "reads",
    "forwarded", "bank conflicts",   "lines", "from L2", "shared conflicts", "source", "reason"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_number(FILE *out, double v, int digits) {
    fprintf(out, "<td class='n' data-v='%.6g'>", v);
    if (v > 0) fprintf(out, "%.*f", digits, v);
    fputs("</td>", out);
}

void profile_put_bar(FILE *out, const LineCounts *c, uint64_t cost, uint64_t most) {
    fprintf(out, "<td data-v='%" PRIu64 "'><span class='bar'>", cost);
    for (int i = 0; i < LINE_CLASSES; i++)
        if (c->classes[i] && CTR_ISSUED + i != CTR_STALL_NONE_LEFT)
            fprintf(out, "<i style='width:%.2f%%;background:%s' title='%s %" PRIu64 "'></i>",
                    percent_of(c->classes[i], most), color_of(i), counter_info[CTR_ISSUED + i].name,
                    c->classes[i]);
    fputs("</span></td>", out);
}

typedef struct Table {
    FILE *out;
    const ProfileKernel *k;
    uint64_t total, most;
    Arena *arena;
} Table;

// why: the line of the PTX whose reason it is.
static void put_line(const Table *t, int line, const char *source, const ProfileLine *l,
                     const ProfileLine *why) {
    static const LineCounts none;
    const LineCounts *c = l ? &l->of : &none;
    const double n = c->issued ? (double)c->issued : 1;
    FILE *out = t->out;
    fputs("<tr>", out);
    put_number(out, line, 0);
    profile_put_bar(out, c, l ? l->cost : 0, t->most);
    put_number(out, l ? percent_of(l->cost, t->total) : 0, 1);
    put_number(out, (double)c->issued, 0);
    put_number(out, (double)c->waited / n, 1);
    put_number(out, (double)c->lanes / n, 1);
    put_number(out, (double)c->operands / n, 1);
    put_number(out, (double)c->forwarded / n, 1);
    put_number(out, (double)c->read_conflicts / n, 2);
    put_number(out, (double)c->lines / n, 1);
    put_number(out, (double)c->missed / n, 1);
    put_number(out, (double)c->shared_conflicts / n, 1);
    fputs("<td>", out);
    xml_put(out, source);
    fputs("</td><td class='why'>", out);
    if (why && why->cost) xml_put(out, profile_words(t->k, why, t->arena));
    fputs("</td></tr>\n", out);
}

static void begin_table(const Table *t, const char *id, const ProfileText *text) {
    fprintf(t->out, "<section><h2 id='%s'>", id);
    xml_put(t->out, text->path);
    fputs("</h2><table class='p'><thead><tr>", t->out);
    for (int i = 0; i < COLUMNS; i++) page_cell(t->out, PAGE_HEAD, columns[i]);
    fputs("</tr></thead><tbody>\n", t->out);
}

static void put_ptx(const Table *t, const char *id, const ProfileLine *lines, int n) {
    const ProfileText *text = &t->k->ptx;
    int at = 0, last = n ? lines[n - 1].line : 0;
    while (at < n && lines[at].line < 1) at++;
    begin_table(t, id, text);
    for (int i = 0; i < at; i++)
        if (!lines[i].line) put_line(t, 0, "(made by the compiler)", &lines[i], &lines[i]);
    for (int line = at < n ? lines[at].line : 1; line <= last; line++) {
        const ProfileLine *l = at < n && lines[at].line == line ? &lines[at++] : NULL;
        const bool known = line <= text->n;
        if (l || known) put_line(t, line, known ? text->lines[line - 1] : "", l, l);
    }
    fputs("</tbody></table></section>\n", t->out);
}

// ---- CUDA lines ----

static void put_cuda_line(const Table *t, int line, const ProfileLine *lines, int n) {
    const ProfileText *text = &t->k->cuda;
    ProfileLine sum = {.line = line};
    const ProfileLine *worst = NULL;
    for (int i = 0; i < n; i++) {
        if (lines[i].cuda != line) continue;
        if (!worst || lines[i].cost > worst->cost) worst = &lines[i];
        sum.cost += lines[i].cost;
        profile_add(&sum.of, &lines[i].of);
    }
    if (worst || line <= text->n)
        put_line(t, line, line <= text->n ? text->lines[line - 1] : "", worst ? &sum : NULL, worst);
}

static void put_cuda(const Table *t, const char *id, const ProfileLine *lines, int n) {
    int first = 0, last = 0;
    for (int i = 0; i < n; i++) {
        if (!lines[i].cuda) continue;
        first = first && first < lines[i].cuda ? first : lines[i].cuda;
        last = last > lines[i].cuda ? last : lines[i].cuda;
    }
    if (!first) return;
    begin_table(t, id, &t->k->cuda);
    for (int line = first; line <= last; line++) put_cuda_line(t, line, lines, n);
    fputs("</tbody></table></section>\n", t->out);
}

// ---- roofs ----

// Both axes are logarithmic: instructions per byte of DRAM, instructions per cycle.
static double x_of(double intensity) { return 60 + 70 * (log10(intensity) + 3); }
static double y_of(double ipc) { return 40 + 70 * (1 - log10(ipc)); }

static void put_text(FILE *out, double x, double y, const char *text) {
    fprintf(out, "<text x='%.0f' y='%.0f'>", x, y);
    xml_put(out, text);
    fputs("</text>", out);
}

static void put_axes(FILE *out) {
    for (int i = -3; i <= 3; i++) {
        char text[16];
        snprintf(text, sizeof text, "%g", pow(10, i));
        put_text(out, x_of(pow(10, i)) - 8, 270, text);
        if (i < 2 && i > -3) put_text(out, 18, y_of(pow(10, i)) + 4, text);
    }
    put_text(out, 170, 288, "warp instructions per byte of DRAM");
    put_text(out, 8, 20, "instructions per cycle");
}

static void put_level(FILE *out, double ipc, double knee, const char *name, const char *color) {
    const double x = x_of(knee < 1e-3 ? 1e-3 : knee);
    fprintf(out, "<path d='M%.1f %.1fH480' stroke='%s' fill='none'/>", x, y_of(ipc), color);
    put_text(out, 488, y_of(ipc) + 4, name);
}

static void put_roofline(FILE *out, const ProfileKernel *k, const RunReport *run, int sms) {
    ProfileRoof roofs[PROFILE_ROOFS];
    const int least = profile_roofs(&k->counters, run->cfg, roofs);
    const double ipc = profile_ipc(&k->counters, sms), dram = roofs[ROOF_DRAM].peak,
                 issue = roofs[ROOF_ISSUE].roof, rf = roofs[ROOF_REGISTERS].roof;
    const double bytes = roofs[ROOF_DRAM].per_inst, at = bytes > 0 ? 1 / bytes : 1e3;
    const double x = at < 1e-3 ? 1e-3 : at > 1e3 ? 1e3 : at;
    if (ipc <= 0) return;
    fputs("<svg class='roofline' width='620' height='300' font-size='11' font-family='sans-serif'>",
          out);
    put_axes(out);
    put_level(out, issue, issue / dram, "issue", "#222");
    if (rf > 0) put_level(out, rf, rf / dram, "register file", "#3274a1");
    fprintf(out, "<path d='M%.1f %.1fL%.1f %.1f' stroke='#c03d3e' fill='none'/>", x_of(1e-3),
            y_of(dram * 1e-3 < 1e-2 ? 1e-2 : dram * 1e-3), x_of(issue / dram), y_of(issue));
    put_text(out, x_of(issue / dram) - 90, y_of(issue) + 40, "DRAM");
    fprintf(out, "<circle cx='%.1f' cy='%.1f' r='5' fill='#e1812c'><title>%.3f</title></circle>",
            x_of(x), y_of(ipc < 1e-2 ? 1e-2 : ipc), ipc);
    fputs("</svg>\n<p class='note'>", out);
    fprintf(out, "%.3f instructions per cycle, %.1f %% of the lowest roof (%s, %.3f)</p>\n", ipc,
            roofs[least].roof > 0 ? 100 * ipc / roofs[least].roof : 0, roofs[least].name,
            roofs[least].roof);
}

// ---- kernels ----

static void put_rates(FILE *out, const Counters *c, const MachineConfig *cfg, int sms) {
    ProfileRate rates[PROFILE_RATES];
    profile_rates(c, cfg, sms, rates);
    fputs("<table class='rates'>", out);
    for (int i = 0; i < PROFILE_RATES; i++) {
        const ProfileRate *r = &rates[i];
        const double part = r->peak > 0 ? 100 * r->value / r->peak : 0;
        fputs("<tr>", out);
        page_cell(out, PAGE_TEXT, r->name);
        fprintf(out,
                "<td class='n'>%.2f</td><td class='n'>of %.2f</td><td>%s</td><td class='n'>%.1f "
                "%%</td><td><span class='bar'><i style='width:%.1f%%;background:#3274a1'></i>"
                "</span></td></tr>\n",
                r->value, r->peak, r->unit, part, part < 100 ? part : 100);
    }
    fputs("</table>\n", out);
}

static void put_key(FILE *out, const Counters *c, uint64_t total, Arena *arena) {
    fputs("<p class='key'>", out);
    for (int i = 0; i < LINE_CLASSES; i++) {
        if (!c->v[CTR_ISSUED + i]) continue;
        fprintf(out, "<i style='background:%s'></i>%s %.1f %%", color_of(i),
                profile_class_name((CounterId)(CTR_ISSUED + i), arena),
                percent_of(c->v[CTR_ISSUED + i], total));
    }
    fputs("</p>\n", out);
}

static void put_kernel(FILE *out, const RunReport *run, const Profile *p, int number,
                       Arena *arena) {
    const ProfileKernel *k = &p->kernels[number];
    const KernelReport *s = &k->shape;
    Table t = {out, k, 0, 1, arena};
    ProfileLine *lines;
    const int n = profile_lines(k, arena, &lines);
    for (int i = 0; i < LINE_CLASSES; i++) t.total += k->counters.v[CTR_ISSUED + i];
    for (int i = 0; i < n; i++)
        if (lines[i].line >= 0 && lines[i].cost > t.most) t.most = lines[i].cost;
    fputs("<section class='kernel'><h2>", out);
    xml_put(out, k->name);
    fprintf(out,
            "</h2><p>%d launches, %" PRIu64 " cycles, at most %d CTAs, %d warps (limited by %s), "
            "room for %d CTAs (limited by %s), %d registers per thread</p>\n",
            s->launches, k->counters.v[CTR_CYCLES], s->ctas_per_sm, s->warps_per_sm, s->limited_by,
            s->room, s->room_limited_by, s->registers);
    put_rates(out, &k->counters, run->cfg, p->sms);
    put_roofline(out, k, run, p->sms);
    put_key(out, &k->counters, t.total, arena);
    fputs("</section>\n", out);
    put_cuda(&t, arena_printf(arena, "cuda%d", number), lines, n);
    put_ptx(&t, arena_printf(arena, "ptx%d", number), lines, n);
}

bool profile_html(const char *path, const RunReport *run, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (!out) return false;
    profile_page_begin(out, run->version, run->command);
    for (int i = 0; i < run->nlaunches; i++) {
        const Profile *p = run->launches[i].lines;
        for (int k = 0; p && k < p->nkernels; k++) put_kernel(out, run, p, k, &arena);
    }
    profile_page_end(out);
    const bool ok = output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}
