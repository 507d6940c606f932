// SPDX-License-Identifier: Apache-2.0
// Collects code coverage over chunks and workers. Every count is a sum or a union over chunks, so
// the result is independent of the assignment of chunks to workers.
#include "verify/cover.h"

#include "proc/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SPAN = 64 /* ranges of lines of one point */ };

// One of Verilator's points: its place, its kind, and the source lines that it covers.
typedef struct CodeLine {
    const char *file, *what;
    int line, column;
    int from[MAX_SPAN], to[MAX_SPAN], nspans;
} CodeLine;

// ---- Verilator's file ---------------------------------------------------------------------------

// Value of a key in "'\1key\2value\1key\2value'"; "" when it is not there.
static char *field_of(Arena *arena, const char *text, const char *key) {
    const size_t n = strlen(key);
    for (const char *p = strchr(text, '\1'); p; p = strchr(p + 1, '\1'))
        if (!strncmp(p + 1, key, n) && p[1 + n] == '\2')
            return arena_strndup(arena, p + 2 + n, strcspn(p + 2 + n, "\1'"));
    return arena_printf(arena, "%s", "");
}

static void read_spans(CodeLine *l, const char *text) {
    while (*text && l->nspans < MAX_SPAN) {
        char *end;
        const long from = strtol(text, &end, 10);
        const long to = *end == '-' ? strtol(end + 1, &end, 10) : from;
        if (end == text) return;
        l->from[l->nspans] = (int)from, l->to[l->nspans++] = (int)to;
        text = *end == ',' ? end + 1 : end;
    }
}

// Counts of a file, in its order. lines: NULL, or receives the descriptions of the points.
static int read_file(Arena *arena, const char *path, uint64_t *counts, int most, CodeLine **lines) {
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    char text[8192];
    int n = 0, cap = 0;
    while (fgets(text, sizeof text, f)) {
        const char *count = strrchr(text, ' ');
        if (text[0] != 'C' || !count) continue;
        if (counts && n < most) counts[n] += strtoull(count, NULL, 10);
        if (lines) {
            CodeLine *l = ARENA_PUSH(arena, *lines, n, cap);
            *l = (CodeLine){.file = field_of(arena, text, "f"),
                            .what = field_of(arena, text, "o"),
                            .line = atoi(field_of(arena, text, "l")),
                            .column = atoi(field_of(arena, text, "n"))};
            read_spans(l, field_of(arena, text, "S"));
        } else {
            n++;
        }
    }
    fclose(f);
    return n;
}

// ---- counts -------------------------------------------------------------------------------------

static bool make_folder(const char *dir, Diag *d) {
    if (mkdir(dir, 0777) == 0 || errno == EEXIST) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", dir, strerror(errno));
}

static void scratch_name(char *path, size_t size, const char *dir) {
    snprintf(path, size, "%s/.counts.%d", dir, (int)getpid());
}

// Another build of the same sources may have Verilated the variant, because the cache is shared.
// The variant's paths then point to that build. The file of the same name below our data folder has
// the same text, because the variant's name is a hash of it.
static const char *own_path(Arena *arena, const char *data_dir, const char *file) {
    const char *below = NULL;
    for (const char *p = file; (p = strstr(p, "/rtl/")); p++) below = p;
    if (!below) return file;
    const char *own = arena_printf(arena, "%s%s", data_dir, below);
    return access(own, R_OK) == 0 ? own : file;
}

bool code_open(CodeCounts *c, Arena *arena, const Harness *h, const VerifyOptions *o, int jobs,
               Diag *d) {
    char path[4200];
    ShimToggles t;
    if (!make_folder(o->cover_dir, d)) return false;
    scratch_name(path, sizeof path, o->cover_dir);
    if (!harness_write_cover(h, path))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
    c->nlines = read_file(arena, path, NULL, 0, &c->lines);
    unlink(path);
    for (int i = 0; i < c->nlines && !o->harness.rtl; i++)
        c->lines[i].file = own_path(arena, o->harness.data_dir, c->lines[i].file);
    harness_toggles(h, &t);
    if (c->nlines < 0 || !t.nnets)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: no code coverage in %s", harness_desc(h)->name,
                         path);
    c->jobs = jobs;
    c->nwords = t.nwords;
    const size_t line_bytes = sizeof *c->counts * (size_t)c->nlines * (size_t)jobs;
    const size_t word_bytes = sizeof *c->rose * (size_t)c->nwords * (size_t)jobs;
    c->bytes = line_bytes + 2 * word_bytes + 1;
    c->memory = child_shared(c->bytes);
    c->counts = c->memory;
    c->rose = (uint32_t *)((char *)c->memory + line_bytes);
    c->fell = c->rose + (size_t)c->nwords * (size_t)jobs;
    return true;
}

bool code_add(CodeCounts *c, int worker, const Harness *h, const char *dir) {
    char path[4200];
    ShimToggles t;
    scratch_name(path, sizeof path, dir);
    bool ok = harness_write_cover(h, path);
    ok = ok &&
        read_file(NULL, path, c->counts + (size_t)worker * (size_t)c->nlines, c->nlines, NULL) ==
            c->nlines;
    unlink(path);
    harness_toggles(h, &t);
    uint32_t *rose = c->rose + (size_t)worker * c->nwords,
             *fell = c->fell + (size_t)worker * c->nwords;
    for (uint32_t i = 0; i < c->nwords; i++) rose[i] |= t.rose[i], fell[i] |= t.fell[i];
    return ok;
}

void code_close(CodeCounts *c) {
    if (c->memory) child_unshare(c->memory, c->bytes);
    c->memory = NULL;
}

// ---- points -------------------------------------------------------------------------------------

typedef struct Builder {
    Arena *arena;
    VerifyCode *code;
    int cap;
    const char *data_dir;
    const char *source_path;  // the file looked at last, and its text
    char *source;
} Builder;

// Path below the data folder, as the sources name it: "rtl/rf/rf_bank.sv".
static const char *short_name(const Builder *b, const char *file) {
    const size_t n = strlen(b->data_dir);
    return !strncmp(file, b->data_dir, n) && file[n] == '/' ? file + n + 1 : file;
}

static void add_point(Builder *b, CodeKind kind, const char *file, int line, int column,
                      const char *what, uint64_t hits) {
    // the same place in another shape of the module
    for (int i = b->code->npoints - 1; i >= 0; i--) {
        CodePoint *p = &b->code->points[i];
        if (p->kind != kind || p->line != line || p->column != column || strcmp(p->file, file) ||
            strcmp(p->what, what))
            continue;
        p->hits += hits;
        return;
    }
    *ARENA_PUSH(b->arena, b->code->points, b->code->npoints, b->cap) = (CodePoint){
        .kind = kind, .file = file, .line = line, .column = column, .what = what, .hits = hits};
}

static const char *source_line(Builder *b, const char *path, int line) {
    if (!b->source_path || strcmp(b->source_path, path)) {
        Diag d = {0};
        size_t length;
        b->source_path = path;
        if (!file_read(b->arena, path, &b->source, &length, &d)) b->source = NULL;
    }
    const char *p = b->source;
    for (int n = 1; p && n < line; n++) p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
    return p ? arena_strndup(b->arena, p, strcspn(p, "\n")) : "";
}

// Is a statement outside of the design? Its file or its first line decides.
static bool is_beside(Builder *b, const CodeLine *l) {
    return strstr(l->file, ".obs.svh") || strstr(source_line(b, l->file, l->line), "obs_");
}

static bool spans_line(const CodeLine *l, const char *file, int line) {
    if (line == l->line || strcmp(l->file, file)) return false;
    for (int s = 0; s < l->nspans; s++)
        if (line >= l->from[s] && line <= l->to[s]) return true;
    return false;
}

static void add_lines(Builder *b, const CodeCounts *c) {
    bool *beside = ARENA_ARRAY(b->arena, bool, c->nlines + 1);
    for (int i = 0; i < c->nlines; i++) beside[i] = is_beside(b, &c->lines[i]);
    for (int i = 0; i < c->nlines; i++)  // points inside
        for (int k = 0; k < c->nlines && beside[i]; k++)
            if (spans_line(&c->lines[i], c->lines[k].file, c->lines[k].line)) beside[k] = true;
    for (int i = 0; i < c->nlines; i++) {
        const CodeLine *l = &c->lines[i];
        if (beside[i]) continue;
        uint64_t hits = 0;
        for (int w = 0; w < c->jobs; w++)
            hits += c->counts[(size_t)w * (size_t)c->nlines + (size_t)i];
        const char *file = short_name(b, l->file);
        if (strcmp(l->what, "block"))
            add_point(b, CODE_BRANCH, file, l->line, l->column, l->what, hits);
        for (int s = 0; s < l->nspans; s++)
            for (int n = l->from[s]; n <= l->to[s]; n++)
                add_point(b, CODE_LINE, file, n, 0, "", hits);
    }
}

// Name below the block: "u_arbiter.first_q" of "rtl.banked_rf.banked_rf.u_arbiter.first_q".
static const char *net_name(const char *name, const char *block) {
    const char *p = name;
    for (int k = 0; k < 2; k++) p = strchr(p, '.') ? strchr(p, '.') + 1 : p;
    const size_t n = strlen(block);
    return !strncmp(p, block, n) && p[n] == '.' ? p + n + 1 : p;
}

static bool counted_net(const char *name) {
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    return strcmp(last, "clk_i") && strncmp(last, "obs_", 4);
}

static void add_toggles(Builder *b, const CodeCounts *c, const Harness *h) {
    ShimToggles t;
    harness_toggles(h, &t);
    for (int i = 0; i < t.nnets; i++) {
        const char *name =
            arena_printf(b->arena, "%s", net_name(t.nets[i].name, harness_desc(h)->name));
        if (!counted_net(name)) continue;
        for (int bit = 0; bit < t.nets[i].bits; bit++) {
            const uint32_t word = t.nets[i].word + (uint32_t)bit / 32;
            uint32_t rose = 0, fell = 0;
            for (int w = 0; w < c->jobs; w++) {
                rose |= c->rose[(size_t)w * c->nwords + word];
                fell |= c->fell[(size_t)w * c->nwords + word];
            }
            const uint64_t hits = (rose >> bit % 32 & 1) | (fell >> bit % 32 & 1) << 1;
            *ARENA_PUSH(b->arena, b->code->points, b->code->npoints, b->cap) = (CodePoint){
                .kind = CODE_TOGGLE, .file = "", .what = name, .bit = bit, .hits = hits};
        }
    }
}

// Lines and branches by place; toggles stay in the order of declaration behind them.
static int by_place(const void *a, const void *b) {
    const CodePoint *p = a, *q = b;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    const int file = strcmp(p->file, q->file);
    if (file) return file;
    if (p->line != q->line) return p->line < q->line ? -1 : 1;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return strcmp(p->what, q->what);
}

static void count_points(VerifyCode *code) {
    for (int i = 0; i < code->npoints; i++) {
        const CodePoint *p = &code->points[i];
        if (p->waived) code->kinds[p->kind].waived++;
        else code->kinds[p->kind].all++, code->kinds[p->kind].hit += code_hit(p);
    }
}

bool code_finish(CodeCounts *c, Arena *arena, const Harness *h, const VerifyOptions *o,
                 const VerifyCode **code, Diag *d) {
    VerifyCode *all = ARENA_NEW(arena, VerifyCode);
    Builder b = {.arena = arena, .code = all, .data_dir = o->harness.data_dir};
    add_lines(&b, c);
    if (all->npoints) qsort(all->points, (size_t)all->npoints, sizeof *all->points, by_place);
    add_toggles(&b, c, h);
    *code = all;
    const bool ok = o->harness.rtl ||
        code_waive(arena, o->harness.data_dir, harness_desc(h), !o->own_shape, all, d);
    count_points(all);
    return ok;
}
