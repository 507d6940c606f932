// SPDX-License-Identifier: Apache-2.0
// Waivers: points that a block cannot cover, each with its reason.
#include "verify/cover.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Waiver {
    int line;  // in the waiver file
    bool net;
    const char *pattern;  // net pattern, or file name
    int source_line;      // 0: by text
    const char *source_text;
    const char *reason;
    bool used, names;  // it waives a point; there is one that it names, covered or not
} Waiver;

// * matches any characters, everything else itself.
static bool matches_pattern(const char *pattern, const char *text) {
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            while (*pattern == '*') pattern++;
            for (;; text++) {
                if (matches_pattern(pattern, text)) return true;
                if (!*text) return false;
            }
        }
        if (*pattern != *text) return false;
    }
    return !*text;
}

// Is n among "3,6-9]"?
static bool in_list(const char *list, int n) {
    for (char *end; *list; list = end + (*end == ',')) {
        const long from = strtol(list, &end, 10);
        if (end == list) return false;
        const long to = *end == '-' ? strtol(end + 1, &end, 10) : from;
        if (n >= from && n <= to) return true;
        if (*end != ',') return false;
    }
    return false;
}

// A pattern with bits at its end: "g_port[*].ops1[0,3-5]".
static bool matches_bit(const char *pattern, const char *name, int bit) {
    char net[512];
    const char *bits = strrchr(pattern, '[');
    if (!bits || (size_t)(bits - pattern) >= sizeof net ||
        strchr(bits, ']') != pattern + strlen(pattern) - 1)
        return false;
    snprintf(net, sizeof net, "%.*s", (int)(bits - pattern), pattern);
    return matches_pattern(net, name) && in_list(bits + 1, bit);
}

static bool same_file(const char *path, const char *name) {
    const size_t n = strlen(path), m = strlen(name);
    return n >= m && !strcmp(path + n - m, name) && (n == m || path[n - m - 1] == '/');
}

// Does line number `line` of the source hold the text?
static bool line_holds(Arena *arena, const char *data_dir, const char *file, int line,
                       const char *text) {
    FILE *f = fopen(file[0] == '/' ? file : arena_printf(arena, "%s/%s", data_dir, file), "r");
    char buffer[2048];
    bool found = false;
    for (int n = 1; f && n <= line && fgets(buffer, sizeof buffer, f); n++)
        found = n == line && strstr(buffer, text);
    if (f) fclose(f);
    return found;
}

static bool covers_point(Arena *arena, const char *data_dir, const Waiver *w, const CodePoint *p) {
    if (w->net != (p->kind == CODE_TOGGLE)) return false;
    if (w->net)
        return matches_pattern(w->pattern, p->what) || matches_bit(w->pattern, p->what, p->bit);
    if (!same_file(p->file, w->pattern)) return false;
    if (w->source_line) return w->source_line == p->line;
    return line_holds(arena, data_dir, p->file, p->line, w->source_text);
}

// ---- the file -----------------------------------------------------------------------------------

static bool refuse_waiver(const SourceText *src, int line, const char *at, const char *line_at,
                          const char *what, Diag *d) {
    return diag_fail_at(d, src, line, (int)(at - line_at) + 1, "%s", what);
}

// "net PATTERN: reason", "FILE:12: reason" or "FILE "text": reason".
static bool read_waiver(Arena *arena, const SourceText *src, const char *at, size_t length,
                        Waiver *w, Diag *d) {
    char *text = arena_strndup(arena, at, length);
    char *name = text, *end;
    w->net = !strncmp(text, "net ", 4);
    if (w->net) name += 4 + strspn(text + 4, " ");
    char *quote = w->net ? NULL : strchr(name, '"');
    if (quote) {
        char *close = strstr(quote + 1, "\": ");
        if (!close)
            return refuse_waiver(src, w->line, at + (quote - text), at,
                                 "expected the line's text in quotes, then `: ` and the reason", d);
        *close = '\0';
        w->source_text = quote + 1;
        w->reason = close + 3;
        while (quote > name && quote[-1] == ' ') quote--;
        *quote = '\0';
    } else {
        char *colon = strstr(name, ": ");
        if (!colon)
            return refuse_waiver(
                src, w->line, at, at,
                "expected `FILE:LINE: reason`, `FILE \"text\": reason` or `net NAME: reason`", d);
        *colon = '\0';
        w->reason = colon + 2;
        char *number = w->net ? NULL : strrchr(name, ':');
        if (!w->net &&
            (!number || (w->source_line = (int)strtol(number + 1, &end, 10)) < 1 || *end))
            return refuse_waiver(src, w->line, at, at, "expected a line number after the file", d);
        if (number) *number = '\0';
    }
    w->pattern = name;
    w->reason += strspn(w->reason, " ");
    if (*w->reason && *name) return true;
    return refuse_waiver(src, w->line, at, at,
                         *name ? "a waiver needs a reason" : "a waiver needs a name", d);
}

static bool read_waivers(Arena *arena, const SourceText *src, Waiver **waivers, int *n, Diag *d) {
    int cap = 0, line = 1;
    for (const char *p = src->text; *p; line++) {
        size_t length = strcspn(p, "\n");
        const char *next = p + length + (p[length] == '\n');
        const char *word = p + strspn(p, " \t");
        if ((size_t)(word - p) < length && *word != '#') {
            Waiver *w = ARENA_PUSH(arena, *waivers, *n, cap);
            *w = (Waiver){.line = line};
            if (!read_waiver(arena, src, p, length, w, d)) return false;
        }
        p = next;
    }
    return true;
}

// Waivers of the block itself must match a missing point. An inner module may be covered in one
// block and not in another, so a line in its waivers must only exist.
static const char *stale_reason(const Waiver *w, bool own) {
    if (own)
        return w->used ? NULL
                       : "this waiver is superfluous: all coverage that it names was reached";
    return w->net || w->names ? NULL : "this waiver names no line of the design";
}

// Applies one file, of the block itself or of a module inside; strict: none of its waivers may be
// stale.
static bool apply_waivers(Arena *arena, const char *data_dir, const char *path, bool own,
                          bool strict, VerifyCode *code, Diag *d) {
    SourceText src = {.path = path};
    char *text;
    Waiver *waivers = NULL;
    int n = 0;
    if (access(path, F_OK)) return true;
    if (!file_read(arena, path, &text, &src.len, d)) return false;
    src.text = text;
    if (!read_waivers(arena, &src, &waivers, &n, d)) return false;
    for (int i = 0; i < code->npoints; i++) {
        CodePoint *p = &code->points[i];
        for (int k = 0; k < n; k++) {
            const bool waives = !code_hit(p) && !p->waived;
            if ((!waives && (own || waivers[k].names)) ||
                !covers_point(arena, data_dir, &waivers[k], p))
                continue;
            waivers[k].names = true;
            if (!waives) continue;
            waivers[k].used = true;
            p->waived = waivers[k].reason;
        }
    }
    for (int k = 0; strict && k < n; k++)
        if (stale_reason(&waivers[k], own))
            return diag_fail_at(d, &src, waivers[k].line, 1, "%s", stale_reason(&waivers[k], own));
    return true;
}

// The block's own file, then those of the modules inside.
bool code_waive(Arena *arena, const char *data_dir, const BlockDesc *desc, bool strict,
                VerifyCode *code, Diag *d) {
    char *own = arena_printf(arena, "%s/rtl/%s/%s.waive", data_dir, desc->family, desc->name);
    if (!apply_waivers(arena, data_dir, own, true, strict, code, d)) return false;
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        const char *file = code->points[i].file;
        const size_t n = strlen(file);
        if ((i && !strcmp(file, code->points[i - 1].file)) || n < 4 || file[0] == '/') continue;
        char *path = arena_printf(arena, "%s/%.*s.waive", data_dir, (int)(n - 3), file);
        if (strcmp(path, own) && !apply_waivers(arena, data_dir, path, false, strict, code, d))
            return false;
    }
    return true;
}
