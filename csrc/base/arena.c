// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ArenaChunk {
    ArenaChunk *next;
    void *memory;
};

enum { ARENA_CHUNK_BYTES = 1 << 16, ARENA_ALIGN = 64 };

static void *chunk_new(Arena *a, size_t bytes) {
    ArenaChunk *c = malloc(sizeof *c);
    // The system supplies large chunks as zero pages, which cost nothing until they are used.
    char *memory = calloc(1, bytes + ARENA_ALIGN - 1);
    panic_if(!c || !memory, "out of memory for %zu bytes", bytes);
    c->next = a->chunks;
    c->memory = memory;
    a->chunks = c;
    return memory + (ARENA_ALIGN - (uintptr_t)memory % ARENA_ALIGN) % ARENA_ALIGN;
}

void *arena_alloc(Arena *a, size_t bytes) {
    size_t align = bytes >= ARENA_ALIGN ? ARENA_ALIGN : 16;
    if (bytes == 0) bytes = 1;
    if (bytes >= ARENA_CHUNK_BYTES / 4) return chunk_new(a, bytes);
    size_t pad = a->next ? (align - (uintptr_t)a->next % align) % align : 0;
    if (!a->next || a->left < bytes + pad) {
        a->next = chunk_new(a, ARENA_CHUNK_BYTES);
        a->left = ARENA_CHUNK_BYTES;
        pad = 0;
    }
    void *p = a->next + pad;
    a->next += bytes + pad;
    a->left -= bytes + pad;
    return p;
}

char *arena_strndup(Arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

// Quotes as $'..' of shells that print and take it; digits replace characters that a terminal would
// obey.
static char *digits_word(Arena *a, const char *word) {
    char *text = arena_alloc(a, 4 * strlen(word) + 4), *to = text;
    memcpy(to, "$'", 2), to += 2;
    for (const char *p = word; *p;) {
        const int n = *p == '\n' || *p == '\t' ? 0 : plain_length(p);
        if (!n) to += sprintf(to, "\\x%02x", (unsigned char)*p);
        if (*p == '\'' || *p == '\\') *to++ = '\\';
        memcpy(to, p, (size_t)n);
        to += n;
        p += n ? n : 1;
    }
    memcpy(to, "'", 2);
    return text;
}

char *arena_shell_word(Arena *a, const char *word) {
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    size_t quotes = 0, n = strlen(word);
    if (n && strspn(word, harmless) == n) return arena_strndup(a, word, n);
    if (plain_text(a, word) != word) return digits_word(a, word);
    for (const char *p = word; *p; p++) quotes += *p == '\'';
    char *text = arena_alloc(a, n + 3 * quotes + 3), *to = text;
    *to++ = '\'';
    for (const char *p = word; *p; p++) {
        *to++ = *p;
        if (*p == '\'') memcpy(to, "\\''", 3), to += 3;
    }
    *to++ = '\'';
    *to = '\0';
    return text;
}

char *arena_printf(Arena *a, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

void arena_free(Arena *a) {
    while (a->chunks) {
        ArenaChunk *c = a->chunks;
        a->chunks = c->next;
        free(c->memory);
        free(c);
    }
    a->next = NULL;
    a->left = 0;
}

void *arena_grow(Arena *a, void *items, size_t need, int *cap, size_t size) {
    if (need <= (size_t)*cap) return items;
    size_t grown = *cap ? (size_t)*cap * 2 : 8;
    while (grown < need) grown *= 2;
    void *bigger = arena_alloc(a, grown * size);
    if (*cap) memcpy(bigger, items, (size_t)*cap * size);
    *cap = (int)grown;
    return bigger;
}

// Errors of the user, not of the machine.
static bool is_bad_name(int error) {
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG;
}

static const char *kind_of_file(mode_t mode) {
    return S_ISDIR(mode) ? "a folder"
        : S_ISFIFO(mode) ? "a pipe"
        : S_ISSOCK(mode) ? "a socket"
                         : "a device";
}

// Opening does not wait: a pipe without a writer is refused like any other thing that is no file.
static FILE *file_open(const char *path, struct stat *st, Diag *d) {
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        diag_fail(d, is_bad_name(errno) ? EXIT_USAGE : EXIT_ENVIRONMENT, "%s: cannot be opened: %s",
                  path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        diag_fail(d, EXIT_USAGE, "%s: not a regular file, but %s", path, kind_of_file(st->st_mode));
        return NULL;
    }
    FILE *f = fdopen(fd, "rb");
    panic_if(!f, "out of memory");
    return f;
}

bool file_read(Arena *a, const char *path, char **text, size_t *len, Diag *d) {
    struct stat st;
    FILE *f = file_open(path, &st, d);
    if (!f) return false;
    size_t bytes = (size_t)st.st_size;
    *text = arena_alloc(a, bytes + 1);
    *len = fread(*text, 1, bytes, f);
    (*text)[*len] = '\0';
    bool ok = !ferror(f) && *len == bytes;
    fclose(f);
    return ok ? true : diag_fail(d, EXIT_ENVIRONMENT, "%s: could not be read completely", path);
}

// Characters replaced, left out, put in; two neighbors swapped count once.
static int edit_distance(const char *s, const char *t) {
    enum { LONGEST = 63 };
    int n = (int)strlen(s), m = (int)strlen(t);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    int rows[3][LONGEST + 1];  // this row, the one above, the one above that
    int *row = rows[0], *above = rows[1], *before = rows[2];
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int *spare = before;
        before = above, above = row, row = spare;
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = above[j - 1] + (s[i - 1] != t[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && s[i - 1] == t[j - 2] && s[i - 2] == t[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

const char *name_suggest(const char *name, const char *const *candidates, int count) {
    int limit = (int)strlen(name) / 3;
    if (limit < 1) limit = 1;
    const char *best = NULL;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(name, candidates[i]);
        if (distance <= limit) {
            best = candidates[i];
            limit = distance - 1;
        }
    }
    return best;
}
