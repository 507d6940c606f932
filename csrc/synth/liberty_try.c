// SPDX-License-Identifier: Apache-2.0
// Whether the tools take a library: a small design is mapped and timed before any block. A cell
// that a tool refuses is named by its place in the user's file. The cache remembers a library that
// was taken.
#include "synth/synth_internal.h"
#include "synth/liberty_tree.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRY_SECONDS = 300, TRY_PS = 1000 };

typedef struct Try {
    Arena *arena;
    const Liberty *l;
    const char *folder;
    const char **starts;  // of the lines of the copy
    int *first, *last;    // lines of each cell
    int ncells;
    char *why;  // message of the tool that failed last
    bool died;  // by a signal
    Diag *d;
} Try;

// ---- one try ------------------------------------------------------------------------------------

static bool write_design(const Try *t) {
    static const char text[] =
        "module smcosim_try (input clk_i, input a, input b, output reg q, output y);\n"
        "assign y = ~(a & q) ^ b;\nalways @(posedge clk_i) q <= a ^ b;\nendmodule\n";
    return output_text(arena_printf(t->arena, "%s/try.v", t->folder), text, strlen(text), t->d);
}

static bool write_yosys(const Try *t) {
    const char *path = arena_printf(t->arena, "%s/try.ys", t->folder),
               *lib = arena_printf(t->arena, "%s/library.lib", t->folder);
    FILE *f = synth_create(path, t->d);
    if (!f) return false;
    fprintf(f,
            "read_verilog %s/try.v\nproc\nopt\ntechmap\nopt\nread_liberty -lib -ignore_miss_func "
            "%s\ndfflibmap -liberty %s\nopt_clean\n",
            t->folder, lib, lib);
    Liberty inner = *t->l;
    inner.link = lib;
    synth_abc(f, &inner, t->folder, TRY_PS, false);
    fprintf(f, "\nopt_clean -purge\nwrite_verilog -noattr -simple-lhs %s/try_mapped.v\n",
            t->folder);
    fprintf(f, "design -reset\nread_liberty -ignore_miss_func %s\n", lib);  // the cell models
    return synth_close(f, path, t->d);
}

static bool write_sta(const Try *t) {
    const char *path = arena_printf(t->arena, "%s/try.tcl", t->folder);
    FILE *f = synth_create(path, t->d);
    if (!f) return false;
    fprintf(
        f,
        "read_liberty {%s/library.lib}\nread_verilog {%s/try_mapped.v}\nlink_design smcosim_try\n"
        "create_clock -name clk -period 1 [get_ports clk_i]\nreport_checks\nputs \"SMCO end\"\n",
        t->folder, t->folder);
    return synth_close(f, path, t->d);
}

// 1: the tools take it; 0: one does not, t->why; -1: t->d.
static int run_tools(Try *t) {
    const char *ys = arena_printf(t->arena, "%s/try.ys", t->folder),
               *tcl = arena_printf(t->arena, "%s/try.tcl", t->folder);
    const char *log = arena_printf(t->arena, "%s/try.log", t->folder);
    const char *yosys[] = {"yosys", "-q", "-s", ys, NULL},
               *sta[] = {"sta", "-no_splash", "-exit", tcl, NULL};
    for (int i = 0; i < 2; i++) {
        const char *tool = i ? "sta" : "yosys";
        const int status = tool_run(i ? sta : yosys, log, TRY_SECONDS);
        const char *text = tool_log(t->arena, log, 1 << 20);
        if (status &&
            !tool_ended(status, "(library)", tool, i ? "opensta" : "yosys", TRY_SECONDS, t->d))
            return -1;
        if (!status && (!i || (strstr(text, "SMCO end") && !strstr(text, "Error:")))) continue;
        if (strstr(text, "return code 127"))
            return diag_fail(t->d, EXIT_ENVIRONMENT, "yosys does not find its abc: %s", text), -1;
        t->died = status >= TOOL_SIGNAL;
        t->why = arena_printf(t->arena, "%s ends with %s", tool,
                              tool_last_words(t->arena, status, log, 4));
        return 0;
    }
    return 1;
}

// ---- which cell ---------------------------------------------------------------------------------

static void find_cells(Try *t) {
    const Liberty *l = t->l;
    t->starts = ARENA_ARRAY(t->arena, const char *, l->nlines + 1);
    t->first = ARENA_ARRAY(t->arena, int, l->nlines),
    t->last = ARENA_ARRAY(t->arena, int, l->nlines);
    const char *p = l->copy;
    for (int i = 0; i < l->nlines; i++, p += strcspn(p, "\n") + 1) t->starts[i] = p;
    t->starts[l->nlines] = l->copy + l->copy_bytes;
    for (int i = 0; i < l->nlines; i++) {
        if (strcmp(l->lines[i]->name, "cell")) continue;
        if (t->ncells && l->lines[i] == l->lines[t->first[t->ncells - 1]])
            t->last[t->ncells - 1] = i;
        else t->first[t->ncells++] = i;
    }
}

static bool is_needed(const Try *t, const char *cell) {
    const Liberty *l = t->l;
    for (int i = 0; i < l->nflops; i++)
        if (l->flops[i].data)
            return !strcmp(cell, l->flops[i].name) || !strcmp(cell, l->nand2) ||
                (l->inverter && !strcmp(cell, l->inverter)) ||
                (l->buffer && !strcmp(cell, l->buffer));
    return false;
}

// The library with its first n cells and those that no mapping goes without.
static int try_cells(Try *t, int n) {
    FILE *f = synth_create(arena_printf(t->arena, "%s/library.lib", t->folder), t->d);
    if (!f) return -1;
    fwrite(t->l->copy, 1, (size_t)(t->starts[t->ncells ? t->first[0] : 0] - t->l->copy), f);
    for (int i = 0; i < t->ncells; i++)
        if (i < n || is_needed(t, t->l->lines[t->first[i]]->words[0]))
            fwrite(t->starts[t->first[i]], 1,
                   (size_t)(t->starts[t->last[i] + 1] - t->starts[t->first[i]]), f);
    fprintf(f, "}\n");
    return synth_close(f, "library.lib", t->d) ? run_tools(t) : -1;
}

// Bisects for the cell that makes the tools fail; without one, names the library.
static bool tell_cell(Try *t, bool *undecided) {
    int good = -1, bad = t->ncells;
    const char *why = t->why;
    while (bad - good > 1) {
        const int middle = good + (bad - good) / 2, status = try_cells(t, middle);
        if (status < 0) return false;
        if (status) good = middle;
        else bad = middle, why = t->why;
    }
    *undecided = !bad && t->died;
    const LibertyItem *at =
        bad > 0 && bad <= t->ncells ? t->l->lines[t->first[bad - 1]] : t->l->lines[0];
    return diag_fail(t->d, EXIT_USAGE, "%s:%d:%d: %s %s: the tools do not accept it; %s", at->path,
                     at->line, at->col, at->name, at->words[0], why);
}

bool liberty_try(const Liberty *l, Arena *arena, const char *cache_dir, Diag *d) {
    const char *known = arena_printf(arena, "%s/synth/library-%016llx", cache_dir,
                                     (unsigned long long)l->copy_hash);
    // abc maps nothing without an inverter, and says so
    if (!access(known, R_OK) || !l->inverter) return true;
    Try t = {.arena = arena, .l = l, .folder = tool_folder(arena, d), .d = d};
    if (!t.folder) return false;
    find_cells(&t);
    const int status = write_design(&t) && synth_constraints(arena, l, t.folder, d) &&
            write_yosys(&t) && write_sta(&t)
        ? try_cells(&t, t.ncells)
        : -1;
    bool undecided = false;
    const bool good = status > 0 || (!status && tell_cell(&t, &undecided));
    tool_remove(t.folder);
    // If a tool is cut off or interrupted, or crashes with any cells, the library is not to blame.
    if (d->timeout || d->status == EXIT_INTERRUPTED || undecided) {
        *d = (Diag){0};
        return true;
    }
    return good && make_folders(arena, arena_printf(arena, "%s/synth", cache_dir), d) &&
        output_text(known, "", 0, d);
}
