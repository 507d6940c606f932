// SPDX-License-Identifier: Apache-2.0
// Text in a buffer of the caller. Words that exceed its size are truncated.
#ifndef SMCOSIM_BASE_BOUNDED_TEXT_H
#define SMCOSIM_BASE_BOUNDED_TEXT_H

#include <stddef.h>

typedef struct Text {
    char *buf;
    size_t size, used;
} Text;

void text_add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
