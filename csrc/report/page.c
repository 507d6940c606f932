// SPDX-License-Identifier: Apache-2.0
// A page that a browser opens without a server or a network.
#include "base/diag.h"
#include "base/xml.h"
#include "report/chart.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void page_begin(FILE *out, const char *title, const char *version, const char *command) {
    fputs("<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' "
          "content='width=device-width'><title>",
          out);
    xml_put(out, title);
    fputs("</title><style>"
          "body{font:14px/1.45 sans-serif;margin:1.5em 2em;color:#222}h1{margin:0 0 "
          ".2em}h2{font-size:1.15em;margin:0}"
          "section{margin:1.6em 0;overflow-x:auto}section p{margin:.2em 0 "
          ".6em}svg{display:block;min-width:700px}"
          "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px "
          "8px;text-align:left}"
          "td.n{text-align:right;font-variant-numeric:tabular-nums}td.bad{background:#f6c9c4}th{"
          "background:#f3f3f3}"
          "code{background:#f3f3f3;overflow-wrap:anywhere}.note{color:#555}.save{float:right;font-"
          "size:.9em}</style>\n<h1>",
          out);
    xml_put(out, title);
    fputs("</h1><p>smcosim ", out);
    xml_put(out, version);
    fputs("<br><code>", out);
    xml_put(out, command);
    fputs("</code></p>\n", out);
}

void page_end(FILE *out) { fputs("</html>\n", out); }

// A link that saves the output of `write`, without a script and without another file.
static void write_link(FILE *out, const Chart *c, const char *type, const char *suffix,
                       void (*write)(FILE *, const Chart *)) {
    char *data = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&data, &n);
    panic_if(!f, "out of memory");
    write(f, c);
    fclose(f);
    fprintf(out, "<a download='figure-%s.%s' href='data:%s;charset=utf-8,", c->id, suffix, type);
    for (size_t i = 0; i < n; i++) {
        const unsigned char b = (unsigned char)data[i];
        if (isalnum(b) || strchr("-_.,:;/=()", b)) fputc(b, out);
        else fprintf(out, "%%%02X", b);
    }
    fprintf(out, "'>%s</a> ", suffix);
    free(data);
}

static void write_svg(FILE *out, const Chart *c) { chart_svg(out, c, true); }

void page_chart(FILE *out, const Chart *c) {
    fputs("<section id='fig-", out);
    xml_put(out, c->id);
    fputs("'><span class='save'>save: ", out);
    write_link(out, c, "image/svg+xml", "svg", write_svg);
    write_link(out, c, "text/csv", "csv", chart_csv);
    fputs("</span><h2>", out);
    xml_put(out, c->title);
    fputs("</h2>", out);
    if (c->note && *c->note)
        fputs("<p class='note'>", out), xml_put(out, c->note), fputs("</p>", out);
    fputc('\n', out);
    chart_svg(out, c, false);
    fputs("</section>\n", out);
}

void page_cell(FILE *out, PageCell kind, const char *text) {
    static const char *const tags[] = {"<th>", "<td>", "<td class='n'>", "<td class='bad'>"};
    fputs(tags[kind], out);
    xml_put(out, text);
}
