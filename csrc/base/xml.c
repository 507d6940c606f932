// SPDX-License-Identifier: Apache-2.0
#include "base/xml.h"

// Length of the UTF-8 sequence at p, 0 when it is none.
static int utf8_length(const unsigned char *p) {
    const int lead = *p;
    int n = 0;
    if (lead < 0x80) n = 1;
    else if (lead >= 0xc2 && lead < 0xe0) n = 2;
    else if (lead >= 0xe0 && lead < 0xf0) n = 3;
    else if (lead >= 0xf0 && lead < 0xf5) n = 4;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

void xml_put(FILE *f, const char *text) {
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const int n = utf8_length(p);
        switch (*p) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&apos;", f); break;
        case '\n': fputs("\n", f); break;
        case '\t': fputs("\t", f); break;
        default:
            if (n == 0 || *p < 0x20) fputc('?', f);
            else fwrite(p, 1, (size_t)n, f);
        }
        p += n ? n : 1;
    }
}
