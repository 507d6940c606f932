// SPDX-License-Identifier: Apache-2.0
// The reader of Liberty: groups `name (args) { .. }`, attributes `name : value;` and `name
// (args);`. It accepts the syntax of vendors' files: values without quotation marks, a backslash at
// the end of a line, missing and extra semicolons. It also accepts comments everywhere, included
// files, and gzip.
#include "synth/liberty_tree.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Levels of groups, of parentheses in a value, of files that include files; included files; bytes
// of an unpacked file.
enum {
    MOST_GROUPS = 20,
    MOST_LEVELS = 1000,
    MOST_FILES = 8,
    MOST_INCLUDED = 1000,
    MOST_BYTES = 1 << 30
};

typedef struct Reader {
    Arena *arena;
    const char *path, *text, *p;
    const char *counted;  // up to here lines are counted
    int line;             // there
    const char *line_start;
    const char *open_comment;  // one that the file does not close
    int files;                 // that include this one
    int *included;             // files so far, in all of the library
    uint64_t *hash;
    Diag *d;
} Reader;

static bool read_items(Reader *r, LibertyItem *group, int depth, bool braces);

// ---- text ---------------------------------------------------------------------------------------

// A file of one or more gzip members.
static bool unpack_gzip(Arena *arena, const char *path, char **text, size_t *n, Diag *d) {
    z_stream z = {.next_in = (unsigned char *)*text, .avail_in = (uInt)*n};
    enum { WINDOW = 15, GZIP = 16 };
    unsigned char *out = NULL;
    size_t size = 0, cap = 0;
    int status = *n <= MOST_BYTES && inflateInit2(&z, WINDOW + GZIP) == Z_OK ? Z_OK : Z_MEM_ERROR;
    while (status == Z_OK) {
        if (size == cap) {
            out = realloc(out, cap = cap ? 2 * cap : 1 << 20);
            panic_if(!out, "out of memory");
        }
        const size_t room = cap - size;
        z.next_out = out + size, z.avail_out = (uInt)room;
        status = inflate(&z, Z_NO_FLUSH);
        size += room - z.avail_out;
        if (size > MOST_BYTES) status = Z_MEM_ERROR;
        if (status == Z_STREAM_END && z.avail_in > 1 && z.next_in[0] == 0x1f &&
            z.next_in[1] == 0x8b)
            status = inflateReset(&z);
        if (status == Z_BUF_ERROR && z.avail_in) status = Z_OK;
    }
    inflateEnd(&z);
    *text = arena_strndup(arena, "", 0);
    if (status == Z_STREAM_END) {
        *text = arena_alloc(arena, size + 1);
        memcpy(*text, out ? (char *)out : "", size);
        *n = size;
    }
    free(out);
    return status == Z_STREAM_END ||
        diag_fail(d, EXIT_USAGE, "%s: not a whole gzip file%s%s", path, z.msg ? ": " : "",
                  z.msg ? z.msg : "");
}

// ---- places -------------------------------------------------------------------------------------

static void place_of(Reader *r, const char *at, int *line, int *col) {
    if (at < r->line_start) r->counted = r->line_start = r->text, r->line = 1;
    for (; r->counted < at; r->counted++)
        if (*r->counted == '\n') r->line++, r->line_start = r->counted + 1;
    *line = r->line, *col = (int)(at - r->line_start) + 1;
}

static bool bad_at(Reader *r, const char *at, const char *expected) {
    char found[24];
    int line, col;
    if (!*at && r->open_comment) at = r->open_comment, expected = "'*/' behind the comment";
    place_of(r, at, &line, &col);
    snprintf(found, sizeof found, "%.*s", (int)strcspn(at, "\r\n"), at);
    return diag_fail(r->d, EXIT_USAGE, "%s:%d:%d: not a Liberty library: expected %s, found '%s'",
                     r->path, line, col, expected, *at ? found : "the end of the file");
}

static bool bad_here(Reader *r, const char *expected) { return bad_at(r, r->p, expected); }

// ---- words --------------------------------------------------------------------------------------

// Bytes of a backslash that ends its line, with blanks behind it or not; 0: it is none.
static size_t continuation_length(const char *p) {
    if (*p != '\\') return 0;
    const size_t n = 1 + strspn(p + 1, " \t\r");
    return p[n] == '\n' ? n + 1 : p[n - 1] == '\r' ? n : 0;
}

static bool is_comment(const char *p) { return p[0] == '/' && (p[1] == '*' || p[1] == '/'); }

static void skip_space(Reader *r) {
    for (;;) {
        while (isspace((unsigned char)*r->p) || continuation_length(r->p))
            r->p += isspace((unsigned char)*r->p) ? 1 : continuation_length(r->p);
        if (!is_comment(r->p)) return;
        if (r->p[1] == '/') r->p += strcspn(r->p, "\n");
        else {
            const char *end = strstr(r->p + 2, "*/");
            if (!end) r->open_comment = r->p;
            r->p = end ? end + 2 : r->p + strlen(r->p);
        }
    }
}

// A text in one line, without blanks at its ends.
static char *copy_text(Reader *r, const char *from, const char *to) {
    while (to > from && isspace((unsigned char)to[-1])) to--;
    while (to > from && isspace((unsigned char)*from)) from++;
    char *text = arena_strndup(r->arena, from, (size_t)(to - from)), *q = text;
    for (const char *p = text; *p;) {
        const size_t n = continuation_length(p);
        *q++ = n || isspace((unsigned char)*p) ? ' ' : *p;
        p += n ? n : 1;
    }
    *q = '\0';
    return text;
}

// From the quotation mark on. NULL: it has no end.
static char *read_quoted(Reader *r) {
    const char *from = r->p + 1, *to = strchr(from, '"');
    if (!to) return bad_here(r, "a second '\"'"), NULL;
    r->p = to + 1;
    return copy_text(r, from, to);
}

// Up to one of these characters, a comment or a backslash that ends the line. NULL: nothing.
static char *read_unquoted(Reader *r, const char *ends) {
    const char *from = r->p;
    while (*r->p && !strchr(ends, *r->p) && !is_comment(r->p) && !continuation_length(r->p)) r->p++;
    return r->p == from ? NULL : copy_text(r, from, r->p);
}

static char *read_word(Reader *r, const char *ends, const char *expected) {
    skip_space(r);
    char *text = *r->p == '"' ? read_quoted(r) : read_unquoted(r, ends);
    if (!text && diag_ok(r->d)) bad_here(r, expected);
    return text;
}

// ---- statements ---------------------------------------------------------------------------------

static bool is_shallow(Reader *r, const char *from) {
    int depth = 0;
    for (const char *p = from; p < r->p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth > MOST_LEVELS)
            return bad_at(r, p, "fewer parentheses within parentheses (at most 1000)");
    }
    return true;
}

// Behind ':'. A value without quotation marks ends with its line.
static bool read_value(Reader *r, LibertyItem *item) {
    skip_space(r);
    const char *from = r->p;
    char *value = *from == '"' ? read_quoted(r) : NULL;
    if (*from != '"') {
        while (*r->p && !strchr(";{}\n", *r->p) && !is_comment(r->p))
            r->p += continuation_length(r->p) ? continuation_length(r->p) : 1;
        if (r->p == from) return bad_here(r, "a value");
        value = copy_text(r, from, r->p);
    }
    if (!value || !is_shallow(r, from)) return false;
    *ARENA_PUSH(r->arena, item->words, item->nwords, item->cap) = value;
    skip_space(r);
    r->p += *r->p == ';';
    return true;
}

static bool read_arguments(Reader *r, LibertyItem *item) {
    for (;;) {
        skip_space(r);
        if (*r->p == ')') return r->p++, true;
        if (*r->p == ',') r->p++;
        else {
            char *argument = read_word(r, " \t\r\n;(){},\"", "')'");
            if (!argument) return false;
            *ARENA_PUSH(r->arena, item->words, item->nwords, item->cap) = argument;
        }
    }
}

static bool load_file(Reader *r, const char *path) {
    size_t n;
    char *text;
    if (!file_read(r->arena, path, &text, &n, r->d)) return false;
    if (n > 1 && (unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b &&
        !unpack_gzip(r->arena, path, &text, &n, r->d))
        return false;
    *r->hash = hash_bytes(*r->hash, text, n);
    r->path = path;
    r->text = r->p = r->counted = r->line_start = text;
    r->line = 1;
    if (strlen(text) != n) return bad_at(r, text + strlen(text), "text without NUL bytes");
    if (!strncmp(text, "\xef\xbb\xbf", 3)) r->p += 3;
    return true;
}

// A name without '/' in front is that of a file beside this one.
static bool read_include(Reader *r, LibertyItem *group, const LibertyItem *item, int depth) {
    Reader inner = {.arena = r->arena,
                    .files = r->files + 1,
                    .included = r->included,
                    .hash = r->hash,
                    .d = r->d};
    Diag d = {0};
    if (item->nwords != 1)
        return diag_fail(r->d, EXIT_USAGE, "%s:%d:%d: include_file: expected one name of a file",
                         item->path, item->line, item->col);
    const char *slash = item->words[0][0] == '/' ? NULL : strrchr(r->path, '/');
    const char *path = arena_printf(r->arena, "%.*s%s", slash ? (int)(slash + 1 - r->path) : 0,
                                    slash ? r->path : "", item->words[0]);
    if (inner.files > MOST_FILES)
        return diag_fail(
            r->d, EXIT_USAGE,
            "%s:%d:%d: include_file: expected at most %d files that include each other", item->path,
            item->line, item->col, MOST_FILES);
    if (++*r->included > MOST_INCLUDED)
        return diag_fail(r->d, EXIT_USAGE,
                         "%s:%d:%d: include_file: expected at most %d included files", item->path,
                         item->line, item->col, MOST_INCLUDED);
    inner.d = &d;
    const bool found = load_file(&inner, path);
    if (!found)
        return diag_fail(r->d, d.status, "%s:%d:%d: include_file: %s", item->path, item->line,
                         item->col, d.text);
    inner.d = r->d;
    return read_items(&inner, group, depth, false);
}

static void append_item(LibertyItem *group, LibertyItem *item) {
    if (group->last) group->last->next = item;
    else group->first = item;
    group->last = item;
}

static bool read_statement(Reader *r, LibertyItem *group, int depth) {
    LibertyItem *item = ARENA_NEW(r->arena, LibertyItem);
    item->path = r->path;
    place_of(r, r->p, &item->line, &item->col);
    if (!(item->name = read_word(r, " \t\r\n:;(){},\"", "an attribute or a group"))) return false;
    skip_space(r);
    if (*r->p == ':') return r->p++, append_item(group, item), read_value(r, item);
    if (*r->p != '(') return bad_here(r, "':' or '('");
    r->p++;
    if (!read_arguments(r, item)) return false;
    skip_space(r);
    if (!strcmp(item->name, "include_file")) return read_include(r, group, item, depth);
    append_item(group, item);
    if (*r->p != '{') return r->p += *r->p == ';', true;
    r->p++;
    item->group = true;
    return read_items(r, item, depth + 1, true);
}

static bool read_items(Reader *r, LibertyItem *group, int depth, bool braces) {
    if (depth > MOST_GROUPS) return bad_here(r, "fewer groups within groups");
    for (;;) {
        skip_space(r);
        if (*r->p == ';') r->p++;
        else if (*r->p == '}' && braces) return r->p++, true;
        else if (!*r->p && !braces && !r->open_comment) return true;
        else if (!*r->p) return bad_here(r, "'}'");
        else if (!read_statement(r, group, depth)) return false;
    }
}

bool liberty_parse(LibertyItem **library, uint64_t *hash, Arena *arena, const char *path, Diag *d) {
    int included = 0;
    Reader r = {.arena = arena, .included = &included, .hash = hash, .d = d};
    *hash = HASH_START;
    if (!load_file(&r, path)) return false;
    LibertyItem *l = *library = ARENA_NEW(arena, LibertyItem);
    l->path = path;
    skip_space(&r);
    const char *begin = r.p;
    place_of(&r, begin, &l->line, &l->col);
    l->name = read_unquoted(&r, " \t\r\n:;(){},\"");
    skip_space(&r);
    if (!l->name || strcmp(l->name, "library") || *r.p != '(')
        return bad_at(&r, begin, "library (NAME) {");
    r.p++;
    if (!read_arguments(&r, l)) return false;
    skip_space(&r);
    if (l->nwords != 1) return bad_here(&r, "the library's name and ')'");
    if (*r.p != '{') return bad_here(&r, "'{'");
    r.p++;
    l->group = true;
    if (!read_items(&r, l, 1, true)) return false;
    // A '}' too many closes the library early, and the cells behind it would be lost.
    do skip_space(&r);
    while (*r.p == ';' && r.p++);
    return (!*r.p && !r.open_comment) ||
        bad_here(&r, "the end of the file behind the library's '}'");
}
