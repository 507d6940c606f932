// SPDX-License-Identifier: Apache-2.0
#include "base/bounded_text.h"

#include <stdarg.h>
#include <stdio.h>

void text_add(Text *t, const char *format, ...) {
    if (t->used >= t->size) return;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, t->size - t->used, format, ap);
    va_end(ap);
    if (n > 0) t->used += (size_t)n;
    if (t->used > t->size) t->used = t->size;
}
