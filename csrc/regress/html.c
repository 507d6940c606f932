// SPDX-License-Identifier: Apache-2.0
// A campaign as one page: verdicts, buckets, coverage, trend. Everything is in the file; links go to the cases' folders
// beside it.
#include "regress/regress.h"

#include "base/output.h"
#include "base/xml.h"

#include <string.h>
#include <unistd.h>

static const char style[] =
    "body{font:14px/1.45 system-ui,sans-serif;margin:0;color:#1c2430;background:#fff}"
    "main{max-width:1400px;margin:0 auto;padding:24px}"
    "h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:32px 0 8px}p{margin:4px 0 12px}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid #e3e7ec;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}code,pre{font:12px/1.4 ui-monospace,monospace}"
    "pre{background:#f5f7f9;padding:10px;overflow:auto;max-height:420px;margin:6px 0;white-space:pre-wrap}"
    ".tiles{display:flex;gap:12px;margin:16px 0}.tiles div{border:1px solid #d5dbe2;border-radius:6px;padding:8px 16px;min-width:90px}"
    ".tiles b{display:block;font-size:22px}"
    ".pass{color:#1a7f37}.fail,.unexpected{color:#b42318}.expected{color:#8a6100}.none{color:#667}"
    ".bar{background:#e3e7ec;height:10px;width:90px;display:inline-block}.bar i{display:block;height:10px;background:#2f6fb0}"
    "input{font:inherit;padding:4px 8px;width:340px}summary{cursor:pointer}.facts{color:#556}";

// Filters the table of cases by the words typed.
static const char script[] =
    "var box=document.getElementById('filter'),rows=[].slice.call(document.querySelectorAll('#cases tbody tr'));"
    "box.addEventListener('input',function(){var w=box.value.toLowerCase().split(/\\s+/),n=0;"
    "rows.forEach(function(r){var t=r.textContent.toLowerCase(),on=w.every(function(x){return t.indexOf(x)>=0});"
    "r.style.display=on?'':'none';n+=on});document.getElementById('shown').textContent=n;});";

static const char *class_of(RegressOutcome o) {
    static const char *const names[OUTCOMES] = {"none", "pass", "fail", "expected", "unexpected"};
    return names[o];
}

// Text, with what XML cannot hold as '?'.
static void cell(FILE *f, const char *open, const char *text, const char *close) {
    fputs(open, f);
    xml_put(f, text);
    fputs(close, f);
}

static void put_tiles(FILE *f, const Campaign *c) {
    static const char *const titles[OUTCOMES] = {"without result", "passed", "failed", "expected failures", "unexpected"};
    static const RegressOutcome order[] = {OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_UNEXPECTED, OUTCOME_EXPECTED, OUTCOME_NONE};
    fprintf(f, "<div class=\"tiles\">");
    for (int i = 0; i < OUTCOMES; i++)
        fprintf(f, "<div class=\"%s\" id=\"n-%s\"><b>%d</b>%s</div>", class_of(order[i]), class_of(order[i]), c->count[order[i]], titles[order[i]]);
    fprintf(f, "<div><b>%.0f s</b>processor time</div></div>\n", c->cpu);
}

static void put_link(FILE *f, const Campaign *c, Arena *arena, int i) {
    fprintf(f, "<a href=\"%s/\">", case_folder(arena, i));
    xml_put(f, c->plan.cases[i].key);
    fputs("</a>", f);
}

static void put_buckets(FILE *f, const Campaign *c, Arena *arena) {
    int n;
    const RegressBucket *b = campaign_buckets(c, arena, &n);
    fprintf(f, "<h2 id=\"failures\">Failures by cause</h2>\n");
    if (!n) fprintf(f, "<p>None.</p>\n");
    for (int i = 0; i < n; i++) {
        const int first = b[i].cases[0];
        const RegressResult *r = &c->results[first];
        fprintf(f, "<details class=\"bucket\"%s><summary><b>%d</b> <code>", i < 3 ? " open" : "", b[i].ncases);
        xml_put(f, b[i].text);
        fprintf(f, "</code></summary>\n<p>");
        for (int k = 0; k < b[i].ncases && k < 50; k++) {
            if (k) fputs(", ", f);
            put_link(f, c, arena, b[i].cases[k]);
        }
        if (b[i].ncases > 50) fprintf(f, " and %d more", b[i].ncases - 50);
        cell(f, "</p><p>Reproduce: <code>", r->reproduce, "</code></p>\n");
        const char *folder = case_folder(arena, first);
        fprintf(f, "<p><a href=\"%s/err.txt\">what it said</a>, <a href=\"%s/out.txt\">output</a>", folder, folder);
        if (!access(arena_printf(arena, "%s/%s/bundle", c->dir, folder), F_OK)) fprintf(f, ", <a href=\"%s/bundle/\">bundle and wave</a>", folder);
        fprintf(f, "</p>");
        cell(f, "<pre>", r->message, "</pre></details>\n");
    }
}

// ---- coverage of the campaign --------------------------------------------------------------------

typedef struct Block {
    const char *name;
    RegressBins *bins;
    int nbins, cap_bins;
    RegressCode code[3];
    int ncode;
} Block;

static void add_bin(Block *b, Arena *arena, const RegressBins *bin) {
    for (int i = 0; i < b->nbins; i++)
        if (!strcmp(b->bins[i].name, bin->name) && !strcmp(b->bins[i].group, bin->group)) {
            b->bins[i].hits += bin->hits;
            return;
        }
    *ARENA_PUSH(arena, b->bins, b->nbins, b->cap_bins) = *bin;
}

// A place is missing when no case reached it.
static void add_code(Block *b, Arena *arena, const RegressCode *code) {
    for (int i = 0; i < b->ncode; i++) {
        RegressCode *all = &b->code[i];
        if (strcmp(all->what, code->what)) continue;
        int n = 0;
        for (int m = 0, k = 0; m < all->nmissing && k < code->nmissing;) {
            const int order = strcmp(all->missing[m], code->missing[k]);
            if (order == 0) all->missing[n++] = all->missing[m];
            m += order <= 0, k += order >= 0;
        }
        all->nmissing = n;
        return;
    }
    if (b->ncode == 3) return;
    RegressCode *mine = &b->code[b->ncode++];
    *mine = *code;
    mine->missing = ARENA_ARRAY(arena, const char *, code->nmissing + 1);
    for (int m = 0; m < code->nmissing; m++) mine->missing[m] = code->missing[m];
}

static Block *find_block(Block **blocks, int *n, int *cap, Arena *arena, const char *name) {
    for (int i = 0; i < *n; i++)
        if (!strcmp((*blocks)[i].name, name)) return &(*blocks)[i];
    Block *b = ARENA_PUSH(arena, *blocks, *n, *cap);
    *b = (Block){.name = name};
    return b;
}

static void put_share(FILE *f, uint64_t hit, uint64_t all) {
    const double share = all ? 100.0 * (double)hit / (double)all : 0;
    fprintf(f, "<td class=\"n\">%llu of %llu</td><td><span class=\"bar\"><i style=\"width:%.0f%%\"></i></span></td>", (unsigned long long)hit, (unsigned long long)all, share);
}

static void put_missing(FILE *f, const Block *b, int missing) {
    enum { SHOWN = 400 };
    if (missing) {
        fprintf(f, "<details><summary>%d bins</summary>", missing);
        for (int i = 0; i < b->nbins; i++)
            if (!b->bins[i].hits) {
                cell(f, "<code>", b->bins[i].group, ": ");
                cell(f, "", b->bins[i].name, "</code><br>");
            }
        fprintf(f, "</details>");
    }
    for (int k = 0; k < b->ncode; k++) {
        if (!b->code[k].nmissing) continue;
        fprintf(f, "<details><summary>%d %s</summary>", b->code[k].nmissing, b->code[k].what);
        for (int m = 0; m < b->code[k].nmissing && m < SHOWN; m++) cell(f, "<code>", b->code[k].missing[m], "</code><br>");
        if (b->code[k].nmissing > SHOWN) fprintf(f, "and %d more", b->code[k].nmissing - SHOWN);
        fprintf(f, "</details>");
    }
}

static void put_coverage(FILE *f, const Campaign *c, Arena *arena) {
    Block *blocks = NULL;
    int n = 0, cap = 0;
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressResult *r = &c->results[i];
        for (int k = 0; k < r->nbins; k++) add_bin(find_block(&blocks, &n, &cap, arena, r->bins[k].block), arena, &r->bins[k]);
        for (int k = 0; k < r->ncode; k++) add_code(find_block(&blocks, &n, &cap, arena, r->code[k].block), arena, &r->code[k]);
    }
    if (!n) return;
    fprintf(f, "<h2 id=\"coverage\">Coverage of all cases together</h2>\n<table><thead><tr><th>block<th class=\"n\">functional bins<th>"
               "<th class=\"n\">lines<th><th class=\"n\">branches<th><th class=\"n\">toggles<th><th>not reached</tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        const Block *b = &blocks[i];
        int hit = 0;
        for (int k = 0; k < b->nbins; k++) hit += b->bins[k].hits != 0;
        cell(f, "<tr><td><code>", b->name, "</code></td>");
        put_share(f, (uint64_t)hit, (uint64_t)b->nbins);
        static const char *const what[] = {"lines", "branches", "toggles"};
        for (int w = 0; w < 3; w++) {
            const RegressCode *code = NULL;
            for (int k = 0; k < b->ncode; k++)
                if (!strcmp(b->code[k].what, what[w])) code = &b->code[k];
            if (code) put_share(f, code->points - (uint64_t)code->nmissing, code->points);
            else fprintf(f, "<td class=\"n\">-</td><td></td>");
        }
        fprintf(f, "<td>");
        put_missing(f, b, b->nbins - hit);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

// ---- trend ---------------------------------------------------------------------------------------

static void put_trend(FILE *f, const RegressTrend *t, int n) {
    enum { HEIGHT = 120, STEP = 28 };
    int most = 1;
    if (n < 2) return;
    for (int i = 0; i < n; i++) {
        int all = 0;
        for (int o = 0; o < OUTCOMES; o++) all += t[i].count[o];
        if (all > most) most = all;
    }
    fprintf(f, "<h2 id=\"trend\">The last %d campaigns of this suite</h2>\n<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"cases passed and failed per campaign\">\n",
            n, n * STEP + 60, HEIGHT + 30);
    fprintf(f, "<text x=\"40\" y=\"12\" font-size=\"11\" text-anchor=\"end\">%d</text><text x=\"40\" y=\"%d\" font-size=\"11\" text-anchor=\"end\">0</text>\n", most, HEIGHT + 4);
    for (int i = 0; i < n; i++) {
        const int bad = t[i].count[OUTCOME_FAIL] + t[i].count[OUTCOME_UNEXPECTED], good = t[i].count[OUTCOME_PASS] + t[i].count[OUTCOME_EXPECTED];
        const double scale = (double)(HEIGHT - 4) / most, high = scale * good, low = scale * bad;
        fprintf(f, "<g><title>");
        xml_put(f, t[i].started);
        cell(f, " ", t[i].commit, "");
        fprintf(f, ": %d passed, %d failed, %.0f s</title><rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#9cc3a5\"/>", good, bad, t[i].cpu, 46 + i * STEP,
                HEIGHT - high - low, STEP - 6, high);
        fprintf(f, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#b42318\"/></g>\n", 46 + i * STEP, HEIGHT - low, STEP - 6, low);
    }
    fprintf(f, "</svg>\n<table><thead><tr><th>started (UTC)<th>commit<th class=\"n\">passed<th class=\"n\">failed<th class=\"n\">expected<th class=\"n\">unexpected<th class=\"n\">processor s</tr></thead><tbody>\n");
    for (int i = n - 1; i >= 0; i--) {
        cell(f, "<tr><td>", t[i].started, "</td>");
        cell(f, "<td><code>", t[i].commit, "</code></td>");
        for (int o = OUTCOME_PASS; o < OUTCOMES; o++) fprintf(f, "<td class=\"n\">%d</td>", t[i].count[o]);
        fprintf(f, "<td class=\"n\">%.0f</td></tr>\n", t[i].cpu);
    }
    fprintf(f, "</tbody></table>\n");
}

static void put_cases(FILE *f, const Campaign *c, Arena *arena) {
    fprintf(f, "<h2 id=\"all\">Cases</h2>\n<p><input id=\"filter\" placeholder=\"words: fail sgemm corf\" aria-label=\"filter\"> <span id=\"shown\">%d</span> shown</p>\n"
               "<table id=\"cases\"><thead><tr><th>case<th>outcome<th>verdict<th class=\"n\">seed<th class=\"n\">cycles<th class=\"n\">processor s<th>tags<th>note</tr></thead><tbody>\n", c->plan.ncases);
    for (int i = 0; i < c->plan.ncases; i++) {
        const RegressCase *k = &c->plan.cases[i];
        const RegressResult *r = &c->results[i];
        fprintf(f, "<tr><td>");
        put_link(f, c, arena, i);
        if (!access(arena_printf(arena, "%s/%s/cover/html/index.html", c->dir, case_folder(arena, i)), F_OK))
            fprintf(f, " <a href=\"%s/cover/html/index.html\">coverage</a>", case_folder(arena, i));
        fprintf(f, "</td><td class=\"%s\">%s</td>", class_of(r->outcome), outcome_word[r->outcome]);
        cell(f, "<td>", r->verdict, "</td>");
        if (k->seed) fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)k->seed);
        else fprintf(f, "<td></td>");
        if (r->cycles) fprintf(f, "<td class=\"n\">%llu</td>", (unsigned long long)r->cycles);
        else fprintf(f, "<td></td>");
        fprintf(f, "<td class=\"n\">%.2f</td><td>", r->cpu);
        for (int t = 0; t < k->ntags; t++) cell(f, t ? ", " : "", k->tags[t], "");
        cell(f, "</td><td>", k->reason ? k->reason : r->bucket, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

bool regress_report_html(const Campaign *c, const RegressTrend *trend, int ntrend, const char *path, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>smcosim regress ");
    xml_put(f, c->plan.suite);
    fprintf(f, "</title><style>%s</style></head><body><main>\n<h1>Suite ", style);
    xml_put(f, c->plan.suite);
    cell(f, "</h1>\n<p class=\"facts\">begun ", c->plan.started, "");
    cell(f, ", commit <code>", *c->plan.commit ? c->plan.commit : "unknown", "</code>");
    cell(f, ", smcosim ", c->plan.version, "");
    cell(f, ", ", c->plan.tools, "</p>\n");
    put_tiles(f, c);
    put_buckets(f, c, &arena);
    put_coverage(f, c, &arena);
    put_trend(f, trend, ntrend);
    put_cases(f, c, &arena);
    fprintf(f, "</main><script>%s</script></body></html>\n", script);
    const bool ok = output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}
