// SPDX-License-Identifier: Apache-2.0
// Mutants without the reset of one register. Copies of the block's files have all of them, and
// +mutant=N selects one. For a proof, the macro SMCOSIM_MUTANT does. Two forms of text are mutated:
//
//   if (!rst_ni ..) q <= '0;      q keeps its value in the reset
//   any other use of rst_ni       the expression ignores the reset
//
// Blocks inside this block have mutants of their own. The RTL starts from random values, as in
// verify.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include "base/output.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

// One replaced range of a file's text.
typedef struct Edit {
    size_t from, to;
    const char *text;
} Edit;

typedef struct Source {
    Campaign *c;
    const char *name;      // "rf_arbiter.sv"
    const char *text;      // as it is
    char *plain;           // the same length, comments blank
    size_t body;           // behind the ports
    const char *contract;  // "rf/banked_rf.formal.svh" of the block's own module, NULL: none
    Edit *edits;
    int n, cap;
} Source;

static bool is_word_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static bool is_word_at(const char *text, size_t at, const char *word) {
    const size_t n = strlen(word);
    return !strncmp(text + at, word, n) && !is_word_char(text[at + n]) &&
        (at == 0 || !is_word_char(text[at - 1]));
}

static size_t skip_blank(const char *text, size_t at) {
    while (isspace((unsigned char)text[at])) at++;
    return at;
}

static char *blank_comments(Arena *arena, const char *text, size_t n) {
    char *plain = arena_strndup(arena, text, n);
    for (char *p = plain; *p; p++) {
        if (p[0] != '/' || p[1] != '/') continue;
        while (*p && *p != '\n') *p++ = ' ';
        if (!*p) break;
    }
    return plain;
}

// The text of a range in one line, at most `most` characters.
static const char *one_line(Arena *arena, const char *text, size_t from, size_t to, size_t most) {
    char *line = arena_strndup(arena, text + from, to - from);
    size_t n = 0;
    for (char *p = line; *p && n < most; p++)
        if (!isspace((unsigned char)*p)) line[n++] = *p;
        else if (n && line[n - 1] != ' ') line[n++] = ' ';
    while (n && line[n - 1] == ' ') n--;
    line[n] = '\0';
    return line;
}

static int line_of(const Source *s, size_t at) {
    int line = 1;
    for (size_t i = 0; i < at; i++) line += s->text[i] == '\n';
    return line;
}

// Adds a mutant; its number.
static int add_mutant(Source *s, size_t at, const char *what) {
    Campaign *c = s->c;
    Mutant *m = ARENA_PUSH(c->arena, c->r->mutants, c->r->n, c->cap);
    const char *where = arena_printf(c->arena, "%s:%d", s->name, line_of(s, at));
    *m = (Mutant){.side = MUTANT_RESET,
                  .id = arena_printf(c->arena, "reset %s %s", where, what),
                  .where = where,
                  .what = what,
                  .number = c->r->n};
    return m->number;
}

static void add_edit(Source *s, size_t from, size_t to, const char *text) {
    *ARENA_PUSH(s->c->arena, s->edits, s->n, s->cap) = (Edit){from, to, text};
}

// ---- registers of a reset branch ----------------------------------------------------------------

// Behind the matching bracket; `at` is the opening one.
static size_t match_bracket(const char *text, size_t at) {
    int depth = 0;
    for (; text[at]; at++) {
        depth += strchr("([{", text[at]) != NULL;
        depth -= strchr(")]}", text[at]) != NULL;
        if (!depth) return at + 1;
    }
    return at;
}

// `at`: the target of an assignment. Behind its semicolon.
static size_t take_assignment(Source *s, size_t at) {
    const char *t = s->plain;
    size_t arrow = at;
    while (t[arrow] && strncmp(t + arrow, "<=", 2) && t[arrow] != ';')
        arrow = strchr("([{", t[arrow]) ? match_bracket(t, arrow) : arrow + 1;
    const size_t value = skip_blank(t, arrow + 2), end = value + strcspn(t + value, ";");
    if (t[arrow] != '<' || !t[end]) return arrow + (t[arrow] != '\0');
    Arena *arena = s->c->arena;
    const char *target = one_line(arena, t, at, arrow, SIZE_MAX);
    const int number = add_mutant(s, at, arena_printf(arena, "no reset of %s", target));
    add_edit(s, value, value,
             arena_printf(arena, "smcosim_mutant == %d && !rst_ni ? %s : (", number, target));
    add_edit(s, end, end, ")");
    return end + 1;
}

// The statement at `at`: an assignment, a loop, or begin .. end. Behind it.
static size_t take_statement(Source *s, size_t at) {
    const char *t = s->plain;
    at = skip_blank(t, at);
    if (is_word_at(t, at, "for")) return take_statement(s, match_bracket(t, skip_blank(t, at + 3)));
    if (!is_word_at(t, at, "begin")) return take_assignment(s, at);
    at = skip_blank(t, at + 5);
    if (t[at] == ':') {  // a label
        at = skip_blank(t, at + 1);
        while (is_word_char(t[at])) at++;
    }
    for (at = skip_blank(t, at); t[at] && !is_word_at(t, at, "end"); at = skip_blank(t, at))
        at = take_statement(s, at);
    return at + (t[at] ? 3 : 0);
}

// ---- other uses ---------------------------------------------------------------------------------

// The statement or connection around `at`.
static const char *text_around(const Source *s, size_t at) {
    size_t from = at, to = at + strcspn(s->plain + at, ";\n");
    while (from > s->body && !strchr(";\n", s->plain[from - 1])) from--;
    return one_line(s->c->arena, s->plain, from, to, 60);
}

static void take_use(Source *s, size_t at) {
    const size_t n = strlen("rst_ni");
    const char *around = text_around(s, at);
    const bool connected = s->plain[at - 1] == '.' ||
        (s->plain[at - 1] == '(' && s->plain[skip_blank(s->plain, at + n)] == ')');
    if (connected || strstr(around, "unused")) return;
    Arena *arena = s->c->arena;
    const int number = add_mutant(s, at, arena_printf(arena, "reset ignored in: %s", around));
    add_edit(s, at, at + n, arena_printf(arena, "(rst_ni || smcosim_mutant == %d)", number));
}

// ---- files --------------------------------------------------------------------------------------

static void find_resets(Source *s) {
    const char *t = s->plain;
    for (size_t at = s->body; t[at];) {
        if (is_word_at(t, at, "if")) {
            const size_t open = skip_blank(t, at + 2), close = match_bracket(t, open);
            if (!strncmp(t + skip_blank(t, open + 1), "!rst_ni", 7)) {
                at = take_statement(s, close);
                continue;
            }
        }
        if (is_word_at(t, at, "rst_ni")) take_use(s, at);
        at++;
    }
}

// The text from `at`. At the end of the module a proof includes its contract, for the assumptions.
static void write_rest(FILE *f, const Source *s, size_t at) {
    const char *end = NULL;
    for (const char *p = s->plain + at; (p = strstr(p, "\nendmodule")); p++) end = p;
    const size_t most = end ? (size_t)(end - s->plain) : at;
    fwrite(s->text + at, 1, most - at, f);
    if (s->contract) fprintf(f, "\n`ifdef SMCOSIM_ASSUME\n`include \"%s\"\n`endif", s->contract);
    fputs(s->text + most, f);
}

static bool write_copy(const Source *s, const char *path, Diag *d) {
    Output o;
    FILE *f = output_open(&o, s->c->arena, path, d);
    if (!f) return false;
    fwrite(s->text, 1, s->body, f);
    fputs("\n`ifdef SMCOSIM_MUTANT\nlocalparam integer smcosim_mutant = `SMCOSIM_MUTANT;\n`else\n"
          "integer smcosim_mutant;\n"
          "initial if ($value$plusargs(\"mutant=%d\", smcosim_mutant) == 0) smcosim_mutant = 0;\n"
          "`endif\n",
          f);
    size_t at = s->body;
    for (int i = 0; i < s->n; i++) {
        fwrite(s->text + at, 1, s->edits[i].from - at, f);
        fputs(s->edits[i].text, f);
        at = s->edits[i].to;
    }
    write_rest(f, s, at);
    return output_close(&o, f, true, d);
}

// Does the file belong to a block inside?
static bool is_inner(const Campaign *c, const char *name) {
    char *block = arena_strndup(c->arena, name, strcspn(name, "."));
    const BlockDesc *desc = block_desc_find(block);
    return desc && desc != c->o->desc;
}

// Copies a file with its mutants, if it has some or is the block's own.
static bool copy_file(Campaign *c, const char *folder, const char *path, Diag *d) {
    const char *slash = strrchr(path, '/');
    Source s = {.c = c, .name = slash ? slash + 1 : path};
    char *text;
    size_t n;
    if (is_inner(c, s.name)) return true;
    if (!file_read(c->arena, path, &text, &n, d)) return false;
    s.text = text;
    s.plain = blank_comments(c->arena, text, n);
    const char *ports = strstr(s.plain, "\n);");
    if (!ports) return diag_fail(d, EXIT_ENVIRONMENT, "%s: no ports that end in a line );", path);
    s.body = (size_t)(ports - s.plain) + 3;
    find_resets(&s);
    const bool own = !strncmp(s.name, c->o->desc->name, strlen(c->o->desc->name)) &&
        s.name[strlen(c->o->desc->name)] == '.';
    if (!s.n && !own) return true;
    const char *contract =
        arena_printf(c->arena, "%s/%s.formal.svh", c->o->desc->family, c->o->desc->name);
    if (own && !access(arena_printf(c->arena, "%s/rtl/%s", c->o->data_dir, contract), R_OK))
        s.contract = contract;
    const char *copy = arena_printf(c->arena, "%s/%s", folder, s.name);
    c->rtl = c->rtl ? arena_printf(c->arena, "%s,%s", c->rtl, copy) : copy;
    return write_copy(&s, copy, d);
}

bool mutate_reset_prepare(Campaign *c, Diag *d) {
    const char *folder = arena_printf(c->arena, "%s/resets", c->dir);
    RtlFiles files;
    if (!rtl_files(c->arena, c->o->data_dir, c->o->desc->name, NULL, &files, d) ||
        !output_folder(folder, d))
        return false;
    for (int i = 0; i < files.n; i++)
        if (!copy_file(c, folder, files.paths[i], d)) return false;
    return true;
}
