// SPDX-License-Identifier: Apache-2.0
// GTKWave save file. With a mismatch the first lines are the differing port: its meaning, golden
// model, RTL, their difference, its valid bits, and the differing lanes. The SM follows, then the
// blocks port by port. Golden model, RTL and differences have a color each. Cursor and marker A are
// at the mismatch.
#include "cosim/wave.h"

#include "base/output.h"

#include <string.h>

// Flags of GTKWave's trace lines.
enum {
    GTKW_HEX = 0x22,
    GTKW_DEC = 0x24,
    GTKW_BIN = 0x28,
    GTKW_TEXT = 0x820,
    GTKW_OPEN = 0x800200,
    GTKW_CLOSED = 0xc00200,
    GTKW_CLOSED_END = 0x1401200,
    GTKW_END = 0x1000200
};
// GTKWave's color numbers; 0 is its default.
typedef enum Color { COLOR_DEFAULT = 0, COLOR_DIFFERS = 1, COLOR_RTL = 2, COLOR_GOLDEN = 4 } Color;

// Ports of more elements are folded; number of differing lanes with rows; cycles shown before the
// cursor.
enum { GTKW_FOLD = 4, GTKW_LANES = 4, GTKW_BEFORE = 4 };

// How a line is shown. label: a name that replaces the signal's name; NULL: the signal's name.
typedef struct Look {
    int flags;
    Color color;
    const char *label;
} Look;

static void begin_group(FILE *f, const char *name, bool open) {
    fprintf(f, "@%x\n-%s\n", open ? GTKW_OPEN : GTKW_CLOSED, name);
}
static void end_group(FILE *f, const char *name, bool open) {
    fprintf(f, "@%x\n-%s\n", open ? GTKW_END : GTKW_CLOSED_END, name);
}

static void print_scope(FILE *f, const char *scope) {
    for (; *scope; scope++) fputc(*scope == ' ' ? '.' : *scope, f);
}

static void look_line(FILE *f, Look look) {
    fprintf(f, "@%x\n", look.flags);
    if (look.color) fprintf(f, "[color] %d\n", look.color);
}

static void full_name(FILE *f, const char *scope, const char *name, int bits) {
    print_scope(f, scope);
    fprintf(f, ".%s", name);
    if (bits > 1) fprintf(f, "[%d:0]", bits - 1);
}

static void signal_line(FILE *f, const char *scope, const char *name, int bits, Look look) {
    if (!look.flags) look.flags = bits == 0 ? GTKW_TEXT : bits == 1 ? GTKW_BIN : GTKW_HEX;
    look_line(f, look);
    if (look.label) fprintf(f, "+{%s} ", look.label);
    full_name(f, scope, name, bits);
    fputc('\n', f);
}

// ---- blocks ----

typedef struct Side {
    char scope[96];
    const char *word;
    Color color;
} Side;

// Golden model and RTL of a block, as far as they run; returns how many.
static int sides_of(const WaveBlock *b, Side sides[2]) {
    int n = 0;
    if (b->golden) {
        sides[n] = (Side){.word = "golden", .color = COLOR_GOLDEN};
        snprintf(sides[n++].scope, sizeof sides->scope, "golden %s", b->x->desc->name);
    }
    if (b->rtl) {
        sides[n] = (Side){.word = "rtl", .color = COLOR_RTL};
        snprintf(sides[n++].scope, sizeof sides->scope, "rtl port %s", b->x->desc->name);
    }
    return n;
}

static void element_lines(FILE *f, const Cosim *c, const WaveBlock *b, const Port *p, int element) {
    Side sides[2];
    int n = sides_of(b, sides);
    const char *name = wave_element_name(c->arena, p, element);
    if (p->dir == PORT_IN) {  // an input has one copy, of the first side
        signal_line(f, sides[0].scope, name, p->width, (Look){0});
        return;
    }
    for (int i = 0; i < n; i++) {
        char label[160];
        snprintf(label, sizeof label, "%s  %s", name, sides[i].word);
        signal_line(f, sides[i].scope, name, p->width,
                    (Look){.color = sides[i].color, .label = label});
    }
}

static void differs_line(FILE *f, const WaveBlock *b, const Port *p) {
    char scope[96], label[160];
    if (p->dir == PORT_IN || !b->golden || !b->rtl) return;
    snprintf(scope, sizeof scope, "cosim differs %s", b->x->desc->name);
    snprintf(label, sizeof label, "%s  differs", p->name);
    signal_line(f, scope, p->name, p->count,
                (Look){.flags = GTKW_BIN, .color = COLOR_DIFFERS, .label = label});
}

static void port_lines(FILE *f, const Cosim *c, const WaveBlock *b, const Port *p) {
    char label[96];
    snprintf(label, sizeof label, "%s%s", p->name, p->dir == PORT_IN ? "_i" : "_o");
    bool fold = p->count > GTKW_FOLD;
    if (fold) begin_group(f, label, false);
    for (int e = 0; e < p->count; e++) element_lines(f, c, b, p, e);
    if (fold) end_group(f, label, false);
    differs_line(f, b, p);
}

static void direction_lines(FILE *f, const Cosim *c, const WaveBlock *b, PortDir dir,
                            const char *word, bool open) {
    char name[96];
    snprintf(name, sizeof name, "%s %s", b->x->desc->name, word);
    begin_group(f, name, open);
    for (int i = 0; i < b->x->nports; i++)
        if (b->x->ports[i].dir == dir) port_lines(f, c, b, &b->x->ports[i]);
    end_group(f, name, open);
}

static void block_lines(FILE *f, const Cosim *c, const WaveBlock *b, bool open) {
    direction_lines(f, c, b, PORT_OUT, "outputs", open);
    direction_lines(f, c, b, PORT_IN, "inputs", open);
}

// ---- the mismatch ----

// Lane `lane` of a 1024-bit row as a separate vector. The row is slice-major: byte s of the lane is
// at bits 256 s + 8 lane. GTKWave counts the bits of a vector from its left end.
static void lane_line(FILE *f, const char *scope, const char *name, const Side *side, int lane) {
    look_line(f, (Look){.flags = GTKW_HEX, .color = side->color});
    fprintf(f, "#{lane %d  %s}", lane, side->word);
    for (int bit = 31; bit >= 0; bit--) {
        fprintf(f, " (%d)", 1023 - (256 * (bit / 8) + 8 * lane + bit % 8));
        full_name(f, scope, name, 1024);
    }
    fputc('\n', f);
}

static void lane_lines(FILE *f, const Cosim *c, const WaveBlock *b, const Port *p) {
    const Mismatch *m = &c->mismatch;
    uint32_t expected[32], actual[32];
    Side sides[2];
    int n = sides_of(b, sides), shown = 0, differ = 0;
    const char *name = wave_element_name(c->arena, p, m->element);
    rf_lanes_from_slices(expected, m->expected);
    rf_lanes_from_slices(actual, m->actual);
    for (int lane = 0; lane < 32; lane++) {
        if (expected[lane] == actual[lane]) continue;
        if (differ++ >= GTKW_LANES) continue;
        shown++;
        for (int i = 0; i < n; i++) lane_line(f, sides[i].scope, name, &sides[i], lane);
    }
    if (differ > shown) fprintf(f, "@200\n-(%d more lanes differ)\n", differ - shown);
}

static const Port *port_of(const Cosim *c) {
    const Instance *x = c->mismatch_block;
    for (int i = 0; c->mismatch.element >= 0 && i < x->nports; i++)
        if (!strcmp(x->ports[i].name, c->mismatch.port)) return &x->ports[i];
    return NULL;
}

static void mismatch_lines(FILE *f, const Cosim *c, const WaveBlock *b) {
    char title[160];
    const Port *p = port_of(c);
    if (p)
        snprintf(title, sizeof title, "mismatch: %s.%s_o[%d]", b->x->desc->name, p->name,
                 c->mismatch.element);
    else snprintf(title, sizeof title, "mismatch: %s.%s", b->x->desc->name, c->mismatch.port);
    begin_group(f, title, true);
    signal_line(f, "cosim", "mismatch_is", 0, (Look){.color = COLOR_DIFFERS});
    if (p) {
        element_lines(f, c, b, p, c->mismatch.element);
        differs_line(f, b, p);
        if (p->valid >= 0) port_lines(f, c, b, &b->x->ports[p->valid]);
        if (p->words == 32) lane_lines(f, c, b, p);
    }
    end_group(f, title, true);
}

// ---- the SM ----

// Scopes that fold together.
static const char *family_of(const char *scope) {
    return !strncmp(scope, "sm warp", 7)       ? "warps"
        : !strncmp(scope, "sm pmode warp", 13) ? "P-mode by warp"
                                               : "";
}

static bool is_scheduler(const char *scope) { return !strncmp(scope, "sm scheduler", 12); }

// A scheduler's activity is shown after its number. Its words for tools are only in the tree of
// signals.
static void sm_line(FILE *f, const ShimSignal *s) {
    char label[128];
    bool scheduler = is_scheduler(s->scope);
    // the cycle is the first line of all
    if ((scheduler && s->bits) || !strcmp(s->name, "cycle")) return;
    if (scheduler) snprintf(label, sizeof label, "%s  %s", s->scope + 3, s->name);
    signal_line(f, s->scope, s->name, s->bits,
                (Look){.flags = s->bits > 1 && strcmp(s->name, "mask") ? GTKW_DEC : 0,
                       .label = scheduler ? label : NULL});
}

static void sm_lines(FILE *f, const Wave *w) {
    if (!w->nsm) return;
    begin_group(f, "SM", true);
    const char *scope = "", *family = "";
    bool folded = false;
    for (int i = 0; i < w->nsm; i++) {
        const ShimSignal *s = &w->signals[i];
        if (strcmp(s->scope, scope)) {
            const char *next = family_of(s->scope);
            if (folded) end_group(f, scope, false);
            if (*family && strcmp(family, next)) end_group(f, family, false);
            if (*next && strcmp(family, next)) begin_group(f, next, false);
            family = next;
            // Groups of schedulers and collectors are open, because they show where each
            // instruction is. "sm warp3" is folded.
            scope = s->scope;
            folded = *next != '\0';
            if (folded) begin_group(f, scope, false);
        }
        sm_line(f, s);
    }
    if (folded) end_group(f, scope, false);
    if (*family) end_group(f, family, false);
    end_group(f, "SM", true);
}

// ---- the file ----

// Zoom so that eight digits fit into a cycle, then the cursor, then markers A to Z. The column of
// names is wide enough for the values beside them, such as the instruction that each scheduler
// issues at the cursor.
static void head_lines(FILE *f, const Wave *w, const char *wave_name, bool marked) {
    uint64_t cursor = marked ? w->mismatch_time : w->first_time;
    uint64_t start =
        cursor > GTKW_BEFORE * COSIM_TIME_UNITS ? cursor - GTKW_BEFORE * COSIM_TIME_UNITS : 0;
    if (start < w->first_time) start = w->first_time;
    fprintf(f, "[dumpfile] \"%s\"\n[timestart] %llu\n[size] 1600 900\n[pos] -1 -1\n", wave_name,
            (unsigned long long)start);
    fprintf(f, "*-4.500000 %llu", (unsigned long long)cursor);
    for (int i = 0; i < 26; i++) {
        if (i == 0 && marked) fprintf(f, " %llu", (unsigned long long)cursor);
        else fprintf(f, " -1");
    }
    fprintf(f, "\n");
    if (marked) fprintf(f, "[markername] Amismatch\n");
    fprintf(f,
            "[treeopen] rtl.\n[treeopen] golden.\n[sst_width] 220\n[signals_width] "
            "560\n[sst_expanded] 1\n");
}

bool wave_save_file(const Cosim *c, const char *path, const char *wave_name, Diag *d) {
    const Wave *w = c->wave;
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    bool marked = c->mismatched && w->mismatch_time;
    head_lines(f, w, wave_name, marked);
    signal_line(f, "cosim", "cycle", 32, (Look){.flags = GTKW_DEC});
    const WaveBlock *differing = NULL;
    for (int i = 0; i < w->nblocks; i++)
        if (w->blocks[i].x == c->mismatch_block) differing = &w->blocks[i];
    if (differing) mismatch_lines(f, c, differing);
    sm_lines(f, w);
    if (differing) block_lines(f, c, differing, false);
    for (int i = 0; i < w->nblocks; i++)
        if (&w->blocks[i] != differing) block_lines(f, c, &w->blocks[i], !differing);
    bool ok = output_close(&o, f, true, d);
    arena_free(&arena);
    return ok;
}

bool wave_save_beside(Cosim *c, Diag *d) {
    const char *path = c->wave->path;
    size_t n = strlen(path);
    if (n > 4 && !strcmp(path + n - 4, ".fst")) n -= 4;
    char *save = arena_printf(c->arena, "%.*s.gtkw", (int)n, path);
    const char *slash = strrchr(path, '/');
    return wave_save_file(c, save, slash ? slash + 1 : path, d);
}
