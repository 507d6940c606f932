// SPDX-License-Identifier: Apache-2.0
// A campaign as one page: verdicts, buckets, coverage, trend. The file contains everything except
// the cases' folders beside it, to which it has links.
#include "campaign/campaign.h"

#include "base/output.h"
#include "base/xml.h"

#include <string.h>
#include <unistd.h>

static const char style[] =
    "body{font:14px/1.45 system-ui,sans-serif;margin:0;color:#1c2430;background:#fff}"
    "main{max-width:1400px;margin:0 auto;padding:24px}"
    "h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:32px 0 8px}p{margin:4px 0 12px}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 10px 4px "
    "0;border-bottom:1px solid #e3e7ec;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}code,pre{font:12px/1.4 "
    "ui-monospace,monospace}"
    "ul{margin:4px 0 "
    "8px;padding-left:20px}pre{background:#f5f7f9;padding:10px;overflow:auto;max-height:420px;"
    "margin:6px 0;white-space:pre-wrap}"
    ".tiles{display:flex;gap:12px;margin:16px 0}.tiles div{border:1px solid "
    "#d5dbe2;border-radius:6px;padding:8px 16px;min-width:90px}"
    ".tiles b{display:block;font-size:22px}"
    ".pass{color:#1a7f37}.fail,.unexpected{color:#b42318}.expected{color:#8a6100}.none{color:#667}"
    ".bar{background:#e3e7ec;height:10px;width:90px;display:inline-block}.bar "
    "i{display:block;height:10px;background:#2f6fb0}"
    "input{font:inherit;padding:4px 8px;width:340px}summary{cursor:pointer}.facts{color:#556}";

// Filters the table of cases by the words typed.
static const char script[] =
    "var "
    "box=document.getElementById('filter'),rows=[].slice.call(document.querySelectorAll('#cases "
    "tbody tr'));"
    "box.addEventListener('input',function(){var w=box.value.toLowerCase().split(/\\s+/),n=0;"
    "rows.forEach(function(r){var t=r.textContent.toLowerCase(),on=w.every(function(x){return "
    "t.indexOf(x)>=0});"
    "r.style.display=on?'':'none';n+=on});document.getElementById('shown').textContent=n;});";

static const char *class_of(RegressOutcome o) {
    static const char *const names[OUTCOMES] = {"none", "pass", "fail", "expected", "unexpected"};
    return names[o];
}

// Text, with '?' for characters that XML cannot represent.
static void put_cell(FILE *f, const char *open, const char *text, const char *close) {
    fputs(open, f);
    xml_put(f, text);
    fputs(close, f);
}

static void put_tiles(FILE *f, const Campaign *c) {
    static const char *const titles[OUTCOMES] = {"without result", "passed", "failed",
                                                 "expected failures", "unexpected"};
    static const RegressOutcome order[] = {OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_UNEXPECTED,
                                           OUTCOME_EXPECTED, OUTCOME_NONE};
    fprintf(f, "<div class=\"tiles\">");
    for (int i = 0; i < OUTCOMES; i++)
        fprintf(f, "<div class=\"%s\" id=\"n-%s\"><b>%d</b>%s</div>", class_of(order[i]),
                class_of(order[i]), c->count[order[i]], titles[order[i]]);
    fprintf(f, "<div><b>%.0f s</b>processor time</div></div>\n", c->cpu);
}

static void put_link(FILE *f, const Campaign *c, Arena *arena, int i) {
    fprintf(f, "<a href=\"%s/\">", case_folder(arena, i));
    xml_put(f, c->plan.cases[i].key);
    fputs("</a>", f);
}

static bool case_has(const Campaign *c, Arena *arena, int i, const char *name) {
    return !access(arena_printf(arena, "%s/%s/%s", c->dir, case_folder(arena, i), name), F_OK);
}

// The files of a failure: a browser shows the texts and downloads the waves.
static void put_evidence(FILE *f, const Campaign *c, Arena *arena, int i) {
    static const struct {
        const char *file, *title;
    } files[] = {{"err.txt", "what it said"},
                 {"out.txt", "output"},
                 {"bundle/mismatch.txt", "mismatch"},
                 {"bundle/mismatch.fst", "wave"},
                 {"bundle/mismatch.gtkw", "GTKWave layout"},
                 {"bundle/shrunk.txt", "shrunk stimulus"},
                 {"bundle/shrunk.fst", "its wave"},
                 {"bundle/", "bundle"}};
    const char *between = ": ";
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        if (!case_has(c, arena, i, files[k].file)) continue;
        fprintf(f, "%s<a href=\"%s/%s\">%s</a>", between, case_folder(arena, i), files[k].file,
                files[k].title);
        between = ", ";
    }
}

// The commands that reproduce a failure, from its bundle if it has one.
static void put_commands(FILE *f, const Campaign *c, Arena *arena, int i) {
    const char *folder = case_folder(arena, i);
    put_cell(f, "<p>Reproduce: <code>", c->results[i].reproduce, "</code>");
    if (case_has(c, arena, i, "bundle/replay.yaml"))
        fprintf(f, "<br>In this folder: <code>smcosim replay %s/bundle</code>", folder);
    if (case_has(c, arena, i, "bundle/mismatch.fst"))
        fprintf(f, "<br><code>gtkwave %s/bundle/mismatch.fst %s/bundle/mismatch.gtkw</code>",
                folder, folder);
    fprintf(f, "</p>\n");
}

static void put_buckets(FILE *f, const Campaign *c, Arena *arena) {
    enum { SHOWN = 50 };
    int n;
    const RegressBucket *b = campaign_buckets(c, arena, &n);
    fprintf(f, "<h2 id=\"failures\">Failures by cause</h2>\n");
    if (!n) fprintf(f, "<p>None.</p>\n");
    for (int i = 0; i < n; i++) {
        const int first = b[i].cases[0];
        const RegressResult *r = &c->results[first];
        fprintf(f, "<details class=\"bucket\"%s><summary><b>%d</b> <code>", i < 3 ? " open" : "",
                b[i].ncases);
        xml_put(f, b[i].text);
        fprintf(f, "</code></summary>\n<ul>\n");
        for (int k = 0; k < b[i].ncases && k < SHOWN; k++) {
            fputs("<li>", f);
            put_link(f, c, arena, b[i].cases[k]);
            put_evidence(f, c, arena, b[i].cases[k]);
            fputs("</li>\n", f);
        }
        fprintf(f, "</ul>\n");
        if (b[i].ncases > SHOWN)
            fprintf(f, "<p>and %d more, in the list of cases</p>\n", b[i].ncases - SHOWN);
        put_commands(f, c, arena, first);
        if (*r->message) put_cell(f, "<pre>", r->message, "</pre>");
        fprintf(f, "</details>\n");
    }
}

// ---- coverage of the campaign -------------------------------------------------------------------

static void put_share(FILE *f, uint64_t hit, uint64_t all) {
    const double share = all ? 100.0 * (double)hit / (double)all : 0;
    fprintf(f,
            "<td class=\"n\">%llu of %llu</td><td><span class=\"bar\"><i "
            "style=\"width:%.0f%%\"></i></span></td>",
            (unsigned long long)hit, (unsigned long long)all, share);
}

static void put_missing(FILE *f, const RegressCoverage *b, int missing) {
    enum { SHOWN = 400 };
    if (missing) {
        fprintf(f, "<details><summary>%d bins</summary>", missing);
        for (int i = 0; i < b->nbins; i++)
            if (!b->bins[i].hits) {
                put_cell(f, "<code>", b->bins[i].group, ": ");
                put_cell(f, "", b->bins[i].name, "</code><br>");
            }
        fprintf(f, "</details>");
    }
    for (int k = 0; k < b->ncode; k++) {
        if (!b->code[k].nmissing) continue;
        fprintf(f, "<details><summary>%d %s</summary>", b->code[k].nmissing, b->code[k].what);
        for (int m = 0; m < b->code[k].nmissing && m < SHOWN; m++)
            put_cell(f, "<code>", b->code[k].missing[m], "</code><br>");
        if (b->code[k].nmissing > SHOWN) fprintf(f, "and %d more", b->code[k].nmissing - SHOWN);
        fprintf(f, "</details>");
    }
}

static void put_coverage(FILE *f, const Campaign *c, Arena *arena) {
    int n;
    const RegressCoverage *blocks = campaign_coverage(c, arena, &n);
    if (!n) return;
    fprintf(f,
            "<h2 id=\"coverage\">Coverage of all cases "
            "together</h2>\n<table><thead><tr><th>block<th class=\"n\">functional bins<th>"
            "<th class=\"n\">lines<th><th class=\"n\">branches<th><th "
            "class=\"n\">toggles<th><th>not reached</tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        const RegressCoverage *b = &blocks[i];
        const int hit = coverage_bins_hit(b);
        put_cell(f, "<tr><td><code>", b->name, "</code></td>");
        put_share(f, (uint64_t)hit, (uint64_t)b->nbins);
        for (int w = 1; w < COVERAGES; w++) {
            const RegressCode *code = NULL;
            for (int k = 0; k < b->ncode; k++)
                if (!strcmp(b->code[k].what, coverage_word[w])) code = &b->code[k];
            if (code) put_share(f, code->points - (uint64_t)code->nmissing, code->points);
            else fprintf(f, "<td class=\"n\">-</td><td></td>");
        }
        fprintf(f, "<td>");
        put_missing(f, b, b->nbins - hit);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

// ---- work of the blocks -------------------------------------------------------------------------

static void put_work(FILE *f, const Campaign *c, Arena *arena) {
    int n, vacuous = 0;
    const RegressBlock *b = campaign_work(c, arena, &n);
    if (!n) return;
    for (int i = 0; i < n; i++) vacuous += b[i].vacuous;
    fprintf(f, "<h2 id=\"work\">Blocks that had work, by architecture</h2>\n");
    for (int i = 0; i < n; i++)
        if (b[i].vacuous)
            put_cell(f, "<p class=\"fail vacuous\">vacuous: ", campaign_vacuous_text(&b[i], arena),
                     "</p>\n");
    fprintf(f,
            "<details%s><summary>%d blocks, %d "
            "vacuous</summary><table><thead><tr><th>architecture<th>block<th class=\"n\">cases "
            "with work"
            "<th class=\"n\">idle</tr></thead><tbody>\n",
            vacuous ? " open" : "", n, vacuous);
    for (int i = 0; i < n; i++) {
        put_cell(f, "<tr><td>", b[i].arch, "</td>");
        put_cell(f, "<td><code>", b[i].block, "</code>");
        put_cell(f, *b[i].rtl ? " of " : "", b[i].rtl, "</td>");
        fprintf(f, "<td class=\"n%s\">%d</td><td class=\"n\">%d</td></tr>\n",
                b[i].vacuous ? " fail" : "", b[i].worked, b[i].idle);
    }
    fprintf(f, "</tbody></table></details>\n");
}

// ---- trend --------------------------------------------------------------------------------------

enum { HEIGHT = 120, STEP = 28, LEFT = 46 };

static double share_of(const RegressTrend *t, int what) {
    return t->points[what] ? 100.0 * (double)t->hit[what] / (double)t->points[what] : -1;
}

// A line per kind of coverage, in percent of the points of its cases. Campaigns without coverage
// are omitted.
static void put_coverage_trend(FILE *f, const RegressTrend *t, int n) {
    static const char *const colors[COVERAGES] = {"#2f6fb0", "#1a7f37", "#8a6100", "#7a3fa0"};
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int w = 0; w < COVERAGES; w++) any = any || t[i].points[w];
    if (!any) return;
    fprintf(f,
            "<svg id=\"coverage-trend\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-label=\"coverage per campaign\">\n",
            n * STEP + LEFT + 120, HEIGHT + 30);
    for (int y = 0; y <= 100; y += 50) {
        const double at = 10 + (HEIGHT - 10) * (1 - y / 100.0);
        fprintf(f,
                "<text x=\"40\" y=\"%.1f\" font-size=\"11\" text-anchor=\"end\">%d %%</text><path "
                "d=\"M%d %.1fh%d\" stroke=\"#e3e7ec\"/>\n",
                at + 4, y, LEFT, at, n * STEP);
    }
    for (int w = 0; w < COVERAGES; w++) {
        int last = -1;
        fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colors[w]);
        for (int i = 0; i < n; i++) {
            const double share = share_of(&t[i], w);
            if (share < 0) continue;
            fprintf(f, "%s%d %.1f", last < 0 ? "M" : "L", LEFT + i * STEP + STEP / 2,
                    10 + (HEIGHT - 10) * (1 - share / 100));
            last = i;
        }
        fprintf(f, "\"/>\n");
        for (int i = 0; i < n; i++)
            if (share_of(&t[i], w) >= 0)
                fprintf(f,
                        "<circle r=\"3\" cx=\"%d\" cy=\"%.1f\" fill=\"%s\"><title>%s: %.1f "
                        "%%</title></circle>\n",
                        LEFT + i * STEP + STEP / 2,
                        10 + (HEIGHT - 10) * (1 - share_of(&t[i], w) / 100), colors[w],
                        coverage_word[w], share_of(&t[i], w));
        if (last >= 0)
            fprintf(f, "<text x=\"%d\" y=\"%d\" font-size=\"11\" fill=\"%s\">%s</text>\n",
                    LEFT + n * STEP + 8, 20 + 16 * w, colors[w], coverage_word[w]);
    }
    fprintf(f, "</svg>\n");
}

static void put_trend(FILE *f, const RegressTrend *t, int n) {
    int most = 1;
    if (n < 2) return;
    for (int i = 0; i < n; i++) {
        int all = 0;
        for (int o = 0; o < OUTCOMES; o++) all += t[i].count[o];
        if (all > most) most = all;
    }
    fprintf(f,
            "<h2 id=\"trend\">The last %d campaigns of this suite</h2>\n<svg width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-label=\"cases passed and failed per campaign\">\n",
            n, n * STEP + LEFT + 14, HEIGHT + 30);
    fprintf(f,
            "<text x=\"40\" y=\"12\" font-size=\"11\" text-anchor=\"end\">%d</text><text x=\"40\" "
            "y=\"%d\" font-size=\"11\" text-anchor=\"end\">0</text>\n",
            most, HEIGHT + 4);
    for (int i = 0; i < n; i++) {
        const int bad = t[i].count[OUTCOME_FAIL] + t[i].count[OUTCOME_UNEXPECTED],
                  good = t[i].count[OUTCOME_PASS] + t[i].count[OUTCOME_EXPECTED];
        const double scale = (double)(HEIGHT - 4) / most, high = scale * good, low = scale * bad;
        fprintf(f, "<g><title>");
        xml_put(f, t[i].started);
        put_cell(f, " ", t[i].commit, "");
        fprintf(f,
                ": %d passed, %d failed, %.0f s</title><rect x=\"%d\" y=\"%.1f\" width=\"%d\" "
                "height=\"%.1f\" fill=\"#9cc3a5\"/>",
                good, bad, t[i].cpu, LEFT + i * STEP, HEIGHT - high - low, STEP - 6, high);
        fprintf(f,
                "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#b42318\"/></g>\n",
                LEFT + i * STEP, HEIGHT - low, STEP - 6, low);
    }
    fprintf(f, "</svg>\n");
    put_coverage_trend(f, t, n);
    fprintf(f,
            "<table><thead><tr><th>started (UTC)<th>commit<th class=\"n\">passed<th "
            "class=\"n\">failed<th class=\"n\">expected<th class=\"n\">unexpected"
            "<th class=\"n\">processor s");
    for (int w = 0; w < COVERAGES; w++) fprintf(f, "<th class=\"n\">%s %%", coverage_word[w]);
    fprintf(f, "</tr></thead><tbody>\n");
    for (int i = n - 1; i >= 0; i--) {
        put_cell(f, "<tr><td>", t[i].started, "</td>");
        put_cell(f, "<td><code>", t[i].commit, "</code></td>");
        for (int o = OUTCOME_PASS; o < OUTCOMES; o++)
            fprintf(f, "<td class=\"n\">%d</td>", t[i].count[o]);
        fprintf(f, "<td class=\"n\">%.0f</td>", t[i].cpu);
        for (int w = 0; w < COVERAGES; w++) {
            if (t[i].points[w]) fprintf(f, "<td class=\"n\">%.1f</td>", share_of(&t[i], w));
            else fprintf(f, "<td class=\"n\">-</td>");
        }
        fprintf(f, "</tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

static void put_cases(FILE *f, const Campaign *c, Arena *arena) {
    fprintf(f,
            "<h2 id=\"all\">Cases</h2>\n<p><input id=\"filter\" placeholder=\"words: fail sgemm "
            "corf\" aria-label=\"filter\"> <span id=\"shown\">%d</span> shown</p>\n"
            "<table id=\"cases\"><thead><tr><th>case<th>outcome<th>verdict<th class=\"n\">seed<th "
            "class=\"n\">cycles<th class=\"n\">processor s<th>tags<th>note</tr></thead><tbody>\n",
            c->plan.ncases);
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressCase *k = &c->plan.cases[i];
        const RegressResult *r = &c->results[i];
        fprintf(f, "<tr><td>");
        put_link(f, c, arena, i);
        if (!access(
                arena_printf(arena, "%s/%s/cover/html/index.html", c->dir, case_folder(arena, i)),
                F_OK))
            fprintf(f, " <a href=\"%s/cover/html/index.html\">coverage</a>", case_folder(arena, i));
        fprintf(f, "</td><td class=\"%s\">%s</td>", class_of(r->outcome), outcome_word(r->outcome));
        put_cell(f, "<td>", r->verdict, r->unchecked ? ", results not checked</td>" : "</td>");
        if (k->seed) fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)k->seed);
        else fprintf(f, "<td></td>");
        if (r->cycles) fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)r->cycles);
        else fprintf(f, "<td></td>");
        fprintf(f, "<td class=\"n\">%.2f</td><td>", r->cpu);
        for (int t = 0; t < k->ntags; t++) put_cell(f, t ? ", " : "", k->tags[t], "");
        const char *idle = case_idle(r, arena);
        put_cell(f, "</td><td>", k->reason ? k->reason : r->bucket, "");
        put_cell(f, *idle ? " idle: " : "", idle, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

bool regress_report_html(const Campaign *c, const RegressTrend *trend, int ntrend, const char *path,
                         Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
            "name=\"viewport\" content=\"width=device-width\"><title>smcosim regress ");
    xml_put(f, c->plan.suite);
    fprintf(f, "</title><style>%s</style></head><body><main>\n<h1>Suite ", style);
    xml_put(f, c->plan.suite);
    put_cell(f, "</h1>\n<p class=\"facts\">begun ", c->plan.started, "");
    put_cell(f, ", commit <code>", *c->plan.commit ? c->plan.commit : "unknown", "</code>");
    put_cell(f, ", smcosim ", c->plan.version, "");
    put_cell(f, ", ", c->plan.tools, "</p>\n");
    put_tiles(f, c);
    put_buckets(f, c, &arena);
    put_work(f, c, &arena);
    put_coverage(f, c, &arena);
    put_trend(f, trend, ntrend);
    put_cases(f, c, &arena);
    fprintf(f, "</main><script>%s</script></body></html>\n", script);
    const bool ok = output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}
