// SPDX-License-Identifier: Apache-2.0
// GTKWave save file: groups for the harness, the SM and each block with golden model and RTL port by
// port, cursor and marker A at the mismatch.
#include "cosim/wave.h"

#include "base/output.h"

#include <string.h>

// Flags of GTKWave's trace lines.
enum { GTKW_HEX = 0x22, GTKW_BIN = 0x28, GTKW_OPEN = 0x800200, GTKW_CLOSED = 0xc00200, GTKW_CLOSED_END = 0x1401200,
       GTKW_END = 0x1000200 };

// Many elements of one port are folded.
enum { GTKW_FOLD = 4 };

static void group(FILE *f, const char *name, bool open) {
    fprintf(f, "@%x\n-%s\n", open ? GTKW_OPEN : GTKW_CLOSED, name);
}
static void end_group(FILE *f, const char *name, bool open) {
    fprintf(f, "@%x\n-%s\n", open ? GTKW_END : GTKW_CLOSED_END, name);
}

static void dotted(FILE *f, const char *scope) {
    for (; *scope; scope++) fputc(*scope == ' ' ? '.' : *scope, f);
}

// side: what to add to the name that is shown ("rtl"); NULL: the plain name.
static void signal_line(FILE *f, const char *scope, const char *name, int bits, const char *side) {
    fprintf(f, "@%x\n", bits == 1 ? GTKW_BIN : GTKW_HEX);
    if (side) fprintf(f, "+{%s  %s} ", name, side);
    dotted(f, scope);
    fprintf(f, ".%s", name);
    if (bits > 1) fprintf(f, "[%d:0]", bits - 1);
    fputc('\n', f);
}

// Golden and RTL element by element.
static void port_lines(FILE *f, const Cosim *c, const WaveBlock *b, const Port *p) {
    char golden[96], rtl[96], label[96];
    snprintf(golden, sizeof golden, "golden %s", b->x->desc->name);
    snprintf(rtl, sizeof rtl, "rtl port %s", b->x->desc->name);
    snprintf(label, sizeof label, "%s%s", p->name, p->dir == PORT_IN ? "_i" : "_o");
    bool fold = p->count > GTKW_FOLD;
    if (fold) group(f, label, false);
    for (int e = 0; e < p->count; e++) {
        const char *name = wave_element_name(c->arena, p, e);
        bool in = p->dir == PORT_IN;
        if (b->golden) signal_line(f, golden, name, p->width, in ? NULL : "golden");
        if (b->rtl && (!in || !b->golden)) signal_line(f, rtl, name, p->width, in ? NULL : "rtl");
    }
    if (fold) end_group(f, label, false);
}

static void block_lines(FILE *f, const Cosim *c, const WaveBlock *b) {
    char differs[96];
    snprintf(differs, sizeof differs, "cosim differs %s", b->x->desc->name);
    group(f, b->x->desc->name, true);
    for (int i = 0; i < b->x->nports; i++) {
        const Port *p = &b->x->ports[i];
        port_lines(f, c, b, p);
        if (p->dir == PORT_OUT && b->golden && b->rtl) signal_line(f, differs, p->name, p->count, "differs");
    }
    end_group(f, b->x->desc->name, true);
}

static void sm_lines(FILE *f, const Wave *w) {
    if (!w->nsm) return;
    group(f, "SM", true);
    const char *scope = "";
    bool folded = false, warps = false;
    for (int i = 0; i < w->nsm; i++) {
        const ShimSignal *s = &w->signals[i];
        if (strcmp(s->scope, scope)) {
            if (folded) end_group(f, scope, false);
            bool warp = !strncmp(s->scope, "sm warp", 7);  // all warps fold into one line
            if (warp && !warps) group(f, "warps", false);
            if (!warp && warps) end_group(f, "warps", false);
            warps = warp;
            folded = strchr(s->scope, ' ') != NULL;  // "sm warp3" is folded, "sm" is not
            scope = s->scope;
            if (folded) group(f, scope, false);
        }
        signal_line(f, s->scope, s->name, s->bits, NULL);
    }
    if (folded) end_group(f, scope, false);
    if (warps) end_group(f, "warps", false);
    end_group(f, "SM", true);
}

bool wave_save_file(const Cosim *c, const char *path, const char *wave_name, Diag *d) {
    const Wave *w = c->wave;
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    bool marked = c->mismatched && w->mismatch_time;
    uint64_t cursor = marked ? w->mismatch_time : w->first_time;
    uint64_t start = cursor > 10 * COSIM_TIME_UNITS ? cursor - 10 * COSIM_TIME_UNITS : 0;
    if (start < w->first_time) start = w->first_time;
    fprintf(f, "[dumpfile] \"%s\"\n[timestart] %llu\n[size] 1600 900\n[pos] -1 -1\n", wave_name,
            (unsigned long long)start);
    // Zoom so that some twenty cycles are seen, then the cursor, then markers A to Z.
    fprintf(f, "*-5.600000 %llu", (unsigned long long)cursor);
    for (int i = 0; i < 26; i++) {
        if (i == 0 && marked) fprintf(f, " %llu", (unsigned long long)cursor);
        else fprintf(f, " -1");
    }
    fprintf(f, "\n");
    if (marked) fprintf(f, "[markername] Amismatch\n");
    fprintf(f, "[treeopen] rtl.\n[treeopen] golden.\n[sst_width] 220\n[signals_width] 330\n[sst_expanded] 1\n");
    signal_line(f, "cosim", "cycle", 32, NULL);
    signal_line(f, "cosim", "mismatch", 1, NULL);
    // The block that differs comes first.
    for (int i = 0; i < w->nblocks; i++)
        if (w->blocks[i].x == c->mismatch_block) block_lines(f, c, &w->blocks[i]);
    sm_lines(f, w);
    for (int i = 0; i < w->nblocks; i++)
        if (w->blocks[i].x != c->mismatch_block) block_lines(f, c, &w->blocks[i]);
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
