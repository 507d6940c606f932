// SPDX-License-Identifier: Apache-2.0
#include "report/profile_pair.h"

#include "base/json.h"
#include "base/output.h"
#include "base/plain.h"
#include "base/xml.h"
#include "report/chart.h"
#include "report/profile_report.h"
#include "sm/parts/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10 };

// A line of the PTX on both architectures; an architecture without counts has an empty one.
typedef struct PairLine {
    int line;  // 0: made by the compiler; -1: no instruction
    ProfileLine of[2];
    int64_t more;  // scheduler cycles on the second, minus those on the first
} PairLine;

typedef struct Pair {
    const Compare *c;
    const ProfileKernel *k[2];
    PairLine *lines;
    int n;
    uint64_t most;  // scheduler cycles of a line
    Arena *arena;
} Pair;

static PairLine *find_line(Pair *p, int *cap, int line) {
    for (int i = 0; i < p->n; i++)
        if (p->lines[i].line == line) return &p->lines[i];
    PairLine *l = ARENA_PUSH(p->arena, p->lines, p->n, *cap);
    *l = (PairLine){.line = line, .of = {{.line = line}, {.line = line}}};
    return l;
}

static int by_line(const void *a, const void *b) {
    return ((const PairLine *)a)->line - ((const PairLine *)b)->line;
}

static void pair_lines(Pair *p) {
    int cap = 0;
    for (int a = 0; a < 2; a++) {
        ProfileLine *lines;
        const int n = profile_lines(p->k[a], p->arena, &lines);
        for (int i = 0; i < n; i++) find_line(p, &cap, lines[i].line)->of[a] = lines[i];
    }
    for (int i = 0; i < p->n; i++) {
        const PairLine *l = &p->lines[i];
        p->lines[i].more = (int64_t)l->of[1].cost - (int64_t)l->of[0].cost;
        for (int a = 0; a < 2 && l->line >= 0; a++)
            if (l->of[a].cost > p->most) p->most = l->of[a].cost;
    }
    if (p->n) qsort(p->lines, (size_t)p->n, sizeof *p->lines, by_line);
}

// Kernel number i of a launch on both; false: one of them did not run it.
static bool open_pair(Pair *p, const Compare *c, int launch, int i, Arena *arena) {
    const Profile *a = compare_cell(c, launch, 0)->lines, *b = compare_cell(c, launch, 1)->lines;
    *p = (Pair){.c = c, .arena = arena};
    if (!a || !b || i >= a->nkernels) return false;
    for (int k = 0; k < b->nkernels; k++)
        if (!strcmp(a->kernels[i].entry, b->kernels[k].entry)) p->k[1] = &b->kernels[k];
    p->k[0] = &a->kernels[i];
    if (!p->k[1]) return false;
    pair_lines(p);
    return true;
}

static int count_kernels(const Compare *c, int launch) {
    const Profile *p = compare_cell(c, launch, 0)->lines;
    return p ? p->nkernels : 0;
}

static const char *source_of(const Pair *p, const PairLine *l) {
    if (l->line < 0) return "(no instruction)";
    return l->line ? profile_text(&p->k[0]->ptx, l->line, p->arena) : "(made by the compiler)";
}

static const char *words_of(const Pair *p, const PairLine *l, int a) {
    return l->of[a].cost && l->line >= 0 ? profile_words(p->k[a], &l->of[a], p->arena) : "";
}

static int by_change(const void *a, const void *b) {
    const PairLine *x = *(const PairLine *const *)a, *y = *(const PairLine *const *)b;
    const int64_t p = llabs(x->more), q = llabs(y->more);
    return p != q ? (p < q ? 1 : -1) : x->line - y->line;
}

// The lines of the kernel, largest change first. Returns their number.
static int sort_lines(const Pair *p, const PairLine ***sorted) {
    const PairLine **all = ARENA_ARRAY(p->arena, const PairLine *, p->n + 1);
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->lines[i].line >= 0 && p->lines[i].more) all[n++] = &p->lines[i];
    qsort(all, (size_t)n, sizeof *all, by_change);
    *sorted = all;
    return n;
}

// ---- text ----

static void print_changes(FILE *out, const Pair *p) {
    const PairLine **sorted;
    const int n = sort_lines(p, &sorted);
    fprintf(out, "lines that differ most, in scheduler cycles\n");
    for (int i = 0; i < n && i < WORST; i++) {
        const PairLine *l = sorted[i];
        fprintf(out, "  %+9" PRId64 "  line %d  %s\n", l->more, l->line,
                plain_text(p->arena, source_of(p, l)));
        for (int a = 0; a < 2; a++)
            fprintf(out, "             %s: %" PRIu64 "%s%s\n", p->c->columns[a].label,
                    l->of[a].cost, *words_of(p, l, a) ? ", " : "", words_of(p, l, a));
    }
}

static void print_each(FILE *out, const PairLine *l, int width, int digits,
                       uint64_t (*of)(const LineCounts *)) {
    for (int a = 0; a < 2; a++)
        fprintf(out, " %*.*f", width, digits, summary_ratio(of(&l->of[a].of), l->of[a].of.issued));
}

static uint64_t operands_of(const LineCounts *c) { return c->operands; }
static uint64_t conflicts_of(const LineCounts *c) { return c->read_conflicts; }
static uint64_t lines_of(const LineCounts *c) { return c->lines; }

static void print_lines(FILE *out, const Pair *p) {
    fprintf(out, "lines of %s; left: %s, right: %s\n", plain_text(p->arena, p->k[0]->ptx.path),
            p->c->columns[0].label, p->c->columns[1].label);
    fprintf(out, "%6s %8s %8s %8s %8s %9s %11s %13s %11s\n", "line", "issued", "", "cycles", "",
            "more", "reads each", "conflicts", "lines");
    for (int i = 0; i < p->n; i++) {
        const PairLine *l = &p->lines[i];
        const uint64_t none[2] = {l->of[0].of.classes[LINE_CLASSES - 1],
                                  l->of[1].of.classes[LINE_CLASSES - 1]};
        fprintf(out, "%6d %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %+9" PRId64,
                l->line < 0 ? 0 : l->line, l->of[0].of.issued, l->of[1].of.issued, l->of[0].cost,
                l->of[1].cost, l->more);
        print_each(out, l, 5, 2, operands_of), print_each(out, l, 6, 2, conflicts_of),
            print_each(out, l, 5, 1, lines_of);
        fprintf(out, "  %s\n", plain_text(p->arena, source_of(p, l)));
        if (l->line < 0)
            fprintf(out, "%24s %8" PRIu64 " %8" PRIu64 " %+9" PRId64 "  (no warp has one left)\n",
                    "", none[0], none[1], (int64_t)none[1] - (int64_t)none[0]);
    }
}

static void print_pair(FILE *out, const Pair *p) {
    const uint64_t *a = p->k[0]->counters.v, *b = p->k[1]->counters.v;
    fprintf(out,
            "kernel %s  cycles %" PRIu64 ", %" PRIu64 "  (x %.3f)  instructions %" PRIu64
            ", %" PRIu64 "\n",
            plain_text(p->arena, p->k[0]->name), a[CTR_CYCLES], b[CTR_CYCLES],
            summary_ratio(b[CTR_CYCLES], a[CTR_CYCLES]), a[CTR_WARP_INSTS], b[CTR_WARP_INSTS]);
    print_changes(out, p);
    print_lines(out, p);
}

static void write_text(FILE *out, const Compare *c, Arena *arena) {
    Pair p;
    for (int l = 0; l < c->nlaunches; l++) {
        fprintf(out, "profile of %s: %s, %s  (machine %s)\n", compare_launch_name(c, l),
                c->columns[0].label, c->columns[1].label, c->machine);
        for (int k = 0; k < count_kernels(c, l); k++)
            if (open_pair(&p, c, l, k, arena)) print_pair(out, &p);
    }
}

// ---- page ----

static void put_number(FILE *out, double v, int digits) {
    fprintf(out, "<td class='n' data-v='%.6g'>%.*f</td>", v, digits, v);
}

static void put_line(FILE *out, const Pair *p, const PairLine *l) {
    fputs("<tr>", out);
    put_number(out, l->line < 0 ? 0 : l->line, 0);
    put_number(out, (double)l->more, 0);
    for (int a = 0; a < 2; a++) {
        put_number(out, (double)l->of[a].cost, 0);
        profile_put_bar(out, &l->of[a].of, l->of[a].cost, p->most);
    }
    for (int a = 0; a < 2; a++) put_number(out, (double)l->of[a].of.issued, 0);
    for (int a = 0; a < 2; a++)
        put_number(out, summary_ratio(l->of[a].of.operands, l->of[a].of.issued), 2);
    for (int a = 0; a < 2; a++)
        put_number(out, summary_ratio(l->of[a].of.read_conflicts, l->of[a].of.issued), 2);
    fputs("<td>", out);
    xml_put(out, source_of(p, l));
    for (int a = 0; a < 2; a++)
        fputs("</td><td class='why'>", out), xml_put(out, words_of(p, l, a));
    fputs("</td></tr>\n", out);
}

static void put_heads(FILE *out, const Pair *p) {
    static const char *const counts[] = {"issued", "reads each", "bank conflicts each"};
    fputs("<table class='p'><thead><tr>", out);
    page_cell(out, PAGE_HEAD, "line"), page_cell(out, PAGE_HEAD, "more cycles");
    for (int a = 0; a < 2; a++) {
        page_cell(out, PAGE_HEAD,
                  arena_printf(p->arena, "scheduler cycles, %s", p->c->columns[a].label));
        page_cell(out, PAGE_HEAD, p->c->columns[a].label);
    }
    for (int i = 0; i < 6; i++)
        page_cell(out, PAGE_HEAD,
                  arena_printf(p->arena, "%s, %s", counts[i / 2], p->c->columns[i % 2].label));
    page_cell(out, PAGE_HEAD, "source");
    for (int a = 0; a < 2; a++)
        page_cell(out, PAGE_HEAD, arena_printf(p->arena, "reason, %s", p->c->columns[a].label));
    fputs("</tr></thead><tbody>\n", out);
}

static void write_page(FILE *out, const Compare *c, Arena *arena) {
    Pair p;
    profile_page_begin(out, c->version, c->command);
    for (int l = 0; l < c->nlaunches; l++)
        for (int k = 0; k < count_kernels(c, l); k++) {
            if (!open_pair(&p, c, l, k, arena)) continue;
            fputs("<section><h2>", out);
            xml_put(out, p.k[0]->name);
            fprintf(out, "</h2><p>%" PRIu64 " cycles on ", p.k[0]->counters.v[CTR_CYCLES]);
            xml_put(out, c->columns[0].label);
            fprintf(out, ", %" PRIu64 " on ", p.k[1]->counters.v[CTR_CYCLES]);
            xml_put(out, c->columns[1].label);
            fputs("</p>\n", out);
            put_heads(out, &p);
            for (int i = 0; i < p.n; i++) put_line(out, &p, &p.lines[i]);
            fputs("</tbody></table></section>\n", out);
        }
    profile_page_end(out);
}

// ---- JSON ----

static json_t *pair_json(uint64_t a, uint64_t b) {
    return json_pack("[I, I]", (json_int_t)a, (json_int_t)b);
}

static json_t *line_json(const Pair *p, const PairLine *l) {
    const ProfileLine *a = &l->of[0], *b = &l->of[1];
    return json_pack("{s:i, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:[s, s]}", "line", l->line,
                     "source", source_of(p, l), "more", (json_int_t)l->more, "scheduler_cycles",
                     pair_json(a->cost, b->cost), "no_instruction_left",
                     pair_json(a->of.classes[LINE_CLASSES - 1], b->of.classes[LINE_CLASSES - 1]),
                     "issued", pair_json(a->of.issued, b->of.issued), "operands",
                     pair_json(a->of.operands, b->of.operands), "read_conflicts",
                     pair_json(a->of.read_conflicts, b->of.read_conflicts), "reason",
                     words_of(p, l, 0), words_of(p, l, 1));
}

static json_t *launch_json(const Compare *c, int launch, Arena *arena) {
    json_t *kernels = json_array();
    Pair p;
    for (int k = 0; k < count_kernels(c, launch); k++) {
        if (!open_pair(&p, c, launch, k, arena)) continue;
        json_t *lines = json_array();
        for (int i = 0; i < p.n; i++) json_array_append_new(lines, line_json(&p, &p.lines[i]));
        json_array_append_new(
            kernels,
            json_pack("{s:s, s:o, s:o}", "name", p.k[0]->name, "cycles",
                      pair_json(p.k[0]->counters.v[CTR_CYCLES], p.k[1]->counters.v[CTR_CYCLES]),
                      "lines", lines));
    }
    return json_pack("{s:s, s:o}", "name", compare_launch_name(c, launch), "kernels", kernels);
}

static bool write_json(const char *path, const Compare *c, Arena *arena, Diag *d) {
    json_t *runs = json_array();
    for (int l = 0; l < c->nlaunches; l++) json_array_append_new(runs, launch_json(c, l, arena));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:[s, s], s:o}", "schema", "smcosim.profile-pair/1",
                  "version", c->version, "command", c->command, "machine", c->machine, "archs",
                  c->columns[0].label, c->columns[1].label, "runs", runs);
    panic_if(!root, "JSON document could not be made");
    const bool ok = json_write(path, root, JSON_INDENT(1), d);
    json_decref(root);
    return ok;
}

// ---- files ----

bool profile_pair(const char *path, const Compare *c, Diag *d) {
    Arena arena = {0};
    Output o;
    bool ok;
    if (output_has_ending(path, ".json")) {
        ok = write_json(path, c, &arena, d);
    } else {
        FILE *out = output_open(&o, &arena, path, d);
        if (out && output_has_ending(path, ".html")) write_page(out, c, &arena);
        else if (out) write_text(out, c, &arena);
        ok = out && output_close(&o, out, true, d);
    }
    arena_free(&arena);
    return ok;
}
