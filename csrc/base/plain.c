// SPDX-License-Identifier: Apache-2.0
#include "base/plain.h"

#include <stdio.h>
#include <string.h>

// A character of UTF-8 with n bytes; 0: none.
static int utf8_length(const unsigned char *p) {
    const int n = *p < 0x80       ? 1
        : *p >= 0xc2 && *p < 0xe0 ? 2
        : *p >= 0xe0 && *p < 0xf0 ? 3
        : *p >= 0xf0 && *p < 0xf5 ? 4
                                  : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

int plain_length(const char *s) {
    const unsigned char *p = (const unsigned char *)s;
    const int n = utf8_length(p);
    if (n == 1 && (*p < 0x20 || *p == 0x7f)) return *p == '\n' || *p == '\t';
    if (n == 2 && *p == 0xc2 && p[1] < 0xa0) return 0;  // the upper control characters
    return n;
}

static size_t escape_text(char *to, size_t room, const char *s) {
    size_t used = 0;
    while (*s) {
        const int n = plain_length(s);
        char one[8];
        const int bytes = n ? n : snprintf(one, sizeof one, "\\x%02x", (unsigned char)*s);
        if (used + (size_t)bytes >= room) break;
        memcpy(to + used, n ? s : one, (size_t)bytes);
        used += (size_t)bytes;
        s += n ? n : 1;
    }
    to[used] = '\0';
    return used;
}

static bool is_plain(const char *s) {
    for (int n; *s; s += n)
        if (!(n = plain_length(s))) return false;
    return true;
}

const char *plain_text(Arena *arena, const char *s) {
    if (is_plain(s)) return s;
    const size_t room = 4 * strlen(s) + 1;
    char *to = arena_alloc(arena, room);
    escape_text(to, room, s);
    return to;
}

const char *plain_bytes(Arena *arena, const char *s, size_t n) {
    size_t nuls = 0;
    for (size_t i = 0; i < n; i++) nuls += !s[i];
    char *whole = arena_alloc(arena, n + 3 * nuls + 1), *to = whole;
    for (size_t i = 0; i < n; i++)
        if (s[i]) *to++ = s[i];
        else to = stpcpy(to, "\\x00");
    *to = '\0';
    return plain_text(arena, whole);
}

void plain_buffer(char *s, size_t size) {
    if (is_plain(s)) return;
    Arena arena = {0};
    escape_text(s, size, arena_strndup(&arena, s, strlen(s)));
    arena_free(&arena);
}

bool plain_path(const char *path, const char *what, ExitStatus status, Diag *d) {
    static const char good[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=@%:,";
    const char *bad = path[0] == '-' ? path : path + strspn(path, good);
    if (!*bad) return true;
    char name[16];
    if (*bad == ' ') snprintf(name, sizeof name, "a blank");
    else if (*bad > ' ' && *bad < 0x7f) snprintf(name, sizeof name, "'%c'", *bad);
    else snprintf(name, sizeof name, "\\x%02x", (unsigned char)*bad);
    char line[1024];  // of which the user sees one
    snprintf(line, sizeof line, "%s", path);
    for (char *p = line; *p; p++)
        if (*p == '\n') *p = ' ';
    return diag_fail(d, status,
                     "%s %s: a name %s %s does not work in Verilator, Yosys and Icarus; use "
                     "letters, digits and _./+-=@%%:, only",
                     what, line, bad == path ? "that begins with" : "with", name);
}
