// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <stdio.h>
#include <string.h>

// clang-format off
const char *exit_word(ExitStatus status) {
    switch (status) {
#define STATUS(id, number, word, brief, meaning, cure) case EXIT_##id: return word;
#include "base/status.def"
    }
    return "unknown";
}
// clang-format on

const char *status_word(StatusWord word) {
    static const char *const words[] = {
#define WORD(id, group, status, word, meaning, cure) word,
#include "base/status.def"
    };
    return words[word];
}

typedef enum Group {
#define WORDS(group, title) GROUP_##group,
#include "base/status.def"
} Group;

const char *status_group(int group) {
    static const char *const titles[] = {
#define WORDS(group, title) title,
#include "base/status.def"
    };
    return titles[group];
}

int status_rows(const StatusRow **rows) {
    enum { ANY = STATUS_ANY };
    static const StatusRow table[] = {
#define STATUS(id, number, word, brief, meaning, cure) \
    {STATUS_ANY, true, number, word, meaning, cure},
#include "base/status.def"
#define WORD(id, group, status, word, meaning, cure) \
    {GROUP_##group, GROUP_##group == GROUP_VERDICT, status, word, meaning, cure},
#include "base/status.def"
    };
    *rows = table;
    return (int)(sizeof table / sizeof *table);
}

static const char *const briefs[] = {
#define STATUS(id, number, word, brief, meaning, cure) #number " " brief,
#include "base/status.def"
};

void status_text(char *buf, size_t size, int at, int width) {
    enum { N = sizeof briefs / sizeof *briefs };
    size_t used = 0;
    *buf = '\0';
    for (int i = 0; i < N; i++) {
        for (const char *p = briefs[i]; *p && used + 80 < size;) {
            const int n = (int)strcspn(p, " "), comma = !p[n] && i < N - 1;
            const bool first = !used, wraps = !first && at + 1 + n + comma > width;
            used += (size_t)snprintf(buf + used, size - used, "%s%.*s%s",
                                     first       ? ""
                                         : wraps ? "\n"
                                                 : " ",
                                     n, p, comma ? "," : "");
            at = (wraps ? 0 : at + !first) + n + comma;
            p += n + (p[n] != '\0');
        }
    }
}
