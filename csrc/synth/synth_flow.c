// SPDX-License-Identifier: Apache-2.0
// The Yosys scripts. Both netlists (flattened, hierarchy kept) share one front end. It first moves
// memories of SRAM size into separate modules, so that both netlists have the same macros.
#include "synth/synth_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

FILE *synth_create(const char *path, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
    return f;
}

bool synth_close(FILE *f, const char *path, Diag *d) {
    const bool failed = ferror(f) != 0;
    if (!fclose(f) && !failed) return true;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

// If OpenSTA does not find a cell's port, it only warns and times the netlist without that
// connection.
static bool all_connected(Arena *arena, const char *log, const char *block, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(arena, log, &text, &n, d)) return false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, " instance ") && strstr(line, " not found."))
            return diag_fail(d, EXIT_ENVIRONMENT, "block %s: sta leaves a port unconnected: %s",
                             block, line);
    return true;
}

bool synth_tool(Arena *arena, const char *tool, const char *script, const char *dir,
                const char *block, bool user, Diag *d) {
    const bool yosys = !strcmp(tool, "yosys");
    const char *path = arena_printf(arena, "%s/%s", dir, script),
               *log = arena_printf(arena, "%s.log", path);
    const char *yosys_argv[] = {"yosys", "-q", "-s", path, NULL},
               *sta_argv[] = {"sta", "-no_splash", "-exit", path, NULL};
    const int status = tool_run(yosys ? yosys_argv : sta_argv, log, SYNTH_SECONDS);
    if (status == 0) return yosys || all_connected(arena, log, block, d);
    if (!tool_ended(status, block, tool, yosys ? "yosys" : "opensta", SYNTH_SECONDS, d))
        return false;
    return diag_fail(d, user ? EXIT_USAGE : EXIT_ENVIRONMENT, "block %s: %s fails in %s, %s", block,
                     tool, script, tool_last_words(arena, status, log, 12));
}

// ---- memories -----------------------------------------------------------------------------------

// A memory as the front end left it.
typedef struct Memory {
    const char *module, *cell;
    int width, words, reads, writes;
    bool clocked;
} Memory;

// Parameters are strings of binary digits, the last one lowest.
static int param_number(json_t *cell, const char *name) {
    const char *text =
        json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
    return text ? (int)strtol(text, NULL, 2) : 0;
}

// Are the reads of all ports clocked?
static bool all_clocked(json_t *cell, int reads) {
    const char *text =
        json_string_value(json_object_get(json_object_get(cell, "parameters"), "RD_CLK_ENABLE"));
    return text && reads && (int)strspn(text, "1") == (int)strlen(text);
}

static bool is_macro(const Memory *m) {
    return m->words >= SYNTH_MACRO_WORDS && (long)m->words * m->width >= SYNTH_MACRO_BITS &&
        m->reads <= SYNTH_MACRO_READS && m->writes <= SYNTH_MACRO_WRITES;
}

// The memories that become macros.
static bool read_memories(Arena *arena, const char *path, Memory **list, int *n, Diag *d) {
    int cap = 0;
    const char *module, *name;
    json_t *content, *cell;
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: an unexpected output of yosys: %s", path,
                         error.text);
    json_object_foreach(json_object_get(root, "modules"), module, content)
        json_object_foreach(json_object_get(content, "cells"), name, cell) {
        const char *type = json_string_value(json_object_get(cell, "type"));
        if (!type || strcmp(type, "$mem_v2")) continue;
        Memory m = {.module = arena_strndup(arena, module, strlen(module)),
                    .cell = arena_strndup(arena, name, strlen(name)),
                    .width = param_number(cell, "WIDTH"),
                    .words = param_number(cell, "SIZE"),
                    .reads = param_number(cell, "RD_PORTS"),
                    .writes = param_number(cell, "WR_PORTS")};
        m.clocked = all_clocked(cell, m.reads);
        if (is_macro(&m)) *ARENA_PUSH(arena, *list, *n, cap) = m;
    }
    json_decref(root);
    return true;
}

// A pattern that selects this id and needs no quoting.
static char *id_pattern(Arena *arena, const char *id) {
    char *text = arena_strndup(arena, id, strlen(id));
    for (char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') *p = '?';
    return text;
}

// The module's name as written, of "name", "$paramod$HASH\\name" and "$paramod\\name\\PARAM=VALUE",
// and the array.
static char *rtl_name(Arena *arena, const Memory *m) {
    const char *at = m->module;
    if (*at == '$') at += strcspn(at, "\\") + (strchr(at, '\\') != NULL);
    return arena_printf(arena, "%.*s.%s", (int)strcspn(at, "\\"), at, m->cell);
}

static void take_out(FILE *f, Arena *arena, const Memory *list, int n) {
    for (int i = 0; i < n; i++)
        fprintf(f, "setattr -set submod \"ram_%d\" %s/%s\n", i, id_pattern(arena, list[i].module),
                id_pattern(arena, list[i].cell));
    // A row's enable is written once for each of its bits, which would be as many pins: those
    // looked at become ports.
    if (n) fprintf(f, "splitnets t:$mem_v2 %%ci1:+[WR_EN] w:* %%i\nsubmod\n");
    for (int i = 0; i < n; i++) {
        const bool derived = list[i].module[0] == '$';
        const char *slash = derived ? "" : "\\";
        // the cell
        fprintf(f, "cd %s%s\nrename %s%s_ram_%d ram_%d\ncd ..\n", slash, list[i].module, slash,
                list[i].module, i, i);
        fprintf(f, "rename %s%s_ram_%d ram_%d\nchtype -set ram_%d t:*_ram_%d\n", slash,
                list[i].module, i, i, i, i);
    }
    if (n) fprintf(f, "setattr -mod -set keep_hierarchy 1 ram_*\n");
}

// ---- scripts ------------------------------------------------------------------------------------

static bool front_script(Arena *arena, const SynthRequest *r, const char *dir, Diag *d) {
    RtlFiles files;
    const BlockDesc *desc = r->desc;
    const char *path = arena_printf(arena, "%s/front.ys", dir);
    if (!rtl_files(arena, r->data_dir, desc->name, r->rtl, &files, d)) return false;
    FILE *f = synth_create(path, d);
    if (!f) return false;
    rtl_read_verilog(f, &files, "");
    if (desc->nparams) fprintf(f, "\nchparam");
    for (int i = 0; i < desc->nparams; i++)
        fprintf(f, " -set %s %d", desc->params[i].name, r->params[i]);
    if (desc->nparams) fprintf(f, " %s", desc->name);
    fprintf(f, "\nhierarchy -check -top %s\nrename -top %s\n", desc->name, desc->name);
    fprintf(f,
            "proc\nopt_expr -mux_undef\nopt_clean\nopt\nwreduce\npeepopt\nopt_clean\nmemory "
            "-nomap\nopt_clean\n");
    // named by the source's path, which a Liberty file cannot hold
    fprintf(f, "rename -hide w:*$func$*\n");
    fprintf(f, "check -assert\nwrite_rtlil %s/front.il\njson -o %s/memories.json t:$mem_v2\n", dir,
            dir);
    return synth_close(f, path, d);
}

// The mapping by abc: structural choices, cells by the library's delays, fanout of at most 16,
// cells sized for the clock. Buffers limit the fanout, also of inputs and registers. The choices
// are proved equal one by one, which takes minutes from some 100 000 gates on. Above
// SYNTH_FAST_CELLS abc restructures twice instead and uses the result.
static const char abc_choices[] = "&dch,-x", abc_fast[] = "&syn2;&syn2";
static const char abc_steps[] =
    "strash;&get,-n;%s;&nf;&put;buffer,-c,-p,-N,16;upsize,-D,%d;dnsize,-D,%d";

// Maps to gates of one bit and the library's flip-flops. Bottom-up: each module is mapped once,
// alone. When all are mapped the hierarchy is flattened for timing. The last steps of `opt` are
// omitted, because abc finds the same reductions faster.
static bool gates_script(Arena *arena, const SynthRequest *r, const char *dir, const char *name,
                         bool flat, const Memory *list, int n, Diag *d) {
    const char *path = arena_printf(arena, "%s/%s.ys", dir, name), *lib = r->liberty->link;
    const char *macros = arena_printf(arena, "%s/macros.v", dir);
    FILE *f = flat && !n ? synth_create(macros, d) : NULL;  // none: an empty file
    if (flat && !n && (!f || !synth_close(f, macros, d))) return false;
    if (!(f = synth_create(path, d))) return false;
    fprintf(f, "read_rtlil %s/front.il\n", dir);
    take_out(f, arena, list, n);
    if (flat && n)
        fprintf(f,
                "select ram_*\njson -o %s/macros.json\nwrite_verilog -noattr -selected %s\nselect "
                "-clear\n",
                dir, macros);
    if (n) fprintf(f, "blackbox ram_*\n");
    if (flat && !r->bottom_up) fprintf(f, "flatten\n");
    fprintf(f,
            "opt_expr\nopt_clean\nopt\nwreduce\npeepopt\nopt_clean\nalumacc\nopt\nmemory_map\nopt "
            "-undriven -fine\n");
    fprintf(f, "techmap\nopt_clean\n");
    // Registers are named after the wire that they drive. This happens here, where each has one
    // output, because registers of many libraries have Q and QN.
    fprintf(f, "rename -wire -suffix _reg t:$_*DFF*_\n");
    fprintf(f, "read_liberty -lib -ignore_miss_func %s\ndfflibmap -liberty %s\nopt_clean\n", lib,
            lib);
    fprintf(f, "tee -q -o %s/%s.count stat\nwrite_rtlil %s/%s.il\n", dir, name, dir, name);
    return synth_close(f, path, d);
}

bool synth_constraints(Arena *arena, const Liberty *l, const char *dir, Diag *d) {
    const char *path = arena_printf(arena, "%s/constraints", dir);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    // Without a driver of the inputs (and registers, for abc the same) abc puts no buffers there.
    if (l->buffer) fprintf(f, "set_driving_cell %s\n", l->buffer);
    return synth_close(f, path, d);
}

void synth_abc(FILE *f, const Liberty *l, const char *dir, int ps, bool fast) {
    fprintf(f, "abc -liberty %s -D %d%s%s%s -script +", l->link, ps, l->buffer ? " -constr " : "",
            l->buffer ? dir : "", l->buffer ? "/constraints" : "");
    fprintf(f, abc_steps, fast ? abc_fast : abc_choices, ps, ps);
}

static bool map_script(Arena *arena, const SynthRequest *r, const char *dir, const char *name,
                       bool flat, int n, bool fast, Diag *d) {
    const char *path = arena_printf(arena, "%s/%s_map.ys", dir, name), *lib = r->liberty->link,
               *top = r->desc->name;
    const int ps = (int)(r->clock * 1000 + 0.5);
    FILE *f = synth_constraints(arena, r->liberty, dir, d) ? synth_create(path, d) : NULL;
    if (!f) return false;
    fprintf(f, "read_rtlil %s/%s.il\n", dir, name);
    synth_abc(f, r->liberty, dir, ps, fast);
    if (flat && r->bottom_up) fprintf(f, "\nflatten");
    fprintf(f, "\nopt_clean -purge\ntee -q -o %s/%s.stat stat -liberty %s -top %s\n", dir, name,
            lib, top);
    if (flat) {
        fprintf(f, "select -set state");
        for (int i = 0; i < r->liberty->nflops; i++)
            fprintf(f, " %s/t:%s", top, r->liberty->flops[i].name);
        fprintf(f, "\nselect -set cut @state%s%s%s\n", n ? " " : "", n ? top : "",
                n ? "/t:ram_*" : "");
        fprintf(f, "tee -q -o %s/depth ltp %s/* @cut %%d\n", dir, top);
        fprintf(f, "write_verilog -noattr -simple-lhs %s/netlist.v\n", dir);
    }
    return synth_close(f, path, d);
}

// ---- what they counted --------------------------------------------------------------------------

static bool is_flop(const Liberty *l, const char *cell) {
    for (int i = 0; i < l->nflops; i++)
        if (!strcmp(l->flops[i].name, cell)) return true;
    return false;
}

typedef struct Counts {
    long cells, flops, macros[SYNTH_MAX_MACROS];
    double area;
} Counts;

// Sums of `stat`: of the whole design when it has a hierarchy, which it prints last.
static bool read_stat(Arena *arena, const Liberty *l, const char *path, const char *top, Counts *c,
                      Diag *d) {
    char *text, *whole;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return false;
    *c = (Counts){0};
    const char *module = arena_printf(arena, "=== %s ===", top);
    if ((whole = strstr(text, "=== design hierarchy ===")) || (whole = strstr(text, module)))
        text = whole;
    char *area = strstr(text, "Chip area for top module");
    if (!area) area = strstr(text, arena_printf(arena, "Chip area for module '\\%s'", top));
    if (area && (area = strchr(area, ':'))) c->area = strtod(area + 1, NULL);
    char *line = strstr(text, "Number of cells:");
    for (line = line ? line + strcspn(line, "\n") : text + n; *line == '\n';
         line += strcspn(line, "\n")) {
        char name[128];
        long count;
        line++;
        if (sscanf(line, " %127s %ld", name, &count) != 2) break;
        if (!strncmp(name, "ram_", 4)) {
            const int k = atoi(name + 4);
            if (k >= 0 && k < SYNTH_MAX_MACROS) c->macros[k] += count;
            continue;
        }
        if (name[0] == '$')
            return diag_fail(d, EXIT_USAGE,
                             "%s: cell %s remains, because this library has no cell for it",
                             l->path, name);
        if (strchr(name, '$') || strchr(name, '\\')) continue;
        c->cells += count;
        if (is_flop(l, name)) c->flops += count;
    }
    return true;
}

static bool read_depth(Arena *arena, const char *path, int *depth, Diag *d) {
    char *text, *at;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return false;
    at = strstr(text, "(length=");
    *depth = at ? atoi(at + 8) : 0;
    return true;
}

static void set_macros(SynthResult *x, Arena *arena, const SynthRequest *r, const Memory *list,
                       int n, const Counts *c) {
    x->nmacros = n;
    for (int i = 0; i < n; i++) {
        SynthMacro *m = &x->macros[i];
        *m = (SynthMacro){.name = arena_printf(arena, "ram_%d", i),
                          .rtl = rtl_name(arena, &list[i]),
                          .width = list[i].width,
                          .words = list[i].words,
                          .reads = list[i].reads,
                          .writes = list[i].writes,
                          .clocked = list[i].clocked,
                          .count = (int)c->macros[i]};
        macro_estimate(m, r->liberty->nm, r->liberty->volts);
        x->area_macros += m->area * m->count;
        x->macro_bits += (long)m->width * m->words * m->count;
    }
}

// Cells before abc, of the largest module: abc maps one after the other.
static bool count_cells(Arena *arena, const char *path, long *cells, Diag *d) {
    char *text, *end;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return false;
    if ((end = strstr(text, "=== design hierarchy ==="))) *end = '\0';
    *cells = 0;
    while ((text = strstr(text, "Number of cells:"))) {
        const long found = strtol(text += strlen("Number of cells:"), NULL, 10);
        if (found > *cells) *cells = found;
    }
    return true;
}

// One netlist: `name` is flat or hier.
static bool map_netlist(Arena *arena, const SynthRequest *r, const char *dir, const char *name,
                        const Memory *list, int n, Counts *c, bool *fast, Diag *d) {
    const bool flat = !strcmp(name, "flat");
    const char *top = r->desc->name;
    long cells;
    if (!gates_script(arena, r, dir, name, flat, list, n, d) ||
        !synth_tool(arena, "yosys", arena_printf(arena, "%s.ys", name), dir, top, false, d) ||
        !count_cells(arena, arena_printf(arena, "%s/%s.count", dir, name), &cells, d))
        return false;
    *fast = cells > SYNTH_FAST_CELLS;
    return map_script(arena, r, dir, name, flat, n, *fast, d) &&
        synth_tool(arena, "yosys", arena_printf(arena, "%s_map.ys", name), dir, top, false, d) &&
        read_stat(arena, r->liberty, arena_printf(arena, "%s/%s.stat", dir, name), top, c, d);
}

bool synth_netlist(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d) {
    Memory *list = NULL;
    int n = 0;
    const char *top = r->desc->name;
    if (!front_script(arena, r, dir, d) ||
        !synth_tool(arena, "yosys", "front.ys", dir, top, r->rtl != NULL, d) ||
        !read_memories(arena, arena_printf(arena, "%s/memories.json", dir), &list, &n, d))
        return false;
    if (n > SYNTH_MAX_MACROS)
        return diag_fail(d, EXIT_USAGE, "block %s: %d kinds of memories; at most %d", top, n,
                         SYNTH_MAX_MACROS);
    if (n && !r->liberty->nm)
        return diag_fail(
            d, EXIT_USAGE,
            "%s: the node of library '%s' is unknown, and block %s has memories: add --nm",
            r->liberty->path, r->liberty->name, top);
    Counts flat = {0}, hier = {0};
    bool fast = false;
    if (r->flatten & FLATTEN_OFF && !map_netlist(arena, r, dir, "hier", list, n, &hier, &fast, d))
        return false;
    if (r->flatten & FLATTEN_ON &&
        (!map_netlist(arena, r, dir, "flat", list, n, &flat, &fast, d) ||
         !read_depth(arena, arena_printf(arena, "%s/depth", dir), &x->depth, d)))
        return false;
    x->fast = fast;
    const Counts *c = r->flatten & FLATTEN_ON ? &flat : &hier;
    x->cells = c->cells, x->flops = c->flops, x->area = c->area;
    x->area_hier = r->flatten & FLATTEN_OFF ? hier.area : -1;
    x->gates = c->area / r->liberty->nand2_area;
    set_macros(x, arena, r, list, n, c);
    x->area_total = x->area + x->area_macros;
    return true;
}
