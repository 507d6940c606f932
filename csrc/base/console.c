// SPDX-License-Identifier: Apache-2.0
#include "base/console.h"

#include "base/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void console_notice(const char *text) {
    Arena arena = {0};
    fprintf(stderr, "%ssmcosim: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
            plain_text(&arena, text));
    arena_free(&arena);
}

void console_progress(const char *format, ...) {
    if (!isatty(STDERR_FILENO)) return;
    char text[512] = "";
    va_list ap;
    va_start(ap, format);
    if (format) vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    plain_buffer(text, sizeof text);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
}
