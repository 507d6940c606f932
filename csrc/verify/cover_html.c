// SPDX-License-Identifier: Apache-2.0
// Coverage as files: an lcov tracefile and a list of toggles per block; pages with bins, lines,
// branches, toggles.
#include "verify/cover.h"

#include "base/output.h"
#include "base/plain.h"
#include "base/xml.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool fail_unwritable(const char *path, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

// Full paths, so that readers of the tracefile find the sources.
static const char *source_path(Arena *arena, const char *data_dir, const char *file) {
    char *path = file[0] == '/' ? arena_printf(arena, "%s", file)
                                : arena_printf(arena, "%s/%s", data_dir, file);
    char *real = realpath(path, NULL);
    if (!real) return path;
    path = arena_printf(arena, "%s", real);
    free(real);
    return path;
}

static void write_source(FILE *f, Arena *arena, const char *data_dir, const VerifyCode *code,
                         const char *file) {
    int lines = 0, lines_hit = 0, branches = 0, branches_hit = 0;
    fprintf(f, "SF:%s\n", source_path(arena, data_dir, file));
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        const CodePoint *p = &code->points[i];
        if (strcmp(p->file, file) || p->waived) continue;
        if (p->kind == CODE_LINE) {
            fprintf(f, "DA:%d,%llu\n", p->line, (unsigned long long)p->hits);
            lines++, lines_hit += p->hits > 0;
        } else {
            fprintf(f, "BRDA:%d,0,%d,%llu\n", p->line, branches, (unsigned long long)p->hits);
            branches++, branches_hit += p->hits > 0;
        }
    }
    fprintf(f, "BRF:%d\nBRH:%d\nLF:%d\nLH:%d\nend_of_record\n", branches, branches_hit, lines,
            lines_hit);
}

static bool write_info(Arena *arena, const char *path, const char *data_dir, const char *name,
                       const VerifyCode *code, Diag *d) {
    Output o;
    FILE *f = output_open(&o, arena, path, d);
    if (!f) return false;
    fprintf(f, "TN:%s\n", name);
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(code->points[k].file, code->points[i].file) != 0;
        if (first) write_source(f, arena, data_dir, code, code->points[i].file);
    }
    return output_close(&o, f, true, d);
}

// One line per net: bits that toggled, then those that did not.
static bool write_toggles(Arena *arena, const char *path, const VerifyCode *code, Diag *d) {
    Output o;
    FILE *f = output_open(&o, arena, path, d);
    if (!f) return false;
    for (int i = 0, end; i < code->npoints; i = end) {
        const CodePoint *p = &code->points[i];
        end = i + 1;
        if (p->kind != CODE_TOGGLE) continue;
        int hit = code_hit(p);
        for (; end < code->npoints && code->points[end].what == p->what; end++)
            hit += code_hit(&code->points[end]);
        fprintf(f, "%d/%d %s", hit, end - i, p->what);
        for (int k = i; k < end; k++)
            if (!code_hit(&code->points[k]))
                fprintf(f, " [%d]%s%s", code->points[k].bit,
                        code->points[k].hits == 1       ? " never fell"
                            : code->points[k].hits == 2 ? " never rose"
                                                        : "",
                        code->points[k].waived ? " waived" : "");
        fputc('\n', f);
    }
    return output_close(&o, f, true, d);
}

bool code_write(Arena *arena, const char *dir, const char *data_dir, const char *name,
                const VerifyCode *code, Diag *d) {
    return write_info(arena, arena_printf(arena, "%s/%s.info", dir, name), data_dir, name, code,
                      d) &&
        write_toggles(arena, arena_printf(arena, "%s/%s.toggles.txt", dir, name), code, d);
}

// ---- HTML ---------------------------------------------------------------------------------------

static const char STYLE[] =
    "body{font:14px/1.45 "
    "system-ui,sans-serif;color:#1c2430;background:#fff;margin:0}main{max-width:1400px;margin:0 "
    "auto;padding:24px}"
    "h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:32px 0 8px}p{margin:4px 0 "
    "12px}.facts{color:#556}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 10px 4px "
    "0;border-bottom:1px solid #e3e7ec;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}code,pre,.src{"
    "font:12px/1.4 ui-monospace,monospace}"
    ".bar{background:#e3e7ec;height:8px;width:90px;display:inline-block;margin-left:8px}.bar "
    "i{display:block;height:8px;background:#2f6fb0}"
    ".short{color:#b42318}.waived{color:#8a6100}.bins{column-width:300px;margin:4px 0 12px}.bins "
    "div{break-inside:avoid}"
    ".src td{border:0;padding:0 10px 0 0;white-space:pre}.src tr.short td{background:#fdecea}.src "
    "tr.waived td{background:#fdf6e3}"
    "summary{cursor:pointer}";

typedef struct Share {
    int hit, all, waived;
} Share;

static Share bins_of(const VerifyResult *r) {
    return (Share){r->nbins - r->waived - r->missing, r->nbins - r->waived, r->waived};
}

static void put_share(FILE *f, Share s) {
    fprintf(f, "<td class=\"n%s\">%d of %d</td><td>", s.hit < s.all ? " short" : "", s.hit, s.all);
    fprintf(f, "<span class=\"bar\"><i style=\"width:%.1f%%\"></i></span>",
            s.all ? 100.0 * s.hit / s.all : 100.0);
    if (s.waived) fprintf(f, " <span class=\"waived\">%d waived</span>", s.waived);
    fprintf(f, "</td>");
}

static void put_shares(FILE *f, const VerifyResult *r) {
    put_share(f, bins_of(r));
    for (int k = 0; k < CODE_KINDS; k++)
        put_share(f,
                  (Share){r->code->kinds[k].hit, r->code->kinds[k].all, r->code->kinds[k].waived});
}

static void put_head(FILE *f, const char *title) {
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
            "name=\"viewport\" content=\"width=device-width\"><title>");
    xml_put(f, title);
    fprintf(f, "</title><style>%s</style></head><body><main>\n<h1>", STYLE);
    xml_put(f, title);
    fprintf(f, "</h1>\n");
}

static const char COLUMNS[] = "<th class=\"n\">bins<th><th class=\"n\">lines<th><th "
                              "class=\"n\">branches<th><th class=\"n\">toggles<th>";

// By group, each bin with its hits.
static void put_bins(FILE *f, const VerifyResult *r) {
    fprintf(f, "<h2 id=\"bins\">Functional bins</h2>\n");
    for (int i = 0; i < r->nbins; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(r->bins[k].group, r->bins[i].group) != 0;
        if (!first) continue;
        int hit = 0, all = 0;
        for (int k = i; k < r->nbins; k++)
            if (!strcmp(r->bins[k].group, r->bins[i].group)) all++, hit += r->hits[k] != 0;
        fprintf(f, "<details%s><summary>", hit < all ? " open" : "");
        xml_put(f, r->bins[i].group);
        fprintf(f, ": %d of %d</summary><div class=\"bins\">\n", hit, all);
        for (int k = i; k < r->nbins; k++) {
            if (strcmp(r->bins[k].group, r->bins[i].group)) continue;
            const char *why = r->waivers ? r->waivers[k] : NULL;
            fprintf(f, "<div%s><code>",
                    r->hits[k] ? ""
                        : why  ? " class=\"waived\""
                               : " class=\"short\"");
            xml_put(f, r->bins[k].name);
            fprintf(f, "</code> %llu ", (unsigned long long)r->hits[k]);
            if (why) xml_put(f, why);
            fprintf(f, "</div>\n");
        }
        fprintf(f, "</div></details>\n");
    }
}

// A line of a source: hits of its statements, how many of its branches were taken.
static void put_line(FILE *f, const VerifyCode *code, const char *file, int number,
                     const char *text, int n, Arena *arena) {
    uint64_t hits = 0;
    int lines = 0, branches = 0, taken = 0;
    bool is_short = false;
    const char *why = NULL;
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        const CodePoint *p = &code->points[i];
        if (p->line != number || strcmp(p->file, file)) continue;
        if (p->waived) why = p->waived;
        else is_short |= !code_hit(p);
        if (p->kind == CODE_LINE) lines++, hits = p->hits > hits ? p->hits : hits;
        else branches++, taken += code_hit(p);
    }
    fprintf(f, "<tr%s><td class=\"n\">%d</td><td class=\"n\">",
            is_short  ? " class=\"short\""
                : why ? " class=\"waived\""
                      : "",
            number);
    if (lines) fprintf(f, "%llu", (unsigned long long)hits);
    fprintf(f, "</td><td class=\"n\">");
    if (branches) fprintf(f, "%d/%d", taken, branches);
    fprintf(f, "</td><td>");
    xml_put(f, arena_strndup(arena, text, (size_t)n));
    fprintf(f, "</td><td>");
    if (why) xml_put(f, why);
    fprintf(f, "</td></tr>\n");
}

static bool put_source(FILE *f, Arena *arena, const char *data_dir, const VerifyCode *code,
                       const char *file, Diag *d) {
    char *text;
    size_t n;
    int number = 1;
    if (!file_read(arena, source_path(arena, data_dir, file), &text, &n, d)) return false;
    fprintf(f, "<h2>");
    xml_put(f, file);
    fprintf(
        f,
        "</h2>\n<details><summary>hits of a line, branches taken</summary><table class=\"src\">\n");
    for (const char *p = text; *p; number++) {
        const int length = (int)strcspn(p, "\n");
        put_line(f, code, file, number, p, length, arena);
        p += length + (p[length] == '\n');
    }
    fprintf(f, "</table></details>\n");
    return true;
}

static bool put_sources(FILE *f, Arena *arena, const char *data_dir, const VerifyCode *code,
                        Diag *d) {
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(code->points[k].file, code->points[i].file) != 0;
        if (first && !put_source(f, arena, data_dir, code, code->points[i].file, d)) return false;
    }
    return true;
}

static void put_toggles(FILE *f, const VerifyCode *code) {
    fprintf(f,
            "<h2 id=\"toggles\">Toggles</h2>\n<table><thead><tr><th>net<th class=\"n\">bits that "
            "rose and fell<th>the others</tr></thead><tbody>\n");
    for (int i = 0, end; i < code->npoints; i = end) {
        const CodePoint *p = &code->points[i];
        end = i + 1;
        if (p->kind != CODE_TOGGLE) continue;
        for (; end < code->npoints && code->points[end].what == p->what; end++) {}
        int hit = 0, waived = 0;
        for (int k = i; k < end; k++)
            hit += code_hit(&code->points[k]),
                waived += !code_hit(&code->points[k]) && code->points[k].waived;
        fprintf(f, "<tr><td><code>");
        xml_put(f, p->what);
        fprintf(f, "</code></td><td class=\"n%s\">%d of %d</td><td>",
                hit + waived < end - i ? " short"
                    : hit < end - i    ? " waived"
                                       : "",
                hit, end - i);
        const char *why = NULL;
        int shown = 0;
        for (int k = i; k < end; k++) {
            const CodePoint *b = &code->points[k];
            if (code_hit(b)) continue;
            if (b->waived) why = b->waived;
            if (shown++ < 16)
                fprintf(f, "[%d]%s ", b->bit,
                        b->hits == 1       ? " never fell"
                            : b->hits == 2 ? " never rose"
                                           : "");
        }
        if (shown > 16) fprintf(f, "and %d more ", shown - 16);
        if (why) xml_put(f, why);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

static bool write_block(Arena *arena, const char *path, const char *data_dir, const char *name,
                        const VerifyResult *r, Diag *d) {
    Output o;
    FILE *f = output_open(&o, arena, path, d);
    if (!f) return false;
    put_head(f, name);
    fprintf(f,
            "<p class=\"facts\">%s; verdict %s; %llu cycles; <a href=\"index.html\">all "
            "blocks</a></p>\n<table><thead><tr>%s</tr></thead><tbody><tr>",
            r->desc->what, verify_word(r), (unsigned long long)r->cycles, COLUMNS);
    put_shares(f, r);
    fprintf(f, "</tr></tbody></table>\n");
    put_bins(f, r);
    const bool good = put_sources(f, arena, data_dir, r->code, d);
    put_toggles(f, r->code);
    fprintf(f, "</main></body></html>\n");
    return output_close(&o, f, good, d);
}

// Names hold "[..=..]": percent-encoded where they are part of an address.
static void put_address(FILE *f, const char *name) {
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || strchr("_-.", *name)) fputc(*name, f);
        else fprintf(f, "%%%02X", (unsigned char)*name);
}

bool code_html(Arena *arena, const char *dir, const char *data_dir, const VerifyReport *report,
               Diag *d) {
    Output o;
    const char *html = arena_printf(arena, "%s/html", dir);
    if (mkdir(html, 0777) != 0 && errno != EEXIST) return fail_unwritable(html, d);
    FILE *f = output_open(&o, arena, arena_printf(arena, "%s/index.html", html), d);
    if (!f) return false;
    put_head(f, "Coverage");
    fprintf(f, "<p class=\"facts\"><code>");
    xml_put(f, report->command);
    fprintf(f, "</code></p>\n<table><thead><tr><th>block%s<th>verdict</tr></thead><tbody>\n",
            COLUMNS);
    bool good = true;
    for (int i = 0; i < report->nresults && good; i++) {
        const VerifyResult *r = &report->results[i];
        if (!r->code) continue;
        const char *name = verify_label(arena, r);
        fprintf(f, "<tr><td><a href=\"");
        put_address(f, name);
        fprintf(f, ".html\"><code>");
        xml_put(f, name);
        fprintf(f, "</code></a></td>");
        put_shares(f, r);
        fprintf(f, "<td>%s</td></tr>\n", verify_word(r));
        good =
            write_block(arena, arena_printf(arena, "%s/%s.html", html, name), data_dir, name, r, d);
    }
    fprintf(f, "</tbody></table>\n</main></body></html>\n");
    return output_close(&o, f, good, d);
}
