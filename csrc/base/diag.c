// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include "base/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool diag_fail(Diag *d, ExitStatus status, const char *format, ...) {
    if (!diag_ok(d)) return false;
    va_list ap;
    va_start(ap, format);
    d->status = status;
    vsnprintf(d->text, sizeof d->text, format, ap);
    va_end(ap);
    plain_buffer(d->text, sizeof d->text);
    return false;
}

// Appends the source line and the caret; tabs are kept so that the caret stays in its column.
static void append_caret(Diag *d, const SourceText *src, int line, int col) {
    const char *p = src->text;
    const char *end = src->text + src->len;
    for (int i = 1; i < line; i++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline) return;
        p = newline + 1;
    }
    const char *eol = memchr(p, '\n', (size_t)(end - p));
    int length = (int)((eol ? eol : end) - p);
    if (length > 0 && p[length - 1] == '\r') length--;
    if (length > 200) length = 200;
    size_t used = strlen(d->text);
    used += (size_t)snprintf(d->text + used, sizeof d->text - used, "\n    %.*s", length, p);
    plain_buffer(d->text, sizeof d->text - 300);
    used = strlen(d->text);
    used += (size_t)snprintf(d->text + used, sizeof d->text - used, "\n    ");
    for (int i = 1; i < col && i <= length && used + 5 < sizeof d->text;) {
        const int n = plain_length(&p[i - 1]);  // 0: escaped, four wide
        memcpy(d->text + used, p[i - 1] == '\t' ? "\t   " : "    ", 4);
        used += n ? 1 : 4;
        i += n ? n : 1;
    }
    if (used + 2 < sizeof d->text) {
        d->text[used++] = '^';
        d->text[used] = '\0';
    }
}

bool diag_fail_at(Diag *d, const SourceText *src, int line, int col, const char *format, ...) {
    if (!diag_ok(d)) return false;
    d->status = EXIT_USAGE;
    int used = snprintf(d->text, sizeof d->text, "%s:%d:%d: error: ", src->path, line, col);
    va_list ap;
    va_start(ap, format);
    vsnprintf(d->text + used, sizeof d->text - (size_t)used - 600, format, ap);
    va_end(ap);
    append_caret(d, src, line, col);
    return false;
}

void panic_at(const char *file, int line, const char *func, const char *format, ...) {
    fprintf(stderr, "smcosim: internal error in %s (%s:%d): ", func, file, line);
    va_list ap;
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}
