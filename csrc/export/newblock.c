// SPDX-License-Identifier: Apache-2.0
#include "export/newblock.h"

#include "base/plain.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MOST = 32, FAMILY_MOST = 16 };

// Reserved words of C, of SystemVerilog, or of the folder models/.
static const char *const reserved[] = {"accept_on",     "alias",        "always",     "always_comb",
                                       "always_ff",     "always_latch", "and",        "assert",
                                       "assign",        "assume",       "auto",       "automatic",
                                       "before",        "begin",        "bind",       "bins",
                                       "binsof",        "bit",          "block",      "bool",
                                       "break",         "buf",          "byte",       "case",
                                       "casex",         "casez",        "cell",       "chandle",
                                       "char",          "checker",      "class",      "clocking",
                                       "config",        "const",        "constraint", "context",
                                       "continue",      "cover",        "covergroup", "coverpoint",
                                       "cross",         "deassign",     "default",    "defparam",
                                       "design",        "disable",      "dist",       "do",
                                       "double",        "edge",         "else",       "end",
                                       "endcase",       "endmodule",    "enum",       "event",
                                       "expect",        "export",       "extends",    "extern",
                                       "final",         "first_match",  "float",      "for",
                                       "force",         "foreach",      "forever",    "fork",
                                       "forkjoin",      "function",     "generate",   "genvar",
                                       "global",        "golden",       "goto",       "highz0",
                                       "highz1",        "if",           "iff",        "ifnone",
                                       "ignore_bins",   "illegal_bins", "implements", "implies",
                                       "import",        "incdir",       "include",    "initial",
                                       "inline",        "inout",        "input",      "inside",
                                       "instance",      "int",          "integer",    "interface",
                                       "intersect",     "join",         "large",      "let",
                                       "liblist",       "library",      "local",      "localparam",
                                       "logic",         "long",         "longint",    "main",
                                       "macromodule",   "matches",      "medium",     "modport",
                                       "module",        "nand",         "negedge",    "nettype",
                                       "new",           "nexttime",     "nor",        "not",
                                       "null",          "or",           "output",     "package",
                                       "packed",        "parameter",    "params",     "pmos",
                                       "posedge",       "primitive",    "priority",   "program",
                                       "property",      "protected",    "pure",       "rand",
                                       "randc",         "randcase",     "real",       "realtime",
                                       "ref",           "reg",          "register",   "reject_on",
                                       "release",       "repeat",       "restrict",   "return",
                                       "rtran",         "scalared",     "sequence",   "shared",
                                       "short",         "shortint",     "shortreal",  "signed",
                                       "sizeof",        "small",        "soft",       "solve",
                                       "specify",       "specparam",    "state",      "stateless",
                                       "static",        "stim",         "stim_bins",  "string",
                                       "strong",        "struct",       "super",      "supply0",
                                       "supply1",       "switch",       "table",      "tagged",
                                       "task",          "this",         "throughout", "time",
                                       "timeprecision", "timeunit",     "tran",       "tri",
                                       "tri0",          "tri1",         "type",       "typedef",
                                       "union",         "unique",       "unsigned",   "until",
                                       "untyped",       "use",          "uwire",      "var",
                                       "vectored",      "virtual",      "void",       "volatile",
                                       "wait",          "wand",         "weak",       "while",
                                       "wildcard",      "wire",         "with",       "within",
                                       "wor",           "xnor",         "xor"};

// A valid identifier of C and Verilog: letters, digits and single underscores, beginning with a
// letter.
static bool is_word(const char *s, int most) {
    const size_t n = strlen(s);
    if (n < 2 || n > (size_t)most || !islower((unsigned char)*s)) return false;
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)s[i]) && !isdigit((unsigned char)s[i]) &&
            (s[i] != '_' || s[i + 1] == '_' || !s[i + 1]))
            return false;
    return true;
}

static bool check_names(Arena *arena, const char *name, const char *family, Diag *d) {
    if (!is_word(name, NAME_MOST))
        return diag_fail(d, EXIT_USAGE,
                         "new-block: '%s' is not a valid name of a block: expected 2 to %d "
                         "lower-case letters, digits and single _, starting with a letter",
                         plain_text(arena, name), NAME_MOST);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(name, reserved[i]))
            return diag_fail(d, EXIT_USAGE,
                             "new-block: '%s' is reserved by C, SystemVerilog or models/", name);
    if (!is_word(family, FAMILY_MOST) || strchr(family, '_'))
        return diag_fail(d, EXIT_USAGE,
                         "new-block: --family '%s': expected 2 to %d lower-case letters and "
                         "digits, starting with a letter",
                         plain_text(arena, family), FAMILY_MOST);
    return true;
}

// Is the name taken, in any family?
static bool check_free(Arena *arena, const char *source, const char *name, Diag *d) {
    static const char *const places[] = {"rtl/*/%s.sv", "models/*/%s.[ch]", "models/*/%s_*.c",
                                         "tests/unit/test_%s.c"};
    // The tree's own folder may have any name: the pattern is looked up from there.
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    bool good = here >= 0 && chdir(source) == 0;
    if (!good) diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", source, strerror(errno));
    for (size_t i = 0; i < sizeof places / sizeof *places && good; i++) {
        char pattern[100];
        glob_t found;
        snprintf(pattern, sizeof pattern, places[i], name);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        good = diag_fail(d, EXIT_USAGE, "new-block: the name '%s' is taken: %s", name,
                         arena_strndup(arena, found.gl_pathv[0], strlen(found.gl_pathv[0])));
        globfree(&found);
    }
    if (here >= 0) {
        if (fchdir(here) != 0)
            good = diag_fail(d, EXIT_ENVIRONMENT, "the current folder no longer exists: %s",
                             strerror(errno));
        close(here);
    }
    return good;
}

// ---- texts --------------------------------------------------------------------------------------

typedef struct Names {
    const char *name, *family;
    char upper[NAME_MOST + 1], camel[NAME_MOST + 1];
} Names;

static Names names_of(const char *name, const char *family) {
    Names n = {.name = name, .family = family};
    int camel = 0;
    for (int i = 0; name[i]; i++) {
        n.upper[i] = (char)toupper((unsigned char)name[i]);
        if (name[i] == '_') continue;
        const bool first = i == 0 || name[i - 1] == '_';
        n.camel[camel++] = first ? n.upper[i] : name[i];
    }
    return n;
}

// The text with @NAME@, @UPPER@, @CAMEL@ and @FAMILY@ filled in.
static char *fill_marks(Arena *arena, const char *text, const Names *n) {
    const struct {
        const char *mark, *value;
    } marks[] = {
        {"@NAME@", n->name}, {"@UPPER@", n->upper}, {"@CAMEL@", n->camel}, {"@FAMILY@", n->family}};
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    panic_if(!f, "out of memory");
    while (*text) {
        size_t i = 0;
        while (i < 4 && strncmp(text, marks[i].mark, strlen(marks[i].mark))) i++;
        if (i < 4) fputs(marks[i].value, f), text += strlen(marks[i].mark);
        else fputc(*text++, f);
    }
    fclose(f);
    char *mine = arena_strndup(arena, out, size);
    free(out);
    return mine;
}

// The text with `line` inserted after the first line that begins with `after`. With `then`, it is
// inserted after the next line that begins with `then`. NULL: no such line.
static const char *with_line(Arena *arena, const char *text, const char *after, const char *then,
                             const char *line) {
    const char *at = strstr(text, after);
    if (at && then) at = strstr(at, then);
    at = at ? strchr(at + 1, '\n') : NULL;  // at may begin with the end of the line before
    return at ? arena_printf(arena, "%.*s\n%s%s", (int)(at - text), text, line, at) : NULL;
}

// ---- files --------------------------------------------------------------------------------------

typedef struct Change {
    const char *path, *temporary, *text;
    bool replaces;  // an existing file; else the file must not exist
    bool done;
} Change;

typedef struct Changes {
    Arena *arena;
    const char *source;
    Change of[NEWBLOCK_FILES];
    int n;
    const char *folders[2];  // that were made
    int nfolders;
} Changes;

static void add_change(Changes *c, const char *path, const char *text, bool replaces) {
    c->of[c->n++] = (Change){
        .path = path,
        .text = text,
        .replaces = replaces,
        .temporary = arena_printf(c->arena, "%s/%s.new%d", c->source, path, (int)getpid())};
}

static bool write_whole(const char *path, const char *text, Diag *d) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
    fputs(text, f);
    const bool lost = fflush(f) != 0 || fsync(fd) != 0 || ferror(f);
    if (fclose(f) == 0 && !lost) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

static bool make_folder(Changes *c, const char *relative, Diag *d) {
    const char *path = arena_printf(c->arena, "%s/%s", c->source, relative);
    if (mkdir(path, 0777) == 0) c->folders[c->nfolders++] = path;
    else if (errno != EEXIST)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", path, strerror(errno));
    return true;
}

// A link fails if the file exists, a rename replaces it. Replaced files are committed last, because
// only they cannot be undone.
static bool commit_changes(Changes *c, Diag *d) {
    for (int i = 0; i < c->n; i++) {
        Change *k = &c->of[i];
        const char *path = arena_printf(c->arena, "%s/%s", c->source, k->path);
        if ((k->replaces ? rename(k->temporary, path) : link(k->temporary, path)) != 0)
            return diag_fail(d, errno == EEXIST ? EXIT_USAGE : EXIT_ENVIRONMENT,
                             "%s: cannot be written: %s", path, strerror(errno));
        k->done = true;
    }
    return true;
}

static bool apply_changes(Changes *c, Diag *d) {
    bool good = true;
    for (int i = 0; i < c->n && good; i++) good = write_whole(c->of[i].temporary, c->of[i].text, d);
    good = good && commit_changes(c, d);
    for (int i = 0; i < c->n; i++) {
        unlink(c->of[i].temporary);
        if (!good && c->of[i].done && !c->of[i].replaces)
            unlink(arena_printf(c->arena, "%s/%s", c->source, c->of[i].path));
    }
    for (int i = 0; i < c->nfolders && !good; i++) rmdir(c->folders[i]);
    return good;
}

static bool add_row(Changes *c, const char *path, const char *after, const char *then,
                    const char *line, Diag *d) {
    char *text;
    size_t n;
    const char *full = arena_printf(c->arena, "%s/%s", c->source, path);
    if (!file_read(c->arena, full, &text, &n, d)) return false;
    const char *with = with_line(c->arena, text, after, then, line);
    if (!with) return diag_fail(d, EXIT_USAGE, "%s: found no line '%s'", full, then ? then : after);
    add_change(c, path, with, true);
    return true;
}

bool newblock_write(Arena *arena, const char *templates, const char *source, const char *name,
                    const char *family, const char **files, Diag *d) {
    static const struct {
        const char *from, *top, *end;
    } texts[] = {{"contract.h", "models", ".h"},
                 {"model.c", "models", ".c"},
                 {"state.c", "models", "_state.c"},
                 {"stim.c", "models", "_stim.c"},
                 {"module.sv", "rtl", ".sv"},
                 {"module.obs.svh", "rtl", ".obs.svh"},
                 {"module.formal.svh", "rtl", ".formal.svh"},
                 {"module.faults", "rtl", ".faults"},
                 {"test.c", "tests", ".c"}};
    Changes c = {.arena = arena, .source = source};
    if (!check_names(arena, name, family, d)) return false;
    if (access(arena_printf(arena, "%s/csrc/cosim/blocks.h", source), R_OK) != 0)
        return diag_fail(
            d, EXIT_USAGE,
            "%s: no sources of smcosim: the folder has no file csrc/cosim/blocks.h (--source)",
            source);
    if (!check_free(arena, source, name, d)) return false;
    const Names n = names_of(name, family);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text;
        size_t size;
        const bool is_test = !strcmp(texts[i].top, "tests");
        if (!file_read(arena, arena_printf(arena, "%s/%s.in", templates, texts[i].from), &text,
                       &size, d))
            return false;
        add_change(&c,
                   arena_printf(arena, "%s/%s/%s%s%s", texts[i].top, is_test ? "unit" : family,
                                is_test ? "test_" : "", name, texts[i].end),
                   fill_marks(arena, text, &n), false);
    }
    if (!add_row(
            &c, "rtl/FAMILIES.md", "\n## Blocks\n", "\n|---",
            arena_printf(arena, "| %s | `%s` | a register per port, so far | no |", family, name),
            d) ||
        !add_row(&c, "csrc/cosim/blocks.h", "#define COSIM_BLOCKS(B)", NULL,
                 arena_printf(arena, "    B(%s, %s, %s, \"a register per port, so far\") \\", name,
                              n.upper, n.camel),
                 d))
        return false;
    if (!make_folder(&c, arena_printf(arena, "models/%s", family), d) ||
        !make_folder(&c, arena_printf(arena, "rtl/%s", family), d)) {
        for (int i = 0; i < c.nfolders; i++) rmdir(c.folders[i]);
        return false;
    }
    if (!apply_changes(&c, d)) return false;
    for (int i = 0; i < c.n; i++) files[i] = c.of[i].path;
    files[c.n] = NULL;
    return true;
}
